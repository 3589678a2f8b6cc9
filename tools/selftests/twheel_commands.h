/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Variants of FIXTURE(command), which stands before the inclusion: the commands
 * that are ioctls and go through an io_uring, too, and what is where in their
 * structures.
 */
#ifndef TWHEEL_COMMANDS_H
#define TWHEEL_COMMANDS_H

FIXTURE_VARIANT(command) {
	unsigned int cmd;
	size_t flags_at;
	__u32 known_flags;
	size_t reserved_at;	/* up to the end */
	size_t min_size;	/* of a structure that begins with its size */
};

FIXTURE_VARIANT_ADD(command, start) {
	.cmd = TWHEEL_IOC_START,
	.flags_at = offsetof(struct twheel_start, flags),
	.known_flags = TWHEEL_ABSTIME | TWHEEL_EXCLUSIVE | TWHEEL_MAPPED,
	.reserved_at = offsetof(struct twheel_start, word),
};

FIXTURE_VARIANT_ADD(command, stop) {
	.cmd = TWHEEL_IOC_STOP,
	.flags_at = offsetof(struct twheel_stop, flags),
	.reserved_at = offsetof(struct twheel_stop, reserved),
};

FIXTURE_VARIANT_ADD(command, reset) {
	.cmd = TWHEEL_IOC_RESET,
	.flags_at = offsetof(struct twheel_reset, flags),
	.known_flags = TWHEEL_NEW_TIMEOUT | TWHEEL_ABSTIME,
	.reserved_at = offsetof(struct twheel_reset, reserved),
};

FIXTURE_VARIANT_ADD(command, get) {
	.cmd = TWHEEL_IOC_GET,
	.flags_at = offsetof(struct twheel_get, flags),
	.reserved_at = offsetof(struct twheel_get, mapped),
};

FIXTURE_VARIANT_ADD(command, submit) {
	.cmd = TWHEEL_IOC_SUBMIT,
	.flags_at = offsetof(struct twheel_submit, flags),
	.reserved_at = offsetof(struct twheel_submit, reserved),
};

FIXTURE_VARIANT_ADD(command, ack) {
	.cmd = TWHEEL_IOC_ACK,
	.flags_at = offsetof(struct twheel_ack, flags),
	.reserved_at = offsetof(struct twheel_ack, reserved),
};

FIXTURE_VARIANT_ADD(command, reject) {
	.cmd = TWHEEL_IOC_REJECT,
	.flags_at = offsetof(struct twheel_ack, flags),
	.reserved_at = offsetof(struct twheel_ack, reserved),
};

FIXTURE_VARIANT_ADD(command, extend) {
	.cmd = TWHEEL_IOC_EXTEND,
	.flags_at = offsetof(struct twheel_ack, flags),
	.reserved_at = offsetof(struct twheel_ack, reserved),
};

/* Whether a command is about a delivery. */
static inline bool tw_is_lease_command(unsigned int cmd)
{
	return cmd == TWHEEL_IOC_ACK || cmd == TWHEEL_IOC_REJECT ||
	       cmd == TWHEEL_IOC_EXTEND;
}

/* Have timer 1 in the hands of @fd, and fill in what @cmd has to say of it. */
static inline bool tw_deliver_one(int fd, unsigned int cmd,
				  struct twheel_ack *ack)
{
	struct twheel_setup setup = tw_leased(TW_HOUR, 0);
	struct twheel_event event;

	if (tw_setup(fd, &setup) || !tw_expire(fd, 1) ||
	    tw_read(fd, &event, 1) != 1)
		return false;
	ack->id = event.id;
	ack->token = event.token;
	ack->lease_ns = cmd == TWHEEL_IOC_EXTEND ? TW_HOUR : 0;
	return true;
}

#endif /* TWHEEL_COMMANDS_H */
