// SPDX-License-Identifier: GPL-2.0
/*
 * Readers and leases: random operations under random settings
 *
 * The model knows who has which delivery and until when.  All that is counted
 * is walked over after each operation (pool_check.h).
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pool_check.h"
#include "test_random.h"

static ulong ops = 100000;
module_param(ops, ulong, 0444);
MODULE_PARM_DESC(ops, "Random operations; each model does a tenth of them");

#define TIMERS 16
#define READERS 6
#define ROUND 300

/**
 * struct model_lease - a delivery that is in somebody's hands
 * @by: Whose; NULL if there is none.
 * @token: Its number.
 * @end: It does not lapse before, ns.
 */
struct model_lease {
	struct twheel_consumer *by;
	u64 token;
	u64 end;
};

/**
 * struct model - what is to be true of the instance
 * @random: Where the operations come from.
 * @lease: Of each timer.
 * @generation: Of the last record of each timer.
 * @deadline: Of the last record of each timer.
 * @reader: Those that have come.
 * @there: Which are there.
 * @word: Of each timer: 0, or one more than the number of its word.
 * @timeout: Of each timer.
 * @sequence: Of the last record of each; the opener's is the last.
 */
static struct model {
	struct test_random random;
	struct model_lease lease[TIMERS];
	u64 generation[TIMERS];
	u64 deadline[TIMERS];
	struct twheel_consumer reader[READERS];
	bool there[READERS];
	u32 word[TIMERS];
	u64 timeout[TIMERS];
	u64 sequence[READERS + 1];
} model;

static u32 below(u32 end)
{
	return test_random_below(&model.random, end);
}

static void draw_setup(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_config config;

	do {
		config = (struct twheel_config) {
			.tick_shift = 20,
			.queue_len = 1 + below(5),
			.overflow = below(3),
			.delivery = below(2),
			.dispatch = below(4),
			.flags = below(4),
			.map_words = below(2) * TIMERS,
		};
		if (config.delivery) {
			config.lease_ns = 1 + below(6 * TICK);
			config.max_attempts = below(4);
		}
	} while (twheel_config_fill(&config));
	KUNIT_ASSERT_EQ(test, twheel_instance_setup(&f->inst, &config), 0);
}

static struct twheel_consumer *draw_reader(struct fixture *f, u32 *nr)
{
	*nr = below(READERS + 1);
	if (*nr < READERS && model.there[*nr])
		return &model.reader[*nr];
	*nr = READERS;
	return &f->reader;
}

/* A record of timer @id came out while the model has it in someone's hands. */
static void expect_lapsed(struct kunit *test, const struct model_lease *lease,
			  const struct twheel_event *event)
{
	struct fixture *f = test->priv;

	if (!lease->by)
		return;
	KUNIT_EXPECT_GE_MSG(test, f->clock.now, lease->end,
			    "id %llu is in flight already", event->id);
	KUNIT_EXPECT_GT(test, event->token, lease->token);
}

/* Its word, if it has one, is no newer than the record. */
static void expect_idle(struct kunit *test, const struct twheel_event *event)
{
	struct fixture *f = test->priv;
	u32 word = model.word[event->id];
	u64 active;

	if (!word || !model.timeout[event->id])
		return;
	active = min(*twheel_words_at(&f->inst.words, word - 1), f->clock.now);
	KUNIT_EXPECT_LE_MSG(test, active + model.timeout[event->id],
			    event->deadline_ns, "id %llu", event->id);
}

static void expect_event(struct kunit *test, struct twheel_consumer *by,
			 const struct twheel_event *event)
{
	struct fixture *f = test->priv;
	const struct twheel_config *config = &f->inst.config;
	struct model_lease *lease = &model.lease[event->id];
	bool again = model.generation[event->id] == event->generation &&
		     model.deadline[event->id] == event->deadline_ns;

	KUNIT_EXPECT_GE(test, event->fired_ns, event->deadline_ns);
	KUNIT_EXPECT_EQ(test, event->data, ~event->id);
	expect_idle(test, event);
	if (config->dispatch != TWHEEL_BROADCAST && again)
		KUNIT_EXPECT_TRUE_MSG(test, event->attempt > 1 ||
				      event->flags & TWHEEL_EVENT_DEAD,
				      "id %llu twice", event->id);
	if (config->max_attempts)
		KUNIT_EXPECT_LE(test, event->attempt, config->max_attempts);
	model.generation[event->id] = event->generation;
	model.deadline[event->id] = event->deadline_ns;
	if (config->delivery != TWHEEL_AT_LEAST_ONCE) {
		KUNIT_EXPECT_EQ(test, event->token, 0);
		return;
	}
	KUNIT_EXPECT_NE(test, event->token, 0);
	expect_lapsed(test, lease, event);
	*lease = (struct model_lease) {
		.by = by,
		.token = event->token,
		.end = f->clock.now + config->lease_ns,
	};
}

static void note_sequences(struct fixture *f)
{
	u32 i;

	for (i = 0; i < READERS; i++)
		if (model.there[i])
			model.sequence[i] = model.reader[i].line.sequence;
	model.sequence[READERS] = f->reader.line.sequence;
}

static void expect_sequence(struct kunit *test, u32 nr, u64 shared,
			    enum twheel_claim claim)
{
	struct fixture *f = test->priv;
	u64 last = model.sequence[nr];
	u32 i;

	if (nr == READERS || !(model.reader[nr].flags & TWHEEL_READER_DEAD))
		if (f->inst.config.dispatch == TWHEEL_SHARED)
			last = shared;
	for (i = 0; i < f->events && claim != TWHEEL_CLAIM_ALL; i++) {
		KUNIT_EXPECT_EQ(test, f->event[i].sequence,
				last + f->event[i].dropped + 1);
		last = f->event[i].sequence;
	}
	note_sequences(f);
}

static void do_read(struct kunit *test)
{
	struct fixture *f = test->priv;
	enum twheel_claim claim = below(3);
	u64 shared = f->inst.queue.sequence;
	struct twheel_consumer *by;
	bool drainable;
	u32 i, nr;

	by = draw_reader(f, &nr);
	if (!by->number)
		claim = TWHEEL_CLAIM_ALL;
	fake_clock_settle(&f->clock);
	drainable = twheel_consumer_drainable(by);
	f->room = 1 + below(8);
	f->events = 0;
	twheel_instance_deliver(by, &f->receiver, claim);
	/* Of what is there, words may withdraw some. */
	if (claim == TWHEEL_CLAIM_ALL && (f->events || !f->inst.words.nr))
		KUNIT_EXPECT_EQ(test, !!f->events, drainable);
	expect_sequence(test, nr, shared, claim);
	for (i = 0; i < f->events; i++)
		expect_event(test, by, &f->event[i]);
}

static void do_lease_op(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 opcode = TWHEEL_OP_ACK + below(3), id = below(TIMERS), nr;
	struct model_lease *lease = &model.lease[id];
	struct twheel_ack req = { .id = id, .token = lease->token };
	struct twheel_consumer *by = lease->by ?: draw_reader(f, &nr);
	int ret, expected = -ESTALE;

	if (f->inst.config.delivery != TWHEEL_AT_LEAST_ONCE)
		return;
	if (!below(8))
		by = draw_reader(f, &nr);
	if (opcode == TWHEEL_OP_EXTEND)
		req.lease_ns = 1 + below(8 * TICK);
	ret = twheel_instance_ack(by, opcode, &req);
	if (by == lease->by && f->clock.now < lease->end)
		expected = 0;
	else if (by == lease->by && f->clock.now < lease->end + TICK)
		expected = ret;
	KUNIT_EXPECT_EQ(test, ret, expected);
	if (ret)
		return;
	if (opcode == TWHEEL_OP_EXTEND)
		lease->end = f->clock.now + req.lease_ns;
	else
		lease->by = NULL;
}

/* Whether the arming that has ended was in somebody's hands; it is not now. */
static void expect_outcome(struct kunit *test, u32 id, u32 outcome)
{
	struct fixture *f = test->priv;
	struct model_lease *lease = &model.lease[id];

	if (lease->by && f->clock.now < lease->end)
		KUNIT_EXPECT_TRUE(test, outcome == TWHEEL_WAS_DELIVERED ||
				  outcome == TWHEEL_WAS_DEAD);
	lease->by = NULL;
}

/* Half of the timers have a word, where there are words; mostly their own. */
static int do_start(struct fixture *f, u32 id)
{
	u32 word = below(8) ? id : below(TIMERS);
	u64 time = below(8 * TICK);
	int ret;

	if (!f->inst.words.nr || below(2)) {
		ret = start(f, id, time, below(2) ? TICK + below(6 * TICK) : 0,
			    0);
		word = 0;
	} else {
		f->start = (struct twheel_start) {
			.id = id, .time_ns = time, .data = ~(u64)id,
			.flags = TWHEEL_MAPPED, .word = word++,
		};
		ret = twheel_instance_start(&f->inst, &f->start);
	}
	if (ret)
		return ret;
	model.word[id] = word;
	model.timeout[id] = time;
	return 0;
}

static void do_timer(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 id = below(TIMERS), op = below(8);

	if (op == 0) {
		if (!stop(f, id))
			expect_outcome(test, id, f->stop.outcome);
	} else if (op == 1) {
		if (!reset(f, id, 0, 0))
			expect_outcome(test, id, f->reset.outcome);
	} else if (!do_start(f, id)) {
		expect_outcome(test, id, f->start.outcome);
	}
}

/* Mostly the time, or that of a moment ago. */
static void do_store(struct fixture *f)
{
	u64 value = f->clock.now - below(2 * TICK);

	if (!f->inst.words.nr)
		return;
	if (!below(4))
		value = below(2) ? U64_MAX : f->clock.now + below(20 * TICK);
	WRITE_ONCE(*twheel_words_at(&f->inst.words, below(TIMERS)), value);
}

static void come_or_go(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i, nr = below(READERS), flags = 0;
	struct twheel_consumer *reader = &model.reader[nr];
	int expected = f->inst.shut ? -ESHUTDOWN : 0;

	if (model.there[nr]) {
		twheel_consumer_leave(reader);
		model.there[nr] = false;
		for (i = 0; i < TIMERS; i++)
			if (model.lease[i].by == reader)
				model.lease[i].by = NULL;
		return;
	}
	if (f->inst.config.delivery == TWHEEL_AT_LEAST_ONCE && !below(4))
		flags = TWHEEL_READER_DEAD;
	KUNIT_ASSERT_EQ(test, twheel_consumer_join(&f->inst, reader, flags,
						   fixture_call), expected);
	model.there[nr] = !expected;
	note_sequences(f);
}

static void step(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_shutdown req = { 0 };
	u32 op = below(100);

	if (op < 35)
		do_timer(test);
	else if (op < 60)
		run_for(f, below(4 * TICK));
	else if (op < 65)
		do_store(f);
	else if (op < 80)
		do_read(test);
	else if (op < 92)
		do_lease_op(test);
	else if (op < 99)
		come_or_go(test);
	else if (!below(4))
		KUNIT_EXPECT_EQ(test, twheel_instance_shutdown(&f->inst, &req),
				0);
	pool_check(test, &f->inst);
}

/* After all are gone and all is stopped, nothing is left. */
static void finish(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < READERS; i++) {
		if (model.there[i])
			twheel_consumer_leave(&model.reader[i]);
		pool_check(test, &f->inst);
	}
	for (i = 0; i < TIMERS; i++)
		stop(f, i);
	pool_check(test, &f->inst);
	KUNIT_EXPECT_EQ(test, stats(test)->timers, 0);
	KUNIT_EXPECT_EQ(test, stats(test)->waiting, 0);
	KUNIT_EXPECT_EQ(test, f->inst.pool.returns.live, 0);
	KUNIT_EXPECT_EQ(test, f->inst.pool.copies, 0);
	for (i = 0; i < f->inst.words.nr; i++)
		KUNIT_EXPECT_FALSE(test, test_bit(i, f->inst.words.taken));
}

static bool has_failed(const struct kunit *test)
{
	return READ_ONCE(test->status) == KUNIT_FAILURE;
}

static bool goes_on(const struct kunit *test)
{
	return !has_failed(test) && test_random_more(&model.random);
}

static void pool_model(struct kunit *test)
{
	struct test_random random;
	struct fixture *f;
	ulong done;
	u32 i;

	test_random_init(test, &random, 77);
	for (done = 0; done < ops / 10 && goes_on(test); done += ROUND) {
		memset(&model, 0, sizeof(model));
		model.random = random;
		draw_setup(test);
		for (i = 0; i < ROUND && goes_on(test); i++)
			step(test);
		f = test->priv;
		if (has_failed(test))
			kunit_info(test, "delivery %u dispatch %u overflow %u flags %u len %u\n",
				   f->inst.config.delivery, f->inst.config.dispatch,
				   f->inst.config.overflow, f->inst.config.flags,
				   f->inst.config.queue_len);
		finish(test);
		random = model.random;
		fixture_exit(test);
		test->priv = NULL;
		KUNIT_ASSERT_EQ(test, fixture_init(test, 1ULL << 40), 0);
		cond_resched();
	}
}

static int pool_model_init(struct kunit *test)
{
	return fixture_init(test, 1ULL << 40);
}

static struct kunit_case pool_model_cases[] = {
	KUNIT_CASE(pool_model),
	{}
};

static struct kunit_suite pool_model_suite = {
	.name = "twheel_pool_model",
	.init = pool_model_init,
	.exit = fixture_exit,
	.test_cases = pool_model_cases,
};

kunit_test_suite(pool_model_suite);

MODULE_DESCRIPTION("Tests of readers and leases: random operations");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
