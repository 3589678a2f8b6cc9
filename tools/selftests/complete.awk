# SPDX-License-Identifier: GPL-2.0
#
# complete.awk HEADER TEST: says what HEADER declares and TEST, layout.c, does not name:
# structures, their fields, commands and constants. So it does with what it does not
# understand, since it could miss something there. Exit status 1 when it said something.

function complain(text) {
	print FILENAME ": " text
	bad = 1
}

function declare(name) {
	declared[name] = 1
}

function member(	name) {
	name = $2
	if (!sub(/(\[[0-9]+\])?;$/, "", name) || NF != 2 || $1 !~ /^(__[us]32|__aligned_u64)$/)
		complain("this field is beyond me: " $0)
	declare(structure "." name)
}

FNR == 1			{ file++ }

file == 2 && /^\tFIELD\(/	{ split($0, part, /[(), ]+/); tested[part[2] "." part[3]] = 1 }
file == 2 && /^\tSIZE\(/	{ split($0, part, /[(), ]+/); tested[part[2]] = 1 }
file == 2 && /^\tEXPECT_EQ\(/	{ split($0, part, /[(), ]+/); tested[part[3]] = 1 }
file == 2			{ next }

/^(\/\*.*\*\/| \*\/)$/		{ comment = 0; next }
/^\/\*/				{ comment = 1 }
comment || /^$/			{ next }
/^};$/				{ structure = enumeration = ""; next }
structure			{ member(); next }
enumeration && /^\tTWHEEL_/	{ declare($1); next }
/^struct [a-z_]+ {$/		{ declare(structure = $2); next }
/^enum [a-z_]+ {$/		{ enumeration = $2; next }
/^#define _UAPI_LINUX_TWHEEL_H$/ { next }
/^#define TWHEEL_[A-Z_]+[ \t]/	{ declare($2); next }
/^#(include|ifndef|endif)/	{ next }
				{ complain("this line is beyond me: " $0) }

END {
	for (name in declared)
		if (!(name in tested))
			complain("no test of " name)
	exit bad
}
