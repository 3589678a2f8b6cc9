// SPDX-License-Identifier: GPL-2.0
/*
 * The classical hierarchical wheel
 *
 * Written for what it does, not for speed: its steps are counted.
 */
#include "cascade.h"

/**
 * cascade_init() - make an empty wheel
 * @w: The wheel.
 * @clk: The tick that is processed first.
 */
void cascade_init(struct cascade_wheel *w, u64 clk)
{
	unsigned int level, slot;

	w->clk = clk;
	w->migrated = 0;
	for (level = 0; level < CASCADE_LEVELS; level++)
		for (slot = 0; slot < CASCADE_SLOTS; slot++)
			INIT_LIST_HEAD(&w->slots[level][slot]);
}

static struct list_head *slot_of(struct cascade_wheel *w, u64 tick,
				 unsigned int level)
{
	return &w->slots[level][(tick >> level * CASCADE_BITS) %
				CASCADE_SLOTS];
}

/* The lowest level whose one rotation from now reaches the deadline. */
static void insert(struct cascade_wheel *w, struct cascade_node *node)
{
	u64 distance = node->expires - w->clk;
	unsigned int level = 0;

	while (level < CASCADE_LEVELS - 1 &&
	       distance >> (level + 1) * CASCADE_BITS)
		level++;
	list_add_tail(&node->link, slot_of(w, node->expires, level));
}

/**
 * cascade_add() - start a timer
 * @w: The wheel.
 * @node: The timer; its expires is from @w->clk to less than 2^48 ticks later.
 */
void cascade_add(struct cascade_wheel *w, struct cascade_node *node)
{
	insert(w, node);
}

/* Bring the whole slot of @level that begins in tick clk down. */
static void cascade(struct cascade_wheel *w, unsigned int level)
{
	struct cascade_node *node, *next;
	LIST_HEAD(slot);

	list_splice_tail_init(slot_of(w, w->clk, level), &slot);
	list_for_each_entry_safe(node, next, &slot, link) {
		insert(w, node);
		w->migrated++;
	}
}

/**
 * cascade_tick() - do tick @w->clk
 * @w: The wheel.
 * @due: Nodes that are due are appended to this list.

 */
void cascade_tick(struct cascade_wheel *w, struct list_head *due)
{
	unsigned int level;

	/* A level that begins anew wants the next slot of the one above. */
	for (level = 1; level < CASCADE_LEVELS; level++) {
		if (w->clk & ((1ULL << level * CASCADE_BITS) - 1))
			break;
		cascade(w, level);
	}
	list_splice_tail_init(slot_of(w, w->clk, 0), due);
	w->clk++;
}
