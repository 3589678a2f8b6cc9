// SPDX-License-Identifier: GPL-2.0
/* The words of the instance, in memory. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session.h"

static size_t map_size(__u32 nr)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t size = nr * sizeof(__u64);

	return (size + page - 1) / page * page;
}

int words_map(struct session *s)
{
	__u32 nr = s->info.map_words;
	void *words;

	if (s->words)
		return 0;
	words = mmap(NULL, map_size(nr), PROT_READ | PROT_WRITE, MAP_SHARED,
		     s->fd, 0);
	if (words == MAP_FAILED)
		return -errno;
	s->words = words;
	s->nr_words = nr;
	return 0;
}

void words_unmap(struct session *s)
{
	if (s->words)
		munmap(s->words, map_size(s->nr_words));
	s->words = NULL;
}
