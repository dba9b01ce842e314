/* Numbers to and from text: against strtod and printf in the C locale, and in a locale with a decimal comma. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/random.h"
#include "unit/base/german.h"

static int same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static double random_double(hcri_random *random) {
    double value;
    do {
        const uint64_t bits = hcri_random_bits(random);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static void test_what_is_a_number(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {{"0", 1},     {"-1.5e3", 6}, {"+2", 2},   {".5", 2},   {"5.", 2},       {"1e", 1},    {"1e+", 1},
                 {"1e+5x", 4}, {"1.2.3", 3},  {"0x10", 1}, {"1,5", 1},  {"", 0},         {"-", 0},     {".", 0},
                 {"e5", 0},    {" 1", 0},     {"nan", 0},  {"inf", 0},  {"infinity", 0}, {"-inf", 0},  {"1E-2", 4},
                 {"1_0", 1},   {"0001", 4},   {"--1", 0},  {"-.e1", 0}, {"1d5", 1},      {"1e999", 5}, {"-1e-999", 7}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double value = 77;
        const size_t length = hcri_number_read(cases[k].text, strlen(cases[k].text), &value);
        assert_int_equal(length, cases[k].length);
        if (length > 0) {
            char part[32];
            memcpy(part, cases[k].text, length);
            part[length] = '\0';
            assert_true(same_bits(value, strtod(part, NULL)));
        }
    }
}

static void test_stops_at_the_length(void **state) {
    (void)state;
    const char digits[3] = {'1', '2', '3'}; /* no 0 behind */
    double value = 0;
    assert_int_equal(hcri_number_read(digits, 3, &value), 3);
    assert_true(value == 123);
    assert_int_equal(hcri_number_read(digits, 2, &value), 2);
    assert_true(value == 12);
    assert_int_equal(hcri_number_read(digits, 0, &value), 0);
}

static void test_long_numbers_round_correctly(void **state) {
    (void)state;
    /* 2^53 + 1 lies between two doubles, a tie; a 1 far behind the point decides it upwards. */
    char text[401] = "9007199254740993.";
    memset(text + strlen(text), '0', sizeof text - 1 - strlen(text));
    text[400] = '\0';
    double value;
    assert_int_equal(hcri_number_read(text, 400, &value), 400);
    assert_true(value == 9007199254740992.0);
    text[399] = '1';
    assert_int_equal(hcri_number_read(text, 400, &value), 400);
    assert_true(value == 9007199254740994.0);
}

/* The significant digits of a number's text, without zeros at either end. */
static int count_digits(const char *text) {
    int digits = 0, zeros = 0;
    for (const char *c = text; *c != '\0' && *c != 'e'; c++) {
        if (*c == '0')
            zeros += digits > 0;
        else if (*c >= '1' && *c <= '9') {
            digits += zeros + 1;
            zeros = 0;
        }
    }
    return digits;
}

/* The fewest digits with which printf's text reads back: found by trying them all. */
static void expect_shortest(double value) {
    char text[32], reference[64];
    const size_t length = hcri_number_write(text, value, 0);
    assert_int_equal(length, strlen(text));
    int digits = 1;
    do
        snprintf(reference, sizeof reference, "%.*g", digits, value);
    while (strtod(reference, NULL) != value && ++digits <= 17);
    assert_int_equal(count_digits(text), count_digits(reference));
    if (fabs(value) >= DBL_MIN) { /* and it is what printf writes */
        snprintf(reference, sizeof reference, "%.*g", digits < 15 ? 15 : digits, value);
        assert_string_equal(text, reference);
    }
    double back;
    assert_int_equal(hcri_number_read(text, length, &back), length);
    assert_true(same_bits(back, value));
}

static void test_shortest_doubles(void **state) {
    (void)state;
    const double special[] = {0.0,
                              -0.0,
                              1.0 / 3,
                              0.1,
                              5e-324,
                              -5e-324,
                              DBL_MIN,
                              DBL_MAX,
                              DBL_TRUE_MIN * 3,
                              1e23,
                              9007199254740993.0,
                              123456789012345678.0,
                              1e-7,
                              100.0};
    for (size_t k = 0; k < sizeof special / sizeof *special; k++)
        expect_shortest(special[k]);
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (int k = 0; k < 20000; k++)
        expect_shortest(random_double(&random));
    for (int k = 0; k < 2000; k++)
        expect_shortest(ldexp(hcri_random_uniform(&random), -1030)); /* below the normal numbers */
    for (int k = 0; k < 100000; k++) { /* of ordinary sizes, powers of two and of ten, and their neighbours */
        const int power = (int)hcri_random_below(&random, 120) - 50;
        const double exact = k % 2 == 0 ? ldexp(1, power) : pow(10, power / 4);
        expect_shortest(ldexp(hcri_random_normal(&random), power));
        expect_shortest(exact * (1 + 0x1p-52 * ((double)hcri_random_below(&random, 9) - 4)));
    }
    char text[32];
    hcri_number_write(text, 5e-324, 0);
    assert_string_equal(text, "5e-324");
    hcri_number_write(text, -0.0, 0);
    assert_string_equal(text, "-0");
}

/* Decimals of few digits, as tables have them, come back as they were written. */
static void test_decimals(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (int k = 0; k < 200000; k++) {
        char text[32], found[32];
        const int places = (int)(hcri_random_bits(&random) % 9);
        const double size = pow(10, -5 + 16 * hcri_random_uniform(&random));
        snprintf(text, sizeof text, "%.*f", places, k % 2 == 0 ? size : -size);
        double value, wanted = strtod(text, NULL);
        assert_int_equal(hcri_number_read(text, strlen(text), &value), strlen(text));
        assert_true(same_bits(value, wanted));
        snprintf(text, sizeof text, "%.15g", value);
        hcri_number_write(found, value, 0);
        if (strtod(text, NULL) == value)
            assert_string_equal(found, text);
        expect_shortest(value);
    }
}

static void expect_single(double value) {
    char text[32];
    hcri_number_write(text, value, 1);
    assert_true(count_digits(text) <= 9);
    const float expected = (float)value, back = strtof(text, NULL);
    assert_memory_equal(&back, &expected, sizeof back);
}

static void test_singles(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    for (int k = 0; k < 20000; k++) {
        const uint32_t bits = (uint32_t)hcri_random_bits(&random);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        expect_single((double)value);
        /* Doubles next to the middle of two singles: nine digits of the double itself could fall to the other side. */
        const float next = nextafterf(value, INFINITY);
        if (isfinite(next)) {
            const double middle = 0.5 * ((double)value + (double)next);
            expect_single(nextafter(middle, -INFINITY));
            expect_single(nextafter(middle, INFINITY));
        }
    }
    char text[32];
    hcri_number_write(text, 1e300, 1);
    assert_string_equal(text, "inf");
    hcri_number_write(text, 0.1, 1);
    assert_string_equal(text, "0.1");
}

static void test_not_finite(void **state) {
    (void)state;
    char text[32];
    assert_int_equal(hcri_number_write(text, NAN, 0), 3);
    assert_string_equal(text, "nan");
    hcri_number_write(text, INFINITY, 0);
    assert_string_equal(text, "inf");
    hcri_number_write(text, -INFINITY, 1);
    assert_string_equal(text, "-inf");
}

/* C30: 0.5 must stay 0.5 when the host program has a decimal comma. */
static void test_decimal_comma(void **state) {
    (void)state;
    if (!german_locale())
        skip();
    double value = 0;
    assert_int_equal(hcri_number_read("54.12345", 8, &value), 8);
    assert_true(value == 54.12345);
    assert_int_equal(hcri_number_read("0,5", 3, &value), 1);
    char text[32];
    hcri_number_write(text, -1.5e-300, 0);
    assert_string_equal(text, "-1.5e-300");
    hcri_number_write(text, 0.1, 1);
    assert_string_equal(text, "0.1");
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_a_number),
                                       cmocka_unit_test(test_stops_at_the_length),
                                       cmocka_unit_test(test_long_numbers_round_correctly),
                                       cmocka_unit_test(test_shortest_doubles),
                                       cmocka_unit_test(test_decimals),
                                       cmocka_unit_test(test_singles),
                                       cmocka_unit_test(test_not_finite),
                                       cmocka_unit_test(test_decimal_comma)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
