/* The largest ball in a polytope, by the program, its dual or a tableau: each is optimal exactly when r and the
 * multipliers say so to each other. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "origin/largest_ball.h"
#include "regions.h"

/* ROWS sides over N outputs around `centre`, a share of their coefficients 0, and the optimality conditions of max r,
 * a·z + r <= slack, a of unit length: r fits, Σ λ = 1, Σ λ a = 0, λ >= 0, and Σ λ slack = r. 1e-7: CLP's tolerances are
 * 1e-9, and slacks are up to 10. */
static void check(size_t n, size_t rows, const double *centre, int inside, double zeros) {
    static const double tolerance = 1e-7;
    hcri_random random;
    hcri_random_seed(&random, 100 * n + rows);
    double *A = malloc(rows * n * sizeof *A), *b = malloc(rows * sizeof *b), *z = malloc((n + 1) * sizeof *z);
    double *multiplier = malloc(rows * sizeof *multiplier), *sum = calloc(n, sizeof *sum);
    assert_true(A != NULL && b != NULL && z != NULL && multiplier != NULL && sum != NULL);
    for (size_t k = 0; k < rows * n; k++)
        A[k] = k / n % n != k % n && hcri_random_uniform(&random) < zeros ? 0 : hcri_random_normal(&random);
    for (size_t i = 0; i < rows; i++)
        b[i] = inside ? 5 + 5 * hcri_random_uniform(&random) : -1;
    hcr_builder *builder = outputs(n);
    assert_int_equal(hcr_builder_add_rows(builder, rows, A, NULL, b, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    const hcri_local local = {&builder->set, centre, 2, NULL};
    assert_int_equal(hcri_ball_find(&local, z, multiplier, NULL), HCR_OK);
    double total = 0, value = 0;
    for (size_t i = 0; i < rows; i++) {
        double squares = 0, largest = 0, at = b[i], dot = 0;
        for (size_t j = 0; j < n; j++) {
            squares += A[i * n + j] * A[i * n + j];
            at -= A[i * n + j] * centre[j];
            dot += A[i * n + j] * z[j];
            largest = fmax(largest, fabs(A[i * n + j]));
        }
        const double length = sqrt(squares), slack = at / length / 2;
        assert_true(dot / length + z[n] <= slack + tolerance);
        assert_true(multiplier[i] >= -tolerance);
        const double weight = multiplier[i] / fmax(1, largest / length); /* of the row as it was scaled */
        total += weight;
        value += weight * slack;
        for (size_t j = 0; j < n; j++)
            sum[j] += weight * A[i * n + j] / length;
    }
    assert_true(fabs(total - 1) <= tolerance);
    assert_true(fabs(value - z[n]) <= tolerance);
    assert_true(inside ? z[n] > 0 && z[n] < 2 : z[n] < 0);
    for (size_t j = 0; j < n; j++)
        assert_true(fabs(sum[j]) <= tolerance);
    hcr_builder_free(builder);
    double *owned[] = {A, b, z, multiplier, sum};
    for (size_t k = 0; k < 5; k++)
        free(owned[k]);
}

static void test_directly(void **state) {
    (void)state;
    check(6, 60, (double[6]){0.1, -0.2, 0.05}, 1, 0);
    check(6, 60, (double[6]){0}, 0, 0);
}

static void test_by_the_dual(void **state) {
    (void)state;
    check(12, 400, (double[12]){0.1, -0.2, 0.05}, 1, 0.75);
    check(12, 400, (double[12]){0}, 0, 0.75);
}

static void test_by_the_tableau(void **state) {
    (void)state;
    check(12, 400, (double[12]){0.1, -0.2, 0.05}, 1, 0);
    check(12, 400, (double[12]){0}, 0, 0);
}

/* All sides as near: the centre is the point that they are as near to, without rounding. */
static void test_sides_alike(void **state) {
    (void)state;
    enum { N = 10, ROWS = 250 };
    hcri_random random;
    hcri_random_seed(&random, 3);
    hcr_builder *builder = outputs(N);
    double a[N], z[N + 1], multiplier[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < N; j++)
            a[j] = hcri_random_bits(&random) % 2 == 0 ? 1 : -1;
        row(builder, a, -INFINITY, 8);
    }
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    const hcri_local local = {&builder->set, (double[N]){0}, 2, NULL};
    assert_int_equal(hcri_ball_find(&local, z, multiplier, NULL), HCR_OK);
    for (size_t j = 0; j < N; j++)
        assert_true(z[j] == 0);
    assert_true(fabs(z[N] - 4 / sqrt(N)) <= 1e-15); /* a rounding of each of three operations */
    hcr_builder_free(builder);
}

/* An output that no side has is free: any number will do, and it is 0. */
static void test_free_output(void **state) {
    (void)state;
    enum { ROWS = 300 };
    hcr_builder *builder = outputs(3);
    double z[4], multiplier[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        const double angle = 0.3 + 2 * 3.14159265358979 * (double)i / ROWS;
        row(builder, (double[]){cos(angle), 0, sin(angle)}, -INFINITY, 1);
    }
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    const hcri_local local = {&builder->set, (double[3]){0.2, 7, -0.1}, 1, NULL};
    assert_int_equal(hcri_ball_find(&local, z, multiplier, NULL), HCR_OK);
    assert_true(fabs(z[0] + 0.2) <= 1e-7 && z[1] == 0 && fabs(z[2] - 0.1) <= 1e-7 && fabs(z[3] - 1) <= 1e-7);
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_directly), cmocka_unit_test(test_by_the_dual),
                                       cmocka_unit_test(test_by_the_tableau), cmocka_unit_test(test_sides_alike),
                                       cmocka_unit_test(test_free_output)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
