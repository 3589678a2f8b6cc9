// SPDX-License-Identifier: GPL-2.0
/*
 * Limits on words: whoever reaches one gets an error and keeps what he has, and
 * what was charged comes back with the last that needs it.
 */
#include "twheel_sys.h"
#include "twheel_words.h"

#define OTHER_USER	1000
#define WORDS		1024
#define MOST_WORDS	4194304

FIXTURE(limit) {
	int fd;
	int other;
	struct tw_snapshot before;
	long long max_instance, max_user, max_total;
};

FIXTURE_SETUP(limit)
{
	self->max_instance = tw_parameter("max_words");
	self->max_user = tw_parameter("max_user_words");
	self->max_total = tw_parameter("max_total_words");
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	self->other = tw_open();
	ASSERT_LE(0, self->other);
}

FIXTURE_TEARDOWN(limit)
{
	close(self->fd);
	close(self->other);
	tw_set_parameter("max_words", self->max_instance);
	tw_set_parameter("max_user_words", self->max_user);
	tw_set_parameter("max_total_words", self->max_total);
}

static int set_words(int fd, unsigned int words)
{
	struct twheel_setup setup = { .map_words = words };

	return tw_setup(fd, &setup);
}

static void reopen(int *fd)
{
	close(*fd);
	*fd = tw_open();
}

TEST_F(limit, defaults_are_those_of_the_manual)
{
	EXPECT_EQ(4194304, self->max_instance);
	EXPECT_EQ(4194304, self->max_user);
	EXPECT_EQ(16777216, self->max_total);
}

TEST_F(limit, of_the_instance_follows_the_parameter)
{
	struct twheel_info info;

	ASSERT_EQ(0, tw_set_parameter("max_words", WORDS));
	ASSERT_EQ(0, tw_info(self->fd, &info));
	EXPECT_EQ(WORDS, info.map_words_max);
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EINVAL, set_words(self->fd, WORDS + 1));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_EQ(0, set_words(self->fd, WORDS));
}

TEST_F(limit, of_the_instance_can_be_none)
{
	ASSERT_EQ(0, tw_set_parameter("max_words", 0));
	EXPECT_EQ(-EINVAL, set_words(self->fd, 1));
	EXPECT_EQ(0, set_words(self->fd, 0));
	EXPECT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
}

/* What does not fit into the 32 bits of SETUP can be no limit. */
TEST_F(limit, of_the_instance_has_a_limit_itself)
{
	struct twheel_info info;

	ASSERT_EQ(0, tw_set_parameter("max_words", LONG_MAX));
	ASSERT_EQ(0, tw_info(self->fd, &info));
	EXPECT_LE(MOST_WORDS, info.map_words_max);
	EXPECT_GT(~0U, info.map_words_max);
	EXPECT_EQ(-EINVAL, set_words(self->fd, ~0U));
}

/* As another user, in an instance of its own. */
static int set_words_as_other_user(void)
{
	pid_t pid = tw_fork();
	int fd;

	if (pid)
		return tw_reap(pid);
	if (setresuid(OTHER_USER, OTHER_USER, OTHER_USER))
		_exit(255);
	fd = tw_open();
	_exit(fd < 0 ? errno : -set_words(fd, 1));
}

TEST_F(limit, of_the_user_is_enospc_in_all_his_instances)
{
	ASSERT_EQ(0, tw_set_parameter("max_user_words", WORDS));
	ASSERT_EQ(0, set_words(self->fd, WORDS - 10));
	tw_snapshot(self->other, 1, &self->before);
	EXPECT_EQ(-ENOSPC, set_words(self->other, 11));
	EXPECT_EQ(-ENOSPC, set_words(self->other, MOST_WORDS));
	EXPECT_TRUE(tw_unchanged(self->other, &self->before));
	EXPECT_EQ(0, set_words(self->other, 10));

	ASSERT_EQ(0, chmod(TW_DEVICE, 0666));
	EXPECT_EQ(0, set_words_as_other_user());
	ASSERT_EQ(0, chmod(TW_DEVICE, 0600));
}

TEST_F(limit, of_the_module_is_enospc_for_everybody)
{
	ASSERT_EQ(0, tw_set_parameter("max_total_words", WORDS));
	ASSERT_EQ(0, set_words(self->fd, WORDS));
	tw_snapshot(self->other, 1, &self->before);
	EXPECT_EQ(-ENOSPC, set_words(self->other, 1));
	EXPECT_TRUE(tw_unchanged(self->other, &self->before));

	ASSERT_EQ(0, chmod(TW_DEVICE, 0666));
	EXPECT_EQ(ENOSPC, set_words_as_other_user());
	ASSERT_EQ(0, chmod(TW_DEVICE, 0600));
}

TEST_F(limit, of_zero_allows_none)
{
	ASSERT_EQ(0, tw_set_parameter("max_user_words", 0));
	EXPECT_EQ(-ENOSPC, set_words(self->fd, 1));
	EXPECT_EQ(0, set_words(self->fd, 0));
	EXPECT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
}

/* Settings that were refused leave those before in force, words and all. */
TEST_F(limit, refused_setup_keeps_the_words_that_there_were)
{
	__u64 *word;

	ASSERT_EQ(0, set_words(self->fd, WORDS));
	ASSERT_EQ(0, tw_set_parameter("max_user_words", WORDS));
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-ENOSPC, set_words(self->fd, WORDS + 1));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	word = tw_map(self->fd, WORDS);
	ASSERT_NE(NULL, word);
	EXPECT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, WORDS - 1));
	munmap(word, tw_map_size(WORDS));
}

TEST_F(limit, refused_setup_charges_nothing)
{
	unsigned int i;

	ASSERT_EQ(0, tw_set_parameter("max_total_words", WORDS));
	for (i = 0; i < 10; i++)
		EXPECT_EQ(-ENOSPC, set_words(self->fd, WORDS + 1));
	/* Of the user's, which were charged first. */
	ASSERT_EQ(0, tw_set_parameter("max_user_words", WORDS));
	EXPECT_EQ(0, set_words(self->fd, WORDS));
	/* And one that comes too late. */
	ASSERT_EQ(0, tw_set_parameter("max_user_words", 4 * WORDS));
	ASSERT_EQ(0, tw_set_parameter("max_total_words", 4 * WORDS));
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	for (i = 0; i < 10; i++)
		EXPECT_EQ(-EBUSY, set_words(self->fd, WORDS));
	EXPECT_EQ(0, set_words(self->other, 3 * WORDS));
}

/* What a second SETUP asks for is instead of what there was, and not besides. */
TEST_F(limit, repeated_setup_at_the_limit_is_fine)
{
	ASSERT_EQ(0, tw_set_parameter("max_user_words", WORDS));
	ASSERT_EQ(0, set_words(self->fd, WORDS));
	EXPECT_EQ(0, set_words(self->fd, WORDS));
	EXPECT_EQ(0, set_words(self->fd, WORDS - 1));
	EXPECT_EQ(0, set_words(self->other, 1));
}

TEST_F(limit, words_come_back_with_another_setup)
{
	ASSERT_EQ(0, tw_set_parameter("max_user_words", 2 * WORDS));
	ASSERT_EQ(0, set_words(self->fd, WORDS));
	ASSERT_EQ(0, set_words(self->fd, 1));
	EXPECT_EQ(0, set_words(self->other, 2 * WORDS - 1));
	ASSERT_EQ(0, set_words(self->other, 0));
	EXPECT_EQ(0, set_words(self->fd, WORDS));
}

TEST_F(limit, words_come_back_with_the_last_descriptor)
{
	ASSERT_EQ(0, tw_set_parameter("max_user_words", WORDS));
	ASSERT_EQ(0, set_words(self->fd, WORDS));
	EXPECT_EQ(-ENOSPC, set_words(self->other, 1));
	reopen(&self->fd);
	EXPECT_EQ(0, set_words(self->other, WORDS));
}

TEST_F(limit, words_come_back_with_the_mapping_that_outlived_the_descriptor)
{
	__u64 *word;

	ASSERT_EQ(0, tw_set_parameter("max_user_words", WORDS));
	ASSERT_EQ(0, set_words(self->fd, WORDS));
	word = tw_map(self->fd, WORDS);
	ASSERT_NE(NULL, word);
	reopen(&self->fd);
	EXPECT_EQ(-ENOSPC, set_words(self->other, 1));
	munmap(word, tw_map_size(WORDS));
	EXPECT_EQ(0, set_words(self->other, WORDS));
}

/* Words are counted, not timers that have one. */
TEST_F(limit, of_timers_has_nothing_to_do_with_it)
{
	struct twheel_setup setup = { .map_words = WORDS, .max_timers = 1 };

	ASSERT_EQ(0, tw_set_parameter("max_user_words", WORDS));
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, WORDS - 1));
	EXPECT_EQ(-ENOSPC, tw_start_mapped(self->fd, 2, TW_HOUR, 1));
}

FIXTURE(memory) {
	long slack;
	long used;
};

FIXTURE_SETUP(memory)
{
	self->slack = tw_memory_slack();
}

FIXTURE_TEARDOWN(memory)
{
	rmdir(TW_CGROUP);
}

/* 0 if @mib MiB were too much for the cgroup, and fewer were not. */
static int map_in_cgroup(unsigned int mib)
{
	static struct tw_snapshot before;
	int fd = tw_open();
	__u64 *word;

	tw_snapshot(fd, 1, &before);
	if (tw_cgroup_enter())
		return 1;
	if (set_words(fd, mib << 17) != -ENOMEM)
		return 2;
	if (!tw_unchanged(fd, &before))
		return 3;
	if (set_words(fd, WORDS))
		return 4;
	word = tw_map(fd, WORDS);
	if (!word || word[WORDS - 1])
		return 5;
	return tw_start_mapped(fd, 1, TW_HOUR, 1) ? 6 : 0;
}

TEST_F(memory, of_words_is_the_callers_memory_cgroups)
{
	pid_t pid;

	if (!tw_cgroup_make())
		SKIP(return, "no memory cgroups here");
	ASSERT_EQ(0, tw_cgroup_limit(16));
	pid = tw_fork();
	if (!pid)
		_exit(map_in_cgroup(32));
	EXPECT_EQ(0, tw_reap(pid));
	EXPECT_EQ(0, tw_cgroup_oom_kills());
	EXPECT_TRUE(tw_cgroup_await_memory());
}

/* Refused for lack of memory or not: the limits have no trace of it. */
TEST_F(memory, that_there_is_not_charges_no_words)
{
	pid_t pid;
	int fd;

	if (!tw_cgroup_make())
		SKIP(return, "no memory cgroups here");
	ASSERT_EQ(0, tw_cgroup_limit(16));
	pid = tw_fork();
	if (!pid)
		_exit(map_in_cgroup(32));
	EXPECT_EQ(0, tw_reap(pid));
	fd = tw_open();
	EXPECT_EQ(0, set_words(fd, MOST_WORDS));
	close(fd);
}

TEST_F(memory, comes_back_with_the_instance)
{
	unsigned int i, rounds = 4;
	__u64 *word;
	int fd;

	self->used = tw_memory_used();
	for (i = 0; i < rounds; i++) {
		fd = tw_open();
		ASSERT_EQ(0, set_words(fd, MOST_WORDS / 2));
		ASSERT_EQ(0, set_words(fd, MOST_WORDS / 4));
		word = tw_map(fd, MOST_WORDS / 4);
		ASSERT_NE(NULL, word);
		memset(word, 1, tw_map_size(MOST_WORDS / 4));
		close(fd);
		munmap(word, tw_map_size(MOST_WORDS / 4));
	}
	EXPECT_TRUE(tw_await_memory(self->used + self->slack));
}

TEST_HARNESS_MAIN
