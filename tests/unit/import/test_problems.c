/* Five problems, each as fixed MPS, free MPS and LP, against the same rows given to the builder, and against CLP's
 * reader. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include "problems.h"

#include <coin/Clp_C_Interface.h>
#include <stdlib.h>
#include <unistd.h>

#include "hcr/hcr_import.h"

enum { SEED = 11, POINTS = 400, FORMATS = 3 };

/* What the files say, by calls. */
static hcr_region *build_reference(const problem *p) {
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    hcr_error error = {0};
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    for (size_t j = 0; j < p->columns; j++) {
        char name[32];
        column_name(name, j);
        assert_int_equal(hcr_builder_add_variable(builder, name, 1, 1, NULL), HCR_OK);
    }
    assert_int_equal(hcr_builder_add_bounds(builder, 0, p->columns, p->lower, p->upper, NULL), HCR_OK);
    for (size_t i = 0; i < p->rows; i++) {
        size_t start[2] = {0, 0};
        uint32_t columns[MOST_COLUMNS];
        double values[MOST_COLUMNS];
        for (size_t j = 0; j < p->columns; j++)
            if (p->a[i][j] != 0) {
                columns[start[1]] = (uint32_t)j;
                values[start[1]++] = p->a[i][j];
            }
        if (p->row_lower[i] == p->row_upper[i])
            assert_int_equal(hcr_builder_add_equalities(builder, 1, start, columns, values, &p->row_lower[i], &error),
                             HCR_OK);
        else
            assert_int_equal(hcr_builder_add_sparse_rows(builder, 1, start, columns, values, &p->row_lower[i],
                                                         &p->row_upper[i], &error),
                             HCR_OK);
    }
    if (hcr_builder_finish(builder, &region, &error) != HCR_OK)
        fail_msg("%s: %s", p->name, error.text);
    hcr_builder_free(builder);
    return region;
}

static hcr_import *parse(const char *text, size_t length) {
    hcr_import *import = NULL;
    hcr_error error = {0};
    if (hcr_import_parse(text, length, "problem", NULL, &import, &error) != HCR_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.text);
    return import;
}

static hcr_region *finish(hcr_builder *builder) {
    hcr_region *region = NULL;
    hcr_error error = {0};
    if (hcr_builder_finish(builder, &region, &error) != HCR_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.text);
    hcr_builder_free(builder);
    return region;
}

static hcr_region *build_directly(const hcr_import *import) {
    hcr_builder *builder = NULL;
    assert_int_equal(hcr_import_build(import, &builder, NULL), HCR_OK);
    return finish(builder);
}

/* By way of region text. */
static hcr_region *build_from_text(const hcr_import *import) {
    char path[] = "/tmp/hcr-import-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    hcr_builder *builder = NULL;
    hcr_error error = {0};
    assert_int_equal(hcr_import_write(import, path, &error), HCR_OK);
    if (hcr_text_build_file(path, 0, NULL, NULL, &builder, &error) != HCR_OK)
        fail_msg("%s", error.text);
    unlink(path);
    return finish(builder);
}

/* Random points about the one inside: along directions that keep the equalities, some on the frontier, some beyond. */
static double *make_points(const hcr_region *region, const problem *p) {
    const size_t n = p->columns;
    double *points = calloc(POINTS * n, sizeof *points), *polar = calloc(n + 1, sizeof *polar);
    hcr_workspace *workspace = NULL;
    hcri_random random;
    hcri_random_seed(&random, 5);
    assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t j = 0; j < n; j++)
            polar[j] = hcri_random_normal(&random);
        polar[n] = i % 2 == 0 ? 1 : hcri_random_uniform(&random);
        double *y = points + i * n;
        assert_int_equal(hcr_decode(region, workspace, 1, NULL, polar, y, NULL, NULL), HCR_OK);
        for (size_t j = 0; i % 4 == 2 && j < n; j++) /* just beyond */
            y[j] += 1e-9 * (y[j] - hcr_region_origin(region)[j]);
        for (size_t j = 0; i % 4 == 3 && j < n; j++) /* off the equalities too */
            y[j] += 0.01 * hcri_random_normal(&random);
    }
    free(polar);
    hcr_workspace_free(workspace);
    return points;
}

/* The solvers start from the same numbers in both, in the same order unless by way of text: origins, and what hangs on
 * them, agree to what a linear program's optimum is determined to. Decisions hang on nothing but the rows. */
static void compare(const hcr_region *wanted, const hcr_region *got, const problem *p, int same_order) {
    const size_t n = p->columns;
    assert_int_equal(hcr_region_dimension(got), n);
    assert_int_equal(hcr_region_freedom(got), hcr_region_freedom(wanted));
    double *points = make_points(wanted, p), value[2][POINTS];
    uint8_t inside[2][POINTS];
    uint32_t which[POINTS];
    size_t inside_count = 0;
    assert_int_equal(hcr_check(wanted, POINTS, NULL, points, inside[0], NULL, NULL), HCR_OK);
    assert_int_equal(hcr_check(got, POINTS, NULL, points, inside[1], NULL, NULL), HCR_OK);
    assert_int_equal(hcr_violation(wanted, POINTS, NULL, points, value[0], which, NULL), HCR_OK);
    assert_int_equal(hcr_violation(got, POINTS, NULL, points, value[1], which, NULL), HCR_OK);
    for (size_t i = 0; i < POINTS; i++) {
        assert_int_equal(inside[0][i], inside[1][i]);
        assert_true(fabs(value[0][i] - value[1][i]) <= 1e-12 * (1 + fabs(value[0][i])));
        inside_count += inside[0][i];
    }
    assert_true(inside_count >= POINTS / 4 && inside_count <= 3 * POINTS / 4);
    double *polar = calloc(n + 1, sizeof *polar), *y = calloc(2 * n, sizeof *y);
    hcr_workspace *workspace[2] = {NULL, NULL};
    hcri_random random;
    hcri_random_seed(&random, 6);
    assert_int_equal(hcr_workspace_create(wanted, 1, &workspace[0], NULL), HCR_OK);
    assert_int_equal(hcr_workspace_create(got, 1, &workspace[1], NULL), HCR_OK);
    for (int i = 0; i < 50; i++) {
        for (size_t j = 0; j < n; j++)
            polar[j] = hcri_random_normal(&random);
        polar[n] = hcri_random_uniform(&random);
        assert_int_equal(hcr_decode(wanted, workspace[0], 1, NULL, polar, y, NULL, NULL), HCR_OK);
        assert_int_equal(hcr_decode(got, workspace[1], 1, NULL, polar, y + n, NULL, NULL), HCR_OK);
        uint8_t both = 0;
        assert_int_equal(hcr_check(wanted, 1, NULL, y + n, &both, NULL, NULL), HCR_OK);
        assert_int_equal(both, 1);
        for (size_t j = 0; same_order && j < n; j++)
            assert_true(fabs(y[j] - y[n + j]) <= 1e-9 * (1 + fabs(y[j])));
    }
    hcr_workspace_free(workspace[0]);
    hcr_workspace_free(workspace[1]);
    free(points);
    free(polar);
    free(y);
}

static void write_format(hcri_report *text, const problem *p, int format) {
    *text = (hcri_report){0};
    if (format == 2)
        write_lp(text, p);
    else
        write_mps(text, p, format == 0);
    assert_false(text->failed);
}

static void test_against_builder(void **state) {
    (void)state;
    for (int which = 0; which < PROBLEMS; which++) {
        problem p;
        make_problem(&p, which, SEED);
        hcr_region *wanted = build_reference(&p);
        for (int format = 0; format < FORMATS; format++) {
            hcri_report text;
            write_format(&text, &p, format);
            hcr_import *import = parse(text.text, text.length);
            hcr_region *direct = build_directly(import), *by_text = build_from_text(import);
            compare(wanted, direct, &p, 1);
            compare(wanted, by_text, &p, 0);
            hcr_region_free(direct);
            hcr_region_free(by_text);
            hcr_import_free(import);
            free(text.text);
        }
        hcr_region_free(wanted);
    }
}

/* CLP's reader is another one altogether. It rounds some numbers to a neighbour of the nearest double, but not
 * sixteenths. */
static void test_against_clp(void **state) {
    (void)state;
    for (int which = 0; which < PROBLEMS; which++)
        for (int fixed = 0; fixed < 2; fixed++) {
            problem p;
            make_problem(&p, which, SEED + 1);
            hcri_report text = {0};
            write_mps(&text, &p, fixed);
            char path[] = "/tmp/hcr-import-XXXXXX";
            const int descriptor = mkstemp(path);
            assert_true(descriptor >= 0 && write(descriptor, text.text, text.length) == (ssize_t)text.length);
            close(descriptor);
            Clp_Simplex *clp = Clp_newModel();
            Clp_setLogLevel(clp, 0);
            assert_int_equal(Clp_readMps(clp, path, 1, 0), 0);
            unlink(path);
            assert_int_equal(Clp_numberRows(clp), p.rows);
            assert_int_equal(Clp_numberColumns(clp), p.columns);
            hcr_import *import = parse(text.text, text.length);
            hcr_builder *builder = NULL;
            assert_int_equal(hcr_import_build(import, &builder, NULL), HCR_OK);
            hcr_region *region = finish(builder);
            double *points = make_points(region, &p), *activity = calloc(p.rows, sizeof *activity);
            for (size_t i = 0; i < POINTS; i += 3) { /* the worst inequality by CLP's numbers */
                double worst = -INFINITY, ours;
                uint32_t broken;
                memset(activity, 0, p.rows * sizeof *activity);
                for (size_t j = 0; j < p.columns; j++) {
                    const double y = points[i * p.columns + j];
                    const double lower = Clp_getColLower(clp)[j], upper = Clp_getColUpper(clp)[j];
                    if (lower < upper)
                        worst = fmax(worst, fmax(lower - y, y - upper));
                    for (CoinBigIndex k = Clp_getVectorStarts(clp)[j]; k < Clp_getVectorStarts(clp)[j + 1]; k++)
                        activity[Clp_getIndices(clp)[k]] += Clp_getElements(clp)[k] * y;
                }
                for (size_t r = 0; r < p.rows; r++)
                    if (Clp_getRowLower(clp)[r] < Clp_getRowUpper(clp)[r])
                        worst = fmax(
                            worst, fmax(Clp_getRowLower(clp)[r] - activity[r], activity[r] - Clp_getRowUpper(clp)[r]));
                assert_int_equal(hcr_violation(region, 1, NULL, points + i * p.columns, &ours, &broken, NULL), HCR_OK);
                assert_true(fabs(ours - worst) <= 1e-11 * (1 + fabs(worst)));
            }
            free(points);
            free(activity);
            hcr_region_free(region);
            hcr_import_free(import);
            Clp_deleteModel(clp);
            free(text.text);
        }
}

/* The nearest double, whatever the decimals: what MPS says is what region text says. */
static void test_numbers_are_nearest(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (int k = 0; k < 200; k++) {
        char mps[512], region[256], number[32];
        snprintf(number, sizeof number, "%.*g", 2 + k % 7, hcri_random_normal(&random) * pow(10, k % 9 - 4));
        snprintf(mps, sizeof mps,
                 "NAME\nROWS\n L R\nCOLUMNS\n X R 1\n Y R 1\nRHS\n S R %s\nBOUNDS\n FR B X\n FR B Y\nENDATA\n", number);
        snprintf(region, sizeof region, "var X, Y\nX + Y <= %s\n", number);
        hcr_import *import = parse(mps, strlen(mps));
        hcr_builder *builder[2] = {NULL, NULL};
        hcr_error error = {0};
        assert_int_equal(hcr_import_build(import, &builder[0], &error), HCR_OK);
        assert_int_equal(hcr_text_build(region, strlen(region), "", NULL, 0, NULL, NULL, &builder[1], &error), HCR_OK);
        double value[2], zero[2] = {0, 0};
        for (int b = 0; b < 2; b++) {
            hcr_region *made = NULL;
            uint32_t broken;
            assert_int_equal(hcr_builder_allow_unbounded(builder[b], 1, NULL), HCR_OK);
            assert_int_equal(hcr_builder_finish(builder[b], &made, &error), HCR_OK);
            assert_int_equal(hcr_violation(made, 1, NULL, zero, &value[b], &broken, NULL), HCR_OK);
            hcr_region_free(made);
            hcr_builder_free(builder[b]);
        }
        assert_true(value[0] == value[1] && value[0] == -strtod(number, NULL));
        hcr_import_free(import);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_builder),
        cmocka_unit_test(test_against_clp),
        cmocka_unit_test(test_numbers_are_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
