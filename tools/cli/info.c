// SPDX-License-Identifier: GPL-2.0
/* twheel info: limits and settings of the device */
#include <unistd.h>

#include "session.h"

static const char help[] =
	"Usage: twheel info [OPTION]...\n"
	"Print the limits of the device, and the settings that an instance begins with.\n";

static int info_main(struct cli *cli, int argc, char **argv)
{
	struct twheel_info info;
	int fd;

	if (next_option(cli, &info_command, NULL, argc, argv) != -1)
		return EXIT_USAGE;
	if (argc != optind)
		return usage_error(&info_command, "info takes no argument");

	fd = device_open(cli->device, &info);
	if (fd < 0)
		return EXIT_DEVICE;
	info_show(cli, &info);
	close(fd);
	return EXIT_DONE;
}

const struct command info_command = { "info", help, info_main };
