// SPDX-License-Identifier: GPL-2.0
/*
 * Which reader gets an expiry
 *
 * With TWHEEL_SHARED there is one queue for all, which expiry.c fills.  With
 * TWHEEL_ROUND_ROBIN and TWHEEL_BY_ID every reader has a line of its own, and
 * they are dealt out here.  What comes back from a reader is in a tree beside
 * the queue or the lines, and a delivery takes whichever has the older one
 * (pick.c).
 *
 * With TWHEEL_BY_ID, an expiry that finds its line full waits in a list of that
 * reader, so that it keeps nobody else waiting.  With TWHEEL_ROUND_ROBIN it is
 * passed on, and waits in the instance's list when all lines are full.
 */
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "arm.h"
#include "compat.h"
#include "dispatch.h"

static struct twheel_consumer *place_of_id(const struct twheel_instance *inst,
					   u64 id)
{
	u32 place;

	div_u64_rem(id, inst->pool.nr_places, &place);
	return inst->pool.place[place];
}

/* The place that has its turn, and the turn goes on. */
static struct twheel_consumer *take_turn(struct twheel_pool *pool)
{
	struct twheel_consumer *consumer = pool->place[pool->turn];

	pool->turn = (pool->turn + 1) % pool->nr_places;
	return consumer;
}

/* The next place with room, or NULL and the turn is where it was. */
static struct twheel_consumer *turn_with_room(struct twheel_pool *pool)
{
	struct twheel_consumer *consumer;
	u32 i;

	for (i = 0; i < pool->nr_places; i++) {
		consumer = take_turn(pool);
		if (!twheel_line_full(&consumer->line))
			return consumer;
	}
	return NULL;
}

/* Wake all readers with nothing to do; false if there is none. */
static bool call_idle(const struct twheel_pool *pool)
{
	bool called = false;
	u32 i;

	for (i = 0; i < pool->nr_places; i++) {
		if (pool->place[i]->line.live)
			continue;
		twheel_call(pool->place[i]);
		called = true;
	}
	return called;
}

/* Give @timer, DUE and in no list, a place in a line that has room. */
static void seat_timer(struct twheel_consumer *consumer,
		       struct twheel_timer *timer)
{
	struct twheel_instance *inst = consumer->inst;
	struct twheel_expiry *expiry = twheel_expiry_of(timer);

	expiry->owner = consumer;
	consumer->line.dropped_tail += inst->pool.dropped;
	inst->pool.dropped = 0;
	twheel_timer_step(timer, TWHEEL_STEP_QUEUE, &inst->books);
	twheel_line_put(&consumer->line, &expiry->seat);
	twheel_call(consumer);
	if (consumer->line.live > 1 && inst->config.flags & TWHEEL_STEAL)
		inst->news |= TWHEEL_NEWS_SPARE;
}

/**
 * twheel_dispatch_refill() - there may be room in the line of a reader
 * @consumer: The reader.
 */
void twheel_dispatch_refill(struct twheel_consumer *consumer)
{
	struct twheel_timer *timer;

	if (!consumer->nr_due || twheel_line_full(&consumer->line))
		return;
	timer = list_first_entry(&consumer->due, struct twheel_timer,
				 node.link);
	list_del(&timer->node.link);
	consumer->nr_due--;
	seat_timer(consumer, timer);
}

/* The line of @consumer is full, and @timer is to be dropped, or another. */
static void overflow_line(struct twheel_consumer *consumer,
			  struct twheel_timer *timer, u64 now,
			  struct list_head *freed)
{
	struct twheel_instance *inst = consumer->inst;
	struct twheel_expiry *oldest;

	consumer->tally.dropped++;
	if (inst->config.overflow == TWHEEL_DROP_NEWEST) {
		twheel_line_drop_newest(&consumer->line);
		twheel_drop(inst, timer, now, freed);
		return;
	}
	oldest = container_of(twheel_line_first(&consumer->line),
			      struct twheel_expiry, seat);
	twheel_line_drop_oldest(&consumer->line);
	oldest->owner = NULL;
	twheel_drop(inst, twheel_timer_of(oldest), now, freed);
	seat_timer(consumer, timer);
}

/* @timer, DUE and in no list, waits in the list of @consumer. */
static void hold_for(struct twheel_consumer *consumer,
		     struct twheel_timer *timer)
{
	twheel_expiry_of(timer)->owner = consumer;
	list_add_tail(&timer->node.link, &consumer->due);
	consumer->nr_due++;
}

static bool deal_by_id(struct twheel_instance *inst, u64 now,
		       struct list_head *freed)
{
	struct twheel_timer *timer = twheel_take_due(inst);
	struct twheel_consumer *consumer = place_of_id(inst, timer->entry.id);

	consumer->tally.given++;
	if (!twheel_line_full(&consumer->line))
		seat_timer(consumer, timer);
	else if (inst->config.overflow == TWHEEL_HOLD)
		hold_for(consumer, timer);
	else
		overflow_line(consumer, timer, now, freed);
	return true;
}

static bool deal_in_turn(struct twheel_instance *inst, u64 now,
			 struct list_head *freed)
{
	struct twheel_consumer *consumer = turn_with_room(&inst->pool);

	if (!consumer && inst->config.overflow == TWHEEL_HOLD)
		return false;
	if (consumer) {
		consumer->tally.given++;
		seat_timer(consumer, twheel_take_due(inst));
		return true;
	}
	consumer = take_turn(&inst->pool);
	consumer->tally.given++;
	overflow_line(consumer, twheel_take_due(inst), now, freed);
	return true;
}

/**
 * twheel_dispatch_hold() - a DUE timer finds no reader at all
 * @inst: The instance.
 * @now: The time, ns.
 * @freed: As in twheel_settle().
 *
 * Under a policy that drops, as many wait as would in a queue.
 *
 * Return: Whether one was dropped.
 */
bool twheel_dispatch_hold(struct twheel_instance *inst, u64 now,
			  struct list_head *freed)
{
	struct twheel_timer *timer;

	lockdep_assert_held(&inst->lock);
	if (inst->config.overflow == TWHEEL_HOLD ||
	    inst->books.in_state[TWHEEL_DUE] <= inst->config.queue_len)
		return false;
	timer = list_first_entry(&inst->due, struct twheel_timer, node.link);
	if (inst->config.overflow == TWHEEL_DROP_NEWEST)
		timer = list_last_entry(&inst->due, struct twheel_timer,
					node.link);
	list_del(&timer->node.link);
	inst->pool.dropped++;
	twheel_drop(inst, timer, now, freed);
	return true;
}

/**
 * twheel_dispatch_one() - deal the oldest DUE timer of the instance
 * @inst: The instance, which has one; neither TWHEEL_SHARED nor
 *	TWHEEL_BROADCAST.
 * @now: The time, ns.
 * @freed: As in twheel_settle().
 *
 * Return: false if it has to wait.
 */
bool twheel_dispatch_one(struct twheel_instance *inst, u64 now,
			 struct list_head *freed)
{
	lockdep_assert_held(&inst->lock);
	if (!inst->pool.nr_places)
		return twheel_dispatch_hold(inst, now, freed);
	if (inst->config.dispatch == TWHEEL_BY_ID)
		return deal_by_id(inst, now, freed);
	return deal_in_turn(inst, now, freed);
}

/*
 * Wake somebody for what came back for whoever reads first.  A reader whose line
 * is empty may be stuck with what it has read, so one of them is not enough.
 * One whose line is not empty finds it there with the rest.
 */
static void call_anybody(struct twheel_instance *inst)
{
	struct twheel_pool *pool = &inst->pool;

	if (inst->config.dispatch == TWHEEL_SHARED) {
		inst->news |= TWHEEL_NEWS_QUEUE;
		return;
	}
	if (pool->nr_places && !call_idle(pool))
		twheel_call(take_turn(pool));
}

/**
 * twheel_dispatch_return() - an expiry is to be delivered again
 * @inst: The instance.
 * @timer: Its timer, DUE, in no list.
 *
 * The tree that it waits in may be as deep as the logarithm of how many wait in
 * it; everything else here takes constant time.
 */
void twheel_dispatch_return(struct twheel_instance *inst,
			    struct twheel_timer *timer)
{
	struct twheel_expiry *expiry = twheel_expiry_of(timer);
	struct twheel_consumer *consumer;

	lockdep_assert_held(&inst->lock);
	expiry->owner = NULL;
	if (inst->config.dispatch != TWHEEL_BY_ID || !inst->pool.nr_places) {
		twheel_returns_add(&inst->pool.returns, expiry);
		call_anybody(inst);
		return;
	}
	consumer = place_of_id(inst, timer->entry.id);
	expiry->owner = consumer;
	consumer->tally.given++;
	twheel_returns_add(&consumer->returns, expiry);
	twheel_call(consumer);
}

/**
 * twheel_dispatch_orphan() - deal an expiry that came back while nobody was there
 * @inst: The instance.
 *
 * Return: false if there is none, or it can stay where it is.
 */
bool twheel_dispatch_orphan(struct twheel_instance *inst)
{
	struct twheel_expiry *expiry;

	lockdep_assert_held(&inst->lock);
	if (inst->config.dispatch != TWHEEL_BY_ID || !inst->pool.nr_places)
		return false;
	expiry = twheel_returns_first(&inst->pool.returns);
	if (!expiry)
		return false;
	twheel_returns_del(expiry);
	twheel_dispatch_return(inst, twheel_timer_of(expiry));
	return true;
}

/**
 * twheel_dispatch_withdraw() - take a timer from where its expiry waits
 * @inst: The instance; not TWHEEL_BROADCAST.
 * @timer: The timer.
 * @from: Where it is: TWHEEL_DUE or TWHEEL_QUEUED.
 *
 * The owner, if there is one, stays noted in the expiry.
 */
void twheel_dispatch_withdraw(struct twheel_instance *inst,
			      struct twheel_timer *timer, u32 from)
{
	struct twheel_expiry *expiry = twheel_expiry_of(timer);
	struct twheel_consumer *owner = expiry->owner;

	lockdep_assert_held(&inst->lock);
	if (expiry->returns) {
		twheel_returns_del(expiry);
	} else if (from == TWHEEL_DUE) {
		list_del(&timer->node.link);
		if (owner)
			owner->nr_due--;
	} else if (owner) {
		twheel_line_withdraw(&owner->line, &expiry->seat);
		twheel_dispatch_refill(owner);
	} else {
		twheel_queue_withdraw(&inst->queue);
	}
}
