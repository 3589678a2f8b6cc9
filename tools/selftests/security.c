// SPDX-License-Identifier: GPL-2.0
/*
 * What one who may open the device can do with it, and cannot: the node, who is
 * charged, and what a namespace or a passed descriptor changes.  See
 * Documentation/security.rst, which names the tests of the rest.
 */
#include "twheel_pool.h"
#include "twheel_sys.h"

#define USER		1000
#define LIMIT		10

/* ---- the node */

/* Become another user, who may do with himself what one who has logged in may. */
static bool become_user(void)
{
	return !setresgid(USER, USER, USER) && !setresuid(USER, USER, USER) &&
	       !prctl(PR_SET_DUMPABLE, 1);
}

/* Be root, in a user namespace where root is this user. */
static bool become_root_of_a_namespace(void)
{
	char map[32];

	snprintf(map, sizeof(map), "0 %d 1", USER);
	return !unshare(CLONE_NEWUSER) &&
	       !tw_write_file("/proc/self/uid_map", map) && !getuid();
}

static bool has_user_namespaces(void)
{
	return !access("/proc/self/ns/user", F_OK);
}

/* What opening the device says: 0 or errno. */
static int try_to_open(void)
{
	return tw_open() < 0 ? errno : 0;
}

TEST(node_of_a_fresh_module_is_for_root_alone)
{
	struct stat node;

	ASSERT_EQ(0, tw_unload());
	ASSERT_EQ(0, tw_load());
	ASSERT_EQ(0, stat(TW_DEVICE, &node));
	EXPECT_TRUE(S_ISCHR(node.st_mode));
	EXPECT_EQ(0600, node.st_mode & 07777);
	EXPECT_EQ(0, node.st_uid);
	EXPECT_EQ(0, node.st_gid);
}

TEST(node_is_closed_to_other_users)
{
	pid_t pid = tw_fork();

	if (!pid)
		_exit(become_user() ? try_to_open() : 255);
	EXPECT_EQ(EACCES, tw_reap(pid));
}

TEST(node_is_closed_to_root_of_a_users_namespace)
{
	pid_t pid;

	if (!has_user_namespaces())
		SKIP(return, "no user namespaces here");
	pid = tw_fork();
	if (!pid)
		_exit(become_user() && become_root_of_a_namespace() ?
		      try_to_open() : 255);
	EXPECT_EQ(EACCES, tw_reap(pid));
}

/* ---- who is charged */

FIXTURE(charge) {
	int fd;			/* root's */
	int sock[2];
	long long max_user, users;
	struct tw_snapshot before;
};

FIXTURE_SETUP(charge)
{
	self->users = tw_module_users();
	self->max_user = tw_parameter("max_user_timers");
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, self->sock));
	ASSERT_EQ(0, chmod(TW_DEVICE, 0666));
	ASSERT_EQ(0, tw_set_parameter("max_user_timers", LIMIT));
}

FIXTURE_TEARDOWN(charge)
{
	close(self->fd);
	close(self->sock[0]);
	close(self->sock[1]);
	chmod(TW_DEVICE, 0600);
	tw_set_parameter("max_user_timers", self->max_user);
}

/* Start timers until that fails; how many there were if it was for the limit. */
static int start_to_the_limit(int fd)
{
	int i, ret = 0;

	for (i = 0; i <= LIMIT && !ret; i++)
		ret = tw_after(fd, i, TW_HOUR);
	return ret == -ENOSPC ? i - 1 : -1;
}

/* Has whoever calls this nothing on his account? */
static bool is_not_charged(void)
{
	int fd = tw_open();
	bool is = start_to_the_limit(fd) == LIMIT;

	close(fd);
	return is;
}

/* As another user, with the descriptor that root has opened. */
static int start_in(int fd)
{
	if (!become_user())
		return 1;
	if (start_to_the_limit(fd) != LIMIT)
		return 2;
	return is_not_charged() ? 0 : 3;
}

TEST_F(charge, is_the_openers_when_another_user_has_inherited_it)
{
	pid_t pid = tw_fork();

	if (!pid)
		_exit(start_in(self->fd));
	EXPECT_EQ(0, tw_reap(pid));
	tw_snapshot(self->fd, LIMIT, &self->before);
	EXPECT_EQ(-ENOSPC, tw_after(self->fd, LIMIT, TW_HOUR));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(charge, is_the_openers_when_another_user_makes_a_reader)
{
	pid_t pid = tw_fork();

	if (!pid)
		_exit(become_user() ? start_in(tw_reader(self->fd, 0)) : 4);
	EXPECT_EQ(0, tw_reap(pid));
	EXPECT_EQ(-ENOSPC, tw_after(self->fd, LIMIT, TW_HOUR));
}

/* Opens an instance, passes it on, and lives until it is told to end. */
static int open_and_pass(int sock)
{
	char byte;
	int fd;

	if (!become_user())
		return 1;
	fd = tw_open();
	if (fd < 0 || tw_send_fd(sock, fd))
		return 2;
	if (read(sock, &byte, 1) != 1)
		return 3;
	return is_not_charged() ? 4 : 0;
}

/* Not even root gets past the limit of who has opened it. */
TEST_F(charge, is_the_openers_when_it_was_passed_to_root)
{
	pid_t pid = tw_fork();
	int fd;

	if (!pid)
		_exit(open_and_pass(self->sock[1]));
	fd = tw_receive_fd(self->sock[0]);
	ASSERT_LE(0, fd);
	EXPECT_EQ(LIMIT, start_to_the_limit(fd));
	EXPECT_TRUE(is_not_charged());
	ASSERT_EQ(1, write(self->sock[0], "", 1));
	EXPECT_EQ(0, tw_reap(pid));
	/* And when nobody of his is there any more. */
	EXPECT_EQ(-ENOSPC, tw_after(fd, LIMIT, TW_HOUR));
	close(fd);
}

/* Of a process that runs with the rights of another, as a setuid program does. */
TEST_F(charge, is_that_of_the_real_user)
{
	pid_t pid = tw_fork();

	if (!pid) {
		self->fd = setresuid(USER, 0, 0) ? -1 : tw_open();
		if (start_to_the_limit(self->fd) != LIMIT || is_not_charged())
			_exit(1);
		/* The account of root is another one. */
		_exit(setresuid(0, 0, 0) || !is_not_charged() ? 2 : 0);
	}
	EXPECT_EQ(0, tw_reap(pid));
}

/* Uses his account up, and then finds another in a namespace or not. */
static int look_for_another_account(void)
{
	int fd;

	if (!become_user())
		return 1;
	fd = tw_open();
	if (start_to_the_limit(fd) != LIMIT)
		return 2;
	if (!become_root_of_a_namespace())
		return 3;
	if (tw_after(fd, LIMIT, TW_HOUR) != -ENOSPC)
		return 4;
	return start_to_the_limit(tw_open()) ? 5 : 0;
}

TEST_F(charge, is_the_same_in_a_user_namespace)
{
	pid_t pid;

	if (!has_user_namespaces())
		SKIP(return, "no user namespaces here");
	pid = tw_fork();
	if (!pid)
		_exit(look_for_another_account());
	EXPECT_EQ(0, tw_reap(pid));
	EXPECT_TRUE(is_not_charged());
}

/* Those that the kernel has; which, is not the same everywhere. */
static unsigned int leave_namespaces(void)
{
	int flags[] = { CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWIPC, CLONE_NEWUTS,
			CLONE_NEWNS, CLONE_NEWCGROUP };
	unsigned int i, left = 0;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		left += !unshare(flags[i]);
	return left;
}

TEST_F(charge, is_the_same_in_namespaces_of_other_kinds)
{
	pid_t pid;

	ASSERT_EQ(LIMIT, start_to_the_limit(self->fd));
	ASSERT_EQ(0, tw_stop(self->fd, 0, NULL));
	pid = tw_fork();
	if (!pid) {
		if (!leave_namespaces())
			_exit(99);
		/* One more, wherever he is: with this instance or another. */
		_exit(tw_after(self->fd, 0, TW_HOUR) ||
		      start_to_the_limit(tw_open()));
	}
	EXPECT_EQ(0, tw_reap(pid));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 0));
}

/* ---- passing descriptors */

TEST_F(charge, ends_when_a_descriptor_in_flight_is_dropped)
{
	ASSERT_EQ(LIMIT, start_to_the_limit(self->fd));
	ASSERT_EQ(0, tw_send_fd(self->sock[0], self->fd));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(self->users + 1, tw_module_users());
	EXPECT_FALSE(is_not_charged());
	close(self->sock[1]);
	self->sock[1] = -1;
	EXPECT_TRUE(tw_await_users(self->users));
	EXPECT_TRUE(is_not_charged());
}

/* The socket that it is in is in itself: only the kernel's collector gets there. */
TEST_F(charge, ends_when_a_descriptor_in_flight_is_out_of_reach)
{
	ASSERT_EQ(LIMIT, start_to_the_limit(self->fd));
	ASSERT_EQ(0, tw_send_fd(self->sock[0], self->fd));
	ASSERT_EQ(0, tw_send_fd(self->sock[0], self->sock[1]));
	close(self->fd);
	close(self->sock[1]);
	close(self->sock[0]);
	self->fd = -1;
	self->sock[0] = -1;
	self->sock[1] = -1;
	EXPECT_TRUE(tw_await_users(self->users));
	EXPECT_TRUE(is_not_charged());
}

/* ---- memory */

/* With an instance of somebody else's: 0 if its own cgroup has stopped it. */
static int starve_in(int fd)
{
	static struct tw_snapshot before;
	__u64 id = 0;
	int ret;

	if (tw_cgroup_enter())
		return 1;
	do {
		if (!tw_after(fd, ++id, TW_HOUR))
			continue;
		/* If some was found elsewhere meanwhile, it was not all. */
		tw_snapshot(fd, id, &before);
		ret = tw_after(fd, id, TW_HOUR);
		if (ret)
			return ret != -ENOMEM ? 2 :
			       tw_unchanged(fd, &before) ? 0 : 3;
	} while (id < TW_SENTINEL);
	return 4;
}

TEST(memory_is_charged_to_the_cgroup_of_the_caller_not_of_the_opener)
{
	unsigned int i;
	pid_t pid;
	int fd;

	if (!tw_cgroup_make())
		SKIP(return, "no memory cgroups here");
	fd = tw_open();
	ASSERT_EQ(0, tw_after(fd, 0, TW_HOUR));
	ASSERT_EQ(0, tw_cgroup_limit(4 + tw_scaled(16)));
	pid = tw_fork();
	if (!pid)
		_exit(starve_in(fd));
	EXPECT_EQ(0, tw_reap(pid));
	EXPECT_EQ(0, tw_cgroup_oom_kills());
	/* The opener goes on in the same instance. */
	for (i = 0; i < 1000; i++)
		EXPECT_EQ(0, tw_after(fd, TW_SENTINEL + i, TW_HOUR));
	/* What the other has left there is still his cgroup's. */
	EXPECT_LT(1 << 20, tw_read_number(TW_CGROUP "/memory.current"));
	close(fd);
	EXPECT_TRUE(tw_cgroup_await_memory());
	rmdir(TW_CGROUP);
}

TEST_HARNESS_MAIN
