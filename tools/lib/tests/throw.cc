// SPDX-License-Identifier: MIT
/* The library in C++: a callback that throws, and objects that own a timer. */
#include <stdexcept>
#include <twheel_map.h>
#include <unistd.h>

#include "test.h"

namespace {

struct twheel_dispatcher *dispatcher;

/* A session that ends itself, or throws, when it is idle. */
class session : public twheel_action {
public:
	session(bool throws, int *ended) : throws_(throws), ended_(ended)
	{
		twheel_action_init(this, idle);
	}

	~session()
	{
		twheel_action_stop(dispatcher, this);
		++*ended_;
	}

private:
	static void idle(struct twheel_dispatcher *, struct twheel_action *action,
			 const struct twheel_event *)
	{
		session *self = static_cast<session *>(action);

		if (self->throws_)
			throw std::runtime_error("idle");
		delete self;
	}

	bool throws_;
	int *ended_;
};

void exception_loses_nothing()
{
	int ended = 0, caught = 0;
	session *thrower = new session(true, &ended);
	session *others[] = { new session(false, &ended), new session(false, &ended) };

	CHECK_EQ(0, twheel_dispatcher_new(&dispatcher));
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_action_start(dispatcher, thrower, 0));
	await_queued(twheel_dispatcher_fd(dispatcher), 1);
	for (session *other : others)
		CHECK_EQ(TWHEEL_WAS_FREE, twheel_action_start(dispatcher, other, 0));
	await_queued(twheel_dispatcher_fd(dispatcher), 3);
	try {
		twheel_dispatcher_run(dispatcher);
	} catch (const std::runtime_error &) {
		caught++;
	}
	CHECK_EQ(1, caught);
	CHECK_EQ(0, ended);
	CHECK_EQ(2, twheel_dispatcher_run(dispatcher));
	CHECK_EQ(2, ended);
	CHECK_EQ(-ENOENT, twheel_action_stop(dispatcher, thrower));
	delete thrower;
	twheel_dispatcher_free(dispatcher);
}

/* Functions and structures of one name. */
void structures_need_their_keyword_only()
{
	struct twheel_start start = {};
	struct twheel_get get = {};
	int fd = twheel_open(0);

	start.id = get.id = 5;
	start.time_ns = HOUR;
	CHECK_EQ(0, twheel_start(fd, &start));
	CHECK_EQ(0, twheel_get(fd, &get));
	CHECK_EQ(TWHEEL_ARMED, get.state);
	CHECK_EQ(TWHEEL_STOPPED, twheel_stop_id(fd, 5));
	close(fd);
}

void words_are_for_cxx_too()
{
	struct twheel_setup setup = {};
	struct twheel_get get = {};
	uint64_t *words = nullptr;
	int fd = twheel_open(0);

	setup.map_words = 1;
	CHECK_EQ(0, twheel_setup(fd, &setup, sizeof(setup)));
	CHECK_EQ(1, twheel_map(fd, &words));
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_start_mapped(fd, 5, HOUR, 0, 0));
	twheel_touch(words, twheel_now(CLOCK_MONOTONIC));
	get.id = 5;
	CHECK_EQ(0, twheel_get(fd, &get));
	CHECK_EQ(1, get.mapped);
	CHECK_EQ(0, twheel_unmap(words, 1));
	close(fd);
}

const struct test tests[] = {
	TEST(exception_loses_nothing),
	TEST(structures_need_their_keyword_only),
	TEST(words_are_for_cxx_too),
};

}

int main()
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
