// SPDX-License-Identifier: GPL-2.0
/* The lines that the module adds to /proc/PID/fdinfo/FD. */
#include <string.h>

#include "fdinfo.h"

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

static bool find_number(const struct fdinfo *info, const char *name,
			__u64 *value)
{
	struct why why;
	unsigned int i;

	for (i = 0; i < info->nr; i++) {
		if (!strcmp(info->fields[i].name, name))
			return !number_parse(info->fields[i].value, value,
					     &why);
	}
	return false;
}

int fdinfo_balance(const struct fdinfo *info)
{
	static const char *const names[] = {
		"delivered", "withdrawn", "dropped", "dead", "waiting",
	};
	__u64 expired, value, sum = 0;
	size_t i;

	if (!find_number(info, "expired", &expired))
		return -1;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!find_number(info, names[i], &value))
			return -1;
		sum += value;
	}
	return sum == expired;
}

static FILE *open_proc(int pid, const char *format, int fd)
{
	char name[32], path[64];

	snprintf(name, sizeof(name), format, fd);
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

static bool fdinfo_read(struct fdinfo *info, int pid, int fd)
{
	FILE *file = open_proc(pid, "fdinfo/%d", fd);
	char line[256];

	info->nr = 0;
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file))
		fdinfo_add_line(info, line);
	fclose(file);
	return info->nr;
}

static void read_comm(int pid, char *comm, int size)
{
	FILE *file = open_proc(pid, "comm", 0);

	if (!file || !fgets(comm, size, file))
		snprintf(comm, size, "?");
	comm[strcspn(comm, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* The settings that info shows by name are numbers in fdinfo. */
static const char *value_name(const struct field *field)
{
	struct why why;
	__u64 number;

	if (number_parse(field->value, &number, &why) || number > 255)
		return NULL;
	if (!strcmp(field->name, "clock"))
		return clock_text(number);
	if (!strcmp(field->name, "overflow"))
		return overflow_text(number);
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
	if (name)
		json_string(key, name);
	else if (number_parse(field->value, &number, &why))
		json_string(key, field->value);
	else
		json_u64(key, number);
}

static void show_json(const struct fdinfo *info, int pid, const char *comm,
		      int fd)
{
	int balance = fdinfo_balance(info);
	unsigned int i;

	json_begin("instance");
	json_u64("pid", pid);
	json_string("comm", comm);
	json_u64("fd", fd);
	for (i = 0; i < info->nr; i++)
		field_json(&info->fields[i]);
	if (balance >= 0)
		json_bool("balanced", balance);
	json_end();
}

static void show_field(const struct field *field)
{
	const char *name = value_name(field);

	printf("  %-12s %s\n", field->name, name ? name : field->value);
}

static void show_lines(const struct fdinfo *info, int pid, const char *comm,
		       int fd)
{
	int balance = fdinfo_balance(info);
	unsigned int i;

	printf("process %d (%s), descriptor %d\n", pid, comm, fd);
	for (i = 0; i < info->nr; i++)
		show_field(&info->fields[i]);
	if (balance >= 0)
		printf("  %-12s %s\n", "books",
		       balance ? "balanced" : "NOT BALANCED");
}

bool fdinfo_show(const struct cli *cli, int pid, int fd)
{
	struct fdinfo info;
	char comm[64];

	if (!fdinfo_read(&info, pid, fd))
		return false;
	read_comm(pid, comm, sizeof(comm));
	if (cli->json)
		show_json(&info, pid, comm, fd);
	else
		show_lines(&info, pid, comm, fd);
	return true;
}
