# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# For scripts that print TAP, which source it: a directory $dir for the time of the script,
# and what ends a test and the script.

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tests=0
failures=0

# report STATUS NAME: a test has passed if STATUS is 0. If not, $dir/out and $dir/err, as far
# as there are any, tell more.
report() {
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests - $2"
		return
	fi
	failures=$((failures + 1))
	echo "not ok $tests - $2"
	cat "$dir/out" "$dir/err" 2>/dev/null | sed 's/^/# /'
}

# The last command: its status is that of the script.
finish() {
	echo "1..$tests"
	[ $failures -eq 0 ]
}
