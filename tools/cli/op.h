/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One operation of a script.  Parsing is pure; what an operation does is where
 * ops.c points to.
 */
#ifndef TWHEEL_CLI_OP_H
#define TWHEEL_CLI_OP_H

#include <stdbool.h>
#include <linux/types.h>

#include "text.h"

enum op_code {
	OP_START,
	OP_RESET,
	OP_STOP,
	OP_GET,
	OP_TOUCH,
	OP_READ,
	OP_DRAIN,
	OP_ACK,
	OP_REJECT,
	OP_EXTEND,
	OP_READER,
	OP_CLOSE,
	OP_SHUTDOWN,
	OP_LIST,
	OP_DEAD,
	OP_SLEEP,
	OP_SETUP,
	OP_STATS,
	OP_INFO,
	OP_ECHO,
	NR_OPS,
};

enum op_option {
	OPT_AFTER,
	OPT_AT,			/* time since the script began */
	OPT_AT_CLOCK,		/* reading of the clock: "--at @TIME" */
	OPT_EVERY,
	OPT_DATA,
	OPT_EXCLUSIVE,
	OPT_WORD,
	OPT_AGO,		/* before now */
	OPT_WAIT,
	OPT_TICK_SHIFT,
	OPT_TICK,
	OPT_CLOCK,
	OPT_QUEUE,
	OPT_OVERFLOW,
	OPT_MAX_TIMERS,
	OPT_WORDS,
	OPT_DELIVERY,
	OPT_LEASE,
	OPT_MAX_ATTEMPTS,
	OPT_DISPATCH,
	OPT_STEAL,
	OPT_CONTROL,
	OPT_READER,
	OPT_READERS,
	OPT_TOKEN,
	OPT_DEAD,
	NR_OPTIONS,
};

struct op {
	enum op_code code;
	int expect;		/* errno that is to come, 0: success is */
	bool has_operand;
	__u64 operand;		/* ID, count, reader or nanoseconds */
	const char *text;	/* of echo; points into the line */
	unsigned int given;	/* bit per option of enum op_option */
	__u64 value[NR_OPTIONS];
};

/* What is wrong with a line. */
struct fault {
	const char *word;	/* NULL: the end of the line */
	const char *usage;	/* NULL: the operation is not known */
	struct why why;
};

static inline bool op_given(const struct op *op, enum op_option option)
{
	return op->given & 1U << option;
}

const char *option_name(enum op_option option);
/* Whether the option has no value. */
bool option_is_flag(enum op_option option);
/* 0, or -1 with *why set. */
int option_value(enum op_option option, const char *text, __u64 *value,
		 struct why *why);
/* The number of an error name such as ENOENT; 0 if there is none. */
int errno_parse(const char *name);

const char *op_name(enum op_code code);
/* Whether the operation is about one timer. */
bool op_has_id(const struct op *op);

/*
 * Writes into @line, which has to live as long as @op and @fault.  1: *op is
 * set; 0: the line is blank or a comment; -1: *fault is set.
 */
int op_parse(char *line, struct op *op, struct fault *fault);

#endif /* TWHEEL_CLI_OP_H */
