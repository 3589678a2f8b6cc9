// SPDX-License-Identifier: GPL-2.0
/* libevent's timers, each an event in the program's own memory. */
#include <event2/event.h>
#include <event2/event_struct.h>
#include "loop.h"

static struct event_base *base;
static struct event *timers_of;

static void fired(evutil_socket_t fd, short what, void *argument)
{
	loop_fired((struct event *)argument - timers_of);
}

static void turn(void)
{
	event_base_loop(base, EVLOOP_NONBLOCK);
}

static void prepare(unsigned int timers)
{
	base = event_base_new();
	if (!base)
		errx(1, "libevent: event_base_new failed");
	timers_of = bench_room(timers, sizeof(*timers_of));
	loop_prepare(timers, turn);
}

static void reset(unsigned int timer, __u64 timeout_ns)
{
	struct timeval timeout = {
		.tv_sec = timeout_ns / BENCH_SECOND,
		.tv_usec = timeout_ns % BENCH_SECOND / 1000,
	};

	if (event_add(&timers_of[timer], &timeout))
		errx(1, "libevent: event_add failed");
}

static void start(unsigned int timer, __u64 timeout_ns)
{
	if (event_assign(&timers_of[timer], base, -1, 0, fired, &timers_of[timer]))
		errx(1, "libevent: event_assign failed");
	reset(timer, timeout_ns);
}

static void stop(unsigned int timer)
{
	event_del(&timers_of[timer]);
}

const struct bench_ops bench_libevent = {
	.name = "libevent",
	.what = "libevent's timers (a heap in user space)",
	.user_space = true,
	.prepare = prepare,
	.start = start,
	.reset = reset,
	.stop = stop,
	.ready = loop_ready,
	.expire = loop_expire,
};
