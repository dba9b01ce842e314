/* The processes of an MPI job that a command runs in. What MPI does for them is in a library that is loaded when mpirun
 * started the process: the command itself needs no MPI. */
#ifndef HCR_TEAM_H
#define HCR_TEAM_H

#include "hcr/hcr_learn.h"

/* NULL: the process is alone. */
const hcr_team *team(void);
/* The process that tells, and that does what is done once. */
int team_is_first(void);

/* Loads MPI when the process belongs to a job. From then on standard output and messages are the first process's: those
 * of others are kept until it is known whose is told. `shares`: whether the command shares its rows; others run in one
 * process only. Returns an exit code. */
int team_join(const char *command, int shares);
/* The exit code of the first process that has one other than EXIT_DONE, its messages told. Every process calls it. */
int team_agree(int code);
/* The same, and the job ends: every process has come so far. */
int team_leave(int code);

/* Rows of one kind, counted over parts and processes; the first of them with what there is to say about it. */
struct tally {
    size_t count, first;
    char text[384];
};
/* Row `row` is one more; whether it is the first, whose text the caller may fill in. Rows come in their order. */
int tally_add(struct tally *tally, size_t row);
/* Of all processes, in each. */
void tally_merge(struct tally *tally);
/* The sum over the processes; *before (may be NULL): over those before this one. */
uint64_t team_sum(uint64_t own, uint64_t *before);

#endif
