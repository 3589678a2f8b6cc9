// SPDX-License-Identifier: GPL-2.0
/*
 * Invariants of the timing wheel, checked by the tests after every step
 */
#include "compat.h"
#include "wheel.h"

/* Whether @node may be where it is. */
static const char *check_node(const struct twheel_wheel *w,
			      const struct twheel_node *node, u32 place)
{
	unsigned int level = place / TWHEEL_SLOTS;
	u64 expires = max(node->expires, w->clk);
	u64 period = twheel_period(expires, level);

	if (node->place != place)
		return "a node does not know its place";
	if (twheel_slot(period) != place % TWHEEL_SLOTS)
		return "a node is in a slot of another time";
	if (!twheel_level_fits(w->clk, expires, level))
		return "a node is on a level that does not reach it";
	if (level && period == twheel_period(w->clk, level))
		return "a slot has begun and was not migrated";
	return NULL;
}

static const char *check_slot(const struct twheel_wheel *w, u32 place)
{
	u32 level = place / TWHEEL_SLOTS, slot = place % TWHEEL_SLOTS;
	const struct twheel_node *node;
	const char *wrong;
	u32 count = 0;

	list_for_each_entry(node, &w->slots[place], link) {
		wrong = check_node(w, node, place);
		if (wrong)
			return wrong;
		count++;
	}
	if (count != w->count[place])
		return "a slot's count is wrong";
	if (!!(w->pending[level][slot / 64] & BIT_ULL(slot % 64)) != !!count)
		return "a slot's pending bit is wrong";
	return NULL;
}

/* Whether wake is early enough for the first node of the slot at @place. */
static const char *check_wake(const struct twheel_wheel *w, u32 place)
{
	unsigned int level = place / TWHEEL_SLOTS;
	const struct twheel_node *node;
	u64 expires, latest;

	if (list_empty(&w->slots[place]))
		return NULL;
	node = list_first_entry(&w->slots[place], struct twheel_node, link);
	expires = max(node->expires, w->clk);
	latest = expires;
	if (level)
		latest = twheel_migrate_start(twheel_period(expires, level),
					      level, w->count[place]);
	if (w->wake > max(latest, w->clk))
		return "the next wake-up is too late";
	return NULL;
}

/**
 * twheel_wheel_check() - verify every invariant of a wheel
 * @w: The wheel.
 *
 * Takes time proportional to the number of nodes.
 *
 * Return: NULL if all is well, otherwise what is wrong.
 */
const char *twheel_wheel_check(const struct twheel_wheel *w)
{
	const char *wrong = NULL;
	u64 nr = 0;
	u32 place;

	for (place = 0; place < ARRAY_SIZE(w->slots); place++) {
		wrong = check_slot(w, place);
		if (!wrong)
			wrong = check_wake(w, place);
		if (wrong)
			return wrong;
		nr += w->count[place];
	}
	if (nr != w->nr)
		return "the number of nodes is wrong";
	if (!w->nr && !w->tick_open && w->wake != TWHEEL_NEVER)
		return "an empty wheel wants to be woken";
	return NULL;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_wheel_check);
