/* SPDX-License-Identifier: MIT */
/*
 * What the files of libtwheel share.
 *
 * All is compiled with -fvisibility=hidden: what the headers below declare is
 * exported, and nothing else.
 */
#ifndef TWHEEL_INTERNAL_H
#define TWHEEL_INTERNAL_H

#pragma GCC visibility push(default)
#include "twheel.h"
#include "twheel_map.h"
#pragma GCC visibility pop

/**
 * twheel_command - an ioctl
 * @fd: The instance.
 * @number: TWHEEL_IOC_*.
 * @arg: Its structure.
 *
 * Return: 0 or -errno.
 */
int twheel_command(int fd, unsigned long number, void *arg);

/* Expiries that a dispatcher reads at a time. */
#define TWHEEL_DISPATCH_EVENTS	256

/**
 * struct twheel_dispatcher - see twheel.h
 * @fd: Its instance.
 * @next: The next of @events to call.
 * @count: Expiries in @events.
 * @acks: Acknowledgements of expiries whose callbacks have returned.
 * @kept: The token of the last expiry that its callback wanted to keep.
 * @events: What was read.  An expiry that is not called yet is the one that its
 *	action's .unread points to; one that was taken back has data 0.
 */
struct twheel_dispatcher {
	int fd;
	unsigned int next;
	unsigned int count;
	struct twheel_batch *acks;
	uint64_t kept;
	struct twheel_event events[TWHEEL_DISPATCH_EVENTS];
};

#endif /* TWHEEL_INTERNAL_H */
