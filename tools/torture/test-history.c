// SPDX-License-Identifier: GPL-2.0
/*
 * The check of histories: one of each kind of fault is noticed, and nothing in a whole one.
 * And what is taken for a call that was made when its caller was killed.
 */
#include <stdio.h>
#include <string.h>

#include "torture.h"

#define ROOM	32

static struct history history;
static int number, failed;

static struct deed *arm(__u64 id, __u64 generation, __u32 outcome, bool reset)
{
	struct deed *deed = history_add(&history);

	deed->kind = DEED_ARM;
	deed->id = id;
	deed->generation = generation;
	deed->outcome = outcome;
	deed->reset = reset;
	deed->deadline_ns = 1000 * generation;
	deed->begin_ns = deed->deadline_ns - 10;
	deed->end_ns = deed->deadline_ns - 5;
	return deed;
}

static struct deed *record(const struct deed *of)
{
	struct deed *deed = history_add(&history);

	*deed = *of;
	deed->kind = DEED_RECORD;
	deed->fired_ns = of->deadline_ns + 1;
	deed->begin_ns = of->deadline_ns + 2;
	deed->end_ns = of->deadline_ns + 3;
	deed->expirations = 1;
	deed->attempt = 1;
	deed->sequence = of->generation;
	return deed;
}

static struct deed *end(const struct deed *of, enum deed_kind kind, __u32 outcome)
{
	struct deed *deed = history_add(&history);

	*deed = *of;
	deed->kind = kind;
	deed->outcome = outcome;
	deed->attempt = 1;
	deed->begin_ns = of->deadline_ns + 4;
	deed->end_ns = of->deadline_ns + 5;
	return deed;
}

/* Timer 1 expires and is read; timer 2 is stopped, started and reset; 3 is left. */
static struct twheel_stats whole(void)
{
	history_clear(&history);
	record(arm(1, 1, TWHEEL_WAS_FREE, false));
	end(arm(2, 2, TWHEEL_WAS_FREE, false), DEED_STOP, TWHEEL_STOPPED);
	arm(2, 3, TWHEEL_WAS_FREE, false);
	record(arm(2, 4, TWHEEL_STOPPED, true));
	end(arm(3, 5, TWHEEL_WAS_FREE, false), DEED_LEFT, 0);
	return (struct twheel_stats) {
		.started = 4, .reset = 1, .stopped = 1, .expired = 2,
		.delivered = 2, .timers = 1, .armed = 1,
	};
}

/* Which deed of whole() is which. */
enum { ARM_1, READ_1, ARM_2, STOP_2, AGAIN_2, RESET_2, READ_2, ARM_3, LEFT_3 };

static void verdict(bool passed, const char *name)
{
	number++;
	failed += !passed;
	printf("%sok %d %s\n", passed ? "" : "not ", number, name);
}

static void expect_broken(const char *name, const char *rule)
{
	bool found = !history_check(&history) && strstr(history.broken, rule);

	if (!found)
		printf("# broken: %s\n", history.broken);
	verdict(found, name);
}

static void test_lost(void)
{
	whole();
	history.deed[READ_1] = history.deed[--history.nr];
	expect_broken("a timer that is not there any more is lost", "lost");
}

static void test_records(void)
{
	whole();
	record(&history.deed[ARM_1])->sequence = 9;
	expect_broken("an expiry that came twice is noticed", "delivered twice");

	whole();
	history.deed[READ_1].fired_ns = history.deed[READ_1].deadline_ns - 1;
	expect_broken("an early expiry is noticed", "early");

	whole();
	history.deed[READ_1].deadline_ns++;
	history.deed[READ_1].fired_ns++;
	expect_broken("a record with another deadline is noticed", "another deadline");

	whole();
	history.deed[READ_2].sequence = history.deed[READ_1].sequence;
	expect_broken("a sequence number that came twice is noticed", "sequence");

	whole();
	history.deed[READ_2].generation = 6;
	expect_broken("a record of an arming that nobody made is noticed", "nobody");
}

static void test_ends(void)
{
	whole();
	record(&history.deed[ARM_2]);
	expect_broken("an expiry of a stopped timer is noticed", "more than one end");

	whole();
	record(&history.deed[AGAIN_2]);
	expect_broken("an old expiry of a reset timer is noticed", "more than one end");

	whole();
	history.deed[STOP_2].outcome = TWHEEL_WITHDREW;
	history.deed[STOP_2].end_ns = history.deed[ARM_2].deadline_ns - 1;
	expect_broken("a withdrawal before the deadline is noticed", "early");

	whole();
	history.deed[RESET_2].outcome = TWHEEL_WAS_FREE;
	expect_broken("a reset of what was free is noticed", "lost");

	whole();
	end(&history.deed[ARM_1], DEED_LEFT, 0);
	expect_broken("a timer that was read and is listed is noticed", "there still");

	whole();
	history.leased = true;
	end(&history.deed[ARM_1], DEED_ACK, 0);
	end(&history.deed[ARM_1], DEED_ACK, 0);
	expect_broken("what was acknowledged twice is noticed", "more than one end");
}

static void test_broadcast(void)
{
	struct deed *copy;

	whole();
	history.broadcast = true;
	history.drops = true;
	copy = record(&history.deed[ARM_1]);
	copy->stream = 2;
	verdict(history_check(&history), "a copy for another reader is none of these");

	copy->stream = 0;
	copy->sequence = 9;
	expect_broken("a copy that a reader got twice is noticed", "delivered twice");
}

static void test_leased(void)
{
	struct deed *late;

	whole();
	history.leased = true;
	late = record(&history.deed[ARM_2]);
	late->begin_ns = history.deed[STOP_2].end_ns + 1;
	late->end_ns = late->begin_ns + 1;
	end(&history.deed[ARM_1], DEED_ACK, 0);
	end(&history.deed[RESET_2], DEED_ACK, 0);
	expect_broken("a read behind the fence is noticed", "had returned");

	late->begin_ns = history.deed[STOP_2].end_ns - 1;
	*history.broken = 0;
	verdict(history_check(&history), "a read beside the stop is none");

	record(&history.deed[ARM_1])->attempt = 2;
	history.deed[history.nr - 1].sequence = 9;
	expect_broken("a late answer that was taken is noticed", "not the last");
}

static void test_books(void)
{
	struct twheel_stats stats = whole();

	verdict(history_check(&history) && history_compare(&history, &stats),
		"a history that is whole breaks no rule");

	stats = whole();
	stats.reset--;
	verdict(history_check(&history) && !history_compare(&history, &stats),
		"a reset that was not counted is noticed");

	stats = whole();
	stats.delivered++;
	stats.expired++;
	verdict(history_check(&history) && !history_compare(&history, &stats),
		"a delivery that nobody saw is noticed");

	stats = whole();
	stats.expired++;
	verdict(history_check(&history) && !history_compare(&history, &stats),
		"books that do not balance are noticed");
}

/* Whether the call that a killed actor was at is in its log. */
static bool recovers(enum torture_kind kind, __u64 generation, __u32 state)
{
	static struct torture_actor actor;

	actor.calls = 0;
	actor.call[0] = (struct torture_call) { .kind = kind };
	if (kind == TORTURE_ACK)
		actor.call[0].ack.state = state;
	else
		actor.call[0].start.generation = generation;
	torture_recover(&actor);
	return actor.calls == 1 && !actor.call[0].end_ns;
}

static void test_recover(void)
{
	verdict(recovers(TORTURE_START, 1, 0), "a start whose result was written was made");
	verdict(!recovers(TORTURE_START, TW_POISON64, 0), "a start without a result was not");
	verdict(!recovers(TORTURE_START, 0, 0), "a start that was being prepared was not");
	verdict(recovers(TORTURE_ACK, 0, TWHEEL_FREE), "an answer that freed a timer was made");
	verdict(!recovers(TORTURE_ACK, 0, TW_POISON32), "an answer without a result was not");
	verdict(!recovers(TORTURE_NOTHING, 1, 0), "what is left of another call is none");
}

/* A batch of a start, a stop of what is not there, and an ACK. */
static struct torture_actor *batcher(void)
{
	static struct torture_actor actor;

	memset(&actor, 0, sizeof(actor));
	actor.call[0].kind = TORTURE_SUBMIT;
	actor.op[0] = (struct twheel_op) {
		.opcode = TWHEEL_OP_START, .id = 1, .interval_ns = 10,
	};
	actor.result[0] = (struct twheel_result) { .generation = 5, .deadline_ns = 70 };
	actor.op[1] = (struct twheel_op) { .opcode = TWHEEL_OP_STOP, .id = 2 };
	actor.result[1] = (struct twheel_result) { .error = -ENOENT };
	actor.op[2] = (struct twheel_op) { .opcode = TWHEEL_OP_ACK, .id = 3 };
	actor.result[2] = (struct twheel_result) { .generation = 6 };
	actor.attempt[2] = 2;
	return &actor;
}

static void test_batch(void)
{
	struct torture_actor *actor = batcher();

	actor->result[2].generation = 0;
	torture_recover(actor);
	verdict(actor->calls == 1 && actor->call[0].count == 2 && actor->ops == 2,
		"of a batch that was cut short, what has a result was carried out");
	actor = batcher();
	memset(actor->result, 0, sizeof(actor->result));
	torture_recover(actor);
	verdict(!actor->calls && !actor->ops, "a batch without a result was not carried out");
	actor = batcher();
	torture_recover(actor);
	history_clear(&history);
	torture_collect(actor, &history);
	verdict(history.nr == 2 && history.deed[0].kind == DEED_ARM &&
		history.deed[0].generation == 5 && history.deed[0].deadline_ns == 70 &&
		history.deed[0].interval_ns == 10 && history.deed[1].kind == DEED_ACK &&
		history.deed[1].generation == 6 && history.deed[1].attempt == 2,
		"operations of a batch are deeds as calls are, but for one that failed");
}

int main(void)
{
	if (!history_init(&history, ROOM))
		return 2;
	printf("TAP version 13\n");
	test_books();
	test_lost();
	test_records();
	test_ends();
	test_broadcast();
	test_leased();
	test_recover();
	test_batch();
	printf("1..%d\n", number);
	history_free(&history);
	return failed ? 1 : 0;
}
