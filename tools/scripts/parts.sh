# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the scripts that run several parts of the tests, each `make NAME`, beside each
# other. They set $logs, the directory for the output of each part, and define show FILE,
# which is called with that output when the part is done.

: "${top:?is of common.sh}"
declare -A part_of=()	# by process id: the parts that are running
declare -a began=()	# by process id: when
builder=		# process id of what builds a kernel meanwhile

# Each in a session of its own, so that everything in it can be stopped at once.
start() {
	setsid "$@" </dev/null &
}

stop_all() {
	local pid

	trap - INT TERM HUP
	for pid in "${!part_of[@]}" $builder; do
		kill -- "-$pid" 2>/dev/null || true
	done
	wait
	say "stopped; what was done is in ${logs:?}"
	exit 130
}

# What went wrong stands in the TAP; make's exit status adds nothing.
start_part() {
	echo "== make $1: running"
	start make -s -C "$top" "$1" >"$logs/$1" 2>&1
	part_of[$!]=$1
	began[$!]=$SECONDS
}

finish_one_part() {
	local part pid

	wait -n -p pid "${!part_of[@]}" || true
	part=${part_of[$pid]}
	unset "part_of[$pid]"
	grep -qE '^(not )?ok ' "$logs/$part" || echo "not ok $part: ran no test" >>"$logs/$part"
	echo "== make $part: done in $((SECONDS - began[pid])) s"
	show "$logs/$part"
}

finish_parts() {
	while [ ${#part_of[@]} -gt 0 ]; do
		finish_one_part
	done
}

building() {
	[ "$builder" ] && kill -0 "$builder" 2>/dev/null
}

# Runs what did not run yet, two at a time; one as long as a kernel is being built, which
# keeps the processors busy.
run_parts() {
	local lanes part

	for part in "$@"; do
		[ ! -e "$logs/$part" ] || continue
		lanes=2
		! building || lanes=1
		while [ ${#part_of[@]} -ge $lanes ]; do
			finish_one_part
		done
		start_part "$part"
	done
}

# How many lines match $1 in the files that follow.
count() {
	cat "${@:2}" | grep -cE "$1" || true
}

# The last line is "N passed, N failed". Fails if a test did.
summary() {
	local failed skipped

	failed=$(count '^not ok ' "$logs"/*)
	skipped=$(count '^ok .*# SKIP' "$logs"/*)
	(cd "$logs" && grep -E '^not ok ' -- *) || true
	echo "$(($(count '^ok ' "$logs"/*) - skipped)) passed, $failed failed$(
		[ "$skipped" = 0 ] || echo ", $skipped skipped")"
	[ "$failed" = 0 ]
}

rm -rf "$logs"
mkdir -p "$logs"
trap stop_all INT TERM HUP
