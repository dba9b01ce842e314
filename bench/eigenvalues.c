/* The largest eigenvalue of symmetric matrices, one thread: eight at once as the maps take them, beside LAPACK's dsyevr
 * (only that eigenvalue) and dsyevd (all), and beside Lanczos with full reorthogonalisation, given when it may stop,
 * plus the Cholesky factorisation that would prove its result. Prints tab-separated lines: rows, what, microseconds a
 * matrix. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/timing.h"
#include "kernels/kernels.h"

enum { LANES = HCRI_LANES, TURNS = 15 };

typedef struct bench {
    size_t rows;
    double *packed, *full, *copy, *basis, *work;
    double eigenvalue, norm;
} bench;

static void eight(bench *b) {
    double found[LANES];
    hcri_kernels_best()->symmetric->largest(b->rows, b->packed, b->work, found);
}

static void dsyevr(bench *b) {
    const lapack_int m = (lapack_int)b->rows;
    lapack_int count, support[2];
    double z;
    LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'N', 'I', 'L', m, b->copy, m, 0, 0, m, m, 0, &count, b->work, &z, 1, support);
}

static void dsyevd(bench *b) {
    const lapack_int m = (lapack_int)b->rows;
    LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'L', m, b->copy, m, b->work);
}

static void lanczos(bench *b) {
    const int m = (int)b->rows;
    double *alpha = b->work, *beta = alpha + m, *d = beta + m, *e = d + m, *h = e + m;
    for (int i = 0; i < m; i++)
        b->basis[i] = (1 + 0.5 * sin(i)) / sqrt(m);
    cblas_dscal(m, 1 / cblas_dnrm2(m, b->basis, 1), b->basis, 1);
    for (int k = 0; k < m; k++) {
        double *v = b->basis + (size_t)k * b->rows, *w = v + m;
        cblas_dsymv(CblasColMajor, CblasLower, m, 1, b->full, m, v, 1, 0, w, 1);
        alpha[k] = cblas_ddot(m, w, 1, v, 1);
        cblas_dgemv(CblasColMajor, CblasTrans, m, k + 1, 1, b->basis, m, w, 1, 0, h, 1);
        cblas_dgemv(CblasColMajor, CblasNoTrans, m, k + 1, -1, b->basis, m, h, 1, 1, w, 1);
        beta[k] = cblas_dnrm2(m, w, 1);
        cblas_dscal(m, 1 / beta[k], w, 1);
        if (k % 4 == 0) {
            memcpy(d, alpha, ((size_t)k + 1) * sizeof *d);
            memcpy(e, beta, (size_t)k * sizeof *e);
            LAPACKE_dsterf(k + 1, d, e);
            if (fabs(d[k] - b->eigenvalue) <= 1e-14 * b->norm)
                break;
        }
    }
    for (size_t i = 0; i < b->rows; i++)
        b->copy[i * b->rows + i] -= b->eigenvalue + 1e-12 * b->norm;
    cblas_dscal(m * m, -1, b->copy, 1);
    LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', m, b->copy, m);
}

typedef struct figure {
    const char *name;
    void (*run)(bench *b);
    double matrices;
} figure;
static const figure figures[] = {{"eight at once", eight, LANES},
                                 {"LAPACK dsyevr", dsyevr, 1},
                                 {"LAPACK dsyevd", dsyevd, 1},
                                 {"Lanczos and a proof", lanczos, 1}};
enum { FIGURES = sizeof figures / sizeof figures[0] };

static void time_size(bench *b, const double *lanes, hcri_random *random) {
    const size_t m = b->rows;
    double times[FIGURES][TURNS];
    for (size_t k = 0; k < m * m; k++)
        if (k / m >= k % m)
            b->full[k] = b->full[k % m * m + k / m] = hcri_random_normal(random);
    memcpy(b->copy, b->full, m * m * sizeof *b->copy);
    dsyevd(b);
    b->eigenvalue = b->work[m - 1];
    b->norm = fmax(fabs(b->work[0]), fabs(b->work[m - 1]));
    const int turns = bench_turns(TURNS);
    for (int turn = 0; turn < turns; turn++)
        for (size_t f = 0; f < FIGURES; f++) {
            memcpy(b->copy, b->full, m * m * sizeof *b->copy);
            memcpy(b->packed, lanes, LANES * m * (m + 1) / 2 * sizeof *lanes);
            const double start = bench_seconds();
            figures[f].run(b);
            times[f][turn] = 1e6 * (bench_seconds() - start) / figures[f].matrices;
        }
    for (size_t f = 0; f < FIGURES; f++)
        printf("%zu\t%s\t%.6g\n", m, figures[f].name, bench_median(turns, times[f]));
}

int main(void) {
    static const size_t sizes[] = {5, 10, 20, 44, 64, 100, 200, 300};
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t q = 0; q < sizeof sizes / sizeof sizes[0]; q++) {
        const size_t m = sizes[q], packed = LANES * m * (m + 1) / 2;
        bench b = {m,
                   bench_numbers(packed),
                   bench_numbers(m * m),
                   bench_numbers(m * m),
                   bench_numbers(m * (m + 1)),
                   bench_numbers(24 * m),
                   0,
                   0};
        double *lanes = bench_numbers(packed);
        for (size_t k = 0; k < packed; k++)
            lanes[k] = hcri_random_normal(&random);
        time_size(&b, lanes, &random);
        void *all[] = {b.packed, b.full, b.copy, b.basis, b.work, lanes};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
            free(all[k]);
    }
    return 0;
}
