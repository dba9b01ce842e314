/* The certificate that bounds and rows leave no direction open: it is found where there is none, and never where one is
 * built in. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "origin/boundedness_certificate.h"
#include "regions.h"

static int proved(hcr_builder *builder) {
    int is_bounded = -1;
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    assert_int_equal(
        hcri_boundedness_prove(&builder->set, builder->set.box->lower, builder->set.box->upper, &is_bounded, NULL),
        HCR_OK);
    hcr_builder_free(builder);
    return is_bounded;
}

/* Rows that are all turned to one side of `open`, or any; outputs in units that span so many powers of ten. */
static hcr_builder *rows_in_units(size_t n, size_t count, const double *open, double powers, uint64_t seed) {
    hcri_random random;
    hcri_random_seed(&random, seed);
    hcr_builder *builder = outputs(n);
    double *a = malloc(n * sizeof *a);
    assert_non_null(a);
    for (size_t i = 0; i < count; i++) {
        double along = 0;
        for (size_t j = 0; j < n; j++) {
            a[j] = hcri_random_normal(&random);
            along += open == NULL ? 0 : a[j] * open[j];
        }
        for (size_t j = 0; along > 0 && j < n; j++)
            a[j] = -a[j];
        for (size_t j = 0; j < n; j++)
            a[j] *= pow(10, -powers * (double)j / (double)n);
        row(builder, a, -INFINITY, 1);
    }
    free(a);
    return builder;
}

static hcr_builder *rows_around(size_t n, size_t count, const double *open, uint64_t seed) {
    return rows_in_units(n, count, open, 0, seed);
}

static void test_dense_rows(void **state) {
    (void)state;
    double open[20];
    for (size_t j = 0; j < 20; j++)
        open[j] = j % 3 == 0 ? 1 : -0.5;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        assert_true(proved(rows_around(20, 200, NULL, seed)));
        assert_false(proved(rows_around(20, 200, open, seed)));
        assert_false(proved(rows_around(20, 15, NULL, seed))); /* fewer sides than outputs */
    }
}

/* Prices in millions beside shares: whether a direction is open doesn't depend on units, and the whole region is found
 * to be bounded. */
static void test_units(void **state) {
    (void)state;
    double open[20];
    for (size_t j = 0; j < 20; j++)
        open[j] = j % 3 == 0 ? 1 : -0.5;
    for (int powers = 3; powers <= 12; powers += 3) {
        assert_true(proved(rows_in_units(20, 200, NULL, powers, 1)));
        assert_false(proved(rows_in_units(20, 200, open, powers, 1)));
        hcr_region *region = finished(rows_in_units(20, 200, NULL, powers, 1));
        assert_true(hcr_region_is_bounded(region));
        hcr_region_free(region);
    }
}

/* A simplex has as few sides as can be, n + 1; one less, or two bounds instead of them, tell the cases apart. */
static void test_simplex(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        hcr_builder *builder = outputs(3);
        const double zero = 0, ten = 10;
        for (size_t j = 0; j < 3; j++)
            if (kind != 1 || j != 1)
                assert_int_equal(hcr_builder_add_bounds(builder, j, 1, &zero, j == 2 && kind == 3 ? &ten : NULL, NULL),
                                 HCR_OK);
        if (kind != 2)
            row(builder, (double[]){1, 2, 0.5}, -INFINITY, 1);
        assert_int_equal(proved(builder), kind == 0 || kind == 3);
    }
}

/* A cone that is open by a hair, and a row whose two sides leave the others to run along it. */
static void test_nearly_open(void **state) {
    (void)state;
    hcr_builder *builder = outputs(2);
    row(builder, (double[]){1, 0}, -INFINITY, 1);
    row(builder, (double[]){-1, 1e-9}, -INFINITY, 1);
    row(builder, (double[]){-1, -1}, -INFINITY, 1);
    assert_false(proved(builder));
    builder = outputs(2);
    row(builder, (double[]){1, 1}, -1, 1);
    row(builder, (double[]){2, 2}, -1, 1);
    assert_false(proved(builder));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense_rows), cmocka_unit_test(test_units),
                                       cmocka_unit_test(test_simplex), cmocka_unit_test(test_nearly_open)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
