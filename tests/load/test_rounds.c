/* C55: made, loaded, used and freed again and again, with and without success: the heap ends as large as it was after
 * the first rounds. HCR_LONG in the environment: 100,000 rounds. Where malloc tells nothing (under AddressSanitizer,
 * which looks for leaks itself), the rounds are run all the same. */
#define _GNU_SOURCE /* mallinfo2 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hcr/hcr_build.h"
#include "hcr/hcr_learn.h"
#include "hcr/hcr_table.h"
#include "numeric/regions.h"
#include "numeric/texts.h"

static const char text[] = "var y[3]\nnorm(y) <= 2\nabs(y[0] - y[1]) <= 0.5\nsum(y) == 0.25\nlog_sum_exp(y) <= 3\n";
static char folder[] = "/tmp/hcr-rounds-XXXXXX", model_path[64], table_path[64];

static size_t heap(void) { return mallinfo2().uordblks; }

static hcr_region *make(void) { return text_region(text); }

static void use(const hcr_region *region) {
    hcr_workspace *workspace = workspace_of(region, 1);
    const double v[6] = {1, -2, 3, 0, 0, 0};
    double y[6];
    uint8_t inside[2];
    hcr_error error = {0};
    must(hcr_contract(region, workspace, 2, NULL, v, y, NULL, &error), &error);
    must(hcr_check(region, 2, NULL, y, inside, NULL, &error), &error);
    assert_true(inside[0] && inside[1]);
    assert_non_null(hcr_region_origin(region));
    hcr_workspace_free(workspace);
}

static void build_round(void) {
    hcr_region *region = make();
    use(region);
    hcr_region_free(region);
}

static void *compiled;
static size_t compiled_size;

static void load_round(void) {
    hcr_region *region = NULL;
    hcr_error error = {0};
    must(hcr_region_read(compiled, compiled_size, NULL, &region, &error), &error);
    use(region);
    hcr_region_free(region);
}

static void damaged_round(void) {
    static size_t at;
    unsigned char *bytes = compiled;
    hcr_region *region = NULL;
    at = (at + 7) % compiled_size;
    bytes[at] ^= 0x10;
    assert_int_not_equal(hcr_region_read(compiled, compiled_size, NULL, &region, NULL), HCR_OK);
    assert_null(region);
    bytes[at] ^= 0x10;
}

static void wrong_text_round(void) {
    static size_t length;
    hcr_builder *builder = NULL;
    length = (length + 1) % (sizeof text - 1);
    if (hcr_text_build(text, length, "t", NULL, 0, NULL, NULL, &builder, NULL) == HCR_OK)
        hcr_builder_free(builder);
}

static void empty_round(void) {
    static const char nothing[] = "var y[2]\nsum(y) <= 0\ny >= 1\n";
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    hcr_error error = {0};
    must(hcr_text_build(nothing, strlen(nothing), "t", NULL, 0, NULL, NULL, &builder, &error), &error);
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_ERROR_EMPTY);
    hcr_builder_free(builder);
}

static void model_round(void) {
    hcr_model *model = NULL;
    hcr_error error = {0};
    must(hcr_model_load(model_path, &model, &error), &error);
    assert_int_equal(hcr_model_inputs(model), 3);
    assert_non_null(hcr_model_summary(model));
    hcr_model_free(model);
    assert_int_not_equal(hcr_model_load(table_path, &model, &error), HCR_OK);
}

static void table_round(void) {
    hcr_table table = {0};
    hcr_error error = {0};
    must(hcr_table_read(table_path, HCR_TABLE_BY_NAME, NULL, 0, &table, &error), &error);
    must(hcr_table_read(table_path, HCR_TABLE_CSV, NULL, 0, &table, &error), &error); /* into one that isn't empty */
    assert_int_not_equal(hcr_table_read(table_path, HCR_TABLE_NPY, NULL, 0, &table, &error), HCR_OK);
    hcr_table_clear(&table);
}

static void project_round(void) {
    hcr_region *region = NULL;
    hcr_projector *projector = NULL;
    const double far[3] = {5, 4, -3};
    double y[3];
    hcr_error error = {0};
    must(hcr_region_read(compiled, compiled_size, NULL, &region, &error), &error);
    must(hcr_projector_create(region, NULL, &projector, &error), &error);
    must(hcr_project(projector, 1, NULL, far, y, NULL, NULL, &error), &error);
    hcr_projector_free(projector);
    hcr_region_free(region);
}

/* What is kept for the next time (a solver's tables) is there after the first rounds. */
static void repeat(const char *name, size_t rounds, void (*round)(void)) {
    for (size_t k = 0; k < rounds / 4 + 8; k++)
        round();
    const size_t before = heap();
    for (size_t k = 0; k < rounds; k++)
        round();
    const size_t after = heap();
    print_message("    %-9s %7zu rounds: heap %zu, then %zu bytes\n", name, rounds, before, after);
    assert_true(after <= before + 16384);
}

static void test_rounds(void **state) {
    (void)state;
    const size_t many = getenv("HCR_LONG") != NULL ? 100000 : 400, few = getenv("HCR_LONG") != NULL ? 2000 : 20;
    repeat("load", many, load_round);
    repeat("damaged", many, damaged_round);
    repeat("text", many, wrong_text_round);
    repeat("table", many, table_round);
    repeat("model", many, model_round);
    repeat("empty", few, empty_round);
    repeat("build", few, build_round);
    repeat("project", few, project_round);
}

static int setup(void **state) {
    (void)state;
    hcr_error error = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(model_path, sizeof model_path, "%s/model", folder);
    snprintf(table_path, sizeof table_path, "%s/table.csv", folder);
    FILE *table = fopen(table_path, "wb");
    assert_non_null(table);
    fputs("a,b,c\n1,2,3\n4,5,6\n", table);
    fclose(table);
    hcr_region *region = make();
    must(hcr_region_write(region, &compiled, &compiled_size, &error), &error);
    const double X[6] = {1, 2, 3, 3, 2, 1}, Y[6] = {0.1, 0.1, 0.05, 0, 0.125, 0.125};
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.hidden = 2;
    options.epochs = 1;
    options.head = HCR_HEAD_CONTRACT;
    hcr_model *model = NULL;
    must(hcr_fit(region, NULL, 2, 3, X, NULL, NULL, Y, &options, &model, NULL, &error), &error);
    must(hcr_model_save(model, model_path, &error), &error);
    hcr_model_free(model);
    hcr_region_free(region);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    hcr_free(compiled);
    return unlink(model_path) + unlink(table_path) + rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rounds)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
