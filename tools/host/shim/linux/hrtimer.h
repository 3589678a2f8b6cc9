/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_HRTIMER_H
#define SHIM_LINUX_HRTIMER_H

#include <time.h>

#include <linux/ktime.h>

/* The clock made of an hrtimer is not built here. */
struct hrtimer {
	int unused;
};

#endif /* SHIM_LINUX_HRTIMER_H */
