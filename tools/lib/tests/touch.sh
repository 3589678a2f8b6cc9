#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tools/lib/tests/touch.sh: what twheel_touch() is in machine code; TAP.
#
# The point of timers with a word is that a reset of one costs next to nothing. That is a
# property of the code and not of the machine, so instructions are counted: time would tell
# more about whatever else runs. And no test that calls it would notice that it has become a
# call of something else.
set -u

lib=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/scripts/tap.sh
. "$lib/../scripts/tap.sh"
most=10

# As a server would have it: the word of a connection, in an array.
cat >"$dir/touch.c" <<'END'
#include <twheel_map.h>

void touch(uint64_t *words, uint32_t word, uint64_t now_ns);

void touch(uint64_t *words, uint32_t word, uint64_t now_ns)
{
	twheel_touch(&words[word], now_ns);
}
END

# Mnemonics, one a line: of the whole function, with its return.
instructions() {
	"${CC:-gcc}" -std=gnu11 -O2 -I"$lib" -I"$lib/../../include/uapi" -c -o "$dir/touch.o" \
		"$dir/touch.c" &&
		objdump -d --no-show-raw-insn "$dir/touch.o" |
		awk '/^ +[0-9a-f]+:/ { print $2 }'
}

instructions >"$dir/instructions" 2>"$dir/err"
count=$(wc -l <"$dir/instructions")
cp "$dir/instructions" "$dir/out"

[ "$count" -gt 0 ] && [ "$count" -le $most ]
report $? "twheel_touch() in $count instructions with -O2, at most $most"

# No way out of the function but its return: of x86, and of ARM.
[ "$count" -gt 0 ] && [ -z "$(nm -u "$dir/touch.o")" ] &&
	! grep -E '^(call|jmp|syscall|sysenter|int|svc|bl)' "$dir/instructions"
report $? "twheel_touch() calls nothing, the kernel least of all"
finish
