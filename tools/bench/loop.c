// SPDX-License-Identifier: GPL-2.0
#include "loop.h"

static unsigned int *fired;
static unsigned int taken, count;

void loop_prepare(unsigned int timers)
{
	fired = bench_alloc(timers, sizeof(*fired));
}

void loop_fired(unsigned int timer)
{
	fired[count++] = timer;
}

unsigned int loop_count(void)
{
	return count - taken;
}

/* In their order.  The loop runs only when all were taken. */
unsigned int loop_take(unsigned int *timers, unsigned int room)
{
	unsigned int i;

	for (i = 0; i < room && taken < count; i++)
		timers[i] = fired[taken++];
	if (taken == count) {
		taken = 0;
		count = 0;
	}
	return i;
}
