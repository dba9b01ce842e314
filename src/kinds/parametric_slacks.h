/* Rows whose slack moves with the parameters, prepared for gauges from the origins of the samples.
 *
 * At an origin O and parameters x row i has the value d_i = c_i·z(O) + s_i·x, and a ray in direction v raises it by
 * c_i·z(v) for each unit of its length. z(v) is v itself, the outputs alone, and behind them a product v[left] ·
 * x[right] for each pair of columns that rows with moving coefficients have; with O in its place v[left] is O or, for a
 * parameter, x. */
#ifndef HCRI_PARAMETRIC_SLACKS_H
#define HCRI_PARAMETRIC_SLACKS_H

#include "kernels/kernels.h"
#include "kinds/kind.h"
#include "kinds/parametric_rows.h"

/* The products of a block of rows: none for rows with fixed coefficients. */
typedef struct hcri_products {
    size_t pairs;
    const uint32_t *left, *right; /* columns; those on the right are parameters */
    const hcri_rows *values;      /* as many rows, columns are pairs */
} hcri_products;

typedef struct hcri_moving {
    const hcri_origin_map *origin_map;
    hcri_products products;
    const double *lower, *upper; /* a row each, ±infinity where there is none */
    size_t width;                /* of z */
    hcri_rows slope, shift;
    hcri_layout slope_layout, shift_layout;
    /* Without products d_i at O(x) is constant_i + map_i·x; the bounds without the constant. Used where that is
     * cheaper, and every origin is O(x). */
    hcri_rows map;
    hcri_layout map_layout;
    double *constant, *rest, *lower_rest, *upper_rest; /* the last two in `rest` */
    int map_is_cheaper;
    size_t pairs; /* the map's and the slope's runs that are stencils over the same rows, … */
    hcri_run_pair *pair;
    unsigned char *is_paired; /* … and which runs of the slope are, */
    int all_paired;           /* or whether all of them */
    double *rounding;         /* an output each: bounds |O_j − O_j(x)| as O is computed from x … */
    double *least, *most;     /* … a row each: bounds of d_i at O(x) over the range of x, … */
    double *noise;            /* … and more than what rounding makes of a sum that is 0 */
    size_t at_stride;         /* from one sample's d to the next one's */
} hcri_moving;

/* Rows between lower and upper; `products` is NULL for none. All but the entries of `rows` is kept by the caller. */
hcr_status hcri_moving_create(const hcri_rows *rows, const hcri_products *products, const double *lower,
                              const double *upper, const hcri_origin_map *origin_map, const hcr_allocator *allocator,
                              hcri_moving **moving, hcr_error *error);
/* Numbers of scratch that it needs; 0 for NULL. */
size_t hcri_moving_scratch(const hcri_moving *moving);
/* hcri_kind's gauge_from; 2i and 2i + 1 are row i's inequalities, above and below. */
void hcri_moving_gauge(const hcri_moving *moving, const hcri_constraint *constraint, const hcri_batch *batch,
                       double *scratch);
/* hcri_kind's margin over the whole range. */
/* Slacks at the origin of the sample: from the parameters alone where that is cheaper, else from the origin too. */
void hcri_work_add_moving(const hcri_moving *moving, hcri_work *sum);
double hcri_moving_margin(const hcri_moving *moving, double unit, const hcri_extent *extent);

#endif
