// SPDX-License-Identifier: MIT
/*
 * Very many timers, all of them restarted: traffic has come on every connection.
 *
 * A batch saves the system call per timer.  What it is submitted in is up to the
 * program, 256 operations here: that is where more of them gain little.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <twheel.h>

#define BATCH	256
#define HOUR_NS	3600000000000ULL

static int fd;
static struct twheel_batch *batch;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Submits what was added.  Each operation fails or succeeds on its own. */
static void carry_out(void)
{
	unsigned int i, count = twheel_batch_count(batch);
	int done = twheel_batch_submit(batch, fd);

	if (done < 0)
		errx(1, "submit: %s", strerror(-done));
	if ((unsigned int)done < count)
		errx(1, "only %d operations of %u were done", done, count);
	for (i = 0; i < count; i++)
		if (twheel_batch_result(batch, i)->error)
			errx(1, "operation %u: %s", i,
			     strerror(-twheel_batch_result(batch, i)->error));
	twheel_batch_clear(batch);
}

static void add_start(unsigned int id)
{
	twheel_batch_start(batch, id, HOUR_NS, 0);
}

static void add_reset(unsigned int id)
{
	twheel_batch_reset(batch, id);
}

static void all(const char *name, void (*add)(unsigned int id), unsigned int timers)
{
	uint64_t began = now_ns(), took;
	unsigned int id;

	for (id = 0; id < timers; id++) {
		add(id);
		if (twheel_batch_count(batch) == BATCH)
			carry_out();
	}
	carry_out();
	took = now_ns() - began;
	printf("%s %u timers in %.3f ms, %llu ns each\n", name, timers, took / 1e6,
	       (unsigned long long)took / timers);
}

int main(int argc, char **argv)
{
	struct twheel_stats stats;
	unsigned int timers = 100000;
	int ret;

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return printf("usage: %s [TIMERS]\nRestarts TIMERS (100000).\n", argv[0]) < 0;
	if (argc > 1)
		timers = strtoul(argv[1], NULL, 0);
	if (!timers)
		errx(1, "%s: not a number of timers", argv[1]);
	fd = twheel_open(0);
	if (fd < 0)
		errx(1, "/dev/twheel: %s", strerror(-fd));
	ret = twheel_batch_new(&batch, BATCH);
	if (ret)
		errx(1, "%s", strerror(-ret));
	all("started", add_start, timers);
	all("restarted", add_reset, timers);

	ret = twheel_stats(fd, &stats, sizeof(stats));
	if (ret)
		errx(1, "stats: %s", strerror(-ret));
	printf("%llu timers are running, %llu resets\n", stats.armed, stats.reset);
	twheel_batch_free(batch);
	close(fd);
	return 0;
}
