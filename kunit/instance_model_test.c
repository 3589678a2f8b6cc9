// SPDX-License-Identifier: GPL-2.0
/*
 * An instance against an obvious model: random operations
 *
 * The model knows each timer's state, and keeps the waiting expiries, and the
 * holes that dropped ones left, in one array, oldest first.  It predicts every
 * record to the last field.
 *
 * For that no two timers may expire in the same tick, where their order would
 * be nobody's business: timer i expires in ticks that leave i when they are
 * divided by the number of timers, and intervals are multiples of that.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "instance_fixture.h"
#include "test_random.h"

static ulong ops = 100000;
module_param(ops, ulong, 0444);
MODULE_PARM_DESC(ops, "Random operations; each model does a tenth of them");

#define TIMERS 40
#define GRID (TIMERS * TICK)

/* Waiting timers and holes between them. */
#define TOKENS 4096

/**
 * struct model_timer - what the model knows of a timer
 * @state: ARMED, QUEUED for an expiry that waits, wherever, or FREE.
 * @deadline: Its deadline.
 * @timeout: What a reset repeats.
 * @interval: Its interval.
 * @generation: Its arming.
 * @fired: When it expired.
 */
struct model_timer {
	u32 state;
	u64 deadline;
	u64 timeout;
	u64 interval;
	u64 generation;
	u64 fired;
};

/**
 * struct model - what is to be true of the instance
 * @policy: Overflow policy.
 * @len: Length of the queue.
 * @random: Where the operations come from.
 * @timer: The timers.
 * @token: Waiting timers; a null pointer for an expiry that was dropped.
 * @tokens: Their number.
 * @waiting: Those of them that are no null pointers.
 * @generation: Of the last arming.
 * @sequence: Of the last record.
 * @dropped: Expiries dropped so far.
 */
static struct model {
	u32 policy;
	u32 len;
	struct test_random random;
	struct model_timer timer[TIMERS];
	struct model_timer *token[TOKENS];
	u32 tokens;
	u32 waiting;
	u64 generation;
	u64 sequence;
	u64 dropped;
} model;

static const struct model_case {
	const char *name;
	u32 policy;
	u32 len;
	u64 age;
} models[] = {
	{ "HOLD, 3", TWHEEL_HOLD, 3, 1ULL << 40 },
	{ "HOLD, 100", TWHEEL_HOLD, 100, (1ULL << 52) - 5 * TICK },
	{ "DROP_NEWEST, 1", TWHEEL_DROP_NEWEST, 1, (1ULL << 62) - 3 },
	{ "DROP_NEWEST, 8", TWHEEL_DROP_NEWEST, 8, 1ULL << 40 },
	{ "DROP_OLDEST, 1", TWHEEL_DROP_OLDEST, 1, 1ULL << 40 },
	{ "DROP_OLDEST, 8", TWHEEL_DROP_OLDEST, 8, (1ULL << 62) - 3 },
};

static void describe_model(const struct model_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(model, models, describe_model);

static int model_init(struct kunit *test)
{
	const struct model_case *c = test->param_value;

	memset(&model, 0, sizeof(model));
	model.policy = c->policy;
	model.len = c->len;
	return fixture_init(test, c->age);
}

static u32 below(u32 end)
{
	return test_random_below(&model.random, end);
}

static void remove_token(u32 position)
{
	model.tokens--;
	memmove(&model.token[position], &model.token[position + 1],
		(model.tokens - position) * sizeof(model.token[0]));
}

static u32 first_waiting(void)
{
	u32 i = 0;

	while (i < model.tokens && !model.token[i])
		i++;
	return i;
}

static u64 expirations(const struct model_timer *timer, u64 now)
{
	if (!timer->interval)
		return 1;
	return 1 + div64_u64(now - timer->deadline, timer->interval);
}

/* An expiry is over: the timer is gone, or runs on. */
static void settle(struct model_timer *timer, u64 now)
{
	timer->state = timer->interval ? TWHEEL_ARMED : TWHEEL_FREE;
	timer->deadline += expirations(timer, now) * timer->interval;
}

static void expire(struct model_timer *timer, u64 now)
{
	struct model_timer *victim;
	u32 oldest;

	timer->fired = now;
	if (model.waiting < model.len || model.policy == TWHEEL_HOLD) {
		model.token[model.tokens++] = timer;
		model.waiting++;
		timer->state = TWHEEL_QUEUED;
		return;
	}
	model.dropped++;
	if (model.policy == TWHEEL_DROP_NEWEST) {
		model.token[model.tokens++] = NULL;
		settle(timer, now);
		return;
	}
	oldest = first_waiting();
	victim = model.token[oldest];
	model.token[oldest] = NULL;
	settle(victim, now);
	model.token[model.tokens++] = timer;
	timer->state = TWHEEL_QUEUED;
}

static u64 tick_up(u64 ns)
{
	return (ns + TICK - 1) & ~(TICK - 1);
}

/* The armed timer that expires next, or NULL. */
static struct model_timer *next_armed(void)
{
	struct model_timer *next = NULL, *timer;

	for (timer = model.timer; timer < model.timer + TIMERS; timer++)
		if (timer->state == TWHEEL_ARMED &&
		    (!next || timer->deadline < next->deadline))
			next = timer;
	return next;
}

/* Let time go by, for the instance and for the model. */
static void do_run(struct fixture *f)
{
	u64 ns = test_random_size(&model.random, below(2) ? 21 : 29);
	struct model_timer *timer;
	u64 now = f->clock.now + ns;

	fake_clock_run(&f->clock, now);
	while ((timer = next_armed()) && tick_up(timer->deadline) <= now)
		expire(timer, tick_up(timer->deadline));
}

/* A deadline in one of the ticks of timer @nr, ahead or behind. */
static u64 random_deadline(const struct fixture *f, u32 nr)
{
	u64 round, tick;

	div64_u64_rem(f->clock.now, GRID, &round);
	round = f->clock.now - round + (u64)nr * TICK;
	if (!below(8))
		tick = round - (1 + test_random_size(&model.random, 8)) * GRID;
	else
		tick = round + (1 + test_random_size(&model.random, 5)) * GRID;
	return below(2) ? tick : tick - below(TICK);
}

/* What start and reset have in common: the model's timer runs anew. */
static void arm(struct fixture *f, struct model_timer *timer, u64 deadline)
{
	u64 now = f->clock.now;

	timer->state = TWHEEL_ARMED;
	timer->deadline = deadline;
	timer->timeout = deadline > now ? deadline - now : 0;
	timer->generation = ++model.generation;
	if (deadline <= now)
		expire(timer, now);
}

/* End the model's arming; say what the call has to report. */
static u32 disarm(struct kunit *test, struct model_timer *timer, u64 now,
		  u64 *remaining)
{
	u32 state = timer->state, i;

	*remaining = 0;
	timer->state = TWHEEL_FREE;
	if (state == TWHEEL_FREE)
		return TWHEEL_WAS_FREE;
	if (state == TWHEEL_ARMED) {
		if (timer->deadline > now)
			*remaining = timer->deadline - now;
		return TWHEEL_STOPPED;
	}
	for (i = 0; model.token[i] != timer; i++)
		KUNIT_ASSERT_LT(test, i, model.tokens);
	remove_token(i);
	model.waiting--;
	return TWHEEL_WITHDREW;
}

static void do_start(struct kunit *test, u32 nr)
{
	struct model_timer *timer = &model.timer[nr];
	struct fixture *f = test->priv;
	u64 deadline = random_deadline(f, nr), remaining, now = f->clock.now;
	u64 interval = below(3) ? 0 : (1 + below(5)) * GRID;
	bool absolute = deadline < now || below(2);
	u32 flags = absolute ? TWHEEL_ABSTIME : 0, outcome;

	if (!below(8))
		flags |= TWHEEL_EXCLUSIVE;
	if ((flags & TWHEEL_EXCLUSIVE) && timer->state != TWHEEL_FREE) {
		KUNIT_ASSERT_EQ(test, start(f, nr, TICK, 0, flags), -EEXIST);
		return;
	}
	KUNIT_ASSERT_EQ(test, start(f, nr, absolute ? deadline : deadline - now,
				    interval, flags), 0);
	outcome = disarm(test, timer, now, &remaining);
	KUNIT_ASSERT_EQ(test, f->start.outcome, outcome);
	KUNIT_ASSERT_EQ(test, f->start.remaining_ns, remaining);
	timer->interval = interval;
	arm(f, timer, deadline);
	KUNIT_ASSERT_EQ(test, f->start.deadline_ns, deadline);
	KUNIT_ASSERT_EQ(test, f->start.generation, timer->generation);
}

static void do_reset(struct kunit *test, u32 nr)
{
	struct model_timer *timer = &model.timer[nr];
	struct fixture *f = test->priv;
	u64 deadline = random_deadline(f, nr), remaining, now = f->clock.now;
	u32 flags = TWHEEL_NEW_TIMEOUT | TWHEEL_ABSTIME, outcome;

	if (timer->state == TWHEEL_FREE) {
		KUNIT_ASSERT_EQ(test, reset(f, nr, 0, 0), -ENOENT);
		return;
	}
	/* Without a time of its own, where that comes out in a good tick. */
	if (div64_u64(tick_up(now + timer->timeout), TICK) % TIMERS == nr) {
		deadline = now + timer->timeout;
		flags = 0;
	}
	KUNIT_ASSERT_EQ(test, reset(f, nr, flags ? deadline : 0, flags), 0);
	outcome = disarm(test, timer, now, &remaining);
	KUNIT_ASSERT_EQ(test, f->reset.outcome, outcome);
	KUNIT_ASSERT_EQ(test, f->reset.remaining_ns, remaining);
	KUNIT_ASSERT_EQ(test, f->reset.deadline_ns, deadline);
	arm(f, timer, deadline);
	KUNIT_ASSERT_EQ(test, f->reset.generation, timer->generation);
}

static void do_stop(struct kunit *test, u32 nr)
{
	struct model_timer *timer = &model.timer[nr];
	struct fixture *f = test->priv;
	u64 remaining;
	u32 outcome;
	int ret;

	ret = stop(f, nr);
	KUNIT_ASSERT_EQ(test, ret, timer->state ? 0 : -ENOENT);
	if (ret)
		return;
	outcome = disarm(test, timer, f->clock.now, &remaining);
	KUNIT_ASSERT_EQ(test, f->stop.outcome, outcome);
	KUNIT_ASSERT_EQ(test, f->stop.remaining_ns, remaining);
	KUNIT_ASSERT_EQ(test, f->stop.generation, timer->generation);
}

static void do_get(struct kunit *test, u32 nr)
{
	struct model_timer *timer = &model.timer[nr];
	struct fixture *f = test->priv;
	int ret = get(f, nr);

	KUNIT_ASSERT_EQ(test, ret, timer->state ? 0 : -ENOENT);
	if (ret)
		return;
	KUNIT_ASSERT_EQ(test, f->get.state > TWHEEL_ARMED,
			timer->state > TWHEEL_ARMED);
	KUNIT_ASSERT_EQ(test, f->get.deadline_ns, timer->deadline);
	KUNIT_ASSERT_EQ(test, f->get.timeout_ns, timer->timeout);
	KUNIT_ASSERT_EQ(test, f->get.interval_ns, timer->interval);
	KUNIT_ASSERT_EQ(test, f->get.generation, timer->generation);
}

static void expect_event(struct kunit *test, const struct twheel_event *event,
			 u64 now)
{
	u32 dropped = first_waiting(), i;
	struct model_timer *timer;

	KUNIT_ASSERT_LT(test, dropped, model.tokens);
	timer = model.token[dropped];
	model.sequence += dropped + 1;
	KUNIT_ASSERT_EQ(test, event->id, (u64)(timer - model.timer));
	KUNIT_ASSERT_EQ(test, event->data, ~event->id);
	KUNIT_ASSERT_EQ(test, event->generation, timer->generation);
	KUNIT_ASSERT_EQ(test, event->sequence, model.sequence);
	KUNIT_ASSERT_EQ(test, event->dropped, dropped);
	KUNIT_ASSERT_EQ(test, event->deadline_ns, timer->deadline);
	KUNIT_ASSERT_EQ(test, event->fired_ns, timer->fired);
	KUNIT_ASSERT_EQ(test, event->expirations, expirations(timer, now));
	KUNIT_ASSERT_EQ(test, event->flags,
			(dropped ? TWHEEL_EVENT_DROPPED : 0) |
			(timer->interval ? TWHEEL_EVENT_PERIODIC : 0));
	for (i = 0; i <= dropped; i++)
		remove_token(0);
	model.waiting--;
	settle(timer, now);
}

static void do_read(struct kunit *test, u32 max)
{
	struct fixture *f = test->priv;
	u32 i, there = min(model.waiting, max);

	KUNIT_ASSERT_EQ(test, read_events(f, max), there);
	for (i = 0; i < there; i++)
		expect_event(test, &f->event[i], f->clock.now);
}

static void do_something(struct kunit *test, u32 what)
{
	u32 nr = below(TIMERS);

	if (what < 30)
		do_start(test, nr);
	else if (what < 40)
		do_reset(test, nr);
	else if (what < 50)
		do_stop(test, nr);
	else if (what < 55)
		do_get(test, nr);
	else if (what < 65 || model.tokens > TOKENS - 2 * TIMERS)
		do_read(test, 1 + below(20));
	else
		do_run(test->priv);
}

static void check(struct kunit *test)
{
	const struct twheel_stats *s = stats(test);
	struct fixture *f = test->priv;
	struct model_timer *next = next_armed();

	KUNIT_ASSERT_FALSE(test, f->clock.deferred);
	KUNIT_ASSERT_EQ(test, s->waiting, model.waiting);
	KUNIT_ASSERT_EQ(test, s->queued, min(model.waiting, model.len));
	KUNIT_ASSERT_EQ(test, s->dropped, model.dropped);
	/* Never late, and idle when idle. */
	if (next)
		KUNIT_ASSERT_LE(test, f->clock.armed, tick_up(next->deadline));
	else
		KUNIT_ASSERT_EQ(test, f->clock.armed, FAKE_CLOCK_IDLE);
}

static void predicted_to_the_last_field(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 i;

	test_random_init(test, &model.random,
			 (const struct model_case *)test->param_value - models);
	setup(test, model.len, model.policy);
	for (i = 0; i < ops / 10 && test_random_more(&model.random); i++) {
		do_something(test, below(100));
		fake_clock_settle(&f->clock);
		check(test);
		if (i % 1024 == 0)
			cond_resched();
	}
	do_read(test, EVENTS);
	TEST_RANDOM_EXPECT_GT(test, stats(test)->delivered, ops / 500);
	TEST_RANDOM_EXPECT_GT(test, stats(test)->withdrawn, ops / 5000);
}

static struct kunit_case instance_model_cases[] = {
	KUNIT_CASE_PARAM(predicted_to_the_last_field, model_gen_params),
	{}
};

static struct kunit_suite instance_model_suite = {
	.name = "twheel_instance_model",
	.init = model_init,
	.exit = fixture_exit,
	.test_cases = instance_model_cases,
};

kunit_test_suite(instance_model_suite);

MODULE_DESCRIPTION("Tests of an instance against a model");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
