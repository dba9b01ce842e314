/* The derivatives of all maps by their input and by the parameters against central differences, for every kind of
 * constraint, with equalities, and with origins that are analytic centres. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/parameters.h"

static hcr_error error;

enum { MOST = 16 };

typedef hcr_status map_function(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,
                                const double *in, double *out, hcr_ray *rays, hcr_error *failed);
typedef hcr_status vjp_function(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,
                                const double *in, const hcr_ray *rays, const double *bar, double *result, double *x_bar,
                                hcr_error *failed);
typedef hcr_status vjp_function_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *x,
                                    const float *in, const hcr_ray *rays, const float *bar, float *result, float *x_bar,
                                    hcr_error *failed);
typedef hcr_status jvp_function(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,
                                const double *in, const hcr_ray *rays, const double *dot, const double *x_dot,
                                double *result, hcr_error *failed);
typedef hcr_status jvp_function_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *x,
                                    const float *in, const hcr_ray *rays, const float *dot, const float *x_dot,
                                    float *result, hcr_error *failed);
typedef struct tested_map {
    const char *name;
    map_function *forward;
    vjp_function *backward;
    vjp_function_f32 *backward_f32;
    jvp_function *pushed;
    jvp_function_f32 *pushed_f32;
    int takes_point, radius_in, radius_out, gauge_only; /* what beside the outputs goes in and out */
} tested_map;
static const tested_map maps[] = {
    {"gauge", hcr_gauge, hcr_gauge_vjp, hcr_gauge_vjp_f32, hcr_gauge_jvp, hcr_gauge_jvp_f32, 0, 0, 0, 1},
    {"encode", hcr_encode, hcr_encode_vjp, hcr_encode_vjp_f32, hcr_encode_jvp, hcr_encode_jvp_f32, 1, 0, 1, 0},
    {"decode", hcr_decode, hcr_decode_vjp, hcr_decode_vjp_f32, hcr_decode_jvp, hcr_decode_jvp_f32, 0, 1, 0, 0},
    {"contract", hcr_contract, hcr_contract_vjp, hcr_contract_vjp_f32, hcr_contract_jvp, hcr_contract_jvp_f32, 0, 0, 0,
     0},
    {"soften", hcr_soften, hcr_soften_vjp, hcr_soften_vjp_f32, hcr_soften_jvp, hcr_soften_jvp_f32, 0, 0, 0, 0},
    {"soften_inverse", hcr_soften_inverse, hcr_soften_inverse_vjp, hcr_soften_inverse_vjp_f32, hcr_soften_inverse_jvp,
     hcr_soften_inverse_jvp_f32, 1, 0, 0, 0},
};
enum { MAPS = sizeof maps / sizeof maps[0] };

/* Inside and outside by a factor of 2, and any length; points that have to be inside at three places. */
static double share_of(const tested_map *map, size_t i, double gauge) {
    if (map->forward == hcr_soften_inverse)
        return (0.1 + 0.3 * (double)(i % 3)) / gauge;
    return i % 3 == 0 ? 0.5 / gauge : i % 3 == 1 ? 2 / gauge : 1;
}

typedef struct sample {
    const tested_map *map;
    const hcr_region *region;
    hcr_workspace *workspace;
    const char *name;
    double in[MOST + 1], x[MOST], bar[MOST + 1];
} sample;

/* bar · map(in; x), its ray and its origin. */
static double scalar(const sample *s, hcr_ray *ray, double *origin) {
    const size_t n = hcr_region_dimension(s->region), width = s->map->gauge_only ? 1 : n + (size_t)s->map->radius_out;
    double out[MOST + 1], total = 0;
    must(s->map->forward(s->region, s->workspace, 1, s->x, s->in, out, ray, &error), &error);
    must(hcr_region_origin_at(s->region, s->x, origin, &error), &error);
    for (size_t k = 0; k < width; k++)
        total += s->bar[k] * out[k];
    return total;
}

/* (f(at + h) − f(at − h))/2h, extrapolated from h and h/2 (an error of order h⁴ and of rounding/h). 0 when a tie, a
 * change of outcome or one from O(x) to the centre lies in between. */
static int differentiate(const sample *s, double *at, double h, double *derivative, double *rounding) {
    const size_t n = hcr_region_dimension(s->region);
    const double middle = *at;
    double difference[2], origin[MOST], other[MOST];
    hcr_ray ray, side;
    scalar(s, &ray, origin);
    for (int half = 0; half < 2; half++) {
        double value[2];
        const double step = half ? h / 2 : h;
        for (int up = 0; up < 2; up++) {
            *at = up ? middle + step : middle - step;
            value[up] = scalar(s, &side, other);
            *at = middle;
            for (size_t j = 0; j < n; j++)
                if (fabs(other[j] - origin[j]) > 50 * h)
                    return 0;
            if (side.constraint != ray.constraint || side.outcome != ray.outcome)
                return 0;
        }
        difference[half] = (value[1] - value[0]) / (2 * step);
        *rounding = fmax(*rounding, 1e-12 * (1 + fabs(value[1])) / h); /* matters where the derivative is 0 */
    }
    *derivative = (4 * difference[1] - difference[0]) / 3;
    return 1;
}

static void assert_gradient(const sample *s, const char *by, size_t count, const double *gradient,
                            const double *expected, double rounding) {
    double size = 0;
    for (size_t k = 0; k < count; k++)
        size = fmax(size, fabs(expected[k]));
    for (size_t k = 0; k < count; k++)
        if (!(fabs(gradient[k] - expected[k]) <= 1e-6 * size + rounding))
            fail_msg("%s of %s by %s[%zu]: %.12g, not %.12g", s->map->name, s->name, by, k, gradient[k], expected[k]);
}

/* The same gradients in single precision, with and without the parameters'. */
static void compare_single(const sample *s, size_t inputs, const double *gradient, const double *x_gradient) {
    const size_t p = hcr_region_parameters(s->region);
    float in[MOST + 1], x[MOST], bar[MOST + 1], result[MOST + 1], x_bar[MOST], again[MOST + 1];
    double size = 0;
    for (size_t k = 0; k <= MOST; k++) {
        in[k] = (float)s->in[k];
        bar[k] = (float)s->bar[k];
    }
    for (size_t k = 0; k < p; k++)
        x[k] = (float)s->x[k];
    must(s->map->backward_f32(s->region, s->workspace, 1, x, in, NULL, bar, result, x_bar, &error), &error);
    must(s->map->backward_f32(s->region, s->workspace, 1, x, in, NULL, bar, again, NULL, &error), &error);
    assert_memory_equal(result, again, inputs * sizeof *result);
    for (size_t k = 0; k < inputs; k++)
        size = fmax(size, fabs(gradient[k]));
    for (size_t k = 0; k < p; k++)
        size = fmax(size, fabs(x_gradient[k]));
    /* The inputs were rounded to 6e-8; what a gradient changes by that grows with its curvature. */
    for (size_t k = 0; k < inputs; k++)
        assert_true(fabs((double)result[k] - gradient[k]) <= 1e-3 * size);
    for (size_t k = 0; k < p; k++)
        assert_true(fabs((double)x_bar[k] - x_gradient[k]) <= 1e-3 * size);
}

static double dot(size_t count, const double *a, const double *b) {
    double total = 0;
    for (size_t k = 0; k < count; k++)
        total += a[k] * b[k];
    return total;
}

/* D07: the derivative forwards is the transpose of the one in reverse, to rounding: of centres, to that of the solution
 * of an ill-conditioned system. The reverse one is held against differences. */
static void compare_transposed(const sample *s, size_t inputs, const double *gradient, const double *x_gradient,
                               hcri_random *random) {
    const size_t n = hcr_region_dimension(s->region), p = hcr_region_parameters(s->region),
                 count = s->map->gauge_only ? 1 : n + (size_t)s->map->radius_out;
    double change[MOST + 1], x_change[MOST], pushed[MOST + 1], still[MOST + 1], again[MOST + 1];
    float in_f32[MOST + 1], x_f32[MOST], change_f32[MOST + 1], x_change_f32[MOST], pushed_f32[MOST + 1];
    fill_normal(random, 1, inputs, change);
    fill_normal(random, 1, p, x_change);
    must(s->map->pushed(s->region, s->workspace, 1, s->x, s->in, NULL, change, x_change, pushed, &error), &error);
    const double forward = dot(count, s->bar, pushed),
                 backward = dot(inputs, gradient, change) + dot(p, x_gradient, x_change);
    const double size = sqrt(dot(count, s->bar, s->bar) * dot(count, pushed, pushed)) +
                        sqrt(dot(inputs, gradient, gradient) * dot(inputs, change, change)) +
                        sqrt(dot(p, x_gradient, x_gradient) * dot(p, x_change, x_change));
    if (!(fabs(forward - backward) <= 1e-10 * size))
        fail_msg("%s of %s: %.17g forwards, %.17g in reverse", s->map->name, s->name, forward, backward);
    must(s->map->pushed(s->region, s->workspace, 1, s->x, s->in, NULL, change, NULL, still, &error), &error);
    memset(x_change, 0, sizeof x_change); /* parameters that stay */
    must(s->map->pushed(s->region, s->workspace, 1, s->x, s->in, NULL, change, x_change, again, &error), &error);
    for (size_t k = 0; k < count; k++)
        assert_true(fabs(still[k] - again[k]) <= 1e-12 * (1 + fabs(still[k])));
    for (size_t k = 0; k < inputs; k++) {
        in_f32[k] = (float)s->in[k];
        change_f32[k] = (float)change[k];
    }
    for (size_t k = 0; k < p; k++) {
        x_f32[k] = (float)s->x[k];
        x_change_f32[k] = 0;
    }
    must(s->map->pushed_f32(s->region, s->workspace, 1, x_f32, in_f32, NULL, change_f32, x_change_f32, pushed_f32,
                            &error),
         &error);
    for (size_t k = 0; k < count; k++) /* as in compare_single */
        assert_true(fabs((double)pushed_f32[k] - again[k]) <= 1e-3 * (sqrt(dot(count, again, again)) + 1e-3));
}

/* One row; 0 when a difference can't be taken. */
static int compare_row(sample *s, hcri_random *random) {
    const size_t n = hcr_region_dimension(s->region), p = hcr_region_parameters(s->region),
                 inputs = n + (size_t)s->map->radius_in;
    double gradient[MOST + 1], x_gradient[MOST], again[MOST + 1], x_again[MOST], expected[MOST + 1], x_expected[MOST],
        origin[MOST], length = 0, rounding = 0;
    hcr_ray ray;
    scalar(s, &ray, origin);
    must(s->map->backward(s->region, s->workspace, 1, s->x, s->in, &ray, s->bar, gradient, x_gradient, &error), &error);
    must(s->map->backward(s->region, s->workspace, 1, s->x, s->in, NULL, s->bar, again, x_again, &error), &error);
    assert_memory_equal(gradient, again, inputs * sizeof *gradient);
    assert_memory_equal(x_gradient, x_again, p * sizeof *x_gradient);
    for (size_t j = 0; j < n; j++)
        length = hypot(length, s->map->takes_point ? s->in[j] - origin[j] : s->in[j]);
    for (size_t k = 0; k < inputs; k++)
        if (!differentiate(s, &s->in[k], k == n ? 1e-3 : 1e-3 * fmin(length, 1), &expected[k], &rounding))
            return 0;
    for (size_t k = 0; k < p; k++)
        if (!differentiate(s, &s->x[k], 1e-3, &x_expected[k], &rounding))
            return 0;
    assert_gradient(s, "input", inputs, gradient, expected, rounding);
    assert_gradient(s, "x", p, x_gradient, x_expected, rounding);
    compare_single(s, inputs, gradient, x_gradient);
    compare_transposed(s, inputs, gradient, x_gradient, random);
    return 1;
}

/* `times` random rows for each map. Returns how many could be
 * compared of the map that had the fewest. */
static size_t compare_maps(const hcr_region *region, const char *name, const double *low, const double *high,
                           size_t times, hcri_random *random) {
    const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
    hcr_workspace *workspace = workspace_of(region, 1);
    size_t least = times;
    for (size_t m = 0; m < MAPS; m++) {
        size_t compared = 0;
        for (size_t i = 0; i < times; i++) {
            sample s = {.map = &maps[m], .region = region, .workspace = workspace, .name = name};
            double gauge, origin[MOST];
            for (size_t k = 0; k < p; k++)
                s.x[k] = low[k] + (high[k] - low[k]) * hcri_random_uniform(random);
            fill_normal(random, 1, n + 1, s.in);
            fill_normal(random, 1, n + 1, s.bar);
            must(hcr_region_origin_at(region, s.x, origin, &error), &error);
            must(hcr_gauge(region, workspace, 1, s.x, s.in, &gauge, NULL, &error), &error);
            for (size_t j = 0; j < n; j++) {
                s.in[j] *= share_of(&maps[m], i, gauge);
                if (maps[m].takes_point)
                    s.in[j] += origin[j];
            }
            s.in[n] = 0.1 + 0.8 * hcri_random_uniform(random);
            compared += (size_t)compare_row(&s, random);
        }
        least = compared < least ? compared : least;
    }
    hcr_workspace_free(workspace);
    return least;
}

/* Well inside the range of moving_region's parameters. */
static const double low[MOST] = {-0.9, -0.9, -0.9}, high[MOST] = {1.4, 1.4, 1.4};

static void test_kind(void **state) {
    const moving_kind kind = *(const moving_kind *)*state;
    enum { TIMES = 12 };
    static const size_t sizes[] = {2, 5, 8};
    hcri_random random;
    hcri_random_seed(&random, 700 + (uint64_t)kind);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int with_equality = 0; with_equality < 2; with_equality++) {
            hcr_region *region = moving_region(kind, sizes[k], 1 + k, with_equality, &random);
            assert_true(compare_maps(region, moving_names[kind], low, high, TIMES, &random) >= TIMES / 2);
            hcr_region_free(region);
        }
}

/* x_0 far from the middle: the origin is the centre. */
static void test_centre(void **state) {
    (void)state;
    enum { TIMES = 30 };
    static const double far_low[MOST] = {0.8, -0.9, -0.9};
    hcri_random random;
    hcri_random_seed(&random, 71);
    for (int form = 0; form < 4; form++) {
        hcr_region *region = wandering_region(form % 2, form / 2);
        assert_int_equal(hcr_region_origin_form(region), HCR_ORIGIN_FORM_CHECKED);
        assert_true(compare_maps(region, "a centre", far_low, high, TIMES, &random) >= TIMES / 2);
        hcr_region_free(region);
    }
}

/* The centre of an unbounded slice, which is drawn towards O(x): x_0 − 0.5 <= y_0 <= x_0 + 0.5, y_0 + x_1 y_1 >= −5.
 */
static void test_unbounded_centre(void **state) {
    (void)state;
    enum { N = 2, P = 2, TIMES = 20 };
    static const double range_low[P] = {-1, 0.5}, range_high[P] = {1, 2}, constant[N] = {0, 1},
                        map[N * P] = {0, 0, 0.5, 0};
    static const double row[N + P] = {1, 0, -1, 0}, side_low = -0.5, side_high = 0.5, least = -5;
    static const size_t start[2] = {0, 1}, product_start[2] = {0, 1};
    static const uint32_t column = 0, output = 1, parameter = 1;
    static const double one = 1;
    const hcr_varying_rows varying = {.rows = 1,
                                      .start = start,
                                      .columns = &column,
                                      .values = &one,
                                      .product_start = product_start,
                                      .product_outputs = &output,
                                      .product_parameters = &parameter,
                                      .product_values = &one,
                                      .lower = &least};
    static const double x_low[MOST] = {0.6, 0.6}, x_high[MOST] = {0.9, 1.9};
    hcr_builder *builder = moving_builder(N, P, range_low, range_high);
    must(hcr_builder_allow_unbounded(builder, 1, &error), &error);
    must(hcr_builder_add_rows(builder, 1, row, &side_low, &side_high, &error), &error);
    must(hcr_builder_add_varying_rows(builder, &varying, &error), &error);
    hcr_region *region = region_following(builder, constant, map, INFINITY, 0);
    hcri_random random;
    hcri_random_seed(&random, 72);
    assert_true(compare_maps(region, "an unbounded slice", x_low, x_high, TIMES, &random) >= TIMES / 4);
    hcr_region_free(region);
}

/* Rows that have no derivative: NaN in the input gives zeros, and a result at the origin moves with it. */
static void test_at_origin(void **state) {
    (void)state;
    enum { N = 3, P = 2 };
    hcri_random random;
    hcri_random_seed(&random, 73);
    hcr_region *region = moving_region(MOVING_ROWS, N, P, 0, &random);
    hcr_workspace *workspace = workspace_of(region, 1);
    const double x[P] = {0.5, 0.25}, zero[N + 1] = {0, 0, 0, 0.5}, bad[N + 1] = {NAN, 0, 0, 0.5}, bar[N] = {1, 2, 3};
    double result[N + 1], x_bar[P], expected[P] = {0, 0};
    for (size_t j = 0; j < N; j++)
        for (size_t k = region->origin_map.map.start[j]; k < region->origin_map.map.start[j + 1]; k++)
            expected[region->origin_map.map.columns[k]] += bar[j] * region->origin_map.map.values[k];
    static vjp_function *const backward[] = {hcr_decode_vjp, hcr_contract_vjp, hcr_soften_vjp};
    for (size_t m = 0; m < 3; m++) {
        must(backward[m](region, workspace, 1, x, zero, NULL, bar, result, x_bar, &error), &error);
        for (size_t k = 0; k < P; k++)
            assert_true(fabs(x_bar[k] - expected[k]) <= 1e-15);
        must(backward[m](region, workspace, 1, x, bad, NULL, bar, result, x_bar, &error), &error);
        for (size_t k = 0; k < P; k++)
            assert_true(x_bar[k] == 0);
    }
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

int main(void) {
    static moving_kind kinds[MOVING_KINDS];
    struct CMUnitTest tests[MOVING_KINDS + 3] = {cmocka_unit_test(test_centre), cmocka_unit_test(test_unbounded_centre),
                                                 cmocka_unit_test(test_at_origin)};
    for (size_t k = 0; k < MOVING_KINDS; k++) {
        kinds[k] = (moving_kind)k;
        tests[3 + k] = (struct CMUnitTest){moving_names[k], test_kind, NULL, NULL, &kinds[k]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
