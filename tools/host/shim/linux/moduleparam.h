/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MODULEPARAM_H
#define SHIM_LINUX_MODULEPARAM_H

#include <linux/types.h>

/**
 * struct shim_param - a module parameter
 * @name: Its name.
 * @value: The variable.
 * @size: Bytes in it.
 * @next: The next one.
 */
struct shim_param {
	const char *name;
	void *value;
	size_t size;
	struct shim_param *next;
};

void shim_param_register(struct shim_param *param);

/* Set all parameters of that name; false if there is none. */
bool shim_set_param(const char *name, size_t len, unsigned long long value);

/* Parameters are set on the command line of the test program. */
#define module_param(variable, type, mode)				\
	static struct shim_param shim_param_##variable = {		\
		.name = #variable,					\
		.value = &(variable),					\
		.size = sizeof(variable),				\
	};								\
	static void __attribute__((constructor))			\
	shim_param_add_##variable(void)					\
	{								\
		shim_param_register(&shim_param_##variable);		\
	}								\
	_Static_assert(sizeof(variable) == sizeof(type), "type")

#define MODULE_PARM_DESC(variable, text) _Static_assert(1, text)

#endif /* SHIM_LINUX_MODULEPARAM_H */
