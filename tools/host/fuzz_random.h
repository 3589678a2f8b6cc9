/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In place of the random numbers of kunit/test_random.h: the fuzzer's input
 *
 * Each number takes as few bytes as it needs, so that a change of one byte of the
 * input changes one choice of a model.
 */
#ifndef FUZZ_RANDOM_H
#define FUZZ_RANDOM_H

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/types.h>

/**
 * struct test_random - nothing: there is one input
 * @state: Not used.
 */
struct test_random {
	u64 state;
};

/* The next bytes of the input as a number; 0 for those that are not there. */
u64 fuzz_draw(unsigned int bytes);

/* Whether there are any. */
bool fuzz_more(void);

static inline void test_random_init(struct kunit *test, struct test_random *r,
				    u32 stream)
{
	r->state = stream;
}

static inline u64 test_random(struct test_random *r)
{
	return fuzz_draw(8);
}

static inline u32 test_random_below(struct test_random *r, u32 end)
{
	unsigned int bytes = 1;

	while (bytes < 4 && (end - 1) >> (8 * bytes))
		bytes++;
	return fuzz_draw(bytes) % end;
}

static inline u64 test_random_size(struct test_random *r, u32 bits)
{
	u32 length = test_random_below(r, bits + 1);
	u64 top;

	if (!length)
		return 0;
	top = 1ULL << (length - 1);
	return fuzz_draw((length + 7) / 8) & (top | (top - 1));
}

static inline bool test_random_more(const struct test_random *r)
{
	return fuzz_more();
}

/* How much happens is up to the fuzzer. */
#define TEST_RANDOM_EXPECT_GT(test, left, right)	((void)(left), (void)(right))

#endif /* FUZZ_RANDOM_H */
