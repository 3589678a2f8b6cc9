/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the timers in user space share: one timerfd for the earliest of them, and the
 * time as of the last turn of the loop.
 */
#ifndef BENCH_USER_H
#define BENCH_USER_H

#include "bench.h"

#define USER_NEVER	(~0ULL)

extern __u64 user_now;

void user_prepare(void);

/**
 * user_turn - the end of a turn of the event loop
 * @earliest: Deadline of the earliest timer, or USER_NEVER.
 *
 * Programs the timerfd when it would come too late.  One that comes too early for what
 * is the earliest by then costs a turn, and not a call for each reset.
 */
void user_turn(__u64 earliest);

/* What the timerfd was for is to be done now; then user_turn() programs it anew. */
void user_fired(void);

#endif /* BENCH_USER_H */
