/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A clock that stands still until the test moves it
 *
 * A header, because each test module is made of the one file of its suite.
 */
#ifndef TWHEEL_FAKE_CLOCK_H
#define TWHEEL_FAKE_CLOCK_H

#include <linux/container_of.h>
#include <linux/types.h>

#include "../module/clock.h"

#define FAKE_CLOCK_IDLE U64_MAX

/**
 * struct fake_clock - the clock
 * @clock: What the instance sees.
 * @now: The time, ns.  The test's.
 * @armed: When expire is to be called; FAKE_CLOCK_IDLE if it is not.
 * @deferred: Expire is to be called from a context that can be preempted.
 * @id: The clock that was selected.
 * @arms: Calls.
 * @cancels: Calls.
 * @defers: Calls.
 * @fired: Times that the armed time came.
 * @passes: Calls of expire.
 */
struct fake_clock {
	struct twheel_clock clock;
	u64 now;
	u64 armed;
	bool deferred;
	clockid_t id;
	u32 arms;
	u32 cancels;
	u32 defers;
	u32 fired;
	u32 passes;
};

static inline struct fake_clock *to_fake_clock(struct twheel_clock *clock)
{
	return container_of(clock, struct fake_clock, clock);
}

static inline u64 fake_clock_now(struct twheel_clock *clock)
{
	return to_fake_clock(clock)->now;
}

static inline void fake_clock_arm(struct twheel_clock *clock, u64 time)
{
	to_fake_clock(clock)->armed = time;
	to_fake_clock(clock)->arms++;
}

static inline void fake_clock_cancel(struct twheel_clock *clock)
{
	to_fake_clock(clock)->armed = FAKE_CLOCK_IDLE;
	to_fake_clock(clock)->cancels++;
}

static inline void fake_clock_defer(struct twheel_clock *clock)
{
	to_fake_clock(clock)->deferred = true;
	to_fake_clock(clock)->defers++;
}

static inline void fake_clock_select(struct twheel_clock *clock, clockid_t id)
{
	to_fake_clock(clock)->id = id;
}

static const struct twheel_clock_ops fake_clock_ops = {
	.now = fake_clock_now,
	.arm = fake_clock_arm,
	.cancel = fake_clock_cancel,
	.defer = fake_clock_defer,
	.select = fake_clock_select,
};

static inline void fake_clock_init(struct fake_clock *fake, u64 now,
				   bool (*expire)(struct twheel_clock *clock))
{
	*fake = (struct fake_clock) {
		.clock = { .ops = &fake_clock_ops, .expire = expire },
		.now = now,
		.armed = FAKE_CLOCK_IDLE,
	};
}

/* One pass, as by the timer or the worker, whichever is next; false if none. */
static inline bool fake_clock_pass(struct fake_clock *fake)
{
	if (fake->deferred) {
		fake->deferred = false;
	} else if (fake->armed <= fake->now) {
		fake->armed = FAKE_CLOCK_IDLE;
		fake->fired++;
	} else {
		return false;
	}
	fake->passes++;
	if (fake->clock.expire(&fake->clock))
		fake->deferred = true;
	return true;
}

/* All that is to be done now. */
static inline void fake_clock_settle(struct fake_clock *fake)
{
	while (fake_clock_pass(fake))
		;
}

/* Let time go by until @time, with every call at the time it was armed for. */
static inline void fake_clock_run(struct fake_clock *fake, u64 time)
{
	fake_clock_settle(fake);
	while (fake->armed <= time) {
		fake->now = fake->armed;
		fake_clock_settle(fake);
	}
	fake->now = time;
}

#endif /* TWHEEL_FAKE_CLOCK_H */
