/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_UIDGID_H
#define SHIM_LINUX_UIDGID_H

#include <linux/types.h>

typedef struct {
	u32 val;
} kuid_t;

#define KUIDT_INIT(value) ((kuid_t){ value })

static inline bool uid_eq(kuid_t a, kuid_t b)
{
	return a.val == b.val;
}

#endif /* SHIM_LINUX_UIDGID_H */
