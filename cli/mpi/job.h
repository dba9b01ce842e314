/* What the library that is loaded under mpirun gives to the command. */
#ifndef HCR_MPI_JOB_H
#define HCR_MPI_JOB_H

#include "hcr/hcr_learn.h"

struct job_calls {
    /* Joins the job; NULL when that fails. */
    const hcr_team *(*begin)(void);
    /* Leaves it: all processes do. */
    void (*end)(void);
    /* Ends the processes of the job at once. */
    void (*abandon)(int code);
};

#endif
