/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_RBTREE_H
#define SHIM_LINUX_RBTREE_H

#include <linux/container_of.h>
#include <linux/types.h>

/* Not a tree but a list in order, which does for what the tests put into it. */
struct rb_node {
	struct rb_node *next;
	struct rb_node *prev;
};

struct rb_root_cached {
	struct rb_node *first;
};

#define RB_ROOT_CACHED	((struct rb_root_cached) { .first = NULL })
#define rb_entry(pointer, type, member) container_of(pointer, type, member)
#define rb_first_cached(root)	((root)->first)
#define rb_next(node)		((node)->next)

static inline void rb_add_cached(struct rb_node *node,
				 struct rb_root_cached *root,
				 bool (*less)(struct rb_node *a,
					      const struct rb_node *b))
{
	struct rb_node *before = NULL, *after = root->first;

	for (; after && !less(node, after); after = after->next)
		before = after;
	node->prev = before;
	node->next = after;
	if (after)
		after->prev = node;
	if (before)
		before->next = node;
	else
		root->first = node;
}

static inline void rb_erase_cached(struct rb_node *node,
				   struct rb_root_cached *root)
{
	if (node->next)
		node->next->prev = node->prev;
	if (node->prev)
		node->prev->next = node->next;
	else
		root->first = node->next;
}

#endif /* SHIM_LINUX_RBTREE_H */
