#include "origin/polytope_centre.h"

#include <math.h>
#include <string.h>

#include "region/barrier.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

hcr_status hcri_polytope_centre(const hcri_set *set, double scale, double *y, int *found, hcr_error *error) {
    const size_t n = set->n;
    const hcri_rows *rows = &set->linear->rows;
    static const size_t none[1] = {0};
    hcri_barrier barrier = {0};
    double *lower = hcri_allocate(memory, n + rows->count, sizeof *lower);
    double *upper = hcri_allocate(memory, n + rows->count, sizeof *upper);
    unsigned char *bounded = hcri_allocate(memory, n, sizeof *bounded);
    double *scratch = NULL;
    hcr_status status = lower == NULL || upper == NULL || bounded == NULL ? hcri_fail_memory(error) : HCR_OK;
    if (status == HCR_OK) {
        memcpy(lower, set->box->lower, n * sizeof *lower);
        memcpy(upper, set->box->upper, n * sizeof *upper);
        if (rows->count != 0) {
            memcpy(lower + n, set->linear->lower, rows->count * sizeof *lower);
            memcpy(upper + n, set->linear->upper, rows->count * sizeof *upper);
        }
        for (size_t j = 0; j < n; j++)
            bounded[j] = !isinf(lower[j]) || !isinf(upper[j]);
        status = hcri_barrier_make(n, rows->count, rows->count == 0 ? none : rows->start, rows->columns, NULL, bounded,
                                   memory, &barrier, error);
    }
    if (status == HCR_OK && (scratch = hcri_allocate(memory, hcri_barrier_scratch(&barrier), sizeof *scratch)) == NULL)
        status = hcri_fail_memory(error);
    const hcri_barrier_problem problem = {.values = rows->values, .lower = lower, .upper = upper, .scale = scale};
    *found = status == HCR_OK && hcri_barrier_centre(&barrier, &problem, y, scratch);
    hcri_release(memory, scratch);
    hcri_barrier_release(&barrier, memory);
    hcri_release(memory, lower);
    hcri_release(memory, upper);
    hcri_release(memory, bounded);
    return status;
}
