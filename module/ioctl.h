/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TWHEEL_IOCTL_H
#define TWHEEL_IOCTL_H

#include "file.h"

long twheel_ioctl(struct twheel_file *tf, unsigned int cmd,
		  void __user *arg);
long twheel_ioctl_in_ring(struct twheel_file *tf, unsigned int cmd,
			  void __user *arg, u32 size);

#endif /* TWHEEL_IOCTL_H */
