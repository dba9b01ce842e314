/* NPY: every layout that NumPy writes gives the same numbers or is refused by name; no byte behind the end is read. */
#define _XOPEN_SOURCE 700
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "formats/table.h"
#include "unit/formats/files.h"

/* Reads from a block of exactly that size, so that a sanitizer sees a read behind it. */
static hcr_status read_bytes(const char *bytes, size_t size, int vector, hcr_table *table, hcr_error *error) {
    char *exact = malloc(size == 0 ? 1 : size);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    const hcr_status status = hcri_npy_read("t.npy", exact, size, vector, table, error);
    free(exact);
    return status;
}

/* An NPY file laid out as NumPy 2.4 does: the header ends with a newline at a multiple of 64 bytes. */
static size_t make_npy(char *file, int version, const char *dictionary, const void *data, size_t size) {
    const size_t prefix = version == 1 ? 10 : 12;
    const size_t start = (prefix + strlen(dictionary) + 1 + 63) / 64 * 64;
    memset(file, ' ', start);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char)version;
    file[7] = 0;
    for (size_t k = 8; k < prefix; k++)
        file[k] = (char)((start - prefix) >> (8 * (k - 8)));
    memcpy(file + prefix, dictionary, strlen(dictionary));
    file[start - 1] = '\n';
    memcpy(file + start, data, size);
    return start + size;
}

static size_t make_matrix(char *file, const char *type, const char *order, const char *shape, const void *data,
                          size_t size) {
    char dictionary[256];
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", type, order, shape);
    return make_npy(file, 1, dictionary, data, size);
}

static const double counting[] = {1, 2, 3, 4, 5, 6};

static void expect_numbers(const char *file, size_t size, int vector, size_t rows, size_t columns,
                           const double *values) {
    hcr_table table = {0};
    hcr_error error = {0};
    if (read_bytes(file, size, vector, &table, &error) != HCR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(table.rows, rows);
    assert_int_equal(table.columns, columns);
    assert_null(table.names);
    for (size_t k = 0; k < rows * columns; k++)
        assert_memory_equal(table.values + k, values + k, sizeof *values);
    hcr_table_clear(&table);
}

static void expect_refusal(const char *file, size_t size, hcr_status status, const char *words) {
    hcr_table table = {0};
    hcr_error error = {0};
    const hcr_status got = read_bytes(file, size, 0, &table, &error);
    hcr_table_clear(&table);
    if (got != status || strstr(error.text, words) == NULL)
        fail_msg("status %d, \"%s\"", (int)got, error.text);
    assert_string_equal(error.file, "t.npy");
}

/* The numbers 1 … 6 (or others) in `item` bytes each. */
static size_t integers(char *data, const int *values, size_t count, size_t item, int big_endian) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < item; k++)
            data[i * item + (big_endian ? item - 1 - k : k)] = (char)((uint64_t)(int64_t)values[i] >> (8 * k));
    return count * item;
}

static size_t doubles(char *data, const double *values, size_t count, int big_endian) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, values + i, sizeof bits);
        for (size_t k = 0; k < 8; k++)
            data[i * 8 + (big_endian ? 7 - k : k)] = (char)(bits >> (8 * k));
    }
    return 8 * count;
}

static size_t singles(char *data, const double *values, size_t count, int big_endian) {
    for (size_t i = 0; i < count; i++) {
        const float value = (float)values[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        for (size_t k = 0; k < 4; k++)
            data[i * 4 + (big_endian ? 3 - k : k)] = (char)(bits >> (8 * k));
    }
    return 4 * count;
}

/* C35: one matrix in every spelling. */
static void test_layouts(void **state) {
    (void)state;
    char file[1024], data[256];
    const double columnwise[] = {1, 4, 2, 5, 3, 6};
    const int ones_to_six[] = {1, 2, 3, 4, 5, 6};
    size_t size = doubles(data, counting, 6, 0);
    expect_numbers(file, make_matrix(file, "<f8", "False", "(2, 3)", data, size), 0, 2, 3, counting);
    for (int version = 2; version <= 3; version++)
        expect_numbers(
            file, make_npy(file, version, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", data, size), 0,
            2, 3, counting);
    size = doubles(data, counting, 6, 1);
    expect_numbers(file, make_matrix(file, ">f8", "False", "(2, 3)", data, size), 0, 2, 3, counting);
    size = doubles(data, columnwise, 6, 0);
    expect_numbers(file, make_matrix(file, "<f8", "True", "(2, 3)", data, size), 0, 2, 3, counting);
    size = doubles(data, columnwise, 6, 1);
    expect_numbers(file, make_matrix(file, ">f8", "True", "(2, 3)", data, size), 0, 2, 3, counting);
    size = singles(data, counting, 6, 0);
    expect_numbers(file, make_matrix(file, "<f4", "False", "(2, 3)", data, size), 0, 2, 3, counting);
    size = singles(data, counting, 6, 1);
    expect_numbers(file, make_matrix(file, ">f4", "False", "(2, 3)", data, size), 0, 2, 3, counting);
    const char half[] = "\x00\x3c\x00\x40\x00\x42\x00\x44\x00\x45\x00\x46";
    expect_numbers(file, make_matrix(file, "<f2", "False", "(2, 3)", half, 12), 0, 2, 3, counting);
    const size_t items[] = {1, 2, 4, 8};
    for (size_t k = 0; k < 4; k++)
        for (int big = 0; big < 2; big++)
            for (int is_signed = 0; is_signed < 2; is_signed++) {
                char type[8];
                snprintf(type, sizeof type, "%c%c%zu",
                         items[k] == 1 ? '|'
                         : big         ? '>'
                                       : '<',
                         is_signed ? 'i' : 'u', items[k]);
                size = integers(data, ones_to_six, 6, items[k], big);
                expect_numbers(file, make_matrix(file, type, "False", "(2, 3)", data, size), 0, 2, 3, counting);
            }
    const double bools[] = {1, 0, 0, 1};
    expect_numbers(file, make_matrix(file, "|b1", "False", "(2, 2)", "\x01\x00\x00\x01", 4), 0, 2, 2, bools);
}

static void test_values(void **state) {
    (void)state;
    char file[1024], data[256];
    const int negatives[] = {-1, -128, 127, 0};
    const double expected[] = {-1, -128, 127, 0};
    const char *const types[] = {"|i1", "<i2", "<i4", "<i8"};
    for (size_t k = 0; k < 4; k++)
        expect_numbers(file,
                       make_matrix(file, types[k], "False", "(1, 4)", data, integers(data, negatives, 4, 1u << k, 0)),
                       0, 1, 4, expected);
    const double wide[] = {-9223372036854775808.0, 9223372036854775807.0, 9007199254740992.0};
    expect_numbers(file,
                   make_matrix(file, "<i8", "False", "(1, 3)",
                               "\0\0\0\0\0\0\0\x80\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F\x01\0\0\0\0\0\x20\0", 24),
                   0, 1, 3, wide);
    const double largest[] = {18446744073709551615.0, 255};
    expect_numbers(file, make_matrix(file, "<u8", "False", "(1, 1)", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8), 0, 1, 1,
                   largest);
    expect_numbers(file, make_matrix(file, "|u1", "False", "(1, 1)", "\xFF", 1), 0, 1, 1, largest + 1);
    /* float16: 1, −2.5, the largest, the smallest, the largest below the normal numbers, −0, infinity */
    const double halves[] = {1, -2.5, 65504, ldexp(1, -24), ldexp(1023, -24), -0.0, INFINITY};
    expect_numbers(
        file,
        make_matrix(file, "<f2", "False", "(1, 7)", "\x00\x3c\x00\xc1\xff\x7b\x01\x00\xff\x03\x00\x80\x00\x7c", 14), 0,
        1, 7, halves);
    const double special[] = {INFINITY, -INFINITY, 5e-324, -0.0, DBL_MAX};
    expect_numbers(file, make_matrix(file, "<f8", "False", "(1, 5)", data, doubles(data, special, 5, 0)), 0, 1, 5,
                   special);
    hcr_table table = {0};
    size_t size = make_matrix(file, "<f2", "False", "(1, 1)", "\x00\x7e", 2);
    assert_int_equal(read_bytes(file, size, 0, &table, NULL), HCR_OK);
    assert_true(isnan(table.values[0]));
    hcr_table_clear(&table);
}

static void test_shapes(void **state) {
    (void)state;
    char file[1024], data[256];
    const size_t size = doubles(data, counting, 6, 0);
    expect_numbers(file, make_matrix(file, "<f8", "False", "(6,)", data, size), 0, 1, 6, counting);
    expect_numbers(file, make_matrix(file, "<f8", "False", "(6,)", data, size), 1, 6, 1, counting);
    expect_numbers(file, make_matrix(file, "<f8", "True", "(6,)", data, size), 1, 6, 1, counting);
    expect_numbers(file, make_matrix(file, "<f8", "False", "(3L, 2L)", data, size), 0, 3, 2, counting); /* Python 2 */
    expect_numbers(file, make_matrix(file, "<f8", "False", "(0, 3)", data, 0), 0, 0, 3, NULL);
    expect_numbers(file, make_matrix(file, "<f8", "False", "(0,)", data, 0), 1, 0, 1, NULL);
    expect_refusal(file, make_matrix(file, "<f8", "False", "(2, 3, 1)", data, size), HCR_ERROR_SHAPE, "(2, 3, 1)");
    expect_refusal(file, make_matrix(file, "<f8", "False", "()", data, 8), HCR_ERROR_SHAPE, "shape ()");
    expect_refusal(file, make_matrix(file, "<f8", "False", "(3, 0)", data, 0), HCR_ERROR_SHAPE, "no columns");
    /* Keys in any order, other quotes and blanks: what counts is the dictionary. */
    expect_numbers(file, make_npy(file, 1, "{\"shape\":(2,3),'fortran_order':False,  'descr':'<f8'}", data, size), 0, 2,
                   3, counting);
}

static void test_types_that_are_no_numbers(void **state) {
    (void)state;
    static const struct {
        const char *type, *words;
    } cases[] = {{"|O", "Python objects"}, {"<c16", "complex"},
                 {"<U5", "text"},          {"|S3", "text"},
                 {"<M8[ns]", "dates"},     {"|V8", "raw"},
                 {"<f16", "<f16"},         {"<i3", "<i3"},
                 {"|f8", "byte order"},    {"f8", "byte order"},
                 {"", "isn't known"},      {"<", "isn't known"},
                 {"<f", "floating-point"}, {"\x1B[2J", "isn't known"}};
    char file[1024], data[256] = {0};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_refusal(file, make_matrix(file, cases[k].type, "False", "(2, 3)", data, 48), HCR_ERROR_FORMAT,
                       cases[k].words);
    expect_refusal(
        file,
        make_npy(file, 1, "{'descr': [('a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,), }", data, 24),
        HCR_ERROR_FORMAT, "structured");
}

/* A size that the bytes don't have is refused before memory is asked for: these would be exabytes. */
static void test_claims(void **state) {
    (void)state;
    char file[1024], data[256] = {0};
    static const char *const shapes[] = {"(2, 4)",
                                         "(3, 3)",
                                         "(1000000000000, 1000000)",
                                         "(18446744073709551615, 1)",
                                         "(1, 18446744073709551615)",
                                         "(4294967296, 4294967296)",
                                         "(2305843009213693952, 8)"};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        expect_refusal(file, make_matrix(file, "<f8", "False", shapes[k], data, 48), HCR_ERROR_FORMAT, "cut short");
    expect_refusal(file, make_matrix(file, "<f8", "False", "(18446744073709551616, 1)", data, 48), HCR_ERROR_FORMAT,
                   "damaged");
    expect_refusal(file, make_matrix(file, "<f8", "False", "(2, 3)", data, 49), HCR_ERROR_FORMAT, "1 bytes after");
    expect_refusal(file, make_matrix(file, "<f8", "False", "(0, 3)", data, 8), HCR_ERROR_FORMAT, "8 bytes after");
}

static void test_damaged_headers(void **state) {
    (void)state;
    static const char *const dictionaries[] = {
        "",
        "{}",
        "{'descr': '<f8'}",
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': [2, 3]}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'extra': 1}",
        "{'descr': '<f8', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f8, 'fortran_order': False, 'shape': (2, 3)}",
        "'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3",
        "{'descr': '<f8' 'fortran_order': False, 'shape': (2, 3)}",
    };
    char file[1024], data[256] = {0};
    for (size_t k = 0; k < sizeof dictionaries / sizeof *dictionaries; k++)
        expect_refusal(file, make_npy(file, 1, dictionaries[k], data, 48), HCR_ERROR_FORMAT, "damaged");
    expect_refusal("", 0, HCR_ERROR_FORMAT, "isn't an NPY");
    expect_refusal("1,2,3\n", 6, HCR_ERROR_FORMAT, "isn't an NPY");
    expect_refusal("\x93NUMPY\x04\x00\x76\x00", 10, HCR_ERROR_FORMAT, "version 4.0");
    expect_refusal("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF{", 13, HCR_ERROR_FORMAT, "ends inside");
}

static void test_cut_and_damaged(void **state) {
    (void)state;
    char file[1024], changed[1024], data[256];
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (int version = 1; version <= 3; version++) {
        const size_t size = make_npy(file, version, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", data,
                                     doubles(data, counting, 6, 0));
        hcr_table table = {0};
        for (size_t cut = 0; cut < size; cut++) {
            hcr_error error = {0};
            assert_int_equal(read_bytes(file, cut, 0, &table, &error), HCR_ERROR_FORMAT);
            assert_true(error.text[0] != '\0');
            hcr_table_clear(&table);
        }
        for (int n = 0; n < 20000; n++) {
            memcpy(changed, file, size);
            for (size_t m = 1 + hcri_random_below(&random, 3); m > 0; m--)
                changed[hcri_random_below(&random, 72)] =
                    n % 2 ? (char)hcri_random_below(&random, 256)
                          : "0123456789(),'<>|=fiubTrueFals"[hcri_random_below(&random, 30)];
            hcr_error error = {0};
            if (read_bytes(changed, size, n % 3 == 0, &table, &error) == HCR_OK)
                assert_true(table.columns > 0 && table.rows * table.columns <= 48);
            else
                assert_true(error.text[0] != '\0');
            hcr_table_clear(&table);
        }
    }
}

static void test_writing(void **state) {
    (void)state;
    double values[] = {1.0 / 3, -0.0, 5e-324, 1e300, NAN, 6};
    const hcr_table table = {2, 3, values, NULL};
    const char *path = files_path("out.npy");
    assert_int_equal(hcr_table_write(path, HCR_TABLE_BY_NAME, &table, HCR_DOUBLE, NULL), HCR_OK);
    size_t size;
    char *bytes = files_get(path, &size);
    /* As NumPy's own numpy.save writes it. */
    char expected[1024], data[256];
    const size_t expected_size = make_matrix(expected, "<f8", "False", "(2, 3)", data, doubles(data, values, 6, 0));
    assert_int_equal(size, expected_size);
    assert_memory_equal(bytes, expected, size);
    free(bytes);
    hcr_table back = {0};
    assert_int_equal(hcr_table_read(path, HCR_TABLE_BY_NAME, NULL, 0, &back, NULL), HCR_OK);
    assert_memory_equal(back.values, values, sizeof values);
    assert_int_equal(hcr_table_write(files_path("again.NPY"), HCR_TABLE_BY_NAME, &back, HCR_SINGLE, NULL), HCR_OK);
    bytes = files_get(files_path("again.NPY"), &size);
    assert_int_equal(size, make_matrix(expected, "<f4", "False", "(2, 3)", data, singles(data, values, 6, 0)));
    assert_memory_equal(bytes, expected, size);
    free(bytes);
    back.rows = 0;
    assert_int_equal(hcr_table_write(files_path("none.npy"), HCR_TABLE_BY_NAME, &back, HCR_DOUBLE, NULL), HCR_OK);
    assert_int_equal(hcr_table_read(files_path("none.npy"), HCR_TABLE_BY_NAME, NULL, 0, &back, NULL), HCR_OK);
    assert_true(back.rows == 0 && back.columns == 3);
    hcr_table_clear(&back);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),         cmocka_unit_test(test_values),
        cmocka_unit_test(test_shapes),          cmocka_unit_test(test_types_that_are_no_numbers),
        cmocka_unit_test(test_claims),          cmocka_unit_test(test_damaged_headers),
        cmocka_unit_test(test_cut_and_damaged), cmocka_unit_test(test_writing)};
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
