/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_KCONFIG_H
#define SHIM_LINUX_KCONFIG_H

/* The only option that is asked for is CONFIG_KUNIT. */
#define IS_ENABLED(option) 1

#endif /* SHIM_LINUX_KCONFIG_H */
