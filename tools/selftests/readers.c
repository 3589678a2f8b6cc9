// SPDX-License-Identifier: GPL-2.0
/*
 * READER: further descriptors of an instance; and the settings that they depend on
 */
#include <sys/resource.h>
#include "twheel_pool.h"
#include "twheel_sys.h"

FIXTURE(readers) {
	int fd;
	int other;
	struct twheel_event event[8];
	struct twheel_info info;
	struct tw_snapshot before;
};

FIXTURE_SETUP(readers)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	self->other = -1;
}

FIXTURE_TEARDOWN(readers)
{
	if (self->other >= 0)
		close(self->other);
	close(self->fd);
}

TEST_F(readers, another_descriptor_is_of_the_same_instance)
{
	self->other = tw_reader(self->fd, 0);
	ASSERT_LE(0, self->other);
	ASSERT_EQ(0, tw_after(self->other, 1, TW_HOUR));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	ASSERT_TRUE(tw_expire(self->fd, 2));
	ASSERT_EQ(1, tw_read(self->other, self->event, 8));
	EXPECT_EQ(2, self->event[0].id);
}

TEST_F(readers, instance_lives_as_long_as_any_descriptor)
{
	self->other = tw_reader(self->fd, 0);
	ASSERT_LE(0, self->other);
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	close(self->fd);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->other, 1));
	ASSERT_TRUE(tw_expire(self->other, 2));
	EXPECT_EQ(1, tw_read(self->other, self->event, 8));
	self->fd = tw_reader(self->other, 0);
	EXPECT_LE(0, self->fd);
}

TEST_F(readers, descriptor_is_closed_on_exec)
{
	self->other = tw_reader(self->fd, 0);
	ASSERT_LE(0, self->other);
	EXPECT_EQ(FD_CLOEXEC, fcntl(self->other, F_GETFD));
	EXPECT_EQ(0, fcntl(self->other, F_GETFL) & O_NONBLOCK);
}

TEST_F(readers, descriptor_is_non_blocking_on_request)
{
	self->other = tw_reader(self->fd, TWHEEL_READER_NONBLOCK);
	ASSERT_LE(0, self->other);
	EXPECT_EQ(O_NONBLOCK, fcntl(self->other, F_GETFL) & O_NONBLOCK);
	EXPECT_EQ(-EAGAIN, tw_read(self->other, self->event, 8));
}

TEST_F(readers, descriptor_can_be_passed_over_a_socket)
{
	int sock[2];
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	self->other = tw_reader(self->fd, 0);
	ASSERT_LE(0, self->other);
	pid = tw_fork();
	if (!pid) {
		close(self->fd);
		close(self->other);
		self->other = tw_receive_fd(sock[1]);
		_exit(tw_read(self->other, self->event, 8) == 1 &&
		      self->event[0].id == 7 ? 0 : 1);
	}
	ASSERT_EQ(0, tw_send_fd(sock[0], self->other));
	ASSERT_EQ(0, tw_after(self->fd, 7, 1));
	EXPECT_EQ(0, tw_reap(pid));
	close(sock[0]);
	close(sock[1]);
}

TEST_F(readers, numbers_are_unique_and_in_order)
{
	struct twheel_stats stats;
	__u32 number;

	EXPECT_EQ(1, tw_number(self->fd));
	self->other = tw_reader(self->fd, 0);
	EXPECT_EQ(2, tw_number(self->other));
	close(self->other);
	self->other = tw_reader(self->fd, 0);
	number = tw_number(self->other);
	EXPECT_EQ(3, number);
	ASSERT_EQ(0, tw_info(self->other, &self->info));
	EXPECT_EQ(2, self->info.readers);
	EXPECT_EQ(TWHEEL_READERS_MAX, self->info.readers_max);
	/* The one with the lowest number from there on. */
	ASSERT_EQ(0, tw_reader_stats(self->fd, 2, &stats));
	EXPECT_EQ(3, stats.reader);
	EXPECT_EQ(-ENOENT, tw_reader_stats(self->fd, 4, &stats));
}

TEST_F(readers, too_many_are_refused)
{
	int fd[TWHEEL_READERS_MAX];
	int i;

	for (i = 1; i < TWHEEL_READERS_MAX; i++) {
		fd[i] = tw_reader(self->fd, 0);
		ASSERT_LE(0, fd[i]);
	}
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-ENOSPC, tw_reader(self->fd, 0));
	EXPECT_EQ(-ENOSPC, tw_reader(fd[1], 0));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	close(fd[7]);
	fd[7] = tw_reader(self->fd, 0);
	EXPECT_LE(0, fd[7]);
	for (i = 1; i < TWHEEL_READERS_MAX; i++)
		close(fd[i]);
}

TEST_F(readers, no_descriptor_left_is_emfile)
{
	struct rlimit limit, none;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
	none = limit;
	none.rlim_cur = self->fd + 1;
	tw_snapshot(self->fd, 1, &self->before);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_EQ(-EMFILE, tw_reader(self->fd, 0));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(readers, unknown_flag_is_refused)
{
	__u32 flag;

	tw_snapshot(self->fd, 1, &self->before);
	for (flag = TWHEEL_READER_DEAD << 1; flag; flag <<= 1)
		EXPECT_EQ(-EOPNOTSUPP, tw_reader(self->fd, flag));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(readers, dead_ones_need_acknowledgement)
{
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EINVAL, tw_reader(self->fd, TWHEEL_READER_DEAD));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(readers, settings_are_fixed_by_the_first_reader)
{
	struct twheel_setup setup = { .queue_len = 7 };

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	self->other = tw_reader(self->fd, 0);
	ASSERT_LE(0, self->other);
	setup.queue_len = 8;
	EXPECT_EQ(-EBUSY, tw_setup(self->fd, &setup));
	ASSERT_EQ(0, tw_info(self->fd, &self->info));
	EXPECT_EQ(7, self->info.queue_len);
}

TEST_F(readers, further_descriptor_sets_nothing_up)
{
	struct twheel_setup setup = { .queue_len = 7 };

	self->other = tw_reader(self->fd, 0);
	ASSERT_LE(0, self->other);
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EINVAL, tw_setup(self->other, &setup));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(readers, control_descriptor_is_no_reader)
{
	struct twheel_setup setup = { .flags = TWHEEL_CONTROL };

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(0, tw_info(self->fd, &self->info));
	EXPECT_EQ(0, self->info.reader);
	EXPECT_EQ(0, self->info.readers);
	EXPECT_EQ(TWHEEL_CONTROL, self->info.setup_flags);
	ASSERT_TRUE(tw_expire(self->fd, 1));
	EXPECT_EQ(0, tw_poll(self->fd, 0));
	EXPECT_EQ(-EINVAL, tw_read(self->fd, self->event, 8));
	self->other = tw_reader(self->fd, 0);
	EXPECT_EQ(1, tw_read(self->other, self->event, 8));
}

TEST_F(readers, control_can_be_given_up_before_it_is_used)
{
	struct twheel_setup setup = { .flags = TWHEEL_CONTROL };

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	setup.flags = 0;
	setup.dispatch = TWHEEL_ROUND_ROBIN;
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	EXPECT_EQ(1, tw_number(self->fd));
	ASSERT_TRUE(tw_expire(self->fd, 1));
	EXPECT_EQ(1, tw_read(self->fd, self->event, 8));
}

TEST_F(readers, info_tells_the_settings)
{
	struct twheel_setup setup = tw_leased(5 * TW_SEC, 9);

	setup.dispatch = TWHEEL_ROUND_ROBIN;
	setup.flags = TWHEEL_STEAL;
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(0, tw_info(self->fd, &self->info));
	EXPECT_EQ(TWHEEL_AT_LEAST_ONCE, self->info.delivery);
	EXPECT_EQ(TWHEEL_ROUND_ROBIN, self->info.dispatch);
	EXPECT_EQ(TWHEEL_STEAL, self->info.setup_flags);
	EXPECT_EQ(9, self->info.max_attempts);
	EXPECT_EQ(5 * TW_SEC, self->info.lease_ns);
	EXPECT_EQ(TWHEEL_LEASE_MAX_NS, self->info.lease_max_ns);
	self->other = tw_reader(self->fd, TWHEEL_READER_DEAD);
	ASSERT_EQ(0, tw_info(self->other, &self->info));
	EXPECT_EQ(TWHEEL_READER_DEAD, self->info.reader_flags);
}

FIXTURE(contradiction) {
	int fd;
};

FIXTURE_VARIANT(contradiction) {
	struct twheel_setup setup;
	int error;
};

FIXTURE_VARIANT_ADD(contradiction, no_lease) {
	.setup = { .delivery = TWHEEL_AT_LEAST_ONCE },
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, lease_too_long) {
	.setup = {
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.lease_ns = TWHEEL_LEASE_MAX_NS + 1,
	},
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, leases_and_drop_newest) {
	.setup = {
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.lease_ns = 1,
		.overflow = TWHEEL_DROP_NEWEST,
	},
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, leases_and_drop_oldest) {
	.setup = {
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.lease_ns = 1,
		.overflow = TWHEEL_DROP_OLDEST,
	},
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, leases_and_broadcast) {
	.setup = {
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.lease_ns = 1,
		.dispatch = TWHEEL_BROADCAST,
	},
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, lease_for_nothing) {
	.setup = { .lease_ns = 1 },
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, attempts_for_nothing) {
	.setup = { .max_attempts = 1 },
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, broadcast_that_holds) {
	.setup = { .dispatch = TWHEEL_BROADCAST },
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, stealing_from_one_queue) {
	.setup = { .flags = TWHEEL_STEAL },
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, stealing_by_id) {
	.setup = { .flags = TWHEEL_STEAL, .dispatch = TWHEEL_BY_ID },
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, stealing_copies) {
	.setup = {
		.flags = TWHEEL_STEAL,
		.dispatch = TWHEEL_BROADCAST,
		.overflow = TWHEEL_DROP_OLDEST,
	},
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, unknown_delivery) {
	.setup = { .delivery = 2, .lease_ns = 1 },
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, unknown_dispatch) {
	.setup = { .dispatch = 4 },
	.error = -EINVAL,
};

FIXTURE_VARIANT_ADD(contradiction, unknown_flag) {
	.setup = { .flags = 4 },
	.error = -EOPNOTSUPP,
};

FIXTURE_SETUP(contradiction)
{
	struct twheel_setup setup = { .queue_len = 7 };

	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
}

FIXTURE_TEARDOWN(contradiction)
{
	close(self->fd);
}

TEST_F(contradiction, is_refused_and_changes_nothing)
{
	struct twheel_setup setup = variant->setup;
	struct tw_snapshot before;

	tw_snapshot(self->fd, 1, &before);
	EXPECT_EQ(variant->error, tw_setup(self->fd, &setup));
	EXPECT_TRUE(tw_unchanged(self->fd, &before));
}

TEST_HARNESS_MAIN
