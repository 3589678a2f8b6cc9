/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_LOCKDEP_H
#define SHIM_LINUX_LOCKDEP_H

#include <linux/bug.h>
#include <linux/types.h>

/* One thread: taking a lock twice is a deadlock. */
static inline void shim_lock(bool *held)
{
	WARN_ON_ONCE(*held);
	*held = true;
}

static inline void shim_unlock(bool *held)
{
	WARN_ON_ONCE(!*held);
	*held = false;
}

#define lockdep_assert_held(lock) WARN_ON_ONCE(!(lock)->held)

#endif /* SHIM_LINUX_LOCKDEP_H */
