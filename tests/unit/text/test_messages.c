/* Messages for wrong texts: status, place, message and mark. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hcr/hcr_build.h"

typedef struct wrong_text {
    const char *text;
    hcr_status status;
    int line, column;
    const char *says; /* in the message … */
    const char *mark; /* … and under its line: what is marked in the text, "" for a place where nothing stands */
} wrong_text;

static const wrong_text wrong_texts[] = {
    /* characters and numbers */
    {"var y[2]\ny \xE2\x89\xA4 3", HCR_ERROR_SYNTAX, 2, 3, "write <=", "\xE2\x89\xA4"},
    {"var y[2]\ny <= 3; y >= 1", HCR_ERROR_SYNTAX, 2, 7, "write a new line", ";"},
    {"var y[2]\ny ^ 2 <= 3", HCR_ERROR_SYNTAX, 2, 3, "write **", "^"},
    {"var y[2]\ny <= 2y", HCR_ERROR_SYNTAX, 2, 6, "write 2*y", "2y"},
    {"var y[2]\ny <= 0x10", HCR_ERROR_SYNTAX, 2, 6, "\"0x10\" is no number", "0x10"},
    {"var y[2]\ny <= 1.2.3", HCR_ERROR_SYNTAX, 2, 6, "\"1.2.3\" is no number", "1.2.3"},
    {"var y[2]\ny <= 1e999", HCR_ERROR_DATA, 2, 6, "too large for a double", "1e999"},
    {"var y[2]\ny <= 1e-999", HCR_ERROR_DATA, 2, 6, "too small for a double", "1e-999"},
    {"var y[2]\ny <= \x01", HCR_ERROR_SYNTAX, 2, 6, "control character (byte 0x01)", "\x01"},
    {"var y[2]\ny <= read(\"a.csv)\n", HCR_ERROR_SYNTAX, 2, 11, "isn't closed", "\"a.csv)"},
    {"var y[2]\nNaN <= y", HCR_ERROR_NAME, 2, 1, "unknown name \"NaN\"", "NaN"},
    /* the form of statements */
    {"var y[2]\n(y[0] <= 1\n", HCR_ERROR_SYNTAX, 2, 1, "never closed: a \")\" is missing", "("},
    {"var y[2]\ny[0 <= 1\n", HCR_ERROR_SYNTAX, 2, 5, "closes the bracket of line 2, column 2, not <=", "<="},
    {"var y[2]\n(y[0) <= 1", HCR_ERROR_SYNTAX, 2, 5, "expected \"]\"", ")"},
    {"var y[2]\ny <= \n", HCR_ERROR_SYNTAX, 2, 6, "expected a value, not the end of the line", ""},
    {"var y[2]\ny <=", HCR_ERROR_SYNTAX, 2, 5, "expected a value, not the end of the text", ""},
    {"var y[2]\ny < 3", HCR_ERROR_SYNTAX, 2, 3, "write <=", "<"},
    {"var y[2]\ny + 3", HCR_ERROR_SYNTAX, 2, 1, "this is no statement", "y + 3"},
    {"var y[2]\n(y <= 3)", HCR_ERROR_SYNTAX, 2, 1, "outside brackets", "(y <= 3)"},
    {"var y[2]\ny = 3", HCR_ERROR_SYNTAX, 2, 3, "write const y", "="},
    {"var y[2]\ny <= 3 and y >= 1", HCR_ERROR_SYNTAX, 2, 8, "one constraint a line", "and"},
    {"var y[2]\ny <= 3 4", HCR_ERROR_SYNTAX, 2, 8, "expected the end of the line, not 4", "4"},
    {"var y[2]\ny <= 3 if 1", HCR_ERROR_SYNTAX, 2, 8, "\"if\" comes after a \"for\"", "if"},
    {"var y[2]\ny <= []", HCR_ERROR_SHAPE, 2, 6, "this list is empty", "[]"},
    {"var y[2]\ny <= \"3\"", HCR_ERROR_SYNTAX, 2, 6, "a string stands in read", "\"3\""},
    {"var y[2]\ny.S <= 3", HCR_ERROR_SYNTAX, 2, 3, "the T of a transpose", "S"},
    {"var y[2, 3, 4]", HCR_ERROR_UNSUPPORTED, 1, 11, "two sizes at most", ","},
    {"var for", HCR_ERROR_NAME, 1, 5, "\"for\" is a word of the language", "for"},
    {"", HCR_ERROR_NAME, 1, 1, "no outputs are declared", ""},
    {"# nothing", HCR_ERROR_NAME, 1, 10, "no outputs are declared", ""},
    /* words out of place */
    {"param cap[3] in [0, 1]", HCR_ERROR_NAME, 1, 23, "no outputs are declared", ""},
    {"var y[2]\ny <= param", HCR_ERROR_SYNTAX, 2, 6, "expected a value, not param", "param"},
    {"var y[2]\n1 <= psd(eye(2))", HCR_ERROR_SYNTAX, 2, 6, "a constraint of its own", "psd"},
    {"var y[2]\ny >> 0", HCR_ERROR_SHAPE, 2, 1, "needs a square matrix", "y"},
    {"var y[2]\ny <= 1 for i in range(2) if [[1]] >> 0", HCR_ERROR_SYNTAX, 2, 35, "conditions compare numbers", ">>"},
    /* names */
    {"var load[2]\n0 <= laod <= 900", HCR_ERROR_NAME, 2, 6, "nearest known is \"load\"", "laod"},
    {"y <= 1", HCR_ERROR_NAME, 1, 1, "unknown name \"y\": declare outputs with var", "y"},
    {"var y\nabss(y) <= 1", HCR_ERROR_NAME, 2, 1, "no function \"abss\": the nearest known is \"abs\"", "abss"},
    {"var y\nabs <= 1", HCR_ERROR_NAME, 2, 1, "abs is a function", "abs"},
    {"var y\nvar y", HCR_ERROR_NAME, 2, 5, "declared already, in line 1", "y"},
    {"const a = 1\nconst a = 2", HCR_ERROR_NAME, 2, 7, "declared already, in line 1", "a"},
    {"var y\ny <= 1\nvar z", HCR_ERROR_NAME, 3, 5, "before the first constraint", "z"},
    {"const a = 1\na <= 2", HCR_ERROR_NAME, 2, 1, "the outputs come first", "a <= 2"},
    {"var y\nconst a = 2 * y", HCR_ERROR_NAME, 2, 11, "a const is fixed", "2 * y"},
    /* shapes */
    {"var y[48]\ny + [1, 2] <= 3", HCR_ERROR_SHAPE, 2, 1, "a vector of 48 and a vector of 2", "y + [1, 2]"},
    {"var y[3]\nconst A = [[1, 2], [3, 4]]\nA @ y <= 1", HCR_ERROR_SHAPE, 3, 1,
     "a 2\xC3\x97"
     "2 matrix @ a vector of 3",
     "A @ y"},
    {"var y[3]\n[[1, 2], [3]] @ y <= 1", HCR_ERROR_SHAPE, 2, 1, "element 1 is a vector of 1", "[[1, 2], [3]]"},
    {"var y[48]\ny[48] <= 3", HCR_ERROR_SHAPE, 2, 3, "there are 48, 0 to 47", "48"},
    {"var y[48]\ny[-49] <= 3", HCR_ERROR_SHAPE, 2, 3, "the index is -49", "-49"},
    {"var y[48]\ny[0.5] <= 3", HCR_ERROR_SHAPE, 2, 3, "whole number", "0.5"},
    {"var y[48]\ny[3:3] <= 3", HCR_ERROR_SHAPE, 2, 3, "this slice of 48 is empty", "3:3"},
    {"var y[48]\ny[::0] <= 3", HCR_ERROR_SHAPE, 2, 3, "step of a slice can't be 0", "::0"},
    {"var y[48]\ny[0, 1] <= 3", HCR_ERROR_SHAPE, 2, 1, "2 indices for a vector of 48", "y[0, 1]"},
    {"var y[48]\ny[i] <= 3 for i in range(49)", HCR_ERROR_SHAPE, 2, 3, "the index is 48", "i"},
    {"var y[48]\ny[0] <= 3 for i in 7", HCR_ERROR_SHAPE, 2, 20, "a loop runs over a constant vector", "7"},
    {"var y[48]\ny[0] <= 3 for i in range(2) if y[0] > 1", HCR_ERROR_SHAPE, 2, 32, "depends on the outputs", "y[0]"},
    {"var y[0]", HCR_ERROR_SHAPE, 1, 7, "from 1 to", "0"},
    {"var y[1e9]", HCR_ERROR_SHAPE, 1, 7, "from 1 to", "1e9"},
    {"var y\ny <= zeros(20000, 20000)[0, 0]", HCR_ERROR_SHAPE, 2, 6, "too large", "zeros(20000, 20000)"},
    {"var y\nabs(y, y) <= 1", HCR_ERROR_SHAPE, 2, 1, "abs() takes 1 argument, not 2", "abs(y, y)"},
    {"var y\nquad_form(y) <= 1", HCR_ERROR_SHAPE, 2, 1, "takes 2 arguments, not 1", "quad_form(y)"},
    {"var y[4]\nreshape(y, 3, 2) <= 1", HCR_ERROR_SHAPE, 2, 1,
     "a vector of 4 can't become a 3\xC3\x97"
     "2 matrix",
     "reshape(y, 3, 2)"},
    {"var y[4]\nmax([i for i in range(0)]) * y <= 1", HCR_ERROR_SHAPE, 2, 5, "max() of nothing",
     "[i for i in range(0)]"},
    {"var y[3]\norigin = [1, 2]", HCR_ERROR_SHAPE, 2, 10, "a fixed point of 3 numbers, not a vector of 2", "[1, 2]"},
    /* data */
    {"var y\ny <= read(\"missing.csv\")", HCR_ERROR_FILE, 2, 11, "missing.csv", "\"missing.csv\""},
    {"var y\ny / 0 <= 1", HCR_ERROR_DATA, 2, 1, "division by zero", "y / 0"},
    {"var y\ny <= inf - inf", HCR_ERROR_DATA, 2, 6, "NaN", "inf - inf"},
    {"var y\ninf * y <= 1", HCR_ERROR_DATA, 2, 1, "multiplied or divided by infinity", "inf * y"},
    {"var y\ny + inf <= 1", HCR_ERROR_DATA, 2, 1, "infinity is added to an output", "y + inf"},
    {"var y\n1e60 * y <= 1", HCR_ERROR_DATA, 2, 1, "at most 1e50", "1e60 * y <= 1"},
    {"var y\ny <= sqrt(-1)", HCR_ERROR_DATA, 2, 6, "sqrt(-1) is no number", "sqrt(-1)"},
    /* convexity */
    {"var y[3]\nabs(y) - abs(y[0]) <= 3", HCR_ERROR_CONVEXITY, 2, 1,
     "adds abs(y), which is convex, and -abs(y[0]), which is concave", "abs(y) - abs(y[0])"},
    {"var y[3]\n3 <= abs(y)", HCR_ERROR_CONVEXITY, 2, 6,
     "abs(y) is convex: it can stand on the smaller side of <=", "abs(y)"},
    {"var y[3]\nmin(y) + 1 <= 3", HCR_ERROR_CONVEXITY, 2, 1, "is concave, because of min(y)", "min(y)"},
    {"var y[3]\nabs(y) >= 1", HCR_ERROR_CONVEXITY, 2, 1, "the smaller side of >= only", "abs(y)"},
    {"var y[3]\nmax(min(y), 1) <= 3", HCR_ERROR_CONVEXITY, 2, 5, "what it takes here must be convex or affine",
     "min(y)"},
    {"var y[3]\nabs(max(y)) <= 3", HCR_ERROR_CONVEXITY, 2, 5, "max(y) is convex, of either sign", "max(y)"},
    {"var y[3]\nabs(1 - abs(y)) <= 3", HCR_ERROR_CONVEXITY, 2, 5, "1 - abs(y) is concave, of either sign",
     "1 - abs(y)"},
    {"var y[2]\ny * y <= 3", HCR_ERROR_CONVEXITY, 2, 1, "write square(y)", "y * y"},
    {"var y[2]\ny[0] * y[1] <= 3", HCR_ERROR_CONVEXITY, 2, 1, "both y[0] and y[1] depend", "y[0] * y[1]"},
    {"var y[2]\n1 / y <= 3", HCR_ERROR_CONVEXITY, 2, 1, "stands under a division", "1 / y"},
    {"var y[2]\ny @ [[1, 0], [0, 1]] @ y <= 3", HCR_ERROR_CONVEXITY, 2, 1, "quad_form(x, P)",
     "y @ [[1, 0], [0, 1]] @ y"},
    {"var y[2]\ny[0] != 3", HCR_ERROR_CONVEXITY, 2, 6, "!= can't be a constraint", "!="},
    {"var y[2]\nquad_form(y, [[1, 2], [2, 1]]) <= 3", HCR_ERROR_CONVEXITY, 2, 14, "most negative eigenvalue is -1",
     "[[1, 2], [2, 1]]"},
    {"var y[2]\nquad_form(y, [[1, 2], [0, 1]]) <= 3", HCR_ERROR_CONVEXITY, 2, 14, "elements [1, 0] and [0, 1] differ",
     "[[1, 2], [0, 1]]"},
    {"var y[2]\nquad_form(y, [[1, 0], [0, -1e-3]]) <= 3", HCR_ERROR_CONVEXITY, 2, 14,
     "most negative eigenvalue is -0.001", /* C23 */
     "[[1, 0], [0, -1e-3]]"},
    /* never */
    {"var y[2]\n0 * y <= -1", HCR_ERROR_EMPTY, 2, 1, "this never holds in element 0", "0 * y <= -1"}, /* C16 */
    {"var y[2]\n0 * y[0] == 1", HCR_ERROR_EMPTY, 2, 1, "this never holds", "0 * y[0] == 1"},          /* C16 */
    {"var y[2]\n3 <= 2", HCR_ERROR_EMPTY, 2, 1, "this never holds", "3 <= 2"},
    {"var y[2]\ny <= -inf", HCR_ERROR_EMPTY, 2, 1, "this never holds", "y <= -inf"},
    {"var y[2]\ny >= 1e30", HCR_ERROR_EMPTY, 2, 1, "1e20", "y >= 1e30"},
    {"var y[2]\nnorm(y) <= -1", HCR_ERROR_EMPTY, 2, 1, "norm(y) is at least 0", "norm(y) <= -1"},
    {"var y[2]\nsum_squares(y) <= -1", HCR_ERROR_EMPTY, 2, 1, "sum_squares(y) is at least 0", "sum_squares(y) <= -1"},
};

/* The last two lines of a message: "  12 | source" and "     |  ^^^". Whether what is marked reads so. */
static void assert_marked(const char *message, const char *marked) {
    const char *marks = strrchr(message, '\n');
    assert_non_null(marks);
    const char *source = marks;
    while (source > message && source[-1] != '\n')
        source--;
    const char *mark = strchr(marks, '^');
    assert_non_null(mark);
    size_t skipped = (size_t)(mark - (strchr(marks, '|') + 2)), width = strspn(mark, "^"), characters = 0;
    const char *at = strchr(source, '|') + 2;
    for (; skipped > 0 && *at != '\n'; skipped--)
        for (at++; ((unsigned char)*at & 0xC0) == 0x80;)
            at++;
    assert_int_equal(skipped, 0);
    for (const char *c = marked; *c != '\0'; c++)
        characters += ((unsigned char)*c & 0xC0) != 0x80;
    assert_int_equal(width, characters == 0 ? 1 : characters);
    if ((unsigned char)marked[0] >= ' ')
        assert_int_equal(strncmp(at, marked, strlen(marked)), 0);
}

static void test_wrong_texts(void **state) {
    (void)state;
    assert_true(sizeof wrong_texts / sizeof wrong_texts[0] >= 40);
    for (size_t i = 0; i < sizeof wrong_texts / sizeof wrong_texts[0]; i++) {
        const wrong_text *wrong = &wrong_texts[i];
        hcr_builder *builder = (hcr_builder *)&builder;
        hcr_error error = {0};
        const hcr_status status =
            hcr_text_build(wrong->text, strlen(wrong->text), "dir/some.hcr", NULL, 0, NULL, NULL, &builder, &error);
        if (status != wrong->status || error.line != wrong->line || error.column != wrong->column ||
            strstr(error.text, wrong->says) == NULL)
            fail_msg("%s\n%s at %d:%d: %s\nexpected %s at %d:%d: %s", wrong->text, hcr_status_name(status), error.line,
                     error.column, error.text, hcr_status_name(wrong->status), wrong->line, wrong->column, wrong->says);
        assert_null(builder);
        assert_int_equal(error.code, status);
        assert_string_equal(error.file, "dir/some.hcr");
        assert_marked(error.text, wrong->mark);
        /* without an error struct the status is the same */
        assert_int_equal(hcr_text_build(wrong->text, strlen(wrong->text), NULL, NULL, 0, NULL, NULL, &builder, NULL),
                         wrong->status);
    }
}

static hcr_status build(const char *text, size_t constants, const hcr_constant *constant, hcr_error *error) {
    hcr_builder *builder = NULL;
    const hcr_status status = hcr_text_build(text, strlen(text), "t", NULL, constants, constant, NULL, &builder, error);
    hcr_builder_free(builder);
    return status;
}

static void test_whole_message(void **state) {
    (void)state;
    hcr_error error = {0};
    assert_int_equal(build("var load[48]\n  # \xC3\xBC\n\t0 <= laod <= 900 # kW\n", 0, NULL, &error), HCR_ERROR_NAME);
    assert_string_equal(error.text, "unknown name \"laod\": the nearest known is \"load\"\n"
                                    "    3 |  0 <= laod <= 900 # kW\n"
                                    "      |       ^^^^");
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 7);
}

/* A line of 100,000 characters is shown around the mark. */
static void test_long_line(void **state) {
    (void)state;
    char *text = calloc(1, 200000);
    assert_non_null(text);
    strcpy(text, "var y\n0");
    for (size_t i = 0, at = 7; i < 900; i++, at += 100)
        snprintf(text + at, 200000 - at, " + %-97d", (int)i);
    strcat(text, "<= wrong");
    hcr_error error = {0};
    assert_int_equal(build(text, 0, NULL, &error), HCR_ERROR_NAME);
    assert_true(strlen(error.text) < 400);
    assert_non_null(strstr(error.text, "<= wrong\n"));
    assert_marked(error.text, "wrong");
    free(text);
}

static void test_given_constants(void **state) {
    (void)state;
    const double values[4] = {1, 2, 3, 4}, nan[1] = {(double)NAN}, infinite[1] = {(double)INFINITY};
    const hcr_constant a = {"a", 0, 0, values}, b = {"b", 0, 0, values}, y = {"y", 0, 0, values},
                       bad = {"a", 0, 0, nan}, none = {"a", 0, 0, infinite}, vector = {"a", 2, 0, values},
                       matrix = {"a", 2, 2, values}, flat = {"a", 0, 2, values};
    hcr_error error = {0};
    assert_int_equal(build("var y\ny <= a", 1, &a, &error), HCR_OK);
    assert_int_equal(build("const a = read(\"nowhere.csv\")\nvar y\ny <= a", 1, &a, &error), HCR_OK);
    assert_int_equal(build("var y[2]\ny <= a", 1, &vector, &error), HCR_OK);
    assert_int_equal(build("var y[2]\na @ y <= 1", 1, &matrix, &error), HCR_OK);
    assert_int_equal(build("var y\ny <= a", 1, &none, &error), HCR_OK); /* C19: infinity means no bound */
    assert_int_equal(build("var y\ny <= 1", 1, &b, &error), HCR_ERROR_NAME);
    assert_non_null(strstr(error.text, "\"b\", which the region text doesn't use"));
    assert_int_equal(build("var y\ny <= 1", 1, &y, &error), HCR_ERROR_NAME);
    assert_non_null(strstr(error.text, "which isn't a constant"));
    assert_int_equal(build("var y\ny <= a", 1, &bad, &error), HCR_ERROR_DATA);
    assert_non_null(strstr(error.text, "given for \"a\" is NaN"));
    assert_int_equal(build("var y\ny <= a", 1, &flat, &error), HCR_ERROR_SHAPE);
    const hcr_constant twice[2] = {a, a};
    assert_int_equal(build("var y\ny <= a", 2, twice, &error), HCR_ERROR_NAME);
}

static void test_arguments(void **state) {
    (void)state;
    hcr_builder *builder = NULL;
    hcr_error error = {0};
    assert_int_equal(hcr_text_build(NULL, 3, "t", NULL, 0, NULL, NULL, &builder, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_text_build("", 0, "t", NULL, 0, NULL, NULL, NULL, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_text_build("", 0, "t", NULL, 1, NULL, NULL, &builder, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_text_build("\xFF\xFEv", 3, "t", NULL, 0, NULL, NULL, &builder, &error), HCR_ERROR_SYNTAX);
    assert_non_null(strstr(error.text, "UTF-16"));
    assert_int_equal(hcr_text_build_file("/nowhere/region.hcr", 0, NULL, NULL, &builder, &error), HCR_ERROR_FILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_texts),     cmocka_unit_test(test_whole_message), cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_given_constants), cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
