// SPDX-License-Identifier: GPL-2.0
/*
 * Leases: acknowledge, reject, extend, let run out; and what comes again
 */
#include "twheel_pool.h"

#define LEASE_NS	(100 * TW_MS)
/* Leases that end while they are acknowledged. */
#define RACES		10000
#define BATCH		100

FIXTURE(ack) {
	int fd;
	int other;
	struct twheel_event event[8];
	struct twheel_event again[8];
	struct twheel_stats stats;
	struct tw_snapshot before;
};

/* Two readers of one queue, and leases that a test does not live to see the end of. */
FIXTURE_SETUP(ack)
{
	self->fd = tw_pool(tw_leased(TW_HOUR, 0));
	ASSERT_LE(0, self->fd);
	self->other = tw_reader(self->fd, 0);
	ASSERT_LE(0, self->other);
}

FIXTURE_TEARDOWN(ack)
{
	close(self->other);
	close(self->fd);
}

/* Let @count timers from 1 expire, and read them all on the first descriptor. */
static bool deliver(struct _test_data_ack *self, unsigned int count)
{
	return tw_expire_row(self->fd, 1, count) &&
	       tw_read(self->fd, self->event, 8) == (int)count;
}

/* Whether the record is of the same expiry, delivered once more. */
static bool is_again(const struct twheel_event *event,
		     const struct twheel_event *before)
{
	return event->id == before->id && event->data == before->data &&
	       event->generation == before->generation &&
	       event->deadline_ns == before->deadline_ns &&
	       event->fired_ns == before->fired_ns &&
	       event->attempt == before->attempt + 1 &&
	       event->token != before->token &&
	       event->sequence > before->sequence;
}

TEST_F(ack, delivered_expiry_is_in_flight_until_it_is_acknowledged)
{
	ASSERT_TRUE(deliver(self, 1));
	EXPECT_EQ(1, self->event[0].attempt);
	EXPECT_NE(0, self->event[0].token);
	EXPECT_EQ(TWHEEL_DELIVERED, tw_state(self->fd, 1));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.in_flight);
	EXPECT_EQ(0, self->stats.delivered);
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->fd, &self->event[0]));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 1));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.in_flight);
	EXPECT_EQ(1, self->stats.delivered);
	EXPECT_EQ(0, self->stats.timers);
}

TEST_F(ack, periodic_timer_goes_on_with_the_acknowledgement)
{
	__u64 first = tw_now() + TW_MS;

	ASSERT_EQ(0, tw_every(self->fd, 1, first, 4 * TW_MS));
	ASSERT_EQ(1, tw_read(self->fd, self->event, 8));
	EXPECT_EQ(first, self->event[0].deadline_ns);
	/* At most one in flight: nothing comes before it is acknowledged. */
	ASSERT_EQ(0, tw_nonblock(self->fd));
	tw_spin_until(tw_now() + 20 * TW_MS);
	EXPECT_EQ(-EAGAIN, tw_read(self->fd, self->again, 8));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.expired);
	EXPECT_LE(0, tw_ack(self->fd, &self->event[0]));
	ASSERT_EQ(1, tw_collect(self->fd, self->again, 1));
	EXPECT_EQ(first + self->event[0].expirations * 4 * TW_MS,
		  self->again[0].deadline_ns);
	EXPECT_LT(1, self->again[0].expirations);
	EXPECT_EQ(1, self->again[0].attempt);
}

TEST_F(ack, rejected_expiry_comes_at_once_and_before_younger_ones)
{
	ASSERT_TRUE(deliver(self, 3));
	ASSERT_TRUE(tw_expire_row(self->fd, 10, 2));
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->fd, &self->event[2]));
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->fd, &self->event[0]));
	ASSERT_EQ(4, tw_read(self->other, self->again, 8));
	EXPECT_TRUE(is_again(&self->again[0], &self->event[0]));
	EXPECT_TRUE(is_again(&self->again[1], &self->event[2]));
	EXPECT_EQ(10, self->again[2].id);
	EXPECT_EQ(11, self->again[3].id);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(2, self->stats.rejected);
	EXPECT_EQ(2, self->stats.redelivered);
}

TEST_F(ack, unacknowledged_id_blocks_no_other)
{
	unsigned int i;

	ASSERT_TRUE(deliver(self, 1));
	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(0, tw_after(self->fd, 2, 0));
		ASSERT_EQ(1, tw_read(self->fd, self->again, 8));
		ASSERT_EQ(2, self->again[0].id);
		ASSERT_EQ(TWHEEL_FREE, tw_ack(self->fd, &self->again[0]));
	}
	EXPECT_EQ(TWHEEL_DELIVERED, tw_state(self->fd, 1));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->fd, &self->event[0]));
}

TEST_F(ack, extended_lease_ends_when_it_says)
{
	struct twheel_ack ack = { .lease_ns = 2 * TW_HOUR };
	__u64 from = tw_now();

	ASSERT_TRUE(deliver(self, 1));
	ack.id = self->event[0].id;
	ack.token = self->event[0].token;
	ASSERT_EQ(0, tw_lease_ioctl(self->fd, TWHEEL_IOC_EXTEND, &ack));
	EXPECT_EQ(TWHEEL_DELIVERED, ack.state);
	EXPECT_LE(from + 2 * TW_HOUR, ack.lease_end_ns);
	EXPECT_GE(tw_now() + 2 * TW_HOUR, ack.lease_end_ns);
	/* A lease can be made shorter as well. */
	ASSERT_EQ(0, tw_extend(self->fd, &self->event[0], 1));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(lapsed), 1));
	EXPECT_EQ(-ESTALE, tw_ack(self->fd, &self->event[0]));
	ASSERT_EQ(1, tw_read(self->other, self->again, 8));
	EXPECT_TRUE(is_again(&self->again[0], &self->event[0]));
}

TEST_F(ack, submit_acknowledges_rejects_and_extends)
{
	struct twheel_result result[4];
	struct twheel_op op[4];
	unsigned int i;

	ASSERT_TRUE(deliver(self, 4));
	for (i = 0; i < 4; i++) {
		op[i] = tw_op(TWHEEL_OP_ACK, self->event[i].id);
		op[i].token = self->event[i].token;
	}
	op[1].opcode = TWHEEL_OP_REJECT;
	op[2].opcode = TWHEEL_OP_EXTEND;
	op[2].time_ns = TW_HOUR;
	op[3].token = self->event[2].token;
	ASSERT_EQ(4, tw_submit(self->fd, op, result, 4));
	EXPECT_EQ(0, result[0].error);
	EXPECT_EQ(TWHEEL_FREE, result[0].outcome);
	EXPECT_EQ(self->event[0].generation, result[0].generation);
	EXPECT_EQ(0, result[1].error);
	EXPECT_EQ(TWHEEL_DUE, result[1].outcome);
	EXPECT_EQ(0, result[2].error);
	EXPECT_EQ(TWHEEL_DELIVERED, result[2].outcome);
	EXPECT_LT(tw_now(), result[2].deadline_ns);
	EXPECT_EQ(-ESTALE, result[3].error);
	EXPECT_EQ(0, result[3].generation);
}

/* A reader that is gone: its leases come back when nobody has it any more. */
TEST_F(ack, last_close_returns_leases)
{
	int copy = dup(self->fd);

	ASSERT_LE(0, copy);
	ASSERT_TRUE(deliver(self, 2));
	close(self->fd);
	ASSERT_EQ(0, tw_stats(self->other, &self->stats));
	EXPECT_EQ(2, self->stats.in_flight);
	EXPECT_EQ(TWHEEL_FREE, tw_ack(copy, &self->event[1]));
	close(copy);
	self->fd = -1;
	ASSERT_EQ(1, tw_read(self->other, self->again, 8));
	EXPECT_TRUE(is_again(&self->again[0], &self->event[0]));
}

TEST_F(ack, killed_reader_returns_leases)
{
	int pipe_fd[2], reader;
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(pipe_fd));
	reader = tw_reader(self->fd, 0);
	ASSERT_LE(0, reader);
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 3));
	pid = tw_fork();
	if (!pid) {
		byte = tw_read(reader, self->event, 8);
		if (write(pipe_fd[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	close(reader);
	ASSERT_EQ(1, read(pipe_fd[0], &byte, 1));
	EXPECT_EQ(3, byte);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(3, self->stats.in_flight);
	kill(pid, SIGKILL);
	ASSERT_EQ(-1, tw_reap(pid));
	ASSERT_EQ(3, tw_read(self->fd, self->again, 8));
	EXPECT_EQ(2, self->again[0].attempt);
	EXPECT_EQ(1, self->again[0].id);
	EXPECT_EQ(3, self->again[2].id);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

/* What ends a delivery, for the fence. */
static int end_arming(int fd, enum twheel_opcode how, __u32 *outcome)
{
	struct twheel_start start = { .id = 1, .time_ns = TW_HOUR };
	struct twheel_reset reset = {
		.id = 1,
		.time_ns = TW_HOUR,
		.flags = TWHEEL_NEW_TIMEOUT,
	};
	struct twheel_stop stop;
	int ret;

	if (how == TWHEEL_OP_STOP) {
		ret = tw_stop(fd, 1, &stop);
		*outcome = stop.outcome;
	} else if (how == TWHEEL_OP_RESET) {
		ret = tw_reset(fd, &reset);
		*outcome = reset.outcome;
	} else {
		ret = tw_start(fd, &start);
		*outcome = start.outcome;
	}
	return ret;
}

static void expect_fence(struct __test_metadata *_metadata,
			 struct _test_data_ack *self, enum twheel_opcode how)
{
	__u32 outcome;

	ASSERT_TRUE(deliver(self, 1));
	ASSERT_EQ(0, end_arming(self->fd, how, &outcome));
	EXPECT_EQ(TWHEEL_WAS_DELIVERED, outcome);
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(0, self->before.stats.in_flight);
	EXPECT_EQ(1, self->before.stats.withdrawn);
	EXPECT_EQ(-ESTALE, tw_ack(self->fd, &self->event[0]));
	EXPECT_EQ(-ESTALE, tw_reject(self->fd, &self->event[0]));
	EXPECT_EQ(-ESTALE, tw_extend(self->fd, &self->event[0], 1));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(ack, stop_is_a_fence_for_acknowledgements)
{
	expect_fence(_metadata, self, TWHEEL_OP_STOP);
}

TEST_F(ack, reset_is_a_fence_for_acknowledgements)
{
	expect_fence(_metadata, self, TWHEEL_OP_RESET);
}

TEST_F(ack, restart_is_a_fence_for_acknowledgements)
{
	expect_fence(_metadata, self, TWHEEL_OP_START);
}

/* ACK, REJECT and EXTEND by @fd fail with ESTALE, and change nothing. */
static void expect_stale(struct __test_metadata *_metadata,
			 struct _test_data_ack *self, int fd,
			 const struct twheel_event *event)
{
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-ESTALE, tw_ack(fd, event));
	EXPECT_EQ(-ESTALE, tw_reject(fd, event));
	EXPECT_EQ(-ESTALE, tw_extend(fd, event, TW_SEC));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(ack, unknown_id_is_stale)
{
	ASSERT_TRUE(deliver(self, 1));
	self->event[0].id = 99;
	expect_stale(_metadata, self, self->fd, &self->event[0]);
}

TEST_F(ack, foreign_delivery_is_stale)
{
	ASSERT_TRUE(deliver(self, 1));
	expect_stale(_metadata, self, self->other, &self->event[0]);
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->fd, &self->event[0]));
}

TEST_F(ack, foreign_instance_is_stale)
{
	int stranger = tw_pool(tw_leased(TW_HOUR, 0));

	ASSERT_LE(0, stranger);
	ASSERT_TRUE(deliver(self, 1));
	expect_stale(_metadata, self, stranger, &self->event[0]);
	close(stranger);
}

TEST_F(ack, old_delivery_is_stale)
{
	ASSERT_TRUE(deliver(self, 1));
	ASSERT_EQ(TWHEEL_DUE, tw_reject(self->fd, &self->event[0]));
	ASSERT_EQ(1, tw_read(self->fd, self->again, 8));
	expect_stale(_metadata, self, self->fd, &self->event[0]);
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->fd, &self->again[0]));
}

TEST_F(ack, second_acknowledgement_is_stale)
{
	ASSERT_TRUE(deliver(self, 1));
	ASSERT_EQ(TWHEEL_FREE, tw_ack(self->fd, &self->event[0]));
	expect_stale(_metadata, self, self->fd, &self->event[0]);
}

TEST_F(ack, expiry_that_was_never_delivered_is_stale)
{
	struct twheel_event event = { .id = 1, .token = 1 };

	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	expect_stale(_metadata, self, self->fd, &event);
	ASSERT_TRUE(tw_expire(self->fd, 1));
	expect_stale(_metadata, self, self->fd, &event);
	event.token = 0;
	expect_stale(_metadata, self, self->fd, &event);
}

TEST_F(ack, lease_outside_its_range_is_refused)
{
	ASSERT_TRUE(deliver(self, 1));
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EINVAL, tw_extend(self->fd, &self->event[0], 0));
	EXPECT_EQ(-EINVAL, tw_extend(self->fd, &self->event[0],
				     TWHEEL_LEASE_MAX_NS + 1));
	EXPECT_EQ(-EINVAL, tw_extend(self->fd, &self->event[0], U64_MAX));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_EQ(0, tw_extend(self->fd, &self->event[0], TWHEEL_LEASE_MAX_NS));
}

/* ACK and REJECT have no use for a lease. */
TEST_F(ack, lease_that_is_not_used_is_refused)
{
	struct twheel_ack ack = { .lease_ns = 1 };

	ASSERT_TRUE(deliver(self, 1));
	tw_snapshot(self->fd, 1, &self->before);
	ack.id = self->event[0].id;
	ack.token = self->event[0].token;
	EXPECT_EQ(-EOPNOTSUPP, tw_lease_ioctl(self->fd, TWHEEL_IOC_ACK, &ack));
	EXPECT_EQ(-EOPNOTSUPP, tw_lease_ioctl(self->fd, TWHEEL_IOC_REJECT,
					      &ack));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(ack, nothing_to_acknowledge_where_reading_is_the_end)
{
	int fd = tw_open();
	struct tw_snapshot before;

	ASSERT_LE(0, fd);
	ASSERT_TRUE(tw_expire(fd, 1));
	ASSERT_EQ(1, tw_read(fd, self->event, 8));
	EXPECT_EQ(0, self->event[0].token);
	tw_snapshot(fd, 1, &before);
	EXPECT_EQ(-EINVAL, tw_ack(fd, &self->event[0]));
	EXPECT_EQ(-EINVAL, tw_reject(fd, &self->event[0]));
	EXPECT_EQ(-EINVAL, tw_extend(fd, &self->event[0], TW_SEC));
	EXPECT_TRUE(tw_unchanged(fd, &before));
	close(fd);
}

/* An instance where the lease of the first reader has run out. */
struct late {
	int fd;
	int other;
	struct twheel_event a, b;	/* what they have read */
};

/* Returns what came of prolonging the lease of the other reader. */
static int be_late(struct __test_metadata *_metadata, struct late *late,
		   __u64 lease_ns)
{
	__u64 delivered;

	late->fd = tw_pool(tw_leased(lease_ns, 0));
	late->other = tw_reader(late->fd, 0);
	ASSERT_LE(0, late->fd);
	ASSERT_LE(0, late->other);
	ASSERT_TRUE(tw_expire(late->fd, 1));
	delivered = tw_now();
	ASSERT_EQ(1, tw_read(late->fd, &late->a, 1));
	/* It waits for the end of the lease, which must not come early. */
	ASSERT_EQ(1, tw_read(late->other, &late->b, 1));
	EXPECT_LE(delivered + lease_ns, tw_now());
	return tw_extend(late->other, &late->b, TW_HOUR);
}

/* Case 14, step by step. */
TEST(late_acknowledgement_is_stale_and_the_next_reader_keeps_its_lease)
{
	struct late late = { .fd = -1, .other = -1 };
	struct twheel_event a, b;
	struct twheel_stats stats;
	__u64 lease_ns = LEASE_NS;
	int fd, other, third;

	/* Again with longer ones, if that of the other has run out as well. */
	while (be_late(_metadata, &late, lease_ns) == -ESTALE) {
		close(late.other);
		close(late.fd);
		lease_ns *= 2;
	}
	fd = late.fd;
	other = late.other;
	a = late.a;
	b = late.b;
	third = tw_reader(fd, 0);
	ASSERT_LE(0, third);
	EXPECT_EQ(a.id, b.id);
	EXPECT_EQ(2, b.attempt);
	EXPECT_EQ(0, tw_extend(other, &b, TW_HOUR));
	EXPECT_EQ(-ESTALE, tw_ack(fd, &a));
	ASSERT_EQ(0, tw_stats(fd, &stats));
	EXPECT_EQ(1, stats.in_flight);
	EXPECT_EQ(-ESTALE, tw_ack(third, &b));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(other, &b));
	EXPECT_EQ(-ESTALE, tw_ack(other, &b));
	close(third);
	close(other);
	close(fd);
}

/* What came of acknowledging at the end of a lease. */
struct race {
	struct tw_race aim;
	unsigned int acked;
	unsigned int stale;
	unsigned int other;
};

static void ack_at_the_end(int fd, const struct twheel_event *event,
			   const __u64 *when, int count, struct race *race)
{
	unsigned int stale = race->stale;
	int i, ret;

	for (i = 0; i < count; i++) {
		tw_spin_until(when[i]);
		ret = tw_ack(fd, &event[i]);
		race->acked += !ret;
		race->stale += ret == -ESTALE;
		race->other += ret && ret != -ESTALE;
	}
	tw_race_end(&race->aim, count, race->stale - stale);
}

/* Until there were enough, in time and too late; or patience is at its end. */
static bool goes_on(const struct race *race, unsigned int races, __u64 give_up)
{
	if (race->acked + race->stale < races)
		return true;
	return !(race->acked && race->stale) && tw_now() < give_up;
}

/*
 * Leases that end while they are acknowledged.  Each delivery is won once: it was
 * acknowledged and never comes again, or it comes again.
 */
TEST(acknowledgement_races_the_end_of_the_lease)
{
	static struct twheel_event event[BATCH];
	static __u64 when[BATCH];
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);
	unsigned int races = tw_scaled(RACES), deliveries = 0, next = 0;
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	struct race race = { .aim = TW_RACE_FIRST };
	struct twheel_stats stats;
	int fd, got;

	setup.tick_shift = 15;
	fd = tw_pool(setup);
	ASSERT_LE(0, fd);
	do {
		for (; next - race.acked < BATCH; next++)
			ASSERT_EQ(0, tw_after(fd, next, 0));
		got = tw_read(fd, event, BATCH);
		ASSERT_LT(0, got);
		deliveries += got;
		ASSERT_TRUE(tw_race_begin(&race.aim, fd, event, got, when));
		ack_at_the_end(fd, event, when, got, &race);
		ASSERT_EQ(0, race.other);
		ASSERT_EQ(deliveries, race.acked + race.stale);
	} while (goes_on(&race, races, give_up));
	ASSERT_EQ(0, tw_stats(fd, &stats));
	EXPECT_EQ(0, stats.in_flight);
	EXPECT_EQ(race.acked, stats.delivered);
	EXPECT_EQ(race.stale, stats.lapsed);
	EXPECT_EQ(next, stats.delivered + stats.timers);
	EXPECT_LT(0, race.acked);
	EXPECT_LT(0, race.stale);
	EXPECT_TRUE(tw_books_balance(fd));
	TH_LOG("%u acknowledged, %u too late", race.acked, race.stale);
	close(fd);
}

TEST_HARNESS_MAIN
