// SPDX-License-Identifier: GPL-2.0
/*
 * twheel dead: the dead expiries of other processes
 *
 * An instance can be reached through its descriptors only, so one of them is
 * borrowed with pidfd_getfd(2), as a debugger could.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "calls.h"
#include "list.h"
#include "search.h"
#include "session.h"

static const char help[] =
	"Usage: twheel dead [list] [--pid PID [--fd FD]] [OPTION]...\n"
	"       twheel dead read|discard|revive --pid PID [--fd FD] [--after D]\n"
	"                   ID...|--all\n"
	"List the dead expiries of instances of other processes, or do something about\n"
	"them.  You have to be allowed to trace the process, as its user or root.  What\n"
	"several descriptors share (readers, dup, fork) is listed once for each.\n"
	"\n"
	"  list             what is dead; this is the default\n"
	"  read             print the expiries as they would be read; they stay dead\n"
	"  discard          print them, and acknowledge each: that is the end of it\n"
	"  revive           run their timers again, with the timeout that they had\n"
	"\n"
	"  --pid PID        only this process\n"
	"  --fd FD          only this descriptor of it\n"
	"  --all            all that are dead, instead of IDs\n"
	"  --after D        revive: a new timeout\n";

enum action {
	DEAD_LIST,
	DEAD_READ,
	DEAD_DISCARD,
	DEAD_REVIVE,
	NR_ACTIONS,
};

static const char *const actions[NR_ACTIONS] = {
	"list", "read", "discard", "revive",
};

struct wanted {
	__u64 id;
	bool found;
};

struct dead {
	struct search search;
	enum action action;
	bool all;
	__u64 after;		/* NO_TIME: as before */
	struct wanted *wanted;
	unsigned int nr_wanted;
	int status;
};

#define NO_TIME		(~0ULL)

/* Whether the command is about this timer. */
static bool choose(struct dead *dead, __u64 id)
{
	bool chosen = dead->all;
	unsigned int i;

	for (i = 0; i < dead->nr_wanted; i++) {
		if (dead->wanted[i].id != id)
			continue;
		dead->wanted[i].found = true;
		chosen = true;
	}
	return chosen;
}

static void fail(struct dead *dead, const struct session *s, const char *what,
		 int err)
{
	fprintf(stderr, "twheel: %s: cannot %s: %s\n", s->script, what,
		strerror(-err));
	dead->status = EXIT_FAILED;
}

static void list(struct dead *dead, struct session *s)
{
	const struct op op = { .code = OP_DEAD };

	if (op_dead(s, &op) != VERDICT_OK)
		dead->status = EXIT_FAILED;
}

/* 0, or -errno. */
static int take(struct dead *dead, struct session *s,
		const struct reader *reader, const struct twheel_event *event)
{
	int err;

	if (!choose(dead, event->id))
		return 0;
	event_show(s, reader, event);
	err = session_flush();
	if (err || dead->action == DEAD_READ)
		return err;
	return delivery_finish(s, reader, event);
}

/*
 * As a reader of dead expiries.  What is not acknowledged is dead as before
 * when the reader leaves.  One with a very short lease comes again and again,
 * hence the limit.
 */
static void read_dead(struct dead *dead, struct session *s)
{
	struct twheel_event event;
	struct twheel_stats stats;
	struct reader reader;
	int err;

	err = stats_get(s, &stats);
	if (!err)
		err = reader_make(s, TWHEEL_READER_DEAD, &reader);
	if (err) {
		fail(dead, s, "read dead expiries", err);
		return;
	}
	for (; stats.dead && !err; stats.dead--) {
		if (twheel_read(reader.fd, &event, 1) != 1)
			break;
		err = take(dead, s, &reader, &event);
	}
	close(reader.fd);
	if (err && err != -EPIPE)
		fail(dead, s, "go on", err);
	if (s->tally.too_late)
		dead->status = EXIT_FAILED;
}

/* The IDs of those that are dead and wanted. */
struct chosen {
	struct dead *dead;
	__u64 *ids;
	unsigned int nr;
	int err;
};

static void collect(const struct twheel_list_entry *entry, void *arg)
{
	struct chosen *chosen = arg;
	__u64 *ids;

	if (entry->state != TWHEEL_DEAD || !choose(chosen->dead, entry->id))
		return;
	ids = reallocarray(chosen->ids, chosen->nr + 1, sizeof(*ids));
	if (!ids) {
		chosen->err = -ENOMEM;
		return;
	}
	ids[chosen->nr++] = entry->id;
	chosen->ids = ids;
}

/* Not while they are listed, for they might come up once more. */
static void revive(struct dead *dead, struct session *s)
{
	struct chosen chosen = { .dead = dead };
	int err = entries_walk(s->fd, collect, &chosen);
	unsigned int i;

	for (i = 0; i < chosen.nr; i++) {
		struct op op = { .code = OP_RESET, .operand = chosen.ids[i] };

		if (dead->after != NO_TIME) {
			op.given = 1U << OPT_AFTER;
			op.value[OPT_AFTER] = dead->after;
		}
		if (op_reset(s, &op) != VERDICT_OK)
			dead->status = EXIT_FAILED;
	}
	free(chosen.ids);
	if (err || chosen.err)
		fail(dead, s, "list all timers", err ? err : chosen.err);
}

static void act(struct dead *dead, struct session *s)
{
	switch (dead->action) {
	case DEAD_READ:
	case DEAD_DISCARD:
		read_dead(dead, s);
		break;
	case DEAD_REVIVE:
		revive(dead, s);
		break;
	default:
		list(dead, s);
	}
}

static void head(const struct cli *cli, int pid, int fd)
{
	char comm[64];

	comm_of(pid, comm, sizeof(comm));
	if (!cli->json) {
		printf("process %d (%s), descriptor %d\n", pid, comm, fd);
		return;
	}
	json_begin("descriptor");
	json_u64("pid", pid);
	json_string("comm", comm);
	json_u64("fd", fd);
	json_end();
}

/* A duplicate of a descriptor of another process, or -errno. */
static int borrow(int pid, int fd)
{
	int pidfd = pidfd_open(pid, 0);
	int ours, err;

	if (pidfd < 0)
		return -errno;
	ours = pidfd_getfd(pidfd, fd, 0);
	err = errno;
	close(pidfd);
	return ours < 0 ? -err : ours;
}

static bool look(struct search *search, int pid, int fd)
{
	struct dead *dead = search->arg;
	struct session s;
	char name[64];

	snprintf(name, sizeof(name), "process %d, descriptor %d", pid, fd);
	session_begin(&s, search->cli, name);
	s.fd = borrow(pid, fd);
	if (s.fd < 0) {
		search->denied += s.fd == -EPERM || s.fd == -EACCES;
		return false;
	}
	/* It may be another one by now. */
	if (session_info(&s)) {
		session_end(&s);
		return false;
	}
	s.nr_readers = 1;
	head(search->cli, pid, fd);
	/* Elsewhere nothing is dead, and no reader can ask for it. */
	if (s.info.delivery == TWHEEL_AT_LEAST_ONCE ||
	    dead->action == DEAD_LIST)
		act(dead, &s);
	session_end(&s);
	return true;
}

static bool parse_options(struct dead *dead, int argc, char **argv)
{
	enum { PID = 1, FD, ALL, AFTER };
	static const struct option options[] = {
		{ "pid", required_argument, NULL, PID },
		{ "fd", required_argument, NULL, FD },
		{ "all", no_argument, NULL, ALL },
		{ "after", required_argument, NULL, AFTER },
		{ 0 },
	};
	struct search *search = &dead->search;
	const struct command *command = &dead_command;
	bool good = true;
	struct why why;
	int option;

	while (good && (option = next_option(search->cli, command, options,
					     argc, argv)) != -1) {
		good = option != OPTION_BAD;
		if (option == PID)
			good = search_number(command, "process", &search->pid);
		else if (option == FD)
			good = search_number(command, "descriptor", &search->fd);
		else if (option == ALL)
			dead->all = true;
		else if (option == AFTER &&
			 duration_parse(optarg, &dead->after, &why))
			good = !usage_error(command, "%s", why.text);
	}
	return good;
}

static bool parse_action(struct dead *dead, const char *word)
{
	unsigned int i;

	for (i = 0; i < NR_ACTIONS; i++) {
		if (strcmp(actions[i], word))
			continue;
		dead->action = i;
		return true;
	}
	usage_error(&dead_command,
		    "'%s' is not an action; there are list, read, discard and revive", word);
	return false;
}

static bool parse_ids(struct dead *dead, char **words, int nr)
{
	struct why why;

	dead->wanted = calloc(nr + 1, sizeof(*dead->wanted));
	if (!dead->wanted)
		return false;
	for (; dead->nr_wanted < (unsigned int)nr; dead->nr_wanted++) {
		struct wanted *wanted = &dead->wanted[dead->nr_wanted];

		if (!number_parse(words[dead->nr_wanted], &wanted->id, &why))
			continue;
		usage_error(&dead_command, "%s", why.text);
		return false;
	}
	return true;
}

/* What is wrong with the command line as a whole, or NULL. */
static const char *contradiction(const struct dead *dead)
{
	const struct search *search = &dead->search;

	if (search->fd != SEARCH_ANY && search->pid == SEARCH_ANY)
		return "--fd needs --pid";
	if (dead->after != NO_TIME && dead->action != DEAD_REVIVE)
		return "--after goes with revive only";
	if (dead->action == DEAD_LIST && (dead->all || dead->nr_wanted))
		return "list takes neither IDs nor --all; it shows all that are dead";
	if (dead->action == DEAD_LIST)
		return NULL;
	if (search->pid == SEARCH_ANY)
		return "this needs the process: --pid PID; list shows them";
	if (dead->all == !!dead->nr_wanted)
		return "this needs either the IDs of timers or --all";
	return NULL;
}

static bool parse(struct dead *dead, int argc, char **argv)
{
	const char *wrong;

	if (!parse_options(dead, argc, argv))
		return false;
	argv += optind;
	argc -= optind;
	if (argc && !parse_action(dead, argv[0]))
		return false;
	if (!parse_ids(dead, argv + 1, argc ? argc - 1 : 0))
		return false;
	wrong = contradiction(dead);
	if (wrong)
		usage_error(&dead_command, "%s", wrong);
	return !wrong;
}

static void not_found(struct dead *dead)
{
	unsigned int i;

	for (i = 0; i < dead->nr_wanted; i++) {
		if (dead->wanted[i].found)
			continue;
		fprintf(stderr, "twheel: process %d has no dead timer %llu, or no longer\n",
			dead->search.pid, dead->wanted[i].id);
		dead->status = EXIT_FAILED;
	}
}

static int dead_main(struct cli *cli, int argc, char **argv)
{
	struct dead dead = {
		.search = {
			.cli = cli,
			.pid = SEARCH_ANY,
			.fd = SEARCH_ANY,
			.look = look,
			.arg = &dead,
		},
		.after = NO_TIME,
	};
	int code = EXIT_USAGE;

	if (parse(&dead, argc, argv))
		code = search_run(&dead.search);
	if (!code) {
		not_found(&dead);
		code = dead.status;
	}
	free(dead.wanted);
	return code;
}

const struct command dead_command = { "dead", help, dead_main };
