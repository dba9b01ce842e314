/* Extents against points on the surface, nearest points against the optimality conditions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "optimality.h"
#include "origin/single_quadratic.h"
#include "project/principal_axes.h"
#include "scratch.h"

enum { N = 6 };

/* result = P x */
static void multiply(const hcri_quadratic *quadratic, const double *x, double *result) {
    const size_t n = quadratic->base.n;
    double *full = hcri_allocate(&hcri_default_allocator, n * n, sizeof *full);
    assert_non_null(full);
    hcri_quadratic_add_matrix(quadratic, 1, full);
    for (size_t i = 0; i < n; i++) {
        result[i] = 0;
        for (size_t j = 0; j < n; j++)
            result[i] += full[i * n + j] * x[j];
    }
    hcri_release(&hcri_default_allocator, full);
}

static hcri_quadratic *create(const hcri_quadratic_parts *parts) {
    hcri_constraint *made = NULL;
    assert_int_equal(hcri_quadratic_create(N, &hcri_default_allocator, parts, &made, NULL), HCR_OK);
    return (hcri_quadratic *)made;
}

static void release(hcri_quadratic *quadratic) { hcri_block_release(&quadratic->base); }

static double value(const hcri_quadratic *quadratic, const double *y) {
    return quadratic->base.kind->value(&quadratic->base, 0, y, NULL, scratch_for(&quadratic->base));
}

static void gradient(const hcri_quadratic *quadratic, const double *y, double *out) {
    memset(out, 0, N * sizeof *out);
    quadratic->base.kind->add_gradient(&quadratic->base, 0, y, 1, out, scratch_for(&quadratic->base));
}

static void fill(hcri_random *random, double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        values[i] = hcri_random_normal(random);
}

/* A random quadratic of each form; `rank` < N makes DENSE and FACTOR singular, and DIAGONAL too. */
static hcri_quadratic *random_quadratic(hcri_random *random, hcri_form form, size_t rank) {
    double matrix[N * N] = {0}, shift[N], linear[N] = {0}, factor[N * N];
    fill(random, shift, N);
    fill(random, factor, N * N);
    if (rank == N)
        fill(random, linear, N);
    if (form == HCRI_DIAGONAL)
        for (size_t j = 0; j < rank; j++)
            matrix[j] = 0.1 + factor[j] * factor[j];
    for (size_t i = 0; form == HCRI_DENSE && i < N; i++)
        for (size_t j = 0; j < N; j++) {
            for (size_t k = 0; k < rank; k++)
                matrix[i * N + j] += factor[k * N + i] * factor[k * N + j];
            matrix[i * N + j] += i == j && rank == N ? 0.1 : 0;
        }
    hcri_rows rows = {0};
    for (size_t i = 0; form == HCRI_FACTOR && i < rank; i++) {
        uint32_t columns[N];
        for (uint32_t j = 0; j < N; j++)
            columns[j] = j;
        assert_int_equal(hcri_rows_append(&rows, &hcri_default_allocator, N, columns, factor + i * N, NULL), HCR_OK);
    }
    hcri_quadratic *made = create(&(hcri_quadratic_parts){
        .form = form, .matrix = matrix, .factor = &rows, .shift = shift, .linear = linear, .constant = 0, .radius = 6});
    hcri_rows_release(&rows, &hcri_default_allocator);
    return made;
}

static const hcri_form forms[] = {HCRI_DIAGONAL, HCRI_DENSE, HCRI_FACTOR};

/* (P⁻¹)_jj by conjugate gradients, which end after N steps and use nothing but products. */
static double inverse_entry(const hcri_quadratic *quadratic, size_t j) {
    double x[N] = {0}, residual[N] = {0}, direction[N] = {0}, product[N];
    residual[j] = direction[j] = 1;
    for (int step = 0; step < 20 * N; step++) { /* rounding makes N steps too few */
        double squares = 0, curvature = 0, left = 0;
        multiply(quadratic, direction, product);
        for (size_t k = 0; k < N; k++) {
            squares += residual[k] * residual[k];
            curvature += direction[k] * product[k];
        }
        if (squares < 1e-24)
            break;
        for (size_t k = 0; k < N; k++) {
            x[k] += squares / curvature * direction[k];
            residual[k] -= squares / curvature * product[k];
            left += residual[k] * residual[k];
        }
        for (size_t k = 0; k < N; k++)
            direction[k] = residual[k] + left / squares * direction[k];
    }
    return x[j];
}

/* At the centre the gradient vanishes, and half[j] is √(2 slack (P⁻¹)_jj). The matrices' condition numbers go up to
 * some thousands: 1e-9 covers them. */
static void test_extent(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 11);
    for (int round = 0; round < 60; round++) {
        hcri_quadratic *quadratic = random_quadratic(&random, forms[round % 3], N);
        hcri_ellipsoid ellipsoid;
        assert_int_equal(hcri_ellipsoid_find(quadratic, &ellipsoid, NULL), HCR_OK);
        assert_true(ellipsoid.definite);
        double g[N];
        gradient(quadratic, ellipsoid.centre, g);
        for (size_t j = 0; j < N; j++)
            assert_true(fabs(g[j]) < 1e-9);
        assert_true(fabs(ellipsoid.slack + value(quadratic, ellipsoid.centre)) <= 1e-12 * ellipsoid.slack);
        for (size_t j = 0; j < N; j++) {
            const double half = sqrt(2 * ellipsoid.slack * inverse_entry(quadratic, j));
            assert_true(fabs(ellipsoid.half[j] - half) <= 1e-9 * half);
        }
        hcri_ellipsoid_release(&ellipsoid);
        release(quadratic);
    }
}

/* Half widths of a known ellipsoid: P = [[2, 1], [1, 2]]⊕I, (P⁻¹)_00 = 2/3. */
static void test_known_extent(void **state) {
    (void)state;
    double matrix[N * N] = {0};
    for (size_t j = 0; j < N; j++)
        matrix[j * N + j] = j < 2 ? 2 : 1;
    matrix[1] = matrix[N] = 1;
    hcri_quadratic *quadratic = create(&(hcri_quadratic_parts){.form = HCRI_DENSE, .matrix = matrix, .radius = 3});
    hcri_ellipsoid ellipsoid;
    assert_int_equal(hcri_ellipsoid_find(quadratic, &ellipsoid, NULL), HCR_OK);
    assert_true(fabs(ellipsoid.half[0] - 3 * sqrt(2.0 / 3)) < 1e-14);
    assert_true(fabs(ellipsoid.half[5] - 3) < 1e-14);
    hcri_ellipsoid_release(&ellipsoid);
    release(quadratic);
}

/* C22: |y|² <= 0 has a centre and no slack; and a ball is known as one, its centre and radius without rounding. */
static void test_ball(void **state) {
    (void)state;
    const double ones[N] = {1, 1, 1, 1, 1, 1}, centre[N] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    for (int radius = 0; radius < 3; radius++) {
        hcri_quadratic *quadratic =
            create(&(hcri_quadratic_parts){.form = HCRI_DIAGONAL, .matrix = ones, .shift = centre, .radius = radius});
        hcri_ellipsoid ellipsoid;
        assert_int_equal(hcri_ellipsoid_find(quadratic, &ellipsoid, NULL), HCR_OK);
        assert_memory_equal(ellipsoid.centre, centre, sizeof centre);
        assert_true(ellipsoid.slack == 0.5 * radius * radius);
        assert_true(ellipsoid.half[0] == radius);
        hcri_ellipsoid_release(&ellipsoid);
        release(quadratic);
    }
}

/* C23: a singular matrix isn't taken for a definite one, whatever its scale. */
static void test_singular(void **state) {
    (void)state;
    for (int power = -12; power <= 0; power += 12) {
        const double s = pow(10, power);
        double matrix[N * N] = {0};
        const double part[3][3] = {{4, -4, 0}, {-4, 8, -4}, {0, -4, 4}};
        for (size_t j = 0; j < N; j++)
            matrix[j * N + j] = s;
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++)
                matrix[i * N + j] = s * part[i][j];
        hcri_quadratic *quadratic = create(&(hcri_quadratic_parts){.form = HCRI_DENSE, .matrix = matrix, .radius = 1});
        hcri_ellipsoid ellipsoid;
        assert_int_equal(hcri_ellipsoid_find(quadratic, &ellipsoid, NULL), HCR_OK);
        assert_false(ellipsoid.definite);
        release(quadratic);
    }
}

/* y is the nearest point when g(y) = 0 and p − y is a non-negative multiple of ∇g(y) (g is convex): both to 1e-10 of
 * their sizes, from near to a million times as far away. */
static void test_nearest(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 12);
    for (int round = 0; round < 300; round++) {
        const size_t rank = round % 2 == 0 ? N : 3;
        hcri_quadratic *quadratic = random_quadratic(&random, forms[round % 3], rank);
        double base[N] = {0}, p[N], y[N], g[N];
        if (value(quadratic, base) < -1) {
            hcri_axes axes;
            assert_int_equal(hcri_axes_find(quadratic, base, &axes, NULL), HCR_OK);
            const double far = pow(10, (int)(round / 6 % 7));
            fill(&random, p, N);
            for (size_t j = 0; j < N; j++)
                p[j] *= 10 * far;
            if (value(quadratic, p) > 0) {
                hcri_axes_project(&axes, p, y);
                gradient(quadratic, y, g);
                double away = 0, steep = 0, both = 0, size = 0, trace = 0;
                for (size_t j = 0; j < N; j++) {
                    away += (p[j] - y[j]) * (p[j] - y[j]);
                    steep += g[j] * g[j];
                    both += (p[j] - y[j]) * g[j];
                    size = fmax(size, fabs(p[j]) + fabs(y[j]));
                    double unit[N] = {0}, column[N];
                    unit[j] = 1;
                    multiply(quadratic, unit, column);
                    trace += column[j];
                }
                /* y is off by rounding of p, and so is P, which counts where y goes far in its null space. */
                assert_true(fabs(value(quadratic, y)) <= 1e-13 * (sqrt(steep) + 0.1 * trace * size) * size + 1e-12);
                assert_true(both >= (1 - 1e-10) * sqrt(away * steep));
            }
            hcri_axes_release(&axes);
        }
        release(quadratic);
    }
}

/* The point of |F y| <= R farthest in the direction d is R |F⁻ᵀ d| far there. F has rows from 1 down to 1e-6, so that
 * F'F has lost the small ones: by its own axes 1e-4 is missing. 1e-8: what rounding of F leaves, 1e-10, with room. */
static void test_unlike_rows(void **state) {
    (void)state;
    const double R = 2, base[N] = {0};
    hcri_random random;
    hcri_random_seed(&random, 13);
    for (int round = 0; round < 60; round++) {
        uint32_t columns[N];
        double row[N], direction[N], p[N], y[N], reached = 0, farthest = 0;
        long double transposed[N * N], right[N], solution[N];
        hcri_rows rows = {0};
        fill(&random, direction, N);
        for (uint32_t i = 0; i < N; i++) {
            fill(&random, row, N);
            for (uint32_t j = 0; j < N; j++) {
                columns[j] = j;
                row[j] *= pow(10, -6.0 * i / (N - 1));
                transposed[j * N + i] = row[j];
            }
            assert_int_equal(hcri_rows_append(&rows, &hcri_default_allocator, N, columns, row, NULL), HCR_OK);
        }
        hcri_quadratic *quadratic = create(&(hcri_quadratic_parts){.form = HCRI_FACTOR, .factor = &rows, .radius = R});
        hcri_axes axes;
        assert_int_equal(hcri_axes_find(quadratic, base, &axes, NULL), HCR_OK);
        for (size_t j = 0; j < N; j++) {
            p[j] = direction[j] * pow(10, 16 + round);
            right[j] = direction[j];
        }
        hcri_axes_project(&axes, p, y);
        assert_true(eliminate(N, transposed, right, solution));
        for (size_t j = 0; j < N; j++) {
            reached += direction[j] * y[j];
            farthest = hypot(farthest, R * (double)solution[j]);
        }
        assert_true(fabs(reached - farthest) <= 1e-8 * farthest);
        hcri_axes_release(&axes);
        hcri_rows_release(&rows, &hcri_default_allocator);
        release(quadratic);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_extent),  cmocka_unit_test(test_known_extent),
                                       cmocka_unit_test(test_ball),    cmocka_unit_test(test_singular),
                                       cmocka_unit_test(test_nearest), cmocka_unit_test(test_unlike_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
