#include "numeric/parameters.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

const char *const moving_names[MOVING_KINDS] = {"rows", "varying",    "quadratic", "cone",
                                                "lmi",  "expression", "callback",  "mixed"};

enum { MOST = 40 };

static hcr_error error;
static const double range_lower = -1, range_upper = 1.5;

static double uniform(hcri_random *random, double low, double high) {
    return (double)(float)(low + (high - low) * hcri_random_uniform(random));
}

/* ------------------------------------------------------------------------------------------- builders to regions */

hcr_builder *moving_builder(size_t outputs, size_t parameters, const double *lower, const double *upper) {
    hcr_builder *builder = new_builder(outputs);
    must(hcr_builder_add_parameter(builder, "x", parameters, 0, lower, upper, &error), &error);
    return builder;
}

/* The solved form of Σ y = x_0 + ½. */
static void solve_sum(size_t outputs, hcri_affine *affine) {
    uint32_t columns[MOST];
    double signs[MOST], shares[MOST];
    for (size_t j = 0; j < outputs; j++) {
        columns[j] = (uint32_t)j;
        signs[j] = -1;
        shares[j] = 1 / sqrt((double)outputs);
    }
    affine->count = 1;
    affine->dependent = malloc(sizeof *affine->dependent);
    affine->constant = malloc(sizeof *affine->constant);
    assert_true(affine->dependent != NULL && affine->constant != NULL);
    affine->dependent[0] = (uint32_t)(outputs - 1);
    affine->constant[0] = 0.5;
    must(hcri_rows_append(&affine->basis, &hcri_default_allocator, outputs, columns, shares, &error), &error);
    columns[outputs - 1] = (uint32_t)outputs; /* x_0 in place of the dependent output */
    signs[outputs - 1] = 1;
    must(hcri_rows_append(&affine->map, &hcri_default_allocator, outputs, columns, signs, &error), &error);
}

hcr_region *region_following_on(hcr_builder *builder, const double *constant, const double *map, double reach,
                                const hcri_affine *affine) {
    must(hcri_builder_begin(builder, &error), &error);
    must(hcri_set_number(&builder->set, &error), &error);
    const size_t n = builder->set.outputs, p = builder->set.n - n;
    const double *range_low = builder->set.box->lower + n, *range_high = builder->set.box->upper + n;
    double origin[2 * MOST], lower[2 * MOST], upper[2 * MOST], kept[MOST];
    hcri_origin_map origin_map = {.outputs = n, .parameters = p, .constant = kept};
    for (size_t k = 0; k < p; k++) {
        lower[n + k] = range_low[k];
        upper[n + k] = range_high[k];
        origin[n + k] = 0.5 * (range_low[k] + range_high[k]);
    }
    for (size_t j = 0; j < n; j++) {
        uint32_t columns[MOST];
        double values[MOST];
        size_t count = 0;
        for (size_t k = 0; k < p; k++)
            if (map[j * p + k] != 0) {
                columns[count] = (uint32_t)k;
                values[count++] = map[j * p + k];
            }
        must(hcri_rows_append(&origin_map.map, &hcri_default_allocator, count, columns, values, &error), &error);
        kept[j] = constant[j];
        lower[j] = -reach;
        upper[j] = reach;
    }
    hcri_origin_map_origin(&origin_map, origin + n, origin);
    hcri_affine_complete(affine, origin);
    hcr_region *region = NULL;
    must(hcri_region_create(&builder->set,
                            &(hcri_analysis){.origin = origin,
                                             .lower = lower,
                                             .upper = upper,
                                             .radius = INFINITY,
                                             .affine = affine,
                                             .origin_map = &origin_map,
                                             .unbounded_allowed = isinf(reach)},
                            NULL, &region, &error),
         &error);
    hcri_rows_release(&origin_map.map, &hcri_default_allocator);
    hcr_builder_free(builder);
    return region;
}

hcr_region *region_following(hcr_builder *builder, const double *constant, const double *map, double reach, int sums) {
    hcri_affine affine = {0};
    if (sums)
        solve_sum(builder->set.outputs, &affine);
    hcr_region *region = region_following_on(builder, constant, map, reach, &affine);
    hcri_affine_release(&affine, &hcri_default_allocator);
    return region;
}

void fill_parameters(const hcr_region *region, hcri_random *random, double *x) {
    const double *lower = hcr_region_parameter_lower(region), *upper = hcr_region_parameter_upper(region);
    for (size_t k = 0; k < hcr_region_parameters(region); k++) {
        const size_t place = hcri_random_below(random, 6);
        x[k] = place == 0 ? lower[k] : place == 1 ? upper[k] : uniform(random, lower[k], upper[k]);
    }
}

/* -------------------------------------------------------------------------------------------- random inequalities */

typedef struct maker {
    hcr_builder *builder;
    hcri_random *random;
    size_t n, p;
    double constant[MOST], map[MOST * MOST]; /* O(x) */
} maker;

/* The extremes of a·(O(x), x) over the range. */
static void extremes(const maker *m, const double *a, double *least, double *most) {
    *least = *most = 0;
    for (size_t j = 0; j < m->n; j++)
        *least += a[j] * m->constant[j];
    *most = *least;
    for (size_t k = 0; k < m->p; k++) {
        double slope = a[m->n + k];
        for (size_t j = 0; j < m->n; j++)
            slope += a[j] * m->map[j * m->p + k];
        *least += fmin(slope * range_lower, slope * range_upper);
        *most += fmax(slope * range_lower, slope * range_upper);
    }
}

/* Random coefficients for the outputs, and such for the parameters that a·(O(x), x) moves little. */
static void fill_row(const maker *m, double size, double *a) {
    fill_normal(m->random, size / sqrt((double)m->n), m->n, a);
    for (size_t k = 0; k < m->p; k++) {
        double slope = 0;
        for (size_t j = 0; j < m->n; j++)
            slope += a[j] * m->map[j * m->p + k];
        a[m->n + k] = (double)(float)(-slope + 0.1 * hcri_random_normal(m->random));
    }
}

static void add_rows(const maker *m) {
    for (size_t i = 0; i < m->n + 3; i++) {
        double a[2 * MOST], lower, upper;
        fill_row(m, 1, a);
        extremes(m, a, &lower, &upper);
        lower = i % 3 == 0 ? -INFINITY : (double)(float)(lower - uniform(m->random, 0.2, 1));
        upper = i % 3 == 1 ? INFINITY : (double)(float)(upper + uniform(m->random, 0.2, 1));
        must(hcr_builder_add_rows(m->builder, 1, a, &lower, &upper, &error), &error);
    }
}

/* Products with coefficients whose part at O(x) is bounded term by term. */
static void add_varying(const maker *m) {
    for (size_t i = 0; i < m->n + 3; i++) {
        double a[2 * MOST], values[2], lower, upper;
        uint32_t columns[2 * MOST], outputs[2], parameters[2];
        const size_t start[2] = {0, m->n + m->p}, product_start[2] = {0, 2};
        fill_row(m, 1, a);
        extremes(m, a, &lower, &upper);
        outputs[0] = (uint32_t)hcri_random_below(m->random, m->n);
        outputs[1] = (outputs[0] + 1) % (uint32_t)m->n;
        for (size_t k = 0; k < 2; k++) {
            parameters[k] = (uint32_t)hcri_random_below(m->random, m->p);
            values[k] = (double)(float)(0.3 * hcri_random_normal(m->random));
            double size = fabs(m->constant[outputs[k]]);
            for (size_t l = 0; l < m->p; l++)
                size += fabs(m->map[outputs[k] * m->p + l]) * range_upper;
            lower -= fabs(values[k]) * size * range_upper;
            upper += fabs(values[k]) * size * range_upper;
        }
        for (size_t j = 0; j < m->n + m->p; j++)
            columns[j] = (uint32_t)j;
        lower = i % 3 == 0 ? -INFINITY : (double)(float)(lower - uniform(m->random, 0.2, 1));
        upper = i % 3 == 1 ? INFINITY : (double)(float)(upper + uniform(m->random, 0.2, 1));
        const hcr_varying_rows varying = {.rows = 1,
                                          .start = start,
                                          .columns = columns,
                                          .values = a,
                                          .product_start = product_start,
                                          .product_outputs = outputs,
                                          .product_parameters = parameters,
                                          .product_values = values,
                                          .lower = &lower,
                                          .upper = &upper};
        must(hcr_builder_add_varying_rows(m->builder, &varying, &error), &error);
    }
}

/* `rows` rows that are small at O(x) once `shift` is added, compressed; returns a bound of their norm there. */
static double small_rows(const maker *m, size_t rows, size_t *start, uint32_t *columns, double *values, double *shift) {
    const size_t width = m->n + m->p;
    double bound = 0;
    start[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        double least, most;
        fill_row(m, 1, values + i * width);
        extremes(m, values + i * width, &least, &most);
        shift[i] = (double)(float)(0.2 * hcri_random_normal(m->random) - 0.5 * (least + most));
        bound = hypot(bound, fmax(fabs(least + shift[i]), fabs(most + shift[i])));
        for (size_t j = 0; j < width; j++)
            columns[i * width + j] = (uint32_t)j;
        start[i + 1] = (i + 1) * width;
    }
    return bound;
}

static void add_quadratic(const maker *m) {
    size_t start[MOST];
    uint32_t columns[2 * MOST * MOST];
    double values[2 * MOST * MOST], shift[MOST];
    const double bound = small_rows(m, m->n, start, columns, values, shift);
    for (size_t i = 0; i < m->n; i++)
        shift[i] = -shift[i];
    const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_FACTOR,
                                     .rank = m->n,
                                     .factor_start = start,
                                     .factor_columns = columns,
                                     .factor_values = values,
                                     .shift = shift,
                                     .radius = (double)(float)(bound + uniform(m->random, 0.2, 1))};
    must(hcr_builder_add_quadratic(m->builder, &quadratic, &error), &error);
}

static void add_cone(const maker *m) {
    size_t start[MOST];
    uint32_t columns[2 * MOST * MOST];
    double values[2 * MOST * MOST], shift[MOST], linear[2 * MOST], least, most;
    const double bound = small_rows(m, m->n, start, columns, values, shift);
    fill_row(m, 0.5, linear);
    extremes(m, linear, &least, &most);
    const hcr_cone cone = {.rows = m->n,
                           .start = start,
                           .columns = columns,
                           .values = values,
                           .shift = shift,
                           .linear = linear,
                           .constant = (double)(float)(bound - least + uniform(m->random, 0.2, 1))};
    must(hcr_builder_add_cone(m->builder, &cone, &error), &error);
}

static void add_lmi(const maker *m) {
    enum { SIZE = 4, ENTRIES = SIZE * SIZE };
    const size_t width = m->n + m->p;
    double matrices[2 * MOST * ENTRIES] = {0}, constant[ENTRIES] = {0}, moves = 0;
    uint32_t columns[2 * MOST];
    for (size_t a = 0; a < SIZE; a++)
        for (size_t b = 0; b <= a; b++) {
            double row[2 * MOST], least, most;
            fill_row(m, 1, row);
            extremes(m, row, &least, &most);
            for (size_t j = 0; j < width; j++)
                matrices[j * ENTRIES + a * SIZE + b] = matrices[j * ENTRIES + b * SIZE + a] = row[j];
            constant[a * SIZE + b] = constant[b * SIZE + a] = (double)(float)(-0.5 * (least + most));
            moves = hypot(moves, (a == b ? 1 : 2) * 0.5 * (most - least));
        }
    for (size_t a = 0; a < SIZE; a++)
        constant[a * (SIZE + 1)] += (double)(float)(moves + uniform(m->random, 0.2, 1));
    for (size_t j = 0; j < width; j++)
        columns[j] = (uint32_t)j;
    const hcr_lmi lmi = {.size = SIZE, .constant = constant, .terms = width, .outputs = columns, .matrices = matrices};
    must(hcr_builder_add_lmi(m->builder, &lmi, &error), &error);
}

/* log Σ exp(a_i·(y, x) + b_i) <= 1, with four terms that are at most e^-0.6 each at O(x). */
static void add_expression(const maker *m) {
    enum { TERMS = 4 };
    hcri_tape tape = {.allocator = &m->builder->set.allocator};
    uint32_t columns[2 * MOST], terms[TERMS], sum, last;
    for (size_t j = 0; j < m->n + m->p; j++)
        columns[j] = (uint32_t)j;
    for (size_t i = 0; i < TERMS; i++) {
        double a[2 * MOST], least, most;
        fill_row(m, 1, a);
        extremes(m, a, &least, &most);
        must(hcri_tape_add(&tape,
                           &(hcri_new_step){HCRI_STEP_AFFINE, (double)(float)(-most - uniform(m->random, 0.6, 1)), 0,
                                            m->n + m->p, columns, a},
                           &terms[i], &error),
             &error);
    }
    must(hcri_tape_add(&tape, &(hcri_new_step){HCRI_STEP_LOG_SUM_EXP, 0, 0, TERMS, terms, NULL}, &sum, &error), &error);
    must(hcri_tape_add(&tape, &(hcri_new_step){HCRI_STEP_SUM, -1, 0, 1, &sum, NULL}, &last, &error), &error);
    must(hcri_builder_add_expression(m->builder, &tape, 1, &error), &error);
}

/* Σ √(1 + z_j²) − 3 − 2 · columns over outputs and parameters: below −1 at O(x), where nearly all |z_j| are under √3.
 */
static double call(void *context, size_t n, const double *z, double *rounding) {
    (void)context;
    double total = -3 - 2 * (double)n;
    for (size_t j = 0; j < n; j++)
        total += sqrt(1 + z[j] * z[j]);
    if (rounding != NULL)
        *rounding = 4 * (double)n * 0x1p-53 * (10 + 4 * (double)n + fabs(total));
    return total;
}

static void call_gradient(void *context, size_t n, const double *z, double *gradient) {
    (void)context;
    for (size_t j = 0; j < n; j++)
        gradient[j] = z[j] / sqrt(1 + z[j] * z[j]);
}

static void add_callback(const maker *m) {
    const hcr_callback callback = {.name = "bowl", .convex = 1, .value = call, .gradient = call_gradient};
    must(hcr_builder_add_callback(m->builder, &callback, &error), &error);
}

/* Bounds at some distance from O(x), closer when they are all there is. */
static double add_bounds(const maker *m, double near) {
    double lower[MOST], upper[MOST], reach = 0;
    for (size_t j = 0; j < m->n; j++) {
        double unit[2 * MOST] = {0};
        unit[j] = 1;
        extremes(m, unit, &lower[j], &upper[j]);
        lower[j] = (double)(float)(lower[j] - uniform(m->random, near, 2 * near));
        upper[j] = (double)(float)(upper[j] + uniform(m->random, near, 2 * near));
        reach = fmax(reach, fmax(-lower[j], upper[j]));
    }
    must(hcr_builder_add_bounds(m->builder, 0, m->n, lower, upper, &error), &error);
    return reach;
}

/* The outputs sum to the first parameter plus ½. */
static void add_sum(hcr_builder *builder, size_t outputs) {
    const size_t start[2] = {0, outputs + 1};
    uint32_t columns[MOST];
    double values[MOST];
    const double right = 0.5;
    for (size_t j = 0; j <= outputs; j++) {
        columns[j] = (uint32_t)j;
        values[j] = j < outputs ? 1 : -1;
    }
    must(hcr_builder_add_equalities(builder, 1, start, columns, values, &right, &error), &error);
}

hcr_region *moving_region(moving_kind kind, size_t outputs, size_t parameters, int with_equality, hcri_random *random) {
    double lower[MOST], upper[MOST];
    for (size_t k = 0; k < parameters; k++) {
        lower[k] = range_lower;
        upper[k] = range_upper;
    }
    maker m = {
        .builder = moving_builder(outputs, parameters, lower, upper), .random = random, .n = outputs, .p = parameters};
    for (size_t j = 0; j < outputs; j++)
        m.constant[j] = uniform(random, -0.5, 0.5);
    fill_normal(random, 0.2 / sqrt((double)parameters), outputs * parameters, m.map);
    if (with_equality) { /* the last output is what it must be */
        m.constant[outputs - 1] = 0.5;
        for (size_t k = 0; k < parameters; k++)
            m.map[(outputs - 1) * parameters + k] = k == 0;
        for (size_t j = 0; j + 1 < outputs; j++) {
            m.constant[outputs - 1] -= m.constant[j];
            for (size_t k = 0; k < parameters; k++)
                m.map[(outputs - 1) * parameters + k] -= m.map[j * parameters + k];
        }
    }
    const double reach = add_bounds(&m, 1);
    const int all = kind == MOVING_MIXED;
    if (kind == MOVING_ROWS || all)
        add_rows(&m);
    if (kind == MOVING_VARYING || all)
        add_varying(&m);
    if (kind == MOVING_QUADRATIC || all)
        add_quadratic(&m);
    if (kind == MOVING_CONE || all)
        add_cone(&m);
    if (kind == MOVING_LMI || all)
        add_lmi(&m);
    if (kind == MOVING_EXPRESSION || all)
        add_expression(&m);
    if (kind == MOVING_CALLBACK || all)
        add_callback(&m);
    if (with_equality)
        add_sum(m.builder, outputs);
    return region_following(m.builder, m.constant, m.map, reach, with_equality);
}

hcr_region *wandering_region(int varying, int with_equality) {
    enum { N = 4, P = 3 };
    static const double lower[N] = {-30, -30, -30, -30}, upper[N] = {30, 30, 30, 30}, low[P] = {-1, -1, -1},
                        high[P] = {1.5, 1.5, 1.5};
    static const double rows[3][N + P] = {{1, 0, 0, 0, -1, 0, 0}, {1, 1, 0, 0, 0, -1, -1}, {0, 0, 1, -0.25, 0, 0, -1}};
    static const double row_lower[3] = {-0.4, -0.4, -0.5}, row_upper[3] = {0.4, 0.3, 0.5};
    const double constant[N] = {0.25, 0.25, 0.25, with_equality ? -0.25 : 0}, map[N * P] = {[3 * P] = with_equality};
    hcr_builder *builder = moving_builder(N, P, low, high);
    must(hcr_builder_add_bounds(builder, 0, N, lower, upper, &error), &error);
    must(hcr_builder_add_rows(builder, varying ? 2 : 3, &rows[0][0], row_lower, row_upper, &error), &error);
    if (varying) { /* y_2 − (1/4 + x_0) y_3 − x_2 */
        static const size_t start[2] = {0, 3}, product_start[2] = {0, 1};
        static const uint32_t columns[3] = {2, 3, 6}, output = 3, parameter = 0;
        static const double values[3] = {1, -0.25, -1}, product = -1;
        const hcr_varying_rows products = {.rows = 1,
                                           .start = start,
                                           .columns = columns,
                                           .values = values,
                                           .product_start = product_start,
                                           .product_outputs = &output,
                                           .product_parameters = &parameter,
                                           .product_values = &product,
                                           .lower = &row_lower[2],
                                           .upper = &row_upper[2]};
        must(hcr_builder_add_varying_rows(builder, &products, &error), &error);
    }
    if (with_equality)
        add_sum(builder, N);
    return region_following(builder, constant, map, 30, with_equality);
}
