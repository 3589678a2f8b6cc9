// SPDX-License-Identifier: GPL-2.0
/* reader, close and shutdown: who shares the instance, and its end */
#include <errno.h>
#include <unistd.h>

#include "calls.h"
#include "session.h"

const struct reader *reader_find(const struct session *s, __u64 number)
{
	unsigned int i;

	for (i = 0; i < s->nr_readers; i++) {
		if (s->readers[i].number == number)
			return &s->readers[i];
	}
	return NULL;
}

static enum verdict unknown(const struct session *s, const struct op *op,
			    __u64 number)
{
	struct why why;

	why_set(&why,
		"this script has no reader %llu; the operation reader makes one, and prints its number",
		number);
	return op_failed_why(s, op, ENOENT, &why);
}

const struct reader *reader_of(const struct session *s, const struct op *op,
			       enum verdict *verdict)
{
	const struct reader *reader = &s->readers[0];

	if (!op_given(op, OPT_READER))
		return reader;
	reader = reader_find(s, op->value[OPT_READER]);
	if (!reader)
		*verdict = unknown(s, op, op->value[OPT_READER]);
	return reader;
}

int reader_make(const struct session *s, __u32 flags, struct reader *reader)
{
	struct twheel_info info;
	int fd = call_reader(s->fd, flags | TWHEEL_READER_NONBLOCK);
	int err;

	if (fd < 0)
		return fd;
	err = twheel_info(fd, &info, sizeof(info));
	if (err) {
		close(fd);
		return err;
	}
	*reader = (struct reader){
		.fd = fd,
		.number = info.reader,
		.dead = flags & TWHEEL_READER_DEAD,
	};
	return 0;
}

enum verdict op_reader(struct session *s, const struct op *op)
{
	__u32 flags = op_given(op, OPT_DEAD) ? TWHEEL_READER_DEAD : 0;
	struct reader *reader = &s->readers[s->nr_readers];
	int err = -ENOSPC;

	if (s->nr_readers < READERS_MAX)
		err = reader_make(s, flags, reader);
	if (err)
		return op_failed(s, op, -err);
	s->nr_readers++;
	if (s->cli->json) {
		op_json(s, op);
		json_u64("reader", reader->number);
		json_bool("dead", reader->dead);
		json_end();
		return VERDICT_OK;
	}
	op_line(s, op);
	printf("reader %u%s\n", reader->number,
	       reader->dead ? ", of dead expiries" : "");
	return VERDICT_OK;
}

static void leave(struct session *s, unsigned int i)
{
	close(s->readers[i].fd);
	s->nr_readers--;
	for (; i < s->nr_readers; i++)
		s->readers[i] = s->readers[i + 1];
}

void readers_leave(struct session *s)
{
	while (s->nr_readers > 1)
		leave(s, s->nr_readers - 1);
}

enum verdict op_close(struct session *s, const struct op *op)
{
	const struct reader *reader = reader_find(s, op->operand);
	struct why why;

	if (!reader)
		return unknown(s, op, op->operand);
	if (reader == &s->readers[0]) {
		why_set(&why,
			"reader %llu is the descriptor that the script works with; it is closed when the script ends",
			op->operand);
		return op_failed_why(s, op, EINVAL, &why);
	}
	leave(s, reader - s->readers);
	if (s->cli->json) {
		op_json(s, op);
		json_u64("reader", op->operand);
		json_end();
		return VERDICT_OK;
	}
	op_line(s, op);
	printf("reader %llu has left\n", op->operand);
	return VERDICT_OK;
}

static void shutdown_json(const struct session *s, const struct op *op,
			  const struct twheel_shutdown *shutdown)
{
	op_json(s, op);
	json_u64("timers", shutdown->timers);
	json_u64("armed", shutdown->armed);
	json_u64("waiting", shutdown->waiting);
	json_u64("in_flight", shutdown->in_flight);
	json_u64("dead", shutdown->dead);
	json_end();
}

enum verdict op_shutdown(struct session *s, const struct op *op)
{
	struct twheel_shutdown shutdown = { 0 };
	int err = call_shutdown(s->fd, &shutdown);

	if (err)
		return op_failed(s, op, -err);
	if (s->cli->json) {
		shutdown_json(s, op, &shutdown);
		return VERDICT_OK;
	}
	op_line(s, op);
	printf("of %llu timers, %llu will not expire any more, %llu wait to be read, ",
	       shutdown.timers, shutdown.armed, shutdown.waiting);
	printf("%llu are in flight, %llu are dead\n", shutdown.in_flight,
	       shutdown.dead);
	return VERDICT_OK;
}
