// SPDX-License-Identifier: MIT
/*
 * Timers of a dispatcher.  What the device does for expiries in its queue, that
 * a stop, reset or start takes them back, is done here for those that are read
 * but not yet called; a one-shot timer of these is unknown to the device.
 */
#include <errno.h>

#include "internal.h"

/*
 * Values of .started above 0: without a word, and with the first one.  Programs have
 * struct twheel_action in theirs, so there is no room for another member.
 */
#define STARTED		1
#define STARTED_MAPPED	2

void twheel_action_init(struct twheel_action *action,
			void (*call)(struct twheel_dispatcher *dispatcher,
				     struct twheel_action *action,
				     const struct twheel_event *event))
{
	*action = (struct twheel_action){ .call = call };
}

static uint64_t id_of(const struct twheel_action *action)
{
	return (uintptr_t)action;
}

/* Takes back what is read but not called.  The outcome, with the device's. */
static int withdraw(struct twheel_action *action, int outcome)
{
	if (!action->unread)
		return outcome;
	action->unread->data = 0;
	action->unread = NULL;
	return TWHEEL_WITHDREW;
}

static uint64_t how_started(const struct twheel_start *start)
{
	return start->flags & TWHEEL_MAPPED ? STARTED_MAPPED + start->word : STARTED;
}

/*
 * For a later reset.  Of a deadline the device knows how far it was away: it has
 * the timer still, because nothing was read since the start.  (If it was dropped
 * at once, the deadline had passed: 0.)
 */
static void remember(int fd, struct twheel_action *action, const struct twheel_start *start)
{
	struct twheel_get get = { .id = id_of(action) };

	action->started = how_started(start);
	action->slack_ns = start->slack_ns;
	action->timeout_ns = start->time_ns;
	if (!(start->flags & TWHEEL_ABSTIME))
		return;
	twheel_get(fd, &get);
	action->timeout_ns = get.timeout_ns;
}

int twheel_action_start_with(struct twheel_dispatcher *dispatcher,
			     struct twheel_action *action, struct twheel_start *start)
{
	int ret;

	if (!action->call)
		return -EINVAL;
	if (action->unread && (start->flags & TWHEEL_EXCLUSIVE))
		return -EEXIST;
	start->id = id_of(action);
	start->data = id_of(action);
	ret = twheel_start(dispatcher->fd, start);
	if (ret)
		return ret;
	start->outcome = withdraw(action, start->outcome);
	if (start->outcome == TWHEEL_WITHDREW)
		start->remaining_ns = 0;
	remember(dispatcher->fd, action, start);
	return start->outcome;
}

int twheel_action_start(struct twheel_dispatcher *dispatcher, struct twheel_action *action,
			uint64_t timeout_ns)
{
	struct twheel_start start = { .time_ns = timeout_ns };

	return twheel_action_start_with(dispatcher, action, &start);
}

int twheel_action_start_mapped(struct twheel_dispatcher *dispatcher,
			       struct twheel_action *action, uint64_t timeout_ns,
			       uint32_t word)
{
	struct twheel_start start = {
		.time_ns = timeout_ns,
		.flags = TWHEEL_MAPPED,
		.word = word,
	};

	return twheel_action_start_with(dispatcher, action, &start);
}

int twheel_action_start_every(struct twheel_dispatcher *dispatcher,
			      struct twheel_action *action, uint64_t interval_ns)
{
	struct twheel_start start = { .time_ns = interval_ns, .interval_ns = interval_ns };

	/* An interval of 0 would be a one-shot timer. */
	if (!interval_ns)
		return -EINVAL;
	return twheel_action_start_with(dispatcher, action, &start);
}

/* A one-shot timer whose expiry was read: the device has forgotten it. */
static int start_again(struct twheel_dispatcher *dispatcher, struct twheel_action *action,
		       uint64_t timeout_ns)
{
	struct twheel_start start = { .time_ns = timeout_ns, .slack_ns = action->slack_ns };

	if (!action->started)
		return -ENOENT;
	if (action->started >= STARTED_MAPPED) {
		start.flags = TWHEEL_MAPPED;
		start.word = action->started - STARTED_MAPPED;
	}
	return twheel_action_start_with(dispatcher, action, &start);
}

int twheel_action_reset(struct twheel_dispatcher *dispatcher, struct twheel_action *action)
{
	int ret = twheel_reset_id(dispatcher->fd, id_of(action));

	if (ret == -ENOENT)
		return start_again(dispatcher, action, action->timeout_ns);
	return ret < 0 ? ret : withdraw(action, ret);
}

int twheel_action_reset_to(struct twheel_dispatcher *dispatcher, struct twheel_action *action,
			   uint64_t timeout_ns)
{
	struct twheel_reset reset = {
		.id = id_of(action),
		.time_ns = timeout_ns,
		.flags = TWHEEL_NEW_TIMEOUT,
	};
	int ret = twheel_reset(dispatcher->fd, &reset);

	if (ret == -ENOENT)
		return start_again(dispatcher, action, timeout_ns);
	if (ret)
		return ret;
	action->timeout_ns = timeout_ns;
	return withdraw(action, reset.outcome);
}

/* Whatever the device says: after this, the action may be freed. */
int twheel_action_stop(struct twheel_dispatcher *dispatcher, struct twheel_action *action)
{
	int ret = twheel_stop_id(dispatcher->fd, id_of(action));

	action->started = 0;
	return withdraw(action, ret);
}
