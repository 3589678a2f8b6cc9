// SPDX-License-Identifier: GPL-2.0
/*
 * epoll: no wake-up is missed, level-triggered, edge-triggered or one-shot.
 */
#include <sys/epoll.h>
#include "twheel_test.h"

/* A round takes a millisecond and more where the CPUs are emulated. */
#define ROUNDS		4000

FIXTURE(epoll) {
	int fd;
	int epfd;
	struct twheel_event event[4];
	struct epoll_event ready;
	__u32 mask;
	bool stop;
};

FIXTURE_SETUP(epoll)
{
	struct twheel_setup setup = { 0 };
	struct twheel_info info;

	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_nonblock(self->fd));
	ASSERT_EQ(0, tw_info(self->fd, &info));
	setup.tick_shift = info.tick_shift_min;
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	self->epfd = epoll_create1(EPOLL_CLOEXEC);
	ASSERT_LE(0, self->epfd);
}

FIXTURE_TEARDOWN(epoll)
{
	close(self->epfd);
	close(self->fd);
}

static int control(struct _test_data_epoll *self, int op, __u32 mask)
{
	struct epoll_event event = { .events = mask, .data.u64 = mask };

	return epoll_ctl(self->epfd, op, self->fd, &event);
}

TEST_F(epoll, level_reports_until_read)
{
	ASSERT_EQ(0, control(self, EPOLL_CTL_ADD, EPOLLIN));
	EXPECT_EQ(0, epoll_wait(self->epfd, &self->ready, 1, 0));
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_MS));
	EXPECT_EQ(1, epoll_wait(self->epfd, &self->ready, 1, TW_PATIENCE_MS));
	EXPECT_EQ(EPOLLIN, self->ready.events);
	EXPECT_EQ(1, epoll_wait(self->epfd, &self->ready, 1, 0));
	ASSERT_EQ(1, tw_read(self->fd, self->event, 4));
	EXPECT_EQ(0, epoll_wait(self->epfd, &self->ready, 1, 0));
}

TEST_F(epoll, level_agrees_after_a_withdrawal)
{
	ASSERT_EQ(0, control(self, EPOLL_CTL_ADD, EPOLLIN));
	ASSERT_EQ(0, tw_after(self->fd, 1, 1));
	EXPECT_EQ(1, epoll_wait(self->epfd, &self->ready, 1, TW_PATIENCE_MS));
	ASSERT_EQ(0, tw_stop(self->fd, 1, NULL));
	EXPECT_EQ(0, epoll_wait(self->epfd, &self->ready, 1, 0));
}

TEST_F(epoll, each_expiry_is_an_edge)
{
	unsigned int i;

	ASSERT_EQ(0, control(self, EPOLL_CTL_ADD, EPOLLIN | EPOLLET));
	for (i = 1; i <= 3; i++) {
		/* Nothing was read since the last one. */
		ASSERT_EQ(0, tw_after(self->fd, i, TW_MS));
		EXPECT_EQ(1, epoll_wait(self->epfd, &self->ready, 1,
					TW_PATIENCE_MS));
		EXPECT_EQ(0, epoll_wait(self->epfd, &self->ready, 1, 0));
	}
	EXPECT_EQ(3, tw_read(self->fd, self->event, 4));
}

TEST_F(epoll, added_with_data_queued_is_an_edge)
{
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_EQ(0, control(self, EPOLL_CTL_ADD, EPOLLIN | EPOLLET));
	EXPECT_EQ(1, epoll_wait(self->epfd, &self->ready, 1, 0));
}

TEST_F(epoll, oneshot_armed_again_with_data_queued_reports_at_once)
{
	ASSERT_EQ(0, control(self, EPOLL_CTL_ADD, EPOLLIN | EPOLLONESHOT));
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_MS));
	EXPECT_EQ(1, epoll_wait(self->epfd, &self->ready, 1, TW_PATIENCE_MS));
	ASSERT_TRUE(tw_expire(self->fd, 2));
	EXPECT_EQ(0, epoll_wait(self->epfd, &self->ready, 1, 0));
	ASSERT_EQ(0, control(self, EPOLL_CTL_MOD, EPOLLIN | EPOLLONESHOT));
	EXPECT_EQ(1, epoll_wait(self->epfd, &self->ready, 1, 0));
	EXPECT_EQ(2, tw_read(self->fd, self->event, 4));
}

TEST_F(epoll, expiries_that_moved_up_keep_it_ready)
{
	struct twheel_setup setup = { .queue_len = 1 };

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(0, control(self, EPOLL_CTL_ADD, EPOLLIN));
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_TRUE(tw_expire(self->fd, 2));
	ASSERT_EQ(1, tw_read(self->fd, self->event, 1));
	EXPECT_EQ(1, epoll_wait(self->epfd, &self->ready, 1, TW_PATIENCE_MS));
	ASSERT_EQ(1, tw_read(self->fd, self->event, 1));
	EXPECT_EQ(2, self->event->id);
}

/* Closes and opens the eyes of the epoll instance as fast as it can. */
static void *change_interest(void *arg)
{
	struct _test_data_epoll *self = arg;
	unsigned int i;

	for (i = 0; !__atomic_load_n(&self->stop, __ATOMIC_RELAXED); i++) {
		if (i % 2) {
			control(self, EPOLL_CTL_DEL, 0);
			control(self, EPOLL_CTL_ADD, self->mask);
		} else {
			control(self, EPOLL_CTL_MOD, 0);
			control(self, EPOLL_CTL_MOD, self->mask);
		}
		/* An emulated CPU is not fair to who waits for the same lock. */
		if (i % 8 == 0)
			sched_yield();
	}
	return NULL;
}

/* Arm, wait, read; returns 0 if the wait timed out. */
static int wait_round(struct _test_data_epoll *self, __u64 id, __u64 timeout_ns)
{
	if (tw_after(self->fd, id, timeout_ns))
		return 0;
	do {
		if (epoll_wait(self->epfd, &self->ready, 1, TW_PATIENCE_MS) != 1)
			return 0;
		/* Ready from the round before: it was read since. */
	} while (tw_read(self->fd, self->event, 4) != 1);
	return self->event->id == id;
}

static unsigned int missed_wakeups(struct _test_data_epoll *self)
{
	unsigned int i, missed = 0, rounds = tw_scaled(ROUNDS) / 2;
	__u64 seed = tw_seed();
	pthread_t thread;

	if (control(self, EPOLL_CTL_ADD, self->mask) ||
	    pthread_create(&thread, NULL, change_interest, self))
		return rounds;
	for (i = 0; i < rounds && !missed; i++)
		missed += !wait_round(self, i, tw_below(&seed, 200 * TW_US));
	__atomic_store_n(&self->stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return missed;
}

TEST_F(epoll, no_level_is_missed_while_interest_changes)
{
	self->mask = EPOLLIN;
	EXPECT_EQ(0, missed_wakeups(self));
}

TEST_F(epoll, no_edge_is_missed_while_interest_changes)
{
	self->mask = EPOLLIN | EPOLLET;
	EXPECT_EQ(0, missed_wakeups(self));
}

TEST_HARNESS_MAIN
