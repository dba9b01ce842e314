/* Region texts over the whole language, as their users have them: each compiles, survives its compiled file bit by bit,
 * and what decode and contract return is inside, decided exactly. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "numeric/texts.h"

#define ROWS 400

static const char *const texts[] = {
    "var y[3]\n-1 <= y <= 1\nexp(y[0]) + exp(y[1]) <= 3",
    "var y[3]\ny >= 0\nsum(y) == 1\nsum(entropy(y)) >= 0.5",
    "var y[3]\nnorm(y, 3) <= 2",
    "var y[3]\nnorm(y - [1, 2, 3], 1.5) <= 2",
    "var y[4]\nlog_sum_exp(y) <= 2\ny >= -3",
    "var y[2]\nlogistic(y[0]) + logistic(-y[1]) <= 2\n-5 <= y <= 5",
    "var y[3]\nhuber(y[0], 0.5) + sum(huber(y[1:])) <= 3",
    "var y[2]\nrel_entr(y[0], y[1]) <= 1\ny <= 4",
    "var y[2]\nsum(kl_div(y, [1, 2])) <= 1",
    "var y[3]\ngeo_mean(y) >= 1\nsum(y) <= 6",
    "var y[2]\ngeo_mean(y) >= 1\nsum(y) <= 6",
    "var y[3]\nharmonic_mean(y) >= 1\nsum(y) <= 6",
    "var y[5]\nsum_largest(abs(y), 2) <= 1",
    "var y[9]\nconst k = 3.5\nsum_largest(y, k) <= 2\nsum_smallest(y, 2) >= -3\ny >= -4",
    "var y[3]\nquad_over_lin(y[:2], y[2]) <= 2\ny[2] <= 3",
    "var y[2]\ninv_pos(y[0]) <= y[1]\nsum(y) <= 4",
    "var y[3]\nlog(y[0]) + log(y[1]) + sqrt(y[2]) >= 0.5\nnorm(y) <= 5",
    "var y[3]\npsd([[1, y[0], y[1]], [y[0], 1, y[2]], [y[1], y[2], 1]])",
    "var y[4]\nsigma_max(reshape(y, 2, 2)) <= 1",
    "var y[6]\nnorm_nuc(reshape(y, 2, 3)) <= 2",
    "var y[3]\nlambda_max([[y[0], y[1], 0], [y[1], y[2], 1], [0, 1, 0]]) + exp(y[0]) <= 4\n-5 <= y <= 5",
    "var y[3]\nlambda_max([[y[0], y[1], 0], [y[1], y[2], 1], [0, 1, 0]]) <= 3\n-5 <= y <= 5",
    "var y[16]\nnorm(y, 1) <= 2",
    "var y[3]\nsum(y ** 4) <= 5",
    "var y[3]\nsum(power(y, 1.7)) <= 5",
    "var y[3]\nnorm([exp(y[0]), square(y[1]), y[2]], 4) <= 5\n-6 <= y <= 6",
    "var y[2]\nlog_sum_exp([square(y[0]), abs(y[1])]) <= 3",
    "var y[3]\nmax(exp(y[0]), norm(y), y[1] + y[2]) <= 3",
    "var x[3]\nvar t\nnorm(x) <= t\nt <= 2",
    "var y[3]\nsquare(norm(y)) + exp(y[0]) <= 8",
    "var y[3]\nquad_form(y, [[2, -1, 0], [-1, 3, 0], [0, 0, 1]]) + exp(y[2]) <= 6",
    "var y[2]\npower(y[0], -0.5) + y[1] <= 3\nnorm(y) <= 9",
    "var y[2]\nsqrt(geo_mean(y)) + y[0] >= 1\nnorm(y) <= 4",
    "var y[3]\nnorm(y) <= 2\ny[0] == 0.5\ny[1] + y[2] == 0.25\nexp(y[1]) <= 1.5",
    "var w[5]\nw >= 0\nsum(w) == 1\nsum(entropy(w)) >= 1\nquad_form(w, diag(range(1, 6))) <= 1\nnorm(w, 1.5) <= 0.9",
    "var y[2]\nunion:\n  norm(y) <= 1\nor\n  norm(y - [1, 0]) <= 1\nend",
    "var y[2]\nunion:\n  norm(y, 3) <= 1\nor\n  abs(y) <= [3, 0.2]\nor\n  exp(y[0]) + exp(-y[0]) <= 2.5\n"
    "  abs(y[1]) <= 2\nend\norigin = [0, 0]",
    "var y[2]\n-4 <= y <= 4\nexcept norm(y - 2) <= 0.5\nexcept norm(y + [2 * i, 1]) <= 0.4 for i in [-1, 1]\n"
    "origin = [0, 0]",
    "var y[2]\n-2 <= y <= 2\nstar:\n  y[0] * y[1] <= 1\n  y[1] - sin(2 * y[0]) <= 1.2\nend\norigin = [0, 0]",
    "var y[2]\n-3 <= y <= 3\nstar:\n  cos(y[0]) + tanh(y[1]) >= 0\n  atan(y[0] * y[1]) <= 0.7\n"
    "  y[0] / (4 + y[1]) <= 0.6\nend\norigin = [0, 0]",
    "var y[3]\n-3 <= y <= 3\nstar:\n  norm(y - [2, 0, 0]) >= 1\n  y[0] ** 3 - y[1] * y[2] <= 2\nend\n"
    "origin = [0, 0, 0]",
    "var y[2]\nunbounded\ny[1] >= square(y[0])",
    "var y[2]\nunbounded\nexp(y[0]) <= y[1]",
};

static void map(const hcr_region *region, const double *polar, const double *v, double *decoded, double *contracted) {
    hcr_workspace *workspace = NULL;
    assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
    assert_int_equal(hcr_decode(region, workspace, ROWS, NULL, polar, decoded, NULL, NULL), HCR_OK);
    assert_int_equal(hcr_contract(region, workspace, ROWS, NULL, v, contracted, NULL, NULL), HCR_OK);
    hcr_workspace_free(workspace);
}

static void assert_inside(const hcr_region *region, const double *y, const char *text, const char *map_name) {
    uint8_t inside[ROWS];
    hcr_error error = {0};
    if (hcr_check(region, ROWS, NULL, y, inside, NULL, &error) != HCR_OK)
        fail_msg("%s\n%s", text, error.text);
    for (size_t i = 0; i < ROWS; i++)
        if (!inside[i])
            fail_msg("%s\n%s left row %zu outside", text, map_name, i);
}

static void check_text(const char *text, hcri_random *random) {
    hcr_region *region = text_region(text), *again = NULL;
    const size_t n = hcr_region_dimension(region);
    double *polar = calloc(ROWS * (n + 1), sizeof *polar), *y = calloc(6 * ROWS * n, sizeof *y);
    assert_true(polar != NULL && y != NULL);
    double *v = y + 4 * ROWS * n, *decoded = y, *contracted = y + ROWS * n;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < n; j++) {
            polar[i * (n + 1) + j] = hcri_random_normal(random);
            v[i * n + j] = 3 * hcri_random_normal(random);
        }
        polar[i * (n + 1) + n] = i % 2 == 0 ? 1 : hcri_random_uniform(random);
    }
    map(region, polar, v, decoded, contracted);
    assert_inside(region, decoded, text, "decode");
    assert_inside(region, contracted, text, "contract");
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(hcr_region_write(region, &bytes, &size, NULL), HCR_OK);
    assert_int_equal(hcr_region_read(bytes, size, NULL, &again, NULL), HCR_OK);
    map(again, polar, v, y + 2 * ROWS * n, y + 3 * ROWS * n);
    assert_memory_equal(y, y + 2 * ROWS * n, 2 * ROWS * n * sizeof *y);
    hcr_free(bytes);
    hcr_region_free(again);
    hcr_region_free(region);
    free(polar);
    free(y);
}

static void test_texts(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 21);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_text(texts[i], &random);
}

/* The same set in several spellings, lowered to different kinds: the same gauge. */
static void test_spellings(void **state) {
    (void)state;
    static const char *const sets[][6] = {
        {"norm(y) <= 2", "sum_squares(y) <= 4", "norm(y) <= 2 + 0 * y[0]", "square(norm(y)) <= 4",
         "quad_over_lin(y, 2) <= 2", "lambda_max([[0, y[0], y[1]], [y[0], 0, 0], [y[1], 0, 0]]) <= 2"},
        {"norm(y, 1) <= 2", "abs(y[0]) + abs(y[1]) <= 2", "max(y[0] + y[1], y[0] - y[1], -y[0] + y[1], -sum(y)) <= 2",
         "exp(norm(y, 1)) <= exp(2)", "log(4 - norm(y, 1)) >= log(2)", "sum(pos(y) + neg(y)) <= 2"},
        {"geo_mean(y + 3) >= 1", "psd([[y[0] + 3, 1], [1, y[1] + 3]])", "y[0] + 3 >= inv_pos(y[1] + 3)",
         "quad_over_lin(1, y[0] + 3) <= y[1] + 3", "log(y[0] + 3) + log(y[1] + 3) >= 0",
         "lambda_min([[y[0] + 3, 1], [1, y[1] + 3]]) >= 0"},
    };
    hcri_random random;
    hcri_random_seed(&random, 22);
    double v[2 * ROWS], gauge[6][ROWS];
    for (size_t i = 0; i < 2 * ROWS; i++)
        v[i] = 3 * hcri_random_normal(&random);
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
        for (size_t k = 0; k < 6; k++) {
            char text[256];
            snprintf(text, sizeof text, "var y[2]\n%s\ny <= 4\norigin = [0, 0]", sets[s][k]);
            hcr_region *region = text_region(text);
            hcr_workspace *workspace = NULL;
            assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
            assert_int_equal(hcr_gauge(region, workspace, ROWS, NULL, v, gauge[k], NULL, NULL), HCR_OK);
            hcr_workspace_free(workspace);
            hcr_region_free(region);
            for (size_t i = 0; i < ROWS; i++)
                /* exp(2), log(2) and their inverses are rounded: a few units of 1e-16 of the bound */
                if (!(fabs(gauge[k][i] - gauge[0][i]) <= 1e-13 * gauge[0][i]))
                    fail_msg("%s: the gauge is %.17g, not %.17g", sets[s][k], gauge[k][i], gauge[0][i]);
        }
    }
}

/* Where a function's domain ends before its inequality does, the frontier is that of the domain: contract and its
 * derivative are those of the region with the domain's row in the function's place. */
static void test_ends_of_domains(void **state) {
    (void)state;
    static const char *const sets[][2] = {
        {"sqrt(y[0]) + y[1] >= -9", "y[0] >= 0"},
        {"sqrt(2 * y[0] - y[1] + 1) >= y[1] - 9", "2 * y[0] - y[1] + 1 >= 0"},
        {"sum(entropy(y)) >= -20", "y >= 0"},
        {"sum(entropy(y)) >= -20\ny >= 0", "y >= 0"}, /* both meet there */
        {"power(y[0] + y[1], 0.3) >= -1 + 0.01 * y[0]", "y[0] + y[1] >= 0"},
    };
    hcri_random random;
    hcri_random_seed(&random, 23);
    double v[2 * ROWS], v_dot[2 * ROWS], y[2][2 * ROWS], y_dot[2][2 * ROWS];
    for (size_t i = 0; i < 2 * ROWS; i++) {
        v[i] = 3 * hcri_random_normal(&random);
        v_dot[i] = hcri_random_normal(&random);
    }
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
        for (size_t k = 0; k < 2; k++) {
            char text[256];
            snprintf(text, sizeof text, "var y[2]\n%s\nnorm(y) <= 4\norigin = [1, 0.5]", sets[s][k]);
            hcr_region *region = text_region(text);
            hcr_workspace *workspace = NULL;
            assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
            assert_int_equal(hcr_contract(region, workspace, ROWS, NULL, v, y[k], NULL, NULL), HCR_OK);
            assert_int_equal(hcr_contract_jvp(region, workspace, ROWS, NULL, v, NULL, v_dot, NULL, y_dot[k], NULL),
                             HCR_OK);
            hcr_workspace_free(workspace);
            hcr_region_free(region);
        }
        for (size_t i = 0; i < 2 * ROWS;
             i++) /* results differ by margins; derivatives by those, times 1/sin of the angle */
            if (!(fabs(y[0][i] - y[1][i]) <= 1e-12) ||
                !(fabs(y_dot[0][i] - y_dot[1][i]) <= 1e-9 * (1 + fabs(y_dot[1][i]))))
                fail_msg("%s, row %zu: %.17g moves by %.17g, not %.17g by %.17g", sets[s][0], i / 2, y[0][i],
                         y_dot[0][i], y[1][i], y_dot[1][i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts), cmocka_unit_test(test_spellings),
                                       cmocka_unit_test(test_ends_of_domains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
