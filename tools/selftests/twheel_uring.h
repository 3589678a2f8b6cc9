/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the self tests of io_uring share: a ring for an instance, commands in it,
 * and completions.
 */
#ifndef TWHEEL_URING_H
#define TWHEEL_URING_H

#include <dirent.h>
#include <liburing.h>
#include "twheel_sys.h"

#define TW_DEFERRED	(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)

/* An instance, and a ring that is used for it. */
struct tw_ring {
	int fd;
	int target;		/* what requests have as their descriptor */
	unsigned int sqe_flags;	/* of each request */
	struct io_uring uring;
};

/* With IOSQE_FIXED_FILE among @sqe_flags, the ring knows the file by an index. */
static inline int tw_ring_open(struct tw_ring *ring, unsigned int setup_flags,
			       unsigned int sqe_flags)
{
	int ret;

	ring->sqe_flags = sqe_flags;
	ring->fd = tw_open();
	if (ring->fd < 0)
		return -errno;
	ring->target = ring->fd;
	ret = io_uring_queue_init(1024, &ring->uring, setup_flags);
	if (ret || !(sqe_flags & IOSQE_FIXED_FILE))
		return ret;
	ring->target = 0;
	return io_uring_register_files(&ring->uring, &ring->fd, 1);
}

/* Does closing both leave nobody who uses the module? */
static inline bool tw_ring_close(struct tw_ring *ring)
{
	if (ring->fd >= 0)
		close(ring->fd);
	io_uring_queue_exit(&ring->uring);
	return tw_await_users(0);
}

static inline struct io_uring_sqe *tw_finish_sqe(struct tw_ring *ring,
						 struct io_uring_sqe *sqe, __u64 tag)
{
	sqe->flags |= ring->sqe_flags;
	io_uring_sqe_set_data64(sqe, tag);
	return sqe;
}

/* A command whose structure has another size than the command says, or flags. */
static inline struct io_uring_sqe *tw_prep_odd(struct tw_ring *ring, unsigned int cmd,
					       const struct twheel_uring_cmd *what,
					       __u64 tag)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);

	io_uring_prep_rw(IORING_OP_URING_CMD, sqe, ring->target, NULL, 0, 0);
	sqe->cmd_op = cmd;
	memcpy((char *)sqe + offsetof(struct io_uring_sqe, cmd), what, sizeof(*what));
	return tw_finish_sqe(ring, sqe, tag);
}

static inline struct io_uring_sqe *tw_prep(struct tw_ring *ring, unsigned int cmd,
					   void *arg, __u64 tag)
{
	struct twheel_uring_cmd what = {
		.arg = (uintptr_t)arg,
		.size = _IOC_SIZE(cmd),
	};

	return tw_prep_odd(ring, cmd, &what, tag);
}

static inline struct io_uring_sqe *tw_prep_read(struct tw_ring *ring, void *buffer,
						unsigned int size, __u64 tag)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);

	io_uring_prep_read(sqe, ring->target, buffer, size, 0);
	return tw_finish_sqe(ring, sqe, tag);
}

static inline void tw_prep_cancel(struct tw_ring *ring, __u64 which, __u64 tag)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);

	io_uring_prep_cancel64(sqe, which, 0);
	io_uring_sqe_set_data64(sqe, tag);
}

static inline void tw_prep_nop(struct tw_ring *ring, __u64 tag)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);

	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, tag);
}

/* @kind: 0, or IORING_POLL_ADD_MULTI. */
static inline void tw_prep_poll(struct tw_ring *ring, unsigned int kind, __u64 tag)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);

	io_uring_prep_poll_add(sqe, ring->target, POLLIN);
	sqe->len = kind;
	tw_finish_sqe(ring, sqe, tag);
}

static inline void tw_prep_poll_remove(struct tw_ring *ring, __u64 which, __u64 tag)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);

	io_uring_prep_poll_remove(sqe, which);
	io_uring_sqe_set_data64(sqe, tag);
}

/* Submit all that is prepared; with SQPOLL the ring may count earlier ones, too. */
static inline bool tw_ring_submit(struct tw_ring *ring)
{
	int prepared = ring->uring.sq.sqe_tail - ring->uring.sq.sqe_head;

	return io_uring_submit(&ring->uring) >= prepared;
}

static inline unsigned int tw_completed(struct tw_ring *ring)
{
	return io_uring_cq_ready(&ring->uring);
}

/* The next completion; false if none comes. */
static inline bool tw_next(struct tw_ring *ring, struct io_uring_cqe *next)
{
	struct __kernel_timespec patience = { .tv_sec = TW_PATIENCE_MS / 1000 };
	struct io_uring_cqe *cqe;

	if (io_uring_wait_cqe_timeout(&ring->uring, &cqe, &patience))
		return false;
	memcpy(next, cqe, sizeof(*next));
	io_uring_cqe_seen(&ring->uring, cqe);
	return true;
}

/* The result of the next completion, which has to be that of @tag. */
static inline int tw_result(struct tw_ring *ring, __u64 tag)
{
	struct io_uring_cqe cqe;

	if (!tw_next(ring, &cqe))
		return -ETIME;
	return cqe.user_data == tag ? cqe.res : -EPROTO;
}

/* The results of the next two completions, which come in any order. */
static inline bool tw_both(struct tw_ring *ring, __u64 tag, int *res,
			   __u64 other_tag, int *other_res)
{
	struct io_uring_cqe cqe[2];
	int first;

	if (!tw_next(ring, &cqe[0]) || !tw_next(ring, &cqe[1]))
		return false;
	first = cqe[0].user_data == tag ? 0 : 1;
	*res = cqe[first].res;
	*other_res = cqe[!first].res;
	return cqe[first].user_data == tag && cqe[!first].user_data == other_tag;
}

/* Submit what is prepared, one request with @tag; its result. */
static inline int tw_submit_one(struct tw_ring *ring, __u64 tag)
{
	if (!tw_ring_submit(ring))
		return -EPROTO;
	return tw_result(ring, tag);
}

/*
 * Do what ioctl() would do: 0 or -errno.  As with tw_ioctl(), a failure that
 * changed the structure is one of its own.
 */
static inline int tw_command(struct tw_ring *ring, unsigned int cmd, void *arg)
{
	char before[512];
	int ret;

	memcpy(before, arg, _IOC_SIZE(cmd));
	tw_prep(ring, cmd, arg, cmd);
	ret = tw_submit_one(ring, cmd);
	if (ret < 0 && memcmp(before, arg, _IOC_SIZE(cmd)))
		return TW_TOUCHED;
	return ret;
}

/* A SUBMIT that starts @count timers from @first on, with memory of its own. */
static inline bool tw_make_submit(struct twheel_submit *submit, unsigned int count,
				  __u64 first)
{
	struct twheel_op *ops = malloc(count * sizeof(*ops));
	struct twheel_result *results = malloc(count * sizeof(*results));

	if (!ops || !results)
		return false;
	tw_fill_ops(ops, count, TWHEEL_OP_START, first);
	memset(results, TW_POISON, count * sizeof(*results));
	*submit = (struct twheel_submit){
		.ops = (uintptr_t)ops,
		.results = (uintptr_t)results,
		.count = count,
		.done = TW_POISON32,
	};
	return true;
}

static inline void tw_free_submit(const struct twheel_submit *submit)
{
	free((void *)(uintptr_t)submit->ops);
	free((void *)(uintptr_t)submit->results);
}

/* Worker threads of io_uring in this process, also those that are idle by now. */
static inline unsigned int tw_workers(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned int workers = 0;
	struct dirent *task;
	char path[300], name[16];
	FILE *file;

	while ((task = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		workers += fgets(name, sizeof(name), file) &&
			   !strncmp(name, "iou-wrk", 7);
		fclose(file);
	}
	closedir(tasks);
	return workers;
}

#endif /* TWHEEL_URING_H */
