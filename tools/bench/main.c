// SPDX-License-Identifier: GPL-2.0
/* The program of the benchmark: options, and a process for each measurement. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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
	&bench_twheel_mapped,
	&bench_twheel_uring,
	&bench_timerfd,
	&bench_posix,
	&bench_uring,
	&bench_misdn,
	&bench_heap,
	&bench_skiplist,
	&bench_libevent,
	&bench_libuv,
	NULL
};

static const struct bench_ops *find(const char *name)
{
	size_t i;

	for (i = 0; back_ends[i]; i++) {
		if (!strcmp(name, back_ends[i]->name))
			return back_ends[i];
	}
	errx(2, "no back end '%s': see --help", name);
}

static unsigned int parse_timers(const char *text)
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
	write_file("/proc/sys/fs/epoll/max_user_watches", "4000000");
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

static void print_usage(void)
{
	size_t i;

	printf("usage: bench [-w WORKLOAD]... BACK-END TIMERS...\n\n"
	       "Measures how one back end keeps so many timers, and writes CSV.  To be run in\n"
	       "the VM, by tools/bench/run: with -icount a nanosecond is an instruction.\n\n"
	       "  -w, --workload NAME  operations: start, reset, server, stop, memory\n"
	       "                       expire: all in one tick, and taking the expiries\n"
	       "                       stall: no thread runs while all expire\n"
	       "                       idle: wake-ups with timers that are far\n"
	       "                       locked: longest time with bottom halves off\n"
	       "                       (the default: the first three)\n"
	       "  -l, --list           prints the names of the back ends\n"
	       "  -h, --help           prints this\n\n"
	       "Columns: back end, workload, timers, operations measured, value, its unit,\n"
	       "system calls of 1000 operations, and why there is no value.\n\nBack ends:\n");
	for (i = 0; back_ends[i]; i++)
		printf("  %-20s %s\n", back_ends[i]->name, back_ends[i]->what);
}

static void list(void)
{
	size_t i;

	for (i = 0; back_ends[i]; i++)
		puts(back_ends[i]->name);
}

#define WORKLOADS_MAX	8

static const char *workloads[WORKLOADS_MAX + 1];
static int workload_count;

static void add_workload(const char *name)
{
	if (workload_count == WORKLOADS_MAX)
		errx(2, "more than %d workloads", WORKLOADS_MAX);
	workloads[workload_count++] = name;
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "workload", required_argument, NULL, 'w' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int option;

	while ((option = getopt_long(argc, argv, "w:lh", options, NULL)) != -1) {
		switch (option) {
		case 'w':
			add_workload(optarg);
			break;
		case 'l':
			list();
			exit(0);
		case 'h':
			print_usage();
			exit(0);
		default:
			errx(2, "see --help");
		}
	}
	if (argc - optind < 2)
		errx(2, "a back end and a number of timers are needed: see --help");
	if (!workload_count) {
		add_workload("operations");
		add_workload("expire");
		add_workload("stall");
	}
}

int main(int argc, char **argv)
{
	const struct bench_ops *ops;
	int i, k, status = 0;

	parse(argc, argv);
	ops = find(argv[optind]);
	lift_limits();
	/* or memory would come in steps of many timers */
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		warn("huge pages cannot be turned off");
	for (i = optind + 1; i < argc; i++) {
		for (k = 0; k < workload_count; k++)
			status |= run(ops, workloads[k], parse_timers(argv[i]));
	}
	return status;
}
