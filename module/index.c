// SPDX-License-Identifier: GPL-2.0
/*
 * Index from ID to timer: linear hashing
 *
 * A hash table that doubles has to move every entry at some moment, and until
 * that is done either that call or all look-ups pay.  Linear hashing (Litwin,
 * "Linear Hashing: A New Tool for File and Table Addressing", 1980) grows by
 * one bucket at a time: bucket nr_buckets - low is split into itself and
 * bucket nr_buckets, in a fixed order that does not ask which one is full.  So
 * growth is paid for in constant steps, one bucket per start, and shrinking
 * likewise.
 */
#include <linux/errno.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/swab.h>

#include "compat.h"
#include "gfp.h"
#include "index.h"

#define SEGMENT_BUCKETS	((u32)(PAGE_SIZE / sizeof(void *)))

struct twheel_index_segment {
	union {
		struct twheel_index_entry *bucket[SEGMENT_BUCKETS];
		struct llist_node node;		/* once it is retired */
	};
};

static struct twheel_index_entry **bucket_of(const struct twheel_index *index,
					     u32 nr)
{
	return &index->dir[nr / SEGMENT_BUCKETS]->bucket[nr % SEGMENT_BUCKETS];
}

/* Both halves of the 128-bit product, so that every bit reaches every other. */
static u64 fold(u64 a, u64 b)
{
	return mul_u64_u64_shr(a, b, 64) ^ (a * b);
}

/*
 * The low bits choose the bucket.  The random key keeps IDs from being chosen
 * so that they meet in one; but for some keys a single product maps IDs at
 * equal distances to few buckets, which the second one, by 2^64 divided by the
 * golden ratio, takes apart.  Who sees a listing can find IDs that meet all the
 * same, as it is in the order of their hashes; that is what TWHEEL_INDEX_CHAIN
 * is for.
 */
static u32 hash_id(const struct twheel_index *index, u64 id)
{
	u64 hash = fold(id, index->key);

	return fold(hash ^ (hash >> 32), 0x9e3779b97f4a7c15ULL);
}

static u32 bucket_nr(const struct twheel_index *index, u32 hash)
{
	u32 nr = hash & (2 * index->low - 1);

	return nr < index->nr_buckets ? nr : nr - index->low;
}

static struct twheel_index_entry **bucket_for(const struct twheel_index *index,
					      u32 hash)
{
	return bucket_of(index, bucket_nr(index, hash));
}

/**
 * twheel_index_segment_alloc() - allocate a segment
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: The segment, or NULL.
 */
struct twheel_index_segment *twheel_index_segment_alloc(void)
{
	return kzalloc(sizeof(struct twheel_index_segment), TWHEEL_GFP);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_segment_alloc);

/**
 * twheel_index_segment_free() - free a segment
 * @segment: The segment or NULL.
 */
void twheel_index_segment_free(struct twheel_index_segment *segment)
{
	kfree(segment);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_segment_free);

/**
 * twheel_index_init() - make an empty index
 * @index: The index.
 * @max: Entries that it will hold at most.
 * @key: A random number.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: 0 or -ENOMEM.
 */
int twheel_index_init(struct twheel_index *index, u64 max, u64 key)
{
	memset(index, 0, sizeof(*index));
	index->key = key | 1;
	index->low = SEGMENT_BUCKETS;
	index->nr_buckets = SEGMENT_BUCKETS;
	index->nr_dir = DIV_ROUND_UP_ULL(max, SEGMENT_BUCKETS);
	index->dir = kvcalloc(index->nr_dir, sizeof(*index->dir),
			      TWHEEL_GFP);
	if (!index->dir)
		return -ENOMEM;
	index->dir[0] = twheel_index_segment_alloc();
	if (!index->dir[0]) {
		kvfree(index->dir);
		index->dir = NULL;
		return -ENOMEM;
	}
	return 0;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_init);

/**
 * twheel_index_free_retired() - free the segments that merges have emptied
 * @index: The index.
 *
 * They are more than a call under the lock should pay for: a page each.
 *
 * Context: Any; without the lock that the other calls need.
 */
void twheel_index_free_retired(struct twheel_index *index)
{
	struct twheel_index_segment *segment, *next;

	llist_for_each_entry_safe(segment, next, llist_del_all(&index->retired),
				  node)
		twheel_index_segment_free(segment);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_free_retired);

/**
 * twheel_index_destroy() - free the memory of an index
 * @index: The index; empty, or all zero and never initialised.
 *
 * Context: May sleep.
 */
void twheel_index_destroy(struct twheel_index *index)
{
	u32 i;

	for (i = 0; i < index->nr_dir && index->dir; i++)
		twheel_index_segment_free(index->dir[i]);
	twheel_index_segment_free(index->spare);
	twheel_index_free_retired(index);
	kvfree(index->dir);
	memset(index, 0, sizeof(*index));
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_destroy);

/**
 * twheel_index_find() - look an ID up
 * @index: The index.
 * @id: The ID.
 *
 * Return: Its entry, or NULL.
 */
struct twheel_index_entry *twheel_index_find(const struct twheel_index *index,
					     u64 id)
{
	struct twheel_index_entry *entry;

	entry = *bucket_for(index, hash_id(index, id));
	while (entry && entry->id != id)
		entry = entry->next;
	return entry;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_find);

/**
 * twheel_index_seek() - look an ID up, to add or remove it
 * @index: The index.
 * @id: The ID.
 * @spot: Result.
 *
 * Return: Its entry, or NULL.
 */
struct twheel_index_entry *twheel_index_seek(const struct twheel_index *index,
					     u64 id,
					     struct twheel_index_spot *spot)
{
	u32 hash = hash_id(index, id);
	struct twheel_index_entry **link = bucket_for(index, hash);
	u32 before = 0;

	for (; *link && (*link)->id != id; link = &(*link)->next)
		before++;
	spot->link = link;
	spot->hash = hash;
	spot->before = before;
	return *link;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_seek);

/* Entries of a bucket. */
static u32 chain_length(const struct twheel_index_entry *entry)
{
	u32 nr = 0;

	for (; entry; entry = entry->next)
		nr++;
	return nr;
}

/**
 * twheel_index_wants_segment() - ask whether the next split needs memory
 * @index: The index.
 *
 * Memory cannot be allocated under the lock.  The caller allocates a segment
 * when this says so, and hands it over when it has the lock again.  An answer
 * that is stale by then does no harm: the split waits for the next call.
 *
 * Return: Whether twheel_index_supply() should be called before the next
 * twheel_index_add().
 */
bool twheel_index_wants_segment(const struct twheel_index *index)
{
	u32 nr = index->nr_buckets;

	return nr % SEGMENT_BUCKETS == 0 && !index->spare &&
	       nr / SEGMENT_BUCKETS < index->nr_dir && index->nr >= nr;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_wants_segment);

/**
 * twheel_index_supply() - hand a segment over
 * @index: The index.
 * @segment: A new segment.
 *
 * Return: NULL, or @segment if the index has one already; the caller frees it.
 */
struct twheel_index_segment *
twheel_index_supply(struct twheel_index *index,
		    struct twheel_index_segment *segment)
{
	if (index->spare)
		return segment;
	index->spare = segment;
	return NULL;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_supply);

/* Make sure that bucket @nr has a segment behind it. */
static bool have_segment(struct twheel_index *index, u32 nr)
{
	u32 segment = nr / SEGMENT_BUCKETS;

	if (segment >= index->nr_dir)
		return false;
	if (index->dir[segment])
		return true;
	index->dir[segment] = index->spare;
	index->spare = NULL;
	return index->dir[segment];
}

/* Add bucket nr_buckets, with the entries of its buddy that belong there. */
static void split_one(struct twheel_index *index)
{
	u32 nr = index->nr_buckets;
	struct twheel_index_entry **from, **to, *entry;

	if (!have_segment(index, nr))
		return;
	from = bucket_of(index, nr - index->low);
	to = bucket_of(index, nr);
	index->nr_buckets++;
	while ((entry = *from)) {
		index->moved++;
		/* All that they have in common is the bits below. */
		if (!(hash_id(index, entry->id) & index->low)) {
			from = &entry->next;
			continue;
		}
		*from = entry->next;
		*to = entry;
		to = &entry->next;
	}
	*to = NULL;
	if (index->nr_buckets == 2 * index->low)
		index->low *= 2;
}

/* A segment has lost its last bucket: keep one for the next split. */
static void retire_segment(struct twheel_index *index, u32 segment)
{
	if (index->spare)
		llist_add(&index->dir[segment]->node, &index->retired);
	else
		index->spare = index->dir[segment];
	index->dir[segment] = NULL;
}

/*
 * Remove the last bucket; its entries go back to its buddy.  If these would be
 * too many, the index stays as large as it is.
 */
static void merge_one(struct twheel_index *index)
{
	u32 nr = index->nr_buckets - 1;
	u32 low = nr < index->low ? index->low / 2 : index->low;
	struct twheel_index_entry **from = bucket_of(index, nr);
	struct twheel_index_entry **to = bucket_of(index, nr - low);
	struct twheel_index_entry **tail = from;
	u32 length = chain_length(*from) + chain_length(*to);

	index->moved += length;
	if (length > TWHEEL_INDEX_CHAIN)
		return;
	while (*tail)
		tail = &(*tail)->next;
	*tail = *to;
	*to = *from;
	*from = NULL;
	index->low = low;
	index->nr_buckets--;
	if (nr % SEGMENT_BUCKETS == 0)
		retire_segment(index, nr / SEGMENT_BUCKETS);
}

/**
 * twheel_index_add() - add an entry
 * @index: The index; fewer than its maximum are in it.
 * @entry: The entry; no other has its ID.
 * @spot: Where twheel_index_seek() did not find its ID; twheel_index_has_room().
 *
 * Splits a bucket, so that there is one for each entry; two, if a split had to
 * be left out for want of a segment.
 */
void twheel_index_add(struct twheel_index *index,
		      struct twheel_index_entry *entry,
		      const struct twheel_index_spot *spot)
{
	struct twheel_index_entry **bucket;
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (index->nr >= index->nr_buckets)
			split_one(index);
	bucket = bucket_for(index, spot->hash);
	entry->next = *bucket;
	*bucket = entry;
	index->nr++;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_add);

/**
 * twheel_index_del_at() - remove an entry
 * @index: The index.
 * @spot: Where twheel_index_seek() found it.
 *
 * Merges at most two buckets, so that there are no more than two buckets for
 * each entry: one merge a call would not keep up, since a removal takes away
 * what two buckets were there for.
 */
void twheel_index_del_at(struct twheel_index *index,
			 const struct twheel_index_spot *spot)
{
	unsigned int i;

	*spot->link = (*spot->link)->next;
	index->nr--;
	for (i = 0; i < 2; i++)
		if (index->nr_buckets > SEGMENT_BUCKETS &&
		    index->nr < index->nr_buckets / 2)
			merge_one(index);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_del_at);

/**
 * twheel_index_del() - remove an entry, wherever it is
 * @index: The index.
 * @entry: The entry, in the index.
 *
 * As twheel_index_del_at().
 */
void twheel_index_del(struct twheel_index *index,
		      struct twheel_index_entry *entry)
{
	struct twheel_index_spot spot;

	spot.link = bucket_for(index, hash_id(index, entry->id));
	while (*spot.link != entry)
		spot.link = &(*spot.link)->next;
	twheel_index_del_at(index, &spot);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_del);

/* bitrev32() is not there in every kernel: what needs it has to select it. */
static u32 reverse(u32 x)
{
	x = swab32(x);
	x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
	x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
	return (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
}

/*
 * Bucket b of a round is split into b and b + low, that is, by the next bit of
 * the hash.  So in the order of reversed hashes, every bucket is a stretch
 * without a gap, of which splits and merges move the ends and nothing else.
 *
 * Returns the bucket that @position is in, and the end of its stretch.
 */
static struct twheel_index_entry *bucket_at(const struct twheel_index *index,
					    u32 position, u64 *end)
{
	u32 nr = reverse(position) & (index->low - 1);
	unsigned int bits = ilog2(index->low);

	if (nr + index->low < index->nr_buckets) {
		nr = reverse(position) & (2 * index->low - 1);
		bits++;
	}
	*end = (position | (U32_MAX >> bits)) + 1ULL;
	return *bucket_of(index, nr);
}

/* Whether (@position, @id) comes before @place. */
static bool is_before(u64 position, u64 id,
		      const struct twheel_index_place *place)
{
	return position < place->position ||
	       (position == place->position && id < place->id);
}

/**
 * twheel_index_next() - the next entry of a listing
 * @index: The index.
 * @place: From which place on; its beginning is all 0.  The place of the entry
 *	on return, or the place to go on from.
 * @budget: Buckets and entries that may be looked at; what is left of them on
 *	return.  A bucket that was begun is finished.
 *
 * A place is one in the order of the reversed hashes, and stays what it is when
 * the index grows or shrinks.  So whoever goes on from the place behind an entry
 * (twheel_index_pass()) sees every entry that is there all the time, and none
 * twice.
 *
 * Return: The entry; NULL at the end, where @place is TWHEEL_INDEX_END then, or
 * when the budget ran out.
 */
struct twheel_index_entry *twheel_index_next(const struct twheel_index *index,
					     struct twheel_index_place *place,
					     u32 *budget)
{
	struct twheel_index_place best;
	struct twheel_index_entry *entry, *found = NULL;
	u64 position, end;

	while (!found && *budget && place->position < TWHEEL_INDEX_END) {
		entry = bucket_at(index, place->position, &end);
		best = (struct twheel_index_place) { .position = end };
		for (--*budget; entry; entry = entry->next) {
			*budget -= !!*budget;
			position = reverse(hash_id(index, entry->id));
			if (is_before(position, entry->id, place) ||
			    !is_before(position, entry->id, &best))
				continue;
			best.position = position;
			best.id = entry->id;
			found = entry;
		}
		*place = best;
	}
	return found;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_next);

/**
 * twheel_index_pass() - the place behind an ID
 * @index: The index.
 * @place: Result.
 * @id: The ID; it need not be in the index.
 */
void twheel_index_pass(const struct twheel_index *index,
		       struct twheel_index_place *place, u64 id)
{
	place->position = reverse(hash_id(index, id));
	place->id = id + 1;
	if (!place->id)
		place->position++;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_pass);

/**
 * twheel_index_pop() - remove any entry, for emptying the index
 * @index: The index.
 *
 * Takes from the last bucket and removes it once it is empty, so that
 * emptying the index takes time proportional to what is in it.  After the first
 * call only this one and twheel_index_destroy() are possible.
 *
 * Return: The entry, or NULL if there is none.
 */
struct twheel_index_entry *twheel_index_pop(struct twheel_index *index)
{
	struct twheel_index_entry *entry;
	u32 nr;

	if (!index->nr)
		return NULL;
	for (;;) {
		nr = index->nr_buckets - 1;
		entry = *bucket_of(index, nr);
		if (entry)
			break;
		if (nr % SEGMENT_BUCKETS == 0 && nr)
			retire_segment(index, nr / SEGMENT_BUCKETS);
		index->nr_buckets--;
	}
	*bucket_of(index, nr) = entry->next;
	index->nr--;
	return entry;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_pop);

/**
 * twheel_index_check() - verify every invariant of an index
 * @index: The index.
 *
 * Return: NULL if all is well, otherwise what is wrong.
 */
const char *twheel_index_check(const struct twheel_index *index)
{
	const struct twheel_index_entry *entry;
	u64 nr = 0;
	u32 i;

	if (index->nr_buckets < index->low ||
	    index->nr_buckets >= 2 * index->low)
		return "the number of buckets is outside its round";
	for (i = 0; i < index->nr_buckets; i++) {
		for (entry = *bucket_of(index, i); entry; entry = entry->next) {
			if (bucket_nr(index, hash_id(index, entry->id)) != i)
				return "an entry is in a bucket of another ID";
			nr++;
		}
	}
	if (nr != index->nr)
		return "the number of entries is wrong";
	return NULL;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_index_check);
