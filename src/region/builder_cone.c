/* Second-order cones from the caller: checked, and added in the cheapest form that says the same. */
#include <math.h>

#include "base/double_double.h"
#include "kinds/cone/cone.h"
#include "region/builder.h"

/* Numbers of `what`: finite and at most 1e50; NULL stands for zeros. */
static hcr_status check_numbers(size_t count, const double *values, const char *what, hcr_error *error) {
    for (size_t k = 0; values != NULL && k < count; k++)
        HCRI_FAIL_IF(!(fabs(values[k]) <= HCRI_LARGEST_COEFFICIENT), HCR_ERROR_DATA,
                     "number %zu of the %s is %g: at most 1e50 is accepted", k, what, values[k]);
    return HCR_OK;
}

static hcr_status check_cone(const hcr_cone *cone, size_t n, hcr_error *error) {
    const size_t *start = cone->start;
    HCRI_FAIL_IF(cone->rows != 0 && start == NULL, HCR_ERROR_ARGUMENT, "the cone's start is NULL");
    HCRI_FAIL_IF(cone->rows != 0 && start[cone->rows] != start[0] && (cone->columns == NULL || cone->values == NULL),
                 HCR_ERROR_ARGUMENT, "the cone's columns or values are NULL");
    for (size_t i = 0; i < cone->rows; i++) {
        HCRI_FAIL_IF(start[i + 1] < start[i], HCR_ERROR_SHAPE, "row %zu of the cone ends before it starts", i);
        for (size_t k = start[i]; k < start[i + 1]; k++) {
            const uint32_t column = cone->columns[k];
            HCRI_FAIL_IF(column >= n || (k > start[i] && column <= cone->columns[k - 1]), HCR_ERROR_SHAPE,
                         "row %zu of the cone has column %u: columns must increase and be under %zu", i,
                         (unsigned)column, n);
            HCRI_FAIL_IF(!(fabs(cone->values[k]) <= HCRI_LARGEST_COEFFICIENT), HCR_ERROR_DATA,
                         "row %zu of the cone has the coefficient %g: at most 1e50 is accepted", i, cone->values[k]);
        }
    }
    HCRI_TRY(check_numbers(cone->rows, cone->shift, "cone's shift", error));
    HCRI_TRY(check_numbers(n, cone->linear, "cone's linear part", error));
    return check_numbers(1, &cone->constant, "cone's constant", error);
}

/* M without zeros, and without the rows that are all zeros when their shift is 0 too. */
static hcr_status keep_rows(const hcr_cone *cone, size_t n, const hcr_allocator *allocator, hcri_rows *rows,
                            double *shift, hcr_error *error) {
    uint32_t *columns = hcri_allocate(allocator, n, sizeof *columns);
    double *values = hcri_allocate(allocator, n, sizeof *values);
    HCRI_ALLOCATED(columns && values);
    for (size_t i = 0; i < cone->rows; i++) {
        const double shifted = cone->shift == NULL ? 0 : cone->shift[i];
        size_t kept = 0;
        for (size_t k = cone->start[i]; k < cone->start[i + 1]; k++)
            if (cone->values[k] != 0) {
                columns[kept] = cone->columns[k];
                values[kept++] = cone->values[k];
            }
        if (kept == 0 && shifted == 0)
            continue;
        shift[rows->count] = shifted;
        HCRI_TRY(hcri_rows_append(rows, allocator, kept, columns, values, error));
    }
    return HCR_OK;
}

/* |s| for a shift with more than one number: rounded up, so that the set can only shrink. */
static double constant_norm(size_t count, const double *shift) {
    double norm = 0;
    for (size_t i = 0; i < count; i++)
        norm = norm == 0 ? fabs(shift[i]) : shift[i] == 0 ? norm : nextafter(hypot(norm, shift[i]), INFINITY);
    return norm;
}

/* M = 0: c·y >= |s| − e, again rounded up. */
static hcr_status add_half_space(hcr_builder *builder, const hcr_cone *cone, size_t count, const double *shift,
                                 hcr_error *error) {
    const hcri_dd difference = hcri_dd_add((hcri_dd){constant_norm(count, shift), 0}, -cone->constant);
    const double lower = difference.low > 0 ? nextafter(difference.high, INFINITY) : difference.high;
    if (cone->linear != NULL)
        return hcr_builder_add_rows(builder, 1, cone->linear, &lower, NULL, error);
    const size_t start[2] = {0, 0};
    return hcr_builder_add_sparse_rows(builder, 1, start, NULL, NULL, &lower, NULL, error);
}

static int all_zero(size_t count, const double *values) {
    for (size_t k = 0; values != NULL && k < count; k++)
        if (values[k] != 0)
            return 0;
    return 1;
}

hcr_status hcr_builder_add_cone(hcr_builder *builder, const hcr_cone *cone, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || cone == NULL, HCR_ERROR_ARGUMENT, "builder or cone is NULL");
    HCRI_TRY(hcri_builder_begin(builder, error));
    const size_t n = builder->set.n;
    HCRI_TRY(check_cone(cone, n, error));
    HCRI_FAIL_IF(all_zero(n, cone->linear) && cone->constant < 0, HCR_ERROR_EMPTY,
                 "a norm is at most %g here, but no norm is below 0", cone->constant);
    HCRI_SCRATCH(scratch, &builder->set.allocator);
    hcri_rows rows = {0};
    double *shift = hcri_allocate(scratch, cone->rows, sizeof *shift);
    HCRI_ALLOCATED(shift);
    HCRI_TRY(keep_rows(cone, n, scratch, &rows, shift, error));
    if (hcri_rows_entries(&rows) == 0)
        return add_half_space(builder, cone, rows.count, shift, error);
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_cone_create(n, &builder->set.allocator, &rows, shift, cone->linear, cone->constant, &made, error));
    return hcri_builder_append(builder, made, error);
}
