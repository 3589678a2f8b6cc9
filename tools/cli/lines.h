/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of a script that may come in slowly, and may be interrupted. */
#ifndef TWHEEL_CLI_LINES_H
#define TWHEEL_CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define LINE_SIZE	4096

struct lines {
	int fd;
	off_t begin;		/* -1: not seekable */
	unsigned int number;	/* of the line that came last */
	bool eof;
	size_t at;		/* begin of the next line in buf */
	size_t end;		/* end of what was read into buf */
	char buf[LINE_SIZE];
};

/* "-" is standard input.  0, or -errno. */
int lines_open(struct lines *lines, const char *name);
bool lines_can_rewind(const struct lines *lines);
void lines_rewind(struct lines *lines);
void lines_close(struct lines *lines);

/*
 * 1: *line holds the next line, up to the next call; 0: end of the file;
 * -EINTR: a signal was caught; -E2BIG: longer than LINE_SIZE - 1; -EILSEQ:
 * there is a NUL in it; or another -errno.
 */
int lines_next(struct lines *lines, char **line);

#endif /* TWHEEL_CLI_LINES_H */
