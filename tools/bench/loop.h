/* SPDX-License-Identifier: GPL-2.0 */
/* Timers whose callbacks were called by a library's event loop. */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#include "bench.h"

void loop_prepare(unsigned int timers);
void loop_fired(unsigned int timer);
unsigned int loop_count(void);
unsigned int loop_take(unsigned int *timers, unsigned int room);

#endif /* BENCH_LOOP_H */
