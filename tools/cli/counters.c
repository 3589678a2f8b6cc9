// SPDX-License-Identifier: GPL-2.0
/* stats: the counters of the instance and of its readers */
#include <errno.h>

#include "calls.h"
#include "session.h"

int stats_get(const struct session *s, struct twheel_stats *stats)
{
	return twheel_stats(s->fd, stats, sizeof(*stats));
}

int stats_get_reader(const struct session *s, __u32 number,
		     struct twheel_stats *stats)
{
	int err = call_reader_stats(s->fd, number, stats);

	/* The kernel goes on to the next one there is. */
	return !err && stats->reader != number ? -ENOENT : err;
}

static void stats_json(const struct session *s,
		       const struct twheel_stats *stats, bool balanced)
{
	json_begin("stats");
	json_u64("time_ns", session_elapsed(s));
	json_u64("reader", stats->reader);
	if (!stats->reader) {
		json_u64("timers", stats->timers);
		json_u64("armed", stats->armed);
		json_u64("started", stats->started);
		json_u64("reset", stats->reset);
		json_u64("stopped", stats->stopped);
		json_u64("postponed", stats->postponed);
		json_u64("migrated", stats->migrated);
		json_u64("passes", stats->passes);
		json_u64("programmed", stats->programmed);
		json_u64("readers", stats->readers);
		json_u64("shut_down", stats->shut_down);
	}
	json_u64("expired", stats->expired);
	json_u64("delivered", stats->delivered);
	json_u64("withdrawn", stats->withdrawn);
	json_u64("dropped", stats->dropped);
	json_u64("dead", stats->dead);
	json_u64("waiting", stats->waiting);
	json_u64("queued", stats->queued);
	json_u64("oldest_ns", stats->oldest_ns);
	json_u64("in_flight", stats->in_flight);
	json_u64("redelivered", stats->redelivered);
	json_u64("rejected", stats->rejected);
	json_u64("lapsed", stats->lapsed);
	json_u64("stolen", stats->stolen);
	json_u64("passed_on", stats->passed_on);
	json_bool("balanced", balanced);
	json_end();
}

static void instance_lines(const struct session *s,
			   const struct twheel_stats *stats)
{
	session_stamp(s, "stats");
	printf("timers %llu, armed %llu; started %llu, reset %llu, postponed %llu, stopped %llu\n",
	       stats->timers, stats->armed, stats->started, stats->reset,
	       stats->postponed, stats->stopped);
	session_stamp(s, "");
	printf("queued %llu, the oldest for %s; ", stats->queued,
	       duration_text(stats->oldest_ns).s);
	printf("migrated %llu, passes %llu, hrtimer programmed %llu\n",
	       stats->migrated, stats->passes, stats->programmed);
	session_stamp(s, "");
	printf("readers %u; redelivered %llu, rejected %llu, lapsed %llu, stolen %llu%s\n",
	       stats->readers, stats->redelivered, stats->rejected,
	       stats->lapsed, stats->stolen,
	       stats->shut_down ? "; shut down" : "");
	session_stamp(s, "books");
}

static void reader_lines(const struct session *s,
			 const struct twheel_stats *stats)
{
	session_stamp(s, "stats");
	printf("reader %u: queued %llu, the oldest for %s; ", stats->reader,
	       stats->queued, duration_text(stats->oldest_ns).s);
	printf("redelivered %llu, rejected %llu, lapsed %llu, stolen %llu\n",
	       stats->redelivered, stats->rejected, stats->lapsed,
	       stats->stolen);
	session_stamp(s, "books");
	printf("reader %u: ", stats->reader);
}

static void books(const struct twheel_stats *stats, bool balanced)
{
	printf("expired %llu = delivered %llu + withdrawn %llu + ",
	       stats->expired, stats->delivered, stats->withdrawn);
	printf("dropped %llu + dead %llu + waiting %llu + in flight %llu",
	       stats->dropped, stats->dead, stats->waiting,
	       stats->in_flight);
	if (stats->reader)
		printf(" + passed on %llu", stats->passed_on);
	printf(": %s\n", balanced ? "balanced" : "NOT BALANCED");
}

bool stats_show(const struct session *s, const struct twheel_stats *stats)
{
	bool balanced = stats_balanced(stats);

	if (s->cli->json) {
		stats_json(s, stats, balanced);
		return balanced;
	}
	if (stats->reader)
		reader_lines(s, stats);
	else
		instance_lines(s, stats);
	books(stats, balanced);
	return balanced;
}

/* Each reader in turn, whoever has it.  -errno, or whether all books balance. */
static int all_readers(const struct session *s)
{
	struct twheel_stats stats = { 0 };
	int balanced = true;
	int err;

	while (!(err = call_reader_stats(s->fd, stats.reader + 1, &stats)))
		balanced &= stats_show(s, &stats);
	return err == -ENOENT ? balanced : err;
}

enum verdict op_stats(struct session *s, const struct op *op)
{
	struct twheel_stats stats;
	struct why why;
	int ret;

	if (op_given(op, OPT_READERS)) {
		ret = all_readers(s);
	} else {
		ret = op_given(op, OPT_READER) ?
		      stats_get_reader(s, op->value[OPT_READER], &stats) :
		      stats_get(s, &stats);
		if (!ret)
			ret = stats_show(s, &stats);
	}
	if (ret < 0)
		return op_failed(s, op, -ret);
	if (ret)
		return VERDICT_OK;
	why_set(&why, "the books do not balance; this is a bug of the module");
	return op_failed_why(s, op, 0, &why);
}
