/* Nearest points of polytopes on many dense equalities whose right sides are parameters, where the solver works in the
 * coordinates that these leave free: the conditions of optimality from the contacts, a warm start, derivatives. */
#include <math.h>

#include "base/random.h"
#include "region/region.h"
#include "unit/origin/regions.h"

enum { N = 24, EQUALITIES = 10, ROWS = 12, P = EQUALITIES + 1, SAMPLES = 60 };

static hcr_error error;

static void fill(hcri_random *random, size_t count, double *numbers) {
    for (size_t k = 0; k < count; k++)
        numbers[k] = hcri_random_normal(random);
}

/* A y = x, and rows of which the last has a parameter, too. */
static hcr_region *region_of(hcri_random *random) {
    hcr_builder *builder = outputs(N);
    parameters(builder, "x", EQUALITIES, -0.5, 0.5);
    parameters(builder, "limit", 1, 1, 2);
    box(builder, -2, 2);
    for (size_t i = 0; i < EQUALITIES; i++) {
        double a[N + P] = {0};
        fill(random, N, a);
        a[N + i] = -1;
        row(builder, a, 0, 0);
    }
    for (size_t i = 0; i < ROWS; i++) {
        double a[N + P] = {0};
        fill(random, N, a);
        a[N + EQUALITIES] = i == ROWS - 1 ? -1 : 0;
        row(builder, a, -INFINITY, i == ROWS - 1 ? 0 : 1.5);
    }
    return finished(builder);
}

/* Q (v − y) − Σ λ a of the contacts, whose multipliers are positive; a of n outputs and the parameters. */
static void find_rest(const hcr_region *region, const double *Q, const double *v, const double *y,
                      const hcr_contact *contact, double *rest) {
    memset(rest, 0, (N + P) * sizeof *rest);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            rest[i] += Q[i * N + j] * (v[j] - y[j]);
    for (size_t k = 0; k < N && contact[k].constraint < region->constraints; k++) {
        size_t local;
        const hcri_constraint *block = hcri_set_block_of(&region->set, contact[k].constraint, &local);
        assert_true(contact[k].multiplier > 0);
        block->kind->add_gradient(block, local, y, -contact[k].multiplier, rest, NULL);
    }
}

static hcr_projector *projector_of(const hcr_region *region, const double *Q, int form, int warm) {
    const hcr_quadratic metric = {.form = form == 1 ? HCR_QUADRATIC_DIAGONAL : HCR_QUADRATIC_DENSE, .matrix = Q};
    hcr_projector_options options = HCR_PROJECTOR_OPTIONS_INIT;
    hcr_projector *projector = NULL;
    options.metric = form == 0 ? NULL : &metric;
    options.warm_start = warm;
    assert_int_equal(hcr_projector_create(region, &options, &projector, &error), HCR_OK);
    return projector;
}

/* Q as `form` says, 1, diagonal or dense, and in full. */
static void make_metric(hcri_random *random, int form, double *Q, double *full) {
    double factor[N * N];
    fill(random, N * N, factor);
    memset(full, 0, N * N * sizeof *full);
    for (size_t i = 0; i < N; i++) {
        full[i * N + i] = form == 0 ? 1 : 0.5 + hcri_random_uniform(random);
        for (size_t j = 0; form == 2 && j < N; j++)
            for (size_t k = 0; k < N; k++)
                full[i * N + j] += factor[i * N + k] * factor[j * N + k] / N;
        Q[i] = full[i * N + i];
    }
    if (form == 2)
        memcpy(Q, full, N * N * sizeof *full);
}

/* Central differences of the result along (v_dot, x_dot), where no contact changes in between. */
static int differentiate(hcr_projector *projector, const double *x, const double *v, const double *x_dot,
                         const double *v_dot, double *y_dot) {
    const double h = 1e-5;
    double y[2][N];
    hcr_contact contact[2][N];
    for (int side = 0; side < 2; side++) {
        double at_x[P], at_v[N];
        for (size_t k = 0; k < P; k++)
            at_x[k] = x[k] + (side == 0 ? -h : h) * x_dot[k];
        for (size_t j = 0; j < N; j++)
            at_v[j] = v[j] + (side == 0 ? -h : h) * v_dot[j];
        assert_int_equal(hcr_project(projector, 1, at_x, at_v, y[side], NULL, contact[side], &error), HCR_OK);
    }
    for (size_t j = 0; j < N; j++)
        y_dot[j] = (y[1][j] - y[0][j]) / (2 * h);
    for (size_t k = 0; k < N; k++)
        if (contact[0][k].constraint != contact[1][k].constraint)
            return 0;
    return 1;
}

static void check_derivatives(hcr_projector *projector, hcri_random *random, const double *x, const double *v) {
    double x_dot[P], v_dot[N], y_dot[N], expected[N], y_bar[N], v_bar[N], x_bar[P], forward = 0, reverse = 0;
    fill(random, P, x_dot);
    fill(random, N, v_dot);
    fill(random, N, y_bar);
    assert_int_equal(hcr_project_jvp(projector, 1, x, v, NULL, v_dot, x_dot, y_dot, &error), HCR_OK);
    assert_int_equal(hcr_project_vjp(projector, 1, x, v, NULL, y_bar, v_bar, x_bar, &error), HCR_OK);
    for (size_t j = 0; j < N; j++) {
        forward += y_bar[j] * y_dot[j];
        reverse += v_bar[j] * v_dot[j];
    }
    for (size_t k = 0; k < P; k++)
        reverse += x_bar[k] * x_dot[k];
    assert_true(fabs(forward - reverse) <= 1e-10 * (1 + fabs(forward)));
    if (differentiate(projector, x, v, x_dot, v_dot, expected))
        for (size_t j = 0; j < N; j++) /* rounding of the differences is 1e-10, of the face's system less */
            assert_true(fabs(y_dot[j] - expected[j]) <= 1e-7 * (1 + fabs(expected[j])));
}

static void test_form(void **state) {
    const int form = *(int *)*state;
    hcri_random random;
    hcri_random_seed(&random, 11 + (uint64_t)form);
    static double Q[N * N], full[N * N], x[SAMPLES * P], v[SAMPLES * N], y[SAMPLES * N], warm_y[N];
    static hcr_contact contact[SAMPLES * N];
    uint8_t inside[SAMPLES];
    hcr_region *region = region_of(&random);
    make_metric(&random, form, Q, full);
    hcr_projector *projector = projector_of(region, Q, form, 0), *warm = projector_of(region, Q, form, 1);
    fill(&random, SAMPLES * N, v);
    for (size_t k = 0; k < SAMPLES * P; k++)
        x[k] = k % P == EQUALITIES ? 1 + hcri_random_uniform(&random) : 0.4 * (hcri_random_uniform(&random) - 0.5);
    assert_int_equal(hcr_project(projector, SAMPLES, x, v, y, NULL, contact, &error), HCR_OK);
    assert_int_equal(hcr_check(region, SAMPLES, x, y, inside, NULL, &error), HCR_OK);
    size_t contacts = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        double rest[N + P], size = 0;
        assert_true(inside[i] && contact[i * N].outcome == HCR_OUTCOME_MOVED);
        find_rest(region, full, v + i * N, y + i * N, contact + i * N, rest);
        for (size_t k = 0; k < N; k++)
            contacts += contact[i * N + k].constraint < region->constraints;
        hcri_affine_project(&region->affine, rest); /* what is left isn't a multiple of the equalities */
        for (size_t j = 0; j < N; j++)
            size = fmax(size, fabs(rest[j]));
        assert_true(size <= 1e-9);
        assert_int_equal(hcr_project(warm, 1, x + i * P, v + i * N, warm_y, NULL, NULL, &error), HCR_OK);
        for (size_t j = 0; j < N; j++)
            assert_true(fabs(warm_y[j] - y[i * N + j]) <= 1e-10);
        check_derivatives(projector, &random, x + i * P, v + i * N);
    }
    assert_true(contacts > 2 * SAMPLES);
    hcr_projector_free(projector);
    hcr_projector_free(warm);
    hcr_region_free(region);
}

int main(void) {
    static int forms[] = {0, 1, 2};
    const struct CMUnitTest tests[] = {
        {"plain distance", test_form, NULL, NULL, &forms[0]},
        {"diagonal metric", test_form, NULL, NULL, &forms[1]},
        {"dense metric", test_form, NULL, NULL, &forms[2]},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
