/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers on the command line of a random test. */
#ifndef TWHEEL_OPTION_H
#define TWHEEL_OPTION_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static inline unsigned long long option_value(const char *program, const char *option,
					      const char *text, unsigned long long least,
					      unsigned long long most)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (!errno && *text >= '0' && *text <= '9' && !*end && value >= least && value <= most)
		return value;
	fprintf(stderr, "%s: --%s %s: a number from %llu to %llu\n", program, option, text,
		least, most);
	exit(2);
}

#endif /* TWHEEL_OPTION_H */
