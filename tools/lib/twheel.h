/* SPDX-License-Identifier: MIT */
/*
 * libtwheel - timers by ID, from C and C++
 *
 * An instance of /dev/twheel is a file descriptor, as one of epoll is: open it
 * with twheel_open(), wait for it with poll(2), close it with close(2).  The
 * structures and constants are those of <linux/twheel.h>, where they are
 * described; libtwheel(3) tells how the parts fit together.
 *
 * Conventions
 *
 * - Times and timeouts are nanoseconds, on the clock of the instance; timeouts
 *   from 0 (expire at once) to what is left of the clock up to INT64_MAX.
 * - A function that fails returns a negative errno.  The errors of the device
 *   have the meanings that <linux/twheel.h> lists; what is added is said below.
 * - The functions that take structures (twheel_start() and so on) are the
 *   ioctls, and are named like them; in C++ write "struct twheel_start" for the
 *   structure, as with stat(2).
 * - The library has no state of its own, no locks and no threads.  "Thread-safe"
 *   below: any threads may call it at once, also for the same descriptor.  "One
 *   thread at a time": for the same object, the caller sees to that.
 */
#ifndef TWHEEL_H
#define TWHEEL_H

#include <stddef.h>
#include <stdint.h>
#include <linux/twheel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the instance: open.c */

/**
 * twheel_open - make an instance
 * @flags: O_NONBLOCK or 0: whether twheel_read() waits.  O_CLOEXEC may be added,
 *	and makes no difference.
 *
 * The descriptor is closed on exec.  Close it with close(2); with its last
 * duplicate, the instance and its timers are gone.
 *
 * Return: a file descriptor; -EINVAL for other flags; what open(2) fails with:
 * -ENOENT if the module is not loaded, -EACCES if the caller may not use it.
 * Thread-safe.
 */
int twheel_open(int flags);

/**
 * twheel_info - limits and settings of an instance
 * @fd: The instance.
 * @info: Filled in; what the module is too old to know is 0.
 * @size: sizeof(*info) of the caller, for programs and libraries that were
 *	compiled with different headers.
 *
 * Return: 0; -EINVAL for a size that no header had.  Thread-safe.
 */
int twheel_info(int fd, struct twheel_info *info, size_t size);

/**
 * twheel_setup - choose the settings of an instance
 * @fd: The instance.
 * @setup: Settings; 0 is the default of each.  The library fills in its size.
 * @size: sizeof(*setup) of the caller.
 *
 * Among them: whether expiries have to be acknowledged (delivery, lease_ns,
 * max_attempts), how readers share them (dispatch, TWHEEL_STEAL, TWHEEL_CONTROL),
 * and how many words there are for twheel_map() (map_words).
 *
 * Return: 0; -EBUSY after the first start, the first further reader or a mapping;
 * -EINVAL for a value or size that does not exist, settings that contradict each
 * other, or a descriptor that twheel_reader() made; -ENOSPC if a limit on words is
 * reached; -ENOMEM; -E2BIG or -EOPNOTSUPP if the module is too old for a setting.
 * Thread-safe.
 */
int twheel_setup(int fd, struct twheel_setup *setup, size_t size);

/**
 * twheel_stats - counters of an instance, all of one moment
 * @fd: The instance.
 * @stats: Filled in; what the module is too old to know is 0.
 * @size: sizeof(*stats) of the caller.
 *
 * Return: 0; -EINVAL for a size that no header had.  Thread-safe.
 */
int twheel_stats(int fd, struct twheel_stats *stats, size_t size);

/**
 * twheel_reader_stats - counters of one reader of an instance
 * @fd: The instance: any of its descriptors.
 * @reader: The first reader with this number or a higher one; its number comes
 *	back in @stats->reader.  So start with 0, and go on with one more.
 * @stats: Filled in.
 * @size: sizeof(*stats) of the caller.
 *
 * Return: 0; -ENOENT if there is no such reader; -EINVAL for a size that has no
 * room for the number; -EOPNOTSUPP if the module is too old.  Thread-safe.
 */
int twheel_reader_stats(int fd, uint32_t reader, struct twheel_stats *stats, size_t size);

/* ---- timers: timer.c */

/**
 * twheel_start - start a timer, or start it again
 * @fd: The instance.
 * @start: What to start; the results come back in it.
 *
 * Once this, twheel_stop() or twheel_reset() has returned, no read that begins
 * later yields an expiry of an earlier arming of the timer.
 *
 * Return: 0; -EBUSY, -EEXIST, -EINVAL, -ENOMEM, -ENOSPC, -EOPNOTSUPP, -EOVERFLOW,
 * -ESHUTDOWN.  Thread-safe.
 */
int twheel_start(int fd, struct twheel_start *start);

/**
 * twheel_stop - stop a timer and forget it
 * @fd: The instance.
 * @stop: Which; the results come back in it.
 *
 * Return: 0; -ENOENT if there is no such timer, or no longer.  Thread-safe.
 */
int twheel_stop(int fd, struct twheel_stop *stop);

/**
 * twheel_reset - postpone a timer: run it again from now
 * @fd: The instance.
 * @reset: Which, and its new timeout if it is to have one; the results come
 *	back in it.
 *
 * Return: 0; -ENOENT if there is no such timer, or no longer; -EINVAL,
 * -EOPNOTSUPP, -EOVERFLOW.  Thread-safe.
 */
int twheel_reset(int fd, struct twheel_reset *reset);

/**
 * twheel_get - look at a timer
 * @fd: The instance.
 * @get: Which; the results come back in it.
 *
 * Return: 0; -ENOENT if there is no such timer.  Thread-safe.
 */
int twheel_get(int fd, struct twheel_get *get);

/**
 * twheel_start_in - twheel_start() for the common case: a one-shot timer
 * @fd: The instance.
 * @id: The timer.
 * @timeout_ns: From now, in ns.
 * @data: Comes back in the expiry.
 *
 * Return: what became of an earlier arming, one of enum twheel_outcome; or as
 * twheel_start().  Thread-safe.
 */
int twheel_start_in(int fd, uint64_t id, uint64_t timeout_ns, uint64_t data);

/**
 * twheel_reset_id - twheel_reset() with the timeout that the timer had
 * @fd: The instance.
 * @id: The timer.
 *
 * Return: TWHEEL_STOPPED; TWHEEL_WITHDREW if an expiry was taken back unread;
 * -ENOENT if there is no such timer, or no longer.  Thread-safe.
 */
int twheel_reset_id(int fd, uint64_t id);

/**
 * twheel_stop_id - twheel_stop() when nothing else is of interest
 * @fd: The instance.
 * @id: The timer.
 *
 * Return: as twheel_reset_id().  Thread-safe.
 */
int twheel_stop_id(int fd, uint64_t id);

/* ---- expiries: read.c */

/**
 * twheel_read - read expiries
 * @fd: The instance.
 * @events: Room for them.
 * @count: How many there is room for.
 *
 * Waits for the first one, unless the instance is O_NONBLOCK.
 *
 * Return: how many were read; 0, the end of file, if nothing can come any more
 * after twheel_shutdown(); -EAGAIN if there is none and the instance is
 * O_NONBLOCK; -EINTR if a signal came first; -EINVAL if @count is 0, or the
 * descriptor is no reader.  Thread-safe: each expiry is read once.
 */
int twheel_read(int fd, struct twheel_event *events, unsigned int count);

/* ---- listings: list.c */

/**
 * twheel_list - one page of a listing
 * @fd: The instance.
 * @list: Room and cursor; the results come back in it.
 *
 * Return: 0; -EINVAL for a wrong room or cursor.  Thread-safe.
 */
int twheel_list(int fd, struct twheel_list *list);

/**
 * twheel_list_next - the next timers of a listing
 * @fd: The instance.
 * @list: Where the listing is.  All 0 before the first call, and not touched
 *	between calls.
 * @entries: Room for them.
 * @room: How many there is room for, from 1 to TWHEEL_LIST_MAX.
 *
 * twheel_list() in a loop: passes over empty pages and keeps the cursor.
 *
 * Return: how many entries were filled in; 0 at the end; or as twheel_list().
 * Thread-safe for different @list.
 */
int twheel_list_next(int fd, struct twheel_list *list, struct twheel_list_entry *entries,
		     unsigned int room);

/* ---- batches: batch.c */

/**
 * twheel_submit - carry out many operations in one call
 * @fd: The instance.
 * @submit: Operations, and room for their results.
 *
 * Return: how many were carried out, from 1 to @submit->count; each has its own
 * result.  -EFAULT, -EINVAL, -EOPNOTSUPP if none was.  Thread-safe.
 */
int twheel_submit(int fd, struct twheel_submit *submit);

/*
 * Operations that are submitted together.  It holds operations and results, and
 * no instance: it can be submitted again, and to another one.
 */
struct twheel_batch;

/**
 * twheel_batch_new - make an empty batch
 * @batch: Where its address goes.
 * @capacity: How many operations it holds, from 1 to INT_MAX; may be more than
 *	TWHEEL_SUBMIT_MAX.
 *
 * Return: 0; -EINVAL, -ENOMEM.  Thread-safe.
 */
int twheel_batch_new(struct twheel_batch **batch, unsigned int capacity);

/**
 * twheel_batch_free - free a batch
 * @batch: The batch, or NULL.
 *
 * One thread at a time.
 */
void twheel_batch_free(struct twheel_batch *batch);

/**
 * twheel_batch_start - add: start a one-shot timer
 * @batch: The batch.
 * @id: The timer.
 * @timeout_ns: From the submit, in ns.
 * @data: Comes back in the expiry.
 *
 * Return: the operation's index in the batch; -ENOSPC if the batch is full.
 * One thread at a time.
 */
int twheel_batch_start(struct twheel_batch *batch, uint64_t id, uint64_t timeout_ns,
		       uint64_t data);

/**
 * twheel_batch_stop - add: stop a timer
 * @batch: The batch.
 * @id: The timer.
 *
 * Return: as twheel_batch_start().  One thread at a time.
 */
int twheel_batch_stop(struct twheel_batch *batch, uint64_t id);

/**
 * twheel_batch_reset - add: run a timer again with the timeout that it had
 * @batch: The batch.
 * @id: The timer.
 *
 * Return: as twheel_batch_start().  One thread at a time.
 */
int twheel_batch_reset(struct twheel_batch *batch, uint64_t id);

/**
 * twheel_batch_reset_to - add: run a timer again with a new timeout
 * @batch: The batch.
 * @id: The timer.
 * @timeout_ns: From the submit, in ns.
 *
 * Return: as twheel_batch_start().  One thread at a time.
 */
int twheel_batch_reset_to(struct twheel_batch *batch, uint64_t id, uint64_t timeout_ns);

/**
 * twheel_batch_get - add: look at a timer
 * @batch: The batch.
 * @id: The timer.
 *
 * Return: as twheel_batch_start().  One thread at a time.
 */
int twheel_batch_get(struct twheel_batch *batch, uint64_t id);

/**
 * twheel_batch_ack - add: acknowledge an expiry
 * @batch: The batch; to be submitted with the descriptor that it was read on.
 * @event: The expiry, which is copied.
 *
 * Return: as twheel_batch_start().  One thread at a time.
 */
int twheel_batch_ack(struct twheel_batch *batch, const struct twheel_event *event);

/**
 * twheel_batch_reject - add: give an expiry back
 * @batch: As for twheel_batch_ack().
 * @event: The expiry, which is copied.
 *
 * Return: as twheel_batch_start().  One thread at a time.
 */
int twheel_batch_reject(struct twheel_batch *batch, const struct twheel_event *event);

/**
 * twheel_batch_extend - add: prolong the lease of an expiry
 * @batch: As for twheel_batch_ack().
 * @event: The expiry, which is copied.
 * @lease_ns: From the submit, in ns.
 *
 * Return: as twheel_batch_start().  One thread at a time.
 */
int twheel_batch_extend(struct twheel_batch *batch, const struct twheel_event *event,
			uint64_t lease_ns);

/**
 * twheel_batch_add - add any other operation
 * @batch: The batch.
 *
 * Return: a zeroed operation to fill in, which stays valid until
 * twheel_batch_clear(); its index is twheel_batch_count() - 1.  NULL if the
 * batch is full.  One thread at a time.
 */
struct twheel_op *twheel_batch_add(struct twheel_batch *batch);

/**
 * twheel_batch_submit - carry out all operations of a batch
 * @batch: The batch.
 * @fd: The instance.
 *
 * In order, in as few calls as there can be; goes on when a signal ends one of
 * them early.  The operations stay in the batch.
 *
 * Return: how many were carried out and have a result: all, unless the
 * instance fails half-way.  -errno if none was; 0 for an empty batch.  One
 * thread at a time.
 */
int twheel_batch_submit(struct twheel_batch *batch, int fd);

/**
 * twheel_batch_result - what came of an operation
 * @batch: The batch.
 * @index: Of the operation.
 *
 * Return: its result in the last submit, NULL if it was not carried out.
 * Threads may read at once.
 */
const struct twheel_result *twheel_batch_result(const struct twheel_batch *batch,
						unsigned int index);

/**
 * twheel_batch_count - how many operations were added
 * @batch: The batch.
 *
 * Return: how many.  Threads may read at once.
 */
unsigned int twheel_batch_count(const struct twheel_batch *batch);

/**
 * twheel_batch_clear - take out all operations and results
 * @batch: The batch.
 *
 * One thread at a time.
 */
void twheel_batch_clear(struct twheel_batch *batch);

#ifdef __cplusplus
}
#endif

/* ---- several readers, and expiries that are acknowledged; actions */

#include <twheel_reader.h>
#include <twheel_dispatcher.h>

#endif /* TWHEEL_H */
