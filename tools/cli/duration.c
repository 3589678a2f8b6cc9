// SPDX-License-Identifier: GPL-2.0
/* Durations as people write them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define NS_PER_SEC	1000000000ULL
/* More digits than that do not fit 64 bits. */
#define FRACTION_DIGITS	18

struct unit {
	const char *name;
	__u64 ns;
};

/* Largest first, as they stand in a duration. */
static const struct unit units[] = {
	{ "d",	86400 * NS_PER_SEC },
	{ "h",	3600 * NS_PER_SEC },
	{ "m",	60 * NS_PER_SEC },
	{ "s",	NS_PER_SEC },
	{ "ms",	1000000 },
	{ "us",	1000 },
	{ "ns",	1 },
};

#define NR_UNITS	ARRAY_SIZE(units)

/* A duration while it is read. */
struct reading {
	const char *text;	/* the whole of it */
	const char *at;		/* what is still to be read */
	size_t unit;		/* first unit that may come next */
	__u64 ns;
	int had_fraction;
};

struct number {
	__u64 whole;
	__u64 fraction;		/* numerator of the fraction ... */
	__u64 scale;		/* ... and its denominator */
};

static int too_long(const struct reading *r, struct why *why)
{
	return why_set(why, "'%s' is longer than 64 bits of nanoseconds hold (about 584 years)",
		       r->text);
}

static int read_whole(struct reading *r, struct number *n, struct why *why)
{
	if (!isdigit((unsigned char)*r->at))
		return why_set(why,
			       "'%s' is not a duration; write a number and a unit, such as 250ms or 1h30m",
			       r->text);
	for (; isdigit((unsigned char)*r->at); r->at++) {
		if (__builtin_mul_overflow(n->whole, 10, &n->whole) ||
		    __builtin_add_overflow(n->whole, *r->at - '0', &n->whole))
			return too_long(r, why);
	}
	return 0;
}

static int read_fraction(struct reading *r, struct number *n, struct why *why)
{
	int digits = 0;

	if (*r->at != '.')
		return 0;
	r->had_fraction = 1;
	if (!isdigit((unsigned char)*++r->at))
		return why_set(why, "'%s': there is no digit after the point",
			       r->text);
	for (; isdigit((unsigned char)*r->at); r->at++) {
		if (++digits > FRACTION_DIGITS)
			return why_set(why, "'%s' has more than %d digits after the point",
				       r->text, FRACTION_DIGITS);
		n->fraction = n->fraction * 10 + (*r->at - '0');
		n->scale *= 10;
	}
	return 0;
}

static int unknown_unit(const struct reading *r, const char *name, size_t len,
			struct why *why)
{
	const char *number = r->text;

	if (*name == '.')
		return why_set(why, "'%s' has a number with two points", r->text);
	if (!len)
		return why_set(why, "%s what? write %sms, or another of the units d h m s ms us ns",
			       number, number);
	return why_set(why, "'%.*s' in '%s' is not a unit; there are d h m s ms us ns",
		       (int)len, name, r->text);
}

static int read_unit(struct reading *r, const struct unit **unit,
		     struct why *why)
{
	const char *name = r->at;
	size_t len = 0, i;

	while (name[len] && !isdigit((unsigned char)name[len]) &&
	       name[len] != '.')
		len++;
	for (i = 0; i < NR_UNITS; i++) {
		if (strlen(units[i].name) == len &&
		    !strncmp(units[i].name, name, len))
			break;
	}
	if (i == NR_UNITS)
		return unknown_unit(r, name, len, why);
	if (i < r->unit)
		return why_set(why,
			       "'%s': %s cannot follow; the largest unit comes first, each once",
			       r->text, units[i].name);
	r->unit = i + 1;
	r->at += len;
	*unit = &units[i];
	return 0;
}

static int add_part(struct reading *r, const struct number *n,
		    const struct unit *unit, struct why *why)
{
	unsigned __int128 fraction = (unsigned __int128)unit->ns * n->fraction;
	__u64 ns;

	if (fraction % n->scale)
		return why_set(why, "'%s' is finer than a nanosecond", r->text);
	if (__builtin_mul_overflow(n->whole, unit->ns, &ns) ||
	    __builtin_add_overflow(ns, (__u64)(fraction / n->scale), &ns) ||
	    __builtin_add_overflow(r->ns, ns, &r->ns))
		return too_long(r, why);
	return 0;
}

static int read_part(struct reading *r, struct why *why)
{
	struct number n = { .scale = 1 };
	const struct unit *unit = NULL;

	if (r->had_fraction)
		return why_set(why, "'%s': only the last number may have a fraction",
			       r->text);
	if (read_whole(r, &n, why) || read_fraction(r, &n, why) ||
	    read_unit(r, &unit, why))
		return -1;
	return add_part(r, &n, unit, why);
}

int duration_parse(const char *text, __u64 *ns, struct why *why)
{
	struct reading r = { .text = text, .at = text };

	if (!*text)
		return why_set(why,
			       "the duration is empty; write a number and a unit, such as 250ms");
	if (*text == '-')
		return why_set(why, "'%s': a duration cannot be negative", text);
	do {
		if (read_part(&r, why))
			return -1;
	} while (*r.at);

	*ns = r.ns;
	return 0;
}

static void strip_zeros(char *s)
{
	size_t len = strlen(s);

	while (len && s[len - 1] == '0')
		s[--len] = '\0';
	if (len && s[len - 1] == '.')
		s[len - 1] = '\0';
}

/* Four digits, as many of them after the point as the whole part leaves. */
static void print_short(struct duration_text *out, __u64 ns,
			const struct unit *unit)
{
	__u64 whole = ns / unit->ns;
	int decimals = whole < 10 ? 3 : whole < 100 ? 2 : 1;
	__u64 scale = decimals == 3 ? 1000 : decimals == 2 ? 100 : 10;
	char number[32];

	snprintf(number, sizeof(number), "%llu.%0*llu", whole, decimals,
		 ns % unit->ns * scale / unit->ns);
	strip_zeros(number);
	snprintf(out->s, sizeof(out->s), "%s%s", number, unit->name);
}

static void print_long(struct duration_text *out, __u64 ns)
{
	size_t len = 0;
	size_t i;

	for (i = 0; units[i].ns >= NS_PER_SEC; i++) {
		__u64 n = ns / units[i].ns;

		ns %= units[i].ns;
		if (n)
			len += snprintf(out->s + len, sizeof(out->s) - len,
					"%llu%s", n, units[i].name);
	}
}

struct duration_text duration_text(__u64 ns)
{
	struct duration_text out;
	size_t i = 3;

	if (ns >= 60 * NS_PER_SEC) {
		print_long(&out, ns);
		return out;
	}
	while (i < NR_UNITS - 1 && units[i].ns > ns)
		i++;
	print_short(&out, ns, &units[i]);
	return out;
}

struct duration_text offset_text(__s64 ns)
{
	struct duration_text out;

	if (ns >= 0)
		return duration_text(ns);
	snprintf(out.s, sizeof(out.s), "-%.30s", duration_text(-(__u64)ns).s);
	return out;
}
