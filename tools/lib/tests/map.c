// SPDX-License-Identifier: MIT
/* What the library does by itself for timers with a word: arguments and memory. */
#include <fcntl.h>
#include <sys/mman.h>
#include <twheel_map.h>
#include <unistd.h>

#include "fake.h"
#include "test.h"

/* Somewhat more than a page. */
#define WORDS	600

static int fd;
static uint64_t *words;

static void set_up(unsigned int map_words)
{
	struct twheel_setup setup = { .map_words = map_words };

	words = NULL;
	fd = twheel_open(O_NONBLOCK);
	CHECK_EQ(0, twheel_setup(fd, &setup, sizeof(setup)));
}

static bool begin(void)
{
	set_up(WORDS);
	return CHECK_EQ(WORDS, twheel_map(fd, &words)) && CHECK(words);
}

static void end(void)
{
	CHECK_EQ(0, twheel_unmap(words, WORDS));
	close(fd);
}

/* ---- mappings */

static void all_words_are_mapped_and_in_memory(void)
{
	if (!begin())
		return;
	CHECK(fake.map_flags & MAP_POPULATE);
	CHECK_EQ(0, words[0]);
	CHECK_EQ(0, words[WORDS - 1]);
	end();
}

static void an_instance_without_words_is_refused(void)
{
	set_up(0);
	CHECK_EQ(-EINVAL, twheel_map(fd, &words));
	CHECK(!words);
	CHECK_EQ(0, fake.mapped);
	CHECK_EQ(0, fake.map_flags);		/* was not even tried */
	close(fd);
}

static void failed_map_leaves_nothing(void)
{
	set_up(WORDS);
	fake.mmap_error = ENOMEM;
	CHECK_EQ(-ENOMEM, twheel_map(fd, &words));
	CHECK(!words);
	CHECK_EQ(0, fake.mapped);
	CHECK_EQ(WORDS, twheel_map(fd, &words));
	end();
}

static void unmap_ends_the_whole_mapping(void)
{
	if (!begin())
		return;
	CHECK_EQ(1, fake.mapped);
	end();
	CHECK_EQ(0, fake.mapped);
}

static void unmap_of_no_mapping_fails(void)
{
	if (!begin())
		return;
	CHECK_EQ(-EINVAL, twheel_unmap(words, 0));
	CHECK_EQ(-EINVAL, twheel_unmap(words + 1, WORDS));
	CHECK_EQ(1, fake.mapped);
	end();
}

/* ---- a store, and the clock */

static void touch_is_a_store_to_its_word(void)
{
	const uint64_t pattern = 0x5a5a5a5a5a5a5a5a, stored = 0x123456789abcdef0;
	unsigned int i, wrong = 0;

	if (!begin())
		return;
	for (i = 0; i < WORDS; i++)
		words[i] = pattern;
	twheel_touch(&words[WORDS - 2], stored);
	for (i = 0; i < WORDS; i++)
		wrong += words[i] != (i == WORDS - 2 ? stored : pattern);
	CHECK_EQ(0, wrong);
	end();
}

static void now_is_read_from_the_clock_given(void)
{
	set_up(0);
	CHECK_EQ(now_ns(), twheel_now(CLOCK_MONOTONIC));
	CHECK_EQ(now_ns() + HOUR, twheel_now(CLOCK_BOOTTIME));
	close(fd);
}

static void now_without_a_clock_is_that_of_a_setup_without_one(void)
{
	set_up(0);
	CHECK_EQ(now_ns(), twheel_now(0));
	close(fd);
}

/* ---- starts */

/* Word 7 has timer 1. */
static bool begin_with_a_timer(void)
{
	return begin() && CHECK_EQ(TWHEEL_WAS_FREE, twheel_start_mapped(fd, 1, HOUR, 10, 7));
}

static bool timer_is_unchanged(void)
{
	struct twheel_get get = { .id = 1 };

	return CHECK_EQ(0, twheel_get(fd, &get)) && CHECK_EQ(HOUR, get.timeout_ns) &&
	       CHECK_EQ(10, get.data) && CHECK_EQ(1, get.mapped) && CHECK_EQ(7, get.word);
}

static void start_passes_all_on(void)
{
	if (begin_with_a_timer())
		timer_is_unchanged();
	end();
}

static void start_returns_the_outcome(void)
{
	if (!begin_with_a_timer())
		return;
	CHECK_EQ(TWHEEL_STOPPED, twheel_start_mapped(fd, 1, HOUR, 10, 7));
	timer_is_unchanged();
	end();
}

static void start_fails_without_such_a_word(void)
{
	if (!begin_with_a_timer())
		return;
	CHECK_EQ(-EINVAL, twheel_start_mapped(fd, 1, 2 * HOUR, 11, WORDS));
	CHECK_EQ(-EINVAL, twheel_start_mapped(fd, 1, 2 * HOUR, 11, UINT32_MAX));
	timer_is_unchanged();
	end();
}

static void start_fails_where_another_timer_has_the_word(void)
{
	struct twheel_get get = { .id = 2 };

	if (!begin_with_a_timer())
		return;
	CHECK_EQ(-EBUSY, twheel_start_mapped(fd, 2, HOUR, 20, 7));
	CHECK_EQ(-ENOENT, twheel_get(fd, &get));
	timer_is_unchanged();
	end();
}

static void batch_passes_all_on(void)
{
	const struct twheel_op expected = {
		.opcode = TWHEEL_OP_START,
		.flags = TWHEEL_MAPPED,
		.id = 1,
		.time_ns = HOUR,
		.data = 10,
		.word = 7,
	};
	struct twheel_batch *batch;

	if (!begin() || !CHECK_EQ(0, twheel_batch_new(&batch, 1)))
		return;
	CHECK_EQ(0, twheel_batch_start_mapped(batch, 1, HOUR, 10, 7));
	CHECK_EQ(-ENOSPC, twheel_batch_start_mapped(batch, 2, HOUR, 10, 8));
	CHECK_EQ(1, twheel_batch_submit(batch, fd));
	CHECK(!memcmp(&expected, &fake.last_ops[0], sizeof(expected)));
	twheel_batch_free(batch);
	end();
}

static const struct test tests[] = {
	TEST(all_words_are_mapped_and_in_memory),
	TEST(an_instance_without_words_is_refused),
	TEST(failed_map_leaves_nothing),
	TEST(unmap_ends_the_whole_mapping),
	TEST(unmap_of_no_mapping_fails),
	TEST(touch_is_a_store_to_its_word),
	TEST(now_is_read_from_the_clock_given),
	TEST(now_without_a_clock_is_that_of_a_setup_without_one),
	TEST(start_passes_all_on),
	TEST(start_returns_the_outcome),
	TEST(start_fails_without_such_a_word),
	TEST(start_fails_where_another_timer_has_the_word),
	TEST(batch_passes_all_on),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
