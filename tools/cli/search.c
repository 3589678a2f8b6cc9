// SPDX-License-Identifier: GPL-2.0
/* Descriptors of the device in other processes, as far as these may be looked into. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "search.h"

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

#define READER_LINK	"anon_inode:[twheel"

/* A descriptor that READER made is not of the node. */
static bool is_reader(const char *path)
{
	char link[64] = "";

	return readlink(path, link, sizeof(link) - 1) > 0 &&
	       !strncmp(link, READER_LINK, strlen(READER_LINK));
}

/* By device number, for the node may be known by another name over there. */
static bool is_device(const struct search *search, int pid, int fd)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	if (!stat(path, &st) && S_ISCHR(st.st_mode))
		return st.st_rdev == search->rdev;
	return is_reader(path);
}

static void look_at_fd(struct search *search, int pid, int fd)
{
	if (!is_device(search, pid, fd))
		return;
	/* The process may have closed it or be gone by now: no reason to stop. */
	if (search->look(search, pid, fd))
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

		if (fd >= 0 && (search->fd == SEARCH_ANY || search->fd == fd))
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
	else if (search->fd != SEARCH_ANY)
		fprintf(stderr, "twheel: descriptor %d of process %d is not an open %s\n",
			search->fd, search->pid, search->cli->device);
	else
		fprintf(stderr, "twheel: process %d does not have %s open\n",
			search->pid, search->cli->device);
	return EXIT_FAILED;
}

bool search_number(const struct command *command, const char *what,
		   int *number)
{
	*number = *optarg ? number_of(optarg) : -1;
	if (*number >= 0)
		return true;
	usage_error(command, "'%s' is not the number of a %s", optarg, what);
	return false;
}

int search_run(struct search *search)
{
	const char *device = search->cli->device;
	struct stat st;

	if (stat(device, &st)) {
		device_explain(device, errno);
		return EXIT_DEVICE;
	}
	if (!S_ISCHR(st.st_mode)) {
		device_explain(device, ENOTTY);
		return EXIT_DEVICE;
	}
	search->rdev = st.st_rdev;
	return search->pid == SEARCH_ANY ? look_at_all(search) :
					   look_at_one(search);
}

void comm_of(int pid, char *comm, int size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(comm, size, file))
		snprintf(comm, size, "?");
	comm[strcspn(comm, "\n")] = '\0';
	if (file)
		fclose(file);
}
