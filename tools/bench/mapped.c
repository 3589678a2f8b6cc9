// SPDX-License-Identifier: GPL-2.0
/* twheel with a word for each timer: batches of 256, but a reset is a store. */
#include <twheel_map.h>
#include "twheel_bench.h"

static uint64_t *words, now;

static void prepare(unsigned int timers)
{
	int count;

	twheel_batch_prepare(timers, timers, BENCH_ROUND);
	count = twheel_map(twheel_fd, &words);
	if (count < 0) {
		errno = -count;
		err(1, "twheel_map");
	}
	now = twheel_now(CLOCK_MONOTONIC);
}

static void start(unsigned int timer, __u64 timeout_ns)
{
	struct twheel_op *op = twheel_batch_next(TWHEEL_OP_START, timer);

	op->flags = TWHEEL_MAPPED;
	op->time_ns = timeout_ns;
	op->data = timer;
	op->word = timer;
	twheel_batch_added();
}

static void reset(unsigned int timer, __u64 timeout_ns)
{
	twheel_touch(&words[timer], now);
}

static void stop(unsigned int timer)
{
	struct twheel_op *op = twheel_batch_next(TWHEEL_OP_STOP, timer);

	op->flags = 0;
	op->time_ns = 0;
	op->data = 0;
	op->word = 0;
	twheel_batch_added();
}

static void turn(void)
{
	twheel_batch_turn();
	now = twheel_now(CLOCK_MONOTONIC);
}

const struct bench_ops bench_twheel_mapped = {
	.name = "twheel-mapped",
	.what = "/dev/twheel with words: a reset is a store, the rest as twheel-batch-256",
	.prepare = prepare,
	.start = start,
	.reset = reset,
	.stop = stop,
	.turn = turn,
	.ready = bench_ready,
	.expire = twheel_bench_expire,
};
