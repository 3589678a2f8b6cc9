// SPDX-License-Identifier: GPL-2.0
/*
 * A reader: an open file of the device and the instance behind it
 */
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "gfp.h"
#include "reader.h"

static bool reader_expire(struct twheel_clock *clock)
{
	struct twheel_file *reader;

	reader = container_of(clock, struct twheel_file, hrclock.clock);
	return twheel_instance_pass(&reader->inst);
}

/*
 * Every expiry wakes, also one that is not the first in the queue: an
 * edge-triggered epoll has to see it.
 */
static void reader_notify(struct twheel_instance *inst)
{
	struct twheel_file *reader = container_of(inst, struct twheel_file,
						    inst);

	/* Pairs with the barrier in prepare_to_wait() and poll_wait(). */
	if (wq_has_sleeper(&reader->wait))
		wake_up_interruptible_poll(&reader->wait,
					   EPOLLIN | EPOLLRDNORM);
	kill_fasync(&reader->fasync, SIGIO, POLL_IN);
}

/**
 * twheel_reader_create() - make a reader with an instance of its own
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: The reader, or NULL if there is no memory.
 */
struct twheel_file *twheel_reader_create(void)
{
	struct twheel_account *account;
	struct twheel_file *reader;

	account = twheel_account_get(current_uid());
	if (!account)
		return NULL;
	reader = kzalloc(sizeof(*reader), TWHEEL_GFP);
	if (!reader) {
		twheel_account_put(account);
		return NULL;
	}
	init_waitqueue_head(&reader->wait);
	twheel_hrclock_init(&reader->hrclock, reader_expire);
	twheel_instance_init(&reader->inst, &reader->hrclock.clock, account,
			     reader_notify);
	return reader;
}

/**
 * twheel_reader_free() - the reverse of twheel_reader_create()
 * @reader: The reader; nobody uses it any more.
 *
 * Context: May sleep.
 */
void twheel_reader_free(struct twheel_file *reader)
{
	twheel_instance_kill(&reader->inst);
	twheel_hrclock_destroy(&reader->hrclock);
	twheel_instance_destroy(&reader->inst);
	twheel_account_put(reader->inst.account);
	kfree(reader);
}

/**
 * struct iov_receiver - records go to user memory
 * @receiver: What the instance sees.
 * @to: Where they go.
 * @done: Bytes of whole records so far.
 */
struct iov_receiver {
	struct twheel_receiver receiver;
	struct iov_iter *to;
	size_t done;
};

/* Take a record if it fits whole and its memory is there. */
static bool iov_take(struct twheel_receiver *receiver,
		     const struct twheel_event *event)
{
	struct iov_receiver *iov;
	size_t copied;

	iov = container_of(receiver, struct iov_receiver, receiver);
	if (iov_iter_count(iov->to) < sizeof(*event))
		return false;
	copied = copy_to_iter(event, sizeof(*event), iov->to);
	if (copied < sizeof(*event)) {
		iov_iter_revert(iov->to, copied);
		return false;
	}
	iov->done += copied;
	return true;
}

static enum twheel_read_end deliver(struct twheel_file *reader,
				    struct iov_receiver *iov)
{
	enum twheel_read_end end;

	/* Under the lock a fault cannot be served: it ends the copy instead. */
	pagefault_disable();
	end = twheel_instance_deliver(&reader->inst, &iov->receiver);
	pagefault_enable();
	return end;
}

/*
 * Bring the memory of the next record in.  By writing to it, as the record will
 * be: there is memory that can be faulted in and not be written all the same.
 */
static bool bring_in(struct iov_iter *to)
{
	static const struct twheel_event nothing;
	size_t copied = copy_to_iter(&nothing, sizeof(nothing), to);

	iov_iter_revert(to, copied);
	return copied == sizeof(nothing);
}

/* Read what there is: the bytes, 0 if there is nothing, or -EFAULT. */
static ssize_t read_ready(struct twheel_file *reader, struct iov_iter *to)
{
	struct iov_receiver iov = { .receiver.take = iov_take, .to = to };
	enum twheel_read_end end;

	while (iov_iter_count(to) >= sizeof(struct twheel_event)) {
		end = deliver(reader, &iov);
		if (end == TWHEEL_READ_EMPTY)
			break;
		cond_resched();
		if (end == TWHEEL_READ_MORE ||
		    iov_iter_count(to) < sizeof(struct twheel_event))
			continue;
		if (!bring_in(to))
			return iov.done ?: -EFAULT;
		if (fatal_signal_pending(current))
			return iov.done ?: -EINTR;
	}
	return iov.done;
}

/**
 * twheel_reader_read() - read records
 * @reader: The reader.
 * @to: Where they go.
 * @nonblock: Do not wait.
 *
 * A record that could not be copied whole stays in the queue.
 *
 * Context: May sleep.
 * Return: Bytes of whole records, at least one; -EINVAL if there is no room for
 * one, -EAGAIN, -EFAULT or -ERESTARTSYS.
 */
ssize_t twheel_reader_read(struct twheel_file *reader, struct iov_iter *to,
			   bool nonblock)
{
	struct twheel_instance *inst = &reader->inst;
	ssize_t ret;

	if (iov_iter_count(to) < sizeof(struct twheel_event))
		return -EINVAL;
	for (;;) {
		ret = read_ready(reader, to);
		if (ret)
			break;
		if (nonblock)
			return -EAGAIN;
		ret = wait_event_interruptible_exclusive(reader->wait,
							 twheel_instance_readable(inst));
		if (ret)
			return ret;
	}
	/* One waiter is woken at a time, and leaves the rest to the next. */
	if (twheel_instance_readable(inst))
		wake_up_interruptible_poll(&reader->wait,
					   EPOLLIN | EPOLLRDNORM);
	return ret;
}

/**
 * twheel_reader_poll() - tell whether there is something to read
 * @reader: The reader.
 * @file: The file.
 * @table: As in the poll file operation.
 *
 * Return: EPOLLIN | EPOLLRDNORM or 0.
 */
__poll_t twheel_reader_poll(struct twheel_file *reader, struct file *file,
			    struct poll_table_struct *table)
{
	poll_wait(file, &reader->wait, table);
	if (!twheel_instance_readable(&reader->inst))
		return 0;
	return EPOLLIN | EPOLLRDNORM;
}
