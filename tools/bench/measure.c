// SPDX-License-Identifier: GPL-2.0
/* What is measured with: time, memory, interrupts. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "bench.h"

unsigned long bench_calls;

__u64 bench_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * BENCH_SECOND + now.tv_nsec;
}

void bench_sleep_until(__u64 when)
{
	struct timespec until = {
		.tv_sec = when / BENCH_SECOND,
		.tv_nsec = when % BENCH_SECOND,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		;
}

static size_t buffers;

static void *map(size_t count, size_t size, int flags)
{
	void *memory = mmap(NULL, count * size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "%zu x %zu bytes", count, size);
	return memory;
}

void *bench_alloc(size_t count, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);

	buffers += (count * size + page - 1) / page * page;
	return map(count, size, MAP_POPULATE);
}

void *bench_room(size_t count, size_t size)
{
	return map(count, size, 0);
}

/* The number in the first line of @path that begins with @key; summed over all lines. */
static long sum_of(const char *path, const char *key)
{
	FILE *file = fopen(path, "re");
	long number, sum = 0;
	char line[512];

	if (!file)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		char *start = line + strspn(line, " ");

		if (!strncmp(start, key, strlen(key)) &&
		    sscanf(start + strlen(key), "%ld", &number) == 1)
			sum += number;
	}
	fclose(file);
	return sum;
}

/*
 * Bytes in use, except by bench_alloc().  What waits in the free lists of the CPU is more
 * than some figures, and MemFree leaves it out.  MemAvailable would not do: it takes half of
 * what can be reclaimed for free, also that of files that are open.
 */
long bench_memory_used(void)
{
	long kib = sum_of("/proc/meminfo", "MemTotal:") - sum_of("/proc/meminfo", "MemFree:");
	long pages = sum_of("/proc/zoneinfo", "count:");

	return kib * 1024 - pages * 4096 - buffers;
}

long bench_memory_slab(void)
{
	return sum_of("/proc/meminfo", "Slab:") * 1024;
}

/* Interrupts of the CPU's timer, which nothing else wakes when it is idle. */
unsigned long bench_wakeups(void)
{
	return sum_of("/proc/interrupts", "LOC:");
}
