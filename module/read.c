// SPDX-License-Identifier: GPL-2.0
/*
 * Reading: records to user memory, and waiting for them
 */
#include <linux/errno.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "file.h"
#include "usercopy.h"

/**
 * struct iov_receiver - records go to user memory
 * @receiver: What the instance sees.
 * @to: Where they go.
 * @user: Where the next one goes, while they are delivered to a plain buffer.
 * @room: Bytes that are left there.
 * @claim: Which.
 * @done: Bytes of whole records so far.
 */
struct iov_receiver {
	struct twheel_receiver receiver;
	struct iov_iter *to;
	void __user *user;
	size_t room;
	enum twheel_claim claim;
	size_t done;
};

/* A record to memory of any kind; false if it is not there. */
static bool copy_event(struct iov_iter *to, const struct twheel_event *event)
{
	size_t copied = copy_to_iter(event, sizeof(*event), to);

	if (copied == sizeof(*event))
		return true;
	iov_iter_revert(to, copied);
	return false;
}

/* Take a record if it fits whole and its memory is there. */
static bool iov_take(struct twheel_receiver *receiver,
		     const struct twheel_event *event)
{
	struct iov_receiver *iov;

	iov = container_of(receiver, struct iov_receiver, receiver);
	if (iov_iter_count(iov->to) < sizeof(*event) ||
	    !copy_event(iov->to, event))
		return false;
	iov->done += sizeof(*event);
	return true;
}

/* The same for the usual read, of which a copy of any kind would cost more. */
static bool buffer_take(struct twheel_receiver *receiver,
			const struct twheel_event *event)
{
	const u32 words = sizeof(*event) / sizeof(u64);
	struct iov_receiver *iov;

	iov = container_of(receiver, struct iov_receiver, receiver);
	if (iov->room < sizeof(*event) ||
	    !twheel_put_records(iov->user, event, words, 1))
		return false;
	iov->user += sizeof(*event);
	iov->room -= sizeof(*event);
	return true;
}

/* What iov->to says of a plain buffer is brought up to date at the end. */
static enum twheel_read_end deliver_to_buffer(struct twheel_file *tf,
					      struct iov_receiver *iov)
{
	size_t room = iov_iter_count(iov->to);
	enum twheel_read_end end;

	iov->user = iov->to->ubuf + iov->to->iov_offset;
	iov->room = room;
	end = twheel_instance_deliver(&tf->consumer, &iov->receiver, iov->claim);
	iov->done += room - iov->room;
	iov_iter_advance(iov->to, room - iov->room);
	return end;
}

static enum twheel_read_end deliver(struct twheel_file *tf,
				    struct iov_receiver *iov)
{
	enum twheel_read_end end;

	/* Under the lock a fault cannot be served: it ends the copy instead. */
	pagefault_disable();
	if (iter_is_ubuf(iov->to))
		end = deliver_to_buffer(tf, iov);
	else
		end = twheel_instance_deliver(&tf->consumer, &iov->receiver,
					      iov->claim);
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

	if (!copy_event(to, &nothing))
		return false;
	iov_iter_revert(to, sizeof(nothing));
	return true;
}

/* Read what there is: the bytes, 0 if there is nothing, or -EFAULT. */
static ssize_t read_ready(struct twheel_file *tf, struct iov_iter *to,
			  enum twheel_claim claim)
{
	struct iov_receiver iov = {
		.receiver.take = iter_is_ubuf(to) ? buffer_take : iov_take,
		.to = to,
		.claim = claim,
	};
	enum twheel_read_end end;

	while (iov_iter_count(to) >= sizeof(struct twheel_event)) {
		end = deliver(tf, &iov);
		if (end == TWHEEL_READ_EMPTY)
			break;
		if (iov.done && claim == TWHEEL_CLAIM_IDLE)
			iov.claim = TWHEEL_CLAIM_OWN;
		/* It could go on as long as somebody writes to words. */
		if (fatal_signal_pending(current))
			return iov.done ?: -EINTR;
		cond_resched();
		if (end == TWHEEL_READ_MORE ||
		    iov_iter_count(to) < sizeof(struct twheel_event))
			continue;
		if (!bring_in(to))
			return iov.done ?: -EFAULT;
	}
	return iov.done;
}

/* SETUP can say that the descriptor which opened the instance is none. */
static bool is_reader(const struct twheel_file *tf)
{
	return READ_ONCE(tf->consumer.number);
}

static bool is_at_end(const struct twheel_file *tf)
{
	return READ_ONCE(tf->consumer.ended);
}

static bool is_ready(const struct twheel_file *tf)
{
	return twheel_consumer_readable(&tf->consumer) || is_at_end(tf);
}

/* Read, and wait if that is allowed; 0 is the end. */
static ssize_t read_or_wait(struct twheel_file *tf, struct iov_iter *to,
			    bool nonblock)
{
	ssize_t ret;

	for (;;) {
		ret = read_ready(tf, to, TWHEEL_CLAIM_IDLE);
		if (ret || is_at_end(tf))
			return ret;
		if (nonblock)
			return -EAGAIN;
		ret = wait_event_interruptible_exclusive(tf->bell->wait,
							 is_ready(tf));
		if (ret)
			return ret;
	}
}

/**
 * twheel_file_read() - read records
 * @tf: The descriptor.
 * @to: Where they go.
 * @nonblock: Do not wait.
 *
 * A record that could not be copied whole stays in the queue.
 *
 * Context: May sleep.
 * Return: Bytes of whole records, at least one; 0 if none will come any more;
 * -EINVAL if there is no room for one or this is not a reader, -EAGAIN, -EFAULT
 * or -ERESTARTSYS.
 */
ssize_t twheel_file_read(struct twheel_file *tf, struct iov_iter *to,
			 bool nonblock)
{
	ssize_t ret;

	if (iov_iter_count(to) < sizeof(struct twheel_event) || !is_reader(tf))
		return -EINVAL;
	ret = read_or_wait(tf, to, nonblock);
	/* One waiter is woken at a time, and leaves the rest to the next. */
	if (ret != -EAGAIN && is_ready(tf))
		wake_up_interruptible_poll(&tf->bell->wait,
					   EPOLLIN | EPOLLRDNORM);
	return ret;
}

static bool take_nothing(struct twheel_receiver *receiver,
			 const struct twheel_event *event)
{
	return false;
}

/*
 * Have expiries withdrawn that a read would withdraw, up to the first that it
 * would not: so what is readable then can be read.
 */
static void look_at_words(struct twheel_file *tf, enum twheel_claim claim)
{
	struct twheel_receiver nobody = { .take = take_nothing };
	enum twheel_read_end end = TWHEEL_READ_MORE;

	if (!READ_ONCE(tf->group->inst.config.map_words))
		return;
	while (end == TWHEEL_READ_MORE && !fatal_signal_pending(current)) {
		end = twheel_instance_deliver(&tf->consumer, &nobody, claim);
		cond_resched();
	}
}

static int check_drain(const struct twheel_drain *req)
{
	if (req->flags || req->reserved[0] || req->reserved[1])
		return -EOPNOTSUPP;
	if (!req->room || req->room > TWHEEL_DRAIN_MAX ||
	    !IS_ALIGNED(req->events, sizeof(u64)))
		return -EINVAL;
	if (!access_ok(u64_to_user_ptr(req->events),
		       req->room * sizeof(struct twheel_event)))
		return -EFAULT;
	return 0;
}

/**
 * twheel_file_drain() - DRAIN
 * @tf: The descriptor.
 * @req: Its results are filled in on success only.
 *
 * Context: May sleep.
 * Return: 0, -EFAULT, -EINVAL, -EINTR or -EOPNOTSUPP.
 */
int twheel_file_drain(struct twheel_file *tf, struct twheel_drain *req)
{
	struct iov_iter to;
	ssize_t ret;

	ret = check_drain(req);
	if (ret)
		return ret;
	iov_iter_ubuf(&to, READ, u64_to_user_ptr(req->events),
		      req->room * sizeof(struct twheel_event));
	ret = read_ready(tf, &to, TWHEEL_CLAIM_ALL);
	if (ret < 0)
		return ret;
	req->count = ret / sizeof(struct twheel_event);
	look_at_words(tf, TWHEEL_CLAIM_ALL);
	req->more = twheel_consumer_drainable(&tf->consumer);
	return 0;
}

/**
 * twheel_file_poll() - tell whether there is something to read
 * @tf: The descriptor.
 * @file: The file.
 * @table: As in the poll file operation.
 *
 * Return: EPOLLIN | EPOLLRDNORM, with EPOLLHUP when none will come any more, or
 * 0.
 */
__poll_t twheel_file_poll(struct twheel_file *tf, struct file *file,
			  struct poll_table_struct *table)
{
	enum twheel_claim claim = TWHEEL_CLAIM_OWN;

	poll_wait(file, &tf->bell->wait, table);
	if (!is_reader(tf))
		return 0;
	/* What it would steal, it looks at where it is. */
	if (READ_ONCE(tf->group->inst.config.flags) & TWHEEL_STEAL)
		claim = TWHEEL_CLAIM_ALL;
	if (twheel_consumer_readable(&tf->consumer))
		look_at_words(tf, claim);
	if (is_at_end(tf))
		return EPOLLIN | EPOLLRDNORM | EPOLLHUP;
	return twheel_consumer_readable(&tf->consumer) ?
	       EPOLLIN | EPOLLRDNORM : 0;
}
