/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapping the words of an instance into a program
 */
#ifndef TWHEEL_MAPPING_H
#define TWHEEL_MAPPING_H

#include <linux/mm_types.h>

#include "file.h"

int twheel_mapping_make(struct twheel_file *tf, struct vm_area_struct *vma);

#endif /* TWHEEL_MAPPING_H */
