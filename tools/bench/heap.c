// SPDX-License-Identifier: GPL-2.0
/* A binary min-heap in user space; each timer knows its place in it. */
#include "user.h"

struct entry {
	__u64 deadline;
	unsigned int timer;
};

static struct entry *heap;
static unsigned int count;
static unsigned int *places;

static void prepare(unsigned int timers)
{
	user_prepare();
	heap = bench_room(timers, sizeof(*heap));
	places = bench_room(timers, sizeof(*places));
}

static inline void put(unsigned int place, struct entry entry)
{
	heap[place] = entry;
	places[entry.timer] = place;
}

static void sift_up(unsigned int place, struct entry entry)
{
	unsigned int parent;

	while (place) {
		parent = (place - 1) / 2;
		if (heap[parent].deadline <= entry.deadline)
			break;
		put(place, heap[parent]);
		place = parent;
	}
	put(place, entry);
}

static void sift_down(unsigned int place, struct entry entry)
{
	unsigned int child;

	while ((child = 2 * place + 1) < count) {
		if (child + 1 < count && heap[child + 1].deadline < heap[child].deadline)
			child++;
		if (heap[child].deadline >= entry.deadline)
			break;
		put(place, heap[child]);
		place = child;
	}
	put(place, entry);
}

/* @entry is to stand in the place of another one. */
static void replace(unsigned int place, struct entry entry)
{
	if (place && heap[(place - 1) / 2].deadline > entry.deadline)
		sift_up(place, entry);
	else
		sift_down(place, entry);
}

static void start(unsigned int timer, __u64 timeout_ns)
{
	sift_up(count++, (struct entry){ user_now + timeout_ns, timer });
}

static void reset(unsigned int timer, __u64 timeout_ns)
{
	replace(places[timer], (struct entry){ user_now + timeout_ns, timer });
}

static void stop(unsigned int timer)
{
	unsigned int place = places[timer];

	if (place != --count)
		replace(place, heap[count]);
}

static void turn(void)
{
	user_turn(count ? heap[0].deadline : USER_NEVER);
}

static unsigned int expire(unsigned int *timers, unsigned int room)
{
	unsigned int i = 0;

	user_fired();
	while (i < room && count && heap[0].deadline <= user_now) {
		timers[i] = heap[0].timer;
		stop(timers[i++]);
	}
	turn();
	return i;
}

const struct bench_ops bench_heap = {
	.name = "heap",
	.what = "a binary min-heap in user space, with one timerfd",
	.user_space = true,
	.prepare = prepare,
	.start = start,
	.reset = reset,
	.stop = stop,
	.turn = turn,
	.ready = bench_ready,
	.expire = expire,
};
