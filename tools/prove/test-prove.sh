#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
set -eu

# tools/prove/test-prove.sh: does the proof of wheel_geom.h fail when the header is wrong?
# Prints TAP.

cd "$(dirname "$0")"
build=$(mktemp -d "${TMPDIR:-/tmp}/twheel-prove.XXXXXX")
trap 'rm -rf "$build"' EXIT
status=0

# $1: what is broken, $2: how.
check() {
	make -s check geometries='2-3 3-2' BUILD="$build/$1" MUTATION="$2" >"$build/log" 2>&1 || true
}

noticed() {
	check "$1" "$2"
	if cmp -s "$build/whole/2-3/wheel_geom.h" "$build/$1/2-3/wheel_geom.h"; then
		echo "not ok $1: '$2' changes nothing in module/wheel_geom.h"
	elif grep -q '^not ok' "$build/log"; then
		echo "ok $1 is noticed"
		return
	else
		echo "not ok $1 is not noticed"
	fi
	status=1
}

check whole ''
noticed level-too-high 's/fits(clk, expires, level - 1)/fits(clk, expires + 1, level - 1)/'
noticed level-too-low 's/level + 1) <= 1;/level + 1) <= 2;/'
noticed horizon-too-far 's/((clk >> shift) + 2)/((clk >> shift) + 3)/'
noticed ring-too-small 's/(2U << TWHEEL_LEVEL_BITS)/(1U << TWHEEL_LEVEL_BITS)/'
noticed share-too-small 's/(count, (u32)left)/(count, (u32)left + 1)/'
noticed share-too-late 's/TWHEEL_MIGRATE_STEPS) < left/TWHEEL_MIGRATE_STEPS) < left + 1/'
noticed start-too-early 's/- min(lead, /- min(lead + 1, /'
noticed rest-too-short 's/(period - !!level)/(period - 3 * !!level)/'
exit "$status"
