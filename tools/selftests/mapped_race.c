// SPDX-License-Identifier: GPL-2.0
/*
 * Stores against reads, on two processors: no event of a timer whose word was
 * fresh when the read began, and exactly one when the stores have come to an end.
 */
#include "twheel_race.h"

#define STORES		1000000
#define TIMERS		32
#define WORDS		1024
/* Stores to the same half of the timers; the others have time to expire. */
#define PHASE		300
/* And so have all between two phases, at most this long. */
#define PAUSE		(200 * TW_US)
#define ROOM		64

/* Short, so that some expire in each phase. */
static __u64 timeout_of(__u64 id)
{
	return (1 + id % 8) * 50 * TW_US;
}

/**
 * struct shot - a timer, as its reader knows it
 * @generation: Its arming; 0: it is not running.
 * @noted: Its word, just before the read.
 * @started: Number of its armings.
 * @came: Number of its events.
 */
struct shot {
	__u64 generation;
	__u64 noted;
	unsigned int started;
	unsigned int came;
};

FIXTURE(race) {
	int fd;
	bool leased;
	bool enough;		/* it was a race: some were overtaken, some not */
	bool done;		/* the stores have come to an end */
	__u64 *word;
	__u64 seed;
	struct shot shot[TIMERS];
	struct twheel_event event[ROOM];
	struct twheel_stats stats;
	unsigned int early;	/* events that came though the word was fresh */
	unsigned int odd;	/* events that cannot be */
};

FIXTURE_VARIANT(race) {
	__u32 dispatch;
	__u32 delivery;
	__u32 overflow;
	__u32 queue_len;
	unsigned int stores;
};

FIXTURE_VARIANT_ADD(race, roomy_queue) {
	.queue_len = 2 * TIMERS,
	.stores = STORES,
};

FIXTURE_VARIANT_ADD(race, tight_queue) {
	.queue_len = 4,
	.stores = STORES / 4,
};

FIXTURE_VARIANT_ADD(race, leased) {
	.delivery = TWHEEL_AT_LEAST_ONCE,
	.stores = STORES / 4,
};

FIXTURE_VARIANT_ADD(race, own_line) {
	.dispatch = TWHEEL_BY_ID,
	.queue_len = 4,
	.stores = STORES / 4,
};

FIXTURE_VARIANT_ADD(race, copies) {
	.dispatch = TWHEEL_BROADCAST,
	.overflow = TWHEEL_DROP_OLDEST,
	.stores = STORES / 4,
};

FIXTURE_SETUP(race)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);
	struct twheel_info info;

	self->leased = variant->delivery == TWHEEL_AT_LEAST_ONCE;
	if (!self->leased)
		memset(&setup, 0, sizeof(setup));
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_info(self->fd, &info));
	/* The finest tick: more looks to race with. */
	setup.tick_shift = info.tick_shift_min;
	setup.dispatch = variant->dispatch;
	setup.overflow = variant->overflow;
	setup.queue_len = variant->queue_len;
	setup.map_words = WORDS;
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(0, tw_nonblock(self->fd));
	self->word = tw_map(self->fd, WORDS);
	ASSERT_NE(NULL, self->word);
	self->seed = tw_seed();
}

FIXTURE_TEARDOWN(race)
{
	munmap(self->word, tw_map_size(WORDS));
	close(self->fd);
}

/* What a server does for each message: @nr times at least, to some connections. */
struct storer {
	struct _test_data_race *race;
	unsigned int nr;
	__u64 seed;
};

static void *store(void *arg)
{
	struct storer *storer = arg;
	__u32 busy = 0;
	unsigned int i, id;

	run_on_processor(1);
	for (i = 0; i < storer->nr || !is_set(&storer->race->enough); i++) {
		if (!(i % PHASE)) {
			busy = tw_random(&storer->seed);
			tw_spin_until(tw_now() + tw_below(&storer->seed, PAUSE));
		}
		id = tw_below(&storer->seed, TIMERS);
		/* Whoever is not busy is left alone, but now and then. */
		if (!(busy & 1U << id))
			id = i % 64 ? (unsigned int)__builtin_ctz(busy | 1U << 31) : id;
		tw_touch(&storer->race->word[id]);
	}
	storer->nr = i;
	set(&storer->race->done);
	return NULL;
}

static bool start(struct _test_data_race *self, __u64 id)
{
	struct twheel_start start = {
		.id = id,
		.time_ns = timeout_of(id),
		.flags = TWHEEL_MAPPED,
		.word = id,
	};

	if (tw_start(self->fd, &start) || start.outcome != TWHEEL_WAS_FREE)
		return false;
	self->shot[id].generation = start.generation;
	self->shot[id].started++;
	return true;
}

static void note_words(struct _test_data_race *self)
{
	unsigned int id;

	for (id = 0; id < TIMERS; id++)
		self->shot[id].noted = tw_load_word(&self->word[id]);
}

/*
 * An event of a timer with word w and timeout t is right if, and only if, its
 * deadline is at least w + t for every w that was in the word when the read began,
 * and it did not fire before its deadline.
 *
 * The kernel looks at the word after the read has begun, and hands the event over
 * only if min(word, now) + t is not behind the deadline of the timer, which the
 * event then reports.  So what has to be shown is that it has seen w or something
 * later, and that w is not later than its now.
 *
 * - This thread has loaded w before it called read(), so the kernel's load of the
 *   same word, which comes after that in the same thread, cannot see an older
 *   value than w in the order in which the word was written (coherence).
 * - Only two write to it.  The storer writes what its clock shows, in that order,
 *   so whatever it has written after w is not smaller.  A start writes as well, but
 *   this thread makes the starts, and none is between its load and its read.
 *   The storer may have written a time from before the last start after it; then
 *   the word has become smaller, but w, if it is that of the start, counts in the
 *   deadline that the start has set, below which no look brings it.
 * - w was read from the same clock before this thread has loaded it, so it is not
 *   later than the kernel's now.
 *
 * Nothing here says how late an event may be.
 */
static bool is_early(const struct shot *shot, const struct twheel_event *event)
{
	return event->deadline_ns < shot->noted + timeout_of(event->id) ||
	       event->fired_ns < event->deadline_ns;
}

/* Whether there can be such an event at all: one for each arming. */
static bool is_odd(struct _test_data_race *self, const struct twheel_event *event)
{
	return event->id >= TIMERS || event->expirations != 1 ||
	       event->attempt != 1 || event->dropped ||
	       event->generation != self->shot[event->id].generation;
}

static void take(struct _test_data_race *self, const struct twheel_event *event)
{
	struct shot *shot;

	if (is_odd(self, event)) {
		self->odd++;
		return;
	}
	shot = &self->shot[event->id];
	self->early += is_early(shot, event);
	shot->came++;
	shot->generation = 0;
	if (self->leased && tw_ack(self->fd, event) != TWHEEL_FREE)
		self->odd++;
}

/* Note, then read: how many came. */
static int note_and_read(struct _test_data_race *self, unsigned int room)
{
	int i, got;

	note_words(self);
	if (tw_below(&self->seed, 8))
		got = tw_read(self->fd, self->event, room);
	else
		got = tw_drain(self->fd, self->event, room);
	for (i = 0; i < got; i++)
		take(self, &self->event[i]);
	return got;
}

/* Whoever has expired is started again. */
static bool restart_all(struct _test_data_race *self)
{
	unsigned int id;

	for (id = 0; id < TIMERS; id++)
		if (!self->shot[id].generation && !start(self, id))
			return false;
	return true;
}

/* Or nothing will come of it, on a machine that has no time for both. */
static void see_whether_enough(struct _test_data_race *self, __u64 give_up)
{
	struct twheel_stats stats;

	if (is_set(&self->enough) || tw_stats(self->fd, &stats))
		return;
	if ((stats.delivered > TIMERS && stats.withdrawn) || tw_now() > give_up)
		set(&self->enough);
}

static bool read_while_stored(struct _test_data_race *self)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;

	while (!is_set(&self->done)) {
		see_whether_enough(self, give_up);
		/* So that expiries wait, and are overtaken. */
		if (!tw_below(&self->seed, 4))
			tw_spin_until(tw_now() + tw_below(&self->seed, PAUSE));
		else if (!tw_below(&self->seed, 2))
			tw_poll(self->fd, 1);
		note_and_read(self, 1 + tw_below(&self->seed, ROOM));
		if (self->odd || !restart_all(self))
			return false;
	}
	return true;
}

/* The stores are over: each timer that runs has exactly one event to come. */
static bool read_the_rest(struct _test_data_race *self)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	unsigned int id, running;

	do {
		tw_poll(self->fd, 100);
		note_and_read(self, ROOM);
		for (running = 0, id = 0; id < TIMERS; id++)
			running += !!self->shot[id].generation;
	} while (running && tw_now() < give_up);
	return !running;
}

TEST_F(race, no_event_of_a_timer_whose_word_was_fresh_when_the_read_began)
{
	struct storer storer = {
		.race = self,
		.nr = tw_scaled(variant->stores),
		.seed = self->seed + 1,
	};
	unsigned int id, events = 0;
	pthread_t thread;

	run_on_processor(0);
	ASSERT_TRUE(restart_all(self));
	ASSERT_EQ(0, pthread_create(&thread, NULL, store, &storer));
	EXPECT_TRUE(read_while_stored(self));
	set(&self->enough);
	pthread_join(thread, NULL);
	EXPECT_TRUE(read_the_rest(self));
	EXPECT_EQ(0, self->early);
	EXPECT_EQ(0, self->odd);
	EXPECT_EQ(0, tw_poll(self->fd, 0));
	for (id = 0; id < TIMERS; id++) {
		EXPECT_EQ(self->shot[id].started, self->shot[id].came);
		events += self->shot[id].came;
	}
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.timers);
	EXPECT_EQ(0, self->stats.dropped);
	EXPECT_EQ(events, self->stats.delivered);
	EXPECT_TRUE(tw_balanced(&self->stats));
	EXPECT_TRUE(tw_books_balance(self->fd));
	TH_LOG("%u stores: %u events, %llu postponed, %llu withdrawn",
	       storer.nr, events, self->stats.postponed, self->stats.withdrawn);
}

TEST_HARNESS_MAIN
