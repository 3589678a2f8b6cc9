// SPDX-License-Identifier: MIT
/*
 * Periodic work that knows how many periods it missed.
 *
 * The timer stays on its grid (first deadline + k periods), however long the work
 * takes; an expiry says how many periods have passed since the last one was read.
 * Every fourth round takes longer than three periods here.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <twheel.h>

#define MS	1000000ULL

static unsigned long argument(int argc, char **argv, int i, unsigned long otherwise)
{
	return argc > i ? strtoul(argv[i], NULL, 0) : otherwise;
}

static void show_help(const char *name)
{
	printf("usage: %s [ROUNDS [PERIOD]]\n"
	       "Works ROUNDS times (12), every PERIOD ms (20); reports missed periods.\n", name);
}

static void sleep_ns(uint64_t ns)
{
	struct timespec ts = { .tv_sec = ns / (1000 * MS), .tv_nsec = ns % (1000 * MS) };

	nanosleep(&ts, NULL);
}

int main(int argc, char **argv)
{
	struct twheel_start start = { .id = 1 };
	struct twheel_event event;
	unsigned long round, rounds, missed = 0;
	uint64_t deadline;
	int fd, ret;

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return show_help(argv[0]), 0;
	rounds = argument(argc, argv, 1, 12);
	start.interval_ns = argument(argc, argv, 2, 20) * MS;
	start.time_ns = start.interval_ns;
	if (!start.interval_ns)
		errx(1, "%s: not a period in ms", argv[2]);

	fd = twheel_open(0);
	if (fd < 0)
		errx(1, "/dev/twheel: %s", strerror(-fd));
	ret = twheel_start(fd, &start);
	if (ret)
		errx(1, "start every %llu ns: %s", start.interval_ns, strerror(-ret));

	deadline = start.deadline_ns;
	for (round = 1; round <= rounds; round++) {
		ret = twheel_read(fd, &event, 1);
		if (ret < 0)
			errx(1, "read: %s", strerror(-ret));
		if (event.deadline_ns != deadline || event.fired_ns < deadline)
			errx(1, "an expiry is not on the grid");
		/* this period, and those that were missed */
		printf("round %lu: %llu missed\n", round, event.expirations - 1);
		missed += event.expirations - 1;
		deadline += event.expirations * start.interval_ns;
		if (round % 4 == 0)
			sleep_ns(start.interval_ns * 7 / 2);
	}
	twheel_stop_id(fd, start.id);
	close(fd);
	printf("%lu rounds, %lu periods missed\n", rounds, missed);
	return 0;
}
