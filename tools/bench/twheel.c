// SPDX-License-Identifier: GPL-2.0
/* twheel, a call for each operation; and what all ways to use it have in common. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "twheel_bench.h"

int twheel_fd;
static struct twheel_event *events;

void twheel_bench_call(unsigned int command, void *argument)
{
	bench_calls++;
	if (ioctl(twheel_fd, command, argument))
		err(1, "twheel: command %#x", command);
}

void twheel_bench_prepare(unsigned int timers, unsigned int words)
{
	struct twheel_setup setup = {
		.size = sizeof(setup),
		.max_timers = timers,
		.map_words = words,
	};

	twheel_fd = open("/dev/twheel", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (twheel_fd < 0)
		err(1, "/dev/twheel");
	twheel_bench_call(TWHEEL_IOC_SETUP, &setup);
	events = bench_alloc(BENCH_ROUND, sizeof(*events));
	bench_watch(twheel_fd);
}

unsigned int twheel_bench_expire(unsigned int *timers, unsigned int room)
{
	int i, count;

	bench_calls++;
	count = read(twheel_fd, events, room * sizeof(*events));
	if (count < 0)
		return 0;
	count /= sizeof(*events);
	for (i = 0; i < count; i++)
		timers[i] = events[i].id;
	return count;
}

/* ---- one call each */

static void single_prepare(unsigned int timers)
{
	twheel_bench_prepare(timers, 0);
}

static void single_start(unsigned int timer, __u64 timeout_ns)
{
	struct twheel_start start = {
		.id = timer,
		.time_ns = timeout_ns,
		.data = timer,
	};

	twheel_bench_call(TWHEEL_IOC_START, &start);
}

static void single_reset(unsigned int timer, __u64 timeout_ns)
{
	struct twheel_reset reset = { .id = timer };

	twheel_bench_call(TWHEEL_IOC_RESET, &reset);
}

static void single_stop(unsigned int timer)
{
	struct twheel_stop stop = { .id = timer };

	twheel_bench_call(TWHEEL_IOC_STOP, &stop);
}

const struct bench_ops bench_twheel_single = {
	.name = "twheel-single",
	.what = "/dev/twheel, one ioctl for each operation",
	.prepare = single_prepare,
	.start = single_start,
	.reset = single_reset,
	.stop = single_stop,
	.ready = bench_ready,
	.expire = twheel_bench_expire,
};
