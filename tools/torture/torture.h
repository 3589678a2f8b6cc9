/* SPDX-License-Identifier: GPL-2.0 */
/* What torments an instance, and the logs that outlive those who write them. */
#ifndef TORTURE_H
#define TORTURE_H

#define TWHEEL_NO_HARNESS
#include "../selftests/twheel_pool.h"
#include "../selftests/twheel_race.h"
#include "../selftests/twheel_sys.h"
#include "history.h"

#define TORTURE_CALLS	8192
#define TORTURE_EVENTS	8192
#define TORTURE_ACTORS	24
#define TORTURE_IDS	64
/* Timers behind these that run for an hour, are reset, and never stopped. */
#define TORTURE_RESIDENTS	32
/* The most records of one read. */
#define TORTURE_ROOM	16
#define TORTURE_OPS	8192
/* The most operations of one batch: more than the module takes at a time. */
#define TORTURE_BATCH	48

enum torture_role {
	TORTURE_STARTER, TORTURE_STOPPER, TORTURE_RESETTER, TORTURE_READER,
	TORTURE_LISTER, TORTURE_POLLER, TORTURE_CLOSER, TORTURE_BATCHER,
	TORTURE_DUELLIST,
	TORTURE_ROLES
};

enum torture_kind {
	TORTURE_NOTHING, TORTURE_START, TORTURE_STOP, TORTURE_RESET,
	TORTURE_ACK, TORTURE_REJECT, TORTURE_EXTEND, TORTURE_READ, TORTURE_SUBMIT
};

/**
 * struct torture_call - a call, in shared memory
 * @kind: Which; what is below has a meaning then.
 * @stream: READ: of which reader; 0: of the instance.
 * @begin_ns: Before it.
 * @end_ns: After it; 0: its caller was killed before that.
 * @generation: ACK, REJECT, EXTEND: the arming that it is about.
 * @attempt: ACK, REJECT, EXTEND: which delivery of that.
 * @first: READ, SUBMIT: where in the log the records or operations are.
 * @count: READ, SUBMIT: how many were read or carried out.
 * @start: START: what the kernel has, and writes.
 * @stop: STOP: the same.
 * @reset: RESET: the same.
 * @ack: ACK, REJECT, EXTEND: the same.
 *
 * The kernel writes its results right here.  So it is known whether a call was
 * carried out whose caller was killed.
 */
struct torture_call {
	enum torture_kind kind;
	__u32 stream;
	__u64 begin_ns;
	__u64 end_ns;
	__u64 generation;
	__u32 attempt;
	__u32 first;
	__u32 count;
	union {
		struct twheel_start start;
		struct twheel_stop stop;
		struct twheel_reset reset;
		struct twheel_ack ack;
	};
};

/**
 * struct torture_actor - somebody who does one kind of thing
 * @role: What.
 * @child: A process of its own, that can be killed; otherwise a thread.
 * @processor: Where it runs; -1: anywhere.
 * @thread: The thread.
 * @pid: The process; 0 if it has ended.
 * @round: What it takes part in.
 * @seed: What it does next.
 * @forgotten: A delivery that it has not answered yet.
 * @operations: What it has done, failures included.
 * @calls: Calls in the log that were carried out.
 * @events: Records in the log.
 * @ops: Operations of batches in the log.
 * @call: The log; everything behind @calls but the next one is 0.
 * @event: Records, as read.
 * @op: Operations of batches, one behind the other.
 * @result: What came of them; 0 if nothing has.
 * @attempt: Which delivery they answer.
 */
struct torture_actor {
	enum torture_role role;
	bool child;
	int processor;
	pthread_t thread;
	pid_t pid;
	struct torture_round *round;
	__u64 seed;
	struct twheel_event forgotten;
	unsigned long operations;
	unsigned int calls;
	unsigned int events;
	unsigned int ops;
	struct torture_call call[TORTURE_CALLS];
	struct twheel_event event[TORTURE_EVENTS];
	struct twheel_op op[TORTURE_OPS];
	struct twheel_result result[TORTURE_OPS];
	__u32 attempt[TORTURE_OPS];
};

/**
 * struct torture_round - an instance and those who are at it, in shared memory
 * @fd: The descriptor that everybody has.
 * @setup: The settings.
 * @own_readers: Each reader has a descriptor of its own.
 * @ids: Timers that are started and stopped.
 * @longest_ns: The longest timeout, but for some that are an hour.
 * @stop: It comes to its end: everybody leaves but readers.
 * @has_broken: Somebody has filled in @broken.
 * @broken: What an actor has seen that cannot be.
 * @actors: How many there are, the owner aside.
 * @owner: What the round itself does.
 * @actor: Those who take part.
 */
struct torture_round {
	int fd;
	struct twheel_setup setup;
	bool own_readers;
	unsigned int ids;
	__u64 longest_ns;
	bool stop;
	bool has_broken;
	char broken[200];
	unsigned int actors;
	struct torture_actor owner;
	struct torture_actor actor[TORTURE_ACTORS];
};

/**
 * struct torture_tally - what was done so far
 * @operations: Of each role.
 * @rounds: Rounds of an instance with everybody.
 * @duels: Rounds of two who start and stop one timer.
 * @crowds: Rounds of a crowd.
 * @armed: Armings.
 * @records: Records.
 * @withdrawn: Expiries that were taken back.
 * @dropped: Expiries that were dropped.
 * @repeated: Records that had been read before.
 * @kills: Processes that were killed.
 * @reloads: Times that the module was unloaded and loaded.
 * @refused: Times that it was in use.
 * @in_time: Resets in a crowd that came before the expiry.
 * @withdrew: Those that took it back.
 * @too_late: Those that came after it was read.
 */
struct torture_tally {
	unsigned long operations[TORTURE_ROLES];
	unsigned long rounds, duels, crowds;
	unsigned long armed, records, withdrawn, dropped, repeated;
	unsigned long kills, reloads, refused;
	unsigned long in_time, withdrew, too_late;
};

static inline bool torture_has_stopped(const struct torture_round *round)
{
	return is_set(&round->stop);
}

static inline __u64 below(struct torture_actor *actor, __u64 limit)
{
	return tw_below(&actor->seed, limit);
}

/* At once, an hour, or something between. */
__u64 torture_timeout(struct torture_actor *actor);
/* Note the first thing that cannot be, and end the round. */
void torture_complain(struct torture_round *round, const char *format, ...);

/* End what run_on_processor() has begun. */
void torture_run_anywhere(void);
/* Do one's role until the round ends; a child that was killed goes on in its next one. */
void torture_act(struct torture_actor *actor);
/* List all, look at one timer, or at the books. */
void torture_look(struct torture_actor *actor);
void torture_poll(struct torture_actor *actor);
/* Open another instance or reader, and close it. */
void torture_close(struct torture_actor *actor);
/* Start a timer, and have that in the log; returns 0 or -errno. */
int torture_start(struct torture_actor *actor, const struct twheel_start *start);
/* Log what the last call of somebody who was killed has done. */
void torture_recover(struct torture_actor *actor);
void torture_collect(const struct torture_actor *actor, struct history *history);

/*
 * The rounds.  Each returns whether all was well; if not, @broken says what was not.
 */
bool torture_everybody(struct torture_round *round, struct history *history,
		       __u64 *seed, struct torture_tally *tally, char *broken);
bool torture_duel(struct torture_round *round, struct history *history,
		  __u64 *seed, struct torture_tally *tally, char *broken);
bool torture_crowd(struct history *history, __u64 *seed,
		   struct torture_tally *tally, char *broken);
bool torture_reload(__u64 *seed, struct torture_tally *tally, char *broken);

/* Room for what does not fit together, with the settings. */
#define TORTURE_BROKEN	400

#endif /* TORTURE_H */
