// SPDX-License-Identifier: GPL-2.0
/*
 * Stealing: an idle reader takes the younger half of the longest queue
 */
#include "twheel_pool.h"

#define READERS		4
#define ROOM		64
/* A slow reader needs as long for an expiry as others for this many. */
#define SLOWNESS	10
#define EXPIRIES	20000

FIXTURE(steal) {
	int fd;		/* that is no reader */
	int reader[READERS];
	struct twheel_event event[ROOM];
	struct twheel_stats stats;
};

FIXTURE_SETUP(steal)
{
	tw_no_pool(&self->fd, self->reader, ARRAY_SIZE(self->reader));
}

FIXTURE_TEARDOWN(steal)
{
	tw_close_pool(self->fd, self->reader, ARRAY_SIZE(self->reader));
}

static bool make_pool(struct _test_data_steal *self, struct twheel_setup setup,
		      unsigned int readers)
{
	setup.dispatch = TWHEEL_ROUND_ROBIN;
	return tw_make_pool(&self->fd, self->reader, readers, setup,
			    TWHEEL_READER_NONBLOCK);
}

static bool make_stealing_pool(struct _test_data_steal *self,
			       unsigned int readers)
{
	struct twheel_setup setup = { .flags = TWHEEL_STEAL };

	return make_pool(self, setup, readers);
}

/* Whether a reader reads exactly these IDs, in this order. */
static bool reads(struct _test_data_steal *self, unsigned int reader,
		  unsigned int count, const __u64 *id)
{
	int got = tw_read(self->reader[reader], self->event, ROOM);
	unsigned int i;

	if (!count)
		return got == -EAGAIN;
	for (i = 0; i < count && got == (int)count; i++)
		if (self->event[i].id != id[i])
			return false;
	return got == (int)count;
}

#define READS(self, reader, ...)					\
	reads(self, reader, sizeof((__u64[]) { __VA_ARGS__ }) / sizeof(__u64), \
	      (__u64[]) { __VA_ARGS__ })

/* The lines are 0 3 6 9, 1 4 7 10 and 2 5 8 11 at first. */
TEST_F(steal, takes_the_younger_half_of_the_longest_queue)
{
	ASSERT_TRUE(make_stealing_pool(self, 3));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 12));
	ASSERT_EQ(2, tw_read(self->reader[0], self->event, 2));
	ASSERT_EQ(4, tw_read(self->reader[2], self->event, 4));
	EXPECT_TRUE(READS(self, 2, 7, 10));
	EXPECT_TRUE(READS(self, 1, 1, 4));
	EXPECT_TRUE(READS(self, 0, 6, 9));
	EXPECT_TRUE(READS(self, 0));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(steal, counts_what_was_stolen_and_from_whom)
{
	ASSERT_TRUE(make_stealing_pool(self, 2));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 8));
	ASSERT_EQ(4, tw_read(self->reader[1], self->event, 4));
	ASSERT_TRUE(READS(self, 1, 4, 6));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(2, self->stats.stolen);
	EXPECT_EQ(0, self->stats.passed_on);
	ASSERT_EQ(0, tw_reader_stats(self->fd, tw_number(self->reader[0]),
				     &self->stats));
	EXPECT_EQ(0, self->stats.stolen);
	EXPECT_EQ(2, self->stats.passed_on);
	ASSERT_EQ(0, tw_reader_stats(self->fd, tw_number(self->reader[1]),
				     &self->stats));
	EXPECT_EQ(2, self->stats.stolen);
	EXPECT_EQ(6, self->stats.delivered);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(steal, takes_nothing_from_others_while_there_is_an_own_one)
{
	ASSERT_TRUE(make_stealing_pool(self, 2));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 7));
	EXPECT_TRUE(READS(self, 1, 1, 3, 5));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.stolen);
	EXPECT_EQ(4, self->stats.queued);
}

TEST_F(steal, of_nothing_finds_nothing)
{
	ASSERT_TRUE(make_stealing_pool(self, 3));
	EXPECT_TRUE(READS(self, 1));
	EXPECT_EQ(0, tw_poll(self->reader[1], 0));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 3));
	EXPECT_TRUE(READS(self, 1, 1));
	ASSERT_EQ(2, tw_drain(self->fd, self->event, ROOM));
	EXPECT_TRUE(READS(self, 1));
	EXPECT_EQ(0, tw_poll(self->reader[1], 0));
}

TEST_F(steal, is_what_poll_announces)
{
	ASSERT_TRUE(make_stealing_pool(self, 2));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 4));
	ASSERT_TRUE(READS(self, 1, 1, 3));
	EXPECT_EQ(POLLIN, tw_poll(self->reader[1], 0));
	EXPECT_LT(0, tw_read(self->reader[1], self->event, ROOM));
}

TEST_F(steal, is_not_done_without_its_flag)
{
	struct twheel_setup setup = { .flags = 0 };

	ASSERT_TRUE(make_pool(self, setup, 2));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 8));
	EXPECT_TRUE(READS(self, 1, 1, 3, 5, 7));
	EXPECT_EQ(0, tw_poll(self->reader[1], 0));
	EXPECT_TRUE(READS(self, 1));
	EXPECT_TRUE(READS(self, 0, 0, 2, 4, 6));
}

TEST_F(steal, gives_a_reader_that_joins_work_at_once)
{
	ASSERT_TRUE(make_stealing_pool(self, 1));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 8));
	self->reader[1] = tw_reader(self->fd, TWHEEL_READER_NONBLOCK);
	ASSERT_LE(0, self->reader[1]);
	EXPECT_EQ(POLLIN, tw_poll(self->reader[1], 0));
	EXPECT_TRUE(READS(self, 1, 4, 5, 6, 7));
	EXPECT_TRUE(READS(self, 0, 0, 1, 2, 3));
}

/* Not all at once, where there is much: but the youngest, and in order. */
TEST_F(steal, of_a_long_queue_keeps_the_order)
{
	struct twheel_setup setup = {
		.flags = TWHEEL_STEAL,
		.queue_len = 1024,
	};
	int i, got, sum = 0;

	ASSERT_TRUE(make_pool(self, setup, 1));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 1000));
	self->reader[1] = tw_reader(self->fd, TWHEEL_READER_NONBLOCK);
	got = tw_read(self->reader[1], self->event, ROOM);
	ASSERT_EQ(ROOM, got);
	EXPECT_LE(500, self->event[0].id);
	for (i = 1; i < got; i++)
		EXPECT_EQ(self->event[0].id + i, self->event[i].id);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_LE(ROOM, self->stats.stolen);
	EXPECT_GE(500, self->stats.stolen);
	EXPECT_EQ(1000, self->event[0].id + self->stats.stolen);
	while ((got = tw_read(self->reader[0], self->event, ROOM)) > 0) {
		EXPECT_EQ(sum, self->event[0].id);
		sum += got;
		if (sum >= 500)
			break;
	}
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(steal, puts_it_under_a_lease_of_the_thief)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);

	setup.flags = TWHEEL_STEAL;
	ASSERT_TRUE(make_pool(self, setup, 2));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 4));
	ASSERT_TRUE(READS(self, 1, 1, 3));
	ASSERT_TRUE(READS(self, 1, 2));
	EXPECT_EQ(1, self->event[0].attempt);
	EXPECT_EQ(-ESTALE, tw_ack(self->reader[0], &self->event[0]));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->reader[1], &self->event[0]));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(steal, from_a_stopped_timer_gets_nothing)
{
	ASSERT_TRUE(make_stealing_pool(self, 2));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 8));
	ASSERT_EQ(4, tw_read(self->reader[1], self->event, 4));
	ASSERT_EQ(1, tw_read(self->reader[1], self->event, 1));
	ASSERT_EQ(4, self->event[0].id);
	/* It is in another line than that which it was dealt to. */
	ASSERT_EQ(0, tw_stop(self->fd, 6, NULL));
	EXPECT_TRUE(READS(self, 1, 2));
	EXPECT_TRUE(READS(self, 0, 0));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/* The other one never reads, so what is read to the end was stolen. */
TEST_F(steal, is_done_by_a_blocked_reader_that_is_woken)
{
	unsigned int have = 0;
	pid_t pid;
	int got;

	ASSERT_TRUE(make_stealing_pool(self, 1));
	self->reader[1] = tw_reader(self->fd, 0);
	ASSERT_LE(0, self->reader[1]);
	pid = tw_fork();
	if (!pid) {
		while (have < 100) {
			got = tw_read(self->reader[1], self->event, 1);
			if (got != 1)
				_exit(1);
			have++;
		}
		_exit(0);
	}
	ASSERT_TRUE(tw_await_sleep(pid));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 101));
	EXPECT_EQ(0, tw_reap(pid));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/**
 * struct worker - a reader in a time that is counted, not measured
 * @cost: Ticks that an expiry takes it.
 * @left: Ticks that it will be busy still.
 * @have: Records that it has read and not begun with.
 * @event: These.
 */
struct worker {
	unsigned int cost;
	unsigned int left;
	unsigned int have;
	struct twheel_event event[ROOM];
};

/* Work for a tick; returns how many expiries were finished in it, or -1. */
static int work(int fd, struct worker *worker, unsigned int batch, bool leased)
{
	int got;

	if (!worker->have) {
		got = tw_read(fd, worker->event, batch);
		if (got < 0)
			return got == -EAGAIN ? 0 : -1;
		worker->have = got;
		worker->left = worker->cost;
	}
	if (--worker->left)
		return 0;
	worker->left = worker->cost;
	worker->have--;
	if (leased && tw_ack(fd, &worker->event[worker->have]))
		return -1;
	return 1;
}

/* The ticks that four readers need for all, three of them fast. */
static unsigned int ticks_for(struct __test_metadata *_metadata,
			      struct _test_data_steal *self, unsigned int count,
			      unsigned int batch, bool leased)
{
	struct worker worker[READERS] = {
		{ .cost = SLOWNESS }, { .cost = 1 }, { .cost = 1 }, { .cost = 1 },
	};
	unsigned int i, done = 0, ticks = 0;
	int ret;

	while (done < count && ticks < SLOWNESS * count) {
		for (i = 0; i < READERS; i++) {
			ret = work(self->reader[i], &worker[i], batch, leased);
			EXPECT_LE(0, ret);
			if (ret < 0)
				return 0;
			done += ret;
		}
		ticks++;
	}
	EXPECT_EQ(count, done);
	return ticks;
}

static void expect_fair(struct __test_metadata *_metadata,
			struct _test_data_steal *self, struct twheel_setup setup,
			unsigned int batch)
{
	bool leased = setup.delivery == TWHEEL_AT_LEAST_ONCE;
	unsigned int count = tw_scaled(EXPIRIES), ticks, ideal;

	setup.flags = TWHEEL_STEAL;
	setup.queue_len = count;
	ASSERT_TRUE(make_pool(self, setup, READERS));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, count));
	ticks = ticks_for(_metadata, self, count, batch, leased);
	/* What they do in a tick together: three, and a tenth. */
	ideal = count * SLOWNESS / ((READERS - 1) * SLOWNESS + 1);
	EXPECT_LE(ideal, ticks);
	EXPECT_GE(ideal * 13 / 10, ticks);
	TH_LOG("%u ticks for %u expiries; ideal: %u", ticks, count, ideal);
	EXPECT_TRUE(tw_books_balance(self->fd));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(count, self->stats.delivered);
}

TEST_F(steal, keeps_a_slow_reader_from_delaying_all)
{
	struct twheel_setup setup = { .flags = 0 };

	expect_fair(_metadata, self, setup, 1);
}

TEST_F(steal, keeps_a_slow_reader_from_delaying_all_in_batches)
{
	struct twheel_setup setup = { .flags = 0 };

	expect_fair(_metadata, self, setup, 8);
}

TEST_F(steal, keeps_a_slow_reader_from_delaying_all_under_leases)
{
	expect_fair(_metadata, self, tw_leased(TW_HOUR, 0), 1);
}

TEST_HARNESS_MAIN
