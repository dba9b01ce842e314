/* NPZ: arrays by name out of what NumPy 2.4 wrote; damage is refused. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <zip.h>

#include "base/random.h"
#include "formats/table.h"
#include "unit/formats/files.h"

/* numpy.savez_compressed(f, A=[[1., 2., 3.], [4., 5., 6.]] in Fortran order, load=[0., 1., 2.]) */
static const char compressed[] =
    "\x50\x4b\x03\x04\x2d\x00\x00\x00\x08\x00\x00\x00\x21\x00\x0b\x27\x60\xdb\xff\xff\xff\xff\xff\xff"
    "\xff\xff\x05\x00\x14\x00\x41\x2e\x6e\x70\x79\x01\x00\x10\x00\xb0\x00\x00\x00\x00\x00\x00\x00\x59"
    "\x00\x00\x00\x00\x00\x00\x00\x9b\xec\x17\xea\x1b\x10\xc9\xc8\x50\xc6\x50\xad\x9e\x92\x5a\x9c\x5c"
    "\xa4\x6e\xa5\xa0\x6e\x93\x66\xa1\xae\xa3\xa0\x9e\x96\x5f\x54\x52\x94\x98\x17\x9f\x5f\x94\x92\x0a"
    "\x12\x0f\x29\x2a\x4d\x05\x0a\x17\x67\x24\x16\xa4\x02\xb9\x1a\x46\x3a\x0a\xc6\x9a\x3a\x0a\xb5\x0a"
    "\xe4\x03\x2e\x06\x30\xf8\x60\x0f\xa1\x05\x1c\x20\x34\x03\x94\x16\x81\xd2\x1c\x50\x5a\xc2\x01\x00"
    "\x50\x4b\x03\x04\x2d\x00\x00\x00\x08\x00\x00\x00\x21\x00\x24\x21\xe1\x2b\xff\xff\xff\xff\xff\xff"
    "\xff\xff\x08\x00\x14\x00\x6c\x6f\x61\x64\x2e\x6e\x70\x79\x01\x00\x10\x00\x98\x00\x00\x00\x00\x00"
    "\x00\x00\x4c\x00\x00\x00\x00\x00\x00\x00\x9b\xec\x17\xea\x1b\x10\xc9\xc8\x50\xc6\x50\xad\x9e\x92"
    "\x5a\x9c\x5c\xa4\x6e\xa5\xa0\x6e\x93\x66\xa1\xae\xa3\xa0\x9e\x96\x5f\x54\x52\x94\x98\x17\x9f\x5f"
    "\x94\x92\x0a\x12\x77\x4b\xcc\x29\x4e\x05\x8a\x17\x67\x24\x16\xa4\x02\xf9\x1a\xc6\x3a\x9a\x3a\x0a"
    "\xb5\x0a\x14\x00\x2e\x06\x14\xf0\xc1\x1e\xca\x70\x00\x00\x50\x4b\x01\x02\x2d\x03\x2d\x00\x00\x00"
    "\x08\x00\x00\x00\x21\x00\x0b\x27\x60\xdb\x59\x00\x00\x00\xb0\x00\x00\x00\x05\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x80\x01\x00\x00\x00\x00\x41\x2e\x6e\x70\x79\x50\x4b\x01\x02\x2d\x03\x2d"
    "\x00\x00\x00\x08\x00\x00\x00\x21\x00\x24\x21\xe1\x2b\x4c\x00\x00\x00\x98\x00\x00\x00\x08\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x01\x90\x00\x00\x00\x6c\x6f\x61\x64\x2e\x6e\x70\x79\x50"
    "\x4b\x05\x06\x00\x00\x00\x00\x02\x00\x02\x00\x69\x00\x00\x00\x16\x01\x00\x00\x00\x00"; /* 405 bytes */
/* numpy.savez(f, only=float32([[1, 2, 3]])) */
static const char stored[] =
    "\x50\x4b\x03\x04\x2d\x00\x00\x00\x00\x00\x00\x00\x21\x00\x1c\x08\xab\x35\xff\xff\xff\xff\xff\xff"
    "\xff\xff\x08\x00\x14\x00\x6f\x6e\x6c\x79\x2e\x6e\x70\x79\x01\x00\x10\x00\x8c\x00\x00\x00\x00\x00"
    "\x00\x00\x8c\x00\x00\x00\x00\x00\x00\x00\x93\x4e\x55\x4d\x50\x59\x01\x00\x76\x00\x7b\x27\x64\x65"
    "\x73\x63\x72\x27\x3a\x20\x27\x3c\x66\x34\x27\x2c\x20\x27\x66\x6f\x72\x74\x72\x61\x6e\x5f\x6f\x72"
    "\x64\x65\x72\x27\x3a\x20\x46\x61\x6c\x73\x65\x2c\x20\x27\x73\x68\x61\x70\x65\x27\x3a\x20\x28\x31"
    "\x2c\x20\x33\x29\x2c\x20\x7d\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20"
    "\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20"
    "\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x0a\x00\x00\x80\x3f\x00\x00"
    "\x00\x40\x00\x00\x40\x40\x50\x4b\x01\x02\x2d\x03\x2d\x00\x00\x00\x00\x00\x00\x00\x21\x00\x1c\x08"
    "\xab\x35\x8c\x00\x00\x00\x8c\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x01"
    "\x00\x00\x00\x00\x6f\x6e\x6c\x79\x2e\x6e\x70\x79\x50\x4b\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00"
    "\x36\x00\x00\x00\xc6\x00\x00\x00\x00\x00"; /* 274 bytes */

static hcr_status read_bytes(const char *bytes, size_t size, const char *key, int vector, hcr_table *table,
                             hcr_error *error) {
    char *exact = malloc(size == 0 ? 1 : size);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    const hcr_status status = hcri_npz_read("t.npz", exact, size, key, vector, table, error);
    free(exact);
    return status;
}

static void expect_numbers(const hcr_table *table, size_t rows, size_t columns, double first) {
    assert_int_equal(table->rows, rows);
    assert_int_equal(table->columns, columns);
    for (size_t k = 0; k < rows * columns; k++)
        assert_true(table->values[k] == first + (double)k);
}

static void test_arrays_by_name(void **state) {
    (void)state;
    hcr_table table = {0};
    const char *path = files_put("two.npz", compressed, sizeof compressed - 1);
    assert_int_equal(hcr_table_read(path, HCR_TABLE_BY_NAME, "A", 0, &table, NULL), HCR_OK);
    expect_numbers(&table, 2, 3, 1);
    assert_int_equal(hcr_table_read(path, HCR_TABLE_BY_NAME, "load", 0, &table, NULL), HCR_OK);
    expect_numbers(&table, 1, 3, 0);
    assert_int_equal(hcr_table_read(path, HCR_TABLE_NPZ, "load", 1, &table, NULL), HCR_OK);
    expect_numbers(&table, 3, 1, 0);
    path = files_put("one.npz", stored, sizeof stored - 1);
    assert_int_equal(hcr_table_read(path, HCR_TABLE_BY_NAME, NULL, 0, &table, NULL), HCR_OK);
    expect_numbers(&table, 1, 3, 1);
    assert_int_equal(hcr_table_read(path, HCR_TABLE_BY_NAME, "only", 0, &table, NULL), HCR_OK);
    hcr_table_clear(&table);
}

static void test_names_that_are_not_there(void **state) {
    (void)state;
    hcr_table table = {0};
    hcr_error error = {0};
    assert_int_equal(read_bytes(compressed, sizeof compressed - 1, NULL, 0, &table, &error), HCR_ERROR_NAME);
    assert_non_null(strstr(error.text, "2 arrays: say which of A, load"));
    assert_int_equal(read_bytes(compressed, sizeof compressed - 1, "laod", 0, &table, &error), HCR_ERROR_NAME);
    assert_non_null(strstr(error.text, "no array \"laod\"; the nearest is \"load\", and all are A, load"));
    assert_int_equal(read_bytes(stored, sizeof stored - 1, "A", 0, &table, &error), HCR_ERROR_NAME);
    assert_null(table.values);
}

/* An archive with `count` arrays whose names have 50 characters, all with the same few bytes. */
static const char *make_archive(size_t count, const char *ending) {
    const char *path = files_path("made.npz");
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    assert_non_null(archive);
    for (size_t k = 0; k < count; k++) {
        char name[80];
        snprintf(name, sizeof name, "%050zu%s", k, ending);
        zip_source_t *source = zip_source_buffer(archive, "not an array", 12, 0);
        assert_true(zip_file_add(archive, name, source, 0) >= 0);
    }
    assert_int_equal(zip_close(archive), 0);
    return path;
}

static void test_archives_without_or_with_many_arrays(void **state) {
    (void)state;
    hcr_table table = {0};
    hcr_error error = {0};
    assert_int_equal(hcr_table_read(make_archive(3, ".txt"), HCR_TABLE_NPZ, NULL, 0, &table, &error), HCR_ERROR_FORMAT);
    assert_non_null(strstr(error.text, "no NPY array"));
    assert_int_equal(hcr_table_read(make_archive(500, ".npy"), HCR_TABLE_NPZ, NULL, 0, &table, &error), HCR_ERROR_NAME);
    assert_non_null(strstr(error.text, "500 arrays"));
    assert_non_null(strstr(error.text, ", …")); /* not all of them fit */
    assert_int_equal(hcr_table_read(make_archive(1, ".npy"), HCR_TABLE_NPZ, NULL, 0, &table, &error), HCR_ERROR_FORMAT);
    assert_non_null(strstr(error.text, "isn't an NPY array"));
}

static void test_cut_and_damaged(void **state) {
    (void)state;
    const struct {
        const char *bytes;
        size_t size;
        const char *key;
    } files[] = {{compressed, sizeof compressed - 1, "A"}, {stored, sizeof stored - 1, "only"}};
    hcri_random random;
    hcri_random_seed(&random, 6);
    for (size_t k = 0; k < 2; k++) {
        hcr_table table = {0};
        for (size_t cut = 0; cut < files[k].size; cut++) {
            hcr_error error = {0};
            assert_int_equal(read_bytes(files[k].bytes, cut, files[k].key, 0, &table, &error), HCR_ERROR_FORMAT);
            assert_true(error.text[0] != '\0');
        }
        for (int n = 0; n < 5000; n++) {
            char changed[512];
            memcpy(changed, files[k].bytes, files[k].size);
            for (size_t m = 1 + hcri_random_below(&random, 3); m > 0; m--)
                changed[hcri_random_below(&random, files[k].size)] = (char)hcri_random_below(&random, 256);
            hcr_error error = {0};
            /* What still reads has the right numbers: the archive's checksum guards them. */
            if (read_bytes(changed, files[k].size, files[k].key, 0, &table, &error) == HCR_OK)
                expect_numbers(&table, k == 0 ? 2 : 1, 3, 1);
            else
                assert_true(error.text[0] != '\0');
            hcr_table_clear(&table);
        }
    }
}

/* Both headers of "A" claim 4 GB out of 90 bytes, which deflate can't pack so far: refused before memory is asked for.
 */
static void test_claimed_size(void **state) {
    (void)state;
    char changed[sizeof compressed];
    memcpy(changed, compressed, sizeof compressed);
    char *directory = memmem(changed, sizeof compressed, "PK\x01\x02", 4);
    assert_non_null(directory);
    memcpy(directory + 24, "\xF0\xFF\xFF\xFF", 4);
    memcpy(changed + 30 + strlen("A.npy") + 4, "\xF0\xFF\xFF\xFF", 4); /* behind the tag of the 64-bit sizes */
    hcr_table table = {0};
    hcr_error error = {0};
    assert_int_equal(read_bytes(changed, sizeof compressed - 1, "A", 0, &table, &error), HCR_ERROR_FORMAT);
    assert_non_null(strstr(error.text, "the size it claims can't be"));
    assert_int_equal(read_bytes(changed, sizeof compressed - 1, "load", 0, &table, &error), HCR_OK);
    hcr_table_clear(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arrays_by_name),
                                       cmocka_unit_test(test_names_that_are_not_there),
                                       cmocka_unit_test(test_archives_without_or_with_many_arrays),
                                       cmocka_unit_test(test_cut_and_damaged), cmocka_unit_test(test_claimed_size)};
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
