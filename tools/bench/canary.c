// SPDX-License-Identifier: GPL-2.0
/*
 * How late a canary is during a crowd of expiries
 *
 * The canary is a periodic timer that is due in every tick, and the crowd very
 * many timers that are due in one. What is judged is the time when the kernel
 * let the canary expire, against the deadline; beside it, when it was read. The
 * program reads all the time, with a thread for each instance.
 *
 * To be run in the VM, with --icount.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "numbers.h"
#include "twheel.h"

#define TICK_SHIFT	20	/* the default */
#define TICK		1048576ULL	/* ns: 2^TICK_SHIFT */
#define CANARY		UINT64_MAX	/* its ID; those of the crowd count from 0 */
#define LEAD		8192	/* ticks from the first canary to the crowd: all its migration */
#define TAIL		256	/* ticks from the crowd to the last canary, at least */
#define RECORDS		256	/* in a read */
#define OPERATIONS	256	/* in a submit */
#define BOUNDS		5

/* Periods are counted by how many ticks late they were, up to these many. */
static const __u64 bounds[BOUNDS] = { 0, 1, 2, 10, 100 };

static unsigned long crowd_timers = 1000000, start_seconds = 10;

enum crowd_place { NO_CROWD, SAME_INSTANCE, OTHER_INSTANCE };

static const char *const place_names[] = { "none", "same instance", "other instance" };

/**
 * struct run - a canary, and the crowd that it is beside, if any
 * @canary_fd: The canary's instance.
 * @crowd_fd: The crowd's, which may be the same; -1: there is none.
 * @crowd_at: When the crowd is due, ns.
 * @left: Timers of the crowd that were not read yet.
 * @crowd_fired: When the last one of the crowd has expired, ns.
 * @crowd_read: When the last one of the crowd was read, ns.
 * @end: Tells that a canary due then is the last one, ns.
 * @ended: It was.
 * @records: Expiries of the canary that were read.
 * @periods: Periods of the canary, of which a record can report several.
 * @unread: Of these, periods that came while the record of an earlier one was not read yet.
 * @late: How many were at most that late, by @bounds, and how many were later.
 * @most_before: How late the latest expired of those due before the crowd, ticks.
 * @most: How late the latest of all expired, ticks.
 * @most_read: How late the latest was read, ticks.
 */
struct run {
	int canary_fd;
	int crowd_fd;
	__u64 crowd_at;
	atomic_ulong left;
	__u64 crowd_fired;
	__u64 crowd_read;
	__u64 end;
	bool ended;
	__u64 records;
	__u64 periods;
	__u64 unread;
	__u64 late[BOUNDS + 1];
	__u64 most_before;
	__u64 most;
	__u64 most_read;
};

static int check(int ret, const char *what)
{
	if (ret < 0)
		errx(1, "%s: %s", what, strerror(-ret));
	return ret;
}

static int new_instance(__u64 timers)
{
	struct twheel_setup setup = { .tick_shift = TICK_SHIFT, .max_timers = timers };
	int fd = check(twheel_open(0), "/dev/twheel");

	check(twheel_setup(fd, &setup, sizeof(setup)), "setup");
	return fd;
}

/* ---- reading */

/* The periods that a record of the canary reports, by how late they have expired. */
static void note_canary(struct run *run, const struct twheel_event *event, __u64 now)
{
	__u64 deadline = event->deadline_ns, nr, late;
	unsigned int i;

	run->records++;
	run->periods += event->expirations;
	late = (now - deadline) / TICK;
	if (late > run->most_read)
		run->most_read = late;
	for (nr = 0; nr < event->expirations; nr++, deadline += TICK) {
		if (deadline > event->fired_ns) {
			run->unread += event->expirations - nr;
			break;
		}
		late = (event->fired_ns - deadline) / TICK;
		if (late > run->most)
			run->most = late;
		if (late > run->most_before && deadline < run->crowd_at)
			run->most_before = late;
		for (i = 0; i < BOUNDS && late > bounds[i]; i++)
			;
		run->late[i]++;
	}
	run->ended = event->fired_ns >= run->end;
}

static void note_crowd(struct run *run, const struct twheel_event *event, __u64 now)
{
	if (event->fired_ns < run->crowd_at)
		errx(1, "a timer of the crowd has expired early");
	run->crowd_fired = event->fired_ns;
	run->crowd_read = now;
	atomic_fetch_sub(&run->left, 1);
}

static void read_some(struct run *run, int fd)
{
	struct twheel_event events[RECORDS];
	int nr = check(twheel_read(fd, events, RECORDS), "read"), i;
	__u64 now = bench_now();

	for (i = 0; i < nr; i++) {
		if (events[i].id == CANARY)
			note_canary(run, &events[i], now);
		else
			note_crowd(run, &events[i], now);
	}
}

static void *read_crowd(void *arg)
{
	struct run *run = arg;

	while (atomic_load(&run->left))
		read_some(run, run->crowd_fd);
	return NULL;
}

/* The crowd too if it is in the same instance. */
static void read_canary(struct run *run)
{
	while (!run->ended || atomic_load(&run->left))
		read_some(run, run->canary_fd);
}

/* ---- starting */

static void start_batch(struct twheel_batch *batch, int fd)
{
	const struct twheel_result *last;

	check(twheel_batch_submit(batch, fd), "submit");
	last = twheel_batch_result(batch, twheel_batch_count(batch) - 1);
	check(last ? last->error : -EINTR, "start of the crowd");
	twheel_batch_clear(batch);
}

static void start_crowd(struct run *run, __u64 timers)
{
	struct twheel_batch *batch;
	struct twheel_op *op;
	__u64 id;

	check(twheel_batch_new(&batch, OPERATIONS), "batch");
	for (id = 0; id < timers; id++) {
		op = twheel_batch_add(batch);
		op->opcode = TWHEEL_OP_START;
		op->flags = TWHEEL_ABSTIME;
		op->id = id;
		op->time_ns = run->crowd_at;
		if (twheel_batch_count(batch) == OPERATIONS || id == timers - 1)
			start_batch(batch, run->crowd_fd);
		if (id && !(id % 250000))
			fprintf(stderr, "# canary: %llu timers started\n", (unsigned long long)id);
	}
	twheel_batch_free(batch);
}

static void start_canary(struct run *run)
{
	struct twheel_start start = {
		.id = CANARY,
		.flags = TWHEEL_ABSTIME,
		.time_ns = run->crowd_at - LEAD * TICK,
		.interval_ns = TICK,
	};

	check(twheel_start(run->canary_fd, &start), "start of the canary");
	if (bench_now() >= start.time_ns)
		errx(1, "the crowd took too long to start: give it more --seconds");
}

/* ---- a run */

static double ms_after(__u64 time, __u64 start)
{
	return time > start ? (time - start) / 1e6 : 0;
}

static void print(const struct run *run, enum crowd_place place, __u64 timers)
{
	unsigned int i;

	printf("%s,%llu,%llu,%llu", place_names[place], (unsigned long long)timers,
	       (unsigned long long)run->periods, (unsigned long long)run->unread);
	for (i = 0; i <= BOUNDS; i++)
		printf(",%llu", (unsigned long long)run->late[i]);
	printf(",%llu,%llu,%llu,%.1f,%.1f\n", (unsigned long long)run->most_before,
	       (unsigned long long)run->most, (unsigned long long)run->most_read,
	       ms_after(run->crowd_fired, run->crowd_at),
	       ms_after(run->crowd_read, run->crowd_at));
	fflush(stdout);
}

static void measure(enum crowd_place place, __u64 timers)
{
	struct run run = { .crowd_fd = -1 };
	bool other = place == OTHER_INSTANCE;
	pthread_t reader;

	fprintf(stderr, "# canary: crowd %s\n", place_names[place]);
	run.canary_fd = new_instance(timers + 1);
	if (timers)
		run.crowd_fd = other ? new_instance(timers) : run.canary_fd;
	run.crowd_at = ((bench_now() + start_seconds * BENCH_SECOND) / TICK + LEAD) * TICK;
	run.end = run.crowd_at + TAIL * TICK;
	atomic_init(&run.left, timers);
	start_crowd(&run, timers);
	start_canary(&run);
	if (other && pthread_create(&reader, NULL, read_crowd, &run))
		errx(1, "cannot create a thread");
	read_canary(&run);
	if (other) {
		pthread_join(reader, NULL);
		close(run.crowd_fd);
	}
	close(run.canary_fd);
	print(&run, place, timers);
}

static const char help[] =
	"usage: canary [--timers N] [--seconds N]\n"
	"\n"
	"How late a periodic timer with an interval of a tick (2^20 ns) expires while very\n"
	"many timers expire in one tick: without them, with them in its own instance, and with\n"
	"them in another one. Needs /dev/twheel: tools/vm/run --icount --memory 1G runs it.\n"
	"\n"
	"  --timers N   how many timers expire at once (1000000)\n"
	"  --seconds N  how long starting them may take (10)\n"
	"\n"
	"Prints CSV: where the crowd is, and its size; periods of the canary, and how many of\n"
	"them came while the record of an earlier one was unread, so that nothing is known of\n"
	"their expiry; of the others, how many expired in their tick, 1 tick late, and so on;\n"
	"how late the latest expired of those due before the crowd, and of all, and was read,\n"
	"in ticks; when the last one of the crowd had expired, and was read, in ms after its\n"
	"deadline.\n";

static const struct number numbers[] = {
	{ "timers", &crowd_timers, 4000000 },
	{ "seconds", &start_seconds, 3600 },
	{ }
};

int main(int argc, char **argv)
{
	parse_numbers(argc, argv, numbers, help);
	fputs("crowd,timers,periods,unread,on time,1 late,2 late,3 to 10 late,11 to 100 late,",
	      stdout);
	fputs("over 100 late,most late before,most late,most late read,", stdout);
	puts("crowd expired ms,crowd read ms");
	measure(NO_CROWD, 0);
	measure(SAME_INSTANCE, crowd_timers);
	measure(OTHER_INSTANCE, crowd_timers);
	return 0;
}
