#include "bench/regions.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/status.h"

static double single(double x) { return (double)(float)x; }

static double dot(size_t n, const double *a, const double *b) {
    double total = 0;
    for (size_t j = 0; j < n; j++)
        total += a[j] * b[j];
    return total;
}

static hcr_status build_steps(hcr_builder *builder, hcr_error *error) {
    const size_t start[] = {0, 2};
    const double values[] = {1, -1}, most = 2, least = -2, up = 0.5, down = -0.5;
    const size_t n = hcr_builder_dimension(builder);
    for (size_t j = 0; j < n; j++)
        HCRI_TRY(hcr_builder_add_bounds(builder, j, 1, &least, &most, error));
    for (uint32_t j = 0; j + 1 < n; j++)
        HCRI_TRY(
            hcr_builder_add_sparse_rows(builder, 1, start, (const uint32_t[]){j, j + 1}, values, &down, &up, error));
    return HCR_OK;
}

static hcr_status build_b(hcr_builder *builder, hcr_error *error) {
    enum { N = 768 };
    double ones[N];
    for (size_t j = 0; j < N; j++)
        ones[j] = 1;
    const hcr_quadratic ball = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = ones, .radius = 10};
    return hcr_builder_add_quadratic(builder, &ball, error);
}

static hcr_status build_c(hcr_builder *builder, hcri_random *random, hcr_error *error) {
    enum { N = 100, ROWS = 1000 };
    double a[N];
    const double bound = 1;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < N; j++)
            a[j] = hcri_random_normal(random);
        const double norm = sqrt(dot(N, a, a));
        for (size_t j = 0; j < N; j++)
            a[j] = single(a[j] / norm);
        HCRI_TRY(hcr_builder_add_rows(builder, 1, a, NULL, &bound, error));
    }
    return HCR_OK;
}

static hcr_status build_d(hcr_builder *builder, hcri_random *random, hcr_error *error) {
    enum { N = 100, COUNT = 100 };
    double *factor = malloc(2 * N * N * sizeof *factor), linear[N];
    if (factor == NULL)
        return hcri_fail_memory(error);
    double *matrix = factor + N * N;
    hcr_status status = HCR_OK;
    for (size_t k = 0; k < COUNT && status == HCR_OK; k++) {
        for (size_t i = 0; i < N * N; i++) /* G, column by column */
            factor[i] = hcri_random_normal(random);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j <= i; j++) {
                const double product = dot(N, factor + i * N, factor + j * N) / N;
                matrix[i * N + j] = matrix[j * N + i] = single(product + (i == j ? 0.1 : 0));
            }
        for (size_t j = 0; j < N; j++)
            linear[j] = single(0.1 * hcri_random_normal(random));
        const hcr_quadratic quadratic = {
            .form = HCR_QUADRATIC_DENSE, .matrix = matrix, .linear = linear, .constant = -1};
        status = hcr_builder_add_quadratic(builder, &quadratic, error);
    }
    free(factor);
    return status;
}

static hcr_status build_e(hcr_builder *builder, hcri_random *random, hcr_error *error) {
    enum { N = 20, SIZE = 20 };
    static const uint32_t outputs[N] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    double constant[SIZE * SIZE] = {0}, general[SIZE][SIZE];
    double *matrices = malloc(N * SIZE * SIZE * sizeof *matrices);
    if (matrices == NULL)
        return hcri_fail_memory(error);
    for (size_t a = 0; a < SIZE; a++)
        constant[a * SIZE + a] = 1;
    for (size_t j = 0; j < N; j++) {
        for (size_t k = 0; k < SIZE * SIZE; k++)
            general[k / SIZE][k % SIZE] = hcri_random_normal(random);
        for (size_t a = 0; a < SIZE; a++)
            for (size_t b = 0; b < SIZE; b++)
                matrices[(j * SIZE + a) * SIZE + b] = single((general[a][b] + general[b][a]) / (2 * sqrt(SIZE)));
    }
    const hcr_lmi lmi = {.size = SIZE, .constant = constant, .terms = N, .outputs = outputs, .matrices = matrices};
    const hcr_status status = hcr_builder_add_lmi(builder, &lmi, error);
    free(matrices);
    return status;
}

static hcr_status build(char letter, size_t n, hcri_random *random, hcr_builder *builder, hcr_error *error) {
    HCRI_TRY(hcr_builder_add_variable(builder, "y", n, 0, error));
    return letter == 'B'   ? build_b(builder, error)
           : letter == 'C' ? build_c(builder, random, error)
           : letter == 'D' ? build_d(builder, random, error)
           : letter == 'E' ? build_e(builder, random, error)
                           : build_steps(builder, error);
}

static hcr_status create(char letter, size_t n, uint64_t seed, hcr_builder **builder, hcr_error *error) {
    hcri_random random;
    hcri_random_seed(&random, seed);
    HCRI_TRY(hcr_builder_create(NULL, builder, error));
    const hcr_status status = build(letter, n, &random, *builder, error);
    if (status != HCR_OK)
        hcr_builder_free(*builder);
    return status;
}

static size_t outputs(char letter) {
    return letter == 'A' ? 48 : letter == 'B' ? 768 : letter == 'E' ? 20 : letter == 'F' ? 10000 : 100;
}

hcr_status bench_builder(char letter, uint64_t seed, hcr_builder **builder, hcr_error *error) {
    return create(letter, outputs(letter), seed, builder, error);
}

hcr_status bench_region(char letter, uint64_t seed, hcr_region **region, hcr_error *error) {
    return bench_region_of(letter, outputs(letter), seed, region, error);
}

hcr_status bench_region_of(char letter, size_t n, uint64_t seed, hcr_region **region, hcr_error *error) {
    hcr_builder *builder;
    HCRI_TRY(create(letter, n, seed, &builder, error));
    double *zeros = calloc(n, sizeof *zeros);
    hcr_status status =
        zeros == NULL ? hcri_fail_memory(error) : hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, zeros, error);
    free(zeros);
    if (status == HCR_OK)
        status = hcr_builder_finish(builder, region, error);
    hcr_builder_free(builder);
    return status;
}

double bench_deviation(char letter) {
    return letter == 'A'   ? 0.184
           : letter == 'B' ? 0.373
           : letter == 'C' ? 0.371
           : letter == 'D' ? 0.120
           : letter == 'E' ? 0.232
                           : 0.0964;
}
