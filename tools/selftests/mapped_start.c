// SPDX-License-Identifier: GPL-2.0
/*
 * Starting timers with a word: which words there are, whose they are and how long,
 * and what a word makes of a deadline
 */
#include "twheel_mapped.h"

TEST_F(mapped, start_sets_the_word_to_now)
{
	__u64 before = tw_now(), after, sum = 0;
	unsigned int i;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	after = tw_now();
	EXPECT_LE(before, self->word[7]);
	EXPECT_GE(after, self->word[7]);
	for (i = 0; i < WORDS; i++)
		sum += i == 7 ? 0 : self->word[i];
	EXPECT_EQ(0, sum);
}

TEST_F(mapped, start_of_the_last_word_and_of_the_first_is_fine)
{
	EXPECT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 0));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 2, TW_HOUR, WORDS - 1));
	EXPECT_NE(0, self->word[WORDS - 1]);
}

/* The rest of the last page is mapped as well, but is no word. */
TEST_F(mapped, start_of_a_word_that_is_not_there_is_invalid)
{
	static const __u64 none[] = {
		WORDS, WORDS + 1, 1024, 1ULL << 32, (1ULL << 32) + 1, U64_MAX,
	};
	unsigned int i;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 1));
	tw_snapshot(self->fd, 1, &self->before);
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		EXPECT_EQ(-EINVAL, tw_start_mapped(self->fd, 2, TW_HOUR, none[i]));
		EXPECT_EQ(-EINVAL, tw_start_mapped(self->fd, 1, TW_HOUR, none[i]));
		EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 2));
		EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	}
	for (i = WORDS; i < tw_map_size(WORDS) / sizeof(__u64); i++)
		EXPECT_EQ(0, self->word[i]);
}

TEST_F(mapped, start_where_there_are_no_words_is_invalid)
{
	int fd = tw_open();

	tw_snapshot(fd, 1, &self->before);
	EXPECT_EQ(-EINVAL, tw_start_mapped(fd, 1, TW_HOUR, 0));
	EXPECT_TRUE(tw_unchanged(fd, &self->before));
	ASSERT_EQ(0, tw_after(fd, 1, TW_HOUR));
	tw_snapshot(fd, 1, &self->before);
	EXPECT_EQ(-EINVAL, tw_start_mapped(fd, 1, TW_HOUR, 0));
	EXPECT_TRUE(tw_unchanged(fd, &self->before));
	close(fd);
}

TEST_F(mapped, periodic_timer_is_invalid)
{
	struct twheel_start start = {
		.id = 1,
		.time_ns = TW_HOUR,
		.interval_ns = TW_HOUR,
		.flags = TWHEEL_MAPPED,
	};

	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EINVAL, tw_start(self->fd, &start));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_EQ(0, self->word[0]);
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 5));
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EINVAL, tw_start(self->fd, &start));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(mapped, word_of_another_timer_is_busy)
{
	__u64 was;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 2, TW_HOUR, 8));
	was = self->word[7];
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 3, TW_HOUR, 7));
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 2, TW_HOUR, 7));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 3));
	EXPECT_EQ(was, self->word[7]);
	ASSERT_EQ(0, tw_get(self->fd, 2, &self->get));
	EXPECT_EQ(8, self->get.word);
}

TEST_F(mapped, word_of_an_unread_expiry_is_busy)
{
	struct twheel_setup setup = { .queue_len = 1 };

	ASSERT_TRUE(map_another_instance(self, setup));
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 2, TIMEOUT));
	ASSERT_EQ(TWHEEL_QUEUED, tw_state(self->fd, 1));
	ASSERT_EQ(TWHEEL_DUE, tw_state(self->fd, 2));
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 3, TW_HOUR, 1));
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 3, TW_HOUR, 2));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(mapped, word_without_the_flag_is_not_supported)
{
	struct twheel_start start = { .id = 1, .time_ns = TW_HOUR, .word = 1 };

	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EOPNOTSUPP, tw_start(self->fd, &start));
	start.word = 1ULL << 40;
	EXPECT_EQ(-EOPNOTSUPP, tw_start(self->fd, &start));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(mapped, flag_is_for_starts_only)
{
	struct twheel_reset reset = { .id = 1, .flags = TWHEEL_MAPPED };
	struct twheel_stop stop = { .id = 1, .flags = TWHEEL_MAPPED };
	struct twheel_get get = { .id = 1, .flags = TWHEEL_MAPPED };

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 1));
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EOPNOTSUPP, tw_reset(self->fd, &reset));
	EXPECT_EQ(-EOPNOTSUPP, tw_ioctl(self->fd, TWHEEL_IOC_STOP, &stop,
					sizeof(stop)));
	EXPECT_EQ(-EOPNOTSUPP, tw_ioctl(self->fd, TWHEEL_IOC_GET, &get,
					sizeof(get)));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(mapped, exclusive_start_of_a_live_timer_writes_no_word)
{
	struct twheel_start start = {
		.id = 1,
		.time_ns = TW_HOUR,
		.flags = TWHEEL_MAPPED | TWHEEL_EXCLUSIVE,
		.word = 2,
	};
	__u64 was;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 1));
	was = self->word[1];
	EXPECT_EQ(-EEXIST, tw_start(self->fd, &start));
	start.word = 1;
	EXPECT_EQ(-EEXIST, tw_start(self->fd, &start));
	EXPECT_EQ(was, self->word[1]);
	EXPECT_EQ(0, self->word[2]);
	EXPECT_EQ(0, tw_start_mapped(self->fd, 2, TW_HOUR, 2));
}

TEST_F(mapped, start_at_the_limit_of_timers_takes_no_word)
{
	struct twheel_setup setup = { .max_timers = 1 };

	ASSERT_TRUE(map_another_instance(self, setup));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 1));
	EXPECT_EQ(-ENOSPC, tw_start_mapped(self->fd, 2, TW_HOUR, 2));
	EXPECT_EQ(0, self->word[2]);
	EXPECT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 2));
}

TEST_F(mapped, start_out_of_range_takes_no_word)
{
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 1));
	EXPECT_EQ(-EOVERFLOW, tw_start_mapped(self->fd, 2, U64_MAX, 2));
	EXPECT_EQ(-EOVERFLOW, tw_start_mapped(self->fd, 1, U64_MAX, 2));
	EXPECT_EQ(0, self->word[2]);
	EXPECT_EQ(0, tw_start_mapped(self->fd, 2, TW_HOUR, 2));
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 3, TW_HOUR, 1));
}

TEST_F(mapped, word_is_free_after_stop)
{
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	ASSERT_EQ(0, tw_stop(self->fd, 1, NULL));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 2, TW_HOUR, 7));
}

TEST_F(mapped, word_is_free_after_stop_of_an_unread_expiry)
{
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	ASSERT_EQ(0, tw_stop(self->fd, 1, NULL));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 2, TW_HOUR, 1));
}

TEST_F(mapped, word_is_free_after_delivery)
{
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	ASSERT_EQ(1, tw_read(self->fd, self->event, ROOM));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 1));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 2, TW_HOUR, 1));
}

TEST_F(mapped, word_is_free_after_a_drop)
{
	struct twheel_setup setup = {
		.queue_len = 1,
		.overflow = TWHEEL_DROP_NEWEST,
	};

	ASSERT_TRUE(map_another_instance(self, setup));
	ASSERT_TRUE(tw_expire(self->fd, 100));
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(dropped), 1));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 1));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 2, TW_HOUR, 1));
}

TEST_F(mapped, restart_may_keep_the_word_and_writes_it)
{
	__u64 before;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	tw_store(&self->word[7], TW_BUSY);
	before = tw_now();
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	EXPECT_LE(before, self->word[7]);
	EXPECT_GE(tw_now(), self->word[7]);
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 2, TW_HOUR, 7));
}

TEST_F(mapped, restart_with_another_word_frees_the_old_one)
{
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 8));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(8, self->get.word);
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 2, TW_HOUR, 8));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 2, TW_HOUR, 7));
}

TEST_F(mapped, old_word_has_no_effect_after_a_restart)
{
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, 8));
	tw_store(&self->word[7], TW_BUSY);
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.postponed);
}

TEST_F(mapped, restart_without_a_word_frees_it)
{
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	ASSERT_EQ(0, tw_after(self->fd, 1, TIMEOUT));
	tw_store(&self->word[7], TW_BUSY);
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(0, self->get.mapped);
	EXPECT_EQ(0, self->get.word);
	EXPECT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_EQ(0, tw_start_mapped(self->fd, 2, TW_HOUR, 7));
}

TEST_F(mapped, restart_can_make_it_periodic_and_back)
{
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, WORDS - 1));
	ASSERT_EQ(0, tw_every(self->fd, 1, tw_now() + TW_HOUR, 2 * TW_HOUR));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(0, self->get.mapped);
	EXPECT_EQ(2 * TW_HOUR, self->get.interval_ns);
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, WORDS - 1));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(1, self->get.mapped);
	EXPECT_EQ(WORDS - 1, self->get.word);
	EXPECT_EQ(0, self->get.interval_ns);
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_EQ(1, self->event->expirations);
	EXPECT_EQ(0, self->event->flags);
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 1));
}

/* A stopped timer's word is memory like any other. */
TEST_F(mapped, word_of_nobody_is_nobodys_business)
{
	tw_store(&self->word[7], 5);
	ASSERT_TRUE(tw_expire(self->fd, 1));
	EXPECT_EQ(1, tw_read(self->fd, self->event, ROOM));
	EXPECT_EQ(5, self->word[7]);
}

TEST_F(mapped, two_instances_have_their_own_words)
{
	struct twheel_setup none = { 0 };
	int fd = tw_with_words(WORDS, none);
	__u64 *other = tw_map(fd, WORDS);

	ASSERT_NE(NULL, other);
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, 7));
	EXPECT_EQ(0, tw_start_mapped(fd, 1, TW_HOUR, 7));
	tw_store(&other[7], TW_BUSY);
	EXPECT_EQ(1, tw_collect(self->fd, self->event, 1));
	munmap(other, tw_map_size(WORDS));
	close(fd);
}

TEST_F(mapped, get_tells_the_word_and_the_effective_deadline)
{
	__u64 then, deadline, after;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(1, self->get.mapped);
	EXPECT_EQ(7, self->get.word);
	EXPECT_EQ(TW_HOUR, self->get.timeout_ns);
	EXPECT_EQ(self->word[7] + TW_HOUR, self->get.deadline_ns);
	deadline = self->get.deadline_ns;

	tw_spin_until(deadline - TW_HOUR + TW_MS);
	then = tw_touch(&self->word[7]);
	ASSERT_LT(deadline, then + TW_HOUR);
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	after = tw_now();
	EXPECT_EQ(then + TW_HOUR, self->get.deadline_ns);
	EXPECT_GE(TW_HOUR, self->get.remaining_ns);
	EXPECT_LE(then + TW_HOUR - after, self->get.remaining_ns);
	EXPECT_EQ(TWHEEL_ARMED, self->get.state);
}

TEST_F(mapped, list_tells_the_word_and_the_effective_deadline)
{
	struct twheel_list_entry entry[4];
	unsigned int i;
	__u64 then;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	ASSERT_EQ(0, tw_after(self->fd, 2, TW_HOUR));
	tw_spin_until(self->word[7] + TW_MS);
	then = tw_touch(&self->word[7]);
	ASSERT_EQ(2, tw_list_all(self->fd, entry, 4, 4));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(entry[i].id == 1, entry[i].mapped);
		EXPECT_EQ(entry[i].id == 1 ? 7 : 0, entry[i].word);
		EXPECT_EQ(0, entry[i].interval_ns);
		EXPECT_GE(TW_HOUR, entry[i].remaining_ns);
		if (entry[i].id == 1)
			EXPECT_EQ(then + TW_HOUR, entry[i].deadline_ns);
	}
}

/* What is in the future, or no time at all, is now, at the moment of looking. */
TEST_F(mapped, future_word_is_taken_as_now)
{
	__u64 word[3] = { U64_MAX, 1ULL << 63, 0 }, before;
	unsigned int i;

	word[2] = tw_now() + TW_HOUR;
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	for (i = 0; i < ARRAY_SIZE(word); i++) {
		tw_store(&self->word[7], word[i]);
		before = tw_now();
		ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
		EXPECT_LE(before + TW_HOUR, self->get.deadline_ns);
		EXPECT_GE(tw_now() + TW_HOUR, self->get.deadline_ns);
		EXPECT_EQ(TW_HOUR, self->get.remaining_ns);
	}
}

/* A deadline that it had for a while is not one that it keeps. */
TEST_F(mapped, get_of_a_future_word_does_not_move_the_deadline)
{
	__u64 deadline;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	deadline = self->get.deadline_ns;
	tw_spin_until(tw_now() + TW_MS);
	tw_store(&self->word[7], TW_BUSY);
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_LT(deadline, self->get.deadline_ns);
	tw_store(&self->word[7], 0);
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(deadline, self->get.deadline_ns);
}

TEST_F(mapped, smaller_word_does_not_bring_the_deadline_forward)
{
	__u64 deadline, started;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	started = self->word[7];
	deadline = started + TW_HOUR;
	tw_store(&self->word[7], started - 1);
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(deadline, self->get.deadline_ns);
	tw_store(&self->word[7], 0);
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(deadline, self->get.deadline_ns);

	ASSERT_EQ(0, tw_start_mapped(self->fd, 2, TIMEOUT, 8));
	deadline = self->word[8] + TIMEOUT;
	tw_store(&self->word[8], 1);
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_EQ(2, self->event->id);
	EXPECT_EQ(deadline, self->event->deadline_ns);
	EXPECT_LE(deadline, self->event->fired_ns);
}

TEST_F(mapped, deadline_beyond_the_clock_is_at_its_end)
{
	__u64 most = INT64_MAX;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, most - tw_now() - TW_SEC, 7));
	tw_store(&self->word[7], TW_BUSY);
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_GE(most, self->get.deadline_ns);
	EXPECT_LE(most - 2 * TW_SEC, self->get.deadline_ns);
	EXPECT_EQ(0, tw_stop(self->fd, 1, NULL));
}

/* Whether a call at about @then could say that @left is left to @deadline. */
static bool is_left(__u64 left, __u64 deadline, __u64 before, __u64 after)
{
	return left <= deadline - before && left >= deadline - after;
}

TEST_F(mapped, stop_reset_and_start_tell_the_time_to_the_effective_deadline)
{
	struct twheel_start start = {
		.id = 1,
		.time_ns = TW_HOUR,
		.flags = TWHEEL_MAPPED,
	};
	struct twheel_reset reset = { .id = 1 };
	struct twheel_stop stop;
	__u64 then;

	ASSERT_EQ(0, tw_start(self->fd, &start));
	tw_spin_until(self->word[0] + 5 * TW_MS);
	then = tw_touch(&self->word[0]);
	ASSERT_EQ(0, tw_start(self->fd, &start));
	EXPECT_EQ(TWHEEL_STOPPED, start.outcome);
	EXPECT_TRUE(is_left(start.remaining_ns, then + TW_HOUR, then, tw_now()));

	tw_spin_until(self->word[0] + 5 * TW_MS);
	then = tw_touch(&self->word[0]);
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	EXPECT_EQ(TWHEEL_STOPPED, reset.outcome);
	EXPECT_TRUE(is_left(reset.remaining_ns, then + TW_HOUR, then, tw_now()));

	tw_spin_until(reset.deadline_ns - TW_HOUR + 5 * TW_MS);
	then = tw_touch(&self->word[0]);
	ASSERT_EQ(0, tw_stop(self->fd, 1, &stop));
	EXPECT_EQ(TWHEEL_STOPPED, stop.outcome);
	EXPECT_TRUE(is_left(stop.remaining_ns, then + TW_HOUR, then, tw_now()));
}

TEST_F(mapped, reset_keeps_the_word_and_does_not_write_it)
{
	struct twheel_reset reset = { .id = 1 };
	__u64 before;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	tw_store(&self->word[7], 3);
	before = tw_now();
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	EXPECT_LE(before + TW_HOUR, reset.deadline_ns);
	EXPECT_EQ(3, self->word[7]);
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(1, self->get.mapped);
	EXPECT_EQ(7, self->get.word);
	EXPECT_EQ(reset.deadline_ns, self->get.deadline_ns);
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 2, TW_HOUR, 7));
}

TEST_F(mapped, reset_with_a_new_timeout_has_it_for_stores_as_well)
{
	struct twheel_reset reset = {
		.id = 1,
		.time_ns = 2 * TW_HOUR,
		.flags = TWHEEL_NEW_TIMEOUT,
	};
	__u64 then;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 7));
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	tw_spin_until(reset.deadline_ns - 2 * TW_HOUR + TW_MS);
	then = tw_touch(&self->word[7]);
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(then + 2 * TW_HOUR, self->get.deadline_ns);

	/* A shorter one counts from the word as well, and that is the later one. */
	reset.time_ns = TIMEOUT;
	tw_store(&self->word[7], TW_BUSY);
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(armed), 1));
	then = tw_touch(&self->word[7]);
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_EQ(reset.generation, self->event->generation);
	EXPECT_LE(then + TIMEOUT, self->event->deadline_ns);
	EXPECT_GE(tw_now(), self->event->deadline_ns);
}

TEST_F(mapped, absolute_deadline_has_the_timeout_that_it_was_away)
{
	struct twheel_start start = {
		.id = 1,
		.flags = TWHEEL_MAPPED | TWHEEL_ABSTIME,
		.word = 7,
	};
	__u64 then;

	start.time_ns = tw_now() + TW_HOUR;
	ASSERT_EQ(0, tw_start(self->fd, &start));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(start.time_ns, self->get.deadline_ns);
	EXPECT_EQ(start.time_ns, self->word[7] + self->get.timeout_ns);
	tw_spin_until(self->word[7] + TW_MS);
	then = tw_touch(&self->word[7]);
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(then + self->get.timeout_ns, self->get.deadline_ns);
}

TEST_F(mapped, batch_starts_timers_with_words)
{
	struct twheel_result result[5];
	struct twheel_op op[5];

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 1));
	op[0] = tw_op_mapped(2, TW_HOUR, 2);
	op[1] = tw_op_mapped(3, TW_HOUR, 1);
	op[2] = tw_op_mapped(3, TW_HOUR, WORDS);
	op[3] = tw_op(TWHEEL_OP_STOP, 1);
	op[4] = tw_op_mapped(3, TW_HOUR, 1);
	ASSERT_EQ(5, tw_submit(self->fd, op, result, 5));
	EXPECT_EQ(0, result[0].error);
	EXPECT_EQ(-EBUSY, result[1].error);
	EXPECT_EQ(-EINVAL, result[2].error);
	EXPECT_EQ(0, result[3].error);
	EXPECT_EQ(0, result[4].error);
	ASSERT_EQ(0, tw_get(self->fd, 3, &self->get));
	EXPECT_EQ(1, self->get.mapped);
	EXPECT_EQ(1, self->get.word);
	EXPECT_EQ(result[4].deadline_ns, self->get.deadline_ns);
	EXPECT_EQ(self->word[1] + TW_HOUR, self->get.deadline_ns);
}

TEST_F(mapped, batch_tells_the_effective_deadline)
{
	struct twheel_result result[2];
	struct twheel_op op[2];
	__u64 then;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 1));
	tw_spin_until(self->word[1] + 5 * TW_MS);
	then = tw_touch(&self->word[1]);
	op[0] = tw_op(TWHEEL_OP_GET, 1);
	op[1] = tw_op(TWHEEL_OP_RESET, 1);
	ASSERT_EQ(2, tw_submit(self->fd, op, result, 2));
	EXPECT_EQ(then + TW_HOUR, result[0].deadline_ns);
	EXPECT_TRUE(is_left(result[0].remaining_ns, then + TW_HOUR, then, tw_now()));
	EXPECT_TRUE(is_left(result[1].remaining_ns, then + TW_HOUR, then, tw_now()));
	EXPECT_EQ(0, result[0].interval_ns);
}

TEST_F(mapped, operation_that_is_no_start_has_no_word)
{
	static const __u32 opcode[] = {
		TWHEEL_OP_STOP, TWHEEL_OP_RESET, TWHEEL_OP_GET, TWHEEL_OP_ACK,
		TWHEEL_OP_REJECT, TWHEEL_OP_EXTEND,
	};
	struct twheel_result result;
	struct twheel_op op;
	unsigned int i;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TW_HOUR, 1));
	tw_snapshot(self->fd, 1, &self->before);
	for (i = 0; i < ARRAY_SIZE(opcode); i++) {
		op = tw_op(opcode[i], 1);
		op.word = 1;
		ASSERT_EQ(1, tw_submit(self->fd, &op, &result, 1));
		EXPECT_EQ(-EOPNOTSUPP, result.error);
		op.flags = TWHEEL_MAPPED;
		ASSERT_EQ(1, tw_submit(self->fd, &op, &result, 1));
		EXPECT_EQ(-EOPNOTSUPP, result.error);
	}
	op = tw_op_after(2, TW_HOUR);
	op.word = 2;
	ASSERT_EQ(1, tw_submit(self->fd, &op, &result, 1));
	EXPECT_EQ(-EOPNOTSUPP, result.error);
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_HARNESS_MAIN
