// SPDX-License-Identifier: GPL-2.0
/*
 * read() and poll() in an io_uring: what is queued comes without a worker thread,
 * what is not is waited for without one; and what was cancelled, or ended with
 * its ring, has consumed nothing and keeps nothing.
 */
#include <sys/uio.h>
#include "twheel_uring.h"

#define RECORD	((int)sizeof(struct twheel_event))
#define PAGE	4096

/* Tags of requests. */
enum { READ = 1, READ2, CANCEL, POLL, NOP };

FIXTURE(reader) {
	struct tw_ring ring;
	struct twheel_event event[8];
	struct iovec iov[8];	/* one for each of these */
	struct twheel_stats stats;
};

FIXTURE_VARIANT(reader) {
	unsigned int opcode;
	unsigned int setup_flags;
	unsigned int sqe_flags;
};

FIXTURE_VARIANT_ADD(reader, read) { .opcode = IORING_OP_READ };

FIXTURE_VARIANT_ADD(reader, readv) { .opcode = IORING_OP_READV };

FIXTURE_VARIANT_ADD(reader, registered_buffer) { .opcode = IORING_OP_READ_FIXED };

FIXTURE_VARIANT_ADD(reader, registered_file) {
	.opcode = IORING_OP_READ,
	.sqe_flags = IOSQE_FIXED_FILE,
};

FIXTURE_VARIANT_ADD(reader, sqpoll) {
	.opcode = IORING_OP_READ,
	.setup_flags = IORING_SETUP_SQPOLL,
};

FIXTURE_VARIANT_ADD(reader, deferred) {
	.opcode = IORING_OP_READ,
	.setup_flags = TW_DEFERRED,
};

FIXTURE_SETUP(reader)
{
	struct iovec all = { self->event, sizeof(self->event) };

	ASSERT_EQ(0, tw_ring_open(&self->ring, variant->setup_flags,
				  variant->sqe_flags));
	ASSERT_EQ(0, io_uring_register_buffers(&self->ring.uring, &all, 1));
	memset(self->event, TW_POISON, sizeof(self->event));
}

/* Nobody here has asked for a worker. */
FIXTURE_TEARDOWN(reader)
{
	EXPECT_EQ(0, tw_workers());
	EXPECT_TRUE(tw_ring_close(&self->ring));
}

/* Read @size bytes to the record at index @at and behind. */
static void prepare(struct _test_data_reader *self,
		    const struct _fixture_variant_reader *variant,
		    unsigned int at, unsigned int size, __u64 tag)
{
	struct io_uring_sqe *sqe = tw_prep_read(&self->ring, self->event + at, size, tag);

	sqe->opcode = variant->opcode;
	if (variant->opcode != IORING_OP_READV)
		return;
	self->iov[at].iov_base = self->event + at;
	self->iov[at].iov_len = size;
	sqe->addr = (uintptr_t)&self->iov[at];
	sqe->len = 1;
}

TEST_F(reader, queued_expiry_is_there_after_submit)
{
	ASSERT_TRUE(tw_expire(self->ring.fd, 1));
	prepare(self, variant, 0, RECORD, READ);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	/* With SQPOLL another thread has only begun. */
	if (!(variant->setup_flags & IORING_SETUP_SQPOLL))
		EXPECT_EQ(1, tw_completed(&self->ring));
	EXPECT_EQ(RECORD, tw_result(&self->ring, READ));
	EXPECT_EQ(1, self->event->id);
	EXPECT_EQ(1, self->event->sequence);
}

TEST_F(reader, read_takes_all_that_is_queued)
{
	ASSERT_TRUE(tw_expire(self->ring.fd, 1));
	ASSERT_TRUE(tw_expire(self->ring.fd, 2));
	ASSERT_TRUE(tw_expire(self->ring.fd, 3));
	prepare(self, variant, 0, sizeof(self->event), READ);
	EXPECT_EQ(3 * RECORD, tw_submit_one(&self->ring, READ));
	EXPECT_EQ(1, self->event[0].id);
	EXPECT_EQ(2, self->event[1].id);
	EXPECT_EQ(3, self->event[2].id);
}

TEST_F(reader, read_waits_for_the_expiry)
{
	__u64 deadline;

	prepare(self, variant, 0, RECORD, READ);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	EXPECT_EQ(0, tw_completed(&self->ring));
	deadline = tw_now() + 20 * TW_MS;
	ASSERT_EQ(0, tw_at(self->ring.fd, 1, deadline));
	EXPECT_EQ(RECORD, tw_result(&self->ring, READ));
	EXPECT_LE(deadline, tw_now());
	EXPECT_EQ(1, self->event->id);
	EXPECT_LE(deadline, self->event->fired_ns);
}

TEST_F(reader, reads_one_after_the_other_get_one_expiry_each)
{
	unsigned int i;

	for (i = 1; i <= 20; i++) {
		prepare(self, variant, 0, sizeof(self->event), READ);
		ASSERT_TRUE(tw_ring_submit(&self->ring));
		ASSERT_EQ(0, tw_after(self->ring.fd, i, i % 3 * TW_MS));
		ASSERT_EQ(RECORD, tw_result(&self->ring, READ));
		EXPECT_EQ(i, self->event->id);
		EXPECT_EQ(i, self->event->sequence);
	}
}

TEST_F(reader, buffer_below_a_record_is_invalid)
{
	ASSERT_TRUE(tw_expire(self->ring.fd, 1));
	prepare(self, variant, 0, RECORD - 1, READ);
	EXPECT_EQ(-EINVAL, tw_submit_one(&self->ring, READ));
	prepare(self, variant, 0, 0, READ);
	EXPECT_EQ(-EINVAL, tw_submit_one(&self->ring, READ));
	ASSERT_EQ(0, tw_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(0, self->stats.delivered);
	EXPECT_EQ(1, self->stats.queued);
}

TEST_F(reader, cancelled_read_consumes_nothing)
{
	int read_res, cancel_res;

	prepare(self, variant, 0, RECORD, READ);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	tw_prep_cancel(&self->ring, READ, CANCEL);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	ASSERT_TRUE(tw_both(&self->ring, READ, &read_res, CANCEL, &cancel_res));
	EXPECT_EQ(-ECANCELED, read_res);
	EXPECT_EQ(0, cancel_res);

	ASSERT_TRUE(tw_expire(self->ring.fd, 1));
	ASSERT_EQ(0, tw_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(0, self->stats.delivered);
	prepare(self, variant, 0, RECORD, READ2);
	EXPECT_EQ(RECORD, tw_submit_one(&self->ring, READ2));
	EXPECT_EQ(1, self->event->sequence);
}

TEST_F(reader, one_of_two_waiting_reads_is_cancelled)
{
	int read_res, cancel_res;

	prepare(self, variant, 0, RECORD, READ);
	prepare(self, variant, 1, RECORD, READ2);
	tw_prep_cancel(&self->ring, READ, CANCEL);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	ASSERT_TRUE(tw_both(&self->ring, READ, &read_res, CANCEL, &cancel_res));
	EXPECT_EQ(-ECANCELED, read_res);
	EXPECT_EQ(0, cancel_res);
	EXPECT_EQ(0, tw_completed(&self->ring));

	ASSERT_EQ(0, tw_after(self->ring.fd, 1, TW_MS));
	EXPECT_EQ(RECORD, tw_result(&self->ring, READ2));
	EXPECT_EQ(1, self->event[1].id);
	EXPECT_EQ(TW_POISON64, self->event[0].id);
}

TEST_F(reader, expiry_that_a_command_stopped_is_not_read)
{
	struct twheel_stop stop = { .id = 1 };

	ASSERT_TRUE(tw_expire(self->ring.fd, 1));
	ASSERT_EQ(0, tw_command(&self->ring, TWHEEL_IOC_STOP, &stop));
	EXPECT_EQ(TWHEEL_WITHDREW, stop.outcome);
	prepare(self, variant, 0, sizeof(self->event), READ);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	ASSERT_EQ(0, tw_after(self->ring.fd, 2, TW_MS));
	EXPECT_EQ(RECORD, tw_result(&self->ring, READ));
	EXPECT_EQ(2, self->event->id);
}

/* The request has a reference of its own to the file. */
TEST_F(reader, read_outlives_the_descriptor)
{
	prepare(self, variant, 0, RECORD, READ);
	/* What was submitted before has its file when this is done. */
	tw_prep_nop(&self->ring, NOP);
	EXPECT_EQ(0, tw_submit_one(&self->ring, NOP));
	ASSERT_EQ(0, tw_after(self->ring.fd, 1, 20 * TW_MS));
	close(self->ring.fd);
	self->ring.fd = -1;
	EXPECT_EQ(RECORD, tw_result(&self->ring, READ));
	EXPECT_EQ(1, self->event->id);
}

FIXTURE(file) {
	struct tw_ring ring;
	char *page;		/* one that is mapped, then one that faults */
	char *end;		/* where it begins to fault */
	struct twheel_event event[8];
	struct twheel_stats stats;
};

FIXTURE_SETUP(file)
{
	ASSERT_EQ(0, tw_ring_open(&self->ring, 0, 0));
	self->page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	self->end = self->page + PAGE;
	ASSERT_EQ(0, munmap(self->end, PAGE));
}

FIXTURE_TEARDOWN(file)
{
	munmap(self->page, PAGE);
	EXPECT_EQ(0, tw_workers());
	EXPECT_TRUE(tw_ring_close(&self->ring));
}

TEST_F(file, nowait_read_of_an_empty_queue_would_block)
{
	struct iovec iov = { self->event, sizeof(self->event) };

	EXPECT_EQ(-1, preadv2(self->ring.fd, &iov, 1, -1, RWF_NOWAIT));
	EXPECT_EQ(EAGAIN, errno);
}

TEST_F(file, nowait_read_gets_what_is_queued)
{
	struct iovec iov = { self->event, sizeof(self->event) };

	ASSERT_TRUE(tw_expire(self->ring.fd, 1));
	EXPECT_EQ(RECORD, preadv2(self->ring.fd, &iov, 1, -1, RWF_NOWAIT));
	EXPECT_EQ(1, self->event->id);
}

/* As opposed to O_NONBLOCK, which io_uring takes for a wish to be polled. */
TEST_F(file, nowait_read_in_the_ring_fails_at_once)
{
	tw_prep_read(&self->ring, self->event, RECORD, READ)->rw_flags = RWF_NOWAIT;
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	EXPECT_EQ(1, tw_completed(&self->ring));
	EXPECT_EQ(-EAGAIN, tw_result(&self->ring, READ));
	ASSERT_TRUE(tw_expire(self->ring.fd, 1));
	ASSERT_EQ(1, tw_read(self->ring.fd, self->event, 8));
}

TEST_F(file, read_of_a_nonblocking_file_waits_as_well)
{
	ASSERT_EQ(0, tw_nonblock(self->ring.fd));
	tw_prep_read(&self->ring, self->event, RECORD, READ);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	EXPECT_EQ(0, tw_completed(&self->ring));
	ASSERT_EQ(0, tw_after(self->ring.fd, 1, TW_MS));
	EXPECT_EQ(RECORD, tw_result(&self->ring, READ));
	EXPECT_EQ(1, self->event->id);
}

TEST_F(file, bad_buffer_consumes_nothing)
{
	ASSERT_TRUE(tw_expire(self->ring.fd, 1));
	tw_prep_read(&self->ring, self->end, RECORD, READ);
	EXPECT_EQ(-EFAULT, tw_submit_one(&self->ring, READ));
	tw_prep_read(&self->ring, self->end - 8, RECORD, READ);
	EXPECT_EQ(-EFAULT, tw_submit_one(&self->ring, READ));
	ASSERT_EQ(0, tw_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(0, self->stats.delivered);
	EXPECT_EQ(1, self->stats.queued);
}

/* The buffer goes bad while the read waits. */
TEST_F(file, buffer_unmapped_meanwhile_consumes_nothing)
{
	tw_prep_read(&self->ring, self->page, RECORD, READ);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	ASSERT_EQ(0, munmap(self->page, PAGE));
	ASSERT_EQ(0, tw_after(self->ring.fd, 1, TW_MS));
	EXPECT_EQ(-EFAULT, tw_result(&self->ring, READ));
	ASSERT_EQ(1, tw_read(self->ring.fd, self->event, 8));
	EXPECT_EQ(1, self->event->sequence);
}

TEST_F(file, poll_reports_an_expiry)
{
	tw_prep_poll(&self->ring, 0, POLL);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	EXPECT_EQ(0, tw_completed(&self->ring));
	ASSERT_EQ(0, tw_after(self->ring.fd, 1, 20 * TW_MS));
	EXPECT_EQ(POLLIN, tw_result(&self->ring, POLL));
	/* Once. */
	ASSERT_TRUE(tw_expire(self->ring.fd, 2));
	EXPECT_EQ(0, tw_completed(&self->ring));
}

TEST_F(file, poll_reports_what_is_queued)
{
	ASSERT_TRUE(tw_expire(self->ring.fd, 1));
	tw_prep_poll(&self->ring, 0, POLL);
	EXPECT_EQ(POLLIN, tw_submit_one(&self->ring, POLL));
}

TEST_F(file, multishot_poll_reports_each_expiry)
{
	struct io_uring_cqe cqe;
	unsigned int i;

	tw_prep_poll(&self->ring, IORING_POLL_ADD_MULTI, POLL);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	for (i = 1; i <= 3; i++) {
		ASSERT_EQ(0, tw_after(self->ring.fd, i, TW_MS));
		ASSERT_TRUE(tw_next(&self->ring, &cqe));
		EXPECT_EQ(POLL, cqe.user_data);
		EXPECT_EQ(POLLIN, cqe.res);
		EXPECT_EQ(IORING_CQE_F_MORE, cqe.flags);
		ASSERT_EQ(1, tw_read(self->ring.fd, self->event, 8));
		EXPECT_EQ(i, self->event->id);
	}
}

TEST_F(file, removed_poll_reports_nothing)
{
	unsigned int kinds[] = { 0, IORING_POLL_ADD_MULTI }, i;
	int poll_res, cancel_res;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		tw_prep_poll(&self->ring, kinds[i], POLL);
		ASSERT_TRUE(tw_ring_submit(&self->ring));
		tw_prep_poll_remove(&self->ring, POLL, CANCEL);
		ASSERT_TRUE(tw_ring_submit(&self->ring));
		ASSERT_TRUE(tw_both(&self->ring, POLL, &poll_res, CANCEL, &cancel_res));
		EXPECT_EQ(-ECANCELED, poll_res);
		EXPECT_EQ(0, cancel_res);
		ASSERT_TRUE(tw_expire(self->ring.fd, i));
		EXPECT_EQ(0, tw_completed(&self->ring));
		ASSERT_EQ(1, tw_read(self->ring.fd, self->event, 8));
	}
}

/*
 * In a deferred ring, a wake-up is only noted until the next wait: time to take
 * back what it was for.
 */
FIXTURE(late) {
	struct tw_ring ring;
	struct twheel_event event[8];
};

FIXTURE_SETUP(late)
{
	ASSERT_EQ(0, tw_ring_open(&self->ring, TW_DEFERRED, 0));
	tw_prep_read(&self->ring, self->event, sizeof(self->event), READ);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	ASSERT_TRUE(tw_expire(self->ring.fd, 1));
	ASSERT_EQ(0, tw_completed(&self->ring));
}

FIXTURE_TEARDOWN(late)
{
	EXPECT_EQ(0, tw_workers());
	EXPECT_TRUE(tw_ring_close(&self->ring));
}

TEST_F(late, wake_up_for_a_stopped_expiry_reads_the_next_one)
{
	struct twheel_stop stop;

	ASSERT_EQ(0, tw_stop(self->ring.fd, 1, &stop));
	EXPECT_EQ(TWHEEL_WITHDREW, stop.outcome);
	ASSERT_EQ(0, tw_after(self->ring.fd, 2, 20 * TW_MS));
	EXPECT_EQ(RECORD, tw_result(&self->ring, READ));
	EXPECT_EQ(2, self->event->id);
}

TEST_F(late, wake_up_for_an_expiry_that_another_has_read_reads_the_next_one)
{
	ASSERT_EQ(1, tw_read(self->ring.fd, self->event, 8));
	ASSERT_EQ(0, tw_after(self->ring.fd, 2, 20 * TW_MS));
	EXPECT_EQ(RECORD, tw_result(&self->ring, READ));
	EXPECT_EQ(2, self->event->id);
}

/* A thread that reads the instance through a ring of its own. */
struct drain {
	struct tw_ring ring;
	unsigned int count;	/* of timers */
	unsigned int *seen;	/* how often each of them */
	unsigned int *total;
	int failed;
};

/* False when it is told to end, by the sentinel. */
static bool note(struct drain *drain, const struct twheel_event *event)
{
	if (event->id == TW_SENTINEL)
		return false;
	if (event->id >= drain->count)
		drain->failed = 1;
	else
		__atomic_add_fetch(&drain->seen[event->id], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(drain->total, 1, __ATOMIC_RELAXED);
	return true;
}

static void *run_drain(void *arg)
{
	struct drain *drain = arg;
	struct twheel_event event[4];
	bool more = true;
	int i, res;

	if (io_uring_queue_init(8, &drain->ring.uring, 0)) {
		drain->failed = 1;
		return NULL;
	}
	while (more && !drain->failed) {
		tw_prep_read(&drain->ring, event, sizeof(event), READ);
		res = tw_submit_one(&drain->ring, READ);
		drain->failed |= res <= 0 || res % RECORD;
		for (i = 0; i < res / RECORD; i++)
			more &= note(drain, &event[i]);
	}
	io_uring_queue_exit(&drain->ring.uring);
	return NULL;
}

/* Wait until the total is more than what @came says of it. */
static bool more_has_come(const unsigned int *total, unsigned int *came)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	unsigned int before = *came;

	do {
		*came = __atomic_load_n(total, __ATOMIC_RELAXED);
		if (*came > before)
			return true;
		tw_sleep(TW_MS);
	} while (tw_now() < give_up);
	return false;
}

TEST(two_rings_get_each_expiry_once)
{
	unsigned int i, count = tw_scaled(20000), wrong = 0, total = 0, came = 0;
	unsigned int *seen = calloc(count, sizeof(*seen));
	struct drain drain[2];
	pthread_t thread[2];
	__u64 seed = tw_seed();
	int fd = tw_open();

	ASSERT_NE(NULL, seen);
	for (i = 0; i < 2; i++) {
		drain[i] = (struct drain){
			.ring = { .fd = fd, .target = fd },
			.count = count, .seen = seen, .total = &total,
		};
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, run_drain, &drain[i]));
	}
	for (i = 0; i < count; i++)
		ASSERT_EQ(0, tw_after(fd, i, tw_below(&seed, 20 * TW_MS)));
	while (more_has_come(&total, &came) && came < count)
		;
	/* One at a time, since a read may take two. */
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, tw_after(fd, TW_SENTINEL, 0));
		ASSERT_TRUE(tw_await(fd, TW_STAT(delivered), count + i + 1));
	}
	for (i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, drain[i].failed);
	}
	for (i = 0; i < count; i++)
		wrong += seen[i] != 1;
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(count, total);
	close(fd);
	free(seen);
}

/* An expiry that a stop in another ring has found was not read, and never is. */
TEST(expiry_is_stopped_or_read_and_never_both)
{
	unsigned int i, late, wrong = 0, total = 0, count = tw_scaled(4000);
	unsigned int *expected = calloc(count, sizeof(*expected));
	unsigned int *seen = calloc(count, sizeof(*seen));
	struct twheel_setup setup = { 0 };
	struct twheel_info info;
	struct drain drain;
	struct tw_ring ring;
	pthread_t thread;
	__u64 seed = tw_seed();

	ASSERT_EQ(0, tw_ring_open(&ring, 0, 0));
	ASSERT_EQ(0, tw_info(ring.fd, &info));
	setup.tick_shift = info.tick_shift_min;
	ASSERT_EQ(0, tw_setup(ring.fd, &setup));
	drain = (struct drain){
		.ring = { .fd = ring.fd, .target = ring.fd },
		.count = count, .seen = seen, .total = &total,
	};
	ASSERT_EQ(0, pthread_create(&thread, NULL, run_drain, &drain));
	for (i = late = 0; i < count; i++) {
		struct twheel_stop stop = { .id = i };
		int ret;

		ASSERT_EQ(0, tw_after(ring.fd, i, tw_below(&seed, 500 * TW_US)));
		tw_spin_until(tw_now() + tw_below(&seed, 500 * TW_US));
		ret = tw_command(&ring, TWHEEL_IOC_STOP, &stop);
		ASSERT_TRUE(!ret || ret == -ENOENT);
		expected[i] = ret == -ENOENT;
		late += expected[i];
	}
	ASSERT_EQ(0, tw_after(ring.fd, TW_SENTINEL, 0));
	pthread_join(thread, NULL);
	for (i = 0; i < count; i++)
		wrong += seen[i] != expected[i];
	TH_LOG("%u of %u stops were too late", late, count);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(late, total);
	EXPECT_EQ(0, drain.failed);
	EXPECT_TRUE(tw_ring_close(&ring));
	free(expected);
	free(seen);
}

TEST_HARNESS_MAIN
