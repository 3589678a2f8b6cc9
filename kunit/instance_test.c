// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of an instance: timers, times, limits, the clock
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "instance_fixture.h"
#include "test_random.h"

/* Ages of the clock, up to 18 minutes before its end. */
static const u64 ages[] = {
	12345678901, TICK * ((1ULL << 32) - 5) + 77, (1ULL << 62) - 3,
	KTIME_MAX - (1ULL << 40),
};

static void describe_age(const u64 *age, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "at %llu ns", *age);
}

KUNIT_ARRAY_PARAM(age, ages, describe_age);

static int instance_init(struct kunit *test)
{
	const u64 *age = test->param_value;

	return fixture_init(test, age ? *age : ages[0]);
}

/* Case 1 of the field: all phases, around the tick and far from it. */
static void never_early_and_late_by_less_than_a_tick(struct kunit *test)
{
	static const u64 times[] = { 1, TICK - 1, TICK, TICK + 1, TICK * 3 / 2,
				     TICK * 10, 0 };
	struct fixture *f = test->priv;
	struct test_random random;
	u64 deadline, time;
	u32 i, flags;

	test_random_init(test, &random, 1);
	for (i = 0; i < 2000; i++) {
		run_for(f, test_random_below(&random, 3 * TICK));
		time = times[i % ARRAY_SIZE(times)] ?:
		       1 + test_random_below(&random, 50000000);
		deadline = f->clock.now + time;
		flags = i % 2 ? TWHEEL_ABSTIME : 0;
		KUNIT_ASSERT_EQ(test, start(f, i, flags ? deadline : time, 0,
					    flags), 0);
		fake_clock_run(&f->clock, deadline - 1);
		KUNIT_ASSERT_EQ_MSG(test, read_events(f, 1), 0,
				    "early: %llu from %llu", time,
				    deadline - time);
		fake_clock_run(&f->clock, deadline + TICK - 1);
		KUNIT_ASSERT_EQ_MSG(test, read_events(f, 2), 1,
				    "late: %llu from %llu", time,
				    deadline - time);
		KUNIT_ASSERT_EQ(test, f->event[0].id, (u64)i);
		KUNIT_ASSERT_EQ(test, f->event[0].data, ~(u64)i);
		KUNIT_ASSERT_EQ(test, f->event[0].deadline_ns, deadline);
		KUNIT_ASSERT_GE(test, f->event[0].fired_ns, deadline);
		KUNIT_ASSERT_LT(test, f->event[0].fired_ns, deadline + TICK);
		KUNIT_ASSERT_EQ(test, f->event[0].expirations, 1);
	}
}

/* Without a call of the clock, and exactly once. */
static void now_and_the_past_expire_at_once(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 now;
	u32 i;
	const s64 away[] = { 0, -1, -(s64)TICK / 2, -(s64)TICK, -10000 };

	for (i = 0; i < ARRAY_SIZE(away); i++) {
		f->clock.now += TICK * 7 / 5;
		now = f->clock.now;
		KUNIT_EXPECT_EQ(test, start(f, i, now + away[i], 0,
					    TWHEEL_ABSTIME), 0);
		KUNIT_ASSERT_EQ_MSG(test, read_events(f, 2), 1,
				    "deadline now %lld", away[i]);
		KUNIT_EXPECT_EQ(test, f->event[0].fired_ns, now);
		KUNIT_EXPECT_EQ(test, f->event[0].deadline_ns, now + away[i]);
		run_for(f, TICK * 5);
		KUNIT_EXPECT_EQ(test, read_events(f, 2), 0);
	}
	KUNIT_EXPECT_EQ(test, start(f, 9, 0, 0, 0), 0);
	KUNIT_EXPECT_EQ_MSG(test, read_events(f, 2), 1, "timeout 0");
}

/* Nothing is armed and no timer is made. */
static void too_large_times_change_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 now = f->clock.now;

	KUNIT_EXPECT_EQ(test, start(f, 1, U64_MAX, 0, 0), -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, start(f, 1, -46000000, 0, 0), -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, start(f, 1, KTIME_MAX - now + 1, 0, 0),
			-EOVERFLOW);
	KUNIT_EXPECT_EQ(test, start(f, 1, -1, 0, TWHEEL_ABSTIME), -EOVERFLOW);
	/* The second expiry would be after the end of the clock. */
	KUNIT_EXPECT_EQ(test, start(f, 1, TICK, KTIME_MAX - now - TICK + 1, 0),
			-EOVERFLOW);
	KUNIT_EXPECT_EQ(test, start(f, 1, TICK, U64_MAX, 0), -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, stats(test)->timers, 0);
	KUNIT_EXPECT_EQ(test, f->clock.armed, FAKE_CLOCK_IDLE);

	KUNIT_EXPECT_EQ(test, start(f, 1, TICK, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, reset(f, 1, U64_MAX, TWHEEL_NEW_TIMEOUT),
			-EOVERFLOW);
	KUNIT_EXPECT_EQ(test, start(f, 1, U64_MAX, 0, 0), -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.deadline_ns, now + TICK);
	KUNIT_EXPECT_EQ(test, f->get.generation, 1);
}

/* The last nanosecond of the clock is a deadline like any other. */
static void last_deadline_of_the_clock(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, start(f, 1, KTIME_MAX, 0, TWHEEL_ABSTIME), 0);
	run_for(f, TICK * 100000);
	KUNIT_EXPECT_EQ(test, read_events(f, 1), 0);
	KUNIT_EXPECT_EQ(test, stop(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->stop.outcome, TWHEEL_STOPPED);
	KUNIT_EXPECT_EQ(test, f->stop.remaining_ns, KTIME_MAX - f->clock.now);
}

static void short_interval_is_refused(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, start(f, 1, TICK, 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, start(f, 1, TICK, TICK - 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, get(f, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, start(f, 1, TICK, TICK, 0), 0);
}

/* Case 4 of the field: one record, and still on the grid. */
static void missed_periods_are_counted(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->clock.now, interval = 10000000;

	KUNIT_ASSERT_EQ(test, start(f, 1, interval, interval, 0), 0);
	run_for(f, 200 * interval + interval / 2);
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].expirations, 200);
	KUNIT_EXPECT_EQ(test, f->event[0].deadline_ns, base + interval);
	KUNIT_EXPECT_EQ(test, f->event[0].flags, TWHEEL_EVENT_PERIODIC);
	KUNIT_EXPECT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.state, TWHEEL_ARMED);
	KUNIT_EXPECT_EQ(test, f->get.deadline_ns, base + 201 * interval);
	KUNIT_EXPECT_EQ(test, stats(test)->expired, 1);
}

/* An interval that is no number of ticks: no drift, whenever it is read. */
static void periodic_stays_on_its_grid(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->clock.now, interval = TICK * 7 / 3, seen = 0;
	struct test_random random;
	u32 i;

	test_random_init(test, &random, 2);
	KUNIT_ASSERT_EQ(test, start(f, 1, interval, interval, 0), 0);
	for (i = 0; i < 500; i++) {
		run_for(f, test_random_below(&random, 4 * interval));
		if (!read_events(f, 1))
			continue;
		KUNIT_ASSERT_EQ(test, f->event[0].deadline_ns,
				base + (seen + 1) * interval);
		seen += f->event[0].expirations;
		KUNIT_ASSERT_EQ(test, seen, (f->clock.now - base) / interval);
		KUNIT_ASSERT_EQ(test, read_events(f, 1), 0);
	}
	KUNIT_EXPECT_GT(test, seen, 500);
}

/* CVE-2024-38618, CVE-2018-12896: no loop over the periods since then. */
static void periodic_since_the_beginning_of_time(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 now = f->clock.now;

	KUNIT_ASSERT_EQ(test, start(f, 1, 1, TICK, TWHEEL_ABSTIME), 0);
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].expirations, (now - 1) / TICK + 1);
	KUNIT_ASSERT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_GT(test, f->get.deadline_ns, now);
	KUNIT_EXPECT_LE(test, f->get.deadline_ns, now + TICK);
	KUNIT_EXPECT_EQ(test, f->get.deadline_ns % TICK, 1);
}

static void reset_of_a_periodic_timer_moves_its_grid(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 interval = 5 * TICK, now;

	KUNIT_ASSERT_EQ(test, start(f, 1, TICK, interval, 0), 0);
	run_for(f, 13 * TICK);
	now = f->clock.now;
	KUNIT_ASSERT_EQ(test, reset(f, 1, 2 * TICK, TWHEEL_NEW_TIMEOUT), 0);
	KUNIT_EXPECT_EQ(test, f->reset.outcome, TWHEEL_WITHDREW);
	KUNIT_EXPECT_EQ(test, f->reset.deadline_ns, now + 2 * TICK);
	run_for(f, 13 * TICK);
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].deadline_ns, now + 2 * TICK);
	KUNIT_EXPECT_EQ(test, f->event[0].expirations, 3);
	KUNIT_EXPECT_EQ(test, f->event[0].generation, 2);
}

/* Case 8 of the field: an ID stands in one place only. */
static void start_of_a_live_id_moves_it(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, start(f, 7, 100 * TICK, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, f->start.outcome, TWHEEL_WAS_FREE);
	KUNIT_EXPECT_EQ(test, f->start.generation, 1);
	run_for(f, 30 * TICK);
	KUNIT_ASSERT_EQ(test, start(f, 7, 200 * TICK, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, f->start.outcome, TWHEEL_STOPPED);
	KUNIT_EXPECT_EQ(test, f->start.remaining_ns, 70 * TICK);
	KUNIT_EXPECT_EQ(test, f->start.generation, 2);
	KUNIT_EXPECT_EQ(test, stats(test)->timers, 1);
	run_for(f, 200 * TICK);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 0);
	run_for(f, 2 * TICK);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].generation, 2);
}

static void exclusive_start_touches_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, start(f, 0, 100 * TICK, 0, TWHEEL_EXCLUSIVE), 0);
	KUNIT_EXPECT_EQ(test, start(f, 0, TICK, 0, TWHEEL_EXCLUSIVE), -EEXIST);
	KUNIT_EXPECT_EQ(test, get(f, 0), 0);
	KUNIT_EXPECT_EQ(test, f->get.remaining_ns, 100 * TICK);
	KUNIT_EXPECT_EQ(test, f->get.generation, 1);
	KUNIT_EXPECT_EQ(test, start(f, U64_MAX, TICK, 0, TWHEEL_EXCLUSIVE), 0);
}

static void unknown_id(struct kunit *test)
{
	struct fixture *f = test->priv;

	/* Before the instance has any memory, too. */
	KUNIT_EXPECT_EQ(test, stop(f, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, reset(f, 1, 0, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, get(f, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, read_events(f, 1), 0);
	KUNIT_EXPECT_EQ(test, stats(test)->timers, 0);
	/* And too late: after it was read. */
	KUNIT_EXPECT_EQ(test, start(f, 1, TICK, 0, 0), 0);
	run_for(f, 2 * TICK);
	KUNIT_EXPECT_EQ(test, read_events(f, 1), 1);
	KUNIT_EXPECT_EQ(test, stop(f, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, reset(f, 1, 0, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, get(f, 1), -ENOENT);
}

static void reset_repeats_the_timeout(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 now = f->clock.now;

	KUNIT_ASSERT_EQ(test, start(f, 1, 40 * TICK, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, start(f, 2, now + 50 * TICK, 0, TWHEEL_ABSTIME),
			0);
	run_for(f, 10 * TICK);
	now = f->clock.now;
	KUNIT_EXPECT_EQ(test, reset(f, 1, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, f->reset.outcome, TWHEEL_STOPPED);
	KUNIT_EXPECT_EQ(test, f->reset.remaining_ns, 30 * TICK);
	KUNIT_EXPECT_EQ(test, f->reset.deadline_ns, now + 40 * TICK);
	KUNIT_EXPECT_EQ(test, reset(f, 2, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, f->reset.deadline_ns, now + 50 * TICK);
	/* A new timeout is remembered. */
	KUNIT_EXPECT_EQ(test, reset(f, 1, 5 * TICK, TWHEEL_NEW_TIMEOUT), 0);
	run_for(f, TICK);
	KUNIT_EXPECT_EQ(test, reset(f, 1, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, f->reset.deadline_ns, now + 6 * TICK);
	KUNIT_EXPECT_EQ(test, reset(f, 1, now + 9 * TICK,
				    TWHEEL_NEW_TIMEOUT | TWHEEL_ABSTIME), 0);
	KUNIT_EXPECT_EQ(test, f->reset.deadline_ns, now + 9 * TICK);
	KUNIT_EXPECT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.timeout_ns, 8 * TICK);
}

/* Guarantee 8: for the next expiry or migration, and for nothing else. */
static void clock_is_armed_for_the_next_expiry(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->clock.now, first = (base / TICK + 21) * TICK;

	KUNIT_ASSERT_EQ(test, start(f, 1, first, 0, TWHEEL_ABSTIME), 0);
	KUNIT_EXPECT_EQ(test, f->clock.armed, first);
	KUNIT_ASSERT_EQ(test, start(f, 2, first + 1, 0, TWHEEL_ABSTIME), 0);
	KUNIT_ASSERT_EQ(test, start(f, 3, first + 9 * TICK, 0, TWHEEL_ABSTIME),
			0);
	KUNIT_EXPECT_EQ(test, f->clock.armed, first);
	KUNIT_EXPECT_EQ(test, f->clock.arms, 1);
	KUNIT_ASSERT_EQ(test, stop(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->clock.armed, first + TICK);
	KUNIT_ASSERT_EQ(test, stop(f, 3), 0);
	KUNIT_ASSERT_EQ(test, stop(f, 2), 0);
	KUNIT_EXPECT_EQ(test, f->clock.armed, FAKE_CLOCK_IDLE);
	KUNIT_EXPECT_EQ(test, f->clock.arms, 2);
	run_for(f, 100 * TICK);
	KUNIT_EXPECT_EQ(test, f->clock.passes, 0);
}

/* What has fired need not be cancelled. */
static void fired_clock_is_left_alone(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, start(f, 1, 3 * TICK, 0, 0), 0);
	run_for(f, 9 * TICK);
	KUNIT_EXPECT_EQ(test, f->clock.fired, 1);
	KUNIT_EXPECT_EQ(test, f->clock.arms, 1);
	KUNIT_EXPECT_EQ(test, f->clock.cancels, 0);
}

/* Not by that of the last expiry, from where it would be far away. */
static void timers_are_placed_by_the_current_time(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 at;

	KUNIT_ASSERT_EQ(test, start(f, 1, TICK, 0, 0), 0);
	run_for(f, 123456 * TICK);
	at = (f->clock.now / TICK + 40) * TICK;
	KUNIT_ASSERT_EQ(test, start(f, 2, at, 0, TWHEEL_ABSTIME), 0);
	KUNIT_EXPECT_EQ(test, f->clock.armed, at);
}

/* An hour, a day, a century: the clock calls once per level at most. */
static void far_timers_are_idle(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 away = 1, room = KTIME_MAX - f->clock.now;

	while (away < room / 1000) {
		away *= 1000;
		f->clock.fired = 0;
		KUNIT_ASSERT_EQ(test, start(f, away, away, 0, 0), 0);
		run_for(f, away + TICK);
		KUNIT_ASSERT_EQ(test, read_events(f, 2), 1);
		KUNIT_EXPECT_LE_MSG(test, f->clock.fired, TWHEEL_LEVELS,
				    "timeout %llu", away);
		room = KTIME_MAX - f->clock.now;
	}
	KUNIT_EXPECT_EQ(test, f->clock.armed, FAKE_CLOCK_IDLE);
}

/* A heartbeat far from its deadline does not program the clock each time. */
static void resets_seldom_program_the_clock(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	KUNIT_ASSERT_EQ(test, start(f, 1, 10 * TICK, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, start(f, 2, 50000 * TICK, 0, 0), 0);
	for (i = 0; i < 100; i++) {
		f->clock.now += TICK / 20;
		KUNIT_ASSERT_EQ(test, reset(f, 2, 0, 0), 0);
	}
	KUNIT_EXPECT_EQ(test, f->clock.arms, 1);
}

/* The same alone in its instance: no wake-up but that of the first deadline. */
static void resets_are_looked_at_once(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	KUNIT_ASSERT_EQ(test, start(f, 1, 40 * TICK, 0, 0), 0);
	for (i = 0; i < 390; i++) {
		run_for(f, TICK / 10);
		KUNIT_ASSERT_EQ(test, reset(f, 1, 0, 0), 0);
		KUNIT_ASSERT_EQ(test, f->reset.outcome, TWHEEL_STOPPED);
		KUNIT_ASSERT_GE(test, f->reset.remaining_ns, 39 * TICK);
	}
	KUNIT_EXPECT_EQ(test, f->clock.passes, 0);
	run_for(f, 40 * TICK - 1);
	KUNIT_EXPECT_EQ(test, f->clock.passes, 1);
	KUNIT_EXPECT_EQ(test, read_events(f, EVENTS), 0);
	run_for(f, TICK);
	KUNIT_ASSERT_EQ(test, read_events(f, EVENTS), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].deadline_ns, f->reset.deadline_ns);
	KUNIT_EXPECT_EQ(test, f->event[0].generation, f->reset.generation);
}

static void reset_to_an_earlier_deadline_moves_at_once(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, start(f, 1, 40 * TICK, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, reset(f, 1, 50 * TICK, TWHEEL_NEW_TIMEOUT), 0);
	KUNIT_ASSERT_EQ(test, reset(f, 1, 45 * TICK, TWHEEL_NEW_TIMEOUT), 0);
	KUNIT_ASSERT_EQ(test, reset(f, 1, 5 * TICK, TWHEEL_NEW_TIMEOUT), 0);
	run_for(f, 6 * TICK);
	KUNIT_EXPECT_EQ(test, read_events(f, EVENTS), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].deadline_ns, f->reset.deadline_ns);
}

static struct kunit_case instance_cases[] = {
	KUNIT_CASE_PARAM(never_early_and_late_by_less_than_a_tick,
			 age_gen_params),
	KUNIT_CASE_PARAM(now_and_the_past_expire_at_once, age_gen_params),
	KUNIT_CASE_PARAM(too_large_times_change_nothing, age_gen_params),
	KUNIT_CASE_PARAM(last_deadline_of_the_clock, age_gen_params),
	KUNIT_CASE(short_interval_is_refused),
	KUNIT_CASE_PARAM(missed_periods_are_counted, age_gen_params),
	KUNIT_CASE_PARAM(periodic_stays_on_its_grid, age_gen_params),
	KUNIT_CASE_PARAM(periodic_since_the_beginning_of_time, age_gen_params),
	KUNIT_CASE(reset_of_a_periodic_timer_moves_its_grid),
	KUNIT_CASE_PARAM(start_of_a_live_id_moves_it, age_gen_params),
	KUNIT_CASE(exclusive_start_touches_nothing),
	KUNIT_CASE(unknown_id),
	KUNIT_CASE_PARAM(reset_repeats_the_timeout, age_gen_params),
	KUNIT_CASE_PARAM(clock_is_armed_for_the_next_expiry, age_gen_params),
	KUNIT_CASE(fired_clock_is_left_alone),
	KUNIT_CASE_PARAM(timers_are_placed_by_the_current_time, age_gen_params),
	KUNIT_CASE_PARAM(far_timers_are_idle, age_gen_params),
	KUNIT_CASE(resets_seldom_program_the_clock),
	KUNIT_CASE(resets_are_looked_at_once),
	KUNIT_CASE(reset_to_an_earlier_deadline_moves_at_once),
	{}
};

static struct kunit_suite instance_suite = {
	.name = "twheel_instance",
	.init = instance_init,
	.exit = fixture_exit,
	.test_cases = instance_cases,
};

kunit_test_suite(instance_suite);

MODULE_DESCRIPTION("Tests of an instance: timers, times, the clock");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
