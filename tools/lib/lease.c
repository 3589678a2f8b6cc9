// SPDX-License-Identifier: MIT
/* Expiries that have to be acknowledged. */
#include "internal.h"

int twheel_ack(int fd, struct twheel_ack *ack)
{
	return twheel_command(fd, TWHEEL_IOC_ACK, ack);
}

int twheel_reject(int fd, struct twheel_ack *ack)
{
	return twheel_command(fd, TWHEEL_IOC_REJECT, ack);
}

int twheel_extend(int fd, struct twheel_ack *ack)
{
	return twheel_command(fd, TWHEEL_IOC_EXTEND, ack);
}

static struct twheel_ack delivery_of(const struct twheel_event *event)
{
	return (struct twheel_ack){ .id = event->id, .token = event->token };
}

int twheel_ack_event(int fd, const struct twheel_event *event)
{
	struct twheel_ack ack = delivery_of(event);
	int ret = twheel_ack(fd, &ack);

	return ret ? ret : (int)ack.state;
}

int twheel_reject_event(int fd, const struct twheel_event *event)
{
	struct twheel_ack ack = delivery_of(event);
	int ret = twheel_reject(fd, &ack);

	return ret ? ret : (int)ack.state;
}

int twheel_extend_event(int fd, const struct twheel_event *event, uint64_t lease_ns)
{
	struct twheel_ack ack = delivery_of(event);

	ack.lease_ns = lease_ns;
	return twheel_extend(fd, &ack);
}
