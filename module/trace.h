/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: /sys/kernel/tracing/events/twheel/
 *
 * All are hit with the lock of the instance held.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM twheel

#if !defined(TWHEEL_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define TWHEEL_TRACE_H

#include <linux/tracepoint.h>

#include "timer.h"

DECLARE_EVENT_CLASS(twheel_timer,
	TP_PROTO(const struct twheel_timer *timer, u64 now),
	TP_ARGS(timer, now),
	TP_STRUCT__entry(
		__field(u64, id)
		__field(u64, generation)
		__field(u64, deadline)
		__field(u64, now)
	),
	TP_fast_assign(
		__entry->id = timer->entry.id;
		__entry->generation = timer->generation;
		__entry->deadline = timer->deadline;
		__entry->now = now;
	),
	TP_printk("id=%llu generation=%llu deadline=%llu now=%llu",
		  __entry->id, __entry->generation, __entry->deadline,
		  __entry->now)
);

/* A timer was started, with its new generation and deadline. */
DEFINE_EVENT(twheel_timer, twheel_start,
	TP_PROTO(const struct twheel_timer *timer, u64 now),
	TP_ARGS(timer, now)
);

/* A timer was postponed, with its new generation and deadline. */
DEFINE_EVENT(twheel_timer, twheel_reset,
	TP_PROTO(const struct twheel_timer *timer, u64 now),
	TP_ARGS(timer, now)
);

/* A timer runs on because of its word, with its new deadline. */
DEFINE_EVENT(twheel_timer, twheel_postpone,
	TP_PROTO(const struct twheel_timer *timer, u64 now),
	TP_ARGS(timer, now)
);

/* A timer was stopped. */
DEFINE_EVENT(twheel_timer, twheel_stop,
	TP_PROTO(const struct twheel_timer *timer, u64 now),
	TP_ARGS(timer, now)
);

/* A timer has reached its deadline. */
DEFINE_EVENT(twheel_timer, twheel_expire,
	TP_PROTO(const struct twheel_timer *timer, u64 now),
	TP_ARGS(timer, now)
);

/* An expiry was read. */
DEFINE_EVENT(twheel_timer, twheel_deliver,
	TP_PROTO(const struct twheel_timer *timer, u64 now),
	TP_ARGS(timer, now)
);

/* An expiry was acknowledged. */
DEFINE_EVENT(twheel_timer, twheel_ack,
	TP_PROTO(const struct twheel_timer *timer, u64 now),
	TP_ARGS(timer, now)
);

/* An expiry was dropped by the overflow policy. */
DEFINE_EVENT(twheel_timer, twheel_drop,
	TP_PROTO(const struct twheel_timer *timer, u64 now),
	TP_ARGS(timer, now)
);

DECLARE_EVENT_CLASS(twheel_attempt,
	TP_PROTO(const struct twheel_timer *timer, u32 attempt),
	TP_ARGS(timer, attempt),
	TP_STRUCT__entry(
		__field(u64, id)
		__field(u64, generation)
		__field(u64, deadline)
		__field(u32, attempt)
	),
	TP_fast_assign(
		__entry->id = timer->entry.id;
		__entry->generation = timer->generation;
		__entry->deadline = timer->deadline;
		__entry->attempt = attempt;
	),
	TP_printk("id=%llu generation=%llu deadline=%llu attempt=%u",
		  __entry->id, __entry->generation, __entry->deadline,
		  __entry->attempt)
);

/* A delivery was not acknowledged: there will be another one. */
DEFINE_EVENT(twheel_attempt, twheel_return,
	TP_PROTO(const struct twheel_timer *timer, u32 attempt),
	TP_ARGS(timer, attempt)
);

/* A delivery was not acknowledged: the expiry is dead. */
DEFINE_EVENT(twheel_attempt, twheel_dead,
	TP_PROTO(const struct twheel_timer *timer, u32 attempt),
	TP_ARGS(timer, attempt)
);

#endif /* TWHEEL_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
