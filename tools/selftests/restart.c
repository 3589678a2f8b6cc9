// SPDX-License-Identifier: GPL-2.0
/*
 * Stop and reset of a timer that runs: what they report, and what is left.
 */
#include "twheel_test.h"

FIXTURE(restart) {
	int fd;
};

FIXTURE_SETUP(restart)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(restart)
{
	close(self->fd);
}

TEST_F(restart, stop_reports_what_it_ended)
{
	struct twheel_start start = { .id = 4, .time_ns = TW_HOUR, .data = 44 };
	__u64 before, after;
	struct twheel_stop stop;
	struct twheel_get get;

	ASSERT_EQ(0, tw_start(self->fd, &start));
	ASSERT_EQ(0, tw_get(self->fd, 4, &get));
	before = tw_now();
	ASSERT_EQ(0, tw_stop(self->fd, 4, &stop));
	after = tw_now();
	EXPECT_EQ(4, stop.id);
	EXPECT_EQ(TWHEEL_STOPPED, stop.outcome);
	EXPECT_EQ(start.generation, stop.generation);
	EXPECT_GE(get.deadline_ns - before, stop.remaining_ns);
	EXPECT_LE(get.deadline_ns - after, stop.remaining_ns);
	EXPECT_EQ(44, stop.data);
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 4));
}

TEST_F(restart, stopped_timer_does_not_expire)
{
	__u64 deadline = tw_now() + 20 * TW_MS;

	ASSERT_EQ(0, tw_at(self->fd, 4, deadline));
	ASSERT_EQ(0, tw_stop(self->fd, 4, NULL));
	EXPECT_TRUE(tw_quiet_until(self->fd, deadline + 10 * TW_MS));
}

TEST_F(restart, stop_ends_a_periodic_timer_between_expiries)
{
	struct twheel_event event;
	struct twheel_stop stop;

	ASSERT_EQ(0, tw_every(self->fd, 4, tw_now(), TW_HOUR));
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 4));
	ASSERT_EQ(0, tw_stop(self->fd, 4, &stop));
	EXPECT_EQ(TWHEEL_STOPPED, stop.outcome);
	EXPECT_LT(0, stop.remaining_ns);
	EXPECT_EQ(event.generation, stop.generation);
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 4));
}

TEST_F(restart, stop_of_unknown_id_changes_nothing)
{
	struct tw_snapshot before;

	ASSERT_EQ(0, tw_after(self->fd, 4, TW_HOUR));
	tw_snapshot(self->fd, 4, &before);
	EXPECT_EQ(-ENOENT, tw_stop(self->fd, 5, NULL));
	EXPECT_TRUE(tw_unchanged(self->fd, &before));
}

TEST_F(restart, reset_of_unknown_id_changes_nothing)
{
	struct twheel_reset reset = {
		.id = 5,
		.time_ns = TW_MS,
		.flags = TWHEEL_NEW_TIMEOUT,
	};
	struct tw_snapshot before;

	ASSERT_EQ(0, tw_after(self->fd, 4, TW_HOUR));
	tw_snapshot(self->fd, 4, &before);
	EXPECT_EQ(-ENOENT, tw_reset(self->fd, &reset));
	EXPECT_TRUE(tw_unchanged(self->fd, &before));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 5));
}

TEST_F(restart, get_of_unknown_id_changes_nothing)
{
	struct tw_snapshot before;
	struct twheel_get get;

	ASSERT_EQ(0, tw_after(self->fd, 4, TW_HOUR));
	tw_snapshot(self->fd, 4, &before);
	EXPECT_EQ(-ENOENT, tw_get(self->fd, 5, &get));
	EXPECT_TRUE(tw_unchanged(self->fd, &before));
}

TEST_F(restart, id_of_a_read_expiry_is_unknown)
{
	struct twheel_reset reset = { .id = 4 };
	struct twheel_event event;

	ASSERT_EQ(0, tw_after(self->fd, 4, 1));
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_EQ(-ENOENT, tw_stop(self->fd, 4, NULL));
	EXPECT_EQ(-ENOENT, tw_reset(self->fd, &reset));
}

TEST_F(restart, reset_runs_the_same_timeout_again)
{
	struct twheel_start start = { .id = 4, .time_ns = TW_HOUR };
	struct twheel_reset reset = { .id = 4 };
	__u64 before, after, deadline;
	struct twheel_get get;

	ASSERT_EQ(0, tw_start(self->fd, &start));
	ASSERT_EQ(0, tw_get(self->fd, 4, &get));
	deadline = get.deadline_ns;
	before = tw_now();
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	after = tw_now();
	EXPECT_EQ(TWHEEL_STOPPED, reset.outcome);
	EXPECT_LT(start.generation, reset.generation);
	EXPECT_GE(deadline - before, reset.remaining_ns);
	EXPECT_LE(deadline - after, reset.remaining_ns);
	EXPECT_LE(before + TW_HOUR, reset.deadline_ns);
	EXPECT_GE(after + TW_HOUR, reset.deadline_ns);
	ASSERT_EQ(0, tw_get(self->fd, 4, &get));
	EXPECT_EQ(reset.deadline_ns, get.deadline_ns);
	EXPECT_EQ(reset.generation, get.generation);
	EXPECT_EQ(TW_HOUR, get.timeout_ns);
}

TEST_F(restart, reset_postpones_the_expiry)
{
	struct twheel_reset reset = { .id = 4 };
	struct twheel_event event[2];
	int i;

	ASSERT_EQ(0, tw_after(self->fd, 4, 500 * TW_MS));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, tw_reset(self->fd, &reset));
		tw_sleep(10 * TW_MS);
	}
	ASSERT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
	ASSERT_EQ(1, tw_read(self->fd, event, 2));
	EXPECT_LE(reset.deadline_ns, tw_now());
	EXPECT_EQ(reset.generation, event->generation);
	EXPECT_EQ(reset.deadline_ns, event->deadline_ns);
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now() + 10 * TW_MS));
}

TEST_F(restart, reset_takes_a_new_timeout)
{
	struct twheel_reset reset = {
		.id = 4,
		.time_ns = 2 * TW_HOUR,
		.flags = TWHEEL_NEW_TIMEOUT,
	};
	struct twheel_reset again = { .id = 4 };
	__u64 before, after;

	ASSERT_EQ(0, tw_after(self->fd, 4, TW_HOUR));
	before = tw_now();
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	after = tw_now();
	EXPECT_LE(before + 2 * TW_HOUR, reset.deadline_ns);
	EXPECT_GE(after + 2 * TW_HOUR, reset.deadline_ns);

	/* And keeps it. */
	before = tw_now();
	ASSERT_EQ(0, tw_reset(self->fd, &again));
	EXPECT_LE(before + 2 * TW_HOUR, again.deadline_ns);
	EXPECT_GE(tw_now() + 2 * TW_HOUR, again.deadline_ns);
}

TEST_F(restart, reset_takes_a_new_deadline)
{
	struct twheel_reset reset = {
		.id = 4,
		.time_ns = tw_now() + 10 * TW_MS + 1,
		.flags = TWHEEL_NEW_TIMEOUT | TWHEEL_ABSTIME,
	};
	struct twheel_event event;

	ASSERT_EQ(0, tw_after(self->fd, 4, TW_HOUR));
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	EXPECT_EQ(reset.time_ns, reset.deadline_ns);
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_EQ(reset.time_ns, event.deadline_ns);
	EXPECT_LE(reset.time_ns, event.fired_ns);
}

TEST_F(restart, reset_to_a_past_deadline_expires_at_once)
{
	struct twheel_reset reset = {
		.id = 4,
		.time_ns = 1,
		.flags = TWHEEL_NEW_TIMEOUT | TWHEEL_ABSTIME,
	};
	struct twheel_event event;

	ASSERT_EQ(0, tw_after(self->fd, 4, TW_HOUR));
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	EXPECT_EQ(TWHEEL_STOPPED, reset.outcome);
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_EQ(reset.generation, event.generation);
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now() + 10 * TW_MS));
}

TEST_F(restart, timeout_of_an_absolute_start_is_its_distance)
{
	struct twheel_reset reset = { .id = 4 };
	__u64 before, after, deadline;
	struct twheel_get get;

	before = tw_now();
	deadline = before + TW_HOUR;
	ASSERT_EQ(0, tw_at(self->fd, 4, deadline));
	after = tw_now();
	ASSERT_EQ(0, tw_get(self->fd, 4, &get));
	EXPECT_GE(deadline - before, get.timeout_ns);
	EXPECT_LE(deadline - after, get.timeout_ns);

	before = tw_now();
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	after = tw_now();
	EXPECT_LE(before + get.timeout_ns, reset.deadline_ns);
	EXPECT_GE(after + get.timeout_ns, reset.deadline_ns);
}

TEST_F(restart, reset_keeps_interval_and_data_and_begins_a_new_grid)
{
	struct twheel_start start = {
		.id = 4,
		.time_ns = TW_HOUR,
		.interval_ns = 20 * TW_MS,
		.data = 44,
	};
	struct twheel_reset reset = {
		.id = 4,
		.time_ns = 5 * TW_MS + 1,
		.flags = TWHEEL_NEW_TIMEOUT,
	};
	struct twheel_event event[2];

	ASSERT_EQ(0, tw_start(self->fd, &start));
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	ASSERT_EQ(2, tw_collect(self->fd, event, 2));
	EXPECT_EQ(44, event[0].data);
	EXPECT_EQ(reset.generation, event[0].generation);
	EXPECT_EQ(reset.deadline_ns, event[0].deadline_ns);
	EXPECT_EQ(reset.deadline_ns + event[0].expirations * start.interval_ns,
		  event[1].deadline_ns);
	EXPECT_EQ(TWHEEL_EVENT_PERIODIC, event[1].flags);
}

TEST_F(restart, counters_count_each_kind)
{
	struct twheel_reset reset = { .id = 1 };
	struct twheel_stats stats;

	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	ASSERT_EQ(0, tw_after(self->fd, 2, TW_HOUR));
	ASSERT_EQ(0, tw_after(self->fd, 2, TW_HOUR));
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	ASSERT_EQ(0, tw_stop(self->fd, 1, NULL));
	ASSERT_EQ(-ENOENT, tw_stop(self->fd, 1, NULL));
	ASSERT_EQ(0, tw_stats(self->fd, &stats));
	EXPECT_EQ(3, stats.started);
	EXPECT_EQ(1, stats.reset);
	EXPECT_EQ(1, stats.stopped);
	EXPECT_EQ(1, stats.timers);
	EXPECT_EQ(1, stats.armed);
	EXPECT_EQ(0, stats.expired);
}

TEST_HARNESS_MAIN
