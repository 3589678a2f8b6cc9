// SPDX-License-Identifier: MIT
/* Readers, leases, drain and shutdown: each function, with the device. */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

static int fd;

static bool begin(struct twheel_setup setup)
{
	fd = twheel_open(O_NONBLOCK);
	return CHECK(fd >= 0) && CHECK_EQ(0, twheel_setup(fd, &setup, sizeof(setup)));
}

static bool begin_leased(void)
{
	return begin((struct twheel_setup){
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.lease_ns = HOUR,
		.max_attempts = 2,
	});
}

/* Read once, as always; the settings do not matter. */
static bool begin_plain(void)
{
	return begin((struct twheel_setup){ .queue_len = 8 });
}

static void end(void)
{
	close(fd);
}

/* An expiry of timer 7, read. */
static bool have_one(struct twheel_event *event)
{
	CHECK_EQ(TWHEEL_WAS_FREE, twheel_start_in(fd, 7, 0, 70));
	return await_queued(fd, 1) && CHECK_EQ(1, twheel_read(fd, event, 1));
}

static int state(uint64_t id)
{
	struct twheel_get get = { .id = id };
	int ret = twheel_get(fd, &get);

	return ret ? ret : (int)get.state;
}

static struct twheel_ack ack_of(const struct twheel_event *event)
{
	return (struct twheel_ack){ .id = event->id, .token = event->token };
}

/* ---- settings */

static void settings_of_delivery_and_dispatch(void)
{
	struct twheel_info info;

	begin((struct twheel_setup){
		.flags = TWHEEL_STEAL | TWHEEL_CONTROL,
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.dispatch = TWHEEL_ROUND_ROBIN,
		.lease_ns = 5 * MS,
		.max_attempts = 3,
	});
	CHECK_EQ(0, twheel_info(fd, &info, sizeof(info)));
	CHECK_EQ(TWHEEL_AT_LEAST_ONCE, info.delivery);
	CHECK_EQ(TWHEEL_ROUND_ROBIN, info.dispatch);
	CHECK_EQ(TWHEEL_STEAL | TWHEEL_CONTROL, info.setup_flags);
	CHECK_EQ(5 * MS, info.lease_ns);
	CHECK_EQ(3, info.max_attempts);
	CHECK_EQ(0, info.reader);
	end();
}

static void settings_that_contradict_are_refused(void)
{
	struct twheel_setup setup = { .lease_ns = MS };
	struct twheel_info info;

	begin((struct twheel_setup){ .queue_len = 17 });
	CHECK_EQ(-EINVAL, twheel_setup(fd, &setup, sizeof(setup)));
	CHECK_EQ(0, twheel_info(fd, &info, sizeof(info)));
	CHECK_EQ(17, info.queue_len);
	end();
}

static void control_descriptor_is_no_reader(void)
{
	struct twheel_event event;

	begin((struct twheel_setup){ .flags = TWHEEL_CONTROL });
	CHECK_EQ(-EINVAL, twheel_read(fd, &event, 1));
	end();
}

/* ---- leases */

static void acknowledged_timer_is_gone(void)
{
	struct twheel_event event;
	struct twheel_ack ack;

	if (begin_leased() && have_one(&event)) {
		ack = ack_of(&event);
		CHECK_EQ(0, twheel_ack(fd, &ack));
		CHECK_EQ(TWHEEL_FREE, ack.state);
		CHECK_EQ(-ENOENT, state(7));
		CHECK_EQ(-ESTALE, twheel_ack(fd, &ack));
	}
	end();
}

static void rejected_expiry_comes_again_and_then_is_dead(void)
{
	struct twheel_event event;
	struct twheel_ack ack;

	if (begin_leased() && have_one(&event)) {
		ack = ack_of(&event);
		CHECK_EQ(0, twheel_reject(fd, &ack));
		CHECK_EQ(1, twheel_read(fd, &event, 1));
		CHECK_EQ(2, event.attempt);
		CHECK_EQ(-ESTALE, twheel_reject(fd, &ack));
		CHECK_EQ(TWHEEL_DELIVERED, state(7));
		CHECK_EQ(TWHEEL_DEAD, twheel_reject_event(fd, &event));
		CHECK_EQ(TWHEEL_DEAD, state(7));
	}
	end();
}

static void extended_lease_ends_later(void)
{
	struct twheel_event event;
	struct twheel_ack ack;

	if (begin_leased() && have_one(&event)) {
		ack = ack_of(&event);
		ack.lease_ns = 2 * HOUR;
		CHECK_EQ(0, twheel_extend(fd, &ack));
		CHECK(ack.lease_end_ns > now_ns() + HOUR);
		CHECK_EQ(0, twheel_extend_event(fd, &event, HOUR));
		CHECK_EQ(-EINVAL, twheel_extend_event(fd, &event, 0));
		CHECK_EQ(-EINVAL, twheel_extend_event(fd, &event, TWHEEL_LEASE_MAX_NS + 1));
		CHECK_EQ(TWHEEL_FREE, twheel_ack_event(fd, &event));
		CHECK_EQ(-ESTALE, twheel_extend_event(fd, &event, HOUR));
	}
	end();
}

static void nothing_is_acknowledged_at_most_once(void)
{
	struct twheel_event event;

	if (begin_plain() && have_one(&event)) {
		CHECK_EQ(-EINVAL, twheel_ack_event(fd, &event));
		CHECK_EQ(-EINVAL, twheel_reject_event(fd, &event));
		CHECK_EQ(-EINVAL, twheel_extend_event(fd, &event, HOUR));
	}
	end();
}

static void batch_acknowledges_extends_and_rejects(void)
{
	struct twheel_event events[3];
	struct twheel_batch *batch;
	unsigned int id;

	begin_leased();
	for (id = 0; id < 3; id++)
		twheel_start_in(fd, id, 0, 0);
	await_queued(fd, 3);
	CHECK_EQ(3, twheel_read(fd, events, 3));
	CHECK_EQ(0, twheel_batch_new(&batch, 4));
	twheel_batch_ack(batch, &events[0]);
	twheel_batch_extend(batch, &events[1], 2 * HOUR);
	twheel_batch_reject(batch, &events[2]);
	twheel_batch_ack(batch, &events[0]);
	if (CHECK_EQ(4, twheel_batch_submit(batch, fd))) {
		CHECK_EQ(TWHEEL_FREE, twheel_batch_result(batch, 0)->outcome);
		CHECK(twheel_batch_result(batch, 1)->deadline_ns > now_ns() + HOUR);
		CHECK_EQ(0, twheel_batch_result(batch, 2)->error);
		CHECK_EQ(-ESTALE, twheel_batch_result(batch, 3)->error);
	}
	CHECK_EQ(-ENOENT, state(events[0].id));
	CHECK_EQ(TWHEEL_DELIVERED, state(events[1].id));
	CHECK_EQ(1, twheel_read(fd, events, 3));
	CHECK_EQ(2, events[0].attempt);
	twheel_batch_free(batch);
	end();
}

/* ---- readers */

static void second_reader_shares_the_instance(void)
{
	struct twheel_event event;
	struct twheel_info info;
	int other;

	begin((struct twheel_setup){ .dispatch = TWHEEL_SHARED });
	other = twheel_reader_open(fd, TWHEEL_READER_NONBLOCK);
	CHECK_EQ(FD_CLOEXEC, fcntl(other, F_GETFD));
	CHECK_EQ(-EAGAIN, twheel_read(other, &event, 1));
	CHECK_EQ(0, twheel_info(other, &info, sizeof(info)));
	CHECK_EQ(2, info.reader);
	CHECK_EQ(2, info.readers);
	twheel_start_in(fd, 7, 0, 0);
	await_queued(other, 1);
	CHECK_EQ(1, twheel_read(other, &event, 1));
	CHECK_EQ(7, event.id);
	close(other);
	end();
}

static void reader_that_is_refused(void)
{
	struct twheel_reader reader = { .flags = 1U << 31 };

	begin_plain();
	CHECK_EQ(-EOPNOTSUPP, twheel_reader(fd, &reader));
	CHECK_EQ(-EINVAL, twheel_reader_open(fd, TWHEEL_READER_DEAD));
	end();
}

static void closed_reader_gives_back_what_it_had(void)
{
	struct twheel_event event;
	int other;

	begin_leased();
	other = twheel_reader_open(fd, TWHEEL_READER_NONBLOCK);
	twheel_start_in(fd, 7, 0, 0);
	await_queued(fd, 1);
	CHECK_EQ(1, twheel_read(other, &event, 1));
	CHECK_EQ(-EAGAIN, twheel_read(fd, &event, 1));
	CHECK_EQ(-ESTALE, twheel_ack_event(fd, &event));
	close(other);
	CHECK_EQ(1, twheel_read(fd, &event, 1));
	CHECK_EQ(2, event.attempt);
	CHECK_EQ(TWHEEL_FREE, twheel_ack_event(fd, &event));
	end();
}

static void dead_expiries_have_their_reader(void)
{
	struct twheel_event event;
	int dead;

	if (begin_leased() && have_one(&event)) {
		dead = twheel_reader_open(fd, TWHEEL_READER_DEAD | TWHEEL_READER_NONBLOCK);
		CHECK(dead >= 0);
		CHECK_EQ(-EAGAIN, twheel_read(dead, &event, 1));
		twheel_reject_event(fd, &event);
		CHECK_EQ(1, twheel_read(fd, &event, 1));
		CHECK_EQ(TWHEEL_DEAD, twheel_reject_event(fd, &event));
		CHECK_EQ(1, twheel_read(dead, &event, 1));
		CHECK_EQ(TWHEEL_EVENT_DEAD, event.flags);
		CHECK_EQ(TWHEEL_FREE, twheel_ack_event(dead, &event));
		close(dead);
	}
	end();
}

static void send_descriptor(int socket, int sent)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec byte = { .iov_base = "", .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &byte,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);

	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(part), &sent, sizeof(sent));
	CHECK_EQ(1, sendmsg(socket, &message, 0));
}

static int receive_descriptor(int socket)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 }, buffer[1];
	struct iovec byte = { .iov_base = buffer, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &byte,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	int received = -1;

	CHECK_EQ(1, recvmsg(socket, &message, 0));
	if (CHECK(CMSG_FIRSTHDR(&message)))
		memcpy(&received, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(received));
	return received;
}

static void received_descriptor_is_adopted(void)
{
	struct twheel_event event;
	int sockets[2], other;

	begin_plain();
	CHECK_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	other = twheel_reader_open(fd, TWHEEL_READER_NONBLOCK);
	send_descriptor(sockets[0], other);
	close(other);
	other = receive_descriptor(sockets[1]);
	CHECK_EQ(0, fcntl(other, F_GETFD));
	CHECK_EQ(2, twheel_reader_adopt(other));
	CHECK_EQ(FD_CLOEXEC, fcntl(other, F_GETFD));
	CHECK_EQ(-EAGAIN, twheel_read(other, &event, 1));
	close(other);
	close(sockets[0]);
	close(sockets[1]);
	end();
}

static void what_is_not_an_instance_is_not_adopted(void)
{
	int sockets[2];

	CHECK_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	CHECK_EQ(-ENOTTY, twheel_reader_adopt(sockets[0]));
	CHECK_EQ(0, fcntl(sockets[0], F_GETFD));
	CHECK_EQ(-EBADF, twheel_reader_adopt(-1));
	close(sockets[0]);
	close(sockets[1]);
}

static void each_reader_has_counters(void)
{
	struct twheel_stats stats;
	struct twheel_event event;
	int other;

	if (begin_plain() && have_one(&event)) {
		other = twheel_reader_open(fd, 0);
		CHECK_EQ(0, twheel_reader_stats(other, 0, &stats, sizeof(stats)));
		CHECK_EQ(1, stats.reader);
		CHECK_EQ(1, stats.delivered);
		CHECK_EQ(0, twheel_reader_stats(fd, 2, &stats, sizeof(stats)));
		CHECK_EQ(2, stats.reader);
		CHECK_EQ(0, stats.delivered);
		CHECK_EQ(-ENOENT, twheel_reader_stats(fd, 3, &stats, sizeof(stats)));
		close(other);
	}
	end();
}

/* ---- drain and shutdown */

static void drain_takes_what_is_ready(void)
{
	struct twheel_event events[4];
	struct twheel_drain drain = { .events = (uintptr_t)events, .room = 1 };
	unsigned int id;

	begin_plain();
	CHECK_EQ(0, twheel_drain_events(fd, events, 4));
	for (id = 0; id < 3; id++)
		twheel_start_in(fd, id, 0, 0);
	await_queued(fd, 3);
	CHECK_EQ(0, twheel_drain(fd, &drain));
	CHECK_EQ(1, drain.count);
	CHECK_EQ(1, drain.more);
	CHECK_EQ(2, twheel_drain_events(fd, events, 4));
	CHECK_EQ(0, twheel_drain_events(fd, events, 4));
	CHECK_EQ(-EINVAL, twheel_drain_events(fd, events, 0));
	end();
}

static void read_ends_after_shutdown(void)
{
	struct twheel_shutdown shutdown = { 0 };
	struct twheel_event event;

	begin_plain();
	twheel_start_in(fd, 1, 0, 0);
	await_queued(fd, 1);
	twheel_start_in(fd, 2, HOUR, 0);
	CHECK_EQ(0, twheel_shutdown(fd, &shutdown));
	CHECK_EQ(2, shutdown.timers);
	CHECK_EQ(1, shutdown.armed);
	CHECK_EQ(1, shutdown.waiting);
	CHECK_EQ(1, twheel_read(fd, &event, 1));
	CHECK_EQ(0, twheel_read(fd, &event, 1));
	CHECK_EQ(-ESHUTDOWN, twheel_start_in(fd, 3, HOUR, 0));
	CHECK_EQ(-ESHUTDOWN, twheel_reader_open(fd, 0));
	CHECK_EQ(TWHEEL_STOPPED, twheel_stop_id(fd, 2));
	end();
}

static const struct test tests[] = {
	TEST(settings_of_delivery_and_dispatch),
	TEST(settings_that_contradict_are_refused),
	TEST(control_descriptor_is_no_reader),
	TEST(acknowledged_timer_is_gone),
	TEST(rejected_expiry_comes_again_and_then_is_dead),
	TEST(extended_lease_ends_later),
	TEST(nothing_is_acknowledged_at_most_once),
	TEST(batch_acknowledges_extends_and_rejects),
	TEST(second_reader_shares_the_instance),
	TEST(reader_that_is_refused),
	TEST(closed_reader_gives_back_what_it_had),
	TEST(dead_expiries_have_their_reader),
	TEST(received_descriptor_is_adopted),
	TEST(what_is_not_an_instance_is_not_adopted),
	TEST(each_reader_has_counters),
	TEST(drain_takes_what_is_ready),
	TEST(read_ends_after_shutdown),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
