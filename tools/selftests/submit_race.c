// SPDX-License-Identifier: GPL-2.0
/*
 * SUBMIT beside signals, other threads and readers, at the limits, and with very
 * many timers: each operation is carried out once, and the books balance.
 */
#include "twheel_sys.h"

#define MANY		TWHEEL_SUBMIT_MAX
#define MILLION		1000000
#define ROUND		256	/* timers that are stopped in one batch */
#define ROUNDS		100

FIXTURE(batch) {
	int fd;
	__u64 seed;
	struct twheel_op *ops;
	struct twheel_result *results;
	struct twheel_stats stats;
};

FIXTURE_SETUP(batch)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	self->ops = calloc(MANY, sizeof(*self->ops));
	self->results = calloc(MANY, sizeof(*self->results));
	ASSERT_NE(NULL, self->ops);
	ASSERT_NE(NULL, self->results);
	/* The arrays exist by now: they are not what memory is measured for. */
	tw_fill_ops(self->ops, MANY, TWHEEL_OP_GET, 0);
	memset(self->results, TW_POISON, MANY * sizeof(*self->results));
}

FIXTURE_TEARDOWN(batch)
{
	free(self->ops);
	free(self->results);
	close(self->fd);
}

static int submit(struct _test_data_batch *self, unsigned int count)
{
	return tw_submit_all(self->fd, self->ops, self->results, count);
}

static void fill_exclusive(struct twheel_op *ops, unsigned int count, __u64 first)
{
	unsigned int i;

	tw_fill_ops(ops, count, TWHEEL_OP_START, first);
	for (i = 0; i < count; i++)
		ops[i].flags = TWHEEL_EXCLUSIVE;
}

TEST_F(batch, at_the_limit_of_timers_goes_on_with_what_needs_none)
{
	struct twheel_setup setup = { .max_timers = 100 };
	unsigned int i;

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	tw_fill_ops(self->ops, 120, TWHEEL_OP_START, 0);
	ASSERT_EQ(120, submit(self, 120));
	EXPECT_EQ(100, tw_count_errors(self->results, 100, 0));
	EXPECT_EQ(20, tw_count_errors(self->results + 100, 20, -ENOSPC));

	tw_fill_ops(self->ops, 6, TWHEEL_OP_START, 200);
	self->ops[1] = tw_op_after(5, TW_HOUR);
	self->ops[2] = tw_op(TWHEEL_OP_STOP, 6);
	self->ops[4] = tw_op(TWHEEL_OP_RESET, 7);
	ASSERT_EQ(6, submit(self, 6));
	for (i = 0; i < 6; i++) {
		EXPECT_EQ(i == 0 || i == 5 ? -ENOSPC : 0, self->results[i].error) {
			TH_LOG("operation %u", i);
		}
	}
	EXPECT_EQ(TWHEEL_STOPPED, self->results[1].outcome);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 203));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 205));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(100, self->stats.timers);
}

TEST_F(batch, of_failing_starts_only_is_not_the_first_start)
{
	struct twheel_setup setup = { .queue_len = 3 };

	self->ops[0] = tw_op_after(1, U64_MAX);
	self->ops[1] = tw_op(TWHEEL_OP_STOP, 1);
	ASSERT_EQ(2, submit(self, 2));
	EXPECT_EQ(-EOVERFLOW, self->results[0].error);
	EXPECT_EQ(-ENOENT, self->results[1].error);
	EXPECT_EQ(0, tw_setup(self->fd, &setup));
	self->ops[0] = tw_op_after(1, TW_HOUR);
	ASSERT_EQ(1, submit(self, 1));
	EXPECT_EQ(-EBUSY, tw_setup(self->fd, &setup));
}

TEST_F(batch, under_signals_is_carried_out_once)
{
	unsigned int i, count = tw_scaled(MANY);

	fill_exclusive(self->ops, count, 0);
	ASSERT_EQ(0, tw_alarm_often(true));
	EXPECT_EQ(count, submit(self, count));
	ASSERT_EQ(0, tw_alarm_often(false));
	TH_LOG("%u signals", tw_alarms);
	EXPECT_EQ(count, tw_count_errors(self->results, count, 0));
	for (i = 1; i < count; i++) {
		ASSERT_LT(self->results[i - 1].generation,
			  self->results[i].generation);
	}
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(count, self->stats.started);
	EXPECT_EQ(count, self->stats.timers);
}

/* Whichever call it is that a signal comes into: with so many, soon one does. */
TEST_F(batch, ends_early_for_a_signal)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	int done;

	ASSERT_EQ(0, tw_alarm_often(true));
	do {
		done = tw_submit(self->fd, self->ops, self->results, MANY);
	} while (done == MANY && tw_now() < give_up);
	ASSERT_EQ(0, tw_alarm_often(false));
	EXPECT_LE(1, done);
	EXPECT_GT(MANY, done);
	EXPECT_EQ(done, tw_count_errors(self->results, done, -ENOENT));
}

/* One of two threads that start and stop the same timers. */
struct side {
	pthread_t thread;
	int fd;
	__u64 seed;
	unsigned int count;
	__u32 opcode;
	struct twheel_op *ops;
	struct twheel_result *results;
	unsigned int shared;	/* batches in which others had a turn */
	bool failed;
};

static void *submit_side(void *arg)
{
	struct side *side = arg;
	unsigned int done = 0, step;

	while (done < side->count) {
		step = 1 + tw_below(&side->seed, 2000);
		if (step > side->count - done)
			step = side->count - done;
		if (tw_submit_all(side->fd, side->ops + done,
				  side->results + done, step) != (int)step) {
			side->failed = true;
			break;
		}
		done += step;
	}
	return NULL;
}

/* Both at once; returns how many timers did not have exactly one success. */
static unsigned int submit_both(struct side *sides, __u32 opcode)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < 2; i++) {
		if (opcode == TWHEEL_OP_START)
			fill_exclusive(sides[i].ops, sides[i].count, 0);
		else
			tw_fill_ops(sides[i].ops, sides[i].count, opcode, 0);
		if (pthread_create(&sides[i].thread, NULL, submit_side, &sides[i]))
			return ~0U;
	}
	for (i = 0; i < 2; i++)
		pthread_join(sides[i].thread, NULL);
	for (i = 0; i < sides->count; i++)
		wrong += !sides[0].results[i].error + !sides[1].results[i].error != 1;
	return wrong;
}

TEST_F(batch, of_two_threads_for_the_same_timers_has_one_winner_each)
{
	unsigned int i, round, count = tw_scaled(20000);
	struct side sides[2];

	self->seed = tw_seed();
	for (i = 0; i < 2; i++) {
		sides[i] = (struct side) {
			.fd = self->fd,
			.seed = self->seed + i,
			.count = count,
			.ops = self->ops + i * (MANY / 2),
			.results = self->results + i * (MANY / 2),
		};
	}
	for (round = 0; round < 3; round++) {
		EXPECT_EQ(0, submit_both(sides, TWHEEL_OP_START));
		ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
		EXPECT_EQ(count, self->stats.timers);
		EXPECT_EQ(0, submit_both(sides, TWHEEL_OP_STOP));
		ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
		EXPECT_EQ(0, self->stats.timers);
		EXPECT_EQ(self->stats.started, self->stats.stopped);
		EXPECT_TRUE(tw_balanced(&self->stats));
	}
	EXPECT_FALSE(sides[0].failed || sides[1].failed);
}

static bool keep_submitting;

/* Generations are counted for all: others have theirs between those of a batch. */
static bool others_came_in(const struct twheel_result *results)
{
	return results[MANY - 1].generation - results[0].generation > MANY - 1;
}

static void *submit_long(void *arg)
{
	struct side *side = arg;

	side->count = 0;
	do {
		if (tw_submit_all(side->fd, side->ops, side->results, MANY) != MANY)
			side->failed = true;
		side->count++;
		__atomic_fetch_add(&side->shared, others_came_in(side->results),
				   __ATOMIC_RELAXED);
	} while (__atomic_load_n(&keep_submitting, __ATOMIC_RELAXED) && !side->failed);
	return NULL;
}

/* Start, get and stop timers one by one; returns how many calls failed. */
static unsigned int single_calls(int fd, unsigned int count)
{
	unsigned int i, failed = 0;
	struct twheel_get get;

	for (i = 0; i < count; i++) {
		failed += !!tw_after(fd, MANY + i, TW_HOUR);
		failed += !!tw_get(fd, MANY + i, &get);
		failed += !!tw_stop(fd, MANY + i, NULL);
	}
	return failed;
}

TEST_F(batch, that_is_long_lets_single_calls_in)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	struct side side = {
		.fd = self->fd,
		.ops = self->ops,
		.results = self->results,
	};

	tw_fill_ops(self->ops, MANY, TWHEEL_OP_START, 0);
	/* Starts that need memory let others in for that. */
	ASSERT_EQ(MANY, submit(self, MANY));
	keep_submitting = true;
	ASSERT_EQ(0, pthread_create(&side.thread, NULL, submit_long, &side));
	do {
		EXPECT_EQ(0, single_calls(self->fd, tw_scaled(20000)));
	} while (!__atomic_load_n(&side.shared, __ATOMIC_RELAXED) && tw_now() < give_up);
	__atomic_store_n(&keep_submitting, false, __ATOMIC_RELAXED);
	pthread_join(side.thread, NULL);
	EXPECT_FALSE(side.failed);
	EXPECT_EQ(MANY, tw_count_errors(self->results, MANY, 0));
	TH_LOG("in %u of %u batches", side.shared, side.count);
	EXPECT_LT(0, side.shared);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(MANY, self->stats.timers);
}

struct reader {
	pthread_t thread;
	int fd;
	unsigned int count;
	unsigned char *came;	/* how often each timer's expiry was read */
	bool failed;
};

/* Reads until the sentinel comes. */
static void *read_all(void *arg)
{
	struct reader *reader = arg;
	struct twheel_event events[16];
	int i, got;

	for (;;) {
		got = tw_read(reader->fd, events, ARRAY_SIZE(events));
		for (i = 0; i < got; i++) {
			if (events[i].id == TW_SENTINEL)
				return NULL;
			if (events[i].id < reader->count)
				reader->came[events[i].id]++;
			else
				reader->failed = true;
		}
		if (got <= 0) {
			reader->failed = true;
			return NULL;
		}
	}
}

/* Start a round of timers, and stop them around their deadlines. */
static bool race_round(struct _test_data_batch *self, __u64 first,
		       unsigned char *stopped)
{
	unsigned int i;

	for (i = 0; i < ROUND; i++)
		self->ops[i] = tw_op_after(first + i,
					   1 + tw_below(&self->seed, 3 * TW_MS));
	if (submit(self, ROUND) != ROUND ||
	    tw_count_errors(self->results, ROUND, 0) != ROUND)
		return false;
	tw_spin_until(tw_now() + tw_below(&self->seed, 3 * TW_MS));
	tw_fill_ops(self->ops, ROUND, TWHEEL_OP_STOP, first);
	if (submit(self, ROUND) != ROUND)
		return false;
	for (i = 0; i < ROUND; i++)
		stopped[first + i] = !self->results[i].error;
	return tw_count_errors(self->results, ROUND, 0) +
	       tw_count_errors(self->results, ROUND, -ENOENT) == ROUND;
}

TEST_F(batch, of_stops_beside_a_reader_is_a_fence)
{
	unsigned int i, rounds = tw_scaled(ROUNDS), sum = 0;
	struct reader reader = { .fd = self->fd, .count = rounds * ROUND };
	unsigned char *stopped = calloc(rounds, ROUND);

	reader.came = calloc(rounds, ROUND);
	ASSERT_NE(NULL, reader.came);
	ASSERT_NE(NULL, stopped);
	self->seed = tw_seed();
	ASSERT_EQ(0, pthread_create(&reader.thread, NULL, read_all, &reader));
	for (i = 0; i < rounds; i++)
		EXPECT_TRUE(race_round(self, i * ROUND, stopped));
	ASSERT_EQ(0, tw_at(self->fd, TW_SENTINEL, tw_now()));
	pthread_join(reader.thread, NULL);
	EXPECT_FALSE(reader.failed);
	for (i = 0; i < reader.count; i++) {
		EXPECT_EQ(1, reader.came[i] + stopped[i]) {
			TH_LOG("timer %u: came %u times, stopped %u", i,
			       reader.came[i], stopped[i]);
		}
		sum += stopped[i];
	}
	TH_LOG("%u of %u were stopped in time", sum, reader.count);
	free(reader.came);
	free(stopped);
}

/* Submit for ever, to an instance of its own. */
static void submit_until_killed(struct _test_data_batch self, int ready)
{
	self.fd = tw_open();
	tw_fill_ops(self.ops, MANY / 2, TWHEEL_OP_START, 0);
	tw_fill_ops(self.ops + MANY / 2, MANY / 2, TWHEEL_OP_STOP, 0);
	if (write(ready, "", 1) != 1)
		_exit(1);
	while (submit(&self, MANY) == MANY)
		;
	_exit(2);
}

/* The instance is the child's alone: it goes with it. */
TEST_F(batch, whose_caller_is_killed_leaves_nothing)
{
	unsigned int i, rounds = tw_scaled(20);
	long long users = tw_module_users();
	int ready[2];
	char byte;
	pid_t pid;

	self->seed = tw_seed();
	ASSERT_EQ(0, pipe(ready));
	for (i = 0; i < rounds; i++) {
		pid = tw_fork();
		if (!pid)
			submit_until_killed(*self, ready[1]);
		ASSERT_LT(0, pid);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		tw_sleep(tw_below(&self->seed, 20 * TW_MS));
		ASSERT_EQ(0, kill(pid, SIGKILL));
		EXPECT_EQ(-1, tw_reap(pid));
	}
	EXPECT_TRUE(tw_await_users(users));
	EXPECT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
}

/* All of @count timers, a full batch at a time; false if one failed. */
static bool do_many(struct _test_data_batch *self, __u32 opcode, unsigned int count)
{
	unsigned int done, step;

	for (done = 0; done < count; done += step) {
		step = count - done < MANY ? count - done : MANY;
		tw_fill_ops(self->ops, step, opcode, done);
		if (submit(self, step) != (int)step ||
		    tw_count_errors(self->results, step, 0) != step)
			return false;
	}
	return true;
}

TEST_F(batch, of_a_million_timers_gives_its_memory_back)
{
	unsigned int count = tw_scaled(MILLION);
	long used, slack = tw_memory_slack();

	ASSERT_EQ(0, tw_after(self->fd, U64_MAX, TW_HOUR));
	used = tw_memory_used();
	ASSERT_TRUE(do_many(self, TWHEEL_OP_START, count));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(count + 1, self->stats.timers);
	EXPECT_GE(used + 512L * count / 1024 + slack, tw_memory_used());
	EXPECT_TRUE(do_many(self, TWHEEL_OP_RESET, count));
	ASSERT_TRUE(do_many(self, TWHEEL_OP_STOP, count));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.timers);
	EXPECT_TRUE(tw_await_memory(used + slack));
}

/* What the child in the full cgroup saw: its exit status. */
enum seen {
	ALL_AS_IT_SHOULD,
	NO_CGROUP,
	BATCH_FAILED,
	OTHER_ERROR,
	BOOKS_WRONG,
	OTHERS_FAILED,
	LISTING_FAILED,
	NO_ROOM_AFTER_STOPS,
};

/* Start timers until there is no memory; returns how many, or -1. */
static long long start_until_enomem(struct _test_data_batch *self, enum seen *seen)
{
	unsigned int started, failed;
	long long sum = 0;

	do {
		tw_fill_ops(self->ops, ROUND, TWHEEL_OP_START, sum);
		if (submit(self, ROUND) != ROUND) {
			*seen = BATCH_FAILED;
			return -1;
		}
		started = tw_count_errors(self->results, ROUND, 0);
		failed = tw_count_errors(self->results, ROUND, -ENOMEM);
		if (started + failed != ROUND) {
			*seen = OTHER_ERROR;
			return -1;
		}
		sum += started;
	} while (!failed);
	return sum;
}

/* Starts that may fail, with others between them that need no memory. */
static bool others_go_on(struct _test_data_batch *self)
{
	struct twheel_result *results = self->results;

	tw_fill_ops(self->ops, 9, TWHEEL_OP_START, U64_MAX - 100);
	self->ops[1] = tw_op(TWHEEL_OP_GET, 1);
	self->ops[3] = tw_op(TWHEEL_OP_RESET, 2);
	self->ops[5] = tw_op_after(3, TW_HOUR);
	self->ops[7] = tw_op(TWHEEL_OP_STOP, 4);
	self->ops[8] = tw_op(TWHEEL_OP_STOP, U64_MAX);
	return submit(self, 9) == 9 &&
	       !(results[1].error | results[3].error | results[5].error |
		 results[7].error) && results[8].error == -ENOENT;
}

static enum seen starve(struct _test_data_batch self)
{
	static struct twheel_list_entry entries[ROUND];
	enum seen seen = ALL_AS_IT_SHOULD;
	struct twheel_list list = { 0 };
	long long started;

	self.fd = tw_open();
	if (tw_cgroup_enter())
		return NO_CGROUP;
	started = start_until_enomem(&self, &seen);
	if (started < 0)
		return seen;
	if (tw_stats(self.fd, &self.stats) ||
	    self.stats.timers != (__u64)started ||
	    self.stats.started != (__u64)started)
		return BOOKS_WRONG;
	if (!others_go_on(&self))
		return OTHERS_FAILED;
	if (tw_list(self.fd, &list, entries, ARRAY_SIZE(entries)) || !list.count)
		return LISTING_FAILED;
	tw_fill_ops(self.ops, MANY / 4, TWHEEL_OP_STOP, 5);
	submit(&self, MANY / 4);
	tw_fill_ops(self.ops, ROUND, TWHEEL_OP_START, 0);
	if (submit(&self, ROUND) != ROUND ||
	    tw_count_errors(self.results, ROUND, 0) != ROUND)
		return NO_ROOM_AFTER_STOPS;
	return seen;
}

TEST_F(batch, in_a_full_cgroup_fails_where_it_needs_memory)
{
	pid_t pid;

	if (!tw_cgroup_make())
		SKIP(return, "no memory cgroups here");
	ASSERT_EQ(0, tw_cgroup_limit(4 + tw_scaled(16)));
	pid = tw_fork();
	if (!pid)
		_exit(starve(*self));
	ASSERT_LT(0, pid);
	EXPECT_EQ(ALL_AS_IT_SHOULD, tw_reap(pid));
	EXPECT_EQ(0, tw_cgroup_oom_kills());
	EXPECT_TRUE(tw_cgroup_await_memory());
	rmdir(TW_CGROUP);
}

TEST_HARNESS_MAIN
