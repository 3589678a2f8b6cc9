// SPDX-License-Identifier: GPL-2.0
/* The open device of a script, and its scale of time. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "session.h"

void session_begin(struct session *s, const struct cli *cli,
		   const char *script)
{
	*s = (struct session){
		.cli = cli,
		.script = script,
		.fd = -1,
		.began_monotonic = clock_now(CLOCK_MONOTONIC),
		.began_boottime = clock_now(CLOCK_BOOTTIME),
	};
	signals_catch();
}

bool session_open(struct session *s)
{
	if (s->fd >= 0)
		return true;
	s->fd = device_open(s->cli->device, &s->info);
	if (s->fd >= 0)
		return true;
	session_stop(s, EXIT_DEVICE);
	return false;
}

static __u64 began(const struct session *s)
{
	return s->info.clock == CLOCK_BOOTTIME ? s->began_boottime :
						 s->began_monotonic;
}

__u64 session_elapsed(const struct session *s)
{
	return clock_now(CLOCK_MONOTONIC) - s->began_monotonic;
}

__s64 session_offset(const struct session *s, __u64 ns)
{
	return ns - began(s);
}

__u64 session_deadline(const struct session *s, __u64 ns)
{
	__u64 deadline;

	/* The kernel refuses the largest value as it would the true sum. */
	if (__builtin_add_overflow(began(s), ns, &deadline))
		return ~0ULL;
	return deadline;
}

void session_stamp(const struct session *s, const char *name)
{
	__u64 ns = session_elapsed(s);

	printf("%4llu.%06llu  %-6s ", ns / 1000000000, ns / 1000 % 1000000,
	       name);
}

int session_flush(void)
{
	if (!output_flush())
		return 0;
	return signal_caught() ? -EINTR : -EPIPE;
}

enum verdict session_stop(struct session *s, int code)
{
	s->stop = code;
	return VERDICT_STOP;
}

enum verdict session_stop_error(struct session *s, int err)
{
	if (err == -EINTR && signal_caught())
		return session_stop(s, EXIT_SIGNAL + signal_caught());
	/* Of the output; main() reports it. */
	if (err != -EPIPE)
		fprintf(stderr, "twheel: %s:%u: %s\n", s->script, s->line,
			strerror(-err));
	return session_stop(s, EXIT_FAILED);
}
