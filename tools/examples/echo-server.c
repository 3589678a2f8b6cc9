// SPDX-License-Identifier: MIT
/*
 * A server that closes idle connections, and pays a store per message for it.
 *
 * Each connection has a word of memory that is shared with the instance.  What comes
 * on it is noted there: with the time, which is read once in each turn of the loop.
 * The kernel looks when the timeout is over, about once per timeout and connection,
 * however much is said meanwhile.  Timers are started in batches, those of all
 * connections that were accepted in the same turn, and expiries read in batches.
 *
 * So that there is something to see, a child process plays the clients.  Each says
 * something a few times and then keeps silent; every eighth hangs up instead.
 */
#define _GNU_SOURCE		/* accept4() */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <twheel_map.h>

#define MOST		400		/* connections */
#define IDLE_NS		400000000ULL
#define EVENTS		64		/* that are read at once, of either kind */

/* In data of what epoll tells; others are numbers of connections. */
#define LISTENER	MOST
#define EXPIRIES	(MOST + 1)
#define CLIENTS		(MOST + 2)

static struct connection {
	int fd;				/* 0: not in use */
	unsigned int messages;
} connections[MOST];

static int epoll, listener, timers;
static uint64_t *words;			/* one for each connection */
static struct twheel_batch *starts;
static unsigned int clients = 32, open_connections, idle, hung_up, messages;
static int clients_have_ended;

/* ---- the server */

static void watch(int fd, unsigned int what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = what };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		err(1, "epoll_ctl");
}

static unsigned int unused_number(void)
{
	unsigned int number = 0;

	while (number < MOST && connections[number].fd)
		number++;
	return number;
}

/* The number of a connection is that of its timer, and of its word. */
static void accept_one(int fd)
{
	unsigned int number = unused_number();

	if (number == MOST)
		errx(1, "more than %u connections", MOST);
	connections[number] = (struct connection){ .fd = fd };
	open_connections++;
	watch(fd, number);
	twheel_batch_start_mapped(starts, number, IDLE_NS, 0, number);
}

static void on_connect(void)
{
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
		accept_one(fd);
	if (errno != EAGAIN)
		err(1, "accept");
}

/* In one call for all who have come in this turn. */
static void start_timers(void)
{
	unsigned int i, count = twheel_batch_count(starts);
	int done = twheel_batch_submit(starts, timers);

	if (done < 0)
		errx(1, "start: %s", strerror(-done));
	for (i = 0; i < count; i++)
		if (!twheel_batch_result(starts, i) || twheel_batch_result(starts, i)->error)
			errx(1, "a timer was not started");
	twheel_batch_clear(starts);
}

static void close_connection(struct connection *connection)
{
	close(connection->fd);
	connection->fd = 0;
	open_connections--;
}

static void on_hang_up(unsigned int number)
{
	twheel_stop_id(timers, number);
	close_connection(&connections[number]);
	hung_up++;
}

/* Traffic: the timeout begins anew, by a store. */
static void on_message(unsigned int number, uint64_t now)
{
	struct connection *connection = &connections[number];
	char text[512];
	ssize_t size = recv(connection->fd, text, sizeof(text), 0);

	/* A client that does not take its echoes may go. */
	if (size <= 0 || send(connection->fd, text, size, MSG_NOSIGNAL) != size) {
		on_hang_up(number);
		return;
	}
	twheel_touch(&words[number], now);
	connection->messages++;
	messages++;
}

static void on_idle(const struct twheel_event *expiry)
{
	struct connection *connection = &connections[expiry->id];

	/* The word is when something came last. */
	if (expiry->fired_ns < words[expiry->id] + IDLE_NS)
		errx(1, "connection %llu was closed too early", expiry->id);
	printf("connection %llu: idle after %u messages, closed\n", expiry->id,
	       connection->messages);
	close_connection(connection);
	idle++;
}

static void on_expiries(void)
{
	struct twheel_event expiries[EVENTS];
	int i, count = twheel_read(timers, expiries, EVENTS);

	/* Messages of this turn may have left nothing to be read. */
	if (count < 0 && count != -EAGAIN)
		errx(1, "read: %s", strerror(-count));
	for (i = 0; i < count; i++)
		on_idle(&expiries[i]);
}

/* One turn of the loop, with one look at the clock. */
static void serve(void)
{
	struct epoll_event events[EVENTS];
	int i, count = epoll_wait(epoll, events, EVENTS, -1);
	uint64_t now = twheel_now(CLOCK_MONOTONIC);
	int expired = 0;

	for (i = 0; i < count; i++) {
		if (events[i].data.u32 == LISTENER)
			on_connect();
		else if (events[i].data.u32 == EXPIRIES)
			expired = 1;
		else if (events[i].data.u32 == CLIENTS)
			clients_have_ended = 1;
		else
			on_message(events[i].data.u32, now);
	}
	if (twheel_batch_count(starts))
		start_timers();
	/* After the messages: what these have postponed is not read then. */
	if (expired)
		on_expiries();
}

/* ---- the clients, a process of their own */

static int connect_to(const struct sockaddr_un *address, socklen_t length)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)address, length))
		err(1, "connect");
	return fd;
}

/* A server that was faster may have closed the connection, and does not answer. */
static void hear(int fd, char said)
{
	char heard;

	if (recv(fd, &heard, 1, 0) == 1 && heard != said)
		errx(1, "the echo of %c was %c", said, heard);
}

/* Who has something to say in this turn: client 7 longest. */
static int talks(unsigned int client, unsigned int turn)
{
	return turn <= client % 8;
}

static void talk(const int *fds, unsigned int turn)
{
	const char word = 'a' + turn;
	unsigned int i;

	for (i = 0; i < clients; i++)
		if (talks(i, turn))
			send(fds[i], &word, 1, MSG_NOSIGNAL);
	for (i = 0; i < clients; i++)
		if (talks(i, turn))
			hear(fds[i], word);
}

/* Until the server has closed the last connection. */
static void be_clients(const struct sockaddr_un *address, socklen_t length)
{
	struct timespec pause = { .tv_nsec = IDLE_NS / 4 };
	unsigned int i, turn;
	int fds[MOST];
	char rest;

	for (i = 0; i < clients; i++)
		fds[i] = connect_to(address, length);
	for (turn = 0; turn < 8; turn++) {
		talk(fds, turn);
		nanosleep(&pause, NULL);
	}
	for (i = 7; i < clients; i += 8)
		close(fds[i]);
	for (i = 0; i < clients; i++)
		if (i % 8 != 7 && recv(fds[i], &rest, 1, 0) > 0)
			errx(1, "client %u has heard what it did not say", i);
	exit(0);
}

/* Its end is the end of a pipe that only it can write to. */
static pid_t start_clients(const struct sockaddr_un *address, socklen_t length)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		close(listener);
		be_clients(address, length);
	}
	close(ends[1]);
	watch(ends[0], CLIENTS);
	return pid;
}

/* ---- set-up, and the end */

static void set_up_timers(void)
{
	struct twheel_setup setup = { .map_words = MOST };
	int ret;

	timers = twheel_open(O_NONBLOCK);
	if (timers < 0)
		errx(1, "/dev/twheel: %s", strerror(-timers));
	ret = twheel_setup(timers, &setup, sizeof(setup));
	if (ret)
		errx(1, "setup: %s", strerror(-ret));
	ret = twheel_map(timers, &words);
	if (ret < 0)
		errx(1, "map: %s", strerror(-ret));
	ret = twheel_batch_new(&starts, MOST);
	if (ret)
		errx(1, "%s", strerror(-ret));
	watch(timers, EXPIRIES);
}

/* At an address that the kernel chooses. */
static void set_up_listener(struct sockaddr_un *address, socklen_t *length)
{
	address->sun_family = AF_UNIX;
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener < 0 ||
	    bind(listener, (struct sockaddr *)address, sizeof(address->sun_family)) ||
	    listen(listener, MOST) ||
	    getsockname(listener, (struct sockaddr *)address, length))
		err(1, "listener");
	watch(listener, LISTENER);
}

static void report(void)
{
	struct twheel_stats stats;

	if (twheel_stats(timers, &stats, sizeof(stats)))
		errx(1, "stats");
	printf("%u messages, %llu resets by call, %llu times postponed\n", messages, stats.reset,
	       stats.postponed);
	printf("%u connections: %u closed when idle, %u hung up\n", clients, idle, hung_up);
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = { 0 };
	socklen_t length = sizeof(address);
	int status;
	pid_t pid;

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return printf("usage: %s [CLIENTS]\n"
			      "Echoes what CLIENTS (32) say, and closes those that are idle.\n",
			      argv[0]) < 0;
	if (argc > 1)
		clients = strtoul(argv[1], NULL, 0);
	if (!clients || clients > MOST)
		errx(1, "%s: not a number of clients, 1 to %u", argv[1], MOST);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	set_up_listener(&address, &length);
	pid = start_clients(&address, length);
	set_up_timers();
	while (!clients_have_ended || open_connections)
		serve();
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "the clients have failed");
	report();
	twheel_unmap(words, MOST);
	twheel_batch_free(starts);
	close(timers);
	return idle + hung_up != clients;
}
