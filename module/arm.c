// SPDX-License-Identifier: GPL-2.0
/*
 * The beginning and the end of an arming
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "arm.h"
#include "compat.h"
#include "trace.h"

static u64 tick_of(const struct twheel_instance *inst, u64 now)
{
	return now >> inst->config.tick_shift;
}

static u64 expiry_tick(const struct twheel_instance *inst,
		       const struct twheel_timer *timer)
{
	u64 tick = twheel_timer_tick(timer->deadline, inst->config.tick_shift);

	return twheel_timer_join(tick, timer->node.slack);
}

static void begin_expiry(struct twheel_instance *inst,
			 struct twheel_expiry *expiry, u64 now)
{
	expiry->order = ++inst->pool.orders;
	expiry->fired = now;
	expiry->attempt = 0;
	expiry->dead = false;
}

/**
 * twheel_expire() - a timer has reached its deadline
 * @inst: The instance.
 * @timer: The timer, ARMED, and not in the wheel.
 * @now: The time, ns.
 */
void twheel_expire(struct twheel_instance *inst, struct twheel_timer *timer,
		   u64 now)
{
	lockdep_assert_held(&inst->lock);
	twheel_timer_step(timer, TWHEEL_STEP_EXPIRE, &inst->books);
	timer->node.expires = now;
	if (inst->pooled)
		begin_expiry(inst, twheel_expiry_of(timer), now);
	list_add_tail(&timer->node.link, &inst->due);
	inst->news |= TWHEEL_NEWS_QUEUE;
	trace_twheel_expire(timer, now);
}

/**
 * twheel_arm() - let a timer run to its deadline
 * @inst: The instance.
 * @timer: The timer, in state TWHEEL_FREE, in the index, with its deadline.
 * @now: The time, ns.
 *
 * A deadline that has come or passed expires at once, unless the wheel is
 * behind: then it takes its turn there, so that expiries stay in order.
 */
void twheel_arm(struct twheel_instance *inst, struct twheel_timer *timer,
		u64 now)
{
	u64 tick = tick_of(inst, now);

	lockdep_assert_held(&inst->lock);
	twheel_timer_step(timer, TWHEEL_STEP_ARM, &inst->books);
	timer->node.expires = tick;
	if (timer->deadline > now)
		timer->node.expires = expiry_tick(inst, timer);
	twheel_wheel_forward(inst->wheel, tick);
	if (timer->deadline <= now && inst->wheel->wake > tick)
		twheel_expire(inst, timer, now);
	else
		twheel_wheel_add(inst->wheel, &timer->node);
}

/**
 * twheel_park() - keep a timer from expiring
 * @inst: The instance, which is shut.
 * @timer: The timer, ARMED, and not in the wheel.
 *
 * It stays ARMED, at the end of the clock.
 */
void twheel_park(struct twheel_instance *inst, struct twheel_timer *timer)
{
	lockdep_assert_held(&inst->lock);
	timer->node.expires = tick_of(inst, KTIME_MAX);
	twheel_wheel_add(inst->wheel, &timer->node);
}

static void note_activity(struct twheel_instance *inst,
			  struct twheel_timer *timer, u64 deadline, u64 now)
{
	timer->deadline = deadline;
	inst->counts.postponed++;
	trace_twheel_postpone(timer, now);
}

/**
 * twheel_postpone() - let a timer that the wheel has handed over run on
 * @inst: The instance.
 * @timer: The timer, ARMED, and not in the wheel.
 * @now: The time, ns.
 *
 * It does if it was reset without being moved, or there was activity.
 *
 * Return: Whether it runs on.
 */
bool twheel_postpone(struct twheel_instance *inst, struct twheel_timer *timer,
		     u64 now)
{
	u64 deadline = timer->deadline;

	lockdep_assert_held(&inst->lock);
	if (deadline <= now)
		deadline = twheel_deadline(inst, timer, now);
	if (deadline <= now) {
		timer->deadline = deadline;
		return false;
	}
	if (deadline > timer->deadline)
		note_activity(inst, timer, deadline, now);
	timer->node.expires = expiry_tick(inst, timer);
	twheel_wheel_add(inst->wheel, &timer->node);
	return true;
}

/* A timer, TWHEEL_FREE, runs to its deadline unless the instance is shut. */
static void run(struct twheel_instance *inst, struct twheel_timer *timer,
		u64 now)
{
	if (!inst->shut) {
		twheel_arm(inst, timer, now);
		return;
	}
	twheel_timer_step(timer, TWHEEL_STEP_ARM, &inst->books);
	twheel_park(inst, timer);
}

/**
 * twheel_run_on() - an expiry is over, as there was activity
 * @inst: The instance.
 * @timer: The timer, with a word, TWHEEL_FREE.
 * @deadline: Its effective deadline, ns.
 * @now: The time, ns.
 */
void twheel_run_on(struct twheel_instance *inst, struct twheel_timer *timer,
		   u64 deadline, u64 now)
{
	lockdep_assert_held(&inst->lock);
	note_activity(inst, timer, deadline, now);
	run(inst, timer, now);
}

/**
 * twheel_next_period() - an expiry of a periodic timer is over
 * @inst: The instance.
 * @timer: The timer, TWHEEL_FREE.
 * @expirations: The periods that the expiry stood for.
 * @now: The time, ns.
 */
void twheel_next_period(struct twheel_instance *inst,
			struct twheel_timer *timer, u64 expirations, u64 now)
{
	lockdep_assert_held(&inst->lock);
	timer->deadline += expirations * timer->interval;
	timer->deadline = min_t(u64, timer->deadline, KTIME_MAX);
	run(inst, timer, now);
}

/**
 * twheel_settle_unread() - an expiry is over, and it may be that nobody read it
 * @inst: The instance.
 * @timer: The timer, TWHEEL_FREE.
 * @now: The time, ns.
 * @freed: As in twheel_settle().
 *
 * With activity since it expired, the timer runs on.
 */
void twheel_settle_unread(struct twheel_instance *inst,
			  struct twheel_timer *timer, u64 now,
			  struct list_head *freed)
{
	u64 deadline = twheel_deadline(inst, timer, now);

	lockdep_assert_held(&inst->lock);
	if (deadline > timer->deadline)
		twheel_run_on(inst, timer, deadline, now);
	else
		twheel_settle(inst, timer, twheel_timer_expirations(timer, now),
			      now, freed);
}

/**
 * twheel_drop() - an expiry is over: the overflow policy has dropped it
 * @inst: The instance.
 * @timer: The timer, in no queue and no list.
 * @now: The time, ns.
 * @freed: As in twheel_settle().
 */
void twheel_drop(struct twheel_instance *inst, struct twheel_timer *timer,
		 u64 now, struct list_head *freed)
{
	trace_twheel_drop(timer, now);
	twheel_timer_step(timer, TWHEEL_STEP_DROP, &inst->books);
	twheel_settle_unread(inst, timer, now, freed);
}
