// SPDX-License-Identifier: GPL-2.0
/* twheel watch: carry out a script, then print expiries as they come */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "group.h"

static const char help[] =
	"Usage: twheel watch [--group N] [--ack] [--count N] [--for D] [OPTION]...\n"
	"                    SCRIPT|-\n"
	"Carry out SCRIPT as run does, then print expiries as they come, until Ctrl-C or\n"
	"until no timer is left.  A summary ends the output.  Timers can be reached only\n"
	"through the open file that they were started on: this is why there is a script.\n"
	"\n"
	"  --group N        read in N processes, each with a reader of its own; the script\n"
	"                   itself has none, as with setup --control\n"
	"  --ack            acknowledge each expiry once it is printed; the script has to\n"
	"                   say setup --delivery at-least-once.  Without --ack, such\n"
	"                   expiries come again when their lease is over\n"
	"  --count N        end after N expiries (those that the script reads not counted)\n"
	"  --for D          end after a duration such as 10s\n"
	"  --keep-going     go on after a line of the script that is wrong or fails\n"
	"\n"
	"Exit status: 0 however the watching ended, Ctrl-C and killed readers included; 1\n"
	"if books do not balance.\n";

/* How often to look at what nobody tells us: that the last timer is dead. */
#define LOOK_NS		100000000ULL

struct watch {
	__u64 max;
	__u64 duration;
	__u64 until;
	__u64 group;		/* 0: we are the reader */
	bool ack;
	bool keep_going;
};

static bool parse_value(int (*parse)(const char *text, __u64 *value,
				     struct why *why), __u64 *value)
{
	struct why why;

	if (!parse(optarg, value, &why))
		return true;
	usage_error(&watch_command, "%s", why.text);
	return false;
}

static bool parse_group(__u64 *group)
{
	if (!parse_value(number_parse, group))
		return false;
	if (*group && *group <= TWHEEL_READERS_MAX)
		return true;
	usage_error(&watch_command, "a group of %s is not between 1 and %d",
		    optarg, TWHEEL_READERS_MAX);
	return false;
}

enum { COUNT = 1, FOR, GROUP, ACK, KEEP_GOING };

static bool parse_option(struct watch *watch, int option)
{
	switch (option) {
	case COUNT:
		return parse_value(number_parse, &watch->max);
	case FOR:
		return parse_value(duration_parse, &watch->duration);
	case GROUP:
		return parse_group(&watch->group);
	case ACK:
		watch->ack = true;
		return true;
	case KEEP_GOING:
		watch->keep_going = true;
		return true;
	default:
		return false;
	}
}

static bool parse_options(struct cli *cli, struct watch *watch, int argc,
			  char **argv)
{
	static const struct option options[] = {
		{ "count", required_argument, NULL, COUNT },
		{ "for", required_argument, NULL, FOR },
		{ "group", required_argument, NULL, GROUP },
		{ "ack", no_argument, NULL, ACK },
		{ "keep-going", no_argument, NULL, KEEP_GOING },
		{ 0 },
	};
	int option;

	while ((option = next_option(cli, &watch_command, options, argc,
				     argv)) != -1) {
		if (!parse_option(watch, option))
			return false;
	}
	return true;
}

/* Nobody else can start a timer here, so without one nothing will come. */
static bool timers_left(const struct session *s)
{
	struct twheel_stats stats;

	return !stats_get(s, &stats) &&
	       (stats.timers > stats.dead || stats.waiting);
}

/* 1: readable; 0: not yet, look again; or -errno. */
static int watch_wait(const struct session *s, int fd, __u64 until)
{
	__u64 look = wait_end(LOOK_NS);

	/* Without leases, no timer goes but by what we read. */
	if (fd >= 0 && s->info.delivery == TWHEEL_AT_MOST_ONCE)
		look = until;
	return wait_until(fd, look < until ? look : until);
}

/* Why it ends although nothing is wrong, or NULL. */
static const char *watch_end(const struct session *s, const struct watch *watch)
{
	if (!timers_left(s))
		return "no timer is left";
	if (clock_now(CLOCK_MONOTONIC) >= watch->until)
		return "time is up";
	return NULL;
}

static const char *end_by_error(int *err, int ret)
{
	if (ret == -EINTR && signal_caught())
		return "interrupted";
	if (ret == -ESHUTDOWN)
		return "the instance was shut down";
	*err = ret;
	return NULL;
}

/* Why it ended, or NULL and *err. */
static const char *watch_alone(struct session *s, const struct watch *watch,
			       int *err)
{
	const struct reader *reader = &s->readers[0];
	const char *reason = NULL;
	__u64 max = watch->max;
	int ret;

	while (max && !reason) {
		ret = events_take(s, reader, max);
		if (ret > 0) {
			max -= ret;
			continue;
		}
		if (!ret)
			reason = watch_end(s, watch);
		if (!ret && !reason)
			ret = watch_wait(s, reader->fd, watch->until);
		if (ret < 0)
			return end_by_error(err, ret);
	}
	return reason ? reason : "count reached";
}

static const char *watch_members(struct session *s, const struct watch *watch,
				 struct group *group, int *err)
{
	const char *reason = NULL;
	int ret;

	while (!reason) {
		group_look(s, group);
		ret = session_flush();
		if (!ret)
			ret = watch_wait(s, -1, watch->until);
		if (ret < 0)
			return end_by_error(err, ret);
		if (group_events(group) >= watch->max)
			reason = "count reached";
		else if (!group->running)
			reason = "no reader is left";
		else
			reason = watch_end(s, watch);
	}
	return reason;
}

static void summary_json(const struct tally *tally, const char *reason)
{
	json_begin("summary");
	json_string("reason", reason);
	json_u64("events", tally->events);
	json_u64("expirations", tally->expirations);
	json_u64("dropped", tally->dropped);
	json_u64("again", tally->again);
	json_u64("acknowledged", tally->acknowledged);
	json_u64("too_late", tally->too_late);
	json_u64("late_min_ns", tally->late_min_ns);
	json_u64("late_max_ns", tally->late_max_ns);
	json_end();
}

static void summary_lines(const struct session *s, const char *reason)
{
	const struct tally *tally = &s->tally;

	session_stamp(s, "end");
	printf("%s; events %llu, expirations %llu, dropped %llu", reason,
	       tally->events, tally->expirations, tally->dropped);
	if (s->info.delivery == TWHEEL_AT_LEAST_ONCE)
		printf(", again %llu, acknowledged %llu, too late %llu",
		       tally->again, tally->acknowledged, tally->too_late);
	if (tally->events)
		printf(", %s to %s late", duration_text(tally->late_min_ns).s,
		       duration_text(tally->late_max_ns).s);
	putchar('\n');
}

static int summary(struct session *s, const struct group *group,
		   const char *reason)
{
	struct twheel_stats stats;
	bool good = true;

	/* The signal may have interrupted a write; that one is forgiven. */
	output_forgive();
	if (group)
		good = group_show(s, group);
	if (s->cli->json)
		summary_json(&s->tally, reason);
	else
		summary_lines(s, reason);
	if (stats_get(s, &stats))
		return EXIT_FAILED;
	/* They are gone with us. */
	if (stats.dead && dead_show(s))
		good = false;
	good &= stats_show(s, &stats);
	return good ? EXIT_DONE : EXIT_FAILED;
}

static int stopped(struct session *s, int err)
{
	struct why why;

	if (err == -EINTR || err == -EPIPE) {
		session_stop_error(s, err);
		return s->stop;
	}
	if (err == -EINVAL)
		why_set(&why,
			"the script says setup --control, so this is not a reader; watch with --group");
	else if (err == -ESHUTDOWN)
		why_set(&why,
			"the script has shut the instance down, so no reader can join; watch without --group");
	else
		why_set(&why, "%s", strerror(-err));
	fprintf(stderr, "twheel: cannot watch: %s\n", why.text);
	return EXIT_FAILED;
}

static int watch_one(struct session *s, const struct watch *watch)
{
	int err = 0;
	const char *reason = watch_alone(s, watch, &err);

	return reason ? summary(s, NULL, reason) : stopped(s, err);
}

static int watch_group(struct session *s, const struct watch *watch)
{
	const char *reason = NULL;
	struct group group;
	int err;

	err = group_start(s, &group, watch->group, watch->max);
	if (!err)
		reason = watch_members(s, watch, &group, &err);
	group_end(&group);
	return reason ? summary(s, &group, reason) : stopped(s, err);
}

/* The script is done, and the watching begins.  Exit code. */
static int watch_session(struct session *s, struct watch *watch)
{
	if (!session_open(s))
		return s->stop;
	if (watch->ack && s->info.delivery != TWHEEL_AT_LEAST_ONCE)
		return usage_error(&watch_command,
				   "--ack: nothing is acknowledged in this instance; the script has to say setup --delivery at-least-once --lease D");
	readers_leave(s);
	delivery_forget(s);
	words_unmap(s);
	s->taking = watch->ack ? TAKE_ACK : TAKE_LEAVE;
	watch->until = wait_end(watch->duration);
	return watch->group ? watch_group(s, watch) : watch_one(s, watch);
}

static int watch_main(struct cli *cli, int argc, char **argv)
{
	struct watch watch = { .max = ~0ULL, .duration = ~0ULL };
	struct session s;
	int code, ret;

	if (!parse_options(cli, &watch, argc, argv))
		return EXIT_USAGE;
	if (argc - optind != 1)
		return usage_error(&watch_command,
				   "watch takes one SCRIPT, or - for standard input");

	session_begin(&s, cli, argv[optind]);
	s.keep_going = watch.keep_going;
	s.control = watch.group;
	code = script_run(&s);
	if (!s.stop && (!code || s.keep_going)) {
		ret = watch_session(&s, &watch);
		code = code ? code : ret;
	}
	session_end(&s);
	return code;
}

const struct command watch_command = { "watch", help, watch_main };
