/* Programs that start, and what ends this one. The library does neither (tests/cli/surface.sh). */
#ifndef HCR_PROCESSES_H
#define HCR_PROCESSES_H

#include <stdint.h>
#include <stdio.h>

/* The program anew with its arguments and one more variable; returns where that isn't possible. */
void process_begin_anew(char **argv, const char *variable, const char *value);

/* What asks a program to end (SIGINT, SIGTERM, SIGHUP) goes to `handler` from now on, but where it is ignored. */
void process_ending_to(void (*handler)(int));
/* Ends the program as the signal would have. */
void process_end_by(int signal);

/* `name` runs, with what is written to the stream for its input and its output going to the descriptor. NULL: it
 * doesn't, errno says why. */
FILE *process_start(char *name, int output, intptr_t *child);
int process_wait_for(intptr_t child); /* its exit code; −1: it ended otherwise */

#endif
