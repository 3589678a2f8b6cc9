// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of an instance: limits, settings, its end
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#include "instance_fixture.h"

static int limits_init(struct kunit *test)
{
	return fixture_init(test, 1000 * TICK + 5);
}

/* Guarantee 6: reaching a limit is an error for that call. */
static void limit_of_the_instance(struct kunit *test)
{
	struct twheel_config config = { .max_timers = 3 };
	struct fixture *f = test->priv;
	struct twheel_stats before;
	u64 i;

	KUNIT_ASSERT_EQ(test, twheel_config_fill(&config), 0);
	KUNIT_ASSERT_EQ(test, twheel_instance_setup(&f->inst, &config), 0);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, start(f, i, 5 * TICK, 0, 0), 0);
	before = *stats(test);
	KUNIT_EXPECT_EQ(test, start(f, 3, 5 * TICK, 0, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, memcmp(&before, stats(test), sizeof(before)), 0);
	KUNIT_EXPECT_EQ(test, get(f, 3), -ENOENT);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->account->timers), 3);
	/* One that is there can be started again. */
	KUNIT_EXPECT_EQ(test, start(f, 1, 9 * TICK, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, stop(f, 0), 0);
	KUNIT_EXPECT_EQ(test, start(f, 3, 5 * TICK, 0, 0), 0);
}

/* IDs that were chosen to meet in the index are refused at last, and no others. */
static void limit_of_a_bucket(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_index_place place;
	struct twheel_stats before;
	u32 started = 0;
	u64 id;

	KUNIT_ASSERT_EQ(test, start(f, 0, 5 * TICK, 0, 0), 0);
	for (id = 1; started < TWHEEL_INDEX_CHAIN; id++) {
		twheel_index_pass(&f->inst.index, &place, id);
		if (place.position >> 23 != 7)
			continue;
		if (start(f, id, 5 * TICK, 0, 0))
			break;
		started++;
	}
	/* Timer 0 may be one of them. */
	KUNIT_EXPECT_GE(test, started, TWHEEL_INDEX_CHAIN - 1);
	for (;; id++) {
		twheel_index_pass(&f->inst.index, &place, id);
		if (place.position >> 23 == 7)
			break;
	}
	before = *stats(test);
	KUNIT_EXPECT_EQ(test, start(f, id, 5 * TICK, 0, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, memcmp(&before, stats(test), sizeof(before)), 0);
	KUNIT_EXPECT_EQ(test, get(f, id), -ENOENT);
	KUNIT_EXPECT_EQ(test, start(f, 0, 6 * TICK, 0, 0), 0);
}

static void limit_of_the_user(struct kunit *test)
{
	const s64 others = 1LL << 40;
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, start(f, 1, 5 * TICK, 0, 0), 0);
	atomic64_add(others, &f->account->timers);
	KUNIT_EXPECT_EQ(test, start(f, 2, 5 * TICK, 0, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, get(f, 2), -ENOENT);
	KUNIT_EXPECT_EQ(test, start(f, 1, 6 * TICK, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->account->timers), others + 1);
	atomic64_sub(others, &f->account->timers);
	KUNIT_EXPECT_EQ(test, start(f, 2, 5 * TICK, 0, 0), 0);
}

/* Guarantee 6: back at stop, at delivery and at a drop. */
static void charge_goes_back_at_once(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup(test, 1, TWHEEL_DROP_NEWEST);
	KUNIT_ASSERT_EQ(test, start(f, 0, TICK, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, start(f, 1, 2 * TICK, 0, 0), 0);
	run_for(f, 3 * TICK);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->account->timers), 1);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->account->timers), 0);
	KUNIT_ASSERT_EQ(test, start(f, 0, 3600000 * TICK, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, stop(f, 0), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->account->timers), 0);
}

/* Free timers are kept for the next starts, but not many, and for nobody's money. */
static void free_timers_are_kept(struct kunit *test)
{
	struct fixture *f = test->priv;
	const struct twheel_store *store = &f->inst.store;
	u64 i;

	for (i = 0; i < 3 * TWHEEL_STORE_TIMERS; i++)
		KUNIT_ASSERT_EQ(test, start(f, i, 5 * TICK, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, store->nr, 0);
	KUNIT_ASSERT_EQ(test, stop(f, 0), 0);
	KUNIT_EXPECT_EQ(test, store->nr, 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->account->timers), i - 1);
	KUNIT_ASSERT_EQ(test, start(f, i, 5 * TICK, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, store->nr, 0);
	while (i)
		KUNIT_ASSERT_EQ(test, stop(f, i--), 0);
	KUNIT_EXPECT_EQ(test, store->nr, TWHEEL_STORE_TIMERS);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->account->timers), 0);
}

/* Start 2048 timers, for the next tick. */
static void start_many(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < 8 * EVENTS; i++)
		KUNIT_ASSERT_EQ(test, start(f, i, TICK, 0, 0), 0);
	KUNIT_ASSERT_GT(test, f->inst.index.nr_buckets, 4 * EVENTS);
}

/* Whatever takes timers away gives the memory back that they were found by. */
static void empty_segments_are_freed(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	start_many(test);
	for (i = 0; i < 8 * EVENTS; i++) {
		KUNIT_ASSERT_EQ(test, stop(f, i), 0);
		KUNIT_ASSERT_TRUE(test, llist_empty(&f->inst.index.retired));
	}
	start_many(test);
	run_for(f, 3 * TICK);
	for (i = 0; i < 8; i++) {
		KUNIT_ASSERT_EQ(test, read_events(f, EVENTS), EVENTS);
		KUNIT_ASSERT_TRUE(test, llist_empty(&f->inst.index.retired));
	}
	KUNIT_EXPECT_LE(test, f->inst.index.nr_buckets, 2 * EVENTS);
}

/* What a start has brought that failed is not of the kind that SETUP asks for. */
static void setup_gives_free_timers_back(struct kunit *test)
{
	struct twheel_config config = {
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.lease_ns = TICK,
	};
	const s64 others = 1LL << 40;
	struct fixture *f = test->priv;

	atomic64_add(others, &f->account->timers);
	KUNIT_EXPECT_EQ(test, start(f, 1, 5 * TICK, 0, 0), -ENOSPC);
	atomic64_sub(others, &f->account->timers);
	KUNIT_EXPECT_EQ(test, f->inst.store.nr, TWHEEL_STORE_TIMERS);
	KUNIT_ASSERT_EQ(test, twheel_config_fill(&config), 0);
	KUNIT_ASSERT_EQ(test, twheel_instance_setup(&f->inst, &config), 0);
	KUNIT_EXPECT_EQ(test, f->inst.store.nr, 0);
	KUNIT_EXPECT_EQ(test, start(f, 1, TICK, 0, 0), 0);
	run_for(f, 2 * TICK);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].attempt, 1);
}

static void setup_before_the_first_start(struct kunit *test)
{
	struct twheel_config config = { .clock = CLOCK_BOOTTIME };
	struct fixture *f = test->priv;

	setup(test, 4, TWHEEL_DROP_NEWEST);
	KUNIT_EXPECT_EQ(test, f->clock.id, CLOCK_MONOTONIC);
	KUNIT_ASSERT_EQ(test, twheel_config_fill(&config), 0);
	KUNIT_EXPECT_EQ(test, twheel_instance_setup(&f->inst, &config), 0);
	KUNIT_EXPECT_EQ(test, f->clock.id, CLOCK_BOOTTIME);
	KUNIT_EXPECT_EQ(test, f->inst.config.overflow, TWHEEL_HOLD);
	/* A start that failed was no start. */
	KUNIT_EXPECT_EQ(test, start(f, 1, U64_MAX, 0, 0), -EOVERFLOW);
	setup(test, 4, TWHEEL_DROP_NEWEST);
	KUNIT_ASSERT_EQ(test, start(f, 1, TICK, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, twheel_instance_setup(&f->inst, &config), -EBUSY);
	KUNIT_EXPECT_EQ(test, f->clock.id, CLOCK_MONOTONIC);
	KUNIT_EXPECT_EQ(test, f->inst.config.queue_len, 4);
	KUNIT_EXPECT_EQ(test, stop(f, 1), 0);
	KUNIT_EXPECT_EQ(test, twheel_instance_setup(&f->inst, &config), -EBUSY);
}

static void wrong_settings(struct kunit *test)
{
	static const struct twheel_config wrong[] = {
		{ .tick_shift = TWHEEL_TICK_SHIFT_MIN - 1 },
		{ .tick_shift = TWHEEL_TICK_SHIFT_MAX + 1 },
		{ .clock = CLOCK_REALTIME + 2 },
		{ .clock = -1 },
		{ .queue_len = U32_MAX },
		{ .overflow = TWHEEL_DROP_OLDEST + 1 },
		{ .max_timers = U64_MAX },
	};
	struct twheel_config config;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		config = wrong[i];
		KUNIT_EXPECT_EQ_MSG(test, twheel_config_fill(&config), -EINVAL,
				    "case %u", i);
	}
}

/* The last calls of the clock may come late. */
static void killed_instance_is_quiet(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, start(f, 1, TICK, 0, 0), 0);
	twheel_instance_kill(&f->inst);
	f->clock.now += 5 * TICK;
	KUNIT_EXPECT_FALSE(test, twheel_instance_pass(&f->inst));
	KUNIT_EXPECT_EQ(test, stats(test)->expired, 0);
	KUNIT_EXPECT_EQ(test, f->notified, 0);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(limit_of_the_instance),
	KUNIT_CASE(limit_of_a_bucket),
	KUNIT_CASE(limit_of_the_user),
	KUNIT_CASE(charge_goes_back_at_once),
	KUNIT_CASE(free_timers_are_kept),
	KUNIT_CASE(empty_segments_are_freed),
	KUNIT_CASE(setup_gives_free_timers_back),
	KUNIT_CASE(setup_before_the_first_start),
	KUNIT_CASE(wrong_settings),
	KUNIT_CASE(killed_instance_is_quiet),
	{}
};

static struct kunit_suite limits_suite = {
	.name = "twheel_limits",
	.init = limits_init,
	.exit = fixture_exit,
	.test_cases = limits_cases,
};

kunit_test_suite(limits_suite);

MODULE_DESCRIPTION("Tests of an instance: limits, settings, its end");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
