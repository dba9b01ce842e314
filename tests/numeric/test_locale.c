/* C30: a host that has set a locale with a decimal comma gets the very bytes that one without gets: regions from text,
 * compiled regions, explanations, tables, imported problems, models. Skipped where no such locale can be had. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/file.h"
#include "hcr/hcr_build.h"
#include "hcr/hcr_learn.h"
#include "hcr/hcr_table.h"
#include "numeric/regions.h"
#include "unit/base/german.h"

enum { PARTS = 5 };
typedef struct output {
    char *bytes[PARTS];
    size_t size[PARTS];
} output;

static hcr_error error;
static char folder[] = "/tmp/hcr-locale-host-XXXXXX", path[64];

static void read_back(output *all, size_t part) {
    must(hcri_file_read(path, &hcri_default_allocator, &all->bytes[part], &all->size[part], &error), &error);
}

static void make(output *all) {
    static const char text[] =
        "var y[2]\n0.5 <= y <= 54.12345\nnorm(y - [20.25, 1e-1]) <= 60.5\nsum(y) <= 1.25e2 / 3\n";
    static const double X[4] = {0.5, 1.25, 2.75, 3.125}, Y[4] = {1.5, 2.5, 3.25, 0.75};
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    hcr_model *model = NULL;
    must(hcr_text_build(text, sizeof text - 1, "half.region", NULL, 0, NULL, NULL, &builder, &error), &error);
    must(hcr_builder_finish(builder, &region, &error), &error);
    must(hcr_region_save(region, path, &error), &error);
    read_back(all, 0);
    must(hcr_region_explain(region, 1, &all->bytes[1], &error), &error);
    all->size[1] = strlen(all->bytes[1]);
    must(hcr_region_explain(region, 0, &all->bytes[2], &error), &error);
    all->size[2] = strlen(all->bytes[2]);
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.hidden = 3;
    options.epochs = 2;
    options.rate = 0.005;
    must(hcr_fit(region, text, 2, 2, X, NULL, NULL, Y, &options, &model, NULL, &error), &error);
    must(hcr_model_save(model, path, &error), &error);
    read_back(all, 3);
    hcr_table table = {0};
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("a,b\n54.12345,0.5\n-1.5e-3,7\n", file);
    fclose(file);
    must(hcr_table_read(path, HCR_TABLE_CSV, NULL, 0, &table, &error), &error);
    assert_true(table.values[0] == 54.12345 && table.values[2] == -1.5e-3);
    must(hcr_table_write(path, HCR_TABLE_CSV, &table, HCR_DOUBLE, &error), &error);
    read_back(all, 4);
    hcr_table_clear(&table);
    hcr_model_free(model);
    hcr_region_free(region);
    hcr_builder_free(builder);
}

static void test_c30_host(void **state) {
    (void)state;
    output plain = {{0}, {0}}, german = {{0}, {0}};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    make(&plain);
    if (german_locale()) {
        make(&german);
        setlocale(LC_ALL, "C");
    }
    assert_int_equal(unlink(path) + rmdir(folder), 0);
    const int had_one = german.bytes[0] != NULL;
    for (size_t part = 0; part < PARTS; part++) {
        assert_true(!had_one || (plain.size[part] == german.size[part] &&
                                 memcmp(plain.bytes[part], german.bytes[part], plain.size[part]) == 0));
        free(plain.bytes[part]);
        free(german.bytes[part]);
    }
    if (!had_one)
        skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_c30_host)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
