/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptors of an instance
 */
#ifndef TWHEEL_FILE_H
#define TWHEEL_FILE_H

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/refcount.h>
#include <linux/uio.h>
#include <linux/wait.h>

#include "clock.h"
#include "instance.h"

/**
 * struct twheel_bell - where readers wait
 * @wait: Who waits for something to read.
 * @fasync: Who wants a signal then.
 */
struct twheel_bell {
	wait_queue_head_t wait;
	struct fasync_struct *fasync;
};

/**
 * struct twheel_group - an instance and what its descriptors share
 * @inst: The instance.
 * @hrclock: Its clock.
 * @files: Descriptors.
 * @bell: Of the descriptor that opened the instance; with TWHEEL_SHARED, of all
 *	readers: one of those who wait is woken, whichever it is.
 * @fops: For further descriptors.
 */
struct twheel_group {
	struct twheel_instance inst;
	struct twheel_hrclock hrclock;
	refcount_t files;
	struct twheel_bell bell;
	const struct file_operations *fops;
};

/**
 * struct twheel_file - a descriptor
 * @group: What it shares.
 * @consumer: What the instance knows of it.
 * @bell: Where its readers wait: its own one or the group's.
 * @own_bell: For a reader whose expiries are for it alone.
 */
struct twheel_file {
	struct twheel_group *group;
	struct twheel_consumer consumer;
	struct twheel_bell *bell;
	struct twheel_bell own_bell;
};

struct twheel_file *twheel_file_open(const struct file_operations *fops);
int twheel_file_reader(struct twheel_file *from, struct twheel_reader *req);
void twheel_file_close(struct twheel_file *tf);
ssize_t twheel_file_read(struct twheel_file *tf, struct iov_iter *to,
			 bool nonblock);
int twheel_file_drain(struct twheel_file *tf, struct twheel_drain *req);
__poll_t twheel_file_poll(struct twheel_file *tf, struct file *file,
			  struct poll_table_struct *table);

/* Whether it is not the one that opened the instance. */
static inline bool twheel_file_is_additional(const struct twheel_file *tf)
{
	return tf->consumer.number > 1;
}

#endif /* TWHEEL_FILE_H */
