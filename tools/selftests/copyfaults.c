// SPDX-License-Identifier: GPL-2.0
/*
 * The end of memory, or of what can be written, at each word of what is copied:
 * a call that fails has changed nothing, and what could not be handed over is
 * handed over by the next call.
 */
#include <sys/uio.h>
#include "twheel_sys.h"
#include "twheel_pool.h"
#include "twheel_request.h"

#define PAGE		4096
#define EXPIRIES	3
#define WORD		sizeof(__u64)
/* Places for the edge in an array with room for all expiries. */
#define PLACES(type)	(EXPIRIES * sizeof(type) / WORD)

/* Two pages, of which the second may be none. */
static char *page, *edge;

static bool make_pages(void)
{
	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	edge = page + PAGE;
	return page != MAP_FAILED;
}

/* @protection of the second page; PROT_NONE is as good as no page. */
static bool protect(int protection)
{
	return !mprotect(edge, PAGE, protection);
}

static bool whole_memory(void)
{
	return protect(PROT_READ | PROT_WRITE);
}

/* Expiries 1 to 3 of an instance with these settings. */
static int with_expiries(struct twheel_setup setup)
{
	int fd = tw_pool(setup);

	if (fd >= 0 && !tw_nonblock(fd) && tw_expire_row(fd, 1, EXPIRIES))
		return fd;
	return -1;
}

FIXTURE(structure) {
	int fd;
	union tw_request request;
	struct twheel_event event;
	struct twheel_op op;
	struct twheel_result result;
	struct twheel_list_entry entry;
	struct tw_snapshot before;
};

FIXTURE_VARIANT(structure) {
	unsigned int cmd;
};

FIXTURE_VARIANT_ADD(structure, info) { .cmd = TWHEEL_IOC_INFO };
FIXTURE_VARIANT_ADD(structure, setup) { .cmd = TWHEEL_IOC_SETUP };
FIXTURE_VARIANT_ADD(structure, stats) { .cmd = TWHEEL_IOC_STATS };
FIXTURE_VARIANT_ADD(structure, start) { .cmd = TWHEEL_IOC_START };
FIXTURE_VARIANT_ADD(structure, stop) { .cmd = TWHEEL_IOC_STOP };
FIXTURE_VARIANT_ADD(structure, reset) { .cmd = TWHEEL_IOC_RESET };
FIXTURE_VARIANT_ADD(structure, get) { .cmd = TWHEEL_IOC_GET };
FIXTURE_VARIANT_ADD(structure, submit) { .cmd = TWHEEL_IOC_SUBMIT };
FIXTURE_VARIANT_ADD(structure, list) { .cmd = TWHEEL_IOC_LIST };
FIXTURE_VARIANT_ADD(structure, ack) { .cmd = TWHEEL_IOC_ACK };
FIXTURE_VARIANT_ADD(structure, reject) { .cmd = TWHEEL_IOC_REJECT };
FIXTURE_VARIANT_ADD(structure, extend) { .cmd = TWHEEL_IOC_EXTEND };
FIXTURE_VARIANT_ADD(structure, reader) { .cmd = TWHEEL_IOC_READER };
FIXTURE_VARIANT_ADD(structure, drain) { .cmd = TWHEEL_IOC_DRAIN };
FIXTURE_VARIANT_ADD(structure, shutdown) { .cmd = TWHEEL_IOC_SHUTDOWN };

/* What the command has to say of timer 1, which is delivered, or of a new one. */
static void fill_timer(struct _test_data_structure *self, unsigned int cmd)
{
	union tw_request *request = &self->request;

	switch (cmd) {
	case TWHEEL_IOC_START:
		request->start = (struct twheel_start) { .id = 9, .time_ns = TW_HOUR };
		break;
	case TWHEEL_IOC_STOP:
		request->stop.id = 1;
		break;
	case TWHEEL_IOC_RESET:
		request->reset.id = 1;
		break;
	case TWHEEL_IOC_GET:
		request->get.id = 1;
		break;
	case TWHEEL_IOC_ACK:
	case TWHEEL_IOC_REJECT:
	case TWHEEL_IOC_EXTEND:
		request->ack.id = 1;
		request->ack.token = self->event.token;
		request->ack.lease_ns = cmd == TWHEEL_IOC_EXTEND ? TW_HOUR : 0;
		break;
	}
}

static void fill_array(struct _test_data_structure *self, unsigned int cmd)
{
	union tw_request *request = &self->request;

	switch (cmd) {
	case TWHEEL_IOC_SUBMIT:
		self->op = tw_op_after(9, TW_HOUR);
		request->submit.ops = (uintptr_t)&self->op;
		request->submit.results = (uintptr_t)&self->result;
		request->submit.count = 1;
		break;
	case TWHEEL_IOC_LIST:
		request->list.entries = (uintptr_t)&self->entry;
		request->list.room = 1;
		break;
	case TWHEEL_IOC_DRAIN:
		request->drain.events = (uintptr_t)&self->event;
		request->drain.room = 1;
		break;
	}
}

static void fill_size(struct _test_data_structure *self, unsigned int cmd)
{
	switch (cmd) {
	case TWHEEL_IOC_INFO:
	case TWHEEL_IOC_SETUP:
	case TWHEEL_IOC_STATS:
		self->request.info.size = _IOC_SIZE(cmd);
		break;
	}
}

/* Settings can be made as long as there is no timer. */
FIXTURE_SETUP(structure)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);

	ASSERT_TRUE(make_pages());
	if (variant->cmd == TWHEEL_IOC_SETUP) {
		self->fd = tw_pool(setup);
		ASSERT_LE(0, self->fd);
	} else {
		self->fd = with_expiries(setup);
		ASSERT_LE(0, self->fd);
		ASSERT_EQ(1, tw_read(self->fd, &self->event, 1));
	}
	memset(&self->request, 0, sizeof(self->request));
	fill_size(self, variant->cmd);
	fill_timer(self, variant->cmd);
	fill_array(self, variant->cmd);
	tw_snapshot(self->fd, 1, &self->before);
}

FIXTURE_TEARDOWN(structure)
{
	munmap(page, 2 * PAGE);
	close(self->fd);
}

/* The call with @words of its structure before the edge; is it still as it was? */
static int call_at_edge(struct _test_data_structure *self, unsigned int cmd,
			unsigned int words, int protection)
{
	char *where = edge - words * WORD;
	int ret;

	if (!whole_memory())
		return -EPROTO;
	memcpy(where, &self->request, _IOC_SIZE(cmd));
	if (!protect(protection))
		return -EPROTO;
	ret = ioctl(self->fd, cmd, where);
	if (ret >= 0)
		return ret;
	ret = -errno;
	if (!whole_memory() || memcmp(where, &self->request, _IOC_SIZE(cmd)))
		return TW_TOUCHED;
	return ret;
}

TEST_F(structure, across_the_end_of_memory_changes_nothing)
{
	unsigned int words = _IOC_SIZE(variant->cmd) / WORD, i;
	int ret;

	for (i = 0; i < words; i++) {
		ASSERT_EQ(-EFAULT, call_at_edge(self, variant->cmd, i, PROT_NONE)) {
			TH_LOG("%u words before the edge", i);
		}
		ASSERT_TRUE(tw_unchanged(self->fd, &self->before));
	}
	ret = call_at_edge(self, variant->cmd, words, PROT_NONE);
	EXPECT_LE(0, ret);
	EXPECT_TRUE(tw_books_balance(self->fd));
	if (ret > 0)
		close(ret);
}

TEST_F(structure, across_the_end_of_what_can_be_written_changes_nothing)
{
	unsigned int words = _IOC_SIZE(variant->cmd) / WORD, i;

	if (!(_IOC_DIR(variant->cmd) & _IOC_READ))
		return;
	for (i = 0; i < words; i++) {
		ASSERT_EQ(-EFAULT, call_at_edge(self, variant->cmd, i, PROT_READ)) {
			TH_LOG("%u words before the edge", i);
		}
		ASSERT_TRUE(tw_unchanged(self->fd, &self->before));
	}
	EXPECT_EQ(0, call_at_edge(self, variant->cmd, words, PROT_READ));
}

static int read_all(int fd, void *where, size_t before)
{
	ssize_t got = syscall(SYS_read, fd, where, EXPIRIES * sizeof(struct twheel_event));

	(void)before;
	return got < 0 ? -errno : got / (int)sizeof(struct twheel_event);
}

/* In two pieces, the second from the edge on. */
static int readv_all(int fd, void *where, size_t before)
{
	const struct iovec pieces[] = {
		{ where, before },
		{ edge, EXPIRIES * sizeof(struct twheel_event) - before },
	};
	ssize_t got = readv(fd, pieces, ARRAY_SIZE(pieces));

	return got < 0 ? -errno : got / (int)sizeof(struct twheel_event);
}

static int drain_all(int fd, void *where, size_t before)
{
	(void)before;
	return tw_drain(fd, where, EXPIRIES);
}

FIXTURE(records) {
	int fd;
	struct twheel_event event[EXPIRIES + 1];
	struct tw_snapshot before;
};

FIXTURE_VARIANT(records) {
	int (*get)(int fd, void *where, size_t before);
	struct twheel_setup setup;
};

#define AT_LEAST_ONCE { .delivery = TWHEEL_AT_LEAST_ONCE, .lease_ns = TW_HOUR }
#define BROADCAST { .dispatch = TWHEEL_BROADCAST, .overflow = TWHEEL_DROP_OLDEST }

FIXTURE_VARIANT_ADD(records, read) { .get = read_all };
FIXTURE_VARIANT_ADD(records, readv) { .get = readv_all };
FIXTURE_VARIANT_ADD(records, drained) { .get = drain_all };
FIXTURE_VARIANT_ADD(records, read_under_lease) {
	.get = read_all, .setup = AT_LEAST_ONCE,
};

FIXTURE_VARIANT_ADD(records, readv_under_lease) {
	.get = readv_all, .setup = AT_LEAST_ONCE,
};

FIXTURE_VARIANT_ADD(records, drained_under_lease) {
	.get = drain_all, .setup = AT_LEAST_ONCE,
};

FIXTURE_VARIANT_ADD(records, read_as_copies) {
	.get = read_all, .setup = BROADCAST,
};

FIXTURE_VARIANT_ADD(records, drained_as_copies) {
	.get = drain_all, .setup = BROADCAST,
};

FIXTURE_SETUP(records)
{
	(void)variant;
	self->fd = -1;
	ASSERT_TRUE(make_pages());
}

FIXTURE_TEARDOWN(records)
{
	(void)variant;
	munmap(page, 2 * PAGE);
	close(self->fd);
}

/* Are @nr records of @event those of the expiries from the one behind @last? */
static bool follow(const struct twheel_event *event, int nr, unsigned int last)
{
	int i;

	for (i = 0; i < nr; i++)
		if (event[i].id != last + i + 1 || event[i].sequence != last + i + 1 ||
		    event[i].attempt != 1 || event[i].dropped)
			return false;
	return true;
}

/* With @words before the edge: what comes before it, and then the rest. */
static void get_at_edge(struct __test_metadata *_metadata, struct _test_data_records *self,
			const struct _fixture_variant_records *variant,
			unsigned int words, int protection)
{
	int whole = words * WORD / sizeof(struct twheel_event);
	void *where = edge - words * WORD;
	int got;

	ASSERT_TRUE(whole_memory());
	close(self->fd);
	self->fd = with_expiries(variant->setup);
	ASSERT_LE(0, self->fd);
	tw_snapshot(self->fd, 1, &self->before);
	ASSERT_TRUE(protect(protection));
	got = variant->get(self->fd, where, words * WORD);
	EXPECT_EQ(whole ?: -EFAULT, got) {
		TH_LOG("%u words before the edge", words);
	}
	EXPECT_TRUE(follow(where, whole, 0));
	if (!whole)
		EXPECT_TRUE(tw_unchanged(self->fd, &self->before));
	EXPECT_TRUE(tw_books_balance(self->fd));
	if (whole == EXPIRIES)
		return;
	EXPECT_EQ(EXPIRIES - whole, tw_read(self->fd, self->event, EXPIRIES + 1)) {
		TH_LOG("%u words before the edge", words);
	}
	EXPECT_TRUE(follow(self->event, EXPIRIES - whole, whole));
}

TEST_F(records, behind_the_end_of_memory_come_next)
{
	unsigned int words;

	for (words = 0; words <= PLACES(struct twheel_event); words++)
		get_at_edge(_metadata, self, variant, words, PROT_NONE);
}

TEST_F(records, behind_the_end_of_what_can_be_written_come_next)
{
	unsigned int words;

	for (words = 0; words <= PLACES(struct twheel_event); words++)
		get_at_edge(_metadata, self, variant, words, PROT_READ);
}

FIXTURE(answers) {
	int fd;
	struct twheel_event event[EXPIRIES];
	struct twheel_op op[EXPIRIES];
	struct twheel_stats stats;
};

FIXTURE_SETUP(answers)
{
	self->fd = -1;
	ASSERT_TRUE(make_pages());
}

FIXTURE_TEARDOWN(answers)
{
	munmap(page, 2 * PAGE);
	close(self->fd);
}

/* All expiries are delivered, and a batch would acknowledge them. */
static bool deliver_all(struct _test_data_answers *self)
{
	unsigned int i;

	close(self->fd);
	self->fd = with_expiries(tw_leased(TW_HOUR, 0));
	if (self->fd < 0 || tw_read(self->fd, self->event, EXPIRIES) != EXPIRIES)
		return false;
	for (i = 0; i < EXPIRIES; i++) {
		self->op[i] = tw_op(TWHEEL_OP_ACK, self->event[i].id);
		self->op[i].token = self->event[i].token;
	}
	return true;
}

TEST_F(answers, whose_results_cannot_be_written_are_not_carried_out)
{
	unsigned int words;
	int whole;

	for (words = 0; words <= PLACES(struct twheel_result); words++) {
		whole = words * WORD / sizeof(struct twheel_result);
		ASSERT_TRUE(whole_memory());
		ASSERT_TRUE(deliver_all(self));
		ASSERT_TRUE(protect(words % 2 ? PROT_READ : PROT_NONE));
		EXPECT_EQ(whole ?: -EFAULT,
			  tw_submit(self->fd, self->op, (void *)(edge - words * WORD),
				    EXPIRIES)) {
			TH_LOG("%u words before the edge", words);
		}
		ASSERT_EQ(0, tw_stats(self->fd, &self->stats));
		EXPECT_EQ((__u64)whole, self->stats.delivered);
		EXPECT_EQ((__u64)EXPIRIES - whole, self->stats.in_flight);
		EXPECT_TRUE(tw_books_balance(self->fd));
	}
}

TEST_HARNESS_MAIN
