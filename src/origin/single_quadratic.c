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

/* ------------------------------------------------------------------------------------------------ nearest points */

void hcri_axes_release(hcri_axes *axes) {
    hcri_pool_release(&axes->memory);
    *axes = (hcri_axes){0};
}

/* The axes' directions and curvatures by LAPACK. */
static hcr_status take_apart(const hcri_quadratic *quadratic, hcri_axes *axes, hcr_error *error) {
    const int n = (int)axes->n;
    /* By columns, eigenvector k is column k, which is row k of the row-major array. */
    HCRI_FAIL_IF(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, axes->vector, n, axes->curvature) != 0, HCR_ERROR_SOLVER,
                 "LAPACK found no eigenvalues of a quadratic's matrix");
    quadratic->base.kind->add_gradient(&quadratic->base, 0, axes->base, 1, axes->z, quadratic->base.scratch);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, axes->vector, n, axes->z, 1, 0, axes->linear, 1);
    /* What a singular matrix has instead of zeros. */
    double most = 0;
    for (size_t k = 0; k < axes->n; k++)
        most = fmax(most, axes->curvature[k]);
    for (size_t k = 0; k < axes->n; k++)
        if (axes->curvature[k] < 4 * (double)n * 0x1p-53 * most)
            axes->curvature[k] = 0;
    return HCR_OK;
}

static hcr_status find_axes(const hcri_quadratic *quadratic, const double *base, hcri_axes *axes, hcr_error *error) {
    const size_t n = axes->n;
    const hcri_kind *kind = quadratic->base.kind;
    const hcr_allocator *own = hcri_pool_allocator(&axes->memory);
    axes->base = hcri_copy(own, base, n, sizeof *base);
    axes->linear = hcri_allocate(own, n, sizeof(double));
    axes->curvature = hcri_allocate(own, n, sizeof(double));
    axes->z = hcri_allocate(own, n, sizeof(double));
    axes->shifted = hcri_allocate(own, n, sizeof(double));
    axes->vector = quadratic->form == HCRI_DIAGONAL ? NULL : full_matrix(quadratic, own);
    HCRI_TRY(hcri_pool_check(&axes->memory, error));
    axes->constant = kind->value(&quadratic->base, 0, base, NULL, quadratic->base.scratch);
    if (axes->vector != NULL)
        return take_apart(quadratic, axes, error);
    memcpy(axes->curvature, quadratic->matrix, n * sizeof *axes->curvature);
    kind->add_gradient(&quadratic->base, 0, base, 1, axes->linear, quadratic->base.scratch);
    return HCR_OK;
}

hcr_status hcri_axes_find(const hcri_quadratic *quadratic, const double *base, hcri_axes *axes, hcr_error *error) {
    *axes = (hcri_axes){.memory = {.from = memory}, .n = quadratic->base.n};
    HCRI_FAIL_IF(quadratic->form != HCRI_DIAGONAL && axes->n > HCRI_LARGEST_DENSE, HCR_ERROR_UNSUPPORTED,
                 "a matrix of %zu rows", axes->n);
    const hcr_status status = find_axes(quadratic, base, axes, error);
    if (status != HCR_OK)
        hcri_axes_release(axes);
    return status;
}

/* z(μ), and g and dg/dμ = −Σ (curvature z + linear)²/(1 + μ curvature) there. */
static double secular(const hcri_axes *axes, double mu, double *slope) {
    double value = axes->constant, fall = 0;
    for (size_t k = 0; k < axes->n; k++) {
        const double stretch = 1 / (1 + mu * axes->curvature[k]);
        const double z = (axes->shifted[k] - mu * axes->linear[k]) * stretch;
        const double gradient = axes->curvature[k] * z + axes->linear[k];
        axes->z[k] = z;
        value += 0.5 * (gradient + axes->linear[k]) * z;
        fall += gradient * gradient * stretch;
    }
    *slope = -fall;
    return value;
}

void hcri_axes_project(hcri_axes *axes, const double *p, double *y) {
    const size_t n = axes->n;
    double *away = axes->vector == NULL ? axes->shifted : axes->z;
    for (size_t j = 0; j < n; j++)
        away[j] = p[j] - axes->base[j];
    if (axes->vector != NULL)
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)n, 1, axes->vector, (int)n, axes->z, 1, 0, axes->shifted,
                    1);
    /* −min g, infinite when g has no minimum. */
    double depth = -axes->constant;
    for (size_t k = 0; k < n; k++)
        if (axes->linear[k] != 0)
            depth += 0.5 * axes->linear[k] * axes->linear[k] / axes->curvature[k];
    /* g(μ) is convex and falls, so Newton's method rises to the root from the left. On (g + depth)^(−1/2), which is
     * linear in μ for a ball, it is faster (Hebden, 1973), and a bracket keeps it in place. */
    double low = 0, high = INFINITY, mu = 0;
    for (int step = 0; step < 200; step++) {
        double slope;
        const double value = secular(axes, mu, &slope);
        if (value == 0 || !(slope < 0))
            break;
        if (value > 0)
            low = mu;
        else
            high = mu;
        const double raised = value + depth;
        double next =
            isfinite(depth) && raised > 0 ? mu + 2 * raised / slope * (1 - sqrt(raised / depth)) : mu - value / slope;
        if (!(next > low && next < high))
            next = isinf(high) ? mu - value / slope : 0.5 * (low + high);
        if (fabs(next - mu) <= 1e-16 * mu || next == mu)
            break;
        mu = next;
    }
    if (axes->vector == NULL)
        memcpy(y, axes->z, n * sizeof *y);
    else
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)n, (int)n, 1, axes->vector, (int)n, axes->z, 1, 0, y, 1);
    for (size_t j = 0; j < n; j++)
        y[j] += axes->base[j];
}
