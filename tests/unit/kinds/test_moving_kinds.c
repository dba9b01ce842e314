/* Quadratics, cones and matrix inequalities where origins move: gauges are those that `interval` finds from the same
 * origin, a sample's bits are its own, and what the margin leaves is inside in extended precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "kernels/kernels.h"
#include "kinds/block.h"
#include "kinds/cone/cone.h"
#include "kinds/lmi/lmi.h"
#include "kinds/parametric_rows.h"
#include "kinds/quadratic/quadratic.h"
#include "scratch.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

typedef enum block_kind { BALL, DIAGONAL, DENSE, FACTOR, CONE, AXIS, LMI, KINDS } block_kind;

enum { MOST = 40, SIZE = 4, SAMPLES = 37 };

typedef struct moving_case {
    block_kind kind;
    hcri_origin_map origin_map;
    double constant[MOST], lower[MOST], upper[MOST];
    hcri_constraint *block;
} moving_case;

static size_t columns_of(const moving_case *c) { return c->origin_map.outputs + c->origin_map.parameters; }

static void draw(hcri_random *random, double scale, size_t count, double *x) {
    for (size_t k = 0; k < count; k++)
        x[k] = scale * hcri_random_normal(random);
}

/* still: O doesn't depend on x. */
static void draw_origin_map(moving_case *c, size_t n, size_t p, int still, hcri_random *random) {
    c->origin_map =
        (hcri_origin_map){.outputs = n, .parameters = p, .constant = c->constant, .lower = c->lower, .upper = c->upper};
    draw(random, 0.1, n, c->constant);
    for (size_t j = 0; j < n; j++) {
        double row[MOST];
        draw(random, still ? 0 : 0.3 / sqrt((double)(n * p)), p, row);
        assert_int_equal(hcri_rows_append_dense(&c->origin_map.map, memory, p, row, NULL), HCR_OK);
    }
    for (size_t k = 0; k < p; k++) {
        c->lower[k] = -hcri_random_uniform(random);
        c->upper[k] = hcri_random_uniform(random);
    }
}

/* `count` rows over all columns whose norm is about 1, in the parameters about `share` of that. */
static hcri_rows draw_rows(const moving_case *c, size_t count, double share, hcri_random *random) {
    const size_t n = c->origin_map.outputs, p = c->origin_map.parameters;
    hcri_rows rows = {0};
    for (size_t i = 0; i < count; i++) {
        double row[MOST];
        draw(random, 1 / sqrt((double)n), n, row);
        draw(random, share / sqrt((double)(p * count)), p, row + n);
        assert_int_equal(hcri_rows_append_dense(&rows, memory, n + p, row, NULL), HCR_OK);
    }
    return rows;
}

static hcri_constraint *make_quadratic(const moving_case *c, hcri_random *random) {
    const size_t n = c->origin_map.outputs, width = columns_of(c);
    static double matrix[MOST * MOST];
    double linear[MOST], shift[MOST];
    memset(matrix, 0, sizeof matrix);
    draw(random, 0.1 / sqrt((double)width), width, linear);
    draw(random, 0.1 / sqrt((double)width), width, shift);
    hcri_rows factor = draw_rows(c, n, 0.3, random);
    hcri_quadratic_parts parts = {.matrix = matrix, .shift = shift, .linear = linear, .constant = -0.5, .radius = 1.5};
    parts.form = c->kind == FACTOR ? HCRI_FACTOR : c->kind == DENSE ? HCRI_DENSE : HCRI_DIAGONAL;
    for (size_t j = 0; j < n && c->kind == BALL; j++)
        matrix[j] = 1;
    for (size_t j = 0; j < width && c->kind == DIAGONAL; j++)
        matrix[j] = (j < n ? 1 : 0.1) * hcri_random_uniform(random);
    for (size_t i = 0; i < n && c->kind == DENSE; i++) /* F'F */
        for (size_t a = factor.start[i]; a < factor.start[i + 1]; a++)
            for (size_t b = factor.start[i]; b < factor.start[i + 1]; b++)
                matrix[factor.columns[a] * width + factor.columns[b]] += factor.values[a] * factor.values[b];
    if (c->kind == FACTOR) {
        parts.factor = &factor;
        parts.matrix = NULL;
    }
    hcri_constraint *made = NULL;
    assert_int_equal(hcri_quadratic_create(width, memory, &parts, &made, NULL), HCR_OK);
    hcri_rows_release(&factor, memory);
    return made;
}

/* AXIS: |y − O(x)| <= 2 + c·x, w0 being 0 at every origin. */
static hcri_constraint *make_cone(const moving_case *c, hcri_random *random) {
    const size_t n = c->origin_map.outputs, width = columns_of(c);
    double linear[MOST], shift[MOST] = {0};
    hcri_rows rows = {0};
    draw(random, 0.2 / sqrt((double)width), width, linear);
    if (c->kind == AXIS) {
        memset(linear, 0, n * sizeof *linear);
        for (size_t i = 0; i < n; i++) {
            double row[MOST] = {0};
            row[i] = 1;
            shift[i] = -c->constant[i];
            for (size_t k = c->origin_map.map.start[i]; k < c->origin_map.map.start[i + 1]; k++)
                row[n + c->origin_map.map.columns[k]] = -c->origin_map.map.values[k];
            assert_int_equal(hcri_rows_append_dense(&rows, memory, width, row, NULL), HCR_OK);
        }
    } else {
        rows = draw_rows(c, n + 3, 0.3, random);
        draw(random, 0.05, n + 3, shift);
    }
    hcri_constraint *made = NULL;
    assert_int_equal(hcri_cone_create(width, memory, &rows, shift, linear, 2, &made, NULL), HCR_OK);
    hcri_rows_release(&rows, memory);
    return made;
}

static hcri_constraint *make_lmi(const moving_case *c, hcri_random *random) {
    double constant[HCRI_PACKED(SIZE, 0)];
    hcri_rows terms = draw_rows(c, HCRI_PACKED(SIZE, 0), 0.3, random);
    draw(random, 0.1, HCRI_PACKED(SIZE, 0), constant);
    for (size_t a = 0; a < SIZE; a++)
        constant[HCRI_PACKED(a, a)] += 3;
    hcri_constraint *made = NULL;
    assert_int_equal(hcri_lmi_create(columns_of(c), memory, SIZE, constant, &terms, &made, NULL), HCR_OK);
    hcri_rows_release(&terms, memory);
    return made;
}

static void origin_at(const moving_case *c, const double *x, double *point) {
    for (size_t j = 0; j < c->origin_map.outputs; j++)
        point[j] = c->constant[j] + hcri_rows_dot(&c->origin_map.map, j, x, NULL);
    memcpy(point + c->origin_map.outputs, x, c->origin_map.parameters * sizeof *x);
}

/* Within the range, at its ends half of the time. */
static void draw_origin(const moving_case *c, hcri_random *random, double *point) {
    double x[MOST];
    for (size_t k = 0; k < c->origin_map.parameters; k++) {
        const double share = hcri_random_uniform(random);
        x[k] = share < 0.25  ? c->lower[k]
               : share < 0.5 ? c->upper[k]
                             : c->lower[k] + (2 * share - 1) * (c->upper[k] - c->lower[k]);
        x[k] = fmin(x[k], c->upper[k]);
    }
    origin_at(c, x, point);
}

static moving_case *draw_case(block_kind kind, size_t n, size_t p, int still, hcri_random *random) {
    moving_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->kind = kind;
    draw_origin_map(c, n, p, still, random);
    c->block = kind == LMI ? make_lmi(c, random) : kind >= CONE ? make_cone(c, random) : make_quadratic(c, random);
    c->block->first = 9;
    double middle[MOST], point[MOST];
    for (size_t k = 0; k < p; k++)
        middle[k] = hcri_origin_map_middle(&c->origin_map, k);
    origin_at(c, middle, point);
    assert_int_equal(c->block->kind->place(c->block, point, NULL), HCR_OK);
    assert_int_equal(c->block->kind->follow(c->block, &c->origin_map, NULL), HCR_OK);
    assert_true(hcri_block_reads_outputs_alone(c->block) && hcri_block_takes_parameters(c->block));
    return c;
}

static void free_case(moving_case *c) {
    hcri_block_release(c->block);
    hcri_rows_release(&c->origin_map.map, memory);
    free(c);
}

/* ---------------------------------------------------------------------------------------------------------- gauges */

typedef void each_case(const moving_case *c, hcri_random *random);

static void for_each_case(uint64_t seed, each_case *run) {
    static const size_t sizes[][2] = {{1, 1}, {2, 3}, {5, 1}, {12, 4}, {33, 5}, {9, 20}};
    hcri_random random;
    hcri_random_seed(&random, seed);
    for (block_kind kind = BALL; kind < KINDS; kind++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            for (int still = 0; still < 2; still++) {
                moving_case *c = draw_case(kind, sizes[k][0], sizes[k][1], still, &random);
                run(c, &random);
                free_case(c);
            }
}

static void check_gauges(const moving_case *c, hcri_random *random) {
    const size_t n = c->origin_map.outputs, width = columns_of(c), stride = n + 1;
    static double origins[SAMPLES * MOST], v[SAMPLES * MOST];
    double best[SAMPLES] = {0}, expected[SAMPLES] = {0}, blank[SAMPLES] = {0};
    uint32_t active_constraint[SAMPLES];
    for (size_t s = 0; s < SAMPLES; s++) {
        double direction[MOST] = {0};
        draw_origin(c, random, origins + s * width);
        draw(random, s % 9 == 7 ? 1e-90 : s % 9 == 8 ? 1e90 : 1, n, direction);
        memcpy(v + s * stride, direction, n * sizeof *v);
        v[s * stride + n] = NAN; /* nobody's */
        active_constraint[s] = HCRI_NO_CONSTRAINT;
        hcri_block_gauge_from(c->block, &(hcri_batch){1, width, direction, origins + s * width, &expected[s], NULL},
                              scratch_for(c->block));
    }
    batch_gauge_from(c->block, SAMPLES, origins, v, stride, best, active_constraint, scratch_for(c->block));
    batch_gauge_from(c->block, SAMPLES, origins, v, stride, blank, NULL, scratch_for(c->block));
    assert_memory_equal(best, blank, sizeof best);
    for (size_t s = 0; s < SAMPLES; s++) {
        double alone = 0;
        assert_true(fabs(best[s] - expected[s]) <= 1e-10 * expected[s]); /* of `interval` for matrices: 1e-12 or so */
        assert_int_equal(active_constraint[s], best[s] > 0 ? 9 : HCRI_NO_CONSTRAINT);
        batch_gauge_from(c->block, 1, origins + s * width, v + s * stride, stride, &alone, NULL, scratch_for(c->block));
        assert_true(alone == best[s]);
        alone = 1.5 * best[s];
        batch_gauge_from(c->block, 1, origins + s * width, v + s * stride, stride, &alone, NULL, scratch_for(c->block));
        assert_true(alone == 1.5 * best[s]);
    }
}

static void test_gauges(void **state) {
    (void)state;
    for_each_case(51, check_gauges);
}

/* Far from every origin of the range c is positive: no ray begins there. */
static void check_outside(const moving_case *c, hcri_random *random) {
    const size_t n = c->origin_map.outputs, width = columns_of(c);
    double point[MOST], v[MOST] = {1}, best = 0;
    draw_origin(c, random, point);
    for (size_t k = n; k < width; k++)
        point[k] = 1e4 * hcri_random_normal(random);
    origin_at(c, point + n, point);
    const double value = c->block->kind->value(c->block, 0, point, NULL, scratch_for(c->block));
    batch_gauge_from(c->block, 1, point, v, width, &best, NULL, scratch_for(c->block));
    assert_true(value <= 0 || isinf(best));
}

static void test_outside(void **state) {
    (void)state;
    for_each_case(52, check_outside);
}

/* --------------------------------------------------------------------------------------------------------- margins */

static long double quadratic_value(const hcri_quadratic *q, const double *y) {
    const size_t n = q->base.n;
    long double total = (long double)q->constant - 0.5L * (long double)q->radius * (long double)q->radius;
    for (size_t j = 0; j < n; j++)
        total += (long double)q->linear[j] * (long double)y[j];
    for (size_t i = 0; i < (q->form == HCRI_FACTOR ? q->factor.count : n); i++) {
        const long double x = q->form == HCRI_FACTOR ? 0 : (long double)y[i] - (long double)q->shift[i];
        long double row = q->form == HCRI_FACTOR ? -(long double)q->shift[i] : 0;
        if (q->form == HCRI_FACTOR) {
            for (size_t k = q->factor.start[i]; k < q->factor.start[i + 1]; k++)
                row += (long double)q->factor.values[k] * (long double)y[q->factor.columns[k]];
            total += 0.5L * row * row;
            continue;
        }
        if (q->form == HCRI_DIAGONAL)
            row = (long double)q->matrix[i] * x;
        for (size_t j = 0; j < n && q->form == HCRI_DENSE; j++)
            row += (long double)q->matrix[i * n + j] * ((long double)y[j] - (long double)q->shift[j]);
        total += 0.5L * row * x;
    }
    return total;
}

static long double cone_value(const hcri_cone *cone, const double *y) {
    long double squares = 0, right = (long double)cone->constant;
    for (size_t j = 0; j < cone->base.n; j++)
        right += (long double)cone->linear[j] * (long double)y[j];
    for (size_t i = 0; i < cone->rows.count; i++) {
        long double row = (long double)cone->shift[i];
        for (size_t k = cone->rows.start[i]; k < cone->rows.start[i + 1]; k++)
            row += (long double)cone->rows.values[k] * (long double)y[cone->rows.columns[k]];
        squares += row * row;
    }
    return sqrtl(squares) - right;
}

/* Less than 0 when F(y) has a Cholesky factorisation. */
static long double lmi_value(const hcri_lmi *lmi, const double *y) {
    long double f[HCRI_PACKED(SIZE, 0)];
    for (size_t e = 0; e < HCRI_PACKED(SIZE, 0); e++) {
        f[e] = (long double)lmi->constant[e];
        for (size_t k = lmi->terms.start[e]; k < lmi->terms.start[e + 1]; k++)
            f[e] += (long double)lmi->terms.values[k] * (long double)y[lmi->terms.columns[k]];
    }
    for (size_t a = 0; a < SIZE; a++)
        for (size_t b = 0; b <= a; b++) {
            for (size_t k = 0; k < b; k++)
                f[HCRI_PACKED(a, b)] -= f[HCRI_PACKED(a, k)] * f[HCRI_PACKED(b, k)];
            if (b < a)
                f[HCRI_PACKED(a, b)] /= f[HCRI_PACKED(b, b)];
            else if (f[HCRI_PACKED(a, a)] <= 0)
                return 1;
            else
                f[HCRI_PACKED(a, a)] = sqrtl(f[HCRI_PACKED(a, a)]);
        }
    return -1;
}

static long double value_of(const moving_case *c, const double *y) {
    return c->kind == LMI    ? lmi_value((const hcri_lmi *)c->block, y)
           : c->kind >= CONE ? cone_value((const hcri_cone *)c->block, y)
                             : quadratic_value((const hcri_quadratic *)c->block, y);
}

/* Points at up to a distance of 4 from the origin count as the region. */
static void check_margins(const moving_case *c, hcri_random *random) {
    static const double far = 4;
    const size_t n = c->origin_map.outputs, width = columns_of(c);
    double size[MOST], reach[MOST];
    for (size_t j = 0; j < width; j++) {
        double least = j < n ? 0 : c->lower[j - n], most = j < n ? 0 : c->upper[j - n];
        if (j < n)
            hcri_origin_map_extremes(&c->origin_map, j, &least, &most);
        size[j] = fmax(fabs(least), fabs(most));
        reach[j] = j < n ? far : 0;
    }
    const hcri_extent extent = {size, reach, &c->origin_map, far, NULL, 0};
    for (int single = 0; single < 2; single++) {
        const double margin =
            c->block->kind->margin(c->block, single ? 0x1p-24 : 0x1p-53, &extent, scratch_for(c->block));
        assert_true(margin > 0 && margin < (single ? 1e-3 : 1e-11));
        for (size_t s = 0; s < 200; s++) {
            double point[MOST], v[MOST], gauge = 1e-300, y[MOST];
            draw_origin(c, random, point);
            draw(random, 1, n, v);
            batch_gauge_from(c->block, 1, point, v, width, &gauge, NULL, scratch_for(c->block));
            const double t = (1 - margin) / gauge;
            double squares = 0;
            for (size_t j = 0; j < n; j++)
                squares += t * v[j] * t * v[j];
            if (!(squares < far * far))
                continue;
            for (size_t j = 0; j < width; j++) {
                y[j] = j < n ? point[j] + t * v[j] : point[j];
                y[j] = single && j < n ? (double)(float)y[j] : y[j];
            }
            assert_true(value_of(c, y) < 0);
        }
    }
}

static void test_margins(void **state) {
    (void)state;
    for_each_case(53, check_margins);
}

/* With a range that leaves the region there is none. */
static void check_no_margin(const moving_case *c, hcri_random *random) {
    (void)random;
    const size_t n = c->origin_map.outputs, p = c->origin_map.parameters, width = columns_of(c);
    double size[MOST], reach[MOST] = {0}, x[MOST], point[MOST];
    const double shift = 1e3;
    moving_case wide = *c;
    for (size_t k = 0; k < p; k++) {
        wide.lower[k] -= shift;
        wide.upper[k] += shift;
        x[k] = wide.upper[k];
    }
    wide.origin_map.constant = wide.constant;
    wide.origin_map.lower = wide.lower;
    wide.origin_map.upper = wide.upper;
    for (size_t j = 0; j < width; j++)
        size[j] = 1e4;
    hcri_bytes bytes = {.allocator = memory};
    assert_int_equal(hcri_block_write(c->block, &bytes), HCR_OK);
    hcri_source in = {.data = bytes.data, .size = bytes.size};
    assert_int_equal(hcri_block_read(c->block->kind, &in, width, memory, &wide.block, NULL), HCR_OK);
    hcri_release(memory, bytes.data);
    for (size_t k = 0; k < p; k++)
        point[k] = hcri_origin_map_middle(&wide.origin_map, k);
    double middle[MOST];
    origin_at(&wide, point, middle);
    assert_int_equal(wide.block->kind->place(wide.block, middle, NULL), HCR_OK);
    assert_int_equal(wide.block->kind->follow(wide.block, &wide.origin_map, NULL), HCR_OK);
    origin_at(&wide, x, point);
    const int leaves = wide.block->kind->value(wide.block, 0, point, NULL, scratch_for(wide.block)) > 0;
    const hcri_extent extent = {size, reach, &wide.origin_map, 0, NULL, 0};
    const double margin = wide.block->kind->margin(wide.block, 0x1p-53, &extent, scratch_for(wide.block));
    assert_true(!leaves || !(margin < 1));
    assert_true(n > 0);
    hcri_block_release(wide.block);
}

static void test_no_margin(void **state) {
    (void)state;
    for_each_case(54, check_no_margin);
}

/* What cancels at O(x) leaves no entry: a norm around its moving centre. */
static void test_rows(void **state) {
    (void)state;
    HCRI_SCRATCH(scratch, memory);
    hcri_random random;
    hcri_random_seed(&random, 55);
    moving_case *c = draw_case(CONE, 6, 4, 0, &random);
    hcri_rows rows = {0};
    double add[6];
    for (size_t i = 0; i < 6; i++) {
        double row[10] = {0};
        row[i] = 1;
        for (size_t k = c->origin_map.map.start[i]; k < c->origin_map.map.start[i + 1]; k++)
            row[6 + c->origin_map.map.columns[k]] = -c->origin_map.map.values[k];
        add[i] = c->constant[i];
        assert_int_equal(hcri_rows_append_dense(&rows, memory, 10, row, NULL), HCR_OK);
    }
    hcri_moving_rows made;
    assert_int_equal(hcri_moving_rows_make(&rows, NULL, add, -1, &c->origin_map, scratch, &made, NULL), HCR_OK);
    assert_true(made.is_still && made.is_zero);
    assert_int_equal(made.slope.start[6], 6);
    assert_int_equal(hcri_moving_rows_make(&rows, NULL, add, 1, &c->origin_map, scratch, &made, NULL), HCR_OK);
    assert_true(made.is_still && !made.is_zero);
    hcri_rows_release(&rows, memory);
    rows = draw_rows(c, 20, 1, &random);
    assert_int_equal(hcri_moving_rows_make(&rows, NULL, NULL, 0, &c->origin_map, scratch, &made, NULL), HCR_OK);
    const hcri_extent extent = {c->constant, c->constant, &c->origin_map, 1, NULL, 0};
    for (size_t s = 0; s < 100; s++) {
        double point[MOST], at[20 + HCRI_PANEL];
        draw_origin(c, &random, point);
        hcri_moving_rows_at(&made, 1, (hcri_samples){point + 6, 10}, at, 20);
        for (size_t i = 0; i < 20; i++) {
            const hcri_row_range range = hcri_moving_row_range(&made, i, &extent);
            const double exact = hcri_rows_dot_minus(&rows, i, point, 0);
            assert_true(fabs(at[i] - exact) <= range.error && range.error < 1e-14);
            assert_true(fabs(hcri_moving_row_at(&made, i, point + 6) - exact) <= range.error);
            assert_true(fabs(exact - range.middle) <= range.spread);
        }
    }
    hcri_rows_release(&rows, memory);
    free_case(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gauges), cmocka_unit_test(test_outside),
                                       cmocka_unit_test(test_margins), cmocka_unit_test(test_no_margin),
                                       cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
