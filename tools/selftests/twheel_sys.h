/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What surrounds the device, for the self tests: the module and its parameters,
 * and the memory of the machine.
 */
#ifndef TWHEEL_SYS_H
#define TWHEEL_SYS_H

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "twheel_test.h"

#define TW_SYSFS	"/sys/module/twheel"

static inline int tw_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* The first number in a file; -1 if there is none. */
static inline long long tw_read_number(const char *path)
{
	FILE *file = fopen(path, "r");
	long long number;

	if (!file)
		return -1;
	if (fscanf(file, "%lld", &number) != 1)
		number = -1;
	fclose(file);
	return number;
}

static inline long long tw_parameter(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), TW_SYSFS "/parameters/%s", name);
	return tw_read_number(path);
}

static inline int tw_set_parameter(const char *name, long long value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), TW_SYSFS "/parameters/%s", name);
	snprintf(text, sizeof(text), "%lld", value);
	return tw_write_file(path, text);
}

/* Open files of the device. */
static inline long long tw_module_users(void)
{
	return tw_read_number(TW_SYSFS "/refcnt");
}

static inline bool tw_await_users(long long users)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;

	while (tw_module_users() != users) {
		if (tw_now() > give_up)
			return false;
		tw_sleep(TW_MS);
	}
	return true;
}

static inline int tw_unload(void)
{
	return syscall(SYS_delete_module, "twheel", O_NONBLOCK) ? -errno : 0;
}

static inline int tw_load(void)
{
	const char *path = getenv("TWHEEL_MODULE");
	int fd = open(path ? path : "/lib/twheel/twheel.ko", O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret;
}

/* A line of /proc/meminfo, in KiB. */
static inline long tw_meminfo(const char *name)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128], key[64];
	long value = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63[^:]: %ld", key, &value) == 2 &&
		    !strcmp(key, name))
			break;
	}
	fclose(file);
	return value;
}

/*
 * KiB in use, apart from the page cache.  By what it is used for, and not by what
 * is free: tens of MiB that were freed wait in lists of each CPU, uncounted.
 */
static inline long tw_memory_used(void)
{
	return tw_meminfo("Slab") + tw_meminfo("VmallocUsed") +
	       tw_meminfo("KernelStack") + tw_meminfo("PageTables") +
	       tw_meminfo("AnonPages");
}

/*
 * KiB that may be missing when all was given back: free lists of each CPU, and
 * with KASAN, what it keeps in quarantine for a while.
 */
static inline long tw_memory_slack(void)
{
	long slack = 8 * 1024;
	char line[256];
	FILE *file = fopen("/proc/kallsyms", "r");

	while (file && fgets(line, sizeof(line), file)) {
		if (!strstr(line, " kasan_quarantine_put\n"))
			continue;
		slack += tw_meminfo("MemTotal") / 32 + 16 * 1024;
		break;
	}
	if (file)
		fclose(file);
	return slack;
}

/* Wait until no more than @kib are in use. */
static inline bool tw_await_memory(long kib)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;

	while (tw_memory_used() > kib) {
		if (tw_now() > give_up)
			return false;
		tw_sleep(10 * TW_MS);
	}
	return true;
}

/* A memory cgroup for a test. */
#define TW_CGROUP	"/sys/fs/cgroup/twheel_test"

/* Make the cgroup; false if there are no memory cgroups here. */
static inline bool tw_cgroup_make(void)
{
	if (tw_write_file("/sys/fs/cgroup/cgroup.subtree_control", "+memory"))
		return false;
	return !mkdir(TW_CGROUP, 0755) || errno == EEXIST;
}

static inline int tw_cgroup_limit(unsigned int mib)
{
	char text[32];

	snprintf(text, sizeof(text), "%u", mib << 20);
	return tw_write_file(TW_CGROUP "/memory.max", text);
}

/*
 * Move into the cgroup.  What a process has by then is locked in memory, since
 * a page fault in a full cgroup would be the end of it.
 */
static inline int tw_cgroup_enter(void)
{
	if (mlockall(MCL_CURRENT))
		return -errno;
	return tw_write_file(TW_CGROUP "/cgroup.procs", "0");
}

static inline long long tw_cgroup_oom_kills(void)
{
	FILE *file = fopen(TW_CGROUP "/memory.events", "r");
	long long kills = -1;
	char line[64];

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "oom_kill %lld", &kills);
	if (file)
		fclose(file);
	return kills;
}

/* Wait until no more is charged to the cgroup than what free lists keep. */
static inline bool tw_cgroup_await_memory(void)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	long long slack = tw_memory_slack() * 1024;

	while (tw_read_number(TW_CGROUP "/memory.current") > slack) {
		if (tw_now() > give_up)
			return false;
		tw_sleep(10 * TW_MS);
	}
	return true;
}

/* Pass a descriptor over a socket; 0 or -errno. */
static inline int tw_send_fd(int socket, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return sendmsg(socket, &msg, 0) == 1 ? 0 : -errno;
}

/* The descriptor that comes over a socket, or -1. */
static inline int tw_receive_fd(int socket)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(socket, &msg, 0) != 1 || !CMSG_FIRSTHDR(&msg))
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

#endif /* TWHEEL_SYS_H */
