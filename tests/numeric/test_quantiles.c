/* Regions of quantiles, for every kind of constraint: results are in order and, level by level, in the region that they
 * are quantiles of, at tolerance 0; and a point is in the one exactly when it is in order and in the other. */
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

#define ROWS 300
#define LEVELS 3
#define LARGEST 8 /* outputs */

static const double levels[LEVELS] = {0.1, 0.5, 0.9};
static const char *const texts[] = {
    "var y[3]\n-1 <= y <= 2\nabs(y[1:] - y[:-1]) <= 0.7\nsum(y) <= 4",
    "var y[4]\nnorm(y - [1, 2, 3, 4]) <= 3\nsum(square(y)) <= 40",
    "var y[3]\nquad_form(y, [[2, -1, 0], [-1, 3, 0], [0, 0, 1]]) <= 6",
    "var y[4]\nsquare(y[0] + y[1]) + square(y[2] - 2 * y[3]) <= 5\nnorm(y, 1) <= 6",
    "var x[3]\nvar t\nnorm(x) <= t\nt <= 2",
    "var y[3]\npsd([[1, y[0], y[1]], [y[0], 1, y[2]], [y[1], y[2], 1]])",
    "var y[3]\nlog_sum_exp(y) <= 2\ny >= -3\nnorm(y, 3) <= 4",
    "var total\nvar part[3]\ntotal == sum(part)\n0 <= part <= [3, 4, 5]\ntotal <= 9",
    "var y[3]\nparam cap[3] in [1, 4]\nparam most in [2, 9]\n0 <= y <= cap\nsum(y) <= most",
    "var y[3]\nparam c[3] in [1, 2]\nparam b in [3, 5]\nc @ y <= b\n0 <= y <= 4",
    "var y[2]\nunbounded\ny[1] >= square(y[0])",
};

static hcr_region *make_quantiles(const hcr_region *region) {
    hcr_region *quantiles = NULL;
    hcr_error error = {0};
    if (hcr_region_quantiles(region, LEVELS, levels, &quantiles, &error) != HCR_OK)
        fail_msg("%s", error.text);
    return quantiles;
}

/* Whether rows of quantiles are in order and, at each level, in the region. */
static void check_apart(const hcr_region *region, const double *x, const double *y, uint8_t *good) {
    const size_t n = hcr_region_dimension(region);
    double point[ROWS * LARGEST];
    uint8_t inside[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        good[i] = 1;
        for (size_t k = 0; k < LEVELS * n; k++)
            good[i] &= k % LEVELS == 0 || y[i * LEVELS * n + k - 1] <= y[i * LEVELS * n + k];
    }
    for (size_t l = 0; l < LEVELS; l++) {
        for (size_t k = 0; k < ROWS * n; k++)
            point[k] = y[k * LEVELS + l];
        assert_int_equal(hcr_check(region, ROWS, x, point, inside, NULL, NULL), HCR_OK);
        for (size_t i = 0; i < ROWS; i++)
            good[i] &= inside[i];
    }
}

static void fill_parameters(const hcr_region *region, hcri_random *random, double *x) {
    const size_t p = hcr_region_parameters(region);
    for (size_t k = 0; k < ROWS * p; k++) {
        const double low = hcr_region_parameter_lower(region)[k % p], high = hcr_region_parameter_upper(region)[k % p];
        x[k] = (double)(float)(low + (high - low) * hcri_random_uniform(random));
    }
}

static void test_in_order_and_inside(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 21);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        hcr_region *region = text_region(texts[t]), *quantiles = make_quantiles(region);
        const size_t n = hcr_region_dimension(region), m = LEVELS * n, p = hcr_region_parameters(region);
        double v[ROWS * LEVELS * LARGEST], y[ROWS * LEVELS * LARGEST], x[ROWS * LARGEST];
        uint8_t apart[ROWS], together[ROWS];
        hcr_workspace *workspace = NULL;
        assert_int_equal(hcr_region_dimension(quantiles), m);
        assert_int_equal(hcr_region_parameters(quantiles), p);
        assert_int_equal(hcr_workspace_create(quantiles, 1, &workspace, NULL), HCR_OK);
        fill_parameters(region, &random, x);
        for (size_t k = 0; k < ROWS * m; k++)
            v[k] = pow(10, (double)(k / m % 5) - 2) * hcri_random_normal(&random);
        assert_int_equal(hcr_contract(quantiles, workspace, ROWS, p == 0 ? NULL : x, v, y, NULL, NULL), HCR_OK);
        check_apart(region, p == 0 ? NULL : x, y, apart);
        for (size_t i = 0; i < ROWS; i++)
            assert_true(apart[i]);
        /* points near the frontier, on both sides: the same verdict, but for equalities, which hold up to rounding */
        for (size_t k = 0; k < ROWS * m; k++)
            y[k] *= k / m % 2 == 0 ? 1 : 1.001;
        check_apart(region, p == 0 ? NULL : x, y, apart);
        assert_int_equal(hcr_check(quantiles, ROWS, p == 0 ? NULL : x, y, together, NULL, NULL), HCR_OK);
        for (size_t i = 0; i < ROWS && hcr_region_equalities(region) == 0; i++)
            assert_int_equal(apart[i], together[i]);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
        hcr_region_free(quantiles);
    }
}

static void test_names_and_file(void **state) {
    (void)state;
    hcr_region *region = text_region("var a\nvar b[2]\n0 <= a <= 1\n0 <= b <= a"), *read = NULL;
    hcr_region *quantiles = make_quantiles(region);
    void *bytes;
    size_t size;
    char name[32];
    assert_int_equal(hcr_region_write(quantiles, &bytes, &size, NULL), HCR_OK);
    assert_int_equal(hcr_region_read(bytes, size, NULL, &read, NULL), HCR_OK);
    static const char *const names[] = {"a@0.1",    "a@0.5",    "a@0.9",    "b[0]@0.1", "b[0]@0.5",
                                        "b[0]@0.9", "b[1]@0.1", "b[1]@0.5", "b[1]@0.9"};
    for (size_t j = 0; j < 9; j++) {
        hcr_region_output_name(read, j, name, sizeof name);
        assert_string_equal(name, names[j]);
    }
    /* a name that is none isn't read */
    for (size_t k = 0; k + 5 < size; k++)
        if (memcmp((char *)bytes + k, "a@0.1", 5) == 0)
            ((char *)bytes)[k + 4] = 'x';
    hcr_region *wrong = NULL;
    assert_int_not_equal(hcr_region_read(bytes, size, NULL, &wrong, NULL), HCR_OK);
    hcr_free(bytes);
    hcr_region_free(read);
    hcr_region_free(quantiles);
    hcr_region_free(region);
}

static void refused(const hcr_region *region, size_t count, const double *given, hcr_status status, const char *says) {
    hcr_region *quantiles = NULL;
    hcr_error error = {0};
    assert_int_equal(hcr_region_quantiles(region, count, given, &quantiles, &error), status);
    assert_null(quantiles);
    assert_non_null(strstr(error.text, says));
}

static void test_refused(void **state) {
    (void)state;
    hcr_region *region = text_region("var y[2]\n0 <= y <= 1"), *sum = text_region("var y[2]\ny >= 0\nsum(y) == 1");
    hcr_region *star = text_region("var y[2]\n-4 <= y <= 4\nexcept norm(y - 2) <= 0.5\norigin = [0, 0]");
    hcr_region *quantiles = make_quantiles(region);
    static const double twice[] = {0.5, 0.5}, one[] = {1}, none[] = {NAN}, zero[] = {0, 0.5};
    refused(region, 0, NULL, HCR_ERROR_ARGUMENT, "no quantile levels");
    refused(region, 2, twice, HCR_ERROR_ARGUMENT, "level 1 (counted from 0) is 0.5");
    refused(region, 1, one, HCR_ERROR_ARGUMENT, "less than 1");
    refused(region, 1, none, HCR_ERROR_ARGUMENT, "nan");
    refused(region, 2, zero, HCR_ERROR_ARGUMENT, "more than 0");
    refused(sum, LEVELS, levels, HCR_ERROR_EMPTY, "the order of the quantiles");
    refused(star, LEVELS, levels, HCR_ERROR_UNSUPPORTED, "convex");
    refused(quantiles, LEVELS, levels, HCR_ERROR_ARGUMENT, "quantiles already");
    hcr_region_free(region);
    hcr_region_free(sum);
    hcr_region_free(star);
    hcr_region_free(quantiles);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order_and_inside),
        cmocka_unit_test(test_names_and_file),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
