/* What an experiment's records look like: gnuplot's pictures of them, as SVG, into its folder. Each returns an exit
 * code. */
#ifndef HCR_EXPERIMENT_PICTURES_H
#define HCR_EXPERIMENT_PICTURES_H

#include "record.h"

struct gallery {
    const struct store *store;
    const struct experiment *experiment;
    size_t count;
    const struct record *records;
    const char *const *labels; /* of each record's problem */
};

/* error-violation.svg: a point a run, its error over how far its predictions are beyond the frontier. */
int picture_violations(const struct gallery *gallery);
/* times.svg: how long the post-processing of a sample takes, a curve a method. */
int picture_times(const struct gallery *gallery);
/* forecasts.svg: a window of each of some series, its limits, and what two methods forecast. */
int picture_forecasts(const struct gallery *gallery);
/* search.svg: candidates and time over Algorithm 1's multiplier. */
int picture_search(const struct gallery *gallery);

#endif
