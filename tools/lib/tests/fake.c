// SPDX-License-Identifier: MIT
/* The stand-in for the device, see fake.h. */
#include <fcntl.h>
#include <limits.h>
#include <stdalign.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "fake.h"
#include "test.h"

#define MOST_TIMERS	512
#define PAGE		4096

struct timer {
	struct twheel_list_entry entry;
	uint64_t order;			/* of expiry */
	uint64_t expirations;
	uint64_t token;			/* of the delivery, when it was delivered */
	uint64_t lease_end;
};

struct fake fake;

static struct timer timers[MOST_TIMERS];
static uint64_t now, generation, order, sequence, token;
static alignas(PAGE) uint64_t words[2 * PAGE / sizeof(uint64_t)];

uint64_t now_ns(void)
{
	return now;
}

static struct timer *find(uint64_t id)
{
	int i;

	for (i = 0; i < MOST_TIMERS; i++)
		if (timers[i].entry.state != TWHEEL_FREE && timers[i].entry.id == id)
			return &timers[i];
	return NULL;
}

static struct timer *unused(void)
{
	int i;

	for (i = 0; i < MOST_TIMERS; i++)
		if (timers[i].entry.state == TWHEEL_FREE)
			return &timers[i];
	return NULL;
}

static bool can_be_postponed(const struct twheel_list_entry *entry)
{
	return entry->mapped && entry->timeout_ns &&
	       (entry->state == TWHEEL_ARMED || entry->state == TWHEEL_QUEUED);
}

/* At its word: the timer runs on if there was activity. */
static void look(struct timer *timer)
{
	struct twheel_list_entry *entry = &timer->entry;
	uint64_t last;

	if (!can_be_postponed(entry))
		return;
	last = words[entry->word] < now ? words[entry->word] : now;
	if (last + entry->timeout_ns <= entry->deadline_ns)
		return;
	entry->deadline_ns = last + entry->timeout_ns;
	entry->state = TWHEEL_ARMED;
	entry->attempt = 0;
}

static void look_at_all(void)
{
	int i;

	for (i = 0; i < MOST_TIMERS; i++)
		look(&timers[i]);
}

static void expire(struct timer *timer)
{
	struct twheel_list_entry *entry = &timer->entry;

	if (entry->state == TWHEEL_DELIVERED && now >= timer->lease_end)
		entry->state = TWHEEL_QUEUED;
	if (entry->state == TWHEEL_ARMED)
		look(timer);
	if (entry->state == TWHEEL_FREE || entry->state == TWHEEL_DELIVERED ||
	    now < entry->deadline_ns)
		return;
	if (entry->state == TWHEEL_ARMED) {
		entry->state = TWHEEL_QUEUED;
		timer->order = ++order;
	}
	timer->expirations = 1;
	if (entry->interval_ns)
		timer->expirations += (now - entry->deadline_ns) / entry->interval_ns;
}

static void expire_all(void)
{
	int i;

	for (i = 0; i < MOST_TIMERS; i++)
		expire(&timers[i]);
}

static void pass_ms(void)
{
	now += MS;
	expire_all();
}

/* Ends an arming; the outcome. */
static int disarm(struct timer *timer)
{
	static const int outcomes[] = {
		[TWHEEL_ARMED] = TWHEEL_STOPPED,
		[TWHEEL_QUEUED] = TWHEEL_WITHDREW,
		[TWHEEL_DELIVERED] = TWHEEL_WAS_DELIVERED,
	};
	int outcome = outcomes[timer->entry.state];

	timer->entry.state = TWHEEL_FREE;
	timer->entry.attempt = 0;
	return outcome;
}

static void arm(struct timer *timer, uint64_t time_ns, uint32_t flags)
{
	struct twheel_list_entry *entry = &timer->entry;

	entry->deadline_ns = flags & TWHEEL_ABSTIME ? time_ns : now + time_ns;
	entry->timeout_ns = entry->deadline_ns > now ? entry->deadline_ns - now : 0;
	entry->generation = ++generation;
	entry->state = TWHEEL_ARMED;
	expire(timer);
}

/* Whether a timer can have the word that it is to be started with. */
static int check_word(const struct twheel_start *start)
{
	int i;

	if (!(start->flags & TWHEEL_MAPPED))
		return start->word ? -EOPNOTSUPP : 0;
	if (start->word >= fake.setup.map_words || start->interval_ns)
		return -EINVAL;
	for (i = 0; i < MOST_TIMERS; i++)
		if (timers[i].entry.state != TWHEEL_FREE && timers[i].entry.mapped &&
		    timers[i].entry.word == start->word && timers[i].entry.id != start->id)
			return -EBUSY;
	return 0;
}

static int start(struct twheel_start *start)
{
	struct timer *timer = find(start->id);
	int err = check_word(start);

	if (err)
		return err;
	if (timer && (start->flags & TWHEEL_EXCLUSIVE))
		return -EEXIST;
	if (start->interval_ns && start->interval_ns < MS)
		return -EINVAL;
	if (start->time_ns > INT64_MAX - now)
		return -EOVERFLOW;
	start->outcome = timer ? disarm(timer) : TWHEEL_WAS_FREE;
	timer = timer ? timer : unused();
	if (!timer)
		return -ENOSPC;
	timer->entry = (struct twheel_list_entry){
		.id = start->id,
		.data = start->data,
		.interval_ns = start->interval_ns,
		.slack_ns = start->slack_ns,
		.mapped = start->flags & TWHEEL_MAPPED ? 1 : 0,
		.word = start->word,
	};
	if (timer->entry.mapped)
		words[start->word] = now;
	arm(timer, start->time_ns, start->flags);
	start->generation = generation;
	start->deadline_ns = timer->entry.deadline_ns;
	return 0;
}

static int stop(struct twheel_stop *stop)
{
	struct timer *timer = find(stop->id);

	if (!timer)
		return -ENOENT;
	stop->outcome = disarm(timer);
	stop->data = timer->entry.data;
	return 0;
}

static int reset(struct twheel_reset *reset)
{
	struct timer *timer = find(reset->id);

	if (!timer)
		return -ENOENT;
	reset->outcome = disarm(timer);
	arm(timer, reset->flags & TWHEEL_NEW_TIMEOUT ? reset->time_ns : timer->entry.timeout_ns,
	    reset->flags);
	reset->deadline_ns = timer->entry.deadline_ns;
	return 0;
}

static int get(struct twheel_get *get)
{
	struct timer *timer = find(get->id);

	if (!timer)
		return -ENOENT;
	get->state = timer->entry.state;
	get->generation = timer->entry.generation;
	get->deadline_ns = timer->entry.deadline_ns;
	get->timeout_ns = timer->entry.timeout_ns;
	get->interval_ns = timer->entry.interval_ns;
	get->data = timer->entry.data;
	get->slack_ns = timer->entry.slack_ns;
	get->mapped = timer->entry.mapped;
	get->word = timer->entry.word;
	return 0;
}

/* What a timer is in when its expiry is done with. */
static void settle(struct timer *timer)
{
	struct twheel_list_entry *entry = &timer->entry;

	entry->state = entry->interval_ns ? TWHEEL_ARMED : TWHEEL_FREE;
	entry->deadline_ns += timer->expirations * entry->interval_ns;
	entry->attempt = 0;
}

static int lease(unsigned long number, struct twheel_ack *ack)
{
	struct timer *timer = find(ack->id);

	if (fake.setup.delivery != TWHEEL_AT_LEAST_ONCE)
		return -EINVAL;
	if (!timer || timer->entry.state != TWHEEL_DELIVERED || timer->token != ack->token)
		return -ESTALE;
	if (number == TWHEEL_IOC_ACK)
		settle(timer);
	else if (number == TWHEEL_IOC_REJECT)
		timer->entry.state = TWHEEL_QUEUED;
	else
		timer->lease_end = now + ack->lease_ns;
	ack->lease_end_ns = number == TWHEEL_IOC_EXTEND ? timer->lease_end : 0;
	ack->state = timer->entry.state;
	return 0;
}

/* An ACK is carried out; of the others only what the tests of batches look at. */
static void operate(const struct twheel_op *op, struct twheel_result *result)
{
	struct twheel_ack ack = { .id = op->id, .token = op->token };

	*result = (struct twheel_result){ .generation = op->id, .data = op->opcode };
	if (op->opcode < TWHEEL_OP_START || op->opcode > TWHEEL_OP_EXTEND)
		result->error = -EOPNOTSUPP;
	if (op->opcode == TWHEEL_OP_ACK)
		result->error = lease(TWHEEL_IOC_ACK, &ack);
}

static int submit(struct twheel_submit *submit)
{
	struct twheel_op *ops = (struct twheel_op *)(uintptr_t)submit->ops;
	struct twheel_result *results = (struct twheel_result *)(uintptr_t)submit->results;

	if (!submit->count || submit->count > TWHEEL_SUBMIT_MAX)
		return -EINVAL;
	if (fake.submits == fake.submit_good)
		return -ENOMEM;
	fake.submits++;
	for (submit->done = 0; submit->done < submit->count; submit->done++) {
		if (submit->done == fake.submit_most)
			break;
		if (submit->done < ARRAY_SIZE(fake.last_ops))
			fake.last_ops[submit->done] = ops[submit->done];
		operate(&ops[submit->done], &results[submit->done]);
	}
	return 0;
}

/* The first part of the cursor is a place in timers[], the second counts calls. */
static int list(struct twheel_list *list)
{
	struct twheel_list_entry *entries = (struct twheel_list_entry *)(uintptr_t)list->entries;

	if (!list->room || list->room > TWHEEL_LIST_MAX)
		return -EINVAL;
	fake.pages++;
	list->count = 0;
	list->more = 1;
	if (list->cursor[1]++ % (fake.empty_pages + 1) != fake.empty_pages)
		return 0;
	for (; list->cursor[0] < MOST_TIMERS && list->count < list->room; list->cursor[0]++)
		if (timers[list->cursor[0]].entry.state != TWHEEL_FREE)
			entries[list->count++] = timers[list->cursor[0]].entry;
	list->more = list->cursor[0] < MOST_TIMERS;
	return 0;
}

/* As the kernel does for structures that begin with their size. */
static int sized(void *arg, size_t known, size_t least)
{
	uint32_t size, i;

	memcpy(&size, arg, sizeof(size));
	if (size < least)
		return -EINVAL;
	for (i = known; i < size; i++)
		if (((char *)arg)[i])
			return -E2BIG;
	return 0;
}

static int info(struct twheel_info *info)
{
	int err = sized(info, sizeof(*info), 72);

	if (!err && info->flags)
		err = -EOPNOTSUPP;
	if (err)
		return err;
	info->abi_revision = TWHEEL_ABI_REVISION;
	/* behind what the oldest header has */
	if (info->size == sizeof(*info))
		info->map_words = fake.setup.map_words;
	return 0;
}

static int setup(struct twheel_setup *setup)
{
	int err = sized(setup, sizeof(*setup), 32);

	if (!err)
		memcpy(&fake.setup, setup, setup->size);
	return err;
}

/* Readers have numbers from 1 on, and no counters. */
static int stats(struct twheel_stats *stats)
{
	int i, err = sized(stats, sizeof(*stats), sizeof(*stats));

	if (!err && stats->flags == TWHEEL_STATS_READER) {
		stats->reader += !stats->reader;
		return stats->reader > fake.readers ? -ENOENT : 0;
	}
	pass_ms();
	for (i = 0; i < MOST_TIMERS && !err; i++)
		stats->waiting += timers[i].entry.state == TWHEEL_QUEUED;
	return err;
}

static struct timer *first_queued(void)
{
	struct timer *first = NULL;
	int i;

	for (i = 0; i < MOST_TIMERS; i++) {
		if (timers[i].entry.state != TWHEEL_QUEUED)
			continue;
		if (!first || timers[i].order < first->order)
			first = &timers[i];
	}
	return first;
}

static void deliver(struct timer *timer, struct twheel_event *event)
{
	struct twheel_list_entry *entry = &timer->entry;

	*event = (struct twheel_event){
		.id = entry->id,
		.data = entry->data,
		.generation = entry->generation,
		.sequence = ++sequence,
		.deadline_ns = entry->deadline_ns,
		.fired_ns = now,
		.expirations = timer->expirations,
		.attempt = ++entry->attempt,
		.flags = entry->interval_ns ? TWHEEL_EVENT_PERIODIC : 0,
	};
	if (fake.setup.delivery != TWHEEL_AT_LEAST_ONCE) {
		settle(timer);
		return;
	}
	entry->state = TWHEEL_DELIVERED;
	timer->lease_end = now + fake.setup.lease_ns;
	timer->token = ++token;
	event->token = token;
}

static size_t take(struct twheel_event *events, size_t room)
{
	struct timer *timer;
	size_t have = 0;

	look_at_all();
	timer = first_queued();
	for (; timer && have < room; timer = first_queued()) {
		deliver(timer, &events[have++]);
		if (!fake.read_ms)
			continue;
		fake.read_ms--;
		pass_ms();
	}
	return have;
}

static int drain(struct twheel_drain *drain)
{
	if (!drain->room || drain->room > TWHEEL_DRAIN_MAX)
		return -EINVAL;
	drain->count = take((struct twheel_event *)(uintptr_t)drain->events, drain->room);
	return 0;
}

static bool in_flight(void)
{
	int i;

	for (i = 0; i < MOST_TIMERS; i++)
		if (timers[i].entry.state == TWHEEL_DELIVERED)
			return true;
	return false;
}

/* Any file will do for the descriptor. */
static int reader(struct twheel_reader *reader)
{
	fake.reader_flags = reader->flags;
	fake.readers++;
	return __real_open("/dev/null", O_RDWR | O_CLOEXEC);
}

static int command(unsigned long number, void *arg)
{
	switch (number) {
	case TWHEEL_IOC_INFO:	return info(arg);
	case TWHEEL_IOC_SETUP:	return setup(arg);
	case TWHEEL_IOC_STATS:	return stats(arg);
	case TWHEEL_IOC_START:	return start(arg);
	case TWHEEL_IOC_STOP:	return stop(arg);
	case TWHEEL_IOC_RESET:	return reset(arg);
	case TWHEEL_IOC_GET:	return get(arg);
	case TWHEEL_IOC_SUBMIT:	return submit(arg);
	case TWHEEL_IOC_LIST:	return list(arg);
	case TWHEEL_IOC_ACK:
	case TWHEEL_IOC_REJECT:
	case TWHEEL_IOC_EXTEND:	return lease(number, arg);
	case TWHEEL_IOC_READER:	return reader(arg);
	case TWHEEL_IOC_DRAIN:	return drain(arg);
	case TWHEEL_IOC_SHUTDOWN:
		fake.shut_down = true;
		return 0;
	default:		return -ENOTTY;
	}
}

int __wrap_ioctl(int fd, unsigned long number, ...)
{
	va_list args;
	int err;

	(void)fd;
	va_start(args, number);
	err = command(number, va_arg(args, void *));
	va_end(args);
	errno = -err;
	return err < 0 ? -1 : err;
}

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	size_t room = size / sizeof(struct twheel_event);
	size_t have = take((struct twheel_event *)buffer, room);

	(void)fd;
	errno = room ? EAGAIN : EINVAL;
	if (!have && room && fake.shut_down && !in_flight())
		return 0;
	return have ? (ssize_t)(have * sizeof(struct twheel_event)) : -1;
}

/* All that are shared in whole pages. */
static size_t mapping_length(void)
{
	size_t length = fake.setup.map_words * sizeof(uint64_t);

	return (length + PAGE - 1) / PAGE * PAGE;
}

static int check_mapping(size_t length, int protection, int flags, off_t offset)
{
	if (fake.mmap_error)
		return -fake.mmap_error;
	if (!length || (length + PAGE - 1) / PAGE * PAGE != mapping_length())
		return -EINVAL;
	if (protection != (PROT_READ | PROT_WRITE) || !(flags & MAP_SHARED) || offset)
		return -EINVAL;
	return 0;
}

void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd,
		  off_t offset)
{
	(void)address;
	(void)fd;
	errno = -check_mapping(length, protection, flags, offset);
	fake.mmap_error = 0;
	if (errno)
		return MAP_FAILED;
	fake.mapped++;
	fake.map_flags = flags;
	return words;
}

/* The kernel would end a part of a mapping too; nobody wants that here. */
int __wrap_munmap(void *address, size_t length)
{
	bool good = address == words && (length + PAGE - 1) / PAGE * PAGE == mapping_length();

	errno = good && length ? 0 : EINVAL;
	if (errno)
		return -1;
	fake.mapped--;
	return 0;
}

/* The machine was suspended for an hour; what else it may have, the library does not use. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	uint64_t ns = clock == CLOCK_BOOTTIME ? now + HOUR : now;

	if (clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME)
		ns = UINT64_MAX;
	*ts = (struct timespec){ .tv_sec = ns / (1000 * MS), .tv_nsec = ns % (1000 * MS) };
	return 0;
}

/* Any file will do for the descriptor. */
int __wrap_open(const char *path, int flags, ...)
{
	if (strcmp(path, "/dev/twheel")) {
		errno = ENOENT;
		return -1;
	}
	memset(timers, 0, sizeof(timers));
	memset(words, 0, sizeof(words));
	now = 1000 * MS;
	fake = (struct fake){
		.submit_most = UINT_MAX,
		.submit_good = UINT_MAX,
		.readers = 1,
		.open_flags = flags,
	};
	return __real_open("/dev/null", flags);
}
