/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BITOPS_H
#define SHIM_LINUX_BITOPS_H

#include <linux/types.h>

#define BIT(nr) (1UL << (nr))
#define BIT_ULL(nr) (1ULL << (nr))

/* Number of the highest bit that is set, from 1; 0 if none is. */
static inline unsigned int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

/* Number of the lowest bit that is set, from 0. */
static inline unsigned int __ffs64(u64 x)
{
	return __builtin_ctzll(x);
}

#endif /* SHIM_LINUX_BITOPS_H */
