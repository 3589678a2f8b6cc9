// SPDX-License-Identifier: GPL-2.0
/*
 * All timers expire in one tick: what the kernel does then, what it costs to take the
 * expiries, and for how long no thread could run.
 */
#include <sched.h>
#include "workload.h"

#define TICK		1048576ULL
#define LEVEL_SLOTS	64ULL
#define MS		1000000ULL
#define WINDOW		(4 * MS)	/* of the kernel's own tick, so that each has one */
#define CALIBRATION	25		/* windows */
/* A wheel has moved its timers to where they expire since then. */
#define LEAD		(18 * WINDOW)
#define QUIET_WINDOWS	3
/* Instructions between two readings of the clock that are no gap. */
#define TURN		500
#define WORK_TIMERS	10000
/* With more timers the stretches are the same, or as many times as long. */
#define STALL_TIMERS	100000
/* What the thread of the highest priority sleeps, less than what it is to see. */
#define NAP		5000ULL

static void set_priority(int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, policy, &param))
		err(1, "sched_setscheduler");
}

/* All due at once.  Operations that a back end puts off are not put off for long. */
static void start_for(__u64 deadline)
{
	unsigned int i;
	__u64 now = 0;

	bench_shuffle(order, population);
	for (i = 0; i < population; i++) {
		if (i % 16 == 0) {
			if (back_end->turn)
				back_end->turn();
			now = bench_now();
		}
		back_end->start(order[i], deadline - now);
	}
	if (back_end->turn)
		back_end->turn();
}

/*
 * So far that all are started by then.  Just after the lowest level of a wheel has gone
 * round, and in the middle of a round of the next one, so that of the moves between levels
 * always the same are in LEAD: that to the lowest one.
 */
static __u64 choose_deadline(void)
{
	__u64 round = LEVEL_SLOTS * LEVEL_SLOTS, tick;

	tick = (bench_now() + 60 * BENCH_SECOND) / TICK / round * round + round / 2;
	return tick * TICK + TICK / 2;
}

/* When the last timer may expire. */
static __u64 end_of(__u64 deadline)
{
	return deadline + 4 * WINDOW + back_end->late_ns;
}

/* ---- what the kernel does: a loop of the lowest priority is interrupted for it */

/* How much of a window was not the loop's. */
static __u64 gaps_in_window(void)
{
	__u64 before = bench_now(), end = before + WINDOW, now, length = 0;

	do {
		now = bench_now();
		if (now - before > TURN)
			length += now - before;
		before = now;
	} while (now < end);
	return length;
}

/* What is in the gaps beside what is there without timers. */
static __s64 work_around(__u64 deadline)
{
	__u64 usual = 0;
	unsigned int i, quiet = 0;
	__s64 more, work = 0;

	bench_sleep_until(deadline - LEAD - (CALIBRATION + 2) * WINDOW);
	for (i = 0; i < CALIBRATION; i++)
		usual += gaps_in_window();
	usual /= CALIBRATION;
	bench_sleep_until(deadline - LEAD);
	do {
		more = gaps_in_window() - usual;
		work += more;
		quiet = more < (__s64)WINDOW / 50 ? quiet + 1 : 0;
	} while (quiet < QUIET_WINDOWS || bench_now() < end_of(deadline));
	return work;
}

static void measure_work(__u64 deadline)
{
	__s64 work;

	set_priority(SCHED_IDLE, 0);
	work = work_around(deadline);
	set_priority(SCHED_OTHER, 0);
	/* below that, whatever else the kernel does would be much of it */
	if (population < WORK_TIMERS)
		emit_none("expire", "only from 10000 timers");
	else
		emit("expire", population, (work + population / 2) / population,
		     "instructions");
}

static struct cost deliver(void)
{
	unsigned int timers[BENCH_ROUND], count, done = 0;
	unsigned long calls = bench_calls;
	__u64 begin = bench_now();

	while (done < population) {
		count = back_end->expire(timers, BENCH_ROUND);
		if (!count)
			errx(1, "%s: %u expiries of %u", back_end->name, done, population);
		done += count;
	}
	return (struct cost){ bench_now() - begin, done, bench_calls - calls };
}

void expire_all(void)
{
	__u64 deadline = choose_deadline();
	const struct cost none = { 0, 1, 0 };
	struct cost cost;

	if (back_end == &bench_null)
		return;
	start_for(deadline);
	if (back_end->user_space)
		emit_none("expire", "expires when it is taken");
	else
		measure_work(deadline);
	bench_sleep_until(end_of(deadline));
	cost = deliver();
	emit_cost("deliver", &cost, &none);
}

/* ---- how long no thread runs */

struct naps {
	unsigned int count;
	__u64 longest;
};

/*
 * A thread of the highest priority sleeps for so short a time that it would run again
 * within what keeps it from that, and sees that from its beginning.
 */
static struct naps naps_in_window(void)
{
	__u64 before = bench_now(), end = before + WINDOW, now;
	struct naps naps = { };

	do {
		bench_sleep_until(before + NAP);
		now = bench_now();
		naps.count++;
		if (now - before > naps.longest)
			naps.longest = now - before;
		before = now;
	} while (now < end);
	return naps;
}

static __u64 longest_nap(__u64 deadline)
{
	unsigned int quiet = 0, usual;
	struct naps naps;
	__u64 longest = 0;

	bench_sleep_until(deadline - LEAD - 2 * WINDOW);
	usual = naps_in_window().count;
	bench_sleep_until(deadline - LEAD);
	do {
		naps = naps_in_window();
		if (naps.longest > longest)
			longest = naps.longest;
		quiet = naps.count > usual * 9 / 10 ? quiet + 1 : 0;
	} while (quiet < QUIET_WINDOWS || bench_now() < end_of(deadline));
	return longest;
}

void stall_all(void)
{
	__u64 deadline = choose_deadline();

	if (back_end == &bench_null)
		return;
	if (back_end->user_space) {
		emit_none("stall", "the kernel does nothing then");
		return;
	}
	if (population > STALL_TIMERS) {
		emit_none("stall", "only up to 100000 timers");
		return;
	}
	start_for(deadline);
	set_priority(SCHED_FIFO, 99);
	emit("stall", population, longest_nap(deadline), "instructions");
	set_priority(SCHED_OTHER, 0);
}
