// SPDX-License-Identifier: GPL-2.0
/*
 * Arming and expiry inside an instance
 *
 * The way of an expiry: the wheel hands over what is due in a tick, it goes to
 * the end of the instance's list of DUE timers, and from there, oldest first,
 * into the queue as far as there is room (twheel_expiry_commit() and
 * pump_due()).  What happens when there is none is the overflow policy, and
 * pump_due() is the only place that knows it.
 *
 * Everything is cut into steps that are counted, and no call takes more than a
 * fixed number of them.  What is left is deferred to the clock's worker.
 */
#include <linux/lockdep.h>

#include "compat.h"
#include "expiry.h"
#include "trace.h"

/* Steps in a pass: some 50 microseconds with the lock held. */
#define PASS_STEPS	256
/* Steps of the queue that a start, stop or reset takes along. */
#define OP_STEPS	8
/* Records that are delivered with the lock held. */
#define DELIVER_RECORDS	32
/* Steps of the queue that they may take. */
#define DELIVER_STEPS	(4 * DELIVER_RECORDS)

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

/* @timer, in no list, has reached its deadline. */
static void expire_timer(struct twheel_instance *inst,
			 struct twheel_timer *timer, u64 now)
{
	twheel_timer_step(timer, TWHEEL_STEP_EXPIRE, &inst->books);
	timer->node.expires = now;
	list_add_tail(&timer->node.link, &inst->due);
	inst->news = true;
	trace_twheel_expire(timer, now);
}

/**
 * twheel_expiry_arm() - let a timer run to its deadline
 * @inst: The instance.
 * @timer: The timer, in state TWHEEL_FREE, in the index, with its deadline.
 * @now: The time, ns.
 *
 * A deadline that has come or passed expires at once, unless the wheel is
 * behind: then it takes its turn there, so that expiries stay in order.
 */
void twheel_expiry_arm(struct twheel_instance *inst,
		       struct twheel_timer *timer, u64 now)
{
	u64 tick = tick_of(inst, now);

	lockdep_assert_held(&inst->lock);
	twheel_timer_step(timer, TWHEEL_STEP_ARM, &inst->books);
	timer->node.expires = tick;
	if (timer->deadline > now)
		timer->node.expires = expiry_tick(inst, timer);
	twheel_wheel_forward(inst->wheel, tick);
	if (timer->deadline <= now && inst->wheel->wake > tick)
		expire_timer(inst, timer, now);
	else
		twheel_wheel_add(inst->wheel, &timer->node);
}

/**
 * twheel_expiry_disarm() - end an arming, whatever has come of it
 * @inst: The instance.
 * @timer: The timer, in any state but TWHEEL_FREE; it is TWHEEL_FREE then.
 *
 * Return: The state that it was in.
 */
u32 twheel_expiry_disarm(struct twheel_instance *inst,
			 struct twheel_timer *timer)
{
	u32 from;

	lockdep_assert_held(&inst->lock);
	from = twheel_timer_step(timer, TWHEEL_STEP_STOP, &inst->books);
	if (from == TWHEEL_ARMED)
		twheel_wheel_del(inst->wheel, &timer->node);
	else if (from == TWHEEL_DUE)
		list_del(&timer->node.link);
	else
		twheel_queue_withdraw(&inst->queue);
	return from;
}

/* An expiry is over, read or dropped: the next period, or the end. */
static void settle(struct twheel_instance *inst, struct twheel_timer *timer,
		   u64 expirations, u64 now, struct list_head *freed)
{
	if (!timer->interval) {
		twheel_index_del(&inst->index, &timer->entry);
		list_add(&timer->node.link, freed);
		return;
	}
	timer->deadline += expirations * timer->interval;
	timer->deadline = min_t(u64, timer->deadline, KTIME_MAX);
	twheel_expiry_arm(inst, timer, now);
}

static void drop(struct twheel_instance *inst, struct twheel_timer *timer,
		 u64 now, struct list_head *freed)
{
	trace_twheel_drop(timer, now);
	twheel_timer_step(timer, TWHEEL_STEP_DROP, &inst->books);
	settle(inst, timer, twheel_timer_expirations(timer, now), now, freed);
}

/* Make room for one; false if the budget ended before it. */
static bool drop_oldest(struct twheel_instance *inst, u64 now, u32 *budget,
			struct list_head *freed)
{
	struct twheel_timer *timer;
	u64 dropped;

	timer = twheel_queue_first(&inst->queue, &dropped, budget);
	if (!timer)
		return false;
	twheel_queue_drop_oldest(&inst->queue, dropped);
	drop(inst, timer, now, freed);
	return true;
}

/* Take the oldest DUE timer out of its list. */
static struct twheel_timer *take_due(struct twheel_instance *inst)
{
	struct twheel_timer *timer = list_first_entry(&inst->due,
						      struct twheel_timer,
						      node.link);

	list_del(&timer->node.link);
	return timer;
}

static void enqueue(struct twheel_instance *inst)
{
	struct twheel_timer *timer = take_due(inst);

	twheel_timer_step(timer, TWHEEL_STEP_QUEUE, &inst->books);
	twheel_queue_put(&inst->queue, timer);
	inst->news = true;
}

/* One DUE timer onwards by the overflow policy; false if it has to wait. */
static bool pump_one(struct twheel_instance *inst, u64 now, u32 *budget,
		     struct list_head *freed)
{
	if (!twheel_queue_full(&inst->queue)) {
		enqueue(inst);
		return true;
	}
	if (inst->config.overflow == TWHEEL_DROP_OLDEST)
		return drop_oldest(inst, now, budget, freed);
	if (inst->config.overflow == TWHEEL_HOLD)
		return false;
	twheel_queue_drop_newest(&inst->queue);
	drop(inst, take_due(inst), now, freed);
	return true;
}

/* Move DUE timers into the queue; false if the budget ended before that. */
static bool pump_due(struct twheel_instance *inst, u64 now, u32 *budget,
		     struct list_head *freed)
{
	for (; *budget; --*budget) {
		if (list_empty(&inst->due))
			return true;
		if (!pump_one(inst, now, budget, freed))
			return *budget;
	}
	return list_empty(&inst->due);
}

/* Have the clock call at the next tick with anything to do, and not before. */
static void program(struct twheel_instance *inst)
{
	u64 wake = inst->wheel->wake;

	if (wake == inst->programmed || inst->backlog || inst->dying)
		return;
	inst->programmed = wake;
	if (wake == TWHEEL_NEVER) {
		inst->clock->ops->cancel(inst->clock);
		return;
	}
	inst->counts.programmed++;
	inst->clock->ops->arm(inst->clock, wake << inst->config.tick_shift);
}

static void notify(struct twheel_instance *inst)
{
	if (!inst->news)
		return;
	inst->news = false;
	inst->notify(inst);
}

/**
 * twheel_expiry_commit() - the last act of every hold of the lock
 * @inst: The instance.
 * @now: The time, ns.
 * @nr: Operations that were carried out, at least one.
 * @freed: Timers that are done with are added to this list; the caller gives it
 *	to twheel_timers_free() after it has dropped the lock.
 */
void twheel_expiry_commit(struct twheel_instance *inst, u64 now, u32 nr,
			  struct list_head *freed)
{
	u32 budget = min_t(u32, nr * OP_STEPS, PASS_STEPS);

	lockdep_assert_held(&inst->lock);
	if (!inst->backlog && !pump_due(inst, now, &budget, freed)) {
		inst->backlog = true;
		inst->clock->ops->defer(inst->clock);
	}
	program(inst);
	notify(inst);
}

/* Let what the wheel hands over expire; false if there is more. */
static bool expire_due(struct twheel_instance *inst, u64 now)
{
	struct twheel_node *node, *next;
	u32 budget = PASS_STEPS;
	LIST_HEAD(due);
	bool done;

	done = twheel_wheel_advance(inst->wheel, tick_of(inst, now), &budget,
				    &due);
	list_for_each_entry_safe(node, next, &due, link)
		expire_timer(inst, container_of(node, struct twheel_timer,
						node), now);
	return done;
}

static bool pass_locked(struct twheel_instance *inst, struct list_head *freed)
{
	u64 now = inst->clock->ops->now(inst->clock);
	u32 budget = PASS_STEPS;
	bool done;

	lockdep_assert_held(&inst->lock);
	if (inst->programmed <= tick_of(inst, now))
		inst->programmed = TWHEEL_NEVER;
	inst->counts.passes++;
	done = expire_due(inst, now);
	done &= pump_due(inst, now, &budget, freed);
	inst->backlog = !done;
	program(inst);
	notify(inst);
	return done;
}

/**
 * twheel_instance_pass() - let timers expire, for a bounded time
 * @inst: The instance.
 *
 * Context: Softirq or process context, no lock held.
 * Return: Whether there is more to do.
 */
bool twheel_instance_pass(struct twheel_instance *inst)
{
	LIST_HEAD(freed);
	bool done = true;

	spin_lock_bh(&inst->lock);
	if (inst->wheel && !inst->dying)
		done = pass_locked(inst, &freed);
	spin_unlock_bh(&inst->lock);
	twheel_timers_free(inst, &freed);
	return !done;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_pass);

static void fill_event(const struct twheel_instance *inst,
		       const struct twheel_timer *timer, u64 dropped,
		       u64 now, struct twheel_event *event)
{
	*event = (struct twheel_event) {
		.id = timer->entry.id,
		.data = timer->data,
		.generation = timer->generation,
		.sequence = inst->queue.sequence + dropped + 1,
		.deadline_ns = timer->deadline,
		.fired_ns = timer->node.expires,
		.expirations = twheel_timer_expirations(timer, now),
		.dropped = dropped,
		.attempt = 1,
		.flags = (dropped ? TWHEEL_EVENT_DROPPED : 0) |
			 (timer->interval ? TWHEEL_EVENT_PERIODIC : 0),
	};
}

/* One record; the end of the delivery is put into @end if this was not it. */
static bool deliver_one(struct twheel_instance *inst, u64 now, u32 *budget,
			struct twheel_receiver *receiver,
			struct list_head *freed, enum twheel_read_end *end)
{
	struct twheel_event event;
	struct twheel_timer *timer;
	u64 dropped;

	timer = twheel_queue_first(&inst->queue, &dropped, budget);
	if (!timer) {
		*end = TWHEEL_READ_EMPTY;
		return false;
	}
	fill_event(inst, timer, dropped, now, &event);
	if (!receiver->take(receiver, &event)) {
		*end = TWHEEL_READ_REFUSED;
		return false;
	}
	trace_twheel_deliver(timer, now);
	twheel_queue_deliver(&inst->queue, dropped);
	twheel_timer_step(timer, TWHEEL_STEP_DELIVER, &inst->books);
	settle(inst, timer, event.expirations, now, freed);
	return true;
}

static enum twheel_read_end
deliver_locked(struct twheel_instance *inst, struct twheel_receiver *receiver,
	       struct list_head *freed)
{
	enum twheel_read_end end = TWHEEL_READ_MORE;
	u64 now = inst->clock->ops->now(inst->clock);
	u32 budget = DELIVER_STEPS;
	unsigned int i;

	lockdep_assert_held(&inst->lock);
	for (i = 0; i < DELIVER_RECORDS; i++) {
		if (!deliver_one(inst, now, &budget, receiver, freed, &end))
			break;
		/* A small queue is filled again while it is read. */
		if (!list_empty(&inst->due))
			pump_due(inst, now, &budget, freed);
	}
	twheel_expiry_commit(inst, now, 1, freed);
	if (end == TWHEEL_READ_EMPTY && inst->queue.live)
		return TWHEEL_READ_MORE;
	return end;
}

/**
 * twheel_instance_deliver() - hand records over, for a bounded time
 * @inst: The instance.
 * @receiver: Takes them.
 *
 * A record is delivered when the receiver has taken it, and not otherwise.
 * Both happen under the lock, so an expiry is at any moment either read or can
 * still be withdrawn.
 *
 * Context: Process context, no lock held.
 * Return: Why it stopped.
 */
enum twheel_read_end twheel_instance_deliver(struct twheel_instance *inst,
					     struct twheel_receiver *receiver)
{
	enum twheel_read_end end = TWHEEL_READ_EMPTY;
	LIST_HEAD(freed);

	spin_lock_bh(&inst->lock);
	if (inst->wheel)
		end = deliver_locked(inst, receiver, &freed);
	spin_unlock_bh(&inst->lock);
	twheel_timers_free(inst, &freed);
	return end;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_deliver);
