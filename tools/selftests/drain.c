// SPDX-License-Identifier: GPL-2.0
/*
 * DRAIN: what is ready, whoever it is for, in one call that does not wait
 */
#include <sys/mman.h>
#include "twheel_pool.h"

#define PAGE	4096
#define ROOM	64

FIXTURE(drain) {
	int fd;		/* that is no reader */
	int reader[3];
	struct twheel_event event[ROOM];
	struct twheel_stats stats;
	struct tw_snapshot before;
};

FIXTURE_SETUP(drain)
{
	tw_no_pool(&self->fd, self->reader, ARRAY_SIZE(self->reader));
}

FIXTURE_TEARDOWN(drain)
{
	tw_close_pool(self->fd, self->reader, ARRAY_SIZE(self->reader));
}

/* A descriptor that is no reader, and @readers that are. */
static bool make_pool(struct _test_data_drain *self, struct twheel_setup setup,
		      unsigned int readers)
{
	return tw_make_pool(&self->fd, self->reader, readers, setup,
			    TWHEEL_READER_NONBLOCK);
}

static bool make_simple_pool(struct _test_data_drain *self, __u32 dispatch)
{
	struct twheel_setup setup = { .dispatch = dispatch };

	return make_pool(self, setup, 3);
}

/* Whether @count records are of the IDs from @first on. */
static bool is_row(const struct twheel_event *event, __u64 first,
		   unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (event[i].id != first + i)
			return false;
	return true;
}

static struct twheel_drain request(struct _test_data_drain *self)
{
	return (struct twheel_drain) {
		.events = (uintptr_t)self->event,
		.room = ROOM,
	};
}

static int drain_ioctl(int fd, struct twheel_drain *drain)
{
	drain->count = TW_POISON32;
	drain->more = TW_POISON32;
	return tw_ioctl(fd, TWHEEL_IOC_DRAIN, drain, sizeof(*drain));
}

TEST_F(drain, of_nothing_returns_at_once_with_nothing)
{
	struct twheel_drain drain = request(self);

	ASSERT_TRUE(make_simple_pool(self, TWHEEL_SHARED));
	ASSERT_EQ(0, drain_ioctl(self->fd, &drain));
	EXPECT_EQ(0, drain.count);
	EXPECT_EQ(0, drain.more);
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	ASSERT_EQ(0, drain_ioctl(self->fd, &drain));
	EXPECT_EQ(0, drain.count);
	EXPECT_EQ(0, drain.more);
}

TEST_F(drain, takes_what_one_queue_has)
{
	ASSERT_TRUE(make_simple_pool(self, TWHEEL_SHARED));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 9));
	ASSERT_EQ(9, tw_drain(self->fd, self->event, ROOM));
	EXPECT_TRUE(is_row(self->event, 1, 9));
	EXPECT_EQ(-EAGAIN, tw_read(self->reader[0], self->event, ROOM));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(drain, takes_from_all_readers_the_oldest_first)
{
	ASSERT_TRUE(make_simple_pool(self, TWHEEL_ROUND_ROBIN));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 10));
	ASSERT_EQ(10, tw_drain(self->fd, self->event, ROOM));
	EXPECT_TRUE(is_row(self->event, 1, 10));
	EXPECT_EQ(-EAGAIN, tw_read(self->reader[1], self->event, ROOM));
	EXPECT_EQ(0, tw_poll(self->reader[2], 0));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(10, self->stats.delivered);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

/* What found its reader's line full is ready as well. */
TEST_F(drain, takes_what_waits_for_room)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BY_ID,
		.queue_len = 1,
	};

	ASSERT_TRUE(make_pool(self, setup, 2));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 7));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	ASSERT_EQ(2, self->stats.queued);
	ASSERT_EQ(7, tw_drain(self->fd, self->event, ROOM));
	EXPECT_TRUE(is_row(self->event, 1, 7));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(drain, takes_what_waits_without_a_reader)
{
	struct twheel_setup setup = { .dispatch = TWHEEL_ROUND_ROBIN };

	ASSERT_TRUE(make_pool(self, setup, 0));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 5));
	ASSERT_EQ(5, tw_drain(self->fd, self->event, ROOM));
	EXPECT_TRUE(is_row(self->event, 1, 5));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(drain, of_copies_takes_one_readers_after_the_others)
{
	struct twheel_setup setup = {
		.dispatch = TWHEEL_BROADCAST,
		.overflow = TWHEEL_DROP_OLDEST,
	};

	ASSERT_TRUE(make_pool(self, setup, 3));
	ASSERT_EQ(0, tw_after(self->fd, 1, 0));
	ASSERT_EQ(0, tw_after(self->fd, 2, 0));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(queued), 6));
	ASSERT_EQ(6, tw_drain(self->fd, self->event, ROOM));
	EXPECT_TRUE(is_row(self->event, 1, 2));
	EXPECT_TRUE(is_row(self->event + 2, 1, 2));
	EXPECT_TRUE(is_row(self->event + 4, 1, 2));
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 1));
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(drain, counts_as_passed_on_for_whom_it_was)
{
	struct twheel_stats stats;

	ASSERT_TRUE(make_simple_pool(self, TWHEEL_ROUND_ROBIN));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 6));
	ASSERT_EQ(6, tw_drain(self->reader[0], self->event, ROOM));
	ASSERT_EQ(0, tw_reader_stats(self->fd, tw_number(self->reader[0]),
				     &stats));
	EXPECT_EQ(6, stats.delivered);
	EXPECT_EQ(0, stats.passed_on);
	ASSERT_EQ(0, tw_reader_stats(self->fd, tw_number(self->reader[1]),
				     &stats));
	EXPECT_EQ(0, stats.delivered);
	EXPECT_EQ(2, stats.passed_on);
	EXPECT_TRUE(tw_books_balance(self->fd));
}

TEST_F(drain, is_under_leases_of_the_descriptor)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);

	setup.dispatch = TWHEEL_BY_ID;
	ASSERT_TRUE(make_pool(self, setup, 2));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 4));
	ASSERT_EQ(4, tw_drain(self->fd, self->event, ROOM));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(4, self->stats.in_flight);
	EXPECT_EQ(-ESTALE, tw_ack(self->reader[1], &self->event[0]));
	EXPECT_EQ(TWHEEL_FREE, tw_ack(self->fd, &self->event[0]));
	EXPECT_EQ(TWHEEL_DUE, tw_reject(self->fd, &self->event[1]));
	ASSERT_EQ(1, tw_drain(self->reader[0], self->event, ROOM));
	EXPECT_EQ(2, self->event[0].id);
	EXPECT_EQ(2, self->event[0].attempt);
}

/* The last close of a descriptor that is no reader returns what it has drained. */
TEST_F(drain, leases_come_back_when_the_descriptor_is_closed)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);

	ASSERT_TRUE(make_pool(self, setup, 1));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 3));
	ASSERT_EQ(3, tw_drain(self->fd, self->event, ROOM));
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(3, tw_read(self->reader[0], self->event, ROOM));
	EXPECT_TRUE(is_row(self->event, 1, 3));
	EXPECT_EQ(2, self->event[2].attempt);
}

TEST_F(drain, says_whether_there_is_more)
{
	struct twheel_drain drain = request(self);

	ASSERT_TRUE(make_simple_pool(self, TWHEEL_BY_ID));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 5));
	drain.room = 4;
	ASSERT_EQ(0, drain_ioctl(self->fd, &drain));
	EXPECT_EQ(4, drain.count);
	EXPECT_EQ(1, drain.more);
	ASSERT_EQ(0, drain_ioctl(self->fd, &drain));
	EXPECT_EQ(1, drain.count);
	EXPECT_EQ(0, drain.more);
	EXPECT_EQ(5, self->event[0].id);
}

TEST_F(drain, of_one_queue_is_in_sequence_with_reads)
{
	ASSERT_TRUE(make_simple_pool(self, TWHEEL_SHARED));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 3));
	ASSERT_EQ(1, tw_read(self->reader[0], self->event, 1));
	ASSERT_EQ(1, tw_drain(self->fd, self->event + 1, 1));
	ASSERT_EQ(1, tw_read(self->reader[1], self->event + 2, 1));
	EXPECT_EQ(1, self->event[0].sequence);
	EXPECT_EQ(2, self->event[1].sequence);
	EXPECT_EQ(3, self->event[2].sequence);
}

TEST_F(drain, of_as_many_as_there_may_be_is_accepted)
{
	const size_t size = TWHEEL_DRAIN_MAX * sizeof(struct twheel_event);
	struct twheel_event *events = mmap(NULL, size, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, events);
	ASSERT_TRUE(make_simple_pool(self, TWHEEL_ROUND_ROBIN));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 3));
	EXPECT_EQ(3, tw_drain(self->fd, events, TWHEEL_DRAIN_MAX));
	munmap(events, size);
}

/* Requests that are refused, while there is something to drain. */
TEST_F(drain, with_bad_room_is_refused)
{
	struct twheel_drain drain = request(self);

	ASSERT_TRUE(make_simple_pool(self, TWHEEL_ROUND_ROBIN));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 3));
	tw_snapshot(self->fd, 1, &self->before);
	drain.room = 0;
	EXPECT_EQ(-EINVAL, drain_ioctl(self->fd, &drain));
	drain.room = TWHEEL_DRAIN_MAX + 1;
	EXPECT_EQ(-EINVAL, drain_ioctl(self->fd, &drain));
	drain.room = ~0U;
	EXPECT_EQ(-EINVAL, drain_ioctl(self->fd, &drain));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(drain, to_unaligned_memory_is_refused)
{
	struct twheel_drain drain = request(self);
	unsigned int i;

	ASSERT_TRUE(make_simple_pool(self, TWHEEL_ROUND_ROBIN));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 3));
	tw_snapshot(self->fd, 1, &self->before);
	for (i = 1; i < 8; i++) {
		drain.events = (uintptr_t)self->event + i;
		EXPECT_EQ(-EINVAL, drain_ioctl(self->fd, &drain));
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(drain, to_no_memory_takes_nothing)
{
	__u64 addresses[] = { 0, 8, 1ULL << 63, ~0ULL << 16, ~0ULL << 47 };
	struct twheel_drain drain = request(self);
	unsigned int i;

	ASSERT_TRUE(make_simple_pool(self, TWHEEL_ROUND_ROBIN));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 3));
	tw_snapshot(self->fd, 1, &self->before);
	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		drain.events = addresses[i];
		EXPECT_EQ(-EFAULT, drain_ioctl(self->fd, &drain)) {
			TH_LOG("address %#llx", addresses[i]);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_EQ(3, tw_drain(self->fd, self->event, ROOM));
}

/* Two and a half records fit before memory ends: two are taken, under leases. */
TEST_F(drain, ends_early_where_memory_ends)
{
	const size_t record = sizeof(struct twheel_event);
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);
	struct twheel_drain drain = request(self);
	char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, munmap(page + PAGE, PAGE));
	setup.dispatch = TWHEEL_ROUND_ROBIN;
	ASSERT_TRUE(make_pool(self, setup, 3));
	ASSERT_TRUE(tw_expire_row(self->fd, 1, 5));
	drain.events = (uintptr_t)page + PAGE - 2 * record - record / 2;
	drain.room = 5;
	ASSERT_EQ(0, drain_ioctl(self->fd, &drain));
	EXPECT_EQ(2, drain.count);
	EXPECT_EQ(1, drain.more);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(2, self->stats.in_flight);
	EXPECT_EQ(3, self->stats.waiting);
	drain.events = (uintptr_t)page + PAGE - record / 2;
	tw_snapshot(self->fd, 3, &self->before);
	EXPECT_EQ(-EFAULT, drain_ioctl(self->fd, &drain));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	ASSERT_EQ(3, tw_drain(self->fd, self->event, ROOM));
	EXPECT_TRUE(is_row(self->event, 3, 3));
	munmap(page, PAGE);
}

TEST_HARNESS_MAIN
