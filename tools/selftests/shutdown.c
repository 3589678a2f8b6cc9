// SPDX-License-Identifier: GPL-2.0
/*
 * SHUTDOWN: nothing expires any more, what has expired is read, then comes the end
 */
#include <sys/epoll.h>
#include "twheel_pool.h"

#define ROOM	64

FIXTURE(shutdown) {
	int fd;		/* that is no reader */
	int reader[3];
	int dead;
	pid_t pid[3];
	struct twheel_event event[ROOM];
	struct twheel_list_entry entry[ROOM];
	struct twheel_shutdown what;
	struct twheel_stats stats;
	struct tw_snapshot before;
};

FIXTURE_SETUP(shutdown)
{
	self->dead = -1;
	tw_no_pool(&self->fd, self->reader, ARRAY_SIZE(self->reader));
}

FIXTURE_TEARDOWN(shutdown)
{
	if (self->dead >= 0)
		close(self->dead);
	tw_close_pool(self->fd, self->reader, ARRAY_SIZE(self->reader));
}

static bool make_pool(struct _test_data_shutdown *self,
		      struct twheel_setup setup, unsigned int readers)
{
	return tw_make_pool(&self->fd, self->reader, readers, setup,
			    0);
}

static bool make_simple_pool(struct _test_data_shutdown *self, __u32 dispatch)
{
	struct twheel_setup setup = { .dispatch = dispatch };

	if (dispatch == TWHEEL_BROADCAST)
		setup.overflow = TWHEEL_DROP_OLDEST;
	return make_pool(self, setup, 3);
}

static bool make_leased_pool(struct _test_data_shutdown *self, __u64 lease_ns,
			     __u32 max_attempts)
{
	return make_pool(self, tw_leased(lease_ns, max_attempts), 2);
}

/* What poll says of a descriptor now. */
static int poll_now(int fd)
{
	return tw_poll(fd, 0);
}

/* The end of file: also for a descriptor that may block. */
static bool is_at_end(int fd)
{
	struct twheel_event event;

	return poll_now(fd) == (POLLIN | POLLHUP) &&
	       !read(fd, &event, sizeof(event));
}

TEST_F(shutdown, of_an_empty_instance_is_the_end_at_once)
{
	ASSERT_TRUE(make_simple_pool(self, TWHEEL_SHARED));
	EXPECT_EQ(0, poll_now(self->reader[0]));
	ASSERT_EQ(0, tw_shutdown(self->fd, &self->what));
	EXPECT_EQ(0, self->what.timers);
	EXPECT_EQ(0, self->what.armed);
	EXPECT_TRUE(is_at_end(self->reader[0]));
	EXPECT_TRUE(is_at_end(self->reader[1]));
	/* Not once only. */
	EXPECT_TRUE(is_at_end(self->reader[1]));
}

TEST_F(shutdown, of_an_instance_that_nobody_has_set_up)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	EXPECT_TRUE(is_at_end(self->fd));
	EXPECT_EQ(-ESHUTDOWN, tw_after(self->fd, 1, TW_HOUR));
}

static void expect_readers_finish(struct __test_metadata *_metadata,
				  struct _test_data_shutdown *self,
				  __u32 dispatch)
{
	unsigned int i, seen = 0;
	ssize_t got;

	ASSERT_TRUE(make_simple_pool(self, dispatch));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 20));
	ASSERT_EQ(0, tw_shutdown(self->fd, &self->what));
	EXPECT_EQ(20, self->what.waiting);
	EXPECT_EQ(POLLIN, poll_now(self->reader[0]));
	for (i = 0; i < 3; i++) {
		if (poll_now(self->reader[i]) != POLLIN)
			continue;
		got = tw_read(self->reader[i], self->event, ROOM);
		ASSERT_LT(0, got);
		seen += got;
	}
	EXPECT_EQ(20, seen);
	for (i = 0; i < 3; i++)
		EXPECT_TRUE(is_at_end(self->reader[i]));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(shutdown, lets_readers_of_one_queue_finish)
{
	expect_readers_finish(_metadata, self, TWHEEL_SHARED);
}

TEST_F(shutdown, lets_readers_that_have_their_turn_finish)
{
	expect_readers_finish(_metadata, self, TWHEEL_ROUND_ROBIN);
}

TEST_F(shutdown, lets_readers_by_id_finish)
{
	expect_readers_finish(_metadata, self, TWHEEL_BY_ID);
}

TEST_F(shutdown, ends_a_reader_of_copies_when_it_has_read_its_own)
{
	ASSERT_TRUE(make_simple_pool(self, TWHEEL_BROADCAST));
	ASSERT_EQ(0, tw_after(self->fd, 1, 0));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(queued), 3));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, ROOM));
	EXPECT_TRUE(is_at_end(self->reader[0]));
	EXPECT_EQ(POLLIN, poll_now(self->reader[1]));
	ASSERT_EQ(1, tw_read(self->reader[1], self->event, ROOM));
	EXPECT_TRUE(is_at_end(self->reader[1]));
}

/* What it waits for may never come: the end has to. */
TEST_F(shutdown, wakes_every_blocked_reader)
{
	unsigned int i;

	ASSERT_TRUE(make_simple_pool(self, TWHEEL_SHARED));
	for (i = 0; i < 3; i++) {
		self->pid[i] = tw_fork();
		if (!self->pid[i])
			_exit(read(self->reader[i], self->event,
				   sizeof(self->event)) ? 1 : 0);
		ASSERT_TRUE(tw_await_sleep(self->pid[i]));
	}
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, tw_reap(self->pid[i]));
}

/* Two on one descriptor, and one on another. */
TEST_F(shutdown, wakes_every_blocked_reader_that_has_a_line)
{
	const int fd_of[] = { 0, 0, 1 };
	unsigned int i;

	ASSERT_TRUE(make_simple_pool(self, TWHEEL_BY_ID));
	for (i = 0; i < 3; i++) {
		self->pid[i] = tw_fork();
		if (!self->pid[i])
			_exit(read(self->reader[fd_of[i]], self->event,
				   sizeof(self->event)) ? 1 : 0);
		ASSERT_TRUE(tw_await_sleep(self->pid[i]));
	}
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, tw_reap(self->pid[i]));
}

/* The last ACK is the end for one that waits for what may come back. */
TEST_F(shutdown, wakes_blocked_readers_with_the_last_acknowledgement)
{
	ASSERT_TRUE(make_leased_pool(self, TW_HOUR, 0));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 2));
	ASSERT_EQ(2, tw_read(self->reader[0], self->event, ROOM));
	ASSERT_EQ(0, tw_shutdown(self->fd, &self->what));
	EXPECT_EQ(2, self->what.in_flight);
	EXPECT_EQ(0, self->what.waiting);
	EXPECT_EQ(0, poll_now(self->reader[1]));
	self->pid[0] = tw_fork();
	if (!self->pid[0])
		_exit(read(self->reader[1], self->event, sizeof(self->event)) ?
		      1 : 0);
	ASSERT_TRUE(tw_await_sleep(self->pid[0]));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->reader[0], &self->event[0]));
	EXPECT_EQ(0, poll_now(self->reader[0]));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->reader[0], &self->event[1]));
	EXPECT_EQ(0, tw_reap(self->pid[0]));
	EXPECT_TRUE(is_at_end(self->reader[0]));
}

TEST_F(shutdown, delivers_again_what_comes_back)
{
	ASSERT_TRUE(make_leased_pool(self, TW_HOUR, 0));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 3));
	ASSERT_EQ(3, tw_read(self->reader[0], self->event, ROOM));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->reader[0], &self->event[0]));
	EXPECT_EQ(0, tw_extend(self->reader[0], &self->event[1], 1));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(lapsed), 1));
	close(self->reader[0]);
	self->reader[0] = -1;
	ASSERT_EQ(3, tw_read(self->reader[1], self->event, ROOM));
	EXPECT_EQ(1, self->event[0].id);
	EXPECT_EQ(3, self->event[2].id);
	EXPECT_EQ(2, self->event[2].attempt);
	EXPECT_EQ(0, poll_now(self->reader[1]));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->reader[1], &self->event[0]));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->reader[1], &self->event[1]));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->reader[1], &self->event[2]));
	EXPECT_TRUE(is_at_end(self->reader[1]));
}

/* Deliver an expiry once and give it back, where that is once too often. */
static bool bury(struct _test_data_shutdown *self, __u64 id)
{
	return tw_expire(self->fd, id) &&
	       tw_read(self->reader[0], self->event, ROOM) == 1 &&
	       tw_reject(self->reader[0], &self->event[0]) == TWHEEL_DEAD;
}

TEST_F(shutdown, ends_a_reader_of_dead_ones_when_there_are_none)
{
	ASSERT_TRUE(make_leased_pool(self, TW_HOUR, 1));
	self->dead = tw_reader(self->fd, TWHEEL_READER_DEAD);
	ASSERT_LE(0, self->dead);
	ASSERT_TRUE(bury(self, 1));
	ASSERT_EQ(0, tw_shutdown(self->fd, &self->what));
	EXPECT_EQ(1, self->what.dead);
	/* The others are through. */
	EXPECT_TRUE(is_at_end(self->reader[0]));
	EXPECT_EQ(POLLIN, poll_now(self->dead));
	ASSERT_EQ(1, tw_read(self->dead, self->event, ROOM));
	EXPECT_EQ(0, poll_now(self->dead));
	EXPECT_TRUE(is_at_end(self->reader[1]));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->dead, &self->event[0]));
	EXPECT_TRUE(is_at_end(self->dead));
}

/* One in flight may still die. */
TEST_F(shutdown, keeps_a_reader_of_dead_ones_while_something_may_die)
{
	ASSERT_TRUE(make_leased_pool(self, TW_HOUR, 1));
	self->dead = tw_reader(self->fd, TWHEEL_READER_DEAD);
	ASSERT_LE(0, self->dead);
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, ROOM));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	EXPECT_EQ(0, poll_now(self->dead));
	EXPECT_EQ(TWHEEL_DEAD, tw_reject(self->reader[0], &self->event[0]));
	EXPECT_EQ(POLLIN, poll_now(self->dead));
	EXPECT_EQ(1, tw_read(self->dead, self->event, ROOM));
}

TEST_F(shutdown, is_seen_by_epoll)
{
	struct epoll_event want = { .events = EPOLLIN | EPOLLET }, got;
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_LE(0, epoll);
	ASSERT_TRUE(make_simple_pool(self, TWHEEL_ROUND_ROBIN));
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->reader[1], &want));
	ASSERT_EQ(0, epoll_wait(epoll, &got, 1, 0));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	ASSERT_EQ(1, epoll_wait(epoll, &got, 1, TW_PATIENCE_MS));
	EXPECT_EQ(EPOLLIN | EPOLLHUP, got.events);
	close(epoll);
}

/* A deadline that has passed, and one that would have: neither expires. */
TEST_F(shutdown, lets_no_timer_expire_any_more)
{
	__u64 deadline, lead = 25 * TW_MS;

	/* Again with more time, if they had expired before. */
	do {
		tw_close_pool(self->fd, self->reader, ARRAY_SIZE(self->reader));
		lead *= 2;
		deadline = tw_now() + lead;
		ASSERT_TRUE(make_simple_pool(self, TWHEEL_SHARED));
		ASSERT_EQ(0, tw_at(self->fd, 1, deadline));
		ASSERT_EQ(0, tw_every(self->fd, 2, deadline, 2 * TW_MS));
		ASSERT_EQ(0, tw_shutdown(self->fd, &self->what));
		ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	} while (self->stats.expired);
	EXPECT_EQ(2, self->what.armed);
	tw_spin_until(deadline + 50 * TW_MS);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.expired);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	EXPECT_TRUE(is_at_end(self->reader[0]));
}

TEST_F(shutdown, of_a_periodic_timer_is_after_the_expiry_that_it_has)
{
	ASSERT_TRUE(make_leased_pool(self, TW_HOUR, 0));
	ASSERT_EQ(0, tw_every(self->fd, 1, tw_now(), 2 * TW_MS));
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, ROOM));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	EXPECT_EQ(TWHEEL_ARMED, tw_ack(self->reader[0], &self->event[0]));
	EXPECT_TRUE(is_at_end(self->reader[0]));
	tw_spin_until(tw_now() + 10 * TW_MS);
	EXPECT_TRUE(is_at_end(self->reader[0]));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.expired);
	EXPECT_EQ(1, self->stats.armed);
}

TEST_F(shutdown, counts_what_is_left_and_lets_it_be_listed)
{
	ASSERT_TRUE(make_leased_pool(self, TW_HOUR, 1));
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	ASSERT_EQ(0, tw_after(self->fd, 2, TW_HOUR));
	ASSERT_TRUE(bury(self, 3));
	ASSERT_TRUE(tw_expire_row(self->fd, 4, 3));
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, 1));
	ASSERT_EQ(0, tw_shutdown(self->fd, &self->what));
	EXPECT_EQ(6, self->what.timers);
	EXPECT_EQ(2, self->what.armed);
	EXPECT_EQ(2, self->what.waiting);
	EXPECT_EQ(1, self->what.in_flight);
	EXPECT_EQ(1, self->what.dead);
	EXPECT_EQ(6, tw_list_all(self->fd, self->entry, ROOM, ROOM));
	ASSERT_EQ(0, tw_stop(self->fd, 1, NULL));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 1));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 2));
}

TEST_F(shutdown, of_what_was_stopped_is_the_end)
{
	ASSERT_TRUE(make_simple_pool(self, TWHEEL_ROUND_ROBIN));
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	EXPECT_EQ(POLLIN, poll_now(self->reader[0]));
	ASSERT_EQ(0, tw_stop(self->fd, 1, NULL));
	EXPECT_TRUE(is_at_end(self->reader[0]));
	EXPECT_TRUE(is_at_end(self->reader[1]));
}

TEST_F(shutdown, refuses_starts_resets_and_readers)
{
	struct twheel_op op[2] = { tw_op_after(3, TW_HOUR),
				   tw_op(TWHEEL_OP_RESET, 1) };
	struct twheel_reset reset = { .id = 1 };
	struct twheel_result result[2];

	ASSERT_TRUE(make_leased_pool(self, TW_HOUR, 0));
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-ESHUTDOWN, tw_after(self->fd, 2, TW_HOUR));
	EXPECT_EQ(-ESHUTDOWN, tw_after(self->fd, 1, TW_HOUR));
	EXPECT_EQ(-ESHUTDOWN, tw_reset(self->fd, &reset));
	EXPECT_EQ(-ESHUTDOWN, tw_reader(self->fd, 0));
	EXPECT_EQ(-ESHUTDOWN, tw_reader(self->reader[0], 0));
	EXPECT_EQ(-ESHUTDOWN, tw_reader(self->fd, TWHEEL_READER_DEAD));
	ASSERT_EQ(2, tw_submit(self->fd, op, result, 2));
	EXPECT_EQ(-ESHUTDOWN, result[0].error);
	EXPECT_EQ(-ESHUTDOWN, result[1].error);
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(shutdown, done_again_changes_nothing)
{
	struct twheel_shutdown again;

	ASSERT_TRUE(make_leased_pool(self, TW_HOUR, 0));
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	ASSERT_TRUE(tw_expire_row(self->fd, 2, 2));
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, 1));
	ASSERT_EQ(0, tw_shutdown(self->fd, &self->what));
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(1, self->before.stats.shut_down);
	ASSERT_EQ(0, tw_shutdown(self->reader[1], &again));
	EXPECT_EQ(0, memcmp(&self->what, &again, sizeof(again)));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(shutdown, each_reserved_field_is_refused)
{
	__u32 at[] = { offsetof(struct twheel_shutdown, flags),
		       offsetof(struct twheel_shutdown, reserved),
		       offsetof(struct twheel_shutdown, reserved2[0]),
		       offsetof(struct twheel_shutdown, reserved2[1]) };
	struct twheel_shutdown bad;
	unsigned int i;

	ASSERT_TRUE(make_simple_pool(self, TWHEEL_SHARED));
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	tw_snapshot(self->fd, 1, &self->before);
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		memset(&bad, 0, sizeof(bad));
		((char *)&bad)[at[i]] = 1;
		EXPECT_EQ(-EOPNOTSUPP, tw_ioctl(self->fd, TWHEEL_IOC_SHUTDOWN,
						&bad, sizeof(bad))) {
			TH_LOG("field at %u", at[i]);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_EQ(0, tw_after(self->fd, 2, TW_HOUR));
}

TEST_F(shutdown, of_a_drain_is_no_end_of_drains)
{
	ASSERT_TRUE(make_simple_pool(self, TWHEEL_BY_ID));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 4));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	EXPECT_EQ(4, tw_drain(self->fd, self->event, ROOM));
	EXPECT_TRUE(is_at_end(self->reader[0]));
	EXPECT_EQ(0, tw_drain(self->reader[0], self->event, ROOM));
}

TEST_HARNESS_MAIN
