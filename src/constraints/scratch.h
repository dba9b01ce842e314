/* Scratch that is too large for the stack: one buffer a thread, which grows as needed and goes with the thread. */
#ifndef HCRI_SCRATCH_H
#define HCRI_SCRATCH_H

#include <stddef.h>

/* Room for `count` numbers that aren't set, this thread's until its next call; NULL when there is no memory. */
double *hcri_scratch(size_t count);

#endif
