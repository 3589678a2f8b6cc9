// SPDX-License-Identifier: GPL-2.0
/*
 * Life cycle of a timer
 *
 * Every transition is in one table, and every change of state goes through one
 * function, which keeps the books.
 */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "compat.h"
#include "timer.h"

/* 0, which is TWHEEL_FREE + 0, has to mean "not possible": store state + 1. */
#define TO(state)	((state) + 1)

static const u8 transitions[TWHEEL_STATES][TWHEEL_STEPS] = {
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

/**
 * twheel_timer_next() - the state that follows
 * @state: One of enum twheel_state.
 * @op: What happens.
 *
 * Return: The next state, or -EINVAL if @op cannot happen in @state.
 */
int twheel_timer_next(u32 state, enum twheel_step op)
{
	if (!transitions[state][op])
		return -EINVAL;
	return transitions[state][op] - 1;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_timer_next);

static void keep_books(struct twheel_books *books, u32 from, u32 to,
		       enum twheel_step op)
{
	books->in_state[from]--;
	books->in_state[to]++;
	if (op == TWHEEL_STEP_EXPIRE)
		books->expired++;
	else if (op == TWHEEL_STEP_DELIVER || op == TWHEEL_STEP_ACK)
		books->delivered++;
	else if (op == TWHEEL_STEP_DROP)
		books->dropped++;
	else if (op == TWHEEL_STEP_STOP && from != TWHEEL_ARMED)
		books->withdrawn++;
}

/**
 * twheel_timer_step() - take a timer to its next state
 * @timer: The timer.
 * @op: What happens to it; possible in its state.
 * @books: The books of its instance.
 *
 * Context: The lock of the instance is held.
 * Return: The state that it was in.
 */
u32 twheel_timer_step(struct twheel_timer *timer, enum twheel_step op,
		      struct twheel_books *books)
{
	u32 from = timer->node.state;
	int to = twheel_timer_next(from, op);

	if (WARN_ON_ONCE(to < 0))
		return from;
	timer->node.state = to;
	keep_books(books, from, to, op);
	return from;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_timer_step);

/**
 * twheel_timer_deadline() - make a deadline of what a caller asks for
 * @now: The time, ns.
 * @time: A timeout from now or a deadline, ns.
 * @absolute: It is a deadline.
 * @deadline: Result, at most KTIME_MAX.
 *
 * Return: 0, or -EOVERFLOW if the deadline is beyond the end of the clock;
 * then @deadline is untouched.
 */
int twheel_timer_deadline(u64 now, u64 time, bool absolute, u64 *deadline)
{
	u64 room = absolute ? KTIME_MAX : KTIME_MAX - now;

	if (time > room)
		return -EOVERFLOW;
	*deadline = absolute ? time : now + time;
	return 0;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_timer_deadline);

/**
 * twheel_timer_remaining() - time that a timer still has
 * @timer: The timer.
 * @deadline: Its deadline, or the effective one, ns.
 * @now: The time, ns.
 *
 * Return: Nanoseconds to @deadline; 0 once it has passed or the timer expired.
 */
u64 twheel_timer_remaining(const struct twheel_timer *timer, u64 deadline,
			   u64 now)
{
	if (timer->node.state != TWHEEL_ARMED || deadline <= now)
		return 0;
	return deadline - now;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_timer_remaining);

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
