// SPDX-License-Identifier: GPL-2.0
/* Reading and printing expiries. */
#include <errno.h>
#include <time.h>

#include "session.h"

#define BATCH	64

static __u64 lateness(const struct twheel_event *event)
{
	return event->fired_ns - event->deadline_ns;
}

static void count(struct tally *tally, const struct twheel_event *event)
{
	__u64 late = lateness(event);

	if (!tally->events || late < tally->late_min_ns)
		tally->late_min_ns = late;
	if (late > tally->late_max_ns)
		tally->late_max_ns = late;
	tally->events++;
	tally->expirations += event->expirations;
	tally->dropped += event->dropped;
}

static void event_json(const struct session *s,
		       const struct twheel_event *event)
{
	json_begin("event");
	json_s64("time_ns", session_offset(s, event->fired_ns));
	json_u64("id", event->id);
	json_u64("data", event->data);
	json_u64("generation", event->generation);
	json_u64("sequence", event->sequence);
	json_u64("deadline_ns", event->deadline_ns);
	json_u64("fired_ns", event->fired_ns);
	json_u64("late_ns", lateness(event));
	json_u64("expirations", event->expirations);
	json_u64("dropped", event->dropped);
	json_u64("attempt", event->attempt);
	json_bool("periodic", event->flags & TWHEEL_EVENT_PERIODIC);
	json_end();
}

static void event_line(const struct session *s,
		       const struct twheel_event *event)
{
	session_stamp(s, "event");
	printf("%llu: expired at %s, %s late, data %llu", event->id,
	       offset_text(session_offset(s, event->fired_ns)).s,
	       duration_text(lateness(event)).s, event->data);
	if (event->flags & TWHEEL_EVENT_PERIODIC)
		printf(", %llu period%s", event->expirations,
		       event->expirations == 1 ? "" : "s");
	if (event->attempt > 1)
		printf(", attempt %u", event->attempt);
	printf(", generation %llu, sequence %llu", event->generation,
	       event->sequence);
	if (event->flags & TWHEEL_EVENT_DROPPED)
		printf(", %llu dropped before it", event->dropped);
	putchar('\n');
}

/* How many, 0 if nothing is ready, or -errno. */
static int read_batch(int fd, struct twheel_event *events, int max)
{
	int got = twheel_read(fd, events, max);

	if (got == -EAGAIN || got == -EINTR)
		return 0;
	/* A read yields nothing only from a device that was shut down. */
	return got ? got : -ENODEV;
}

int events_take(struct session *s, __u64 max)
{
	struct twheel_event events[BATCH];
	int got, i;
	int err;

	if (signal_caught())
		return -EINTR;
	got = read_batch(s->fd, events, max < BATCH ? max : BATCH);
	for (i = 0; i < got; i++) {
		count(&s->tally, &events[i]);
		if (s->cli->json)
			event_json(s, &events[i]);
		else
			event_line(s, &events[i]);
	}
	err = session_flush();
	return err ? err : got;
}

/*
 * Reads up to @max events as they come, until @until; what is ready is read
 * even if that is over.  0, or -errno.
 */
static int take_until(struct session *s, __u64 max, __u64 until)
{
	int got, ret;

	while (max) {
		got = events_take(s, max);
		if (got < 0)
			return got;
		max -= got;
		if (got)
			continue;
		ret = wait_until(s->fd, until);
		if (ret <= 0)
			return ret;
	}
	return 0;
}

static enum verdict too_few(const struct session *s, const struct op *op,
			    __u64 got)
{
	struct why why;

	why_set(&why, "%llu of %llu events came within %s", got, op->operand,
		duration_text(op->value[OPT_WAIT]).s);
	return op_failed_why(s, op, ETIMEDOUT, &why);
}

static void read_show(const struct session *s, const struct op *op, __u64 got)
{
	if (s->cli->json) {
		op_json(s, op);
		json_u64("events", got);
		json_end();
		return;
	}
	op_line(s, op);
	if (got)
		printf("%llu event%s\n", got, got == 1 ? "" : "s");
	else
		puts("no event");
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
	__u64 until = 0;
	__u64 got;
	int err;

	if (op_given(op, OPT_WAIT))
		until = wait_end(op->value[OPT_WAIT]);
	else if (op->has_operand)
		until = WAIT_FOREVER;
	err = take_until(s, max, until);
	if (err)
		return session_stop_error(s, err);

	got = s->tally.events - before;
	if (op->has_operand && got < max)
		return too_few(s, op, got);
	read_show(s, op, got);
	return VERDICT_OK;
}
