// SPDX-License-Identifier: GPL-2.0
/*
 * All timers expire in one tick: what the kernel does then, how long it lets no thread
 * run, and what it costs to take the expiries.
 *
 * What the kernel does beside a program is seen by a loop of the lowest priority that
 * reads the clock: the gaps between readings.  A second thread of the highest one wakes
 * up all the time, and sees how late it does; its share of the gaps is known by how often.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include "workload.h"

#define TICK		1048576ULL
#define MS		1000000ULL
#define WINDOW		(4 * MS)	/* of the kernel's own tick, so that each has one */
#define CALIBRATION	(10 * WINDOW)
/* A wheel has moved its timers to where they expire since then. */
#define LEAD		(18 * WINDOW)
#define QUIET_WINDOWS	3
#define CANARY_PERIOD	100000ULL
/* Instructions between two readings of the clock that are no gap. */
#define TURN		500

/* ---- the thread that is late */

static bool canary_runs;
static __u64 canary_late;
static unsigned long canary_wakes;

static void set_priority(int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, policy, &param))
		err(1, "sched_setscheduler");
}

static void *canary(void *unused)
{
	__u64 due = bench_now(), late;

	set_priority(SCHED_FIFO, 1);
	while (__atomic_load_n(&canary_runs, __ATOMIC_RELAXED)) {
		due += CANARY_PERIOD;
		bench_sleep_until(due);
		late = bench_now() - due;
		if (late > canary_late)
			canary_late = late;
		due += late;
		__atomic_add_fetch(&canary_wakes, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* ---- the loop that is interrupted */

struct gaps {
	__u64 length;
	unsigned long wakes;	/* of the canary */
};

static struct gaps spin_until(__u64 end)
{
	__u64 before = bench_now(), now, length = 0;
	unsigned long wakes = __atomic_load_n(&canary_wakes, __ATOMIC_RELAXED);

	do {
		now = bench_now();
		if (now - before > TURN)
			length += now - before;
		before = now;
	} while (now < end);
	return (struct gaps){
		length, __atomic_load_n(&canary_wakes, __ATOMIC_RELAXED) - wakes
	};
}

/* What is in the gaps beside the canary, and the kernel's tick that comes with it. */
static __s64 work_around(__u64 deadline)
{
	struct gaps usual, gaps;
	unsigned int quiet = 0;
	__s64 more, work = 0;

	bench_sleep_until(deadline - LEAD - 2 * CALIBRATION);
	usual = spin_until(bench_now() + CALIBRATION);
	bench_sleep_until(deadline - LEAD);
	canary_late = 0;
	do {
		gaps = spin_until(bench_now() + WINDOW);
		more = gaps.length - usual.length * gaps.wakes / usual.wakes;
		work += more;
		quiet = more < (__s64)WINDOW / 50 ? quiet + 1 : 0;
	} while (quiet < QUIET_WINDOWS || bench_now() < deadline + 4 * WINDOW);
	return work;
}

static void measure_expiry(__u64 deadline)
{
	pthread_t thread;
	__s64 work;

	canary_runs = true;
	if (pthread_create(&thread, NULL, canary, NULL))
		errx(1, "no thread for the canary");
	set_priority(SCHED_IDLE, 0);
	work = work_around(deadline);
	set_priority(SCHED_OTHER, 0);
	__atomic_store_n(&canary_runs, false, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	/* below that, whatever else the kernel does would be much of it */
	if (population >= 10000)
		emit("expire", population, (work + population / 2) / population,
		     "instructions");
	emit("stall", population, canary_late, "instructions");
}

/* ---- */

/* Operations that a back end puts off are not put off for long. */
static void start_for(__u64 deadline)
{
	unsigned int i;
	__u64 now = 0;

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
	/* so far that all are started by then, in the middle of a tick */
	__u64 deadline = (bench_now() + 60 * BENCH_SECOND) / TICK * TICK - TICK / 2;
	const struct cost none = { 0, 1, 0 };
	struct cost cost;

	if (back_end == &bench_null)
		return;
	bench_shuffle(order, population);
	start_for(deadline);
	if (back_end->late_ns)
		emit_none("expire", "expires when the kernel's own timers do");
	else if (!back_end->user_space)
		measure_expiry(deadline);
	bench_sleep_until(deadline + 20 * MS + back_end->late_ns);
	cost = deliver();
	emit_cost("deliver", &cost, &none);
}
