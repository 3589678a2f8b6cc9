// SPDX-License-Identifier: GPL-2.0
/*
 * What the device does with a mutated call, compared with what the call deserves: a
 * rejection that changes nothing, or if it deserves no error, what the counters of
 * another instance then say.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "mutate.h"

#define OTHERS_MAX	4

/* The other instance, of a thread: its descriptors. */
static __thread int other[OTHERS_MAX] = { -1, -1, -1, -1 };

static bool is_deserved(const struct mutated_call *call, int error)
{
	unsigned int i;

	for (i = 0; i < call->reasons; i++)
		if (call->reason[i] == error)
			return true;
	return false;
}

/* Errors that depend on timers and settings, which a call may get as well. */
static bool is_of_state(int error)
{
	return error == ENOENT || error == ESTALE || error == EEXIST || error == EBUSY ||
	       error == EINVAL || error == EOVERFLOW || error == ESHUTDOWN ||
	       error == ENOSPC || error == EOPNOTSUPP || error == EFAULT;
}

static bool may_be_of_state(const struct mutated_call *call, int error)
{
	return call->descriptor == MUTATED_INSTANCE && call->is_command &&
	       is_of_state(error);
}

static const char *have_rejected(struct mutated_call *call, int fd)
{
	int ret;

	mutated_place(call);
	ret = device_mutated(fd, call);
	if (ret >= 0)
		return "a call that deserves an error has succeeded";
	if (!is_deserved(call, -ret) && !may_be_of_state(call, -ret))
		return "a call has got an error that it does not deserve";
	return mutated_is_untouched(call) ? NULL : "a rejected call has changed its structure";
}

static int stats_of(int fd, struct twheel_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	return device_ioctl(fd, TWHEEL_IOC_STATS, stats);
}

/* What an operation of a batch, or a call, adds to the counters. */
static void expect_op(struct twheel_stats *expected, __u32 opcode)
{
	expected->started += opcode == TWHEEL_OP_START;
	expected->stopped += opcode == TWHEEL_OP_STOP;
	expected->reset += opcode == TWHEEL_OP_RESET;
	expected->delivered += opcode == TWHEEL_OP_ACK;
	expected->rejected += opcode == TWHEEL_OP_REJECT;
}

/* Operations are fetched before results are written, and the two do not overlap. */
static void expect_batch(struct twheel_stats *expected, const void *arg)
{
	const struct twheel_result *result;
	const struct twheel_op *op;
	struct twheel_submit submit;
	unsigned int i;

	memcpy(&submit, arg, sizeof(submit));
	op = (const struct twheel_op *)(uintptr_t)submit.ops;
	result = (const struct twheel_result *)(uintptr_t)submit.results;
	for (i = 0; i < submit.done; i++)
		if (!result[i].error)
			expect_op(expected, op[i].opcode);
}

static void note_drain(struct twheel_stats *expected, const void *arg, bool leased)
{
	struct twheel_drain drain;

	memcpy(&drain, arg, sizeof(drain));
	if (!drain.count)
		return;
	mutated_remember((const struct twheel_event *)(uintptr_t)drain.events);
	if (!leased)
		expected->delivered += drain.count;
}

static bool is_leased(int fd)
{
	struct twheel_info info = { .size = sizeof(info) };

	return !device_ioctl(fd, TWHEEL_IOC_INFO, &info) &&
	       info.delivery == TWHEEL_AT_LEAST_ONCE;
}

static void expect_call(struct twheel_stats *expected, const struct mutated_call *call,
			int fd)
{
	switch (call->cmd) {
	case TWHEEL_IOC_START:
		expect_op(expected, TWHEEL_OP_START);
		break;
	case TWHEEL_IOC_STOP:
		expect_op(expected, TWHEEL_OP_STOP);
		break;
	case TWHEEL_IOC_RESET:
		expect_op(expected, TWHEEL_OP_RESET);
		break;
	case TWHEEL_IOC_ACK:
		expect_op(expected, TWHEEL_OP_ACK);
		break;
	case TWHEEL_IOC_REJECT:
		expect_op(expected, TWHEEL_OP_REJECT);
		break;
	case TWHEEL_IOC_SUBMIT:
		expect_batch(expected, call->arg);
		break;
	case TWHEEL_IOC_DRAIN:
		note_drain(expected, call->arg, is_leased(fd));
		break;
	}
}

static const char *compare(const struct twheel_stats *s, const struct twheel_stats *expected)
{
	if (s->expired != s->delivered + s->withdrawn + s->dropped + s->dead + s->waiting +
			  s->in_flight)
		return "the books of the other instance do not balance";
	if (s->started != expected->started || s->stopped != expected->stopped ||
	    s->reset != expected->reset || s->delivered != expected->delivered ||
	    s->rejected != expected->rejected)
		return "the other instance has not counted what was done";
	return NULL;
}

/* Settings of which all that is about expiries can be had. */
static int make_other(__u64 *stream)
{
	struct twheel_setup setup = {
		.size = sizeof(setup),
		.queue_len = 1 + fuzz_draw(stream, 8),
		.dispatch = fuzz_draw(stream, 3),
	};

	if (fuzz_draw(stream, 2)) {
		setup.delivery = TWHEEL_AT_LEAST_ONCE;
		setup.lease_ns = 1 + fuzz_draw(stream, 2) * MUTATED_HOUR_NS;
		setup.max_attempts = fuzz_draw(stream, 3);
	}
	return device_other(&setup);
}

void mutated_end(void)
{
	unsigned int i;

	for (i = 0; i < OTHERS_MAX; i++) {
		if (other[i] >= 0)
			device_close(other[i]);
		other[i] = -1;
	}
	mutated_remember(&(struct twheel_event) { 0 });
}

/* A new reader is kept if there is room. */
static void keep_reader(int fd)
{
	unsigned int i;

	for (i = 1; i < OTHERS_MAX; i++) {
		if (other[i] < 0) {
			other[i] = fd;
			return;
		}
	}
	device_close(fd);
}

static int any_other(__u64 *stream)
{
	int fd = other[fuzz_draw(stream, OTHERS_MAX)];

	return fd < 0 ? other[0] : fd;
}

/* It may succeed, and then has to do what it says. */
static const char *let_pass(struct mutated_call *call, __u64 seed)
{
	__u64 stream = seed ^ UINT64_MAX;
	struct twheel_stats expected, after;
	const char *rule;
	int fd, ret;

	if (other[0] < 0)
		other[0] = make_other(&stream);
	if (other[0] < 0)
		return other[0] == -ENODEV ? NULL : "no other instance";
	fd = any_other(&stream);
	if (stats_of(fd, &expected))
		return "result of stats of the other instance";
	mutated_place(call);
	ret = device_mutated(fd, call);
	if (ret < 0 && !is_of_state(-ret) && ret != -E2BIG && ret != -ENOMEM)
		return "a call has got an error that does not exist";
	if (ret < 0 && ret != -EFAULT && !mutated_is_untouched(call))
		return "a rejected call has changed its structure";
	if (ret >= 0)
		expect_call(&expected, call, fd);
	if (stats_of(fd, &after))
		return "result of stats of the other instance";
	rule = compare(&after, &expected);
	if (ret > 0)
		keep_reader(ret);
	if (after.shut_down)
		mutated_end();
	return rule;
}

const char *mutated_try(struct mutated_call *call, int fd, __u64 seed,
			struct fuzz_tally *tally)
{
	tally->mutated++;
	if (!call->reasons)
		return let_pass(call, seed);
	tally->spoilt++;
	return have_rejected(call, fd);
}
