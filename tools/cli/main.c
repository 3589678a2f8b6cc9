// SPDX-License-Identifier: GPL-2.0
/* twheel - timers by ID from the command line */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

static const struct command *const commands[] = {
	&run_command,
	&watch_command,
	&stats_command,
	&dead_command,
	&info_command,
};

static const char help[] =
	"Usage: twheel [--device PATH] [--json] COMMAND [ARGUMENT]...\n"
	"Start, reset, stop and watch timers of the twheel kernel module.\n"
	"\n"
	"Commands:\n"
	"  run SCRIPT|-     carry out the operations of a script\n"
	"  watch SCRIPT|-   carry out a script, then print expiries as they come\n"
	"  stats            counters of all instances of all processes\n"
	"  dead             expiries that nobody acknowledged in time, of all processes\n"
	"  info             limits and settings of the device\n"
	"'twheel COMMAND --help' says more about each.\n";

static const char help_common[] =
	"\n"
	"Options of every command:\n"
	"  --device PATH    device to open instead of " DEVICE_PATH "\n"
	"  --json           one JSON object a line\n"
	"  --help           this text\n"
	"  --version        version of this program\n"
	"\n"
	"Exit status:\n"
	"  0    everything succeeded\n"
	"  1    an operation failed, or the output could not be written\n"
	"  2    the command line or the script is wrong\n"
	"  3    the device is missing, not accessible, or not a twheel\n"
	"  130  Ctrl-C ended a script (128 + number of the signal)\n";

enum {
	COMMON_DEVICE = 256,	/* above the values of the commands' options */
	COMMON_JSON,
	COMMON_HELP,
	COMMON_VERSION,
};

static const struct option common[] = {
	{ "device",	required_argument,	NULL, COMMON_DEVICE },
	{ "json",	no_argument,		NULL, COMMON_JSON },
	{ "help",	no_argument,		NULL, COMMON_HELP },
	{ "version",	no_argument,		NULL, COMMON_VERSION },
};

#define OWN_OPTIONS_MAX	8

/* The options of a command and the common ones in one table. */
static void join_options(struct option *all, const struct option *own)
{
	size_t nr = 0;

	for (; own && own->name && nr < OWN_OPTIONS_MAX; own++)
		all[nr++] = *own;
	memcpy(all + nr, common, sizeof(common));
	all[nr + ARRAY_SIZE(common)] = (struct option){ 0 };
}

static void exit_after_output(void)
{
	exit(output_flush() ? EXIT_FAILED : EXIT_DONE);
}

int next_option(struct cli *cli, const struct command *command,
		const struct option *own, int argc, char **argv)
{
	struct option all[OWN_OPTIONS_MAX + ARRAY_SIZE(common) + 1];
	const char *order = command ? "" : "+";
	int option;

	join_options(all, own);
	for (;;) {
		option = getopt_long(argc, argv, order, all, NULL);
		switch (option) {
		case COMMON_DEVICE:
			cli->device = optarg;
			break;
		case COMMON_JSON:
			cli->json = true;
			break;
		case COMMON_HELP:
			printf("%s%s", command ? command->help : help,
			       help_common);
			exit_after_output();
			break;
		case COMMON_VERSION:
			puts("twheel " TWHEEL_VERSION);
			exit_after_output();
			break;
		case OPTION_BAD:
			/* getopt_long() has said what is wrong. */
			usage_hint(command);
			return OPTION_BAD;
		default:
			return option;
		}
	}
}

/*
 * The device must not get the number of a standard stream that is closed.
 * The wrong way round, so that using one is an error all the same.
 */
static void reserve_standard_streams(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", modes[fd]) != fd)
			exit(EXIT_FAILED);
	}
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	return NULL;
}

/* A reader of ours that has gone away is no reason to complain. */
static int end_output(int code)
{
	int err = output_flush();

	if (!err)
		return code;
	if (err != -EPIPE && err != -EINTR)
		fprintf(stderr, "twheel: cannot write the output: %s\n",
			strerror(-err));
	return code ? code : EXIT_FAILED;
}

int main(int argc, char **argv)
{
	struct cli cli = { .device = DEVICE_PATH };
	const struct command *command;

	reserve_standard_streams();
	signal(SIGPIPE, SIG_IGN);
	argv[0] = "twheel";
	if (next_option(&cli, NULL, NULL, argc, argv) != -1)
		return EXIT_USAGE;
	if (optind == argc)
		return usage_error(NULL, "a command is missing");
	command = find_command(argv[optind]);
	if (!command)
		return usage_error(NULL,
				   "'%s' is not a command; there are run, watch, stats, dead and info",
				   argv[optind]);
	argc -= optind;
	argv += optind;
	argv[0] = "twheel";
	optind = 0;
	return end_output(command->main(&cli, argc, argv));
}
