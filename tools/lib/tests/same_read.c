// SPDX-License-Identifier: MIT
/*
 * A periodic timer that expires again while a read goes on, and so is in what
 * was read more than once.  Only the stand-in for the device can be made to.
 */
#include "context.h"
#include "fake.h"

static void stop_other(struct context *self)
{
	self->result = stop(self->other);
}

/* a expires once, b three times. */
static bool expire_in_read(void (*then)(struct context *self))
{
	if (!begin(then))
		return false;
	start(&a, MS);
	start_every(&b, MS);
	fake.read_ms = 3;
	return await_queued(fd(), 2);
}

static void two_expiries_of_one_read_are_one_call(void)
{
	if (expire_in_read(NULL)) {
		CHECK_EQ(2, run());
		CHECK_EQ(1, b.called);
		CHECK_EQ(4, b.event.expirations);
		CHECK_EQ(TWHEEL_EVENT_PERIODIC, b.event.flags);
	}
	end();
}

static void stop_takes_back_all_of_one_read(void)
{
	if (expire_in_read(stop_other)) {
		CHECK_EQ(1, run());
		CHECK_EQ(TWHEEL_WITHDREW, a.result);
		CHECK(is_quiet());
		CHECK_EQ(0, b.called);
	}
	end();
}

static const struct test tests[] = {
	TEST(two_expiries_of_one_read_are_one_call),
	TEST(stop_takes_back_all_of_one_read),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
