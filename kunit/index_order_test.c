// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the order in which the index from ID to timer is listed
 */
#include "index_fixture.h"

/* Places only go up, and every entry has one, however large the table is. */
static void next_goes_through_all_in_order(struct kunit *test)
{
	struct twheel_index_place place = { 0 }, before = { 0 };
	struct fixture *f = test->priv;
	struct twheel_index_entry *entry;
	u32 i, nr = 0, budget = U32_MAX;

	for (i = 0; i < SMALL; i++)
		add(f, i, i * 0x10001ULL);
	while ((entry = twheel_index_next(&f->index, &place, &budget))) {
		KUNIT_ASSERT_TRUE(test, !nr ||
				  place.position > before.position ||
				  (place.position == before.position &&
				   place.id > before.id));
		KUNIT_ASSERT_EQ(test, place.id, entry->id);
		before = place;
		twheel_index_pass(&f->index, &place, entry->id);
		nr++;
	}
	KUNIT_EXPECT_EQ(test, place.position, TWHEEL_INDEX_END);
	KUNIT_EXPECT_EQ(test, nr, SMALL);
	/* Every call has looked at a bucket and at what it returned. */
	KUNIT_EXPECT_GE(test, U32_MAX - budget,
			2 * SMALL + f->index.nr_buckets);
}

/* Two IDs with the same position, for this key. */
static void find_twins(struct kunit *test, struct fixture *f, u64 twins[2])
{
	const u32 slots = 1 << 16;
	u32 *last = vzalloc(slots * sizeof(*last));
	struct twheel_index_place place, other;
	u32 slot, id;

	KUNIT_ASSERT_NOT_NULL(test, last);
	twins[1] = 0;
	for (id = 1; id < 5000000 && !twins[1]; id++) {
		twheel_index_pass(&f->index, &place, id);
		slot = place.position % slots;
		twheel_index_pass(&f->index, &other, last[slot]);
		if (last[slot] && other.position == place.position) {
			twins[0] = last[slot];
			twins[1] = id;
		}
		last[slot] = id;
	}
	vfree(last);
	KUNIT_ASSERT_NE(test, twins[1], 0);
}

/* The order among equal hashes is that of the IDs. */
static void next_tells_equal_hashes_apart(struct kunit *test)
{
	struct twheel_index_place place = { 0 };
	struct fixture *f = test->priv;
	struct twheel_index_entry *entry;
	u32 nr = 0, budget = U32_MAX;
	u64 twins[2];

	find_twins(test, f, twins);
	add(f, 0, twins[0]);
	add(f, 1, twins[1]);
	while ((entry = twheel_index_next(&f->index, &place, &budget))) {
		KUNIT_ASSERT_LT(test, nr, 2);
		KUNIT_EXPECT_EQ(test, entry->id, twins[nr++]);
		twheel_index_pass(&f->index, &place, entry->id);
	}
	KUNIT_EXPECT_EQ(test, nr, 2);
}

/* The place of an entry is the same in tables of every size. */
static void places_outlive_growth_and_shrinking(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_index_place place = { 0 };
	u32 budget, i, step, nr = 0;
	struct twheel_index_entry *entry;
	u32 smallest = U32_MAX, largest = 0;

	/* The first 500 stay; waves of 3000 others come and go. */
	for (i = 0; i < 500; i++)
		add(f, i, i);
	for (step = 0; place.position < TWHEEL_INDEX_END; step++) {
		i = 500 + step * 37 % 3000;
		if (step / 3000 % 2 == 0)
			add(f, i, i);
		else
			del(f, i);
		smallest = min(smallest, f->index.nr_buckets);
		largest = max(largest, f->index.nr_buckets);
		budget = 1;
		entry = step % 40 ? NULL :
			twheel_index_next(&f->index, &place, &budget);
		if (!entry)
			continue;
		nr += entry->id < 500;
		twheel_index_pass(&f->index, &place, entry->id);
	}
	KUNIT_EXPECT_EQ(test, nr, 500);
	KUNIT_EXPECT_LT(test, 3 * smallest, largest);
	check(test, f);
}

/* A call looks at no more than it may, and at one bucket at least. */
static void next_keeps_to_its_budget(struct kunit *test)
{
	struct twheel_index_place place = { 0 };
	struct fixture *f = test->priv;
	u32 calls = 0, budget;

	add(f, 0, 0);
	while (place.position < TWHEEL_INDEX_END) {
		budget = 10;
		if (twheel_index_next(&f->index, &place, &budget))
			twheel_index_pass(&f->index, &place, 0);
		calls++;
		KUNIT_ASSERT_LE(test, calls, 2 * SEGMENT);
	}
	KUNIT_EXPECT_GE(test, calls, SEGMENT / 10);
	KUNIT_EXPECT_LE(test, calls, SEGMENT / 10 + 3);
}

static struct kunit_case index_order_cases[] = {
	KUNIT_CASE(next_goes_through_all_in_order),
	KUNIT_CASE(next_tells_equal_hashes_apart),
	KUNIT_CASE(places_outlive_growth_and_shrinking),
	KUNIT_CASE(next_keeps_to_its_budget),
	{}
};

static struct kunit_suite index_order_suite = {
	.name = "twheel_index_order",
	.init = index_init,
	.exit = index_exit,
	.test_cases = index_order_cases,
};

kunit_test_suite(index_order_suite);

MODULE_DESCRIPTION("Tests of the order of the index from ID to timer");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
