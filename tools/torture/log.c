// SPDX-License-Identifier: GPL-2.0
/* From logs in shared memory to a history. */
#include "torture.h"

/* Before a call it is poison, and for a moment 0. */
static bool is_generation(__u64 value)
{
	return value && value != TW_POISON64;
}

static bool was_carried_out(const struct torture_call *call)
{
	switch (call->kind) {
	case TORTURE_START:
		return is_generation(call->start.generation);
	case TORTURE_STOP:
		return is_generation(call->stop.generation);
	case TORTURE_RESET:
		return is_generation(call->reset.generation);
	case TORTURE_ACK:
	case TORTURE_REJECT:
		return call->ack.state != TW_POISON32;
	default:
		return false;
	}
}

/* Records that a killed reader has got: all of these have an attempt. */
static bool recover_read(struct torture_actor *actor, struct torture_call *call)
{
	call->count = 0;
	while (call->first + call->count < TORTURE_EVENTS &&
	       actor->event[call->first + call->count].attempt)
		call->count++;
	actor->events = call->first + call->count;
	return call->count;
}

void torture_recover(struct torture_actor *actor)
{
	struct torture_call *call = &actor->call[actor->calls];
	bool done;

	if (actor->calls == TORTURE_CALLS)
		return;
	call->end_ns = 0;
	done = call->kind == TORTURE_READ ? recover_read(actor, call) :
					    was_carried_out(call);
	if (done)
		actor->calls++;
	else
		memset(call, 0, sizeof(*call));
}

static void add_arm(struct deed *deed, __u64 generation, __u32 outcome, __u64 deadline)
{
	deed->kind = DEED_ARM;
	deed->generation = generation;
	deed->outcome = outcome;
	deed->deadline_ns = deadline;
}

static void add_records(const struct torture_actor *actor,
			const struct torture_call *call, struct history *history)
{
	const struct twheel_event *event = &actor->event[call->first];
	unsigned int i;

	for (i = 0; i < call->count; i++, event++)
		*history_add(history) = (struct deed) {
			.kind = DEED_RECORD,
			.id = event->id,
			.generation = event->generation,
			.begin_ns = call->begin_ns,
			.end_ns = call->end_ns,
			.deadline_ns = event->deadline_ns,
			.fired_ns = event->fired_ns,
			.expirations = event->expirations,
			.sequence = event->sequence,
			.stream = call->stream,
			.attempt = event->attempt,
		};
}

static void add_call(const struct torture_call *call, struct deed *deed)
{
	deed->begin_ns = call->begin_ns;
	deed->end_ns = call->end_ns;
	deed->id = call->start.id;	/* the first field of all of them */
	switch (call->kind) {
	case TORTURE_START:
		add_arm(deed, call->start.generation, call->start.outcome,
			call->start.deadline_ns);
		deed->interval_ns = call->start.interval_ns;
		break;
	case TORTURE_RESET:
		add_arm(deed, call->reset.generation, call->reset.outcome,
			call->reset.deadline_ns);
		deed->reset = true;
		break;
	case TORTURE_STOP:
		deed->kind = DEED_STOP;
		deed->generation = call->stop.generation;
		deed->outcome = call->stop.outcome;
		break;
	default:
		deed->kind = DEED_ACK;
		deed->generation = call->generation;
		deed->attempt = call->attempt;
	}
}

void torture_collect(const struct torture_actor *actor, struct history *history)
{
	unsigned int i;

	for (i = 0; i < actor->calls; i++) {
		const struct torture_call *call = &actor->call[i];

		if (call->kind == TORTURE_READ)
			add_records(actor, call, history);
		else if (call->kind != TORTURE_REJECT)
			add_call(call, history_add(history));
	}
}
