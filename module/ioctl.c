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

/* Room for the argument of any command. */
union twheel_arg {
	struct {
		u32 size;
		u32 flags;
	} head;
	struct twheel_info info;
	struct twheel_setup setup;
	struct twheel_stats stats;
	struct twheel_start start;
	struct twheel_stop stop;
	struct twheel_reset reset;
	struct twheel_get get;
	struct twheel_submit submit;
	struct twheel_list list;
	struct twheel_ack ack;
	struct twheel_reader reader;
	struct twheel_drain drain;
	struct twheel_shutdown shutdown;
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

static int start(struct twheel_file *tf, union twheel_arg *arg)
{
	return twheel_instance_start(&tf->group->inst, &arg->start);
}

static int stop(struct twheel_file *tf, union twheel_arg *arg)
{
	return twheel_instance_stop(&tf->group->inst, &arg->stop);
}

static int reset(struct twheel_file *tf, union twheel_arg *arg)
{
	return twheel_instance_reset(&tf->group->inst, &arg->reset);
}

static int get(struct twheel_file *tf, union twheel_arg *arg)
{
	return twheel_instance_get(&tf->group->inst, &arg->get);
}

static int submit(struct twheel_file *tf, union twheel_arg *arg)
{
	return twheel_batch_submit(&tf->consumer, &arg->submit);
}

static int ack(struct twheel_file *tf, union twheel_arg *arg)
{
	return twheel_instance_ack(&tf->consumer, TWHEEL_OP_ACK, &arg->ack);
}

static int reject(struct twheel_file *tf, union twheel_arg *arg)
{
	return twheel_instance_ack(&tf->consumer, TWHEEL_OP_REJECT, &arg->ack);
}

static int extend(struct twheel_file *tf, union twheel_arg *arg)
{
	return twheel_instance_ack(&tf->consumer, TWHEEL_OP_EXTEND, &arg->ack);
}

static int reader(struct twheel_file *tf, union twheel_arg *arg)
{
	return twheel_file_reader(tf, &arg->reader);
}

static int drain(struct twheel_file *tf, union twheel_arg *arg)
{
	return twheel_file_drain(tf, &arg->drain);
}

static int shutdown(struct twheel_file *tf, union twheel_arg *arg)
{
	return twheel_instance_shutdown(&tf->group->inst, &arg->shutdown);
}

static int list(struct twheel_file *tf, union twheel_arg *arg)
{
	return twheel_batch_list(&tf->group->inst, &arg->list);
}

/**
 * struct twheel_command - a command
 * @cmd: Its number.
 * @size: Size of its argument in this kernel; whole words of 64 bits.
 * @min_size: 0, or the smallest size that its size-first argument may have.
 * @flags: Flags that its size-first argument may have.
 * @in_ring: An io_uring may carry it.
 * @run: Does it; @arg holds a copy of the argument.  Returns 0, what the ioctl
 *	returns instead of results, or a negative errno.
 */
struct twheel_command {
	unsigned int cmd;
	size_t size;
	size_t min_size;
	u32 flags;
	bool in_ring;
	int (*run)(struct twheel_file *tf, union twheel_arg *arg);
};

#define FIXED(command, type, function, ring) {		\
	.cmd = (command),				\
	.size = sizeof(struct type) +			\
		BUILD_BUG_ON_ZERO(sizeof(struct type) % sizeof(u64)),	\
	.in_ring = (ring),				\
	.run = (function),				\
}

#define SIZE_FIRST(command, type, last, mask, function) {	\
	.cmd = (command),				\
	.size = sizeof(struct type),			\
	.min_size = offsetofend(struct type, last),	\
	.flags = (mask),				\
	.run = (function),				\
}

static const struct twheel_command commands[] = {
	FIXED(TWHEEL_IOC_RESET, twheel_reset, reset, true),
	FIXED(TWHEEL_IOC_START, twheel_start, start, true),
	FIXED(TWHEEL_IOC_STOP, twheel_stop, stop, true),
	FIXED(TWHEEL_IOC_GET, twheel_get, get, true),
	FIXED(TWHEEL_IOC_SUBMIT, twheel_submit, submit, true),
	FIXED(TWHEEL_IOC_ACK, twheel_ack, ack, true),
	FIXED(TWHEEL_IOC_REJECT, twheel_ack, reject, true),
	FIXED(TWHEEL_IOC_EXTEND, twheel_ack, extend, true),
	FIXED(TWHEEL_IOC_LIST, twheel_list, list, false),
	FIXED(TWHEEL_IOC_READER, twheel_reader, reader, false),
	FIXED(TWHEEL_IOC_DRAIN, twheel_drain, drain, false),
	FIXED(TWHEEL_IOC_SHUTDOWN, twheel_shutdown, shutdown, false),
	SIZE_FIRST(TWHEEL_IOC_INFO, twheel_info, min_interval_ns, 0, info),
	SIZE_FIRST(TWHEEL_IOC_SETUP, twheel_setup, max_timers,
		   TWHEEL_STEAL | TWHEEL_CONTROL, setup),
	SIZE_FIRST(TWHEEL_IOC_STATS, twheel_stats, programmed,
		   TWHEEL_STATS_READER, stats),
};

/*
 * See that the results can be written before anything is done.  An argument is
 * smaller than a page, so its first and its last word tell for all of it; what
 * is written is what was there.
 */
static int probe_results(u64 __user *user, const union twheel_arg *arg,
			 size_t size)
{
	const u64 *word = (const u64 *)arg;
	size_t last = size / sizeof(u64) - 1;

	if (put_user(word[0], user) || put_user(word[last], user + last))
		return -EFAULT;
	return 0;
}

static long run_fixed(const struct twheel_command *command,
		      struct twheel_file *tf, void __user *user)
{
	bool has_results = _IOC_DIR(command->cmd) & _IOC_READ;
	u32 words = command->size / sizeof(u64);
	union twheel_arg arg;
	int ret = 0;

	if (twheel_get_words((u64 *)&arg, user, words) < words)
		return -EFAULT;
	if (has_results)
		ret = probe_results(user, &arg, command->size);
	if (!ret)
		ret = command->run(tf, &arg);
	if (ret || !has_results)
		return ret;
	return twheel_put_words(user, (const u64 *)&arg, words) < words ? -EFAULT : 0;
}

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

static long run_size_first(const struct twheel_command *command,
			   struct twheel_file *tf, void __user *user)
{
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
	ret = command->run(tf, &arg);
	if (ret || !(_IOC_DIR(command->cmd) & _IOC_READ))
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
	return run_fixed(command, tf, arg);
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
	return run_fixed(command, tf, arg);
}
