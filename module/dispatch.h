/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which reader gets an expiry
 *
 * Every function here needs the lock of the instance.
 */
#ifndef TWHEEL_DISPATCH_H
#define TWHEEL_DISPATCH_H

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

bool twheel_dispatch_one(struct twheel_instance *inst, u64 now,
			 struct list_head *freed);
bool twheel_dispatch_hold(struct twheel_instance *inst, u64 now,
			  struct list_head *freed);
void twheel_dispatch_return(struct twheel_instance *inst,
			    struct twheel_timer *timer);
bool twheel_dispatch_orphan(struct twheel_instance *inst);
void twheel_dispatch_withdraw(struct twheel_instance *inst,
			      struct twheel_timer *timer, u32 from);
void twheel_dispatch_pick(struct twheel_consumer *consumer,
			  enum twheel_claim claim, u32 *budget,
			  struct twheel_pick *pick);
void twheel_dispatch_take(struct twheel_consumer *consumer,
			  const struct twheel_pick *pick);

/* There is something new to read for @consumer. */
static inline void twheel_call(struct twheel_consumer *consumer)
{
	consumer->news = true;
	consumer->inst->news |= TWHEEL_NEWS_READER;
}

#endif /* TWHEEL_DISPATCH_H */
