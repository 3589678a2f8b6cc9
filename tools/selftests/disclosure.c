// SPDX-License-Identifier: GPL-2.0
/*
 * What can be seen of the kernel's memory in what the module gives out, binary and
 * as text: nothing.  No byte that was not set, and no address.
 */
#include <dirent.h>
#include "twheel_pool.h"
#include "twheel_sys.h"

#define TRACING		"/sys/kernel/tracing"
#define TRACEFS		TRACING "/events/twheel"

/* ---- binary */

/* All that the kernel fills in. */
struct output {
	struct twheel_info info;
	struct twheel_stats stats, reader;
	struct twheel_start start;
	struct twheel_reset reset;
	struct twheel_get get;
	struct twheel_stop stop;
	struct twheel_submit submit;
	struct twheel_result result[4];
	struct twheel_list list;
	struct twheel_list_entry entry[3];
	struct twheel_event event[3];
	struct twheel_drain drain;
	struct twheel_event drained[3];
	struct twheel_ack ack, extend, reject;
	struct twheel_shutdown shutdown;
	char behind[64];		/* not even that */
};

#define PART(name) { #name, offsetof(struct output, name) }

static const struct {
	const char *name;
	size_t offset;
} parts[] = {
	PART(info), PART(stats), PART(reader), PART(start), PART(reset), PART(get),
	PART(stop), PART(submit), PART(result), PART(list), PART(entry),
	PART(event), PART(drain), PART(drained), PART(ack), PART(extend),
	PART(reject), PART(shutdown), PART(behind),
};

static const char *part_at(size_t offset)
{
	unsigned int i = ARRAY_SIZE(parts);

	while (parts[--i].offset > offset)
		;
	return parts[i].name;
}

FIXTURE(output) {
	int fd;
};

FIXTURE_VARIANT(output) {
	struct twheel_setup setup;
};

FIXTURE_VARIANT_ADD(output, of_one_queue) {
	.setup = { .map_words = 8 },
};

FIXTURE_VARIANT_ADD(output, under_leases) {
	.setup = {
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.lease_ns = TW_HOUR,
	},
};

FIXTURE_VARIANT_ADD(output, of_copies) {
	.setup = {
		.dispatch = TWHEEL_BROADCAST,
		.overflow = TWHEEL_DROP_OLDEST,
	},
};

FIXTURE_SETUP(output)
{
	self->fd = tw_pool(variant->setup);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(output)
{
	close(self->fd);
}

/* Leave @pattern on the kernel's stack, and in memory that it has freed. */
static void dirty(int fd, unsigned char pattern)
{
	struct twheel_op ops[32];
	struct twheel_result results[32];
	struct twheel_submit submit = {
		.ops = (uintptr_t)ops,
		.results = (uintptr_t)results,
		.count = 32,
	};
	struct twheel_setup setup;

	memset(ops, pattern, sizeof(ops));
	ioctl(fd, TWHEEL_IOC_SUBMIT, &submit);
	memset(&setup, pattern, sizeof(setup));
	setup.size = sizeof(setup);
	ioctl(fd, TWHEEL_IOC_SETUP, &setup);
}

static int dirty_ioctl(int fd, unsigned char pattern, unsigned long cmd, void *arg)
{
	dirty(fd, pattern);
	return ioctl(fd, cmd, arg) ? -errno : 0;
}

/* What has to be 0, or is asked for: the rest is the pattern. */
static void ask_of_instance(struct output *out)
{
	out->info.size = sizeof(out->info);
	out->info.flags = 0;
	out->stats.size = sizeof(out->stats);
	out->stats.flags = 0;
	out->reader.size = sizeof(out->reader);
	out->reader.flags = TWHEEL_STATS_READER;
	out->reader.reader = 1;
	out->shutdown.flags = 0;
	out->shutdown.reserved = 0;
	memset(out->shutdown.reserved2, 0, sizeof(out->shutdown.reserved2));
}

static void ask_of_timer(struct output *out)
{
	const struct output was = *out;

	out->start = (struct twheel_start) {
		.id = 1,
		.time_ns = TW_HOUR,
		.outcome = was.start.outcome,
		.generation = was.start.generation,
		.remaining_ns = was.start.remaining_ns,
		.deadline_ns = was.start.deadline_ns,
	};
	out->reset = (struct twheel_reset) {
		.id = 1,
		.outcome = was.reset.outcome,
		.generation = was.reset.generation,
		.remaining_ns = was.reset.remaining_ns,
		.deadline_ns = was.reset.deadline_ns,
	};
	out->get.id = 1;
	out->get.flags = 0;
	out->get.mapped = 0;
	out->get.word = 0;
	out->stop.id = 1;
	out->stop.flags = 0;
	memset(out->stop.reserved, 0, sizeof(out->stop.reserved));
}

/* Calls for timer 1. */
static bool get_of_a_timer(int fd, unsigned char pattern, struct output *out)
{
	return !dirty_ioctl(fd, pattern, TWHEEL_IOC_START, &out->start) &&
	       !dirty_ioctl(fd, pattern, TWHEEL_IOC_RESET, &out->reset) &&
	       !dirty_ioctl(fd, pattern, TWHEEL_IOC_GET, &out->get) &&
	       !dirty_ioctl(fd, pattern, TWHEEL_IOC_INFO, &out->info) &&
	       !dirty_ioctl(fd, pattern, TWHEEL_IOC_STATS, &out->stats) &&
	       !dirty_ioctl(fd, pattern, TWHEEL_IOC_STATS, &out->reader);
}

/* Arrays; their own structures have nothing but what was asked, and a count. */
static bool get_arrays(int fd, unsigned char pattern, struct output *out)
{
	struct twheel_op op[4] = {
		tw_op_after(2, TW_HOUR), tw_op(TWHEEL_OP_RESET, 2),
		tw_op(TWHEEL_OP_GET, 2), tw_op(TWHEEL_OP_STOP, 3),
	};

	out->submit = (struct twheel_submit) {
		.ops = (uintptr_t)op,
		.results = (uintptr_t)out->result,
		.count = 4,
	};
	out->list = (struct twheel_list) {
		.entries = (uintptr_t)out->entry,
		.room = 2,
	};
	memset(&out->submit.done, pattern, sizeof(out->submit.done));
	memset(&out->list.count, pattern, sizeof(out->list.count));
	memset(&out->list.more, pattern, sizeof(out->list.more));
	return !dirty_ioctl(fd, pattern, TWHEEL_IOC_SUBMIT, &out->submit) &&
	       !dirty_ioctl(fd, pattern, TWHEEL_IOC_LIST, &out->list) &&
	       out->list.count == 2;
}

static bool settle(int fd, unsigned char pattern, unsigned long cmd,
		   const struct twheel_event *event, struct twheel_ack *ack)
{
	bool leased = event->token;

	ack->id = event->id;
	ack->token = event->token;
	ack->lease_ns = cmd == TWHEEL_IOC_EXTEND ? TW_HOUR : 0;
	ack->flags = 0;
	memset(ack->reserved, 0, sizeof(ack->reserved));
	if (leased)
		return !dirty_ioctl(fd, pattern, cmd, ack);
	memset(ack, 0, sizeof(*ack));
	return true;
}

/* Events, read and drained, and what becomes of them. */
static bool get_expiries(int fd, unsigned char pattern, struct output *out)
{
	const size_t two = 2 * sizeof(out->event[0]);
	__u64 id;

	for (id = 5; id < 9; id++)
		if (!tw_expire(fd, id))
			return false;
	out->drain = (struct twheel_drain) {
		.events = (uintptr_t)out->drained,
		.room = 2,
	};
	memset(&out->drain.count, pattern, sizeof(out->drain.count));
	memset(&out->drain.more, pattern, sizeof(out->drain.more));
	dirty(fd, pattern);
	if (read(fd, out->event, two) != (ssize_t)two ||
	    dirty_ioctl(fd, pattern, TWHEEL_IOC_DRAIN, &out->drain) ||
	    out->drain.count != 2)
		return false;
	return settle(fd, pattern, TWHEEL_IOC_ACK, &out->event[0], &out->ack) &&
	       settle(fd, pattern, TWHEEL_IOC_EXTEND, &out->event[1],
		      &out->extend) &&
	       settle(fd, pattern, TWHEEL_IOC_REJECT, &out->event[1],
		      &out->reject);
}

/* All output, into memory that is full of @pattern. */
static bool get_output(int fd, unsigned char pattern, struct output *out)
{
	memset(out, pattern, sizeof(*out));
	ask_of_instance(out);
	ask_of_timer(out);
	return get_of_a_timer(fd, pattern, out) && get_arrays(fd, pattern, out) &&
	       get_expiries(fd, pattern, out) &&
	       !dirty_ioctl(fd, pattern, TWHEEL_IOC_STOP, &out->stop) &&
	       !dirty_ioctl(fd, pattern, TWHEEL_IOC_SHUTDOWN, &out->shutdown);
}

/* What is left of the pattern, and only where it is meant to be. */
static bool is_meant_to_stay(size_t at)
{
	return at >= offsetof(struct output, behind) ||
	       (at >= offsetof(struct output, entry[2]) &&
		at < offsetof(struct output, event)) ||
	       (at >= offsetof(struct output, event[2]) &&
		at < offsetof(struct output, drain)) ||
	       (at >= offsetof(struct output, drained[2]) &&
		at < offsetof(struct output, ack));
}

/* A byte that nobody has set is in two patterns what it was, and set in none. */
TEST_F(output, has_no_byte_that_was_not_set)
{
	static struct output once, again;
	const unsigned char *a = (void *)&once, *b = (void *)&again;
	size_t i;
	bool stale;

	ASSERT_TRUE(get_output(self->fd, 0x55, &once));
	close(self->fd);
	self->fd = tw_pool(variant->setup);
	ASSERT_TRUE(get_output(self->fd, 0xaa, &again));
	for (i = 0; i < sizeof(once); i++) {
		stale = a[i] == 0x55 && b[i] == 0xaa;
		EXPECT_EQ(is_meant_to_stay(i), stale) {
			TH_LOG("byte %zu of %s", i, part_at(i));
		}
	}
}

/* The upper half of the address space, but for small negative numbers. */
static bool is_address(__u64 value)
{
	return value >= 0xffff800000000000ULL && value < -0x100000ULL;
}

TEST_F(output, has_no_address_of_the_kernel)
{
	static struct output out;
	const unsigned char *bytes = (void *)&out;
	__u64 word;
	size_t i;

	ASSERT_TRUE(get_output(self->fd, 0, &out));
	for (i = 0; i + sizeof(word) <= sizeof(out); i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		EXPECT_FALSE(is_address(word)) {
			TH_LOG("byte %zu of %s: %#llx", i, part_at(i), word);
		}
	}
}

/* Numbers that the kernel chooses count from 1, in each instance anew. */
TEST_F(output, has_numbers_that_count_from_one)
{
	static struct output out;

	ASSERT_TRUE(get_output(self->fd, 0, &out));
	EXPECT_EQ(1, out.start.generation);
	EXPECT_EQ(2, out.reset.generation);
	EXPECT_EQ(2, out.get.generation);
	EXPECT_EQ(1, out.event[0].sequence);
	EXPECT_GE(1, out.event[0].token);
	EXPECT_EQ(1, out.reader.reader);
	EXPECT_EQ(1, out.info.reader);
}

/* ---- text */

/* Hexadecimal or decimal, as a %px or a %llu would have printed it. */
static bool token_is_address(const char *token)
{
	char *end;
	__u64 value = strtoull(token, &end, 16);

	if (!*end && end - token >= 12 && is_address(value))
		return true;
	value = strtoull(token, &end, 10);
	return !*end && end != token && *token != '-' && is_address(value);
}

static bool line_has_address(char *line)
{
	const char *separators = " \t\n=:,;()[]{}<>\"'+-";
	char *rest, *token;

	for (token = strtok_r(line, separators, &rest); token;
	     token = strtok_r(NULL, separators, &rest))
		if (token_is_address(token))
			return true;
	return false;
}

/* Lines of a file that hold @word and an address; -1 if it cannot be read. */
static int count_addresses(const char *path, const char *word, int *lines)
{
	FILE *file = fopen(path, "r");
	char line[1024], text[1024];
	int found = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (!strstr(line, word))
			continue;
		++*lines;
		strcpy(text, line);
		if (!line_has_address(line))
			continue;
		printf("# %s: %s", path, text);
		found++;
	}
	fclose(file);
	return found;
}

TEST(search_finds_addresses)
{
	char hex[] = "work 0xffff88810a2b3c40\n", raw[] = "ffffffffc0401000 t\n";
	char decimal[] = "twheel-x:\t18446612686571325504\n";
	char harmless[] = "size 0xffff -1 18446744073709551615 281474976710655\n";

	EXPECT_TRUE(line_has_address(hex));
	EXPECT_TRUE(line_has_address(raw));
	EXPECT_TRUE(line_has_address(decimal));
	EXPECT_FALSE(line_has_address(harmless));
}

FIXTURE(text) {
	int fd;
	int lines;
};

/*
 * Without names of processes, for which the kernel would patch its own scheduler
 * while that runs on the other processor: an emulated one has hung there.
 */
static void begin_trace(void)
{
	tw_write_file(TRACING "/options/record-cmd", "0");
	tw_write_file(TRACEFS "/enable", "1");
}

static void end_trace(void)
{
	tw_write_file(TRACEFS "/enable", "0");
	tw_write_file(TRACING "/options/record-cmd", "1");
}

FIXTURE_SETUP(text)
{
	static struct output out;
	struct twheel_setup leased = tw_leased(TW_HOUR, 0);

	self->lines = 0;
	begin_trace();
	self->fd = tw_pool(leased);
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(get_output(self->fd, 0, &out));
	end_trace();
}

FIXTURE_TEARDOWN(text)
{
	close(self->fd);
	tw_write_file(TRACING "/trace", "");
}

TEST_F(text, of_fdinfo_has_no_address)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", self->fd);
	EXPECT_EQ(0, count_addresses(path, "twheel-", &self->lines));
	EXPECT_LT(30, self->lines);
}

static int count_in_directory(const char *directory, const char *file, int *lines)
{
	struct dirent *entry;
	char path[1024];
	int found = 0;
	DIR *dir = opendir(directory);

	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", directory,
			 entry->d_name, file);
		if (count_addresses(path, "", lines) > 0)
			found++;
	}
	if (dir)
		closedir(dir);
	return found;
}

TEST_F(text, of_sysfs_has_no_address)
{
	EXPECT_EQ(0, count_in_directory(TW_SYSFS "/parameters", "", &self->lines));
	EXPECT_EQ(0, count_in_directory("/sys/class/misc/twheel", "",
					&self->lines));
	EXPECT_LT(12, self->lines);
}

TEST_F(text, of_traces_has_no_address)
{
	if (access(TRACEFS, F_OK))
		SKIP(return, "no tracing here");
	EXPECT_EQ(0, count_addresses(TRACING "/trace", "twheel_",
				     &self->lines));
	EXPECT_LT(10, self->lines);
}

TEST_F(text, of_trace_formats_names_no_pointer)
{
	char path[] = TRACEFS "/twheel_start/format";

	if (access(TRACEFS, F_OK))
		SKIP(return, "no tracing here");
	EXPECT_EQ(0, count_in_directory(TRACEFS, "/format", &self->lines));
	EXPECT_LT(30, self->lines);
	self->lines = 0;
	count_addresses(path, "*", &self->lines);
	count_addresses(path, "%p", &self->lines);
	EXPECT_EQ(0, self->lines);
}

/* What the module says is nothing; the kernel says that it was loaded. */
TEST_F(text, of_the_log_has_no_address)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char line[8192];
	ssize_t got;

	if (fd < 0)
		SKIP(return, "no log here");
	while ((got = read(fd, line, sizeof(line) - 1)) > 0) {
		line[got] = 0;
		if (strstr(line, "twheel"))
			EXPECT_FALSE(line_has_address(line));
	}
	close(fd);
}

TEST_F(text, of_debugfs_is_none)
{
	EXPECT_EQ(-1, access("/sys/kernel/debug/twheel", F_OK));
}

TEST_HARNESS_MAIN
