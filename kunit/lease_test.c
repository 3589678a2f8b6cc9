// SPDX-License-Identifier: GPL-2.0
/*
 * Leases: acknowledged, given back, run out, and what ends them otherwise
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "pool_check.h"

#define LEASE (4 * TICK)

static struct twheel_ack req;

static int lease_init(struct kunit *test)
{
	/* In the middle of a tick: so an end that is rounded down is early. */
	return fixture_init(test, (1ULL << 40) - 5);
}

/* Timer 1 is under a lease of the opener, for the first time. */
static void lease_one(struct kunit *test, u32 max_attempts, u64 interval)
{
	struct fixture *f = test->priv;
	struct twheel_config config = {
		.tick_shift = 20,
		.queue_len = 4,
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.lease_ns = LEASE,
		.max_attempts = max_attempts,
	};

	KUNIT_ASSERT_EQ(test, twheel_config_fill(&config), 0);
	KUNIT_ASSERT_EQ(test, twheel_instance_setup(&f->inst, &config), 0);
	KUNIT_ASSERT_EQ(test, start(f, 1, TICK, interval, 0), 0);
	run_for(f, 2 * TICK);
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	pool_check(test, &f->inst);
}

static int ack(struct fixture *f, u32 opcode, u64 token, u64 lease)
{
	req = (struct twheel_ack) { .id = 1, .token = token, .lease_ns = lease };
	return twheel_instance_ack(&f->reader, opcode, &req);
}

static void acknowledged_timer_is_gone(struct kunit *test)
{
	struct fixture *f = test->priv;

	lease_one(test, 0, 0);
	KUNIT_EXPECT_EQ(test, f->event[0].attempt, 1);
	KUNIT_EXPECT_NE(test, f->event[0].token, 0);
	KUNIT_EXPECT_EQ(test, ack(f, TWHEEL_OP_ACK, f->event[0].token, 0), 0);
	KUNIT_EXPECT_EQ(test, req.state, TWHEEL_FREE);
	KUNIT_EXPECT_EQ(test, get(f, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, stats(test)->delivered, 1);
	pool_check(test, &f->inst);
}

static void wrong_token_is_stale(struct kunit *test)
{
	struct fixture *f = test->priv;

	lease_one(test, 0, 0);
	KUNIT_EXPECT_EQ(test, ack(f, TWHEEL_OP_ACK, f->event[0].token + 1, 0),
			-ESTALE);
	KUNIT_EXPECT_EQ(test, stats(test)->in_flight, 1);
	KUNIT_EXPECT_EQ(test, ack(f, TWHEEL_OP_ACK, f->event[0].token, 0), 0);
}

static void lease_runs_out_and_not_early(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 token;

	lease_one(test, 0, 0);
	token = f->event[0].token;
	run_for(f, LEASE - 1);
	KUNIT_EXPECT_EQ(test, stats(test)->in_flight, 1);
	run_for(f, TICK);
	KUNIT_EXPECT_EQ(test, stats(test)->in_flight, 0);
	KUNIT_EXPECT_EQ(test, stats(test)->lapsed, 1);
	KUNIT_EXPECT_EQ(test, ack(f, TWHEEL_OP_ACK, token, 0), -ESTALE);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].attempt, 2);
	KUNIT_EXPECT_NE(test, f->event[0].token, token);
	pool_check(test, &f->inst);
}

static void rejected_one_comes_again_at_once(struct kunit *test)
{
	struct fixture *f = test->priv;

	lease_one(test, 0, 0);
	KUNIT_EXPECT_EQ(test, ack(f, TWHEEL_OP_REJECT, f->event[0].token, 0),
			0);
	KUNIT_EXPECT_EQ(test, req.state, TWHEEL_DUE);
	KUNIT_EXPECT_EQ(test, stats(test)->rejected, 1);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].attempt, 2);
}

static void extended_lease_has_its_new_end(struct kunit *test)
{
	struct fixture *f = test->priv;

	lease_one(test, 0, 0);
	run_for(f, TICK);
	KUNIT_EXPECT_EQ(test, ack(f, TWHEEL_OP_EXTEND, f->event[0].token,
				  2 * LEASE), 0);
	KUNIT_EXPECT_EQ(test, req.lease_end_ns, f->clock.now + 2 * LEASE);
	run_for(f, 2 * LEASE - 1);
	KUNIT_EXPECT_EQ(test, stats(test)->in_flight, 1);
	run_for(f, TICK);
	KUNIT_EXPECT_EQ(test, stats(test)->lapsed, 1);
}

static void last_attempt_makes_it_dead(struct kunit *test)
{
	struct fixture *f = test->priv;

	lease_one(test, 1, 0);
	KUNIT_EXPECT_EQ(test, ack(f, TWHEEL_OP_REJECT, f->event[0].token, 0),
			0);
	KUNIT_EXPECT_EQ(test, req.state, TWHEEL_DEAD);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 0);
	pool_check(test, &f->inst);
	KUNIT_EXPECT_EQ(test, stop(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->stop.outcome, TWHEEL_WAS_DEAD);
	KUNIT_EXPECT_EQ(test, stats(test)->withdrawn, 1);
}

static void stop_ends_the_lease(struct kunit *test)
{
	struct fixture *f = test->priv;

	lease_one(test, 0, 0);
	KUNIT_EXPECT_EQ(test, stop(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->stop.outcome, TWHEEL_WAS_DELIVERED);
	KUNIT_EXPECT_EQ(test, ack(f, TWHEEL_OP_ACK, f->event[0].token, 0),
			-ESTALE);
	KUNIT_EXPECT_EQ(test, stats(test)->withdrawn, 1);
	pool_check(test, &f->inst);
}

static void new_arming_ends_the_lease(struct kunit *test)
{
	struct fixture *f = test->priv;

	lease_one(test, 0, 0);
	KUNIT_EXPECT_EQ(test, reset(f, 1, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, f->reset.outcome, TWHEEL_WAS_DELIVERED);
	KUNIT_EXPECT_EQ(test, ack(f, TWHEEL_OP_ACK, f->event[0].token, 0),
			-ESTALE);
	KUNIT_EXPECT_EQ(test, get(f, 1), 0);
	KUNIT_EXPECT_EQ(test, f->get.state, TWHEEL_ARMED);
	run_for(f, 3 * TICK);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].attempt, 1);
}

static void periodic_timer_keeps_its_grid(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 first;

	lease_one(test, 0, 2 * TICK);
	first = f->event[0].deadline_ns;
	run_for(f, 3 * TICK);
	KUNIT_EXPECT_EQ(test, read_events(f, 9), 0);
	KUNIT_EXPECT_EQ(test, ack(f, TWHEEL_OP_ACK, f->event[0].token, 0),
			0);
	run_for(f, 0);
	KUNIT_ASSERT_EQ(test, read_events(f, 9), 1);
	KUNIT_EXPECT_EQ(test, f->event[0].deadline_ns, first + 2 * TICK);
}

static struct kunit_case lease_cases[] = {
	KUNIT_CASE(acknowledged_timer_is_gone),
	KUNIT_CASE(wrong_token_is_stale),
	KUNIT_CASE(lease_runs_out_and_not_early),
	KUNIT_CASE(rejected_one_comes_again_at_once),
	KUNIT_CASE(extended_lease_has_its_new_end),
	KUNIT_CASE(last_attempt_makes_it_dead),
	KUNIT_CASE(stop_ends_the_lease),
	KUNIT_CASE(new_arming_ends_the_lease),
	KUNIT_CASE(periodic_timer_keeps_its_grid),
	{}
};

static struct kunit_suite lease_suite = {
	.name = "twheel_lease",
	.init = lease_init,
	.exit = fixture_exit,
	.test_cases = lease_cases,
};

kunit_test_suite(lease_suite);

MODULE_DESCRIPTION("Tests of leases");
MODULE_LICENSE("GPL");
TWHEEL_IMPORT_FOR_KUNIT();
