// SPDX-License-Identifier: GPL-2.0
/* From a line of a script to an operation. */
#include <string.h>

#include "op.h"

#define OPT(name)	(1U << OPT_##name)
#define OPT_TIMES	(OPT(AFTER) | OPT(AT) | OPT(AT_CLOCK))
#define OPT_TICKS	(OPT(TICK_SHIFT) | OPT(TICK))

enum operand {
	OPERAND_NONE,
	OPERAND_ID,
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
		"start", "start ID --after D|--at TIME [--every D] [--data N] [--exclusive]",
		OPERAND_ID, OPT_TIMES | OPT(EVERY) | OPT(DATA) | OPT(EXCLUSIVE),
	},
	[OP_RESET] = {
		"reset", "reset ID [--after D|--at TIME]",
		OPERAND_ID, OPT_TIMES,
	},
	[OP_STOP] = { "stop", "stop ID", OPERAND_ID, 0 },
	[OP_GET] = { "get", "get ID", OPERAND_ID, 0 },
	[OP_READ] = { "read", "read [N] [--wait D]", OPERAND_COUNT, OPT(WAIT) },
	[OP_SLEEP] = { "sleep", "sleep D", OPERAND_DURATION, 0 },
	[OP_SETUP] = {
		"setup",
		"setup [--tick D|--tick-shift N] [--clock monotonic|boottime] [--queue N] [--overflow hold|drop-newest|drop-oldest] [--max-timers N]",
		OPERAND_NONE, OPT_TICKS | OPT(CLOCK) | OPT(QUEUE) |
			      OPT(OVERFLOW) | OPT(MAX_TIMERS),
	},
	[OP_STATS] = { "stats", "stats", OPERAND_NONE, 0 },
	[OP_INFO] = { "info", "info", OPERAND_NONE, 0 },
	[OP_ECHO] = { "echo", "echo TEXT", OPERAND_TEXT, 0 },
};

const char *op_name(enum op_code code)
{
	return kinds[code].name;
}

bool op_has_id(enum op_code code)
{
	return kinds[code].operand == OPERAND_ID;
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

/* An option may stand once, and only one of those that exclude each other. */
static int option_give(struct op *op, int option, struct fault *fault)
{
	unsigned int bit = 1U << option;
	unsigned int rivals = bit;

	if (bit & OPT_TIMES)
		rivals = OPT_TIMES;
	if (bit & OPT_TICKS)
		rivals = OPT_TICKS;
	if (op->given & bit)
		return why_set(&fault->why, "stands twice");
	if (op->given & rivals)
		return why_set(&fault->why, "says the same as %s in another way; give one of them",
			       bit & OPT_TIMES ? "--after or --at" : "--tick or --tick-shift");
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
		"not an operation; expected start, reset, stop, get, read, sleep, setup, stats, info, echo or expect");
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
