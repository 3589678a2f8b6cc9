// SPDX-License-Identifier: GPL-2.0
/* start, reset, stop and get: the operations on one timer */
#include "session.h"

/* What an outcome is called, by operation. */
struct outcome_words {
	const char *was_free;
	const char *stopped;
	const char *withdrew;
};

/* The time that an operation names, and the flag that goes with it. */
static __u32 time_of(const struct session *s, const struct op *op, __u64 *ns)
{
	if (op_given(op, OPT_AT)) {
		*ns = session_deadline(s, op->value[OPT_AT]);
		return TWHEEL_ABSTIME;
	}
	if (op_given(op, OPT_AT_CLOCK)) {
		*ns = op->value[OPT_AT_CLOCK];
		return TWHEEL_ABSTIME;
	}
	*ns = op->value[OPT_AFTER];
	return 0;
}

static void outcome_json(__u32 outcome, __u64 generation, __u64 remaining)
{
	json_string("outcome", outcome_text(outcome));
	json_u64("generation", generation);
	json_u64("remaining_ns", remaining);
}

static void outcome_line(const struct outcome_words *words, __u32 outcome,
			 __u64 generation, __u64 remaining)
{
	switch (outcome) {
	case TWHEEL_WAS_FREE:
		fputs(words->was_free, stdout);
		break;
	case TWHEEL_STOPPED:
		printf("%s with %s left", words->stopped,
		       duration_text(remaining).s);
		break;
	case TWHEEL_WITHDREW:
		printf("%s, its unread expiry withdrawn", words->withdrew);
		break;
	case TWHEEL_WAS_DELIVERED:
		printf("%s, its expiry read, but not acknowledged",
		       words->withdrew);
		break;
	case TWHEEL_WAS_DEAD:
		printf("%s, its expiry dead", words->withdrew);
		break;
	default:
		printf("outcome %u", outcome);
	}
	printf(", generation %llu", generation);
}

void word_json(bool mapped, __u32 word)
{
	json_bool("mapped", mapped);
	if (mapped)
		json_u64("word", word);
}

void word_text(bool mapped, __u32 word)
{
	if (mapped)
		printf(", word %u", word);
}

enum verdict op_start(struct session *s, const struct op *op)
{
	static const struct outcome_words words = {
		"started", "moved", "started again",
	};
	struct twheel_start start = {
		.id = op->operand,
		.interval_ns = op->value[OPT_EVERY],
		.data = op->value[OPT_DATA],
		.word = op->value[OPT_WORD],
	};
	bool mapped = op_given(op, OPT_WORD);
	int err;

	start.flags = time_of(s, op, &start.time_ns);
	if (op_given(op, OPT_EXCLUSIVE))
		start.flags |= TWHEEL_EXCLUSIVE;
	if (mapped)
		start.flags |= TWHEEL_MAPPED;
	err = twheel_start(s->fd, &start);
	if (err)
		return op_failed(s, op, -err);

	if (s->cli->json) {
		op_json(s, op);
		outcome_json(start.outcome, start.generation,
			     start.remaining_ns);
		json_u64("deadline_ns", start.deadline_ns);
		word_json(mapped, start.word);
		json_end();
		return VERDICT_OK;
	}
	op_line(s, op);
	outcome_line(&words, start.outcome, start.generation,
		     start.remaining_ns);
	printf(", due at %s",
	       offset_text(session_offset(s, start.deadline_ns)).s);
	word_text(mapped, start.word);
	putchar('\n');
	return VERDICT_OK;
}

enum verdict op_reset(struct session *s, const struct op *op)
{
	static const struct outcome_words words = {
		"reset", "postponed", "running again",
	};
	struct twheel_reset reset = { .id = op->operand };
	int err;

	reset.flags = time_of(s, op, &reset.time_ns);
	if (op->given)
		reset.flags |= TWHEEL_NEW_TIMEOUT;
	err = twheel_reset(s->fd, &reset);
	if (err)
		return op_failed(s, op, -err);

	if (s->cli->json) {
		op_json(s, op);
		outcome_json(reset.outcome, reset.generation,
			     reset.remaining_ns);
		json_u64("deadline_ns", reset.deadline_ns);
		json_end();
		return VERDICT_OK;
	}
	op_line(s, op);
	outcome_line(&words, reset.outcome, reset.generation,
		     reset.remaining_ns);
	printf(", due at %s\n",
	       offset_text(session_offset(s, reset.deadline_ns)).s);
	return VERDICT_OK;
}

enum verdict op_stop(struct session *s, const struct op *op)
{
	static const struct outcome_words words = {
		"stopped", "stopped", "stopped",
	};
	struct twheel_stop stop = { .id = op->operand };
	int err = twheel_stop(s->fd, &stop);

	if (err)
		return op_failed(s, op, -err);

	if (s->cli->json) {
		op_json(s, op);
		outcome_json(stop.outcome, stop.generation, stop.remaining_ns);
		json_u64("data", stop.data);
		json_end();
		return VERDICT_OK;
	}
	op_line(s, op);
	outcome_line(&words, stop.outcome, stop.generation, stop.remaining_ns);
	printf(", data %llu\n", stop.data);
	return VERDICT_OK;
}

static void get_json(const struct session *s, const struct op *op,
		     const struct twheel_get *get)
{
	op_json(s, op);
	json_string("state", state_text(get->state));
	json_u64("generation", get->generation);
	json_u64("deadline_ns", get->deadline_ns);
	json_u64("remaining_ns", get->remaining_ns);
	json_u64("timeout_ns", get->timeout_ns);
	json_u64("interval_ns", get->interval_ns);
	json_u64("data", get->data);
	word_json(get->mapped, get->word);
	json_end();
}

enum verdict op_get(struct session *s, const struct op *op)
{
	struct twheel_get get = { .id = op->operand };
	int err = twheel_get(s->fd, &get);

	if (err)
		return op_failed(s, op, -err);

	if (s->cli->json) {
		get_json(s, op, &get);
		return VERDICT_OK;
	}
	op_line(s, op);
	printf("%s, %s of %s left, due at %s", state_text(get.state),
	       duration_text(get.remaining_ns).s,
	       duration_text(get.timeout_ns).s,
	       offset_text(session_offset(s, get.deadline_ns)).s);
	if (get.interval_ns)
		printf(", every %s", duration_text(get.interval_ns).s);
	word_text(get.mapped, get.word);
	printf(", generation %llu, data %llu\n", get.generation, get.data);
	return VERDICT_OK;
}
