// SPDX-License-Identifier: GPL-2.0
/*
 * The wheel against a sorted list: random operations
 *
 * The list holds all timers that are running, sorted by the tick in which they
 * have to expire.  Whatever the wheel hands over has to be at the head of the
 * list, and when the wheel says that it is done, the head is later than now.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "../module/compat.h"
#include "../module/wheel.h"
#include "test_random.h"

static ulong ops = 1200000;
module_param(ops, ulong, 0444);
MODULE_PARM_DESC(ops, "Random operations, over all starting ticks");

#define TIMERS 300

/* Operations of the run in which every step is checked. */
#define CHECKED_OPS 3000

/**
 * struct model_timer - a timer
 * @node: Of the wheel.
 * @due: Tick in which it has to expire.
 */
struct model_timer {
	struct twheel_node node;
	u64 due;
};

/**
 * struct model - the wheel and the list
 * @wheel: The wheel.
 * @now: The current tick; all earlier ones may be unfinished.
 * @random: Where the operations come from.
 * @running: Timers that are running.
 * @timer: The timers: first those that are running, sorted by due, then those
 *	that are not.
 * @timers: What @timer points to.
 * @expired: Timers that have expired so far.
 */
struct model {
	struct twheel_wheel wheel;
	u64 now;
	struct test_random random;
	u32 running;
	struct model_timer *timer[TIMERS];
	struct model_timer timers[TIMERS];
	u64 expired;
};

static const u64 starts[] = { 0, (1ULL << 32) - 5, (1ULL << 48) - 5 };

static void describe_start(const u64 *start, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "from tick %llu", *start);
}

KUNIT_ARRAY_PARAM(start, starts, describe_start);

static int model_init(struct kunit *test)
{
	u64 start = *(const u64 *)test->param_value;
	struct model *m = vzalloc(sizeof(*m));
	u32 i;

	if (!m)
		return -ENOMEM;
	test->priv = m;
	for (i = 0; i < TIMERS; i++)
		m->timer[i] = &m->timers[i];
	twheel_wheel_init(&m->wheel, start);
	m->now = start;
	return 0;
}

static void model_exit(struct kunit *test)
{
	vfree(test->priv);
}

/* The position of the first timer that is due after @due. */
static u32 position_after(const struct model *m, u64 due)
{
	u32 low = 0, high = m->running, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (m->timer[middle]->due <= due)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Move the timer at position @from to position @to; those between shift. */
static void move(struct model *m, u32 from, u32 to)
{
	struct model_timer *timer = m->timer[from];

	if (from > to)
		memmove(&m->timer[to + 1], &m->timer[to],
			(from - to) * sizeof(timer));
	else
		memmove(&m->timer[from], &m->timer[from + 1],
			(to - from) * sizeof(timer));
	m->timer[to] = timer;
}

/* When a timer is to expire: mostly soon, at times far away or long ago. */
static u64 random_expires(struct model *m)
{
	switch (test_random_below(&m->random, 16)) {
	case 0:
		return m->now - min(m->now, test_random_size(&m->random, 20));
	case 1:
		return twheel_horizon(m->wheel.clk);
	case 2:
		return m->wheel.clk + test_random_size(&m->random, 48);
	case 3 ... 6:
		return m->now + test_random_size(&m->random, 24);
	default:
		return m->now + test_random_below(&m->random, 9000);
	}
}

static void do_add(struct model *m)
{
	struct model_timer *timer = m->timer[m->running];

	if (m->running == TIMERS)
		return;
	timer->node.expires = min(random_expires(m),
				  twheel_horizon(m->wheel.clk));
	timer->due = max(timer->node.expires, m->wheel.clk);
	twheel_wheel_add(&m->wheel, &timer->node);
	move(m, m->running, position_after(m, timer->due));
	m->running++;
}

static void do_del(struct model *m)
{
	u32 position;

	if (!m->running)
		return;
	position = test_random_below(&m->random, m->running);
	twheel_wheel_del(&m->wheel, &m->timer[position]->node);
	move(m, position, --m->running);
}

/* Take @timer out of the list, where nothing may be due before it. */
static void expect_first(struct kunit *test, struct model *m,
			 struct model_timer *timer)
{
	u32 position = 0;

	KUNIT_ASSERT_GT(test, m->running, 0);
	KUNIT_ASSERT_EQ(test, timer->due, m->timer[0]->due);
	while (m->timer[position] != timer) {
		position++;
		KUNIT_ASSERT_LT(test, position, m->running);
	}
	move(m, position, --m->running);
	m->expired++;
}

static u32 random_budget(struct model *m)
{
	if (test_random_below(&m->random, 2))
		return U32_MAX;
	return test_random_below(&m->random, 20);
}

/* The time that goes by: mostly a few ticks, at times a jump. */
static u64 random_step(struct model *m)
{
	if (test_random_below(&m->random, 64) == 0)
		return test_random_size(&m->random, 44);
	if (test_random_below(&m->random, 8) == 0)
		return test_random_size(&m->random, 16);
	return test_random_below(&m->random, 40);
}

static void do_advance(struct kunit *test, struct model *m)
{
	u32 budget = random_budget(m), given = budget, used;
	struct model_timer *timer, *next;
	LIST_HEAD(due);
	bool done;

	m->now += random_step(m);
	done = twheel_wheel_advance(&m->wheel, m->now, &budget, &due);
	KUNIT_ASSERT_LE(test, budget, given);
	used = given - budget;
	list_for_each_entry_safe(timer, next, &due, node.link) {
		KUNIT_ASSERT_LE(test, timer->due, m->now);
		expect_first(test, m, timer);
		KUNIT_ASSERT_GT(test, used--, 0);
	}
	if (!done) {
		KUNIT_ASSERT_EQ(test, budget, 0);
		return;
	}
	KUNIT_ASSERT_FALSE(test, m->wheel.tick_open);
	KUNIT_ASSERT_GT(test, m->wheel.clk, m->now);
	if (m->running)
		KUNIT_ASSERT_GT(test, m->timer[0]->due, m->now);
}

static void do_forward(struct model *m)
{
	m->now += test_random_below(&m->random, 100);
	twheel_wheel_forward(&m->wheel, m->now);
}

static void do_something(struct kunit *test, struct model *m)
{
	switch (test_random_below(&m->random, 16)) {
	case 0 ... 6:
		return do_add(m);
	case 7 ... 10:
		return do_del(m);
	case 11:
		return do_forward(m);
	default:
		return do_advance(test, m);
	}
}

/* What can be seen from outside, in constant time. */
static void check_outside(struct kunit *test, const struct model *m)
{
	KUNIT_ASSERT_EQ(test, m->wheel.nr, m->running);
	if (m->running)
		KUNIT_ASSERT_LE(test, m->wheel.wake, m->timer[0]->due);
	else if (!m->wheel.tick_open)
		KUNIT_ASSERT_EQ(test, m->wheel.wake, TWHEEL_NEVER);
}

static void run_model(struct kunit *test, u32 stream, u64 nr, u32 check_every)
{
	struct model *m = test->priv;
	const char *wrong;
	u64 i;

	stream += (const u64 *)test->param_value - starts;
	test_random_init(test, &m->random, stream);
	for (i = 1; i <= nr && test_random_more(&m->random); i++) {
		do_something(test, m);
		check_outside(test, m);
		if (i % 1024 == 0)
			cond_resched();
		if (i % check_every)
			continue;
		wrong = twheel_wheel_check(&m->wheel);
		KUNIT_ASSERT_STREQ_MSG(test, wrong ?: "", "",
				       "operation %llu, clk %llu", i,
				       m->wheel.clk);
	}
	kunit_info(test, "%llu operations, %llu expired, %llu migrated\n", nr,
		   m->expired, m->wheel.migrated);
	/* Otherwise this has tested little. */
	TEST_RANDOM_EXPECT_GT(test, m->expired, nr / 20);
	TEST_RANDOM_EXPECT_GT(test, m->wheel.migrated, nr / 20);
}

static void every_step_checked(struct kunit *test)
{
	run_model(test, 10, CHECKED_OPS, 1);
}

static void million_operations(struct kunit *test)
{
	run_model(test, 20, ops / ARRAY_SIZE(starts), 1000);
}

static struct kunit_case wheel_model_cases[] = {
	KUNIT_CASE_PARAM(every_step_checked, start_gen_params),
	KUNIT_CASE_PARAM(million_operations, start_gen_params),
	{}
};

static struct kunit_suite wheel_model_suite = {
	.name = "twheel_wheel_model",
	.init = model_init,
	.exit = model_exit,
	.test_cases = wheel_model_cases,
};

kunit_test_suite(wheel_model_suite);

MODULE_DESCRIPTION("Tests of the timing wheel against a sorted list");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
