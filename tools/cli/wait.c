// SPDX-License-Identifier: GPL-2.0
/* Signals, time and waiting. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

#define NS_PER_SEC	1000000000ULL
/* One ppoll() waits no longer than this, whatever the range of time_t. */
#define NAP_NS		(86400 * NS_PER_SEC)

static atomic_int caught;

static void catch_signal(int signo)
{
	caught = signo;
}

void signals_catch(void)
{
	/* No SA_RESTART: a write that blocks is to end as well. */
	struct sigaction action = { .sa_handler = catch_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

int signal_caught(void)
{
	return caught;
}

__u64 clock_now(int clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

__u64 wait_end(__u64 ns)
{
	__u64 end;

	if (__builtin_add_overflow(clock_now(CLOCK_MONOTONIC), ns, &end))
		return WAIT_FOREVER;
	return end;
}

static struct timespec time_left(__u64 until)
{
	__u64 now = clock_now(CLOCK_MONOTONIC);
	__u64 left = until > now ? until - now : 0;

	if (left > NAP_NS)
		left = NAP_NS;
	return (struct timespec){ left / NS_PER_SEC, left % NS_PER_SEC };
}

/* Signals are held off from the look at the flag until ppoll() sleeps. */
static int poll_once(struct pollfd *fds, int nfds, __u64 until)
{
	struct timespec left = time_left(until);
	sigset_t ours, before;
	int ret = -EINTR;

	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigprocmask(SIG_BLOCK, &ours, &before);
	if (!caught) {
		ret = ppoll(fds, nfds, &left, &before);
		if (ret < 0)
			ret = -errno;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}

int wait_until(int fd, __u64 until)
{
	/* Nothing is asked of stdout: the errors say that its reader is gone. */
	struct pollfd fds[] = {
		{ .fd = STDOUT_FILENO },
		{ .fd = fd, .events = POLLIN },
	};

	for (;;) {
		int ret = poll_once(fds, ARRAY_SIZE(fds), until);

		if (caught)
			return -EINTR;
		if (ret < 0 && ret != -EINTR)
			return ret;
		if (ret > 0 && fds[0].revents & (POLLERR | POLLHUP))
			return -EPIPE;
		if (ret > 0 && fds[1].revents)
			return 1;
		if (until <= clock_now(CLOCK_MONOTONIC))
			return 0;
	}
}
