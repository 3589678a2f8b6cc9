// SPDX-License-Identifier: GPL-2.0
/*
 * Hierarchical timing wheel: the pure data structure
 *
 * START_TIMER is twheel_wheel_add(), STOP_TIMER is twheel_wheel_del(), both in
 * constant time.  PER_TICK_BOOKKEEPING is twheel_wheel_advance(), in the time
 * of what is due plus the migration steps that the schedule in wheel_geom.h
 * allots to the tick; EXPIRY_PROCESSING is left to the caller, who gets the
 * nodes that are due on a list.
 */
#include "compat.h"
#include "wheel.h"

/**
 * twheel_wheel_init() - make an empty wheel
 * @w: The wheel.
 * @clk: The tick that is processed first.
 */
void twheel_wheel_init(struct twheel_wheel *w, u64 clk)
{
	unsigned int i;

	memset(w, 0, sizeof(*w));
	w->clk = clk;
	w->wake = TWHEEL_NEVER;
	for (i = 0; i < ARRAY_SIZE(w->slots); i++)
		INIT_LIST_HEAD(&w->slots[i]);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_wheel_init);

static u32 twheel_place(u64 period, unsigned int level)
{
	return level * TWHEEL_SLOTS + twheel_slot(period);
}

/*
 * Steps from slot @from around the ring to the first that is not empty.  The
 * wheel reaches to the end of the next rotation: what lies before @from in its
 * own word is behind it, and empty.
 */
static unsigned int next_pending(const u64 *map, unsigned int from)
{
	const unsigned int word = from / 64, bit = from % 64;
	u64 bits = map[word] >> bit;

	if (bits)
		return __ffs64(bits);
	bits = map[word ^ 1];
	if (bits)
		return 64 - bit + __ffs64(bits);
	return TWHEEL_SLOTS;
}

/* The tick in which the slot of @period of @level first needs attention. */
static u64 slot_wake(const struct twheel_wheel *w, u64 period,
		     unsigned int level)
{
	u32 count = w->count[twheel_place(period, level)];
	u64 tick = period;

	if (level)
		tick = twheel_migrate_start(period, level, count);
	return max(tick, w->clk);
}

static void note_wake(struct twheel_wheel *w, u64 tick, u32 place)
{
	if (tick >= w->wake)
		return;
	w->wake = tick;
	w->wake_place = place;
}

/*
 * Of each level the first slot in use is enough: the next one needs attention
 * no earlier than the first one begins.
 */
static void find_wake(struct twheel_wheel *w)
{
	unsigned int level, steps;
	u64 period;

	w->wake = TWHEEL_NEVER;
	for (level = 0; level < TWHEEL_LEVELS; level++) {
		period = twheel_period(w->clk, level);
		steps = next_pending(w->pending[level], twheel_slot(period));
		if (steps == TWHEEL_SLOTS)
			continue;
		period += steps;
		note_wake(w, slot_wake(w, period, level),
			  twheel_place(period, level));
	}
}

/*
 * Put @node, which is in no list, into its slot; return the period.  In line, as
 * every start and every migration step comes here.
 */
static __always_inline u64 insert(struct twheel_wheel *w,
				  struct twheel_node *node,
				  unsigned int *level)
{
	u64 expires = max(node->expires, w->clk);
	u64 period;

	*level = twheel_level(w->clk, expires);
	period = twheel_period(expires, *level);
	node->place = twheel_place(period, *level);
	list_add_tail(&node->link, &w->slots[node->place]);
	w->count[node->place]++;
	w->pending[*level][twheel_slot(period) / 64] |=
		BIT_ULL(twheel_slot(period) % 64);
	return period;
}

/* @nr nodes have left the slot at @place. */
static void slot_shrink(struct twheel_wheel *w, u32 place, u32 nr)
{
	u32 slot = place % TWHEEL_SLOTS;

	w->count[place] -= nr;
	if (!w->count[place])
		w->pending[place / TWHEEL_SLOTS][slot / 64] &=
			~BIT_ULL(slot % 64);
}

/**
 * twheel_wheel_add() - start a timer (START_TIMER)
 * @w: The wheel.
 * @node: The timer, not in the wheel; its expires at most
 *	twheel_horizon(@w->clk).  One that lies before @w->clk is due in
 *	@w->clk.
 *
 * Constant time.
 *
 * Return: Whether @w->wake has changed.
 */
bool twheel_wheel_add(struct twheel_wheel *w, struct twheel_node *node)
{
	u64 wake = w->wake;
	unsigned int level;
	u64 period = insert(w, node, &level);

	w->nr++;
	/* Mostly it is far away, and that is cheaper to see. */
	if (twheel_slot_rests(period, level) < wake)
		note_wake(w, slot_wake(w, period, level), node->place);
	return w->wake != wake;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_wheel_add);

/**
 * twheel_wheel_del() - stop a timer (STOP_TIMER)
 * @w: The wheel.
 * @node: The timer, in the wheel.
 *
 * Constant time.
 *
 * Return: Whether @w->wake has changed.
 */
bool twheel_wheel_del(struct twheel_wheel *w, struct twheel_node *node)
{
	u64 wake = w->wake;

	list_del(&node->link);
	slot_shrink(w, node->place, 1);
	w->nr--;
	/* An open tick has to be finished, whatever is left of it. */
	if (w->tick_open || node->place != w->wake_place ||
	    w->count[node->place])
		return false;
	find_wake(w);
	return w->wake != wake;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_wheel_del);

/**
 * twheel_wheel_forward() - skip ticks in which there is nothing to do
 * @w: The wheel.
 * @now: The current tick.
 *
 * Called before timers are added, so that they are placed by the current time
 * and not by that of the last expiry: fewer levels to come down through.
 * Constant time; does nothing if something is due.
 */
void twheel_wheel_forward(struct twheel_wheel *w, u64 now)
{
	if (w->wake > now && w->clk <= now)
		w->clk = now + 1;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_wheel_forward);

/* Allot the migration steps of tick clk, the schedule of wheel_geom.h. */
static void open_tick(struct twheel_wheel *w)
{
	unsigned int level;
	u64 next, left;
	u32 count;

	for (level = 1; level < TWHEEL_LEVELS; level++) {
		next = twheel_period(w->clk, level) + 1;
		left = (next << twheel_level_shift(level)) - w->clk;
		count = w->count[twheel_place(next, level)];
		w->quota[level] = twheel_migrate_share(count, left);
	}
	w->tick_open = true;
}

/* Hand over what is due in tick clk; false if the budget ended before it. */
static bool expire(struct twheel_wheel *w, u32 *budget, struct list_head *due)
{
	u32 place = twheel_place(w->clk, 0);
	struct list_head *slot = &w->slots[place];
	u32 nr = min(w->count[place], *budget);
	u32 i;

	*budget -= nr;
	w->nr -= nr;
	if (nr == w->count[place])
		list_splice_tail_init(slot, due);
	else
		for (i = 0; i < nr; i++)
			list_move_tail(slot->next, due);
	slot_shrink(w, place, nr);
	return !w->count[place];
}

/* Take one node of @level's next slot to the level where it belongs now. */
static void migrate_one(struct twheel_wheel *w, u32 place)
{
	struct twheel_node *node = list_first_entry(&w->slots[place],
						    struct twheel_node, link);
	unsigned int level;

	list_del(&node->link);
	slot_shrink(w, place, 1);
	insert(w, node, &level);
	w->migrated++;
}

/* Do the migration steps of tick clk; false if the budget ended before them. */
static bool migrate(struct twheel_wheel *w, u32 *budget)
{
	unsigned int level;
	u32 place;

	for (level = 1; level < TWHEEL_LEVELS; level++) {
		place = twheel_place(twheel_period(w->clk, level) + 1, level);
		for (; w->quota[level]; w->quota[level]--) {
			/* Nodes may have been deleted since the tick began. */
			if (!w->count[place])
				break;
			if (!*budget)
				return false;
			migrate_one(w, place);
			--*budget;
		}
	}
	return true;
}

/**
 * twheel_wheel_advance() - do what is due (PER_TICK_BOOKKEEPING)
 * @w: The wheel.
 * @now: The current tick.
 * @budget: Steps that may be taken; what is left of them on return.  A tick
 *	that is visited, a node that expires and one that migrates are a step
 *	each.
 * @due: Nodes that are due are appended to this list, ordered by tick.
 *
 * Ticks without anything to do are not visited.  If the budget runs out, the
 * next call goes on where this one stopped.
 *
 * Return: Whether everything up to and including @now is done.
 */
bool twheel_wheel_advance(struct twheel_wheel *w, u64 now, u32 *budget,
			  struct list_head *due)
{
	while (w->wake <= now) {
		if (!w->tick_open) {
			if (!*budget)
				return false;
			--*budget;
			w->clk = w->wake;
			open_tick(w);
		}
		if (!expire(w, budget, due) || !migrate(w, budget))
			return false;
		w->tick_open = false;
		w->clk++;
		find_wake(w);
	}
	twheel_wheel_forward(w, now);
	return true;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_wheel_advance);
