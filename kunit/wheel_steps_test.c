// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what the wheel costs, in counted steps
 *
 * The figures to reach are those of design.md, sections 4 and 5: never a large
 * deferred bill.  Time is not measured.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "../module/compat.h"
#include "../module/wheel.h"
#include "test_random.h"

static ulong nodes = 1000000;
module_param(nodes, ulong, 0444);
MODULE_PARM_DESC(nodes, "Timers in the wheel; the figures are for 1000000");

/* The default tick is 2^20 ns. */
#define SECONDS(s) ((s) * 1000000000ULL >> 20)

/**
 * struct crowd - a wheel and a large number of nodes
 * @wheel: The wheel.
 * @due: What it handed over.
 * @random: For the timeouts.
 * @node: The nodes.
 * @worst: Most migration steps in a tick.
 * @expired: Nodes that have expired.
 */
struct crowd {
	struct twheel_wheel wheel;
	struct list_head due;
	struct test_random random;
	struct twheel_node *node;
	u64 worst;
	u64 expired;
};

static int crowd_init(struct kunit *test)
{
	struct crowd *c = vzalloc(sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->node = vzalloc(nodes * sizeof(*c->node));
	if (!c->node) {
		vfree(c);
		return -ENOMEM;
	}
	INIT_LIST_HEAD(&c->due);
	test->priv = c;
	return 0;
}

static void crowd_exit(struct kunit *test)
{
	struct crowd *c = test->priv;

	if (c)
		vfree(c->node);
	vfree(c);
}

static void add(struct crowd *c, u64 nr, u64 expires)
{
	c->node[nr].expires = expires;
	twheel_wheel_add(&c->wheel, &c->node[nr]);
}

/*
 * Guarantee 5: per level, max(16, ceil(population of the next slot / ticks
 * left)) migration steps in a tick.
 */
static u64 steps_allowed(const struct twheel_wheel *w, u64 tick)
{
	u64 allowed = 0, next, left, count;
	u32 level;

	for (level = 1; level < TWHEEL_LEVELS; level++) {
		next = (tick >> 6 * level) + 1;
		left = (next << 6 * level) - tick;
		count = w->count[level * TWHEEL_SLOTS + next % TWHEEL_SLOTS];
		/* Where left is larger, 16 is: counts have 32 bits. */
		if (left <= U32_MAX)
			count = DIV_ROUND_UP((u32)count, (u32)left);
		if (count)
			allowed += max(count, 16ULL);
	}
	return allowed;
}

/* Finish @tick, and no other. */
static void do_tick(struct kunit *test, struct crowd *c, u64 tick)
{
	u64 allowed = steps_allowed(&c->wheel, tick);
	u64 before = c->wheel.migrated, steps;
	u32 budget = U32_MAX;

	KUNIT_ASSERT_TRUE(test, twheel_wheel_advance(&c->wheel, tick, &budget,
						     &c->due));
	steps = c->wheel.migrated - before;
	KUNIT_ASSERT_LE_MSG(test, steps, allowed, "tick %llu", tick);
	/* A node that moves or expires, and the visit: nothing is hidden. */
	KUNIT_ASSERT_GE_MSG(test, U32_MAX - budget, steps, "tick %llu", tick);
	c->worst = max(c->worst, steps);
}

/* Count what was handed over, all of it due in @tick. */
static u64 take_due(struct kunit *test, struct crowd *c, u64 tick)
{
	struct twheel_node *node, *next;
	u64 nr = 0;

	list_for_each_entry_safe(node, next, &c->due, link) {
		KUNIT_ASSERT_EQ(test, node->expires, tick);
		nr++;
	}
	INIT_LIST_HEAD(&c->due);
	c->expired += nr;
	return nr;
}

static void run(struct kunit *test, struct crowd *c, u64 end)
{
	u64 tick;

	for (tick = c->wheel.clk; tick <= end && c->wheel.nr; tick++) {
		do_tick(test, c, tick);
		take_due(test, c, tick);
		if (tick % 64 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_EQ(test, c->wheel.nr, 0);
	KUNIT_EXPECT_EQ(test, c->expired, nodes);
	kunit_info(test, "%lu timers: at most %llu steps in a tick, %llu in all\n",
		   nodes, c->worst, c->wheel.migrated);
}

/* @steps for 1,000,000 timers, scaled to the number that there is. */
static u64 scaled(u64 steps)
{
	return max(div64_u64(steps * nodes, 1000000), 48ULL);
}

static void timeouts_of_30_to_60_s(struct kunit *test)
{
	struct crowd *c = test->priv;
	u64 base = (1ULL << 32) - 5, i;

	test_random_init(test, &c->random, 1);
	twheel_wheel_init(&c->wheel, base);
	for (i = 0; i < nodes; i++)
		add(c, i, base + SECONDS(30) +
			  test_random_below(&c->random, SECONDS(30)));
	run(test, c, base + SECONDS(60));
	KUNIT_EXPECT_LE(test, c->worst, scaled(80));
}

static void all_in_one_slot_of_4096_ticks(struct kunit *test)
{
	struct crowd *c = test->priv;
	u64 base = 12345, slot = 13 * 4096, i;

	test_random_init(test, &c->random, 2);
	twheel_wheel_init(&c->wheel, base);
	for (i = 0; i < nodes; i++)
		add(c, i, slot + test_random_below(&c->random, 4096));
	run(test, c, slot + 4095);
	KUNIT_EXPECT_LE(test, c->worst, scaled(512));
}

static void all_on_the_same_tick(struct kunit *test)
{
	struct crowd *c = test->priv;
	u64 base = 99, expires = 3 * 4096 + 77, i;

	twheel_wheel_init(&c->wheel, base);
	for (i = 0; i < nodes; i++)
		add(c, i, expires);
	run(test, c, expires);
	/* 64 ticks, and the 16 steps that another level may take as well */
	KUNIT_EXPECT_LE(test, c->worst, DIV_ROUND_UP(nodes, 64) + 16);
}

/* As in use: timers start all the time, and whoever expires starts again. */
static void steady_state(struct kunit *test)
{
	struct crowd *c = test->priv;
	u64 running = nodes / 8, start, tick, i, nr;
	struct twheel_node *node, *next;
	LIST_HEAD(again);

	test_random_init(test, &c->random, 3);
	twheel_wheel_init(&c->wheel, 4000);
	for (i = 0; i < running; i++)
		add(c, i, 4001 + test_random_below(&c->random, SECONDS(6)));
	for (tick = 4000; tick < 4000 + SECONDS(15); tick++) {
		/* From half way on, only timers of the steady state run. */
		if (tick == 4000 + SECONDS(7))
			c->worst = 0;
		do_tick(test, c, tick);
		start = tick + SECONDS(3);
		list_for_each_entry_safe(node, next, &c->due, link) {
			node->expires = start + test_random_below(&c->random,
								  SECONDS(3));
			twheel_wheel_add(&c->wheel, node);
			c->expired++;
		}
		INIT_LIST_HEAD(&c->due);
		cond_resched();
	}
	nr = c->wheel.nr;
	KUNIT_EXPECT_EQ(test, nr, running);
	KUNIT_EXPECT_GT(test, c->expired, running * 2);
	kunit_info(test, "%llu timers: at most %llu steps in a tick\n", running,
		   c->worst);
	/* Fewer timers per tick than above, so the same figure. */
	KUNIT_EXPECT_LE(test, c->worst, scaled(80));
}

/* Nodes whose level is followed on the way down. */
#define FOLLOWED 300

/* Whoever is moved comes to a lower level: at most once on each. */
static void each_move_goes_down(struct kunit *test)
{
	struct crowd *c = test->priv;
	static u8 level[FOLLOWED];
	u32 i, budget, moved, now;
	u64 before;

	test_random_init(test, &c->random, 4);
	twheel_wheel_init(&c->wheel, 64 * 64 - 7);
	for (i = 0; i < FOLLOWED && i < nodes; i++) {
		add(c, i, c->wheel.clk + test_random_size(&c->random, 47));
		level[i] = c->node[i].place / TWHEEL_SLOTS;
	}
	while (c->wheel.nr) {
		before = c->wheel.migrated;
		budget = U32_MAX;
		twheel_wheel_advance(&c->wheel, c->wheel.wake, &budget,
				     &c->due);
		for (i = 0, moved = 0; i < FOLLOWED && i < nodes; i++) {
			now = c->node[i].place / TWHEEL_SLOTS;
			KUNIT_ASSERT_LE(test, now, (u32)level[i]);
			moved += now < level[i];
			level[i] = now;
		}
		KUNIT_ASSERT_EQ(test, moved, c->wheel.migrated - before);
	}
	KUNIT_EXPECT_GT(test, c->wheel.migrated, 0);
}

static struct kunit_case wheel_steps_cases[] = {
	KUNIT_CASE(timeouts_of_30_to_60_s),
	KUNIT_CASE(all_in_one_slot_of_4096_ticks),
	KUNIT_CASE(all_on_the_same_tick),
	KUNIT_CASE(steady_state),
	KUNIT_CASE(each_move_goes_down),
	{}
};

static struct kunit_suite wheel_steps_suite = {
	.name = "twheel_wheel_steps",
	.init = crowd_init,
	.exit = crowd_exit,
	.test_cases = wheel_steps_cases,
};

kunit_test_suite(wheel_steps_suite);

MODULE_DESCRIPTION("Tests of the number of steps that the timing wheel takes");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
