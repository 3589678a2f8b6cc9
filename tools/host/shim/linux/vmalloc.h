/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_VMALLOC_H
#define SHIM_LINUX_VMALLOC_H

#include <stdlib.h>

static inline void *vzalloc(unsigned long size)
{
	return calloc(1, size);
}

static inline void vfree(void *memory)
{
	free(memory);
}

#endif /* SHIM_LINUX_VMALLOC_H */
