/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arming and expiry inside an instance
 *
 * Every function here needs the lock of the instance.
 */
#ifndef TWHEEL_EXPIRY_H
#define TWHEEL_EXPIRY_H

#include "instance.h"

void twheel_expiry_arm(struct twheel_instance *inst,
		       struct twheel_timer *timer, u64 now);
u32 twheel_expiry_disarm(struct twheel_instance *inst,
			 struct twheel_timer *timer);
void twheel_expiry_commit(struct twheel_instance *inst, u64 now,
			  u32 nr, struct list_head *freed);

#endif /* TWHEEL_EXPIRY_H */
