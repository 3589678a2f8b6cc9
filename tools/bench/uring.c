// SPDX-License-Identifier: GPL-2.0
/* An io_uring timeout for each timer; the kernel finds one by a search. */
#include <errno.h>
#include "ring.h"

#define IGNORED	(~0ULL)		/* completions of resets and stops */

static struct __kernel_timespec times[BENCH_ROUND];
/* Counts the starts of a timer: a completion can be that of an earlier one. */
static __u32 *generations;
static unsigned int *expired;
static unsigned int expired_first, expired_count, room_for;

static __u64 tag_of(unsigned int timer)
{
	return (__u64)generations[timer] << 32 | timer;
}

static void completed(__u64 tag, int result)
{
	unsigned int timer = tag;

	if (tag == IGNORED || result != -ETIME || generations[timer] != tag >> 32)
		return;
	expired[(expired_first + expired_count++) % room_for] = timer;
}

static void prepare(unsigned int timers)
{
	ring_prepare(0, 32768, completed);
	room_for = timers;
	generations = bench_room(timers, sizeof(*generations));
	expired = bench_alloc(timers, sizeof(*expired));
	bench_watch(ring.ring_fd);
}

static struct __kernel_timespec *time_at(unsigned int number, __u64 timeout_ns)
{
	times[number].tv_sec = timeout_ns / BENCH_SECOND;
	times[number].tv_nsec = timeout_ns % BENCH_SECOND;
	return &times[number];
}

static void start(unsigned int timer, __u64 timeout_ns)
{
	unsigned int number;
	struct io_uring_sqe *sqe = ring_next(&number);

	generations[timer]++;
	io_uring_prep_timeout(sqe, time_at(number, timeout_ns), 0, 0);
	sqe->user_data = tag_of(timer);
}

static void reset(unsigned int timer, __u64 timeout_ns)
{
	unsigned int number;
	struct io_uring_sqe *sqe = ring_next(&number);

	io_uring_prep_timeout_update(sqe, time_at(number, timeout_ns), tag_of(timer), 0);
	sqe->user_data = IGNORED;
}

static void stop(unsigned int timer)
{
	unsigned int number;
	struct io_uring_sqe *sqe = ring_next(&number);

	io_uring_prep_timeout_remove(sqe, tag_of(timer), 0);
	sqe->user_data = IGNORED;
	generations[timer]++;
}

static bool ready(void)
{
	return bench_ready() || expired_count;
}

/* With more completions than the ring holds, the kernel keeps the rest until it is entered. */
static void fetch(void)
{
	ring_reap();
	if (expired_count)
		return;
	bench_calls++;
	io_uring_get_events(&ring);
	ring_reap();
}

static unsigned int expire(unsigned int *timers, unsigned int room)
{
	unsigned int i;

	if (!expired_count)
		fetch();
	for (i = 0; i < room && expired_count; i++, expired_count--) {
		timers[i] = expired[expired_first];
		expired_first = expired_first + 1 < room_for ? expired_first + 1 : 0;
	}
	return i;
}

const struct bench_ops bench_uring = {
	.name = "io_uring",
	.what = "IORING_OP_TIMEOUT for each timer, the ring entered for 256 operations",
	.prepare = prepare,
	.start = start,
	.reset = reset,
	.stop = stop,
	.turn = ring_turn,
	.ready = ready,
	.expire = expire,
};
