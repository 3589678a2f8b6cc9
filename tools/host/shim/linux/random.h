/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_RANDOM_H
#define SHIM_LINUX_RANDOM_H

#include <linux/types.h>

/* The same numbers on every run, so that a failure can be run again. */
u64 get_random_u64(void);

/* The same from here on, if it is set to the same. */
extern u64 shim_random_state;

#endif /* SHIM_LINUX_RANDOM_H */
