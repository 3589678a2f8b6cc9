/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_IO_URING_CMD_H
#define SHIM_LINUX_IO_URING_CMD_H

#include <linux/types.h>

struct io_uring_sqe {
	u8 cmd[16];
};

struct io_uring_cmd {
	const struct io_uring_sqe *sqe;
};

#endif /* SHIM_LINUX_IO_URING_CMD_H */
