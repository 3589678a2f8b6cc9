// SPDX-License-Identifier: GPL-2.0
/*
 * LIST: what an entry says, every timer exactly once whatever the pages and the
 * IDs, cursors, and memory that cannot be written.
 */
#include "twheel_test.h"

#define PAGE	4096
#define MOST	5000		/* timers in most tests */
#define ROOM	(MOST + 100)
#define PATTERN	2000		/* timers whose IDs are chosen */

FIXTURE(listing) {
	int fd;
	__u64 seed;
	struct twheel_list list;
	struct twheel_list_entry *entries;
	struct tw_snapshot before;
};

FIXTURE_SETUP(listing)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	self->entries = malloc(ROOM * sizeof(*self->entries));
	ASSERT_NE(NULL, self->entries);
	memset(self->entries, TW_POISON, ROOM * sizeof(*self->entries));
	memset(&self->list, 0, sizeof(self->list));
}

FIXTURE_TEARDOWN(listing)
{
	free(self->entries);
	close(self->fd);
}

/* Start @count timers for IDs from @first; their data is their ID. */
static int start_many(int fd, __u64 first, unsigned int count)
{
	static struct twheel_op ops[MOST];
	static struct twheel_result results[MOST];
	unsigned int i;

	if (!count)
		return 0;
	tw_fill_ops(ops, count, TWHEEL_OP_START, first);
	for (i = 0; i < count; i++)
		ops[i].data = first + i;
	if (tw_submit_all(fd, ops, results, count) != (int)count)
		return -1;
	return tw_count_errors(results, count, 0) == count ? 0 : -1;
}

static int stop_many(int fd, __u64 first, unsigned int count)
{
	static struct twheel_op ops[MOST];
	static struct twheel_result results[MOST];

	tw_fill_ops(ops, count, TWHEEL_OP_STOP, first);
	if (tw_submit_all(fd, ops, results, count) != (int)count)
		return -1;
	return tw_count_errors(results, count, 0) == count ? 0 : -1;
}

/* Are the entries those of the timers 0 to @count - 1, each once? */
static bool each_once(const struct twheel_list_entry *entries, int listed,
		      unsigned int count)
{
	static unsigned char seen[MOST];
	int i;

	memset(seen, 0, sizeof(seen));
	if (listed != (int)count)
		return false;
	for (i = 0; i < listed; i++) {
		if (entries[i].id >= count || entries[i].id != entries[i].data ||
		    seen[entries[i].id]++)
			return false;
	}
	return true;
}

TEST_F(listing, of_an_instance_before_its_first_start_is_empty)
{
	struct twheel_setup setup = { .queue_len = 3 };

	ASSERT_EQ(0, tw_list(self->fd, &self->list, self->entries, ROOM));
	EXPECT_EQ(0, self->list.count);
	EXPECT_EQ(0, self->list.more);
	EXPECT_EQ(TW_POISON64, self->entries[0].id);
	/* And it is still before its first start. */
	EXPECT_EQ(0, tw_setup(self->fd, &setup));
	EXPECT_EQ(0, tw_list_all(self->fd, self->entries, ROOM, 1));
}

TEST_F(listing, of_an_emptied_instance_is_empty)
{
	ASSERT_EQ(0, start_many(self->fd, 0, 1000));
	ASSERT_EQ(0, stop_many(self->fd, 0, 1000));
	EXPECT_EQ(0, tw_list_all(self->fd, self->entries, ROOM, ROOM));
}

TEST_F(listing, changes_nothing)
{
	ASSERT_EQ(0, start_many(self->fd, 0, 1000));
	ASSERT_TRUE(tw_expire(self->fd, 2000));
	tw_snapshot(self->fd, 1, &self->before);
	EXPECT_EQ(1001, tw_list_all(self->fd, self->entries, ROOM, 10));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(listing, shows_no_timer_of_another_instance)
{
	int other = tw_open();

	ASSERT_EQ(0, start_many(other, 1000, 1000));
	ASSERT_EQ(0, start_many(self->fd, 0, 10));
	EXPECT_TRUE(each_once(self->entries,
			      tw_list_all(self->fd, self->entries, ROOM, 64), 10));
	close(other);
	EXPECT_TRUE(each_once(self->entries,
			      tw_list_all(self->fd, self->entries, ROOM, 64), 10));
}

/* What the entry says has to lie between two GETs. */
static bool same_as_get(const struct twheel_list_entry *entry,
			const struct twheel_get *before,
			const struct twheel_get *after)
{
	return entry->id == before->id && entry->data == before->data &&
	       entry->generation == before->generation &&
	       entry->deadline_ns == before->deadline_ns &&
	       entry->remaining_ns <= before->remaining_ns &&
	       entry->remaining_ns >= after->remaining_ns &&
	       entry->timeout_ns == before->timeout_ns &&
	       entry->interval_ns == before->interval_ns &&
	       entry->slack_ns == before->slack_ns &&
	       entry->state == before->state &&
	       entry->attempt == 0 && !entry->mapped && !entry->word;
}

enum { ONE_SHOT, WITH_SLACK, PERIODIC, QUEUED, QUEUED_PERIODIC, DUE, KINDS };

/* A timer of each kind, whose ID is its kind. */
static bool start_kinds(int fd)
{
	struct twheel_setup setup = { .queue_len = 2 };
	struct twheel_start start = {
		.id = ONE_SHOT,
		.time_ns = TW_HOUR,
		.data = 1ULL << 63,
	};

	if (tw_setup(fd, &setup) || tw_start(fd, &start))
		return false;
	start.id = WITH_SLACK;
	start.slack_ns = TW_SEC;
	if (tw_start(fd, &start))
		return false;
	start.id = PERIODIC;
	start.interval_ns = 3 * TW_SEC;
	start.data = 5;
	if (tw_start(fd, &start) || !tw_expire(fd, QUEUED) ||
	    tw_every(fd, QUEUED_PERIODIC, tw_now(), TW_HOUR) ||
	    !tw_await(fd, TW_STAT(expired), 2))
		return false;
	return tw_expire(fd, DUE);
}

TEST_F(listing, entry_says_what_get_says)
{
	int states[KINDS] = {
		[ONE_SHOT] = TWHEEL_ARMED,
		[WITH_SLACK] = TWHEEL_ARMED,
		[PERIODIC] = TWHEEL_ARMED,
		[QUEUED] = TWHEEL_QUEUED,
		[QUEUED_PERIODIC] = TWHEEL_QUEUED,
		[DUE] = TWHEEL_DUE,
	};
	struct twheel_get before[KINDS], after[KINDS];
	unsigned int i, seen = 0;
	__u64 id;

	ASSERT_TRUE(start_kinds(self->fd));
	for (i = 0; i < KINDS; i++) {
		ASSERT_EQ(0, tw_get(self->fd, i, &before[i]));
		ASSERT_EQ(states[i], (int)before[i].state);
	}
	ASSERT_EQ(KINDS, tw_list_all(self->fd, self->entries, ROOM, ROOM));
	for (i = 0; i < KINDS; i++)
		ASSERT_EQ(0, tw_get(self->fd, i, &after[i]));
	for (i = 0; i < KINDS; i++) {
		id = self->entries[i].id;
		ASSERT_GT(KINDS, id);
		seen |= 1U << id;
		EXPECT_TRUE(same_as_get(&self->entries[i], &before[id], &after[id])) {
			TH_LOG("timer %llu", (long long)id);
		}
	}
	EXPECT_EQ((1U << KINDS) - 1, seen);
	/* And that is what they were started with. */
	EXPECT_LT(0, after[ONE_SHOT].remaining_ns);
	EXPECT_EQ(TW_HOUR, before[ONE_SHOT].timeout_ns);
	EXPECT_EQ(1ULL << 63, before[ONE_SHOT].data);
	EXPECT_LT(0, before[WITH_SLACK].slack_ns);
	EXPECT_EQ(3 * TW_SEC, before[PERIODIC].interval_ns);
	EXPECT_EQ(0, before[DUE].remaining_ns);
	/* And nothing behind the last one. */
	EXPECT_EQ(TW_POISON64, self->entries[KINDS].id);
	EXPECT_EQ(TW_POISON32, self->entries[KINDS].word);
}

TEST_F(listing, keeps_settings_of_a_call_as_they_were)
{
	struct twheel_list list = {
		.entries = (uintptr_t)self->entries,
		.room = 5,
		.count = TW_POISON32,
		.more = TW_POISON32,
	};

	ASSERT_EQ(0, start_many(self->fd, 0, 100));
	ASSERT_EQ(0, ioctl(self->fd, TWHEEL_IOC_LIST, &list));
	EXPECT_EQ((uintptr_t)self->entries, list.entries);
	EXPECT_EQ(5, list.room);
	EXPECT_GE(5, list.count);
	EXPECT_EQ(1, list.more);
	EXPECT_EQ(0, list.flags);
	EXPECT_EQ(0, list.reserved[0] | list.reserved[1]);
}

TEST_F(listing, after_its_end_stays_at_its_end)
{
	unsigned int i;

	ASSERT_EQ(0, start_many(self->fd, 0, 1000));
	ASSERT_EQ(1000, tw_list_rest(self->fd, &self->list, self->entries, ROOM, 64));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, tw_list(self->fd, &self->list, self->entries, 64));
		EXPECT_EQ(0, self->list.count);
		EXPECT_EQ(0, self->list.more);
	}
}

TEST_F(listing, may_change_its_page_size)
{
	int have = 0;

	self->seed = tw_seed();
	ASSERT_EQ(0, start_many(self->fd, 0, MOST));
	do {
		ASSERT_EQ(0, tw_list(self->fd, &self->list, self->entries + have,
				     1 + tw_below(&self->seed, 100)));
		have += self->list.count;
		ASSERT_GE(MOST, have);
	} while (self->list.more);
	EXPECT_TRUE(each_once(self->entries, have, MOST));
}

TEST_F(listing, may_run_twice_at_once)
{
	struct twheel_list_entry *entries[2];
	struct twheel_list lists[2] = { 0 };
	int have[2] = { 0 }, i;

	ASSERT_EQ(0, start_many(self->fd, 0, 1000));
	entries[0] = self->entries;
	entries[1] = self->entries + 2000;
	do {
		for (i = 0; i < 2; i++) {
			ASSERT_EQ(0, tw_list(self->fd, &lists[i],
					     entries[i] + have[i], 3 + i));
			have[i] += lists[i].count;
			ASSERT_GE(1000, have[i]);
		}
	} while (lists[0].more || lists[1].more);
	EXPECT_TRUE(each_once(entries[0], have[0], 1000));
	EXPECT_TRUE(each_once(entries[1], have[1], 1000));
}

/* The most timers there were do not matter, only those that are there. */
TEST_F(listing, of_few_timers_where_many_were_takes_few_calls)
{
	unsigned int i, count = tw_scaled(1000000), calls = 0, have = 0;

	for (i = 0; i < count; i += MOST)
		ASSERT_EQ(0, start_many(self->fd, i, MOST));
	/* A cursor from that time is of use later. */
	ASSERT_EQ(0, tw_list(self->fd, &self->list, self->entries, 1));
	for (i = 0; i < count; i += MOST)
		ASSERT_EQ(0, stop_many(self->fd, i, MOST));
	ASSERT_EQ(0, start_many(self->fd, 0, 10));
	EXPECT_LE(0, tw_list_rest(self->fd, &self->list, self->entries, ROOM, 64));
	memset(&self->list, 0, sizeof(self->list));
	do {
		ASSERT_EQ(0, tw_list(self->fd, &self->list, self->entries + have, 64));
		have += self->list.count;
		calls++;
	} while (self->list.more && have <= 10);
	EXPECT_TRUE(each_once(self->entries, have, 10));
	TH_LOG("%u calls", calls);
	EXPECT_GE(64, calls);
}

TEST_F(listing, with_no_or_too_much_room_is_invalid)
{
	__u32 rooms[] = { 0, TWHEEL_LIST_MAX + 1, 1U << 31, ~0U };
	unsigned int i;

	ASSERT_EQ(0, start_many(self->fd, 0, 10));
	tw_snapshot(self->fd, 1, &self->before);
	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		EXPECT_EQ(-EINVAL, tw_list(self->fd, &self->list, self->entries,
					   rooms[i])) {
			TH_LOG("room %u", rooms[i]);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_EQ(TW_POISON64, self->entries[0].id);
}

TEST_F(listing, with_entries_that_are_not_aligned_is_invalid)
{
	unsigned int i;

	ASSERT_EQ(0, start_many(self->fd, 0, 10));
	for (i = 1; i < 8; i++) {
		EXPECT_EQ(-EINVAL, tw_list(self->fd, &self->list,
					   (void *)((char *)self->entries + i), 10)) {
			TH_LOG("entries at %u", i);
		}
	}
	EXPECT_EQ(TW_POISON64, self->entries[0].id);
}

TEST_F(listing, into_memory_that_is_none_faults)
{
	__u64 outside[] = { 0, PAGE - 8, 1ULL << 47, 1ULL << 63,
			    -(__u64)PAGE * 16, -8ULL };
	struct twheel_list list = { .room = 10 };
	unsigned int i, have;

	ASSERT_EQ(0, start_many(self->fd, 0, 100));
	ASSERT_EQ(0, tw_list(self->fd, &self->list, self->entries, 50));
	have = self->list.count;
	tw_snapshot(self->fd, 1, &self->before);
	for (i = 0; i < ARRAY_SIZE(outside); i++) {
		list.entries = outside[i];
		memcpy(list.cursor, self->list.cursor, sizeof(list.cursor));
		EXPECT_EQ(-EFAULT, tw_ioctl(self->fd, TWHEEL_IOC_LIST, &list,
					    sizeof(list))) {
			TH_LOG("entries at %#llx", (long long)outside[i]);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	/* The cursor is as good as before. */
	have += tw_list_rest(self->fd, &self->list, self->entries + have, 200, 7);
	EXPECT_TRUE(each_once(self->entries, have, 100));
}

/* Room for @mapped entries and @part bytes of one more, of @count timers. */
static bool lists_across_hole(struct _test_data_listing *self, unsigned int mapped,
			      unsigned int part, unsigned int count)
{
	size_t size = sizeof(struct twheel_list_entry);
	char *area, *edge;
	unsigned int have;
	int ret;

	area = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		return false;
	edge = area + 32 * PAGE;
	mprotect(edge, 32 * PAGE, PROT_READ);
	memset(&self->list, 0, sizeof(self->list));
	ret = tw_list(self->fd, &self->list,
		      (void *)(edge - mapped * size - part), 1000);
	have = self->list.count;
	if (!ret && have <= mapped)
		memcpy(self->entries, edge - mapped * size - part, have * size);
	munmap(area, 64 * PAGE);
	if (!mapped)
		return ret == -EFAULT && !self->list.cursor[0] &&
		       !self->list.cursor[1];
	if (ret || have > mapped || !self->list.more)
		return false;
	ret = tw_list_rest(self->fd, &self->list, self->entries + have,
			   ROOM - have, 64);
	return ret >= 0 && each_once(self->entries, have + ret, count);
}

TEST_F(listing, across_the_end_of_memory_goes_on_elsewhere)
{
	unsigned int mapped, part;

	ASSERT_EQ(0, start_many(self->fd, 0, 500));
	for (mapped = 0; mapped < 150; mapped++) {
		part = mapped * 8 % sizeof(struct twheel_list_entry);
		EXPECT_TRUE(lists_across_hole(self, mapped, part, 500)) {
			TH_LOG("%u entries and %u bytes", mapped, part);
		}
	}
}

TEST_F(listing, into_pages_that_do_not_exist_yet_is_no_fault)
{
	size_t size = ROOM * sizeof(*self->entries);
	struct twheel_list_entry *entries;

	entries = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, entries);
	ASSERT_EQ(0, start_many(self->fd, 0, 3000));
	EXPECT_TRUE(each_once(entries, tw_list_all(self->fd, entries, ROOM, ROOM),
			      3000));
	munmap(entries, size);
}

/* From a cursor that is none: refused, or a listing without duplicates. */
static bool harmless(struct _test_data_listing *self, __u64 low, __u64 high)
{
	static unsigned char seen[MOST];
	int ret, i;

	memset(seen, 0, sizeof(seen));
	memset(&self->list, 0, sizeof(self->list));
	self->list.cursor[0] = low;
	self->list.cursor[1] = high;
	ret = tw_list_rest(self->fd, &self->list, self->entries, ROOM, 100);
	for (i = 0; i < ret; i++) {
		if (self->entries[i].id >= MOST || seen[self->entries[i].id]++)
			return false;
	}
	return ret >= 0 || ret == -EINVAL;
}

TEST_F(listing, from_an_invented_cursor_is_harmless)
{
	unsigned int i, rounds = tw_scaled(2000);
	__u64 low, high, given[2];

	self->seed = tw_seed();
	ASSERT_EQ(0, start_many(self->fd, 0, 200));
	ASSERT_EQ(0, tw_list(self->fd, &self->list, self->entries, 70));
	memcpy(given, self->list.cursor, sizeof(given));
	for (i = 0; i < 128; i++) {
		low = given[0] ^ (i < 64 ? 1ULL << i : 0);
		high = given[1] ^ (i < 64 ? 0 : 1ULL << (i - 64));
		EXPECT_TRUE(harmless(self, low, high)) {
			TH_LOG("bit %u flipped", i);
		}
	}
	for (i = 0; i < rounds; i++) {
		low = tw_below(&self->seed, U64_MAX) >> tw_below(&self->seed, 64);
		high = tw_below(&self->seed, U64_MAX) >> tw_below(&self->seed, 64);
		EXPECT_TRUE(harmless(self, low, high)) {
			TH_LOG("cursor %#llx, %#llx", (long long)low,
			       (long long)high);
		}
	}
	EXPECT_TRUE(harmless(self, U64_MAX, U64_MAX));
}

TEST_F(listing, from_a_cursor_of_another_instance_is_harmless)
{
	int other = tw_open();

	ASSERT_EQ(0, start_many(other, 0, MOST));
	ASSERT_EQ(0, tw_list(other, &self->list, self->entries, 700));
	EXPECT_TRUE(harmless(self, self->list.cursor[0], self->list.cursor[1]));
	ASSERT_EQ(0, start_many(self->fd, 0, 10));
	ASSERT_EQ(0, tw_list(other, &self->list, self->entries, 700));
	EXPECT_TRUE(harmless(self, self->list.cursor[0], self->list.cursor[1]));
	close(other);
}

FIXTURE(pages) {
	int fd;
	struct twheel_list_entry *entries;
};

FIXTURE_VARIANT(pages) {
	unsigned int page;
};

FIXTURE_VARIANT_ADD(pages, of_1) {
	.page = 1,
};

FIXTURE_VARIANT_ADD(pages, of_2) {
	.page = 2,
};

FIXTURE_VARIANT_ADD(pages, of_7) {
	.page = 7,
};

FIXTURE_VARIANT_ADD(pages, of_64) {
	.page = 64,
};

FIXTURE_VARIANT_ADD(pages, of_the_most) {
	.page = TWHEEL_LIST_MAX,
};

FIXTURE_SETUP(pages)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	self->entries = malloc((TWHEEL_LIST_MAX + 1) * sizeof(*self->entries));
	ASSERT_NE(NULL, self->entries);
}

FIXTURE_TEARDOWN(pages)
{
	free(self->entries);
	close(self->fd);
}

TEST_F(pages, have_each_of_any_number_of_timers_once)
{
	unsigned int counts[] = { 0, 1, 2, 6, 7, 8, 63, 64, 65, 511, 512, 513,
				  1023, 1024, 1025, 2000, MOST };
	unsigned int i, have = 0;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		ASSERT_EQ(0, start_many(self->fd, have, counts[i] - have));
		have = counts[i];
		EXPECT_TRUE(each_once(self->entries,
				      tw_list_all(self->fd, self->entries,
						  TWHEEL_LIST_MAX + 1,
						  variant->page), have)) {
			TH_LOG("%u timers", have);
		}
	}
}

/* Start timers whose IDs are a pattern, and their numbers their data, or stop them. */
static bool do_pattern(int fd, __u32 opcode, const __u64 *ids)
{
	static struct twheel_op ops[PATTERN];
	static struct twheel_result results[PATTERN];
	unsigned int i;

	tw_fill_ops(ops, PATTERN, opcode, 0);
	for (i = 0; i < PATTERN; i++) {
		ops[i].id = ids[i];
		if (opcode == TWHEEL_OP_START)
			ops[i].data = i;
	}
	return tw_submit_all(fd, ops, results, PATTERN) == PATTERN &&
	       tw_count_errors(results, PATTERN, 0) == PATTERN;
}

static bool lists_pattern(int fd, struct twheel_list_entry *entries,
			  unsigned int page, const __u64 *ids)
{
	static unsigned char seen[PATTERN];
	unsigned int i;

	memset(seen, 0, sizeof(seen));
	if (!do_pattern(fd, TWHEEL_OP_START, ids) ||
	    tw_list_all(fd, entries, 2 * PATTERN, page) != PATTERN)
		return false;
	for (i = 0; i < PATTERN; i++) {
		if (entries[i].data >= PATTERN ||
		    entries[i].id != ids[entries[i].data] ||
		    seen[entries[i].data]++)
			return false;
	}
	return do_pattern(fd, TWHEEL_OP_STOP, ids);
}

TEST_F(pages, have_each_of_any_ids_once)
{
	__u64 ids[PATTERN], seed = tw_seed();
	unsigned int i, shift;

	for (i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = (__u64)tw_random(&seed) << 32 | i;
	ids[0] = 0;
	ids[1] = U64_MAX;
	EXPECT_TRUE(lists_pattern(self->fd, self->entries, variant->page, ids));
	for (shift = 0; shift <= 48; shift += 16) {
		for (i = 0; i < ARRAY_SIZE(ids); i++)
			ids[i] = (__u64)i << shift;
		EXPECT_TRUE(lists_pattern(self->fd, self->entries, variant->page,
					  ids)) {
			TH_LOG("multiples of 2^%u", shift);
		}
	}
}

TEST_HARNESS_MAIN
