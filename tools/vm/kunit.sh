#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC3043 # busybox has local
#
# kunit.sh MODULE...: runs in the guest. Loads twheel.ko and each KUnit module, whose
# suites run as it loads, and prints their cases as TAP. Exit status 1: a case failed, or
# a suite is missing or ran nothing.
#
# Results are read from the kernel log: debugfs keeps 512 bytes per case in 6.1.

status=0

not_ok() {
	echo "not ok kunit/$1"
	status=1
}

# Prints the KTAP in the kernel log as "ok kunit/suite: case", what belongs to a case
# before it. One level down are the cases of a suite; deeper, parameters.
cases_of_log() {
	sed 's/^\[ *[0-9.]*\] //' | awk -v module="$1" '
	/^    # Subtest: /	{ suite = $3; suites++; planned = seen = 0; next }
	!suite && /^not ok /	{ print "not ok kunit/" $4 ": the suite did not start"; bad++; suites++ }
	!suite			{ next }
	/^    1\.\.[0-9]+/	{ planned = substr($1, 4) + 0; next }
	/^    (not )?ok [0-9]+ / {
		failed = sub(/^    not ok [0-9]+ (- )?/, "")
		sub(/^    ok [0-9]+ (- )?/, "")
		print (failed ? "not ok" : "ok") " kunit/" suite ": " $0
		bad += failed
		seen++
		next
	}
	/^(not )?ok [0-9]+ / {
		if (!planned || seen != planned) {
			print "not ok kunit/" suite ": ran " seen " of " planned " cases"
			bad++
		}
		suite = ""
		next
	}
	/^ *(KTAP|ok |# Subtest: )/ { next }
	/pass:[0-9]+ fail:0/	{ next }
	/^ /			{ sub(/^ +(# )?/, ""); print "# " $0 }
	END {
		if (suite || !suites) {
			print "not ok kunit/" module ": " (suite ? suite " did not end" : "no suite in it")
			bad++
		}
		exit bad > 0
	}'
}

run_suites() {
	local said

	[ -e "/lib/twheel/$1.ko" ] || { not_ok "$1: the module was not built"; return; }
	dmesg -c >/dev/null
	said=$(insmod "/lib/twheel/$1.ko" 2>&1) || { not_ok "$1: $said"; return; }
	dmesg | cases_of_log "$1" || status=1
}

said=$(insmod /lib/twheel/twheel.ko 2>&1) || not_ok "twheel: $said"
[ $# -gt 0 ] || not_ok "no suites: kunit/*_test.c is empty"
for module in "$@"; do
	run_suites "$module"
done
exit $status
