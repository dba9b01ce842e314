/* The constraints of an active set: bounds, rows and equalities of a region, and cuts, each scaled to length 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "project/active_set_state.h"
#include "project/projection_tolerances.h"

void hcri_active_set_free(hcri_active_set *a) {
    if (a == NULL)
        return;
    void *owned[] = {a->start,      a->columns,
                     a->values,     a->lower,
                     a->upper,      a->length,
                     a->right,      a->rounding,
                     a->y,          a->safe,
                     a->side,       a->inverse_size,
                     a->step,       a->spread,
                     a->constraint, a->is_active,
                     a->multiplier, a->correction,
                     a->direction,  a->p,
                     a->cross,      a->whole,
                     a->entries,    a->row_columns,
                     a->size,       a};
    hcri_envelope_release(&a->gram);
    hcri_coordinates_release(&a->coordinates);
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
    const size_t outputs = a->coordinates.outputs;
    double **numbers[] = {&a->p, &a->y, &a->size, &a->inverse_size, &a->spread, &a->direction, &a->whole};
    a->entries = calloc(outputs, sizeof *a->entries);
    a->row_columns = calloc(outputs, sizeof *a->row_columns);
    int good = a->entries != NULL && a->row_columns != NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        good &= (*numbers[i] = calloc(outputs, sizeof **numbers[i])) != NULL;
    return good;
}

/* What rounding does to the value of constraint c in the region, of which `size` is left in y: coordinates of what
 * equalities leave may be much smaller than what they come from. */
static void find_rounding(hcri_active_set *a, size_t c, double size) {
    const size_t start = a->start[c], end = a->start[c + 1];
    double total = size / a->length[c];
    for (size_t k = start; k < end; k++)
        total += fabs(a->values[k]) / a->inverse_size[a->columns[k]];
    a->rounding[c] = 4 * ((double)(end - start) + 4) * 0x1p-53 * total;
}

/* One more constraint as it is in z, scaled to length 1. 0 without memory. */
static int append_unit(hcri_active_set *a, size_t terms, const uint32_t *columns, const double *values, double length,
                       double lower, double upper) {
    const size_t c = a->count, start = c == 0 ? 0 : a->start[c];
    if (!reserve(a, c + 1, start + terms))
        return 0;
    const double divisor = length > 0 ? length : 1; /* a row of zeros holds whatever y is */
    for (size_t k = 0; k < terms; k++) {
        a->columns[start + k] = columns[k];
        a->values[start + k] = values[k] / divisor;
    }
    a->start[c] = start;
    a->start[c + 1] = start + terms;
    a->lower[c] = length > 0 ? lower / length : -INFINITY;
    a->upper[c] = length > 0 ? upper / length : INFINITY;
    a->length[c] = divisor;
    find_rounding(a, c, 0);
    a->safe[c] = 0;
    a->is_active[c] = 0;
    a->count++;
    return 1;
}

/* What a row is at O: 0 where z isn't counted from there. */
static double at_origin(const hcri_active_set *a, const hcri_active_row *row) {
    return a->coordinates.basis == NULL ? 0 : hcri_active_row_dot(a, *row, a->coordinates.origin);
}

static double size_in_region(const hcri_active_set *a, const hcri_active_row *row) {
    double sum = 0;
    for (size_t k = 0; k < row->terms; k++)
        sum += fabs(row->values[k]) * a->size[row->columns[k]];
    return sum;
}

/* The same from y. */
static int append(hcri_active_set *a, const hcri_active_row *row, double lower, double upper) {
    const hcri_coordinates *coordinates = &a->coordinates;
    const int fixes = coordinates->basis != NULL;
    if (coordinates->metric == NULL && !fixes)
        return append_unit(a, row->terms, row->columns, row->values,
                           row->terms == 1 ? fabs(row->values[0]) : hcri_norm(row->terms, row->values), lower, upper);
    memset(a->whole, 0, coordinates->outputs * sizeof *a->whole);
    for (size_t k = 0; k < row->terms; k++)
        a->whole[row->columns[k]] = row->values[k];
    const double before = hcri_coordinates_turn(coordinates, a->whole);
    size_t left = 0;
    for (uint32_t j = 0; j < a->n; j++)
        if (a->whole[j] != 0) {
            a->entries[left] = j;
            a->whole[left++] = a->whole[j];
        }
    const double length = hcri_norm(left, a->whole), at = at_origin(a, row);
    if (fixes && !(length * length > hcri_row_independence * before * before)) /* the equalities decide it */
        return append_unit(a, 0, NULL, NULL, 0, lower, upper);
    if (!append_unit(a, left, a->entries, a->whole, length, lower - at, upper - at))
        return 0;
    if (fixes)
        find_rounding(a, a->count - 1, size_in_region(a, row));
    return 1;
}

static int is_open(const hcr_region *region, size_t j) { return isinf(region->lower[j]) || isinf(region->upper[j]); }

/* As far from 0 as output j of the origin gets within the parameters' range. */
static double farthest_origin(const hcr_region *region, size_t j) {
    const hcri_origin_map *map = &region->origin_map;
    double far = fabs(region->origin[j]);
    if (map->parameters == 0)
        return far;
    for (size_t k = map->map.start[j]; k < map->map.start[j + 1]; k++)
        far += 0.5 * fabs(map->map.values[k]) * (map->upper[map->map.columns[k]] - map->lower[map->map.columns[k]]);
    return far;
}

/* Samples have centres of their own, or an origin that may be anywhere. */
static int sizes_move(const hcr_region *region) {
    int move = region->centres != NULL || region->origin_map.brought;
    for (size_t j = 0; j < region->set.outputs && !move; j++)
        move = is_open(region, j) && !isfinite(farthest_origin(region, j));
    return move;
}

/* How large an output gets; where the region is open, about as large as what is near the origin, and so where samples
 * have centres of their own: ranges without ends reach far beyond any of them. */
static double size_of(const hcri_active_set *a, const double *origin, size_t j) {
    const hcr_region *region = a->region;
    if (region->centres != NULL || is_open(region, j))
        return (a->sizes_move ? fabs(origin[j]) : farthest_origin(region, j)) + region->inradius;
    return fmax(fmax(fabs(region->lower[j]), fabs(region->upper[j])), region->inradius);
}

static void find_sizes(hcri_active_set *a, const double *origin) {
    for (size_t j = 0; j < a->coordinates.outputs; j++)
        a->size[j] = size_of(a, origin, j);
    hcri_coordinates_sizes(&a->coordinates, a->size, a->inverse_size);
    for (size_t j = 0; j < a->n; j++)
        a->inverse_size[j] = 1 / a->inverse_size[j];
}

hcri_active_row hcri_active_row_at(const hcri_active_set *a, size_t c) {
    static const double one = 1;
    const size_t outputs = a->coordinates.outputs;
    if (c < outputs) {
        a->row_columns[0] = (uint32_t)c;
        return (hcri_active_row){1, a->row_columns, &one};
    }
    const hcri_rows *rows = &a->region->set.linear->rows;
    const size_t i = c - outputs, start = rows->start[i];
    size_t terms = rows->start[i + 1] - start;
    while (terms > 0 && rows->columns[start + terms - 1] >= outputs)
        terms--;
    return (hcri_active_row){terms, rows->columns + start, rows->values + start};
}

/* Its sides at the parameters x. */
static void sides_at(const hcri_active_set *a, size_t c, const double *x, double *lower, double *upper) {
    const hcri_set *set = &a->region->set;
    const hcri_linear *linear = set->linear;
    const size_t outputs = a->coordinates.outputs;
    if (c < outputs) {
        *lower = set->box->lower[c];
        *upper = set->box->upper[c];
        return;
    }
    const size_t i = c - outputs;
    double moved = 0;
    for (size_t k = linear->rows.start[i + 1]; k > linear->rows.start[i] && linear->rows.columns[k - 1] >= outputs; k--)
        moved += linear->rows.values[k - 1] * x[linear->rows.columns[k - 1] - outputs];
    *lower = linear->lower[i] - moved;
    *upper = linear->upper[i] - moved;
}

/* The sides alone, where no coefficient moves, and what rounding does to them. */
static void move_sides(hcri_active_set *a, const double *point) {
    const hcri_rows *basis = &a->region->affine.basis;
    const size_t outputs = a->coordinates.outputs;
    const int turned = a->coordinates.basis != NULL;
    a->count = a->cut;
    for (size_t c = turned || a->sizes_move ? 0 : outputs; c < a->equality; c++) {
        if (a->rounding[c] == 0) /* a row of zeros */
            continue;
        const hcri_active_row row = hcri_active_row_at(a, c);
        const double at = at_origin(a, &row);
        double lower, upper;
        sides_at(a, c, point + outputs, &lower, &upper);
        a->lower[c] = (lower - at) / a->length[c];
        a->upper[c] = (upper - at) / a->length[c];
        if (a->sizes_move)
            find_rounding(a, c, turned ? size_in_region(a, &row) : 0);
    }
    for (size_t i = 0; i < a->cut - a->equality; i++) {
        const size_t c = a->equality + i;
        a->lower[c] = a->upper[c] = hcri_rows_dot(basis, i, point, NULL) / a->length[c];
        if (a->sizes_move)
            find_rounding(a, c, 0);
    }
}

static int append_bilinear_row(hcri_active_set *a, const hcri_constraint *block, size_t i, const double *x) {
    double lower, upper;
    /* Both are free between points; a->entries and a->whole are what `append` needs. */
    uint32_t *columns = a->row_columns;
    double *values = a->direction;
    const size_t terms = block->kind->row_at(block, i, a->coordinates.outputs, x, columns, values, &lower, &upper);
    return append(a, &(hcri_active_row){terms, columns, values}, lower, upper);
}

int hcri_active_set_place(hcri_active_set *a, const double *point) {
    const hcri_set *set = &a->region->set;
    const hcri_rows *basis = &a->region->affine.basis;
    const size_t outputs = a->coordinates.outputs, rows = outputs + set->linear->rows.count;
    const double *x = point + outputs;
    const int is_first = a->cut == 0, moves_sides = !is_first && set->blocks == 2;
    int good = 1;
    for (size_t i = 0; i < a->active && !(a->warm && moves_sides); i++)
        a->is_active[a->constraint[i]] = 0;
    a->active = a->warm && moves_sides ? a->active : 0;
    if (a->coordinates.basis != NULL)
        memcpy(a->coordinates.origin, point, outputs * sizeof *point);
    if (is_first || a->sizes_move)
        find_sizes(a, point);
    if (moves_sides) {
        move_sides(a, point);
        return 1;
    }
    a->count = 0;
    for (size_t c = 0; c < rows && good; c++) {
        const hcri_active_row row = hcri_active_row_at(a, c);
        double lower, upper;
        sides_at(a, c, x, &lower, &upper);
        good = append(a, &row, lower, upper);
    }
    for (size_t b = 2; b < set->blocks; b++)
        for (size_t i = 0; set->block[b]->kind->is_bilinear && 2 * i < set->block[b]->count && good; i++)
            good = append_bilinear_row(a, set->block[b], i, x);
    a->equality = a->count;
    for (size_t i = a->coordinates.fixed; i < basis->count && good; i++) {
        const size_t start = basis->start[i];
        const double right = hcri_rows_dot(basis, i, point, NULL);
        const hcri_active_row row = {basis->start[i + 1] - start, basis->columns + start, basis->values + start};
        good = append(a, &row, right, right);
    }
    a->cut = a->count;
    return good;
}

hcr_status hcri_active_set_create(const hcr_region *region, const hcri_metric *metric, hcri_active_set **active_set,
                                  hcr_error *error) {
    hcri_active_set *a = calloc(1, sizeof *a);
    HCRI_ALLOCATED(a);
    a->region = region;
    hcr_status status = hcri_coordinates_create(region, metric, &a->coordinates, error);
    a->n = a->coordinates.count;
    a->bounds = a->coordinates.basis == NULL && (metric == NULL || metric->is_diagonal) ? a->n : 0;
    a->sizes_move = sizes_move(region);
    a->kernels = hcri_kernels_best();
    if (status == HCR_OK && (!allocate(a) || !hcri_active_set_place(a, region->origin)))
        status = hcri_fail_memory(error);
    if (status != HCR_OK)
        hcri_active_set_free(a);
    else
        *active_set = a;
    return status;
}

void hcri_active_set_warm(hcri_active_set *a, int warm) { a->warm = warm; }

int hcri_active_set_cut(hcri_active_set *a, size_t terms, const uint32_t *columns, const double *values, double right) {
    return append(a, &(hcri_active_row){terms, columns, values}, -INFINITY, right);
}
