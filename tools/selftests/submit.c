// SPDX-License-Identifier: GPL-2.0
/*
 * SUBMIT: many operations in one call, each with what its own call would have
 * said, in order; and what is wrong with one of them is nothing to the others.
 */
#include "twheel_test.h"

#define MANY	TWHEEL_SUBMIT_MAX
/* The timer that the operations are about, and one that is in its way. */
#define ID	7
#define OTHER	8
#define DATA	0x1234567800000000ULL

/* What the timer is when the operation comes. */
enum prepared {
	FREE,
	ARMED,
	PERIODIC,
	QUEUED,
	DUE,
};

static int prepare(int fd, enum prepared how)
{
	struct twheel_start start = {
		.id = ID,
		.time_ns = TW_HOUR,
		.interval_ns = how == PERIODIC ? 2 * TW_HOUR : 0,
		.data = DATA,
	};

	switch (how) {
	case FREE:
		return 0;
	case ARMED:
	case PERIODIC:
		return tw_start(fd, &start);
	case QUEUED:
		return tw_expire(fd, ID) ? 0 : -ETIME;
	case DUE:
		return tw_expire(fd, OTHER) && tw_expire(fd, ID) ? 0 : -ETIME;
	}
	return -EINVAL;
}

static struct twheel_result by_start(int fd, const struct twheel_op *op)
{
	struct twheel_start start = {
		.id = op->id,
		.time_ns = op->time_ns,
		.interval_ns = op->interval_ns,
		.data = op->data,
		.flags = op->flags,
		.slack_ns = op->slack_ns,
	};
	int ret = tw_start(fd, &start);

	if (ret)
		return (struct twheel_result) { .error = ret };
	return (struct twheel_result) {
		.outcome = start.outcome,
		.generation = start.generation,
		.remaining_ns = start.remaining_ns,
		.deadline_ns = start.deadline_ns,
	};
}

static struct twheel_result by_stop(int fd, const struct twheel_op *op)
{
	struct twheel_stop stop;
	int ret = tw_stop(fd, op->id, &stop);

	if (ret)
		return (struct twheel_result) { .error = ret };
	return (struct twheel_result) {
		.outcome = stop.outcome,
		.generation = stop.generation,
		.remaining_ns = stop.remaining_ns,
		.data = stop.data,
	};
}

static struct twheel_result by_reset(int fd, const struct twheel_op *op)
{
	struct twheel_reset reset = {
		.id = op->id,
		.time_ns = op->time_ns,
		.flags = op->flags,
	};
	int ret = tw_reset(fd, &reset);

	if (ret)
		return (struct twheel_result) { .error = ret };
	return (struct twheel_result) {
		.outcome = reset.outcome,
		.generation = reset.generation,
		.remaining_ns = reset.remaining_ns,
		.deadline_ns = reset.deadline_ns,
	};
}

static struct twheel_result by_get(int fd, const struct twheel_op *op)
{
	struct twheel_get get;
	int ret = tw_get(fd, op->id, &get);

	if (ret)
		return (struct twheel_result) { .error = ret };
	return (struct twheel_result) {
		.outcome = get.state,
		.generation = get.generation,
		.remaining_ns = get.remaining_ns,
		.deadline_ns = get.deadline_ns,
		.data = get.data,
		.interval_ns = get.interval_ns,
	};
}

/* The result that the operation's own command makes. */
static struct twheel_result by_command(int fd, const struct twheel_op *op)
{
	switch (op->opcode) {
	case TWHEEL_OP_START:
		return by_start(fd, op);
	case TWHEEL_OP_STOP:
		return by_stop(fd, op);
	case TWHEEL_OP_RESET:
		return by_reset(fd, op);
	default:
		return by_get(fd, op);
	}
}

#define START	.opcode = TWHEEL_OP_START, .id = ID
#define STOP	.opcode = TWHEEL_OP_STOP, .id = ID
#define RESET	.opcode = TWHEEL_OP_RESET, .id = ID
#define GET	.opcode = TWHEEL_OP_GET, .id = ID

static const struct same {
	enum prepared prepared;
	struct twheel_op op;
} same[] = {
	{ FREE, { START, .time_ns = TW_HOUR, .data = 5 } },
	{ FREE, { START, .time_ns = TW_HOUR, .flags = TWHEEL_EXCLUSIVE } },
	{ FREE, { START, .time_ns = TW_HOUR, .interval_ns = TW_SEC } },
	{ FREE, { START, .time_ns = TW_HOUR, .slack_ns = TW_SEC } },
	{ FREE, { START, .time_ns = TW_HOUR << 20, .flags = TWHEEL_ABSTIME } },
	{ FREE, { START, .time_ns = 1, .flags = TWHEEL_ABSTIME } },
	{ FREE, { START, .time_ns = TW_HOUR, .interval_ns = 1 } },
	{ FREE, { START, .time_ns = U64_MAX } },
	{ FREE, { START, .time_ns = TW_HOUR, .interval_ns = INT64_MAX } },
	{ FREE, { START, .time_ns = TW_HOUR, .slack_ns = INT64_MAX } },
	{ ARMED, { START, .time_ns = 2 * TW_HOUR } },
	{ ARMED, { START, .time_ns = TW_HOUR, .flags = TWHEEL_EXCLUSIVE } },
	{ ARMED, { START, .time_ns = U64_MAX } },
	{ QUEUED, { START, .time_ns = TW_HOUR } },
	{ DUE, { START, .time_ns = TW_HOUR } },
	{ FREE, { STOP } },
	{ ARMED, { STOP } },
	{ PERIODIC, { STOP } },
	{ QUEUED, { STOP } },
	{ DUE, { STOP } },
	{ FREE, { RESET } },
	{ ARMED, { RESET } },
	{ ARMED, { RESET, .time_ns = 2 * TW_HOUR, .flags = TWHEEL_NEW_TIMEOUT } },
	{ ARMED, { RESET, .time_ns = TW_HOUR << 20,
		   .flags = TWHEEL_NEW_TIMEOUT | TWHEEL_ABSTIME } },
	{ ARMED, { RESET, .time_ns = U64_MAX, .flags = TWHEEL_NEW_TIMEOUT } },
	{ ARMED, { RESET, .time_ns = 1 } },
	{ ARMED, { RESET, .flags = TWHEEL_ABSTIME } },
	{ PERIODIC, { RESET } },
	{ PERIODIC, { RESET, .time_ns = INT64_MAX,
		      .flags = TWHEEL_NEW_TIMEOUT | TWHEEL_ABSTIME } },
	{ QUEUED, { RESET, .time_ns = TW_HOUR, .flags = TWHEEL_NEW_TIMEOUT } },
	{ DUE, { RESET, .time_ns = TW_HOUR, .flags = TWHEEL_NEW_TIMEOUT } },
	{ FREE, { GET } },
	{ ARMED, { GET } },
	{ PERIODIC, { GET } },
	{ QUEUED, { GET } },
	{ DUE, { GET } },
};

/* An instance whose queue holds one expiry, prepared; or -1. */
static int open_prepared(enum prepared how)
{
	struct twheel_setup setup = { .queue_len = 1 };
	int fd = tw_open();

	if (fd < 0 || tw_setup(fd, &setup) || prepare(fd, how))
		return -1;
	return fd;
}

/* Times that were taken at most @apart from each other. */
static bool near(__u64 a, __u64 b, __u64 apart)
{
	if (!a || !b)
		return a == b;
	return a < b ? b - a <= apart : a - b <= apart;
}

static bool same_result(const struct twheel_result *a,
			const struct twheel_result *b, __u64 apart)
{
	return a->error == b->error && a->outcome == b->outcome &&
	       a->generation == b->generation && a->data == b->data &&
	       a->interval_ns == b->interval_ns &&
	       near(a->remaining_ns, b->remaining_ns, apart) &&
	       near(a->deadline_ns, b->deadline_ns, apart);
}

static bool same_books(int a, int b)
{
	struct tw_snapshot one, other;

	tw_snapshot(a, ID, &one);
	tw_snapshot(b, ID, &other);
	return one.found == other.found && one.get.state == other.get.state &&
	       one.get.data == other.get.data &&
	       one.get.slack_ns == other.get.slack_ns &&
	       one.get.generation == other.get.generation &&
	       !memcmp(&one.stats, &other.stats, sizeof(one.stats));
}

TEST(each_operation_says_what_its_command_says)
{
	struct twheel_result submitted, called;
	int batch, single;
	unsigned int i;
	__u64 since;

	for (i = 0; i < ARRAY_SIZE(same); i++) {
		since = tw_now();
		batch = open_prepared(same[i].prepared);
		single = open_prepared(same[i].prepared);
		ASSERT_LE(0, batch);
		ASSERT_LE(0, single);
		memset(&submitted, TW_POISON, sizeof(submitted));
		ASSERT_EQ(1, tw_submit(batch, &same[i].op, &submitted, 1));
		called = by_command(single, &same[i].op);
		/* One that was started in the past expires in both. */
		if (!called.error && same[i].op.time_ns == 1)
			ASSERT_TRUE(tw_await(batch, TW_STAT(expired), 1) &&
				    tw_await(single, TW_STAT(expired), 1));
		EXPECT_TRUE(same_result(&submitted, &called, tw_now() - since) &&
			    same_books(batch, single)) {
			TH_LOG("case %u: operation %u, timer %d: %d, not %d", i,
			       same[i].op.opcode, same[i].prepared,
			       submitted.error, called.error);
		}
		close(batch);
		close(single);
	}
}

FIXTURE(batch) {
	int fd;
	struct twheel_op *ops;
	struct twheel_result *results;
	struct twheel_stats stats;
	struct tw_snapshot before;
};

FIXTURE_SETUP(batch)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	self->ops = calloc(MANY + 1, sizeof(*self->ops));
	self->results = malloc((MANY + 1) * sizeof(*self->results));
	ASSERT_NE(NULL, self->ops);
	ASSERT_NE(NULL, self->results);
	memset(self->results, TW_POISON, (MANY + 1) * sizeof(*self->results));
}

FIXTURE_TEARDOWN(batch)
{
	free(self->ops);
	free(self->results);
	close(self->fd);
}

static int submit(struct _test_data_batch *self, unsigned int count)
{
	return tw_submit(self->fd, self->ops, self->results, count);
}

TEST_F(batch, operations_on_one_timer_keep_their_order)
{
	struct twheel_result *results = self->results;

	self->ops[0] = tw_op_after(ID, TW_HOUR);
	self->ops[1] = tw_op(TWHEEL_OP_RESET, ID);
	self->ops[2] = tw_op(TWHEEL_OP_GET, ID);
	self->ops[3] = tw_op(TWHEEL_OP_STOP, ID);
	self->ops[4] = tw_op(TWHEEL_OP_STOP, ID);
	self->ops[5] = tw_op_after(ID, 2 * TW_HOUR);
	ASSERT_EQ(6, submit(self, 6));
	EXPECT_EQ(5, tw_count_errors(results, 6, 0));
	EXPECT_EQ(TWHEEL_WAS_FREE, results[0].outcome);
	EXPECT_EQ(TWHEEL_STOPPED, results[1].outcome);
	EXPECT_LT(results[0].generation, results[1].generation);
	EXPECT_EQ(TWHEEL_ARMED, results[2].outcome);
	EXPECT_EQ(results[1].generation, results[2].generation);
	EXPECT_EQ(results[1].deadline_ns, results[2].deadline_ns);
	EXPECT_EQ(TWHEEL_STOPPED, results[3].outcome);
	EXPECT_EQ(results[1].generation, results[3].generation);
	EXPECT_EQ(-ENOENT, results[4].error);
	EXPECT_EQ(TWHEEL_WAS_FREE, results[5].outcome);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, ID));
}

TEST_F(batch, relative_timeouts_run_from_the_call)
{
	__u64 before, after;
	unsigned int i;

	tw_fill_ops(self->ops, 500, TWHEEL_OP_START, 0);
	before = tw_now();
	ASSERT_EQ(500, submit(self, 500));
	after = tw_now();
	for (i = 0; i < 500; i++) {
		EXPECT_LE(before + TW_HOUR, self->results[i].deadline_ns);
		EXPECT_GE(after + TW_HOUR, self->results[i].deadline_ns);
	}
}

TEST_F(batch, started_timers_expire)
{
	struct twheel_event events[300];
	__u64 late = tw_now();
	unsigned int i;

	for (i = 0; i < 300; i++)
		self->ops[i] = tw_op_after(i, 1 + i * 20 * TW_US);
	ASSERT_EQ(300, submit(self, 300));
	ASSERT_EQ(300, tw_collect(self->fd, events, 300));
	for (i = 0; i < 300; i++) {
		EXPECT_LE(events[i].deadline_ns, events[i].fired_ns);
		EXPECT_LE(late + 1 + events[i].id * 20 * TW_US,
			  events[i].deadline_ns);
		EXPECT_EQ(self->results[events[i].id].generation,
			  events[i].generation);
	}
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
}

TEST_F(batch, stops_withdraw_unread_expiries)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		self->ops[i] = tw_op_after(i, 1);
	ASSERT_EQ(1000, submit(self, 1000));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(expired), 1000));
	/* The queue is full, and the others wait for room in it. */
	tw_fill_ops(self->ops, 1000, TWHEEL_OP_STOP, 0);
	ASSERT_EQ(1000, submit(self, 1000));
	for (i = 0; i < 1000; i++) {
		EXPECT_EQ(0, self->results[i].error);
		EXPECT_EQ(TWHEEL_WITHDREW, self->results[i].outcome);
	}
	EXPECT_EQ(0, tw_poll(self->fd, 0));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1000, self->stats.withdrawn);
	EXPECT_TRUE(tw_balanced(&self->stats));
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
}

TEST_F(batch, exclusive_start_meets_the_one_before_it)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		self->ops[i] = tw_op_after(ID, TW_HOUR);
		self->ops[i].flags = TWHEEL_EXCLUSIVE;
		self->ops[i].data = i;
	}
	ASSERT_EQ(3, submit(self, 3));
	EXPECT_EQ(0, self->results[0].error);
	EXPECT_EQ(2, tw_count_errors(self->results, 3, -EEXIST));
	self->ops[0] = tw_op(TWHEEL_OP_GET, ID);
	ASSERT_EQ(1, submit(self, 1));
	EXPECT_EQ(0, self->results[0].data);
}

/*
 * Three operations, the one in the middle wrong: has it its errno and nothing
 * else, are the others done, and is its timer as it was?
 */
static bool fails_alone(struct _test_data_batch *self,
			const struct twheel_op *bad, int error)
{
	struct twheel_result expected = { .error = error };
	struct twheel_get before, after;

	memset(self->results, TW_POISON, 3 * sizeof(*self->results));
	self->ops[0] = tw_op_after(1, TW_HOUR);
	self->ops[1] = *bad;
	self->ops[2] = tw_op_after(2, TW_HOUR);
	if (tw_get(self->fd, ID, &before) || submit(self, 3) != 3 ||
	    tw_get(self->fd, ID, &after))
		return false;
	before.remaining_ns = 0;
	after.remaining_ns = 0;
	return !memcmp(&expected, &self->results[1], sizeof(expected)) &&
	       tw_count_errors(self->results, 3, 0) == 2 &&
	       self->results[0].generation + 1 == self->results[2].generation &&
	       !memcmp(&before, &after, sizeof(before));
}

TEST_F(batch, each_unknown_operation_fails_alone)
{
	__u32 unknown[] = { 0, TWHEEL_OP_EXTEND + 1, 0x100 | TWHEEL_OP_STOP,
			    0x10000 | TWHEEL_OP_STOP, INT_MAX, ~0U };
	struct twheel_op op;
	unsigned int i;

	ASSERT_EQ(0, tw_after(self->fd, ID, TW_HOUR));
	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		op = tw_op(unknown[i], ID);
		EXPECT_TRUE(fails_alone(self, &op, -EOPNOTSUPP)) {
			TH_LOG("operation %#x", unknown[i]);
		}
	}
}

/* ID is armed, OTHER is free. */
static const struct wrong {
	int error;
	struct twheel_op op;
} wrong[] = {
	{ -EEXIST, { START, .time_ns = TW_HOUR, .flags = TWHEEL_EXCLUSIVE } },
	{ -EINVAL, { START, .time_ns = TW_HOUR, .interval_ns = 1 } },
	{ -EOVERFLOW, { START, .time_ns = U64_MAX } },
	{ -EOVERFLOW, { START, .time_ns = TW_HOUR, .interval_ns = INT64_MAX } },
	{ -EOVERFLOW, { START, .time_ns = TW_HOUR, .slack_ns = INT64_MAX } },
	{ -EINVAL, { RESET, .time_ns = 1 } },
	{ -EINVAL, { RESET, .flags = TWHEEL_ABSTIME } },
	{ -EOVERFLOW, { RESET, .time_ns = U64_MAX, .flags = TWHEEL_NEW_TIMEOUT } },
	{ -ENOENT, { .opcode = TWHEEL_OP_STOP, .id = OTHER } },
	{ -ENOENT, { .opcode = TWHEEL_OP_RESET, .id = OTHER } },
	{ -ENOENT, { .opcode = TWHEEL_OP_GET, .id = OTHER } },
};

TEST_F(batch, each_wrong_value_fails_alone)
{
	unsigned int i;

	ASSERT_EQ(0, tw_after(self->fd, ID, TW_HOUR));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_TRUE(fails_alone(self, &wrong[i].op, wrong[i].error)) {
			TH_LOG("case %u: %d, not %d", i,
			       self->results[1].error, wrong[i].error);
		}
	}
}

FIXTURE(operation) {
	struct _test_data_batch batch;
	struct twheel_op op;
};

FIXTURE_VARIANT(operation) {
	__u32 opcode;
	__u32 known_flags;
	__u64 time_ns;
	size_t unused_at;	/* up to the reserved fields */
};

FIXTURE_VARIANT_ADD(operation, start) {
	.opcode = TWHEEL_OP_START,
	.known_flags = TWHEEL_ABSTIME | TWHEEL_EXCLUSIVE | TWHEEL_MAPPED,
	.time_ns = TW_HOUR,
	.unused_at = offsetof(struct twheel_op, token),
};

FIXTURE_VARIANT_ADD(operation, stop) {
	.opcode = TWHEEL_OP_STOP,
	.unused_at = offsetof(struct twheel_op, time_ns),
};

FIXTURE_VARIANT_ADD(operation, reset) {
	.opcode = TWHEEL_OP_RESET,
	.known_flags = TWHEEL_ABSTIME | TWHEEL_NEW_TIMEOUT,
	.unused_at = offsetof(struct twheel_op, interval_ns),
};

FIXTURE_VARIANT_ADD(operation, get) {
	.opcode = TWHEEL_OP_GET,
	.unused_at = offsetof(struct twheel_op, time_ns),
};

FIXTURE_SETUP(operation)
{
	self->batch.fd = tw_open();
	ASSERT_LE(0, self->batch.fd);
	ASSERT_EQ(0, tw_after(self->batch.fd, ID, TW_HOUR));
	self->batch.ops = calloc(3, sizeof(*self->batch.ops));
	self->batch.results = calloc(3, sizeof(*self->batch.results));
	ASSERT_NE(NULL, self->batch.ops);
	ASSERT_NE(NULL, self->batch.results);
	self->op = tw_op(variant->opcode, ID);
	self->op.time_ns = variant->time_ns;
}

FIXTURE_TEARDOWN(operation)
{
	free(self->batch.ops);
	free(self->batch.results);
	close(self->batch.fd);
}

TEST_F(operation, with_an_unknown_flag_fails_alone)
{
	__u32 flag;

	for (flag = 1; flag; flag <<= 1) {
		if (flag & variant->known_flags)
			continue;
		self->op.flags = flag;
		EXPECT_TRUE(fails_alone(&self->batch, &self->op, -EOPNOTSUPP)) {
			TH_LOG("flag %#x", flag);
		}
	}
}

TEST_F(operation, with_a_byte_set_that_it_does_not_use_fails_alone)
{
	unsigned char *bytes = (unsigned char *)&self->op;
	size_t i;

	for (i = variant->unused_at; i < sizeof(self->op); i++) {
		bytes[i] = 0x80;
		EXPECT_TRUE(fails_alone(&self->batch, &self->op, -EOPNOTSUPP)) {
			TH_LOG("byte %u", (unsigned int)i);
		}
		bytes[i] = 0;
	}
}

TEST_HARNESS_MAIN
