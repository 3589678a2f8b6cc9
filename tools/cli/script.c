// SPDX-License-Identifier: GPL-2.0
/* A script from its first line to its last. */
#include <errno.h>
#include <string.h>

#include "lines.h"
#include "session.h"

static void fault_json(const struct session *s, const struct fault *fault)
{
	json_begin("error");
	json_string("script", s->script);
	json_u64("line", s->line);
	if (fault->word)
		json_string("word", fault->word);
	json_string("message", fault->why.text);
	json_end();
}

static void fault_report(const struct session *s, const struct fault *fault)
{
	fprintf(stderr, "twheel: %s:%u: at ", s->script, s->line);
	if (fault->word)
		fprintf(stderr, "'%s': ", fault->word);
	else
		fputs("the end of the line: ", stderr);
	fprintf(stderr, "%s\n", fault->why.text);
	if (fault->usage)
		fprintf(stderr, "  expected: %s\n", fault->usage);
	if (s->cli->json)
		fault_json(s, fault);
}

static int unreadable(const struct session *s, int err)
{
	if (err == -E2BIG)
		fprintf(stderr, "twheel: %s:%u: the line is longer than %d bytes\n",
			s->script, s->line + 1, LINE_SIZE - 2);
	else if (err == -EILSEQ)
		fprintf(stderr,
			"twheel: %s:%u: there is a NUL byte in the line; is this a script?\n",
			s->script, s->line);
	else
		fprintf(stderr, "twheel: cannot read the script %s: %s\n",
			s->script, strerror(-err));
	return EXIT_USAGE;
}

/*
 * The next operation.  1: it is in *op; 0: end of the script; -1: the line is
 * wrong, which was reported, and s->stop is set if no line can come after it.
 */
static int next_op(struct session *s, struct lines *lines, struct op *op)
{
	struct fault fault;
	char *line;
	int ret;

	do {
		ret = lines_next(lines, &line);
		s->line = lines->number;
		if (ret == -EINTR || ret == -EPIPE)
			session_stop_error(s, ret);
		else if (ret < 0)
			session_stop(s, unreadable(s, ret));
		if (ret <= 0)
			return ret ? -1 : 0;
		ret = op_parse(line, op, &fault);
	} while (!ret);
	if (ret < 0)
		fault_report(s, &fault);
	return ret;
}

/* Looks at all lines before anything is done.  Exit code. */
static int check(struct session *s, struct lines *lines)
{
	int code = EXIT_DONE;
	struct op op;
	int ret;

	while ((ret = next_op(s, lines, &op))) {
		if (s->stop)
			return s->stop;
		if (ret < 0)
			code = EXIT_USAGE;
	}
	lines_rewind(lines);
	return code;
}

static enum verdict carry_out(struct session *s, const struct op *op)
{
	enum verdict verdict;
	int err;

	if (signal_caught())
		return session_stop_error(s, -EINTR);
	verdict = op_run(s, op);
	err = session_flush();
	if (err && verdict != VERDICT_STOP)
		return session_stop_error(s, err);
	return verdict;
}

/* Exit code: the first that was not 0 when there were several. */
static int run(struct session *s, struct lines *lines)
{
	int code = EXIT_DONE;
	struct op op;
	int ret;

	while ((ret = next_op(s, lines, &op))) {
		int failed = EXIT_DONE;

		if (s->stop)
			return s->stop;
		if (ret < 0) {
			failed = EXIT_USAGE;
		} else {
			enum verdict verdict = carry_out(s, &op);

			if (verdict == VERDICT_STOP)
				return s->stop;
			if (verdict == VERDICT_FAILED)
				failed = EXIT_FAILED;
		}
		if (failed && !s->keep_going)
			return failed;
		if (!code)
			code = failed;
	}
	return code;
}

int script_run(struct session *s)
{
	struct lines lines;
	int code = EXIT_DONE;
	int err;

	err = lines_open(&lines, s->script);
	if (err == -EINTR)
		session_stop_error(s, err);
	if (err)
		return s->stop ? s->stop : unreadable(s, err);
	if (lines_can_rewind(&lines) && !s->keep_going)
		code = check(s, &lines);
	if (!code)
		code = run(s, &lines);
	lines_close(&lines);
	return code;
}
