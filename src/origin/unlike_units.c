#include "origin/unlike_units.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/vector.h"
#include "functions/substitution.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* Beyond this ratio the units are unlike. */
static const double most_alike = 0x1p6;

typedef struct measuring {
    const hcri_set *set;
    double *unit, *middle;              /* n each */
    double *largest, *point, *gradient; /* scratch: n each */
} measuring;

/* What a row or gradient has of each column, beside the largest in it, in the present units. */
static void count_row(measuring *at, size_t count, const uint32_t *columns, const double *values) {
    double most = 0;
    for (size_t k = 0; k < count; k++) {
        const double size = fabs(values[k]) * at->unit[columns == NULL ? k : columns[k]];
        if (size > most) /* of fmax here, GCC 12 for aarch64 ends with an internal error */
            most = size;
    }
    for (size_t k = 0; k < count && most > 0; k++) {
        const size_t j = columns == NULL ? k : columns[k];
        at->largest[j] = fmax(at->largest[j], fabs(values[k]) * at->unit[j] / most);
    }
}

/* At corners around the middle, where a norm has a gradient, and each eigenvalue that is the largest somewhere there
 * its turn. They are near: an exponential a unit away may be beyond all numbers. */
static void count_function(measuring *at, const hcri_constraint *block, size_t i) {
    enum { CORNERS = 6 };
    const size_t n = at->set->n;
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (int corner = 0; corner < CORNERS; corner++) {
        for (size_t j = 0; j < n; j++) {
            const double away = 0x1p-60 * at->unit[j] + 0x1p-40 * fabs(at->middle[j]);
            at->point[j] = at->middle[j] + (hcri_random_bits(&random) % 2 == 0 ? away : -away);
        }
        memset(at->gradient, 0, n * sizeof *at->gradient);
        block->kind->add_gradient(block, i, at->point, 1, at->gradient, block->scratch);
        if (hcri_all_finite(n, at->gradient))
            count_row(at, n, NULL, at->gradient);
    }
}

static void count_all(measuring *at) {
    const hcri_set *set = at->set;
    memset(at->largest, 0, set->n * sizeof *at->largest);
    for (size_t i = 0; i < set->linear->rows.count; i++) {
        const hcri_row row = hcri_rows_row(&set->linear->rows, i);
        count_row(at, row.count, row.columns, row.values);
    }
    for (size_t b = 2; b < set->blocks; b++)
        for (size_t i = 0; i < set->block[b]->count; i++)
            if (set->block[b]->kind->exists(set->block[b], i))
                count_function(at, set->block[b], i);
}

static int is_unlike(const measuring *at) {
    for (size_t j = 0; j < at->set->n; j++)
        if (at->largest[j] > 0 && at->largest[j] * most_alike < 1)
            return 1;
    return 0;
}

/* Ruiz, A scaling algorithm to equilibrate both rows and columns norms in matrices, 2001: by the root of what is too
 * much, again and again; the gradients are those in the units reached. */
hcr_status hcri_units_find(const hcri_set *set, const double *lower, const double *upper, double *unit, int *unlike,
                           hcr_error *error) {
    enum { ROUNDS = 8 };
    const size_t n = set->n;
    HCRI_SCOPED double *numbers = hcri_allocate(memory, 4 * n, sizeof *numbers);
    HCRI_ALLOCATED(numbers);
    measuring at = {set, unit, numbers, numbers + n, numbers + 2 * n, numbers + 3 * n};
    for (size_t j = 0; j < n; j++) {
        const double middle = 0.5 * (lower[j] + upper[j]);
        at.middle[j] = isfinite(middle) ? middle : 0;
        unit[j] = 1;
    }
    count_all(&at);
    *unlike = is_unlike(&at);
    for (int round = 0; round < ROUNDS && *unlike; round++) {
        for (size_t j = 0; j < n; j++)
            unit[j] /= at.largest[j] > 0 ? sqrt(at.largest[j]) : 1;
        count_all(&at);
    }
    for (size_t j = 0; j < n; j++)
        unit[j] = ldexp(1, ilogb(unit[j]));
    return HCR_OK;
}

static hcr_status change_functions(const hcri_set *set, const double *unit, hcri_set *changed, hcr_error *error) {
    const size_t n = set->n;
    HCRI_SCRATCH(scratch, memory);
    hcri_substitution by = {.coordinates = n, .constant = hcri_allocate(scratch, n, sizeof(double))};
    HCRI_ALLOCATED(by.constant);
    for (uint32_t j = 0; j < n; j++)
        HCRI_TRY(hcri_rows_append(&by.map, scratch, 1, &j, &unit[j], error));
    for (size_t b = 2; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        hcri_constraint *substituted = NULL;
        HCRI_FAIL_IF(block->kind->substitute == NULL, HCR_ERROR_UNSUPPORTED,
                     "the kind of constraint \"%s\" can't be had in other units", block->kind->name);
        HCRI_TRY(block->kind->substitute(block, &by, &substituted, error));
        if (substituted != NULL)
            HCRI_TRY(hcri_set_add_block(changed, substituted, error));
    }
    return HCR_OK;
}

hcr_status hcri_units_change(const hcri_set *set, const double *unit, hcri_set *changed, hcr_error *error) {
    HCRI_TRY(hcri_set_copy(set, &set->allocator, changed, error));
    hcri_set_drop_functions(changed);
    hcri_rows *rows = &changed->linear->rows;
    for (size_t j = 0; j < set->n; j++) {
        changed->box->lower[j] /= unit[j];
        changed->box->upper[j] /= unit[j];
    }
    for (size_t k = 0; k < hcri_rows_entries(rows); k++)
        rows->values[k] *= unit[rows->columns[k]];
    HCRI_TRY(change_functions(set, unit, changed, error));
    return hcri_set_number(changed, error);
}
