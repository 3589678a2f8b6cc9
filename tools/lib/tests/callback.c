// SPDX-License-Identifier: MIT
/*
 * What a callback may do to its own timer and to others, above all to one whose
 * expiry was read together with its own.
 */
#include "context.h"

static struct context *heap;

/* ---- what callbacks do */

static void stop_self(struct context *self)
{
	self->result = stop(self);
}

static void reset_self(struct context *self)
{
	self->result = reset(self);
	self->then = NULL;
}

static void start_self(struct context *self)
{
	self->result = start(self, 2 * MS);
	self->then = NULL;
}

static void free_self(struct context *self)
{
	if (self == heap)
		heap = NULL;
	free(self);
}

static void stop_and_free_self(struct context *self)
{
	CHECK_EQ(TWHEEL_STOPPED, stop(self));
	free_self(self);
}

static void stop_other(struct context *self)
{
	self->result = stop(self->other);
}

static void free_other(struct context *self)
{
	CHECK_EQ(TWHEEL_WITHDREW, stop(self->other));
	memset(self->other, 0xcc, sizeof(*self->other));
	free_self(self->other);
}

static void reset_other(struct context *self)
{
	self->result = reset(self->other);
	self->other->then = NULL;
}

static void reset_other_to(struct context *self)
{
	self->result = twheel_action_reset_to(dispatcher, &self->other->action, 2 * MS);
	self->other->then = NULL;
}

static void start_other(struct context *self)
{
	self->result = start(self->other, 5 * MS);
	self->other->then = NULL;
}

static void start_other_exclusively(struct context *self)
{
	struct twheel_start start = { .time_ns = HOUR, .flags = TWHEEL_EXCLUSIVE };

	self->result = twheel_action_start_with(dispatcher, &self->other->action, &start);
	self->other->then = NULL;
}

static void start_other_wrongly(struct context *self)
{
	self->result = twheel_action_start_every(dispatcher, &self->other->action, 1);
	self->other->then = NULL;
}

/* ---- a callback and its own timer */

static void callback_stops_itself(void)
{
	if (!begin(stop_self))
		return;
	start(&a, 0);
	CHECK_EQ(1, run_one());
	CHECK_EQ(-ENOENT, a.result);
	CHECK_EQ(-ENOENT, reset(&a));
	CHECK(is_quiet());
	CHECK_EQ(1, a.called);
	end();
}

static void callback_resets_itself(void)
{
	if (!begin(reset_self))
		return;
	start(&a, 2 * MS);
	CHECK_EQ(1, run_one());
	CHECK_EQ(TWHEEL_WAS_FREE, a.result);
	CHECK_EQ(1, run_one());
	CHECK_EQ(2, a.called);
	CHECK(is_quiet());
	CHECK_EQ(2, a.called);
	end();
}

static void callback_starts_itself_again(void)
{
	if (!begin(start_self))
		return;
	start(&a, 0);
	CHECK_EQ(1, run_one());
	CHECK_EQ(TWHEEL_WAS_FREE, a.result);
	CHECK_EQ(1, run_one());
	CHECK_EQ(2, a.called);
	CHECK(is_quiet());
	end();
}

static void callback_frees_its_context(void)
{
	heap = malloc(sizeof(*heap));
	if (!begin(NULL) || !CHECK(heap))
		return;
	context_init(heap, free_self);
	start(heap, 0);
	CHECK_EQ(1, run_one());
	CHECK(!heap);
	CHECK(is_quiet());
	end();
}

/* ---- a callback and a timer whose expiry was read with its own */

static void callback_stops_another(void)
{
	if (begin(stop_other) && expire_three()) {
		CHECK_EQ(2, run());
		CHECK_EQ(TWHEEL_WITHDREW, a.result);
		CHECK_EQ(0, b.called);
		CHECK_EQ(-ENOENT, stop(&b));
		CHECK_EQ(1, c.called);
		CHECK(is_quiet());
		CHECK_EQ(0, b.called);
	}
	end();
}

static void callback_frees_another(void)
{
	heap = malloc(sizeof(*heap));
	if (!begin(NULL) || !CHECK(heap))
		return;
	context_init(heap, NULL);
	a.other = heap;
	a.then = free_other;
	start(&a, 0);
	await_queued(fd(), 1);
	start(heap, 0);
	await_queued(fd(), 2);
	CHECK_EQ(1, run());
	CHECK(!heap);
	CHECK(is_quiet());
	end();
}

static void callback_resets_another(void)
{
	struct twheel_get old;

	if (begin(reset_other) && expire_three()) {
		CHECK_EQ(0, get(&b, &old));
		CHECK_EQ(2, run());
		CHECK_EQ(TWHEEL_WITHDREW, a.result);
		CHECK_EQ(0, b.called);
		CHECK_EQ(1, run_one());
		CHECK_EQ(1, b.called);
		CHECK(b.event.generation > old.generation);
		CHECK(is_quiet());
		CHECK_EQ(1, b.called);
	}
	end();
}

static void callback_starts_another_again(void)
{
	if (begin(start_other) && expire_three()) {
		CHECK_EQ(2, run());
		CHECK_EQ(TWHEEL_WITHDREW, a.result);
		CHECK_EQ(0, b.called);
		CHECK_EQ(1, run_one());
		CHECK_EQ(1, b.called);
		CHECK(is_quiet());
		CHECK_EQ(1, b.called);
	}
	end();
}

static void exclusive_start_of_another_leaves_it(void)
{
	if (begin(start_other_exclusively) && expire_three()) {
		CHECK_EQ(3, run());
		CHECK_EQ(-EEXIST, a.result);
		CHECK_EQ(1, b.called);
		CHECK(is_quiet());
	}
	end();
}

static void failed_start_of_another_leaves_it(void)
{
	if (begin(start_other_wrongly) && expire_three()) {
		CHECK_EQ(3, run());
		CHECK_EQ(-EINVAL, a.result);
		CHECK_EQ(1, b.called);
		CHECK(is_quiet());
	}
	end();
}

/* ---- periodic timers */

static void periodic_timer_is_called_again(void)
{
	if (!begin(NULL))
		return;
	CHECK_EQ(TWHEEL_WAS_FREE, start_every(&a, 2 * MS));
	CHECK_EQ(1, run_one());
	CHECK_EQ(TWHEEL_EVENT_PERIODIC, a.event.flags);
	await_queued(fd(), 1);
	CHECK_EQ(1, run());
	CHECK_EQ(2, a.called);
	end();
}

static void missed_periods_are_one_call(void)
{
	if (!begin(NULL))
		return;
	start_every(&a, 2 * MS);
	/* a second timer, so as to wait for what comes after several periods */
	start(&b, 20 * MS);
	await_queued(fd(), 2);
	CHECK_EQ(2, run());
	CHECK_EQ(1, a.called);
	CHECK(a.event.expirations >= 9);
	end();
}

static void periodic_callback_stops_itself(void)
{
	if (!begin(stop_self))
		return;
	/* a minute, so that it does not expire again before the stop */
	CHECK_EQ(TWHEEL_WAS_FREE,
		 twheel_action_start_with(dispatcher, &a.action, &(struct twheel_start){
			.interval_ns = 60000 * MS,
		 }));
	CHECK_EQ(1, run_one());
	CHECK_EQ(TWHEEL_STOPPED, a.result);
	CHECK_EQ(-ENOENT, stop(&a));
	CHECK(is_quiet());
	CHECK_EQ(1, a.called);
	end();
}

static void periodic_callback_frees_its_context(void)
{
	heap = malloc(sizeof(*heap));
	if (!begin(NULL) || !CHECK(heap))
		return;
	context_init(heap, stop_and_free_self);
	twheel_action_start_with(dispatcher, &heap->action, &(struct twheel_start){
		.interval_ns = 60000 * MS,
	});
	CHECK_EQ(1, run_one());
	CHECK(!heap);
	CHECK(is_quiet());
	end();
}

static void stop_of_a_periodic_timer_that_was_read(void)
{
	if (!begin(stop_other))
		return;
	start(&a, 0);
	await_queued(fd(), 1);
	start_every(&b, 2 * MS);
	await_queued(fd(), 2);
	CHECK_EQ(1, run());
	CHECK_EQ(TWHEEL_WITHDREW, a.result);
	CHECK(is_quiet());
	CHECK_EQ(0, b.called);
	end();
}

/* The device has b still, a resets it, and only the new arming is called. */
static void periodic_is_reset(void (*how)(struct context *self))
{
	struct twheel_start slow = { .time_ns = 2 * MS, .interval_ns = 60000 * MS };

	if (!begin(how))
		return;
	start(&a, 0);
	await_queued(fd(), 1);
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_action_start_with(dispatcher, &b.action, &slow));
	await_queued(fd(), 2);
	CHECK_EQ(1, run());
	CHECK_EQ(TWHEEL_WITHDREW, a.result);
	CHECK_EQ(0, b.called);
	CHECK_EQ(1, run_one());
	CHECK_EQ(1, b.called);
	CHECK(b.event.generation > slow.generation);
	CHECK(is_quiet());
	end();
}

static void reset_of_a_periodic_timer_that_was_read(void)
{
	periodic_is_reset(reset_other);
}

static void new_timeout_of_a_periodic_timer_that_was_read(void)
{
	periodic_is_reset(reset_other_to);
}

static const struct test tests[] = {
	TEST(callback_stops_itself),
	TEST(callback_resets_itself),
	TEST(callback_starts_itself_again),
	TEST(callback_frees_its_context),
	TEST(callback_stops_another),
	TEST(callback_frees_another),
	TEST(callback_resets_another),
	TEST(callback_starts_another_again),
	TEST(exclusive_start_of_another_leaves_it),
	TEST(failed_start_of_another_leaves_it),
	TEST(periodic_timer_is_called_again),
	TEST(missed_periods_are_one_call),
	TEST(periodic_callback_stops_itself),
	TEST(periodic_callback_frees_its_context),
	TEST(stop_of_a_periodic_timer_that_was_read),
	TEST(reset_of_a_periodic_timer_that_was_read),
	TEST(new_timeout_of_a_periodic_timer_that_was_read),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
