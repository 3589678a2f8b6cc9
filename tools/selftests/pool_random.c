// SPDX-License-Identifier: GPL-2.0
/*
 * Whatever programs do with a pool of readers and with words, in whatever order and
 * at once: the books balance, and what cannot be does not come out.
 */
#include "twheel_words.h"

#define THREADS		3
#define OPERATIONS	20000
#define READERS		6
#define IDS		64
#define KEPT		16
/* Fewer than IDs, so that two want the same. */
#define WORDS		48

/**
 * struct shared - what the threads share
 * @fd: A descriptor that is no reader.
 * @leased: Expiries have to be acknowledged.
 * @reader: Readers; -1 for none.  Any thread may close any of them at any time.
 * @word: Words that timers can have; any thread may write anything to them.
 */
struct shared {
	int fd;
	bool leased;
	__u64 *word;
	int reader[READERS];
};

/**
 * struct actor - a thread that does anything
 * @shared: What it shares.
 * @thread: The thread.
 * @seed: What it does next.
 * @steps: How much it does.
 * @kept: Deliveries that it knows of, maybe old.
 * @nr_kept: How many there were ever.
 * @odd: How often something was that must not be.
 * @what: What it was, the first time.
 */
struct actor {
	struct shared *shared;
	pthread_t thread;
	__u64 seed;
	unsigned int steps;
	struct twheel_event kept[KEPT];
	unsigned int nr_kept;
	unsigned int odd;
	const char *what;
};

static void complain(struct actor *actor, const char *what)
{
	if (!actor->odd++)
		actor->what = what;
}

/* One of the readers, or the descriptor that is none. */
static int any_fd(struct actor *actor)
{
	struct shared *shared = actor->shared;
	int fd = __atomic_load_n(&shared->reader[tw_below(&actor->seed, READERS)],
				 __ATOMIC_RELAXED);

	return fd < 0 ? shared->fd : fd;
}

/* Another thread may have closed the descriptor, so EBADF is fine for all. */
static void expect(struct actor *actor, const char *what, int ret, int error,
		   int other)
{
	if (ret < 0 && ret != -EBADF && ret != error && ret != other)
		complain(actor, what);
}

static void keep(struct actor *actor, const struct twheel_event *event, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		if (event[i].id >= IDS || !event[i].attempt ||
		    !event[i].expirations ||
		    event[i].fired_ns < event[i].deadline_ns ||
		    !event[i].token == actor->shared->leased)
			complain(actor, "a record that cannot be");
		actor->kept[actor->nr_kept++ % KEPT] = event[i];
	}
}

static void start_one(struct actor *actor)
{
	struct twheel_start start = {
		.id = tw_below(&actor->seed, IDS),
		.time_ns = tw_below(&actor->seed, 3 * TW_MS),
	};

	switch (tw_below(&actor->seed, 4)) {
	case 0:
		start.interval_ns = 2 * TW_MS;
		break;
	case 1:
		start.flags = TWHEEL_MAPPED;
		start.word = tw_below(&actor->seed, WORDS);
	}
	expect(actor, "START", tw_start(any_fd(actor), &start), 0,
	       start.flags ? -EBUSY : 0);
}

static void store_something(struct actor *actor)
{
	__u64 *word = &actor->shared->word[tw_below(&actor->seed, WORDS)];

	switch (tw_below(&actor->seed, 4)) {
	case 0:
		tw_store(word, tw_below(&actor->seed, U64_MAX));
		break;
	case 1:
		tw_store(word, tw_now() + TW_MS - tw_below(&actor->seed, 4 * TW_MS));
		break;
	default:
		tw_touch(word);
	}
}

static void stop_one(struct actor *actor)
{
	__u64 id = tw_below(&actor->seed, IDS);

	expect(actor, "STOP", tw_stop(any_fd(actor), id, NULL), -ENOENT, 0);
}

static void reset_one(struct actor *actor)
{
	struct twheel_reset reset = { .id = tw_below(&actor->seed, IDS) };

	expect(actor, "RESET", tw_reset(any_fd(actor), &reset), -ENOENT, 0);
}

static void read_some(struct actor *actor)
{
	struct twheel_event event[8];
	int got = tw_read(any_fd(actor), event, 1 + tw_below(&actor->seed, 8));

	expect(actor, "read", got, -EAGAIN, -EINVAL);
	keep(actor, event, got);
}

/* It has expiries withdrawn that a store has overtaken. */
static void poll_one(struct actor *actor)
{
	if (tw_poll(any_fd(actor), 0) < 0)
		complain(actor, "poll");
}

static void drain_some(struct actor *actor)
{
	struct twheel_event event[8];
	int got = tw_drain(any_fd(actor), event, 1 + tw_below(&actor->seed, 8));

	expect(actor, "DRAIN", got, 0, 0);
	keep(actor, event, got);
}

/* Whoever has it: most often somebody else, or nobody any more. */
static void end_a_lease(struct actor *actor)
{
	const struct twheel_event *event = &actor->kept[tw_below(&actor->seed,
								 KEPT)];
	int fd = any_fd(actor), ret;

	switch (tw_below(&actor->seed, 4)) {
	case 0:
		ret = tw_reject(fd, event);
		break;
	case 1:
		ret = tw_extend(fd, event, 1 + tw_below(&actor->seed, TW_MS));
		break;
	default:
		ret = tw_ack(fd, event);
	}
	expect(actor, "ACK", ret, actor->shared->leased ? -ESTALE : -EINVAL, 0);
}

static void come_or_go(struct actor *actor)
{
	int *place = &actor->shared->reader[tw_below(&actor->seed, READERS)];
	__u32 flags = TWHEEL_READER_NONBLOCK;
	int fd = __atomic_exchange_n(place, -1, __ATOMIC_RELAXED), other;

	if (fd >= 0) {
		close(fd);
		return;
	}
	if (actor->shared->leased && !tw_below(&actor->seed, 4))
		flags |= TWHEEL_READER_DEAD;
	fd = tw_reader(actor->shared->fd, flags);
	expect(actor, "READER", fd, -ENOSPC, 0);
	if (fd < 0)
		return;
	other = __atomic_exchange_n(place, fd, __ATOMIC_RELAXED);
	if (other >= 0)
		close(other);
}

static void look(struct actor *actor)
{
	struct twheel_list_entry entry[IDS + 1];
	struct twheel_stats stats;

	if (tw_stats(actor->shared->fd, &stats))
		complain(actor, "STATS failed");
	if (stats.timers > IDS)
		complain(actor, "more timers than IDs");
	if (tw_list_all(actor->shared->fd, entry, IDS + 1, IDS + 1) < 0)
		complain(actor, "LIST failed");
	if (!tw_books_balance(actor->shared->fd))
		complain(actor, "the books do not balance");
}

static void *run_actor(void *arg)
{
	static void (*const acts[])(struct actor *actor) = {
		start_one, start_one, start_one, start_one, stop_one, reset_one,
		store_something, store_something, store_something,
		read_some, read_some, read_some, poll_one, drain_some, end_a_lease,
		end_a_lease, end_a_lease, come_or_go, look,
	};
	struct actor *actor = arg;

	while (actor->steps--)
		acts[tw_below(&actor->seed, ARRAY_SIZE(acts))](actor);
	return NULL;
}

FIXTURE(pool) {
	struct shared shared;
	struct actor actor[THREADS];
};

FIXTURE_VARIANT(pool) {
	__u32 dispatch;
	__u32 delivery;
	__u32 overflow;
	__u32 flags;
};

#define LEASED		.delivery = TWHEEL_AT_LEAST_ONCE
#define NEWEST		.overflow = TWHEEL_DROP_NEWEST
#define OLDEST		.overflow = TWHEEL_DROP_OLDEST
#define STEALING	.flags = TWHEEL_STEAL

FIXTURE_VARIANT_ADD(pool, shared) { TWHEEL_SHARED };
FIXTURE_VARIANT_ADD(pool, shared_that_drops) { TWHEEL_SHARED, NEWEST };
FIXTURE_VARIANT_ADD(pool, shared_and_leased) { TWHEEL_SHARED, LEASED };
FIXTURE_VARIANT_ADD(pool, in_turn) { TWHEEL_ROUND_ROBIN };
FIXTURE_VARIANT_ADD(pool, in_turn_that_drops) { TWHEEL_ROUND_ROBIN, OLDEST };
FIXTURE_VARIANT_ADD(pool, in_turn_and_leased) { TWHEEL_ROUND_ROBIN, LEASED };
FIXTURE_VARIANT_ADD(pool, stealing) { TWHEEL_ROUND_ROBIN, STEALING };
FIXTURE_VARIANT_ADD(pool, stealing_and_leased) { TWHEEL_ROUND_ROBIN, LEASED, STEALING };
FIXTURE_VARIANT_ADD(pool, stealing_that_drops) { TWHEEL_ROUND_ROBIN, NEWEST, STEALING };
FIXTURE_VARIANT_ADD(pool, by_id) { TWHEEL_BY_ID };
FIXTURE_VARIANT_ADD(pool, by_id_that_drops) { TWHEEL_BY_ID, OLDEST };
FIXTURE_VARIANT_ADD(pool, by_id_and_leased) { TWHEEL_BY_ID, LEASED };
FIXTURE_VARIANT_ADD(pool, copies) { TWHEEL_BROADCAST, OLDEST };
FIXTURE_VARIANT_ADD(pool, copies_and_newest_dropped) { TWHEEL_BROADCAST, NEWEST };

FIXTURE_SETUP(pool)
{
	bool leased = variant->delivery == TWHEEL_AT_LEAST_ONCE;
	struct twheel_setup setup = tw_leased(2 * TW_MS, 3);
	__u64 seed = tw_seed();
	unsigned int i;

	if (!leased)
		memset(&setup, 0, sizeof(setup));
	setup.dispatch = variant->dispatch;
	setup.overflow = variant->overflow;
	setup.flags = variant->flags | TWHEEL_CONTROL;
	setup.queue_len = 4;
	self->shared.leased = leased;
	self->shared.fd = tw_with_words(WORDS, setup);
	ASSERT_LE(0, self->shared.fd);
	self->shared.word = tw_map(self->shared.fd, WORDS);
	ASSERT_NE(NULL, self->shared.word);
	memset(self->shared.reader, -1, sizeof(self->shared.reader));
	for (i = 0; i < THREADS; i++) {
		self->actor[i].shared = &self->shared;
		self->actor[i].steps = tw_scaled(OPERATIONS);
		self->actor[i].seed = seed + i;
	}
}

FIXTURE_TEARDOWN(pool)
{
	munmap(self->shared.word, tw_map_size(WORDS));
	close(self->shared.fd);
}

/* When all have gone and all timers are stopped, nothing is left. */
static void expect_nothing_left(struct __test_metadata *_metadata,
				struct _test_data_pool *self)
{
	struct twheel_stats stats;
	unsigned int i;

	for (i = 0; i < READERS; i++)
		if (self->shared.reader[i] >= 0)
			close(self->shared.reader[i]);
	EXPECT_TRUE(tw_books_balance(self->shared.fd));
	for (i = 0; i < IDS; i++)
		tw_stop(self->shared.fd, i, NULL);
	ASSERT_EQ(0, tw_stats(self->shared.fd, &stats));
	EXPECT_EQ(0, stats.timers);
	EXPECT_EQ(0, stats.waiting);
	EXPECT_EQ(0, stats.in_flight);
	EXPECT_EQ(0, stats.dead);
	EXPECT_EQ(0, stats.readers);
	EXPECT_TRUE(tw_books_balance(self->shared.fd));
	/* Words are free again, whatever has become of the timers that had them. */
	for (i = 0; i < WORDS; i++)
		EXPECT_EQ(0, tw_start_mapped(self->shared.fd, i, TW_HOUR, i));
	TH_LOG("%llu expired, %llu delivered, %llu postponed", stats.expired,
	       stats.delivered, stats.postponed);
}

TEST_F(pool, has_books_that_balance_whatever_happens)
{
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&self->actor[i].thread, NULL,
					    run_actor, &self->actor[i]));
	for (i = 0; i < THREADS; i++) {
		pthread_join(self->actor[i].thread, NULL);
		EXPECT_EQ(0, self->actor[i].odd) {
			TH_LOG("%s", self->actor[i].what);
		}
	}
	expect_nothing_left(_metadata, self);
}

TEST_HARNESS_MAIN
