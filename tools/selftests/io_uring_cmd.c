// SPDX-License-Identifier: GPL-2.0
/*
 * Commands in an io_uring: each does what its ioctl would do, in any kind of
 * ring.
 */
#include "twheel_pool.h"
#include "twheel_uring.h"

/* Tags of requests. */
enum { COMMAND = 1, READ, SUBMIT, CANCEL };

FIXTURE(ring) {
	struct tw_ring ring;
	struct twheel_start start;
	struct twheel_stop stop;
	struct twheel_reset reset;
	struct twheel_get get;
	struct twheel_stats stats;
	struct twheel_event event[4];
	struct tw_snapshot before;
	bool long_submit;	/* that goes to a worker */
};

FIXTURE_VARIANT(ring) {
	unsigned int setup_flags;
	unsigned int sqe_flags;
};

FIXTURE_VARIANT_ADD(ring, plain) { .setup_flags = 0 };

FIXTURE_VARIANT_ADD(ring, deferred) { .setup_flags = TW_DEFERRED };

FIXTURE_VARIANT_ADD(ring, sqpoll) { .setup_flags = IORING_SETUP_SQPOLL };

FIXTURE_VARIANT_ADD(ring, big_entries) {
	.setup_flags = IORING_SETUP_SQE128 | IORING_SETUP_CQE32,
};

FIXTURE_VARIANT_ADD(ring, registered_file) { .sqe_flags = IOSQE_FIXED_FILE };

FIXTURE_VARIANT_ADD(ring, worker) { .sqe_flags = IOSQE_ASYNC };

FIXTURE_SETUP(ring)
{
	ASSERT_EQ(0, tw_ring_open(&self->ring, variant->setup_flags,
				  variant->sqe_flags));
}

FIXTURE_TEARDOWN(ring)
{
	if (!(variant->sqe_flags & IOSQE_ASYNC) && !self->long_submit)
		EXPECT_EQ(0, tw_workers());
	EXPECT_TRUE(tw_ring_close(&self->ring));
}

static int start(struct _test_data_ring *self)
{
	tw_poison_start(&self->start);
	return tw_command(&self->ring, TWHEEL_IOC_START, &self->start);
}

static int stop(struct _test_data_ring *self, __u64 id)
{
	tw_poison_stop(&self->stop, id);
	return tw_command(&self->ring, TWHEEL_IOC_STOP, &self->stop);
}

static int reset(struct _test_data_ring *self)
{
	tw_poison_reset(&self->reset);
	return tw_command(&self->ring, TWHEEL_IOC_RESET, &self->reset);
}

static int get(struct _test_data_ring *self, __u64 id)
{
	tw_poison_get(&self->get, id);
	return tw_command(&self->ring, TWHEEL_IOC_GET, &self->get);
}

TEST_F(ring, start_reports_each_outcome)
{
	self->start = (struct twheel_start){ .id = 7, .time_ns = TW_HOUR, .data = 70 };
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(TWHEEL_WAS_FREE, self->start.outcome);
	EXPECT_EQ(1, self->start.generation);
	EXPECT_EQ(0, self->start.remaining_ns);
	EXPECT_LE(self->start.deadline_ns, tw_now() + TW_HOUR);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->ring.fd, 7));

	ASSERT_EQ(0, start(self));
	EXPECT_EQ(TWHEEL_STOPPED, self->start.outcome);
	EXPECT_EQ(2, self->start.generation);
	EXPECT_NE(0, self->start.remaining_ns);

	ASSERT_TRUE(tw_expire(self->ring.fd, 8));
	self->start.id = 8;
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(TWHEEL_WITHDREW, self->start.outcome);
	EXPECT_EQ(0, self->start.remaining_ns);
	EXPECT_EQ(0, tw_poll(self->ring.fd, 0));
}

TEST_F(ring, stop_reports_each_outcome)
{
	self->start = (struct twheel_start){ .id = 7, .time_ns = TW_HOUR, .data = 70 };
	ASSERT_EQ(0, tw_start(self->ring.fd, &self->start));
	ASSERT_EQ(0, stop(self, 7));
	EXPECT_EQ(TWHEEL_STOPPED, self->stop.outcome);
	EXPECT_EQ(self->start.generation, self->stop.generation);
	EXPECT_EQ(70, self->stop.data);
	EXPECT_NE(0, self->stop.remaining_ns);
	EXPECT_GE(TW_HOUR, self->stop.remaining_ns);
	EXPECT_EQ(-ENOENT, stop(self, 7));

	ASSERT_TRUE(tw_expire(self->ring.fd, 7));
	ASSERT_EQ(0, stop(self, 7));
	EXPECT_EQ(TWHEEL_WITHDREW, self->stop.outcome);
	EXPECT_EQ(0, self->stop.remaining_ns);
	EXPECT_EQ(0, tw_poll(self->ring.fd, 0));
}

TEST_F(ring, reset_reports_each_outcome)
{
	__u64 before;

	ASSERT_EQ(0, tw_after(self->ring.fd, 7, TW_HOUR));
	self->reset = (struct twheel_reset){ .id = 7 };
	before = tw_now();
	ASSERT_EQ(0, reset(self));
	EXPECT_EQ(TWHEEL_STOPPED, self->reset.outcome);
	EXPECT_NE(0, self->reset.remaining_ns);
	EXPECT_LE(before + TW_HOUR, self->reset.deadline_ns);

	ASSERT_TRUE(tw_expire(self->ring.fd, 7));
	self->reset.time_ns = TW_HOUR;
	self->reset.flags = TWHEEL_NEW_TIMEOUT;
	ASSERT_EQ(0, reset(self));
	EXPECT_EQ(TWHEEL_WITHDREW, self->reset.outcome);
	EXPECT_EQ(0, self->reset.remaining_ns);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->ring.fd, 7));

	self->reset.id = 8;
	EXPECT_EQ(-ENOENT, reset(self));
}

TEST_F(ring, get_tells_what_its_ioctl_tells)
{
	struct twheel_get expected;

	self->start = (struct twheel_start){
		.id = 7, .time_ns = TW_HOUR, .interval_ns = TW_SEC, .data = 70,
		.slack_ns = TW_SEC,
	};
	ASSERT_EQ(0, tw_start(self->ring.fd, &self->start));
	ASSERT_EQ(0, tw_get(self->ring.fd, 7, &expected));
	ASSERT_EQ(0, get(self, 7));
	EXPECT_GE(expected.remaining_ns, self->get.remaining_ns);
	expected.remaining_ns = self->get.remaining_ns;
	EXPECT_EQ(0, memcmp(&expected, &self->get, sizeof(expected)));
	EXPECT_EQ(-ENOENT, get(self, 8));
}

/* One errno of each kind; what was asked for has not happened. */
TEST_F(ring, refused_command_has_the_errno_in_its_completion)
{
	struct twheel_setup setup = { .max_timers = 1 };
	const struct {
		struct twheel_start start;
		int expected;
	} cases[] = {
		{ { .id = 1, .time_ns = 1, .flags = TWHEEL_EXCLUSIVE }, -EEXIST },
		{ { .id = 1, .time_ns = 1, .interval_ns = 1 }, -EINVAL },
		{ { .id = 1, .time_ns = U64_MAX }, -EOVERFLOW },
		{ { .id = 1, .time_ns = 1, .flags = 1U << 31 }, -EOPNOTSUPP },
		{ { .id = 1, .time_ns = 1, .word = 1 }, -EOPNOTSUPP },
		{ { .id = 2, .time_ns = 1 }, -ENOSPC },
	};
	unsigned int i;

	ASSERT_EQ(0, tw_setup(self->ring.fd, &setup));
	ASSERT_EQ(0, tw_after(self->ring.fd, 1, TW_HOUR));
	tw_snapshot(self->ring.fd, 1, &self->before);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		self->start = cases[i].start;
		EXPECT_EQ(cases[i].expected, start(self)) {
			TH_LOG("case %u", i);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

TEST_F(ring, thousand_starts_go_in_one_call)
{
	static struct twheel_start starts[1000];
	bool seen[ARRAY_SIZE(starts)] = { false };
	unsigned int i, wrong = 0;
	struct io_uring_cqe cqe;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		starts[i] = (struct twheel_start){ .id = i, .time_ns = TW_HOUR };
		tw_prep(&self->ring, TWHEEL_IOC_START, &starts[i], i);
	}
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		ASSERT_TRUE(tw_next(&self->ring, &cqe));
		ASSERT_GT(ARRAY_SIZE(starts), cqe.user_data);
		wrong += cqe.res || seen[cqe.user_data];
		seen[cqe.user_data] = true;
	}
	EXPECT_EQ(0, wrong);
	ASSERT_EQ(0, tw_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(ARRAY_SIZE(starts), self->stats.armed);
	for (i = 0; i < ARRAY_SIZE(starts); i++)
		wrong += tw_state(self->ring.fd, i) != TWHEEL_ARMED;
	EXPECT_EQ(0, wrong);
}

static struct twheel_result *results_of(const struct twheel_submit *submit)
{
	return (struct twheel_result *)(uintptr_t)submit->results;
}

TEST_F(ring, submit_takes_any_number_of_operations)
{
	unsigned int counts[] = { 1, 32, 33, 4096, tw_scaled(TWHEEL_SUBMIT_MAX) };
	unsigned int i, j, wrong;
	struct twheel_submit submit;
	__u64 generation = 0;

	self->long_submit = true;
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		ASSERT_TRUE(tw_make_submit(&submit, counts[i], 0));
		ASSERT_EQ(0, tw_command(&self->ring, TWHEEL_IOC_SUBMIT, &submit));
		ASSERT_EQ(counts[i], submit.done);
		for (j = wrong = 0; j < counts[i]; j++)
			wrong += results_of(&submit)[j].error ||
				 results_of(&submit)[j].generation != ++generation;
		EXPECT_EQ(0, wrong);
		ASSERT_EQ(0, tw_stats(self->ring.fd, &self->stats));
		EXPECT_EQ(counts[i], self->stats.armed);
		tw_free_submit(&submit);
	}
}

/*
 * At work in a worker, or waiting for one: how far it came is up to chance, and
 * what its completion says is true in any case.
 */
TEST_F(ring, cancelled_submit_says_what_it_has_done)
{
	unsigned int i, rounds = tw_scaled(20), cancelled = 0, early = 0;
	struct twheel_submit submit;
	int res, cancel_res;
	__u64 started = 0, seed = tw_seed();

	self->long_submit = true;
	for (i = 0; i < rounds; i++) {
		ASSERT_TRUE(tw_make_submit(&submit, TWHEEL_SUBMIT_MAX, 0));
		tw_prep(&self->ring, TWHEEL_IOC_SUBMIT, &submit, SUBMIT);
		ASSERT_TRUE(tw_ring_submit(&self->ring));
		tw_spin_until(tw_now() + tw_below(&seed, 5 * TW_MS));
		tw_prep_cancel(&self->ring, SUBMIT, CANCEL);
		ASSERT_TRUE(tw_ring_submit(&self->ring));
		ASSERT_TRUE(tw_both(&self->ring, SUBMIT, &res, CANCEL, &cancel_res));
		ASSERT_EQ(0, tw_stats(self->ring.fd, &self->stats));
		started = self->stats.started - started;
		if (res == -ECANCELED) {
			EXPECT_EQ(0, started);
			EXPECT_EQ(TW_POISON32, submit.done);
			cancelled++;
		} else {
			ASSERT_EQ(0, res);
			EXPECT_EQ(submit.done, started);
			EXPECT_EQ(submit.done, tw_count_errors(results_of(&submit),
							       submit.done, 0));
			EXPECT_TRUE(cancel_res == -EALREADY || cancel_res == -ENOENT);
			early += submit.done < submit.count;
		}
		started = self->stats.started;
		tw_free_submit(&submit);
	}
	TH_LOG("of %u, %u were not begun and %u not ended", rounds, cancelled, early);
}

/* A worker may still have it in hand when its completion is there. */
TEST_F(ring, done_command_cannot_be_cancelled)
{
	int ret;

	self->start = (struct twheel_start){ .id = 1, .time_ns = TW_HOUR };
	EXPECT_EQ(0, start(self));
	tw_prep_cancel(&self->ring, TWHEEL_IOC_START, CANCEL);
	ret = tw_submit_one(&self->ring, CANCEL);
	EXPECT_TRUE(ret == -ENOENT ||
		    (variant->sqe_flags & IOSQE_ASYNC && ret == -EALREADY));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->ring.fd, 1));
}

TEST_F(ring, operation_that_fails_is_none_of_the_completion)
{
	struct twheel_submit submit;

	ASSERT_TRUE(tw_make_submit(&submit, 3, 0));
	((struct twheel_op *)(uintptr_t)submit.ops)[1].opcode = 99;
	EXPECT_EQ(0, tw_command(&self->ring, TWHEEL_IOC_SUBMIT, &submit));
	EXPECT_EQ(3, submit.done);
	EXPECT_EQ(0, results_of(&submit)[0].error);
	EXPECT_EQ(-EOPNOTSUPP, results_of(&submit)[1].error);
	EXPECT_EQ(0, results_of(&submit)[2].error);
	EXPECT_EQ(TWHEEL_FREE, tw_state(self->ring.fd, 1));
	tw_free_submit(&submit);
}

TEST_F(ring, read_linked_to_a_start_gets_its_expiry)
{
	int start_res, read_res;

	self->start = (struct twheel_start){ .id = 7, .time_ns = TW_MS };
	tw_prep(&self->ring, TWHEEL_IOC_START, &self->start, COMMAND)->flags |= IOSQE_IO_LINK;
	tw_prep_read(&self->ring, self->event, sizeof(self->event), READ);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	ASSERT_TRUE(tw_both(&self->ring, COMMAND, &start_res, READ, &read_res));
	EXPECT_EQ(0, start_res);
	EXPECT_EQ(sizeof(self->event[0]), read_res);
	EXPECT_EQ(7, self->event->id);
	EXPECT_EQ(self->start.generation, self->event->generation);
}

TEST_F(ring, read_linked_to_a_stop_does_not_get_its_expiry)
{
	int stop_res, read_res;

	ASSERT_TRUE(tw_expire(self->ring.fd, 7));
	self->stop = (struct twheel_stop){ .id = 7 };
	tw_prep(&self->ring, TWHEEL_IOC_STOP, &self->stop, COMMAND)->flags |= IOSQE_IO_LINK;
	tw_prep_read(&self->ring, self->event, sizeof(self->event), READ);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	ASSERT_EQ(0, tw_after(self->ring.fd, 8, TW_MS));
	ASSERT_TRUE(tw_both(&self->ring, COMMAND, &stop_res, READ, &read_res));
	EXPECT_EQ(0, stop_res);
	EXPECT_EQ(TWHEEL_WITHDREW, self->stop.outcome);
	EXPECT_EQ(sizeof(self->event[0]), read_res);
	EXPECT_EQ(8, self->event->id);
}

TEST_F(ring, read_linked_to_a_refused_command_is_not_done)
{
	int stop_res, read_res;

	ASSERT_TRUE(tw_expire(self->ring.fd, 7));
	self->stop = (struct twheel_stop){ .id = 8 };
	tw_prep(&self->ring, TWHEEL_IOC_STOP, &self->stop, COMMAND)->flags |= IOSQE_IO_LINK;
	tw_prep_read(&self->ring, self->event, sizeof(self->event), READ);
	ASSERT_TRUE(tw_ring_submit(&self->ring));
	ASSERT_TRUE(tw_both(&self->ring, COMMAND, &stop_res, READ, &read_res));
	EXPECT_EQ(-ENOENT, stop_res);
	EXPECT_EQ(-ECANCELED, read_res);
	EXPECT_EQ(1, tw_read(self->ring.fd, self->event, 4));
	EXPECT_EQ(7, self->event->id);
}

/* A descriptor that READER made can do in a ring what the first one can. */
TEST(further_reader_reads_and_acknowledges_in_a_ring)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);
	struct twheel_ack ack = { .flags = 0 };
	struct twheel_event event;
	struct tw_ring ring;
	int reader;

	ASSERT_EQ(0, tw_ring_open(&ring, 0, 0));
	ASSERT_EQ(0, tw_setup(ring.fd, &setup));
	reader = tw_reader(ring.fd, 0);
	ASSERT_LE(0, reader);
	ring.target = reader;
	tw_prep_read(&ring, &event, sizeof(event), READ);
	ASSERT_TRUE(tw_ring_submit(&ring));
	EXPECT_EQ(0, tw_completed(&ring));
	ASSERT_EQ(0, tw_after(ring.fd, 7, TW_MS));
	EXPECT_EQ(sizeof(event), tw_result(&ring, READ));
	EXPECT_EQ(7, event.id);
	/* It waits without a thread of its own. */
	EXPECT_EQ(0, tw_workers());
	ack.id = event.id;
	ack.token = event.token;
	ring.target = ring.fd;
	EXPECT_EQ(-ESTALE, tw_command(&ring, TWHEEL_IOC_ACK, &ack));
	ring.target = reader;
	EXPECT_EQ(0, tw_command(&ring, TWHEEL_IOC_ACK, &ack));
	EXPECT_EQ(TWHEEL_FREE, tw_state(ring.fd, 7));
	close(reader);
	EXPECT_TRUE(tw_ring_close(&ring));
}

TEST_HARNESS_MAIN
