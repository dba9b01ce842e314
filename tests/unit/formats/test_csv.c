/* CSV: what pandas, R and people write is read right or refused with its place; what is written reads back bit for bit.
 */
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
#include "unit/base/german.h"
#include "unit/formats/files.h"

/* Reads text from a block of exactly its size, so that a sanitizer sees a read behind it. */
static hcr_status read_text(const char *text, size_t size, hcr_table *table, hcr_error *error) {
    char *exact = malloc(size == 0 ? 1 : size);
    assert_non_null(exact);
    memcpy(exact, text, size);
    const hcr_status status = hcri_csv_read("t.csv", exact, size, NULL, table, error);
    free(exact);
    return status;
}

static void expect_table(const char *text, size_t rows, size_t columns, const double *values, const char *names) {
    hcr_table table = {0};
    hcr_error error = {0};
    if (read_text(text, strlen(text), &table, &error) != HCR_OK)
        fail_msg("%s\nin %s", error.text, text);
    assert_int_equal(table.rows, rows);
    assert_int_equal(table.columns, columns);
    for (size_t k = 0; k < rows * columns; k++)
        assert_memory_equal(table.values + k, values + k, sizeof *values);
    char joined[256] = "";
    for (size_t j = 0; table.names != NULL && j < columns; j++) {
        strcat(joined, j == 0 ? "" : "|");
        strcat(joined, table.names[j]);
    }
    assert_string_equal(joined, names);
    hcr_table_clear(&table);
}

static void expect_refusal(const char *text, hcr_status status, int line, int column, const char *words) {
    hcr_table table = {0};
    hcr_error error = {0};
    const hcr_status got = read_text(text, strlen(text), &table, &error);
    hcr_table_clear(&table);
    if (got != status || error.line != line || error.column != column || strstr(error.text, words) == NULL)
        fail_msg("status %d, line %d, column %d, \"%s\"\nin %s", (int)got, error.line, error.column, error.text, text);
    assert_int_equal(error.code, status);
    assert_string_equal(error.file, "t.csv");
}

static const double six[] = {1, 2.5, -3, 4, 5e-3, 6};

static void test_spellings_of_one_table(void **state) {
    (void)state;
    static const char *const texts[] = {
        "a,b,c\n1,2.5,-3\n4,5e-3,6\n",
        "a,b,c\n1,2.5,-3\n4,5e-3,6",         /* no newline at the end */
        "a,b,c\r\n1,2.5,-3\r\n4,5e-3,6\r\n", /* Windows */
        "a,b,c\r1,2.5,-3\r4,5e-3,6\r",       /* old Macintosh */
        ("\xEF\xBB\xBF"
         "a,b,c\n1,2.5,-3\n4,5e-3,6\n"), /* byte-order mark */
        "\xEF\xBB\xBF\"a\",b,c\n1,2.5,-3\n4,5e-3,6\n",
        "a;b;c\n1;2.5;-3\n4;5e-3;6\n",
        "a\tb\tc\n1\t2.5\t-3\n4\t5e-3\t6\n",
        "\"a\"\t\"b\"\t\"c\"\n1\t2.5\t-3\n4\t5e-3\t6\n",
        "\"a\",\"b\",\"c\"\n\"1\",\"2.5\",\"-3\"\n\"4\",\" 5e-3 \",\"6\"\n",
        "a, b ,c\n 1 , 2.5,-3\n4,\t5e-3,6  \n",
        "\n\na,b,c\n\n1,2.5,-3\n\r\n4,5e-3,6\n\n\n", /* blank lines */
        "a,b,c\n+1,2.50,-3.0\n4.,.005,6e0\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        expect_table(texts[k], 2, 3, six, "a|b|c");
    expect_table("1,2.5,-3\n4,5e-3,6\n", 2, 3, six, "");
    expect_table("1;2.5;-3\n4;5e-3;6\n", 2, 3, six, "");
    expect_table("1\n2.5\n-3\n", 3, 1, six, "");
    expect_table("price\n1\n2.5\n", 2, 1, six, "price");
}

static void test_headers(void **state) {
    (void)state;
    expect_table("\"a,b\",\"c \"\"q\"\"\",\"two\nlines\"\n1,2.5,-3\n", 1, 3, six, "a,b|c \"q\"|two\nlines");
    expect_table("\"a;b\",x\n1,2.5\n", 1, 2, six, "a;b|x");
    expect_table("a;b,x\n1,2.5\n", 1, 2, six, "a;b|x"); /* pandas quotes only the separator in use */
    expect_table("a,b;x\n\n1;2.5\n", 1, 2, six, "a,b|x");
    expect_table("a;b\n\n", 0, 2, NULL, "a|b");
    expect_table("x[0],x[1]\n", 0, 2, NULL, "x[0]|x[1]");
    expect_table("x", 0, 1, NULL, "x");
    expect_table("year,2019,2020\n1,2.5,-3\n", 1, 3, six, "year|2019|2020");
    expect_refusal("a,b,a\n1,2,3\n", HCR_ERROR_NAME, 1, 3, "columns 1 and 3 have the same name \"a\"");
    expect_refusal("b,b\n", HCR_ERROR_NAME, 1, 2, "\"b\"");
    expect_refusal("a,,c\n1,2,3\n", HCR_ERROR_NAME, 1, 2, "no name");
    expect_refusal("\n\na,\"\"\n1,2\n", HCR_ERROR_NAME, 3, 2, "no name");
    expect_refusal("", HCR_ERROR_FORMAT, 0, 0, "empty");
    expect_refusal("\n\r\n  \n", HCR_ERROR_FORMAT, 0, 0, "empty");
}

/* R's write.csv has "" over the quoted row names, write.table(sep = ",") has no cell there. */
static void test_row_names_of_r(void **state) {
    (void)state;
    expect_table("\"\",\"a\",\"b\",\"c\"\n\"1\",1,2.5,-3\n\"2\",4,0.005,6\n", 2, 3, six, "a|b|c");
    expect_table("\"\",\"a\",\"b\",\"c\"\r\n\"Jan, 1\",1,2.5,-3\r\n\"Feb\",4,0.005,6\r\n", 2, 3, six, "a|b|c");
    expect_table("\"a\",\"b\",\"c\"\n\"1\",1,2.5,-3\n\"2\",4,0.005,6\n", 2, 3, six, "a|b|c");
    expect_table("a,b,c\n1,1,2.5,-3\n2,4,0.005,6\n", 2, 3, six, "a|b|c"); /* quote = FALSE */
    expect_table("\"\",\"a\",\"b\"\n", 0, 2, NULL, "a|b");
    /* write.csv2's separator, with the decimal point that dec = "." gives */
    expect_table("\"\";\"a\";\"b\";\"c\"\n\"1\";1;2.5;-3\n\"2\";4;0.005;6\n", 2, 3, six, "a|b|c");
    expect_refusal("\"\";\"a\"\n\"1\";2,5\n", HCR_ERROR_DATA, 2, 2, "decimal sign");
    /* Quoted numbers under a name are data. */
    expect_table("\"id\",\"a\"\n\"1\",2.5\n\"-3\",4\n", 2, 2, six, "id|a");
    /* pandas writes its index without quotes. */
    expect_table(",a,b,c\n0,1,2.5,-3\n2024-01-01,4,0.005,6\n", 2, 3, six, "a|b|c");
    expect_refusal("a,,c\n1,2,3\n", HCR_ERROR_NAME, 1, 2, "no name");
    /* D55: a cell too many that is no name. */
    expect_refusal("a,b\n0.5,0.25,0.125\n", HCR_ERROR_DATA, 2, 0, "3 cells where the header asks for 2");
    expect_refusal("a,b\n2,0.25,0.125\n", HCR_ERROR_DATA, 2, 0, "3 cells where the header asks for 2");
    expect_refusal("a,b\n1,0.25,0.125\n", HCR_ERROR_DATA, 2, 0, "3 cells where the header asks for 2");
    expect_refusal("a,b\n1,0.25,0.125\n3,5,6\n", HCR_ERROR_DATA, 3, 0, "3 cells where the header asks for 2");
    /* D12: pandas' header of columns without names, which whole numbers after it would make a sample. */
    expect_table("0,1,2\n1,2.5,-3\n4,0.005,6\n", 2, 3, six, "");
    expect_table("0,1\n1,2\n", 2, 2, (const double[]){0, 1, 1, 2}, "");
    expect_refusal("0,1\n0.5,NA\n", HCR_ERROR_DATA, 2, 2, "missing value");
    /* The first row decides. */
    expect_refusal("a,b\n\"1\",1,2\n3,4\n", HCR_ERROR_DATA, 3, 0, "2 cells");
    expect_refusal("a,b\n1,2\n\"2\",3,4\n", HCR_ERROR_DATA, 3, 0, "3 cells");
}

/* C32: a missing cell is refused where it is; nothing becomes 0 or moves. */
static void test_missing_cells(void **state) {
    (void)state;
    expect_refusal("x,y,t\n6,,2\n2,0,3\n", HCR_ERROR_DATA, 2, 2, "column 2 (\"y\"): the cell is empty");
    expect_refusal("x,y,t\n6,1,2\n1,2,", HCR_ERROR_DATA, 3, 3, "column 3 (\"t\"): the cell is empty");
    expect_refusal("x,y,t\n6,1,2\n1,2,\n", HCR_ERROR_DATA, 3, 3, "column 3 (\"t\"): the cell is empty");
    expect_refusal("x,y,t\n6,1,2\n1,2,\r\n", HCR_ERROR_DATA, 3, 3, "column 3 (\"t\"): the cell is empty");
    expect_refusal("x,y,t\n,1,2\n", HCR_ERROR_DATA, 2, 1, "column 1 (\"x\")");
    expect_refusal("x\ty\n1\t\n", HCR_ERROR_DATA, 2, 2, "empty");
    expect_refusal("x\ty\n\t1\n", HCR_ERROR_DATA, 2, 1, "empty");
    expect_refusal("x,y\n1,\"\"\n", HCR_ERROR_DATA, 2, 2, "empty");
    expect_refusal("x,y\n1,\" \"\n", HCR_ERROR_DATA, 2, 2, "empty");
    static const char *const missing[] = {"nan", "NaN", "-", "NA", "N/A", "null", "None", "?"};
    for (size_t k = 0; k < sizeof missing / sizeof *missing; k++) {
        char text[64];
        snprintf(text, sizeof text, "x,y\n1,2\n3,%s\n", missing[k]);
        expect_refusal(text, HCR_ERROR_DATA, 3, 2, "column 2 (\"y\")");
        expect_refusal(text, HCR_ERROR_DATA, 3, 2, missing[k]);
        snprintf(text, sizeof text, "3,%s\n1,2\n", missing[k]); /* not a header: it would swallow the row */
        expect_refusal(text, HCR_ERROR_DATA, 1, 2, "column 2:");
    }
    static const char *const infinite[] = {"inf", "-Inf", "Infinity", "1e999", "-1e400"};
    for (size_t k = 0; k < sizeof infinite / sizeof *infinite; k++) {
        char text[64];
        snprintf(text, sizeof text, "x,y\n%s,2\n", infinite[k]);
        expect_refusal(text, HCR_ERROR_DATA, 2, 1, "finite");
    }
    /* One column: an empty line is an empty cell. */
    expect_refusal("x\n1\n\n3\n", HCR_ERROR_DATA, 3, 1, "empty line");
    expect_refusal("x\r\n1\r\n\r\n3\r\n", HCR_ERROR_DATA, 3, 1, "empty line");
    expect_refusal("1\n  \n3\n", HCR_ERROR_DATA, 2, 1, "empty line");
    expect_refusal("x\n1\n\"\"\n3\n", HCR_ERROR_DATA, 3, 1, "empty");
    const double ends[] = {1, 3};
    expect_table("\nx\n1\n3\n\n\n", 2, 1, ends, "x");
}

static void test_what_is_no_table(void **state) {
    (void)state;
    expect_refusal("a,b\n1,2\n3\n", HCR_ERROR_DATA, 3, 0, "1 cell where the header asks for 2");
    expect_refusal("1,2\n3,4,5\n", HCR_ERROR_DATA, 2, 0, "3 cells where the first row has 2");
    expect_refusal("a,b\n1,x7\n", HCR_ERROR_DATA, 2, 2, "\"x7\" is no number");
    expect_refusal("a,b\n1,0x10\n", HCR_ERROR_DATA, 2, 2, "\"0x10\"");
    expect_refusal("a,b\n1,1 2\n", HCR_ERROR_DATA, 2, 2, "\"1 2\"");
    expect_refusal("a;b\n1;0,5\n", HCR_ERROR_DATA, 2, 2, "the decimal sign is '.'");
    expect_refusal("0,5;1\n1,5;2\n", HCR_ERROR_DATA, 1, 1, "the decimal sign is '.'");
    expect_refusal("0,5;1\n", HCR_ERROR_DATA, 1, 1, "the decimal sign is '.'");
    expect_refusal("a;b\n1;1,234.5\n", HCR_ERROR_DATA, 2, 2, "nothing groups digits");
    expect_refusal("a,b\n1,TRUE\n", HCR_ERROR_DATA, 2, 2, "\"TRUE\"");
    expect_refusal("a,b\n1,\x01\x1B[2J\n", HCR_ERROR_DATA, 2, 2, "\"\\x01\\x1b[2J\"");
    expect_refusal("a,b\n1,\"2\n", HCR_ERROR_FORMAT, 3, 0, "quote");
    expect_refusal("a,b\n1,2\"3\n", HCR_ERROR_FORMAT, 2, 0, "quote");
    expect_refusal("a,b\n1,\"2\"3\n", HCR_ERROR_FORMAT, 2, 0, "quote");
    hcr_table table = {0};
    assert_int_equal(read_text("a\0b", 3, &table, NULL), HCR_ERROR_FORMAT);
    assert_int_equal(read_text("\xFF\xFE"
                               "1\0",
                               4, &table, NULL),
                     HCR_ERROR_FORMAT); /* UTF-16 */
    hcr_table_clear(&table);
    char wide[512];
    memset(wide, 'w', sizeof wide);
    memcpy(wide + 300, "\n", 2);
    memcpy(wide, "a\n", 2);
    expect_refusal(wide, HCR_ERROR_DATA, 2, 1, "www...\"");
}

/* A cut or damaged file is read or refused; what is read is whole rows of finite numbers. */
static void expect_sane(const char *text, size_t size) {
    hcr_table table = {0};
    hcr_error error = {0};
    const hcr_status status = read_text(text, size, &table, &error);
    if (status == HCR_OK)
        for (size_t k = 0; k < table.rows * table.columns; k++)
            assert_true(isfinite(table.values[k]));
    else
        assert_true(error.code == status && error.text[0] != '\0');
    hcr_table_clear(&table);
}

static void test_cut_and_damaged(void **state) {
    (void)state;
    static const char *const texts[] = {"\xEF\xBB\xBF\"\",\"a \"\"q\"\"\",\"b\"\r\n\"r,1\",1.5,-2e-3\r\n\"r2\",3,4\r\n",
                                        "a;b\n1;2\n\n3;4", "x\n1\n2\n3\n", "1\t2\t3\n4\t5\t6\n"};
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const size_t size = strlen(texts[k]);
        for (size_t cut = 0; cut <= size; cut++)
            expect_sane(texts[k], cut);
        for (int n = 0; n < 5000; n++) {
            static const char alphabet[] = "\",;\t\r\n 0123456789.-eEnaN\xEF\xBB\xBF";
            char changed[128];
            memcpy(changed, texts[k], size);
            for (size_t m = 1 + hcri_random_below(&random, 4); m > 0; m--)
                changed[hcri_random_below(&random, size)] = alphabet[hcri_random_below(&random, sizeof alphabet)];
            expect_sane(changed, size);
        }
    }
}

static void expect_round_trip(const hcr_table *table, hcr_precision precision) {
    hcr_error error = {0};
    const char *path = files_path("round.csv");
    assert_int_equal(hcr_table_write(path, HCR_TABLE_BY_NAME, table, precision, &error), HCR_OK);
    size_t size, size_again;
    char *first = files_get(path, &size);
    hcr_table back = {0};
    if (hcr_table_read(path, HCR_TABLE_BY_NAME, NULL, 0, &back, &error) != HCR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(back.rows, table->rows);
    assert_int_equal(back.columns, table->columns);
    for (size_t k = 0; k < table->rows * table->columns; k++) {
        const double expected = precision == HCR_SINGLE ? (double)(float)table->values[k] : table->values[k];
        const double got = precision == HCR_SINGLE ? (double)(float)back.values[k] : back.values[k];
        assert_memory_equal(&got, &expected, sizeof got);
    }
    for (size_t j = 0; table->names != NULL && j < table->columns; j++)
        assert_string_equal(back.names[j], table->names[j]);
    assert_int_equal(hcr_table_write(path, HCR_TABLE_BY_NAME, &back, precision, &error), HCR_OK);
    char *second = files_get(path, &size_again);
    assert_int_equal(size, size_again);
    assert_memory_equal(first, second, size);
    free(first);
    free(second);
    hcr_table_clear(&back);
}

/* C38: save, load, save: the same numbers to the bit, the same file. */
static void test_digits_survive(void **state) {
    (void)state;
    double values[300] = {1.0 / 3, 0.1, 4.9e-324, -0.0, DBL_MAX, -DBL_MIN, 1e23, 2.5e-310, 16777217};
    hcri_random random;
    hcri_random_seed(&random, 4);
    for (size_t k = 9; k < 300; k++)
        do {
            const uint64_t bits = hcri_random_bits(&random);
            memcpy(values + k, &bits, sizeof *values);
        } while (!isfinite(values[k]));
    char *names[] = {"load[0]", "a,b", " blank ", "say \"hi\"", "two\nlines"};
    hcr_table table = {60, 5, values, names};
    expect_round_trip(&table, HCR_DOUBLE);
    table.names = NULL;
    expect_round_trip(&table, HCR_DOUBLE);
    for (size_t k = 0; k < 300; k++)
        if (fabs(values[k]) > FLT_MAX)
            values[k] = 1e-3 * hcri_random_normal(&random);
    table.names = names;
    expect_round_trip(&table, HCR_SINGLE);
    table.rows = 0;
    expect_round_trip(&table, HCR_DOUBLE);
    names[0] = "\xEF\xBB\xBFmark";
    expect_round_trip(&table, HCR_DOUBLE);
}

/* C30: in a locale with a decimal comma, cells and files keep the point. */
static void test_decimal_comma(void **state) {
    (void)state;
    if (!german_locale())
        skip();
    const double cells[] = {54.12345, 0.5};
    expect_table("a,b\n54.12345,0.5\n", 1, 2, cells, "a|b");
    double values[] = {54.12345, -0.5, 1e-300, 2};
    hcr_table table = {2, 2, values, NULL};
    const char *path = files_path("comma.csv");
    assert_int_equal(hcr_table_write(path, HCR_TABLE_CSV, &table, HCR_DOUBLE, NULL), HCR_OK);
    size_t size;
    char *text = files_get(path, &size);
    assert_string_equal(text, "54.12345,-0.5\n1e-300,2\n");
    free(text);
    expect_round_trip(&table, HCR_DOUBLE);
    expect_round_trip(&table, HCR_SINGLE);
    setlocale(LC_ALL, "C");
}

static void test_standard_streams(void **state) {
    (void)state;
    files_put("in.csv", "a,b\n1,x\n", 8);
    assert_non_null(freopen(files_path("in.csv"), "rb", stdin));
    hcr_table table = {0};
    hcr_error error = {0};
    assert_int_equal(hcr_table_read("-", HCR_TABLE_BY_NAME, NULL, 0, &table, &error), HCR_ERROR_DATA);
    assert_string_equal(error.file, "standard input");
    files_put("in.csv", "a,b\n1,2.5\n", 10);
    assert_non_null(freopen(files_path("in.csv"), "rb", stdin));
    assert_int_equal(hcr_table_read("-", HCR_TABLE_BY_NAME, NULL, 0, &table, &error), HCR_OK);
    assert_true(table.rows == 1 && table.columns == 2 && table.values[1] == 2.5);

    fflush(stdout);
    const int terminal = dup(STDOUT_FILENO);
    FILE *caught = fopen(files_path("out.csv"), "wb");
    assert_true(terminal >= 0 && caught != NULL);
    assert_true(dup2(fileno(caught), STDOUT_FILENO) >= 0);
    const hcr_status status = hcr_table_write("-", HCR_TABLE_BY_NAME, &table, HCR_DOUBLE, &error);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    fclose(caught);
    assert_int_equal(status, HCR_OK);
    size_t size;
    char *text = files_get(files_path("out.csv"), &size);
    assert_string_equal(text, "a,b\n1,2.5\n");
    free(text);
    hcr_table_clear(&table);
}

static void test_calls_that_cannot_be(void **state) {
    (void)state;
    hcr_table table = {0};
    hcr_error error = {0};
    const char *path = files_put("small.csv", "1,2\n", 4);
    assert_int_equal(hcr_table_read(NULL, HCR_TABLE_CSV, NULL, 0, &table, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_table_read(path, HCR_TABLE_CSV, NULL, 0, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_table_read(path, (hcr_table_format)9, NULL, 0, &table, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_table_read(path, HCR_TABLE_CSV, "key", 0, &table, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_table_read(files_path("absent.csv"), HCR_TABLE_CSV, NULL, 0, &table, &error), HCR_ERROR_FILE);
    /* A failure leaves the table, a success frees what it had. */
    path = files_put("small.csv", "1,2\n", 4);
    assert_int_equal(hcr_table_read(path, HCR_TABLE_CSV, NULL, 0, &table, &error), HCR_OK);
    files_put("bad.csv", "1,2\n3\n", 6);
    assert_int_equal(hcr_table_read(files_path("bad.csv"), HCR_TABLE_CSV, NULL, 0, &table, &error), HCR_ERROR_DATA);
    assert_true(table.rows == 1 && table.values[1] == 2);
    assert_int_equal(hcr_table_read(files_path("small.csv"), HCR_TABLE_CSV, NULL, 0, &table, &error), HCR_OK);
    assert_int_equal(hcr_table_write(files_path("x.npz"), HCR_TABLE_BY_NAME, &table, HCR_DOUBLE, &error),
                     HCR_ERROR_UNSUPPORTED);
    assert_int_equal(hcr_table_write(files_path("no/x.csv"), HCR_TABLE_BY_NAME, &table, HCR_DOUBLE, &error),
                     HCR_ERROR_FILE);
    assert_int_equal(hcr_table_write(files_path("x.csv"), HCR_TABLE_CSV, &table, (hcr_precision)7, &error),
                     HCR_ERROR_ARGUMENT);
    const hcr_table none = {0};
    assert_int_equal(hcr_table_write(files_path("x.csv"), HCR_TABLE_CSV, &none, HCR_DOUBLE, &error), HCR_ERROR_SHAPE);
    assert_int_not_equal(access(files_path("x.csv"), F_OK), 0);
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(hcr_table_write("/dev/full", HCR_TABLE_CSV, &table, HCR_DOUBLE, &error), HCR_ERROR_FILE);
    hcr_table_clear(&table);
    hcr_table_clear(&table);
    hcr_table_clear(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings_of_one_table), cmocka_unit_test(test_headers),
        cmocka_unit_test(test_row_names_of_r),         cmocka_unit_test(test_missing_cells),
        cmocka_unit_test(test_what_is_no_table),       cmocka_unit_test(test_cut_and_damaged),
        cmocka_unit_test(test_digits_survive),         cmocka_unit_test(test_decimal_comma),
        cmocka_unit_test(test_standard_streams),       cmocka_unit_test(test_calls_that_cannot_be)};
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
