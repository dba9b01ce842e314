/* Every wrong text of tests/golden/wrong_regions.txt gets the message recorded there; `--write` records them anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "hcr/hcr_build.h"

static const char golden[] = HCR_SOURCE "/tests/golden/wrong_regions.txt";
static bool write_anew;

/* The message for a text, in the form of the file. */
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
    assert_int_equal(hcri_file_read(golden, &hcri_default_allocator, &file, &size, NULL), HCR_OK);
    char *copy = calloc(size + 1, 1); /* terminated */
    assert_non_null(copy);
    memcpy(copy, file, size);
    FILE *out = NULL;
    if (write_anew)
        assert_non_null(out = fopen(golden, "w"));
    const char *written = copy;
    for (char *at = strstr(copy, "\n## "), *next; at != NULL; at = next, cases++) {
        char *title = at + 4, *text = strchr(title, '\n') + 1, *message = strstr(text, "\n--\n");
        assert_non_null(message);
        next = strstr(message, "\n\n## ");
        char *end = next == NULL ? copy + size : ++next;
        char said[2048];
        describe(text, (size_t)(message + 1 - text), said, sizeof said);
        message += 4;
        if (out != NULL) {
            fprintf(out, "%.*s%s", (int)(message - written), written, said);
            written = end;
            continue;
        }
        if (strlen(said) == (size_t)(end - message) && memcmp(said, message, strlen(said)) == 0)
            continue;
        print_message("%.*s\ngets\n%s\ninstead of\n%.*s\n", (int)(message - title), title, said, (int)(end - message),
                      message);
        wrong++;
    }
    if (out != NULL)
        assert_int_equal(fclose(out), 0);
    assert_int_equal(wrong, 0);
    assert_true(cases >= 50);
    free(copy);
    hcri_release(&hcri_default_allocator, file);
}

int main(int argc, char **argv) {
    write_anew = argc == 2 && strcmp(argv[1], "--write") == 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong_regions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
