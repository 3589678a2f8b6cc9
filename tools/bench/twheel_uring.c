// SPDX-License-Identifier: GPL-2.0
/* twheel, a command in an io_uring for each operation. */
#include <string.h>
#include "ring.h"
#include "twheel_bench.h"

/* The structures of the commands that the ring was not entered for yet. */
static union {
	struct twheel_start start;
	struct twheel_reset reset;
	struct twheel_stop stop;
} arguments[BENCH_ROUND];

static void completed(__u64 tag, int result)
{
	if (result)
		errx(1, "twheel: command %#llx in the ring: %d", tag, result);
}

static void prepare(unsigned int timers)
{
	twheel_bench_prepare(timers, 0);
	ring_prepare(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		     2 * BENCH_ROUND, completed);
	if (io_uring_register_files(&ring, &twheel_fd, 1))
		errx(1, "io_uring: the file cannot be registered");
}

/* Number of the next command, whose structure is to be filled in. */
static unsigned int command(unsigned int cmd)
{
	unsigned int number;
	struct io_uring_sqe *sqe = ring_next(&number);
	struct twheel_uring_cmd what = {
		.arg = (uintptr_t)&arguments[number],
		.size = _IOC_SIZE(cmd),
	};

	io_uring_prep_rw(IORING_OP_URING_CMD, sqe, 0, NULL, 0, 0);
	sqe->flags = IOSQE_FIXED_FILE;
	sqe->cmd_op = cmd;
	sqe->user_data = cmd;
	memcpy((char *)sqe + offsetof(struct io_uring_sqe, cmd), &what, sizeof(what));
	return number;
}

static void start(unsigned int timer, __u64 timeout_ns)
{
	arguments[command(TWHEEL_IOC_START)].start = (struct twheel_start) {
		.id = timer,
		.time_ns = timeout_ns,
		.data = timer,
	};
}

static void reset(unsigned int timer, __u64 timeout_ns)
{
	arguments[command(TWHEEL_IOC_RESET)].reset = (struct twheel_reset) { .id = timer };
}

static void stop(unsigned int timer)
{
	arguments[command(TWHEEL_IOC_STOP)].stop = (struct twheel_stop) { .id = timer };
}

const struct bench_ops bench_twheel_uring = {
	.name = "twheel-uring",
	.what = "/dev/twheel through io_uring, entered for 256 commands",
	.prepare = prepare,
	.start = start,
	.reset = reset,
	.stop = stop,
	.turn = ring_turn,
	.ready = bench_ready,
	.expire = twheel_bench_expire,
};
