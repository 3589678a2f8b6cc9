/* SPDX-License-Identifier: GPL-2.0 */
/* Timers whose callbacks were called by a library's event loop. */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#include "bench.h"

/* @turn lets the library call back for what is due, without waiting. */
void loop_prepare(unsigned int timers, void (*turn)(void));
void loop_fired(unsigned int timer);

/* For struct bench_ops. */
bool loop_ready(void);
unsigned int loop_expire(unsigned int *timers, unsigned int room);

#endif /* BENCH_LOOP_H */
