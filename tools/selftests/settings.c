// SPDX-License-Identifier: GPL-2.0
/*
 * SETUP and INFO: which settings there are, what is refused, and when.
 */
#include "twheel_test.h"

FIXTURE(setup) {
	int fd;
	struct twheel_info info;
	struct twheel_info now;
};

FIXTURE_SETUP(setup)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_info(self->fd, &self->info));
}

FIXTURE_TEARDOWN(setup)
{
	close(self->fd);
}

TEST_F(setup, info_describes_a_fresh_instance)
{
	EXPECT_EQ(sizeof(struct twheel_info), self->info.size);
	EXPECT_EQ(0, self->info.flags);
	EXPECT_EQ(TWHEEL_ABI_REVISION, self->info.abi_revision);
	EXPECT_EQ(sizeof(struct twheel_event), self->info.event_size);
	EXPECT_LE(self->info.tick_shift_min, self->info.tick_shift);
	EXPECT_GE(self->info.tick_shift_max, self->info.tick_shift);
	EXPECT_EQ(CLOCK_MONOTONIC, (int)self->info.clock);
	EXPECT_EQ(TWHEEL_HOLD, self->info.overflow);
	EXPECT_LE(1, self->info.queue_len);
	EXPECT_GE(self->info.queue_len_max, self->info.queue_len);
	EXPECT_EQ(0, self->info.reserved);
	EXPECT_LE(1, self->info.max_timers);
	EXPECT_GE(self->info.max_timers_max, self->info.max_timers);
	EXPECT_LT(1, self->info.min_interval_ns);
	EXPECT_EQ(TWHEEL_SUBMIT_MAX, self->info.submit_max);
	EXPECT_EQ(TWHEEL_LIST_MAX, self->info.list_max);
}

TEST_F(setup, settings_are_those_asked_for)
{
	struct twheel_setup setup = {
		.tick_shift = self->info.tick_shift_max,
		.clock = CLOCK_BOOTTIME,
		.queue_len = 3,
		.overflow = TWHEEL_DROP_OLDEST,
		.max_timers = 17,
	};

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(0, tw_info(self->fd, &self->now));
	EXPECT_EQ(setup.tick_shift, self->now.tick_shift);
	EXPECT_EQ(setup.clock, self->now.clock);
	EXPECT_EQ(setup.queue_len, self->now.queue_len);
	EXPECT_EQ(setup.overflow, self->now.overflow);
	EXPECT_EQ(setup.max_timers, self->now.max_timers);
}

TEST_F(setup, settings_stay_after_the_first_start)
{
	struct twheel_setup setup = { .queue_len = 3, .max_timers = 17 };
	struct twheel_info before;

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(0, tw_info(self->fd, &before));
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	ASSERT_EQ(0, tw_info(self->fd, &self->now));
	EXPECT_EQ(0, memcmp(&before, &self->now, sizeof(before)));
}

TEST_F(setup, first_start_without_setup_takes_the_defaults)
{
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	ASSERT_EQ(0, tw_info(self->fd, &self->now));
	EXPECT_EQ(0, memcmp(&self->info, &self->now, sizeof(self->now)));
}

TEST_F(setup, repeated_setup_goes_back_to_defaults)
{
	struct twheel_setup setup = {
		.clock = CLOCK_BOOTTIME,
		.queue_len = 3,
		.overflow = TWHEEL_DROP_NEWEST,
		.max_timers = 17,
	};
	struct twheel_setup none = { 0 };

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(0, tw_setup(self->fd, &none));
	ASSERT_EQ(0, tw_info(self->fd, &self->now));
	EXPECT_EQ(0, memcmp(&self->info, &self->now, sizeof(self->now)));
}

TEST_F(setup, limits_themselves_are_accepted)
{
	struct twheel_setup least = {
		.tick_shift = self->info.tick_shift_min,
		.clock = CLOCK_MONOTONIC,
		.queue_len = 1,
		.max_timers = 1,
	};
	struct twheel_setup most = {
		.tick_shift = self->info.tick_shift_max,
		.queue_len = self->info.queue_len_max,
		.overflow = TWHEEL_DROP_OLDEST,
		.max_timers = self->info.max_timers_max,
	};

	EXPECT_EQ(0, tw_setup(self->fd, &least));
	EXPECT_EQ(0, tw_setup(self->fd, &most));
	ASSERT_EQ(0, tw_info(self->fd, &self->now));
	EXPECT_EQ(most.queue_len, self->now.queue_len);
	EXPECT_EQ(most.max_timers, self->now.max_timers);
}

TEST_F(setup, after_the_first_start_is_too_late)
{
	struct twheel_setup setup = { .queue_len = 3 };
	struct tw_snapshot before;

	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	tw_snapshot(self->fd, 1, &before);
	EXPECT_EQ(-EBUSY, tw_setup(self->fd, &setup));
	EXPECT_TRUE(tw_unchanged(self->fd, &before));

	/* Also when no timer is left. */
	ASSERT_EQ(0, tw_stop(self->fd, 1, NULL));
	tw_snapshot(self->fd, 1, &before);
	EXPECT_EQ(-EBUSY, tw_setup(self->fd, &setup));
	EXPECT_TRUE(tw_unchanged(self->fd, &before));
}

TEST_F(setup, failed_start_does_not_make_it_too_late)
{
	struct twheel_setup setup = { .queue_len = 3 };
	struct twheel_stats stats;

	ASSERT_EQ(-EOVERFLOW, tw_after(self->fd, 1, U64_MAX));
	ASSERT_EQ(-EINVAL, tw_every(self->fd, 1, TW_HOUR, 1));
	ASSERT_EQ(-ENOENT, tw_stop(self->fd, 1, NULL));
	ASSERT_EQ(0, tw_stats(self->fd, &stats));
	EXPECT_EQ(0, stats.started);
	EXPECT_EQ(0, tw_setup(self->fd, &setup));
}

TEST_F(setup, tick_is_what_deadlines_are_rounded_to)
{
	struct twheel_setup setup = { .tick_shift = 26 };
	struct twheel_event event;
	__u64 tick, deadline;

	/* A tick of 67 ms, and a deadline right after the start of one. */
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	tick = 1ULL << setup.tick_shift;
	deadline = (tw_now() / tick + 2) * tick + 1;
	ASSERT_EQ(0, tw_at(self->fd, 1, deadline));
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_EQ(deadline, event.deadline_ns);
	EXPECT_LE(deadline + tick - 1, tw_now());
}

FIXTURE(bad_setup) {
	int fd;
	struct twheel_setup setup;
	struct tw_snapshot before;
};

/* One wrong value; a field that is 0 is left at its default. */
FIXTURE_VARIANT(bad_setup) {
	struct twheel_setup setup;
	enum { AS_IS, BELOW_MIN_TICK, ABOVE_MAX_TICK, ABOVE_QUEUE, ABOVE_TIMERS } kind;
};

FIXTURE_VARIANT_ADD(bad_setup, tick_below_minimum) {
	.kind = BELOW_MIN_TICK,
};

FIXTURE_VARIANT_ADD(bad_setup, tick_above_maximum) {
	.kind = ABOVE_MAX_TICK,
};

FIXTURE_VARIANT_ADD(bad_setup, tick_of_all_ones) {
	.setup.tick_shift = ~0U,
};

FIXTURE_VARIANT_ADD(bad_setup, clock_process_cputime) {
	.setup.clock = CLOCK_PROCESS_CPUTIME_ID,
};

FIXTURE_VARIANT_ADD(bad_setup, clock_monotonic_raw) {
	.setup.clock = CLOCK_MONOTONIC_RAW,
};

FIXTURE_VARIANT_ADD(bad_setup, clock_tai) {
	.setup.clock = CLOCK_TAI,
};

FIXTURE_VARIANT_ADD(bad_setup, clock_of_all_ones) {
	.setup.clock = ~0U,
};

FIXTURE_VARIANT_ADD(bad_setup, queue_above_maximum) {
	.kind = ABOVE_QUEUE,
};

FIXTURE_VARIANT_ADD(bad_setup, queue_of_all_ones) {
	.setup.queue_len = ~0U,
};

FIXTURE_VARIANT_ADD(bad_setup, policy_above_the_last) {
	.setup.overflow = TWHEEL_DROP_OLDEST + 1,
};

FIXTURE_VARIANT_ADD(bad_setup, policy_of_all_ones) {
	.setup.overflow = ~0U,
};

FIXTURE_VARIANT_ADD(bad_setup, timers_above_maximum) {
	.kind = ABOVE_TIMERS,
};

FIXTURE_VARIANT_ADD(bad_setup, timers_of_all_ones) {
	.setup.max_timers = ~0ULL,
};

FIXTURE_SETUP(bad_setup)
{
	struct twheel_setup good = { .queue_len = 7, .max_timers = 99 };
	struct twheel_info info;

	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_info(self->fd, &info));
	ASSERT_EQ(0, tw_setup(self->fd, &good));
	self->setup = variant->setup;
	if (variant->kind == BELOW_MIN_TICK)
		self->setup.tick_shift = info.tick_shift_min - 1;
	if (variant->kind == ABOVE_MAX_TICK)
		self->setup.tick_shift = info.tick_shift_max + 1;
	if (variant->kind == ABOVE_QUEUE)
		self->setup.queue_len = info.queue_len_max + 1;
	if (variant->kind == ABOVE_TIMERS)
		self->setup.max_timers = info.max_timers_max + 1;
	tw_snapshot(self->fd, 1, &self->before);
}

FIXTURE_TEARDOWN(bad_setup)
{
	close(self->fd);
}

TEST_F(bad_setup, is_invalid_and_keeps_the_earlier_settings)
{
	EXPECT_EQ(-EINVAL, tw_setup(self->fd, &self->setup));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_HARNESS_MAIN
