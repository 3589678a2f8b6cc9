// SPDX-License-Identifier: MIT
/* Each function, with the device; and what an older module says to a newer program. */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <twheel_map.h>
#include <unistd.h>

#include "test.h"

static int fd;

static void begin(void)
{
	fd = twheel_open(O_NONBLOCK);
	CHECK(fd >= 0);
}

static void end(void)
{
	close(fd);
}

static uint64_t timers(void)
{
	struct twheel_stats stats = { 0 };

	CHECK_EQ(0, twheel_stats(fd, &stats, sizeof(stats)));
	return stats.timers;
}

/* ---- the instance */

static void open_gives_a_descriptor_that_exec_closes(void)
{
	begin();
	CHECK_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	CHECK(fcntl(fd, F_GETFL) & O_NONBLOCK);
	end();
}

static void info_tells_the_settings(void)
{
	struct twheel_setup setup = { .queue_len = 17, .overflow = TWHEEL_DROP_OLDEST };
	struct twheel_info info;

	begin();
	CHECK_EQ(0, twheel_setup(fd, &setup, sizeof(setup)));
	CHECK_EQ(0, twheel_info(fd, &info, sizeof(info)));
	CHECK_EQ(17, info.queue_len);
	CHECK_EQ(TWHEEL_DROP_OLDEST, info.overflow);
	CHECK_EQ(CLOCK_MONOTONIC, info.clock);
	CHECK_EQ(sizeof(struct twheel_event), info.event_size);
	CHECK(info.abi_revision >= 2);
	end();
}

static void setup_comes_too_late_after_a_start(void)
{
	struct twheel_setup setup = { .queue_len = 17 };
	struct twheel_info info;

	begin();
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_start_in(fd, 1, HOUR, 0));
	CHECK_EQ(-EBUSY, twheel_setup(fd, &setup, sizeof(setup)));
	CHECK_EQ(0, twheel_info(fd, &info, sizeof(info)));
	CHECK(info.queue_len != 17);
	end();
}

static void stats_count(void)
{
	struct twheel_stats stats;

	begin();
	twheel_start_in(fd, 1, HOUR, 0);
	twheel_reset_id(fd, 1);
	CHECK_EQ(0, twheel_stats(fd, &stats, sizeof(stats)));
	CHECK_EQ(1, stats.timers);
	CHECK_EQ(1, stats.started);
	CHECK_EQ(1, stats.reset);
	CHECK_EQ(0, stats.stopped);
	end();
}

/* ---- one timer */

static void start_get_reset_stop(void)
{
	struct twheel_start start = { .id = 7, .time_ns = HOUR, .data = 70 };
	struct twheel_reset reset = {
		.id = 7,
		.time_ns = 2 * HOUR,
		.flags = TWHEEL_NEW_TIMEOUT,
	};
	struct twheel_stop stop = { .id = 7 };
	struct twheel_get get = { .id = 7 };

	begin();
	CHECK_EQ(0, twheel_start(fd, &start));
	CHECK_EQ(TWHEEL_WAS_FREE, start.outcome);
	CHECK_EQ(0, twheel_reset(fd, &reset));
	CHECK_EQ(TWHEEL_STOPPED, reset.outcome);
	CHECK(reset.generation > start.generation);
	CHECK_EQ(0, twheel_get(fd, &get));
	CHECK_EQ(TWHEEL_ARMED, get.state);
	CHECK_EQ(2 * HOUR, get.timeout_ns);
	CHECK_EQ(70, get.data);
	CHECK_EQ(0, twheel_stop(fd, &stop));
	CHECK_EQ(TWHEEL_STOPPED, stop.outcome);
	CHECK_EQ(70, stop.data);
	CHECK_EQ(0, timers());
	end();
}

static void unknown_timers_are_not_found(void)
{
	struct twheel_reset reset = { .id = 7 };
	struct twheel_stop stop = { .id = 7 };
	struct twheel_get get = { .id = 7 };

	begin();
	CHECK_EQ(-ENOENT, twheel_reset(fd, &reset));
	CHECK_EQ(-ENOENT, twheel_stop(fd, &stop));
	CHECK_EQ(-ENOENT, twheel_get(fd, &get));
	CHECK_EQ(-ENOENT, twheel_reset_id(fd, 7));
	CHECK_EQ(-ENOENT, twheel_stop_id(fd, 7));
	end();
}

static void exclusive_start_of_a_running_timer(void)
{
	struct twheel_start start = { .id = 7, .time_ns = HOUR, .flags = TWHEEL_EXCLUSIVE };

	begin();
	CHECK_EQ(0, twheel_start(fd, &start));
	CHECK_EQ(-EEXIST, twheel_start(fd, &start));
	CHECK_EQ(1, timers());
	end();
}

static void short_forms_return_the_outcome(void)
{
	begin();
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_start_in(fd, 1, HOUR, 5));
	CHECK_EQ(TWHEEL_STOPPED, twheel_start_in(fd, 1, 0, 6));
	CHECK(await_queued(fd, 1));
	CHECK_EQ(TWHEEL_WITHDREW, twheel_reset_id(fd, 1));
	CHECK(await_queued(fd, 1));
	CHECK_EQ(TWHEEL_WITHDREW, twheel_start_in(fd, 1, HOUR, 7));
	CHECK_EQ(TWHEEL_STOPPED, twheel_reset_id(fd, 1));
	CHECK_EQ(TWHEEL_STOPPED, twheel_stop_id(fd, 1));
	CHECK_EQ(-EOVERFLOW, twheel_start_in(fd, 1, UINT64_MAX, 0));
	CHECK_EQ(0, timers());
	end();
}

/* ---- expiries */

static void read_takes_what_is_there(void)
{
	struct twheel_event events[3];

	begin();
	CHECK_EQ(-EAGAIN, twheel_read(fd, events, 3));
	CHECK_EQ(-EINVAL, twheel_read(fd, events, 0));
	twheel_start_in(fd, 1, 0, 10);
	await_queued(fd, 1);
	twheel_start_in(fd, 2, 0, 20);
	await_queued(fd, 2);
	CHECK_EQ(1, twheel_read(fd, events, 1));
	CHECK_EQ(10, events[0].data);
	CHECK_EQ(1, twheel_read(fd, events, 3));
	CHECK_EQ(20, events[0].data);
	CHECK_EQ(-EAGAIN, twheel_read(fd, events, 3));
	end();
}

static void read_waits_without_nonblock(void)
{
	struct twheel_event event;

	fd = twheel_open(0);
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_start_in(fd, 1, 20 * MS, 10));
	CHECK_EQ(1, twheel_read(fd, &event, 1));
	CHECK_EQ(1, event.id);
	end();
}

/* ---- listings */

#define LISTED	1000

static void start_many(unsigned int count)
{
	unsigned int id;

	for (id = 0; id < count; id++)
		if (twheel_start_in(fd, id, HOUR, id + 1))
			CHECK(!"a start failed");
}

static void listing_has_each_timer_once(void)
{
	static unsigned char seen[LISTED];
	struct twheel_list_entry entries[7];
	struct twheel_list list = { 0 };
	unsigned int i, all = 0;
	int got;

	begin();
	start_many(LISTED);
	while ((got = twheel_list_next(fd, &list, entries, 7)) > 0) {
		for (i = 0; i < (unsigned int)got; i++) {
			if (!CHECK(entries[i].id < LISTED))
				continue;
			CHECK_EQ(entries[i].id + 1, entries[i].data);
			CHECK_EQ(0, seen[entries[i].id]++);
			all++;
		}
	}
	CHECK_EQ(0, got);
	CHECK_EQ(LISTED, all);
	CHECK_EQ(0, twheel_list_next(fd, &list, entries, 7));
	end();
}

static void listing_of_an_empty_instance(void)
{
	struct twheel_list_entry entry;
	struct twheel_list list = { 0 };

	begin();
	CHECK_EQ(0, twheel_list_next(fd, &list, &entry, 1));
	end();
}

static void one_page_of_a_listing(void)
{
	struct twheel_list_entry entries[2];
	struct twheel_list list = { .entries = (uintptr_t)entries, .room = 2 };
	unsigned int all = 0;

	begin();
	start_many(3);
	do {
		if (!CHECK_EQ(0, twheel_list(fd, &list)))
			break;
		CHECK(list.count <= 2);
		all += list.count;
	} while (list.more);
	CHECK_EQ(3, all);
	list.room = 0;
	CHECK_EQ(-EINVAL, twheel_list(fd, &list));
	end();
}

/* ---- batches */

static void submit_does_operations_in_order(void)
{
	struct twheel_op ops[] = {
		{ .opcode = TWHEEL_OP_START, .id = 1, .time_ns = HOUR, .data = 5 },
		{ .opcode = TWHEEL_OP_GET, .id = 1 },
		{ .opcode = TWHEEL_OP_STOP, .id = 2 },
		{ .opcode = TWHEEL_OP_STOP, .id = 1 },
	};
	struct twheel_result results[4];
	struct twheel_submit submit = {
		.ops = (uintptr_t)ops,
		.results = (uintptr_t)results,
		.count = 4,
	};

	begin();
	CHECK_EQ(4, twheel_submit(fd, &submit));
	CHECK_EQ(TWHEEL_WAS_FREE, results[0].outcome);
	CHECK_EQ(5, results[1].data);
	CHECK_EQ(-ENOENT, results[2].error);
	CHECK_EQ(TWHEEL_STOPPED, results[3].outcome);
	submit.count = 0;
	CHECK_EQ(-EINVAL, twheel_submit(fd, &submit));
	CHECK_EQ(0, timers());
	end();
}

static bool all_good(const struct twheel_batch *batch, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		const struct twheel_result *result = twheel_batch_result(batch, i);

		if (!result || result->error)
			return CHECK(!"a result is missing or an error");
	}
	return true;
}

static void batch_starts_resets_and_stops(void)
{
	struct twheel_batch *batch;

	begin();
	CHECK_EQ(0, twheel_batch_new(&batch, 5));
	twheel_batch_start(batch, 1, HOUR, 5);
	twheel_batch_reset(batch, 1);
	twheel_batch_reset_to(batch, 1, 2 * HOUR);
	twheel_batch_get(batch, 1);
	CHECK_EQ(4, twheel_batch_submit(batch, fd));
	all_good(batch, 4);
	CHECK(twheel_batch_result(batch, 3)->remaining_ns > HOUR);
	CHECK_EQ(5, twheel_batch_result(batch, 3)->data);
	twheel_batch_clear(batch);
	twheel_batch_stop(batch, 1);
	twheel_batch_stop(batch, 1);
	CHECK_EQ(2, twheel_batch_submit(batch, fd));
	CHECK_EQ(TWHEEL_STOPPED, twheel_batch_result(batch, 0)->outcome);
	CHECK_EQ(-ENOENT, twheel_batch_result(batch, 1)->error);
	twheel_batch_free(batch);
	end();
}

static atomic_uint ticks;

static void tick(int signal)
{
	(void)signal;
	ticks++;
}

/* A signal every so often, or no more. */
static void alarms(suseconds_t every_us)
{
	struct itimerval timer = {
		.it_interval.tv_usec = every_us,
		.it_value.tv_usec = every_us,
	};

	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void long_batch_goes_on_after_signals(void)
{
	const unsigned int count = TWHEEL_SUBMIT_MAX + 1000;
	struct twheel_batch *batch;
	unsigned int id;

	begin();
	CHECK_EQ(0, twheel_batch_new(&batch, count));
	for (id = 0; id < count; id++)
		twheel_batch_start(batch, id, HOUR, 0);
	alarms(2000);
	CHECK_EQ(count, twheel_batch_submit(batch, fd));
	while (!ticks)
		;
	alarms(0);
	all_good(batch, count);
	CHECK_EQ(count, timers());
	twheel_batch_free(batch);
	end();
}

static void batch_with_a_bad_descriptor_fails(void)
{
	struct twheel_batch *batch;

	CHECK_EQ(0, twheel_batch_new(&batch, 1));
	twheel_batch_stop(batch, 1);
	CHECK_EQ(-EBADF, twheel_batch_submit(batch, -1));
	CHECK(!twheel_batch_result(batch, 0));
	twheel_batch_free(batch);
}

/* ---- timers with a word */

#define WORDS	600

static uint64_t *words;

static void begin_with_words(void)
{
	struct twheel_setup setup = { .map_words = WORDS };

	begin();
	words = NULL;
	CHECK_EQ(0, twheel_setup(fd, &setup, sizeof(setup)));
}

/* How many mappings of the device this process has. */
static unsigned int mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned int found = 0;
	char line[512];

	if (!CHECK(maps))
		return 0;
	while (fgets(line, sizeof(line), maps))
		found += !!strstr(line, "/dev/twheel");
	fclose(maps);
	return found;
}

static void map_and_unmap(void)
{
	begin_with_words();
	CHECK_EQ(WORDS, twheel_map(fd, &words));
	CHECK_EQ(1, mappings());
	CHECK_EQ(0, twheel_unmap(words, WORDS));
	CHECK_EQ(0, mappings());
	end();
}

static void map_needs_an_instance_with_words(void)
{
	int null = open("/dev/null", O_RDWR);

	words = NULL;
	CHECK_EQ(-EBADF, twheel_map(-1, &words));
	CHECK_EQ(-ENOTTY, twheel_map(null, &words));
	close(null);
	begin();
	CHECK_EQ(-EINVAL, twheel_map(fd, &words));
	CHECK(!words);
	end();
}

static void map_needs_a_descriptor_to_read_and_write(void)
{
	struct twheel_setup setup = { .map_words = WORDS };
	int only_read = open("/dev/twheel", O_RDONLY);

	words = NULL;
	CHECK_EQ(0, twheel_setup(only_read, &setup, sizeof(setup)));
	CHECK_EQ(-EACCES, twheel_map(only_read, &words));
	CHECK(!words);
	close(only_read);
}

/* There is no room in the address space for a moment. */
static void failed_map_leaves_nothing(void)
{
	struct rlimit before, none = { 0 };

	begin_with_words();
	CHECK_EQ(0, getrlimit(RLIMIT_AS, &before));
	none.rlim_max = before.rlim_max;
	CHECK_EQ(0, setrlimit(RLIMIT_AS, &none));
	CHECK_EQ(-ENOMEM, twheel_map(fd, &words));
	CHECK_EQ(0, setrlimit(RLIMIT_AS, &before));
	CHECK(!words);
	CHECK_EQ(0, mappings());
	CHECK_EQ(WORDS, twheel_map(fd, &words));
	CHECK_EQ(0, twheel_unmap(words, WORDS));
	end();
}

static void mapping_ends_the_choice_of_settings(void)
{
	struct twheel_setup setup = { .map_words = 1 };

	begin_with_words();
	CHECK_EQ(WORDS, twheel_map(fd, &words));
	CHECK_EQ(-EBUSY, twheel_setup(fd, &setup, sizeof(setup)));
	CHECK_EQ(0, twheel_unmap(words, WORDS));
	end();
}

static void further_readers_map_the_same_words(void)
{
	uint64_t *others = NULL;
	int reader;

	begin_with_words();
	reader = twheel_reader_open(fd, 0);
	CHECK(reader >= 0);
	CHECK_EQ(WORDS, twheel_map(fd, &words));
	if (CHECK_EQ(WORDS, twheel_map(reader, &others))) {
		twheel_touch(&words[WORDS - 1], 7);
		CHECK_EQ(7, others[WORDS - 1]);
		CHECK_EQ(0, twheel_unmap(others, WORDS));
	}
	CHECK_EQ(0, twheel_unmap(words, WORDS));
	close(reader);
	end();
}

static void batch_starts_timers_with_words(void)
{
	struct twheel_get get = { .id = 1 };
	struct twheel_batch *batch;

	begin_with_words();
	CHECK_EQ(0, twheel_batch_new(&batch, 3));
	twheel_batch_start_mapped(batch, 1, HOUR, 10, 7);
	twheel_batch_start_mapped(batch, 2, HOUR, 20, 7);
	twheel_batch_start_mapped(batch, 2, HOUR, 20, WORDS);
	CHECK_EQ(3, twheel_batch_submit(batch, fd));
	CHECK_EQ(0, twheel_batch_result(batch, 0)->error);
	CHECK_EQ(-EBUSY, twheel_batch_result(batch, 1)->error);
	CHECK_EQ(-EINVAL, twheel_batch_result(batch, 2)->error);
	CHECK_EQ(0, twheel_get(fd, &get));
	CHECK_EQ(10, get.data);
	CHECK_EQ(1, get.mapped);
	CHECK_EQ(7, get.word);
	CHECK_EQ(1, timers());
	twheel_batch_free(batch);
	end();
}

static void now_is_the_time_of_the_instance(void)
{
	struct twheel_start start = { .id = 1, .time_ns = HOUR };
	uint64_t before;

	begin();
	before = twheel_now(CLOCK_MONOTONIC);
	CHECK_EQ(0, twheel_start(fd, &start));
	CHECK(start.deadline_ns >= before + HOUR);
	CHECK(start.deadline_ns <= twheel_now(0) + HOUR);
	end();
}

/* ---- a program that is newer than the module */

struct newer_setup {
	struct twheel_setup known;
	uint64_t added;
};

static void new_setting_is_too_big(void)
{
	struct newer_setup setup = { .known.queue_len = 17, .added = 1 };
	struct twheel_info info;

	begin();
	CHECK_EQ(-E2BIG, twheel_setup(fd, &setup.known, sizeof(setup)));
	CHECK_EQ(0, twheel_info(fd, &info, sizeof(info)));
	CHECK(info.queue_len != 17);
	end();
}

static void new_setting_at_its_default_is_fine(void)
{
	struct newer_setup setup = { .known.queue_len = 17 };
	struct twheel_info info;

	begin();
	CHECK_EQ(0, twheel_setup(fd, &setup.known, sizeof(setup)));
	CHECK_EQ(0, twheel_info(fd, &info, sizeof(info)));
	CHECK_EQ(17, info.queue_len);
	end();
}

struct newer_info {
	struct twheel_info known;
	uint64_t added;
};

static void new_information_is_zero(void)
{
	struct newer_info info;

	begin();
	memset(&info, 0xcc, sizeof(info));
	CHECK_EQ(0, twheel_info(fd, &info.known, sizeof(info)));
	CHECK_EQ(0, info.added);
	CHECK(info.known.max_timers > 0);
	end();
}

static void new_flag_is_not_supported(void)
{
	struct twheel_start start = { .id = 1, .time_ns = HOUR, .flags = 1U << 31 };

	begin();
	CHECK_EQ(-EOPNOTSUPP, twheel_start(fd, &start));
	CHECK_EQ(0, timers());
	end();
}

static void new_field_is_not_supported(void)
{
	struct twheel_start start = { .id = 1, .time_ns = HOUR, .word = 1 };

	begin();
	CHECK_EQ(-EOPNOTSUPP, twheel_start(fd, &start));
	CHECK_EQ(0, timers());
	end();
}

static void new_operation_is_not_supported_alone(void)
{
	struct twheel_batch *batch;

	begin();
	CHECK_EQ(0, twheel_batch_new(&batch, 2));
	twheel_batch_add(batch)->opcode = 1000;
	twheel_batch_start(batch, 1, HOUR, 0);
	CHECK_EQ(2, twheel_batch_submit(batch, fd));
	CHECK_EQ(-EOPNOTSUPP, twheel_batch_result(batch, 0)->error);
	CHECK_EQ(0, twheel_batch_result(batch, 1)->error);
	CHECK_EQ(1, timers());
	twheel_batch_free(batch);
	end();
}

static void new_command_is_no_command(void)
{
	struct twheel_start start = { .id = 1, .time_ns = HOUR };

	begin();
	errno = 0;
	CHECK_EQ(-1, ioctl(fd, _IOWR(TWHEEL_IOC, 0xff, struct twheel_start), &start));
	CHECK_EQ(ENOTTY, errno);
	CHECK_EQ(0, timers());
	end();
}

static const struct test tests[] = {
	TEST(open_gives_a_descriptor_that_exec_closes),
	TEST(info_tells_the_settings),
	TEST(setup_comes_too_late_after_a_start),
	TEST(stats_count),
	TEST(start_get_reset_stop),
	TEST(unknown_timers_are_not_found),
	TEST(exclusive_start_of_a_running_timer),
	TEST(short_forms_return_the_outcome),
	TEST(read_takes_what_is_there),
	TEST(read_waits_without_nonblock),
	TEST(listing_has_each_timer_once),
	TEST(listing_of_an_empty_instance),
	TEST(one_page_of_a_listing),
	TEST(submit_does_operations_in_order),
	TEST(batch_starts_resets_and_stops),
	TEST(long_batch_goes_on_after_signals),
	TEST(batch_with_a_bad_descriptor_fails),
	TEST(map_and_unmap),
	TEST(map_needs_an_instance_with_words),
	TEST(map_needs_a_descriptor_to_read_and_write),
	TEST(failed_map_leaves_nothing),
	TEST(mapping_ends_the_choice_of_settings),
	TEST(further_readers_map_the_same_words),
	TEST(batch_starts_timers_with_words),
	TEST(now_is_the_time_of_the_instance),
	TEST(new_setting_is_too_big),
	TEST(new_setting_at_its_default_is_fine),
	TEST(new_information_is_zero),
	TEST(new_flag_is_not_supported),
	TEST(new_field_is_not_supported),
	TEST(new_operation_is_not_supported_alone),
	TEST(new_command_is_no_command),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
