/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An instance on a clock of the test, and short forms of what is done to it
 */
#ifndef TWHEEL_INSTANCE_FIXTURE_H
#define TWHEEL_INSTANCE_FIXTURE_H

#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/vmalloc.h>

#include "../module/compat.h"
#include "../module/instance.h"
#include "fake_clock.h"

/* The default: 2^20 ns, about a millisecond. */
#define TICK BIT_ULL(20)

#define EVENTS 256

/**
 * struct fixture - what a case works with
 * @inst: The instance.
 * @reader: The descriptor that has opened it.
 * @clock: Its clock.
 * @account: Who pays.
 * @receiver: Takes records.
 * @room: Records that the receiver takes before it refuses.
 * @event: Records read by the last read_events().
 * @events: Their number.
 * @notified: Times that the instance said that there is something to read.
 * @start: The last start, with its results.
 * @stop: The last stop.
 * @reset: The last reset.
 * @get: The last get.
 * @stats: The last statistics.
 */
struct fixture {
	struct twheel_instance inst;
	struct twheel_consumer reader;
	struct fake_clock clock;
	struct twheel_account *account;
	struct twheel_receiver receiver;
	u32 room;
	struct twheel_event event[EVENTS];
	u32 events;
	u32 notified;
	struct twheel_start start;
	struct twheel_stop stop;
	struct twheel_reset reset;
	struct twheel_get get;
	struct twheel_stats stats;
};

static inline bool fixture_expire(struct twheel_clock *clock)
{
	struct fixture *f = container_of(to_fake_clock(clock), struct fixture,
					 clock);

	return twheel_instance_pass(&f->inst);
}

static inline void fixture_notify(struct twheel_instance *inst)
{
	container_of(inst, struct fixture, inst)->notified++;
}

/* The same for readers that have lines of their own. */
static inline void fixture_call(struct twheel_consumer *consumer)
{
	fixture_notify(consumer->inst);
}

static inline bool fixture_take(struct twheel_receiver *receiver,
				const struct twheel_event *event)
{
	struct fixture *f = container_of(receiver, struct fixture, receiver);

	if (f->events == f->room)
		return false;
	f->event[f->events++] = *event;
	return true;
}

static inline int fixture_init_for(struct kunit *test, u64 now, u32 user)
{
	struct fixture *f = vzalloc(sizeof(*f));

	if (!f)
		return -ENOMEM;
	test->priv = f;
	f->account = twheel_account_get(KUIDT_INIT(user));
	if (!f->account)
		return -ENOMEM;
	f->receiver.take = fixture_take;
	fake_clock_init(&f->clock, now, fixture_expire);
	twheel_instance_init(&f->inst, &f->clock.clock, f->account,
			     fixture_notify);
	twheel_consumer_open(&f->inst, &f->reader, fixture_call);
	return 0;
}

static inline int fixture_init(struct kunit *test, u64 now)
{
	return fixture_init_for(test, now, 4000000);
}

static inline void fixture_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (f && f->account) {
		twheel_consumer_leave(&f->reader);
		twheel_instance_kill(&f->inst);
		twheel_instance_destroy(&f->inst);
		KUNIT_EXPECT_EQ_MSG(test, atomic64_read(&f->account->timers), 0,
				    "timers that are not given back");
		KUNIT_EXPECT_EQ_MSG(test, atomic64_read(&f->account->words), 0,
				    "words that are not given back");
		twheel_account_put(f->account);
	}
	vfree(f);
}

static inline void setup(struct kunit *test, u32 queue_len, u32 overflow)
{
	struct fixture *f = test->priv;
	struct twheel_config config = {
		.tick_shift = 20,
		.queue_len = queue_len,
		.overflow = overflow,
	};

	KUNIT_ASSERT_EQ(test, twheel_config_fill(&config), 0);
	KUNIT_ASSERT_EQ(test, twheel_instance_setup(&f->inst, &config), 0);
}

static inline int start(struct fixture *f, u64 id, u64 time, u64 interval,
			u32 flags)
{
	f->start = (struct twheel_start) {
		.id = id,
		.time_ns = time,
		.interval_ns = interval,
		.data = ~id,
		.flags = flags,
	};
	return twheel_instance_start(&f->inst, &f->start);
}

static inline int stop(struct fixture *f, u64 id)
{
	f->stop = (struct twheel_stop) { .id = id };
	return twheel_instance_stop(&f->inst, &f->stop);
}

static inline int reset(struct fixture *f, u64 id, u64 time, u32 flags)
{
	f->reset = (struct twheel_reset) {
		.id = id,
		.time_ns = time,
		.flags = flags,
	};
	return twheel_instance_reset(&f->inst, &f->reset);
}

static inline int get(struct fixture *f, u64 id)
{
	f->get = (struct twheel_get) { .id = id };
	return twheel_instance_get(&f->inst, &f->get);
}

/* The statistics, which balance whenever they are looked at: guarantee 3. */
static inline const struct twheel_stats *stats(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct twheel_stats *s = &f->stats;

	twheel_instance_stats(&f->inst, s);
	KUNIT_EXPECT_EQ(test, s->expired, s->delivered + s->withdrawn +
			s->dropped + s->dead + s->waiting + s->in_flight);
	/* Where each reader has a copy, those are what waits. */
	if (f->inst.config.dispatch != TWHEEL_BROADCAST)
		KUNIT_EXPECT_EQ(test, s->timers,
				s->armed + s->waiting + s->in_flight + s->dead);
	return s;
}

/* Read at most @max records, up to EVENTS; return how many came. */
static inline u32 read_events(struct fixture *f, u32 max)
{
	enum twheel_read_end end = TWHEEL_READ_MORE;

	f->room = max;
	f->events = 0;
	while (end == TWHEEL_READ_MORE)
		end = twheel_instance_deliver(&f->reader, &f->receiver,
					      TWHEEL_CLAIM_OWN);
	return f->events;
}

static inline void run_for(struct fixture *f, u64 ns)
{
	fake_clock_run(&f->clock, f->clock.now + ns);
}

#endif /* TWHEEL_INSTANCE_FIXTURE_H */
