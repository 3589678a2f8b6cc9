// SPDX-License-Identifier: GPL-2.0
/*
 * Timers with a word: what a store does, and what it cannot do
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "../module/listing.h"
#include "pool_check.h"

static ulong crowd = 25000;
module_param(crowd, ulong, 0444);
MODULE_PARM_DESC(crowd, "Timers that are due at the same time");

#define TIMEOUT (40 * TICK)
#define WORDS 8

static struct twheel_list_entry listed;
static struct twheel_ack req;

static int activity_init(struct kunit *test)
{
	/* In the middle of a tick: so what is rounded down is early. */
	return fixture_init(test, (1ULL << 40) - 5);
}

static void setup_as(struct kunit *test, struct twheel_config config)
{
	struct fixture *f = test->priv;

	config.tick_shift = 20;
	if (!config.map_words)
		config.map_words = WORDS;
	KUNIT_ASSERT_EQ(test, twheel_config_fill(&config), 0);
	KUNIT_ASSERT_EQ(test, twheel_instance_setup(&f->inst, &config), 0);
}

static int start_word(struct fixture *f, u64 id, u64 time, u64 word)
{
	f->start = (struct twheel_start) {
		.id = id,
		.time_ns = time,
		.flags = TWHEEL_MAPPED,
		.word = word,
	};
	return twheel_instance_start(&f->inst, &f->start);
}

static void touch(struct fixture *f, u32 word, u64 value)
{
	WRITE_ONCE(*twheel_words_at(&f->inst.words, word), value);
}

/* Timer 1 with word 1, which is in use until a TIMEOUT from now. */
static void start_one(struct kunit *test, struct twheel_config config)
{
	struct fixture *f = test->priv;

	setup_as(test, config);
	KUNIT_ASSERT_EQ(test, start_word(f, 1, TIMEOUT, 1), 0);
}

/* The same, and its expiry waits to be read. */
static void expire_one(struct kunit *test, struct twheel_config config)
{
	struct fixture *f = test->priv;

	start_one(test, config);
	run_for(f, TIMEOUT + TICK);
	KUNIT_ASSERT_EQ(test, stats(test)->waiting, 1);
}

/* It runs on: no record, and one TIMEOUT after now, in its first attempt. */
static void expect_one_timeout_on(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 now = f->clock.now;

	KUNIT_EXPECT_EQ(test, read_events(f, 9), 0);
	KUNIT_EXPECT_EQ(test, stats(test)->armed, 1);
	run_for(f, TIMEOUT - 1);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 0);
	run_for(f, TICK);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].deadline_ns, now + TIMEOUT);
	KUNIT_EXPECT_EQ(test, f->event[0].attempt, 1);
	KUNIT_EXPECT_GE(test, f->event[0].fired_ns, f->event[0].deadline_ns);
}

static void start_sets_the_word_to_now(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup_as(test, (struct twheel_config) { 0 });
	touch(f, 1, U64_MAX);
	KUNIT_ASSERT_EQ(test, start_word(f, 1, TIMEOUT, 1), 0);
	KUNIT_EXPECT_EQ(test, *twheel_words_at(&f->inst.words, 1), f->clock.now);
	KUNIT_EXPECT_EQ(test, *twheel_words_at(&f->inst.words, 0), 0);
	KUNIT_EXPECT_EQ(test, *twheel_words_at(&f->inst.words, 2), 0);
}

static void store_postpones(struct kunit *test)
{
	struct fixture *f = test->priv;

	start_one(test, (struct twheel_config) { 0 });
	run_for(f, TIMEOUT - TICK);
	touch(f, 1, f->clock.now);
	expect_one_timeout_on(test);
	KUNIT_EXPECT_EQ(test, f->event[0].generation, f->start.generation);
	KUNIT_EXPECT_EQ(test, stats(test)->postponed, 1);
	KUNIT_EXPECT_EQ(test, stats(test)->expired, 1);
}

static void timer_is_looked_at_once_per_timeout(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	start_one(test, (struct twheel_config) { 0 });
	for (i = 0; i < 1000; i++) {
		run_for(f, TIMEOUT / 10);
		touch(f, 1, f->clock.now);
	}
	KUNIT_EXPECT_EQ(test, stats(test)->expired, 0);
	KUNIT_EXPECT_LE(test, stats(test)->postponed, 100);
	KUNIT_EXPECT_GE(test, stats(test)->postponed, 90);
}

/* The one timer there is: where it is depends on the key, pages before it are empty. */
static void list_one(struct kunit *test)
{
	struct twheel_cursor cursor = { .kind = 0 };
	struct fixture *f = test->priv;
	u32 nr = 0;

	while (!nr && !twheel_cursor_ended(&cursor))
		nr = twheel_instance_list(&f->inst, &cursor, &listed, 1);
	KUNIT_ASSERT_EQ(test, nr, 1);
}

static void get_and_listing_tell_the_effective_deadline(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 deadline;

	start_one(test, (struct twheel_config) { 0 });
	run_for(f, 5 * TICK);
	touch(f, 1, f->clock.now - 3);
	deadline = f->clock.now - 3 + TIMEOUT;
	KUNIT_ASSERT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.deadline_ns, deadline);
	KUNIT_EXPECT_EQ(test, f->get.remaining_ns, deadline - f->clock.now);
	KUNIT_EXPECT_EQ(test, f->get.mapped, 1);
	KUNIT_EXPECT_EQ(test, f->get.word, 1);
	KUNIT_EXPECT_EQ(test, f->get.interval_ns, 0);
	list_one(test);
	KUNIT_EXPECT_EQ(test, listed.deadline_ns, deadline);
	KUNIT_EXPECT_EQ(test, listed.remaining_ns, deadline - f->clock.now);
	KUNIT_EXPECT_EQ(test, listed.mapped, 1);
	KUNIT_EXPECT_EQ(test, listed.word, 1);
}

static void stop_tells_the_time_to_the_effective_deadline(struct kunit *test)
{
	struct fixture *f = test->priv;

	start_one(test, (struct twheel_config) { 0 });
	run_for(f, 5 * TICK);
	touch(f, 1, f->clock.now);
	KUNIT_ASSERT_EQ(test, stop(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->stop.remaining_ns, TIMEOUT);
	KUNIT_EXPECT_EQ(test, f->stop.outcome, TWHEEL_STOPPED);
}

static void store_withdraws_what_has_expired(struct kunit *test)
{
	struct fixture *f = test->priv;

	expire_one(test, (struct twheel_config) { 0 });
	touch(f, 1, f->clock.now);
	expect_one_timeout_on(test);
	KUNIT_EXPECT_EQ(test, f->event[0].generation, f->start.generation);
	KUNIT_EXPECT_EQ(test, stats(test)->withdrawn, 1);
	KUNIT_EXPECT_EQ(test, stats(test)->postponed, 1);
}

/* Looked at late, it has not come too soon: it expires when that is noticed. */
static void store_whose_deadline_passed_expires_anew(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 stored;

	expire_one(test, (struct twheel_config) { 0 });
	stored = f->clock.now;
	touch(f, 1, stored);
	run_for(f, TIMEOUT + 7);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].deadline_ns, stored + TIMEOUT);
	KUNIT_EXPECT_EQ(test, f->event[0].fired_ns, f->clock.now);
	KUNIT_EXPECT_EQ(test, stats(test)->expired, 2);
	KUNIT_EXPECT_EQ(test, stats(test)->withdrawn, 1);
	KUNIT_EXPECT_EQ(test, stats(test)->timers, 0);
}

/* The value of a clock that was read a while ago says the same as a fresh one. */
static void store_of_an_older_time_withdraws(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 earlier;

	start_one(test, (struct twheel_config) { 0 });
	earlier = f->clock.now + 1;
	run_for(f, TIMEOUT + TICK);
	KUNIT_ASSERT_EQ(test, stats(test)->waiting, 1);
	touch(f, 1, earlier);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].deadline_ns, earlier + TIMEOUT);
}

static void smaller_word_brings_nothing_forward(struct kunit *test)
{
	struct fixture *f = test->priv;

	start_one(test, (struct twheel_config) { 0 });
	touch(f, 1, 0);
	run_for(f, TIMEOUT - 1);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 0);
	run_for(f, TICK);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].deadline_ns, f->start.deadline_ns);
}

/* Once in each timeout there is a look, and it is taken as now each time. */
static void word_in_the_future_is_taken_as_now(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 looked;

	start_one(test, (struct twheel_config) { 0 });
	touch(f, 1, U64_MAX);
	run_for(f, TIMEOUT + TICK);
	KUNIT_ASSERT_EQ(test, stats(test)->postponed, 1);
	looked = f->inst.wheel->clk * TICK - TICK;
	touch(f, 1, 0);
	run_for(f, 2 * TIMEOUT);
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_LE(test, f->event[0].deadline_ns, looked + TIMEOUT);
	KUNIT_EXPECT_GT(test, f->event[0].deadline_ns, f->start.deadline_ns);
}

static void deadline_that_had_passed_is_not_postponed(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup_as(test, (struct twheel_config) { 0 });
	KUNIT_ASSERT_EQ(test, start_word(f, 1, 0, 1), 0);
	touch(f, 1, U64_MAX);
	run_for(f, TICK);
	touch(f, 1, f->clock.now);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, stats(test)->withdrawn, 0);
}

static void end_of_the_clock_is_not_exceeded(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->clock.now = KTIME_MAX - 10 * TICK;
	setup_as(test, (struct twheel_config) { 0 });
	KUNIT_ASSERT_EQ(test, start_word(f, 1, 8 * TICK, 1), 0);
	run_for(f, 5 * TICK);
	touch(f, 1, f->clock.now);
	KUNIT_ASSERT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.deadline_ns, KTIME_MAX);
	run_for(f, 4 * TICK);
	KUNIT_EXPECT_EQ(test, stats(test)->postponed, 1);
	KUNIT_EXPECT_EQ(test, stats(test)->armed, 1);
}

static void reset_keeps_the_word(struct kunit *test)
{
	struct fixture *f = test->priv;

	start_one(test, (struct twheel_config) { 0 });
	run_for(f, TICK);
	KUNIT_ASSERT_EQ(test, reset(f, 1, 2 * TIMEOUT, TWHEEL_NEW_TIMEOUT), 0);
	run_for(f, TICK);
	touch(f, 1, f->clock.now);
	KUNIT_ASSERT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.deadline_ns, f->clock.now + 2 * TIMEOUT);
	KUNIT_EXPECT_EQ(test, f->get.word, 1);
}

static void slack_goes_on_top(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup_as(test, (struct twheel_config) { 0 });
	f->start = (struct twheel_start) {
		.id = 1, .time_ns = TIMEOUT, .flags = TWHEEL_MAPPED,
		.slack_ns = 1024 * TICK,
	};
	KUNIT_ASSERT_EQ(test, twheel_instance_start(&f->inst, &f->start), 0);
	run_for(f, TIMEOUT / 2);
	touch(f, 0, f->clock.now);
	run_for(f, 3000 * TICK);
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].fired_ns / TICK % 1024, 0);
	KUNIT_EXPECT_GE(test, f->event[0].fired_ns, f->event[0].deadline_ns);
}

/* What is refused changes neither the timer nor the word. */
static void expect_refused(struct kunit *test, int error,
			   struct twheel_start request)
{
	struct fixture *f = test->priv;
	u64 generation = f->inst.generation;

	KUNIT_EXPECT_EQ(test, twheel_instance_start(&f->inst, &request), error);
	KUNIT_EXPECT_EQ(test, f->inst.generation, generation);
	KUNIT_EXPECT_EQ(test, stats(test)->timers, 1);
	KUNIT_EXPECT_EQ(test, *twheel_words_at(&f->inst.words, 1), 77);
	KUNIT_EXPECT_EQ(test, *twheel_words_at(&f->inst.words, 2), 0);
}

static void wrong_words_are_refused(struct kunit *test)
{
	struct fixture *f = test->priv;

	start_one(test, (struct twheel_config) { 0 });
	touch(f, 1, 77);
	expect_refused(test, -EINVAL, (struct twheel_start) {
		.id = 2, .time_ns = 1, .flags = TWHEEL_MAPPED, .word = WORDS });
	expect_refused(test, -EINVAL, (struct twheel_start) {
		.id = 2, .time_ns = 1, .flags = TWHEEL_MAPPED,
		.word = (1ULL << 32) + 2 });
	expect_refused(test, -EINVAL, (struct twheel_start) {
		.id = 2, .time_ns = 1, .flags = TWHEEL_MAPPED,
		.interval_ns = TICK, .word = 2 });
	expect_refused(test, -EBUSY, (struct twheel_start) {
		.id = 2, .time_ns = 1, .flags = TWHEEL_MAPPED, .word = 1 });
	expect_refused(test, -EOPNOTSUPP, (struct twheel_start) {
		.id = 2, .time_ns = 1, .word = 2 });
	expect_refused(test, -EINVAL, (struct twheel_start) {
		.id = 1, .time_ns = 1, .flags = TWHEEL_MAPPED, .word = WORDS });
}

static void without_words_there_are_none(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, start_word(f, 1, TIMEOUT, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, stats(test)->timers, 0);
}

static void word_is_free_again_after_stop(struct kunit *test)
{
	struct fixture *f = test->priv;

	start_one(test, (struct twheel_config) { 0 });
	KUNIT_ASSERT_EQ(test, stop(f, 1), 0);
	KUNIT_EXPECT_EQ(test, start_word(f, 2, TIMEOUT, 1), 0);
}

static void word_is_free_again_after_delivery(struct kunit *test)
{
	struct fixture *f = test->priv;

	expire_one(test, (struct twheel_config) { 0 });
	KUNIT_EXPECT_EQ(test, start_word(f, 2, TIMEOUT, 1), -EBUSY);
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, start_word(f, 2, TIMEOUT, 1), 0);
}

static void start_again_keeps_changes_or_drops_the_word(struct kunit *test)
{
	struct fixture *f = test->priv;

	start_one(test, (struct twheel_config) { 0 });
	KUNIT_ASSERT_EQ(test, start_word(f, 1, TIMEOUT, 1), 0);
	KUNIT_ASSERT_EQ(test, start_word(f, 1, TIMEOUT, 2), 0);
	KUNIT_EXPECT_EQ(test, start_word(f, 2, TIMEOUT, 1), 0);
	KUNIT_EXPECT_EQ(test, start_word(f, 3, TIMEOUT, 2), -EBUSY);
	KUNIT_ASSERT_EQ(test, start(f, 1, TIMEOUT, TICK, 0), 0);
	KUNIT_ASSERT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.mapped, 0);
	KUNIT_EXPECT_EQ(test, f->get.interval_ns, TICK);
	KUNIT_EXPECT_EQ(test, start_word(f, 3, TIMEOUT, 2), 0);
}

/* Timer 1 is about to be dropped for timer 2, but there was activity. */
static void drop_oldest_lets_it_run_on(struct kunit *test)
{
	struct fixture *f = test->priv;

	expire_one(test, (struct twheel_config) {
		.queue_len = 1, .overflow = TWHEEL_DROP_OLDEST });
	touch(f, 1, f->clock.now);
	KUNIT_ASSERT_EQ(test, start(f, 2, 0, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, stats(test)->dropped, 1);
	KUNIT_EXPECT_EQ(test, stats(test)->armed, 1);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].id, 2);
	expect_one_timeout_on(test);
}

static void dropped_timer_gives_its_word_back(struct kunit *test)
{
	struct fixture *f = test->priv;

	expire_one(test, (struct twheel_config) {
		.queue_len = 1, .overflow = TWHEEL_DROP_OLDEST });
	KUNIT_ASSERT_EQ(test, start(f, 2, 0, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, stats(test)->dropped, 1);
	KUNIT_EXPECT_EQ(test, start_word(f, 3, TIMEOUT, 1), 0);
}

static struct twheel_config leased(u32 max_attempts)
{
	return (struct twheel_config) {
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.lease_ns = TIMEOUT / 4,
		.max_attempts = max_attempts,
	};
}

static int ack(struct fixture *f, u32 opcode)
{
	req = (struct twheel_ack) { .id = 1, .token = f->event[0].token };
	return twheel_instance_ack(&f->reader, opcode, &req);
}

static void acknowledged_timer_ends_whatever_its_word(struct kunit *test)
{
	struct fixture *f = test->priv;

	expire_one(test, leased(0));
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	touch(f, 1, f->clock.now);
	KUNIT_EXPECT_EQ(test, ack(f, TWHEEL_OP_ACK), 0);
	KUNIT_EXPECT_EQ(test, stats(test)->timers, 0);
	KUNIT_EXPECT_EQ(test, start_word(f, 2, TIMEOUT, 1), 0);
}

static void store_withdraws_what_came_back(struct kunit *test)
{
	struct fixture *f = test->priv;

	expire_one(test, leased(0));
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	touch(f, 1, f->clock.now);
	KUNIT_ASSERT_EQ(test, ack(f, TWHEEL_OP_REJECT), 0);
	expect_one_timeout_on(test);
	pool_check(test, &f->inst);
}

static void lease_is_not_disturbed(struct kunit *test)
{
	struct fixture *f = test->priv;

	expire_one(test, leased(0));
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	touch(f, 1, f->clock.now);
	run_for(f, TIMEOUT / 8);
	KUNIT_EXPECT_EQ(test, stats(test)->in_flight, 1);
	run_for(f, TIMEOUT / 8 + TICK);
	KUNIT_EXPECT_EQ(test, stats(test)->lapsed, 1);
	KUNIT_EXPECT_EQ(test, ack(f, TWHEEL_OP_ACK), -ESTALE);
}

static void reader_of_dead_ones_finds_none_with_activity(struct kunit *test)
{
	struct twheel_consumer undertaker;
	struct fixture *f = test->priv;
	enum twheel_read_end end;

	expire_one(test, leased(1));
	KUNIT_ASSERT_EQ(test, twheel_consumer_join(&f->inst, &undertaker,
						   TWHEEL_READER_DEAD,
						   fixture_call), 0);
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	KUNIT_ASSERT_EQ(test, ack(f, TWHEEL_OP_REJECT), 0);
	KUNIT_ASSERT_EQ(test, stats(test)->dead, 1);
	touch(f, 1, f->clock.now);
	f->events = 0;
	do {
		end = twheel_instance_deliver(&undertaker, &f->receiver,
					      TWHEEL_CLAIM_OWN);
	} while (end == TWHEEL_READ_MORE);
	KUNIT_EXPECT_EQ(test, f->events, 0);
	KUNIT_EXPECT_EQ(test, stats(test)->dead, 0);
	expect_one_timeout_on(test);
	twheel_consumer_leave(&undertaker);
}

static void store_withdraws_the_copies_of_all_readers(struct kunit *test)
{
	struct twheel_consumer second;
	struct fixture *f = test->priv;

	setup_as(test, (struct twheel_config) {
		.dispatch = TWHEEL_BROADCAST, .overflow = TWHEEL_DROP_NEWEST });
	KUNIT_ASSERT_EQ(test, twheel_consumer_join(&f->inst, &second, 0,
						   fixture_call), 0);
	KUNIT_ASSERT_EQ(test, start_word(f, 1, TIMEOUT, 1), 0);
	run_for(f, TIMEOUT + TICK);
	KUNIT_ASSERT_EQ(test, stats(test)->waiting, 2);
	touch(f, 1, f->clock.now);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 0);
	KUNIT_EXPECT_EQ(test, stats(test)->waiting, 0);
	KUNIT_EXPECT_EQ(test, stats(test)->withdrawn, 2);
	expect_one_timeout_on(test);
	twheel_consumer_leave(&second);
}

static void last_copy_that_is_dropped_lets_it_run_on(struct kunit *test)
{
	struct fixture *f = test->priv;

	expire_one(test, (struct twheel_config) {
		.dispatch = TWHEEL_BROADCAST, .queue_len = 1,
		.overflow = TWHEEL_DROP_OLDEST });
	touch(f, 1, f->clock.now);
	KUNIT_ASSERT_EQ(test, start(f, 2, 0, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, stats(test)->dropped, 1);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].id, 2);
	expect_one_timeout_on(test);
}

static void after_shutdown_a_store_still_withdraws(struct kunit *test)
{
	struct twheel_shutdown shutdown = { 0 };
	struct fixture *f = test->priv;

	expire_one(test, (struct twheel_config) { 0 });
	KUNIT_ASSERT_EQ(test, twheel_instance_shutdown(&f->inst, &shutdown), 0);
	touch(f, 1, f->clock.now);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 0);
	run_for(f, 9 * TIMEOUT);
	KUNIT_EXPECT_EQ(test, stats(test)->armed, 1);
	KUNIT_EXPECT_TRUE(test, f->reader.ended);
}

/* Guarantee 5: of a crowd that was postponed, a pass looks at a part. */
static void crowd_is_postponed_in_passes(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 before, most = 0;
	u32 i;

	setup_as(test, (struct twheel_config) { .map_words = crowd });
	for (i = 0; i < crowd; i++)
		KUNIT_ASSERT_EQ(test, start_word(f, i, TIMEOUT, i), 0);
	run_for(f, TIMEOUT / 2);
	for (i = 0; i < crowd; i++)
		touch(f, i, f->clock.now);
	f->clock.now += TIMEOUT / 2 + TICK;
	do {
		before = f->inst.counts.postponed;
		i = fake_clock_pass(&f->clock);
		most = max(most, f->inst.counts.postponed - before);
	} while (i);
	KUNIT_EXPECT_EQ(test, stats(test)->postponed, crowd);
	KUNIT_EXPECT_EQ(test, stats(test)->expired, 0);
	KUNIT_EXPECT_LE(test, most, 256);
}

static void words_are_charged_and_given_back(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup_as(test, (struct twheel_config) { .map_words = 1000 });
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->account->words), 1000);
	setup_as(test, (struct twheel_config) { .map_words = 10 });
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->account->words), 10);
}

static struct kunit_case activity_cases[] = {
	KUNIT_CASE(start_sets_the_word_to_now),
	KUNIT_CASE(store_postpones),
	KUNIT_CASE(timer_is_looked_at_once_per_timeout),
	KUNIT_CASE(get_and_listing_tell_the_effective_deadline),
	KUNIT_CASE(stop_tells_the_time_to_the_effective_deadline),
	KUNIT_CASE(store_withdraws_what_has_expired),
	KUNIT_CASE(store_whose_deadline_passed_expires_anew),
	KUNIT_CASE(store_of_an_older_time_withdraws),
	KUNIT_CASE(smaller_word_brings_nothing_forward),
	KUNIT_CASE(word_in_the_future_is_taken_as_now),
	KUNIT_CASE(deadline_that_had_passed_is_not_postponed),
	KUNIT_CASE(end_of_the_clock_is_not_exceeded),
	KUNIT_CASE(reset_keeps_the_word),
	KUNIT_CASE(slack_goes_on_top),
	KUNIT_CASE(wrong_words_are_refused),
	KUNIT_CASE(without_words_there_are_none),
	KUNIT_CASE(word_is_free_again_after_stop),
	KUNIT_CASE(word_is_free_again_after_delivery),
	KUNIT_CASE(start_again_keeps_changes_or_drops_the_word),
	KUNIT_CASE(drop_oldest_lets_it_run_on),
	KUNIT_CASE(dropped_timer_gives_its_word_back),
	KUNIT_CASE(acknowledged_timer_ends_whatever_its_word),
	KUNIT_CASE(store_withdraws_what_came_back),
	KUNIT_CASE(lease_is_not_disturbed),
	KUNIT_CASE(reader_of_dead_ones_finds_none_with_activity),
	KUNIT_CASE(store_withdraws_the_copies_of_all_readers),
	KUNIT_CASE(last_copy_that_is_dropped_lets_it_run_on),
	KUNIT_CASE(after_shutdown_a_store_still_withdraws),
	KUNIT_CASE(crowd_is_postponed_in_passes),
	KUNIT_CASE(words_are_charged_and_given_back),
	{}
};

static struct kunit_suite activity_suite = {
	.name = "twheel_activity",
	.init = activity_init,
	.exit = fixture_exit,
	.test_cases = activity_cases,
};

kunit_test_suite(activity_suite);

MODULE_DESCRIPTION("Tests of timers with a word");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
