// SPDX-License-Identifier: GPL-2.0
/*
 * Storms: very many instances, with timers that come in every tick and need nobody
 * who reads.  Whoever makes one must not get more of the machine than others.
 *
 * The canary is a thread on each processor that only computes.  It is judged by
 * counts, and not by time: how many passes of expiry the storm made for a step of
 * the canary's.
 */
#include <sys/resource.h>
#include "twheel_words.h"

/* What a step of the canary's computes: some passes take as long. */
#define STEP		20000
#define STEPS		1000
#define PROCESSORS	8
#define MOST_TIMERS	200
#define TICK_SHIFT	15
#define TICK		32768ULL
/* In the way of the others: a queue of one is full. */
#define PLUG		TW_SENTINEL

FIXTURE(storm) {
	int *fd;
	unsigned int instances;
};

FIXTURE_VARIANT(storm) {
	unsigned int instances;
	unsigned int timers;
	bool mapped;
	unsigned int passes_per_step;	/* several times what a fair share makes it */
};

/* More in each tick than a pass takes: workers go on with them. */
FIXTURE_VARIANT_ADD(storm, of_crowds_that_are_dropped) {
	.instances = 300,
	.timers = MOST_TIMERS,
	.passes_per_step = 100,
};

/* As many in each tick as a pass takes: softirqs are done with them. */
FIXTURE_VARIANT_ADD(storm, of_crowds_that_are_postponed) {
	.instances = 1000,
	.timers = 60,
	.mapped = true,
	.passes_per_step = 100,
};

FIXTURE_VARIANT_ADD(storm, of_single_timers) {
	.instances = 1000,
	.timers = 1,
	.mapped = true,
	.passes_per_step = 500,
};

/*
 * Words that stay as they are: the mapping is not kept, so that the instance ends
 * with its descriptor.  The poll withdraws what has expired before the store.
 */
static bool keep_busy(int fd, unsigned int timers)
{
	__u64 *word = tw_map(fd, timers);
	unsigned int i;

	for (i = 0; word && i < timers; i++)
		tw_store(&word[i], TW_BUSY);
	return word && !tw_poll(fd, 0) && !munmap(word, tw_map_size(timers));
}

static struct twheel_op storming(bool mapped, unsigned int id)
{
	struct twheel_op op = tw_op_mapped(id, TICK, id);

	if (!mapped) {
		op = tw_op_after(id, TICK);
		op.interval_ns = TICK;
	}
	return op;
}

/* An instance whose timers come in each tick; -errno if it cannot be had. */
static int make_instance(const struct _fixture_variant_storm *variant)
{
	struct twheel_result results[MOST_TIMERS];
	struct twheel_op ops[MOST_TIMERS];
	struct twheel_setup setup = {
		.tick_shift = TICK_SHIFT,
		.queue_len = 1,
		.overflow = variant->mapped ? TWHEEL_HOLD : TWHEEL_DROP_NEWEST,
		.map_words = variant->mapped ? variant->timers : 0,
	};
	unsigned int i;
	int fd = tw_pool(setup);

	if (fd < 0 || (!variant->mapped && !tw_expire(fd, PLUG)))
		return -1;
	for (i = 0; i < variant->timers; i++)
		ops[i] = storming(variant->mapped, i);
	if (tw_submit_all(fd, ops, results, i) != (int)i ||
	    tw_count_errors(results, i, 0) != i)
		return -1;
	return !variant->mapped || keep_busy(fd, i) ? fd : -1;
}

FIXTURE_SETUP(storm)
{
	unsigned int i, wanted = tw_scaled(variant->instances);
	struct rlimit files = { wanted + 64, wanted + 64 };

	self->instances = wanted;
	self->fd = calloc(wanted, sizeof(*self->fd));
	ASSERT_NE(NULL, self->fd);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	for (i = 0; i < wanted; i++) {
		self->fd[i] = make_instance(variant);
		ASSERT_LE(0, self->fd[i]);
	}
}

FIXTURE_TEARDOWN(storm)
{
	unsigned int i;

	for (i = 0; i < self->instances; i++)
		close(self->fd[i]);
	free(self->fd);
}

/* What all instances have done together. */
struct weather {
	__u64 passes;
	__u64 came;
};

static bool observe(struct _test_data_storm *self, struct weather *weather)
{
	struct twheel_stats stats;
	unsigned int i;

	*weather = (struct weather) { 0 };
	for (i = 0; i < self->instances; i++) {
		if (tw_stats(self->fd[i], &stats) || !tw_balanced(&stats))
			return false;
		weather->passes += stats.passes;
		weather->came += stats.expired + stats.postponed;
	}
	return true;
}

static void *canary(void *processor)
{
	unsigned int i, step;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((uintptr_t)processor, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return NULL;
	for (step = 0; step < STEPS; step++)
		for (i = 0; i < STEP; i++)
			/* Not to be left out, and nothing but a loop. */
			asm volatile("" : : "r" (i) : "memory");
	return processor;
}

/* On each processor; how many of them were there. */
static unsigned int run_canaries(void)
{
	long nr = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t thread[PROCESSORS];
	unsigned int sum = 0;
	uintptr_t i, all = nr < PROCESSORS ? nr : PROCESSORS;
	void *ran;

	for (i = 0; i < all; i++)
		if (pthread_create(&thread[i], NULL, canary, (void *)i))
			return 0;
	for (i = 0; i < all; i++)
		sum += !pthread_join(thread[i], &ran) && ran == (void *)i;
	return sum == all ? sum : 0;
}

TEST_F(storm, leaves_programs_their_share_of_each_processor)
{
	struct weather before, after;

	ASSERT_TRUE(observe(self, &before));
	ASSERT_LE(1, run_canaries());
	ASSERT_TRUE(observe(self, &after));
	TH_LOG("%llu passes and %llu expiries beside %u steps",
	       after.passes - before.passes, after.came - before.came, STEPS);
	/* It was one, all the time. */
	EXPECT_LT(before.came + self->instances, after.came);
	EXPECT_GT(before.passes + variant->passes_per_step * STEPS,
		  after.passes);
}

TEST_F(storm, leaves_each_of_its_instances_a_turn)
{
	struct twheel_stats stats;
	unsigned int i;

	for (i = 0; i < self->instances; i++) {
		ASSERT_EQ(0, tw_stats(self->fd[i], &stats));
		ASSERT_TRUE(tw_await_between(self->fd[i], TW_STAT(passes),
					     stats.passes + 3, U64_MAX));
	}
}

TEST_F(storm, leaves_other_instances_their_expiries)
{
	struct twheel_event event;
	unsigned int i;
	int fd = tw_open();

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, tw_after(fd, i, TW_MS));
		ASSERT_EQ(1, tw_collect(fd, &event, 1));
		EXPECT_EQ(i, event.id);
		EXPECT_LE(event.deadline_ns, event.fired_ns);
	}
	close(fd);
}

/* Each close waits for what its instance is about to do, and for no other. */
TEST_F(storm, ends_with_its_descriptors)
{
	unsigned int i;

	for (i = 0; i < self->instances / 2; i++) {
		ASSERT_EQ(0, close(self->fd[i]));
		self->fd[i] = tw_open();
		ASSERT_EQ(0, tw_after(self->fd[i], 1, TW_HOUR));
	}
}

TEST_HARNESS_MAIN
