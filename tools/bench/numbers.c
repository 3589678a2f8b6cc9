// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "numbers.h"

#define NUMBERS_MAX	4

static void take(const struct number *number, const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || !value || value > number->most)
		errx(2, "--%s %s: 1 to %lu", number->name, text, number->most);
	*number->value = value;
}

void parse_numbers(int argc, char **argv, const struct number *numbers, const char *help)
{
	struct option options[NUMBERS_MAX + 2] = { { "help", no_argument, NULL, 'h' } };
	int c, i, at;

	for (i = 0; i < NUMBERS_MAX && numbers[i].name; i++)
		options[i + 1] = (struct option){ numbers[i].name, required_argument, NULL, 'n' };
	while ((c = getopt_long(argc, argv, "h", options, &at)) != -1) {
		switch (c) {
		case 'n':
			take(&numbers[at - 1], optarg);
			break;
		case 'h':
			fputs(help, stdout);
			exit(0);
		default:
			fputs(help, stderr);
			exit(2);
		}
	}
	if (optind < argc)
		errx(2, "'%s': see --help", argv[optind]);
}
