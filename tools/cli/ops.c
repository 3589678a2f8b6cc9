// SPDX-License-Identifier: GPL-2.0
/* From an operation to the function that carries it out. */
#include "session.h"

static enum verdict op_sleep(struct session *s, const struct op *op)
{
	int err = wait_until(-1, wait_end(op->operand));

	return err ? session_stop_error(s, err) : VERDICT_OK;
}

static enum verdict op_echo(struct session *s, const struct op *op)
{
	if (!s->cli->json) {
		puts(op->text);
		return VERDICT_OK;
	}
	op_json(s, op);
	json_string("text", op->text);
	json_end();
	return VERDICT_OK;
}

static const struct {
	enum verdict (*run)(struct session *s, const struct op *op);
	bool without_device;
} actions[NR_OPS] = {
	[OP_START]	= { .run = op_start },
	[OP_RESET]	= { .run = op_reset },
	[OP_STOP]	= { .run = op_stop },
	[OP_GET]	= { .run = op_get },
	[OP_TOUCH]	= { .run = op_touch },
	[OP_READ]	= { .run = op_read },
	[OP_DRAIN]	= { .run = op_drain },
	[OP_ACK]	= { .run = op_ack },
	[OP_REJECT]	= { .run = op_reject },
	[OP_EXTEND]	= { .run = op_extend },
	[OP_READER]	= { .run = op_reader },
	[OP_CLOSE]	= { .run = op_close },
	[OP_SHUTDOWN]	= { .run = op_shutdown },
	[OP_LIST]	= { .run = op_list },
	[OP_DEAD]	= { .run = op_dead },
	[OP_SLEEP]	= { .run = op_sleep, .without_device = true },
	[OP_SETUP]	= { .run = op_setup },
	[OP_STATS]	= { .run = op_stats },
	[OP_INFO]	= { .run = op_info },
	[OP_ECHO]	= { .run = op_echo, .without_device = true },
};

enum verdict op_run(struct session *s, const struct op *op)
{
	enum verdict verdict;
	struct why why;

	if (!actions[op->code].without_device && !session_open(s))
		return VERDICT_STOP;
	verdict = actions[op->code].run(s, op);
	if (verdict == VERDICT_EXPECTED)
		return VERDICT_OK;
	if (verdict != VERDICT_OK || !op->expect)
		return verdict;
	why_set(&why, "succeeded, although it was to fail");
	return op_failed_why(s, op, 0, &why);
}
