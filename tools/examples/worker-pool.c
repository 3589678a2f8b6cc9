// SPDX-License-Identifier: MIT
/*
 * Jobs that are due at some time, and a pool of worker processes that does them.
 * No job is lost when a worker dies with it in hand: it was not acknowledged, so
 * another worker gets it.
 *
 * Each worker has a descriptor, and so a reader, of its own.  The parent must not
 * keep a copy of it, else the death of the worker would not close it.
 *
 * A worker may die after it did a job and before it could acknowledge it.  Then
 * the job is done once more; attempt tells so.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <twheel.h>

#define WORKERS		4
#define MS		1000000ULL

static int fd;
static unsigned int lethal;	/* The first worker that gets this job dies of it. */
static unsigned int killed;	/* Workers so far. */

static void work(unsigned int number, const struct twheel_event *job)
{
	if (job->id == lethal && job->attempt == 1)
		raise(SIGKILL);
	printf("job %llu: done by worker %u, attempt %u\n", job->id, number, job->attempt);
}

/* One job at a time, so that others are not held up by this one. */
static void run_worker(unsigned int number, int reader)
{
	struct twheel_event job;
	int got;

	while ((got = twheel_read(reader, &job, 1)) > 0) {
		work(number, &job);
		/* Too late if it took longer than the lease: somebody else has it. */
		if (twheel_ack_event(reader, &job) == -ESTALE)
			printf("job %llu: worker %u was late\n", job.id, number);
	}
	exit(got < 0);
}

static pid_t start_worker(unsigned int number)
{
	int reader = twheel_reader_open(fd, 0);
	pid_t pid;

	if (reader < 0)
		errx(1, "reader: %s", strerror(-reader));
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		close(fd);
		run_worker(number, reader);
	}
	close(reader);
	return pid;
}

static void open_instance(void)
{
	struct twheel_setup setup = {
		.flags = TWHEEL_CONTROL,
		.delivery = TWHEEL_AT_LEAST_ONCE,
		.lease_ns = 60000 * MS,
		.max_attempts = 5,
	};
	int ret;

	fd = twheel_open(0);
	if (fd < 0)
		errx(1, "/dev/twheel: %s", strerror(-fd));
	ret = twheel_setup(fd, &setup, sizeof(setup));
	if (ret)
		errx(1, "setup: %s", strerror(-ret));
}

static void start_jobs(unsigned int jobs)
{
	unsigned int id;
	int ret;

	for (id = 1; id <= jobs; id++) {
		ret = twheel_start_in(fd, id, id * 2 * MS, 0);
		if (ret < 0)
			errx(1, "job %u: %s", id, strerror(-ret));
	}
}

/* Whether there are jobs that are not done. */
static int are_left(void)
{
	struct twheel_stats stats;
	int ret = twheel_stats(fd, &stats, sizeof(stats));

	if (ret)
		errx(1, "stats: %s", strerror(-ret));
	return stats.timers > stats.dead;
}

/* Whether a worker has ended. */
static int has_ended(pid_t pid, unsigned int number, int options)
{
	int status;
	pid_t ended = waitpid(pid, &status, options);

	if (ended < 0)
		err(1, "waitpid");
	if (!ended)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		errx(1, "worker %u failed", number);
	if (WIFSIGNALED(status)) {
		printf("worker %u was killed\n", number);
		killed++;
	}
	return 1;
}

/* Replaces those that have died, until all is done. */
static void supervise(pid_t *pids)
{
	struct timespec pause = { .tv_nsec = 5 * MS };
	unsigned int i;

	while (are_left()) {
		for (i = 0; i < WORKERS; i++)
			if (has_ended(pids[i], i + 1, WNOHANG))
				pids[i] = start_worker(i + 1);
		nanosleep(&pause, NULL);
	}
}

/* They read the end of file, and end. */
static void stop_workers(const pid_t *pids)
{
	struct twheel_shutdown shutdown = { 0 };
	int ret = twheel_shutdown(fd, &shutdown);
	unsigned int i;

	if (ret)
		errx(1, "shutdown: %s", strerror(-ret));
	for (i = 0; i < WORKERS; i++)
		has_ended(pids[i], i + 1, 0);
}

int main(int argc, char **argv)
{
	unsigned int i, jobs = 20;
	struct twheel_stats stats;
	pid_t pids[WORKERS];

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return printf("usage: %s [JOBS]\n"
			      "Does JOBS (20); a worker is killed in the middle.\n",
			      argv[0]) < 0;
	if (argc > 1)
		jobs = strtoul(argv[1], NULL, 0);
	if (!jobs)
		errx(1, "%s: not a number of jobs", argv[1]);
	/* Whole lines, and nothing that a child would print once more. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	lethal = (jobs + 1) / 2;
	open_instance();
	for (i = 0; i < WORKERS; i++)
		pids[i] = start_worker(i + 1);
	start_jobs(jobs);
	supervise(pids);
	stop_workers(pids);

	if (twheel_stats(fd, &stats, sizeof(stats)))
		errx(1, "stats");
	printf("%llu jobs acknowledged, %llu delivered again, %llu dead, workers killed: %u\n",
	       stats.delivered, stats.redelivered, stats.dead, killed);
	close(fd);
	return 0;
}
