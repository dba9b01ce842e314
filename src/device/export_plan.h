/* What is exported: a region around the origin that the code will have, and what its rounding takes in the code's
 * precision. */
#ifndef HCRI_EXPORT_PLAN_H
#define HCRI_EXPORT_PLAN_H

#include "hcr/hcr_export.h"
#include "region/region.h"

/* Origins of samples with parameters as the code has them: O(x) = origin + map (x − middle). */
typedef struct hcri_moving_origin {
    double *middle, *distance; /* a parameter each: near the middle of its range, and the farthest from it */
    hcri_rows map;             /* a row an output, columns are parameters; of free outputs rounded */
    double *size, *rounding;   /* an output each: Σ|terms| of O_j over the range, and by what O_j as computed is off */
    double *dense;             /* scratch: a row of the map */
} hcri_moving_origin;

typedef struct hcri_plan {
    hcr_region *region; /* around the rounded origin; with parameters a copy */
    hcr_precision precision;
    double unit;     /* its unit roundoff */
    double smallest; /* its least number with full precision: what is smaller may become 0 */
    double largest;  /* what no table's number is above, so that nothing overflows */
    int gradient;
    int centred;    /* samples find origins of their own */
    int locates;    /* each sample looks for an origin that is inside for certain, and all results are checked */
    size_t n, p;    /* outputs, parameters */
    double *origin; /* rounded; with parameters that at their middle */
    double *reach;  /* bounds |y_j − O_j| */
    double *extra;  /* what a dependent output is off beyond its own rounding, and free ones by … */
    const hcri_sum_grid *grid;        /* … the grid that results are on, of the region that is exported */
    hcri_moving_origin moving_origin; /* with parameters */
    double margin;                    /* a multiple of the unit roundoff */
    size_t verified;                  /* blocks without a margin … */
    unsigned char *is_verified;       /* … those, by block */
    double *scratch;                  /* the blocks' */
    double *memory;                   /* of all these numbers */
} hcri_plan;

/* Errors: MEMORY; PRECISION when the origin isn't inside once it is rounded; UNSUPPORTED for what isn't exported. */
hcr_status hcri_plan_make(const hcr_region *region, const hcr_export_options *options, hcri_plan *plan,
                          hcr_error *error);
void hcri_plan_release(hcri_plan *plan);

/* Dependent output i of a result is at most this times Σ|T_ij|(|O_j| + |y_j − O_j|) off from where its ray goes: what
 * its free outputs are rounded by (product, sum, clamp: 3), and its direction, a compensated sum (1, where T isn't of
 * powers of two 2 for coefficients and products, and what the compensation leaves). */
double hcri_plan_dependent_rounding(const hcri_plan *plan, size_t i);
/* With parameters: origin, origin_map, reach and extra (export_origin_map.c). */
hcr_status hcri_plan_moving_origin(const hcr_region *region, hcri_plan *plan, hcr_error *error);

#endif
