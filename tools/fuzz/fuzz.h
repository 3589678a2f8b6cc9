/* SPDX-License-Identifier: GPL-2.0 */
/* Random operations on an instance, a model of it, and what makes a failure short. */
#ifndef TWHEEL_FUZZ_H
#define TWHEEL_FUZZ_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <linux/twheel.h>

#define FUZZ_IDS	8
#define FUZZ_OPS	120

enum fuzz_kind {
	FUZZ_START, FUZZ_RESET, FUZZ_STOP, FUZZ_GET, FUZZ_READ, FUZZ_SLEEP,
	FUZZ_STATS,
	FUZZ_MUTATED		/* not among those that are always there */
};

struct fuzz_op {
	enum fuzz_kind kind;
	__u64 id;		/* read: records there is room for */
	__u64 time_ns;
	__u64 interval_ns;
	bool exclusive;
	bool new_timeout;
	__u64 seed;		/* mutated: which call */
	int expect;		/* set by the model: errno, 0: success */
};

struct fuzz_ops {
	unsigned int count;
	struct fuzz_op op[FUZZ_OPS];
};

struct fuzz_tally {
	unsigned long calls;
	unsigned long failed;	/* calls that the device rejected, as it should */
	unsigned long records;
	unsigned long mutated;
	unsigned long spoilt;	/* of these, that deserved to be rejected, and were */
};

/* The device, or in the test a fake of it; results are as of system calls, or -errno. */
int device_open(void);
void device_close(int fd);
int device_ioctl(int fd, unsigned int cmd, void *arg);
ssize_t device_read(int fd, struct twheel_event *events, unsigned int room);
__u64 device_now(void);
void device_sleep(__u64 ns);

/* A random number below @below. */
__u64 fuzz_draw(__u64 *stream, __u64 below);
/* With @mutate, every other operation is a mutated call. */
void fuzz_generate(struct fuzz_ops *ops, __u64 *stream, bool mutate);
/* NULL, or the rule that the device broke; carries out @ops on a new instance. */
const char *fuzz_run(struct fuzz_ops *ops, struct fuzz_tally *tally);
/* Leave out what @rule does not need; false if it is not broken again. */
bool fuzz_shrink(struct fuzz_ops *ops, const char *rule, unsigned int attempts);
void fuzz_script(FILE *out, const struct fuzz_ops *ops, const char *rule, __u64 seed);

#endif /* TWHEEL_FUZZ_H */
