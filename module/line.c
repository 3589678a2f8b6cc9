// SPDX-License-Identifier: GPL-2.0
/*
 * Bounded line of expiries that waits for one reader
 */
#include "compat.h"
#include "line.h"

/**
 * twheel_line_init() - make an empty line
 * @line: The line.
 * @len: Expiries that it holds.
 */
void twheel_line_init(struct twheel_line *line, u32 len)
{
	*line = (struct twheel_line) { .len = len };
	INIT_LIST_HEAD(&line->seats);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_line_init);

/**
 * twheel_line_put() - give an expiry a place
 * @line: The line, not full.
 * @seat: The expiry's; in no line.
 */
void twheel_line_put(struct twheel_line *line, struct twheel_seat *seat)
{
	seat->dropped = line->dropped_tail;
	line->dropped_tail = 0;
	list_add_tail(&seat->link, &line->seats);
	WRITE_ONCE(line->live, line->live + 1);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_line_put);

/* What was dropped before @seat, which leaves, was dropped before the next one. */
static void hand_on_dropped(struct twheel_line *line, struct twheel_seat *seat,
			    u64 dropped)
{
	if (list_is_last(&seat->link, &line->seats))
		line->dropped_tail += dropped;
	else
		list_next_entry(seat, link)->dropped += dropped;
}

static void leave(struct twheel_line *line, struct twheel_seat *seat)
{
	list_del(&seat->link);
	WRITE_ONCE(line->live, line->live - 1);
}

/**
 * twheel_line_withdraw() - take an expiry back
 * @line: The line.
 * @seat: The expiry's, anywhere in the line.
 */
void twheel_line_withdraw(struct twheel_line *line, struct twheel_seat *seat)
{
	hand_on_dropped(line, seat, seat->dropped);
	leave(line, seat);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_line_withdraw);

/**
 * twheel_line_deliver() - an expiry was read
 * @line: The line.
 * @seat: The first one.
 */
void twheel_line_deliver(struct twheel_line *line, struct twheel_seat *seat)
{
	line->sequence += seat->dropped + 1;
	leave(line, seat);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_line_deliver);

/**
 * twheel_line_drop_oldest() - the oldest expiry is dropped
 * @line: The line, not empty.
 */
void twheel_line_drop_oldest(struct twheel_line *line)
{
	struct twheel_seat *seat = twheel_line_first(line);

	hand_on_dropped(line, seat, seat->dropped + 1);
	leave(line, seat);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_line_drop_oldest);

/**
 * twheel_line_take_last() - move the youngest expiry of another line here
 * @line: Its new line, where it is the oldest now.
 * @from: Its line until now, not empty.
 *
 * What was dropped from either line stays in the stream of that.
 */
void twheel_line_take_last(struct twheel_line *line, struct twheel_line *from)
{
	struct twheel_seat *first = twheel_line_first(line);
	struct twheel_seat *seat = twheel_line_last(from);

	u64 *dropped = first ? &first->dropped : &line->dropped_tail;

	twheel_line_withdraw(from, seat);
	seat->dropped = *dropped;
	*dropped = 0;
	list_add(&seat->link, &line->seats);
	WRITE_ONCE(line->live, line->live + 1);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_line_take_last);
