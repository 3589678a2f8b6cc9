// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of an instance: from the expiry to the reader
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "instance_fixture.h"

static ulong crowd = 25000;
module_param(crowd, ulong, 0444);
MODULE_PARM_DESC(crowd, "Timers that expire at the same time");

/* Expiries and moves into the queue in a pass, with the lock held. */
#define PASS_LIMIT 512

static int delivery_init(struct kunit *test)
{
	return fixture_init(test, 1000 * TICK + 5);
}

/**
 * struct fence_case - a timer that has come so far, and what is done to it
 * @name: For the report.
 * @state: How far it has come.
 * @op: 's' stop, 'r' reset, 'a' start it again.
 */
struct fence_case {
	const char *name;
	u32 state;
	char op;
};

static const struct fence_case fences[] = {
	{ "stop, ARMED", TWHEEL_ARMED, 's' },
	{ "stop, DUE", TWHEEL_DUE, 's' },
	{ "stop, QUEUED", TWHEEL_QUEUED, 's' },
	{ "reset, ARMED", TWHEEL_ARMED, 'r' },
	{ "reset, DUE", TWHEEL_DUE, 'r' },
	{ "reset, QUEUED", TWHEEL_QUEUED, 'r' },
	{ "start, ARMED", TWHEEL_ARMED, 'a' },
	{ "start, DUE", TWHEEL_DUE, 'a' },
	{ "start, QUEUED", TWHEEL_QUEUED, 'a' },
};

static void describe_fence(const struct fence_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(fence, fences, describe_fence);

/* Carry the operation out on timer 9; return the outcome it reports. */
static u32 do_fence(struct kunit *test, char op, u64 *remaining)
{
	struct fixture *f = test->priv;

	switch (op) {
	case 's':
		KUNIT_ASSERT_EQ(test, stop(f, 9), 0);
		KUNIT_EXPECT_EQ(test, f->stop.data, ~9ULL);
		*remaining = f->stop.remaining_ns;
		return f->stop.outcome;
	case 'r':
		KUNIT_ASSERT_EQ(test, reset(f, 9, 0, 0), 0);
		*remaining = f->reset.remaining_ns;
		return f->reset.outcome;
	default:
		KUNIT_ASSERT_EQ(test, start(f, 9, 10 * TICK, 0, 0), 0);
		*remaining = f->start.remaining_ns;
		return f->start.outcome;
	}
}

/* Guarantee 2, for each way of ending an arming and each stage of it. */
static void fence(struct kunit *test)
{
	const struct fence_case *c = test->param_value;
	bool armed = c->state == TWHEEL_ARMED;
	struct fixture *f = test->priv;
	u64 remaining, old;
	u32 i;

	setup(test, 2, TWHEEL_HOLD);
	/* A queue for two: timer 9 is the third of them, or the second. */
	if (c->state == TWHEEL_DUE)
		KUNIT_ASSERT_EQ(test, start(f, 1, 9 * TICK, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, start(f, 2, 9 * TICK, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, start(f, 9, 10 * TICK, 0, 0), 0);
	old = f->start.generation;
	run_for(f, armed ? 4 * TICK : 20 * TICK);
	KUNIT_ASSERT_EQ(test, get(f, 9), 0);
	KUNIT_ASSERT_EQ(test, f->get.state, c->state);

	KUNIT_EXPECT_EQ(test, do_fence(test, c->op, &remaining),
			armed ? TWHEEL_STOPPED : TWHEEL_WITHDREW);
	KUNIT_EXPECT_EQ(test, remaining, armed ? 6 * TICK : 0);
	KUNIT_EXPECT_EQ(test, stats(test)->withdrawn, armed ? 0 : 1);
	if (c->op == 's')
		KUNIT_EXPECT_EQ(test, get(f, 9), -ENOENT);
	/* Its place is free again, and poll agrees. */
	KUNIT_EXPECT_EQ(test, stats(test)->queued,
			armed ? 0 : c->state == TWHEEL_DUE ? 2 : 1);
	run_for(f, 20 * TICK);
	KUNIT_EXPECT_GT(test, read_events(f, 9), 0);
	for (i = 0; i < f->events; i++)
		if (f->event[i].id == 9)
			KUNIT_EXPECT_GT(test, f->event[i].generation, old);
	KUNIT_EXPECT_EQ(test, stats(test)->delivered,
			(c->state == TWHEEL_DUE ? 2 : 1) + (c->op != 's'));
	KUNIT_EXPECT_EQ(test, stats(test)->timers, 0);
}

/* Start @nr timers with IDs from @first, a tick from each to the next. */
static void start_row(struct kunit *test, u64 first, u32 nr)
{
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ(test, start(f, first + i, (i + 1) * TICK, 0, 0),
				0);
	run_for(f, (nr + 1) * TICK);
}

/* Records from event @at on: IDs in a row, @dropped before the first. */
static void expect_row(struct kunit *test, u32 at, u64 first, u32 nr,
		       u64 sequence, u64 dropped)
{
	struct fixture *f = test->priv;
	const struct twheel_event *event;
	u32 i;

	KUNIT_ASSERT_GE(test, f->events, at + nr);
	for (i = 0; i < nr; i++) {
		event = &f->event[at + i];
		KUNIT_EXPECT_EQ(test, event->id, first + i);
		KUNIT_EXPECT_EQ_MSG(test, event->sequence, sequence + i,
				    "id %llu", event->id);
		KUNIT_EXPECT_EQ_MSG(test, event->dropped, i ? 0 : dropped,
				    "id %llu", event->id);
		KUNIT_EXPECT_EQ_MSG(test, event->flags, event->dropped ?
				    TWHEEL_EVENT_DROPPED : 0, "id %llu",
				    event->id);
		KUNIT_EXPECT_EQ(test, event->attempt, 1);
		KUNIT_EXPECT_EQ(test, event->token, 0);
	}
}

/* Case 10 of the field, three times: capacity 8, 20 one-shots unread. */
static void hold_loses_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup(test, 8, TWHEEL_HOLD);
	start_row(test, 100, 20);
	KUNIT_EXPECT_EQ(test, stats(test)->queued, 8);
	KUNIT_EXPECT_EQ(test, stats(test)->waiting, 20);
	KUNIT_EXPECT_EQ(test, read_events(f, 99), 20);
	expect_row(test, 0, 100, 20, 1, 0);
	KUNIT_EXPECT_EQ(test, stats(test)->dropped, 0);
}

static void drop_newest_keeps_the_first(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup(test, 8, TWHEEL_DROP_NEWEST);
	start_row(test, 100, 20);
	KUNIT_EXPECT_EQ(test, stats(test)->dropped, 12);
	KUNIT_EXPECT_EQ(test, stats(test)->timers, 8);
	KUNIT_EXPECT_EQ(test, read_events(f, 99), 8);
	expect_row(test, 0, 100, 8, 1, 0);
	/* The gap is in the next record, whenever that comes. */
	start_row(test, 200, 2);
	KUNIT_EXPECT_EQ(test, read_events(f, 99), 2);
	expect_row(test, 0, 200, 2, 21, 12);
}

static void drop_oldest_keeps_the_last(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup(test, 8, TWHEEL_DROP_OLDEST);
	start_row(test, 100, 20);
	KUNIT_EXPECT_EQ(test, read_events(f, 99), 8);
	expect_row(test, 0, 112, 8, 13, 12);
}

/* A periodic timer whose expiry is dropped runs on. */
static void dropped_periodic_timer_runs_on(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->clock.now;

	setup(test, 1, TWHEEL_DROP_NEWEST);
	KUNIT_ASSERT_EQ(test, start(f, 1, TICK, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, start(f, 2, 2 * TICK, 10 * TICK, 0), 0);
	run_for(f, 15 * TICK);
	KUNIT_EXPECT_EQ(test, stats(test)->dropped, 2);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	expect_row(test, 0, 1, 1, 1, 0);
	run_for(f, 10 * TICK);
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].id, 2);
	KUNIT_EXPECT_EQ(test, f->event[0].dropped, 2);
	KUNIT_EXPECT_EQ(test, f->event[0].sequence, 4);
	KUNIT_EXPECT_EQ(test, f->event[0].expirations, 1);
	KUNIT_EXPECT_EQ(test, f->event[0].deadline_ns, base + 22 * TICK);
	KUNIT_EXPECT_EQ(test, f->event[0].flags,
			TWHEEL_EVENT_DROPPED | TWHEEL_EVENT_PERIODIC);
}

/* Guarantee 4: a record is consumed by whoever took it, and not otherwise. */
static void refused_record_stays(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup(test, 8, TWHEEL_HOLD);
	start_row(test, 100, 12);
	KUNIT_EXPECT_EQ(test, read_events(f, 0), 0);
	f->room = 0;
	f->events = 0;
	KUNIT_EXPECT_EQ(test, twheel_instance_deliver(&f->reader,
						      &f->receiver,
						      TWHEEL_CLAIM_OWN),
			TWHEEL_READ_REFUSED);
	KUNIT_EXPECT_EQ(test, stats(test)->delivered, 0);
	KUNIT_EXPECT_EQ(test, read_events(f, 5), 5);
	expect_row(test, 0, 100, 5, 1, 0);
	KUNIT_EXPECT_EQ(test, stats(test)->delivered, 5);
	KUNIT_EXPECT_EQ(test, read_events(f, 99), 7);
	expect_row(test, 0, 105, 7, 6, 0);
}

static void oldest_expiry_has_an_age(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup(test, 2, TWHEEL_HOLD);
	KUNIT_EXPECT_EQ(test, stats(test)->oldest_ns, 0);
	start_row(test, 100, 3);
	/* Since the tick that followed the deadline, 5 ns before the end. */
	KUNIT_EXPECT_EQ(test, stats(test)->oldest_ns, 2 * TICK + 5);
	KUNIT_ASSERT_EQ(test, stop(f, 100), 0);
	KUNIT_EXPECT_EQ(test, stats(test)->oldest_ns, TICK + 5);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 2);
	KUNIT_EXPECT_EQ(test, stats(test)->oldest_ns, 0);
}

/* Whoever waits is told of news, and of news only. */
static void reader_is_notified(struct kunit *test)
{
	struct fixture *f = test->priv;

	setup(test, 8, TWHEEL_HOLD);
	KUNIT_ASSERT_EQ(test, start(f, 1, 2 * TICK, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, start(f, 2, 2 * TICK, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, f->notified, 0);
	KUNIT_EXPECT_FALSE(test, twheel_consumer_readable(&f->reader));
	run_for(f, 5 * TICK);
	KUNIT_EXPECT_EQ(test, f->notified, 1);
	KUNIT_EXPECT_TRUE(test, twheel_consumer_readable(&f->reader));
	/* Edge-triggered epoll: each further expiry is news as well. */
	KUNIT_ASSERT_EQ(test, start(f, 3, 2 * TICK, 0, 0), 0);
	run_for(f, 5 * TICK);
	KUNIT_EXPECT_EQ(test, f->notified, 2);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 3);
	KUNIT_EXPECT_FALSE(test, twheel_consumer_readable(&f->reader));
	KUNIT_ASSERT_EQ(test, start(f, 4, 0, 0, TWHEEL_ABSTIME), 0);
	KUNIT_EXPECT_EQ(test, f->notified, 3);
}

/* One bounded pass; the books say what it did. */
static void bounded_pass(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_books before = f->inst.books;
	const struct twheel_books *now = &f->inst.books;
	u64 moved;

	KUNIT_ASSERT_TRUE(test, fake_clock_pass(&f->clock));
	moved = now->expired - before.expired + now->dropped - before.dropped;
	moved += now->in_state[TWHEEL_QUEUED] - before.in_state[TWHEEL_QUEUED];
	KUNIT_ASSERT_LE(test, moved, PASS_LIMIT);
}

/* Guarantee 5: a crowd comes in passes of bounded length. */
static void crowd_is_served_in_passes(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 i, seen = 0, at = (f->clock.now / TICK + 4096) * TICK;

	setup(test, 1000, TWHEEL_HOLD);
	for (i = 0; i < crowd; i++)
		KUNIT_ASSERT_EQ(test, start(f, i, at, 0, TWHEEL_ABSTIME), 0);
	while (f->clock.armed < at) {
		f->clock.now = f->clock.armed;
		while (f->clock.deferred || f->clock.armed <= f->clock.now)
			bounded_pass(test);
		cond_resched();
	}
	f->clock.now = at;
	while (f->clock.deferred || f->clock.armed <= at) {
		bounded_pass(test);
		/* Meanwhile other calls go on, and it can be read. */
		KUNIT_ASSERT_EQ(test, start(f, crowd, 2 * TICK, 0, 0), 0);
		seen += read_events(f, 50);
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, f->inst.books.expired, crowd);
	while (read_events(f, EVENTS)) {
		for (i = 0; i < f->events; i++)
			KUNIT_ASSERT_LT(test, f->event[i].id, crowd);
		seen += f->events;
	}
	KUNIT_EXPECT_EQ(test, seen, crowd);
	KUNIT_EXPECT_EQ(test, stats(test)->armed, 1);
}

/* A long queue is read in turns of bounded length, too. */
static void delivery_is_bounded(struct kunit *test)
{
	struct fixture *f = test->priv;
	enum twheel_read_end end;
	u32 before, nr = 0;

	setup(test, 200, TWHEEL_HOLD);
	start_row(test, 0, 200);
	f->room = EVENTS;
	f->events = 0;
	do {
		before = f->events;
		end = twheel_instance_deliver(&f->reader, &f->receiver,
					      TWHEEL_CLAIM_OWN);
		KUNIT_EXPECT_LE(test, f->events - before, 64);
		nr++;
	} while (end == TWHEEL_READ_MORE);
	KUNIT_EXPECT_EQ(test, end, TWHEEL_READ_EMPTY);
	KUNIT_EXPECT_EQ(test, f->events, 200);
	KUNIT_EXPECT_GE(test, nr, 4);
}

/* Void tickets in front of the one that is left are no end of the queue. */
static void read_goes_past_withdrawn_expiries(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	setup(test, 1000, TWHEEL_HOLD);
	start_row(test, 0, 1000);
	for (i = 0; i < 999; i++)
		KUNIT_ASSERT_EQ(test, stop(f, i), 0);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].id, 999);
}

/* Behind so many withdrawn ones, the oldest is found in several turns. */
static void age_behind_withdrawn_expiries(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	setup(test, 1000, TWHEEL_HOLD);
	start_row(test, 0, 1000);
	for (i = 0; i < 999; i++)
		KUNIT_ASSERT_EQ(test, stop(f, i), 0);
	KUNIT_EXPECT_EQ(test, stats(test)->oldest_ns, 5);
}

/* Whoever waits for the next one sleeps again after each read. */
static void room_in_the_queue_brings_news(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 before;

	setup(test, 1, TWHEEL_HOLD);
	start_row(test, 0, 3);
	before = f->notified;
	KUNIT_EXPECT_EQ(test, read_events(f, 1), 1);
	KUNIT_EXPECT_GT(test, f->notified, before);
	before = f->notified;
	KUNIT_EXPECT_EQ(test, stop(f, 1), 0);
	KUNIT_EXPECT_GT(test, f->notified, before);
}

/*
 * A call takes a bounded number of steps.  What that was not enough for is
 * left to the clock, which is asked once.
 */
static void leftovers_are_deferred(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	setup(test, 20, TWHEEL_DROP_OLDEST);
	start_row(test, 0, 20);
	for (i = 0; i < 15; i++)
		KUNIT_ASSERT_EQ(test, stop(f, i), 0);
	for (i = 100; i < 115; i++)
		KUNIT_ASSERT_EQ(test, start(f, i, 0, 0, 0), 0);
	/* Not by the statistics, which clear withdrawn ones away. */
	KUNIT_EXPECT_EQ(test, f->inst.queue.live, 20);
	KUNIT_EXPECT_EQ(test, f->clock.defers, 0);
	/* Each of these has to go past the withdrawn ones to drop the oldest. */
	for (i = 200; i < 203; i++)
		KUNIT_ASSERT_EQ(test, start(f, i, 0, 0, 0), 0);
	KUNIT_EXPECT_TRUE(test, f->clock.deferred);
	KUNIT_EXPECT_EQ(test, f->clock.defers, 1);
	fake_clock_settle(&f->clock);
	KUNIT_EXPECT_EQ(test, stats(test)->waiting, 20);
	KUNIT_EXPECT_EQ(test, stats(test)->dropped, 3);
	KUNIT_EXPECT_EQ(test, read_events(f, 99), 20);
	expect_row(test, 0, 18, 2, 4, 3);
	expect_row(test, 2, 100, 15, 6, 0);
	expect_row(test, 17, 200, 3, 21, 0);
}

/* While passes go on by themselves, the clock need not call as well. */
static void clock_rests_during_a_crowd(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 i, at = (f->clock.now / TICK + 5) * TICK;

	setup(test, 5000, TWHEEL_HOLD);
	for (i = 0; i < 2000; i++)
		KUNIT_ASSERT_EQ(test, start(f, i, at, 0, TWHEEL_ABSTIME), 0);
	f->clock.now = at;
	KUNIT_EXPECT_TRUE(test, fake_clock_pass(&f->clock));
	for (i = 5000; f->clock.deferred; i++) {
		KUNIT_ASSERT_EQ(test, start(f, i, 9 * TICK, 0, 0), 0);
		KUNIT_EXPECT_EQ(test, f->clock.armed, FAKE_CLOCK_IDLE);
		KUNIT_EXPECT_TRUE(test, fake_clock_pass(&f->clock));
	}
	KUNIT_EXPECT_EQ(test, stats(test)->queued, 2000);
	KUNIT_EXPECT_EQ(test, f->clock.armed, at + 9 * TICK);
}

/* What is started when the instance is late comes after what was due before. */
static void late_instance_keeps_the_order(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	setup(test, 8, TWHEEL_HOLD);
	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, start(f, i, (i + 1) * TICK, 0, 0), 0);
	f->clock.now += 7 * TICK;
	KUNIT_ASSERT_EQ(test, start(f, 3, 0, 0, 0), 0);
	fake_clock_settle(&f->clock);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 4);
	expect_row(test, 0, 0, 4, 1, 0);
}

static struct kunit_case delivery_cases[] = {
	KUNIT_CASE_PARAM(fence, fence_gen_params),
	KUNIT_CASE(hold_loses_nothing),
	KUNIT_CASE(drop_newest_keeps_the_first),
	KUNIT_CASE(drop_oldest_keeps_the_last),
	KUNIT_CASE(dropped_periodic_timer_runs_on),
	KUNIT_CASE(refused_record_stays),
	KUNIT_CASE(oldest_expiry_has_an_age),
	KUNIT_CASE(reader_is_notified),
	KUNIT_CASE(crowd_is_served_in_passes),
	KUNIT_CASE(delivery_is_bounded),
	KUNIT_CASE(read_goes_past_withdrawn_expiries),
	KUNIT_CASE(age_behind_withdrawn_expiries),
	KUNIT_CASE(room_in_the_queue_brings_news),
	KUNIT_CASE(leftovers_are_deferred),
	KUNIT_CASE(clock_rests_during_a_crowd),
	KUNIT_CASE(late_instance_keeps_the_order),
	{}
};

static struct kunit_suite delivery_suite = {
	.name = "twheel_delivery",
	.init = delivery_init,
	.exit = fixture_exit,
	.test_cases = delivery_cases,
};

kunit_test_suite(delivery_suite);

MODULE_DESCRIPTION("Tests of an instance: from the expiry to the reader");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
