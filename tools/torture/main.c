// SPDX-License-Identifier: GPL-2.0
/* twheel-torture: rounds of each kind in turn, until something breaks or time is up. */
#include <getopt.h>

#include "../fuzz/option.h"
#include "torture.h"

/* What all actors can log, and what is listed in the end. */
#define DEEDS		(TORTURE_ACTORS * TORTURE_CALLS)
#define PROGRESS_NS	(30 * TW_SEC)
/* Crowds and duels between two rounds of everybody, which take longer. */
#define CROWDS		8
#define DUELS		1

enum mode { ALL, EVERYBODY, CROWD, PAIR };

static struct torture_round *shared;
static struct history history;
static struct torture_tally tally;
static char broken[TORTURE_BROKEN];

static void print_tally(void)
{
	static const char * const names[TORTURE_ROLES] = {
		"starters", "stoppers", "resetters", "readers", "listers", "pollers",
		"closers", "batchers", "duellists",
	};
	unsigned int i;

	for (i = 0; i < TORTURE_ROLES; i++)
		printf("%-10s %lu operations\n", names[i], tally.operations[i]);
	printf("%-10s %lu killed\n", "killers", tally.kills);
	printf("%-10s %lu reloads, refused %lu times\n", "loader", tally.reloads,
	       tally.refused);
	printf("%-10s %lu rounds; resets in time %lu, withdrew %lu, too late %lu\n", "crowd",
	       tally.crowds, tally.in_time, tally.withdrew, tally.too_late);
	printf("%-10s %lu rounds\n", "pair", tally.duels);
	printf("%-10s %lu rounds\n", "everybody", tally.rounds);
	printf("%-10s %lu armings, %lu records (%lu repeated), %lu withdrawn, %lu dropped\n",
	       "together", tally.armed, tally.records, tally.repeated, tally.withdrawn,
	       tally.dropped);
}

static void show_progress(void)
{
	static __u64 next;

	if (!next)
		next = tw_now() + PROGRESS_NS;
	if (tw_now() < next)
		return;
	next = tw_now() + PROGRESS_NS;
	printf("%lu rounds of everybody, %lu of a pair, %lu of a crowd; %lu records, %lu kills\n",
	       tally.rounds, tally.duels, tally.crowds, tally.records, tally.kills);
}

static bool crowds(unsigned int count, __u64 *seed)
{
	while (count--)
		if (!torture_crowd(&history, seed, &tally, broken))
			return false;
	return true;
}

static bool one_turn(enum mode mode, __u64 *seed)
{
	if ((mode == ALL || mode == EVERYBODY) &&
	    (!torture_everybody(shared, &history, seed, &tally, broken) ||
	     !torture_reload(seed, &tally, broken)))
		return false;
	if ((mode == ALL || mode == CROWD) && !crowds(mode == ALL ? CROWDS : 1, seed))
		return false;
	return (mode != ALL && mode != PAIR) ||
	       torture_duel(shared, &history, seed, &tally, broken);
}

static int run(enum mode mode, __u64 seconds, __u64 rounds, __u64 seed)
{
	__u64 stream = seed, until = tw_now() + seconds * TW_SEC, round;
	bool passed = true;

	printf("seed %llu, %llu s\n", seed, seconds);
	for (round = 0; passed && tw_now() < until && (!rounds || round < rounds); round++) {
		passed = one_turn(mode, &stream);
		show_progress();
	}
	print_tally();
	if (!passed)
		printf("FAILED: %s; seed %llu\n", broken, seed);
	return !passed;
}

static int help(FILE *out, int status)
{
	fputs("usage: twheel-torture [--seconds N] [--rounds N] [--seed N] [--mode MODE]\n"
	      "\n"
	      "Everything at once that programs can do to an instance of /dev/twheel, with\n"
	      "processes that are killed at any moment, and the module unloaded in between.\n"
	      "What they did is checked in the end of each round.\n"
	      "\n"
	      "  --seconds N   how long (60)\n"
	      "  --rounds N    no more rounds than these (0: as many as there is time for)\n"
	      "  --seed N      which operations (1)\n"
	      "  --mode MODE   everybody: starters, stoppers, resetters, readers, listers,\n"
	      "                pollers, closers and killers, then unloading; crowd: 4096 timers\n"
	      "                expire while half of them are reset; pair: two processors start\n"
	      "                and stop one timer; all: each in turn (the default)\n"
	      "\n"
	      "Exit status: 0, nothing found; 1, something cannot have been; 2, wrong usage, or\n"
	      "no memory.\n", out);
	return status;
}

static enum mode mode_of(const char *text)
{
	static const char * const names[] = { "all", "everybody", "crowd", "pair" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(text, names[i]))
			return i;
	fprintf(stderr, "twheel-torture: --mode %s: all, everybody, crowd or pair\n", text);
	exit(2);
}

static bool allocate(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED || !history_init(&history, DEEDS))
		return false;
	return true;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "rounds", required_argument, NULL, 'n' },
		{ "seed", required_argument, NULL, 'r' },
		{ "mode", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	__u64 seconds = 60, rounds = 0, seed = 1;
	enum mode mode = ALL;
	int c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 's')
			seconds = option_value("twheel-torture", "seconds", optarg, 1, 1000000);
		else if (c == 'n')
			rounds = option_value("twheel-torture", "rounds", optarg, 0, 1000000000);
		else if (c == 'r')
			seed = option_value("twheel-torture", "seed", optarg, 0, U64_MAX);
		else if (c == 'm')
			mode = mode_of(optarg);
		else
			return help(c == 'h' ? stdout : stderr, c == 'h' ? 0 : 2);
	}
	if (optind < argc)
		return help(stderr, 2);
	if (!allocate()) {
		fprintf(stderr, "twheel-torture: out of memory\n");
		return 2;
	}
	return run(mode, seconds, rounds, seed);
}
