// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation and each copy of a call fails in turn: the call says so and
 * changes nothing, or goes on without; and the same call succeeds after that.
 * Only on kernels with fault injection, which are those for debugging.
 */
#include <sys/epoll.h>
#include <sys/uio.h>
#include "twheel_faults.h"
#include "twheel_words.h"

#define ROOM		16
/* Expiries that a scene has. */
#define EXPIRIES	3
/* Enough that the next start needs timers, and memory for the index. */
#define CROWD		512
#define WORDS		1100
/* Operations of a batch, which take more timers than one allocation brings. */
#define BATCH		40
#define READERS		4
/* A call that asks more often than this never comes to an end. */
#define NTH_MAX		2000
#define ROUNDS		8

/**
 * struct scene - what a call is made in
 * @fd: The instance.
 * @other: What the call makes, or another thing that it needs; -1: nothing.
 * @map: What it has mapped.
 * @got: Records or entries so far.
 */
struct scene {
	int fd;
	int other;
	__u64 *map;
	unsigned int got;
	struct twheel_list list;
	struct twheel_event event[ROOM];
	struct twheel_list_entry entry[CROWD + ROOM];
	struct twheel_op op[BATCH];
	struct twheel_result result[BATCH];
};

/* All that a refused call must leave alone. */
struct trace {
	struct tw_snapshot snapshot;
	struct twheel_stats reader[READERS];
	struct twheel_list_entry entry[CROWD + ROOM];
	int timers;
	int free_fd;
};

static struct scene scene;
static struct trace before, after;

static int lowest_free_fd(void)
{
	int fd = dup(STDOUT_FILENO);

	close(fd);
	return fd;
}

static void note(struct trace *trace)
{
	__u32 number = 0;
	int i;

	memset(trace, 0, sizeof(*trace));
	trace->free_fd = lowest_free_fd();
	tw_snapshot(scene.fd, 1, &trace->snapshot);
	for (i = 0; i < READERS; i++) {
		if (tw_reader_stats(scene.fd, number, &trace->reader[i]))
			break;
		number = trace->reader[i].reader + 1;
		trace->reader[i].oldest_ns = 0;
	}
	trace->timers = tw_list_all(scene.fd, trace->entry, CROWD + ROOM, CROWD);
	for (i = 0; i < trace->timers; i++)
		trace->entry[i].remaining_ns = 0;
}

static bool nothing_changed(void)
{
	note(&after);
	return !memcmp(&before, &after, sizeof(before));
}

/* Instances to call in. */

static bool no_instance(void)
{
	return true;
}

static bool fresh(void)
{
	scene.fd = tw_open();
	return scene.fd >= 0;
}

static bool with(struct twheel_setup setup)
{
	scene.fd = tw_pool(setup);
	return scene.fd >= 0;
}

/* Small, so that no allocation has a second way to get its memory. */
static struct twheel_setup small(void)
{
	return (struct twheel_setup) { .queue_len = 8, .max_timers = 1000 };
}

static struct twheel_setup small_broadcast(void)
{
	return (struct twheel_setup) {
		.queue_len = 8,
		.max_timers = 1000,
		.overflow = TWHEEL_DROP_OLDEST,
		.dispatch = TWHEEL_BROADCAST,
	};
}

static bool set_up(void)
{
	return with(small());
}

static bool with_expiries(void)
{
	return set_up() && tw_expire_row(scene.fd, 1, EXPIRIES);
}

static bool leased_expiries(void)
{
	return with(tw_leased(TW_HOUR, 0)) &&
	       tw_expire_row(scene.fd, 1, EXPIRIES);
}

/* Expiries that wait until there is a reader. */
static bool orphans_of(struct twheel_setup setup)
{
	setup.flags |= TWHEEL_CONTROL;
	return with(setup) && tw_expire_row(scene.fd, 1, EXPIRIES);
}

static bool orphans_for_copies(void)
{
	return orphans_of(small_broadcast());
}

static bool orphans_for_turns(void)
{
	struct twheel_setup setup = small();

	setup.dispatch = TWHEEL_ROUND_ROBIN;
	return orphans_of(setup);
}

static bool with_words(void)
{
	struct twheel_setup setup = small();

	setup.map_words = WORDS;
	return with(setup);
}

/* @count timers, of which the next start needs memory. */
static bool crowd_of(unsigned int count)
{
	static struct twheel_result results[CROWD];
	static struct twheel_op ops[CROWD];

	tw_fill_ops(ops, count, TWHEEL_OP_START, 1);
	return set_up() &&
	       tw_submit_all(scene.fd, ops, results, count) == (int)count &&
	       tw_count_errors(results, count, 0) == count;
}

static bool store_is_empty(void)
{
	return crowd_of(16);
}

static bool index_is_full(void)
{
	return crowd_of(CROWD);
}

static bool with_epoll(void)
{
	scene.other = epoll_create1(EPOLL_CLOEXEC);
	return scene.other >= 0 && with_expiries();
}

/* Calls, and whether they did what they should. */

static int call_open(void)
{
	scene.fd = open(TW_DEVICE, O_RDWR | O_CLOEXEC);
	return scene.fd < 0 ? -errno : 0;
}

static bool can_start(void)
{
	return !tw_after(scene.fd, CROWD + 1, TW_HOUR);
}

static int call_setup(void)
{
	struct twheel_setup setup = small_broadcast();

	setup.map_words = WORDS;
	return tw_setup(scene.fd, &setup);
}

static bool is_set_up(void)
{
	struct twheel_info info;

	return !tw_info(scene.fd, &info) && info.map_words == WORDS &&
	       info.dispatch == TWHEEL_BROADCAST && can_start();
}

static int call_start(void)
{
	return tw_after(scene.fd, CROWD, TW_HOUR);
}

static int call_start_more(void)
{
	return tw_after(scene.fd, CROWD + 1, TW_HOUR);
}

static bool is_started(void)
{
	struct twheel_stats stats;

	return !tw_stats(scene.fd, &stats) && stats.started == stats.armed &&
	       stats.started == (__u64)before.timers + 1;
}

static int call_submit(void)
{
	tw_fill_ops(scene.op, BATCH, TWHEEL_OP_START, 1);
	return tw_submit(scene.fd, scene.op, scene.result, BATCH);
}

/* Those that say so were started, and no others. */
static bool is_submitted(void)
{
	unsigned int i, good = tw_count_errors(scene.result, BATCH, 0);
	struct twheel_stats stats;

	for (i = 0; i < BATCH; i++)
		if (tw_state(scene.fd, i + 1) !=
		    (scene.result[i].error ? TWHEEL_FREE : TWHEEL_ARMED))
			return false;
	return good + tw_count_errors(scene.result, BATCH, -ENOMEM) == BATCH &&
	       !tw_stats(scene.fd, &stats) && stats.started == good;
}

static int call_list(void)
{
	int ret = tw_list(scene.fd, &scene.list, scene.entry, CROWD + ROOM);

	if (!ret)
		scene.got = scene.list.count;
	return ret;
}

/* Each once, those from 1 on. */
static bool is_listed(void)
{
	static bool seen[CROWD + 1];
	unsigned int i;
	int rest = 0;

	if (scene.list.more)
		rest = tw_list_rest(scene.fd, &scene.list, scene.entry + scene.got,
				    CROWD + ROOM - scene.got, CROWD + ROOM);
	if (rest < 0 || scene.got + rest != CROWD)
		return false;
	memset(seen, 0, sizeof(seen));
	for (i = 0; i < CROWD; i++) {
		if (scene.entry[i].id > CROWD || seen[scene.entry[i].id])
			return false;
		seen[scene.entry[i].id] = true;
	}
	return true;
}

static int call_reader(void)
{
	scene.other = tw_reader(scene.fd, TWHEEL_READER_NONBLOCK);
	return scene.other < 0 ? scene.other : 0;
}

static bool is_reader(void)
{
	return tw_number(scene.other) == 2 && can_start();
}

/* All expiries come in order, those that the call has not got as well. */
static bool reads_the_rest(int fd)
{
	unsigned int i;

	if (scene.got < EXPIRIES)
		scene.got += tw_collect(fd, scene.event + scene.got,
					EXPIRIES - scene.got);
	for (i = 0; i < EXPIRIES; i++)
		if (scene.event[i].id != i + 1 ||
		    scene.event[i].sequence != i + 1 || scene.event[i].dropped)
			return false;
	return scene.got == EXPIRIES && !tw_nonblock(fd) &&
	       tw_read(fd, scene.event, ROOM) == -EAGAIN;
}

static bool is_reader_of_orphans(void)
{
	return tw_number(scene.other) == 2 && reads_the_rest(scene.other);
}

static int call_read(void)
{
	int ret = tw_read(scene.fd, scene.event, ROOM);

	if (ret > 0)
		scene.got = ret;
	return ret;
}

/* No record is in one piece. */
static int call_readv(void)
{
	char *bytes = (void *)scene.event;
	const struct iovec pieces[] = {
		{ bytes, 8 },
		{ bytes + 8, sizeof(scene.event[0]) },
		{ bytes + 8 + sizeof(scene.event[0]), 2 * sizeof(scene.event[0]) },
	};
	ssize_t ret = readv(scene.fd, pieces, ARRAY_SIZE(pieces));

	if (ret < 0)
		return -errno;
	scene.got = ret / sizeof(scene.event[0]);
	return 0;
}

static bool is_read(void)
{
	struct twheel_stats stats;

	return reads_the_rest(scene.fd) && !tw_stats(scene.fd, &stats) &&
	       stats.delivered == EXPIRIES && !stats.timers;
}

static int call_drain(void)
{
	int ret = tw_drain(scene.fd, scene.event, ROOM);

	if (ret > 0)
		scene.got = ret;
	return ret;
}

static bool is_drained(void)
{
	struct twheel_stats stats;

	return reads_the_rest(scene.fd) && !tw_stats(scene.fd, &stats) &&
	       stats.in_flight == EXPIRIES && !stats.delivered;
}

static int call_info(void)
{
	struct twheel_info info;

	return tw_info(scene.fd, &info);
}

static int call_stats(void)
{
	struct twheel_stats stats;

	return tw_stats(scene.fd, &stats);
}

static int call_poll(void)
{
	int ret = tw_poll(scene.fd, 0);

	return ret < 0 ? ret : ret != POLLIN;
}

static int call_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	return epoll_ctl(scene.other, EPOLL_CTL_ADD, scene.fd, &event) ? -errno : 0;
}

static bool is_polled(void)
{
	struct epoll_event event;

	return epoll_wait(scene.other, &event, 1, TW_PATIENCE_MS) == 1 &&
	       event.events == EPOLLIN && is_read();
}

static int call_fasync(void)
{
	int flags = fcntl(scene.fd, F_GETFL);

	return fcntl(scene.fd, F_SETFL, flags | O_ASYNC) ? -errno : 0;
}

static bool is_async(void)
{
	return fcntl(scene.fd, F_GETFL) & O_ASYNC;
}

static int call_mmap(void)
{
	void *map = mmap(NULL, tw_map_size(WORDS), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_POPULATE, scene.fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	scene.map = map;
	return 0;
}

static bool is_mapped(void)
{
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		if (tw_load_word(&scene.map[i]))
			return false;
	return !tw_start_mapped(scene.fd, 1, TW_HOUR, WORDS - 1) &&
	       tw_load_word(&scene.map[WORDS - 1]);
}

static void begin_scene(void)
{
	memset(&scene, 0, sizeof(scene));
	scene.fd = -1;
	scene.other = -1;
}

static void end_scene(void)
{
	if (scene.map)
		munmap(scene.map, tw_map_size(WORDS));
	if (scene.other >= 0)
		close(scene.other);
	if (scene.fd >= 0)
		close(scene.fd);
}

/* Are all timers and words given back that were charged? */
static bool nothing_is_charged(void)
{
	long long timers = tw_parameter("max_total_timers");
	long long words = tw_parameter("max_total_words");
	struct twheel_setup setup = { .map_words = 1 };
	bool good;
	int fd;

	if (!tw_await_users(0) || tw_set_parameter("max_total_timers", 1) ||
	    tw_set_parameter("max_total_words", 1))
		return false;
	fd = tw_open();
	good = !tw_setup(fd, &setup) && !tw_after(fd, 1, TW_HOUR);
	close(fd);
	tw_set_parameter("max_total_timers", timers);
	tw_set_parameter("max_total_words", words);
	return good;
}

FIXTURE(failing) {
	struct tw_faults faults;
	bool possible;
	unsigned int calls, allocations, copies, no_memory, no_copy;
};

/*
 * A call: @alone is how many of its allocations it cannot do without, if only
 * one fails; @lasting, if all that follow fail as well; @copies, of how many
 * copies that fail twice the first is.
 */
FIXTURE_VARIANT(failing) {
	bool (*prepare)(void);
	int (*call)(void);
	bool (*done)(void);
	unsigned int alone, lasting, copies;
};

/* A descriptor, an instance, an account, and what a file needs. */
FIXTURE_VARIANT_ADD(failing, open) {
	.prepare = no_instance, .call = call_open, .done = can_start,
	.alone = 3, .lasting = 3,
};

/* Copies, directory, segment, queue, bits, list of pages and three of these. */
FIXTURE_VARIANT_ADD(failing, setup) {
	.prepare = fresh, .call = call_setup, .done = is_set_up,
	.alone = 9, .lasting = 10, .copies = 1,
};

FIXTURE_VARIANT_ADD(failing, setup_again) {
	.prepare = with_words, .call = call_setup, .done = is_set_up,
	.alone = 9, .lasting = 10, .copies = 1,
};

FIXTURE_VARIANT_ADD(failing, first_start) {
	.prepare = fresh, .call = call_start, .done = is_started,
	.alone = 1, .lasting = 5,
};

/* One timer is enough where more are not to be had. */
FIXTURE_VARIANT_ADD(failing, start_without_store) {
	.prepare = store_is_empty, .call = call_start, .done = is_started,
	.lasting = 1,
};

FIXTURE_VARIANT_ADD(failing, start_when_the_index_grows) {
	.prepare = index_is_full, .call = call_start_more, .done = is_started,
	.alone = 1, .lasting = 2,
};

FIXTURE_VARIANT_ADD(failing, submit) {
	.prepare = set_up, .call = call_submit, .done = is_submitted,
	.alone = 1, .lasting = 1,
};

FIXTURE_VARIANT_ADD(failing, list) {
	.prepare = index_is_full, .call = call_list, .done = is_listed,
	.alone = 1, .lasting = 1, .copies = 1,
};

FIXTURE_VARIANT_ADD(failing, first_reader) {
	.prepare = fresh, .call = call_reader, .done = is_reader,
	.alone = 3, .lasting = 5,
};

FIXTURE_VARIANT_ADD(failing, reader_of_copies) {
	.prepare = orphans_for_copies, .call = call_reader,
	.done = is_reader_of_orphans,
	.alone = 4, .lasting = 4,
};

FIXTURE_VARIANT_ADD(failing, reader_in_turn) {
	.prepare = orphans_for_turns, .call = call_reader,
	.done = is_reader_of_orphans,
	.alone = 3, .lasting = 3,
};

FIXTURE_VARIANT_ADD(failing, read) {
	.prepare = with_expiries, .call = call_read, .done = is_read,
};

FIXTURE_VARIANT_ADD(failing, readv) {
	.prepare = with_expiries, .call = call_readv, .done = is_read,
	.copies = 1,
};

FIXTURE_VARIANT_ADD(failing, drain) {
	.prepare = leased_expiries, .call = call_drain, .done = is_drained,
};

FIXTURE_VARIANT_ADD(failing, info) {
	.prepare = with_expiries, .call = call_info, .done = is_read,
	.copies = 1,
};

FIXTURE_VARIANT_ADD(failing, stats) {
	.prepare = with_expiries, .call = call_stats, .done = is_read,
	.copies = 1,
};

FIXTURE_VARIANT_ADD(failing, poll) {
	.prepare = with_expiries, .call = call_poll, .done = is_read,
	.copies = 1,
};

FIXTURE_VARIANT_ADD(failing, epoll_ctl) {
	.prepare = with_epoll, .call = call_epoll, .done = is_polled,
	.alone = 2, .lasting = 2, .copies = 1,
};

FIXTURE_VARIANT_ADD(failing, fasync) {
	.prepare = set_up, .call = call_fasync, .done = is_async,
	.alone = 1, .lasting = 1,
};

FIXTURE_VARIANT_ADD(failing, mmap) {
	.prepare = with_words, .call = call_mmap, .done = is_mapped,
	.alone = 1, .lasting = 1,
};

FIXTURE_SETUP(failing)
{
	self->possible = tw_faults_possible();
	if (!self->possible)
		return;
	ASSERT_TRUE(tw_faults_begin(&self->faults));
}

FIXTURE_TEARDOWN(failing)
{
	if (self->possible)
		tw_faults_end(&self->faults);
}

/* Is this an errno for what has failed?  Also count it. */
static bool is_right(struct _test_data_failing *self, int ret)
{
	self->no_memory += ret == -ENOMEM;
	self->no_copy += ret == -EFAULT;
	if (ret == -ENOMEM)
		return tw_faults_allocations(&self->faults);
	if (ret == -EFAULT)
		return self->faults.failed[TW_FAULT_COPY];
	return ret >= 0;
}

/* Once with a fault at @nth; false if the call ended before. */
static bool fail_once(struct __test_metadata *_metadata, struct _test_data_failing *self,
		      const struct _fixture_variant_failing *variant, unsigned int nth,
		      const struct tw_fault_mode *mode)
{
	bool failed;
	int ret;

	begin_scene();
	ASSERT_TRUE(variant->prepare());
	note(&before);
	ASSERT_TRUE(tw_faults_arm(&self->faults, nth, mode));
	ret = variant->call();
	failed = tw_faults_disarm(&self->faults);
	self->allocations += tw_faults_allocations(&self->faults);
	self->copies += self->faults.failed[TW_FAULT_COPY];
	self->calls++;
	EXPECT_TRUE(is_right(self, ret)) {
		TH_LOG("fault %u: %d", nth, ret);
	}
	if (ret < 0) {
		EXPECT_TRUE(nothing_changed()) {
			TH_LOG("fault %u", nth);
		}
		EXPECT_LE(0, variant->call());
	}
	EXPECT_TRUE(variant->done()) {
		TH_LOG("fault %u", nth);
	}
	EXPECT_TRUE(tw_books_balance(scene.fd));
	end_scene();
	return failed;
}

/*
 * Each fault in turn, and again until enough calls have failed with ENOMEM and
 * EFAULT: what the allocator itself asks for is not the same each time, so that a
 * number can be skipped.
 */
static void fail_in_turn(struct __test_metadata *_metadata, struct _test_data_failing *self,
			 const struct _fixture_variant_failing *variant,
			 const struct tw_fault_mode *mode, unsigned int no_memory,
			 unsigned int no_copy)
{
	unsigned int nth, rounds = 0;

	/* Nothing fails: this brings all memory in that the call uses. */
	fail_once(_metadata, self, variant, 0, mode);
	do {
		nth = 1;
		while (fail_once(_metadata, self, variant, nth, mode))
			ASSERT_GT(NTH_MAX, nth++);
	} while (++rounds < ROUNDS && (self->no_memory < no_memory ||
				       self->no_copy < no_copy));
	printf("# %u allocations and %u copies failed in turn in %u calls: %u ENOMEM, %u EFAULT\n",
	       self->allocations, self->copies, self->calls, self->no_memory,
	       self->no_copy);
	fflush(stdout);
	EXPECT_LE(no_memory, self->no_memory);
	EXPECT_LE(no_copy, self->no_copy);
	EXPECT_TRUE(nothing_is_charged());
}

TEST_F(failing, alone_is_refused_or_done_without)
{
	const struct tw_fault_mode mode = { 0 };

	if (!self->possible)
		SKIP(return, "no fault injection here");
	fail_in_turn(_metadata, self, variant, &mode, variant->alone, 0);
}

TEST_F(failing, with_all_that_follows_changes_nothing)
{
	const struct tw_fault_mode mode = { .lasting = true };

	if (!self->possible)
		SKIP(return, "no fault injection here");
	fail_in_turn(_metadata, self, variant, &mode, variant->lasting, 0);
	if (!variant->lasting)
		EXPECT_EQ(0, self->no_memory);
}

/* Where a copy is tried a second time, that fails as well. */
TEST_F(failing, to_copy_twice_changes_nothing)
{
	const struct tw_fault_mode mode = { .copies = 2 };

	if (!self->possible)
		SKIP(return, "no fault injection here");
	fail_in_turn(_metadata, self, variant, &mode, 0, variant->copies);
}

FIXTURE(starved) {
	struct tw_faults faults;
	bool possible;
	struct twheel_event event[EXPIRIES];
};

/* Timers 1 to 3 are delivered, 4 to 6 have expired, 7 to 9 run. */
FIXTURE_SETUP(starved)
{
	unsigned int id;

	self->possible = tw_faults_possible();
	if (!self->possible)
		return;
	ASSERT_TRUE(tw_faults_begin(&self->faults));
	begin_scene();
	ASSERT_TRUE(leased_expiries());
	ASSERT_EQ(EXPIRIES, tw_collect(scene.fd, self->event, EXPIRIES));
	ASSERT_TRUE(tw_expire_row(scene.fd, 4, 3));
	for (id = 7; id <= 9; id++)
		ASSERT_EQ(0, tw_after(scene.fd, id, TW_HOUR));
}

FIXTURE_TEARDOWN(starved)
{
	if (!self->possible)
		return;
	end_scene();
	tw_faults_end(&self->faults);
}

/* Whoever is short of memory can give some back. */
TEST_F(starved, thread_can_do_all_but_start)
{
	struct twheel_event *event = self->event;
	struct twheel_reset reset = { .id = 7 };
	struct twheel_start start = { .id = 8, .time_ns = TW_HOUR };
	unsigned int i;
	int ret[12];

	if (!self->possible)
		SKIP(return, "no fault injection here");
	ASSERT_TRUE(tw_faults_starve(&self->faults));
	ret[0] = tw_reset(scene.fd, &reset);
	ret[1] = tw_start(scene.fd, &start);
	ret[2] = tw_stop(scene.fd, 9, NULL);
	ret[3] = tw_state(scene.fd, 9) != TWHEEL_FREE;
	ret[4] = tw_ack(scene.fd, &event[0]) != TWHEEL_FREE;
	ret[5] = tw_extend(scene.fd, &event[1], TW_HOUR);
	ret[6] = tw_reject(scene.fd, &event[2]) != TWHEEL_DUE;
	ret[7] = call_stats();
	ret[8] = call_info();
	ret[9] = call_poll();
	ret[10] = tw_read(scene.fd, scene.event, 2) != 2;
	ret[11] = tw_shutdown(scene.fd, NULL);
	tw_faults_disarm(&self->faults);
	for (i = 0; i < ARRAY_SIZE(ret); i++) {
		EXPECT_EQ(0, ret[i]) {
			TH_LOG("call %u", i);
		}
	}
	EXPECT_TRUE(tw_books_balance(scene.fd));
}

TEST_F(starved, thread_can_close)
{
	int ret;

	if (!self->possible)
		SKIP(return, "no fault injection here");
	ASSERT_TRUE(tw_faults_starve(&self->faults));
	ret = close(scene.fd);
	tw_faults_disarm(&self->faults);
	scene.fd = -1;
	EXPECT_EQ(0, ret);
	EXPECT_TRUE(nothing_is_charged());
}

/*
 * Nobody gets memory who cannot wait for it, as what runs in an interrupt cannot:
 * timers expire, leases lapse and expiries are delivered again all the same.
 */
TEST_F(starved, machine_expires_and_redelivers)
{
	struct twheel_event event[4 * EXPIRIES];
	struct twheel_stats stats;
	unsigned int i;

	if (!self->possible)
		SKIP(return, "no fault injection here");
	ASSERT_TRUE(tw_faults_set(TW_FAULT_SLAB, "ignore-gfp-wait", "Y"));
	ASSERT_TRUE(tw_faults_set(TW_FAULT_SLAB, "times", "1000000"));
	ASSERT_TRUE(tw_faults_set(TW_FAULT_SLAB, "task-filter", "N"));
	ASSERT_TRUE(tw_faults_set(TW_FAULT_SLAB, "probability", "100"));
	EXPECT_EQ(0, tw_every(scene.fd, 7, tw_now(), 2 * TW_MS));
	EXPECT_EQ(0, tw_after(scene.fd, 8, 1));
	for (i = 0; i < EXPIRIES; i++)
		EXPECT_EQ(0, tw_extend(scene.fd, &self->event[i], 1));
	EXPECT_TRUE(tw_await(scene.fd, TW_STAT(lapsed), EXPIRIES));
	EXPECT_TRUE(tw_await(scene.fd, TW_STAT(expired), 2 * EXPIRIES + 2));
	EXPECT_EQ(2 * EXPIRIES + 2, tw_collect(scene.fd, event, 2 * EXPIRIES + 2));
	tw_faults_set(TW_FAULT_SLAB, "probability", "0");
	ASSERT_EQ(0, tw_stats(scene.fd, &stats));
	EXPECT_EQ(EXPIRIES, stats.redelivered);
	EXPECT_EQ(2 * EXPIRIES + 2, stats.in_flight);
	EXPECT_TRUE(tw_balanced(&stats));
}

TEST_HARNESS_MAIN
