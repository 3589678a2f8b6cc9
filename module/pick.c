// SPDX-License-Identifier: GPL-2.0
/*
 * Which expiry a reader gets next: its own, what came back, or another's
 */
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include "compat.h"
#include "dispatch.h"
#include "pick.h"

/* Expiries that one reader takes from another in one go. */
#define STEAL_STEPS	128

static void consider(struct twheel_pick *pick, struct twheel_expiry *expiry,
		     u64 dropped, u64 *sequence)
{
	if (!expiry || (pick->expiry && pick->expiry->order < expiry->order))
		return;
	*pick = (struct twheel_pick) {
		.expiry = expiry,
		.dropped = dropped,
		.sequence = sequence,
	};
}

static void consider_queue(struct twheel_instance *inst, u32 *budget,
			   struct twheel_pick *pick)
{
	struct twheel_timer *timer;
	u64 dropped;

	timer = twheel_queue_first(&inst->queue, &dropped, budget);
	/* What came back may be younger than what the budget did not get to. */
	if (!timer && inst->queue.live)
		return;
	if (timer)
		consider(pick, twheel_expiry_of(timer), dropped,
			 &inst->queue.sequence);
	consider(pick, twheel_returns_first(&inst->pool.returns), 0,
		 &inst->queue.sequence);
}

static void consider_line(struct twheel_consumer *consumer,
			  struct twheel_pick *pick)
{
	struct twheel_seat *seat = twheel_line_first(&consumer->line);

	if (seat)
		consider(pick, container_of(seat, struct twheel_expiry, seat),
			 seat->dropped, &consumer->line.sequence);
	consider(pick, twheel_returns_first(&consumer->returns), 0,
		 &consumer->line.sequence);
}

/* Whose line is the longest. */
static struct twheel_consumer *busiest_place(const struct twheel_pool *pool)
{
	struct twheel_consumer *busiest = pool->place[0];
	u32 i;

	for (i = 1; i < pool->nr_places; i++)
		if (pool->place[i]->line.live > busiest->line.live)
			busiest = pool->place[i];
	return busiest;
}

/*
 * Take the younger half of the longest line.  Of a long one, as much as fits in
 * one hold of the lock: who has done that will be back for more.
 */
static void steal(struct twheel_consumer *thief)
{
	struct twheel_instance *inst = thief->inst;
	struct twheel_consumer *victim = busiest_place(&inst->pool);
	u32 nr = min_t(u32, DIV_ROUND_UP(victim->line.live, 2), STEAL_STEPS);
	struct twheel_expiry *expiry;
	u32 i;

	for (i = 0; i < nr; i++) {
		twheel_line_take_last(&thief->line, &victim->line);
		expiry = container_of(twheel_line_first(&thief->line),
				      struct twheel_expiry, seat);
		expiry->owner = thief;
	}
	victim->tally.passed_on += nr;
	thief->tally.given += nr;
	thief->tally.stolen += nr;
	inst->pool.stolen += nr;
	if (nr > 1)
		inst->news |= TWHEEL_NEWS_SPARE;
}

static void pick_own(struct twheel_consumer *consumer, bool may_steal,
		     struct twheel_pick *pick)
{
	struct twheel_instance *inst = consumer->inst;

	consider_line(consumer, pick);
	if (inst->config.dispatch == TWHEEL_ROUND_ROBIN)
		consider(pick, twheel_returns_first(&inst->pool.returns), 0,
			 &consumer->line.sequence);
	if (pick->expiry || !may_steal || !inst->pool.nr_places ||
	    !(inst->config.flags & TWHEEL_STEAL))
		return;
	steal(consumer);
	consider_line(consumer, pick);
}

/* What waits for room, or for a reader to come, and was dealt to nobody yet. */
static void consider_due(struct twheel_consumer *consumer,
			 struct twheel_pick *pick)
{
	struct twheel_instance *inst = consumer->inst;
	struct twheel_timer *timer;

	timer = list_first_entry_or_null(&inst->due, struct twheel_timer,
					 node.link);
	if (timer)
		consider(pick, twheel_expiry_of(timer), inst->pool.dropped,
			 &consumer->line.sequence);
}

static void pick_any(struct twheel_consumer *consumer, struct twheel_pick *pick)
{
	struct twheel_pool *pool = &consumer->inst->pool;
	u32 i;

	for (i = 0; i < pool->nr_places; i++)
		consider_line(pool->place[i], pick);
	consider(pick, twheel_returns_first(&pool->returns), 0,
		 &consumer->line.sequence);
	consider_due(consumer, pick);
}

static void pick_dead(struct twheel_consumer *consumer, struct twheel_pick *pick)
{
	struct twheel_timer *timer;

	timer = list_first_entry_or_null(&consumer->inst->pool.dead,
					 struct twheel_timer, node.link);
	if (timer)
		consider(pick, twheel_expiry_of(timer), 0,
			 &consumer->line.sequence);
}

/**
 * twheel_pick() - the expiry that is delivered next
 * @consumer: To this reader; not TWHEEL_BROADCAST.
 * @claim: What it may be.
 * @budget: As in twheel_queue_first().
 * @pick: Result; the expiry stays where it is.
 */
void twheel_pick(struct twheel_consumer *consumer, enum twheel_claim claim,
		 u32 *budget, struct twheel_pick *pick)
{
	struct twheel_instance *inst = consumer->inst;

	lockdep_assert_held(&inst->lock);
	*pick = (struct twheel_pick) { .expiry = NULL };
	if (consumer->flags & TWHEEL_READER_DEAD)
		pick_dead(consumer, pick);
	else if (inst->config.dispatch == TWHEEL_SHARED)
		consider_queue(inst, budget, pick);
	else if (claim == TWHEEL_CLAIM_ALL)
		pick_any(consumer, pick);
	else
		pick_own(consumer, claim == TWHEEL_CLAIM_IDLE, pick);
}

static void pass_on(struct twheel_consumer *from, struct twheel_consumer *to)
{
	if (from == to)
		return;
	if (from)
		from->tally.passed_on++;
	to->tally.given++;
}

/**
 * twheel_pick_take() - a reader takes an expiry
 * @consumer: The reader.
 * @pick: What twheel_pick() has just said.
 */
void twheel_pick_take(struct twheel_consumer *consumer,
		      const struct twheel_pick *pick)
{
	struct twheel_instance *inst = consumer->inst;
	struct twheel_expiry *expiry = pick->expiry;
	struct twheel_timer *timer = twheel_timer_of(expiry);
	struct twheel_consumer *owner = expiry->owner;

	lockdep_assert_held(&inst->lock);
	if (expiry->returns) {
		twheel_returns_del(expiry);
		++*pick->sequence;
	} else if (timer->node.state != TWHEEL_QUEUED) {
		/* DEAD, or DUE in the list of the instance. */
		list_del(&timer->node.link);
		inst->pool.dropped -= pick->dropped;
		*pick->sequence += pick->dropped + 1;
	} else if (owner) {
		twheel_line_deliver(&owner->line, &expiry->seat);
		twheel_dispatch_refill(owner);
	} else {
		twheel_queue_deliver(&inst->queue, pick->dropped);
	}
	pass_on(owner, consumer);
	expiry->owner = consumer;
}
