// SPDX-License-Identifier: GPL-2.0
/* Those who look at an instance, or come and go, and have nothing to log. */
#include "torture.h"

#define LISTED	(TORTURE_IDS + TORTURE_RESIDENTS)
/* IDs that come and go may be in a listing more than once. */
#define ENTRIES	(4 * LISTED)

/* Who was there all the time is there once. */
static void check_listing(struct torture_actor *actor,
			  const struct twheel_list_entry *entry, int count)
{
	__u64 generation[LISTED] = { 0 };
	unsigned int residents = 0;
	int i;

	for (i = 0; i < count; i++) {
		if (entry[i].id >= LISTED || !entry[i].generation ||
		    generation[entry[i].id] == entry[i].generation)
			torture_complain(actor->round, "listed twice: timer %llu, generation %llu",
					 entry[i].id, entry[i].generation);
		else
			generation[entry[i].id] = entry[i].generation;
		residents += entry[i].id >= TORTURE_IDS;
	}
	if (residents != TORTURE_RESIDENTS)
		torture_complain(actor->round, "%u of %u timers that stay are in a listing",
				 residents, TORTURE_RESIDENTS);
}

static void list_all(struct torture_actor *actor)
{
	struct twheel_list_entry entry[ENTRIES];
	int count = tw_list_all(actor->round->fd, entry, ENTRIES, 1 + below(actor, 32));

	if (count < 0)
		torture_complain(actor->round, "LIST has failed: %s", strerror(-count));
	else
		check_listing(actor, entry, count);
}

static void get_one(struct torture_actor *actor)
{
	__u64 id = below(actor, actor->round->ids);
	struct twheel_get get;
	int ret = tw_get(actor->round->fd, id, &get);

	if (ret == -ENOENT)
		return;
	if (ret)
		torture_complain(actor->round, "GET has failed: %s", strerror(-ret));
	else if (get.state != TWHEEL_ARMED && get.deadline_ns > tw_now())
		torture_complain(actor->round, "expired early, as GET says: timer %llu", id);
}

void torture_look(struct torture_actor *actor)
{
	switch (below(actor, 3)) {
	case 0:
		list_all(actor);
		break;
	case 1:
		get_one(actor);
		break;
	default:
		if (!tw_books_balance(actor->round->fd))
			torture_complain(actor->round, "the books do not balance");
	}
	actor->operations++;
}

void torture_poll(struct torture_actor *actor)
{
	int ret = tw_poll(actor->round->fd, below(actor, 2));

	if (ret < 0 || ret & ~(POLLIN | POLLHUP))
		torture_complain(actor->round, "poll has returned %d", ret);
	actor->operations++;
}

/* Timers in every state go with their instance. */
static void use_another(struct torture_actor *actor)
{
	int i, fd = tw_open();

	if (fd < 0) {
		torture_complain(actor->round, "open has failed: %s", strerror(errno));
		return;
	}
	for (i = 0; i < 8; i++)
		if (tw_after(fd, i, torture_timeout(actor)))
			torture_complain(actor->round, "START in another instance has failed");
	close(fd);
}

/* What has come for a reader meanwhile goes to others with its end. */
static void come_and_go(struct torture_actor *actor)
{
	int fd = tw_reader(actor->round->fd, TWHEEL_READER_NONBLOCK);

	if (fd < 0) {
		torture_complain(actor->round, "READER has failed: %s", strerror(-fd));
		return;
	}
	tw_poll(fd, below(actor, 2));
	close(fd);
}

void torture_close(struct torture_actor *actor)
{
	if (below(actor, 2))
		use_another(actor);
	else
		come_and_go(actor);
	actor->operations++;
}
