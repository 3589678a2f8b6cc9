/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Life cycle of a timer
 */
#ifndef TWHEEL_TIMER_H
#define TWHEEL_TIMER_H

#include <linux/bitops.h>
#include <linux/types.h>

#include <uapi/linux/twheel.h>

#include "index.h"
#include "wheel.h"

/**
 * struct twheel_timer - a timer
 * @node: Its place in the wheel while it is ARMED; a link in the instance's
 *	list while it is DUE.  Its state is enum twheel_state, and changes in
 *	twheel_timer_step() only.  Its slack is in ticks.
 * @entry: Its ID and its place in the index.
 * @deadline: Deadline asked for, ns.
 * @timeout: What a reset without a time of its own adds to now, ns.
 * @interval: 0 for a one-shot timer, ns.
 * @data: The caller's.
 * @generation: Number of its arming by start or reset, unique in the instance.
 *
 * All fields are covered by the lock of the instance.
 */
struct twheel_timer {
	struct twheel_node node;
	struct twheel_index_entry entry;
	u64 deadline;
	u64 timeout;
	u64 interval;
	u64 data;
	u64 generation;
};

/**
 * enum twheel_step - what can happen to a timer
 * @TWHEEL_STEP_ARM: It was started, reset, or its next period began.
 * @TWHEEL_STEP_STOP: It was stopped; also the first half of a restart.
 * @TWHEEL_STEP_EXPIRE: Its deadline has come.
 * @TWHEEL_STEP_QUEUE: Its expiry got a place in the queue.
 * @TWHEEL_STEP_DELIVER: Its expiry was read.
 * @TWHEEL_STEP_DROP: Its expiry was dropped by the overflow policy.
 * @TWHEEL_STEPS: Their number.
 */
enum twheel_step {
	TWHEEL_STEP_ARM,
	TWHEEL_STEP_STOP,
	TWHEEL_STEP_EXPIRE,
	TWHEEL_STEP_QUEUE,
	TWHEEL_STEP_DELIVER,
	TWHEEL_STEP_DROP,
	TWHEEL_STEPS,
};

#define TWHEEL_STATES	(TWHEEL_QUEUED + 1)

/**
 * struct twheel_books - what became of the expiries of an instance
 * @in_state: Timers in each state now; that of TWHEEL_FREE is meaningless.
 * @expired: Expiries.
 * @delivered: Of these, read.
 * @withdrawn: Of these, taken back unread.
 * @dropped: Of these, dropped by the overflow policy.
 *
 * Kept by twheel_timer_step() alone, which is why they balance:
 * expired = delivered + withdrawn + dropped + those in DUE and QUEUED.
 */
struct twheel_books {
	u64 in_state[TWHEEL_STATES];
	u64 expired;
	u64 delivered;
	u64 withdrawn;
	u64 dropped;
};

int twheel_timer_next(u32 state, enum twheel_step op);
u32 twheel_timer_step(struct twheel_timer *timer, enum twheel_step op,
		      struct twheel_books *books);
int twheel_timer_deadline(u64 now, u64 time, bool absolute, u64 *deadline);
u64 twheel_timer_remaining(const struct twheel_timer *timer, u64 now);
u64 twheel_timer_expirations(const struct twheel_timer *timer, u64 now);
void twheel_timer_describe(const struct twheel_timer *timer,
			   unsigned int shift, u64 now,
			   struct twheel_list_entry *entry);

/* The first tick that does not begin before @deadline: late, never early. */
static inline u64 twheel_timer_tick(u64 deadline, unsigned int shift)
{
	return (deadline + BIT_ULL(shift) - 1) >> shift;
}

/**
 * twheel_timer_join() - the tick in which a timer with slack expires
 * @tick: The first one that it may.
 * @slack: How many ticks later it still may.
 *
 * Of the ticks that are allowed, the one with the most trailing zero bits: so
 * timers that know nothing of each other choose the same one.  The idea is that
 * of the slack that the kernel's timer wheel had until 4.7.
 *
 * Return: A tick from @tick to @tick + @slack.
 */
static inline u64 twheel_timer_join(u64 tick, u32 slack)
{
	u64 last = tick + slack;
	/* The highest bit that changes on the way from before @tick to @last. */
	unsigned int bit = fls64((tick - 1) ^ last) - 1;

	return last >> bit << bit;
}

#endif /* TWHEEL_TIMER_H */
