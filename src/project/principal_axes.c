#include "project/principal_axes.h"

#include <math.h>
#include <string.h>

#include "dense/dense.h"
#include "origin/single_quadratic.h"

static const hcr_allocator *const memory = &hcri_default_allocator;
/* Numbers that F in its axes may take, 256 MB. */
static const size_t largest_images = (size_t)1 << 25;

/* What a singular matrix of n columns has instead of zeros, as a share of what is largest in it. */
static double singular_share(size_t n) { return 4 * (double)n * 0x1p-53; }

void hcri_axes_release(hcri_axes *axes) {
    hcri_pool_release(&axes->memory);
    *axes = (hcri_axes){0};
}

static double square_of(size_t n, const double *x) { return cblas_ddot((int)n, x, 1, x, 1); }

/* Turns axes i and j, and with them F v_i and F v_j, of `rank` numbers each, until these are orthogonal. Returns
 * whether they weren't; squares up to `none` are rounding. */
static int turn_pair(hcri_axes *axes, size_t rank, double none, double *images, size_t i, size_t j) {
    double *a = images + i * rank, *b = images + j * rank;
    const double square_a = square_of(rank, a), square_b = square_of(rank, b);
    const double across = cblas_ddot((int)rank, a, 1, b, 1);
    if (!(square_a > none && square_b > none) ||
        fabs(across) <= 4 * (double)rank * 0x1p-53 * sqrt(square_a) * sqrt(square_b))
        return 0;
    const double ratio = (square_b - square_a) / (2 * across);
    const double tangent = copysign(1, ratio) / (fabs(ratio) + sqrt(1 + ratio * ratio));
    const double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
    double *const pairs[2][2] = {{a, b}, {axes->vector + i * axes->n, axes->vector + j * axes->n}};
    for (int k = 0; k < 2; k++)
        for (size_t m = 0; m < (k == 0 ? rank : axes->n); m++) {
            const double first = pairs[k][0][m], second = pairs[k][1][m];
            pairs[k][0][m] = cosine * first - sine * second;
            pairs[k][1][m] = sine * first + cosine * second;
        }
    return 1;
}

/* F'F has lost what is small in F. The axes v for which the F v are orthogonal are those of F itself, with curvatures
 * |F v|² (M. R. Hestenes, Inversion of matrices by biorthogonalization and related results, 1958); those of the first
 * `small` axes are off so far. */
static hcr_status take_from_factor(const hcri_quadratic *quadratic, hcri_axes *axes, size_t small, hcr_error *error) {
    enum { SWEEPS = 30 };
    const hcri_rows *factor = &quadratic->factor;
    const size_t n = axes->n, rank = factor->count;
    if (rank > largest_images / n)
        return HCR_OK;
    HCRI_SCOPED double *images = hcri_allocate(memory, hcri_size_product(n, rank), sizeof *images);
    HCRI_SCOPED double *off = hcri_allocate(memory, rank, sizeof *off);
    HCRI_ALLOCATED(images && off);
    for (size_t i = 0; i < rank; i++) {
        off[i] = hcri_rows_dot(factor, i, axes->base, NULL) - quadratic->shift[i];
        for (size_t k = 0; k < n; k++)
            images[k * rank + i] = hcri_rows_dot(factor, i, axes->vector + k * n, NULL);
    }
    const double none = singular_share(n) * singular_share(n) * axes->curvature[n - 1];
    for (int sweep = 0, turned = 1; sweep < SWEEPS && turned; sweep++) {
        turned = 0;
        for (size_t i = 0; i < small; i++)
            for (size_t j = i + 1; j < n && square_of(rank, images + i * rank) > none; j++)
                turned |= turn_pair(axes, rank, none, images, i, j);
    }
    for (size_t k = 0; k < n; k++) {
        const double square = square_of(rank, images + k * rank);
        axes->curvature[k] = square > none ? square : 0;
        axes->linear[k] = cblas_ddot((int)n, axes->vector + k * n, 1, quadratic->linear, 1) +
                          (square > none ? cblas_ddot((int)rank, images + k * rank, 1, off, 1) : 0);
    }
    return HCR_OK;
}

/* The axes' directions and curvatures by LAPACK. */
static hcr_status take_apart(const hcri_quadratic *quadratic, hcri_axes *axes, hcr_error *error) {
    static const double well_known = 1e-6; /* curvatures of so large a share of the largest, but for rounding */
    const int n = (int)axes->n;
    /* By columns, eigenvector k is column k, which is row k of the row-major array. */
    HCRI_FAIL_IF(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, axes->vector, n, axes->curvature) != 0, HCR_ERROR_SOLVER,
                 "LAPACK found no eigenvalues of a quadratic's matrix");
    quadratic->base.kind->add_gradient(&quadratic->base, 0, axes->base, 1, axes->z, quadratic->base.scratch);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, axes->vector, n, axes->z, 1, 0, axes->linear, 1);
    const double most = axes->curvature[n - 1]; /* they ascend */
    size_t small = 0;
    while (small < axes->n && axes->curvature[small] < well_known * most)
        small++;
    if (quadratic->form == HCRI_FACTOR && small != 0)
        return take_from_factor(quadratic, axes, small, error);
    for (size_t k = 0; k < small; k++)
        if (axes->curvature[k] < singular_share(axes->n) * most)
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
    axes->vector =
        quadratic->form == HCRI_DIAGONAL ? NULL : hcri_allocate(own, n, hcri_size_product(n, sizeof(double)));
    HCRI_TRY(hcri_pool_check(&axes->memory, error));
    if (axes->vector != NULL)
        hcri_quadratic_add_matrix(quadratic, 1, axes->vector);
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
