/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SUBMIT and LIST: arrays in user memory
 */
#ifndef TWHEEL_BATCH_H
#define TWHEEL_BATCH_H

#include "instance.h"

int twheel_batch_submit(struct twheel_consumer *by, struct twheel_submit *req);
int twheel_batch_list(struct twheel_instance *inst, struct twheel_list *req);

#endif /* TWHEEL_BATCH_H */
