// SPDX-License-Identifier: GPL-2.0
/*
 * A call is first made as the description has it, and then spoilt in one or two ways.
 * Which errors it deserves is found out from what came of that, by the description,
 * and not from the ways; so a flipped bit that hits nothing may well succeed.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mutate.h"

#define PAGE		4096UL
#define TIME_MAX	INT64_MAX
#define KERNEL_ADDRESS	0xffff888000000000ULL
#define OPS		16

/**
 * enum field_kind - what may be in a field
 * @F_ANY: Anything, or what the kernel fills in.
 * @F_ID: A timer.
 * @F_TIME: A time.
 * @F_ZERO: Nothing.
 * @F_FLAGS: Flags; the limit is all of them.
 * @F_COUNT: A number from 1 to the limit.
 * @F_ARRAY: The address of an array.
 * @F_SIZE: The size of the structure; the limit is the smallest one.
 * @F_TOKEN: The token of a delivery.
 */
enum field_kind {
	F_ANY, F_ID, F_TIME, F_ZERO, F_FLAGS, F_COUNT, F_ARRAY, F_SIZE, F_TOKEN
};

struct field {
	unsigned int offset;
	unsigned int size;
	enum field_kind kind;
	__u64 limit;
};

#define FIELDS	12

struct mutated_command {
	const char *name;
	unsigned int cmd;
	size_t size;
	struct field field[FIELDS];
};

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* How much of its structure a field of a kind is. */
#define SIZE_F_ID	8
#define SIZE_F_TIME	8
#define SIZE_F_ZERO	8
#define SIZE_F_ZERO32	4
#define SIZE_F_FLAGS	4
#define SIZE_F_COUNT	4
#define SIZE_F_ARRAY	8
#define SIZE_F_SIZE	4
#define SIZE_F_TOKEN	8
#define F_ZERO32	F_ZERO

#define FIELD(type, name, kind, limit) \
	{ offsetof(struct type, name), SIZE_##kind, kind, limit }
#define COMMAND(label, type, ...) \
	{ #label, TWHEEL_IOC_##label, sizeof(struct type), { __VA_ARGS__ } }

#define ACK(label, lease) COMMAND(label, twheel_ack,			\
	FIELD(twheel_ack, id, F_ID, 0),				\
	FIELD(twheel_ack, token, F_TOKEN, 0),			\
	FIELD(twheel_ack, lease_ns, lease, 0),			\
	FIELD(twheel_ack, flags, F_FLAGS, 0),			\
	FIELD(twheel_ack, reserved[0], F_ZERO, 0),		\
	FIELD(twheel_ack, reserved[1], F_ZERO, 0))

/* All that is not named is filled in by the kernel, or may be anything. */
static const struct mutated_command commands[] = {
	COMMAND(INFO, twheel_info,
		FIELD(twheel_info, size, F_SIZE, offsetof(struct twheel_info, submit_max)),
		FIELD(twheel_info, flags, F_FLAGS, 0)),
	COMMAND(SETUP, twheel_setup,
		FIELD(twheel_setup, size, F_SIZE, offsetof(struct twheel_setup, delivery)),
		FIELD(twheel_setup, flags, F_FLAGS, TWHEEL_STEAL | TWHEEL_CONTROL)),
	COMMAND(STATS, twheel_stats,
		FIELD(twheel_stats, size, F_SIZE, offsetof(struct twheel_stats, in_flight)),
		FIELD(twheel_stats, flags, F_FLAGS, TWHEEL_STATS_READER)),
	COMMAND(START, twheel_start,
		FIELD(twheel_start, id, F_ID, 0),
		FIELD(twheel_start, time_ns, F_TIME, 0),
		FIELD(twheel_start, flags, F_FLAGS,
		      TWHEEL_ABSTIME | TWHEEL_EXCLUSIVE | TWHEEL_MAPPED)),
	COMMAND(STOP, twheel_stop,
		FIELD(twheel_stop, id, F_ID, 0),
		FIELD(twheel_stop, flags, F_FLAGS, 0),
		FIELD(twheel_stop, reserved[0], F_ZERO, 0),
		FIELD(twheel_stop, reserved[1], F_ZERO, 0)),
	COMMAND(RESET, twheel_reset,
		FIELD(twheel_reset, id, F_ID, 0),
		FIELD(twheel_reset, flags, F_FLAGS, TWHEEL_NEW_TIMEOUT | TWHEEL_ABSTIME),
		FIELD(twheel_reset, reserved[0], F_ZERO, 0),
		FIELD(twheel_reset, reserved[1], F_ZERO, 0)),
	COMMAND(GET, twheel_get,
		FIELD(twheel_get, id, F_ID, 0),
		FIELD(twheel_get, flags, F_FLAGS, 0),
		FIELD(twheel_get, mapped, F_ZERO32, 0),
		FIELD(twheel_get, word, F_ZERO32, 0)),
	COMMAND(SUBMIT, twheel_submit,
		FIELD(twheel_submit, ops, F_ARRAY, 0),
		FIELD(twheel_submit, results, F_ARRAY, 1),
		FIELD(twheel_submit, count, F_COUNT, TWHEEL_SUBMIT_MAX),
		FIELD(twheel_submit, flags, F_FLAGS, 0),
		FIELD(twheel_submit, reserved, F_ZERO32, 0),
		FIELD(twheel_submit, reserved2[0], F_ZERO, 0),
		FIELD(twheel_submit, reserved2[1], F_ZERO, 0)),
	COMMAND(LIST, twheel_list,
		FIELD(twheel_list, entries, F_ARRAY, 1),
		FIELD(twheel_list, room, F_COUNT, TWHEEL_LIST_MAX),
		FIELD(twheel_list, flags, F_FLAGS, 0),
		FIELD(twheel_list, reserved[0], F_ZERO, 0),
		FIELD(twheel_list, reserved[1], F_ZERO, 0)),
	ACK(ACK, F_ZERO),
	ACK(REJECT, F_ZERO),
	ACK(EXTEND, F_TIME),
	COMMAND(READER, twheel_reader,
		FIELD(twheel_reader, flags, F_FLAGS,
		      TWHEEL_READER_NONBLOCK | TWHEEL_READER_DEAD),
		FIELD(twheel_reader, reserved, F_ZERO32, 0),
		FIELD(twheel_reader, reserved2[0], F_ZERO, 0),
		FIELD(twheel_reader, reserved2[1], F_ZERO, 0),
		FIELD(twheel_reader, reserved2[2], F_ZERO, 0)),
	COMMAND(DRAIN, twheel_drain,
		FIELD(twheel_drain, events, F_ARRAY, 1),
		FIELD(twheel_drain, room, F_COUNT, TWHEEL_DRAIN_MAX),
		FIELD(twheel_drain, flags, F_FLAGS, 0),
		FIELD(twheel_drain, reserved[0], F_ZERO, 0),
		FIELD(twheel_drain, reserved[1], F_ZERO, 0)),
	COMMAND(SHUTDOWN, twheel_shutdown,
		FIELD(twheel_shutdown, flags, F_FLAGS, 0),
		FIELD(twheel_shutdown, reserved, F_ZERO32, 0),
		FIELD(twheel_shutdown, reserved2[0], F_ZERO, 0),
		FIELD(twheel_shutdown, reserved2[1], F_ZERO, 0)),
};

/**
 * struct memory - what the arguments of a thread are in
 * @rw: Two pages, and behind them one that is not there.
 * @ro: A page that cannot be written.
 * @array: For arrays: two halves, and behind them a page that is not there.
 */
struct memory {
	unsigned char *rw;
	unsigned char *ro;
	unsigned char *array;
};

#define ARRAY_HALF	(2 * PAGE)

static __thread struct memory memory;

/* A delivery of the thread's other instance, for calls that answer one. */
static __thread struct twheel_event known;

void mutated_remember(const struct twheel_event *event)
{
	known = *event;
}

static void *map(size_t size, size_t hole)
{
	unsigned char *p = mmap(NULL, size + hole, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + size, hole, PROT_NONE)) {
		fprintf(stderr, "twheel-fuzz: out of memory\n");
		exit(2);
	}
	return p;
}

static void make_memory(void)
{
	if (memory.rw)
		return;
	memory.rw = map(2 * PAGE, PAGE);
	memory.ro = map(PAGE, PAGE);
	memory.array = map(2 * ARRAY_HALF, PAGE);
}

/* ---- as it should be */

static __u64 get_field(const struct mutated_call *call, const struct field *field)
{
	__u64 wide = 0;

	memcpy(&wide, call->bytes + field->offset, field->size);
	return wide;
}

static void put_field(struct mutated_call *call, const struct field *field, __u64 value)
{
	memcpy(call->bytes + field->offset, &value, field->size);
}

static __u64 good_value(const struct mutated_call *call, const struct field *field,
			__u64 *stream)
{
	switch (field->kind) {
	case F_ID:
		return known.token && fuzz_draw(stream, 2) ? known.id : fuzz_draw(stream, FUZZ_IDS);
	case F_TIME:
		return fuzz_draw(stream, 4) ? fuzz_draw(stream, 3000000) + 1 : MUTATED_HOUR_NS;
	case F_FLAGS:
		/* Words, and readers of the dead, are for other settings. */
		return fuzz_draw(stream, 4) ? 0 : fuzz_draw(stream, 2) & field->limit;
	case F_COUNT:
		return 1 + fuzz_draw(stream, OPS);
	case F_ARRAY:
		return (uintptr_t)memory.array + field->limit * ARRAY_HALF;
	case F_SIZE:
		return call->command->size;
	case F_TOKEN:
		return known.token;
	default:
		return 0;
	}
}

static void make_good(struct mutated_call *call, __u64 *stream)
{
	const struct field *field;

	call->size = call->command->size;
	for (field = call->command->field; field->size; field++)
		put_field(call, field, good_value(call, field, stream));
}

static void make_ops(__u64 *stream)
{
	struct twheel_op *op = (struct twheel_op *)memory.array;
	unsigned int i;

	memset(memory.array, 0, 2 * ARRAY_HALF);
	for (i = 0; i < OPS; i++) {
		op[i].opcode = fuzz_draw(stream, TWHEEL_OP_EXTEND + 2);
		op[i].id = fuzz_draw(stream, FUZZ_IDS);
		if (op[i].opcode == TWHEEL_OP_START || op[i].opcode == TWHEEL_OP_EXTEND)
			op[i].time_ns = 1 + fuzz_draw(stream, 3000000);
		if (op[i].opcode >= TWHEEL_OP_ACK) {
			op[i].id = known.id;
			op[i].token = known.token;
		}
		if (!fuzz_draw(stream, 8))
			((unsigned char *)&op[i])[fuzz_draw(stream, sizeof(*op))] ^=
				1 << fuzz_draw(stream, 8);
	}
}

/* ---- spoilt */

static __u64 edge(__u64 *stream)
{
	static const __u64 edges[] = {
		0, 1, 7, PAGE, PAGE + 1, 0xffff, 0x10001, INT32_MAX, UINT32_MAX,
		TIME_MAX, 1ULL << 63, UINT64_MAX, UINT64_MAX - 7, KERNEL_ADDRESS,
	};

	return edges[fuzz_draw(stream, ARRAY_SIZE(edges))];
}

static const struct field *any_field(const struct mutated_call *call, __u64 *stream)
{
	unsigned int nr = 0;

	while (nr < FIELDS && call->command->field[nr].size)
		nr++;
	return &call->command->field[fuzz_draw(stream, nr)];
}

static void spoil_bit(struct mutated_call *call, __u64 *stream)
{
	call->bytes[fuzz_draw(stream, call->size)] ^= 1 << fuzz_draw(stream, 8);
}

static void spoil_field(struct mutated_call *call, __u64 *stream)
{
	put_field(call, any_field(call, stream), edge(stream));
}

/* Not to one that all files have: FIONBIO would make reads wait. */
static void spoil_command(struct mutated_call *call, __u64 *stream)
{
	switch (fuzz_draw(stream, 4)) {
	case 0:
		call->cmd ^= 1U << fuzz_draw(stream, 8);			/* number */
		break;
	case 1:
		call->cmd ^= 1U << (_IOC_TYPESHIFT + fuzz_draw(stream, 3));
		break;
	case 2:
		call->cmd ^= 1U << (_IOC_SIZESHIFT + fuzz_draw(stream, _IOC_SIZEBITS));
		break;
	default:
		call->cmd ^= 1U << (_IOC_DIRSHIFT + fuzz_draw(stream, _IOC_DIRBITS));
	}
}

static void spoil_memory(struct mutated_call *call, __u64 *stream)
{
	call->read_only = false;
	switch (fuzz_draw(stream, 5)) {
	case 0:
		call->arg = NULL;
		call->mapped = 0;
		break;
	case 1:
		call->arg = (void *)KERNEL_ADDRESS;
		call->mapped = 0;
		break;
	case 2:
		call->arg = memory.ro;
		call->mapped = PAGE;
		call->read_only = true;
		break;
	case 3:
		call->mapped = fuzz_draw(stream, call->size);
		call->arg = memory.rw + 2 * PAGE - call->mapped;
		break;
	default:	/* any alignment will do */
		call->mapped = call->size + fuzz_draw(stream, 64);
		call->arg = memory.rw + 2 * PAGE - call->mapped;
	}
}

static void spoil_descriptor(struct mutated_call *call, __u64 *stream)
{
	call->descriptor = MUTATED_CLOSED + fuzz_draw(stream, 3);
}

static void spoil_array(struct mutated_call *call, __u64 *stream)
{
	const struct field *field;

	for (field = call->command->field; field->size; field++) {
		if (field->kind != F_ARRAY)
			continue;
		if (fuzz_draw(stream, 2))
			put_field(call, field, (uintptr_t)memory.array + 2 * ARRAY_HALF -
				  8 * fuzz_draw(stream, 64) + fuzz_draw(stream, 2));
		else
			put_field(call, field, (uintptr_t)memory.array + fuzz_draw(stream, PAGE));
	}
}

static void spoil(struct mutated_call *call, __u64 *stream)
{
	static void (* const ways[])(struct mutated_call *call, __u64 *stream) = {
		spoil_bit, spoil_bit, spoil_field, spoil_field, spoil_command,
		spoil_memory, spoil_descriptor, spoil_array,
	};
	unsigned int times = fuzz_draw(stream, 4) ? 1 : 2;

	if (!fuzz_draw(stream, 4))
		return;
	while (times--)
		ways[fuzz_draw(stream, ARRAY_SIZE(ways))](call, stream);
}

/*
 * The kernel writes where an array is: nowhere but into ours, or memory that is not
 * there.  What is right behind them is that.
 */
static void tame(struct mutated_call *call, const struct mutated_command *command)
{
	__u64 first = (uintptr_t)memory.array, hole = first + 2 * ARRAY_HALF;
	const struct field *field;

	for (field = command->field; field->size; field++) {
		__u64 value = get_field(call, field);

		if (field->kind == F_ARRAY && value >= PAGE && value < KERNEL_ADDRESS &&
		    (value < first || value >= hole))
			put_field(call, field, hole + value % 8);
	}
}

/* ---- what it deserves */

static void deserve(struct mutated_call *call, int error, bool if_so)
{
	if (if_so && call->reasons < MUTATED_REASONS)
		call->reason[call->reasons++] = error;
}

static bool is_size_first(const struct mutated_command *command)
{
	return command->field[0].kind == F_SIZE;
}

static bool has_results(const struct mutated_command *command)
{
	return _IOC_DIR(command->cmd) & _IOC_READ;
}

/* The command that the number stands for, or NULL. */
static const struct mutated_command *command_of(unsigned int cmd)
{
	const unsigned int size = _IOC_SIZEMASK << _IOC_SIZESHIFT;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		unsigned int differs = cmd ^ commands[i].cmd;

		if (is_size_first(&commands[i]))
			differs &= ~size;
		if (!differs)
			return &commands[i];
	}
	return NULL;
}

static void judge_size(struct mutated_call *call, const struct mutated_command *command)
{
	__u64 size = get_field(call, &command->field[0]), i;

	deserve(call, EFAULT, call->mapped < sizeof(__u32));
	deserve(call, EINVAL, size < command->field[0].limit);
	deserve(call, E2BIG, size > PAGE);
	deserve(call, EFAULT, size > call->mapped);
	deserve(call, EFAULT, call->read_only && has_results(command));
	/* What is behind the structure of another command, when that is shorter. */
	for (i = command->size; i < call->size && i < size; i++)
		deserve(call, E2BIG, call->bytes[i]);
}

static void judge_memory(struct mutated_call *call, const struct mutated_command *command)
{
	if (is_size_first(command)) {
		judge_size(call, command);
		return;
	}
	deserve(call, EFAULT, call->mapped < command->size);
	deserve(call, EFAULT, call->read_only && has_results(command));
}

static void judge_field(struct mutated_call *call, const struct field *field)
{
	__u64 value = get_field(call, field);

	switch (field->kind) {
	case F_ZERO:
		deserve(call, EOPNOTSUPP, value);
		break;
	case F_FLAGS:
		deserve(call, EOPNOTSUPP, value & ~field->limit);
		break;
	case F_COUNT:
		deserve(call, EINVAL, !value || value > field->limit);
		break;
	case F_ARRAY:
		deserve(call, EINVAL, value % 8);
		deserve(call, EFAULT, value >= KERNEL_ADDRESS);
		break;
	default:
		break;
	}
}

static void judge_start(struct mutated_call *call)
{
	const struct twheel_start *start = (const struct twheel_start *)call->bytes;

	deserve(call, EOVERFLOW, start->time_ns > TIME_MAX);
	deserve(call, EOVERFLOW, start->interval_ns > TIME_MAX);
	deserve(call, EINVAL, start->interval_ns && start->interval_ns < 16);
	deserve(call, EINVAL, start->flags & TWHEEL_MAPPED);
	deserve(call, EOPNOTSUPP, start->word && !(start->flags & TWHEEL_MAPPED));
}

static void judge_reset(struct mutated_call *call)
{
	const struct twheel_reset *reset = (const struct twheel_reset *)call->bytes;

	deserve(call, EINVAL, reset->time_ns && !(reset->flags & TWHEEL_NEW_TIMEOUT));
	deserve(call, EOVERFLOW, reset->time_ns > TIME_MAX);
}

static void judge_submit(struct mutated_call *call)
{
	const struct twheel_submit *submit = (const struct twheel_submit *)call->bytes;
	__u64 ops_end = submit->ops + (__u64)submit->count * sizeof(struct twheel_op);
	__u64 results_end = submit->results +
			    (__u64)submit->count * sizeof(struct twheel_result);

	deserve(call, EINVAL, submit->ops < results_end && submit->results < ops_end);
}

static void judge(struct mutated_call *call)
{
	const struct mutated_command *command = command_of(call->cmd);
	const struct field *field;

	call->is_command = command;
	deserve(call, EBADF, call->descriptor == MUTATED_CLOSED);
	deserve(call, ENOTTY, call->descriptor == MUTATED_NULL);
	deserve(call, ENOTTY, call->descriptor == MUTATED_PIPE);
	deserve(call, ENOTTY, !command);
	if (!command)
		return;
	tame(call, command);
	judge_memory(call, command);
	for (field = command->field; field->size; field++)
		judge_field(call, field);
	if (command->cmd == TWHEEL_IOC_START)
		judge_start(call);
	else if (command->cmd == TWHEEL_IOC_RESET)
		judge_reset(call);
	else if (command->cmd == TWHEEL_IOC_SUBMIT)
		judge_submit(call);
}

void mutated_make(struct mutated_call *call, __u64 seed)
{
	__u64 stream = seed;

	make_memory();
	memset(call, 0, sizeof(*call));
	call->command = &commands[fuzz_draw(&stream, ARRAY_SIZE(commands))];
	call->cmd = call->command->cmd;
	call->arg = memory.rw;
	call->mapped = 2 * PAGE;
	make_good(call, &stream);
	make_ops(&stream);
	spoil(call, &stream);
	judge(call);
}

/* ---- where it is */

void mutated_place(const struct mutated_call *call)
{
	size_t size = call->size < call->mapped ? call->size : call->mapped;

	memset(memory.rw, 0, 2 * PAGE);
	mprotect(memory.ro, PAGE, PROT_READ | PROT_WRITE);
	memset(memory.ro, 0, PAGE);
	if (size)
		memcpy(call->arg, call->bytes, size);
	mprotect(memory.ro, PAGE, PROT_READ);
}

bool mutated_is_untouched(const struct mutated_call *call)
{
	size_t size = call->size < call->mapped ? call->size : call->mapped;

	return !size || !memcmp(call->arg, call->bytes, size);
}

void mutated_print(FILE *out, const struct mutated_call *call)
{
	unsigned int i;

	fprintf(out, "# %s: cmd %#x, arg %p (%zu bytes%s), descriptor %d, deserves",
		call->command->name, call->cmd, call->arg, call->mapped,
		call->read_only ? ", read only" : "", call->descriptor);
	for (i = 0; i < call->reasons; i++)
		fprintf(out, " %s", strerrorname_np(call->reason[i]));
	fputs(call->reasons ? "\n#  " : " no error\n#  ", out);
	for (i = 0; i < call->size; i++)
		fprintf(out, "%s%02x", i % 8 ? "" : " ", call->bytes[i]);
	fputc('\n', out);
}
