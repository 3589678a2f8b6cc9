// SPDX-License-Identifier: MIT
/* For tests with the device itself. */
#include <time.h>

#include "test.h"

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 * MS + ts.tv_nsec;
}
