// SPDX-License-Identifier: GPL-2.0
/* twheel, a call for each operation, or a SUBMIT for many. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "twheel_bench.h"

int twheel_fd;
static struct twheel_event *events;

void twheel_bench_call(unsigned int command, void *argument)
{
	bench_calls++;
	if (ioctl(twheel_fd, command, argument))
		err(1, "twheel: command %#x", command);
}

void twheel_bench_prepare(unsigned int timers, unsigned int words)
{
	struct twheel_setup setup = {
		.size = sizeof(setup),
		.max_timers = timers,
		.map_words = words,
	};

	twheel_fd = open("/dev/twheel", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (twheel_fd < 0)
		err(1, "/dev/twheel");
	twheel_bench_call(TWHEEL_IOC_SETUP, &setup);
	events = bench_alloc(BENCH_ROUND, sizeof(*events));
	bench_watch(twheel_fd);
}

unsigned int twheel_bench_expire(unsigned int *timers, unsigned int room)
{
	int i, count;

	bench_calls++;
	count = read(twheel_fd, events, room * sizeof(*events));
	if (count < 0)
		return 0;
	count /= sizeof(*events);
	for (i = 0; i < count; i++)
		timers[i] = events[i].id;
	return count;
}

void twheel_bench_finish(void)
{
	close(twheel_fd);
}

/* ---- one call each */

static void single_prepare(unsigned int timers)
{
	twheel_bench_prepare(timers, 0);
}

static void single_start(unsigned int timer, __u64 timeout_ns)
{
	struct twheel_start start = {
		.id = timer,
		.time_ns = timeout_ns,
		.data = timer,
	};

	twheel_bench_call(TWHEEL_IOC_START, &start);
}

static void single_reset(unsigned int timer, __u64 timeout_ns)
{
	struct twheel_reset reset = { .id = timer };

	twheel_bench_call(TWHEEL_IOC_RESET, &reset);
}

static void single_stop(unsigned int timer)
{
	struct twheel_stop stop = { .id = timer };

	twheel_bench_call(TWHEEL_IOC_STOP, &stop);
}

const struct bench_ops bench_twheel_single = {
	.name = "twheel-single",
	.what = "/dev/twheel, one ioctl for each operation",
	.prepare = single_prepare,
	.start = single_start,
	.reset = single_reset,
	.stop = single_stop,
	.ready = bench_ready,
	.expire = twheel_bench_expire,
	.finish = twheel_bench_finish,
};

/* ---- batches */

static struct twheel_op *ops;
static struct twheel_result *results;
static unsigned int capacity, queued;

static void batch_prepare(unsigned int timers, unsigned int size)
{
	twheel_bench_prepare(timers, 0);
	capacity = size;
	ops = bench_alloc(size, sizeof(*ops));
	results = bench_alloc(size, sizeof(*results));
}

static void batch_submit(void)
{
	struct twheel_submit submit = {
		.ops = (uintptr_t)ops,
		.results = (uintptr_t)results,
		.count = queued,
	};
	unsigned int i;

	twheel_bench_call(TWHEEL_IOC_SUBMIT, &submit);
	/* a timer that has expired and was not read yet is withdrawn, so none is missed */
	for (i = 0; i < queued; i++) {
		if (results[i].error)
			errx(1, "twheel: operation %u: %d", ops[i].opcode, results[i].error);
	}
	queued = 0;
}

static void batch_turn(void)
{
	if (queued)
		batch_submit();
}

static inline void batch_add(unsigned int opcode, unsigned int timer, __u64 time_ns)
{
	struct twheel_op *op = &ops[queued++];

	/* what is not set here is 0, and stays so */
	op->opcode = opcode;
	op->id = timer;
	op->time_ns = time_ns;
	op->data = time_ns ? timer : 0;
	if (queued == capacity)
		batch_submit();
}

static void batch_start(unsigned int timer, __u64 timeout_ns)
{
	batch_add(TWHEEL_OP_START, timer, timeout_ns);
}

static void batch_reset(unsigned int timer, __u64 timeout_ns)
{
	batch_add(TWHEEL_OP_RESET, timer, 0);
}

static void batch_stop(unsigned int timer)
{
	batch_add(TWHEEL_OP_STOP, timer, 0);
}

#define BATCH(size)							\
static void batch_prepare_##size(unsigned int timers)			\
{									\
	batch_prepare(timers, size);					\
}									\
									\
const struct bench_ops bench_twheel_batch_##size = {			\
	.name = "twheel-batch-" #size,					\
	.what = "/dev/twheel, a SUBMIT for " #size " operations",	\
	.round = size > BENCH_ROUND ? size : 0,				\
	.prepare = batch_prepare_##size,				\
	.start = batch_start,						\
	.reset = batch_reset,						\
	.stop = batch_stop,						\
	.turn = batch_turn,						\
	.ready = bench_ready,						\
	.expire = twheel_bench_expire,					\
	.finish = twheel_bench_finish,					\
}

BATCH(1);
BATCH(16);
BATCH(256);
BATCH(4096);
