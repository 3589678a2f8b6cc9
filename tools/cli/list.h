/* SPDX-License-Identifier: GPL-2.0 */
/* Listings, page by page. */
#ifndef TWHEEL_CLI_LIST_H
#define TWHEEL_CLI_LIST_H

#include "common.h"

/* Room in a page. */
#define ENTRIES	64

typedef void entry_fn(const struct twheel_list_entry *entry, void *arg);

/* Calls @each for all timers of the instance.  0, or -errno. */
int entries_walk(int fd, entry_fn *each, void *arg);

/* Members of an object, and text behind the ID up to the end of the line. */
void entry_json(const struct twheel_list_entry *entry);
void entry_text(const struct twheel_list_entry *entry);

#endif /* TWHEEL_CLI_LIST_H */
