#include "kinds/lmi/lmi_value.h"

#include <math.h>
#include <string.h>

#include "functions/substitution.h"
#include "kernels/kernels.h"
#include "kinds/block.h"

size_t hcri_lmi_scratch(const hcri_constraint *constraint) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    return hcri_lmi_room(lmi->size) + (lmi->moving == NULL ? 0 : HCRI_LANES * lmi->terms.count);
}

void hcri_lmi_matrix(const hcri_lmi *lmi, const double *y, double *matrix) {
    for (size_t e = 0; e < lmi->terms.count; e++)
        matrix[e] = hcri_rows_dot_minus(&lmi->terms, e, y, -lmi->constant[e]);
}

/* Entry e of F(y) in plain floating point, and a bound of its error. */
static double entry(const hcri_lmi *lmi, size_t e, const double *y, double *error) {
    double sizes;
    const double sum = hcri_rows_dot(&lmi->terms, e, y, &sizes) + lmi->constant[e];
    const double terms = (double)(lmi->terms.start[e + 1] - lmi->terms.start[e]);
    *error = 1.01 * 0x1p-53 * (terms + 2) * (sizes + fabs(lmi->constant[e])) + 0x1p-1000;
    return sum;
}

/* Half the exponent of F_aa(y): what brings it near 1 when row and column a are multiplied by 2 to the minus that. */
static int half_exponent(const hcri_lmi *lmi, size_t a, const double *y) {
    double error;
    int exponent;
    (void)frexp(entry(lmi, HCRI_PACKED(a, a), y, &error), &exponent);
    return exponent / 2;
}

/* A Cholesky factorisation in floating point that succeeds on A proves A + (m + 6) u tr(A) I positive semidefinite
 * (Rump, 2006; pivots are inverted first here); A is F(y) as computed, less a multiple of I that covers this and the
 * error of its entries. `scaled`: of SF(y)S, S of powers of two, whose diagonal is near 1. */
static int is_definite(const hcri_lmi *lmi, const double *y, int scaled, double *matrix) {
    const size_t m = lmi->size;
    double trace = 0, squares = 0;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++) {
            double error;
            const size_t e = HCRI_PACKED(a, b);
            matrix[e] = entry(lmi, e, y, &error);
            if (scaled) {
                const int exponent = -half_exponent(lmi, a, y) - half_exponent(lmi, b, y);
                matrix[e] = ldexp(matrix[e], exponent);
                error = ldexp(error, exponent) + 0x1p-1000;
            }
            squares += (a == b ? 1 : 2) * error * error;
            trace += a == b ? fabs(matrix[e]) : 0;
        }
    const double shift = 1.01 * (((double)m + 8) * 0x1p-53 * trace + sqrt(squares)) + 0x1p-900;
    for (size_t a = 0; a < m; a++)
        matrix[HCRI_PACKED(a, a)] -= shift;
    return isfinite(shift) && hcri_symmetric_factor(m, matrix);
}

/* A matrix whose diagonal has numbers of very different sizes is only seen to be definite when it is scaled. */
int hcri_lmi_is_definite(const hcri_lmi *lmi, const double *y, double *matrix) {
    return is_definite(lmi, y, 0, matrix) || is_definite(lmi, y, 1, matrix);
}

int hcri_lmi_holds(const hcri_constraint *constraint, const double *y, double *matrix) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    return hcri_lmi_is_definite(lmi, y, matrix);
}

/* −F(y) in the first of eight lanes, and a bound of its rounding. */
static double negative(const hcri_lmi *lmi, const double *y, double *matrix) {
    double squares = 0;
    memset(matrix, 0, HCRI_LANES * lmi->terms.count * sizeof *matrix);
    for (size_t e = 0; e < lmi->terms.count; e++) {
        double rounding;
        matrix[HCRI_LANES * e] = -entry(lmi, e, y, &rounding);
        squares += 2 * rounding * rounding;
    }
    return sqrt(squares);
}

/* The largest eigenvalue of −F(y), in the first of eight lanes, and a bound of its error. */
static double largest(const hcri_lmi *lmi, const double *y, double *matrix, double eigenvalue[HCRI_LANES]) {
    const hcri_symmetric_kernels *kernels = hcri_kernels_best()->symmetric;
    double norm[HCRI_LANES];
    const double rounding = negative(lmi, y, matrix);
    kernels->norms(lmi->size, matrix, norm);
    kernels->largest(lmi->size, matrix, hcri_lmi_work(lmi, matrix), eigenvalue);
    return 1.01 * (0x1p-53 * hcri_eigenvalue_error(lmi->size) * norm[0] + rounding) + 0x1p-400;
}

double hcri_lmi_value(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *matrix) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    double eigenvalue[HCRI_LANES];
    const double rounding = largest(lmi, y, matrix, eigenvalue);
    if (error != NULL)
        *error = rounding;
    return eigenvalue[0];
}

void hcri_lmi_subtract_forms(const hcri_lmi *lmi, const double *matrix, double weight, double *gradient) {
    for (size_t e = 0; e < lmi->terms.count; e++)
        hcri_rows_add(&lmi->terms, e, -weight * matrix[HCRI_LANES * e], gradient);
}

/* λ_min(F(y)) = x'F(y) x for its unit eigenvector x, and its gradient x'F_j x: at a multiple eigenvalue a subgradient.
 */
void hcri_lmi_add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight,
                           double *gradient, double *matrix) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    const hcri_symmetric_kernels *kernels = hcri_kernels_best()->symmetric;
    double eigenvalue[HCRI_LANES];
    double *x = hcri_lmi_work(lmi, matrix);
    largest(lmi, y, matrix, eigenvalue);
    negative(lmi, y, matrix);
    kernels->eigenvectors(lmi->size, matrix, eigenvalue, x);
    kernels->outer(lmi->size, x, matrix);
    hcri_lmi_subtract_forms(lmi, matrix, weight, gradient);
}

hcr_status hcri_lmi_substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                               hcri_constraint **substituted, hcr_error *error) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    HCRI_SCRATCH(memory, constraint->allocator);
    const size_t entries = lmi->terms.count;
    hcri_rows terms = {0};
    hcri_substituted row;
    *substituted = NULL;
    HCRI_TRY(hcri_substituted_start(&row, substitution, memory, error));
    double *values = hcri_allocate(memory, entries, sizeof *values);
    HCRI_ALLOCATED(values);
    for (size_t e = 0; e < entries; e++) {
        hcri_substituted_row(&row, hcri_rows_row(&lmi->terms, e));
        values[e] = row.constant + lmi->constant[e];
        HCRI_TRY(hcri_rows_append(&terms, memory, row.count, row.columns, row.values, error));
    }
    hcri_constraint *made = NULL;
    HCRI_TRY(
        hcri_lmi_create(substitution->coordinates, constraint->allocator, lmi->size, values, &terms, &made, error));
    if (terms.start[entries] == 0) { /* nothing is left to choose */
        double rounding = 0, *scratch = hcri_allocate(memory, hcri_block_scratch(made), sizeof *scratch);
        const double c = scratch == NULL ? 0 : hcri_lmi_value(made, 0, values, &rounding, scratch);
        hcri_block_release(made);
        HCRI_ALLOCATED(scratch);
        return c > rounding
                   ? hcri_fail(error, HCR_ERROR_EMPTY,
                               "the equalities leave a matrix with the eigenvalue %.3g where none may be below 0", -c)
                   : HCR_OK;
    }
    hcri_block_copy_sources(made, constraint);
    *substituted = made;
    return HCR_OK;
}
