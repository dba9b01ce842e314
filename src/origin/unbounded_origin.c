#include "origin/unbounded_origin.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "origin/analytic_centre.h"
#include "origin/equalities/reduction.h"
#include "origin/reach_bounds.h"
#include "solvers/stop_request.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

double hcri_open_size(const hcri_set *set) {
    static const double least = 1, most = 1e4;
    double size = least;
    for (size_t i = 0; i < set->n + set->linear->rows.count; i++) {
        const int bound = i < set->n;
        const double sides[2] = {bound ? set->box->lower[i] : set->linear->lower[i - set->n],
                                 bound ? set->box->upper[i] : set->linear->upper[i - set->n]};
        for (int side = 0; side < 2; side++) {
            const double away = fabs(sides[side]) / hcri_side_length(set, i);
            if (away <= most) /* not an infinite one */
                size = fmax(size, away);
        }
    }
    return size;
}

void hcri_open_cube(const hcri_set *set, const double *lower, const double *upper, double size, double *low,
                    double *high) {
    for (size_t j = 0; j < set->n; j++) {
        low[j] = !isinf(lower[j]) ? lower[j] : !isinf(upper[j]) ? upper[j] - 2 * size : -size;
        high[j] = !isinf(upper[j]) ? upper[j] : !isinf(lower[j]) ? lower[j] + 2 * size : size;
    }
}

/* The centre within a cube of this size. */
static hcr_status centre_within(const hcri_set *set, const double *lower, const double *upper, double size, double *y,
                                double *radius, hcr_error *error) {
    const size_t n = set->n;
    HCRI_SCOPED_BY(hcri_set_release) hcri_set capped = {0};
    HCRI_TRY(hcri_set_copy(set, memory, &capped, error));
    capped.reduction = set->reduction;
    HCRI_SCOPED double *low = hcri_allocate(memory, 2 * n, sizeof *low);
    double *high = low == NULL ? NULL : low + n;
    HCRI_ALLOCATED(low);
    hcri_open_cube(set, lower, upper, size, low, high);
    for (size_t j = 0; j < n; j++) {
        if (isinf(lower[j]))
            hcri_box_narrow_lower(capped.box, j, low[j], 0, 0);
        if (isinf(upper[j]))
            hcri_box_narrow_upper(capped.box, j, high[j], 0, 0);
    }
    HCRI_TRY(hcri_bounds_derive(&capped, low, high, error));
    return hcri_central_largest_ball(&capped, low, high, y, radius, error);
}

hcr_status hcri_open_centre(const hcri_set *set, const double *lower, const double *upper, double *y, double *radius,
                            hcr_error *error) {
    static const double larger = 100, largest = 1e15;
    for (double size = 2 * hcri_open_size(set); size <= largest; size *= larger) {
        const hcr_status status = centre_within(set, lower, upper, size, y, radius, NULL);
        if (status != HCR_ERROR_EMPTY && status != HCR_ERROR_SOLVER)
            return status == HCR_OK ? HCR_OK : hcri_fail(error, status, "no origin was found");
    }
    hcr_error found = {0}; /* it is empty, which the set itself shows */
    const hcr_status status = hcri_central_largest_ball(set, lower, upper, y, radius, &found);
    if (status == HCR_ERROR_EMPTY || hcri_is_final(status)) {
        if (error != NULL)
            *error = found;
        return status;
    }
    return hcri_fail(error, HCR_ERROR_SOLVER,
                     "no point inside the unbounded region was found: give an origin that is inside");
}
