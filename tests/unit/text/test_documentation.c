#define _POSIX_C_SOURCE 200809L
/* Every region in docs/region-language.md is one: it compiles, and its functions are all of the language's. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "hcr/hcr_build.h"
#include "posix_on_windows.h"
#include "text/values/functions.h"

static char *text; /* of the page */

static int read_page(void **state) {
    (void)state;
    char *file = NULL;
    size_t size = 0;
    if (hcri_file_read(HCR_SOURCE "/docs/region-language.md", &hcri_default_allocator, &file, &size, NULL) != HCR_OK)
        return -1;
    text = calloc(size + 1, 1);
    if (text == NULL)
        return -1;
    memcpy(text, file, size);
    hcri_release(&hcri_default_allocator, file);
    return 0;
}

static int release_page(void **state) {
    (void)state;
    free(text);
    return 0;
}

static void write_numbers(const char *folder, const char *name, size_t rows, size_t columns, double number) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < rows * columns; i++)
        fprintf(file, "%g%s", number, (i + 1) % columns == 0 ? "\n" : ",");
    assert_int_equal(fclose(file), 0);
}

/* The data that the page's examples read stand beside them. */
static void test_regions(void **state) {
    (void)state;
    char folder[] = "/tmp/hcr_documentation_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    write_numbers(folder, "usual.csv", 48, 1, 400);
    write_numbers(folder, "network.csv", 3, 48, 0.05);
    size_t regions = 0;
    static const char opening[] = "\n```region\n";
    for (const char *at = strstr(text, opening); at != NULL; at = strstr(at, opening), regions++) {
        at += sizeof opening - 1;
        const char *end = strstr(at, "\n```");
        assert_non_null(end);
        hcr_builder *builder = NULL;
        hcr_region *region = NULL;
        hcr_error error = {0};
        if (hcr_text_build(at, (size_t)(end + 1 - at), "page", folder, 0, NULL, NULL, &builder, &error) != HCR_OK ||
            hcr_builder_finish(builder, &region, &error) != HCR_OK)
            fail_msg("%.*s\n%s", (int)(end - at), at, error.text);
        hcr_region_free(region);
        hcr_builder_free(builder);
    }
    assert_true(regions >= 6);
    static const char *const files[] = {"usual.csv", "network.csv"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* Between quotes of code, as a whole word. */
static int is_mentioned(const char *name) {
    const size_t length = strlen(name);
    int in_code = 0;
    for (const char *at = text; *at != '\0'; at++) {
        in_code ^= *at == '`';
        if (in_code && strncmp(at, name, length) == 0 && !isalnum((unsigned char)at[-1]) && at[-1] != '_' &&
            !isalnum((unsigned char)at[length]) && at[length] != '_')
            return 1;
    }
    return 0;
}

static void test_functions(void **state) {
    (void)state;
    for (const hcri_function *function = hcri_functions; function->name != NULL; function++)
        if (!is_mentioned(function->name))
            fail_msg("the page doesn't mention %s()", function->name);
    for (int kind = HCRI_TOKEN_VAR; kind < HCRI_TOKEN_KINDS; kind++)
        assert_true(strstr(text, hcri_token_spelling((hcri_token_kind)kind)) != NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_regions), cmocka_unit_test(test_functions)};
    return cmocka_run_group_tests(tests, read_page, release_page);
}
