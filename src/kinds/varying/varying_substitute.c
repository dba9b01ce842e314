/* Rows with products in fewer coordinates: with l = c_l + T_l z and r = c_r + T_r z
 *     l r = c_r l + c_l r − c_l c_r + (T_l z)(T_r z),
 * the first two of which belong to the row, and the last gives the products that are left. */

#include "functions/substitution.h"
#include "kinds/block.h"
#include "kinds/linear/linear.h"
#include "kinds/varying/varying.h"

/* What has been made of the rows so far. */
typedef struct substituted {
    const hcri_varying *varying;
    const hcri_substitution *by;
    const hcr_allocator *allocator;
    hcri_rows rows;
    double *lower, *upper; /* a row each */
    size_t *origin_of;     /* the row that it was */
    size_t entries, capacity[3], *start;
    uint32_t *left, *right;
    double *values;
    double *dense; /* scratch: a row over the old columns */
    int keeps_all; /* rows that are constant */
} substituted;

static hcr_status start(substituted *made, hcr_error *error) {
    const size_t count = made->varying->rows.count;
    made->lower = hcri_allocate(made->allocator, count, sizeof *made->lower);
    made->upper = hcri_allocate(made->allocator, count, sizeof *made->upper);
    made->origin_of = hcri_allocate(made->allocator, count, sizeof *made->origin_of);
    made->start = hcri_allocate(made->allocator, count + 1, sizeof *made->start);
    made->dense = hcri_allocate(made->allocator, made->varying->base.n, sizeof *made->dense);
    return made->lower == NULL || made->upper == NULL || made->origin_of == NULL || made->start == NULL ||
                   made->dense == NULL
               ? hcri_fail_memory(error)
               : HCR_OK;
}

static hcr_status add_product(substituted *made, uint32_t left, uint32_t right, double a, hcr_error *error) {
    const size_t needed = made->entries + 1;
    HCRI_ALLOCATED(HCRI_GROW(made->allocator, made->left, &made->capacity[0], needed) &&
                   HCRI_GROW(made->allocator, made->right, &made->capacity[1], needed) &&
                   HCRI_GROW(made->allocator, made->values, &made->capacity[2], needed));
    made->left[made->entries] = left;
    made->right[made->entries] = right;
    made->values[made->entries++] = a;
    return HCR_OK;
}

/* One product; *constant gets the part of it that the row counts twice. */
static hcr_status split_product(substituted *made, size_t pair, double a, double *constant, hcr_error *error) {
    const hcri_rows *map = &made->by->map;
    const uint32_t left = made->varying->left[pair], right = made->varying->right[pair];
    const double at_left = made->by->constant[left], at_right = made->by->constant[right];
    made->dense[left] += a * at_right;
    if (map->start[right] == map->start[right + 1])
        return HCR_OK;
    made->dense[right] += a * at_left;
    *constant += a * at_left * at_right;
    for (size_t k = map->start[left]; k < map->start[left + 1]; k++)
        for (size_t l = map->start[right]; l < map->start[right + 1]; l++)
            HCRI_TRY(add_product(made, map->columns[k], map->columns[l], a * map->values[k] * map->values[l], error));
    return HCR_OK;
}

static hcr_status add_row(substituted *made, hcri_substituted *row, size_t i, hcr_error *error) {
    const hcri_varying *varying = made->varying;
    const hcri_rows *rows = &varying->rows, *products = &varying->products;
    const size_t before = made->entries, at = made->rows.count;
    double twice = 0;
    for (size_t j = 0; j < varying->base.n; j++)
        made->dense[j] = 0;
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        made->dense[rows->columns[k]] = rows->values[k];
    for (size_t k = products->start[i]; k < products->start[i + 1]; k++)
        HCRI_TRY(split_product(made, products->columns[k], products->values[k], &twice, error));
    hcri_substituted_vector(row, made->dense);
    const double constant = row->constant - twice;
    const double lower = varying->lower[i] - constant, upper = varying->upper[i] - constant;
    if (row->count == 0 && made->entries == before && !made->keeps_all) {
        if (lower <= 0 && 0 <= upper)
            return HCR_OK;
        return hcri_fail(error, HCR_ERROR_EMPTY, "the equalities leave no freedom to a row, which is then %.3g",
                         constant);
    }
    made->lower[at] = lower;
    made->upper[at] = upper;
    made->origin_of[at] = i;
    made->start[at + 1] = made->entries;
    return hcri_rows_append(&made->rows, made->allocator, row->count, row->columns, row->values, error);
}

static hcr_status make_linear(const substituted *made, hcri_constraint **block, hcr_error *error) {
    const hcri_rows *rows = &made->rows;
    hcri_constraint *linear = NULL;
    HCRI_TRY(hcri_linear_create(made->by->coordinates, made->varying->base.allocator, &linear, error));
    hcr_status status = HCR_OK;
    for (size_t i = 0; i < rows->count && status == HCR_OK; i++)
        status = hcri_linear_append((hcri_linear *)linear, hcri_rows_row(rows, i), made->lower[i], made->upper[i],
                                    (hcri_source_row){0, 0}, error);
    return hcri_block_finish(linear, status, block);
}

/* The block of the rows that are left; NULL when none is. */
static hcr_status finish(const substituted *made, hcri_constraint **block, hcr_error *error) {
    *block = NULL;
    if (made->rows.count == 0)
        return HCR_OK;
    const hcri_bilinear products = {made->start, made->left, made->right, made->values};
    HCRI_TRY(made->entries == 0 && !made->keeps_all
                 ? make_linear(made, block, error)
                 : hcri_varying_create(made->by->coordinates, made->varying->base.allocator, &made->rows, &products,
                                       made->lower, made->upper, block, error));
    const hcri_constraint *from = &made->varying->base;
    for (size_t i = 0; i < (*block)->count; i++) {
        (*block)->source[i] = from->source[2 * made->origin_of[i / 2] + i % 2];
        (*block)->source_row[i] = from->source_row[2 * made->origin_of[i / 2] + i % 2];
    }
    return HCR_OK;
}

static hcr_status substitute(const hcri_constraint *constraint, const hcri_substitution *substitution, int keeps_all,
                             hcri_constraint **block, hcr_error *error) {
    HCRI_SCRATCH(scratch, constraint->allocator);
    substituted made = {
        .varying = (const hcri_varying *)constraint, .by = substitution, .allocator = scratch, .keeps_all = keeps_all};
    hcri_substituted row;
    HCRI_TRY(start(&made, error));
    HCRI_TRY(hcri_substituted_start(&row, substitution, scratch, error));
    for (size_t i = 0; i < made.varying->rows.count; i++)
        HCRI_TRY(add_row(&made, &row, i, error));
    return finish(&made, block, error);
}

hcr_status hcri_varying_substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                                   hcri_constraint **block, hcr_error *error) {
    return substitute(constraint, substitution, 0, block, error);
}

hcr_status hcri_varying_substitute_all(const hcri_constraint *constraint, const hcri_substitution *substitution,
                                       hcri_constraint **block, hcr_error *error) {
    return substitute(constraint, substitution, 1, block, error);
}
