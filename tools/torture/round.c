// SPDX-License-Identifier: GPL-2.0
/* A round: an instance, those who are at it, their end, and the history that comes of it. */
#include "torture.h"

/* Only what never comes to its end is stuck; an emulated machine can be very slow. */
#define PATIENCE_S	120
#define EVERYBODY_NS	(3 * TW_SEC)
#define DUEL_NS		(2 * TW_SEC)
/* Attempts to unload the module, while others open the device. */
#define RELOADS		8
#define OPENERS		2

struct cast {
	enum torture_role role;
	bool child;
	int processor;
};

static const struct cast everybody[] = {
	{ TORTURE_STARTER, false, -1 }, { TORTURE_STARTER, true, -1 },
	{ TORTURE_STOPPER, false, -1 }, { TORTURE_STOPPER, true, -1 },
	{ TORTURE_RESETTER, false, -1 }, { TORTURE_RESETTER, true, -1 },
	{ TORTURE_BATCHER, false, -1 }, { TORTURE_BATCHER, true, -1 },
	{ TORTURE_READER, false, -1 }, { TORTURE_READER, false, -1 },
	{ TORTURE_READER, true, -1 }, { TORTURE_READER, true, -1 },
	{ TORTURE_LISTER, false, -1 }, { TORTURE_LISTER, true, -1 },
	{ TORTURE_POLLER, false, -1 }, { TORTURE_POLLER, true, -1 },
	{ TORTURE_CLOSER, false, -1 }, { TORTURE_CLOSER, true, -1 },
};

static const struct cast duellists[] = {
	{ TORTURE_DUELLIST, false, 0 }, { TORTURE_DUELLIST, false, 1 },
	{ TORTURE_READER, false, -1 }, { TORTURE_READER, false, -1 },
};

/* Settings that differ in who gets an expiry, and what becomes of it. */
static const struct {
	struct twheel_setup setup;
	bool own_readers;
} settings[] = {
	{ { .flags = 0 }, false },
	{ { .flags = TWHEEL_CONTROL }, true },
	{ { .dispatch = TWHEEL_ROUND_ROBIN, .flags = TWHEEL_CONTROL }, true },
	{ { .dispatch = TWHEEL_ROUND_ROBIN, .flags = TWHEEL_CONTROL | TWHEEL_STEAL }, true },
	{ { .dispatch = TWHEEL_BY_ID, .flags = TWHEEL_CONTROL }, true },
	{ { .overflow = TWHEEL_DROP_NEWEST }, false },
	{ { .overflow = TWHEEL_DROP_OLDEST }, false },
	{ { .overflow = TWHEEL_DROP_OLDEST, .dispatch = TWHEEL_ROUND_ROBIN,
	    .flags = TWHEEL_CONTROL }, true },
	{ { .overflow = TWHEEL_DROP_NEWEST, .dispatch = TWHEEL_BROADCAST,
	    .flags = TWHEEL_CONTROL }, true },
	{ { .delivery = TWHEEL_AT_LEAST_ONCE, .lease_ns = 3 * TW_MS }, false },
	{ { .delivery = TWHEEL_AT_LEAST_ONCE, .lease_ns = 3 * TW_MS, .max_attempts = 2,
	    .flags = TWHEEL_CONTROL }, true },
	{ { .delivery = TWHEEL_AT_LEAST_ONCE, .lease_ns = 3 * TW_MS,
	    .dispatch = TWHEEL_ROUND_ROBIN, .flags = TWHEEL_CONTROL | TWHEEL_STEAL }, true },
	{ { .delivery = TWHEEL_AT_LEAST_ONCE, .lease_ns = 3 * TW_MS, .max_attempts = 3,
	    .dispatch = TWHEEL_BY_ID, .flags = TWHEEL_CONTROL }, true },
};

/* The first settings, which are those of a duel, have nothing but a queue. */
static void choose(struct torture_round *round, __u64 *seed, unsigned int which)
{
	static const __u32 lengths[] = { 1, 4, 64, 1024 };

	round->setup = settings[which].setup;
	round->own_readers = settings[which].own_readers;
	round->setup.queue_len = lengths[tw_below(seed, ARRAY_SIZE(lengths))];
	round->setup.tick_shift = 15 + tw_below(seed, 6);
}

/* Forget what was logged before, and nothing else: most of it was never touched. */
static void clear_actor(struct torture_actor *actor, struct torture_round *round)
{
	unsigned int calls = actor->calls + 1, events = actor->events + TORTURE_ROOM;
	unsigned int ops = actor->ops + TORTURE_BATCH;

	memset(actor->call, 0, (calls < TORTURE_CALLS ? calls : TORTURE_CALLS) *
			       sizeof(*actor->call));
	memset(actor->event, 0, (events < TORTURE_EVENTS ? events : TORTURE_EVENTS) *
				sizeof(*actor->event));
	memset(actor->result, 0, (ops < TORTURE_OPS ? ops : TORTURE_OPS) *
				 sizeof(*actor->result));
	actor->calls = 0;
	actor->events = 0;
	actor->ops = 0;
	actor->operations = 0;
	actor->forgotten.token = 0;
	actor->pid = 0;
	actor->round = round;
}

static void assign(struct torture_round *round, const struct cast *cast,
		   unsigned int nr, __u64 *seed)
{
	unsigned int i;

	clear_actor(&round->owner, round);
	round->actors = nr;
	for (i = 0; i < nr; i++) {
		struct torture_actor *actor = &round->actor[i];

		clear_actor(actor, round);
		actor->role = cast[i].role;
		actor->child = cast[i].child;
		actor->processor = cast[i].processor;
		actor->seed = tw_below(seed, U64_MAX);
	}
}

static void *run_thread(void *arg)
{
	torture_act(arg);
	return NULL;
}

/* Nobody else's descriptors: as long as a child had one, its reader would live. */
static void run_child(struct torture_actor *actor)
{
	int fd = actor->round->fd;

	if (fd > 3)
		close_range(3, fd - 1, 0);
	close_range(fd + 1, ~0U, 0);
	torture_act(actor);
	_exit(0);
}

static void start_actor(struct torture_actor *actor)
{
	pid_t pid;

	if (!actor->child) {
		if (pthread_create(&actor->thread, NULL, run_thread, actor))
			exit(2);
		return;
	}
	pid = tw_fork();
	if (!pid)
		run_child(actor);
	if (pid < 0)
		exit(2);
	/* By the parent alone: the child has the same memory, and another result. */
	actor->pid = pid;
}

static void start_residents(struct torture_round *round)
{
	struct twheel_start start = { .time_ns = TW_HOUR };
	unsigned int i;

	for (i = 0; i < TORTURE_RESIDENTS; i++) {
		start.id = TORTURE_IDS + i;
		torture_start(&round->owner, &start);
	}
}

/* Kill a child, and let another one go on. */
static void kill_one(struct torture_round *round, __u64 *seed,
		     struct torture_tally *tally)
{
	unsigned int i = tw_below(seed, round->actors);
	struct torture_actor *actor;
	int status;

	/* The next process; in a duel there is none. */
	for (; i < round->actors && !round->actor[i].pid; i++)
		;
	if (i == round->actors)
		return;
	actor = &round->actor[i];
	kill(actor->pid, SIGKILL);
	waitpid(actor->pid, &status, 0);
	actor->pid = 0;
	if (WIFEXITED(status))
		return;
	torture_recover(actor);
	tally->kills++;
	start_actor(actor);
}

static void let_them(struct torture_round *round, __u64 *seed, __u64 ns,
		     struct torture_tally *tally)
{
	__u64 until = tw_now() + ns;

	while (tw_now() < until && !torture_has_stopped(round)) {
		tw_sleep(tw_below(seed, 8 * TW_MS));
		kill_one(round, seed, tally);
	}
	set(&round->stop);
}

static bool child_ends(struct torture_actor *actor, const struct timespec *give_up)
{
	struct timespec now;
	int status;

	while (!waitpid(actor->pid, &status, WNOHANG)) {
		clock_gettime(CLOCK_REALTIME, &now);
		if (now.tv_sec > give_up->tv_sec)
			return false;
		tw_sleep(TW_MS);
	}
	actor->pid = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		torture_complain(actor->round, "a process has ended with status %#x", status);
	return true;
}

/* An actor that is stuck is not waited for any more: the instance is of no use now. */
static void await(struct torture_actor *actor)
{
	struct timespec give_up;
	bool ended;

	clock_gettime(CLOCK_REALTIME, &give_up);
	give_up.tv_sec += PATIENCE_S;
	if (!actor->child)
		ended = !pthread_timedjoin_np(actor->thread, NULL, &give_up);
	else
		ended = !actor->pid || child_ends(actor, &give_up);
	if (!ended)
		torture_complain(actor->round, "%s is stuck", actor->role == TORTURE_READER ?
				 "after SHUTDOWN, a reader" : "somebody");
}

static void await_all(struct torture_round *round, bool readers)
{
	unsigned int i;

	for (i = 0; i < round->actors; i++) {
		bool reader = round->actor[i].role == TORTURE_READER;

		if (reader == readers)
			await(&round->actor[i]);
	}
}

/* When everybody has left: who is there, and what was counted? */
static void look_back(struct torture_round *round, struct history *history)
{
	struct twheel_list_entry entry[TORTURE_IDS + TORTURE_RESIDENTS + 1];
	struct twheel_stats stats;
	unsigned int i;
	int count;

	history_clear(history);
	history->leased = round->setup.delivery == TWHEEL_AT_LEAST_ONCE;
	history->drops = round->setup.overflow != TWHEEL_HOLD;
	history->broadcast = round->setup.dispatch == TWHEEL_BROADCAST;
	torture_collect(&round->owner, history);
	for (i = 0; i < round->actors; i++)
		torture_collect(&round->actor[i], history);
	count = tw_list_all(round->fd, entry, ARRAY_SIZE(entry), 16);
	for (i = 0; (int)i < count; i++)
		*history_add(history) = (struct deed) {
			.kind = DEED_LEFT, .id = entry[i].id,
			.generation = entry[i].generation,
		};
	if (count < 0 || tw_stats(round->fd, &stats))
		torture_complain(round, "LIST or STATS has failed");
	else if (!tw_books_balance(round->fd))
		torture_complain(round, "the books do not balance in the end");
	else if (!history_check(history) || !history_compare(history, &stats))
		torture_complain(round, "%s", history->broken);
	else if (stats.dropped && !history->drops)
		torture_complain(round, "dropped, though the policy is to hold");
}

static void count(const struct torture_round *round, const struct history *history,
		  struct torture_tally *tally)
{
	unsigned int i;

	for (i = 0; i < round->actors; i++)
		tally->operations[round->actor[i].role] += round->actor[i].operations;
	tally->armed += history->started + history->resets;
	tally->records += history->records;
	tally->withdrawn += history->withdrawn;
	tally->dropped += history->missing;
	tally->repeated += history->repeated;
}

static bool play(struct torture_round *round, struct history *history, __u64 *seed,
		 __u64 ns, struct torture_tally *tally)
{
	unsigned int i;

	round->stop = false;
	round->has_broken = false;
	round->fd = tw_pool(round->setup);
	if (round->fd < 0) {
		torture_complain(round, "no instance: %s", strerror(-round->fd));
		return false;
	}
	start_residents(round);
	for (i = 0; i < round->actors; i++)
		start_actor(&round->actor[i]);
	let_them(round, seed, ns, tally);
	await_all(round, false);
	if (tw_shutdown(round->fd, NULL))
		torture_complain(round, "SHUTDOWN has failed");
	await_all(round, true);
	/* Or the history would be looked at while it is made. */
	if (waitpid(-1, NULL, WNOHANG) >= 0)
		torture_complain(round, "a process is left that nobody knows of");
	if (!round->has_broken)
		look_back(round, history);
	close(round->fd);
	count(round, history, tally);
	return !round->has_broken;
}

/* What a failure is told with. */
static bool verdict(const struct torture_round *round, char *broken)
{
	const struct twheel_setup *s = &round->setup;

	if (round->has_broken)
		snprintf(broken, TORTURE_BROKEN,
			 "%s (flags %#x, dispatch %u, delivery %u, overflow %u, queue %u, tick %u)",
			 round->broken, s->flags, s->dispatch, s->delivery, s->overflow,
			 s->queue_len, s->tick_shift);
	return !round->has_broken;
}

bool torture_everybody(struct torture_round *round, struct history *history,
		       __u64 *seed, struct torture_tally *tally, char *broken)
{
	/* Those that are alike stand together; a short run is to have some of each. */
	choose(round, seed, 5 * tally->rounds++ % ARRAY_SIZE(settings));
	round->ids = 1 + tw_below(seed, TORTURE_IDS);
	round->longest_ns = 4 * TW_MS;
	assign(round, everybody, ARRAY_SIZE(everybody), seed);
	play(round, history, seed, EVERYBODY_NS, tally);
	return verdict(round, broken);
}

bool torture_duel(struct torture_round *round, struct history *history,
		  __u64 *seed, struct torture_tally *tally, char *broken)
{
	tally->duels++;
	choose(round, seed, 0);
	round->ids = 1;
	round->longest_ns = 2ULL << round->setup.tick_shift;
	assign(round, duellists, ARRAY_SIZE(duellists), seed);
	play(round, history, seed, DUEL_NS, tally);
	return verdict(round, broken);
}

/* Open the device whenever it is there, until killed. */
static void open_often(__u64 seed)
{
	for (;;) {
		int fd = tw_open();

		if (fd < 0 && errno != ENOENT && errno != ENODEV && errno != ENXIO)
			_exit(1);
		if (fd >= 0 && tw_after(fd, 1, tw_below(&seed, TW_MS)))
			_exit(1);
		tw_sleep(tw_below(&seed, TW_MS));
		close(fd);
		tw_sleep(tw_below(&seed, TW_MS));
	}
}

static const char *try_reload(struct torture_tally *tally)
{
	int ret = tw_unload();

	if (ret == -EWOULDBLOCK) {
		tally->refused++;
		return NULL;
	}
	if (ret)
		return "the module can be neither unloaded nor is it in use";
	tally->reloads++;
	return tw_load() ? "the module cannot be loaded again" : NULL;
}

/* Nobody has the device open: unloading has to work. */
static const char *reload_idle(struct torture_tally *tally)
{
	if (!tw_await_users(0))
		return "the module is in use when nobody uses it";
	if (tw_unload())
		return "the module cannot be unloaded when nobody uses it";
	tally->reloads++;
	return tw_load() ? "the module cannot be loaded again" : NULL;
}

bool torture_reload(__u64 *seed, struct torture_tally *tally, char *broken)
{
	const char *what = NULL;
	pid_t pid[OPENERS];
	int i, status;

	for (i = 0; i < OPENERS; i++) {
		__u64 own = tw_below(seed, U64_MAX);

		pid[i] = tw_fork();
		if (!pid[i])
			open_often(own);
	}
	for (i = 0; i < RELOADS && !what; i++) {
		tw_sleep(tw_below(seed, 2 * TW_MS));
		what = try_reload(tally);
	}
	for (i = 0; i < OPENERS; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], &status, 0);
		tally->kills += WIFSIGNALED(status);
		if (!WIFSIGNALED(status) && !what)
			what = "the device cannot be used while the module comes and goes";
	}
	if (!what)
		what = reload_idle(tally);
	snprintf(broken, TORTURE_BROKEN, "%s", what ? what : "");
	return !what;
}
