// SPDX-License-Identifier: GPL-2.0
/*
 * Words of memory that an instance shares with programs
 */
#include <linux/errno.h>
#include <linux/sched.h>

#include "compat.h"
#include "gfp.h"
#include "words.h"

static int alloc_memory(struct twheel_words *words)
{
	u32 i, pages = twheel_words_pages(words);

	words->taken = kvcalloc(BITS_TO_LONGS(words->nr), sizeof(long),
				TWHEEL_GFP);
	words->page = kvcalloc(pages, sizeof(*words->page), TWHEEL_GFP);
	if (!words->taken || !words->page)
		return -ENOMEM;
	for (i = 0; i < pages; i++) {
		words->page[i] = (u64 *)get_zeroed_page(TWHEEL_GFP);
		if (!words->page[i])
			return -ENOMEM;
		cond_resched();
	}
	return 0;
}

/**
 * twheel_words_init() - get words, all 0
 * @words: Result.
 * @nr: How many; may be 0.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: 0, or -ENOMEM and there are none.
 */
int twheel_words_init(struct twheel_words *words, u32 nr)
{
	int ret;

	*words = (struct twheel_words) { .nr = nr };
	if (!nr)
		return 0;
	ret = alloc_memory(words);
	if (ret)
		twheel_words_destroy(words);
	return ret;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_words_init);

/**
 * twheel_words_destroy() - the reverse of twheel_words_init()
 * @words: The words; there are none then.
 *
 * A page that somebody still has a reference to, as a device that writes to it
 * has, is freed with the last one.
 *
 * Context: May sleep.
 */
void twheel_words_destroy(struct twheel_words *words)
{
	u32 i, pages = twheel_words_pages(words);

	for (i = 0; words->page && i < pages && words->page[i]; i++)
		free_page((unsigned long)words->page[i]);
	kvfree(words->page);
	kvfree(words->taken);
	*words = (struct twheel_words) { .nr = 0 };
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_words_destroy);
