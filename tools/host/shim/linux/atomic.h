/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_ATOMIC_H
#define SHIM_LINUX_ATOMIC_H

#include <linux/types.h>

/* One thread. */
typedef struct {
	s64 value;
} atomic64_t;

static inline s64 atomic64_read(const atomic64_t *v)
{
	return v->value;
}

static inline void atomic64_add(s64 nr, atomic64_t *v)
{
	v->value += nr;
}

static inline void atomic64_sub(s64 nr, atomic64_t *v)
{
	v->value -= nr;
}

static inline void atomic64_dec(atomic64_t *v)
{
	v->value--;
}

static inline bool atomic64_try_cmpxchg(atomic64_t *v, s64 *old, s64 new)
{
	if (v->value != *old) {
		*old = v->value;
		return false;
	}
	v->value = new;
	return true;
}

#endif /* SHIM_LINUX_ATOMIC_H */
