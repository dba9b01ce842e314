/* The constraints of an active set: bounds, rows and equalities of a region, and cuts, each scaled to length 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "project/active_set_state.h"

void hcri_active_set_free(hcri_active_set *a) {
    if (a == NULL)
        return;
    void *owned[] = {a->start,     a->columns,      a->values,     a->lower,       a->upper,
                     a->length,    a->right,        a->rounding,   a->y,           a->safe,
                     a->side,      a->inverse_size, a->step,       a->spread,      a->constraint,
                     a->is_active, a->multiplier,   a->correction, a->direction,   a->p,
                     a->cross,     a->whole,        a->entries,    a->row_columns, a};
    hcri_envelope_release(&a->gram);
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

/* Room for so many constraints and entries. */
static int reserve(hcri_active_set *a, size_t count, size_t entries) {
    if (count > a->capacity) {
        const size_t capacity = count + count / 2;
        size_t *start = realloc(a->start, (capacity + 1) * sizeof *start);
        if (start == NULL)
            return 0;
        a->start = start;
        double **numbers[] = {&a->lower, &a->upper, &a->rounding, &a->safe, &a->length, &a->right};
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            double *grown = realloc(*numbers[i], capacity * sizeof *grown);
            if (grown == NULL)
                return 0;
            *numbers[i] = grown;
        }
        unsigned char *is_active = realloc(a->is_active, capacity);
        if (is_active == NULL)
            return 0;
        a->is_active = is_active;
        a->capacity = capacity;
    }
    if (entries > a->entry_capacity) {
        const size_t capacity = entries + entries / 2;
        uint32_t *columns = realloc(a->columns, capacity * sizeof *columns);
        if (columns == NULL)
            return 0;
        a->columns = columns;
        double *values = realloc(a->values, capacity * sizeof *values);
        if (values == NULL)
            return 0;
        a->values = values;
        a->entry_capacity = capacity;
    }
    return 1;
}

static int allocate(hcri_active_set *a) {
    double **numbers[] = {&a->p, &a->y, &a->inverse_size, &a->spread, &a->direction, &a->whole};
    a->entries = calloc(a->n, sizeof *a->entries);
    a->row_columns = calloc(a->n, sizeof *a->row_columns);
    int good = a->entries != NULL && a->row_columns != NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        good &= (*numbers[i] = calloc(a->n, sizeof **numbers[i])) != NULL;
    return good;
}

/* One more constraint as it is in z, scaled to length 1. 0 without memory. */
static int append_unit(hcri_active_set *a, size_t terms, const uint32_t *columns, const double *values, double length,
                       double lower, double upper) {
    const size_t c = a->count, start = c == 0 ? 0 : a->start[c];
    if (!reserve(a, c + 1, start + terms))
        return 0;
    const double divisor = length > 0 ? length : 1; /* a row of zeros holds whatever y is */
    double total = 0;
    for (size_t k = 0; k < terms; k++) {
        a->columns[start + k] = columns[k];
        a->values[start + k] = values[k] / divisor;
        total += fabs(a->values[start + k]) / a->inverse_size[columns[k]];
    }
    a->start[c] = start;
    a->start[c + 1] = start + terms;
    a->lower[c] = length > 0 ? lower / length : -INFINITY;
    a->upper[c] = length > 0 ? upper / length : INFINITY;
    a->length[c] = divisor;
    a->rounding[c] = 4 * ((double)terms + 4) * 0x1p-53 * total;
    a->safe[c] = 0;
    a->is_active[c] = 0;
    a->count++;
    return 1;
}

/* The same from y. */
static int append(hcri_active_set *a, size_t terms, const uint32_t *columns, const double *values, double lower,
                  double upper) {
    if (a->metric == NULL)
        return append_unit(a, terms, columns, values, terms == 1 ? fabs(values[0]) : hcri_norm(terms, values), lower,
                           upper);
    memset(a->whole, 0, a->n * sizeof *a->whole);
    for (size_t k = 0; k < terms; k++)
        a->whole[columns[k]] = values[k];
    hcri_metric_turn(a->metric, a->whole);
    size_t left = 0;
    for (uint32_t j = 0; j < a->n; j++)
        if (a->whole[j] != 0) {
            a->entries[left] = j;
            a->whole[left++] = a->whole[j];
        }
    return append_unit(a, left, a->entries, a->whole, hcri_norm(left, a->whole), lower, upper);
}

/* How large an output gets; where the region is open, about as large as what is near the origin, and so where samples
 * have centres of their own: ranges without ends reach far beyond any of them. */
static double size_of(const hcr_region *region, const double *origin, size_t j) {
    const double low = fabs(region->lower[j]), high = fabs(region->upper[j]);
    const double near = fabs(origin[j]) + region->inradius;
    return isinf(low) || isinf(high) || region->centres != NULL ? near : fmax(fmax(low, high), region->inradius);
}

/* Returns whether they are what they were. */
static int find_sizes(hcri_active_set *a, const double *origin) {
    const hcri_metric *metric = a->metric;
    int same = 1;
    for (size_t j = 0; j < a->n; j++) {
        double size = metric == NULL ? size_of(a->region, origin, j) : 0;
        for (size_t k = 0; metric != NULL && k < a->n; k++)
            if (!metric->is_diagonal || k == j)
                size += fabs(metric->root[metric->is_diagonal ? j : k * a->n + j]) * size_of(a->region, origin, k);
        same &= a->inverse_size[j] == 1 / size;
        a->inverse_size[j] = 1 / size;
    }
    return same;
}

/* Row i at the parameters x: what those leave of its sides; returns how many of its entries are outputs'. */
static size_t split_row(const hcri_active_set *a, size_t i, const double *x, double *lower, double *upper) {
    const hcri_linear *linear = a->region->set.linear;
    const hcri_rows *rows = &linear->rows;
    const size_t start = rows->start[i];
    size_t terms = rows->start[i + 1] - start;
    double moved = 0;
    for (; terms > 0 && rows->columns[start + terms - 1] >= a->n; terms--)
        moved += rows->values[start + terms - 1] * x[rows->columns[start + terms - 1] - a->n];
    *lower = linear->lower[i] - moved;
    *upper = linear->upper[i] - moved;
    return terms;
}

static int append_row(hcri_active_set *a, size_t i, const double *x) {
    const hcri_rows *rows = &a->region->set.linear->rows;
    double lower, upper;
    const size_t terms = split_row(a, i, x, &lower, &upper);
    return append(a, terms, rows->columns + rows->start[i], rows->values + rows->start[i], lower, upper);
}

/* The sides alone, where no coefficient moves. */
static void move_sides(hcri_active_set *a, const double *point) {
    const hcri_rows *basis = &a->region->affine.basis;
    a->count = a->cut;
    for (size_t i = 0; i < a->region->set.linear->rows.count; i++) {
        double lower, upper;
        (void)split_row(a, i, point + a->n, &lower, &upper);
        if (a->rounding[a->n + i] == 0) /* a row of zeros */
            continue;
        a->lower[a->n + i] = lower / a->length[a->n + i];
        a->upper[a->n + i] = upper / a->length[a->n + i];
    }
    for (size_t i = 0; i < basis->count; i++)
        a->lower[a->equality + i] = a->upper[a->equality + i] =
            hcri_rows_dot(basis, i, point, NULL) / a->length[a->equality + i];
}

static int append_bilinear_row(hcri_active_set *a, const hcri_constraint *block, size_t i, const double *x) {
    double lower, upper;
    /* Both are free between points; a->entries and a->whole are what `append` needs. */
    uint32_t *columns = a->row_columns;
    double *values = a->direction;
    const size_t terms = block->kind->row_at(block, i, a->n, x, columns, values, &lower, &upper);
    return append(a, terms, columns, values, lower, upper);
}

int hcri_active_set_place(hcri_active_set *a, const double *point) {
    static const double one = 1;
    const hcri_set *set = &a->region->set;
    const hcri_rows *basis = &a->region->affine.basis;
    const double *x = point + a->n;
    int good = 1;
    for (size_t i = 0; i < a->active; i++)
        a->is_active[a->constraint[i]] = 0;
    a->active = 0;
    if (find_sizes(a, point) && a->cut != 0 && set->blocks == 2) {
        move_sides(a, point);
        return 1;
    }
    a->count = 0;
    for (uint32_t j = 0; j < a->n && good; j++)
        good = append(a, 1, &j, &one, set->box->lower[j], set->box->upper[j]);
    for (size_t i = 0; i < set->linear->rows.count && good; i++)
        good = append_row(a, i, x);
    for (size_t b = 2; b < set->blocks; b++)
        for (size_t i = 0; set->block[b]->kind->is_bilinear && 2 * i < set->block[b]->count && good; i++)
            good = append_bilinear_row(a, set->block[b], i, x);
    a->equality = a->count;
    for (size_t i = 0; i < basis->count && good; i++) {
        const size_t start = basis->start[i];
        const double right = hcri_rows_dot(basis, i, point, NULL);
        good = append(a, basis->start[i + 1] - start, basis->columns + start, basis->values + start, right, right);
    }
    a->cut = a->count;
    return good;
}

hcr_status hcri_active_set_create(const hcr_region *region, const hcri_metric *metric, hcri_active_set **active_set,
                                  hcr_error *error) {
    hcri_active_set *a = calloc(1, sizeof *a);
    if (a == NULL)
        return hcri_fail_memory(error);
    a->region = region;
    a->metric = metric;
    a->n = region->set.outputs;
    a->bounds = metric == NULL || metric->is_diagonal ? a->n : 0;
    a->kernels = hcri_kernels_best();
    if (!allocate(a) || !hcri_active_set_place(a, region->origin)) {
        hcri_active_set_free(a);
        return hcri_fail_memory(error);
    }
    *active_set = a;
    return HCR_OK;
}

void hcri_active_set_warm(hcri_active_set *a, int warm) { a->warm = warm; }

int hcri_active_set_cut(hcri_active_set *a, size_t terms, const uint32_t *columns, const double *values, double right) {
    return append(a, terms, columns, values, -INFINITY, right);
}
