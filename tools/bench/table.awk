# SPDX-License-Identifier: GPL-2.0
# From CSV without quotes to a Markdown table: table.awk FILE.csv. Numbers are to the right,
# those of five digits and more in groups.

function grouped(number,	whole, fraction, out) {
	if (number !~ /^[0-9]+(\.[0-9]+)?$/)
		return number
	whole = fraction = number
	sub(/\..*/, "", whole)
	sub(/^[0-9]+/, "", fraction)
	if (length(whole) < 5)
		return number
	for (; length(whole) > 3; whole = substr(whole, 1, length(whole) - 3))
		out = "," substr(whole, length(whole) - 2) out
	return whole out fraction
}

BEGIN	{ FS = "," }

NR == 1	{ fields = NF }

{
	for (i = 1; i <= NF; i++) {
		cell[NR, i] = NR == 1 ? $i : grouped($i)
		if (length(cell[NR, i]) > width[i])
			width[i] = length(cell[NR, i])
		if (NR > 1 && $i !~ /^[0-9.]*$/)
			text[i] = 1
	}
}

function line(row,	i) {
	for (i = 1; i <= fields; i++)
		printf "| %" (text[i] ? "-" : "") width[i] "s ", cell[row, i]
	print "|"
}

function rule(	i, dashes) {
	for (i = 1; i <= fields; i++) {
		dashes = sprintf("%" width[i] "s", "")
		gsub(/ /, "-", dashes)
		printf "|%s", text[i] ? ":" dashes "-" : "-" dashes ":"
	}
	print "|"
}

END {
	line(1)
	rule()
	for (row = 2; row <= NR; row++)
		line(row)
}
