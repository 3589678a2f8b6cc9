// SPDX-License-Identifier: GPL-2.0
/*
 * A crowd of timers that expire on one tick, of which a random half is reset at that
 * very tick: each one either has been read by then, or is read once, at its new time.
 */
#include "torture.h"

#define CROWD		4096
#define LOTS		(CROWD / 2)
/* Only what never comes is lost. */
#define PATIENCE_NS	(120 * TW_SEC)

/**
 * struct crowd - a round
 * @fd: The instance.
 * @deadline_ns: When all expire.
 * @when_ns: When half of them are reset.
 * @batch: They are reset in one call.
 * @thread: Who resets them.
 * @start: How they are started.
 * @started: What came of that.
 * @reset: How they are reset.
 * @result: What came of that.
 * @start_begin_ns: Before the starts.
 * @start_end_ns: After them.
 * @reset_begin_ns: Before the resets.
 * @reset_end_ns: After each of them.
 * @failed: A call has failed as a whole.
 */
struct crowd {
	int fd;
	__u64 deadline_ns;
	__u64 when_ns;
	bool batch;
	pthread_t thread;
	struct twheel_op start[CROWD];
	struct twheel_result started[CROWD];
	struct twheel_op reset[LOTS];
	struct twheel_result result[LOTS];
	__u64 start_begin_ns;
	__u64 start_end_ns;
	__u64 reset_begin_ns;
	__u64 reset_end_ns[LOTS];
	bool failed;
};

/* Starting all takes a while, longer on a slow machine; so the deadline is behind that. */
static __u64 lead_ns = 4 * TW_MS;

static void start_all(struct crowd *crowd, __u32 tick_shift)
{
	unsigned int i;

	crowd->start_begin_ns = tw_now();
	crowd->deadline_ns = (((crowd->start_begin_ns + lead_ns) >> tick_shift) + 1) <<
			     tick_shift;
	for (i = 0; i < CROWD; i++) {
		crowd->start[i] = tw_op(TWHEEL_OP_START, i);
		crowd->start[i].flags = TWHEEL_ABSTIME;
		crowd->start[i].time_ns = crowd->deadline_ns;
	}
	crowd->failed = tw_submit_all(crowd->fd, crowd->start, crowd->started, CROWD) != CROWD;
	crowd->start_end_ns = tw_now();
	if (crowd->start_end_ns > crowd->deadline_ns)
		lead_ns += lead_ns / 2;
	else if (crowd->start_end_ns + 2 * TW_MS < crowd->deadline_ns)
		lead_ns -= lead_ns / 16;
}

/* Half of them, in random order. */
static void draw_lots(struct crowd *crowd, __u32 tick_shift, __u64 *seed)
{
	static __u64 id[CROWD];
	unsigned int i, other;
	__u64 mine;

	for (i = 0; i < CROWD; i++)
		id[i] = i;
	for (i = 0; i < LOTS; i++) {
		other = i + tw_below(seed, CROWD - i);
		mine = id[other];
		id[other] = id[i];
		crowd->reset[i] = tw_op(TWHEEL_OP_RESET, mine);
		crowd->reset[i].flags = TWHEEL_NEW_TIMEOUT | TWHEEL_ABSTIME;
		crowd->reset[i].time_ns = crowd->deadline_ns +
					  ((1 + tw_below(seed, 4)) << tick_shift);
	}
	crowd->when_ns = crowd->deadline_ns + tw_below(seed, 3 * TW_MS);
	crowd->batch = tw_below(seed, 2);
}

static void reset_one(struct crowd *crowd, unsigned int i)
{
	struct twheel_reset reset = {
		.id = crowd->reset[i].id,
		.time_ns = crowd->reset[i].time_ns,
		.flags = crowd->reset[i].flags,
	};
	struct twheel_result *result = &crowd->result[i];

	*result = (struct twheel_result) { .error = tw_reset(crowd->fd, &reset) };
	crowd->reset_end_ns[i] = tw_now();
	if (result->error)
		return;
	result->generation = reset.generation;
	result->outcome = reset.outcome;
	result->deadline_ns = reset.deadline_ns;
}

static void *reset_half(void *arg)
{
	struct crowd *crowd = arg;
	unsigned int i;

	run_on_processor(1);
	tw_spin_until(crowd->when_ns);
	crowd->reset_begin_ns = tw_now();
	if (!crowd->batch) {
		for (i = 0; i < LOTS; i++)
			reset_one(crowd, i);
		return NULL;
	}
	if (tw_submit_all(crowd->fd, crowd->reset, crowd->result, LOTS) != LOTS)
		crowd->failed = true;
	for (i = 0; i < LOTS; i++)
		crowd->reset_end_ns[i] = tw_now();
	return NULL;
}

static void add_records(struct history *history, const struct twheel_event *event,
			unsigned int count, __u64 begin_ns)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		*history_add(history) = (struct deed) {
			.kind = DEED_RECORD,
			.id = event[i].id,
			.generation = event[i].generation,
			.begin_ns = begin_ns,
			.end_ns = tw_now(),
			.deadline_ns = event[i].deadline_ns,
			.fired_ns = event[i].fired_ns,
			.expirations = event[i].expirations,
			.sequence = event[i].sequence,
			.attempt = event[i].attempt,
		};
}

/* Each timer is read once, whether or not it was reset; and one more would be noticed. */
static void read_all(struct crowd *crowd, struct history *history)
{
	static struct twheel_event event[256];
	__u64 begin_ns, give_up = tw_now() + PATIENCE_NS;
	unsigned int records = 0;
	int got;

	tw_spin_until(crowd->deadline_ns);
	while (records < CROWD && tw_now() < give_up) {
		begin_ns = tw_now();
		got = tw_read(crowd->fd, event, ARRAY_SIZE(event));
		if (got > 0) {
			add_records(history, event, got, begin_ns);
			records += got;
		} else if (got == -EAGAIN) {
			sched_yield();
		} else {
			crowd->failed = true;
			return;
		}
	}
}

static void add_arms(const struct crowd *crowd, struct history *history)
{
	unsigned int i;

	for (i = 0; i < CROWD; i++)
		*history_add(history) = (struct deed) {
			.kind = DEED_ARM,
			.id = i,
			.generation = crowd->started[i].generation,
			.outcome = crowd->started[i].outcome,
			.deadline_ns = crowd->started[i].deadline_ns,
			.begin_ns = crowd->start_begin_ns,
			.end_ns = crowd->start_end_ns,
		};
}

static void add_resets(const struct crowd *crowd, struct history *history,
		       struct torture_tally *tally)
{
	unsigned int i;

	for (i = 0; i < LOTS; i++) {
		const struct twheel_result *result = &crowd->result[i];

		tally->in_time += !result->error && result->outcome == TWHEEL_STOPPED;
		tally->withdrew += !result->error && result->outcome == TWHEEL_WITHDREW;
		tally->too_late += result->error == -ENOENT;
		if (result->error)
			continue;
		*history_add(history) = (struct deed) {
			.kind = DEED_ARM,
			.reset = true,
			.id = crowd->reset[i].id,
			.generation = result->generation,
			.outcome = result->outcome,
			.deadline_ns = result->deadline_ns,
			.begin_ns = crowd->reset_begin_ns,
			.end_ns = crowd->reset_end_ns[i],
		};
	}
}

static const char *judge(struct crowd *crowd, struct history *history,
			 struct torture_tally *tally)
{
	unsigned int late = tw_count_errors(crowd->result, LOTS, -ENOENT);
	struct twheel_event event;
	struct twheel_stats stats;

	if (crowd->failed || tw_count_errors(crowd->started, CROWD, 0) != CROWD)
		return "a call of the crowd has failed";
	if (tw_count_errors(crowd->result, LOTS, 0) + late != LOTS)
		return "a reset of the crowd has failed otherwise than with ENOENT";
	if (tw_read(crowd->fd, &event, 1) != -EAGAIN)
		return "the crowd has one expiry too many";
	add_arms(crowd, history);
	add_resets(crowd, history, tally);
	if (tw_stats(crowd->fd, &stats) || !history_check(history) ||
	    !history_compare(history, &stats))
		return *history->broken ? history->broken : "STATS has failed";
	tally->armed += history->started + history->resets;
	tally->records += history->records;
	tally->withdrawn += history->withdrawn;
	return NULL;
}

bool torture_crowd(struct history *history, __u64 *seed,
		   struct torture_tally *tally, char *broken)
{
	static struct crowd crowd;
	struct twheel_setup setup = {
		.tick_shift = 17 + tw_below(seed, 4),
		.queue_len = tw_below(seed, 2) ? 2 * CROWD : 256,
	};
	const char *what;

	tally->crowds++;
	history_clear(history);
	crowd.fd = tw_pool(setup);
	if (crowd.fd < 0 || tw_nonblock(crowd.fd)) {
		snprintf(broken, TORTURE_BROKEN, "no instance for a crowd");
		return false;
	}
	run_on_processor(0);
	start_all(&crowd, setup.tick_shift);
	draw_lots(&crowd, setup.tick_shift, seed);
	if (pthread_create(&crowd.thread, NULL, reset_half, &crowd))
		exit(2);
	read_all(&crowd, history);
	pthread_join(crowd.thread, NULL);
	what = judge(&crowd, history, tally);
	close(crowd.fd);
	torture_run_anywhere();
	snprintf(broken, TORTURE_BROKEN, "%s", what ? what : "");
	return !what;
}
