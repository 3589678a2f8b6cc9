/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that starts need, allocated outside the lock
 */
#ifndef TWHEEL_SUPPLY_H
#define TWHEEL_SUPPLY_H

#include "instance.h"

/* What starts want: a set of these. */
#define TWHEEL_WANTS_TIMERS	BIT(0)	/* the store is empty */
#define TWHEEL_WANTS_SEGMENT	BIT(1)	/* the index has asked for one */

/**
 * struct twheel_supply - memory that starts need, allocated without the lock
 * @timer: New timers, as many as the store holds.
 * @nr: Their number.
 * @pooled: Their kind.
 * @segment: A segment for the index.
 * @short_of_memory: An allocation has failed: do not try so hard again.
 */
struct twheel_supply {
	struct twheel_timer *timer[TWHEEL_STORE_TIMERS];
	u32 nr;
	bool pooled;
	struct twheel_index_segment *segment;
	bool short_of_memory;
};

int twheel_supply_alloc(struct twheel_instance *inst,
			struct twheel_supply *supply, u32 wants);
void twheel_supply_hand_over(struct twheel_instance *inst,
			     struct twheel_supply *supply);
void twheel_supply_free(struct twheel_supply *supply);

#endif /* TWHEEL_SUPPLY_H */
