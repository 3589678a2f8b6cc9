// SPDX-License-Identifier: GPL-2.0
/* No timers at all: what the driver itself costs, which is taken off every figure. */
#include "bench.h"

static void null_prepare(unsigned int timers)
{
}

static void null_start(unsigned int timer, __u64 timeout_ns)
{
}

static void null_stop(unsigned int timer)
{
}

static bool null_ready(void)
{
	return false;
}

static unsigned int null_expire(unsigned int *timers, unsigned int room)
{
	return 0;
}

static void null_turn(void)
{
}

const struct bench_ops bench_null = {
	.name = "none",
	.what = "no timers: what is left of a figure when nothing is done",
	.prepare = null_prepare,
	.start = null_start,
	.reset = null_start,
	.stop = null_stop,
	.turn = null_turn,
	.ready = null_ready,
	.expire = null_expire,
};
