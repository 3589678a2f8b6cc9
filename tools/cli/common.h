/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands of twheel share. */
#ifndef TWHEEL_CLI_COMMON_H
#define TWHEEL_CLI_COMMON_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>
#include <twheel.h>

#include "json.h"
#include "text.h"

#define DEVICE_PATH	"/dev/twheel"

/* A caught signal ends a run with 128 + its number. */
enum exit_code {
	EXIT_DONE	= 0,
	EXIT_FAILED	= 1,
	EXIT_USAGE	= 2,
	EXIT_DEVICE	= 3,
	EXIT_SIGNAL	= 128,
};

/* The options that every command takes. */
struct cli {
	const char *device;
	bool json;
};

struct command {
	const char *name;
	const char *help;
	int (*main)(struct cli *cli, int argc, char **argv);
};

extern const struct command run_command;
extern const struct command watch_command;
extern const struct command stats_command;
extern const struct command dead_command;
extern const struct command info_command;

/*
 * The next option of a command line: the .val of one of @own (NULL: there are
 * none), -1 after the last, or OPTION_BAD, which was reported.  The options
 * that every command takes are handled on the way; --help and --version end
 * the program.  @command is NULL before the command is known.
 */
#define OPTION_BAD	'?'

int next_option(struct cli *cli, const struct command *command,
		const struct option *own, int argc, char **argv);

/* Where to read more. */
void usage_hint(const struct command *command);
/* Reports a usage error; returns EXIT_USAGE. */
int usage_error(const struct command *command, const char *format, ...)
	__printf(2, 3);

/* Writes out what was printed.  0, or the -errno of the first failure. */
int output_flush(void);
/* Another try after a failure, which a signal may have caused. */
void output_forgive(void);

/* names.c: what numbers of the interface are called, "unknown" otherwise */
const char *clock_text(__u32 clock);
const char *overflow_text(__u32 overflow);
const char *delivery_text(__u32 delivery);
const char *dispatch_text(__u32 dispatch);
const char *setup_flags_text(__u32 flags);
void setup_flags_json(__u32 flags);
const char *state_text(__u32 state);
const char *outcome_text(__u32 outcome);

/* Reports why the device cannot be used, and what to do. */
void device_explain(const char *path, int err);
/* Opens the device; a negative errno, which was reported, if it cannot be. */
int device_open(const char *path, struct twheel_info *info);

/*
 * Signals and waiting.  SIGINT and SIGTERM are caught, and end a wait even if
 * they came just before it.
 */
#define WAIT_FOREVER	(~0ULL)

void signals_catch(void);
int signal_caught(void);
__u64 clock_now(int clock);

/*
 * Waits until @fd (-1: none) is readable or CLOCK_MONOTONIC has reached
 * @until.  1: readable; 0: time is up; -EINTR: a signal was caught; -EPIPE:
 * nobody reads standard output any more.
 */
int wait_until(int fd, __u64 until);
/* @until for "in @ns from now". */
__u64 wait_end(__u64 ns);

#endif /* TWHEEL_CLI_COMMON_H */
