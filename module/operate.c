// SPDX-License-Identifier: GPL-2.0
/*
 * What can be done to a timer: start, stop, reset, get
 */
#include <linux/errno.h>
#include <linux/lockdep.h>

#include "compat.h"
#include "expiry.h"
#include "trace.h"

/**
 * struct supply - memory that a start may need, allocated without the lock
 * @timer: A new timer.
 * @segment: A segment for the index.
 * @wants_segment: The index has asked for one.
 */
struct supply {
	struct twheel_timer *timer;
	struct twheel_index_segment *segment;
	bool wants_segment;
};

static void supply_free(struct twheel_instance *inst, struct supply *supply)
{
	LIST_HEAD(freed);

	if (supply->timer)
		list_add(&supply->timer->node.link, &freed);
	twheel_timers_free(inst, &freed);
	twheel_index_segment_free(supply->segment);
}

static int supply_alloc(struct twheel_instance *inst, struct supply *supply)
{
	int ret;

	if (!supply->timer) {
		ret = twheel_timer_new(inst, &supply->timer);
		if (ret)
			return ret;
	}
	if (!supply->wants_segment || supply->segment)
		return 0;
	supply->segment = twheel_index_segment_alloc();
	return supply->segment ? 0 : -ENOMEM;
}

static struct twheel_timer *find_timer(const struct twheel_instance *inst,
				       u64 id)
{
	struct twheel_index_entry *entry;

	lockdep_assert_held(&inst->lock);
	if (!inst->wheel)
		return NULL;
	entry = twheel_index_find(&inst->index, id);
	return entry ? container_of(entry, struct twheel_timer, entry) : NULL;
}

/* The deadline of a start or reset, for a timer with this interval. */
static int check_times(const struct twheel_instance *inst, u64 now, u64 time,
		       bool absolute, u64 interval, u64 *deadline)
{
	int ret;

	if (interval && interval < BIT_ULL(inst->config.tick_shift))
		return -EINVAL;
	ret = twheel_timer_deadline(now, time, absolute, deadline);
	if (ret)
		return ret;
	/* The second expiry has to be on the clock as well. */
	return interval > KTIME_MAX - *deadline ? -EOVERFLOW : 0;
}

static u32 outcome_of(u32 state)
{
	return state == TWHEEL_ARMED ? TWHEEL_STOPPED : TWHEEL_WITHDREW;
}

/* Put the supplied timer into the index. */
static struct twheel_timer *adopt(struct twheel_instance *inst, u64 id,
				  struct supply *supply)
{
	struct twheel_timer *timer = supply->timer;

	supply->timer = NULL;
	if (supply->segment)
		supply->segment = twheel_index_supply(&inst->index,
						      supply->segment);
	timer->entry.id = id;
	twheel_index_add(&inst->index, &timer->entry);
	return timer;
}

/* Whether there is what a new timer needs: 0, -ENOSPC or -EAGAIN. */
static int check_room(const struct twheel_instance *inst, struct supply *supply)
{
	if (inst->index.nr >= inst->config.max_timers)
		return -ENOSPC;
	if (supply->timer)
		return 0;
	supply->wants_segment = twheel_index_wants_segment(&inst->index);
	return -EAGAIN;
}

/* A new arming by the caller. */
static void renew(struct twheel_instance *inst, struct twheel_timer *timer,
		  u64 deadline, u64 now)
{
	timer->deadline = deadline;
	timer->timeout = deadline > now ? deadline - now : 0;
	timer->generation = ++inst->generation;
}

static int start_locked(struct twheel_instance *inst, struct twheel_start *req,
			struct supply *supply, struct list_head *freed)
{
	struct twheel_timer *timer = find_timer(inst, req->id);
	u64 now = inst->clock->ops->now(inst->clock);
	u64 deadline;
	int ret;

	if (timer && (req->flags & TWHEEL_EXCLUSIVE))
		return -EEXIST;
	ret = check_times(inst, now, req->time_ns, req->flags & TWHEEL_ABSTIME,
			  req->interval_ns, &deadline);
	if (!ret && !timer)
		ret = check_room(inst, supply);
	if (ret)
		return ret;

	req->remaining_ns = 0;
	req->outcome = TWHEEL_WAS_FREE;
	if (timer) {
		req->remaining_ns = twheel_timer_remaining(timer, now);
		req->outcome = outcome_of(twheel_expiry_disarm(inst, timer));
	} else {
		timer = adopt(inst, req->id, supply);
	}
	renew(inst, timer, deadline, now);
	timer->interval = req->interval_ns;
	timer->data = req->data;
	req->generation = timer->generation;
	req->deadline_ns = deadline;
	inst->counts.started++;
	trace_twheel_start(timer, now);
	twheel_expiry_arm(inst, timer, now);
	twheel_expiry_commit(inst, now, freed);
	return 0;
}

/**
 * twheel_instance_start() - START_TIMER
 * @inst: The instance.
 * @req: Flags and reserved fields are checked.  Its results are filled in on
 *	success only.
 *
 * Constant time, apart from the first call, which sets the instance up.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: 0, -EEXIST, -EINVAL, -ENOMEM, -ENOSPC or -EOVERFLOW.
 */
int twheel_instance_start(struct twheel_instance *inst,
			  struct twheel_start *req)
{
	struct supply supply = { 0 };
	LIST_HEAD(freed);
	int ret;

	if (!READ_ONCE(inst->wheel)) {
		ret = twheel_instance_setup(inst, NULL);
		if (ret)
			return ret;
	}
	do {
		spin_lock_bh(&inst->lock);
		ret = start_locked(inst, req, &supply, &freed);
		spin_unlock_bh(&inst->lock);
	} while (ret == -EAGAIN && !(ret = supply_alloc(inst, &supply)));
	supply_free(inst, &supply);
	twheel_timers_free(inst, &freed);
	return ret;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_start);

static int stop_locked(struct twheel_instance *inst, struct twheel_stop *req,
		       struct list_head *freed)
{
	struct twheel_timer *timer = find_timer(inst, req->id);
	u64 now = inst->clock->ops->now(inst->clock);

	if (!timer)
		return -ENOENT;
	req->remaining_ns = twheel_timer_remaining(timer, now);
	req->generation = timer->generation;
	req->data = timer->data;
	req->outcome = outcome_of(twheel_expiry_disarm(inst, timer));
	twheel_index_del(&inst->index, &timer->entry);
	list_add(&timer->node.link, freed);
	inst->counts.stopped++;
	trace_twheel_stop(timer, now);
	twheel_expiry_commit(inst, now, freed);
	return 0;
}

/**
 * twheel_instance_stop() - STOP_TIMER
 * @inst: The instance.
 * @req: Flags and reserved fields are checked.  Its results are filled in on
 *	success only.
 *
 * Constant time.
 *
 * Context: Process context.
 * Return: 0 or -ENOENT.
 */
int twheel_instance_stop(struct twheel_instance *inst, struct twheel_stop *req)
{
	LIST_HEAD(freed);
	int ret;

	spin_lock_bh(&inst->lock);
	ret = stop_locked(inst, req, &freed);
	spin_unlock_bh(&inst->lock);
	twheel_timers_free(inst, &freed);
	return ret;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_stop);

static int reset_locked(struct twheel_instance *inst, struct twheel_reset *req,
			struct list_head *freed)
{
	struct twheel_timer *timer = find_timer(inst, req->id);
	u64 now = inst->clock->ops->now(inst->clock);
	u64 time, deadline;
	int ret;

	if (!timer)
		return -ENOENT;
	time = timer->timeout;
	if (req->flags & TWHEEL_NEW_TIMEOUT)
		time = req->time_ns;
	ret = check_times(inst, now, time, req->flags & TWHEEL_ABSTIME,
			  timer->interval, &deadline);
	if (ret)
		return ret;
	req->remaining_ns = twheel_timer_remaining(timer, now);
	req->outcome = outcome_of(twheel_expiry_disarm(inst, timer));
	renew(inst, timer, deadline, now);
	req->generation = timer->generation;
	req->deadline_ns = deadline;
	inst->counts.reset++;
	trace_twheel_reset(timer, now);
	twheel_expiry_arm(inst, timer, now);
	twheel_expiry_commit(inst, now, freed);
	return 0;
}

/**
 * twheel_instance_reset() - postpone a timer
 * @inst: The instance.
 * @req: Flags and reserved fields are checked.  Its results are filled in on
 *	success only.
 *
 * Constant time.
 *
 * Context: Process context.
 * Return: 0, -ENOENT or -EOVERFLOW.
 */
int twheel_instance_reset(struct twheel_instance *inst,
			  struct twheel_reset *req)
{
	LIST_HEAD(freed);
	int ret;

	spin_lock_bh(&inst->lock);
	ret = reset_locked(inst, req, &freed);
	spin_unlock_bh(&inst->lock);
	twheel_timers_free(inst, &freed);
	return ret;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_reset);

static int get_locked(struct twheel_instance *inst, struct twheel_get *req)
{
	const struct twheel_timer *timer = find_timer(inst, req->id);
	u64 now = inst->clock->ops->now(inst->clock);

	if (!timer)
		return -ENOENT;
	req->state = timer->node.state;
	req->generation = timer->generation;
	req->deadline_ns = timer->deadline;
	req->remaining_ns = twheel_timer_remaining(timer, now);
	req->timeout_ns = timer->timeout;
	req->interval_ns = timer->interval;
	req->data = timer->data;
	req->slack_ns = 0;
	return 0;
}

/**
 * twheel_instance_get() - look at a timer
 * @inst: The instance.
 * @req: Flags and reserved fields are checked.  Its results are filled in on
 *	success only.
 *
 * Constant time.
 *
 * Context: Process context.
 * Return: 0 or -ENOENT.
 */
int twheel_instance_get(struct twheel_instance *inst, struct twheel_get *req)
{
	int ret;

	spin_lock_bh(&inst->lock);
	ret = get_locked(inst, req);
	spin_unlock_bh(&inst->lock);
	return ret;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_get);
