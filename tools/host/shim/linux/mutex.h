/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MUTEX_H
#define SHIM_LINUX_MUTEX_H

#include <linux/lockdep.h>

struct mutex {
	bool held;
};

#define DEFINE_MUTEX(name) struct mutex name
#define mutex_lock(lock) shim_lock(&(lock)->held)
#define mutex_unlock(lock) shim_unlock(&(lock)->held)

#endif /* SHIM_LINUX_MUTEX_H */
