/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The beginning and the end of an arming
 *
 * Every function here needs the lock of the instance.
 */
#ifndef TWHEEL_ARM_H
#define TWHEEL_ARM_H

#include "activity.h"
#include "instance.h"

void twheel_arm(struct twheel_instance *inst, struct twheel_timer *timer,
		u64 now);
void twheel_expire(struct twheel_instance *inst, struct twheel_timer *timer,
		   u64 now);
void twheel_park(struct twheel_instance *inst, struct twheel_timer *timer);
bool twheel_postpone(struct twheel_instance *inst, struct twheel_timer *timer,
		     u64 now);
void twheel_run_on(struct twheel_instance *inst, struct twheel_timer *timer,
		   u64 deadline, u64 now);
void twheel_next_period(struct twheel_instance *inst,
			struct twheel_timer *timer, u64 expirations, u64 now);
void twheel_settle_unread(struct twheel_instance *inst,
			  struct twheel_timer *timer, u64 now,
			  struct list_head *freed);
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

/* A timer, TWHEEL_FREE, is no more; it is added to @freed. */
static inline void twheel_forget(struct twheel_instance *inst,
				 struct twheel_timer *timer,
				 struct list_head *freed)
{
	if (timer->node.mapped)
		twheel_activity_end(inst, timer);
	twheel_index_del(&inst->index, &timer->entry);
	list_add(&timer->node.link, freed);
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
	if (twheel_timer_interval(timer))
		twheel_next_period(inst, timer, expirations, now);
	else
		twheel_forget(inst, timer, freed);
}

#endif /* TWHEEL_ARM_H */
