# SPDX-License-Identifier: GPL-2.0
#
# Turns what selftest.sh prints into one TAP stream whose names say kernel and program.
# Set with -v: kernel, programs (all that have to run), limit (seconds).

function result(ok, text) {
	print (ok ? "ok " : "not ok ") kernel "/" text
	bad += !ok
	fflush()
}

function begin(name) {
	program = name
	planned = seen = program_bad = 0
	last = "none"
	started[name] = 1
}

function end(status) {
	if (status == 4 && !seen)
		result(1, program " # SKIP")
	else if (status == 137)
		result(0, program ": killed, probably after its " limit " s; last case: " last)
	else if (status && !program_bad)
		result(0, program ": exit status " status "; last case: " last)
	else if (!seen)
		result(0, program ": ran no case")
	else if (seen < planned)
		result(0, program ": " seen " of " planned " cases gave a result")
	program = ""
}

/^#@ begin /			{ begin($3); next }
/^#@ end /			{ end($4); next }
/^1\.\.[0-9]+/			{ planned = substr($1, 4) + 0; next }
/^TAP version/			{ next }
/^#  RUN /			{ last = $3; next }
/^#            OK /		{ next }
/^ok / {
	sub(/^ok +([0-9]+ )?(- )?/, "")
	# the harness does not name what was skipped
	if (/^# SKIP/)
		$0 = last " " $0
	seen++
	result(1, program ": " $0)
	next
}
/^not ok / {
	sub(/^not ok +([0-9]+ )?(- )?/, "")
	seen++
	program_bad++
	result(0, program ": " $0)
	next
}
{ print /^#/ ? $0 : "# " $0; fflush() }

END {
	if (program)
		result(0, program ": the guest died in it; last case: " last)
	count = split(programs, all, " ")
	for (i = 1; i <= count; i++)
		if (!(all[i] in started))
			result(0, all[i] ": was not run")
	exit bad > 0
}
