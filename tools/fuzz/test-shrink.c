// SPDX-License-Identifier: GPL-2.0
/* The model and the shrinker against a fake device, whole and with planted faults. */
#include <errno.h>
#include <string.h>

#include "mutate.h"

#define ROUNDS	200

enum fault { WHOLE, SAME_GENERATION, LOST, BOOKS, EARLY, FORGIVING, REMEMBERS };

struct fake_timer {
	bool live, lost;
	__u64 generation, deadline, timeout, interval, data;
};

static enum fault fault;
static __u64 now;
static struct fake_timer timers[FUZZ_IDS];
static struct twheel_stats stats;
static __u64 sequence;

int device_open(void)
{
	memset(timers, 0, sizeof(timers));
	memset(&stats, 0, sizeof(stats));
	sequence = 0;
	return 0;
}

void device_close(int fd)
{
	(void)fd;
}

__u64 device_now(void)
{
	return now;
}

void device_sleep(__u64 ns)
{
	now += ns;
}

static bool expired(const struct fake_timer *t)
{
	return t->live && !t->lost &&
	       now + (fault == EARLY ? 1000000 : 0) >= t->deadline;
}

/* What becomes of an earlier arming. */
static __u32 end(struct fake_timer *t)
{
	if (!t->live)
		return TWHEEL_WAS_FREE;
	if (!expired(t))
		return TWHEEL_STOPPED;
	stats.withdrawn++;
	stats.expired++;
	return TWHEEL_WITHDREW;
}

static int fake_start(struct twheel_start *start)
{
	struct fake_timer *t = &timers[start->id];

	if (start->interval_ns == 1)
		return -EINVAL;
	if (start->flags & TWHEEL_EXCLUSIVE && t->live)
		return -EEXIST;
	start->outcome = end(t);
	stats.started++;
	*t = (struct fake_timer){
		.live = true, .generation = t->generation + 1,
		.timeout = start->time_ns, .deadline = now + start->time_ns,
		.interval = start->interval_ns, .data = start->data,
	};
	start->generation = t->generation;
	start->deadline_ns = t->deadline;
	return 0;
}

static int fake_reset(struct twheel_reset *reset)
{
	struct fake_timer *t = &timers[reset->id];

	if (!t->live)
		return -ENOENT;
	reset->outcome = end(t);
	if (fault != BOOKS || reset->outcome != TWHEEL_WITHDREW)
		stats.reset++;
	if (fault != SAME_GENERATION)
		t->generation++;
	t->lost = fault == LOST;
	if (reset->flags & TWHEEL_NEW_TIMEOUT)
		t->timeout = reset->time_ns;
	t->deadline = now + t->timeout;
	reset->generation = t->generation;
	reset->deadline_ns = t->deadline;
	return 0;
}

static int fake_stop(struct twheel_stop *stop)
{
	struct fake_timer *t = &timers[stop->id];

	if (!t->live)
		return -ENOENT;
	stop->outcome = end(t);
	stop->generation = t->generation;
	stop->data = t->data;
	stats.stopped++;
	t->live = false;
	return 0;
}

static int fake_get(struct twheel_get *get)
{
	struct fake_timer *t = &timers[get->id];

	if (!t->live)
		return -ENOENT;
	get->state = expired(t) ? TWHEEL_QUEUED : TWHEEL_ARMED;
	get->generation = t->generation;
	get->remaining_ns = expired(t) ? 0 : t->deadline - now;
	get->timeout_ns = t->timeout;
	get->interval_ns = t->interval;
	get->data = t->data;
	return 0;
}

static int fake_stats(struct twheel_stats *s)
{
	int id;

	*s = stats;
	for (id = 0; id < FUZZ_IDS; id++) {
		s->timers += timers[id].live;
		s->waiting += expired(&timers[id]);
	}
	s->expired += s->waiting;
	return 0;
}

int device_ioctl(int fd, unsigned int cmd, void *arg)
{
	(void)fd;
	switch (cmd) {
	case TWHEEL_IOC_START:
		return fake_start(arg);
	case TWHEEL_IOC_RESET:
		return fake_reset(arg);
	case TWHEEL_IOC_STOP:
		return fake_stop(arg);
	case TWHEEL_IOC_GET:
		return fake_get(arg);
	default:
		return fake_stats(arg);
	}
}

/* Rejects what the description says, but not all of it when it is forgiving. */
int device_mutated(int fd, const struct mutated_call *call)
{
	(void)fd;
	if (fault == FORGIVING && call->reasons == 1 && call->reason[0] == EOPNOTSUPP)
		return 0;
	if (fault == REMEMBERS && call->cmd == TWHEEL_IOC_STOP)
		stats.stopped++;
	return -call->reason[0];
}

int device_other(struct twheel_setup *setup)
{
	(void)setup;
	return -ENODEV;
}

static void fake_record(struct fake_timer *t, struct twheel_event *e)
{
	*e = (struct twheel_event){
		.id = t - timers, .data = t->data, .generation = t->generation,
		.sequence = ++sequence, .deadline_ns = t->deadline,
		.fired_ns = now, .expirations = 1, .attempt = 1,
	};
	if (t->interval)
		e->expirations += (now - t->deadline) / t->interval;
	t->deadline += e->expirations * t->interval;
	t->live = t->interval;
	stats.expired++;
	stats.delivered++;
}

ssize_t device_read(int fd, struct twheel_event *events, unsigned int room)
{
	unsigned int id, count = 0;

	(void)fd;
	for (id = 0; id < FUZZ_IDS && count < room; id++) {
		if (expired(&timers[id]))
			fake_record(&timers[id], &events[count++]);
	}
	return count ? (ssize_t)count : -EAGAIN;
}

static const char *find(struct fuzz_ops *ops)
{
	struct fuzz_tally tally = { 0 };
	const char *rule = NULL;
	__u64 stream = 1;
	int round;

	for (round = 0; round < ROUNDS && !rule; round++) {
		fuzz_generate(ops, &stream, true);
		rule = fuzz_run(ops, &tally);
	}
	return rule;
}

static bool found_and_short(enum fault planted, unsigned int most)
{
	struct fuzz_ops ops;
	const char *rule;

	fault = planted;
	rule = find(&ops);
	if (!rule || !fuzz_shrink(&ops, rule, 400))
		return false;
	printf("# %s, %u operations\n", rule, ops.count);
	return ops.count <= most;
}

static int verdict(int number, bool passed, const char *name)
{
	printf("%sok %d %s\n", passed ? "" : "not ", number, name);
	return !passed;
}

int main(void)
{
	struct fuzz_ops ops;
	int failed = 0;

	printf("TAP version 13\n1..7\n");
	failed += verdict(1, !find(&ops), "whole device breaks no rule");
	failed += verdict(2, found_and_short(SAME_GENERATION, 2),
			  "generation not raised by reset is found and shrunk");
	failed += verdict(3, found_and_short(LOST, 3),
			  "lost expiry is found and shrunk");
	failed += verdict(4, found_and_short(BOOKS, 4),
			  "wrong count of resets is found and shrunk");
	failed += verdict(5, found_and_short(EARLY, 5),
			  "early expiry is found and shrunk");
	failed += verdict(6, found_and_short(FORGIVING, 1),
			  "unknown flag that is accepted is found and shrunk");
	failed += verdict(7, found_and_short(REMEMBERS, 1),
			  "rejected call that was counted is found and shrunk");
	return failed ? 1 : 0;
}
