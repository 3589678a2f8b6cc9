/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_LLIST_H
#define SHIM_LINUX_LLIST_H

#include <stddef.h>

#include <linux/types.h>

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

static inline bool llist_empty(const struct llist_head *head)
{
	return !head->first;
}

static inline void llist_add(struct llist_node *node, struct llist_head *head)
{
	node->next = head->first;
	head->first = node;
}

static inline struct llist_node *llist_del_all(struct llist_head *head)
{
	struct llist_node *first = head->first;

	head->first = NULL;
	return first;
}

static inline void *shim_llist_entry(struct llist_node *node, size_t offset)
{
	return node ? (char *)node - offset : NULL;
}

/* The next is looked up before the body, which may free the entry. */
#define llist_for_each_entry_safe(pos, n, node, member)			\
	for (pos = shim_llist_entry(node, offsetof(typeof(*pos), member)); \
	     pos && (n = shim_llist_entry(pos->member.next,		\
					  offsetof(typeof(*pos), member)), 1); \
	     pos = n)

#endif /* SHIM_LINUX_LLIST_H */
