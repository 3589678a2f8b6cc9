// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of batches: what SUBMIT does, short of user memory
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "instance_fixture.h"
#include "test_random.h"

#define BATCH 64

/**
 * struct pair - two instances that are to behave alike
 * @batch: Gets operations in batches.
 * @single: Gets the same ones by single calls.
 * @ops: A batch.
 * @results: Its results.
 */
struct pair {
	struct fixture *batch;
	struct fixture *single;
	struct twheel_op ops[BATCH];
	struct twheel_result results[BATCH];
};

static int batch_init(struct kunit *test)
{
	struct pair *pair = vzalloc(sizeof(*pair));
	int ret;

	if (!pair)
		return -ENOMEM;
	ret = fixture_init_for(test, 1000 * TICK + 5, 4000000);
	pair->batch = test->priv;
	if (!ret)
		ret = fixture_init_for(test, 1000 * TICK + 5, 4000001);
	pair->single = test->priv;
	test->priv = pair;
	return ret;
}

static void batch_exit(struct kunit *test)
{
	struct pair *pair = test->priv;

	if (!pair)
		return;
	test->priv = pair->batch;
	fixture_exit(test);
	test->priv = pair->single;
	fixture_exit(test);
	vfree(pair);
}

static void operate(struct pair *pair, u32 nr)
{
	memset(pair->results, 0xaa, sizeof(pair->results));
	twheel_instance_operate(&pair->batch->inst, NULL, pair->ops, pair->results,
				nr);
}

static void expect_memory(struct kunit *test, const struct pair *pair)
{
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&pair->batch->account->timers),
			pair->batch->inst.index.nr);
}

/* What a single call says, in the words of a batch. */
static struct twheel_result single_start(struct fixture *f,
					 const struct twheel_op *op)
{
	struct twheel_start req = {
		.id = op->id,
		.time_ns = op->time_ns,
		.interval_ns = op->interval_ns,
		.data = op->data,
		.slack_ns = op->slack_ns,
		.flags = op->flags,
	};
	int ret = twheel_instance_start(&f->inst, &req);

	if (ret)
		return (struct twheel_result) { .error = ret };
	return (struct twheel_result) {
		.outcome = req.outcome,
		.generation = req.generation,
		.remaining_ns = req.remaining_ns,
		.deadline_ns = req.deadline_ns,
	};
}

static struct twheel_result single_stop(struct fixture *f,
					const struct twheel_op *op)
{
	int ret = stop(f, op->id);

	if (ret)
		return (struct twheel_result) { .error = ret };
	return (struct twheel_result) {
		.outcome = f->stop.outcome,
		.generation = f->stop.generation,
		.remaining_ns = f->stop.remaining_ns,
		.data = f->stop.data,
	};
}

static struct twheel_result single_reset(struct fixture *f,
					 const struct twheel_op *op)
{
	int ret = reset(f, op->id, op->time_ns, op->flags);

	if (ret)
		return (struct twheel_result) { .error = ret };
	return (struct twheel_result) {
		.outcome = f->reset.outcome,
		.generation = f->reset.generation,
		.remaining_ns = f->reset.remaining_ns,
		.deadline_ns = f->reset.deadline_ns,
	};
}

static struct twheel_result single_get(struct fixture *f,
				       const struct twheel_op *op)
{
	int ret = get(f, op->id);

	if (ret)
		return (struct twheel_result) { .error = ret };
	return (struct twheel_result) {
		.outcome = f->get.state,
		.generation = f->get.generation,
		.remaining_ns = f->get.remaining_ns,
		.deadline_ns = f->get.deadline_ns,
		.data = f->get.data,
		.interval_ns = f->get.interval_ns,
	};
}

static struct twheel_result single(struct fixture *f,
				   const struct twheel_op *op)
{
	switch (op->opcode) {
	case TWHEEL_OP_START:
		return single_start(f, op);
	case TWHEEL_OP_STOP:
		return single_stop(f, op);
	case TWHEEL_OP_RESET:
		return single_reset(f, op);
	default:
		return single_get(f, op);
	}
}

/* All operations, all outcomes, and values that are wrong now and then. */
static struct twheel_op random_op(struct test_random *random)
{
	struct twheel_op op = {
		.opcode = 1 + test_random_below(random, 4),
		.id = test_random_below(random, 200),
	};
	u64 time = test_random_below(random, 40 * TICK);

	if (op.opcode == TWHEEL_OP_START) {
		op.time_ns = time;
		op.data = test_random(random);
		if (test_random_below(random, 4) == 0)
			op.interval_ns = TICK / 2 + time;
		if (test_random_below(random, 4) == 0)
			op.slack_ns = test_random_below(random, 30 * TICK);
		if (test_random_below(random, 8) == 0)
			op.flags |= TWHEEL_EXCLUSIVE;
		if (test_random_below(random, 8) == 0)
			op.flags |= TWHEEL_ABSTIME;
		if (test_random_below(random, 50) == 0)
			op.time_ns = U64_MAX - time;
	} else if (op.opcode == TWHEEL_OP_RESET &&
		   test_random_below(random, 2)) {
		op.flags = TWHEEL_NEW_TIMEOUT;
		op.time_ns = time;
	}
	return op;
}

static void expect_same_result(struct kunit *test, const struct pair *pair,
			       const struct twheel_result *expected, u32 i)
{
	const struct twheel_result *seen = &pair->results[i];

	KUNIT_ASSERT_EQ_MSG(test, memcmp(expected, seen, sizeof(*seen)), 0,
			    "op %u: opcode %u, error %d, %d; outcome %u, %u; generation %llu, %llu; deadline %llu, %llu",
			    i, pair->ops[i].opcode,
			    expected->error, seen->error,
			    expected->outcome, seen->outcome,
			    expected->generation, seen->generation,
			    expected->deadline_ns, seen->deadline_ns);
}

/* What to find at least, so that the test is one. */
struct tally {
	u64 failed;
	u64 withdrew;
};

/* A batch on one side, the same by single calls on the other. */
static void random_batch(struct kunit *test, struct test_random *random,
			 struct tally *tally)
{
	struct pair *pair = test->priv;
	u32 i, nr = 1 + test_random_below(random, BATCH);
	struct twheel_result expected;

	for (i = 0; i < nr; i++)
		pair->ops[i] = random_op(random);
	operate(pair, nr);
	for (i = 0; i < nr; i++) {
		expected = single(pair->single, &pair->ops[i]);
		/* Room in the queue goes to others between two calls. */
		if (pair->ops[i].opcode == TWHEEL_OP_GET &&
		    expected.outcome == TWHEEL_QUEUED)
			expected.outcome = pair->results[i].outcome;
		tally->failed += !!expected.error;
		tally->withdrew += expected.outcome == TWHEEL_WITHDREW;
		expect_same_result(test, pair, &expected, i);
	}
}

/* Time passes, and some expiries are read, on both sides. */
static void random_step(struct kunit *test, struct test_random *random)
{
	struct pair *pair = test->priv;
	u64 step = test_random_below(random, 20 * TICK);
	u32 nr;

	run_for(pair->batch, step);
	run_for(pair->single, step);
	nr = test_random_below(random, 20);
	KUNIT_ASSERT_EQ(test, read_events(pair->batch, nr),
			read_events(pair->single, nr));
	KUNIT_ASSERT_EQ(test, memcmp(pair->batch->event, pair->single->event,
				     pair->batch->events *
				     sizeof(struct twheel_event)), 0);
	/* What a long read has left to the worker. */
	fake_clock_settle(&pair->batch->clock);
	fake_clock_settle(&pair->single->clock);
}

/* A queue that is mostly too short, so that timers are in every state. */
static void batch_is_as_single_calls(struct kunit *test)
{
	struct pair *pair = test->priv;
	struct tally tally = { 0 };
	struct test_random random;
	u32 round;

	test_random_init(test, &random, 1);
	test->priv = pair->batch;
	setup(test, 16, TWHEEL_HOLD);
	test->priv = pair->single;
	setup(test, 16, TWHEEL_HOLD);
	test->priv = pair;
	for (round = 0; round < 2000; round++) {
		random_batch(test, &random, &tally);
		random_step(test, &random);
	}
	KUNIT_EXPECT_GT(test, tally.failed, 1000);
	KUNIT_EXPECT_GT(test, tally.withdrew, 1000);
	expect_memory(test, pair);
}

static struct twheel_op start_op(u64 id, u64 time)
{
	return (struct twheel_op) {
		.opcode = TWHEEL_OP_START,
		.id = id,
		.time_ns = time,
	};
}

/* Entries that are refused: what an operation does not know, use or find. */
static const struct {
	struct twheel_op op;
	int error;
} wrong_entries[] = {
	{ { .opcode = 0 }, -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_EXTEND + 1 }, -EOPNOTSUPP },
	{ { .opcode = U32_MAX }, -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_START, .flags = TWHEEL_NEW_TIMEOUT },
	  -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_START, .token = 1 },
	  -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_START, .word = 1 },
	  -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_START, .interval_ns = 1 }, -EINVAL },
	{ { .opcode = TWHEEL_OP_START, .flags = TWHEEL_EXCLUSIVE,
	    .id = 1 }, -EEXIST },
	{ { .opcode = TWHEEL_OP_START, .time_ns = U64_MAX },
	  -EOVERFLOW },
	{ { .opcode = TWHEEL_OP_START, .slack_ns = KTIME_MAX },
	  -EOVERFLOW },
	{ { .opcode = TWHEEL_OP_STOP, .id = 9 }, -ENOENT },
	{ { .opcode = TWHEEL_OP_STOP, .flags = 1 }, -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_STOP, .time_ns = 1 }, -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_STOP, .data = 1 }, -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_RESET, .id = 9 }, -ENOENT },
	{ { .opcode = TWHEEL_OP_RESET, .time_ns = 1 }, -EINVAL },
	{ { .opcode = TWHEEL_OP_RESET, .flags = TWHEEL_ABSTIME },
	  -EINVAL },
	{ { .opcode = TWHEEL_OP_RESET, .flags = TWHEEL_EXCLUSIVE },
	  -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_RESET, .interval_ns = 1 },
	  -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_RESET, .data = 1 }, -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_RESET, .slack_ns = 1 }, -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_GET, .id = 9 }, -ENOENT },
	{ { .opcode = TWHEEL_OP_GET, .flags = 1 }, -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_GET, .slack_ns = 1 }, -EOPNOTSUPP },
	{ { .opcode = TWHEEL_OP_GET, .word = 1 },
	  -EOPNOTSUPP },
};

static void wrong_entry_fails_alone(struct kunit *test)
{
	struct pair *pair = test->priv;
	struct twheel_result expected;
	struct twheel_get before;
	u32 i;

	KUNIT_ASSERT_EQ(test, start(pair->batch, 1, 90 * TICK, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, get(pair->batch, 1), 0);
	before = pair->batch->get;
	for (i = 0; i < ARRAY_SIZE(wrong_entries); i++) {
		expected = (struct twheel_result) { .error = wrong_entries[i].error };
		pair->ops[0] = start_op(2, TICK);
		pair->ops[1] = wrong_entries[i].op;
		pair->ops[2] = start_op(3, TICK);
		operate(pair, 3);
		KUNIT_EXPECT_EQ(test, pair->results[0].error, 0);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(&pair->results[1], &expected,
						 sizeof(expected)), 0,
				    "entry %u: error %d, not %d", i,
				    pair->results[1].error, wrong_entries[i].error);
		KUNIT_EXPECT_EQ(test, pair->results[2].error, 0);
		KUNIT_EXPECT_EQ(test, get(pair->batch, 1), 0);
		KUNIT_EXPECT_EQ(test, memcmp(&pair->batch->get, &before,
					     sizeof(before)), 0);
		KUNIT_EXPECT_EQ(test, pair->batch->inst.index.nr, 3);
	}
	expect_memory(test, pair);
}

/* Starts that find no room fail; what needs none goes on. */
static void limit_in_the_middle(struct kunit *test)
{
	struct twheel_config config = { .max_timers = 20 };
	struct pair *pair = test->priv;
	u32 i;

	KUNIT_ASSERT_EQ(test, twheel_config_fill(&config), 0);
	KUNIT_ASSERT_EQ(test, twheel_instance_setup(&pair->batch->inst,
						    &config), 0);
	for (i = 0; i < 40; i++)
		pair->ops[i] = start_op(i, 5 * TICK);
	pair->ops[40] = start_op(7, 6 * TICK);
	pair->ops[41] = (struct twheel_op) {
		.opcode = TWHEEL_OP_STOP,
		.id = 8,
	};
	pair->ops[42] = start_op(42, 5 * TICK);
	pair->ops[43] = start_op(43, 5 * TICK);
	operate(pair, 44);
	for (i = 0; i < 40; i++)
		KUNIT_EXPECT_EQ_MSG(test, pair->results[i].error,
				    i < 20 ? 0 : -ENOSPC, "start %u", i);
	KUNIT_EXPECT_EQ(test, pair->results[40].error, 0);
	KUNIT_EXPECT_EQ(test, pair->results[40].outcome, TWHEEL_STOPPED);
	KUNIT_EXPECT_EQ(test, pair->results[41].error, 0);
	KUNIT_EXPECT_EQ(test, pair->results[42].error, 0);
	KUNIT_EXPECT_EQ(test, pair->results[43].error, -ENOSPC);
	KUNIT_EXPECT_EQ(test, pair->batch->inst.index.nr, 20);
	expect_memory(test, pair);
}

/* Room for fewer than are allocated in one go is used to the last. */
static void limit_of_the_user_is_reached_exactly(struct kunit *test)
{
	struct pair *pair = test->priv;
	const s64 others = (1LL << 22) - 5;
	u32 i;

	atomic64_add(others, &pair->batch->account->timers);
	for (i = 0; i < 10; i++)
		pair->ops[i] = start_op(i, 5 * TICK);
	operate(pair, 10);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ_MSG(test, pair->results[i].error,
				    i < 5 ? 0 : -ENOSPC, "start %u", i);
	atomic64_sub(others, &pair->batch->account->timers);
	expect_memory(test, pair);
}

/* What a stop gives back is there for the next start, as with single calls. */
static void start_behind_a_stop_at_the_limit_of_the_user(struct kunit *test)
{
	struct pair *pair = test->priv;
	const s64 others = (1LL << 22) - 2;
	u32 i;

	atomic64_add(others, &pair->batch->account->timers);
	pair->ops[0] = start_op(0, 5 * TICK);
	pair->ops[1] = start_op(1, 5 * TICK);
	for (i = 2; i < 10; i += 2) {
		pair->ops[i] = (struct twheel_op) {
			.opcode = TWHEEL_OP_STOP,
			.id = i - 2,
		};
		pair->ops[i + 1] = start_op(i, 5 * TICK);
	}
	operate(pair, 10);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ_MSG(test, pair->results[i].error, 0, "op %u",
				    i);
	atomic64_sub(others, &pair->batch->account->timers);
	expect_memory(test, pair);
}

/* Supplies that restarts did not need go back. */
static void restarts_keep_no_memory(struct kunit *test)
{
	struct pair *pair = test->priv;
	u32 i;

	for (i = 0; i < BATCH; i++)
		pair->ops[i] = start_op(i % 3, 5 * TICK);
	operate(pair, BATCH);
	KUNIT_EXPECT_EQ(test, pair->batch->inst.index.nr, 3);
	expect_memory(test, pair);
}

/* The segments that the index wants come in the middle of a batch, too. */
static void index_grows_with_a_batch(struct kunit *test)
{
	struct pair *pair = test->priv;
	u64 id = 0;
	u32 i;

	while (id < 2000) {
		for (i = 0; i < 50; i++)
			pair->ops[i] = start_op(id++, 5 * TICK);
		operate(pair, 50);
		KUNIT_ASSERT_GE(test, pair->batch->inst.index.nr_buckets,
				pair->batch->inst.index.nr);
	}
	expect_memory(test, pair);
}

/* The clock is programmed once for all of them. */
static void one_programming_for_a_batch(struct kunit *test)
{
	struct pair *pair = test->priv;
	u32 i;

	KUNIT_ASSERT_EQ(test, start(pair->batch, 0, 999 * TICK, 0, 0), 0);
	pair->batch->clock.arms = 0;
	for (i = 0; i < 10; i++)
		pair->ops[i] = start_op(0, (500 - i) * TICK);
	operate(pair, 10);
	KUNIT_EXPECT_EQ(test, pair->batch->clock.arms, 1);
}

/* Stops that make room let others in before the call returns. */
static void room_that_a_batch_makes_is_filled(struct kunit *test)
{
	struct pair *pair = test->priv;
	struct fixture *f = pair->batch;
	u32 i;

	test->priv = f;
	setup(test, 20, TWHEEL_HOLD);
	for (i = 0; i < 40; i++)
		KUNIT_ASSERT_EQ(test, start(f, i, TICK, 0, 0), 0);
	run_for(f, 3 * TICK);
	for (i = 0; i < 20; i++)
		pair->ops[i] = (struct twheel_op) {
			.opcode = TWHEEL_OP_STOP,
			.id = i,
		};
	operate(pair, 20);
	KUNIT_EXPECT_EQ(test, stats(test)->queued, 20);
	KUNIT_EXPECT_EQ(test, read_events(f, EVENTS), 20);
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, f->event[i].id, (u64)20 + i);
	test->priv = pair;
}

static struct kunit_case batch_cases[] = {
	KUNIT_CASE(batch_is_as_single_calls),
	KUNIT_CASE(wrong_entry_fails_alone),
	KUNIT_CASE(limit_in_the_middle),
	KUNIT_CASE(limit_of_the_user_is_reached_exactly),
	KUNIT_CASE(start_behind_a_stop_at_the_limit_of_the_user),
	KUNIT_CASE(restarts_keep_no_memory),
	KUNIT_CASE(index_grows_with_a_batch),
	KUNIT_CASE(one_programming_for_a_batch),
	KUNIT_CASE(room_that_a_batch_makes_is_filled),
	{}
};

static struct kunit_suite batch_suite = {
	.name = "twheel_batch",
	.init = batch_init,
	.exit = batch_exit,
	.test_cases = batch_cases,
};

kunit_test_suite(batch_suite);

MODULE_DESCRIPTION("Tests of batches");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
