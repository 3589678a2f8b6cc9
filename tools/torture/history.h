/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was done to an instance by anybody, and whether it can have been
 *
 * The number of an arming, its generation, is in what each call and record says.
 * So which call ended which arming needs no order of the calls in time.
 */
#ifndef TORTURE_HISTORY_H
#define TORTURE_HISTORY_H

#include <stdbool.h>
#include <linux/twheel.h>

/**
 * enum deed_kind - what was done to an arming
 * @DEED_ARM: It was made, by a start or a reset, which says what was before.
 * @DEED_RECORD: Its expiry was read.
 * @DEED_ACK: That was acknowledged.
 * @DEED_STOP: It was stopped.
 * @DEED_LEFT: It was listed when all had come to an end.
 */
enum deed_kind { DEED_ARM, DEED_RECORD, DEED_ACK, DEED_STOP, DEED_LEFT };

/**
 * struct deed - a call that succeeded, or a record
 * @kind: What it was.
 * @outcome: ARM, STOP: what it did to the arming that it ended.
 * @id: The timer.
 * @generation: The arming.
 * @begin_ns: Before the call.
 * @end_ns: After it; 0: its caller was killed meanwhile.
 * @deadline_ns: ARM, RECORD: the deadline.
 * @interval_ns: ARM: 0 for a one-shot timer; of a reset, filled in by the check.
 * @fired_ns: RECORD: when it expired.
 * @expirations: RECORD: how many these are.
 * @sequence: RECORD: its number in its stream.
 * @stream: RECORD: which; 0 is that of the instance.
 * @attempt: RECORD, ACK: which delivery this is, or is about.
 * @reset: ARM: by a reset.
 */
struct deed {
	enum deed_kind kind;
	__u32 outcome;
	__u64 id;
	__u64 generation;
	__u64 begin_ns;
	__u64 end_ns;
	__u64 deadline_ns;
	__u64 interval_ns;
	__u64 fired_ns;
	__u64 expirations;
	__u64 sequence;
	__u32 stream;
	__u32 attempt;
	bool reset;
};

/**
 * struct history - all deeds of an instance, and what they come to
 * @deed: The deeds.
 * @order: Room to sort them.
 * @seen: Room for as many marks.
 * @nr: How many there are.
 * @room: How many there can be.
 * @leased: Expiries have to be acknowledged.
 * @drops: Expiries may be dropped; all timers are one-shot ones.
 * @broadcast: Each reader gets each expiry.
 * @started: Starts; this and what follows is filled in by the check.
 * @resets: Resets.
 * @stopped: Stops.
 * @records: Records.
 * @repeated: Of these, those that had been read before.
 * @acked: Acknowledgements.
 * @withdrawn: Expiries that were taken back.
 * @left: Timers that are there still.
 * @missing: Armings whose end nobody saw, which drops have to explain.
 * @broken: What cannot be, for people; empty if all can.
 */
struct history {
	struct deed *deed;
	struct deed **order;
	bool *seen;
	unsigned int nr;
	unsigned int room;
	bool leased;
	bool drops;
	bool broadcast;
	__u64 started;
	__u64 resets;
	__u64 stopped;
	__u64 records;
	__u64 repeated;
	__u64 acked;
	__u64 withdrawn;
	__u64 left;
	__u64 missing;
	char broken[200];
};

/* False if there is no memory. */
bool history_init(struct history *history, unsigned int room);
void history_free(struct history *history);
/* Forget all deeds. */
void history_clear(struct history *history);
/* Room for one more deed, all 0. */
struct deed *history_add(struct history *history);
/* Whether all this can have been; if not, history.broken says why. */
bool history_check(struct history *history);
/* Whether the instance counted the same; after history_check(). */
bool history_compare(struct history *history, const struct twheel_stats *stats);

#endif /* TORTURE_HISTORY_H */
