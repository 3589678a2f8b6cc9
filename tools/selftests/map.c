// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping the words of an instance: what is there, who shares it, and what is
 * refused
 */
#include <sys/uio.h>
#include "twheel_mapping.h"

#define RW		(PROT_READ | PROT_WRITE)

/* 0, or -errno; what could be mapped is unmapped. */
static int try_map(int fd, size_t size, int prot, int flags, off_t offset)
{
	void *words = mmap(NULL, size, prot, flags, fd, offset);

	if (words == MAP_FAILED)
		return -errno;
	munmap(words, size);
	return 0;
}

/* Whether an instance can be set up anew, as one that was never mapped can. */
static bool is_not_in_use(int fd)
{
	struct twheel_setup setup = { .map_words = WORDS };

	return !tw_setup(fd, &setup);
}

/* ---- what is mapped */

TEST_F(map, words_are_all_there_and_zero)
{
	unsigned int i, odd = 0;

	ASSERT_TRUE(map_words(self));
	for (i = 0; i < SIZE / sizeof(__u64); i++)
		odd += self->word[i] != 0;
	EXPECT_EQ(0, odd);
	for (i = 0; i < SIZE / sizeof(__u64); i++)
		self->word[i] = i + 1;
	for (i = 0; i < SIZE / sizeof(__u64); i++)
		odd += self->word[i] != i + 1;
	EXPECT_EQ(0, odd);
}

/* Also not what another instance has left in its memory. */
TEST_F(map, words_are_zero_again_in_the_next_instance)
{
	struct twheel_setup none = { 0 };
	unsigned int round, i, odd = 0;

	for (round = 0; round < 20; round++) {
		ASSERT_TRUE(map_words(self));
		for (i = 0; i < SIZE / sizeof(__u64); i++)
			odd += self->word[i] != 0;
		memset(self->word, 0xa5, SIZE);
		munmap(self->word, SIZE);
		self->word = NULL;
		close(self->fd);
		self->fd = tw_with_words(WORDS, none);
		ASSERT_LE(0, self->fd);
	}
	EXPECT_EQ(0, odd);
}

/* Whether both are the same memory, in each word. */
static bool is_shared(__u64 *one, __u64 *other)
{
	unsigned int i, odd = 0;

	for (i = 0; i < WORDS; i++)
		one[i] = 3 * i + 1;
	for (i = 0; i < WORDS; i++)
		odd += other[i] != 3 * i + 1;
	for (i = 0; i < WORDS; i++)
		other[i] = 5 * i + 2;
	for (i = 0; i < WORDS; i++)
		odd += one[i] != 5 * i + 2;
	return !odd;
}

TEST_F(map, second_mapping_shares_the_words)
{
	__u64 *other;

	ASSERT_TRUE(map_words(self));
	other = tw_map(self->fd, WORDS);
	ASSERT_NE(NULL, other);
	ASSERT_NE(self->word, other);
	EXPECT_TRUE(is_shared(self->word, other));
	munmap(other, SIZE);
	EXPECT_EQ(5 * 7 + 2, self->word[7]);
}

TEST_F(map, mapping_of_a_reader_shares_the_words)
{
	int reader = tw_reader(self->fd, 0);
	__u64 *other;

	ASSERT_LE(0, reader);
	ASSERT_TRUE(map_words(self));
	other = tw_map(reader, WORDS);
	ASSERT_NE(NULL, other);
	EXPECT_TRUE(is_shared(self->word, other));
	munmap(other, SIZE);
	close(reader);
}

TEST_F(map, child_shares_the_words)
{
	pid_t pid;

	ASSERT_TRUE(map_words(self));
	self->word[0] = 1;
	pid = tw_fork();
	if (!pid) {
		if (self->word[0] != 1)
			_exit(1);
		self->word[1] = 2;
		self->word[WORDS - 1] = 3;
		_exit(0);
	}
	EXPECT_EQ(0, tw_reap(pid));
	EXPECT_EQ(2, self->word[1]);
	EXPECT_EQ(3, self->word[WORDS - 1]);
}

TEST_F(map, end_of_a_child_does_no_harm)
{
	pid_t pid;

	ASSERT_TRUE(map_words(self));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, 1));
	pid = tw_fork();
	if (!pid) {
		tw_store(&self->word[1], TW_BUSY);
		munmap(self->word, SIZE);
		close(self->fd);
		_exit(0);
	}
	ASSERT_EQ(0, tw_reap(pid));
	EXPECT_EQ(TW_BUSY, self->word[1]);
	EXPECT_EQ(0, tw_poll(self->fd, 0));
	tw_touch(&self->word[1]);
	EXPECT_EQ(1, tw_collect(self->fd, self->event, 1));
}

TEST_F(map, child_can_map_what_it_inherited)
{
	pid_t pid = tw_fork();
	__u64 *word;

	if (!pid) {
		word = tw_map(self->fd, WORDS);
		if (!word)
			_exit(1);
		word[5] = 55;
		_exit(0);
	}
	ASSERT_EQ(0, tw_reap(pid));
	ASSERT_TRUE(map_words(self));
	EXPECT_EQ(55, self->word[5]);
}

TEST_F(map, populated_mapping_is_fine)
{
	void *words = mmap(NULL, SIZE, RW, MAP_SHARED | MAP_POPULATE, self->fd, 0);

	ASSERT_NE(MAP_FAILED, words);
	self->word = words;
	EXPECT_EQ(0, self->word[WORDS - 1]);
}

/* The kernel's own copying: to and from the words. */
TEST_F(map, words_are_memory_for_system_calls)
{
	int pipefd[2];

	ASSERT_TRUE(map_words(self));
	ASSERT_EQ(0, pipe(pipefd));
	self->word[0] = 77;
	ASSERT_EQ(8, write(pipefd[1], self->word, 8));
	ASSERT_EQ(8, read(pipefd[0], self->word + WORDS - 1, 8));
	EXPECT_EQ(77, self->word[WORDS - 1]);
	close(pipefd[0]);
	close(pipefd[1]);
}

/* A page that is held for a while, here by a pipe, is not used for anything else. */
TEST_F(map, page_outlives_the_instance_while_it_is_held)
{
	struct twheel_setup none = { 0 };
	struct iovec iov = { NULL, 8 };
	unsigned int i;
	int pipefd[2];
	__u64 got = 0;

	ASSERT_TRUE(map_words(self));
	ASSERT_EQ(0, pipe(pipefd));
	self->word[0] = 77;
	iov.iov_base = self->word;
	ASSERT_EQ(8, vmsplice(pipefd[1], &iov, 1, 0));
	munmap(self->word, SIZE);
	self->word = NULL;
	close_fd(self);
	for (i = 0; i < 20; i++) {
		int fd = tw_with_words(WORDS, none);
		__u64 *word = tw_map(fd, WORDS);

		ASSERT_NE(NULL, word);
		memset(word, 0xa5, SIZE);
		munmap(word, SIZE);
		close(fd);
	}
	ASSERT_EQ(8, read(pipefd[0], &got, 8));
	EXPECT_EQ(77, got);
	close(pipefd[0]);
	close(pipefd[1]);
}

/* ---- what is refused */

TEST_F(map, wrong_size_is_invalid)
{
	static const size_t size[] = {
		1, 8, PAGE, 2 * PAGE, 4 * PAGE, 64 * PAGE, 1U << 30,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(size); i++) {
		EXPECT_EQ(-EINVAL, try_map(self->fd, size[i], RW, MAP_SHARED, 0)) {
			TH_LOG("%zu bytes", size[i]);
		}
	}
	EXPECT_EQ(-EINVAL, try_map(self->fd, 0, RW, MAP_SHARED, 0));
	EXPECT_TRUE(is_not_in_use(self->fd));
}

/* The size is that of whole pages, as with any file. */
TEST_F(map, size_within_the_last_page_is_fine)
{
	EXPECT_EQ(0, try_map(self->fd, SIZE - PAGE + 1, RW, MAP_SHARED, 0));
	EXPECT_EQ(0, try_map(self->fd, WORDS * 8, RW, MAP_SHARED, 0));
	EXPECT_EQ(0, try_map(self->fd, SIZE, RW, MAP_SHARED, 0));
}

TEST_F(map, offset_is_invalid)
{
	static const off_t offset[] = {
		PAGE, 2 * PAGE, 3 * PAGE, 1LL << 40, INT64_MAX - PAGE + 1 - SIZE,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offset); i++) {
		EXPECT_EQ(-EINVAL, try_map(self->fd, SIZE, RW, MAP_SHARED, offset[i])) {
			TH_LOG("offset %lld", (long long)offset[i]);
		}
	}
	EXPECT_EQ(-EINVAL, try_map(self->fd, 2 * PAGE, RW, MAP_SHARED, PAGE));
	EXPECT_TRUE(is_not_in_use(self->fd));
}

TEST_F(map, pages_in_another_order_are_invalid)
{
	ASSERT_TRUE(map_words(self));
	EXPECT_EQ(-1, remap_file_pages(self->word, PAGE, 0, 1, 0));
	EXPECT_EQ(EINVAL, errno);
	self->word[WORDS - 1] = 3;
	EXPECT_EQ(3, self->word[WORDS - 1]);
}

TEST_F(map, private_mapping_is_invalid)
{
	EXPECT_EQ(-EINVAL, try_map(self->fd, SIZE, RW, MAP_PRIVATE, 0));
	EXPECT_EQ(-EINVAL, try_map(self->fd, SIZE, PROT_READ, MAP_PRIVATE, 0));
	EXPECT_TRUE(is_not_in_use(self->fd));
}

TEST_F(map, mapping_that_is_not_for_reading_and_writing_is_invalid)
{
	EXPECT_EQ(-EINVAL, try_map(self->fd, SIZE, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(self->fd, SIZE, PROT_NONE, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(self->fd, SIZE, PROT_WRITE, MAP_SHARED, 0));
	EXPECT_TRUE(is_not_in_use(self->fd));
}

TEST_F(map, executable_mapping_is_invalid)
{
	EXPECT_EQ(-EINVAL, try_map(self->fd, SIZE, RW | PROT_EXEC, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(self->fd, SIZE, PROT_READ | PROT_EXEC,
				   MAP_SHARED, 0));
	EXPECT_TRUE(is_not_in_use(self->fd));
}

TEST_F(map, descriptor_that_is_not_for_both_is_no_access)
{
	struct twheel_setup setup = { .map_words = WORDS };
	int fd = open(TW_DEVICE, O_RDONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, tw_setup(fd, &setup));
	EXPECT_EQ(-EACCES, try_map(fd, SIZE, RW, MAP_SHARED, 0));
	close(fd);
	fd = open(TW_DEVICE, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, tw_setup(fd, &setup));
	EXPECT_EQ(-EACCES, try_map(fd, SIZE, RW, MAP_SHARED, 0));
	close(fd);
}

TEST_F(map, mprotect_never_makes_it_executable)
{
	ASSERT_TRUE(map_words(self));
	EXPECT_EQ(-1, mprotect(self->word, SIZE, RW | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(self->word, PAGE, PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	self->word[0] = 1;
	EXPECT_EQ(1, self->word[0]);
}

/* Also not on the way over a mapping without any access. */
TEST_F(map, mprotect_takes_access_away_and_gives_it_back)
{
	ASSERT_TRUE(map_words(self));
	self->word[600] = 7;
	ASSERT_EQ(0, mprotect(self->word, SIZE, PROT_READ));
	EXPECT_EQ(7, self->word[600]);
	ASSERT_EQ(0, mprotect(self->word + 512, PAGE, PROT_NONE));
	EXPECT_EQ(-1, mprotect(self->word + 512, PAGE, PROT_EXEC));
	ASSERT_EQ(0, mprotect(self->word, SIZE, RW));
	self->word[600]++;
	EXPECT_EQ(8, self->word[600]);
}

/* Whether a store to the word kills who makes it. */
static bool store_is_deadly(__u64 *word)
{
	pid_t pid = tw_fork();

	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		tw_store(word, 1);
		_exit(0);
	}
	return tw_reap(pid) == -1;
}

TEST_F(map, read_only_words_still_count)
{
	__u64 *other;

	ASSERT_TRUE(map_words(self));
	other = tw_map(self->fd, WORDS);
	ASSERT_NE(NULL, other);
	ASSERT_EQ(0, mprotect(other, SIZE, PROT_READ));
	EXPECT_TRUE(store_is_deadly(&other[1]));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 1));
	EXPECT_NE(0, other[1]);
	EXPECT_EQ(self->word[1], other[1]);
	munmap(other, SIZE);
}

TEST_F(map, without_setup_is_invalid)
{
	struct twheel_setup none = { 0 };
	int fd = tw_open();

	EXPECT_EQ(-EINVAL, try_map(fd, SIZE, RW, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, PAGE, RW, MAP_SHARED, 0));
	ASSERT_EQ(0, tw_setup(fd, &none));
	EXPECT_EQ(-EINVAL, try_map(fd, PAGE, RW, MAP_SHARED, 0));
	EXPECT_TRUE(is_not_in_use(fd));
	EXPECT_EQ(0, try_map(fd, SIZE, RW, MAP_SHARED, 0));
	close(fd);
}

TEST_F(map, after_a_first_start_there_are_none_to_map)
{
	int fd = tw_open();

	ASSERT_EQ(0, tw_after(fd, 1, TW_HOUR));
	EXPECT_EQ(-EINVAL, try_map(fd, PAGE, RW, MAP_SHARED, 0));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(fd, 1));
	close(fd);
}

/* ---- settings */

TEST_F(map, info_tells_the_words)
{
	struct twheel_info info;
	int fd = tw_open();

	ASSERT_EQ(0, tw_info(fd, &info));
	EXPECT_EQ(0, info.map_words);
	EXPECT_EQ(tw_parameter("max_words"), info.map_words_max);
	EXPECT_EQ(4194304, info.map_words_max);
	ASSERT_EQ(0, tw_info(self->fd, &info));
	EXPECT_EQ(WORDS, info.map_words);
	close(fd);
}

TEST_F(map, repeated_setup_changes_the_words)
{
	struct twheel_setup setup = { .map_words = 1 };
	struct twheel_info info;

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	EXPECT_EQ(-EINVAL, try_map(self->fd, SIZE, RW, MAP_SHARED, 0));
	setup.map_words = 0;
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(0, tw_info(self->fd, &info));
	EXPECT_EQ(0, info.map_words);
	EXPECT_EQ(-EINVAL, try_map(self->fd, PAGE, RW, MAP_SHARED, 0));
	setup.map_words = 512;
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	EXPECT_EQ(-EINVAL, try_map(self->fd, 2 * PAGE, RW, MAP_SHARED, 0));
	EXPECT_EQ(0, try_map(self->fd, PAGE, RW, MAP_SHARED, 0));
}

TEST_F(map, one_word_is_a_page)
{
	struct twheel_setup setup = { .map_words = 1 };
	__u64 *word;

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	word = tw_map(self->fd, 1);
	ASSERT_NE(NULL, word);
	EXPECT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 0));
	EXPECT_EQ(-EINVAL, tw_start_mapped(self->fd, 2, TW_HOUR, 1));
	EXPECT_NE(0, word[0]);
	munmap(word, PAGE);
}

TEST_F(map, setup_after_it_is_busy)
{
	struct twheel_setup setup = { .map_words = 2 * WORDS };

	ASSERT_TRUE(map_words(self));
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EBUSY, tw_setup(self->fd, &setup));
	setup.map_words = WORDS;
	EXPECT_EQ(-EBUSY, tw_setup(self->fd, &setup));
	setup.map_words = 0;
	EXPECT_EQ(-EBUSY, tw_setup(self->fd, &setup));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	/* Once mapped is enough: settings do not come free again. */
	munmap(self->word, SIZE);
	self->word = NULL;
	EXPECT_EQ(-EBUSY, tw_setup(self->fd, &setup));
	ASSERT_TRUE(map_words(self));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, WORDS - 1));
}

TEST_F(map, can_be_made_after_timers_and_readers_are_there)
{
	int reader;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 5));
	reader = tw_reader(self->fd, 0);
	ASSERT_LE(0, reader);
	ASSERT_TRUE(map_words(self));
	EXPECT_NE(0, self->word[5]);
	close(reader);
}

TEST_F(map, more_words_than_the_maximum_are_invalid)
{
	struct twheel_setup setup = { .map_words = 4194305 };

	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EINVAL, tw_setup(self->fd, &setup));
	setup.map_words = ~0U;
	EXPECT_EQ(-EINVAL, tw_setup(self->fd, &setup));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_TRUE(map_words(self));
}

TEST_F(map, as_many_words_as_the_maximum_are_fine)
{
	struct twheel_setup setup = { .map_words = 4194304 };
	__u64 *word;

	close(self->fd);
	self->fd = tw_open();
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	word = tw_map(self->fd, setup.map_words);
	ASSERT_NE(NULL, word);
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, setup.map_words - 1));
	EXPECT_NE(0, word[setup.map_words - 1]);
	EXPECT_EQ(1, tw_collect(self->fd, self->event, 1));
	munmap(word, tw_map_size(setup.map_words));
}

TEST_HARNESS_MAIN
