// SPDX-License-Identifier: GPL-2.0
/* twheel stats: counters of all instances, from /proc/PID/fdinfo/FD */
#include "fdinfo.h"
#include "search.h"

static const char help[] =
	"Usage: twheel stats [--pid PID [--fd FD]] [OPTION]...\n"
	"List the open files of the device, of all processes that you may look into,\n"
	"each with its settings and counters from /proc/PID/fdinfo/FD, and the counters\n"
	"of its reader.  An instance that several descriptors share (readers, dup, fork)\n"
	"is listed once for each.\n"
	"\n"
	"  --pid PID        only this process\n"
	"  --fd FD          only this descriptor of it\n";

static bool look(struct search *search, int pid, int fd)
{
	return fdinfo_show(search->cli, pid, fd);
}

static bool parse_options(struct search *search, int argc, char **argv)
{
	enum { PID = 1, FD };
	static const struct option options[] = {
		{ "pid", required_argument, NULL, PID },
		{ "fd", required_argument, NULL, FD },
		{ 0 },
	};
	int option;

	while ((option = next_option(search->cli, &stats_command, options,
				     argc, argv)) != -1) {
		bool good = false;

		if (option == PID)
			good = search_number(&stats_command, "process",
					     &search->pid);
		else if (option == FD)
			good = search_number(&stats_command, "descriptor",
					     &search->fd);
		if (!good)
			return false;
	}
	return true;
}

static int stats_main(struct cli *cli, int argc, char **argv)
{
	struct search search = {
		.cli = cli,
		.pid = SEARCH_ANY,
		.fd = SEARCH_ANY,
		.look = look,
	};

	if (!parse_options(&search, argc, argv))
		return EXIT_USAGE;
	if (argc != optind)
		return usage_error(&stats_command, "stats takes no argument");
	if (search.fd != SEARCH_ANY && search.pid == SEARCH_ANY)
		return usage_error(&stats_command, "--fd needs --pid");
	return search_run(&search);
}

const struct command stats_command = { "stats", help, stats_main };
