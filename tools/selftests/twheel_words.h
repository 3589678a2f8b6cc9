/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the self tests of mapped activity words share
 */
#ifndef TWHEEL_WORDS_H
#define TWHEEL_WORDS_H

#include <sys/mman.h>
#include "twheel_pool.h"

/*
 * A word that makes no sense is taken as now whenever it is looked at: so a timer
 * is postponed as long as this stands there, on however slow a machine.
 */
#define TW_BUSY		U64_MAX

/* The size of a mapping of @nr words. */
static inline size_t tw_map_size(unsigned int nr)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (nr * sizeof(__u64) + page - 1) / page * page;
}

/* Map the words of the instance; NULL if that cannot be done. */
static inline __u64 *tw_map(int fd, unsigned int nr)
{
	void *words = mmap(NULL, tw_map_size(nr), PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);

	return words == MAP_FAILED ? NULL : words;
}

/* An instance with @nr words, and otherwise with these settings; -errno if not. */
static inline int tw_with_words(unsigned int nr, struct twheel_setup setup)
{
	setup.map_words = nr;
	return tw_pool(setup);
}

/* A reset without a call; whoever sees it sees what was done before. */
static inline void tw_store(__u64 *word, __u64 value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline __u64 tw_load_word(const __u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* There was activity: returns when. */
static inline __u64 tw_touch(__u64 *word)
{
	__u64 now = tw_now();

	tw_store(word, now);
	return now;
}

/* Start a timer that has a word and runs for @timeout_ns. */
static inline int tw_start_mapped(int fd, __u64 id, __u64 timeout_ns, __u64 word)
{
	struct twheel_start start = {
		.id = id,
		.time_ns = timeout_ns,
		.flags = TWHEEL_MAPPED,
		.word = word,
	};

	return tw_start(fd, &start);
}

/* The operation that tw_start_mapped() is the call of. */
static inline struct twheel_op tw_op_mapped(__u64 id, __u64 timeout_ns, __u64 word)
{
	struct twheel_op op = tw_op_after(id, timeout_ns);

	op.flags = TWHEEL_MAPPED;
	op.word = word;
	return op;
}

/* Let @count timers from @first, with the words from @first on, expire in order. */
static inline bool tw_expire_mapped(int fd, __u64 first, unsigned int count,
				    __u64 timeout_ns)
{
	struct twheel_stats stats;
	unsigned int i;

	if (tw_stats(fd, &stats))
		return false;
	for (i = 0; i < count; i++)
		if (tw_start_mapped(fd, first + i, timeout_ns, first + i))
			return false;
	return tw_await(fd, TW_STAT(expired), stats.expired + count);
}

#endif /* TWHEEL_WORDS_H */
