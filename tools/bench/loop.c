// SPDX-License-Identifier: GPL-2.0
#include "loop.h"

static unsigned int *fired;
static unsigned int taken, count;
static void (*run)(void);

void loop_prepare(unsigned int timers, void (*turn)(void))
{
	fired = bench_alloc(timers, sizeof(*fired));
	run = turn;
}

void loop_fired(unsigned int timer)
{
	fired[count++] = timer;
}

bool loop_ready(void)
{
	bench_calls++;		/* its epoll_wait */
	run();
	return count > taken;
}

/* In their order.  The loop runs only when all were taken. */
unsigned int loop_expire(unsigned int *timers, unsigned int room)
{
	unsigned int i;

	if (taken == count)
		loop_ready();
	for (i = 0; i < room && taken < count; i++)
		timers[i] = fired[taken++];
	if (taken == count) {
		taken = 0;
		count = 0;
	}
	return i;
}
