// SPDX-License-Identifier: GPL-2.0
/*
 * Timers with words in an io_uring: what a store has overtaken completes no read
 * and no poll, and the expiry that comes later completes it once.
 */
#include "twheel_uring.h"
#include "twheel_words.h"

#define WORDS	64
#define TIMEOUT	(2 * TW_MS)
#define RECORD	((int)sizeof(struct twheel_event))

/* Tags of requests. */
enum { READ = 1, POLL };

FIXTURE(ring) {
	struct tw_ring ring;
	__u64 *word;
	struct twheel_event event[4];
	struct twheel_stats stats;
};

FIXTURE_VARIANT(ring) {
	unsigned int setup_flags;
};

FIXTURE_VARIANT_ADD(ring, plain) { 0 };
FIXTURE_VARIANT_ADD(ring, sqpoll) { .setup_flags = IORING_SETUP_SQPOLL };
FIXTURE_VARIANT_ADD(ring, deferred) { .setup_flags = TW_DEFERRED };

FIXTURE_SETUP(ring)
{
	struct twheel_setup setup = { .map_words = WORDS };

	ASSERT_EQ(0, tw_ring_open(&self->ring, variant->setup_flags, 0));
	ASSERT_EQ(0, tw_setup(self->ring.fd, &setup));
	self->word = tw_map(self->ring.fd, WORDS);
	ASSERT_NE(NULL, self->word);
}

FIXTURE_TEARDOWN(ring)
{
	munmap(self->word, tw_map_size(WORDS));
	EXPECT_EQ(0, tw_workers());
	EXPECT_TRUE(tw_ring_close(&self->ring));
}

TEST_F(ring, read_of_a_touched_expiry_waits_for_the_later_one)
{
	__u64 then;

	ASSERT_TRUE(tw_expire_mapped(self->ring.fd, 1, 1, TIMEOUT));
	tw_store(&self->word[1], TW_BUSY);
	tw_prep_read(&self->ring, self->event, sizeof(self->event), READ);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	ASSERT_TRUE(tw_await(self->ring.fd, TW_STAT(withdrawn), 1));
	EXPECT_EQ(0, tw_completed(&self->ring));
	then = tw_touch(&self->word[1]);
	EXPECT_EQ(RECORD, tw_result(&self->ring, READ));
	EXPECT_EQ(1, self->event->id);
	EXPECT_EQ(1, self->event->sequence);
	EXPECT_LE(then + TIMEOUT, self->event->deadline_ns);
	EXPECT_LE(self->event->deadline_ns, self->event->fired_ns);
	ASSERT_EQ(0, tw_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(1, self->stats.delivered);
	EXPECT_EQ(0, self->stats.timers);
}

TEST_F(ring, read_takes_what_is_behind_touched_expiries)
{
	unsigned int i;

	ASSERT_TRUE(tw_expire_mapped(self->ring.fd, 1, 50, TIMEOUT));
	for (i = 1; i < 50; i++)
		tw_store(&self->word[i], TW_BUSY);
	tw_prep_read(&self->ring, self->event, sizeof(self->event), READ);
	EXPECT_EQ(RECORD, tw_submit_one(&self->ring, READ));
	EXPECT_EQ(50, self->event->id);
	ASSERT_EQ(0, tw_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(49, self->stats.withdrawn);
	EXPECT_EQ(49, self->stats.armed);
}

TEST_F(ring, poll_of_a_touched_expiry_waits_for_the_later_one)
{
	ASSERT_TRUE(tw_expire_mapped(self->ring.fd, 1, 1, TIMEOUT));
	tw_store(&self->word[1], TW_BUSY);
	tw_prep_poll(&self->ring, 0, POLL);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	ASSERT_TRUE(tw_await(self->ring.fd, TW_STAT(withdrawn), 1));
	EXPECT_EQ(0, tw_completed(&self->ring));
	tw_touch(&self->word[1]);
	EXPECT_EQ(POLLIN, tw_result(&self->ring, POLL));
	EXPECT_EQ(1, tw_read(self->ring.fd, self->event, 4));
}

TEST_F(ring, waiting_read_is_not_completed_by_a_timer_that_is_postponed)
{
	ASSERT_EQ(0, tw_start_mapped(self->ring.fd, 1, TIMEOUT, 1));
	tw_store(&self->word[1], TW_BUSY);
	ASSERT_EQ(0, tw_poll(self->ring.fd, 0));
	tw_prep_read(&self->ring, self->event, sizeof(self->event), READ);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	/* Of another timer, which is due many ticks later. */
	ASSERT_EQ(0, tw_after(self->ring.fd, 2, 10 * TIMEOUT));
	EXPECT_EQ(RECORD, tw_result(&self->ring, READ));
	EXPECT_EQ(2, self->event->id);
	EXPECT_EQ(1, self->event->sequence);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->ring.fd, 1));
}

TEST_F(ring, command_starts_a_timer_with_a_word)
{
	struct twheel_start start = {
		.id = 1,
		.time_ns = TW_HOUR,
		.flags = TWHEEL_MAPPED,
		.word = 7,
	};
	struct twheel_get get = { .id = 1 };
	__u64 before = tw_now();

	ASSERT_EQ(0, tw_command(&self->ring, TWHEEL_IOC_START, &start));
	EXPECT_LE(before, self->word[7]);
	ASSERT_EQ(0, tw_command(&self->ring, TWHEEL_IOC_GET, &get));
	EXPECT_EQ(1, get.mapped);
	EXPECT_EQ(7, get.word);
	start.id = 2;
	EXPECT_EQ(-EBUSY, tw_command(&self->ring, TWHEEL_IOC_START, &start));
	start.word = WORDS;
	EXPECT_EQ(-EINVAL, tw_command(&self->ring, TWHEEL_IOC_START, &start));
	start.flags = 0;
	EXPECT_EQ(-EOPNOTSUPP, tw_command(&self->ring, TWHEEL_IOC_START, &start));
}

TEST_HARNESS_MAIN
