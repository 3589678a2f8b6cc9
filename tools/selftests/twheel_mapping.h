/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fixture of the self tests of mappings
 */
#ifndef TWHEEL_MAPPING_H
#define TWHEEL_MAPPING_H

#include "twheel_sys.h"
#include "twheel_words.h"

/* Two pages and a bit, so that the last one is not full. */
#define WORDS		1100
#define PAGE		4096
#define SIZE		(3 * PAGE)
#define TIMEOUT		(2 * TW_MS)

FIXTURE(map) {
	int fd;
	__u64 *word;
	struct twheel_event event[4];
	struct twheel_stats stats;
	struct tw_snapshot before;
};

FIXTURE_SETUP(map)
{
	struct twheel_setup none = { 0 };

	ASSERT_EQ(PAGE, sysconf(_SC_PAGESIZE));
	self->fd = tw_with_words(WORDS, none);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, tw_nonblock(self->fd));
}

FIXTURE_TEARDOWN(map)
{
	if (self->word)
		munmap(self->word, SIZE);
	if (self->fd >= 0)
		close(self->fd);
}

static inline bool map_words(struct _test_data_map *self)
{
	self->word = tw_map(self->fd, WORDS);
	return self->word;
}

static inline void close_fd(struct _test_data_map *self)
{
	close(self->fd);
	self->fd = -1;
}

#endif /* TWHEEL_MAPPING_H */
