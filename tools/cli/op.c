// SPDX-License-Identifier: GPL-2.0
/* From a line of a script to an operation. */
#include <string.h>

#include "op.h"

#define OPT(name)	(1U << OPT_##name)
#define OPT_TIMES	(OPT(AFTER) | OPT(AT) | OPT(AT_CLOCK))
#define OPT_TOUCH_TIMES	(OPT_TIMES | OPT(AGO))
#define OPT_TICKS	(OPT(TICK_SHIFT) | OPT(TICK))
#define OPT_WHICH_READER (OPT(READER) | OPT(READERS))
#define OPT_DELIVERIES	(OPT(DELIVERY) | OPT(LEASE) | OPT(MAX_ATTEMPTS) | \
			 OPT(DISPATCH) | OPT(STEAL) | OPT(CONTROL))

enum operand {
	OPERAND_NONE,
	OPERAND_ID,
	OPERAND_MAYBE_ID,	/* may be missing */
	OPERAND_READER,
	OPERAND_DURATION,
	OPERAND_COUNT,		/* may be missing */
	OPERAND_TEXT,		/* the rest of the line */
};

static const struct op_kind {
	const char *name;
	const char *usage;
	enum operand operand;
	unsigned int options;
} kinds[NR_OPS] = {
	[OP_START] = {
		"start",
		"start ID --after D|--at TIME [--every D] [--data N] [--exclusive] [--word N]",
		OPERAND_ID, OPT_TIMES | OPT(EVERY) | OPT(DATA) |
			    OPT(EXCLUSIVE) | OPT(WORD),
	},
	[OP_RESET] = {
		"reset", "reset ID [--after D|--at TIME]",
		OPERAND_ID, OPT_TIMES,
	},
	[OP_STOP] = { "stop", "stop ID", OPERAND_ID, 0 },
	[OP_GET] = { "get", "get ID", OPERAND_ID, 0 },
	[OP_TOUCH] = {
		"touch", "touch ID|--word N [--ago D|--after D|--at TIME]",
		OPERAND_MAYBE_ID, OPT_TOUCH_TIMES | OPT(WORD),
	},
	[OP_READ] = {
		"read", "read [N] [--wait D] [--reader R]",
		OPERAND_COUNT, OPT(WAIT) | OPT(READER),
	},
	[OP_DRAIN] = {
		"drain", "drain [N] [--reader R]", OPERAND_COUNT, OPT(READER),
	},
	[OP_ACK] = {
		"ack", "ack [ID] [--reader R] [--token N]",
		OPERAND_MAYBE_ID, OPT(READER) | OPT(TOKEN),
	},
	[OP_REJECT] = {
		"reject", "reject [ID] [--reader R] [--token N]",
		OPERAND_MAYBE_ID, OPT(READER) | OPT(TOKEN),
	},
	[OP_EXTEND] = {
		"extend", "extend [ID] [--lease D] [--reader R] [--token N]",
		OPERAND_MAYBE_ID, OPT(LEASE) | OPT(READER) | OPT(TOKEN),
	},
	[OP_READER] = { "reader", "reader [--dead]", OPERAND_NONE, OPT(DEAD) },
	[OP_CLOSE] = { "close", "close R", OPERAND_READER, 0 },
	[OP_SHUTDOWN] = { "shutdown", "shutdown", OPERAND_NONE, 0 },
	[OP_LIST] = { "list", "list", OPERAND_NONE, 0 },
	[OP_DEAD] = { "dead", "dead", OPERAND_NONE, 0 },
	[OP_SLEEP] = { "sleep", "sleep D", OPERAND_DURATION, 0 },
	[OP_SETUP] = {
		"setup",
		"setup [--tick D|--tick-shift N] [--clock monotonic|boottime] [--queue N] [--overflow hold|drop-newest|drop-oldest] [--max-timers N] [--words N] [--delivery at-most-once|at-least-once] [--lease D] [--max-attempts N] [--dispatch shared|round-robin|by-id|broadcast] [--steal] [--control]",
		OPERAND_NONE, OPT_TICKS | OPT(CLOCK) | OPT(QUEUE) |
			      OPT(OVERFLOW) | OPT(MAX_TIMERS) | OPT(WORDS) |
			      OPT_DELIVERIES,
	},
	[OP_STATS] = {
		"stats", "stats [--reader R|--readers]",
		OPERAND_NONE, OPT_WHICH_READER,
	},
	[OP_INFO] = { "info", "info", OPERAND_NONE, 0 },
	[OP_ECHO] = { "echo", "echo TEXT", OPERAND_TEXT, 0 },
};

const char *op_name(enum op_code code)
{
	return kinds[code].name;
}

bool op_has_id(const struct op *op)
{
	enum operand operand = kinds[op->code].operand;

	return operand == OPERAND_ID ||
	       (operand == OPERAND_MAYBE_ID && op->has_operand);
}

static int fault_at(struct fault *fault, const char *word)
{
	fault->word = word;
	return -1;
}

static int find_option(const struct op_kind *kind, const char *word)
{
	int i;

	for (i = 0; i < NR_OPTIONS; i++) {
		if (kind->options & 1U << i && !strcmp(option_name(i), word))
			return i;
	}
	return -1;
}

static const struct {
	unsigned int options;
	const char *names;
} rivals[] = {
	{ OPT_TIMES, "--after and --at" },
	{ OPT_TOUCH_TIMES, "--ago, --after and --at" },
	{ OPT_TICKS, "--tick and --tick-shift" },
	{ OPT_WHICH_READER, "--reader and --readers" },
};

/* An option may stand once, and only one of those that exclude each other. */
static int option_give(struct op *op, int option, struct fault *fault)
{
	unsigned int bit = 1U << option;
	size_t i;

	if (op->given & bit)
		return why_set(&fault->why, "stands twice");
	for (i = 0; i < ARRAY_SIZE(rivals); i++) {
		if (bit & rivals[i].options && op->given & rivals[i].options)
			return why_set(&fault->why,
				       "%s exclude each other; give one of them",
				       rivals[i].names);
	}
	op->given |= bit;
	return 0;
}

static int option_parse(struct op *op, char *word, char **rest,
			struct fault *fault)
{
	int option = find_option(&kinds[op->code], word);
	const char *value;

	if (option < 0) {
		why_set(&fault->why, "not an option of %s", op_name(op->code));
		return fault_at(fault, word);
	}
	value = option_is_flag(option) ? "" : word_next(rest);
	if (!value) {
		why_set(&fault->why, "the value of %s is missing", word);
		return fault_at(fault, NULL);
	}
	if (option == OPT_AT && *value == '@') {
		option = OPT_AT_CLOCK;
		value++;
	}
	if (option_give(op, option, fault))
		return fault_at(fault, word);
	if (option_value(option, value, &op->value[option], &fault->why))
		return fault_at(fault, value);
	return 0;
}

static int operand_parse(struct op *op, const char *word, struct fault *fault)
{
	const struct op_kind *kind = &kinds[op->code];
	bool duration = kind->operand == OPERAND_DURATION;
	int ret;

	if (kind->operand == OPERAND_NONE || op->has_operand) {
		why_set(&fault->why, "not expected here");
		return fault_at(fault, word);
	}
	ret = duration ? duration_parse(word, &op->operand, &fault->why) :
			 number_parse(word, &op->operand, &fault->why);
	if (ret)
		return fault_at(fault, word);
	op->has_operand = true;
	return 0;
}

static int complete(const struct op *op, struct fault *fault)
{
	const struct op_kind *kind = &kinds[op->code];

	fault->word = NULL;
	if (kind->operand == OPERAND_ID && !op->has_operand)
		return why_set(&fault->why, "the timer ID is missing");
	if (kind->operand == OPERAND_DURATION && !op->has_operand)
		return why_set(&fault->why, "the duration is missing");
	if (kind->operand == OPERAND_READER && !op->has_operand)
		return why_set(&fault->why, "the number of the reader is missing");
	if (op_given(op, OPT_TOKEN) && !op->has_operand)
		return why_set(&fault->why, "--token needs the ID of its timer");
	if (op->code == OP_TOUCH && op->has_operand == op_given(op, OPT_WORD))
		return why_set(&fault->why,
			       "touch needs either the ID of a timer or --word");
	if (op->code == OP_START && !(op->given & OPT_TIMES))
		return why_set(&fault->why, "start needs --after or --at");
	return 1;
}

static int kind_parse(const char *word, struct op *op, struct fault *fault)
{
	int i;

	for (i = 0; i < NR_OPS; i++) {
		if (strcmp(kinds[i].name, word))
			continue;
		op->code = i;
		fault->usage = kinds[i].usage;
		return 0;
	}
	why_set(&fault->why,
		"not an operation; expected start, reset, stop, get, touch, read, drain, ack, reject, extend, reader, close, shutdown, list, dead, sleep, setup, stats, info, echo or expect");
	return fault_at(fault, word);
}

/* "expect ERRNO OPERATION": the operation is to fail. */
static int expect_parse(char **word, char **rest, struct op *op,
			struct fault *fault)
{
	char *name;

	if (strcmp(*word, "expect"))
		return 0;
	fault->usage = "expect ERRNO OPERATION ...";
	name = word_next(rest);
	op->expect = name ? errno_parse(name) : 0;
	if (!op->expect) {
		why_set(&fault->why, "expected the name of an error, such as ENOENT");
		return fault_at(fault, name);
	}
	*word = word_next(rest);
	if (*word)
		return 0;
	why_set(&fault->why, "the operation is missing");
	return fault_at(fault, NULL);
}

int op_parse(char *line, struct op *op, struct fault *fault)
{
	char *rest = line;
	char *word = word_next(&rest);

	*op = (struct op){ 0 };
	*fault = (struct fault){ 0 };
	if (!word)
		return 0;
	if (expect_parse(&word, &rest, op, fault) ||
	    kind_parse(word, op, fault))
		return -1;
	if (kinds[op->code].operand == OPERAND_TEXT) {
		op->text = words_rest(&rest);
		return 1;
	}
	while ((word = word_next(&rest))) {
		int ret = strncmp(word, "--", 2) ?
			  operand_parse(op, word, fault) :
			  option_parse(op, word, &rest, fault);

		if (ret)
			return ret;
	}
	return complete(op, fault);
}
