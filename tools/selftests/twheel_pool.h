/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the self tests of leases and of pools of readers share
 */
#ifndef TWHEEL_POOL_H
#define TWHEEL_POOL_H

#include "twheel_test.h"

/* An instance with these settings; -errno if it cannot be had. */
static inline int tw_pool(struct twheel_setup setup)
{
	int ret, fd = tw_open();

	if (fd < 0)
		return -errno;
	ret = tw_setup(fd, &setup);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/* The settings of an instance whose expiries have to be acknowledged. */
static inline struct twheel_setup tw_leased(__u64 lease_ns, __u32 max_attempts)
{
	return (struct twheel_setup) {
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.lease_ns = lease_ns,
		.max_attempts = max_attempts,
	};
}

/* Another descriptor of the instance; -errno if it cannot be had. */
static inline int tw_reader(int fd, __u32 flags)
{
	struct twheel_reader reader = { .flags = flags };

	return tw_ioctl(fd, TWHEEL_IOC_READER, &reader, sizeof(reader));
}

/* Begin without descriptors: what a test makes is closed by tw_close_pool(). */
static inline void tw_no_pool(int *fd, int *reader, unsigned int nr)
{
	*fd = -1;
	memset(reader, -1, nr * sizeof(*reader));
}

/* An instance on @fd, which is no reader, and @nr readers with these flags. */
static inline bool tw_make_pool(int *fd, int *reader, unsigned int nr,
				struct twheel_setup setup, __u32 flags)
{
	unsigned int i;

	setup.flags |= TWHEEL_CONTROL;
	*fd = tw_pool(setup);
	for (i = 0; i < nr; i++) {
		reader[i] = tw_reader(*fd, flags);
		if (reader[i] < 0)
			return false;
	}
	return *fd >= 0;
}

static inline void tw_close_pool(int fd, const int *reader, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (reader[i] >= 0)
			close(reader[i]);
	if (fd >= 0)
		close(fd);
}

/* ACK, REJECT or EXTEND, with everything in @ack. */
static inline int tw_lease_ioctl(int fd, unsigned long cmd,
				 struct twheel_ack *ack)
{
	ack->state = TW_POISON32;
	ack->lease_end_ns = TW_POISON64;
	return tw_ioctl(fd, cmd, ack, sizeof(*ack));
}

/* ACK or REJECT; returns the state of the timer, or -errno. */
static inline int tw_end_lease(int fd, unsigned long cmd,
			       const struct twheel_event *event)
{
	struct twheel_ack ack = { .id = event->id, .token = event->token };
	int ret = tw_lease_ioctl(fd, cmd, &ack);

	return ret ?: (int)ack.state;
}

static inline int tw_ack(int fd, const struct twheel_event *event)
{
	return tw_end_lease(fd, TWHEEL_IOC_ACK, event);
}

static inline int tw_reject(int fd, const struct twheel_event *event)
{
	return tw_end_lease(fd, TWHEEL_IOC_REJECT, event);
}

/* Returns 0 or -errno. */
static inline int tw_extend(int fd, const struct twheel_event *event,
			    __u64 lease_ns)
{
	struct twheel_ack ack = {
		.id = event->id,
		.token = event->token,
		.lease_ns = lease_ns,
	};

	return tw_lease_ioctl(fd, TWHEEL_IOC_EXTEND, &ack);
}

/**
 * struct tw_race - acknowledgements that are aimed at the end of their lease
 * @lead: How long before it they come, ns.
 * @step: What @lead changes by, ns.
 * @late: Whether most of the last ones were too late.
 *
 * How long a call takes, and how late a lease ends, is the machine's affair.  So
 * the aim is taken by the last shots, and gets to the end of the lease wherever
 * that is, from TW_RACE_FIRST on.
 */
struct tw_race {
	__s64 lead;
	__s64 step;
	bool late;
};

#define TW_RACE_FIRST	((struct tw_race) { .step = 200 * TW_US, .late = true })
/* The most deliveries that race together, and the time between their ends. */
#define TW_RACERS	128
#define TW_RACE_GAP	(10 * TW_US)

/*
 * Let the leases of @count deliveries, which are long, end soon and one after the
 * other; @when is when to acknowledge each.
 */
static inline bool tw_race_begin(const struct tw_race *race, int fd,
				 const struct twheel_event *event,
				 unsigned int count, __u64 *when)
{
	struct twheel_result result[TW_RACERS];
	struct twheel_op op[TW_RACERS];
	unsigned int i;

	for (i = 0; i < count; i++) {
		op[i] = tw_op(TWHEEL_OP_EXTEND, event[i].id);
		op[i].token = event[i].token;
		op[i].time_ns = (race->lead > 0 ? race->lead : 1) +
				i * TW_RACE_GAP;
	}
	if (tw_submit(fd, op, result, count) != (int)count ||
	    tw_count_errors(result, count, 0) != count)
		return false;
	for (i = 0; i < count; i++)
		when[i] = result[i].deadline_ns - race->lead;
	return true;
}

/* @stale of @count acknowledgements were too late: aim better. */
static inline void tw_race_end(struct tw_race *race, unsigned int count,
			       unsigned int stale)
{
	bool late = 2 * stale > count;

	race->step = late == race->late ? 2 * race->step : race->step / 2;
	if (race->step < (__s64)TW_RACE_GAP)
		race->step = TW_RACE_GAP;
	race->lead += late ? race->step : -race->step;
	race->late = late;
}

/* DRAIN; returns how many came, or -errno. */
static inline int tw_drain(int fd, struct twheel_event *events,
			   unsigned int room)
{
	struct twheel_drain drain = {
		.events = (uintptr_t)events,
		.room = room,
		.count = TW_POISON32,
		.more = TW_POISON32,
	};
	int ret = tw_ioctl(fd, TWHEEL_IOC_DRAIN, &drain, sizeof(drain));

	if (ret)
		return ret;
	return drain.count <= room && drain.more <= 1 ? (int)drain.count :
							-EPROTO;
}

static inline int tw_shutdown(int fd, struct twheel_shutdown *shutdown)
{
	struct twheel_shutdown mine;

	if (!shutdown)
		shutdown = &mine;
	memset(shutdown, TW_POISON, sizeof(*shutdown));
	shutdown->flags = 0;
	shutdown->reserved = 0;
	memset(shutdown->reserved2, 0, sizeof(shutdown->reserved2));
	return tw_ioctl(fd, TWHEEL_IOC_SHUTDOWN, shutdown, sizeof(*shutdown));
}

/* The statistics of the first reader from number @from on. */
static inline int tw_reader_stats(int fd, __u32 from, struct twheel_stats *stats)
{
	memset(stats, TW_POISON, sizeof(*stats));
	stats->size = sizeof(*stats);
	stats->flags = TWHEEL_STATS_READER;
	stats->reader = from;
	return tw_ioctl(fd, TWHEEL_IOC_STATS, stats, sizeof(*stats));
}

/* The number of the reader that a descriptor is; 0 for none. */
static inline __u32 tw_number(int fd)
{
	struct twheel_info info;

	return tw_info(fd, &info) ? 0 : info.reader;
}

/* Whether the books of the instance and of each of its readers balance. */
static inline bool tw_books_balance(int fd)
{
	struct twheel_stats stats;
	__u32 next = 0;

	if (tw_stats(fd, &stats) ||
	    stats.expired != stats.delivered + stats.withdrawn + stats.dropped +
			     stats.dead + stats.waiting + stats.in_flight)
		return false;
	while (!tw_reader_stats(fd, next, &stats)) {
		if (stats.expired != stats.delivered + stats.withdrawn +
				     stats.dropped + stats.dead +
				     stats.waiting + stats.in_flight +
				     stats.passed_on)
			return false;
		next = stats.reader + 1;
	}
	return true;
}

/* Let @count timers from @first expire, in the order of their IDs. */
static inline bool tw_expire_row(int fd, __u64 first, unsigned int count)
{
	struct twheel_stats stats;
	unsigned int i;

	if (tw_stats(fd, &stats))
		return false;
	for (i = 0; i < count; i++)
		if (tw_after(fd, first + i, 0))
			return false;
	return tw_await(fd, TW_STAT(expired), stats.expired + count);
}

#endif /* TWHEEL_POOL_H */
