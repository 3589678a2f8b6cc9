// SPDX-License-Identifier: GPL-2.0
#include <sys/timerfd.h>
#include <unistd.h>
#include "user.h"

__u64 user_now;
static int fd;
static __u64 programmed;

void user_prepare(void)
{
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (fd < 0)
		err(1, "timerfd_create");
	programmed = USER_NEVER;
	user_now = bench_now();
	bench_watch(fd);
}

void user_turn(__u64 earliest)
{
	struct itimerspec time = {
		.it_value.tv_sec = earliest / BENCH_SECOND,
		.it_value.tv_nsec = earliest % BENCH_SECOND,
	};

	user_now = bench_now();
	if (earliest >= programmed)
		return;
	programmed = earliest;
	bench_calls++;
	if (timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, NULL))
		err(1, "timerfd_settime");
}

void user_fired(void)
{
	__u64 expirations;

	bench_calls++;
	if (read(fd, &expirations, sizeof(expirations)) > 0)
		programmed = USER_NEVER;
	user_now = bench_now();
}
