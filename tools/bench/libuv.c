// SPDX-License-Identifier: GPL-2.0
/* libuv's timers, each a handle in the program's own memory. */
#include <uv.h>
#include "loop.h"

static uv_loop_t loop;
static uv_timer_t *timers_of;

static void fired(uv_timer_t *timer)
{
	loop_fired(timer - timers_of);
}

static void turn(void)
{
	uv_run(&loop, UV_RUN_NOWAIT);
}

static void prepare(unsigned int timers)
{
	if (uv_loop_init(&loop))
		errx(1, "libuv: uv_loop_init failed");
	timers_of = bench_room(timers, sizeof(*timers_of));
	loop_prepare(timers, turn);
}

/* A running timer that is started runs again. */
static void reset(unsigned int timer, __u64 timeout_ns)
{
	if (uv_timer_start(&timers_of[timer], fired, timeout_ns / 1000000, 0))
		errx(1, "libuv: uv_timer_start failed");
}

static void start(unsigned int timer, __u64 timeout_ns)
{
	if (timers_of[timer].type == UV_UNKNOWN_HANDLE)
		uv_timer_init(&loop, &timers_of[timer]);
	reset(timer, timeout_ns);
}

/* Without uv_close(): the handle is for the next connection of this number. */
static void stop(unsigned int timer)
{
	uv_timer_stop(&timers_of[timer]);
}

const struct bench_ops bench_libuv = {
	.name = "libuv",
	.what = "libuv's timers (a heap in user space)",
	.user_space = true,
	.prepare = prepare,
	.start = start,
	.reset = reset,
	.stop = stop,
	.ready = loop_ready,
	.expire = loop_expire,
};
