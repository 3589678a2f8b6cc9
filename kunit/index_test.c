// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the index from ID to timer
 */
#include <linux/sched.h>

#include "index_fixture.h"

/*
 * Entries that a split or a merge may look at, and links that a look-up may
 * follow.  With one bucket for each entry and good hashing the longest of a
 * million chains has about 10.
 */
#define LONGEST 24

/* Segments that the index holds, a spare one included. */
static u32 count_retired(const struct fixture *f)
{
	const struct llist_node *node;
	u32 nr = 0;

	for (node = f->index.retired.first; node; node = node->next)
		nr++;
	return nr;
}

static u32 count_segments(const struct fixture *f)
{
	u32 i, nr = !!f->index.spare + count_retired(f);

	for (i = 0; i < f->index.nr_dir; i++)
		nr += !!f->index.dir[i];
	return nr;
}

/**
 * struct chains - what look-ups cost
 * @longest: Links to the last entry of the longest chain.
 * @total: Links to all entries.
 */
struct chains {
	u32 longest;
	u64 total;
};

/* An entry's chain goes on from it: to its end, and over all. */
static struct chains measure(const struct fixture *f, u64 nr)
{
	const struct twheel_index_entry *entry;
	struct chains chains = { 0 };
	u32 links;
	u64 i;

	for (i = 0; i < nr; i++) {
		links = 0;
		for (entry = &f->entry[i]; entry; entry = entry->next)
			links++;
		chains.longest = max(chains.longest, links);
		chains.total += links;
	}
	return chains;
}

static void finds_what_was_added(struct kunit *test)
{
	static const u64 ids[] = { 0, 1, 511, 512, 1ULL << 32, U64_MAX - 1,
				   U64_MAX };
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		KUNIT_EXPECT_NULL(test, twheel_index_find(&f->index, ids[i]));
		add(f, i, ids[i]);
		KUNIT_EXPECT_PTR_EQ(test, twheel_index_find(&f->index, ids[i]),
				    &f->entry[i]);
	}
	check(test, f);
	KUNIT_EXPECT_NULL(test, twheel_index_find(&f->index, 2));
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		del(f, i);
		KUNIT_EXPECT_NULL(test, twheel_index_find(&f->index, ids[i]));
	}
	KUNIT_EXPECT_EQ(test, f->index.nr, 0);
}

/* Growth is paid for in constant steps, and so is shrinking. */
static void steps_are_bounded(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 buckets;
	u64 i;

	for (i = 0; i < entries; i++) {
		buckets = f->index.nr_buckets;
		add(f, i, test_random(&f->random));
		KUNIT_ASSERT_LE(test, f->index.nr_buckets, buckets + 1);
		KUNIT_ASSERT_LE(test, f->index.nr,
				(u64)f->index.nr_buckets);
		if (i % 4096 == 0)
			cond_resched();
	}
	check(test, f);
	KUNIT_EXPECT_LE(test, measure(f, entries).longest, LONGEST);
	for (i = 0; i < entries; i++) {
		buckets = f->index.nr_buckets;
		del(f, i);
		KUNIT_ASSERT_GE(test, f->index.nr_buckets, buckets - 2);
		KUNIT_ASSERT_LE(test, (u64)f->index.nr_buckets,
				max(2 * f->index.nr + 1, (u64)SEGMENT));
		if (i % 4096 == 0)
			cond_resched();
	}
	kunit_info(test, "%lu entries: a start moved at most %llu, a stop %llu\n",
		   entries, f->worst_add, f->worst_del);
	KUNIT_EXPECT_LE(test, f->worst_add, LONGEST);
	KUNIT_EXPECT_LE(test, f->worst_del, 2 * LONGEST);
	/* Not more than each entry once per doubling, on average. */
	KUNIT_EXPECT_LE(test, f->index.moved, 6 * (u64)entries);
}

static void every_id_is_found_while_growing(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i, k;

	for (i = 0; i < 3 * SEGMENT; i++) {
		add(f, i, i * 3);
		for (k = 0; k <= i; k += 61)
			KUNIT_ASSERT_PTR_EQ(test,
					    twheel_index_find(&f->index, k * 3),
					    &f->entry[k]);
	}
	check(test, f);
	for (i = 0; i < 3 * SEGMENT; i++) {
		del(f, i);
		for (k = i + 1; k < 3 * SEGMENT; k += 61)
			KUNIT_ASSERT_PTR_EQ(test,
					    twheel_index_find(&f->index, k * 3),
					    &f->entry[k]);
	}
	check(test, f);
}

static void memory_goes_back(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 nr = 8 * SEGMENT, i, round;

	KUNIT_EXPECT_EQ(test, count_segments(f), 1);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < nr; i++) {
			add(f, i, i);
			/* One for each page of entries, and one to spare. */
			KUNIT_ASSERT_LE(test, count_segments(f),
					f->index.nr / SEGMENT + 2);
		}
		KUNIT_EXPECT_GE(test, count_segments(f), 8);
		for (i = 0; i < nr; i++) {
			del(f, i);
			twheel_index_free_retired(&f->index);
			KUNIT_ASSERT_LE(test, count_segments(f),
					2 * f->index.nr / SEGMENT + 2);
		}
		KUNIT_EXPECT_LE(test, count_segments(f), 2);
		KUNIT_EXPECT_EQ(test, f->index.nr_buckets, SEGMENT);
	}
}

/* That takes too long for whoever holds the lock. */
static void removing_frees_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 nr = 8 * SEGMENT, i, segments;

	for (i = 0; i < nr; i++)
		add(f, i, i);
	segments = count_segments(f);
	for (i = 0; i < nr; i++) {
		del(f, i);
		KUNIT_ASSERT_EQ(test, count_segments(f), segments);
	}
	KUNIT_EXPECT_EQ(test, count_retired(f), segments - 2);
	twheel_index_free_retired(&f->index);
	KUNIT_EXPECT_EQ(test, count_segments(f), 2);
}

/* The directory has room for as many entries as were asked for, not more. */
static void full_directory_stops_growth(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 nr = 2 * SEGMENT + 5, i;

	twheel_index_destroy(&f->index);
	KUNIT_ASSERT_EQ(test, twheel_index_init(&f->index, nr, 12345), 0);
	for (i = 0; i < nr; i++)
		add(f, i, i);
	check(test, f);
	KUNIT_EXPECT_EQ(test, f->index.nr_buckets, nr);
	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_PTR_EQ(test, twheel_index_find(&f->index, i),
				    &f->entry[i]);
}

/* Not even one entry more than the first segment has buckets for. */
static void smallest_index(struct kunit *test)
{
	struct fixture *f = test->priv;

	twheel_index_destroy(&f->index);
	KUNIT_ASSERT_EQ(test, twheel_index_init(&f->index, 1, 12345), 0);
	KUNIT_EXPECT_FALSE(test, twheel_index_wants_segment(&f->index));
	add(f, 0, 99);
	KUNIT_EXPECT_PTR_EQ(test, twheel_index_find(&f->index, 99),
			    &f->entry[0]);
	del(f, 0);
	KUNIT_EXPECT_NULL(test, twheel_index_find(&f->index, 99));
}

/*
 * Nobody could supply a segment for a while: everything is found all the same,
 * and growth goes on as soon as there is one.
 */
static void no_segment_for_a_while(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i, late = SEGMENT + 200;

	for (i = 0; i < late; i++)
		insert(f, i, i);
	check(test, f);
	KUNIT_EXPECT_EQ(test, f->index.nr_buckets, SEGMENT);
	KUNIT_EXPECT_TRUE(test, twheel_index_wants_segment(&f->index));
	for (i = late; i < 2 * late; i++)
		add(f, i, i);
	check(test, f);
	/* It has caught up. */
	KUNIT_EXPECT_EQ(test, f->index.nr_buckets, 2 * late);
	for (i = 0; i < 2 * late; i++)
		KUNIT_ASSERT_PTR_EQ(test, twheel_index_find(&f->index, i),
				    &f->entry[i]);
	KUNIT_EXPECT_LE(test, measure(f, 2 * late).longest, LONGEST);
}

static void supply_keeps_one_segment(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_index_segment *one = twheel_index_segment_alloc();
	struct twheel_index_segment *two = twheel_index_segment_alloc();

	KUNIT_EXPECT_NULL(test, twheel_index_supply(&f->index, one));
	KUNIT_EXPECT_PTR_EQ(test, twheel_index_supply(&f->index, two), two);
	twheel_index_segment_free(two);
	KUNIT_EXPECT_FALSE(test, twheel_index_wants_segment(&f->index));
}

static void pop_empties_the_index(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_index_entry *entry;
	u32 nr = 5 * SEGMENT / 2, i;

	for (i = 0; i < nr; i++)
		add(f, i, i);
	for (i = 0; (entry = twheel_index_pop(&f->index)); i++) {
		KUNIT_ASSERT_LT(test, entry->id, (u64)nr);
		/* Whoever was popped before has no ID any more. */
		entry->id = U64_MAX;
	}
	KUNIT_EXPECT_EQ(test, i, nr);
	KUNIT_EXPECT_EQ(test, f->index.nr, 0);
}

/* Fill an index with @nr IDs, @step apart, and measure its chains. */
static struct chains fill(struct kunit *test, struct fixture *f, u32 nr,
			  u64 step)
{
	struct chains chains;
	u32 i;

	twheel_index_destroy(&f->index);
	KUNIT_ASSERT_EQ(test, twheel_index_init(&f->index, nr,
						test_random(&f->random)), 0);
	for (i = 0; i < nr; i++)
		add(f, i, i * step);
	chains = measure(f, nr);
	return chains;
}

/* An ideal look-up follows 1.5 links on average. */
static void expect_short(struct kunit *test, struct chains chains, u32 nr,
			 const char *what, u32 k)
{
	KUNIT_EXPECT_LE_MSG(test, chains.longest, LONGEST, "%s %u", what, k);
	KUNIT_EXPECT_LE_MSG(test, chains.total, 3 * (u64)nr, "%s %u", what, k);
}

static void sequential_ids(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 round;

	for (round = 0; round < 10; round++)
		expect_short(test, fill(test, f, SMALL, 1), SMALL, "round",
			     round);
}

/* Pointers, and numbers that are composed of fields. */
static void ids_with_low_bits_zero(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 k;

	for (k = 0; k < 50; k++)
		expect_short(test, fill(test, f, SMALL, 1ULL << k), SMALL,
			     "step 2 to the", k);
}

static void ids_at_random_steps(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 round;

	for (round = 0; round < 20; round++)
		expect_short(test, fill(test, f, SMALL, test_random(&f->random)),
			     SMALL, "round", round);
}

/* IDs of the model test; an array says which of them are in the index. */
#define UNIVERSE 4096

/* Waves of more and of fewer entries, so that it grows and shrinks often. */
static void model_of_an_array(struct kunit *test)
{
	struct fixture *f = test->priv;
	static bool present[UNIVERSE];
	u32 i, nr, share, found = 0;
	u64 id;

	memset(present, 0, sizeof(present));
	for (i = 0; i < 100000 && test_random_more(&f->random); i++) {
		nr = test_random_below(&f->random, UNIVERSE);
		id = (u64)nr * 0x100000001ULL;
		share = i / 10000 % 2 ? 25 : 75;
		KUNIT_ASSERT_PTR_EQ_MSG(test, twheel_index_find(&f->index, id),
					present[nr] ? &f->entry[nr] : NULL,
					"step %u, id %llu", i, id);
		found += present[nr];
		if (test_random_below(&f->random, 100) < share) {
			if (!present[nr])
				add(f, nr, id);
			present[nr] = true;
		} else {
			if (present[nr])
				del(f, nr);
			present[nr] = false;
		}
		if (i % 1000 == 0)
			check(test, f);
	}
	TEST_RANDOM_EXPECT_GT(test, found, i / 4);
	KUNIT_EXPECT_LE(test, f->worst_add, LONGEST);
	KUNIT_EXPECT_LE(test, f->worst_del, 2 * LONGEST);
}

/* The first ID from *@id on whose hash has the low @bits bits @low; *@id is behind. */
static u64 next_id(const struct fixture *f, u64 *id, u32 bits, u32 low)
{
	struct twheel_index_place place;
	u32 i, hash;

	for (;;) {
		twheel_index_pass(&f->index, &place, *id);
		for (hash = 0, i = 0; i < bits; i++)
			hash |= (place.position >> (31 - i) & 1) << i;
		if (hash == low)
			return (*id)++;
		(*id)++;
	}
}

/* IDs that were chosen to meet do not make a chain longer. */
static void bucket_of_chosen_ids_is_full_at_last(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 id = 0, chosen = 0;
	u32 i;

	for (i = 0; i < TWHEEL_INDEX_CHAIN; i++) {
		chosen = next_id(f, &id, 9, 5);
		KUNIT_ASSERT_TRUE(test, has_room(f, chosen));
		add(f, i, chosen);
	}
	chosen = next_id(f, &id, 9, 5);
	KUNIT_EXPECT_FALSE(test, has_room(f, chosen));
	KUNIT_EXPECT_TRUE(test, has_room(f, next_id(f, &id, 9, 6)));
	del(f, 0);
	KUNIT_EXPECT_TRUE(test, has_room(f, chosen));
}

/* Two buckets whose entries are too many for one are not merged. */
static void chosen_ids_keep_the_index_from_shrinking(struct kunit *test)
{
	struct fixture *f = test->priv;
	const u32 group = TWHEEL_INDEX_CHAIN - 4;
	u32 i, half;
	u64 id = 0;

	for (i = 0; i < 2000; i++)
		add(f, i, U64_MAX - i);
	for (half = 0; half < 2; half++)
		for (i = 0; i < group; i++)
			add(f, 2000 + half * group + i,
			    next_id(f, &id, 10, 5 + half * SEGMENT));
	for (i = 0; i < 2000; i++)
		del(f, i);
	check(test, f);
	KUNIT_EXPECT_GT(test, f->index.nr_buckets, SEGMENT + 5);
	KUNIT_EXPECT_LE(test, f->index.nr_buckets, SEGMENT + 6);
	KUNIT_EXPECT_LE(test, f->worst_del, 4 * TWHEEL_INDEX_CHAIN);
	for (i = 2000; i < 2000 + group; i++)
		del(f, i);
	check(test, f);
	KUNIT_EXPECT_EQ(test, f->index.nr_buckets, SEGMENT);
}

static struct kunit_case index_cases[] = {
	KUNIT_CASE(finds_what_was_added),
	KUNIT_CASE(steps_are_bounded),
	KUNIT_CASE(every_id_is_found_while_growing),
	KUNIT_CASE(memory_goes_back),
	KUNIT_CASE(removing_frees_nothing),
	KUNIT_CASE(full_directory_stops_growth),
	KUNIT_CASE(smallest_index),
	KUNIT_CASE(no_segment_for_a_while),
	KUNIT_CASE(supply_keeps_one_segment),
	KUNIT_CASE(pop_empties_the_index),
	KUNIT_CASE(sequential_ids),
	KUNIT_CASE(ids_with_low_bits_zero),
	KUNIT_CASE(ids_at_random_steps),
	KUNIT_CASE(model_of_an_array),
	KUNIT_CASE(bucket_of_chosen_ids_is_full_at_last),
	KUNIT_CASE(chosen_ids_keep_the_index_from_shrinking),
	{}
};

static struct kunit_suite index_suite = {
	.name = "twheel_index",
	.init = index_init,
	.exit = index_exit,
	.test_cases = index_cases,
};

kunit_test_suite(index_suite);

MODULE_DESCRIPTION("Tests of the index from ID to timer");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
