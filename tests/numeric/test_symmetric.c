/* Eight symmetric matrices at once against LAPACK, on every instruction set: eigenvalues, eigenvectors, factorisations,
 * reductions; and the rule that a lane's bits don't depend on the others. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lapacke.h>

#include "kernel_variants.h"

enum { MOST = 60, LANES = HCRI_LANES };
static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 20, 33, 60};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

typedef enum matrix_kind {
    NORMAL,   /* entries N(0, 1) */
    DIAGONAL, /* multiple eigenvalues */
    IDENTITY, /* all the same */
    ZERO,     /* all of them 0 */
    BLOCKS,   /* the same block twice: every eigenvalue is double */
    RANK_ONE, /* x x' */
    MINUS,    /* −x x': the largest eigenvalue is 0, n − 1 times */
    GRADED,   /* from 1 down to 1e-15 */
    TRIDIAGONAL /* 2 and −1: known eigenvalues */,
    CLUSTERED,  /* I + 1e-9 N(0, 1) */
    TINY,       /* 1e-200 */
    HUGE_SIZES, /* 1e200 */
    KINDS
} matrix_kind;

static void make_matrix(matrix_kind kind, size_t m, hcri_random *random, double *full) {
    double x[MOST];
    for (size_t a = 0; a < m; a++)
        x[a] = hcri_random_normal(random);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++) {
            const double normal = hcri_random_normal(random);
            double entry = normal;
            switch (kind) {
            case DIAGONAL: entry = a == b ? floor(x[a]) : 0; break;
            case IDENTITY: entry = a == b; break;
            case ZERO: entry = 0; break;
            case BLOCKS:
                entry = a < m / 2                                          ? normal
                        : b >= m / 2 && b < 2 * (m / 2) && a < 2 * (m / 2) ? full[(a - m / 2) * m + b - m / 2]
                                                                           : 0;
                break;
            case RANK_ONE: entry = x[a] * x[b]; break;
            case MINUS: entry = -x[a] * x[b]; break;
            case GRADED: entry = normal * pow(1e-15, (double)(a + b) / (2 * (double)m)); break;
            case TRIDIAGONAL: entry = a == b ? 2 : a == b + 1 ? -1 : 0; break;
            case CLUSTERED: entry = (a == b) + 1e-9 * normal; break;
            case TINY: entry = 1e-200 * normal; break;
            case HUGE_SIZES: entry = 1e200 * normal; break;
            default: break;
            }
            full[a * m + b] = full[b * m + a] = entry;
        }
}

static void put_lane(size_t m, const double *full, size_t lane, double *packed) {
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++)
            packed[LANES * HCRI_PACKED(a, b) + lane] = full[a * m + b];
}

static double largest_size(size_t count, const double *x) {
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, fabs(x[k]));
    return most;
}

/* LAPACK's, on a copy that is scaled to 1 first. */
static double expected_eigenvalue(size_t m, const double *full) {
    static double copy[MOST * MOST];
    double found[MOST];
    const double scale = fmax(largest_size(m * m, full), DBL_MIN);
    for (size_t k = 0; k < m * m; k++)
        copy[k] = full[k] / scale;
    assert_int_equal(LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'N', 'L', (int)m, copy, (int)m, found), 0);
    return scale * found[m - 1];
}

static double matrices[LANES][MOST * MOST], packed[LANES * (MOST * (MOST + 1) / 2 + 8)], work[LANES * 3 * MOST];

/* Both computations are right to some units in the last place of the norm; a factor of 64 m stays far below what the
 * margins allow for (hcri_eigenvalue_error) and far above what is seen (10). */
static void test_eigenvalues(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t q = 0; q < SIZES; q++)
        for (int first = 0; first < 3; first++) {
            const size_t m = sizes[q];
            for (size_t l = 0; l < LANES; l++)
                make_matrix((matrix_kind)(((size_t)first * LANES + l) % KINDS), m, &random, matrices[l]);
            for (size_t k = 0; k < kernel_count; k++) {
                double found[LANES];
                for (size_t l = 0; l < LANES; l++)
                    put_lane(m, matrices[l], l, packed);
                kernels[k]->symmetric->largest(m, packed, work, found);
                for (size_t l = 0; l < LANES; l++) {
                    const double size = (double)m * largest_size(m * m, matrices[l]);
                    assert_true(fabs(found[l] - expected_eigenvalue(m, matrices[l])) <= 64 * DBL_EPSILON * size);
                }
            }
        }
}

/* |S x − λ x| */
static double residual(size_t m, const double *full, double eigenvalue, const double *x) {
    double most = 0;
    for (size_t a = 0; a < m; a++) {
        double sum = -eigenvalue * x[LANES * a];
        for (size_t b = 0; b < m; b++)
            sum += full[a * m + b] * x[LANES * b];
        most = fmax(most, fabs(sum));
    }
    return most;
}

/* Unit vectors with S x = λ x for LAPACK's λ, to some units in the last place of the norm. */
static void test_eigenvectors(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 8);
    for (size_t q = 0; q < SIZES; q++)
        for (int first = 0; first < 3; first++) {
            const size_t m = sizes[q];
            double eigenvalue[LANES], x[LANES * MOST];
            for (size_t l = 0; l < LANES; l++) {
                make_matrix((matrix_kind)(((size_t)first * LANES + l) % KINDS), m, &random, matrices[l]);
                eigenvalue[l] = expected_eigenvalue(m, matrices[l]);
            }
            for (size_t k = 0; k < kernel_count; k++) {
                for (size_t l = 0; l < LANES; l++)
                    put_lane(m, matrices[l], l, packed);
                kernels[k]->symmetric->eigenvectors(m, packed, eigenvalue, x);
                for (size_t l = 0; l < LANES; l++) {
                    const double size = (double)m * largest_size(m * m, matrices[l]);
                    assert_true(residual(m, matrices[l], eigenvalue[l], x + l) <= 64 * DBL_EPSILON * size);
                    double squares = 0;
                    for (size_t a = 0; a < m; a++)
                        squares += x[LANES * a + l] * x[LANES * a + l];
                    assert_true(fabs(squares - 1) <= 1e-14);
                }
            }
        }
}

/* L'y = x, and the sums of products of an outer product with matrices in panels, term by term. */
static void test_forms(void **state) {
    (void)state;
    enum { M = 7, ENTRIES = M * (M + 1) / 2, WHOLE = (ENTRIES + 7) / 8 * 8, N = 67, ROUNDS = LANES + 1 };
    static double panels[WHOLE * N], x[LANES * M], y[LANES * M], lower[ENTRIES], results[LANES][N];
    double *out[LANES];
    hcri_random random;
    hcri_random_seed(&random, 9);
    for (size_t e = 0; e < ENTRIES; e++)
        lower[e] = 1 + 0.1 * hcri_random_normal(&random);
    for (size_t k = 0; k < sizeof panels / sizeof panels[0]; k++)
        panels[k] = hcri_random_normal(&random);
    for (size_t k = 0; k < sizeof x / sizeof x[0]; k++)
        x[k] = hcri_random_normal(&random);
    for (size_t l = 0; l < LANES; l++)
        out[l] = results[l];
    for (size_t k = 0; k < kernel_count; k++) {
        const hcri_symmetric_kernels *symmetric = kernels[k]->symmetric;
        memcpy(y, x, sizeof y);
        symmetric->solve_transposed(M, lower, y);
        for (size_t l = 0; l < LANES; l++)
            for (size_t b = 0; b < M; b++) { /* the diagonal of L is inverted */
                double sum = y[LANES * b + l] / lower[HCRI_PACKED(b, b)];
                for (size_t a = b + 1; a < M; a++)
                    sum += lower[HCRI_PACKED(a, b)] * y[LANES * a + l];
                assert_true(fabs(sum - x[LANES * b + l]) <= 1e-12 * (1 + fabs(sum))); /* the condition is about 1e3 */
            }
        for (size_t lanes = 1; lanes < ROUNDS; lanes++) {
            symmetric->outer(M, x, packed);
            memset(results, 0, sizeof results);
            symmetric->forms(N, panels, ENTRIES, packed, lanes, out);
            for (size_t l = 0; l < LANES; l++)
                for (size_t j = 0; j < N; j++) {
                    double sum = 0;
                    for (size_t a = 0; a < M && l < lanes; a++)
                        for (size_t b = 0; b < M; b++) {
                            const size_t e = a > b ? HCRI_PACKED(a, b) : HCRI_PACKED(b, a);
                            sum += x[LANES * a + l] * x[LANES * b + l] * panels[e / 8 * 8 * N + 8 * j + e % 8];
                        }
                    assert_true(fabs(results[l][j] - sum) <= 1e-13 * M * M); /* units in the last place of the terms */
                }
        }
    }
}

/* 2 − 2 cos(π m/(m + 1)) is the largest eigenvalue of the second-difference matrix. */
static void test_known(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 7);
    for (size_t m = 1; m <= MOST; m++) {
        make_matrix(TRIDIAGONAL, m, &random, matrices[0]);
        for (size_t l = 0; l < LANES; l++)
            put_lane(m, matrices[0], l, packed);
        double found[LANES];
        hcri_kernels_best()->symmetric->largest(m, packed, work, found);
        const double expected = 2 - 2 * cos(3.14159265358979323846 * (double)m / (double)(m + 1));
        assert_true(fabs(found[3] - expected) <= 64 * DBL_EPSILON);
    }
}

/* The result never lies below the largest eigenvalue by more than the error that is claimed, and not above by that. */
static void test_claimed_error(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    for (size_t q = 0; q < SIZES; q++) {
        const size_t m = sizes[q];
        for (size_t l = 0; l < LANES; l++) {
            make_matrix(NORMAL, m, &random, matrices[l]);
            put_lane(m, matrices[l], l, packed);
        }
        double norm[LANES], found[LANES];
        hcri_kernels_best()->symmetric->norms(m, packed, norm);
        hcri_kernels_best()->symmetric->largest(m, packed, work, found);
        for (size_t l = 0; l < LANES; l++) {
            double squares = 0;
            for (size_t k = 0; k < m * m; k++)
                squares += matrices[l][k] * matrices[l][k];
            assert_true(fabs(norm[l] - sqrt(squares)) <= 1e-13 * norm[l]);
            const double claimed = 0x1p-53 * hcri_eigenvalue_error(m) * norm[l];
            assert_true(fabs(found[l] - expected_eigenvalue(m, matrices[l])) <= claimed);
        }
    }
}

/* A matrix alone, in any lane, beside any others. */
static void test_lanes(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    static double lower[MOST * (MOST + 1) / 2];
    for (size_t q = 0; q < SIZES; q++) {
        const size_t m = sizes[q], entries = m * (m + 1) / 2;
        for (size_t e = 0; e < entries; e++)
            lower[e] = hcri_random_normal(&random);
        for (size_t k = 0; k < kernel_count; k++) {
            const hcri_symmetric_kernels *symmetric = kernels[k]->symmetric;
            make_matrix(NORMAL, m, &random, matrices[0]);
            double found[2][LANES];
            for (size_t lane = 0; lane < LANES; lane++)
                for (int alone = 0; alone < 2; alone++) {
                    memset(packed, 0, LANES * entries * sizeof *packed);
                    for (size_t l = 0; l < LANES && !alone; l++) {
                        make_matrix((matrix_kind)hcri_random_below(&random, KINDS), m, &random, matrices[1]);
                        put_lane(m, matrices[1], l, packed);
                    }
                    put_lane(m, matrices[0], lane, packed);
                    symmetric->reduce(m, lower, packed);
                    symmetric->largest(m, packed, work, found[alone]);
                    if (alone && lane > 0)
                        assert_true(found[0][lane] == found[1][lane]);
                }
        }
    }
}

/* What isn't finite has no eigenvalue, and its neighbours do. */
static void test_bad_numbers(void **state) {
    (void)state;
    const size_t m = 3;
    static const double bad[2] = {NAN, INFINITY};
    for (size_t k = 0; k < kernel_count; k++)
        for (size_t b = 0; b < 2; b++)
            for (size_t e = 0; e < 6; e++) {
                double found[LANES];
                memset(packed, 0, LANES * 6 * sizeof *packed);
                for (size_t l = 0; l < LANES; l++)
                    packed[LANES * HCRI_PACKED(1, 1) + l] = 5;
                packed[LANES * e + 2] = bad[b];
                kernels[k]->symmetric->largest(m, packed, work, found);
                for (size_t l = 0; l < LANES; l++)
                    assert_true(l == 2 ? isinf(found[l]) : fabs(found[l] - 5) < 1e-14);
            }
}

/* shift I − S has a factorisation above the largest eigenvalue and none below, apart from rounding. */
static void test_factors(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 4);
    for (size_t q = 0; q < SIZES; q++)
        for (size_t k = 0; k < kernel_count; k++) {
            const size_t m = sizes[q];
            double shift[LANES];
            int positive[LANES];
            for (size_t l = 0; l < LANES; l++) {
                make_matrix(NORMAL, m, &random, matrices[l]);
                put_lane(m, matrices[l], l, packed);
                shift[l] = expected_eigenvalue(m, matrices[l]) + (l % 2 == 0 ? 1e-9 : -1e-9) * (double)m;
            }
            kernels[k]->symmetric->factors(m, packed, shift, positive);
            for (size_t l = 0; l < LANES; l++)
                assert_int_equal(positive[l], l % 2 == 0);
        }
}

/* The sum of matrices from panels and from rows, and L⁻¹ A L⁻ᵀ, which is Σ v_j A_j multiplied back. */
static void test_combinations(void **state) {
    (void)state;
    enum { N = 70 };
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (size_t q = 0; q < SIZES; q += 2)
        for (size_t n = 1; n <= N; n += 23) {
            const size_t m = sizes[q], entries = m * (m + 1) / 2, whole = (entries + 7) / 8 * 8;
            double *panels = calloc(whole * n, sizeof *panels), *v = calloc(LANES * n, sizeof *v);
            double *negative = calloc(LANES * whole, sizeof *negative), *lower = calloc(entries, sizeof *lower);
            assert_true(panels != NULL && v != NULL && negative != NULL && lower != NULL);
            hcri_rows rows = {0};
            uint32_t columns[N];
            double values[N];
            for (size_t e = 0; e < entries; e++) {
                for (size_t j = 0; j < n; j++) {
                    columns[j] = (uint32_t)j;
                    values[j] = hcri_random_normal(&random);
                    panels[e / 8 * 8 * n + 8 * j + e % 8] = -values[j];
                }
                assert_int_equal(hcri_rows_append(&rows, &hcri_default_allocator, n, columns, values, NULL), HCR_OK);
            }
            const double *directions[LANES];
            for (size_t k = 0; k < LANES * n; k++)
                v[k] = hcri_random_normal(&random);
            for (size_t l = 0; l < LANES; l++)
                directions[l] = v + l * n;
            for (size_t a = 0; a < m; a++)
                for (size_t b = 0; b <= a; b++)
                    lower[HCRI_PACKED(a, b)] = a == b ? 1 : 0.3 * hcri_random_normal(&random) / (double)m;
            for (size_t k = 0; k < kernel_count; k++) {
                const hcri_symmetric_kernels *symmetric = kernels[k]->symmetric;
                const size_t lanes = 5;
                symmetric->combine(n, panels, entries, LANES, directions, packed);
                for (size_t count = 1; count < LANES; count++) { /* a lane's bits don't depend on the others */
                    symmetric->combine(n, panels, entries, count, directions, negative);
                    for (size_t e = 0; e < entries; e++)
                        for (size_t l = 0; l < LANES; l++)
                            assert_true(negative[LANES * e + l] == (l < count ? packed[LANES * e + l] : 0));
                }
                symmetric->combine(n, panels, entries, lanes, directions, packed);
                symmetric->combine_negative(&rows, lanes, directions, negative);
                for (size_t e = 0; e < entries; e++)
                    for (size_t l = 0; l < LANES; l++) {
                        double sum = 0, size = 0;
                        for (size_t j = 0; j < n && l < lanes; j++) {
                            const double term = rows.values[rows.start[e] + j] * v[l * n + j];
                            sum -= term;
                            size += fabs(term);
                        }
                        assert_true(fabs(packed[LANES * e + l] - sum) <= (double)n * DBL_EPSILON * size);
                        assert_true(fabs(negative[LANES * e + l] - sum) <= (double)n * DBL_EPSILON * size);
                    }
                symmetric->reduce(m, lower, negative);
                for (size_t a = 0; a < m; a++) /* L (L⁻¹ A L⁻ᵀ) L' = A, L with a unit diagonal */
                    for (size_t b = 0; b <= a; b++) {
                        double sum = 0;
                        for (size_t i = 0; i <= a; i++)
                            for (size_t j = 0; j <= b; j++)
                                sum += lower[HCRI_PACKED(a, i)] * lower[HCRI_PACKED(b, j)] *
                                       negative[LANES * (i >= j ? HCRI_PACKED(i, j) : HCRI_PACKED(j, i)) + 1];
                        assert_true(fabs(sum - packed[LANES * HCRI_PACKED(a, b) + 1]) <= 1e-12 * (double)(n + m));
                    }
            }
            hcri_rows_release(&rows, &hcri_default_allocator);
            free(panels);
            free(v);
            free(negative);
            free(lower);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eigenvalues), cmocka_unit_test(test_eigenvectors),  cmocka_unit_test(test_forms),
        cmocka_unit_test(test_known),       cmocka_unit_test(test_claimed_error), cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_bad_numbers), cmocka_unit_test(test_factors),       cmocka_unit_test(test_combinations),
    };
    return cmocka_run_group_tests(tests, find_kernels, NULL);
}
