// SPDX-License-Identifier: GPL-2.0
/*
 * An instance that is behind its time: random operations between the passes
 *
 * The clock calls late or not at all, passes stop in the middle of a crowd, and
 * timers are started, reset and stopped meanwhile.  In which order the late
 * ones expire is not predicted; that each arming is read at most once, never
 * early, never after it was ended, and exactly once if nothing ended it, is.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "instance_fixture.h"
#include "test_random.h"

static ulong ops = 100000;
module_param(ops, ulong, 0444);
MODULE_PARM_DESC(ops, "Random operations; each policy gets a tenth of them");

/* More than a pass takes. */
#define TIMERS 700

/**
 * struct late_timer - what is known of a timer for certain
 * @generation: Of its arming; 0 if it is not in the instance.
 * @deadline: Of its next record.
 * @interval: Its interval.
 */
struct late_timer {
	u64 generation;
	u64 deadline;
	u64 interval;
};

static struct late_timer late[TIMERS];
static struct test_random rnd;

static const struct late_case {
	const char *name;
	u32 policy;
	u32 len;
} policies[] = {
	{ "HOLD, 30", TWHEEL_HOLD, 30 },
	{ "HOLD, 1000", TWHEEL_HOLD, 1000 },
	{ "DROP_NEWEST, 30", TWHEEL_DROP_NEWEST, 30 },
	{ "DROP_OLDEST, 30", TWHEEL_DROP_OLDEST, 30 },
};

static void describe_policy(const struct late_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(policy, policies, describe_policy);

static int late_init(struct kunit *test)
{
	memset(late, 0, sizeof(late));
	return fixture_init(test, (1ULL << 52) - 5);
}

static bool drops(struct kunit *test)
{
	const struct late_case *c = test->param_value;

	return c->policy != TWHEEL_HOLD;
}

/* A timer is where it is said to be; a dropped one-shot may be gone. */
static bool expect_there(struct kunit *test, u32 nr, int ret)
{
	struct fixture *f = test->priv;
	struct late_timer *timer = &late[nr];

	if (ret == -ENOENT && drops(test) && timer->generation &&
	    !timer->interval && timer->deadline <= f->clock.now)
		timer->generation = 0;
	KUNIT_ASSERT_EQ(test, ret, timer->generation ? 0 : -ENOENT);
	return timer->generation;
}

/* What ended an arming has to be true of it. */
static void expect_outcome(struct kunit *test, u32 nr, u32 outcome,
			   u64 remaining)
{
	struct fixture *f = test->priv;
	const struct late_timer *timer = &late[nr];

	if (outcome == TWHEEL_WAS_FREE) {
		KUNIT_ASSERT_EQ(test, timer->generation, 0);
	} else if (outcome == TWHEEL_WITHDREW) {
		KUNIT_ASSERT_LE(test, timer->deadline, f->clock.now);
		KUNIT_ASSERT_EQ(test, remaining, 0);
	} else {
		KUNIT_ASSERT_NE(test, timer->generation, 0);
		if (!drops(test) || !timer->interval)
			KUNIT_ASSERT_EQ(test, remaining, timer->deadline -
					min(timer->deadline, f->clock.now));
	}
}

static void do_start(struct kunit *test, u32 nr)
{
	struct fixture *f = test->priv;
	u64 now = f->clock.now, behind = test_random_size(&rnd, 26), deadline;
	u64 interval = test_random_below(&rnd, 4) ? 0 : TICK + behind;

	/* Many in the same tick, some behind. */
	deadline = now / TICK * TICK + test_random_below(&rnd, 3) * 64 * TICK;
	if (!test_random_below(&rnd, 4))
		deadline = now - behind;
	if (drops(test) && late[nr].generation)
		expect_there(test, nr, get(f, nr));
	KUNIT_ASSERT_EQ(test, start(f, nr, deadline, interval, TWHEEL_ABSTIME),
			0);
	expect_outcome(test, nr, f->start.outcome, f->start.remaining_ns);
	late[nr] = (struct late_timer) {
		.generation = f->start.generation,
		.deadline = deadline,
		.interval = interval,
	};
}

static void do_reset(struct kunit *test, u32 nr)
{
	struct fixture *f = test->priv;
	u64 time = test_random_size(&rnd, 27);

	if (!expect_there(test, nr, reset(f, nr, time, TWHEEL_NEW_TIMEOUT)))
		return;
	expect_outcome(test, nr, f->reset.outcome, f->reset.remaining_ns);
	late[nr].generation = f->reset.generation;
	late[nr].deadline = f->clock.now + time;
}

static void do_stop(struct kunit *test, u32 nr)
{
	struct fixture *f = test->priv;

	if (!expect_there(test, nr, stop(f, nr)))
		return;
	expect_outcome(test, nr, f->stop.outcome, f->stop.remaining_ns);
	KUNIT_ASSERT_EQ(test, f->stop.generation, late[nr].generation);
	late[nr].generation = 0;
}

static void expect_event(struct kunit *test, const struct twheel_event *event)
{
	struct late_timer *timer = &late[event->id];
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ_MSG(test, event->generation, timer->generation,
			    "stale or read twice: id %llu", event->id);
	KUNIT_ASSERT_GE_MSG(test, event->fired_ns, event->deadline_ns, "early");
	KUNIT_ASSERT_LE(test, event->fired_ns, f->clock.now);
	/* Of a periodic timer, earlier periods may have been dropped. */
	if (drops(test) && timer->interval)
		KUNIT_ASSERT_GE(test, event->deadline_ns, timer->deadline);
	else
		KUNIT_ASSERT_EQ(test, event->deadline_ns, timer->deadline);
	timer->deadline = event->deadline_ns +
			  event->expirations * timer->interval;
	if (timer->interval)
		KUNIT_ASSERT_GT(test, timer->deadline, f->clock.now);
	else
		timer->generation = 0;
}

static u32 do_read(struct kunit *test, u32 max)
{
	struct fixture *f = test->priv;
	u32 i, nr = read_events(f, max);

	for (i = 0; i < nr; i++)
		expect_event(test, &f->event[i]);
	return nr;
}

static void do_something(struct kunit *test)
{
	u32 nr = test_random_below(&rnd, TIMERS);
	struct fixture *f = test->priv;

	switch (test_random_below(&rnd, 100)) {
	case 0 ... 49:
		return do_start(test, nr);
	case 50 ... 59:
		return do_reset(test, nr);
	case 60 ... 69:
		return do_stop(test, nr);
	case 70 ... 79:
		f->clock.now += test_random_size(&rnd, 27);
		return;
	case 80 ... 83:
		do_read(test, test_random_below(&rnd, 64));
		return;
	default:
		fake_clock_pass(&f->clock);
	}
}

/* Whoever has work left has somebody who will call. */
static void expect_progress(struct kunit *test)
{
	struct fixture *f = test->priv;
	const struct twheel_stats *s = stats(test);

	if (!f->inst.wheel || f->clock.deferred)
		return;
	if (s->armed)
		KUNIT_ASSERT_LE(test, f->clock.armed, f->inst.wheel->wake << 20);
	/* DUE timers wait for the reader only where the queue is full. */
	if (s->waiting > s->queued)
		KUNIT_ASSERT_EQ(test, s->queued, f->inst.queue.len);
}

static void each_arming_once(struct kunit *test)
{
	const struct late_case *c = test->param_value;
	struct fixture *f = test->priv;
	u64 i, missing = 0;

	test_random_init(test, &rnd, 1 + (c - policies));
	setup(test, c->len, c->policy);
	for (i = 0; i < ops / 10 && test_random_more(&rnd); i++) {
		do_something(test);
		expect_progress(test);
		if (i % 1024 == 0)
			cond_resched();
	}
	fake_clock_settle(&f->clock);
	while (do_read(test, EVENTS))
		fake_clock_settle(&f->clock);
	KUNIT_EXPECT_EQ(test, stats(test)->waiting, 0);
	for (i = 0; i < TIMERS; i++)
		missing += late[i].generation && !drops(test) &&
			   late[i].deadline + TICK <= f->clock.now;
	KUNIT_EXPECT_EQ_MSG(test, missing, 0, "not read, and nothing ended it");
	TEST_RANDOM_EXPECT_GT(test, stats(test)->delivered, ops / 500);
	TEST_RANDOM_EXPECT_GT(test, stats(test)->withdrawn, ops / 5000);
}

static struct kunit_case late_model_cases[] = {
	KUNIT_CASE_PARAM(each_arming_once, policy_gen_params),
	{}
};

static struct kunit_suite late_model_suite = {
	.name = "twheel_late_model",
	.init = late_init,
	.exit = fixture_exit,
	.test_cases = late_model_cases,
};

kunit_test_suite(late_model_suite);

MODULE_DESCRIPTION("Tests of an instance that is behind its time");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
