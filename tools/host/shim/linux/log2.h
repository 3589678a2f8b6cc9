/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_LOG2_H
#define SHIM_LINUX_LOG2_H

#include <linux/bitops.h>

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n > 1 ? 1UL << fls64(n - 1) : 1;
}

static inline unsigned int ilog2(u64 n)
{
	return fls64(n) - 1;
}

#endif /* SHIM_LINUX_LOG2_H */
