// SPDX-License-Identifier: GPL-2.0
/*
 * twheel - timers by ID behind /dev/twheel: a hierarchical timing wheel
 */
#include <linux/module.h>

#include "chrdev.h"
#include "clock.h"
#include "instance.h"

static int __init twheel_module_init(void)
{
	int ret;

	ret = twheel_instance_module_init();
	if (ret)
		return ret;
	ret = twheel_hrclock_module_init();
	if (ret)
		goto exit_instance;
	ret = twheel_chrdev_init();
	if (ret)
		goto exit_hrclock;
	return 0;

exit_hrclock:
	twheel_hrclock_module_exit();
exit_instance:
	twheel_instance_module_exit();
	return ret;
}

static void __exit twheel_module_exit(void)
{
	twheel_chrdev_exit();
	twheel_hrclock_module_exit();
	twheel_instance_module_exit();
}

module_init(twheel_module_init);
module_exit(twheel_module_exit);

MODULE_DESCRIPTION("Timers by ID: a hierarchical timing wheel behind a device");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.3.0");
