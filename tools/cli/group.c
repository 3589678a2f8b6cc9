// SPDX-License-Identifier: GPL-2.0
/* Processes that share an instance, each with a reader of its own. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "group.h"

/* Members read and print in turn, so that --count is exact and lines are in order. */
static int turn_begin(const struct group *group)
{
	int err = pthread_mutex_lock(&group->shared->turn);

	/* It was killed; what it had is with the others now. */
	if (err == EOWNERDEAD)
		err = pthread_mutex_consistent(&group->shared->turn);
	return -err;
}

static void turn_end(const struct group *group)
{
	pthread_mutex_unlock(&group->shared->turn);
}

/* A mutex that survives its owner. */
static int turn_init(pthread_mutex_t *turn)
{
	pthread_mutexattr_t attr;
	int err;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	err = pthread_mutex_init(turn, &attr);
	pthread_mutexattr_destroy(&attr);
	return -err;
}

__u64 group_events(const struct group *group)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		sum += group->members[i].report->tally.events;
	return sum;
}

/* How many events, or -errno. */
static int member_turn(struct session *s, const struct group *group,
		       const struct member *member)
{
	int ret = turn_begin(group);
	__u64 before;

	if (ret)
		return ret;
	before = group_events(group);
	if (before < group->max)
		ret = events_take(s, &member->reader, group->max - before);
	member->report->tally = s->tally;
	turn_end(group);
	/* The count is reached, and we will be told to end. */
	return before < group->max ? ret : wait_until(-1, WAIT_FOREVER);
}

/* Until a signal or the end of the file.  Exit code. */
static int member_run(struct session *s, const struct group *group,
		      const struct member *member)
{
	int ret;

	do {
		ret = member_turn(s, group, member);
		if (!ret)
			ret = wait_until(member->reader.fd, WAIT_FOREVER);
	} while (ret > 0);
	output_forgive();
	output_flush();
	member->report->has_stats =
		!call_reader_stats(member->reader.fd, member->reader.number,
				   &member->report->stats);
	if (ret == -ESHUTDOWN || (ret == -EINTR && signal_caught()))
		return EXIT_DONE;
	if (ret != -EPIPE)
		fprintf(stderr, "twheel: reader %u: %s\n",
			member->reader.number, strerror(-ret));
	return EXIT_FAILED;
}

/* In the new process: it has this reader, and nothing else of the instance. */
static void member_main(struct session *s, struct group *group,
			const struct member *member, pid_t parent)
{
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	close(s->fd);
	for (i = 0; i < group->nr; i++) {
		if (&group->members[i] != member && !group->members[i].pid)
			close(group->members[i].reader.fd);
	}
	s->fd = member->reader.fd;
	s->tally = (struct tally){ 0 };
	_exit(member_run(s, group, member));
}

static void member_show(const struct session *s, const struct member *member)
{
	if (s->cli->json) {
		json_begin("member");
		json_u64("reader", member->reader.number);
		json_u64("pid", member->pid);
		json_end();
		return;
	}
	session_stamp(s, "join");
	printf("reader %u is process %d\n", member->reader.number, member->pid);
}

static int member_start(struct session *s, struct group *group,
			struct member *member)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid)
		member_main(s, group, member, parent);
	member->pid = pid;
	close(member->reader.fd);
	group->running++;
	return 0;
}

/* All readers are there before the first one reads. */
static int readers_start(struct session *s, struct group *group,
			 unsigned int nr)
{
	int err;

	for (; group->nr < nr; group->nr++) {
		struct member *member = &group->members[group->nr];

		member->report = &group->shared->reports[group->nr];
		err = reader_make(s, 0, &member->reader);
		if (err)
			return err;
	}
	return 0;
}

static int members_start(struct session *s, struct group *group)
{
	unsigned int i;
	int err = turn_begin(group);

	if (err)
		return err;
	/* What we have printed so far is not to be printed by them as well. */
	err = session_flush();
	for (i = 0; i < group->nr && !err; i++)
		err = member_start(s, group, &group->members[i]);
	for (i = 0; i < group->nr && !err; i++)
		member_show(s, &group->members[i]);
	if (!err)
		err = session_flush();
	turn_end(group);
	return err;
}

int group_start(struct session *s, struct group *group, unsigned int nr,
		__u64 max)
{
	int err;

	*group = (struct group){ .max = max };
	s->in_group = true;
	group->shared = mmap(NULL, sizeof(*group->shared),
			     PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (group->shared == MAP_FAILED)
		return -errno;
	err = turn_init(&group->shared->turn);
	if (err)
		return err;
	err = readers_start(s, group, nr);
	return err ? err : members_start(s, group);
}

/* What killed it, or 0. */
static int killed_by(const struct member *member)
{
	return member->gone && WIFSIGNALED(member->status) ?
	       WTERMSIG(member->status) : 0;
}

static const char *signal_text(int signo)
{
	const char *name = sigabbrev_np(signo);

	return name ? name : "?";
}

static void gone_show(const struct session *s, const struct member *member)
{
	if (s->cli->json) {
		json_begin("gone");
		json_u64("time_ns", session_elapsed(s));
		json_u64("reader", member->reader.number);
		json_u64("pid", member->pid);
		json_u64("signal", killed_by(member));
		json_end();
		return;
	}
	session_stamp(s, "gone");
	printf("reader %u, process %d, was killed by SIG%s\n",
	       member->reader.number, member->pid,
	       signal_text(killed_by(member)));
}

static void reap(struct group *group, struct member *member, int flags)
{
	if (!member->pid || member->gone)
		return;
	if (waitpid(member->pid, &member->status, flags) != member->pid)
		return;
	member->gone = true;
	group->running--;
}

void group_look(struct session *s, struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		struct member *member = &group->members[i];

		if (member->gone)
			continue;
		reap(group, member, WNOHANG);
		if (killed_by(member))
			gone_show(s, member);
	}
}

/* One that was stopped has to go on for that. */
static void end(const struct member *member)
{
	kill(member->pid, SIGTERM);
	kill(member->pid, SIGCONT);
}

void group_end(struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		if (group->members[i].pid && !group->members[i].gone)
			end(&group->members[i]);
	}
	for (i = 0; i < group->nr; i++) {
		while (group->members[i].pid && !group->members[i].gone)
			reap(group, &group->members[i], 0);
	}
}

static void work_show(const struct session *s, const struct member *member)
{
	const struct tally *tally = &member->report->tally;
	int signo = killed_by(member);

	if (s->cli->json) {
		json_begin("member_end");
		json_u64("reader", member->reader.number);
		json_u64("pid", member->pid);
		json_u64("events", tally->events);
		json_u64("again", tally->again);
		json_u64("acknowledged", tally->acknowledged);
		json_u64("too_late", tally->too_late);
		if (signo)
			json_u64("signal", signo);
		json_end();
		return;
	}
	session_stamp(s, "end");
	printf("reader %u: events %llu, of these again %llu; acknowledged %llu, too late %llu",
	       member->reader.number, tally->events, tally->again,
	       tally->acknowledged, tally->too_late);
	if (signo)
		printf("; killed by SIG%s", signal_text(signo));
	putchar('\n');
}

bool group_show(struct session *s, const struct group *group)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		const struct member *member = &group->members[i];

		tally_add(&s->tally, &member->report->tally);
		work_show(s, member);
		if (member->report->has_stats)
			good &= stats_show(s, &member->report->stats);
		if (WIFEXITED(member->status))
			good &= WEXITSTATUS(member->status) == EXIT_DONE;
	}
	return good;
}
