/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk over all that the readers of an instance have, against its counters
 */
#ifndef TWHEEL_POOL_CHECK_H
#define TWHEEL_POOL_CHECK_H

#include "instance_fixture.h"

/**
 * struct pool_sums - what the walk has found
 * @readers: Readers.
 * @seated: In lines.
 * @due: DUE timers that wait for a reader, or came back.
 * @held: Leases.
 * @dead_held: Of these, of dead expiries.
 */
struct pool_sums {
	u64 readers;
	u64 seated;
	u64 due;
	u64 held;
	u64 dead_held;
};

static inline u64 pool_count(const struct list_head *head)
{
	const struct list_head *link;
	u64 nr = 0;

	for (link = head->next; link != head; link = link->next)
		nr++;
	return nr;
}

static inline u64 pool_check_returns(struct kunit *test,
				     const struct twheel_returns *returns)
{
	const struct rb_node *node = rb_first_cached(&returns->tree);
	const struct twheel_expiry *expiry;
	u64 nr = 0, last = 0;

	for (; node; node = rb_next(node)) {
		expiry = rb_entry(node, struct twheel_expiry, returned);
		KUNIT_EXPECT_PTR_EQ(test, expiry->returns, returns);
		KUNIT_EXPECT_GT(test, expiry->order, last);
		last = expiry->order;
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr, returns->live);
	return nr;
}

static inline void pool_check_tally(struct kunit *test,
				    const struct twheel_consumer *c)
{
	const struct twheel_tally *t = &c->tally;

	KUNIT_EXPECT_EQ_MSG(test, t->given,
			    t->delivered + t->withdrawn + t->dropped + t->dead +
			    t->passed_on + c->line.live + c->returns.live +
			    c->nr_due + c->nr_held, "reader %u", c->number);
}

static inline void pool_check_held(struct kunit *test,
				   const struct twheel_consumer *c,
				   struct pool_sums *sums)
{
	struct twheel_expiry *expiry;

	list_for_each_entry(expiry, &c->held, held) {
		KUNIT_EXPECT_PTR_EQ(test, expiry->owner, c);
		KUNIT_EXPECT_EQ(test, twheel_timer_of(expiry)->node.state,
				TWHEEL_DELIVERED);
		sums->dead_held += expiry->dead;
	}
	KUNIT_EXPECT_EQ(test, pool_count(&c->held), c->nr_held);
	sums->held += c->nr_held;
}

static inline void pool_check_reader(struct kunit *test,
				     const struct twheel_consumer *c,
				     struct pool_sums *sums)
{
	const struct twheel_config *config = &c->inst->config;

	KUNIT_EXPECT_EQ(test, pool_count(&c->line.seats), c->line.live);
	KUNIT_EXPECT_LE(test, c->line.live, c->line.len);
	KUNIT_EXPECT_EQ(test, pool_count(&c->due), c->nr_due);
	/* Nothing waits for a place while there is one. */
	if (c->nr_due)
		KUNIT_EXPECT_EQ(test, c->line.live, c->line.len);
	if (config->dispatch == TWHEEL_BROADCAST && c->copies)
		KUNIT_EXPECT_EQ(test, pool_count(&c->spare) + c->line.live,
				config->queue_len);
	sums->readers += !!c->number;
	sums->seated += c->line.live;
	sums->due += c->nr_due + pool_check_returns(test, &c->returns);
	pool_check_held(test, c, sums);
	if (c->inst->pooled)
		pool_check_tally(test, c);
}

static inline void pool_check(struct kunit *test, struct twheel_instance *inst)
{
	const u64 *in_state = inst->books.in_state;
	struct twheel_consumer *c;
	struct pool_sums sums = { 0 };

	list_for_each_entry(c, &inst->pool.consumers, link)
		pool_check_reader(test, c, &sums);
	sums.due += pool_count(&inst->due);
	sums.due += pool_check_returns(test, &inst->pool.returns);
	KUNIT_EXPECT_EQ(test, sums.readers, inst->pool.readers);
	KUNIT_EXPECT_EQ(test, sums.due, in_state[TWHEEL_DUE]);
	KUNIT_EXPECT_EQ(test, sums.held, in_state[TWHEEL_DELIVERED]);
	KUNIT_EXPECT_EQ(test, sums.dead_held, inst->pool.dead_held);
	KUNIT_EXPECT_EQ(test, pool_count(&inst->pool.dead),
			in_state[TWHEEL_DEAD]);
	if (inst->config.dispatch == TWHEEL_BROADCAST)
		KUNIT_EXPECT_EQ(test, sums.seated, inst->pool.copies);
	else
		KUNIT_EXPECT_EQ(test, sums.seated + inst->queue.live,
				in_state[TWHEEL_QUEUED]);
	KUNIT_EXPECT_EQ(test, inst->index.nr,
			in_state[TWHEEL_ARMED] + in_state[TWHEEL_DUE] +
			in_state[TWHEEL_QUEUED] + in_state[TWHEEL_DELIVERED] +
			in_state[TWHEEL_DEAD]);
	stats(test);
}

#endif /* TWHEEL_POOL_CHECK_H */
