/* Texts with parameters: the same blocks as a builder gets by calls, and their values against plain arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "region/builder.h"
#include "scratch.h"

#define INF ((double)INFINITY)
#define POINTS 20

static hcr_builder *build(const char *text) {
    hcr_builder *builder = NULL;
    hcr_error error = {0};
    if (hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error) != HCR_OK)
        fail_msg("%s\n%d:%d: %s", text, error.line, error.column, error.text);
    return builder;
}

static void refuse(const char *text, hcr_status status, const char *says) {
    hcr_builder *builder = NULL;
    hcr_error error = {0};
    if (hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error) != status ||
        strstr(error.text, says) == NULL)
        fail_msg("%s\n%s: %s", text, hcr_status_name(error.code), error.text);
}

/* --------------------------------------------------------------------------------------- the same built by calls */

static hcr_builder *create(size_t outputs, size_t parameters, const double *lower, const double *upper) {
    hcr_builder *builder = NULL;
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_variable(builder, "y", outputs, 0, NULL), HCR_OK);
    assert_int_equal(hcr_builder_add_parameter(builder, "x", parameters, 0, lower, upper, NULL), HCR_OK);
    return builder;
}

/* The same columns, ranges, equalities, and inequalities with the same values at random points. */
static void assert_same(hcr_builder *builder, hcr_builder *expected) {
    const hcri_set *set = &builder->set, *other = &expected->set;
    assert_int_equal(set->n, other->n);
    assert_int_equal(set->outputs, other->outputs);
    assert_int_equal(builder->ranges, expected->ranges);
    for (size_t k = 0; k < builder->ranges; k++)
        assert_true(builder->range[k].lower == expected->range[k].lower &&
                    builder->range[k].upper == expected->range[k].upper);
    assert_int_equal(set->blocks, other->blocks);
    hcri_random random;
    hcri_random_seed(&random, 7);
    double point[16];
    assert_true(set->n <= 16);
    for (size_t s = 0; s < POINTS; s++) {
        for (size_t j = 0; j < set->n; j++)
            point[j] = 4 * hcri_random_uniform(&random) - 2;
        for (size_t b = 0; b < set->blocks; b++) {
            const hcri_constraint *block = set->block[b], *model = other->block[b];
            assert_string_equal(block->kind->name, model->kind->name);
            assert_int_equal(block->count, model->count);
            for (size_t i = 0; i < block->count; i++) {
                assert_int_equal(block->kind->exists(block, i), model->kind->exists(model, i));
                if (block->kind->exists(block, i))
                    assert_true(block->kind->value(block, i, point, NULL, scratch_for(block)) ==
                                model->kind->value(model, i, point, NULL, scratch_for(model)));
            }
        }
    }
    const hcri_rows *rows = &set->equalities.rows, *models = &other->equalities.rows;
    assert_int_equal(rows->count, models->count);
    for (size_t i = 0; i < rows->count; i++) {
        assert_int_equal(rows->start[i + 1], models->start[i + 1]);
        assert_true(set->equalities.right[i] == other->equalities.right[i]);
    }
    for (size_t k = 0; rows->count != 0 && k < rows->start[rows->count]; k++) {
        assert_int_equal(rows->columns[k], models->columns[k]);
        assert_true(rows->values[k] == models->values[k]);
    }
    hcr_builder_free(builder);
    hcr_builder_free(expected);
}

/* C57: bounds that depend on the sample. Columns are the outputs, then the parameters, in whatever order they are
 * declared. */
static void test_order(void **state) {
    (void)state;
    static const char *const declarations[] = {
        "var y[2], z\nparam x[2] in [[0, 1], [2, 3]], t in [-1, 1]\n",
        "param x[2] in [[0, 1], [2, 3]], t in [-1, 1]\nvar y[2], z\n",
        "var y[2]\nparam x[2] in [[0, 1], [2, 3]]\nvar z\nparam t in [-1, 1]\n",
        "param x[1 + 1] in [range(2), 2 + range(2)]\nvar y[2]\nparam t in [-1, 1]\nvar z\n",
    };
    const double lower[3] = {0, 1, -1}, upper[3] = {2, 3, 1};
    for (size_t d = 0; d < sizeof declarations / sizeof declarations[0]; d++) {
        char text[256];
        snprintf(text, sizeof text, "%sy <= x\nz >= t - 3\n-5 <= y <= 5\nz <= 4\nsum(y) + 2 * x[1] == z - t\n",
                 declarations[d]);
        hcr_builder *builder = build(text), *expected = create(3, 3, lower, upper);
        assert_int_equal(hcr_builder_dimension(builder), 3);
        assert_int_equal(hcr_builder_columns(builder), 6);
        const double rows[3][6] = {{1, 0, 0, -1, 0, 0}, {0, 1, 0, 0, -1, 0}, {0, 0, -1, 0, 0, 1}}, right[3] = {0, 0, 3},
                     low[3] = {-5, -5, -INF}, high[3] = {5, 5, 4};
        assert_int_equal(hcr_builder_add_rows(expected, 3, rows[0], NULL, right, NULL), HCR_OK);
        assert_int_equal(hcr_builder_add_bounds(expected, 0, 3, low, high, NULL), HCR_OK);
        const size_t start[2] = {0, 5};
        const uint32_t columns[5] = {0, 1, 2, 4, 5};
        const double values[5] = {1, 1, -1, 2, 1}, zero = 0;
        assert_int_equal(hcr_builder_add_equalities(expected, 1, start, columns, values, &zero, NULL), HCR_OK);
        assert_same(builder, expected);
    }
}

/* Each curved kind takes parameters as further columns. */
static void test_curved(void **state) {
    (void)state;
    const double lower[4] = {-1, -1, 1, 3}, upper[4] = {1, 1, 2, 5};
    hcr_builder *builder = build("var y[2]\nparam c[2] in [-1, 1], r in [1, 2], d in [3, 5]\nnorm(y - c) <= r\n"
                                 "sum_squares(y) + y[0] <= 4 * d\npsd([[d, y[0], 0], [y[0], r, 1], [0, 1, y[1]]])\n"
                                 "sum_squares(y - c) <= 9\n"),
                *expected = create(2, 4, lower, upper);
    const size_t start[3] = {0, 2, 4};
    const uint32_t columns[4] = {0, 2, 1, 3};
    const double values[4] = {1, -1, 1, -1}, radius[6] = {0, 0, 0, 0, 1, 0};
    const hcr_cone cone = {.rows = 2, .start = start, .columns = columns, .values = values, .linear = radius};
    assert_int_equal(hcr_builder_add_cone(expected, &cone, NULL), HCR_OK);
    const double squares[6] = {1, 1}, linear[6] = {0.5, 0, 0, 0, 0, -2};
    hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = squares, .linear = linear};
    assert_int_equal(hcr_builder_add_quadratic(expected, &quadratic, NULL), HCR_OK);
    const uint32_t outputs[4] = {0, 1, 4, 5};
    const double constant[9] = {0, 0, 0, 0, 0, 1, 0, 1, 0},
                 matrices[4][9] = {{0, 1, 0, 1}, {[8] = 1}, {[4] = 1}, {[0] = 1}};
    const hcr_lmi lmi = {.size = 3, .constant = constant, .terms = 4, .outputs = outputs, .matrices = matrices[0]};
    assert_int_equal(hcr_builder_add_lmi(expected, &lmi, NULL), HCR_OK);
    quadratic = (hcr_quadratic){.form = HCR_QUADRATIC_FACTOR,
                                .rank = 2,
                                .factor_start = start,
                                .factor_columns = columns,
                                .factor_values = values,
                                .constant = -4.5};
    assert_int_equal(hcr_builder_add_quadratic(expected, &quadratic, NULL), HCR_OK);
    assert_same(builder, expected);
}

/* Rows with products; of two that are multiples of each other the tighter bounds stay. */
static void test_varying(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var y[2]\nparam x[2] in [1, 2]\n-1 <= x @ y + y[0] - x[1] <= 3\n2 * x[1] * y[0] <= 5\nx[1] * (3 - y[1]) <= 8",
        "var y[2]\nparam x[2] in [1, 2]\nx @ y + y[0] - x[1] <= 4\nabs(y * x) @ [0, 0] <= 1\n"
        "4 * (y @ x) <= 12 - 4 * (y[0] - x[1])\nx[1] <= 1 + y[0] + dot(y, x)\n2 * (y[0] * x[1]) <= 5\n"
        "3 * x[1] - y[1] * x[1] <= 8",
        ("var y[2]\nparam x[2] in [1, 2]\nconst I = eye(2)\n-1 <= sum((x[0] * I[0, :] + x[1] * I[1, :]) * y) + y[0] - "
         "x[1] <= 3\n2 * [x[1] * y[0] for i in range(1)] <= 5\nmax(-x[1] * y[1] + 3 * x[1]) <= 8"),
    };
    const double lower[2] = {1, 1}, upper[2] = {2, 2};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        const size_t start[4] = {0, 2, 2, 3}, product_start[4] = {0, 2, 3, 4};
        const uint32_t columns[3] = {0, 3, 3}, product_outputs[4] = {0, 1, 0, 1}, product_parameters[4] = {0, 1, 1, 1};
        const double values[3] = {1, -1, 3}, product_values[4] = {1, 1, 2, -1}, low[3] = {-1, -INF, -INF},
                     high[3] = {3, 5, 8};
        const hcr_varying_rows varying = {.rows = 3,
                                          .start = start,
                                          .columns = columns,
                                          .values = values,
                                          .product_start = product_start,
                                          .product_outputs = product_outputs,
                                          .product_parameters = product_parameters,
                                          .product_values = product_values,
                                          .lower = low,
                                          .upper = high};
        hcr_builder *builder = build(texts[t]), *expected = create(2, 2, lower, upper);
        assert_int_equal(hcr_builder_add_varying_rows(expected, &varying, NULL), HCR_OK);
        if (t == 0) { /* each side has its line */
            const hcri_constraint *block = builder->set.block[2];
            assert_int_equal(builder->set.place[block->source[0]].line, 3);
            assert_int_equal(builder->set.place[block->source[2]].line, 4);
            assert_int_equal(builder->set.place[block->source[4]].line, 5);
        }
        if (t == 1) {
            const hcri_constraint *block = builder->set.block[2];
            assert_int_equal(builder->set.place[block->source[0]].line, 5);
            assert_int_equal(builder->set.place[block->source[1]].line, 6);
        }
        assert_same(builder, expected);
    }
}

/* ------------------------------------------------------------------------------------------------ plain arithmetic */

typedef struct form { /* of y[2] or x[3] */
    double constant, coefficient[3];
} form;

static double random_number(hcri_random *random) { return (double)hcri_random_below(random, 33) / 8 - 2; }

static form random_form(hcri_random *random, size_t count) {
    form f = {random_number(random), {0}};
    for (size_t k = 0; k < count; k++)
        f.coefficient[k] = hcri_random_below(random, 2) ? random_number(random) : 0;
    return f;
}

static void print_form(char *text, size_t capacity, const form *f, const char *name, size_t count) {
    size_t used = (size_t)snprintf(text, capacity, "(%g", f->constant);
    for (size_t k = 0; k < count; k++)
        used += (size_t)snprintf(text + used, capacity - used, " + %g * %s[%zu]", f->coefficient[k], name, k);
    snprintf(text + used, capacity - used, ")");
}

/* $1 to $4 in `spelling` are the forms: the positions of printf's arguments, %1$s, are POSIX's alone. */
static void write_in(char *text, size_t capacity, const char *spelling, char printed[4][128]) {
    size_t used = 0;
    for (const char *c = spelling; *c != 0 && used < capacity; c++)
        if (*c == '$')
            used += (size_t)snprintf(text + used, capacity - used, "%s", printed[*++c - '1']);
        else
            used += (size_t)snprintf(text + used, capacity - used, "%c", *c);
}

static double value_of(const form *f, const double *at, size_t count) {
    double value = f->constant;
    for (size_t k = 0; k < count; k++)
        value += f->coefficient[k] * at[k];
    return value;
}

/* Σ (affine in x)·(affine in y) <= bound, in several spellings: the value of what it becomes is the sum's less the
 * bound. Numbers are multiples of 1/8 up to 2 in size and points too, so that floating point makes no error at all, but
 * for rows that are kept as multiples: there is one inequality, which is no multiple of another. */
static void test_random_products(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 11);
    size_t varying = 0;
    for (size_t round = 0; round < 400; round++) {
        form x[2], y[2];
        char printed[4][128], text[1024];
        for (size_t k = 0; k < 2; k++) {
            x[k] = random_form(&random, 3);
            y[k] = random_form(&random, 2);
            print_form(printed[k], sizeof printed[k], &x[k], "x", 3);
            print_form(printed[2 + k], sizeof printed[2 + k], &y[k], "y", 2);
        }
        y[0].coefficient[0] = x[0].coefficient[0] = 1.5; /* there are outputs, and there is a product */
        print_form(printed[0], sizeof printed[0], &x[0], "x", 3);
        print_form(printed[2], sizeof printed[2], &y[0], "y", 2);
        static const char *const spellings[] = {
            "$1 * $3 + $4 * $2",          "dot([$1, $2], [$3, $4])",       "[$3, $4] @ [$1, $2]",
            "sum([[$3, $4]] * [$1, $2])", "-([[-$1, -$2]] @ [$3, $4])[0]", "max([$1 * $3 + $4 * $2, -inf])"};
        char left[800];
        write_in(left, sizeof left, spellings[round % 6], printed);
        snprintf(text, sizeof text, "var y[2]\nparam x[3] in [-2, 2]\n%s <= 50", left);
        hcr_builder *builder = build(text);
        for (size_t s = 0; s < POINTS; s++) {
            double point[5];
            for (size_t j = 0; j < 5; j++)
                point[j] = random_number(&random);
            double expected = -50;
            for (size_t k = 0; k < 2; k++)
                expected += value_of(&x[k], point + 2, 3) * value_of(&y[k], point, 2);
            size_t found = 0;
            for (size_t b = 0; b < builder->set.blocks; b++) {
                const hcri_constraint *block = builder->set.block[b];
                for (size_t i = 0; i < block->count; i++) {
                    if (!block->kind->exists(block, i) || (b == 0 && i >= 4)) /* the ranges */
                        continue;
                    found++;
                    varying += block->kind->id == HCRI_KIND_VARYING;
                    assert_true(block->kind->value(block, i, point, NULL, scratch_for(block)) == expected);
                }
            }
            assert_int_equal(found, 1);
        }
        hcr_builder_free(builder);
    }
    assert_true(varying > 300 * POINTS);
}

/* Expressions with parameters have the values that the functions have. */
static void test_expression(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[2]\nparam c[2] in [-1, 1], d in [1, 4]\nlog_sum_exp(y + c) + huber(y[0]) <= d");
    assert_int_equal(builder->set.blocks, 3);
    const hcri_constraint *block = builder->set.block[2];
    assert_int_equal(block->kind->id, HCRI_KIND_EXPRESSION);
    const double point[5] = {0.5, -0.25, 0.75, -1, 2};
    const double expected = log(exp(1.25) + exp(-1.25)) + 0.25 - 2;
    assert_true(fabs(block->kind->value(block, 0, point, NULL, scratch_for(block)) - expected) <
                1e-14); /* some roundings of 2 */
    hcr_builder_free(builder);
}

/* ------------------------------------------------------------------------------------------- ranges and the origin */

/* Ends that no float meets move outwards; others stay. */
static void test_ranges(void **state) {
    (void)state;
    hcr_builder *builder = build("param a in [0.1, 0.7], b[2] in [-0.5, [3, 0.3]]\nvar y\ny <= a");
    assert_int_equal(builder->ranges, 3);
    assert_true(builder->range[0].lower <= 0.1 && builder->range[0].lower > 0.1 - 1e-8);
    assert_true(builder->range[0].upper >= 0.7 && builder->range[0].upper < 0.7 + 1e-7);
    assert_true((double)(float)builder->range[0].lower == builder->range[0].lower);
    assert_true(builder->range[1].lower == -0.5 && builder->range[1].upper == 3);
    assert_int_equal(builder->set.place[builder->range[2].place].line, 1);
    hcr_builder_free(builder);
}

/* What parameters alone say is dropped where it holds for the whole range. */
static void test_parameters_alone(void **state) {
    (void)state;
    hcr_builder *builder =
        build("var y\nparam x[2] in [0, 1], t in [2, 3]\nx <= 1\nx[0] + x[1] <= t\nmax(x[0], y) <= 1\n"
              "y <= sqrt(t)\n0 * y + x[0] <= 1\n");
    assert_int_equal(builder->set.linear->rows.count, 0);
    assert_true(builder->set.box->upper[0] == 1);
    hcr_builder_free(builder);
}

static void test_origin(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[3]\nparam x[2] in [0, 1]\norigin = [1 + 2 * x[1], x[0] - x[1], 5]");
    const double rows[9] = {1, 0, 5, 0, 1, 0, 2, -1, 0};
    assert_int_equal(builder->origin, HCR_ORIGIN_GIVEN);
    assert_int_equal(builder->point_count, 3);
    assert_memory_equal(builder->points, rows, sizeof rows);
    hcr_builder_free(builder);
    builder = build("var y[2]\nparam x[2] in [0, 1]\norigin = 3");
    assert_int_equal(builder->point_count, 1);
    assert_true(builder->points[0] == 3 && builder->points[1] == 3);
    hcr_builder_free(builder);
    builder = build("var y[2]\nparam x in [0, 1]\norigin = 2 * x");
    assert_int_equal(builder->point_count, 2);
    assert_true(builder->points[0] == 0 && builder->points[2] == 2 && builder->points[3] == 2);
    hcr_builder_free(builder);
}

/* A value that the caller gives is a constant's. */
static void test_given(void **state) {
    (void)state;
    const double value = 0.5;
    const hcr_constant given = {"t", 0, 0, &value};
    const char *text = "var y\nparam t in [0, 1]\ny <= t";
    hcr_builder *builder = NULL;
    hcr_error error = {0};
    assert_int_equal(hcr_text_build(text, strlen(text), "t", NULL, 1, &given, NULL, &builder, &error), HCR_ERROR_NAME);
    assert_non_null(strstr(error.text, "which is a parameter: its values come with the samples"));
}

/* Norms, squares and quotients with products are cones in which the same points are, in squares or roots. */
static void test_cones(void **state) {
    (void)state;
    static const char *const lines[] = {"norm(x * y) <= 2",
                                        "2 * norm(x * y + 1) + x[0] * y[1] <= 3 - x[1]",
                                        "sum_squares(x * y) <= 0.3",
                                        "3 * sum_squares(y) + x[0] * y[0] <= 0.7",
                                        "quad_over_lin(x * y, y[0] + 4) <= 1 + x[1] * y[1]",
                                        "square(x[0] * y[0]) <= 3"};
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        char text[256];
        size_t held = 0;
        snprintf(text, sizeof text, "var y[2]\nparam x[2] in [-1, 1]\n%s", lines[k]);
        hcr_builder *builder = build(text);
        const int is_rows = k == 5;
        for (size_t b = 2; b < builder->set.blocks; b++)
            assert_int_equal(builder->set.block[b]->kind->id,
                             is_rows || (k == 4 && b > 2) ? HCRI_KIND_VARYING : HCRI_KIND_VARYING_CONE);
        assert_int_equal(builder->set.blocks, 3);
        for (size_t s = 0; s < POINTS; s++) {
            double p[4], c = -INFINITY;
            for (size_t j = 0; j < 4; j++)
                p[j] = (s % 2 == 0 ? 3 : 0.8) * (hcri_random_uniform(&random) - 0.5);
            const double *y = p, *x = p + 2, a = x[0] * y[0], b = x[1] * y[1];
            const double wanted[] = {hypot(a, b) - 2,
                                     2 * hypot(a + 1, b + 1) + x[0] * y[1] - 3 + x[1],
                                     a * a + b * b - 0.3,
                                     3 * (y[0] * y[0] + y[1] * y[1]) + x[0] * y[0] - 0.7,
                                     (a * a + b * b) / (y[0] + 4) - 1 - b,
                                     a * a - 3};
            const hcri_constraint *block = builder->set.block[2];
            for (size_t i = 0; i < block->count; i++)
                if (block->kind->exists(block, i))
                    c = fmax(c, block->kind->value(block, i, p, NULL, scratch_for(block)));
            if (fabs(wanted[k]) > 1e-12)
                assert_int_equal(c > 0, wanted[k] > 0);
            held += c <= 0;
        }
        assert_true(held > 0);
        hcr_builder_free(builder);
    }
}

/* Products that become no rows or cones are refused, wherever they stand; without parameters the messages are as ever.
 */
static void test_refusals(void **state) {
    (void)state;
    static const char head[] = "var y[30]\nparam x[30] in [1, 2]\n";
    static const char *const lines[] = {"exp(x[0] * y[0]) <= 3",
                                        "norm(x * y) + norm(y) <= 3",
                                        "sum_squares(x * y) + sum_squares(y) <= 3",
                                        "quad_form(x[:2] * y[:2], eye(2)) <= 3",
                                        "log_sum_exp(x * y) <= 3",
                                        "log_sum_exp(y) + x[0] * y[0] <= 3",
                                        "lambda_max([[x[0] * y[0]]]) <= 3",
                                        "norm([max(x * y), 1]) <= 3",
                                        "norm(x * y, 1) <= 3" /* 2^30 combinations */,
                                        "geo_mean(x * y + 3) >= 1",
                                        "(x * y) ** 3 <= 1",
                                        "entropy(x[0] * y[0]) >= 0",
                                        "x[0] * y[0] << 3 * eye(1)"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", head, lines[i]);
        refuse(text, strstr(lines[i], "<<") == NULL ? HCR_ERROR_CONVEXITY : HCR_ERROR_SHAPE, "");
    }
    refuse("var y[2]\ny[0] * y[1] <= 1", HCR_ERROR_CONVEXITY, "can stand between \"star:\" and \"end\"");
    refuse("var y[2]\nparam x in [0, 1]\ny[0] * y[1] <= x", HCR_ERROR_CONVEXITY,
           "can stand between \"star:\" and \"end\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_curved),
        cmocka_unit_test(test_varying),
        cmocka_unit_test(test_random_products),
        cmocka_unit_test(test_expression),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_parameters_alone),
        cmocka_unit_test(test_origin),
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_cones),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
