/* SPDX-License-Identifier: GPL-2.0 */
/* Calls that are almost right, made from a description of the interface. */
#ifndef TWHEEL_MUTATE_H
#define TWHEEL_MUTATE_H

#include "fuzz.h"

#define MUTATED_REASONS	16
#define MUTATED_HOUR_NS	3600000000000ULL

/* Descriptors that a call may have instead of one of the device. */
enum mutated_descriptor { MUTATED_INSTANCE, MUTATED_CLOSED, MUTATED_NULL, MUTATED_PIPE };

struct mutated_command;

/**
 * struct mutated_call - a call
 * @command: What it was made from.
 * @descriptor: What it is for.
 * @cmd: The number of the command.
 * @arg: The argument.
 * @size: How much there is in @bytes.
 * @mapped: Bytes at @arg that can be read.
 * @read_only: They cannot be written.
 * @aligned: So that @bytes is.
 * @bytes: What is at @arg.
 * @is_command: @cmd is the number of a command.
 * @reasons: How many errors it deserves for certain.
 * @reason: Which; the interface says nothing of their order.
 */
struct mutated_call {
	const struct mutated_command *command;
	enum mutated_descriptor descriptor;
	unsigned int cmd;
	void *arg;
	size_t size;
	size_t mapped;
	bool read_only;
	union {
		__u64 aligned;
		unsigned char bytes[256];
	};
	bool is_command;
	unsigned int reasons;
	int reason[MUTATED_REASONS];
};

/* The call that @seed stands for, in the memory of this thread. */
void mutated_make(struct mutated_call *call, __u64 seed);
/* Its structure is put where its argument points, as far as there is memory. */
void mutated_place(const struct mutated_call *call);
/* The structure there is what was put there. */
bool mutated_is_untouched(const struct mutated_call *call);
/* A delivery that later calls may be about. */
void mutated_remember(const struct twheel_event *event);
void mutated_print(FILE *out, const struct mutated_call *call);

/*
 * Have it rejected by an instance, or if it deserves no error, carried out by another
 * one.  NULL, or the rule that the device broke.
 */
const char *mutated_try(struct mutated_call *call, int fd, __u64 seed,
			struct fuzz_tally *tally);
/* The other instance goes. */
void mutated_end(void);

/* The device, or in the test a fake of it. */
int device_mutated(int fd, const struct mutated_call *call);
/* An instance with these settings; -errno if there is none. */
int device_other(struct twheel_setup *setup);

#endif /* TWHEEL_MUTATE_H */
