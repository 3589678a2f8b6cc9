// SPDX-License-Identifier: GPL-2.0
/*
 * From the queue to the reader
 */
#include <linux/lockdep.h>

#include "arm.h"
#include "broadcast.h"
#include "compat.h"
#include "expiry.h"
#include "lease.h"
#include "pick.h"
#include "trace.h"

/* Records that are delivered with the lock held. */
#define DELIVER_RECORDS	32
/* Steps of the queue that they may take. */
#define DELIVER_STEPS	(4 * DELIVER_RECORDS)

/* Field by field, and all of them: @event holds the record before. */
static __always_inline void fill_event(const struct twheel_timer *timer,
				       u64 sequence, u64 dropped, u64 now,
				       struct twheel_event *event)
{
	u64 interval = twheel_timer_interval(timer);

	event->id = timer->entry.id;
	event->data = timer->data;
	event->generation = timer->generation;
	event->sequence = sequence + dropped + 1;
	event->deadline_ns = timer->deadline;
	event->fired_ns = timer->node.expires;
	event->expirations = 1;
	if (interval)
		event->expirations = twheel_timer_expirations(timer, now);
	event->dropped = dropped;
	event->attempt = 1;
	event->flags = (dropped ? TWHEEL_EVENT_DROPPED : 0) |
		       (interval ? TWHEEL_EVENT_PERIODIC : 0);
	event->token = 0;
}

/* What an expiry that may come back tells beyond that. */
static void fill_attempt(const struct twheel_instance *inst,
			 const struct twheel_expiry *expiry,
			 struct twheel_event *event)
{
	event->fired_ns = expiry->fired;
	event->attempt = expiry->attempt + !expiry->dead;
	if (expiry->dead)
		event->flags |= TWHEEL_EVENT_DEAD;
	if (inst->config.delivery == TWHEEL_AT_LEAST_ONCE)
		event->token = inst->pool.tokens + 1;
}

/**
 * struct delivery - records that are handed over under one hold of the lock
 * @consumer: To this reader.
 * @claim: Which.
 * @receiver: Takes them.
 * @now: The time, ns.
 * @budget: Steps of the queue that are left.
 * @freed: Timers that are done with.
 * @event: The record that is handed over.
 * @end: Why it stopped.
 */
struct delivery {
	struct twheel_consumer *consumer;
	enum twheel_claim claim;
	struct twheel_receiver *receiver;
	u64 now;
	u32 budget;
	struct list_head freed;
	struct twheel_event event;
	enum twheel_read_end end;
};

/*
 * The next in the queue; expiries that are out of date go back on the way.  When
 * it is empty, what waits moves up: a small queue is filled again while it is
 * read.
 */
static struct twheel_timer *first_queued(struct twheel_instance *inst,
					 struct delivery *d, u64 *dropped)
{
	struct twheel_timer *timer;

	for (;;) {
		timer = twheel_queue_first(&inst->queue, dropped, &d->budget);
		if (likely(timer)) {
			if (!timer->node.mapped ||
			    !twheel_expiry_recall(inst, timer, d->now))
				return timer;
			continue;
		}
		if (inst->queue.live || !d->budget || list_empty(&inst->due))
			return NULL;
		twheel_expiry_pump(inst, d->now, &d->budget, &d->freed);
	}
}

/* One record from the queue; false if there is none, or it is not taken. */
static bool deliver_queued(struct twheel_instance *inst, struct delivery *d)
{
	struct twheel_event *event = &d->event;
	struct twheel_timer *timer;
	u64 dropped;

	timer = first_queued(inst, d, &dropped);
	if (!timer) {
		d->end = TWHEEL_READ_EMPTY;
		return false;
	}
	fill_event(timer, inst->queue.sequence, dropped, d->now, event);
	if (!d->receiver->take(d->receiver, event)) {
		d->end = TWHEEL_READ_REFUSED;
		return false;
	}
	trace_twheel_deliver(timer, d->now);
	twheel_queue_deliver(&inst->queue, dropped);
	twheel_timer_step(timer, TWHEEL_STEP_DELIVER, &inst->books);
	twheel_settle(inst, timer, event->expirations, d->now, &d->freed);
	return true;
}

/* The reader has it: for good, or under a lease. */
static void hand_over(struct twheel_instance *inst, struct delivery *d,
		      struct twheel_timer *timer, u64 expirations)
{
	struct twheel_expiry *expiry = twheel_expiry_of(timer);

	trace_twheel_deliver(timer, d->now);
	if (inst->config.delivery == TWHEEL_AT_LEAST_ONCE) {
		twheel_lease_grant(d->consumer, timer, expirations, d->now);
		return;
	}
	expiry->owner = NULL;
	d->consumer->tally.delivered++;
	twheel_timer_step(timer, TWHEEL_STEP_DELIVER, &inst->books);
	twheel_settle(inst, timer, expirations, d->now, &d->freed);
}

/* A step of a delivery: @timer is next, but its expiry may be out of date. */
static bool recall(struct twheel_instance *inst, struct delivery *d,
		   struct twheel_timer *timer)
{
	if (!timer || !timer->node.mapped ||
	    !twheel_expiry_recall(inst, timer, d->now))
		return false;
	d->end = TWHEEL_READ_MORE;
	return true;
}

static bool deliver_copy(struct twheel_instance *inst, struct delivery *d)
{
	bool all = d->claim == TWHEEL_CLAIM_ALL;

	if (recall(inst, d, twheel_broadcast_first(d->consumer, all)))
		return true;
	return twheel_broadcast_deliver(d->consumer, all, d->receiver, d->now,
					&d->freed, &d->end);
}

/* The same where expiries can come back, or readers have lines of their own. */
static bool deliver_pooled(struct twheel_instance *inst, struct delivery *d)
{
	struct twheel_event *event = &d->event;
	struct twheel_timer *timer;
	struct twheel_pick pick;

	/* Without a reader, nobody has a copy. */
	if (inst->config.dispatch == TWHEEL_BROADCAST && inst->pool.nr_places)
		return deliver_copy(inst, d);
	twheel_pick(d->consumer, d->claim, &d->budget, &pick);
	d->end = TWHEEL_READ_EMPTY;
	if (!pick.expiry)
		return false;
	timer = twheel_timer_of(pick.expiry);
	if (recall(inst, d, timer))
		return true;
	fill_event(timer, *pick.sequence, pick.dropped, d->now, event);
	fill_attempt(inst, pick.expiry, event);
	d->end = TWHEEL_READ_REFUSED;
	if (!d->receiver->take(d->receiver, event))
		return false;
	twheel_pick_take(d->consumer, &pick);
	hand_over(inst, d, timer, event->expirations);
	/* It is not idle, and what it took over was enough. */
	if (d->claim == TWHEEL_CLAIM_IDLE)
		d->claim = TWHEEL_CLAIM_OWN;
	d->end = TWHEEL_READ_MORE;
	return true;
}

static void pump(struct twheel_instance *inst, struct delivery *d)
{
	if (!list_empty(&inst->due))
		twheel_expiry_pump(inst, d->now, &d->budget, &d->freed);
}

static noinline void deliver_all_pooled(struct twheel_instance *inst, struct delivery *d)
{
	unsigned int i;

	for (i = 0; i < DELIVER_RECORDS && deliver_pooled(inst, d); i++)
		pump(inst, d);
}

/* What waits moves up in one go. */
static void deliver_all_queued(struct twheel_instance *inst, struct delivery *d)
{
	unsigned int i;

	for (i = 0; i < DELIVER_RECORDS && deliver_queued(inst, d); i++)
		;
	pump(inst, d);
	d->consumer->tally.given += i;
	d->consumer->tally.delivered += i;
}

static void deliver_locked(struct twheel_instance *inst, struct delivery *d)
{
	lockdep_assert_held(&inst->lock);
	d->now = inst->clock->ops->now(inst->clock);
	d->end = TWHEEL_READ_MORE;
	if (inst->pooled)
		deliver_all_pooled(inst, d);
	else
		deliver_all_queued(inst, d);
	twheel_expiry_commit(inst, d->now, 1, &d->freed);
	if (d->end == TWHEEL_READ_EMPTY && inst->queue.live &&
	    !(d->consumer->flags & TWHEEL_READER_DEAD))
		d->end = TWHEEL_READ_MORE;
}

/**
 * twheel_instance_deliver() - hand records over, for a bounded time
 * @consumer: To this reader.
 * @receiver: Takes them.
 * @claim: Which.
 *
 * A record is delivered when the receiver has taken it, and not otherwise.
 * Both happen under the lock, so an expiry is at any moment either read or can
 * still be withdrawn.
 *
 * Context: Process context, no lock held.
 * Return: Why it stopped.
 */
enum twheel_read_end twheel_instance_deliver(struct twheel_consumer *consumer,
					     struct twheel_receiver *receiver,
					     enum twheel_claim claim)
{
	struct twheel_instance *inst = consumer->inst;
	struct delivery delivery = {
		.consumer = consumer,
		.claim = claim,
		.receiver = receiver,
		.budget = DELIVER_STEPS,
		.end = TWHEEL_READ_EMPTY,
	};

	INIT_LIST_HEAD(&delivery.freed);
	spin_lock_bh(&inst->lock);
	if (inst->wheel)
		deliver_locked(inst, &delivery);
	spin_unlock_bh(&inst->lock);
	twheel_timers_free(inst, &delivery.freed);
	return delivery.end;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_deliver);
