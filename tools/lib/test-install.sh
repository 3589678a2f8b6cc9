#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tools/lib/test-install.sh: installs into an empty directory, and uses what is there as a
# program elsewhere would: through pkg-config and nothing else. TAP.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/scripts/tap.sh
. "$top/tools/scripts/tap.sh"
root=$dir/root
prefix=$root/usr/local

# $1: name; the rest has to succeed. Its output is shown if it does not.
try() {
	local name=$1

	shift
	"$@" >"$dir/out" 2>&1
	report $? "$name"
}

install_all() {
	make -s -C "$top" install DESTDIR="$root"
}

# Otherwise library, command and pages would end up in a directory each.
refuses_relative() {
	! make -s -C "$top" install "$1=some/where" >"$dir/said" 2>&1 &&
		grep 'write the whole path' "$dir/said" &&
		! find "$top" -path '*some/where' | grep .
}

# Nothing but what is listed and man pages.
installed_files() {
	diff <(cd "$prefix" && find . ! -type d ! -path './share/man/*' | sort) - <<'END'
./bin/twheel
./include/linux/twheel.h
./include/twheel.h
./include/twheel_dispatcher.h
./include/twheel_map.h
./include/twheel_reader.h
./lib/libtwheel.a
./lib/libtwheel.so
./lib/libtwheel.so.0
./lib/libtwheel.so.0.3.0
./lib/pkgconfig/libtwheel.pc
END
}

# What the headers declare, one a line.
functions_of_headers() {
	echo '#include <twheel_map.h>' | gcc -E -P -I"$prefix/include" -x c - |
		grep -oE '\btwheel_[a-z_]+ ?\(' | tr -d ' (' | sort -u
}

inline_functions() {
	sed -n 's/^static inline .*\(twheel_[a-z_]*\)(.*/\1/p' "$prefix"/include/twheel*.h | sort
}

# What is to be found in the library.
functions_of_library() {
	comm -23 <(functions_of_headers) <(inline_functions)
}

# The comment above each of them.
every_function_tells_about_threads() {
	awk -v RS='[*]/' '{ gsub(/[ *\n]+/, " ") }
		/\/ twheel_/ && !/Thread-safe|One thread at a time|Threads may/ { print; bad = 1 }
		END { exit bad }' "$prefix"/include/twheel*.h
}

symbols() {
	nm -D --defined-only "$prefix/lib/libtwheel.so" | awk '$2 != "A" { print $3 }' | sort
}

exports_what_the_headers_declare() {
	[ "$(functions_of_library | wc -l)" -gt 30 ] &&
		diff <(functions_of_library) <(symbols | sed -n 's/@@.*//p')
}

every_symbol_has_a_version() {
	! symbols | grep -Ev '@@?LIBTWHEEL_0\.[123]$'
}

soname() {
	readelf -d "$prefix/lib/libtwheel.so" | grep 'SONAME.*\[libtwheel\.so\.0\]'
}

# There, what the files share has to be global, and must not clash with a program's names.
static_library_has_no_other_names() {
	! nm -g --defined-only "$prefix/lib/libtwheel.a" | awk 'NF == 3 { print $3 }' |
		grep -v '^twheel_'
}

no_variables() {
	! nm "$prefix/lib/libtwheel.a" | grep -E ' [BbCDdGgSs] '
}

# ---- programs

pkg_config() {
	PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig pkg-config "$@" libtwheel
}

strict=(-Wall -Wextra -Wpedantic -Werror)

# Refers to every function, and calls some that need no device. <twheel_map.h> wants POSIX.
write_program() {
	{
		echo '#include <twheel_map.h>'
		echo '#include <errno.h>'
		echo 'typedef void (*function)(void);'
		echo 'function all[] = {'
		functions_of_headers | sed 's/.*/\t(function)&,/'
		echo '};'
		cat <<'END'
int main(void)
{
	struct twheel_batch *batch;
	static struct twheel_setup setup;

	if (twheel_open(-1) != -EINVAL || twheel_setup(-1, &setup, sizeof(setup)) != -EBADF)
		return 1;
	if (twheel_batch_new(&batch, 1) || twheel_batch_stop(batch, 1) != 0)
		return 2;
	twheel_batch_free(batch);
	return !all[0];
}
END
	} >"$dir/program.c"
	cp "$dir/program.c" "$dir/program.cc"
}

# -Wcast-function-type is for a cast that is called; these are not.
# shellcheck disable=SC2046 # pkg-config's words
build_c() {
	gcc -std=c11 -D_POSIX_C_SOURCE=200809L "${strict[@]}" -Wno-cast-function-type -MD -o "$dir/program" "$dir/program.c" \
		"${@:2}" $(pkg_config "$1" --cflags --libs) && check_program
}

# shellcheck disable=SC2046
build_cxx() {
	g++ -std=c++17 "${strict[@]}" -Wno-cast-function-type -MD -o "$dir/program" \
		"$dir/program.cc" "${@:2}" $(pkg_config "$1" --cflags --libs) && check_program
}

# Nothing of POSIX is needed before there are words.
header_alone() {
	echo '#include <twheel.h>' | gcc -std=c11 "${strict[@]}" -fsyntax-only -x c \
		-I"$prefix/include" -
}

# It runs, and no header of ours came from anywhere else.
check_program() {
	! tr ' ' '\n' <"$dir/program.d" | grep 'twheel.*\.h' | grep -v "^$prefix/include/" &&
		LD_LIBRARY_PATH=$prefix/lib "$dir/program"
}

# Linked with a name that the header has dropped since.
old_program() {
	cat >"$dir/old.c" <<'END'
#include <errno.h>
#include <stdint.h>
int twheel_touch(int fd, uint64_t id);
__asm__(".symver twheel_touch, twheel_touch@LIBTWHEEL_0.1");
int main(void)
{
	return twheel_touch(-1, 7) != -EBADF;
}
END
	gcc "${strict[@]}" -o "$dir/old" "$dir/old.c" -L"$prefix/lib" -ltwheel &&
		LD_LIBRARY_PATH=$prefix/lib "$dir/old"
}

# The same source, compiled anew: the name is not to be found, or it would be taken for
# what has it now.
old_source() {
	sed '/symver/d' "$dir/old.c" >"$dir/older.c"
	! gcc -o "$dir/old" "$dir/older.c" -L"$prefix/lib" -ltwheel 2>"$dir/said" &&
		grep 'undefined reference to .twheel_touch' "$dir/said"
}

is_linked_dynamically() {
	readelf -d "$dir/program" | grep 'NEEDED.*\[libtwheel\.so\.0\]'
}

is_linked_statically() {
	! readelf -d "$dir/program" | grep NEEDED
}

version() {
	[ "$(pkg_config --modversion)" = "$(sed -n 's/^VERSION ?= //p' "$top/tools/version.mk")" ] &&
		[ "$("$prefix/bin/twheel" --version)" = "twheel $(pkg_config --modversion)" ]
}

# The examples of the source, as their Makefile says that they are built.
# shellcheck disable=SC2046
build_example() {
	gcc -Wall -Wextra -Werror -o "$dir/example" "$1" $(pkg_config --cflags --libs)
}

# ---- man pages

# $1: section; reads names
have_pages() {
	local name bad=0

	while read -r name; do
		man -M "$prefix/share/man" "$1" "$name" 2>/dev/null | grep -qw "$name" ||
			{ echo "no page $name($1)"; bad=1; }
	done
	return $bad
}

every_function_has_a_page() {
	functions_of_headers | have_pages 3
}

other_pages() {
	echo libtwheel | have_pages 3 && echo twheel | have_pages 4 && echo twheel | have_pages 1
}

# The first program of a page.
example_of_page() {
	awk '/^\.Sh EXAMPLES/ { here = 1 } here && /^\.Ed/ { exit } copy { print }
		here && /^\.Bd/ { copy = 1 }' "$1" | sed 's/\\e/\\/g; s/\\&//g; s/\\-/-/g'
}

# shellcheck disable=SC2046
build_example_of_page() {
	example_of_page "$1" >"$dir/example.c"
	grep -q 'int main' "$dir/example.c" &&
		gcc -std=c11 -D_DEFAULT_SOURCE "${strict[@]}" -o "$dir/example" "$dir/example.c" \
			$(pkg_config --cflags --libs)
}

uninstall_all() {
	make -s -C "$top" uninstall DESTDIR="$root" && ! find "$root" ! -type d | grep .
}

# ---- main

try "install into an empty directory" install_all
try "a relative DESTDIR is refused" refuses_relative DESTDIR
try "a relative PREFIX is refused" refuses_relative PREFIX
try "what is installed" installed_files
try "the library exports what the headers declare" exports_what_the_headers_declare
try "every function tells about threads" every_function_tells_about_threads
try "every symbol has a version" every_symbol_has_a_version
try "soname" soname
try "the static library keeps to its prefix" static_library_has_no_other_names
try "the library has no variables" no_variables
try "one version" version
write_program
try "C11 program" build_c --cflags
try "... linked dynamically" is_linked_dynamically
try "C11 program, static" build_c --static -static
try "... linked statically" is_linked_statically
try "twheel.h in C11 and nothing else" header_alone
try "C++17 program" build_cxx --cflags
try "... linked dynamically" is_linked_dynamically
try "C++17 program, static" build_cxx --static -static
try "... linked statically" is_linked_statically
try "a program that was linked with version 0.1" old_program
try "a source that calls what has gone does not link" old_source
for example in "$top"/tools/examples/*.c; do
	try "example ${example##*/}" build_example "$example"
done
try "every function has a man page" every_function_has_a_page
try "the other man pages" other_pages
for page in "$top"/Documentation/man/*.3; do
	try "the example of ${page##*/}" build_example_of_page "$page"
done
try "uninstall leaves nothing" uninstall_all
finish
