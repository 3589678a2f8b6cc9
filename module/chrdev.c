// SPDX-License-Identifier: GPL-2.0
/*
 * The device: file operations and registration
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "chrdev.h"
#include "compat.h"
#include "ioctl.h"
#include "reader.h"
#include "uring.h"

static int chrdev_open(struct inode *inode, struct file *file)
{
	struct twheel_file *reader = twheel_reader_create();

	if (!reader)
		return -ENOMEM;
	file->private_data = reader;
	/* A read that must not wait does not: io_uring needs no worker for it. */
	file->f_mode |= FMODE_NOWAIT;
	return stream_open(inode, file);
}

static int chrdev_release(struct inode *inode, struct file *file)
{
	twheel_reader_free(file->private_data);
	return 0;
}

static ssize_t chrdev_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *file = iocb->ki_filp;

	return twheel_reader_read(file->private_data, to,
				  file->f_flags & O_NONBLOCK ||
				  iocb->ki_flags & IOCB_NOWAIT);
}

static __poll_t chrdev_poll(struct file *file, struct poll_table_struct *table)
{
	return twheel_reader_poll(file->private_data, file, table);
}

static int chrdev_fasync(int fd, struct file *file, int on)
{
	struct twheel_file *reader = file->private_data;

	return fasync_helper(fd, file, on, &reader->fasync);
}

static long chrdev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return twheel_ioctl(file->private_data, cmd, (void __user *)arg);
}

/* Every line is a key of its own, as in other fdinfo files: easy to parse. */
static void show(struct seq_file *seq, const char *key, u64 value)
{
	seq_printf(seq, "twheel-%s:\t%llu\n", key, value);
}

static void show_config(struct seq_file *seq, struct twheel_instance *inst)
{
	struct twheel_config config;

	twheel_instance_config(inst, &config);
	show(seq, "tick-shift", config.tick_shift);
	show(seq, "clock", config.clock);
	show(seq, "overflow", config.overflow);
	show(seq, "queue-len", config.queue_len);
	show(seq, "max-timers", config.max_timers);
}

static void show_stats(struct seq_file *seq, struct twheel_instance *inst)
{
	struct twheel_stats stats;

	twheel_instance_stats(inst, &stats);
	show(seq, "timers", stats.timers);
	show(seq, "armed", stats.armed);
	show(seq, "started", stats.started);
	show(seq, "reset", stats.reset);
	show(seq, "stopped", stats.stopped);
	show(seq, "expired", stats.expired);
	show(seq, "delivered", stats.delivered);
	show(seq, "withdrawn", stats.withdrawn);
	show(seq, "dropped", stats.dropped);
	show(seq, "dead", stats.dead);
	show(seq, "waiting", stats.waiting);
	show(seq, "queued", stats.queued);
	show(seq, "oldest-ns", stats.oldest_ns);
	show(seq, "migrated", stats.migrated);
	show(seq, "passes", stats.passes);
	show(seq, "programmed", stats.programmed);
}

static void chrdev_show_fdinfo(struct seq_file *seq, struct file *file)
{
	struct twheel_file *reader = file->private_data;

	show_config(seq, &reader->inst);
	show_stats(seq, &reader->inst);
}

static const struct file_operations twheel_fops = {
	.owner = THIS_MODULE,
	.open = chrdev_open,
	.release = chrdev_release,
	.read_iter = chrdev_read_iter,
	.poll = chrdev_poll,
	.fasync = chrdev_fasync,
	.unlocked_ioctl = chrdev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.uring_cmd = twheel_uring_cmd,
	.show_fdinfo = chrdev_show_fdinfo,
};

static struct miscdevice twheel_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "twheel",
	.fops = &twheel_fops,
};

/**
 * twheel_chrdev_init() - register the device
 *
 * Return: 0 or a negative errno.
 */
int twheel_chrdev_init(void)
{
	return misc_register(&twheel_misc);
}

/**
 * twheel_chrdev_exit() - the reverse of twheel_chrdev_init()
 */
void twheel_chrdev_exit(void)
{
	misc_deregister(&twheel_misc);
}
