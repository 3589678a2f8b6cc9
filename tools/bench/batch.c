// SPDX-License-Identifier: GPL-2.0
/* twheel, a SUBMIT for many operations. */
#include "twheel_bench.h"

static struct twheel_op *ops;
static struct twheel_result *results;
static unsigned int capacity, queued;

void twheel_batch_prepare(unsigned int timers, unsigned int words, unsigned int size)
{
	twheel_bench_prepare(timers, words);
	capacity = size;
	ops = bench_alloc(size, sizeof(*ops));
	results = bench_alloc(size, sizeof(*results));
}

/* What has expired and was not read is withdrawn, so no timer is missing. */
static void check_results(void)
{
	unsigned int i;

	for (i = 0; i < queued; i++) {
		if (results[i].error)
			errx(1, "twheel: operation %u: %d", ops[i].opcode, results[i].error);
	}
}

static void submit(void)
{
	struct twheel_submit submit = {
		.ops = (uintptr_t)ops,
		.results = (uintptr_t)results,
		.count = queued,
	};

	twheel_bench_call(TWHEEL_IOC_SUBMIT, &submit);
	if (submit.done != queued)
		errx(1, "twheel: %u of %u operations", submit.done, queued);
	check_results();
	queued = 0;
}

void twheel_batch_turn(void)
{
	if (queued)
		submit();
}

struct twheel_op *twheel_batch_next(unsigned int opcode, unsigned int timer)
{
	struct twheel_op *op = &ops[queued];

	op->opcode = opcode;
	op->id = timer;
	return op;
}

void twheel_batch_added(void)
{
	if (++queued == capacity)
		submit();
}

static void start(unsigned int timer, __u64 timeout_ns)
{
	struct twheel_op *op = twheel_batch_next(TWHEEL_OP_START, timer);

	op->time_ns = timeout_ns;
	op->data = timer;
	twheel_batch_added();
}

static void simple(unsigned int opcode, unsigned int timer)
{
	struct twheel_op *op = twheel_batch_next(opcode, timer);

	op->time_ns = 0;
	op->data = 0;
	twheel_batch_added();
}

static void reset(unsigned int timer, __u64 timeout_ns)
{
	simple(TWHEEL_OP_RESET, timer);
}

static void stop(unsigned int timer)
{
	simple(TWHEEL_OP_STOP, timer);
}

#define BATCH(size, turn_size)						\
static void prepare_##size(unsigned int timers)				\
{									\
	twheel_batch_prepare(timers, 0, size);				\
}									\
									\
const struct bench_ops bench_twheel_batch_##size = {			\
	.name = "twheel-batch-" #size,					\
	.what = "/dev/twheel, a SUBMIT for " #size " operations",	\
	.round = turn_size,						\
	.prepare = prepare_##size,					\
	.start = start,							\
	.reset = reset,							\
	.stop = stop,							\
	.turn = twheel_batch_turn,					\
	.ready = bench_ready,						\
	.expire = twheel_bench_expire,					\
}

BATCH(1, 0);
BATCH(16, 0);
BATCH(256, 0);
BATCH(4096, 4096);
