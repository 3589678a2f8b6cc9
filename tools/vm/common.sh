# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the scripts beside it.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${HOME:=$(getent passwd "$(id -u)" | cut -d: -f6)}"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/twheel
me=${0##*/}

say() {
	echo "$me: $*" >&2
}

# What went wrong; $1 is the exit status.
die() {
	local status=$1

	shift
	say "$*"
	exit "$status"
}

deps() {
	"$top/tools/scripts/deps" "$@" || exit 125
}

package_version() {
	# shellcheck disable=SC2016 # the braces are dpkg's
	dpkg-query -W -f '${Version}' "$1"
}

# A make above us (make -j) has nothing to say to the ones that we start.
unset MAKEFLAGS MFLAGS MAKELEVEL
