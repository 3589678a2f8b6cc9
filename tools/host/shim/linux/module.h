/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MODULE_H
#define SHIM_LINUX_MODULE_H

#include <linux/export.h>
#include <linux/kconfig.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>

#define MODULE_IMPORT_NS(namespace) _Static_assert(1, namespace)
#define MODULE_LICENSE(text) _Static_assert(1, text)
#define MODULE_DESCRIPTION(text) _Static_assert(1, text)

#endif /* SHIM_LINUX_MODULE_H */
