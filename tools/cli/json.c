// SPDX-License-Identifier: GPL-2.0
/* One JSON object a line on standard output. */
#include "json.h"

static bool continues(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bounds of the second byte: they exclude long forms and surrogates. */
static bool second_fits(unsigned char first, unsigned char second)
{
	switch (first) {
	case 0xe0:
		return second >= 0xa0;
	case 0xed:
		return second < 0xa0;
	case 0xf0:
		return second >= 0x90;
	case 0xf4:
		return second < 0x90;
	default:
		return true;
	}
}

/* Bytes of the UTF-8 character at @s, 0 if it is none. */
static int utf8_length(const unsigned char *s)
{
	int len, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		len = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		len = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		len = 4;
	else
		return 0;
	for (i = 1; i < len; i++) {
		if (!continues(s[i]))
			return 0;
	}
	return second_fits(s[0], s[1]) ? len : 0;
}

static void quote_ascii(FILE *file, unsigned char c)
{
	if (c == '"' || c == '\\')
		fprintf(file, "\\%c", c);
	else if (c < 0x20 || c == 0x7f)
		fprintf(file, "\\u%04x", c);
	else
		putc(c, file);
}

void json_quote(FILE *file, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putc('"', file);
	while (*s) {
		int len = utf8_length(s);

		if (len == 1)
			quote_ascii(file, *s);
		else if (len)
			fwrite(s, 1, len, file);
		else
			fputs("\\ufffd", file);
		s += len ? len : 1;
	}
	putc('"', file);
}

void json_begin(const char *type)
{
	fputs("{\"type\":", stdout);
	json_quote(stdout, type);
}

static void json_key(const char *key)
{
	putchar(',');
	json_quote(stdout, key);
	putchar(':');
}

void json_u64(const char *key, __u64 value)
{
	json_key(key);
	printf("%llu", value);
}

void json_s64(const char *key, __s64 value)
{
	json_key(key);
	printf("%lld", value);
}

void json_bool(const char *key, bool value)
{
	json_key(key);
	fputs(value ? "true" : "false", stdout);
}

void json_string(const char *key, const char *value)
{
	json_key(key);
	json_quote(stdout, value);
}

void json_end(void)
{
	puts("}");
}
