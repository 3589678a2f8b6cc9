/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_VERSION_H
#define SHIM_LINUX_VERSION_H

#define KERNEL_VERSION(major, minor, patch) \
	(((major) << 16) + ((minor) << 8) + (patch))
/* Recent enough for compat.h to add nothing. */
#define LINUX_VERSION_CODE KERNEL_VERSION(7, 3, 0)

#endif /* SHIM_LINUX_VERSION_H */
