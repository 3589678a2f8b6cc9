// SPDX-License-Identifier: MIT
/* Operations on one timer. */
#include "internal.h"

int twheel_start(int fd, struct twheel_start *start)
{
	return twheel_command(fd, TWHEEL_IOC_START, start);
}

int twheel_stop(int fd, struct twheel_stop *stop)
{
	return twheel_command(fd, TWHEEL_IOC_STOP, stop);
}

int twheel_reset(int fd, struct twheel_reset *reset)
{
	return twheel_command(fd, TWHEEL_IOC_RESET, reset);
}

int twheel_get(int fd, struct twheel_get *get)
{
	return twheel_command(fd, TWHEEL_IOC_GET, get);
}

int twheel_start_in(int fd, uint64_t id, uint64_t timeout_ns, uint64_t data)
{
	struct twheel_start start = { .id = id, .time_ns = timeout_ns, .data = data };
	int ret = twheel_start(fd, &start);

	return ret ? ret : (int)start.outcome;
}

int twheel_start_mapped(int fd, uint64_t id, uint64_t timeout_ns, uint64_t data,
			uint32_t word)
{
	struct twheel_start start = {
		.id = id,
		.time_ns = timeout_ns,
		.data = data,
		.flags = TWHEEL_MAPPED,
		.word = word,
	};
	int ret = twheel_start(fd, &start);

	return ret ? ret : (int)start.outcome;
}

int twheel_reset_id(int fd, uint64_t id)
{
	struct twheel_reset reset = { .id = id };
	int ret = twheel_reset(fd, &reset);

	return ret ? ret : (int)reset.outcome;
}

int twheel_stop_id(int fd, uint64_t id)
{
	struct twheel_stop stop = { .id = id };
	int ret = twheel_stop(fd, &stop);

	return ret ? ret : (int)stop.outcome;
}
