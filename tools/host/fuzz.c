// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzes the layers: libFuzzer chooses what the models of the KUnit suites do
 *
 * The first byte of an input selects a model and its parameter, and the model
 * draws all its choices from the others (fuzz_random.h).  What a model says is
 * wrong ends the program, and so does anything that is left behind.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kunit/test.h>
#include <linux/random.h>

#include "../../module/instance.h"
#include "fuzz_random.h"

/* With all parameters. */
#define MAX_MODELS 64

/* More than the longest input can ask for. */
#define OPS 10000000

/* The cases that are models: those that ask whether there is more to do. */
static const struct {
	const char *suite;
	const char *name;
} wanted[] = {
	{ "twheel_wheel_model", "every_step_checked" },
	{ "twheel_instance_model", "predicted_to_the_last_field" },
	{ "twheel_late_model", "each_arming_once" },
	{ "twheel_pool_model", "pool_model" },
	{ "twheel_activity_model", "predicted_for_all_words" },
	{ "twheel_queue", "model_of_a_list" },
	{ "twheel_index", "model_of_an_array" },
};

/**
 * struct fuzz_model - what an input can select
 * @suite: Its suite.
 * @one: The case.
 * @param: The parameter, or NULL.
 * @desc: What the parameter is called.
 */
struct fuzz_model {
	const struct kunit_suite *suite;
	const struct kunit_case *one;
	const void *param;
	char desc[KUNIT_PARAM_DESC_SIZE];
};

static struct fuzz_model models[MAX_MODELS];
static unsigned int nr_models;
static const struct fuzz_model *running;

/* What is left of the input. */
static const u8 *input;
static size_t left;

u64 fuzz_draw(unsigned int bytes)
{
	u64 value = 0;

	for (; bytes; bytes--) {
		value = value << 8 | (left ? *input++ : 0);
		left -= !!left;
	}
	return value;
}

bool fuzz_more(void)
{
	return left;
}

/* Thousands of times a second. */
void shim_info(const char *format, ...)
{
}

void shim_fail(struct kunit *test, const char *file, int line,
	       const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s.%s (%s): %s:%d: ", running->suite->name,
		running->one->name, running->desc, file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	abort();
}

static void add_model(const struct kunit_suite *suite,
		      const struct kunit_case *one)
{
	struct fuzz_model model = { .suite = suite, .one = one };

	do {
		if (one->generate) {
			model.param = one->generate(model.param, model.desc);
			if (!model.param)
				return;
		}
		if (nr_models == MAX_MODELS)
			abort();
		models[nr_models++] = model;
	} while (one->generate);
}

static void add_models(const char *suite_name, const char *name)
{
	const struct kunit_suite *suite;
	const struct kunit_case *one;
	unsigned int before = nr_models;

	for (suite = shim_suites; suite; suite = suite->next)
		for (one = suite->test_cases; one->run_case; one++)
			if (!strcmp(suite->name, suite_name) &&
			    !strcmp(one->name, name))
				add_model(suite, one);
	if (nr_models > before)
		return;
	fprintf(stderr, "no such model: %s.%s\n", suite_name, name);
	exit(2);
}

static void set_param(const char *name, unsigned long long value)
{
	if (shim_set_param(name, strlen(name), value))
		return;
	fprintf(stderr, "no such parameter: %s\n", name);
	exit(2);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	unsigned int i;

	set_param("ops", OPS);
	/* As many as the model of the index has. */
	set_param("entries", 4096);
	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		add_models(wanted[i].suite, wanted[i].name);
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (!size)
		return 0;
	running = &models[data[0] % nr_models];
	input = data + 1;
	left = size - 1;
	shim_random_state = 0;
	/* For each input: objects that are left at the end are a bug. */
	if (twheel_instance_module_init())
		abort();
	shim_run_once(running->suite, running->one, running->param);
	twheel_instance_module_exit();
	return 0;
}
