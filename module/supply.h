/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that starts may need, allocated outside the lock
 */
#ifndef TWHEEL_SUPPLY_H
#define TWHEEL_SUPPLY_H

#include "instance.h"

/* Timers that are allocated in one go for the starts that follow. */
#define TWHEEL_SUPPLY_TIMERS	16

/**
 * struct twheel_supply - memory that starts may need, allocated without the lock
 * @timer: New timers.
 * @nr: Their number.
 * @pooled: Their kind.
 * @segment: A segment for the index.
 * @wants_segment: The index has asked for one.
 * @short_of_memory: An allocation has failed: do not try so hard again.
 */
struct twheel_supply {
	struct twheel_timer *timer[TWHEEL_SUPPLY_TIMERS];
	u32 nr;
	bool pooled;
	struct twheel_index_segment *segment;
	bool wants_segment;
	bool short_of_memory;
};

int twheel_supply_alloc(struct twheel_instance *inst,
			struct twheel_supply *supply, u32 wanted);

/* Free what was not used: most often there is nothing. */
static inline void twheel_supply_free(struct twheel_supply *supply)
{
	if (supply->nr)
		twheel_timers_discard(supply->timer, supply->nr,
				      supply->pooled);
	if (supply->segment)
		twheel_index_segment_free(supply->segment);
}

#endif /* TWHEEL_SUPPLY_H */
