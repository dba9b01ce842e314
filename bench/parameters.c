/* What parameters cost: decode of regions whose right-hand sides are given anew with every sample, beside that of the
 * same region with its parameters fixed, in batches of 1,000, one thread, processor time. Prints one tab-separated line
 * a region and precision: region, precision, microseconds a sample with parameters and without, their ratio. With an
 * argument only the regions whose names contain it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "base/status.h"
#include "bench/timing.h"
#include "hcr/hcr_build.h"

enum { BATCH = 1000, TURNS = 25 };

typedef struct bench {
    const char *name;
    size_t n, p;
    double deviation; /* of the directions: about 90 % of them lead out */
    hcr_status (*build)(const struct bench *bench, hcr_builder *builder, hcri_random *random, hcr_error *error);
} bench;

/* ------------------------------------------------------------------------------------------------------- regions */

/* A row of two entries. */
static hcr_status add_pair(hcr_builder *builder, uint32_t i, double a, uint32_t j, double b, double lower, double upper,
                           hcr_error *error) {
    const size_t start[] = {0, 2};
    const uint32_t columns[] = {i, j};
    const double values[] = {a, b};
    return hcr_builder_add_sparse_rows(builder, 1, start, columns, values, &lower, &upper, error);
}

/* A forecast: a band, low <= y <= high, that changes from sample to sample, and ramps. O(x) is its middle. */
static hcr_status build_band(const bench *b, hcr_builder *builder, hcri_random *random, hcr_error *error) {
    (void)b;
    (void)random;
    enum { N = 48 };
    double low[2][N], high[2][N], bound[2][N];
    static double origin[1 + 2 * N][N];
    for (size_t j = 0; j < N; j++) {
        low[0][j] = -1.1;
        low[1][j] = -0.9;
        high[0][j] = 0.9;
        high[1][j] = 1.1;
        bound[0][j] = -2;
        bound[1][j] = 2;
        origin[1 + j][j] = origin[1 + N + j][j] = 0.5;
    }
    HCRI_TRY(hcr_builder_add_variable(builder, "y", N, 0, error));
    HCRI_TRY(hcr_builder_add_parameter(builder, "low", N, 0, low[0], low[1], error));
    HCRI_TRY(hcr_builder_add_parameter(builder, "high", N, 0, high[0], high[1], error));
    HCRI_TRY(hcr_builder_add_bounds(builder, 0, N, bound[0], bound[1], error));
    for (uint32_t j = 0; j < N; j++)
        HCRI_TRY(add_pair(builder, j, 1, N + j, -1, 0, INFINITY, error));
    for (uint32_t j = 0; j < N; j++)
        HCRI_TRY(add_pair(builder, j, 1, 2 * N + j, -1, -INFINITY, 0, error));
    for (uint32_t j = 0; j + 1 < N; j++)
        HCRI_TRY(add_pair(builder, j, 1, j + 1, -1, -0.5, 0.5, error));
    return hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1 + 2 * N, origin[0], error);
}

/* A band of one width around a forecast that changes, |y − forecast| <= 1, and ramps. O(x) is the forecast. */
static hcr_status build_forecast(const bench *b, hcr_builder *builder, hcri_random *random, hcr_error *error) {
    (void)b;
    (void)random;
    enum { N = 48 };
    double low[N], high[N], bound[2][N];
    static double origin[1 + N][N];
    for (size_t j = 0; j < N; j++) {
        low[j] = -0.1;
        high[j] = 0.1;
        bound[0][j] = -2;
        bound[1][j] = 2;
        origin[1 + j][j] = 1;
    }
    HCRI_TRY(hcr_builder_add_variable(builder, "y", N, 0, error));
    HCRI_TRY(hcr_builder_add_parameter(builder, "forecast", N, 0, low, high, error));
    HCRI_TRY(hcr_builder_add_bounds(builder, 0, N, bound[0], bound[1], error));
    for (uint32_t j = 0; j < N; j++)
        HCRI_TRY(add_pair(builder, j, 1, N + j, -1, -1, 1, error));
    for (uint32_t j = 0; j + 1 < N; j++)
        HCRI_TRY(add_pair(builder, j, 1, j + 1, -1, -0.5, 0.5, error));
    return hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1 + N, origin[0], error);
}

/* 1,000 dense rows of unit length, a·y <= 1 + b·x, and an origin that moves with every parameter. */
static hcr_status build_rows(const bench *b, hcr_builder *builder, hcri_random *random, hcr_error *error) {
    (void)b;
    enum { N = 100, P = 10, ROWS = 1000 };
    static double origin[1 + P][N];
    double row[N + P], lower[P], upper[P];
    for (size_t k = 0; k < P; k++) {
        lower[k] = -0.1;
        upper[k] = 0.1;
        for (size_t j = 0; j < N; j++)
            origin[1 + k][j] = 0.05 * hcri_random_normal(random);
    }
    HCRI_TRY(hcr_builder_add_variable(builder, "y", N, 0, error));
    HCRI_TRY(hcr_builder_add_parameter(builder, "x", P, 0, lower, upper, error));
    for (size_t i = 0; i < ROWS; i++) {
        double squares = 0;
        const double bound = 1;
        for (size_t j = 0; j < N + P; j++) {
            row[j] = hcri_random_normal(random);
            squares += j < N ? row[j] * row[j] : 0;
        }
        for (size_t j = 0; j < N; j++)
            row[j] /= sqrt(squares);
        for (size_t j = N; j < N + P; j++)
            row[j] *= 0.2;
        HCRI_TRY(hcr_builder_add_rows(builder, 1, row, NULL, &bound, error));
    }
    return hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1 + P, origin[0], error);
}

/* ------------------------------------------------------------------------------------------------ curved regions */

enum { WIDEST = 100, MOST_PARAMETERS = 100 };

/* Outputs within ±3 and parameters within ±0.1. */
static hcr_status add_variables(const bench *b, hcr_builder *builder, hcr_error *error) {
    double low[MOST_PARAMETERS], high[MOST_PARAMETERS], bound[2][WIDEST];
    for (size_t k = 0; k < b->p; k++) {
        low[k] = -0.1;
        high[k] = 0.1;
    }
    for (size_t j = 0; j < b->n; j++) {
        bound[0][j] = -3;
        bound[1][j] = 3;
    }
    HCRI_TRY(hcr_builder_add_variable(builder, "y", b->n, 0, error));
    HCRI_TRY(hcr_builder_add_parameter(builder, "x", b->p, 0, low, high, error));
    return hcr_builder_add_bounds(builder, 0, b->n, bound[0], bound[1], error);
}

/* O(x) = 0, or x. */
static hcr_status set_origin(const bench *b, hcr_builder *builder, int follows, hcr_error *error) {
    static double origin[(1 + MOST_PARAMETERS) * WIDEST];
    for (size_t k = 0; k < (1 + b->p) * b->n; k++)
        origin[k] = 0;
    for (size_t k = 0; k < b->p && follows; k++)
        origin[(1 + k) * b->n + k] = 1;
    return hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1 + b->p, origin, error);
}

/* ½ |y|² <= ½ + x */
static hcr_status build_ball(const bench *b, hcr_builder *builder, hcri_random *random, hcr_error *error) {
    (void)random;
    double weight[WIDEST + 1] = {0}, linear[WIDEST + 1] = {0};
    for (size_t j = 0; j < b->n; j++)
        weight[j] = 1;
    linear[b->n] = -1;
    const hcr_quadratic ball = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = weight, .linear = linear, .radius = 1};
    HCRI_TRY(add_variables(b, builder, error));
    HCRI_TRY(hcr_builder_add_quadratic(builder, &ball, error));
    return set_origin(b, builder, 0, error);
}

/* |y − x| <= 1, or |y| <= 1 + x: the rows of the norm have one entry or two. */
static hcr_status add_norm(const bench *b, hcr_builder *builder, int centre_moves, hcr_error *error) {
    size_t start[WIDEST + 1] = {0};
    uint32_t columns[2 * WIDEST];
    double values[2 * WIDEST], linear[WIDEST + MOST_PARAMETERS] = {0};
    for (size_t j = 0; j < b->n; j++) {
        size_t at = start[j];
        columns[at] = (uint32_t)j;
        values[at++] = 1;
        if (centre_moves) {
            columns[at] = (uint32_t)(b->n + j);
            values[at++] = -1;
        }
        start[j + 1] = at;
    }
    if (!centre_moves)
        linear[b->n] = 1;
    const hcr_cone cone = {
        .rows = b->n, .start = start, .columns = columns, .values = values, .linear = linear, .constant = 1};
    HCRI_TRY(add_variables(b, builder, error));
    return hcr_builder_add_cone(builder, &cone, error);
}

static hcr_status build_radius(const bench *b, hcr_builder *builder, hcri_random *random, hcr_error *error) {
    (void)random;
    HCRI_TRY(add_norm(b, builder, 0, error));
    return set_origin(b, builder, 0, error);
}

static hcr_status build_centre(const bench *b, hcr_builder *builder, hcri_random *random, hcr_error *error) {
    (void)random;
    HCRI_TRY(add_norm(b, builder, 1, error));
    return set_origin(b, builder, 1, error);
}

/* As before, but O stays at 0 while the centre moves, over a tenth of the range. */
static hcr_status build_apart(const bench *b, hcr_builder *builder, hcri_random *random, hcr_error *error) {
    (void)random;
    HCRI_TRY(add_norm(b, builder, 1, error));
    return set_origin(b, builder, 0, error);
}

/* ½ y'Py <= ½ + x with a dense P, its eigenvalues about 1. */
static hcr_status build_ellipsoid(const bench *b, hcr_builder *builder, hcri_random *random, hcr_error *error) {
    static double matrix[(WIDEST + 1) * (WIDEST + 1)], spread[WIDEST][WIDEST];
    double linear[WIDEST + 1] = {0};
    const size_t n = b->n, width = n + 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            spread[i][j] = hcri_random_normal(random) / sqrt((double)n);
    for (size_t k = 0; k < width * width; k++)
        matrix[k] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            matrix[i * width + j] = i == j;
            for (size_t k = 0; k < n; k++)
                matrix[i * width + j] += 0.5 * spread[i][k] * spread[j][k];
        }
    linear[n] = -1;
    const hcr_quadratic ellipsoid = {.form = HCR_QUADRATIC_DENSE, .matrix = matrix, .linear = linear, .radius = 1};
    HCRI_TRY(add_variables(b, builder, error));
    HCRI_TRY(hcr_builder_add_quadratic(builder, &ellipsoid, error));
    return set_origin(b, builder, 0, error);
}

/* |M y| <= 1 + c·y + x with a dense M. */
static hcr_status build_cone(const bench *b, hcr_builder *builder, hcri_random *random, hcr_error *error) {
    static size_t start[WIDEST + 1];
    static uint32_t columns[WIDEST * WIDEST];
    static double values[WIDEST * WIDEST];
    double linear[WIDEST + 1];
    const size_t n = b->n;
    for (size_t i = 0; i < n; i++) {
        start[i + 1] = (i + 1) * n;
        linear[i] = 0.2 * hcri_random_normal(random) / sqrt((double)n);
        for (size_t j = 0; j < n; j++) {
            columns[i * n + j] = (uint32_t)j;
            values[i * n + j] = (i == j) + 0.3 * hcri_random_normal(random) / sqrt((double)n);
        }
    }
    linear[n] = 1;
    const hcr_cone cone = {
        .rows = n, .start = start, .columns = columns, .values = values, .linear = linear, .constant = 1};
    HCRI_TRY(add_variables(b, builder, error));
    HCRI_TRY(hcr_builder_add_cone(builder, &cone, error));
    return set_origin(b, builder, 0, error);
}

/* I + Σ y_j F_j + x G ⪰ 0 with dense F_j and G of 10 rows. */
static hcr_status build_lmi(const bench *b, hcr_builder *builder, hcri_random *random, hcr_error *error) {
    enum { SIZE = 10, ENTRIES = SIZE * SIZE };
    static double matrices[(WIDEST + 1) * ENTRIES];
    double constant[ENTRIES] = {0};
    uint32_t columns[WIDEST + 1];
    for (size_t j = 0; j <= b->n; j++) {
        columns[j] = (uint32_t)j;
        for (size_t i = 0; i < SIZE; i++)
            for (size_t k = 0; k <= i; k++)
                matrices[j * ENTRIES + i * SIZE + k] = matrices[j * ENTRIES + k * SIZE + i] =
                    hcri_random_normal(random) / (2 * sqrt((double)SIZE));
    }
    for (size_t i = 0; i < SIZE; i++)
        constant[i * (SIZE + 1)] = 1;
    const hcr_lmi lmi = {
        .size = SIZE, .constant = constant, .terms = b->n + 1, .outputs = columns, .matrices = matrices};
    HCRI_TRY(add_variables(b, builder, error));
    HCRI_TRY(hcr_builder_add_lmi(builder, &lmi, error));
    return set_origin(b, builder, 0, error);
}

static const bench benches[] = {{"forecast and ramps, 48 outputs, 48 parameters", 48, 48, 0.184, build_forecast},
                                {"band and ramps, 48 outputs, 96 parameters", 48, 96, 0.184, build_band},
                                {"1,000 dense rows, 100 outputs, 10 parameters", 100, 10, 0.371, build_rows},
                                {"ball, right-hand side, 12 outputs", 12, 1, 0.4, build_ball},
                                {"ball, right-hand side, 100 outputs", 100, 1, 0.13, build_ball},
                                {"norm, radius, 12 outputs", 12, 1, 0.4, build_radius},
                                {"norm, radius, 100 outputs", 100, 1, 0.13, build_radius},
                                {"norm, centre, 12 outputs, 12 parameters", 12, 12, 0.4, build_centre},
                                {"norm, centre, 100 outputs, 100 parameters", 100, 100, 0.13, build_centre},
                                {"norm, centre apart from O, 12 outputs, 12 parameters", 12, 12, 0.4, build_apart},
                                {"ellipsoid, right-hand side, 12 outputs", 12, 1, 0.4, build_ellipsoid},
                                {"ellipsoid, right-hand side, 100 outputs", 100, 1, 0.13, build_ellipsoid},
                                {"cone, right-hand side, 12 outputs", 12, 1, 0.4, build_cone},
                                {"cone, right-hand side, 100 outputs", 100, 1, 0.13, build_cone},
                                {"matrix inequality of 10 rows, 12 outputs", 12, 1, 0.4, build_lmi},
                                {"matrix inequality of 10 rows, 100 outputs", 100, 1, 0.15, build_lmi}};

/* -------------------------------------------------------------------------------------------------------- timing */

static hcr_error error;

static void check(hcr_status status) { bench_check(status, &error); }

/* Of this process: the sides take different times, and what else the machine does would fall on the longer one. */
static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

enum { SIDES = 4 };
static double polar[BATCH * (WIDEST + 1)], x[BATCH * MOST_PARAMETERS], y[BATCH * WIDEST];
static float polar_f32[BATCH * (WIDEST + 1)], x_f32[BATCH * MOST_PARAMETERS], y_f32[BATCH * WIDEST];

static void fill(const bench *b, const hcr_region *region, hcri_random *random) {
    const double *lower = hcr_region_parameter_lower(region), *upper = hcr_region_parameter_upper(region);
    for (size_t i = 0; i < BATCH; i++) {
        for (size_t j = 0; j <= b->n; j++)
            polar[i * (b->n + 1) + j] =
                j == b->n ? hcri_random_uniform(random) : b->deviation * hcri_random_normal(random);
        for (size_t k = 0; k < b->p; k++)
            x[i * b->p + k] = lower[k] + (upper[k] - lower[k]) * hcri_random_uniform(random);
    }
    for (size_t k = 0; k < BATCH * (b->n + 1); k++)
        polar_f32[k] = (float)polar[k];
    for (size_t k = 0; k < BATCH * b->p; k++)
        x_f32[k] = (float)x[k];
}

/* The sides take turns, so that what else the machine does falls on all of them; the medians are printed. */
static void time_regions(const bench *b, hcr_region *moving, hcr_region *fixed) {
    hcr_workspace *moves, *stays;
    double times[SIDES][TURNS];
    check(hcr_workspace_create(moving, 1, &moves, &error));
    check(hcr_workspace_create(fixed, 1, &stays, &error));
    const int turns = bench_turns(TURNS);
    for (int turn = -2; turn < turns; turn++)
        for (int side = 0; side < SIDES; side++) {
            const double start = seconds();
            const int repeats = b->n < WIDEST ? 10 : 1;
            for (int k = 0; k < repeats; k++)
                check(side == 0   ? hcr_decode(moving, moves, BATCH, x, polar, y, NULL, &error)
                      : side == 1 ? hcr_decode(fixed, stays, BATCH, NULL, polar, y, NULL, &error)
                      : side == 2 ? hcr_decode_f32(moving, moves, BATCH, x_f32, polar_f32, y_f32, NULL, &error)
                                  : hcr_decode_f32(fixed, stays, BATCH, NULL, polar_f32, y_f32, NULL, &error));
            if (turn >= 0)
                times[side][turn] = 1e6 * (seconds() - start) / (BATCH * repeats);
        }
    for (int side = 0; side < SIDES; side += 2) {
        const double with = bench_median(turns, times[side]), without = bench_median(turns, times[side + 1]);
        printf("%s\t%s\t%.4g\t%.4g\t%.2f\n", b->name, side == 0 ? "double" : "single", with, without, with / without);
    }
    hcr_workspace_free(moves);
    hcr_workspace_free(stays);
}

int main(int argc, char **argv) {
    for (size_t k = 0; k < sizeof benches / sizeof benches[0]; k++) {
        if (argc > 1 && strstr(benches[k].name, argv[1]) == NULL)
            continue;
        hcri_random random;
        hcr_builder *builder;
        hcr_region *moving, *fixed;
        hcri_random_seed(&random, 7);
        check(hcr_builder_create(NULL, &builder, &error));
        check(benches[k].build(&benches[k], builder, &random, &error));
        check(hcr_builder_finish(builder, &moving, &error));
        hcr_builder_free(builder);
        fill(&benches[k], moving, &random);
        check(hcr_region_at(moving, x, NULL, &fixed, &error));
        if (hcr_region_origin_form(moving) == HCR_ORIGIN_FORM_CHECKED)
            fprintf(stderr, "%s: the origin isn't proved\n", benches[k].name);
        time_regions(&benches[k], moving, fixed);
        hcr_region_free(moving);
        hcr_region_free(fixed);
    }
    return 0;
}
