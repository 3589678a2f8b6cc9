// SPDX-License-Identifier: GPL-2.0
/*
 * Stop, reset and re-start are a fence: once one has returned, no read yields
 * an expiry of the earlier arming, and what the call says it did is true.
 */
#include "twheel_test.h"

#define RACES	100000
#define BATCH	64
#define PACE	(30 * TW_US)

enum op {
	OP_STOP,
	OP_RESET,
	OP_START,
	OPS,
};

/* What an operation said, whichever it was. */
struct said {
	int ret;
	__u32 outcome;
	__u64 remaining;
	__u64 generation;
};

/* Stop, reset or start timer @id again, to run for @timeout from now. */
static struct said do_op(int fd, enum op op, __u64 id, __u64 timeout)
{
	struct twheel_start start = { .id = id, .time_ns = timeout };
	struct twheel_reset reset = {
		.id = id,
		.time_ns = timeout,
		.flags = TWHEEL_NEW_TIMEOUT,
	};
	struct twheel_stop stop;
	struct said said;

	switch (op) {
	case OP_STOP:
		said.ret = tw_stop(fd, id, &stop);
		said.outcome = stop.outcome;
		said.remaining = stop.remaining_ns;
		said.generation = stop.generation;
		break;
	case OP_RESET:
		said.ret = tw_reset(fd, &reset);
		said.outcome = reset.outcome;
		said.remaining = reset.remaining_ns;
		said.generation = reset.generation;
		break;
	default:
		said.ret = tw_start(fd, &start);
		said.outcome = start.outcome;
		said.remaining = start.remaining_ns;
		said.generation = start.generation;
	}
	return said;
}

FIXTURE(fence) {
	int fd;
	struct twheel_event event[4];
	struct twheel_stats stats;
};

FIXTURE_VARIANT(fence) {
	enum op op;
};

FIXTURE_VARIANT_ADD(fence, stop) {
	.op = OP_STOP,
};

FIXTURE_VARIANT_ADD(fence, reset) {
	.op = OP_RESET,
};

FIXTURE_VARIANT_ADD(fence, start) {
	.op = OP_START,
};

/* A queue of one, so that a second expiry is DUE. */
FIXTURE_SETUP(fence)
{
	struct twheel_setup setup = { .queue_len = 1 };

	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
}

FIXTURE_TEARDOWN(fence)
{
	close(self->fd);
}

/* The state of a timer after the operation. */
static int state_after(enum op op)
{
	return op == OP_STOP ? TWHEEL_FREE : TWHEEL_ARMED;
}

TEST_F(fence, free_id)
{
	struct said said = do_op(self->fd, variant->op, 1, TW_HOUR);

	if (variant->op == OP_START) {
		EXPECT_EQ(0, said.ret);
		EXPECT_EQ(TWHEEL_WAS_FREE, said.outcome);
		EXPECT_EQ(0, said.remaining);
	} else {
		EXPECT_EQ(-ENOENT, said.ret);
		EXPECT_EQ(TWHEEL_FREE, tw_state(self->fd, 1));
	}
}

TEST_F(fence, armed_timer_was_stopped)
{
	struct said said;

	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	said = do_op(self->fd, variant->op, 1, TW_HOUR);
	EXPECT_EQ(0, said.ret);
	EXPECT_EQ(TWHEEL_STOPPED, said.outcome);
	EXPECT_LT(0, said.remaining);
	EXPECT_EQ(state_after(variant->op), tw_state(self->fd, 1));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.withdrawn);
}

TEST_F(fence, queued_expiry_is_withdrawn)
{
	struct said said;

	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_EQ(TWHEEL_QUEUED, tw_state(self->fd, 1));
	ASSERT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
	said = do_op(self->fd, variant->op, 1, TW_HOUR);
	EXPECT_EQ(0, said.ret);
	EXPECT_EQ(TWHEEL_WITHDREW, said.outcome);
	EXPECT_EQ(0, said.remaining);
	EXPECT_EQ(state_after(variant->op), tw_state(self->fd, 1));
	EXPECT_EQ(0, tw_poll(self->fd, 0));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.withdrawn);
	EXPECT_EQ(0, self->stats.waiting);
	EXPECT_EQ(0, self->stats.queued);
	EXPECT_TRUE(tw_balanced(&self->stats));
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
}

TEST_F(fence, due_expiry_is_withdrawn)
{
	struct said said;

	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_TRUE(tw_expire(self->fd, 2));
	ASSERT_TRUE(tw_expire(self->fd, 3));
	ASSERT_EQ(TWHEEL_DUE, tw_state(self->fd, 2));
	said = do_op(self->fd, variant->op, 2, TW_HOUR);
	EXPECT_EQ(0, said.ret);
	EXPECT_EQ(TWHEEL_WITHDREW, said.outcome);
	EXPECT_EQ(0, said.remaining);
	EXPECT_EQ(state_after(variant->op), tw_state(self->fd, 2));
	EXPECT_EQ(POLLIN, tw_poll(self->fd, 0));
	ASSERT_EQ(2, tw_collect(self->fd, self->event, 2));
	EXPECT_EQ(1, self->event[0].id);
	EXPECT_EQ(3, self->event[1].id);
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
}

TEST_F(fence, withdrawn_place_goes_to_the_next)
{
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_TRUE(tw_expire(self->fd, 2));
	ASSERT_EQ(TWHEEL_DUE, tw_state(self->fd, 2));
	ASSERT_EQ(0, do_op(self->fd, variant->op, 1, TW_HOUR).ret);
	EXPECT_TRUE(tw_await(self->fd, TW_STAT(queued), 1));
	EXPECT_EQ(TWHEEL_QUEUED, tw_state(self->fd, 2));
	EXPECT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
	ASSERT_EQ(1, tw_read(self->fd, self->event, 4));
	EXPECT_EQ(2, self->event->id);
	/* A withdrawal is no gap in the stream. */
	EXPECT_EQ(1, self->event->sequence);
	EXPECT_EQ(0, self->event->dropped);
}

TEST_F(fence, unread_expiry_of_periodic_timer_is_withdrawn)
{
	struct said said;

	ASSERT_EQ(0, tw_every(self->fd, 1, tw_now(), TW_HOUR));
	ASSERT_TRUE(tw_await(self->fd, TW_STAT(queued), 1));
	said = do_op(self->fd, variant->op, 1, TW_HOUR);
	EXPECT_EQ(0, said.ret);
	EXPECT_EQ(TWHEEL_WITHDREW, said.outcome);
	EXPECT_EQ(state_after(variant->op), tw_state(self->fd, 1));
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
}

TEST_F(fence, read_expiry_of_one_shot_timer_is_too_late)
{
	struct said said;

	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_EQ(1, tw_read(self->fd, self->event, 1));
	said = do_op(self->fd, variant->op, 1, TW_HOUR);
	if (variant->op == OP_START) {
		EXPECT_EQ(0, said.ret);
		EXPECT_EQ(TWHEEL_WAS_FREE, said.outcome);
	} else {
		EXPECT_EQ(-ENOENT, said.ret);
	}
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.withdrawn);
}

TEST_F(fence, read_expiry_of_periodic_timer_leaves_an_armed_one)
{
	struct said said;

	ASSERT_EQ(0, tw_every(self->fd, 1, tw_now(), TW_HOUR));
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	said = do_op(self->fd, variant->op, 1, TW_HOUR);
	EXPECT_EQ(0, said.ret);
	EXPECT_EQ(TWHEEL_STOPPED, said.outcome);
	EXPECT_LT(0, said.remaining);
	EXPECT_EQ(state_after(variant->op), tw_state(self->fd, 1));
}

TEST_F(fence, withdrawn_timer_expires_anew)
{
	struct said said;

	ASSERT_TRUE(tw_expire(self->fd, 1));
	said = do_op(self->fd, variant->op, 1, 1);
	ASSERT_EQ(0, said.ret);
	if (variant->op == OP_STOP) {
		EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
		return;
	}
	ASSERT_EQ(1, tw_collect(self->fd, self->event, 1));
	EXPECT_EQ(said.generation, self->event->generation);
	EXPECT_TRUE(tw_quiet_until(self->fd, tw_now()));
}

/*
 * The race: one thread arms a batch of timers and reads, the other stops, resets
 * or starts each of them again around its deadline.
 */
struct shot {
	__u64 act_at;
	__u64 generation;	/* of the first arming */
	enum op op;
	struct said said;
	unsigned int old_came, new_came;
	__u64 new_generation;
};

FIXTURE(race) {
	int fd;
	__u64 seed;
	pthread_barrier_t barrier;
	struct shot shots[BATCH];
	unsigned int rounds;
	bool over;
	__u64 pace;		/* from one deadline to the next */
	__u64 least_pace;
};

FIXTURE_VARIANT(race) {
	__u32 queue_len;
};

FIXTURE_VARIANT_ADD(race, roomy_queue) {
	.queue_len = 2 * BATCH,
};

FIXTURE_VARIANT_ADD(race, tight_queue) {
	.queue_len = 4,
};

FIXTURE_SETUP(race)
{
	struct twheel_setup setup = { .queue_len = variant->queue_len };
	struct twheel_info info;

	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_nonblock(self->fd));
	ASSERT_EQ(0, tw_info(self->fd, &info));
	/* The finest tick: more deadlines to race with. */
	setup.tick_shift = info.tick_shift_min;
	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	pthread_barrier_init(&self->barrier, NULL, 2);
	self->rounds = tw_scaled(RACES / 2) / BATCH + 1;
	self->pace = PACE;
	self->least_pace = PACE;
}

FIXTURE_TEARDOWN(race)
{
	close(self->fd);
}

static void *race_operator(void *arg)
{
	struct _test_data_race *self = arg;
	unsigned int i;

	for (;;) {
		pthread_barrier_wait(&self->barrier);
		if (self->over)
			return NULL;
		for (i = 0; i < BATCH; i++) {
			struct shot *shot = &self->shots[i];

			tw_spin_until(shot->act_at);
			shot->said = do_op(self->fd, shot->op, i, 300 * TW_US);
		}
		pthread_barrier_wait(&self->barrier);
	}
}

/*
 * Deadlines 50 us to 2 ms away, in the order in which the operator acts; further
 * where arming them takes longer than that.
 */
static int arm_batch(struct _test_data_race *self)
{
	__u64 pace = self->pace, now = tw_now(), took;
	unsigned int i;

	for (i = 0; i < BATCH; i++) {
		struct shot *shot = &self->shots[i];
		struct twheel_start start = { .id = i, .flags = TWHEEL_ABSTIME };

		memset(shot, 0, sizeof(*shot));
		start.time_ns = now + 50 * TW_US + i * pace +
				tw_below(&self->seed, pace);
		shot->act_at = start.time_ns - 3 * pace +
			       tw_below(&self->seed, 12 * pace);
		shot->op = tw_below(&self->seed, OPS);
		if (tw_start(self->fd, &start))
			return -1;
		shot->generation = start.generation;
	}
	/* Twice that, as the operator needs its time as well. */
	took = 2 * (tw_now() - now) / BATCH;
	self->pace = took > self->least_pace ? took : self->least_pace;
	return 0;
}

/* Sort a record to its arming; false if it can be of none. */
static bool sort_event(struct _test_data_race *self, const struct twheel_event *event)
{
	struct shot *shot;

	if (event->id >= BATCH)
		return false;
	shot = &self->shots[event->id];
	if (event->generation == shot->generation) {
		shot->old_came++;
	} else {
		shot->new_came++;
		shot->new_generation = event->generation;
	}
	return event->fired_ns >= event->deadline_ns;
}

/* Is what came what the operation said would come? */
static bool true_to_word(const struct shot *shot)
{
	const struct said *said = &shot->said;
	bool was_live = !said->ret && said->outcome != TWHEEL_WAS_FREE;
	bool runs_again = !said->ret && shot->op != OP_STOP;

	if (said->ret && (said->ret != -ENOENT || shot->op == OP_START))
		return false;
	if (runs_again && shot->new_generation != said->generation)
		return false;
	return shot->old_came == !was_live && shot->new_came == runs_again;
}

/* Records that are to come, by what the operations said. */
static unsigned int owed(struct _test_data_race *self)
{
	unsigned int i, sum = 0;

	for (i = 0; i < BATCH; i++) {
		const struct said *said = &self->shots[i].said;

		if (said->ret || said->outcome == TWHEEL_WAS_FREE)
			sum++;
		if (!said->ret && self->shots[i].op != OP_STOP)
			sum++;
	}
	return sum;
}

/* Arm, race, settle; returns how many armings went wrong, or -1. */
static int race_round(struct _test_data_race *self)
{
	struct twheel_event events[2 * BATCH];
	unsigned int come = 0, i, wrong = 0;
	int got;

	if (arm_batch(self))
		return -1;
	pthread_barrier_wait(&self->barrier);
	while (tw_now() < self->shots[BATCH - 1].act_at) {
		got = tw_read(self->fd, events, 8);
		for (; got > 0; got--, come++)
			wrong += !sort_event(self, &events[got - 1]);
	}
	pthread_barrier_wait(&self->barrier);
	for (; come < owed(self); come += got) {
		got = tw_collect(self->fd, events, owed(self) - come);
		if (!got)
			return -1;
		for (i = 0; i < (unsigned int)got; i++)
			wrong += !sort_event(self, &events[i]);
	}
	for (i = 0; i < BATCH; i++)
		wrong += !true_to_word(&self->shots[i]);
	return wrong;
}

/* What came of the races: 0 is too late, the others are outcomes. */
static void count_round(struct _test_data_race *self, unsigned int *seen)
{
	unsigned int i, stopped = seen[TWHEEL_STOPPED];
	const struct said *said;

	for (i = 0; i < BATCH; i++) {
		said = &self->shots[i].said;
		seen[said->ret ? TWHEEL_WAS_FREE : said->outcome]++;
	}
	/* A machine that stopped none in time has more of it in the next round. */
	if (stopped == seen[TWHEEL_STOPPED])
		self->least_pace *= 2;
	else
		self->least_pace = PACE;
}

/* Until there was a race. */
static bool goes_on(const struct _test_data_race *self, unsigned int round,
		    const unsigned int *seen, __u64 give_up)
{
	if (round < self->rounds)
		return true;
	return !(seen[TWHEEL_STOPPED] && seen[TWHEEL_WAS_FREE]) &&
	       tw_now() < give_up;
}

TEST_F(race, what_the_call_said_is_what_is_read)
{
	__u64 give_up = tw_now() + TW_PATIENCE_MS * TW_MS;
	unsigned int round, seen[TWHEEL_WITHDREW + 1] = { 0 };
	struct twheel_stats stats;
	pthread_t thread;

	self->seed = tw_seed();
	ASSERT_EQ(0, pthread_create(&thread, NULL, race_operator, self));
	for (round = 0; goes_on(self, round, seen, give_up); round++) {
		ASSERT_EQ(0, race_round(self)) {
			TH_LOG("in round %u", round);
		}
		ASSERT_EQ(0, tw_stats(self->fd, &stats));
		ASSERT_EQ(0, stats.timers);
		ASSERT_TRUE(tw_balanced(&stats));
		count_round(self, seen);
	}
	self->over = true;
	pthread_barrier_wait(&self->barrier);
	pthread_join(thread, NULL);
	TH_LOG("stopped %u, withdrew %u, too late %u",
	       seen[TWHEEL_STOPPED], seen[TWHEEL_WITHDREW],
	       seen[TWHEEL_WAS_FREE]);
	/* Or it was no race. */
	EXPECT_LT(0, seen[TWHEEL_STOPPED]);
	EXPECT_LT(0, seen[TWHEEL_WAS_FREE]);
	EXPECT_EQ(stats.expired, stats.delivered + stats.withdrawn);
}

TEST_HARNESS_MAIN
