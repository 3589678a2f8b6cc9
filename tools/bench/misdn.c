// SPDX-License-Identifier: GPL-2.0
/* /dev/mISDNtimer, which numbers its timers itself and finds them by a search. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench.h"

#define ADD	_IOR('I', 64, int)
#define DELETE	_IOR('I', 65, int)
#define MODULE	"mISDN_core.ko"

static int fd;
static int *ids;		/* of a timer; 0: none */
static unsigned int *timers_of;	/* by ID modulo @slots */
static unsigned int slots;

/* Loaded from the directory of the program, if it is not there yet. */
static void load_module(void)
{
	int module = open(MODULE, O_RDONLY | O_CLOEXEC);

	if (module < 0)
		errx(1, "no /dev/mISDNtimer, and no %s in this directory to load", MODULE);
	if (syscall(SYS_finit_module, module, "", 0))
		err(1, "%s", MODULE);
	close(module);
}

static void prepare(unsigned int timers)
{
	if (access("/dev/mISDNtimer", F_OK))
		load_module();
	fd = open("/dev/mISDNtimer", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		err(1, "/dev/mISDNtimer");
	/* IDs count up, also for those that were reset */
	for (slots = 1; slots < 4 * timers; slots *= 2)
		;
	ids = bench_room(timers, sizeof(*ids));
	timers_of = bench_room(slots, sizeof(*timers_of));
	bench_watch(fd);
}

static void start(unsigned int timer, __u64 timeout_ns)
{
	int argument = timeout_ns / 1000000;

	bench_calls++;
	if (ioctl(fd, ADD, &argument))
		err(1, "IMADDTIMER");
	ids[timer] = argument;
	timers_of[argument % slots] = timer;
}

/* Too late, if it has expired: then its expiry will be read nevertheless. */
static void stop(unsigned int timer)
{
	int argument = ids[timer];

	bench_calls++;
	if (ioctl(fd, DELETE, &argument))
		err(1, "IMDELTIMER");
	ids[timer] = 0;
}

static void reset(unsigned int timer, __u64 timeout_ns)
{
	stop(timer);
	start(timer, timeout_ns);
}

static unsigned int expire(unsigned int *timers, unsigned int room)
{
	unsigned int timer, count = 0;
	int id;

	while (count < room) {
		bench_calls++;
		if (read(fd, &id, sizeof(id)) < 0)
			break;
		timer = timers_of[id % slots];
		if (ids[timer] == id)
			timers[count++] = timer;
	}
	return count;
}

const struct bench_ops bench_misdn = {
	.name = "misdn",
	.what = "/dev/mISDNtimer (mISDN_core); a reset is a stop and a start",
	/* those of the kernel's timer wheel expire in the order of seconds */
	.late_ns = 3 * BENCH_SECOND,
	.prepare = prepare,
	.start = start,
	.reset = reset,
	.stop = stop,
	.ready = bench_ready,
	.expire = expire,
};
