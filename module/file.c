// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptors of an instance: making them, and the end of them
 */
#include <linux/anon_inodes.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/slab.h>

#include "compat.h"
#include "file.h"
#include "gfp.h"

static bool group_expire(struct twheel_clock *clock)
{
	struct twheel_group *group;

	group = container_of(clock, struct twheel_group, hrclock.clock);
	return twheel_instance_pass(&group->inst);
}

/*
 * Every expiry rings, also one that is not the first in the queue: an
 * edge-triggered epoll has to see it.
 */
static void ring(struct twheel_bell *bell)
{
	/* Pairs with the barrier in prepare_to_wait() and poll_wait(). */
	if (wq_has_sleeper(&bell->wait))
		wake_up_interruptible_poll(&bell->wait, EPOLLIN | EPOLLRDNORM);
	kill_fasync(&bell->fasync, SIGIO, POLL_IN);
}

static void group_notify(struct twheel_instance *inst)
{
	ring(&container_of(inst, struct twheel_group, inst)->bell);
}

static void file_notify(struct twheel_consumer *consumer)
{
	struct twheel_file *tf = container_of(consumer, struct twheel_file,
					      consumer);

	if (!consumer->ended) {
		ring(tf->bell);
		return;
	}
	wake_up_interruptible_all(&tf->bell->wait);
	kill_fasync(&tf->bell->fasync, SIGIO, POLL_HUP);
}

static struct twheel_group *group_new(const struct file_operations *fops)
{
	struct twheel_account *account;
	struct twheel_group *group;

	account = twheel_account_get(current_uid());
	if (!account)
		return NULL;
	group = kzalloc(sizeof(*group), TWHEEL_GFP);
	if (!group) {
		twheel_account_put(account);
		return NULL;
	}
	refcount_set(&group->files, 1);
	init_waitqueue_head(&group->bell.wait);
	group->fops = fops;
	twheel_hrclock_init(&group->hrclock, group_expire);
	twheel_instance_init(&group->inst, &group->hrclock.clock, account,
			     group_notify);
	return group;
}

static void group_put(struct twheel_group *group)
{
	if (!refcount_dec_and_test(&group->files))
		return;
	twheel_instance_kill(&group->inst);
	twheel_hrclock_destroy(&group->hrclock);
	twheel_instance_destroy(&group->inst);
	twheel_account_put(group->inst.account);
	kfree(group);
}

/**
 * twheel_file_open() - make an instance and its first descriptor
 * @fops: For further ones.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: The descriptor, or NULL if there is no memory.
 */
struct twheel_file *twheel_file_open(const struct file_operations *fops)
{
	struct twheel_file *tf = kzalloc(sizeof(*tf), TWHEEL_GFP);

	if (!tf)
		return NULL;
	tf->group = group_new(fops);
	if (!tf->group) {
		kfree(tf);
		return NULL;
	}
	tf->bell = &tf->group->bell;
	twheel_consumer_open(&tf->group->inst, &tf->consumer, file_notify);
	return tf;
}

/**
 * twheel_file_close() - the last reference to a descriptor is gone
 * @tf: The descriptor.
 *
 * Context: May sleep.
 */
void twheel_file_close(struct twheel_file *tf)
{
	twheel_consumer_leave(&tf->consumer);
	group_put(tf->group);
	kfree(tf);
}

/* Another descriptor of the instance. */
static struct twheel_file *file_join(struct twheel_group *group, u32 flags)
{
	struct twheel_file *tf = kzalloc(sizeof(*tf), TWHEEL_GFP);
	int ret;

	if (!tf)
		return ERR_PTR(-ENOMEM);
	tf->group = group;
	init_waitqueue_head(&tf->own_bell.wait);
	tf->bell = &tf->own_bell;
	ret = twheel_consumer_join(&group->inst, &tf->consumer, flags,
				   file_notify);
	if (ret) {
		kfree(tf);
		return ERR_PTR(ret);
	}
	/* Its settings are fixed now. */
	if (group->inst.config.dispatch == TWHEEL_SHARED &&
	    !(flags & TWHEEL_READER_DEAD))
		tf->bell = &group->bell;
	refcount_inc(&group->files);
	return tf;
}

/* A file that has no descriptor of the instance behind it yet. */
static struct file *file_make(const struct file_operations *fops, u32 flags)
{
	struct file *file;

	file = anon_inode_getfile("[twheel]", fops, NULL,
				  flags & TWHEEL_READER_NONBLOCK ?
				  O_RDWR | O_NONBLOCK : O_RDWR);
	if (IS_ERR(file))
		return file;
	file->f_mode |= FMODE_NOWAIT;
	stream_open(file_inode(file), file);
	return file;
}

/*
 * A reader and its file, for descriptor number @fd.  The reader comes last: that
 * fixes settings, and it is dealt expiries, which cannot be undone.
 */
static int install_reader(struct twheel_group *group, u32 flags, int fd)
{
	struct file *file = file_make(group->fops, flags);
	struct twheel_file *tf;

	if (IS_ERR(file))
		return PTR_ERR(file);
	tf = file_join(group, flags);
	if (IS_ERR(tf)) {
		fput(file);
		return PTR_ERR(tf);
	}
	file->private_data = tf;
	fd_install(fd, file);
	return fd;
}

/**
 * twheel_file_reader() - READER
 * @from: A descriptor of the instance.
 * @req: What is asked for.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: The number of a new descriptor, or -EINVAL, -EMFILE, -ENFILE,
 * -ENOMEM, -ENOSPC, -EOPNOTSUPP or -ESHUTDOWN.
 */
int twheel_file_reader(struct twheel_file *from, struct twheel_reader *req)
{
	struct twheel_instance *inst = &from->group->inst;
	int fd, ret = 0;

	if (req->flags & ~(TWHEEL_READER_NONBLOCK | TWHEEL_READER_DEAD) ||
	    req->reserved || req->reserved2[0] || req->reserved2[1] ||
	    req->reserved2[2])
		return -EOPNOTSUPP;
	if (!READ_ONCE(inst->wheel))
		ret = twheel_instance_setup(inst, NULL);
	if (ret)
		return ret;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	ret = install_reader(from->group, req->flags, fd);
	if (ret < 0)
		put_unused_fd(fd);
	return ret;
}
