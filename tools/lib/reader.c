// SPDX-License-Identifier: MIT
/* Further readers of an instance, and its end. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "internal.h"

int twheel_reader(int fd, struct twheel_reader *reader)
{
	int made = ioctl(fd, TWHEEL_IOC_READER, reader);

	return made < 0 ? -errno : made;
}

int twheel_reader_open(int fd, uint32_t flags)
{
	struct twheel_reader reader = { .flags = flags };

	return twheel_reader(fd, &reader);
}

int twheel_reader_adopt(int fd)
{
	struct twheel_info info;
	int flags, ret = twheel_info(fd, &info, sizeof(info));

	if (ret)
		return ret;
	flags = fcntl(fd, F_GETFD);
	if (flags < 0 || fcntl(fd, F_SETFD, flags | FD_CLOEXEC) < 0)
		return -errno;
	return info.reader;
}

int twheel_drain(int fd, struct twheel_drain *drain)
{
	return twheel_command(fd, TWHEEL_IOC_DRAIN, drain);
}

int twheel_drain_events(int fd, struct twheel_event *events, unsigned int count)
{
	struct twheel_drain drain = {
		.events = (uintptr_t)events,
		.room = count < TWHEEL_DRAIN_MAX ? count : TWHEEL_DRAIN_MAX,
	};
	int ret = twheel_drain(fd, &drain);

	return ret ? ret : (int)drain.count;
}

int twheel_shutdown(int fd, struct twheel_shutdown *shutdown)
{
	return twheel_command(fd, TWHEEL_IOC_SHUTDOWN, shutdown);
}
