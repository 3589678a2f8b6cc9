/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Free timers that an instance keeps for its next starts
 *
 * So that one start after the other, and one after a stop, takes the lock once
 * and does without the allocator.
 */
#ifndef TWHEEL_STORE_H
#define TWHEEL_STORE_H

#include <linux/types.h>

struct twheel_timer;

/* Not many: nobody is charged for them. */
#define TWHEEL_STORE_TIMERS	16

/**
 * struct twheel_store - free timers
 * @timer: The timers, of the kind of the instance; what is in them is anything.
 * @nr: How many.
 */
struct twheel_store {
	struct twheel_timer *timer[TWHEEL_STORE_TIMERS];
	u32 nr;
};

static inline bool twheel_store_full(const struct twheel_store *store)
{
	return store->nr == TWHEEL_STORE_TIMERS;
}

/* Only where there is room. */
static inline void twheel_store_put(struct twheel_store *store,
				    struct twheel_timer *timer)
{
	store->timer[store->nr++] = timer;
}

/* Only where there is one. */
static inline struct twheel_timer *twheel_store_take(struct twheel_store *store)
{
	return store->timer[--store->nr];
}

#endif /* TWHEEL_STORE_H */
