// SPDX-License-Identifier: GPL-2.0
/*
 * Leases: deliveries that have to be acknowledged
 *
 * A lease is the timer itself, back in the wheel of its instance: it runs out
 * there as a deadline comes, and costs no timer of its own.
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "arm.h"
#include "compat.h"
#include "dispatch.h"
#include "lease.h"
#include "trace.h"

/* Let the lease of @timer, which is not in the wheel, run to @end, ns. */
static void run_to(struct twheel_instance *inst, struct twheel_timer *timer,
		   u64 end, u64 now)
{
	unsigned int shift = inst->config.tick_shift;

	timer->node.expires = twheel_timer_tick(end, shift);
	twheel_wheel_forward(inst->wheel, now >> shift);
	twheel_wheel_add(inst->wheel, &timer->node);
}

/**
 * twheel_lease_grant() - an expiry is delivered under a lease
 * @consumer: To whom.
 * @timer: The timer; QUEUED, DUE or DEAD, and in no list or queue any more.
 * @expirations: What the record says.
 * @now: The time, ns.
 */
void twheel_lease_grant(struct twheel_consumer *consumer,
			struct twheel_timer *timer, u64 expirations, u64 now)
{
	struct twheel_expiry *expiry = twheel_expiry_of(timer);
	struct twheel_instance *inst = consumer->inst;

	lockdep_assert_held(&inst->lock);
	twheel_timer_step(timer, TWHEEL_STEP_LEASE, &inst->books);
	expiry->owner = consumer;
	expiry->token = ++inst->pool.tokens;
	expiry->expirations = expirations;
	list_add_tail(&expiry->held, &consumer->held);
	consumer->nr_held++;
	if (expiry->dead) {
		inst->pool.dead_held++;
	} else if (expiry->attempt++) {
		inst->pool.redelivered++;
		consumer->tally.redelivered++;
	}
	run_to(inst, timer,
	       min_t(u64, now + inst->config.lease_ns, KTIME_MAX), now);
}

/* The lease is over; its owner stays noted in the expiry. */
static void end_lease(struct twheel_instance *inst, struct twheel_timer *timer)
{
	struct twheel_expiry *expiry = twheel_expiry_of(timer);

	list_del(&expiry->held);
	expiry->owner->nr_held--;
	if (expiry->dead)
		inst->pool.dead_held--;
}

/* Wake the readers of dead expiries: each waits on its own, and any may hang. */
static void call_dead_readers(struct twheel_instance *inst)
{
	struct twheel_consumer *consumer;

	list_for_each_entry(consumer, &inst->pool.consumers, link)
		if (consumer->flags & TWHEEL_READER_DEAD)
			twheel_call(consumer);
}

static void bury(struct twheel_instance *inst, struct twheel_timer *timer)
{
	struct twheel_expiry *expiry = twheel_expiry_of(timer);

	twheel_timer_step(timer, TWHEEL_STEP_BURY, &inst->books);
	if (expiry->dead)
		expiry->owner->tally.passed_on++;
	else
		expiry->owner->tally.dead++;
	expiry->dead = true;
	expiry->owner = NULL;
	list_add_tail(&timer->node.link, &inst->pool.dead);
	trace_twheel_dead(timer, expiry->attempt);
	call_dead_readers(inst);
}

static bool used_up(const struct twheel_instance *inst,
		    const struct twheel_expiry *expiry)
{
	u32 max = inst->config.max_attempts;

	return expiry->dead || (max && expiry->attempt >= max);
}

/* The lease of @timer, which is not in the wheel any more, was for nothing. */
static void give_back(struct twheel_instance *inst, struct twheel_timer *timer)
{
	struct twheel_expiry *expiry = twheel_expiry_of(timer);

	end_lease(inst, timer);
	if (used_up(inst, expiry)) {
		bury(inst, timer);
		return;
	}
	twheel_timer_step(timer, TWHEEL_STEP_RETURN, &inst->books);
	expiry->owner->tally.passed_on++;
	trace_twheel_return(timer, expiry->attempt);
	twheel_dispatch_return(inst, timer);
}

/**
 * twheel_lease_lapse() - a lease has run out
 * @inst: The instance.
 * @timer: The timer; the wheel has just handed it over.
 */
void twheel_lease_lapse(struct twheel_instance *inst,
			struct twheel_timer *timer)
{
	lockdep_assert_held(&inst->lock);
	inst->pool.lapsed++;
	twheel_expiry_of(timer)->owner->tally.lapsed++;
	give_back(inst, timer);
}

/**
 * twheel_lease_return() - the reader that has a lease is gone
 * @inst: The instance.
 * @timer: The timer, DELIVERED.
 */
void twheel_lease_return(struct twheel_instance *inst,
			 struct twheel_timer *timer)
{
	lockdep_assert_held(&inst->lock);
	twheel_wheel_del(inst->wheel, &timer->node);
	give_back(inst, timer);
}

/**
 * twheel_lease_withdraw() - the timer was stopped, reset or started again
 * @inst: The instance.
 * @timer: The timer; the step that ends its state was taken.
 */
void twheel_lease_withdraw(struct twheel_instance *inst,
			   struct twheel_timer *timer)
{
	lockdep_assert_held(&inst->lock);
	twheel_wheel_del(inst->wheel, &timer->node);
	end_lease(inst, timer);
}

/**
 * twheel_lease_is() - whether a delivery is in somebody's hands
 * @timer: The timer of an instance that has leases, or NULL.
 * @by: Whose.
 * @token: Number of the delivery.
 */
bool twheel_lease_is(const struct twheel_timer *timer,
		     const struct twheel_consumer *by, u64 token)
{
	const struct twheel_pooled_timer *pooled;

	if (!timer || timer->node.state != TWHEEL_DELIVERED)
		return false;
	pooled = container_of(timer, struct twheel_pooled_timer, timer);
	return pooled->expiry.owner == by && pooled->expiry.token == token;
}

/**
 * twheel_lease_ack() - an expiry was acknowledged
 * @inst: The instance.
 * @timer: The timer, under the lease of who says so.
 * @now: The time, ns.
 * @freed: As in twheel_settle().
 */
void twheel_lease_ack(struct twheel_instance *inst, struct twheel_timer *timer,
		      u64 now, struct list_head *freed)
{
	struct twheel_expiry *expiry = twheel_expiry_of(timer);

	lockdep_assert_held(&inst->lock);
	twheel_wheel_del(inst->wheel, &timer->node);
	end_lease(inst, timer);
	expiry->owner->tally.delivered++;
	expiry->owner = NULL;
	expiry->attempt = 0;
	expiry->dead = false;
	trace_twheel_ack(timer, now);
	twheel_timer_step(timer, TWHEEL_STEP_ACK, &inst->books);
	twheel_settle(inst, timer, expiry->expirations, now, freed);
}

/**
 * twheel_lease_reject() - an expiry was given back
 * @inst: The instance.
 * @timer: The timer, under the lease of who does so.
 */
void twheel_lease_reject(struct twheel_instance *inst,
			 struct twheel_timer *timer)
{
	inst->pool.rejected++;
	twheel_expiry_of(timer)->owner->tally.rejected++;
	twheel_lease_return(inst, timer);
}

/**
 * twheel_lease_extend() - a lease gets a new end
 * @inst: The instance.
 * @timer: The timer, under the lease of who asks for it.
 * @end: When it ends, ns.
 * @now: The time, ns.
 */
void twheel_lease_extend(struct twheel_instance *inst,
			 struct twheel_timer *timer, u64 end, u64 now)
{
	lockdep_assert_held(&inst->lock);
	twheel_wheel_del(inst->wheel, &timer->node);
	run_to(inst, timer, end, now);
}
