/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The benchmark: one driver and many back ends, each of which keeps timers in its own
 * way.
 *
 * A timer is a number from 0 up, as a server numbers its connections.  The driver says
 * what happens to which timer, in the same pseudo-random order for each back end.
 */
#ifndef BENCH_H
#define BENCH_H

#include <err.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define BENCH_SECOND	1000000000ULL

/* Operations between two turns of a server's event loop, and expiries read in one. */
#define BENCH_ROUND	256

/**
 * struct bench_ops - a back end
 * @name: In the results.
 * @what: A line for --help.
 * @max_timers: It takes no more; 0: any number.
 * @why: Says in the results why not.
 * @round: Operations in a turn of the event loop; 0: BENCH_ROUND.
 * @stays: An expired timer keeps its object until @stop.
 * @user_space: The kernel knows nothing of the timers.
 * @late_ns: A timer can be that much too late, after a minute.
 * @prepare: Makes room for so many timers.  None of the others is called before.
 * @start: Makes a timer and starts it.
 * @reset: Runs it again from now.
 * @stop: Stops it, and frees what the kernel has of it.
 * @turn: The end of a turn: what was put off until then.  May be NULL.
 * @ready: Is there anything to expire?  As an event loop asks, without waiting.
 * @expire: Takes up to @room expired timers, at most BENCH_ROUND; how many there were.
 *
 * A process uses one back end, once, and its end gives everything back.  When an operation
 * fails it ends with a message.
 */
struct bench_ops {
	const char *name;
	const char *what;
	unsigned int max_timers;
	const char *why;
	unsigned int round;
	bool stays;
	bool user_space;
	__u64 late_ns;
	void (*prepare)(unsigned int timers);
	void (*start)(unsigned int timer, __u64 timeout_ns);
	void (*reset)(unsigned int timer, __u64 timeout_ns);
	void (*stop)(unsigned int timer);
	void (*turn)(void);
	bool (*ready)(void);
	unsigned int (*expire)(unsigned int *timers, unsigned int room);
};

extern const struct bench_ops bench_null;
extern const struct bench_ops bench_twheel_single;
extern const struct bench_ops bench_twheel_batch_1;
extern const struct bench_ops bench_twheel_batch_16;
extern const struct bench_ops bench_twheel_batch_256;
extern const struct bench_ops bench_twheel_batch_4096;
extern const struct bench_ops bench_twheel_mapped;
extern const struct bench_ops bench_twheel_uring;
extern const struct bench_ops bench_timerfd;
extern const struct bench_ops bench_posix;
extern const struct bench_ops bench_uring;
extern const struct bench_ops bench_misdn;
extern const struct bench_ops bench_heap;
extern const struct bench_ops bench_skiplist;
extern const struct bench_ops bench_libevent;
extern const struct bench_ops bench_libuv;

/* ---- measure.c */

/* System calls that the back end has made: it counts them itself. */
extern unsigned long bench_calls;

/* ns on CLOCK_MONOTONIC: with -icount, instructions. */
__u64 bench_now(void);
void bench_sleep_until(__u64 when);
__u64 bench_spin(__u64 until);
long bench_memory_used(void);
long bench_memory_slab(void);
unsigned long bench_wakeups(void);

/*
 * Zeroed memory that is there already, so that no operation pays for a page: for the
 * driver's own needs, and buffers of fixed size.  It does not count as used by timers.
 */
void *bench_alloc(size_t count, size_t size);
/* The same for what a program has for each timer: it is taken where it is used first. */
void *bench_room(size_t count, size_t size);

/* ---- watch.c */

void bench_watch(int fd);
bool bench_ready(void);

/* ---- order.c */

__u32 bench_random(void);
void bench_seed(__u32 seed);
void bench_shuffle(unsigned int *numbers, unsigned int count);

/* ---- workload.c */

void bench_run(const struct bench_ops *ops, const char *workload, unsigned int timers);

#endif /* BENCH_H */
