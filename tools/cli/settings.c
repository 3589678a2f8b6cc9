// SPDX-License-Identifier: GPL-2.0
/* setup and info: the settings of the instance */
#include "session.h"

static void info_json(const struct twheel_info *info)
{
	json_begin("info");
	json_u64("abi_revision", info->abi_revision);
	json_u64("event_size", info->event_size);
	json_u64("tick_shift", info->tick_shift);
	json_u64("tick_shift_min", info->tick_shift_min);
	json_u64("tick_shift_max", info->tick_shift_max);
	json_string("clock", clock_text(info->clock));
	json_string("overflow", overflow_text(info->overflow));
	json_u64("queue_len", info->queue_len);
	json_u64("queue_len_max", info->queue_len_max);
	json_u64("max_timers", info->max_timers);
	json_u64("max_timers_max", info->max_timers_max);
	json_u64("map_words", info->map_words);
	json_u64("map_words_max", info->map_words_max);
	json_u64("min_interval_ns", info->min_interval_ns);
	json_u64("submit_max", info->submit_max);
	json_u64("list_max", info->list_max);
	json_string("delivery", delivery_text(info->delivery));
	json_string("dispatch", dispatch_text(info->dispatch));
	setup_flags_json(info->setup_flags);
	json_u64("max_attempts", info->max_attempts);
	json_u64("lease_ns", info->lease_ns);
	json_u64("lease_max_ns", info->lease_max_ns);
	json_u64("readers", info->readers);
	json_u64("readers_max", info->readers_max);
	json_u64("reader", info->reader);
	json_u64("reader_flags", info->reader_flags);
	json_end();
}

/* "1.048ms (shift 20)"; a shift out of range would be the module's mistake. */
static void tick_line(const char *before, __u32 shift)
{
	printf("%s%s (shift %u)", before,
	       shift < 64 ? duration_text(1ULL << shift).s : "?", shift);
}

/* "at-least-once, lease 1s, dead after 3 attempts; dispatch round-robin" */
static void delivery_line(const struct twheel_info *info)
{
	fputs(delivery_text(info->delivery), stdout);
	if (info->delivery == TWHEEL_AT_LEAST_ONCE)
		printf(", lease %s", duration_text(info->lease_ns).s);
	if (info->max_attempts)
		printf(", dead after %u attempt%s", info->max_attempts,
		       info->max_attempts == 1 ? "" : "s");
	printf("; dispatch %s", dispatch_text(info->dispatch));
	if (info->setup_flags & TWHEEL_STEAL)
		fputs(", idle readers steal", stdout);
	if (info->setup_flags & TWHEEL_CONTROL)
		fputs(", the opener is no reader", stdout);
}

static void readers_line(const struct twheel_info *info)
{
	printf("readers        %u, at most %u; ", info->readers,
	       info->readers_max);
	if (info->reader)
		printf("this one is reader %u\n", info->reader);
	else
		puts("this descriptor is none");
}

void info_show(const struct cli *cli, const struct twheel_info *info)
{
	if (cli->json) {
		info_json(info);
		return;
	}
	printf("ABI revision   %u, records of %u bytes\n", info->abi_revision,
	       info->event_size);
	tick_line("tick           ", info->tick_shift);
	tick_line(", from ", info->tick_shift_min);
	tick_line(" to ", info->tick_shift_max);
	printf("\nclock          %s\n", clock_text(info->clock));
	printf("queue          %u expiries, at most %u; when full: %s\n",
	       info->queue_len, info->queue_len_max,
	       overflow_text(info->overflow));
	printf("timers         at most %llu, can be set up to %llu\n",
	       info->max_timers, info->max_timers_max);
	printf("words          %u, at most %u\n", info->map_words,
	       info->map_words_max);
	printf("intervals      from %s\n",
	       duration_text(info->min_interval_ns).s);
	printf("in one call    %u operations, a list of %u\n", info->submit_max,
	       info->list_max);
	fputs("delivery       ", stdout);
	delivery_line(info);
	printf("\nleases         at most %s\n",
	       duration_text(info->lease_max_ns).s);
	readers_line(info);
}

enum verdict op_info(struct session *s, const struct op *op)
{
	int err = session_info(s);

	if (err)
		return op_failed(s, op, -err);
	info_show(s->cli, &s->info);
	return VERDICT_OK;
}

static void setup_show(const struct session *s, const struct op *op)
{
	const struct twheel_info *info = &s->info;

	if (s->cli->json) {
		op_json(s, op);
		json_u64("tick_shift", info->tick_shift);
		json_string("clock", clock_text(info->clock));
		json_string("overflow", overflow_text(info->overflow));
		json_u64("queue_len", info->queue_len);
		json_u64("max_timers", info->max_timers);
		json_u64("map_words", info->map_words);
		json_string("delivery", delivery_text(info->delivery));
		json_u64("lease_ns", info->lease_ns);
		json_u64("max_attempts", info->max_attempts);
		json_string("dispatch", dispatch_text(info->dispatch));
		setup_flags_json(info->setup_flags);
		json_end();
		return;
	}
	op_line(s, op);
	tick_line("tick ", info->tick_shift);
	printf(", clock %s, queue of %u, when full: %s, at most %llu timers",
	       clock_text(info->clock), info->queue_len,
	       overflow_text(info->overflow), info->max_timers);
	if (info->map_words)
		printf(", %u word%s", info->map_words,
		       info->map_words == 1 ? "" : "s");
	putchar('\n');
	session_stamp(s, "");
	delivery_line(info);
	putchar('\n');
}

enum verdict op_setup(struct session *s, const struct op *op)
{
	struct twheel_setup setup = {
		.clock = op->value[OPT_CLOCK],
		.queue_len = op->value[OPT_QUEUE],
		.overflow = op->value[OPT_OVERFLOW],
		.max_timers = op->value[OPT_MAX_TIMERS],
		.map_words = op->value[OPT_WORDS],
		.delivery = op->value[OPT_DELIVERY],
		.dispatch = op->value[OPT_DISPATCH],
		.lease_ns = op->value[OPT_LEASE],
		.max_attempts = op->value[OPT_MAX_ATTEMPTS],
	};
	int err;

	if (op_given(op, OPT_STEAL))
		setup.flags |= TWHEEL_STEAL;
	if (op_given(op, OPT_CONTROL) || s->control)
		setup.flags |= TWHEEL_CONTROL;

	/* The parser lets only one of them through. */
	setup.tick_shift = op->value[OPT_TICK] | op->value[OPT_TICK_SHIFT];
	err = twheel_setup(s->fd, &setup, sizeof(setup));
	if (!err)
		err = session_info(s);
	if (err)
		return op_failed(s, op, -err);
	setup_show(s, op);
	return VERDICT_OK;
}
