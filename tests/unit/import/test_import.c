/* Names, text and cones. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "base/text_buffer.h"
#include "hcr/hcr_import.h"
#include "import/problem.h"

static hcr_import *parse(const char *text) {
    hcr_import *import = NULL;
    hcr_error error = {0};
    if (hcr_import_parse(text, strlen(text), "file", NULL, &import, &error) != HCR_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.text);
    return import;
}

/* The region text of an import; the caller frees it. */
static char *text_of(const hcr_import *import, char *path) {
    strcpy(path, "/tmp/hcr-import-XXXXXX");
    const int descriptor = mkstemp(path);
    hcr_error error = {0};
    assert_true(descriptor >= 0);
    close(descriptor);
    if (hcr_import_write(import, path, &error) != HCR_OK)
        fail_msg("%s", error.text);
    FILE *stream = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    assert_non_null(stream);
    assert_true(fread(text, 1, (1 << 20) - 1, stream) > 0);
    fclose(stream);
    return text;
}

static void expect_text(const char *file, const char *wanted) {
    char path[64];
    hcr_import *import = parse(file);
    char *text = text_of(import, path);
    assert_string_equal(text, wanted);
    unlink(path);
    free(text);
    hcr_import_free(import);
}

static void test_names(void **state) {
    (void)state;
    /* A vector in any order; one that isn't whole; words and functions of the language; clashes. */
    expect_text("min y(1) + y(0) + x[0] + x[2] + end + sum + a!b + a_b + a#b\nst\n c: y(0) >= 1\nend\n",
                "# Imported from file (LP)\n#   the objective is ignored\n"
                "#   renamed: \"y(1)\" is y[1], \"x[0]\" is x_0, \"x[2]\" is x_2, \"end\" is end_, \"sum\" is sum_, "
                "\"a!b\" is a_b_2, \"a#b\" is a_b_3\n"
                "var y[2], x_0, x_2, end_, sum_, a_b_2, a_b, a_b_3\n\n"
                "y >= 0\n[x_0, x_2, end_, sum_, a_b_2, a_b, a_b_3] >= 0\n\ny[0] >= 1  # c\n");
    expect_text(
        "min x[1] + x[0]\nst\n x[1] + 2 x[0] <= 3\nbounds\n x[0] <= 4\n x[1] <= 4\nend\n",
        "# Imported from file (LP)\n#   the objective is ignored\nvar x[2]\n\n0 <= x <= 4\n\n2*x[0] + x[1] <= 3\n");
}

static void test_bounds_in_text(void **state) {
    (void)state;
    expect_text("min\nst\n r: x[0] + x[1] + x[2] + x[3] = 1\nbounds\n x[0] <= 5\n x[1] <= 5\n x[2] = 3\n x[3] free\n a "
                ">= 2\n b "
                ">= 2\n -inf <= c <= 2\n d free\nend\n",
                "# Imported from file (LP)\n#   the objective is ignored\nvar x[4], a, b, c, d\n\n0 <= x[0:2] <= 5\n"
                "x[2] == 3\n[a, b] >= 2\nc <= 2\n\nx[0] + x[1] + x[2] + x[3] == 1  # r\n");
}

/* Where a bound is a sum it is rounded to the inside: 0.1 + 0.2 isn't 0.30000000000000004, and 1 − 1e-17 is below 1. */
static void test_sums_round_inside(void **state) {
    (void)state;
    assert_true(hcri_upper_sum(0.1, 0.2) == 0.3);
    assert_true(hcri_lower_sum(0.1, 0.2) == 0.30000000000000004);
    assert_true(hcri_upper_sum(1, -1e-17) == nextafter(1, 0));
    assert_true(hcri_lower_sum(1, -1e-17) == 1);
    assert_true(hcri_upper_sum(1, 2) == 3 && hcri_lower_sum(1, 2) == 3);
    assert_true(hcri_lower_sum(-INFINITY, 1) == -INFINITY);
}

static hcr_region *build(const hcr_import *import) {
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    hcr_error error = {0};
    if (hcr_import_build(import, &builder, &error) != HCR_OK || hcr_builder_finish(builder, &region, &error) != HCR_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.text);
    hcr_builder_free(builder);
    return region;
}

/* Both ways to a region, and the formula that says what is inside. */
static void check_geometry(const char *cbf, size_t n, double reach, int (*inside)(const double *y)) {
    char path[64];
    hcr_import *import = parse(cbf);
    char *text = text_of(import, path);
    unlink(path);
    hcr_builder *builder = NULL;
    hcr_region *region[2] = {build(import), NULL};
    hcr_error error = {0};
    if (hcr_text_build(text, strlen(text), "text", NULL, 0, NULL, NULL, &builder, &error) != HCR_OK ||
        hcr_builder_finish(builder, &region[1], &error) != HCR_OK)
        fail_msg("%s\n%s", error.text, text);
    hcri_random random;
    hcri_random_seed(&random, 8);
    enum { POINTS = 20000 };
    size_t count = 0;
    for (int i = 0; i < POINTS; i++) {
        double y[8];
        uint8_t in[2];
        for (size_t j = 0; j < n; j++)
            y[j] = reach * (2 * hcri_random_uniform(&random) - 1);
        const int wanted = inside(y);
        for (int r = 0; r < 2; r++) {
            assert_int_equal(hcr_check(region[r], 1, NULL, y, &in[r], NULL, NULL), HCR_OK);
            assert_int_equal(in[r], wanted);
        }
        count += (size_t)wanted;
    }
    assert_true(count > 100 && count < POINTS - 100);
    hcr_region_free(region[0]);
    hcr_region_free(region[1]);
    hcr_builder_free(builder);
    hcr_import_free(import);
    free(text);
}

static int in_ice_cream(const double *y) { return y[0] <= 1 && hypot(y[1], y[2]) <= y[0]; }
static int in_rotated(const double *y) {
    return y[0] >= 0 && y[1] >= 0 && y[0] <= 1 && y[1] <= 1 && y[2] * y[2] <= 2 * y[0] * y[1];
}
static int in_affine(const double *y) {
    return hypot(2 * y[0] - 1, y[0] + y[1]) <= 3 - y[1] && fabs(y[0]) <= 2 && fabs(y[1]) <= 2;
}
static int in_spectrahedron(const double *y) { /* [[1 + y0, y1], [y1, 1 − y0]] is positive semidefinite: a disc */
    return y[0] * y[0] + y[1] * y[1] <= 1;
}

static void test_cones(void **state) {
    (void)state;
    check_geometry("VER\n1\nOBJSENSE\nMIN\nVAR\n3 1\nQ 3\nCON\n1 1\nL- 1\nACOORD\n1\n0 0 1\nBCOORD\n1\n0 -1\n", 3, 1.2,
                   in_ice_cream);
    check_geometry(
        "VER\n1\nOBJSENSE\nMIN\nVAR\n3 1\nQR 3\nCON\n2 1\nL- 2\nACOORD\n2\n0 0 1\n1 1 1\nBCOORD\n2\n0 -1\n1 -1\n", 3,
        1.3, in_rotated);
    check_geometry(
        "VER\n2\nVAR\n2 1\nF 2\nCON\n7 2\nQ 3\nL+ 4\nACOORD\n8\n0 1 -1\n1 0 2\n2 0 1\n2 1 1\n3 0 1\n4 0 -1\n5 1 "
        "1\n6 1 -1\nBCOORD\n6\n0 3\n1 -1\n3 2\n4 2\n5 2\n6 2\n",
        2, 2.5, in_affine);
    check_geometry(
        "VER\n4\nVAR\n2 1\nF 2\nPSDCON\n1\n2\nHCOORD\n3\n0 0 0 0 1\n0 0 1 1 -1\n0 1 1 0 1\nDCOORD\n2\n0 0 0 1\n0 "
        "1 1 1\n",
        2, 1.2, in_spectrahedron);
}

/* Rows of more than 40 terms are products of two lists; the region is the same. */
static void test_long_rows(void **state) {
    (void)state;
    hcri_report lp = {0};
    hcri_report_write(&lp, "min\nst\n");
    for (int row = 0; row < 5; row++) {
        hcri_report_write(&lp, " r%d: %s", row, row == 3 ? "-50 <= " : "");
        for (int j = 0; j < 60; j++)
            hcri_report_write(&lp, " + %g x[%d]", 1 + 0.25 * ((row * 7 + j * 3) % 11), j);
        hcri_report_write(&lp, " %s %d\n",
                          row == 0   ? "="
                          : row == 1 ? ">="
                                     : "<=",
                          row == 0   ? 200
                          : row == 1 ? 40
                                     : 400);
    }
    hcri_report_write(&lp, "bounds\n");
    for (int j = 0; j < 60; j++)
        hcri_report_write(&lp, " x[%d] <= 5\n", j);
    hcri_report_write(&lp, "end\n");
    char path[64];
    hcr_import *import = parse(lp.text);
    char *text = text_of(import, path);
    assert_non_null(strstr(text, "dot(["));
    assert_non_null(strstr(text, "]) == 200"));
    hcr_region *direct = build(import), *by_text = NULL;
    hcr_builder *builder = NULL;
    hcr_error error = {0};
    if (hcr_text_build_file(path, 0, NULL, NULL, &builder, &error) != HCR_OK ||
        hcr_builder_finish(builder, &by_text, &error) != HCR_OK)
        fail_msg("%s\n%s", error.text, text);
    hcri_random random;
    hcri_random_seed(&random, 9);
    for (int i = 0; i < 200; i++) {
        double y[60], value[2];
        uint32_t which;
        for (int j = 0; j < 60; j++)
            y[j] = 3 * hcri_random_uniform(&random);
        assert_int_equal(hcr_violation(direct, 1, NULL, y, &value[0], &which, NULL), HCR_OK);
        assert_int_equal(hcr_violation(by_text, 1, NULL, y, &value[1], &which, NULL), HCR_OK);
        assert_true(fabs(value[0] - value[1]) <= 1e-12 * (1 + fabs(value[0])));
    }
    unlink(path);
    free(text);
    free(lp.text);
    hcr_region_free(direct);
    hcr_region_free(by_text);
    hcr_builder_free(builder);
    hcr_import_free(import);
}

/* Sources are lines of the file. */
static void test_sources(void **state) {
    (void)state;
    hcr_import *import = parse("min\nst\n cap: x + y <= 3\n x - y >= -1\nbounds\n x <= 2\n y <= 2\nend\n");
    hcr_region *region = build(import);
    const double outside[2] = {2, 1.5};
    uint8_t inside;
    uint32_t which;
    assert_int_equal(hcr_check(region, 1, NULL, outside, &inside, &which, NULL), HCR_OK);
    assert_int_equal(inside, 0);
    const hcr_constraint_info info = hcr_region_constraint(region, which);
    assert_string_equal(info.file, "file");
    assert_int_equal(info.line, 3);
    assert_string_equal(info.text, "row cap");
    hcr_region_free(region);
    hcr_import_free(import);
}

/* Memory that runs out after any number of requests: reported, and nothing is lost (a sanitizer sees what is). */
static size_t left;
static void *allocate(void *context, size_t bytes) {
    (void)context;
    return left-- == 0 ? (left = 0, NULL) : malloc(bytes);
}
static void release(void *context, void *memory) {
    (void)context;
    free(memory);
}

static void test_memory(void **state) {
    (void)state;
    static const char *const files[] = {
        "NAME t\nROWS\n L r\nCOLUMNS\n x(0) r 1\n x-1 r 1\nRHS\n s r 1\nENDATA\n",
        "min x\nst\n c: x + y[0] <= 1\n 1 <= x + z <= 2\nend\n",
        "VER\n1\nVAR\n3 1\nQR 3\nPSDCON\n1\n2\nHCOORD\n1\n0 1 1 0 2.5\n",
    };
    const hcr_allocator allocator = {allocate, release, NULL};
    for (size_t f = 0; f < 3; f++)
        for (size_t most = 0;; most++) {
            hcr_import *import = NULL;
            hcr_builder *builder = NULL;
            hcr_error error = {0};
            left = most;
            hcr_status status = hcr_import_parse(files[f], strlen(files[f]), "file", &allocator, &import, &error);
            if (status == HCR_OK)
                status = hcr_import_build(import, &builder, &error);
            hcr_builder_free(builder);
            hcr_import_free(import);
            if (status == HCR_OK)
                break;
            assert_int_equal(status, HCR_ERROR_MEMORY);
        }
}

/* D50: what the cones of CBF are, by their definitions. */
static double beyond_exp(const double *x) { return x[1] * exp(x[2] / x[1]) - x[0]; }
static double beyond_exp_dual(const double *x) { return -x[2] * exp(x[1] / x[2] - 1) - x[0]; }
static double beyond_power(const double *x) { return hypot(x[2], x[3]) - pow(x[0], 1 / 3.0) * pow(x[1], 2 / 3.0); }
static double beyond_power_dual(const double *x) {
    return hypot(x[2], x[3]) - pow(3 * x[0], 1 / 3.0) * pow(1.5 * x[1], 2 / 3.0);
}

static void test_cones_of_exp_and_power(void **state) {
    (void)state;
    enum { POINTS = 4000 };
    static const struct {
        const char *cone;
        size_t n;
        double (*beyond)(const double *x);
        double sign[4]; /* of what must be positive for the formula to make sense, 0 for any */
    } cases[] = {{"EXP 3", 3, beyond_exp, {0, 1, 0, 0}},
                 {"EXP* 3", 3, beyond_exp_dual, {0, 0, -1, 0}},
                 {"@0:POW 4", 4, beyond_power, {1, 1, 0, 0}},
                 {"@0:POW* 4", 4, beyond_power_dual, {1, 1, 0, 0}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[256];
        const size_t n = cases[k].n;
        snprintf(text, sizeof text, "VER\n3\nPOWCONES\n1 2\n2\n0.2\n0.4\nPOW*CONES\n1 2\n2\n0.2\n0.4\nVAR\n%zu 1\n%s\n",
                 n, cases[k].cone);
        hcr_import *import = parse(text);
        hcr_builder *builder = NULL;
        hcr_region *region = NULL;
        hcr_error error = {0};
        assert_int_equal(hcr_import_build(import, &builder, &error), HCR_OK);
        assert_int_equal(hcr_builder_allow_unbounded(builder, 1, NULL), HCR_OK);
        if (hcr_builder_finish(builder, &region, &error) != HCR_OK)
            fail_msg("%s: %s", cases[k].cone, error.text);
        hcri_random random;
        hcri_random_seed(&random, 4 + k);
        size_t inside_count = 0;
        for (size_t i = 0; i < POINTS; i++) {
            double x[4], size = 1;
            uint8_t inside;
            for (size_t j = 0; j < n; j++) {
                x[j] = 3 * hcri_random_normal(&random);
                x[j] = cases[k].sign[j] == 0 ? x[j] : cases[k].sign[j] * fabs(x[j]);
                size = fmax(size, fabs(x[j]));
            }
            const double beyond = cases[k].beyond(x);
            if (fabs(beyond) <= 1e-9 * size) /* either way, by rounding of the formula */
                continue;
            assert_int_equal(hcr_check(region, 1, NULL, x, &inside, NULL, NULL), HCR_OK);
            assert_int_equal(inside, beyond < 0);
            inside_count += inside;
        }
        assert_true(inside_count > POINTS / 50 && inside_count < POINTS - POINTS / 50);
        hcr_region_free(region);
        hcr_builder_free(builder);
        hcr_import_free(import);
    }
}

/* Matrix variables [[a, b], [b, c]] and [d] beside a variable x: positive semidefinite, a + 3 x + d <= 4, and
 * [[0, 1.5], [1.5, 2]]·X = 3 b + 2 c >= −1, whose 1.5 counts twice. */
static int is_in_matrices(const double *y) {
    const double a = y[0], b = y[1], c = y[2], d = y[3], x = y[4];
    return a >= 0 && c >= 0 && a * c >= b * b && d >= 0 && x >= 0 && a + 3 * x + d <= 4 && 3 * b + 2 * c >= -1 &&
           a + c <= 5;
}

static void test_matrix_variables(void **state) {
    (void)state;
    const char *cbf = "VER\n1\nOBJSENSE\nMIN\nPSDVAR\n2\n2\n1\nVAR\n1 1\nL+ 1\nCON\n3 3\nL- 1\nL+ 1\nL- 1\n"
                      "OBJFCOORD\n1\n0 1 0 1\nOBJACOORD\n1\n0 1\nFCOORD\n6\n0 0 0 0 1\n0 1 0 0 1\n1 0 1 0 1.5\n"
                      "1 0 1 1 2\n2 0 0 0 1\n2 0 1 1 1\nACOORD\n1\n0 0 3\nBCOORD\n3\n0 -4\n1 1\n2 -5\n";
    hcr_import *import = parse(cbf);
    assert_int_equal(hcr_import_outputs(import), 5);
    assert_string_equal(import->output[0].name, "X0");
    assert_int_equal(import->output[0].size, 3);
    assert_string_equal(import->output[1].name, "X1");
    assert_string_equal(import->output[2].name, "x");
    hcr_import_free(import);
    check_geometry(cbf, 5, 2, is_in_matrices);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_bounds_in_text),
        cmocka_unit_test(test_sums_round_inside),
        cmocka_unit_test(test_cones),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_cones_of_exp_and_power),
        cmocka_unit_test(test_matrix_variables),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
