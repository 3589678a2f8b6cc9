// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of listings: what LIST does, short of user memory
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../module/listing.h"
#include "instance_fixture.h"
#include "test_random.h"

/* IDs of timers that live through a listing, and of those that come and go. */
#define SURVIVORS 1500
#define OTHERS 6000

#define PAGE 64

/**
 * struct listing - a listing under way
 * @f: Where.
 * @cursor: How far it is.
 * @page: The last entries.
 * @nr: Their number.
 * @calls: Calls so far.
 */
struct listing {
	struct fixture *f;
	struct twheel_cursor cursor;
	struct twheel_list_entry page[PAGE];
	u32 nr;
	u32 calls;
};

static int listing_init(struct kunit *test)
{
	return fixture_init(test, 1000 * TICK + 5);
}

/* How often an ID was listed. */
static u8 seen[SURVIVORS + OTHERS];

/* The one listing of a case, from its beginning. */
static struct listing *begin(struct kunit *test)
{
	static struct listing listing;

	memset(&listing, 0, sizeof(listing));
	memset(seen, 0, sizeof(seen));
	listing.f = test->priv;
	return &listing;
}

/* The next page; false at the end. */
static bool next_page(struct kunit *test, struct listing *l, u32 room)
{
	if (twheel_cursor_ended(&l->cursor))
		return false;
	memset(l->page, 0xaa, sizeof(l->page));
	l->nr = twheel_instance_list(&l->f->inst, &l->cursor, l->page, room);
	l->calls++;
	KUNIT_ASSERT_LE(test, l->nr, room);
	KUNIT_ASSERT_EQ(test, twheel_cursor_check(&l->cursor), 0);
	return true;
}

static void nothing_before_the_first_start(struct kunit *test)
{
	struct listing *l = begin(test);

	KUNIT_EXPECT_TRUE(test, next_page(test, l, 1));
	KUNIT_EXPECT_EQ(test, l->nr, 0);
	KUNIT_EXPECT_FALSE(test, next_page(test, l, 1));
}

/* Every ID once, whatever the size of the page. */
static void each_timer_once(struct kunit *test)
{
	static const u32 rooms[] = { 1, 2, 7, PAGE };
	struct fixture *f = test->priv;
	struct listing *l;
	u32 i, j;

	for (i = 0; i < OTHERS; i++)
		KUNIT_ASSERT_EQ(test, start(f, i, 99 * TICK, 0, 0), 0);
	for (j = 0; j < ARRAY_SIZE(rooms); j++) {
		l = begin(test);
		while (next_page(test, l, rooms[j]))
			for (i = 0; i < l->nr; i++)
				seen[l->page[i].id]++;
		for (i = 0; i < OTHERS; i++)
			KUNIT_ASSERT_EQ_MSG(test, seen[i], 1,
					    "ID %u, pages of %u", i, rooms[j]);
	}
}

static void first_and_last_id(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct listing *l = begin(test);
	u32 zero = 0, last = 0;

	KUNIT_ASSERT_EQ(test, start(f, 0, 99 * TICK, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, start(f, U64_MAX, 99 * TICK, 0, 0), 0);
	while (next_page(test, l, 1)) {
		zero += l->nr && l->page[0].id == 0;
		last += l->nr && l->page[0].id == U64_MAX;
	}
	KUNIT_EXPECT_EQ(test, zero, 1);
	KUNIT_EXPECT_EQ(test, last, 1);
}

/* As GET says it, in every state. */
static void entry_tells_what_get_tells(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct listing *l = begin(test);
	const struct twheel_list_entry *entry;
	u32 i, states = 0;

	setup(test, 2, TWHEEL_HOLD);
	for (i = 0; i < 8; i++) {
		f->start = (struct twheel_start) {
			.id = i,
			.time_ns = i % 4 * 10 * TICK,
			.interval_ns = i / 4 * 7 * TICK,
			.slack_ns = i % 3 * 2 * TICK + 5,
			.data = i * 3,
		};
		KUNIT_ASSERT_EQ(test, twheel_instance_start(&f->inst,
							    &f->start), 0);
	}
	run_for(f, 15 * TICK + 3);
	while (next_page(test, l, 3)) {
		for (i = 0; i < l->nr; i++) {
			entry = &l->page[i];
			KUNIT_ASSERT_EQ(test, get(f, entry->id), 0);
			KUNIT_EXPECT_EQ(test, entry->data, f->get.data);
			KUNIT_EXPECT_EQ(test, entry->generation,
					f->get.generation);
			KUNIT_EXPECT_EQ(test, entry->deadline_ns,
					f->get.deadline_ns);
			KUNIT_EXPECT_EQ(test, entry->remaining_ns,
					f->get.remaining_ns);
			KUNIT_EXPECT_EQ(test, entry->timeout_ns,
					f->get.timeout_ns);
			KUNIT_EXPECT_EQ(test, entry->interval_ns,
					f->get.interval_ns);
			KUNIT_EXPECT_EQ(test, entry->slack_ns,
					f->get.slack_ns);
			KUNIT_EXPECT_EQ(test, entry->state, f->get.state);
			KUNIT_EXPECT_EQ(test, entry->attempt, 0);
			KUNIT_EXPECT_EQ(test, entry->mapped, 0);
			states |= BIT(entry->state);
		}
	}
	KUNIT_EXPECT_EQ(test, states, BIT(TWHEEL_ARMED) | BIT(TWHEEL_DUE) |
			BIT(TWHEEL_QUEUED));
}

/* What goes on between two pages: survivors change, others come and go. */
static void disturb(struct kunit *test, struct fixture *f,
		    struct test_random *random, bool grow)
{
	u32 i, id;

	for (i = 0; i < 300; i++) {
		id = test_random_below(random, OTHERS);
		if (grow)
			KUNIT_ASSERT_EQ(test, start(f, SURVIVORS + id,
						    99 * TICK, 0, 0), 0);
		else
			stop(f, SURVIVORS + id);
	}
	for (i = 0; i < 20; i++) {
		id = test_random_below(random, SURVIVORS);
		if (i % 2)
			KUNIT_ASSERT_EQ(test, reset(f, id, 0, 0), 0);
		else
			KUNIT_ASSERT_EQ(test, start(f, id, 88 * TICK, 0, 0),
					0);
	}
}

/*
 * A timer that lives through a listing is in it once, and none is twice that did
 * not come anew: the table grows and shrinks several times in every listing.
 */
static void survivors_once_beside_growth_and_shrinking(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i, round, smallest = U32_MAX, largest = 0;
	struct test_random random;
	struct listing *l;

	test_random_init(test, &random, 1);
	for (i = 0; i < SURVIVORS; i++)
		KUNIT_ASSERT_EQ(test, start(f, i, 99 * TICK, 0, 0), 0);
	for (round = 0; round < 10; round++) {
		l = begin(test);
		while (next_page(test, l, 1 + test_random_below(&random, 20))) {
			for (i = 0; i < l->nr; i++)
				seen[l->page[i].id]++;
			disturb(test, f, &random, l->calls / 40 % 2 == 0);
			smallest = min(smallest, f->inst.index.nr_buckets);
			largest = max(largest, f->inst.index.nr_buckets);
		}
		for (i = 0; i < SURVIVORS; i++)
			KUNIT_ASSERT_EQ_MSG(test, seen[i], 1, "ID %u", i);
		for (; i < SURVIVORS + OTHERS; i++)
			KUNIT_ASSERT_LE_MSG(test, seen[i], 1, "ID %u", i);
	}
	KUNIT_EXPECT_LT(test, 2 * smallest, largest);
}

/* A table that was large and is not any more is not walked through for ever. */
static void sparse_table_takes_few_calls(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct listing *l = begin(test);
	u32 i, nr = 0;

	for (i = 0; i < OTHERS; i++)
		KUNIT_ASSERT_EQ(test, start(f, i, 99 * TICK, 0, 0), 0);
	for (i = 10; i < OTHERS; i++)
		KUNIT_ASSERT_EQ(test, stop(f, i), 0);
	while (next_page(test, l, PAGE))
		nr += l->nr;
	KUNIT_EXPECT_EQ(test, nr, 10);
	/* 512 buckets, 256 steps in a call. */
	KUNIT_EXPECT_GE(test, l->calls, 2);
	KUNIT_EXPECT_LE(test, l->calls, 4);
}

static void ended_listing_stays_at_its_end(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct listing *l = begin(test);

	KUNIT_ASSERT_EQ(test, start(f, 1, 99 * TICK, 0, 0), 0);
	while (next_page(test, l, PAGE))
		;
	KUNIT_EXPECT_EQ(test, twheel_instance_list(&f->inst, &l->cursor, l->page, PAGE), 0);
	KUNIT_EXPECT_TRUE(test, twheel_cursor_ended(&l->cursor));
}

static void cursors_of_no_listing(struct kunit *test)
{
	static const struct {
		struct twheel_cursor cursor;
		int ret;
	} cursors[] = {
		{ { 0, 0 }, 0 },
		{ { 0, 1 }, -EINVAL },
		{ { 1, 0 }, 0 },
		{ { 1, U64_MAX }, 0 },
		{ { 2, 0 }, 0 },
		{ { 2, U32_MAX }, 0 },
		{ { 2, 1ULL << 32 }, -EINVAL },
		{ { 2, U64_MAX }, -EINVAL },
		{ { 3, 0 }, 0 },
		{ { 3, 1 }, -EINVAL },
		{ { 4, 0 }, -EINVAL },
		{ { U64_MAX, 0 }, -EINVAL },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cursors); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    twheel_cursor_check(&cursors[i].cursor),
				    cursors[i].ret, "cursor %u", i);
}

static struct kunit_case listing_cases[] = {
	KUNIT_CASE(nothing_before_the_first_start),
	KUNIT_CASE(each_timer_once),
	KUNIT_CASE(first_and_last_id),
	KUNIT_CASE(entry_tells_what_get_tells),
	KUNIT_CASE(survivors_once_beside_growth_and_shrinking),
	KUNIT_CASE(sparse_table_takes_few_calls),
	KUNIT_CASE(ended_listing_stays_at_its_end),
	KUNIT_CASE(cursors_of_no_listing),
	{}
};

static struct kunit_suite listing_suite = {
	.name = "twheel_listing",
	.init = listing_init,
	.exit = fixture_exit,
	.test_cases = listing_cases,
};

kunit_test_suite(listing_suite);

MODULE_DESCRIPTION("Tests of listings");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
