/* Messages to standard error, and the exit codes that go with them. */
#ifndef HCR_REPORT_H
#define HCR_REPORT_H

#include "hcr/hcr.h"

#include <stdio.h>

/* Messages go there from now on; NULL: to standard error, as at first. */
void report_to(FILE *stream);
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

#endif
