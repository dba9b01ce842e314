#include "origin/boundedness_certificate.h"
#include "origin/origin_tolerances.h"
#include "solvers/stop_request.h"

#include <math.h>

#include "dense/dense.h"

/* With the sides' normals as rows of H, of unit length, an open direction d != 0 has Hd <= 0. Let H'μ = r, μ >= m > 0:
 *
 *     m |Hd| <= m Σ |(Hd)_i| <= −μ'Hd = −r·d <= |r||d|
 *
 * which is less than m σ |d|, and so impossible, when |r| < m σ and all singular values of H exceed σ (Stiemke's
 * theorem, with rounding). Such a μ comes from alternating projections onto μ >= 1 and H'μ = 0. */

static const hcr_allocator *const memory = &hcri_default_allocator;

enum { MOST_ROUNDS = 60 };
static const double most_work = 1e8;    /* products in H'H */
static const double least_weight = 0.1; /* m */

typedef struct normals {
    hcri_pool memory;
    size_t sides, n; /* n: outputs without two bounds, to which the directions are confined … */
    uint32_t *place; /* … their places among these; UINT32_MAX for the others */
    double *H, *gram, *mu, *move;
} normals;

static void release(normals *at) { hcri_pool_release(&at->memory); }

/* Appends sign · a over the outputs that are open, as a unit vector. */
static void add_side(normals *at, double sign, hcri_row side) {
    double *row = at->H + at->sides * at->n, largest = 0;
    for (size_t k = 0; k < side.count; k++)
        if (at->place[side.columns[k]] != UINT32_MAX)
            largest = fmax(largest, fabs(side.values[k]));
    if (largest == 0)
        return;
    for (size_t k = 0; k < side.count; k++)
        if (at->place[side.columns[k]] != UINT32_MAX)
            row[at->place[side.columns[k]]] = sign * side.values[k] / largest;
    const double length = cblas_dnrm2((int)at->n, row, 1);
    for (size_t j = 0; j < at->n; j++)
        row[j] /= length;
    at->sides++;
}

static void add_sides(normals *at, const hcri_set *set, const double *lower, const double *upper) {
    static const double one = 1;
    for (uint32_t j = 0; j < set->n; j++)
        if (at->place[j] != UINT32_MAX && (!isinf(lower[j]) || !isinf(upper[j])))
            add_side(at, isinf(upper[j]) ? -1 : 1, (hcri_row){1, &j, &one});
    const hcri_rows *rows = &set->linear->rows;
    for (size_t i = 0; i < rows->count; i++) {
        if (!isinf(set->linear->upper[i]))
            add_side(at, 1, hcri_rows_row(rows, i));
        if (!isinf(set->linear->lower[i]))
            add_side(at, -1, hcri_rows_row(rows, i));
    }
}

/* Measures the outputs in units in which the largest coefficient of each is 1: an open direction stays one. */
static void even_units(normals *at) {
    const size_t n = at->n;
    for (size_t j = 0; j < n; j++) {
        double largest = 0;
        for (size_t i = 0; i < at->sides; i++)
            largest = fmax(largest, fabs(at->H[i * n + j]));
        for (size_t i = 0; i < at->sides && largest > 0; i++)
            at->H[i * n + j] /= largest;
    }
    for (size_t i = 0; i < at->sides; i++)
        cblas_dscal((int)n, 1 / cblas_dnrm2((int)n, at->H + i * n, 1), at->H + i * n, 1);
}

/* Cholesky's factor of H'H − σ²I: that there is one shows that H's singular values exceed σ. */
static int factorise(normals *at, double *square) {
    const size_t n = at->n;
    double largest = 0;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)n, (int)at->sides, 1, at->H, (int)n, 0, at->gram, (int)n);
    for (size_t j = 0; j < n; j++)
        largest = fmax(largest, at->gram[j * n + j]);
    *square = hcri_least_square * largest;
    for (size_t j = 0; j < n; j++)
        at->gram[j * n + j] -= *square;
    return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)n, at->gram, (lapack_int)n) == 0;
}

/* move = H'μ */
static void residual(const normals *at) {
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)at->sides, (int)at->n, 1, at->H, (int)at->n, at->mu, 1, 0, at->move, 1);
}

/* μ −= H (H'H)⁻¹ H'μ, by a factor that is next to that of H'H. */
static void project(const normals *at) {
    const int n = (int)at->n;
    residual(at);
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, n, at->gram, n, at->move, 1);
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, at->gram, n, at->move, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)at->sides, n, -1, at->H, n, at->move, 1, 1, at->mu, 1);
}

static int find_weights(const normals *at, double square) {
    const double rounding = 1e-12 * sqrt((double)at->n); /* of Σ μ_i, far more than the products' */
    for (size_t i = 0; i < at->sides; i++)
        at->mu[i] = 1;
    for (int round = 0; round < MOST_ROUNDS && !hcri_stopped(); round++) {
        double least = INFINITY;
        project(at);
        for (size_t i = 0; i < at->sides; i++)
            least = fmin(least, at->mu[i]);
        if (least >= least_weight) {
            residual(at);
            const double off = cblas_dnrm2((int)at->n, at->move, 1) + rounding * cblas_dasum((int)at->sides, at->mu, 1);
            if (off < 0.5 * least * sqrt(square))
                return 1;
        }
        for (size_t i = 0; i < at->sides; i++)
            at->mu[i] = fmax(at->mu[i], 1);
    }
    return 0;
}

hcr_status hcri_boundedness_prove(const hcri_set *set, const double *lower, const double *upper, int *is_bounded,
                                  hcr_error *error) {
    HCRI_SCOPED_BY(release) normals at = {.memory = {.from = memory}};
    const hcr_allocator *own = hcri_pool_allocator(&at.memory);
    at.place = hcri_allocate(own, set->n, sizeof *at.place);
    HCRI_TRY(hcri_pool_check(&at.memory, error));
    for (size_t j = 0; j < set->n; j++)
        at.place[j] = isinf(lower[j]) || isinf(upper[j]) ? (uint32_t)at.n++ : UINT32_MAX;
    const size_t most = set->n + 2 * set->linear->rows.count;
    *is_bounded = at.n == 0;
    if (!*is_bounded && most > at.n && (double)most * (double)at.n * (double)at.n <= most_work) {
        at.H = hcri_allocate(own, most * at.n, sizeof *at.H);
        at.gram = hcri_allocate(own, at.n * at.n, sizeof *at.gram);
        at.mu = hcri_allocate(own, most, sizeof *at.mu);
        at.move = hcri_allocate(own, at.n, sizeof *at.move);
        HCRI_TRY(hcri_pool_check(&at.memory, error));
        double square;
        add_sides(&at, set, lower, upper);
        even_units(&at);
        *is_bounded = at.sides > at.n && factorise(&at, &square) && find_weights(&at, square);
    }
    return HCR_OK;
}
