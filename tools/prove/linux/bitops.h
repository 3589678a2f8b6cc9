/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROVE_LINUX_BITOPS_H
#define PROVE_LINUX_BITOPS_H

#include <linux/types.h>

#define BIT_ULL(nr) (1ULL << (nr))

/* Assumed: the number of the highest bit, from 1, as far as the wheel needs it. */
/*@ assigns \nothing;
  @ ensures \result <= 64;
  @ ensures x < 0x1 <==> \result <= 0;
  @ ensures x < 0x40 <==> \result <= 6;
  @ ensures x < 0x1000 <==> \result <= 12;
  @ ensures x < 0x40000 <==> \result <= 18;
  @ ensures x < 0x1000000 <==> \result <= 24;
  @ ensures x < 0x40000000 <==> \result <= 30;
  @ ensures x < 0x1000000000 <==> \result <= 36;
  @ ensures x < 0x40000000000 <==> \result <= 42;
  @ ensures x < 0x1000000000000 <==> \result <= 48;
  @ ensures x < 0x40000000000000 <==> \result <= 54;
  @*/
unsigned int fls64(u64 x);

#endif /* PROVE_LINUX_BITOPS_H */
