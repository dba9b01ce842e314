/* Derivatives of nearest points, by the point and by parameters: against central differences for every kind of
 * constraint, in a metric, of linear terms; at kinks elements of the generalised Jacobian; multipliers against the
 * optimality conditions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/parameters.h"

enum { MOST = 16 };

static hcr_error error;

typedef struct sample {
    const hcr_region *region;
    hcr_projector *projector;
    const char *name;
    const double *matrix; /* Q, n × n; NULL: 1 */
    int linear;
    double v[MOST], x[MOST], y[MOST];
    hcr_contact contact[MOST];
} sample;

static void random_matrix(hcri_random *random, size_t n, double *matrix) {
    double factor[MOST * MOST];
    fill_normal(random, 0.5, n * n, factor);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            matrix[i * n + j] = i == j ? 1 : 0;
            for (size_t k = 0; k < n; k++)
                matrix[i * n + j] += factor[i * n + k] * factor[j * n + k];
        }
}

static hcr_projector *projector_of(const hcr_region *region, const double *matrix, int linear, size_t threads) {
    const hcr_quadratic metric = {.form = HCR_QUADRATIC_DENSE, .matrix = matrix};
    hcr_projector_options options = HCR_PROJECTOR_OPTIONS_INIT;
    hcr_projector *projector = NULL;
    options.metric = matrix == NULL ? NULL : &metric;
    options.linear = linear;
    options.threads = threads;
    must(hcr_projector_create(region, &options, &projector, &error), &error);
    return projector;
}

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

/* The result at v + t dv, x + t dx. 0 where other constraints hold it. */
static int result_at(const sample *s, double t, const double *dv, const double *dx, double *y) {
    const size_t n = hcr_region_dimension(s->region), p = hcr_region_parameters(s->region);
    double v[MOST], x[MOST];
    hcr_contact contact[MOST];
    for (size_t j = 0; j < n; j++)
        v[j] = s->v[j] + t * dv[j];
    for (size_t k = 0; k < p; k++)
        x[k] = s->x[k] + t * dx[k];
    must(hcr_project(s->projector, 1, x, v, y, NULL, contact, &error), &error);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= n; k++)
            if (k == n)
                return 0;
            else if (contact[i].constraint == s->contact[k].constraint && contact[i].outcome == s->contact[0].outcome)
                break;
    return 1;
}

/* Central differences, extrapolated from h and h/2. 0: there is a kink in between, or the results, which are promised
 * to 1e-8 of the distance alone, are too rough for differences (at edges, where cuts are all that finds them). */
static int differentiate(const sample *s, const double *dv, const double *dx, double *derivative) {
    const size_t n = hcr_region_dimension(s->region);
    const double h = 1e-4;
    double up[MOST], down[MOST], half_up[MOST], half_down[MOST];
    if (!result_at(s, h, dv, dx, up) || !result_at(s, -h, dv, dx, down) || !result_at(s, h / 2, dv, dx, half_up) ||
        !result_at(s, -h / 2, dv, dx, half_down))
        return 0;
    for (size_t j = 0; j < n; j++) {
        const double whole = (up[j] - down[j]) / (2 * h), half = (half_up[j] - half_down[j]) / h;
        if (fabs(whole - half) > 1e-5 * (1 + fabs(half)))
            return 0;
        derivative[j] = (4 * half - whole) / 3;
    }
    return 1;
}

/* Q(v − y) (or −p − Qy) is what contacts and equalities take: within the equalities' null space Σ λ ∇c, where each c
 * has one gradient. */
static void check_contacts(const sample *s, double tolerance) {
    const hcr_region *region = s->region;
    const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
    double point[MOST], left[MOST], gradient[MOST];
    memcpy(point, s->y, n * sizeof *point);
    memcpy(point + n, s->x, p * sizeof *point);
    for (size_t j = 0; j < n; j++) {
        left[j] = s->linear ? -s->v[j] : 0;
        for (size_t k = 0; k < n; k++) {
            const double q = s->matrix == NULL ? k == j : s->matrix[j * n + k];
            left[j] += q * ((s->linear ? 0 : s->v[k]) - s->y[k]);
        }
    }
    double *scratch = calloc(region->scratch + 1, sizeof *scratch);
    for (size_t i = 0; i < n && s->contact[i].constraint != UINT32_MAX; i++) {
        size_t local;
        const hcri_constraint *block = hcri_set_block_of(&region->set, s->contact[i].constraint, &local);
        hcri_edge edge = {0};
        if (block->kind->edge != NULL && block->kind->edge(block, local, point, &edge) > 1) {
            free(scratch);
            return;
        }
        assert_true(s->contact[i].multiplier > 0);
        memset(gradient, 0, sizeof gradient);
        block->kind->add_gradient(block, local, point, -s->contact[i].multiplier, gradient, scratch);
        for (size_t j = 0; j < n; j++)
            left[j] += gradient[j];
    }
    free(scratch);
    hcri_affine_project(&region->affine, left);
    for (size_t j = 0; j < n; j++)
        if (!(fabs(left[j]) <= tolerance))
            fail_msg("%s: the multipliers leave %g", s->name, left[j]);
}

/* Both derivatives, with what is known and without, against differences and each other; returns whether there was no
 * kink. */
static int check_derivatives(sample *s, hcri_random *random, double tolerance) {
    const size_t n = hcr_region_dimension(s->region), p = hcr_region_parameters(s->region);
    double dv[MOST], dx[MOST] = {0}, expected[MOST], moved[MOST], again[MOST], bar[MOST], v_bar[MOST],
                     x_bar[MOST] = {0}, other[MOST], x_other[MOST];
    uint32_t outcome;
    must(hcr_project(s->projector, 1, s->x, s->v, s->y, &outcome, s->contact, &error), &error);
    assert_true(outcome == HCR_OUTCOME_MOVED || outcome == HCR_OUTCOME_INSIDE);
    assert_int_equal(s->contact[0].outcome, outcome);
    fill_normal(random, 1, n, dv);
    fill_normal(random, 0.3, p, dx);
    fill_normal(random, 1, n, bar);
    must(hcr_project_jvp(s->projector, 1, s->x, s->v, s->contact, dv, dx, moved, &error), &error);
    must(hcr_project_jvp(s->projector, 1, s->x, s->v, NULL, dv, dx, again, &error), &error);
    must(hcr_project_vjp(s->projector, 1, s->x, s->v, s->contact, bar, v_bar, x_bar, &error), &error);
    must(hcr_project_vjp(s->projector, 1, s->x, s->v, NULL, bar, other, x_other, &error), &error);
    for (size_t j = 0; j < n; j++)
        assert_true(moved[j] == again[j] && v_bar[j] == other[j]);
    assert_memory_equal(x_bar, x_other, p * sizeof *x_bar);
    const double forward = dot(n, bar, moved), backward = dot(n, v_bar, dv) + dot(p, x_bar, dx);
    /* Both take second derivatives from differences. */
    if (!(fabs(forward - backward) <= 1e-7 * (1 + fabs(forward))))
        fail_msg("%s: jvp %.12g, vjp %.12g", s->name, forward, backward);
    if (!differentiate(s, dv, dx, expected))
        return 0;
    for (size_t j = 0; j < n; j++)
        if (!(fabs(moved[j] - expected[j]) <= tolerance * (1 + fabs(expected[j]))))
            fail_msg("%s: output %zu moves by %.12g, not %.12g", s->name, j, moved[j], expected[j]);
    return 1;
}

/* Every kind, in Euclid's distance, a metric, of linear terms. */
static void test_every_kind(void **state) {
    (void)state;
    enum { N = 5, ROUNDS = 24 };
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (int shape = 0; shape < SHAPES; shape++) {
        size_t smooth = 0;
        for (int round = 0; round < ROUNDS; round++) {
            hcr_region *region = random_region((region_shape)shape, N, 1, 1, &random);
            double matrix[N * N];
            random_matrix(&random, N, matrix);
            sample s = {.region = region, .name = shape_names[shape], .linear = round % 3 == 2};
            s.matrix = round % 3 == 0 ? NULL : matrix;
            s.projector = projector_of(region, s.matrix, s.linear, 1);
            for (int point = 0; point < 4; point++) {
                fill_normal(&random, point == 0 ? 0.5 : 4, N, s.v);
                if (check_derivatives(&s, &random, 1e-6)) {
                    smooth++;
                    check_contacts(&s, 1e-6);
                }
            }
            hcr_projector_free(s.projector);
            hcr_region_free(region);
        }
        if (smooth < 90)
            fail_msg("%s: only %zu points without a kink", shape_names[shape], smooth);
    }
}

/* By parameters, of every kind, with an equality that moves too. */
static void test_parameters(void **state) {
    (void)state;
    enum { N = 4, P = 3, ROUNDS = 16 };
    hcri_random random;
    hcri_random_seed(&random, 2);
    for (int kind = 0; kind < MOVING_KINDS; kind++) {
        size_t smooth = 0;
        for (int round = 0; round < ROUNDS; round++) {
            hcr_region *region = moving_region((moving_kind)kind, N, P, round % 2, &random);
            double matrix[N * N];
            random_matrix(&random, N, matrix);
            sample s = {.region = region, .name = moving_names[kind], .matrix = round % 4 < 2 ? NULL : matrix};
            s.projector = projector_of(region, s.matrix, 0, 1);
            for (int point = 0; point < 3; point++) {
                fill_normal(&random, 3, N, s.v);
                for (size_t k = 0; k < P; k++)
                    s.x[k] = -0.9 + 2.3 * hcri_random_uniform(&random);
                smooth += (size_t)check_derivatives(&s, &random, 2e-6);
            }
            hcr_projector_free(s.projector);
            hcr_region_free(region);
        }
        if (smooth < ROUNDS)
            fail_msg("%s: only %zu points without a kink", moving_names[kind], smooth);
    }
}

/* Where the origins are analytic centres, as of bands that move farther than they are wide. */
static void test_centres(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (int form = 0; form < 4; form++) {
        size_t smooth = 0;
        hcr_region *region = wandering_region(form % 2, form / 2);
        sample s = {.region = region, .name = "bands"};
        s.projector = projector_of(region, NULL, 0, 1);
        for (int round = 0; round < 30; round++) {
            fill_normal(&random, 3, hcr_region_dimension(region), s.v);
            for (size_t k = 0; k < hcr_region_parameters(region); k++)
                s.x[k] = -0.9 + 2.3 * hcri_random_uniform(&random);
            uint32_t outcome;
            must(hcr_project(s.projector, 1, s.x, s.v, s.y, &outcome, NULL, &error), &error);
            if (outcome != HCR_OUTCOME_NO_ORIGIN)
                smooth += (size_t)check_derivatives(&s, &random, 1e-6);
        }
        assert_true(smooth >= 5);
        hcr_projector_free(s.projector);
        hcr_region_free(region);
    }
}

/* The Jacobian at a point, row by row of the result. */
static void jacobian(hcr_projector *projector, size_t n, const double *v, double *J) {
    for (size_t i = 0; i < n; i++) {
        double bar[MOST] = {0};
        bar[i] = 1;
        must(hcr_project_vjp(projector, 1, NULL, v, NULL, bar, J + i * n, NULL, &error), &error);
    }
}

/* On a face, an edge and a corner of a box, from inside, outside and beside: derivatives there are those of some points
 * nearby, 0 or 1 for each output. On the simplex they are projections onto an edge's direction or 0, at a ball's
 * frontier 1 or the tangent's. */
static void test_kinks(void **state) {
    (void)state;
    enum { N = 3 };
    const double low[N] = {-1, -1, -1}, high[N] = {1, 1, 1}, ones[N] = {1, 1, 1};
    double J[N * N];
    hcr_builder *builder = new_builder(N);
    must(hcr_builder_add_bounds(builder, 0, N, low, high, &error), &error);
    hcr_region *region = NULL;
    must(hcr_builder_finish(builder, &region, &error), &error);
    hcr_builder_free(builder);
    hcr_projector *projector = projector_of(region, NULL, 0, 1);
    static const double on_box[][N] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {-1, 0.5, 3}};
    for (size_t k = 0; k < sizeof on_box / sizeof on_box[0]; k++) {
        jacobian(projector, N, on_box[k], J);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                const double size = fabs(on_box[k][i]);
                assert_true(i != j     ? J[i * N + j] == 0
                            : size > 1 ? J[i * N + j] == 0
                            : size < 1 ? J[i * N + j] == 1
                                       : J[i * N + j] == 0 || J[i * N + j] == 1);
            }
    }
    hcr_projector_free(projector);
    hcr_region_free(region);

    builder = new_builder(N);
    const double zero[N] = {0, 0, 0};
    static const size_t start[2] = {0, N};
    static const uint32_t columns[N] = {0, 1, 2};
    const double one = 1;
    must(hcr_builder_add_bounds(builder, 0, N, zero, NULL, &error), &error);
    must(hcr_builder_add_equalities(builder, 1, start, columns, ones, &one, &error), &error);
    must(hcr_builder_finish(builder, &region, &error), &error);
    hcr_builder_free(builder);
    projector = projector_of(region, NULL, 0, 1);
    /* p − τ is 0 in an output at (1, 1, 0.5), 0 in two at (2, 1, 1), and negative in two at (3, 0, 0). */
    static const double on_simplex[][N] = {{1, 1, 0.5}, {2, 1, 1}, {3, 0, 0}};
    for (size_t k = 0; k < 3; k++) {
        jacobian(projector, N, on_simplex[k], J);
        double trace = 0;
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            trace += J[i * N + i];
            for (size_t j = 0; j < N; j++) {
                double square = 0;
                sum += J[i * N + j];
                for (size_t l = 0; l < N; l++)
                    square += J[i * N + l] * J[l * N + j];
                assert_true(fabs(square - J[i * N + j]) <= 1e-14 && J[i * N + j] == J[j * N + i]);
            }
            assert_true(fabs(sum) <= 1e-14);
        }
        /* A projection of that many dimensions: those of the faces that meet there. */
        const double rank = round(trace);
        assert_true(fabs(trace - rank) <= 1e-14);
        assert_true(k == 0 ? rank == 1 || rank == 2 : k == 1 ? rank <= 2 : rank == 0);
    }
    hcr_projector_free(projector);
    hcr_region_free(region);

    region = disc_region(1);
    projector = projector_of(region, NULL, 0, 1);
    const double on_ball[2] = {0.6, 0.8};
    jacobian(projector, 2, on_ball, J);
    double off_identity = 0, off_tangent = 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            const double identity = i == j;
            off_identity = fmax(off_identity, fabs(J[i * 2 + j] - identity));
            off_tangent = fmax(off_tangent, fabs(J[i * 2 + j] - identity + on_ball[i] * on_ball[j]));
        }
    assert_true(off_identity == 0 || off_tangent <= 1e-9);
    hcr_projector_free(projector);
    hcr_region_free(region);
}

/* Results, outcomes, contacts and derivatives are the same for any number of threads and rows; a warm start changes
 * results by rounding; in single precision they are inside and derivatives nearly the same; NaN and the origin for bad
 * values; in place. */
static void test_batches(void **state) {
    (void)state;
    enum { N = 6, ROWS = 150 };
    hcri_random random;
    hcri_random_seed(&random, 4);
    static const region_shape shapes[] = {SHAPE_BOX, SHAPE_DENSE, SHAPE_BALL, SHAPE_MIXED};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        hcr_region *region = random_region(shapes[k], N, 1, 1, &random);
        static double v[ROWS * N], y[ROWS * N], alone[N], bar[ROWS * N], v_bar[ROWS * N], one_bar[N], warm_y[ROWS * N];
        static float v_f32[ROWS * N], y_f32[ROWS * N], bar_f32[ROWS * N], v_bar_f32[ROWS * N];
        static hcr_contact contact[ROWS * N], one_contact[N];
        static uint32_t outcome[ROWS];
        static uint8_t inside[ROWS];
        fill_normal(&random, 3, ROWS * N, v);
        fill_normal(&random, 1, ROWS * N, bar);
        v[7 * N + 1] = NAN;
        hcr_projector *many = projector_of(region, NULL, 0, 4), *one = projector_of(region, NULL, 0, 1);
        must(hcr_project(many, ROWS, NULL, v, y, outcome, contact, &error), &error);
        must(hcr_project_vjp(many, ROWS, NULL, v, contact, bar, v_bar, NULL, &error), &error);
        for (size_t i = ROWS; i-- > 0;) {
            must(hcr_project(one, 1, NULL, v + i * N, alone, NULL, one_contact, &error), &error);
            must(hcr_project_vjp(one, 1, NULL, v + i * N, one_contact, bar + i * N, one_bar, NULL, &error), &error);
            assert_memory_equal(alone, y + i * N, sizeof alone);
            assert_memory_equal(one_bar, v_bar + i * N, sizeof one_bar);
            for (size_t j = 0; j < N; j++)
                assert_true(one_contact[j].constraint == contact[i * N + j].constraint &&
                            one_contact[j].multiplier == contact[i * N + j].multiplier &&
                            one_contact[j].outcome == outcome[i]);
        }
        assert_int_equal(outcome[7], HCR_OUTCOME_BAD_VALUE);
        for (size_t j = 0; j < N; j++)
            assert_true(v_bar[7 * N + j] == 0);

        hcr_projector_options options = HCR_PROJECTOR_OPTIONS_INIT;
        options.warm_start = 1;
        options.bad_value = HCR_BAD_NAN;
        hcr_projector *warm = NULL;
        must(hcr_projector_create(region, &options, &warm, &error), &error);
        must(hcr_project(warm, ROWS, NULL, v, warm_y, NULL, NULL, &error), &error);
        for (size_t i = 0; i < ROWS * N; i++)
            assert_true(i / N == 7 ? isnan(warm_y[i]) : fabs(warm_y[i] - y[i]) <= 1e-9);
        must(hcr_project_vjp(warm, ROWS, NULL, v, NULL, bar, v_bar, NULL, &error), &error);
        assert_true(isnan(v_bar[7 * N]));

        for (size_t i = 0; i < ROWS * N; i++) {
            v_f32[i] = (float)v[i];
            bar_f32[i] = (float)bar[i];
        }
        must(hcr_project_f32(many, ROWS, NULL, v_f32, y_f32, outcome, contact, &error), &error);
        must(hcr_check_f32(region, ROWS, NULL, y_f32, inside, NULL, &error), &error);
        must(hcr_project_vjp_f32(many, ROWS, NULL, v_f32, contact, bar_f32, v_bar_f32, NULL, &error), &error);
        must(hcr_project_vjp(one, ROWS, NULL, v, NULL, bar, v_bar, NULL, &error), &error);
        size_t near = 0;
        for (size_t i = 0; i < ROWS; i++) {
            assert_true(inside[i]);
            int close = 1;
            for (size_t j = 0; j < N; j++) {
                assert_true(i == 7 || fabs((double)y_f32[i * N + j] - y[i * N + j]) <= 1e-4);
                close &= fabs((double)v_bar_f32[i * N + j] - v_bar[i * N + j]) <= 1e-3;
            }
            near += (size_t)close;
        }
        assert_true(near >= ROWS - 3); /* but for kinks within rounding */
        must(hcr_project_jvp_f32(one, ROWS, NULL, v_f32, contact, bar_f32, NULL, v_bar_f32, &error), &error);
        must(hcr_project_jvp(one, ROWS, NULL, v, NULL, bar, NULL, v_bar, &error), &error);
        near = 0;
        for (size_t i = 0; i < ROWS * N; i++)
            near += fabs((double)v_bar_f32[i] - v_bar[i]) <= 1e-3;
        assert_true(near >= (ROWS - 3) * N);
        must(hcr_project(many, ROWS, NULL, v, v, NULL, NULL, &error), &error);
        assert_memory_equal(v, y, sizeof v);
        hcr_projector_free(many);
        hcr_projector_free(one);
        hcr_projector_free(warm);
        hcr_region_free(region);
    }
}

/* Linear programs over a box and a simplex: their vertices, with a regularisation that is told; a quadratic whose least
 * point is known. */
static void test_linear(void **state) {
    (void)state;
    enum { N = 4 };
    const double low[N] = {-1, -2, -3, -4}, high[N] = {1, 2, 3, 4}, p[N] = {0.3, -2, 5, -0.1};
    double y[N];
    hcr_builder *builder = new_builder(N);
    must(hcr_builder_add_bounds(builder, 0, N, low, high, &error), &error);
    hcr_region *region = NULL;
    must(hcr_builder_finish(builder, &region, &error), &error);
    hcr_builder_free(builder);
    hcr_projector *projector = projector_of(region, NULL, 1, 1);
    assert_true(hcr_projector_regularisation(projector) > 0 && hcr_projector_regularisation(projector) <= 1e-6);
    must(hcr_project(projector, 1, NULL, p, y, NULL, NULL, &error), &error);
    for (size_t j = 0; j < N; j++)
        assert_true(y[j] == (p[j] > 0 ? low[j] : high[j]));
    hcr_projector_free(projector);

    /* Rank 2 with N outputs: regularised too, and told. */
    static const size_t start[3] = {0, 2, 4};
    static const uint32_t columns[4] = {0, 1, 2, 3};
    static const double values[4] = {1, 1, 1, -1};
    const hcr_quadratic factor = {.form = HCR_QUADRATIC_FACTOR,
                                  .rank = 2,
                                  .factor_start = start,
                                  .factor_columns = columns,
                                  .factor_values = values};
    hcr_projector_options options = HCR_PROJECTOR_OPTIONS_INIT;
    options.metric = &factor;
    options.linear = 1;
    must(hcr_projector_create(region, &options, &projector, &error), &error);
    assert_true(hcr_projector_regularisation(projector) > 0 && hcr_projector_regularisation(projector) <= 2.1e-8);
    const double q[N] = {-0.5, -0.5, 0.25, -0.25};
    must(hcr_project(projector, 1, NULL, q, y, NULL, NULL, &error), &error);
    /* ½ (y0 + y1)² − ½ (y0 + y1) and ½ (y2 − y3)² + ¼ (y2 − y3) are least at sums of ½ and −¼. */
    assert_true(fabs(y[0] + y[1] - 0.5) <= 1e-7 && fabs(y[2] - y[3] + 0.25) <= 1e-7);
    hcr_projector_free(projector);

    /* ½ 10⁶ y0² − 10⁻³ y1: what is added, 10⁻², would leave y1 at 0.1 of 1; with a row that bounds alone don't tell. */
    for (int coupled = 0; coupled < 2; coupled++) {
        static const double steep[N] = {1e6, 0, 0, 0}, gentle[N] = {0, -1e-3, -1e-3, 0}, both[N] = {0, 1, 1, 0};
        const double least = -INFINITY, most = 3;
        hcr_region *tried = NULL;
        builder = new_builder(N);
        must(hcr_builder_add_bounds(builder, 0, N, low, high, &error), &error);
        if (coupled)
            must(hcr_builder_add_rows(builder, 1, both, &least, &most, &error), &error);
        must(hcr_builder_finish(builder, &tried, &error), &error);
        hcr_builder_free(builder);
        const hcr_quadratic metric = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = steep};
        options.metric = &metric;
        must(hcr_projector_create(tried, &options, &projector, &error), &error);
        must(hcr_project(projector, 1, NULL, gentle, y, NULL, NULL, &error), &error);
        assert_true(fabs(y[0]) <= 1e-9 && fabs(y[1] + y[2] - (coupled ? 3 : 5)) <= 1e-8);
        hcr_projector_free(projector);
        /* Asked for, it stays. */
        options.regularisation = 1e-2;
        must(hcr_projector_create(tried, &options, &projector, &error), &error);
        must(hcr_project(projector, 1, NULL, gentle, y, NULL, NULL, &error), &error);
        assert_true(fabs(y[1] - 0.1) <= 1e-9 && fabs(y[2] - 0.1) <= 1e-9);
        hcr_projector_free(projector);
        hcr_region_free(tried);
        options.regularisation = 0;
    }

    options.regularisation = -1;
    assert_int_equal(hcr_projector_create(region, &options, &projector, &error), HCR_ERROR_ARGUMENT);
    options.regularisation = 0;
    double indefinite[N] = {1, -1, 1, 1};
    const hcr_quadratic saddle = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = indefinite};
    options.metric = &saddle;
    assert_int_equal(hcr_projector_create(region, &options, &projector, &error), HCR_ERROR_CONVEXITY);
    assert_non_null(strstr(error.text, "-1"));
    indefinite[1] = NAN;
    assert_int_equal(hcr_projector_create(region, &options, &projector, &error), HCR_ERROR_DATA);
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind), cmocka_unit_test(test_parameters), cmocka_unit_test(test_centres),
        cmocka_unit_test(test_kinks),      cmocka_unit_test(test_batches),    cmocka_unit_test(test_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
