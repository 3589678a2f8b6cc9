// SPDX-License-Identifier: GPL-2.0
/* The device itself. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "mutate.h"

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

int device_mutated(int fd, const struct mutated_call *call)
{
	int pipefd[2] = { -1, -1 }, null = -1, ret;

	switch (call->descriptor) {
	case MUTATED_CLOSED:
		fd = -1;
		break;
	case MUTATED_NULL:
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		fd = null;
		break;
	case MUTATED_PIPE:
		fd = pipe2(pipefd, O_CLOEXEC) ? -1 : pipefd[0];
		break;
	default:
		break;
	}
	ret = ioctl(fd, call->cmd, call->arg);
	if (ret < 0)
		ret = -errno;
	close(null);
	close(pipefd[0]);
	close(pipefd[1]);
	return ret;
}

int device_other(struct twheel_setup *setup)
{
	int ret, fd = device_open();

	if (fd < 0)
		return fd;
	ret = device_ioctl(fd, TWHEEL_IOC_SETUP, setup);
	if (!ret)
		return fd;
	close(fd);
	return ret;
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
