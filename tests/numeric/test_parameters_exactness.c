/* No result of a region with parameters violates an inequality at its parameters in exact arithmetic, nor an equality
 * by more than the documented bound, in both precisions: for every kind of constraint, origins that are analytic
 * centres, slices as thin as they come, and a forecast in a band of its own each time with a total that must be met.
 * With HCR_LONG in the environment (`make test-long`) a million samples of the forecast, else some thousands. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/parameters.h"
#include "scratch.h"

static hcr_error error;

/* ---------------------------------------------------------------------------------------------------- what is tried */

typedef enum point_map { DECODE, CONTRACT, SOFTEN, POINT_MAPS } point_map;

/* A batch of inputs in both precisions, and what came of it. */
typedef struct batch {
    size_t rows, n, p;
    double *x, *in, *y; /* `in` has n + 1 numbers a row, of which the last counts for decode alone */
    float *x_f32, *in_f32, *y_f32;
    hcr_ray *rays;
    uint8_t *inside;
} batch;

static void *numbers(size_t count) {
    void *memory = calloc(count + 1, sizeof(double));
    assert_non_null(memory);
    return memory;
}

static batch new_batch(const hcr_region *region, size_t rows) {
    batch b = {.rows = rows, .n = hcr_region_dimension(region), .p = hcr_region_parameters(region)};
    b.x = numbers(rows * b.p);
    b.in = numbers(rows * (b.n + 1));
    b.y = numbers(rows * b.n);
    b.x_f32 = numbers(rows * b.p);
    b.in_f32 = numbers(rows * (b.n + 1));
    b.y_f32 = numbers(rows * b.n);
    b.rays = numbers(2 * rows);
    b.inside = numbers(rows);
    return b;
}

static void free_batch(batch *b) {
    void *all[] = {b->x, b->in, b->y, b->x_f32, b->in_f32, b->y_f32, b->rays, b->inside};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        free(all[k]);
}

/* Directions random, along an axis, along the gradient of an inequality, tied, next to denormal and to overflow; radii
 * at 1 and a little less. `width` numbers a row are used: n + 1 for decode. */
static void fill_inputs(const hcr_region *region, batch *b, int single, point_map map, hcri_random *random) {
    const size_t n = b->n, width = map == DECODE ? n + 1 : n;
    double *g = numbers(region->set.n);
    for (size_t i = 0; i < b->rows; i++) {
        double row[64] = {0};
        const size_t kind = hcri_random_below(random, 7);
        const double size = kind == 5 ? (single ? 1e-42 : 1e-310) : kind == 6 ? (single ? 1e37 : 1e300) : 2;
        for (size_t j = 0; j < n && (kind < 2 || kind >= 5); j++)
            row[j] = size * hcri_random_normal(random);
        if (kind == 2)
            row[hcri_random_below(random, n)] = 10 * hcri_random_normal(random);
        for (size_t j = 0; j < n && kind == 3; j++)
            row[j] = (double)hcri_random_below(random, 3) - 1;
        if (kind == 4) {
            size_t local;
            const hcri_constraint *block =
                hcri_set_block_of(&region->set, (uint32_t)hcri_random_below(random, region->constraints), &local);
            memset(g, 0, region->set.n * sizeof *g);
            block->kind->add_gradient(block, local, region->origin, hcri_random_normal(random), g, scratch_for(block));
            memcpy(row, g, n * sizeof *row);
        }
        const double uniform = hcri_random_uniform(random);
        const size_t radius = hcri_random_below(random, 4);
        row[n] = radius < 2 ? 1 : radius == 2 ? 1 - exp2(-53 * uniform) : uniform;
        for (size_t k = 0; k < width; k++) {
            b->in_f32[i * width + k] = (float)row[k];
            b->in[i * width + k] = row[k];
        }
        for (size_t k = 0; k < b->p; k++)
            b->x_f32[i * b->p + k] = (float)b->x[i * b->p + k];
    }
    free(g);
}

static void run(const hcr_region *region, hcr_workspace *workspace, batch *b, int single, point_map map) {
    static hcr_status (*const doubles[])(const hcr_region *, hcr_workspace *, size_t, const double *, const double *,
                                         double *, hcr_ray *, hcr_error *) = {hcr_decode, hcr_contract, hcr_soften};
    static hcr_status (*const floats[])(const hcr_region *, hcr_workspace *, size_t, const float *, const float *,
                                        float *, hcr_ray *,
                                        hcr_error *) = {hcr_decode_f32, hcr_contract_f32, hcr_soften_f32};
    if (single) {
        must(floats[map](region, workspace, b->rows, b->x_f32, b->in_f32, b->y_f32, b->rays, &error), &error);
        must(hcr_check_f32(region, b->rows, b->x_f32, b->y_f32, b->inside, NULL, &error), &error);
    } else {
        must(doubles[map](region, workspace, b->rows, b->x, b->in, b->y, b->rays, &error), &error);
        must(hcr_check(region, b->rows, b->x, b->y, b->inside, NULL, &error), &error);
    }
}

/* Every row is inside, up to rounding where that is said, or has no region and is NaN. Returns how many have none. */
static size_t assert_inside(const batch *b, int single, const char *name) {
    size_t lost = 0;
    for (size_t i = 0; i < b->rows; i++) {
        const uint32_t outcome = b->rays[i].outcome;
        const int is_lost = outcome == HCR_OUTCOME_OUT_OF_RANGE || outcome == HCR_OUTCOME_NO_ORIGIN;
        if (!is_lost && !b->inside[i] && outcome != HCR_OUTCOME_TO_ROUNDING)
            fail_msg("%s, %s: a result is outside, outcome %u", name, single ? "single" : "double", b->rays[i].outcome);
        for (size_t j = 0; j < b->n && is_lost; j++)
            assert_true(isnan(single ? (double)b->y_f32[i * b->n + j] : b->y[i * b->n + j]));
        lost += (size_t)is_lost;
    }
    return lost;
}

/* ------------------------------------------------------------------------------------------------------- all kinds */

static size_t try_region(const hcr_region *region, const char *name, size_t rows, int single, hcri_random *random) {
    hcr_workspace *workspace = workspace_of(region, 1);
    batch b = new_batch(region, rows);
    size_t lost = 0;
    for (point_map map = DECODE; map < POINT_MAPS; map++) {
        for (size_t i = 0; i < rows; i++)
            fill_parameters(region, random, b.x + i * b.p);
        fill_inputs(region, &b, single, map, random);
        run(region, workspace, &b, single, map);
        lost += assert_inside(&b, single, name);
    }
    free_batch(&b);
    hcr_workspace_free(workspace);
    return lost;
}

static void test_kinds(void **state) {
    (void)state;
    static const size_t sizes[] = {2, 5, 12};
    const size_t repeats = getenv("HCR_LONG") != NULL ? 100 : 2;
    hcri_random random;
    hcri_random_seed(&random, 81);
    for (size_t repeat = 0; repeat < repeats; repeat++)
        for (moving_kind kind = MOVING_ROWS; kind < MOVING_KINDS; kind++)
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
                for (int with_equality = 0; with_equality < 2; with_equality++) {
                    hcr_region *region = moving_region(kind, sizes[k], 1 + k, with_equality, &random);
                    for (int single = 0; single < 2; single++)
                        assert_int_equal(try_region(region, moving_names[kind], 60, single, &random), 0);
                    hcr_region_free(region);
                }
}

static void test_centres(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 82);
    for (int form = 0; form < 4; form++) {
        hcr_region *region = wandering_region(form % 2, form / 2);
        for (int single = 0; single < 2; single++)
            assert_int_equal(try_region(region, "a region with centres", 500, single, &random), 0);
        hcr_region_free(region);
    }
}

/* ----------------------------------------------------------------------------------------------------- thin slices */

/* x_0 <= y_0 + 2 y_1 <= x_1, x_0 <= y_2 − y_0 <= x_1 in the box ±3: empty where the bounds cross, and as thin as their
 * distance where they don't. */
static hcr_region *thin_region(int with_equality) {
    enum { N = 4, P = 2 };
    static const double low[P] = {-1, -1}, high[P] = {1, 1.5}, lower[N] = {-3, -3, -3, -3}, upper[N] = {3, 3, 3, 3};
    static const double rows[4][N + P] = {
        {1, 2, 0, 0, -1, 0}, {1, 2, 0, 0, 0, -1}, {-1, 0, 1, 0, -1, 0}, {-1, 0, 1, 0, 0, -1}};
    static const double row_lower[4] = {0, -INFINITY, 0, -INFINITY}, row_upper[4] = {INFINITY, 0, INFINITY, 0};
    const double constant[N] = {0, 0.0625, 0.125, with_equality ? 0.5 - 0.1875 : 0},
                 map[N * P] = {[3 * P] = with_equality};
    hcr_builder *builder = moving_builder(N, P, low, high);
    must(hcr_builder_add_bounds(builder, 0, N, lower, upper, &error), &error);
    must(hcr_builder_add_rows(builder, 4, &rows[0][0], row_lower, row_upper, &error), &error);
    if (with_equality) {
        static const size_t start[2] = {0, 5};
        static const uint32_t columns[5] = {0, 1, 2, 3, 4};
        static const double values[5] = {1, 1, 1, 1, -1}, right = 0.5;
        must(hcr_builder_add_equalities(builder, 1, start, columns, values, &right, &error), &error);
    }
    return region_following(builder, constant, map, 3, with_equality);
}

static void test_thin_slices(void **state) {
    (void)state;
    enum { ROWS = 2000 };
    hcri_random random;
    hcri_random_seed(&random, 83);
    for (int with_equality = 0; with_equality < 2; with_equality++)
        for (int single = 0; single < 2; single++) {
            hcr_region *region = thin_region(with_equality);
            hcr_workspace *workspace = workspace_of(region, 1);
            batch b = new_batch(region, ROWS);
            double least_found = 1;
            for (size_t i = 0; i < ROWS; i++) {
                double *x = b.x + 2 * i;
                x[0] = 2 * hcri_random_uniform(&random) - 1;
                x[1] = x[0] + (i % 5 == 0 ? -1 : 1) * exp2(-55 * hcri_random_uniform(&random)) / 2;
                x[0] = (double)(float)x[0];
                x[1] = single ? (double)(float)x[1] : x[1];
                if (i % 100 == 0)
                    x[1] = x[0];
            }
            for (point_map map = DECODE; map < POINT_MAPS; map++) {
                fill_inputs(region, &b, single, map, &random);
                run(region, workspace, &b, single, map);
                assert_inside(&b, single, "a thin slice");
                for (size_t i = 0; i < ROWS; i++) {
                    const double width = b.x[2 * i + 1] - b.x[2 * i];
                    const int in_range = b.x[2 * i + 1] >= -1;
                    const uint32_t outcome = b.rays[i].outcome;
                    assert_true(in_range == (outcome != HCR_OUTCOME_OUT_OF_RANGE));
                    if (width < -1e-14 && in_range) /* less than rounding tells from 0 */
                        assert_int_equal(outcome, HCR_OUTCOME_NO_ORIGIN);
                    /* Of numbers in single precision some thousands of roundings of the outputs are enough. */
                    if (width >= (single ? 1e-3 : 0))
                        assert_int_not_equal(outcome, HCR_OUTCOME_NO_ORIGIN);
                    /* Thinner than a few units in the last place of outputs of 3 in that precision. */
                    if (outcome == HCR_OUTCOME_TO_ROUNDING)
                        assert_true(fabs(width) < (single ? 1e-6 : 1e-14));
                    if (in_range && outcome != HCR_OUTCOME_NO_ORIGIN)
                        least_found = fmin(least_found, width);
                }
            }
            print_message("    %s%s: the thinnest slice with an origin is %.1e wide\n", single ? "single" : "double",
                          with_equality ? ", an equality" : "", least_found);
            free_batch(&b);
            hcr_workspace_free(workspace);
            hcr_region_free(region);
        }
}

/* -------------------------------------------------------------------------------------------------------- forecast */

/* 24 hours y_t around a forecast m_t, |y_t − m_t| <= w and |y_t − y_{t−1}| <= r, that sum to Σ m + d, which is the last
 * output's to see to. m, w, r and d come with each sample. */
enum { HOURS = 24, FORECAST_PARAMETERS = HOURS + 3 };

static hcr_region *forecast_region(void) {
    enum { W = HOURS + HOURS, R, D, COLUMNS };
    double low[FORECAST_PARAMETERS], high[FORECAST_PARAMETERS], constant[HOURS], map[HOURS * FORECAST_PARAMETERS] = {0};
    double lower[HOURS], upper[HOURS];
    for (size_t t = 0; t < HOURS; t++) {
        low[t] = 1;
        high[t] = 3;
        lower[t] = 0;
        upper[t] = 5;
        constant[t] = 0;
        map[t * FORECAST_PARAMETERS + t] = 1;
        map[t * FORECAST_PARAMETERS + HOURS + 2] = 1.0 / HOURS;
    }
    const double ends[3][2] = {{0.25, 1}, {2.25, 3}, {-4, 4}};
    for (size_t k = 0; k < 3; k++) {
        low[HOURS + k] = ends[k][0];
        high[HOURS + k] = ends[k][1];
    }
    hcr_builder *builder = moving_builder(HOURS, FORECAST_PARAMETERS, low, high);
    must(hcr_builder_add_bounds(builder, 0, HOURS, lower, upper, &error), &error);
    for (size_t t = 0; t < HOURS; t++)
        for (int sign = -1; sign <= 1; sign += 2) { /* ±(y_t − m_t) <= w, ±(y_t − y_{t−1}) <= r */
            const double none = 0;
            double row[COLUMNS] = {0};
            row[t] = sign;
            row[HOURS + t] = -sign;
            row[W] = -1;
            must(hcr_builder_add_rows(builder, 1, row, NULL, &none, &error), &error);
            if (t == 0)
                continue;
            row[HOURS + t] = row[W] = 0;
            row[t - 1] = -sign;
            row[R] = -1;
            must(hcr_builder_add_rows(builder, 1, row, NULL, &none, &error), &error);
        }
    double sum[COLUMNS];
    uint32_t columns[COLUMNS];
    size_t entries = 0;
    for (size_t j = 0; j < COLUMNS; j++)
        if (j != W && j != R) {
            columns[entries] = (uint32_t)j;
            sum[entries++] = j < HOURS ? 1 : -1;
        }
    const size_t start[2] = {0, entries};
    const double none = 0;
    must(hcr_builder_add_equalities(builder, 1, start, columns, sum, &none, &error), &error);
    hcri_affine affine = {.count = 1};
    double ones[HOURS], constants[1] = {0};
    uint32_t dependent[1] = {HOURS - 1};
    affine.dependent = dependent;
    affine.constant = constants;
    for (size_t t = 0; t < HOURS; t++)
        ones[t] = 1 / sqrt(HOURS);
    must(hcri_rows_append(&affine.basis, &hcri_default_allocator, HOURS, columns, ones, &error), &error);
    for (size_t j = 0; j < entries; j++)
        sum[j] = -sum[j];
    memmove(columns + HOURS - 1, columns + HOURS, (entries - HOURS) * sizeof *columns);
    memmove(sum + HOURS - 1, sum + HOURS, (entries - HOURS) * sizeof *sum);
    must(hcri_rows_append(&affine.map, &hcri_default_allocator, entries - 1, columns, sum, &error), &error);
    hcr_region *region = region_following_on(builder, constant, map, 5, &affine);
    hcri_rows_release(&affine.map, &hcri_default_allocator);
    hcri_rows_release(&affine.basis, &hcri_default_allocator);
    return region;
}

static void test_forecast(void **state) {
    (void)state;
    enum { AT_ONCE = 1000 };
    const size_t total = getenv("HCR_LONG") != NULL ? 1000000 : 6000;
    hcri_random random;
    hcri_random_seed(&random, 84);
    hcr_region *region = forecast_region();
    assert_int_equal(hcr_region_origin_form(region), HCR_ORIGIN_FORM_AFFINE);
    hcr_workspace *workspace = workspace_of(region, 0);
    for (int single = 0; single < 2; single++) {
        size_t frontier = 0, samples = 0;
        double worst = 0; /* share of the documented bound that the total is off */
        batch b = new_batch(region, AT_ONCE);
        for (; samples < total; samples += AT_ONCE) {
            const point_map map = (point_map)(samples / AT_ONCE % POINT_MAPS);
            for (size_t i = 0; i < AT_ONCE; i++)
                fill_parameters(region, &random, b.x + i * b.p);
            fill_inputs(region, &b, single, map, &random);
            run(region, workspace, &b, single, map);
            assert_int_equal(assert_inside(&b, single, "a forecast"), 0);
            for (size_t i = 0; i < AT_ONCE; i++) {
                double x[FORECAST_PARAMETERS], y[HOURS], off;
                for (size_t k = 0; k < b.p; k++)
                    x[k] = single ? (double)b.x_f32[i * b.p + k] : b.x[i * b.p + k];
                for (size_t t = 0; t < HOURS; t++)
                    y[t] = single ? (double)b.y_f32[i * HOURS + t] : b.y[i * HOURS + t];
                must(hcr_residual(region, 1, x, y, &off, &error), &error);
                worst = fmax(worst, off / hcr_region_equality_rounding(region, 0, x, y, (hcr_precision)single));
                frontier += b.rays[i].outcome == HCR_OUTCOME_FRONTIER;
            }
        }
        print_message("    %s: %zu samples, %zu on the frontier, margin %.2g, totals off by %.2g of the bound\n",
                      single ? "single" : "double", samples, frontier, hcr_region_margin(region, (hcr_precision)single),
                      worst);
        assert_true(worst <= 1 && frontier > samples / 5);
        free_batch(&b);
    }
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_centres),
        cmocka_unit_test(test_thin_slices),
        cmocka_unit_test(test_forecast),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
