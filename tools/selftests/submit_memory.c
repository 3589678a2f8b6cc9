// SPDX-License-Identifier: GPL-2.0
/*
 * SUBMIT and the caller's memory: how many operations there are and where, and
 * what is left of a batch whose memory ends in the middle.
 */
#include "twheel_test.h"

#define PAGE	4096
#define MANY	TWHEEL_SUBMIT_MAX
#define OP	sizeof(struct twheel_op)
#define RESULT	sizeof(struct twheel_result)
/* Operations after the hole. */
#define AFTER	20

FIXTURE(arrays) {
	int fd;
	char *area;		/* room for two full arrays and more */
	size_t size;
	struct twheel_op *ops;
	struct twheel_result *results;
	struct tw_snapshot before;
};

/* A timer of its own, so that there is something to compare with. */
FIXTURE_SETUP(arrays)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_after(self->fd, U64_MAX, TW_HOUR));
	self->size = (MANY + 64) * (OP + RESULT);
	self->area = mmap(NULL, self->size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->area);
	self->ops = (void *)self->area;
	self->results = (void *)(self->area + (MANY + 32) * OP);
	tw_fill_ops(self->ops, MANY + 1, TWHEEL_OP_START, 0);
	tw_snapshot(self->fd, U64_MAX, &self->before);
}

FIXTURE_TEARDOWN(arrays)
{
	munmap(self->area, self->size);
	close(self->fd);
}

/* A SUBMIT whose arrays are at any address. */
static int submit_at(int fd, __u64 ops, __u64 results, __u32 count)
{
	struct twheel_submit submit = {
		.ops = ops,
		.results = results,
		.count = count,
	};
	int ret = tw_ioctl(fd, TWHEEL_IOC_SUBMIT, &submit, sizeof(submit));

	return ret ?: (int)submit.done;
}

static __u64 address(const void *pointer)
{
	return (uintptr_t)pointer;
}

TEST_F(arrays, of_one_are_a_batch)
{
	EXPECT_EQ(1, tw_submit(self->fd, self->ops, self->results, 1));
	EXPECT_EQ(0, self->results[0].error);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 0));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 1));
}

TEST_F(arrays, of_the_most_are_a_batch)
{
	struct twheel_stats stats;

	ASSERT_EQ(MANY, tw_submit(self->fd, self->ops, self->results, MANY));
	EXPECT_EQ(MANY, tw_count_errors(self->results, MANY, 0));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, MANY - 1));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, MANY));
	ASSERT_EQ(0, tw_stats(self->fd, &stats));
	EXPECT_EQ(MANY + 1, stats.started);
	EXPECT_EQ(MANY + 1, stats.timers);
}

TEST_F(arrays, of_none_or_too_many_are_invalid)
{
	__u32 counts[] = { 0, MANY + 1, MANY << 1, 1U << 31, ~0U };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		EXPECT_EQ(-EINVAL, submit_at(self->fd, address(self->ops),
					     address(self->results), counts[i])) {
			TH_LOG("count %u", counts[i]);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(arrays, that_are_not_aligned_are_invalid)
{
	unsigned int i;

	for (i = 1; i < 8; i++) {
		EXPECT_EQ(-EINVAL, submit_at(self->fd, address(self->ops) + i,
					     address(self->results), 1)) {
			TH_LOG("operations at %u", i);
		}
		EXPECT_EQ(-EINVAL, submit_at(self->fd, address(self->ops),
					     address(self->results) + i, 1)) {
			TH_LOG("results at %u", i);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(arrays, that_overlap_are_invalid)
{
	__u64 ops = address(self->area) + 16 * OP;
	long count = 10, word = sizeof(__u64);
	long results[] = {
		0,			/* the same address */
		word,
		count * OP - word,	/* by the last word of the operations */
		-word,
		-count * (long)RESULT + word,	/* by that of the results */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(results); i++) {
		EXPECT_EQ(-EINVAL,
			  submit_at(self->fd, ops, ops + results[i], count)) {
			TH_LOG("results %ld bytes after the operations", results[i]);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(arrays, that_touch_do_not_overlap)
{
	struct twheel_op *ops = self->ops + 16;

	tw_fill_ops(ops, 10, TWHEEL_OP_START, 0);
	EXPECT_EQ(10, tw_submit(self->fd, ops, (void *)(ops + 10), 10));
	EXPECT_EQ(10, tw_count_errors((void *)(ops + 10), 10, 0));
	tw_fill_ops(ops, 10, TWHEEL_OP_STOP, 0);
	self->results = (void *)((char *)ops - 10 * RESULT);
	EXPECT_EQ(10, tw_submit(self->fd, ops, self->results, 10));
	EXPECT_EQ(10, tw_count_errors(self->results, 10, 0));
}

TEST_F(arrays, outside_the_address_space_fault)
{
	__u64 outside[] = { 0, PAGE - 8, 1ULL << 47, 1ULL << 63,
			    -(__u64)PAGE * 16, -(__u64)OP * 4, -8ULL };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(outside); i++) {
		EXPECT_EQ(-EFAULT, submit_at(self->fd, outside[i],
					     address(self->results), 4)) {
			TH_LOG("operations at %#llx", outside[i]);
		}
		EXPECT_EQ(-EFAULT, submit_at(self->fd, address(self->ops),
					     outside[i], 4)) {
			TH_LOG("results at %#llx", outside[i]);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

/* Pages of a file that nobody has touched, and pages that do not exist yet. */
TEST_F(arrays, that_are_not_paged_in_are_no_fault)
{
	int fd = memfd_create("ops", MFD_CLOEXEC);
	struct twheel_result *results;
	struct twheel_op *ops;
	size_t size = 3000 * OP;

	ASSERT_LE(0, fd);
	ASSERT_EQ((ssize_t)size, write(fd, self->ops, size));
	ops = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, ops);
	results = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, results);
	EXPECT_EQ(3000, tw_submit(self->fd, ops, results, 3000));
	EXPECT_EQ(3000, tw_count_errors(results, 3000, 0));
	EXPECT_LT(0, results[0].generation);
	EXPECT_LT(results[0].generation, results[2999].generation);
	munmap(ops, size);
	munmap(results, size);
	close(fd);
}

TEST_F(arrays, and_settings_of_a_call_stay_as_they_were)
{
	struct twheel_submit submit = {
		.ops = address(self->ops),
		.results = address(self->results),
		.count = 3,
		.done = TW_POISON32,
	}, expected = submit;

	expected.done = 3;
	ASSERT_EQ(0, ioctl(self->fd, TWHEEL_IOC_SUBMIT, &submit));
	EXPECT_EQ(0, memcmp(&expected, &submit, sizeof(submit)));
	EXPECT_EQ(TWHEEL_OP_START, self->ops[2].opcode);
	EXPECT_EQ(2, self->ops[2].id);
}

TEST_F(arrays, have_no_byte_in_results_that_was_not_set)
{
	struct twheel_result *results = self->results;
	char zero[RESULT] = { 0 };

	memset(results, TW_POISON, 6 * RESULT);
	self->ops[1] = tw_op(TWHEEL_OP_RESET, 0);
	self->ops[2] = tw_op(TWHEEL_OP_GET, 0);
	self->ops[3] = tw_op(TWHEEL_OP_STOP, 0);
	self->ops[4] = tw_op(TWHEEL_OP_STOP, 0);
	ASSERT_EQ(5, tw_submit(self->fd, self->ops, results, 5));
	/* What an operation has no use for. */
	EXPECT_EQ(0, results[0].remaining_ns | results[0].data |
		     results[0].interval_ns);
	EXPECT_EQ(0, results[1].data | results[1].interval_ns);
	EXPECT_EQ(0, results[2].data | results[2].interval_ns);
	EXPECT_EQ(0, results[3].deadline_ns | results[3].data |
		     results[3].interval_ns);
	EXPECT_EQ(-ENOENT, results[4].error);
	results[4].error = 0;
	EXPECT_EQ(0, memcmp(zero, &results[4], RESULT));
	/* And none behind the last one. */
	memset(zero, TW_POISON, RESULT);
	EXPECT_EQ(0, memcmp(zero, &results[5], RESULT));
}

/* Nor of the results that were there before, in the caller's memory or elsewhere. */
TEST_F(arrays, have_nothing_but_the_errno_of_what_failed)
{
	__u32 opcodes[] = { TWHEEL_OP_STOP, TWHEEL_OP_RESET, TWHEEL_OP_GET, 0 };
	struct twheel_result expected = { 0 };
	unsigned int i;

	/* A thousand that succeed, and then as many of which every second fails. */
	for (i = 1000; i < 2000; i += 2)
		self->ops[i] = tw_op(opcodes[i / 2 % 4], MANY);
	ASSERT_EQ(2000, tw_submit(self->fd, self->ops, self->results, 2000));
	EXPECT_EQ(1500, tw_count_errors(self->results, 2000, 0));
	for (i = 1000; i < 2000; i += 2) {
		expected.error = self->ops[i].opcode ? -ENOENT : -EOPNOTSUPP;
		EXPECT_EQ(0, memcmp(&expected, &self->results[i], RESULT)) {
			TH_LOG("operation %u", i);
		}
	}
}

FIXTURE(hole) {
	int fd;
	char *good, *bad;	/* the other array, and the one with the hole */
	char *edge;		/* where the hole begins */
	struct twheel_stats stats;
	struct tw_snapshot before;
};

enum { UNMAPPED = -1 };

FIXTURE_VARIANT(hole) {
	bool in_results;
	int prot;
};

FIXTURE_VARIANT_ADD(hole, unmapped_in_operations) {
	.prot = UNMAPPED,
};

FIXTURE_VARIANT_ADD(hole, forbidden_in_operations) {
	.prot = PROT_NONE,
};

FIXTURE_VARIANT_ADD(hole, unmapped_in_results) {
	.in_results = true,
	.prot = UNMAPPED,
};

FIXTURE_VARIANT_ADD(hole, read_only_in_results) {
	.in_results = true,
	.prot = PROT_READ,
};

#define HOLE_AT		(32 * PAGE)
#define HOLE_SIZE	(40 * PAGE)

/* Make the hole, and a fresh instance with one timer. */
static bool make_hole(struct _test_data_hole *self,
		      const struct _fixture_variant_hole *variant)
{
	size_t size = HOLE_SIZE - HOLE_AT;

	return !(variant->prot == UNMAPPED ? munmap(self->edge, size) :
		 mprotect(self->edge, size, variant->prot)) &&
	       !tw_after(self->fd, U64_MAX, TW_HOUR);
}

/* Good memory where the hole was. */
static bool fill_hole(struct _test_data_hole *self)
{
	return mmap(self->edge, HOLE_SIZE - HOLE_AT, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == self->edge;
}

FIXTURE_SETUP(hole)
{
	self->good = calloc(1, HOLE_SIZE);
	self->bad = mmap(NULL, HOLE_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->bad);
	ASSERT_NE(NULL, self->good);
	self->edge = self->bad + HOLE_AT;
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(hole)
{
	free(self->good);
	munmap(self->bad, HOLE_SIZE);
	close(self->fd);
}

/* Where the arrays of a batch are that has @before whole entries before the hole. */
struct placed {
	struct twheel_op *ops;
	struct twheel_result *results;
	unsigned int count;
};

/* @part bytes of the next entry are before the hole as well. */
static struct placed place(struct _test_data_hole *self, bool in_results,
			   unsigned int before, unsigned int part)
{
	size_t size = in_results ? RESULT : OP;
	char *bad = self->edge - before * size - part;

	return (struct placed) {
		.ops = (void *)(in_results ? self->good : bad),
		.results = (void *)(in_results ? bad : self->good),
		.count = before + AFTER,
	};
}

/* The operations that memory has room for. */
static void fill_placed(const struct placed *placed, bool in_results)
{
	unsigned int room = in_results ? placed->count : placed->count - AFTER;

	tw_fill_ops(placed->ops, room, TWHEEL_OP_START, 0);
}

/* Are exactly the timers up to @before started? */
static bool started_until(int fd, unsigned int before)
{
	struct twheel_stats stats;
	unsigned int i;

	if (tw_stats(fd, &stats) || stats.timers != before + 1)
		return false;
	for (i = 0; i < before; i++) {
		if (tw_state(fd, i) != TWHEEL_ARMED)
			return false;
	}
	return true;
}

TEST_F(hole, ends_the_batch_and_what_was_done_stands)
{
	unsigned int befores[] = { 1, 2, 31, 32, 33, 63, 64, 65, 256, 1000 };
	unsigned int i, before;
	struct placed placed;

	for (i = 0; i < ARRAY_SIZE(befores); i++) {
		ASSERT_TRUE(fill_hole(self));
		close(self->fd);
		self->fd = tw_open();
		before = befores[i];
		placed = place(self, variant->in_results, before, 8 * (i % 5));
		fill_placed(&placed, variant->in_results);
		ASSERT_TRUE(make_hole(self, variant));
		EXPECT_EQ(before, tw_submit(self->fd, placed.ops, placed.results,
					    placed.count));
		EXPECT_EQ(before, tw_count_errors(placed.results, before, 0));
		EXPECT_TRUE(started_until(self->fd, before)) {
			TH_LOG("%u entries before the hole", before);
		}
	}
}

/* Each place where an entry can be cut, and each place in a chunk. */
TEST_F(hole, may_begin_anywhere)
{
	unsigned int before, part, count = tw_scaled(300);
	unsigned int size = variant->in_results ? RESULT : OP;
	struct placed placed;

	for (before = 1; before < count; before++) {
		part = before * 8 % size;
		placed = place(self, variant->in_results, before, part);
		if (before == 1)
			ASSERT_TRUE(make_hole(self, variant));
		fill_placed(&placed, variant->in_results);
		ASSERT_EQ(before, tw_submit(self->fd, placed.ops, placed.results,
					    placed.count)) {
			TH_LOG("%u entries and %u bytes before it", before, part);
		}
		ASSERT_EQ(before, tw_count_errors(placed.results, before, 0));
		ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
		EXPECT_EQ(before + 1, self->stats.timers);
	}
}

TEST_F(hole, fails_the_rest_of_the_batch)
{
	struct placed placed = place(self, variant->in_results, 100, 16);

	fill_placed(&placed, variant->in_results);
	ASSERT_TRUE(make_hole(self, variant));
	ASSERT_EQ(100, tw_submit(self->fd, placed.ops, placed.results,
				 placed.count));
	tw_snapshot(self->fd, 100, &self->before);
	EXPECT_EQ(-EFAULT, tw_submit(self->fd, placed.ops + 100,
				     placed.results + 100, AFTER));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(hole, filled_in_lets_the_batch_go_on)
{
	struct placed placed = place(self, variant->in_results, 100, 0);
	struct twheel_result *rest;

	fill_placed(&placed, variant->in_results);
	ASSERT_TRUE(make_hole(self, variant));
	ASSERT_EQ(100, tw_submit(self->fd, placed.ops, placed.results,
				 placed.count));
	ASSERT_TRUE(fill_hole(self));
	rest = placed.results + 100;
	tw_fill_ops(placed.ops + 100, AFTER, TWHEEL_OP_START, 100);
	EXPECT_EQ(AFTER, tw_submit(self->fd, placed.ops + 100, rest, AFTER));
	EXPECT_EQ(AFTER, tw_count_errors(rest, AFTER, 0));
	EXPECT_TRUE(started_until(self->fd, 100 + AFTER));
}

TEST_HARNESS_MAIN
