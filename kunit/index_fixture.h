/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An index, entries for it, and short forms of what is done with them
 */
#ifndef TWHEEL_INDEX_FIXTURE_H
#define TWHEEL_INDEX_FIXTURE_H

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include "../module/compat.h"
#include "../module/index.h"
#include "test_random.h"

static ulong entries = 200000;
module_param(entries, ulong, 0444);
MODULE_PARM_DESC(entries, "Entries in the cases that grow the index");

/* Entries in the cases that fill an index again and again. */
#define SMALL 20000

/* Buckets in a segment, which is a page. */
#define SEGMENT ((u32)(PAGE_SIZE / sizeof(void *)))

/**
 * struct fixture - what a case works with
 * @index: An index.
 * @random: For keys and IDs.
 * @entry: Entries, not in the index.
 * @worst_add: Most entries that an add has moved.
 * @worst_del: Most entries that a del has moved.
 */
struct fixture {
	struct twheel_index index;
	struct test_random random;
	struct twheel_index_entry *entry;
	u64 worst_add;
	u64 worst_del;
};

static inline int index_init(struct kunit *test)
{
	struct fixture *f = vzalloc(sizeof(*f));

	if (!f)
		return -ENOMEM;
	test->priv = f;
	test_random_init(test, &f->random, 1);
	f->entry = vzalloc(entries * sizeof(*f->entry));
	if (!f->entry || twheel_index_init(&f->index, entries,
					   test_random(&f->random)))
		return -ENOMEM;
	return 0;
}

static inline void index_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (!f)
		return;
	twheel_index_destroy(&f->index);
	vfree(f->entry);
	vfree(f);
}

static inline void check(struct kunit *test, const struct fixture *f)
{
	const char *wrong = twheel_index_check(&f->index);

	KUNIT_ASSERT_STREQ_MSG(test, wrong ?: "", "", "%llu entries",
			       f->index.nr);
}

/* Add an entry without a segment. */
static inline void insert(struct fixture *f, u64 nr, u64 id)
{
	struct twheel_index_spot spot;

	twheel_index_seek(&f->index, id, &spot);
	f->entry[nr].id = id;
	twheel_index_add(&f->index, &f->entry[nr], &spot);
}

static inline bool has_room(const struct fixture *f, u64 id)
{
	struct twheel_index_spot spot;

	twheel_index_seek(&f->index, id, &spot);
	return twheel_index_has_room(&spot);
}

/* Add an entry as an instance does: with a segment if one is wanted. */
static inline void add(struct fixture *f, u64 nr, u64 id)
{
	struct twheel_index_segment *segment;
	u64 moved = f->index.moved;

	if (twheel_index_wants_segment(&f->index)) {
		segment = twheel_index_segment_alloc();
		segment = twheel_index_supply(&f->index, segment);
		twheel_index_segment_free(segment);
	}
	insert(f, nr, id);
	f->worst_add = max(f->worst_add, f->index.moved - moved);
}

/* Remove an entry, in one of the two ways. */
static inline void del(struct fixture *f, u64 nr)
{
	struct twheel_index_spot spot;
	u64 moved = f->index.moved;

	if (nr % 2) {
		twheel_index_seek(&f->index, f->entry[nr].id, &spot);
		twheel_index_del_at(&f->index, &spot);
	} else {
		twheel_index_del(&f->index, &f->entry[nr]);
	}
	f->worst_del = max(f->worst_del, f->index.moved - moved);
}

#endif /* TWHEEL_INDEX_FIXTURE_H */
