/* SPDX-License-Identifier: GPL-2.0 */
/* Options that are numbers, of the programs beside the driver. */
#ifndef BENCH_NUMBERS_H
#define BENCH_NUMBERS_H

/**
 * struct number - an option --NAME N
 * @name: The option's; NULL ends an array.
 * @value: Where the number goes.
 * @most: It is from 1 to this.
 */
struct number {
	const char *name;
	unsigned long *value;
	unsigned long most;
};

/* With --help it prints @help and exits; with wrong usage it exits with status 2. */
void parse_numbers(int argc, char **argv, const struct number *numbers, const char *help);

#endif /* BENCH_NUMBERS_H */
