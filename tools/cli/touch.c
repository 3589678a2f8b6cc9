// SPDX-License-Identifier: GPL-2.0
/* touch: a store to a word */
#include <errno.h>
#include <twheel_map.h>

#include "session.h"

/* 0, or -errno. */
static int words_map(struct session *s)
{
	int ret;

	if (s->words)
		return 0;
	ret = twheel_map(s->fd, &s->words);
	if (ret < 0)
		return ret;
	s->nr_words = ret;
	return 0;
}

void words_unmap(struct session *s)
{
	if (s->words)
		twheel_unmap(s->words, s->nr_words);
	s->words = NULL;
}

/* What goes into the word: the time of the last activity, or what is said to be. */
static __u64 activity(const struct session *s, const struct op *op)
{
	__u64 now = clock_now(s->info.clock);
	__u64 time;

	if (op_given(op, OPT_AT))
		return session_deadline(s, op->value[OPT_AT]);
	if (op_given(op, OPT_AT_CLOCK))
		return op->value[OPT_AT_CLOCK];
	if (op_given(op, OPT_AGO))
		return now > op->value[OPT_AGO] ? now - op->value[OPT_AGO] : 0;
	if (__builtin_add_overflow(now, op->value[OPT_AFTER], &time))
		return ~0ULL;
	return time;
}

static void touch_show(const struct session *s, const struct op *op,
		       __u32 word, __u64 time)
{
	if (s->cli->json) {
		op_json(s, op);
		json_u64("word", word);
		json_u64("value_ns", time);
		json_end();
		return;
	}
	op_line(s, op);
	printf("word %u is ", word);
	/* Not a time of the clock. */
	if (time > __INT64_MAX__)
		printf("%llu\n", time);
	else
		printf("%s\n", offset_text(session_offset(s, time)).s);
}

static enum verdict has_none(const struct session *s, const struct op *op)
{
	struct why why;

	why_set(&why, "timer %llu has no word; start it with --word N",
		op->operand);
	return op_failed_why(s, op, EINVAL, &why);
}

static enum verdict touch(struct session *s, const struct op *op, __u64 word)
{
	__u64 time = activity(s, op);
	int err = words_map(s);

	if (!err && word >= s->nr_words)
		err = -EINVAL;
	if (err)
		return op_failed(s, op, -err);
	twheel_touch(&s->words[word], time);
	touch_show(s, op, word, time);
	return VERDICT_OK;
}

enum verdict op_touch(struct session *s, const struct op *op)
{
	struct twheel_get get = { .id = op->operand };
	int err;

	if (op_given(op, OPT_WORD))
		return touch(s, op, op->value[OPT_WORD]);
	err = twheel_get(s->fd, &get);
	if (err)
		return op_failed(s, op, -err);
	return get.mapped ? touch(s, op, get.word) : has_none(s, op);
}
