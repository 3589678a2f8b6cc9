// SPDX-License-Identifier: MIT
/* The harness, see test.h. */
#include <time.h>

#include "test.h"

#define PATIENCE_MS	30000

static bool failed;

bool check(bool good, const char *what, const char *file, int line)
{
	if (good)
		return true;
	failed = true;
	printf("# %s:%d: not so: %s\n", file, line, what);
	return false;
}

bool check_equal(long long expected, long long seen, const char *what, const char *file, int line)
{
	if (expected == seen)
		return true;
	failed = true;
	printf("# %s:%d: %s is %lld, not %lld\n", file, line, what, seen, expected);
	return false;
}

int run_tests(const struct test *tests, unsigned int count)
{
	unsigned int i, failures = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%u\n", count);
	for (i = 0; i < count; i++) {
		failed = false;
		tests[i].run();
		failures += failed;
		printf("%sok %u - %s\n", failed ? "not " : "", i + 1, tests[i].name);
	}
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

bool await_queued(int fd, unsigned int queued)
{
	struct timespec pause = { .tv_nsec = MS };
	struct twheel_stats stats;
	int i;

	for (i = 0; i < PATIENCE_MS; i++) {
		if (twheel_stats(fd, &stats, sizeof(stats)))
			break;
		if (stats.waiting == queued)
			return true;
		nanosleep(&pause, NULL);
	}
	return CHECK(!"the expiries did not come");
}
