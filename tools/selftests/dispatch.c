// SPDX-License-Identifier: GPL-2.0
/*
 * Which reader gets an expiry: in turn, by ID, or all of them
 */
#include "twheel_pool.h"

#define READERS	4
#define ROOM	64

/* A descriptor that is no reader, and readers that do not block. */
struct pool {
	int fd;
	int reader[READERS];
	struct twheel_event event[ROOM];
	struct twheel_stats stats;
};

static bool pool_open(struct pool *pool, struct twheel_setup setup,
		      unsigned int readers)
{
	return tw_make_pool(&pool->fd, pool->reader, readers, setup,
			    TWHEEL_READER_NONBLOCK);
}

static void pool_leave(struct pool *pool, unsigned int i)
{
	close(pool->reader[i]);
	pool->reader[i] = -1;
}

/* Whether exactly these IDs are read by a reader, in this order. */
static bool reads(struct pool *pool, unsigned int reader, unsigned int count,
		  const __u64 *id)
{
	int got = tw_read(pool->reader[reader], pool->event, ROOM);
	unsigned int i;

	if (!count)
		return got == -EAGAIN;
	for (i = 0; i < count && got == (int)count; i++)
		if (pool->event[i].id != id[i])
			return false;
	return got == (int)count;
}

#define READS(pool, reader, ...)					\
	reads(pool, reader, sizeof((__u64[]) { __VA_ARGS__ }) / sizeof(__u64), \
	      (__u64[]) { __VA_ARGS__ })

FIXTURE(dispatch) {
	struct pool pool;
};

FIXTURE_SETUP(dispatch)
{
	tw_no_pool(&self->pool.fd, self->pool.reader, READERS);
}

FIXTURE_TEARDOWN(dispatch)
{
	tw_close_pool(self->pool.fd, self->pool.reader, READERS);
}

TEST_F(dispatch, round_robin_deals_in_turn)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_ROUND_ROBIN };

	ASSERT_TRUE(pool_open(&self->pool, setup, 3));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 0, 7));
	EXPECT_TRUE(READS(&self->pool, 0, 0, 3, 6));
	EXPECT_TRUE(READS(&self->pool, 1, 1, 4));
	EXPECT_TRUE(READS(&self->pool, 2, 2, 5));
}

TEST_F(dispatch, round_robin_passes_a_full_line_by)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_ROUND_ROBIN,
		.queue_len = 2,
	};

	ASSERT_TRUE(pool_open(&self->pool, setup, 2));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 0, 4));
	EXPECT_TRUE(READS(&self->pool, 1, 1, 3));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 4, 2));
	EXPECT_TRUE(READS(&self->pool, 1, 4, 5));
	EXPECT_TRUE(READS(&self->pool, 0, 0, 2));
}

TEST_F(dispatch, round_robin_waits_when_all_lines_are_full)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_ROUND_ROBIN,
		.queue_len = 2,
	};

	ASSERT_TRUE(pool_open(&self->pool, setup, 2));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 0, 6));
	ASSERT_EQ(0, tw_stats(self->pool.fd, &self->pool.stats));
	EXPECT_EQ(4, self->pool.stats.queued);
	EXPECT_EQ(6, self->pool.stats.waiting);
	/* Room is made while it reads. */
	EXPECT_TRUE(READS(&self->pool, 1, 1, 3, 4, 5));
	EXPECT_TRUE(READS(&self->pool, 0, 0, 2));
}

TEST_F(dispatch, by_id_waits_for_its_reader_and_keeps_no_other_waiting)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BY_ID,
		.queue_len = 2,
	};

	ASSERT_TRUE(pool_open(&self->pool, setup, 2));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 0, 1));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 2, 1));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 4, 1));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 6, 1));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 1, 1));
	ASSERT_EQ(0, tw_stats(self->pool.fd, &self->pool.stats));
	EXPECT_EQ(3, self->pool.stats.queued);
	EXPECT_TRUE(READS(&self->pool, 1, 1));
	EXPECT_TRUE(READS(&self->pool, 1));
	EXPECT_TRUE(READS(&self->pool, 0, 0, 2, 4, 6));
}

TEST_F(dispatch, by_id_drops_only_from_the_line_that_is_full)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BY_ID,
		.queue_len = 1,
		.overflow = TWHEEL_DROP_OLDEST,
	};

	ASSERT_TRUE(pool_open(&self->pool, setup, 2));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 1, 1));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 2, 1));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 4, 1));
	ASSERT_TRUE(READS(&self->pool, 0, 4));
	EXPECT_EQ(TWHEEL_EVENT_DROPPED, self->pool.event[0].flags);
	EXPECT_EQ(1, self->pool.event[0].dropped);
	EXPECT_EQ(2, self->pool.event[0].sequence);
	ASSERT_TRUE(READS(&self->pool, 1, 1));
	EXPECT_EQ(0, self->pool.event[0].dropped);
	EXPECT_TRUE(tw_books_balance(self->pool.fd));
}

TEST_F(dispatch, by_id_moves_nothing_when_a_reader_comes)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_BY_ID };

	ASSERT_TRUE(pool_open(&self->pool, setup, 2));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 0, 4));
	self->pool.reader[2] = tw_reader(self->pool.fd, TWHEEL_READER_NONBLOCK);
	ASSERT_LE(0, self->pool.reader[2]);
	EXPECT_TRUE(READS(&self->pool, 2));
	EXPECT_TRUE(READS(&self->pool, 0, 0, 2));
	EXPECT_TRUE(READS(&self->pool, 1, 1, 3));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 0, 6));
	EXPECT_TRUE(READS(&self->pool, 2, 2, 5));
}

TEST_F(dispatch, by_id_moves_only_what_the_leaving_reader_had)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_BY_ID };

	ASSERT_TRUE(pool_open(&self->pool, setup, 3));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 0, 9));
	/* Had 1, 4, 7: of two readers, they are the second's, first's, second's. */
	pool_leave(&self->pool, 1);
	EXPECT_TRUE(READS(&self->pool, 0, 0, 3, 4, 6));
	EXPECT_TRUE(READS(&self->pool, 2, 1, 2, 5, 7, 8));
	EXPECT_TRUE(tw_books_balance(self->pool.fd));
}

TEST_F(dispatch, leaving_reader_leaves_its_line_to_the_others_in_order)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_ROUND_ROBIN };

	ASSERT_TRUE(pool_open(&self->pool, setup, 2));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 0, 8));
	pool_leave(&self->pool, 0);
	EXPECT_TRUE(READS(&self->pool, 1, 0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(dispatch, expiries_wait_for_the_first_reader)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_ROUND_ROBIN };

	ASSERT_TRUE(pool_open(&self->pool, setup, 0));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 0, 5));
	ASSERT_EQ(0, tw_stats(self->pool.fd, &self->pool.stats));
	EXPECT_EQ(5, self->pool.stats.waiting);
	EXPECT_EQ(0, self->pool.stats.queued);
	self->pool.reader[0] = tw_reader(self->pool.fd, TWHEEL_READER_NONBLOCK);
	ASSERT_LE(0, self->pool.reader[0]);
	EXPECT_TRUE(READS(&self->pool, 0, 0, 1, 2, 3, 4));
}

TEST_F(dispatch, last_reader_leaves_everything_behind)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);

	setup.dispatch = TWHEEL_BY_ID;
	ASSERT_TRUE(pool_open(&self->pool, setup, 1));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 0, 5));
	ASSERT_EQ(2, tw_read(self->pool.reader[0], self->pool.event, 2));
	pool_leave(&self->pool, 0);
	ASSERT_EQ(0, tw_stats(self->pool.fd, &self->pool.stats));
	EXPECT_EQ(5, self->pool.stats.waiting);
	EXPECT_EQ(0, self->pool.stats.in_flight);
	EXPECT_EQ(0, self->pool.stats.readers);
	self->pool.reader[0] = tw_reader(self->pool.fd, TWHEEL_READER_NONBLOCK);
	ASSERT_LE(0, self->pool.reader[0]);
	EXPECT_TRUE(READS(&self->pool, 0, 0, 1, 2, 3, 4));
	EXPECT_EQ(2, self->pool.event[1].attempt);
	EXPECT_EQ(1, self->pool.event[2].attempt);
}

/* Without a reader, as many wait as a queue holds. */
TEST_F(dispatch, overflow_policy_holds_without_a_reader)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_ROUND_ROBIN,
		.queue_len = 3,
		.overflow = TWHEEL_DROP_OLDEST,
	};

	ASSERT_TRUE(pool_open(&self->pool, setup, 0));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 0, 8));
	ASSERT_EQ(0, tw_stats(self->pool.fd, &self->pool.stats));
	EXPECT_EQ(3, self->pool.stats.waiting);
	EXPECT_EQ(5, self->pool.stats.dropped);
	self->pool.reader[0] = tw_reader(self->pool.fd, TWHEEL_READER_NONBLOCK);
	ASSERT_TRUE(READS(&self->pool, 0, 5, 6, 7));
	EXPECT_EQ(5, self->pool.event[0].dropped);
}

TEST_F(dispatch, broadcast_gives_each_to_all)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BROADCAST,
		.overflow = TWHEEL_DROP_OLDEST,
	};

	ASSERT_TRUE(pool_open(&self->pool, setup, 3));
	ASSERT_EQ(0, tw_after(self->pool.fd, 1, 1));
	ASSERT_TRUE(tw_await(self->pool.fd, TW_STAT(queued), 3));
	EXPECT_TRUE(READS(&self->pool, 0, 1));
	EXPECT_TRUE(READS(&self->pool, 1, 1));
	EXPECT_EQ(TWHEEL_QUEUED, tw_state(self->pool.fd, 1));
	EXPECT_TRUE(READS(&self->pool, 2, 1));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->pool.fd, 1));
	ASSERT_EQ(0, tw_stats(self->pool.fd, &self->pool.stats));
	EXPECT_EQ(3, self->pool.stats.delivered);
}

TEST_F(dispatch, broadcast_costs_a_sleeping_reader_its_own_only)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BROADCAST,
		.overflow = TWHEEL_DROP_OLDEST,
		.queue_len = 8,
	};
	unsigned int i;

	ASSERT_TRUE(pool_open(&self->pool, setup, 3));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, tw_after(self->pool.fd, i, 0));
		ASSERT_TRUE(READS(&self->pool, 0, i));
		EXPECT_EQ(0, self->pool.event[0].dropped);
		EXPECT_EQ(i + 1, self->pool.event[0].sequence);
		ASSERT_TRUE(READS(&self->pool, 2, i));
	}
	ASSERT_TRUE(READS(&self->pool, 1, 92, 93, 94, 95, 96, 97, 98, 99));
	EXPECT_EQ(92, self->pool.event[0].dropped);
	EXPECT_EQ(93, self->pool.event[0].sequence);
	EXPECT_TRUE(tw_books_balance(self->pool.fd));
	ASSERT_EQ(0, tw_stats(self->pool.fd, &self->pool.stats));
	EXPECT_EQ(0, self->pool.stats.timers);
}

/* The periods that a reader sleeps through are in the one record that it has. */
TEST_F(dispatch, broadcast_of_a_periodic_timer_goes_on_for_those_who_read)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BROADCAST,
		.overflow = TWHEEL_DROP_NEWEST,
	};
	__u64 first, reported = 0;
	int i;

	ASSERT_TRUE(pool_open(&self->pool, setup, 2));
	first = tw_now() + TW_MS;
	ASSERT_EQ(0, tw_every(self->pool.fd, 1, first, 2 * TW_MS));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(1, tw_collect(self->pool.reader[0], self->pool.event,
					1));
		EXPECT_EQ(first + reported * 2 * TW_MS,
			  self->pool.event[0].deadline_ns);
		reported += self->pool.event[0].expirations;
	}
	ASSERT_TRUE(READS(&self->pool, 1, 1));
	EXPECT_EQ(first, self->pool.event[0].deadline_ns);
	EXPECT_LE(reported, self->pool.event[0].expirations);
	EXPECT_EQ(0, self->pool.event[0].dropped);
	ASSERT_EQ(0, tw_stop(self->pool.fd, 1, NULL));
	EXPECT_TRUE(tw_books_balance(self->pool.fd));
}

/* What was dropped while nobody was there is told to the first one who comes. */
TEST_F(dispatch, broadcast_tells_what_was_dropped_without_a_reader)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BROADCAST,
		.overflow = TWHEEL_DROP_OLDEST,
		.queue_len = 2,
	};

	ASSERT_TRUE(pool_open(&self->pool, setup, 0));
	ASSERT_TRUE(tw_expire_row(self->pool.fd, 0, 5));
	self->pool.reader[0] = tw_reader(self->pool.fd, TWHEEL_READER_NONBLOCK);
	ASSERT_TRUE(READS(&self->pool, 0, 3, 4));
	EXPECT_EQ(3, self->pool.event[0].dropped);
	EXPECT_EQ(4, self->pool.event[0].sequence);
	EXPECT_TRUE(tw_books_balance(self->pool.fd));
}

TEST_F(dispatch, broadcast_stop_withdraws_what_is_unread)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BROADCAST,
		.overflow = TWHEEL_DROP_OLDEST,
	};
	struct twheel_stop stop;

	ASSERT_TRUE(pool_open(&self->pool, setup, 3));
	ASSERT_EQ(0, tw_after(self->pool.fd, 1, 1));
	ASSERT_TRUE(tw_await(self->pool.fd, TW_STAT(queued), 3));
	ASSERT_TRUE(READS(&self->pool, 0, 1));
	ASSERT_EQ(0, tw_stop(self->pool.fd, 1, &stop));
	EXPECT_EQ(TWHEEL_WITHDREW, stop.outcome);
	EXPECT_TRUE(READS(&self->pool, 1));
	EXPECT_TRUE(READS(&self->pool, 2));
	ASSERT_EQ(0, tw_stats(self->pool.fd, &self->pool.stats));
	EXPECT_EQ(2, self->pool.stats.withdrawn);
	EXPECT_TRUE(tw_books_balance(self->pool.fd));
}

/*
 * Expiries of few IDs, over and over, while readers come and go: what is read of
 * an ID, by whomever, is in the order in which it was started.
 */
TEST_F(dispatch, by_id_keeps_the_order_of_each_id_while_readers_come_and_go)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_BY_ID };
	unsigned int round, rounds = tw_scaled(5000), i, r, disorder = 0;
	__u64 last[8] = { 0 }, seed = tw_seed(), seen = 0;
	int got, g;

	setup.queue_len = 2;
	ASSERT_TRUE(pool_open(&self->pool, setup, 2));
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < 8; i++)
			if (tw_state(self->pool.fd, i) == TWHEEL_FREE)
				ASSERT_EQ(0, tw_after(self->pool.fd, i, 0));
		r = tw_below(&seed, READERS);
		if (self->pool.reader[r] < 0) {
			self->pool.reader[r] = tw_reader(self->pool.fd,
							 TWHEEL_READER_NONBLOCK);
			ASSERT_LE(0, self->pool.reader[r]);
		} else if (!tw_below(&seed, 4)) {
			pool_leave(&self->pool, r);
			continue;
		}
		got = tw_read(self->pool.reader[r], self->pool.event,
			      1 + tw_below(&seed, ROOM - 1));
		for (g = 0; g < got; g++) {
			i = self->pool.event[g].id;
			disorder += self->pool.event[g].generation <= last[i];
			last[i] = self->pool.event[g].generation;
			seen++;
		}
	}
	EXPECT_EQ(0, disorder);
	EXPECT_LT(rounds / 2, seen);
	EXPECT_TRUE(tw_books_balance(self->pool.fd));
	ASSERT_EQ(0, tw_stats(self->pool.fd, &self->pool.stats));
	EXPECT_EQ(seen, self->pool.stats.delivered);
}

TEST_HARNESS_MAIN
