/* SPDX-License-Identifier: GPL-2.0 */
/* The structure of any command. */
#ifndef TWHEEL_REQUEST_H
#define TWHEEL_REQUEST_H

#include <linux/twheel.h>

union tw_request {
	struct twheel_info info;
	struct twheel_setup setup;
	struct twheel_stats stats;
	struct twheel_start start;
	struct twheel_stop stop;
	struct twheel_reset reset;
	struct twheel_get get;
	struct twheel_submit submit;
	struct twheel_list list;
	struct twheel_ack ack;
	struct twheel_reader reader;
	struct twheel_drain drain;
	struct twheel_shutdown shutdown;
	__u32 size;
	unsigned char bytes[512];
};

#endif /* TWHEEL_REQUEST_H */
