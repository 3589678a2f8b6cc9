/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copying structures from and to user memory
 *
 * Word by word, which for so little costs less than a copy of any length and
 * alignment.
 */
#ifndef TWHEEL_USERCOPY_H
#define TWHEEL_USERCOPY_H

#include <linux/types.h>
#include <linux/uaccess.h>

/**
 * twheel_get_records() - fetch structures
 * @to: Where they go.
 * @user: Where they are.
 * @words: Words of 64 bits in each; best a constant, for code without a loop.
 * @nr: How many.
 *
 * Context: May sleep, unless page faults are disabled.
 * Return: How many came whole, from the first one on.
 */
static __always_inline u32 twheel_get_records(void *to, const void __user *user,
					      u32 words, u32 nr)
{
	const u64 __user *from = user;
	u64 *word = to;
	u32 done, i;

	if (!user_read_access_begin(user, (size_t)nr * words * sizeof(u64)))
		return 0;
	for (done = 0; done < nr; done++, from += words, word += words) {
#pragma GCC unroll 16
		for (i = 0; i < words; i++)
			unsafe_get_user(word[i], &from[i], end);
	}
end:
	user_read_access_end();
	return done;
}

/**
 * twheel_put_records() - hand structures back
 * @user: Where they go.
 * @from: Where they are.
 * @words: Words of 64 bits in each; best a constant, for code without a loop.
 * @nr: How many.
 *
 * Context: May sleep, unless page faults are disabled.
 * Return: How many arrived whole, from the first one on.
 */
static __always_inline u32 twheel_put_records(void __user *user,
					      const void *from, u32 words,
					      u32 nr)
{
	u64 __user *to = user;
	const u64 *word = from;
	u32 done, i;

	if (!user_write_access_begin(user, (size_t)nr * words * sizeof(u64)))
		return 0;
	for (done = 0; done < nr; done++, to += words, word += words) {
#pragma GCC unroll 16
		for (i = 0; i < words; i++)
			unsafe_put_user(word[i], &to[i], end);
	}
end:
	user_write_access_end();
	return done;
}

#endif /* TWHEEL_USERCOPY_H */
