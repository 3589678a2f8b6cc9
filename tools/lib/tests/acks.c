// SPDX-License-Identifier: MIT
/*
 * What the library does by itself for readers and leases, where only the
 * stand-in for the device shows it.
 */
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "context.h"
#include "fake.h"

static const struct twheel_event delivery = { .id = 7, .data = 70, .token = 77 };

static bool begin_leased(uint64_t lease_ns)
{
	struct twheel_setup setup = { .delivery = TWHEEL_AT_LEAST_ONCE, .lease_ns = lease_ns };

	return begin(NULL) && CHECK_EQ(0, twheel_setup(fd(), &setup, sizeof(setup)));
}

/* ---- the dispatcher */

static void expiries_of_a_run_are_acknowledged_in_one_call(void)
{
	if (begin_leased(HOUR) && expire_three()) {
		CHECK_EQ(3, run());
		CHECK_EQ(1, fake.submits);
		CHECK_EQ(0, run());
		CHECK_EQ(1, fake.submits);
	}
	end();
}

static void nothing_is_acknowledged_at_most_once(void)
{
	if (begin(NULL) && expire_three()) {
		CHECK_EQ(3, run());
		CHECK_EQ(0, fake.submits);
	}
	end();
}

static void failed_acknowledgement_is_tried_again(void)
{
	struct twheel_get timer;

	if (begin_leased(HOUR) && expire_three()) {
		fake.submit_good = 0;
		CHECK_EQ(-ENOMEM, run());
		CHECK_EQ(3, a.called + b.called + c.called);
		CHECK_EQ(0, get(&c, &timer));
		fake.submit_good = 1;
		CHECK_EQ(0, run());
		CHECK_EQ(-ENOENT, get(&c, &timer));
		CHECK_EQ(3, a.called + b.called + c.called);
	}
	end();
}

static void partly_failed_acknowledgement_is_tried_again(void)
{
	struct twheel_get timer;

	if (begin_leased(HOUR) && expire_three()) {
		fake.submit_most = 2;
		fake.submit_good = 1;
		CHECK_EQ(3, run());
		CHECK_EQ(0, get(&c, &timer));
		fake.submit_good = 9;
		CHECK_EQ(0, run());
		CHECK_EQ(-ENOENT, get(&c, &timer));
		CHECK_EQ(3, a.called + b.called + c.called);
	}
	end();
}

static void free_acknowledges_what_was_called(void)
{
	if (begin_leased(HOUR) && expire_three()) {
		fake.submit_good = 0;
		CHECK_EQ(-ENOMEM, run());
		fake.submit_good = 1;
	}
	end();
	CHECK_EQ(1, fake.submits);
}

/* The lease of a ends while the read goes on, so it is read twice. */
static void lease_that_ends_in_a_read_is_one_call(void)
{
	struct twheel_get timer;

	if (begin_leased(MS) && expire_three()) {
		fake.read_ms = 1;
		CHECK_EQ(3, run());
		CHECK_EQ(1, a.called);
		CHECK_EQ(2, a.event.attempt);
		CHECK_EQ(1, a.event.expirations);
		CHECK_EQ(-ENOENT, get(&a, &timer));
	}
	end();
}

/* ---- functions */

static int instance;

static void open_instance(void)
{
	instance = twheel_open(O_NONBLOCK);
	CHECK(instance >= 0);
}

static void reader_gets_its_flags(void)
{
	struct twheel_reader reader = { .flags = TWHEEL_READER_NONBLOCK };
	int made;

	open_instance();
	made = twheel_reader_open(instance, TWHEEL_READER_DEAD);
	CHECK(made >= 0 && made != instance);
	CHECK_EQ(TWHEEL_READER_DEAD, fake.reader_flags);
	close(made);
	made = twheel_reader(instance, &reader);
	CHECK(made >= 0);
	CHECK_EQ(TWHEEL_READER_NONBLOCK, fake.reader_flags);
	close(made);
	close(instance);
}

static void adopted_descriptor_is_closed_on_exec(void)
{
	open_instance();
	fcntl(instance, F_SETFD, 0);
	CHECK_EQ(0, twheel_reader_adopt(instance));
	CHECK_EQ(FD_CLOEXEC, fcntl(instance, F_GETFD));
	close(instance);
}

static void counters_of_a_reader_need_no_initialization(void)
{
	struct twheel_stats stats;

	open_instance();
	memset(&stats, 0xcc, sizeof(stats));
	CHECK_EQ(0, twheel_reader_stats(instance, 0, &stats, sizeof(stats)));
	CHECK_EQ(1, stats.reader);
	CHECK_EQ(0, stats.passed_on);
	CHECK_EQ(-ENOENT, twheel_reader_stats(instance, 2, &stats, sizeof(stats)));
	close(instance);
}

static void counters_without_room_for_the_number_are_refused(void)
{
	struct twheel_stats stats = { .timers = 1 };

	open_instance();
	CHECK_EQ(-EINVAL, twheel_reader_stats(instance, 0, &stats,
					      offsetof(struct twheel_stats, reader)));
	CHECK_EQ(1, stats.timers);
	close(instance);
}

static void drain_takes_no_more_than_the_device(void)
{
	static struct twheel_event events[TWHEEL_DRAIN_MAX + 1];

	open_instance();
	CHECK_EQ(-EINVAL, twheel_drain_events(instance, events, 0));
	CHECK_EQ(0, twheel_drain_events(instance, events, TWHEEL_DRAIN_MAX + 1));
	close(instance);
}

static void operations_name_the_delivery(void)
{
	struct twheel_batch *batch;

	open_instance();
	CHECK_EQ(0, twheel_batch_new(&batch, 3));
	CHECK_EQ(0, twheel_batch_ack(batch, &delivery));
	CHECK_EQ(1, twheel_batch_reject(batch, &delivery));
	CHECK_EQ(2, twheel_batch_extend(batch, &delivery, 5 * MS));
	CHECK_EQ(-ENOSPC, twheel_batch_ack(batch, &delivery));
	CHECK_EQ(3, twheel_batch_submit(batch, instance));
	CHECK_EQ(TWHEEL_OP_ACK, fake.last_ops[0].opcode);
	CHECK_EQ(TWHEEL_OP_REJECT, fake.last_ops[1].opcode);
	CHECK_EQ(TWHEEL_OP_EXTEND, fake.last_ops[2].opcode);
	CHECK_EQ(7, fake.last_ops[1].id);
	CHECK_EQ(77, fake.last_ops[1].token);
	CHECK_EQ(0, fake.last_ops[1].time_ns);
	CHECK_EQ(0, fake.last_ops[1].data);
	CHECK_EQ(5 * MS, fake.last_ops[2].time_ns);
	twheel_batch_free(batch);
	close(instance);
}

static const struct test tests[] = {
	TEST(expiries_of_a_run_are_acknowledged_in_one_call),
	TEST(nothing_is_acknowledged_at_most_once),
	TEST(failed_acknowledgement_is_tried_again),
	TEST(partly_failed_acknowledgement_is_tried_again),
	TEST(free_acknowledges_what_was_called),
	TEST(lease_that_ends_in_a_read_is_one_call),
	TEST(reader_gets_its_flags),
	TEST(adopted_descriptor_is_closed_on_exec),
	TEST(counters_of_a_reader_need_no_initialization),
	TEST(counters_without_room_for_the_number_are_refused),
	TEST(drain_takes_no_more_than_the_device),
	TEST(operations_name_the_delivery),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
