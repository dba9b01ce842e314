/* Names: the nearest by edit distance, and text made fit to be shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "formats/column_names.h"

/* Levenshtein's distance by its definition: the cheaper of changing, leaving out and putting in a first letter. */
static size_t distance(const char *a, const char *b) {
    if (*a == '\0' || *b == '\0')
        return strlen(a) + strlen(b);
    const size_t change = distance(a + 1, b + 1) + (*a != *b);
    const size_t skip_a = 1 + distance(a + 1, b), skip_b = 1 + distance(a, b + 1);
    const size_t skip = skip_a < skip_b ? skip_a : skip_b;
    return change < skip ? change : skip;
}

static void test_nearest(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 7);
    for (int n = 0; n < 200; n++) {
        char words[6][8] = {{0}};
        char *names[5];
        for (size_t k = 0; k < 6; k++) {
            const size_t length = hcri_random_below(&random, 6);
            for (size_t i = 0; i < length; i++)
                words[k][i] = (char)('a' + (char)hcri_random_below(&random, 3));
            if (k < 5)
                names[k] = words[k];
        }
        size_t least = 0;
        for (size_t k = 1; k < 5; k++)
            if (distance(words[5], words[k]) < distance(words[5], words[least]))
                least = k;
        assert_int_equal(hcri_name_nearest(words[5], 5, names), least);
    }
    assert_true(hcri_name_nearest("a", 0, NULL) == SIZE_MAX);
    char longer[300];
    memset(longer, 'x', sizeof longer);
    longer[299] = '\0';
    char *one[] = {longer};
    assert_int_equal(hcri_name_nearest(longer, 1, one), 0);
}

static void test_find(void **state) {
    (void)state;
    char a[] = "a", b[] = "b", again[] = "a";
    char *names[] = {a, b, again};
    assert_int_equal(hcri_name_find("a", 3, names, 1), 0);
    assert_int_equal(hcri_name_find("a", 3, names, 2), 2);
    assert_int_equal(hcri_name_find("b", 3, names, 99), 1);
    assert_true(hcri_name_find("c", 3, names, 0) == SIZE_MAX);
}

static void test_show(void **state) {
    (void)state;
    hcri_shown shown;
    assert_string_equal(hcri_show("a\tb\x7F", 4).text, "a\tb\\x7f");
    assert_string_equal(hcri_show("", 0).text, "");
    char text[200];
    for (size_t shift = 0; shift < 3; shift++) { /* three bytes a character: none is cut in two */
        memset(text, 'a', shift);
        for (size_t i = shift; i + 3 <= sizeof text; i += 3)
            memcpy(text + i, "\xE2\x82\xAC", 3);
        shown = hcri_show(text, 180 + shift);
        const size_t length = strlen(shown.text);
        assert_true(length < sizeof shown);
        assert_string_equal(shown.text + length - 3, "...");
        assert_int_equal((length - 3 - shift) % 3, 0);
        assert_memory_equal(shown.text, text, length - 3);
    }
    memset(text, 'a', sizeof text);
    assert_int_equal(strlen(hcri_show(text, sizeof shown - 4).text), sizeof shown - 4);
    assert_int_equal(strlen(hcri_show(text, sizeof shown - 3).text), sizeof shown - 1);
    memset(text, 0x80, sizeof text); /* no character begins */
    shown = hcri_show(text, sizeof text);
    assert_int_equal(strlen(shown.text), sizeof shown - 1);
    assert_memory_equal(shown.text, "\\x80\\x80", 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nearest), cmocka_unit_test(test_find),
                                       cmocka_unit_test(test_show)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
