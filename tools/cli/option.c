// SPDX-License-Identifier: GPL-2.0
/* The options of the operations, and what their values may be. */
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <linux/twheel.h>

#include "op.h"

/* A parser of a value: 0, or -1 with *why set. */
typedef int value_parse_fn(const char *text, __u64 *value, struct why *why);

static int number32_parse(const char *text, __u64 *value, struct why *why)
{
	if (number_parse(text, value, why))
		return -1;
	if (*value > UINT32_MAX)
		return why_set(why, "'%s' is larger than 4294967295", text);
	return 0;
}

/* The largest power of two that is not longer; 0 would mean "the default". */
static int tick_parse(const char *text, __u64 *value, struct why *why)
{
	__u64 ns;

	if (duration_parse(text, &ns, why))
		return -1;
	if (ns < 2)
		return why_set(why, "'%s': a tick is at least 2ns", text);
	*value = 63 - __builtin_clzll(ns);
	return 0;
}

static int clock_parse(const char *text, __u64 *value, struct why *why)
{
	if (!strcmp(text, "monotonic"))
		*value = CLOCK_MONOTONIC;
	else if (!strcmp(text, "boottime"))
		*value = CLOCK_BOOTTIME;
	else
		return why_set(why, "'%s' is not a clock; expected monotonic or boottime",
			       text);
	return 0;
}

static int overflow_parse(const char *text, __u64 *value, struct why *why)
{
	if (!strcmp(text, "hold"))
		*value = TWHEEL_HOLD;
	else if (!strcmp(text, "drop-newest"))
		*value = TWHEEL_DROP_NEWEST;
	else if (!strcmp(text, "drop-oldest"))
		*value = TWHEEL_DROP_OLDEST;
	else
		return why_set(why,
			       "'%s' is not a policy; expected hold, drop-newest or drop-oldest",
			       text);
	return 0;
}

static int delivery_parse(const char *text, __u64 *value, struct why *why)
{
	if (!strcmp(text, "at-most-once"))
		*value = TWHEEL_AT_MOST_ONCE;
	else if (!strcmp(text, "at-least-once"))
		*value = TWHEEL_AT_LEAST_ONCE;
	else
		return why_set(why,
			       "'%s' is not a delivery; expected at-most-once or at-least-once",
			       text);
	return 0;
}

static int dispatch_parse(const char *text, __u64 *value, struct why *why)
{
	if (!strcmp(text, "shared"))
		*value = TWHEEL_SHARED;
	else if (!strcmp(text, "round-robin"))
		*value = TWHEEL_ROUND_ROBIN;
	else if (!strcmp(text, "by-id"))
		*value = TWHEEL_BY_ID;
	else if (!strcmp(text, "broadcast"))
		*value = TWHEEL_BROADCAST;
	else
		return why_set(why,
			       "'%s' is not a dispatch; expected shared, round-robin, by-id or broadcast",
			       text);
	return 0;
}

static const struct option_kind {
	const char *name;
	value_parse_fn *parse;	/* NULL: a flag */
} kinds[NR_OPTIONS] = {
	[OPT_AFTER]	= { "--after",		duration_parse },
	[OPT_AT]	= { "--at",		duration_parse },
	[OPT_AT_CLOCK]	= { "--at @",		duration_parse },
	[OPT_EVERY]	= { "--every",		duration_parse },
	[OPT_DATA]	= { "--data",		number_parse },
	[OPT_EXCLUSIVE]	= { "--exclusive",	NULL },
	[OPT_WORD]	= { "--word",		number32_parse },
	[OPT_AGO]	= { "--ago",		duration_parse },
	[OPT_WAIT]	= { "--wait",		duration_parse },
	[OPT_TICK_SHIFT] = { "--tick-shift",	number32_parse },
	[OPT_TICK]	= { "--tick",		tick_parse },
	[OPT_CLOCK]	= { "--clock",		clock_parse },
	[OPT_QUEUE]	= { "--queue",		number32_parse },
	[OPT_OVERFLOW]	= { "--overflow",	overflow_parse },
	[OPT_MAX_TIMERS] = { "--max-timers",	number_parse },
	[OPT_WORDS]	= { "--words",		number32_parse },
	[OPT_DELIVERY]	= { "--delivery",	delivery_parse },
	[OPT_LEASE]	= { "--lease",		duration_parse },
	[OPT_MAX_ATTEMPTS] = { "--max-attempts", number32_parse },
	[OPT_DISPATCH]	= { "--dispatch",	dispatch_parse },
	[OPT_STEAL]	= { "--steal",		NULL },
	[OPT_CONTROL]	= { "--control",	NULL },
	[OPT_READER]	= { "--reader",		number32_parse },
	[OPT_READERS]	= { "--readers",	NULL },
	[OPT_TOKEN]	= { "--token",		number_parse },
	[OPT_DEAD]	= { "--dead",		NULL },
};

const char *option_name(enum op_option option)
{
	return kinds[option].name;
}

bool option_is_flag(enum op_option option)
{
	return !kinds[option].parse;
}

int option_value(enum op_option option, const char *text, __u64 *value,
		 struct why *why)
{
	if (option_is_flag(option))
		return 0;
	return kinds[option].parse(text, value, why);
}

int errno_parse(const char *name)
{
	int err;

	for (err = 1; err < 4096; err++) {
		const char *known = strerrorname_np(err);

		if (known && !strcmp(known, name))
			return err;
	}
	return 0;
}
