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

static hcr_region *make(void) {
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    hcr_error error = {0};
    if (hcr_text_build(text, strlen(text) - 1, "a\"b.hcr", NULL, 0, NULL, NULL, &builder, &error) != HCR_OK ||
        hcr_builder_finish(builder, &region, &error) != HCR_OK)
        fail_msg("%s", error.text);
    hcr_builder_free(builder);
    return region;
}

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
    assert_says(report, "inequalities  41: 22 box, 18 linear, 1 quadratic in 9 rows with 18 coefficients\n");
    assert_says(report, "bounded       yes\n");
    assert_says(report, "inradius      1\n"); /* p is within 1 of its centre, 0; all else is wider */
    assert_says(report, "     3            20  box        0 <= load <= 8\n");
    assert_says(report, "     4            18  linear     abs(diff(load)) <= 2\n");
    assert_says(report, "     5             2  box        -1 <= p <= 1\n");
    assert_says(report, "     6             0  dropped    p <= 3 # implied\n");
    assert_says(report, "     7             1  quadratic  norm(load - 4) <= 100\n");
    assert_says(report, "  load[0]                  0             4             8\n");
    assert_says(report, "… 3 more; all outputs lie between -1 and 8");
    free(report);
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
                        "\"box\": 0, \"linear\": 18, \"quadratic\": 0}");
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
    free(report);
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
        free(report);
        hcr_region_free(region);
        hcr_builder_free(builder);
    }
    assert_true(multiply_adds[0] == 4 * 64);
    assert_true(multiply_adds[1] - multiply_adds[0] == 63 * 2 + 63 * 2); /* a product, then two sides a row */
}

static void test_arguments(void **state) {
    (void)state;
    char *report = NULL;
    assert_int_equal(hcr_region_explain(NULL, 0, &report, NULL), HCR_ERROR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
