// SPDX-License-Identifier: GPL-2.0
/*
 * A store to the word of a timer postpones it, and takes an unread expiry back as
 * a reset would.  Here with one queue and without leases; for the rest see
 * mapped_pool.c.
 */
#include <sys/epoll.h>
#include "twheel_mapped.h"

/* Looks at a word that a test waits for. */
#define LOOKS		3
#define MANY		400

TEST_F(mapped, untouched_timer_expires_like_any_other)
{
	struct twheel_start start = {
		.id = 1,
		.time_ns = TIMEOUT,
		.data = 99,
		.flags = TWHEEL_MAPPED,
	};

	ASSERT_EQ(0, tw_start(self->fd, &start));
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_EQ(1, self->event->id);
	EXPECT_EQ(99, self->event->data);
	EXPECT_EQ(start.generation, self->event->generation);
	EXPECT_EQ(start.deadline_ns, self->event->deadline_ns);
	EXPECT_LE(start.deadline_ns, self->event->fired_ns);
	EXPECT_EQ(1, self->event->expirations);
	EXPECT_EQ(1, self->event->attempt);
	EXPECT_EQ(0, self->event->flags);
	EXPECT_EQ(0, self->event->token);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.postponed);
	EXPECT_EQ(0, self->stats.withdrawn);
	EXPECT_EQ(0, self->stats.timers);
}

/* The last store is what counts, to the nanosecond. */
TEST_F(mapped, touched_timer_expires_its_timeout_after_the_last_store)
{
	__u64 timeout = 20 * TW_MS, then = 0;
	struct twheel_start start = {
		.id = 1,
		.time_ns = timeout,
		.flags = TWHEEL_MAPPED,
	};
	unsigned int i;

	ASSERT_EQ(0, tw_start(self->fd, &start));
	for (i = 0; i < 10; i++) {
		tw_spin_until(tw_now() + timeout / 5);
		then = tw_touch(&self->word[0]);
	}
	/* On a slow machine it may have expired; then the store withdraws it. */
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_EQ(then + timeout, self->event->deadline_ns);
	EXPECT_LE(then + timeout, self->event->fired_ns);
	EXPECT_EQ(start.generation, self->event->generation);
	EXPECT_EQ(1, self->event->sequence);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_LE(1, self->stats.postponed);
	EXPECT_EQ(1, self->stats.delivered);
	EXPECT_TRUE(tw_balanced(&self->stats));
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
}

/* Wait until the kernel has looked at words this often. */
static bool await_looks(int fd, __u64 looks)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	struct twheel_stats stats;

	do {
		if (tw_stats(fd, &stats))
			return false;
		if (stats.postponed >= looks)
			return true;
		tw_sleep(100 * TW_US);
	} while (tw_now() < give_up);
	return false;
}

/* However far in the future it is: for one timeout from each look. */
TEST_F(mapped, word_in_the_future_postpones_while_it_is_there)
{
	__u64 word[3] = { U64_MAX, 1ULL << 63, 0 }, then;
	unsigned int i;

	word[2] = tw_now() + TW_HOUR;
	for (i = 0; i < ARRAY_SIZE(word); i++) {
		ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, 7));
		tw_store(&self->word[7], word[i]);
		/* It may have expired before that; nobody has read it. */
		ASSERT_EQ(0, tw_poll(self->fd, 0));
		ASSERT_TRUE(await_looks(self->fd, (i + 1) * LOOKS));
		EXPECT_EQ(0, tw_poll(self->fd, 0));
		EXPECT_EQ(-EAGAIN, tw_read(self->fd, self->event, ROOM));
		EXPECT_EQ(word[i], self->word[7]);
		tw_store(&self->word[7], 0);
		then = tw_now();
		ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
		EXPECT_EQ(1, self->event->id);
		EXPECT_GE(then + TIMEOUT, self->event->deadline_ns);
		EXPECT_LE(self->event->deadline_ns, self->event->fired_ns);
	}
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(ARRAY_SIZE(word), self->stats.delivered);
	EXPECT_TRUE(tw_balanced(&self->stats));
}

TEST_F(mapped, timer_of_a_nanosecond_is_postponed_as_well)
{
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, 1, 7));
	tw_store(&self->word[7], TW_BUSY);
	EXPECT_EQ(-EAGAIN, tw_read(self->fd, self->event, ROOM));
	ASSERT_TRUE(await_looks(self->fd, LOOKS));
	EXPECT_EQ(0, tw_poll(self->fd, 0));
	tw_store(&self->word[7], 0);
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
}

/* However often it is touched, the kernel looks about once per timeout. */
TEST_F(mapped, looks_are_as_many_as_timeouts)
{
	__u64 timeout = 100 * TW_MS, began = tw_now(), last = began, now, gap = 0;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, timeout, 1));
	do {
		now = tw_touch(&self->word[1]);
		gap = now - last > gap ? now - last : gap;
		last = now;
	} while (now - began < 5 * timeout);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	/* Each look lets it run for a timeout but the age of the last store. */
	if (gap > timeout / 2)
		SKIP(return, "this machine is too slow: %llu us between stores",
		     gap / TW_US);
	EXPECT_GE((tw_now() - began) / (timeout - gap) + 1, self->stats.postponed);
	EXPECT_EQ(0, self->stats.expired);
	EXPECT_LE(1, self->stats.postponed);
}

TEST_F(mapped, postponing_one_timer_leaves_others_alone)
{
	unsigned int i, late = 0;

	ASSERT_EQ(0, tw_start_mapped(self->fd, 100, TIMEOUT, 100));
	tw_store(&self->word[100], TW_BUSY);
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, tw_start_mapped(self->fd, i, TIMEOUT, i));
	ASSERT_EQ(8, tw_collect(self->fd, self->event, 8));
	for (i = 0; i < 8; i++)
		late += self->event[i].id != i;
	EXPECT_EQ(0, late);
	EXPECT_EQ(0, tw_poll(self->fd, 0));
}

TEST_F(mapped, slack_stays)
{
	struct twheel_start start = {
		.id = 1,
		.time_ns = TIMEOUT,
		.flags = TWHEEL_MAPPED,
		.slack_ns = 16 * TW_MS,
		.word = 7,
	};
	struct twheel_get first;
	__u64 then;

	ASSERT_EQ(0, tw_start(self->fd, &start));
	ASSERT_EQ(0, tw_get(self->fd, 1, &first));
	tw_store(&self->word[7], TW_BUSY);
	EXPECT_EQ(0, tw_poll(self->fd, 0));
	ASSERT_TRUE(await_looks(self->fd, LOOKS));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(first.slack_ns, self->get.slack_ns);
	then = tw_touch(&self->word[7]);
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_LE(then + TIMEOUT, self->event->deadline_ns);
	EXPECT_LE(self->event->deadline_ns, self->event->fired_ns);
}

/* A deadline that had passed leaves no timeout to postpone it by. */
TEST_F(mapped, deadline_in_the_past_expires_at_once_though_touched)
{
	struct twheel_start start = {
		.id = 1,
		.time_ns = 1,
		.flags = TWHEEL_MAPPED | TWHEEL_ABSTIME,
		.word = 7,
	};

	ASSERT_EQ(0, tw_start(self->fd, &start));
	tw_store(&self->word[7], TW_BUSY);
	ASSERT_EQ(0, tw_start_mapped(self->fd, 2, 0, 8));
	tw_store(&self->word[8], TW_BUSY);
	ASSERT_EQ(2, tw_collect(self->fd, self->event, 2));
	EXPECT_EQ(1, self->event[0].id);
	EXPECT_EQ(1, self->event[0].deadline_ns);
	EXPECT_EQ(2, self->event[1].id);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.postponed);
	EXPECT_EQ(0, self->stats.withdrawn);
}

static void expect_withdrawn(struct __test_metadata *_metadata,
			     struct _test_data_mapped *self, __u64 count)
{
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(count, self->stats.withdrawn);
	EXPECT_EQ(0, self->stats.waiting);
	EXPECT_EQ(0, self->stats.queued);
	EXPECT_EQ(0, self->stats.delivered);
	EXPECT_TRUE(tw_balanced(&self->stats));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/* Exactly one event for timer @id, which has word @id and is busy. */
static void expect_one_later(struct __test_metadata *_metadata,
			     struct _test_data_mapped *self, __u64 id)
{
	__u64 then = tw_touch(&self->word[id]);

	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_EQ(id, self->event->id);
	EXPECT_EQ(1, self->event->attempt);
	EXPECT_LE(then + TIMEOUT, self->event->deadline_ns);
	EXPECT_LE(self->event->deadline_ns, self->event->fired_ns);
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
}

TEST_F(mapped, read_withdraws_a_touched_expiry)
{
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	ASSERT_EQ(TWHEEL_QUEUED, tw_state(self->fd, 1));
	tw_store(&self->word[1], TW_BUSY);
	EXPECT_EQ(-EAGAIN, tw_read(self->fd, self->event, ROOM));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	expect_withdrawn(_metadata, self, 1);
	EXPECT_LE(1, self->stats.postponed);
	/* A withdrawal is no gap in the stream. */
	expect_one_later(_metadata, self, 1);
	EXPECT_EQ(1, self->event->sequence);
	EXPECT_EQ(0, self->event->dropped);
}

TEST_F(mapped, poll_withdraws_a_touched_expiry)
{
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	ASSERT_EQ(POLLIN, tw_poll(self->fd, 0));
	tw_store(&self->word[1], TW_BUSY);
	EXPECT_EQ(0, tw_poll(self->fd, 0));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	expect_withdrawn(_metadata, self, 1);
	expect_one_later(_metadata, self, 1);
}

TEST_F(mapped, drain_withdraws_a_touched_expiry)
{
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 3, TIMEOUT));
	tw_store(&self->word[2], TW_BUSY);
	ASSERT_EQ(2, tw_drain(self->fd, self->event, ROOM));
	EXPECT_EQ(1, self->event[0].id);
	EXPECT_EQ(3, self->event[1].id);
	EXPECT_EQ(0, tw_drain(self->fd, self->event, ROOM));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 2));
	expect_one_later(_metadata, self, 2);
}

TEST_F(mapped, touched_expiry_that_waits_for_room_is_withdrawn)
{
	struct twheel_setup setup = { .queue_len = 1 };

	ASSERT_TRUE(map_another_instance(self, setup));
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 3, TIMEOUT));
	ASSERT_EQ(TWHEEL_DUE, tw_state(self->fd, 2));
	tw_store(&self->word[1], TW_BUSY);
	tw_store(&self->word[2], TW_BUSY);
	EXPECT_EQ(POLLIN, tw_poll(self->fd, 0));
	ASSERT_EQ(1, tw_read(self->fd, self->event, ROOM));
	EXPECT_EQ(3, self->event->id);
	EXPECT_EQ(1, self->event->sequence);
	EXPECT_EQ(-EAGAIN, tw_read(self->fd, self->event, ROOM));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(2, self->stats.withdrawn);
	EXPECT_EQ(2, self->stats.armed);
	EXPECT_TRUE(tw_balanced(&self->stats));
}

/* Withdrawn ones make room for what waits behind them. */
TEST_F(mapped, poll_sees_what_is_behind_touched_expiries)
{
	struct twheel_setup setup = { .queue_len = 2 };
	unsigned int i;

	ASSERT_TRUE(map_another_instance(self, setup));
	ASSERT_TRUE(tw_expire_mapped(self->fd, 0, MANY, TIMEOUT));
	for (i = 0; i < MANY - 1; i++)
		tw_store(&self->word[i], TW_BUSY);
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_EQ(MANY - 1, self->event->id);
	EXPECT_EQ(0, tw_poll(self->fd, 0));
}

/* However many there are: what poll says is what a read would find. */
TEST_F(mapped, poll_agrees_with_read_about_many_touched_expiries)
{
	unsigned int i;

	ASSERT_TRUE(tw_expire_mapped(self->fd, 0, MANY, TIMEOUT));
	for (i = 0; i < MANY; i++)
		tw_store(&self->word[i], TW_BUSY);
	EXPECT_EQ(0, tw_poll(self->fd, 0));
	EXPECT_EQ(-EAGAIN, tw_read(self->fd, self->event, ROOM));
	expect_withdrawn(_metadata, self, MANY);
	EXPECT_EQ(MANY, self->stats.armed);
}

TEST_F(mapped, read_skips_touched_expiries_and_keeps_the_order)
{
	static struct twheel_event event[MANY];
	unsigned int i, odd = 0, want = 0;

	ASSERT_TRUE(tw_expire_mapped(self->fd, 0, MANY, TIMEOUT));
	for (i = 0; i < MANY; i++) {
		if (i % 5)
			tw_store(&self->word[i], TW_BUSY);
		want += !(i % 5);
	}
	ASSERT_EQ(want, tw_read(self->fd, event, MANY));
	for (i = 0; i < want; i++)
		odd += event[i].id != 5 * i || event[i].sequence != i + 1 ||
		       event[i].dropped;
	EXPECT_EQ(0, odd);
	EXPECT_EQ(-EAGAIN, tw_read(self->fd, event, MANY));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(MANY - want, self->stats.withdrawn);
	EXPECT_EQ(want, self->stats.delivered);
	EXPECT_TRUE(tw_balanced(&self->stats));
}

/* The later deadline has passed, too: it expires anew, and says when. */
TEST_F(mapped, store_that_is_old_by_the_read_moves_the_expiry)
{
	__u64 deadline;

	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	deadline = self->get.deadline_ns;
	tw_spin_until(deadline + 2);
	tw_store(&self->word[1], deadline - TIMEOUT + 1);
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_EQ(deadline + 1, self->event->deadline_ns);
	EXPECT_LE(deadline + 1, self->event->fired_ns);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(2, self->stats.expired);
	EXPECT_EQ(1, self->stats.withdrawn);
	EXPECT_EQ(1, self->stats.delivered);
	EXPECT_EQ(1, self->stats.postponed);
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
}

TEST_F(mapped, store_that_changes_nothing_withdraws_nothing)
{
	__u64 started;

	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	started = self->word[1];
	tw_store(&self->word[1], started);
	EXPECT_EQ(POLLIN, tw_poll(self->fd, 0));
	tw_store(&self->word[1], started - 1);
	EXPECT_EQ(POLLIN, tw_poll(self->fd, 0));
	tw_store(&self->word[1], 0);
	ASSERT_EQ(1, tw_read(self->fd, self->event, ROOM));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.withdrawn);
	EXPECT_EQ(0, self->stats.postponed);
}

/* Between a store and the next look, an expiry waits as before. */
TEST_F(mapped, touched_expiry_is_stopped_as_one_that_waits)
{
	struct twheel_stop stop;

	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	tw_store(&self->word[1], TW_BUSY);
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	EXPECT_EQ(TWHEEL_QUEUED, self->get.state);
	EXPECT_LT(self->word[1] ? tw_now() : U64_MAX, self->get.deadline_ns);
	EXPECT_EQ(0, self->get.remaining_ns);
	ASSERT_EQ(0, tw_stop(self->fd, 1, &stop));
	EXPECT_EQ(TWHEEL_WITHDREW, stop.outcome);
	EXPECT_EQ(0, stop.remaining_ns);
	expect_withdrawn(_metadata, self, 1);
}

/* A read that has no room for a record is refused before it looks. */
TEST_F(mapped, bad_buffer_loses_nothing)
{
	void *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);

	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 2, TIMEOUT));
	tw_store(&self->word[1], TW_BUSY);
	EXPECT_EQ(-1, read(self->fd, nowhere, 4096));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(1, tw_read(self->fd, self->event, ROOM));
	EXPECT_EQ(2, self->event->id);
	EXPECT_EQ(1, self->event->sequence);
	expect_one_later(_metadata, self, 1);
	munmap(nowhere, 4096);
}

/* The record goes into a word: what was there is not what is looked at later. */
TEST_F(mapped, records_can_be_read_into_the_words_themselves)
{
	struct twheel_event *event = (void *)(self->word + 100);

	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 2, TIMEOUT));
	ASSERT_EQ((ssize_t)(2 * sizeof(*event)), read(self->fd, event, 4096));
	EXPECT_EQ(1, event[0].id);
	EXPECT_EQ(2, event[1].id);
}

struct sleeper {
	int fd;
	pid_t tid;
	int got;
	struct twheel_event event[ROOM];
};

static void *sleep_in_read(void *arg)
{
	struct sleeper *sleeper = arg;

	__atomic_store_n(&sleeper->tid, gettid(), __ATOMIC_RELEASE);
	sleeper->got = tw_read(sleeper->fd, sleeper->event, ROOM);
	return NULL;
}

TEST_F(mapped, blocked_reader_gets_the_one_event_that_there_is)
{
	struct sleeper sleeper = { 0 };
	pthread_t thread;
	__u64 then;

	/* As another open file of the instance would be another reader: blocking. */
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, 0));
	sleeper.fd = self->fd;
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, 50 * TW_MS, 1));
	tw_store(&self->word[1], TW_BUSY);
	ASSERT_EQ(0, pthread_create(&thread, NULL, sleep_in_read, &sleeper));
	ASSERT_TRUE(await_looks(self->fd, 2));
	then = tw_touch(&self->word[1]);
	pthread_join(thread, NULL);
	ASSERT_EQ(1, sleeper.got);
	EXPECT_LE(then + 50 * TW_MS, sleeper.event->deadline_ns);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.delivered);
	EXPECT_EQ(0, self->stats.timers);
}

TEST_F(mapped, edge_triggered_epoll_sees_the_later_expiry)
{
	struct epoll_event wanted = { .events = EPOLLIN | EPOLLET }, got;
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->fd, &wanted));
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	ASSERT_EQ(1, epoll_wait(epoll, &got, 1, TW_PATIENCE_MS));
	tw_store(&self->word[1], TW_BUSY);
	EXPECT_EQ(-EAGAIN, tw_read(self->fd, self->event, ROOM));
	EXPECT_EQ(0, epoll_wait(epoll, &got, 1, 0));
	tw_touch(&self->word[1]);
	ASSERT_EQ(1, epoll_wait(epoll, &got, 1, TW_PATIENCE_MS));
	EXPECT_EQ(1, tw_read(self->fd, self->event, ROOM));
	close(epoll);
}

TEST_F(mapped, level_triggered_epoll_agrees_with_read)
{
	struct epoll_event wanted = { .events = EPOLLIN }, got;
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->fd, &wanted));
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	ASSERT_EQ(1, epoll_wait(epoll, &got, 1, TW_PATIENCE_MS));
	tw_store(&self->word[1], TW_BUSY);
	EXPECT_EQ(0, epoll_wait(epoll, &got, 1, 0));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	tw_touch(&self->word[1]);
	ASSERT_EQ(1, epoll_wait(epoll, &got, 1, TW_PATIENCE_MS));
	EXPECT_EQ(1, tw_read(self->fd, self->event, ROOM));
	close(epoll);
}

TEST_F(mapped, dropped_expiry_with_activity_runs_on)
{
	struct twheel_setup setup = {
		.queue_len = 1,
		.overflow = TWHEEL_DROP_OLDEST,
	};

	ASSERT_TRUE(map_another_instance(self, setup));
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	tw_store(&self->word[1], TW_BUSY);
	ASSERT_TRUE(tw_expire(self->fd, 2));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(dropped), 1));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	EXPECT_EQ(-EBUSY, tw_start_mapped(self->fd, 3, TW_HOUR, 1));
	ASSERT_EQ(1, tw_read(self->fd, self->event, ROOM));
	EXPECT_EQ(2, self->event->id);
	EXPECT_EQ(1, self->event->dropped);
	EXPECT_EQ(2, self->event->sequence);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_LE(1, self->stats.postponed);
	EXPECT_EQ(0, self->stats.withdrawn);
	EXPECT_TRUE(tw_balanced(&self->stats));
	expect_one_later(_metadata, self, 1);
}

/* The timer expires again while nobody reads, and is dropped again, and so on. */
TEST_F(mapped, dropped_expiry_whose_new_deadline_has_passed_expires_again)
{
	struct twheel_setup setup = {
		.queue_len = 1,
		.overflow = TWHEEL_DROP_OLDEST,
	};
	__u64 deadline;

	ASSERT_TRUE(map_another_instance(self, setup));
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	ASSERT_EQ(0, tw_get(self->fd, 1, &self->get));
	deadline = self->get.deadline_ns;
	tw_spin_until(deadline + 2);
	tw_store(&self->word[1], deadline - TIMEOUT + 1);
	ASSERT_EQ(0, tw_after(self->fd, 2, 0));
	/* 1 is dropped for 2, expires anew, and 2 is dropped for that. */
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(dropped), 2));
	ASSERT_EQ(1, tw_read(self->fd, self->event, ROOM));
	EXPECT_EQ(1, self->event->id);
	EXPECT_EQ(deadline + 1, self->event->deadline_ns);
	EXPECT_EQ(2, self->event->dropped);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.timers);
	EXPECT_TRUE(tw_balanced(&self->stats));
}

TEST_F(mapped, boottime_clock_is_that_of_the_word)
{
	struct twheel_setup setup = { .clock = CLOCK_BOOTTIME };
	__u64 before, then;

	ASSERT_TRUE(map_another_instance(self, setup));
	before = tw_clock(CLOCK_BOOTTIME);
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, 1));
	EXPECT_LE(before, self->word[1]);
	EXPECT_GE(tw_clock(CLOCK_BOOTTIME), self->word[1]);
	tw_store(&self->word[1], TW_BUSY);
	EXPECT_EQ(0, tw_poll(self->fd, 0));
	ASSERT_TRUE(await_looks(self->fd, LOOKS));
	then = tw_clock(CLOCK_BOOTTIME);
	tw_store(&self->word[1], then);
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_LE(then + TIMEOUT, self->event->deadline_ns);
	EXPECT_LE(self->event->deadline_ns, self->event->fired_ns);
}

TEST_F(mapped, coarse_tick_is_never_early)
{
	struct twheel_setup setup = { .tick_shift = 26 };
	__u64 then;

	ASSERT_TRUE(map_another_instance(self, setup));
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, 1));
	tw_store(&self->word[1], TW_BUSY);
	ASSERT_TRUE(await_looks(self->fd, 1));
	then = tw_touch(&self->word[1]);
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_LE(then + TIMEOUT, self->event->deadline_ns);
	EXPECT_LE(self->event->deadline_ns, self->event->fired_ns);
}

TEST_F(mapped, touched_expiry_is_withdrawn_after_shutdown)
{
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 2, TIMEOUT));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	tw_store(&self->word[1], TW_BUSY);
	ASSERT_EQ(POLLIN, tw_poll(self->fd, 0));
	ASSERT_EQ(1, tw_read(self->fd, self->event, ROOM));
	EXPECT_EQ(2, self->event->id);
	EXPECT_EQ(0, read(self->fd, self->event, sizeof(self->event)));
	EXPECT_EQ(POLLIN | POLLHUP, tw_poll(self->fd, 0));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	/* It does not expire, busy or not. */
	tw_spin_until(tw_touch(&self->word[1]) + 10 * TIMEOUT);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(2, self->stats.expired);
	EXPECT_EQ(1, self->stats.withdrawn);
	EXPECT_TRUE(tw_balanced(&self->stats));
	EXPECT_EQ(0, tw_stop(self->fd, 1, NULL));
}

/* The last one that could come is withdrawn: that is the end of the stream. */
TEST_F(mapped, read_finds_the_end_behind_the_last_withdrawn_expiry)
{
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	tw_store(&self->word[1], TW_BUSY);
	EXPECT_EQ(0, read(self->fd, self->event, sizeof(self->event)));
	EXPECT_EQ(POLLIN | POLLHUP, tw_poll(self->fd, 0));
}

TEST_F(mapped, poll_finds_the_end_behind_the_last_withdrawn_expiry)
{
	ASSERT_TRUE(tw_expire_mapped(self->fd, 1, 1, TIMEOUT));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	tw_store(&self->word[1], TW_BUSY);
	EXPECT_EQ(POLLIN | POLLHUP, tw_poll(self->fd, 0));
	EXPECT_EQ(0, read(self->fd, self->event, sizeof(self->event)));
}

TEST_F(mapped, timer_that_was_armed_at_shutdown_does_not_expire)
{
	ASSERT_EQ(0, tw_start_mapped(self->fd, 1, TIMEOUT, 1));
	tw_store(&self->word[1], TW_BUSY);
	ASSERT_EQ(0, tw_poll(self->fd, 0));
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	tw_spin_until(tw_touch(&self->word[1]) + 10 * TIMEOUT);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	EXPECT_EQ(0, tw_stop(self->fd, 1, NULL));
	EXPECT_EQ(0, read(self->fd, self->event, sizeof(self->event)));
}

TEST_F(mapped, start_after_shutdown_writes_no_word)
{
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	EXPECT_EQ(-ESHUTDOWN, tw_start_mapped(self->fd, 1, TW_HOUR, 1));
	EXPECT_EQ(0, self->word[1]);
}

TEST_HARNESS_MAIN
