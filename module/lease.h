/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Leases: deliveries that have to be acknowledged
 *
 * Every function here needs the lock of the instance.
 */
#ifndef TWHEEL_LEASE_H
#define TWHEEL_LEASE_H

#include "instance.h"

void twheel_lease_grant(struct twheel_consumer *consumer,
			struct twheel_timer *timer, u64 expirations, u64 now);
void twheel_lease_lapse(struct twheel_instance *inst,
			struct twheel_timer *timer);
void twheel_lease_return(struct twheel_instance *inst,
			 struct twheel_timer *timer);
void twheel_lease_withdraw(struct twheel_instance *inst,
			   struct twheel_timer *timer);
bool twheel_lease_is(const struct twheel_timer *timer,
		     const struct twheel_consumer *by, u64 token);
void twheel_lease_ack(struct twheel_instance *inst, struct twheel_timer *timer,
		      u64 now, struct list_head *freed);
void twheel_lease_reject(struct twheel_instance *inst,
			 struct twheel_timer *timer);
void twheel_lease_extend(struct twheel_instance *inst,
			 struct twheel_timer *timer, u64 end, u64 now);

#endif /* TWHEEL_LEASE_H */
