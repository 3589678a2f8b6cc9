// SPDX-License-Identifier: GPL-2.0
/*
 * Expiries that came back from a reader, the oldest first
 */
#include "compat.h"
#include "returns.h"

static struct twheel_expiry *to_expiry(const struct rb_node *node)
{
	return rb_entry(node, struct twheel_expiry, returned);
}

static bool is_older(struct rb_node *a, const struct rb_node *b)
{
	return to_expiry(a)->order < to_expiry(b)->order;
}

/**
 * twheel_returns_add() - an expiry came back
 * @returns: Where it waits now.
 * @expiry: The expiry, in no such place.
 */
void twheel_returns_add(struct twheel_returns *returns,
			struct twheel_expiry *expiry)
{
	rb_add_cached(&expiry->returned, &returns->tree, is_older);
	expiry->returns = returns;
	WRITE_ONCE(returns->live, returns->live + 1);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_returns_add);

/**
 * twheel_returns_del() - an expiry goes out again, or was withdrawn
 * @expiry: The expiry.
 */
void twheel_returns_del(struct twheel_expiry *expiry)
{
	struct twheel_returns *returns = expiry->returns;

	rb_erase_cached(&expiry->returned, &returns->tree);
	expiry->returns = NULL;
	WRITE_ONCE(returns->live, returns->live - 1);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_returns_del);

/**
 * twheel_returns_first() - the oldest
 * @returns: Where it waits.
 *
 * Return: The expiry, or NULL.
 */
struct twheel_expiry *twheel_returns_first(const struct twheel_returns *returns)
{
	struct rb_node *node = rb_first_cached(&returns->tree);

	return node ? to_expiry(node) : NULL;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_returns_first);
