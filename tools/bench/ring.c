// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include "ring.h"

struct io_uring ring;
static unsigned int queued;
static void (*take)(__u64 tag, int result);

void ring_prepare(unsigned int flags, unsigned int completions,
		  void (*completed)(__u64 tag, int result))
{
	struct io_uring_params params = {
		.flags = flags | IORING_SETUP_CQSIZE,
		.cq_entries = completions,
	};
	int ret = io_uring_queue_init_params(BENCH_ROUND, &ring, &params);

	take = completed;
	if (ret) {
		errno = -ret;
		err(1, "io_uring");
	}
}

void ring_reap(void)
{
	struct io_uring_cqe *cqe;
	unsigned int head, count = 0;

	io_uring_for_each_cqe(&ring, head, cqe) {
		take(cqe->user_data, cqe->res);
		count++;
	}
	io_uring_cq_advance(&ring, count);
}

void ring_turn(void)
{
	unsigned int count = queued;

	if (!count)
		return;
	bench_calls++;
	if (io_uring_submit_and_get_events(&ring) < (int)count)
		errx(1, "io_uring: not all of %u requests were taken", count);
	queued = 0;
	ring_reap();
}

struct io_uring_sqe *ring_next(unsigned int *number)
{
	if (queued == BENCH_ROUND)
		ring_turn();
	*number = queued++;
	return io_uring_get_sqe(&ring);
}
