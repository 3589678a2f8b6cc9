#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the command with the module loaded; prints TAP.  For a virtual
# machine, with tap.sh and delivery.tw beside it:
#	tools/vm/run --add tools/scripts/tap.sh --add tools/cli/delivery.tw -- \
#		tools/cli/test-device.sh

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
	try "info" 0 "^ABI revision   4, records of 80 bytes$" info
	lines 1 "^in one call    [1-9][0-9]* operations, a list of [1-9]"
	lines 1 "^delivery       at-most-once; dispatch shared$"
	lines 1 "^words          0, at most [1-9]"
	try "info as JSON" 0 '^{"type":"info","abi_revision":4,.*"delivery":"at-most-once","dispatch":"shared",.*}$' info --json
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
		"start 1 --at 0ns\nread 2 --wait 1s\n"
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
	: >"$dir/log"
	"$twheel" run "$dir/script" >"$dir/log" 2>&1 &
	pid=$!
	while ! grep -q started "$dir/log"; do sleep 0.1; done
	try "stats of all" 0 "^process $pid (twheel.*), descriptor" stats
	lines 1 "^  armed  *1$"
	lines 1 "^  clock  *monotonic$"
	lines 1 "^  books  *balanced$"
	try "stats of one, as JSON" 0 '^{"type":"instance",.*"armed":1,.*"balanced":true,.*}$' \
		stats --json --pid $pid
	try "stats of one without" 1 "process 1 does not have" stats --pid 1
	kill -TERM $pid
	wait $pid
	[ $? -eq 143 ]
	report $? "run ends a sleep with 143 at SIGTERM"
	try "stats of none" 0 "no process that could be looked into" stats
}

# Runs a script in the background until it has printed "begun"; $pid is its process.
begin() {
	printf '%b' "$1" >"$dir/script"
	: >"$dir/log"
	"$twheel" run "$dir/script" >"$dir/log" 2>&1 &
	pid=$!
	while ! grep -q '^begun$' "$dir/log"; do
		kill -0 $pid || break
		sleep 0.1
	done
}

end() {
	kill -TERM $pid
	wait $pid
}

# The number of a member in the first JSON object of a type.
number() {
	sed -n "s/^{\"type\":\"$1\",.*\"$2\":\([0-9]*\).*/\1/p" "$dir/out" |
		head -n 1
}

# equal NAME A B: numbers that are there.
equal() {
	[ -n "$2" ] && [ "$2" = "$3" ]
	report $? "$1"
}

words() {
	script "a touched timer is postponed" 0 "postponed [1-9]" \
		"setup --words 2\nstart 1 --after 500ms --word 0\nstart 2 --after 600ms --word 1\nsleep 300ms\ntouch 1\nread 2 --wait 1m\nstats\n"
	equal "... and the other one expires before it" 21 \
		"$(sed -n 's/.*event  \([12]\): .*/\1/p' "$dir/out" | tr -d '\n')"
	lines 1 ", 2 words$"
	lines 1 "start  1: started, .*, word 0$"
	lines 1 "touch  1: word 0 is [1-9]"
	lines 1 ": balanced$"
	script "... to its timeout after the touch" 0 '"type":"event"' \
		"setup --words 1\nstart 1 --after 50ms --word 0\ntouch 1\nread 1 --wait 1m\n" \
		--json
	equal "... exactly" "$(($(number touch value_ns) + 50000000))" \
		"$(number event deadline_ns)"
	# The expiry of 3 comes later than that of 2, which waits for reader 1 then.
	script "a touch withdraws an expiry that is unread" 0 \
		"expired 3 = delivered 2 + withdrawn 1 .*: balanced$" \
		"setup --words 1 --dispatch by-id\nreader\nstart 2 --after 20ms --word 0\nstart 3 --after 40ms\nread 1 --reader 2 --wait 1m\nget 2\ntouch 2\nread 1 --wait 1m\nstats\n"
	lines 1 "get    2: queued, "
	script "a value that is no time is now" 0 "read   no event$" \
		"setup --words 1\nstart 1 --after 20ms --word 0\ntouch 1 --at @18446744073709551615ns\nread --wait 200ms\ntouch 1 --ago 1h\nread 1 --wait 1m\n"
	lines 1 "touch  1: word 0 is 18446744073709551615$"
	lines 1 "event  1: "
	script "a time that has passed makes no timer early" 0 "event" \
		"setup --words 1\nstart 1 --after 50ms --word 0\ntouch 1 --at @0ns\nread 1 --wait 1m\n" \
		--json
	equal "... it expires when it was to" "$(number start deadline_ns)" \
		"$(number event deadline_ns)"
	printf '%s\n' 'setup --words 1' 'start 1 --after 50ms --word 0' \
		'touch 1' >"$dir/script"
	try "watch of a touched timer" 0 "no timer is left; events 1," watch \
		"$dir/script"
}

words_shown() {
	script "list and get show the word" 0 "timer  1: armed, .*, word 3, gen" \
		"setup --words 4\nstart 1 --after 1h --word 3\nstart 2 --after 1h\nlist\nreset 1\nget 1\n"
	lines 1 "get    1: armed, .*, word 3, gen"
	lines 3 ", word "
	script "... as JSON" 0 '^{"type":"timer","id":1,.*"mapped":true,"word":3}$' \
		"setup --words 4\nstart 1 --after 1h --word 3\nstart 2 --after 1h\nlist\ninfo\n" \
		--json
	lines 1 '^{"type":"timer","id":2,.*"mapped":false}$'
	lines 1 '^{"type":"setup",.*"map_words":4,'
	lines 1 '^{"type":"info",.*"map_words":4,"map_words_max":[1-9]'
	script "get after a touch" 0 '"type":"get"' \
		"setup --words 1\nstart 1 --after 1h --word 0\ntouch --word 0\nget 1\nlist\n" \
		--json
	for type in get timer; do
		equal "... $type has the effective deadline" \
			"$(($(number touch value_ns) + 3600000000000))" \
			"$(number $type deadline_ns)"
	done
	script "a word is free after a stop, a read, and a start without" 0 \
		"start  4: started, .*, word 0$" \
		"setup --words 1\nstart 1 --after 1h --word 0\nstop 1\nstart 2 --at 0ns --word 0\nread 1 --wait 1m\nstart 3 --after 1h --word 0\nstart 3 --after 1h\nstart 4 --after 1h --word 0\n"
	# When 2 has expired, 1 was due.
	begin "setup --words 2\nstart 1 --after 20ms --word 0\ntouch 1 --after 1h\nstart 2 --after 40ms\nread 1\necho begun\nsleep 1h\n"
	try "stats of words" 0 "^  map-words  *2$" stats --pid $pid
	lines 1 "^  postponed  *[1-9]"
	try "... as JSON" 0 '"map_words":2,.*"postponed":[1-9]' stats --json \
		--pid $pid
	end
}

word_errors() {
	script "EBUSY of a word" 1 "start 2: EBUSY: word 0 belongs to another" \
		"setup --words 1\nstart 1 --after 1h --word 0\nstart 2 --after 1h --word 0\n"
	script "EBUSY after a touch" 1 "setup: EBUSY: .* the first touch" \
		"setup --words 1\ntouch --word 0\nsetup\n"
	script "EINVAL of a word" 1 "EINVAL: there is no word 2; this instance has 2" \
		"setup --words 2\nstart 1 --after 1h --word 2\n"
	script "EINVAL of a touch" 1 "touch: EINVAL: there is no word 2;" \
		"setup --words 2\ntouch --word 2\n"
	script "EINVAL where there are no words" 1 "EINVAL: .* has no words; setup" \
		"start 1 --after 1h --word 0\n"
	script "EINVAL of a touch where there are no words" 1 \
		"EINVAL: .* has no words; setup" "touch --word 0\n"
	script "EINVAL of a periodic timer" 1 "EINVAL: a periodic timer cannot" \
		"setup --words 1\nstart 1 --after 1h --every 1h --word 0\n"
	script "EINVAL of a number of words" 1 "EINVAL: 4294967295 words are more" \
		"setup --words 4294967295\n"
	script "touch of a timer without a word" 1 "EINVAL: timer 1 has no word;" \
		"setup --words 1\nstart 1 --after 1h\ntouch 1\n"
	script "touch of no timer" 1 "touch 1: ENOENT: there is no timer 1" \
		"setup --words 1\ntouch 1\n"
	max=/sys/module/twheel/parameters/max_user_words
	before=$(cat $max)
	echo 3 >$max
	script "ENOSPC of words" 1 "setup: ENOSPC: a limit on the number of words" \
		"setup --words 3\nsetup\nsetup --words 4\n"
	lines 1 ", 3 words$"
	echo "$before" >$max
}

once='setup --delivery at-least-once --lease 1h'

deliveries() {
	script "setup of a delivery" 0 \
		"^ .* at-least-once, lease 1h, dead after 3 attempts; dispatch by-id$" \
		"$once --max-attempts 3 --dispatch by-id\n"
	script "setup of a delivery, as JSON" 0 \
		'"delivery":"at-least-once","lease_ns":1000000000,"max_attempts":0,"dispatch":"round-robin","steal":true,"control":false}$' \
		"setup --delivery at-least-once --lease 1s --dispatch round-robin --steal\n" \
		--json
	script "ack" 0 "ack    1: acknowledged, now free$" \
		"$once\nstart 1 --at 0ns\nread 1\nack 1\nexpect ESTALE ack 1\nstats\n"
	lines 1 "expired 1 = delivered 1 .* in flight 0: balanced"
	script "ack of all that was read" 0 "ack    2 acknowledged$" \
		"$once\nstart 1 --at 0ns\nstart 2 --at 0ns\nread 2\nack\nack\n"
	lines 1 "ack    0 acknowledged$"
	script "ack of a periodic timer" 0 "ack    1: acknowledged, now armed$" \
		"$once\nstart 1 --at 0ns --every 1h\nread 1\nack 1\nstop 1\n"
	script "a delivery is in flight" 0 "get    1: delivered, " \
		"$once\nstart 1 --at 0ns\nread 1\nget 1\nlist\nstats\n"
	lines 1 "timer  1: delivered after 1 attempt, "
	lines 1 "list   1 timer$"
	lines 1 "in flight 1: balanced"
	script "reject" 0 "event  1: .*, attempt 2, " \
		"$once\nstart 1 --at 0ns\nread 1\nreject 1\nread 1\nack 1\n"
	lines 1 "reject 1: given back, now "
	script "a lease that runs out" 0 "event  1: .*, attempt 2, .*, reader 2$" \
		"$once\nreader\nstart 1 --at 0ns\nread 1\nextend 1 --lease 1ms\nread 1 --reader 2\nexpect ESTALE ack 1 --reader 1\nack 1\nstats\n"
	lines 1 "ack    1: acknowledged, now free$"
	lines 1 "redelivered 1, rejected 0, lapsed 1,"
	script "extend" 0 "extend 1: prolonged to 1h.*, now delivered$" \
		"setup --delivery at-least-once --lease 1m\nstart 1 --at 0ns\nread 1\nextend 1 --lease 1h\nextend 1\n"
	lines 1 "extend 1: prolonged to 1m.*, now delivered$"
	script "stop of a delivery" 0 "stopped, its expiry read, but not ack" \
		"$once\nstart 1 --at 0ns\nread 1\nstop 1\nexpect ESTALE ack 1\n"
	script "a token" 0 "acknowledged, now free" \
		"$once\nstart 1 --at 0ns\nread 1\nexpect ESTALE ack 1 --token 0\nack 1\n"
	script "a dead expiry" 0 "^ *[0-9.]* *dead   1 timer dead$" \
		"$once --max-attempts 1\nstart 1 --at 0ns\nread 1\nreject 1\ndead\nreader --dead\nread 1 --reader 2\nack 1\ndead\n"
	lines 1 "reject 1: given back, now dead$"
	lines 1 "timer  1: dead after 1 attempt, "
	lines 1 "dead   1: .*, dead after 1 attempt, .*, reader 2$"
	lines 1 "dead   0 timers dead$"
	script "reset of a dead expiry" 0 "running again, its expiry dead, " \
		"$once --max-attempts 1\nstart 1 --at 0ns\nread 1\nreject 1\nreset 1 --after 1h\n"
}

delivery_errors() {
	script "ESTALE" 1 "ack 7: ESTALE: this expiry of timer 7 is not in hand" \
		"$once\nack 7\n"
	script "ESTALE of another reader" 1 "ESTALE: reader 2 does not hold" \
		"$once\nreader\nstart 7 --at 0ns\nread 1\nack 7 --reader 2\n"
	script "ESTALE of one of all" 1 "ESTALE: too late for 1 of 2: " \
		"$once\nstart 1 --at 0ns\nstart 2 --at 0ns\nread 2\nstop 1\nack\n"
	script "ack where nothing is acknowledged" 1 "EINVAL: nothing is ack" \
		"start 7 --at 0ns\nread 1\nack 7\n"
	script "a dead reader where nothing is acknowledged" 1 \
		"EINVAL: nothing is ack" "reader --dead\n"
	script "extend by nothing" 1 "EINVAL: a lease of 0ns is not between 1ns" \
		"$once\nstart 7 --at 0ns\nread 1\nextend 7 --lease 0ns\n"
	while IFS='|' read -r options says; do
		script "setup $options" 1 "EINVAL: $says" "setup $options\n"
	done <<-END
		--lease 1s|--lease goes with
		--max-attempts 1|--max-attempts goes with
		--delivery at-least-once|--delivery at-least-once needs a --lease
		--delivery at-least-once --lease 0ns|a lease of 0ns is not between
		--delivery at-least-once --lease 8d|a lease of 8d is not between 1ns and 7d
		--delivery at-least-once --lease 1s --overflow drop-oldest|.* --overflow hold only
		--delivery at-least-once --lease 1s --dispatch broadcast|--dispatch broadcast goes with
		--dispatch broadcast|--dispatch broadcast needs --overflow
		--steal|--steal goes with
		--steal --dispatch by-id|--steal goes with
	END
}

readers() {
	script "a reader" 0 "reader reader 2$" \
		"reader\nstats --readers\nstats --reader 2\nclose 2\nexpect ENOENT stats --reader 2\n"
	lines 1 "stats  reader 1: "
	lines 2 "books  reader 2: expired 0 .* passed on 0: balanced$"
	lines 1 "close  reader 2 has left$"
	script "by ID, each reader has its own" 0 "event  3: .*, reader 2$" \
		"setup --dispatch by-id\nreader\nstart 2 --at 0ns\nstart 3 --at 0ns\nstart 4 --at 0ns\nread 1 --reader 2\nread 2\nread --reader 2\n"
	lines 2 "event  [24]: .*, reader 1$"
	script "broadcast, every reader gets each" 0 "event  1: .*, reader 1$" \
		"setup --dispatch broadcast --overflow drop-oldest\nreader\nstart 1 --at 0ns\nread 1\nread 1 --reader 2\nstats\n"
	lines 1 "event  1: .*, reader 2$"
	lines 1 "expired 2 = delivered 2 .* balanced"
	script "a reader that leaves gives back what it had" 0 "attempt 2, " \
		"$once\nreader\nstart 1 --at 0ns\nread 1 --reader 2\nclose 2\nread 1\nack\n"
	script "drain takes what is ready for all" 0 "drain  4 events$" \
		"setup --dispatch round-robin\nreader\nstart 1 --at 0ns\nstart 2 --at 0ns\nstart 3 --at 0ns\nstart 4 --at 0ns\nsleep 100ms\ndrain\n"
	script "drain of a few" 0 "drain  1 event, and there are more$" \
		"start 1 --at 0ns\nstart 2 --at 0ns\nsleep 100ms\ndrain 1\ndrain\n"
	script "an idle reader steals" 0 "stats  reader 1: .* stolen [1-9]" \
		"setup --dispatch round-robin --steal\nreader\nstart 1 --at 0ns\nstart 2 --at 0ns\nstart 3 --at 0ns\nstart 4 --at 0ns\nread 3\nstats --readers\n"
	lines 1 "books  reader 2: .* passed on [1-9][0-9]*: balanced$"
	script "shutdown" 0 "of 2 timers, 1 will not expire any more, 1 wait" \
		"start 1 --at 0ns\nstart 2 --after 1h\nsleep 100ms\nshutdown\nread 1\nread\nexpect ESHUTDOWN read 1\nexpect ESHUTDOWN start 3 --after 1s\nlist\nstats\n"
	lines 1 "no event, and the end: the instance was shut down$"
	lines 1 "timer  2: armed"
	lines 1 "stolen 0; shut down$"
	script "the end comes before all were read" 1 \
		"ESHUTDOWN: 0 of 1 events came before the end" "shutdown\nread 1\n"
	script "control is not a reader" 1 "EINVAL: this descriptor is not a" \
		"setup --control\nread\n"
	script "control, and a reader" 0 "event  1: " \
		"setup --control\nstart 1 --at 0ns\nexpect EINVAL read\nreader\necho\nread 1 --reader 2\n"
	script "a reader that is not there" 1 "ENOENT: this script has no reader 9" \
		"read --reader 9\n"
	script "close of the script's own" 1 "EINVAL: reader 1 is the descriptor" \
		"close 1\n"
	script "stats of no reader" 1 "ENOENT: there is no reader 9" \
		"stats --reader 9\n"
	script "EBUSY after a reader" 1 "EBUSY: .* first reader" "reader\nsetup\n"
	script "too many readers" 1 "ENOSPC: the instance has as many readers .* 64;" \
		"$(printf 'reader\\n%.0s' $(seq 64))"
	lines 63 "reader reader "
}

delivery_demo() {
	demo=$(dirname "$0")/delivery.tw
	try "the script that shows all of it" 0 "lapsed 1," run "$demo"
	lines 4 "ESTALE as expected\|ESHUTDOWN as expected"
	lines 1 "expired 9 = delivered 7 + withdrawn 2 .* waiting 0 + in flight 0: bal"
	lines 4 ": balanced$"
}

# 20 one-shot timers of which every ID is divisible by 10
twenty() {
	seq 10 10 200 | sed 's/.*/start & --at 0ns/'
}

group() {
	{ echo "$once"; twenty; } >"$dir/script"
	try "watch --group --ack" 0 "no timer is left; events 20, .* again 0, acknowledged 20, too late 0" \
		watch --group 3 --ack "$dir/script"
	lines 3 "join   reader [0-9]* is process"
	lines 20 "event  [0-9]*0: .*, reader [1-9]"
	lines 4 ": balanced$"
	lines 20 "event  .* reader [234]$"
	lines 1 "^ *[0-9.]* *books  expired 20 = delivered 20 "
	try "watch --group, as JSON" 0 '^{"type":"summary",.*"acknowledged":20,' \
		watch --group 2 --ack --json "$dir/script"
	lines 2 '^{"type":"member_end",'
	lines 20 '^{"type":"event",.*,"reader":[1-9]'

	{ echo 'setup --dispatch by-id'; twenty; } >"$dir/script"
	try "watch --group --count" 0 "count reached; events 7," watch \
		--group 2 --count 7 "$dir/script"
	lines 7 "event  "

	printf '%s\n' 'setup --delivery at-least-once --lease 10ms --max-attempts 3' \
		'start 7 --at 0ns' >"$dir/script"
	try "watch --group without --ack" 0 "no timer is left; events 3, .* again 2, acknowledged 0," \
		watch --group 2 "$dir/script"
	lines 1 "event  7: .*, attempt 2, "
	lines 1 "event  7: .*, attempt 3, "
	lines 1 "timer  7: dead after 3 attempts, "
	lines 1 "books  expired 1 = delivered 0 .* dead 1 .* balanced"

	try "watch without --ack" 0 "no timer is left; events 3, .* again 2, acknowledged 0," \
		watch "$dir/script"
	printf '%s\n' "$once" 'start 7 --at 0ns' >"$dir/script"
	try "watch --ack" 0 "no timer is left; events 1, .* again 0, acknowledged 1," \
		watch --ack "$dir/script"
	echo "setup --control" >"$dir/script"
	try "watch of control" 1 "watch with --group" watch "$dir/script"
	: >"$dir/script"
	try "watch --ack where nothing is acknowledged" 2 "has to say setup" \
		watch --ack "$dir/script"
	printf '%s\n' 'start 1 --at 0ns' 'start 2 --after 1h' 'shutdown' \
		>"$dir/script"
	try "watch --group of what was shut down" 1 "no reader can join" watch \
		--group 2 "$dir/script"
	try "watch of what was shut down" 0 "the instance was shut down; events 1," \
		watch "$dir/script"
}

# The process of the reader that has printed a line with this pattern.
process_of() {
	reader=$(sed -n "s/.*$1.* reader \([0-9]*\)$/\1/p" "$dir/out" | head -n 1)
	sed -n "s/.*join   reader $reader is process //p" "$dir/out"
}

# Waits until the output of $pid has all lines of these patterns.
wait_for() {
	for pattern in "$@"; do
		while ! grep -q -e "$pattern" "$dir/out"; do
			kill -0 $pid || return
			sleep 0.1
		done
	done
}

group_signals() {
	printf '%s\n' 'setup --dispatch broadcast --overflow drop-oldest' \
		'start 1 --after 20ms --every 20ms' >"$dir/script"
	: >"$dir/out"
	"$twheel" watch --group 2 "$dir/script" >"$dir/out" 2>"$dir/err" &
	pid=$!
	wait_for "event .* reader 2$" "event .* reader 3$"
	kill -INT $pid
	wait $pid
	report $? "watch --group of a broadcast: each reader gets events"
	lines 3 ": balanced$"

	echo 'start 1 --after 20ms --every 20ms' >"$dir/script"
	: >"$dir/out"
	"$twheel" watch --group 3 "$dir/script" >"$dir/out" 2>"$dir/err" &
	pid=$!
	wait_for "event"
	kill -INT $pid
	wait $pid
	report $? "watch --group ends with 0 at an interrupt"
	lines 1 "end    interrupted; "
	lines 4 ": balanced$"
	try "... and leaves no process behind" 0 "no process that could" stats

	: >"$dir/out"
	"$twheel" watch --group 2 "$dir/script" >"$dir/out" 2>"$dir/err" &
	pid=$!
	wait_for "event"
	kill -KILL $pid
	wait $pid
	until "$twheel" stats 2>&1 | grep -q "no process that could"; do
		sleep 0.1
	done
	report 0 "watch --group that is killed takes its readers along"
	"$twheel" watch --group 2 "$dir/script" 2>"$dir/err" | head -n 1 \
		>"$dir/out"
	! [ -s "$dir/err" ]
	report $? "watch --group ends quietly when nobody reads its output"
	try "... and leaves no process behind" 0 "no process that could" stats

	printf '%s\n' "$once" 'start 7 --at 0ns' >"$dir/script"
	: >"$dir/out"
	"$twheel" watch --group 2 --for 1m --count 2 "$dir/script" \
		>"$dir/out" 2>"$dir/err" &
	pid=$!
	wait_for "event"
	kill -KILL "$(process_of "event  7: ")"
	wait $pid
	report $? "a reader of a group that is killed"
	lines 1 "end    reader .*; killed by SIGKILL$"
	lines 1 "event  7: .*, attempt 2, "
	lines 1 "count reached; events 2, .* again 1,"
	lines 2 ": balanced$"
}

dead() {
	begin "$once --max-attempts 1\nreader\nstart 1 --at 0ns --data 42\nstart 2 --at 0ns\nstart 3 --at 0ns\nread 3\nreject\necho begun\nsleep 1h\n"
	try "stats of a reader" 0 "^  reader-books  *balanced$" stats --pid $pid
	lines 2 "^  delivery  *at-least-once$"
	lines 2 "^  dead  *3$"
	lines 2 "^  reader-in-flight  *0$"
	try "stats of a reader, as JSON" 0 '"reader_balanced":true}$' stats --json
	lines 2 '"in_flight":0,.*"rejected":3,.*"reader_passed_on":'
	fd=$(sed -n 's/.*"fd":\([0-9]*\),.*/\1/p' "$dir/out" | head -n 1)

	try "dead" 0 "^process $pid (twheel.*), descriptor $fd$" dead
	lines 6 "timer  [123]: dead after 1 attempt, .* data "
	try "dead as JSON" 0 '^{"type":"timer","id":1,"state":"dead","attempt":1,' \
		dead --json --pid $pid --fd "$fd"
	lines 3 '^{"type":"timer",'
	try "dead read" 0 "dead   1: .* data 42, dead after 1 attempt, " \
		dead read --pid $pid --fd "$fd" 1
	lines 1 "dead   [123]: "
	try "dead discard" 0 "dead   1: " dead discard --pid $pid --fd "$fd" 1
	lines 1 "dead   [123]: "
	try "dead revive" 0 "reset  2: running again, its expiry dead, .* due at" \
		dead revive --pid $pid --after 1h 2
	try "dead revive of what is not dead" 1 "has no dead timer 2, or no longer" \
		dead revive --pid $pid 2
	try "... the others are dead still" 0 "timer  3: dead" dead --fd "$fd" \
		--pid $pid
	lines 1 "timer  "
	try "dead discard --all" 0 "dead   3: " dead discard --pid $pid --all
	try "... and all are gone" 0 "^  dead  *0$" stats --pid $pid --fd "$fd"
	lines 1 "^  armed  *1$"
	lines 1 "^  delivered  *2$"
	try "dead of a process without" 1 "process 1 does not have" dead --pid 1
	end
}

timers
errors
watch
stats
words
words_shown
word_errors
deliveries
delivery_errors
readers
delivery_demo
group
group_signals
dead
finish
