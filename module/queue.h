/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bounded queue of expiries
 *
 * Locking is the caller's: the lock of the instance.
 */
#ifndef TWHEEL_QUEUE_H
#define TWHEEL_QUEUE_H

#include <linux/compiler.h>
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
void twheel_queue_sweep(struct twheel_queue *queue);
void twheel_queue_withdraw(struct twheel_queue *queue);
struct twheel_timer *twheel_queue_search(struct twheel_queue *queue,
					 u64 *dropped, u32 *budget);

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

/**
 * twheel_queue_put() - give a timer a place
 * @queue: The queue, not full.
 * @timer: The timer; it becomes QUEUED.
 *
 * Constant time.
 */
static inline void twheel_queue_put(struct twheel_queue *queue,
				    const struct twheel_timer *timer)
{
	struct twheel_ticket ticket;

	if (unlikely(queue->sweeping || kfifo_is_full(&queue->fifo[!queue->old])))
		twheel_queue_sweep(queue);
	ticket.id = timer->entry.id;
	ticket.generation = timer->generation;
	ticket.dropped = queue->dropped_tail;
	queue->dropped_tail = 0;
	kfifo_put(&queue->fifo[!queue->old], ticket);
	WRITE_ONCE(queue->live, queue->live + 1);
}

/* The timer that @ticket is for, or NULL if it is void. */
static inline struct twheel_timer *
twheel_ticket_timer(const struct twheel_queue *queue,
		    const struct twheel_ticket *ticket)
{
	struct twheel_index_entry *entry;
	struct twheel_timer *timer;

	entry = twheel_index_find(queue->index, ticket->id);
	if (!entry)
		return NULL;
	timer = container_of(entry, struct twheel_timer, entry);
	if (timer->node.state != TWHEEL_QUEUED ||
	    timer->generation != ticket->generation)
		return NULL;
	return timer;
}

/* Which fifo the oldest ticket is in. */
static inline bool twheel_queue_head(const struct twheel_queue *queue)
{
	return kfifo_is_empty(&queue->fifo[queue->old]) ? !queue->old :
							  queue->old;
}

/**
 * twheel_queue_first() - the oldest expiry in the queue
 * @queue: The queue.
 * @dropped: Result: expiries that were dropped just before it.
 * @budget: Void tickets that may be taken out of the way; what is left of them
 *	on return.
 *
 * Return: The timer, which stays QUEUED; NULL if the queue is empty, or with
 * *@budget 0, if the budget ran out.
 */
static inline struct twheel_timer *
twheel_queue_first(struct twheel_queue *queue, u64 *dropped, u32 *budget)
{
	struct twheel_ticket ticket;
	struct twheel_timer *timer;

	if (!queue->live || !*budget)
		return NULL;
	/* During a sweep, what was dropped is in more places. */
	if (unlikely(queue->dropped_sweep ||
		     !kfifo_peek(&queue->fifo[twheel_queue_head(queue)],
				 &ticket)))
		return twheel_queue_search(queue, dropped, budget);
	timer = twheel_ticket_timer(queue, &ticket);
	if (unlikely(!timer))
		return twheel_queue_search(queue, dropped, budget);
	*dropped = queue->dropped_head + ticket.dropped;
	return timer;
}

/* The first ticket is done with, and @dropped were dropped since the last record. */
static inline void twheel_queue_shift(struct twheel_queue *queue, u64 dropped)
{
	kfifo_skip(&queue->fifo[twheel_queue_head(queue)]);
	queue->dropped_head = dropped;
	WRITE_ONCE(queue->live, queue->live - 1);
}

/**
 * twheel_queue_deliver() - the oldest expiry was read
 * @queue: The queue; twheel_queue_first() has just returned a timer.
 * @dropped: What that said.
 */
static inline void twheel_queue_deliver(struct twheel_queue *queue, u64 dropped)
{
	twheel_queue_shift(queue, 0);
	queue->sequence += dropped + 1;
}

/**
 * twheel_queue_drop_oldest() - the oldest expiry is dropped
 * @queue: The queue; twheel_queue_first() has just returned a timer.
 * @dropped: What that said.
 */
static inline void twheel_queue_drop_oldest(struct twheel_queue *queue,
					    u64 dropped)
{
	twheel_queue_shift(queue, dropped + 1);
}

#endif /* TWHEEL_QUEUE_H */
