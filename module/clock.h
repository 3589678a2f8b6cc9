/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time for an instance, so that tests can own it
 */
#ifndef TWHEEL_CLOCK_H
#define TWHEEL_CLOCK_H

#include <linux/hrtimer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct twheel_clock;

/**
 * struct twheel_clock_ops - what a clock can do
 * @now: Tell the time, ns.
 * @arm: Call twheel_clock.expire once at this time, ns, or soon if it has
 *	passed.  Replaces what was armed before.
 * @cancel: Forget what was armed.  A call that is under way goes on.
 * @defer: Call twheel_clock.expire from a context that can be preempted, again
 *	and again until it returns false.
 * @select: Choose the clock, CLOCK_MONOTONIC or CLOCK_BOOTTIME, before it was
 *	armed for the first time.
 *
 * All are called under the lock of the instance.
 */
struct twheel_clock_ops {
	u64 (*now)(struct twheel_clock *clock);
	void (*arm)(struct twheel_clock *clock, u64 time);
	void (*cancel)(struct twheel_clock *clock);
	void (*defer)(struct twheel_clock *clock);
	void (*select)(struct twheel_clock *clock, clockid_t id);
};

/**
 * struct twheel_clock - a clock
 * @ops: How it works.
 * @expire: The owner's: do a bounded pass of what is due, return whether there
 *	is more.  Called without locks held, in softirq or process context.
 */
struct twheel_clock {
	const struct twheel_clock_ops *ops;
	bool (*expire)(struct twheel_clock *clock);
};

/**
 * struct twheel_hrclock - the clock made of an hrtimer
 * @clock: What its user sees.
 * @timer: Fires in softirq context.
 * @work: Goes on where a pass in softirq context stopped.
 * @id: CLOCK_MONOTONIC or CLOCK_BOOTTIME.
 */
struct twheel_hrclock {
	struct twheel_clock clock;
	struct hrtimer timer;
	struct work_struct work;
	clockid_t id;
};

int twheel_hrclock_module_init(void);
void twheel_hrclock_module_exit(void);
void twheel_hrclock_init(struct twheel_hrclock *hrclock,
			 bool (*expire)(struct twheel_clock *clock));
void twheel_hrclock_destroy(struct twheel_hrclock *hrclock);

#endif /* TWHEEL_CLOCK_H */
