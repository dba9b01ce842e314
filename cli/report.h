/* Messages to standard error, the exit codes that go with them, and the end of a command. */
#ifndef HCR_REPORT_H
#define HCR_REPORT_H

#include "ending.h"
#include "hcr/hcr.h"

#include <stdio.h>

/* A file's name, without what a terminal would obey. */
void print_name(FILE *stream, const char *name);
/* "hcr: " and the message, on a line. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "hcr: 3 rows <what>, the first of them row 7", unless there are none. */
void report_rows(size_t count, const char *what, size_t first);
/* The error of the library call that failed. There is one, since it ends the command. */
extern hcr_error failure;
/* It, as "hcr: file:line:column: text"; returns the exit code. */
int report_error(void);

/* A failure ends the command: the reason is reported, half-written files are removed, and the process exits. Its memory
 * goes with it. */
_Noreturn void quit(int code);
/* "hcr: " and the message. */
_Noreturn void fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "hcr: can't <what> "<path>": <errno>". */
_Noreturn void fail_file(const char *what, const char *path);
/* "hcr <command>: message", and where the help is. */
_Noreturn void fail_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fails with that error unless the status is HCR_OK. */
void must(hcr_status status);
/* The same for what was wrong in a file. */
void must_of(const char *path, hcr_status status);
/* The same for a call that writes: signals wait until what it writes is whole. */
#define MUST_WRITE(call)                                                                                               \
    do {                                                                                                               \
        ending_put_off();                                                                                              \
        must_obeying(call);                                                                                            \
    } while (0)
void must_obeying(hcr_status status);
/* Zeroed memory. */
void *allocate(size_t count, size_t size);
/* The same in place of other memory, NULL or allocated. */
void *renew(void *memory, size_t count, size_t size);

/* Rows of one kind, counted over parts; the first of them with what there is to say about it. */
struct tally {
    size_t count, first;
    char text[384];
};
/* Row `row` is one more; whether it is the first, whose text the caller may fill in. Rows come in their order. */
int tally_add(struct tally *tally, size_t row);

#endif
