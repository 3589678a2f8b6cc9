// SPDX-License-Identifier: GPL-2.0
/* What happens to the timers, and what it costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "workload.h"

/* An operation that takes very long is repeated less often: so many instructions. */
#define BUDGET		400000000ULL
/* Operations that are measured, if there are so many timers. */
#define OPERATIONS	100000U
/* Timeouts are those of a server's connections: from 30 to 60 s. */
#define TIMEOUT_MIN	(30 * BENCH_SECOND)

enum kind {
	START,
	RESET,
	STOP,
};

const struct bench_ops *back_end;
unsigned int population;
unsigned int *order;
__u64 *timeouts;

/* For the server: timers that do not run, and which they are. */
static unsigned int *idle;
static unsigned int idle_count;
static bool *runs;

static struct {
	long used;
	long slab;
} memory_before;

void emit(const char *workload, unsigned int operations, __s64 value, const char *unit)
{
	printf("%s,%s,%u,%u,%lld,%s,-,\n", back_end->name, workload, population, operations,
	       value, unit);
	fflush(stdout);
}

void emit_none(const char *workload, const char *why)
{
	printf("%s,%s,%u,0,-,-,-,%s\n", back_end->name, workload, population, why);
	fflush(stdout);
}

void emit_cost(const char *workload, const struct cost *cost, const struct cost *own)
{
	__s64 own_share = own->instructions * cost->operations / own->operations;
	unsigned int half = cost->operations / 2;

	printf("%s,%s,%u,%u,%lld,instructions,%lu,\n", back_end->name, workload, population,
	       cost->operations, ((__s64)cost->instructions - own_share + half) / cost->operations,
	       (cost->calls * 1000 + half) / cost->operations);
	fflush(stdout);
}

static inline void operate(const struct bench_ops *ops, enum kind kind, unsigned int timer)
{
	if (kind == START)
		ops->start(timer, timeouts[timer]);
	else if (kind == RESET)
		ops->reset(timer, timeouts[timer]);
	else
		ops->stop(timer);
}

static unsigned int round_of(const struct bench_ops *ops)
{
	return ops->round ? ops->round : BENCH_ROUND;
}

/* One operation on each of the first @count timers of the order, within @budget. */
static struct cost run(const struct bench_ops *ops, enum kind kind, unsigned int count,
		       __u64 budget)
{
	unsigned int i = 0, end, round = round_of(back_end);
	unsigned long calls = bench_calls;
	__u64 begin = bench_now(), now;

	do {
		end = i + round < count ? i + round : count;
		for (; i < end; i++)
			operate(ops, kind, order[i]);
		if (ops->turn)
			ops->turn();
		now = bench_now();
	} while (i < count && now - begin < budget);
	return (struct cost){ now - begin, i, bench_calls - calls };
}

static struct cost measure(const char *workload, enum kind kind, unsigned int count,
			   __u64 budget)
{
	struct cost own, cost;

	own = run(&bench_null, kind, count, -1ULL);
	cost = run(back_end, kind, count, budget);
	emit_cost(workload, &cost, &own);
	return cost;
}

static unsigned int operations(void)
{
	return population < OPERATIONS ? population : OPERATIONS;
}

void choose_timeouts(__u64 min, __u64 range)
{
	unsigned int i;

	for (i = 0; i < population; i++)
		timeouts[i] = min + (__u64)(bench_random() / 4294967296.0 * range);
}

/* Since the back end has had nothing. */
static void emit_memory(void)
{
	long used = bench_memory_used() - memory_before.used;
	long slab = bench_memory_slab() - memory_before.slab;

	/* below that, a page here or there would be most of it */
	if (population < 100000)
		return;
	emit("memory", population, (used + population / 2) / population, "bytes");
	emit("memory-slab", population, (slab + population / 2) / population, "bytes");
}

static void start_all(void)
{
	choose_timeouts(TIMEOUT_MIN, TIMEOUT_MIN);
	bench_shuffle(order, population);
	measure("start", START, population, -1ULL);
	emit_memory();
}

/* At random: some timers several times, others never. */
static void reset_some(void)
{
	unsigned int i, count = operations();

	for (i = 0; i < count; i++)
		order[i] = bench_random() % population;
	measure("reset", RESET, count, BUDGET);
}

static void stop_some(void)
{
	unsigned int i, kept = 0;

	bench_shuffle(order, population);
	for (i = 0; i < population; i++) {
		if (runs[order[i]])
			order[kept++] = order[i];
	}
	measure("stop", STOP, kept < OPERATIONS ? kept : OPERATIONS, BUDGET);
}

/* ---- a server's load */

static void ended(unsigned int timer)
{
	runs[timer] = false;
	idle[idle_count++] = timer;
}

/* The connection is closed; its timer may need it too. */
static void expired(const struct bench_ops *ops, unsigned int timer)
{
	if (!runs[timer])
		return;
	if (ops->stays)
		ops->stop(timer);
	ended(timer);
}

static void expire_ready(const struct bench_ops *ops)
{
	unsigned int timers[BENCH_ROUND], count, i;

	if (!ops->ready())
		return;
	do {
		count = ops->expire(timers, BENCH_ROUND);
		for (i = 0; i < count; i++)
			expired(ops, timers[i]);
	} while (count == BENCH_ROUND);
}

static unsigned int pick_running(unsigned int timer)
{
	while (!runs[timer])
		timer = timer + 1 < population ? timer + 1 : 0;
	return timer;
}

/* 90 of 100 are resets, 5 are starts and 5 stops. */
static void serve_one(const struct bench_ops *ops)
{
	unsigned int percent = bench_random() % 100;
	unsigned int timer = bench_random() % population;

	if (percent < 5 && idle_count) {
		timer = idle[--idle_count];
		runs[timer] = true;
		ops->start(timer, timeouts[timer]);
		return;
	}
	timer = pick_running(timer);
	if (percent < 95) {
		ops->reset(timer, timeouts[timer]);
	} else {
		ops->stop(timer);
		ended(timer);
	}
}

static struct cost serve(const struct bench_ops *ops, unsigned int count, __u64 budget)
{
	unsigned int i = 0, end, round = round_of(back_end);
	unsigned long calls = bench_calls;
	__u64 begin = bench_now(), now;

	do {
		end = i + round < count ? i + round : count;
		for (; i < end; i++)
			serve_one(ops);
		if (ops->turn)
			ops->turn();
		expire_ready(ops);
		now = bench_now();
	} while (i < count && now - begin < budget);
	return (struct cost){ now - begin, i, bench_calls - calls };
}

static void all_run(void)
{
	memset(runs, true, population);
	idle_count = 0;
	bench_seed(population);
}

/*
 * When about a hundredth of the timers has expired, the first of which was started at @begin
 * and the last at @end.
 */
static __u64 some_expired(__u64 begin, __u64 end)
{
	double took = end - begin, hundredth = TIMEOUT_MIN / 100;

	if (took < 2 * hundredth)
		return begin + TIMEOUT_MIN + hundredth + took / 2;
	/* the last ones are not due before that */
	return begin + TIMEOUT_MIN + sqrt(2 * hundredth * took);
}

/* When it begins, expiries wait to be read. */
static void serve_some(__u64 when)
{
	struct cost own, cost;

	all_run();
	own = serve(&bench_null, operations(), -1ULL);
	all_run();
	bench_sleep_until(when);
	cost = serve(back_end, operations(), BUDGET);
	emit_cost("server", &cost, &own);
}

static void operate_all(void)
{
	__u64 begin = bench_now(), end;

	start_all();
	end = bench_now();
	reset_some();
	serve_some(some_expired(begin, end));
	stop_some();
}

/* ---- nothing happens */

#define IDLE_SECONDS	10ULL

/* Timers that are far: how often is the CPU woken nevertheless? */
static void stay_idle(void)
{
	unsigned long wakeups;
	__u64 end;

	choose_timeouts(3600 * BENCH_SECOND, 3600 * BENCH_SECOND);
	bench_shuffle(order, population);
	run(back_end, START, population, -1ULL);
	bench_sleep_until(bench_now() + BENCH_SECOND);
	wakeups = bench_wakeups();
	end = bench_now() + IDLE_SECONDS * BENCH_SECOND;
	bench_sleep_until(end);
	emit("idle", 1, bench_wakeups() - wakeups, "wake-ups");
}

/* ---- */

static const struct workload {
	const char *name;
	void (*run)(void);
	const char *figures[8];
} workloads[] = {
	{ "operations", operate_all, { "start", "reset", "server", "stop" } },
	{ "expire", expire_all, { "expire", "deliver" } },
	{ "stall", stall_all, { "stall" } },
	{ "idle", stay_idle, { "idle" } },
	{ "locked", measure_locked, { "locked", "locked-expiry" } },
	{ }
};

static const struct workload *find(const char *name)
{
	size_t i;

	for (i = 0; workloads[i].name; i++) {
		if (!strcmp(name, workloads[i].name))
			return &workloads[i];
	}
	errx(2, "no workload '%s': operations, expire, stall, idle or locked", name);
}

static void prepare(unsigned int timers)
{
	order = bench_alloc(timers, sizeof(*order));
	timeouts = bench_alloc(timers, sizeof(*timeouts));
	idle = bench_alloc(timers, sizeof(*idle));
	runs = bench_alloc(timers, sizeof(*runs));
	bench_seed(timers);
	all_run();
	/* what processes before this one had comes back by and by */
	bench_sleep_until(bench_now() + 2 * BENCH_SECOND);
	memory_before.used = bench_memory_used();
	memory_before.slab = bench_memory_slab();
	back_end->prepare(timers);
}

static void pass_over(const struct workload *workload)
{
	int i;

	for (i = 0; workload->figures[i]; i++)
		emit_none(workload->figures[i], back_end->why);
}

void bench_run(const struct bench_ops *ops, const char *name, unsigned int timers)
{
	const struct workload *workload = find(name);

	back_end = ops;
	population = timers;
	if (ops->max_timers && timers > ops->max_timers) {
		pass_over(workload);
		return;
	}
	prepare(timers);
	workload->run();
}
