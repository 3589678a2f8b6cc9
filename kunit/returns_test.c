// SPDX-License-Identifier: GPL-2.0
/*
 * What came back, oldest first
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "../module/compat.h"
#include "../module/returns.h"

#define NR 5

static struct twheel_returns returns;
static struct twheel_expiry expiry[NR];

/* They come back in another order than they expired in. */
static int returns_init(struct kunit *test)
{
	static const u64 order[NR] = { 30, 10, 50, 20, 40 };
	u32 i;

	returns = (struct twheel_returns) { .tree = RB_ROOT_CACHED };
	for (i = 0; i < NR; i++)
		expiry[i] = (struct twheel_expiry) { .order = order[i] };
	return 0;
}

static void add_all(void)
{
	u32 i;

	for (i = 0; i < NR; i++)
		twheel_returns_add(&returns, &expiry[i]);
}

static void nothing_is_first_of_none(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, twheel_returns_first(&returns));
	KUNIT_EXPECT_EQ(test, returns.live, 0);
}

static void each_knows_where_it_is(struct kunit *test)
{
	twheel_returns_add(&returns, &expiry[0]);
	KUNIT_EXPECT_PTR_EQ(test, expiry[0].returns, &returns);
	twheel_returns_del(&expiry[0]);
	KUNIT_EXPECT_NULL(test, expiry[0].returns);
}

static void oldest_comes_first(struct kunit *test)
{
	u64 last = 0;
	u32 i;

	add_all();
	KUNIT_EXPECT_EQ(test, returns.live, NR);
	for (i = 0; i < NR; i++) {
		KUNIT_ASSERT_NOT_NULL(test, twheel_returns_first(&returns));
		KUNIT_EXPECT_GT(test, twheel_returns_first(&returns)->order,
				last);
		last = twheel_returns_first(&returns)->order;
		twheel_returns_del(twheel_returns_first(&returns));
	}
	KUNIT_EXPECT_NULL(test, twheel_returns_first(&returns));
	KUNIT_EXPECT_EQ(test, returns.live, 0);
}

static void one_in_the_middle_leaves(struct kunit *test)
{
	add_all();
	twheel_returns_del(&expiry[3]);
	KUNIT_EXPECT_EQ(test, returns.live, NR - 1);
	KUNIT_EXPECT_PTR_EQ(test, twheel_returns_first(&returns), &expiry[1]);
	twheel_returns_del(&expiry[1]);
	KUNIT_EXPECT_PTR_EQ(test, twheel_returns_first(&returns), &expiry[0]);
}

static struct kunit_case returns_cases[] = {
	KUNIT_CASE(nothing_is_first_of_none),
	KUNIT_CASE(each_knows_where_it_is),
	KUNIT_CASE(oldest_comes_first),
	KUNIT_CASE(one_in_the_middle_leaves),
	{}
};

static struct kunit_suite returns_suite = {
	.name = "twheel_returns",
	.init = returns_init,
	.test_cases = returns_cases,
};

kunit_test_suite(returns_suite);

MODULE_DESCRIPTION("Tests of expiries that came back");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
