// SPDX-License-Identifier: GPL-2.0
/* twheel-fuzz: a thread per instance, each with its own stream of the seed. */
#include <getopt.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#include "fuzz.h"
#include "option.h"

#define THREADS_MAX	16
#define ATTEMPTS	400
#define PROGRESS_S	10

static __u64 seed = 1, until;
static bool failed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct worker {
	pthread_t thread;
	__u64 stream;
	bool mutate;
	struct fuzz_tally tally;
};

static void report(struct fuzz_ops *ops, const char *rule)
{
	unsigned int before = ops->count;

	printf("FAILED: %s, after %u operations; seed %llu\n", rule, before, seed);
	if (fuzz_shrink(ops, rule, ATTEMPTS))
		printf("shrunk to %u operations\n", ops->count);
	else
		printf("does not come again; all operations follow\n");
	printf("#@ script\n");
	fuzz_script(stdout, ops, rule, seed);
	printf("#@ end\n");
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct fuzz_ops ops;
	const char *rule;

	while (device_now() < until && !__atomic_load_n(&failed, __ATOMIC_RELAXED)) {
		fuzz_generate(&ops, &worker->stream, worker->mutate);
		rule = fuzz_run(&ops, &worker->tally);
		if (!rule)
			continue;
		pthread_mutex_lock(&lock);
		if (!failed)
			report(&ops, rule);
		__atomic_store_n(&failed, true, __ATOMIC_RELAXED);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/* What the threads have done so far; they go on meanwhile. */
static void print_sum(const struct worker *workers, unsigned int threads)
{
	struct fuzz_tally sum = { 0 };
	unsigned int i;

	for (i = 0; i < threads; i++) {
		sum.calls += workers[i].tally.calls;
		sum.failed += workers[i].tally.failed;
		sum.records += workers[i].tally.records;
		sum.mutated += workers[i].tally.mutated;
		sum.spoilt += workers[i].tally.spoilt;
	}
	printf("%lu calls, %lu of them rejected as expected, %lu records; "
	       "%lu mutated calls, %lu of them spoilt; seed %llu\n",
	       sum.calls, sum.failed, sum.records, sum.mutated, sum.spoilt, seed);
}

static void show_progress(const struct worker *workers, unsigned int threads)
{
	unsigned int i;

	for (i = 1; device_now() < until && !__atomic_load_n(&failed, __ATOMIC_RELAXED); i++) {
		device_sleep(1000000000);
		if (i % PROGRESS_S == 0)
			print_sum(workers, threads);
	}
}

static int run(unsigned int seconds, unsigned int threads, bool mutate)
{
	static struct worker workers[THREADS_MAX];
	unsigned int i;

	printf("seed %llu, %u threads, %u s\n", seed, threads, seconds);
	until = device_now() + seconds * 1000000000ULL;
	for (i = 0; i < threads; i++) {
		workers[i].stream = seed * THREADS_MAX + i;
		workers[i].mutate = mutate || i % 2;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) {
			fprintf(stderr, "twheel-fuzz: cannot make thread %u\n", i);
			exit(2);
		}
	}
	show_progress(workers, threads);
	for (i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	print_sum(workers, threads);
	return failed;
}

static int help(FILE *out, int status)
{
	fputs("usage: twheel-fuzz [--seconds N] [--seed N] [--threads N] [--mutate]\n"
	      "\n"
	      "Random operations on instances of /dev/twheel, one for each thread, compared\n"
	      "with a model.  In every other thread half of the calls are mutated: made from a\n"
	      "description of the interface, and then spoilt.\n"
	      "\n"
	      "  --seconds N   how long (60)\n"
	      "  --seed N      which operations (1)\n"
	      "  --threads N   1 to 16 (4)\n"
	      "  --mutate      mutated calls in all threads\n"
	      "\n"
	      "Exit status: 0, nothing found; 1, the device broke a rule, and a script for\n"
	      "twheel run follows that shows it; 2, wrong usage, or no threads.\n", out);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "seed", required_argument, NULL, 'r' },
		{ "threads", required_argument, NULL, 't' },
		{ "mutate", no_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	unsigned int seconds = 60, threads = 4;
	bool mutate = false;
	int c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 's')
			seconds = option_value("twheel-fuzz", "seconds", optarg, 1, 1000000);
		else if (c == 'r')
			seed = option_value("twheel-fuzz", "seed", optarg, 0, UINT64_MAX);
		else if (c == 't')
			threads = option_value("twheel-fuzz", "threads", optarg, 1, THREADS_MAX);
		else if (c == 'm')
			mutate = true;
		else
			return help(c == 'h' ? stdout : stderr, c == 'h' ? 0 : 2);
	}
	if (optind < argc)
		return help(stderr, 2);
	return run(seconds, threads, mutate);
}
