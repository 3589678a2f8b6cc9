/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MM_H
#define SHIM_LINUX_MM_H

#include <linux/gfp.h>
#include <linux/slab.h>
#include <linux/types.h>

/* As large as there; the layers that are built here do not look into it. */
typedef unsigned long vm_flags_t;

struct vm_area_struct {
	vm_flags_t vm_flags;
};

static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set,
				vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}

#endif /* SHIM_LINUX_MM_H */
