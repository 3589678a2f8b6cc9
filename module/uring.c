// SPDX-License-Identifier: GPL-2.0
/*
 * Commands in an io_uring
 *
 * They are done when they are issued: none of them waits for anything but
 * memory, and the ring's own lock may be held while it does.  Only a long batch
 * goes to a worker of the ring, not to keep the submitter.  Nothing of them is
 * left when they return, so there is nothing to cancel and no trace of them when
 * the ring goes away.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "ioctl.h"
#include "uring.h"

/* Operations that a SUBMIT does while the submitter waits. */
#define INLINE_OPS	4096

static bool is_long(unsigned int cmd, void __user *arg)
{
	struct twheel_submit __user *submit = arg;
	u32 count;

	/* What cannot be read fails at once, when it is carried out. */
	return cmd == TWHEEL_IOC_SUBMIT && !get_user(count, &submit->count) &&
	       count > INLINE_OPS && count <= TWHEEL_SUBMIT_MAX;
}

/**
 * twheel_uring_cmd() - carry out a command of an io_uring
 * @cmd: The command.
 * @issue_flags: What io_uring says about the moment.
 *
 * Context: May sleep.
 * Return: 0 or a negative errno; -EAGAIN if a worker has to do it.
 */
int twheel_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	/* Memory that is shared with the user: whatever is used is read once. */
	const struct twheel_uring_cmd *area = twheel_uring_area(cmd);
	void __user *arg = u64_to_user_ptr(READ_ONCE(area->arg));
	u32 size = READ_ONCE(area->size);

	if (READ_ONCE(area->flags) || cmd->flags & IORING_URING_CMD_MASK)
		return -EOPNOTSUPP;
	if (issue_flags & IO_URING_F_NONBLOCK && is_long(cmd->cmd_op, arg))
		return -EAGAIN;
	return twheel_ioctl_in_ring(cmd->file->private_data, cmd->cmd_op, arg,
				    size);
}
