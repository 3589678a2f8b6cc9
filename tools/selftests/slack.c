// SPDX-License-Identifier: GPL-2.0
/*
 * Slack: a timer may expire later than asked, never earlier, so that it joins
 * others.  In which tick it expires is judged by what expires before and after
 * it, which is the same however late the machine is.
 */
#include "twheel_test.h"

#define ALIGN		64	/* ticks; where timers with slack meet */
#define SLACK_MAX	0xffffffffULL	/* ticks */
/* Many timers with deadlines some ticks apart. */
#define MANY		64
#define APART		8

FIXTURE(slack) {
	int fd;
	unsigned int shift;
	__u64 tick;
	__u64 base;		/* a time in the future, ALIGN ticks wide */
	__u64 lead;		/* how far in the future, ns */
	struct twheel_event events[4];
	struct twheel_get get;
	struct tw_snapshot before;
};

FIXTURE_SETUP(slack)
{
	struct twheel_info info;

	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_info(self->fd, &info));
	self->shift = info.tick_shift;
	self->tick = 1ULL << info.tick_shift;
}

FIXTURE_TEARDOWN(slack)
{
	close(self->fd);
}

static int start_with(int fd, __u64 id, __u64 deadline, __u64 slack)
{
	struct twheel_start start = {
		.id = id,
		.time_ns = deadline,
		.flags = TWHEEL_ABSTIME,
		.slack_ns = slack,
	};

	return tw_start(fd, &start);
}

/* A timer whose deadline and slack are in ticks, the deadline from the base. */
static int start_tick(struct _test_data_slack *self, __u64 id,
		      unsigned int after, unsigned int slack)
{
	return start_with(self->fd, id, self->base + after * self->tick,
			  slack * self->tick);
}

/* The ID of the timer with slack; the others are in the order of their IDs. */
#define JOINED	2

static int start_with_slack(struct _test_data_slack *self)
{
	return start_tick(self, JOINED, 1, ALIGN - 1);
}

static int start_without_slack(struct _test_data_slack *self)
{
	return start_tick(self, JOINED, 1, 0);
}

static int start_with_less_than_a_tick(struct _test_data_slack *self)
{
	return start_with(self->fd, JOINED, self->base + self->tick,
			  self->tick - 1);
}

static int start_again_without_slack(struct _test_data_slack *self)
{
	return start_tick(self, JOINED, 1, ALIGN - 1) ?:
	       start_tick(self, JOINED, 1, 0);
}

static int start_and_reset(struct _test_data_slack *self)
{
	struct twheel_reset reset = {
		.id = JOINED,
		.time_ns = self->base + self->tick,
		.flags = TWHEEL_NEW_TIMEOUT | TWHEEL_ABSTIME,
	};

	return start_tick(self, JOINED, 3 * ALIGN, ALIGN - 1) ?:
	       tw_reset(self->fd, &reset);
}

static int start_in_batch(struct _test_data_slack *self)
{
	struct twheel_op op = tw_op(TWHEEL_OP_START, JOINED);
	struct twheel_result result;

	op.time_ns = self->base + self->tick;
	op.flags = TWHEEL_ABSTIME;
	op.slack_ns = (ALIGN - 1) * self->tick;
	return tw_submit(self->fd, &op, &result, 1) == 1 ? result.error : -1;
}

/* The slack ends a tick before ALIGN: next best is half of that. */
static int start_with_less_slack(struct _test_data_slack *self)
{
	return start_tick(self, JOINED, 1, ALIGN - 2);
}

FIXTURE(joined) {
	struct _test_data_slack slack;
};

FIXTURE_VARIANT(joined) {
	int (*start)(struct _test_data_slack *self);
	unsigned int before, after;	/* ticks of the timers without slack */
	unsigned int place;		/* of the timer with slack, from 0 */
};

FIXTURE_VARIANT_ADD(joined, to_what_is_within_slack) {
	.start = start_with_slack,
	.before = ALIGN - 1,
	.after = ALIGN + 1,
	.place = 1,
};

FIXTURE_VARIANT_ADD(joined, to_nothing_without_slack) {
	.start = start_without_slack,
	.before = 2,
	.after = ALIGN,
};

FIXTURE_VARIANT_ADD(joined, to_nothing_with_less_than_a_tick) {
	.start = start_with_less_than_a_tick,
	.before = 2,
	.after = ALIGN,
};

FIXTURE_VARIANT_ADD(joined, to_nothing_when_started_again_without_slack) {
	.start = start_again_without_slack,
	.before = 2,
	.after = ALIGN,
};

FIXTURE_VARIANT_ADD(joined, as_well_when_reset) {
	.start = start_and_reset,
	.before = ALIGN - 1,
	.after = ALIGN + 1,
	.place = 1,
};

FIXTURE_VARIANT_ADD(joined, as_well_when_started_in_a_batch) {
	.start = start_in_batch,
	.before = ALIGN - 1,
	.after = ALIGN + 1,
	.place = 1,
};

FIXTURE_VARIANT_ADD(joined, to_nothing_after_its_slack) {
	.start = start_with_less_slack,
	.before = ALIGN / 2 - 1,
	.after = ALIGN / 2 + 1,
	.place = 1,
};

FIXTURE_SETUP(joined)
{
	struct twheel_info info;

	self->slack.fd = tw_open();
	ASSERT_LE(0, self->slack.fd);
	ASSERT_EQ(0, tw_info(self->slack.fd, &info));
	self->slack.shift = info.tick_shift;
	self->slack.tick = 1ULL << info.tick_shift;
}

FIXTURE_TEARDOWN(joined)
{
	close(self->slack.fd);
}

/*
 * A base in the future, each time further away, and an instance without timers.
 */
static bool begin(struct _test_data_slack *self)
{
	__u64 width = ALIGN * self->tick;

	close(self->fd);
	self->fd = tw_open();
	self->lead = self->lead ? 2 * self->lead : 100 * TW_MS;
	self->base = ((tw_now() + self->lead) / width + 1) * width;
	return self->fd >= 0;
}

/*
 * All timers have to be started before the first deadline; on a machine that was
 * too slow, again.
 */
static int start_all(struct _test_data_slack *self,
		     const struct _fixture_variant_joined *variant)
{
	int ret;

	do {
		if (!begin(self))
			return -1;
		ret = variant->start(self) ?:
		      start_tick(self, 1, variant->before, 0) ?:
		      start_tick(self, 3, variant->after, 0);
	} while (!ret && tw_now() >= self->base);
	return ret;
}

TEST_F(joined, timer_comes_in_its_place)
{
	struct twheel_event events[3];
	unsigned int i;

	ASSERT_EQ(0, start_all(&self->slack, variant));
	ASSERT_EQ(3, tw_collect(self->slack.fd, events, 3));
	for (i = 0; i < 3; i++)
		EXPECT_LE(events[i].deadline_ns, events[i].fired_ns);
	EXPECT_EQ(JOINED, events[variant->place].id);
	EXPECT_EQ(self->slack.base + self->slack.tick,
		  events[variant->place].deadline_ns);
	EXPECT_EQ(1, events[!variant->place].id);
	EXPECT_EQ(3, events[2].id);
}

TEST_F(slack, joins_timers_of_different_deadlines)
{
	int ret;

	do {
		ASSERT_TRUE(begin(self));
		ret = start_tick(self, 2, 1, ALIGN - 1) ?:
		      start_tick(self, 3, ALIGN / 2 + 5, ALIGN) ?:
		      start_tick(self, 1, ALIGN - 1, 0) ?:
		      start_tick(self, 4, ALIGN + 1, 0);
		ASSERT_EQ(0, ret);
	} while (tw_now() >= self->base);
	ASSERT_EQ(4, tw_collect(self->fd, self->events, 4));
	EXPECT_EQ(1, self->events[0].id);
	EXPECT_EQ(2 + 3, self->events[1].id + self->events[2].id);
	EXPECT_EQ(4, self->events[3].id);
}

/*
 * How often the hrtimer was programmed for MANY timers whose deadlines are @apart
 * ticks from each other; -1 if something failed.
 */
static long programmed_for(struct _test_data_slack *self, unsigned int apart,
			   unsigned int slack)
{
	struct twheel_event events[MANY];
	struct twheel_stats stats;
	unsigned int i;

	self->lead = 0;
	if (!begin(self))
		return -1;
	for (i = 0; i < MANY; i++) {
		if (start_tick(self, i, 1 + i * apart, slack))
			return -1;
	}
	if (tw_collect(self->fd, events, MANY) != MANY ||
	    tw_stats(self->fd, &stats))
		return -1;
	return stats.programmed;
}

/*
 * A machine that is late makes the number without slack smaller, and then it has
 * another try, with deadlines further apart; it never makes the number with slack
 * larger.
 */
TEST_F(slack, saves_wake_ups)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	long alone, joined = programmed_for(self, APART, 2 * MANY * APART);
	unsigned int apart;

	for (apart = APART; ; apart *= 2) {
		alone = programmed_for(self, apart, 0);
		if (alone < 0 || alone > 2 * joined || tw_now() > give_up)
			break;
	}
	TH_LOG("programmed %ld times without slack, %ld times with it", alone, joined);
	EXPECT_LT(0, joined);
	EXPECT_GT(MANY / 4, joined);
	EXPECT_GT(alone, 2 * joined);
}

TEST_F(slack, never_makes_a_timer_early)
{
	unsigned int i, count = tw_scaled(300);
	struct twheel_event event;
	__u64 deadlines[300], seed = tw_seed();

	for (i = 0; i < count; i++) {
		deadlines[i] = tw_now() + tw_below(&seed, 50 * TW_MS);
		ASSERT_EQ(0, start_with(self->fd, i, deadlines[i],
					tw_below(&seed, 50 * TW_MS)));
	}
	for (i = 0; i < count; i++) {
		ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
		EXPECT_LE(event.deadline_ns, event.fired_ns);
		EXPECT_LE(event.fired_ns, tw_now());
		EXPECT_EQ(deadlines[event.id], event.deadline_ns);
	}
}

TEST_F(slack, does_not_delay_a_deadline_that_has_passed)
{
	ASSERT_EQ(0, start_with(self->fd, 1, 1, TW_HOUR));
	EXPECT_TRUE(tw_await(self->fd, TW_STAT(expired), 1));
}

TEST_F(slack, is_reported_in_whole_ticks)
{
	__u64 tick = self->tick, max = SLACK_MAX << self->shift;
	struct {
		__u64 asked, reported;
	} cases[] = {
		{ 0, 0 },
		{ 1, 0 },
		{ tick - 1, 0 },
		{ tick, tick },
		{ tick + 1, tick },
		{ 5 * tick + 123, 5 * tick },
		{ max - 1, max - tick },
		{ max, max },
		{ max + tick, max },
		{ 8 * max + 1, max },
	};
	__u64 since, deadline = tw_now() + TW_HOUR;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		since = tw_now();
		ASSERT_EQ(0, start_with(self->fd, 1, deadline, cases[i].asked));
		ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
		EXPECT_EQ(cases[i].reported, self->get.slack_ns) {
			TH_LOG("asked for %llu", (long long)cases[i].asked);
		}
		EXPECT_EQ(deadline, self->get.deadline_ns);
		EXPECT_GE(deadline, since + self->get.remaining_ns);
	}
}

TEST_F(slack, follows_the_tick_of_setup)
{
	struct twheel_setup setup = { .tick_shift = self->shift + 4 };

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(0, start_with(self->fd, 1, tw_now() + TW_HOUR, 100 * self->tick));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(100 / 16 * 16 * self->tick, self->get.slack_ns);
}

TEST_F(slack, stays_with_a_reset_and_goes_with_a_start)
{
	struct twheel_reset reset = { .id = 1 };

	ASSERT_EQ(0, start_with(self->fd, 1, tw_now() + TW_HOUR, 7 * self->tick));
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(7 * self->tick, self->get.slack_ns);
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(0, self->get.slack_ns);
}

TEST_F(slack, that_ends_after_the_clock_is_too_much)
{
	__u64 deadline = tw_now() + TW_HOUR, most = INT64_MAX - deadline;
	__u64 much[] = { most + 1, INT64_MAX, 1ULL << 63, -self->tick, U64_MAX };
	struct twheel_op op = tw_op_after(1, TW_HOUR);
	struct twheel_result result;
	unsigned int i;

	ASSERT_EQ(0, start_with(self->fd, 1, deadline, self->tick));
	tw_snapshot(self->fd, 1, &self->before);
	for (i = 0; i < ARRAY_SIZE(much); i++) {
		EXPECT_EQ(-EOVERFLOW, start_with(self->fd, 1, deadline, much[i])) {
			TH_LOG("slack %llu", (long long)much[i]);
		}
		EXPECT_EQ(-EOVERFLOW, start_with(self->fd, 2, deadline, much[i]));
		op.slack_ns = much[i];
		EXPECT_EQ(1, tw_submit(self->fd, &op, &result, 1));
		EXPECT_EQ(-EOVERFLOW, result.error);
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_EQ(0, start_with(self->fd, 1, deadline, most));
}

TEST_F(slack, limits_the_deadline_of_a_reset)
{
	__u64 slack = 1000 * self->tick;
	struct twheel_reset reset = {
		.id = 1,
		.time_ns = INT64_MAX - slack + 1,
		.flags = TWHEEL_NEW_TIMEOUT | TWHEEL_ABSTIME,
	};

	ASSERT_EQ(0, start_with(self->fd, 1, tw_now() + TW_HOUR, slack));
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EOVERFLOW, tw_reset(self->fd, &reset));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	reset.time_ns--;
	EXPECT_EQ(0, tw_reset(self->fd, &reset));
}

/* Armed until a tick that is far away, with a deadline that comes soon. */
TEST_F(slack, keeps_a_timer_armed_behind_its_deadline)
{
	__u64 far = self->tick << 20, lead = TW_MS, deadline;
	struct twheel_stop stop;

	/* In one boot in a hundred that tick is near. */
	while (tw_now() % far > far - 10 * TW_SEC)
		tw_sleep(TW_SEC);
	/* It has to be started before its deadline, which takes its time. */
	do {
		lead *= 2;
		deadline = tw_now() + lead;
		ASSERT_EQ(0, start_with(self->fd, 1, deadline,
					far - deadline % far));
	} while (tw_now() >= deadline);
	EXPECT_TRUE(tw_quiet_until(self->fd, deadline + 3 * self->tick));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(TWHEEL_ARMED, self->get.state);
	EXPECT_EQ(deadline, self->get.deadline_ns);
	EXPECT_EQ(0, self->get.remaining_ns);
	ASSERT_EQ(0, tw_stop(self->fd, 1, &stop));
	EXPECT_EQ(TWHEEL_STOPPED, stop.outcome);
	EXPECT_EQ(0, stop.remaining_ns);
}

/* Records of a periodic timer; false if one is early or off the grid. */
static bool keeps_grid(int fd, __u64 interval, __u64 slack, unsigned int records)
{
	struct twheel_start start = {
		.id = 1,
		.time_ns = tw_now() + 5 * TW_MS,
		.interval_ns = interval,
		.flags = TWHEEL_ABSTIME,
		.slack_ns = slack,
	};
	struct twheel_event event;
	__u64 periods = 0;

	if (tw_start(fd, &start))
		return false;
	while (records--) {
		if (tw_collect(fd, &event, 1) != 1 || !event.expirations ||
		    event.deadline_ns != start.time_ns + periods * interval)
			return false;
		periods += event.expirations;
		if (event.fired_ns < event.deadline_ns ||
		    tw_now() < start.time_ns + (periods - 1) * interval)
			return false;
	}
	return !tw_stop(fd, 1, NULL);
}

TEST_F(slack, leaves_a_periodic_timer_on_its_grid)
{
	EXPECT_TRUE(keeps_grid(self->fd, 10 * TW_MS + 7, 4 * self->tick, 20));
	/* It may be longer than the interval: then periods are reported together. */
	EXPECT_TRUE(keeps_grid(self->fd, 2 * TW_MS + 7, 20 * self->tick, 10));
}

TEST_HARNESS_MAIN
