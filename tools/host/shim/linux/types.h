/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
/* Not uint64_t: the kernel's is long long, which matters to formats. */
typedef unsigned long long u64;
typedef int32_t s32;
typedef long long s64;

typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef s32 __s32;
typedef u64 __u64;
typedef s64 __s64;
#define __aligned_u64 u64 __attribute__((aligned(8)))

typedef unsigned int gfp_t;

struct list_head {
	struct list_head *next, *prev;
};

#define U32_MAX ((u32)~0U)
#define U64_MAX ((u64)~0ULL)
#define S64_MAX ((s64)(U64_MAX >> 1))

#endif /* SHIM_LINUX_TYPES_H */
