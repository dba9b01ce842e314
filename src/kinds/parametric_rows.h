/* Rows over outputs and parameters where origins move. Along a direction v of the outputs row i changes by slope_i·v,
 * and at O(x) it is an affine function of the parameters alone: constant_i + map_i·x. */
#ifndef HCRI_PARAMETRIC_ROWS_H
#define HCRI_PARAMETRIC_ROWS_H

#include "base/double_double.h"
#include "kinds/kind.h"

/* The extremes of O_j(x) over the range, each to within the rounding below. */
void hcri_origin_map_extremes(const hcri_origin_map *origin_map, size_t j, double *least, double *most);
/* Bounds the error of O_j(x) = constant_j + Σ map_jk x_k, added in the order of k, over the range. */
double hcri_origin_map_rounding(const hcri_origin_map *origin_map, size_t j);
/* The largest |x_k| of the range; the middle m of it, and a distance from there that no x_k is beyond. */
double hcri_origin_map_largest(const hcri_origin_map *origin_map, size_t k);
double hcri_origin_map_middle(const hcri_origin_map *origin_map, size_t k);
double hcri_origin_map_distance(const hcri_origin_map *origin_map, size_t k);

/* Room for one row in the parameters. */
typedef struct hcri_composed {
    hcri_dd *sums;
    size_t count;
    uint32_t *columns;
    double *values;
} hcri_composed;
hcr_status hcri_composed_start(hcri_composed *row, const hcri_origin_map *origin_map, const hcr_allocator *allocator,
                               hcr_error *error);
/* Row i at O(x), a_i·((O(x), x) − centre) + add (centre NULL: 0) = *constant + row·x, each summed to twice the working
 * precision and rounded once: what cancels leaves no entry. */
void hcri_origin_map_compose(const hcri_origin_map *origin_map, const hcri_rows *rows, size_t i, const double *centre,
                             double add, hcri_composed *row, double *constant);

typedef struct hcri_moving_rows {
    const hcri_origin_map *origin_map;
    hcri_rows slope; /* columns are outputs */
    double *constant;
    hcri_rows map; /* columns are parameters */
    hcri_layout slope_layout, map_layout;
    double *rounding;      /* an output each: hcri_origin_map_rounding */
    int is_still, is_zero; /* at O(x) the rows don't depend on x, are 0 */
} hcri_moving_rows;

/* Rows a_i·((y, x) − centre) + sign · add_i; centre and add may be NULL for zeros. The origin map is kept by the
 * caller, as everywhere. */
hcr_status hcri_moving_rows_make(const hcri_rows *rows, const double *centre, const double *add, double sign,
                                 const hcri_origin_map *origin_map, const hcr_allocator *allocator,
                                 hcri_moving_rows *made, hcr_error *error);

/* Samples lie `stride` numbers apart; `out` has room for HCRI_PANEL numbers behind the last sample's. */
typedef struct hcri_samples {
    const double *first;
    size_t stride;
} hcri_samples;
/* out[s out_stride + i] = a_i·v_s for all rows of a layout, with vectors of n numbers. */
void hcri_layout_products(const hcri_layout *layout, const hcri_rows *rows, size_t n, size_t samples, hcri_samples v,
                          double *out, size_t out_stride);
/* out[s out_stride + i]: row i at O(x_s). */
void hcri_moving_rows_at(const hcri_moving_rows *moving, size_t samples, hcri_samples x, double *out,
                         size_t out_stride);
/* The same for one row and sample. */
double hcri_moving_row_at(const hcri_moving_rows *moving, size_t i, const double *x);

/* Row i over the range, at the origins as they are computed: what it is at the middle, by how much it differs from that
 * elsewhere, and how far hcri_moving_rows_at is off, the origins' own rounding included. */
typedef struct hcri_row_range {
    double middle, spread, error;
} hcri_row_range;
hcri_row_range hcri_moving_row_range(const hcri_moving_rows *moving, size_t i, const hcri_extent *extent);

#endif
