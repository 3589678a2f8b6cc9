/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for /dev/twheel, behind the calls that libtwheel makes (linked with
 * --wrap).  There is one instance at a time; a millisecond of its time passes
 * with each look at the counters.
 */
#ifndef TWHEEL_LIB_FAKE_H
#define TWHEEL_LIB_FAKE_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>
#include <twheel.h>

struct fake {
	/* What a test sets, after it has opened the instance. */
	unsigned int submit_most;	/* operations of a SUBMIT before a "signal" */
	unsigned int submit_good;	/* SUBMITs before one fails with ENOMEM */
	unsigned int empty_pages;	/* of a LIST, before each one with entries */
	unsigned int read_ms;		/* that pass within the next read */
	int mmap_error;			/* of the next mmap() */
	/* What it looks at. */
	int open_flags;
	struct twheel_setup setup;
	struct twheel_op last_ops[3];	/* the first of the last SUBMIT */
	uint32_t reader_flags;		/* of the last READER */
	uint32_t readers;
	bool shut_down;
	unsigned int submits;
	unsigned int pages;
	unsigned int mapped;		/* mappings now */
	int map_flags;			/* of the last mmap() */
};

extern struct fake fake;

/* What the library calls in place of system calls, and open() itself. */
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long number, ...);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd,
		  off_t offset);
int __wrap_munmap(void *address, size_t length);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);
int __real_open(const char *path, int flags, ...);

#endif /* TWHEEL_LIB_FAKE_H */
