/* The maps of regions with parameters: those with x against the same maps of the region at x, there and back again, in
 * batches and alone, and parameters that leave nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/parameters.h"

static hcr_error error;

enum { MOST = 12 };

typedef hcr_status map_function(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,
                                const double *in, double *out, hcr_ray *rays, hcr_error *failed);

/* 0 within so many times the size. */
static void assert_near(double found, double expected, double size, double tolerance, const char *what) {
    if (!(fabs(found - expected) <= tolerance * size))
        fail_msg("%s: %.17g, not %.17g", what, found, expected);
}

/* ------------------------------------------------------------------------------------------- against the slice */

/* Roots of expressions and callbacks are found to a few units of 1e-12 in both, by different ways; all others' in
 * closed form. */
static double tolerance_of(moving_kind kind) { return kind >= MOVING_EXPRESSION ? 1e-10 : 1e-12; }

static void compare_maps(const hcr_region *region, hcr_workspace *workspace, const char *name, double rounding,
                         const double *x, hcri_random *random) {
    const size_t n = hcr_region_dimension(region);
    hcr_region *fixed = NULL;
    must(hcr_region_at(region, x, NULL, &fixed, &error), &error);
    assert_int_equal(hcr_region_dimension(fixed), n);
    assert_int_equal(hcr_region_parameters(fixed), 0);
    double origin[MOST];
    must(hcr_region_origin_at(region, x, origin, &error), &error);
    assert_memory_equal(origin, hcr_region_origin(fixed), n * sizeof *origin);
    hcr_workspace *other = workspace_of(fixed, 1);
    /* Next to the frontier each keeps a margin of its own. */
    const double tolerance = rounding + hcr_region_margin(fixed, HCR_DOUBLE) + hcr_region_margin(region, HCR_DOUBLE);
    static map_function *const maps[] = {hcr_gauge, hcr_encode, hcr_decode, hcr_contract, hcr_soften};
    for (size_t m = 0; m < sizeof maps / sizeof maps[0]; m++) {
        const size_t width = maps[m] == hcr_gauge ? 1 : maps[m] == hcr_encode ? n + 1 : n;
        double in[MOST + 1], here[MOST + 1], there[MOST + 1];
        hcr_ray ray, expected;
        fill_normal(random, exp2(4 * hcri_random_uniform(random) - 2), n, in);
        in[n] = hcri_random_uniform(random);
        for (size_t j = 0; maps[m] == hcr_encode && j < n; j++)
            in[j] += origin[j];
        must(maps[m](region, workspace, 1, x, in, here, &ray, &error), &error);
        must(maps[m](fixed, other, 1, NULL, in, there, &expected, &error), &error);
        assert_near(ray.gauge, expected.gauge, expected.gauge, tolerance, name);
        assert_int_equal(ray.outcome, expected.outcome);
        const hcr_constraint_info active = hcr_region_constraint(region, ray.constraint),
                                  other_active = hcr_region_constraint(fixed, expected.constraint);
        assert_string_equal(active.kind[0] == 'v' ? "linear" : active.kind, other_active.kind);
        assert_int_equal(active.row, other_active.row);
        double size = 1;
        for (size_t k = 0; k < width; k++)
            size = fmax(size, fabs(there[k]));
        for (size_t k = 0; k < width; k++)
            assert_near(here[k], there[k], size, tolerance, name);
    }
    hcr_workspace_free(other);
    hcr_region_free(fixed);
}

/* At so many random parameters. */
static void compare_with_slices(const hcr_region *region, const char *name, double rounding, size_t times,
                                hcri_random *random) {
    hcr_workspace *workspace = workspace_of(region, 1);
    for (size_t i = 0; i < times; i++) {
        double x[MOST];
        fill_parameters(region, random, x);
        compare_maps(region, workspace, name, rounding, x, random);
    }
    hcr_workspace_free(workspace);
}

static void test_slices(void **state) {
    (void)state;
    enum { TIMES = 8 };
    static const size_t sizes[] = {2, 3, 8};
    hcri_random random;
    hcri_random_seed(&random, 61);
    for (moving_kind kind = MOVING_ROWS; kind < MOVING_KINDS; kind++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            for (int with_equality = 0; with_equality < 2; with_equality++) {
                hcr_region *region = moving_region(kind, sizes[k], 1 + k, with_equality, &random);
                compare_with_slices(region, moving_names[kind], tolerance_of(kind), TIMES, &random);
                hcr_region_free(region);
            }
}

/* Mostly at analytic centres. */
static void test_slices_with_centres(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 67);
    for (int form = 0; form < 4; form++) {
        hcr_region *region = wandering_region(form % 2, form / 2);
        compare_with_slices(region, "a region with centres", 1e-12, 60, &random);
        hcr_region_free(region);
    }
}

/* The centre of a slice that is a box is its middle, at any parameters that leave one. */
static void test_known_centre(void **state) {
    (void)state;
    enum { N = 2, P = 3 }; /* x_0 <= y_0 <= x_1, |y_1 − x_2| <= 1 */
    static const double low[P] = {-1, -1, -4}, high[P] = {1, 1.5, 4}, constant[N] = {0.125, 0}, map[N * P] = {0};
    static const double rows[3][N + P] = {{1, 0, -1, 0, 0}, {1, 0, 0, -1, 0}, {0, 1, 0, 0, -1}};
    static const double lower[3] = {0, -INFINITY, -1}, upper[3] = {INFINITY, 0, 1};
    hcr_builder *builder = moving_builder(N, P, low, high);
    must(hcr_builder_add_rows(builder, 3, &rows[0][0], lower, upper, &error), &error);
    hcr_region *region = region_following(builder, constant, map, 6, 0);
    assert_int_equal(hcr_region_origin_form(region), HCR_ORIGIN_FORM_CHECKED);
    static const double at[][P] = {{-1, -0.5, 4}, {0.5, 0.5009765625, -4}, {0.2, 1.5, 1.1}, {-1, -0.9999, -1.5}};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        double origin[N];
        must(hcr_region_origin_at(region, at[i], origin, &error), &error);
        assert_near(origin[0], 0.5 * (at[i][0] + at[i][1]), at[i][1] - at[i][0], 1e-11, "the middle");
        assert_near(origin[1], at[i][2], 1, 1e-12, "the middle");
    }
    double held[N];
    must(hcr_region_origin_at(region, (const double[P]){0.3, 0.3, 1}, held, &error), &error);
    assert_true(held[0] == 0.3); /* bounds that meet leave one value */
    static const double empty[][P] = {{0.75, -0.75, 0}, {1, -1, 0}};
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
        double origin[N];
        assert_int_equal(hcr_region_origin_at(region, empty[i], origin, &error), HCR_ERROR_ORIGIN);
        assert_non_null(strstr(error.text, "no point is certain"));
    }
    hcr_region_free(region);
}

/* -------------------------------------------------------------------------------------------- there and back again */

static void test_there_and_back(void **state) {
    (void)state;
    enum { N = 6, P = 2, ROWS = 50 };
    hcri_random random;
    hcri_random_seed(&random, 62);
    for (moving_kind kind = MOVING_ROWS; kind < MOVING_KINDS; kind++)
        for (int with_equality = 0; with_equality < 2; with_equality++) {
            hcr_region *region = moving_region(kind, N, P, with_equality, &random);
            hcr_workspace *workspace = workspace_of(region, 1);
            double x[ROWS][P], polar[ROWS][N + 1], y[ROWS][N], back[ROWS][N + 1], again[ROWS][N];
            hcr_ray rays[ROWS];
            for (size_t i = 0; i < ROWS; i++) {
                fill_parameters(region, &random, x[i]);
                fill_normal(&random, 1, N, polar[i]);
                polar[i][N] = 0.05 + 0.9 * hcri_random_uniform(&random);
            }
            must(hcr_decode(region, workspace, ROWS, &x[0][0], &polar[0][0], &y[0][0], NULL, &error), &error);
            must(hcr_encode(region, workspace, ROWS, &x[0][0], &y[0][0], &back[0][0], rays, &error), &error);
            must(hcr_decode(region, workspace, ROWS, &x[0][0], &back[0][0], &again[0][0], NULL, &error), &error);
            for (size_t i = 0; i < ROWS; i++) {
                assert_int_equal(rays[i].outcome, HCR_OUTCOME_INSIDE);
                assert_near(back[i][N], polar[i][N], 1, 1e-9, moving_names[kind]);
                for (size_t j = 0; j < N; j++)
                    assert_near(again[i][j], y[i][j], 4, 1e-9, moving_names[kind]);
            }
            hcr_workspace_free(workspace);
            hcr_region_free(region);
        }
}

/* -------------------------------------------------------------------------------------------------- rows of a batch */

/* A sample has the same bits alone, in a batch, and with three threads; one in seven has no region. */
static void test_batches(void **state) {
    (void)state;
    enum { N = 5, P = 3, ROWS = 201 };
    hcri_random random;
    hcri_random_seed(&random, 63);
    for (moving_kind kind = MOVING_ROWS; kind < MOVING_KINDS; kind++) {
        hcr_region *region = moving_region(kind, N, P, kind % 2, &random);
        hcr_workspace *one = workspace_of(region, 1), *three = workspace_of(region, 3);
        static double x[ROWS][P], polar[ROWS][N + 1], y[ROWS][N], other[ROWS][N], alone[N];
        static float x_f32[ROWS][P], polar_f32[ROWS][N + 1], y_f32[ROWS][N], alone_f32[N];
        hcr_ray rays[ROWS], ray;
        for (size_t i = 0; i < ROWS; i++) {
            fill_parameters(region, &random, x[i]);
            fill_normal(&random, 1, N + 1, polar[i]);
            if (i % 7 == 3)
                x[i][i % P] = i % 2 == 0 ? NAN : 100;
            if (i % 11 == 5)
                polar[i][i % N] = i % 2 == 0 ? NAN : INFINITY;
            for (size_t k = 0; k < P; k++)
                x_f32[i][k] = (float)x[i][k];
            for (size_t j = 0; j <= N; j++)
                polar_f32[i][j] = (float)polar[i][j];
        }
        must(hcr_decode(region, one, ROWS, &x[0][0], &polar[0][0], &y[0][0], rays, &error), &error);
        must(hcr_decode(region, three, ROWS, &x[0][0], &polar[0][0], &other[0][0], NULL, &error), &error);
        assert_memory_equal(y, other, sizeof y);
        must(hcr_decode_f32(region, three, ROWS, &x_f32[0][0], &polar_f32[0][0], &y_f32[0][0], NULL, &error), &error);
        for (size_t i = 0; i < ROWS; i++) {
            must(hcr_decode(region, one, 1, x[i], polar[i], alone, &ray, &error), &error);
            assert_memory_equal(alone, y[i], sizeof alone);
            assert_memory_equal(&ray, &rays[i], sizeof ray);
            must(hcr_decode_f32(region, one, 1, x_f32[i], polar_f32[i], alone_f32, NULL, &error), &error);
            assert_memory_equal(alone_f32, y_f32[i], sizeof alone_f32);
        }
        hcr_workspace_free(one);
        hcr_workspace_free(three);
        hcr_region_free(region);
    }
}

/* ----------------------------------------------------------------------------------------- parameters out of range */

static void test_out_of_range(void **state) {
    (void)state;
    enum { N = 3, P = 2 };
    hcri_random random;
    hcri_random_seed(&random, 64);
    hcr_region *region = moving_region(MOVING_ROWS, N, P, 1, &random);
    hcr_workspace *workspace = workspace_of(region, 1);
    const double *lower = hcr_region_parameter_lower(region), *upper = hcr_region_parameter_upper(region);
    const double wrong[][P] = {{NAN, 0},
                               {0, INFINITY},
                               {-INFINITY, 0},
                               {nextafter(lower[0], -INFINITY), 0},
                               {0, nextafter(upper[1], INFINITY)}};
    const double polar[N + 1] = {1, 2, 3, 0.5}, bar[N + 1] = {1, 1, 1, 1}, none[N + 1] = {0, 0, 0, 0};
    static map_function *const maps[] = {hcr_gauge, hcr_encode, hcr_decode, hcr_contract, hcr_soften};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double out[N + 1], x_bar[P] = {7, 7};
        hcr_ray ray;
        for (size_t m = 0; m < sizeof maps / sizeof maps[0]; m++) {
            const size_t width = maps[m] == hcr_gauge ? 1 : maps[m] == hcr_encode ? N + 1 : N;
            must(maps[m](region, workspace, 1, wrong[i], polar, out, &ray, &error), &error);
            assert_int_equal(ray.outcome, HCR_OUTCOME_OUT_OF_RANGE);
            for (size_t k = 0; k < width; k++)
                assert_true(isnan(out[k]));
        }
        for (int with_ray = 0; with_ray < 2; with_ray++) { /* of soften */
            must(hcr_soften_vjp(region, workspace, 1, wrong[i], polar, with_ray ? &ray : NULL, bar, out, x_bar, &error),
                 &error);
            for (size_t j = 0; j < N; j++)
                assert_true(isnan(out[j]));
            assert_true(isnan(x_bar[0]) && isnan(x_bar[1]));
            must(hcr_soften_jvp(region, workspace, 1, wrong[i], polar, with_ray ? &ray : NULL, none, bar, out, &error),
                 &error);
            for (size_t j = 0; j < N; j++)
                assert_true(isnan(out[j]));
            /* what a loss leaves out spoils nothing */
            must(
                hcr_soften_vjp(region, workspace, 1, wrong[i], polar, with_ray ? &ray : NULL, none, out, x_bar, &error),
                &error);
            assert_true(out[0] == 0 && out[1] == 0 && out[2] == 0 && x_bar[0] == 0 && x_bar[1] == 0);
        }
        hcr_region *fixed = NULL;
        assert_int_equal(hcr_region_at(region, wrong[i], NULL, &fixed, &error), HCR_ERROR_ORIGIN);
        assert_non_null(strstr(error.text, "parameter x["));
        assert_null(fixed);
        assert_int_equal(hcr_region_origin_at(region, wrong[i], out, NULL), HCR_ERROR_ORIGIN);
    }
    /* Both ends of the range belong to it. */
    for (size_t i = 0; i < 4; i++) {
        const double x[P] = {(i & 1 ? upper : lower)[0], (i & 2 ? upper : lower)[1]};
        double y[N];
        hcr_ray ray;
        must(hcr_decode(region, workspace, 1, x, polar, y, &ray, &error), &error);
        assert_int_equal(ray.outcome, HCR_OUTCOME_INSIDE);
    }
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

static void test_arguments(void **state) {
    (void)state;
    enum { N = 2, P = 1 };
    hcri_random random;
    hcri_random_seed(&random, 65);
    hcr_region *region = moving_region(MOVING_ROWS, N, P, 0, &random), *fixed;
    hcr_workspace *workspace = workspace_of(region, 1);
    const double v[N] = {1, 2}, x[P] = {0};
    double y[N], origin[N];
    assert_int_equal(hcr_contract(region, workspace, 1, NULL, v, y, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "parameters is NULL"));
    must(hcr_contract(region, workspace, 0, NULL, NULL, NULL, NULL, &error), &error);
    assert_int_equal(hcr_contract_vjp(region, workspace, 1, NULL, v, NULL, v, y, NULL, &error), HCR_ERROR_ARGUMENT);
    must(hcr_contract_vjp(region, workspace, 1, x, v, NULL, v, y, NULL, &error), &error);
    assert_int_equal(hcr_region_at(region, NULL, NULL, &fixed, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_region_at(region, x, NULL, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_region_origin_at(region, NULL, origin, &error), HCR_ERROR_ARGUMENT);
    hcr_search search = HCR_SEARCH_INIT;
    for (search.method = HCR_SEARCH_ALGORITHM1; search.method <= HCR_SEARCH_PRUNED; search.method++)
        assert_int_equal(hcr_workspace_set_search(workspace, &search, &error), HCR_ERROR_UNSUPPORTED);
    search.method = HCR_SEARCH_FULL;
    must(hcr_workspace_set_search(workspace, &search, &error), &error);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* A region without parameters is its own slice. */
static void test_fixed_region(void **state) {
    (void)state;
    enum { N = 4, ROWS = 20 };
    hcri_random random;
    hcri_random_seed(&random, 66);
    for (region_shape shape = SHAPE_BOX; shape < SHAPES; shape++) {
        hcr_region *region = random_region(shape, N, 1, 1, &random), *same = NULL;
        double v[ROWS][N], y[ROWS][N], other[ROWS][N], origin[N];
        must(hcr_region_at(region, NULL, NULL, &same, &error), &error);
        must(hcr_region_origin_at(region, NULL, origin, &error), &error);
        assert_memory_equal(origin, hcr_region_origin(region), sizeof origin);
        fill_normal(&random, 2, ROWS * N, &v[0][0]);
        hcr_workspace *first = workspace_of(region, 1), *second = workspace_of(same, 1);
        must(hcr_contract(region, first, ROWS, NULL, &v[0][0], &y[0][0], NULL, &error), &error);
        must(hcr_contract(same, second, ROWS, NULL, &v[0][0], &other[0][0], NULL, &error), &error);
        assert_memory_equal(y, other, sizeof y);
        hcr_workspace_free(first);
        hcr_workspace_free(second);
        hcr_region_free(region);
        hcr_region_free(same);
    }
}

/* ------------------------------------------------------------------------------------------------- without memory */

typedef struct allowance { /* allocations that are left, and those that aren't released yet */
    size_t left, live;
} allowance;

static void *allocate(void *context, size_t bytes) {
    allowance *a = context;
    if (a->left == 0)
        return NULL;
    a->left--;
    void *memory = malloc(bytes);
    a->live += memory != NULL;
    return memory;
}

static void release(void *context, void *memory) {
    allowance *a = context;
    a->live -= memory != NULL;
    free(memory);
}

/* With k allocations and no more: MEMORY, nothing left behind, until there are enough. */
static void test_memory(void **state) {
    (void)state;
    enum { N = 3, P = 2 };
    static const moving_kind kinds[] = {MOVING_VARYING, MOVING_QUADRATIC, MOVING_CONE, MOVING_LMI, MOVING_EXPRESSION};
    hcri_random random;
    hcri_random_seed(&random, 68);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        hcr_region *made = moving_region(kinds[i], N, P, 1, &random), *region = NULL, *fixed = NULL;
        allowance all = {SIZE_MAX, 0};
        const hcr_allocator allocator = {allocate, release, &all};
        void *bytes = NULL;
        size_t size = 0;
        must(hcr_region_write(made, &bytes, &size, &error), &error);
        must(hcr_region_read(bytes, size, &allocator, &region, &error), &error);
        const double x[P] = {0.5, -0.5};
        const size_t live = all.live;
        hcr_status status = HCR_ERROR_MEMORY;
        for (size_t k = 0; status != HCR_OK; k++) {
            all.left = k;
            status = hcr_region_at(region, x, &allocator, &fixed, &error);
            if (status != HCR_OK) {
                assert_int_equal(status, HCR_ERROR_MEMORY);
                assert_null(fixed);
                assert_int_equal(all.live, live);
            }
        }
        all.left = 0;
        double origin[N];
        assert_int_equal(hcr_region_origin_at(region, x, origin, &error), HCR_ERROR_MEMORY);
        hcr_region_free(fixed);
        assert_int_equal(all.live, live);
        hcr_region_free(region);
        assert_int_equal(all.live, 0);
        hcr_free(bytes);
        hcr_region_free(made);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices),       cmocka_unit_test(test_slices_with_centres),
        cmocka_unit_test(test_known_centre), cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_batches),      cmocka_unit_test(test_out_of_range),
        cmocka_unit_test(test_arguments),    cmocka_unit_test(test_fixed_region),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
