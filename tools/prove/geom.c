// SPDX-License-Identifier: GPL-2.0
/*
 * Properties of wheel_geom.h, checked for every input of a geometry
 *
 * The makefile compiles this against a copy of the header with fewer and smaller
 * levels, for which every pair of times can be tried, and against the header as it
 * is, for which the edges of all periods are.
 */
#include <stdio.h>
#include <stdlib.h>

#include "wheel_geom.h"

#define EDGES	100000
#define COUNTS	600

static unsigned long long cases;

/* The first case that is wrong is enough. */
static void must(bool holds, const char *what, u64 clk, u64 expires)
{
	if (holds)
		return;
	printf("# clk %llu, expires %llu\nnot ok %s: %s\n", (unsigned long long)clk,
	       (unsigned long long)expires, GEOMETRY, what);
	exit(1);
}

/* A timer that is due in @expires, when @clk is processed next. */
static void check_timer(u64 clk, u64 expires)
{
	unsigned int level = twheel_level(clk, expires);
	u64 ahead;

	cases++;
	must(level < TWHEEL_LEVELS, "the level exists", clk, expires);
	/* At level k a slot is emptied in the period before it begins: this is why that works. */
	must(!level || !twheel_level_fits(clk, expires, level - 1),
	     "no lower level could hold the timer, so migration moves down", clk, expires);
	must(twheel_level_fits(clk, expires, level), "the level can hold it", clk, expires);
	ahead = twheel_period(expires, level) - twheel_period(clk, level);
	must(ahead < TWHEEL_SLOTS, "no slot holds two periods", clk, expires);
	must(!level || ahead > 1, "the slot is not begun, and not migrated from", clk, expires);
	must(twheel_slot_rests(twheel_period(expires, level), level) >= clk,
	     "the slot still rests", clk, expires);
	must(twheel_period(expires, level) << twheel_level_shift(level) <= expires,
	     "the slot begins before the timer is due, so it is not late", clk, expires);
	must(level || twheel_period(expires, 0) == expires, "level 0 is exact", clk, expires);
}

/* Three rotations of the highest level, and all that the wheel reaches from there. */
static void check_all_pairs(void)
{
	const u64 end = 3ULL << twheel_level_shift(TWHEEL_LEVELS);
	u64 clk, expires;

	for (clk = 0; clk < end; clk++) {
		for (expires = clk; expires <= twheel_horizon(clk); expires++)
			check_timer(clk, expires);
		must(!twheel_level_fits(clk, expires, TWHEEL_LEVELS - 1),
		     "the horizon is the last tick that fits", clk, expires);
	}
}

/* Sums of two powers of two, give or take two: the edges of periods, and near them. */
static unsigned int edges(u64 *edge)
{
	unsigned int nr = 0, i, j, d;

	for (i = 0; i < 63; i++)
		for (j = 0; j <= i; j++)
			for (d = 0; d < 5; d++)
				edge[nr++] = (1ULL << i) + (1ULL << j) + d - 2;
	return nr;
}

static void check_edges(void)
{
	static u64 edge[EDGES];
	unsigned int nr = edges(edge), i, j;

	for (i = 0; i < nr; i++) {
		for (j = 0; j < nr; j++)
			if (edge[j] <= twheel_horizon(edge[i]) - edge[i])
				check_timer(edge[i], edge[i] + edge[j]);
		check_timer(edge[i], twheel_horizon(edge[i]));
	}
}

/* Carry the schedule out for a slot of @count timers. */
static void check_migration(u64 period, unsigned int level, u32 count)
{
	const u64 begins = period << twheel_level_shift(level);
	const u64 ticks = BIT_ULL(twheel_level_shift(level));
	u64 most = max_t(u64, TWHEEL_MIGRATE_STEPS, DIV_ROUND_UP(count, ticks));
	u64 tick = twheel_slot_rests(period, level);
	u64 start = twheel_migrate_start(period, level, count);
	u32 share;

	cases++;
	must(start >= tick, "migration starts in the period before", start, count);
	for (; tick < begins; tick++) {
		share = twheel_migrate_share(count, begins - tick);
		must(share <= count, "no more move than there are", tick, count);
		must(tick >= start || !share, "none moves before the start", tick, count);
		must(tick != start || share, "one moves at the start", tick, count);
		must(share <= most, "no tick has more steps than its share", tick, count);
		count -= share;
	}
	must(!count, "the slot is empty when it begins", begins, count);
}

static void check_migrations(void)
{
	unsigned int level;
	u32 count;

	for (level = 1; level < TWHEEL_LEVELS && twheel_level_shift(level) <= 12; level++)
		for (count = 1; count <= COUNTS; count++)
			check_migration(5, level, count);
}

int main(void)
{
	if (TWHEEL_LEVELS * TWHEEL_LEVEL_BITS <= 12)
		check_all_pairs();
	else
		check_edges();
	check_migrations();
	printf("ok %s: %llu cases\n", GEOMETRY, cases);
	return 0;
}
