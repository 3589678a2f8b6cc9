// SPDX-License-Identifier: GPL-2.0
/* Tests of the parts that need neither a device nor a clock; prints TAP. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/twheel.h>

#include "fdinfo.h"
#include "op.h"
#include "session.h"

static unsigned int tests;
static unsigned int failures;

static void ok(bool good, const char *format, ...) __printf(2, 3);

static void ok(bool good, const char *format, ...)
{
	va_list args;

	failures += !good;
	printf("%sok %u - ", good ? "" : "not ", ++tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static void test_duration_parse(void)
{
	static const struct {
		const char *text;
		__u64 ns;
	} rows[] = {
		{ "0ns", 0 },
		{ "5ns", 5 },
		{ "100us", 100000 },
		{ "250ms", 250000000 },
		{ "1.5s", 1500000000 },
		{ "2m", 120000000000 },
		{ "1h30m", 5400000000000 },
		{ "1d", 86400000000000 },
		{ "1d2h3m4s5ms6us7ns", 93784005006007 },
		{ "1m0.5s", 60500000000 },
		{ "90m", 5400000000000 },
		{ "007ms", 7000000 },
		{ "0.001us", 1 },
		{ "0.100000000000000000s", 100000000 },
		{ "0.00000000000125d", 108 },
		{ "18446744073709551615ns", ULLONG_MAX },
		{ "18446744073.709551615s", ULLONG_MAX },
	};
	struct why why;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		__u64 ns = ~rows[i].ns;
		int ret = duration_parse(rows[i].text, &ns, &why);

		ok(!ret && ns == rows[i].ns, "duration '%s' is %llu ns",
		   rows[i].text, rows[i].ns);
	}
}

static void test_duration_refused(void)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{ "", "empty" },
		{ "250", "250 what? write 250ms" },
		{ "0", "0 what?" },
		{ "1.5", "1.5 what?" },
		{ "1h30", "what?" },
		{ "-5ms", "negative" },
		{ "+5ms", "not a duration" },
		{ " 5ms", "not a duration" },
		{ "5 ms", "not a unit" },
		{ "5ms ", "not a unit" },
		{ "ms", "not a duration" },
		{ ".5s", "not a duration" },
		{ "5.s", "no digit after the point" },
		{ "5.5.5s", "two points" },
		{ "5msec", "'msec' in '5msec' is not a unit" },
		{ "5MS", "not a unit" },
		{ "0x10ms", "not a unit" },
		{ "30m1h", "largest unit comes first" },
		{ "1s1s", "largest unit comes first" },
		{ "1.5h30m", "only the last" },
		{ "1.5ns", "finer than a nanosecond" },
		{ "0.0000000001s", "finer than a nanosecond" },
		{ "0.1234567890123456789s", "more than 18 digits" },
		{ "18446744073709551616ns", "64 bits" },
		{ "18446744073.709551616s", "64 bits" },
		{ "99999999999999999999999d", "64 bits" },
		{ "213504d", "64 bits" },
		{ "213503d24h", "64 bits" },
	};
	struct why why;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		__u64 ns = 42;
		int ret = duration_parse(rows[i].text, &ns, &why);

		ok(ret && ns == 42 && strstr(why.text, rows[i].says),
		   "duration '%s' is refused: %s", rows[i].text, rows[i].says);
	}
}

static void test_duration_text(void)
{
	static const struct {
		__u64 ns;
		const char *text;
	} rows[] = {
		{ 0, "0ns" },
		{ 999, "999ns" },
		{ 1000, "1us" },
		{ 1048576, "1.048ms" },
		{ 249700000, "249.7ms" },
		{ 249799999, "249.7ms" },
		{ 999999999, "999.9ms" },
		{ 1500000000, "1.5s" },
		{ 59999999999, "59.99s" },
		{ 60000000000, "1m" },
		{ 3600000000000, "1h" },
		{ 5400000000000, "1h30m" },
		{ 90061000000001, "1d1h1m1s" },
		{ LLONG_MAX, "106751d23h47m16s" },
		{ ULLONG_MAX, "213503d23h34m33s" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct duration_text text = duration_text(rows[i].ns);

		ok(!strcmp(text.s, rows[i].text), "%llu ns is printed as %s",
		   rows[i].ns, rows[i].text);
	}
	ok(!strcmp(offset_text(-1500000000).s, "-1.5s"), "a negative offset");
	ok(!strcmp(offset_text(LLONG_MIN).s, "-106751d23h47m16s"),
	   "the lowest offset");
}

static void test_duration_both_ways(void)
{
	static const char *const texts[] = {
		"5ns", "100us", "250ms", "249.7ms", "1.5s", "59.99s", "2m",
		"1h30m", "1d", "3d4h5m6s",
	};
	struct why why;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		__u64 ns = 0;
		int ret = duration_parse(texts[i], &ns, &why);

		ok(!ret && !strcmp(duration_text(ns).s, texts[i]),
		   "%s is read and printed the same", texts[i]);
	}
}

/* Whatever is printed can be read, and is less than 0.1% or 1 s too little. */
static void test_duration_random(void)
{
	unsigned int seed = 20240607;
	unsigned int wrong = 0;
	int round;

	srandom(seed);
	for (round = 0; round < 100000; round++) {
		__u64 ns = (__u64)random() << 33 ^ (__u64)random() << 11;
		struct why why;
		__u64 back;

		ns >>= random() % 64;
		if (duration_parse(duration_text(ns).s, &back, &why) ||
		    back > ns || ns - back >= ns / 1000 + 1000000000)
			wrong++;
	}
	ok(!wrong, "100000 random durations printed and read, seed %u", seed);
}

static void test_number(void)
{
	static const struct {
		const char *text;
		int ret;
		__u64 value;
	} rows[] = {
		{ "0", 0, 0 },
		{ "7", 0, 7 },
		{ "010", 0, 10 },
		{ "0x10", 0, 16 },
		{ "0XfF", 0, 255 },
		{ "18446744073709551615", 0, ULLONG_MAX },
		{ "0xffffffffffffffff", 0, ULLONG_MAX },
		{ "18446744073709551616", -1, 0 },
		{ "0x10000000000000000", -1, 0 },
		{ "", -1, 0 },
		{ "0x", -1, 0 },
		{ "-1", -1, 0 },
		{ "+1", -1, 0 },
		{ " 1", -1, 0 },
		{ "1a", -1, 0 },
		{ "0xg", -1, 0 },
		{ "1.0", -1, 0 },
	};
	struct why why;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		__u64 value = 0;
		int ret = number_parse(rows[i].text, &value, &why);

		ok(ret == rows[i].ret && value == rows[i].value,
		   "number '%s' is %s", rows[i].text,
		   rows[i].ret ? "refused" : "read");
	}
}

static void test_words(void)
{
	char line[] = " \tstart  7\t--after#1 \r";
	char comment[] = "stop 7 # stop 8";
	char text[] = "  a #b  c \t";
	char *rest = line;
	const char *word;

	word = word_next(&rest);
	ok(word && !strcmp(word, "start"), "the first word");
	word = word_next(&rest);
	ok(word && !strcmp(word, "7"), "the second word");
	word = word_next(&rest);
	ok(word && !strcmp(word, "--after#1"), "a # inside a word");
	ok(!word_next(&rest) && !word_next(&rest), "the end, and again");
	rest = comment;
	word_next(&rest);
	word_next(&rest);
	ok(!word_next(&rest) && !word_next(&rest), "a comment is the end");
	rest = text;
	ok(!strcmp(words_rest(&rest), "a #b  c"), "the rest of a line");
}

static void test_json(void)
{
	static const struct {
		const char *text;
		const char *json;
	} rows[] = {
		{ "", "\"\"" },
		{ "a b", "\"a b\"" },
		{ "\"\\/", "\"\\\"\\\\/\"" },
		{ "\x01\n\x7f", "\"\\u0001\\u000a\\u007f\"" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"" },
		{ "\377a", "\"\\ufffda\"" },
		{ "\xc3", "\"\\ufffd\"" },
		{ "\xe2\x82", "\"\\ufffd\\ufffd\"" },
		{ "\xc0\xaf", "\"\\ufffd\\ufffd\"" },
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		char *out = NULL;
		size_t size;
		FILE *file = open_memstream(&out, &size);

		json_quote(file, rows[i].text);
		fclose(file);
		ok(!strcmp(out, rows[i].json), "JSON string %s", rows[i].json);
		free(out);
	}
}

static void test_op_refused(void)
{
	static const struct {
		const char *line;
		const char *word;	/* NULL: the end of the line */
		const char *says;
	} rows[] = {
		{ "frob 7", "frob", "not an operation" },
		{ "start", NULL, "ID is missing" },
		{ "start 7", NULL, "--after or --at" },
		{ "start x --after 1s", "x", "not a number" },
		{ "start 1 2 --after 1s", "2", "not expected here" },
		{ "start 7 --after", NULL, "value of --after is missing" },
		{ "start 7 --after # 1s", NULL, "is missing" },
		{ "start 7 --after 250", "250", "write 250ms" },
		{ "start 7 --after 1s --after 2s", "--after", "twice" },
		{ "start 7 --after 1s --at 2s", "--at", "one of them" },
		{ "start 7 --at @", "", "empty" },
		{ "start 7 --afer 1s", "--afer", "not an option of start" },
		{ "start 7 --after 1s --wait 1s", "--wait", "not an option" },
		{ "start 7 --after 1s --data 0x", "0x", "not a number" },
		{ "start 7 --after 1s --every 0", "0", "what?" },
		{ "reset 7 --every 1s", "--every", "not an option of reset" },
		{ "stop 7 --after 1s", "--after", "not an option of stop" },
		{ "stop 18446744073709551616", "18446744073709551616",
		  "larger than" },
		{ "start 7 --after 1s --word", NULL, "value of --word" },
		{ "start 7 --after 1s --word 4294967296", "4294967296",
		  "larger than" },
		{ "reset 7 --word 1", "--word", "not an option of reset" },
		{ "touch", NULL, "either the ID of a timer or --word" },
		{ "touch 7 --word 1", NULL, "either the ID of a timer or" },
		{ "touch 7 --ago", NULL, "value of --ago is missing" },
		{ "touch 7 --ago 1", "1", "what?" },
		{ "touch 7 --ago 1s --after 1s", "--after", "one of them" },
		{ "touch 7 --at 1s --ago 1s", "--ago", "one of them" },
		{ "touch 7 --every 1s", "--every", "not an option of touch" },
		{ "sleep", NULL, "duration is missing" },
		{ "sleep 5", "5", "what?" },
		{ "read x", "x", "not a number" },
		{ "stats 7", "7", "not expected here" },
		{ "setup --clock realtime", "realtime", "not a clock" },
		{ "setup --overflow block", "block", "not a policy" },
		{ "setup --queue 4294967296", "4294967296", "larger than" },
		{ "setup --words 4294967296", "4294967296", "larger than" },
		{ "setup --word 1", "--word", "not an option of setup" },
		{ "setup --tick 1ns", "1ns", "at least 2ns" },
		{ "setup --tick 1ms --tick-shift 20", "--tick-shift",
		  "one of them" },
		{ "setup --delivery twice", "twice", "not a delivery" },
		{ "setup --dispatch random", "random", "not a dispatch" },
		{ "setup --lease 5", "5", "what?" },
		{ "setup --max-attempts 4294967296", "4294967296",
		  "larger than" },
		{ "setup --steal --steal", "--steal", "twice" },
		{ "setup --reader 1", "--reader", "not an option of setup" },
		{ "ack x", "x", "not a number" },
		{ "ack 7 --lease 1s", "--lease", "not an option of ack" },
		{ "ack --token 3", NULL, "needs the ID" },
		{ "reject 7 8", "8", "not expected here" },
		{ "extend 7 --lease", NULL, "value of --lease is missing" },
		{ "reader 2", "2", "not expected here" },
		{ "close", NULL, "number of the reader is missing" },
		{ "close --reader 2", "--reader", "not an option of close" },
		{ "drain --wait 1s", "--wait", "not an option of drain" },
		{ "shutdown now", "now", "not expected here" },
		{ "dead 7", "7", "not expected here" },
		{ "stats --readers --reader 2", "--reader", "one of them" },
		{ "expect", NULL, "name of an error" },
		{ "expect EWRONG stop 7", "EWRONG", "name of an error" },
		{ "expect ENOENT", NULL, "operation is missing" },
		{ "expect ENOENT expect ENOENT stop 7", "expect",
		  "not an operation" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		char line[128];
		struct fault fault;
		struct op op;
		bool word;
		int ret;

		snprintf(line, sizeof(line), "%s", rows[i].line);
		ret = op_parse(line, &op, &fault);
		if (rows[i].word)
			word = fault.word && !strcmp(fault.word, rows[i].word);
		else
			word = !fault.word;
		ok(ret == -1 && word && strstr(fault.why.text, rows[i].says),
		   "'%s' is refused at %s: %s", rows[i].line,
		   rows[i].word ? rows[i].word : "the end", rows[i].says);
	}
}

static int parse(const char *text, struct op *op)
{
	static char line[256];
	struct fault fault;

	snprintf(line, sizeof(line), "%s", text);
	return op_parse(line, op, &fault);
}

static void test_op_timers(void)
{
	struct op op;

	ok(!parse("", &op) && !parse("  # stop 7", &op),
	   "blank lines and comments");
	ok(parse("start 0xff --every 1s --at 2s --exclusive --data 3", &op) == 1 &&
	   op.code == OP_START && op.operand == 255 &&
	   op_given(&op, OPT_EXCLUSIVE) && op_given(&op, OPT_AT) &&
	   !op_given(&op, OPT_AT_CLOCK) && op.value[OPT_AT] == 2000000000 &&
	   op.value[OPT_EVERY] == 1000000000 && op.value[OPT_DATA] == 3,
	   "start with options");
	ok(parse("start --at @1ns 7", &op) == 1 && op.operand == 7 &&
	   op_given(&op, OPT_AT_CLOCK) && !op_given(&op, OPT_AT) &&
	   op.value[OPT_AT_CLOCK] == 1, "start at a reading of the clock");
	ok(parse("reset 7", &op) == 1 && op.code == OP_RESET && !op.given,
	   "reset without a time");
	ok(parse("expect ENOENT stop 18446744073709551615", &op) == 1 &&
	   op.expect == ENOENT && op.code == OP_STOP &&
	   op.operand == ULLONG_MAX, "expect, and the largest ID");
}

static void test_op_words(void)
{
	struct op op;

	ok(parse("setup --words 0x10", &op) == 1 && op.value[OPT_WORDS] == 16,
	   "setup of words");
	ok(parse("start 7 --after 1s --word 0", &op) == 1 &&
	   op_given(&op, OPT_WORD) && op.value[OPT_WORD] == 0,
	   "start with a word");
	ok(parse("touch 7", &op) == 1 && op.code == OP_TOUCH &&
	   op_has_id(&op) && op.operand == 7 && !op.given,
	   "touch of a timer");
	ok(parse("touch --word 3 --ago 5ns", &op) == 1 && !op_has_id(&op) &&
	   op.value[OPT_WORD] == 3 && op.value[OPT_AGO] == 5,
	   "touch of a word, with a time that has passed");
	ok(parse("touch 7 --at @18446744073709551615ns", &op) == 1 &&
	   op_given(&op, OPT_AT_CLOCK) &&
	   op.value[OPT_AT_CLOCK] == ULLONG_MAX, "touch with any value");
}

static void test_op_readers(void)
{
	static const char setup[] =
		"setup --delivery at-least-once --lease 2s --max-attempts 3 --control";
	struct op op;

	ok(parse(setup, &op) == 1 &&
	   op.value[OPT_DELIVERY] == TWHEEL_AT_LEAST_ONCE &&
	   op.value[OPT_LEASE] == 2000000000 &&
	   op.value[OPT_MAX_ATTEMPTS] == 3 && op_given(&op, OPT_CONTROL),
	   "setup of a delivery");
	ok(parse("setup --steal --dispatch round-robin", &op) == 1 &&
	   op.value[OPT_DISPATCH] == TWHEEL_ROUND_ROBIN &&
	   op_given(&op, OPT_STEAL) && !op_given(&op, OPT_CONTROL),
	   "setup of a dispatch");
	ok(parse("ack", &op) == 1 && op.code == OP_ACK && !op_has_id(&op),
	   "ack of all that is in hand");
	ok(parse("ack 0 --token 9 --reader 2", &op) == 1 && op_has_id(&op) &&
	   op.operand == 0 && op.value[OPT_TOKEN] == 9 &&
	   op.value[OPT_READER] == 2, "ack of one delivery");
	ok(parse("extend 7 --lease 1m", &op) == 1 && op.code == OP_EXTEND &&
	   op.value[OPT_LEASE] == 60000000000, "extend");
	ok(parse("reader --dead", &op) == 1 && op.code == OP_READER &&
	   op_given(&op, OPT_DEAD), "a reader of dead expiries");
	ok(parse("close 2", &op) == 1 && op.code == OP_CLOSE &&
	   op.operand == 2 && !op_has_id(&op), "close");
	ok(parse("drain 5 --reader 2", &op) == 1 && op.code == OP_DRAIN &&
	   op.operand == 5, "drain");
}

static void test_op_others(void)
{
	static const char setup[] =
		"setup --tick 1ms --clock boottime --queue 8 --max-timers 9 --overflow drop-oldest";
	struct op op;

	ok(parse("read", &op) == 1 && !op.has_operand, "read without count");
	ok(parse("read 0 --wait 1m", &op) == 1 && op.has_operand &&
	   op.operand == 0 && op.value[OPT_WAIT] == 60000000000,
	   "read with count and wait");
	ok(parse(setup, &op) == 1 &&
	   op.value[OPT_TICK] == 19 &&
	   op.value[OPT_CLOCK] == CLOCK_BOOTTIME &&
	   op.value[OPT_OVERFLOW] == TWHEEL_DROP_OLDEST &&
	   op.value[OPT_QUEUE] == 8 && op.value[OPT_MAX_TIMERS] == 9,
	   "setup with everything; the tick is not longer than asked");
	ok(parse("echo  it's # 7 ", &op) == 1 && !strcmp(op.text, "it's # 7"),
	   "echo keeps its text");
	ok(parse("echo", &op) == 1 && !*op.text, "echo of nothing");
}

struct seen {
	unsigned int nr;
	__u64 ids[4];
};

static void see(struct delivery *delivery, void *arg)
{
	struct seen *seen = arg;

	if (seen->nr < ARRAY_SIZE(seen->ids))
		seen->ids[seen->nr] = delivery->id;
	seen->nr++;
}

static void keep(struct session *s, const struct reader *reader, __u64 id,
		 __u64 token)
{
	const struct twheel_event event = { .id = id, .token = token };

	if (delivery_keep(s, reader, &event))
		abort();
}

static void test_in_hand(void)
{
	struct session s = {
		.readers = { { .number = 1 }, { .number = 2 } },
		.nr_readers = 2,
	};
	const struct reader *one = &s.readers[0], *two = &s.readers[1];
	struct seen seen = { 0 };

	ok(!delivery_find(&s, 7, NULL), "in hand: nothing yet");
	keep(&s, two, 7, 20);
	keep(&s, one, 9, 21);
	keep(&s, one, 7, 22);
	ok(delivery_find(&s, 7, NULL)->token == 22,
	   "in hand: the last delivery to any reader");
	ok(delivery_find(&s, 7, two)->token == 20,
	   "in hand: the last delivery to one reader");
	ok(!delivery_find(&s, 9, two), "in hand: another reader's is not found");
	keep(&s, two, 7, 23);
	ok(delivery_find(&s, 7, NULL)->token == 23 &&
	   delivery_find(&s, 7, one)->token == 22,
	   "in hand: a new delivery takes the place of that reader's old one");
	delivery_walk(&s, see, &seen);
	ok(seen.nr == 2 && seen.ids[0] == 7 && seen.ids[1] == 9,
	   "in hand: the last delivery of each timer, by ID");
	delivery_find(&s, 9, one)->done = true;
	seen.nr = 0;
	delivery_walk(&s, see, &seen);
	ok(seen.nr == 1 && seen.ids[0] == 7, "in hand: not what is done");
	keep(&s, one, 9, 24);
	ok(!delivery_find(&s, 9, one)->done, "in hand: a new one is not done");
	delivery_forget(&s);
	ok(!delivery_find(&s, 9, one), "in hand: all is forgotten");
}

static void test_balance(void)
{
	struct twheel_stats stats = {
		.expired = 28, .delivered = 1, .withdrawn = 2, .dropped = 3,
		.dead = 4, .waiting = 5, .in_flight = 6, .passed_on = 7,
	};

	ok(stats_balanced(&stats), "the books balance with all that is in them");
	stats.in_flight--;
	ok(!stats_balanced(&stats), "a lease that is missing in the books is seen");
}

static void test_fdinfo_reader(void)
{
	static const char *const lines[] = {
		"twheel-reader:\t2\n", "twheel-expired:\t100\n",
		"twheel-reader-expired:\t21\n", "twheel-reader-delivered:\t1\n",
		"twheel-reader-withdrawn:\t2\n", "twheel-reader-dropped:\t3\n",
		"twheel-reader-dead:\t4\n", "twheel-reader-waiting:\t5\n",
		"twheel-reader-in-flight:\t5\n",
	};
	struct fdinfo info = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		fdinfo_add_line(&info, lines[i]);
	ok(fdinfo_balance(&info, "reader-") == 0,
	   "fdinfo: the books of a reader do not balance");
	fdinfo_add_line(&info, "twheel-reader-passed-on:\t1\n");
	ok(fdinfo_balance(&info, "reader-") == 1,
	   "fdinfo: what a reader has passed on is in its books");
}

static void test_fdinfo(void)
{
	static const char *const lines[] = {
		"pos:\t0\n", "twheel-expired:\t6\n", "twheel-delivered:\t1\n",
		"twheel-withdrawn:\t2\n", "twheel-dropped:\t3\n",
		"twheel-dead:\t0\n", "twheel-nonsense\n",
		"twheel-a-name-that-is-far-too-long-to-be-one:\t1\n",
	};
	struct fdinfo info = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		fdinfo_add_line(&info, lines[i]);
	ok(info.nr == 5, "fdinfo: the lines of the module are taken");
	ok(fdinfo_balance(&info, "") == -1, "fdinfo: a counter is missing");
	fdinfo_add_line(&info, "twheel-waiting:\t0\n");
	ok(fdinfo_balance(&info, "") == 1, "fdinfo: the books balance");
	fdinfo_add_line(&info, "twheel-in-flight:\t1\n");
	ok(fdinfo_balance(&info, "") == 0, "fdinfo: they do not with a lease more");
	strcpy(info.fields[0].value, "7");
	ok(fdinfo_balance(&info, "") == 1, "fdinfo: leases are in the books");
	ok(fdinfo_balance(&info, "reader-") == -1, "fdinfo: not a reader");
	for (i = 0; i < 2 * FIELDS_MAX; i++)
		fdinfo_add_line(&info, "twheel-more:\t1\n");
	ok(info.nr == FIELDS_MAX, "fdinfo: never more than there is room for");
}

int main(void)
{
	test_duration_parse();
	test_duration_refused();
	test_duration_text();
	test_duration_both_ways();
	test_duration_random();
	test_number();
	test_words();
	test_json();
	test_op_refused();
	test_op_timers();
	test_op_words();
	test_op_readers();
	test_op_others();
	test_in_hand();
	test_balance();
	test_fdinfo();
	test_fdinfo_reader();
	printf("1..%u\n", tests);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
