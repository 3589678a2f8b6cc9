/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TWHEEL_BROADCAST: every reader gets a copy of each expiry
 *
 * Every function here but twheel_copies_new() needs the lock of the instance.
 */
#ifndef TWHEEL_BROADCAST_H
#define TWHEEL_BROADCAST_H

#include "instance.h"

/**
 * struct twheel_copy - a copy of an expiry that a reader has not read yet
 * @seat: In the line of the reader, or in its list of spare ones.
 * @sibling: Among the copies of the expiry.
 * @expiry: The expiry.
 * @reader: Who is to read it.
 * @deadline: The first deadline that it stands for, ns.
 * @fired: When it expired, ns.
 */
struct twheel_copy {
	struct twheel_seat seat;
	struct list_head sibling;
	struct twheel_expiry *expiry;
	struct twheel_consumer *reader;
	u64 deadline;
	u64 fired;
};

struct twheel_copy *twheel_copies_new(u32 nr);
void twheel_copies_install(struct twheel_consumer *consumer, u32 nr);
void twheel_broadcast_one(struct twheel_instance *inst, u64 now,
			  struct list_head *freed);
u64 twheel_broadcast_withdraw(struct twheel_instance *inst,
			      struct twheel_timer *timer, u32 from);
struct twheel_timer *twheel_broadcast_first(struct twheel_consumer *consumer,
					    bool drain);
bool twheel_broadcast_deliver(struct twheel_consumer *consumer, bool drain,
			      struct twheel_receiver *receiver, u64 now,
			      struct list_head *freed,
			      enum twheel_read_end *end);
bool twheel_broadcast_leave(struct twheel_consumer *consumer, u64 now,
			    struct list_head *freed);
u64 twheel_broadcast_oldest(const struct twheel_consumer *consumer);

#endif /* TWHEEL_BROADCAST_H */
