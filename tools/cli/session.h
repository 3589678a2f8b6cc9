/* SPDX-License-Identifier: GPL-2.0 */
/* A script that runs: one open device, and what has come from it. */
#ifndef TWHEEL_CLI_SESSION_H
#define TWHEEL_CLI_SESSION_H

#include "common.h"
#include "op.h"

/* The events that were read so far. */
struct tally {
	__u64 events;
	__u64 expirations;
	__u64 dropped;
	__u64 again;		/* delivered before */
	__u64 acknowledged;
	__u64 too_late;		/* to acknowledge it */
	__u64 late_min_ns;
	__u64 late_max_ns;
};

/* A descriptor of the instance. */
struct reader {
	int fd;
	__u32 number;		/* 0: it is not a reader */
	bool dead;		/* of dead expiries */
};

/* The opener, and the readers beside it. */
#define READERS_MAX	(1 + TWHEEL_READERS_MAX)

/* What happens to a delivery that is under a lease. */
enum taking {
	TAKE_KEEP,		/* remembered for ack and its like */
	TAKE_LEAVE,		/* nothing: the lease will run out */
	TAKE_ACK,		/* acknowledged once it was printed */
};

struct session {
	const struct cli *cli;
	const char *script;
	unsigned int line;	/* 0: it is not from a script */
	bool keep_going;
	bool control;		/* the opener is not to be a reader */
	bool in_group;		/* the readers are other processes */
	enum taking taking;
	int fd;			/* -1: no operation has needed it yet */
	struct twheel_info info;
	__u64 began_monotonic;
	__u64 began_boottime;
	struct reader readers[READERS_MAX];	/* the first is the opener */
	unsigned int nr_readers;
	void *in_hand;		/* of inhand.c */
	__u64 taken;
	uint64_t *words;	/* NULL: not mapped */
	unsigned int nr_words;
	struct tally tally;
	int stop;		/* exit code that an operation has stopped with */
};

/* What became of an operation. */
enum verdict {
	VERDICT_OK,
	VERDICT_FAILED,		/* reported */
	VERDICT_EXPECTED,	/* failed as "expect" said */
	VERDICT_STOP,		/* the script cannot go on: session.stop */
};

void session_begin(struct session *s, const struct cli *cli,
		   const char *script);
void session_end(struct session *s);
/* Opens the device if it is not open.  False: reported, session.stop is set. */
bool session_open(struct session *s);
/* Reads the settings anew.  0, or -errno. */
int session_info(struct session *s);
/* Time since the beginning. */
__u64 session_elapsed(const struct session *s);
/* @ns on the instance's clock, from the beginning of the script. */
__s64 session_offset(const struct session *s, __u64 ns);
/* The deadline that --at means. */
__u64 session_deadline(const struct session *s, __u64 ns);
/* Prints the time since the beginning and a name, where a text line begins. */
void session_stamp(const struct session *s, const char *name);
/* Writes out what was printed.  0, -EINTR or -EPIPE. */
int session_flush(void);
enum verdict session_stop(struct session *s, int code);
/* -EINTR, -EPIPE and what else ends a wait or a read. */
enum verdict session_stop_error(struct session *s, int err);

/* script.c: exit code */
int script_run(struct session *s);

/* ops.c */
enum verdict op_run(struct session *s, const struct op *op);

/* verdict.c */
/* An ioctl failed: says why, in terms of the operation. */
enum verdict op_failed(const struct session *s, const struct op *op, int err);
enum verdict op_failed_why(const struct session *s, const struct op *op,
			   int err, const struct why *why);
/* Where a result begins: JSON up to the ID, or text up to a colon. */
void op_json(const struct session *s, const struct op *op);
void op_line(const struct session *s, const struct op *op);

/* timer.c */
enum verdict op_start(struct session *s, const struct op *op);
enum verdict op_reset(struct session *s, const struct op *op);
enum verdict op_stop(struct session *s, const struct op *op);
enum verdict op_get(struct session *s, const struct op *op);

/* "mapped" and "word" of a timer that has one, in JSON and in text. */
void word_json(bool mapped, __u32 word);
void word_text(bool mapped, __u32 word);

/* touch.c */
enum verdict op_touch(struct session *s, const struct op *op);
void words_unmap(struct session *s);

/* explain.c */
void explain(const struct session *s, const struct op *op, int err,
	     struct why *why);

/* events.c */
enum verdict op_read(struct session *s, const struct op *op);
enum verdict op_drain(struct session *s, const struct op *op);
/*
 * Reads what is ready for @reader, at most @max events, and prints it.  How
 * many, -ESHUTDOWN at the end of the file, or another -errno.
 */
int events_take(struct session *s, const struct reader *reader, __u64 max);

/* event.c */
void tally_add(struct tally *tally, const struct tally *more);
/* Prints an event and counts it. */
void event_show(struct session *s, const struct reader *reader,
		const struct twheel_event *event);

/* inhand.c: the last delivery of each timer to each reader */
struct delivery {
	__u64 id;
	__u32 reader;
	bool done;		/* acknowledged, given back or too late */
	__u64 token;
	__u64 order;
};

typedef void delivery_fn(struct delivery *delivery, void *arg);

/* 0, or -ENOMEM. */
int delivery_keep(struct session *s, const struct reader *reader,
		  const struct twheel_event *event);
/* The last one of @id to @reader, or to any if that is NULL.  NULL: none. */
struct delivery *delivery_find(const struct session *s, __u64 id,
			       const struct reader *reader);
/* Calls @each for all that are not done, by ID. */
void delivery_walk(const struct session *s, delivery_fn *each, void *arg);
void delivery_forget(struct session *s);

/* lease.c */
enum verdict op_ack(struct session *s, const struct op *op);
enum verdict op_reject(struct session *s, const struct op *op);
enum verdict op_extend(struct session *s, const struct op *op);
/* Acknowledges it; being too late is counted and printed.  0, or -errno. */
int delivery_finish(struct session *s, const struct reader *reader,
		    const struct twheel_event *event);

/* readers.c */
enum verdict op_reader(struct session *s, const struct op *op);
enum verdict op_close(struct session *s, const struct op *op);
enum verdict op_shutdown(struct session *s, const struct op *op);
/* Another reader.  0, or -errno. */
int reader_make(const struct session *s, __u32 flags, struct reader *reader);
/* NULL: the script has no reader with this number. */
const struct reader *reader_find(const struct session *s, __u64 number);
/* The one that --reader names, or the opener; NULL: reported as op_failed(). */
const struct reader *reader_of(const struct session *s, const struct op *op,
			       enum verdict *verdict);
/* Closes all but the opener. */
void readers_leave(struct session *s);

/* list.c */
enum verdict op_list(struct session *s, const struct op *op);
enum verdict op_dead(struct session *s, const struct op *op);
/* Prints those that are dead.  0, or -errno. */
int dead_show(const struct session *s);

/* settings.c */
enum verdict op_setup(struct session *s, const struct op *op);
enum verdict op_info(struct session *s, const struct op *op);
void info_show(const struct cli *cli, const struct twheel_info *info);

/* books.c */
bool stats_balanced(const struct twheel_stats *stats);

/* counters.c */
enum verdict op_stats(struct session *s, const struct op *op);
/* Prints the counters; false: the books do not balance. */
bool stats_show(const struct session *s, const struct twheel_stats *stats);
int stats_get(const struct session *s, struct twheel_stats *stats);
/* Of the reader @number: 0, -ENOENT, or another -errno. */
int stats_get_reader(const struct session *s, __u32 number,
		     struct twheel_stats *stats);

#endif /* TWHEEL_CLI_SESSION_H */
