// SPDX-License-Identifier: MIT
/* Many operations in one call. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "internal.h"

/**
 * struct twheel_batch - see twheel.h
 * @capacity: Room in @ops and @results.
 * @count: Operations that were added.
 * @done: Operations that have a result.
 * @ops: The operations.
 * @results: What came of them.
 */
struct twheel_batch {
	unsigned int capacity;
	unsigned int count;
	unsigned int done;
	struct twheel_op *ops;
	struct twheel_result *results;
};

int twheel_submit(int fd, struct twheel_submit *submit)
{
	int ret = twheel_command(fd, TWHEEL_IOC_SUBMIT, submit);

	return ret ? ret : (int)submit->done;
}

int twheel_batch_new(struct twheel_batch **batch, unsigned int capacity)
{
	struct twheel_batch *new;

	if (!capacity || capacity > INT_MAX)
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->capacity = capacity;
	new->ops = calloc(capacity, sizeof(*new->ops));
	new->results = calloc(capacity, sizeof(*new->results));
	if (!new->ops || !new->results) {
		twheel_batch_free(new);
		return -ENOMEM;
	}
	*batch = new;
	return 0;
}

void twheel_batch_free(struct twheel_batch *batch)
{
	if (!batch)
		return;
	free(batch->ops);
	free(batch->results);
	free(batch);
}

struct twheel_op *twheel_batch_add(struct twheel_batch *batch)
{
	struct twheel_op *op;

	if (batch->count == batch->capacity)
		return NULL;
	op = &batch->ops[batch->count++];
	*op = (struct twheel_op){ 0 };
	return op;
}

static int add(struct twheel_batch *batch, const struct twheel_op *what)
{
	struct twheel_op *op = twheel_batch_add(batch);

	if (!op)
		return -ENOSPC;
	*op = *what;
	return batch->count - 1;
}

int twheel_batch_start(struct twheel_batch *batch, uint64_t id, uint64_t timeout_ns,
		       uint64_t data)
{
	return add(batch, &(struct twheel_op){
		.opcode = TWHEEL_OP_START,
		.id = id,
		.time_ns = timeout_ns,
		.data = data,
	});
}

int twheel_batch_start_mapped(struct twheel_batch *batch, uint64_t id, uint64_t timeout_ns,
			      uint64_t data, uint32_t word)
{
	return add(batch, &(struct twheel_op){
		.opcode = TWHEEL_OP_START,
		.flags = TWHEEL_MAPPED,
		.id = id,
		.time_ns = timeout_ns,
		.data = data,
		.word = word,
	});
}

int twheel_batch_stop(struct twheel_batch *batch, uint64_t id)
{
	return add(batch, &(struct twheel_op){ .opcode = TWHEEL_OP_STOP, .id = id });
}

int twheel_batch_reset(struct twheel_batch *batch, uint64_t id)
{
	return add(batch, &(struct twheel_op){ .opcode = TWHEEL_OP_RESET, .id = id });
}

int twheel_batch_reset_to(struct twheel_batch *batch, uint64_t id, uint64_t timeout_ns)
{
	return add(batch, &(struct twheel_op){
		.opcode = TWHEEL_OP_RESET,
		.flags = TWHEEL_NEW_TIMEOUT,
		.id = id,
		.time_ns = timeout_ns,
	});
}

int twheel_batch_get(struct twheel_batch *batch, uint64_t id)
{
	return add(batch, &(struct twheel_op){ .opcode = TWHEEL_OP_GET, .id = id });
}

int twheel_batch_ack(struct twheel_batch *batch, const struct twheel_event *event)
{
	return add(batch, &(struct twheel_op){
		.opcode = TWHEEL_OP_ACK,
		.id = event->id,
		.token = event->token,
	});
}

int twheel_batch_reject(struct twheel_batch *batch, const struct twheel_event *event)
{
	return add(batch, &(struct twheel_op){
		.opcode = TWHEEL_OP_REJECT,
		.id = event->id,
		.token = event->token,
	});
}

int twheel_batch_extend(struct twheel_batch *batch, const struct twheel_event *event,
			uint64_t lease_ns)
{
	return add(batch, &(struct twheel_op){
		.opcode = TWHEEL_OP_EXTEND,
		.id = event->id,
		.time_ns = lease_ns,
		.token = event->token,
	});
}

/* What follows the operations that are done, as far as one call takes it. */
static int submit_more(struct twheel_batch *batch, int fd)
{
	struct twheel_submit submit = {
		.ops = (uintptr_t)(batch->ops + batch->done),
		.results = (uintptr_t)(batch->results + batch->done),
		.count = batch->count - batch->done,
	};
	int ret;

	if (submit.count > TWHEEL_SUBMIT_MAX)
		submit.count = TWHEEL_SUBMIT_MAX;
	ret = twheel_submit(fd, &submit);
	if (ret > 0)
		batch->done += ret;
	return ret;
}

int twheel_batch_submit(struct twheel_batch *batch, int fd)
{
	int ret = 0;

	batch->done = 0;
	while (batch->done < batch->count) {
		ret = submit_more(batch, fd);
		if (ret <= 0)
			break;
	}
	return batch->done ? (int)batch->done : ret;
}

const struct twheel_result *twheel_batch_result(const struct twheel_batch *batch,
						unsigned int index)
{
	return index < batch->done ? &batch->results[index] : NULL;
}

unsigned int twheel_batch_count(const struct twheel_batch *batch)
{
	return batch->count;
}

void twheel_batch_clear(struct twheel_batch *batch)
{
	batch->count = 0;
	batch->done = 0;
}
