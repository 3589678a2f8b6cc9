/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Geometry of the hierarchical timing wheel
 *
 * Time is counted in 64-bit ticks.  Level 0 has one slot per tick; 64 ticks of
 * level k make one tick of level k + 1, here called a period of level k + 1.
 * Each level is a ring of 128 slots, which is two rotations: the one that is
 * under way and the next one.
 *
 *	level	one slot covers		the level reaches	at 2^20 ns a tick
 *	0	1 tick			64 .. 128 ticks		67 .. 134 ms
 *	1	64			2^12 .. 2^13		4.3 .. 8.6 s
 *	2	2^12			2^18 .. 2^19		4.6 .. 9.2 min
 *	3	2^18			2^24 .. 2^25		4.9 .. 9.8 h
 *	4	2^24			2^30 .. 2^31		13 .. 26 d
 *	5	2^30			2^36 .. 2^37		2.3 .. 4.6 y
 *	6	2^36			2^42 .. 2^43		146 .. 292 y
 *	7	2^42			2^48 .. 2^49		more than the clock has
 *
 * Why two rotations.  With one, a timer that is due in the next rotation has to
 * wait one level up until that rotation begins, and then the whole slot it
 * waits in must come down in a single tick: the cascade, the large deferred
 * bill of the classical hierarchy.  With two, the timers of the slot that
 * begins next already fit into the level below.  They can move down one by one
 * during the period before, on a schedule, and the slot is empty when it
 * begins.  That is what migration means here.
 *
 * The schedule.  With C timers in the next slot and r ticks left until it
 * begins, nothing is done while ceil(C / 16) < r; from then on ceil(C / r)
 * timers move in each tick.  So migration starts as late as 16 steps a tick
 * allow, and an idle wheel sleeps as long as it can; a slot with more than
 * 16 timers per tick of its period is spread evenly over the whole period.
 *
 * A timer never expires early, because its deadline was rounded up to the tick
 * before it came here, and expires in exactly its tick, because every level is
 * exact: a slot of level k holds nothing that could be due before it begins.
 *
 * After Varghese and Lauck, "Hashed and Hierarchical Timing Wheels", 1987,
 * scheme 7.
 */
#ifndef TWHEEL_WHEEL_GEOM_H
#define TWHEEL_WHEEL_GEOM_H

#include <linux/bitops.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define TWHEEL_LEVELS		8
#define TWHEEL_LEVEL_BITS	6
#define TWHEEL_SLOTS		(2U << TWHEEL_LEVEL_BITS)
#define TWHEEL_SLOT_MASK	(TWHEEL_SLOTS - 1)

/* Migration steps in a tick that the schedule prefers to an earlier start. */
#define TWHEEL_MIGRATE_STEPS	16

/* No tick: nothing is due, ever. */
#define TWHEEL_NEVER		U64_MAX

/* log2 of the ticks that one slot of @level covers. */
static inline unsigned int twheel_level_shift(unsigned int level)
{
	return level * TWHEEL_LEVEL_BITS;
}

/* The period of @level that @tick is in. */
static inline u64 twheel_period(u64 tick, unsigned int level)
{
	return tick >> twheel_level_shift(level);
}

/* The slot of @level's ring that holds @period. */
static inline unsigned int twheel_slot(u64 period)
{
	return period & TWHEEL_SLOT_MASK;
}

/* Whether @expires is in this rotation of @level or in the next one. */
static inline bool twheel_level_fits(u64 clk, u64 expires, unsigned int level)
{
	return twheel_period(expires, level + 1) -
	       twheel_period(clk, level + 1) <= 1;
}

/**
 * twheel_level() - the lowest level that can hold a timer
 * @clk: The tick that is processed next.
 * @expires: The tick in which the timer is due, from @clk to
 *	twheel_horizon(@clk).
 *
 * A timer that is d ticks away, 64^k <= d < 64^(k + 1), fits into level k for
 * certain, and into level k - 1 if that level's next rotation reaches it; that
 * rotation ends less than 2 * 64^k ticks from now, so never lower.
 *
 * Return: The level.
 */
static inline unsigned int twheel_level(u64 clk, u64 expires)
{
	unsigned int level;

	if (expires - clk < BIT_ULL(TWHEEL_LEVEL_BITS))
		return 0;
	level = (fls64(expires - clk) - 1) / TWHEEL_LEVEL_BITS;
	if (level == TWHEEL_LEVELS ||
	    twheel_level_fits(clk, expires, level - 1))
		level--;
	return level;
}

/* The last tick that fits into the wheel when @clk is processed next. */
static inline u64 twheel_horizon(u64 clk)
{
	const unsigned int shift = twheel_level_shift(TWHEEL_LEVELS);

	return ((((clk >> shift) + 2) << shift) - 1);
}

/* Migration steps per tick with @count timers to move and @left ticks to go. */
static inline u32 twheel_migrate_share(u32 count, u64 left)
{
	if (DIV_ROUND_UP(count, TWHEEL_MIGRATE_STEPS) < left)
		return 0;
	/* Here left fits into 32 bits: it is at most ceil(count / 16). */
	return DIV_ROUND_UP(count, (u32)left);
}

/* The tick in which migration out of @period of @level has to start. */
static inline u64 twheel_migrate_start(u64 period, unsigned int level,
				       u32 count)
{
	const unsigned int shift = twheel_level_shift(level);
	u64 lead = DIV_ROUND_UP(count, TWHEEL_MIGRATE_STEPS);

	return (period << shift) - min(lead, BIT_ULL(shift));
}

/* The tick before which nothing is done to the slot of @period of @level. */
static inline u64 twheel_slot_rests(u64 period, unsigned int level)
{
	return (period - !!level) << twheel_level_shift(level);
}

#endif /* TWHEEL_WHEEL_GEOM_H */
