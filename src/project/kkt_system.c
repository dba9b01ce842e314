#include "project/kkt_system.h"
#include "project/projection_tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/dense.h"

int hcri_kkt_system_create(size_t n, hcri_kkt_system *system) {
    *system = (hcri_kkt_system){.n = n};
    double **matrices[] = {&system->hessian, &system->jacobian, &system->schur};
    int good = (system->kept = calloc(n + 1, 1)) != NULL;
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++)
        good &= (*matrices[i] = calloc((n + 1) * (n + 1), sizeof(double))) != NULL;
    return good;
}

void hcri_kkt_system_release(hcri_kkt_system *system) {
    void *owned[] = {system->hessian, system->jacobian, system->schur, system->kept};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

void hcri_kkt_system_clear(hcri_kkt_system *system, const hcri_metric *metric, size_t rows, int diagonal) {
    const size_t n = system->n;
    system->rows = rows;
    system->is_diagonal = diagonal && (metric == NULL || metric->is_diagonal);
    memset(system->jacobian, 0, rows * n * sizeof *system->jacobian);
    for (size_t j = 0; system->is_diagonal && j < n; j++)
        system->hessian[j] = metric == NULL ? 1 : metric->matrix[j];
    if (system->is_diagonal)
        return;
    memset(system->hessian, 0, n * n * sizeof *system->hessian);
    hcri_metric_add(metric, n, system->hessian);
}

/* x = L⁻¹ x, or L⁻ᵀ x. */
static void by_factor(const hcri_kkt_system *system, CBLAS_TRANSPOSE transpose, double *x) {
    for (size_t j = 0; system->is_diagonal && j < system->n; j++)
        x[j] /= system->hessian[j];
    if (!system->is_diagonal)
        cblas_dtrsv(CblasRowMajor, CblasLower, transpose, CblasNonUnit, (int)system->n, system->hessian, (int)system->n,
                    x, 1);
}

/* The factor of J H⁻¹ J', row by row, without the rows that depend on others. */
static void factor_schur(hcri_kkt_system *system) {
    const size_t n = system->n, k = system->rows;
    for (size_t i = 0; i < k; i++) {
        double *row = system->schur + i * (n + 1);
        const double *a = system->jacobian + i * n;
        for (size_t j = 0; j <= i; j++)
            row[j] = system->kept[j] || j == i ? cblas_ddot((int)n, a, 1, system->jacobian + j * n, 1) : 0;
        const double square = row[i];
        for (size_t j = 0; j <= i; j++) {
            if (j < i && !system->kept[j])
                continue;
            const double *other = system->schur + j * (n + 1);
            for (size_t m = 0; m < j; m++)
                row[j] -= row[m] * other[m];
            if (j < i)
                row[j] /= other[j];
        }
        system->kept[i] = row[i] > hcri_kkt_independence * square;
        if (system->kept[i])
            row[i] = sqrt(row[i]);
    }
}

int hcri_kkt_system_factor(hcri_kkt_system *system) {
    const lapack_int n = (lapack_int)system->n;
    for (size_t j = 0; system->is_diagonal && j < system->n; j++) {
        if (!(system->hessian[j] > 0))
            return 0;
        system->hessian[j] = sqrt(system->hessian[j]);
    }
    for (size_t i = 0; system->is_diagonal && i < system->rows; i++)
        by_factor(system, CblasNoTrans, system->jacobian + i * system->n);
    /* By columns the upper triangle is what the lower is by rows. */
    if (!system->is_diagonal && LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, system->hessian, n) != 0)
        return 0;
    if (!system->is_diagonal && system->rows != 0)
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)system->rows, n, 1,
                    system->hessian, n, system->jacobian, n);
    factor_schur(system);
    return 1;
}

/* x = (J H⁻¹ J')⁻¹ x, 0 for the rows that depend on others. */
static void solve_schur(const hcri_kkt_system *system, double *x) {
    const size_t n = system->n, k = system->rows;
    for (size_t i = 0; i < k; i++) {
        const double *row = system->schur + i * (n + 1);
        for (size_t m = 0; m < i; m++)
            x[i] -= row[m] * x[m];
        x[i] = system->kept[i] ? x[i] / row[i] : 0;
    }
    for (size_t i = k; i-- > 0;) {
        if (!system->kept[i])
            continue;
        const double *row = system->schur + i * (n + 1);
        x[i] /= row[i];
        for (size_t m = 0; m < i; m++)
            x[m] -= row[m] * x[i];
    }
}

/* With M = J L⁻ᵀ: M M'ν = M L⁻¹ top − bottom and w = L⁻ᵀ (L⁻¹ top − M'ν). */
void hcri_kkt_system_solve(const hcri_kkt_system *system, double *top, double *bottom) {
    const int n = (int)system->n;
    by_factor(system, CblasNoTrans, top);
    for (size_t i = 0; i < system->rows; i++)
        bottom[i] = cblas_ddot(n, system->jacobian + i * system->n, 1, top, 1) - bottom[i];
    solve_schur(system, bottom);
    for (size_t i = 0; i < system->rows; i++)
        cblas_daxpy(n, -bottom[i], system->jacobian + i * system->n, 1, top, 1);
    by_factor(system, CblasTrans, top);
}
