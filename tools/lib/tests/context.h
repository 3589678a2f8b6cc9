/* SPDX-License-Identifier: MIT */
/* What the tests of the dispatcher share: objects with a timer in them. */
#ifndef TWHEEL_LIB_CONTEXT_H
#define TWHEEL_LIB_CONTEXT_H

#include "test.h"

/* A context of the caller, with its timer in it. */
struct context {
	struct twheel_action action;
	void (*then)(struct context *self);	/* when it is called */
	struct context *other;
	struct twheel_event event;	/* the last one */
	unsigned int called;
	int result;			/* of what the callback did */
};

extern struct twheel_dispatcher *dispatcher;
extern struct context a, b, c;

void context_init(struct context *context, void (*then)(struct context *self));

/* A dispatcher, and three contexts; what the first two do when called, each with the other. */
bool begin(void (*then)(struct context *self));
void end(void);

int fd(void);
int run(void);
/* Until a callback is called, which it has to be. */
int run_one(void);

int start(struct context *context, uint64_t timeout_ns);
int start_every(struct context *context, uint64_t interval_ns);
int stop(struct context *context);
int reset(struct context *context);
int get(struct context *context, struct twheel_get *get);

/* Expiries of a, b and c, in this order, in the queue. */
bool expire_three(void);
/* Nothing else comes: the next callback is that of a timer started now. */
bool is_quiet(void);

#endif /* TWHEEL_LIB_CONTEXT_H */
