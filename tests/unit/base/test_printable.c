/* Text for terminals: what is written out, what is escaped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/printable.h"
#include "base/status.h"

static void expect(const char *text, const char *wanted) {
    char *copy = hcri_copy_printable(&hcri_default_allocator, text);
    assert_non_null(copy);
    assert_string_equal(copy, wanted);
    /* What is printable already stays. */
    char *again = hcri_copy_printable(&hcri_default_allocator, copy);
    assert_string_equal(again, wanted);
    hcri_release(&hcri_default_allocator, copy);
    hcri_release(&hcri_default_allocator, again);
}

static void test_printable(void **state) {
    (void)state;
    expect("", "");
    expect("abs(y[1:] - y[:-1]) <= 2\t# \"tab\" \\ %s", "abs(y[1:] - y[:-1]) <= 2\t# \"tab\" \\ %s");
    expect("Größe ≤ 3 €, 日本, 😀, مرحبا", "Größe ≤ 3 €, 日本, 😀, مرحبا");
    expect("\x1b]0;title\x07\x1b[2J\r\n\x7f", "\\x1b]0;title\\x07\\x1b[2J\\x0d\\n\\x7f");
    /* A C1 control, right-to-left override and isolate, a line separator, a mark, a tag. */
    expect("\xc2\x9b"
           "2J",
           "\\u009b2J");
    expect("a\xe2\x80\xae"
           "b\xe2\x81\xa6\xe2\x80\xa8\xe2\x80\x8f\xf3\xa0\x81\x81",
           "a\\u202eb\\u2066\\u2028\\u200f\\U000e0041");
    /* Not UTF-8: Latin-1, a byte alone, a longer form than needed, a surrogate, beyond the last, cut off. */
    expect("caf\xe9 \x80", "caf\\xe9 \\x80");
    expect("\xc0\xaf\xe0\x80\xaf", "\\xc0\\xaf\\xe0\\x80\\xaf");
    expect("\xed\xa0\x80 \xf4\x90\x80\x80", "\\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80");
    expect("\xe2\x82", "\\xe2\\x82");
}

/* Each byte string of two: valid UTF-8 without control characters comes out. */
static void test_every_pair(void **state) {
    (void)state;
    for (unsigned a = 1; a < 256; a++)
        for (unsigned b = 1; b < 256; b++) {
            const char text[3] = {(char)a, (char)b, '\0'}, *at = text;
            char shown[HCR_PRINTABLE];
            size_t length;
            while ((length = hcr_printable(&at, shown)) != 0) {
                assert_int_equal(strlen(shown), length);
                const unsigned char first = (unsigned char)shown[0], second = (unsigned char)shown[1];
                const int plain = (length == 1 && ((first >= ' ' && first < 0x7F) || first == '\t')) || first == '\\';
                assert_true(plain || (length == 2 && first >= 0xC2 && first <= 0xDF && second >= 0x80 &&
                                      second <= 0xBF && !(first == 0xC2 && second < 0xA0)));
            }
            assert_ptr_equal(at, text + 2);
        }
}

/* An error's text keeps its lines, and is cut between characters. */
static void test_errors(void **state) {
    (void)state;
    hcr_error error = {0};
    hcri_fail_at(&error, HCR_ERROR_DATA, "a\x1b[2J\n.csv", 1, 1, "\"%s\"\n    %s", "\xff", "\xe2\x80\xaeok");
    assert_string_equal(error.file, "a\\x1b[2J\n.csv");
    assert_string_equal(error.text, "\"\\xff\"\n    \\u202eok");
    char full[sizeof error.text];
    memset(full, '\x01', sizeof full - 1);
    full[sizeof full - 1] = '\0';
    hcri_fail(&error, HCR_ERROR_DATA, "%s", full);
    assert_true(strlen(error.text) < sizeof error.text && strlen(error.text) % 4 == 0);
    for (size_t i = 0; error.text[i] != '\0'; i += 4)
        assert_memory_equal(error.text + i, "\\x01", 4);
}

static void test_identifiers(void **state) {
    (void)state;
    static const char *const names[] = {"y", "_", "load_2", "Z9"};
    static const char *const others[] = {"", "2a", "a b", "y\"", "y\n", "ö", "a-b", "y[0]", "\xff"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(hcri_is_identifier(names[i]));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(hcri_is_identifier(others[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printable),
        cmocka_unit_test(test_every_pair),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_identifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
