/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TWHEEL_CHRDEV_H
#define TWHEEL_CHRDEV_H

int twheel_chrdev_init(void);
void twheel_chrdev_exit(void);

#endif /* TWHEEL_CHRDEV_H */
