/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MM_H
#define SHIM_LINUX_MM_H

#include <linux/gfp.h>
#include <linux/slab.h>

#endif /* SHIM_LINUX_MM_H */
