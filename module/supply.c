// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that starts may need, allocated outside the lock
 */
#include <linux/errno.h>
#include <linux/minmax.h>

#include "compat.h"
#include "supply.h"

/* The instance may have been set up otherwise since they were allocated. */
static void discard_wrong_kind(const struct twheel_instance *inst,
			       struct twheel_supply *supply)
{
	bool pooled = READ_ONCE(inst->pooled);

	if (supply->pooled == pooled)
		return;
	twheel_timers_discard(supply->timer, supply->nr, supply->pooled);
	supply->nr = 0;
	supply->pooled = pooled;
}

/**
 * twheel_supply_alloc() - allocate what is wanted
 * @inst: For this instance; it is set up if it was not.
 * @supply: What there is already; what is missing is added.
 * @wanted: Starts that are to come.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: 0 or -ENOMEM.
 */
int twheel_supply_alloc(struct twheel_instance *inst,
			struct twheel_supply *supply, u32 wanted)
{
	int ret;

	if (!READ_ONCE(inst->wheel)) {
		ret = twheel_instance_setup(inst, NULL);
		if (ret)
			return ret;
	}
	discard_wrong_kind(inst, supply);
	if (!supply->nr) {
		supply->nr = twheel_timers_new(supply->timer,
					       min_t(u32, wanted,
						     TWHEEL_SUPPLY_TIMERS),
					       supply->pooled,
					       supply->short_of_memory);
		supply->short_of_memory |= !supply->nr;
		if (!supply->nr)
			return -ENOMEM;
	}
	if (!supply->wants_segment || supply->segment)
		return 0;
	supply->segment = twheel_index_segment_alloc();
	return supply->segment ? 0 : -ENOMEM;
}
