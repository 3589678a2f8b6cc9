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
#include "consumer.h"
#include "index.h"
#include "queue.h"
#include "returns.h"
#include "store.h"
#include "timer.h"
#include "wheel.h"
#include "words.h"

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
 * @delivery: One of enum twheel_delivery.
 * @dispatch: One of enum twheel_dispatch.
 * @lease_ns: How long a lease is.
 * @max_attempts: Deliveries of an expiry before it is dead; 0: no limit.
 * @flags: TWHEEL_STEAL, TWHEEL_CONTROL.
 * @map_words: Words that timers can have.
 */
struct twheel_config {
	u32 tick_shift;
	clockid_t clock;
	u32 queue_len;
	u32 overflow;
	u64 max_timers;
	u32 delivery;
	u32 dispatch;
	u64 lease_ns;
	u32 max_attempts;
	u32 flags;
	u32 map_words;
};

/**
 * struct twheel_pool - the readers of an instance, and what comes back from them
 * @consumers: All descriptors.
 * @readers: Those that are readers.
 * @last_number: The highest number that a reader was given.
 * @opener: The descriptor that opened the instance; NULL when it is closed.
 * @place: Readers that expiries are dealt to, in the order in which they came;
 *	none with TWHEEL_SHARED.
 * @nr_places: How many.
 * @turn: TWHEEL_ROUND_ROBIN: the place that is next.
 * @returns: Expiries that came back, for whoever reads first; with TWHEEL_BY_ID
 *	until there is a reader.
 * @dead: DEAD timers.
 * @dead_held: DELIVERED timers that are under a lease of a reader of dead ones.
 * @copies: TWHEEL_BROADCAST: unread copies in all lines.
 * @orders: Expiries so far: the order of the youngest.
 * @tokens: Deliveries under a lease so far: the token of the last one.
 * @dropped: Expiries that were dropped while there was nobody to tell.
 * @redelivered: For the statistics.
 * @rejected: For the statistics.
 * @lapsed: For the statistics.
 * @stolen: For the statistics.
 */
struct twheel_pool {
	struct list_head consumers;
	u32 readers;
	u32 last_number;
	struct twheel_consumer *opener;
	struct twheel_consumer *place[TWHEEL_READERS_MAX];
	u32 nr_places;
	u32 turn;
	struct twheel_returns returns;
	struct list_head dead;
	u64 dead_held;
	u64 copies;
	u64 orders;
	u64 tokens;
	u64 dropped;
	u64 redelivered;
	u64 rejected;
	u64 lapsed;
	u64 stolen;
};

/* What has to be told at the end of a hold of the lock: twheel_instance.news. */
#define TWHEEL_NEWS_QUEUE	BIT(0)	/* in the queue that is for all */
#define TWHEEL_NEWS_READER	BIT(1)	/* for readers that have their own */
#define TWHEEL_NEWS_SPARE	BIT(2)	/* for a reader that has nothing to do */
#define TWHEEL_NEWS_END		BIT(3)	/* the instance comes to its end */

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
 * @words: What programs say of activity.
 * @store: Free timers.
 * @due: The DUE timers, oldest first.
 * @books: What became of the expiries.
 * @generation: Armings so far: the number of the last one.
 * @programmed: Tick that the clock is armed for, or TWHEEL_NEVER.
 * @backlog: A deferred pass was asked for and has not caught up.
 * @news: What there is to notify readers of: TWHEEL_NEWS_QUEUE and so on.
 * @pooled: Its timers are struct twheel_pooled_timer: it has leases, or readers
 *	with lines of their own.
 * @shut: Timers do not expire any more.
 * @dying: The instance is being destroyed: no pass, no arming.
 * @counts: For the statistics.
 * @pool: The readers.
 * @clock: Constant.
 * @account: Who pays; constant.
 * @notify: Called under the lock when there is something new in @queue;
 *	constant.
 */
struct twheel_instance {
	spinlock_t lock;	/* all below, see above */
	struct twheel_config config;
	struct twheel_wheel *wheel;
	struct twheel_index index;
	struct twheel_queue queue;
	struct twheel_words words;
	struct twheel_store store;
	struct list_head due;
	struct twheel_books books;
	u64 generation;
	u64 programmed;
	u8 news;
	bool backlog;
	bool pooled;
	bool shut;
	bool dying;
	struct {
		u64 started;
		u64 reset;
		u64 stopped;
		u64 postponed;
		u64 passes;
		u64 programmed;
	} counts;
	struct twheel_pool pool;
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
 * enum twheel_claim - which expiries a delivery takes
 * @TWHEEL_CLAIM_OWN: Those that are for the reader.
 * @TWHEEL_CLAIM_ALL: Those that are for any reader.
 * @TWHEEL_CLAIM_IDLE: Those that are for the reader; if there are none and
 *	TWHEEL_STEAL is set, some that were for another one.
 */
enum twheel_claim {
	TWHEEL_CLAIM_OWN,
	TWHEEL_CLAIM_ALL,
	TWHEEL_CLAIM_IDLE,
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
u32 twheel_timers_new(struct twheel_timer **timers, u32 nr, bool pooled,
		      bool short_of_memory);
void twheel_timers_discard(struct twheel_timer **timers, u32 nr, bool pooled);
void twheel_timers_free(struct twheel_instance *inst, struct list_head *timers);
void twheel_instance_config(struct twheel_instance *inst,
			    struct twheel_config *config);
void twheel_instance_limits(struct twheel_config *max);

/* stats.c */
void twheel_instance_stats(struct twheel_instance *inst,
			   struct twheel_stats *stats);

/* operate.c */
void twheel_instance_operate(struct twheel_instance *inst,
			     struct twheel_consumer *by,
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
int twheel_instance_ack(struct twheel_consumer *by, u32 opcode,
			struct twheel_ack *req);

/* expiry.c */
bool twheel_instance_pass(struct twheel_instance *inst);
enum twheel_read_end twheel_instance_deliver(struct twheel_consumer *consumer,
					     struct twheel_receiver *receiver,
					     enum twheel_claim claim);
int twheel_instance_shutdown(struct twheel_instance *inst,
			     struct twheel_shutdown *req);

/* Expiries that wait to be read. */
static inline u64 twheel_instance_waiting(const struct twheel_instance *inst)
{
	const u64 *in_state = inst->books.in_state;

	if (inst->config.dispatch == TWHEEL_BROADCAST)
		return in_state[TWHEEL_DUE] + inst->pool.copies;
	return in_state[TWHEEL_DUE] + in_state[TWHEEL_QUEUED];
}

/* Of these, those that are in queues. */
static inline u64 twheel_instance_queued(const struct twheel_instance *inst)
{
	if (inst->config.dispatch == TWHEEL_BROADCAST)
		return inst->pool.copies;
	return inst->books.in_state[TWHEEL_QUEUED];
}

#endif /* TWHEEL_INSTANCE_H */
