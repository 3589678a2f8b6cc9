// SPDX-License-Identifier: MIT
/*
 * A server that closes connections on which nothing has come for a while.
 *
 * The timers of a connection are a part of it, and the dispatcher of all timers
 * is one more descriptor in the epoll loop.  So that there is something to see,
 * a second timer of each connection plays its client, which says something a few
 * times and then keeps silent.
 */
#include <err.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <twheel.h>

#define CLIENTS	4
#define IDLE_NS	200000000ULL

static struct connection {
	struct twheel_action idle, talk;
	int fd, client_fd, messages, to_say;
	uint64_t last_ns;		/* when something came */
} connections[CLIENTS];

static struct twheel_dispatcher *dispatcher;
static int epoll, open_connections;

#define connection_of(action, member)	\
	((struct connection *)((char *)(action) - offsetof(struct connection, member)))

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The timer of a connection has expired.  A connection from malloc() is freed here. */
static void on_idle(struct twheel_dispatcher *d, struct twheel_action *action,
		    const struct twheel_event *event)
{
	struct connection *connection = connection_of(action, idle);

	if (event->fired_ns < connection->last_ns + IDLE_NS)
		errx(1, "a connection was closed too early");
	printf("connection %td: idle after %d messages, closed\n", connection - connections,
	       connection->messages);
	twheel_action_stop(d, &connection->talk);
	close(connection->fd);
	close(connection->client_fd);
	open_connections--;
}

static void on_talk(struct twheel_dispatcher *d, struct twheel_action *action,
		    const struct twheel_event *event)
{
	struct connection *connection = connection_of(action, talk);

	send(connection->client_fd, &event->sequence, 1, MSG_NOSIGNAL);
	if (!--connection->to_say)
		twheel_action_stop(d, action);
}

/* Traffic: the timeout begins anew. */
static void on_message(struct connection *connection)
{
	char message;

	if (read(connection->fd, &message, 1) != 1)
		err(1, "read");
	connection->messages++;
	connection->last_ns = now_ns();
	twheel_action_reset(dispatcher, &connection->idle);
}

static void on_connect(struct connection *connection, const int fd[2], int to_say)
{
	struct epoll_event input = { .events = EPOLLIN, .data.ptr = connection };

	*connection = (struct connection){ .fd = fd[0], .client_fd = fd[1], .to_say = to_say };
	connection->last_ns = now_ns();
	twheel_action_init(&connection->idle, on_idle);
	twheel_action_init(&connection->talk, on_talk);
	if (twheel_action_start(dispatcher, &connection->idle, IDLE_NS) < 0 ||
	    twheel_action_start_every(dispatcher, &connection->talk, IDLE_NS / 2) < 0 ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, connection->fd, &input))
		errx(1, "cannot take another connection");
	open_connections++;
}

int main(int argc, char **argv)
{
	struct epoll_event events[16], expiries = { .events = EPOLLIN };
	int i, count, fd[2];

	if (argc > 1)
		return printf("usage: %s: closes %d idle connections\n", argv[0], CLIENTS) < 0;
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (twheel_dispatcher_new(&dispatcher) ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, twheel_dispatcher_fd(dispatcher), &expiries))
		errx(1, "cannot use /dev/twheel");
	for (i = 0; i < CLIENTS && !socketpair(AF_UNIX, SOCK_STREAM, 0, fd); i++)
		on_connect(&connections[i], fd, i + 1);
	while (open_connections) {
		count = epoll_wait(epoll, events, 16, -1);
		for (i = 0; i < count; i++)
			if (events[i].data.ptr)
				on_message(events[i].data.ptr);
		/* last, so that a connection on which something came is not idle */
		if (twheel_dispatcher_run(dispatcher) < 0)
			errx(1, "cannot read expiries");
	}
	twheel_dispatcher_free(dispatcher);
	return 0;
}
