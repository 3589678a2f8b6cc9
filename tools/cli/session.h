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
	__u64 late_min_ns;
	__u64 late_max_ns;
};

struct session {
	const struct cli *cli;
	const char *script;
	unsigned int line;
	bool keep_going;
	int fd;			/* -1: no operation has needed it yet */
	struct twheel_info info;
	__u64 began_monotonic;
	__u64 began_boottime;
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
/* Opens the device if it is not open.  False: reported, session.stop is set. */
bool session_open(struct session *s);
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

/* explain.c */
void explain(const struct session *s, const struct op *op, int err,
	     struct why *why);

/* events.c */
enum verdict op_read(struct session *s, const struct op *op);
/*
 * Reads what is ready, at most @max events, and prints it.  How many, or
 * -errno.
 */
int events_take(struct session *s, __u64 max);

/* settings.c */
enum verdict op_setup(struct session *s, const struct op *op);
enum verdict op_info(struct session *s, const struct op *op);
enum verdict op_stats(struct session *s, const struct op *op);
void info_show(const struct cli *cli, const struct twheel_info *info);
/* Prints the counters; false: the books do not balance. */
bool stats_show(const struct session *s, const struct twheel_stats *stats);
int stats_get(const struct session *s, struct twheel_stats *stats);

#endif /* TWHEEL_CLI_SESSION_H */
