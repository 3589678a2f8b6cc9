// SPDX-License-Identifier: GPL-2.0
/*
 * Start, stop, reset and get by ID: what each says, and what then expires.
 */
#include "twheel_test.h"

#define RACERS	16

FIXTURE(timer) {
	int fd;
};

FIXTURE_SETUP(timer)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(timer)
{
	close(self->fd);
}

TEST_F(timer, one_shot_expires_once)
{
	struct twheel_start start = {
		.id = 5,
		.time_ns = 20 * TW_MS,
		.data = 0xfeedULL << 48,
	};
	struct twheel_event event[2];
	__u64 before, after;

	before = tw_now();
	ASSERT_EQ(0, tw_start(self->fd, &start));
	after = tw_now();
	EXPECT_EQ(TWHEEL_WAS_FREE, start.outcome);
	EXPECT_EQ(0, start.remaining_ns);
	EXPECT_LE(before + start.time_ns, start.deadline_ns);
	EXPECT_GE(after + start.time_ns, start.deadline_ns);

	ASSERT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
	ASSERT_EQ(1, tw_read(self->fd, event, 2));
	EXPECT_LE(event->fired_ns, tw_now());
	EXPECT_EQ(5, event->id);
	EXPECT_EQ(start.data, event->data);
	EXPECT_EQ(start.generation, event->generation);
	EXPECT_EQ(1, event->sequence);
	EXPECT_EQ(start.deadline_ns, event->deadline_ns);
	EXPECT_LE(event->deadline_ns, event->fired_ns);
	EXPECT_EQ(1, event->expirations);
	EXPECT_EQ(0, event->dropped);
	EXPECT_EQ(1, event->attempt);
	EXPECT_EQ(0, event->flags);
	EXPECT_EQ(0, event->token);

	EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 5));
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now() + 40 * TW_MS));
}

TEST_F(timer, absolute_deadline_comes_back_exactly)
{
	__u64 deadline = tw_now() + 20 * TW_MS + 123;
	struct twheel_event event;
	struct twheel_get get;

	ASSERT_EQ(0, tw_at(self->fd, 1, deadline));
	ASSERT_EQ(0, tw_get(self->fd, 1, &get));
	EXPECT_EQ(deadline, get.deadline_ns);
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_LE(deadline, tw_now());
	EXPECT_EQ(deadline, event.deadline_ns);
	EXPECT_LE(deadline, event.fired_ns);
}

TEST_F(timer, periodic_stays_on_its_grid)
{
	__u64 first = tw_now() + 5 * TW_MS, interval = 10 * TW_MS + 7;
	struct twheel_event event;
	unsigned int i;
	__u64 periods = 0;

	ASSERT_EQ(0, tw_every(self->fd, 1, first, interval));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
		EXPECT_EQ(first + periods * interval, event.deadline_ns);
		ASSERT_LE(1, event.expirations);
		periods += event.expirations;
		EXPECT_LE(event.deadline_ns, event.fired_ns);
		/* All the periods that it reports have passed. */
		EXPECT_LE(first + (periods - 1) * interval, tw_now());
		EXPECT_EQ(TWHEEL_EVENT_PERIODIC, event.flags);
		EXPECT_EQ(i + 1, event.sequence);
	}
	EXPECT_EQ(0, tw_stop(self->fd, 1, NULL));
}

TEST_F(timer, relative_first_deadline_may_differ_from_interval)
{
	struct twheel_start start = {
		.id = 1,
		.time_ns = 5 * TW_MS,
		.interval_ns = 30 * TW_MS,
	};
	struct twheel_event event[2];
	__u64 before = tw_now();

	ASSERT_EQ(0, tw_start(self->fd, &start));
	ASSERT_EQ(2, tw_collect(self->fd, event, 2));
	EXPECT_LE(before + start.time_ns, event[0].deadline_ns);
	EXPECT_EQ(event[0].deadline_ns + event[0].expirations * start.interval_ns,
		  event[1].deadline_ns);
}

TEST_F(timer, start_of_live_id_moves_it_later)
{
	__u64 before, second, after, deadline, timeout = 50 * TW_MS;
	struct twheel_start start = { .id = 7 };
	struct twheel_event event[2];
	struct twheel_get get;
	__u32 first_outcome;

	/* Again with more time, if the first one was over before the second start. */
	do {
		tw_stop(self->fd, 7, NULL);
		timeout *= 2;
		before = tw_now();
		start.time_ns = timeout;
		ASSERT_EQ(0, tw_start(self->fd, &start));
		first_outcome = start.outcome;
		ASSERT_EQ(0, tw_get(self->fd, 7, &get));
		second = tw_now();
		start.time_ns = 2 * timeout;
		ASSERT_EQ(0, tw_start(self->fd, &start));
		after = tw_now();
	} while (after > before + timeout);

	deadline = get.deadline_ns;
	EXPECT_EQ(TWHEEL_WAS_FREE, first_outcome);
	EXPECT_EQ(TWHEEL_STOPPED, start.outcome);
	EXPECT_LT(get.generation, start.generation);
	EXPECT_GE(deadline - second, start.remaining_ns);
	EXPECT_LE(deadline - after, start.remaining_ns);

	ASSERT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
	ASSERT_EQ(1, tw_read(self->fd, event, 2));
	EXPECT_EQ(start.generation, event->generation);
	EXPECT_LE(second + 2 * timeout, event->fired_ns);
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now() + 10 * TW_MS));
}

TEST_F(timer, start_of_live_id_moves_it_earlier)
{
	struct twheel_event event;
	struct twheel_stats stats;

	ASSERT_EQ(0, tw_after(self->fd, 7, TW_HOUR));
	ASSERT_EQ(0, tw_after(self->fd, 7, 5 * TW_MS));
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_EQ(7, event.id);
	ASSERT_EQ(0, tw_stats(self->fd, &stats));
	EXPECT_EQ(0, stats.timers);
	EXPECT_EQ(2, stats.started);
}

TEST_F(timer, start_replaces_interval_and_data)
{
	struct twheel_start start = { .id = 7, .time_ns = TW_HOUR, .data = 2 };
	struct twheel_get get;

	ASSERT_EQ(0, tw_every(self->fd, 7, tw_now() + TW_HOUR, TW_SEC));
	ASSERT_EQ(0, tw_start(self->fd, &start));
	ASSERT_EQ(0, tw_get(self->fd, 7, &get));
	EXPECT_EQ(0, get.interval_ns);
	EXPECT_EQ(2, get.data);
	EXPECT_EQ(TW_HOUR, get.timeout_ns);
}

TEST_F(timer, exclusive_start_of_live_id_is_rejected)
{
	struct twheel_start start = {
		.id = 7,
		.time_ns = TW_MS,
		.flags = TWHEEL_EXCLUSIVE,
	};
	struct tw_snapshot before;

	ASSERT_EQ(0, tw_after(self->fd, 7, TW_HOUR));
	tw_snapshot(self->fd, 7, &before);
	EXPECT_EQ(-EEXIST, tw_start(self->fd, &start));
	EXPECT_TRUE(tw_unchanged(self->fd, &before));
}

TEST_F(timer, exclusive_start_of_unread_expiry_is_rejected)
{
	struct twheel_start start = {
		.id = 7,
		.time_ns = TW_HOUR,
		.flags = TWHEEL_EXCLUSIVE,
	};
	struct tw_snapshot before;
	struct twheel_event event;

	ASSERT_TRUE(tw_expire(self->fd, 7));
	tw_snapshot(self->fd, 7, &before);
	EXPECT_EQ(-EEXIST, tw_start(self->fd, &start));
	EXPECT_TRUE(tw_unchanged(self->fd, &before));
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_EQ(0, tw_start(self->fd, &start));
	EXPECT_EQ(TWHEEL_WAS_FREE, start.outcome);
}

struct racer {
	pthread_barrier_t *barrier;
	int fd;
	__u64 id;
	int ret;
};

static void *start_exclusively(void *arg)
{
	struct racer *racer = arg;
	struct twheel_start start = {
		.id = racer->id,
		.time_ns = TW_HOUR,
		.flags = TWHEEL_EXCLUSIVE,
	};

	pthread_barrier_wait(racer->barrier);
	racer->ret = tw_start(racer->fd, &start);
	return NULL;
}

TEST_F(timer, exclusive_start_has_one_winner_of_16_threads)
{
	unsigned int round, rounds = tw_scaled(50), i, won, lost;
	struct racer racers[RACERS];
	pthread_barrier_t barrier;
	pthread_t threads[RACERS];

	pthread_barrier_init(&barrier, NULL, RACERS);
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < RACERS; i++) {
			racers[i] = (struct racer){ &barrier, self->fd, round, 1 };
			ASSERT_EQ(0, pthread_create(&threads[i], NULL,
						    start_exclusively, &racers[i]));
		}
		for (i = 0, won = 0, lost = 0; i < RACERS; i++) {
			pthread_join(threads[i], NULL);
			won += racers[i].ret == 0;
			lost += racers[i].ret == -EEXIST;
		}
		ASSERT_EQ(1, won);
		ASSERT_EQ(RACERS - 1, lost);
	}
}

TEST_F(timer, ids_zero_and_max_work)
{
	struct twheel_event event[2];

	ASSERT_EQ(0, tw_after(self->fd, 0, 1));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(waiting), 1));
	ASSERT_EQ(0, tw_after(self->fd, U64_MAX, 1));
	ASSERT_EQ(2, tw_collect(self->fd, event, 2));
	EXPECT_EQ(0, event[0].id);
	EXPECT_EQ(U64_MAX, event[1].id);

	ASSERT_EQ(0, tw_after(self->fd, 0, TW_HOUR));
	ASSERT_EQ(0, tw_after(self->fd, U64_MAX, TW_HOUR));
	EXPECT_EQ(0, tw_stop(self->fd, U64_MAX, NULL));
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 0));
	EXPECT_EQ(0, tw_stop(self->fd, 0, NULL));
}

TEST_F(timer, same_id_in_two_instances_is_two_timers)
{
	struct twheel_start here = { .id = 7, .time_ns = TW_HOUR, .data = 1 };
	struct twheel_start there = { .id = 7, .time_ns = TW_HOUR, .data = 2 };
	struct twheel_stop stop;
	struct twheel_event event;
	int other = tw_open();

	ASSERT_LE(0, other);
	ASSERT_EQ(0, tw_start(self->fd, &here));
	EXPECT_EQ(TWHEEL_FREE, tw_state(other, 7));
	ASSERT_EQ(0, tw_start(other, &there));
	EXPECT_EQ(TWHEEL_WAS_FREE, there.outcome);
	ASSERT_EQ(0, tw_stop(self->fd, 7, &stop));
	EXPECT_EQ(1, stop.data);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(other, 7));

	ASSERT_EQ(0, tw_after(other, 7, 1));
	ASSERT_EQ(1, tw_collect(other, &event, 1));
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
	close(other);
}

TEST_F(timer, past_deadline_expires_at_once_and_once)
{
	__u64 deadlines[] = { tw_now() - TW_MS, 1, 0 };
	struct twheel_event event[2];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(deadlines); i++) {
		ASSERT_EQ(0, tw_at(self->fd, i, deadlines[i]));
		ASSERT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
		ASSERT_EQ(1, tw_read(self->fd, event, 2));
		EXPECT_EQ(i, event->id);
		EXPECT_EQ(deadlines[i], event->deadline_ns);
		EXPECT_EQ(1, event->expirations);
	}
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now() + 20 * TW_MS));
}

TEST_F(timer, zero_timeout_expires_at_once_and_once)
{
	__u64 before = tw_now();
	struct twheel_event event[2];

	ASSERT_EQ(0, tw_after(self->fd, 1, 0));
	ASSERT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
	ASSERT_EQ(1, tw_read(self->fd, event, 2));
	EXPECT_LE(before, event->deadline_ns);
	EXPECT_LE(event->deadline_ns, event->fired_ns);
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now() + 20 * TW_MS));
}

/* However long a tick is. */
TEST_F(timer, deadline_of_now_expires_within_the_call)
{
	struct twheel_setup setup = { 0 };
	struct twheel_event event;
	struct twheel_info info;
	__u64 deadline, after;

	ASSERT_EQ(0, tw_info(self->fd, &info));
	setup.tick_shift = info.tick_shift_max;
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	deadline = tw_now();
	ASSERT_EQ(0, tw_at(self->fd, 1, deadline));
	after = tw_now();
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_LE(deadline, event.fired_ns);
	EXPECT_GE(after, event.fired_ns);
}

TEST_F(timer, boottime_instance_counts_in_boottime)
{
	struct twheel_setup setup = { .clock = CLOCK_BOOTTIME };
	struct twheel_event event;
	__u64 before, after;

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	before = tw_clock(CLOCK_BOOTTIME);
	ASSERT_EQ(0, tw_after(self->fd, 1, 5 * TW_MS));
	after = tw_clock(CLOCK_BOOTTIME);
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_LE(before + 5 * TW_MS, event.deadline_ns);
	EXPECT_GE(after + 5 * TW_MS, event.deadline_ns);
	EXPECT_LE(event.deadline_ns, event.fired_ns);
	EXPECT_GE(tw_clock(CLOCK_BOOTTIME), event.fired_ns);
}

TEST_F(timer, generations_are_unique_and_increase)
{
	struct twheel_reset reset = { .id = 1 };
	struct twheel_stop stop;
	__u64 last = 0;
	int i;

	for (i = 0; i < 100; i++) {
		struct twheel_start start = { .id = i % 3, .time_ns = TW_HOUR };

		ASSERT_EQ(0, tw_start(self->fd, &start));
		EXPECT_TRUE(!i || start.generation > last);
		last = start.generation;
		reset.id = i % 3;
		ASSERT_EQ(0, tw_reset(self->fd, &reset));
		EXPECT_LT(last, reset.generation);
		last = reset.generation;
		if (i % 5)
			continue;
		ASSERT_EQ(0, tw_stop(self->fd, i % 3, &stop));
		EXPECT_EQ(last, stop.generation);
	}
}

TEST_F(timer, get_describes_an_armed_timer)
{
	struct twheel_start start = {
		.id = 3,
		.time_ns = TW_HOUR,
		.interval_ns = TW_SEC,
		.data = 99,
	};
	__u64 before, after;
	struct twheel_get get;

	before = tw_now();
	ASSERT_EQ(0, tw_start(self->fd, &start));
	ASSERT_EQ(0, tw_get(self->fd, 3, &get));
	after = tw_now();
	EXPECT_EQ(3, get.id);
	EXPECT_EQ(TWHEEL_ARMED, get.state);
	EXPECT_EQ(start.generation, get.generation);
	EXPECT_LE(before + TW_HOUR, get.deadline_ns);
	EXPECT_GE(after + TW_HOUR, get.deadline_ns);
	EXPECT_GE(TW_HOUR, get.remaining_ns);
	EXPECT_LE(get.deadline_ns - after, get.remaining_ns);
	EXPECT_EQ(TW_HOUR, get.timeout_ns);
	EXPECT_EQ(TW_SEC, get.interval_ns);
	EXPECT_EQ(99, get.data);
}

TEST_F(timer, get_describes_an_unread_expiry)
{
	__u64 deadline = tw_now();
	struct twheel_get get;

	ASSERT_EQ(0, tw_at(self->fd, 3, deadline));
	ASSERT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
	ASSERT_EQ(0, tw_get(self->fd, 3, &get));
	EXPECT_EQ(TWHEEL_QUEUED, get.state);
	EXPECT_EQ(deadline, get.deadline_ns);
	EXPECT_EQ(0, get.remaining_ns);
}

TEST_F(timer, get_keeps_the_first_unread_deadline_of_a_periodic_timer)
{
	__u64 first = tw_now() - TW_MS;
	struct twheel_event event;
	struct twheel_get get;

	ASSERT_EQ(0, tw_every(self->fd, 3, first, 10 * TW_MS));
	ASSERT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
	tw_spin_until(first + 25 * TW_MS);
	ASSERT_EQ(0, tw_get(self->fd, 3, &get));
	EXPECT_EQ(TWHEEL_QUEUED, get.state);
	EXPECT_EQ(first, get.deadline_ns);
	ASSERT_EQ(1, tw_collect(self->fd, &event, 1));
	EXPECT_EQ(first, event.deadline_ns);
}

TEST_HARNESS_MAIN
