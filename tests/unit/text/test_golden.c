/* Every wrong text of tests/golden/wrong_regions.txt is told exactly what stands there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "hcr/hcr_build.h"

/* What a text gets, in the form of the file. */
static void describe(const char *text, size_t length, char *said, size_t capacity) {
    hcr_builder *builder = NULL;
    hcr_error error = {0};
    if (hcr_text_build(text, length, "wrong.region", NULL, 0, NULL, NULL, &builder, &error) == HCR_OK) {
        hcr_builder_free(builder);
        snprintf(said, capacity, "nothing is wrong with it\n");
        return;
    }
    assert_string_equal(error.file, "wrong.region");
    snprintf(said, capacity, "%d:%d %s\n%s\n", error.line, error.column, hcr_status_name(error.code), error.text);
}

static void test_wrong_regions(void **state) {
    (void)state;
    char *file = NULL;
    size_t size = 0, cases = 0, wrong = 0;
    assert_int_equal(
        hcri_file_read(HCR_SOURCE "/tests/golden/wrong_regions.txt", &hcri_default_allocator, &file, &size, NULL),
        HCR_OK);
    char *copy = calloc(size + 1, 1); /* terminated */
    assert_non_null(copy);
    memcpy(copy, file, size);
    for (char *at = strstr(copy, "\n## "), *next; at != NULL; at = next, cases++) {
        char *title = at + 4, *text = strchr(title, '\n') + 1, *message = strstr(text, "\n--\n");
        assert_non_null(message);
        next = strstr(message, "\n\n## ");
        char *end = next == NULL ? copy + size : ++next;
        char said[2048];
        describe(text, (size_t)(message + 1 - text), said, sizeof said);
        message += 4;
        if (strlen(said) == (size_t)(end - message) && memcmp(said, message, strlen(said)) == 0)
            continue;
        print_message("%.*s\nis told\n%s\ninstead of\n%.*s\n", (int)(message - title), title, said,
                      (int)(end - message), message);
        wrong++;
    }
    assert_int_equal(wrong, 0);
    assert_true(cases >= 50);
    free(copy);
    hcri_release(&hcri_default_allocator, file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong_regions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
