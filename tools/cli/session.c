// SPDX-License-Identifier: GPL-2.0
/* The open device of a script, and its scale of time. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

void session_end(struct session *s)
{
	readers_leave(s);
	delivery_forget(s);
	words_unmap(s);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

int session_info(struct session *s)
{
	struct twheel_info info;
	int err = twheel_info(s->fd, &info, sizeof(info));

	if (err)
		return err;
	s->info = info;
	s->readers[0] = (struct reader){ .fd = s->fd, .number = info.reader };
	return 0;
}

/* Where the readers are others. */
static int leave_readers_to_others(struct session *s)
{
	struct twheel_setup setup = { .flags = TWHEEL_CONTROL };
	int err = twheel_setup(s->fd, &setup, sizeof(setup));

	return err ? err : session_info(s);
}

bool session_open(struct session *s)
{
	int err = 0;

	if (s->fd >= 0)
		return true;
	s->fd = device_open(s->cli->device, &s->info);
	if (s->fd < 0) {
		session_stop(s, EXIT_DEVICE);
		return false;
	}
	s->readers[0] = (struct reader){ .fd = s->fd, .number = s->info.reader };
	s->nr_readers = 1;
	if (s->control)
		err = leave_readers_to_others(s);
	if (!err)
		return true;
	fprintf(stderr,
		"twheel: %s cannot be shared by readers: %s\nThe module is older than this program.\n",
		s->cli->device, strerror(-err));
	session_stop(s, EXIT_FAILED);
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
