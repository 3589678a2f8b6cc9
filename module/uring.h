/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TWHEEL_URING_H
#define TWHEEL_URING_H

struct io_uring_cmd;

int twheel_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags);

#endif /* TWHEEL_URING_H */
