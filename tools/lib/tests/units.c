// SPDX-License-Identifier: MIT
/* What the library does by itself: arguments, batches, listings. */
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "fake.h"
#include "test.h"

static int fd;
static struct twheel_batch *batch;

static void batch_of(unsigned int capacity)
{
	fd = twheel_open(0);
	batch = NULL;
	CHECK_EQ(0, twheel_batch_new(&batch, capacity));
}

static void done(void)
{
	twheel_batch_free(batch);
	batch = NULL;
	close(fd);
}

static void open_is_closed_on_exec(void)
{
	fd = twheel_open(0);
	CHECK(fd >= 0);
	CHECK(fake.open_flags & O_CLOEXEC);
	CHECK(!(fake.open_flags & O_NONBLOCK));
	close(fd);
}

static void open_takes_nonblock(void)
{
	fd = twheel_open(O_NONBLOCK);
	CHECK(fd >= 0);
	CHECK(fake.open_flags & O_NONBLOCK);
	close(fd);
}

static void open_takes_close_on_exec(void)
{
	fd = twheel_open(O_NONBLOCK | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK(fake.open_flags & O_CLOEXEC);
	close(fd);
}

static void open_refuses_other_flags(void)
{
	CHECK_EQ(-EINVAL, twheel_open(O_TRUNC));
	CHECK_EQ(-EINVAL, twheel_open(O_NONBLOCK | O_CREAT));
}

static void info_needs_no_initialization(void)
{
	struct twheel_info info;

	fd = twheel_open(0);
	memset(&info, 0xcc, sizeof(info));
	CHECK_EQ(0, twheel_info(fd, &info, sizeof(info)));
	CHECK_EQ(sizeof(info), info.size);
	CHECK_EQ(TWHEEL_ABI_REVISION, info.abi_revision);
	close(fd);
}

struct newer_info {
	struct twheel_info known;
	uint64_t added;
};

static void info_of_a_newer_header_is_zero_in_the_end(void)
{
	struct newer_info info;

	fd = twheel_open(0);
	memset(&info, 0xcc, sizeof(info));
	CHECK_EQ(0, twheel_info(fd, &info.known, sizeof(info)));
	CHECK_EQ(0, info.added);
	close(fd);
}

static void info_of_an_older_header_is_left_alone_behind_it(void)
{
	struct twheel_info info;

	fd = twheel_open(0);
	memset(&info, 0xcc, sizeof(info));
	CHECK_EQ(0, twheel_info(fd, &info, 72));
	CHECK_EQ(72, info.size);
	CHECK_EQ(0xcccccccc, info.submit_max);
	close(fd);
}

static void sizes_without_a_header_are_refused(void)
{
	struct twheel_setup setup = { .flags = 1 };

	fd = twheel_open(0);
	CHECK_EQ(-EINVAL, twheel_setup(fd, &setup, 0));
	CHECK_EQ(-EINVAL, twheel_setup(fd, &setup, 7));
	CHECK_EQ(-EINVAL, twheel_setup(fd, &setup, (size_t)UINT32_MAX + 1 + sizeof(setup)));
	CHECK_EQ(0, setup.size);
	CHECK_EQ(1, setup.flags);
	close(fd);
}

static void read_of_no_room_is_refused(void)
{
	struct twheel_event event;

	fd = twheel_open(O_NONBLOCK);
	CHECK_EQ(-EINVAL, twheel_read(fd, &event, 0));
	close(fd);
}

static void batch_of_nothing_is_refused(void)
{
	CHECK_EQ(-EINVAL, twheel_batch_new(&batch, 0));
	CHECK_EQ(-EINVAL, twheel_batch_new(&batch, (unsigned int)INT_MAX + 1));
	CHECK(!batch);
}

static void freeing_no_batch_is_fine(void)
{
	twheel_batch_free(NULL);
}

static void batch_counts_from_zero(void)
{
	batch_of(5);
	CHECK_EQ(0, twheel_batch_count(batch));
	CHECK_EQ(0, twheel_batch_start(batch, 1, 2, 3));
	CHECK_EQ(1, twheel_batch_stop(batch, 1));
	CHECK_EQ(2, twheel_batch_reset(batch, 1));
	CHECK_EQ(3, twheel_batch_reset_to(batch, 1, 2));
	CHECK_EQ(4, twheel_batch_get(batch, 1));
	CHECK_EQ(5, twheel_batch_count(batch));
	done();
}

static void full_batch_takes_no_more(void)
{
	batch_of(1);
	CHECK_EQ(0, twheel_batch_get(batch, 1));
	CHECK_EQ(-ENOSPC, twheel_batch_get(batch, 2));
	CHECK(!twheel_batch_add(batch));
	CHECK_EQ(1, twheel_batch_count(batch));
	done();
}

static void added_operation_is_zeroed(void)
{
	static const struct twheel_op zero;
	struct twheel_op *op;

	batch_of(1);
	twheel_batch_start(batch, ~0ULL, ~0ULL, ~0ULL);
	twheel_batch_clear(batch);
	op = twheel_batch_add(batch);
	if (CHECK(op))
		CHECK(!memcmp(op, &zero, sizeof(zero)));
	done();
}

static void empty_batch_makes_no_call(void)
{
	batch_of(1);
	CHECK_EQ(0, twheel_batch_submit(batch, fd));
	CHECK_EQ(0, fake.submits);
	done();
}

static void each_operation_has_its_result(void)
{
	batch_of(3);
	twheel_batch_start(batch, 10, 1, 0);
	twheel_batch_add(batch);
	twheel_batch_stop(batch, 12);
	CHECK(!twheel_batch_result(batch, 0));
	if (CHECK_EQ(3, twheel_batch_submit(batch, fd))) {
		CHECK_EQ(10, twheel_batch_result(batch, 0)->generation);
		CHECK_EQ(-EOPNOTSUPP, twheel_batch_result(batch, 1)->error);
		CHECK_EQ(TWHEEL_OP_STOP, twheel_batch_result(batch, 2)->data);
	}
	CHECK(!twheel_batch_result(batch, 3));
	CHECK(!twheel_batch_result(batch, UINT_MAX));
	done();
}

/* Whether operation i, of i + 1, has its own result. */
static bool results_are_in_place(unsigned int count)
{
	const struct twheel_result *result;
	unsigned int i;

	for (i = 0; i < count; i++) {
		result = twheel_batch_result(batch, i);
		if (!result || result->generation != i + 1)
			return false;
	}
	return true;
}

static void fill(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		twheel_batch_get(batch, i + 1);
}

static void signals_do_not_end_a_batch(void)
{
	batch_of(10);
	fill(10);
	fake.submit_most = 3;
	CHECK_EQ(10, twheel_batch_submit(batch, fd));
	CHECK_EQ(4, fake.submits);
	CHECK(results_are_in_place(10));
	done();
}

static void batch_may_be_longer_than_a_submit(void)
{
	const unsigned int count = 2 * TWHEEL_SUBMIT_MAX + 1;

	batch_of(count);
	fill(count);
	CHECK_EQ(count, twheel_batch_submit(batch, fd));
	CHECK_EQ(3, fake.submits);
	CHECK(results_are_in_place(count));
	done();
}

static void batch_that_cannot_begin_fails(void)
{
	batch_of(3);
	fill(3);
	fake.submit_good = 0;
	CHECK_EQ(-ENOMEM, twheel_batch_submit(batch, fd));
	CHECK(!twheel_batch_result(batch, 0));
	done();
}

static void batch_that_cannot_end_says_how_far_it_came(void)
{
	batch_of(10);
	fill(10);
	fake.submit_most = 4;
	fake.submit_good = 2;
	CHECK_EQ(8, twheel_batch_submit(batch, fd));
	CHECK(results_are_in_place(8));
	CHECK(!twheel_batch_result(batch, 8));
	done();
}

static void batch_can_be_submitted_again(void)
{
	batch_of(3);
	fill(3);
	CHECK_EQ(3, twheel_batch_submit(batch, fd));
	CHECK_EQ(3, twheel_batch_submit(batch, fd));
	CHECK_EQ(2, fake.submits);
	twheel_batch_clear(batch);
	CHECK_EQ(0, twheel_batch_count(batch));
	CHECK(!twheel_batch_result(batch, 0));
	CHECK_EQ(0, twheel_batch_submit(batch, fd));
	done();
}

static unsigned int list_all(unsigned int room)
{
	struct twheel_list list = { 0 };
	struct twheel_list_entry entries[8];
	unsigned int i, seen = 0;
	int got;

	while ((got = twheel_list_next(fd, &list, entries, room)) > 0)
		for (i = 0; i < (unsigned int)got; i++)
			seen |= 1U << entries[i].id;
	CHECK_EQ(0, got);
	CHECK_EQ(0, twheel_list_next(fd, &list, entries, room));
	return seen;
}

static void listing_passes_over_empty_pages(void)
{
	unsigned int id;

	fd = twheel_open(0);
	for (id = 1; id <= 5; id++)
		twheel_start_in(fd, id, HOUR, 0);
	fake.empty_pages = 2;
	CHECK_EQ(0x3e, list_all(2));
	CHECK(fake.pages > 5);
	close(fd);
}

static void listing_of_no_timers_ends_at_once(void)
{
	fd = twheel_open(0);
	CHECK_EQ(0, list_all(8));
	CHECK_EQ(1, fake.pages);
	close(fd);
}

static void listing_without_room_is_refused(void)
{
	struct twheel_list list = { 0 };
	struct twheel_list_entry entry;

	fd = twheel_open(0);
	CHECK_EQ(-EINVAL, twheel_list_next(fd, &list, &entry, 0));
	twheel_start_in(fd, 1, HOUR, 0);
	CHECK_EQ(1, twheel_list_next(fd, &list, &entry, 1));
	close(fd);
}

static const struct test tests[] = {
	TEST(open_is_closed_on_exec),
	TEST(open_takes_nonblock),
	TEST(open_takes_close_on_exec),
	TEST(open_refuses_other_flags),
	TEST(info_needs_no_initialization),
	TEST(info_of_a_newer_header_is_zero_in_the_end),
	TEST(info_of_an_older_header_is_left_alone_behind_it),
	TEST(sizes_without_a_header_are_refused),
	TEST(read_of_no_room_is_refused),
	TEST(batch_of_nothing_is_refused),
	TEST(freeing_no_batch_is_fine),
	TEST(batch_counts_from_zero),
	TEST(full_batch_takes_no_more),
	TEST(added_operation_is_zeroed),
	TEST(empty_batch_makes_no_call),
	TEST(each_operation_has_its_result),
	TEST(signals_do_not_end_a_batch),
	TEST(batch_may_be_longer_than_a_submit),
	TEST(batch_that_cannot_begin_fails),
	TEST(batch_that_cannot_end_says_how_far_it_came),
	TEST(batch_can_be_submitted_again),
	TEST(listing_passes_over_empty_pages),
	TEST(listing_of_no_timers_ends_at_once),
	TEST(listing_without_room_is_refused),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
