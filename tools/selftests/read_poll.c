// SPDX-License-Identifier: GPL-2.0
/*
 * read() and poll(): whole records or nothing, nothing lost to a bad buffer, a
 * signal or a close, and readiness that tells the truth.
 */
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "twheel_test.h"

#define RECORD	sizeof(struct twheel_event)
#define PAGE	4096

FIXTURE(reader) {
	int fd;
	char *page;		/* one that is mapped, then one that faults */
	char *end;		/* where it begins to fault */
	struct twheel_event event[8];
	struct twheel_stats stats;
};

FIXTURE_SETUP(reader)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	self->page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	self->end = self->page + PAGE;
	ASSERT_EQ(0, munmap(self->end, PAGE));
}

FIXTURE_TEARDOWN(reader)
{
	munmap(self->page, PAGE);
	close(self->fd);
}

/* Timers 1 to @count, expired and unread. */
static bool queue_expiries(int fd, unsigned int count)
{
	unsigned int i;

	for (i = 1; i <= count; i++) {
		if (!tw_expire(fd, i))
			return false;
	}
	return true;
}

/* read(), also to where no memory is: 0 or more bytes, or -errno. */
static long read_at(int fd, void *buffer, size_t size)
{
	ssize_t got = syscall(SYS_read, fd, buffer, size);

	return got < 0 ? -errno : got;
}

TEST_F(reader, unmapped_buffer_consumes_nothing)
{
	ASSERT_TRUE(queue_expiries(self->fd, 2));
	EXPECT_EQ(-EFAULT, read_at(self->fd, self->end, RECORD));
	EXPECT_EQ(-EFAULT, read_at(self->fd, NULL, RECORD));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.delivered);
	EXPECT_EQ(2, self->stats.queued);
	EXPECT_EQ(POLLIN, tw_poll(self->fd, 0));
	ASSERT_EQ(2, tw_read(self->fd, self->event, 8));
	EXPECT_EQ(1, self->event[0].sequence);
	EXPECT_EQ(2, self->event[1].sequence);
}

TEST_F(reader, read_only_buffer_consumes_nothing)
{
	ASSERT_TRUE(queue_expiries(self->fd, 1));
	ASSERT_EQ(0, mprotect(self->page, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, read_at(self->fd, self->page, RECORD));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.delivered);
	ASSERT_EQ(1, tw_read(self->fd, self->event, 8));
	EXPECT_EQ(1, self->event[0].sequence);
}

TEST_F(reader, buffer_that_faults_later_gets_the_records_before)
{
	ASSERT_TRUE(queue_expiries(self->fd, 4));
	EXPECT_EQ((long)(2 * RECORD),
		  read_at(self->fd, self->end - RECORD * 5 / 2, 4 * RECORD));
	memcpy(self->event, self->end - RECORD * 5 / 2, 2 * RECORD);
	EXPECT_EQ(1, self->event[0].sequence);
	EXPECT_EQ(2, self->event[1].sequence);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(2, self->stats.delivered);
	ASSERT_EQ(2, tw_read(self->fd, self->event, 8));
	EXPECT_EQ(3, self->event[0].sequence);
	EXPECT_EQ(4, self->event[1].sequence);
}

TEST_F(reader, record_across_the_fault_consumes_nothing)
{
	ASSERT_TRUE(queue_expiries(self->fd, 2));
	EXPECT_EQ(-EFAULT,
		  read_at(self->fd, self->end - RECORD / 2, 2 * RECORD));
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.delivered);
	ASSERT_EQ(2, tw_read(self->fd, self->event, 8));
	EXPECT_EQ(1, self->event[0].sequence);
}

TEST_F(reader, faulting_read_of_periodic_timer_keeps_its_periods)
{
	__u64 first = tw_now();

	ASSERT_EQ(0, tw_every(self->fd, 1, first, 10 * TW_MS));
	ASSERT_EQ(POLLIN, tw_poll(self->fd, TW_PATIENCE_MS));
	EXPECT_EQ(-EFAULT, read_at(self->fd, self->end, RECORD));
	ASSERT_EQ(1, tw_read(self->fd, self->event, 1));
	EXPECT_EQ(first, self->event->deadline_ns);
	ASSERT_EQ(1, tw_collect(self->fd, self->event + 1, 1));
	EXPECT_EQ(first + self->event[0].expirations * 10 * TW_MS,
		  self->event[1].deadline_ns);
}

/* On a blocking descriptor: it fails at once, or the test runs out of time. */
TEST_F(reader, buffer_below_a_record_is_invalid)
{
	size_t sizes[] = { 0, 1, RECORD - 1 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		EXPECT_EQ(-EINVAL, read_at(self->fd, self->page, sizes[i]));
	ASSERT_TRUE(queue_expiries(self->fd, 1));
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		EXPECT_EQ(-EINVAL, read_at(self->fd, self->page, sizes[i]));
	ASSERT_EQ(1, tw_read(self->fd, self->event, 1));
	EXPECT_EQ(1, self->event->sequence);
}

TEST_F(reader, two_and_a_half_records_of_room_get_two)
{
	unsigned int i, touched = 0;

	memset(self->page, TW_POISON, PAGE);
	ASSERT_TRUE(queue_expiries(self->fd, 3));
	EXPECT_EQ((long)(2 * RECORD),
		  read_at(self->fd, self->page, RECORD * 5 / 2));
	for (i = 2 * RECORD; i < PAGE; i++)
		touched += (unsigned char)self->page[i] != TW_POISON;
	EXPECT_EQ(0, touched);
	ASSERT_EQ(1, tw_read(self->fd, self->event, 8));
	EXPECT_EQ(3, self->event->sequence);
}

TEST_F(reader, unaligned_buffer_works)
{
	ASSERT_TRUE(queue_expiries(self->fd, 1));
	EXPECT_EQ((long)RECORD, read_at(self->fd, self->page + 1, RECORD));
	memcpy(self->event, self->page + 1, RECORD);
	EXPECT_EQ(1, self->event->id);
}

TEST_F(reader, empty_and_nonblocking_is_eagain)
{
	ASSERT_EQ(0, tw_nonblock(self->fd));
	EXPECT_EQ(-EAGAIN, tw_read(self->fd, self->event, 1));
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	EXPECT_EQ(-EAGAIN, tw_read(self->fd, self->event, 1));
	ASSERT_TRUE(tw_expire(self->fd, 2));
	EXPECT_EQ(1, tw_read(self->fd, self->event, 8));
	EXPECT_EQ(-EAGAIN, tw_read(self->fd, self->event, 1));
}

TEST_F(reader, readv_fills_what_is_there_and_does_not_wait)
{
	struct iovec iov[2] = {
		{ &self->event[0], RECORD },
		{ &self->event[1], RECORD },
	};

	ASSERT_TRUE(queue_expiries(self->fd, 1));
	EXPECT_EQ((ssize_t)RECORD, readv(self->fd, iov, 2));
	EXPECT_EQ(1, self->event[0].id);

	ASSERT_TRUE(queue_expiries(self->fd, 3));
	EXPECT_EQ((ssize_t)(2 * RECORD), readv(self->fd, iov, 2));
	EXPECT_EQ(2, self->event[0].sequence);
	EXPECT_EQ(3, self->event[1].sequence);
	EXPECT_EQ(1, tw_read(self->fd, self->event, 8));
}

TEST_F(reader, write_and_seek_are_refused)
{
	EXPECT_EQ(-1, write(self->fd, self->event, RECORD));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, lseek(self->fd, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, pread(self->fd, self->event, RECORD, 0));
	EXPECT_EQ(ESPIPE, errno);
}

/* A thread that reads once, and what it got. */
struct blocked {
	int fd;
	pid_t tid;
	long got;
	struct twheel_event event[8];
	pthread_t thread;
};

static void *read_once(void *arg)
{
	struct blocked *blocked = arg;

	__atomic_store_n(&blocked->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	blocked->got = tw_read(blocked->fd, blocked->event, 8);
	return NULL;
}

static bool block_a_reader(int fd, struct blocked *blocked)
{
	memset(blocked, 0, sizeof(*blocked));
	blocked->fd = fd;
	if (pthread_create(&blocked->thread, NULL, read_once, blocked))
		return false;
	while (!__atomic_load_n(&blocked->tid, __ATOMIC_ACQUIRE))
		sched_yield();
	return tw_await_sleep(blocked->tid);
}

TEST_F(reader, blocked_read_is_woken)
{
	struct blocked blocked;

	ASSERT_EQ(0, tw_after(self->fd, 2, TW_HOUR));
	ASSERT_TRUE(block_a_reader(self->fd, &blocked));
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_MS));
	pthread_join(blocked.thread, NULL);
	EXPECT_EQ(1, blocked.got);
	EXPECT_EQ(1, blocked.event->id);
}

TEST_F(reader, read_may_block_before_the_first_start)
{
	struct twheel_setup setup = { .queue_len = 4 };
	struct blocked blocked;

	ASSERT_TRUE(block_a_reader(self->fd, &blocked));
	EXPECT_EQ(0, tw_setup(self->fd, &setup));
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_MS));
	pthread_join(blocked.thread, NULL);
	EXPECT_EQ(1, blocked.got);
}

TEST_F(reader, blocked_read_gets_its_record_after_close)
{
	int other = dup(self->fd);
	struct blocked blocked;

	ASSERT_TRUE(block_a_reader(other, &blocked));
	ASSERT_EQ(0, tw_after(self->fd, 1, 300 * TW_MS));
	close(self->fd);
	close(other);
	EXPECT_EQ(-EBADF, tw_read(other, self->event, 1));
	pthread_join(blocked.thread, NULL);
	EXPECT_EQ(1, blocked.got);
	EXPECT_EQ(1, blocked.event->id);
	self->fd = tw_open();
}

/* One that was woken and failed must pass the news on. */
TEST_F(reader, blocked_reader_with_a_bad_buffer_wakes_the_next)
{
	struct blocked blocked;
	pid_t pid = tw_fork();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(-read_at(self->fd, self->end, RECORD));
	ASSERT_TRUE(tw_await_sleep(pid));
	ASSERT_TRUE(block_a_reader(self->fd, &blocked));
	ASSERT_EQ(0, tw_after(self->fd, 1, 1));
	pthread_join(blocked.thread, NULL);
	EXPECT_EQ(1, blocked.got);
	/* It may have been too late for the fault, but only for a second one. */
	ASSERT_EQ(0, tw_after(self->fd, 2, 1));
	EXPECT_EQ(EFAULT, tw_reap(pid));
}

TEST_F(reader, every_blocked_reader_is_served)
{
	struct blocked blocked[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		ASSERT_TRUE(block_a_reader(self->fd, &blocked[i]));
	for (i = 0; i < 4; i++)
		ASSERT_TRUE(tw_await_sleep(blocked[i].tid));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
		ASSERT_EQ(0, tw_after(self->fd, i, 1));
		ASSERT_TRUE(tw_await(self->fd, TW_STAT(delivered),
				     self->stats.delivered + 1));
	}
	for (i = 0; i < 4; i++) {
		pthread_join(blocked[i].thread, NULL);
		EXPECT_EQ(1, blocked[i].got);
	}
}

static unsigned int signals;

static void count_signal(int signal)
{
	(void)signal;
	__atomic_fetch_add(&signals, 1, __ATOMIC_RELAXED);
}

static void handle_signal(int flags)
{
	struct sigaction action = {
		.sa_handler = count_signal,
		.sa_flags = flags,
	};

	signals = 0;
	sigaction(SIGUSR1, &action, NULL);
}

/*
 * Signals the main thread every millisecond, until told to stop; lets timer 1 of
 * an instance expire when some have come, or of none if that is -1.
 */
struct pest {
	pid_t target;
	int fd;
	bool stop;
	pthread_t thread;
};

static void *pester(void *arg)
{
	struct pest *pest = arg;

	while (!__atomic_load_n(&pest->stop, __ATOMIC_RELAXED)) {
		if (tw_await_sleep(pest->target))
			syscall(SYS_tgkill, getpid(), pest->target, SIGUSR1);
		tw_sleep(TW_MS);
		if (pest->fd >= 0 && __atomic_load_n(&signals, __ATOMIC_RELAXED) > 3) {
			tw_after(pest->fd, 1, 1);
			pest->fd = -1;
		}
	}
	return NULL;
}

static int start_pest(struct pest *pest, int fd)
{
	pest->target = syscall(SYS_gettid);
	pest->fd = fd;
	pest->stop = false;
	return pthread_create(&pest->thread, NULL, pester, pest);
}

static void stop_pest(struct pest *pest)
{
	__atomic_store_n(&pest->stop, true, __ATOMIC_RELAXED);
}

TEST_F(reader, signal_interrupts_a_blocked_read)
{
	struct pest pest;

	handle_signal(0);
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_PATIENCE_MS * TW_MS));
	ASSERT_EQ(0, start_pest(&pest, -1));
	EXPECT_EQ(-EINTR, tw_read(self->fd, self->event, 8));
	stop_pest(&pest);
	EXPECT_LE(1, signals);
	ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.delivered);
	/* The timer still comes. */
	EXPECT_EQ(TWHEEL_ARMED, tw_state(self->fd, 1));
	ASSERT_EQ(0, tw_after(self->fd, 1, 1));
	while (tw_read(self->fd, self->event, 1) == -EINTR)
		;
	EXPECT_EQ(1, self->event->id);
	EXPECT_EQ(1, self->event->sequence);
}

TEST_F(reader, signal_restarts_a_read_that_asks_for_it)
{
	struct pest pest;

	handle_signal(SA_RESTART);
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	ASSERT_EQ(0, start_pest(&pest, self->fd));
	EXPECT_EQ(1, tw_read(self->fd, self->event, 8));
	stop_pest(&pest);
	EXPECT_LT(3, signals);
	EXPECT_EQ(1, self->event->sequence);
}

TEST_F(reader, fresh_instance_is_not_ready)
{
	struct pollfd pfd = { .fd = self->fd, .events = ~0 };

	EXPECT_EQ(0, poll(&pfd, 1, 0));
	EXPECT_EQ(0, pfd.revents);
}

TEST_F(reader, poll_reports_input_and_nothing_else)
{
	struct pollfd pfd = { .fd = self->fd, .events = ~0 };

	ASSERT_TRUE(queue_expiries(self->fd, 1));
	EXPECT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_EQ(POLLIN | POLLRDNORM, pfd.revents);
	ASSERT_EQ(1, tw_read(self->fd, self->event, 1));
	EXPECT_EQ(0, poll(&pfd, 1, 0));
}

TEST_F(reader, select_reports_input_and_nothing_else)
{
	struct timeval none = { 0, 0 };
	fd_set in, out, except;

	ASSERT_TRUE(queue_expiries(self->fd, 1));
	FD_ZERO(&in);
	FD_SET(self->fd, &in);
	out = in;
	except = in;
	EXPECT_EQ(1, select(self->fd + 1, &in, &out, &except, &none));
	EXPECT_TRUE(FD_ISSET(self->fd, &in));
	EXPECT_FALSE(FD_ISSET(self->fd, &out));
	EXPECT_FALSE(FD_ISSET(self->fd, &except));
}

TEST_F(reader, expiry_sends_sigio)
{
	struct timespec patience = { TW_PATIENCE_MS / 1000, 0 };
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	ASSERT_EQ(0, fcntl(self->fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(self->fd, F_SETSIG, SIGRTMIN));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR | O_ASYNC));
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_MS));
	ASSERT_EQ(SIGRTMIN, sigtimedwait(&set, &info, &patience));
	EXPECT_EQ(self->fd, info.si_fd);
	EXPECT_EQ(POLL_IN, info.si_code);
	EXPECT_TRUE(info.si_band & POLLIN);
	EXPECT_EQ(1, tw_read(self->fd, self->event, 1));

	/* And no more once it is turned off. */
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR));
	while (sigtimedwait(&set, &info, &(struct timespec){ 0 }) > 0)
		;
	ASSERT_TRUE(queue_expiries(self->fd, 1));
	EXPECT_EQ(-1, sigtimedwait(&set, &info, &(struct timespec){ 0 }));
}

TEST_HARNESS_MAIN
