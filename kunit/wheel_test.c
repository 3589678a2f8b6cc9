// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the wheel: add, del, advance, forward
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include "../module/compat.h"
#include "../module/wheel.h"

/* As many as any case here needs. */
#define NODES 512

/**
 * struct fixture - what a case works with
 * @wheel: A wheel.
 * @due: What it handed over.
 * @nodes: Nodes, in no list.
 */
struct fixture {
	struct twheel_wheel wheel;
	struct list_head due;
	struct twheel_node nodes[NODES];
};

/* Ticks at which a wheel begins: young, and at ages where counters wrap. */
static const u64 clocks[] = {
	0, 63, 64, 4095, (1ULL << 32) - 5, (1ULL << 48) - 5, (1ULL << 62) + 9,
};

static void describe_clock(const u64 *clk, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "from tick %llu", *clk);
}

KUNIT_ARRAY_PARAM(clock, clocks, describe_clock);

static int wheel_init(struct kunit *test)
{
	struct fixture *f = vzalloc(sizeof(*f));

	if (!f)
		return -ENOMEM;
	test->priv = f;
	INIT_LIST_HEAD(&f->due);
	twheel_wheel_init(&f->wheel, test->param_value ?
			  *(const u64 *)test->param_value : 0);
	return 0;
}

static void wheel_exit(struct kunit *test)
{
	vfree(test->priv);
}

static void check(struct kunit *test, const struct fixture *f)
{
	const char *wrong = twheel_wheel_check(&f->wheel);

	KUNIT_ASSERT_STREQ_MSG(test, wrong ?: "", "", "clk %llu, wake %llu",
			       f->wheel.clk, f->wheel.wake);
}

static bool add(struct fixture *f, u32 nr, u64 expires)
{
	f->nodes[nr].expires = expires;
	return twheel_wheel_add(&f->wheel, &f->nodes[nr]);
}

/* Advance with all the budget it takes; return the steps. */
static u32 advance(struct kunit *test, struct fixture *f, u64 now)
{
	u32 budget = U32_MAX;

	KUNIT_ASSERT_TRUE(test, twheel_wheel_advance(&f->wheel, now, &budget,
						     &f->due));
	/* What is added from now on is placed by the current time. */
	KUNIT_ASSERT_GT(test, f->wheel.clk, now);
	KUNIT_ASSERT_FALSE(test, f->wheel.tick_open);
	check(test, f);
	return U32_MAX - budget;
}

/* Take the first node that was handed over; NULL if there is none. */
static struct twheel_node *take(struct fixture *f)
{
	struct twheel_node *node;

	node = list_first_entry_or_null(&f->due, struct twheel_node, link);
	if (node)
		list_del(&node->link);
	return node;
}

static u32 count_due(const struct fixture *f)
{
	const struct twheel_node *node;
	u32 nr = 0;

	list_for_each_entry(node, &f->due, link)
		nr++;
	return nr;
}

/* 64^@level ticks. */
static u64 ticks_per_slot(u32 level)
{
	return 1ULL << (6 * level);
}

/* Timeouts around the size of a slot of each level. */
static u64 timeout_of(u32 nr)
{
	static const s64 around[] = { -1, 0, 1, 5, 31 };

	return ticks_per_slot(nr / ARRAY_SIZE(around)) +
	       around[nr % ARRAY_SIZE(around)];
}

#define TIMEOUTS (TWHEEL_LEVELS * 5)

static void expires_in_exactly_its_tick(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 expires;
	u32 i;

	for (i = 0; i < TIMEOUTS; i++) {
		expires = f->wheel.clk + timeout_of(i);
		add(f, i, expires);
		check(test, f);
		if (expires > f->wheel.clk) {
			advance(test, f, expires - 1);
			KUNIT_EXPECT_EQ_MSG(test, count_due(f), 0,
					    "early: timeout %llu",
					    timeout_of(i));
		}
		advance(test, f, expires);
		KUNIT_ASSERT_EQ_MSG(test, count_due(f), 1,
				    "late: timeout %llu", timeout_of(i));
		KUNIT_EXPECT_PTR_EQ(test, take(f), &f->nodes[i]);
	}
	KUNIT_EXPECT_EQ(test, f->wheel.nr, 0);
}

/* All at once, so that levels share the work of migration. */
static void expires_tick_by_tick(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk, now;
	struct twheel_node *node;
	u32 i, seen = 0;

	for (i = 0; i < NODES; i++)
		add(f, i, base + i * 37 % 9000);
	for (now = base; now < base + 9000; now++) {
		advance(test, f, now);
		while ((node = take(f))) {
			KUNIT_EXPECT_EQ(test, node->expires, now);
			seen++;
		}
	}
	KUNIT_EXPECT_EQ(test, seen, NODES);
}

/* The clock has jumped far ahead. */
static void due_nodes_are_in_order(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk, before = 0;
	struct twheel_node *node;
	u32 i;

	for (i = 0; i < NODES; i++)
		add(f, i, base + ticks_per_slot(i % 5) * (i * 29 % 64));
	advance(test, f, base + ticks_per_slot(6));
	KUNIT_EXPECT_EQ(test, count_due(f), NODES);
	while ((node = take(f))) {
		KUNIT_EXPECT_GE(test, node->expires, before);
		before = node->expires;
	}
}

/* Those of one tick come in the order in which they were added. */
static void ties_are_first_in_first_out(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < 10; i++)
		add(f, i, f->wheel.clk + 3);
	advance(test, f, f->wheel.clk + 3);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_PTR_EQ(test, take(f), &f->nodes[i]);
}

static void del_takes_out_of_any_place(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk;
	u32 i;

	/* Every level, this rotation and the next, alone and in company. */
	for (i = 0; i < TIMEOUTS; i++) {
		add(f, 3 * i, base + timeout_of(i));
		add(f, 3 * i + 1, base + timeout_of(i));
		add(f, 3 * i + 2, base + 2 * timeout_of(i));
	}
	check(test, f);
	for (i = 0; i < 3 * TIMEOUTS; i++) {
		/* 7 has no factor in common with the number of nodes. */
		twheel_wheel_del(&f->wheel,
				 &f->nodes[i * 7 % (3 * TIMEOUTS)]);
		check(test, f);
		KUNIT_EXPECT_EQ(test, f->wheel.nr, 3 * TIMEOUTS - 1 - i);
	}
	KUNIT_EXPECT_EQ(test, f->wheel.wake, TWHEEL_NEVER);
	advance(test, f, base + ticks_per_slot(TWHEEL_LEVELS));
	KUNIT_EXPECT_EQ(test, count_due(f), 0);
}

/* In the middle of its way down, a node can be deleted as well. */
static void del_after_migration(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk, expires = base + ticks_per_slot(3) + 70;
	u32 step = 0;

	while (f->wheel.clk < expires) {
		add(f, 0, expires);
		for (; step < 50 && f->wheel.wake < expires; step++)
			advance(test, f, f->wheel.wake);
		twheel_wheel_del(&f->wheel, &f->nodes[0]);
		check(test, f);
		KUNIT_EXPECT_EQ(test, f->wheel.wake, TWHEEL_NEVER);
		twheel_wheel_forward(&f->wheel, f->wheel.clk + 999);
	}
	advance(test, f, expires);
	KUNIT_EXPECT_EQ(test, count_due(f), 0);
}

static void past_is_due_at_clk(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk + 1000;

	twheel_wheel_forward(&f->wheel, base - 1);
	KUNIT_ASSERT_EQ(test, f->wheel.clk, base);
	add(f, 0, base - 1);
	add(f, 1, base - 999);
	add(f, 2, 0);
	check(test, f);
	KUNIT_EXPECT_EQ(test, f->wheel.wake, base);
	advance(test, f, base);
	KUNIT_EXPECT_EQ(test, count_due(f), 3);
}

/* A tick is taken up where its budget ended, and its schedule is the same. */
static void small_budgets_change_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk, end = base + 9000, migrated = 0;
	struct twheel_node *node;
	u32 round, i, budget, steps = 0, calls = 0;
	static u16 order[NODES];

	for (round = 0; round < 2; round++) {
		twheel_wheel_init(&f->wheel, base);
		for (i = 0; i < NODES; i++)
			add(f, i, base + 4096 + i % 200);
		if (!round) {
			steps = advance(test, f, end);
			migrated = f->wheel.migrated;
		}
		for (budget = 1; round; budget = 1) {
			calls++;
			if (twheel_wheel_advance(&f->wheel, end, &budget,
						 &f->due))
				break;
			KUNIT_ASSERT_EQ(test, budget, 0);
			KUNIT_ASSERT_LE(test, calls, steps);
			check(test, f);
		}
		for (i = 0; (node = take(f)); i++) {
			if (!round)
				order[i] = node - f->nodes;
			KUNIT_EXPECT_EQ(test, order[i], node - f->nodes);
		}
		KUNIT_EXPECT_EQ(test, i, NODES);
	}
	KUNIT_EXPECT_EQ(test, f->wheel.migrated, migrated);
	KUNIT_EXPECT_EQ(test, calls, steps);
}

static void no_budget_does_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk;
	u32 budget = 0;

	add(f, 0, base);
	KUNIT_EXPECT_FALSE(test, twheel_wheel_advance(&f->wheel, base, &budget,
						      &f->due));
	KUNIT_EXPECT_EQ(test, budget, 0);
	KUNIT_EXPECT_EQ(test, f->wheel.clk, base);
	KUNIT_EXPECT_EQ(test, count_due(f), 0);
	advance(test, f, base);
	KUNIT_EXPECT_EQ(test, count_due(f), 1);
}

static void forward_skips_idle_ticks(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk;

	add(f, 0, base + 1000);
	twheel_wheel_forward(&f->wheel, f->wheel.wake - 1);
	check(test, f);
	KUNIT_EXPECT_EQ(test, f->wheel.clk, f->wheel.wake);
	twheel_wheel_del(&f->wheel, &f->nodes[0]);
	twheel_wheel_forward(&f->wheel, base + 999999);
	KUNIT_EXPECT_EQ(test, f->wheel.clk, base + 1000000);
	/* Placed by the current time: close, so on the lowest level. */
	add(f, 0, base + 1000010);
	KUNIT_EXPECT_LT(test, f->nodes[0].place, TWHEEL_SLOTS);
}

static void forward_keeps_what_is_due(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk;

	add(f, 0, base + 10);
	twheel_wheel_forward(&f->wheel, base + 10);
	KUNIT_EXPECT_EQ(test, f->wheel.clk, base);
	twheel_wheel_forward(&f->wheel, base + 500);
	KUNIT_EXPECT_EQ(test, f->wheel.clk, base);
	advance(test, f, base + 10);
	KUNIT_EXPECT_EQ(test, count_due(f), 1);
}

static void forward_never_goes_back(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk;

	twheel_wheel_forward(&f->wheel, base + 99);
	twheel_wheel_forward(&f->wheel, base + 50);
	KUNIT_EXPECT_EQ(test, f->wheel.clk, base + 100);
	advance(test, f, base + 50);
	KUNIT_EXPECT_EQ(test, f->wheel.clk, base + 100);
}

static void idle_wheel_never_wakes(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk;

	KUNIT_EXPECT_EQ(test, f->wheel.wake, TWHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, advance(test, f, base + 12345678), 0);
	add(f, 0, base + 12345678 + 4000);
	advance(test, f, base + 12345678 + 4000);
	KUNIT_EXPECT_EQ(test, f->wheel.wake, TWHEEL_NEVER);
}

static void add_says_whether_wake_changed(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk;

	KUNIT_EXPECT_TRUE(test, add(f, 0, base + 50));
	KUNIT_EXPECT_EQ(test, f->wheel.wake, base + 50);
	KUNIT_EXPECT_FALSE(test, add(f, 1, base + 50));
	KUNIT_EXPECT_FALSE(test, add(f, 2, base + 60));
	KUNIT_EXPECT_FALSE(test, add(f, 3, base + 70000));
	KUNIT_EXPECT_TRUE(test, add(f, 4, base + 49));
	KUNIT_EXPECT_EQ(test, f->wheel.wake, base + 49);
}

static void del_moves_wake_back(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk;

	add(f, 0, base + 10);
	add(f, 1, base + 20);
	add(f, 2, base + 30);
	KUNIT_EXPECT_FALSE(test, twheel_wheel_del(&f->wheel, &f->nodes[1]));
	KUNIT_EXPECT_EQ(test, f->wheel.wake, base + 10);
	KUNIT_EXPECT_TRUE(test, twheel_wheel_del(&f->wheel, &f->nodes[0]));
	KUNIT_EXPECT_EQ(test, f->wheel.wake, base + 30);
	KUNIT_EXPECT_TRUE(test, twheel_wheel_del(&f->wheel, &f->nodes[2]));
	KUNIT_EXPECT_EQ(test, f->wheel.wake, TWHEEL_NEVER);
}

/* On each level its wake-up, and no more: idle means idle. */
static void one_timer_wakes_once_per_level(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 expires;
	u32 i, wakes, level;

	for (i = 0; i < TIMEOUTS; i++) {
		expires = f->wheel.clk + timeout_of(i);
		add(f, 0, expires);
		level = f->nodes[0].place / TWHEEL_SLOTS;
		for (wakes = 0; list_empty(&f->due); wakes++) {
			KUNIT_ASSERT_LE(test, wakes, level);
			KUNIT_ASSERT_LE(test, f->wheel.wake, expires);
			advance(test, f, f->wheel.wake);
		}
		KUNIT_EXPECT_PTR_EQ(test, take(f), &f->nodes[0]);
	}
}

/* An open tick stays open when all that it has left to do is deleted. */
static void open_tick_survives_del(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 base = f->wheel.clk;
	u32 budget = 2, i;

	for (i = 0; i < 4; i++)
		add(f, i, base + 7);
	KUNIT_EXPECT_FALSE(test, twheel_wheel_advance(&f->wheel, base + 7,
						      &budget, &f->due));
	for (i = 1; i < 4; i++)
		KUNIT_EXPECT_FALSE(test, twheel_wheel_del(&f->wheel,
							  &f->nodes[i]));
	check(test, f);
	KUNIT_EXPECT_EQ(test, f->wheel.wake, base + 7);
	KUNIT_EXPECT_EQ(test, advance(test, f, base + 7), 0);
	KUNIT_EXPECT_EQ(test, count_due(f), 1);
	KUNIT_EXPECT_EQ(test, f->wheel.wake, TWHEEL_NEVER);
}

static struct kunit_case wheel_cases[] = {
	KUNIT_CASE_PARAM(expires_in_exactly_its_tick, clock_gen_params),
	KUNIT_CASE_PARAM(expires_tick_by_tick, clock_gen_params),
	KUNIT_CASE_PARAM(due_nodes_are_in_order, clock_gen_params),
	KUNIT_CASE(ties_are_first_in_first_out),
	KUNIT_CASE_PARAM(del_takes_out_of_any_place, clock_gen_params),
	KUNIT_CASE_PARAM(del_after_migration, clock_gen_params),
	KUNIT_CASE_PARAM(past_is_due_at_clk, clock_gen_params),
	KUNIT_CASE_PARAM(small_budgets_change_nothing, clock_gen_params),
	KUNIT_CASE(no_budget_does_nothing),
	KUNIT_CASE_PARAM(forward_skips_idle_ticks, clock_gen_params),
	KUNIT_CASE_PARAM(forward_keeps_what_is_due, clock_gen_params),
	KUNIT_CASE(forward_never_goes_back),
	KUNIT_CASE_PARAM(idle_wheel_never_wakes, clock_gen_params),
	KUNIT_CASE(add_says_whether_wake_changed),
	KUNIT_CASE(del_moves_wake_back),
	KUNIT_CASE_PARAM(one_timer_wakes_once_per_level, clock_gen_params),
	KUNIT_CASE_PARAM(open_tick_survives_del, clock_gen_params),
	{}
};

static struct kunit_suite wheel_suite = {
	.name = "twheel_wheel",
	.init = wheel_init,
	.exit = wheel_exit,
	.test_cases = wheel_cases,
};

kunit_test_suite(wheel_suite);

MODULE_DESCRIPTION("Tests of the timing wheel");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
