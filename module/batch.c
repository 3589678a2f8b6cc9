// SPDX-License-Identifier: GPL-2.0
/*
 * SUBMIT and LIST: arrays in user memory
 *
 * Both go through the array in chunks.  The lock is held for a chunk at most,
 * and between two chunks the CPU is given back and signals are looked at.
 */
#include <linux/errno.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "batch.h"
#include "listing.h"
#include "usercopy.h"

/*
 * Operations under one hold of the lock.  As many as fit into a page with their
 * results: more would keep others waiting for longer, and save next to nothing.
 */
#define SUBMIT_CHUNK	32
/* Entries in a page, so that they can be copied without the lock. */
#define LIST_CHUNK	(PAGE_SIZE / sizeof(struct twheel_list_entry))
/* Chunks that one call takes: three times what a page needs, and some more. */
#define LIST_CHUNKS(room)	(16 + (room) / 16)

/*
 * A buffer is for the time of a call, and not charged to anybody: timers can be
 * stopped and listed in a full memory cgroup, which is how it gets less full.
 */
#define BUFFER_GFP	GFP_KERNEL

/*
 * Whether there is a reason to come back early.  A thread that has an io_uring
 * is "pending" all the time that the ring has work for it, which can wait; a
 * worker of the ring is told in that way to end.
 */
static bool interrupted(void)
{
	if (current->flags & PF_IO_WORKER)
		return signal_pending(current);
	return task_sigpending(current);
}

/* Operations and results, in kernel memory. */
struct submit_chunk {
	struct twheel_op *ops;
	struct twheel_result *results;
};

/* An array that the user has given. */
static int check_array(u64 address, u32 nr, size_t size, u32 max)
{
	if (!nr || nr > max || !IS_ALIGNED(address, sizeof(u64)))
		return -EINVAL;
	return access_ok(u64_to_user_ptr(address), nr * size) ? 0 : -EFAULT;
}

static int check_submit(const struct twheel_submit *req)
{
	u64 ops_end = req->ops + req->count * sizeof(struct twheel_op);
	u64 results_end = req->results +
			  req->count * sizeof(struct twheel_result);
	int ret;

	if (req->flags || req->reserved || req->reserved2[0] ||
	    req->reserved2[1])
		return -EOPNOTSUPP;
	ret = check_array(req->ops, req->count, sizeof(struct twheel_op),
			  TWHEEL_SUBMIT_MAX);
	if (!ret)
		ret = check_array(req->results, req->count,
				  sizeof(struct twheel_result),
				  TWHEEL_SUBMIT_MAX);
	if (ret)
		return ret;
	return req->ops < results_end && req->results < ops_end ? -EINVAL : 0;
}

/* Words of 64 bits, which all that is copied here is made of. */
#define WORDS(type)	(sizeof(type) / sizeof(u64))

/* Fetch operations; returns how many came whole. */
static u32 fetch_ops(struct twheel_op *ops, const struct twheel_op __user *user,
		     u32 nr)
{
	return twheel_get_records(ops, user, WORDS(*ops), nr);
}

/* Hand results back; false if the memory is not there. */
static bool put_results(struct twheel_result __user *user,
			const struct twheel_result *results, u32 nr)
{
	return twheel_put_records(user, results, WORDS(*results), nr) == nr;
}

/* How many results can be written. */
static u32 probe_results(struct twheel_result __user *user, u32 nr)
{
	size_t left = fault_in_writeable((char __user *)user,
					 nr * sizeof(*user));

	return nr - DIV_ROUND_UP(left, sizeof(*user));
}

/* Returns how many operations were done; 0 or -errno in @ret. */
static u32 submit_chunk(struct twheel_consumer *by,
			const struct submit_chunk *chunk,
			const struct twheel_op __user *ops,
			struct twheel_result __user *results, u32 nr, int *ret)
{
	u32 ready = fetch_ops(chunk->ops, ops, nr);

	/* No operation is carried out whose result would be lost. */
	if (ready)
		ready = probe_results(results, ready);
	*ret = ready < nr ? -EFAULT : 0;
	if (!ready)
		return 0;
	twheel_instance_operate(by->inst, by, chunk->ops, chunk->results, ready);
	if (!put_results(results, chunk->results, ready))
		*ret = -EFAULT;
	return ready;
}

static int submit_all(struct twheel_consumer *by, struct twheel_submit *req,
		      const struct submit_chunk *chunk)
{
	const struct twheel_op __user *ops = u64_to_user_ptr(req->ops);
	struct twheel_result __user *results = u64_to_user_ptr(req->results);
	u32 done = 0;
	int ret = 0;

	while (done < req->count && !ret) {
		if (done && interrupted())
			break;
		cond_resched();
		done += submit_chunk(by, chunk, ops + done, results + done,
				     min_t(u32, req->count - done,
					   SUBMIT_CHUNK), &ret);
	}
	if (!done)
		return ret;
	req->done = done;
	return 0;
}

/**
 * twheel_batch_submit() - carry out an array of operations
 * @by: Who asks for them.
 * @req: Its result is filled in on success only.
 *
 * Context: May sleep.  Timers are charged to the caller's memory cgroup.
 * Return: 0, -EFAULT, -EINVAL, -ENOMEM or -EOPNOTSUPP.
 */
int twheel_batch_submit(struct twheel_consumer *by, struct twheel_submit *req)
{
	struct submit_chunk chunk;
	int ret = check_submit(req);
	u32 room;

	if (ret)
		return ret;
	/* No more than is needed: allocated memory is cleared. */
	room = min_t(u32, req->count, SUBMIT_CHUNK);
	chunk.ops = kmalloc_array(room, sizeof(*chunk.ops) +
				  sizeof(*chunk.results), BUFFER_GFP);
	if (!chunk.ops)
		return -ENOMEM;
	chunk.results = (struct twheel_result *)(chunk.ops + room);
	ret = submit_all(by, req, &chunk);
	kfree(chunk.ops);
	return ret;
}

static int check_list(const struct twheel_list *req)
{
	if (req->flags || req->reserved[0] || req->reserved[1])
		return -EOPNOTSUPP;
	return check_array(req->entries, req->room,
			   sizeof(struct twheel_list_entry), TWHEEL_LIST_MAX);
}

/* Copy entries out; returns how many arrived whole. */
static u32 copy_entries(struct twheel_list_entry __user *user,
			const struct twheel_list_entry *entries, u32 nr)
{
	size_t left = copy_to_user(user, entries, nr * sizeof(*entries));

	return nr - DIV_ROUND_UP(left, sizeof(*entries));
}

/* Returns how many entries were listed; 0 or -errno in @ret. */
static u32 list_chunk(struct twheel_instance *inst,
		      struct twheel_cursor *cursor,
		      struct twheel_list_entry *chunk,
		      struct twheel_list_entry __user *user, u32 room, int *ret)
{
	struct twheel_cursor next = *cursor;
	u32 nr, copied;

	nr = twheel_instance_list(inst, &next, chunk, room);
	copied = copy_entries(user, chunk, nr);
	if (copied < nr) {
		*ret = -EFAULT;
		if (!copied)
			return 0;
		next = twheel_cursor_behind(chunk[copied - 1].id);
	}
	*cursor = next;
	return copied;
}

static int list_all(struct twheel_instance *inst, struct twheel_list *req,
		    struct twheel_cursor *cursor,
		    struct twheel_list_entry *chunk)
{
	struct twheel_list_entry __user *user = u64_to_user_ptr(req->entries);
	u32 count = 0, chunks = LIST_CHUNKS(req->room);
	int ret = 0;

	while (count < req->room && chunks-- && !ret &&
	       !twheel_cursor_ended(cursor)) {
		if (count && interrupted())
			break;
		cond_resched();
		count += list_chunk(inst, cursor, chunk, user + count,
				    min_t(u32, req->room - count, LIST_CHUNK),
				    &ret);
	}
	if (!count && ret)
		return ret;
	req->count = count;
	return 0;
}

/**
 * twheel_batch_list() - list the next page of timers
 * @inst: The instance.
 * @req: Its results are filled in on success only.
 *
 * Context: May sleep.
 * Return: 0, -EFAULT, -EINVAL, -ENOMEM or -EOPNOTSUPP.
 */
int twheel_batch_list(struct twheel_instance *inst, struct twheel_list *req)
{
	struct twheel_cursor cursor = {
		.kind = req->cursor[0],
		.value = req->cursor[1],
	};
	struct twheel_list_entry *chunk;
	int ret = check_list(req);

	if (!ret)
		ret = twheel_cursor_check(&cursor);
	if (ret)
		return ret;
	chunk = kmalloc_array(LIST_CHUNK, sizeof(*chunk), BUFFER_GFP);
	if (!chunk)
		return -ENOMEM;
	ret = list_all(inst, req, &cursor, chunk);
	kfree(chunk);
	if (ret)
		return ret;
	req->cursor[0] = cursor.kind;
	req->cursor[1] = cursor.value;
	req->more = !twheel_cursor_ended(&cursor);
	return 0;
}
