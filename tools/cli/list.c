// SPDX-License-Identifier: GPL-2.0
/* list and dead: the timers of the instance */
#include "list.h"
#include "session.h"

int entries_walk(int fd, entry_fn *each, void *arg)
{
	struct twheel_list_entry entries[ENTRIES];
	struct twheel_list list = { 0 };
	int got, i;

	while ((got = twheel_list_next(fd, &list, entries, ENTRIES)) > 0) {
		for (i = 0; i < got; i++)
			each(&entries[i], arg);
	}
	return got;
}

void entry_json(const struct twheel_list_entry *entry)
{
	json_u64("id", entry->id);
	json_string("state", state_text(entry->state));
	json_u64("attempt", entry->attempt);
	json_u64("generation", entry->generation);
	json_u64("deadline_ns", entry->deadline_ns);
	json_u64("remaining_ns", entry->remaining_ns);
	json_u64("timeout_ns", entry->timeout_ns);
	json_u64("interval_ns", entry->interval_ns);
	json_u64("slack_ns", entry->slack_ns);
	json_u64("data", entry->data);
	word_json(entry->mapped, entry->word);
}

void entry_text(const struct twheel_list_entry *entry)
{
	fputs(state_text(entry->state), stdout);
	if (entry->attempt)
		printf(" after %u attempt%s", entry->attempt,
		       entry->attempt == 1 ? "" : "s");
	if (entry->state == TWHEEL_ARMED)
		printf(", %s of %s left", duration_text(entry->remaining_ns).s,
		       duration_text(entry->timeout_ns).s);
	else
		printf(", timeout %s", duration_text(entry->timeout_ns).s);
	if (entry->interval_ns)
		printf(", every %s", duration_text(entry->interval_ns).s);
	word_text(entry->mapped, entry->word);
	printf(", generation %llu, data %llu\n", entry->generation,
	       entry->data);
}

struct listing {
	const struct session *s;
	bool only_dead;
	__u64 nr;
};

static void show(const struct twheel_list_entry *entry, void *arg)
{
	struct listing *listing = arg;
	const struct session *s = listing->s;

	if (listing->only_dead && entry->state != TWHEEL_DEAD)
		return;
	listing->nr++;
	if (s->cli->json) {
		json_begin("timer");
		entry_json(entry);
		json_end();
		return;
	}
	session_stamp(s, "timer");
	printf("%llu: ", entry->id);
	entry_text(entry);
}

int dead_show(const struct session *s)
{
	struct listing listing = { .s = s, .only_dead = true };

	return entries_walk(s->fd, show, &listing);
}

static enum verdict list(struct session *s, const struct op *op, bool only_dead)
{
	struct listing listing = { .s = s, .only_dead = only_dead };
	int err = entries_walk(s->fd, show, &listing);

	if (err)
		return op_failed(s, op, -err);
	if (s->cli->json) {
		op_json(s, op);
		json_u64("timers", listing.nr);
		json_end();
		return VERDICT_OK;
	}
	op_line(s, op);
	printf("%llu timer%s%s\n", listing.nr, listing.nr == 1 ? "" : "s",
	       only_dead ? " dead" : "");
	return VERDICT_OK;
}

enum verdict op_list(struct session *s, const struct op *op)
{
	return list(s, op, false);
}

enum verdict op_dead(struct session *s, const struct op *op)
{
	return list(s, op, true);
}
