// SPDX-License-Identifier: GPL-2.0
/*
 * Timers with a word: when there was activity, and what that makes of a deadline
 *
 * A program postpones such a timer by a store to the word, and nobody is told.
 * The word is looked at when there is a decision to make: when the timer is due,
 * and when its expiry is about to be handed over or dropped.  So a timer costs
 * one look in each of its timeouts, however often it is postponed: the lazy
 * update of a deadline that servers practise with their own timers.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>

#include "activity.h"
#include "compat.h"

/**
 * twheel_activity_check() - whether a timer can have a word
 * @inst: The instance.
 * @timer: The timer, or NULL if it does not exist yet.
 * @word: The word.
 *
 * Return: 0, -EINVAL if there is no such word, or -EBUSY if another timer has it.
 */
int twheel_activity_check(const struct twheel_instance *inst,
			  const struct twheel_timer *timer, u64 word)
{
	lockdep_assert_held(&inst->lock);
	if (word >= inst->words.nr)
		return -EINVAL;
	if (timer && timer->node.mapped && timer->word == word)
		return 0;
	return test_bit(word, inst->words.taken) ? -EBUSY : 0;
}

/**
 * twheel_activity_begin() - give a timer a word
 * @inst: The instance.
 * @timer: The timer, which has none.
 * @word: The word, which nobody has.
 * @now: The time, ns, which goes into it.
 */
void twheel_activity_begin(struct twheel_instance *inst,
			   struct twheel_timer *timer, u32 word, u64 now)
{
	lockdep_assert_held(&inst->lock);
	__set_bit(word, inst->words.taken);
	timer->node.mapped = true;
	timer->word = word;
	WRITE_ONCE(*twheel_words_at(&inst->words, word), now);
}

/**
 * twheel_activity_end() - take its word from a timer
 * @inst: The instance.
 * @timer: The timer, which has one.
 */
void twheel_activity_end(struct twheel_instance *inst,
			 struct twheel_timer *timer)
{
	lockdep_assert_held(&inst->lock);
	__clear_bit(timer->word, inst->words.taken);
	timer->node.mapped = false;
	timer->interval = 0;
}

/**
 * twheel_activity_describe() - what a timer with a word has to tell beyond others
 * @inst: The instance.
 * @timer: The timer.
 * @now: The time, ns.
 * @entry: What twheel_timer_describe() has made.
 */
void twheel_activity_describe(const struct twheel_instance *inst,
			      const struct twheel_timer *timer, u64 now,
			      struct twheel_list_entry *entry)
{
	u64 deadline = twheel_activity_deadline(inst, timer, now);

	entry->deadline_ns = deadline;
	entry->remaining_ns = twheel_timer_remaining(timer, deadline, now);
	entry->mapped = 1;
	entry->word = timer->word;
}
