/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits on the number of timers and words of a user and of the module
 */
#ifndef TWHEEL_ACCOUNT_H
#define TWHEEL_ACCOUNT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/uidgid.h>

/**
 * struct twheel_account - the timers and words of a user, in all instances
 * @link: In the list of accounts.
 * @users: References, one for each open instance.
 * @uid: The user who opened them.
 * @timers: Timers charged.
 * @words: Words charged.
 */
struct twheel_account {
	struct list_head link;
	refcount_t users;
	kuid_t uid;
	atomic64_t timers;
	atomic64_t words;
};

struct twheel_account *twheel_account_get(kuid_t uid);
void twheel_account_put(struct twheel_account *account);
int twheel_account_charge(struct twheel_account *account);
void twheel_account_uncharge(struct twheel_account *account, u64 nr);
int twheel_account_change_words(struct twheel_account *account, u64 from,
				u64 to);

#endif /* TWHEEL_ACCOUNT_H */
