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
	case TORTURE_EXTEND:
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

/* An operation that was carried out has an error or a generation. */
static bool has_result(const struct twheel_result *result)
{
	return result->error || result->generation;
}

/* The results that the kernel has written for somebody who was killed. */
static bool recover_submit(struct torture_actor *actor, struct torture_call *call)
{
	call->count = 0;
	while (call->first + call->count < TORTURE_OPS &&
	       has_result(&actor->result[call->first + call->count]))
		call->count++;
	actor->ops = call->first + call->count;
	return call->count;
}

static bool recover(struct torture_actor *actor, struct torture_call *call)
{
	switch (call->kind) {
	case TORTURE_READ:
		return recover_read(actor, call);
	case TORTURE_SUBMIT:
		return recover_submit(actor, call);
	default:
		return was_carried_out(call);
	}
}

void torture_recover(struct torture_actor *actor)
{
	struct torture_call *call = &actor->call[actor->calls];

	if (actor->calls == TORTURE_CALLS)
		return;
	call->end_ns = 0;
	if (recover(actor, call))
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

static void add_call(const struct torture_call *call, struct history *history)
{
	struct deed *deed;

	if (call->kind == TORTURE_REJECT || call->kind == TORTURE_EXTEND)
		return;
	deed = history_add(history);
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

/* An operation that succeeded, as if by a call of its own. */
static void as_call(const struct twheel_op *op, const struct twheel_result *result,
		    struct torture_call *call)
{
	switch (op->opcode) {
	case TWHEEL_OP_START:
		call->kind = TORTURE_START;
		call->start = (struct twheel_start) {
			.id = op->id, .generation = result->generation,
			.outcome = result->outcome, .deadline_ns = result->deadline_ns,
			.interval_ns = op->interval_ns,
		};
		break;
	case TWHEEL_OP_RESET:
		call->kind = TORTURE_RESET;
		call->reset = (struct twheel_reset) {
			.id = op->id, .generation = result->generation,
			.outcome = result->outcome, .deadline_ns = result->deadline_ns,
		};
		break;
	case TWHEEL_OP_STOP:
		call->kind = TORTURE_STOP;
		call->stop = (struct twheel_stop) {
			.id = op->id, .generation = result->generation,
			.outcome = result->outcome,
		};
		break;
	default:
		call->kind = op->opcode == TWHEEL_OP_ACK ? TORTURE_ACK : TORTURE_REJECT;
		call->ack.id = op->id;
		call->generation = result->generation;
	}
}

static void add_batch(const struct torture_actor *actor,
		      const struct torture_call *batch, struct history *history)
{
	struct torture_call call = { .begin_ns = batch->begin_ns, .end_ns = batch->end_ns };
	unsigned int i;

	for (i = batch->first; i < batch->first + batch->count; i++) {
		if (actor->result[i].error)
			continue;
		call.attempt = actor->attempt[i];
		as_call(&actor->op[i], &actor->result[i], &call);
		add_call(&call, history);
	}
}

void torture_collect(const struct torture_actor *actor, struct history *history)
{
	unsigned int i;

	for (i = 0; i < actor->calls; i++) {
		const struct torture_call *call = &actor->call[i];

		if (call->kind == TORTURE_READ)
			add_records(actor, call, history);
		else if (call->kind == TORTURE_SUBMIT)
			add_batch(actor, call, history);
		else
			add_call(call, history);
	}
}
