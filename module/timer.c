// SPDX-License-Identifier: GPL-2.0
/*
 * Life cycle of a timer
 *
 * Every transition is in one table, and every change of state goes through one
 * function, twheel_timer_step(), which keeps the books.
 */
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "compat.h"
#include "timer.h"

/* 0, which is TWHEEL_FREE + 0, has to mean "not possible": state + 1 is stored. */
#define TO(state)	((state) + 1)

const u8 twheel_timer_transitions[TWHEEL_STATES][TWHEEL_STEPS] = {
	[TWHEEL_FREE] = {
		[TWHEEL_STEP_ARM]		= TO(TWHEEL_ARMED),
	},
	[TWHEEL_ARMED] = {
		[TWHEEL_STEP_STOP]	= TO(TWHEEL_FREE),
		[TWHEEL_STEP_EXPIRE]	= TO(TWHEEL_DUE),
	},
	[TWHEEL_DUE] = {
		[TWHEEL_STEP_STOP]	= TO(TWHEEL_FREE),
		[TWHEEL_STEP_QUEUE]	= TO(TWHEEL_QUEUED),
		[TWHEEL_STEP_DELIVER]	= TO(TWHEEL_FREE),
		[TWHEEL_STEP_DROP]	= TO(TWHEEL_FREE),
		[TWHEEL_STEP_LEASE]	= TO(TWHEEL_DELIVERED),
	},
	[TWHEEL_QUEUED] = {
		[TWHEEL_STEP_STOP]	= TO(TWHEEL_FREE),
		[TWHEEL_STEP_DELIVER]	= TO(TWHEEL_FREE),
		[TWHEEL_STEP_DROP]	= TO(TWHEEL_FREE),
		[TWHEEL_STEP_LEASE]	= TO(TWHEEL_DELIVERED),
		[TWHEEL_STEP_RETURN]	= TO(TWHEEL_DUE),
		[TWHEEL_STEP_SETTLE]	= TO(TWHEEL_FREE),
	},
	[TWHEEL_DELIVERED] = {
		[TWHEEL_STEP_STOP]	= TO(TWHEEL_FREE),
		[TWHEEL_STEP_ACK]	= TO(TWHEEL_FREE),
		[TWHEEL_STEP_RETURN]	= TO(TWHEEL_DUE),
		[TWHEEL_STEP_BURY]	= TO(TWHEEL_DEAD),
	},
	[TWHEEL_DEAD] = {
		[TWHEEL_STEP_STOP]	= TO(TWHEEL_FREE),
		[TWHEEL_STEP_LEASE]	= TO(TWHEEL_DELIVERED),
	},
};
EXPORT_SYMBOL_FOR_KUNIT(twheel_timer_transitions);

/**
 * twheel_timer_describe() - all that can be said about a timer
 * @timer: The timer.
 * @shift: A tick is 2^@shift ns.
 * @now: The time, ns.
 * @entry: Result.
 */
void twheel_timer_describe(const struct twheel_timer *timer,
			   unsigned int shift, u64 now,
			   struct twheel_list_entry *entry)
{
	*entry = (struct twheel_list_entry) {
		.id = timer->entry.id,
		.data = timer->data,
		.generation = timer->generation,
		.deadline_ns = timer->deadline,
		.remaining_ns = twheel_timer_remaining(timer, timer->deadline,
						       now),
		.timeout_ns = timer->timeout,
		.interval_ns = twheel_timer_interval(timer),
		.slack_ns = (u64)timer->node.slack << shift,
		.state = timer->node.state,
	};
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_timer_describe);

/**
 * twheel_timer_expirations() - how often a timer has expired by now
 * @timer: The timer; its deadline has passed.
 * @now: The time, ns.
 *
 * A periodic timer is not armed again before its expiry is read, so that a
 * short interval cannot keep a CPU busy; the periods that went by since are
 * counted here.
 *
 * Return: 1 for a one-shot timer; otherwise the points of the grid
 * deadline + k * interval, k = 0, 1, ..., that are not after @now.
 */
u64 twheel_timer_expirations(const struct twheel_timer *timer, u64 now)
{
	u64 interval = twheel_timer_interval(timer);
	u64 late = now - timer->deadline;

	if (late < interval || !interval)
		return 1;
	return div64_u64(late, interval) + 1;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_timer_expirations);
