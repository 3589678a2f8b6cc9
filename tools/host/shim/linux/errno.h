/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_ERRNO_H
#define SHIM_LINUX_ERRNO_H

/* libc asks for this file too. */
#include_next <linux/errno.h>

#endif /* SHIM_LINUX_ERRNO_H */
