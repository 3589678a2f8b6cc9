/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the self tests of /dev/twheel share: a wrapper per ioctl, clocks, and
 * ways to wait for a state instead of for a time.
 *
 * Every wrapper returns 0 or -errno, and hands poison to the kernel in the
 * fields that it is to fill in.  Lateness is never judged here: the machine may
 * be an emulated one.  TW_PATIENCE_MS is how long a test waits for something
 * that has to happen before it says that it did not.
 *
 * A function that takes a fixture or a variant names its struct, _test_data_X or
 * _fixture_variant_X: checkpatch reads FIXTURE_DATA(X) *x as a product.
 */
#ifndef TWHEEL_TEST_H
#define TWHEEL_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <linux/twheel.h>

/* A program that is not a test, as tools/torture, has the calls without the harness. */
#ifdef TWHEEL_NO_HARNESS
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#else
#include <kselftest_harness.h>

/* For what hangs: a machine can be many times slower than the harness expects. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	600
#endif

#define TW_DEVICE	"/dev/twheel"
#define TW_PATIENCE_MS	30000
#define TW_US		1000ULL
#define TW_MS		1000000ULL
#define TW_SEC		1000000000ULL
#define TW_HOUR		(3600 * TW_SEC)
#define TW_SENTINEL	0x5e57195e1ULL
#define U64_MAX		(~0ULL)
#define TW_POISON	0xcc
#define TW_POISON32	0xccccccccU
#define TW_POISON64	0xccccccccccccccccULL
/* What a wrapper returns when a call failed and changed its structure. */
#define TW_TOUCHED	(-100000)

static inline __u64 tw_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * TW_SEC + ts.tv_nsec;
}

static inline __u64 tw_now(void)
{
	return tw_clock(CLOCK_MONOTONIC);
}

static inline void tw_spin_until(__u64 deadline_ns)
{
	while (tw_now() < deadline_ns)
		;
}

static inline void tw_sleep(__u64 ns)
{
	struct timespec ts = { ns / TW_SEC, ns % TW_SEC };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static inline int tw_env(const char *name, int otherwise)
{
	const char *value = getenv(name);

	return value ? atoi(value) : otherwise;
}

/* @count for a stock kernel; fewer where TWHEEL_TEST_SCALE (percent) says so. */
static inline unsigned int tw_scaled(unsigned int count)
{
	__u64 scaled = (__u64)count * tw_env("TWHEEL_TEST_SCALE", 100) / 100;

	return scaled ? scaled : 1;
}

/* The seed of a random test: TWHEEL_SEED, or a new one; printed either way. */
static inline __u64 tw_seed(void)
{
	const char *value = getenv("TWHEEL_SEED");
	__u64 seed = value ? strtoull(value, NULL, 0) : tw_now();

	printf("# TWHEEL_SEED=%llu\n", seed);
	fflush(stdout);
	return seed;
}

/* A 64-bit linear congruential generator; the weak low bits are left out. */
static inline __u32 tw_random(__u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 32;
}

/* A random number in [0, @below). */
static inline __u64 tw_below(__u64 *state, __u64 below)
{
	__u64 high = tw_random(state);

	return (high << 32 | tw_random(state)) % below;
}

/*
 * An instance.  A test that goes on after the harness was killed would keep it,
 * and the module: so it is killed with it.
 */
static inline int tw_open(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return open(TW_DEVICE, O_RDWR | O_CLOEXEC);
}

static inline int tw_nonblock(int fd)
{
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* A child that cannot outlive the test. */
static inline pid_t tw_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* The exit status of @pid; -1 when it ended otherwise. */
static inline int tw_reap(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* SIGALRM, caught, every half millisecond; how many came is tw_alarms. */
static unsigned int tw_alarms;

static inline void tw_on_alarm(int sig)
{
	(void)sig;
	__atomic_fetch_add(&tw_alarms, 1, __ATOMIC_RELAXED);
}

static inline int tw_alarm_often(bool on)
{
	struct sigaction action = { .sa_handler = tw_on_alarm };
	struct itimerval often = { 0 };

	often.it_interval.tv_usec = on ? 500 : 0;
	often.it_value = often.it_interval;
	return sigaction(SIGALRM, &action, NULL) ?:
	       setitimer(ITIMER_REAL, &often, NULL);
}

static inline int tw_ioctl(int fd, unsigned long cmd, void *arg, size_t size)
{
	char before[512];
	int ret, err;

	memcpy(before, arg, size);
	ret = ioctl(fd, cmd, arg);
	if (ret >= 0)
		return ret;
	err = errno;
	return memcmp(before, arg, size) ? TW_TOUCHED : -err;
}

static inline int tw_info(int fd, struct twheel_info *info)
{
	memset(info, TW_POISON, sizeof(*info));
	info->size = sizeof(*info);
	info->flags = 0;
	return tw_ioctl(fd, TWHEEL_IOC_INFO, info, sizeof(*info));
}

static inline int tw_setup(int fd, struct twheel_setup *setup)
{
	setup->size = sizeof(*setup);
	return tw_ioctl(fd, TWHEEL_IOC_SETUP, setup, sizeof(*setup));
}

static inline int tw_stats(int fd, struct twheel_stats *stats)
{
	memset(stats, TW_POISON, sizeof(*stats));
	stats->size = sizeof(*stats);
	stats->flags = 0;
	return tw_ioctl(fd, TWHEEL_IOC_STATS, stats, sizeof(*stats));
}

/* Poison in what a start, stop, reset or get is to fill in. */
static inline void tw_poison_start(struct twheel_start *start)
{
	start->outcome = TW_POISON32;
	start->generation = TW_POISON64;
	start->remaining_ns = TW_POISON64;
	start->deadline_ns = TW_POISON64;
}

static inline void tw_poison_stop(struct twheel_stop *stop, __u64 id)
{
	memset(stop, TW_POISON, sizeof(*stop));
	stop->id = id;
	stop->flags = 0;
	memset(stop->reserved, 0, sizeof(stop->reserved));
}

static inline void tw_poison_reset(struct twheel_reset *reset)
{
	reset->outcome = TW_POISON32;
	reset->generation = TW_POISON64;
	reset->remaining_ns = TW_POISON64;
	reset->deadline_ns = TW_POISON64;
}

static inline void tw_poison_get(struct twheel_get *get, __u64 id)
{
	memset(get, TW_POISON, sizeof(*get));
	get->id = id;
	get->flags = 0;
	get->mapped = 0;
	get->word = 0;
}

static inline int tw_start(int fd, struct twheel_start *start)
{
	tw_poison_start(start);
	return tw_ioctl(fd, TWHEEL_IOC_START, start, sizeof(*start));
}

/* Start a one-shot timer that runs for @timeout_ns from now. */
static inline int tw_after(int fd, __u64 id, __u64 timeout_ns)
{
	struct twheel_start start = { .id = id, .time_ns = timeout_ns };

	return tw_start(fd, &start);
}

/* Start a one-shot timer for the absolute @deadline_ns. */
static inline int tw_at(int fd, __u64 id, __u64 deadline_ns)
{
	struct twheel_start start = {
		.id = id,
		.time_ns = deadline_ns,
		.flags = TWHEEL_ABSTIME,
	};

	return tw_start(fd, &start);
}

/* Start a periodic timer whose grid begins at the absolute @first_ns. */
static inline int tw_every(int fd, __u64 id, __u64 first_ns, __u64 interval_ns)
{
	struct twheel_start start = {
		.id = id,
		.time_ns = first_ns,
		.interval_ns = interval_ns,
		.flags = TWHEEL_ABSTIME,
	};

	return tw_start(fd, &start);
}

static inline int tw_stop(int fd, __u64 id, struct twheel_stop *stop)
{
	struct twheel_stop mine;

	if (!stop)
		stop = &mine;
	tw_poison_stop(stop, id);
	return tw_ioctl(fd, TWHEEL_IOC_STOP, stop, sizeof(*stop));
}

static inline int tw_reset(int fd, struct twheel_reset *reset)
{
	tw_poison_reset(reset);
	return tw_ioctl(fd, TWHEEL_IOC_RESET, reset, sizeof(*reset));
}

static inline int tw_get(int fd, __u64 id, struct twheel_get *get)
{
	tw_poison_get(get, id);
	return tw_ioctl(fd, TWHEEL_IOC_GET, get, sizeof(*get));
}

/* The state of @id; TWHEEL_FREE when there is no such timer. */
static inline int tw_state(int fd, __u64 id)
{
	struct twheel_get get;
	int ret = tw_get(fd, id, &get);

	if (ret)
		return ret == -ENOENT ? TWHEEL_FREE : ret;
	return get.state;
}

static inline struct twheel_op tw_op(__u32 opcode, __u64 id)
{
	return (struct twheel_op) { .opcode = opcode, .id = id };
}

/* The operation that tw_after() is the call of. */
static inline struct twheel_op tw_op_after(__u64 id, __u64 timeout_ns)
{
	struct twheel_op op = tw_op(TWHEEL_OP_START, id);

	op.time_ns = timeout_ns;
	return op;
}

/* @count operations of one kind for the IDs from @first. */
static inline void tw_fill_ops(struct twheel_op *ops, unsigned int count,
			       __u32 opcode, __u64 first)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		ops[i] = tw_op(opcode, first + i);
		if (opcode == TWHEEL_OP_START)
			ops[i].time_ns = TW_HOUR;
	}
}

/* One call for @count operations; returns how many were done, or -errno. */
static inline int tw_submit(int fd, const struct twheel_op *ops,
			    struct twheel_result *results, unsigned int count)
{
	struct twheel_submit submit = {
		.ops = (uintptr_t)ops,
		.results = (uintptr_t)results,
		.count = count,
		.done = TW_POISON32,
	};
	int ret = tw_ioctl(fd, TWHEEL_IOC_SUBMIT, &submit, sizeof(submit));

	if (ret)
		return ret;
	return submit.done && submit.done <= count ? (int)submit.done : -EPROTO;
}

/* As many calls as signals make of it; returns how many were done, or -errno. */
static inline int tw_submit_all(int fd, const struct twheel_op *ops,
				struct twheel_result *results, unsigned int count)
{
	unsigned int done = 0, step;
	int ret;

	while (done < count) {
		step = count - done < TWHEEL_SUBMIT_MAX ? count - done :
							  TWHEEL_SUBMIT_MAX;
		ret = tw_submit(fd, ops + done, results + done, step);
		if (ret < 0)
			return ret;
		done += ret;
	}
	return done;
}

/* How many of @count results have this error; 0: how many succeeded. */
static inline unsigned int tw_count_errors(const struct twheel_result *results,
					   unsigned int count, int error)
{
	unsigned int i, sum = 0;

	for (i = 0; i < count; i++)
		sum += results[i].error == error;
	return sum;
}

/* The next page of a listing; @list is all 0 for the first one. */
static inline int tw_list(int fd, struct twheel_list *list,
			  struct twheel_list_entry *entries, unsigned int room)
{
	int ret;

	list->entries = (uintptr_t)entries;
	list->room = room;
	list->count = TW_POISON32;
	list->more = TW_POISON32;
	ret = tw_ioctl(fd, TWHEEL_IOC_LIST, list, sizeof(*list));
	if (ret)
		return ret;
	return list->count <= room && list->more <= 1 ? 0 : -EPROTO;
}

/* A listing that needs more calls than this, entries aside, has no end. */
#define TW_LIST_CALLS	100000

/*
 * The rest of a listing, in pages of @page entries; returns how many entries
 * came, or -errno; -ENOBUFS for @most or more of them.
 */
static inline int tw_list_rest(int fd, struct twheel_list *list,
			       struct twheel_list_entry *entries,
			       unsigned int most, unsigned int page)
{
	unsigned int have = 0, calls = 0, room;
	int ret;

	do {
		room = most - have < page ? most - have : page;
		if (!room)
			return -ENOBUFS;
		ret = tw_list(fd, list, entries + have, room);
		if (ret)
			return ret;
		have += list->count;
		if (++calls > TW_LIST_CALLS + have)
			return -ELOOP;
	} while (list->more);
	return have;
}

static inline int tw_list_all(int fd, struct twheel_list_entry *entries,
			      unsigned int most, unsigned int page)
{
	struct twheel_list list = { 0 };

	return tw_list_rest(fd, &list, entries, most, page);
}

/* All that a rejected call must leave alone: settings, counters, a timer. */
struct tw_snapshot {
	struct twheel_info info;
	struct twheel_stats stats;
	struct twheel_get get;
	__u64 found;
};

static inline void tw_snapshot(int fd, __u64 id, struct tw_snapshot *snap)
{
	tw_info(fd, &snap->info);
	tw_stats(fd, &snap->stats);
	snap->found = !tw_get(fd, id, &snap->get);
	/* What goes on by itself. */
	snap->stats.oldest_ns = 0;
	snap->stats.migrated = 0;
	snap->stats.passes = 0;
	snap->stats.programmed = 0;
	snap->get.remaining_ns = 0;
}

static inline bool tw_unchanged(int fd, const struct tw_snapshot *before)
{
	struct tw_snapshot after;

	tw_snapshot(fd, before->get.id, &after);
	return !memcmp(before, &after, sizeof(after));
}

/* poll() for input; returns revents, 0 after @timeout_ms, or -errno. */
static inline int tw_poll(int fd, int timeout_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int ret = poll(&pfd, 1, timeout_ms);

	return ret < 0 ? -errno : pfd.revents;
}

/* Read up to @room records; returns how many, or -errno. */
static inline int tw_read(int fd, struct twheel_event *events, unsigned int room)
{
	ssize_t got;

	memset(events, TW_POISON, room * sizeof(*events));
	got = read(fd, events, room * sizeof(*events));
	if (got < 0)
		return -errno;
	if (!got || got % sizeof(*events))
		return -EPROTO;
	return got / sizeof(*events);
}

/* Read @want records, however many reads it takes; returns how many came. */
static inline unsigned int tw_collect(int fd, struct twheel_event *events,
				      unsigned int want)
{
	unsigned int have = 0;
	int got;

	while (have < want) {
		if (tw_poll(fd, TW_PATIENCE_MS) != POLLIN)
			break;
		got = tw_read(fd, events + have, want - have);
		if (got == -EAGAIN)
			continue;
		if (got < 0)
			break;
		have += got;
	}
	return have;
}

/* For tw_await(): which counter. */
#define TW_STAT(counter)	offsetof(struct twheel_stats, counter)

/* Wait until a counter is between @least and @most. */
static inline bool tw_await_between(int fd, size_t counter, __u64 least, __u64 most)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	struct twheel_stats stats;
	__u64 seen;

	do {
		if (tw_stats(fd, &stats))
			return false;
		memcpy(&seen, (char *)&stats + counter, sizeof(seen));
		if (seen >= least && seen <= most)
			return true;
		tw_sleep(100 * TW_US);
	} while (tw_now() < give_up);
	return false;
}

/* Wait until a counter is @value, where it stays. */
static inline bool tw_await(int fd, size_t counter, __u64 value)
{
	return tw_await_between(fd, counter, value, value);
}

/* Let a one-shot timer @id expire, and leave its expiry unread. */
static inline bool tw_expire(int fd, __u64 id)
{
	struct twheel_stats stats;

	if (tw_stats(fd, &stats) || tw_after(fd, id, 1))
		return false;
	return tw_await(fd, TW_STAT(expired), stats.expired + 1);
}

/*
 * Is the next record the one of a timer for @until_ns that is started here?
 * Expiries come in the order of their deadlines: so nothing else came.
 */
static inline bool tw_quiet_until(int fd, __u64 until_ns)
{
	struct twheel_event event[2];

	if (tw_at(fd, TW_SENTINEL, until_ns))
		return false;
	return tw_poll(fd, TW_PATIENCE_MS) == POLLIN &&
	       tw_read(fd, event, 2) == 1 && event[0].id == TW_SENTINEL;
}

/* The equation that holds at any moment, and what the states make of it. */
static inline bool tw_balanced(const struct twheel_stats *stats)
{
	return stats->expired == stats->delivered + stats->withdrawn +
				 stats->dropped + stats->dead + stats->waiting +
				 stats->in_flight &&
	       stats->timers == stats->armed + stats->waiting +
				stats->in_flight + stats->dead &&
	       stats->waiting >= stats->queued;
}

/* Wait until thread @tid sleeps in the kernel. */
static inline bool tw_await_sleep(pid_t tid)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	char path[64], line[256], *paren;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	do {
		file = fopen(path, "r");
		if (!file)
			return false;
		paren = fgets(line, sizeof(line), file) ?
			strrchr(line, ')') : NULL;
		fclose(file);
		if (paren && paren[1] && paren[2] == 'S')
			return true;
		tw_sleep(100 * TW_US);
	} while (tw_now() < give_up);
	return false;
}

#endif /* TWHEEL_TEST_H */
