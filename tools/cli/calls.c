// SPDX-License-Identifier: GPL-2.0
/* Commands of the device, as the kernel takes them. */
#include <errno.h>
#include <sys/ioctl.h>

#include "calls.h"

static int call(int fd, unsigned long command, void *arg)
{
	int ret = ioctl(fd, command, arg);

	return ret < 0 ? -errno : ret;
}

int call_lease(int fd, unsigned long command, struct twheel_ack *ack)
{
	return call(fd, command, ack);
}

int call_reader_stats(int fd, __u32 number, struct twheel_stats *stats)
{
	*stats = (struct twheel_stats){
		.size = sizeof(*stats),
		.flags = TWHEEL_STATS_READER,
		.reader = number,
	};
	return call(fd, TWHEEL_IOC_STATS, stats);
}

int call_drain(int fd, struct twheel_drain *drain)
{
	return call(fd, TWHEEL_IOC_DRAIN, drain);
}

int call_shutdown(int fd, struct twheel_shutdown *shutdown)
{
	return call(fd, TWHEEL_IOC_SHUTDOWN, shutdown);
}

int call_reader(int fd, __u32 flags)
{
	struct twheel_reader reader = { .flags = flags };

	return call(fd, TWHEEL_IOC_READER, &reader);
}
