// SPDX-License-Identifier: GPL-2.0
/* Those who do one kind of thing to an instance, each as fast as it can, and log it. */
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

/* The place in the log for the next call. */
static struct torture_call *begin(struct torture_actor *actor, enum torture_kind kind)
{
	struct torture_call *call = &actor->call[actor->calls];

	/* First, or what is left of a call that failed would pass for a result. */
	__atomic_store_n(&call->kind, TORTURE_NOTHING, __ATOMIC_SEQ_CST);
	memset(call, 0, sizeof(*call));
	memset(&call->start, TW_POISON, sizeof(call->start));
	call->first = kind == TORTURE_SUBMIT ? actor->ops : actor->events;
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

__u64 torture_timeout(struct torture_actor *actor)
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

static struct twheel_op some_start(struct torture_actor *actor)
{
	struct twheel_op op = {
		.opcode = TWHEEL_OP_START,
		.id = below(actor, actor->round->ids),
		.time_ns = torture_timeout(actor),
	};

	if (!below(actor, 8))
		op.flags = TWHEEL_EXCLUSIVE;
	if (!below(actor, 8) && may_be_periodic(actor->round))
		op.interval_ns = 2 * TW_MS + below(actor, TW_MS);
	return op;
}

static struct twheel_op some_stop(struct torture_actor *actor)
{
	return (struct twheel_op) {
		.opcode = TWHEEL_OP_STOP,
		.id = below(actor, actor->round->ids),
	};
}

static struct twheel_op some_reset(struct torture_actor *actor)
{
	struct twheel_op op = {
		.opcode = TWHEEL_OP_RESET,
		.id = below(actor, actor->round->ids),
	};

	if (!below(actor, 8)) {
		op.id = TORTURE_IDS + below(actor, TORTURE_RESIDENTS);
	} else if (below(actor, 2)) {
		op.flags = TWHEEL_NEW_TIMEOUT;
		op.time_ns = torture_timeout(actor);
	}
	return op;
}

static void start_one(struct torture_actor *actor)
{
	struct twheel_op op = some_start(actor);
	struct twheel_start start = {
		.id = op.id, .flags = op.flags, .time_ns = op.time_ns,
		.interval_ns = op.interval_ns,
	};

	torture_start(actor, &start);
}

static void stop_one(struct torture_actor *actor)
{
	struct twheel_op op = some_stop(actor);
	struct torture_call *call = begin(actor, TORTURE_STOP);

	end(actor, call, tw_stop(actor->round->fd, op.id, &call->stop), -ENOENT, 0);
}

static void reset_one(struct torture_actor *actor)
{
	struct twheel_op op = some_reset(actor);
	struct torture_call *call = begin(actor, TORTURE_RESET);

	call->reset = (struct twheel_reset) {
		.id = op.id, .flags = op.flags, .time_ns = op.time_ns,
	};
	end(actor, call, tw_reset(actor->round->fd, &call->reset), -ENOENT, 0);
}

static bool is_allowed(const struct twheel_op *op, __s32 error)
{
	switch (op->opcode) {
	case TWHEEL_OP_START:
		return error == -EEXIST && op->flags & TWHEEL_EXCLUSIVE;
	case TWHEEL_OP_STOP:
	case TWHEEL_OP_RESET:
		return error == -ENOENT;
	default:
		return error == -ESTALE;
	}
}

static void check_result(struct torture_actor *actor, const struct twheel_op *op,
			 const struct twheel_result *result)
{
	const struct twheel_result nothing = { .error = result->error };

	if (!result->error)
		return;
	if (!is_allowed(op, result->error))
		torture_complain(actor->round, "an operation %u of a batch has failed: %s",
				 op->opcode, strerror(-result->error));
	else if (memcmp(result, &nothing, sizeof(nothing)))
		torture_complain(actor->round, "a failed operation %u of a batch has a result",
				 op->opcode);
}

/* What is behind the operations in the log, and of which nothing has come yet. */
static void submit(struct torture_actor *actor, int fd, unsigned int count)
{
	const struct twheel_op *op = &actor->op[actor->ops];
	struct twheel_result *result = &actor->result[actor->ops];
	struct torture_call *call;
	int done;

	/* Brought in as well, so that none is written in part. */
	memset(result, 0, count * sizeof(*result));
	call = begin(actor, TORTURE_SUBMIT);
	done = tw_submit(fd, op, result, count);
	if (done < 0) {
		end(actor, call, done, 0, 0);
		return;
	}
	call->count = done;
	actor->ops += done;
	end(actor, call, 0, 0, 0);
	while (done--)
		check_result(actor, &op[done], &result[done]);
}

static void submit_some(struct torture_actor *actor)
{
	static struct twheel_op (* const draw[])(struct torture_actor *actor) = {
		some_start, some_stop, some_reset,
	};
	unsigned int count = 1 + below(actor, below(actor, 8) ? 4 : TORTURE_BATCH), i;

	for (i = 0; i < count; i++)
		actor->op[actor->ops + i] = draw[below(actor, ARRAY_SIZE(draw))](actor);
	submit(actor, actor->round->fd, count);
}

static const struct {
	enum torture_kind kind;
	unsigned int cmd;
} answers[] = {
	[TWHEEL_OP_ACK] = { TORTURE_ACK, TWHEEL_IOC_ACK },
	[TWHEEL_OP_REJECT] = { TORTURE_REJECT, TWHEEL_IOC_REJECT },
	[TWHEEL_OP_EXTEND] = { TORTURE_EXTEND, TWHEEL_IOC_EXTEND },
};

static __u64 lease_of(const struct torture_actor *actor, enum twheel_opcode opcode)
{
	return opcode == TWHEEL_OP_EXTEND ? actor->round->setup.lease_ns : 0;
}

static void answer(struct torture_actor *actor, int fd, const struct twheel_event *event,
		   enum twheel_opcode opcode)
{
	struct torture_call *call = begin(actor, answers[opcode].kind);

	call->generation = event->generation;
	call->attempt = event->attempt;
	/* One by one: the state, of which 0 is one, is poison all the time. */
	call->ack.id = event->id;
	call->ack.token = event->token;
	call->ack.lease_ns = lease_of(actor, opcode);
	call->ack.flags = 0;
	memset(call->ack.reserved, 0, sizeof(call->ack.reserved));
	end(actor, call, tw_lease_ioctl(fd, answers[opcode].cmd, &call->ack), -ESTALE, 0);
}

/*
 * Most are acknowledged.  One that is forgotten, unless the round comes to its end, is
 * answered after the next one: too late in all likelihood, or if its lease was made
 * longer, perhaps not.  0: forgotten.
 */
static int some_answer(struct torture_actor *actor, const struct twheel_event *event)
{
	__u64 choice = below(actor, 16);

	if (choice > 2 || torture_has_stopped(actor->round))
		return TWHEEL_OP_ACK;
	if (choice == 2)
		return TWHEEL_OP_REJECT;
	actor->forgotten = *event;
	return choice ? TWHEEL_OP_EXTEND : 0;
}

static void answer_each(struct torture_actor *actor, int fd,
			const struct twheel_event *event, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count && actor->calls < TORTURE_CALLS; i++) {
		int opcode = some_answer(actor, &event[i]);

		if (opcode)
			answer(actor, fd, &event[i], opcode);
	}
}

static void answer_at_once(struct torture_actor *actor, int fd,
			   const struct twheel_event *event, unsigned int count)
{
	unsigned int i, nr = actor->ops;

	for (i = 0; i < count; i++) {
		int opcode = some_answer(actor, &event[i]);

		if (!opcode)
			continue;
		actor->attempt[nr] = event[i].attempt;
		actor->op[nr++] = (struct twheel_op) {
			.opcode = opcode, .id = event[i].id, .token = event[i].token,
			.time_ns = lease_of(actor, opcode),
		};
	}
	if (nr > actor->ops)
		submit(actor, fd, nr - actor->ops);
}

static void answer_all(struct torture_actor *actor, int fd,
		       const struct twheel_event *event, unsigned int count)
{
	if (actor->forgotten.token && !below(actor, 4) && actor->calls < TORTURE_CALLS) {
		answer(actor, fd, &actor->forgotten, TWHEEL_OP_ACK);
		actor->forgotten.token = 0;
	}
	if (actor->calls < TORTURE_CALLS && below(actor, 2))
		answer_at_once(actor, fd, event, count);
	else
		answer_each(actor, fd, event, count);
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
	    actor->events + TORTURE_ROOM <= TORTURE_EVENTS &&
	    actor->ops + TORTURE_BATCH <= TORTURE_OPS)
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

static void duel(struct torture_actor *actor)
{
	if (!below(actor, 8))
		submit_some(actor);
	else if (below(actor, 2))
		start_one(actor);
	else
		stop_one(actor);
}

void torture_act(struct torture_actor *actor)
{
	static void (* const act[])(struct torture_actor *actor) = {
		[TORTURE_STARTER] = start_one, [TORTURE_STOPPER] = stop_one,
		[TORTURE_RESETTER] = reset_one, [TORTURE_LISTER] = torture_look,
		[TORTURE_POLLER] = torture_poll, [TORTURE_CLOSER] = torture_close,
		[TORTURE_BATCHER] = submit_some, [TORTURE_DUELLIST] = duel,
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
		/* Or no timer would live until its deadline; a batch ends many. */
		if (!below(actor, actor->role == TORTURE_BATCHER ? 2 : 8))
			tw_sleep(below(actor, TW_MS));
	}
}
