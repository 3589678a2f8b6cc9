// SPDX-License-Identifier: GPL-2.0
/*
 * Which reader gets an expiry
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "pool_check.h"

static struct twheel_consumer second;

static int dispatch_init(struct kunit *test)
{
	return fixture_init(test, 1ULL << 40);
}

/* Two readers with lines of two. */
static void pool_of_two(struct kunit *test, u32 dispatch, u32 overflow,
			u32 flags)
{
	struct fixture *f = test->priv;
	struct twheel_config config = {
		.tick_shift = 20,
		.queue_len = 2,
		.overflow = overflow,
		.dispatch = dispatch,
		.flags = flags,
	};

	KUNIT_ASSERT_EQ(test, twheel_config_fill(&config), 0);
	KUNIT_ASSERT_EQ(test, twheel_instance_setup(&f->inst, &config), 0);
	KUNIT_ASSERT_EQ(test, twheel_consumer_join(&f->inst, &second, 0,
						   fixture_call), 0);
}

/* Let timers @first to @first + @nr - 1 expire, in this order. */
static void expire_row(struct kunit *test, u64 first, u32 nr, u32 stride)
{
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ(test, start(f, first + i * stride,
					    (i + 1) * TICK, 0, 0), 0);
	run_for(f, (nr + 1) * TICK);
	pool_check(test, &f->inst);
}

static void readers_take_turns(struct kunit *test)
{
	struct fixture *f = test->priv;

	pool_of_two(test, TWHEEL_ROUND_ROBIN, TWHEEL_HOLD, 0);
	expire_row(test, 0, 4, 1);
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 2);
	KUNIT_EXPECT_EQ(test, f->event[0].id, 0);
	KUNIT_EXPECT_EQ(test, f->event[1].id, 2);
	twheel_consumer_leave(&second);
	pool_check(test, &f->inst);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 2);
}

static void all_full_lines_make_the_rest_wait(struct kunit *test)
{
	struct fixture *f = test->priv;

	pool_of_two(test, TWHEEL_ROUND_ROBIN, TWHEEL_HOLD, 0);
	expire_row(test, 0, 6, 1);
	KUNIT_EXPECT_EQ(test, stats(test)->queued, 4);
	KUNIT_EXPECT_EQ(test, stats(test)->waiting, 6);
	/* The other line stays full, so both of the rest come here. */
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 4);
	twheel_consumer_leave(&second);
	pool_check(test, &f->inst);
}

static void full_line_by_id_blocks_no_other(struct kunit *test)
{
	struct fixture *f = test->priv;

	pool_of_two(test, TWHEEL_BY_ID, TWHEEL_HOLD, 0);
	expire_row(test, 1, 4, 2);
	expire_row(test, 100, 1, 1);
	KUNIT_EXPECT_EQ(test, second.nr_due, 2);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].id, 100);
	twheel_consumer_leave(&second);
	pool_check(test, &f->inst);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 4);
}

static void broadcast_gives_each_a_copy(struct kunit *test)
{
	struct fixture *f = test->priv;

	pool_of_two(test, TWHEEL_BROADCAST, TWHEEL_DROP_NEWEST, 0);
	expire_row(test, 0, 2, 1);
	KUNIT_EXPECT_EQ(test, stats(test)->waiting, 4);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 2);
	KUNIT_EXPECT_EQ(test, second.line.live, 2);
	twheel_consumer_leave(&second);
	pool_check(test, &f->inst);
	KUNIT_EXPECT_EQ(test, stats(test)->timers, 0);
}

/* The first reader has let it run on; the second has not read yet. */
static void reset_of_a_periodic_timer_withdraws_copies(struct kunit *test)
{
	struct fixture *f = test->priv;

	pool_of_two(test, TWHEEL_BROADCAST, TWHEEL_DROP_NEWEST, 0);
	KUNIT_ASSERT_EQ(test, start(f, 1, 4 * TICK, 40 * TICK, 0), 0);
	run_for(f, 5 * TICK);
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	KUNIT_ASSERT_EQ(test, stats(test)->armed, 1);
	KUNIT_ASSERT_EQ(test, second.line.live, 1);
	KUNIT_ASSERT_EQ(test, reset(f, 1, 90 * TICK, TWHEEL_NEW_TIMEOUT), 0);
	KUNIT_EXPECT_EQ(test, f->reset.outcome, TWHEEL_WITHDREW);
	KUNIT_EXPECT_EQ(test, second.line.live, 0);
	KUNIT_EXPECT_EQ(test, stats(test)->withdrawn, 1);
	pool_check(test, &f->inst);
	twheel_consumer_leave(&second);
}

static struct kunit_case dispatch_cases[] = {
	KUNIT_CASE(readers_take_turns),
	KUNIT_CASE(all_full_lines_make_the_rest_wait),
	KUNIT_CASE(full_line_by_id_blocks_no_other),
	KUNIT_CASE(broadcast_gives_each_a_copy),
	KUNIT_CASE(reset_of_a_periodic_timer_withdraws_copies),
	{}
};

static struct kunit_suite dispatch_suite = {
	.name = "twheel_dispatch",
	.init = dispatch_init,
	.exit = fixture_exit,
	.test_cases = dispatch_cases,
};

kunit_test_suite(dispatch_suite);

MODULE_DESCRIPTION("Tests of the dispatch");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
