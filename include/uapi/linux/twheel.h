/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * twheel - timers by ID behind /dev/twheel
 *
 * Every open of /dev/twheel makes an instance: a private space of 64-bit timer
 * IDs, one clock, one tick, one bounded queue of expiries.  Timers are started,
 * stopped and reset with the ioctls below; read() yields their expiries as whole
 * records of struct twheel_event; poll() says when there are any.
 *
 * READER makes more descriptors of the same instance, so that several threads or
 * processes can share its expiries; SETUP says how.  Each descriptor is a reader
 * of its own, and can be used for all the commands.  The instance is gone with
 * its last descriptor.  SETUP also says whether an expiry is done with when it
 * was read, or only when its reader has acknowledged it.
 *
 * mmap() of a descriptor gives words of memory that the program shares with the
 * instance.  A timer that was started with TWHEEL_MAPPED is postponed by a store
 * to its word, without a call; see TWHEEL_MAPPED.
 *
 * Conventions
 *
 * - All times are nanoseconds on the clock of the instance, in 64 bits.
 * - Success is 0 and results come back in the structure.  When a call fails,
 *   neither the instance nor the structure has changed.  The structure is
 *   probed for writing before anything is done; only a caller that unmaps it
 *   while the call runs can get EFAULT for an operation that was carried out.
 * - A reserved field must be 0 on input and is 0 on output.
 * - Fields marked "out" are ignored on input.
 * - The layout is the same for 32-bit and 64-bit callers.
 *
 * How this header grows
 *
 * - The structures that begin with a size (info, setup, stats) grow at the end.
 *   The caller fills in the sizeof it was compiled with, at least that of
 *   revision 1; the size that is part of the command's number does not count.
 *   A shorter structure than the kernel's is served as far as it goes; a longer
 *   one is accepted when what the kernel does not know is 0 (E2BIG otherwise),
 *   and is filled with 0 there on output.
 * - The other structures are fixed; they have reserved fields for additions.
 *   An addition comes with a new flag, unless 0 in it means what was before.
 *
 * So a program that is newer than the module is told by its first call that
 * asks for something new: E2BIG for a structure that has grown, EOPNOTSUPP for
 * a flag, an operation or a field that was reserved, ENOTTY for a command.
 * twheel_info.abi_revision tells it in advance.
 *
 * Errors, one meaning each
 *
 *	EAGAIN		read: nothing to read, and O_NONBLOCK or RWF_NOWAIT is
 *			set
 *	E2BIG		a size-first structure has non-zero bytes behind what
 *			this kernel knows, or is larger than a page
 *	EBUSY		SETUP after the first timer was started, or after READER
 *			or mmap(); START with TWHEEL_MAPPED of a word that
 *			another timer has
 *	EEXIST		START with TWHEEL_EXCLUSIVE of an ID that is in use
 *	EFAULT		memory that cannot be read or written
 *	EINTR		read: interrupted by a signal before anything was read
 *			(SUBMIT and LIST end early instead, with what was done)
 *	EINVAL		a value that is understood but wrong: a clock, policy or
 *			tick that does not exist, a limit above the module's
 *			cap, an interval below the minimum, a new time for a
 *			reset without TWHEEL_NEW_TIMEOUT, a size-first structure
 *			below its minimal size, a read buffer smaller than a
 *			record; an array that has no or too many entries, is not
 *			aligned to 8 bytes or overlaps the other one, a cursor
 *			that LIST did not give; a command in an io_uring whose
 *			size is not that of its structure; settings that
 *			contradict each other, see struct twheel_setup; a lease
 *			of 0 or above TWHEEL_LEASE_MAX_NS; ACK, REJECT, EXTEND
 *			or a reader of dead expiries where nothing is
 *			acknowledged; SETUP on a descriptor that READER made; a
 *			read on a descriptor that is not a reader; START with
 *			TWHEEL_MAPPED of a word that is not there, or of a
 *			periodic timer; an mmap() that is not of all the words,
 *			shared, writable and not executable
 *	ENOENT		no timer has this ID; STATS: no such reader
 *	ENOMEM		the kernel, or the caller's memory cgroup, is out of
 *			memory
 *	ENOSPC		a limit on the number of timers is reached: that of the
 *			instance, of the user or of the module; or that on IDs
 *			with the same hash, which only IDs get to that were
 *			chosen for it; READER: an instance has
 *			TWHEEL_READERS_MAX of them; SETUP: a limit on the number
 *			of words, of the user or of the module, is reached
 *	ENOTTY		unknown command, or in an io_uring one that does not go
 *			through it
 *	EOPNOTSUPP	an unknown flag or operation, or a field that is not 0
 *			and is reserved, or not used by this operation
 *	EOVERFLOW	a deadline, the end of its slack, or the end of the
 *			interval that begins with it, after the last nanosecond
 *			of the clock (INT64_MAX)
 *	ESHUTDOWN	START, RESET or READER after SHUTDOWN
 *	ESTALE		ACK, REJECT or EXTEND of a delivery that is not, or no
 *			longer, in the hands of this reader
 *
 * READER also fails as open() does when there is no descriptor left: EMFILE or
 * ENFILE.
 */
#ifndef _UAPI_LINUX_TWHEEL_H
#define _UAPI_LINUX_TWHEEL_H

#include <linux/const.h>
#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * TWHEEL_ABI_REVISION - revision of this header
 *
 * Goes up by one with each addition.  What was published keeps its meaning.
 */
#define TWHEEL_ABI_REVISION	4

/**
 * TWHEEL_SUBMIT_MAX - operations that one SUBMIT takes at most
 */
#define TWHEEL_SUBMIT_MAX	65536
/**
 * TWHEEL_LIST_MAX - entries that one LIST has room for at most
 */
#define TWHEEL_LIST_MAX		65536
/**
 * TWHEEL_DRAIN_MAX - records that one DRAIN has room for at most
 */
#define TWHEEL_DRAIN_MAX	65536
/**
 * TWHEEL_READERS_MAX - readers that an instance has at most
 */
#define TWHEEL_READERS_MAX	64
/**
 * TWHEEL_LEASE_MAX_NS - longest lease: a week
 */
#define TWHEEL_LEASE_MAX_NS	604800000000000ULL

/**
 * enum twheel_overflow - what happens to an expiry that finds the queue full
 * @TWHEEL_HOLD: It waits in its own timer, in order, and moves into the queue
 *	as readers make room.  Nothing is lost.  The default.
 * @TWHEEL_DROP_NEWEST: It is dropped; the queue stays as it is.
 * @TWHEEL_DROP_OLDEST: The oldest expiry in the queue is dropped for it.
 *
 * A dropped expiry is counted in the next record of the stream, and leaves a
 * gap in the sequence numbers.  The dropped timer goes on as if its expiry had
 * been read: a one-shot timer is gone, a periodic one runs on.
 */
enum twheel_overflow {
	TWHEEL_HOLD		= 0,
	TWHEEL_DROP_NEWEST	= 1,
	TWHEEL_DROP_OLDEST	= 2
};

/**
 * enum twheel_delivery - when an expiry is done with
 * @TWHEEL_AT_MOST_ONCE: When it was read.  The default.
 * @TWHEEL_AT_LEAST_ONCE: When its reader has acknowledged it with ACK.  Until
 *	then it is under a lease.  If the lease runs out, or the reader gives it
 *	back with REJECT, or closes the last reference to its descriptor or dies,
 *	the expiry is delivered again, before younger ones, with twheel_event.attempt
 *	one higher.  When it was delivered twheel_setup.max_attempts times, it is
 *	dead instead.
 */
enum twheel_delivery {
	TWHEEL_AT_MOST_ONCE	= 0,
	TWHEEL_AT_LEAST_ONCE	= 1
};

/**
 * enum twheel_dispatch - which reader gets an expiry
 * @TWHEEL_SHARED: Whoever reads first: all readers read from one queue.  The
 *	default.
 * @TWHEEL_ROUND_ROBIN: One reader after the other in turn.  A reader whose queue
 *	is full is left out.
 * @TWHEEL_BY_ID: The one whose place is the ID modulo the number of readers;
 *	places are in the order in which the readers came.  When readers come, what
 *	is queued already stays where it is; when one leaves, only what it had
 *	moves.
 * @TWHEEL_BROADCAST: Every reader gets each.
 *
 * But for TWHEEL_SHARED each reader has a queue of twheel_setup.queue_len of its
 * own.  What a reader that leaves had in its queue, and under its leases, is
 * dealt out again to the others.  While there is no reader, expiries wait for
 * one, under the overflow policy.
 */
enum twheel_dispatch {
	TWHEEL_SHARED		= 0,
	TWHEEL_ROUND_ROBIN	= 1,
	TWHEEL_BY_ID		= 2,
	TWHEEL_BROADCAST	= 3
};

/**
 * enum twheel_state - where a timer is in its life
 * @TWHEEL_FREE: No timer has this ID.
 * @TWHEEL_ARMED: It waits for its deadline.
 * @TWHEEL_DUE: It has expired, and waits for room in a queue, or to be delivered
 *	again.
 * @TWHEEL_QUEUED: It has expired, and its expiry is in a queue.
 * @TWHEEL_DELIVERED: Its expiry was read and is under a lease.
 * @TWHEEL_DEAD: Its expiry was delivered as often as it may be, and was never
 *	acknowledged.
 */
enum twheel_state {
	TWHEEL_FREE	= 0,
	TWHEEL_ARMED	= 1,
	TWHEEL_DUE	= 2,
	TWHEEL_QUEUED	= 3,
	TWHEEL_DELIVERED = 4,
	TWHEEL_DEAD	= 5
};

/**
 * enum twheel_outcome - what a start, stop or reset did to the earlier arming
 * @TWHEEL_WAS_FREE: There was none: the ID was not in use (start only).
 * @TWHEEL_STOPPED: It was stopped before it expired.
 * @TWHEEL_WITHDREW: It had expired; its unread expiry was withdrawn and will
 *	not be read.  With TWHEEL_BROADCAST: by those who had not read it yet.
 * @TWHEEL_WAS_DELIVERED: It had expired, and its expiry was read, maybe more than
 *	once, but not acknowledged.  It will not be read again, and acknowledging
 *	it fails with ESTALE.
 * @TWHEEL_WAS_DEAD: It had expired, and its expiry was dead.
 *
 * A call that comes too late, because the expiry of a one-shot timer was
 * already read or dropped, finds no timer: stop and reset fail with ENOENT,
 * start reports TWHEEL_WAS_FREE.
 */
enum twheel_outcome {
	TWHEEL_WAS_FREE	= 0,
	TWHEEL_STOPPED	= 1,
	TWHEEL_WITHDREW	= 2,
	TWHEEL_WAS_DELIVERED = 3,
	TWHEEL_WAS_DEAD	= 4
};

/**
 * define TWHEEL_ABSTIME - the time given is a deadline on the instance's clock
 *
 * For start and reset.  Without it the time is a timeout that runs from now.
 * A deadline that has passed expires at once.
 */
#define TWHEEL_ABSTIME		(1U << 0)
/**
 * define TWHEEL_EXCLUSIVE - fail with EEXIST if the ID is in use
 *
 * For start.
 */
#define TWHEEL_EXCLUSIVE	(1U << 1)
/**
 * define TWHEEL_NEW_TIMEOUT - a reset brings a new time
 *
 * For reset.  Without it the timer runs again with the timeout that it had.
 */
#define TWHEEL_NEW_TIMEOUT	(1U << 2)
/**
 * define TWHEEL_MAPPED - the timer has a word, and a store to it is a reset
 *
 * For start, of a one-shot timer.  The word holds the time of the last activity,
 * in ns on the clock of the instance.  The effective deadline of the timer is its
 * deadline, or the word plus its timeout, whichever is later.  The start itself
 * sets the word to now.
 *
 * The kernel looks at the word when the timer is due: if the effective deadline
 * is later, the timer runs on, and there is no expiry.  It looks again when the
 * expiry is about to be handed to a reader: a store that was made before the
 * read() began withdraws it, as a reset would have.  The generation stays.  A
 * timeout of 0, that of a deadline which had passed, is not postponed.
 *
 * Whatever is in the word can only postpone.  A value in the future, or none that
 * makes sense, is taken as now at the moment of looking.
 */
#define TWHEEL_MAPPED		(1U << 3)

/**
 * struct twheel_info - limits and settings
 * @size: In: sizeof(struct twheel_info) of the caller.  Out: that of the
 *	kernel.
 * @flags: Must be 0.
 * @abi_revision: Out: TWHEEL_ABI_REVISION of the module.
 * @event_size: Out: bytes in a record that read() yields.
 * @tick_shift: Out: a tick of this instance lasts 2^tick_shift ns.
 * @tick_shift_min: Out: smallest value that SETUP takes.
 * @tick_shift_max: Out: largest value that SETUP takes.
 * @clock: Out: clock of this instance, as in clock_gettime(2).
 * @overflow: Out: policy of this instance, one of enum twheel_overflow.
 * @queue_len: Out: expiries that the queue of this instance holds.
 * @queue_len_max: Out: largest value that SETUP takes.
 * @reserved: Out: 0.
 * @max_timers: Out: timers that this instance holds at most.
 * @max_timers_max: Out: largest value that SETUP takes.
 * @min_interval_ns: Out: shortest interval of a periodic timer.
 * @submit_max: Out: operations in a SUBMIT.  Since revision 2.
 * @list_max: Out: entries in a LIST.  Since revision 2.
 * @delivery: Out: of this instance, one of enum twheel_delivery.  This and what
 *	follows: since revision 3.
 * @dispatch: Out: of this instance, one of enum twheel_dispatch.
 * @setup_flags: Out: flags of this instance, as SETUP takes them.
 * @max_attempts: Out: of this instance; 0: no limit.
 * @lease_ns: Out: of this instance; 0 with TWHEEL_AT_MOST_ONCE.
 * @lease_max_ns: Out: the longest lease.
 * @readers: Out: readers of this instance now, those of dead expiries included.
 * @readers_max: Out: how many an instance can have.
 * @reader: Out: number of this descriptor's reader, from 1; unique in the
 *	instance.  0: it is not a reader.
 * @reader_flags: Out: what READER was given for this descriptor.
 * @map_words: Out: words of this instance that timers can have; mmap() gives
 *	them.  This and what follows: since revision 4.
 * @map_words_max: Out: largest value that SETUP takes.
 *
 * Before SETUP and the first start, the settings are those that a start would
 * give the instance.
 */
struct twheel_info {
	__u32 size;
	__u32 flags;
	__u32 abi_revision;
	__u32 event_size;
	__u32 tick_shift;
	__u32 tick_shift_min;
	__u32 tick_shift_max;
	__u32 clock;
	__u32 overflow;
	__u32 queue_len;
	__u32 queue_len_max;
	__u32 reserved;
	__aligned_u64 max_timers;
	__aligned_u64 max_timers_max;
	__aligned_u64 min_interval_ns;
	__u32 submit_max;
	__u32 list_max;
	__u32 delivery;
	__u32 dispatch;
	__u32 setup_flags;
	__u32 max_attempts;
	__aligned_u64 lease_ns;
	__aligned_u64 lease_max_ns;
	__u32 readers;
	__u32 readers_max;
	__u32 reader;
	__u32 reader_flags;
	__u32 map_words;
	__u32 map_words_max;
};

/**
 * define TWHEEL_STEAL - an idle reader takes the younger half of the longest queue
 *
 * For SETUP, with TWHEEL_ROUND_ROBIN.  A reader that finds its own queue empty
 * takes them over.
 */
#define TWHEEL_STEAL		(1U << 0)
/**
 * define TWHEEL_CONTROL - the descriptor that opened the instance is no reader
 *
 * For SETUP.  It gets no expiries, and read() on it fails with EINVAL, but it
 * keeps the instance when there are no readers.  DRAIN works on it.
 */
#define TWHEEL_CONTROL		(1U << 1)

/**
 * struct twheel_setup - settings of an instance
 * @size: In: sizeof(struct twheel_setup) of the caller.
 * @flags: TWHEEL_STEAL, TWHEEL_CONTROL.
 * @tick_shift: A tick lasts 2^tick_shift ns.  0: the module's default.
 * @clock: CLOCK_MONOTONIC or CLOCK_BOOTTIME.  0: CLOCK_MONOTONIC.
 * @queue_len: Expiries that the queue holds; at least 1.  0: the module's
 *	default.
 * @overflow: One of enum twheel_overflow.
 * @max_timers: Timers that the instance holds at most.  0: the module's
 *	default.
 * @delivery: One of enum twheel_delivery.  This and what follows: since revision
 *	3.
 * @dispatch: One of enum twheel_dispatch.
 * @lease_ns: TWHEEL_AT_LEAST_ONCE: how long a reader has to acknowledge an
 *	expiry, from 1 to TWHEEL_LEASE_MAX_NS; it ends with the first tick after
 *	that.
 * @max_attempts: TWHEEL_AT_LEAST_ONCE: how often an expiry is delivered before it
 *	is dead.  0: no limit.
 * @map_words: Words of 64 bits that timers can have; mmap() gives them, all 0.
 *	0: none.  Since revision 4.
 *
 * SETUP may be repeated until the first timer was started, the first reader made
 * or the words mapped.  Settings that it does not name go back to their defaults.
 *
 * These contradict each other, and are EINVAL: TWHEEL_AT_LEAST_ONCE without a
 * lease, or with a policy other than TWHEEL_HOLD, or with TWHEEL_BROADCAST;
 * @lease_ns or @max_attempts with TWHEEL_AT_MOST_ONCE; TWHEEL_BROADCAST with
 * TWHEEL_HOLD; TWHEEL_STEAL with any dispatch but TWHEEL_ROUND_ROBIN.
 */
struct twheel_setup {
	__u32 size;
	__u32 flags;
	__u32 tick_shift;
	__u32 clock;
	__u32 queue_len;
	__u32 overflow;
	__aligned_u64 max_timers;
	__u32 delivery;
	__u32 dispatch;
	__aligned_u64 lease_ns;
	__u32 max_attempts;
	__u32 map_words;
};

/**
 * struct twheel_start - start a timer, or start it again
 * @id: The timer; any value.
 * @time_ns: Timeout in ns, or with TWHEEL_ABSTIME a deadline.
 * @interval_ns: 0: a one-shot timer.  Otherwise the timer expires at its first
 *	deadline and every interval after that; at least
 *	twheel_info.min_interval_ns.
 * @data: The expiry action: a word that comes back in every expiry.
 * @flags: TWHEEL_ABSTIME, TWHEEL_EXCLUSIVE, TWHEEL_MAPPED.
 * @outcome: Out: what became of the earlier arming of this ID; one of enum
 *	twheel_outcome.
 * @generation: Out: number of this arming; unique in the instance.
 * @remaining_ns: Out: time that the earlier arming still had; 0 if it had
 *	expired or there was none.
 * @deadline_ns: Out: the deadline.
 * @slack_ns: How much later than its deadline the timer may expire, so that it
 *	can be joined with others; rounded down to whole ticks, at most 2^32 - 1
 *	of them.  0: not at all.  Since revision 2.
 * @word: With TWHEEL_MAPPED: which word, from 0; otherwise it must be 0.  No other
 *	timer of the instance may have it.  Since revision 4.
 *
 * The deadline is rounded up to the tick, never down.  With slack, the tick of
 * the expiry is the one between the deadline and the end of the slack that most
 * other timers with slack would choose as well.  No read() that begins
 * after this call has returned yields an expiry of an earlier arming.
 */
struct twheel_start {
	__aligned_u64 id;
	__aligned_u64 time_ns;
	__aligned_u64 interval_ns;
	__aligned_u64 data;
	__u32 flags;
	__u32 outcome;
	__aligned_u64 generation;
	__aligned_u64 remaining_ns;
	__aligned_u64 deadline_ns;
	__aligned_u64 slack_ns;
	__aligned_u64 word;
};

/**
 * struct twheel_stop - stop a timer and forget it
 * @id: The timer.
 * @flags: Must be 0.
 * @outcome: Out: one of enum twheel_outcome, but not TWHEEL_WAS_FREE.
 * @generation: Out: number of the arming that this ended.
 * @remaining_ns: Out: time that it still had, to its effective deadline; 0 if it
 *	had expired.
 * @data: Out: the timer's data.
 * @reserved: Must be 0.
 *
 * No read() that begins after this call has returned yields an expiry of the
 * timer, and none that was read can be acknowledged.
 */
struct twheel_stop {
	__aligned_u64 id;
	__u32 flags;
	__u32 outcome;
	__aligned_u64 generation;
	__aligned_u64 remaining_ns;
	__aligned_u64 data;
	__aligned_u64 reserved[2];
};

/**
 * struct twheel_reset - postpone a timer: run it again from now
 * @id: The timer.
 * @time_ns: With TWHEEL_NEW_TIMEOUT: its new timeout, or with TWHEEL_ABSTIME
 *	too, its new deadline.  0 otherwise.
 * @flags: TWHEEL_NEW_TIMEOUT, TWHEEL_ABSTIME.
 * @outcome: Out: one of enum twheel_outcome, but not TWHEEL_WAS_FREE.
 * @generation: Out: number of the new arming.
 * @remaining_ns: Out: time that the earlier arming still had; 0 if it had
 *	expired.
 * @deadline_ns: Out: the new deadline.
 * @reserved: Must be 0.
 *
 * The timer keeps its interval, its slack, its data and its word; a periodic timer's grid
 * begins anew at the new deadline.  The timeout of a timer that was started with
 * TWHEEL_ABSTIME is what its deadline was away when it was started.  No read()
 * that begins after this call has returned yields an expiry of an earlier
 * arming.
 */
struct twheel_reset {
	__aligned_u64 id;
	__aligned_u64 time_ns;
	__u32 flags;
	__u32 outcome;
	__aligned_u64 generation;
	__aligned_u64 remaining_ns;
	__aligned_u64 deadline_ns;
	__aligned_u64 reserved[2];
};

/**
 * struct twheel_get - look at a timer
 * @id: The timer.
 * @flags: Must be 0.
 * @state: Out: one of enum twheel_state.
 * @generation: Out: number of its arming.
 * @deadline_ns: Out: its deadline, as asked for; of a periodic timer, that of
 *	its next expiry or of the first one that is unread; of one with a word, its
 *	effective deadline.
 * @remaining_ns: Out: time to the deadline; 0 when it has passed, or the timer
 *	has expired.
 * @timeout_ns: Out: the timeout that a reset would use.
 * @interval_ns: Out: its interval; 0 for a one-shot timer.
 * @data: Out: its data.
 * @slack_ns: Out: its slack, in whole ticks.  Since revision 2.
 * @mapped: Must be 0.  Out: 1 if it has a word.  Since revision 4.
 * @word: Must be 0.  Out: which.  Since revision 4.
 */
struct twheel_get {
	__aligned_u64 id;
	__u32 flags;
	__u32 state;
	__aligned_u64 generation;
	__aligned_u64 deadline_ns;
	__aligned_u64 remaining_ns;
	__aligned_u64 timeout_ns;
	__aligned_u64 interval_ns;
	__aligned_u64 data;
	__aligned_u64 slack_ns;
	__u32 mapped;
	__u32 word;
};

/**
 * enum twheel_opcode - what an operation of a SUBMIT does
 * @TWHEEL_OP_START: What START does.
 * @TWHEEL_OP_STOP: What STOP does.
 * @TWHEEL_OP_RESET: What RESET does.
 * @TWHEEL_OP_GET: What GET does.
 * @TWHEEL_OP_ACK: What ACK does.  This and what follows: since revision 3.
 * @TWHEEL_OP_REJECT: What REJECT does.
 * @TWHEEL_OP_EXTEND: What EXTEND does.
 */
enum twheel_opcode {
	TWHEEL_OP_START	= 1,
	TWHEEL_OP_STOP	= 2,
	TWHEEL_OP_RESET	= 3,
	TWHEEL_OP_GET	= 4,
	TWHEEL_OP_ACK	= 5,
	TWHEEL_OP_REJECT = 6,
	TWHEEL_OP_EXTEND = 7
};

/**
 * struct twheel_op - an operation of a SUBMIT
 * @opcode: One of enum twheel_opcode.
 * @flags: Those of the command.
 * @id: The timer.
 * @time_ns: START, RESET: as in their structures.  EXTEND: twheel_ack.lease_ns.
 * @interval_ns: START: as in struct twheel_start.
 * @data: START: as in struct twheel_start.
 * @slack_ns: START: as in struct twheel_start.
 * @token: ACK, REJECT, EXTEND: as in struct twheel_ack.  Since revision 3.
 * @word: START: as in struct twheel_start.  Since revision 4.
 *
 * What an operation does not use must be 0.
 */
struct twheel_op {
	__u32 opcode;
	__u32 flags;
	__aligned_u64 id;
	__aligned_u64 time_ns;
	__aligned_u64 interval_ns;
	__aligned_u64 data;
	__aligned_u64 slack_ns;
	__aligned_u64 token;
	__aligned_u64 word;
};

/**
 * struct twheel_result - what came of an operation of a SUBMIT
 * @error: 0, or the negative errno that the command would have failed with;
 *	the rest is 0 then.
 * @outcome: START, STOP, RESET: one of enum twheel_outcome.  GET: one of enum
 *	twheel_state.  ACK, REJECT, EXTEND: twheel_ack.state.
 * @generation: START, RESET: number of the new arming.  STOP: of the arming
 *	that this ended.  GET, ACK, REJECT, EXTEND: of its arming.
 * @remaining_ns: Time that the earlier arming still had, GET: that it has.  ACK,
 *	REJECT, EXTEND: 0.
 * @deadline_ns: START, RESET: the new deadline.  GET: its deadline.  EXTEND:
 *	twheel_ack.lease_end_ns.  STOP, ACK, REJECT: 0.
 * @data: STOP, GET: the timer's data.  Otherwise 0.
 * @interval_ns: GET: its interval.  Otherwise 0.
 */
struct twheel_result {
	__s32 error;
	__u32 outcome;
	__aligned_u64 generation;
	__aligned_u64 remaining_ns;
	__aligned_u64 deadline_ns;
	__aligned_u64 data;
	__aligned_u64 interval_ns;
};

/**
 * struct twheel_submit - many operations in one call
 * @ops: Address of @count struct twheel_op, aligned to 8 bytes.
 * @results: Address of @count struct twheel_result, aligned to 8 bytes; must
 *	not overlap @ops.
 * @count: From 1 to TWHEEL_SUBMIT_MAX.
 * @flags: Must be 0.
 * @done: Out: operations that were carried out, and have a result; from 1 to
 *	@count.
 * @reserved: Must be 0.
 * @reserved2: Must be 0.
 *
 * The operations are carried out in order, each as if by its own call, but not
 * as one: others may get in between.  One that fails has its errno in its
 * result, and the next one follows.
 *
 * The call ends early, with success and @done less than @count, when memory of
 * an operation or result cannot be accessed, or a signal is pending.  Results
 * from @done on have no meaning then.  The caller submits the rest again; if its
 * first operation is the one with the bad memory, that fails with EFAULT.
 */
struct twheel_submit {
	__aligned_u64 ops;
	__aligned_u64 results;
	__u32 count;
	__u32 flags;
	__u32 done;
	__u32 reserved;
	__aligned_u64 reserved2[2];
};

/**
 * struct twheel_list_entry - a timer in a listing
 * @id: The timer.
 * @data: Its data.
 * @generation: Number of its arming.
 * @deadline_ns: As in struct twheel_get.
 * @remaining_ns: As in struct twheel_get.
 * @timeout_ns: As in struct twheel_get.
 * @interval_ns: As in struct twheel_get.
 * @slack_ns: As in struct twheel_get.
 * @state: One of enum twheel_state.
 * @attempt: How often its expiry was delivered so far, without being
 *	acknowledged.
 * @mapped: As in struct twheel_get.
 * @word: As in struct twheel_get.
 */
struct twheel_list_entry {
	__aligned_u64 id;
	__aligned_u64 data;
	__aligned_u64 generation;
	__aligned_u64 deadline_ns;
	__aligned_u64 remaining_ns;
	__aligned_u64 timeout_ns;
	__aligned_u64 interval_ns;
	__aligned_u64 slack_ns;
	__u32 state;
	__u32 attempt;
	__u32 mapped;
	__u32 word;
};

/**
 * struct twheel_list - the next page of a listing
 * @entries: Address of room for @room struct twheel_list_entry, aligned to 8
 *	bytes.
 * @room: From 1 to TWHEEL_LIST_MAX.
 * @count: Out: entries in this page.
 * @cursor: In: 0, 0 for the first page, then what the last call left here.
 *	Out: where the next page begins.
 * @more: Out: 1, or 0 if the listing has come to its end.
 * @flags: Must be 0.
 * @reserved: Must be 0.
 *
 * A timer that lives through the whole listing, however often it is reset or
 * started anew meanwhile, is in it exactly once; one that comes or goes
 * meanwhile at most once.  An entry tells the state of its timer at a moment of
 * the call that returned it.  The order has no meaning.
 *
 * A call does a bounded amount of work, and may return fewer entries than there
 * is room for, even none, before the end: only @more tells.  So it does when a
 * signal is pending, or the memory of an entry cannot be written.  It fails with
 * EFAULT, and nothing has changed, if that is so for the first one.
 */
struct twheel_list {
	__aligned_u64 entries;
	__u32 room;
	__u32 count;
	__aligned_u64 cursor[2];
	__u32 more;
	__u32 flags;
	__aligned_u64 reserved[2];
};

/**
 * struct twheel_uring_cmd - a command in an io_uring
 * @arg: Address of the command's structure, as for the ioctl.  It has to stay
 *	until the completion.
 * @size: Its size.
 * @flags: Must be 0.
 *
 * The command area of a submission queue entry with opcode IORING_OP_URING_CMD
 * and the number of START, STOP, RESET, GET, SUBMIT, ACK, REJECT or EXTEND as its
 * cmd_op; others are ENOTTY.  The result of the completion is 0 or the negative errno that the
 * ioctl would have failed with.
 */
struct twheel_uring_cmd {
	__aligned_u64 arg;
	__u32 size;
	__u32 flags;
};

/**
 * struct twheel_ack - acknowledge a delivery, give it back, or prolong its lease
 * @id: The timer: twheel_event.id.
 * @token: The delivery: twheel_event.token.
 * @lease_ns: EXTEND: the lease lasts this long from now, from 1 to
 *	TWHEEL_LEASE_MAX_NS.  ACK, REJECT: must be 0.
 * @lease_end_ns: Out: EXTEND: when the lease ends.  Otherwise 0.
 * @flags: Must be 0.
 * @state: Out: what the timer is in now, one of enum twheel_state.
 * @reserved: Must be 0.
 *
 * For the reader that has the expiry, which is the descriptor that it was read
 * on.  Any other call, and one that comes after the lease has ended, or after the
 * timer was stopped, reset or started again, fails with ESTALE and changes
 * nothing.
 *
 * ACK: a one-shot timer is gone; a periodic one goes on at the next point of its
 * grid.  REJECT: it is delivered again at once, or dead.  Of a dead expiry, ACK
 * has the same effect, and REJECT leaves it dead.
 */
struct twheel_ack {
	__aligned_u64 id;
	__aligned_u64 token;
	__aligned_u64 lease_ns;
	__aligned_u64 lease_end_ns;
	__u32 flags;
	__u32 state;
	__aligned_u64 reserved[2];
};

/**
 * define TWHEEL_READER_NONBLOCK - the descriptor has O_NONBLOCK set
 *
 * For READER.
 */
#define TWHEEL_READER_NONBLOCK	(1U << 0)
/**
 * define TWHEEL_READER_DEAD - the reader gets dead expiries, and no others
 *
 * For READER, with TWHEEL_AT_LEAST_ONCE.  They come under a lease as well, with
 * TWHEEL_EVENT_DEAD; when it ends they are dead as before.  ACK of one is the end
 * of it; START or RESET of its timer runs that again.
 */
#define TWHEEL_READER_DEAD	(1U << 1)

/**
 * struct twheel_reader - make another reader of the instance
 * @flags: TWHEEL_READER_NONBLOCK, TWHEEL_READER_DEAD.
 * @reserved: Must be 0.
 * @reserved2: Must be 0.
 *
 * The call returns a new descriptor, which is closed on exec.  The settings of
 * the instance are fixed from now on.
 */
struct twheel_reader {
	__u32 flags;
	__u32 reserved;
	__aligned_u64 reserved2[3];
};

/**
 * struct twheel_drain - take what is ready, whichever reader it is for
 * @events: Address of room for @room struct twheel_event, aligned to 8 bytes.
 * @room: From 1 to TWHEEL_DRAIN_MAX.
 * @count: Out: records.
 * @more: Out: 1 if something was ready still, otherwise 0.
 * @flags: Must be 0.
 * @reserved: Must be 0.
 *
 * Never waits; @count is 0 if nothing was ready.  The oldest come first; with
 * TWHEEL_BROADCAST one reader's after the other's.  With TWHEEL_AT_LEAST_ONCE
 * they are under leases of this descriptor.  Dead expiries are not among them,
 * but for a reader of them, which gets nothing else.
 *
 * The call ends early when a signal is pending or the memory of a record cannot
 * be written.  It fails with EFAULT, and nothing was taken, if that is so for the
 * first one.
 */
struct twheel_drain {
	__aligned_u64 events;
	__u32 room;
	__u32 count;
	__u32 more;
	__u32 flags;
	__aligned_u64 reserved[2];
};

/**
 * struct twheel_shutdown - let an instance come to its end
 * @flags: Must be 0.
 * @reserved: Must be 0.
 * @timers: Out: timers in the instance now.
 * @armed: Out: of these, those that waited for their deadline.  They do not
 *	expire any more, and can be listed and stopped.
 * @waiting: Out: those whose expiry waits to be read.
 * @in_flight: Out: those whose expiry is under a lease.
 * @dead: Out: those whose expiry is dead.
 * @reserved2: Must be 0.
 *
 * From now on no timer expires or is started.  Readers read what has expired, and
 * what comes back from a lease.  When there is nothing more that could come, read
 * returns 0 and poll says EPOLLHUP.  Doing it again changes nothing.
 */
struct twheel_shutdown {
	__u32 flags;
	__u32 reserved;
	__aligned_u64 timers;
	__aligned_u64 armed;
	__aligned_u64 waiting;
	__aligned_u64 in_flight;
	__aligned_u64 dead;
	__aligned_u64 reserved2[2];
};

/**
 * define TWHEEL_STATS_READER - the counters of one reader
 *
 * For STATS: of the reader with the lowest number that is not below
 * twheel_stats.reader; ENOENT if there is none.
 */
#define TWHEEL_STATS_READER	(1U << 0)

/**
 * struct twheel_stats - counters of an instance, or of a reader
 * @size: In: sizeof(struct twheel_stats) of the caller.  Out: that of the
 *	kernel.
 * @flags: TWHEEL_STATS_READER or 0.
 * @timers: Timers in the instance now, in any state.
 * @armed: Of these, those that wait for their deadline.
 * @started: Starts that succeeded.
 * @reset: Resets that succeeded.
 * @stopped: Stops that succeeded.
 * @expired: Expiries; several missed periods of a periodic timer are one.
 * @delivered: Expiries that were read; with TWHEEL_AT_LEAST_ONCE, that were
 *	acknowledged.
 * @withdrawn: Expiries that a start, stop or reset, or a store to a word, took
 *	back before they were read or acknowledged; with TWHEEL_BROADCAST, also
 *	those that a reader left unread.
 * @dropped: Expiries that the overflow policy dropped.
 * @dead: Expiries that are dead now.  Reader: those that died in its hands.
 * @waiting: Expiries that wait to be read: twheel_stats.queued, and those that
 *	wait for room in a queue, or to be delivered again.
 * @queued: Expiries in queues.
 * @oldest_ns: Age of the oldest expiry that waits in a queue or to be delivered
 *	again; 0 if there is none.
 * @migrated: Timers that moved one level down in the wheel.
 * @passes: Expiry passes.
 * @programmed: Times that the hrtimer was programmed.
 * @in_flight: Expiries that are under a lease.  This and what follows: since
 *	revision 3.
 * @redelivered: Deliveries of an expiry that was delivered before.
 * @rejected: Leases that REJECT ended.
 * @lapsed: Leases that ran out.
 * @stolen: Expiries that an idle reader took from another's queue.  Reader: those
 *	that it took.
 * @passed_on: Instance: 0.  Reader: expiries that went to another reader, or back
 *	to the instance: stolen from it, drained by another one, or not acknowledged
 *	in time.
 * @readers: Instance: readers now, those of dead expiries included.  Reader: 0.
 * @reader: In: with TWHEEL_STATS_READER, a number.  Out: the number of the reader
 *	that this is about; 0: the instance.
 * @shut_down: 1 after SHUTDOWN.
 * @reserved: 0.
 * @postponed: Times that a timer was due, or its expiry about to be read or
 *	dropped, and ran on because of its word.  Since revision 4.
 *
 * Taken under one lock, so at any moment, of an instance and of each reader,
 * expired = delivered + withdrawn + dropped + dead + waiting + in_flight +
 * passed_on.  Here expired is, of a reader, what it was given.  With
 * TWHEEL_BROADCAST each reader's copy counts as an expiry of its own.  With
 * TWHEEL_SHARED an expiry is given to a reader when that reads it.
 *
 * What a reader does not have is 0: twheel_stats.timers, armed, started, reset,
 * stopped, migrated, passes, programmed, postponed.
 */
struct twheel_stats {
	__u32 size;
	__u32 flags;
	__aligned_u64 timers;
	__aligned_u64 armed;
	__aligned_u64 started;
	__aligned_u64 reset;
	__aligned_u64 stopped;
	__aligned_u64 expired;
	__aligned_u64 delivered;
	__aligned_u64 withdrawn;
	__aligned_u64 dropped;
	__aligned_u64 dead;
	__aligned_u64 waiting;
	__aligned_u64 queued;
	__aligned_u64 oldest_ns;
	__aligned_u64 migrated;
	__aligned_u64 passes;
	__aligned_u64 programmed;
	__aligned_u64 in_flight;
	__aligned_u64 redelivered;
	__aligned_u64 rejected;
	__aligned_u64 lapsed;
	__aligned_u64 stolen;
	__aligned_u64 passed_on;
	__u32 readers;
	__u32 reader;
	__u32 shut_down;
	__u32 reserved;
	__aligned_u64 postponed;
};

/**
 * define TWHEEL_EVENT_DROPPED - expiries were dropped just before this one
 *
 * In twheel_event.flags; twheel_event.dropped says how many.
 */
#define TWHEEL_EVENT_DROPPED	(1U << 0)
/**
 * define TWHEEL_EVENT_PERIODIC - the timer is periodic and runs on
 *
 * In twheel_event.flags.
 */
#define TWHEEL_EVENT_PERIODIC	(1U << 1)
/**
 * define TWHEEL_EVENT_DEAD - the expiry is dead
 *
 * In twheel_event.flags, for a reader of dead expiries.
 */
#define TWHEEL_EVENT_DEAD	(1U << 2)

/**
 * struct twheel_event - an expiry, as read() yields it
 * @id: The timer.
 * @data: Its data, as started.
 * @generation: Number of the arming that expired, as start or reset reported
 *	it.
 * @sequence: Number of this record in the stream of its queue, from 1.  The gap to
 *	the record before is @dropped.
 * @deadline_ns: The deadline asked for; of a periodic timer, the first one that
 *	this record reports; of one with a word, the effective deadline.
 * @fired_ns: When it expired; never before @deadline_ns.
 * @expirations: 1; for a periodic timer, the periods that have passed since the
 *	last record.
 * @dropped: Expiries that were dropped between the record before and this one.
 * @attempt: How often this expiry was delivered, this time included.  For a reader
 *	of dead expiries: before it was dead.
 * @flags: TWHEEL_EVENT_DROPPED, TWHEEL_EVENT_PERIODIC, TWHEEL_EVENT_DEAD.
 * @token: TWHEEL_AT_LEAST_ONCE: number of this delivery, which ACK asks for;
 *	unique in the instance.  Otherwise 0.  Since revision 3.
 *
 * An expiry that is delivered again has the id, data, generation and deadline that
 * it had, and a new sequence and token.
 */
struct twheel_event {
	__aligned_u64 id;
	__aligned_u64 data;
	__aligned_u64 generation;
	__aligned_u64 sequence;
	__aligned_u64 deadline_ns;
	__aligned_u64 fired_ns;
	__aligned_u64 expirations;
	__aligned_u64 dropped;
	__u32 attempt;
	__u32 flags;
	__aligned_u64 token;
};

#define TWHEEL_IOC		0xBD

#define TWHEEL_IOC_INFO		_IOWR(TWHEEL_IOC, 0x00, struct twheel_info)
#define TWHEEL_IOC_SETUP	_IOW(TWHEEL_IOC, 0x01, struct twheel_setup)
#define TWHEEL_IOC_STATS	_IOWR(TWHEEL_IOC, 0x02, struct twheel_stats)
#define TWHEEL_IOC_START	_IOWR(TWHEEL_IOC, 0x10, struct twheel_start)
#define TWHEEL_IOC_STOP		_IOWR(TWHEEL_IOC, 0x11, struct twheel_stop)
#define TWHEEL_IOC_RESET	_IOWR(TWHEEL_IOC, 0x12, struct twheel_reset)
#define TWHEEL_IOC_GET		_IOWR(TWHEEL_IOC, 0x13, struct twheel_get)
#define TWHEEL_IOC_SUBMIT	_IOWR(TWHEEL_IOC, 0x14, struct twheel_submit)
#define TWHEEL_IOC_LIST		_IOWR(TWHEEL_IOC, 0x15, struct twheel_list)
#define TWHEEL_IOC_ACK		_IOWR(TWHEEL_IOC, 0x16, struct twheel_ack)
#define TWHEEL_IOC_REJECT	_IOWR(TWHEEL_IOC, 0x17, struct twheel_ack)
#define TWHEEL_IOC_EXTEND	_IOWR(TWHEEL_IOC, 0x18, struct twheel_ack)
#define TWHEEL_IOC_READER	_IOW(TWHEEL_IOC, 0x19, struct twheel_reader)
#define TWHEEL_IOC_DRAIN	_IOWR(TWHEEL_IOC, 0x1A, struct twheel_drain)
#define TWHEEL_IOC_SHUTDOWN	_IOWR(TWHEEL_IOC, 0x1B, struct twheel_shutdown)

#endif /* _UAPI_LINUX_TWHEEL_H */
