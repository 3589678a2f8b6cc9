// SPDX-License-Identifier: GPL-2.0
/*
 * What the worst tick costs, in counted steps: twheel's wheel, which is that of
 * the module, unchanged, and a classical one
 *
 * A node that moves to a lower level, a node that expires and a tick that is
 * visited are a step each.  Nothing is timed, so that the figures are the same
 * on every machine.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "../../module/wheel.h"
#include "cascade.h"
#include "numbers.h"

/* The default tick is 2^20 ns. */
#define SECONDS(s) ((s) * 1000000000ULL >> 20)

/**
 * struct deadlines - where the deadlines of a population are
 * @name: In the results.
 * @base: The tick in which all timers are started.
 * @first: The first tick that can be a deadline.
 * @span: How many ticks can be; they are equally likely.
 *
 * The ticks are those of kunit/wheel_steps_test.c.
 */
struct deadlines {
	const char *name;
	u64 base;
	u64 first;
	u32 span;
};

static const struct deadlines all_deadlines[] = {
	{ "30 to 60 s", (1ULL << 32) - 5, (1ULL << 32) - 5 + SECONDS(30),
	  SECONDS(30) },
	{ "within 4096 ticks", 12345, 13 * 4096, 4096 },
	{ "on one tick", 99, 3 * 4096 + 77, 1 },
};

/**
 * struct tally - what was counted
 * @migrated: Of the tick: nodes that moved.
 * @expired: Of the tick: nodes that expired.
 * @worst_migrated: The most in a tick.
 * @worst_expired: The most in a tick.
 * @worst: The most steps in a tick.
 * @at_once: The most steps with no place to stop between them.
 * @all_migrated: Of all ticks.
 * @all_expired: Of all ticks.
 */
struct tally {
	u64 migrated;
	u64 expired;
	u64 worst_migrated;
	u64 worst_expired;
	u64 worst;
	u64 at_once;
	u64 all_migrated;
	u64 all_expired;
};

/**
 * struct wheel_ops - a wheel that is measured
 * @name: In the results.
 * @init: Make it, empty, with room for @timers nodes.
 * @add: Start node @nr.
 * @tick: Do a tick; fill in @migrated, @expired and @at_once.
 * @destroy: Free the nodes.
 */
struct wheel_ops {
	const char *name;
	void (*init)(u64 clk, u64 timers);
	void (*add)(u64 nr, u64 expires);
	void (*tick)(u64 tick, struct tally *t);
	void (*destroy)(void);
};

static void *allocate(u64 nr, size_t size)
{
	void *memory = calloc(nr, size);

	if (!memory)
		errx(1, "out of memory: try fewer --timers");
	return memory;
}

/* ---- twheel */

static struct twheel_wheel wheel;
static struct twheel_node *nodes;

static void wheel_init(u64 clk, u64 timers)
{
	nodes = allocate(timers, sizeof(*nodes));
	twheel_wheel_init(&wheel, clk);
}

static void wheel_add(u64 nr, u64 expires)
{
	nodes[nr].expires = expires;
	twheel_wheel_add(&wheel, &nodes[nr]);
}

/* In passes, as an instance does it. */
static void wheel_tick(u64 tick, struct tally *t)
{
	u64 before = wheel.migrated;
	struct twheel_node *node;
	LIST_HEAD(due);
	u32 budget;
	bool done;

	do {
		budget = PASS_STEPS;
		done = twheel_wheel_advance(&wheel, tick, &budget, &due);
		t->at_once = max_t(u64, t->at_once, PASS_STEPS - budget);
	} while (!done);
	t->migrated = wheel.migrated - before;
	list_for_each_entry(node, &due, link) {
		if (node->expires != tick)
			errx(1, "a node has expired in the wrong tick");
		t->expired++;
	}
}

static void wheel_destroy(void)
{
	free(nodes);
}

static const struct wheel_ops wheel_ops = {
	.name = "twheel",
	.init = wheel_init,
	.add = wheel_add,
	.tick = wheel_tick,
	.destroy = wheel_destroy,
};

/* ---- the classical wheel */

static struct cascade_wheel classical;
static struct cascade_node *classical_nodes;

static void classical_init(u64 clk, u64 timers)
{
	classical_nodes = allocate(timers, sizeof(*classical_nodes));
	cascade_init(&classical, clk);
}

static void classical_add(u64 nr, u64 expires)
{
	classical_nodes[nr].expires = expires;
	cascade_add(&classical, &classical_nodes[nr]);
}

static void classical_tick(u64 tick, struct tally *t)
{
	u64 before = classical.migrated;
	struct cascade_node *node;
	LIST_HEAD(due);

	cascade_tick(&classical, &due);
	t->migrated = classical.migrated - before;
	list_for_each_entry(node, &due, link) {
		if (node->expires != tick)
			errx(1, "a node of the classical wheel has expired in the wrong tick");
		t->expired++;
	}
	t->at_once = max(t->at_once, t->migrated + t->expired + 1);
}

static void classical_destroy(void)
{
	free(classical_nodes);
}

static const struct wheel_ops classical_ops = {
	.name = "classical cascade",
	.init = classical_init,
	.add = classical_add,
	.tick = classical_tick,
	.destroy = classical_destroy,
};

/* ---- the measurement */

static const struct wheel_ops *const all_ops[] = { &wheel_ops, &classical_ops };

/* Marsaglia's xorshift, with a multiplication: below @end. */
static u32 random_below(u64 *state, u32 end)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * 0x2545f4914f6cdd1dULL >> 32) * end >> 32;
}

static void fill(const struct wheel_ops *ops, const struct deadlines *d,
		 u64 timers)
{
	u64 state = 0x9e3779b97f4a7c15ULL;
	u64 i;

	ops->init(d->base, timers);
	for (i = 0; i < timers; i++)
		ops->add(i, d->first + random_below(&state, d->span));
}

static void do_tick(const struct wheel_ops *ops, u64 tick, struct tally *t)
{
	t->migrated = 0;
	t->expired = 0;
	ops->tick(tick, t);
	t->worst_migrated = max(t->worst_migrated, t->migrated);
	t->worst_expired = max(t->worst_expired, t->expired);
	t->worst = max(t->worst, t->migrated + t->expired + 1);
	t->all_migrated += t->migrated;
	t->all_expired += t->expired;
}

static void measure(const struct wheel_ops *ops, const struct deadlines *d,
		    u64 timers)
{
	struct tally t = {};
	u64 tick;

	fprintf(stderr, "# worst-ticks: %s, deadlines %s\n", ops->name, d->name);
	fill(ops, d, timers);
	for (tick = d->base; tick < d->first + d->span; tick++)
		do_tick(ops, tick, &t);
	ops->destroy();
	if (t.all_expired != timers)
		errx(1, "not every node has expired");
	printf("%s,%s,%llu,%llu,%llu,%llu,%llu,%llu,%.2f\n", d->name, ops->name,
	       timers, t.worst_migrated, t.worst_expired, t.worst, t.at_once,
	       t.all_migrated, (double)t.all_migrated / timers);
}

static const char help[] =
	"usage: worst-ticks [--timers N]\n"
	"\n"
	"Counts what the worst tick of a population of timers costs, in twheel's wheel and\n"
	"in a classical one that cascades, and prints it as CSV. Runs on the host and takes\n"
	"some seconds; the figures are the same on every run.\n"
	"\n"
	"  --timers N  how many timers (1000000)\n"
	"\n"
	"Columns: where the deadlines are, which wheel, how many timers; the most timers\n"
	"that moved to a lower level in a tick; the most that expired; the most of both,\n"
	"and the tick itself, in a tick; the most of that with no place to stop between;\n"
	"how often timers moved, in all and per timer.\n";

int main(int argc, char **argv)
{
	unsigned long timers = 1000000;
	const struct number numbers[] = { { "timers", &timers, 100000000 }, { } };
	size_t i, j;

	parse_numbers(argc, argv, numbers, help);
	fputs("deadlines,wheel,timers,most migrations in a tick,most expiries in a tick,", stdout);
	puts("most steps in a tick,most steps at once,migrations,migrations per timer");
	fflush(stdout);
	for (i = 0; i < ARRAY_SIZE(all_deadlines); i++)
		for (j = 0; j < ARRAY_SIZE(all_ops); j++)
			measure(all_ops[j], &all_deadlines[i], timers);
	return 0;
}
