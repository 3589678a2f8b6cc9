/* SPDX-License-Identifier: MIT */
/*
 * A small TAP harness for the tests of libtwheel.  They are linked either with
 * device.c, for a machine with the module, or with fake.c, which stands in for
 * it, so that they run anywhere and under sanitizers.
 */
#ifndef TWHEEL_LIB_TEST_H
#define TWHEEL_LIB_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twheel.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MS	1000000ULL
#define HOUR	(3600000 * MS)

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(function)	{ #function, function }

/* main(): runs all; the exit status. */
int run_tests(const struct test *tests, unsigned int count);

/* Whether it is so; if not, says so and fails the test. */
#define CHECK(condition)	check(condition, #condition, __FILE__, __LINE__)
bool check(bool good, const char *what, const char *file, int line);

/* The same for two integers. */
#define CHECK_EQ(expected, seen)	\
	check_equal((long long)(expected), (long long)(seen), #seen, __FILE__, __LINE__)
bool check_equal(long long expected, long long seen, const char *what, const char *file,
		 int line);

/* The clock of the device, CLOCK_MONOTONIC. */
uint64_t now_ns(void);

/* Waits until so many expiries of an instance wait to be read, in the queue or once more. */
bool await_queued(int fd, unsigned int queued);

#ifdef __cplusplus
}
#endif

#endif /* TWHEEL_LIB_TEST_H */
