/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_KTIME_H
#define SHIM_LINUX_KTIME_H

#include <linux/types.h>

#define KTIME_MAX S64_MAX
#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L

#endif /* SHIM_LINUX_KTIME_H */
