/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Expiries that came back from a reader, the oldest first
 *
 * They come back in any order, so this is a tree.  Its depth depends on how many
 * have come back, and nothing else does.
 *
 * Locking is the caller's: the lock of the instance.
 */
#ifndef TWHEEL_RETURNS_H
#define TWHEEL_RETURNS_H

#include <linux/rbtree.h>
#include <linux/types.h>

#include "timer.h"

/**
 * struct twheel_returns - what came back
 * @tree: By twheel_expiry.order.
 * @live: How many there are; read without the lock, as in struct twheel_line.
 */
struct twheel_returns {
	struct rb_root_cached tree;
	u64 live;
};

void twheel_returns_add(struct twheel_returns *returns,
			struct twheel_expiry *expiry);
void twheel_returns_del(struct twheel_expiry *expiry);
struct twheel_expiry *twheel_returns_first(const struct twheel_returns *returns);

#endif /* TWHEEL_RETURNS_H */
