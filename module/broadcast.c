// SPDX-License-Identifier: GPL-2.0
/*
 * TWHEEL_BROADCAST: every reader gets a copy of each expiry
 *
 * A copy takes one of the reader's places, and comes from memory that the reader
 * brought: so a slow one costs itself its own expiries, and nobody else
 * anything.  A one-shot timer is QUEUED until its last copy is gone.  A
 * periodic one runs on when the first reader has read; a reader that still has
 * a copy by the next expiry gets no second one, but finds more expirations in
 * the first.
 *
 * The books count copies.  This file does that itself where
 * twheel_timer_step(), which knows of the timer only, does not.
 */
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>

#include "arm.h"
#include "broadcast.h"
#include "compat.h"
#include "dispatch.h"
#include "gfp.h"
#include "trace.h"

static struct twheel_copy *to_copy(struct twheel_seat *seat)
{
	return container_of(seat, struct twheel_copy, seat);
}

/**
 * twheel_copies_new() - memory for the copies of a reader
 * @nr: How many, from 1.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: The memory, for kvfree(), or NULL.
 */
struct twheel_copy *twheel_copies_new(u32 nr)
{
	return kvcalloc(nr, sizeof(struct twheel_copy), TWHEEL_GFP);
}

/**
 * twheel_copies_install() - put the copies of a reader where it takes them from
 * @consumer: The reader; its copies are what twheel_copies_new() returned.
 * @nr: How many.
 */
void twheel_copies_install(struct twheel_consumer *consumer, u32 nr)
{
	struct twheel_copy *copies = consumer->copies;
	u32 i;

	INIT_LIST_HEAD(&consumer->spare);
	for (i = 0; i < nr; i++) {
		copies[i].reader = consumer;
		list_add_tail(&copies[i].seat.link, &consumer->spare);
	}
}

/* @copy has left its line. */
static void free_copy(struct twheel_copy *copy)
{
	list_del(&copy->sibling);
	list_add(&copy->seat.link, &copy->reader->spare);
	copy->reader->inst->pool.copies--;
}

/* Whether all that is left to do with an expiry is done. */
static bool is_read_by_all(struct twheel_expiry *expiry)
{
	return twheel_timer_of(expiry)->node.state == TWHEEL_QUEUED &&
	       list_empty(&expiry->copies);
}

/* A period, or the only one, is over for all readers, or for the first. */
static void settle(struct twheel_instance *inst, struct twheel_timer *timer,
		   u64 now, struct list_head *freed)
{
	twheel_timer_step(timer, TWHEEL_STEP_SETTLE, &inst->books);
	twheel_settle(inst, timer, twheel_timer_expirations(timer, now), now,
		      freed);
}

/* A copy has gone without being read; if it was the last, the expiry is over. */
static void settle_unread(struct twheel_instance *inst,
			  struct twheel_expiry *expiry, u64 now,
			  struct list_head *freed)
{
	struct twheel_timer *timer = twheel_timer_of(expiry);

	if (!is_read_by_all(expiry))
		return;
	twheel_timer_step(timer, TWHEEL_STEP_SETTLE, &inst->books);
	twheel_settle_unread(inst, timer, now, freed);
}

static void drop_oldest(struct twheel_consumer *consumer, u64 now,
			struct list_head *freed)
{
	struct twheel_copy *copy = to_copy(twheel_line_first(&consumer->line));
	struct twheel_expiry *expiry = copy->expiry;

	trace_twheel_drop(twheel_timer_of(expiry), now);
	twheel_line_drop_oldest(&consumer->line);
	free_copy(copy);
	settle_unread(consumer->inst, expiry, now, freed);
}

static void put_copy(struct twheel_consumer *consumer,
		     struct twheel_timer *timer)
{
	struct twheel_expiry *expiry = twheel_expiry_of(timer);
	struct twheel_copy *copy;

	copy = list_first_entry(&consumer->spare, struct twheel_copy,
				seat.link);
	list_del(&copy->seat.link);
	copy->expiry = expiry;
	copy->deadline = timer->deadline;
	copy->fired = expiry->fired;
	list_add_tail(&copy->sibling, &expiry->copies);
	twheel_line_put(&consumer->line, &copy->seat);
	consumer->inst->pool.copies++;
	twheel_call(consumer);
}

/* A copy for @consumer, or what the overflow policy says. */
static void give_copy(struct twheel_consumer *consumer,
		      struct twheel_timer *timer, u64 now,
		      struct list_head *freed)
{
	struct twheel_instance *inst = consumer->inst;

	consumer->tally.given++;
	if (twheel_line_full(&consumer->line)) {
		consumer->tally.dropped++;
		inst->books.dropped++;
		if (inst->config.overflow == TWHEEL_DROP_NEWEST) {
			trace_twheel_drop(timer, now);
			twheel_line_drop_newest(&consumer->line);
			return;
		}
		drop_oldest(consumer, now, freed);
	}
	put_copy(consumer, timer);
}

/* The places that have an unread copy, a bit for each. */
static u64 places_of(const struct twheel_expiry *expiry)
{
	const struct twheel_copy *copy;
	u64 places = 0;

	list_for_each_entry(copy, &expiry->copies, sibling)
		if (copy->reader->place != TWHEEL_NO_PLACE)
			places |= BIT_ULL(copy->reader->place);
	return places;
}

/**
 * twheel_broadcast_one() - give copies of the oldest expiry to the readers
 * @inst: The instance, with a DUE timer and a reader at least.
 * @now: The time, ns.
 * @freed: As in twheel_settle().
 *
 * A step for each reader.
 */
void twheel_broadcast_one(struct twheel_instance *inst, u64 now,
			  struct list_head *freed)
{
	struct twheel_timer *timer = twheel_take_due(inst);
	struct twheel_expiry *expiry = twheel_expiry_of(timer);
	u64 places = places_of(expiry);
	u32 i, given = 0;

	lockdep_assert_held(&inst->lock);
	/* In state DUE until all have theirs, so that no drop settles it. */
	for (i = 0; i < inst->pool.nr_places; i++) {
		if (places & BIT_ULL(i))
			continue;
		give_copy(inst->pool.place[i], timer, now, freed);
		given++;
	}
	twheel_timer_step(timer, TWHEEL_STEP_QUEUE, &inst->books);
	/* It has counted as one expiry so far. */
	if (given)
		inst->books.expired += given - 1;
	else
		inst->books.withdrawn++;
	settle_unread(inst, expiry, now, freed);
}

/**
 * twheel_broadcast_withdraw() - take back the copies that are unread
 * @inst: The instance.
 * @timer: The timer; the step that ends its state was taken.
 * @from: The state that it was in.
 *
 * A step for each reader.
 *
 * Return: How many there were.
 */
u64 twheel_broadcast_withdraw(struct twheel_instance *inst,
			      struct twheel_timer *timer, u32 from)
{
	struct twheel_expiry *expiry = twheel_expiry_of(timer);
	struct twheel_copy *copy, *next;
	u64 nr = 0;

	lockdep_assert_held(&inst->lock);
	list_for_each_entry_safe(copy, next, &expiry->copies, sibling) {
		twheel_line_withdraw(&copy->reader->line, &copy->seat);
		copy->reader->tally.withdrawn++;
		free_copy(copy);
		nr++;
	}
	/* The step has counted one for a timer that was QUEUED. */
	inst->books.withdrawn += nr - (from == TWHEEL_QUEUED);
	return nr;
}

/* The copy that @consumer reads next. */
static struct twheel_copy *pick(struct twheel_consumer *consumer, bool drain)
{
	struct twheel_pool *pool = &consumer->inst->pool;
	struct twheel_seat *seat = twheel_line_first(&consumer->line);
	u32 i;

	for (i = 0; drain && !seat && i < pool->nr_places; i++)
		seat = twheel_line_first(&pool->place[i]->line);
	return seat ? to_copy(seat) : NULL;
}

/**
 * twheel_broadcast_first() - the timer whose expiry is delivered next
 * @consumer: To this reader.
 * @drain: From any reader's line.
 *
 * Return: The timer, or NULL.
 */
struct twheel_timer *twheel_broadcast_first(struct twheel_consumer *consumer,
					    bool drain)
{
	struct twheel_copy *copy = pick(consumer, drain);

	lockdep_assert_held(&consumer->inst->lock);
	return copy ? twheel_timer_of(copy->expiry) : NULL;
}

/* The periods from that of @copy to the last one before now. */
static u64 expirations(const struct twheel_copy *copy, u64 now)
{
	const struct twheel_timer *timer = twheel_timer_of(copy->expiry);
	u64 interval = twheel_timer_interval(timer);
	u64 next = timer->deadline;

	if (!interval)
		return 1;
	if (timer->node.state == TWHEEL_QUEUED)
		next += twheel_timer_expirations(timer, now) * interval;
	return max_t(u64, div64_u64(next - copy->deadline, interval), 1);
}

static void fill_event(const struct twheel_copy *copy, u64 now,
		       struct twheel_event *event)
{
	const struct twheel_timer *timer = twheel_timer_of(copy->expiry);
	u64 dropped = copy->seat.dropped;

	*event = (struct twheel_event) {
		.id = timer->entry.id,
		.data = timer->data,
		.generation = timer->generation,
		.sequence = copy->reader->line.sequence + dropped + 1,
		.deadline_ns = copy->deadline,
		.fired_ns = copy->fired,
		.expirations = expirations(copy, now),
		.dropped = dropped,
		.attempt = 1,
		.flags = (dropped ? TWHEEL_EVENT_DROPPED : 0) |
			 (twheel_timer_interval(timer) ? TWHEEL_EVENT_PERIODIC : 0),
	};
}

/* @copy was read by @consumer. */
static void delivered(struct twheel_consumer *consumer,
		      struct twheel_copy *copy, u64 now,
		      struct list_head *freed)
{
	struct twheel_instance *inst = consumer->inst;
	struct twheel_expiry *expiry = copy->expiry;
	struct twheel_timer *timer = twheel_timer_of(expiry);

	trace_twheel_deliver(timer, now);
	if (copy->reader != consumer) {
		copy->reader->tally.passed_on++;
		consumer->tally.given++;
	}
	consumer->tally.delivered++;
	inst->books.delivered++;
	twheel_line_deliver(&copy->reader->line, &copy->seat);
	free_copy(copy);
	if (is_read_by_all(expiry) || (twheel_timer_interval(timer) &&
				       timer->node.state == TWHEEL_QUEUED))
		settle(inst, timer, now, freed);
}

/**
 * twheel_broadcast_deliver() - deliver one record
 * @consumer: To this reader.
 * @drain: From any reader's line.
 * @receiver: Takes it.
 * @now: The time, ns.
 * @freed: As in twheel_settle().
 * @end: Why there is none, if there is none.
 *
 * Return: Whether there was one, and the receiver took it.
 */
bool twheel_broadcast_deliver(struct twheel_consumer *consumer, bool drain,
			      struct twheel_receiver *receiver, u64 now,
			      struct list_head *freed,
			      enum twheel_read_end *end)
{
	struct twheel_copy *copy = pick(consumer, drain);
	struct twheel_event event;

	lockdep_assert_held(&consumer->inst->lock);
	*end = TWHEEL_READ_EMPTY;
	if (!copy)
		return false;
	fill_event(copy, now, &event);
	*end = TWHEEL_READ_REFUSED;
	if (!receiver->take(receiver, &event))
		return false;
	delivered(consumer, copy, now, freed);
	*end = TWHEEL_READ_MORE;
	return true;
}

/**
 * twheel_broadcast_leave() - a reader that leaves gives up a copy
 * @consumer: The reader; it has no place any more.
 * @now: The time, ns.
 * @freed: As in twheel_settle().
 *
 * Return: false if it has none.
 */
bool twheel_broadcast_leave(struct twheel_consumer *consumer, u64 now,
			    struct list_head *freed)
{
	struct twheel_instance *inst = consumer->inst;
	struct twheel_copy *copy = pick(consumer, false);
	struct twheel_expiry *expiry;
	struct twheel_timer *timer;

	lockdep_assert_held(&inst->lock);
	if (!copy)
		return false;
	expiry = copy->expiry;
	timer = twheel_timer_of(expiry);
	twheel_line_withdraw(&consumer->line, &copy->seat);
	consumer->tally.withdrawn++;
	inst->books.withdrawn++;
	free_copy(copy);
	if (inst->pool.nr_places || timer->node.state != TWHEEL_QUEUED ||
	    !list_empty(&expiry->copies)) {
		settle_unread(inst, expiry, now, freed);
		return true;
	}
	/* Nobody is there any more: it waits for a reader. */
	twheel_timer_step(timer, TWHEEL_STEP_RETURN, &inst->books);
	inst->books.expired++;
	list_add_tail(&timer->node.link, &inst->due);
	return true;
}

/**
 * twheel_broadcast_oldest() - when the oldest copy of a reader expired
 * @consumer: The reader.
 *
 * Return: The time, ns, or U64_MAX if it has none.
 */
u64 twheel_broadcast_oldest(const struct twheel_consumer *consumer)
{
	struct twheel_seat *seat = twheel_line_first(&consumer->line);

	return seat ? to_copy(seat)->fired : U64_MAX;
}
