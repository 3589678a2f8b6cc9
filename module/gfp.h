/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How memory for callers is allocated
 */
#ifndef TWHEEL_GFP_H
#define TWHEEL_GFP_H

#include <linux/gfp.h>

/*
 * Charged to the caller's memory cgroup.  When that is full, the call fails
 * with ENOMEM, which a program can deal with: it does not have a process of the
 * cgroup killed, as GFP_KERNEL_ACCOUNT alone would.
 */
#define TWHEEL_GFP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)
/* The same, without trying hard. */
#define TWHEEL_GFP_EASY	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

#endif /* TWHEEL_GFP_H */
