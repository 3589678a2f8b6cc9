// SPDX-License-Identifier: GPL-2.0
/*
 * Somebody stores anything anywhere: that postpones the timers that have these
 * words, for as long as he does, and disturbs no others; and calls go on as ever.
 */
#include "twheel_race.h"

#define WORDS		1024
#define ROOM		64

#define PLAIN		128
#define OWN		64	/* timers with words that nobody else writes to */
#define VICTIMS		64	/* timers with words that anybody writes to */
#define FIRST_VICTIM	(PLAIN + OWN)
#define ALL		(FIRST_VICTIM + VICTIMS)
#define ROUNDS		200

FIXTURE(vandal) {
	int fd;
	bool done;
	__u64 *word;
	__u64 seed;
	struct twheel_event event[ROOM];
	__u64 deadline[ALL];
	__u64 generation[ALL];
	unsigned int came[ALL];
	struct twheel_stats stats;
};

FIXTURE_SETUP(vandal)
{
	struct twheel_setup setup = { 0 };

	self->fd = tw_with_words(WORDS, setup);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_nonblock(self->fd));
	self->word = tw_map(self->fd, WORDS);
	ASSERT_NE(NULL, self->word);
	self->seed = tw_seed();
}

FIXTURE_TEARDOWN(vandal)
{
	munmap(self->word, tw_map_size(WORDS));
	close(self->fd);
}

/* The words of OWN are the first; of the others those of VICTIMS come next. */
static void *vandalize(void *arg)
{
	struct _test_data_vandal *self = arg;
	__u64 seed = self->seed + 1;

	run_on_processor(1);
	while (!is_set(&self->done))
		store_anything(&self->word[OWN + tw_below(&seed, WORDS - OWN)],
			       &seed);
	return NULL;
}

static bool start_all(struct _test_data_vandal *self)
{
	struct twheel_start start = { 0 };
	unsigned int id;

	memset(self->came, 0, sizeof(self->came));
	for (id = 0; id < ALL; id++) {
		start = (struct twheel_start) {
			.id = id,
			.time_ns = 1 + tw_below(&self->seed, 4 * TW_MS),
			.flags = id < PLAIN ? 0 : TWHEEL_MAPPED,
			.word = id < PLAIN ? 0 : id - PLAIN,
		};
		if (tw_start(self->fd, &start))
			return false;
		self->deadline[id] = start.deadline_ns;
		self->generation[id] = start.generation;
	}
	return true;
}

/* Words can only postpone, and only the timers that have them. */
static bool is_right(struct _test_data_vandal *self, const struct twheel_event *event)
{
	if (event->id >= ALL || self->came[event->id]++ ||
	    event->generation != self->generation[event->id] ||
	    event->fired_ns < event->deadline_ns)
		return false;
	if (event->id < FIRST_VICTIM)
		return event->deadline_ns == self->deadline[event->id];
	return event->deadline_ns >= self->deadline[event->id];
}

/* Until @want of the timers below @last have expired; false if one was wrong. */
static bool read_until(struct _test_data_vandal *self, unsigned int last)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	unsigned int id, come;
	int i, got;

	do {
		tw_poll(self->fd, 1);
		got = tw_read(self->fd, self->event, ROOM);
		for (i = 0; i < got; i++)
			if (!is_right(self, &self->event[i]))
				return false;
		for (come = 0, id = 0; id < last; id++)
			come += self->came[id];
	} while (come < last && tw_now() < give_up);
	return come == last;
}

TEST_F(vandal, disturbs_nobody_but_himself)
{
	unsigned int i, rounds = tw_scaled(ROUNDS);
	pthread_t thread;

	run_on_processor(0);
	for (i = 0; i < rounds; i++) {
		self->done = false;
		ASSERT_EQ(0, pthread_create(&thread, NULL, vandalize, self));
		EXPECT_TRUE(start_all(self));
		EXPECT_TRUE(read_until(self, FIRST_VICTIM));
		set(&self->done);
		pthread_join(thread, NULL);
		/* What he has left there does not postpone them for ever. */
		memset(self->word + OWN, 0, (WORDS - OWN) * sizeof(__u64));
		ASSERT_TRUE(read_until(self, ALL)) {
			TH_LOG("in round %u", i);
		}
		ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
		ASSERT_EQ(0, self->stats.timers);
		ASSERT_TRUE(tw_balanced(&self->stats));
	}
	TH_LOG("%llu postponed, %llu withdrawn", self->stats.postponed,
	       self->stats.withdrawn);
}

/* ---- a crowd that is postponed in each tick */

#define CROWD		4000

TEST(crowd_that_is_postponed_in_each_tick_leaves_others_their_turn)
{
	unsigned int i, crowd = tw_scaled(CROWD);
	struct twheel_setup setup = { 0 };
	struct twheel_event event;
	struct twheel_stats stats;
	int fd, other;
	__u64 *word;

	fd = tw_with_words(crowd, setup);
	ASSERT_LE(0, fd);
	word = tw_map(fd, crowd);
	ASSERT_NE(NULL, word);
	memset(word, 0xff, tw_map_size(crowd));
	for (i = 0; i < crowd; i++) {
		ASSERT_EQ(0, tw_start_mapped(fd, i, 1, i));
		tw_store(&word[i], TW_BUSY);
	}
	/* In this instance and in another one. */
	other = tw_open();
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, tw_after(fd, TW_SENTINEL, TW_MS));
		ASSERT_EQ(0, tw_after(other, TW_SENTINEL, TW_MS));
		ASSERT_EQ(1, tw_collect(fd, &event, 1));
		EXPECT_EQ(TW_SENTINEL, event.id);
		ASSERT_EQ(1, tw_collect(other, &event, 1));
	}
	ASSERT_EQ(0, tw_stats(fd, &stats));
	EXPECT_EQ(crowd, stats.timers);
	EXPECT_LE(crowd, stats.postponed);
	EXPECT_TRUE(tw_balanced(&stats));
	munmap(word, tw_map_size(crowd));
	close(other);
	close(fd);
}

/* ---- calls that race with stores */

#define TIMERS		32
#define OPERATIONS	60000

/**
 * struct score - what became of a timer, by whom it concerns
 * @armed: Armings that a start or reset began.
 * @ended: Armings that a call has ended; of the operator.
 * @fence: The last generation that a call has ended.
 * @came: Events; of the reader.
 */
struct score {
	unsigned int armed;
	unsigned int ended;
	__u64 fence;
	unsigned int came;
};

FIXTURE(calls) {
	int fd;
	bool done;
	bool over;		/* the operator has come to his end */
	__u64 *word;
	__u64 seed;
	struct score score[TIMERS];
	unsigned int failed;
	struct twheel_event event[ROOM];
	struct twheel_stats stats;
};

FIXTURE_SETUP(calls)
{
	struct twheel_setup setup = { .queue_len = 8 };

	self->fd = tw_with_words(WORDS, setup);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_nonblock(self->fd));
	self->word = tw_map(self->fd, WORDS);
	ASSERT_NE(NULL, self->word);
	self->seed = tw_seed();
}

FIXTURE_TEARDOWN(calls)
{
	munmap(self->word, tw_map_size(WORDS));
	close(self->fd);
}

static void *store_now_and_then(void *arg)
{
	struct _test_data_calls *self = arg;
	__u64 seed = self->seed + 1;

	run_on_processor(1);
	while (!is_set(&self->done))
		store_anything(&self->word[tw_below(&seed, TIMERS)], &seed);
	return NULL;
}

/* An arming has come to its end by a call, which has returned. */
static void end_arming(struct score *score, __u64 generation)
{
	score->ended++;
	__atomic_store_n(&score->fence, generation, __ATOMIC_RELEASE);
}

/* Start timer @id, or start it again; which was the last arming is in @last. */
static void start_once(struct _test_data_calls *self, unsigned int id, __u64 *last)
{
	struct twheel_start start = {
		.id = id,
		.time_ns = tw_below(&self->seed, 2 * TW_MS),
		.flags = TWHEEL_MAPPED,
		.word = id,
	};

	if (tw_start(self->fd, &start)) {
		self->failed++;
		return;
	}
	if (start.outcome != TWHEEL_WAS_FREE)
		end_arming(&self->score[id], *last);
	self->score[id].armed++;
	*last = start.generation;
}

static void reset_once(struct _test_data_calls *self, unsigned int id, __u64 *last)
{
	struct twheel_reset reset = { .id = id };
	int ret = tw_reset(self->fd, &reset);

	if (ret == -ENOENT)
		return;
	if (ret) {
		self->failed++;
		return;
	}
	end_arming(&self->score[id], *last);
	self->score[id].armed++;
	*last = reset.generation;
}

static void stop_once(struct _test_data_calls *self, unsigned int id, __u64 last)
{
	struct twheel_stop stop;
	int ret = tw_stop(self->fd, id, &stop);

	if (ret == -ENOENT)
		return;
	if (ret || stop.generation != last)
		self->failed++;
	else
		end_arming(&self->score[id], last);
}

static void *operate(void *arg)
{
	struct _test_data_calls *self = arg;
	unsigned int i, id, nr = tw_scaled(OPERATIONS);
	__u64 last[TIMERS] = { 0 };

	for (i = 0; i < nr; i++) {
		id = tw_below(&self->seed, TIMERS);
		switch (tw_below(&self->seed, 4)) {
		case 0:
			stop_once(self, id, last[id]);
			break;
		case 1:
			reset_once(self, id, &last[id]);
			break;
		default:
			start_once(self, id, &last[id]);
		}
		if (!tw_below(&self->seed, 16))
			tw_sleep(tw_below(&self->seed, TW_MS));
	}
	set(&self->over);
	return NULL;
}

/* Read; how many records were of an arming that had ended before. */
static unsigned int read_behind_fence(struct _test_data_calls *self)
{
	__u64 fence[TIMERS];
	unsigned int id, wrong = 0;
	int i, got;

	tw_poll(self->fd, 1);
	for (id = 0; id < TIMERS; id++)
		fence[id] = __atomic_load_n(&self->score[id].fence,
					    __ATOMIC_ACQUIRE);
	got = tw_read(self->fd, self->event, ROOM);
	for (i = 0; i < got; i++) {
		id = self->event[i].id;
		wrong += id >= TIMERS || self->event[i].generation <= fence[id] ||
			 self->event[i].fired_ns < self->event[i].deadline_ns;
		self->score[id % TIMERS].came++;
	}
	return wrong;
}

TEST_F(calls, each_arming_ends_by_a_call_or_with_one_event)
{
	__u64 give_up;
	unsigned int id, wrong = 0;
	pthread_t storer, operator;

	ASSERT_EQ(0, pthread_create(&storer, NULL, store_now_and_then, self));
	ASSERT_EQ(0, pthread_create(&operator, NULL, operate, self));
	while (!is_set(&self->over))
		wrong += read_behind_fence(self);
	pthread_join(operator, NULL);
	set(&self->done);
	pthread_join(storer, NULL);
	memset(self->word, 0, TIMERS * sizeof(__u64));
	give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	do {
		wrong += read_behind_fence(self);
		ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	} while (self->stats.timers && tw_now() < give_up);
	EXPECT_EQ(0, self->stats.timers);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, self->failed);
	for (id = 0; id < TIMERS; id++)
		EXPECT_EQ(self->score[id].armed,
			  self->score[id].ended + self->score[id].came);
	EXPECT_TRUE(tw_balanced(&self->stats));
	TH_LOG("%llu started, %llu delivered, %llu postponed, %llu withdrawn",
	       self->stats.started, self->stats.delivered, self->stats.postponed,
	       self->stats.withdrawn);
}

TEST_HARNESS_MAIN
