# SPDX-License-Identifier: GPL-2.0
# Tables of the figures of tools/bench/run; style is markdown or rst.

BEGIN {
	titles["start"] = "Create and start: instructions per operation"
	titles["reset"] = "Reset at random: instructions per operation"
	titles["stop"] = "Stop and free: instructions per operation"
	titles["server"] = "Server load, 90 % resets: instructions per operation"
	titles["server-calls"] = "Server load: system calls per 1000 operations"
	titles["expire"] = "Expiry of all in one tick: the kernel's instructions per timer"
	titles["deliver"] = "Taking the expiries: instructions per expiry"
	titles["memory"] = "Memory: bytes per timer"
	titles["memory-slab"] = "Of that in slabs: bytes per timer"
	titles["idle"] = "Wake-ups of an idle CPU in 10 s"
	titles["stall"] = "Longest time in which no thread runs while all expire: instructions"
	titles["locked"] = "Longest time with bottom halves off, operations: instructions"
	titles["locked-expiry"] = "Longest time with bottom halves off, expiry: instructions"
	count = split("start reset stop server server-calls expire deliver memory" \
		      " memory-slab idle stall locked locked-expiry", order, " ")
}

# without timers, there is but the idle machine to show
NR == 1 || ($1 == "none" && $2 != "idle")	{ next }

{
	note($2, $1, $3, $5)
	if ($2 == "server")
		note("server-calls", $1, $3, $7)
	if ($8 != "")
		add_reason($2, $1, $8)
}

function note(workload, name, timers, value) {
	if (!((workload, name) in seen)) {
		seen[workload, name] = 1
		names[workload] = names[workload] " " name
	}
	if (!((workload, timers) in has_size)) {
		has_size[workload, timers] = 1
		sizes[workload] = with_size(sizes[workload], timers)
	}
	values[workload, name, timers] = value
}

# A list of sizes and one more, from the least to the largest.
function with_size(sizes, size,		list, count, i, text) {
	count = split(sizes, list, " ")
	for (i = 1; i <= count && list[i] < size + 0; i++)
		text = text " " list[i]
	text = text " " size
	for (; i <= count; i++)
		text = text " " list[i]
	return text
}

# Names with the same reason stand together; its "-" in the table says for which numbers.
function add_reason(workload, name, reason) {
	if (!((workload, reason) in excused)) {
		reasons[workload]++
		reason_list[workload, reasons[workload]] = reason
	} else if (excused[workload, reason] ~ "(^| )" name "$") {
		return
	}
	excused[workload, reason] = excused[workload, reason] \
		(excused[workload, reason] == "" ? "" : ", ") name
}

function reasons_of(workload,	i, reason, text) {
	for (i = 1; i <= reasons[workload]; i++) {
		reason = reason_list[workload, i]
		text = text (i == 1 ? "" : "; ") excused[workload, reason] ": " reason
	}
	return text
}

function grouped(number,	text) {
	if (number !~ /^-?[0-9]+$/)
		return number
	text = number ""
	while (match(text, /[0-9][0-9][0-9][0-9]($|,)/))
		text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
	return text
}

function value_of(workload, name, timers) {
	if (!((workload, name, timers) in values))
		return "-"
	return grouped(values[workload, name, timers])
}

function markdown(workload,	name_list, size_list, i, k, n, s, line) {
	n = split(names[workload], name_list, " ")
	s = split(sizes[workload], size_list, " ")
	print "### " titles[workload] "\n"
	line = "| back end |"
	for (k = 1; k <= s; k++)
		line = line " " grouped(size_list[k]) " |"
	print line
	line = "| --- |"
	for (k = 1; k <= s; k++)
		line = line " ---: |"
	print line
	for (i = 1; i <= n; i++) {
		line = "| " name_list[i] " |"
		for (k = 1; k <= s; k++)
			line = line " " value_of(workload, name_list[i], size_list[k]) " |"
		print line
	}
	print ""
	if (workload in reasons)
		print "Not measured: " reasons_of(workload) ".\n"
}

function line(character, width,	text) {
	while (length(text) < width)
		text = text character
	return text
}

# Cells of a row, or with a character in place of a name, the line between rows.
function rst_row(workload, name, size_list, s, rule,	k, text) {
	text = rule == "" ? sprintf("%-18s", name) : line(rule, 18)
	for (k = 1; k <= s; k++) {
		if (rule != "")
			text = text "  " line(rule, 10)
		else if (name == "back end")
			text = text sprintf("  %10s", grouped(size_list[k]))
		else
			text = text sprintf("  %10s", value_of(workload, name, size_list[k]))
	}
	print text
}

function rst(workload,		name_list, size_list, i, n, s) {
	n = split(names[workload], name_list, " ")
	s = split(sizes[workload], size_list, " ")
	print titles[workload] "\n" line("-", length(titles[workload])) "\n"
	rst_row(workload, "", size_list, s, "=")
	rst_row(workload, "back end", size_list, s, "")
	rst_row(workload, "", size_list, s, "=")
	for (i = 1; i <= n; i++)
		rst_row(workload, name_list[i], size_list, s, "")
	rst_row(workload, "", size_list, s, "=")
	print ""
	if (workload in reasons)
		print "Not measured: " reasons_of(workload) ".\n"
}

END {
	for (o = 1; o <= count; o++) {
		if (!(order[o] in names))
			continue
		if (style == "rst")
			rst(order[o])
		else
			markdown(order[o])
	}
}
