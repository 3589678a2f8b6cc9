/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What people write and read: durations, numbers, words of a script line.
 * Everything here is pure: no files, no clock, no device.
 */
#ifndef TWHEEL_CLI_TEXT_H
#define TWHEEL_CLI_TEXT_H

#include <stddef.h>
#include <linux/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define __printf(fmt, args)	__attribute__((__format__(__printf__, \
							  fmt, args)))

/* A sentence that says what is wrong with the input. */
struct why {
	char text[256];
};

/* Fills in @why and returns -1, so that a parser can end with it. */
int why_set(struct why *why, const char *format, ...) __printf(2, 3);

/*
 * "250ms", "1.5s", "1h30m": numbers with a unit, the largest unit first, a
 * fraction only in the last.  0, or -1 with *why set.
 */
int duration_parse(const char *text, __u64 *ns, struct why *why);

struct duration_text {
	char s[32];
};

/*
 * The way back: four digits and a unit below one minute, whole seconds above
 * ("249.7ms", "1h30m").  What does not fit is cut off, not rounded.
 */
struct duration_text duration_text(__u64 ns);

/* The same with a sign, for times before the beginning of the script. */
struct duration_text offset_text(__s64 ns);

/* Decimal or 0x, up to U64_MAX.  0, or -1 with *why set. */
int number_parse(const char *text, __u64 *value, struct why *why);

/*
 * Cuts the next word off *rest.  NULL at the end of the line, where a comment
 * counts as the end.  Writes into the line.
 */
char *word_next(char **rest);

/* What is left of the line, without the blanks around it. */
char *words_rest(char **rest);

#endif /* TWHEEL_CLI_TEXT_H */
