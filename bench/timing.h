/* What the programs of bench/ share: clocks, medians, memory that is there. */
#ifndef HCR_BENCH_TIMING_H
#define HCR_BENCH_TIMING_H

#include "hcr/hcr.h"

/* Wall clock. */
double bench_seconds(void);
/* `usual` turns, or 2 when the environment has HCR_BENCH_QUICK: a run that shows that all of it works. */
int bench_turns(int usual);
/* Sorts the times. */
double bench_median(int count, double *times);
/* Zeroed memory for `count` doubles. Ends the process when there is none. */
void *bench_numbers(size_t count);
/* Ends the process, with the message, unless the status is OK. */
void bench_check(hcr_status status, const hcr_error *error);

#endif
