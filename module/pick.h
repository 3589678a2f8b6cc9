/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which expiry a reader gets next
 *
 * Every function here needs the lock of the instance.
 */
#ifndef TWHEEL_PICK_H
#define TWHEEL_PICK_H

#include "instance.h"

/**
 * struct twheel_pick - the expiry that is delivered next
 * @expiry: The expiry, or NULL.
 * @dropped: Expiries that were dropped just before it.
 * @sequence: The stream that it belongs to: number of the last record in that.
 */
struct twheel_pick {
	struct twheel_expiry *expiry;
	u64 dropped;
	u64 *sequence;
};

void twheel_pick(struct twheel_consumer *consumer, enum twheel_claim claim,
		 u32 *budget, struct twheel_pick *pick);
void twheel_pick_take(struct twheel_consumer *consumer,
		      const struct twheel_pick *pick);

#endif /* TWHEEL_PICK_H */
