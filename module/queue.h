/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bounded queue of expiries
 *
 * Locking is the caller's: the lock of the instance.
 */
#ifndef TWHEEL_QUEUE_H
#define TWHEEL_QUEUE_H

#include <linux/kfifo.h>
#include <linux/types.h>

#include "index.h"
#include "timer.h"

/**
 * struct twheel_ticket - a place in the queue
 * @id: The timer that expired.
 * @generation: The arming of it that expired.
 * @dropped: Expiries that were dropped between the ticket before and this one.
 *
 * A ticket names an arming and does not point to a timer.  It is void once the
 * timer that has the ID is not QUEUED under this generation any more: stop and
 * reset need not find it, and it can never turn into an event of an earlier
 * arming.
 */
struct twheel_ticket {
	u64 id;
	u64 generation;
	u64 dropped;
};

/**
 * struct twheel_queue - the queue
 * @index: Where tickets are looked up.
 * @len: Timers that may be QUEUED.
 * @live: Timers that are QUEUED.  Read without the lock by poll and by readers
 *	that wait, who look again after they have been woken.
 * @old: Which of @fifo is read first.
 * @sweeping: Tickets are being moved from the new fifo to the old one.
 * @sequence: Number of the last record delivered.
 * @dropped_head: Expiries dropped since then, at the head of the queue.
 * @dropped_sweep: Expiries dropped between the two fifos, during a sweep.
 * @dropped_tail: Expiries dropped since the last ticket, at the tail.
 * @buffer: Memory of @fifo.
 * @fifo: Tickets: the old fifo is read first, the new one is written to.
 *
 * Void tickets take room in a fifo until they come to its head, though their
 * place is free again: @live counts.  So a fifo is twice as large as @len, and
 * when it is full, at least half of it being void, each further ticket pays for
 * the sweeping of four: they move to the other fifo, void ones are left out,
 * and when the first fifo is empty the two change roles.
 */
struct twheel_queue {
	const struct twheel_index *index;
	u32 len;
	u32 live;
	bool old;
	bool sweeping;
	u64 sequence;
	u64 dropped_head;
	u64 dropped_sweep;
	u64 dropped_tail;
	struct twheel_ticket *buffer;
	DECLARE_KFIFO_PTR(fifo[2], struct twheel_ticket);
};

int twheel_queue_init(struct twheel_queue *queue, u32 len);
void twheel_queue_destroy(struct twheel_queue *queue);
void twheel_queue_put(struct twheel_queue *queue,
		      const struct twheel_timer *timer);
void twheel_queue_withdraw(struct twheel_queue *queue);
struct twheel_timer *twheel_queue_first(struct twheel_queue *queue,
					u64 *dropped, u32 *budget);
void twheel_queue_deliver(struct twheel_queue *queue, u64 dropped);
void twheel_queue_drop_oldest(struct twheel_queue *queue, u64 dropped);

/* Whether there is no place in the queue. */
static inline bool twheel_queue_full(const struct twheel_queue *queue)
{
	return queue->live == queue->len;
}

/* An expiry that found no place is dropped. */
static inline void twheel_queue_drop_newest(struct twheel_queue *queue)
{
	queue->dropped_tail++;
}

#endif /* TWHEEL_QUEUE_H */
