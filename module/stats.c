// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics: of an instance, and of each of its readers
 */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "broadcast.h"
#include "compat.h"
#include "instance.h"

/* Void tickets that are cleared away between two looks at the statistics. */
#define STATS_STEPS	256

static const struct twheel_consumer *find_reader(const struct twheel_pool *pool,
						 u32 from)
{
	const struct twheel_consumer *consumer;

	list_for_each_entry(consumer, &pool->consumers, link)
		if (consumer->number && consumer->number >= from)
			return consumer;
	return NULL;
}

/* When the oldest that waits for this reader alone has expired, or U64_MAX. */
static u64 oldest_of(const struct twheel_consumer *consumer)
{
	const struct twheel_seat *seat = twheel_line_first(&consumer->line);
	const struct twheel_expiry *expiry;
	u64 fired = U64_MAX;

	if (consumer->inst->config.dispatch == TWHEEL_BROADCAST)
		return twheel_broadcast_oldest(consumer);
	if (seat)
		fired = container_of(seat, struct twheel_expiry, seat)->fired;
	expiry = twheel_returns_first(&consumer->returns);
	return expiry ? min(fired, expiry->fired) : fired;
}

/* The same of all who read from lines or get what came back. */
static u64 oldest_of_all(const struct twheel_instance *inst)
{
	const struct twheel_expiry *expiry;
	u64 fired = U64_MAX;
	u32 i;

	expiry = twheel_returns_first(&inst->pool.returns);
	if (expiry)
		fired = expiry->fired;
	for (i = 0; i < inst->pool.nr_places; i++)
		fired = min(fired, oldest_of(inst->pool.place[i]));
	return fired;
}

static void fill_reader(const struct twheel_consumer *consumer, u64 now,
			struct twheel_stats *stats)
{
	const struct twheel_tally *tally = &consumer->tally;
	u64 oldest = oldest_of(consumer);

	*stats = (struct twheel_stats) {
		.expired = tally->given,
		.delivered = tally->delivered,
		.withdrawn = tally->withdrawn,
		.dropped = tally->dropped,
		.dead = tally->dead,
		.waiting = consumer->line.live + consumer->returns.live +
			   consumer->nr_due,
		.queued = consumer->line.live,
		.oldest_ns = oldest == U64_MAX ? 0 : now - oldest,
		.in_flight = consumer->nr_held,
		.redelivered = tally->redelivered,
		.rejected = tally->rejected,
		.lapsed = tally->lapsed,
		.stolen = tally->stolen,
		.passed_on = tally->passed_on,
		.reader = consumer->number,
		.shut_down = consumer->inst->shut,
	};
}

/**
 * twheel_consumer_stats() - the statistics of a reader
 * @inst: The instance.
 * @stats: Its reader says from which number on; on return, the statistics.
 *
 * Context: Process context.
 * Return: 0 or -ENOENT.
 */
int twheel_consumer_stats(struct twheel_instance *inst,
			  struct twheel_stats *stats)
{
	const struct twheel_consumer *consumer;
	int ret = -ENOENT;

	spin_lock_bh(&inst->lock);
	consumer = find_reader(&inst->pool, stats->reader);
	if (consumer) {
		fill_reader(consumer, inst->clock->ops->now(inst->clock),
			    stats);
		ret = 0;
	}
	spin_unlock_bh(&inst->lock);
	return ret;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_consumer_stats);

/* Age of the oldest expiry that waits; false if that is not known yet. */
static bool oldest_age(struct twheel_instance *inst, u64 *age)
{
	struct twheel_timer *timer;
	u32 budget = STATS_STEPS;
	u64 dropped, fired = oldest_of_all(inst);

	timer = twheel_queue_first(&inst->queue, &dropped, &budget);
	if (timer)
		fired = min(fired, timer->node.expires);
	*age = 0;
	if (fired != U64_MAX)
		*age = inst->clock->ops->now(inst->clock) - fired;
	return timer || budget;
}

static void fill_stats(struct twheel_instance *inst, struct twheel_stats *stats)
{
	const struct twheel_books *books = &inst->books;

	lockdep_assert_held(&inst->lock);
	stats->timers = inst->index.nr;
	stats->armed = books->in_state[TWHEEL_ARMED];
	stats->started = inst->counts.started;
	stats->reset = inst->counts.reset;
	stats->stopped = inst->counts.stopped;
	stats->expired = books->expired;
	stats->delivered = books->delivered;
	stats->withdrawn = books->withdrawn;
	stats->dropped = books->dropped;
	stats->dead = books->in_state[TWHEEL_DEAD];
	stats->waiting = twheel_instance_waiting(inst);
	stats->queued = twheel_instance_queued(inst);
	stats->in_flight = books->in_state[TWHEEL_DELIVERED];
	stats->redelivered = inst->pool.redelivered;
	stats->rejected = inst->pool.rejected;
	stats->lapsed = inst->pool.lapsed;
	stats->stolen = inst->pool.stolen;
	stats->readers = inst->pool.readers;
	stats->shut_down = inst->shut;
	stats->migrated = inst->wheel ? inst->wheel->migrated : 0;
	stats->passes = inst->counts.passes;
	stats->programmed = inst->counts.programmed;
	stats->postponed = inst->counts.postponed;
}

/**
 * twheel_instance_stats() - the statistics of an instance
 * @inst: The instance.
 * @stats: Result.
 *
 * All of it is of one moment.
 *
 * Context: May sleep.
 */
void twheel_instance_stats(struct twheel_instance *inst,
			   struct twheel_stats *stats)
{
	u64 age;

	memset(stats, 0, sizeof(*stats));
	spin_lock_bh(&inst->lock);
	while (!oldest_age(inst, &age)) {
		spin_unlock_bh(&inst->lock);
		cond_resched();
		spin_lock_bh(&inst->lock);
	}
	stats->oldest_ns = age;
	fill_stats(inst, stats);
	spin_unlock_bh(&inst->lock);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_stats);
