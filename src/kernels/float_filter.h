/* Finds in single precision which rows of a dense run may be the nearest along a ray: only those are computed in double
 * precision. Results have the same bits as without, at about half the time; and where there are many rows, blocks of
 * like ones are left out by a bound of all of them.
 *
 * A direction is divided by its length first. For each row the product in single precision plus its `error bound` is
 * then above the exact gauge, and less the error bound below it; a row that isn't above the `limit`, which is below the
 * best gauge that is known for certain, can neither exceed nor equal the best. */
#ifndef HCRI_FLOAT_FILTER_H
#define HCRI_FLOAT_FILTER_H

#include <stdint.h>

#include "kernels/row_block_bounds.h"
#include "kernels/single_precision.h"

typedef struct hcri_float_filter {
    size_t count;                       /* rows of the run, 0: no float filter */
    float *panels;                      /* of 16 rows, scaled by powers of two to largest entries near 1 */
    float *lower, *upper, *error_bound; /* one a row, padded as the panels are */
    uint32_t *row;                      /* which row of the matrix each is */
    hcri_float_filter_blocks *blocks;   /* of HCRI_SINGLE_ROWS rows; NULL: too few for bounds to pay */
} hcri_float_filter;

/* For a run of the rows. The float filter is empty where it isn't worth its while, or numbers lie too far apart for
 * single precision. In memory that the caller releases, also after a failure. */
hcr_status hcri_float_filter_make(const hcri_scaled_rows *scaled, const hcri_run *run, const hcr_allocator *memory,
                                  hcri_float_filter *float_filter, hcr_error *error);

/* What run_max does with the run (kernels.h); and where best[s] grew, active constraint[s] = first + 2i or 2i + 1 for
 * the first row i of the matrix that attains it (NULL: not wanted). `scratch`: HCRI_FLOAT_FILTER_SCRATCH numbers. */
void hcri_float_filter_max(const hcri_float_filter *float_filter, const hcri_scaled_rows *scaled, size_t samples,
                           const double *v, size_t stride, double *best, uint32_t first, uint32_t *active_constraint,
                           double *scratch);

/* How many directions are filtered together, so that they stay within HCRI_FLOAT_FILTER_NUMBERS; n is at most
 * HCRI_FLOAT_FILTER_WIDTH. */
enum {
    HCRI_FLOAT_FILTER_WIDTH = 2048,
    HCRI_FLOAT_FILTER_NUMBERS = 8192,
    HCRI_FLOAT_FILTER_SCRATCH =
        (HCRI_FLOAT_FILTER_NUMBERS + 2 * HCRI_SINGLE_SAMPLES * HCRI_SINGLE_ROWS) * sizeof(float) / sizeof(double)
};
size_t hcri_float_filter_samples(size_t n);

#endif
