/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SWAB_H
#define SHIM_LINUX_SWAB_H

#define swab32(x) __builtin_bswap32(x)

#endif /* SHIM_LINUX_SWAB_H */
