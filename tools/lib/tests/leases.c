// SPDX-License-Identifier: MIT
/* The dispatcher where expiries have to be acknowledged. */
#include <setjmp.h>

#include "context.h"

static jmp_buf out;
static struct twheel_event kept;

/* ---- what callbacks do */

static void see_state(struct context *self)
{
	struct twheel_get timer;

	CHECK_EQ(0, get(self, &timer));
	self->result = timer.state;
}

static void keep(struct context *self)
{
	kept = self->event;
	twheel_dispatcher_keep(dispatcher, &self->event);
}

static void keep_after_a_run(struct context *self)
{
	self->result = run();
	keep(self);
}

static void reject(struct context *self)
{
	self->then = NULL;
	self->result = twheel_reject_event(fd(), &self->event);
}

static void leave(struct context *self)
{
	self->then = NULL;
	longjmp(out, 1);
}

static void stop_self(struct context *self)
{
	self->result = stop(self);
}

static void stop_other(struct context *self)
{
	self->result = stop(self->other);
}

static void stop_and_free_self(struct context *self)
{
	CHECK_EQ(TWHEEL_WAS_DELIVERED, stop(self));
	memset(self, 0xcc, sizeof(*self));
	free(self);
}

static void reset_self(struct context *self)
{
	self->then = NULL;
	self->result = reset(self);
}

static void run_nested(struct context *self)
{
	self->result = run();
}

/* ---- */

static bool begin_leased(void (*then)(struct context *self), uint64_t lease_ns)
{
	struct twheel_setup setup = { .delivery = TWHEEL_AT_LEAST_ONCE, .lease_ns = lease_ns };

	return begin(then) && CHECK_EQ(0, twheel_setup(fd(), &setup, sizeof(setup)));
}

static bool is_gone(struct context *context)
{
	struct twheel_get timer;

	return CHECK_EQ(-ENOENT, get(context, &timer));
}

static bool is_delivered(struct context *context)
{
	struct twheel_get timer;

	return CHECK_EQ(0, get(context, &timer)) && CHECK_EQ(TWHEEL_DELIVERED, timer.state);
}

static void expiry_is_acknowledged_when_its_callback_has_returned(void)
{
	if (begin_leased(see_state, HOUR)) {
		start(&a, 0);
		CHECK_EQ(1, run_one());
		CHECK_EQ(TWHEEL_DELIVERED, a.result);
		CHECK_EQ(1, a.event.attempt);
		is_gone(&a);
		CHECK(is_quiet());
		CHECK_EQ(1, a.called);
	}
	end();
}

static void periodic_timer_goes_on(void)
{
	if (begin_leased(NULL, HOUR)) {
		start_every(&a, 2 * MS);
		CHECK_EQ(1, run_one());
		CHECK_EQ(1, run_one());
		CHECK_EQ(2, a.called);
		CHECK_EQ(1, a.event.attempt);
	}
	end();
}

static void kept_expiry_can_be_acknowledged_later(void)
{
	if (begin_leased(keep, HOUR)) {
		start(&a, 0);
		CHECK_EQ(1, run_one());
		is_delivered(&a);
		CHECK_EQ(TWHEEL_FREE, twheel_ack_event(fd(), &kept));
		is_gone(&a);
	}
	end();
}

static void kept_expiry_can_be_given_back_later(void)
{
	if (begin_leased(keep, HOUR)) {
		start(&a, 0);
		CHECK_EQ(1, run_one());
		CHECK(twheel_reject_event(fd(), &kept) >= 0);
		a.then = NULL;
		CHECK_EQ(1, run_one());
		CHECK_EQ(2, a.event.attempt);
		is_gone(&a);
	}
	end();
}

/* Only the one is kept: neither what is called before nor what is called after it. */
static void keeping_is_for_one_expiry(void)
{
	if (begin_leased(NULL, HOUR)) {
		b.then = keep;
		if (expire_three())
			CHECK_EQ(3, run());
		is_gone(&a);
		is_delivered(&b);
		is_gone(&c);
	}
	end();
}

static void runs_inside_keep_their_own(void)
{
	if (begin_leased(NULL, HOUR)) {
		a.then = keep_after_a_run;
		b.then = run_nested;
		c.then = keep;
		if (expire_three())
			CHECK_EQ(1, run());
		is_delivered(&a);
		is_gone(&b);
		is_delivered(&c);
	}
	end();
}

static void keeping_means_nothing_where_nothing_is_acknowledged(void)
{
	if (begin(keep)) {
		start(&a, 0);
		CHECK_EQ(1, run_one());
		CHECK_EQ(0, a.event.token);
		is_gone(&a);
	}
	end();
}

static void rejected_expiry_is_called_again(void)
{
	if (begin_leased(reject, HOUR)) {
		start(&a, 0);
		CHECK_EQ(1, run_one());
		CHECK(a.result >= 0);
		CHECK_EQ(1, run_one());
		CHECK_EQ(2, a.called);
		CHECK_EQ(2, a.event.attempt);
		is_gone(&a);
	}
	end();
}

static void callback_that_has_left_is_called_again(void)
{
	if (begin_leased(leave, HOUR)) {
		start(&a, 0);
		await_queued(fd(), 1);
		if (!setjmp(out))
			run();
		CHECK_EQ(0, twheel_extend_event(fd(), &a.event, MS));
		CHECK_EQ(1, run_one());
		CHECK_EQ(2, a.called);
		CHECK_EQ(2, a.event.attempt);
		is_gone(&a);
	}
	end();
}

static void callback_stops_itself(void)
{
	if (begin_leased(stop_self, HOUR)) {
		start(&a, 0);
		CHECK_EQ(1, run_one());
		CHECK_EQ(TWHEEL_WAS_DELIVERED, a.result);
		CHECK(is_quiet());
		CHECK_EQ(1, a.called);
	}
	end();
}

static void callback_frees_itself(void)
{
	struct context *heap = malloc(sizeof(*heap));

	if (CHECK(heap) && begin_leased(NULL, HOUR)) {
		context_init(heap, stop_and_free_self);
		CHECK_EQ(TWHEEL_WAS_FREE, start(heap, 0));
		await_queued(fd(), 1);
		CHECK(run() == 1);
		CHECK(is_quiet());
	}
	end();
}

/* What is acknowledged is the delivery before, and does not end the new arming. */
static void callback_resets_itself(void)
{
	if (begin_leased(reset_self, HOUR)) {
		start(&a, 2 * MS);
		CHECK_EQ(1, run_one());
		CHECK_EQ(TWHEEL_WAS_DELIVERED, a.result);
		CHECK_EQ(1, run_one());
		CHECK_EQ(2, a.called);
		CHECK_EQ(1, a.event.attempt);
		is_gone(&a);
	}
	end();
}

static void stop_takes_back_what_was_read(void)
{
	if (begin_leased(NULL, HOUR)) {
		a.then = stop_other;
		if (expire_three())
			CHECK_EQ(2, run());
		CHECK_EQ(TWHEEL_WITHDREW, a.result);
		CHECK_EQ(0, b.called);
		is_gone(&b);
		CHECK(is_quiet());
	}
	end();
}

static void run_tells_of_the_end(void)
{
	struct twheel_shutdown shutdown = { 0 };

	if (begin_leased(NULL, HOUR)) {
		start(&a, 0);
		await_queued(fd(), 1);
		CHECK_EQ(0, twheel_shutdown(fd(), &shutdown));
		CHECK_EQ(1, run());
		CHECK_EQ(-ESHUTDOWN, run());
		CHECK_EQ(-ESHUTDOWN, run());
		CHECK_EQ(1, a.called);
	}
	end();
}

static const struct test tests[] = {
	TEST(expiry_is_acknowledged_when_its_callback_has_returned),
	TEST(periodic_timer_goes_on),
	TEST(kept_expiry_can_be_acknowledged_later),
	TEST(kept_expiry_can_be_given_back_later),
	TEST(keeping_is_for_one_expiry),
	TEST(runs_inside_keep_their_own),
	TEST(keeping_means_nothing_where_nothing_is_acknowledged),
	TEST(rejected_expiry_is_called_again),
	TEST(callback_that_has_left_is_called_again),
	TEST(callback_stops_itself),
	TEST(callback_frees_itself),
	TEST(callback_resets_itself),
	TEST(stop_takes_back_what_was_read),
	TEST(run_tells_of_the_end),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
