/* The derivatives of all maps against central differences, for every kind of constraint. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/regions.h"

static hcr_error error;

enum { MOST = 32 };

typedef hcr_status map_function(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,
                                const double *in, double *out, hcr_ray *rays, hcr_error *failed);
typedef hcr_status vjp_function(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,
                                const double *in, const hcr_ray *rays, const double *bar, double *result, double *x_bar,
                                hcr_error *failed);
typedef hcr_status jvp_function(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,
                                const double *in, const hcr_ray *rays, const double *dot, const double *x_dot,
                                double *result, hcr_error *failed);
typedef struct tested_map {
    const char *name;
    map_function *forward;
    vjp_function *backward;
    jvp_function *pushed;
    int takes_point, radius_in, radius_out, gauge_only; /* what beside n numbers goes in and out */
} tested_map;
static const tested_map maps[] = {
    {"gauge", hcr_gauge, hcr_gauge_vjp, hcr_gauge_jvp, 0, 0, 0, 1},
    {"encode", hcr_encode, hcr_encode_vjp, hcr_encode_jvp, 1, 0, 1, 0},
    {"decode", hcr_decode, hcr_decode_vjp, hcr_decode_jvp, 0, 1, 0, 0},
    {"contract", hcr_contract, hcr_contract_vjp, hcr_contract_jvp, 0, 0, 0, 0},
    {"soften", hcr_soften, hcr_soften_vjp, hcr_soften_jvp, 0, 0, 0, 0},
    {"soften_inverse", hcr_soften_inverse, hcr_soften_inverse_vjp, hcr_soften_inverse_jvp, 1, 0, 0, 0},
};
enum { MAPS = sizeof maps / sizeof maps[0] };

/* Inside and outside by a factor of 2, and any length; points that have to be inside at three places. */
static double share_of(const tested_map *map, size_t i, double gauge) {
    if (map->forward == hcr_soften_inverse)
        return (0.1 + 0.3 * (double)(i % 3)) / gauge;
    return i % 3 == 0 ? 0.5 / gauge : i % 3 == 1 ? 2 / gauge : 1;
}

static size_t outputs(const tested_map *map, size_t n) { return map->gauge_only ? 1 : n + (size_t)map->radius_out; }

/* bar · map(in) and the ray of it. */
static double scalar(const tested_map *map, const hcr_region *region, hcr_workspace *workspace, const double *in,
                     const double *bar, hcr_ray *ray) {
    double out[MOST + 1], total = 0;
    must(map->forward(region, workspace, 1, NULL, in, out, ray, &error), &error);
    for (size_t k = 0; k < outputs(map, region->set.n); k++)
        total += bar[k] * out[k];
    return total;
}

/* One row: each component of the gradient against (f(x + h) − f(x − h))/2h, extrapolated from h and h/2 (an error of
 * order h⁴ and of rounding/h). Returns 0 when a tie or a change of outcome lies in between. */
static int compare_row(const tested_map *map, const hcr_region *region, hcr_workspace *workspace, double *in,
                       const double *bar, const char *name) {
    const size_t n = region->set.n, inputs = n + (size_t)map->radius_in;
    double gradient[MOST + 1], without_rays[MOST + 1], expected[MOST + 1], size = 0, rounding = 0;
    hcr_ray ray;
    scalar(map, region, workspace, in, bar, &ray);
    must(map->backward(region, workspace, 1, NULL, in, &ray, bar, gradient, NULL, &error), &error);
    must(map->backward(region, workspace, 1, NULL, in, NULL, bar, without_rays, NULL, &error), &error);
    assert_memory_equal(gradient, without_rays, inputs * sizeof *gradient);
    double length = 0;
    for (size_t j = 0; j < n; j++)
        length = hypot(length, map->takes_point ? in[j] - region->origin[j] : in[j]);
    for (size_t k = 0; k < inputs; k++) {
        const double at = in[k], h = k == n ? 1e-3 : 1e-3 * length;
        double difference[2];
        for (int half = 0; half < 2; half++) {
            const double up = at + (half ? h / 2 : h), down = at - (half ? h / 2 : h);
            hcr_ray rays[2];
            in[k] = up;
            const double above = scalar(map, region, workspace, in, bar, &rays[0]);
            in[k] = down;
            const double below = scalar(map, region, workspace, in, bar, &rays[1]);
            in[k] = at;
            difference[half] = (above - below) / (up - down);
            rounding = fmax(rounding, 1e-13 * (1 + fabs(above)) / h); /* matters where the derivative is 0 */
            for (int side = 0; side < 2; side++)
                if (rays[side].constraint != ray.constraint || rays[side].outcome != ray.outcome)
                    return 0;
        }
        expected[k] = (4 * difference[1] - difference[0]) / 3;
        size = fmax(size, fabs(expected[k]));
    }
    for (size_t k = 0; k < inputs; k++)
        if (!(fabs(gradient[k] - expected[k]) <= 1e-6 * size + rounding))
            fail_msg("%s of %s, n = %zu, component %zu: %.12g, not %.12g", map->name, name, n, k, gradient[k],
                     expected[k]);
    return 1;
}

static double dot(size_t count, const double *a, const double *b) {
    double total = 0;
    for (size_t k = 0; k < count; k++)
        total += a[k] * b[k];
    return total;
}

/* ⟨bar, J dot⟩ = ⟨J'bar, dot⟩ to rounding, also on ties: both take the same inequality. What cancels in either is of
 * the size of the products of lengths. */
static void compare_transposed(const tested_map *map, const hcr_region *region, hcr_workspace *workspace,
                               const double *in, const double *bar, const double *change) {
    const size_t n = region->set.n, inputs = n + (size_t)map->radius_in, count = outputs(map, n);
    double gradient[MOST + 1], pushed[MOST + 1], again[MOST + 1], out[MOST + 1];
    hcr_ray ray;
    must(map->forward(region, workspace, 1, NULL, in, out, &ray, &error), &error);
    must(map->backward(region, workspace, 1, NULL, in, &ray, bar, gradient, NULL, &error), &error);
    must(map->pushed(region, workspace, 1, NULL, in, &ray, change, NULL, pushed, &error), &error);
    must(map->pushed(region, workspace, 1, NULL, in, NULL, change, NULL, again, &error), &error);
    assert_memory_equal(pushed, again, count * sizeof *pushed);
    const double forward = dot(count, bar, pushed), backward = dot(inputs, gradient, change);
    const double size = sqrt(dot(count, bar, bar) * dot(count, pushed, pushed)) +
                        sqrt(dot(inputs, gradient, gradient) * dot(inputs, change, change));
    const double cancelled = sqrt(dot(count, bar, bar) * dot(inputs, change, change)); /* all of it, in one output */
    if (!(fabs(forward - backward) <= 1e-11 * size + 1e-13 * cancelled))
        fail_msg("%s: %.17g forwards, %.17g in reverse", map->name, forward, backward);
}

/* J dot against (f(in + h dot) − f(in − h dot))/2h, as in compare_row. */
static int compare_pushed(const tested_map *map, const hcr_region *region, hcr_workspace *workspace, const double *in,
                          const double *change, const char *name) {
    const size_t n = region->set.n, inputs = n + (size_t)map->radius_in, count = outputs(map, n);
    double pushed[MOST + 1], value[2][2][MOST + 1], at[MOST + 1], size = 0, length = 0;
    hcr_ray ray, side;
    must(map->forward(region, workspace, 1, NULL, in, pushed, &ray, &error), &error);
    for (size_t j = 0; j < n; j++)
        length = hypot(length, map->takes_point ? in[j] - region->origin[j] : in[j]);
    const double h = 1e-3 * fmin(length, 1) / sqrt(dot(inputs, change, change));
    for (int half = 0; half < 2; half++)
        for (int up = 0; up < 2; up++) {
            for (size_t k = 0; k < inputs; k++)
                at[k] = in[k] + (up ? 1 : -1) * (half ? h / 2 : h) * change[k];
            must(map->forward(region, workspace, 1, NULL, at, value[half][up], &side, &error), &error);
            if (side.constraint != ray.constraint || side.outcome != ray.outcome)
                return 0;
        }
    must(map->pushed(region, workspace, 1, NULL, in, &ray, change, NULL, pushed, &error), &error);
    double expected[MOST + 1], rounding = 0;
    for (size_t k = 0; k < count; k++) {
        const double whole = (value[0][1][k] - value[0][0][k]) / (2 * h), half = (value[1][1][k] - value[1][0][k]) / h;
        expected[k] = (4 * half - whole) / 3;
        size = fmax(size, fabs(expected[k]));
        rounding = fmax(rounding, 1e-13 * (1 + fabs(value[0][1][k])) / h);
    }
    for (size_t k = 0; k < count; k++)
        if (!(fabs(pushed[k] - expected[k]) <= 1e-6 * size + rounding))
            fail_msg("%s of %s, n = %zu, forwards, component %zu: %.12g, not %.12g", map->name, name, n, k, pushed[k],
                     expected[k]);
    return 1;
}

static void test_shape(void **state) {
    const region_shape shape = *(const region_shape *)*state;
    static const size_t sizes[] = {1, 2, 5, 9, 20};
    enum { EACH = 15 };
    hcri_random random;
    hcri_random_seed(&random, 300 + (uint64_t)shape);
    size_t compared[MAPS] = {0}, pushed[MAPS] = {0};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const size_t n = sizes[k];
        hcr_region *region = random_region(shape, n, 1, 1, &random);
        hcr_workspace *workspace = workspace_of(region, 1);
        for (size_t i = 0; i < EACH; i++)
            for (size_t m = 0; m < MAPS; m++) {
                double in[MOST + 1], bar[MOST + 1], change[MOST + 1], gauge;
                for (size_t j = 0; j <= n; j++) {
                    in[j] = hcri_random_normal(&random);
                    bar[j] = hcri_random_normal(&random);
                    change[j] = hcri_random_normal(&random);
                }
                must(hcr_gauge(region, workspace, 1, NULL, in, &gauge, NULL, &error), &error);
                for (size_t j = 0; j < n; j++) {
                    in[j] *= share_of(&maps[m], i, gauge);
                    if (maps[m].takes_point)
                        in[j] += region->origin[j];
                }
                in[n] = 0.1 + 0.8 * hcri_random_uniform(&random);
                compared[m] += (size_t)compare_row(&maps[m], region, workspace, in, bar, shape_names[shape]);
                pushed[m] += (size_t)compare_pushed(&maps[m], region, workspace, in, change, shape_names[shape]);
                compare_transposed(&maps[m], region, workspace, in, bar, change);
            }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
    for (size_t m = 0; m < MAPS; m++) /* few are lost to ties */
        assert_true(compared[m] >= EACH && pushed[m] >= EACH);
}

/* D07: rays through corners and edges of the cube, where two or three bounds are active at once: forwards and in
 * reverse the first one counts. */
static void test_ties(void **state) {
    (void)state;
    enum { N = 3 };
    static const double low[N] = {-1, -1, -1}, high[N] = {1, 1, 1}, origin[N] = {0, 0, 0};
    static const double in[4][N + 1] = {{2, 2, 2, 0.5}, {2, -2, 1, 0.5}, {-0.5, 0.25, 0.5, 1}, {-3, -3, 0, 0}};
    hcri_random random;
    hcri_random_seed(&random, 6);
    hcr_builder *builder = new_builder(N);
    must(hcr_builder_add_bounds(builder, 0, N, low, high, &error), &error);
    hcr_region *region = region_around(builder, origin, 1);
    hcr_workspace *workspace = workspace_of(region, 1);
    for (size_t i = 0; i < 4; i++)
        for (size_t m = 0; m < MAPS; m++) {
            double bar[N + 1], change[N + 1];
            fill_normal(&random, 1, N + 1, bar);
            fill_normal(&random, 1, N + 1, change);
            double at[N + 1];
            memcpy(at, in[i], sizeof at);
            for (size_t j = 0; j < N && maps[m].forward == hcr_soften_inverse; j++)
                at[j] *= 0.25;
            compare_transposed(&maps[m], region, workspace, at, bar, change);
        }
    static const double change[N] = {1, 0, 0};
    double pushed[N];
    must(hcr_contract_jvp(region, workspace, 1, NULL, in[0], NULL, change, NULL, pushed, &error), &error);
    /* y = v/v_0: what v_0 grows by, the others lose: a tie doesn't hide it */
    static const double expected[N] = {0, -0.5, -0.5};
    for (size_t j = 0; j < N; j++)
        assert_true(fabs(pushed[j] - expected[j]) <= 1e-15);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* D07: contract on the disc at (3, 1): J = (I − u u')/|v|, u = v/|v|. */
static void test_disc(void **state) {
    (void)state;
    const double ones[2] = {1, 1}, origin[2] = {0, 0}, v[4] = {3, 1, 3, 1}, change[4] = {1, 0, 0, 1};
    const hcr_quadratic disc = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = ones, .radius = 1};
    const double third = 1 / (10 * sqrt(10)), expected[4] = {third, -3 * third, -3 * third, 9 * third};
    hcr_builder *builder = new_builder(2);
    must(hcr_builder_add_quadratic(builder, &disc, &error), &error);
    hcr_region *region = region_around(builder, origin, 1);
    hcr_workspace *workspace = workspace_of(region, 1);
    double pushed[4];
    must(hcr_contract_jvp(region, workspace, 2, NULL, v, NULL, change, NULL, pushed, &error), &error);
    for (size_t k = 0; k < 4; k++)
        assert_true(fabs(pushed[k] - expected[k]) <= 1e-15);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* Only a direction's direction matters to decode, and a contracted point doesn't move along its ray. Inside, contract
 * is the identity. */
static void test_identities(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 4);
    for (region_shape shape = SHAPE_BOX; shape < SHAPES; shape++) {
        enum { N = 8, ROWS = 40 };
        hcr_region *region = random_region(shape, N, 1, 1, &random);
        hcr_workspace *workspace = workspace_of(region, 1);
        double polar[ROWS][N + 1], v[ROWS][N], bar[ROWS][N], polar_bar[ROWS][N + 1], v_bar[ROWS][N], y[ROWS][N];
        hcr_ray rays[ROWS];
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j <= N; j++) {
                polar[i][j] = j == N ? hcri_random_uniform(&random) : hcri_random_normal(&random);
                if (j < N) {
                    v[i][j] = (i % 2 == 0 ? 0.05 : 5) * polar[i][j];
                    bar[i][j] = hcri_random_normal(&random);
                }
            }
        must(hcr_decode_vjp(region, workspace, ROWS, NULL, &polar[0][0], NULL, &bar[0][0], &polar_bar[0][0], NULL,
                            &error),
             &error);
        must(hcr_contract(region, workspace, ROWS, NULL, &v[0][0], &y[0][0], rays, &error), &error);
        must(hcr_contract_vjp(region, workspace, ROWS, NULL, &v[0][0], rays, &bar[0][0], &v_bar[0][0], NULL, &error),
             &error);
        size_t inside = 0;
        for (size_t i = 0; i < ROWS; i++) {
            double radial = 0, size = 0, contracted = 0;
            for (size_t j = 0; j < N; j++) {
                radial += polar_bar[i][j] * polar[i][j];
                size += fabs(polar_bar[i][j] * polar[i][j]);
                contracted += v_bar[i][j] * v[i][j];
            }
            assert_true(fabs(radial) <= 1e-12 * (size + 1));
            if (rays[i].outcome == HCR_OUTCOME_INSIDE) {
                assert_memory_equal(v_bar[i], bar[i], sizeof bar[i]);
                inside++;
            } else {
                assert_true(fabs(contracted) <= 1e-11);
            }
        }
        assert_true(inside > 0 && inside < ROWS);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* A row's gradient has the same bits alone as among others, of which some lie inside and some aren't numbers. */
static void test_batches(void **state) {
    (void)state;
    enum { N = 9, ROWS = 45 };
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (region_shape shape = SHAPE_BOX; shape < SHAPES; shape++) {
        hcr_region *region = random_region(shape, N, 1, 1, &random);
        hcr_workspace *workspace = workspace_of(region, 1);
        double v[ROWS][N], bar[ROWS][N], v_bar[ROWS][N], alone[N];
        hcr_ray rays[ROWS];
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < N; j++) {
                v[i][j] = (i % 7 == 3 ? 0.01 : 3) * hcri_random_normal(&random);
                bar[i][j] = hcri_random_normal(&random);
            }
        v[11][2] = NAN;
        must(hcr_soften(region, workspace, ROWS, NULL, &v[0][0], &v_bar[0][0], rays, &error), &error);
        must(hcr_soften_vjp(region, workspace, ROWS, NULL, &v[0][0], rays, &bar[0][0], &v_bar[0][0], NULL, &error),
             &error);
        for (size_t i = 0; i < ROWS; i++) {
            must(hcr_soften_vjp(region, workspace, 1, NULL, v[i], rays + i, bar[i], alone, NULL, &error), &error);
            assert_memory_equal(alone, v_bar[i], sizeof alone);
        }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* C01: at v = 0 contract's derivative is the identity, as it is nearby; decode's is 0. Bad values give 0 and leave
 * their neighbours alone. */
static void test_special_rows(void **state) {
    (void)state;
    const double ones[2] = {1, 1}, origin[2] = {0, 0};
    const hcr_quadratic disc = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = ones, .radius = 1};
    hcr_builder *builder = new_builder(2);
    must(hcr_builder_add_quadratic(builder, &disc, &error), &error);
    hcr_region *region = region_around(builder, origin, 1);
    hcr_workspace *workspace = workspace_of(region, 1);
    static const double v[5][2] = {{0, 0}, {1e-6, 0}, {NAN, 1}, {3, 0}, {0, INFINITY}};
    static const double bar[5][2] = {{2, -3}, {2, -3}, {2, -3}, {2, -3}, {2, -3}};
    static const double contracted[5][2] = {{2, -3}, {2, -3}, {0, 0}, {0, -1}, {0, 0}};
    double v_bar[5][2], alone[2];
    must(hcr_contract_vjp(region, workspace, 5, NULL, &v[0][0], NULL, &bar[0][0], &v_bar[0][0], NULL, &error), &error);
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 2; j++)
            assert_true(fabs(v_bar[i][j] - contracted[i][j]) <= 1e-14);
    must(hcr_contract_vjp(region, workspace, 1, NULL, v[3], NULL, bar[3], alone, NULL, &error), &error);
    assert_memory_equal(alone, v_bar[3], sizeof alone);

    static const double polar[4][3] = {{0, 0, 0.5}, {1, 0, NAN}, {INFINITY, 1, 0.5}, {4, 0, 0.5}};
    static const double decoded[4][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, -0.375, 2}};
    double polar_bar[4][3];
    must(hcr_decode_vjp(region, workspace, 4, NULL, &polar[0][0], NULL, &bar[0][0], &polar_bar[0][0], NULL, &error),
         &error);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3; j++)
            assert_true(fabs(polar_bar[i][j] - decoded[i][j]) <= 1e-14);

    double gauge_bar[5] = {1, 1, 1, 1, 1}, y_bar[5][2];
    must(hcr_gauge_vjp(region, workspace, 5, NULL, &v[0][0], NULL, gauge_bar, &v_bar[0][0], NULL, &error), &error);
    static const double encode_bar[5][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    must(hcr_encode_vjp(region, workspace, 5, NULL, &v[0][0], NULL, &encode_bar[0][0], &y_bar[0][0], NULL, &error),
         &error);
    for (size_t i = 0; i < 5; i += 2)
        for (size_t j = 0; j < 2; j++)
            if (i != 3)
                assert_true(v_bar[i][j] == 0 && y_bar[i][j] == 0);
    assert_true(fabs(v_bar[3][0] - 1) <= 1e-14 && v_bar[3][1] == 0);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* C04: y0 <= 1 alone: gradients are finite where nothing stops the ray, and the identity in contract. */
static void test_half_plane(void **state) {
    (void)state;
    const double row[2] = {1, 0}, bound = 1, origin[2] = {0, 0};
    hcr_builder *builder = new_builder(2);
    must(hcr_builder_add_rows(builder, 1, row, NULL, &bound, &error), &error);
    hcr_region *region = region_around(builder, origin, 10);
    hcr_workspace *workspace = workspace_of(region, 1);
    static const double v[4][2] = {{-3, 2}, {0, 4}, {5, 0}, {0, 0}}, bar[4][2] = {{2, 7}, {2, 7}, {2, 7}, {2, 7}};
    static const double expected[4][2] = {{2, 7}, {2, 7}, {0, 1.4}, {2, 7}};
    double v_bar[4][2];
    must(hcr_contract_vjp(region, workspace, 4, NULL, &v[0][0], NULL, &bar[0][0], &v_bar[0][0], NULL, &error), &error);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 2; j++)
            assert_true(fabs(v_bar[i][j] - expected[i][j]) <= 1e-12);
    static const double polar[2][3] = {{-3, 2, 0.5}, {0, 4, 1}};
    double polar_bar[2][3];
    must(hcr_decode_vjp(region, workspace, 2, NULL, &polar[0][0], NULL, &bar[0][0], &polar_bar[0][0], NULL, &error),
         &error);
    for (size_t k = 0; k < 6; k++)
        assert_true((&polar_bar[0][0])[k] == 0);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* Single precision is the double one's result, rounded. */
static void test_single(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 9);
    for (region_shape shape = SHAPE_BOX; shape < SHAPES; shape++) {
        enum { N = 6, ROWS = 35 };
        hcr_region *region = random_region(shape, N, 1, 1, &random);
        hcr_workspace *workspace = workspace_of(region, 1);
        double polar[ROWS * (N + 1)], bar[ROWS * N], result[ROWS * (N + 1)];
        float polar_f32[ROWS * (N + 1)], bar_f32[ROWS * N], result_f32[ROWS * (N + 1)];
        fill_normal(&random, 0.5, ROWS * (N + 1), polar);
        fill_normal(&random, 1, ROWS * N, bar);
        for (size_t k = 0; k < ROWS * (N + 1); k++)
            polar_f32[k] = (float)polar[k];
        for (size_t k = 0; k < ROWS * N; k++)
            bar_f32[k] = (float)bar[k];
        must(hcr_decode_vjp(region, workspace, ROWS, NULL, polar, NULL, bar, result, NULL, &error), &error);
        must(hcr_decode_vjp_f32(region, workspace, ROWS, NULL, polar_f32, NULL, bar_f32, result_f32, NULL, &error),
             &error);
        for (size_t k = 0; k < ROWS * (N + 1); k++)
            assert_true(result_f32[k] == (float)result[k]);
        must(hcr_decode_jvp(region, workspace, ROWS, NULL, polar, NULL, result, NULL, bar, &error), &error);
        must(hcr_decode_jvp_f32(region, workspace, ROWS, NULL, polar_f32, NULL, result_f32, NULL, bar_f32, &error),
             &error);
        for (size_t k = 0; k < ROWS * N; k++)
            assert_true(fabs((double)bar_f32[k] - bar[k]) <= 1e-3);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* D19: a NaN or an infinity in any entry is the origin with 0 for derivatives, or, where that is asked for, NaN in all
 * that comes of the row, unless what its derivative is multiplied with is 0. Its neighbours go on. */
static void test_bad_values(void **state) {
    (void)state;
    enum { N = 3, ROWS = 3 };
    hcri_random random;
    hcri_random_seed(&random, 13);
    for (region_shape shape = SHAPE_BOX; shape < SHAPES; shape++) {
        hcr_region *region = random_region(shape, N, 1, 1, &random);
        hcr_workspace *workspace = workspace_of(region, 1);
        assert_int_equal(hcr_workspace_set_bad_value(workspace, (hcr_bad_value)7, &error), HCR_ERROR_ARGUMENT);
        for (int nan = 0; nan < 2; nan++)
            for (size_t m = 0; m < MAPS; m++)
                for (size_t k = 0; k < N + (size_t)maps[m].radius_in; k++) {
                    static const double wrong[] = {NAN, INFINITY, -INFINITY};
                    const tested_map *map = &maps[m];
                    const size_t inputs = N + (size_t)map->radius_in, count = outputs(map, N);
                    double in[ROWS * (N + 1)], out[ROWS * (N + 1)], factor[ROWS * (N + 1)], result[ROWS * (N + 1)],
                        none[N + 1] = {0};
                    hcr_ray rays[ROWS];
                    fill_normal(&random, 1, ROWS * (N + 1), in);
                    fill_normal(&random, 1, ROWS * (N + 1), factor);
                    for (size_t i = 0; i < ROWS * N && map->forward == hcr_soften_inverse; i++)
                        in[i] = region->origin[i % N] + 1e-3 * in[i]; /* inside */
                    in[inputs + k] = wrong[k % 3];
                    must(hcr_workspace_set_bad_value(workspace, nan ? HCR_BAD_NAN : HCR_BAD_ORIGIN, &error), &error);
                    must(map->forward(region, workspace, ROWS, NULL, in, out, rays, &error), &error);
                    assert_int_equal(rays[1].outcome, HCR_OUTCOME_BAD_VALUE);
                    for (size_t i = 0; i < ROWS * count; i++)
                        assert_true((isnan(out[i]) != 0) == (i / count == 1 && (nan || map->gauge_only)));
                    for (size_t j = 0; j < count && !nan && !map->gauge_only; j++)
                        assert_true(out[count + j] == (map->takes_point ? 0 : region->origin[j]));
                    must(map->backward(region, workspace, ROWS, NULL, in, rays, factor, result, NULL, &error), &error);
                    for (size_t i = 0; i < ROWS * inputs; i++)
                        assert_true(i / inputs == 1 ? (nan ? isnan(result[i]) : result[i] == 0) : isfinite(result[i]));
                    must(map->pushed(region, workspace, ROWS, NULL, in, rays, factor, NULL, result, &error), &error);
                    for (size_t i = 0; i < ROWS * count; i++)
                        assert_true(i / count == 1 ? (nan ? isnan(result[i]) : result[i] == 0) : isfinite(result[i]));
                    must(map->backward(region, workspace, 1, NULL, in + inputs, NULL, none, result, NULL, &error),
                         &error);
                    for (size_t i = 0; i < inputs; i++)
                        assert_true(result[i] == 0);
                }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* D44: next to v = 0 derivatives grow without bound; where they overflow in their type they are as at v = 0. */
static void test_tiny_directions(void **state) {
    (void)state;
    enum { N = 3 };
    static const double low[N] = {-1e6, -1e6, -1e6}, high[N] = {1e6, 1e6, 1e6}, origin[N] = {0, 0, 0};
    hcr_builder *builder = new_builder(N);
    must(hcr_builder_add_bounds(builder, 0, N, low, high, &error), &error);
    hcr_region *box = region_around(builder, origin, 1e6);
    hcr_workspace *workspace = workspace_of(box, 1);
    const float ones_f32[N + 1] = {1, 1, 1, 1};
    static const float tiny_f32[][N + 1] = {{1e-33F, 0, 0, 1}, {1e-45F, 0, 1e-45F, 0.5F}, {-3e-39F, 1e-40F, 0, 1}};
    for (size_t i = 0; i < 3; i++) {
        float result[N + 1], pushed[N];
        must(hcr_decode_vjp_f32(box, workspace, 1, NULL, tiny_f32[i], NULL, ones_f32, result, NULL, &error), &error);
        must(hcr_decode_jvp_f32(box, workspace, 1, NULL, tiny_f32[i], NULL, ones_f32, NULL, pushed, &error), &error);
        for (size_t j = 0; j < N; j++)
            assert_true(result[j] == 0 && isfinite(pushed[j]));
        assert_true(isfinite(result[N]) && result[N] != 0);
    }
    hcr_workspace_free(workspace);
    hcr_region_free(box);
    hcri_random random;
    hcri_random_seed(&random, 14);
    for (region_shape shape = SHAPE_BOX; shape < SHAPES; shape++) {
        hcr_region *region = random_region(shape, N, 1, 1, &random);
        workspace = workspace_of(region, 1);
        for (int exponent = -1074; exponent <= -900; exponent += exponent < -1000 ? 1 : 20)
            for (size_t m = 0; m < MAPS; m++) {
                double in[N + 1], factor[N + 1], result[N + 1], out[N + 1];
                fill_normal(&random, 1, N, in);
                fill_normal(&random, 1, N + 1, factor);
                for (size_t j = 0; j < N; j++)
                    in[j] = ldexp(in[j], exponent) + (maps[m].takes_point ? region->origin[j] : 0);
                in[N] = 0.5;
                must(maps[m].forward(region, workspace, 1, NULL, in, out, NULL, &error), &error);
                must(maps[m].backward(region, workspace, 1, NULL, in, NULL, factor, result, NULL, &error), &error);
                for (size_t k = 0; k < N + (size_t)maps[m].radius_in; k++)
                    assert_true(isfinite(result[k]));
                must(maps[m].pushed(region, workspace, 1, NULL, in, NULL, factor, NULL, result, &error), &error);
                for (size_t k = 0; k < outputs(&maps[m], N); k++)
                    assert_true(isfinite(out[k]) && isfinite(result[k]));
            }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

int main(void) {
    static region_shape shapes[SHAPES];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_identities), cmocka_unit_test(test_batches),    cmocka_unit_test(test_special_rows),
        cmocka_unit_test(test_half_plane), cmocka_unit_test(test_single),     cmocka_unit_test(test_ties),
        cmocka_unit_test(test_disc),       cmocka_unit_test(test_bad_values), cmocka_unit_test(test_tiny_directions),
    };
    struct CMUnitTest tests[SHAPES + sizeof others / sizeof others[0]];
    for (size_t k = 0; k < SHAPES; k++) {
        shapes[k] = (region_shape)k;
        tests[k] = (struct CMUnitTest){shape_names[k], test_shape, NULL, NULL, &shapes[k]};
    }
    memcpy(tests + SHAPES, others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
