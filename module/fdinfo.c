// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/fdinfo: settings and statistics, of the instance and of the reader
 */
#include <linux/seq_file.h>

#include "compat.h"
#include "fdinfo.h"
#include "file.h"

/* Every line is a key of its own, as in other fdinfo files: easy to parse. */
static void show(struct seq_file *seq, const char *key, u64 value)
{
	seq_printf(seq, "twheel-%s:\t%llu\n", key, value);
}

static void show_config(struct seq_file *seq, struct twheel_instance *inst)
{
	struct twheel_config config;

	twheel_instance_config(inst, &config);
	show(seq, "tick-shift", config.tick_shift);
	show(seq, "clock", config.clock);
	show(seq, "overflow", config.overflow);
	show(seq, "queue-len", config.queue_len);
	show(seq, "max-timers", config.max_timers);
	show(seq, "delivery", config.delivery);
	show(seq, "dispatch", config.dispatch);
	show(seq, "setup-flags", config.flags);
	show(seq, "lease-ns", config.lease_ns);
	show(seq, "max-attempts", config.max_attempts);
	show(seq, "map-words", config.map_words);
}

static void show_stats(struct seq_file *seq, struct twheel_instance *inst)
{
	struct twheel_stats stats;

	twheel_instance_stats(inst, &stats);
	show(seq, "timers", stats.timers);
	show(seq, "armed", stats.armed);
	show(seq, "started", stats.started);
	show(seq, "reset", stats.reset);
	show(seq, "stopped", stats.stopped);
	show(seq, "expired", stats.expired);
	show(seq, "delivered", stats.delivered);
	show(seq, "withdrawn", stats.withdrawn);
	show(seq, "dropped", stats.dropped);
	show(seq, "dead", stats.dead);
	show(seq, "waiting", stats.waiting);
	show(seq, "queued", stats.queued);
	show(seq, "oldest-ns", stats.oldest_ns);
	show(seq, "migrated", stats.migrated);
	show(seq, "passes", stats.passes);
	show(seq, "programmed", stats.programmed);
	show(seq, "in-flight", stats.in_flight);
	show(seq, "redelivered", stats.redelivered);
	show(seq, "rejected", stats.rejected);
	show(seq, "lapsed", stats.lapsed);
	show(seq, "stolen", stats.stolen);
	show(seq, "readers", stats.readers);
	show(seq, "shut-down", stats.shut_down);
	show(seq, "postponed", stats.postponed);
}

static void show_reader(struct seq_file *seq, struct twheel_consumer *consumer)
{
	struct twheel_stats stats = { .reader = READ_ONCE(consumer->number) };

	show(seq, "reader", stats.reader);
	if (!stats.reader || twheel_consumer_stats(consumer->inst, &stats))
		return;
	show(seq, "reader-expired", stats.expired);
	show(seq, "reader-delivered", stats.delivered);
	show(seq, "reader-withdrawn", stats.withdrawn);
	show(seq, "reader-dropped", stats.dropped);
	show(seq, "reader-dead", stats.dead);
	show(seq, "reader-waiting", stats.waiting);
	show(seq, "reader-queued", stats.queued);
	show(seq, "reader-oldest-ns", stats.oldest_ns);
	show(seq, "reader-in-flight", stats.in_flight);
	show(seq, "reader-redelivered", stats.redelivered);
	show(seq, "reader-rejected", stats.rejected);
	show(seq, "reader-lapsed", stats.lapsed);
	show(seq, "reader-stolen", stats.stolen);
	show(seq, "reader-passed-on", stats.passed_on);
}

/**
 * twheel_fdinfo_show() - what fdinfo says of a descriptor
 * @seq: Where to.
 * @file: The descriptor.
 *
 * Context: May sleep.
 */
void twheel_fdinfo_show(struct seq_file *seq, struct file *file)
{
	struct twheel_file *tf = file->private_data;

	show_config(seq, &tf->group->inst);
	show_stats(seq, &tf->group->inst);
	show_reader(seq, &tf->consumer);
}
