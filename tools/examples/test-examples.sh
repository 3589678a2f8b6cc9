#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the examples with the module loaded, and judges what they print; TAP. They are in
# the directory of this script, with tap.sh. TWHEEL_TEST_SCALE, in percent, is for a slow
# kernel.

here=$(dirname "$0")
# shellcheck source=tools/scripts/tap.sh
. "$here/tap.sh"
scale=${TWHEEL_TEST_SCALE:-100}
timers=$((1000 * scale))

# run NAME STATUS EXAMPLE ARGUMENT...
run() {
	name=$1 status=$2 example=$3
	shift 3
	"$here/$example" "$@" >"$dir/out" 2>&1
	got=$?
	[ $got -eq "$status" ] || echo "status $got, not $status" >>"$dir/out"
	[ $got -eq "$status" ]
	report $? "$name"
}

# The output of the last one has so many lines with a pattern.
lines() {
	[ "$(grep -c -e "$2" "$dir/out")" -eq "$1" ]
	report $? "... lines with $2: $1"
}

# The rounds that it reports add up to its last line.
missed_add_up() {
	awk '/^round/ { sum += $3 } END { exit !($1 == NR - 1 && $3 == sum && sum >= 3) }' "$dir/out"
	report $? "... what it missed adds up"
}

# Jobs from 1 to $1 are all there, whoever did them.
each_job_once() {
	[ "$(awk '/^job/ { print $2 }' "$dir/out" | sort -u | wc -l)" -eq "$1" ]
	report $? "... each of $1 jobs"
}

# $1 clients were all seen off, at most each eighth by itself. Who has spoken twice has had
# its timer postponed.
all_seen_off() {
	awk -v clients="$1" '/closed$/ { closed++; spoke += $5 > 1 }
		/postponed$/ { spoke = $7 < spoke ? 1 : 0 }
		/connections:/ { good = $1 == clients && $3 == closed && $3 + $7 == clients }
		END { exit !(good && !spoke && closed >= clients - clients / 8) }' "$dir/out"
	report $? "... each of $1 clients was seen off"
}

for example in echo-server idle-timeouts periodic batch-restart worker-pool; do
	run "$example --help" 0 $example --help
	lines 1 "^usage: .*$example"
done

run "idle connections are closed" 0 idle-timeouts
for number in 0 1 2 3; do
	lines 1 "^connection $number: idle after .* messages, closed$"
done

run "an echo server closes idle connections" 0 echo-server
lines 1 "^[0-9]* messages, 0 resets by call, [0-9]* times postponed$"
all_seen_off 32
run "an echo server with 400 clients" 0 echo-server 400
all_seen_off 400
run "an echo server with too many clients" 1 echo-server 401
lines 1 "401: not a number of clients, 1 to 400"
run "an echo server without clients" 1 echo-server 0
lines 1 "0: not a number of clients"

run "periodic work" 0 periodic
lines 12 "^round [0-9]*: [0-9]* missed$"
missed_add_up
run "periodic work with arguments" 0 periodic 5 30
lines 5 "^round"
run "a period shorter than a tick" 1 periodic 1 1
lines 1 "Invalid argument"
run "a period of 0" 1 periodic 1 0
lines 1 "0: not a period in ms"

run "restart of $timers timers" 0 batch-restart "$timers"
lines 1 "^restarted $timers timers in [0-9.]* ms, [0-9]* ns each$"
lines 1 "^$timers timers are running, $timers resets$"
run "restart of what is not a number" 1 batch-restart x
lines 1 "x: not a number of timers"

run "a pool that loses a worker" 0 worker-pool 50
lines 50 "^job [0-9]*: done by worker [1-4], attempt [12]$"
each_job_once 50
lines 1 "^job 25: done by worker [1-4], attempt 2$"
lines 1 ", attempt 2$"
lines 1 "^worker [1-4] was killed$"
lines 1 "^50 jobs acknowledged, 1 delivered again, 0 dead, workers killed: 1$"
run "a pool for one job" 0 worker-pool 1
lines 1 "^job 1: done by worker [1-4], attempt 2$"
lines 1 "^1 jobs acknowledged, 1 delivered again, 0 dead, workers killed: 1$"
run "a pool for what is not a number" 1 worker-pool x
lines 1 "x: not a number of jobs"

finish
