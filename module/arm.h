/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The beginning and the end of an arming
 *
 * Every function here needs the lock of the instance.
 */
#ifndef TWHEEL_ARM_H
#define TWHEEL_ARM_H

#include "instance.h"

void twheel_arm(struct twheel_instance *inst, struct twheel_timer *timer,
		u64 now);
void twheel_expire(struct twheel_instance *inst, struct twheel_timer *timer,
		   u64 now);
void twheel_park(struct twheel_instance *inst, struct twheel_timer *timer);
void twheel_next_period(struct twheel_instance *inst,
			struct twheel_timer *timer, u64 expirations, u64 now);
void twheel_drop(struct twheel_instance *inst, struct twheel_timer *timer,
		 u64 now, struct list_head *freed);

/* The oldest of the instance's DUE timers, taken out of their list. */
static inline struct twheel_timer *twheel_take_due(struct twheel_instance *inst)
{
	struct twheel_timer *timer = list_first_entry(&inst->due,
						      struct twheel_timer,
						      node.link);

	list_del(&timer->node.link);
	return timer;
}

/**
 * twheel_settle() - an expiry is over: the next period, or the end
 * @inst: The instance.
 * @timer: The timer, TWHEEL_FREE.
 * @expirations: The periods that the expiry stood for.
 * @now: The time, ns.
 * @freed: A one-shot timer is added to this list.
 */
static inline void twheel_settle(struct twheel_instance *inst,
				 struct twheel_timer *timer, u64 expirations,
				 u64 now, struct list_head *freed)
{
	if (timer->interval) {
		twheel_next_period(inst, timer, expirations, now);
		return;
	}
	twheel_index_del(&inst->index, &timer->entry);
	list_add(&timer->node.link, freed);
}

#endif /* TWHEEL_ARM_H */
