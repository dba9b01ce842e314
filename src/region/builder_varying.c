/* Rows and cones whose coefficients move with the parameters, from the caller: checked, and without zeros. */
#include <math.h>

#include "kinds/varying_cone/varying_cone.h"
#include "region/builder.h"

static hcr_status check_product(const hcri_set *set, const hcr_varying_rows *varying, size_t i, size_t k,
                                hcr_error *error) {
    const uint32_t output = varying->product_outputs[k], parameter = varying->product_parameters[k];
    const size_t parameters = set->n - set->outputs;
    HCRI_FAIL_IF(output >= set->outputs || parameter >= parameters, HCR_ERROR_SHAPE,
                 "row %zu has a product of output %u and parameter %u: there are %zu and %zu", i, (unsigned)output,
                 (unsigned)parameter, set->outputs, parameters);
    HCRI_FAIL_IF(!(fabs(varying->product_values[k]) <= HCRI_LARGEST_COEFFICIENT), HCR_ERROR_DATA,
                 "row %zu has the coefficient %g of a product: at most 1e50 is accepted", i,
                 varying->product_values[k]);
    return HCR_OK;
}

static hcr_status check(const hcr_builder *builder, const hcr_varying_rows *varying, hcr_error *error) {
    const size_t rows = varying->rows, *start = varying->product_start;
    HCRI_TRY(hcri_builder_check_rows(builder, rows, varying->start, varying->columns, varying->values, error));
    HCRI_TRY(hcri_builder_check_bounds(rows, varying->lower, varying->upper, "row", error));
    HCRI_FAIL_IF(rows != 0 && (start == NULL || (start[rows] != start[0] && (varying->product_outputs == NULL ||
                                                                             varying->product_parameters == NULL ||
                                                                             varying->product_values == NULL))),
                 HCR_ERROR_ARGUMENT, "product_start, _outputs, _parameters or _values is NULL");
    HCRI_FAIL_IF(
        builder->group != NULL, HCR_ERROR_UNSUPPORTED,
        "a constraint whose coefficients move with parameters can't be part of a union or of a set that is cut out");
    for (size_t i = 0; i < rows; i++) {
        HCRI_FAIL_IF(start[i + 1] < start[i] || varying->start[i + 1] < varying->start[i], HCR_ERROR_SHAPE,
                     "row %zu ends before it starts", i);
        for (size_t k = start[i]; k < start[i + 1]; k++)
            HCRI_TRY(check_product(&builder->set, varying, i, k, error));
        const double lower = varying->lower == NULL ? -INFINITY : varying->lower[i];
        const double upper = varying->upper == NULL ? INFINITY : varying->upper[i];
        HCRI_FAIL_IF(lower > upper, HCR_ERROR_EMPTY, "row %zu has bounds that leave nothing: from %.9g to %.9g", i,
                     lower, upper);
    }
    return HCR_OK;
}

/* The rows that say something, as a block is made of. */
typedef struct kept_rows {
    hcri_rows rows;
    size_t products, *start;
    uint32_t *number; /* of each in the call */
    uint32_t *left, *right;
    double *product_values, *lower, *upper;
    uint32_t *columns; /* scratch: one row */
    double *values;
} kept_rows;

static hcr_status allocate(kept_rows *kept, const hcr_varying_rows *varying, size_t n, const hcr_allocator *allocator,
                           hcr_error *error) {
    const size_t rows = varying->rows, products = varying->product_start[rows] - varying->product_start[0];
    kept->start = hcri_allocate(allocator, hcri_size_sum(rows, 1), sizeof *kept->start);
    kept->number = hcri_allocate(allocator, rows, sizeof *kept->number);
    kept->left = hcri_allocate(allocator, products, sizeof *kept->left);
    kept->right = hcri_allocate(allocator, products, sizeof *kept->right);
    kept->columns = hcri_allocate(allocator, n, sizeof *kept->columns);
    kept->product_values = hcri_allocate(allocator, products, sizeof *kept->product_values);
    kept->lower = hcri_allocate(allocator, rows, sizeof *kept->lower);
    kept->upper = hcri_allocate(allocator, rows, sizeof *kept->upper);
    kept->values = hcri_allocate(allocator, n, sizeof *kept->values);
    return kept->start == NULL || kept->number == NULL || kept->left == NULL || kept->right == NULL ||
                   kept->columns == NULL || kept->product_values == NULL || kept->lower == NULL ||
                   kept->upper == NULL || kept->values == NULL
               ? hcri_fail_memory(error)
               : HCR_OK;
}

/* One whose sides meet is an equality. */
static hcr_status add_equality(hcr_builder *builder, const hcr_varying_rows *varying, size_t i, uint32_t source_row,
                               hcr_error *error) {
    hcri_set *set = &builder->set;
    const size_t first = varying->start[i];
    int says = 0;
    for (size_t k = first; k < varying->start[i + 1]; k++)
        says |= varying->values[k] != 0;
    for (size_t k = varying->product_start[i]; k < varying->product_start[i + 1]; k++)
        says |= varying->product_values[k] != 0;
    if (!says)
        return varying->lower[i] == 0
                   ? HCR_OK
                   : hcri_fail(error, HCR_ERROR_EMPTY, "row %zu has no coefficients and a right side of %g", i,
                               varying->lower[i]);
    const hcri_row row = {varying->start[i + 1] - first, varying->columns + first, varying->values + first};
    HCRI_TRY(hcri_set_add_equality(set, row, varying->lower[i], (hcri_source_row){builder->place, source_row}, error));
    for (size_t k = varying->product_start[i]; k < varying->product_start[i + 1]; k++)
        if (varying->product_values[k] != 0)
            HCRI_TRY(hcri_set_add_product(set, varying->product_outputs[k],
                                          (uint32_t)set->outputs + varying->product_parameters[k],
                                          varying->product_values[k], error));
    return HCR_OK;
}

static int is_equality(const hcr_varying_rows *varying, size_t i) {
    return varying->lower != NULL && varying->upper != NULL && varying->lower[i] == varying->upper[i];
}

/* Row i of the call: how many entries it has in kept->columns; its products are appended. */
static size_t take_row(kept_rows *kept, const hcr_varying_rows *varying, size_t i, size_t outputs) {
    size_t entries = 0;
    for (size_t k = varying->start[i]; k < varying->start[i + 1]; k++)
        if (varying->values[k] != 0) {
            kept->columns[entries] = varying->columns[k];
            kept->values[entries++] = varying->values[k];
        }
    for (size_t k = varying->product_start[i]; k < varying->product_start[i + 1]; k++)
        if (varying->product_values[k] != 0) {
            kept->left[kept->products] = varying->product_outputs[k];
            kept->right[kept->products] = (uint32_t)outputs + varying->product_parameters[k];
            kept->product_values[kept->products++] = varying->product_values[k];
        }
    return entries;
}

static hcr_status keep_row(kept_rows *kept, size_t entries, const hcr_allocator *allocator, hcr_error *error) {
    kept->start[kept->rows.count + 1] = kept->products;
    return hcri_rows_append(&kept->rows, allocator, entries, kept->columns, kept->values, error);
}

static hcr_status keep(kept_rows *kept, const hcr_varying_rows *varying, size_t i, size_t outputs,
                       const hcr_allocator *allocator, hcr_error *error) {
    const double lower = varying->lower == NULL ? -INFINITY : hcri_builder_bound(varying->lower[i]);
    const double upper = varying->upper == NULL ? INFINITY : hcri_builder_bound(varying->upper[i]);
    if (isinf(lower) && isinf(upper))
        return HCR_OK;
    const size_t before = kept->products, at = kept->rows.count, entries = take_row(kept, varying, i, outputs);
    if (entries == 0 && kept->products == before)
        return lower > 0 || upper < 0
                   ? hcri_fail(error, HCR_ERROR_EMPTY, "row %zu has no coefficients and its bounds exclude 0", i)
                   : HCR_OK;
    kept->number[at] = (uint32_t)i;
    kept->lower[at] = lower;
    kept->upper[at] = upper;
    return keep_row(kept, entries, allocator, error);
}

/* Inequalities 2i and 2i + 1 are one row's, which has the number that it has in the call. */
static void number_rows(hcri_constraint *block, const kept_rows *kept, uint32_t first) {
    for (size_t i = 0; i < block->count; i++)
        block->source_row[i] = first + kept->number[i / 2];
}

hcr_status hcr_builder_add_varying_rows(hcr_builder *builder, const hcr_varying_rows *varying, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || varying == NULL, HCR_ERROR_ARGUMENT, "builder or varying is NULL");
    HCRI_TRY(check(builder, varying, error));
    HCRI_TRY(hcri_builder_begin(builder, error));
    if (varying->rows == 0)
        return HCR_OK;
    const hcri_set *set = &builder->set;
    const uint32_t rows_before = builder->place_rows;
    HCRI_SCRATCH(scratch, &set->allocator);
    kept_rows kept = {0};
    HCRI_TRY(allocate(&kept, varying, set->n, scratch, error));
    for (size_t i = 0; i < varying->rows; i++)
        if (is_equality(varying, i))
            HCRI_TRY(add_equality(builder, varying, i, rows_before + (uint32_t)i, error));
        else
            HCRI_TRY(keep(&kept, varying, i, set->outputs, scratch, error));
    if (kept.rows.count != 0) {
        const hcri_bilinear products = {kept.start, kept.left, kept.right, kept.product_values};
        hcri_constraint *block = NULL;
        HCRI_TRY(
            hcri_varying_create(set->n, &set->allocator, &kept.rows, &products, kept.lower, kept.upper, &block, error));
        HCRI_TRY(hcri_builder_append(builder, block, error));
        number_rows(block, &kept, rows_before);
    }
    builder->place_rows = rows_before + (uint32_t)varying->rows;
    return HCR_OK;
}

hcr_status hcr_builder_add_varying_cone(hcr_builder *builder, const hcr_varying_rows *rows, const double *constants,
                                        hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || rows == NULL || constants == NULL, HCR_ERROR_ARGUMENT,
                 "builder, rows or constants is NULL");
    HCRI_FAIL_IF(rows->rows < 2, HCR_ERROR_SHAPE,
                 "a cone has %zu rows: it needs one or more in the norm, and its bound", rows->rows);
    hcr_varying_rows without_sides = *rows;
    without_sides.lower = without_sides.upper = NULL;
    HCRI_TRY(check(builder, &without_sides, error));
    for (size_t i = 0; i < rows->rows; i++)
        HCRI_FAIL_IF(!(fabs(constants[i]) <= HCRI_LARGEST_COEFFICIENT), HCR_ERROR_DATA,
                     "constant %zu of the cone is %g: at most 1e50 is accepted", i, constants[i]);
    HCRI_TRY(hcri_builder_begin(builder, error));
    const hcri_set *set = &builder->set;
    HCRI_SCRATCH(scratch, &set->allocator);
    kept_rows kept = {0};
    HCRI_TRY(allocate(&kept, rows, set->n, scratch, error));
    for (size_t i = 0; i < rows->rows; i++)
        HCRI_TRY(keep_row(&kept, take_row(&kept, rows, i, set->outputs), scratch, error));
    const hcri_bilinear products = {kept.start, kept.left, kept.right, kept.product_values};
    hcri_constraint *block = NULL;
    HCRI_TRY(hcri_varying_cone_create(set->n, &set->allocator, &kept.rows, &products, constants, &block, error));
    return hcri_builder_append(builder, block, error);
}
