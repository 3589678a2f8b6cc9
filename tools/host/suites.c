// SPDX-License-Identifier: GPL-2.0
/*
 * The suites and parameters of a program, and how a case is run
 */
#include <stdio.h>
#include <string.h>

#include <kunit/test.h>

static struct shim_param *params;
struct kunit_suite *shim_suites;

void shim_param_register(struct shim_param *param)
{
	param->next = params;
	params = param;
}

void shim_suite_register(struct kunit_suite *suite)
{
	struct kunit_suite **link = &shim_suites;

	while (*link && strcmp((*link)->name, suite->name) < 0)
		link = &(*link)->next;
	suite->next = *link;
	*link = suite;
}

bool shim_set_param(const char *name, size_t len, unsigned long long value)
{
	struct shim_param *param;
	bool found = false;

	for (param = params; param; param = param->next) {
		if (strlen(param->name) != len || memcmp(param->name, name, len))
			continue;
		/* Little-endian, as are all machines this is likely to run on. */
		memcpy(param->value, &value, param->size);
		found = true;
	}
	return found;
}

void shim_give_up(struct kunit *test)
{
	longjmp(test->give_up, 1);
}

bool shim_run_once(const struct kunit_suite *suite,
		   const struct kunit_case *one, const void *param)
{
	struct kunit test = { .param_value = param };

	if (suite->init && suite->init(&test)) {
		shim_fail(&test, __FILE__, __LINE__,
			  "the init function of the suite failed");
		return false;
	}
	if (!setjmp(test.give_up))
		one->run_case(&test);
	if (suite->exit)
		suite->exit(&test);
	return test.status == KUNIT_SUCCESS;
}
