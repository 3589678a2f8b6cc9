// SPDX-License-Identifier: MIT
/*
 * Timers that are postponed by a store, read singly and by a dispatcher.
 *
 * A time in the future is taken as that of the look.  So FOREVER in a word keeps its
 * timer from expiring, however slow the machine is.
 */
#include <fcntl.h>
#include <twheel_map.h>
#include <unistd.h>

#include "context.h"

/* Somewhat more than a page. */
#define WORDS	600
#define TIMEOUT	(20 * MS)
#define FOREVER	UINT64_MAX

#define PATIENCE_MS	30000

static uint64_t *words;

static bool map_words(int instance)
{
	struct twheel_setup setup = { .map_words = WORDS };

	words = NULL;
	return CHECK_EQ(0, twheel_setup(instance, &setup, sizeof(setup))) &&
	       CHECK_EQ(WORDS, twheel_map(instance, &words));
}

/* ---- without a dispatcher */

static int plain;

static bool begin_plain(void)
{
	plain = twheel_open(O_NONBLOCK);
	return CHECK(plain >= 0) && map_words(plain);
}

static void end_plain(void)
{
	CHECK_EQ(0, twheel_unmap(words, WORDS));
	close(plain);
}

static void start_mapped(uint64_t id, uint32_t word)
{
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_start_mapped(plain, id, TIMEOUT, id * 10, word));
}

static int state_of(uint64_t id)
{
	struct twheel_get get = { .id = id };
	int ret = twheel_get(plain, &get);

	return ret ? ret : (int)get.state;
}

/* For a reader that finds nothing; the time of the stand-in passes by looking. */
static void pause_ms(void)
{
	struct timespec ms = { .tv_nsec = MS };
	struct twheel_stats stats;

	nanosleep(&ms, NULL);
	CHECK_EQ(0, twheel_stats(plain, &stats, sizeof(stats)));
}

/* Waits for an expiry, which has to be the only one. */
static bool read_one(struct twheel_event *event)
{
	struct twheel_event events[2] = { 0 };
	int i, got = -EAGAIN;

	for (i = 0; i < PATIENCE_MS && got == -EAGAIN; i++) {
		got = twheel_read(plain, events, 2);
		if (got == -EAGAIN)
			pause_ms();
	}
	*event = events[0];
	return CHECK_EQ(1, got);
}

static void start_stores_the_time_in_its_word(void)
{
	uint64_t before;

	if (!begin_plain())
		return;
	words[5] = FOREVER;
	before = now_ns();
	start_mapped(1, 5);
	CHECK(words[5] >= before);
	CHECK(words[5] <= now_ns());
	CHECK_EQ(0, words[4]);
	CHECK_EQ(0, words[6]);
	end_plain();
}

static void untouched_timer_expires_and_touched_one_does_not(void)
{
	struct twheel_event event;

	if (!begin_plain())
		return;
	start_mapped(1, 1);
	start_mapped(2, WORDS - 1);
	twheel_touch(&words[1], FOREVER);
	if (read_one(&event)) {
		CHECK_EQ(2, event.id);
		CHECK_EQ(20, event.data);
		CHECK(event.fired_ns >= event.deadline_ns);
	}
	CHECK_EQ(TWHEEL_ARMED, state_of(1));
	end_plain();
}

static void touched_timer_has_its_timeout_from_then_on(void)
{
	struct twheel_event event;
	uint64_t touched;

	if (!begin_plain())
		return;
	start_mapped(1, 5);
	start_mapped(2, 6);
	twheel_touch(&words[5], FOREVER);
	read_one(&event);
	touched = twheel_now(CLOCK_MONOTONIC);
	twheel_touch(&words[5], touched);
	if (read_one(&event)) {
		CHECK_EQ(1, event.id);
		CHECK(event.deadline_ns >= touched + TIMEOUT);
		CHECK(event.fired_ns >= event.deadline_ns);
	}
	end_plain();
}

static void touch_takes_back_an_expiry_that_waits(void)
{
	struct twheel_event events[3];

	if (!begin_plain())
		return;
	start_mapped(1, 5);
	start_mapped(2, 6);
	await_queued(plain, 2);
	twheel_touch(&words[5], FOREVER);
	if (CHECK_EQ(1, twheel_read(plain, events, 3)))
		CHECK_EQ(2, events[0].id);
	CHECK_EQ(TWHEEL_ARMED, state_of(1));
	end_plain();
}

static void timer_expires_once_when_the_touches_have_ended(void)
{
	struct twheel_event event, more;
	unsigned int i;

	if (!begin_plain())
		return;
	start_mapped(1, 5);
	await_queued(plain, 1);
	for (i = 0; i < 3; i++) {
		twheel_touch(&words[5], FOREVER);
		CHECK_EQ(-EAGAIN, twheel_read(plain, &event, 1));
	}
	twheel_touch(&words[5], now_ns());
	read_one(&event);
	CHECK_EQ(1, event.id);
	CHECK_EQ(1, event.expirations);
	CHECK_EQ(-ENOENT, state_of(1));
	/* And nothing else: the next one is that of a timer started now. */
	start_mapped(3, 6);
	read_one(&more);
	CHECK_EQ(3, more.id);
	CHECK_EQ(event.sequence + 1, more.sequence);
	end_plain();
}

static void word_of_a_timer_that_has_gone_is_free(void)
{
	struct twheel_event event;

	if (!begin_plain())
		return;
	start_mapped(1, 5);
	CHECK_EQ(-EBUSY, twheel_start_mapped(plain, 2, TIMEOUT, 0, 5));
	read_one(&event);
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_start_mapped(plain, 2, HOUR, 0, 5));
	CHECK_EQ(TWHEEL_STOPPED, twheel_stop_id(plain, 2));
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_start_mapped(plain, 3, HOUR, 0, 5));
	end_plain();
}

static void all_mappings_show_the_same_words(void)
{
	uint64_t *others = NULL;

	if (!begin_plain() || !CHECK_EQ(WORDS, twheel_map(plain, &others)))
		return;
	twheel_touch(&others[WORDS - 1], 7);
	CHECK_EQ(7, words[WORDS - 1]);
	CHECK_EQ(0, twheel_unmap(others, WORDS));
	CHECK_EQ(7, words[WORDS - 1]);
	end_plain();
}

/* ---- with one */

static int start_action(struct context *context, uint64_t timeout_ns, uint32_t word)
{
	return twheel_action_start_mapped(dispatcher, &context->action, timeout_ns, word);
}

static bool begin_actions(void)
{
	return begin(NULL) && map_words(fd());
}

static void end_actions(void)
{
	CHECK_EQ(0, twheel_unmap(words, WORDS));
	end();
}

static void runs_with_word(struct context *context, uint32_t word)
{
	struct twheel_get timer;

	CHECK_EQ(0, get(context, &timer));
	CHECK_EQ(1, timer.mapped);
	CHECK_EQ(word, timer.word);
}

static void action_that_is_touched_is_not_called(void)
{
	if (!begin_actions())
		return;
	CHECK_EQ(TWHEEL_WAS_FREE, start_action(&a, TIMEOUT, 5));
	CHECK_EQ(TWHEEL_WAS_FREE, start_action(&b, TIMEOUT, 6));
	await_queued(fd(), 2);
	twheel_touch(&words[5], FOREVER);
	CHECK_EQ(1, run());
	CHECK_EQ(0, a.called);
	CHECK_EQ(1, b.called);
	runs_with_word(&a, 5);
	twheel_touch(&words[5], now_ns());
	CHECK_EQ(1, run_one());
	CHECK_EQ(1, a.called);
	end_actions();
}

static void action_has_to_have_a_word_of_its_own(void)
{
	struct twheel_get timer;

	if (!begin_actions())
		return;
	CHECK_EQ(TWHEEL_WAS_FREE, start_action(&a, TIMEOUT, 5));
	CHECK_EQ(-EBUSY, start_action(&b, TIMEOUT, 5));
	CHECK_EQ(-ENOENT, get(&b, &timer));
	CHECK_EQ(-EINVAL, start_action(&a, TIMEOUT, WORDS));
	runs_with_word(&a, 5);
	end_actions();
}

static void reset_of_an_action_keeps_its_word(void)
{
	if (!begin_actions())
		return;
	start_action(&a, HOUR, 5);
	CHECK_EQ(TWHEEL_STOPPED, reset(&a));
	runs_with_word(&a, 5);
	end_actions();
}

/* The device has forgotten it by then; word 0 is one too. */
static void reset_of_an_action_that_was_called_keeps_its_word(void)
{
	if (!begin_actions())
		return;
	start_action(&a, TIMEOUT, 0);
	CHECK_EQ(1, run_one());
	CHECK_EQ(TWHEEL_WAS_FREE, reset(&a));
	runs_with_word(&a, 0);
	end_actions();
}

static void start_without_a_word_is_reset_without_one(void)
{
	struct twheel_get timer;

	if (!begin_actions())
		return;
	start_action(&a, HOUR, 5);
	CHECK_EQ(TWHEEL_STOPPED, start(&a, 0));
	CHECK_EQ(1, run_one());
	CHECK_EQ(TWHEEL_WAS_FREE, reset(&a));
	CHECK_EQ(0, get(&a, &timer));
	CHECK_EQ(0, timer.mapped);
	CHECK_EQ(TWHEEL_WAS_FREE, start_action(&b, TIMEOUT, 5));
	end_actions();
}

static void stop_other(struct context *self)
{
	self->result = stop(self->other);
}

static void stop_takes_back_what_a_run_has_read(void)
{
	if (!begin(stop_other) || !map_words(fd()))
		return;
	start_action(&a, TIMEOUT, 5);
	await_queued(fd(), 1);
	start_action(&b, TIMEOUT, 6);
	await_queued(fd(), 2);
	CHECK_EQ(1, run());
	CHECK_EQ(TWHEEL_WITHDREW, a.result);
	CHECK_EQ(0, b.called);
	CHECK_EQ(TWHEEL_WAS_FREE, start_action(&b, TIMEOUT, 6));
	end_actions();
}

static const struct test tests[] = {
	TEST(start_stores_the_time_in_its_word),
	TEST(untouched_timer_expires_and_touched_one_does_not),
	TEST(touched_timer_has_its_timeout_from_then_on),
	TEST(touch_takes_back_an_expiry_that_waits),
	TEST(timer_expires_once_when_the_touches_have_ended),
	TEST(word_of_a_timer_that_has_gone_is_free),
	TEST(all_mappings_show_the_same_words),
	TEST(action_that_is_touched_is_not_called),
	TEST(action_has_to_have_a_word_of_its_own),
	TEST(reset_of_an_action_keeps_its_word),
	TEST(reset_of_an_action_that_was_called_keeps_its_word),
	TEST(start_without_a_word_is_reset_without_one),
	TEST(stop_takes_back_what_a_run_has_read),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
