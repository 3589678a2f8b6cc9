// SPDX-License-Identifier: GPL-2.0
/* What the numbers of the interface are called. */
#include <time.h>

#include "common.h"

const char *clock_text(__u32 clock)
{
	switch (clock) {
	case CLOCK_MONOTONIC:
		return "monotonic";
	case CLOCK_BOOTTIME:
		return "boottime";
	default:
		return "unknown";
	}
}

const char *overflow_text(__u32 overflow)
{
	switch (overflow) {
	case TWHEEL_HOLD:
		return "hold";
	case TWHEEL_DROP_NEWEST:
		return "drop-newest";
	case TWHEEL_DROP_OLDEST:
		return "drop-oldest";
	default:
		return "unknown";
	}
}

const char *delivery_text(__u32 delivery)
{
	switch (delivery) {
	case TWHEEL_AT_MOST_ONCE:
		return "at-most-once";
	case TWHEEL_AT_LEAST_ONCE:
		return "at-least-once";
	default:
		return "unknown";
	}
}

const char *dispatch_text(__u32 dispatch)
{
	switch (dispatch) {
	case TWHEEL_SHARED:
		return "shared";
	case TWHEEL_ROUND_ROBIN:
		return "round-robin";
	case TWHEEL_BY_ID:
		return "by-id";
	case TWHEEL_BROADCAST:
		return "broadcast";
	default:
		return "unknown";
	}
}

const char *setup_flags_text(__u32 flags)
{
	static const char *const names[] = {
		"none", "steal", "control", "steal, control",
	};

	return flags < ARRAY_SIZE(names) ? names[flags] : "unknown";
}

void setup_flags_json(__u32 flags)
{
	json_bool("steal", flags & TWHEEL_STEAL);
	json_bool("control", flags & TWHEEL_CONTROL);
}

const char *state_text(__u32 state)
{
	switch (state) {
	case TWHEEL_FREE:
		return "free";
	case TWHEEL_ARMED:
		return "armed";
	case TWHEEL_DUE:
		return "due";
	case TWHEEL_QUEUED:
		return "queued";
	case TWHEEL_DELIVERED:
		return "delivered";
	case TWHEEL_DEAD:
		return "dead";
	default:
		return "unknown";
	}
}

const char *outcome_text(__u32 outcome)
{
	switch (outcome) {
	case TWHEEL_WAS_FREE:
		return "was-free";
	case TWHEEL_STOPPED:
		return "stopped";
	case TWHEEL_WITHDREW:
		return "withdrew";
	case TWHEEL_WAS_DELIVERED:
		return "was-delivered";
	case TWHEEL_WAS_DEAD:
		return "was-dead";
	default:
		return "unknown";
	}
}
