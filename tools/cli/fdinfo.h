/* SPDX-License-Identifier: GPL-2.0 */
/* The lines that the module adds to /proc/PID/fdinfo/FD. */
#ifndef TWHEEL_CLI_FDINFO_H
#define TWHEEL_CLI_FDINFO_H

#include "common.h"

#define FIELDS_MAX	96

struct fdinfo {
	unsigned int nr;
	struct field {
		char name[32];		/* without "twheel-" */
		char value[32];
	} fields[FIELDS_MAX];
};

/* Takes a line if it is one of the module's. */
void fdinfo_add_line(struct fdinfo *info, const char *line);
/*
 * Of the counters that begin with @prefix: "" are those of the instance,
 * "reader-" those of the reader.  1: the books balance, 0: they do not, -1: the
 * counters that it takes are not all there.
 */
int fdinfo_balance(const struct fdinfo *info, const char *prefix);
/* Prints a descriptor; false: it is gone, or not one of the module. */
bool fdinfo_show(const struct cli *cli, int pid, int fd);

#endif /* TWHEEL_CLI_FDINFO_H */
