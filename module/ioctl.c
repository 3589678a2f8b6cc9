// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctls: a table, copying, and checks that need no timer
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/time.h>
#include <linux/uaccess.h>

#include "batch.h"
#include "compat.h"
#include "ioctl.h"
#include "usercopy.h"

/* The layout is the interface: it is the same for 32-bit and 64-bit callers. */
static_assert(sizeof(struct twheel_info) == 136);
static_assert(sizeof(struct twheel_setup) == 56);
static_assert(sizeof(struct twheel_start) == 80);
static_assert(sizeof(struct twheel_stop) == 56);
static_assert(sizeof(struct twheel_reset) == 64);
static_assert(sizeof(struct twheel_get) == 80);
static_assert(sizeof(struct twheel_op) == 64);
static_assert(sizeof(struct twheel_result) == 48);
static_assert(sizeof(struct twheel_submit) == 48);
static_assert(sizeof(struct twheel_list_entry) == 80);
static_assert(sizeof(struct twheel_list) == 56);
static_assert(sizeof(struct twheel_uring_cmd) == 16);
static_assert(sizeof(struct twheel_ack) == 56);
static_assert(sizeof(struct twheel_reader) == 32);
static_assert(sizeof(struct twheel_drain) == 40);
static_assert(sizeof(struct twheel_shutdown) == 64);
static_assert(sizeof(struct twheel_stats) == 208);
static_assert(sizeof(struct twheel_event) == 80);

/* Room for a size-first argument. */
union twheel_arg {
	struct {
		u32 size;
		u32 flags;
	} head;
	struct twheel_info info;
	struct twheel_setup setup;
	struct twheel_stats stats;
};

static int info(struct twheel_file *tf, union twheel_arg *arg)
{
	struct twheel_instance *inst = &tf->group->inst;
	struct twheel_config config, max;

	twheel_instance_config(inst, &config);
	twheel_instance_limits(&max);
	arg->info = (struct twheel_info) {
		.size = sizeof(arg->info),
		.abi_revision = TWHEEL_ABI_REVISION,
		.event_size = sizeof(struct twheel_event),
		.tick_shift = config.tick_shift,
		.tick_shift_min = TWHEEL_TICK_SHIFT_MIN,
		.tick_shift_max = max.tick_shift,
		.clock = config.clock,
		.overflow = config.overflow,
		.queue_len = config.queue_len,
		.queue_len_max = max.queue_len,
		.max_timers = config.max_timers,
		.max_timers_max = max.max_timers,
		.min_interval_ns = BIT_ULL(config.tick_shift),
		.submit_max = TWHEEL_SUBMIT_MAX,
		.list_max = TWHEEL_LIST_MAX,
		.delivery = config.delivery,
		.dispatch = config.dispatch,
		.setup_flags = config.flags,
		.max_attempts = config.max_attempts,
		.lease_ns = config.lease_ns,
		.lease_max_ns = max.lease_ns,
		.readers = READ_ONCE(inst->pool.readers),
		.readers_max = TWHEEL_READERS_MAX,
		.reader = READ_ONCE(tf->consumer.number),
		.reader_flags = tf->consumer.flags,
		.map_words = config.map_words,
		.map_words_max = max.map_words,
	};
	return 0;
}

static int setup(struct twheel_file *tf, union twheel_arg *arg)
{
	struct twheel_config config = {
		.tick_shift = arg->setup.tick_shift,
		.clock = arg->setup.clock,
		.queue_len = arg->setup.queue_len,
		.overflow = arg->setup.overflow,
		.max_timers = arg->setup.max_timers,
		.delivery = arg->setup.delivery,
		.dispatch = arg->setup.dispatch,
		.lease_ns = arg->setup.lease_ns,
		.max_attempts = arg->setup.max_attempts,
		.flags = arg->setup.flags,
		.map_words = arg->setup.map_words,
	};
	int ret;

	if (twheel_file_is_additional(tf))
		return -EINVAL;
	ret = twheel_config_fill(&config);
	return ret ?: twheel_instance_setup(&tf->group->inst, &config);
}

static int stats(struct twheel_file *tf, union twheel_arg *arg)
{
	struct twheel_instance *inst = &tf->group->inst;
	u32 flags = arg->stats.flags;
	int ret = 0;

	if (flags & TWHEEL_STATS_READER)
		ret = twheel_consumer_stats(inst, &arg->stats);
	else
		twheel_instance_stats(inst, &arg->stats);
	arg->stats.size = sizeof(arg->stats);
	arg->stats.flags = flags;
	return ret;
}

static int start(struct twheel_file *tf, struct twheel_start *req)
{
	return twheel_instance_start(&tf->group->inst, req);
}

static int stop(struct twheel_file *tf, struct twheel_stop *req)
{
	return twheel_instance_stop(&tf->group->inst, req);
}

static int reset(struct twheel_file *tf, struct twheel_reset *req)
{
	return twheel_instance_reset(&tf->group->inst, req);
}

static int get(struct twheel_file *tf, struct twheel_get *req)
{
	return twheel_instance_get(&tf->group->inst, req);
}

static int submit(struct twheel_file *tf, struct twheel_submit *req)
{
	return twheel_batch_submit(&tf->consumer, req);
}

static int ack(struct twheel_file *tf, struct twheel_ack *req)
{
	return twheel_instance_ack(&tf->consumer, TWHEEL_OP_ACK, req);
}

static int reject(struct twheel_file *tf, struct twheel_ack *req)
{
	return twheel_instance_ack(&tf->consumer, TWHEEL_OP_REJECT, req);
}

static int extend(struct twheel_file *tf, struct twheel_ack *req)
{
	return twheel_instance_ack(&tf->consumer, TWHEEL_OP_EXTEND, req);
}

static int shutdown(struct twheel_file *tf, struct twheel_shutdown *req)
{
	return twheel_instance_shutdown(&tf->group->inst, req);
}

static int list(struct twheel_file *tf, struct twheel_list *req)
{
	return twheel_batch_list(&tf->group->inst, req);
}

/*
 * A command with an argument of a fixed size, which is whole words: fetch it, do
 * it, hand the results back.  A function for each, as what is on the stack is
 * cleared, and a copy of known length has no loop.
 *
 * Before anything is done, it is seen that the results can be written.  What is
 * written then is what was there.
 */
#define DEFINE_FIXED(name, command, type, function)			\
static long run_##name(struct twheel_file *tf, void __user *user)		\
{									\
	const bool has_results = _IOC_DIR(command) & _IOC_READ;		\
	const u32 words = sizeof(struct type) / sizeof(u64) +		\
		BUILD_BUG_ON_ZERO(sizeof(struct type) % sizeof(u64));	\
	struct type req;						\
	int ret;							\
									\
	if (!twheel_get_records(&req, user, words, 1))			\
		return -EFAULT;						\
	if (has_results && !twheel_put_records(user, &req, words, 1))	\
		return -EFAULT;						\
	ret = function(tf, &req);					\
	if (ret || !has_results)					\
		return ret;						\
	return twheel_put_records(user, &req, words, 1) ? 0 : -EFAULT;	\
}

DEFINE_FIXED(start, TWHEEL_IOC_START, twheel_start, start)
DEFINE_FIXED(stop, TWHEEL_IOC_STOP, twheel_stop, stop)
DEFINE_FIXED(reset, TWHEEL_IOC_RESET, twheel_reset, reset)
DEFINE_FIXED(get, TWHEEL_IOC_GET, twheel_get, get)
DEFINE_FIXED(submit, TWHEEL_IOC_SUBMIT, twheel_submit, submit)
DEFINE_FIXED(list, TWHEEL_IOC_LIST, twheel_list, list)
DEFINE_FIXED(ack, TWHEEL_IOC_ACK, twheel_ack, ack)
DEFINE_FIXED(reject, TWHEEL_IOC_REJECT, twheel_ack, reject)
DEFINE_FIXED(extend, TWHEEL_IOC_EXTEND, twheel_ack, extend)
DEFINE_FIXED(reader, TWHEEL_IOC_READER, twheel_reader, twheel_file_reader)
DEFINE_FIXED(drain, TWHEEL_IOC_DRAIN, twheel_drain, twheel_file_drain)
DEFINE_FIXED(shutdown, TWHEEL_IOC_SHUTDOWN, twheel_shutdown, shutdown)

/**
 * struct twheel_command - a command
 * @cmd: Its number.
 * @size: Size of its argument in this kernel.
 * @run: Does it, if its argument has a fixed size.  Returns 0, what the ioctl
 *	returns instead of results, or a negative errno.
 * @min_size: The smallest size that its size-first argument may have.
 * @flags: Flags that its size-first argument may have.
 * @run_size_first: Does it, with a copy of its size-first argument.  Returns as
 *	@run does.
 * @in_ring: An io_uring may carry it.
 */
struct twheel_command {
	unsigned int cmd;
	size_t size;
	long (*run)(struct twheel_file *tf, void __user *user);
	size_t min_size;
	u32 flags;
	int (*run_size_first)(struct twheel_file *tf, union twheel_arg *arg);
	bool in_ring;
};

#define FIXED(command, type, function, ring) {		\
	.cmd = (command),				\
	.size = sizeof(struct type),			\
	.run = (function),				\
	.in_ring = (ring),				\
}

#define SIZE_FIRST(command, type, last, mask, function) {	\
	.cmd = (command),				\
	.size = sizeof(struct type),			\
	.min_size = offsetofend(struct type, last),	\
	.flags = (mask),				\
	.run_size_first = (function),			\
}

static const struct twheel_command commands[] = {
	FIXED(TWHEEL_IOC_RESET, twheel_reset, run_reset, true),
	FIXED(TWHEEL_IOC_START, twheel_start, run_start, true),
	FIXED(TWHEEL_IOC_STOP, twheel_stop, run_stop, true),
	FIXED(TWHEEL_IOC_GET, twheel_get, run_get, true),
	FIXED(TWHEEL_IOC_SUBMIT, twheel_submit, run_submit, true),
	FIXED(TWHEEL_IOC_ACK, twheel_ack, run_ack, true),
	FIXED(TWHEEL_IOC_REJECT, twheel_ack, run_reject, true),
	FIXED(TWHEEL_IOC_EXTEND, twheel_ack, run_extend, true),
	FIXED(TWHEEL_IOC_LIST, twheel_list, run_list, false),
	FIXED(TWHEEL_IOC_READER, twheel_reader, run_reader, false),
	FIXED(TWHEEL_IOC_DRAIN, twheel_drain, run_drain, false),
	FIXED(TWHEEL_IOC_SHUTDOWN, twheel_shutdown, run_shutdown, false),
	SIZE_FIRST(TWHEEL_IOC_INFO, twheel_info, min_interval_ns, 0, info),
	SIZE_FIRST(TWHEEL_IOC_SETUP, twheel_setup, max_timers,
		   TWHEEL_STEAL | TWHEEL_CONTROL, setup),
	SIZE_FIRST(TWHEEL_IOC_STATS, twheel_stats, programmed,
		   TWHEEL_STATS_READER, stats),
};

/* Results as far as the caller's structure goes; 0 where ours ends before. */
static long copy_results(void __user *user, size_t user_size,
			 const union twheel_arg *arg, size_t size)
{
	if (copy_to_user(user, arg, min(size, user_size)))
		return -EFAULT;
	if (user_size > size && clear_user(user + size, user_size - size))
		return -EFAULT;
	return 0;
}

/* As above: first it is seen that all of the results can be written. */
static long run_size_first(const struct twheel_command *command,
			   struct twheel_file *tf, void __user *user)
{
	const bool has_results = _IOC_DIR(command->cmd) & _IOC_READ;
	union twheel_arg arg;
	u32 user_size;
	int ret;

	if (get_user(user_size, (u32 __user *)user))
		return -EFAULT;
	if (user_size < command->min_size)
		return -EINVAL;
	if (user_size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(&arg, command->size, user, user_size);
	if (ret)
		return ret;
	if (arg.head.flags & ~command->flags)
		return -EOPNOTSUPP;
	if (has_results && copy_results(user, user_size, &arg, command->size))
		return -EFAULT;
	ret = command->run_size_first(tf, &arg);
	if (ret || !has_results)
		return ret;
	return copy_results(user, user_size, &arg, command->size);
}

/* The size in the number of a size-first command may differ from ours. */
static bool is_command(const struct twheel_command *command, unsigned int cmd)
{
	if (command->min_size)
		cmd = (cmd & ~IOCSIZE_MASK) | (command->cmd & IOCSIZE_MASK);
	return cmd == command->cmd;
}

static const struct twheel_command *find_command(unsigned int cmd)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (is_command(&commands[i], cmd))
			return &commands[i];
	return NULL;
}

/**
 * twheel_ioctl() - carry out an ioctl
 * @tf: The descriptor.
 * @cmd: The command.
 * @arg: Its argument.
 *
 * Context: May sleep.
 * Return: 0, a new descriptor, or a negative errno; see
 * include/uapi/linux/twheel.h.
 */
long twheel_ioctl(struct twheel_file *tf, unsigned int cmd,
		  void __user *arg)
{
	const struct twheel_command *command = find_command(cmd);

	if (!command)
		return -ENOTTY;
	if (command->min_size)
		return run_size_first(command, tf, arg);
	return command->run(tf, arg);
}

/**
 * twheel_ioctl_in_ring() - carry out a command of an io_uring
 * @tf: The descriptor.
 * @cmd: The command.
 * @arg: Its argument.
 * @size: The size of that, as the caller gives it.
 *
 * Context: May sleep.
 * Return: 0 or a negative errno; see include/uapi/linux/twheel.h.
 */
long twheel_ioctl_in_ring(struct twheel_file *tf, unsigned int cmd,
			  void __user *arg, u32 size)
{
	const struct twheel_command *command = find_command(cmd);

	if (!command || !command->in_ring)
		return -ENOTTY;
	if (size != command->size)
		return -EINVAL;
	return command->run(tf, arg);
}
