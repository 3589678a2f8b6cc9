// SPDX-License-Identifier: GPL-2.0
/* twheel stats: counters of all instances, from /proc/PID/fdinfo/FD */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fdinfo.h"

static const char help[] =
	"Usage: twheel stats [--pid PID [--fd FD]] [OPTION]...\n"
	"List the open files of the device, of all processes that you may look into,\n"
	"each with its settings and counters from /proc/PID/fdinfo/FD.  An instance that\n"
	"several descriptors share (dup, fork) is listed once for each.\n"
	"\n"
	"  --pid PID        only this process\n"
	"  --fd FD          only this descriptor of it\n";

#define ANY	(-1)

struct search {
	struct cli *cli;
	int pid;		/* or ANY */
	int fd;			/* or ANY */
	dev_t rdev;		/* of the device */
	unsigned int found;
	unsigned int denied;	/* processes that may not be looked into */
};

/* A name of only digits, or -1. */
static int number_of(const char *name)
{
	struct why why;
	__u64 number;

	if (name[strspn(name, "0123456789")] ||
	    number_parse(name, &number, &why) || number > __INT_MAX__)
		return -1;
	return number;
}

/* By device number, for the node may be known by another name over there. */
static bool is_device(const struct search *search, int pid, int fd)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	return !stat(path, &st) && S_ISCHR(st.st_mode) &&
	       st.st_rdev == search->rdev;
}

static void look_at_fd(struct search *search, int pid, int fd)
{
	if (!is_device(search, pid, fd))
		return;
	/* The process may have closed it or be gone by now: no reason to stop. */
	if (fdinfo_show(search->cli, pid, fd))
		search->found++;
}

static void look_at_pid(struct search *search, int pid)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir) {
		search->denied += errno == EACCES || errno == EPERM;
		return;
	}
	while ((entry = readdir(dir))) {
		int fd = number_of(entry->d_name);

		if (fd >= 0 && (search->fd == ANY || search->fd == fd))
			look_at_fd(search, pid, fd);
	}
	closedir(dir);
}

static int look_at_all(struct search *search)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	if (!dir) {
		fprintf(stderr, "twheel: cannot list /proc: %s\n",
			strerror(errno));
		return EXIT_FAILED;
	}
	while ((entry = readdir(dir))) {
		int pid = number_of(entry->d_name);

		if (pid >= 0)
			look_at_pid(search, pid);
	}
	closedir(dir);
	if (search->denied)
		fprintf(stderr,
			"twheel: %u processes may not be looked into; run as root to see all\n",
			search->denied);
	if (search->found)
		return EXIT_DONE;
	fprintf(stderr, "twheel: no process that could be looked into has %s open\n",
		search->cli->device);
	return EXIT_DONE;
}

static int look_at_one(struct search *search)
{
	char path[64];

	look_at_pid(search, search->pid);
	if (search->found)
		return EXIT_DONE;
	snprintf(path, sizeof(path), "/proc/%d", search->pid);
	if (access(path, F_OK))
		fprintf(stderr, "twheel: there is no process %d\n",
			search->pid);
	else if (search->denied)
		fprintf(stderr,
			"twheel: process %d may not be looked into; run as its user or as root\n",
			search->pid);
	else if (search->fd != ANY)
		fprintf(stderr, "twheel: descriptor %d of process %d is not an open %s\n",
			search->fd, search->pid, search->cli->device);
	else
		fprintf(stderr, "twheel: process %d does not have %s open\n",
			search->pid, search->cli->device);
	return EXIT_FAILED;
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
		int *number = option == PID ? &search->pid : &search->fd;

		if (option == OPTION_BAD)
			return false;
		*number = *optarg ? number_of(optarg) : -1;
		if (*number < 0) {
			usage_error(&stats_command, "'%s' is not the number of a %s",
				    optarg, option == PID ? "process" : "descriptor");
			return false;
		}
	}
	return true;
}

static int stats_main(struct cli *cli, int argc, char **argv)
{
	struct search search = { .cli = cli, .pid = ANY, .fd = ANY };
	struct stat st;

	if (!parse_options(&search, argc, argv))
		return EXIT_USAGE;
	if (argc != optind)
		return usage_error(&stats_command, "stats takes no argument");
	if (search.fd != ANY && search.pid == ANY)
		return usage_error(&stats_command, "--fd needs --pid");
	if (stat(cli->device, &st)) {
		device_explain(cli->device, errno);
		return EXIT_DEVICE;
	}
	if (!S_ISCHR(st.st_mode)) {
		device_explain(cli->device, ENOTTY);
		return EXIT_DEVICE;
	}
	search.rdev = st.st_rdev;
	return search.pid == ANY ? look_at_all(&search) :
				   look_at_one(&search);
}

const struct command stats_command = { "stats", help, stats_main };
