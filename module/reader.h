/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A reader: an open file of the device and the instance behind it
 */
#ifndef TWHEEL_READER_H
#define TWHEEL_READER_H

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/uio.h>
#include <linux/wait.h>

#include "clock.h"
#include "instance.h"

/**
 * struct twheel_file - a reader
 * @inst: The instance.
 * @hrclock: The instance's clock.
 * @wait: Who waits for something to read.
 * @fasync: Who wants a signal then.
 */
struct twheel_file {
	struct twheel_instance inst;
	struct twheel_hrclock hrclock;
	wait_queue_head_t wait;
	struct fasync_struct *fasync;
};

struct twheel_file *twheel_reader_create(void);
void twheel_reader_free(struct twheel_file *reader);
ssize_t twheel_reader_read(struct twheel_file *reader, struct iov_iter *to,
			   bool nonblock);
__poll_t twheel_reader_poll(struct twheel_file *reader, struct file *file,
			    struct poll_table_struct *table);

#endif /* TWHEEL_READER_H */
