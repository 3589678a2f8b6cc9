// SPDX-License-Identifier: GPL-2.0
/* A POSIX timer for each, with a signal that carries its number and is read in a signalfd. */
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>
#include "bench.h"

static timer_t *ids;
static struct signalfd_siginfo *signals;
static int fd;

static void prepare(unsigned int timers)
{
	sigset_t set;

	ids = bench_room(timers, sizeof(*ids));
	signals = bench_alloc(BENCH_ROUND, sizeof(*signals));
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		err(1, "signalfd");
	bench_watch(fd);
}

static void reset(unsigned int timer, __u64 timeout_ns)
{
	struct itimerspec time = {
		.it_value.tv_sec = timeout_ns / BENCH_SECOND,
		.it_value.tv_nsec = timeout_ns % BENCH_SECOND,
	};

	bench_calls++;
	if (timer_settime(ids[timer], 0, &time, NULL))
		err(1, "timer_settime");
}

static void start(unsigned int timer, __u64 timeout_ns)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGRTMIN,
		.sigev_value.sival_int = timer,
	};

	bench_calls++;
	if (timer_create(CLOCK_MONOTONIC, &event, &ids[timer]))
		err(1, "timer_create");
	reset(timer, timeout_ns);
}

static void stop(unsigned int timer)
{
	bench_calls++;
	if (timer_delete(ids[timer]))
		err(1, "timer_delete");
}

static unsigned int expire(unsigned int *timers, unsigned int room)
{
	int i, count;

	bench_calls++;
	count = read(fd, signals, room * sizeof(*signals));
	if (count < 0)
		return 0;
	count /= sizeof(*signals);
	for (i = 0; i < count; i++)
		timers[i] = signals[i].ssi_int;
	return count;
}

const struct bench_ops bench_posix = {
	.name = "posix",
	.what = "POSIX timers (timer_create), their signals read in a signalfd",
	.max_timers = 100000,
	.why = "left out: a call searches one of 512 chains; to start them takes too long",
	.stays = true,
	.prepare = prepare,
	.start = start,
	.reset = reset,
	.stop = stop,
	.ready = bench_ready,
	.expire = expire,
};
