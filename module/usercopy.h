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
 * twheel_get_words() - fetch words of 64 bits
 * @to: Where they go.
 * @user: Where they are.
 * @nr: How many.
 *
 * Context: May sleep, unless page faults are disabled.
 * Return: How many came, from the first one on.
 */
static inline u32 twheel_get_words(u64 *to, const u64 __user *user, u32 nr)
{
	u32 i = 0;

	if (!user_read_access_begin(user, nr * sizeof(*to)))
		return 0;
	for (; i < nr; i++)
		unsafe_get_user(to[i], &user[i], end);
end:
	user_read_access_end();
	return i;
}

/**
 * twheel_put_words() - hand words of 64 bits back
 * @user: Where they go.
 * @from: Where they are.
 * @nr: How many.
 *
 * Context: May sleep, unless page faults are disabled.
 * Return: How many arrived, from the first one on.
 */
static inline u32 twheel_put_words(u64 __user *user, const u64 *from, u32 nr)
{
	u32 i = 0;

	if (!user_write_access_begin(user, nr * sizeof(*from)))
		return 0;
	for (; i < nr; i++)
		unsafe_put_user(from[i], &user[i], end);
end:
	user_write_access_end();
	return i;
}

#endif /* TWHEEL_USERCOPY_H */
