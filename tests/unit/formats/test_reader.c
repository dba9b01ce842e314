/* A table read in parts of any size is the table, and what is refused is refused in the same words. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hcr/hcr_table.h"
#include "unit/formats/files.h"

/* All parts one after another. */
static hcr_status read_parts(const char *path, int vector, size_t bytes, hcr_table *whole, hcr_error *error) {
    hcr_table_reader *reader;
    hcr_status status = hcr_table_reader_open(path, vector, bytes, &reader, error);
    if (status != HCR_OK)
        return status;
    const size_t parts = hcr_table_reader_parts(reader);
    assert_true(parts >= 1);
    for (size_t part = 0; status == HCR_OK && part < parts + 2; part++) {
        hcr_table table = {0};
        status = hcr_table_reader_next(reader, &table, error);
        if (status != HCR_OK)
            break;
        if (part >= parts)
            assert_int_equal(table.rows, 0);
        if (part == 0) {
            *whole = table;
            continue;
        }
        assert_int_equal(table.columns, whole->columns);
        assert_int_equal(table.names == NULL, whole->names == NULL);
        for (size_t j = 0; table.names != NULL && j < table.columns; j++)
            assert_string_equal(table.names[j], whole->names[j]);
        const size_t had = whole->rows * whole->columns, more = table.rows * table.columns;
        double *values = realloc(whole->values, (had + more + 1) * sizeof *values);
        assert_non_null(values);
        memcpy(values + had, table.values, more * sizeof *values);
        whole->values = values;
        whole->rows += table.rows;
        hcr_table_clear(&table);
    }
    hcr_table_reader_free(reader);
    return status;
}

static void compare(const char *path, int vector) {
    hcr_table wanted = {0};
    hcr_error error = {0};
    const hcr_status status = hcr_table_read(path, HCR_TABLE_BY_NAME, NULL, vector, &wanted, &error);
    for (size_t bytes = 1; bytes < 70; bytes += bytes < 20 ? 1 : 7) {
        hcr_table got = {0};
        hcr_error got_error = {0};
        const hcr_status got_status = read_parts(path, vector, bytes, &got, &got_error);
        assert_int_equal(got_status, status);
        if (status != HCR_OK) {
            assert_string_equal(got_error.text, error.text);
            assert_string_equal(got_error.file, error.file);
            assert_int_equal(got_error.line, error.line);
            assert_int_equal(got_error.column, error.column);
        } else {
            assert_int_equal(got.rows, wanted.rows);
            assert_int_equal(got.columns, wanted.columns);
            assert_memory_equal(got.values, wanted.values, wanted.rows * wanted.columns * sizeof *wanted.values);
        }
        hcr_table_clear(&got);
    }
    hcr_table_clear(&wanted);
}

static void test_csv(void **state) {
    (void)state;
    static const char *const texts[] = {
        "a,b\n1,2\n3,4\n5,6\n",
        "1,2\n3,4\n5,6",
        "0,1\n0.5,2\n3,4\n5,6\n7,8\n", /* a header of numbers */
        "0,1\n2,3\n3,4\n0.5,6\n7,8\n",
        "a,b\r\n1,2\r\n\r\n3,4\r\n\r\n",
        "\n\na;b\n1;2\n\n\n3;4\n  \n5;6",
        "a\rb\r",
        "a\r1\r2\r3\r",
        "\xEF\xBB\xBF\"a\nb\",c\n1,2\n\"3\",4\n5,\"6\"\n",
        /* row names, of which some hold lines that look like rows */
        "\"\",\"a\",\"b\"\n\"x\n7,8,9\n\",1,2\n\"y\"\"\n7,8,9\n\",3,4\n\"z\",5,6\n",
        "a b\n1 2\n", /* one column, no numbers in it */
        "a\tb\n1\t2\n3\t4\n",
        "a,b\n",
        "a,b",
        "a,b\n1,2",
        "a\n1\n2\n",
        /* refused */
        "",
        "\n \n",
        "a\n1\n\n2\n",
        "a\n1\n2\n\n\n3\n",
        "a\n1\n2\n \n3\n4\n",
        "a,b\n1,2\n3,x\n5,6\n",
        "a,b\n1,2\n3,4\n5,6,7\n8,9\n",
        "a,b\n1,2\n3,4\n5\n8,9\n",
        "a,b\n1,2\n3,4\n5,NA\n8,9\n",
        "a,b\n1,2\n3,\"4\n5,6\n",
        "a,a\n1,2\n",
        "a,b\n1,2,3,4\n",
        "a,b\n\n1,2\n\n3,4\n\n\n5,6\n7,inf\n",
        "1\n2\nx\n",
        "1,2\n3,4\n5\n6,7\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const char *path = files_put("parts.csv", texts[k], strlen(texts[k]));
        compare(path, 0);
        compare(path, 1);
    }
}

/* Many random files of a few characters that matter: whatever they are, parts give what the whole gives. */
static void test_random(void **state) {
    (void)state;
    static const char letters[] = "1,2\n\n\r\" x;";
    uint64_t random = 88172645463325252u;
    for (int k = 0; k < 3000; k++) {
        char text[48] = "a,b\n1,2\n";
        size_t used = k % 3 == 0 ? 0 : k % 3 == 1 ? 4 : 8;
        while (used < 8 + (size_t)(k % 37)) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            text[used++] = letters[random % (sizeof letters - 1)];
        }
        const char *path = files_put("random.csv", text, used);
        hcr_table wanted = {0};
        const hcr_status status = hcr_table_read(path, HCR_TABLE_CSV, NULL, 0, &wanted, NULL);
        for (size_t bytes = 1; bytes < 12; bytes += 3) {
            hcr_table got = {0};
            const hcr_status got_status = read_parts(path, 0, bytes, &got, NULL);
            if ((status == HCR_OK) != (got_status == HCR_OK))
                fail_msg("parts of %zu bytes: %d, not %d, for \"%.*s\"", bytes, (int)got_status, (int)status, (int)used,
                         text);
            if (status == HCR_OK) {
                assert_int_equal(got.rows, wanted.rows);
                assert_memory_equal(got.values, wanted.values, wanted.rows * wanted.columns * sizeof(double));
            }
            hcr_table_clear(&got);
        }
        hcr_table_clear(&wanted);
    }
}

static void write_npy(const char *name, const char *facts, size_t size, const void *numbers) {
    char bytes[512];
    const int used = snprintf(bytes + 10, sizeof bytes - 10, "%-117s\n", facts);
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_int_equal(used, 118);
    memcpy(bytes + 128, numbers, size);
    files_put(name, bytes, 128 + size);
}

static void compare_npy(const char *name, int vector) { compare(files_path(name), vector); }

static void test_npy(void **state) {
    (void)state;
    double numbers[15];
    for (int k = 0; k < 15; k++)
        numbers[k] = k / 7.0;
    write_npy("c.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 3), }", sizeof numbers, numbers);
    compare_npy("c.npy", 0);
    write_npy("f.npy", "{'descr': '<f8', 'fortran_order': True, 'shape': (5, 3), }", sizeof numbers, numbers);
    compare_npy("f.npy", 0);
    write_npy("one.npy", "{'descr': '<i2', 'fortran_order': False, 'shape': (60,), }", sizeof numbers, numbers);
    compare_npy("one.npy", 0);
    compare_npy("one.npy", 1);
    write_npy("none.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", 0, numbers);
    compare_npy("none.npy", 0);
    write_npy("short.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (6, 3), }", sizeof numbers, numbers);
    compare_npy("short.npy", 0);
}

static void test_refused(void **state) {
    (void)state;
    hcr_table_reader *reader;
    hcr_error error = {0};
    assert_int_equal(hcr_table_reader_open("a.npz", 0, 100, &reader, &error), HCR_ERROR_UNSUPPORTED);
    assert_int_equal(hcr_table_reader_open("/dev/null", 0, 100, &reader, &error), HCR_ERROR_FORMAT);
    assert_int_equal(hcr_table_reader_open("isn't there.csv", 0, 100, &reader, &error), HCR_ERROR_FILE);
    assert_int_equal(hcr_table_reader_open("a.csv", 0, 0, &reader, &error), HCR_ERROR_ARGUMENT);
}

/* Standard input: a file, one of which something was read before, a pipe. */
static void test_standard_input(void **state) {
    (void)state;
    static const char text[] = "a,b\n1,2\n3,4\n5,6\n", before[] = "what was read before\n";
    static const double wanted[] = {1, 2, 3, 4, 5, 6};
    const int kept = dup(STDIN_FILENO);
    for (int way = 0; way < 3; way++) {
        int ends[2];
        char both[sizeof before + sizeof text];
        const int length = snprintf(both, sizeof both, "%s%s", way == 1 ? before : "", text);
        if (way == 2) {
            assert_int_equal(pipe(ends), 0);
            assert_int_equal(write(ends[1], both, (size_t)length), length);
            close(ends[1]);
        } else {
            ends[0] = open(files_put("standard.csv", both, (size_t)length), O_RDONLY);
            assert_true(ends[0] >= 0);
            assert_int_equal(lseek(ends[0], length - (int)sizeof text + 1, SEEK_SET), length - (int)sizeof text + 1);
        }
        assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
        close(ends[0]);
        hcr_table table = {0};
        hcr_error error = {0};
        assert_int_equal(read_parts("-", 0, 5, &table, &error), HCR_OK);
        assert_int_equal(table.rows, 3);
        assert_memory_equal(table.values, wanted, sizeof wanted);
        hcr_table_clear(&table);
    }
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
}

/* The head of the whole and the rows of its parts are the file. */
static void test_print(void **state) {
    (void)state;
    double values[] = {1, 0.1, -2.5, 1e300, 4, 1.0 / 3};
    char first[] = "a,b", second[] = "c", *names[] = {first, second};
    for (int k = 0; k < 4; k++) {
        const char *path = files_path(k % 2 == 0 ? "pieces.csv" : "pieces.npy");
        const hcr_precision precision = k < 2 ? HCR_DOUBLE : HCR_SINGLE;
        const hcr_table table = {3, 2, values, names}, one = {1, 2, values, names}, rest = {2, 2, values + 2, names};
        const struct {
            const hcr_table *table;
            hcr_table_piece piece;
        } pieces[] = {{&table, HCR_TABLE_HEAD}, {&one, HCR_TABLE_ROWS}, {&rest, HCR_TABLE_ROWS}};
        assert_int_equal(hcr_table_write(path, HCR_TABLE_BY_NAME, &table, precision, NULL), HCR_OK);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        for (size_t i = 0; i < 3; i++) {
            char *bytes, there[512];
            size_t size;
            assert_int_equal(hcr_table_print(path, pieces[i].table, precision, pieces[i].piece, &bytes, &size, NULL),
                             HCR_OK);
            assert_true(size <= sizeof there);
            assert_int_equal(fread(there, 1, size, file), size);
            assert_memory_equal(bytes, there, size);
            hcr_free(bytes);
        }
        assert_int_equal(fgetc(file), EOF);
        fclose(file);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),     cmocka_unit_test(test_random),         cmocka_unit_test(test_npy),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_standard_input), cmocka_unit_test(test_print),
    };
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
