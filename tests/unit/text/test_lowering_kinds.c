/* Right texts, and the cones, matrix inequalities, equalities and groups that they become. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kinds/cone/cone.h"
#include "kinds/expression/expression.h"
#include "kinds/lmi/lmi.h"
#include "kinds/union/union.h"
#include "region/builder.h"

#define INF ((double)INFINITY)

static hcr_builder *build(const char *text) {
    hcr_builder *builder = NULL;
    hcr_error error = {0};
    if (hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error) != HCR_OK)
        fail_msg("%s\n%d:%d: %s", text, error.line, error.column, error.text);
    return builder;
}

static size_t count_of(const hcr_builder *builder, hcri_kind_id id) {
    size_t count = 0;
    for (size_t b = 2; b < builder->set.blocks; b++)
        count += builder->set.block[b]->kind->id == id;
    return count;
}

static const hcri_constraint *block(const hcr_builder *builder, size_t i, hcri_kind_id id) {
    assert_true(builder->set.blocks > 2 + i);
    assert_int_equal(builder->set.block[2 + i]->kind->id, id);
    return builder->set.block[2 + i];
}

static void assert_bounds(const hcr_builder *builder, size_t j, double lower, double upper) {
    assert_true(builder->set.box->lower[j] == lower);
    assert_true(builder->set.box->upper[j] == upper);
}

static void assert_row(const hcri_rows *rows, size_t i, size_t n, const double *values) {
    double row[8] = {0};
    assert_true(i < rows->count);
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        row[rows->columns[k]] = rows->values[k];
    for (size_t j = 0; j < n; j++)
        assert_true(row[j] == values[j]);
}

static void assert_cone(const hcri_cone *cone, size_t rows, const double *M, const double *shift, const double *linear,
                        double constant) {
    const size_t n = cone->base.n;
    assert_int_equal(cone->rows.count, rows);
    for (size_t i = 0; i < rows; i++) {
        assert_row(&cone->rows, i, n, M + i * n);
        assert_true(cone->shift[i] == shift[i]);
    }
    for (size_t j = 0; j < n; j++)
        assert_true(cone->linear[j] == linear[j]);
    assert_true(cone->constant == constant);
}

static void test_cones(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[3]\n"
                                 "norm(y[:2] - 1) <= y[2] + 2\n"
                                 "4 * quad_over_lin([y[0], 1], y[1]) <= y[2]\n"
                                 "inv_pos(y[0]) <= y[1]\n"
                                 "geo_mean([y[0], y[1]]) >= 2\n");
    assert_cone((const hcri_cone *)block(builder, 0, HCRI_KIND_CONE), 2, (double[]){1, 0, 0, 0, 1, 0},
                (double[]){-1, -1}, (double[]){0, 0, 1}, 2);
    /* |(4 x, 4, t − b)| <= t + b */
    assert_cone((const hcri_cone *)block(builder, 1, HCRI_KIND_CONE), 3, (double[]){4, 0, 0, 0, 0, 0, 0, 1, -1},
                (double[]){0, 4, 0}, (double[]){0, 1, 1}, 0);
    assert_cone((const hcri_cone *)block(builder, 2, HCRI_KIND_CONE), 2, (double[]){0, 0, 0, 1, -1, 0},
                (double[]){2, 0}, (double[]){1, 1, 0}, 0);
    assert_cone((const hcri_cone *)block(builder, 3, HCRI_KIND_CONE), 2, (double[]){0, 0, 0, 1, -1, 0},
                (double[]){4, 0}, (double[]){1, 1, 0}, 0);
    assert_int_equal(builder->set.blocks, 6);
    assert_bounds(builder, 0, 0, INF); /* the domains */
    assert_bounds(builder, 1, 0, INF);
    hcr_builder_free(builder);
}

/* C07: one set, written as a cone in one dimension, as a norm, as an absolute value and as a box. */
static void test_c07_one_dimension(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var y\n0.6452 - 0.1 <= y <= 0.6452 + 0.1",
        "var y\nabs(y - 0.6452) <= 0.1",
        "var y\nnorm([y - 0.6452]) <= 0.1",
        "var y\nnorm([y - 0.6452], 3) <= 0.1",
        "var y\nnorm([y - 0.6452, 0 * y]) <= 0.1 + 0 * y",
        "var y\nsigma_max([[y - 0.6452]]) <= 0.1",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hcr_builder *builder = build(texts[i]);
        if (builder->set.blocks == 2) {
            assert_true(fabs(builder->set.box->lower[0] - 0.5452) < 1e-15);
            assert_true(fabs(builder->set.box->upper[0] - 0.7452) < 1e-15);
        } else { /* a norm of two, of which one is 0: a ball */
            const hcri_quadratic *ball = (const hcri_quadratic *)block(builder, 0, HCRI_KIND_QUADRATIC);
            assert_true(ball->matrix[0] == 1 && ball->shift[0] == 0.6452 && ball->radius == 0.1);
        }
        hcr_builder_free(builder);
    }
    /* |0 · y| <= y + 1 is y >= −1 */
    hcr_builder *builder = build("var y\nnorm([0 * y, 0 * y]) <= y + 1");
    assert_int_equal(builder->set.blocks, 2);
    assert_bounds(builder, 0, -1, INF);
    hcr_builder_free(builder);
}

static void test_matrices(void **state) {
    (void)state;
    static const char *const ways[] = {
        "psd([[y[0], y[1], 1], [y[1], 2, y[2]], [1, y[2], 3]])",
        "[[y[0], y[1], 1], [y[1], 2, y[2]], [1, y[2], 3]] >> 0",
        "0 << [[y[0], y[1], 1], [y[1], 2, y[2]], [1, y[2], 3]]",
        "[[0, y[1], 1], [y[1], 0, y[2]], [1, y[2], 0]] >> diag(hstack(-y[0], -2, -3))",
        "lambda_min([[y[0], y[1], 1], [y[1], 2, y[2]], [1, y[2], 3]]) >= 0",
        "lambda_max(-[[y[0], y[1], 1], [y[1], 2, y[2]], [1, y[2], 3]]) <= 0",
        ("lambda_max([[-y[0], y[1], -1], [y[1], -2, y[2]], [-1, y[2], -3]] - 2 * [[0, y[1], 0], [y[1], 0, y[2]], "
         "[0, y[2], 0]]) <= 0"),
    };
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        char text[256];
        snprintf(text, sizeof text, "var y[3]\n%s", ways[w]);
        hcr_builder *builder = build(text);
        const hcri_lmi *lmi = (const hcri_lmi *)block(builder, 0, HCRI_KIND_LMI);
        assert_int_equal(builder->set.blocks, 3);
        assert_int_equal(lmi->size, 3);
        static const double constant[6] = {0, 0, 2, 1, 0, 3};
        for (size_t e = 0; e < 6; e++)
            assert_true(lmi->constant[e] == constant[e]);
        static const double entry[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}};
        for (size_t r = 0; r < 6; r++)
            assert_row(&lmi->terms, r, 3, entry[r]);
        hcr_builder_free(builder);
    }
    /* t I − E */
    hcr_builder *builder = build("var y[3]\nlambda_max([[1, y[0], 0], [y[0], 0, y[1]], [0, y[1], 0]]) <= y[2] + 4");
    const hcri_lmi *lmi = (const hcri_lmi *)block(builder, 0, HCRI_KIND_LMI);
    static const double bound[6][3] = {{0, 0, 1}, {-1, 0, 0}, {0, 0, 1}, {0, 0, 0}, {0, -1, 0}, {0, 0, 1}};
    for (size_t r = 0; r < 6; r++)
        assert_row(&lmi->terms, r, 3, bound[r]);
    assert_true(lmi->constant[0] == 3 && lmi->constant[HCRI_PACKED(1, 1)] == 4 &&
                lmi->constant[HCRI_PACKED(2, 2)] == 4);
    hcr_builder_free(builder);
}

/* What a permutation separates: rows, cones and smaller matrices. C27: a dead row is dropped. */
static void test_blocks_of_matrices(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[3]\n"
                                 "psd([[1 + y[0], 0], [0, 0]])\n"       /* a row, and 0 >= 0 */
                                 "psd(diag(hstack(2 - y[1], 1e-14)))\n" /* nearly singular: a row all the same */
                                 "psd([[y[0], 0, y[1]], [0, 1, 0], [y[1], 0, 2]])\n" /* a cone of rows 0 and 2 */
                                 "psd([[1, 2, 0], [2, 4, 0], [0, 0, y[2] + 5]])\n"   /* singular, but constant */
                                 "psd(eye(3) + 0 * y[0])");                          /* C16: says nothing */
    assert_bounds(builder, 0, -1, INF);
    assert_bounds(builder, 1, -INF, 2);
    assert_bounds(builder, 2, -5, INF);
    assert_int_equal(builder->set.blocks, 3);
    assert_cone((const hcri_cone *)block(builder, 0, HCRI_KIND_CONE), 2, (double[]){0, 2, 0, 1, 0, 0},
                (double[]){0, -2}, (double[]){1, 0, 0}, 2);
    hcr_builder_free(builder);
    /* symmetric up to rounding: 0.1 + 0.2 and 0.3 */
    builder = build("var y[3]\npsd([[y[0], (0.1 + 0.2) * y[1], 1], [0.3 * y[1], 2, y[2]], [1, y[2], 3]])");
    assert_int_equal(count_of(builder, HCRI_KIND_LMI), 1);
    hcr_builder_free(builder);
}

/* A function against a number is undone; what is stored is inside, by little. */
static void test_inverses(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[8]\n"
                                 "2 * exp(y[0]) <= 6\n"
                                 "log(y[1]) >= 2\n"
                                 "sqrt(y[2]) >= 3\n"
                                 "3 <= sqrt(3 * y[3] + 1)\n"
                                 "y[4] ** 2 <= 9\n"
                                 "y[5] ** 4 <= 16\n"
                                 "inv_pos(y[6]) <= 4\n"
                                 "power(y[7], 1.5) <= 8");
    assert_int_equal(builder->set.blocks, 2);
    assert_int_equal(builder->set.linear->rows.count, 0);
    const hcri_box *box = builder->set.box;
    assert_true(box->upper[0] <= log(3) && box->upper[0] > log(3) - 1e-15);
    assert_true(box->lower[1] >= exp(2) && box->lower[1] < exp(2) + 1e-14);
    assert_bounds(builder, 2, 9, INF);
    assert_true(3 * (long double)box->lower[3] >= 8 && box->lower[3] < 2.6666666666666676);
    assert_bounds(builder, 4, -3, 3);
    assert_bounds(builder, 5, -2, 2);
    assert_bounds(builder, 6, 0.25, INF);
    assert_true(box->lower[7] == 0 && box->upper[7] <= 4 && box->upper[7] > 4 - 1e-14);
    hcr_builder_free(builder);
    builder = build("var y[2]\nexp(abs(y[0] - y[1])) <= 1\nsquare(norm(y)) <= 4\nexp(y) <= 1\nlog(y + 3) >= 0");
    assert_int_equal(count_of(builder, HCRI_KIND_QUADRATIC), 1);
    assert_true(((const hcri_quadratic *)block(builder, 0, HCRI_KIND_QUADRATIC))->radius == 2);
    assert_int_equal(builder->set.linear->rows.count, 1);
    assert_bounds(builder, 0, -2, 0);
    hcr_builder_free(builder);
}

/* x >= 0 stands beside a function that is defined there only, with the source of its statement. */
static void test_domains(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[4]\n0.5 <= y[0]\n"
                                 "sum(entropy(y)) >= 0.1\n"
                                 "log(y[0] + y[1] + 2) + sqrt(y[2] - y[3]) >= 0\n"
                                 "rel_entr(y[0], y[1] + y[2]) <= 2");
    assert_bounds(builder, 0, 0.5, INF);
    assert_bounds(builder, 3, 0, INF);
    const hcri_linear *linear = builder->set.linear;
    assert_int_equal(linear->rows.count, 3);
    assert_row(&linear->rows, 0, 4, (double[]){1, 1, 0, 0});
    assert_true(linear->lower[0] == -2);
    assert_row(&linear->rows, 1, 4, (double[]){0, 0, 1, -1});
    assert_row(&linear->rows, 2, 4, (double[]){0, 1, 1, 0});
    assert_int_equal(builder->set.place[linear->base.source[3]].line, 4);
    assert_int_equal(count_of(builder, HCRI_KIND_EXPRESSION), 3);
    hcr_builder_free(builder);
}

/* Sums of absolute values with too many signs are one expression, maxima of any length rows. */
static void test_many_branches(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[60]\nnorm(y, 1) <= 1\n2 <= 3 - sum(abs(diff(y)))");
    assert_int_equal(count_of(builder, HCRI_KIND_EXPRESSION), 2);
    assert_int_equal(builder->set.linear->rows.count, 0);
    assert_true(block(builder, 0, HCRI_KIND_EXPRESSION)->convex);
    hcr_builder_free(builder);
    builder = build("var y[3]\nmax(exp(y[0]), norm(y), y[1] + y[2], abs(y[1] - y[0])) <= 3");
    assert_int_equal(count_of(builder, HCRI_KIND_EXPRESSION), 0);
    assert_int_equal(count_of(builder, HCRI_KIND_QUADRATIC), 1);
    assert_int_equal(builder->set.linear->rows.count, 2);
    hcr_builder_free(builder);
    /* an expression that stands in many places is one step of the tape */
    builder = build("var y[9]\nmax([i + 1 for i in range(50)] * norm(y, 3)) + exp(y[0]) <= 3");
    assert_true(((const hcri_expression *)block(builder, 0, HCRI_KIND_EXPRESSION))->tape.steps < 9 + 1 + 50 + 5);
    hcr_builder_free(builder);
}

static void test_equalities(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[3]\n"
                                 "sum(y) == 1\n"
                                 "y[0] + 1 == 2 * y[1] == y[2] <= 5\n"
                                 "0 * y == 0\n1 == 1\ny == y\n"
                                 "[[1, 2, 3], [0, 1, 0]] @ y == [4, 5]\n"
                                 "y[i] == i for i in range(2)");
    const hcri_equalities *equalities = &builder->set.equalities;
    assert_int_equal(equalities->rows.count, 7);
    static const struct {
        double values[3], right;
        int line;
    } expected[] = {{{1, 1, 1}, 1, 2}, {{1, -2, 0}, -1, 3}, {{0, 2, -1}, 0, 3}, {{1, 2, 3}, 4, 7},
                    {{0, 1, 0}, 5, 7}, {{1, 0, 0}, 0, 8},   {{0, 1, 0}, 1, 8}};
    for (size_t i = 0; i < 7; i++) {
        assert_row(&equalities->rows, i, 3, expected[i].values);
        assert_true(equalities->right[i] == expected[i].right);
        assert_int_equal(builder->set.place[equalities->source[i]].line, expected[i].line);
    }
    assert_int_equal(equalities->source_row[4], 1);
    assert_bounds(builder, 2, -INF, 5);
    hcr_builder_free(builder);
}

static void test_groups(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[2]\nsum(y) <= 9\n"
                                 "union:\n"
                                 "    norm(y) <= 1   # a disc\n\n"
                                 "or:\n"
                                 "    0 <= y <= 3\n"
                                 "    y[0] + y[1] <= 4\n"
                                 "    y[0] - y[1] <= 1\n"
                                 "or\n"
                                 "    psd([[y[0], 1, y[1]], [1, 2, 1], [y[1], 1, 5]])\n"
                                 "    log(y[0]) >= 0\n"
                                 "end\n"
                                 "except sum_squares(y - 2 * i) <= 0.25 for i in range(1, 3)\n"
                                 "except:\n"
                                 "    y[0] >= 2.5\n"
                                 "    y[0] - y[1] >= 0.5\n"
                                 "end\n"
                                 "y >= -7\nunbounded");
    assert_int_equal(count_of(builder, HCRI_KIND_UNION), 1);
    assert_int_equal(count_of(builder, HCRI_KIND_EXCEPT), 3);
    assert_bounds(builder, 0, -7, INF);
    assert_int_equal(builder->set.linear->rows.count, 1); /* the groups' rows are theirs */
    assert_true(builder->unbounded_allowed);
    const hcri_union *set = (const hcri_union *)block(builder, 0, HCRI_KIND_UNION);
    assert_int_equal(builder->set.place[set->base.source[0]].line, 3);
    assert_int_equal(set->bodies, 3);
    assert_int_equal(set->body[0].blocks, 3);
    assert_int_equal(set->body[0].block[2]->kind->id, HCRI_KIND_QUADRATIC);
    assert_int_equal(set->body[1].blocks, 2);
    assert_true(set->body[1].box->upper[1] == 3 && set->body[1].box->lower[0] == 0);
    assert_int_equal(set->body[1].linear->rows.count, 2);
    assert_int_equal(builder->set.place[set->body[1].linear->base.source[2]].line, 9);
    assert_int_equal(set->body[2].block[2]->kind->id, HCRI_KIND_LMI);
    assert_true(set->body[2].box->lower[0] == 1);
    for (size_t i = 0; i < 2; i++) {
        const hcri_union *cut = (const hcri_union *)block(builder, 1 + i, HCRI_KIND_EXCEPT);
        assert_int_equal(cut->bodies, 1);
        const hcri_quadratic *disc = (const hcri_quadratic *)cut->body[0].block[2];
        assert_true(disc->shift[0] == 2 * (double)(i + 1));
    }
    const hcri_union *cut = (const hcri_union *)block(builder, 3, HCRI_KIND_EXCEPT);
    assert_true(cut->body[0].box->lower[0] == 2.5 && cut->body[0].linear->rows.count == 1);
    hcr_builder_free(builder);
}

/* In a star block what is convex becomes what it becomes elsewhere. */
static void test_star(void **state) {
    (void)state;
    hcr_builder *builder = build("var y[2]\nstar:\n"
                                 "    y[0] * y[1] <= 1\n"
                                 "    norm(y) <= 3\n"
                                 "    norm(y) >= 0.5\n"
                                 "    abs(y[0]) <= 2\n"
                                 "    sin(y[i]) <= 0.9 for i in range(2)\n"
                                 "    y[0] + y[1] == 1\n"
                                 "end");
    assert_int_equal(count_of(builder, HCRI_KIND_QUADRATIC), 1);
    assert_int_equal(count_of(builder, HCRI_KIND_EXPRESSION), 4);
    assert_false(block(builder, 0, HCRI_KIND_EXPRESSION)->convex);
    assert_bounds(builder, 0, -2, 2);
    assert_int_equal(builder->set.equalities.rows.count, 1);
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cones),         cmocka_unit_test(test_c07_one_dimension),
        cmocka_unit_test(test_matrices),      cmocka_unit_test(test_blocks_of_matrices),
        cmocka_unit_test(test_inverses),      cmocka_unit_test(test_domains),
        cmocka_unit_test(test_many_branches), cmocka_unit_test(test_equalities),
        cmocka_unit_test(test_groups),        cmocka_unit_test(test_star),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
