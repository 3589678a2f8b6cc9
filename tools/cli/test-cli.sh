#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the command where no device is needed: usage, scripts with mistakes,
# a device that is missing.  Prints TAP.
#
# Usage: test-cli.sh [PATH-OF-TWHEEL]

twheel=${1:-./twheel}
# shellcheck source=tools/scripts/tap.sh
. "$(dirname "$0")/../scripts/tap.sh"
missing=$dir/no-such-device

matches() {
	[ -z "$1" ] || grep -q -e "$1"
}

# try NAME STATUS PATTERN ARGUMENT...: the output, of either kind, has a line
# with the basic regular expression PATTERN, if that is not empty.  Standard input goes through.
try() {
	name=$1 status=$2 pattern=$3
	shift 3
	"$twheel" "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ $got -eq "$status" ] || echo "status $got, not $status" >>"$dir/err"
	[ $got -eq "$status" ] && cat "$dir/out" "$dir/err" | matches "$pattern"
	report $? "$name"
}

# script NAME STATUS PATTERN TEXT [OPTION...]: runs TEXT without a device.
script() {
	name=$1 status=$2 pattern=$3
	printf '%b' "$4" >"$dir/script"
	shift 4
	try "$name" "$status" "$pattern" run --device "$missing" "$@" \
		"$dir/script" </dev/null
}

usage() {
	try "no command" 2 "command is missing"
	try "unknown command" 2 "'frob' is not a command" frob
	try "unknown option" 2 "unrecognized option '--frob'" --frob
	try "unknown option of a command" 2 "Try 'twheel run --help'" run --frob x
	try "help" 0 "^Exit status:" --help
	for command in run watch stats dead info; do
		try "help of $command" 0 "^Usage: twheel $command" $command --help
	done
	try "version" 0 "^twheel [0-9]" --version
	try "run without a script" 2 "takes one SCRIPT" run
	try "run of two scripts" 2 "takes one SCRIPT" run a b
	try "run of a script that is not there" 2 "No such file" run "$dir/none"
	try "run of a directory" 2 "Is a directory" run "$dir"
	try "watch --for without a unit" 2 "10 what? write 10ms" watch --for 10 -
	try "watch --count of no number" 2 "'x' is not a number" watch --count x -
	try "watch --group of none" 2 "a group of 0 is not between 1 and 64" \
		watch --group 0 -
	try "watch --group of too many" 2 "a group of 65 is not" watch \
		--group 65 -
	try "watch --group of no number" 2 "'x' is not a number" watch --group x -
	try "stats --fd without --pid" 2 "needs --pid" stats --fd 3
	try "stats --pid of no number" 2 "'x' is not the number" stats --pid x
	try "stats --pid of nothing" 2 "'' is not the number" stats --pid ""
	try "dead with another action" 2 "'bury' is not an action" dead bury
	try "dead --fd without --pid" 2 "needs --pid" dead --fd 3
	try "dead list of an ID" 2 "list takes neither" dead list 7
	try "dead read of any process" 2 "needs the process" dead read --all
	try "dead revive of nothing" 2 "needs either" dead revive --pid 1
	try "dead revive of some and all" 2 "needs either" dead revive \
		--pid 1 --all 7
	try "dead discard of no number" 2 "'x' is not a number" dead discard \
		--pid 1 x
	try "dead discard --after" 2 "goes with revive" dead discard --pid 1 \
		--after 1s 7
	try "dead revive --after without a unit" 2 "10 what?" dead revive \
		--pid 1 --after 10 7
	try "info with an argument" 2 "takes no argument" info x
}

device() {
	for command in info stats dead; do
		try "$command without the device" 3 "insmod" $command \
			--device "$missing"
		try "$command of another device" 3 "not a twheel device" \
			$command --device "$dir"
	done
	try "info of /dev/null" 3 "not a twheel device" --device /dev/null info
	script "run without the device" 3 "insmod" "start 1 --after 1s\n"
	try "watch without the device" 3 "insmod" watch --device "$missing" \
		/dev/null
	try "stats of a process that is not there" 1 "no process 2147483647" \
		stats --device /dev/null --pid 2147483647
	try "dead of a process that is not there" 1 "no process 2147483647" \
		dead --device /dev/null --pid 2147483647
	try "stats of a descriptor of another kind" 1 "is not an open" \
		stats --device /dev/tty --pid $$ --fd 0
}

scripts() {
	script "empty script" 0 "" ""
	script "only comments" 0 "" "# one\n\n  # two"
	script "echo" 0 "^a  # b$" "echo a  # b\n"
	script "no newline at the end" 0 "^last$" "echo last"
	script "carriage returns" 0 "^dos$" "echo dos\r\n\r\n"
	script "mistake: file and line" 2 "script:3: at 'frob': not an op" \
		"# 1\n\nfrob 7\n"
	script "mistake: what was expected" 2 "  expected: stop ID" "stop\n"
	script "mistake: nothing was done before" 2 "script:2:" "echo a\nstop x\n"
	grep -q '^a$' "$dir/out"
	report $((! $?)) "mistake: no output of the lines before it"
	script "all mistakes are reported" 2 "script:3: at '9'" \
		"stop x\necho a\nsleep 9\n"
	grep -q "script:1: at 'x'" "$dir/err"
	report $? "all mistakes are reported: the first as well"
	script "keep-going carries out the others" 2 "^after$" \
		"frob\necho after\n" --keep-going
	script "an error is JSON too" 2 \
		'^{"type":"error",.*"line":1,"word":"a\\"b\\\\\\\\",' \
		'stop a"b\\\\\n' --json
	script "echo is JSON" 0 '^{"type":"echo","line":1,.*"text":"\\"a"}$' \
		'echo "a\n' --json
	script "NUL byte" 2 "NUL byte" 'echo a\000b\n'
	long=$(printf '%05000d' 0)
	script "long line" 2 "script:2: the line is longer than" "\necho $long\n"
	script "line of the largest length" 0 "" "echo $(printf '%04089d' 0)\n"
	script "sleep takes its time" 0 "^b$" "sleep 20ms\necho b\n"
	script "touch of nothing" 2 "  expected: touch ID|--word N " "touch\n"
	script "expect of a success" 1 "although it was to fail" \
		"expect ENOENT echo a\n"
}

streams() {
	printf 'echo a\nstop x\necho c\n' >"$dir/script"
	mkfifo "$dir/in"
	cat "$dir/script" >"$dir/in" &
	try "a pipe is carried out line by line" 2 "^a$" run - <"$dir/in"
	try "a file as standard input is looked at first" 2 ":2: at 'x'" run - \
		<"$dir/script"
	grep -q '^a$' "$dir/out"
	report $((! $?)) "a file as standard input: nothing was done"
	try "closed standard input" 2 "Bad file descriptor" run - <&-

	echo 'echo a' >"$dir/script"
	"$twheel" run "$dir/script" >/dev/full 2>"$dir/err"
	[ $? -eq 1 ] && grep -q "No space left" "$dir/err"
	report $? "full output device"
	"$twheel" run "$dir/script" >&- 2>"$dir/err"
	[ $? -eq 1 ] && grep -q "Bad file descriptor" "$dir/err"
	report $? "closed standard output"
}

# What status did the background job end with?  (A job of a shell without job
# control ignores SIGINT unless it catches it, which twheel does.)
signals() {
	printf 'echo a\nsleep 1h\n' >"$dir/script"
	for signal in INT:130 TERM:143; do
		"$twheel" run "$dir/script" >"$dir/out" 2>"$dir/err" &
		while ! grep -q a "$dir/out"; do sleep 0.02; done
		kill -${signal%:*} $!
		wait $!
		[ $? -eq ${signal#*:} ]
		report $? "SIG${signal%:*} ends a sleep with status ${signal#*:}"
	done

	mkfifo "$dir/fifo"
	"$twheel" run "$dir/script" >"$dir/fifo" 2>"$dir/err" &
	head -n 1 "$dir/fifo" >"$dir/out"
	wait $!
	[ $? -eq 1 ] && [ ! -s "$dir/err" ]
	report $? "a reader that goes away ends a sleep, quietly"
}

usage
device
scripts
streams
signals
finish
