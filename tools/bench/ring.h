/* SPDX-License-Identifier: GPL-2.0 */
/* An io_uring that is entered once for up to BENCH_ROUND requests. */
#ifndef BENCH_RING_H
#define BENCH_RING_H

#include <liburing.h>
#include "bench.h"

extern struct io_uring ring;

/* @completed gets each completion. */
void ring_prepare(unsigned int flags, unsigned int completions,
		  void (*completed)(__u64 tag, int result));
/* A request to fill in, and which of the turn it is. */
struct io_uring_sqe *ring_next(unsigned int *number);
/* Enters the ring, if there are requests, and takes what is complete. */
void ring_turn(void);
/* Takes what is complete. */
void ring_reap(void);

#endif /* BENCH_RING_H */
