/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an instance knows of each of its readers
 */
#ifndef TWHEEL_CONSUMER_H
#define TWHEEL_CONSUMER_H

#include <linux/list.h>
#include <linux/types.h>

#include <uapi/linux/twheel.h>

#include "line.h"
#include "returns.h"

struct twheel_copy;
struct twheel_instance;

/* It has no place in the dispatch. */
#define TWHEEL_NO_PLACE	U32_MAX

/**
 * struct twheel_tally - what became of the expiries that a reader was given
 * @given: Their number.
 * @delivered: Of these, read for good or acknowledged.
 * @withdrawn: Of these, taken back by stop, reset or start.
 * @dropped: Of these, dropped by the overflow policy.
 * @dead: Of these, dead after its attempt.
 * @passed_on: Of these, gone to another reader or back to the instance.
 * @redelivered: Deliveries to it that were not the first one.
 * @rejected: Leases that it gave back.
 * @lapsed: Leases that it let run out.
 * @stolen: Expiries that it took from others' lines.
 *
 * The rest of those that were given is in its line, its list of DUE timers, among
 * its returns or under its leases.
 */
struct twheel_tally {
	u64 given;
	u64 delivered;
	u64 withdrawn;
	u64 dropped;
	u64 dead;
	u64 passed_on;
	u64 redelivered;
	u64 rejected;
	u64 lapsed;
	u64 stolen;
};

/**
 * struct twheel_consumer - a descriptor, as its instance sees it
 * @inst: The instance.
 * @link: In the instance's list, by number.
 * @number: Number of the reader, from 1; 0: it is not a reader.
 * @flags: What READER was given.
 * @place: Its place in the dispatch, or TWHEEL_NO_PLACE.
 * @news: There is something new to read for it.
 * @ended: There is nothing to come for it any more.
 * @line: Expiries that wait for this reader alone.
 * @returns: TWHEEL_BY_ID: expiries that are to be delivered to it again.
 * @due: TWHEEL_BY_ID: DUE timers that wait for room in @line.
 * @nr_due: How many.
 * @held: Leases, oldest first.
 * @nr_held: How many.
 * @copies: TWHEEL_BROADCAST: the memory of what is in @line and @spare.
 * @spare: Copies that are not in use.
 * @tally: For the statistics.
 * @notify: Called under the lock when there is something new to read, or to all
 *	who wait when nothing will come any more; constant.
 *
 * Covered by the lock of the instance.
 */
struct twheel_consumer {
	struct twheel_instance *inst;
	struct list_head link;
	u32 number;
	u32 flags;
	u32 place;
	bool news;
	bool ended;
	struct twheel_line line;
	struct twheel_returns returns;
	struct list_head due;
	u64 nr_due;
	struct list_head held;
	u64 nr_held;
	struct twheel_copy *copies;
	struct list_head spare;
	struct twheel_tally tally;
	void (*notify)(struct twheel_consumer *consumer);
};

void twheel_consumer_open(struct twheel_instance *inst,
			  struct twheel_consumer *consumer,
			  void (*notify)(struct twheel_consumer *consumer));
int twheel_consumer_join(struct twheel_instance *inst,
			 struct twheel_consumer *consumer, u32 flags,
			 void (*notify)(struct twheel_consumer *consumer));
void twheel_consumer_leave(struct twheel_consumer *consumer);
void twheel_consumer_seat(struct twheel_consumer *consumer);
bool twheel_consumer_readable(const struct twheel_consumer *consumer);
bool twheel_consumer_drainable(const struct twheel_consumer *consumer);
int twheel_consumer_stats(struct twheel_instance *inst,
			  struct twheel_stats *stats);

#endif /* TWHEEL_CONSUMER_H */
