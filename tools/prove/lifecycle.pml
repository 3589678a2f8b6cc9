/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The life of a timer under leases: a model of module/lease.c, and of expiry.c,
 * queue.c, pick.c and consumer.c as far as expiries go through them
 *
 * Two timers, of which the second is periodic, a shared queue, two readers;
 * OF_DEAD is the one that reads dead expiries, or NOBODY.  What the module does in
 * one hold of the lock is one step here, a d_step.  There is no time: a deadline
 * may come, and a lease lapse, at any moment.  Generations and tokens are never
 * given out twice, and compared with each other only.  So all that a ticket, or a
 * record that was read, needs to know is whether its number is the LATEST of its
 * timer or an OLD one; runs have no end, and still there are finitely many states.
 *
 * What begins with true_ is no part of the module: it says what is so, for the
 * model to be judged by.
 *
 * With LIVE programs do what they should, see below, and it is asked whether all
 * expiries come to their end.
 */

/* FREE .. DEAD, ARM .. BURY, POSSIBLE(), NEXT(): made of the table in module/timer.c */
#include "steps.h"

#define TIMERS		2
#define PERIODIC	1
#define READERS		2
#define NOBODY		READERS
#define RECORDS		3	/* the last one of each reader, and one that the first kept */
#define KEPT		2
#define QUEUE_LEN	1
#define OLD		1
#define LATEST		2
#define RING		2	/* twice the length of the queue: void tickets */

/* timers */
byte state[TIMERS], attempt[TIMERS];
byte owner[TIMERS] = NOBODY;
bool dead[TIMERS];
/* the places that a timer can be in */
bool in_wheel[TIMERS], in_due[TIMERS], in_returns[TIMERS];
/* The same, where the order counts: 1 is the first, 0 is not in it. */
byte in_dead[TIMERS], in_open[TIMERS];	/* the latter: by when they expired */
/* tickets, the oldest first; those from nr_tickets on are 0 */
byte ticket_id[RING], ticket_generation[RING], nr_tickets, live;
/* readers */
byte nr_held[READERS];
bool ended[READERS], shut;
/* what readers remember of deliveries; no token: nothing */
byte record_id[RECORDS], record_token[RECORDS];

bool true_ticket[RING];		/* the ticket is of an expiry that is in the queue */
bool true_lease[RECORDS];	/* the delivery is in its reader's hands */

hidden byte i, j, from, accepted;

/* There are two timers. */
#define APPEND(list, t) \
	assert(!list[t]); list[t] = 1 + (list[1 - t] > 0)
#define REMOVE(list, t) \
	assert(list[t]); list[t] = 0; list[1 - t] = (list[1 - t] > 0)

/* ---- what is always so when the lock is free */

#define IS_OPEN(t)	(state[t] >= DUE)
#define IS_LEASED(t, r)	(state[t] == DELIVERED && owner[t] == r)
#define HAS_TICKET(t, k)	(true_ticket[k] && ticket_id[k] == t)
#define ANY(what)	(state[0] == what || state[1] == what)
#define FOR_READER(t)	(state[t] == DUE || state[t] == QUEUED || \
			 (state[t] == DELIVERED && !dead[t]))
#define AT_END		(!FOR_READER(0) && !FOR_READER(1))
#define AT_END_OF_DEAD	(!IS_OPEN(0) && !IS_OPEN(1))

inline check_timer(t)
{
	assert(in_wheel[t] == (state[t] == ARMED || state[t] == DELIVERED));
	assert(in_due[t] + in_returns[t] == (state[t] == DUE));
	assert((in_dead[t] > 0) == (state[t] == DEAD));
	assert(HAS_TICKET(t, 0) + HAS_TICKET(t, 1) == (state[t] == QUEUED));
	/* Nothing is lost: what expired is somewhere until it comes to an end. */
	assert((in_open[t] > 0) == IS_OPEN(t));
	assert(attempt[t] <= MAX_ATTEMPTS);
	assert((state[t] == DELIVERED) == (owner[t] != NOBODY));
}

inline check()
{
	check_timer(0);
	check_timer(1);
	assert(live == (state[0] == QUEUED) + (state[1] == QUEUED));
	assert(live <= QUEUE_LEN);
	for (i : 0 .. READERS - 1) {
		assert(nr_held[i] == IS_LEASED(0, i) + IS_LEASED(1, i));
		/* The end of file is for ever. */
		assert(!ended[i] || (i == OF_DEAD -> AT_END_OF_DEAD : AT_END));
		ended[i] = shut && (i == OF_DEAD -> AT_END_OF_DEAD : AT_END);
	}
	i = 0	/* a d_step must not end in a loop */
}

/* twheel_timer_step() */
inline step(t, what)
{
	assert(POSSIBLE(state[t], what));
	state[t] = NEXT(state[t], what)
}

/* ---- lease.c */

inline end_lease(t)
{
	nr_held[owner[t]]--;
	for (i : 0 .. RECORDS - 1) {
		true_lease[i] = true_lease[i] && record_id[i] != t;
	}
}

/* It came back: from who rejected it, who left, or because the lease lapsed. */
inline give_back(t)
{
	in_wheel[t] = false;
	end_lease(t);
	owner[t] = NOBODY;
	if
	:: dead[t] || attempt[t] >= MAX_ATTEMPTS ->
		step(t, BURY);
		dead[t] = true;
		APPEND(in_dead, t)
	:: else ->
		step(t, RETURN);
		in_returns[t] = true
	fi
}

/* What anybody remembers of deliveries of the timer is of older ones. */
inline new_token(t)
{
	for (i : 0 .. RECORDS - 1) {
		if
		:: record_id[i] == t && record_token[i] -> record_token[i] = OLD
		:: else
		fi
	}
}

inline grant(t, r)
{
	/* One reader has it at a time, and nobody what has come to an end. */
	assert(in_open[t]);
	for (i : 0 .. RECORDS - 1) {
		assert(!true_lease[i] || record_id[i] != t);
	}
	step(t, LEASE);
	owner[t] = r;
	new_token(t);
	nr_held[r]++;
	if
	:: dead[t]
	:: else -> attempt[t]++
	fi;
	in_wheel[t] = true;
	record_id[r] = t;
	record_token[r] = LATEST;
	true_lease[r] = true
}

inline forget(k)
{
	record_id[k] = 0;
	record_token[k] = 0;
	true_lease[k] = false
}

#define READER_OF(k)	(k == KEPT -> 0 : k)

#define IS_LEASE(t, by, number) \
	(state[t] == DELIVERED && owner[t] == by && number == LATEST)

/* twheel_lease_is(), which has to be right about every delivery that there was. */
inline judge(k)
{
	i = record_id[k];
	accepted = IS_LEASE(i, READER_OF(k), record_token[k]);
	assert(accepted == true_lease[k]);
	/* Whoever else has heard of the number has no use for it. */
	assert(!IS_LEASE(i, 1 - READER_OF(k), record_token[k]))
}

inline ack(k)
{
	judge(k);
	j = record_id[k];
	forget(k);
	if
	:: accepted ->
		in_wheel[j] = false;
		end_lease(j);
		owner[j] = NOBODY;
		attempt[j] = 0;
		dead[j] = false;
		step(j, ACK);
		REMOVE(in_open, j);
		settle(j)
	:: else
	fi
}

inline reject(k)
{
	judge(k);
	j = record_id[k];
	forget(k);
	if
	:: accepted -> give_back(j)
	:: else
	fi
}

/* ---- arm.c, operate.c, expiry.c */

inline arm(t)
{
	step(t, ARM);
	in_wheel[t] = true
}

/* The next period is the same arming. */
inline settle(t)
{
	if
	:: t == PERIODIC -> arm(t)
	:: else
	fi
}

/* Tickets of the timer that are still in the ring are of older armings. */
inline start(t)
{
	for (i : 0 .. RING - 1) {
		if
		:: i < nr_tickets && ticket_id[i] == t -> ticket_generation[i] = OLD
		:: else
		fi
	}
	arm(t)
}

inline withdraw_ticket(t)
{
	live--;
	for (i : 0 .. RING - 1) {
		true_ticket[i] = true_ticket[i] && ticket_id[i] != t;
	}
}

/* twheel_expiry_disarm(): a stop, or the first half of a reset or start */
inline disarm(t)
{
	from = state[t];
	step(t, STOP);
	if
	:: from == ARMED -> in_wheel[t] = false
	:: from == DELIVERED -> in_wheel[t] = false; end_lease(t)
	:: from == DEAD -> REMOVE(in_dead, t)
	:: from == DUE && in_returns[t] -> in_returns[t] = false
	:: from == DUE && !in_returns[t] -> in_due[t] = false
	:: from == QUEUED -> withdraw_ticket(t)
	fi;
	owner[t] = NOBODY;
	attempt[t] = 0;
	dead[t] = false;
	if
	:: from != ARMED -> REMOVE(in_open, t)
	:: else
	fi
}

inline expire(t)
{
	in_wheel[t] = false;
	step(t, EXPIRE);
	in_due[t] = true;
	APPEND(in_open, t)
}

/* ---- queue.c */

#define GOOD(k)	(state[ticket_id[k]] == QUEUED && \
		 ticket_generation[k] == LATEST)

/* RING is 2. */
inline take_ticket()
{
	ticket_id[0] = ticket_id[1];
	ticket_generation[0] = ticket_generation[1];
	true_ticket[0] = true_ticket[1];
	ticket_id[1] = 0;
	ticket_generation[1] = 0;
	true_ticket[1] = false;
	nr_tickets--
}

/* A full ring has a void ticket, as it is twice as long as the queue. */
inline make_room()
{
	if
	:: nr_tickets < RING
	:: nr_tickets == RING && !GOOD(0) -> take_ticket()
	:: else ->
		assert(!GOOD(1));
		ticket_id[1] = 0;
		ticket_generation[1] = 0;
		nr_tickets--
	fi
}

inline enqueue(t)
{
	make_room();
	step(t, QUEUE);
	in_due[t] = false;
	ticket_id[nr_tickets] = t;
	ticket_generation[nr_tickets] = LATEST;
	true_ticket[nr_tickets] = true;
	nr_tickets++;
	live++
}

/* The first ticket is read, or cleared away. */
inline read_queue(r)
{
	assert(GOOD(0) == true_ticket[0]);
	j = ticket_id[0];
	if
	:: GOOD(0) ->
		take_ticket();
		live--;
		grant(j, r)
	:: else -> take_ticket()
	fi
}

/* ---- pick.c, dispatch.c: the oldest first, and the dead as they died */

#define MAY_QUEUE(t)	(in_due[t] && live < QUEUE_LEN && \
			 (in_open[t] == 1 || !in_due[1 - t]))
#define WAITS(t)	(in_returns[t] || state[t] == QUEUED)
#define IS_NEXT(t)	(in_open[t] == 1 || !WAITS(1 - t))
#define MAY_READ_QUEUE	(nr_tickets && (!GOOD(0) || IS_NEXT(ticket_id[0])))
#define MAY_TAKE(t)	(in_returns[t] && IS_NEXT(t))
#define MAY_TAKE_DEAD(t)	(in_dead[t] == 1)

inline take_returned(t, r)
{
	in_returns[t] = false;
	grant(t, r)
}

inline take_dead(t, r)
{
	REMOVE(in_dead, t);
	grant(t, r)
}

/* ---- who does what */

#define MINE(k)		(record_token[k] && READER_OF(k) == r)
#define IS_KNOWN(t)	(true_lease[0] && record_id[0] == t || \
			 true_lease[1] && record_id[1] == t)

/*
 * LIVE: a timer is started when it is FREE, and left alone.  The reader of expiries
 * answers before it reads on, or forgets what it read, or leaves with it, and then
 * another one comes.  That of dead expiries stays, and acknowledges.  A lease is long
 * enough for those who answer.
 */
#ifdef LIVE
#define MAY_STOP	false
#define MAY_LAPSE(t)	(state[t] == DELIVERED && !IS_KNOWN(t))
#define MAY_READ(r)	(!record_token[r])
#define MAY_REJECT(r)	(r != OF_DEAD)
#define MAY_FORGET(r)	(r != OF_DEAD)
#define MAY_KEEP	false
#define MAY_JOIN	true
#define MAY_LEAVE	(r != OF_DEAD && nr_held[r])
ltl settled {
	[] (in_open[0] -> <> !in_open[0]) && [] (in_open[1] -> <> !in_open[1]) &&
	[] (shut -> <> (ended[0] && ended[1]))
}
#else
#define MAY_STOP	true
#define MAY_LAPSE(t)	(state[t] == DELIVERED)
#define MAY_READ(r)	true
#define MAY_REJECT(r)	true
#define MAY_FORGET(r)	false	/* it reads on, or leaves */
#define MAY_KEEP	true
#define MAY_JOIN	!shut
#define MAY_LEAVE	true
#endif

/* A program, and the wheel; all that may happen to a timer. */
active [TIMERS] proctype timer()
{
	byte t = _pid;

	do
	:: d_step { state[t] == FREE -> start(t); check() }
	:: d_step { MAY_STOP && state[t] != FREE -> disarm(t); start(t); check() }
	:: d_step { MAY_STOP && state[t] != FREE -> disarm(t); check() }
	:: d_step { state[t] == ARMED && !shut -> expire(t); check() }
	:: d_step { MAY_QUEUE(t) -> enqueue(t); check() }
	:: d_step { MAY_LAPSE(t) -> give_back(t); check() }
	:: shut -> break
	od;
	/* The program is done; the wheel and the queue are not. */
end_of_program:
	do
	:: d_step { MAY_QUEUE(t) -> enqueue(t); check() }
	:: d_step { MAY_LAPSE(t) -> give_back(t); check() }
	od
}

active [READERS] proctype reader()
{
	byte r = _pid - TIMERS;

end_join:
	MAY_JOIN;
	do
	:: d_step { r != OF_DEAD && MAY_READ(r) && MAY_READ_QUEUE -> read_queue(r); check() }
	:: d_step { r != OF_DEAD && MAY_READ(r) && MAY_TAKE(0) -> take_returned(0, r); check() }
	:: d_step { r != OF_DEAD && MAY_READ(r) && MAY_TAKE(1) -> take_returned(1, r); check() }
	:: d_step { r == OF_DEAD && MAY_READ(r) && MAY_TAKE_DEAD(0) -> take_dead(0, r); check() }
	:: d_step { r == OF_DEAD && MAY_READ(r) && MAY_TAKE_DEAD(1) -> take_dead(1, r); check() }
	:: d_step { MINE(r) -> ack(r); check() }
	:: d_step { MAY_REJECT(r) && MINE(r) -> reject(r); check() }
	:: d_step { MAY_FORGET(r) && MINE(r) -> forget(r) }
	:: d_step { MINE(KEPT) -> ack(KEPT); check() }
	:: d_step { MINE(KEPT) -> reject(KEPT); check() }
	:: d_step {
		MAY_KEEP && r == 0 && MINE(r) && !record_token[KEPT] ->
		record_id[KEPT] = record_id[r];
		record_token[KEPT] = record_token[r];
		true_lease[KEPT] = true_lease[r]
	   }
	:: ended[r] -> break
	:: MAY_LEAVE -> goto leave
	od;
	goto done;

	/* It was killed, or has closed: what it knew is gone, what it had returns. */
leave:	atomic {
		forget(r);
		if
		:: MINE(KEPT) -> forget(KEPT)
		:: else
		fi
	};
	do
	:: d_step { IS_LEASED(0, r) -> give_back(0); check() }
	:: d_step { IS_LEASED(1, r) -> give_back(1); check() }
	:: d_step { !nr_held[r] -> assert(!IS_LEASED(0, r) && !IS_LEASED(1, r)) } break
	od;
	goto end_join;
done:	skip
}

active proctype shutdown()
{
	if
	:: d_step { shut = true; check() }
	:: true	/* it never comes */
	fi
}
