// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the KUnit suites in user space and prints TAP
 *
 * usage: twheel-tests [PARAMETER=N]... [SUITE]...
 *
 * The parameters are those of the test modules; "ops" and "seed" are common to
 * several of them.  Without a SUITE all of them run.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kunit/test.h>

#include "../../module/instance.h"

void shim_info(const char *format, ...)
{
	va_list args;

	printf("    # ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

void shim_fail(struct kunit *test, const char *file, int line,
	       const char *format, ...)
{
	va_list args;

	test->status = KUNIT_FAILURE;
	printf("    # %s:%d: ", file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static bool run_params(const struct kunit_suite *suite,
		       const struct kunit_case *one)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	const void *param = NULL;
	bool passed = true, good;

	while ((param = one->generate(param, desc))) {
		good = shim_run_once(suite, one, param);
		printf("    # %s: %s\n", desc, good ? "ok" : "not ok");
		passed &= good;
	}
	return passed;
}

static bool run_case(const struct kunit_suite *suite,
		     const struct kunit_case *one)
{
	static unsigned int nr;
	bool passed;

	if (one->generate)
		passed = run_params(suite, one);
	else
		passed = shim_run_once(suite, one, NULL);
	printf("%s %u - %s.%s\n", passed ? "ok" : "not ok", ++nr, suite->name,
	       one->name);
	fflush(stdout);
	return passed;
}

/* Set a parameter; false if @arg is wrong. */
static bool parse_param(const char *arg)
{
	const char *equals = strchr(arg, '=');
	unsigned long long value;
	char *end;

	value = strtoull(equals + 1, &end, 0);
	if (end == equals + 1 || *end || !shim_set_param(arg, equals - arg, value)) {
		fprintf(stderr, "no such parameter or no number: %s\n", arg);
		return false;
	}
	return true;
}

static bool wanted(const struct kunit_suite *suite, char **names)
{
	for (; *names; names++)
		if (!strcmp(suite->name, *names))
			return true;
	return false;
}

static unsigned int count_cases(const struct kunit_suite *suite)
{
	unsigned int nr = 0;

	while (suite->test_cases[nr].run_case)
		nr++;
	return nr;
}

static unsigned int run_suites(char **names)
{
	const struct kunit_suite *suite;
	const struct kunit_case *one;
	unsigned int failed = 0, planned = 0;

	for (suite = shim_suites; suite; suite = suite->next)
		if (!*names || wanted(suite, names))
			planned += count_cases(suite);
	printf("TAP version 13\n1..%u\n", planned);
	for (suite = shim_suites; suite; suite = suite->next)
		if (!*names || wanted(suite, names))
			for (one = suite->test_cases; one->run_case; one++)
				failed += !run_case(suite, one);
	if (!planned)
		fprintf(stderr, "no such suite\n");
	return planned ? failed : 1;
}

int main(int argc, char **argv)
{
	unsigned int failed;
	char **arg = argv + 1;

	for (; *arg && strchr(*arg, '='); arg++)
		if (!parse_param(*arg))
			return 2;
	if (twheel_instance_module_init())
		return 2;
	failed = run_suites(arg);
	twheel_instance_module_exit();
	return failed ? 1 : 0;
}
