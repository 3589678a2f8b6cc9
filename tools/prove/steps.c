// SPDX-License-Identifier: GPL-2.0
/*
 * The table of module/timer.c in Promela
 */
#include <stdio.h>

#include "timer.c"

#define NAME(prefix, name) \
	[TWHEEL_ ## prefix ## name] = #name

static const char *const states[TWHEEL_STATES] = {
	NAME(, FREE), NAME(, ARMED), NAME(, DUE), NAME(, QUEUED),
	NAME(, DELIVERED), NAME(, DEAD),
};

static const char *const steps[TWHEEL_STEPS] = {
	NAME(STEP_, ARM), NAME(STEP_, STOP), NAME(STEP_, EXPIRE), NAME(STEP_, QUEUE),
	NAME(STEP_, DELIVER), NAME(STEP_, DROP), NAME(STEP_, LEASE), NAME(STEP_, ACK),
	NAME(STEP_, RETURN), NAME(STEP_, BURY), NAME(STEP_, SETTLE),
};

static void print_names(const char *const *names, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		printf("#define %s %d\n", names[i], i);
}

static void print_table(const char *name, bool next)
{
	int state, step, to;

	printf("#define %s(state, step) (0", name);
	for (state = 0; state < TWHEEL_STATES; state++) {
		for (step = 0; step < TWHEEL_STEPS; step++) {
			to = twheel_timer_next(state, step);
			if (to >= 0)
				printf(" + ((state) == %d && (step) == %d) * %d", state, step,
				       next ? to : 1);
		}
	}
	printf(")\n");
}

int main(void)
{
	print_names(states, TWHEEL_STATES);
	print_names(steps, TWHEEL_STEPS);
	print_table("POSSIBLE", false);
	print_table("NEXT", true);
	return 0;
}
