// SPDX-License-Identifier: GPL-2.0
/*
 * LIST beside everything else: timers that live through a listing are in it
 * exactly once, and nothing is in it twice, while the table of timers grows and
 * shrinks under it, timers expire, signals come, and others list as well.
 */
#include "twheel_test.h"

#define SURVIVORS	500	/* IDs from 0 */
#define PASSING		4000	/* IDs that come and go, from SURVIVORS */
#define CHURNERS	2
#define MOST		(SURVIVORS + (CHURNERS + 1) * PASSING)
#define ROOM		(MOST + 1000)

FIXTURE(beside) {
	int fd;
	__u64 seed;
	struct twheel_list_entry *entries;
	struct twheel_op *ops;
	struct twheel_result *results;
	struct twheel_stats stats;
};

FIXTURE_SETUP(beside)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	self->entries = malloc(ROOM * sizeof(*self->entries));
	self->ops = calloc(MOST, sizeof(*self->ops));
	self->results = calloc(MOST, sizeof(*self->results));
	ASSERT_NE(NULL, self->entries);
	ASSERT_NE(NULL, self->ops);
	ASSERT_NE(NULL, self->results);
	self->seed = tw_seed();
	tw_fill_ops(self->ops, SURVIVORS, TWHEEL_OP_START, 0);
	ASSERT_EQ(SURVIVORS, tw_submit_all(self->fd, self->ops, self->results,
					   SURVIVORS));
}

FIXTURE_TEARDOWN(beside)
{
	free(self->entries);
	free(self->ops);
	free(self->results);
	close(self->fd);
}

/* All operations of one kind for IDs from @first; false if one failed. */
static bool do_many(struct _test_data_beside *self, __u32 opcode, __u64 first,
		    unsigned int count)
{
	tw_fill_ops(self->ops, count, opcode, first);
	return tw_submit_all(self->fd, self->ops, self->results, count) == (int)count &&
	       tw_count_errors(self->results, count, 0) == count;
}

/* What is wrong with a listing of @listed entries; NULL if nothing is. */
static const char *wrong_with(const struct twheel_list_entry *entries, int listed)
{
	unsigned char *seen;
	const char *wrong = NULL;
	int i;

	if (listed < 0)
		return "it failed";
	seen = calloc(1, MOST);
	for (i = 0; i < listed; i++) {
		if (entries[i].id >= MOST)
			wrong = "it shows a timer that there never was";
		else if (seen[entries[i].id]++)
			wrong = "it shows a timer twice";
	}
	for (i = 0; i < SURVIVORS; i++) {
		if (!seen[i])
			wrong = "it misses a timer that was there all the time";
	}
	free(seen);
	return wrong;
}

/* Between two pages: passing timers come or go, and survivors move. */
static bool churn_once(struct _test_data_beside *self, unsigned int step)
{
	unsigned int first = tw_below(&self->seed, SURVIVORS - 50);
	__u32 again = step % 4 < 2 ? TWHEEL_OP_RESET : TWHEEL_OP_START;
	__u32 passing = step % 2 ? TWHEEL_OP_STOP : TWHEEL_OP_START;

	return do_many(self, again, first, 50) &&
	       do_many(self, passing, SURVIVORS, PASSING);
}

/* A listing in pages of @page, with churn between them. */
static int list_with_churn(struct _test_data_beside *self, unsigned int page,
			   unsigned int *steps)
{
	struct twheel_list list = { 0 };
	unsigned int have = 0;

	do {
		if (tw_list(self->fd, &list, self->entries + have, page) ||
		    !churn_once(self, (*steps)++))
			return -1;
		have += list.count;
		if (have + page > ROOM)
			return -ENOBUFS;
	} while (list.more);
	return have;
}

TEST_F(beside, growth_and_shrinking_between_pages_is_complete)
{
	unsigned int round, rounds = tw_scaled(20), steps = 0;
	const char *wrong;
	int listed;

	for (round = 0; round < rounds; round++) {
		listed = list_with_churn(self, 5 + tw_below(&self->seed, 60), &steps);
		wrong = wrong_with(self->entries, listed);
		EXPECT_EQ(NULL, wrong) {
			TH_LOG("listing %u: %s", round, wrong);
		}
	}
	/* So the table grew and shrank during each listing. */
	TH_LOG("%u times between pages", steps);
	EXPECT_LT(2 * rounds, steps);
}

/* The timer that was listed last is stopped: the next page begins behind it. */
TEST_F(beside, stops_of_what_was_just_listed_is_complete)
{
	struct twheel_list list = { 0 };
	unsigned int i, have = 0, stopped = 0;

	ASSERT_TRUE(do_many(self, TWHEEL_OP_START, SURVIVORS, PASSING));
	do {
		ASSERT_EQ(0, tw_list(self->fd, &list, self->entries + have, 3));
		for (i = have; i < have + list.count; i++) {
			if (self->entries[i].id < SURVIVORS)
				continue;
			ASSERT_EQ(0, tw_stop(self->fd, self->entries[i].id, NULL));
			stopped++;
		}
		have += list.count;
		ASSERT_GE(SURVIVORS + PASSING, have);
	} while (list.more);
	EXPECT_EQ(PASSING, stopped);
	EXPECT_EQ(NULL, wrong_with(self->entries, have));
}

/* A thread that lets timers come and go until it is told to end. */
struct churner {
	pthread_t thread;
	struct _test_data_beside data;
	unsigned int number;
	unsigned int rounds;
	bool failed;
};

static bool keep_churning;

static void *churn(void *arg)
{
	struct churner *churner = arg;
	struct _test_data_beside *self = &churner->data;
	__u64 first = SURVIVORS + churner->number * PASSING;
	__u32 again = churner->number ? TWHEEL_OP_START : TWHEEL_OP_RESET;

	while (__atomic_load_n(&keep_churning, __ATOMIC_RELAXED)) {
		if (!do_many(self, TWHEEL_OP_START, first, PASSING) ||
		    !do_many(self, again, 0, SURVIVORS) ||
		    !do_many(self, TWHEEL_OP_STOP, first, PASSING))
			churner->failed = true;
		churner->rounds++;
	}
	return NULL;
}

static bool start_churners(struct _test_data_beside *self, struct churner *churners)
{
	unsigned int i;

	keep_churning = true;
	for (i = 0; i < CHURNERS; i++) {
		churners[i] = (struct churner) { .data = *self, .number = i };
		churners[i].data.ops = calloc(PASSING, sizeof(*self->ops));
		churners[i].data.results = calloc(PASSING, sizeof(*self->results));
		if (pthread_create(&churners[i].thread, NULL, churn, &churners[i]))
			return false;
	}
	return true;
}

/* Returns whether all that they did succeeded. */
static bool end_churners(struct churner *churners)
{
	bool failed = false;
	unsigned int i;

	__atomic_store_n(&keep_churning, false, __ATOMIC_RELAXED);
	for (i = 0; i < CHURNERS; i++) {
		pthread_join(churners[i].thread, NULL);
		free(churners[i].data.ops);
		free(churners[i].data.results);
		failed |= churners[i].failed;
	}
	return !failed;
}

TEST_F(beside, two_threads_of_starts_and_stops_is_complete)
{
	unsigned int round, page, rounds = tw_scaled(60);
	struct churner churners[CHURNERS];
	const char *wrong;

	ASSERT_TRUE(start_churners(self, churners));
	for (round = 0; round < rounds; round++) {
		page = 1 + tw_below(&self->seed, 100);
		wrong = wrong_with(self->entries,
				   tw_list_all(self->fd, self->entries, ROOM, page));
		EXPECT_EQ(NULL, wrong) {
			TH_LOG("listing %u, pages of %u: %s", round, page, wrong);
		}
	}
	EXPECT_TRUE(end_churners(churners));
	TH_LOG("%u and %u rounds of starts and stops meanwhile",
	       churners[0].rounds, churners[1].rounds);
}

struct lister {
	pthread_t thread;
	int fd;
	__u64 seed;
	struct twheel_list_entry *entries;
	unsigned int rounds;
	const char *wrong;
};

static void *list_often(void *arg)
{
	struct lister *lister = arg;
	int listed;

	while (lister->rounds-- && !lister->wrong) {
		listed = tw_list_all(lister->fd, lister->entries, ROOM,
				     1 + tw_below(&lister->seed, 300));
		lister->wrong = wrong_with(lister->entries, listed);
	}
	return NULL;
}

TEST_F(beside, another_listing_is_complete)
{
	struct lister listers[2];
	struct churner churners[CHURNERS];
	unsigned int i;

	ASSERT_TRUE(start_churners(self, churners));
	for (i = 0; i < 2; i++) {
		listers[i] = (struct lister) {
			.fd = self->fd,
			.seed = self->seed + i,
			.entries = calloc(ROOM, sizeof(*self->entries)),
			.rounds = tw_scaled(40),
		};
		ASSERT_EQ(0, pthread_create(&listers[i].thread, NULL, list_often,
					    &listers[i]));
	}
	for (i = 0; i < 2; i++) {
		pthread_join(listers[i].thread, NULL);
		EXPECT_EQ(NULL, listers[i].wrong) {
			TH_LOG("lister %u: %s", i, listers[i].wrong);
		}
		free(listers[i].entries);
	}
	EXPECT_TRUE(end_churners(churners));
}

/* Reads what expires until the sentinel comes. */
static void *read_all(void *arg)
{
	struct twheel_event events[64];
	int fd = *(int *)arg, i, got;

	for (;;) {
		got = tw_read(fd, events, ARRAY_SIZE(events));
		for (i = 0; i < got; i++) {
			if (events[i].id == TW_SENTINEL)
				return NULL;
		}
		if (got <= 0)
			return "a read failed";
	}
}

/* Survivors that are periodic, and others that expire and are gone. */
static bool start_expiring(struct _test_data_beside *self)
{
	unsigned int i;

	tw_fill_ops(self->ops, SURVIVORS + PASSING, TWHEEL_OP_START, 0);
	for (i = 0; i < SURVIVORS + PASSING; i++) {
		self->ops[i].time_ns = 1 + tw_below(&self->seed, 200 * TW_MS);
		if (i < SURVIVORS)
			self->ops[i].interval_ns = 20 * TW_MS;
	}
	return tw_submit_all(self->fd, self->ops, self->results,
			     SURVIVORS + PASSING) == SURVIVORS + PASSING;
}

TEST_F(beside, expiry_and_delivery_is_complete)
{
	unsigned int round, rounds = tw_scaled(20);
	const char *wrong;
	pthread_t reader;
	void *failed;

	ASSERT_EQ(0, pthread_create(&reader, NULL, read_all, &self->fd));
	for (round = 0; round < rounds; round++) {
		ASSERT_TRUE(start_expiring(self));
		wrong = wrong_with(self->entries,
				   tw_list_all(self->fd, self->entries, ROOM, 16));
		EXPECT_EQ(NULL, wrong) {
			TH_LOG("listing %u: %s", round, wrong);
		}
	}
	ASSERT_TRUE(do_many(self, TWHEEL_OP_STOP, 0, SURVIVORS));
	ASSERT_EQ(0, tw_at(self->fd, TW_SENTINEL, tw_now()));
	pthread_join(reader, &failed);
	EXPECT_EQ(NULL, failed);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	TH_LOG("%llu expiries meanwhile", (long long)self->stats.expired);
	EXPECT_LT(0, self->stats.delivered);
	EXPECT_TRUE(tw_balanced(&self->stats));
}

/* They may end a page early, and then the next one goes on. */
TEST_F(beside, signals_is_complete)
{
	unsigned int round, rounds = tw_scaled(50);
	const char *wrong;

	ASSERT_TRUE(do_many(self, TWHEEL_OP_START, SURVIVORS, 3 * PASSING));
	ASSERT_EQ(0, tw_alarm_often(true));
	for (round = 0; round < rounds; round++) {
		wrong = wrong_with(self->entries,
				   tw_list_all(self->fd, self->entries, ROOM,
					       ROOM - 1));
		EXPECT_EQ(NULL, wrong) {
			TH_LOG("listing %u: %s", round, wrong);
		}
	}
	ASSERT_EQ(0, tw_alarm_often(false));
	TH_LOG("%u signals", tw_alarms);
}

TEST_F(beside, signals_ends_a_page_early)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	struct twheel_list list;

	ASSERT_TRUE(do_many(self, TWHEEL_OP_START, SURVIVORS, 3 * PASSING));
	ASSERT_EQ(0, tw_alarm_often(true));
	do {
		memset(&list, 0, sizeof(list));
		ASSERT_EQ(0, tw_list(self->fd, &list, self->entries, ROOM));
	} while (!list.more && tw_now() < give_up);
	ASSERT_EQ(0, tw_alarm_often(false));
	EXPECT_EQ(1, list.more);
	EXPECT_GT(SURVIVORS + 3 * PASSING, list.count);
}

TEST_HARNESS_MAIN
