// SPDX-License-Identifier: GPL-2.0
/*
 * Time at its edges: never early, nor wrapped, nor lost; and idle when there is
 * nothing to do.
 */
#include "twheel_test.h"

#define ONE_SHOTS	20000
#define CENTURY		(36525ULL * 24 * TW_HOUR)
#define DAY		(24 * 3600)

FIXTURE(range) {
	int fd;
	struct twheel_info info;
};

FIXTURE_SETUP(range)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_info(self->fd, &self->info));
}

FIXTURE_TEARDOWN(range)
{
	close(self->fd);
}

FIXTURE(early) {
	int fd;
	__u64 tick;
	__u64 seed;
	__u64 *deadlines;	/* by ID; 0 once it came */
	unsigned int came, early, wrong;
};

FIXTURE_VARIANT(early) {
	bool absolute;
	unsigned int tick_shift;
	unsigned int count;
};

FIXTURE_VARIANT_ADD(early, relative) {
	.count = ONE_SHOTS / 2,
};

FIXTURE_VARIANT_ADD(early, absolute) {
	.absolute = true,
	.count = ONE_SHOTS / 2,
};

FIXTURE_VARIANT_ADD(early, relative_coarse_tick) {
	.tick_shift = 24,
	.count = ONE_SHOTS / 10,
};

FIXTURE_SETUP(early)
{
	struct twheel_setup setup = { .tick_shift = variant->tick_shift };
	struct twheel_info info;

	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_nonblock(self->fd));
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(0, tw_info(self->fd, &info));
	self->tick = 1ULL << info.tick_shift;
	self->deadlines = calloc(ONE_SHOTS, sizeof(*self->deadlines));
	ASSERT_NE(NULL, self->deadlines);
}

FIXTURE_TEARDOWN(early)
{
	free(self->deadlines);
	close(self->fd);
}

static __u64 pick_duration(struct _test_data_early *self)
{
	switch (tw_below(&self->seed, 7)) {
	case 0:
		return 1;
	case 1:
		return self->tick - 1;
	case 2:
		return self->tick;
	case 3:
		return self->tick + 1;
	case 4:
		return self->tick * 3 / 2;
	case 5:
		return self->tick * 10;
	default:
		return tw_below(&self->seed, 50 * TW_MS);
	}
}

static void judge(struct _test_data_early *self, bool absolute,
		  const struct twheel_event *event, __u64 now)
{
	__u64 *deadline;

	if (event->id >= ONE_SHOTS || !self->deadlines[event->id]) {
		self->wrong++;
		return;
	}
	deadline = &self->deadlines[event->id];
	self->early += event->fired_ns < event->deadline_ns ||
		       event->deadline_ns < *deadline || now < *deadline;
	self->wrong += (absolute && event->deadline_ns != *deadline) ||
		       event->fired_ns > now;
	*deadline = 0;
	self->came++;
}

static int drain(struct _test_data_early *self, bool absolute)
{
	struct twheel_event events[64];
	int got, i;

	do {
		got = tw_read(self->fd, events, ARRAY_SIZE(events));
		for (i = 0; i < got; i++)
			judge(self, absolute, &events[i], tw_now());
	} while (got > 0);
	return got;
}

TEST_F(early, no_one_shot_fires_early)
{
	unsigned int i, count = tw_scaled(variant->count);
	__u64 duration;

	self->seed = tw_seed();
	for (i = 0; i < count; i++) {
		duration = pick_duration(self);
		self->deadlines[i] = tw_now() + duration;
		ASSERT_EQ(0, variant->absolute ?
			     tw_at(self->fd, i, self->deadlines[i]) :
			     tw_after(self->fd, i, duration));
		if (i % 32 == 31)
			ASSERT_EQ(-EAGAIN, drain(self, variant->absolute));
		if (i % 256 == 255)
			tw_sleep(tw_below(&self->seed, 2 * self->tick));
	}
	while (self->came < count) {
		ASSERT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
		ASSERT_EQ(-EAGAIN, drain(self, variant->absolute));
		ASSERT_EQ(0, self->wrong);
	}
	EXPECT_EQ(0, self->early);
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
}

FIXTURE(beyond) {
	int fd;
	struct tw_snapshot before;
};

FIXTURE_VARIANT(beyond) {
	__u64 time_ns;
	__u64 interval_ns;
	bool from_now;		/* time_ns is less the time now */
	__u32 flags;
};

FIXTURE_VARIANT_ADD(beyond, relative_u64_max) {
	.time_ns = U64_MAX,
};

FIXTURE_VARIANT_ADD(beyond, relative_s64_max) {
	.time_ns = INT64_MAX,
};

FIXTURE_VARIANT_ADD(beyond, relative_one_past_the_end) {
	.time_ns = INT64_MAX + 1ULL,
	.from_now = true,
};

FIXTURE_VARIANT_ADD(beyond, relative_minus_1_ns) {
	.time_ns = -1LL,
};

FIXTURE_VARIANT_ADD(beyond, relative_minus_46_ms) {
	.time_ns = -46000000LL,
};

FIXTURE_VARIANT_ADD(beyond, relative_s64_min) {
	.time_ns = INT64_MAX + 1ULL,
};

FIXTURE_VARIANT_ADD(beyond, absolute_one_past_the_end) {
	.time_ns = INT64_MAX + 1ULL,
	.flags = TWHEEL_ABSTIME,
};

FIXTURE_VARIANT_ADD(beyond, absolute_u64_max) {
	.time_ns = U64_MAX,
	.flags = TWHEEL_ABSTIME,
};

FIXTURE_VARIANT_ADD(beyond, interval_u64_max) {
	.time_ns = TW_HOUR,
	.interval_ns = U64_MAX,
};

FIXTURE_VARIANT_ADD(beyond, interval_s64_max) {
	.time_ns = TW_HOUR,
	.interval_ns = INT64_MAX,
};

FIXTURE_SETUP(beyond)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	tw_snapshot(self->fd, 1, &self->before);
}

FIXTURE_TEARDOWN(beyond)
{
	close(self->fd);
}

static __u64 beyond_time(const struct _fixture_variant_beyond *variant)
{
	return variant->time_ns - (variant->from_now ? tw_now() : 0);
}

TEST_F(beyond, start_overflows_and_arms_nothing)
{
	struct twheel_start start = {
		.id = 2,
		.time_ns = beyond_time(variant),
		.interval_ns = variant->interval_ns,
		.flags = variant->flags,
	};

	EXPECT_EQ(-EOVERFLOW, tw_start(self->fd, &start));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 2));
}

TEST_F(beyond, start_overflows_and_leaves_the_live_timer)
{
	struct twheel_start start = {
		.id = 1,
		.time_ns = beyond_time(variant),
		.interval_ns = variant->interval_ns,
		.flags = variant->flags,
	};

	EXPECT_EQ(-EOVERFLOW, tw_start(self->fd, &start));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(beyond, reset_overflows_and_leaves_the_live_timer)
{
	struct twheel_reset reset = {
		.id = 1,
		.time_ns = beyond_time(variant),
		.flags = variant->flags | TWHEEL_NEW_TIMEOUT,
	};

	if (variant->interval_ns)
		return;
	EXPECT_EQ(-EOVERFLOW, tw_reset(self->fd, &reset));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(range, reset_overflows_when_the_kept_timeout_no_longer_fits)
{
	struct twheel_reset reset = { .id = 1 };
	struct tw_snapshot before;

	/* The room that is left at the start is gone a moment later. */
	ASSERT_EQ(0, tw_at(self->fd, 1, INT64_MAX));
	tw_snapshot(self->fd, 1, &before);
	tw_spin_until(tw_now() + TW_US);
	EXPECT_EQ(-EOVERFLOW, tw_reset(self->fd, &reset));
	EXPECT_TRUE(tw_unchanged(self->fd, &before));
}

TEST_F(range, a_century_is_armed_and_stays_so)
{
	__u64 before, after, tick = 1ULL << self->info.tick_shift;
	struct twheel_stop stop;
	struct twheel_get get;

	before = tw_now();
	ASSERT_EQ(0, tw_after(self->fd, 1, CENTURY));
	ASSERT_EQ(0, tw_get(self->fd, 1, &get));
	after = tw_now();
	EXPECT_EQ(TWHEEL_ARMED, get.state);
	EXPECT_GE(CENTURY + tick, get.remaining_ns);
	EXPECT_LE(CENTURY - (after - before) - tick, get.remaining_ns);
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now() + 20 * TW_MS));
	ASSERT_EQ(0, tw_stop(self->fd, 1, &stop));
	EXPECT_EQ(TWHEEL_STOPPED, stop.outcome);
}

TEST_F(range, the_last_nanosecond_is_armed_and_stays_so)
{
	ASSERT_EQ(0, tw_at(self->fd, 1, INT64_MAX));
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now() + 20 * TW_MS));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	EXPECT_EQ(0, tw_stop(self->fd, 1, NULL));
}

TEST_F(range, interval_below_the_minimum_is_rejected)
{
	__u64 intervals[] = { 1, self->info.min_interval_ns - 1 };
	struct tw_snapshot before;
	unsigned int i;

	tw_snapshot(self->fd, 1, &before);
	for (i = 0; i < ARRAY_SIZE(intervals); i++) {
		EXPECT_EQ(-EINVAL, tw_every(self->fd, 1, tw_now() + TW_HOUR,
					    intervals[i]));
		EXPECT_TRUE(tw_unchanged(self->fd, &before));
	}
}

TEST_F(range, thousand_timers_at_the_minimum_interval_stall_nobody)
{
	__u64 interval = self->info.min_interval_ns, until;
	struct twheel_event events[256];
	unsigned int i, forks = 0;
	pid_t pid = 0;

	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, tw_every(self->fd, i, tw_now(), interval));
	until = tw_now() + TW_SEC;
	while (tw_now() < until || forks < 5) {
		ASSERT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
		ASSERT_LE(1, tw_read(self->fd, events, ARRAY_SIZE(events)));
		if (pid && waitpid(pid, NULL, WNOHANG) != pid)
			continue;
		pid = tw_fork();
		if (!pid)
			_exit(0);
		ASSERT_LT(0, pid);
		forks++;
	}
	ASSERT_EQ(0, tw_reap(pid));
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, tw_stop(self->fd, i, NULL));
}

TEST_F(range, periodic_since_clock_zero_counts_every_period)
{
	__u64 intervals[] = { self->info.min_interval_ns, 10 * TW_MS + 1 };
	struct twheel_event event, next;
	__u64 before, after, interval;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(intervals); i++) {
		interval = intervals[i];
		ASSERT_EQ(0, tw_every(self->fd, i, 1, interval));
		ASSERT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
		before = tw_now();
		ASSERT_EQ(1, tw_read(self->fd, &event, 1));
		after = tw_now();
		EXPECT_EQ(1, event.deadline_ns);
		EXPECT_LE((before - 1) / interval + 1, event.expirations);
		EXPECT_GE((after - 1) / interval + 1, event.expirations);
		ASSERT_EQ(1, tw_collect(self->fd, &next, 1));
		EXPECT_EQ(1 + event.expirations * interval, next.deadline_ns);
		ASSERT_EQ(0, tw_stop(self->fd, i, NULL));
	}
}

TEST_F(range, missed_periods_are_one_record)
{
	__u64 first = tw_now() + 5 * TW_MS, interval = 10 * TW_MS;
	struct twheel_event event[2];
	struct twheel_stats stats;
	__u64 before, after;

	ASSERT_EQ(0, tw_every(self->fd, 1, first, interval));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(expired), 1));
	tw_sleep(2 * TW_SEC);
	ASSERT_EQ(0, tw_stats(self->fd, &stats));
	EXPECT_EQ(1, stats.expired);
	EXPECT_EQ(1, stats.waiting);
	before = tw_now();
	ASSERT_EQ(1, tw_read(self->fd, event, 2));
	after = tw_now();
	EXPECT_EQ(first, event->deadline_ns);
	EXPECT_LE((before - first) / interval + 1, event->expirations);
	EXPECT_GE((after - first) / interval + 1, event->expirations);
	first += event->expirations * interval;
	ASSERT_EQ(1, tw_collect(self->fd, event, 1));
	EXPECT_EQ(first, event->deadline_ns);
}

static void step_wall_clock(int seconds)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += seconds;
	if (clock_settime(CLOCK_REALTIME, &ts))
		abort();
}

TEST_F(range, stepping_the_wall_clock_moves_no_timer)
{
	struct twheel_event event;
	__u64 before = tw_now();

	ASSERT_EQ(0, tw_after(self->fd, 1, 2 * TW_SEC));
	step_wall_clock(DAY);
	tw_poll(self->fd, 100);
	step_wall_clock(-DAY);
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_LE(before + 2 * TW_SEC, event.deadline_ns);
	EXPECT_LE(event.deadline_ns, event.fired_ns);
	EXPECT_LE(event.deadline_ns, tw_now());
}

TEST_F(range, idle_instance_makes_no_passes)
{
	struct twheel_stats before, after;

	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	ASSERT_EQ(0, tw_stats(self->fd, &before));
	tw_sleep(300 * TW_MS);
	ASSERT_EQ(0, tw_stats(self->fd, &after));
	/* 300 ticks; the one timer may have had to move down twice. */
	EXPECT_GE(before.passes + 2, after.passes);
	EXPECT_GE(before.programmed + 3, after.programmed);
}

TEST_HARNESS_MAIN
