// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the geometry of the wheel
 *
 * Each function of wheel_geom.h is compared with its definition, written the
 * slow and obvious way.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "../module/wheel_geom.h"
#include "test_random.h"

/* Ticks that are processed next: the edges of periods of every level. */
static const u64 clocks[] = {
	0, 1, 62, 63, 64, 65, 127, 128, 4095, 4096, 4097,
	(1ULL << 18) - 1, 1ULL << 18, (1ULL << 24) - 1, 1ULL << 30,
	(1ULL << 32) - 5, 1ULL << 32, (1ULL << 36) - 1, (1ULL << 42) + 63,
	(1ULL << 48) - 5, (1ULL << 48) - 1, 1ULL << 48, (1ULL << 48) + 1,
	(1ULL << 49) - 1, (1ULL << 62) - 1, 1ULL << 62,
};

static void describe_clock(const u64 *clk, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "clk %llu", *clk);
}

KUNIT_ARRAY_PARAM(clock, clocks, describe_clock);

/* 64^@level ticks. */
static u64 ticks_per_slot(u32 level)
{
	u64 ticks = 1;

	while (level--)
		ticks *= 64;
	return ticks;
}

/* The definition: the lowest level whose rotation or next rotation has it. */
static u32 slow_level(u64 clk, u64 expires)
{
	u64 rotation;
	u32 level;

	for (level = 0; level < TWHEEL_LEVELS; level++) {
		rotation = ticks_per_slot(level + 1);
		if (expires / rotation - clk / rotation <= 1)
			return level;
	}
	return TWHEEL_LEVELS;
}

static void check_level(struct kunit *test, u64 clk, u64 expires)
{
	u32 level = twheel_level(clk, expires);

	KUNIT_EXPECT_EQ_MSG(test, level, slow_level(clk, expires),
			    "clk %llu, expires %llu", clk, expires);
}

/* The first tick that is beyond what @level reaches. */
static u64 end_of_level(u64 clk, u32 level)
{
	u64 rotation = ticks_per_slot(level + 1);

	return (clk / rotation + 2) * rotation;
}

static void level_at_the_edges(struct kunit *test)
{
	u64 clk = *(const u64 *)test->param_value, end;
	u32 level;

	check_level(test, clk, clk);
	for (level = 0; level < TWHEEL_LEVELS; level++) {
		end = end_of_level(clk, level);
		KUNIT_EXPECT_LE_MSG(test, twheel_level(clk, end - 1), level,
				    "clk %llu", clk);
		check_level(test, clk, end - 1);
		if (level == TWHEEL_LEVELS - 1)
			break;
		KUNIT_EXPECT_EQ_MSG(test, twheel_level(clk, end), level + 1,
				    "clk %llu", clk);
		check_level(test, clk, end + 1);
		check_level(test, clk, clk + ticks_per_slot(level + 1) - 1);
		check_level(test, clk, clk + ticks_per_slot(level + 1));
		check_level(test, clk, clk + 2 * ticks_per_slot(level + 1) - 1);
		check_level(test, clk, clk + 2 * ticks_per_slot(level + 1));
	}
}

static void level_at_random(struct kunit *test)
{
	u64 clk = *(const u64 *)test->param_value;
	struct test_random random;
	u32 i;

	test_random_init(test, &random, 1);
	for (i = 0; i < 2000; i++)
		check_level(test, clk, clk + test_random_size(&random, 48));
}

/* The wheel reaches at least one rotation of its highest level. */
static void reaches_the_horizon(struct kunit *test)
{
	u64 clk = *(const u64 *)test->param_value;
	u64 last = twheel_horizon(clk);

	KUNIT_EXPECT_EQ_MSG(test, slow_level(clk, last), TWHEEL_LEVELS - 1,
			    "clk %llu, horizon %llu", clk, last);
	KUNIT_EXPECT_EQ_MSG(test, slow_level(clk, last + 1), TWHEEL_LEVELS,
			    "clk %llu, horizon %llu", clk, last);
	KUNIT_EXPECT_GE_MSG(test, last - clk, 1ULL << 48, "clk %llu", clk);
}

/*
 * On every level but 0 the slot begins in the future, and no two periods that
 * are in use at a time share a slot.
 */
static void slot_has_not_passed(struct kunit *test)
{
	u64 clk = *(const u64 *)test->param_value, expires, ahead;
	struct test_random random;
	u32 i, level;

	test_random_init(test, &random, 2);
	for (i = 0; i < 2000; i++) {
		expires = clk + test_random_size(&random, 48);
		level = twheel_level(clk, expires);
		ahead = expires / ticks_per_slot(level) -
			clk / ticks_per_slot(level);
		KUNIT_EXPECT_GE_MSG(test, ahead, level ? 1 : 0,
				    "clk %llu, expires %llu, level %u",
				    clk, expires, level);
		KUNIT_EXPECT_LT_MSG(test, ahead, TWHEEL_SLOTS,
				    "clk %llu, expires %llu, level %u",
				    clk, expires, level);
	}
}

static u32 ceiling(u64 n, u64 d)
{
	return n / d + !!(n % d);
}

/* The definition in design.md, section 5. */
static u32 slow_share(u32 count, u64 left)
{
	return ceiling(count, 16) < left ? 0 : ceiling(count, left);
}

static const u32 populations[] = {
	0, 1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 1023, 1024, 1025,
	65535, 65536, 65537, 1000000, 1U << 30,
};

static void describe_population(const u32 *count, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u timers", *count);
}

KUNIT_ARRAY_PARAM(population, populations, describe_population);

static void share_as_defined(struct kunit *test)
{
	u32 count = *(const u32 *)test->param_value;
	struct test_random random;
	u64 left;
	u32 i;

	test_random_init(test, &random, 3);
	for (left = 1; left <= 4097; left++)
		KUNIT_EXPECT_EQ_MSG(test, twheel_migrate_share(count, left),
				    slow_share(count, left), "left %llu", left);
	for (i = 0; i < 2000; i++) {
		left = 1 + test_random_size(&random, 42);
		KUNIT_EXPECT_EQ_MSG(test, twheel_migrate_share(count, left),
				    slow_share(count, left), "left %llu", left);
	}
}

/* Levels whose period can be walked through tick by tick. */
#define WALKED_LEVELS 2

/* The share is 0 before the start and is not from then on. */
static void start_agrees_with_share(struct kunit *test)
{
	u32 count = *(const u32 *)test->param_value, level, share;
	u64 period = (1ULL << 32) + 3, begins, start, tick;

	if (!count)
		return;
	for (level = 1; level <= WALKED_LEVELS; level++) {
		begins = period * ticks_per_slot(level);
		start = twheel_migrate_start(period, level, count);
		KUNIT_EXPECT_LT(test, start, begins);
		KUNIT_EXPECT_GE(test, start, begins - ticks_per_slot(level));
		for (tick = begins - ticks_per_slot(level); tick < begins;
		     tick++) {
			share = twheel_migrate_share(count, begins - tick);
			KUNIT_EXPECT_EQ_MSG(test, share > 0, tick >= start,
					    "level %u, share %u, %llu left",
					    level, share, begins - tick);
		}
	}
}

/*
 * From the start on, the shares empty the slot before it begins, and none is
 * above what guarantee 5 allows.
 */
static void shares_add_up(struct kunit *test)
{
	u32 count, level, share, most;
	u64 period = 1ULL << 20, begins, tick;

	for (level = 1; level <= WALKED_LEVELS; level++) {
		count = *(const u32 *)test->param_value;
		begins = period * ticks_per_slot(level);
		most = ceiling(count, ticks_per_slot(level));
		if (most < 16)
			most = 16;
		for (tick = twheel_migrate_start(period, level, count);
		     tick < begins; tick++) {
			share = twheel_migrate_share(count, begins - tick);
			KUNIT_EXPECT_LE_MSG(test, share, most,
					    "level %u, %u to move, %llu left",
					    level, count, begins - tick);
			KUNIT_ASSERT_LE(test, share, count);
			count -= share;
		}
		KUNIT_EXPECT_EQ_MSG(test, count, 0, "level %u", level);
	}
}

static struct kunit_case wheel_geom_cases[] = {
	KUNIT_CASE_PARAM(level_at_the_edges, clock_gen_params),
	KUNIT_CASE_PARAM(level_at_random, clock_gen_params),
	KUNIT_CASE_PARAM(reaches_the_horizon, clock_gen_params),
	KUNIT_CASE_PARAM(slot_has_not_passed, clock_gen_params),
	KUNIT_CASE_PARAM(share_as_defined, population_gen_params),
	KUNIT_CASE_PARAM(start_agrees_with_share, population_gen_params),
	KUNIT_CASE_PARAM(shares_add_up, population_gen_params),
	{}
};

static struct kunit_suite wheel_geom_suite = {
	.name = "twheel_wheel_geom",
	.test_cases = wheel_geom_cases,
};

kunit_test_suite(wheel_geom_suite);

MODULE_DESCRIPTION("Tests of the geometry of the timing wheel");
MODULE_LICENSE("GPL");
