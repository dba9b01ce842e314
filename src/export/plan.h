/* What is exported: a region around the origin that the code will have, and what its rounding takes in the code's
 * precision. */
#ifndef HCRI_PLAN_H
#define HCRI_PLAN_H

#include "hcr/hcr_export.h"
#include "region/region.h"

typedef struct hcri_plan {
    hcr_region *region; /* around the rounded origin */
    hcr_precision precision;
    double unit;     /* its unit roundoff */
    double smallest; /* its least number with full precision: what is smaller may become 0 */
    double largest;  /* what no table's number is above, so that nothing overflows */
    int gradient;
    size_t n, p; /* outputs, parameters */
    double *reach;
    double margin;              /* a multiple of the unit roundoff */
    size_t verified;            /* blocks without a margin … */
    unsigned char *is_verified; /* … those, by block */
} hcri_plan;

/* Errors: MEMORY; PRECISION when the origin isn't inside once it is rounded; UNSUPPORTED for what isn't exported. */
hcr_status hcri_plan_make(const hcr_region *region, const hcr_export_options *options, hcri_plan *plan,
                          hcr_error *error);
void hcri_plan_release(hcri_plan *plan);

#endif
