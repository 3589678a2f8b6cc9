/* SPDX-License-Identifier: GPL-2.0 */
/* Descriptors of the device in other processes. */
#ifndef TWHEEL_CLI_SEARCH_H
#define TWHEEL_CLI_SEARCH_H

#include <sys/types.h>

#include "common.h"

#define SEARCH_ANY	(-1)

struct search {
	struct cli *cli;
	int pid;		/* or SEARCH_ANY */
	int fd;			/* or SEARCH_ANY */
	/* What to do with a descriptor; false: it is none of the device. */
	bool (*look)(struct search *search, int pid, int fd);
	void *arg;		/* of look */
	dev_t rdev;		/* of the device */
	unsigned int found;
	unsigned int denied;	/* processes that may not be looked into */
};

/* The value of --pid or --fd; false: reported. */
bool search_number(const struct command *command, const char *what,
		   int *number);
/* Exit code; what was not found is reported. */
int search_run(struct search *search);
/* The name of a process. */
void comm_of(int pid, char *comm, int size);

#endif /* TWHEEL_CLI_SEARCH_H */
