// SPDX-License-Identifier: GPL-2.0
/* twheel watch: carry out a script, then print expiries as they come */
#include <errno.h>

#include "session.h"

static const char help[] =
	"Usage: twheel watch [--count N] [--for D] [OPTION]... SCRIPT|-\n"
	"Carry out SCRIPT as run does, then print expiries as they come, until Ctrl-C or\n"
	"until no timer is left.  A summary ends the output.  Timers can be reached only\n"
	"through the open file that they were started on: this is why there is a script.\n"
	"\n"
	"  --count N        end after N expiries (those that the script reads not counted)\n"
	"  --for D          end after a duration such as 10s\n"
	"  --keep-going     go on after a line of the script that is wrong or fails\n"
	"\n"
	"Exit status: 0 however the watching ended, Ctrl-C included; 1 if the books of\n"
	"the instance do not balance.\n";

struct watch {
	__u64 max;
	__u64 duration;
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

static bool parse_options(struct cli *cli, struct watch *watch, int argc,
			  char **argv)
{
	enum { COUNT = 1, FOR, KEEP_GOING };
	static const struct option options[] = {
		{ "count", required_argument, NULL, COUNT },
		{ "for", required_argument, NULL, FOR },
		{ "keep-going", no_argument, NULL, KEEP_GOING },
		{ 0 },
	};
	int option;

	while ((option = next_option(cli, &watch_command, options, argc,
				     argv)) != -1) {
		bool good = true;

		if (option == COUNT)
			good = parse_value(number_parse, &watch->max);
		else if (option == FOR)
			good = parse_value(duration_parse, &watch->duration);
		else if (option == KEEP_GOING)
			watch->keep_going = true;
		else
			good = false;
		if (!good)
			return false;
	}
	return true;
}

/* Nobody else can start a timer here, so without one nothing will come. */
static bool timers_left(const struct session *s)
{
	struct twheel_stats stats;

	return !stats_get(s, &stats) && stats.timers;
}

/* Why it ended, or NULL and *err. */
static const char *watch_events(struct session *s, __u64 max, __u64 until,
				int *err)
{
	while (max) {
		int ret = events_take(s, &s->readers[0], max);

		if (ret > 0) {
			max -= ret;
			continue;
		}
		if (!ret && !timers_left(s))
			return "no timer is left";
		if (!ret)
			ret = wait_until(s->fd, until);
		if (!ret)
			return "time is up";
		if (ret == -EINTR && signal_caught())
			return "interrupted";
		if (ret < 0) {
			*err = ret;
			return NULL;
		}
	}
	return "count reached";
}

static void summary_json(const struct tally *tally, const char *reason)
{
	json_begin("summary");
	json_string("reason", reason);
	json_u64("events", tally->events);
	json_u64("expirations", tally->expirations);
	json_u64("dropped", tally->dropped);
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
	if (tally->events)
		printf(", %s to %s late", duration_text(tally->late_min_ns).s,
		       duration_text(tally->late_max_ns).s);
	putchar('\n');
}

static int summary(const struct session *s, const char *reason)
{
	struct twheel_stats stats;

	/* The signal may have interrupted a write; that one is forgiven. */
	output_forgive();
	if (s->cli->json)
		summary_json(&s->tally, reason);
	else
		summary_lines(s, reason);
	if (stats_get(s, &stats))
		return EXIT_FAILED;
	return stats_show(s, &stats) ? EXIT_DONE : EXIT_FAILED;
}

static int watch_main(struct cli *cli, int argc, char **argv)
{
	struct watch watch = { .max = ~0ULL, .duration = ~0ULL };
	const char *reason;
	struct session s;
	int err = 0;
	int code;

	if (!parse_options(cli, &watch, argc, argv))
		return EXIT_USAGE;
	if (argc - optind != 1)
		return usage_error(&watch_command,
				   "watch takes one SCRIPT, or - for standard input");

	session_begin(&s, cli, argv[optind]);
	s.keep_going = watch.keep_going;
	code = script_run(&s);
	if (s.stop || (code && !s.keep_going))
		return code;
	if (!session_open(&s))
		return s.stop;

	reason = watch_events(&s, watch.max, wait_end(watch.duration), &err);
	if (!reason) {
		session_stop_error(&s, err);
		return s.stop;
	}
	err = summary(&s, reason);
	return code ? code : err;
}

const struct command watch_command = { "watch", help, watch_main };
