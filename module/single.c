// SPDX-License-Identifier: GPL-2.0
/*
 * Single calls: a batch of one, in the structures of their ioctls
 *
 * Get is not among them, as it tells more than an operation of a batch does.
 */
#include "compat.h"
#include "instance.h"

/**
 * twheel_instance_start() - START_TIMER
 * @inst: The instance.
 * @req: Its results are filled in on success only.
 *
 * Constant time, apart from the first call, which sets the instance up.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: 0, -EBUSY, -EEXIST, -EINVAL, -ENOMEM, -ENOSPC, -EOPNOTSUPP or -EOVERFLOW.
 */
int twheel_instance_start(struct twheel_instance *inst,
			  struct twheel_start *req)
{
	const struct twheel_op op = {
		.opcode = TWHEEL_OP_START,
		.flags = req->flags,
		.id = req->id,
		.time_ns = req->time_ns,
		.interval_ns = req->interval_ns,
		.data = req->data,
		.slack_ns = req->slack_ns,
		.word = req->word,
	};
	struct twheel_result result;

	twheel_instance_operate(inst, NULL, &op, &result, 1);
	if (result.error)
		return result.error;
	req->outcome = result.outcome;
	req->generation = result.generation;
	req->remaining_ns = result.remaining_ns;
	req->deadline_ns = result.deadline_ns;
	return 0;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_start);

/**
 * twheel_instance_stop() - STOP_TIMER
 * @inst: The instance.
 * @req: Its results are filled in on success only.
 *
 * Constant time.
 *
 * Context: May sleep.
 * Return: 0, -ENOENT or -EOPNOTSUPP.
 */
int twheel_instance_stop(struct twheel_instance *inst, struct twheel_stop *req)
{
	const struct twheel_op op = {
		.opcode = TWHEEL_OP_STOP,
		.flags = req->flags,
		.id = req->id,
		.word = req->reserved[0] | req->reserved[1],
	};
	struct twheel_result result;

	twheel_instance_operate(inst, NULL, &op, &result, 1);
	if (result.error)
		return result.error;
	req->outcome = result.outcome;
	req->generation = result.generation;
	req->remaining_ns = result.remaining_ns;
	req->data = result.data;
	return 0;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_stop);

/**
 * twheel_instance_reset() - postpone a timer
 * @inst: The instance.
 * @req: Its results are filled in on success only.
 *
 * Constant time.
 *
 * Context: May sleep.
 * Return: 0, -EINVAL, -ENOENT, -EOPNOTSUPP or -EOVERFLOW.
 */
int twheel_instance_reset(struct twheel_instance *inst,
			  struct twheel_reset *req)
{
	const struct twheel_op op = {
		.opcode = TWHEEL_OP_RESET,
		.flags = req->flags,
		.id = req->id,
		.time_ns = req->time_ns,
		.word = req->reserved[0] | req->reserved[1],
	};
	struct twheel_result result;

	twheel_instance_operate(inst, NULL, &op, &result, 1);
	if (result.error)
		return result.error;
	req->outcome = result.outcome;
	req->generation = result.generation;
	req->remaining_ns = result.remaining_ns;
	req->deadline_ns = result.deadline_ns;
	return 0;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_reset);

/**
 * twheel_instance_ack() - ACK, REJECT, EXTEND
 * @by: Who has the delivery.
 * @opcode: TWHEEL_OP_ACK, TWHEEL_OP_REJECT or TWHEEL_OP_EXTEND.
 * @req: Its results are filled in on success only.
 *
 * Constant time, apart from an expiry that goes back to those that wait to be
 * delivered again: see twheel_dispatch_return().
 *
 * Context: May sleep.
 * Return: 0, -EINVAL, -EOPNOTSUPP, -EOVERFLOW or -ESTALE.
 */
int twheel_instance_ack(struct twheel_consumer *by, u32 opcode,
			struct twheel_ack *req)
{
	const struct twheel_op op = {
		.opcode = opcode,
		.flags = req->flags,
		.id = req->id,
		.time_ns = req->lease_ns,
		.token = req->token,
		.word = req->reserved[0] | req->reserved[1],
	};
	struct twheel_result result;

	twheel_instance_operate(by->inst, by, &op, &result, 1);
	if (result.error)
		return result.error;
	req->state = result.outcome;
	req->lease_end_ns = result.deadline_ns;
	return 0;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_instance_ack);
