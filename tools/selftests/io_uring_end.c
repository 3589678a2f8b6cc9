// SPDX-License-Identifier: GPL-2.0
/*
 * The end of an io_uring with reads that wait and commands that are under way,
 * at any instant: nothing is left, and the module can go.
 */
#include "twheel_uring.h"

#define SUBMITS		2
#define ROUNDS		20

/* Tags of requests. */
enum { READ = 1, POLL, SUBMIT, NOP };

/* What is in flight, in memory that stays until the process has ended. */
struct load {
	struct twheel_event event[4];
	struct twheel_start start;
	struct twheel_submit submit[SUBMITS];
};

static bool prepare(struct load *load)
{
	unsigned int i;

	for (i = 0; i < SUBMITS; i++) {
		if (!tw_make_submit(&load->submit[i], TWHEEL_SUBMIT_MAX,
				    (i + 1) * TWHEEL_SUBMIT_MAX))
			return false;
	}
	return true;
}

/* Reads and polls that wait, a short command, and long ones for the workers. */
static bool fire(struct tw_ring *ring, struct load *load)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(load->event); i++)
		tw_prep_read(ring, &load->event[i], sizeof(load->event[i]), READ);
	tw_prep_poll(ring, 0, POLL);
	tw_prep_poll(ring, IORING_POLL_ADD_MULTI, POLL);
	load->start = (struct twheel_start){ .id = 1, .time_ns = TW_HOUR };
	tw_prep(ring, TWHEEL_IOC_START, &load->start, NOP)->flags |= IOSQE_IO_LINK;
	tw_prep_read(ring, &load->event[0], sizeof(load->event[0]), READ);
	for (i = 0; i < SUBMITS; i++)
		tw_prep(ring, TWHEEL_IOC_SUBMIT, &load->submit[i], SUBMIT)->flags |=
			IOSQE_ASYNC;
	return tw_ring_submit(ring);
}

FIXTURE(end) {
	struct load load;
	long used;
	int pipefd[2];
};

FIXTURE_VARIANT(end) {
	unsigned int setup_flags;
	unsigned int sqe_flags;
};

FIXTURE_VARIANT_ADD(end, plain) { .setup_flags = 0 };

FIXTURE_VARIANT_ADD(end, deferred) { .setup_flags = TW_DEFERRED };

FIXTURE_VARIANT_ADD(end, sqpoll) { .setup_flags = IORING_SETUP_SQPOLL };

FIXTURE_VARIANT_ADD(end, registered_file) { .sqe_flags = IOSQE_FIXED_FILE };

FIXTURE_SETUP(end)
{
	ASSERT_TRUE(prepare(&self->load));
	ASSERT_TRUE(tw_await_users(0));
	self->used = tw_memory_used();
	ASSERT_EQ(0, pipe(self->pipefd));
}

/* Whoever still had something of the module would keep it from being unloaded. */
FIXTURE_TEARDOWN(end)
{
	EXPECT_TRUE(tw_await_users(0));
	EXPECT_TRUE(tw_await_memory(self->used + tw_memory_slack()));
	EXPECT_EQ(0, tw_unload());
	EXPECT_EQ(0, tw_load());
}

/* A child that has everything in flight, and does @what then; it is waited for. */
static pid_t child(struct _test_data_end *self,
		   const struct _fixture_variant_end *variant, void (*what)(struct tw_ring *))
{
	struct tw_ring ring;
	char byte;
	pid_t pid = tw_fork();

	if (pid)
		return pid > 0 && read(self->pipefd[0], &byte, 1) == 1 ? pid : -1;
	if (tw_ring_open(&ring, variant->setup_flags, variant->sqe_flags) ||
	    !fire(&ring, &self->load) || write(self->pipefd[1], "", 1) != 1)
		_exit(1);
	what(&ring);
	_exit(0);
}

static void wait_for_the_end(struct tw_ring *ring)
{
	(void)ring;
	pause();
}

TEST_F(end, killed_process_leaves_nothing)
{
	unsigned int i, rounds = tw_scaled(ROUNDS);
	__u64 seed = tw_seed();
	pid_t pid;

	for (i = 0; i < rounds; i++) {
		pid = child(self, variant, wait_for_the_end);
		ASSERT_LT(0, pid);
		tw_spin_until(tw_now() + tw_below(&seed, 20 * TW_MS));
		kill(pid, SIGKILL);
		EXPECT_EQ(-1, tw_reap(pid));
		ASSERT_TRUE(tw_await_users(0));
	}
}

static void just_end(struct tw_ring *ring)
{
	(void)ring;
}

TEST_F(end, process_that_ends_leaves_nothing)
{
	pid_t pid = child(self, variant, just_end);

	ASSERT_LT(0, pid);
	EXPECT_EQ(0, tw_reap(pid));
}

static void execute(struct tw_ring *ring)
{
	(void)ring;
	execl("/bin/busybox", "true", NULL);
	_exit(1);
}

TEST_F(end, process_that_executes_another_leaves_nothing)
{
	pid_t pid = child(self, variant, execute);

	ASSERT_LT(0, pid);
	EXPECT_EQ(0, tw_reap(pid));
}

/* The process goes on, without ring and descriptor. */
static void close_all(struct tw_ring *ring)
{
	close(ring->fd);
	io_uring_queue_exit(&ring->uring);
	pause();
}

TEST_F(end, closed_ring_leaves_nothing)
{
	pid_t pid = child(self, variant, close_all);

	ASSERT_LT(0, pid);
	EXPECT_TRUE(tw_await_users(0));
	kill(pid, SIGKILL);
	EXPECT_EQ(-1, tw_reap(pid));
}

TEST_F(end, module_is_in_use_while_a_read_waits)
{
	struct tw_ring ring;

	ASSERT_EQ(0, tw_ring_open(&ring, variant->setup_flags, variant->sqe_flags));
	tw_prep_read(&ring, self->load.event, sizeof(self->load.event), READ);
	tw_prep_nop(&ring, NOP);
	EXPECT_EQ(0, tw_submit_one(&ring, NOP));
	close(ring.fd);
	ring.fd = -1;
	EXPECT_EQ(-EWOULDBLOCK, tw_unload());
	EXPECT_TRUE(tw_ring_close(&ring));
}

/* The instance goes on after the ring, with what the commands have started. */
TEST_F(end, timers_outlive_the_ring)
{
	struct twheel_event event;
	struct twheel_start start = { .id = 7, .time_ns = 50 * TW_MS };
	struct tw_ring ring;

	ASSERT_EQ(0, tw_ring_open(&ring, variant->setup_flags, variant->sqe_flags));
	EXPECT_EQ(0, tw_command(&ring, TWHEEL_IOC_START, &start));
	io_uring_queue_exit(&ring.uring);
	EXPECT_EQ(1, tw_collect(ring.fd, &event, 1));
	EXPECT_EQ(7, event.id);
	close(ring.fd);
}

TEST_HARNESS_MAIN
