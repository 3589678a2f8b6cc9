/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An instance: a set of timers with one wheel, one clock, one queue, one lock
 */
#ifndef TWHEEL_INSTANCE_H
#define TWHEEL_INSTANCE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "account.h"
#include "clock.h"
#include "index.h"
#include "queue.h"
#include "timer.h"
#include "wheel.h"

/*
 * With a tick of 2^15 ns or more, the wheel reaches every deadline that a
 * 63-bit clock can have.
 */
#define TWHEEL_TICK_SHIFT_MIN	15
#define TWHEEL_TICK_SHIFT_MAX	30

/**
 * struct twheel_config - settings of an instance
 * @tick_shift: A tick is 2^tick_shift ns.
 * @clock: CLOCK_MONOTONIC or CLOCK_BOOTTIME.
 * @queue_len: Expiries that the queue holds.
 * @overflow: One of enum twheel_overflow.
 * @max_timers: Timers that the instance holds.
 */
struct twheel_config {
	u32 tick_shift;
	clockid_t clock;
	u32 queue_len;
	u32 overflow;
	u64 max_timers;
};

/**
 * struct twheel_instance - an instance
 * @lock: Covers everything below that is not said to be constant, and all the
 *	timers.  Taken with bottom halves off, because expiries run in softirq
 *	context.  Locks that nest inside: the wait queue of the reader, its
 *	fasync lock, those of the hrtimer and of the workqueue.  Nothing sleeps
 *	and no user memory faults under it.
 * @config: Settings; constant once a timer was started.
 * @wheel: The ARMED timers; NULL before the instance is set up.
 * @index: All timers by ID.
 * @queue: The QUEUED timers.
 * @due: The DUE timers, oldest first.
 * @books: What became of the expiries.
 * @generation: Armings so far: the number of the last one.
 * @programmed: Tick that the clock is armed for, or TWHEEL_NEVER.
 * @backlog: A deferred pass was asked for and has not caught up.
 * @news: There is something to notify the reader of.
 * @dying: The instance is being destroyed: no pass, no arming.
 * @counts: For the statistics.
 * @clock: Constant.
 * @account: Who pays; constant.
 * @notify: Called under the lock when there is something new to read;
 *	constant.
 */
struct twheel_instance {
	spinlock_t lock;	/* all below, see above */
	struct twheel_config config;
	struct twheel_wheel *wheel;
	struct twheel_index index;
	struct twheel_queue queue;
	struct list_head due;
	struct twheel_books books;
	u64 generation;
	u64 programmed;
	bool backlog;
	bool news;
	bool dying;
	struct {
		u64 started;
		u64 reset;
		u64 stopped;
		u64 passes;
		u64 programmed;
	} counts;
	struct twheel_clock *clock;
	struct twheel_account *account;
	void (*notify)(struct twheel_instance *inst);
};

/**
 * enum twheel_read_end - why a delivery stopped
 * @TWHEEL_READ_EMPTY: There is nothing more.
 * @TWHEEL_READ_MORE: There may be more; the lock was held long enough.
 * @TWHEEL_READ_REFUSED: The receiver did not take the next record.
 */
enum twheel_read_end {
	TWHEEL_READ_EMPTY,
	TWHEEL_READ_MORE,
	TWHEEL_READ_REFUSED,
};

/**
 * struct twheel_receiver - where records go
 * @take: Take a record; false if it cannot.  Called under the lock of the
 *	instance.
 */
struct twheel_receiver {
	bool (*take)(struct twheel_receiver *receiver,
		     const struct twheel_event *event);
};

/* instance.c */
int twheel_instance_module_init(void);
void twheel_instance_module_exit(void);

void twheel_instance_init(struct twheel_instance *inst,
			  struct twheel_clock *clock,
			  struct twheel_account *account,
			  void (*notify)(struct twheel_instance *inst));
void twheel_instance_kill(struct twheel_instance *inst);
void twheel_instance_destroy(struct twheel_instance *inst);
int twheel_config_fill(struct twheel_config *config);
int twheel_instance_setup(struct twheel_instance *inst,
			  const struct twheel_config *config);
u32 twheel_timers_new(struct twheel_timer **timers, u32 nr,
		      bool short_of_memory);
void twheel_timers_discard(struct twheel_timer **timers, u32 nr);
void twheel_timers_free(struct twheel_instance *inst, struct list_head *timers);
void twheel_instance_stats(struct twheel_instance *inst,
			   struct twheel_stats *stats);
void twheel_instance_config(struct twheel_instance *inst,
			    struct twheel_config *config);
void twheel_instance_limits(struct twheel_config *max);

/* operate.c */
void twheel_instance_operate(struct twheel_instance *inst,
			     const struct twheel_op *ops,
			     struct twheel_result *results, u32 nr);
int twheel_instance_get(struct twheel_instance *inst, struct twheel_get *req);

/* single.c */
int twheel_instance_start(struct twheel_instance *inst,
			  struct twheel_start *req);
int twheel_instance_stop(struct twheel_instance *inst,
			 struct twheel_stop *req);
int twheel_instance_reset(struct twheel_instance *inst,
			  struct twheel_reset *req);

/* expiry.c */
bool twheel_instance_pass(struct twheel_instance *inst);
enum twheel_read_end twheel_instance_deliver(struct twheel_instance *inst,
					     struct twheel_receiver *receiver);

/* Whether a read would find something. */
static inline bool twheel_instance_readable(const struct twheel_instance *inst)
{
	return READ_ONCE(inst->queue.live);
}

#endif /* TWHEEL_INSTANCE_H */
