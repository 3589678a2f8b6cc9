// SPDX-License-Identifier: GPL-2.0
/*
 * Contracts of wheel_geom.h, for Frama-C: they hold for every time of 64 bits
 *
 * The header is that of the module.  Its functions are declared here before it, with
 * what is to be proved of them.  Numbers are those of the standard of C, in which a
 * shift to the right is a division by a power of two; Frama-C knows that for a shift
 * by one only.
 */
#include <linux/types.h>

/*@ axiomatic Shift {
  @ axiom shift_0: \forall integer x; 0 <= x ==> x >> 0 == x;
  @ axiom shift_6: \forall integer x; 0 <= x ==> x >> 6 == x / 0x40;
  @ axiom shift_12: \forall integer x; 0 <= x ==> x >> 12 == x / 0x1000;
  @ axiom shift_18: \forall integer x; 0 <= x ==> x >> 18 == x / 0x40000;
  @ axiom shift_24: \forall integer x; 0 <= x ==> x >> 24 == x / 0x1000000;
  @ axiom shift_30: \forall integer x; 0 <= x ==> x >> 30 == x / 0x40000000;
  @ axiom shift_36: \forall integer x; 0 <= x ==> x >> 36 == x / 0x1000000000;
  @ axiom shift_42: \forall integer x; 0 <= x ==> x >> 42 == x / 0x40000000000;
  @ axiom shift_48: \forall integer x; 0 <= x ==> x >> 48 == x / 0x1000000000000;
  @ axiom left_48: \forall integer x; 0 <= x ==> x << 48 == x * 0x1000000000000;
  @ axiom mask_7: \forall integer x; 0 <= x ==> (x & 127) == x % 128;
  @ }
  @ logic integer period(integer tick, integer level) =
  @	level == 0 ? tick :
  @	level == 1 ? tick / 0x40 :
  @	level == 2 ? tick / 0x1000 :
  @	level == 3 ? tick / 0x40000 :
  @	level == 4 ? tick / 0x1000000 :
  @	level == 5 ? tick / 0x40000000 :
  @	level == 6 ? tick / 0x1000000000 :
  @	level == 7 ? tick / 0x40000000000 :
  @	tick / 0x1000000000000;
  @ predicate fits(integer clk, integer expires, integer level) =
  @	period(expires, level + 1) - period(clk, level + 1) <= 1;
  @*/

/*@ requires level <= 8;
  @ assigns \nothing;
  @ ensures \result == 6 * level;
  @*/
static inline unsigned int twheel_level_shift(unsigned int level);

/*@ requires level <= 8;
  @ assigns \nothing;
  @ ensures \result == period(tick, level);
  @*/
static inline u64 twheel_period(u64 tick, unsigned int level);

/*@ assigns \nothing;
  @ ensures \result == period % 128;
  @*/
static inline unsigned int twheel_slot(u64 period);

/*@ requires level <= 7 && clk <= expires;
  @ assigns \nothing;
  @ ensures \result <==> fits(clk, expires, level);
  @*/
static inline bool twheel_level_fits(u64 clk, u64 expires, unsigned int level);

/*@ requires clk <= expires && fits(clk, expires, 7);
  @ assigns \nothing;
  @ ensures \result <= 7;
  @ ensures fits(clk, expires, \result);
  @ ensures \result > 0 ==> !fits(clk, expires, \result - 1);
  @*/
static inline unsigned int twheel_level(u64 clk, u64 expires);

/*@ requires clk < 0x8000000000000000;
  @ assigns \nothing;
  @ ensures clk < \result;
  @ ensures fits(clk, \result, 7);
  @ ensures !fits(clk, \result + 1, 7);
  @*/
static inline u64 twheel_horizon(u64 clk);

/* The bounds of the other ticks are in geom.c: there a division is by a variable. */
/*@ requires count <= 0x80000000 && left > 0;
  @ assigns \nothing;
  @ ensures \result <= count;
  @ ensures left == 1 ==> \result == count;
  @*/
static inline u32 twheel_migrate_share(u32 count, u64 left);

#include "wheel_geom.h"

/* A timer is put into a slot that no other period has, and that does not begin next. */
/*@ requires clk <= expires && fits(clk, expires, 7);
  @ assigns \nothing;
  @*/
static void slot_is_ahead(u64 clk, u64 expires)
{
	unsigned int level = twheel_level(clk, expires);
	u64 ahead = twheel_period(expires, level) - twheel_period(clk, level);

	/*@ assert ahead < 128; */
	/*@ assert level > 0 ==> ahead >= 2; */
}

/*
 * The timer is put in its place anew at @later.  That is a lower level during the
 * period before its slot begins, which is when it migrates, and never a higher one.
 */
/*@ requires clk <= later <= expires && fits(clk, expires, 7);
  @ assigns \nothing;
  @*/
static void migration_moves_down(u64 clk, u64 later, u64 expires)
{
	unsigned int level = twheel_level(clk, expires);
	unsigned int then = twheel_level(later, expires);

	/*@ assert level > 0 && period(later, level) + 1 == period(expires, level)
	  @	==> then < level; */
	/*@ assert then <= level; */
}
