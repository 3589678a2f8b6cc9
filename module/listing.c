// SPDX-License-Identifier: GPL-2.0
/*
 * Listing the timers of an instance
 */
#include <linux/errno.h>
#include <linux/lockdep.h>

#include "activity.h"
#include "compat.h"
#include "listing.h"

/* Buckets and timers that are looked at under one hold of the lock. */
#define HOLD_STEPS	256

/*
 * A cursor names the ID that was listed last: positions alone do not tell IDs with
 * equal hashes apart.
 */
enum {
	CURSOR_BEGIN	= 0,	/* value: 0 */
	CURSOR_BEHIND	= 1,	/* value: the ID that was listed last */
	CURSOR_AT	= 2,	/* value: a position between two buckets */
	CURSOR_END	= 3,	/* value: 0 */
};

/**
 * twheel_cursor_check() - check a cursor that a user brings
 * @cursor: The cursor.
 *
 * Return: 0, or -EINVAL if no listing leaves such a cursor.
 */
int twheel_cursor_check(const struct twheel_cursor *cursor)
{
	switch (cursor->kind) {
	case CURSOR_BEGIN:
	case CURSOR_END:
		return cursor->value ? -EINVAL : 0;
	case CURSOR_BEHIND:
		return 0;
	case CURSOR_AT:
		return cursor->value < TWHEEL_INDEX_END ? 0 : -EINVAL;
	default:
		return -EINVAL;
	}
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_cursor_check);

/**
 * twheel_cursor_ended() - whether a listing has come to its end
 * @cursor: Its cursor.
 */
bool twheel_cursor_ended(const struct twheel_cursor *cursor)
{
	return cursor->kind == CURSOR_END;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_cursor_ended);

/**
 * twheel_cursor_behind() - a cursor behind an entry
 * @id: The entry's.
 */
struct twheel_cursor twheel_cursor_behind(u64 id)
{
	return (struct twheel_cursor) { .kind = CURSOR_BEHIND, .value = id };
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_cursor_behind);

static struct twheel_cursor cursor_at(u64 position)
{
	if (position == TWHEEL_INDEX_END)
		return (struct twheel_cursor) { .kind = CURSOR_END };
	return (struct twheel_cursor) { .kind = CURSOR_AT, .value = position };
}

static struct twheel_index_place place_of(const struct twheel_cursor *cursor,
					  const struct twheel_index *index)
{
	struct twheel_index_place place = { .position = 0 };

	if (cursor->kind == CURSOR_BEHIND)
		twheel_index_pass(index, &place, cursor->value);
	else if (cursor->kind == CURSOR_AT)
		place.position = cursor->value;
	else if (cursor->kind == CURSOR_END)
		place.position = TWHEEL_INDEX_END;
	return place;
}

static void describe(const struct twheel_instance *inst,
		     struct twheel_index_entry *entry, u64 now,
		     struct twheel_list_entry *out)
{
	struct twheel_timer *timer;

	timer = container_of(entry, struct twheel_timer, entry);
	twheel_timer_describe(timer, inst->config.tick_shift, now, out);
	if (timer->node.mapped)
		twheel_activity_describe(inst, timer, now, out);
	if (inst->pooled)
		out->attempt = twheel_expiry_of(timer)->attempt;
}

static u32 list_locked(struct twheel_instance *inst,
		       struct twheel_cursor *cursor,
		       struct twheel_list_entry *entries, u32 room)
{
	struct twheel_index_place place = place_of(cursor, &inst->index);
	u64 now = inst->clock->ops->now(inst->clock);
	struct twheel_index_entry *entry;
	u32 budget = HOLD_STEPS;
	u32 nr = 0;

	lockdep_assert_held(&inst->lock);
	while (nr < room && budget) {
		entry = twheel_index_next(&inst->index, &place, &budget);
		if (!entry) {
			*cursor = cursor_at(place.position);
			break;
		}
		describe(inst, entry, now, &entries[nr++]);
		*cursor = twheel_cursor_behind(entry->id);
		twheel_index_pass(&inst->index, &place, entry->id);
	}
	return nr;
}

/**
 * twheel_instance_list() - some more entries of a listing
 * @inst: The instance.
 * @cursor: Checked.  Where to go on; on return, for the next call.
 * @entries: Result.
 * @room: How many entries there is room for, from 1.
 *
 * Bounded time: it may come back with fewer entries, or none, before the end.
 *
 * Context: Process context.
 * Return: How many entries there are.
 */
u32 twheel_instance_list(struct twheel_instance *inst,
			 struct twheel_cursor *cursor,
			 struct twheel_list_entry *entries, u32 room)
{
	u32 nr = 0;

	spin_lock_bh(&inst->lock);
	if (inst->wheel)
		nr = list_locked(inst, cursor, entries, room);
	else
		*cursor = cursor_at(TWHEEL_INDEX_END);
	spin_unlock_bh(&inst->lock);
	return nr;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_list);
