// SPDX-License-Identifier: GPL-2.0
/* What the commands of twheel share. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

void usage_hint(const struct command *command)
{
	fprintf(stderr, "Try 'twheel%s%s --help'.\n", command ? " " : "",
		command ? command->name : "");
}

int usage_error(const struct command *command, const char *format, ...)
{
	va_list args;

	fputs("twheel: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
	usage_hint(command);
	return EXIT_USAGE;
}

static int output_error;

int output_flush(void)
{
	errno = 0;
	if (fflush(stdout) && !output_error)
		output_error = -errno;
	if (ferror(stdout) && !output_error)
		output_error = -EIO;
	return output_error;
}

void output_forgive(void)
{
	clearerr(stdout);
	output_error = 0;
}

void device_explain(const char *path, int err)
{
	if (err == ENOTTY || err == EISDIR) {
		fprintf(stderr, "twheel: %s is not a twheel device\n", path);
		return;
	}
	fprintf(stderr, "twheel: cannot use %s: %s\n", path, strerror(err));
	switch (err) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		fputs("The module is not loaded, or the device is elsewhere.\n"
		      "Load it as root with insmod: make says where twheel.ko is.\n",
		      stderr);
		break;
	case EACCES:
	case EPERM:
		fprintf(stderr,
			"You may not read and write it.  Run as root, or let a group of yours have it,\n"
			"as root: chgrp GROUP %s && chmod 0660 %s\n",
			path, path);
		break;
	}
}

static int query(int fd, struct twheel_info *info)
{
	int err = -twheel_info(fd, info, sizeof(*info));

	/* Some drivers say EINVAL to a command that they do not know. */
	return err == EINVAL ? ENOTTY : err;
}

int device_open(const char *path, struct twheel_info *info)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	int err = fd < 0 ? errno : query(fd, info);

	if (err) {
		device_explain(path, err);
	} else if (info->event_size != sizeof(struct twheel_event)) {
		err = EPROTO;
		fprintf(stderr,
			"twheel: %s yields records of %u bytes; this program was built for %zu, build it anew\n",
			path, info->event_size, sizeof(struct twheel_event));
	}
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return -err;
}
