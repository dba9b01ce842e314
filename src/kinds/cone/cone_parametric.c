#include "kinds/cone/cone_parametric.h"

#include <math.h>

#include "kernels/kernels.h"
#include "kinds/block.h"
#include "kinds/cone/cone_value.h"
#include "kinds/parametric_rows.h"

typedef struct hcri_moving_cone {
    hcri_moving_rows rows;  /* w0 = M O + s */
    hcri_moving_rows right; /* one: e0 = c·O + e */
    int linear_is_zero;     /* of the outputs */
    size_t width;           /* from one sample's rows to the next one's */
} hcri_moving_cone;

/* Samples that go through together. */
enum { AT_ONCE = 8 };

static hcr_status make_right(hcri_cone *cone, const hcri_origin_map *origin_map, hcr_error *error) {
    HCRI_SCRATCH(scratch, cone->base.allocator);
    hcri_rows right = {0};
    HCRI_TRY(hcri_rows_append_dense(&right, scratch, cone->base.n, cone->linear, error));
    return hcri_moving_rows_make(&right, NULL, &cone->constant, 1, origin_map, hcri_block_memory(&cone->base),
                                 &cone->moving->right, error);
}

hcr_status hcri_cone_follow(hcri_constraint *constraint, const hcri_origin_map *origin_map, hcr_error *error) {
    hcri_cone *cone = (hcri_cone *)constraint;
    const hcr_allocator *allocator = hcri_block_memory(constraint);
    hcri_moving_cone *moving = hcri_allocate(allocator, 1, sizeof *moving);
    HCRI_ALLOCATED(moving);
    cone->moving = moving;
    HCRI_TRY(hcri_moving_rows_make(&cone->rows, NULL, cone->shift, 1, origin_map, allocator, &moving->rows, error));
    HCRI_TRY(make_right(cone, origin_map, error));
    moving->linear_is_zero = moving->right.slope.start[1] == 0;
    moving->width = cone->rows.count + HCRI_PANEL;
    return HCR_OK;
}

/* ---------------------------------------------------------------------------------------------------------- rays */

size_t hcri_cone_scratch(const hcri_constraint *constraint) {
    const hcri_moving_cone *moving = ((const hcri_cone *)constraint)->moving;
    return moving == NULL ? 0 : 2 * AT_ONCE * moving->width;
}

void hcri_cone_gauge_from(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    const hcri_moving_cone *moving = cone->moving;
    const size_t n = constraint->n, outputs = moving->rows.origin_map->outputs;
    double *w = scratch, *w0 = w + AT_ONCE * moving->width;
    for (size_t done = 0; done < batch->rows; done += AT_ONCE) {
        const hcri_batch now = hcri_batch_part(batch, n, done, AT_ONCE);
        const hcri_samples directions = {now.v, now.stride}, x = {now.origins + outputs, n};
        hcri_layout_products(&moving->rows.slope_layout, &moving->rows.slope, outputs, now.rows, directions, w,
                             moving->width);
        if (!moving->rows.is_still)
            hcri_moving_rows_at(&moving->rows, now.rows, x, w0, moving->width);
        for (size_t s = 0; s < now.rows; s++) {
            const double *at = moving->rows.is_zero    ? NULL
                               : moving->rows.is_still ? moving->rows.constant
                                                       : w0 + s * moving->width;
            const double *v = now.v + s * now.stride;
            const double e0 = hcri_moving_row_at(&moving->right, 0, x.first + s * n);
            const double f = moving->linear_is_zero ? 0 : hcri_kernels_best()->dot(outputs, cone->linear, v);
            hcri_batch_raise(&now, s, hcri_cone_gauge(cone->rows.count, w + s * moving->width, at, e0, f), constraint,
                             0);
        }
    }
}

/* -------------------------------------------------------------------------------------------------------- margin */

/* |w0(x)| is at most |w0| at the middle and the norm of the rows' spreads. The last part of the error is that of
 * 1 − |w0/e0|², computed from rounded numbers: half of it, times e0, is what the constraint is off. */
hcri_cone_origin hcri_cone_origin_range(const hcri_cone *cone, const hcri_extent *extent) {
    if (extent->origin_map == NULL)
        return (hcri_cone_origin){cone->right, cone->origin_error, cone->slack};
    const hcri_row_range right = hcri_moving_row_range(&cone->moving->right, 0, extent);
    double middle = 0, spread = 0, error = 0;
    for (size_t i = 0; i < cone->rows.count; i++) {
        const hcri_row_range row = hcri_moving_row_range(&cone->moving->rows, i, extent);
        middle = hypot(middle, row.middle);
        spread = hypot(spread, row.spread);
        error = hypot(error, row.error);
    }
    const double most = right.middle + right.spread, count = (double)cone->rows.count;
    return (hcri_cone_origin){most, error + right.error + 0x1p-53 * (count / 16 + 24) * most,
                              right.middle - right.spread - (1 + 0x1p-40) * (middle + spread)};
}
