// SPDX-License-Identifier: GPL-2.0
/* ack, reject and extend: what a reader does with a delivery that it has */
#include <errno.h>

#include "calls.h"
#include "session.h"

/* One of the three operations. */
struct kind {
	unsigned long command;
	const char *done;		/* what became of a delivery */
	const char *key;		/* of how many of them, in JSON */
};

static const struct kind ack_kind = {
	TWHEEL_IOC_ACK, "acknowledged", "acknowledged",
};

static const struct kind reject_kind = {
	TWHEEL_IOC_REJECT, "given back", "rejected",
};

static const struct kind extend_kind = {
	TWHEEL_IOC_EXTEND, "prolonged", "extended",
};

/* EXTEND without --lease: as long as the first one. */
static __u64 lease_of(const struct session *s, const struct op *op)
{
	if (op->code != OP_EXTEND)
		return 0;
	return op_given(op, OPT_LEASE) ? op->value[OPT_LEASE] :
					 s->info.lease_ns;
}

static void lease_show(const struct session *s, const struct op *op,
		       const struct kind *kind, const struct twheel_ack *ack)
{
	if (s->cli->json) {
		op_json(s, op);
		json_u64("token", ack->token);
		json_string("state", state_text(ack->state));
		json_u64("lease_end_ns", ack->lease_end_ns);
		json_end();
		return;
	}
	op_line(s, op);
	fputs(kind->done, stdout);
	if (ack->lease_end_ns)
		printf(" to %s",
		       offset_text(session_offset(s, ack->lease_end_ns)).s);
	printf(", now %s\n", state_text(ack->state));
}

static enum verdict one(struct session *s, const struct op *op,
			const struct kind *kind)
{
	struct twheel_ack ack = {
		.id = op->operand,
		.token = op->value[OPT_TOKEN],
		.lease_ns = lease_of(s, op),
	};
	struct delivery *delivery;
	const struct reader *reader;
	enum verdict verdict;
	int err;

	reader = reader_of(s, op, &verdict);
	if (!reader)
		return verdict;
	delivery = delivery_find(s, op->operand,
				 op_given(op, OPT_READER) ? reader : NULL);
	if (delivery && !op_given(op, OPT_TOKEN))
		ack.token = delivery->token;
	if (delivery && !op_given(op, OPT_READER))
		reader = reader_find(s, delivery->reader);

	err = call_lease(reader->fd, kind->command, &ack);
	if (err)
		return op_failed(s, op, -err);
	if (delivery && op->code != OP_EXTEND)
		delivery->done = true;
	lease_show(s, op, kind, &ack);
	return VERDICT_OK;
}

/* All that the script has in hand. */
struct all {
	const struct session *s;
	const struct op *op;
	const struct kind *kind;
	const struct reader *only;	/* NULL: of any reader */
	__u64 done;
	__u64 too_late;
	int err;			/* another one */
};

static void each(struct delivery *delivery, void *arg)
{
	struct all *all = arg;
	const struct reader *reader = reader_find(all->s, delivery->reader);
	struct twheel_ack ack = {
		.id = delivery->id,
		.token = delivery->token,
		.lease_ns = lease_of(all->s, all->op),
	};
	int err;

	if (!reader || (all->only && all->only != reader) || all->err)
		return;
	err = call_lease(reader->fd, all->kind->command, &ack);
	if (!err)
		all->done++;
	else if (err == -ESTALE)
		all->too_late++;
	else
		all->err = err;
	delivery->done = err || all->op->code != OP_EXTEND;
}

static void all_show(const struct all *all)
{
	if (all->s->cli->json) {
		op_json(all->s, all->op);
		json_u64(all->kind->key, all->done);
		json_u64("too_late", all->too_late);
		json_end();
		return;
	}
	op_line(all->s, all->op);
	printf("%llu %s", all->done, all->kind->done);
	if (all->too_late)
		printf(", too late for %llu", all->too_late);
	putchar('\n');
}

static enum verdict all(struct session *s, const struct op *op,
			const struct kind *kind)
{
	struct all all = { .s = s, .op = op, .kind = kind };
	enum verdict verdict;
	struct why why;

	if (op_given(op, OPT_READER)) {
		all.only = reader_of(s, op, &verdict);
		if (!all.only)
			return verdict;
	}
	delivery_walk(s, each, &all);
	if (all.err)
		return op_failed(s, op, -all.err);
	if (!all.too_late) {
		all_show(&all);
		return VERDICT_OK;
	}
	why_set(&why,
		"too late for %llu of %llu: the lease had ended, or the timer was stopped or started again",
		all.too_late, all.too_late + all.done);
	return op_failed_why(s, op, ESTALE, &why);
}

static enum verdict lease_op(struct session *s, const struct op *op,
			     const struct kind *kind)
{
	return op->has_operand ? one(s, op, kind) : all(s, op, kind);
}

enum verdict op_ack(struct session *s, const struct op *op)
{
	return lease_op(s, op, &ack_kind);
}

enum verdict op_reject(struct session *s, const struct op *op)
{
	return lease_op(s, op, &reject_kind);
}

enum verdict op_extend(struct session *s, const struct op *op)
{
	return lease_op(s, op, &extend_kind);
}

static void too_late_show(const struct session *s, const struct reader *reader,
			  const struct twheel_event *event)
{
	if (s->cli->json) {
		json_begin("too_late");
		json_u64("time_ns", session_elapsed(s));
		json_u64("id", event->id);
		json_u64("token", event->token);
		json_u64("reader", reader->number);
		json_end();
		return;
	}
	session_stamp(s, "late");
	printf("%llu: too late to acknowledge: its lease had ended, or it was stopped",
	       event->id);
	printf(" or started again, token %llu", event->token);
	if (s->nr_readers > 1 || s->in_group)
		printf(", reader %u", reader->number);
	putchar('\n');
}

int delivery_finish(struct session *s, const struct reader *reader,
		    const struct twheel_event *event)
{
	struct twheel_ack ack = { .id = event->id, .token = event->token };
	int err = call_lease(reader->fd, TWHEEL_IOC_ACK, &ack);

	if (!err) {
		s->tally.acknowledged++;
		return 0;
	}
	if (err != -ESTALE)
		return err;
	s->tally.too_late++;
	too_late_show(s, reader, event);
	return session_flush();
}
