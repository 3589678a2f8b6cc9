// SPDX-License-Identifier: GPL-2.0
/* Pseudo-random numbers: the same ones in each run and for each back end. */
#include "bench.h"

static __u32 state;

void bench_seed(__u32 seed)
{
	state = seed * 2654435761U | 1;
}

/* xorshift32 */
__u32 bench_random(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

/* Fill @numbers with 0 to @count - 1, in random order. */
void bench_shuffle(unsigned int *numbers, unsigned int count)
{
	unsigned int i, other;

	for (i = 0; i < count; i++) {
		other = bench_random() % (i + 1);
		numbers[i] = numbers[other];
		numbers[other] = i;
	}
}
