#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the command with the module loaded; prints TAP.  For a virtual
# machine, with tap.sh beside it:
#	tools/vm/run --add tools/scripts/tap.sh -- tools/cli/test-device.sh

twheel=${1:-twheel}
# shellcheck source=tools/scripts/tap.sh
. "$(dirname "$0")/tap.sh"

# try NAME STATUS PATTERN ARGUMENT...: the output, of either kind, has a line
# with the basic regular expression PATTERN.
try() {
	name=$1 status=$2 pattern=$3
	shift 3
	"$twheel" "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ $got -eq "$status" ] || echo "status $got, not $status" >>"$dir/err"
	[ $got -eq "$status" ] && cat "$dir/out" "$dir/err" | grep -q -e "$pattern"
	report $? "$name"
}

# script NAME STATUS PATTERN TEXT [OPTION...]
script() {
	name=$1 status=$2 pattern=$3
	printf '%b' "$4" >"$dir/script"
	shift 4
	try "$name" "$status" "$pattern" run "$@" "$dir/script" </dev/null
}

# The output of the last one has so many lines with a pattern.
lines() {
	[ "$(grep -c -e "$2" "$dir/out")" -eq "$1" ]
	report $? "... lines with $2: $1"
}

timers() {
	try "info" 0 "^ABI revision   3, records of 80 bytes$" info
	lines 1 "^in one call    [1-9][0-9]* operations, a list of [1-9]"
	lines 1 "^delivery       at-most-once; dispatch shared$"
	try "info as JSON" 0 '^{"type":"info","abi_revision":3,.*"delivery":"at-most-once","dispatch":"shared",.*}$' info --json
	script "start and read" 0 "event  7: .* data 42, generation 1, seq" \
		"start 7 --after 10ms --data 42\nread 1 --wait 1m\n"
	script "the smallest and the largest ID" 0 "event  18446744073709551615:" \
		"start 0 --after 1ms\nstart 0xffffffffffffffff --after 2ms\nread 2\n"
	lines 1 "event  0:"
	script "a deadline that has passed" 0 "event  1: expired at" \
		"start 1 --at 0ns\nstart 2 --at @1ns\nread 2 --wait 1m\n"
	script "reset brings a new time" 0 "due at 1h" \
		"start 1 --after 1ms\nreset 1 --at 1h\nread --wait 20ms\nget 1\n"
	lines 1 "read   no event"
	script "a periodic timer, as JSON" 0 '"expirations":[1-9][0-9]*,.*"periodic":true,.*}' \
		"start 1 --after 50ms --every 50ms\nread 1\nstop 1\n" --json
	script "a withdrawn expiry" 0 "stopped, its unread expiry withdrawn" \
		"start 1 --at 0ns\nstop 1\nread\nstats\n"
	lines 1 "read   no event"
	lines 1 "withdrawn 1 .* balanced"
	script "the clock" 0 "clock boottime" \
		"setup --clock boottime\nstart 1 --at 10ms\nread 1 --wait 1m\n"
	script "the oldest are dropped" 0 "2 dropped before it" \
		"setup --queue 1 --overflow drop-oldest\nstart 1 --at 0ns\nstart 2 --at 0ns\nstart 3 --at 0ns\nread\nstats\n"
	lines 1 "event  3:"
	lines 1 "read   1 event$"
}

errors() {
	script "ENOENT" 1 "script:1: stop 9: ENOENT: there is no timer 9" \
		"stop 9\n"
	script "EEXIST" 1 "EEXIST: timer 9 is already running" \
		"start 9 --after 1h\nstart 9 --after 1h --exclusive\n"
	script "EBUSY" 1 "EBUSY: setup has to come before" \
		"start 9 --after 1h\nsetup\n"
	script "EINVAL of an interval" 1 "EINVAL: an interval of 1ns is shorter" \
		"start 9 --after 1h --every 1ns\n"
	script "EINVAL of a tick" 1 "EINVAL: a tick shift of 63 is not between" \
		"setup --tick-shift 63\n"
	script "EINVAL of a queue" 1 "EINVAL: a queue of 4294967295 is longer" \
		"setup --queue 4294967295\n"
	script "EINVAL of a number of timers" 1 "EINVAL: .* more than the module" \
		"setup --max-timers 18446744073709551615\n"
	script "EOVERFLOW" 1 "EOVERFLOW: the deadline lies after" \
		"start 9 --after 18446744073709551615ns\n"
	script "EOVERFLOW of a time on the scale of the script" 1 "EOVERFLOW" \
		"start 9 --at 18446744073709551615ns\n"
	script "ENOSPC" 1 "ENOSPC: .*this instance's (1," \
		"setup --max-timers 1\nstart 1 --after 1h\nstart 2 --after 1h\n"
	script "too few events" 1 "ETIMEDOUT: 1 of 2 events came within 1s" \
		"start 1 --after 1ms\nread 2 --wait 1s\n"
	script "expect" 0 "ENOENT as expected" "expect ENOENT get 1\n"
	script "expect, and another error" 1 "get 1: ENOENT instead of EINVAL: there is" \
		"expect EINVAL get 1\n"
	script "keep-going" 1 "^after$" "stop 1\necho after\n" --keep-going
}

watch() {
	printf 'start 1 --after 20ms --every 20ms\n' >"$dir/script"
	try "watch --count" 0 "count reached; events 3," watch --count 3 \
		"$dir/script"
	lines 3 "event  1:"
	try "watch --for" 0 "time is up; " watch --for 100ms "$dir/script"
	# or else the events of the last one could be taken for those of this one
	: >"$dir/out"
	"$twheel" watch "$dir/script" >"$dir/out" 2>"$dir/err" &
	pid=$!
	while ! grep -q "event" "$dir/out"; do sleep 0.1; done
	kill -INT $pid
	wait $pid
	report $? "watch ends with 0 at an interrupt"
	lines 1 "end    interrupted; "
	lines 1 "balanced"
	echo 'start 1 --after 1ms' >"$dir/script"
	try "watch ends without timers" 0 "no timer is left; events 1," watch \
		"$dir/script"
	printf 'echo begun\nread 1\n' >"$dir/script"
	: >"$dir/out"
	"$twheel" run "$dir/script" >"$dir/out" 2>"$dir/err" &
	pid=$!
	while ! grep -q begun "$dir/out"; do sleep 0.1; done
	kill -INT $pid
	wait $pid
	[ $? -eq 130 ]
	report $? "run ends a read with 130 at an interrupt"
}

stats() {
	printf 'start 1 --after 1h\necho started\nsleep 1h\n' >"$dir/script"
	"$twheel" run "$dir/script" >"$dir/log" 2>&1 &
	pid=$!
	while ! grep -q started "$dir/log"; do sleep 0.1; done
	try "stats of all" 0 "^process $pid (twheel), descriptor" stats
	lines 1 "^  armed  *1$"
	lines 1 "^  clock  *monotonic$"
	lines 1 "^  books  *balanced$"
	try "stats of one, as JSON" 0 '^{"type":"instance",.*"armed":1,.*"balanced":true}$' \
		stats --json --pid $pid
	try "stats of one without" 1 "process 1 does not have" stats --pid 1
	kill -TERM $pid
	wait $pid
	[ $? -eq 143 ]
	report $? "run ends a sleep with 143 at SIGTERM"
	try "stats of none" 0 "no process that could be looked into" stats
}

timers
errors
watch
stats
finish
