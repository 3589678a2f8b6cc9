/* SPDX-License-Identifier: MIT */
/*
 * Timers that call functions: a part of <twheel.h>, which includes it.
 */
#ifndef TWHEEL_DISPATCHER_H
#define TWHEEL_DISPATCHER_H

#include <stdint.h>
#include <linux/twheel.h>

#ifdef __cplusplus
extern "C" {
#endif

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
 * In an instance that was set up with TWHEEL_AT_LEAST_ONCE a one-shot timer runs
 * until its expiry is acknowledged, which is after its callback has returned.  A
 * callback that frees its action has to stop it before, else it may be called
 * again.
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
 * With TWHEEL_AT_LEAST_ONCE, the expiries whose callbacks have returned are then
 * acknowledged, in one call.  One whose callback left otherwise is delivered again
 * when its lease has ended.
 *
 * Return: how many callbacks were called; 0 if nothing has expired; -ESHUTDOWN if
 * nothing can expire any more after twheel_shutdown(); what twheel_read() fails
 * with; what twheel_submit() fails with if nothing could be acknowledged, which
 * the next run tries again.  One thread at a time.
 */
int twheel_dispatcher_run(struct twheel_dispatcher *dispatcher);

/**
 * twheel_dispatcher_keep - do not acknowledge an expiry
 * @dispatcher: The dispatcher.
 * @event: What the callback was called with.
 *
 * For a callback; if it also runs the dispatcher, after that.  The expiry stays
 * under its lease when the callback returns, until the program acknowledges,
 * extends or rejects it: twheel_ack_event() and so on with a copy of @event and
 * twheel_dispatcher_fd().  A callback that wants to be called again may also call
 * twheel_reject_event() at once, and need not keep it.
 *
 * Nothing happens where nothing is acknowledged.  One thread at a time.
 */
void twheel_dispatcher_keep(struct twheel_dispatcher *dispatcher,
			    const struct twheel_event *event);

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
 * (TWHEEL_WITHDREW also if its expiry was read, but not called yet;
 * TWHEEL_WAS_DELIVERED if it was called, but not acknowledged yet);
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

#endif /* TWHEEL_DISPATCHER_H */
