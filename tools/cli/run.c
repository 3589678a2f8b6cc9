// SPDX-License-Identifier: GPL-2.0
/* twheel run: carry out a script */
#include "session.h"

static const char help[] =
	"Usage: twheel run [--keep-going] [OPTION]... SCRIPT|-\n"
	"Carry out the operations of SCRIPT, or of standard input, one a line, all on\n"
	"one open device.\n"
	"\n"
	"  --keep-going     go on after a line that is wrong or fails\n"
	"\n"
	"Operations:\n"
	"  start ID --after D|--at TIME [--every D] [--data N] [--exclusive] [--word N]\n"
	"  reset ID [--after D|--at TIME]\n"
	"                   run a timer again from now, with the timeout that it had\n"
	"  stop ID\n"
	"  get ID           look at a timer\n"
	"  touch ID|--word N [--ago D|--after D|--at TIME]\n"
	"                   postpone a timer by a store to its word\n"
	"  read             print the expiries that are ready\n"
	"  read N           wait for N of them\n"
	"  read N --wait D  no longer than D; fewer than N is a failure\n"
	"  read --wait D    print all that comes in D\n"
	"  drain [N]        print what is ready for any reader, without waiting\n"
	"  ack [ID]         acknowledge what was read, or the last expiry of ID\n"
	"  reject [ID]      give it back at once\n"
	"  extend [ID] [--lease D]\n"
	"                   prolong the lease to D from now\n"
	"  reader [--dead]  make another reader, of dead expiries perhaps\n"
	"  close R          reader R leaves\n"
	"  shutdown         no timer expires or is started any more\n"
	"  list, dead       all timers, those that are dead\n"
	"  sleep D\n"
	"  setup [--tick D|--tick-shift N] [--clock monotonic|boottime] [--queue N]\n"
	"        [--overflow hold|drop-newest|drop-oldest] [--max-timers N] [--words N]\n"
	"        [--delivery at-most-once|at-least-once] [--lease D] [--max-attempts N]\n"
	"        [--dispatch shared|round-robin|by-id|broadcast] [--steal] [--control]\n"
	"                   before the first start, reader and touch\n"
	"  stats [--reader R|--readers]\n"
	"                   counters; a failure if the books do not balance\n"
	"  info             limits and settings\n"
	"  echo TEXT        print the rest of the line\n"
	"  expect ERRNO OPERATION ...\n"
	"                   the operation is to fail, with ENOENT for example\n"
	"A # where a word could begin starts a comment.  read, drain, ack, reject and\n"
	"extend take --reader R, the last three --token N too.\n"
	"\n"
	"R:     number of a reader, as reader prints it.\n"
	"ID, N: decimal, or 0x and hexadecimal digits; 0 to 2^64 - 1.\n"
	"D:     250ms, 1.5s, 2m, 1h30m; units d h m s ms us ns.\n"
	"TIME:  since the script began, as D; or @D, a reading of the clock itself.\n";

static int run_main(struct cli *cli, int argc, char **argv)
{
	enum { KEEP_GOING = 1 };
	static const struct option options[] = {
		{ "keep-going", no_argument, NULL, KEEP_GOING },
		{ 0 },
	};
	bool keep_going = false;
	struct session s;
	int option, code;

	while ((option = next_option(cli, &run_command, options, argc,
				     argv)) != -1) {
		if (option == OPTION_BAD)
			return EXIT_USAGE;
		keep_going = true;
	}
	if (argc - optind != 1)
		return usage_error(&run_command, "run takes one SCRIPT, or - for standard input");

	session_begin(&s, cli, argv[optind]);
	s.keep_going = keep_going;
	code = script_run(&s);
	session_end(&s);
	return code;
}

const struct command run_command = { "run", help, run_main };
