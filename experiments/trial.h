/* One training of one method on one problem, and what came out. */
#ifndef HCR_EXPERIMENT_TRIAL_H
#define HCR_EXPERIMENT_TRIAL_H

#include "record.h"
#include "timing.h"

/* Trains, predicts the test rows, measures; writes the records to the store, and for the problems that are drawn a
 * forecast beside them. INTERRUPTED when the callback of problem->options says so: then nothing is written. Returns an
 * exit code. */
int trial_run(const struct store *store, const struct problem *problem, enum method method);

/* What Algorithm 1's multiplier does to a problem, by decoding its encoded test targets: a table of multiplier (in
 * units of the default), candidates and seconds a sample, of which the rows with multiplier 0 are the full search and
 * −1 champion pruning. Written to the store as "search". */
int trial_search(const struct store *store, const struct problem *problem);

#endif
