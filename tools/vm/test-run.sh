#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
set -eu
. "$(dirname "$0")/common.sh"

# tools/vm/test-run.sh [stock|debug|kcsan]...: does tools/vm/run take a failure for a success,
# or lose output? Prints TAP.

work=$(mktemp -d "${TMPDIR:-/tmp}/twheel-test-run.XXXXXX")
trap 'rm -rf "$work"' EXIT
bad=0

# $1: the kernel. The module is built apart, so that it never gets into a normal run.
build_faulty() {
	mkdir -p "$work/$1"
	cp "$top"/tools/vm/faulty/* "$work/$1"
	make -s -C "$("$top/tools/vm/kernel" "$1" kdir)" M="$work/$1" --no-print-directory \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules >&2
}

# $1: exit status wanted, $2: text wanted in output or messages, $3: what is tested;
# the rest is for tools/vm/run, on kernel $kernel.
expect() {
	local want=$1 text=$2 name="vm/$kernel: $3" got=0

	shift 3
	"$top/tools/vm/run" --kernel "$kernel" --modules "$work/$kernel" --smp 1 "$@" \
		>"$work/out" 2>"$work/err" || got=$?
	if [ "$got" = "$want" ] && grep -aqF -- "$text" "$work/out" "$work/err"; then
		echo "ok $name"
		return
	fi
	bad=1
	echo "not ok $name"
	echo "# exit status $got, wanted $want with '$text'; output and messages:"
	tail -n 20 "$work/out" "$work/err" | tr -d '\0' | sed 's/^/# /'
}

# A program with a shared library where no linker looks by itself.
build_dynamic() {
	deps build
	echo '#include <stdio.h>
int status(void) { return puts("in a library") < 0 ? 1 : 43; }' |
		gcc -shared -fPIC -x c -o "$work/libstatus.so" -
	echo 'int status(void); int main(void) { return status(); }' |
		gcc -x c -o "$work/dynamic" - -L"$work" -lstatus
}

load_faulty() {
	echo "insmod /lib/twheel/faulty.ko fault=$1; sleep 1; echo survived"
}

# Stands in for QEMU: does not boot, as often as is written in a file.
build_stuck() {
	mkdir -p "$work/bin"
	cat >"$work/bin/qemu-system-x86_64" <<-END
		#!/bin/bash
		read -r left <"$work/left"
		echo \$((left - 1)) >"$work/left"
		[ "\$left" -gt 0 ] || exec $(command -v qemu-system-x86_64) "\$@"
		exec sleep 1000
	END
	chmod +x "$work/bin/qemu-system-x86_64"
}

test_boot() {
	local normal=$PATH

	build_stuck
	PATH=$work/bin:$PATH
	echo 2 >"$work/left"
	expect 126 'did not come up' 'a kernel that does not come up fails' --boot-timeout 1 -- true
	echo 1 >"$work/left"
	expect 41 'once more' 'a kernel that comes up the second time passes' --boot-timeout 30 \
		-- sh -c 'exit 41'
	PATH=$normal
}

test_stock() {
	head -c 300000 /dev/urandom >"$work/random"
	expect 42 '' 'exit status and binary output pass through' \
		--add "$work/random" -- sh -c 'cat random; exit 42'
	if cmp -s "$work/random" "$work/out"; then
		echo "ok vm/$kernel: output is exact"
	else
		bad=1
		echo "not ok vm/$kernel: output is exact"
	fi
	test_boot
	build_dynamic
	LD_LIBRARY_PATH=$work expect 43 'in a library' 'shared libraries are found wherever they are' \
		-- "$work/dynamic"
	expect 125 'no command of the guest' 'a command that does not exist is named' -- nonesuch
	# shellcheck disable=SC2016 # for the guest's shell
	expect 126 'without a verdict' 'a guest that resets early after printing a verdict fails' \
		-- sh -c 'for tty in 0 1 2; do echo "exit 0" >/dev/ttyS$tty; done; reboot -f'
	expect 124 'timed out' 'a hang fails' --timeout 12 -- sh -c 'sleep 1000'
	expect 127 'sysrq' 'a crash fails' -- sh -c 'echo c >/proc/sysrq-trigger; sleep 9; exit 0'
	expect 127 'WARNING' 'a warning fails' -- sh -c "$(load_faulty warn)"
	expect 127 'rmmod failed' 'a module that stays in use fails' -- sh -c "$(load_faulty hold)"
}

test_debug() {
	# that a clean run passes is seen by every other test
	expect 127 'sleeping' 'sleeping in atomic context fails' --no-leak-scan \
		-- sh -c "$(load_faulty atomic)"
	expect 127 'KASAN' 'an out-of-bounds write fails' -- sh -c "$(load_faulty overrun)"
	expect 127 'objects were leaked' 'a leak fails' -- sh -c "$(load_faulty leak)"
}

test_kcsan() {
	expect 127 'KCSAN: data-race' 'a data race fails' --smp 2 -- sh -c "$(load_faulty race)"
}

for kernel in "${@:-stock}"; do
	build_faulty "$kernel"
	"test_$kernel"
done
exit $bad
