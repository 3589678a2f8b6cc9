// SPDX-License-Identifier: GPL-2.0
/*
 * Dead letters: what becomes of an expiry that nobody acknowledges
 */
#include "twheel_pool.h"

#define ATTEMPTS	3

FIXTURE(dead) {
	int fd;
	int dead;
	struct twheel_event event[8];
	struct twheel_stats stats;
	struct twheel_list_entry entry[8];
};

FIXTURE_SETUP(dead)
{
	self->fd = tw_pool(tw_leased(TW_HOUR, ATTEMPTS));
	ASSERT_LE(0, self->fd);
	self->dead = tw_reader(self->fd, TWHEEL_READER_DEAD |
					 TWHEEL_READER_NONBLOCK);
	ASSERT_LE(0, self->dead);
}

FIXTURE_TEARDOWN(dead)
{
	close(self->dead);
	close(self->fd);
}

/* Deliver an expiry of timer @id as often as may be; the state that it ends in. */
static int kill_timer(int fd, __u64 id, __u64 interval_ns)
{
	struct twheel_start start = { .id = id, .interval_ns = interval_ns };
	struct twheel_event event;
	int i, state = -1;

	if (tw_start(fd, &start))
		return -1;
	for (i = 1; i <= ATTEMPTS; i++) {
		if (tw_read(fd, &event, 1) != 1 || event.id != id ||
		    (int)event.attempt != i)
			return -1;
		state = tw_reject(fd, &event);
	}
	return state;
}

TEST_F(dead, expiry_dies_of_its_last_attempt)
{
	ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, 0));
	EXPECT_EQ(TWHEEL_DEAD, tw_state(self->fd, 1));
	ASSERT_EQ(0, tw_nonblock(self->fd));
	EXPECT_EQ(-EAGAIN, tw_read(self->fd, self->event, 8));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.dead);
	EXPECT_EQ(0, self->stats.waiting);
	EXPECT_EQ(ATTEMPTS - 1, self->stats.redelivered);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/* The count of attempts is the kernel's: it counts killed readers as well. */
TEST_F(dead, readers_that_go_away_count_as_attempts)
{
	int i, reader;

	ASSERT_TRUE(tw_expire(self->fd, 1));
	for (i = 1; i <= ATTEMPTS; i++) {
		reader = tw_reader(self->fd, 0);
		ASSERT_LE(0, reader);
		ASSERT_EQ(1, tw_read(reader, self->event, 8));
		EXPECT_EQ(i, self->event[0].attempt);
		close(reader);
	}
	EXPECT_EQ(TWHEEL_DEAD, tw_state(self->fd, 1));
}

TEST_F(dead, leases_that_run_out_count_as_attempts)
{
	struct twheel_event event;
	int i, fd = tw_pool(tw_leased(1, ATTEMPTS));

	ASSERT_LE(0, fd);
	ASSERT_TRUE(tw_expire(fd, 1));
	for (i = 1; i <= ATTEMPTS; i++) {
		ASSERT_EQ(1, tw_read(fd, &event, 1));
		EXPECT_EQ(i, event.attempt);
		ASSERT_TRUE(tw_await(fd, TW_STAT(lapsed), i));
	}
	EXPECT_EQ(TWHEEL_DEAD, tw_state(fd, 1));
	close(fd);
}

TEST_F(dead, poison_timer_does_not_stop_others)
{
	unsigned int i;

	for (i = 0; i < 100; i++) {
		ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, i, 0));
		ASSERT_TRUE(tw_expire(self->fd, 1000));
		ASSERT_EQ(1, tw_read(self->fd, self->event, 8));
		EXPECT_EQ(1000, self->event[0].id);
		EXPECT_EQ(TWHEEL_FREE, tw_ack(self->fd, &self->event[0]));
	}
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(100, self->stats.dead);
	EXPECT_EQ(100, self->stats.timers);
}

TEST_F(dead, listing_shows_it_with_its_attempts)
{
	ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, 0));
	ASSERT_EQ(1, tw_list_all(self->fd, self->entry, 8, 8));
	EXPECT_EQ(1, self->entry[0].id);
	EXPECT_EQ(TWHEEL_DEAD, self->entry[0].state);
	EXPECT_EQ(ATTEMPTS, self->entry[0].attempt);
}

TEST_F(dead, reader_of_dead_ones_gets_them_and_nothing_else)
{
	ASSERT_TRUE(tw_expire(self->fd, 5));
	EXPECT_EQ(-EAGAIN, tw_read(self->dead, self->event, 8));
	EXPECT_EQ(0, tw_poll(self->dead, 0));
	ASSERT_EQ(1, tw_read(self->fd, self->event, 8));
	ASSERT_EQ(TWHEEL_FREE, tw_ack(self->fd, &self->event[0]));
	ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, 0));
	ASSERT_EQ(POLLIN, tw_poll(self->dead, 0));
	ASSERT_EQ(1, tw_read(self->dead, self->event, 8));
	EXPECT_EQ(1, self->event[0].id);
	EXPECT_EQ(ATTEMPTS, self->event[0].attempt);
	EXPECT_EQ(TWHEEL_EVENT_DEAD, self->event[0].flags);
	EXPECT_EQ(TWHEEL_DELIVERED, tw_state(self->fd, 1));
}

TEST_F(dead, drain_of_a_reader_of_dead_ones_drains_dead_ones)
{
	ASSERT_TRUE(tw_expire(self->fd, 5));
	EXPECT_EQ(0, tw_drain(self->dead, self->event, 8));
	ASSERT_EQ(1, tw_drain(self->fd, self->event, 8));
	ASSERT_EQ(TWHEEL_FREE, tw_ack(self->fd, &self->event[0]));
	ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, 0));
	EXPECT_EQ(0, tw_drain(self->fd, self->event, 8));
	ASSERT_EQ(1, tw_drain(self->dead, self->event, 8));
	EXPECT_EQ(1, self->event[0].id);
}

TEST_F(dead, blocked_reader_of_dead_ones_is_woken)
{
	int flags = fcntl(self->dead, F_GETFL);
	pid_t pid;

	ASSERT_EQ(0, fcntl(self->dead, F_SETFL, flags & ~O_NONBLOCK));
	pid = tw_fork();
	if (!pid)
		_exit(tw_read(self->dead, self->event, 8) == 1 &&
		      self->event[0].id == 1 ? 0 : 1);
	ASSERT_TRUE(tw_await_sleep(pid));
	ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, 0));
	EXPECT_EQ(0, tw_reap(pid));
}

/* A reader of dead ones that has one and hangs keeps no other from the next. */
TEST_F(dead, blocked_reader_is_woken_beside_one_that_hangs)
{
	int waiting = tw_reader(self->fd, TWHEEL_READER_DEAD);
	pid_t pid;

	ASSERT_LE(0, waiting);
	pid = tw_fork();
	if (!pid)
		_exit(tw_read(waiting, self->event, 1) == 1 &&
		      self->event[0].id == 1 ? 0 : 1);
	ASSERT_TRUE(tw_await_sleep(pid));
	/* Neither has anything; the first one, self->dead, does not look. */
	ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, 0));
	EXPECT_EQ(0, tw_reap(pid));
	close(waiting);
}

TEST_F(dead, end_of_its_lease_leaves_it_dead)
{
	ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, 0));
	ASSERT_EQ(1, tw_read(self->dead, self->event, 8));
	EXPECT_EQ(TWHEEL_DEAD, tw_reject(self->dead, &self->event[0]));
	ASSERT_EQ(1, tw_read(self->dead, self->event + 1, 7));
	EXPECT_EQ(ATTEMPTS, self->event[1].attempt);
	EXPECT_EQ(0, tw_extend(self->dead, &self->event[1], 1));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(dead), 1));
	EXPECT_EQ(-ESTALE, tw_ack(self->dead, &self->event[1]));
	EXPECT_EQ(TWHEEL_DEAD, tw_state(self->fd, 1));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(dead, acknowledgement_discards_it)
{
	ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, 0));
	ASSERT_EQ(1, tw_read(self->dead, self->event, 8));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->dead, &self->event[0]));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.timers);
	EXPECT_EQ(0, self->stats.dead);
	EXPECT_EQ(1, self->stats.delivered);
}

TEST_F(dead, acknowledgement_lets_a_periodic_timer_go_on)
{
	ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, TW_HOUR));
	ASSERT_EQ(1, tw_read(self->dead, self->event, 8));
	EXPECT_EQ(TWHEEL_ARMED, tw_ack(self->dead, &self->event[0]));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
}

TEST_F(dead, stop_discards_it)
{
	struct twheel_stop stop;

	ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, 0));
	ASSERT_EQ(0, tw_stop(self->fd, 1, &stop));
	EXPECT_EQ(TWHEEL_WAS_DEAD, stop.outcome);
	EXPECT_EQ(-EAGAIN, tw_read(self->dead, self->event, 8));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(dead, start_runs_it_again_with_all_its_attempts)
{
	struct twheel_start start = { .id = 1, .time_ns = TW_HOUR };

	ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, 0));
	ASSERT_EQ(0, tw_start(self->fd, &start));
	EXPECT_EQ(TWHEEL_WAS_DEAD, start.outcome);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	EXPECT_EQ(-EAGAIN, tw_read(self->dead, self->event, 8));
	EXPECT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, 0));
}

TEST_F(dead, restart_under_a_lease_makes_the_lease_stale)
{
	struct twheel_reset reset = {
		.id = 1,
		.time_ns = TW_HOUR,
		.flags = TWHEEL_NEW_TIMEOUT,
	};

	ASSERT_EQ(TWHEEL_DEAD, kill_timer(self->fd, 1, 0));
	ASSERT_EQ(1, tw_read(self->dead, self->event, 8));
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	EXPECT_EQ(TWHEEL_WAS_DEAD, reset.outcome);
	EXPECT_EQ(-ESTALE, tw_ack(self->dead, &self->event[0]));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
}

TEST_HARNESS_MAIN
