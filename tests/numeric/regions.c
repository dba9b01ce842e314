#include "numeric/regions.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

void must(hcr_status status, const hcr_error *error) {
    if (status != HCR_OK)
        fail_msg("%s: %s", hcr_status_name(status), error->text);
}

static double *numbers(size_t count) {
    double *values = calloc(count + 1, sizeof *values);
    assert_non_null(values);
    return values;
}

static double single(double x) { return (double)(float)x; }

void fill_normal(hcri_random *random, double deviation, size_t count, double *values) {
    for (size_t i = 0; i < count; i++)
        values[i] = single(deviation * hcri_random_normal(random));
}

static double uniform(hcri_random *random, double low, double high) {
    return single(low + (high - low) * hcri_random_uniform(random));
}

hcr_builder *new_builder(size_t n) {
    hcr_builder *builder = NULL;
    hcr_error error;
    must(hcr_builder_create(NULL, &builder, &error), &error);
    must(hcr_builder_add_variable(builder, "y", n, 0, &error), &error);
    return builder;
}

hcr_region *region_around(hcr_builder *builder, const double *origin, double reach) {
    const size_t n = builder->set.n;
    hcr_error error;
    hcr_region *region = NULL;
    double *lower = numbers(n), *upper = numbers(n);
    for (size_t j = 0; j < n; j++) {
        lower[j] = origin[j] - reach;
        upper[j] = origin[j] + reach;
    }
    must(hcri_builder_begin(builder, &error), &error);
    must(hcri_set_number(&builder->set, &error), &error);
    must(hcri_region_create(&builder->set,
                            &(hcri_analysis){.origin = origin,
                                             .lower = lower,
                                             .upper = upper,
                                             .radius = INFINITY,
                                             .unbounded_allowed = isinf(reach)},
                            NULL, &region, &error),
         &error);
    free(lower);
    free(upper);
    hcr_builder_free(builder);
    return region;
}

hcr_region *region_moved(const hcr_region *region, const double *origin) {
    const size_t n = region->set.n;
    hcr_error error;
    hcr_region *moved = NULL;
    double *lower = numbers(n), *upper = numbers(n);
    double distance = 0;             /* from one origin to the other: by so much the region may reach farther */
    for (size_t j = 0; j < n; j++) { /* results are rounded once more where equalities determine them */
        distance = hypot(distance, origin[j] - region->origin[j]);
        lower[j] = fmin(region->lower[j], origin[j]);
        upper[j] = fmax(region->upper[j], origin[j]);
    }
    const hcri_analysis analysis = {.origin = origin,
                                    .lower = lower,
                                    .upper = upper,
                                    .radius = region->radius + (1 + 1e-12) * distance,
                                    .affine = &region->affine,
                                    .unbounded_allowed = region->unbounded_allowed};
    must(hcri_region_create(&region->set, &analysis, NULL, &moved, &error), &error);
    free(lower);
    free(upper);
    return moved;
}

hcr_workspace *workspace_of(const hcr_region *region, size_t threads) {
    hcr_workspace *workspace = NULL;
    hcr_error error;
    must(hcr_workspace_create(region, threads, &workspace, &error), &error);
    return workspace;
}

hcr_region *box_region(const double *lower, const double *upper, const double *origin) {
    hcr_builder *builder = new_builder(2);
    hcr_error error;
    must(hcr_builder_add_bounds(builder, 0, 2, lower, upper, &error), &error);
    return region_around(builder, origin, 20);
}

hcr_region *disc_region(double radius) {
    const double ones[2] = {1, 1}, origin[2] = {0, 0};
    const hcr_quadratic disc = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = ones, .radius = radius};
    hcr_builder *builder = new_builder(2);
    hcr_error error;
    must(hcr_builder_add_quadratic(builder, &disc, &error), &error);
    return region_around(builder, origin, radius);
}

/* ------------------------------------------------------------------------------------------------- random regions */

static double dot(size_t n, const double *a, const double *b) {
    double total = 0;
    for (size_t j = 0; j < n; j++)
        total += a[j] * b[j];
    return total;
}

static void add_box(hcr_builder *builder, const double *origin, hcri_random *random, double near, double far,
                    int gaps) {
    const size_t n = builder->set.n;
    double *lower = numbers(n), *upper = numbers(n);
    for (size_t j = 0; j < n; j++) {
        const int skipped = gaps ? (int)hcri_random_below(random, 4) : 2;
        lower[j] = skipped == 0 ? -INFINITY : single(origin[j] - uniform(random, near, far));
        upper[j] = skipped == 1 ? INFINITY : single(origin[j] + uniform(random, near, far));
    }
    hcr_error error;
    must(hcr_builder_add_bounds(builder, 0, n, lower, upper, &error), &error);
    free(lower);
    free(upper);
}

/* Row a around the origin, its far sides sometimes missing. */
static void add_row(hcr_builder *builder, const double *origin, hcri_random *random, const double *a) {
    const size_t n = builder->set.n;
    const double at_origin = dot(n, a, origin), size = sqrt(dot(n, a, a));
    const int missing = (int)hcri_random_below(random, 3);
    const double lower = missing == 0 ? -INFINITY : single(at_origin - size * uniform(random, 0.2, 1));
    const double upper = missing == 1 ? INFINITY : single(at_origin + size * uniform(random, 0.2, 1));
    hcr_error error;
    must(hcr_builder_add_rows(builder, 1, a, &lower, &upper, &error), &error);
}

static void add_dense_rows(hcr_builder *builder, const double *origin, hcri_random *random) {
    const size_t n = builder->set.n;
    double *a = numbers(n);
    for (size_t i = 0; i < n + 3; i++) {
        fill_normal(random, 1, n, a);
        add_row(builder, origin, random, a);
    }
    free(a);
}

static void add_sparse_rows(hcr_builder *builder, const double *origin, hcri_random *random) {
    const size_t n = builder->set.n;
    double *a = numbers(n);
    for (size_t i = 0; i < n + 3; i++) {
        for (size_t j = 0; j < n; j++)
            a[j] = 0;
        for (size_t k = 0; k < 3; k++)
            a[hcri_random_below(random, n)] = single(hcri_random_normal(random) + 3);
        add_row(builder, origin, random, a);
    }
    free(a);
}

static void add_differences(hcr_builder *builder, const double *origin, hcri_random *random) {
    const size_t n = builder->set.n;
    double *a = numbers(n);
    for (size_t order = 1; order <= 2; order++)
        for (size_t i = 0; i + order < n; i++) {
            static const double stencil[2][3] = {{-1, 1, 0}, {0.5, -1, 0.5}};
            for (size_t j = 0; j < n; j++)
                a[j] = j >= i && j <= i + order ? stencil[order - 1][j - i] : 0;
            add_row(builder, origin, random, a);
        }
    if (n == 1) {
        a[0] = 2;
        add_row(builder, origin, random, a);
    }
    free(a);
}

/* Adds a quadratic with its constant chosen such that c(origin) is about `at_origin` < 0. */
static void add_quadratic(hcr_builder *builder, const double *origin, hcr_quadratic quadratic, double square_at_origin,
                          double at_origin) {
    double constant = at_origin - 0.5 * square_at_origin + 0.5 * quadratic.radius * quadratic.radius;
    if (quadratic.linear != NULL)
        constant -= dot(builder->set.n, quadratic.linear, origin);
    quadratic.constant = single(constant);
    hcr_error error;
    must(hcr_builder_add_quadratic(builder, &quadratic, &error), &error);
}

static void add_ball(hcr_builder *builder, const double *origin, hcri_random *random) {
    const size_t n = builder->set.n;
    double *ones = numbers(n), *centre = numbers(n), distance = 0;
    for (size_t j = 0; j < n; j++) {
        ones[j] = 1;
        centre[j] = single(origin[j] + 0.3 * hcri_random_normal(random));
        distance = hypot(distance, centre[j] - origin[j]);
    }
    const hcr_quadratic ball = {.form = HCR_QUADRATIC_DIAGONAL,
                                .matrix = ones,
                                .shift = centre,
                                .radius = single(distance + uniform(random, 0.2, 1))};
    hcr_error error;
    must(hcr_builder_add_quadratic(builder, &ball, &error), &error);
    free(ones);
    free(centre);
}

static void add_diagonal(hcr_builder *builder, const double *origin, hcri_random *random) {
    const size_t n = builder->set.n;
    double *weights = numbers(n), *shift = numbers(n), *linear = numbers(n), square = 0;
    for (size_t j = 0; j < n; j++) {
        weights[j] = hcri_random_below(random, 4) == 0 ? 0 : uniform(random, 0, 2);
        shift[j] = single(origin[j] + 0.3 * hcri_random_normal(random));
        square += weights[j] * (origin[j] - shift[j]) * (origin[j] - shift[j]);
    }
    fill_normal(random, 0.1, n, linear);
    const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DIAGONAL,
                                     .matrix = weights,
                                     .shift = shift,
                                     .linear = linear,
                                     .radius = uniform(random, 0, 1)};
    add_quadratic(builder, origin, quadratic, square, -uniform(random, 0.3, 1));
    free(weights);
    free(shift);
    free(linear);
}

/* P = G'G/rank with small integers in G, so that a singular P is exactly so. */
static void add_matrix(hcr_builder *builder, const double *origin, hcri_random *random, size_t rank) {
    const size_t n = builder->set.n;
    double *factor = numbers(rank * n), *matrix = numbers(n * n), *shift = numbers(n), *linear = numbers(n);
    for (size_t k = 0; k < rank * n; k++)
        factor[k] = (double)hcri_random_below(random, 9) - 4;
    double size = 1;
    while (size < 8 * (double)n)
        size *= 2;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < rank; k++)
                matrix[i * n + j] += factor[k * n + i] * factor[k * n + j] / size;
    double square = 0;
    for (size_t j = 0; j < n; j++)
        shift[j] = single(origin[j] + 0.2 * hcri_random_normal(random));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            square += matrix[i * n + j] * (origin[i] - shift[i]) * (origin[j] - shift[j]);
    fill_normal(random, 0.1, n, linear);
    const hcr_quadratic quadratic = {
        .form = HCR_QUADRATIC_DENSE, .matrix = matrix, .shift = shift, .linear = linear, .radius = 0.5};
    add_quadratic(builder, origin, quadratic, square, -uniform(random, 0.3, 1));
    free(factor);
    free(matrix);
    free(shift);
    free(linear);
}

static void add_factor(hcr_builder *builder, const double *origin, hcri_random *random, size_t rank, int sparse) {
    const size_t n = builder->set.n;
    size_t *start = calloc(rank + 1, sizeof *start);
    uint32_t *columns = calloc(rank * n, sizeof *columns);
    double *values = numbers(rank * n), *shift = numbers(rank), *linear = numbers(n), square = 0;
    assert_non_null(start);
    assert_non_null(columns);
    for (size_t i = 0; i < rank; i++) {
        size_t k = start[i];
        double at_origin = 0;
        for (size_t j = 0; j < n; j++)
            if (!sparse || hcri_random_below(random, n) < 3) {
                columns[k] = (uint32_t)j;
                values[k] = single(hcri_random_normal(random));
                at_origin += values[k++] * origin[j];
            }
        start[i + 1] = k;
        shift[i] = single(at_origin + 0.2 * hcri_random_normal(random));
        square += (at_origin - shift[i]) * (at_origin - shift[i]);
    }
    fill_normal(random, 0.1, n, linear);
    const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_FACTOR,
                                     .rank = rank,
                                     .factor_start = start,
                                     .factor_columns = columns,
                                     .factor_values = values,
                                     .shift = shift,
                                     .linear = linear,
                                     .radius = uniform(random, 0, 1)};
    add_quadratic(builder, origin, quadratic, square, -uniform(random, 0.3, 1));
    free(start);
    free(columns);
    free(values);
    free(shift);
    free(linear);
}

/* |M y + s| <= c·y + e with about 0.2 at the origin on the left and from 0.2 to 1 more on the right; `growing`: c isn't
 * 0. */
static void add_cone(hcr_builder *builder, const double *origin, hcri_random *random, size_t rows, int sparse,
                     int growing) {
    const size_t n = builder->set.n;
    size_t *start = calloc(rows + 1, sizeof *start);
    uint32_t *columns = calloc(rows * n, sizeof *columns);
    double *values = numbers(rows * n), *shift = numbers(rows), *linear = numbers(n), norm = 0;
    assert_non_null(start);
    assert_non_null(columns);
    for (size_t i = 0; i < rows; i++) {
        size_t k = start[i];
        double at_origin = 0;
        for (size_t j = 0; j < n; j++)
            if (!sparse || j == i % n || hcri_random_below(random, n) < 2) {
                columns[k] = (uint32_t)j;
                values[k] = single(hcri_random_normal(random));
                at_origin += values[k++] * origin[j];
            }
        start[i + 1] = k;
        shift[i] = single(0.2 * hcri_random_normal(random) - at_origin);
        norm = hypot(norm, at_origin + shift[i]);
    }
    if (growing)
        fill_normal(random, 0.5, n, linear);
    const hcr_cone cone = {.rows = rows,
                           .start = start,
                           .columns = columns,
                           .values = values,
                           .shift = shift,
                           .linear = linear,
                           .constant = single(norm + uniform(random, 0.2, 1) - dot(n, linear, origin))};
    hcr_error error;
    must(hcr_builder_add_cone(builder, &cone, &error), &error);
    free(start);
    free(columns);
    free(values);
    free(shift);
    free(linear);
}

/* F_j symmetric with normal entries, few of them when `sparse`; F(origin) = G G'/size + 0.3 I, up to rounding. */
static void add_lmi(hcr_builder *builder, const double *origin, hcri_random *random, size_t size, int sparse) {
    const size_t n = builder->set.n, entries = size * size;
    double *matrices = numbers(n * entries), *constant = numbers(entries), *factor = numbers(entries);
    uint32_t *outputs = calloc(n, sizeof *outputs);
    assert_non_null(outputs);
    fill_normal(random, 1, entries, factor);
    for (size_t a = 0; a < size; a++)
        for (size_t b = 0; b <= a; b++) {
            double at_origin = a == b ? 0.3 : 0;
            for (size_t k = 0; k < size; k++)
                at_origin += factor[a * size + k] * factor[b * size + k] / (double)size;
            for (size_t j = 0; j < n; j++) {
                const int kept = !sparse || hcri_random_below(random, size * size) < 2;
                const double x = kept ? single(hcri_random_normal(random)) : 0;
                matrices[j * entries + a * size + b] = matrices[j * entries + b * size + a] = x;
                at_origin -= x * origin[j];
            }
            constant[a * size + b] = constant[b * size + a] = single(at_origin);
        }
    for (size_t j = 0; j < n; j++)
        outputs[j] = (uint32_t)j;
    const hcr_lmi lmi = {.size = size, .constant = constant, .terms = n, .outputs = outputs, .matrices = matrices};
    hcr_error error;
    must(hcr_builder_add_lmi(builder, &lmi, &error), &error);
    free(matrices);
    free(constant);
    free(factor);
    free(outputs);
}

const char *const shape_names[SHAPES] = {
    "box",    "dense rows", "sparse rows", "differences", "ball", "diagonal", "dense matrix", "singular matrix",
    "factor", "norm",       "cone",        "lmi",         "mixed"};

hcr_region *random_region(region_shape shape, size_t n, int boxed, double spread, hcri_random *random) {
    hcr_builder *builder = new_builder(n);
    double *origin = numbers(n);
    fill_normal(random, spread, n, origin);
    const int all = shape == SHAPE_MIXED;
    if (shape == SHAPE_BOX || all)
        add_box(builder, origin, random, 0.2, 1, !boxed);
    else if (boxed)
        add_box(builder, origin, random, 1, 3, 0);
    if (shape == SHAPE_DENSE || all)
        add_dense_rows(builder, origin, random);
    if (shape == SHAPE_SPARSE || all)
        add_sparse_rows(builder, origin, random);
    if (shape == SHAPE_STENCIL || all)
        add_differences(builder, origin, random);
    if (shape == SHAPE_BALL || all)
        add_ball(builder, origin, random);
    if (shape == SHAPE_DIAGONAL || all)
        for (size_t i = 0; i < 3; i++)
            add_diagonal(builder, origin, random);
    if (shape == SHAPE_MATRIX || all)
        for (size_t i = 0; i < 2; i++)
            add_matrix(builder, origin, random, n);
    if (shape == SHAPE_SINGULAR || all)
        add_matrix(builder, origin, random, (n + 1) / 2);
    if (shape == SHAPE_FACTOR || all)
        for (size_t i = 0; i < 3; i++)
            add_factor(builder, origin, random, i == 0 ? 1 : n + i, i == 2);
    if (shape == SHAPE_NORM || all)
        for (size_t i = 0; i < 2; i++)
            add_cone(builder, origin, random, n + i, i == 1, 0);
    if (shape == SHAPE_CONE || all)
        for (size_t i = 0; i < 3; i++)
            add_cone(builder, origin, random, i == 0 ? 1 : n + i, i == 2, 1);
    if (shape == SHAPE_LMI || all)
        for (size_t i = 0; i < 3; i++)
            add_lmi(builder, origin, random, 1 + hcri_random_below(random, 8), i == 2);
    hcr_region *region = region_around(builder, origin, boxed ? 3 : INFINITY);
    free(origin);
    return region;
}
