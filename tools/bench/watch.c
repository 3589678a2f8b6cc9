// SPDX-License-Identifier: GPL-2.0
/* One descriptor that says whether a back end has expiries, as an event loop watches it. */
#include <sys/epoll.h>
#include "bench.h"

static int epoll = -1;

void bench_watch(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		err(1, "epoll");
}

bool bench_ready(void)
{
	struct epoll_event event;

	bench_calls++;
	return epoll_wait(epoll, &event, 1, 0) > 0;
}
