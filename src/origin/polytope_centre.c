#include "origin/polytope_centre.h"

#include <math.h>
#include <string.h>

#include "origin/local_program.h"
#include "region/barrier.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* What the barrier is given: the set's bounds and rows, or its original's with its equalities behind them. */
typedef struct polytope {
    const hcri_set *set;
    hcri_rows rows;
    double *lower, *upper; /* columns, then rows */
    unsigned char *bounded;
    double *point;
} polytope;

static hcr_status gather(const hcri_set *set, const hcr_allocator *scratch, polytope *at, hcr_error *error) {
    const hcri_linear *linear = set->linear;
    const size_t n = set->n, rows = linear->rows.count, count = rows + set->equalities.rows.count;
    *at = (polytope){.set = set};
    HCRI_TRY(hcri_rows_append_all(&at->rows, scratch, &linear->rows, error));
    HCRI_TRY(hcri_rows_append_all(&at->rows, scratch, &set->equalities.rows, error));
    at->lower = hcri_allocate(scratch, hcri_size_sum(n, count), sizeof *at->lower);
    at->upper = hcri_allocate(scratch, hcri_size_sum(n, count), sizeof *at->upper);
    at->bounded = hcri_allocate(scratch, n, sizeof *at->bounded);
    at->point = hcri_allocate(scratch, n, sizeof *at->point);
    HCRI_ALLOCATED(at->lower && at->upper && at->bounded && at->point);
    for (size_t j = 0; j < n; j++) {
        at->lower[j] = set->box->lower[j];
        at->upper[j] = set->box->upper[j];
        at->bounded[j] = !isinf(at->lower[j]) || !isinf(at->upper[j]);
    }
    for (size_t i = 0; i < count; i++) {
        at->lower[n + i] = i < rows ? linear->lower[i] : set->equalities.right[i - rows];
        at->upper[n + i] = i < rows ? linear->upper[i] : set->equalities.right[i - rows];
    }
    return HCR_OK;
}

static hcr_status find(const polytope *at, double scale, const hcr_allocator *scratch, int *found, hcr_error *error) {
    static const size_t none[1] = {0};
    hcri_barrier barrier = {0};
    const hcri_rows *rows = &at->rows;
    HCRI_TRY(hcri_barrier_make(at->set->n, rows->count, rows->count == 0 ? none : rows->start, rows->columns, NULL,
                               at->bounded, scratch, &barrier, error));
    double *numbers = hcri_allocate(scratch, hcri_barrier_scratch(&barrier), sizeof *numbers);
    HCRI_ALLOCATED(numbers);
    const hcri_barrier_problem problem = {
        .values = rows->values, .lower = at->lower, .upper = at->upper, .scale = scale};
    *found = hcri_barrier_centre(&barrier, &problem, at->point, numbers);
    return HCR_OK;
}

/* The place of the set's bound or row i among the limits. */
static size_t place_of(const hcri_set *set, const hcri_reduction *lift, size_t i) {
    if (lift == NULL)
        return i;
    if (i < set->n)
        return lift->free[i];
    const hcri_set *original = lift->original;
    const uint32_t number = lift->row_of[i - set->n], first = original->linear->base.first;
    return number < first ? (number - original->box->base.first) / 2 : original->n + (number - first) / 2;
}

static void narrow(const polytope *at, const hcri_set *set, const hcri_reduction *lift, const hcri_face *face) {
    for (size_t i = 0; i < set->n + set->linear->rows.count; i++) {
        const size_t k = place_of(set, lift, i), n = at->set->n;
        if (face->held[i]) {
            at->lower[k] = at->upper[k] = k < n ? at->point[k] : hcri_rows_dot(&at->rows, k - n, at->point, NULL);
        } else {
            at->lower[k] += face->room * hcri_side_length(set, i);
            at->upper[k] -= face->room * hcri_side_length(set, i);
        }
    }
}

hcr_status hcri_polytope_centre(const hcri_set *set, double scale, const hcri_face *face, double *y, int *found,
                                hcr_error *error) {
    const hcri_reduction *lift = hcri_local_lift(set);
    HCRI_SCRATCH(scratch, memory);
    polytope at;
    HCRI_TRY(gather(lift == NULL ? set : lift->original, scratch, &at, error));
    if (lift == NULL)
        memcpy(at.point, y, set->n * sizeof *y);
    else
        hcri_reduction_complete(lift, y, at.point);
    if (face != NULL)
        narrow(&at, set, lift, face);
    HCRI_TRY(find(&at, scale, scratch, found, error));
    for (size_t j = 0; j < set->n; j++)
        y[j] = at.point[lift == NULL ? j : lift->free[j]];
    return HCR_OK;
}
