/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timers with a word: when there was activity, and what that makes of a deadline
 *
 * Every function here needs the lock of the instance.
 */
#ifndef TWHEEL_ACTIVITY_H
#define TWHEEL_ACTIVITY_H

#include <linux/compiler.h>
#include <linux/lockdep.h>

#include "instance.h"

int twheel_activity_check(const struct twheel_instance *inst,
			  const struct twheel_timer *timer, u64 word);
void twheel_activity_begin(struct twheel_instance *inst,
			   struct twheel_timer *timer, u32 word, u64 now);
void twheel_activity_end(struct twheel_instance *inst,
			 struct twheel_timer *timer);
void twheel_activity_describe(const struct twheel_instance *inst,
			      const struct twheel_timer *timer, u64 now,
			      struct twheel_list_entry *entry);

/**
 * twheel_activity_deadline() - the effective deadline of a timer with a word
 * @inst: The instance.
 * @timer: The timer.
 * @now: The time, ns.
 *
 * Return: The deadline, ns, as of this look at the word.
 */
static inline u64
twheel_activity_deadline(const struct twheel_instance *inst,
			 const struct twheel_timer *timer, u64 now)
{
	const u64 *word = twheel_words_at(&inst->words, timer->word);

	lockdep_assert_held(&inst->lock);
	return twheel_timer_postponed(timer, READ_ONCE(*word), now);
}

/* The deadline of any timer: that of one with a word is the effective one. */
static inline u64 twheel_deadline(const struct twheel_instance *inst,
				  const struct twheel_timer *timer, u64 now)
{
	if (!timer->node.mapped)
		return timer->deadline;
	return twheel_activity_deadline(inst, timer, now);
}

/* The time that any timer still has. */
static inline u64 twheel_remaining(const struct twheel_instance *inst,
				   const struct twheel_timer *timer, u64 now)
{
	return twheel_timer_remaining(timer, twheel_deadline(inst, timer, now),
				      now);
}

#endif /* TWHEEL_ACTIVITY_H */
