// SPDX-License-Identifier: GPL-2.0
/*
 * Expiries survive the readers that have them: reader processes are killed at
 * any moment, and every expiry is acknowledged all the same.
 */
#include "twheel_pool.h"
#include "twheel_sys.h"

#define READERS		4
#define EXPIRIES	200000
#define KILL_NS		(50 * TW_MS)
#define BATCH		256
/* Timers that are started in one go, so that there is always something to read. */
#define WAVE		4096
/* Longer than a reader takes for a batch, on whatever machine. */
#define LEASE_NS	TW_HOUR

/**
 * struct note - what is known of an expiry, in memory that survives
 * @tried: Somebody is about to acknowledge it, or has.
 * @acked: Somebody has, and lived to note it.
 * @first: Deliveries with attempt 1.
 */
struct note {
	__u8 tried;
	__u8 acked;
	__u8 first;
};

FIXTURE(survive) {
	int fd;
	unsigned int count;
	unsigned int kills;
	pid_t reader[READERS];
	struct note *note;
};

FIXTURE_SETUP(survive)
{
	self->count = tw_scaled(EXPIRIES);
	self->note = mmap(NULL, self->count * sizeof(*self->note),
			  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			  -1, 0);
	ASSERT_NE(MAP_FAILED, self->note);
}

FIXTURE_TEARDOWN(survive)
{
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		if (self->reader[i] > 0) {
			kill(self->reader[i], SIGKILL);
			waitpid(self->reader[i], NULL, 0);
		}
	}
	close(self->fd);
	munmap(self->note, self->count * sizeof(*self->note));
}

/* Acknowledge a batch; a kill can come between any two lines. */
static bool acknowledge(int fd, struct note *note,
			const struct twheel_event *event, unsigned int count)
{
	static struct twheel_result result[BATCH];
	static struct twheel_op op[BATCH];
	unsigned int i;

	for (i = 0; i < count; i++) {
		op[i] = tw_op(TWHEEL_OP_ACK, event[i].id);
		op[i].token = event[i].token;
		if (event[i].attempt == 1)
			note[event[i].id].first++;
		note[event[i].id].tried = 1;
	}
	if (tw_submit_all(fd, op, result, count) != (int)count)
		return false;
	for (i = 0; i < count; i++) {
		if (result[i].error)
			return false;
		note[event[i].id].acked++;
	}
	return true;
}

/* A reader process: ends with 0 at the end of file, and with 1 if it must not. */
static void run_reader(int fd, struct note *note)
{
	static struct twheel_event event[BATCH];
	ssize_t got;

	for (;;) {
		got = read(fd, event, sizeof(event));
		if (!got)
			_exit(0);
		if (got < 0 || got % sizeof(*event) ||
		    !acknowledge(fd, note, event, got / sizeof(*event)))
			_exit(1);
	}
}

/* The descriptor is the child's alone, so its death is the reader's. */
static pid_t start_reader(int fd, struct note *note)
{
	int reader = tw_reader(fd, 0);
	pid_t pid;

	if (reader < 0)
		return -1;
	pid = tw_fork();
	if (!pid) {
		close(fd);
		run_reader(reader, note);
	}
	close(reader);
	return pid;
}

/* Whether the reader was alive until it was killed. */
static bool replace_reader(struct _test_data_survive *self, unsigned int i)
{
	int status;

	kill(self->reader[i], SIGKILL);
	if (waitpid(self->reader[i], &status, 0) != self->reader[i])
		return false;
	self->kills++;
	self->reader[i] = start_reader(self->fd, self->note);
	return WIFSIGNALED(status) && self->reader[i] > 0;
}

/* Keep a wave of timers expiring; returns false if a start failed. */
static bool feed(struct _test_data_survive *self, unsigned int *started,
		 __u64 done)
{
	static struct twheel_result result[WAVE];
	static struct twheel_op op[WAVE];
	unsigned int i, nr = self->count - *started;

	if (*started - done > WAVE)
		return true;
	nr = nr < WAVE ? nr : WAVE;
	for (i = 0; i < nr; i++)
		op[i] = tw_op_after(*started + i, 1 + i % 8 * TW_MS);
	*started += nr;
	return !nr || (tw_submit_all(self->fd, op, result, nr) == (int)nr &&
		       tw_count_errors(result, nr, 0) == nr);
}

static void expect_all_acknowledged(struct __test_metadata *_metadata,
				    struct _test_data_survive *self)
{
	unsigned int i, lost = 0, twice = 0, unnoted = 0, repeated = 0;

	for (i = 0; i < self->count; i++) {
		lost += !self->note[i].tried;
		twice += self->note[i].acked > 1;
		unnoted += !self->note[i].acked;
		repeated += self->note[i].first > 1;
	}
	EXPECT_EQ(0, lost);
	EXPECT_EQ(0, twice);
	/* Whoever is killed between the call and the note leaves a batch. */
	EXPECT_GE(self->kills * BATCH, unnoted);
	/* What comes again has a higher attempt. */
	EXPECT_EQ(0, repeated);
}

static void survive(struct __test_metadata *_metadata,
		    struct _test_data_survive *self, __u32 dispatch)
{
	struct twheel_setup setup = tw_leased(LEASE_NS, 0);
	unsigned int i, started = 0, unbalanced = 0;
	__u64 next = tw_now() + KILL_NS, give_up, before = 0;
	struct twheel_stats stats = { 0 };

	setup.flags = TWHEEL_CONTROL;
	setup.dispatch = dispatch;
	setup.queue_len = 1024;
	self->fd = tw_pool(setup);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < READERS; i++) {
		self->reader[i] = start_reader(self->fd, self->note);
		ASSERT_LT(0, self->reader[i]);
	}
	give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	while (stats.delivered < self->count && tw_now() < give_up) {
		ASSERT_TRUE(feed(self, &started, stats.delivered));
		/* Only after some were acknowledged: or it would have no end. */
		if (tw_now() >= next && stats.delivered >= before + BATCH) {
			ASSERT_TRUE(replace_reader(self, self->kills % READERS));
			before = stats.delivered;
			next = tw_now() + KILL_NS;
			give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
		}
		unbalanced += !tw_books_balance(self->fd);
		ASSERT_EQ(0, tw_stats(self->fd, &stats));
		tw_sleep(TW_MS);
	}
	EXPECT_EQ(0, unbalanced);
	EXPECT_EQ(self->count, stats.delivered);
	EXPECT_EQ(self->count, stats.expired);
	EXPECT_EQ(0, stats.timers);
	ASSERT_EQ(0, tw_shutdown(self->fd, NULL));
	for (i = 0; i < READERS; i++) {
		EXPECT_EQ(0, tw_reap(self->reader[i]));
		self->reader[i] = 0;
	}
	expect_all_acknowledged(_metadata, self);
	TH_LOG("%u expiries, %u readers killed, %llu deliveries repeated",
	       self->count, self->kills, stats.redelivered);
}

TEST_F(survive, readers_of_one_queue_are_killed)
{
	survive(_metadata, self, TWHEEL_SHARED);
}

TEST_F(survive, readers_with_lines_of_their_own_are_killed)
{
	survive(_metadata, self, TWHEEL_ROUND_ROBIN);
}

TEST_F(survive, readers_by_id_are_killed)
{
	survive(_metadata, self, TWHEEL_BY_ID);
}

TEST_HARNESS_MAIN
