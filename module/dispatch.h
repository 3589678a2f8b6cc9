/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which reader gets an expiry
 *
 * Every function here needs the lock of the instance.
 */
#ifndef TWHEEL_DISPATCH_H
#define TWHEEL_DISPATCH_H

#include "instance.h"

bool twheel_dispatch_one(struct twheel_instance *inst, u64 now,
			 struct list_head *freed);
bool twheel_dispatch_hold(struct twheel_instance *inst, u64 now,
			  struct list_head *freed);
void twheel_dispatch_return(struct twheel_instance *inst,
			    struct twheel_timer *timer);
bool twheel_dispatch_orphan(struct twheel_instance *inst);
void twheel_dispatch_withdraw(struct twheel_instance *inst,
			      struct twheel_timer *timer, u32 from);
void twheel_dispatch_refill(struct twheel_consumer *consumer);

/* There is something new to read for @consumer. */
static inline void twheel_call(struct twheel_consumer *consumer)
{
	consumer->news = true;
	consumer->inst->news |= TWHEEL_NEWS_READER;
}

#endif /* TWHEEL_DISPATCH_H */
