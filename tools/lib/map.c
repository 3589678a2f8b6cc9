// SPDX-License-Identifier: MIT
/* The words that an instance shares with its programs. */
#include <errno.h>
#include <sys/mman.h>

#include "internal.h"

/* In bytes; the kernel makes whole pages of it. */
static size_t length_of(unsigned int count)
{
	return (size_t)count * sizeof(uint64_t);
}

int twheel_map(int fd, uint64_t **words)
{
	struct twheel_info info;
	void *mapping;
	int ret = twheel_info(fd, &info, sizeof(info));

	if (ret)
		return ret;
	if (!info.map_words)
		return -EINVAL;
	mapping = mmap(NULL, length_of(info.map_words), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, fd, 0);
	if (mapping == MAP_FAILED)
		return -errno;
	*words = mapping;
	return info.map_words;
}

int twheel_unmap(uint64_t *words, unsigned int count)
{
	return munmap(words, length_of(count)) ? -errno : 0;
}
