// SPDX-License-Identifier: GPL-2.0
/*
 * A module that does the wrong thing named by its parameter when it is loaded, so that
 * test-run.sh can see whether tools/vm/run notices.
 */
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

static char *fault = "none";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "none, warn, atomic, leak, overrun, race or hold");

static void leak(void)
{
	/* Many, so that no stale pointer on a stack can hide all of them. */
	for (int i = 0; i < 32; i++)
		(void)!kmalloc(128, GFP_KERNEL);
}

static void sleep_in_atomic(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

static void overrun(void)
{
	char *buffer = kmalloc(32, GFP_KERNEL);

	if (!buffer)
		return;
	OPTIMIZER_HIDE_VAR(buffer);
	buffer[32] = 1;
	kfree(buffer);
}

static unsigned long raced;

static int count(void *unused)
{
	while (!kthread_should_stop()) {
		raced++;
		cond_resched();
	}
	return 0;
}

/* Two threads count without a lock, for a second. */
static void race(void)
{
	struct task_struct *one = kthread_run(count, NULL, "one");
	struct task_struct *two = kthread_run(count, NULL, "two");

	schedule_timeout_uninterruptible(HZ);
	if (!IS_ERR(one))
		kthread_stop(one);
	if (!IS_ERR(two))
		kthread_stop(two);
}

static int __init faulty_init(void)
{
	WARN_ON(!strcmp(fault, "warn"));
	if (!strcmp(fault, "atomic"))
		sleep_in_atomic();
	else if (!strcmp(fault, "leak"))
		leak();
	else if (!strcmp(fault, "overrun"))
		overrun();
	else if (!strcmp(fault, "race"))
		race();
	else if (!strcmp(fault, "hold"))
		__module_get(THIS_MODULE);
	return 0;
}

static void __exit faulty_exit(void)
{
}

module_init(faulty_init);
module_exit(faulty_exit);
MODULE_DESCRIPTION("Faults on request, to test the VM runner");
MODULE_LICENSE("GPL");
