// SPDX-License-Identifier: GPL-2.0
/*
 * The deliveries that a script has in hand.
 *
 * Kept after they were acknowledged, too: a script may want to see that this
 * works once only.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "session.h"

static int compare(const void *a, const void *b)
{
	const struct delivery *one = a, *other = b;

	if (one->id != other->id)
		return one->id < other->id ? -1 : 1;
	if (one->reader != other->reader)
		return one->reader < other->reader ? -1 : 1;
	return 0;
}

static struct delivery *find(const struct session *s, __u64 id, __u32 reader)
{
	struct delivery key = { .id = id, .reader = reader };
	struct delivery **found = tfind(&key, &s->in_hand, compare);

	return found ? *found : NULL;
}

static struct delivery *add(struct session *s, __u64 id, __u32 reader)
{
	struct delivery *delivery = malloc(sizeof(*delivery));

	if (!delivery)
		return NULL;
	*delivery = (struct delivery){ .id = id, .reader = reader };
	if (tsearch(delivery, &s->in_hand, compare))
		return delivery;
	free(delivery);
	return NULL;
}

/* Only the last delivery of a timer can be in anybody's hands. */
static void end_earlier(const struct session *s, __u64 id)
{
	unsigned int i;

	for (i = 0; i < s->nr_readers; i++) {
		struct delivery *one = find(s, id, s->readers[i].number);

		if (one)
			one->done = true;
	}
}

int delivery_keep(struct session *s, const struct reader *reader,
		  const struct twheel_event *event)
{
	struct delivery *delivery = find(s, event->id, reader->number);

	end_earlier(s, event->id);
	if (!delivery)
		delivery = add(s, event->id, reader->number);
	if (!delivery)
		return -ENOMEM;
	delivery->token = event->token;
	delivery->done = false;
	delivery->order = s->taken++;
	return 0;
}

struct delivery *delivery_find(const struct session *s, __u64 id,
			       const struct reader *reader)
{
	struct delivery *last = NULL;
	unsigned int i;

	if (reader)
		return find(s, id, reader->number);
	for (i = 0; i < s->nr_readers; i++) {
		struct delivery *one = find(s, id, s->readers[i].number);

		if (one && (!last || one->order > last->order))
			last = one;
	}
	return last;
}

struct walk {
	delivery_fn *each;
	void *arg;
};

static void visit(const void *node, VISIT which, void *arg)
{
	struct delivery *delivery = *(struct delivery **)node;
	const struct walk *walk = arg;

	/* Inner nodes are passed three times, this one is between the others. */
	if ((which == postorder || which == leaf) && !delivery->done)
		walk->each(delivery, walk->arg);
}

void delivery_walk(const struct session *s, delivery_fn *each, void *arg)
{
	struct walk walk = { .each = each, .arg = arg };

	twalk_r(s->in_hand, visit, &walk);
}

void delivery_forget(struct session *s)
{
	while (s->in_hand) {
		struct delivery *delivery = *(struct delivery **)s->in_hand;

		tdelete(delivery, &s->in_hand, compare);
		free(delivery);
	}
}
