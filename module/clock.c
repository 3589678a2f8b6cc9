// SPDX-License-Identifier: GPL-2.0
/*
 * The clock made of an hrtimer
 *
 * Expiries begin in softirq context.  What does not fit into one pass there
 * goes on in a worker, which can be preempted and gives the CPU back between
 * passes: a crowd of expiries cannot keep a CPU in softirq context.
 *
 * Nor can crowds in very many instances.  All of them together have a share of
 * each CPU in softirq context, and what comes when it is used up goes to a
 * worker at once.  There are as many workers as CPUs, and instances take turns:
 * with a worker for each, programs would get next to nothing of a CPU.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "clock.h"
#include "compat.h"

/* Passes that a worker makes for an instance before the next one has its turn. */
#define TURN_PASSES	16
/* Time for passes in softirq context, of each jiffy on each CPU: a quarter. */
#define SOFTIRQ_NS	(TICK_NSEC / 4)

/**
 * struct twheel_share - passes in softirq context on a CPU
 * @jiffy: When the last one was.
 * @spent: Time for passes in that jiffy, ns.
 */
struct twheel_share {
	unsigned long jiffy;
	u64 spent;
};

static DEFINE_PER_CPU(struct twheel_share, twheel_share);

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

static bool is_used_up(struct twheel_share *share)
{
	unsigned long jiffy = jiffies;

	if (share->jiffy != jiffy)
		*share = (struct twheel_share) { .jiffy = jiffy };
	return share->spent >= SOFTIRQ_NS;
}

/* A pass in softirq context, or none; whether there is more to do. */
static bool expire_in_softirq(struct twheel_clock *clock)
{
	struct twheel_share *share = this_cpu_ptr(&twheel_share);
	u64 begin;
	bool more;

	if (is_used_up(share))
		return true;
	begin = ktime_get_ns();
	more = clock->expire(clock);
	share->spent += ktime_get_ns() - begin;
	return more;
}

static enum hrtimer_restart hrclock_fire(struct hrtimer *timer)
{
	struct twheel_hrclock *hrclock;

	hrclock = container_of(timer, struct twheel_hrclock, timer);
	if (expire_in_softirq(&hrclock->clock))
		hrclock_defer(&hrclock->clock);
	/* Whoever needs the next expiry has armed the timer anew. */
	return HRTIMER_NORESTART;
}

static void hrclock_work(struct work_struct *work)
{
	struct twheel_hrclock *hrclock;
	unsigned int passes;

	hrclock = container_of(work, struct twheel_hrclock, work);
	for (passes = 0; passes < TURN_PASSES; passes++) {
		if (!hrclock->clock.expire(&hrclock->clock))
			return;
		cond_resched();
	}
	/* Behind those that wait for a worker. */
	hrclock_defer(&hrclock->clock);
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
 * The workers have the priority of any program: were it higher, readers of all
 * instances would wait behind a crowd of one.
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_hrclock_module_init(void)
{
	twheel_wq = alloc_workqueue("twheel", WQ_UNBOUND, num_online_cpus());
	return twheel_wq ? 0 : -ENOMEM;
}

/**
 * twheel_hrclock_module_exit() - the reverse of twheel_hrclock_module_init()
 */
void twheel_hrclock_module_exit(void)
{
	destroy_workqueue(twheel_wq);
}
