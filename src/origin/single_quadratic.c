#include "origin/single_quadratic.h"

#include <math.h>
#include <string.h>

#include "dense/dense.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

static double *full_matrix(const hcri_quadratic *quadratic, const hcr_allocator *allocator) {
    const size_t n = quadratic->base.n;
    double *full = hcri_allocate(allocator, n, hcri_size_product(n, sizeof *full));
    if (full != NULL)
        hcri_quadratic_add_matrix(quadratic, 1, full);
    return full;
}

void hcri_ellipsoid_release(hcri_ellipsoid *ellipsoid) {
    hcri_pool_release(&ellipsoid->memory);
    *ellipsoid = (hcri_ellipsoid){0};
}

/* Cholesky's factor of P in its place, and whether P is far enough from singular. */
static int factor(double *full, size_t n) {
    const lapack_int size = (lapack_int)n;
    const double norm = LAPACKE_dlansy(LAPACK_ROW_MAJOR, '1', 'L', size, full, size);
    double condition;
    return LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', size, full, size) == 0 &&
           LAPACKE_dpocon(LAPACK_ROW_MAJOR, 'L', size, full, size, norm, &condition) == 0 && condition > 1e-12;
}

/* Is P definite, as far as its form and its diagonal tell? */
static int may_be_definite(const hcri_quadratic *quadratic) {
    const size_t n = quadratic->base.n;
    if (quadratic->form != HCRI_DIAGONAL)
        return n <= HCRI_LARGEST_DENSE && (quadratic->form == HCRI_DENSE || quadratic->factor.count >= n);
    double least = INFINITY, most = 0;
    for (size_t j = 0; j < n; j++) {
        least = fmin(least, quadratic->matrix[j]);
        most = fmax(most, quadratic->matrix[j]);
    }
    return least > 1e-14 * most;
}

hcr_status hcri_ellipsoid_find(const hcri_quadratic *quadratic, hcri_ellipsoid *ellipsoid, hcr_error *error) {
    const size_t n = quadratic->base.n;
    const lapack_int size = (lapack_int)n;
    const hcri_kind *kind = quadratic->base.kind;
    const int diagonal = quadratic->form == HCRI_DIAGONAL;
    *ellipsoid = (hcri_ellipsoid){.memory = {.from = memory}};
    if (!may_be_definite(quadratic))
        return HCR_OK;
    HCRI_SCOPED double *full = diagonal ? NULL : full_matrix(quadratic, memory);
    HCRI_SCOPED double *gradient = hcri_allocate(memory, n, sizeof *gradient);
    if ((full == NULL && !diagonal) || gradient == NULL)
        return hcri_fail_memory(error);
    if (!diagonal && !factor(full, n))
        return HCR_OK;
    double *centre = ellipsoid->centre = hcri_allocate(hcri_pool_allocator(&ellipsoid->memory), n, sizeof *centre);
    double *half = ellipsoid->half = hcri_allocate(hcri_pool_allocator(&ellipsoid->memory), n, sizeof *half);
    if (hcri_pool_check(&ellipsoid->memory, error) != HCR_OK) {
        hcri_ellipsoid_release(ellipsoid);
        return HCR_ERROR_MEMORY;
    }
    ellipsoid->definite = 1;
    /* Newton's method: exact after one step, right to rounding after two. */
    if (quadratic->form != HCRI_FACTOR)
        memcpy(centre, quadratic->shift, n * sizeof *centre);
    for (int step = 0; step < 2; step++) {
        memset(gradient, 0, n * sizeof *gradient);
        kind->add_gradient(&quadratic->base, 0, centre, 1, gradient, quadratic->base.scratch);
        if (!diagonal)
            LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', size, 1, full, size, gradient, 1);
        for (size_t j = 0; j < n; j++)
            centre[j] -= diagonal ? gradient[j] / quadratic->matrix[j] : gradient[j];
    }
    ellipsoid->slack = -kind->value(&quadratic->base, 0, centre, NULL, quadratic->base.scratch);
    if (!diagonal)
        LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', size, full, size);
    for (size_t j = 0; j < n && ellipsoid->slack > 0; j++)
        half[j] = sqrt(2 * ellipsoid->slack * (diagonal ? 1 / quadratic->matrix[j] : full[j * n + j]));
    return HCR_OK;
}
