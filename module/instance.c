// SPDX-License-Identifier: GPL-2.0
/*
 * An instance: settings, set-up, teardown
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "broadcast.h"
#include "compat.h"
#include "gfp.h"
#include "instance.h"

#define DEFAULT_TIMERS	BIT(20)
/* Timers that are given back to the allocator in one call. */
#define FREE_BATCH	32
/* What the queue's memory allows: 96 bytes for each expiry. */
#define QUEUE_LEN_LIMIT	((u32)BIT(20))
/* What the index allows: 32-bit bucket numbers. */
#define TIMERS_LIMIT	BIT(30)
/* A gigabyte. */
#define WORDS_LIMIT	BIT(27)

static uint tick_shift = 20;
module_param(tick_shift, uint, 0644);
MODULE_PARM_DESC(tick_shift,
		 "Default tick: 2^N ns, 15 to 30 (default 20: about 1 ms)");

static uint queue_len = 512;
module_param(queue_len, uint, 0644);
MODULE_PARM_DESC(queue_len, "Default length of the queue (default 512)");

static uint max_queue_len = 65536;
module_param(max_queue_len, uint, 0644);
MODULE_PARM_DESC(max_queue_len,
		 "Longest queue that SETUP gives (default 65536)");

static ulong timers = DEFAULT_TIMERS;
module_param(timers, ulong, 0644);
MODULE_PARM_DESC(timers, "Default timers per instance (default 1048576)");

static ulong max_timers = BIT(24);
module_param(max_timers, ulong, 0644);
MODULE_PARM_DESC(max_timers,
		 "Most timers per instance that SETUP gives (default 16777216)");

static ulong max_words = BIT(22);
module_param(max_words, ulong, 0644);
MODULE_PARM_DESC(max_words,
		 "Most words per instance that SETUP gives (default 4194304)");

/**
 * twheel_instance_limits() - the largest settings that SETUP gives
 * @max: Result.
 */
void twheel_instance_limits(struct twheel_config *max)
{
	*max = (struct twheel_config) {
		.tick_shift = TWHEEL_TICK_SHIFT_MAX,
		.queue_len = clamp(READ_ONCE(max_queue_len), 1U,
				   QUEUE_LEN_LIMIT),
		.overflow = TWHEEL_DROP_OLDEST,
		.max_timers = clamp(READ_ONCE(max_timers), 1UL, TIMERS_LIMIT),
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.dispatch = TWHEEL_BROADCAST,
		.lease_ns = TWHEEL_LEASE_MAX_NS,
		.map_words = min(READ_ONCE(max_words), WORDS_LIMIT),
	};
}

/* Whether what is asked for makes no sense together. */
static bool contradicts_itself(const struct twheel_config *config)
{
	if (config->flags & TWHEEL_STEAL &&
	    config->dispatch != TWHEEL_ROUND_ROBIN)
		return true;
	if (config->dispatch == TWHEEL_BROADCAST &&
	    config->overflow == TWHEEL_HOLD)
		return true;
	if (config->delivery == TWHEEL_AT_MOST_ONCE)
		return config->lease_ns || config->max_attempts;
	return !config->lease_ns || config->overflow != TWHEEL_HOLD ||
	       config->dispatch == TWHEEL_BROADCAST;
}

/**
 * twheel_config_fill() - put defaults where a setting is 0, and check the rest
 * @config: The settings.
 *
 * Return: 0, or -EINVAL if a setting is outside its range or contradicts another.
 */
int twheel_config_fill(struct twheel_config *config)
{
	struct twheel_config max;

	twheel_instance_limits(&max);
	if (!config->tick_shift)
		config->tick_shift = clamp_t(u32, READ_ONCE(tick_shift),
					     TWHEEL_TICK_SHIFT_MIN,
					     TWHEEL_TICK_SHIFT_MAX);
	if (!config->clock)
		config->clock = CLOCK_MONOTONIC;
	if (!config->queue_len)
		config->queue_len = clamp_t(u32, READ_ONCE(queue_len), 1,
					    max.queue_len);
	if (!config->max_timers)
		config->max_timers = clamp_t(u64, READ_ONCE(timers), 1,
					     max.max_timers);
	if (config->tick_shift < TWHEEL_TICK_SHIFT_MIN ||
	    config->tick_shift > TWHEEL_TICK_SHIFT_MAX ||
	    (config->clock != CLOCK_MONOTONIC &&
	     config->clock != CLOCK_BOOTTIME) ||
	    config->queue_len > max.queue_len ||
	    config->overflow > TWHEEL_DROP_OLDEST ||
	    config->max_timers > max.max_timers ||
	    config->delivery > max.delivery ||
	    config->dispatch > max.dispatch ||
	    config->lease_ns > max.lease_ns ||
	    config->map_words > max.map_words)
		return -EINVAL;
	return contradicts_itself(config) ? -EINVAL : 0;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_config_fill);

/**
 * twheel_instance_init() - make an instance, without memory for timers yet
 * @inst: The instance.
 * @clock: Its clock.
 * @account: Who pays.
 * @notify: Called under the lock when there is something new to read.
 */
void twheel_instance_init(struct twheel_instance *inst,
			  struct twheel_clock *clock,
			  struct twheel_account *account,
			  void (*notify)(struct twheel_instance *inst))
{
	memset(inst, 0, sizeof(*inst));
	spin_lock_init(&inst->lock);
	INIT_LIST_HEAD(&inst->due);
	INIT_LIST_HEAD(&inst->pool.consumers);
	INIT_LIST_HEAD(&inst->pool.dead);
	inst->pool.returns.tree = RB_ROOT_CACHED;
	inst->programmed = TWHEEL_NEVER;
	inst->clock = clock;
	inst->account = account;
	inst->notify = notify;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_init);

/**
 * struct parts - the memory of an instance
 * @wheel: As in struct twheel_instance.
 * @index: As in struct twheel_instance.
 * @queue: As in struct twheel_instance.
 * @words: As in struct twheel_instance.
 * @copies: Of the reader that opened the instance.
 * @store: As in struct twheel_instance.
 * @pooled: The kind of what is in @store.
 */
struct parts {
	struct twheel_wheel *wheel;
	struct twheel_index index;
	struct twheel_queue queue;
	struct twheel_words words;
	struct twheel_copy *copies;
	struct twheel_store store;
	bool pooled;
};

static struct kmem_cache *timer_cache;
static struct kmem_cache *pooled_cache;

/* Both kinds begin with their struct twheel_timer, at the same address. */
static_assert(!offsetof(struct twheel_pooled_timer, timer));

static struct kmem_cache *cache_of(bool pooled)
{
	return pooled ? pooled_cache : timer_cache;
}

/**
 * twheel_timers_discard() - the reverse of twheel_timers_new()
 * @timers: Timers that no instance was charged for.
 * @nr: Their number.
 * @pooled: As they were allocated.
 */
void twheel_timers_discard(struct twheel_timer **timers, u32 nr, bool pooled)
{
	if (nr)
		kmem_cache_free_bulk(cache_of(pooled), nr, (void **)timers);
}

static void parts_free(struct parts *parts)
{
	twheel_timers_discard(parts->store.timer, parts->store.nr,
			      parts->pooled);
	kvfree(parts->wheel);
	kvfree(parts->copies);
	twheel_index_destroy(&parts->index);
	twheel_queue_destroy(&parts->queue);
	twheel_words_destroy(&parts->words);
}

static int parts_alloc(struct parts *parts, const struct twheel_config *config)
{
	/* Where readers have lines of their own, nobody uses the queue. */
	bool shared = config->dispatch == TWHEEL_SHARED;
	bool copies = config->dispatch == TWHEEL_BROADCAST &&
		      !(config->flags & TWHEEL_CONTROL);

	memset(parts, 0, sizeof(*parts));
	parts->wheel = kvmalloc(sizeof(*parts->wheel), TWHEEL_GFP);
	if (copies)
		parts->copies = twheel_copies_new(config->queue_len);
	if (!parts->wheel || (copies && !parts->copies) ||
	    twheel_index_init(&parts->index, config->max_timers,
			      get_random_u64()) ||
	    twheel_queue_init(&parts->queue, shared ? config->queue_len : 1))
		return -ENOMEM;
	return 0;
}

/* Give the reader that opened the instance the part that SETUP says. */
static void install_opener(struct twheel_instance *inst, struct parts *parts)
{
	struct twheel_consumer *opener = inst->pool.opener;

	inst->pool.nr_places = 0;
	if (!opener)
		return;
	opener->place = TWHEEL_NO_PLACE;
	opener->number = !(inst->config.flags & TWHEEL_CONTROL);
	inst->pool.readers = opener->number;
	swap(opener->copies, parts->copies);
	if (opener->copies)
		twheel_copies_install(opener, inst->config.queue_len);
	if (opener->number)
		twheel_consumer_seat(opener);
}

/* Give @parts to the instance; what it had is in @parts then.  0 or -ENOSPC. */
static int install(struct twheel_instance *inst, struct parts *parts,
		   const struct twheel_config *config)
{
	struct twheel_clock *clock = inst->clock;
	int ret;

	lockdep_assert_held(&inst->lock);
	ret = twheel_account_change_words(inst->account, inst->words.nr,
					  parts->words.nr);
	if (ret)
		return ret;
	inst->config = *config;
	parts->pooled = inst->pooled;
	inst->pooled = config->delivery || config->dispatch;
	swap(inst->store, parts->store);
	swap(inst->wheel, parts->wheel);
	swap(inst->index, parts->index);
	swap(inst->queue, parts->queue);
	swap(inst->words, parts->words);
	inst->queue.index = &inst->index;
	install_opener(inst, parts);
	clock->ops->select(clock, config->clock);
	twheel_wheel_init(inst->wheel,
			  clock->ops->now(clock) >> config->tick_shift);
	return 0;
}

/* Whether the settings are fixed: a timer, reader or mapping has come. */
static bool is_in_use(const struct twheel_instance *inst)
{
	return inst->generation || inst->pool.last_number > 1 || inst->shut ||
	       inst->words.mapped;
}

/**
 * twheel_instance_setup() - give an instance its settings and its memory
 * @inst: The instance.
 * @config: The settings, complete; or NULL for the defaults, and then only if
 *	it was not set up before.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: 0, -ENOMEM, -ENOSPC if a limit on the number of words is reached, or
 * -EBUSY if a timer was started, a reader made or the words mapped already.
 */
int twheel_instance_setup(struct twheel_instance *inst,
			  const struct twheel_config *config)
{
	struct twheel_config defaults = { 0 };
	struct parts parts;
	int ret;

	if (!config)
		twheel_config_fill(&defaults);
	ret = parts_alloc(&parts, config ?: &defaults);
	if (!ret)
		ret = twheel_words_init(&parts.words,
					(config ?: &defaults)->map_words);
	if (ret) {
		parts_free(&parts);
		return ret;
	}
	spin_lock_bh(&inst->lock);
	if (config && is_in_use(inst))
		ret = -EBUSY;
	else if (config || !inst->wheel)
		ret = install(inst, &parts, config ?: &defaults);
	spin_unlock_bh(&inst->lock);
	parts_free(&parts);
	return ret;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_setup);

/**
 * twheel_instance_config() - the settings of an instance
 * @inst: The instance.
 * @config: Result; the defaults if it was not set up yet.
 */
void twheel_instance_config(struct twheel_instance *inst,
			    struct twheel_config *config)
{
	spin_lock_bh(&inst->lock);
	*config = inst->config;
	spin_unlock_bh(&inst->lock);
	if (!config->tick_shift)
		twheel_config_fill(config);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_config);

/**
 * twheel_timers_new() - allocate timers
 * @timers: Result; what is in them is anything.
 * @nr: How many are wanted, more than 1.
 * @pooled: With an expiry that can come back.
 * @short_of_memory: The last attempt failed: give up early.  In a full memory
 *	cgroup, an attempt in earnest takes milliseconds.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: How many there are: @nr, or 1 if memory is short, or 0.
 */
u32 twheel_timers_new(struct twheel_timer **timers, u32 nr, bool pooled,
		      bool short_of_memory)
{
	gfp_t gfp = short_of_memory ? TWHEEL_GFP_EASY : TWHEEL_GFP;
	struct kmem_cache *cache = cache_of(pooled);

	if (kmem_cache_alloc_bulk(cache, gfp, nr, (void **)timers))
		return nr;
	timers[0] = kmem_cache_alloc(cache, gfp);
	return timers[0] ? 1 : 0;
}

static void free_one(struct twheel_instance *inst, struct list_head *timers)
{
	kmem_cache_free(cache_of(inst->pooled),
			list_first_entry(timers, struct twheel_timer,
					 node.link));
	twheel_account_uncharge(inst->account, 1);
	INIT_LIST_HEAD(timers);
}

/* Out of line: the array is cleared where the stack is. */
static noinline void free_all(struct twheel_instance *inst, struct list_head *timers)
{
	struct kmem_cache *cache = cache_of(inst->pooled);
	struct twheel_timer *timer, *next;
	void *batch[FREE_BATCH];
	unsigned int nr = 0;
	u64 total = 0;

	list_for_each_entry_safe(timer, next, timers, node.link) {
		batch[nr++] = timer;
		total++;
		if (nr < FREE_BATCH)
			continue;
		kmem_cache_free_bulk(cache, nr, batch);
		nr = 0;
	}
	if (nr)
		kmem_cache_free_bulk(cache, nr, batch);
	twheel_account_uncharge(inst->account, total);
	INIT_LIST_HEAD(timers);
}

/**
 * twheel_timers_free() - free what an instance is done with
 * @inst: The instance.
 * @timers: List of timers that were in it, linked by their node; empty on return.
 *
 * Gives the charge of the timers back, and frees segments of the index that
 * went empty as they were removed from it.
 *
 * Context: Any; without the lock of the instance, to keep that short.
 */
void twheel_timers_free(struct twheel_instance *inst, struct list_head *timers)
{
	if (!llist_empty(&inst->index.retired))
		twheel_index_free_retired(&inst->index);
	if (list_empty(timers))
		return;
	if (list_is_singular(timers))
		free_one(inst, timers);
	else
		free_all(inst, timers);
}

/**
 * twheel_instance_kill() - stop the clockwork of an instance
 * @inst: The instance.
 *
 * After this the clock is not armed any more, and can be destroyed.
 */
void twheel_instance_kill(struct twheel_instance *inst)
{
	spin_lock_bh(&inst->lock);
	inst->dying = true;
	spin_unlock_bh(&inst->lock);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_kill);

/**
 * twheel_instance_destroy() - free all that is in an instance
 * @inst: The instance, killed, its clock stopped, and nobody uses it any more.
 *
 * Context: May sleep.
 */
void twheel_instance_destroy(struct twheel_instance *inst)
{
	struct twheel_index_entry *entry;
	struct twheel_timer *timer;
	unsigned int nr = 0;
	LIST_HEAD(freed);

	while ((entry = twheel_index_pop(&inst->index))) {
		timer = container_of(entry, struct twheel_timer, entry);
		list_add(&timer->node.link, &freed);
		if (++nr % FREE_BATCH)
			continue;
		twheel_timers_free(inst, &freed);
		cond_resched();
	}
	twheel_timers_free(inst, &freed);
	twheel_timers_discard(inst->store.timer, inst->store.nr, inst->pooled);
	kvfree(inst->wheel);
	twheel_index_destroy(&inst->index);
	twheel_queue_destroy(&inst->queue);
	twheel_account_change_words(inst->account, inst->words.nr, 0);
	twheel_words_destroy(&inst->words);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_destroy);

/**
 * twheel_instance_module_init() - make what all instances share
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_instance_module_init(void)
{
	timer_cache = KMEM_CACHE(twheel_timer, SLAB_ACCOUNT);
	if (!timer_cache)
		return -ENOMEM;
	pooled_cache = KMEM_CACHE(twheel_pooled_timer, SLAB_ACCOUNT);
	if (pooled_cache)
		return 0;
	kmem_cache_destroy(timer_cache);
	return -ENOMEM;
}

/**
 * twheel_instance_module_exit() - the reverse of twheel_instance_module_init()
 */
void twheel_instance_module_exit(void)
{
	kmem_cache_destroy(pooled_cache);
	kmem_cache_destroy(timer_cache);
}
