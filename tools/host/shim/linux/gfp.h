/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_GFP_H
#define SHIM_LINUX_GFP_H

#include <stdlib.h>

#define GFP_KERNEL 0
#define GFP_KERNEL_ACCOUNT 0
#define __GFP_RETRY_MAYFAIL 0
#define __GFP_NOWARN 0
#define __GFP_NORETRY 0
#define __GFP_ZERO 0
#define PAGE_SIZE 4096UL

static inline unsigned long get_zeroed_page(unsigned int flags)
{
	return (unsigned long)calloc(1, PAGE_SIZE);
}

static inline void free_page(unsigned long page)
{
	free((void *)page);
}

#endif /* SHIM_LINUX_GFP_H */
