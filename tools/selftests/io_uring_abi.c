// SPDX-License-Identifier: GPL-2.0
/*
 * Every command that an io_uring carries, with one thing that is wrong about it:
 * it is refused as its ioctl would be, and nothing has changed.
 */
#include "twheel_pool.h"
#include "twheel_request.h"
#include "twheel_uring.h"

#define PAGE		4096
#define DIRECTIONS	(_IOC_READ | _IOC_WRITE)
#define COMMAND		1

FIXTURE(command) {
	struct tw_ring ring;
	char *page;		/* one that is mapped, then one that faults */
	char *end;		/* where it begins to fault */
	union tw_request request;
	struct twheel_op op;		/* of SUBMIT */
	struct twheel_result result;
	struct twheel_uring_cmd what;	/* where the request is */
	struct tw_snapshot before;
};

#include "twheel_commands.h"

/*
 * A request that would succeed, and change timer 1 or start timer 2.  One about a
 * delivery is made with that.
 */
static void make_valid(struct _test_data_command *self,
		       const struct _fixture_variant_command *variant)
{
	if (tw_is_lease_command(variant->cmd))
		return;
	if (variant->cmd != TWHEEL_IOC_SUBMIT)
		self->request.start.id = 1;
	if (variant->cmd == TWHEEL_IOC_START)
		self->request.start.time_ns = TW_HOUR;
	if (variant->cmd != TWHEEL_IOC_SUBMIT)
		return;
	self->op = (struct twheel_op){
		.opcode = TWHEEL_OP_START, .id = 2, .time_ns = TW_HOUR,
	};
	self->request.submit.ops = (uintptr_t)&self->op;
	self->request.submit.results = (uintptr_t)&self->result;
	self->request.submit.count = 1;
}

FIXTURE_SETUP(command)
{
	memset(&self->request, 0, sizeof(self->request));
	ASSERT_EQ(0, tw_ring_open(&self->ring, 0, 0));
	ASSERT_TRUE(tw_is_lease_command(variant->cmd) ?
		    tw_deliver_one(self->ring.fd, variant->cmd,
				   &self->request.ack) :
		    !tw_after(self->ring.fd, 1, TW_HOUR));
	self->page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	self->end = self->page + PAGE;
	ASSERT_EQ(0, munmap(self->end, PAGE));
	make_valid(self, variant);
	self->what.arg = (uintptr_t)&self->request;
	self->what.size = _IOC_SIZE(variant->cmd);
	tw_snapshot(self->ring.fd, 1, &self->before);
}

FIXTURE_TEARDOWN(command)
{
	munmap(self->page, PAGE);
	EXPECT_EQ(0, tw_workers());
	EXPECT_TRUE(tw_ring_close(&self->ring));
}

/* The result of command @cmd as it is. */
static int call(struct _test_data_command *self, unsigned int cmd)
{
	union tw_request before = self->request;
	int ret;

	tw_prep_odd(&self->ring, cmd, &self->what, COMMAND);
	ret = tw_submit_one(&self->ring, COMMAND);
	if (ret && memcmp(&before, &self->request, sizeof(before)))
		return TW_TOUCHED;
	return ret;
}

/* The same with the structure at another address. */
static int call_at(struct _test_data_command *self, unsigned int cmd, __u64 where)
{
	self->what.arg = where;
	return call(self, cmd);
}

TEST_F(command, valid_one_succeeds)
{
	EXPECT_EQ(0, call(self, variant->cmd));
}

TEST_F(command, structure_may_end_where_memory_ends)
{
	char *where = self->end - _IOC_SIZE(variant->cmd);

	memcpy(where, &self->request, _IOC_SIZE(variant->cmd));
	EXPECT_EQ(0, call_at(self, variant->cmd, (uintptr_t)where));
}

TEST_F(command, structure_may_be_unaligned)
{
	memcpy(self->page + 1, &self->request, sizeof(self->request));
	EXPECT_EQ(0, call_at(self, variant->cmd, (uintptr_t)self->page + 1));
}

TEST_F(command, other_size_is_invalid)
{
	__u32 size = _IOC_SIZE(variant->cmd), i;
	__u32 sizes[] = { 0, 1, size - 8, size - 1, size + 1, size + 8, PAGE, ~0U };

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		self->what.size = sizes[i];
		EXPECT_EQ(-EINVAL, call(self, variant->cmd)) {
			TH_LOG("size %u", sizes[i]);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

TEST_F(command, each_flag_of_the_ring_entry_is_refused)
{
	for (self->what.flags = 1; self->what.flags; self->what.flags <<= 1) {
		EXPECT_EQ(-EOPNOTSUPP, call(self, variant->cmd)) {
			TH_LOG("flag %#x", self->what.flags);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

/* Sound for the ring: it is this device that does not take it. */
TEST_F(command, registered_buffer_is_refused)
{
	struct iovec all = { &self->request, sizeof(self->request) };
	struct io_uring_sqe *sqe;

	ASSERT_EQ(0, io_uring_register_buffers(&self->ring.uring, &all, 1));
	sqe = tw_prep_odd(&self->ring, variant->cmd, &self->what, COMMAND);
	sqe->uring_cmd_flags = IORING_URING_CMD_FIXED;
	EXPECT_EQ(-EOPNOTSUPP, tw_submit_one(&self->ring, COMMAND));
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

TEST_F(command, each_unknown_flag_is_refused)
{
	__u32 flag;

	for (flag = 1; flag; flag <<= 1) {
		if (flag & variant->known_flags)
			continue;
		memcpy(self->request.bytes + variant->flags_at, &flag, sizeof(flag));
		EXPECT_EQ(-EOPNOTSUPP, call(self, variant->cmd)) {
			TH_LOG("flag %#x", flag);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

TEST_F(command, each_reserved_byte_is_refused)
{
	size_t i;

	for (i = variant->reserved_at; i < _IOC_SIZE(variant->cmd); i++) {
		self->request.bytes[i] = 0x80;
		EXPECT_EQ(-EOPNOTSUPP, call(self, variant->cmd)) {
			TH_LOG("byte %zu", i);
		}
		self->request.bytes[i] = 0;
	}
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

/* All of the 64 bits of the address count, also for a 32-bit program. */
TEST_F(command, bad_address_faults)
{
	__u64 addresses[] = {
		0, (uintptr_t)self->end, 1ULL << 63, ~0ULL << 16, ~0ULL << 47,
		(uintptr_t)&self->request | 1ULL << 63,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		EXPECT_EQ(-EFAULT, call_at(self, variant->cmd, addresses[i])) {
			TH_LOG("address %#llx", addresses[i]);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

/* The request is mapped as far as the last 8 bytes of it. */
TEST_F(command, structure_that_faults_at_its_end_faults)
{
	size_t mapped = _IOC_SIZE(variant->cmd) - 8;

	memcpy(self->end - mapped, &self->request, mapped);
	EXPECT_EQ(-EFAULT, call_at(self, variant->cmd, (uintptr_t)self->end - mapped));
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

TEST_F(command, read_only_structure_faults)
{
	memcpy(self->page, &self->request, sizeof(self->request));
	ASSERT_EQ(0, mprotect(self->page, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, call_at(self, variant->cmd, (uintptr_t)self->page));
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

TEST_F(command, other_direction_is_no_command)
{
	unsigned int nr = _IOC_NR(variant->cmd), size = _IOC_SIZE(variant->cmd);
	unsigned int dir;

	for (dir = 0; dir <= DIRECTIONS; dir++) {
		if (dir == _IOC_DIR(variant->cmd))
			continue;
		EXPECT_EQ(-ENOTTY, call(self, _IOC(dir, TWHEEL_IOC, nr, size))) {
			TH_LOG("direction %u", dir);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

TEST_F(command, other_type_is_no_command)
{
	EXPECT_EQ(-ENOTTY, call(self, variant->cmd ^ 0x100));
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

TEST_F(command, number_of_another_size_is_no_command)
{
	EXPECT_EQ(-ENOTTY, call(self, variant->cmd + (8U << _IOC_SIZESHIFT)));
	EXPECT_EQ(-ENOTTY, call(self, variant->cmd - (8U << _IOC_SIZESHIFT)));
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

/* A polled ring asks for completions in a way that this device does not have. */
/* 6.12 refuses it; 7.3 polls only for files that can be polled. */
TEST_F(command, polled_ring_has_none_or_is_as_any)
{
	struct io_uring plain = self->ring.uring;
	int ret;

	ASSERT_EQ(0, io_uring_queue_init(8, &self->ring.uring, IORING_SETUP_IOPOLL));
	ret = call(self, variant->cmd);
	io_uring_queue_exit(&self->ring.uring);
	self->ring.uring = plain;
	if (!ret)
		return;
	EXPECT_EQ(-EOPNOTSUPP, ret);
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

FIXTURE(number) {
	struct tw_ring ring;
	struct tw_snapshot before;
};

FIXTURE_SETUP(number)
{
	ASSERT_EQ(0, tw_ring_open(&self->ring, 0, 0));
	ASSERT_EQ(0, tw_after(self->ring.fd, 1, TW_HOUR));
	tw_snapshot(self->ring.fd, 1, &self->before);
}

FIXTURE_TEARDOWN(number)
{
	EXPECT_EQ(0, tw_workers());
	EXPECT_TRUE(tw_ring_close(&self->ring));
}

TEST_F(number, commands_that_are_ioctls_only_are_none_here)
{
	static struct twheel_list_entry entry;
	static struct twheel_event event;
	struct twheel_info info = { .size = sizeof(info) };
	struct twheel_setup setup = { .size = sizeof(setup) };
	struct twheel_stats stats = { .size = sizeof(stats) };
	struct twheel_list list = { .entries = (uintptr_t)&entry, .room = 1 };
	struct twheel_reader reader = { .flags = 0 };
	struct twheel_drain drain = { .events = (uintptr_t)&event, .room = 1 };
	struct twheel_shutdown shutdown = { .flags = 0 };

	EXPECT_EQ(-ENOTTY, tw_command(&self->ring, TWHEEL_IOC_INFO, &info));
	EXPECT_EQ(-ENOTTY, tw_command(&self->ring, TWHEEL_IOC_SETUP, &setup));
	EXPECT_EQ(-ENOTTY, tw_command(&self->ring, TWHEEL_IOC_STATS, &stats));
	EXPECT_EQ(-ENOTTY, tw_command(&self->ring, TWHEEL_IOC_LIST, &list));
	EXPECT_EQ(-ENOTTY, tw_command(&self->ring, TWHEEL_IOC_READER, &reader));
	EXPECT_EQ(-ENOTTY, tw_command(&self->ring, TWHEEL_IOC_DRAIN, &drain));
	EXPECT_EQ(-ENOTTY, tw_command(&self->ring, TWHEEL_IOC_SHUTDOWN,
				      &shutdown));
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

static bool is_command(unsigned int nr)
{
	return (nr >= 0x10 && nr <= 0x14) || (nr >= 0x16 && nr <= 0x18);
}

TEST_F(number, each_unknown_one_is_no_command)
{
	struct twheel_get get = { .id = 1 };
	unsigned int nr, cmd;

	for (nr = 0; nr < 256; nr++) {
		cmd = _IOWR(TWHEEL_IOC, nr, struct twheel_get);
		if (is_command(nr))
			continue;
		EXPECT_EQ(-ENOTTY, tw_command(&self->ring, cmd, &get)) {
			TH_LOG("number %#x", nr);
		}
	}
	EXPECT_EQ(-ENOTTY, tw_command(&self->ring, 0, &get));
	EXPECT_TRUE(tw_unchanged(self->ring.fd, &self->before));
}

TEST_HARNESS_MAIN
