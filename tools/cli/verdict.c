// SPDX-License-Identifier: GPL-2.0
/* Lines about operations that succeeded or failed. */
#include <string.h>

#include "session.h"

void op_json(const struct session *s, const struct op *op)
{
	json_begin(op_name(op->code));
	if (s->line)
		json_u64("line", s->line);
	json_u64("time_ns", session_elapsed(s));
	if (op_has_id(op))
		json_u64("id", op->operand);
}

void op_line(const struct session *s, const struct op *op)
{
	session_stamp(s, op_name(op->code));
	if (op_has_id(op))
		printf("%llu: ", op->operand);
}

static void failed_json(const struct session *s, const struct op *op,
			const char *name, const struct why *why, bool expected)
{
	json_begin(expected ? "expected" : "error");
	json_string("op", op_name(op->code));
	if (s->line)
		json_u64("line", s->line);
	json_u64("time_ns", session_elapsed(s));
	if (op_has_id(op))
		json_u64("id", op->operand);
	if (name)
		json_string("errno", name);
	json_string("message", why->text);
	json_end();
}

static void failed_stderr(const struct session *s, const struct op *op,
			  const char *name, const struct why *why)
{
	/* What was printed before stands before it, in a shared log too. */
	output_flush();
	fprintf(stderr, "twheel: %s:", s->script);
	if (s->line)
		fprintf(stderr, "%u:", s->line);
	fprintf(stderr, " %s", op_name(op->code));
	if (op_has_id(op))
		fprintf(stderr, " %llu", op->operand);
	if (name)
		fprintf(stderr, ": %s", name);
	if (name && op->expect)
		fprintf(stderr, " instead of %s", strerrorname_np(op->expect));
	fprintf(stderr, ": %s\n", why->text);
}

enum verdict op_failed_why(const struct session *s, const struct op *op,
			   int err, const struct why *why)
{
	const char *name = err ? strerrorname_np(err) : NULL;
	bool expected = err && err == op->expect;

	if (s->cli->json)
		failed_json(s, op, name, why, expected);
	if (!expected) {
		failed_stderr(s, op, name, why);
		return VERDICT_FAILED;
	}
	if (!s->cli->json) {
		op_line(s, op);
		printf("%s as expected: %s\n", name, why->text);
	}
	return VERDICT_EXPECTED;
}

enum verdict op_failed(const struct session *s, const struct op *op, int err)
{
	struct why why;

	explain(s, op, err, &why);
	return op_failed_why(s, op, err, &why);
}
