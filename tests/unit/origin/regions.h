/* Builders for the tests of this folder. */
#ifndef SOLVE_REGIONS_H
#define SOLVE_REGIONS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hcr/hcr_build.h"
#include "region/builder.h"

static inline hcr_builder *outputs(size_t n) {
    hcr_builder *builder = NULL;
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", n, 0, NULL), HCR_OK);
    return builder;
}

/* Parameters name[0] … in [low, high]. */
static inline void parameters(hcr_builder *builder, const char *name, size_t count, double low, double high) {
    double lower[64], upper[64];
    assert_true(count <= 64);
    for (size_t k = 0; k < count; k++) {
        lower[k] = low;
        upper[k] = high;
    }
    assert_int_equal(hcr_builder_add_parameter(builder, name, count, 0, lower, upper, NULL), HCR_OK);
}

static inline void source(hcr_builder *builder, int line, const char *text) {
    assert_int_equal(hcr_builder_set_source(builder, "t.region", line, 1, text, NULL), HCR_OK);
}

/* low <= y_j <= high for all j */
static inline void box(hcr_builder *builder, double low, double high) {
    for (size_t j = 0; j < hcr_builder_dimension(builder); j++)
        assert_int_equal(hcr_builder_add_bounds(builder, j, 1, &low, &high, NULL), HCR_OK);
}

static inline void row(hcr_builder *builder, const double *a, double low, double high) {
    assert_int_equal(hcr_builder_add_rows(builder, 1, a, &low, &high, NULL), HCR_OK);
}

/* |y_j+1 − y_j| <= step */
static inline void neighbours(hcr_builder *builder, double step) {
    static const double values[2] = {-1, 1};
    static const size_t start[2] = {0, 2};
    const double low = -step;
    for (uint32_t j = 0; j + 1 < hcr_builder_dimension(builder); j++) {
        const uint32_t columns[2] = {j, j + 1};
        assert_int_equal(hcr_builder_add_sparse_rows(builder, 1, start, columns, values, &low, &step, NULL), HCR_OK);
    }
}

/* Σ weight_j (y_j − centre_j)² <= radius²; centre may be NULL. */
static inline void diagonal(hcr_builder *builder, const double *weight, const double *centre, double radius) {
    const hcr_quadratic quadratic = {
        .form = HCR_QUADRATIC_DIAGONAL, .matrix = weight, .shift = centre, .radius = radius};
    assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_OK);
}

/* ½ y'Py + q'y <= limit */
static inline void dense(hcr_builder *builder, const double *P, const double *q, double limit) {
    const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DENSE, .matrix = P, .linear = q, .constant = -limit};
    assert_int_equal(hcr_builder_add_quadratic(builder, &quadratic, NULL), HCR_OK);
}

static inline hcr_region *finished(hcr_builder *builder) {
    hcr_region *region = NULL;
    hcr_error error = {0};
    if (hcr_builder_finish(builder, &region, &error) != HCR_OK)
        fail_msg("%s", error.text);
    assert_non_null(region);
    hcr_builder_free(builder);
    return region;
}

/* Finishing must fail; returns its status. */
static inline hcr_status refused(hcr_builder *builder, hcr_error *error) {
    hcr_region *region = (hcr_region *)(uintptr_t)1;
    const hcr_status status = hcr_builder_finish(builder, &region, error);
    assert_int_not_equal(status, HCR_OK);
    assert_null(region);
    hcr_builder_free(builder);
    return status;
}

#endif
