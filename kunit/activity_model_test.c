// SPDX-License-Identifier: GPL-2.0
/*
 * Timers with a word against an obvious model: random stores, expiries and reads
 *
 * The model looks at every word when the instance has to, and nowhere else: at
 * the tick of each deadline, and when all that waits is read.  So it predicts the
 * deadline and the time of each expiry, for honest words and for nonsense.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "instance_fixture.h"
#include "test_random.h"

static ulong ops = 100000;
module_param(ops, ulong, 0444);
MODULE_PARM_DESC(ops, "Random operations; each model does a tenth of them");

#define TIMERS 50

/**
 * struct model_timer - what the model knows of a timer; its word has its number
 * @state: ARMED, QUEUED for an expiry that waits, or FREE.
 * @timeout: Its timeout.
 * @deadline: The effective one when it was last looked at.
 * @fired: When it expired.
 * @generation: Its arming.
 * @word: What was stored last.
 */
struct model_timer {
	u32 state;
	u64 timeout;
	u64 deadline;
	u64 fired;
	u64 generation;
	u64 word;
};

/**
 * struct model - what is to be true of the instance
 * @random: Where the operations come from.
 * @timer: The timers.
 * @postponed: How often one ran on.
 */
static struct model {
	struct test_random random;
	struct model_timer timer[TIMERS];
	u64 postponed;
} model;

static u32 below(u32 end)
{
	return test_random_below(&model.random, end);
}

static u64 tick_up(u64 ns)
{
	return (ns + TICK - 1) & ~(TICK - 1);
}

static u64 effective(const struct model_timer *timer, u64 now)
{
	if (!timer->timeout)
		return timer->deadline;
	return max(timer->deadline, min(timer->word, now) + timer->timeout);
}

/* Let the model's timer go on to @now. */
static void advance(struct model_timer *timer, u64 now)
{
	u64 look;

	while (timer->state == TWHEEL_ARMED && tick_up(timer->deadline) <= now) {
		look = tick_up(timer->deadline);
		timer->deadline = effective(timer, look);
		if (timer->deadline > look) {
			model.postponed++;
			continue;
		}
		timer->state = TWHEEL_QUEUED;
		timer->fired = look;
	}
}

static void do_run(struct fixture *f)
{
	u32 i;

	run_for(f, test_random_size(&model.random, below(4) ? 22 : 27));
	for (i = 0; i < TIMERS; i++)
		advance(&model.timer[i], f->clock.now);
}

static void do_start(struct kunit *test, u32 nr)
{
	struct model_timer *timer = &model.timer[nr];
	u64 time = below(16) ? 1 + test_random_size(&model.random, 25) : 0;
	struct fixture *f = test->priv;
	struct twheel_start req = {
		.id = nr, .data = ~(u64)nr, .time_ns = time,
		.flags = TWHEEL_MAPPED, .word = nr,
	};

	KUNIT_ASSERT_EQ(test, twheel_instance_start(&f->inst, &req), 0);
	*timer = (struct model_timer) {
		.state = time ? TWHEEL_ARMED : TWHEEL_QUEUED,
		.timeout = time,
		.deadline = f->clock.now + time,
		.fired = f->clock.now,
		.generation = req.generation,
		.word = f->clock.now,
	};
}

static void do_reset(struct kunit *test, u32 nr)
{
	struct model_timer *timer = &model.timer[nr];
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, reset(f, nr, 0, 0), timer->state ? 0 : -ENOENT);
	if (!timer->state)
		return;
	timer->state = timer->timeout ? TWHEEL_ARMED : TWHEEL_QUEUED;
	timer->deadline = f->clock.now + timer->timeout;
	timer->fired = f->clock.now;
	timer->generation = f->reset.generation;
}

static void do_stop(struct kunit *test, u32 nr)
{
	struct model_timer *timer = &model.timer[nr];
	struct fixture *f = test->priv;
	u64 deadline = effective(timer, f->clock.now), remaining = 0;

	KUNIT_ASSERT_EQ(test, stop(f, nr), timer->state ? 0 : -ENOENT);
	if (!timer->state)
		return;
	if (timer->state == TWHEEL_ARMED && deadline > f->clock.now)
		remaining = deadline - f->clock.now;
	KUNIT_ASSERT_EQ(test, f->stop.remaining_ns, remaining);
	timer->state = TWHEEL_FREE;
}

static void do_get(struct kunit *test, u32 nr)
{
	struct model_timer *timer = &model.timer[nr];
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, get(f, nr), timer->state ? 0 : -ENOENT);
	if (!timer->state)
		return;
	KUNIT_ASSERT_EQ(test, f->get.state > TWHEEL_ARMED,
			timer->state > TWHEEL_ARMED);
	KUNIT_ASSERT_EQ(test, f->get.deadline_ns,
			effective(timer, f->clock.now));
}

/* Mostly the time, or that of a moment ago; now and then nonsense. */
static u64 draw_word(u64 now)
{
	switch (below(16)) {
	case 0:
		return U64_MAX - below(3);
	case 1:
		return 0;
	case 2:
		return now + test_random_size(&model.random, 28);
	case 3:
		return test_random(&model.random);
	default:
		return now - (below(2) ? 0 : test_random_size(&model.random, 24));
	}
}

static void do_store(struct fixture *f, u32 nr)
{
	struct model_timer *timer = &model.timer[nr];

	timer->word = draw_word(f->clock.now);
	WRITE_ONCE(*twheel_words_at(&f->inst.words, nr), timer->word);
}

/* What the model delivers of a timer now: whether there is a record. */
static bool hand_over(struct model_timer *timer, u64 now)
{
	u64 deadline = effective(timer, now);

	if (timer->state != TWHEEL_QUEUED)
		return false;
	if (deadline > timer->deadline) {
		model.postponed++;
		timer->deadline = deadline;
		timer->fired = now;
		if (deadline > now) {
			timer->state = TWHEEL_ARMED;
			return false;
		}
	}
	timer->state = TWHEEL_FREE;
	return true;
}

static void do_read(struct kunit *test)
{
	struct fixture *f = test->priv;
	const struct twheel_event *event;
	struct model_timer *timer;
	u32 i, expected = 0;
	bool due[TIMERS];

	for (i = 0; i < TIMERS; i++) {
		due[i] = hand_over(&model.timer[i], f->clock.now);
		expected += due[i];
	}
	KUNIT_ASSERT_EQ(test, read_events(f, EVENTS), expected);
	for (i = 0; i < expected; i++) {
		event = &f->event[i];
		KUNIT_ASSERT_LT(test, event->id, TIMERS);
		KUNIT_ASSERT_TRUE(test, due[event->id]);
		due[event->id] = false;
		timer = &model.timer[event->id];
		KUNIT_ASSERT_EQ(test, event->deadline_ns, timer->deadline);
		KUNIT_ASSERT_EQ(test, event->fired_ns, timer->fired);
		KUNIT_ASSERT_EQ(test, event->generation, timer->generation);
	}
}

static void do_something(struct kunit *test, u32 what)
{
	u32 nr = below(TIMERS);

	if (what < 15)
		do_start(test, nr);
	else if (what < 20)
		do_reset(test, nr);
	else if (what < 23)
		do_stop(test, nr);
	else if (what < 30)
		do_get(test, nr);
	else if (what < 40)
		do_read(test);
	else if (what < 70)
		do_store(test->priv, nr);
	else
		do_run(test->priv);
}

/* The stores have ended: of each timer there is one more record, and no other. */
static void expect_one_record_of_each(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i, expected = 0;

	for (i = 0; i < TIMERS; i++) {
		WRITE_ONCE(*twheel_words_at(&f->inst.words, i), f->clock.now);
		expected += model.timer[i].state != TWHEEL_FREE;
	}
	run_for(f, 1ULL << 29);
	KUNIT_EXPECT_EQ(test, read_events(f, EVENTS), expected);
	KUNIT_EXPECT_EQ(test, stats(test)->timers, 0);
}

static void predicted_for_all_words(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_config config = {
		.tick_shift = 20, .queue_len = 7, .map_words = TIMERS,
	};
	u64 i;

	memset(&model, 0, sizeof(model));
	test_random_init(test, &model.random, 55);
	KUNIT_ASSERT_EQ(test, twheel_config_fill(&config), 0);
	KUNIT_ASSERT_EQ(test, twheel_instance_setup(&f->inst, &config), 0);
	for (i = 0; i < ops / 10 && test_random_more(&model.random); i++) {
		do_something(test, below(100));
		KUNIT_ASSERT_EQ(test, stats(test)->postponed, model.postponed);
		if (i % 1024 == 0)
			cond_resched();
	}
	TEST_RANDOM_EXPECT_GT(test, model.postponed, ops / 1000);
	TEST_RANDOM_EXPECT_GT(test, stats(test)->withdrawn, ops / 10000);
	TEST_RANDOM_EXPECT_GT(test, stats(test)->delivered, ops / 1000);
	expect_one_record_of_each(test);
}

static int activity_model_init(struct kunit *test)
{
	return fixture_init(test, (1ULL << 52) - 5 * TICK - 3);
}

static struct kunit_case activity_model_cases[] = {
	KUNIT_CASE(predicted_for_all_words),
	{}
};

static struct kunit_suite activity_model_suite = {
	.name = "twheel_activity_model",
	.init = activity_model_init,
	.exit = fixture_exit,
	.test_cases = activity_model_cases,
};

kunit_test_suite(activity_model_suite);

MODULE_DESCRIPTION("Tests of timers with a word against a model");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
