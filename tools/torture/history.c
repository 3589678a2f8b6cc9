// SPDX-License-Identifier: GPL-2.0
/*
 * The deeds are put in order of timer and arming, and each arming is looked at on its
 * own: it was made once, and it came to one end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"

/**
 * struct arming - what was done to one
 * @arm: Who made it.
 * @next: Who made the next one of the same timer; NULL if there is none.
 * @stop: Who stopped it, or NULL.
 * @left: It is there still, or NULL.
 * @record: Its records, in the order of deadlines and attempts.
 * @records: How many.
 * @ack: Who acknowledged it last, or NULL.
 * @acks: How often it was acknowledged.
 */
struct arming {
	const struct deed *arm;
	const struct deed *next;
	const struct deed *stop;
	const struct deed *left;
	struct deed **record;
	const struct deed *ack;
	unsigned int records;
	unsigned int acks;
};

bool history_init(struct history *history, unsigned int room)
{
	*history = (struct history) { .room = room };
	history->deed = calloc(room, sizeof(*history->deed));
	history->order = calloc(room, sizeof(*history->order));
	history->seen = calloc(room, sizeof(*history->seen));
	return history->deed && history->order && history->seen;
}

void history_free(struct history *history)
{
	free(history->deed);
	free(history->order);
	free(history->seen);
}

void history_clear(struct history *history)
{
	*history = (struct history) {
		.deed = history->deed, .order = history->order,
		.seen = history->seen, .room = history->room,
	};
}

struct deed *history_add(struct history *history)
{
	struct deed *deed;

	if (history->nr == history->room) {
		fprintf(stderr, "twheel-torture: no room for more than %u deeds\n",
			history->room);
		exit(2);
	}
	deed = &history->deed[history->nr++];
	memset(deed, 0, sizeof(*deed));
	return deed;
}

/* False, for whoever has something to complain about. */
static bool broken(struct history *history, const struct deed *deed,
		   const char *what)
{
	if (!*history->broken)
		snprintf(history->broken, sizeof(history->broken),
			 "%s: timer %llu, generation %llu", what, deed->id,
			 deed->generation);
	return false;
}

static int compare(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_deeds(const void *one, const void *other)
{
	const struct deed *a = *(const struct deed * const *)one;
	const struct deed *b = *(const struct deed * const *)other;

	return compare(a->id, b->id) ?: compare(a->generation, b->generation) ?:
	       compare(a->kind, b->kind) ?:
	       compare(a->deadline_ns, b->deadline_ns) ?:
	       compare(a->attempt, b->attempt) ?: compare(a->stream, b->stream);
}

static bool is_one_arming(const struct deed *a, const struct deed *b)
{
	return a->id == b->id && a->generation == b->generation;
}

/* An outcome that a call may report of an arming which it has ended. */
static bool check_outcome(struct history *h, const struct arming *a,
			  const struct deed *by)
{
	if (by->outcome == TWHEEL_STOPPED)
		return true;
	if (!h->leased && by->outcome != TWHEEL_WITHDREW)
		return broken(h, a->arm, "ended with an outcome that cannot be");
	if (by->outcome == TWHEEL_WAS_DELIVERED && !a->records)
		return broken(h, a->arm, "ended as delivered, and nobody has read it");
	if (by->end_ns && by->end_ns < a->arm->deadline_ns)
		return broken(h, a->arm, "expired early, as the call that ended it says");
	h->withdrawn++;
	return true;
}

static bool check_fence(struct history *h, const struct arming *a,
			const struct deed *by)
{
	unsigned int i;

	for (i = 0; i < a->records; i++)
		if (by->end_ns && a->record[i]->begin_ns > by->end_ns)
			return broken(h, a->arm,
				      "read after the call that ended it had returned");
	return true;
}

/* What stopped it or took its place. */
static bool check_ender(struct history *h, const struct arming *a,
			const struct deed *by)
{
	return !by || (check_outcome(h, a, by) && check_fence(h, a, by));
}

static bool check_record(struct history *h, const struct arming *a,
			 const struct deed *r)
{
	h->records++;
	h->repeated += r->attempt > 1;
	if (r->fired_ns < r->deadline_ns)
		return broken(h, r, "expired early");
	if (r->end_ns && r->end_ns < r->fired_ns)
		return broken(h, r, "read before it had expired");
	if (r->deadline_ns < a->arm->deadline_ns)
		return broken(h, r, "record of a deadline before the first one");
	if (!r->attempt || !r->expirations)
		return broken(h, r, "record without an attempt or an expiration");
	if (a->arm->interval_ns)
		return true;
	if (r->deadline_ns != a->arm->deadline_ns || r->expirations != 1)
		return broken(h, r, "record with another deadline than the timer");
	return true;
}

/* Two records of one arming, @r after @before. */
static bool check_pair(struct history *h, const struct arming *a,
		       const struct deed *before, const struct deed *r)
{
	__u64 distance = r->deadline_ns - before->deadline_ns;
	__u64 interval = a->arm->interval_ns;

	if (h->broadcast && r->stream != before->stream)
		return true;
	if (!distance)
		return (h->leased && r->attempt == before->attempt + 1) ||
		       broken(h, r, "delivered twice");
	if (!interval || distance % interval)
		return broken(h, r, "record off the grid");
	if (!h->leased && distance != before->expirations * interval)
		return broken(h, r, "expirations that do not add up");
	return true;
}

static bool check_records(struct history *h, const struct arming *a)
{
	unsigned int i;

	for (i = 0; i < a->records; i++) {
		if (!check_record(h, a, a->record[i]))
			return false;
		if (i && !check_pair(h, a, a->record[i - 1], a->record[i]))
			return false;
	}
	return true;
}

/* How often it came to an end; @next says of its end whether it was one. */
static unsigned int ends(const struct history *h, const struct arming *a,
			 const struct deed *next)
{
	unsigned int ended = !!a->stop + !!next;

	if (a->arm->interval_ns || h->broadcast)
		return ended;
	return ended + (h->leased ? a->acks : a->records);
}

static bool check_end(struct history *h, const struct arming *a)
{
	const struct deed *next = a->next;
	unsigned int ended;

	if (next && next->outcome == TWHEEL_WAS_FREE)
		next = NULL;
	ended = ends(h, a, next);
	if (ended > 1)
		return broken(h, a->arm, "came to more than one end");
	if (a->left && (ended || a->next))
		return broken(h, a->arm, "came to an end and is there still");
	if (!ended && !a->left && !h->drops)
		return broken(h, a->arm, "lost: no end, and not there any more");
	h->missing += !ended && !a->left;
	return check_ender(h, a, a->stop) && check_ender(h, a, next);
}

/* A delivery can be acknowledged until the next one. */
static bool check_ack(struct history *h, const struct arming *a)
{
	if (!a->ack || a->arm->interval_ns)
		return true;
	return (a->records && a->record[a->records - 1]->attempt == a->ack->attempt) ||
	       broken(h, a->arm, "acknowledged as a delivery that is not the last one");
}

static bool check_arm(struct history *h, const struct deed *arm)
{
	if (arm->reset && arm->outcome == TWHEEL_WAS_FREE)
		return broken(h, arm, "reset of a free timer");
	h->started += !arm->reset;
	h->resets += arm->reset;
	return true;
}

static bool check_arming(struct history *h, struct deed **first, unsigned int nr,
			 const struct deed *next)
{
	struct arming a = { .arm = first[0], .next = next };
	unsigned int i;

	if (a.arm->kind != DEED_ARM)
		return broken(h, a.arm, "nobody has made what was read or ended");
	for (i = 1; i < nr; i++) {
		switch (first[i]->kind) {
		case DEED_ARM:
			return broken(h, a.arm, "two armings have one generation");
		case DEED_RECORD:
			if (!a.records++)
				a.record = &first[i];
			break;
		case DEED_ACK:
			a.ack = first[i];
			a.acks++;
			break;
		case DEED_STOP:
			if (a.stop)
				return broken(h, a.arm, "stopped twice");
			a.stop = first[i];
			break;
		case DEED_LEFT:
			if (a.left)
				return broken(h, a.arm, "listed twice");
			a.left = first[i];
			break;
		}
	}
	h->acked += a.acks;
	h->stopped += !!a.stop;
	h->left += !!a.left;
	return check_arm(h, a.arm) && check_records(h, &a) &&
	       check_end(h, &a) && check_ack(h, &a);
}

/* The sequence numbers of a stream of the instance are all different. */
static bool check_sequence(struct history *h)
{
	unsigned int i;

	memset(h->seen, 0, h->room * sizeof(*h->seen));
	for (i = 0; i < h->nr; i++) {
		const struct deed *deed = &h->deed[i];

		if (deed->kind != DEED_RECORD || deed->stream ||
		    deed->sequence >= h->room)
			continue;
		if (h->seen[deed->sequence])
			return broken(h, deed, "a sequence number came twice");
		h->seen[deed->sequence] = true;
	}
	return true;
}

/* Every generation up to the last one was given to one arming. */
static bool check_generations(struct history *h)
{
	unsigned int i;

	memset(h->seen, 0, h->room * sizeof(*h->seen));
	for (i = 0; i < h->nr; i++) {
		const struct deed *deed = &h->deed[i];

		if (deed->kind != DEED_ARM)
			continue;
		if (!deed->generation ||
		    deed->generation > h->started + h->resets)
			return broken(h, deed, "more armings than calls that made them");
		if (h->seen[deed->generation - 1])
			return broken(h, deed, "two timers have one generation");
		h->seen[deed->generation - 1] = true;
	}
	return true;
}

/* The first arming of a timer ends no other one. */
static bool check_first(struct history *h, const struct deed *deed,
			const struct deed *before)
{
	if ((before && before->id == deed->id) || deed->kind != DEED_ARM ||
	    deed->outcome == TWHEEL_WAS_FREE)
		return true;
	return broken(h, deed, "the first arming has ended another one");
}

/* What a reset does not say: the timer keeps its interval. */
static void inherit(struct deed *deed, const struct deed *before)
{
	if (deed->reset && before && before->id == deed->id)
		deed->interval_ns = before->interval_ns;
}

/* The arming after that which begins with @first, of the same timer. */
static const struct deed *next_arming(const struct history *h, unsigned int first,
				      unsigned int next)
{
	if (next == h->nr || h->order[next]->id != h->order[first]->id)
		return NULL;
	return h->order[next];
}

bool history_check(struct history *h)
{
	const struct deed *before = NULL;
	unsigned int i, first;

	for (i = 0; i < h->nr; i++)
		h->order[i] = &h->deed[i];
	qsort(h->order, h->nr, sizeof(*h->order), compare_deeds);
	for (first = 0; first < h->nr; first = i) {
		struct deed **deed = &h->order[first];

		for (i = first + 1; i < h->nr; i++)
			if (!is_one_arming(*deed, h->order[i]))
				break;
		inherit(*deed, before);
		if (!check_first(h, *deed, before) ||
		    !check_arming(h, deed, i - first, next_arming(h, first, i)))
			return false;
		before = *deed;
	}
	return check_generations(h) && check_sequence(h);
}

static bool equal(struct history *history, const char *what, __u64 device,
		  __u64 ours)
{
	if (device == ours)
		return true;
	if (!*history->broken)
		snprintf(history->broken, sizeof(history->broken),
			 "the instance has counted %llu %s, and there were %llu",
			 device, what, ours);
	return false;
}

static bool is_balanced(const struct twheel_stats *s)
{
	return s->expired == s->delivered + s->withdrawn + s->dropped + s->dead +
			     s->waiting + s->in_flight;
}

bool history_compare(struct history *h, const struct twheel_stats *s)
{
	if (!equal(h, "starts", s->started, h->started) ||
	    !equal(h, "resets", s->reset, h->resets) ||
	    !equal(h, "stops", s->stopped, h->stopped) ||
	    !equal(h, "timers", s->timers, h->left) ||
	    !equal(h, "deliveries", s->delivered, h->leased ? h->acked : h->records) ||
	    !equal(h, "redeliveries", s->redelivered, h->repeated) ||
	    !equal(h, "balanced books", is_balanced(s), true))
		return false;
	if (h->broadcast)
		return true;
	return equal(h, "withdrawals", s->withdrawn, h->withdrawn) &&
	       equal(h, "drops", s->dropped, h->missing);
}
