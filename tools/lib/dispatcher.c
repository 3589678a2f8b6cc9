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
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

int twheel_dispatcher_new(struct twheel_dispatcher **dispatcher)
{
	struct twheel_dispatcher *new = calloc(1, sizeof(*new));
	int fd;

	if (!new)
		return -ENOMEM;
	fd = twheel_open(O_NONBLOCK);
	if (fd < 0) {
		free(new);
		return fd;
	}
	new->fd = fd;
	*dispatcher = new;
	return 0;
}

void twheel_dispatcher_free(struct twheel_dispatcher *dispatcher)
{
	if (!dispatcher)
		return;
	close(dispatcher->fd);
	free(dispatcher);
}

int twheel_dispatcher_fd(const struct twheel_dispatcher *dispatcher)
{
	return dispatcher->fd;
}

static struct twheel_action *action_of(const struct twheel_event *event)
{
	return (struct twheel_action *)(uintptr_t)event->data;
}

/*
 * A periodic timer may have expired again while the read that yielded its last
 * expiry went on: one call for both.
 */
static void merge(struct twheel_event *event, struct twheel_event *later)
{
	event->expirations += later->expirations;
	event->dropped += later->dropped;
	event->flags |= later->flags;
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
	if (got <= 0)
		return got;
	for (i = 0; i < got; i++)
		assign(&dispatcher->events[i]);
	dispatcher->next = 0;
	dispatcher->count = got;
	return got;
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
	return true;
}

static int call_all(struct twheel_dispatcher *dispatcher)
{
	int called = 0;

	while (dispatcher->next < dispatcher->count)
		called += call_next(dispatcher);
	return called;
}

int twheel_dispatcher_run(struct twheel_dispatcher *dispatcher)
{
	int called, got;

	/* What is left over from a callback that did not return comes first. */
	called = call_all(dispatcher);
	if (called)
		return called;
	got = fetch(dispatcher);
	return got > 0 ? call_all(dispatcher) : got;
}
