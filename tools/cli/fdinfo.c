// SPDX-License-Identifier: GPL-2.0
/* The lines that the module adds to /proc/PID/fdinfo/FD. */
#include <string.h>

#include "fdinfo.h"
#include "search.h"

#define PREFIX	"twheel-"

void fdinfo_add_line(struct fdinfo *info, const char *line)
{
	struct field *field = &info->fields[info->nr];
	size_t name_len;

	if (info->nr == FIELDS_MAX || strncmp(line, PREFIX, strlen(PREFIX)))
		return;
	line += strlen(PREFIX);
	name_len = strcspn(line, ":");
	if (!line[name_len] || name_len >= sizeof(field->name))
		return;
	snprintf(field->name, sizeof(field->name), "%.*s", (int)name_len, line);
	line += name_len + 1;
	line += strspn(line, " \t");
	snprintf(field->value, sizeof(field->value), "%.*s",
		 (int)strcspn(line, "\n"), line);
	info->nr++;
}

static bool find_number(const struct fdinfo *info, const char *prefix,
			const char *name, __u64 *value)
{
	struct why why;
	unsigned int i;

	for (i = 0; i < info->nr; i++) {
		const char *has = info->fields[i].name;

		if (strncmp(has, prefix, strlen(prefix)) ||
		    strcmp(has + strlen(prefix), name))
			continue;
		return !number_parse(info->fields[i].value, value, &why);
	}
	return false;
}

int fdinfo_balance(const struct fdinfo *info, const char *prefix)
{
	static const char *const names[] = {
		"delivered", "withdrawn", "dropped", "dead", "waiting",
	};
	/* Not of a module that has no leases, not of an instance. */
	static const char *const optional[] = { "in-flight", "passed-on" };
	__u64 expired, value, sum = 0;
	size_t i;

	if (!find_number(info, prefix, "expired", &expired))
		return -1;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!find_number(info, prefix, names[i], &value))
			return -1;
		sum += value;
	}
	for (i = 0; i < ARRAY_SIZE(optional); i++) {
		if (find_number(info, prefix, optional[i], &value))
			sum += value;
	}
	return sum == expired;
}

static bool fdinfo_read(struct fdinfo *info, int pid, int fd)
{
	char line[256], path[64];
	FILE *file;

	info->nr = 0;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file))
		fdinfo_add_line(info, line);
	fclose(file);
	return info->nr;
}

/* The settings that info shows by name are numbers in fdinfo. */
static const struct {
	const char *name;
	const char *(*text)(__u32 number);
} named[] = {
	{ "clock", clock_text },
	{ "overflow", overflow_text },
	{ "delivery", delivery_text },
	{ "dispatch", dispatch_text },
	{ "setup-flags", setup_flags_text },
};

/* NULL: it stays a number. */
static const char *value_name(const struct field *field)
{
	struct why why;
	__u64 number;
	size_t i;

	if (number_parse(field->value, &number, &why) || number > 255)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(named); i++) {
		if (!strcmp(field->name, named[i].name))
			return named[i].text(number);
	}
	return NULL;
}

/* The keys are those of the stats operation, so '_' for '-'. */
static void field_json(const struct field *field)
{
	char key[sizeof(field->name)];
	const char *name = value_name(field);
	struct why why;
	__u64 number;
	char *dash;

	memcpy(key, field->name, sizeof(key));
	while ((dash = strchr(key, '-')))
		*dash = '_';
	if (number_parse(field->value, &number, &why))
		json_string(key, field->value);
	else if (!strcmp(field->name, "setup-flags"))
		setup_flags_json(number);
	else if (name)
		json_string(key, name);
	else
		json_u64(key, number);
}

static void show_json(const struct fdinfo *info, int pid, const char *comm,
		      int fd)
{
	int balance = fdinfo_balance(info, "");
	int reader_balance = fdinfo_balance(info, "reader-");
	unsigned int i;

	json_begin("instance");
	json_u64("pid", pid);
	json_string("comm", comm);
	json_u64("fd", fd);
	for (i = 0; i < info->nr; i++)
		field_json(&info->fields[i]);
	if (balance >= 0)
		json_bool("balanced", balance);
	if (reader_balance >= 0)
		json_bool("reader_balanced", reader_balance);
	json_end();
}

static void show_line(const char *name, const char *value)
{
	printf("  %-18s %s\n", name, value);
}

static void show_books(const struct fdinfo *info, const char *prefix,
		       const char *name)
{
	int balance = fdinfo_balance(info, prefix);

	if (balance >= 0)
		show_line(name, balance ? "balanced" : "NOT BALANCED");
}

static void show_lines(const struct fdinfo *info, int pid, const char *comm,
		       int fd)
{
	unsigned int i;

	printf("process %d (%s), descriptor %d\n", pid, comm, fd);
	for (i = 0; i < info->nr; i++) {
		const struct field *field = &info->fields[i];
		const char *name = value_name(field);

		show_line(field->name, name ? name : field->value);
	}
	show_books(info, "", "books");
	show_books(info, "reader-", "reader-books");
}

bool fdinfo_show(const struct cli *cli, int pid, int fd)
{
	struct fdinfo info;
	char comm[64];

	if (!fdinfo_read(&info, pid, fd))
		return false;
	comm_of(pid, comm, sizeof(comm));
	if (cli->json)
		show_json(&info, pid, comm, fd);
	else
		show_lines(&info, pid, comm, fd);
	return true;
}
