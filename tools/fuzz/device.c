// SPDX-License-Identifier: GPL-2.0
/* The device itself. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

int device_open(void)
{
	int fd = open("/dev/twheel", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void device_close(int fd)
{
	close(fd);
}

int device_ioctl(int fd, unsigned int cmd, void *arg)
{
	return ioctl(fd, cmd, arg) < 0 ? -errno : 0;
}

ssize_t device_read(int fd, struct twheel_event *events, unsigned int room)
{
	ssize_t size = read(fd, events, room * sizeof(*events));

	return size < 0 ? -errno : size / (ssize_t)sizeof(*events);
}

__u64 device_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

void device_sleep(__u64 ns)
{
	struct timespec time = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&time, NULL);
}
