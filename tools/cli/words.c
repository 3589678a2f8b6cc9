// SPDX-License-Identifier: GPL-2.0
/* Words and numbers of a script line, and the sentences about bad ones. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define BLANKS	" \t\r\n\v\f"

int why_set(struct why *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return -1;
}

static int digit_of(char c, unsigned int base)
{
	int digit;

	if (isdigit((unsigned char)c))
		digit = c - '0';
	else if (isalpha((unsigned char)c))
		digit = tolower((unsigned char)c) - 'a' + 10;
	else
		return -1;
	return digit < (int)base ? digit : -1;
}

int number_parse(const char *text, __u64 *value, struct why *why)
{
	unsigned int base = 10;
	const char *at = text;
	__u64 sum = 0;

	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
		base = 16;
		at += 2;
	}
	if (!*at)
		return why_set(why, "'%s' is not a number", text);
	for (; *at; at++) {
		int digit = digit_of(*at, base);

		if (digit < 0)
			return why_set(why,
				       "'%s' is not a number; write decimal or 0x and hexadecimal digits",
				       text);
		if (__builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			return why_set(why,
				       "'%s' is larger than the largest number, 18446744073709551615",
				       text);
	}
	*value = sum;
	return 0;
}

char *word_next(char **rest)
{
	char *word = *rest + strspn(*rest, BLANKS);
	size_t len = strcspn(word, BLANKS);

	if (!*word || *word == '#') {
		*rest = word + strlen(word);
		return NULL;
	}
	*rest = word + len;
	if (**rest)
		*(*rest)++ = '\0';
	return word;
}

char *words_rest(char **rest)
{
	char *text = *rest + strspn(*rest, BLANKS);
	size_t len = strlen(text);

	while (len && strchr(BLANKS, text[len - 1]))
		len--;
	text[len] = '\0';
	*rest = text + len;
	return text;
}
