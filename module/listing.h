/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listing the timers of an instance
 */
#ifndef TWHEEL_LISTING_H
#define TWHEEL_LISTING_H

#include "instance.h"

/**
 * struct twheel_cursor - where a listing goes on
 * @kind: What @value is; all 0 is the beginning.
 * @value: An ID, or a position.
 *
 * The words of twheel_list.cursor.
 */
struct twheel_cursor {
	u64 kind;
	u64 value;
};

int twheel_cursor_check(const struct twheel_cursor *cursor);
bool twheel_cursor_ended(const struct twheel_cursor *cursor);
struct twheel_cursor twheel_cursor_behind(u64 id);
u32 twheel_instance_list(struct twheel_instance *inst,
			 struct twheel_cursor *cursor,
			 struct twheel_list_entry *entries, u32 room);

#endif /* TWHEEL_LISTING_H */
