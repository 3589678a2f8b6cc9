// SPDX-License-Identifier: GPL-2.0
/* What an error number means for the operation that got it. */
#include <errno.h>
#include <string.h>

#include "session.h"

static void explain_lease(const struct twheel_info *info, const struct op *op,
			  struct why *why)
{
	why_set(why, "a lease of %s is not between 1ns and %s",
		duration_text(op->value[OPT_LEASE]).s,
		duration_text(info->lease_max_ns).s);
}

static bool lease_fits(const struct twheel_info *info, const struct op *op)
{
	__u64 lease = op->value[OPT_LEASE];

	return lease && lease <= info->lease_max_ns;
}

/* Settings that contradict each other. */
static void explain_deliveries(const struct twheel_info *info,
			       const struct op *op, struct why *why)
{
	__u64 dispatch = op->value[OPT_DISPATCH];
	bool acks = op->value[OPT_DELIVERY] == TWHEEL_AT_LEAST_ONCE;

	if (!acks && op->value[OPT_LEASE])
		why_set(why, "--lease goes with --delivery at-least-once only");
	else if (!acks && op->value[OPT_MAX_ATTEMPTS])
		why_set(why, "--max-attempts goes with --delivery at-least-once only");
	else if (acks && !op_given(op, OPT_LEASE))
		why_set(why, "--delivery at-least-once needs a --lease, such as --lease 30s");
	else if (acks && !lease_fits(info, op))
		explain_lease(info, op, why);
	else if (acks && op->value[OPT_OVERFLOW] != TWHEEL_HOLD)
		why_set(why,
			"--delivery at-least-once goes with --overflow hold only: nothing may be dropped");
	else if (acks && dispatch == TWHEEL_BROADCAST)
		why_set(why, "--dispatch broadcast goes with --delivery at-most-once only");
	else if (dispatch == TWHEEL_BROADCAST && op->value[OPT_OVERFLOW] == TWHEEL_HOLD)
		why_set(why, "--dispatch broadcast needs --overflow drop-newest or drop-oldest");
	else if (op_given(op, OPT_STEAL) && dispatch != TWHEEL_ROUND_ROBIN)
		why_set(why, "--steal goes with --dispatch round-robin only");
	else
		why_set(why, "the module does not accept one of the values");
}

static void explain_setup(const struct twheel_info *info,
			  const struct op *op, struct why *why)
{
	__u64 shift = op->value[op_given(op, OPT_TICK) ? OPT_TICK :
							 OPT_TICK_SHIFT];

	if (shift && (shift < info->tick_shift_min ||
		      shift > info->tick_shift_max))
		why_set(why, "a tick shift of %llu is not between %u and %u",
			shift, info->tick_shift_min, info->tick_shift_max);
	else if (op->value[OPT_QUEUE] > info->queue_len_max)
		why_set(why, "a queue of %llu is longer than the module allows, which is %u",
			op->value[OPT_QUEUE], info->queue_len_max);
	else if (op->value[OPT_MAX_TIMERS] > info->max_timers_max)
		why_set(why, "%llu timers are more than the module allows, which is %llu",
			op->value[OPT_MAX_TIMERS], info->max_timers_max);
	else if (op->value[OPT_WORDS] > info->map_words_max)
		why_set(why, "%llu words are more than the module allows, which is %u",
			op->value[OPT_WORDS], info->map_words_max);
	else
		explain_deliveries(info, op, why);
}

/* Why there is no such word; false if there is. */
static bool explain_word(const struct twheel_info *info, __u64 word,
			 struct why *why)
{
	if (word < info->map_words)
		return false;
	if (info->map_words)
		why_set(why, "there is no word %llu; this instance has %u, from word 0",
			word, info->map_words);
	else
		why_set(why, "this instance has no words; setup --words N would give it some");
	return true;
}

static void explain_timer(const struct twheel_info *info, const struct op *op,
			  struct why *why)
{
	__u64 every = op->value[OPT_EVERY];

	if (op_given(op, OPT_EVERY) && every < info->min_interval_ns)
		why_set(why,
			"an interval of %s is shorter than the shortest that the module allows, %s",
			duration_text(every).s,
			duration_text(info->min_interval_ns).s);
	else if (op_given(op, OPT_EVERY) && op_given(op, OPT_WORD))
		why_set(why, "a periodic timer cannot have a word; give --every or --word");
	else if (!op_given(op, OPT_WORD) ||
		 !explain_word(info, op->value[OPT_WORD], why))
		why_set(why, "the module does not accept one of the values");
}

static bool about_leases(const struct op *op)
{
	return op->code == OP_ACK || op->code == OP_REJECT ||
	       op->code == OP_EXTEND || op->code == OP_READER;
}

static void explain_invalid(const struct session *s, const struct op *op,
			    struct why *why)
{
	if (op->code == OP_SETUP)
		explain_setup(&s->info, op, why);
	else if (op->code == OP_READ)
		why_set(why,
			"this descriptor is not a reader, because of setup --control or watch --group; make one with reader, and read --reader R");
	else if (about_leases(op) &&
		 s->info.delivery != TWHEEL_AT_LEAST_ONCE)
		why_set(why,
			"nothing is acknowledged in this instance, so nothing is in flight or dead; setup --delivery at-least-once --lease D would change that");
	else if (op->code == OP_EXTEND && op_given(op, OPT_LEASE))
		explain_lease(&s->info, op, why);
	else
		explain_timer(&s->info, op, why);
}

static void explain_busy(const struct op *op, struct why *why)
{
	if (op->code == OP_START)
		why_set(why,
			"word %llu belongs to another timer; it is free again when that is stopped or its expiry is done with",
			op->value[OPT_WORD]);
	else
		why_set(why,
			"setup has to come before the first start, the first reader and the first touch");
}

static void explain_no_entry(const struct op *op, struct why *why)
{
	if (op->code == OP_STATS)
		why_set(why, "there is no reader %llu, or no longer; stats --readers shows all",
			op->value[OPT_READER]);
	else
		why_set(why,
			"there is no timer %llu: it was never started, was stopped, or its expiry was read or dropped",
			op->operand);
}

static void explain_limit(const struct session *s, const struct op *op,
			  struct why *why)
{
	if (op->code == OP_READER)
		why_set(why, "the instance has as many readers as it can have, %u; close one",
			s->info.readers_max);
	else if (op->code == OP_SETUP)
		why_set(why,
			"a limit on the number of words is reached: your user's or the module's");
	else
		why_set(why,
			"a limit on the number of timers is reached: this instance's (%llu, see setup --max-timers), your user's or the module's",
			s->info.max_timers);
}

static void explain_stale(const struct op *op, struct why *why)
{
	if (op_given(op, OPT_READER))
		why_set(why,
			"reader %llu does not hold this expiry of timer %llu: it was not read there, is done with, its lease has ended, or the timer was stopped or started again",
			op->value[OPT_READER], op->operand);
	else
		why_set(why,
			"this expiry of timer %llu is not in hand: it was not read, is done with, its lease has ended, or the timer was stopped or started again",
			op->operand);
}

static void explain_overflow(const struct op *op, struct why *why)
{
	why_set(why, "the deadline%s lies after the last nanosecond of the clock (about 292 years)",
		op_given(op, OPT_EVERY) ? " or the interval" : "");
}

void explain(const struct session *s, const struct op *op, int err,
	     struct why *why)
{
	switch (err) {
	case EEXIST:
		why_set(why,
			"timer %llu is already running; without --exclusive it would be started again",
			op->operand);
		break;
	case ENOENT:
		explain_no_entry(op, why);
		break;
	case EBUSY:
		explain_busy(op, why);
		break;
	case EINVAL:
		explain_invalid(s, op, why);
		break;
	case EOVERFLOW:
		explain_overflow(op, why);
		break;
	case ENOSPC:
		explain_limit(s, op, why);
		break;
	case ESTALE:
		explain_stale(op, why);
		break;
	case ESHUTDOWN:
		why_set(why,
			"the instance was shut down: no timer is started and no reader made any more");
		break;
	case ENOMEM:
		why_set(why, "the kernel, or the memory cgroup of this process, is out of memory");
		break;
	case EOPNOTSUPP:
	case E2BIG:
	case ENOTTY:
		why_set(why,
			"the module does not know this request; it is older than this program");
		break;
	default:
		why_set(why, "%s", strerror(err));
	}
}
