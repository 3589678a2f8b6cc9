// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of an instance: slack
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "instance_fixture.h"
#include "test_random.h"

#define SECOND 1000000000ULL

static int slack_init(struct kunit *test)
{
	return fixture_init(test, 1000 * TICK + 5);
}

static int start_slack(struct fixture *f, u64 id, u64 time, u64 interval,
		       u64 slack)
{
	f->start = (struct twheel_start) {
		.id = id,
		.time_ns = time,
		.interval_ns = interval,
		.slack_ns = slack,
	};
	return twheel_instance_start(&f->inst, &f->start);
}

/* How often the clock has to call for 60 timers, two ticks apart. */
static u32 wakeups(struct kunit *test, u64 slack)
{
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < 60; i++)
		KUNIT_EXPECT_EQ(test, start_slack(f, i, (300 + 2 * i) * TICK, 0,
						  slack), 0);
	f->clock.fired = 0;
	run_for(f, 1000 * TICK);
	KUNIT_EXPECT_EQ(test, read_events(f, EVENTS), 60);
	return f->clock.fired;
}

static void joined_expiries_wake_less_often(struct kunit *test)
{
	u32 exact = wakeups(test, 0);

	KUNIT_EXPECT_GE(test, exact, 60);
	/* Expiries in 2 or 3 ticks, and migrations. */
	KUNIT_EXPECT_LE(test, wakeups(test, 64 * TICK), 10);
}

/* Not before its deadline, and not after the end of its slack. */
static void expires_between_deadline_and_end_of_slack(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct test_random random;
	u64 time, slack, deadline;
	u32 i;

	test_random_init(test, &random, 1);
	for (i = 0; i < 1000; i++) {
		run_for(f, test_random_below(&random, 3 * TICK));
		time = test_random_below(&random, 300 * TICK);
		slack = test_random_below(&random, 100 * TICK);
		deadline = f->clock.now + time;
		KUNIT_ASSERT_EQ(test, start_slack(f, i, time, 0, slack), 0);
		KUNIT_ASSERT_EQ(test, f->start.deadline_ns, deadline);
		run_for(f, 500 * TICK);
		KUNIT_ASSERT_EQ(test, read_events(f, 2), 1);
		KUNIT_ASSERT_EQ(test, f->event[0].deadline_ns, deadline);
		KUNIT_ASSERT_GE(test, f->event[0].fired_ns, deadline);
		KUNIT_ASSERT_LT(test, f->event[0].fired_ns,
				deadline + slack + TICK);
	}
}

static void get_tells_whole_ticks(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, start_slack(f, 1, SECOND, 0, 5 * TICK - 1), 0);
	KUNIT_ASSERT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.slack_ns, 4 * TICK);
	KUNIT_ASSERT_EQ(test, start_slack(f, 1, SECOND, 0, TICK << 33), 0);
	KUNIT_ASSERT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.slack_ns, U32_MAX * TICK);
}

static void reset_keeps_it_and_start_replaces_it(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, start_slack(f, 1, SECOND, 0, 5 * TICK), 0);
	KUNIT_ASSERT_EQ(test, reset(f, 1, 2 * SECOND, TWHEEL_NEW_TIMEOUT), 0);
	KUNIT_ASSERT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.slack_ns, 5 * TICK);
	KUNIT_ASSERT_EQ(test, start(f, 1, SECOND, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.slack_ns, 0);
}

/* Late is not carried over: the grid is that of the start. */
static void grid_of_a_periodic_timer_stays(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 deadline;
	u32 i;

	KUNIT_ASSERT_EQ(test, start_slack(f, 1, 10 * TICK + 1, 100 * TICK,
					  50 * TICK), 0);
	deadline = f->start.deadline_ns;
	for (i = 0; i < 50; i++) {
		fake_clock_run(&f->clock, deadline + 51 * TICK);
		KUNIT_ASSERT_EQ(test, read_events(f, 2), 1);
		KUNIT_ASSERT_EQ(test, f->event[0].deadline_ns, deadline);
		KUNIT_ASSERT_EQ(test, f->event[0].expirations, 1);
		deadline += 100 * TICK;
	}
}

static void end_of_slack_has_to_be_on_the_clock(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 room;

	KUNIT_ASSERT_EQ(test, start(f, 1, SECOND, 0, 0), 0);
	room = KTIME_MAX - f->clock.now - SECOND;
	KUNIT_EXPECT_EQ(test, start_slack(f, 1, SECOND, 0, room), 0);
	KUNIT_EXPECT_EQ(test, start_slack(f, 1, SECOND, 0, room + 1),
			-EOVERFLOW);
	KUNIT_EXPECT_EQ(test, start_slack(f, 1, SECOND, 0, U64_MAX),
			-EOVERFLOW);
	/* The slack that it has still counts when it is reset. */
	KUNIT_EXPECT_EQ(test, reset(f, 1, KTIME_MAX - f->clock.now,
				    TWHEEL_NEW_TIMEOUT), -EOVERFLOW);
	KUNIT_ASSERT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.remaining_ns, SECOND);
}

static struct kunit_case slack_cases[] = {
	KUNIT_CASE(joined_expiries_wake_less_often),
	KUNIT_CASE(expires_between_deadline_and_end_of_slack),
	KUNIT_CASE(get_tells_whole_ticks),
	KUNIT_CASE(reset_keeps_it_and_start_replaces_it),
	KUNIT_CASE(grid_of_a_periodic_timer_stays),
	KUNIT_CASE(end_of_slack_has_to_be_on_the_clock),
	{}
};

static struct kunit_suite slack_suite = {
	.name = "twheel_slack",
	.init = slack_init,
	.exit = fixture_exit,
	.test_cases = slack_cases,
};

kunit_test_suite(slack_suite);

MODULE_DESCRIPTION("Tests of slack");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
