// SPDX-License-Identifier: GPL-2.0
/*
 * Timers with words under leases: a store takes nothing from a reader, but what
 * comes back is not delivered again if a store has overtaken it.
 */
#include "twheel_words.h"

#define WORDS		8
#define TIMEOUT		(2 * TW_MS)
#define ROOM		64
#define LEASE		TW_HOUR

FIXTURE(lease) {
	int fd;
	int reader[2];
	int dead;
	__u64 *word;
	struct twheel_event event[ROOM];
	struct twheel_event again[ROOM];
	struct twheel_stats stats;
};

FIXTURE_VARIANT(lease) {
	__u32 dispatch;
};

FIXTURE_VARIANT_ADD(lease, shared) { TWHEEL_SHARED };
FIXTURE_VARIANT_ADD(lease, in_turn) { TWHEEL_ROUND_ROBIN };
FIXTURE_VARIANT_ADD(lease, by_id) { TWHEEL_BY_ID };

/* Two attempts; timer 2 is for the first reader in each kind of dispatch. */
FIXTURE_SETUP(lease)
{
	struct twheel_setup setup = tw_leased(LEASE, 2);

	self->dead = -1;
	tw_no_pool(&self->fd, self->reader, 2);
	setup.dispatch = variant->dispatch;
	setup.map_words = WORDS;
	ASSERT_TRUE(tw_make_pool(&self->fd, self->reader, 2, setup,
				 TWHEEL_READER_NONBLOCK));
	self->word = tw_map(self->fd, WORDS);
	ASSERT_NE(NULL, self->word);
	ASSERT_TRUE(tw_expire_mapped(self->fd, 2, 1, TIMEOUT));
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, ROOM));
	ASSERT_EQ(1, self->event->attempt);
}

FIXTURE_TEARDOWN(lease)
{
	if (self->word)
		munmap(self->word, tw_map_size(WORDS));
	if (self->dead >= 0)
		close(self->dead);
	tw_close_pool(self->fd, self->reader, 2);
}

static bool is_quiet_for_both(struct _test_data_lease *self)
{
	return !tw_poll(self->reader[0], 0) && !tw_poll(self->reader[1], 0) &&
	       tw_read(self->reader[0], self->again, ROOM) == -EAGAIN &&
	       tw_read(self->reader[1], self->again, ROOM) == -EAGAIN &&
	       tw_drain(self->fd, self->again, ROOM) == 0;
}

/* Exactly one event for timer 2, as if it had expired for the first time. */
static void expect_first_attempt(struct __test_metadata *_metadata,
				 struct _test_data_lease *self)
{
	__u64 then = tw_touch(&self->word[2]);
	int which;

	ASSERT_TRUE(tw_await(self->fd, TW_STAT(waiting), 1));
	which = tw_read(self->reader[0], self->again, ROOM) == 1 ? 0 : 1;
	if (which)
		ASSERT_EQ(1, tw_read(self->reader[1], self->again, ROOM));
	EXPECT_EQ(2, self->again->id);
	EXPECT_EQ(1, self->again->attempt);
	EXPECT_EQ(self->event->generation, self->again->generation);
	EXPECT_LE(then + TIMEOUT, self->again->deadline_ns);
	EXPECT_LE(self->again->deadline_ns, self->again->fired_ns);
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->reader[which], self->again));
	EXPECT_TRUE(is_quiet_for_both(self));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(lease, store_does_not_take_an_expiry_from_its_reader)
{
	tw_store(&self->word[2], TW_BUSY);
	EXPECT_TRUE(is_quiet_for_both(self));
	EXPECT_EQ(TWHEEL_DELIVERED, tw_state(self->fd, 2));
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 3, TW_HOUR, 2));
	EXPECT_EQ(0, tw_extend(self->reader[0], self->event, LEASE));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->reader[0], self->event));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.delivered);
	EXPECT_EQ(0, self->stats.withdrawn);
	EXPECT_EQ(0, self->stats.postponed);
	EXPECT_EQ(0, self->stats.timers);
	EXPECT_EQ(0, tw_start_mapped(self->fd, 3, TW_HOUR, 2));
}

static void expect_withdrawn(struct __test_metadata *_metadata,
			     struct _test_data_lease *self)
{
	EXPECT_TRUE(is_quiet_for_both(self));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 2));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.withdrawn);
	EXPECT_EQ(0, self->stats.delivered);
	EXPECT_EQ(0, self->stats.in_flight);
	EXPECT_EQ(0, self->stats.dead);
	EXPECT_EQ(0, self->stats.redelivered);
	EXPECT_TRUE(tw_balanced(&self->stats));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(lease, rejected_expiry_is_withdrawn_if_touched)
{
	tw_store(&self->word[2], TW_BUSY);
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->reader[0], self->event));
	expect_withdrawn(_metadata, self);
	expect_first_attempt(_metadata, self);
}

TEST_F(lease, lapsed_expiry_is_withdrawn_if_touched)
{
	EXPECT_EQ(0, tw_extend(self->reader[0], self->event, 1));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(lapsed), 1));
	ASSERT_EQ(POLLIN, tw_poll(self->reader[0], 0));
	tw_store(&self->word[2], TW_BUSY);
	expect_withdrawn(_metadata, self);
	EXPECT_EQ(-ESTALE, tw_ack(self->reader[0], self->event));
	expect_first_attempt(_metadata, self);
}

TEST_F(lease, expiry_of_a_reader_that_is_gone_is_withdrawn_if_touched)
{
	tw_store(&self->word[2], TW_BUSY);
	close(self->reader[0]);
	self->reader[0] = tw_reader(self->fd, TWHEEL_READER_NONBLOCK);
	ASSERT_LE(0, self->reader[0]);
	expect_withdrawn(_metadata, self);
	expect_first_attempt(_metadata, self);
}

TEST_F(lease, stale_acknowledgement_does_not_end_a_timer_that_runs_on)
{
	tw_store(&self->word[2], TW_BUSY);
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->reader[0], self->event));
	EXPECT_TRUE(is_quiet_for_both(self));
	EXPECT_EQ(-ESTALE, tw_ack(self->reader[0], self->event));
	EXPECT_EQ(-ESTALE, tw_extend(self->reader[0], self->event, LEASE));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 2));
}

TEST_F(lease, reset_takes_the_expiry_back_and_keeps_the_word)
{
	struct twheel_reset reset = { .id = 2 };

	tw_store(&self->word[2], TW_BUSY);
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	EXPECT_EQ(TWHEEL_WAS_DELIVERED, reset.outcome);
	EXPECT_EQ(-ESTALE, tw_ack(self->reader[0], self->event));
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 3, TW_HOUR, 2));
	EXPECT_TRUE(is_quiet_for_both(self));
	self->event->generation = reset.generation;
	expect_first_attempt(_metadata, self);
}

TEST_F(lease, stop_frees_the_word)
{
	ASSERT_EQ(0, tw_stop(self->fd, 2, NULL));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 3, TW_HOUR, 2));
}

TEST_F(lease, untouched_expiry_is_delivered_again_with_its_deadline)
{
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->reader[0], self->event));
	ASSERT_EQ(1, tw_read(self->reader[0], self->again, ROOM));
	EXPECT_EQ(2, self->again->attempt);
	EXPECT_EQ(self->event->deadline_ns, self->again->deadline_ns);
	EXPECT_EQ(self->event->fired_ns, self->again->fired_ns);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.withdrawn);
	EXPECT_EQ(0, self->stats.postponed);
}

static bool bury(struct _test_data_lease *self)
{
	self->dead = tw_reader(self->fd, TWHEEL_READER_DEAD |
					 TWHEEL_READER_NONBLOCK);
	return self->dead >= 0 &&
	       tw_reject(self->reader[0], self->event) == TWHEEL_DUE &&
	       tw_read(self->reader[0], self->again, ROOM) == 1 &&
	       tw_reject(self->reader[0], self->again) == TWHEEL_DEAD;
}

TEST_F(lease, dead_expiry_is_withdrawn_if_touched)
{
	ASSERT_TRUE(bury(self));
	ASSERT_EQ(POLLIN, tw_poll(self->dead, 0));
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 3, TW_HOUR, 2));
	tw_store(&self->word[2], TW_BUSY);
	EXPECT_EQ(0, tw_poll(self->dead, 0));
	EXPECT_EQ(-EAGAIN, tw_read(self->dead, self->again, ROOM));
	EXPECT_EQ(0, tw_drain(self->dead, self->again, ROOM));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 2));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.dead);
	EXPECT_EQ(1, self->stats.withdrawn);
	EXPECT_TRUE(tw_balanced(&self->stats));
	EXPECT_TRUE(tw_books_balance(self->fd));
	expect_first_attempt(_metadata, self);
	EXPECT_EQ(-EAGAIN, tw_read(self->dead, self->again, ROOM));
}

TEST_F(lease, untouched_dead_expiry_is_given_to_its_reader)
{
	ASSERT_TRUE(bury(self));
	ASSERT_EQ(1, tw_read(self->dead, self->again, ROOM));
	EXPECT_EQ(TWHEEL_EVENT_DEAD, self->again->flags);
	EXPECT_EQ(2, self->again->attempt);
	tw_store(&self->word[2], TW_BUSY);
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->dead, self->again));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 3, TW_HOUR, 2));
}

/* It comes back from the reader of dead ones; the next that looks finds it alive. */
TEST_F(lease, dead_expiry_that_comes_back_is_withdrawn_if_touched)
{
	ASSERT_TRUE(bury(self));
	ASSERT_EQ(1, tw_read(self->dead, self->again, ROOM));
	tw_store(&self->word[2], TW_BUSY);
	EXPECT_EQ(TWHEEL_DEAD, tw_reject(self->dead, self->again));
	EXPECT_EQ(-EAGAIN, tw_read(self->dead, self->again, ROOM));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 2));
	expect_first_attempt(_metadata, self);
}

TEST_F(lease, what_comes_back_after_shutdown_is_withdrawn_if_touched)
{
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	tw_store(&self->word[2], TW_BUSY);
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->reader[0], self->event));
	EXPECT_EQ(0, read(self->reader[0], self->again, sizeof(self->again)));
	EXPECT_EQ(0, read(self->reader[1], self->again, sizeof(self->again)));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 2));
	EXPECT_EQ(0, tw_stop(self->fd, 2, NULL));
}

TEST_HARNESS_MAIN
