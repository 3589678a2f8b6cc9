/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_REFCOUNT_H
#define SHIM_LINUX_REFCOUNT_H

#include <linux/mutex.h>

typedef struct {
	int refs;
} refcount_t;

static inline void refcount_set(refcount_t *r, int refs)
{
	r->refs = refs;
}

static inline void refcount_inc(refcount_t *r)
{
	WARN_ON_ONCE(!r->refs);
	r->refs++;
}

static inline bool refcount_dec_and_mutex_lock(refcount_t *r,
					       struct mutex *lock)
{
	WARN_ON_ONCE(!r->refs);
	if (--r->refs)
		return false;
	mutex_lock(lock);
	return true;
}

#endif /* SHIM_LINUX_REFCOUNT_H */
