/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One JSON object a line on standard output.
 *
 * json_begin() ... json_end(), with the members in between.  Integers are JSON
 * numbers up to 2^64 - 1: a reader has to keep 64 bits of them.
 */
#ifndef TWHEEL_CLI_JSON_H
#define TWHEEL_CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>

/* A quoted string; what is not UTF-8 becomes U+FFFD. */
void json_quote(FILE *file, const char *text);

void json_begin(const char *type);
void json_u64(const char *key, __u64 value);
void json_s64(const char *key, __s64 value);
void json_bool(const char *key, bool value);
void json_string(const char *key, const char *value);
void json_end(void);

#endif /* TWHEEL_CLI_JSON_H */
