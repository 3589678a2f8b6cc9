/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hierarchical timing wheel: the pure data structure
 *
 * It has no lock, no clock and no memory of its own making: locking is the
 * caller's, time comes in as an argument, and the nodes are embedded in the
 * caller's objects.  The geometry, and why it is so, is in wheel_geom.h.
 */
#ifndef TWHEEL_WHEEL_H
#define TWHEEL_WHEEL_H

#include <linux/list.h>
#include <linux/types.h>

#include "wheel_geom.h"

/**
 * struct twheel_node - a timer, as the wheel sees it
 * @link: In a slot of the wheel.  The owner's while the node is not in it.
 * @expires: Tick in which it is due.  Set by the owner before
 *	twheel_wheel_add(); the owner's again while the node is not in the
 *	wheel.
 * @place: Where it is: level * TWHEEL_SLOTS + slot.  The wheel's.
 * @state: The owner's; the wheel does not look at it.  It is here because it
 *	fills what would be padding, in every timer.
 * @mapped: Likewise.
 * @slack: Likewise.
 */
struct twheel_node {
	struct list_head link;
	u64 expires;
	u16 place;
	u8 state;
	bool mapped;
	u32 slack;
};

/**
 * struct twheel_wheel - the wheel
 * @clk: The tick that is processed next.  All earlier ones are finished.
 * @wake: The earliest tick with anything to do, TWHEEL_NEVER if there is none.
 *	It may be early, after timers were deleted; it is never late.
 * @wake_place: The slot that @wake comes from.
 * @tick_open: Tick @clk was begun and is not finished.
 * @nr: Nodes in the wheel.
 * @migrated: Migration steps so far.
 * @quota: Migration steps of each level that tick @clk still has to do.
 * @pending: A bit for each slot that is not empty.
 * @count: Nodes in each slot.
 * @slots: The slots.
 */
struct twheel_wheel {
	u64 clk;
	u64 wake;
	u32 wake_place;
	bool tick_open;
	u64 nr;
	u64 migrated;
	u32 quota[TWHEEL_LEVELS];
	u64 pending[TWHEEL_LEVELS][2];
	u32 count[TWHEEL_LEVELS * TWHEEL_SLOTS];
	struct list_head slots[TWHEEL_LEVELS * TWHEEL_SLOTS];
};

void twheel_wheel_init(struct twheel_wheel *w, u64 clk);
bool twheel_wheel_add(struct twheel_wheel *w, struct twheel_node *node);
bool twheel_wheel_del(struct twheel_wheel *w, struct twheel_node *node);
void twheel_wheel_forward(struct twheel_wheel *w, u64 now);
bool twheel_wheel_advance(struct twheel_wheel *w, u64 now, u32 *budget,
			  struct list_head *due);
const char *twheel_wheel_check(const struct twheel_wheel *w);

#endif /* TWHEEL_WHEEL_H */
