/* Quadratics from the caller: checked, certified convex, and added in the cheapest form that says the same. */
#include <math.h>

#include "base/double_double.h"
#include "base/vector.h"
#include "dense/dense.h"
#include "hcr/hcr_build.h"
#include "region/builder.h"
#include "solvers/blas_threads.h"

static double largest(size_t count, const double *values) {
    const double most = hcri_max_norm(count, values);
    return most;
}

/* Numbers of `what`: finite and at most 1e50; NULL stands for zeros. */
static hcr_status check_numbers(size_t count, const double *values, const char *what, hcr_error *error) {
    for (size_t k = 0; values != NULL && k < count; k++)
        HCRI_FAIL_IF(!(fabs(values[k]) <= HCRI_LARGEST_COEFFICIENT), HCR_ERROR_DATA,
                     "number %zu of the quadratic's %s is %g: at most 1e50 is accepted", k, what, values[k]);
    return HCR_OK;
}

static hcr_status check_factor(const hcr_quadratic *quadratic, size_t n, hcr_error *error) {
    const size_t *start = quadratic->factor_start;
    HCRI_FAIL_IF(quadratic->rank != 0 && start == NULL, HCR_ERROR_ARGUMENT, "factor_start is NULL");
    HCRI_FAIL_IF(quadratic->rank != 0 && start[quadratic->rank] != start[0] &&
                     (quadratic->factor_columns == NULL || quadratic->factor_values == NULL),
                 HCR_ERROR_ARGUMENT, "factor_columns or factor_values is NULL");
    for (size_t i = 0; i < quadratic->rank; i++)
        for (size_t k = start[i]; k < start[i + 1]; k++) {
            const uint32_t column = quadratic->factor_columns[k];
            HCRI_FAIL_IF(column >= n || (k > start[i] && column <= quadratic->factor_columns[k - 1]), HCR_ERROR_SHAPE,
                         "row %zu of the factor has column %u: columns must increase and be under %zu", i,
                         (unsigned)column, n);
            HCRI_TRY(check_numbers(1, &quadratic->factor_values[k], "factor", error));
        }
    return HCR_OK;
}

static hcr_status check_symmetric(size_t n, const double *matrix, hcr_error *error) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            HCRI_FAIL_IF(matrix[i * n + j] != matrix[j * n + i], HCR_ERROR_CONVEXITY,
                         "the matrix isn't symmetric: entry (%zu, %zu) is %.17g, entry (%zu, %zu) is %.17g; (P + P')/2 "
                         "gives the same function",
                         i, j, matrix[i * n + j], j, i, matrix[j * n + i]);
    return HCR_OK;
}

/* P is positive semidefinite up to the rounding of an n × n symmetric eigenvalue problem, λ_min >= −16 n u λ_max;
 * *least gets a lower bound of λ_min, 0 when it may be 0. */
static hcr_status check_semidefinite(size_t n, const double *matrix, const hcr_allocator *allocator, double *least,
                                     hcr_error *error) {
    const double scale = largest(n * n, matrix);
    const lapack_int size = (lapack_int)n;
    HCRI_SCOPED_BY(hcri_blas_end) hcri_blas blas = {0};
    HCRI_TRY(hcri_blas_begin(&blas, error));
    HCRI_SCRATCH(scratch, allocator);
    double *scaled = hcri_allocate(scratch, n * n, sizeof *scaled);
    double *eigenvalue = hcri_allocate(scratch, n, sizeof *eigenvalue);
    HCRI_ALLOCATED(scaled && eigenvalue);
    for (size_t k = 0; k < n * n; k++)
        scaled[k] = matrix[k] / scale;
    HCRI_FAIL_IF(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'L', size, scaled, size, eigenvalue) != 0, HCR_ERROR_SOLVER,
                 "the eigenvalues of the quadratic's matrix can't be computed");
    const double rounding = 16 * (double)n * 0x1p-53 * fabs(eigenvalue[n - 1]);
    *least = fmax(0, eigenvalue[0] - rounding) * scale;
    return eigenvalue[0] >= -rounding
               ? HCR_OK
               : hcri_fail(error, HCR_ERROR_CONVEXITY,
                           "the matrix isn't positive semidefinite: its most negative eigenvalue is %.6g, its "
                           "largest %.6g",
                           eigenvalue[0] * scale, eigenvalue[n - 1] * scale);
}

static hcr_status check_convex(const hcr_quadratic *quadratic, size_t n, const hcr_allocator *allocator, double *least,
                               hcr_error *error) {
    if (quadratic->form == HCR_QUADRATIC_FACTOR)
        return HCR_OK;
    if (quadratic->form == HCR_QUADRATIC_DENSE) {
        HCRI_TRY(check_symmetric(n, quadratic->matrix, error));
        return largest(n * n, quadratic->matrix) == 0
                   ? HCR_OK
                   : check_semidefinite(n, quadratic->matrix, allocator, least, error);
    }
    size_t worst = 0;
    for (size_t j = 1; j < n; j++)
        if (quadratic->matrix[j] < quadratic->matrix[worst])
            worst = j;
    HCRI_FAIL_IF(
        quadratic->matrix[worst] < 0, HCR_ERROR_CONVEXITY,
        "the matrix isn't positive semidefinite: its most negative eigenvalue is %.6g, entry %zu of the diagonal",
        quadratic->matrix[worst], worst);
    return HCR_OK;
}

static hcr_status check(const hcr_quadratic *quadratic, size_t n, const hcr_allocator *allocator, double *least,
                        hcr_error *error) {
    const int factored = quadratic->form == HCR_QUADRATIC_FACTOR, dense = quadratic->form == HCR_QUADRATIC_DENSE;
    HCRI_FAIL_IF(!factored && !dense && quadratic->form != HCR_QUADRATIC_DIAGONAL, HCR_ERROR_ARGUMENT,
                 "%d is no form of a quadratic", (int)quadratic->form);
    HCRI_FAIL_IF(!factored && quadratic->matrix == NULL, HCR_ERROR_ARGUMENT, "the quadratic's matrix is NULL");
    if (factored)
        HCRI_TRY(check_factor(quadratic, n, error));
    else
        HCRI_TRY(check_numbers(dense ? n * n : n, quadratic->matrix, "matrix", error));
    HCRI_TRY(check_numbers(factored ? quadratic->rank : n, quadratic->shift, "shift", error));
    HCRI_TRY(check_numbers(n, quadratic->linear, "linear part", error));
    HCRI_TRY(check_numbers(1, &quadratic->constant, "constant", error));
    HCRI_TRY(check_numbers(1, &quadratic->radius, "radius", error));
    HCRI_FAIL_IF(quadratic->radius < 0, HCR_ERROR_DATA, "the quadratic's radius is %g: it can't be negative",
                 quadratic->radius);
    return check_convex(quadratic, n, allocator, least, error);
}

/* The rows of a factor that have coefficients, without zeros; ½ shift² of the others goes into *constant, rounded up so
 * that the set can only shrink. */
static hcr_status keep_factor(const hcr_quadratic *quadratic, size_t n, const hcr_allocator *allocator,
                              hcri_rows *factor, double *shift, double *constant, hcr_error *error) {
    uint32_t *columns = hcri_allocate(allocator, n, sizeof *columns);
    double *values = hcri_allocate(allocator, n, sizeof *values);
    HCRI_ALLOCATED(columns && values);
    hcri_dd total = {*constant, 0};
    for (size_t i = 0; i < quadratic->rank; i++) {
        const double shifted = quadratic->shift == NULL ? 0 : quadratic->shift[i];
        size_t kept = 0;
        for (size_t k = quadratic->factor_start[i]; k < quadratic->factor_start[i + 1]; k++)
            if (quadratic->factor_values[k] != 0) {
                columns[kept] = quadratic->factor_columns[k];
                values[kept++] = quadratic->factor_values[k];
            }
        if (kept == 0) {
            total = hcri_dd_add_product(total, 0.5 * shifted, shifted);
        } else {
            shift[factor->count] = shifted;
            HCRI_TRY(hcri_rows_append(factor, allocator, kept, columns, values, error));
        }
    }
    *constant = total.low > 0 ? nextafter(total.high, INFINITY) : total.high;
    return HCR_OK;
}

/* P = 0: linear·y <= ½ radius² − constant, the bound rounded down so that the set can only shrink. */
static hcr_status add_row(hcr_builder *builder, const hcr_quadratic *quadratic, double constant, hcr_error *error) {
    const hcri_dd bound = hcri_dd_add_product((hcri_dd){-constant, 0}, 0.5 * quadratic->radius, quadratic->radius);
    const double upper = bound.low < 0 ? nextafter(bound.high, -INFINITY) : bound.high;
    if (quadratic->linear != NULL)
        return hcr_builder_add_rows(builder, 1, quadratic->linear, NULL, &upper, error);
    const size_t start[2] = {0, 0};
    return hcr_builder_add_sparse_rows(builder, 1, start, NULL, NULL, NULL, &upper, error);
}

hcr_status hcr_builder_add_quadratic(hcr_builder *builder, const hcr_quadratic *quadratic, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || quadratic == NULL, HCR_ERROR_ARGUMENT, "builder or quadratic is NULL");
    HCRI_TRY(hcri_builder_begin(builder, error));
    const size_t n = builder->set.n;
    HCRI_SCRATCH(scratch, &builder->set.allocator);
    double least_eigenvalue = 0;
    HCRI_TRY(check(quadratic, n, scratch, &least_eigenvalue, error));

    const int factored = quadratic->form == HCR_QUADRATIC_FACTOR;
    hcri_rows factor = {0};
    double constant = quadratic->constant, *shift = NULL;
    if (factored) {
        shift = hcri_allocate(scratch, quadratic->rank, sizeof *shift);
        HCRI_ALLOCATED(shift);
        HCRI_TRY(keep_factor(quadratic, n, scratch, &factor, shift, &constant, error));
    }
    if (factored ? factor.count == 0
                 : largest(quadratic->form == HCR_QUADRATIC_DENSE ? n * n : n, quadratic->matrix) == 0)
        return add_row(builder, quadratic, constant, error);
    const hcri_quadratic_parts parts = {
        .form = (hcri_form)quadratic->form,
        .matrix = quadratic->matrix,
        .factor = &factor,
        .shift = factored ? shift : quadratic->shift,
        .linear = quadratic->linear,
        .constant = constant,
        .radius = quadratic->radius,
        .least_eigenvalue = least_eigenvalue,
    };
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_quadratic_create(n, &builder->set.allocator, &parts, &made, error));
    return hcri_builder_append(builder, made, error);
}
