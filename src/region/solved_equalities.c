#include "region/solved_equalities.h"

#include <math.h>
#include <string.h>

#include "base/double_double.h"
#include "kernels/kernels.h"

enum { BASIS_ROWS = 64, AT_ONCE = 8 };

void hcri_affine_release(hcri_affine *affine, const hcr_allocator *allocator) {
    hcri_release(allocator, affine->dependent);
    hcri_rows_release(&affine->map, allocator);
    hcri_release(allocator, affine->constant);
    hcri_release(allocator, affine->alike);
    hcri_rows_release(&affine->basis, allocator);
    for (size_t i = 0; i < affine->splits; i++)
        hcri_split_rows_release(&affine->split[i], allocator);
    hcri_release(allocator, affine->split);
    for (size_t b = 0; b < affine->blocks; b++) {
        hcri_release(allocator, affine->across[b].panels);
        hcri_release(allocator, affine->back[b].panels);
    }
    hcri_release(allocator, affine->across);
    hcri_release(allocator, affine->back);
    *affine = (hcri_affine){0};
}

/* How many rows from row i on have its columns. */
static size_t count_alike(const hcri_rows *rows, size_t i) {
    const size_t first = rows->start[i], terms = rows->start[i + 1] - first;
    size_t count = 1;
    while (i + count < rows->count && rows->start[i + count + 1] - rows->start[i + count] == terms &&
           memcmp(rows->columns + first, rows->columns + rows->start[i + count], terms * sizeof *rows->columns) == 0)
        count++;
    return count;
}

hcr_status hcri_affine_copy(const hcri_affine *affine, const hcr_allocator *allocator, hcri_affine *copy,
                            hcr_error *error) {
    *copy = (hcri_affine){.count = affine->count};
    if (affine->count == 0)
        return HCR_OK;
    copy->dependent = hcri_copy(allocator, affine->dependent, affine->count, sizeof *copy->dependent);
    copy->constant = hcri_copy(allocator, affine->constant, affine->count, sizeof *copy->constant);
    copy->alike = hcri_allocate(allocator, affine->count, sizeof *copy->alike);
    HCRI_ALLOCATED(copy->dependent && copy->constant && copy->alike);
    for (size_t i = 0; i < affine->count; i += copy->alike[i])
        copy->alike[i] = count_alike(&affine->map, i);
    HCRI_TRY(hcri_rows_append_all(&copy->map, allocator, &affine->map, error));
    return hcri_rows_append_all(&copy->basis, allocator, &affine->basis, error);
}

/* Dependent outputs increase and don't occur in the map, so that they can be completed in any order. */
static int is_sound(const hcri_affine *affine, size_t n) {
    if (affine->count > n || affine->map.count != affine->count || affine->basis.count != affine->count)
        return 0;
    for (size_t i = 0; i < affine->count; i++)
        if (affine->dependent[i] >= n || (i > 0 && affine->dependent[i] <= affine->dependent[i - 1]) ||
            !isfinite(affine->constant[i]))
            return 0;
    for (size_t i = 0; i < affine->count; i++) {
        size_t d = 0;
        for (size_t k = affine->map.start[i]; k < affine->map.start[i + 1]; k++) {
            while (d < affine->count && affine->dependent[d] < affine->map.columns[k])
                d++;
            if (d < affine->count && affine->dependent[d] == affine->map.columns[k])
                return 0;
        }
    }
    return 1;
}

void hcri_walk_affine(hcri_walk *walk, size_t n, hcri_affine *affine) {
    hcri_walk_count(walk, 12, &affine->count);
    hcri_walk_u32s(walk, affine->count, &affine->dependent);
    hcri_walk_f64s(walk, affine->count, &affine->constant);
    hcri_walk_rows(walk, n, &affine->map);
    hcri_walk_rows(walk, n, &affine->basis);
    if (hcri_walk_got(walk) && !is_sound(affine, n))
        walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "the solved equalities are damaged");
}

/* v = v − (q·v) q for one row of the basis, whose columns mostly are consecutive. */
static void project_off(const hcri_kernels *kernels, size_t terms, const uint32_t *columns, const double *q,
                        double *v) {
    if (terms != 0 && columns[terms - 1] - columns[0] == terms - 1) {
        double *part = v + columns[0];
        kernels->combine(terms, 1, part, -kernels->dot(terms, q, part), q, part);
        return;
    }
    const double along = kernels->row_dot(terms, columns, q, v);
    for (size_t k = 0; k < terms; k++)
        v[columns[k]] -= along * q[k];
}

/* Row i of `panels` has a number in column j. */
static void put(double *panels, size_t columns, size_t i, size_t j, double value) {
    panels[i / HCRI_PANEL * HCRI_PANEL * columns + HCRI_PANEL * j + i % HCRI_PANEL] = value;
}

static hcr_status make_block(const hcri_rows *basis, size_t first, size_t count, size_t outputs,
                             const hcr_allocator *allocator, hcri_run *across, hcri_run *back, hcr_error *error) {
    *across = (hcri_run){.form = HCRI_RUN_DENSE, .count = count};
    *back = (hcri_run){.form = HCRI_RUN_DENSE, .count = outputs};
    across->panels = hcri_allocate(allocator, outputs, BASIS_ROWS * sizeof *across->panels);
    back->panels = hcri_allocate(allocator, outputs + HCRI_PANEL, BASIS_ROWS * sizeof *back->panels);
    HCRI_ALLOCATED(across->panels && back->panels);
    for (size_t i = 0; i < count; i++)
        for (size_t k = basis->start[first + i]; k < basis->start[first + i + 1]; k++) {
            put(across->panels, outputs, i, basis->columns[k], basis->values[k]);
            put(back->panels, count, basis->columns[k], i, basis->values[k]);
        }
    return HCR_OK;
}

hcr_status hcri_affine_prepare(hcri_affine *affine, size_t outputs, const hcr_allocator *allocator, hcr_error *error) {
    const hcri_rows *map = &affine->map;
    affine->split = hcri_allocate(allocator, affine->count / 8 + 1, sizeof *affine->split);
    HCRI_ALLOCATED(affine->split);
    for (size_t i = 0; i < affine->count; i += affine->alike[i])
        if (hcri_split_rows_pay(affine->alike[i], map->start[i + 1] - map->start[i]))
            HCRI_TRY(hcri_split_rows_make(map, i, affine->alike[i], outputs, allocator,
                                          &affine->split[affine->splits++], error));
    if (affine->count < 8 || 2 * hcri_rows_entries(&affine->basis) < affine->count * outputs)
        return HCR_OK;
    const size_t blocks = (affine->count + BASIS_ROWS - 1) / BASIS_ROWS;
    affine->across = hcri_allocate(allocator, blocks, sizeof *affine->across);
    affine->back = hcri_allocate(allocator, blocks, sizeof *affine->back);
    HCRI_ALLOCATED(affine->across && affine->back);
    for (size_t first = 0; first < affine->count; first += BASIS_ROWS) {
        const size_t count = affine->count - first < BASIS_ROWS ? affine->count - first : BASIS_ROWS,
                     b = affine->blocks++;
        HCRI_TRY(
            make_block(&affine->basis, first, count, outputs, allocator, &affine->across[b], &affine->back[b], error));
    }
    return HCR_OK;
}

/* Once, at most AT_ONCE directions. */
static void project_blocks(const hcri_affine *affine, size_t samples, double *v, size_t stride) {
    const hcri_kernels *kernels = hcri_kernels_best();
    double along[AT_ONCE][BASIS_ROWS], off[AT_ONCE][BASIS_ROWS];
    for (size_t b = 0; b < affine->blocks; b++) {
        const hcri_run *across = &affine->across[b], *back = &affine->back[b];
        kernels->run_products(NULL, across, back->count, 0, across->count, samples, v, stride, along[0], BASIS_ROWS);
        for (size_t from = 0; from < back->count; from += BASIS_ROWS) {
            const size_t count = back->count - from < BASIS_ROWS ? back->count - from : BASIS_ROWS;
            kernels->run_products(NULL, back, across->count, from, count, samples, along[0], BASIS_ROWS, off[0],
                                  BASIS_ROWS);
            for (size_t s = 0; s < samples; s++)
                for (size_t j = 0; j < count; j++)
                    v[s * stride + from + j] -= off[s][j];
        }
    }
}

static double squares_of(const hcri_affine *affine, const double *v) {
    return hcri_kernels_best()->squares(affine->back[0].count, v);
}

void hcri_affine_project_all(const hcri_affine *affine, size_t samples, double *v, size_t stride) {
    const hcri_rows *basis = &affine->basis;
    if (affine->blocks == 0) {
        for (size_t s = 0; s < samples; s++)
            for (int round = 0; round < 2; round++)
                for (size_t i = 0; i < affine->count; i++)
                    project_off(hcri_kernels_best(), basis->start[i + 1] - basis->start[i],
                                basis->columns + basis->start[i], basis->values + basis->start[i], v + s * stride);
        return;
    }
    for (size_t from = 0; from < samples; from += AT_ONCE) {
        const size_t now = samples - from < AT_ONCE ? samples - from : AT_ONCE;
        double before[AT_ONCE], *some = v + from * stride;
        for (size_t s = 0; s < now; s++)
            before[s] = squares_of(affine, some + s * stride);
        project_blocks(affine, now, some, stride);
        for (size_t s = 0; s < now;
             s++) /* of one that keeps half of its length what is left of Q v is rounding of it */
            if (!(squares_of(affine, some + s * stride) >= 0.25 * before[s]))
                project_blocks(affine, 1, some + s * stride, stride);
    }
}

void hcri_affine_project(const hcri_affine *affine, double *v) { hcri_affine_project_all(affine, 1, v, 0); }

/* y_dependent = T y, plus the constant of a point, in rows from i on that are alike. What they take from y is collected
 * once. */
static void complete_alike(const hcri_affine *affine, size_t i, size_t alike, int is_point, int roughly, double *y) {
    enum { MOST_COLLECTED = 512 };
    const hcri_kernels *kernels = hcri_kernels_best();
    const hcri_rows *map = &affine->map;
    double collected[MOST_COLLECTED];
    const size_t start = map->start[i], terms = map->start[i + 1] - start;
    const uint32_t *columns = map->columns + start;
    const int collects = alike > 1 && terms <= MOST_COLLECTED;
    for (size_t k = 0; collects && k < terms; k++)
        collected[k] = y[columns[k]];
    for (size_t d = i; d < i + alike; d++) {
        const double *values = map->values + map->start[d], constant = is_point ? affine->constant[d] : 0;
        y[affine->dependent[d]] = !roughly   ? kernels->accurate->dot(terms, collects ? NULL : columns, values,
                                                                    collects ? collected : y, constant)
                                  : collects ? constant + kernels->dot(terms, values, collected)
                                             : constant + kernels->row_dot(terms, columns, values, y);
    }
}

static void complete(const hcri_affine *affine, int is_point, int roughly, size_t samples, double *y, size_t stride) {
    const hcri_split_rows *split = affine->split;
    for (size_t i = 0, alike; i < affine->count; i += alike) {
        alike = affine->alike == NULL ? count_alike(&affine->map, i) : affine->alike[i];
        if (!roughly && split != NULL && split < affine->split + affine->splits && split->first == i)
            hcri_split_rows_complete(split++, affine->dependent + i, is_point ? affine->constant + i : NULL, samples, y,
                                     stride);
        else
            for (size_t s = 0; s < samples; s++)
                complete_alike(affine, i, alike, is_point, roughly, y + s * stride);
    }
}

void hcri_affine_complete(const hcri_affine *affine, double *y) { complete(affine, 1, 0, 1, y, 0); }

void hcri_affine_complete_all(const hcri_affine *affine, size_t samples, double *y, size_t stride) {
    complete(affine, 1, 0, samples, y, stride);
}

void hcri_affine_complete_roughly(const hcri_affine *affine, double *y) { complete(affine, 1, 1, 1, y, 0); }

void hcri_affine_direct(const hcri_affine *affine, double *v) {
    hcri_affine_project(affine, v);
    hcri_affine_follow(affine, v);
}

void hcri_affine_follow(const hcri_affine *affine, double *v) { complete(affine, 0, 0, 1, v, 0); }

void hcri_affine_follow_all(const hcri_affine *affine, size_t samples, double *v, size_t stride) {
    complete(affine, 0, 0, samples, v, stride);
}

void hcri_affine_follow_adjoint(const hcri_affine *affine, size_t outputs, double *gradient) {
    for (size_t d = 0; d < affine->count; d++) {
        double *dependent = &gradient[affine->dependent[d]];
        for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++)
            if (affine->map.columns[k] < outputs)
                gradient[affine->map.columns[k]] += *dependent * affine->map.values[k];
        *dependent = 0;
    }
}

void hcri_affine_pull(const hcri_affine *affine, double *gradient) {
    for (size_t d = 0; d < affine->count; d++)
        hcri_rows_add(&affine->map, d, gradient[affine->dependent[d]], gradient);
}

size_t hcri_affine_find(const hcri_affine *affine, uint32_t j) {
    size_t low = 0, high = affine->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (affine->dependent[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < affine->count && affine->dependent[low] == j ? low : SIZE_MAX;
}

/* ----------------------------------------------------------------------------------------------------- tolerances */

void hcri_remainders_release(hcri_remainders *remainders, const hcr_allocator *allocator) {
    hcri_release(allocator, remainders->constant);
    hcri_rows_release(&remainders->rows, allocator);
    *remainders = (hcri_remainders){0};
}

/* One coefficient: a sum and the sum of its terms' sizes. */
typedef struct coefficient {
    double sum, size;
} coefficient;

/* One equality. */
typedef struct substituted {
    coefficient *of; /* n of them, zeros in between */
    size_t count;    /* those that were added to … */
    uint32_t *columns;
    double *values; /* … and what is left of them */
} substituted;

static void add_term(substituted *at, uint32_t column, double term) {
    coefficient *to = &at->of[column];
    if (to->size == 0 && term != 0)
        at->columns[at->count++] = column;
    to->sum += term;
    to->size += fabs(term);
}

/* Equality i with the dependent outputs put in. A sum of s + 1 products is off by (s + 1) units of its terms' sizes. */
static hcr_status find_remainder(const hcri_affine *affine, const hcri_equalities *equalities, size_t i,
                                 substituted *at, const hcr_allocator *allocator, hcri_remainders *to,
                                 hcr_error *error) {
    static const double unit = 0x1p-53, exact = 0x1p-900; /* products that are less may lose digits */
    const hcri_rows *rows = &equalities->rows, *map = &affine->map;
    hcri_dd constant = {-equalities->right[i], 0};
    double size = fabs(equalities->right[i]), dependents = 0;
    at->count = 0;
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const double a = rows->values[k];
        const size_t d = hcri_affine_find(affine, rows->columns[k]);
        if (d == SIZE_MAX) {
            add_term(at, rows->columns[k], a);
            continue;
        }
        dependents++;
        constant = hcri_dd_add_product(constant, a, affine->constant[d]);
        size += fabs(a * affine->constant[d]);
        for (size_t t = map->start[d]; t < map->start[d + 1]; t++)
            add_term(at, map->columns[t], a * map->values[t]);
    }
    const double off = fabs(hcri_dd_value(constant));
    to->constant[i] = off <= 4 * unit * size ? 0 : (1 + 8 * unit) * off + 4 * unit * size;
    size_t count = 0;
    for (size_t k = 0; k < at->count; k++) {
        const uint32_t column = at->columns[k];
        const coefficient c = at->of[column];
        at->of[column] = (coefficient){0, 0};
        if (c.size >= exact && fabs(c.sum) <= 6 * unit * c.size)
            continue;
        at->columns[count] = column;
        at->values[count++] = fabs(c.sum) + (dependents + 2) * (unit * c.size + 0x1p-1074);
    }
    return hcri_rows_append(&to->rows, allocator, count, at->columns, at->values, error);
}

hcr_status hcri_remainders_find(const hcri_affine *affine, const hcri_equalities *equalities, size_t n,
                                const hcr_allocator *allocator, hcri_remainders *remainders, hcr_error *error) {
    *remainders =
        (hcri_remainders){.constant = hcri_allocate(allocator, equalities->rows.count, sizeof *remainders->constant)};
    HCRI_SCRATCH(scratch, allocator);
    substituted at = {.of = hcri_allocate(scratch, n, sizeof *at.of),
                      .columns = hcri_allocate(scratch, n, sizeof *at.columns),
                      .values = hcri_allocate(scratch, n, sizeof *at.values)};
    HCRI_ALLOCATED(remainders->constant && at.of && at.columns && at.values);
    for (size_t i = 0; i < equalities->rows.count; i++)
        HCRI_TRY(find_remainder(affine, equalities, i, &at, allocator, remainders, error));
    return HCR_OK;
}

double hcri_affine_tolerance(const hcri_affine *affine, const hcri_equalities *equalities,
                             const hcri_remainders *remainders, size_t i, size_t outputs, const double *y,
                             const double *x, double unit) {
    const hcri_rows *rows = &equalities->rows, *rest = &remainders->rows;
    const double least = unit > 0x1p-53 ? 0x1p-149 : 0x1p-1074; /* of the output type's numbers */
    double solved = 0, rounded = 0, terms = fabs(equalities->right[i]), dependents = 0;
    double remains = remainders->constant[i];
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const double a = fabs(rows->values[k]);
        const uint32_t j = rows->columns[k];
        const double size = fabs(j < outputs ? y[j] : x[j - outputs]);
        const size_t d = hcri_affine_find(affine, j);
        terms += a * size;
        if (d == SIZE_MAX)
            continue;
        double absolute = fabs(affine->constant[d]);
        for (size_t t = affine->map.start[d]; t < affine->map.start[d + 1]; t++) {
            const uint32_t free = affine->map.columns[t];
            absolute += fabs(affine->map.values[t] * (free < outputs ? y[free] : x[free - outputs]));
        }
        solved += a * absolute;
        rounded += a * (2 * unit * size + least);
        dependents++;
    }
    for (size_t k = rest->start[i]; k < rest->start[i + 1]; k++) {
        const uint32_t j = rest->columns[k];
        remains += rest->values[k] * fabs(j < outputs ? y[j] : x[j - outputs]);
    }
    return 1.01 * (rounded + (dependents + 8) * 0x1p-53 * (solved + terms) + remains) + 0x1p-1000;
}
