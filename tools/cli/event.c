// SPDX-License-Identifier: GPL-2.0
/* An expiry as it is printed. */
#include "session.h"

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
	if (!(event->flags & TWHEEL_EVENT_DEAD))
		tally->again += event->attempt > 1;
}

void tally_add(struct tally *tally, const struct tally *more)
{
	if (!more->events)
		return;
	if (!tally->events || more->late_min_ns < tally->late_min_ns)
		tally->late_min_ns = more->late_min_ns;
	if (more->late_max_ns > tally->late_max_ns)
		tally->late_max_ns = more->late_max_ns;
	tally->events += more->events;
	tally->expirations += more->expirations;
	tally->dropped += more->dropped;
	tally->again += more->again;
	tally->acknowledged += more->acknowledged;
	tally->too_late += more->too_late;
}

static void event_json(const struct session *s, const struct reader *reader,
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
	json_bool("dead", event->flags & TWHEEL_EVENT_DEAD);
	json_u64("token", event->token);
	json_u64("reader", reader->number);
	json_end();
}

static void event_line(const struct session *s, const struct reader *reader,
		       const struct twheel_event *event)
{
	session_stamp(s, event->flags & TWHEEL_EVENT_DEAD ? "dead" : "event");
	printf("%llu: expired at %s, %s late, data %llu", event->id,
	       offset_text(session_offset(s, event->fired_ns)).s,
	       duration_text(lateness(event)).s, event->data);
	if (event->flags & TWHEEL_EVENT_PERIODIC)
		printf(", %llu period%s", event->expirations,
		       event->expirations == 1 ? "" : "s");
	if (event->flags & TWHEEL_EVENT_DEAD)
		printf(", dead after %u attempt%s", event->attempt,
		       event->attempt == 1 ? "" : "s");
	else if (event->attempt > 1)
		printf(", attempt %u", event->attempt);
	printf(", generation %llu, sequence %llu", event->generation,
	       event->sequence);
	if (event->flags & TWHEEL_EVENT_DROPPED)
		printf(", %llu dropped before it", event->dropped);
	if (event->token)
		printf(", token %llu", event->token);
	if (s->nr_readers > 1 || s->in_group)
		printf(", reader %u", reader->number);
	putchar('\n');
}

void event_show(struct session *s, const struct reader *reader,
		const struct twheel_event *event)
{
	count(&s->tally, event);
	if (s->cli->json)
		event_json(s, reader, event);
	else
		event_line(s, reader, event);
}
