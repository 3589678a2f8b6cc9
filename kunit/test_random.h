/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers for the tests, from a seed that can be set and is printed
 *
 * Included once by each test module that needs them.
 */
#ifndef TWHEEL_TEST_RANDOM_H
#define TWHEEL_TEST_RANDOM_H

/* The fuzzer draws from its input instead. */
#ifdef TEST_RANDOM_SOURCE
#include TEST_RANDOM_SOURCE
#else

#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/types.h>

static ulong seed = 1;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "Seed of the random numbers");

/**
 * struct test_random - a source of random numbers
 * @state: Not 0.
 */
struct test_random {
	u64 state;
};

/* Start from the seed and @stream, which keeps the cases of a suite apart. */
static inline void test_random_init(struct kunit *test, struct test_random *r,
				    u32 stream)
{
	kunit_info(test, "seed=%lu, stream %u\n", seed, stream);
	r->state = ((u64)seed << 8 ^ stream) * 0x9e3779b97f4a7c15ULL | 1;
}

/* Marsaglia's xorshift, with a multiplication to make the low bits good. */
static inline u64 test_random(struct test_random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1dULL;
}

/* A number below @end. */
static inline u32 test_random_below(struct test_random *r, u32 end)
{
	return (test_random(r) >> 32) * end >> 32;
}

/* A number of a random size: below 2^@bits, and each length as likely. */
static inline u64 test_random_size(struct test_random *r, u32 bits)
{
	u32 length = test_random_below(r, bits + 1);

	return length ? test_random(r) >> (64 - length) : 0;
}

/* Whether a model is to go on: until it has done its operations. */
static inline bool test_random_more(const struct test_random *r)
{
	return true;
}

/* That enough has happened for the test to be worth something. */
#define TEST_RANDOM_EXPECT_GT(test, left, right)	\
	KUNIT_EXPECT_GT(test, left, right)

#endif /* TEST_RANDOM_SOURCE */

#endif /* TWHEEL_TEST_RANDOM_H */
