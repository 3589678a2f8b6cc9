/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#define READ_ONCE(x) (*(volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile typeof(x) *)&(x) = (value))
#define likely(x) (x)
#define unlikely(x) (x)
#define __printf(string, first) \
	__attribute__((__format__(__printf__, string, first)))
#define noinline __attribute__((noinline))
#define __maybe_unused __attribute__((unused))
#define __noreturn __attribute__((noreturn))

#endif /* SHIM_LINUX_COMPILER_H */
