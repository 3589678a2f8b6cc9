// SPDX-License-Identifier: GPL-2.0
/*
 * Timers with words in pools of readers: whoever looks first finds an expiry
 * withdrawn that a store has overtaken, wherever it waits.
 */
#include "twheel_words.h"

#define WORDS		512
#define TIMEOUT		(2 * TW_MS)
#define READERS		3
#define ROOM		64
#define MANY		200
#define LEASE		TW_HOUR

FIXTURE(pool) {
	int fd;		/* that is no reader */
	int reader[READERS];
	__u64 *word;
	struct twheel_event event[ROOM];
	struct twheel_stats stats;
	bool copies;
	bool leased;
};

FIXTURE_VARIANT(pool) {
	__u32 dispatch;
	__u32 delivery;
	__u32 overflow;
	__u32 flags;
};

#define LEASED		.delivery = TWHEEL_AT_LEAST_ONCE
#define OLDEST		.overflow = TWHEEL_DROP_OLDEST
#define NEWEST		.overflow = TWHEEL_DROP_NEWEST
#define STEALING	.flags = TWHEEL_STEAL

FIXTURE_VARIANT_ADD(pool, shared) { TWHEEL_SHARED };
FIXTURE_VARIANT_ADD(pool, shared_and_leased) { TWHEEL_SHARED, LEASED };
FIXTURE_VARIANT_ADD(pool, in_turn) { TWHEEL_ROUND_ROBIN };
FIXTURE_VARIANT_ADD(pool, in_turn_and_leased) { TWHEEL_ROUND_ROBIN, LEASED };
FIXTURE_VARIANT_ADD(pool, stealing) { TWHEEL_ROUND_ROBIN, STEALING };
FIXTURE_VARIANT_ADD(pool, stealing_and_leased) { TWHEEL_ROUND_ROBIN, LEASED, STEALING };
FIXTURE_VARIANT_ADD(pool, by_id) { TWHEEL_BY_ID };
FIXTURE_VARIANT_ADD(pool, by_id_and_leased) { TWHEEL_BY_ID, LEASED };
FIXTURE_VARIANT_ADD(pool, copies) { TWHEEL_BROADCAST, OLDEST };
FIXTURE_VARIANT_ADD(pool, copies_and_newest_dropped) { TWHEEL_BROADCAST, NEWEST };

FIXTURE_SETUP(pool)
{
	bool leased = variant->delivery == TWHEEL_AT_LEAST_ONCE;
	struct twheel_setup setup = tw_leased(LEASE, 0);

	tw_no_pool(&self->fd, self->reader, READERS);
	if (!leased)
		memset(&setup, 0, sizeof(setup));
	setup.dispatch = variant->dispatch;
	setup.overflow = variant->overflow;
	setup.flags = variant->flags;
	setup.map_words = WORDS;
	ASSERT_TRUE(tw_make_pool(&self->fd, self->reader, READERS, setup,
				 TWHEEL_READER_NONBLOCK));
	self->word = tw_map(self->fd, WORDS);
	ASSERT_NE(NULL, self->word);
	self->copies = variant->dispatch == TWHEEL_BROADCAST;
	self->leased = leased;
}

FIXTURE_TEARDOWN(pool)
{
	if (self->word)
		munmap(self->word, tw_map_size(WORDS));
	tw_close_pool(self->fd, self->reader, READERS);
}

static void touch_row(struct _test_data_pool *self, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		tw_store(&self->word[i], TW_BUSY);
}

/* Whether neither poll() nor read() of any reader finds anything. */
static bool is_quiet(struct _test_data_pool *self, bool poll_first)
{
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		if (poll_first && tw_poll(self->reader[i], 0))
			return false;
		if (tw_read(self->reader[i], self->event, ROOM) != -EAGAIN)
			return false;
	}
	return true;
}

/* How many expiries of one timer count as in the books. */
static unsigned int copies(struct _test_data_pool *self)
{
	return self->copies ? READERS : 1;
}

static void expect_all_armed(struct __test_metadata *_metadata,
			     struct _test_data_pool *self, __u64 count)
{
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(count, self->stats.armed);
	EXPECT_EQ(0, self->stats.waiting);
	EXPECT_EQ(0, self->stats.queued);
	EXPECT_EQ(0, self->stats.delivered);
	EXPECT_EQ(self->stats.expired, self->stats.withdrawn);
	EXPECT_EQ(count * copies(self), self->stats.withdrawn);
	EXPECT_LE(count, self->stats.postponed);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/* What is ready at any reader; @times[id] is how often each timer came. */
static unsigned int read_all(struct _test_data_pool *self, unsigned int *times)
{
	unsigned int reader, sum = 0;
	int i, got;

	for (reader = 0; reader < READERS; reader++) {
		got = tw_read(self->reader[reader], self->event, ROOM);
		for (i = 0; i < got; i++) {
			if (self->event[i].id >= WORDS)
				return ~0U;
			times[self->event[i].id]++;
			sum++;
			if (self->leased)
				tw_ack(self->reader[reader], &self->event[i]);
		}
	}
	return sum;
}

/* Words are quiet from now on: exactly one event, or a copy for each reader. */
static void expect_each_once(struct __test_metadata *_metadata,
			     struct _test_data_pool *self, unsigned int count)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	unsigned int times[WORDS] = { 0 }, i, sum = 0, odd = 0;

	for (i = 0; i < count; i++)
		tw_touch(&self->word[i]);
	while (sum < count * copies(self) && tw_now() < give_up)
		sum += read_all(self, times);
	EXPECT_EQ(count * copies(self), sum);
	for (i = 0; i < count; i++)
		odd += times[i] != copies(self);
	EXPECT_EQ(0, odd);
	EXPECT_TRUE(is_quiet(self, true));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.timers);
	EXPECT_EQ(0, self->stats.waiting);
	EXPECT_EQ(0, self->stats.in_flight);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/* As many expiries as the books have for @count timers. */
static bool expire_row(struct _test_data_pool *self, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (tw_start_mapped(self->fd, i, TIMEOUT, i))
			return false;
	return tw_await(self->fd, TW_STAT(armed), 0) &&
	       tw_await(self->fd, TW_STAT(expired), count * copies(self));
}

TEST_F(pool, reads_withdraw_touched_expiries_of_all_readers)
{
	ASSERT_TRUE(expire_row(self, 7));
	touch_row(self, 7);
	EXPECT_TRUE(is_quiet(self, false));
	expect_all_armed(_metadata, self, 7);
	expect_each_once(_metadata, self, 7);
}

TEST_F(pool, polls_withdraw_touched_expiries_of_all_readers)
{
	ASSERT_TRUE(expire_row(self, 7));
	touch_row(self, 7);
	EXPECT_TRUE(is_quiet(self, true));
	expect_all_armed(_metadata, self, 7);
	expect_each_once(_metadata, self, 7);
}

TEST_F(pool, polls_agree_with_reads_about_many_touched_expiries)
{
	ASSERT_TRUE(expire_row(self, MANY));
	touch_row(self, MANY);
	EXPECT_TRUE(is_quiet(self, true));
	expect_all_armed(_metadata, self, MANY);
}

TEST_F(pool, drain_withdraws_touched_expiries)
{
	ASSERT_TRUE(expire_row(self, MANY));
	touch_row(self, MANY);
	EXPECT_EQ(0, tw_drain(self->fd, self->event, ROOM));
	EXPECT_EQ(0, tw_drain(self->reader[0], self->event, ROOM));
	expect_all_armed(_metadata, self, MANY);
	expect_each_once(_metadata, self, MANY);
}

TEST_F(pool, untouched_ones_among_touched_are_delivered)
{
	unsigned int times[WORDS] = { 0 }, i, odd = 0;

	ASSERT_TRUE(expire_row(self, 30));
	for (i = 0; i < 30; i++)
		if (i % 4)
			tw_store(&self->word[i], TW_BUSY);
	EXPECT_EQ(8 * copies(self), read_all(self, times));
	for (i = 0; i < 30; i++)
		odd += times[i] != (i % 4 ? 0 : copies(self));
	EXPECT_EQ(0, odd);
	EXPECT_TRUE(is_quiet(self, true));
	EXPECT_TRUE(tw_books_balance(self->fd));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(22, self->stats.armed);
	EXPECT_EQ(22 * copies(self), self->stats.withdrawn);
}

TEST_F(pool, touched_expiries_of_a_reader_that_leaves_are_withdrawn)
{
	ASSERT_TRUE(expire_row(self, 9));
	touch_row(self, 9);
	close(self->reader[1]);
	self->reader[1] = tw_reader(self->fd, TWHEEL_READER_NONBLOCK);
	ASSERT_LE(0, self->reader[1]);
	EXPECT_TRUE(is_quiet(self, true));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(9, self->stats.armed);
	EXPECT_TRUE(tw_books_balance(self->fd));
	expect_each_once(_metadata, self, 9);
}

/* They wait where they are, or for somebody to come, and are looked at then. */
TEST_F(pool, touched_expiries_that_no_reader_was_there_for_are_withdrawn)
{
	unsigned int i;

	for (i = 0; i < READERS; i++)
		close(self->reader[i]);
	memset(self->reader, -1, sizeof(self->reader));
	ASSERT_TRUE(tw_expire_mapped(self->fd, 0, 9, TIMEOUT));
	touch_row(self, 9);
	for (i = 0; i < READERS; i++) {
		self->reader[i] = tw_reader(self->fd, TWHEEL_READER_NONBLOCK);
		ASSERT_LE(0, self->reader[i]);
	}
	EXPECT_TRUE(is_quiet(self, true));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(9, self->stats.armed);
	EXPECT_TRUE(tw_books_balance(self->fd));
	expect_each_once(_metadata, self, 9);
}

TEST_F(pool, drain_without_readers_withdraws_touched_expiries)
{
	unsigned int i;

	for (i = 0; i < READERS; i++)
		close(self->reader[i]);
	memset(self->reader, -1, sizeof(self->reader));
	ASSERT_TRUE(tw_expire_mapped(self->fd, 0, 9, TIMEOUT));
	for (i = 0; i < 9; i++)
		if (i != 4)
			tw_store(&self->word[i], TW_BUSY);
	ASSERT_EQ(1, tw_drain(self->fd, self->event, ROOM));
	EXPECT_EQ(4, self->event[0].id);
	EXPECT_EQ(0, tw_drain(self->fd, self->event, ROOM));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(8, self->stats.armed);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/* A store may come while some readers have read and others have not. */
TEST_F(pool, store_that_comes_after_some_have_read_is_for_the_rest)
{
	unsigned int times[WORDS] = { 0 };
	int got;

	ASSERT_TRUE(expire_row(self, 3));
	got = tw_read(self->reader[0], self->event, 1);
	ASSERT_EQ(1, got);
	if (self->leased)
		ASSERT_EQ(TWHEEL_FREE, tw_ack(self->reader[0], self->event));
	touch_row(self, 3);
	EXPECT_EQ(0, read_all(self, times));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(self->copies ? 3 : 2, self->stats.armed);
	EXPECT_EQ(1, self->stats.delivered);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(pool, word_is_free_when_all_have_read)
{
	unsigned int times[WORDS] = { 0 };

	ASSERT_TRUE(expire_row(self, 3));
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 100, TW_HOUR, 1));
	EXPECT_EQ(3 * copies(self), read_all(self, times));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 100, TW_HOUR, 1));
}

/* The end comes when the last reader has looked, and then for all. */
TEST_F(pool, touched_expiries_are_withdrawn_after_shutdown)
{
	unsigned int i, ended = 0;

	ASSERT_TRUE(expire_row(self, 6));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	touch_row(self, 6);
	for (i = 0; i < READERS; i++)
		EXPECT_GE(0, read(self->reader[i], self->event,
				  sizeof(self->event)));
	for (i = 0; i < READERS; i++) {
		EXPECT_EQ(POLLIN | POLLHUP, tw_poll(self->reader[i], 0));
		ended += !read(self->reader[i], self->event, sizeof(self->event));
	}
	EXPECT_EQ(READERS, ended);
	expect_all_armed(_metadata, self, 6);
	for (i = 0; i < 6; i++)
		EXPECT_EQ(0, tw_stop(self->fd, i, NULL));
}

/* ---- stealing, and lines that are full */

FIXTURE(line) {
	int fd;
	int reader[2];
	__u64 *word;
	struct twheel_event event[ROOM];
	struct twheel_stats stats;
};

FIXTURE_SETUP(line)
{
	tw_no_pool(&self->fd, self->reader, 2);
}

FIXTURE_TEARDOWN(line)
{
	if (self->word)
		munmap(self->word, tw_map_size(WORDS));
	tw_close_pool(self->fd, self->reader, 2);
}

static bool make_lines(struct _test_data_line *self, struct twheel_setup setup)
{
	setup.map_words = WORDS;
	if (!tw_make_pool(&self->fd, self->reader, 2, setup,
			  TWHEEL_READER_NONBLOCK))
		return false;
	self->word = tw_map(self->fd, WORDS);
	return self->word;
}

/* What a thief would find withdrawn is nothing that it can read. */
TEST_F(line, poll_of_an_idle_reader_agrees_with_what_it_could_steal)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_ROUND_ROBIN,
		.flags = TWHEEL_STEAL,
	};
	unsigned int i;

	ASSERT_TRUE(make_lines(self, setup));
	ASSERT_TRUE(tw_expire_mapped(self->fd, 0, 8, TIMEOUT));
	/* 1 3 5 7 are the second reader's; 0 2 4 6 those of the first. */
	ASSERT_EQ(4, tw_read(self->reader[1], self->event, 4));
	for (i = 0; i < 8; i += 2)
		tw_store(&self->word[i], TW_BUSY);
	EXPECT_EQ(0, tw_poll(self->reader[1], 0));
	EXPECT_EQ(-EAGAIN, tw_read(self->reader[1], self->event, ROOM));
	EXPECT_EQ(0, tw_poll(self->reader[0], 0));
	EXPECT_EQ(-EAGAIN, tw_read(self->reader[0], self->event, ROOM));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(line, held_expiries_of_a_full_line_are_withdrawn)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_BY_ID, .queue_len = 1 };
	unsigned int i;

	ASSERT_TRUE(make_lines(self, setup));
	ASSERT_TRUE(tw_expire_mapped(self->fd, 0, 20, TIMEOUT));
	for (i = 0; i < 20; i++)
		if (i != 10 && i != 15)
			tw_store(&self->word[i], TW_BUSY);
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, ROOM));
	EXPECT_EQ(10, self->event->id);
	EXPECT_EQ(POLLIN, tw_poll(self->reader[1], 0));
	ASSERT_EQ(1, tw_read(self->reader[1], self->event, ROOM));
	EXPECT_EQ(15, self->event->id);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(18, self->stats.armed);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

static void expect_dropped_runs_on(struct __test_metadata *_metadata,
				   struct _test_data_line *self, __u32 dispatch)
{
	struct twheel_setup setup = {
		.dispatch = dispatch,
		.queue_len = 1,
		.overflow = TWHEEL_DROP_OLDEST,
	};
	unsigned int i, copies = dispatch == TWHEEL_BROADCAST ? 2 : 1;

	ASSERT_TRUE(make_lines(self, setup));
	/* One in each line, and two more that push them out. */
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, tw_start_mapped(self->fd, i, TIMEOUT, i));
		ASSERT_TRUE(tw_await(self->fd, TW_STAT(expired),
				     (i + 1) * copies));
		tw_store(&self->word[i], TW_BUSY);
	}
	ASSERT_EQ(0, tw_after(self->fd, 10, 0));
	ASSERT_EQ(0, tw_after(self->fd, 11, 0));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(expired), copies * 4));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(dropped),
			     copies == 2 ? 6 : 2));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 0));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 2, TW_HOUR, 1));
	EXPECT_TRUE(tw_books_balance(self->fd));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(1, tw_read(self->reader[i], self->event, ROOM));
		EXPECT_LE(10, self->event->id);
		EXPECT_EQ(copies == 2 ? 3 : 1, self->event->dropped);
	}
	/* And they can be dropped for good, once they are quiet. */
	tw_touch(&self->word[0]);
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(armed), 1));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(line, expiry_with_activity_dropped_in_turn_runs_on)
{
	expect_dropped_runs_on(_metadata, self, TWHEEL_ROUND_ROBIN);
}

TEST_F(line, expiry_with_activity_dropped_by_id_runs_on)
{
	expect_dropped_runs_on(_metadata, self, TWHEEL_BY_ID);
}

TEST_F(line, expiry_with_activity_of_which_all_copies_are_dropped_runs_on)
{
	expect_dropped_runs_on(_metadata, self, TWHEEL_BROADCAST);
}

TEST_HARNESS_MAIN
