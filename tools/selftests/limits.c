// SPDX-License-Identifier: GPL-2.0
/*
 * Limits: whoever reaches one gets an error and keeps what he has, everybody
 * else goes on, and memory comes back when a timer goes.
 */
#include "twheel_pool.h"
#include "twheel_sys.h"

#define MILLION		1000000
#define OTHER_USER	1000

FIXTURE(limit) {
	int fd;
	int other;
	struct tw_snapshot before;
	long long max_user, max_total, max_timers;
};

FIXTURE_SETUP(limit)
{
	self->max_user = tw_parameter("max_user_timers");
	self->max_total = tw_parameter("max_total_timers");
	self->max_timers = tw_parameter("max_timers");
	ASSERT_LT(0, self->max_user);
	ASSERT_LT(0, self->max_total);
	ASSERT_LT(0, self->max_timers);
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	self->other = tw_open();
	ASSERT_LE(0, self->other);
}

FIXTURE_TEARDOWN(limit)
{
	close(self->fd);
	close(self->other);
	tw_set_parameter("max_user_timers", self->max_user);
	tw_set_parameter("max_total_timers", self->max_total);
	tw_set_parameter("max_timers", self->max_timers);
}

/* Start one-hour timers @first and on; returns how many could be started. */
static unsigned int start_many(int fd, __u64 first, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (tw_after(fd, first + i, TW_HOUR))
			break;
	}
	return i;
}

static unsigned int stop_many(int fd, __u64 first, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (tw_stop(fd, first + i, NULL))
			break;
	}
	return i;
}

TEST_F(limit, of_the_instance_is_enospc)
{
	struct twheel_setup setup = { .max_timers = 100 };

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(100, start_many(self->fd, 0, 100));
	tw_snapshot(self->fd, 100, &self->before);
	EXPECT_EQ(-ENOSPC, tw_after(self->fd, 100, TW_HOUR));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_EQ(0, tw_after(self->other, 100, TW_HOUR));

	ASSERT_EQ(0, tw_stop(self->fd, 50, NULL));
	EXPECT_EQ(0, tw_after(self->fd, 100, TW_HOUR));
	EXPECT_EQ(-ENOSPC, tw_after(self->fd, 50, TW_HOUR));
}

TEST_F(limit, live_timers_go_on_at_the_limit)
{
	struct twheel_setup setup = { .max_timers = 2 };
	struct twheel_start exclusive = {
		.id = 1,
		.time_ns = TW_HOUR,
		.flags = TWHEEL_EXCLUSIVE,
	};
	struct twheel_reset reset = { .id = 1 };
	struct twheel_event event;

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(2, start_many(self->fd, 0, 2));
	EXPECT_EQ(0, tw_after(self->fd, 0, TW_HOUR));
	EXPECT_EQ(0, tw_reset(self->fd, &reset));
	EXPECT_EQ(-EEXIST, tw_start(self->fd, &exclusive));
	EXPECT_EQ(0, tw_after(self->fd, 0, 1));
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_EQ(0, tw_after(self->fd, 2, TW_HOUR));
}

TEST_F(limit, unread_expiries_count)
{
	struct twheel_setup setup = { .max_timers = 2 };
	struct twheel_event event;

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_TRUE(tw_expire(self->fd, 2));
	EXPECT_EQ(-ENOSPC, tw_after(self->fd, 3, TW_HOUR));
	ASSERT_EQ(1, tw_read(self->fd, &event, 1));
	EXPECT_EQ(0, tw_after(self->fd, 3, TW_HOUR));
}

TEST_F(limit, dropped_expiries_do_not_count)
{
	struct twheel_setup setup = {
		.queue_len = 1,
		.max_timers = 2,
		.overflow = TWHEEL_DROP_NEWEST,
	};
	unsigned int i;

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	for (i = 0; i < 10; i++)
		ASSERT_TRUE(tw_expire(self->fd, i));
	EXPECT_EQ(0, tw_after(self->fd, 100, TW_HOUR));
}

TEST_F(limit, of_setup_follows_the_parameter)
{
	struct twheel_setup setup = { .max_timers = 1001 };
	struct twheel_info info;

	ASSERT_EQ(0, tw_set_parameter("max_timers", 1000));
	ASSERT_EQ(0, tw_info(self->fd, &info));
	EXPECT_EQ(1000, info.max_timers_max);
	EXPECT_EQ(1000, info.max_timers);
	EXPECT_EQ(-EINVAL, tw_setup(self->fd, &setup));
	setup.max_timers = 1000;
	EXPECT_EQ(0, tw_setup(self->fd, &setup));
}

/* As another user, in an instance of its own. */
static int start_as_other_user(void)
{
	pid_t pid = tw_fork();
	int fd;

	if (pid)
		return tw_reap(pid);
	if (setresuid(OTHER_USER, OTHER_USER, OTHER_USER))
		_exit(255);
	fd = tw_open();
	_exit(fd < 0 ? errno : -tw_after(fd, 1, TW_HOUR));
}

TEST_F(limit, of_the_user_is_enospc_in_all_his_instances)
{
	ASSERT_EQ(0, tw_set_parameter("max_user_timers", 50));
	ASSERT_EQ(30, start_many(self->fd, 0, 30));
	ASSERT_EQ(20, start_many(self->other, 0, 21));
	tw_snapshot(self->fd, 30, &self->before);
	EXPECT_EQ(-ENOSPC, tw_after(self->fd, 30, TW_HOUR));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));

	ASSERT_EQ(0, chmod(TW_DEVICE, 0666));
	EXPECT_EQ(0, start_as_other_user());
	ASSERT_EQ(0, chmod(TW_DEVICE, 0600));

	ASSERT_EQ(0, tw_stop(self->other, 0, NULL));
	EXPECT_EQ(0, tw_after(self->fd, 30, TW_HOUR));
}

TEST_F(limit, of_the_module_is_enospc_for_everybody)
{
	ASSERT_EQ(0, tw_set_parameter("max_total_timers", 50));
	ASSERT_EQ(50, start_many(self->fd, 0, 51));
	tw_snapshot(self->other, 0, &self->before);
	EXPECT_EQ(-ENOSPC, tw_after(self->other, 0, TW_HOUR));
	EXPECT_TRUE(tw_unchanged(self->other, &self->before));

	ASSERT_EQ(0, chmod(TW_DEVICE, 0666));
	EXPECT_EQ(ENOSPC, start_as_other_user());
	ASSERT_EQ(0, chmod(TW_DEVICE, 0600));

	/* Closing gives all of it back. */
	close(self->fd);
	EXPECT_EQ(50, start_many(self->other, 0, 51));
	self->fd = tw_open();
}

/* Each operation is as if by its own call: what was stopped does not count. */
TEST_F(limit, of_the_user_counts_what_a_batch_has_stopped)
{
	struct twheel_result results[8];
	struct twheel_op ops[8];
	unsigned int i;

	ASSERT_EQ(0, tw_set_parameter("max_user_timers", 4));
	ASSERT_EQ(4, start_many(self->fd, 0, 4));
	for (i = 0; i < 4; i++) {
		ops[2 * i] = tw_op(TWHEEL_OP_STOP, i);
		ops[2 * i + 1] = tw_op_after(100 + i, TW_HOUR);
	}
	ASSERT_EQ(8, tw_submit(self->fd, ops, results, 8));
	EXPECT_EQ(8, tw_count_errors(results, 8, 0));
	EXPECT_EQ(-ENOSPC, tw_after(self->fd, 0, TW_HOUR));
}

TEST_F(limit, raised_limit_is_in_force_at_once)
{
	ASSERT_EQ(0, tw_set_parameter("max_total_timers", 5));
	ASSERT_EQ(5, start_many(self->fd, 0, 6));
	ASSERT_EQ(0, tw_set_parameter("max_total_timers", 6));
	EXPECT_EQ(0, tw_after(self->fd, 5, TW_HOUR));
}

TEST_F(limit, lowered_limit_takes_nothing_away)
{
	ASSERT_EQ(10, start_many(self->fd, 0, 10));
	ASSERT_EQ(0, tw_set_parameter("max_total_timers", 5));
	EXPECT_EQ(-ENOSPC, tw_after(self->fd, 10, TW_HOUR));
	EXPECT_EQ(0, tw_after(self->fd, 9, TW_HOUR));
	ASSERT_EQ(10, stop_many(self->fd, 0, 10));
	EXPECT_EQ(5, start_many(self->fd, 0, 6));
}

TEST_F(limit, ended_timers_are_not_counted_twice)
{
	struct twheel_event event;
	unsigned int i;

	/* Every way in which a timer ends, more often than the limit allows. */
	ASSERT_EQ(0, tw_set_parameter("max_total_timers", 4));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
		ASSERT_EQ(0, tw_stop(self->fd, 1, NULL));
		ASSERT_TRUE(tw_expire(self->fd, 1));
		ASSERT_EQ(0, tw_stop(self->fd, 1, NULL));
		ASSERT_EQ(0, tw_after(self->fd, 1, 1));
		ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	}
	EXPECT_EQ(4, start_many(self->fd, 0, 5));
}

FIXTURE(cgroup) {
	bool possible;
	int to_parent[2];
	int to_child[2];
	unsigned int mib;
};

FIXTURE_SETUP(cgroup)
{
	self->possible = tw_cgroup_make();
	self->mib = tw_scaled(64);
	ASSERT_EQ(0, pipe(self->to_parent));
	ASSERT_EQ(0, pipe(self->to_child));
}

FIXTURE_TEARDOWN(cgroup)
{
	rmdir(TW_CGROUP);
}

/* What the child in the cgroup found when its memory was used up. */
struct starved {
	__u64 started;
	int ret;
	int unchanged;
	int state;
	int stop;
};

static void starve(struct _test_data_cgroup *self)
{
	struct tw_snapshot before;
	struct starved starved;
	char byte;
	__u64 id;
	int fd;

	if (tw_cgroup_enter())
		_exit(1);
	fd = tw_open();
	for (starved.started = 0; ; starved.started++) {
		if (!tw_after(fd, starved.started, TW_HOUR))
			continue;
		/* If some was found elsewhere meanwhile, it was not all. */
		tw_snapshot(fd, starved.started, &before);
		starved.ret = tw_after(fd, starved.started, TW_HOUR);
		if (starved.ret)
			break;
	}
	starved.unchanged = tw_unchanged(fd, &before) &&
			    before.stats.timers == starved.started;
	starved.state = tw_state(fd, starved.started);
	starved.stop = tw_stop(fd, 0, NULL);
	/* And so would a page for the pipe: make room. */
	for (id = 1; id < starved.started / 2; id++)
		tw_stop(fd, id, NULL);
	if (write(self->to_parent[1], &starved, sizeof(starved)) < 0)
		_exit(2);
	/* Starved, and alive: until the parent has seen that it is. */
	_exit(read(self->to_child[0], &byte, 1) == 1 ? 0 : 3);
}

TEST_F(cgroup, without_memory_gets_enomem_alone)
{
	struct starved starved = { 0 };
	int fd = tw_open();
	pid_t pid;

	if (!self->possible)
		SKIP(return, "no memory cgroups here");
	ASSERT_EQ(0, tw_cgroup_limit(self->mib));
	pid = tw_fork();
	if (!pid)
		starve(self);
	ASSERT_LT(0, pid);
	close(self->to_parent[1]);
	ASSERT_EQ((ssize_t)sizeof(starved),
		  read(self->to_parent[0], &starved, sizeof(starved))) {
		TH_LOG("the child died; oom_kill is %lld", tw_cgroup_oom_kills());
	}
	EXPECT_EQ(-ENOMEM, starved.ret);
	EXPECT_EQ(0, tw_cgroup_oom_kills());
	EXPECT_TRUE(starved.unchanged);
	EXPECT_EQ(TWHEEL_FREE, starved.state);
	EXPECT_EQ(0, starved.stop);
	TH_LOG("%llu timers in %u MiB", starved.started, self->mib);
	EXPECT_LT(self->mib * 1000, starved.started);

	/* Nobody else is short of anything. */
	EXPECT_EQ(1000, start_many(fd, 0, 1000));
	ASSERT_EQ(1, write(self->to_child[1], "", 1));
	EXPECT_EQ(0, tw_reap(pid));
	close(fd);
}

/* Each reader of copies brings the memory for its own. */
static int make_readers(void)
{
	static struct tw_snapshot before;
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BROADCAST,
		.overflow = TWHEEL_DROP_OLDEST,
	};
	struct twheel_info info;
	int fd = tw_open(), ret;

	if (tw_info(fd, &info))
		return 1;
	setup.queue_len = info.queue_len_max;
	if (tw_cgroup_enter() || tw_setup(fd, &setup))
		return 2;
	do {
		tw_snapshot(fd, 1, &before);
		ret = tw_reader(fd, 0);
	} while (ret >= 0);
	if (ret != -ENOMEM)
		return 3;
	return tw_unchanged(fd, &before) ? 0 : 4;
}

TEST_F(cgroup, without_memory_gets_no_more_readers)
{
	pid_t pid;

	if (!self->possible)
		SKIP(return, "no memory cgroups here");
	ASSERT_EQ(0, tw_cgroup_limit(self->mib));
	pid = tw_fork();
	if (!pid)
		_exit(make_readers());
	EXPECT_EQ(0, tw_reap(pid));
	EXPECT_EQ(0, tw_cgroup_oom_kills());
	EXPECT_TRUE(tw_cgroup_await_memory());
}

TEST_F(cgroup, gets_its_memory_back)
{
	pid_t pid;

	if (!self->possible)
		SKIP(return, "no memory cgroups here");
	ASSERT_EQ(0, tw_cgroup_limit(self->mib / 4 + 2));
	pid = tw_fork();
	if (!pid)
		starve(self);
	ASSERT_LT(0, pid);
	ASSERT_EQ(1, write(self->to_child[1], "", 1));
	ASSERT_EQ(0, tw_reap(pid));
	EXPECT_TRUE(tw_cgroup_await_memory());
}

FIXTURE(memory) {
	int fd;
	long slack;
	long used;
};

/* A first timer sets the instance up, so that its own memory does not count. */
FIXTURE_SETUP(memory)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_after(self->fd, U64_MAX, TW_HOUR));
	self->slack = tw_memory_slack();
	self->used = tw_memory_used();
}

FIXTURE_TEARDOWN(memory)
{
	close(self->fd);
}

/* The field had ten million; what is kept for each shows with fewer. */
TEST_F(memory, stopped_timers_keep_none)
{
	unsigned int i, count = tw_scaled(300000);

	for (i = 0; i < count; i++) {
		ASSERT_EQ(0, tw_after(self->fd, i, TW_HOUR));
		ASSERT_EQ(0, tw_stop(self->fd, i, NULL));
	}
	EXPECT_TRUE(tw_await_memory(self->used + self->slack));
}

TEST_F(memory, of_a_million_timers_comes_back)
{
	unsigned int count = tw_scaled(MILLION);
	struct twheel_stats stats;
	long live;

	ASSERT_EQ(count, start_many(self->fd, 0, count));
	ASSERT_EQ(0, tw_stats(self->fd, &stats));
	EXPECT_EQ(count + 1, stats.timers);
	live = tw_memory_used();
	TH_LOG("%u timers: %ld bytes each", count,
	       (live - self->used) * 1024 / count);
	EXPECT_GE(self->used + 512L * count / 1024 + self->slack, live);
	ASSERT_EQ(count, stop_many(self->fd, 0, count));
	EXPECT_TRUE(tw_await_memory(self->used + self->slack));
	EXPECT_EQ(0, tw_stop(self->fd, U64_MAX, NULL));
}

TEST_HARNESS_MAIN
