// SPDX-License-Identifier: GPL-2.0
/* A timerfd for each timer, all of them watched by one epoll. */
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "bench.h"

static int epoll, *fds;
static struct epoll_event events[BENCH_ROUND];
static int event_count;

static void prepare(unsigned int timers)
{
	fds = bench_room(timers, sizeof(*fds));
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0)
		err(1, "epoll_create1");
}

static void reset(unsigned int timer, __u64 timeout_ns)
{
	struct itimerspec time = {
		.it_value.tv_sec = timeout_ns / BENCH_SECOND,
		.it_value.tv_nsec = timeout_ns % BENCH_SECOND,
	};

	bench_calls++;
	if (timerfd_settime(fds[timer], 0, &time, NULL))
		err(1, "timerfd_settime");
}

static void start(unsigned int timer, __u64 timeout_ns)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = timer };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	bench_calls += 2;
	if (fd < 0)
		err(1, "timerfd_create");
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		err(1, "epoll_ctl");
	fds[timer] = fd;
	reset(timer, timeout_ns);
}

static void stop(unsigned int timer)
{
	bench_calls++;
	close(fds[timer]);
}

static bool ready(void)
{
	bench_calls++;
	event_count = epoll_wait(epoll, events, BENCH_ROUND, 0);
	return event_count > 0;
}

static unsigned int expire(unsigned int *timers, unsigned int room)
{
	unsigned int timer, count = 0;
	__u64 expirations;
	int i;

	if (event_count <= 0 && !ready())
		return 0;
	for (i = 0; i < event_count; i++) {
		timer = events[i].data.u32;
		bench_calls++;
		if (read(fds[timer], &expirations, sizeof(expirations)) > 0)
			timers[count++] = timer;
	}
	event_count = 0;
	return count;
}

const struct bench_ops bench_timerfd = {
	.name = "timerfd",
	.what = "a timerfd for each timer, in one epoll",
	.stays = true,
	.prepare = prepare,
	.start = start,
	.reset = reset,
	.stop = stop,
	.ready = ready,
	.expire = expire,
};
