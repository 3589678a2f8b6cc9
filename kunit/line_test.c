// SPDX-License-Identifier: GPL-2.0
/*
 * A line: order, places, and where the count of dropped expiries goes
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "../module/compat.h"
#include "../module/line.h"

#define LEN 4

static struct twheel_line line, other;
static struct twheel_seat seat[LEN];

static int line_test_init(struct kunit *test)
{
	twheel_line_init(&line, LEN);
	twheel_line_init(&other, LEN);
	return 0;
}

/* @nr seats in the line, as many dropped before each as its number. */
static void fill(u32 nr)
{
	u32 i, j;

	for (i = 0; i < nr; i++) {
		for (j = 0; j < i; j++)
			twheel_line_drop_newest(&line);
		twheel_line_put(&line, &seat[i]);
	}
}

static void new_line_is_empty(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, twheel_line_first(&line));
	KUNIT_EXPECT_NULL(test, twheel_line_last(&line));
	KUNIT_EXPECT_EQ(test, line.live, 0);
	KUNIT_EXPECT_FALSE(test, twheel_line_full(&line));
}

static void order_is_that_of_coming(struct kunit *test)
{
	fill(3);
	KUNIT_EXPECT_PTR_EQ(test, twheel_line_first(&line), &seat[0]);
	KUNIT_EXPECT_PTR_EQ(test, twheel_line_last(&line), &seat[2]);
	KUNIT_EXPECT_EQ(test, line.live, 3);
}

static void line_is_full_at_its_length(struct kunit *test)
{
	fill(LEN - 1);
	KUNIT_EXPECT_FALSE(test, twheel_line_full(&line));
	twheel_line_put(&line, &seat[LEN - 1]);
	KUNIT_EXPECT_TRUE(test, twheel_line_full(&line));
}

static void dropped_newest_is_told_by_the_next(struct kunit *test)
{
	fill(3);
	KUNIT_EXPECT_EQ(test, seat[1].dropped, 1);
	KUNIT_EXPECT_EQ(test, seat[2].dropped, 2);
	KUNIT_EXPECT_EQ(test, line.dropped_tail, 0);
}

static void sequence_counts_the_dropped(struct kunit *test)
{
	fill(3);
	twheel_line_deliver(&line, &seat[0]);
	KUNIT_EXPECT_EQ(test, line.sequence, 1);
	twheel_line_deliver(&line, &seat[1]);
	KUNIT_EXPECT_EQ(test, line.sequence, 3);
	KUNIT_EXPECT_EQ(test, line.live, 1);
}

static void withdrawn_one_hands_on_what_was_dropped(struct kunit *test)
{
	fill(3);
	twheel_line_withdraw(&line, &seat[1]);
	KUNIT_EXPECT_EQ(test, seat[2].dropped, 3);
	KUNIT_EXPECT_EQ(test, line.live, 2);
}

static void last_one_withdrawn_hands_on_to_the_tail(struct kunit *test)
{
	fill(3);
	twheel_line_withdraw(&line, &seat[2]);
	KUNIT_EXPECT_EQ(test, line.dropped_tail, 2);
	KUNIT_EXPECT_PTR_EQ(test, twheel_line_last(&line), &seat[1]);
}

static void dropped_oldest_is_told_by_the_next(struct kunit *test)
{
	fill(3);
	twheel_line_drop_oldest(&line);
	KUNIT_EXPECT_PTR_EQ(test, twheel_line_first(&line), &seat[1]);
	KUNIT_EXPECT_EQ(test, seat[1].dropped, 2);
	twheel_line_drop_oldest(&line);
	KUNIT_EXPECT_EQ(test, seat[2].dropped, 5);
}

static void only_one_dropped_is_told_by_the_tail(struct kunit *test)
{
	fill(1);
	twheel_line_drop_oldest(&line);
	KUNIT_EXPECT_EQ(test, line.dropped_tail, 1);
	KUNIT_EXPECT_EQ(test, line.live, 0);
}

static void taken_one_leaves_its_drops_behind(struct kunit *test)
{
	fill(3);
	twheel_line_take_last(&other, &line);
	KUNIT_EXPECT_EQ(test, line.dropped_tail, 2);
	KUNIT_EXPECT_EQ(test, line.live, 2);
	KUNIT_EXPECT_EQ(test, other.live, 1);
	KUNIT_EXPECT_EQ(test, seat[2].dropped, 0);
}

static void taken_one_comes_first_and_tells_of_the_drops_there(struct kunit *test)
{
	fill(3);
	twheel_line_drop_newest(&other);
	twheel_line_take_last(&other, &line);
	KUNIT_EXPECT_EQ(test, seat[2].dropped, 1);
	KUNIT_EXPECT_EQ(test, other.dropped_tail, 0);
	twheel_line_take_last(&other, &line);
	KUNIT_EXPECT_PTR_EQ(test, twheel_line_first(&other), &seat[1]);
	KUNIT_EXPECT_EQ(test, seat[1].dropped, 1);
	KUNIT_EXPECT_EQ(test, seat[2].dropped, 0);
}

static struct kunit_case line_cases[] = {
	KUNIT_CASE(new_line_is_empty),
	KUNIT_CASE(order_is_that_of_coming),
	KUNIT_CASE(line_is_full_at_its_length),
	KUNIT_CASE(dropped_newest_is_told_by_the_next),
	KUNIT_CASE(sequence_counts_the_dropped),
	KUNIT_CASE(withdrawn_one_hands_on_what_was_dropped),
	KUNIT_CASE(last_one_withdrawn_hands_on_to_the_tail),
	KUNIT_CASE(dropped_oldest_is_told_by_the_next),
	KUNIT_CASE(only_one_dropped_is_told_by_the_tail),
	KUNIT_CASE(taken_one_leaves_its_drops_behind),
	KUNIT_CASE(taken_one_comes_first_and_tells_of_the_drops_there),
	{}
};

static struct kunit_suite line_suite = {
	.name = "twheel_line",
	.init = line_test_init,
	.test_cases = line_cases,
};

kunit_test_suite(line_suite);

MODULE_DESCRIPTION("Tests of a reader's line");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
