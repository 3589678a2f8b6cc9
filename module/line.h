/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bounded line of expiries that waits for one reader
 *
 * What the instance's queue is for all readers, a line is for one of them.  It is
 * a list and not a kfifo: an expiry can leave it from the middle when its timer
 * is stopped, and from the end when another reader takes it over.
 *
 * Locking is the caller's: the lock of the instance.
 */
#ifndef TWHEEL_LINE_H
#define TWHEEL_LINE_H

#include <linux/list.h>
#include <linux/types.h>

/**
 * struct twheel_seat - a place in a line, embedded in what waits
 * @link: In the line.
 * @dropped: Expiries that were dropped between the seat before and this one.
 */
struct twheel_seat {
	struct list_head link;
	u64 dropped;
};

/**
 * struct twheel_line - a line
 * @seats: Oldest first.
 * @len: How many there may be.
 * @live: How many there are.  Read without the lock by poll and by readers that
 *	wait, who look again after they have been woken.
 * @sequence: Number of the last record in the stream of this line.
 * @dropped_tail: Expiries dropped since the last one in the line.
 */
struct twheel_line {
	struct list_head seats;
	u32 len;
	u32 live;
	u64 sequence;
	u64 dropped_tail;
};

void twheel_line_init(struct twheel_line *line, u32 len);
void twheel_line_put(struct twheel_line *line, struct twheel_seat *seat);
void twheel_line_withdraw(struct twheel_line *line, struct twheel_seat *seat);
void twheel_line_deliver(struct twheel_line *line, struct twheel_seat *seat);
void twheel_line_drop_oldest(struct twheel_line *line);
void twheel_line_take_last(struct twheel_line *line, struct twheel_line *from);

/* The oldest, or NULL. */
static inline struct twheel_seat *
twheel_line_first(const struct twheel_line *line)
{
	if (list_empty(&line->seats))
		return NULL;
	return list_first_entry(&line->seats, struct twheel_seat, link);
}

/* The youngest, or NULL. */
static inline struct twheel_seat *
twheel_line_last(const struct twheel_line *line)
{
	if (list_empty(&line->seats))
		return NULL;
	return list_last_entry(&line->seats, struct twheel_seat, link);
}

/* Whether there is no place in the line. */
static inline bool twheel_line_full(const struct twheel_line *line)
{
	return line->live >= line->len;
}

/* An expiry that found no place is dropped. */
static inline void twheel_line_drop_newest(struct twheel_line *line)
{
	line->dropped_tail++;
}

#endif /* TWHEEL_LINE_H */
