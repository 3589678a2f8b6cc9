/* SPDX-License-Identifier: GPL-2.0 */
/* What the back ends for /dev/twheel share. */
#ifndef TWHEEL_BENCH_H
#define TWHEEL_BENCH_H

#include <errno.h>
#include <stdint.h>
#include <linux/twheel.h>
#include "bench.h"

extern int twheel_fd;

/* An ioctl that is counted, and does not fail. */
void twheel_bench_call(unsigned int command, void *argument);
void twheel_bench_prepare(unsigned int timers, unsigned int words);
unsigned int twheel_bench_expire(unsigned int *timers, unsigned int room);

/* Batches of @size operations: what is put off goes with the turn, or when it is so much. */
void twheel_batch_prepare(unsigned int timers, unsigned int words, unsigned int size);
void twheel_batch_turn(void);
/* The next operation, in which the rest is as it was @size operations ago. */
struct twheel_op *twheel_batch_next(unsigned int opcode, unsigned int timer);
void twheel_batch_added(void);

#endif /* TWHEEL_BENCH_H */
