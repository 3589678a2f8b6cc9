// SPDX-License-Identifier: GPL-2.0
/* Those who do one kind of thing to an instance, each as fast as it can. */
#include <stdarg.h>
#include <sys/uio.h>

#include "torture.h"

void torture_complain(struct torture_round *round, const char *format, ...)
{
	va_list args;

	if (!__atomic_exchange_n(&round->has_broken, true, __ATOMIC_ACQ_REL)) {
		va_start(args, format);
		vsnprintf(round->broken, sizeof(round->broken), format, args);
		va_end(args);
	}
	set(&round->stop);
}

void torture_run_anywhere(void)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
}

static __u64 below(struct torture_actor *actor, __u64 limit)
{
	return tw_below(&actor->seed, limit);
}

/* The place in the log for the next call. */
static struct torture_call *begin(struct torture_actor *actor, enum torture_kind kind)
{
	struct torture_call *call = &actor->call[actor->calls];

	/* First, or what is left of a call that failed would pass for a result. */
	__atomic_store_n(&call->kind, TORTURE_NOTHING, __ATOMIC_SEQ_CST);
	memset(call, 0, sizeof(*call));
	memset(&call->start, TW_POISON, sizeof(call->start));
	call->first = actor->events;
	call->begin_ns = tw_now();
	/* A kill from here on finds poison where there is no result. */
	__atomic_store_n(&call->kind, kind, __ATOMIC_RELEASE);
	return call;
}

/* One that failed leaves its place to the next. */
static int end(struct torture_actor *actor, struct torture_call *call, int ret,
	       int error, int other)
{
	actor->operations++;
	if (!ret) {
		call->end_ns = tw_now();
		__atomic_store_n(&actor->calls, actor->calls + 1, __ATOMIC_RELEASE);
	} else if (ret != error && ret != other) {
		torture_complain(actor->round, "a call of kind %d has failed: %s",
				 call->kind, ret == TW_TOUCHED ?
				 "and has changed its structure" : strerror(-ret));
	}
	return ret;
}

static __u64 some_timeout(struct torture_actor *actor)
{
	switch (below(actor, 16)) {
	case 0:
		return 0;
	case 1:
		return TW_HOUR;
	default:
		return below(actor, actor->round->longest_ns);
	}
}

int torture_start(struct torture_actor *actor, const struct twheel_start *start)
{
	struct torture_call *call = begin(actor, TORTURE_START);

	call->start = *start;
	return end(actor, call, tw_start(actor->round->fd, &call->start),
		   start->flags & TWHEEL_EXCLUSIVE ? -EEXIST : 0, 0);
}

static bool may_be_periodic(const struct torture_round *round)
{
	return round->setup.overflow == TWHEEL_HOLD;
}

static void start_one(struct torture_actor *actor)
{
	struct twheel_start start = {
		.id = below(actor, actor->round->ids),
		.time_ns = some_timeout(actor),
	};

	if (!below(actor, 8))
		start.flags = TWHEEL_EXCLUSIVE;
	if (!below(actor, 8) && may_be_periodic(actor->round))
		start.interval_ns = 2 * TW_MS + below(actor, TW_MS);
	torture_start(actor, &start);
}

static void stop_one(struct torture_actor *actor)
{
	struct torture_call *call = begin(actor, TORTURE_STOP);
	__u64 id = below(actor, actor->round->ids);

	end(actor, call, tw_stop(actor->round->fd, id, &call->stop), -ENOENT, 0);
}

static void reset_one(struct torture_actor *actor)
{
	struct torture_call *call = begin(actor, TORTURE_RESET);

	call->reset = (struct twheel_reset) { .id = below(actor, actor->round->ids) };
	if (!below(actor, 8)) {
		call->reset.id = TORTURE_IDS + below(actor, TORTURE_RESIDENTS);
	} else if (below(actor, 2)) {
		call->reset.flags = TWHEEL_NEW_TIMEOUT;
		call->reset.time_ns = some_timeout(actor);
	}
	end(actor, call, tw_reset(actor->round->fd, &call->reset), -ENOENT, 0);
}

static void answer(struct torture_actor *actor, int fd, const struct twheel_event *event,
		   enum torture_kind kind)
{
	struct torture_call *call = begin(actor, kind);

	call->generation = event->generation;
	call->attempt = event->attempt;
	/* One by one: the state, of which 0 is one, is poison all the time. */
	call->ack.id = event->id;
	call->ack.token = event->token;
	call->ack.lease_ns = 0;
	call->ack.flags = 0;
	memset(call->ack.reserved, 0, sizeof(call->ack.reserved));
	end(actor, call, tw_lease_ioctl(fd, kind == TORTURE_ACK ? TWHEEL_IOC_ACK :
					TWHEEL_IOC_REJECT, &call->ack), -ESTALE, 0);
}

/*
 * Most are acknowledged; one that is forgotten, unless the round comes to its end, is
 * answered after the next one, which is likely to be too late.
 */
static void answer_all(struct torture_actor *actor, int fd,
		       const struct twheel_event *event, unsigned int count)
{
	unsigned int i;

	if (actor->forgotten.token && !below(actor, 4) && actor->calls < TORTURE_CALLS) {
		answer(actor, fd, &actor->forgotten, TORTURE_ACK);
		actor->forgotten.token = 0;
	}
	for (i = 0; i < count && actor->calls < TORTURE_CALLS; i++) {
		__u64 choice = below(actor, 10);

		if (choice > 1 || torture_has_stopped(actor->round))
			answer(actor, fd, &event[i], TORTURE_ACK);
		else if (choice)
			answer(actor, fd, &event[i], TORTURE_REJECT);
		else
			actor->forgotten = event[i];
	}
}

/* Where the records go is brought in, so that none is written in part. */
static struct twheel_event *records_of(struct torture_actor *actor,
				       struct torture_call *call, unsigned int room)
{
	memset(&actor->event[call->first], 0, room * sizeof(*actor->event));
	return &actor->event[call->first];
}

/* False at the end of file. */
static bool read_some(struct torture_actor *actor, int fd, __u32 stream)
{
	struct torture_call *call = begin(actor, TORTURE_READ);
	unsigned int room = 1 + below(actor, TORTURE_ROOM);
	struct twheel_event *event = records_of(actor, call, room);
	struct iovec iov = { event, room * sizeof(*event) };
	ssize_t got;

	call->stream = stream;
	got = preadv2(fd, &iov, 1, -1, below(actor, 2) ? RWF_NOWAIT : 0);
	if (got <= 0) {
		end(actor, call, got ? -errno : -EAGAIN, -EAGAIN, 0);
		if (got < 0)
			sched_yield();
		return got;
	}
	call->count = got / sizeof(*event);
	actor->events += call->count;
	end(actor, call, 0, 0, 0);
	if (actor->round->setup.delivery == TWHEEL_AT_LEAST_ONCE)
		answer_all(actor, fd, event, call->count);
	return true;
}

static bool has_room(struct torture_actor *actor)
{
	if (actor->calls < TORTURE_CALLS &&
	    actor->events + TORTURE_ROOM <= TORTURE_EVENTS)
		return true;
	set(&actor->round->stop);
	return false;
}

/* Up to the end of file; what is left when the log is full stays in the instance. */
static void read_all(struct torture_actor *actor)
{
	struct torture_round *round = actor->round;
	int fd = round->own_readers ? tw_reader(round->fd, 0) : round->fd;
	__u32 stream = round->setup.dispatch == TWHEEL_SHARED ? 0 : tw_number(fd);

	if (fd == -ESHUTDOWN)
		return;
	if (fd < 0) {
		torture_complain(round, "READER has failed: %s", strerror(-fd));
		return;
	}
	while (has_room(actor) && read_some(actor, fd, stream))
		;
	if (round->own_readers)
		close(fd);
}

#define LISTED	(TORTURE_IDS + TORTURE_RESIDENTS)
/* IDs that come and go may be in a listing more than once. */
#define ENTRIES	(4 * LISTED)

/* Who was there all the time is there once. */
static void check_listing(struct torture_actor *actor,
			  const struct twheel_list_entry *entry, int count)
{
	__u64 generation[LISTED] = { 0 };
	unsigned int residents = 0;
	int i;

	for (i = 0; i < count; i++) {
		if (entry[i].id >= LISTED || !entry[i].generation ||
		    generation[entry[i].id] == entry[i].generation)
			torture_complain(actor->round, "listed twice: timer %llu, generation %llu",
					 entry[i].id, entry[i].generation);
		else
			generation[entry[i].id] = entry[i].generation;
		residents += entry[i].id >= TORTURE_IDS;
	}
	if (residents != TORTURE_RESIDENTS)
		torture_complain(actor->round, "%u of %u timers that stay are in a listing",
				 residents, TORTURE_RESIDENTS);
}

static void list_all(struct torture_actor *actor)
{
	struct twheel_list_entry entry[ENTRIES];
	int count = tw_list_all(actor->round->fd, entry, ENTRIES, 1 + below(actor, 32));

	if (count < 0)
		torture_complain(actor->round, "LIST has failed: %s", strerror(-count));
	else
		check_listing(actor, entry, count);
}

static void get_one(struct torture_actor *actor)
{
	__u64 id = below(actor, actor->round->ids);
	struct twheel_get get;
	int ret = tw_get(actor->round->fd, id, &get);

	if (ret == -ENOENT)
		return;
	if (ret)
		torture_complain(actor->round, "GET has failed: %s", strerror(-ret));
	else if (get.state != TWHEEL_ARMED && get.deadline_ns > tw_now())
		torture_complain(actor->round, "expired early, as GET says: timer %llu", id);
}

static void look(struct torture_actor *actor)
{
	switch (below(actor, 3)) {
	case 0:
		list_all(actor);
		break;
	case 1:
		get_one(actor);
		break;
	default:
		if (!tw_books_balance(actor->round->fd))
			torture_complain(actor->round, "the books do not balance");
	}
	actor->operations++;
}

static void poll_once(struct torture_actor *actor)
{
	int ret = tw_poll(actor->round->fd, below(actor, 2));

	if (ret < 0 || ret & ~(POLLIN | POLLHUP))
		torture_complain(actor->round, "poll has returned %d", ret);
	actor->operations++;
}

/* Timers in every state go with their instance. */
static void use_another(struct torture_actor *actor)
{
	int i, fd = tw_open();

	if (fd < 0) {
		torture_complain(actor->round, "open has failed: %s", strerror(errno));
		return;
	}
	for (i = 0; i < 8; i++)
		if (tw_after(fd, i, some_timeout(actor)))
			torture_complain(actor->round, "START in another instance has failed");
	close(fd);
}

/* What has come for a reader meanwhile goes to others with its end. */
static void come_and_go(struct torture_actor *actor)
{
	int fd = tw_reader(actor->round->fd, TWHEEL_READER_NONBLOCK);

	if (fd < 0) {
		torture_complain(actor->round, "READER has failed: %s", strerror(-fd));
		return;
	}
	tw_poll(fd, below(actor, 2));
	close(fd);
}

static void close_one(struct torture_actor *actor)
{
	if (below(actor, 2))
		use_another(actor);
	else
		come_and_go(actor);
	actor->operations++;
}

static void duel(struct torture_actor *actor)
{
	if (below(actor, 2))
		start_one(actor);
	else
		stop_one(actor);
}

void torture_act(struct torture_actor *actor)
{
	static void (* const act[])(struct torture_actor *actor) = {
		[TORTURE_STARTER] = start_one, [TORTURE_STOPPER] = stop_one,
		[TORTURE_RESETTER] = reset_one, [TORTURE_LISTER] = look,
		[TORTURE_POLLER] = poll_once, [TORTURE_CLOSER] = close_one,
		[TORTURE_DUELLIST] = duel,
	};

	if (actor->processor >= 0)
		run_on_processor(actor->processor);
	else
		torture_run_anywhere();
	if (actor->role == TORTURE_READER) {
		read_all(actor);
		return;
	}
	while (!torture_has_stopped(actor->round) && has_room(actor)) {
		act[actor->role](actor);
		/* Or no timer would live until its deadline. */
		if (!below(actor, 8))
			tw_sleep(below(actor, TW_MS));
	}
}
