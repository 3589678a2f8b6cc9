// SPDX-License-Identifier: MIT
/*
 * Expiries that call functions.
 *
 * What was read and not yet called stays in the dispatcher: events[next] up to
 * events[count].  Each of these belongs to an action whose .unread points to it,
 * so that a stop, reset or start finds it and takes it back; and that action is
 * still there, because it may be freed only when it does not run.  So when a
 * callback is called there is nothing of it left here: it may free its action,
 * run the dispatcher, or never return.
 *
 * Expiries that have a token are acknowledged, in a batch at the end of a run, when
 * their callbacks have returned.  A token is of one delivery only.  So whatever
 * the callback or a later one has done to the timer, acknowledging what is
 * void fails and does no harm; and one that never returned is delivered again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

static int set_up(struct twheel_dispatcher *dispatcher)
{
	int ret = twheel_batch_new(&dispatcher->acks, TWHEEL_DISPATCH_EVENTS);

	if (ret)
		return ret;
	dispatcher->fd = twheel_open(O_NONBLOCK);
	if (dispatcher->fd < 0)
		twheel_batch_free(dispatcher->acks);
	return dispatcher->fd < 0 ? dispatcher->fd : 0;
}

int twheel_dispatcher_new(struct twheel_dispatcher **dispatcher)
{
	struct twheel_dispatcher *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	ret = set_up(new);
	if (ret) {
		free(new);
		return ret;
	}
	*dispatcher = new;
	return 0;
}

/*
 * Those that fail are void.  When the call as such fails, or ends before the last
 * one, they stay for the next time: those that were done are void by then.  What
 * cannot be acknowledged in time is delivered again.
 */
static int acknowledge(struct twheel_dispatcher *dispatcher)
{
	int ret = twheel_batch_submit(dispatcher->acks, dispatcher->fd);

	if (ret < 0)
		return ret;
	if ((unsigned int)ret == twheel_batch_count(dispatcher->acks))
		twheel_batch_clear(dispatcher->acks);
	return 0;
}

void twheel_dispatcher_free(struct twheel_dispatcher *dispatcher)
{
	if (!dispatcher)
		return;
	acknowledge(dispatcher);
	twheel_batch_free(dispatcher->acks);
	close(dispatcher->fd);
	free(dispatcher);
}

int twheel_dispatcher_fd(const struct twheel_dispatcher *dispatcher)
{
	return dispatcher->fd;
}

void twheel_dispatcher_keep(struct twheel_dispatcher *dispatcher,
			    const struct twheel_event *event)
{
	dispatcher->kept = event->token;
}

static struct twheel_action *action_of(const struct twheel_event *event)
{
	return (struct twheel_action *)(uintptr_t)event->data;
}

/*
 * A periodic timer may have expired again while the read that yielded its last
 * expiry went on: one call for both.  With a token it is the same expiry once more,
 * its lease has ended meanwhile; the later delivery is the one that counts.
 */
static void merge(struct twheel_event *event, struct twheel_event *later)
{
	event->expirations = later->token ? later->expirations :
					    event->expirations + later->expirations;
	event->dropped += later->dropped;
	event->flags |= later->flags;
	event->attempt = later->attempt;
	event->token = later->token;
	later->data = 0;
}

static void assign(struct twheel_event *event)
{
	struct twheel_action *action = action_of(event);

	if (action->unread)
		merge(action->unread, event);
	else
		action->unread = event;
}

/* Only when all that was read before has been called.  How many, 0 or -errno. */
static int fetch(struct twheel_dispatcher *dispatcher)
{
	int i, got = twheel_read(dispatcher->fd, dispatcher->events, TWHEEL_DISPATCH_EVENTS);

	if (got == -EAGAIN)
		return 0;
	if (!got)
		return -ESHUTDOWN;
	if (got < 0)
		return got;
	for (i = 0; i < got; i++)
		assign(&dispatcher->events[i]);
	dispatcher->next = 0;
	dispatcher->count = got;
	return got;
}

/* A callback has returned: its expiry is done with, unless it was kept. */
static void finish(struct twheel_dispatcher *dispatcher, const struct twheel_event *event)
{
	if (!event->token || event->token == dispatcher->kept)
		return;
	/* No more room only while acknowledging fails; it is delivered again then. */
	twheel_batch_ack(dispatcher->acks, event);
}

/* False: there was nothing to call, it was taken back. */
static bool call_next(struct twheel_dispatcher *dispatcher)
{
	/* A copy: a run inside the callback reads into the array. */
	struct twheel_event event = dispatcher->events[dispatcher->next++];
	struct twheel_action *action = action_of(&event);

	if (!action)
		return false;
	action->unread = NULL;
	action->call(dispatcher, action, &event);
	finish(dispatcher, &event);
	return true;
}

static int call_all(struct twheel_dispatcher *dispatcher)
{
	int called = 0;

	while (dispatcher->next < dispatcher->count)
		called += call_next(dispatcher);
	return called;
}

static int run(struct twheel_dispatcher *dispatcher)
{
	int called, got;

	/* What is left over from a callback that did not return comes first. */
	called = call_all(dispatcher);
	if (called)
		return called;
	got = fetch(dispatcher);
	return got > 0 ? call_all(dispatcher) : got;
}

int twheel_dispatcher_run(struct twheel_dispatcher *dispatcher)
{
	int err, ret;

	/* From a run that a callback has left. */
	err = acknowledge(dispatcher);
	if (err)
		return err;
	ret = run(dispatcher);
	err = acknowledge(dispatcher);
	return err ? err : ret;
}
