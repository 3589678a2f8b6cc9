/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the self tests share in which one thread stores to words and another one
 * does something else
 */
#ifndef TWHEEL_RACE_H
#define TWHEEL_RACE_H

#include "twheel_words.h"

static inline void run_on_processor(unsigned int number)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number, &set);
	/* On a machine with one, both share that. */
	sched_setaffinity(0, sizeof(set), &set);
}

static inline bool is_set(const bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static inline void set(bool *flag)
{
	__atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

/* Nothing, everything, something near, or half of a word. */
static inline void store_anything(__u64 *word, __u64 *seed)
{
	__u32 *half = (__u32 *)word + tw_below(seed, 2);

	switch (tw_below(seed, 6)) {
	case 0:
		tw_store(word, 0);
		break;
	case 1:
		tw_store(word, TW_BUSY);
		break;
	case 2:
		tw_store(word, tw_now() + tw_below(seed, TW_SEC));
		break;
	case 3:
		tw_store(word, tw_now() - tw_below(seed, TW_SEC));
		break;
	case 4:
		tw_store(word, tw_below(seed, U64_MAX));
		break;
	default:
		__atomic_store_n(half, tw_random(seed), __ATOMIC_RELAXED);
	}
}

#endif /* TWHEEL_RACE_H */
