/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SPINLOCK_H
#define SHIM_LINUX_SPINLOCK_H

#include <linux/lockdep.h>

typedef struct {
	bool held;
} spinlock_t;

#define spin_lock_init(lock) ((lock)->held = false)
#define spin_lock_bh(lock) shim_lock(&(lock)->held)
#define spin_unlock_bh(lock) shim_unlock(&(lock)->held)

#endif /* SHIM_LINUX_SPINLOCK_H */
