// SPDX-License-Identifier: MIT
/* An instance as such: open, settings, counters. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>

#include "internal.h"

int twheel_command(int fd, unsigned long number, void *arg)
{
	return ioctl(fd, number, arg) < 0 ? -errno : 0;
}

int twheel_open(int flags)
{
	int fd;

	if (flags & ~(O_NONBLOCK | O_CLOEXEC))
		return -EINVAL;
	fd = open("/dev/twheel", O_RDWR | O_CLOEXEC | O_NOCTTY | flags);
	return fd < 0 ? -errno : fd;
}

/* All size-first structures begin like this; shorter ones never existed. */
struct head {
	__u32 size;
	__u32 flags;
};

static int sized_command(int fd, unsigned long number, void *arg, size_t size)
{
	struct head *head = arg;

	if (size < sizeof(*head) || size > UINT32_MAX)
		return -EINVAL;
	head->size = size;
	return twheel_command(fd, number, arg);
}

/*
 * For structures of which all is output.  Cleared, so that an older module takes
 * a longer structure than its own.
 */
static int sized_query(int fd, unsigned long number, void *arg, size_t size)
{
	memset(arg, 0, size);
	return sized_command(fd, number, arg, size);
}

int twheel_info(int fd, struct twheel_info *info, size_t size)
{
	return sized_query(fd, TWHEEL_IOC_INFO, info, size);
}

int twheel_setup(int fd, struct twheel_setup *setup, size_t size)
{
	return sized_command(fd, TWHEEL_IOC_SETUP, setup, size);
}

int twheel_stats(int fd, struct twheel_stats *stats, size_t size)
{
	return sized_query(fd, TWHEEL_IOC_STATS, stats, size);
}

int twheel_reader_stats(int fd, uint32_t reader, struct twheel_stats *stats, size_t size)
{
	/* A program whose header has no readers cannot ask for one. */
	if (size < offsetof(struct twheel_stats, reader) + sizeof(stats->reader))
		return -EINVAL;
	memset(stats, 0, size);
	stats->flags = TWHEEL_STATS_READER;
	stats->reader = reader;
	return sized_command(fd, TWHEEL_IOC_STATS, stats, size);
}
