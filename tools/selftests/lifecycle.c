// SPDX-License-Identifier: GPL-2.0
/*
 * The life of an instance and of the module: who shares an instance, when it
 * ends, and that its end, by close, kill or unload, leaves nothing behind.
 */
#include "twheel_sys.h"

#define CYCLES		200
#define PAUSE_ENV	"TWHEEL_TEST_PAUSE"

/* With a descriptor in its environment, the program says so there, and waits. */
static void __attribute__((constructor)) pause_after_exec(void)
{
	int fd = tw_env(PAUSE_ENV, -1);

	if (fd < 0)
		return;
	if (write(fd, "", 1) == 1)
		pause();
	_exit(1);
}

FIXTURE(life) {
	int fd;
	long long users;	/* of the module, with fd */
	struct twheel_event event[2];
};

FIXTURE_SETUP(life)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	/* What a test before left behind may still be on its way out. */
	ASSERT_TRUE(tw_await_users(1));
	self->users = 1;
}

FIXTURE_TEARDOWN(life)
{
	if (self->fd >= 0)
		close(self->fd);
}

TEST_F(life, second_opener_is_independent)
{
	int other = tw_open();

	ASSERT_LE(0, other);
	EXPECT_EQ(self->users + 1, tw_module_users());
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	ASSERT_EQ(0, tw_after(other, 1, TW_HOUR));
	close(other);
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	EXPECT_EQ(self->users, tw_module_users());
}

TEST_F(life, child_shares_the_instance)
{
	pid_t pid = tw_fork();

	if (!pid)
		_exit(-tw_after(self->fd, 9, TW_HOUR));
	ASSERT_EQ(0, tw_reap(pid));
	/* And what it started outlives it. */
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 9));

	ASSERT_TRUE(tw_expire(self->fd, 1));
	pid = tw_fork();
	if (!pid)
		_exit(tw_read(self->fd, self->event, 2) == 1 ? self->event->id : 99);
	EXPECT_EQ(1, tw_reap(pid));
	EXPECT_EQ(0, tw_poll(self->fd, 0));
}

TEST_F(life, child_keeps_the_instance)
{
	int pipefd[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(pipefd));
	pid = tw_fork();
	if (!pid) {
		/* The write end is closed once the parent has closed its fd. */
		close(pipefd[1]);
		if (read(pipefd[0], self->event, 1))
			_exit(99);
		if (tw_collect(self->fd, self->event, 1) != 1)
			_exit(98);
		_exit(self->event->id);
	}
	ASSERT_EQ(0, tw_after(self->fd, 3, 50 * TW_MS));
	close(self->fd);
	self->fd = -1;
	close(pipefd[1]);
	EXPECT_EQ(3, tw_reap(pid));
	EXPECT_TRUE(tw_await_users(self->users - 1));
}

TEST_F(life, duplicate_keeps_the_instance)
{
	int copy = dup(self->fd);

	ASSERT_LE(0, copy);
	ASSERT_EQ(0, tw_after(self->fd, 1, 20 * TW_MS));
	close(self->fd);
	self->fd = copy;
	EXPECT_EQ(self->users, tw_module_users());
	ASSERT_EQ(1, tw_collect(copy, self->event, 1));
	EXPECT_EQ(1, self->event->id);
}

TEST_F(life, passed_descriptor_keeps_the_instance)
{
	int sockets[2];
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	pid = tw_fork();
	if (!pid) {
		close(self->fd);
		close(sockets[0]);
		if (tw_collect(tw_receive_fd(sockets[1]), self->event, 1) != 1)
			_exit(99);
		_exit(self->event->id);
	}
	close(sockets[1]);
	ASSERT_EQ(0, tw_after(self->fd, 4, 20 * TW_MS));
	ASSERT_EQ(0, tw_send_fd(sockets[0], self->fd));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(4, tw_reap(pid));
	EXPECT_TRUE(tw_await_users(self->users - 1));
}

/* A child that has executed this program again, with what it inherited. */
static pid_t exec_child(int flags)
{
	int pipefd[2], fd;
	char number[16];
	pid_t pid;
	char byte;

	if (pipe(pipefd))
		return -1;
	pid = tw_fork();
	if (!pid) {
		fd = open(TW_DEVICE, O_RDWR | flags);
		snprintf(number, sizeof(number), "%d", pipefd[1]);
		if (fd < 0 || tw_after(fd, 1, TW_HOUR) ||
		    setenv(PAUSE_ENV, number, 1))
			_exit(1);
		execl("/proc/self/exe", "lifecycle", NULL);
		_exit(1);
	}
	close(pipefd[1]);
	if (read(pipefd[0], &byte, 1) != 1)
		return -1;
	close(pipefd[0]);
	return pid;
}

TEST_F(life, exec_closes_with_cloexec_only)
{
	pid_t pid;

	pid = exec_child(O_CLOEXEC);
	ASSERT_LT(0, pid);
	EXPECT_EQ(self->users, tw_module_users());
	kill(pid, SIGKILL);
	tw_reap(pid);

	pid = exec_child(0);
	ASSERT_LT(0, pid);
	EXPECT_EQ(self->users + 1, tw_module_users());
	kill(pid, SIGKILL);
	tw_reap(pid);
	EXPECT_TRUE(tw_await_users(self->users));
}

TEST_F(life, close_frees_timers_in_every_state)
{
	long long max = tw_parameter("max_total_timers");
	struct twheel_setup setup = { .queue_len = 1 };

	ASSERT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_TRUE(tw_expire(self->fd, 2));
	ASSERT_EQ(0, tw_after(self->fd, 3, TW_MS));
	ASSERT_EQ(0, tw_every(self->fd, 4, tw_now(), 2 * TW_MS));
	ASSERT_EQ(0, tw_after(self->fd, 5, TW_HOUR));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(self->users - 1, tw_module_users());

	/* The module has counted them out: one is all it can have now. */
	self->fd = tw_open();
	ASSERT_EQ(0, tw_set_parameter("max_total_timers", 1));
	EXPECT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	EXPECT_EQ(-ENOSPC, tw_after(self->fd, 2, TW_HOUR));
	ASSERT_EQ(0, tw_set_parameter("max_total_timers", max));
}

/* The key and value of the next line that is twheel's. */
static bool next_key(FILE *file, char *key, unsigned long long *value)
{
	char line[128];

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "twheel-%63[^:]:\t%llu\n", key, value) == 2)
			return true;
	}
	return false;
}

/* Every key, in the order of the file, and where its value comes from. */
#define INFO(key, type, field) \
	{ key, 0, offsetof(struct twheel_info, field), sizeof(type) }
#define STATS(key, from, type, field) \
	{ key, from, offsetof(struct twheel_stats, field), sizeof(type) }

static const struct fdinfo_key {
	const char *key;
	int from;	/* 0: info, 1: statistics, 2: those of the reader */
	size_t offset;
	size_t size;
} fdinfo_keys[] = {
	INFO("tick-shift", __u32, tick_shift),
	INFO("clock", __u32, clock),
	INFO("overflow", __u32, overflow),
	INFO("queue-len", __u32, queue_len),
	INFO("max-timers", __u64, max_timers),
	INFO("delivery", __u32, delivery),
	INFO("dispatch", __u32, dispatch),
	INFO("setup-flags", __u32, setup_flags),
	INFO("lease-ns", __u64, lease_ns),
	INFO("max-attempts", __u32, max_attempts),
	INFO("map-words", __u32, map_words),
	STATS("timers", 1, __u64, timers),
	STATS("armed", 1, __u64, armed),
	STATS("started", 1, __u64, started),
	STATS("reset", 1, __u64, reset),
	STATS("stopped", 1, __u64, stopped),
	STATS("expired", 1, __u64, expired),
	STATS("delivered", 1, __u64, delivered),
	STATS("withdrawn", 1, __u64, withdrawn),
	STATS("dropped", 1, __u64, dropped),
	STATS("dead", 1, __u64, dead),
	STATS("waiting", 1, __u64, waiting),
	STATS("queued", 1, __u64, queued),
	STATS("oldest-ns", 1, __u64, oldest_ns),
	STATS("migrated", 1, __u64, migrated),
	STATS("passes", 1, __u64, passes),
	STATS("programmed", 1, __u64, programmed),
	STATS("in-flight", 1, __u64, in_flight),
	STATS("redelivered", 1, __u64, redelivered),
	STATS("rejected", 1, __u64, rejected),
	STATS("lapsed", 1, __u64, lapsed),
	STATS("stolen", 1, __u64, stolen),
	STATS("readers", 1, __u32, readers),
	STATS("shut-down", 1, __u32, shut_down),
	STATS("postponed", 1, __u64, postponed),
	STATS("reader", 2, __u32, reader),
	STATS("reader-expired", 2, __u64, expired),
	STATS("reader-delivered", 2, __u64, delivered),
	STATS("reader-withdrawn", 2, __u64, withdrawn),
	STATS("reader-dropped", 2, __u64, dropped),
	STATS("reader-dead", 2, __u64, dead),
	STATS("reader-waiting", 2, __u64, waiting),
	STATS("reader-queued", 2, __u64, queued),
	STATS("reader-oldest-ns", 2, __u64, oldest_ns),
	STATS("reader-in-flight", 2, __u64, in_flight),
	STATS("reader-redelivered", 2, __u64, redelivered),
	STATS("reader-rejected", 2, __u64, rejected),
	STATS("reader-lapsed", 2, __u64, lapsed),
	STATS("reader-stolen", 2, __u64, stolen),
	STATS("reader-passed-on", 2, __u64, passed_on),
};

static unsigned long long field(const void *structure, const struct fdinfo_key *k)
{
	const char *p = (const char *)structure + k->offset;
	__u64 wide;
	__u32 narrow;

	if (k->size == sizeof(narrow)) {
		memcpy(&narrow, p, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, p, sizeof(wide));
	return wide;
}

TEST_F(life, fdinfo_shows_settings_and_counters)
{
	struct twheel_stats stats, reader = {
		.size = sizeof(reader),
		.flags = TWHEEL_STATS_READER,
		.reader = 1,
	};
	const void *from[3];
	unsigned long long value;
	char path[64], key[64];
	struct twheel_info info;
	unsigned int i;
	FILE *file;

	ASSERT_TRUE(tw_expire(self->fd, 1));
	ASSERT_EQ(1, tw_read(self->fd, self->event, 1));
	ASSERT_EQ(0, tw_after(self->fd, 2, TW_HOUR));
	ASSERT_EQ(0, tw_info(self->fd, &info));
	ASSERT_EQ(0, tw_stats(self->fd, &stats));
	ASSERT_EQ(0, tw_ioctl(self->fd, TWHEEL_IOC_STATS, &reader,
			      sizeof(reader)));
	from[0] = &info;
	from[1] = &stats;
	from[2] = &reader;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", self->fd);
	file = fopen(path, "r");
	ASSERT_NE(NULL, file);
	for (i = 0; i < ARRAY_SIZE(fdinfo_keys); i++) {
		ASSERT_TRUE(next_key(file, key, &value));
		EXPECT_STREQ(fdinfo_keys[i].key, key);
		EXPECT_EQ(field(from[fdinfo_keys[i].from], &fdinfo_keys[i]),
			  value);
	}
	EXPECT_FALSE(next_key(file, key, &value));
	fclose(file);
}

/*
 * Starts and reads on its own instance, and notes the longest time of a round; one
 * that is over patience has failed.
 */
struct canary {
	bool stop;
	unsigned int rounds;
	__u64 longest_ns;
	int failed;
};

static void *sing(void *arg)
{
	struct canary *canary = arg;
	struct twheel_event event;
	__u64 before, took;
	int fd = tw_open();

	while (!__atomic_load_n(&canary->stop, __ATOMIC_RELAXED)) {
		before = tw_now();
		if (tw_after(fd, 1, TW_MS) || tw_collect(fd, &event, 1) != 1) {
			__atomic_store_n(&canary->failed, 1, __ATOMIC_RELAXED);
			break;
		}
		took = tw_now() - before;
		if (took > canary->longest_ns)
			canary->longest_ns = took;
		__atomic_fetch_add(&canary->rounds, 1, __ATOMIC_RELAXED);
	}
	close(fd);
	return NULL;
}

TEST_F(life, killed_owner_of_a_million_timers_leaves_nothing)
{
	unsigned int i, count = tw_scaled(1000000);
	struct canary canary = { 0 };
	long used = tw_memory_used();
	pthread_t thread;
	int pipefd[2];
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(pipefd));
	pid = tw_fork();
	if (!pid) {
		int fd = tw_open();

		for (i = 0; i < count; i++) {
			if (tw_after(fd, i, TW_HOUR))
				_exit(1);
		}
		if (write(pipefd[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(pipefd[1]);
	ASSERT_EQ(1, read(pipefd[0], &byte, 1));
	ASSERT_EQ(0, pthread_create(&thread, NULL, sing, &canary));
	ASSERT_TRUE(tw_await_users(self->users + 2));
	while (!__atomic_load_n(&canary.rounds, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&canary.failed, __ATOMIC_RELAXED))
		tw_sleep(TW_MS);
	kill(pid, SIGKILL);
	EXPECT_EQ(-1, tw_reap(pid));
	EXPECT_TRUE(tw_await_users(self->users + 1));
	EXPECT_TRUE(tw_await_memory(used + tw_memory_slack()));
	__atomic_store_n(&canary.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	TH_LOG("%u timers; meanwhile %u rounds of the canary, the longest %llu ms",
	       count, canary.rounds, canary.longest_ns / TW_MS);
	EXPECT_FALSE(canary.failed);
}

FIXTURE(module) {
	int fd;
};

FIXTURE_SETUP(module)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
}

/* The tests after this one want it loaded. */
FIXTURE_TEARDOWN(module)
{
	if (access(TW_SYSFS, F_OK))
		tw_load();
}

static bool nothing_left(void)
{
	return access(TW_DEVICE, F_OK) && access(TW_SYSFS, F_OK) &&
	       access("/sys/class/misc/twheel", F_OK);
}

TEST_F(module, is_in_use_while_a_descriptor_is_open)
{
	struct twheel_event event;

	ASSERT_EQ(0, tw_after(self->fd, 1, 20 * TW_MS));
	EXPECT_EQ(-EWOULDBLOCK, tw_unload());
	EXPECT_EQ(1, tw_collect(self->fd, &event, 1));
	close(self->fd);
	EXPECT_EQ(0, tw_unload());
	EXPECT_TRUE(nothing_left());
}

/* A thread beside a blocked one: lets timer 7 expire when it is told to. */
struct trigger {
	int fd;
	int pipefd[2];
};

static void *pull(void *arg)
{
	const struct trigger *trigger = arg;
	char byte;

	if (read(trigger->pipefd[0], &byte, 1) == 1)
		tw_after(trigger->fd, 7, 1);
	return NULL;
}

TEST_F(module, is_in_use_while_a_reader_is_blocked)
{
	struct trigger trigger = { .fd = self->fd };
	struct twheel_event event;
	pthread_t thread;
	pid_t pid;

	ASSERT_EQ(0, pipe(trigger.pipefd));
	pid = tw_fork();
	if (!pid) {
		if (pthread_create(&thread, NULL, pull, &trigger))
			_exit(98);
		_exit(tw_read(self->fd, &event, 1) == 1 ? event.id : 99);
	}
	ASSERT_LT(0, pid);
	ASSERT_TRUE(tw_await_sleep(pid));
	close(self->fd);
	EXPECT_EQ(-EWOULDBLOCK, tw_unload());
	ASSERT_EQ(1, write(trigger.pipefd[1], "", 1));
	EXPECT_EQ(7, tw_reap(pid));
	EXPECT_EQ(0, tw_unload());
	EXPECT_TRUE(nothing_left());
}

/* Timers in every state, some about to expire. */
static bool use_module(unsigned int cycle)
{
	struct twheel_event event[4];
	int i, fd = tw_open();
	bool ok = fd >= 0;

	for (i = 0; i < 8 && ok; i++) {
		ok = !tw_after(fd, i, 1) && !tw_after(fd, 100 + i, i * TW_MS / 2) &&
		     !tw_after(fd, 200 + i, TW_HOUR) &&
		     !tw_every(fd, 300 + i, tw_now(), 3 * TW_MS);
	}
	if (cycle % 2)
		ok = ok && tw_collect(fd, event, 4) == 4;
	close(fd);
	return ok;
}

TEST_F(module, can_be_loaded_used_and_unloaded_200_times)
{
	unsigned int i, cycles = tw_scaled(CYCLES);
	long used = 0;

	close(self->fd);
	for (i = 0; i < cycles; i++) {
		ASSERT_TRUE(use_module(i));
		ASSERT_EQ(0, tw_unload());
		ASSERT_TRUE(nothing_left());
		if (!i)
			used = tw_memory_used();
		ASSERT_EQ(0, tw_load());
	}
	EXPECT_TRUE(tw_await_memory(used + tw_memory_slack()));
}

TEST_HARNESS_MAIN
