// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a mapping: what a program can do to it while timers run, and what it
 * keeps alive
 */
#include "twheel_mapping.h"

/* ---- what is done to a mapping */

TEST_F(map, mremap_cannot_make_it_larger)
{
	ASSERT_TRUE(map_words(self));
	EXPECT_EQ(MAP_FAILED, mremap(self->word, SIZE, SIZE + PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(MAP_FAILED, mremap(self->word, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	/* What an old size of 0 asks for is a second mapping. */
	EXPECT_EQ(MAP_FAILED, mremap(self->word, 0, SIZE + PAGE, MREMAP_MAYMOVE));
	self->word[WORDS - 1] = 4;
	EXPECT_EQ(4, self->word[WORDS - 1]);
}

TEST_F(map, mremap_can_move_it)
{
	void *place = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u64 *moved;

	ASSERT_TRUE(map_words(self));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, WORDS - 1));
	moved = mremap(self->word, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	ASSERT_EQ(place, moved);
	self->word = moved;
	tw_store(&moved[WORDS - 1], TW_BUSY);
	EXPECT_EQ(-EAGAIN, tw_read(self->fd, self->event, 4));
	tw_touch(&moved[WORDS - 1]);
	EXPECT_EQ(1, tw_collect(self->fd, self->event, 1));
}

/* A page that has moved is the same page, wherever it is. */
TEST_F(map, mremap_can_move_a_part_of_it)
{
	__u64 *place, *moved;

	ASSERT_TRUE(map_words(self));
	self->word[512] = 512;
	place = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	moved = mremap(self->word + 512, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		       place);
	ASSERT_EQ(place, moved);
	EXPECT_EQ(512, moved[0]);
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 513));
	EXPECT_NE(0, moved[1]);
	ASSERT_EQ(0, tw_start_mapped(self->fd, 2, TW_HOUR, 1024));
	EXPECT_NE(0, self->word[1024]);
	munmap(moved, PAGE);
}

TEST_F(map, mremap_can_make_it_smaller)
{
	ASSERT_TRUE(map_words(self));
	ASSERT_EQ(self->word, mremap(self->word, SIZE, PAGE, 0));
	EXPECT_EQ(MAP_FAILED, mremap(self->word, PAGE, SIZE, MREMAP_MAYMOVE));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, WORDS - 1));
	EXPECT_EQ(1, tw_collect(self->fd, self->event, 1));
}

TEST_F(map, part_can_be_unmapped_while_timers_run)
{
	ASSERT_TRUE(map_words(self));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, 1));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 2, TIMEOUT, 600));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 3, TIMEOUT, 1030));
	tw_store(&self->word[600], TW_BUSY);
	tw_store(&self->word[1030], TW_BUSY);
	ASSERT_EQ(0, munmap(self->word + 512, PAGE));
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_EQ(1, self->event->id);
	/* The word is there still, and says what it said. */
	EXPECT_EQ(TWHEEL_ARMED, tw_poll(self->fd, 0) ? -1 : tw_state(self->fd, 2));
	tw_touch(&self->word[1030]);
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_EQ(3, self->event->id);
	EXPECT_EQ(0, tw_stop(self->fd, 2, NULL));
}

TEST_F(map, timers_fire_after_it_was_unmapped)
{
	ASSERT_TRUE(map_words(self));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, 1));
	munmap(self->word, SIZE);
	self->word = NULL;
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_LE(self->event->deadline_ns, self->event->fired_ns);
	/* Nobody needs a mapping to have a timer with a word. */
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, 1));
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	/* And what was written is found by the next mapping. */
	ASSERT_TRUE(map_words(self));
	EXPECT_NE(0, self->word[1]);
}

TEST_F(map, words_keep_their_values_when_pages_are_not_needed)
{
	unsigned int i, odd = 0;

	ASSERT_TRUE(map_words(self));
	for (i = 0; i < WORDS; i++)
		self->word[i] = i + 1;
	ASSERT_EQ(0, madvise(self->word, SIZE, MADV_DONTNEED));
	for (i = 0; i < WORDS; i++)
		odd += self->word[i] != i + 1;
	EXPECT_EQ(0, odd);
	/* There is no file to punch a hole into, and nothing to free. */
	EXPECT_EQ(-1, madvise(self->word, SIZE, MADV_REMOVE));
	EXPECT_EQ(-1, madvise(self->word, SIZE, MADV_FREE));
	for (i = 0; i < WORDS; i++)
		odd += self->word[i] != i + 1;
	EXPECT_EQ(0, odd);
}

TEST_F(map, can_be_locked_in_memory)
{
	ASSERT_TRUE(map_words(self));
	EXPECT_EQ(0, mlock(self->word, SIZE));
	self->word[WORDS - 1] = 1;
	EXPECT_EQ(0, munlock(self->word, SIZE));
	EXPECT_EQ(1, self->word[WORDS - 1]);
}

/* ---- what it keeps */

TEST_F(map, keeps_the_instance_when_its_descriptor_is_closed)
{
	long long users = tw_module_users();

	ASSERT_TRUE(map_words(self));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 1));
	close_fd(self);
	EXPECT_EQ(users, tw_module_users());
	tw_store(&self->word[1], TW_BUSY);
	EXPECT_EQ(TW_BUSY, self->word[1]);
	EXPECT_EQ(-EWOULDBLOCK, tw_unload());
	munmap(self->word, SIZE);
	self->word = NULL;
	EXPECT_TRUE(tw_await_users(users - 1));
}

/* The timers are given back with it, and not before. */
TEST_F(map, keeps_timers_and_their_count)
{
	long long max = tw_parameter("max_total_timers");
	int ret, fd = tw_open();

	ASSERT_TRUE(map_words(self));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 1));
	close_fd(self);
	ASSERT_EQ(0, tw_set_parameter("max_total_timers", 1));
	EXPECT_EQ(-ENOSPC, tw_after(fd, 1, TW_HOUR));
	munmap(self->word, SIZE);
	self->word = NULL;
	ret = tw_after(fd, 1, TW_HOUR);
	ASSERT_EQ(0, tw_set_parameter("max_total_timers", max));
	EXPECT_EQ(0, ret);
	close(fd);
}

/* The wheel goes on turning, and a store through it counts for other readers. */
TEST_F(map, of_a_closed_descriptor_still_postpones)
{
	int reader = tw_reader(self->fd, TWHEEL_READER_NONBLOCK);

	ASSERT_LE(0, reader);
	ASSERT_TRUE(map_words(self));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, 1));
	tw_store(&self->word[1], TW_BUSY);
	close_fd(self);
	EXPECT_EQ(-EAGAIN, tw_read(reader, self->event, 4));
	ASSERT_EQ(0, tw_stats(reader, &self->stats));
	ASSERT_TRUE(tw_await(reader, TW_STAT(armed), 1));
	tw_touch(&self->word[1]);
	ASSERT_EQ(1, tw_collect(reader, self->event, 1));
	EXPECT_EQ(1, self->event->id);
	close(reader);
}

TEST_F(map, of_a_reader_keeps_the_instance_as_well)
{
	int reader = tw_reader(self->fd, 0);
	long long users;

	ASSERT_LE(0, reader);
	users = tw_module_users();
	self->word = tw_map(reader, WORDS);
	ASSERT_NE(NULL, self->word);
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, 1));
	close(reader);
	close_fd(self);
	EXPECT_TRUE(tw_await_users(users - 1));
	EXPECT_NE(0, self->word[1]);
	munmap(self->word, SIZE);
	self->word = NULL;
	EXPECT_TRUE(tw_await_users(users - 2));
}

TEST_F(map, part_that_is_left_keeps_the_instance)
{
	long long users = tw_module_users();

	ASSERT_TRUE(map_words(self));
	close_fd(self);
	munmap(self->word, PAGE);
	munmap(self->word + 1024, PAGE);
	EXPECT_EQ(users, tw_module_users());
	self->word[512] = 1;
	EXPECT_EQ(1, self->word[512]);
	munmap(self->word, SIZE);
	self->word = NULL;
	EXPECT_TRUE(tw_await_users(users - 1));
}

TEST_F(map, of_a_child_keeps_the_instance)
{
	long long users = tw_module_users();
	int pipefd[2];
	pid_t pid;
	char byte;

	ASSERT_EQ(0, pipe(pipefd));
	ASSERT_TRUE(map_words(self));
	pid = tw_fork();
	if (!pid) {
		close(pipefd[1]);
		close(self->fd);
		/* Until the parent has let go of it. */
		if (read(pipefd[0], &byte, 1))
			_exit(1);
		tw_store(&self->word[1], 1);
		_exit(self->word[1] == 1 ? 0 : 2);
	}
	close_fd(self);
	munmap(self->word, SIZE);
	self->word = NULL;
	EXPECT_EQ(users, tw_module_users());
	EXPECT_EQ(-EWOULDBLOCK, tw_unload());
	close(pipefd[1]);
	EXPECT_EQ(0, tw_reap(pid));
	EXPECT_TRUE(tw_await_users(users - 1));
}

TEST_F(map, killed_process_leaves_nothing)
{
	long long users = tw_module_users();
	int pipefd[2], fd;
	unsigned int i;
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(pipefd));
	pid = tw_fork();
	if (!pid) {
		struct twheel_setup none = { 0 };
		__u64 *word;

		fd = tw_with_words(WORDS, none);
		word = tw_map(fd, WORDS);
		for (i = 0; word && i < WORDS; i++)
			if (tw_start_mapped(fd, i, TIMEOUT, i))
				_exit(1);
		close(fd);
		if (!word || write(pipefd[1], "", 1) != 1)
			_exit(1);
		for (i = 0; ; i++)
			tw_store(&word[i % WORDS], tw_now());
	}
	close(pipefd[1]);
	ASSERT_EQ(1, read(pipefd[0], &byte, 1));
	EXPECT_EQ(users + 1, tw_module_users());
	kill(pid, SIGKILL);
	EXPECT_EQ(-1, tw_reap(pid));
	EXPECT_TRUE(tw_await_users(users));
	close(pipefd[0]);
}

TEST_HARNESS_MAIN
