/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TWHEEL_FDINFO_H
#define TWHEEL_FDINFO_H

#include <linux/fs.h>
#include <linux/seq_file.h>

void twheel_fdinfo_show(struct seq_file *seq, struct file *file);

#endif /* TWHEEL_FDINFO_H */
