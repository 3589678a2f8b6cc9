// SPDX-License-Identifier: GPL-2.0
/*
 * Bounded queue of expiries
 */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "gfp.h"
#include "queue.h"

/* Tickets that one put sweeps, once the fifo is full. */
#define SWEEP_STEPS	4

/**
 * twheel_queue_init() - make an empty queue
 * @queue: The queue.  Its index is set by the caller.
 * @len: Expiries that it holds, from 1.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: 0 or -ENOMEM.
 */
int twheel_queue_init(struct twheel_queue *queue, u32 len)
{
	size_t slots = roundup_pow_of_two(2 * (size_t)len);
	size_t bytes = slots * sizeof(struct twheel_ticket);

	memset(queue, 0, sizeof(*queue));
	queue->len = len;
	queue->buffer = kvcalloc(2 * slots, sizeof(struct twheel_ticket),
				 TWHEEL_GFP);
	if (!queue->buffer)
		return -ENOMEM;
	kfifo_init(&queue->fifo[0], queue->buffer, bytes);
	kfifo_init(&queue->fifo[1], queue->buffer + slots, bytes);
	return 0;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_queue_init);

/**
 * twheel_queue_destroy() - free the memory of a queue
 * @queue: The queue; or all zero and never initialised.
 *
 * Context: May sleep.
 */
void twheel_queue_destroy(struct twheel_queue *queue)
{
	kvfree(queue->buffer);
	memset(queue, 0, sizeof(*queue));
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_queue_destroy);

/* The timer that @ticket is for, or NULL if it is void. */
static struct twheel_timer *ticket_timer(const struct twheel_queue *queue,
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

/* Move one ticket to the old fifo; change roles when that was all. */
static void sweep_one(struct twheel_queue *queue)
{
	struct twheel_ticket ticket;

	if (!kfifo_get(&queue->fifo[!queue->old], &ticket)) {
		queue->dropped_tail += queue->dropped_sweep;
		queue->dropped_sweep = 0;
		queue->old = !queue->old;
		queue->sweeping = false;
		return;
	}
	queue->dropped_sweep += ticket.dropped;
	if (!ticket_timer(queue, &ticket))
		return;
	ticket.dropped = queue->dropped_sweep;
	queue->dropped_sweep = 0;
	kfifo_put(&queue->fifo[queue->old], ticket);
}

/**
 * twheel_queue_put() - give a timer a place
 * @queue: The queue, not full.
 * @timer: The timer; it becomes QUEUED.
 *
 * Constant time.
 */
void twheel_queue_put(struct twheel_queue *queue,
		      const struct twheel_timer *timer)
{
	struct twheel_ticket ticket = {
		.id = timer->entry.id,
		.generation = timer->generation,
	};
	unsigned int i;

	if (kfifo_is_full(&queue->fifo[!queue->old]))
		queue->sweeping = true;
	for (i = 0; i < SWEEP_STEPS && queue->sweeping; i++)
		sweep_one(queue);
	ticket.dropped = queue->dropped_tail;
	queue->dropped_tail = 0;
	kfifo_put(&queue->fifo[!queue->old], ticket);
	WRITE_ONCE(queue->live, queue->live + 1);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_queue_put);

/**
 * twheel_queue_withdraw() - free the place of a timer
 * @queue: The queue.
 *
 * For a timer that was QUEUED and is not any more, wherever its ticket is: that
 * is void now.  Constant time.
 */
void twheel_queue_withdraw(struct twheel_queue *queue)
{
	WRITE_ONCE(queue->live, queue->live - 1);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_queue_withdraw);

/* Which fifo the oldest ticket is in. */
static bool head_fifo(struct twheel_queue *queue)
{
	if (!kfifo_is_empty(&queue->fifo[queue->old]))
		return queue->old;
	queue->dropped_head += queue->dropped_sweep;
	queue->dropped_sweep = 0;
	return !queue->old;
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
struct twheel_timer *twheel_queue_first(struct twheel_queue *queue,
					u64 *dropped, u32 *budget)
{
	struct twheel_ticket ticket;
	struct twheel_timer *timer;
	bool fifo;

	for (; queue->live && *budget; --*budget) {
		fifo = head_fifo(queue);
		if (WARN_ON_ONCE(!kfifo_peek(&queue->fifo[fifo], &ticket)))
			return NULL;
		timer = ticket_timer(queue, &ticket);
		if (timer) {
			*dropped = queue->dropped_head + ticket.dropped;
			return timer;
		}
		queue->dropped_head += ticket.dropped;
		kfifo_skip(&queue->fifo[fifo]);
	}
	return NULL;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_queue_first);

/**
 * twheel_queue_deliver() - the oldest expiry was read
 * @queue: The queue; twheel_queue_first() has just returned a timer.
 * @dropped: What that said.
 */
void twheel_queue_deliver(struct twheel_queue *queue, u64 dropped)
{
	kfifo_skip(&queue->fifo[head_fifo(queue)]);
	queue->sequence += dropped + 1;
	queue->dropped_head = 0;
	WRITE_ONCE(queue->live, queue->live - 1);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_queue_deliver);

/**
 * twheel_queue_drop_oldest() - the oldest expiry is dropped
 * @queue: The queue; twheel_queue_first() has just returned a timer.
 * @dropped: What that said.
 */
void twheel_queue_drop_oldest(struct twheel_queue *queue, u64 dropped)
{
	kfifo_skip(&queue->fifo[head_fifo(queue)]);
	queue->dropped_head = dropped + 1;
	WRITE_ONCE(queue->live, queue->live - 1);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_queue_drop_oldest);
