// SPDX-License-Identifier: MIT
/* Objects with a timer in them, see context.h. */
#include "context.h"

struct twheel_dispatcher *dispatcher;
struct context a, b, c;

static void called(struct twheel_dispatcher *from, struct twheel_action *action,
		   const struct twheel_event *event)
{
	struct context *self = (struct context *)action;
	const struct twheel_event copy = *event;

	CHECK(from == dispatcher);
	self->event = copy;
	self->called++;
	if (self->then)
		self->then(self);
	CHECK(!memcmp(&copy, event, sizeof(copy)));
}

void context_init(struct context *context, void (*then)(struct context *self))
{
	memset(context, 0, sizeof(*context));
	twheel_action_init(&context->action, called);
	context->then = then;
}

bool begin(void (*then)(struct context *self))
{
	context_init(&a, then);
	context_init(&b, then);
	context_init(&c, NULL);
	a.other = &b;
	b.other = &a;
	return CHECK_EQ(0, twheel_dispatcher_new(&dispatcher));
}

void end(void)
{
	twheel_dispatcher_free(dispatcher);
	dispatcher = NULL;
}

int fd(void)
{
	return twheel_dispatcher_fd(dispatcher);
}

int run(void)
{
	return twheel_dispatcher_run(dispatcher);
}

int run_one(void)
{
	return await_queued(fd(), 1) ? run() : 0;
}

int start(struct context *context, uint64_t timeout_ns)
{
	return twheel_action_start(dispatcher, &context->action, timeout_ns);
}

int start_every(struct context *context, uint64_t interval_ns)
{
	return twheel_action_start_every(dispatcher, &context->action, interval_ns);
}

int stop(struct context *context)
{
	return twheel_action_stop(dispatcher, &context->action);
}

int reset(struct context *context)
{
	return twheel_action_reset(dispatcher, &context->action);
}

int get(struct context *context, struct twheel_get *get)
{
	*get = (struct twheel_get){ .id = (uintptr_t)&context->action };
	return twheel_get(fd(), get);
}

bool expire_three(void)
{
	uint64_t deadline = now_ns();
	struct context *each[] = { &a, &b, &c };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct twheel_start start = {
			.time_ns = deadline + i * 3 * MS,
			.flags = TWHEEL_ABSTIME,
		};

		CHECK_EQ(TWHEEL_WAS_FREE,
			 twheel_action_start_with(dispatcher, &each[i]->action, &start));
	}
	return await_queued(fd(), 3);
}

bool is_quiet(void)
{
	struct context last;
	bool quiet;

	context_init(&last, NULL);
	start(&last, 10 * MS);
	quiet = CHECK_EQ(1, run_one());
	return CHECK_EQ(1, last.called) && quiet;
}
