// SPDX-License-Identifier: GPL-2.0
/*
 * Limits on the number of timers and words of a user and of the module
 *
 * Memory is charged to the caller's memory cgroup by the allocator.  These
 * limits are for machines where nobody has set up cgroups.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "account.h"
#include "compat.h"
#include "gfp.h"

static ulong max_user_timers = BIT(22);
module_param(max_user_timers, ulong, 0644);
MODULE_PARM_DESC(max_user_timers,
		 "Timers of a user in all instances together (default 4194304)");

static ulong max_total_timers = BIT(24);
module_param(max_total_timers, ulong, 0644);
MODULE_PARM_DESC(max_total_timers,
		 "Timers of all users together (default 16777216)");

static ulong max_user_words = BIT(22);
module_param(max_user_words, ulong, 0644);
MODULE_PARM_DESC(max_user_words,
		 "Words of a user in all instances together (default 4194304)");

static ulong max_total_words = BIT(24);
module_param(max_total_words, ulong, 0644);
MODULE_PARM_DESC(max_total_words,
		 "Words of all users together (default 16777216)");

/* Covers the list of accounts and their last reference. */
static DEFINE_MUTEX(accounts_lock);
static LIST_HEAD(accounts);

/* Timers and words of all accounts. */
static atomic64_t total_timers;
static atomic64_t total_words;

static struct twheel_account *find_account(kuid_t uid)
{
	struct twheel_account *account;

	lockdep_assert_held(&accounts_lock);
	list_for_each_entry(account, &accounts, link)
		if (uid_eq(account->uid, uid))
			return account;
	return NULL;
}

static struct twheel_account *new_account(kuid_t uid)
{
	struct twheel_account *account;

	lockdep_assert_held(&accounts_lock);
	account = kzalloc(sizeof(*account), TWHEEL_GFP);
	if (!account)
		return NULL;
	account->uid = uid;
	refcount_set(&account->users, 1);
	list_add(&account->link, &accounts);
	return account;
}

/**
 * twheel_account_get() - the account of a user
 * @uid: The user.
 *
 * Context: May sleep.
 * Return: The account with a reference, or NULL if there is no memory.
 */
struct twheel_account *twheel_account_get(kuid_t uid)
{
	struct twheel_account *account;

	mutex_lock(&accounts_lock);
	account = find_account(uid);
	if (account)
		refcount_inc(&account->users);
	else
		account = new_account(uid);
	mutex_unlock(&accounts_lock);
	return account;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_account_get);

/**
 * twheel_account_put() - give a reference back
 * @account: The account.
 *
 * Context: May sleep.
 */
void twheel_account_put(struct twheel_account *account)
{
	if (!refcount_dec_and_mutex_lock(&account->users, &accounts_lock))
		return;
	list_del(&account->link);
	mutex_unlock(&accounts_lock);
	kfree(account);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_account_put);

/* Never above @max, not even for a moment: others look at it meanwhile. */
static __always_inline bool charge(atomic64_t *used, u64 nr, u64 max)
{
	s64 old = atomic64_read(used);

	do {
		if (nr > max || (u64)old > max - nr)
			return false;
	} while (!atomic64_try_cmpxchg(used, &old, old + nr));
	return true;
}

/**
 * twheel_account_charge() - charge one timer
 * @account: The account.
 *
 * Context: Any.
 * Return: 0, or -ENOSPC if the limit of the user or of the module is reached.
 */
int twheel_account_charge(struct twheel_account *account)
{
	if (!charge(&account->timers, 1, READ_ONCE(max_user_timers)))
		return -ENOSPC;
	if (charge(&total_timers, 1, READ_ONCE(max_total_timers)))
		return 0;
	atomic64_dec(&account->timers);
	return -ENOSPC;
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_account_charge);

/**
 * twheel_account_uncharge() - give the charge of timers back
 * @account: The account.
 * @nr: How many.
 *
 * Context: Any.
 */
void twheel_account_uncharge(struct twheel_account *account, u64 nr)
{
	atomic64_sub(nr, &account->timers);
	atomic64_sub(nr, &total_timers);
}
EXPORT_SYMBOL_FOR_KUNIT(twheel_account_uncharge);

static void uncharge_words(struct twheel_account *account, u64 nr)
{
	atomic64_sub(nr, &account->words);
	atomic64_sub(nr, &total_words);
}

static int charge_words(struct twheel_account *account, u64 nr)
{
	if (!charge(&account->words, nr, READ_ONCE(max_user_words)))
		return -ENOSPC;
	if (charge(&total_words, nr, READ_ONCE(max_total_words)))
		return 0;
	atomic64_sub(nr, &account->words);
	return -ENOSPC;
}

/**
 * twheel_account_change_words() - an instance has fewer or more words now
 * @account: The account.
 * @from: How many it has had.
 * @to: How many it has.
 *
 * Context: Any.
 * Return: 0, or -ENOSPC if the limit of the user or of the module would be
 * exceeded, and nothing has changed; never for fewer.
 */
int twheel_account_change_words(struct twheel_account *account, u64 from,
				u64 to)
{
	if (to > from)
		return charge_words(account, to - from);
	uncharge_words(account, from - to);
	return 0;
}
