// SPDX-License-Identifier: GPL-2.0
/*
 * The device: file operations and registration
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

#include "chrdev.h"
#include "compat.h"
#include "fdinfo.h"
#include "file.h"
#include "ioctl.h"
#include "mapping.h"
#include "uring.h"

static int chrdev_open(struct inode *inode, struct file *file)
{
	struct twheel_file *tf = twheel_file_open(file->f_op);

	if (!tf)
		return -ENOMEM;
	file->private_data = tf;
	/* A read that must not wait does not: io_uring needs no worker for it. */
	file->f_mode |= FMODE_NOWAIT;
	return stream_open(inode, file);
}

static int chrdev_release(struct inode *inode, struct file *file)
{
	/* What READER has made in vain is the file of nobody. */
	if (file->private_data)
		twheel_file_close(file->private_data);
	return 0;
}

static ssize_t chrdev_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *file = iocb->ki_filp;

	return twheel_file_read(file->private_data, to,
				file->f_flags & O_NONBLOCK ||
				iocb->ki_flags & IOCB_NOWAIT);
}

static __poll_t chrdev_poll(struct file *file, struct poll_table_struct *table)
{
	return twheel_file_poll(file->private_data, file, table);
}

static int chrdev_fasync(int fd, struct file *file, int on)
{
	struct twheel_file *tf = file->private_data;

	return fasync_helper(fd, file, on, &tf->bell->fasync);
}

static int chrdev_mmap(struct file *file, struct vm_area_struct *vma)
{
	return twheel_mapping_make(file->private_data, vma);
}

static long chrdev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return twheel_ioctl(file->private_data, cmd, (void __user *)arg);
}

static const struct file_operations twheel_fops = {
	.owner = THIS_MODULE,
	.open = chrdev_open,
	.release = chrdev_release,
	.read_iter = chrdev_read_iter,
	.poll = chrdev_poll,
	.fasync = chrdev_fasync,
	.mmap = chrdev_mmap,
	.unlocked_ioctl = chrdev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.uring_cmd = twheel_uring_cmd,
	.show_fdinfo = twheel_fdinfo_show,
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
