// SPDX-License-Identifier: GPL-2.0
/*
 * Every command with what is wrong about its argument: flags, reserved fields,
 * sizes, pointers, numbers.  The rest of each request is valid, so that it can
 * be refused for this one reason only; and a refused one changes nothing.
 */
#include "twheel_pool.h"
#include "twheel_request.h"

#define PAGE		4096
#define DIRECTIONS	(_IOC_READ | _IOC_WRITE)
/* The size and the number of INFO when they were published. */
#define REVISION_1_INFO		72
#define REVISION_1_SETUP	32
#define REVISION_1_STATS	136
#define REVISION_1_IOC_INFO	0xc048bd00UL

/* What the arrays of SUBMIT, LIST and DRAIN are. */
static struct twheel_op op;
static struct twheel_result result;
static struct twheel_list_entry entry;
static struct twheel_event event;

FIXTURE(command) {
	int fd;
	char *page;		/* one that is mapped, then one that faults */
	char *end;		/* where it begins to fault */
	union tw_request request;
	struct tw_snapshot before;
};

#include "twheel_commands.h"

FIXTURE_VARIANT_ADD(command, info) {
	.cmd = TWHEEL_IOC_INFO,
	.flags_at = offsetof(struct twheel_info, flags),
	.reserved_at = sizeof(struct twheel_info),
	.min_size = REVISION_1_INFO,
};

FIXTURE_VARIANT_ADD(command, setup) {
	.cmd = TWHEEL_IOC_SETUP,
	.flags_at = offsetof(struct twheel_setup, flags),
	.known_flags = TWHEEL_STEAL | TWHEEL_CONTROL,
	.reserved_at = sizeof(struct twheel_setup),
	.min_size = REVISION_1_SETUP,
};

FIXTURE_VARIANT_ADD(command, stats) {
	.cmd = TWHEEL_IOC_STATS,
	.flags_at = offsetof(struct twheel_stats, flags),
	.known_flags = TWHEEL_STATS_READER,
	.reserved_at = sizeof(struct twheel_stats),
	.min_size = REVISION_1_STATS,
};

FIXTURE_VARIANT_ADD(command, list) {
	.cmd = TWHEEL_IOC_LIST,
	.flags_at = offsetof(struct twheel_list, flags),
	.reserved_at = offsetof(struct twheel_list, reserved),
};

FIXTURE_VARIANT_ADD(command, reader) {
	.cmd = TWHEEL_IOC_READER,
	.flags_at = offsetof(struct twheel_reader, flags),
	.known_flags = TWHEEL_READER_NONBLOCK | TWHEEL_READER_DEAD,
	.reserved_at = offsetof(struct twheel_reader, reserved),
};

FIXTURE_VARIANT_ADD(command, drain) {
	.cmd = TWHEEL_IOC_DRAIN,
	.flags_at = offsetof(struct twheel_drain, flags),
	.reserved_at = offsetof(struct twheel_drain, reserved),
};

FIXTURE_VARIANT_ADD(command, shutdown) {
	.cmd = TWHEEL_IOC_SHUTDOWN,
	.flags_at = offsetof(struct twheel_shutdown, flags),
	.reserved_at = offsetof(struct twheel_shutdown, reserved2),
};

/* What a batch or a listing of timer 1 needs, or a drain. */
static void make_arrays(unsigned long cmd, union tw_request *request)
{
	if (cmd == TWHEEL_IOC_DRAIN) {
		request->drain.events = (uintptr_t)&event;
		request->drain.room = 1;
	}
	if (cmd == TWHEEL_IOC_SUBMIT) {
		op = tw_op_after(1, 2 * TW_HOUR);
		request->submit.ops = (uintptr_t)&op;
		request->submit.results = (uintptr_t)&result;
		request->submit.count = 1;
	}
	if (cmd == TWHEEL_IOC_LIST) {
		request->list.entries = (uintptr_t)&entry;
		request->list.room = 1;
		memset(request->list.cursor, 0, sizeof(request->list.cursor));
	}
}

/* A request for timer 1 that would succeed, with poison in what is "out". */
static void make_valid(const struct _fixture_variant_command *variant,
		       union tw_request *request)
{
	size_t size = _IOC_SIZE(variant->cmd), end = variant->reserved_at;

	memset(request, 0, sizeof(*request));
	if (variant->cmd != TWHEEL_IOC_SETUP)
		memset(request, TW_POISON, end);
	memset(request->bytes + variant->flags_at, 0, sizeof(__u32));
	if (variant->min_size)
		request->size = size;
	else if (variant->flags_at)
		request->get.id = 1;
	if (variant->cmd == TWHEEL_IOC_SHUTDOWN)
		request->shutdown.reserved = 0;
	if (variant->cmd == TWHEEL_IOC_START) {
		request->start.time_ns = TW_HOUR;
		request->start.interval_ns = 0;
		request->start.slack_ns = 0;
	}
	if (variant->cmd == TWHEEL_IOC_RESET)
		request->reset.time_ns = 0;
	make_arrays(variant->cmd, request);
}

/*
 * SETUP comes before the first start: it gets an instance without a timer.  What
 * is about a delivery gets one.
 */
static bool make_instance(struct _test_data_command *self, unsigned int cmd)
{
	self->fd = tw_open();
	if (self->fd < 0)
		return false;
	if (tw_is_lease_command(cmd))
		return tw_deliver_one(self->fd, cmd, &self->request.ack);
	return cmd == TWHEEL_IOC_SETUP || !tw_after(self->fd, 1, TW_HOUR);
}

FIXTURE_SETUP(command)
{
	self->page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	self->end = self->page + PAGE;
	ASSERT_EQ(0, munmap(self->end, PAGE));
	make_valid(variant, &self->request);
	ASSERT_TRUE(make_instance(self, variant->cmd));
	tw_snapshot(self->fd, 1, &self->before);
}

FIXTURE_TEARDOWN(command)
{
	munmap(self->page, PAGE);
	close(self->fd);
}

/* READER returns a descriptor, which is not kept. */
static int result_of(unsigned long cmd, int ret)
{
	if (cmd != TWHEEL_IOC_READER || ret <= 0)
		return ret;
	close(ret);
	return 0;
}

static int call(struct _test_data_command *self, unsigned long cmd)
{
	return result_of(cmd, tw_ioctl(self->fd, cmd, &self->request,
				       sizeof(self->request)));
}

/* ioctl() on memory that may fault. */
static int call_at(struct _test_data_command *self, unsigned long cmd, void *where)
{
	int ret = ioctl(self->fd, cmd, where);

	return result_of(cmd, ret < 0 ? -errno : ret);
}

TEST_F(command, valid_request_succeeds)
{
	EXPECT_EQ(0, call(self, variant->cmd));
}

TEST_F(command, nothing_behind_the_structure_is_touched)
{
	size_t i, size = _IOC_SIZE(variant->cmd), touched = 0;

	memset(self->request.bytes + size, TW_POISON, sizeof(self->request) - size);
	ASSERT_EQ(0, call(self, variant->cmd));
	for (i = size; i < sizeof(self->request); i++)
		touched += self->request.bytes[i] != TW_POISON;
	EXPECT_EQ(0, touched);
}

TEST_F(command, structure_may_end_where_memory_ends)
{
	size_t size = _IOC_SIZE(variant->cmd);

	memcpy(self->end - size, &self->request, size);
	EXPECT_EQ(0, call_at(self, variant->cmd, self->end - size));
}

TEST_F(command, structure_may_be_unaligned)
{
	memcpy(self->page + 1, &self->request, sizeof(self->request));
	EXPECT_EQ(0, call_at(self, variant->cmd, self->page + 1));
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
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
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
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(command, null_pointer_faults)
{
	EXPECT_EQ(-EFAULT, call_at(self, variant->cmd, NULL));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(command, unmapped_pointer_faults)
{
	EXPECT_EQ(-EFAULT, call_at(self, variant->cmd, self->end));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

/* The last page: of 32 bits, those before it may be the stack's. */
TEST_F(command, kernel_pointer_faults)
{
	EXPECT_EQ(-EFAULT, call_at(self, variant->cmd, (void *)-(long)PAGE));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

/* The request is mapped as far as the last 8 bytes of it. */
TEST_F(command, structure_that_faults_at_its_end_faults)
{
	size_t mapped = _IOC_SIZE(variant->cmd) - 8;

	memcpy(self->end - mapped, &self->request, mapped);
	EXPECT_EQ(-EFAULT, call_at(self, variant->cmd, self->end - mapped));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

/* SETUP and READER write nothing back. */
TEST_F(command, read_only_structure_faults)
{
	int expected = _IOC_DIR(variant->cmd) & _IOC_READ ? -EFAULT : 0;

	memcpy(self->page, &self->request, sizeof(self->request));
	ASSERT_EQ(0, mprotect(self->page, PAGE, PROT_READ));
	EXPECT_EQ(expected, call_at(self, variant->cmd, self->page));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
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
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(command, other_type_is_no_command)
{
	EXPECT_EQ(-ENOTTY, call(self, variant->cmd ^ 0x100));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

/* The size of a fixed structure is part of its number. */
TEST_F(command, other_size_of_fixed_structure_is_no_command)
{
	int sizes[] = { -8, 8 };
	unsigned int i;

	if (variant->min_size)
		return;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_EQ(-ENOTTY,
			  call(self, variant->cmd + sizes[i] * (1L << _IOC_SIZESHIFT)));
		EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	}
}

/* What a caller compiled with another revision of the header would send. */
static unsigned long resized(unsigned long cmd, size_t size)
{
	return _IOC(_IOC_DIR(cmd), TWHEEL_IOC, _IOC_NR(cmd), size);
}

/* The first revision has the shortest structures that there ever were. */
TEST_F(command, size_below_the_minimum_is_invalid)
{
	unsigned int size;

	if (!variant->min_size)
		return;
	for (size = 0; size < variant->min_size; size++) {
		self->request.size = size;
		EXPECT_EQ(-EINVAL, call(self, variant->cmd));
		EXPECT_EQ(-EINVAL, call(self, resized(variant->cmd, size)));
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(command, longer_structure_of_zeros_is_served)
{
	size_t i, full = _IOC_SIZE(variant->cmd), size = full + 64, touched = 0;
	int ret;

	if (!variant->min_size)
		return;
	self->request.size = size;
	ret = call(self, resized(variant->cmd, size));
	EXPECT_EQ(0, ret);
	/* The size of the kernel's comes back, where something does. */
	EXPECT_EQ(variant->cmd == TWHEEL_IOC_SETUP ? size : full, self->request.size);
	for (i = full; i < size; i++)
		touched += self->request.bytes[i] != 0;
	EXPECT_EQ(0, touched);
}

TEST_F(command, longer_structure_with_a_byte_set_is_too_big)
{
	size_t i, full = _IOC_SIZE(variant->cmd), size = full + 64;

	if (!variant->min_size)
		return;
	self->request.size = size;
	for (i = full; i < size; i++) {
		self->request.bytes[i] = 1;
		EXPECT_EQ(-E2BIG, call(self, resized(variant->cmd, size))) {
			TH_LOG("byte %zu", i);
		}
		self->request.bytes[i] = 0;
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(command, absurd_size_is_too_big)
{
	if (!variant->min_size)
		return;
	self->request.size = ~0U;
	EXPECT_EQ(-E2BIG, call(self, variant->cmd));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

FIXTURE(number) {
	int fd;
	struct tw_snapshot before;
};

FIXTURE_SETUP(number)
{
	self->fd = tw_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_after(self->fd, 1, TW_HOUR));
	tw_snapshot(self->fd, 1, &self->before);
}

FIXTURE_TEARDOWN(number)
{
	close(self->fd);
}

static bool is_command(unsigned int nr)
{
	return nr <= 0x02 || (nr >= 0x10 && nr <= 0x1b);
}

TEST_F(number, each_unknown_one_is_no_command)
{
	struct twheel_get get = { .id = 1 };
	unsigned int nr;

	for (nr = 0; nr < 256; nr++) {
		if (is_command(nr))
			continue;
		EXPECT_EQ(-ENOTTY, tw_ioctl(self->fd,
					    _IOWR(TWHEEL_IOC, nr, struct twheel_get),
					    &get, sizeof(get))) {
			TH_LOG("number %#x", nr);
		}
	}
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

/* A program of that time, with the structure and the number that it knows. */
TEST_F(number, info_of_revision_1_is_served_as_far_as_it_goes)
{
	struct twheel_info now;
	unsigned char bytes[512];
	unsigned int i, touched = 0;
	__u32 head[2] = { REVISION_1_INFO, 0 };

	memset(bytes, TW_POISON, sizeof(bytes));
	memcpy(bytes, head, sizeof(head));
	ASSERT_EQ(0, tw_ioctl(self->fd, REVISION_1_IOC_INFO, bytes, sizeof(bytes)));
	ASSERT_EQ(0, tw_info(self->fd, &now));
	EXPECT_EQ(0, memcmp(&now, bytes, REVISION_1_INFO));
	for (i = REVISION_1_INFO; i < sizeof(bytes); i++)
		touched += bytes[i] != TW_POISON;
	EXPECT_EQ(0, touched);
}

TEST_F(number, reset_time_without_its_flag_is_invalid)
{
	struct twheel_reset reset = { .id = 1, .time_ns = TW_SEC };

	EXPECT_EQ(-EINVAL, tw_reset(self->fd, &reset));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_F(number, reset_deadline_flag_without_a_time_is_invalid)
{
	struct twheel_reset reset = { .id = 1, .flags = TWHEEL_ABSTIME };

	EXPECT_EQ(-EINVAL, tw_reset(self->fd, &reset));
	EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
}

TEST_HARNESS_MAIN
