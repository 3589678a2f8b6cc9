/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BUG_H
#define SHIM_LINUX_BUG_H

#include <stdio.h>
#include <stdlib.h>

/* A warning of the code under test is a failure: it ends the run. */
#define WARN_ON_ONCE(condition) ({					\
	if (condition) {						\
		printf("Bail out! %s:%d: warning: %s\n", __FILE__,	\
		       __LINE__, #condition);				\
		abort();						\
	}								\
	0;								\
})

#endif /* SHIM_LINUX_BUG_H */
