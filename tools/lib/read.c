// SPDX-License-Identifier: MIT
/* Expiries. */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "internal.h"

int twheel_read(int fd, struct twheel_event *events, unsigned int count)
{
	const unsigned int most = INT_MAX / sizeof(*events);
	ssize_t got;

	if (count > most)
		count = most;
	got = read(fd, events, count * sizeof(*events));
	return got < 0 ? -errno : (int)(got / sizeof(*events));
}
