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
	if (!twheel_ticket_timer(queue, &ticket))
		return;
	ticket.dropped = queue->dropped_sweep;
	queue->dropped_sweep = 0;
	kfifo_put(&queue->fifo[queue->old], ticket);
}

/**
 * twheel_queue_sweep() - make room in the fifo that is written to
 * @queue: The queue, not full, but this fifo is, or a sweep is under way.
 */
void twheel_queue_sweep(struct twheel_queue *queue)
{
	unsigned int i;

	if (kfifo_is_full(&queue->fifo[!queue->old]))
		queue->sweeping = true;
	for (i = 0; i < SWEEP_STEPS && queue->sweeping; i++)
		sweep_one(queue);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_queue_sweep);

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

/* twheel_queue_head(), and what was dropped between the fifos is accounted for. */
static bool head_fifo(struct twheel_queue *queue)
{
	bool fifo = twheel_queue_head(queue);

	if (fifo != queue->old) {
		queue->dropped_head += queue->dropped_sweep;
		queue->dropped_sweep = 0;
	}
	return fifo;
}

/**
 * twheel_queue_search() - twheel_queue_first() where there are void tickets
 * @queue: As there.
 * @dropped: As there.
 * @budget: As there.
 *
 * Return: As there.
 */
struct twheel_timer *twheel_queue_search(struct twheel_queue *queue,
					 u64 *dropped, u32 *budget)
{
	struct twheel_ticket ticket;
	struct twheel_timer *timer;
	bool fifo;

	for (; queue->live && *budget; --*budget) {
		fifo = head_fifo(queue);
		if (WARN_ON_ONCE(!kfifo_peek(&queue->fifo[fifo], &ticket)))
			return NULL;
		timer = twheel_ticket_timer(queue, &ticket);
		if (timer) {
			*dropped = queue->dropped_head + ticket.dropped;
			return timer;
		}
		queue->dropped_head += ticket.dropped;
		kfifo_skip(&queue->fifo[fifo]);
	}
	return NULL;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_queue_search);
