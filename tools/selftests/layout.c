// SPDX-License-Identifier: GPL-2.0
/*
 * Layout of the interface: the same for 32 and 64 bits, without a hole, and what
 * it was when it was published.
 */
#include <linux/const.h>
#include <linux/ioctl.h>
#include <linux/types.h>

/* A hole in a structure of the interface does not compile here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"
#include <linux/twheel.h>
#pragma GCC diagnostic pop

#include "twheel_test.h"

/* Where one of the two builds is asked for its layout, by the other one. */
#define PRINT_ENV	"TWHEEL_TEST_PRINT_LAYOUT"

struct field {
	const char *name;
	size_t offset;
	size_t published;
};

#define FIELD(type, member, at)	{ #type "." #member, offsetof(struct type, member), at }

/* complete.awk sees to it that none is missing. */

static const struct field fields[] = {
	FIELD(twheel_info, size, 0),
	FIELD(twheel_info, flags, 4),
	FIELD(twheel_info, abi_revision, 8),
	FIELD(twheel_info, event_size, 12),
	FIELD(twheel_info, tick_shift, 16),
	FIELD(twheel_info, tick_shift_min, 20),
	FIELD(twheel_info, tick_shift_max, 24),
	FIELD(twheel_info, clock, 28),
	FIELD(twheel_info, overflow, 32),
	FIELD(twheel_info, queue_len, 36),
	FIELD(twheel_info, queue_len_max, 40),
	FIELD(twheel_info, reserved, 44),
	FIELD(twheel_info, max_timers, 48),
	FIELD(twheel_info, max_timers_max, 56),
	FIELD(twheel_info, min_interval_ns, 64),
	FIELD(twheel_info, submit_max, 72),
	FIELD(twheel_info, list_max, 76),
	FIELD(twheel_info, delivery, 80),
	FIELD(twheel_info, dispatch, 84),
	FIELD(twheel_info, setup_flags, 88),
	FIELD(twheel_info, max_attempts, 92),
	FIELD(twheel_info, lease_ns, 96),
	FIELD(twheel_info, lease_max_ns, 104),
	FIELD(twheel_info, readers, 112),
	FIELD(twheel_info, readers_max, 116),
	FIELD(twheel_info, reader, 120),
	FIELD(twheel_info, reader_flags, 124),
	FIELD(twheel_info, map_words, 128),
	FIELD(twheel_info, map_words_max, 132),

	FIELD(twheel_setup, size, 0),
	FIELD(twheel_setup, flags, 4),
	FIELD(twheel_setup, tick_shift, 8),
	FIELD(twheel_setup, clock, 12),
	FIELD(twheel_setup, queue_len, 16),
	FIELD(twheel_setup, overflow, 20),
	FIELD(twheel_setup, max_timers, 24),
	FIELD(twheel_setup, delivery, 32),
	FIELD(twheel_setup, dispatch, 36),
	FIELD(twheel_setup, lease_ns, 40),
	FIELD(twheel_setup, max_attempts, 48),
	FIELD(twheel_setup, map_words, 52),

	FIELD(twheel_start, id, 0),
	FIELD(twheel_start, time_ns, 8),
	FIELD(twheel_start, interval_ns, 16),
	FIELD(twheel_start, data, 24),
	FIELD(twheel_start, flags, 32),
	FIELD(twheel_start, outcome, 36),
	FIELD(twheel_start, generation, 40),
	FIELD(twheel_start, remaining_ns, 48),
	FIELD(twheel_start, deadline_ns, 56),
	FIELD(twheel_start, slack_ns, 64),
	FIELD(twheel_start, word, 72),

	FIELD(twheel_stop, id, 0),
	FIELD(twheel_stop, flags, 8),
	FIELD(twheel_stop, outcome, 12),
	FIELD(twheel_stop, generation, 16),
	FIELD(twheel_stop, remaining_ns, 24),
	FIELD(twheel_stop, data, 32),
	FIELD(twheel_stop, reserved, 40),

	FIELD(twheel_reset, id, 0),
	FIELD(twheel_reset, time_ns, 8),
	FIELD(twheel_reset, flags, 16),
	FIELD(twheel_reset, outcome, 20),
	FIELD(twheel_reset, generation, 24),
	FIELD(twheel_reset, remaining_ns, 32),
	FIELD(twheel_reset, deadline_ns, 40),
	FIELD(twheel_reset, reserved, 48),

	FIELD(twheel_get, id, 0),
	FIELD(twheel_get, flags, 8),
	FIELD(twheel_get, state, 12),
	FIELD(twheel_get, generation, 16),
	FIELD(twheel_get, deadline_ns, 24),
	FIELD(twheel_get, remaining_ns, 32),
	FIELD(twheel_get, timeout_ns, 40),
	FIELD(twheel_get, interval_ns, 48),
	FIELD(twheel_get, data, 56),
	FIELD(twheel_get, slack_ns, 64),
	FIELD(twheel_get, mapped, 72),
	FIELD(twheel_get, word, 76),

	FIELD(twheel_op, opcode, 0),
	FIELD(twheel_op, flags, 4),
	FIELD(twheel_op, id, 8),
	FIELD(twheel_op, time_ns, 16),
	FIELD(twheel_op, interval_ns, 24),
	FIELD(twheel_op, data, 32),
	FIELD(twheel_op, slack_ns, 40),
	FIELD(twheel_op, token, 48),
	FIELD(twheel_op, word, 56),

	FIELD(twheel_result, error, 0),
	FIELD(twheel_result, outcome, 4),
	FIELD(twheel_result, generation, 8),
	FIELD(twheel_result, remaining_ns, 16),
	FIELD(twheel_result, deadline_ns, 24),
	FIELD(twheel_result, data, 32),
	FIELD(twheel_result, interval_ns, 40),

	FIELD(twheel_submit, ops, 0),
	FIELD(twheel_submit, results, 8),
	FIELD(twheel_submit, count, 16),
	FIELD(twheel_submit, flags, 20),
	FIELD(twheel_submit, done, 24),
	FIELD(twheel_submit, reserved, 28),
	FIELD(twheel_submit, reserved2, 32),

	FIELD(twheel_list_entry, id, 0),
	FIELD(twheel_list_entry, data, 8),
	FIELD(twheel_list_entry, generation, 16),
	FIELD(twheel_list_entry, deadline_ns, 24),
	FIELD(twheel_list_entry, remaining_ns, 32),
	FIELD(twheel_list_entry, timeout_ns, 40),
	FIELD(twheel_list_entry, interval_ns, 48),
	FIELD(twheel_list_entry, slack_ns, 56),
	FIELD(twheel_list_entry, state, 64),
	FIELD(twheel_list_entry, attempt, 68),
	FIELD(twheel_list_entry, mapped, 72),
	FIELD(twheel_list_entry, word, 76),

	FIELD(twheel_list, entries, 0),
	FIELD(twheel_list, room, 8),
	FIELD(twheel_list, count, 12),
	FIELD(twheel_list, cursor, 16),
	FIELD(twheel_list, more, 32),
	FIELD(twheel_list, flags, 36),
	FIELD(twheel_list, reserved, 40),

	FIELD(twheel_uring_cmd, arg, 0),
	FIELD(twheel_uring_cmd, size, 8),
	FIELD(twheel_uring_cmd, flags, 12),

	FIELD(twheel_ack, id, 0),
	FIELD(twheel_ack, token, 8),
	FIELD(twheel_ack, lease_ns, 16),
	FIELD(twheel_ack, lease_end_ns, 24),
	FIELD(twheel_ack, flags, 32),
	FIELD(twheel_ack, state, 36),
	FIELD(twheel_ack, reserved, 40),

	FIELD(twheel_reader, flags, 0),
	FIELD(twheel_reader, reserved, 4),
	FIELD(twheel_reader, reserved2, 8),

	FIELD(twheel_drain, events, 0),
	FIELD(twheel_drain, room, 8),
	FIELD(twheel_drain, count, 12),
	FIELD(twheel_drain, more, 16),
	FIELD(twheel_drain, flags, 20),
	FIELD(twheel_drain, reserved, 24),

	FIELD(twheel_shutdown, flags, 0),
	FIELD(twheel_shutdown, reserved, 4),
	FIELD(twheel_shutdown, timers, 8),
	FIELD(twheel_shutdown, armed, 16),
	FIELD(twheel_shutdown, waiting, 24),
	FIELD(twheel_shutdown, in_flight, 32),
	FIELD(twheel_shutdown, dead, 40),
	FIELD(twheel_shutdown, reserved2, 48),

	FIELD(twheel_stats, size, 0),
	FIELD(twheel_stats, flags, 4),
	FIELD(twheel_stats, timers, 8),
	FIELD(twheel_stats, armed, 16),
	FIELD(twheel_stats, started, 24),
	FIELD(twheel_stats, reset, 32),
	FIELD(twheel_stats, stopped, 40),
	FIELD(twheel_stats, expired, 48),
	FIELD(twheel_stats, delivered, 56),
	FIELD(twheel_stats, withdrawn, 64),
	FIELD(twheel_stats, dropped, 72),
	FIELD(twheel_stats, dead, 80),
	FIELD(twheel_stats, waiting, 88),
	FIELD(twheel_stats, queued, 96),
	FIELD(twheel_stats, oldest_ns, 104),
	FIELD(twheel_stats, migrated, 112),
	FIELD(twheel_stats, passes, 120),
	FIELD(twheel_stats, programmed, 128),
	FIELD(twheel_stats, in_flight, 136),
	FIELD(twheel_stats, redelivered, 144),
	FIELD(twheel_stats, rejected, 152),
	FIELD(twheel_stats, lapsed, 160),
	FIELD(twheel_stats, stolen, 168),
	FIELD(twheel_stats, passed_on, 176),
	FIELD(twheel_stats, readers, 184),
	FIELD(twheel_stats, reader, 188),
	FIELD(twheel_stats, shut_down, 192),
	FIELD(twheel_stats, reserved, 196),
	FIELD(twheel_stats, postponed, 200),

	FIELD(twheel_event, id, 0),
	FIELD(twheel_event, data, 8),
	FIELD(twheel_event, generation, 16),
	FIELD(twheel_event, sequence, 24),
	FIELD(twheel_event, deadline_ns, 32),
	FIELD(twheel_event, fired_ns, 40),
	FIELD(twheel_event, expirations, 48),
	FIELD(twheel_event, dropped, 56),
	FIELD(twheel_event, attempt, 64),
	FIELD(twheel_event, flags, 68),
	FIELD(twheel_event, token, 72),
};

struct size {
	const char *name;
	size_t size;
	size_t published;
};

#define SIZE(type, bytes)	{ #type, sizeof(struct type), bytes }

static const struct size sizes[] = {
	SIZE(twheel_info, 136),
	SIZE(twheel_setup, 56),
	SIZE(twheel_start, 80),
	SIZE(twheel_stop, 56),
	SIZE(twheel_reset, 64),
	SIZE(twheel_get, 80),
	SIZE(twheel_op, 64),
	SIZE(twheel_result, 48),
	SIZE(twheel_submit, 48),
	SIZE(twheel_list_entry, 80),
	SIZE(twheel_list, 56),
	SIZE(twheel_uring_cmd, 16),
	SIZE(twheel_ack, 56),
	SIZE(twheel_reader, 32),
	SIZE(twheel_drain, 40),
	SIZE(twheel_shutdown, 64),
	SIZE(twheel_stats, 208),
	SIZE(twheel_event, 80),
};

/*
 * Line @i of the layout as text; false after the last one.  As there is no hole,
 * the offsets tell the size of each field, too.
 */
static bool describe(unsigned int i, char *line, size_t room)
{
	if (i < ARRAY_SIZE(fields)) {
		snprintf(line, room, "%s at %zu", fields[i].name, fields[i].offset);
		return true;
	}
	i -= ARRAY_SIZE(fields);
	if (i >= ARRAY_SIZE(sizes))
		return false;
	snprintf(line, room, "%s, %zu bytes", sizes[i].name, sizes[i].size);
	return true;
}

static void __attribute__((constructor)) print_when_asked(void)
{
	char line[128];
	unsigned int i;

	if (!getenv(PRINT_ENV))
		return;
	for (i = 0; describe(i, line, sizeof(line)); i++)
		puts(line);
	exit(0);
}

/* The build for the other word size, which stands beside this one: layout, layout32. */
static FILE *ask_other_build(void)
{
	char path[PATH_MAX + 2] = "";
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);

	if (length < 2)
		return NULL;
	if (sizeof(long) == 4)
		path[length - 2] = '\0';
	else
		strcpy(path + length, "32");
	setenv(PRINT_ENV, "1", 1);
	return popen(path, "r");
}

TEST(other_build_has_the_same_layout)
{
	char mine[128], theirs[128];
	FILE *file = ask_other_build();
	unsigned int i;

	ASSERT_NE(NULL, file);
	for (i = 0; describe(i, mine, sizeof(mine)); i++) {
		ASSERT_NE(NULL, fgets(theirs, sizeof(theirs), file));
		theirs[strcspn(theirs, "\n")] = '\0';
		EXPECT_STREQ(mine, theirs);
	}
	EXPECT_EQ(NULL, fgets(theirs, sizeof(theirs), file));
	EXPECT_EQ(0, pclose(file));
}

TEST(fields_are_where_they_were_published)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		EXPECT_EQ(fields[i].published, fields[i].offset) {
			TH_LOG("%s", fields[i].name);
		}
	}
}

TEST(structures_have_the_size_that_was_published)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_EQ(sizes[i].published, sizes[i].size) {
			TH_LOG("%s", sizes[i].name);
		}
	}
}

TEST(commands_are_numbered_as_published)
{
	EXPECT_EQ(0xc088bd00, TWHEEL_IOC_INFO);
	EXPECT_EQ(0x4038bd01, TWHEEL_IOC_SETUP);
	EXPECT_EQ(0xc0d0bd02, TWHEEL_IOC_STATS);
	EXPECT_EQ(0xc050bd10, TWHEEL_IOC_START);
	EXPECT_EQ(0xc038bd11, TWHEEL_IOC_STOP);
	EXPECT_EQ(0xc040bd12, TWHEEL_IOC_RESET);
	EXPECT_EQ(0xc050bd13, TWHEEL_IOC_GET);
	EXPECT_EQ(0xc030bd14, TWHEEL_IOC_SUBMIT);
	EXPECT_EQ(0xc038bd15, TWHEEL_IOC_LIST);
	EXPECT_EQ(0xc038bd16, TWHEEL_IOC_ACK);
	EXPECT_EQ(0xc038bd17, TWHEEL_IOC_REJECT);
	EXPECT_EQ(0xc038bd18, TWHEEL_IOC_EXTEND);
	EXPECT_EQ(0x4020bd19, TWHEEL_IOC_READER);
	EXPECT_EQ(0xc028bd1a, TWHEEL_IOC_DRAIN);
	EXPECT_EQ(0xc040bd1b, TWHEEL_IOC_SHUTDOWN);
}

TEST(constants_are_as_published)
{
	EXPECT_EQ(0, TWHEEL_HOLD);
	EXPECT_EQ(1, TWHEEL_DROP_NEWEST);
	EXPECT_EQ(2, TWHEEL_DROP_OLDEST);
	EXPECT_EQ(0, TWHEEL_AT_MOST_ONCE);
	EXPECT_EQ(1, TWHEEL_AT_LEAST_ONCE);
	EXPECT_EQ(0, TWHEEL_SHARED);
	EXPECT_EQ(1, TWHEEL_ROUND_ROBIN);
	EXPECT_EQ(2, TWHEEL_BY_ID);
	EXPECT_EQ(3, TWHEEL_BROADCAST);
	EXPECT_EQ(0, TWHEEL_FREE);
	EXPECT_EQ(1, TWHEEL_ARMED);
	EXPECT_EQ(2, TWHEEL_DUE);
	EXPECT_EQ(3, TWHEEL_QUEUED);
	EXPECT_EQ(4, TWHEEL_DELIVERED);
	EXPECT_EQ(5, TWHEEL_DEAD);
	EXPECT_EQ(0, TWHEEL_WAS_FREE);
	EXPECT_EQ(1, TWHEEL_STOPPED);
	EXPECT_EQ(2, TWHEEL_WITHDREW);
	EXPECT_EQ(3, TWHEEL_WAS_DELIVERED);
	EXPECT_EQ(4, TWHEEL_WAS_DEAD);
	EXPECT_EQ(1, TWHEEL_OP_START);
	EXPECT_EQ(2, TWHEEL_OP_STOP);
	EXPECT_EQ(3, TWHEEL_OP_RESET);
	EXPECT_EQ(4, TWHEEL_OP_GET);
	EXPECT_EQ(5, TWHEEL_OP_ACK);
	EXPECT_EQ(6, TWHEEL_OP_REJECT);
	EXPECT_EQ(7, TWHEEL_OP_EXTEND);
	EXPECT_EQ(4, TWHEEL_ABI_REVISION);
	EXPECT_EQ(0xBD, TWHEEL_IOC);
	EXPECT_EQ(65536, TWHEEL_SUBMIT_MAX);
	EXPECT_EQ(65536, TWHEEL_LIST_MAX);
	EXPECT_EQ(65536, TWHEEL_DRAIN_MAX);
	EXPECT_EQ(64, TWHEEL_READERS_MAX);
	EXPECT_EQ(604800000000000ULL, TWHEEL_LEASE_MAX_NS);
	EXPECT_EQ(1, TWHEEL_ABSTIME);
	EXPECT_EQ(2, TWHEEL_EXCLUSIVE);
	EXPECT_EQ(4, TWHEEL_NEW_TIMEOUT);
	EXPECT_EQ(8, TWHEEL_MAPPED);
	EXPECT_EQ(1, TWHEEL_STEAL);
	EXPECT_EQ(2, TWHEEL_CONTROL);
	EXPECT_EQ(1, TWHEEL_READER_NONBLOCK);
	EXPECT_EQ(2, TWHEEL_READER_DEAD);
	EXPECT_EQ(1, TWHEEL_STATS_READER);
	EXPECT_EQ(1, TWHEEL_EVENT_DROPPED);
	EXPECT_EQ(2, TWHEEL_EVENT_PERIODIC);
	EXPECT_EQ(4, TWHEEL_EVENT_DEAD);
}

TEST_HARNESS_MAIN
