/* What hcr_region_explain says of a region, from text to report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hcr/hcr_build.h"

static const char text[] = "var load[10]\nvar p\n0 <= load <= 8\nabs(diff(load)) <= 2\n-1 <= p <= 1\np <= 3 # implied\n"
                           "norm(load - 4) <= 100\n\"";

static hcr_region *make_of(const char *source, size_t length) {
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    hcr_error error = {0};
    if (hcr_text_build(source, length, "a\"b.hcr", NULL, 0, NULL, NULL, &builder, &error) != HCR_OK ||
        hcr_builder_finish(builder, &region, &error) != HCR_OK)
        fail_msg("%s", error.text);
    hcr_builder_free(builder);
    return region;
}

static hcr_region *make(void) { return make_of(text, strlen(text) - 1); }

static void assert_says(const char *report, const char *part) {
    if (strstr(report, part) == NULL)
        fail_msg("\"%s\" isn't in\n%s", part, report);
}

static void test_text(void **state) {
    (void)state;
    hcr_region *region = make();
    char *report = NULL;
    assert_int_equal(hcr_region_explain(region, 0, &report, NULL), HCR_OK);
    assert_says(report, "outputs       11: load[10] p\n");
    assert_says(report, "inequalities  41: 22 box, 18 linear in 9 rows with 18 coefficients, 1 quadratic\n");
    assert_says(report, "bounded       yes\n");
    assert_says(report, "inradius      1\n"); /* p is within 1 of its centre, 0; all else is wider */
    assert_says(report, "     3            20  box         0 <= load <= 8\n");
    assert_says(report, "     4            18  linear      abs(diff(load)) <= 2\n");
    assert_says(report, "     5             2  box         -1 <= p <= 1\n");
    assert_says(report, "     6             0  dropped     p <= 3 # implied\n");
    assert_says(report, "     7             1  quadratic   norm(load - 4) <= 100\n");
    assert_says(report, "  load[0]                  0             4             8\n");
    assert_says(report, "… 3 more; all outputs lie between -1 and 8");
    hcr_free(report);
    hcr_region_free(region);
}

static void test_json(void **state) {
    (void)state;
    hcr_region *region = make();
    char *report = NULL;
    assert_int_equal(hcr_region_explain(region, 1, &report, NULL), HCR_OK);
    assert_says(report, "\"variables\": [{\"name\": \"load\", \"size\": 10, \"scalar\": false}, "
                        "{\"name\": \"p\", \"size\": 1, \"scalar\": true}]");
    assert_says(report, "{\"file\": \"a\\\"b.hcr\", \"line\": 4, \"column\": 1, \"text\": \"abs(diff(load)) <= 2\", "
                        "\"box\": 0, \"linear\": 18, \"quadratic\": 0, \"cone\": 0, ");
    assert_says(report, "\"lower\": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1]");
    assert_says(report, "\"upper\": [8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 1]");
    int depth = 0, in_string = 0; /* brackets match, outside strings */
    for (const char *c = report; *c != '\0'; c++) {
        if (*c == '\\')
            c++;
        else if (*c == '"')
            in_string = !in_string;
        else if (!in_string)
            depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
    hcr_free(report);
    hcr_region_free(region);
}

/* The cost is that of the layout: differences are a stencil, whose two coefficients are read once. */
static void test_cost(void **state) {
    (void)state;
    const char *plain = "var y[64]\n0 <= y <= 1", *rows = "var y[64]\n0 <= y <= 1\nabs(diff(y)) <= 0.5";
    double multiply_adds[2];
    for (int i = 0; i < 2; i++) {
        hcr_builder *builder = NULL;
        hcr_region *region = NULL;
        hcr_error error = {0};
        const char *source = i == 0 ? plain : rows;
        if (hcr_text_build(source, strlen(source), "t", NULL, 0, NULL, NULL, &builder, &error) != HCR_OK ||
            hcr_builder_finish(builder, &region, &error) != HCR_OK)
            fail_msg("%s", error.text);
        char *report = NULL;
        assert_int_equal(hcr_region_explain(region, 1, &report, NULL), HCR_OK);
        const char *at = strstr(report, "\"decode_multiply_adds\": ");
        assert_non_null(at);
        multiply_adds[i] = atof(strchr(at, ':') + 1);
        hcr_free(report);
        hcr_region_free(region);
        hcr_builder_free(builder);
    }
    assert_true(multiply_adds[0] == 4 * 64);
    assert_true(multiply_adds[1] - multiply_adds[0] == 63 * 2 + 63 * 2); /* a product, then two sides a row */
}

/* Both reports of a text; released by the caller. */
static void explain(const char *source, char *report[2]) {
    hcr_region *region = make_of(source, strlen(source));
    for (int json = 0; json < 2; json++)
        assert_int_equal(hcr_region_explain(region, json, &report[json], NULL), HCR_OK);
    hcr_region_free(region);
}

static void test_kinds(void **state) {
    (void)state;
    char *report[2];
    explain("var x[3]\nvar t\nt <= 2\nnorm(x) <= t\nx[0] + x[1] == 0.5\n2 * x[0] + 2 * x[1] == 1\n"
            "lambda_max([[x[0], x[1], 1], [x[1], 0, x[2]], [1, x[2], 0]]) <= 4\nexp(x[0]) + exp(x[2]) <= 9",
            report);
    assert_says(report[0], "equalities    1, eliminated: 3 of 4 outputs stay free\n");
    assert_says(report[0], "convex        yes\nbounded       yes\n");
    assert_says(report[0], "     4             1  cone        norm(x) <= t\n");
    assert_says(report[0], "exact sums    1 of 1 in double precision, 1 in single\n");
    assert_says(report[0], "     5             1  exact sum   x[0] + x[1] == 0.5\n");
    assert_says(report[0], "     6             0  dropped     2 * x[0] + 2 * x[1] == 1\n");
    assert_says(report[0], "     7             1  lmi         lambda_max");
    assert_says(report[0], "     8             1  expression  exp(x[0]) + exp(x[2]) <= 9\n");
    assert_says(report[1], "\"equalities\": 1,\n  \"free_outputs\": 3,\n  \"convex\": true,\n");
    assert_says(report[1], "\"text\": \"x[0] + x[1] == 0.5\", \"box\": 0");
    assert_says(report[1], "\"except\": 0, \"varying\": 0, \"varying_cone\": 0, \"equality\": 1, \"exact_sums\": 1, "
                           "\"exact_sums_single\": 1, "
                           "\"range\": 0, \"in_parts\": 0}");
    hcr_free(report[0]);
    hcr_free(report[1]);
}

/* Parts of a union, what the origin sees, and directions that nothing stops. */
static void test_star(void **state) {
    (void)state;
    char *report[2];
    explain("var y[2]\nunion:\n    norm(y) <= 2\nor\n    abs(y) <= [5, 1]\nend\norigin = [0, 0]", report);
    assert_says(report[0], "inequalities  1: 1 union\nconvex        no: a star domain\n"
                           "visible       all of it, proved");
    assert_says(report[0],
                "     2             1  union       union:\n     3             1  quadratic       norm(y) <= 2\n"
                "     5             4  box             abs(y) <= [5, 1]\n  (indented:");
    assert_says(report[1], "\"convex\": false,\n  \"visibility\": {\"proved\": true, ");
    assert_says(report[1],
                "\"union\": 1, \"except\": 0, \"varying\": 0, \"varying_cone\": 0, \"equality\": 0, \"exact_sums\": 0, "
                "\"exact_sums_single\": 0, \"range\": 0, \"in_parts\": 0}");
    assert_says(report[1],
                "\"equality\": 0, \"exact_sums\": 0, \"exact_sums_single\": 0, \"range\": 0, \"in_parts\": 4}");
    hcr_free(report[0]);
    hcr_free(report[1]);
    explain("var y[2]\n-4 <= y <= 4\nexcept norm(y - 2) <= 0.5\norigin = [0, 0]", report);
    assert_says(report[0], "visible       checked, not proved: ");
    assert_says(report[1], "\"proved\": false, \"points\": ");
    hcr_free(report[0]);
    hcr_free(report[1]);
    explain("var y[2]\nunbounded\ny >= 0\ny[0] <= 3", report);
    assert_says(report[0], "bounded       no: unbounded directions are allowed\n");
    assert_says(report[1], "\"bounded\": false,\n  \"unbounded_allowed\": true,\n");
    hcr_free(report[0]);
    hcr_free(report[1]);
}

/* C19: 1e8 for "none". */
static void test_c19_warning(void **state) {
    (void)state;
    char *report[2];
    explain("var y[3]\n[-1, -1e8, 0] <= y <= [1e8, 1, 1234567]", report);
    assert_says(report[0], "warning       y[0] is bounded by 1e+08: if that stands for no bound, write inf");
    assert_says(report[0], "warning       y[1] is bounded by -1e+08");
    assert_null(strstr(report[0], "warning       y[2]"));
    assert_says(report[1], "\"warnings\": [\"y[0] is bounded by 1e+08");
    hcr_free(report[0]);
    hcr_free(report[1]);
}

/* Parameters stand beside the outputs, with their ranges; the origin is said to move. */
static void test_parameters(void **state) {
    (void)state;
    char *report[2];
    explain("param cap[10] in [1, 3], t in [0.5, 1]\nvar y[10]\n0 <= y <= cap\nt * sum(y) + cap[0] <= 40\n"
            "y[9] == y[8] + t - 0.75",
            report);
    assert_says(report[0], "outputs       10: y[10]\nparameters    11: cap[10] t\n"
                           "inequalities  21: 10 box, 10 linear in 10 rows with 20 coefficients, 1 varying\n"
                           "equalities    1, eliminated: 9 of 10 outputs stay free\n");
    assert_says(report[0], "strictly inside for all ");
    assert_says(report[0], ": proved\n");
    assert_says(report[0], "\n  y[7] ");
    assert_says(report[0], "… 2 more; all outputs lie between 0 and 3");
    assert_says(report[0], "  parameter            lower                       upper\n"
                           "  cap[0]                   1                           3\n");
    assert_says(report[0], "  … 3 more\n");
    assert_says(report[0], "     1            11  range       param cap[10] in [1, 3], t in [0.5, 1]\n"
                           "     3            10  box         0 <= y <= cap\n     3            10  linear      0 <= ");
    assert_says(report[0], "     4             1  varying     t * sum(y)");
    assert_says(report[1], "\"outputs\": 10,\n  \"variables\": [{\"name\": \"y\", \"size\": 10, \"scalar\": false}],\n"
                           "  \"parameters\": [{\"name\": \"cap\", \"size\": 10, \"scalar\": false}, "
                           "{\"name\": \"t\", \"size\": 1, \"scalar\": true}],\n"
                           "  \"parameter_lower\": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.5],\n");
    assert_says(report[1], "\"free_outputs\": 9,");
    assert_says(report[1], "\"varying\": 1, \"varying_cone\": 0, \"equality\": 0, \"exact_sums\": 0, "
                           "\"exact_sums_single\": 0, \"range\": 0, ");
    assert_says(report[1], "\"origin_form\": \"");
    hcr_free(report[0]);
    hcr_free(report[1]);
    /* nothing is strictly inside at x = 0 */
    explain("var y\nparam x in [0, 1]\n0 <= y <= x", report);
    assert_says(report[0], "found for each sample: no point that moves affinely is inside for all parameters\n");
    assert_says(report[0], "the analytic centre of its bounds and rows, by steps of about 2 multiply-adds each\n");
    assert_says(report[1], "\"origin_form\": \"checked\"");
    hcr_free(report[0]);
    hcr_free(report[1]);
    explain("var y[2]\nparam x in [0, 1]\n-1 <= y <= 1\nnorm(y) <= x", report);
    assert_says(report[0], "the analytic centre of its inequalities\n");
    hcr_free(report[0]);
    hcr_free(report[1]);
    explain("var y[2]\nparam x in [1, 2]\ny >= -5\nlog_sum_exp(y) <= x", report);
    assert_says(report[0], "an affine guess, where that is inside\n");
    hcr_free(report[0]);
    hcr_free(report[1]);
}

static void test_arguments(void **state) {
    (void)state;
    char *report = NULL;
    assert_int_equal(hcr_region_explain(NULL, 0, &report, NULL), HCR_ERROR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),       cmocka_unit_test(test_json),      cmocka_unit_test(test_cost),
        cmocka_unit_test(test_kinds),      cmocka_unit_test(test_star),      cmocka_unit_test(test_c19_warning),
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
