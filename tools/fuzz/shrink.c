// SPDX-License-Identifier: GPL-2.0
/* Delta debugging of a list of operations, and how it is written as a script. */
#include <errno.h>
#include <string.h>

#include "mutate.h"

static bool breaks(struct fuzz_ops *ops, const char *rule)
{
	struct fuzz_tally tally = { 0 };
	const char *broken = fuzz_run(ops, &tally);

	return broken && !strcmp(broken, rule);
}

static void leave_out(struct fuzz_ops *ops, unsigned int from, unsigned int count)
{
	if (count > ops->count - from)
		count = ops->count - from;
	ops->count -= count;
	memmove(&ops->op[from], &ops->op[from + count],
		(ops->count - from) * sizeof(ops->op[0]));
}

bool fuzz_shrink(struct fuzz_ops *ops, const char *rule, unsigned int attempts)
{
	struct fuzz_ops fewer = *ops;
	unsigned int chunk, from;

	if (!breaks(&fewer, rule))
		return false;
	*ops = fewer;
	for (chunk = (ops->count + 1) / 2; chunk; chunk /= 2) {
		for (from = 0; from < ops->count && attempts; attempts--) {
			fewer = *ops;
			leave_out(&fewer, from, chunk);
			if (breaks(&fewer, rule))
				*ops = fewer;
			else
				from += chunk;
		}
	}
	return true;
}

static void print_expect(FILE *out, int expect)
{
	if (expect)
		fprintf(out, "expect %s ", expect == ENOENT ? "ENOENT" :
			expect == EEXIST ? "EEXIST" : "EINVAL");
}

static void print_timer_op(FILE *out, const struct fuzz_op *op)
{
	static const char * const names[] = {
		[FUZZ_START] = "start", [FUZZ_RESET] = "reset",
		[FUZZ_STOP] = "stop", [FUZZ_GET] = "get",
	};

	print_expect(out, op->expect);
	fprintf(out, "%s %llu", names[op->kind], op->id);
	if (op->kind == FUZZ_START ||
	    (op->kind == FUZZ_RESET && op->new_timeout))
		fprintf(out, " --after %lluns", op->time_ns);
	if (op->kind == FUZZ_START && op->interval_ns)
		fprintf(out, " --every %lluns", op->interval_ns);
	if (op->kind == FUZZ_START && op->exclusive)
		fputs(" --exclusive", out);
	fputc('\n', out);
}

/* The command twheel cannot say this, so it is for people to read. */
static void print_mutated(FILE *out, const struct fuzz_op *op)
{
	struct mutated_call call;

	mutated_make(&call, op->seed);
	mutated_print(out, &call);
}

void fuzz_script(FILE *out, const struct fuzz_ops *ops, const char *rule, __u64 seed)
{
	unsigned int i;

	fprintf(out, "# twheel-fuzz --seed %llu: %s\n", seed, rule);
	for (i = 0; i < ops->count; i++) {
		const struct fuzz_op *op = &ops->op[i];

		if (op->kind == FUZZ_MUTATED)
			print_mutated(out, op);
		else if (op->kind == FUZZ_SLEEP)
			fprintf(out, "sleep %lluns\n", op->time_ns);
		else if (op->kind == FUZZ_READ)
			fputs("read\n", out);
		else if (op->kind == FUZZ_STATS)
			fputs("stats\n", out);
		else
			print_timer_op(out, op);
	}
}
