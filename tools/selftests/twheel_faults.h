/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocations and copies of the calling thread that fail on request, where the
 * kernel has fault injection (Documentation/fault-injection in its sources).
 *
 * What the kernel asks on behalf of the thread, whether an allocation or a copy
 * shall fail, is numbered.  fail-nth of the thread says which number fails, and
 * what is counted down in the times of an attribute is what did fail.
 */
#ifndef TWHEEL_FAULTS_H
#define TWHEEL_FAULTS_H

#include "twheel_sys.h"

#define TW_FAULTS	"/sys/kernel/debug/"
/* More faults than a test can cause. */
#define TW_FAULTS_MANY	1000000

enum tw_fault { TW_FAULT_SLAB, TW_FAULT_PAGE, TW_FAULT_COPY, TW_FAULT_KINDS };

static const char *const tw_fault_names[TW_FAULT_KINDS] = {
	"failslab", "fail_page_alloc", "fail_usercopy",
};

/**
 * struct tw_fault_mode - what fails after the first fault
 * @lasting: Every allocation.
 * @copies: How many copies fail, the first fault included if it is one; 0: one.
 */
struct tw_fault_mode {
	bool lasting;
	unsigned int copies;
};

/**
 * struct tw_faults - the injector, and what has failed
 * @nth: fail-nth of the thread.
 * @make: make-it-fail of the thread.
 * @times: For each kind, how many may fail.
 * @failed: For each kind, how many have failed.
 */
struct tw_faults {
	int nth;
	int make;
	unsigned int times[TW_FAULT_KINDS];
	unsigned int failed[TW_FAULT_KINDS];
};

static inline bool tw_faults_set(enum tw_fault kind, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), TW_FAULTS "%s/%s", tw_fault_names[kind], name);
	return !tw_write_file(path, value);
}

static inline long long tw_faults_left(enum tw_fault kind)
{
	char path[128];

	snprintf(path, sizeof(path), TW_FAULTS "%s/times", tw_fault_names[kind]);
	return tw_read_number(path);
}

/* Without a further copy or allocation. */
static inline bool tw_faults_number(int fd, unsigned int number)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", number);

	return write(fd, text, len) == len;
}

static inline bool tw_faults_prepare(enum tw_fault kind)
{
	return tw_faults_set(kind, "probability", "0") &&
	       tw_faults_set(kind, "task-filter", "Y") &&
	       tw_faults_set(kind, "verbose", "0") &&
	       (kind == TW_FAULT_COPY ||
		tw_faults_set(kind, "ignore-gfp-wait", "N"));
}

/* Can the kernel do all of it? */
static inline bool tw_faults_possible(void)
{
	char path[128];
	int kind;

	for (kind = 0; kind < TW_FAULT_KINDS; kind++) {
		snprintf(path, sizeof(path), TW_FAULTS "%s", tw_fault_names[kind]);
		if (access(path, F_OK))
			return false;
	}
	return !access("/proc/self/fail-nth", F_OK);
}

static inline bool tw_faults_begin(struct tw_faults *faults)
{
	char path[64];
	int kind;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/fail-nth", syscall(SYS_gettid));
	faults->nth = open(path, O_RDWR | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/task/%ld/make-it-fail", syscall(SYS_gettid));
	faults->make = open(path, O_RDWR | O_CLOEXEC);
	if (faults->nth < 0 || faults->make < 0)
		return false;
	for (kind = 0; kind < TW_FAULT_KINDS; kind++)
		if (!tw_faults_prepare(kind))
			return false;
	/* A page fault that finds no page is none of the module's. */
	return tw_faults_set(TW_FAULT_PAGE, "min-order", "0") &&
	       !mlockall(MCL_CURRENT);
}

static inline void tw_faults_end(struct tw_faults *faults)
{
	int kind;

	for (kind = 0; kind < TW_FAULT_KINDS; kind++) {
		tw_faults_set(kind, "probability", "0");
		tw_faults_set(kind, "task-filter", "N");
		tw_faults_set(kind, "ignore-gfp-wait", "Y");
	}
	tw_faults_set(TW_FAULT_PAGE, "min-order", "1");
	close(faults->nth);
	close(faults->make);
}

static inline bool tw_faults_arm_kind(struct tw_faults *faults, enum tw_fault kind,
				      const struct tw_fault_mode *mode)
{
	bool copies = kind == TW_FAULT_COPY;
	bool goes_on = copies ? mode->copies : mode->lasting;
	char times[16];

	faults->times[kind] = copies && goes_on ? mode->copies : TW_FAULTS_MANY;
	snprintf(times, sizeof(times), "%u", faults->times[kind]);
	return tw_faults_set(kind, "probability", goes_on ? "100" : "0") &&
	       tw_faults_set(kind, "times", times);
}

/* The @nth of what follows fails, and then what @mode says; 0: nothing does. */
static inline bool tw_faults_arm(struct tw_faults *faults, unsigned int nth,
				 const struct tw_fault_mode *mode)
{
	int kind;

	for (kind = 0; kind < TW_FAULT_KINDS; kind++)
		if (!tw_faults_arm_kind(faults, kind, mode))
			return false;
	if (!nth)
		return true;
	/* One is the copy of the second call; it has to be the second for that. */
	return tw_faults_number(faults->nth, nth + 1) &&
	       tw_faults_number(faults->make, mode->lasting || mode->copies);
}

/* Every allocation fails from now on, and no copy. */
static inline bool tw_faults_starve(struct tw_faults *faults)
{
	const struct tw_fault_mode lasting = { .lasting = true };

	return tw_faults_arm(faults, 0, &lasting) &&
	       tw_faults_number(faults->make, 1);
}

/* The end of that; false if nothing had failed. */
static inline bool tw_faults_disarm(struct tw_faults *faults)
{
	unsigned int own = 0, sum = 0;
	int kind;

	/* A copy of these calls can be what fails. */
	while (!tw_faults_number(faults->nth, 0))
		own++;
	while (!tw_faults_number(faults->make, 0))
		own++;
	for (kind = 0; kind < TW_FAULT_KINDS; kind++) {
		faults->failed[kind] = faults->times[kind] - tw_faults_left(kind);
		if (kind == TW_FAULT_COPY)
			faults->failed[kind] -= own;
		sum += faults->failed[kind];
	}
	return sum;
}

static inline unsigned int tw_faults_allocations(const struct tw_faults *faults)
{
	return faults->failed[TW_FAULT_SLAB] + faults->failed[TW_FAULT_PAGE];
}

#endif /* TWHEEL_FAULTS_H */
