// SPDX-License-Identifier: GPL-2.0
/* read and drain: taking expiries */
#include <errno.h>
#include <string.h>

#include "calls.h"
#include "session.h"

#define BATCH	64

/* How many, 0 if nothing is ready, or -errno. */
static int read_batch(int fd, struct twheel_event *events, int max)
{
	int got = twheel_read(fd, events, max);

	if (got == -EAGAIN || got == -EINTR)
		return 0;
	return got ? got : -ESHUTDOWN;
}

/* What was taken is printed, and what comes of it was chosen before.  0, or -errno. */
static int take(struct session *s, const struct reader *reader,
		const struct twheel_event *events, int nr)
{
	int err = 0;
	int i;

	for (i = 0; i < nr; i++) {
		event_show(s, reader, &events[i]);
		if (events[i].token && s->taking == TAKE_KEEP && !err)
			err = delivery_keep(s, reader, &events[i]);
		/* Several processes write: each line is to be whole. */
		if (s->in_group && !err)
			err = session_flush();
	}
	if (!err)
		err = session_flush();
	/* Not before it was printed: else nobody may ever get to know of it. */
	for (i = 0; i < nr && !err && s->taking == TAKE_ACK; i++)
		err = delivery_finish(s, reader, &events[i]);
	return err;
}

int events_take(struct session *s, const struct reader *reader, __u64 max)
{
	struct twheel_event events[BATCH];
	int got, err;

	if (signal_caught())
		return -EINTR;
	got = read_batch(reader->fd, events, max < BATCH ? max : BATCH);
	if (got <= 0)
		return got;
	err = take(s, reader, events, got);
	return err ? err : got;
}

/*
 * Reads up to @max events as they come, until @until; what is ready is read
 * even if that is over.  0, or -errno.
 */
static int take_until(struct session *s, const struct reader *reader,
		      __u64 max, __u64 until)
{
	int got, ret;

	while (max) {
		got = events_take(s, reader, max);
		if (got < 0)
			return got;
		max -= got;
		if (got)
			continue;
		ret = wait_until(reader->fd, until);
		if (ret <= 0)
			return ret;
	}
	return 0;
}

static enum verdict too_few(const struct session *s, const struct op *op,
			    __u64 got, bool ended)
{
	struct why why;

	if (ended)
		why_set(&why, "%llu of %llu events came before the end: the instance was shut down",
			got, op->operand);
	else
		why_set(&why, "%llu of %llu events came within %s", got,
			op->operand, duration_text(op->value[OPT_WAIT]).s);
	return op_failed_why(s, op, ended ? ESHUTDOWN : ETIMEDOUT, &why);
}

static void taken_show(const struct session *s, const struct op *op, __u64 got,
		       const char *rest)
{
	if (s->cli->json) {
		op_json(s, op);
		json_u64("events", got);
		if (*rest)
			json_bool(rest, true);
		json_end();
		return;
	}
	op_line(s, op);
	if (got)
		printf("%llu event%s", got, got == 1 ? "" : "s");
	else
		fputs("no event", stdout);
	if (!strcmp(rest, "end"))
		fputs(", and the end: the instance was shut down", stdout);
	else if (*rest)
		fputs(", and there are more", stdout);
	putchar('\n');
}

/*
 * read          what is ready now
 * read N        waits until there were N
 * ... --wait D  waits no longer than D, for N or for all that comes
 */
enum verdict op_read(struct session *s, const struct op *op)
{
	__u64 max = op->has_operand ? op->operand : ~0ULL;
	__u64 before = s->tally.events;
	const struct reader *reader;
	enum verdict verdict;
	__u64 until = 0;
	__u64 got;
	int err;

	reader = reader_of(s, op, &verdict);
	if (!reader)
		return verdict;
	if (op_given(op, OPT_WAIT))
		until = wait_end(op->value[OPT_WAIT]);
	else if (op->has_operand)
		until = WAIT_FOREVER;
	err = take_until(s, reader, max, until);
	if (err == -EINVAL)
		return op_failed(s, op, EINVAL);
	if (err && err != -ESHUTDOWN)
		return session_stop_error(s, err);

	got = s->tally.events - before;
	if (op->has_operand && got < max)
		return too_few(s, op, got, err);
	taken_show(s, op, got, err ? "end" : "");
	return VERDICT_OK;
}

/* How many, or -errno; *more: there is something left. */
static int drain_batch(int fd, struct twheel_event *events, int max, bool *more)
{
	struct twheel_drain drain = {
		.events = (uintptr_t)events,
		.room = max,
	};
	int err = call_drain(fd, &drain);

	*more = drain.more;
	return err ? err : (int)drain.count;
}

/* All that is ready or up to @max.  0, or -errno. */
static int drain(struct session *s, const struct reader *reader, __u64 max,
		 bool *more)
{
	struct twheel_event events[BATCH];
	int got, err;

	*more = true;
	while (*more && max) {
		if (signal_caught())
			return -EINTR;
		got = drain_batch(reader->fd, events,
				  max < BATCH ? max : BATCH, more);
		if (got <= 0)
			return got;
		max -= got;
		err = take(s, reader, events, got);
		if (err)
			return err;
	}
	return 0;
}

enum verdict op_drain(struct session *s, const struct op *op)
{
	__u64 max = op->has_operand ? op->operand : ~0ULL;
	__u64 before = s->tally.events;
	const struct reader *reader;
	enum verdict verdict;
	bool more;
	int err;

	reader = reader_of(s, op, &verdict);
	if (!reader)
		return verdict;
	err = drain(s, reader, max, &more);
	if (err == -EINTR || err == -EPIPE)
		return session_stop_error(s, err);
	if (err)
		return op_failed(s, op, -err);
	taken_show(s, op, s->tally.events - before, more ? "more" : "");
	return VERDICT_OK;
}
