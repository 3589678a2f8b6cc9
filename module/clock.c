// SPDX-License-Identifier: GPL-2.0
/*
 * The clock made of an hrtimer
 *
 * Expiries begin in softirq context.  What does not fit into one pass there
 * goes on in a worker, which can be preempted and gives the CPU back between
 * passes: a crowd of expiries cannot keep a CPU in softirq context.
 */
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "clock.h"
#include "compat.h"

static struct workqueue_struct *twheel_wq;

static struct twheel_hrclock *to_hrclock(struct twheel_clock *clock)
{
	return container_of(clock, struct twheel_hrclock, clock);
}

static u64 hrclock_now(struct twheel_clock *clock)
{
	if (to_hrclock(clock)->id == CLOCK_BOOTTIME)
		return ktime_get_boottime_ns();
	return ktime_get_ns();
}

static void hrclock_arm(struct twheel_clock *clock, u64 time)
{
	/* A deadline in the last tick ends after what ktime_t can hold. */
	ktime_t at = ns_to_ktime(min_t(u64, time, KTIME_MAX));

	hrtimer_start(&to_hrclock(clock)->timer, at, HRTIMER_MODE_ABS_SOFT);
}

static void hrclock_cancel(struct twheel_clock *clock)
{
	hrtimer_try_to_cancel(&to_hrclock(clock)->timer);
}

static void hrclock_defer(struct twheel_clock *clock)
{
	queue_work(twheel_wq, &to_hrclock(clock)->work);
}

static enum hrtimer_restart hrclock_fire(struct hrtimer *timer)
{
	struct twheel_hrclock *hrclock;

	hrclock = container_of(timer, struct twheel_hrclock, timer);
	if (hrclock->clock.expire(&hrclock->clock))
		hrclock_defer(&hrclock->clock);
	/* Whoever needs the next expiry has armed the timer anew. */
	return HRTIMER_NORESTART;
}

static void hrclock_work(struct work_struct *work)
{
	struct twheel_hrclock *hrclock;

	hrclock = container_of(work, struct twheel_hrclock, work);
	while (hrclock->clock.expire(&hrclock->clock))
		cond_resched();
}

static void hrclock_select(struct twheel_clock *clock, clockid_t id)
{
	struct twheel_hrclock *hrclock = to_hrclock(clock);

	hrclock->id = id;
	hrtimer_setup(&hrclock->timer, hrclock_fire, id, HRTIMER_MODE_ABS_SOFT);
}

static const struct twheel_clock_ops hrclock_ops = {
	.now = hrclock_now,
	.arm = hrclock_arm,
	.cancel = hrclock_cancel,
	.defer = hrclock_defer,
	.select = hrclock_select,
};

/**
 * twheel_hrclock_init() - make a clock, on CLOCK_MONOTONIC
 * @hrclock: The clock.
 * @expire: Called when something is due.
 */
void twheel_hrclock_init(struct twheel_hrclock *hrclock,
			 bool (*expire)(struct twheel_clock *clock))
{
	hrclock->clock.ops = &hrclock_ops;
	hrclock->clock.expire = expire;
	INIT_WORK(&hrclock->work, hrclock_work);
	hrclock_select(&hrclock->clock, CLOCK_MONOTONIC);
}

/**
 * twheel_hrclock_destroy() - stop a clock for good
 * @hrclock: The clock.  Its user does not arm it any more, and its expire
 *	function returns false from now on.
 *
 * Context: May sleep.  After this the expire function is not called.
 */
void twheel_hrclock_destroy(struct twheel_hrclock *hrclock)
{
	hrtimer_cancel(&hrclock->timer);
	cancel_work_sync(&hrclock->work);
}

/**
 * twheel_hrclock_module_init() - make what all clocks share
 *
 * The worker has the priority of any program: were it higher, readers of all
 * instances would wait behind a crowd of one.
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_hrclock_module_init(void)
{
	twheel_wq = alloc_workqueue("twheel", WQ_UNBOUND, 0);
	return twheel_wq ? 0 : -ENOMEM;
}

/**
 * twheel_hrclock_module_exit() - the reverse of twheel_hrclock_module_init()
 */
void twheel_hrclock_module_exit(void)
{
	destroy_workqueue(twheel_wq);
}
