/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the deadline of a timer to the delivery of its expiry
 *
 * Every function here needs the lock of the instance.
 */
#ifndef TWHEEL_EXPIRY_H
#define TWHEEL_EXPIRY_H

#include "instance.h"

enum twheel_outcome twheel_expiry_disarm(struct twheel_instance *inst,
					 struct twheel_timer *timer);
bool twheel_expiry_recall(struct twheel_instance *inst,
			  struct twheel_timer *timer, u64 now);
bool twheel_expiry_pump(struct twheel_instance *inst, u64 now, u32 *budget,
			struct list_head *freed);
void twheel_expiry_commit(struct twheel_instance *inst, u64 now,
			  u32 nr, struct list_head *freed);

#endif /* TWHEEL_EXPIRY_H */
