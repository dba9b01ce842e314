/* Regions and data that the tests of learning share. */
#ifndef CASES_H
#define CASES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "hcr/hcr_learn.h"
#include "region/builder.h"
#include "region/region.h"

/* 0.1/3 <= y <= 2, |y_j − y_{j+1}| <= 0.5, around 1; the lower bound has no finite binary form. */
static inline hcr_region *make_region(size_t n) {
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    double *origin = malloc(n * sizeof *origin), *lower = malloc(n * sizeof *lower), *upper = malloc(n * sizeof *upper);
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", n, 0, NULL), HCR_OK);
    for (size_t j = 0; j < n; j++) {
        origin[j] = 1;
        lower[j] = 0.1 / 3;
        upper[j] = 2;
    }
    assert_int_equal(hcr_builder_add_bounds(builder, 0, n, lower, upper, NULL), HCR_OK);
    for (size_t j = 0; j + 1 < n; j++) {
        const size_t start[2] = {0, 2};
        const uint32_t columns[2] = {(uint32_t)j, (uint32_t)j + 1};
        const double values[2] = {1, -1}, least = -0.5, most = 0.5;
        assert_int_equal(hcr_builder_add_sparse_rows(builder, 1, start, columns, values, &least, &most, NULL), HCR_OK);
    }
    assert_int_equal(
        hcri_region_create(&builder->set,
                           &(hcri_analysis){.origin = origin, .lower = lower, .upper = upper, .radius = INFINITY}, NULL,
                           &region, NULL),
        HCR_OK);
    hcr_builder_free(builder);
    free(origin);
    free(lower);
    free(upper);
    return region;
}

/* Parameters x = (cap, step) in [1.5, 3] × [0.2, 0.6]: 0.1/3 <= y <= cap, |y_j − y_{j+1}| <= step, around cap/2. */
#define PARAMETERS 2
static inline hcr_region *make_moving_region(size_t n) {
    static const double least[PARAMETERS] = {1.5, 0.2}, most[PARAMETERS] = {3, 0.6};
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    hcr_error error = {0};
    double *origin = calloc((1 + PARAMETERS) * n, sizeof *origin), *lower = malloc(n * sizeof *lower);
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", n, 0, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_parameter(builder, "cap", 1, 1, &least[0], &most[0], NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_parameter(builder, "step", 1, 1, &least[1], &most[1], NULL), HCR_OK);
    const uint32_t cap = (uint32_t)n, step = (uint32_t)n + 1;
    for (size_t j = 0; j < n; j++) {
        origin[n + j] = 0.5;
        lower[j] = 0.1 / 3;
    }
    assert_int_equal(hcr_builder_add_bounds(builder, 0, n, lower, NULL, NULL), HCR_OK);
    const double zero = 0;
    for (uint32_t j = 0; j < n; j++) {
        const size_t start[3] = {0, 3, 6};
        const uint32_t below[2] = {j, cap}, steps[6] = {j, j + 1, step, j, j + 1, step};
        const double difference[2] = {1, -1}, differences[6] = {1, -1, -1, -1, 1, -1}, zeros[2] = {0, 0};
        const size_t one[2] = {0, 2};
        assert_int_equal(hcr_builder_add_sparse_rows(builder, 1, one, below, difference, NULL, &zero, NULL), HCR_OK);
        if (j + 1 < n)
            assert_int_equal(hcr_builder_add_sparse_rows(builder, 2, start, steps, differences, NULL, zeros, NULL),
                             HCR_OK);
    }
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1 + PARAMETERS, origin, NULL), HCR_OK);
    if (hcr_builder_finish(builder, &region, &error) != HCR_OK)
        fail_msg("%s", error.text);
    hcr_builder_free(builder);
    free(origin);
    free(lower);
    return region;
}

/* Parameters all over the range. */
static inline void make_parameters(size_t rows, double *x) {
    hcri_random random;
    hcri_random_seed(&random, 12);
    for (size_t i = 0; i < rows; i++) {
        x[PARAMETERS * i] = 1.5 + 1.5 * hcri_random_uniform(&random);
        x[PARAMETERS * i + 1] = 0.2 + 0.4 * hcri_random_uniform(&random);
    }
}

/* Targets that follow from the inputs smoothly: y_j = 1 + 0.6 sin(Σ x/√inputs + j/4), inside make_region's region. */
static inline void make_data(size_t rows, size_t inputs, size_t n, double *X, double *Y) {
    hcri_random random;
    hcri_random_seed(&random, 11);
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < inputs; j++)
            sum += X[i * inputs + j] = hcri_random_normal(&random);
        for (size_t j = 0; j < n; j++)
            Y[i * n + j] = 1 + 0.6 * sin(sum / sqrt((double)inputs) + (double)j / 4);
    }
}

static inline char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline void write_file(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

#endif
