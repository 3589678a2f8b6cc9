/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that share an instance, each with a reader of its own.
 *
 * Processes and not threads, so that one can be killed: it is the only one that
 * has its descriptor, and what it had under a lease comes to the others.
 */
#ifndef TWHEEL_CLI_GROUP_H
#define TWHEEL_CLI_GROUP_H

#include <pthread.h>
#include <sys/types.h>

#include "session.h"

/* What a member tells. */
struct report {
	struct tally tally;
	bool has_stats;			/* unless it was killed */
	struct twheel_stats stats;	/* of its reader, when it left */
};

/* Memory of all processes. */
struct shared {
	pthread_mutex_t turn;		/* whose turn it is */
	struct report reports[TWHEEL_READERS_MAX];
};

struct member {
	struct reader reader;		/* the descriptor is closed here */
	pid_t pid;
	bool gone;
	int status;			/* of waitpid() */
	struct report *report;
};

struct group {
	unsigned int nr;
	unsigned int running;
	__u64 max;			/* events, of all together */
	struct shared *shared;
	struct member members[TWHEEL_READERS_MAX];
};

/* Makes the readers and their processes.  0, or -errno; group_end() in any case. */
int group_start(struct session *s, struct group *group, unsigned int nr,
		__u64 max);
/* Notices who has gone. */
void group_look(struct session *s, struct group *group);
__u64 group_events(const struct group *group);
/* Ends those that are still there, and waits for them. */
void group_end(struct group *group);
/*
 * Prints what each has done, and adds it to the tally of the session.  False: a
 * member has failed, or its books do not balance.
 */
bool group_show(struct session *s, const struct group *group);

#endif /* TWHEEL_CLI_GROUP_H */
