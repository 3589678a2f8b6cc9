// SPDX-License-Identifier: GPL-2.0
/*
 * The bounded queue: what each policy does when it is full, that every loss
 * shows in the stream, and that the books balance.
 */
#include "twheel_test.h"

#define CAPACITY	8
#define EXPIRIES	20
#define FILLER		1000	/* an ID that no test judges */

static __u64 tick_of(int fd, __u64 deadline_ns)
{
	struct twheel_info info;

	if (tw_info(fd, &info))
		return 0;
	return (deadline_ns + (1ULL << info.tick_shift) - 1) >> info.tick_shift;
}

FIXTURE(queue) {
	int fd;
	struct twheel_event event[EXPIRIES + 1];
	struct twheel_stats stats;
};

FIXTURE_SETUP(queue)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(queue)
{
	close(self->fd);
}

static int setup_queue(int fd, __u32 queue_len, __u32 overflow)
{
	struct twheel_setup setup = {
		.queue_len = queue_len,
		.overflow = overflow,
	};

	return tw_setup(fd, &setup);
}

/*
 * A new instance on @fd, in which EXPIRIES timers expire unread, each in a tick of
 * its own and in the order of their IDs, though they are started in another one.
 */
static bool overflow_queue(int *fd, __u32 queue_len, __u32 overflow)
{
	__u64 first, tick_ns, id, lead = 25 * TW_MS;
	struct twheel_info info;
	unsigned int i;

	do {
		close(*fd);
		*fd = tw_open();
		if (setup_queue(*fd, queue_len, overflow) || tw_info(*fd, &info))
			return false;
		tick_ns = 1ULL << info.tick_shift;
		lead *= 2;
		first = tw_now() + lead;
		for (i = 0; i < EXPIRIES; i++) {
			id = i * 7 % EXPIRIES;
			if (tw_at(*fd, id, first + 2 * id * tick_ns))
				return false;
		}
		/* A machine that sleeps here spoils the order: again. */
	} while (tw_now() >= first);
	return tw_await(*fd, TW_STAT(expired), EXPIRIES);
}

TEST_F(queue, hold_loses_nothing)
{
	unsigned int i;

	ASSERT_TRUE(overflow_queue(&self->fd, CAPACITY, TWHEEL_HOLD));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(EXPIRIES, self->stats.waiting);
	EXPECT_EQ(CAPACITY, self->stats.queued);
	EXPECT_EQ(TWHEEL_QUEUED, tw_state(self->fd, CAPACITY - 1));
	EXPECT_EQ(TWHEEL_DUE, tw_state(self->fd, CAPACITY));

	ASSERT_EQ(EXPIRIES, tw_collect(self->fd, self->event, EXPIRIES));
	for (i = 0; i < EXPIRIES; i++) {
		EXPECT_EQ(i, self->event[i].id);
		EXPECT_EQ(i + 1, self->event[i].sequence);
		EXPECT_EQ(0, self->event[i].dropped);
		EXPECT_EQ(0, self->event[i].flags);
	}
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(EXPIRIES, self->stats.delivered);
	EXPECT_EQ(0, self->stats.dropped);
	EXPECT_TRUE(tw_balanced(&self->stats));
}

TEST_F(queue, drop_newest_keeps_the_first)
{
	struct twheel_event next;
	unsigned int i;

	ASSERT_TRUE(overflow_queue(&self->fd, CAPACITY, TWHEEL_DROP_NEWEST));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(EXPIRIES - CAPACITY, self->stats.dropped);
	EXPECT_EQ(CAPACITY, self->stats.waiting);
	EXPECT_EQ(CAPACITY, self->stats.timers);
	EXPECT_TRUE(tw_balanced(&self->stats));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, EXPIRIES - 1));

	ASSERT_EQ(CAPACITY, tw_collect(self->fd, self->event, CAPACITY));
	for (i = 0; i < CAPACITY; i++) {
		EXPECT_EQ(i, self->event[i].id);
		EXPECT_EQ(i + 1, self->event[i].sequence);
		EXPECT_EQ(0, self->event[i].dropped);
	}
	/* The loss shows in the record after it. */
	ASSERT_EQ(0, tw_after(self->fd, FILLER, 1));
	ASSERT_EQ(1, tw_collect(self->fd, &next, 1));
	EXPECT_EQ(EXPIRIES - CAPACITY, next.dropped);
	EXPECT_EQ(EXPIRIES + 1, next.sequence);
	EXPECT_EQ(TWHEEL_EVENT_DROPPED, next.flags);
}

TEST_F(queue, drop_oldest_keeps_the_last)
{
	const unsigned int lost = EXPIRIES - CAPACITY;
	unsigned int i;

	ASSERT_TRUE(overflow_queue(&self->fd, CAPACITY, TWHEEL_DROP_OLDEST));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(lost, self->stats.dropped);
	EXPECT_EQ(CAPACITY, self->stats.waiting);
	EXPECT_EQ(CAPACITY, self->stats.timers);
	EXPECT_TRUE(tw_balanced(&self->stats));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 0));

	ASSERT_EQ(CAPACITY, tw_collect(self->fd, self->event, CAPACITY));
	for (i = 0; i < CAPACITY; i++) {
		EXPECT_EQ(lost + i, self->event[i].id);
		EXPECT_EQ(lost + i + 1, self->event[i].sequence);
		EXPECT_EQ(i ? 0 : lost, self->event[i].dropped);
		EXPECT_EQ(i ? 0 : TWHEEL_EVENT_DROPPED, self->event[i].flags);
	}
}

TEST_F(queue, dropped_periodic_timer_runs_on_its_grid)
{
	__u64 first, interval = 10 * TW_MS;

	ASSERT_EQ(0, setup_queue(self->fd, 1, TWHEEL_DROP_NEWEST));
	ASSERT_TRUE(tw_expire(self->fd, FILLER));
	first = tw_now();
	ASSERT_EQ(0, tw_every(self->fd, 1, first, interval));
	ASSERT_TRUE(tw_await_between(self->fd, TW_STAT(dropped), 3, U64_MAX));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	ASSERT_EQ(2, tw_collect(self->fd, self->event, 2));
	EXPECT_EQ(FILLER, self->event[0].id);
	EXPECT_EQ(1, self->event[1].id);
	EXPECT_EQ(0, (self->event[1].deadline_ns - first) % interval);
	EXPECT_EQ(TWHEEL_EVENT_PERIODIC | TWHEEL_EVENT_DROPPED,
		  self->event[1].flags);
	EXPECT_LE(3, self->event[1].dropped);
	EXPECT_EQ(2 + self->event[1].dropped, self->event[1].sequence);
}

TEST_F(queue, depth_and_age_of_the_oldest_are_visible)
{
	struct twheel_stats later;
	__u64 deadline, after;

	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.queued);
	EXPECT_EQ(0, self->stats.oldest_ns);

	deadline = tw_now();
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_TRUE(tw_expire(self->fd, 2));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	after = tw_now();
	EXPECT_EQ(2, self->stats.queued);
	EXPECT_LT(0, self->stats.oldest_ns);
	EXPECT_GE(after - deadline, self->stats.oldest_ns);

	tw_spin_until(tw_now() + TW_MS);
	ASSERT_EQ(0, tw_stats(self->fd, &later));
	EXPECT_LE(self->stats.oldest_ns + TW_MS, later.oldest_ns);

	ASSERT_EQ(2, tw_collect(self->fd, self->event, 2));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.queued);
	EXPECT_EQ(0, self->stats.oldest_ns);
}

TEST_F(queue, age_is_that_of_the_oldest_that_is_left)
{
	struct twheel_stats later;
	__u64 second;

	ASSERT_TRUE(tw_expire(self->fd, 1));
	tw_spin_until(tw_now() + 20 * TW_MS);
	second = tw_now();
	ASSERT_TRUE(tw_expire(self->fd, 2));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_LE(20 * TW_MS, self->stats.oldest_ns);
	ASSERT_EQ(0, tw_stop(self->fd, 1, NULL));
	ASSERT_EQ(0, tw_stats(self->fd, &later));
	EXPECT_EQ(1, later.queued);
	EXPECT_GE(tw_now() - second, later.oldest_ns);
}

TEST_F(queue, length_of_one_delivers_all)
{
	unsigned int i;

	ASSERT_TRUE(overflow_queue(&self->fd, 1, TWHEEL_HOLD));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.queued);
	EXPECT_EQ(EXPIRIES, self->stats.waiting);
	ASSERT_EQ(EXPIRIES, tw_collect(self->fd, self->event, EXPIRIES));
	for (i = 0; i < EXPIRIES; i++)
		EXPECT_EQ(i, self->event[i].id);
}

TEST_F(queue, greatest_length_works)
{
	struct twheel_event events[256];
	unsigned int count, come, got;
	struct twheel_info info;

	ASSERT_EQ(0, tw_info(self->fd, &info));
	ASSERT_EQ(0, setup_queue(self->fd, info.queue_len_max, TWHEEL_HOLD));
	count = tw_scaled(20000);
	if (count > info.queue_len_max)
		count = info.queue_len_max;
	for (come = 0; come < count; come++)
		ASSERT_EQ(0, tw_after(self->fd, come, 1));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(queued), count));
	for (come = 0; come < count; come += got) {
		got = tw_read(self->fd, events, ARRAY_SIZE(events));
		ASSERT_LE(1, (int)got);
		ASSERT_GE(ARRAY_SIZE(events), got);
		ASSERT_EQ(come + got, events[got - 1].sequence);
	}
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
}

TEST_F(queue, records_come_in_order_of_deadline)
{
	__u64 seed = tw_seed(), first, lead = 100 * TW_MS;
	unsigned int i, wrong = 0, count = tw_scaled(1000);
	struct twheel_event *events = calloc(count, sizeof(*events));

	ASSERT_NE(NULL, events);
	ASSERT_EQ(0, setup_queue(self->fd, CAPACITY, TWHEEL_HOLD));
	do {
		lead *= 2;
		first = tw_now() + lead;
		for (i = 0; i < count; i++)
			ASSERT_EQ(0, tw_at(self->fd, i, first +
					   tw_below(&seed, 300 * TW_MS)));
	} while (tw_now() >= first);
	ASSERT_EQ(count, tw_collect(self->fd, events, count));
	for (i = 1; i < count; i++)
		wrong += tick_of(self->fd, events[i].deadline_ns) <
			 tick_of(self->fd, events[i - 1].deadline_ns);
	EXPECT_EQ(0, wrong);
	free(events);
}

FIXTURE(policy) {
	int fd;
	__u64 seed;
	unsigned int rounds;
	bool stop;
};

FIXTURE_VARIANT(policy) {
	enum twheel_overflow overflow;
};

FIXTURE_VARIANT_ADD(policy, hold) {
	.overflow = TWHEEL_HOLD,
};

FIXTURE_VARIANT_ADD(policy, drop_newest) {
	.overflow = TWHEEL_DROP_NEWEST,
};

FIXTURE_VARIANT_ADD(policy, drop_oldest) {
	.overflow = TWHEEL_DROP_OLDEST,
};

FIXTURE_SETUP(policy)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, setup_queue(self->fd, CAPACITY, variant->overflow));
}

FIXTURE_TEARDOWN(policy)
{
	close(self->fd);
}

/* A withdrawn expiry must not go on occupying a place, whatever is ahead of it. */
TEST_F(policy, withdrawals_behind_an_unread_head_free_their_places)
{
	unsigned int round, i, rounds = tw_scaled(10000) / (CAPACITY - 1) + 1;
	struct twheel_event event[CAPACITY + 1];
	struct twheel_reset reset = { .flags = TWHEEL_NEW_TIMEOUT };
	struct twheel_stats stats;

	ASSERT_TRUE(tw_expire(self->fd, 0));
	for (i = 1; i < CAPACITY; i++)
		ASSERT_EQ(0, tw_after(self->fd, i, 1));
	for (round = 0; round < rounds; round++) {
		ASSERT_TRUE(tw_await(self->fd, TW_STAT(queued), CAPACITY));
		for (i = 1; i < CAPACITY; i++) {
			reset.id = i;
			ASSERT_EQ(0, tw_reset(self->fd, &reset));
			ASSERT_EQ(TWHEEL_WITHDREW, reset.outcome);
		}
	}
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(queued), CAPACITY));
	ASSERT_EQ(0, tw_stats(self->fd, &stats));
	EXPECT_EQ(rounds * (CAPACITY - 1), stats.withdrawn);
	EXPECT_EQ(0, stats.dropped);
	ASSERT_EQ(CAPACITY, tw_read(self->fd, event, CAPACITY + 1));
	for (i = 0; i < CAPACITY; i++) {
		EXPECT_EQ(i + 1, event[i].sequence);
		EXPECT_EQ(0, event[i].dropped);
	}
	EXPECT_EQ(0, event[0].id);
}

/* Starts, resets and stops of few IDs with short timeouts, some periodic. */
static void *churn(void *arg)
{
	struct _test_data_policy *self = arg;
	struct twheel_start start = { 0 };
	struct twheel_reset reset = { 0 };
	__u64 seed = __atomic_add_fetch(&self->seed, 1, __ATOMIC_RELAXED);

	while (!__atomic_load_n(&self->stop, __ATOMIC_RELAXED)) {
		start.id = tw_below(&seed, 64);
		reset.id = tw_below(&seed, 64);
		start.time_ns = tw_below(&seed, 5 * TW_MS);
		start.interval_ns = tw_below(&seed, 8) ? 0 : 10 * TW_MS;
		tw_start(self->fd, &start);
		tw_reset(self->fd, &reset);
		if (!tw_below(&seed, 4))
			tw_stop(self->fd, tw_below(&seed, 64), NULL);
		if (!tw_below(&seed, 64))
			tw_sleep(tw_below(&seed, 4 * TW_MS));
	}
	return NULL;
}

/* Counts records whose sequence does not tell their loss. */
static void *read_stream(void *arg)
{
	struct _test_data_policy *self = arg;
	struct twheel_event event[3];
	__u64 last = 0;
	long wrong = 0;
	int got, i;

	while (!__atomic_load_n(&self->stop, __ATOMIC_RELAXED)) {
		if (tw_poll(self->fd, 10) != POLLIN)
			continue;
		got = tw_read(self->fd, event, ARRAY_SIZE(event));
		for (i = 0; i < got; i++) {
			wrong += event[i].sequence != last + event[i].dropped + 1;
			wrong += !event[i].dropped !=
				 !(event[i].flags & TWHEEL_EVENT_DROPPED);
			last = event[i].sequence;
		}
		tw_sleep(TW_MS);
	}
	return (void *)wrong;
}

/* Whether there was nothing yet to prove anything by. */
static bool too_quiet(const struct _fixture_variant_policy *variant,
		      const struct twheel_stats *stats)
{
	return stats->delivered < 100 || !stats->withdrawn ||
	       (variant->overflow != TWHEEL_HOLD && !stats->dropped);
}

TEST_F(policy, books_balance_at_any_moment)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	unsigned int i, samples = tw_scaled(5000), unbalanced = 0;
	struct twheel_stats stats, last = { 0 };
	pthread_t threads[3];
	void *wrong;

	self->seed = tw_seed();
	/* The reader may find nothing after poll, when a reset was faster. */
	ASSERT_EQ(0, tw_nonblock(self->fd));
	ASSERT_EQ(0, pthread_create(&threads[0], NULL, churn, self));
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, churn, self));
	ASSERT_EQ(0, pthread_create(&threads[2], NULL, read_stream, self));
	for (i = 0; i < samples || (too_quiet(variant, &last) && tw_now() < give_up);
	     i++) {
		ASSERT_EQ(0, tw_stats(self->fd, &stats));
		unbalanced += !tw_balanced(&stats) || stats.queued > CAPACITY ||
			      stats.expired < last.expired ||
			      stats.delivered < last.delivered ||
			      stats.withdrawn < last.withdrawn ||
			      stats.dropped < last.dropped;
		last = stats;
		if (i % 16 == 0)
			tw_sleep(100 * TW_US);
	}
	__atomic_store_n(&self->stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_join(threads[2], &wrong);
	EXPECT_EQ(0, unbalanced);
	EXPECT_NULL(wrong);
	EXPECT_FALSE(too_quiet(variant, &last));
	EXPECT_EQ(variant->overflow == TWHEEL_HOLD, last.dropped == 0);
}

TEST_HARNESS_MAIN
