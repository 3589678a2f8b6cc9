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
 * Return: 0; -EBUSY after the first start; -EINVAL for a value or size that
 * does not exist; -E2BIG if the module is too old for a setting.  Thread-safe.
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

/* ---- timers: timer.c */

/**
 * twheel_start - start a timer, or start it again
 * @fd: The instance.
 * @start: What to start; the results come back in it.
 *
 * Once this, twheel_stop() or twheel_reset() has returned, no read that begins
 * later yields an expiry of an earlier arming of the timer.
 *
 * Return: 0; -EEXIST, -EINVAL, -ENOMEM, -ENOSPC, -EOPNOTSUPP, -EOVERFLOW.
 * Thread-safe.
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
 * twheel_touch - twheel_reset() with the timeout that the timer had
 * @fd: The instance.
 * @id: The timer.
 *
 * Return: TWHEEL_STOPPED; TWHEEL_WITHDREW if an expiry was taken back unread;
 * -ENOENT if there is no such timer, or no longer.  Thread-safe.
 */
int twheel_touch(int fd, uint64_t id);

/**
 * twheel_stop_id - twheel_stop() when nothing else is of interest
 * @fd: The instance.
 * @id: The timer.
 *
 * Return: as twheel_touch().  Thread-safe.
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
 * Return: how many were read, at least 1; -EAGAIN if there is none and the
 * instance is O_NONBLOCK; -EINTR if a signal came first; -EINVAL if @count is 0.
 * Thread-safe: each expiry is read once.
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

/* ---- expiry actions: dispatcher.c, action.c */

/*
 * An instance whose timers call functions.  With "one thread at a time", a
 * dispatcher and all of its actions are one object.
 */
struct twheel_dispatcher;

/**
 * struct twheel_action - a timer, and what is called when it expires
 * @call: The callback, with a copy of the expiry that lasts until it returns.
 *
 * For embedding in an object of the caller, which stays in its place: the
 * action's address is the timer's ID.
 *
 * Callbacks may do anything with their own action and any other: stop it, reset
 * it, start it again, and free it once it does not run (a one-shot timer does
 * not when it is called; stop it otherwise).  An action is not touched after its
 * callback was called.  Once twheel_action_stop() has returned, the callback is
 * not called; after a start or reset, not for an earlier arming.  That holds for
 * expiries too that twheel_dispatcher_run() has read already.
 *
 * A callback may call twheel_dispatcher_run(), and may leave by longjmp(3) or a
 * C++ exception.  It must not free the dispatcher.
 */
struct twheel_action {
	void (*call)(struct twheel_dispatcher *dispatcher, struct twheel_action *action,
		     const struct twheel_event *event);
	/* private: of the library */
	struct twheel_event *unread;
	uint64_t timeout_ns;
	uint64_t slack_ns;
	uint64_t started;
};

/**
 * twheel_dispatcher_new - make a dispatcher, with an instance of its own
 * @dispatcher: Where its address goes.
 *
 * For settings, call twheel_setup() with its descriptor before the first start.
 *
 * Return: 0; -ENOMEM; or as twheel_open().  Thread-safe.
 */
int twheel_dispatcher_new(struct twheel_dispatcher **dispatcher);

/**
 * twheel_dispatcher_free - free a dispatcher and stop its timers
 * @dispatcher: The dispatcher, or NULL.
 *
 * No callback is called.  Actions are not touched: they may be gone already.
 * Initialize an action again before using it with another dispatcher.  One
 * thread at a time.
 */
void twheel_dispatcher_free(struct twheel_dispatcher *dispatcher);

/**
 * twheel_dispatcher_fd - the instance, to poll, set up and look at
 * @dispatcher: The dispatcher.
 *
 * Do not start timers or read expiries with it.
 *
 * Return: a descriptor, which the dispatcher closes.  Thread-safe.
 */
int twheel_dispatcher_fd(const struct twheel_dispatcher *dispatcher);

/**
 * twheel_dispatcher_run - call the actions of timers that have expired
 * @dispatcher: The dispatcher.
 *
 * Reads once, never waits, and calls one action after the other.  When a
 * callback left by longjmp(3) or an exception, what was read behind it is called
 * by the next run; poll(2) does not report that.
 *
 * Return: how many callbacks were called; 0 if nothing has expired; what
 * twheel_read() fails with.  One thread at a time.
 */
int twheel_dispatcher_run(struct twheel_dispatcher *dispatcher);

/**
 * twheel_action_init - initialize an action
 * @action: The action; not running.
 * @call: Its callback.
 *
 * One thread at a time.
 */
void twheel_action_init(struct twheel_action *action,
			void (*call)(struct twheel_dispatcher *dispatcher,
				     struct twheel_action *action,
				     const struct twheel_event *event));

/**
 * twheel_action_start - start an action's timer once, or start it again
 * @dispatcher: The dispatcher.
 * @action: The action.
 * @timeout_ns: From now, in ns.
 *
 * Return: what became of an earlier arming, one of enum twheel_outcome
 * (TWHEEL_WITHDREW also if its expiry was read, but not called yet);
 * -EINVAL if the action has no callback; or as twheel_start(), and nothing has
 * changed.  One thread at a time.
 */
int twheel_action_start(struct twheel_dispatcher *dispatcher, struct twheel_action *action,
			uint64_t timeout_ns);

/**
 * twheel_action_start_every - start an action's timer periodically
 * @dispatcher: The dispatcher.
 * @action: The action.
 * @interval_ns: First and further periods, in ns; at least
 *	twheel_info.min_interval_ns.
 *
 * Return: as twheel_action_start().  One thread at a time.
 */
int twheel_action_start_every(struct twheel_dispatcher *dispatcher,
			      struct twheel_action *action, uint64_t interval_ns);

/**
 * twheel_action_start_with - start an action's timer with all that there is
 * @dispatcher: The dispatcher.
 * @action: The action.
 * @start: As for twheel_start(), but the library fills in ID and data.
 *
 * Return: as twheel_action_start().  One thread at a time.
 */
int twheel_action_start_with(struct twheel_dispatcher *dispatcher,
			     struct twheel_action *action, struct twheel_start *start);

/**
 * twheel_action_reset - run an action's timer again with the timeout it had
 * @dispatcher: The dispatcher.
 * @action: The action.
 *
 * Also a one-shot timer that has expired: from its callback or later.
 *
 * Return: as twheel_action_start(); -ENOENT if the action was never started, or
 * was stopped.  One thread at a time.
 */
int twheel_action_reset(struct twheel_dispatcher *dispatcher, struct twheel_action *action);

/**
 * twheel_action_reset_to - run an action's timer again with a new timeout
 * @dispatcher: The dispatcher.
 * @action: The action.
 * @timeout_ns: From now, in ns.
 *
 * Return: as twheel_action_reset().  One thread at a time.
 */
int twheel_action_reset_to(struct twheel_dispatcher *dispatcher, struct twheel_action *action,
			   uint64_t timeout_ns);

/**
 * twheel_action_stop - stop an action's timer
 * @dispatcher: The dispatcher.
 * @action: The action.
 *
 * Return: as twheel_action_start(); -ENOENT if the timer does not run, or no
 * longer.  One thread at a time.
 */
int twheel_action_stop(struct twheel_dispatcher *dispatcher, struct twheel_action *action);

#ifdef __cplusplus
}
#endif

#endif /* TWHEEL_H */
