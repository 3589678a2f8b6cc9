// SPDX-License-Identifier: GPL-2.0
/*
 * Readers: who comes, who leaves, and what each of them has
 */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "broadcast.h"
#include "compat.h"
#include "dispatch.h"
#include "expiry.h"
#include "lease.h"

/* Expiries that are moved under one hold of the lock. */
#define MOVE_STEPS	64

static void consumer_init(struct twheel_instance *inst,
			  struct twheel_consumer *consumer, u32 flags,
			  void (*notify)(struct twheel_consumer *consumer))
{
	memset(consumer, 0, sizeof(*consumer));
	consumer->inst = inst;
	consumer->flags = flags;
	consumer->place = TWHEEL_NO_PLACE;
	consumer->notify = notify;
	twheel_line_init(&consumer->line, 0);
	INIT_LIST_HEAD(&consumer->due);
	INIT_LIST_HEAD(&consumer->held);
	INIT_LIST_HEAD(&consumer->spare);
}

/**
 * twheel_consumer_open() - the descriptor that opens an instance
 * @inst: The instance, which nobody else knows yet.
 * @consumer: Memory for what the instance has to know of it.
 * @notify: As in struct twheel_consumer.
 */
void twheel_consumer_open(struct twheel_instance *inst,
			  struct twheel_consumer *consumer,
			  void (*notify)(struct twheel_consumer *consumer))
{
	consumer_init(inst, consumer, 0, notify);
	consumer->number = 1;
	inst->pool.last_number = 1;
	inst->pool.readers = 1;
	inst->pool.opener = consumer;
	list_add(&consumer->link, &inst->pool.consumers);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_consumer_open);

/**
 * twheel_consumer_seat() - give a reader its place in the dispatch
 * @consumer: The reader.
 *
 * By the settings of the instance, which it does not know before.
 *
 * Context: The lock of the instance is held.
 */
void twheel_consumer_seat(struct twheel_consumer *consumer)
{
	struct twheel_instance *inst = consumer->inst;
	struct twheel_pool *pool = &inst->pool;

	lockdep_assert_held(&inst->lock);
	if (inst->config.dispatch == TWHEEL_SHARED)
		return;
	consumer->line.len = inst->config.queue_len;
	consumer->place = pool->nr_places;
	pool->place[pool->nr_places++] = consumer;
	if (inst->config.dispatch != TWHEEL_BROADCAST)
		return;
	/* Dropped while there was nobody: the first one to come is told. */
	consumer->line.dropped_tail = pool->dropped;
	pool->dropped = 0;
}

/* Copies that a reader has to bring. */
static u32 copies_wanted(const struct twheel_instance *inst)
{
	if (inst->config.dispatch != TWHEEL_BROADCAST)
		return 0;
	return inst->config.queue_len;
}

static int join_check(const struct twheel_instance *inst, u32 flags, u32 copies)
{
	/* The settings were others a moment ago. */
	if (copies != copies_wanted(inst))
		return -EAGAIN;
	if (flags & TWHEEL_READER_DEAD &&
	    inst->config.delivery != TWHEEL_AT_LEAST_ONCE)
		return -EINVAL;
	if (inst->shut)
		return -ESHUTDOWN;
	return inst->pool.readers < TWHEEL_READERS_MAX ? 0 : -ENOSPC;
}

/* The reader has just come: what waits for anybody may be read by it. */
static void join(struct twheel_instance *inst, struct twheel_consumer *consumer)
{
	lockdep_assert_held(&inst->lock);
	consumer->number = ++inst->pool.last_number;
	list_add_tail(&consumer->link, &inst->pool.consumers);
	inst->pool.readers++;
	if (!(consumer->flags & TWHEEL_READER_DEAD))
		twheel_consumer_seat(consumer);
}

/* What waited for a reader goes to those who are there now. */
static bool deal_orphans(struct twheel_instance *inst)
{
	LIST_HEAD(freed);
	bool more = true;
	u64 now;
	u32 i;

	spin_lock_bh(&inst->lock);
	now = inst->clock->ops->now(inst->clock);
	for (i = 0; i < MOVE_STEPS && more; i++)
		more = twheel_dispatch_orphan(inst);
	twheel_expiry_commit(inst, now, i, &freed);
	spin_unlock_bh(&inst->lock);
	twheel_timers_free(inst, &freed);
	return more;
}

/* -EAGAIN if the instance was set up anew meanwhile. */
static int try_join(struct twheel_instance *inst,
		    struct twheel_consumer *consumer)
{
	u32 nr = copies_wanted(inst);
	int ret;

	if (nr) {
		consumer->copies = twheel_copies_new(nr);
		if (!consumer->copies)
			return -ENOMEM;
		twheel_copies_install(consumer, nr);
	}
	spin_lock_bh(&inst->lock);
	ret = join_check(inst, consumer->flags, nr);
	if (!ret)
		join(inst, consumer);
	spin_unlock_bh(&inst->lock);
	if (ret)
		kvfree(consumer->copies);
	return ret;
}

/**
 * twheel_consumer_join() - a reader comes
 * @inst: The instance, set up.
 * @consumer: Memory for what the instance has to know of it.
 * @flags: What READER was given.
 * @notify: As in struct twheel_consumer.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: 0, -EINVAL, -ENOMEM, -ENOSPC or -ESHUTDOWN.
 */
int twheel_consumer_join(struct twheel_instance *inst,
			 struct twheel_consumer *consumer, u32 flags,
			 void (*notify)(struct twheel_consumer *consumer))
{
	int ret;

	do {
		consumer_init(inst, consumer, flags, notify);
		ret = try_join(inst, consumer);
	} while (ret == -EAGAIN);
	if (ret)
		return ret;
	while (deal_orphans(inst))
		cond_resched();
	return 0;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_consumer_join);

/* @consumer gets nothing any more. */
static void unseat(struct twheel_consumer *consumer)
{
	struct twheel_pool *pool = &consumer->inst->pool;
	u32 i, place = consumer->place;

	lockdep_assert_held(&consumer->inst->lock);
	if (place == TWHEEL_NO_PLACE)
		return;
	pool->nr_places--;
	for (i = place; i < pool->nr_places; i++) {
		pool->place[i] = pool->place[i + 1];
		pool->place[i]->place = i;
	}
	if (pool->turn > place)
		pool->turn--;
	if (pool->turn >= pool->nr_places)
		pool->turn = 0;
	consumer->place = TWHEEL_NO_PLACE;
}

/* @timer waited for @consumer, who leaves. */
static void return_waiting(struct twheel_consumer *consumer,
			   struct twheel_timer *timer)
{
	struct twheel_instance *inst = consumer->inst;
	u32 from = timer->node.state;

	twheel_dispatch_withdraw(inst, timer, from);
	if (from == TWHEEL_QUEUED)
		twheel_timer_step(timer, TWHEEL_STEP_RETURN, &inst->books);
	consumer->tally.passed_on++;
	twheel_dispatch_return(inst, timer);
}

/* The next expiry that waits for @consumer alone, or NULL. */
static struct twheel_timer *next_waiting(struct twheel_consumer *consumer)
{
	struct twheel_seat *seat = twheel_line_first(&consumer->line);
	struct twheel_expiry *expiry;

	if (seat)
		return twheel_timer_of(container_of(seat, struct twheel_expiry,
						    seat));
	expiry = twheel_returns_first(&consumer->returns);
	if (expiry)
		return twheel_timer_of(expiry);
	return list_first_entry_or_null(&consumer->due, struct twheel_timer,
					node.link);
}

/* Give one thing back that @consumer has; false if there is none. */
static bool give_up_one(struct twheel_consumer *consumer, u64 now,
			struct list_head *freed)
{
	struct twheel_instance *inst = consumer->inst;
	struct twheel_expiry *expiry;
	struct twheel_timer *timer;

	if (inst->config.dispatch == TWHEEL_BROADCAST)
		return twheel_broadcast_leave(consumer, now, freed);
	expiry = list_first_entry_or_null(&consumer->held, struct twheel_expiry,
					  held);
	if (expiry) {
		twheel_lease_return(inst, twheel_timer_of(expiry));
		return true;
	}
	timer = next_waiting(consumer);
	if (timer)
		return_waiting(consumer, timer);
	return timer;
}

static bool give_up_some(struct twheel_consumer *consumer)
{
	struct twheel_instance *inst = consumer->inst;
	LIST_HEAD(freed);
	bool more = true;
	u64 now;
	u32 i;

	spin_lock_bh(&inst->lock);
	now = inst->clock->ops->now(inst->clock);
	unseat(consumer);
	for (i = 0; i < MOVE_STEPS && more; i++)
		more = give_up_one(consumer, now, &freed);
	if (inst->wheel)
		twheel_expiry_commit(inst, now, i, &freed);
	spin_unlock_bh(&inst->lock);
	twheel_timers_free(inst, &freed);
	return more;
}

/**
 * twheel_consumer_leave() - a reader leaves
 * @consumer: The reader; nobody uses it any more.
 *
 * What it had goes to the others, in steps.
 *
 * Context: May sleep.
 */
void twheel_consumer_leave(struct twheel_consumer *consumer)
{
	struct twheel_instance *inst = consumer->inst;

	while (give_up_some(consumer))
		cond_resched();
	spin_lock_bh(&inst->lock);
	/* With TWHEEL_BROADCAST they were its own, and are nobody else's. */
	if (inst->config.dispatch != TWHEEL_BROADCAST)
		inst->pool.dropped += consumer->line.dropped_tail;
	list_del(&consumer->link);
	inst->pool.readers -= !!consumer->number;
	if (inst->pool.opener == consumer)
		inst->pool.opener = NULL;
	spin_unlock_bh(&inst->lock);
	kvfree(consumer->copies);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_consumer_leave);

/**
 * twheel_consumer_readable() - whether a read would find something
 * @consumer: The reader.
 *
 * Context: Any; without the lock it is a hint, and who waits is woken when it
 * has become true.
 */
bool twheel_consumer_readable(const struct twheel_consumer *consumer)
{
	const struct twheel_instance *inst = consumer->inst;
	const struct twheel_config *config = &inst->config;

	if (consumer->flags & TWHEEL_READER_DEAD)
		return READ_ONCE(inst->books.in_state[TWHEEL_DEAD]);
	if (READ_ONCE(inst->queue.live) || READ_ONCE(consumer->line.live) ||
	    READ_ONCE(consumer->returns.live))
		return true;
	if (config->dispatch == TWHEEL_BY_ID)
		return false;
	return READ_ONCE(inst->pool.returns.live) ||
	       (config->flags & TWHEEL_STEAL &&
		READ_ONCE(inst->books.in_state[TWHEEL_QUEUED]));
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_consumer_readable);

/**
 * twheel_consumer_drainable() - whether a drain would find something
 * @consumer: Who drains.
 *
 * Context: Any; a hint, as twheel_consumer_readable() is.
 */
bool twheel_consumer_drainable(const struct twheel_consumer *consumer)
{
	const struct twheel_instance *inst = consumer->inst;

	if (consumer->flags & TWHEEL_READER_DEAD)
		return READ_ONCE(inst->books.in_state[TWHEEL_DEAD]);
	return twheel_instance_waiting(inst);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_consumer_drainable);
