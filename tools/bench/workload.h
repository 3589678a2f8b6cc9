/* SPDX-License-Identifier: GPL-2.0 */
/* What the workloads share. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "bench.h"

extern const struct bench_ops *back_end;
extern unsigned int population;
/* Which timer comes when, and the timeout of each. */
extern unsigned int *order;
extern __u64 *timeouts;

/* What a workload took. */
struct cost {
	__u64 instructions;
	unsigned int operations;
	unsigned long calls;
};

/* ---- results: a line of the CSV each */

void emit(const char *workload, unsigned int operations, __s64 value, const char *unit);
/* There is no figure, and why. */
void emit_none(const char *workload, const char *why);
/* @own is what the same took with no timers. */
void emit_cost(const char *workload, const struct cost *cost, const struct cost *own);

void choose_timeouts(__u64 min, __u64 range);

/* ---- expire.c */

void expire_all(void);
void stall_all(void);

/* ---- locked.c */

void measure_locked(void);

#endif /* WORKLOAD_H */
