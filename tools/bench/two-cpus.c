// SPDX-License-Identifier: GPL-2.0
/*
 * What a second thread on a second CPU adds, on one shared instance and on one instance each
 *
 * Time on an emulated machine with several CPUs is that of the machine beneath, and what else
 * runs there.  So figures are ratios of two measurements that follow each other, the median of
 * several rounds, and beside each stands a control: the same ratio of a computation that shares
 * nothing, which is what the machine had to give at that time.
 *
 * To be run in the VM, with two CPUs and without --icount.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "numbers.h"
#include "twheel.h"

#define THREADS		2
#define SETTINGS	4
#define BATCH		256
#define TIMEOUT		(3600 * BENCH_SECOND)	/* nothing expires meanwhile */
#define ROUNDS_MAX	99
#define CONTROL_STEPS	500	/* for each timer; about what an operation takes */

enum operation { CONTROL, START, RESET, STOP, PHASES };

static const char *const phase_names[] = { "control", "start", "reset", "stop" };

/* What is compared with 1 and with 2 threads. */
static const struct setting {
	const char *instances;
	unsigned int batch;
	bool shared;
} settings[SETTINGS] = {
	{ "one shared", BATCH, true },
	{ "one each", BATCH, false },
	{ "one shared", 1, true },
	{ "one each", 1, false },
};

/**
 * struct worker - a thread
 * @thread: The thread.
 * @cpu: Where it runs.
 * @fd: Its instance, or the shared one.
 * @batch: Operations in a call.
 * @first: Its timers begin with this ID.
 * @began: When it began a phase.
 * @ended: When it ended it.
 */
struct worker {
	pthread_t thread;
	int cpu;
	int fd;
	unsigned int batch;
	__u64 first;
	__u64 began[PHASES];
	__u64 ended[PHASES];
};

static unsigned long timers = 20000, rounds = 11;
static pthread_barrier_t barrier;
static double ratios[SETTINGS][PHASES][ROUNDS_MAX];

/* ---- the work */

static void check(int ret, const char *what)
{
	if (ret < 0)
		errx(1, "%s: %s", what, strerror(-ret));
}

/* Once a thread is pinned, time passes for it as for its CPU. */
static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cannot run on CPU %d: two are needed (tools/vm/run --smp 2)", cpu);
}

static void compute(void)
{
	__u64 steps = (__u64)timers * CONTROL_STEPS, value = 1, i;

	for (i = 0; i < steps; i++) {
		value = value * 6364136223846793005ULL + 1;
		__asm__ volatile("" : "+r" (value));
	}
}

static void one(const struct worker *w, enum operation phase, __u64 id)
{
	switch (phase) {
	case START:
		check(twheel_start_in(w->fd, id, TIMEOUT, 0), "start");
		break;
	case RESET:
		check(twheel_reset_id(w->fd, id), "reset");
		break;
	default:
		check(twheel_stop_id(w->fd, id), "stop");
	}
}

static void add(struct twheel_batch *batch, enum operation phase, __u64 id)
{
	switch (phase) {
	case START:
		check(twheel_batch_start(batch, id, TIMEOUT, 0), "batch");
		break;
	case RESET:
		check(twheel_batch_reset(batch, id), "batch");
		break;
	default:
		check(twheel_batch_stop(batch, id), "batch");
	}
}

/* Filling the batch is part of it: a program has to do that too. */
static void submit_batch(const struct worker *w, struct twheel_batch *batch)
{
	const struct twheel_result *last;
	int done = twheel_batch_submit(batch, w->fd);

	check(done, "submit");
	last = twheel_batch_result(batch, twheel_batch_count(batch) - 1);
	if (!last || last->error)
		errx(1, "submit: %s", last ? strerror(-last->error) : "ended early");
	twheel_batch_clear(batch);
}

static void operate(const struct worker *w, struct twheel_batch *batch, enum operation phase)
{
	unsigned int i;

	if (phase == CONTROL) {
		compute();
		return;
	}
	for (i = 0; i < timers; i++) {
		if (w->batch == 1) {
			one(w, phase, w->first + i);
			continue;
		}
		add(batch, phase, w->first + i);
		if (twheel_batch_count(batch) == w->batch || i == timers - 1)
			submit_batch(w, batch);
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct twheel_batch *batch;
	int phase;

	pin(w->cpu);
	check(twheel_batch_new(&batch, w->batch), "batch");
	for (phase = 0; phase < PHASES; phase++) {
		pthread_barrier_wait(&barrier);
		w->began[phase] = bench_now();
		operate(w, batch, phase);
		w->ended[phase] = bench_now();
	}
	twheel_batch_free(batch);
	return NULL;
}

/* ---- a measurement */

static int new_instance(void)
{
	int fd = twheel_open(0);

	check(fd, "/dev/twheel");
	return fd;
}

static __u64 first_began(const struct worker *w, unsigned int threads, int phase)
{
	if (threads == 2 && w[1].began[phase] < w[0].began[phase])
		return w[1].began[phase];
	return w[0].began[phase];
}

static __u64 last_ended(const struct worker *w, unsigned int threads, int phase)
{
	if (threads == 2 && w[1].ended[phase] > w[0].ended[phase])
		return w[1].ended[phase];
	return w[0].ended[phase];
}

/* Operations per ns of each phase. */
static void measure(const struct setting *s, unsigned int threads, double *rates)
{
	struct worker workers[THREADS] = {};
	unsigned int i;
	int phase;

	pthread_barrier_init(&barrier, NULL, threads);
	for (i = 0; i < threads; i++) {
		workers[i].cpu = i;
		workers[i].batch = s->batch;
		workers[i].first = (__u64)i * timers;
		workers[i].fd = i && s->shared ? workers[0].fd : new_instance();
	}
	for (i = 0; i < threads; i++) {
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			err(1, "cannot create a thread");
	}
	for (i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	for (i = 0; i < (s->shared ? 1 : threads); i++)
		close(workers[i].fd);
	for (phase = 0; phase < PHASES; phase++)
		rates[phase] = (double)threads * timers / (last_ended(workers, threads, phase) -
							   first_began(workers, threads, phase));
	pthread_barrier_destroy(&barrier);
}

/* Which comes first alternates, so that a load which grows or shrinks favours neither. */
static void do_round(unsigned int setting, unsigned int round)
{
	const struct setting *s = &settings[setting];
	double rates[THREADS][PHASES];
	unsigned int i, threads;
	int phase;

	for (i = 0; i < THREADS; i++) {
		threads = (i ^ (round & 1)) + 1;
		measure(s, threads, rates[threads - 1]);
	}
	for (phase = 0; phase < PHASES; phase++)
		ratios[setting][phase][round] = rates[1][phase] / rates[0][phase];
}

/* ---- results */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(unsigned int setting, int phase)
{
	const struct setting *s = &settings[setting];
	double *sorted = ratios[setting][phase];
	double median;

	qsort(sorted, rounds, sizeof(*sorted), compare);
	median = (sorted[rounds / 2] + sorted[(rounds - 1) / 2]) / 2;
	printf("%s,%s,%u,%lu,%lu,%.2f,%.2f,%.2f\n", s->instances, phase_names[phase], s->batch,
	       timers, rounds, median, sorted[0], sorted[rounds - 1]);
}

static const char help[] =
	"usage: two-cpus [--timers N] [--rounds N]\n"
	"\n"
	"The throughput of two threads, on two CPUs, divided by that of one: with one shared\n"
	"instance and with one instance each; start, reset and stop, in batches of 256 and\n"
	"single. Needs /dev/twheel: tools/vm/run --smp 2 runs it; not with --icount, which\n"
	"has only one CPU.\n"
	"\n"
	"  --timers N  of each thread (20000)\n"
	"  --rounds N  odd is better (11)\n"
	"\n"
	"Prints CSV: instances, operation, batch, timers of a thread, rounds; the ratio, median\n"
	"of all rounds, the least and the most. The operation \"control\" is a computation that\n"
	"shares nothing: where its ratio is not near 2, the machine was busy with other\n"
	"things, and the others can be no better.\n";

static const struct number numbers[] = {
	{ "timers", &timers, 400000 },
	{ "rounds", &rounds, ROUNDS_MAX },
	{ }
};

int main(int argc, char **argv)
{
	unsigned int round, setting;
	int phase;

	parse_numbers(argc, argv, numbers, help);
	for (round = 0; round < rounds; round++) {
		fprintf(stderr, "# two-cpus: round %u of %lu\n", round + 1, rounds);
		for (setting = 0; setting < SETTINGS; setting++)
			do_round(setting, round);
	}
	puts("instances,operation,batch,timers of a thread,rounds,ratio,least,most");
	for (setting = 0; setting < SETTINGS; setting++)
		for (phase = 0; phase < PHASES; phase++)
			print(setting, phase);
	return 0;
}
