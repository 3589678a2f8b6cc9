/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words of memory that an instance shares with programs
 *
 * Locking is the caller's.
 */
#ifndef TWHEEL_WORDS_H
#define TWHEEL_WORDS_H

#include <linux/bitops.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/types.h>

/* Words in a page. */
#define TWHEEL_PAGE_WORDS	((u32)(PAGE_SIZE / sizeof(u64)))

/**
 * struct twheel_words - the words
 * @nr: How many; 0: none.
 * @mapped: They were mapped: from then on they stay as long as the instance.
 * @page: Their pages.
 * @taken: A bit for each word that a timer has.
 */
struct twheel_words {
	u32 nr;
	bool mapped;
	u64 **page;
	unsigned long *taken;
};

int twheel_words_init(struct twheel_words *words, u32 nr);
void twheel_words_destroy(struct twheel_words *words);

static inline u32 twheel_words_pages(const struct twheel_words *words)
{
	return DIV_ROUND_UP(words->nr, TWHEEL_PAGE_WORDS);
}

/* Programs write to it at any time: READ_ONCE() and WRITE_ONCE() only. */
static inline u64 *twheel_words_at(const struct twheel_words *words, u32 word)
{
	return &words->page[word / TWHEEL_PAGE_WORDS][word % TWHEEL_PAGE_WORDS];
}

#endif /* TWHEEL_WORDS_H */
