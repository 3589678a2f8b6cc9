// SPDX-License-Identifier: GPL-2.0
/* A skip list in user space, by deadline and then by number. */
#include <stdlib.h>
#include "user.h"

#define LEVELS	12	/* 4^12 timers */

struct node {
	__u64 deadline;
	unsigned int timer;
	unsigned int levels;
	struct node *next[];
};

static struct node *head;
static struct node **nodes;
static __u32 levels_seed = 1;

static size_t size_of(unsigned int levels)
{
	return sizeof(struct node) + levels * sizeof(struct node *);
}

/* Each level has a quarter of the nodes of the one below. */
static unsigned int choose_levels(void)
{
	unsigned int levels = 1, bits;

	levels_seed = levels_seed * 1664525 + 1013904223;
	for (bits = levels_seed >> 8; levels < LEVELS && !(bits & 3); bits >>= 2)
		levels++;
	return levels;
}

static struct node *make_node(unsigned int levels)
{
	struct node *node = malloc(size_of(levels));

	if (!node)
		err(1, "skip list");
	node->levels = levels;
	return node;
}

static void prepare(unsigned int timers)
{
	unsigned int i;

	user_prepare();
	nodes = bench_room(timers, sizeof(*nodes));
	head = make_node(LEVELS);
	for (i = 0; i < LEVELS; i++)
		head->next[i] = NULL;
}

static bool before(const struct node *node, const struct node *other)
{
	if (node->deadline != other->deadline)
		return node->deadline < other->deadline;
	return node < other;
}

/* The last node before @node in each level. */
static void find(const struct node *node, struct node *last[LEVELS])
{
	struct node *at = head;
	int level;

	for (level = LEVELS - 1; level >= 0; level--) {
		while (at->next[level] && before(at->next[level], node))
			at = at->next[level];
		last[level] = at;
	}
}

static void insert(struct node *node)
{
	struct node *last[LEVELS];
	unsigned int level;

	find(node, last);
	for (level = 0; level < node->levels; level++) {
		node->next[level] = last[level]->next[level];
		last[level]->next[level] = node;
	}
}

static void take_out(struct node *node)
{
	struct node *last[LEVELS];
	unsigned int level;

	find(node, last);
	for (level = 0; level < node->levels; level++)
		last[level]->next[level] = node->next[level];
}

static void start(unsigned int timer, __u64 timeout_ns)
{
	struct node *node = make_node(choose_levels());

	node->deadline = user_now + timeout_ns;
	node->timer = timer;
	nodes[timer] = node;
	insert(node);
}

static void reset(unsigned int timer, __u64 timeout_ns)
{
	struct node *node = nodes[timer];

	take_out(node);
	node->deadline = user_now + timeout_ns;
	insert(node);
}

static void stop(unsigned int timer)
{
	take_out(nodes[timer]);
	free(nodes[timer]);
}

static void turn(void)
{
	user_turn(head->next[0] ? head->next[0]->deadline : USER_NEVER);
}

static unsigned int expire(unsigned int *timers, unsigned int room)
{
	unsigned int i = 0;

	user_fired();
	while (i < room && head->next[0] && head->next[0]->deadline <= user_now) {
		timers[i] = head->next[0]->timer;
		stop(timers[i++]);
	}
	turn();
	return i;
}

const struct bench_ops bench_skiplist = {
	.name = "skip-list",
	.what = "a skip list in user space, with one timerfd",
	.user_space = true,
	.prepare = prepare,
	.start = start,
	.reset = reset,
	.stop = stop,
	.turn = turn,
	.ready = bench_ready,
	.expire = expire,
};
