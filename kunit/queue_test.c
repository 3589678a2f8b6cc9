// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the queue of expiries
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "../module/compat.h"
#include "../module/queue.h"
#include "test_random.h"

static ulong ops = 100000;
module_param(ops, ulong, 0444);
MODULE_PARM_DESC(ops, "Random operations; each model does a tenth of them");

#define TIMERS 200

/* Of the model: as many as the longest run of drops needs. */
#define TOKENS 4096

/**
 * struct fixture - what a case works with
 * @queue: A queue.
 * @index: Where it looks tickets up.
 * @timer: Timers, in the index.
 * @generation: Armings so far.
 * @random: For the model.
 * @live: Timers that are queued, by the model.
 * @sequence: Of the last record, by the model.
 * @token: The model: what is in the queue, oldest first.  A timer, or NULL for
 *	an expiry that was dropped.
 * @tokens: Their number.
 */
struct fixture {
	struct twheel_queue queue;
	struct twheel_index index;
	struct twheel_timer timer[TIMERS];
	u64 generation;
	struct test_random random;
	u32 live;
	u64 sequence;
	struct twheel_timer *token[TOKENS];
	u32 tokens;
};

static int queue_init(struct kunit *test)
{
	struct fixture *f = vzalloc(sizeof(*f));
	struct twheel_index_spot spot;
	u32 i;

	if (!f)
		return -ENOMEM;
	test->priv = f;
	if (twheel_index_init(&f->index, TIMERS, 0x1234567))
		return -ENOMEM;
	for (i = 0; i < TIMERS; i++) {
		twheel_index_seek(&f->index, i, &spot);
		f->timer[i].entry.id = i;
		twheel_index_add(&f->index, &f->timer[i].entry, &spot);
	}
	return 0;
}

static void queue_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (f) {
		twheel_queue_destroy(&f->queue);
		twheel_index_destroy(&f->index);
	}
	vfree(f);
}

static void setup(struct kunit *test, u32 len)
{
	struct fixture *f = test->priv;

	twheel_queue_destroy(&f->queue);
	KUNIT_ASSERT_EQ(test, twheel_queue_init(&f->queue, len), 0);
	f->queue.index = &f->index;
}

/* A timer of a new arming expires and gets a place. */
static void put(struct fixture *f, u32 nr)
{
	f->timer[nr].generation = ++f->generation;
	f->timer[nr].node.state = TWHEEL_QUEUED;
	twheel_queue_put(&f->queue, &f->timer[nr]);
}

/* A timer is stopped while it is queued. */
static void withdraw(struct fixture *f, u32 nr)
{
	f->timer[nr].node.state = TWHEEL_FREE;
	twheel_queue_withdraw(&f->queue);
}

/* Read a record; return the timer's number, or TIMERS if there is none. */
static u32 deliver(struct fixture *f, u64 *dropped)
{
	struct twheel_timer *timer;
	u32 budget = U32_MAX;

	timer = twheel_queue_first(&f->queue, dropped, &budget);
	if (!timer)
		return TIMERS;
	timer->node.state = TWHEEL_FREE;
	twheel_queue_deliver(&f->queue, *dropped);
	return timer - f->timer;
}

static void expect_record(struct kunit *test, u32 nr, u64 dropped)
{
	struct fixture *f = test->priv;
	u64 before = f->queue.sequence, lost;

	KUNIT_ASSERT_EQ(test, deliver(f, &lost), nr);
	KUNIT_EXPECT_EQ_MSG(test, lost, dropped, "timer %u", nr);
	KUNIT_EXPECT_EQ_MSG(test, f->queue.sequence, before + 1 + dropped,
			    "timer %u", nr);
}

static void expect_empty(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 dropped;

	KUNIT_EXPECT_EQ(test, f->queue.live, 0);
	KUNIT_EXPECT_EQ(test, deliver(f, &dropped), TIMERS);
}

static void first_in_first_out(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 round, i;

	setup(test, 5);
	for (round = 0; round < 30; round++) {
		for (i = 0; i < 5; i++) {
			KUNIT_EXPECT_FALSE(test, twheel_queue_full(&f->queue));
			put(f, i);
		}
		KUNIT_EXPECT_TRUE(test, twheel_queue_full(&f->queue));
		for (i = 0; i < 5; i++)
			expect_record(test, i, 0);
		expect_empty(test);
	}
}

static void withdrawn_is_not_read(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	setup(test, 8);
	for (i = 0; i < 8; i++)
		put(f, i);
	withdraw(f, 0);
	withdraw(f, 3);
	withdraw(f, 7);
	KUNIT_EXPECT_EQ(test, f->queue.live, 5);
	for (i = 1; i < 7; i++)
		if (i != 3)
			expect_record(test, i, 0);
	expect_empty(test);
}

/* The ticket of an earlier arming is void, though the timer is queued again. */
static void earlier_arming_is_not_read(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup(test, 8);
	put(f, 0);
	put(f, 1);
	withdraw(f, 0);
	put(f, 0);
	expect_record(test, 1, 0);
	expect_record(test, 0, 0);
	expect_empty(test);
}

/* A stopped timer is not even in the index any more. */
static void forgotten_timer_is_not_read(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup(test, 8);
	put(f, 0);
	put(f, 1);
	withdraw(f, 0);
	twheel_index_del(&f->index, &f->timer[0].entry);
	expect_record(test, 1, 0);
	expect_empty(test);
}

/* Withdrawals without end behind a head that nobody reads. */
static void unread_head_and_withdrawals(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i, k;

	setup(test, 8);
	put(f, 0);
	for (i = 0; i < 700; i++) {
		for (k = 1; k < 8; k++)
			put(f, k);
		KUNIT_ASSERT_TRUE(test, twheel_queue_full(&f->queue));
		for (k = 0; k < 7; k++)
			withdraw(f, 1 + k * 3 % 7);
	}
	expect_record(test, 0, 0);
	expect_empty(test);
}

/*
 * Whatever a sweep has just moved is withdrawn, and nobody reads: the fifo that
 * is swept into fills up with void tickets, and must not overflow.
 */
static void withdrawals_behind_a_sweep(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 n, i;

	for (n = 0; n < 100; n++) {
		setup(test, 8);
		for (i = 0; i < 7; i++)
			put(f, i);
		for (i = 0; i < 9; i++) {
			put(f, TIMERS - 1);
			withdraw(f, TIMERS - 1);
		}
		for (i = 0; i < n; i++) {
			put(f, 7 + i);
			withdraw(f, i);
		}
		for (i = 0; i < 7; i++)
			expect_record(test, n + i, 0);
		expect_empty(test);
	}
}

static void drops_are_in_the_next_record(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 dropped;
	u32 budget = 10;

	setup(test, 4);
	put(f, 0);
	twheel_queue_drop_newest(&f->queue);
	twheel_queue_drop_newest(&f->queue);
	put(f, 1);
	twheel_queue_drop_newest(&f->queue);
	put(f, 2);
	put(f, 3);
	expect_record(test, 0, 0);
	expect_record(test, 1, 2);
	/* The oldest is dropped: what was dropped before it adds up. */
	KUNIT_EXPECT_PTR_EQ(test, twheel_queue_first(&f->queue, &dropped,
						     &budget), &f->timer[2]);
	KUNIT_EXPECT_EQ(test, dropped, 1);
	twheel_queue_drop_oldest(&f->queue, dropped);
	expect_record(test, 3, 2);
	expect_empty(test);
	KUNIT_EXPECT_EQ(test, f->queue.sequence, 7);
}

/* A drop count stays though the record that it was noted with is withdrawn. */
static void drops_outlive_a_void_ticket(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup(test, 4);
	twheel_queue_drop_newest(&f->queue);
	put(f, 0);
	twheel_queue_drop_newest(&f->queue);
	put(f, 1);
	withdraw(f, 0);
	withdraw(f, 1);
	twheel_queue_drop_newest(&f->queue);
	put(f, 2);
	expect_record(test, 2, 3);
	expect_empty(test);
}

/* Half of them were swept, and nothing is left in front of the rest. */
static void drops_outlive_a_sweep_under_way(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	setup(test, 4);
	for (i = 0; i < 8; i++) {
		twheel_queue_drop_newest(&f->queue);
		put(f, i);
		withdraw(f, i);
	}
	put(f, 9);
	KUNIT_EXPECT_TRUE(test, f->queue.sweeping);
	expect_record(test, 9, 8);
	expect_empty(test);
}

static void budget_bounds_void_tickets(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 dropped = 0;
	u32 budget, i;

	setup(test, 100);
	for (i = 0; i < 100; i++)
		put(f, i);
	for (i = 0; i < 99; i++)
		withdraw(f, i);
	budget = 40;
	KUNIT_EXPECT_NULL(test, twheel_queue_first(&f->queue, &dropped,
						   &budget));
	KUNIT_EXPECT_EQ(test, budget, 0);
	budget = 100;
	KUNIT_EXPECT_PTR_EQ(test, twheel_queue_first(&f->queue, &dropped,
						     &budget), &f->timer[99]);
	/* The 59 that were left, and what was found costs nothing. */
	KUNIT_EXPECT_EQ(test, budget, 41);
}

static void empty_queue_costs_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 dropped = 0;
	u32 budget = 10, i;

	setup(test, 100);
	for (i = 0; i < 100; i++) {
		put(f, i);
		withdraw(f, i);
	}
	KUNIT_EXPECT_NULL(test, twheel_queue_first(&f->queue, &dropped,
						   &budget));
	KUNIT_EXPECT_EQ(test, budget, 10);
}

/* The model: remove the token at @position. */
static void remove_token(struct fixture *f, u32 position)
{
	f->tokens--;
	memmove(&f->token[position], &f->token[position + 1],
		(f->tokens - position) * sizeof(f->token[0]));
}

static u32 first_live_token(const struct fixture *f)
{
	u32 i = 0;

	while (i < f->tokens && !f->token[i])
		i++;
	return i;
}

/* A timer expires, or one that is queued is stopped. */
static void model_expire_or_stop(struct kunit *test, u32 policy)
{
	struct fixture *f = test->priv;
	u32 nr = test_random_below(&f->random, TIMERS), i, budget = U32_MAX;
	struct twheel_timer *timer = &f->timer[nr];
	u64 dropped;

	if (timer->node.state == TWHEEL_QUEUED) {
		for (i = 0; f->token[i] != timer; i++)
			KUNIT_ASSERT_LT(test, i, f->tokens);
		remove_token(f, i);
		f->live--;
		return withdraw(f, nr);
	}
	KUNIT_ASSERT_LT(test, f->tokens, TOKENS);
	KUNIT_ASSERT_EQ(test, twheel_queue_full(&f->queue),
			f->live == f->queue.len);
	if (f->live == f->queue.len && policy == TWHEEL_HOLD)
		return;
	if (f->live == f->queue.len && policy == TWHEEL_DROP_NEWEST) {
		f->token[f->tokens++] = NULL;
		return twheel_queue_drop_newest(&f->queue);
	}
	if (f->live == f->queue.len) {
		i = first_live_token(f);
		KUNIT_ASSERT_PTR_EQ(test, twheel_queue_first(&f->queue, &dropped,
							     &budget),
				    f->token[i]);
		f->token[i]->node.state = TWHEEL_FREE;
		f->token[i] = NULL;
		f->live--;
		twheel_queue_drop_oldest(&f->queue, dropped);
	}
	f->token[f->tokens++] = timer;
	f->live++;
	put(f, nr);
}

static void model_read(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 dropped = first_live_token(f), i;

	if (dropped == f->tokens)
		return expect_empty(test);
	f->sequence += dropped + 1;
	expect_record(test, f->token[dropped] - f->timer, dropped);
	KUNIT_ASSERT_EQ(test, f->queue.sequence, f->sequence);
	for (i = 0; i <= dropped; i++)
		remove_token(f, 0);
	f->live--;
}

static const struct model {
	const char *name;
	u32 policy;
	u32 len;
} models[] = {
	{ "HOLD, 1", TWHEEL_HOLD, 1 },
	{ "HOLD, 64", TWHEEL_HOLD, 64 },
	{ "DROP_NEWEST, 1", TWHEEL_DROP_NEWEST, 1 },
	{ "DROP_NEWEST, 8", TWHEEL_DROP_NEWEST, 8 },
	{ "DROP_OLDEST, 8", TWHEEL_DROP_OLDEST, 8 },
	{ "DROP_OLDEST, 50", TWHEEL_DROP_OLDEST, 50 },
};

static void describe_model(const struct model *m, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", m->name);
}

KUNIT_ARRAY_PARAM(model, models, describe_model);

/* Against a list: the order, what is dropped, and the sequence numbers. */
static void model_of_a_list(struct kunit *test)
{
	const struct model *m = test->param_value;
	struct fixture *f = test->priv;
	u32 share = 10;
	u64 i;

	test_random_init(test, &f->random, m - models);
	setup(test, m->len);
	for (i = 0; i < ops / 10 && test_random_more(&f->random); i++) {
		/* Readers that are away, slow or busy, in turns. */
		if (i % 500 == 0)
			share = (i / 500 % 3) * 25;
		/* The model has to end: nobody was away for that long. */
		if (test_random_below(&f->random, 100) < share ||
		    f->tokens > TOKENS / 2)
			model_read(test);
		else
			model_expire_or_stop(test, m->policy);
		KUNIT_ASSERT_EQ(test, f->queue.live, f->live);
		if (i % 1024 == 0)
			cond_resched();
	}
	while (f->live)
		model_read(test);
	expect_empty(test);
	TEST_RANDOM_EXPECT_GT(test, f->sequence, ops / 100);
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(first_in_first_out),
	KUNIT_CASE(withdrawn_is_not_read),
	KUNIT_CASE(earlier_arming_is_not_read),
	KUNIT_CASE(forgotten_timer_is_not_read),
	KUNIT_CASE(unread_head_and_withdrawals),
	KUNIT_CASE(withdrawals_behind_a_sweep),
	KUNIT_CASE(drops_are_in_the_next_record),
	KUNIT_CASE(drops_outlive_a_void_ticket),
	KUNIT_CASE(drops_outlive_a_sweep_under_way),
	KUNIT_CASE(budget_bounds_void_tickets),
	KUNIT_CASE(empty_queue_costs_nothing),
	KUNIT_CASE_PARAM(model_of_a_list, model_gen_params),
	{}
};

static struct kunit_suite queue_suite = {
	.name = "twheel_queue",
	.init = queue_init,
	.exit = queue_exit,
	.test_cases = queue_cases,
};

kunit_test_suite(queue_suite);

MODULE_DESCRIPTION("Tests of the queue of expiries");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
