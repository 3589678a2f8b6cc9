/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Index from ID to timer: linear hashing
 *
 * Locking is the caller's, except for twheel_index_free_retired().  A call
 * splits or merges two buckets at most; there is no rehash.
 */
#ifndef TWHEEL_INDEX_H
#define TWHEEL_INDEX_H

#include <linux/bits.h>
#include <linux/llist.h>
#include <linux/types.h>

struct twheel_index_segment;

/**
 * struct twheel_index_entry - what is found, embedded in the timer
 * @next: Next in the bucket.
 * @id: The key.
 */
struct twheel_index_entry {
	struct twheel_index_entry *next;
	u64 id;
};

/**
 * struct twheel_index - the index
 * @key: Random odd number that the IDs are hashed with.
 * @nr: Entries.
 * @moved: Entries that splits and merges have looked at so far.
 * @nr_buckets: Buckets; @low <= @nr_buckets < 2 * @low.
 * @low: A power of two.  Buckets from 0 to @nr_buckets - @low - 1 have been
 *	split in this round.
 * @nr_dir: Segments that @dir has room for.
 * @spare: A segment for the next split; see twheel_index_supply().
 * @retired: Segments that are done with; see twheel_index_free_retired().
 * @dir: The segments, one page of buckets each.
 */
struct twheel_index {
	u64 key;
	u64 nr;
	u64 moved;
	u32 nr_buckets;
	u32 low;
	u32 nr_dir;
	struct twheel_index_segment *spare;
	struct llist_head retired;
	struct twheel_index_segment **dir;
};

/**
 * struct twheel_index_spot - where an ID is, or would be
 * @link: What points to its entry, or is NULL.
 * @hash: Of the ID.
 * @before: Entries before it in its bucket: all of them, if it is not there.
 *
 * Valid until the index changes.
 */
struct twheel_index_spot {
	struct twheel_index_entry **link;
	u32 hash;
	u32 before;
};

/**
 * struct twheel_index_place - a place in the order that entries are listed in
 * @position: Bits of the hash, in reverse; TWHEEL_INDEX_END is behind them all.
 * @id: Of the entries with this position, the lowest ID that is still to come.
 */
struct twheel_index_place {
	u64 position;
	u64 id;
};

#define TWHEEL_INDEX_END	BIT_ULL(32)

/*
 * Entries in a bucket at most, whatever the IDs: what constant time means here.
 * With one bucket for each entry, IDs that were not chosen to meet do not get
 * near it: about once in 10^35 buckets.
 */
#define TWHEEL_INDEX_CHAIN	32

/* Whether an entry may be added at @spot, which is that of no other. */
static inline bool twheel_index_has_room(const struct twheel_index_spot *spot)
{
	return spot->before < TWHEEL_INDEX_CHAIN;
}

int twheel_index_init(struct twheel_index *index, u64 max, u64 key);
void twheel_index_destroy(struct twheel_index *index);
struct twheel_index_entry *twheel_index_find(const struct twheel_index *index,
					     u64 id);
struct twheel_index_entry *twheel_index_seek(const struct twheel_index *index,
					     u64 id,
					     struct twheel_index_spot *spot);
void twheel_index_add(struct twheel_index *index,
		      struct twheel_index_entry *entry,
		      const struct twheel_index_spot *spot);
void twheel_index_del_at(struct twheel_index *index,
			 const struct twheel_index_spot *spot);
void twheel_index_del(struct twheel_index *index,
		      struct twheel_index_entry *entry);
struct twheel_index_entry *twheel_index_next(const struct twheel_index *index,
					     struct twheel_index_place *place,
					     u32 *budget);
void twheel_index_pass(const struct twheel_index *index,
		       struct twheel_index_place *place, u64 id);
struct twheel_index_entry *twheel_index_pop(struct twheel_index *index);
bool twheel_index_wants_segment(const struct twheel_index *index);
struct twheel_index_segment *twheel_index_segment_alloc(void);
struct twheel_index_segment *
twheel_index_supply(struct twheel_index *index,
		    struct twheel_index_segment *segment);
void twheel_index_segment_free(struct twheel_index_segment *segment);
void twheel_index_free_retired(struct twheel_index *index);
const char *twheel_index_check(const struct twheel_index *index);

#endif /* TWHEEL_INDEX_H */
