// SPDX-License-Identifier: GPL-2.0
/*
 * The model of an instance with TWHEEL_HOLD and TWHEEL_AT_MOST_ONCE.  There a timer
 * is in use until it is stopped or its one expiry is read, so what a call returns
 * does not depend on time; only whether it had expired does, and the model says
 * no more about that than that it must not have been early.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "mutate.h"

/* Only what never comes is lost; an emulated machine can be very late. */
#define PATIENCE_NS	120000000000ULL
#define LONG_NS		3600000000000ULL
#define TOO_SHORT_NS	1

struct timer {
	bool live;
	__u64 generation;	/* the last one, of a free ID as well */
	__u64 deadline;		/* the first that was not reported */
	__u64 timeout;
	__u64 interval;
	__u64 data;
};

struct model {
	int fd;
	struct timer timer[FUZZ_IDS];
	struct fuzz_tally *tally;
	__u64 sequence, started, reset, stopped, delivered, withdrawn;
};

static int call(struct model *m, unsigned int cmd, void *arg)
{
	int ret = device_ioctl(m->fd, cmd, arg);

	m->tally->calls++;
	if (ret)
		m->tally->failed++;
	return ret;
}

static const char *check_earlier(struct model *m, struct timer *t, __u32 outcome)
{
	if (!t->live)
		return outcome == TWHEEL_WAS_FREE ? NULL : "outcome of a free timer";
	if (outcome == TWHEEL_STOPPED)
		return NULL;
	if (outcome != TWHEEL_WITHDREW)
		return "outcome of a timer in use";
	m->withdrawn++;
	return device_now() < t->deadline ? "withdrawn before its deadline" : NULL;
}

static const char *arm(struct timer *t, __u64 generation, __u64 deadline,
		       __u64 before)
{
	if (generation <= t->generation)
		return "generation not raised";
	if (deadline < before + t->timeout || deadline > device_now() + t->timeout)
		return "deadline is not now and the timeout";
	t->generation = generation;
	t->deadline = deadline;
	t->live = true;
	return NULL;
}

/* Which of two errors a start gets when both apply is not documented: @result will do. */
static int start_error(const struct fuzz_op *op, const struct timer *t, int result)
{
	bool in_use = op->exclusive && t->live;

	if (in_use && result == -EEXIST)
		return -EEXIST;
	if (op->interval_ns == TOO_SHORT_NS)
		return -EINVAL;
	return in_use ? -EEXIST : 0;
}

static const char *do_start(struct model *m, struct fuzz_op *op)
{
	struct timer *t = &m->timer[op->id];
	struct twheel_start start = {
		.id = op->id, .time_ns = op->time_ns,
		.interval_ns = op->interval_ns, .data = m->started,
		.flags = op->exclusive ? TWHEEL_EXCLUSIVE : 0,
	};
	__u64 before = device_now();
	int result = call(m, TWHEEL_IOC_START, &start);
	const char *rule;

	op->expect = -start_error(op, t, result);
	if (result != -op->expect)
		return "result of start";
	if (op->expect)
		return NULL;
	rule = check_earlier(m, t, start.outcome);
	if (rule)
		return rule;
	t->timeout = op->time_ns;
	t->interval = op->interval_ns;
	t->data = m->started++;
	return arm(t, start.generation, start.deadline_ns, before);
}

static const char *do_reset(struct model *m, struct fuzz_op *op)
{
	struct timer *t = &m->timer[op->id];
	struct twheel_reset reset = {
		.id = op->id, .time_ns = op->new_timeout ? op->time_ns : 0,
		.flags = op->new_timeout ? TWHEEL_NEW_TIMEOUT : 0,
	};
	__u64 before = device_now();
	const char *rule;

	op->expect = t->live ? 0 : ENOENT;
	if (call(m, TWHEEL_IOC_RESET, &reset) != -op->expect)
		return "result of reset";
	if (op->expect)
		return NULL;
	rule = check_earlier(m, t, reset.outcome);
	if (rule)
		return rule;
	m->reset++;
	if (op->new_timeout)
		t->timeout = op->time_ns;
	return arm(t, reset.generation, reset.deadline_ns, before);
}

static const char *do_stop(struct model *m, struct fuzz_op *op)
{
	struct timer *t = &m->timer[op->id];
	struct twheel_stop stop = { .id = op->id };
	const char *rule;

	op->expect = t->live ? 0 : ENOENT;
	if (call(m, TWHEEL_IOC_STOP, &stop) != -op->expect)
		return "result of stop";
	if (op->expect)
		return NULL;
	rule = check_earlier(m, t, stop.outcome);
	if (rule)
		return rule;
	if (stop.generation != t->generation || stop.data != t->data)
		return "generation or data of stop";
	m->stopped++;
	t->live = false;
	return NULL;
}

static const char *do_get(struct model *m, struct fuzz_op *op)
{
	struct timer *t = &m->timer[op->id];
	struct twheel_get get = { .id = op->id };
	__u64 before = device_now();

	op->expect = t->live ? 0 : ENOENT;
	if (call(m, TWHEEL_IOC_GET, &get) != -op->expect)
		return "result of get";
	if (op->expect)
		return NULL;
	if (get.generation != t->generation || get.data != t->data ||
	    get.interval_ns != t->interval || get.timeout_ns != t->timeout)
		return "settings that get reports";
	if (get.state == TWHEEL_DUE || get.state == TWHEEL_QUEUED)
		return device_now() < t->deadline ? "expired early" : NULL;
	if (get.state != TWHEEL_ARMED)
		return "state that get reports";
	if (!t->interval && before < t->deadline &&
	    get.remaining_ns > t->deadline - before)
		return "remaining time too long";
	return NULL;
}

static const char *check_record(struct model *m, const struct twheel_event *e)
{
	struct timer *t = e->id < FUZZ_IDS ? &m->timer[e->id] : NULL;

	m->tally->records++;
	m->delivered++;
	if (!t || !t->live)
		return "record of a timer that is not in use";
	if (e->generation != t->generation || e->data != t->data)
		return "generation or data of a record";
	if (e->deadline_ns != t->deadline || e->fired_ns < e->deadline_ns ||
	    e->fired_ns > device_now())
		return "times of a record";
	if (e->sequence != ++m->sequence || e->dropped || e->attempt != 1)
		return "sequence of a record";
	if (!e->expirations || (!t->interval && e->expirations != 1))
		return "expirations of a record";
	t->deadline += e->expirations * t->interval;
	t->live = t->interval;
	return NULL;
}

static const char *do_read(struct model *m, struct fuzz_op *op)
{
	struct twheel_event events[FUZZ_IDS];
	ssize_t i, count = device_read(m->fd, events, op->id);
	const char *rule;

	m->tally->calls++;
	op->expect = 0;
	if (count == -EAGAIN)
		return NULL;
	if (count <= 0 || count > (ssize_t)op->id)
		return "result of read";
	for (i = 0; i < count; i++) {
		rule = check_record(m, &events[i]);
		if (rule)
			return rule;
	}
	return NULL;
}

static __u64 live(const struct model *m)
{
	__u64 id, count = 0;

	for (id = 0; id < FUZZ_IDS; id++)
		count += m->timer[id].live;
	return count;
}

static const char *do_stats(struct model *m)
{
	struct twheel_stats s = { .size = sizeof(s) };

	if (call(m, TWHEEL_IOC_STATS, &s))
		return "result of stats";
	if (s.expired != s.delivered + s.withdrawn + s.dropped + s.dead +
	    s.waiting + s.in_flight + s.passed_on)
		return "books do not balance";
	if (s.timers != live(m) || s.started != m->started ||
	    s.reset != m->reset || s.stopped != m->stopped)
		return "counts of timers and calls";
	if (s.delivered != m->delivered || s.withdrawn != m->withdrawn ||
	    s.dropped || s.dead || s.in_flight)
		return "counts of expiries";
	return NULL;
}

/* A call that deserves an error leaves everything as the model has it. */
static const char *do_mutated(struct model *m, const struct fuzz_op *op)
{
	struct mutated_call mutated;
	const char *rule;

	mutated_make(&mutated, op->seed);
	rule = mutated_try(&mutated, m->fd, op->seed, m->tally);
	if (rule || !mutated.reasons)
		return rule;
	return do_stats(m);
}

static const char *do_op(struct model *m, struct fuzz_op *op)
{
	switch (op->kind) {
	case FUZZ_START:
		return do_start(m, op);
	case FUZZ_RESET:
		return do_reset(m, op);
	case FUZZ_STOP:
		return do_stop(m, op);
	case FUZZ_GET:
		return do_get(m, op);
	case FUZZ_READ:
		return do_read(m, op);
	case FUZZ_STATS:
		return do_stats(m);
	case FUZZ_MUTATED:
		return do_mutated(m, op);
	default:
		device_sleep(op->time_ns);
		return NULL;
	}
}

static bool comes_soon(const struct model *m)
{
	int id;

	for (id = 0; id < FUZZ_IDS; id++) {
		const struct timer *t = &m->timer[id];

		if (t->live && !t->interval && t->timeout < LONG_NS)
			return true;
	}
	return false;
}

/* What has a short timeout must come in the end; how late does not matter. */
static const char *do_rest(struct model *m)
{
	__u64 give_up = device_now() + PATIENCE_NS;
	struct fuzz_op op = { .kind = FUZZ_READ, .id = FUZZ_IDS };
	const char *rule;

	while (comes_soon(m)) {
		if (device_now() > give_up)
			return "lost expiry";
		rule = do_read(m, &op);
		if (rule)
			return rule;
		device_sleep(1000000);
	}
	return do_stats(m);
}

const char *fuzz_run(struct fuzz_ops *ops, struct fuzz_tally *tally)
{
	struct model m = { .tally = tally, .fd = device_open() };
	const char *rule = NULL;
	unsigned int i;

	if (m.fd < 0)
		return "result of open";
	for (i = 0; i < ops->count && !rule; i++)
		rule = do_op(&m, &ops->op[i]);
	if (rule)
		ops->count = i;
	else
		rule = do_rest(&m);
	mutated_end();
	device_close(m.fd);
	return rule;
}

__u64 fuzz_draw(__u64 *stream, __u64 below)
{
	__u64 z = (*stream += 0x9e3779b97f4a7c15ULL);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return (z ^ z >> 31) % below;
}

static __u64 draw_interval(__u64 *stream)
{
	switch (fuzz_draw(stream, 8)) {
	case 0:
		return TOO_SHORT_NS;
	case 1:
		return 5000000 + fuzz_draw(stream, 20000000);
	default:
		return 0;
	}
}

void fuzz_generate(struct fuzz_ops *ops, __u64 *stream, bool mutate)
{
	unsigned int i;

	ops->count = FUZZ_OPS;
	for (i = 0; i < FUZZ_OPS; i++) {
		struct fuzz_op *op = &ops->op[i];

		memset(op, 0, sizeof(*op));
		if (mutate && fuzz_draw(stream, 2)) {
			op->kind = FUZZ_MUTATED;
			op->seed = fuzz_draw(stream, UINT64_MAX);
			continue;
		}
		op->kind = fuzz_draw(stream, FUZZ_MUTATED);
		op->id = fuzz_draw(stream, FUZZ_IDS);
		op->time_ns = fuzz_draw(stream, 5000000);
		if (op->kind == FUZZ_READ)
			op->id++;
		else if (op->kind != FUZZ_SLEEP && !fuzz_draw(stream, 4))
			op->time_ns = LONG_NS + fuzz_draw(stream, LONG_NS);
		op->interval_ns = draw_interval(stream);
		op->exclusive = !fuzz_draw(stream, 4);
		op->new_timeout = fuzz_draw(stream, 2);
	}
}
