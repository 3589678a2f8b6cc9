// SPDX-License-Identifier: GPL-2.0
/*
 * Leases: who shares them, what they do to a grid, and in what order expiries
 * come back
 */
#include "twheel_pool.h"

#define ROOM		64
#define INTERVAL	(2 * TW_MS)
#define ROUNDS		500

FIXTURE(lease) {
	int fd;		/* that is no reader */
	int reader[2];
	struct twheel_event event[ROOM];
	struct twheel_event again[ROOM];
	struct twheel_stats stats;
	struct tw_snapshot before;
};

FIXTURE_SETUP(lease)
{
	tw_no_pool(&self->fd, self->reader, ARRAY_SIZE(self->reader));
}

FIXTURE_TEARDOWN(lease)
{
	tw_close_pool(self->fd, self->reader, ARRAY_SIZE(self->reader));
}

/* Two readers, and leases that a test does not live to see the end of. */
static bool make_pool(struct _test_data_lease *self, __u32 dispatch)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);

	setup.dispatch = dispatch;
	return tw_make_pool(&self->fd, self->reader, ARRAY_SIZE(self->reader), setup,
			    TWHEEL_READER_NONBLOCK);
}

static void leave(struct _test_data_lease *self, unsigned int i)
{
	close(self->reader[i]);
	self->reader[i] = -1;
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

/* A child has the descriptor as well, and can acknowledge what the parent has read. */
TEST_F(lease, is_shared_after_fork_and_lasts_as_long_as_either)
{
	int ready[2], go[2];
	char byte = 0;
	pid_t pid;

	ASSERT_TRUE(make_pool(self, TWHEEL_SHARED));
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 2));
	ASSERT_EQ(2, tw_read(self->reader[0], self->event, ROOM));
	pid = tw_fork();
	if (!pid) {
		byte = tw_ack(self->reader[0], &self->event[0]) == TWHEEL_FREE;
		if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(1);
		_exit(0);
	}
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	EXPECT_EQ(1, byte);
	leave(self, 0);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.in_flight);
	ASSERT_EQ(1, write(go[1], &byte, 1));
	EXPECT_EQ(0, tw_reap(pid));
	ASSERT_EQ(1, tw_read(self->reader[1], self->again, ROOM));
	EXPECT_EQ(2, self->again[0].id);
	EXPECT_EQ(2, self->again[0].attempt);
	close(ready[0]);
	close(ready[1]);
	close(go[0]);
	close(go[1]);
}

/* More than are moved in one hold of the lock. */
TEST_F(lease, many_come_back_in_order)
{
	static struct twheel_event event[500];
	unsigned int i, odd = 0;

	ASSERT_TRUE(make_pool(self, TWHEEL_SHARED));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, ARRAY_SIZE(event)));
	ASSERT_EQ(ARRAY_SIZE(event), tw_read(self->reader[0], event,
					     ARRAY_SIZE(event)));
	ASSERT_TRUE(tw_expire_row(self->fd, 1000, 1));
	leave(self, 0);
	ASSERT_EQ(ARRAY_SIZE(event), tw_read(self->reader[1], event,
					     ARRAY_SIZE(event)));
	for (i = 0; i < ARRAY_SIZE(event); i++)
		odd += event[i].id != i || event[i].attempt != 2;
	EXPECT_EQ(0, odd);
	ASSERT_EQ(1, tw_read(self->reader[1], event, 2));
	EXPECT_EQ(1000, event[0].id);
	EXPECT_EQ(1, event[0].attempt);
}

static void expect_older_first(struct __test_metadata *_metadata,
			       struct _test_data_lease *self, __u32 dispatch)
{
	ASSERT_TRUE(make_pool(self, dispatch));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 4));
	ASSERT_EQ(2, tw_read(self->reader[0], self->event, ROOM));
	ASSERT_TRUE(tw_expire_row(self->fd, 4, 4));
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->reader[0], &self->event[1]));
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->reader[0], &self->event[0]));
	ASSERT_EQ(4, tw_read(self->reader[0], self->again, ROOM));
	EXPECT_EQ(0, self->again[0].id);
	EXPECT_EQ(2, self->again[0].attempt);
	EXPECT_EQ(2, self->again[1].id);
	EXPECT_EQ(4, self->again[2].id);
	EXPECT_EQ(6, self->again[3].id);
	EXPECT_EQ(1, self->again[3].attempt);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(lease, redelivery_comes_before_younger_ones_in_turn)
{
	expect_older_first(_metadata, self, TWHEEL_ROUND_ROBIN);
}

TEST_F(lease, redelivery_comes_before_younger_ones_by_id)
{
	expect_older_first(_metadata, self, TWHEEL_BY_ID);
}

/* By ID it is the same reader's again, and no other's. */
TEST_F(lease, redelivery_by_id_stays_with_its_reader)
{
	ASSERT_TRUE(make_pool(self, TWHEEL_BY_ID));
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_EQ(1, tw_read(self->reader[1], self->event, ROOM));
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->reader[1], &self->event[0]));
	EXPECT_EQ(0, tw_poll(self->reader[0], 0));
	EXPECT_EQ(-EAGAIN, tw_read(self->reader[0], self->again, ROOM));
	EXPECT_EQ(1, tw_read(self->reader[1], self->again, ROOM));
}

TEST_F(lease, leaving_readers_line_and_leases_are_dealt_out_in_order)
{
	unsigned int i;

	ASSERT_TRUE(make_pool(self, TWHEEL_ROUND_ROBIN));
	ASSERT_TRUE(tw_expire_row(self->fd, 0, 8));
	/* 0 and 2 are under its leases, and 4 and 6 in its line. */
	ASSERT_EQ(2, tw_read(self->reader[0], self->event, 2));
	leave(self, 0);
	ASSERT_EQ(8, tw_read(self->reader[1], self->again, ROOM));
	EXPECT_TRUE(is_row(self->again, 0, 8));
	for (i = 0; i < 8; i++)
		EXPECT_EQ(i == 0 || i == 2 ? 2 : 1, self->again[i].attempt);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/* What is in flight takes no place in a queue. */
TEST_F(lease, does_not_block_other_ids_of_a_bounded_line)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);
	unsigned int i;

	setup.dispatch = TWHEEL_BY_ID;
	setup.queue_len = 1;
	self->fd = tw_pool(setup);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < ROOM; i++) {
		ASSERT_TRUE(tw_expire(self->fd, i));
		ASSERT_EQ(1, tw_read(self->fd, &self->event[i], 1));
		EXPECT_EQ(i, self->event[i].id);
	}
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(ROOM, self->stats.in_flight);
	for (i = ROOM; i--;)
		EXPECT_EQ(TWHEEL_FREE, tw_ack(self->fd, &self->event[i]));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/* A lease of an arming that is no more has no end. */
TEST_F(lease, of_an_earlier_arming_does_not_end_the_next_one)
{
	__u64 end;

	ASSERT_TRUE(make_pool(self, TWHEEL_SHARED));
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, ROOM));
	ASSERT_EQ(0, tw_extend(self->reader[0], &self->event[0], 50 * TW_MS));
	end = tw_now() + 50 * TW_MS;
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	tw_spin_until(end + 20 * TW_MS);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.armed);
	EXPECT_EQ(0, self->stats.waiting);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(lease, counters_are_those_of_its_reader)
{
	ASSERT_TRUE(make_pool(self, TWHEEL_SHARED));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 4));
	ASSERT_EQ(4, tw_read(self->reader[0], self->event, ROOM));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->reader[0], &self->event[0]));
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->reader[0], &self->event[1]));
	EXPECT_EQ(0, tw_extend(self->reader[0], &self->event[2], 1));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(lapsed), 1));
	ASSERT_EQ(2, tw_read(self->reader[1], self->again, ROOM));
	ASSERT_EQ(0, tw_reader_stats(self->fd, tw_number(self->reader[0]),
				     &self->stats));
	EXPECT_EQ(4, self->stats.expired);
	EXPECT_EQ(1, self->stats.delivered);
	EXPECT_EQ(1, self->stats.rejected);
	EXPECT_EQ(1, self->stats.lapsed);
	EXPECT_EQ(2, self->stats.passed_on);
	EXPECT_EQ(1, self->stats.in_flight);
	EXPECT_EQ(0, self->stats.redelivered);
	ASSERT_EQ(0, tw_reader_stats(self->fd, tw_number(self->reader[1]),
				     &self->stats));
	EXPECT_EQ(2, self->stats.expired);
	EXPECT_EQ(2, self->stats.redelivered);
	EXPECT_EQ(2, self->stats.in_flight);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(lease, expiry_that_comes_back_is_as_old_as_it_was)
{
	__u64 before;

	ASSERT_TRUE(make_pool(self, TWHEEL_SHARED));
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, ROOM));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.oldest_ns);
	tw_spin_until(self->event[0].fired_ns + 20 * TW_MS);
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->reader[0], &self->event[0]));
	before = tw_now();
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_LE(before - self->event[0].fired_ns, self->stats.oldest_ns);
}

/* End the lease of @event in one of the ways that there are. */
static void end_somehow(struct __test_metadata *_metadata,
			struct _test_data_lease *self,
			const struct twheel_event *event, unsigned int how)
{
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	switch (how) {
	case 0:
		EXPECT_EQ(TWHEEL_DUE, tw_reject(self->reader[0], event));
		break;
	case 1:
		EXPECT_EQ(0, tw_extend(self->reader[0], event, 1));
		ASSERT_TRUE(tw_await(self->fd, TW_STAT(lapsed),
				     self->stats.lapsed + 1));
		break;
	case 2:
		leave(self, 0);
		self->reader[0] = tw_reader(self->fd, 0);
		ASSERT_LE(0, self->reader[0]);
		break;
	default:
		EXPECT_LE(0, tw_ack(self->reader[0], event));
	}
}

/*
 * Each record of a periodic timer is of the expiry before, delivered again, or of
 * the first point of the grid behind what was acknowledged.
 */
TEST_F(lease, whatever_becomes_of_it_a_periodic_timer_keeps_its_grid)
{
	struct twheel_event *now = &self->event[0], *last = &self->again[0];
	__u64 first = tw_now() + TW_MS, seed = tw_seed();
	unsigned int i, how = 3, rounds = tw_scaled(ROUNDS);

	ASSERT_TRUE(make_pool(self, TWHEEL_SHARED));
	ASSERT_EQ(0, tw_every(self->fd, 1, first, INTERVAL));
	*last = (struct twheel_event) { .deadline_ns = first };
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(1, tw_collect(self->reader[0], now, 1));
		EXPECT_EQ(how < 3 ? last->attempt + 1 : 1, now->attempt);
		EXPECT_EQ(how < 3 ? last->deadline_ns :
				    last->deadline_ns +
				    last->expirations * INTERVAL,
			  now->deadline_ns);
		EXPECT_LE(now->deadline_ns, now->fired_ns);
		EXPECT_EQ(i ? last->generation : now->generation,
			  now->generation);
		ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
		EXPECT_EQ(1, self->stats.in_flight);
		EXPECT_EQ(0, self->stats.waiting);
		*last = *now;
		how = tw_below(&seed, 6);
		end_somehow(_metadata, self, last, how);
	}
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(lease, stop_of_a_periodic_timer_is_its_end)
{
	struct twheel_stop stop;

	ASSERT_TRUE(make_pool(self, TWHEEL_SHARED));
	ASSERT_EQ(0, tw_every(self->fd, 1, tw_now(), INTERVAL));
	ASSERT_EQ(1, tw_collect(self->reader[0], self->event, 1));
	ASSERT_EQ(0, tw_stop(self->fd, 1, &stop));
	EXPECT_EQ(TWHEEL_WAS_DELIVERED, stop.outcome);
	EXPECT_EQ(-ESTALE, tw_ack(self->reader[0], &self->event[0]));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 1));
	EXPECT_TRUE(tw_quiet_until(self->reader[0], tw_now() + 5 * INTERVAL));
}

TEST_F(lease, reset_of_a_periodic_timer_begins_its_grid_anew)
{
	struct twheel_reset reset = {
		.id = 1,
		.flags = TWHEEL_NEW_TIMEOUT | TWHEEL_ABSTIME,
	};

	ASSERT_TRUE(make_pool(self, TWHEEL_SHARED));
	ASSERT_EQ(0, tw_every(self->fd, 1, tw_now(), INTERVAL));
	ASSERT_EQ(1, tw_collect(self->reader[0], self->event, 1));
	reset.time_ns = tw_now() + 3 * TW_MS + 17;
	ASSERT_EQ(0, tw_reset(self->fd, &reset));
	EXPECT_EQ(TWHEEL_WAS_DELIVERED, reset.outcome);
	EXPECT_EQ(-ESTALE, tw_ack(self->reader[0], &self->event[0]));
	ASSERT_EQ(1, tw_collect(self->reader[0], self->again, 1));
	EXPECT_EQ(reset.time_ns, self->again[0].deadline_ns);
	EXPECT_EQ(reset.generation, self->again[0].generation);
	EXPECT_EQ(1, self->again[0].attempt);
}

/* An operation of a batch that is refused, and leaves the delivery alone. */
static int refused_op(struct _test_data_lease *self, struct twheel_op op)
{
	struct twheel_result result;

	op.id = self->event[0].id;
	if (tw_submit(self->reader[0], &op, &result, 1) != 1)
		return 1;
	return tw_unchanged(self->fd, &self->before) ? result.error : 1;
}

TEST_F(lease, operation_with_a_field_that_it_does_not_use_is_refused)
{
	__u32 opcode;
	__u64 token;

	ASSERT_TRUE(make_pool(self, TWHEEL_SHARED));
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, ROOM));
	token = self->event[0].token;
	tw_snapshot(self->fd, 1, &self->before);
#define REFUSED(...)	refused_op(self, (struct twheel_op) { __VA_ARGS__ })
	for (opcode = TWHEEL_OP_ACK; opcode <= TWHEEL_OP_EXTEND; opcode++) {
		EXPECT_EQ(-EOPNOTSUPP, REFUSED(opcode, .token = token,
					       .time_ns = 1, .flags = 1));
		EXPECT_EQ(-EOPNOTSUPP, REFUSED(opcode, .token = token,
					       .time_ns = 1, .interval_ns = 1));
		EXPECT_EQ(-EOPNOTSUPP, REFUSED(opcode, .token = token,
					       .time_ns = 1, .data = 1));
		EXPECT_EQ(-EOPNOTSUPP, REFUSED(opcode, .token = token,
					       .time_ns = 1, .slack_ns = 1));
		EXPECT_EQ(-EOPNOTSUPP, REFUSED(opcode, .token = token,
					       .time_ns = 1, .word = 1));
	}
	EXPECT_EQ(-EOPNOTSUPP, REFUSED(TWHEEL_OP_ACK, .token = token,
				       .time_ns = 1));
	EXPECT_EQ(-EOPNOTSUPP, REFUSED(TWHEEL_OP_REJECT, .token = token,
				       .time_ns = 1));
	EXPECT_EQ(-EOPNOTSUPP, REFUSED(TWHEEL_OP_STOP, .token = token));
	EXPECT_EQ(-EOPNOTSUPP, REFUSED(TWHEEL_OP_GET, .token = token));
	EXPECT_EQ(-EOPNOTSUPP, REFUSED(TWHEEL_OP_START, .token = token,
				       .time_ns = 1));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->reader[0], &self->event[0]));
}

TEST_F(lease, operation_with_a_bad_lease_or_token_is_refused)
{
	__u64 token;

	ASSERT_TRUE(make_pool(self, TWHEEL_SHARED));
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, ROOM));
	token = self->event[0].token;
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(-EINVAL, REFUSED(TWHEEL_OP_EXTEND, .token = token));
	EXPECT_EQ(-EINVAL, REFUSED(TWHEEL_OP_EXTEND, .token = token,
				   .time_ns = TWHEEL_LEASE_MAX_NS + 1));
	EXPECT_EQ(-ESTALE, REFUSED(TWHEEL_OP_ACK, .token = token + 1));
	EXPECT_EQ(-ESTALE, REFUSED(TWHEEL_OP_REJECT, .token = 0));
	EXPECT_EQ(-ESTALE, REFUSED(TWHEEL_OP_EXTEND, .token = U64_MAX,
				   .time_ns = 1));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->reader[0], &self->event[0]));
}

TEST_HARNESS_MAIN
