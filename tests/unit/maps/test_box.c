/* The maps and their derivatives on a box whose origin moves, where all of them have closed forms: y0 in [−2, 6], y1 in
 * [−3, 1], O(p) = (p/4, 0) for p in [−1, 1]. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "region/builder.h"
#include "region/region.h"

enum { ROWS = 90, MAPS = 5 };

static hcr_region *region;

static int make_region(void **state) {
    (void)state;
    static const double low = -1, high = 1, lower[2] = {-2, -3}, upper[2] = {6, 1};
    static double constant[2] = {0, 0};
    const uint32_t first = 0;
    const double share = 0.25, origin[3] = {0, 0, 0}, least[3] = {-2, -3, -1}, most[3] = {6, 1, 1};
    hcr_builder *builder = NULL;
    hcri_origin_map origin_map = {.outputs = 2, .parameters = 1, .constant = constant};
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_parameter(builder, "p", 1, 1, &low, &high, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", 2, 0, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, lower, upper, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    for (size_t j = 0; j < 2; j++)
        assert_int_equal(hcri_rows_append(&origin_map.map, &builder->set.allocator, 1 - j, &first, &share, NULL),
                         HCR_OK);
    const hcri_analysis analysis = {
        .origin = origin, .lower = least, .upper = most, .radius = INFINITY, .origin_map = &origin_map};
    const hcr_status status = hcri_region_create(&builder->set, &analysis, NULL, &region, NULL);
    hcri_rows_release(&origin_map.map, &builder->set.allocator);
    hcr_builder_free(builder);
    return status != HCR_OK;
}

static int free_region(void **state) {
    (void)state;
    hcr_region_free(region);
    return 0;
}

static hcr_workspace *new_workspace(void) {
    hcr_workspace *workspace = NULL;
    assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
    return workspace;
}

/* γ of v from O(p), and what the maps make of it, in extended precision; `in` and `out` are as wide as the map's. */
typedef enum map_kind { GAUGE, ENCODE, DECODE, CONTRACT, SOFTEN } map_kind;
static const size_t in_width[MAPS] = {2, 2, 3, 2, 2}, out_width[MAPS] = {1, 3, 2, 2, 2};

static long double gauge_of(long double o, const long double v[2]) {
    return fmaxl(fmaxl(v[0] / (6 - o), v[0] / (-2 - o)), fmaxl(v[1], -v[1] / 3));
}

static void map(map_kind kind, long double p, const long double *in, long double *out) {
    const long double o = p / 4, v[2] = {kind == ENCODE ? in[0] - o : in[0], in[1]}, gauge = gauge_of(o, v);
    const long double norm = hypotl(v[0], v[1]);
    const long double r = kind == DECODE ? in[2] : kind == SOFTEN ? gauge / (1 + gauge) : fminl(gauge, 1);
    switch (kind) {
    case GAUGE: out[0] = gauge; return;
    case ENCODE:
        out[0] = v[0] / norm;
        out[1] = v[1] / norm;
        out[2] = gauge;
        return;
    default:
        out[0] = o + r / gauge * v[0];
        out[1] = r / gauge * v[1];
        return;
    }
}

/* A pull of `bar` through the map by central differences: their error is about the square of the step. */
static void pull(map_kind kind, double p, const double *in, const double *bar, double *in_bar, double *x_bar) {
    const long double step = 1e-6L;
    for (size_t k = 0; k <= in_width[kind]; k++) {
        long double moved[2][3], out[2][3], sum = 0;
        for (size_t side = 0; side < 2; side++) {
            const long double by = side == 0 ? -step : step;
            for (size_t j = 0; j < in_width[kind]; j++)
                moved[side][j] = (long double)in[j] + (j == k ? by : 0);
            map(kind, (long double)p + (k == in_width[kind] ? by : 0), moved[side], out[side]);
        }
        for (size_t j = 0; j < out_width[kind]; j++)
            sum += (long double)bar[j] * (out[1][j] - out[0][j]) / (2 * step);
        *(k == in_width[kind] ? x_bar : in_bar + k) = (double)sum;
    }
}

typedef hcr_status (*map_function)(const hcr_region *, hcr_workspace *, size_t, const double *, const double *,
                                   double *, hcr_ray *, hcr_error *);
typedef hcr_status (*vjp_function)(const hcr_region *, hcr_workspace *, size_t, const double *, const double *,
                                   const hcr_ray *, const double *, double *, double *, hcr_error *);
static const map_function forward[MAPS] = {hcr_gauge, hcr_encode, hcr_decode, hcr_contract, hcr_soften};
static const vjp_function backward[MAPS] = {hcr_gauge_vjp, hcr_encode_vjp, hcr_decode_vjp, hcr_contract_vjp,
                                            hcr_soften_vjp};

/* Random samples; the derivatives come from a workspace that has seen nothing else, with the rays that the map gave and
 * without. */
static void test_random(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 11);
    for (map_kind kind = GAUGE; kind <= SOFTEN; kind++) {
        double x[ROWS], in[ROWS * 3], out[ROWS * 3], bar[ROWS * 3], in_bar[2][ROWS * 3], x_bar[2][ROWS];
        hcr_ray rays[ROWS];
        const size_t width = in_width[kind], outputs = out_width[kind];
        for (size_t i = 0; i < ROWS; i++) {
            x[i] = 2 * hcri_random_uniform(&random) - 1;
            for (size_t j = 0; j < 3; j++) {
                in[i * width + (j < width ? j : 0)] = 3 * hcri_random_normal(&random);
                bar[i * outputs + (j < outputs ? j : 0)] = hcri_random_normal(&random);
            }
            if (kind == DECODE)
                in[i * 3 + 2] = 0.99 * hcri_random_uniform(&random);
        }
        hcr_workspace *workspace = new_workspace();
        assert_int_equal(forward[kind](region, workspace, ROWS, x, in, out, rays, NULL), HCR_OK);
        hcr_workspace_free(workspace);
        for (int with_rays = 0; with_rays < 2; with_rays++) {
            workspace = new_workspace();
            assert_int_equal(backward[kind](region, workspace, ROWS, x, in, with_rays ? rays : NULL, bar,
                                            in_bar[with_rays], x_bar[with_rays], NULL),
                             HCR_OK);
            hcr_workspace_free(workspace);
        }
        for (size_t i = 0; i < ROWS; i++) {
            long double wide[3], expected[3];
            double back[3], back_x = 0;
            for (size_t j = 0; j < width; j++)
                wide[j] = (long double)in[i * width + j];
            map(kind, (long double)x[i], wide, expected);
            pull(kind, x[i], in + i * width, bar + i * outputs, back, &back_x);
            for (size_t j = 0; j < outputs; j++)
                assert_true(fabs(out[i * outputs + j] - (double)expected[j]) <=
                            1e-14 * (1 + fabs(out[i * outputs + j])));
            for (int k = 0; k < 2; k++) {
                for (size_t j = 0; j < width; j++)
                    assert_true(fabs(in_bar[k][i * width + j] - back[j]) <= 1e-8 * (1 + fabs(back[j])));
                assert_true(fabs(x_bar[k][i] - back_x) <= 1e-8 * (1 + fabs(back_x)));
            }
        }
        assert_memory_equal(in_bar[0], in_bar[1], ROWS * width * sizeof(double));
        assert_memory_equal(x_bar[0], x_bar[1], ROWS * sizeof(double));
    }
}

/* What each map says of a sample at p = 0, where γ(v) = max(v0/6, −v0/2, v1, −v1/3). */
static void test_outcomes(void **state) {
    (void)state;
    static const struct {
        double v[2], gauge;
        hcr_outcome outcome[MAPS]; /* decode's with r = ½ */
    } cases[] = {
        {{3, 0},
         0.5,
         {HCR_OUTCOME_INSIDE, HCR_OUTCOME_INSIDE, HCR_OUTCOME_INSIDE, HCR_OUTCOME_INSIDE, HCR_OUTCOME_INSIDE}},
        {{0, 1},
         1,
         {HCR_OUTCOME_INSIDE, HCR_OUTCOME_INSIDE, HCR_OUTCOME_INSIDE, HCR_OUTCOME_INSIDE, HCR_OUTCOME_INSIDE}},
        {{0, 1.5},
         1.5,
         {HCR_OUTCOME_OUTSIDE, HCR_OUTCOME_OUTSIDE, HCR_OUTCOME_INSIDE, HCR_OUTCOME_FRONTIER, HCR_OUTCOME_INSIDE}},
        {{-6, 0},
         3,
         {HCR_OUTCOME_OUTSIDE, HCR_OUTCOME_OUTSIDE, HCR_OUTCOME_INSIDE, HCR_OUTCOME_FRONTIER, HCR_OUTCOME_INSIDE}},
        {{0, 0},
         0,
         {HCR_OUTCOME_AT_ORIGIN, HCR_OUTCOME_AT_ORIGIN, HCR_OUTCOME_AT_ORIGIN, HCR_OUTCOME_AT_ORIGIN,
          HCR_OUTCOME_AT_ORIGIN}},
        {{NAN, 1},
         NAN,
         {HCR_OUTCOME_BAD_VALUE, HCR_OUTCOME_BAD_VALUE, HCR_OUTCOME_BAD_VALUE, HCR_OUTCOME_BAD_VALUE,
          HCR_OUTCOME_BAD_VALUE}},
        {{1, -INFINITY},
         NAN,
         {HCR_OUTCOME_BAD_VALUE, HCR_OUTCOME_BAD_VALUE, HCR_OUTCOME_BAD_VALUE, HCR_OUTCOME_BAD_VALUE,
          HCR_OUTCOME_BAD_VALUE}},
    };
    hcr_workspace *workspace = new_workspace();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (map_kind kind = GAUGE; kind <= SOFTEN; kind++) {
            const double x = 0, in[3] = {cases[k].v[0], cases[k].v[1], 0.5};
            double out[3];
            hcr_ray ray;
            assert_int_equal(forward[kind](region, workspace, 1, &x, in, out, &ray, NULL), HCR_OK);
            assert_int_equal(ray.outcome, cases[k].outcome[kind]);
            const double gauge = isnan(cases[k].gauge) ? 0 : cases[k].gauge;
            assert_true(fabs(ray.gauge - gauge) <= 1e-15 * gauge);
            if (kind == GAUGE)
                assert_true(isnan(cases[k].gauge) ? isnan(out[0]) : out[0] == ray.gauge);
            if (kind == ENCODE)
                assert_true(out[2] == ray.gauge && fabs(hypot(out[0], out[1]) - (gauge > 0)) <= 1e-15);
            if (gauge == 0 && kind > ENCODE)
                assert_true(out[0] == 0 && out[1] == 0);
        }
    /* radii below 0 and above 1 are as 0 and 1, those that aren't numbers give the origin */
    static const double radii[] = {-1, 0, 0.25, 1, 7, NAN, INFINITY}, where[] = {0, 0, 1.5, 6, 6, 0, 0};
    static const hcr_outcome said[] = {HCR_OUTCOME_INSIDE,   HCR_OUTCOME_INSIDE,   HCR_OUTCOME_INSIDE,
                                       HCR_OUTCOME_FRONTIER, HCR_OUTCOME_FRONTIER, HCR_OUTCOME_BAD_VALUE,
                                       HCR_OUTCOME_BAD_VALUE};
    for (size_t k = 0; k < sizeof radii / sizeof radii[0]; k++) {
        const double x = 0, polar[3] = {0.125, 0, radii[k]};
        double y[2];
        hcr_ray ray;
        assert_int_equal(hcr_decode(region, workspace, 1, &x, polar, y, &ray, NULL), HCR_OK);
        assert_int_equal(ray.outcome, said[k]);
        assert_true(y[0] <= where[k] && y[0] >= where[k] * (1 - 1e-12) && y[1] == 0);
    }
    const double beyond = 2, in[3] = {1, 1, 1};
    for (map_kind kind = GAUGE; kind <= SOFTEN; kind++) {
        double out[3] = {0};
        hcr_ray ray;
        assert_int_equal(forward[kind](region, workspace, 1, &beyond, in, out, &ray, NULL), HCR_OK);
        assert_int_equal(ray.outcome, HCR_OUTCOME_OUT_OF_RANGE);
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(isnan(out[j]) != 0, j < out_width[kind]);
    }
    hcr_workspace_free(workspace);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_outcomes)};
    return cmocka_run_group_tests(tests, make_region, free_region);
}
