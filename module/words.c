// SPDX-License-Identifier: GPL-2.0
/*
 * Words of memory that an instance shares with programs
 */
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/string.h>

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
 * @account: Who pays.
 * @nr: How many; may be 0.
 *
 * Context: May sleep.  Charged to the caller's memory cgroup.
 * Return: 0, -ENOMEM, or -ENOSPC if the limit of the user or of the module is
 * reached.
 */
int twheel_words_init(struct twheel_words *words,
		      struct twheel_account *account, u32 nr)
{
	int ret;

	memset(words, 0, sizeof(*words));
	if (!nr)
		return 0;
	ret = twheel_account_charge_words(account, nr);
	if (ret)
		return ret;
	words->account = account;
	words->nr = nr;
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
	if (words->nr)
		twheel_account_uncharge_words(words->account, words->nr);
	memset(words, 0, sizeof(*words));
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_words_destroy);
