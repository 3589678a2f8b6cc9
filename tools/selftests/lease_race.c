// SPDX-License-Identifier: GPL-2.0
/*
 * Acknowledgements that race each other, the end of their lease, or a stop: of
 * each expiry, exactly one of them wins.
 */
#include "twheel_pool.h"

#define ROUNDS	10000
#define BATCH	64
/* What is started at most until a lease has run out. */
#define MOST(count)	(100 * (count))

/**
 * struct rival - a thread with a reader of its own
 * @fd: The reader.
 * @aim: When it acknowledges.
 * @winner: How often each ID was acknowledged, by any of them.
 * @most: How many IDs there are at most.
 * @thread: The thread.
 * @stale: How often it came too late.
 * @odd: Answers that are neither, and attempts that cannot be.
 */
struct rival {
	int fd;
	struct tw_race aim;
	__u8 *winner;
	unsigned int most;
	pthread_t thread;
	unsigned int stale;
	unsigned int odd;
};

static void acknowledge(struct rival *rival, const struct twheel_event *event)
{
	int ret = tw_ack(rival->fd, event);

	rival->stale += ret == -ESTALE;
	if (event->id >= rival->most || !event->attempt ||
	    (ret && ret != -ESTALE))
		rival->odd++;
	else if (!ret)
		__atomic_fetch_add(&rival->winner[event->id], 1,
				   __ATOMIC_RELAXED);
}

/* Acknowledges what it reads, about when the lease ends; up to the end of file. */
static void *run_rival(void *arg)
{
	struct rival *rival = arg;
	struct twheel_event event[BATCH];
	unsigned int i, count, stale;
	__u64 when[BATCH];
	ssize_t got;

	while ((got = read(rival->fd, event, sizeof(event))) > 0) {
		count = got / sizeof(*event);
		stale = rival->stale;
		rival->odd += !tw_race_begin(&rival->aim, rival->fd, event,
					     count, when);
		for (i = 0; i < count; i++) {
			tw_spin_until(when[i]);
			acknowledge(rival, &event[i]);
		}
		tw_race_end(&rival->aim, count, rival->stale - stale);
	}
	rival->odd += got < 0;
	return NULL;
}

/*
 * Keep the timers coming: @count of them, and more until a lease has run out.
 * Returns how many.
 */
static unsigned int start_all(int fd, unsigned int count)
{
	struct twheel_stats stats = { 0 };
	unsigned int id = 0;

	while (id < count || (!stats.lapsed && id < MOST(count))) {
		if (tw_stats(fd, &stats))
			break;
		for (; id < MOST(count) && id < stats.delivered + 4 * BATCH; id++)
			if (tw_after(fd, id, 0))
				return id;
		tw_sleep(100 * TW_US);
	}
	return id;
}

TEST(two_readers_race_the_end_of_the_lease)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);
	unsigned int i, rounds = tw_scaled(ROUNDS), count, once = 0;
	__u8 *winner = calloc(MOST(rounds), 1);
	struct twheel_stats stats;
	struct rival rival[2];
	int fd;

	ASSERT_NE(NULL, winner);
	setup.tick_shift = 15;
	setup.flags = TWHEEL_CONTROL;
	fd = tw_pool(setup);
	ASSERT_LE(0, fd);
	for (i = 0; i < 2; i++) {
		rival[i] = (struct rival) {
			.fd = tw_reader(fd, 0),
			.aim = TW_RACE_FIRST,
			.winner = winner,
			.most = MOST(rounds),
		};
		ASSERT_LE(0, rival[i].fd);
		ASSERT_EQ(0, pthread_create(&rival[i].thread, NULL, run_rival,
					    &rival[i]));
	}
	count = start_all(fd, rounds);
	EXPECT_LE(rounds, count);
	ASSERT_TRUE(tw_await(fd, TW_STAT(expired), count));
	ASSERT_EQ(0, tw_shutdown(fd, NULL));
	for (i = 0; i < 2; i++) {
		pthread_join(rival[i].thread, NULL);
		EXPECT_EQ(0, rival[i].odd);
		close(rival[i].fd);
	}
	for (i = 0; i < count; i++)
		once += winner[i] == 1;
	EXPECT_EQ(count, once);
	ASSERT_EQ(0, tw_stats(fd, &stats));
	EXPECT_EQ(count, stats.delivered);
	EXPECT_EQ(rival[0].stale + rival[1].stale, stats.lapsed);
	EXPECT_EQ(stats.lapsed, stats.redelivered);
	EXPECT_LT(0, stats.lapsed);
	EXPECT_TRUE(tw_books_balance(fd));
	TH_LOG("%u acknowledged, %llu too late", count, stats.lapsed);
	close(fd);
	free(winner);
}

/* Who begins a round, and what the one in the other thread did in it. */
struct duel {
	int fd;
	unsigned int rounds;
	pthread_t thread;
	pthread_barrier_t barrier;
	int stopped;
	struct twheel_stop stop;
};

static void *stop_each(void *arg)
{
	struct duel *duel = arg;
	unsigned int round;

	for (round = 0; round < duel->rounds; round++) {
		pthread_barrier_wait(&duel->barrier);
		duel->stopped = tw_stop(duel->fd, 1, &duel->stop);
		pthread_barrier_wait(&duel->barrier);
	}
	return NULL;
}

TEST(acknowledgement_races_a_stop)
{
	struct duel duel = { .rounds = tw_scaled(ROUNDS) };
	unsigned int round, acked = 0, stopped = 0, both = 0;
	struct twheel_event event;
	struct twheel_stats stats;
	__u64 seed = tw_seed();
	int ret;

	duel.fd = tw_pool(tw_leased(TW_HOUR, 0));
	ASSERT_LE(0, duel.fd);
	ASSERT_EQ(0, pthread_barrier_init(&duel.barrier, NULL, 2));
	ASSERT_EQ(0, pthread_create(&duel.thread, NULL, stop_each, &duel));
	for (round = 0; round < duel.rounds; round++) {
		ASSERT_EQ(0, tw_after(duel.fd, 1, 0));
		ASSERT_EQ(1, tw_read(duel.fd, &event, 1));
		pthread_barrier_wait(&duel.barrier);
		tw_spin_until(tw_now() + tw_below(&seed, 20 * TW_US));
		ret = tw_ack(duel.fd, &event);
		pthread_barrier_wait(&duel.barrier);
		acked += ret == TWHEEL_FREE && duel.stopped == -ENOENT;
		stopped += ret == -ESTALE && !duel.stopped &&
			   duel.stop.outcome == TWHEEL_WAS_DELIVERED;
		both += !ret && !duel.stopped;
	}
	pthread_join(duel.thread, NULL);
	EXPECT_EQ(0, both);
	EXPECT_EQ(duel.rounds, acked + stopped);
	ASSERT_EQ(0, tw_stats(duel.fd, &stats));
	EXPECT_EQ(acked, stats.delivered);
	EXPECT_EQ(stopped, stats.withdrawn);
	EXPECT_EQ(0, stats.timers);
	TH_LOG("%u acknowledged, %u stopped", acked, stopped);
	close(duel.fd);
}

TEST_HARNESS_MAIN
