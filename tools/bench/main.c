// SPDX-License-Identifier: GPL-2.0
/* The program of the benchmark: options, and a process for each measurement. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"

static const struct bench_ops * const back_ends[] = {
	&bench_null,
	&bench_twheel_single,
	&bench_twheel_batch_1,
	&bench_twheel_batch_16,
	&bench_twheel_batch_256,
	&bench_twheel_batch_4096,
	&bench_timerfd,
	&bench_heap,
};

#define BACK_ENDS (sizeof(back_ends) / sizeof(back_ends[0]))

static const struct bench_ops *find(const char *name)
{
	size_t i;

	for (i = 0; i < BACK_ENDS; i++) {
		if (!strcmp(name, back_ends[i]->name))
			return back_ends[i];
	}
	errx(2, "no back end '%s': see --help", name);
}

static unsigned int number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!*text || *end || value < 1 || value > 10000000)
		errx(2, "'%s': a number of timers is from 1 to 10000000", text);
	return value;
}

/* A limit of the kernel's that is there for other reasons than how well it does. */
static void lift(int resource, rlim_t limit)
{
	struct rlimit both = { limit, limit };

	if (setrlimit(resource, &both))
		warn("limit %d cannot be raised to %lu", resource, (unsigned long)limit);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (!file || fputs(text, file) < 0 || fclose(file))
		warn("%s", path);
}

static void lift_limits(void)
{
	write_file("/proc/sys/fs/nr_open", "4000000");
	write_file("/proc/sys/fs/file-max", "4000000");
	lift(RLIMIT_NOFILE, 4000000);
	lift(RLIMIT_SIGPENDING, RLIM_INFINITY);
	lift(RLIMIT_MEMLOCK, RLIM_INFINITY);
}

/* In a process of its own, so that nothing of one measurement is left for the next. */
static int run(const struct bench_ops *ops, const char *workload, unsigned int timers)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child) {
		bench_run(ops, workload, timers);
		exit(0);
	}
	if (waitpid(child, &status, 0) != child)
		err(1, "waitpid");
	if (!status)
		return 0;
	warnx("%s at %u timers: ended with status %#x", ops->name, timers, status);
	return 1;
}

int main(int argc, char **argv)
{
	const struct bench_ops *ops = find(argv[1]);
	int i, status = 0;

	lift_limits();
	for (i = 2; i < argc; i++)
		status |= run(ops, "all", number(argv[i]));
	return status;
}
