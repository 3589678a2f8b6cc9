// SPDX-License-Identifier: MIT
/* The dispatcher and its timers, from outside, and ways through run(). */
#include <setjmp.h>

#include "context.h"

/* More than one read of the dispatcher. */
#define CROWD	300

static struct context crowd[CROWD];
static jmp_buf out;

static void leave(struct context *self)
{
	self->then = NULL;
	longjmp(out, 1);
}

static void run_nested(struct context *self)
{
	self->then = NULL;
	self->result = run();
}

/* ---- the common case */

static void run_without_expiry_calls_nothing(void)
{
	if (!begin(NULL))
		return;
	CHECK_EQ(0, run());
	CHECK_EQ(TWHEEL_WAS_FREE, start(&a, HOUR));
	CHECK_EQ(0, run());
	end();
}

static void callback_gets_the_expiry(void)
{
	uint64_t before = now_ns();

	if (!begin(NULL))
		return;
	CHECK_EQ(TWHEEL_WAS_FREE, start(&a, MS));
	CHECK_EQ(1, run_one());
	CHECK_EQ(1, a.called);
	CHECK(a.event.deadline_ns >= before + MS);
	CHECK(a.event.fired_ns >= a.event.deadline_ns);
	CHECK_EQ(1, a.event.expirations);
	CHECK_EQ(0, a.event.flags);
	CHECK(is_quiet());
	end();
}

static void run_calls_in_the_order_of_expiry(void)
{
	if (begin(NULL) && expire_three()) {
		CHECK_EQ(3, run());
		CHECK(a.event.sequence < b.event.sequence);
		CHECK(b.event.sequence < c.event.sequence);
	}
	end();
}

static bool expire_crowd(void (*then)(struct context *self))
{
	int i;

	for (i = 0; i < CROWD; i++) {
		context_init(&crowd[i], then);
		if (start(&crowd[i], 0) < 0)
			return CHECK(!"a start failed");
	}
	return await_queued(fd(), CROWD);
}

static bool crowd_was_called_once(void)
{
	int i;

	for (i = 0; i < CROWD; i++)
		if (crowd[i].called != 1)
			return false;
	return true;
}

static void more_than_one_read_is_called_by_more_runs(void)
{
	int first = 0, second = 0;

	if (begin(NULL) && expire_crowd(NULL)) {
		first = run();
		second = run();
	}
	CHECK(first > 0 && first < CROWD);
	CHECK_EQ(CROWD, first + second);
	CHECK(crowd_was_called_once());
	end();
}

static void settings_can_be_chosen_before_the_first_start(void)
{
	struct twheel_setup setup = { .queue_len = 512 };

	if (!begin(NULL))
		return;
	CHECK_EQ(0, twheel_setup(fd(), &setup, sizeof(setup)));
	end();
}

static void action_can_go_to_another_dispatcher(void)
{
	if (begin(NULL) && expire_three()) {
		a.then = leave;
		if (!setjmp(out))
			run();
	}
	end();
	if (begin(NULL) && expire_three())
		CHECK_EQ(3, run());
	end();
}

/* ---- stop, reset and start from outside */

static void stop_of_a_running_timer(void)
{
	uint64_t timeout = 2 * MS;
	int outcome;

	if (!begin(NULL))
		return;
	/* again with more time, if it was over before the stop */
	do {
		timeout *= 2;
		CHECK_EQ(TWHEEL_WAS_FREE, start(&a, timeout));
		outcome = stop(&a);
	} while (outcome == TWHEEL_WITHDREW);
	CHECK_EQ(TWHEEL_STOPPED, outcome);
	/* one that comes after it */
	start(&b, timeout);
	CHECK_EQ(1, run_one());
	CHECK_EQ(1, b.called);
	CHECK(is_quiet());
	CHECK_EQ(0, a.called);
	end();
}

static void stop_of_an_expired_timer(void)
{
	if (!begin(NULL))
		return;
	start(&a, 0);
	await_queued(fd(), 1);
	CHECK_EQ(TWHEEL_WITHDREW, stop(&a));
	CHECK(is_quiet());
	CHECK_EQ(0, a.called);
	end();
}

static void stop_and_reset_of_what_does_not_run(void)
{
	if (!begin(NULL))
		return;
	CHECK_EQ(-ENOENT, stop(&a));
	CHECK_EQ(-ENOENT, reset(&a));
	CHECK_EQ(-ENOENT, twheel_action_reset_to(dispatcher, &a.action, MS));
	start(&a, HOUR);
	CHECK_EQ(TWHEEL_STOPPED, stop(&a));
	CHECK_EQ(-ENOENT, stop(&a));
	CHECK_EQ(-ENOENT, reset(&a));
	CHECK(is_quiet());
	end();
}

static void reset_keeps_the_timeout(void)
{
	struct twheel_get timer;

	if (!begin(NULL))
		return;
	start(&a, HOUR);
	CHECK_EQ(TWHEEL_STOPPED, reset(&a));
	CHECK_EQ(0, get(&a, &timer));
	CHECK_EQ(HOUR, timer.timeout_ns);
	end();
}

static void reset_to_brings_a_new_timeout(void)
{
	struct twheel_get timer;

	if (!begin(NULL))
		return;
	start(&a, HOUR);
	CHECK_EQ(TWHEEL_STOPPED, twheel_action_reset_to(dispatcher, &a.action, 2 * MS));
	CHECK_EQ(1, run_one());
	/* and it is that one which the next reset uses */
	CHECK_EQ(TWHEEL_WAS_FREE, reset(&a));
	CHECK_EQ(1, run_one());
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_action_reset_to(dispatcher, &a.action, HOUR));
	CHECK_EQ(0, get(&a, &timer));
	CHECK_EQ(HOUR, timer.timeout_ns);
	CHECK_EQ(2, a.called);
	end();
}

static void reset_after_a_deadline_uses_its_distance(void)
{
	struct twheel_start start = { .flags = TWHEEL_ABSTIME };
	struct twheel_get timer;

	if (!begin(NULL))
		return;
	start.time_ns = now_ns() + 20 * MS;
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_action_start_with(dispatcher, &a.action, &start));
	CHECK_EQ(1, run_one());
	CHECK_EQ(TWHEEL_WAS_FREE, reset(&a));
	CHECK_EQ(0, get(&a, &timer));
	CHECK(timer.timeout_ns <= 20 * MS);
	CHECK(timer.deadline_ns > start.time_ns);
	end();
}

static void reset_after_expiry_keeps_the_slack(void)
{
	/* two ticks, of which it is a whole number on the device */
	struct twheel_start start = { .time_ns = MS, .slack_ns = 2 << 20 };
	struct twheel_get timer;

	if (!begin(NULL))
		return;
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_action_start_with(dispatcher, &a.action, &start));
	CHECK_EQ(1, run_one());
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_action_reset_to(dispatcher, &a.action, HOUR));
	CHECK_EQ(0, get(&a, &timer));
	CHECK_EQ(2 << 20, timer.slack_ns);
	end();
}

static void wrong_interval_is_refused(void)
{
	if (!begin(NULL))
		return;
	CHECK_EQ(-EINVAL, start_every(&a, 0));
	CHECK_EQ(-EINVAL, start_every(&a, 1));
	CHECK_EQ(-ENOENT, reset(&a));
	end();
}

static void action_without_callback_is_refused(void)
{
	struct twheel_action action = { 0 };

	if (!begin(NULL))
		return;
	CHECK_EQ(-EINVAL, twheel_action_start(dispatcher, &action, 0));
	CHECK(is_quiet());
	end();
}

/* ---- callbacks that do not return, or run the dispatcher */

static void longjmp_loses_nothing(void)
{
	if (begin(NULL) && expire_three()) {
		a.then = leave;
		if (!setjmp(out))
			CHECK_EQ(0, run());
		CHECK_EQ(0, b.called);
		CHECK_EQ(2, run());
		CHECK_EQ(1, a.called);
		CHECK_EQ(1, b.called);
		CHECK_EQ(1, c.called);
		CHECK(is_quiet());
	}
	end();
}

static void what_longjmp_left_can_be_stopped(void)
{
	if (begin(NULL) && expire_three()) {
		a.then = leave;
		if (!setjmp(out))
			CHECK_EQ(0, run());
		CHECK_EQ(TWHEEL_WITHDREW, stop(&b));
		CHECK_EQ(TWHEEL_WITHDREW, stop(&c));
		CHECK(is_quiet());
		CHECK_EQ(0, b.called + c.called);
	}
	end();
}

static void nested_run_calls_the_rest(void)
{
	if (begin(NULL) && expire_three()) {
		a.then = run_nested;
		CHECK_EQ(1, run());
		CHECK_EQ(2, a.result);
		CHECK_EQ(1, a.called);
		CHECK_EQ(1, b.called);
		CHECK_EQ(1, c.called);
		CHECK(is_quiet());
	}
	end();
}

/* Runs inside runs, CROWD deep, across two reads. */
static void deeply_nested_runs_call_each_once(void)
{
	if (begin(NULL) && expire_crowd(run_nested))
		while (run() > 0)
			;
	CHECK(crowd_was_called_once());
	CHECK(is_quiet());
	end();
}

static const struct test tests[] = {
	TEST(run_without_expiry_calls_nothing),
	TEST(callback_gets_the_expiry),
	TEST(run_calls_in_the_order_of_expiry),
	TEST(more_than_one_read_is_called_by_more_runs),
	TEST(settings_can_be_chosen_before_the_first_start),
	TEST(action_can_go_to_another_dispatcher),
	TEST(stop_of_a_running_timer),
	TEST(stop_of_an_expired_timer),
	TEST(stop_and_reset_of_what_does_not_run),
	TEST(reset_keeps_the_timeout),
	TEST(reset_to_brings_a_new_timeout),
	TEST(reset_after_a_deadline_uses_its_distance),
	TEST(reset_after_expiry_keeps_the_slack),
	TEST(wrong_interval_is_refused),
	TEST(action_without_callback_is_refused),
	TEST(longjmp_loses_nothing),
	TEST(what_longjmp_left_can_be_stopped),
	TEST(nested_run_calls_the_rest),
	TEST(deeply_nested_runs_call_each_once),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
