/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The classical hierarchical wheel, for comparison
 *
 * Eight levels of 64 slots; 64 ticks of level k make one of level k + 1.  When
 * a level has gone round once, the next slot of the level above comes down to
 * it, all of it in that tick: the cascade.
 *
 * After Varghese and Lauck, "Hashed and Hierarchical Timing Wheels", 1987,
 * scheme 7.
 */
#ifndef BENCH_CASCADE_H
#define BENCH_CASCADE_H

#include <linux/list.h>
#include <linux/types.h>

#define CASCADE_LEVELS	8
#define CASCADE_BITS	6
#define CASCADE_SLOTS	64	/* 2^CASCADE_BITS */

/**
 * struct cascade_node - a timer, as the wheel sees it
 * @link: In a slot of the wheel.
 * @expires: Tick in which it is due.
 */
struct cascade_node {
	struct list_head link;
	u64 expires;
};

/**
 * struct cascade_wheel - the wheel
 * @clk: The tick that is processed next.
 * @migrated: Nodes that came down a level, or several, so far.
 * @slots: The slots.
 */
struct cascade_wheel {
	u64 clk;
	u64 migrated;
	struct list_head slots[CASCADE_LEVELS][CASCADE_SLOTS];
};

void cascade_init(struct cascade_wheel *w, u64 clk);
void cascade_add(struct cascade_wheel *w, struct cascade_node *node);
void cascade_tick(struct cascade_wheel *w, struct list_head *due);

#endif /* BENCH_CASCADE_H */
