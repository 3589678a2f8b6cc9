// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a script.
 *
 * Not stdio, which would keep lines in a buffer that poll() cannot see, and
 * can miss a signal that comes just before it reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "lines.h"

int lines_open(struct lines *lines, const char *name)
{
	bool is_stdin = !strcmp(name, "-");

	*lines = (struct lines){ .fd = STDIN_FILENO };
	if (!is_stdin)
		lines->fd = open(name, O_RDONLY | O_CLOEXEC);
	if (lines->fd < 0)
		return -errno;
	lines->begin = lseek(lines->fd, 0, SEEK_CUR);
	return 0;
}

bool lines_can_rewind(const struct lines *lines)
{
	return lines->begin >= 0;
}

void lines_rewind(struct lines *lines)
{
	lseek(lines->fd, lines->begin, SEEK_SET);
	lines->number = 0;
	lines->eof = false;
	lines->at = 0;
	lines->end = 0;
}

void lines_close(struct lines *lines)
{
	if (lines->fd != STDIN_FILENO)
		close(lines->fd);
}

/* Moves what is left to the front, and reads more behind it. */
static int fill(struct lines *lines)
{
	ssize_t got;
	int ret;

	memmove(lines->buf, lines->buf + lines->at, lines->end - lines->at);
	lines->end -= lines->at;
	lines->at = 0;
	if (lines->end == LINE_SIZE - 1)
		return -E2BIG;
	ret = wait_until(lines->fd, WAIT_FOREVER);
	if (ret < 0)
		return ret;
	got = read(lines->fd, lines->buf + lines->end,
		   LINE_SIZE - 1 - lines->end);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	lines->end += got;
	lines->eof = !got;
	return 0;
}

static char *newline(struct lines *lines)
{
	return memchr(lines->buf + lines->at, '\n', lines->end - lines->at);
}

int lines_next(struct lines *lines, char **line)
{
	size_t len;
	char *end;
	int ret;

	while (!(end = newline(lines)) && !lines->eof) {
		ret = fill(lines);
		if (ret < 0)
			return ret;
	}
	if (!end && lines->at == lines->end)
		return 0;

	*line = lines->buf + lines->at;
	len = end ? (size_t)(end - *line) : lines->end - lines->at;
	(*line)[len] = '\0';
	lines->at += len + !!end;
	lines->number++;
	return strlen(*line) == len ? 1 : -EILSEQ;
}
