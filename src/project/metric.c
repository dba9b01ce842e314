#include "project/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vector.h"
#include "dense/dense.h"
#include "project/projection_tolerances.h"

/* What stands for the least eigenvalues of a matrix that isn't definite, as a share of the largest; and for a Q of 0 as
 * a share of 1/radius, so that the linear term of size 1 leads a million radii away, where regions are projected onto
 * without loss. */
static const double smallest_share = 1e-8, smallest_alone = 1e-6;

void hcri_metric_free(hcri_metric *metric) {
    if (metric == NULL)
        return;
    free(metric->matrix);
    free(metric->root);
    free(metric);
}

static void free_scoped(hcri_metric **metric) { hcri_metric_free(*metric); }

static hcr_status refuse(const hcr_quadratic *quadratic, hcr_error *error) {
    return hcri_fail(error,
                     quadratic->matrix == NULL && quadratic->factor_start == NULL ? HCR_ERROR_ARGUMENT : HCR_ERROR_DATA,
                     "the metric has no matrix, more than one, or a number that isn't finite");
}

/* Q as it was given, into metric->matrix. */
static hcr_status take(const hcr_quadratic *quadratic, hcri_metric *metric, hcr_error *error) {
    const size_t n = metric->n, numbers = metric->is_diagonal ? n : n * n;
    if (quadratic == NULL)
        return HCR_OK;
    HCRI_FAIL_IF(quadratic->shift != NULL || quadratic->linear != NULL || quadratic->constant != 0 ||
                     quadratic->radius != 0,
                 HCR_ERROR_ARGUMENT, "a metric is a matrix alone: shift, linear, constant and radius are 0");
    if (quadratic->form != HCR_QUADRATIC_FACTOR) {
        if (quadratic->matrix == NULL || !hcri_all_finite(numbers, quadratic->matrix))
            return refuse(quadratic, error);
        memcpy(metric->matrix, quadratic->matrix, numbers * sizeof *metric->matrix);
    } else {
        const size_t *start = quadratic->factor_start;
        if (start == NULL || !hcri_all_finite(start[quadratic->rank], quadratic->factor_values))
            return refuse(quadratic, error);
        for (size_t i = 0; i < quadratic->rank; i++)
            for (size_t k = start[i]; k < start[i + 1]; k++)
                for (size_t l = start[i]; l < start[i + 1]; l++) {
                    const size_t row = quadratic->factor_columns[k], column = quadratic->factor_columns[l];
                    HCRI_FAIL_IF(row >= n || column >= n, HCR_ERROR_SHAPE,
                                 "the metric's factor has a column %zu: there are %zu outputs", row >= n ? row : column,
                                 n);
                    metric->matrix[row * n + column] += quadratic->factor_values[k] * quadratic->factor_values[l];
                }
    }
    for (size_t i = 0; i < n && !metric->is_diagonal; i++)
        for (size_t j = 0; j < i; j++)
            HCRI_FAIL_IF(metric->matrix[i * n + j] != metric->matrix[j * n + i], HCR_ERROR_CONVEXITY,
                         "the metric isn't symmetric at (%zu, %zu)", i, j);
    return HCR_OK;
}

/* The least and the largest eigenvalue. */
static hcr_status find_ends(const hcri_metric *metric, double *least, double *largest, hcr_error *error) {
    const size_t n = metric->n;
    HCRI_SCOPED double *values = hcri_allocate(&hcri_default_allocator, n, sizeof *values);
    HCRI_SCOPED double *work = hcri_allocate(&hcri_default_allocator, metric->is_diagonal ? 1 : n * n, sizeof *work);
    HCRI_ALLOCATED(values && work);
    memcpy(metric->is_diagonal ? values : work, metric->matrix, (metric->is_diagonal ? n : n * n) * sizeof *work);
    HCRI_FAIL_IF(!metric->is_diagonal &&
                     LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)n, work, (lapack_int)n, values) != 0,
                 HCR_ERROR_SOLVER, "the metric's eigenvalues weren't found");
    *least = INFINITY;
    *largest = 0;
    for (size_t j = 0; j < n; j++) {
        *least = fmin(*least, values[j]);
        *largest = fmax(*largest, values[j]);
    }
    return HCR_OK;
}

static hcr_status regularise(hcri_metric *metric, double regularisation, double radius, hcr_error *error) {
    const size_t n = metric->n;
    double least = 0, largest = 0;
    HCRI_TRY(find_ends(metric, &least, &largest, error));
    HCRI_FAIL_IF(least < -hcri_semidefinite_share * largest || (largest == 0 && least < 0), HCR_ERROR_CONVEXITY,
                 "the metric isn't positive semidefinite: it has the eigenvalue %.9g", least);
    if (regularisation == 0 && !(least > hcri_semidefinite_share * largest))
        regularisation =
            largest > 0 ? smallest_share * largest : smallest_alone / (isfinite(radius) && radius > 0 ? radius : 1);
    metric->regularisation = regularisation;
    for (size_t j = 0; j < n; j++)
        metric->matrix[metric->is_diagonal ? j : j * n + j] += regularisation;
    return HCR_OK;
}

hcr_status hcri_metric_create(size_t n, const hcr_quadratic *quadratic, double regularisation, double radius,
                              hcri_metric **metric, hcr_error *error) {
    HCRI_SCOPED_BY(free_scoped) hcri_metric *made = calloc(1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->n = n;
    made->is_diagonal = quadratic == NULL || quadratic->form == HCR_QUADRATIC_DIAGONAL;
    const size_t numbers = made->is_diagonal ? n : hcri_size_product(n, n);
    made->matrix = hcri_allocate(&hcri_default_allocator, numbers, sizeof *made->matrix);
    made->root = hcri_allocate(&hcri_default_allocator, numbers, sizeof *made->root);
    HCRI_ALLOCATED(made->matrix && made->root);
    HCRI_TRY(take(quadratic, made, error));
    HCRI_TRY(regularise(made, regularisation, radius, error));
    memcpy(made->root, made->matrix, numbers * sizeof *made->root);
    for (size_t j = 0; j < n && made->is_diagonal; j++)
        made->root[j] = sqrt(made->root[j]);
    /* By columns the upper triangle is what the lower is by rows. */
    HCRI_FAIL_IF(!made->is_diagonal &&
                     LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)n, made->root, (lapack_int)n) != 0,
                 HCR_ERROR_CONVEXITY, "the metric isn't positive definite");
    *metric = made;
    made = NULL;
    return HCR_OK;
}

void hcri_metric_apply(const hcri_metric *metric, double *x, double *room) {
    if (metric == NULL)
        return;
    const size_t n = metric->n;
    if (metric->is_diagonal) {
        for (size_t j = 0; j < n; j++)
            x[j] *= metric->matrix[j];
        return;
    }
    memcpy(room, x, n * sizeof *x);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)n, 1, metric->matrix, (int)n, room, 1, 0, x, 1);
}

/* x = L x, L' x (power 1), or those of its inverse (power −1). */
static void by_root(const hcri_metric *metric, int power, CBLAS_TRANSPOSE transpose, double *x) {
    if (metric == NULL)
        return;
    const size_t n = metric->n;
    if (metric->is_diagonal)
        for (size_t j = 0; j < n; j++)
            x[j] = power > 0 ? x[j] * metric->root[j] : x[j] / metric->root[j];
    else if (power > 0)
        cblas_dtrmv(CblasRowMajor, CblasLower, transpose, CblasNonUnit, (int)n, metric->root, (int)n, x, 1);
    else
        cblas_dtrsv(CblasRowMajor, CblasLower, transpose, CblasNonUnit, (int)n, metric->root, (int)n, x, 1);
}

void hcri_metric_enter(const hcri_metric *metric, double *y) { by_root(metric, 1, CblasTrans, y); }
void hcri_metric_leave(const hcri_metric *metric, double *z) { by_root(metric, -1, CblasTrans, z); }
void hcri_metric_turn(const hcri_metric *metric, double *g) { by_root(metric, -1, CblasNoTrans, g); }

void hcri_metric_solve(const hcri_metric *metric, double *x) {
    hcri_metric_turn(metric, x);
    hcri_metric_leave(metric, x);
}

double hcri_metric_distance(const hcri_metric *metric, size_t n, const double *a, const double *b, double *room) {
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        room[j] = a[j] - b[j];
    hcri_metric_enter(metric, room);
    for (size_t j = 0; j < n; j++)
        sum += room[j] * room[j];
    return sqrt(sum);
}

void hcri_metric_add(const hcri_metric *metric, size_t n, double *full) {
    for (size_t j = 0; j < n; j++)
        if (metric == NULL || metric->is_diagonal)
            full[j * n + j] += metric == NULL ? 1 : metric->matrix[j];
    for (size_t k = 0; metric != NULL && !metric->is_diagonal && k < n * n; k++)
        full[k] += metric->matrix[k];
}
