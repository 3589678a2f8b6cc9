#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# selftest.sh SECONDS SCALE PROGRAM...: runs in the guest. Runs each program in
# /root/selftests for at most SECONDS, between two marks that selftest.awk reads on the
# host. SCALE is how much of what is repeated often to do, in percent.

limit=$1
export TWHEEL_TEST_SCALE="$2"
shift 2
export TWHEEL_MODULE=/lib/twheel/twheel.ko

for program in "$@"; do
	# so that a splat in the console log can be assigned
	echo "<4>selftest: $program" >/dev/kmsg
	echo "#@ begin $program"
	[ -e /dev/twheel ] || insmod $TWHEEL_MODULE
	timeout -s KILL "$limit" "/root/selftests/$program" 2>&1
	echo "#@ end $program $?"
done
