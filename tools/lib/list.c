// SPDX-License-Identifier: MIT
/* Listings. */
#include <stdbool.h>

#include "internal.h"

int twheel_list(int fd, struct twheel_list *list)
{
	return twheel_command(fd, TWHEEL_IOC_LIST, list);
}

/* A listing that has not begun has no entries yet, only room for them later. */
static bool ended(const struct twheel_list *list)
{
	return list->entries && !list->more;
}

int twheel_list_next(int fd, struct twheel_list *list, struct twheel_list_entry *entries,
		     unsigned int room)
{
	struct twheel_list page = *list;
	int ret;

	if (ended(list))
		return 0;
	page.entries = (uintptr_t)entries;
	page.room = room;
	do {
		ret = twheel_list(fd, &page);
		if (ret)
			return ret;
		*list = page;
	} while (!page.count && page.more);
	return page.count;
}
