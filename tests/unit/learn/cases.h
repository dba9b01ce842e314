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

#include "core/random.h"
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
                           &(hcri_outline){.origin = origin, .lower = lower, .upper = upper, .radius = INFINITY}, NULL,
                           &region, NULL),
        HCR_OK);
    hcr_builder_free(builder);
    free(origin);
    free(lower);
    free(upper);
    return region;
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
