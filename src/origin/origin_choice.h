/* The origin of a region, as its builder wants it. */
#ifndef HCRI_ORIGIN_CHOICE_H
#define HCRI_ORIGIN_CHOICE_H

#include "hcr/hcr_build.h"
#include "region/set.h"

/* How an origin is chosen. */
typedef struct hcri_origin_request {
    hcr_origin kind;
    double *point; /* GIVEN: it; MEAN: the mean; else NULL */
} hcri_origin_request;

/* origin (n numbers): strictly inside, rounding included. `centre` and `room`: that of a largest ball, as far as is
 * known (a given point needs neither: NULL then, and lower and upper are a box that holds the set). Errors: ORIGIN
 * (what is wrong with a given point, by source), SOLVER, UNSUPPORTED, MEMORY. */
hcr_status hcri_origin_choose(const hcri_set *set, const hcri_origin_request *origin_request, const double *centre,
                              double room, const double *lower, const double *upper, double *origin, hcr_error *error);
/* A given point mustn't be closer to the frontier of an inequality than this share of what it varies by over a box of
 * these widths (0 where it is open), from its gradient. */
double hcri_origin_least_slack(size_t n, const double *gradient, const double *width);

#endif
