// SPDX-License-Identifier: GPL-2.0
/*
 * How long a lock with bottom halves off is held at most: by the function tracer of the
 * kernel, on the lock and the unlock.
 *
 * The time stamp is taken within the call, so that a stretch contains the tracing of one
 * call.  That is measured, and taken off.  A stretch with an interrupt in it is passed over:
 * there are many like it without.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "workload.h"

#define TRACING		"/sys/kernel/tracing/"
#define TURNS		20

static void write_to(const char *file, int flags, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "%s", path);
	close(fd);
}

static void set(const char *file, const char *text)
{
	write_to(file, O_TRUNC, text);
}

static void set_up(void)
{
	set("tracing_on", "0");
	set("trace_clock", "x86-tsc");
	set("buffer_size_kb", "65536");
	set("set_ftrace_filter", "_raw_spin_lock_bh");
	write_to("set_ftrace_filter", O_APPEND, "_raw_spin_unlock_bh");
	set("events/irq_vectors/local_timer_entry/enable", "1");
	set("current_tracer", "function");
}

static void record(void)
{
	set("trace", " ");
	set("tracing_on", "1");
}

/* The tracer stays: what was recorded goes with it. */
static void stop_recording(void)
{
	set("tracing_on", "0");
}

/* ---- what was recorded */

struct stretch {
	unsigned int depth;
	__u64 begin;
	bool interrupted;
	__u64 longest;
	unsigned long calls;
};

static void note(struct stretch *at, __u64 when, const char *what)
{
	__u64 length;

	if (!strcmp(what, "local_timer_entry:")) {
		at->interrupted = true;
	} else if (!strcmp(what, "_raw_spin_lock_bh")) {
		at->calls++;
		if (at->depth++)
			return;
		at->begin = when;
		at->interrupted = false;
	} else if (!strcmp(what, "_raw_spin_unlock_bh") && at->depth) {
		at->calls++;
		if (--at->depth)
			return;
		length = when - at->begin;
		if (length > at->longest && !at->interrupted)
			at->longest = length;
	}
}

/* A line: task, [CPU], flags, time, function. */
static struct stretch recorded(void)
{
	FILE *file = fopen(TRACING "trace", "re");
	struct stretch at = { };
	char line[256], what[64], *rest;
	unsigned long long when;

	if (!file)
		err(1, TRACING "trace");
	while (fgets(line, sizeof(line), file)) {
		rest = strstr(line, "] ");
		if (line[0] != '#' && rest &&
		    sscanf(rest, "] %*s %llu: %63s", &when, what) == 2)
			note(&at, when, what);
	}
	fclose(file);
	return at;
}

/* ---- */

static void start_all(void)
{
	unsigned int i;

	for (i = 0; i < population; i++)
		back_end->start(order[i], timeouts[i]);
	if (back_end->turn)
		back_end->turn();
}

static __u64 turns_of_resets(void)
{
	unsigned int i;
	__u64 begin = bench_now();

	for (i = 0; i < TURNS * BENCH_ROUND; i++)
		back_end->reset(order[i % population], timeouts[i % population]);
	if (back_end->turn)
		back_end->turn();
	return bench_now() - begin;
}

static void stop_and_start(void)
{
	unsigned int i, count = population < BENCH_ROUND * TURNS ? population : BENCH_ROUND * TURNS;

	for (i = 0; i < count; i++)
		back_end->stop(order[i]);
	for (i = 0; i < count; i++)
		back_end->start(order[i], timeouts[i]);
	if (back_end->turn)
		back_end->turn();
}

static void take_all(void)
{
	unsigned int timers[BENCH_ROUND];

	while (back_end->expire(timers, BENCH_ROUND))
		;
}

void measure_locked(void)
{
	__u64 plain, traced, tracing;
	struct stretch at;

	if (strncmp(back_end->name, "twheel", 6)) {
		emit_none("locked", "not of twheel");
		return;
	}
	choose_timeouts(30 * BENCH_SECOND, 1);
	bench_shuffle(order, population);
	start_all();
	plain = turns_of_resets();
	set_up();
	record();
	traced = turns_of_resets();
	stop_recording();
	at = recorded();
	tracing = at.calls ? (traced - plain) / at.calls : 0;

	record();
	turns_of_resets();
	stop_and_start();
	stop_recording();
	emit("locked", at.calls, recorded().longest - tracing, "instructions");

	record();
	bench_sleep_until(bench_now() + 32 * BENCH_SECOND);
	take_all();
	stop_recording();
	emit("locked-expiry", population, recorded().longest - tracing, "instructions");
}
