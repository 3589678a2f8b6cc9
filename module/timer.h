/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Life cycle of a timer
 */
#ifndef TWHEEL_TIMER_H
#define TWHEEL_TIMER_H

#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include <uapi/linux/twheel.h>

#include "index.h"
#include "line.h"
#include "wheel.h"

struct twheel_consumer;
struct twheel_returns;

/**
 * struct twheel_timer - a timer
 * @node: Its place in the wheel while it is ARMED, or DELIVERED under a lease
 *	that may run out; a link in a list while it is DUE or DEAD.  Its state is
 *	enum twheel_state, and changes in twheel_timer_step() only.  Its slack is
 *	in ticks.  It is mapped if the timer has a word.
 * @entry: Its ID and its place in the index.
 * @deadline: Deadline asked for, ns; of a timer with a word, the effective one
 *	when it was last looked at.
 * @timeout: What a reset without a time of its own adds to now, ns.
 * @interval: 0 for a one-shot timer, ns; see twheel_timer_interval().
 * @word: Its word, if it has one: then it is a one-shot timer.
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
	union {
		u64 interval;
		u64 word;
	};
	u64 data;
	u64 generation;
};

/**
 * struct twheel_expiry - what is known of an expiry, behind its timer
 * @seat: Its place in a reader's line, while the timer is QUEUED there.
 * @returned: Its place among those that came back, see @returns.
 * @held: In the list of the leases of @owner, while the timer is DELIVERED.
 * @copies: TWHEEL_BROADCAST: the copies of it that are unread.
 * @returns: Where @returned is, or NULL: it is not in use.
 * @owner: The reader whose line or lease it is in, or NULL.
 * @order: Number of the expiry in the instance: the lower, the older.
 * @fired: When it expired, ns.
 * @expirations: Periods that the record under lease reports.
 * @token: Number of the delivery under lease.
 * @attempt: Deliveries so far.
 * @dead: It is dead, or under a lease of a reader of dead expiries.
 *
 * Only where readers have leases or lines of their own: the timer of the usual
 * instance is small.
 */
struct twheel_expiry {
	union {
		struct twheel_seat seat;
		struct rb_node returned;
		struct list_head held;
		struct list_head copies;
	};
	struct twheel_returns *returns;
	struct twheel_consumer *owner;
	u64 order;
	u64 fired;
	u64 expirations;
	u64 token;
	u32 attempt;
	bool dead;
};

/**
 * struct twheel_pooled_timer - a timer with an expiry that can come back
 * @timer: The timer.
 * @expiry: Its expiry.
 */
struct twheel_pooled_timer {
	struct twheel_timer timer;
	struct twheel_expiry expiry;
};

/**
 * enum twheel_step - what can happen to a timer
 * @TWHEEL_STEP_ARM: It was started, reset, or its next period began.
 * @TWHEEL_STEP_STOP: It was stopped; also the first half of a restart.
 * @TWHEEL_STEP_EXPIRE: Its deadline has come.
 * @TWHEEL_STEP_QUEUE: Its expiry got a place in the queue.
 * @TWHEEL_STEP_DELIVER: Its expiry was read, and that is the end of it.
 * @TWHEEL_STEP_DROP: Its expiry was dropped by the overflow policy.
 * @TWHEEL_STEP_LEASE: Its expiry was read, and has to be acknowledged.
 * @TWHEEL_STEP_ACK: It was.
 * @TWHEEL_STEP_RETURN: It was not, or lost its place in a queue.
 * @TWHEEL_STEP_BURY: It was not, and that was the last attempt.
 * @TWHEEL_STEP_SETTLE: All that was to be done with the copies of its expiry is
 *	done, and counted.
 * @TWHEEL_STEPS: Their number.
 */
enum twheel_step {
	TWHEEL_STEP_ARM,
	TWHEEL_STEP_STOP,
	TWHEEL_STEP_EXPIRE,
	TWHEEL_STEP_QUEUE,
	TWHEEL_STEP_DELIVER,
	TWHEEL_STEP_DROP,
	TWHEEL_STEP_LEASE,
	TWHEEL_STEP_ACK,
	TWHEEL_STEP_RETURN,
	TWHEEL_STEP_BURY,
	TWHEEL_STEP_SETTLE,
	TWHEEL_STEPS,
};

#define TWHEEL_STATES	(TWHEEL_DEAD + 1)

/**
 * struct twheel_books - what became of the expiries of an instance
 * @in_state: Timers in each state now; that of TWHEEL_FREE is meaningless.
 * @expired: Expiries.
 * @delivered: Of these, read for good or acknowledged.
 * @withdrawn: Of these, taken back before that.
 * @dropped: Of these, dropped by the overflow policy.
 *
 * Kept by twheel_timer_step() alone, which is why they balance: expired =
 * delivered + withdrawn + dropped + those in DUE, QUEUED, DELIVERED and DEAD.
 * But where an expiry has copies, broadcast.c counts these instead.
 */
struct twheel_books {
	u64 in_state[TWHEEL_STATES];
	u64 expired;
	u64 delivered;
	u64 withdrawn;
	u64 dropped;
};

/* The state that follows, plus 1; 0: it cannot happen. */
extern const u8 twheel_timer_transitions[TWHEEL_STATES][TWHEEL_STEPS];

u64 twheel_timer_expirations(const struct twheel_timer *timer, u64 now);
void twheel_timer_describe(const struct twheel_timer *timer,
			   unsigned int shift, u64 now,
			   struct twheel_list_entry *entry);

/**
 * twheel_timer_next() - the state that follows
 * @state: One of enum twheel_state.
 * @op: What happens.
 *
 * Return: The next state, or -EINVAL if @op cannot happen in @state.
 */
static inline int twheel_timer_next(u32 state, enum twheel_step op)
{
	u8 next = twheel_timer_transitions[state][op];

	return next ? next - 1 : -EINVAL;
}

static inline void twheel_keep_books(struct twheel_books *books, u32 from,
				     u32 to, enum twheel_step op)
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
static inline u32 twheel_timer_step(struct twheel_timer *timer,
				    enum twheel_step op,
				    struct twheel_books *books)
{
	u32 from = timer->node.state;
	int to = twheel_timer_next(from, op);

	if (WARN_ON_ONCE(to < 0))
		return from;
	timer->node.state = to;
	twheel_keep_books(books, from, to, op);
	return from;
}

/* The expiry of a timer that has one. */
static inline struct twheel_expiry *twheel_expiry_of(struct twheel_timer *timer)
{
	return &container_of(timer, struct twheel_pooled_timer, timer)->expiry;
}

/* The timer of an expiry. */
static inline struct twheel_timer *twheel_timer_of(struct twheel_expiry *expiry)
{
	return &container_of(expiry, struct twheel_pooled_timer, expiry)->timer;
}

/* Its interval, ns; 0 for a one-shot timer. */
static inline u64 twheel_timer_interval(const struct twheel_timer *timer)
{
	return timer->node.mapped ? 0 : timer->interval;
}

/* The first tick that does not begin before @deadline: late, never early. */
static inline u64 twheel_timer_tick(u64 deadline, unsigned int shift)
{
	return (deadline + BIT_ULL(shift) - 1) >> shift;
}

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
static inline int twheel_timer_deadline(u64 now, u64 time, bool absolute,
					u64 *deadline)
{
	u64 room = absolute ? KTIME_MAX : KTIME_MAX - now;

	if (time > room)
		return -EOVERFLOW;
	*deadline = absolute ? time : now + time;
	return 0;
}

/**
 * twheel_timer_remaining() - time that a timer still has
 * @timer: The timer.
 * @deadline: Its deadline, or the effective one, ns.
 * @now: The time, ns.
 *
 * Return: Nanoseconds to @deadline; 0 once it has passed or the timer expired.
 */
static inline u64 twheel_timer_remaining(const struct twheel_timer *timer,
					 u64 deadline, u64 now)
{
	if (timer->node.state != TWHEEL_ARMED || deadline <= now)
		return 0;
	return deadline - now;
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
	unsigned int bit;

	if (!slack)
		return tick;
	/* The highest bit that changes on the way from before @tick to @last. */
	bit = fls64((tick - 1) ^ last) - 1;
	return last >> bit << bit;
}

/**
 * twheel_timer_postponed() - the deadline of a timer that is postponed by activity
 * @timer: The timer.
 * @activity: When there was activity last, ns, as somebody says who is not to be
 *	trusted.
 * @now: The time, ns.
 *
 * Return: Its deadline, or its timeout after @activity if that is later; never
 * more than its timeout after @now.
 */
static inline u64 twheel_timer_postponed(const struct twheel_timer *timer,
					 u64 activity, u64 now)
{
	/* No activity is later than now, whatever they say. */
	u64 deadline = min(activity, now) + timer->timeout;

	/* It had passed at the start: nothing is left to postpone. */
	if (!timer->timeout || deadline <= timer->deadline)
		return timer->deadline;
	return min_t(u64, deadline, KTIME_MAX);
}

#endif /* TWHEEL_TIMER_H */
