// SPDX-License-Identifier: GPL-2.0
/*
 * What can be done to a timer: start, stop, reset, get
 *
 * A single call and a batch are the same here: operations are carried out one
 * after the other under one hold of the lock, and what an expiry may have moved
 * is put right once at its end (twheel_expiry_commit()).
 */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "arm.h"
#include "compat.h"
#include "expiry.h"
#include "lease.h"
#include "supply.h"
#include "trace.h"

/**
 * struct hold - operations under one hold of the lock
 * @inst: The instance; its lock is held.
 * @by: Who asks for them.
 * @wants: What a start has missed: TWHEEL_WANTS_TIMERS and so on.
 * @now: The time, ns.
 * @freed: Timers that are done with.
 */
struct hold {
	struct twheel_instance *inst;
	struct twheel_consumer *by;
	u32 wants;
	u64 now;
	struct list_head freed;
};

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

/* The same where the timer may come or go. */
static struct twheel_timer *seek_timer(const struct twheel_instance *inst,
				       u64 id, struct twheel_index_spot *spot)
{
	struct twheel_index_entry *entry;

	lockdep_assert_held(&inst->lock);
	if (!inst->wheel)
		return NULL;
	entry = twheel_index_seek(&inst->index, id, spot);
	return entry ? container_of(entry, struct twheel_timer, entry) : NULL;
}

/* The deadline of a start or reset, for a timer with this interval and slack. */
static int check_times(const struct hold *hold, u64 time, bool absolute,
		       u64 interval, u64 slack, u64 *deadline)
{
	int ret;

	if (interval && interval < BIT_ULL(hold->inst->config.tick_shift))
		return -EINVAL;
	ret = twheel_timer_deadline(hold->now, time, absolute, deadline);
	if (ret)
		return ret;
	/* The second expiry and a late one have to be on the clock as well. */
	return max(interval, slack) > KTIME_MAX - *deadline ? -EOVERFLOW : 0;
}

/* Put a timer of the store into the index. */
static struct twheel_timer *adopt(struct twheel_instance *inst, u64 id,
				  const struct twheel_index_spot *spot)
{
	struct twheel_timer *timer = twheel_store_take(&inst->store);

	*timer = (struct twheel_timer) { .entry.id = id };
	if (inst->pooled) {
		*twheel_expiry_of(timer) = (struct twheel_expiry) { };
		INIT_LIST_HEAD(&twheel_expiry_of(timer)->copies);
	}
	twheel_index_add(&inst->index, &timer->entry, spot);
	return timer;
}

/*
 * See that there is what a new timer needs: 0, -ENOSPC or -EAGAIN.  It is charged
 * here and not with its memory, so that nobody is charged for timers that he does
 * not have.
 */
static int claim_room(struct hold *hold, const struct twheel_index_spot *spot)
{
	const struct twheel_instance *inst = hold->inst;
	int ret;

	if (inst->index.nr >= inst->config.max_timers ||
	    !twheel_index_has_room(spot))
		return -ENOSPC;
	if (!inst->store.nr)
		hold->wants |= TWHEEL_WANTS_TIMERS;
	if (twheel_index_wants_segment(&inst->index))
		hold->wants |= TWHEEL_WANTS_SEGMENT;
	if (hold->wants)
		return -EAGAIN;
	ret = twheel_account_charge(inst->account);
	/* What was stopped before in this hold is given back at its end. */
	return ret && !list_empty(&hold->freed) ? -EAGAIN : ret;
}

/* Each field, which costs less than to clear the structure before. */
static void fill_result(struct twheel_result *result, u32 outcome,
			u64 generation, u64 remaining)
{
	result->error = 0;
	result->outcome = outcome;
	result->generation = generation;
	result->remaining_ns = remaining;
	result->deadline_ns = 0;
	result->data = 0;
	result->interval_ns = 0;
}

/* End the arming of a timer; what became of it goes into @result. */
static void disarm(const struct hold *hold, struct twheel_timer *timer,
		   struct twheel_result *result)
{
	fill_result(result, 0, timer->generation,
		    twheel_remaining(hold->inst, timer, hold->now));
	result->outcome = twheel_expiry_disarm(hold->inst, timer);
}

/* A new arming by the caller. */
static void renew(const struct hold *hold, struct twheel_timer *timer,
		  u64 deadline, struct twheel_result *result)
{
	timer->deadline = deadline;
	timer->timeout = deadline > hold->now ? deadline - hold->now : 0;
	timer->generation = ++hold->inst->generation;
	result->generation = timer->generation;
	result->deadline_ns = deadline;
}

/* The word that a start asks for, if it does. */
static int check_word(const struct hold *hold, const struct twheel_op *op,
		      const struct twheel_timer *timer)
{
	if (!(op->flags & TWHEEL_MAPPED))
		return 0;
	if (op->interval_ns)
		return -EINVAL;
	return twheel_activity_check(hold->inst, timer, op->word);
}

/* What a start brings, but for the deadline. */
static void fill_timer(const struct hold *hold, const struct twheel_op *op,
		       struct twheel_timer *timer)
{
	struct twheel_instance *inst = hold->inst;

	if (timer->node.mapped)
		twheel_activity_end(inst, timer);
	timer->interval = op->interval_ns;
	timer->data = op->data;
	timer->node.slack = min_t(u64, op->slack_ns >> inst->config.tick_shift,
				  U32_MAX);
	if (op->flags & TWHEEL_MAPPED)
		twheel_activity_begin(inst, timer, op->word, hold->now);
}

static int op_start(struct hold *hold, const struct twheel_op *op,
		    struct twheel_result *result)
{
	struct twheel_instance *inst = hold->inst;
	struct twheel_index_spot spot;
	struct twheel_timer *timer = seek_timer(inst, op->id, &spot);
	u64 deadline;
	int ret;

	if (timer && (op->flags & TWHEEL_EXCLUSIVE))
		return -EEXIST;
	if (!inst->wheel)
		return -EAGAIN;
	if (inst->shut)
		return -ESHUTDOWN;
	ret = check_times(hold, op->time_ns, op->flags & TWHEEL_ABSTIME,
			  op->interval_ns, op->slack_ns, &deadline);
	if (!ret)
		ret = check_word(hold, op, timer);
	if (!ret && !timer)
		ret = claim_room(hold, &spot);
	if (ret)
		return ret;

	if (timer) {
		disarm(hold, timer, result);
	} else {
		fill_result(result, TWHEEL_WAS_FREE, 0, 0);
		timer = adopt(inst, op->id, &spot);
	}
	fill_timer(hold, op, timer);
	renew(hold, timer, deadline, result);
	inst->counts.started++;
	trace_twheel_start(timer, hold->now);
	twheel_arm(inst, timer, hold->now);
	return 0;
}

static int op_stop(struct hold *hold, const struct twheel_op *op,
		   struct twheel_result *result)
{
	struct twheel_instance *inst = hold->inst;
	struct twheel_index_spot spot;
	struct twheel_timer *timer = seek_timer(inst, op->id, &spot);

	if (!timer)
		return -ENOENT;
	disarm(hold, timer, result);
	result->data = timer->data;
	if (timer->node.mapped)
		twheel_activity_end(inst, timer);
	twheel_index_del_at(&inst->index, &spot);
	list_add(&timer->node.link, &hold->freed);
	inst->counts.stopped++;
	trace_twheel_stop(timer, hold->now);
	return 0;
}

/* With TWHEEL_BROADCAST an ARMED timer may have copies that are to be withdrawn. */
static bool can_stay(const struct hold *hold, const struct twheel_timer *timer,
		     u64 deadline)
{
	return timer->node.state == TWHEEL_ARMED && deadline > hold->now &&
	       deadline >= timer->deadline &&
	       hold->inst->config.dispatch != TWHEEL_BROADCAST;
}

/*
 * Run on to a later deadline where it is.  The wheel hands it over when it would
 * have been due, and it moves on then: once for all resets until that time.
 */
static void stay(const struct hold *hold, struct twheel_timer *timer,
		 u64 deadline, struct twheel_result *result)
{
	fill_result(result, TWHEEL_STOPPED, 0,
		    twheel_remaining(hold->inst, timer, hold->now));
	renew(hold, timer, deadline, result);
}

/* The same for any timer: end its arming, and begin a new one. */
static void move(struct hold *hold, struct twheel_timer *timer, u64 deadline,
		 struct twheel_result *result)
{
	disarm(hold, timer, result);
	renew(hold, timer, deadline, result);
	twheel_arm(hold->inst, timer, hold->now);
}

static int op_reset(struct hold *hold, const struct twheel_op *op,
		    struct twheel_result *result)
{
	struct twheel_instance *inst = hold->inst;
	struct twheel_timer *timer = find_timer(inst, op->id);
	u64 time, slack, deadline;
	int ret;

	if (!timer)
		return -ENOENT;
	if (inst->shut)
		return -ESHUTDOWN;
	time = op->flags & TWHEEL_NEW_TIMEOUT ? op->time_ns : timer->timeout;
	slack = (u64)timer->node.slack << inst->config.tick_shift;
	ret = check_times(hold, time, op->flags & TWHEEL_ABSTIME,
			  twheel_timer_interval(timer), slack, &deadline);
	if (ret)
		return ret;
	inst->counts.reset++;
	if (can_stay(hold, timer, deadline))
		stay(hold, timer, deadline, result);
	else
		move(hold, timer, deadline, result);
	trace_twheel_reset(timer, hold->now);
	return 0;
}

static int op_get(struct hold *hold, const struct twheel_op *op,
		  struct twheel_result *result)
{
	const struct twheel_timer *timer = find_timer(hold->inst, op->id);

	if (!timer)
		return -ENOENT;
	*result = (struct twheel_result) {
		.outcome = timer->node.state,
		.generation = timer->generation,
		.remaining_ns = twheel_remaining(hold->inst, timer, hold->now),
		.deadline_ns = twheel_deadline(hold->inst, timer, hold->now),
		.data = timer->data,
		.interval_ns = twheel_timer_interval(timer),
	};
	return 0;
}

/* The timer whose delivery the caller has, or NULL. */
static struct twheel_timer *find_delivery(const struct hold *hold,
					  const struct twheel_op *op,
					  struct twheel_result *result)
{
	struct twheel_timer *timer = find_timer(hold->inst, op->id);

	if (!twheel_lease_is(timer, hold->by, op->token))
		return NULL;
	*result = (struct twheel_result) { .generation = timer->generation };
	return timer;
}

static int op_ack(struct hold *hold, const struct twheel_op *op,
		  struct twheel_result *result)
{
	struct twheel_timer *timer = find_delivery(hold, op, result);

	if (!timer)
		return -ESTALE;
	twheel_lease_ack(hold->inst, timer, hold->now, &hold->freed);
	result->outcome = timer->node.state;
	return 0;
}

static int op_reject(struct hold *hold, const struct twheel_op *op,
		     struct twheel_result *result)
{
	struct twheel_timer *timer = find_delivery(hold, op, result);

	if (!timer)
		return -ESTALE;
	twheel_lease_reject(hold->inst, timer);
	result->outcome = timer->node.state;
	return 0;
}

static int op_extend(struct hold *hold, const struct twheel_op *op,
		     struct twheel_result *result)
{
	struct twheel_timer *timer = find_delivery(hold, op, result);
	u64 end;
	int ret;

	if (!timer)
		return -ESTALE;
	ret = twheel_timer_deadline(hold->now, op->time_ns, false, &end);
	if (ret)
		return ret;
	twheel_lease_extend(hold->inst, timer, end, hold->now);
	result->outcome = timer->node.state;
	result->deadline_ns = end;
	return 0;
}

/*
 * ACK, REJECT, EXTEND: where there is something to acknowledge.  Out of line, as
 * the others would pay for the registers that it saves.
 */
static noinline int run_lease_op(struct hold *hold, const struct twheel_op *op,
				 struct twheel_result *result)
{
	if (hold->inst->config.delivery != TWHEEL_AT_LEAST_ONCE)
		return -EINVAL;
	if (op->opcode == TWHEEL_OP_ACK)
		return op_ack(hold, op, result);
	if (op->opcode == TWHEEL_OP_REJECT)
		return op_reject(hold, op, result);
	if (!op->time_ns || op->time_ns > TWHEEL_LEASE_MAX_NS)
		return -EINVAL;
	return op_extend(hold, op, result);
}

/* What an operation does not know has to be 0. */
static int check_start(const struct twheel_op *op)
{
	const u32 known = TWHEEL_ABSTIME | TWHEEL_EXCLUSIVE | TWHEEL_MAPPED;
	u64 unused = op->token;

	if (!(op->flags & TWHEEL_MAPPED))
		unused |= op->word;
	return op->flags & ~known || unused ? -EOPNOTSUPP : 0;
}

static int check_reset(const struct twheel_op *op)
{
	const u32 known = TWHEEL_ABSTIME | TWHEEL_NEW_TIMEOUT;

	if (op->flags & ~known || op->interval_ns || op->data || op->slack_ns ||
	    op->token || op->word)
		return -EOPNOTSUPP;
	if (op->flags & TWHEEL_NEW_TIMEOUT)
		return 0;
	return op->time_ns || op->flags ? -EINVAL : 0;
}

/* Of those that take an ID and nothing else. */
static int check_bare(const struct twheel_op *op)
{
	u64 unused = op->flags | op->time_ns | op->interval_ns | op->data |
		     op->slack_ns | op->token | op->word;

	return unused ? -EOPNOTSUPP : 0;
}

static int check_lease_op(const struct twheel_op *op)
{
	u64 unused = op->flags | op->interval_ns | op->data | op->slack_ns |
		     op->word;

	if (op->opcode != TWHEEL_OP_EXTEND)
		unused |= op->time_ns;
	return unused ? -EOPNOTSUPP : 0;
}

static int run_op(struct hold *hold, const struct twheel_op *op,
		  struct twheel_result *result)
{
	switch (op->opcode) {
	case TWHEEL_OP_START:
		return check_start(op) ?: op_start(hold, op, result);
	case TWHEEL_OP_STOP:
		return check_bare(op) ?: op_stop(hold, op, result);
	case TWHEEL_OP_RESET:
		return check_reset(op) ?: op_reset(hold, op, result);
	case TWHEEL_OP_GET:
		return check_bare(op) ?: op_get(hold, op, result);
	case TWHEEL_OP_ACK:
	case TWHEEL_OP_REJECT:
	case TWHEEL_OP_EXTEND:
		return check_lease_op(op) ?: run_lease_op(hold, op, result);
	default:
		return -EOPNOTSUPP;
	}
}

/* Keep some of the timers that are done with, for the next starts. */
static void keep_some(struct twheel_instance *inst, struct list_head *freed)
{
	struct twheel_timer *timer, *next;
	u32 kept = 0;

	list_for_each_entry_safe(timer, next, freed, node.link) {
		if (twheel_store_full(&inst->store))
			break;
		list_del(&timer->node.link);
		twheel_store_put(&inst->store, timer);
		kept++;
	}
	if (kept)
		twheel_account_uncharge(inst->account, kept);
}

/* Returns how many were done: less than @nr if a start has to be supplied. */
static u32 run_locked(struct hold *hold, const struct twheel_op *ops,
		      struct twheel_result *results, u32 nr)
{
	u32 i;
	int ret;

	hold->now = hold->inst->clock->ops->now(hold->inst->clock);
	for (i = 0; i < nr; i++) {
		ret = run_op(hold, &ops[i], &results[i]);
		if (ret == -EAGAIN)
			break;
		if (ret)
			results[i] = (struct twheel_result) { .error = ret };
	}
	if (i && hold->inst->wheel)
		twheel_expiry_commit(hold->inst, hold->now, i, &hold->freed);
	keep_some(hold->inst, &hold->freed);
	return i;
}

/* The same for starts that need more than the instance has. */
static noinline void run_supplied(struct hold *hold,
				  const struct twheel_op *ops,
				  struct twheel_result *results, u32 nr)
{
	struct twheel_supply supply = { .nr = 0 };
	u32 done = 0;
	int ret;

	while (done < nr) {
		ret = twheel_supply_alloc(hold->inst, &supply, hold->wants);
		if (ret)
			results[done++] = (struct twheel_result) {
				.error = ret,
			};
		hold->wants = 0;
		spin_lock_bh(&hold->inst->lock);
		if (hold->inst->wheel)
			twheel_supply_hand_over(hold->inst, &supply);
		done += run_locked(hold, ops + done, results + done, nr - done);
		spin_unlock_bh(&hold->inst->lock);
		twheel_timers_free(hold->inst, &hold->freed);
	}
	twheel_supply_free(&supply);
}

/**
 * twheel_instance_operate() - carry out operations, in order
 * @inst: The instance.
 * @by: Who asks for them: whose deliveries can be acknowledged.
 * @ops: The operations.
 * @results: A result for each.
 * @nr: How many; not so many that the lock must not be held for them all.
 *
 * Constant time for each, apart from the first start of an instance, which sets
 * it up.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 */
void twheel_instance_operate(struct twheel_instance *inst,
			     struct twheel_consumer *by,
			     const struct twheel_op *ops,
			     struct twheel_result *results, u32 nr)
{
	struct hold hold = { .inst = inst, .by = by };
	u32 done;

	INIT_LIST_HEAD(&hold.freed);
	spin_lock_bh(&inst->lock);
	done = run_locked(&hold, ops, results, nr);
	spin_unlock_bh(&inst->lock);
	twheel_timers_free(inst, &hold.freed);
	if (done < nr)
		run_supplied(&hold, ops + done, results + done, nr - done);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_operate);

static int get_locked(struct twheel_instance *inst,
		      struct twheel_list_entry *entry, u64 id)
{
	const struct twheel_timer *timer = find_timer(inst, id);
	u64 now;

	if (!timer)
		return -ENOENT;
	now = inst->clock->ops->now(inst->clock);
	twheel_timer_describe(timer, inst->config.tick_shift, now, entry);
	if (timer->node.mapped)
		twheel_activity_describe(inst, timer, now, entry);
	return 0;
}

/**
 * twheel_instance_get() - look at a timer
 * @inst: The instance.
 * @req: Its results are filled in on success only.
 *
 * Constant time.
 *
 * Context: Process context.
 * Return: 0, -ENOENT or -EOPNOTSUPP.
 */
int twheel_instance_get(struct twheel_instance *inst, struct twheel_get *req)
{
	struct twheel_list_entry entry;
	int ret;

	if (req->flags || req->mapped || req->word)
		return -EOPNOTSUPP;
	spin_lock_bh(&inst->lock);
	ret = get_locked(inst, &entry, req->id);
	spin_unlock_bh(&inst->lock);
	if (ret)
		return ret;
	req->state = entry.state;
	req->generation = entry.generation;
	req->deadline_ns = entry.deadline_ns;
	req->remaining_ns = entry.remaining_ns;
	req->timeout_ns = entry.timeout_ns;
	req->interval_ns = entry.interval_ns;
	req->slack_ns = entry.slack_ns;
	req->data = entry.data;
	req->mapped = entry.mapped;
	req->word = entry.word;
	return 0;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_get);
