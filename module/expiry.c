// SPDX-License-Identifier: GPL-2.0
/*
 * From the deadline of a timer to the queue
 *
 * The way of an expiry: the wheel hands over what is due in a tick, it goes to
 * the end of the instance's list of DUE timers, and from there, oldest first,
 * into the queue as far as there is room (twheel_expiry_commit() and
 * twheel_expiry_pump()), or into the lines of readers that have their own.  What
 * happens when there is none is the overflow policy, and pump_one() and what it
 * calls are the only places that know it.
 *
 * Everything is cut into steps that are counted, and no call takes more than a
 * fixed number of them.  What is left is deferred to the clock's worker.
 *
 * What only instances with leases or lines need is kept out of line: registers
 * that it saves are paid for by every call otherwise.
 */
#include <linux/lockdep.h>

#include "arm.h"
#include "broadcast.h"
#include "compat.h"
#include "dispatch.h"
#include "expiry.h"
#include "lease.h"
#include "trace.h"

/* Steps in a pass: what bounds the time that the lock is held for. */
#define PASS_STEPS	64
/* Steps of the queue that a start, stop or reset takes along. */
#define OP_STEPS	8

static u64 tick_of(const struct twheel_instance *inst, u64 now)
{
	return now >> inst->config.tick_shift;
}

/* End an arming where the expiry can be in more places than the queue. */
static noinline enum twheel_outcome
disarm_pooled(struct twheel_instance *inst, struct twheel_timer *timer,
	      u32 from)
{
	struct twheel_expiry *expiry = twheel_expiry_of(timer);
	u32 attempt = expiry->attempt;
	bool dead = expiry->dead;
	u64 copies = 0;

	if (inst->config.dispatch == TWHEEL_BROADCAST) {
		copies = twheel_broadcast_withdraw(inst, timer, from);
		if (from == TWHEEL_DUE)
			list_del(&timer->node.link);
	} else if (from == TWHEEL_DELIVERED) {
		twheel_lease_withdraw(inst, timer);
	} else if (from == TWHEEL_DEAD) {
		list_del(&timer->node.link);
	} else if (from != TWHEEL_ARMED) {
		twheel_dispatch_withdraw(inst, timer, from);
	}
	if (expiry->owner)
		expiry->owner->tally.withdrawn++;
	expiry->owner = NULL;
	expiry->attempt = 0;
	expiry->dead = false;
	if (dead)
		return TWHEEL_WAS_DEAD;
	if (attempt)
		return TWHEEL_WAS_DELIVERED;
	return copies || from != TWHEEL_ARMED ? TWHEEL_WITHDREW : TWHEEL_STOPPED;
}

/**
 * twheel_expiry_disarm() - end an arming, whatever has come of it
 * @inst: The instance.
 * @timer: The timer, in any state but TWHEEL_FREE; it is TWHEEL_FREE then.
 *
 * Return: What has come of it.
 */
enum twheel_outcome twheel_expiry_disarm(struct twheel_instance *inst,
					 struct twheel_timer *timer)
{
	u32 from;

	lockdep_assert_held(&inst->lock);
	from = twheel_timer_step(timer, TWHEEL_STEP_STOP, &inst->books);
	if (from == TWHEEL_ARMED)
		twheel_wheel_del(inst->wheel, &timer->node);
	if (inst->pooled)
		return disarm_pooled(inst, timer, from);
	if (from == TWHEEL_DUE)
		list_del(&timer->node.link);
	else if (from == TWHEEL_QUEUED)
		twheel_queue_withdraw(&inst->queue);
	return from == TWHEEL_ARMED ? TWHEEL_STOPPED : TWHEEL_WITHDREW;
}

/**
 * twheel_expiry_recall() - withdraw an expiry if there was activity since
 * @inst: The instance.
 * @timer: The timer; DUE, QUEUED or DEAD.
 * @now: The time, ns.
 *
 * Return: Whether it was; the timer runs on then.
 */
bool twheel_expiry_recall(struct twheel_instance *inst,
			  struct twheel_timer *timer, u64 now)
{
	u64 deadline = twheel_deadline(inst, timer, now);

	if (deadline <= timer->deadline)
		return false;
	twheel_expiry_disarm(inst, timer);
	twheel_run_on(inst, timer, deadline, now);
	return true;
}

/* Make room for one; false if the budget ended before it. */
static noinline bool drop_oldest(struct twheel_instance *inst, u64 now,
				 u32 *budget, struct list_head *freed)
{
	struct twheel_timer *timer;
	u64 dropped;

	timer = twheel_queue_first(&inst->queue, &dropped, budget);
	if (!timer)
		return false;
	twheel_queue_drop_oldest(&inst->queue, dropped);
	twheel_drop(inst, timer, now, freed);
	return true;
}

/* As many DUE timers into the queue as there is room for; at least one. */
static void enqueue(struct twheel_instance *inst, u32 *budget)
{
	u32 room = min(*budget, inst->queue.len - inst->queue.live);
	struct twheel_timer *timer;
	LIST_HEAD(queued);
	u32 nr = 0;

	list_for_each_entry(timer, &inst->due, node.link) {
		if (nr == room)
			break;
		twheel_timer_step(timer, TWHEEL_STEP_QUEUE, &inst->books);
		twheel_queue_put(&inst->queue, timer);
		nr++;
	}
	/* All before @timer, or before the head of the list. */
	list_cut_before(&queued, &inst->due, &timer->node.link);
	inst->news |= TWHEEL_NEWS_QUEUE;
	/* A step for each; the caller counts one. */
	*budget -= nr - 1;
}

/* One DUE timer onwards to readers that have their own lines. */
static noinline bool deal_one(struct twheel_instance *inst, u64 now,
			      u32 *budget, struct list_head *freed)
{
	u32 readers = inst->pool.nr_places;

	if (inst->config.dispatch != TWHEEL_BROADCAST)
		return twheel_dispatch_one(inst, now, freed);
	if (!readers)
		return twheel_dispatch_hold(inst, now, freed);
	twheel_broadcast_one(inst, now, freed);
	/* A step for each; the caller counts one. */
	*budget -= min(*budget - 1, readers - 1);
	return true;
}

/*
 * One DUE timer onwards by the overflow policy, or all that there is room for;
 * false if it has to wait.
 */
static bool pump_one(struct twheel_instance *inst, u64 now, u32 *budget,
		     struct list_head *freed)
{
	if (inst->config.dispatch != TWHEEL_SHARED)
		return deal_one(inst, now, budget, freed);
	if (!twheel_queue_full(&inst->queue)) {
		enqueue(inst, budget);
		return true;
	}
	if (inst->config.overflow == TWHEEL_DROP_OLDEST)
		return drop_oldest(inst, now, budget, freed);
	if (inst->config.overflow == TWHEEL_HOLD)
		return false;
	twheel_queue_drop_newest(&inst->queue);
	twheel_drop(inst, twheel_take_due(inst), now, freed);
	return true;
}

/**
 * twheel_expiry_pump() - move DUE timers into the queue, or into lines
 * @inst: The instance.
 * @now: The time, ns.
 * @budget: Steps that this may take; what is left of them on return.
 * @freed: As in twheel_expiry_commit().
 *
 * Return: false if the budget ended before that.
 */
bool twheel_expiry_pump(struct twheel_instance *inst, u64 now, u32 *budget,
			struct list_head *freed)
{
	lockdep_assert_held(&inst->lock);
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

/* Whether nothing can come for a reader any more. */
static bool is_at_end(const struct twheel_consumer *consumer)
{
	const struct twheel_instance *inst = consumer->inst;
	const u64 *in_state = inst->books.in_state;
	u64 left = in_state[TWHEEL_DUE];

	if (inst->config.dispatch == TWHEEL_BROADCAST)
		return !left && !consumer->line.live;
	left += in_state[TWHEEL_QUEUED] + in_state[TWHEEL_DELIVERED];
	if (consumer->flags & TWHEEL_READER_DEAD)
		return !left && !in_state[TWHEEL_DEAD];
	return left == inst->pool.dead_held;
}

static noinline void notify_readers(struct twheel_instance *inst, u8 news)
{
	struct twheel_consumer *consumer, *spare = NULL;

	list_for_each_entry(consumer, &inst->pool.consumers, link) {
		if (news & TWHEEL_NEWS_END && !consumer->ended &&
		    is_at_end(consumer)) {
			WRITE_ONCE(consumer->ended, true);
			consumer->news = true;
		}
		if (consumer->news)
			consumer->notify(consumer);
		else if (consumer->place != TWHEEL_NO_PLACE &&
			 !consumer->line.live)
			spare = consumer;
		consumer->news = false;
	}
	if (news & TWHEEL_NEWS_SPARE && spare)
		spare->notify(spare);
}

static void notify(struct twheel_instance *inst)
{
	u8 news = inst->news;

	if (!news)
		return;
	inst->news = inst->shut ? TWHEEL_NEWS_END : 0;
	if (news & TWHEEL_NEWS_QUEUE &&
	    inst->config.dispatch == TWHEEL_SHARED)
		inst->notify(inst);
	if (news & ~TWHEEL_NEWS_QUEUE)
		notify_readers(inst, news);
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
	if (!list_empty(&inst->due) && !inst->backlog &&
	    !twheel_expiry_pump(inst, now, &budget, freed)) {
		inst->backlog = true;
		inst->clock->ops->defer(inst->clock);
	}
	program(inst);
	notify(inst);
}

/* What the wheel has handed over: the end of a lease, or a deadline. */
static void come_due(struct twheel_instance *inst, struct twheel_timer *timer,
		     u64 now)
{
	if (timer->node.state == TWHEEL_DELIVERED)
		twheel_lease_lapse(inst, timer);
	else if (inst->shut)
		twheel_park(inst, timer);
	else if (!twheel_postpone(inst, timer, now))
		twheel_expire(inst, timer, now);
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
		come_due(inst, container_of(node, struct twheel_timer, node),
			 now);
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
	done &= twheel_expiry_pump(inst, now, &budget, freed);
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

/**
 * twheel_instance_shutdown() - let an instance come to its end
 * @inst: The instance.
 * @req: Its results are filled in on success only.
 *
 * Context: May sleep.
 * Return: 0, -ENOMEM or -EOPNOTSUPP.
 */
int twheel_instance_shutdown(struct twheel_instance *inst,
			     struct twheel_shutdown *req)
{
	const u64 *in_state = inst->books.in_state;
	LIST_HEAD(freed);
	int ret = 0;

	if (req->flags || req->reserved || req->reserved2[0] ||
	    req->reserved2[1])
		return -EOPNOTSUPP;
	if (!READ_ONCE(inst->wheel))
		ret = twheel_instance_setup(inst, NULL);
	if (ret)
		return ret;
	spin_lock_bh(&inst->lock);
	inst->shut = true;
	inst->news |= TWHEEL_NEWS_END;
	twheel_expiry_commit(inst, inst->clock->ops->now(inst->clock), 1,
			     &freed);
	req->timers = inst->index.nr;
	req->armed = in_state[TWHEEL_ARMED];
	req->waiting = twheel_instance_waiting(inst);
	req->in_flight = in_state[TWHEEL_DELIVERED];
	req->dead = in_state[TWHEEL_DEAD];
	spin_unlock_bh(&inst->lock);
	twheel_timers_free(inst, &freed);
	return 0;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_shutdown);
