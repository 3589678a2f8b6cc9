// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that starts need, allocated outside the lock
 */
#include <linux/errno.h>
#include <linux/lockdep.h>

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

static int alloc_timers(const struct twheel_instance *inst,
			struct twheel_supply *supply)
{
	discard_wrong_kind(inst, supply);
	if (supply->nr)
		return 0;
	supply->nr = twheel_timers_new(supply->timer, TWHEEL_STORE_TIMERS,
				       supply->pooled, supply->short_of_memory);
	supply->short_of_memory |= !supply->nr;
	return supply->nr ? 0 : -ENOMEM;
}

/**
 * twheel_supply_alloc() - allocate what is wanted
 * @inst: For this instance; it is set up if it was not.
 * @supply: What there is already; what is missing is added.
 * @wants: TWHEEL_WANTS_TIMERS and so on.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: 0 or -ENOMEM.
 */
int twheel_supply_alloc(struct twheel_instance *inst,
			struct twheel_supply *supply, u32 wants)
{
	int ret = 0;

	if (!READ_ONCE(inst->wheel))
		ret = twheel_instance_setup(inst, NULL);
	if (!ret && wants & TWHEEL_WANTS_TIMERS)
		ret = alloc_timers(inst, supply);
	if (ret || !(wants & TWHEEL_WANTS_SEGMENT) || supply->segment)
		return ret;
	supply->segment = twheel_index_segment_alloc();
	return supply->segment ? 0 : -ENOMEM;
}

/**
 * twheel_supply_hand_over() - give the instance what it has room for
 * @inst: The instance, set up; its lock is held.
 * @supply: What is left of it is the caller's.
 */
void twheel_supply_hand_over(struct twheel_instance *inst,
			     struct twheel_supply *supply)
{
	lockdep_assert_held(&inst->lock);
	if (supply->segment)
		supply->segment = twheel_index_supply(&inst->index,
						      supply->segment);
	if (supply->pooled != inst->pooled)
		return;
	while (supply->nr && !twheel_store_full(&inst->store))
		twheel_store_put(&inst->store, supply->timer[--supply->nr]);
}

/**
 * twheel_supply_free() - free what was not handed over
 * @supply: The supply.
 */
void twheel_supply_free(struct twheel_supply *supply)
{
	twheel_timers_discard(supply->timer, supply->nr, supply->pooled);
	twheel_index_segment_free(supply->segment);
}
