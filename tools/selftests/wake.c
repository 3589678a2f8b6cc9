// SPDX-License-Identifier: GPL-2.0
/*
 * Who is woken: one reader for an expiry, not all that wait
 *
 * Counted by what the kernel counts for each thread, its voluntary context
 * switches: a thread that is woken for nothing sleeps again, and has one more.
 */
#include "twheel_pool.h"

#define WAITERS		8
#define EXPIRIES	200

struct waiter {
	int fd;
	bool ack;
	pid_t tid;
	pthread_t thread;
	unsigned int seen;
};

FIXTURE(wake) {
	int fd;		/* that is no reader */
	struct waiter waiter[WAITERS];
};

FIXTURE_SETUP(wake)
{
}

FIXTURE_TEARDOWN(wake)
{
	close(self->fd);
}

/* Reads, one at a time, up to the end of file. */
static void *wait_for_expiries(void *arg)
{
	struct waiter *waiter = arg;
	struct twheel_event event;

	__atomic_store_n(&waiter->tid, gettid(), __ATOMIC_RELEASE);
	while (read(waiter->fd, &event, sizeof(event)) == sizeof(event)) {
		waiter->seen++;
		if (waiter->ack && tw_ack(waiter->fd, &event) < 0)
			break;
	}
	return NULL;
}

static bool start_waiters(struct _test_data_wake *self, struct twheel_setup setup)
{
	struct waiter *waiter;

	setup.flags |= TWHEEL_CONTROL;
	self->fd = tw_pool(setup);
	if (self->fd < 0)
		return false;
	for (waiter = self->waiter; waiter < self->waiter + WAITERS; waiter++) {
		waiter->fd = tw_reader(self->fd, 0);
		waiter->ack = setup.delivery == TWHEEL_AT_LEAST_ONCE;
		if (waiter->fd < 0 ||
		    pthread_create(&waiter->thread, NULL, wait_for_expiries,
				   waiter))
			return false;
		while (!__atomic_load_n(&waiter->tid, __ATOMIC_ACQUIRE))
			sched_yield();
	}
	return true;
}

static bool await_all_asleep(struct _test_data_wake *self)
{
	unsigned int i;

	for (i = 0; i < WAITERS; i++)
		if (!tw_await_sleep(self->waiter[i].tid))
			return false;
	return true;
}

/* How often a thread went to sleep; -1 if that is not known. */
static long sleeps_of(pid_t tid)
{
	char path[64], line[128];
	long sleeps = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps);
	if (file)
		fclose(file);
	return sleeps;
}

static long all_sleeps(struct _test_data_wake *self)
{
	long sum = 0;
	int i;

	for (i = 0; i < WAITERS; i++)
		sum += sleeps_of(self->waiter[i].tid);
	return sum;
}

/* Shut down, which is the end for all, and count what they have read. */
static unsigned int end_waiters(struct _test_data_wake *self)
{
	unsigned int i, seen = 0;

	if (tw_shutdown(self->fd, NULL))
		return 0;
	for (i = 0; i < WAITERS; i++) {
		pthread_join(self->waiter[i].thread, NULL);
		close(self->waiter[i].fd);
		seen += self->waiter[i].seen;
	}
	return seen;
}

static void expect_one_woken(struct __test_metadata *_metadata,
			     struct _test_data_wake *self,
			     struct twheel_setup setup)
{
	unsigned int i, expiries = tw_scaled(EXPIRIES);
	long before, after;

	ASSERT_TRUE(start_waiters(self, setup));
	ASSERT_TRUE(await_all_asleep(self));
	/* A thread is noted as asleep a moment before it is. */
	do {
		before = all_sleeps(self);
	} while (before >= 0 && before < WAITERS);
	ASSERT_LE(WAITERS, before);
	for (i = 0; i < expiries; i++) {
		ASSERT_EQ(0, tw_after(self->fd, i, 1));
		ASSERT_TRUE(tw_await(self->fd, TW_STAT(delivered), i + 1));
		ASSERT_TRUE(await_all_asleep(self));
	}
	after = all_sleeps(self);
	/*
	 * One each; fewer where one was woken in that moment, and a few more for
	 * whatever else a thread may sleep for.
	 */
	EXPECT_LE(expiries / 2, after - before);
	EXPECT_GE(2 * expiries, after - before);
	TH_LOG("%ld sleeps of %u threads for %u expiries", after - before,
	       WAITERS, expiries);
	EXPECT_EQ(expiries, end_waiters(self));
}

TEST_F(wake, one_reader_of_the_queue_for_an_expiry)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_SHARED };

	expect_one_woken(_metadata, self, setup);
}

TEST_F(wake, one_reader_of_the_queue_for_an_expiry_under_a_lease)
{
	expect_one_woken(_metadata, self, tw_leased(TW_HOUR, 0));
}

TEST_F(wake, the_reader_that_has_its_turn)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_ROUND_ROBIN };

	expect_one_woken(_metadata, self, setup);
}

TEST_F(wake, the_reader_of_the_id)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_BY_ID };

	expect_one_woken(_metadata, self, setup);
}

TEST_F(wake, the_reader_that_has_its_turn_and_no_thief)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_ROUND_ROBIN,
		.flags = TWHEEL_STEAL,
	};

	expect_one_woken(_metadata, self, setup);
}

/* Many at once wake more: none may be left behind while a reader sleeps. */
TEST_F(wake, as_many_readers_as_it_takes_for_many_expiries)
{
	static struct twheel_result result[WAITERS];
	struct twheel_setup setup = { .dispatch = TWHEEL_SHARED };
	unsigned int i, round, rounds = tw_scaled(EXPIRIES);
	struct twheel_op op[WAITERS];

	ASSERT_TRUE(start_waiters(self, setup));
	for (round = 1; round <= rounds; round++) {
		for (i = 0; i < WAITERS; i++)
			op[i] = tw_op_after(i, 0);
		ASSERT_EQ(WAITERS, tw_submit(self->fd, op, result, WAITERS));
		ASSERT_TRUE(tw_await(self->fd, TW_STAT(delivered),
				     round * WAITERS));
	}
	EXPECT_EQ(rounds * WAITERS, end_waiters(self));
}

TEST_HARNESS_MAIN
