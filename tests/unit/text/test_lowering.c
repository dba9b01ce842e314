#define _POSIX_C_SOURCE 200809L
/* Right texts, and the blocks that they become. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "posix_on_windows.h"
#include "region/builder.h"

#define INF ((double)INFINITY)

static hcr_builder *build(const char *text) {
    hcr_builder *builder = NULL;
    hcr_error error = {0};
    if (hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error) != HCR_OK)
        fail_msg("%s\n%d:%d: %s", text, error.line, error.column, error.text);
    return builder;
}

static size_t row_count(const hcr_builder *builder) {
    return builder->set.linear == NULL ? 0 : builder->set.linear->rows.count;
}

static size_t quadratic_count(const hcr_builder *builder) {
    return builder->set.blocks < 2 ? 0 : builder->set.blocks - 2;
}

static void assert_bounds(const hcr_builder *builder, size_t j, double lower, double upper) {
    assert_true(builder->set.box->lower[j] == lower);
    assert_true(builder->set.box->upper[j] == upper);
}

/* Row i is lower <= Σ values · y <= upper with a value for each output. */
static void assert_row(const hcr_builder *builder, size_t i, const double *values, double lower, double upper) {
    const hcri_linear *linear = builder->set.linear;
    assert_true(i < linear->rows.count);
    double *row = calloc(builder->set.n, sizeof *row);
    assert_non_null(row);
    for (size_t k = linear->rows.start[i]; k < linear->rows.start[i + 1]; k++)
        row[linear->rows.columns[k]] = linear->rows.values[k];
    for (size_t j = 0; j < builder->set.n; j++)
        assert_true(row[j] == values[j]);
    free(row);
    assert_true(linear->lower[i] == lower && linear->upper[i] == upper);
}

static const hcri_quadratic *quadratic(const hcr_builder *builder, size_t i) {
    assert_true(i < quadratic_count(builder));
    return (const hcri_quadratic *)builder->set.block[2 + i];
}

static void test_design_example(void **state) {
    (void)state;
    hcr_builder *builder = build("# Hourly load, two days ahead\r\n"
                                 "var load[48]                          # the outputs\r\n"
                                 "const dmax = 12.5\r\n"
                                 "const load_usual = 400 * ones(48)\r\n"
                                 "const A = [range(48), 2 * range(48) + 1]\r\n"
                                 "\r\n"
                                 "0 <= load <= 900\r\n"
                                 "abs(load[1:] - load[:-1]) <= dmax\r\n"
                                 "norm(load - load_usual, 2) <= 40\r\n"
                                 "A @ load <= 1\r\n");
    for (size_t j = 0; j < 48; j++)
        assert_bounds(builder, j, 0, 900);
    assert_int_equal(row_count(builder), 47 + 2);
    for (size_t i = 0; i < 47; i++) {
        double row[48] = {0};
        row[i] = -1;
        row[i + 1] = 1;
        assert_row(builder, i, row, -12.5, 12.5);
    }
    double first[48], second[48];
    for (size_t j = 0; j < 48; j++) {
        first[j] = (double)j;
        second[j] = 2 * (double)j + 1;
    }
    assert_row(builder, 47, first, -INF, 1);
    assert_row(builder, 48, second, -INF, 1);
    const hcri_quadratic *ball = quadratic(builder, 0);
    assert_int_equal(ball->form, HCRI_DIAGONAL);
    assert_true(ball->radius == 40 && ball->constant == 0);
    for (size_t j = 0; j < 48; j++)
        assert_true(ball->matrix[j] == 1 && ball->shift[j] == 400 && ball->linear[j] == 0);
    /* where they come from */
    const hcri_place *place = &builder->set.place[builder->set.linear->base.source[0]];
    assert_int_equal(place->line, 8);
    assert_int_equal(place->column, 1);
    assert_string_equal(place->text, "abs(load[1:] - load[:-1]) <= dmax");
    assert_string_equal(place->file, "t");
    hcr_builder_free(builder);
}

/* C11: no constraints at all is the whole space, not the empty set. */
static void test_c11_no_constraints(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[2]");
    assert_int_equal(hcr_builder_dimension(builder), 2);
    assert_int_equal(row_count(builder), 0);
    assert_int_equal(quadratic_count(builder), 0);
    hcr_builder_free(builder);
}

/* C16: rows of zeros are checked and dropped; what can't hold is among the wrong texts of test_messages. */
static void test_c16_zero_rows(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[2]\n-1 <= y <= 1\n0 * y <= 0\n0 * y <= 1\n0 * y <= 4e-8\n0 * y == 0\n"
                                 "y[0] - y[0] <= 0\n[0, 0] @ y <= 1\n0 <= 1\n"
                                 "quad_form(y, zeros(2, 2)) + y[0] <= 0.5\n");
    assert_int_equal(row_count(builder), 0);
    assert_int_equal(quadratic_count(builder), 0);
    assert_bounds(builder, 0, -1, 0.5);
    assert_bounds(builder, 1, -1, 1);
    hcr_builder_free(builder);
}

/* C19: infinities mean no bound, in every spelling, as do sizes from 1e20 on. */
static void test_c19_infinite_bounds(void **state) {
    (void)state;
    const char *const texts[] = {
        "var y[2]\n[-1, -inf] <= y <= [inf, 1]",
        "var y[2]\ny >= [-1, -inf]\ny <= [inf, 1]",
        "var y[2]\n-1 <= y[0] <= inf\n-inf <= y[1] <= 1",
        "var y[2]\n[-1, -1e30] <= y <= [1e30, 1]",
        "var y[2]\nconst l = [-1, -inf]\nconst u = -l[::-1]\nl <= y <= u",
        "var y[2]\nmax(y[1], -inf) <= 1\ny[0] >= -1\nmax(y) <= inf",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hcr_builder *builder = build(texts[i]);
        assert_bounds(builder, 0, -1, INF);
        assert_bounds(builder, 1, -INF, 1);
        assert_int_equal(row_count(builder), 0);
        hcr_builder_free(builder);
    }
}

/* C23: a positive semidefinite P that is singular is accepted, at any scale. */
static void test_c23_singular_form(void **state) {
    (void)state;
    const char *const scales[] = {"1", "1e-12"};
    for (size_t s = 0; s < 2; s++) {
        char text[160];
        snprintf(text, sizeof text,
                 "var y[3]\nconst P = [[4, -4, 0], [-4, 8, -4], [0, -4, 4]]\nquad_form(y, %s * P) <= 1", scales[s]);
        hcr_builder *builder = build(text);
        const hcri_quadratic *form = quadratic(builder, 0);
        assert_int_equal(form->form, HCRI_DENSE);
        assert_true(form->constant == -0.5);
        assert_true(form->matrix[1] == (s == 0 ? -4 : 1e-12 * -4));
        hcr_builder_free(builder);
    }
    /* the opposite of one is concave */
    hcr_builder *builder =
        build("var y[2]\n3 >= 2 + quad_form(y, [[-1, 0], [0, -2]]) * -1\n-quad_form(y, eye(2)) >= -4");
    assert_int_equal(quadratic_count(builder), 2);
    hcr_builder_free(builder);
}

/* C25: quad_form has no ½, and inequalities point where they are written. */
static void test_c25_conventions(void **state) {
    (void)state;
    hcr_builder *builder =
        build("var y[2]\nquad_form(y, eye(2)) <= 1\n0.5 * quad_form(y, eye(2)) - 1 <= 0\n[1, 0] @ y <= 1");
    /* ½ Q + constant <= 0: |y|² <= 1, then |y|² <= 2 */
    for (size_t i = 0; i < 2; i++) {
        const hcri_quadratic *ball = quadratic(builder, i);
        assert_int_equal(ball->form, HCRI_DIAGONAL);
        assert_true(ball->matrix[0] == 1 && ball->matrix[1] == 1);
        assert_true(ball->constant == (i == 0 ? -0.5 : -1) && ball->radius == 0);
    }
    assert_bounds(builder, 0, -INF, 1);
    assert_bounds(builder, 1, -INF, INF);
    hcr_builder_free(builder);
}

/* C39: corner cases of reading, and their documented meaning; refusals are in test_messages. */
static void test_c39_reading(void **state) {
    (void)state;
    hcr_builder *builder = build("\xEF\xBB\xBFvar y[2]   # a byte-order mark before, no newline at the end\r\n"
                                 "const a = [[01.50,\n\t.5], [5e-1 , 1.5e+0],]  # a trailing comma\n\n\n"
                                 "a @ y <= 1");
    assert_row(builder, 0, (double[]){1.5, 0.5}, -INF, 1);
    assert_row(builder, 1, (double[]){0.5, 1.5}, -INF, 1);
    hcr_builder_free(builder);
}

/* Every way to write the rows  −1 <= y[i+1] − y[i] <= 1. */
static void test_differences(void **state) {
    (void)state;
    const char *const ways[] = {
        "abs(diff(y)) <= 1",
        "-1 <= diff(y) <= 1",
        "1 >= diff(y) >= -1",
        "norm(diff(y), inf) <= 1",
        "max(diff(y)) <= 1\nmin(diff(y)) >= -1",
        "max(abs(diff(y))) <= 1",
        "abs(y[1:] - y[:-1]) <= 1",
        "abs(y[i + 1] - y[i]) <= 1 for i in range(3)",
        "abs(y[j] - y[i]) <= 1 for i in range(4) for j in range(4) if j == i + 1",
        "abs(y[-i] - y[-i - 1]) <= 1 for i in [3, 2, 1]",
        "abs([[-1, 1, 0, 0], [0, -1, 1, 0], [0, 0, -1, 1]] @ y) <= 1",
        "2 * diff(y) <= 2\n-3 * diff(y) <= 3\nabs(diff(y)) <= 5",
        "norm(y[i + 1] - y[i], 1) <= 1 for i in range(3)",
        "norm(y[i + 1] - y[i]) <= 1 for i in range(3)",
        "abs(2 * y[1:] - y[1:] - y[:3:1]) - 0.5 <= 0.5",
        "max(y[1:] - y[:-1], y[:-1] - y[1:]) <= 1",
        "abs(cumsum(diff(y))[2:] - cumsum(diff(y))[1]) <= 1\nabs(diff(y)[:2]) <= 1",
        "abs(vstack(y, y).T[1:, 0] - hstack(y[0], y[1:3])) <= 1",
        "abs(reshape(y, 2, 2)[0, 1] - y[0]) <= 1\nabs(diff(y[1:])) <= 1",
        "-1 <= [y[i + 1] - y[i] for i in range(3)] <= 1",
        "1 >= max(abs(y[i + 1] - y[i]) for i in range(3))",
        "abs(diag([1, 1, 1]) @ diff(y)) <= ones(3)",
        "abs(-abs(diff(y))) <= 1",
    };
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        char text[256];
        snprintf(text, sizeof text, "var y[4]\n%s", ways[w]);
        hcr_builder *builder = build(text);
        assert_int_equal(row_count(builder), 3);
        assert_int_equal(quadratic_count(builder), 0);
        int seen[3] = {0};
        const hcri_linear *linear = builder->set.linear;
        for (size_t i = 0; i < 3; i++) { /* in any order, either orientation */
            const size_t start = linear->rows.start[i];
            assert_int_equal(linear->rows.start[i + 1] - start, 2);
            const uint32_t column = linear->rows.columns[start];
            const double scale = fabs(linear->rows.values[start]); /* as first written */
            assert_int_equal(linear->rows.columns[start + 1], column + 1);
            assert_true(linear->rows.values[start] == -linear->rows.values[start + 1]);
            if (linear->lower[i] != -scale || linear->upper[i] != scale)
                fail_msg("%s: row %zu from %g to %g", ways[w], i, linear->lower[i], linear->upper[i]);
            seen[column]++;
        }
        assert_true(seen[0] == 1 && seen[1] == 1 && seen[2] == 1);
        hcr_builder_free(builder);
    }
}

/* a x − b: what a fused product rounds keeps its sign. */
static double excess(double a, double x, double b) { return fma(a, x, -b); }

/* Bounds come out exact where they can, else a unit in the last place to the inside. */
static void test_rounding(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[6]\n3 * y[0] <= 1\n-3 * y[1] <= 1\n0.1 <= 3 * y[2]\ny[3] + 0.1 <= 0.3\n"
                                 "2 * y[4] - 1 <= 4\n0.1 + y[5] >= 0.3\n49 * y[4] / 49 >= 1");
    const hcri_box *box = builder->set.box;
    assert_true(excess(3, box->upper[0], 1) <= 0 && excess(3, nextafter(box->upper[0], 1), 1) > 0);
    assert_true(excess(-3, box->lower[1], 1) <= 0 && excess(-3, nextafter(box->lower[1], -1), 1) > 0);
    assert_true(excess(3, box->lower[2], 0.1) >= 0 && excess(3, nextafter(box->lower[2], 0), 0.1) < 0);
    /* Less than a factor of 2 from 0.3, so that the difference is exact. */
    assert_true(box->upper[3] - 0.3 <= -0.1 && nextafter(box->upper[3], 1) - 0.3 > -0.1);
    assert_true(box->upper[4] == 2.5 && box->lower[4] == 1); /* 49 * (1/49) isn't 1 in doubles */
    assert_true(box->lower[5] - 0.3 >= -0.1 && nextafter(box->lower[5], 0) - 0.3 < -0.1);
    hcr_builder_free(builder);
}

static void test_duplicates(void **state) {
    (void)state;
    hcr_builder *builder =
        build("var y[2]\nsum(y) <= 2\n2 * sum(y) <= 4\n3 * sum(y) <= 6\n-5 * sum(y) <= 10\nsum(y) <= 9\n"
              "y[0] / 3 + y[1] / 3 <= 0.5\n0.1 * y[0] + 0.2 * y[1] <= 1\n0.3 * y[0] + 0.6 * y[1] <= 1");
    /* 0.6/0.3 is 2 in doubles as 0.2/0.1 is: 0.3 is no exact multiple of 0.1, but the rows are proportional */
    assert_int_equal(row_count(builder), 2);
    const hcri_linear *linear = builder->set.linear;
    assert_row(builder, 0, (double[]){1, 1}, -2, linear->upper[0]);
    /* y0/3 + y1/3 <= 0.5, with the double nearest to 1/3: the bound rounds to the inside of 1.5 and a bit */
    assert_true(excess(1.0 / 3, linear->upper[0], 0.5) <= 0);
    assert_true(excess(1.0 / 3, nextafter(linear->upper[0], 2), 0.5) > 0);
    assert_true(linear->upper[1] <= 1.0 / 0.3 * 0.1 && linear->upper[1] > 0.333333333333333);
    /* each side keeps its own source */
    assert_int_equal(builder->set.place[linear->base.source[0]].line, 7);
    assert_int_equal(builder->set.place[linear->base.source[1]].line, 5);
    hcr_builder_free(builder);
}

/* The bound of a multiple is rounded to the inside, by as little as can be. */
static void test_scaled_duplicates(void **state) {
    (void)state;
    for (int scale = 3; scale < 200; scale += 2) {
        char text[160];
        const double upper = 1 / (double)scale + 1, lower = -2 / (double)scale;
        snprintf(text, sizeof text, "var y[2]\n-1e3 <= sum(y) <= 1e3\n%.17g <= %d * sum(y) <= %.17g", lower, scale,
                 upper);
        hcr_builder *builder = build(text);
        assert_int_equal(row_count(builder), 1);
        const double high = builder->set.linear->upper[0], low = builder->set.linear->lower[0];
        assert_true(excess(scale, high, upper) <= 0 && excess(scale, nextafter(high, 1e3), upper) > 0);
        assert_true(excess(scale, low, lower) >= 0 && excess(scale, nextafter(low, -1e3), lower) < 0);
        hcr_builder_free(builder);
    }
}

static void test_sums_of_absolutes(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[3]\nnorm(y, 1) <= 2");
    assert_int_equal(row_count(builder), 4); /* 8 signs, opposite ones in one row */
    hcr_builder_free(builder);
    builder = build("var y[12]\nnorm(y, 1) <= 2");
    assert_int_equal(row_count(builder), 2048);
    hcr_builder_free(builder);
    builder = build("var y[2]\nmax(abs(y)) + max(y) + 2 * abs(y[0] - 1) <= 3 - abs(y[1])");
    assert_true(row_count(builder) > 4);
    hcr_builder_free(builder);
    /* a maximum of many is a row each: no limit */
    builder = build("var y[2]\nmax(y[0] + i * y[1] for i in range(1, 10001)) <= 3");
    assert_int_equal(row_count(builder), 10000);
    hcr_builder_free(builder);
}

static void test_quadratics(void **state) {
    (void)state;
    hcr_builder *builder =
        build("var a\nvar y[3]\n"
              "norm(2 * y - 4) <= 6\n"                                             /* an ellipsoid's special case */
              "sum_squares([y[0] + y[1], a - y[2]]) <= 9\n"                        /* a factor */
              "a ** 2 + 3 * y[0] ** 2 + a <= 1\n"                                  /* a diagonal, with a linear part */
              "quad_form(y - [1, 2, 3], [[2, 1, 0], [1, 2, 0], [0, 0, 1]]) <= 8\n" /* a dense form, shifted */
              "quad_form(y, 2 * eye(3)) + square(a + y[0]) <= 1\n");               /* added up */
    assert_int_equal(quadratic_count(builder), 5);
    const hcri_quadratic *q = quadratic(builder, 0);
    assert_int_equal(q->form, HCRI_DIAGONAL);
    assert_true(q->matrix[0] == 0 && q->matrix[1] == 4 && q->shift[1] == 2 && q->radius == 6);
    q = quadratic(builder, 1);
    assert_int_equal(q->form, HCRI_FACTOR);
    assert_int_equal(q->factor.count, 2);
    assert_int_equal(q->factor.start[2], 4);
    assert_true(q->constant == -4.5 && q->radius == 0);
    q = quadratic(builder, 2);
    assert_int_equal(q->form, HCRI_DIAGONAL);
    assert_true(q->matrix[0] == 1 && q->matrix[1] == 3 && q->linear[0] == 0.5 && q->constant == -0.5);
    q = quadratic(builder, 3);
    assert_int_equal(q->form, HCRI_DENSE);
    assert_true(q->matrix[5] == 2 && q->matrix[6] == 1 && q->shift[1] == 1 && q->shift[3] == 3 && q->constant == -4);
    q = quadratic(builder, 4);
    assert_int_equal(q->form, HCRI_DENSE);
    assert_true(q->matrix[0] == 1 && q->matrix[1] == 1 && q->matrix[5] == 3 && q->matrix[10] == 2);
    hcr_builder_free(builder);
}

static void test_variables_and_origin(void **state) {
    (void)state;
    hcr_builder *builder =
        build("const n = 2 + 1\nvar price[n - 1], load[n]\nvar p\norigin = [1, 2, 3, 4, 5, 6]\np <= 7\nload[0] >= 2");
    assert_int_equal(hcr_builder_dimension(builder), 6);
    char name[16];
    hcri_set_column_name(&builder->set, 2, name, sizeof name);
    assert_string_equal(name, "load[0]");
    hcri_set_column_name(&builder->set, 5, name, sizeof name);
    assert_string_equal(name, "p");
    assert_bounds(builder, 5, -INF, 7);
    assert_bounds(builder, 2, 2, INF);
    assert_int_equal(hcr_builder_origin(builder), HCR_ORIGIN_GIVEN);
    assert_true(builder->points[5] == 6);
    hcr_builder_free(builder);
    static const struct {
        const char *text;
        hcr_origin origin;
    } origins[] = {{"var y\norigin = chebyshev", HCR_ORIGIN_CHEBYSHEV},
                   {"var y\norigin = analytic", HCR_ORIGIN_ANALYTIC},
                   {"var y\norigin = mean # of the targets", HCR_ORIGIN_MEAN},
                   {"var y[2]\norigin = mean([1, 2])", HCR_ORIGIN_GIVEN},
                   {"var y", HCR_ORIGIN_CHEBYSHEV}};
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
        builder = build(origins[i].text);
        assert_int_equal(hcr_builder_origin(builder), origins[i].origin);
        hcr_builder_free(builder);
    }
}

/* Constants and functions of them, read off as bounds. */
static void test_constants(void **state) {
    (void)state;
    static const struct {
        const char *expression;
        double value;
    } cases[] = {
        {"2 ** 3 ** 2", 512},
        {"-2 ** 2", -4},
        {"2 ** -1", 0.5},
        {"7 // 2 + 7 % 4 - -7 // 2", 10},
        {"-7 % 3", 2},
        {"1 - 2 - 3", -4},
        {"8 / 4 / 2", 1},
        {"max(1, 5, 3) - min([4, 2])", 3},
        {"sum([[1, 2], [3, 4]])", 10},
        {"sum([[1, 2], [3, 4]], 0)[1]", 6},
        {"sum([[1, 2], [3, 4]], 1)[1]", 7},
        {"mean([[1, 2], [3, 4]], 1)[0]", 1.5},
        {"dot([1, 2], [3, 4])", 11},
        {"trace([[1, 2], [3, 4]])", 5},
        {"norm([3, -4])", 5},
        {"norm([3, -4], 1)", 7},
        {"norm([3, -4], inf)", 4},
        {"sum_squares([3, -4])", 25},
        {"quad_form([1, 2], [[1, 0], [0, 3]])", 13},
        {"sqrt(9) + exp(0) + log(1)", 4},
        {"diff([1, 4, 9, 16], 2)[1]", 2},
        {"cumsum([1, 2, 3])[-1]", 6},
        {"len([[1, 2], [3, 4], [5, 6]])", 3},
        {"[[1, 2], [3, 4], [5, 6]].T[1, 2]", 6},
        {"([[1, 2], [3, 4]] @ [[1, 2], [3, 4]])[1, 0]", 15},
        {"([1, 2] @ [[1, 2], [3, 4]])[1]", 10},
        {"reshape(range(6), 2, 3)[1, ::-1][0]", 5},
        {"range(10, 0, -3)[3]", 1},
        {"range(1, 10)[[2, -1]][1]", 9},
        {"sum(i * j for i in range(4) for j in range(4) if i < j and not i == 1 or j == 0 and i >= 2)", 6},
        {"sum(diag([1, 2]) + diag([[5, 6], [7, 8]]))", 29},
        {"hstack([[1], [2]], [[3, 4], [5, 6]])[1, 2]", 6},
        {"vstack([1, 2], [[3, 4], [5, 6]])[2, 0]", 5},
        {"sum(zeros(2, 3)) + sum(ones(2, 3)) + eye(3)[1, 1]", 7},
        {"(3 > 2) + (2 <= 2) + (1 != 1) + (1 < 2 < 2)", 2},
        {"sum([1, 2] + [[10], [20]])", 66},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "var y\nconst c = %s\ny <= c", cases[i].expression);
        hcr_builder *builder = build(text);
        if (builder->set.box->upper[0] != cases[i].value)
            fail_msg("%s is %g, not %g", cases[i].expression, builder->set.box->upper[0], cases[i].value);
        hcr_builder_free(builder);
    }
}

/* read() looks beside the region file, wherever the process is. */
static void test_read(void **state) {
    (void)state;
    char folder[] = "/tmp/hcr_language_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    static const struct {
        const char *name, *content;
    } files[] = {{"usual.csv", "load\n1.5\n2.5\n"},
                 {"limits.csv", "smallest,largest,largest_step\n-1,9,4\n"},
                 {"A.csv", "1,2\n3,4\n"},
                 {"bad.csv", "a,b\n1,nan\n"},
                 {"region.hcr", "var y[2]\ny <= read(\"usual.csv\")\nread('limits.csv', 'smallest') <= y\n"
                                "const A = read(\"A.csv\")\nA @ y <= read(\"limits.csv\", \"largest_step\")\n"},
                 {"wrong.hcr", "var y[2]\ny <= read(\"limits.csv\", \"largets\")\n"},
                 {"nan.hcr", "var y[2]\ny <= read(\"bad.csv\")\n"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(files[i].content, file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
    hcr_builder *builder = NULL;
    hcr_error error = {0};
    snprintf(path, sizeof path, "%s/region.hcr", folder);
    if (hcr_text_build_file(path, 0, NULL, NULL, &builder, &error) != HCR_OK)
        fail_msg("%s", error.text);
    assert_bounds(builder, 0, -1, 1.5);
    assert_bounds(builder, 1, -1, 2.5);
    assert_row(builder, 0, (double[]){1, 2}, -INF, 4);
    assert_row(builder, 1, (double[]){3, 4}, -INF, 4);
    hcr_builder_free(builder);
    snprintf(path, sizeof path, "%s/wrong.hcr", folder);
    assert_int_equal(hcr_text_build_file(path, 0, NULL, NULL, &builder, &error), HCR_ERROR_NAME);
    assert_non_null(strstr(error.text, "the nearest is \"largest\""));
    assert_string_equal(error.file, path);
    assert_int_equal(error.line, 2);
    snprintf(path, sizeof path, "%s/nan.hcr", folder);
    assert_int_equal(hcr_text_build_file(path, 0, NULL, NULL, &builder, &error), HCR_ERROR_DATA);
    assert_non_null(strstr(error.text, "bad.csv, line 2"));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_design_example),    cmocka_unit_test(test_c11_no_constraints),
        cmocka_unit_test(test_c16_zero_rows),     cmocka_unit_test(test_c19_infinite_bounds),
        cmocka_unit_test(test_c23_singular_form), cmocka_unit_test(test_c25_conventions),
        cmocka_unit_test(test_c39_reading),       cmocka_unit_test(test_differences),
        cmocka_unit_test(test_rounding),          cmocka_unit_test(test_scaled_duplicates),
        cmocka_unit_test(test_duplicates),        cmocka_unit_test(test_sums_of_absolutes),
        cmocka_unit_test(test_quadratics),        cmocka_unit_test(test_variables_and_origin),
        cmocka_unit_test(test_constants),         cmocka_unit_test(test_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
