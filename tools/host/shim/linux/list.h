/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_LIST_H
#define SHIM_LINUX_LIST_H

#include <linux/container_of.h>
#include <linux/types.h>

#define LIST_HEAD(name) struct list_head name = { &(name), &(name) }

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool list_is_singular(const struct list_head *head)
{
	return head->next != head && head->next == head->prev;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void shim_list_join(struct list_head *a, struct list_head *b)
{
	a->next = b;
	b->prev = a;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	shim_list_join(entry, head->next);
	shim_list_join(head, entry);
}

static inline void list_add_tail(struct list_head *entry,
				 struct list_head *head)
{
	list_add(entry, head->prev);
}

/* What is deleted twice, or used afterwards, is a null pointer. */
static inline void list_del(struct list_head *entry)
{
	shim_list_join(entry->prev, entry->next);
	entry->prev = NULL;
	entry->next = NULL;
}

static inline void list_move_tail(struct list_head *entry,
				  struct list_head *head)
{
	list_del(entry);
	list_add_tail(entry, head);
}

static inline void list_splice_tail_init(struct list_head *list,
					 struct list_head *head)
{
	if (list_empty(list))
		return;
	shim_list_join(head->prev, list->next);
	shim_list_join(list->prev, head);
	INIT_LIST_HEAD(list);
}

/* @list, whatever it was, is all before @entry; @head keeps the rest. */
static inline void list_cut_before(struct list_head *list,
				   struct list_head *head,
				   struct list_head *entry)
{
	INIT_LIST_HEAD(list);
	if (head->next == entry)
		return;
	shim_list_join(list, head->next);
	shim_list_join(entry->prev, list);
	shim_list_join(head, entry);
}

static inline bool list_is_last(const struct list_head *entry,
				const struct list_head *head)
{
	return entry->next == head;
}

#define list_entry(pointer, type, member) container_of(pointer, type, member)

#define list_next_entry(pos, member) \
	list_entry((pos)->member.next, __typeof__(*(pos)), member)
#define list_last_entry(head, type, member) \
	list_entry((head)->prev, type, member)
#define list_first_entry(head, type, member) \
	list_entry((head)->next, type, member)

#define list_first_entry_or_null(head, type, member) \
	(list_empty(head) ? NULL : list_first_entry(head, type, member))

#define list_for_each_entry(pos, head, member)				\
	for (pos = list_entry((head)->next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = list_entry(pos->member.next, typeof(*pos), member))

#define list_for_each_entry_safe(pos, following, head, member)		\
	for (pos = list_entry((head)->next, typeof(*pos), member),	\
	     following = list_entry(pos->member.next, typeof(*pos), member); \
	     &pos->member != (head);					\
	     pos = following,						\
	     following = list_entry(pos->member.next, typeof(*pos), member))

#endif /* SHIM_LINUX_LIST_H */
