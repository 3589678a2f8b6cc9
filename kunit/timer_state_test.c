// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the life cycle of a timer
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/string.h>

#include "../module/broadcast.h"
#include "../module/compat.h"
#include "../module/timer.h"
#include "test_random.h"

/**
 * struct transition - what an operation does in a state
 * @state: The state.
 * @op: The operation.
 * @next: The state that follows, or -EINVAL.
 * @expired: What the books count.
 * @delivered: What the books count.
 * @withdrawn: What the books count.
 * @dropped: What the books count.
 */
struct transition {
	u32 state;
	enum twheel_step op;
	int next;
	u8 expired;
	u8 delivered;
	u8 withdrawn;
	u8 dropped;
};

/* Every state and every operation. */
static const struct transition transitions[] = {
	{ TWHEEL_FREE, TWHEEL_STEP_ARM, TWHEEL_ARMED },
	{ TWHEEL_FREE, TWHEEL_STEP_STOP, -EINVAL },
	{ TWHEEL_FREE, TWHEEL_STEP_EXPIRE, -EINVAL },
	{ TWHEEL_FREE, TWHEEL_STEP_QUEUE, -EINVAL },
	{ TWHEEL_FREE, TWHEEL_STEP_DELIVER, -EINVAL },
	{ TWHEEL_FREE, TWHEEL_STEP_DROP, -EINVAL },
	{ TWHEEL_FREE, TWHEEL_STEP_LEASE, -EINVAL },
	{ TWHEEL_FREE, TWHEEL_STEP_ACK, -EINVAL },
	{ TWHEEL_FREE, TWHEEL_STEP_RETURN, -EINVAL },
	{ TWHEEL_FREE, TWHEEL_STEP_BURY, -EINVAL },
	{ TWHEEL_FREE, TWHEEL_STEP_SETTLE, -EINVAL },

	{ TWHEEL_ARMED, TWHEEL_STEP_ARM, -EINVAL },
	{ TWHEEL_ARMED, TWHEEL_STEP_STOP, TWHEEL_FREE },
	{ TWHEEL_ARMED, TWHEEL_STEP_EXPIRE, TWHEEL_DUE, .expired = 1 },
	{ TWHEEL_ARMED, TWHEEL_STEP_QUEUE, -EINVAL },
	{ TWHEEL_ARMED, TWHEEL_STEP_DELIVER, -EINVAL },
	{ TWHEEL_ARMED, TWHEEL_STEP_DROP, -EINVAL },
	{ TWHEEL_ARMED, TWHEEL_STEP_LEASE, -EINVAL },
	{ TWHEEL_ARMED, TWHEEL_STEP_ACK, -EINVAL },
	{ TWHEEL_ARMED, TWHEEL_STEP_RETURN, -EINVAL },
	{ TWHEEL_ARMED, TWHEEL_STEP_BURY, -EINVAL },
	{ TWHEEL_ARMED, TWHEEL_STEP_SETTLE, -EINVAL },

	{ TWHEEL_DUE, TWHEEL_STEP_ARM, -EINVAL },
	{ TWHEEL_DUE, TWHEEL_STEP_STOP, TWHEEL_FREE, .withdrawn = 1 },
	{ TWHEEL_DUE, TWHEEL_STEP_EXPIRE, -EINVAL },
	{ TWHEEL_DUE, TWHEEL_STEP_QUEUE, TWHEEL_QUEUED },
	{ TWHEEL_DUE, TWHEEL_STEP_DELIVER, TWHEEL_FREE, .delivered = 1 },
	{ TWHEEL_DUE, TWHEEL_STEP_DROP, TWHEEL_FREE, .dropped = 1 },
	{ TWHEEL_DUE, TWHEEL_STEP_LEASE, TWHEEL_DELIVERED },
	{ TWHEEL_DUE, TWHEEL_STEP_ACK, -EINVAL },
	{ TWHEEL_DUE, TWHEEL_STEP_RETURN, -EINVAL },
	{ TWHEEL_DUE, TWHEEL_STEP_BURY, -EINVAL },
	{ TWHEEL_DUE, TWHEEL_STEP_SETTLE, -EINVAL },

	{ TWHEEL_QUEUED, TWHEEL_STEP_ARM, -EINVAL },
	{ TWHEEL_QUEUED, TWHEEL_STEP_STOP, TWHEEL_FREE, .withdrawn = 1 },
	{ TWHEEL_QUEUED, TWHEEL_STEP_EXPIRE, -EINVAL },
	{ TWHEEL_QUEUED, TWHEEL_STEP_QUEUE, -EINVAL },
	{ TWHEEL_QUEUED, TWHEEL_STEP_DELIVER, TWHEEL_FREE, .delivered = 1 },
	{ TWHEEL_QUEUED, TWHEEL_STEP_DROP, TWHEEL_FREE, .dropped = 1 },
	{ TWHEEL_QUEUED, TWHEEL_STEP_LEASE, TWHEEL_DELIVERED },
	{ TWHEEL_QUEUED, TWHEEL_STEP_ACK, -EINVAL },
	{ TWHEEL_QUEUED, TWHEEL_STEP_RETURN, TWHEEL_DUE },
	{ TWHEEL_QUEUED, TWHEEL_STEP_BURY, -EINVAL },
	{ TWHEEL_QUEUED, TWHEEL_STEP_SETTLE, TWHEEL_FREE },

	{ TWHEEL_DELIVERED, TWHEEL_STEP_ARM, -EINVAL },
	{ TWHEEL_DELIVERED, TWHEEL_STEP_STOP, TWHEEL_FREE, .withdrawn = 1 },
	{ TWHEEL_DELIVERED, TWHEEL_STEP_EXPIRE, -EINVAL },
	{ TWHEEL_DELIVERED, TWHEEL_STEP_QUEUE, -EINVAL },
	{ TWHEEL_DELIVERED, TWHEEL_STEP_DELIVER, -EINVAL },
	{ TWHEEL_DELIVERED, TWHEEL_STEP_DROP, -EINVAL },
	{ TWHEEL_DELIVERED, TWHEEL_STEP_LEASE, -EINVAL },
	{ TWHEEL_DELIVERED, TWHEEL_STEP_ACK, TWHEEL_FREE, .delivered = 1 },
	{ TWHEEL_DELIVERED, TWHEEL_STEP_RETURN, TWHEEL_DUE },
	{ TWHEEL_DELIVERED, TWHEEL_STEP_BURY, TWHEEL_DEAD },
	{ TWHEEL_DELIVERED, TWHEEL_STEP_SETTLE, -EINVAL },

	{ TWHEEL_DEAD, TWHEEL_STEP_ARM, -EINVAL },
	{ TWHEEL_DEAD, TWHEEL_STEP_STOP, TWHEEL_FREE, .withdrawn = 1 },
	{ TWHEEL_DEAD, TWHEEL_STEP_EXPIRE, -EINVAL },
	{ TWHEEL_DEAD, TWHEEL_STEP_QUEUE, -EINVAL },
	{ TWHEEL_DEAD, TWHEEL_STEP_DELIVER, -EINVAL },
	{ TWHEEL_DEAD, TWHEEL_STEP_DROP, -EINVAL },
	{ TWHEEL_DEAD, TWHEEL_STEP_LEASE, TWHEEL_DELIVERED },
	{ TWHEEL_DEAD, TWHEEL_STEP_ACK, -EINVAL },
	{ TWHEEL_DEAD, TWHEEL_STEP_RETURN, -EINVAL },
	{ TWHEEL_DEAD, TWHEEL_STEP_BURY, -EINVAL },
	{ TWHEEL_DEAD, TWHEEL_STEP_SETTLE, -EINVAL },
};

static void describe_transition(const struct transition *t, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "state %u, operation %d",
		 t->state, t->op);
}

KUNIT_ARRAY_PARAM(transition, transitions, describe_transition);

static void table_is_complete(struct kunit *test)
{
	const u32 all = TWHEEL_STATES * TWHEEL_STEPS;
	bool seen[TWHEEL_STATES][TWHEEL_STEPS] = { 0 };
	u32 i, nr = 0;

	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(transitions), all);
	for (i = 0; i < ARRAY_SIZE(transitions); i++) {
		nr += !seen[transitions[i].state][transitions[i].op];
		seen[transitions[i].state][transitions[i].op] = true;
	}
	KUNIT_EXPECT_EQ(test, nr, all);
}

static void next_state(struct kunit *test)
{
	const struct transition *t = test->param_value;

	KUNIT_EXPECT_EQ(test, twheel_timer_next(t->state, t->op), t->next);
}

static void step_moves_and_keeps_books(struct kunit *test)
{
	const struct transition *t = test->param_value;
	struct twheel_timer timer = { .node.state = t->state };
	struct twheel_books books = {
		.in_state = { 10, 10, 10, 10, 10, 10 },
		.expired = 20,
		.delivered = 30,
		.withdrawn = 40,
		.dropped = 50,
	};
	u32 i;

	/* An impossible step is a warning: not to be tried in a kernel. */
	if (t->next < 0)
		return;
	KUNIT_EXPECT_EQ(test, twheel_timer_step(&timer, t->op, &books),
			t->state);
	KUNIT_EXPECT_EQ(test, timer.node.state, t->next);
	KUNIT_EXPECT_EQ(test, books.expired, 20 + t->expired);
	KUNIT_EXPECT_EQ(test, books.delivered, 30 + t->delivered);
	KUNIT_EXPECT_EQ(test, books.withdrawn, 40 + t->withdrawn);
	KUNIT_EXPECT_EQ(test, books.dropped, 50 + t->dropped);
	for (i = TWHEEL_ARMED; i < TWHEEL_STATES; i++)
		KUNIT_EXPECT_EQ_MSG(test, books.in_state[i],
				    10 + (i == t->next) - (i == t->state),
				    "state %u", i);
}

static void expect_balance(struct kunit *test, const struct twheel_books *books)
{
	KUNIT_ASSERT_EQ(test, books->expired,
			books->delivered + books->withdrawn + books->dropped +
			books->in_state[TWHEEL_DUE] +
			books->in_state[TWHEEL_QUEUED] +
			books->in_state[TWHEEL_DELIVERED] +
			books->in_state[TWHEEL_DEAD]);
}

/*
 * Whatever happens to however many timers, guarantee 3.  What is settled was
 * counted elsewhere.
 */
static void books_always_balance(struct kunit *test)
{
	static struct twheel_timer timers[16];
	struct twheel_books books = { };
	struct twheel_timer *timer;
	struct test_random random;
	enum twheel_step op;
	u32 i, steps = 0;

	memset(timers, 0, sizeof(timers));
	test_random_init(test, &random, 1);
	for (i = 0; i < 20000; i++) {
		timer = &timers[test_random_below(&random, ARRAY_SIZE(timers))];
		op = test_random_below(&random, TWHEEL_STEP_SETTLE);
		if (twheel_timer_next(timer->node.state, op) < 0)
			continue;
		twheel_timer_step(timer, op, &books);
		expect_balance(test, &books);
		steps++;
	}
	KUNIT_EXPECT_GT(test, steps, 2000);
}

/**
 * struct deadline_case - a deadline that is asked for
 * @name: What it is about.
 * @now: The time.
 * @time: The timeout or deadline.
 * @absolute: It is a deadline.
 * @deadline: What is to come of it; 0 is EOVERFLOW.
 */
struct deadline_case {
	const char *name;
	u64 now;
	u64 time;
	bool absolute;
	u64 deadline;
};

#define YEARS_100 (100ULL * 365 * 24 * 3600 * 1000000000)

static const struct deadline_case deadlines[] = {
	{ "relative", 1000, 500, false, 1500 },
	{ "relative 0", 1000, 0, false, 1000 },
	{ "relative, 100 years", 1000, YEARS_100, false, YEARS_100 + 1000 },
	{ "relative, to the last ns", 1000, KTIME_MAX - 1000, false, KTIME_MAX },
	{ "relative, 1 ns more", 1000, KTIME_MAX - 999, false, 0 },
	{ "relative KTIME_MAX", 1000, KTIME_MAX, false, 0 },
	{ "relative KTIME_MAX at 0", 0, KTIME_MAX, false, KTIME_MAX },
	{ "relative -1", 1000, -1, false, 0 },
	{ "relative -46 ms", 1000, -46000000, false, 0 },
	{ "relative, top bit alone", 1000, 1ULL << 63, false, 0 },
	{ "relative U64_MAX at 0", 0, U64_MAX, false, 0 },
	{ "relative at the end", KTIME_MAX, 1, false, 0 },
	{ "relative 0 at the end", KTIME_MAX, 0, false, KTIME_MAX },
	{ "absolute", 1000, 1500, true, 1500 },
	{ "absolute, past", 1000, 1, true, 1 },
	{ "absolute KTIME_MAX", 1000, KTIME_MAX, true, KTIME_MAX },
	{ "absolute KTIME_MAX + 1", 1000, 1ULL << 63, true, 0 },
	{ "absolute -1", 1000, -1, true, 0 },
	{ "absolute -46 ms", 1000, -46000000, true, 0 },
};

static void describe_deadline(const struct deadline_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(deadline, deadlines, describe_deadline);

static void deadline_or_overflow(struct kunit *test)
{
	const struct deadline_case *c = test->param_value;
	u64 deadline = 0xdead;

	KUNIT_EXPECT_EQ(test, twheel_timer_deadline(c->now, c->time,
						    c->absolute, &deadline),
			c->deadline ? 0 : -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, deadline, c->deadline ?: 0xdead);
}

static void absolute_0_is_a_deadline(struct kunit *test)
{
	u64 deadline = 0xdead;

	KUNIT_EXPECT_EQ(test, twheel_timer_deadline(77, 0, true, &deadline), 0);
	KUNIT_EXPECT_EQ(test, deadline, 0);
}

/**
 * struct expirations_case - a timer that has expired
 * @deadline: Its deadline.
 * @interval: Its interval.
 * @now: The time.
 * @expirations: How often it has expired.
 */
struct expirations_case {
	u64 deadline;
	u64 interval;
	u64 now;
	u64 expirations;
};

static const struct expirations_case counts[] = {
	{ 100, 0, 100, 1 },
	{ 100, 0, KTIME_MAX, 1 },
	{ 100, 10, 100, 1 },
	{ 100, 10, 109, 1 },
	{ 100, 10, 110, 2 },
	{ 100, 10, 111, 2 },
	{ 100, 10, 1099, 100 },
	/* CVE-2024-38618, CVE-2018-12896: a start long ago, a short interval */
	{ 1, 1, KTIME_MAX, KTIME_MAX },
	{ 1, 2, KTIME_MAX, KTIME_MAX / 2 + 1 },
	{ 1, 32768, 1ULL << 62, (1ULL << 62) / 32768 },
	{ 1, 1000, 5000000000000000000ULL, 5000000000000000 },
	{ 1, KTIME_MAX - 1, KTIME_MAX, 2 },
	/* what does not fit into 32 bits */
	{ 0, 1048576, (1ULL << 32) * 1048576, (1ULL << 32) + 1 },
};

static void describe_count(const struct expirations_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%llu every %llu at %llu",
		 c->deadline, c->interval, c->now);
}

KUNIT_ARRAY_PARAM(count, counts, describe_count);

static void expirations_in_64_bits(struct kunit *test)
{
	const struct expirations_case *c = test->param_value;
	struct twheel_timer timer = {
		.deadline = c->deadline,
		.interval = c->interval,
	};

	KUNIT_EXPECT_EQ(test, twheel_timer_expirations(&timer, c->now),
			c->expirations);
}

static void expirations_by_counting(struct kunit *test)
{
	struct twheel_timer timer = { };
	struct test_random random;
	u64 now, point, nr;
	u32 i;

	test_random_init(test, &random, 2);
	for (i = 0; i < 1000; i++) {
		timer.deadline = test_random_size(&random, 62);
		timer.interval = 1 + test_random_size(&random, 40);
		now = timer.deadline +
		      test_random_below(&random, 50) * timer.interval +
		      test_random(&random) % timer.interval;
		for (point = timer.deadline, nr = 0; point <= now; nr++)
			point += timer.interval;
		KUNIT_ASSERT_EQ_MSG(test, twheel_timer_expirations(&timer, now),
				    nr, "%llu every %llu at %llu",
				    timer.deadline, timer.interval, now);
	}
}

static void tick_is_never_early(struct kunit *test)
{
	struct test_random random;
	u64 deadline, tick, size;
	u32 i, shift;

	test_random_init(test, &random, 3);
	for (i = 0; i < 20000; i++) {
		shift = 15 + i % 16;
		size = 1ULL << shift;
		deadline = test_random_size(&random, 63);
		if (i % 4 == 0)
			deadline -= deadline % size;
		else if (i % 4 == 1)
			deadline -= deadline % size - 1;
		tick = twheel_timer_tick(deadline, shift);
		KUNIT_ASSERT_GE_MSG(test, tick * size, deadline, "early");
		KUNIT_ASSERT_LT_MSG(test, tick * size - deadline, size,
				    "deadline %llu, shift %u", deadline, shift);
	}
}

/* The last deadline of all is not wrapped to the beginning. */
static void tick_of_the_last_deadline(struct kunit *test)
{
	u32 shift;

	for (shift = 15; shift <= 30; shift++)
		KUNIT_EXPECT_EQ(test, twheel_timer_tick(KTIME_MAX, shift),
				1ULL << (63 - shift));
}

/* Against the definition: most trailing zero bits of all that are allowed. */
static void slack_chooses_the_roundest_tick(struct kunit *test)
{
	struct test_random random;
	u64 tick, best, t;
	u32 i, slack;

	test_random_init(test, &random, 4);
	for (i = 0; i < 20000; i++) {
		tick = 1 + test_random_size(&random, i % 2 ? 10 : 47);
		slack = test_random_below(&random, 70);
		best = tick;
		for (t = tick; t <= tick + slack; t++)
			if (__ffs64(t) > __ffs64(best))
				best = t;
		KUNIT_ASSERT_EQ_MSG(test, twheel_timer_join(tick, slack), best,
				    "tick %llu, slack %u", tick, slack);
	}
}

static void slack_at_the_ends(struct kunit *test)
{
	const u64 last = KTIME_MAX >> 15;

	KUNIT_EXPECT_EQ(test, twheel_timer_join(0, 0), 0);
	KUNIT_EXPECT_EQ(test, twheel_timer_join(0, U32_MAX), 0);
	KUNIT_EXPECT_EQ(test, twheel_timer_join(1, U32_MAX), 1ULL << 32);
	KUNIT_EXPECT_EQ(test, twheel_timer_join(last, 0), last);
	KUNIT_EXPECT_EQ(test, twheel_timer_join(last, 1), last + 1);
}

static void remaining_of_each_state(struct kunit *test)
{
	struct twheel_timer timer = { };

	timer.node.state = TWHEEL_ARMED;
	KUNIT_EXPECT_EQ(test, twheel_timer_remaining(&timer, 5000, 0), 5000);
	KUNIT_EXPECT_EQ(test, twheel_timer_remaining(&timer, 5000, 4999), 1);
	KUNIT_EXPECT_EQ(test, twheel_timer_remaining(&timer, 5000, 5000), 0);
	KUNIT_EXPECT_EQ(test, twheel_timer_remaining(&timer, 5000, 5001), 0);
	KUNIT_EXPECT_EQ(test, twheel_timer_remaining(&timer, 5000, KTIME_MAX), 0);
	for (timer.node.state = TWHEEL_DUE; timer.node.state <= TWHEEL_QUEUED;
	     timer.node.state++)
		KUNIT_EXPECT_EQ_MSG(test, twheel_timer_remaining(&timer, 5000, 4000),
				    0, "state %u", timer.node.state);
}

/* design.md, section 5: a million of them is a lot of memory. */
static void object_is_within_its_budget(struct kunit *test)
{
	kunit_info(test, "bytes: timer %zu, with leases or lines %zu, copy %zu\n",
		   sizeof(struct twheel_timer),
		   sizeof(struct twheel_pooled_timer),
		   sizeof(struct twheel_copy));
	KUNIT_EXPECT_LE(test, sizeof(struct twheel_timer), 96);
	KUNIT_EXPECT_LE(test, sizeof(struct twheel_pooled_timer), 168);
	KUNIT_EXPECT_LE(test, sizeof(struct twheel_copy), 72);
}

static struct kunit_case timer_state_cases[] = {
	KUNIT_CASE(table_is_complete),
	KUNIT_CASE_PARAM(next_state, transition_gen_params),
	KUNIT_CASE_PARAM(step_moves_and_keeps_books, transition_gen_params),
	KUNIT_CASE(books_always_balance),
	KUNIT_CASE_PARAM(deadline_or_overflow, deadline_gen_params),
	KUNIT_CASE(absolute_0_is_a_deadline),
	KUNIT_CASE_PARAM(expirations_in_64_bits, count_gen_params),
	KUNIT_CASE(expirations_by_counting),
	KUNIT_CASE(tick_is_never_early),
	KUNIT_CASE(tick_of_the_last_deadline),
	KUNIT_CASE(slack_chooses_the_roundest_tick),
	KUNIT_CASE(slack_at_the_ends),
	KUNIT_CASE(remaining_of_each_state),
	KUNIT_CASE(object_is_within_its_budget),
	{}
};

static struct kunit_suite timer_state_suite = {
	.name = "twheel_timer_state",
	.test_cases = timer_state_cases,
};

kunit_test_suite(timer_state_suite);

MODULE_DESCRIPTION("Tests of the life cycle of a timer");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
