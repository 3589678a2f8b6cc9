/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fixture of the self tests of timers with a word: an instance with one
 * queue, which does not wait, and its words.
 */
#ifndef TWHEEL_MAPPED_H
#define TWHEEL_MAPPED_H

#include "twheel_words.h"

#define WORDS		1000
/* What a test waits for; so short that nobody minds. */
#define TIMEOUT		(2 * TW_MS)
#define ROOM		16

FIXTURE(mapped) {
	int fd;
	__u64 *word;
	struct twheel_event event[ROOM];
	struct twheel_get get;
	struct twheel_stats stats;
	struct tw_snapshot before;
};

static inline bool map_instance(struct _test_data_mapped *self,
				struct twheel_setup setup)
{
	self->fd = tw_with_words(WORDS, setup);
	if (self->fd < 0 || tw_nonblock(self->fd))
		return false;
	self->word = tw_map(self->fd, WORDS);
	return self->word;
}

static inline void unmap_instance(struct _test_data_mapped *self)
{
	if (self->word)
		munmap(self->word, tw_map_size(WORDS));
	if (self->fd >= 0)
		close(self->fd);
	self->word = NULL;
}

static inline bool map_another_instance(struct _test_data_mapped *self,
					struct twheel_setup setup)
{
	unmap_instance(self);
	return map_instance(self, setup);
}

FIXTURE_SETUP(mapped)
{
	struct twheel_setup none = { 0 };

	ASSERT_TRUE(map_instance(self, none));
}

FIXTURE_TEARDOWN(mapped)
{
	unmap_instance(self);
}

#endif /* TWHEEL_MAPPED_H */
