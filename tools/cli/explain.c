// SPDX-License-Identifier: GPL-2.0
/* What an error number means for the operation that got it. */
#include <errno.h>
#include <string.h>

#include "session.h"

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
	else
		why_set(why, "the module does not accept one of the values");
}

static void explain_invalid(const struct session *s, const struct op *op,
			    struct why *why)
{
	__u64 every = op->value[OPT_EVERY];

	if (op->code == OP_SETUP)
		explain_setup(&s->info, op, why);
	else if (op_given(op, OPT_EVERY) && every < s->info.min_interval_ns)
		why_set(why,
			"an interval of %s is shorter than the shortest that the module allows, %s",
			duration_text(every).s,
			duration_text(s->info.min_interval_ns).s);
	else
		why_set(why, "the module does not accept one of the values");
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
		why_set(why,
			"there is no timer %llu: it was never started, was stopped, or its expiry was read or dropped",
			op->operand);
		break;
	case EBUSY:
		why_set(why, "setup has to come before the first start");
		break;
	case EINVAL:
		explain_invalid(s, op, why);
		break;
	case EOVERFLOW:
		explain_overflow(op, why);
		break;
	case ENOSPC:
		why_set(why,
			"a limit on the number of timers is reached: this instance's (%llu, see setup --max-timers), your user's or the module's",
			s->info.max_timers);
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
