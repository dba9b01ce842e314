/* Messages to standard error, and the exit codes that go with them. */
#ifndef HCR_REPORT_H
#define HCR_REPORT_H

#include "hcr/hcr.h"

#include <stdio.h>

/* A file's name, without what a terminal would obey. */
void print_name(FILE *stream, const char *name);
/* "hcr: " and the message, on a line. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "hcr: 3 rows <what>, the first of them row 7", unless there are none. */
void report_rows(size_t count, const char *what, size_t first);
/* "hcr: file:line:column: text"; returns the exit code. */
int report_error(const hcr_error *error);
/* "hcr: can't <what> "<path>": <errno>"; returns EXIT_FILE. */
int report_file(const char *what, const char *path);
/* "hcr: not enough memory"; returns EXIT_SOLVER. */
int report_memory(void);
/* "hcr <command>: message", and where the help is; returns EXIT_USAGE. */
int report_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Rows of one kind, counted over parts; the first of them with what there is to say about it. */
struct tally {
    size_t count, first;
    char text[384];
};
/* Row `row` is one more; whether it is the first, whose text the caller may fill in. Rows come in their order. */
int tally_add(struct tally *tally, size_t row);

#endif
