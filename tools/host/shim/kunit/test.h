/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of KUnit as the suites of this project use
 */
#ifndef SHIM_KUNIT_TEST_H
#define SHIM_KUNIT_TEST_H

#include <setjmp.h>

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/types.h>

#define KUNIT_PARAM_DESC_SIZE 128

enum kunit_status {
	KUNIT_SUCCESS,
	KUNIT_FAILURE,
};

/**
 * struct kunit - a test case that runs
 * @priv: The test's.
 * @param_value: The parameter of a case that has any.
 * @status: Whether all expectations were met.
 * @give_up: Where an assertion that is not met goes.
 */
struct kunit {
	void *priv;
	const void *param_value;
	enum kunit_status status;
	jmp_buf give_up;
};

/**
 * struct kunit_case - a test case
 * @run_case: The function.
 * @name: Its name.
 * @generate: Gives the parameter after this one and describes it; NULL if there
 *	are none.
 */
struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate)(const void *before, char *desc);
};

/**
 * struct kunit_suite - a test suite
 * @name: Its name.
 * @init: Called before each case.
 * @exit: Called after each case.
 * @test_cases: Ends with an empty one.
 * @next: The next suite of the program.
 */
struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

/* All suites, sorted by name. */
extern struct kunit_suite *shim_suites;

void shim_suite_register(struct kunit_suite *suite);

/* Run a case with one parameter or none; return whether it passed. */
bool shim_run_once(const struct kunit_suite *suite,
		   const struct kunit_case *one, const void *param);

/* What is told and what is wrong: each program has its own way. */
__printf(1, 2)
void shim_info(const char *format, ...);
__printf(4, 5)
void shim_fail(struct kunit *test, const char *file, int line,
	       const char *format, ...);
__noreturn void shim_give_up(struct kunit *test);

#define kunit_test_suite(suite)						\
	static void __attribute__((constructor)) shim_add_##suite(void)	\
	{								\
		shim_suite_register(&(suite));				\
	}								\
	_Static_assert(1, "suite")

#define KUNIT_CASE(function) { .run_case = function, .name = #function }

#define KUNIT_CASE_PARAM(function, generator)	\
	{ .run_case = function, .name = #function, .generate = generator }

#define KUNIT_ARRAY_PARAM(prefix, array, describe)			\
	static const void *prefix##_gen_params(const void *before,	\
					       char *desc)		\
	{								\
		typeof((array)[0]) *param = (array);			\
									\
		if (before)						\
			param = (typeof(param))before + 1;		\
		if (param == (array) + ARRAY_SIZE(array))		\
			return NULL;					\
		describe(param, desc);					\
		return param;						\
	}

#define kunit_info(test, format, ...)	\
	((void)(test), shim_info(format, ##__VA_ARGS__))

#define shim_check(test, give_up, good, format, ...) do {		\
	if (!(good)) {							\
		shim_fail(test, __FILE__, __LINE__, format,		\
			  ##__VA_ARGS__);				\
		if (give_up)						\
			shim_give_up(test);				\
	}								\
} while (0)

#define shim_compare(test, give_up, left, op, right, format, ...) do {	\
	typeof(left) _left = (left);					\
	typeof(right) _right = (right);					\
									\
	shim_check(test, give_up, _left op _right,			\
		   "%s %s %s, but they are %lld and %lld. " format,	\
		   #left, #op, #right, (long long)_left,		\
		   (long long)_right, ##__VA_ARGS__);			\
} while (0)

#define shim_string(test, give_up, left, right, format, ...) do {	\
	const char *_left = (left), *_right = (right);			\
									\
	shim_check(test, give_up, !strcmp(_left, _right),		\
		   "%s is \"%s\", not \"%s\". " format,			\
		   #left, _left, _right, ##__VA_ARGS__);		\
} while (0)

#define shim_true(test, give_up, condition, format, ...)	\
	shim_check(test, give_up, condition, "%s. " format, #condition,	\
		   ##__VA_ARGS__)

#define KUNIT_FAIL(test, format, ...)	\
	shim_check(test, false, false, format, ##__VA_ARGS__)

#define KUNIT_EXPECT_EQ(test, left, right)	\
	shim_compare(test, false, left, ==, right, "")
#define KUNIT_EXPECT_EQ_MSG(test, left, right, ...)	\
	shim_compare(test, false, left, ==, right, __VA_ARGS__)
#define KUNIT_EXPECT_NE(test, left, right)	\
	shim_compare(test, false, left, !=, right, "")
#define KUNIT_EXPECT_NE_MSG(test, left, right, ...)	\
	shim_compare(test, false, left, !=, right, __VA_ARGS__)
#define KUNIT_EXPECT_LT(test, left, right)	\
	shim_compare(test, false, left, <, right, "")
#define KUNIT_EXPECT_LT_MSG(test, left, right, ...)	\
	shim_compare(test, false, left, <, right, __VA_ARGS__)
#define KUNIT_EXPECT_LE(test, left, right)	\
	shim_compare(test, false, left, <=, right, "")
#define KUNIT_EXPECT_LE_MSG(test, left, right, ...)	\
	shim_compare(test, false, left, <=, right, __VA_ARGS__)
#define KUNIT_EXPECT_GT(test, left, right)	\
	shim_compare(test, false, left, >, right, "")
#define KUNIT_EXPECT_GT_MSG(test, left, right, ...)	\
	shim_compare(test, false, left, >, right, __VA_ARGS__)
#define KUNIT_EXPECT_GE(test, left, right)	\
	shim_compare(test, false, left, >=, right, "")
#define KUNIT_EXPECT_GE_MSG(test, left, right, ...)	\
	shim_compare(test, false, left, >=, right, __VA_ARGS__)
#define KUNIT_EXPECT_TRUE(test, condition)	\
	shim_true(test, false, condition, "")
#define KUNIT_EXPECT_TRUE_MSG(test, condition, ...)	\
	shim_true(test, false, condition, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE(test, condition)	\
	shim_true(test, false, !(condition), "")
#define KUNIT_EXPECT_FALSE_MSG(test, condition, ...)	\
	shim_true(test, false, !(condition), __VA_ARGS__)
#define KUNIT_EXPECT_NOT_NULL(test, pointer)	\
	shim_true(test, false, pointer, "")
#define KUNIT_EXPECT_NULL(test, pointer)	\
	shim_true(test, false, !(pointer), "")
#define KUNIT_EXPECT_PTR_EQ(test, left, right)	\
	shim_true(test, false, (left) == (right), "")
#define KUNIT_EXPECT_STREQ(test, left, right)	\
	shim_string(test, false, left, right, "")
#define KUNIT_EXPECT_STREQ_MSG(test, left, right, ...)	\
	shim_string(test, false, left, right, __VA_ARGS__)

#define KUNIT_ASSERT_EQ(test, left, right)	\
	shim_compare(test, true, left, ==, right, "")
#define KUNIT_ASSERT_EQ_MSG(test, left, right, ...)	\
	shim_compare(test, true, left, ==, right, __VA_ARGS__)
#define KUNIT_ASSERT_NE(test, left, right)	\
	shim_compare(test, true, left, !=, right, "")
#define KUNIT_ASSERT_NE_MSG(test, left, right, ...)	\
	shim_compare(test, true, left, !=, right, __VA_ARGS__)
#define KUNIT_ASSERT_LT(test, left, right)	\
	shim_compare(test, true, left, <, right, "")
#define KUNIT_ASSERT_LT_MSG(test, left, right, ...)	\
	shim_compare(test, true, left, <, right, __VA_ARGS__)
#define KUNIT_ASSERT_LE(test, left, right)	\
	shim_compare(test, true, left, <=, right, "")
#define KUNIT_ASSERT_LE_MSG(test, left, right, ...)	\
	shim_compare(test, true, left, <=, right, __VA_ARGS__)
#define KUNIT_ASSERT_GT(test, left, right)	\
	shim_compare(test, true, left, >, right, "")
#define KUNIT_ASSERT_GT_MSG(test, left, right, ...)	\
	shim_compare(test, true, left, >, right, __VA_ARGS__)
#define KUNIT_ASSERT_GE(test, left, right)	\
	shim_compare(test, true, left, >=, right, "")
#define KUNIT_ASSERT_GE_MSG(test, left, right, ...)	\
	shim_compare(test, true, left, >=, right, __VA_ARGS__)
#define KUNIT_ASSERT_TRUE(test, condition)	\
	shim_true(test, true, condition, "")
#define KUNIT_ASSERT_TRUE_MSG(test, condition, ...)	\
	shim_true(test, true, condition, __VA_ARGS__)
#define KUNIT_ASSERT_FALSE(test, condition)	\
	shim_true(test, true, !(condition), "")
#define KUNIT_ASSERT_FALSE_MSG(test, condition, ...)	\
	shim_true(test, true, !(condition), __VA_ARGS__)
#define KUNIT_ASSERT_NOT_NULL(test, pointer)	\
	shim_true(test, true, pointer, "")
#define KUNIT_ASSERT_NULL(test, pointer)	\
	shim_true(test, true, !(pointer), "")
#define KUNIT_ASSERT_PTR_EQ_MSG(test, left, right, ...)	\
	shim_true(test, true, (left) == (right), __VA_ARGS__)
#define KUNIT_ASSERT_PTR_EQ(test, left, right)	\
	shim_true(test, true, (left) == (right), "")
#define KUNIT_ASSERT_STREQ(test, left, right)	\
	shim_string(test, true, left, right, "")
#define KUNIT_ASSERT_STREQ_MSG(test, left, right, ...)	\
	shim_string(test, true, left, right, __VA_ARGS__)

#endif /* SHIM_KUNIT_TEST_H */
