/* SPDX-License-Identifier: GPL-2.0 */
/* Commands of the device, as the kernel takes them.  All return 0 or -errno. */
#ifndef TWHEEL_CLI_CALLS_H
#define TWHEEL_CLI_CALLS_H

#include <twheel.h>

/* TWHEEL_IOC_ACK, TWHEEL_IOC_REJECT, TWHEEL_IOC_EXTEND */
int call_lease(int fd, unsigned long command, struct twheel_ack *ack);
/* Of the reader @number, or the next one after it. */
int call_reader_stats(int fd, __u32 number, struct twheel_stats *stats);
int call_drain(int fd, struct twheel_drain *drain);
int call_shutdown(int fd, struct twheel_shutdown *shutdown);
/* A descriptor instead of 0. */
int call_reader(int fd, __u32 flags);

#endif /* TWHEEL_CLI_CALLS_H */
