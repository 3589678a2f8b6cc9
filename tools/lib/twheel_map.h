/* SPDX-License-Identifier: MIT */
/*
 * Timers that a store to memory postpones.
 *
 * An instance that was set up with map_words shares so many words of 64 bits with
 * its programs.  A timer that was started with one of them expires when its timeout
 * has passed since the time in the word, too.  So storing the present time there is
 * a reset, and costs no system call.
 *
 * Not included by <twheel.h>, which it includes: it needs clock_gettime(2), which
 * <time.h> does not declare with -std=c11 and nothing else.
 */
#ifndef TWHEEL_MAP_H
#define TWHEEL_MAP_H

#include <stdint.h>
#include <time.h>
#include <twheel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the words: map.c */

/**
 * twheel_map - map the words of an instance
 * @fd: The instance: any of its descriptors.
 * @words: Where their address goes; not changed on failure.
 *
 * All words, in memory already, so that a store to one never waits for a page.
 * Each mapping shows the same words; child processes share those that they inherit.
 * While there is one, the instance and its timers stay, also after close(2).  The
 * settings of an instance are fixed once its words were mapped.
 *
 * Return: how many words; -EINVAL if the instance has none; -EACCES if @fd is not
 * open for reading and writing; -ENOMEM.  Thread-safe.
 */
int twheel_map(int fd, uint64_t **words);

/**
 * twheel_unmap - end a mapping
 * @words: The words.
 * @count: How many: what twheel_map() returned.
 *
 * The timers run on.
 *
 * Return: 0; -EINVAL for what is no mapping.  Thread-safe, but nobody may touch
 * these words any more.
 */
int twheel_unmap(uint64_t *words, unsigned int count);

/**
 * twheel_now - the time, for twheel_touch()
 * @clock: The clock of the instance: CLOCK_MONOTONIC or CLOCK_BOOTTIME.  0 is, as
 *	in a setup, CLOCK_MONOTONIC.
 *
 * To be called once in each turn of an event loop.  That is enough for all that
 * happened in this turn, and does not enter the kernel either.
 *
 * Return: ns.  Thread-safe.
 */
static inline uint64_t twheel_now(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	clock_gettime(clock ? clock : CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/**
 * twheel_touch - postpone the timer of a word: there was activity
 * @word: The word.
 * @now_ns: When: twheel_now().
 *
 * A store.  No read that begins later, here or in a thread that knows of the store
 * when it begins, yields an expiry of the timer before @now_ns plus its timeout.
 * For a thread that has learned of it by an acquire load of this word that holds
 * too: it is a release store.
 *
 * It comes too late for an expiry that was read already.  What is stored can only
 * postpone; a time in the future is taken as that at which the kernel looks.
 *
 * Thread-safe.
 */
static inline void twheel_touch(uint64_t *word, uint64_t now_ns)
{
	__atomic_store_n(word, now_ns, __ATOMIC_RELEASE);
}

/* ---- timers with a word: timer.c, batch.c, action.c */

/**
 * twheel_start_mapped - twheel_start_in() with a word
 * @fd: The instance.
 * @id: The timer.
 * @timeout_ns: From now, in ns; and from each time that is stored in the word.
 * @data: Comes back in the expiry.
 * @word: Number of the word, from 0.  The start stores the present time in it.
 *
 * twheel_reset_id() and twheel_stop_id() are for this timer too.  When it is gone,
 * because it was stopped or its expiry read, another one may have the word.
 *
 * Return: what became of an earlier arming, one of enum twheel_outcome; -EINVAL if
 * there is no such word; -EBUSY if another timer has it; or as twheel_start().
 * Thread-safe.
 */
int twheel_start_mapped(int fd, uint64_t id, uint64_t timeout_ns, uint64_t data,
			uint32_t word);

/**
 * twheel_batch_start_mapped - add: start a one-shot timer with a word
 * @batch: The batch.
 * @id: The timer.
 * @timeout_ns: From the submit, in ns.
 * @data: Comes back in the expiry.
 * @word: As for twheel_start_mapped().
 *
 * Return: as twheel_batch_start().  One thread at a time.
 */
int twheel_batch_start_mapped(struct twheel_batch *batch, uint64_t id, uint64_t timeout_ns,
			      uint64_t data, uint32_t word);

/**
 * twheel_action_start_mapped - start an action's timer once, with a word
 * @dispatcher: The dispatcher.
 * @action: The action.
 * @timeout_ns: From now, in ns.
 * @word: As for twheel_start_mapped(), of the instance of @dispatcher.
 *
 * A touch comes too late for what twheel_dispatcher_run() has read already, so
 * touch first, and run then.  In a callback, twheel_action_reset() takes back
 * that too.  It keeps the word, also when the timer had expired.
 *
 * Return: as twheel_action_start(); -EINVAL if there is no such word; -EBUSY if
 * another timer has it.  One thread at a time.
 */
int twheel_action_start_mapped(struct twheel_dispatcher *dispatcher,
			       struct twheel_action *action, uint64_t timeout_ns,
			       uint32_t word);

#ifdef __cplusplus
}
#endif

#endif /* TWHEEL_MAP_H */
