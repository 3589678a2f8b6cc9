/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions, from 6.1 on
 *
 * The only file that may look at the version or at the configuration of the
 * kernel.
 */
#ifndef TWHEEL_COMPAT_H
#define TWHEEL_COMPAT_H

#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/version.h>

#if KERNEL_VERSION(6, 7, 0) > LINUX_VERSION_CODE
#include <linux/io_uring.h>
#else
#include <linux/io_uring/cmd.h>
#endif

/*
 * The tests are modules of their own, since 6.1 runs the suites of a module
 * before its init function.  Where the kernel has KUnit, what they need of the
 * layers is exported to them, and to nobody else, in a namespace.
 */
#if !IS_ENABLED(CONFIG_KUNIT)
#define EXPORT_SYMBOL_FOR_KUNIT(symbol)
#elif KERNEL_VERSION(6, 13, 0) > LINUX_VERSION_CODE
#define EXPORT_SYMBOL_FOR_KUNIT(symbol) EXPORT_SYMBOL_NS_GPL(symbol, TWHEEL)
#define TWHEEL_IMPORT_FOR_KUNIT() MODULE_IMPORT_NS(TWHEEL)
#else
#define EXPORT_SYMBOL_FOR_KUNIT(symbol) EXPORT_SYMBOL_NS_GPL(symbol, "TWHEEL")
#define TWHEEL_IMPORT_FOR_KUNIT() MODULE_IMPORT_NS("TWHEEL")
#endif

#if KERNEL_VERSION(6, 13, 0) > LINUX_VERSION_CODE
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

/* For a mapping that is being made. */
#if KERNEL_VERSION(6, 3, 0) > LINUX_VERSION_CODE
static inline void twheel_vm_flags(struct vm_area_struct *vma, vm_flags_t set,
				   vm_flags_t clear)
{
	vma->vm_flags |= set;
	vma->vm_flags &= ~clear;
}
#else
static inline void twheel_vm_flags(struct vm_area_struct *vma, vm_flags_t set,
				   vm_flags_t clear)
{
	vm_flags_mod(vma, set, clear);
}
#endif

/* What a submission may ask for in uring_cmd_flags; the rest is io_uring's own. */
#ifndef IORING_URING_CMD_MASK
#define IORING_URING_CMD_MASK	IORING_URING_CMD_FIXED
#endif

/* The command area of the submission queue entry. */
#if KERNEL_VERSION(6, 6, 0) > LINUX_VERSION_CODE
static inline const void *twheel_uring_area(const struct io_uring_cmd *cmd)
{
	return cmd->cmd;
}
#else
static inline const void *twheel_uring_area(const struct io_uring_cmd *cmd)
{
	return cmd->sqe->cmd;
}
#endif

#endif /* TWHEEL_COMPAT_H */
