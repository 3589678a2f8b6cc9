// SPDX-License-Identifier: GPL-2.0
/*
 * Readers that come and go while expiries do: what is theirs finds somebody else
 */
#include "twheel_pool.h"

#define READERS		4
#define ROOM		64
#define EXPIRIES	50000
#define WAVE		64

FIXTURE(members) {
	int fd;		/* that is no reader */
	int reader[3];
	struct twheel_event event[ROOM];
	struct twheel_stats stats;
};

FIXTURE_SETUP(members)
{
	tw_no_pool(&self->fd, self->reader, ARRAY_SIZE(self->reader));
}

FIXTURE_TEARDOWN(members)
{
	tw_close_pool(self->fd, self->reader, ARRAY_SIZE(self->reader));
}

static bool make_pool(struct _test_data_members *self, struct twheel_setup setup,
		      unsigned int readers)
{
	return tw_make_pool(&self->fd, self->reader, readers, setup,
			    0);
}

/* Whether @count records are of the IDs from @first on. */
static bool is_row(const struct twheel_event *event, __u64 first,
		   unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (event[i].id != first + i)
			return false;
	return true;
}

TEST_F(members, joining_reader_takes_what_waits_for_room)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_ROUND_ROBIN,
		.queue_len = 2,
	};

	ASSERT_TRUE(make_pool(self, setup, 1));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 6));
	self->reader[1] = tw_reader(self->fd, 0);
	ASSERT_LE(0, self->reader[1]);
	EXPECT_EQ(POLLIN, tw_poll(self->reader[1], 0));
	ASSERT_EQ(4, tw_read(self->reader[1], self->event, ROOM));
	EXPECT_TRUE(is_row(self->event, 2, 4));
	ASSERT_EQ(2, tw_read(self->reader[0], self->event, ROOM));
	EXPECT_TRUE(is_row(self->event, 0, 2));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/* Each by ID has what is its own: what waits for a place keeps its reader. */
TEST_F(members, joining_reader_by_id_takes_nothing_that_waits)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BY_ID,
		.queue_len = 2,
	};

	ASSERT_TRUE(make_pool(self, setup, 1));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 6));
	self->reader[1] = tw_reader(self->fd, 0);
	ASSERT_LE(0, self->reader[1]);
	EXPECT_EQ(0, tw_poll(self->reader[1], 0));
	ASSERT_EQ(6, tw_read(self->reader[0], self->event, ROOM));
	EXPECT_TRUE(is_row(self->event, 0, 6));
	ASSERT_TRUE(tw_expire_row(self->fd, 7, 1));
	EXPECT_EQ(1, tw_read(self->reader[1], self->event, ROOM));
}

/* A process that waits on the second reader for @count records, and @step apart. */
static pid_t start_heir(struct _test_data_members *self, unsigned int count,
			__u64 step)
{
	unsigned int have = 0, i;
	pid_t pid = tw_fork();
	int got;

	if (pid)
		return pid;
	/* Its copy would keep what the other one has. */
	close(self->reader[0]);
	while (have < count) {
		got = tw_read(self->reader[1], self->event + have, ROOM - have);
		if (got < 0)
			_exit(1);
		have += got;
	}
	for (i = 0; i < have; i++)
		if (self->event[i].id != i * step)
			_exit(1);
	_exit(have == count ? 0 : 1);
}

static void expect_heir_of_leases(struct __test_metadata *_metadata,
				  struct _test_data_members *self, __u32 dispatch)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);
	pid_t pid;

	setup.dispatch = dispatch;
	ASSERT_TRUE(make_pool(self, setup, 2));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 5));
	ASSERT_EQ(5, tw_drain(self->reader[0], self->event, ROOM));
	pid = start_heir(self, 5, 1);
	ASSERT_TRUE(tw_await_sleep(pid));
	close(self->reader[0]);
	self->reader[0] = -1;
	EXPECT_EQ(0, tw_reap(pid));
}

TEST_F(members, blocked_reader_of_the_queue_gets_the_leases_of_one_that_leaves)
{
	expect_heir_of_leases(_metadata, self, TWHEEL_SHARED);
}

TEST_F(members, blocked_reader_in_turn_gets_the_leases_of_one_that_leaves)
{
	expect_heir_of_leases(_metadata, self, TWHEEL_ROUND_ROBIN);
}

TEST_F(members, blocked_reader_by_id_gets_the_leases_of_one_that_leaves)
{
	expect_heir_of_leases(_metadata, self, TWHEEL_BY_ID);
}

TEST_F(members, blocked_reader_gets_the_line_of_one_that_leaves)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_BY_ID };
	unsigned int i;
	pid_t pid;

	ASSERT_TRUE(make_pool(self, setup, 2));
	pid = start_heir(self, 5, 2);
	ASSERT_TRUE(tw_await_sleep(pid));
	for (i = 0; i < 5; i++)
		ASSERT_TRUE(tw_expire(self->fd, 2 * i));
	close(self->reader[0]);
	self->reader[0] = -1;
	EXPECT_EQ(0, tw_reap(pid));
}

/* The first one hangs, outside of read; so its empty line is no sign of a waiter. */
TEST_F(members, blocked_reader_in_turn_gets_the_expired_lease_of_one_that_hangs)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);
	pid_t pid;

	setup.dispatch = TWHEEL_ROUND_ROBIN;
	ASSERT_TRUE(make_pool(self, setup, 2));
	ASSERT_TRUE(tw_expire(self->fd, 0));
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, ROOM));
	pid = start_heir(self, 1, 1);
	ASSERT_TRUE(tw_await_sleep(pid));
	ASSERT_EQ(0, tw_extend(self->reader[0], &self->event[0], 1));
	EXPECT_TRUE(tw_await(self->fd, TW_STAT(redelivered), 1));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The death of a process is the leave of its reader. */
TEST_F(members, line_of_a_killed_reader_goes_to_the_others)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_ROUND_ROBIN };
	pid_t pid;

	ASSERT_TRUE(make_pool(self, setup, 2));
	pid = tw_fork();
	if (!pid)
		for (;;)
			pause();
	close(self->reader[0]);
	self->reader[0] = -1;
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 8));
	ASSERT_EQ(4, tw_read(self->reader[1], self->event, ROOM));
	kill(pid, SIGKILL);
	ASSERT_EQ(-1, tw_reap(pid));
	ASSERT_EQ(4, tw_collect(self->reader[1], self->event, 4));
	EXPECT_EQ(0, self->event[0].id);
	EXPECT_EQ(6, self->event[3].id);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(members, copies_that_the_last_reader_left_wait_for_the_next)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BROADCAST,
		.overflow = TWHEEL_DROP_OLDEST,
	};

	ASSERT_TRUE(make_pool(self, setup, 1));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 3));
	close(self->reader[0]);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(3, self->stats.waiting);
	EXPECT_EQ(0, self->stats.readers);
	EXPECT_TRUE(tw_books_balance(self->fd));
	self->reader[0] = tw_reader(self->fd, 0);
	ASSERT_LE(0, self->reader[0]);
	ASSERT_EQ(3, tw_collect(self->reader[0], self->event, 3));
	EXPECT_TRUE(is_row(self->event, 1, 3));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/* Those that another one has read still are no business of the next. */
TEST_F(members, copies_that_one_of_several_left_are_withdrawn)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BROADCAST,
		.overflow = TWHEEL_DROP_OLDEST,
	};

	ASSERT_TRUE(make_pool(self, setup, 2));
	ASSERT_EQ(0, tw_after(self->fd, 1, 0));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(queued), 2));
	ASSERT_EQ(1, tw_read(self->reader[1], self->event, ROOM));
	close(self->reader[0]);
	self->reader[0] = -1;
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.delivered);
	EXPECT_EQ(1, self->stats.withdrawn);
	EXPECT_EQ(0, self->stats.timers);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/**
 * struct member - a thread whose reader comes and goes
 * @fd: A descriptor of the instance.
 * @stays: It does not go.
 * @seed: For how long it stays.
 * @thread: The thread.
 * @seen: Records that it has read.
 * @skipped: Records that it was told of that it has lost.
 * @failed: What it could not do.
 */
struct member {
	int fd;
	bool stays;
	__u64 seed;
	pthread_t thread;
	__u64 seen;
	__u64 skipped;
	int failed;
};

/* Read for a while; false at the end of file. */
static bool read_some(struct member *member, int reader, unsigned int reads)
{
	struct twheel_event event[8];
	ssize_t got;
	size_t i;

	while (reads-- || member->stays) {
		got = read(reader, event, sizeof(event));
		if (!got)
			return false;
		if (got < 0) {
			member->failed = errno;
			return false;
		}
		got /= sizeof(*event);
		for (i = 0; i < (size_t)got; i++)
			member->skipped += event[i].dropped;
		member->seen += got;
	}
	return true;
}

static void *run_member(void *arg)
{
	struct member *member = arg;
	bool more = true;
	int reader;

	while (more) {
		reader = tw_reader(member->fd, 0);
		if (reader == -ESHUTDOWN)
			break;
		if (reader < 0) {
			member->failed = -reader;
			break;
		}
		more = read_some(member, reader,
				 tw_below(&member->seed, 16));
		close(reader);
	}
	return NULL;
}

FIXTURE(crowd) {
	int fd;
	struct member member[READERS];
	struct twheel_stats stats;
};

FIXTURE_VARIANT(crowd) {
	struct twheel_setup setup;
};

FIXTURE_VARIANT_ADD(crowd, of_one_queue) {
	.setup = { .dispatch = TWHEEL_SHARED },
};

FIXTURE_VARIANT_ADD(crowd, in_turn) {
	.setup = { .dispatch = TWHEEL_ROUND_ROBIN, .queue_len = 16 },
};

FIXTURE_VARIANT_ADD(crowd, in_turn_that_steals) {
	.setup = {
		.dispatch = TWHEEL_ROUND_ROBIN,
		.queue_len = 16,
		.flags = TWHEEL_STEAL,
	},
};

FIXTURE_VARIANT_ADD(crowd, by_id) {
	.setup = { .dispatch = TWHEEL_BY_ID, .queue_len = 16 },
};

FIXTURE_VARIANT_ADD(crowd, of_copies) {
	.setup = {
		.dispatch = TWHEEL_BROADCAST,
		.queue_len = 16,
		.overflow = TWHEEL_DROP_OLDEST,
	},
};

FIXTURE_SETUP(crowd)
{
	struct twheel_setup setup = variant->setup;
	unsigned int i;

	setup.flags |= TWHEEL_CONTROL;
	self->fd = tw_pool(setup);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < READERS; i++) {
		self->member[i].fd = self->fd;
		self->member[i].seed = i;
		self->member[i].stays = !i;
		ASSERT_EQ(0, pthread_create(&self->member[i].thread, NULL,
					    run_member, &self->member[i]));
		/* The one who stays is there before all others. */
		while (!tw_stats(self->fd, &self->stats) && !self->stats.readers)
			sched_yield();
	}
}

FIXTURE_TEARDOWN(crowd)
{
	close(self->fd);
}

/* Let all expire; returns false if the books did not balance at any time. */
static bool feed(struct _test_data_crowd *self, unsigned int count)
{
	static struct twheel_result result[WAVE];
	static struct twheel_op op[WAVE];
	unsigned int i, started;

	for (started = 0; started < count; started += WAVE) {
		for (i = 0; i < WAVE; i++)
			op[i] = tw_op_after(started + i, i % 4 * TW_MS);
		if (tw_submit_all(self->fd, op, result, WAVE) != WAVE ||
		    tw_count_errors(result, WAVE, 0) != WAVE ||
		    !tw_books_balance(self->fd))
			return false;
	}
	return true;
}

/* Returns how many the last reader to leave has left unread, taken now. */
static unsigned int expect_the_end(struct __test_metadata *_metadata,
				   struct _test_data_crowd *self)
{
	struct twheel_event event[ROOM];
	unsigned int i;
	int left;

	EXPECT_TRUE(tw_await(self->fd, TW_STAT(armed), 0));
	EXPECT_EQ(0, tw_shutdown(self->fd, NULL));
	for (i = 0; i < READERS; i++) {
		pthread_join(self->member[i].thread, NULL);
		EXPECT_EQ(0, self->member[i].failed);
	}
	EXPECT_TRUE(tw_books_balance(self->fd));
	left = tw_drain(self->fd, event, ROOM);
	EXPECT_LE(0, left);
	EXPECT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.timers);
	EXPECT_EQ(0, self->stats.readers);
	EXPECT_TRUE(tw_books_balance(self->fd));
	return left;
}

/*
 * Every expiry is read once; of copies, the one who stays gets or misses each.  He
 * may see the end before others leave, and what the last of these had not read
 * waits for a reader.  Whoever reads anything else comes to its end.
 */
TEST_F(crowd, that_comes_and_goes_loses_nothing)
{
	unsigned int i, count = (tw_scaled(EXPIRIES) / WAVE + 1) * WAVE;
	const struct member *member = self->member;
	unsigned int left;
	__u64 seen = 0;

	EXPECT_TRUE(feed(self, count));
	left = expect_the_end(_metadata, self);
	for (i = 0; i < READERS; i++)
		seen += member[i].seen;
	EXPECT_EQ(self->stats.delivered, seen + left);
	if (variant->setup.dispatch == TWHEEL_BROADCAST)
		seen = member[0].seen + member[0].skipped;
	else
		EXPECT_EQ(0, left);
	EXPECT_EQ(count, seen);
	TH_LOG("%llu of %llu read by who stayed", member[0].seen,
	       self->stats.delivered);
}

TEST_HARNESS_MAIN
