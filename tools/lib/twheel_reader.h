/* SPDX-License-Identifier: MIT */
/*
 * Several readers, and expiries that they acknowledge: a part of <twheel.h>, which
 * includes it.
 */
#ifndef TWHEEL_READER_H
#define TWHEEL_READER_H

#include <stdint.h>
#include <linux/twheel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- expiries that are acknowledged: lease.c */

/**
 * twheel_ack - acknowledge an expiry
 * @fd: The descriptor that it was read on.
 * @ack: Which; the results come back in it.
 *
 * For instances that were set up with TWHEEL_AT_LEAST_ONCE; the others fail with
 * -EINVAL.
 *
 * Return: 0; -ESTALE if this reader does not have the expiry, or no longer: the
 * lease has ended, or the timer was stopped, reset or started again; -EINVAL,
 * -EOPNOTSUPP.  Thread-safe.
 */
int twheel_ack(int fd, struct twheel_ack *ack);

/**
 * twheel_reject - give an expiry back, to be delivered again
 * @fd: The descriptor that it was read on.
 * @ack: Which; the results come back in it.
 *
 * When it was delivered as often as it may be, it is dead.
 *
 * Return: as twheel_ack().  Thread-safe.
 */
int twheel_reject(int fd, struct twheel_ack *ack);

/**
 * twheel_extend - prolong the lease of an expiry
 * @fd: The descriptor that it was read on.
 * @ack: Which, and how long from now; the results come back in it.
 *
 * Return: as twheel_ack(); also -EINVAL for a lease of 0 or above
 * TWHEEL_LEASE_MAX_NS.  Thread-safe.
 */
int twheel_extend(int fd, struct twheel_ack *ack);

/**
 * twheel_ack_event - twheel_ack() of what was read
 * @fd: The descriptor that it was read on.
 * @event: The expiry.
 *
 * Return: what the timer is in now, one of enum twheel_state; or as
 * twheel_ack().  Thread-safe.
 */
int twheel_ack_event(int fd, const struct twheel_event *event);

/**
 * twheel_reject_event - twheel_reject() of what was read
 * @fd: The descriptor that it was read on.
 * @event: The expiry.
 *
 * Return: as twheel_ack_event().  Thread-safe.
 */
int twheel_reject_event(int fd, const struct twheel_event *event);

/**
 * twheel_extend_event - twheel_extend() of what was read
 * @fd: The descriptor that it was read on.
 * @event: The expiry.
 * @lease_ns: From now, in ns.
 *
 * Return: as twheel_extend().  Thread-safe.
 */
int twheel_extend_event(int fd, const struct twheel_event *event, uint64_t lease_ns);

/* ---- several readers, and the end: reader.c */

/**
 * twheel_reader - make another reader of an instance
 * @fd: The instance: any of its descriptors.
 * @reader: What kind.
 *
 * The new descriptor is closed on exec, and can be used for everything that @fd
 * can.  It may go to another process: by fork(2), or over a Unix socket.  Close
 * it with close(2).
 *
 * Return: a file descriptor; -EINVAL for a reader of dead expiries where nothing
 * is acknowledged; -ENOSPC, -ESHUTDOWN, -EMFILE, -ENFILE, -ENOMEM, -EOPNOTSUPP;
 * -ENOTTY if the module is too old.  Thread-safe.
 */
int twheel_reader(int fd, struct twheel_reader *reader);

/**
 * twheel_reader_open - twheel_reader() with nothing but flags
 * @fd: The instance.
 * @flags: TWHEEL_READER_NONBLOCK, TWHEEL_READER_DEAD.
 *
 * Return: as twheel_reader().  Thread-safe.
 */
int twheel_reader_open(int fd, uint32_t flags);

/**
 * twheel_reader_adopt - take over a descriptor that was received
 * @fd: The descriptor, from a socket or from the program that executed this one.
 *
 * Makes sure that it is an instance, and that exec closes it.  On failure it is
 * as it was, and still to be closed.
 *
 * Return: the number of its reader, from 1; 0 if it is no reader, or the module
 * is too old to have several; -errno if it is not an instance, -ENOTTY for most
 * files.  Thread-safe.
 */
int twheel_reader_adopt(int fd);

/**
 * twheel_drain - take what is ready, whichever reader it is for
 * @fd: The instance: any of its descriptors.
 * @drain: Room; the results come back in it.
 *
 * Return: 0; -EINVAL for a wrong room, -EFAULT; -ENOTTY if the module is too
 * old.  Thread-safe.
 */
int twheel_drain(int fd, struct twheel_drain *drain);

/**
 * twheel_drain_events - twheel_drain() that looks like twheel_read()
 * @fd: The instance.
 * @events: Room for expiries.
 * @count: How many there is room for.
 *
 * Never waits.  Takes TWHEEL_DRAIN_MAX at most.
 *
 * Return: how many were taken, 0 if nothing is ready; or as twheel_drain().
 * Thread-safe.
 */
int twheel_drain_events(int fd, struct twheel_event *events, unsigned int count);

/**
 * twheel_shutdown - let an instance come to its end
 * @fd: The instance: any of its descriptors.
 * @shutdown: Its flags; what is left comes back in it.
 *
 * No timer expires or is started from now on.  Readers read what there is, and
 * then the end of file.
 *
 * Return: 0; -EOPNOTSUPP; -ENOTTY if the module is too old.  Thread-safe.
 */
int twheel_shutdown(int fd, struct twheel_shutdown *shutdown);

#ifdef __cplusplus
}
#endif

#endif /* TWHEEL_READER_H */
