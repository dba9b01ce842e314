/* Texts of any kind: damaged, deep, large; and memory that runs out at any moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "hcr/hcr_build.h"

static const char example[] =
    "# \xC3\xBC\nvar price[4], load[6]\nvar p\nconst A = [[1, 2, 3, 4], [4, 3, 2, 1.5e0]]\r\n"
    "const c = sqrt(2) * len(A)\norigin = analytic\n-1e3 <= load <= [900 for i in range(6)]\n"
    "abs(load[1:] - load[:-1]) <= c\nA @ price <= 1\nnorm(price - 0.5, 2) <= 40\n"
    "max(price[i], p) - min(load[::2]) <= 3 * i for i in range(4) if i != 2 and not i > 5\n"
    "quad_form(price, diag([1, 2, 3, 4])) + square(p) <= 8\nnorm(load[:3], 1) <= 7 * c\n"
    "sum_squares(A @ price) <= 9\n0 <= sum(load) / 2 <= 1e4\nsum(load[:2]) == 2 * p\n"
    "log_sum_exp(price) + sqrt(p) * -2 <= 5\npsd([[price[0], 1, p], [1, 2, 0], [p, 0, 3]])\n"
    "union:\n  norm(price) <= p\nor\n  power(load[:3], 1.5) <= 1\n  price[0] <= price[1]\nend\n"
    "except abs(price[i] + 1) <= 0.5 for i in [1, 2]\nunbounded\n"
    "star:\n  price[0] * p <= sin(load[0])\nend\n";

/* With parameters, which star domains don't take. */
static const char moving[] =
    "param x[3] in [0, [1, 2, 3]], t in [-1, 1 + len([1])]\nvar y[4]\nparam s in [0.1, 1]\nconst A = eye(3)\n"
    "origin = [t, 0, x[0] + 1, 2 * s]\n-5 <= y <= [5 + t, 5, 6, 7]\nx @ y[:3] <= 4\n-9 <= 2 * (x @ y[:3])\n"
    "(s * A) @ y[1:] + t * sum(y) <= x + 1\nabs(s * (y[0] - y[3]) - t) <= 3\nnorm(y[:3] - x) <= 4 + s\n"
    "psd([[s, y[0] / 9, 0], [y[0] / 9, 3, y[1] / 9], [0, y[1] / 9, 2]])\nlog_sum_exp(y + t) <= 9\n"
    "sum_squares(y) + t * 2 <= 90\ny[0] + y[1] == t + x[1]\n";

static const char *const examples[] = {example, moving};

static hcr_status build(const char *text, size_t length, const hcr_allocator *allocator, hcr_error *error) {
    hcr_builder *builder = NULL;
    const hcr_status status = hcr_text_build(text, length, "t", NULL, 0, NULL, allocator, &builder, error);
    assert_int_equal(builder != NULL, status == HCR_OK);
    hcr_builder_free(builder);
    return status;
}

/* C39: cut anywhere, a text is refused at a place in it, or what is left is whole statements. */
static void test_c39_cut(void **state) {
    (void)state;
    for (size_t e = 0; e < 2; e++)
        for (size_t length = 0; length <= strlen(examples[e]); length++) {
            char *exact = malloc(length == 0 ? 1 : length); /* so that a read beyond the end is seen */
            assert_non_null(exact);
            memcpy(exact, examples[e], length);
            hcr_error error = {0};
            if (build(exact, length, NULL, &error) != HCR_OK) {
                assert_true(error.line >= 1 && error.column >= 1);
                assert_non_null(strstr(error.text, "\n      | "));
            }
            free(exact);
        }
}

static void test_damaged(void **state) {
    (void)state;
    static const char *const pieces[] = {"(",
                                         ")",
                                         "[",
                                         "]",
                                         ",",
                                         ":",
                                         "@",
                                         "-",
                                         "**",
                                         "<=",
                                         "abs(",
                                         "y",
                                         "load",
                                         "0",
                                         "1e308",
                                         "inf",
                                         " for i in range(3) ",
                                         "\n",
                                         "\"",
                                         "#",
                                         "\xFF",
                                         "if",
                                         "norm(",
                                         "/",
                                         "0.1",
                                         ".T",
                                         "end",
                                         "or",
                                         "star:\n",
                                         "union:\n",
                                         "except ",
                                         "unbounded",
                                         "psd(",
                                         ">>",
                                         "==",
                                         "exp(",
                                         "log_sum_exp(",
                                         "geo_mean(",
                                         "lambda_max(",
                                         "t * ",
                                         " @ x",
                                         "param "};
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (size_t round = 0; round < 20000; round++) {
        char text[2 * (sizeof example + sizeof moving)];
        strcpy(text, examples[round % 2]);
        for (size_t changes = 1 + hcri_random_below(&random, 3); changes > 0; changes--) {
            const size_t length = strlen(text), at = hcri_random_below(&random, length),
                         drop = hcri_random_below(&random, 4);
            const char *piece = pieces[hcri_random_below(&random, sizeof pieces / sizeof pieces[0])];
            const size_t rest = at + drop < length ? at + drop : length, size = strlen(piece);
            memmove(text + at + size, text + rest, length + 1 - rest);
            memcpy(text + at, piece, size);
        }
        hcr_error error = {0};
        const hcr_status status = build(text, strlen(text), NULL, &error);
        assert_int_not_equal(status, HCR_ERROR_MEMORY);
        if (status != HCR_OK)
            assert_true(error.line >= 1 && error.column >= 1 && error.text[0] != '\0');
    }
}

static void test_random_bytes(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 6);
    for (size_t round = 0; round < 20000; round++) {
        char text[64];
        const size_t length = hcri_random_below(&random, sizeof text);
        for (size_t i = 0; i < length; i++)
            text[i] = (char)(hcri_random_bits(&random) & 0xFF);
        hcr_error error = {0};
        assert_int_not_equal(build(text, length, NULL, &error), HCR_OK);
    }
}

/* `count` times a piece, between two others. */
static hcr_status build_repeated(const char *before, const char *piece, size_t count, const char *after,
                                 hcr_error *error) {
    const size_t size = strlen(piece);
    char *text = malloc(strlen(before) + count * size + strlen(after) + 1), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", before);
    for (size_t i = 0; i < count; i++, at += size)
        memcpy(at, piece, size);
    strcpy(at, after);
    const hcr_status status = build(text, strlen(text), NULL, error);
    free(text);
    return status;
}

/* C39: nesting of any depth is refused, not followed. */
static void test_c39_deep(void **state) {
    (void)state;
    static const char *const openings[] = {"(", "[", "-", "y[", "abs(", "2**", "(not ", "[1, ("};
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
        hcr_error error = {0};
        assert_int_equal(build_repeated("var y\n", openings[i], 10000, "y <= 1", &error), HCR_ERROR_SYNTAX);
        assert_non_null(strstr(error.text, "nested more than 100 deep"));
        assert_int_equal(error.line, 2);
    }
    static const char *const chains[] = {" + y", " * 1", "[:]", ".T", " - 1 / 2"};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        hcr_error error = {0};
        assert_int_equal(build_repeated("var y[2]\ny", chains[i], 10000, " <= 1", &error), HCR_ERROR_SYNTAX);
        assert_non_null(strstr(error.text, "build on each other"));
        assert_int_equal(build_repeated("var y[2]\ny", chains[i], 300, " <= 1", &error), HCR_OK);
    }
    hcr_error error = {0};
    assert_int_equal(build_repeated("var y\n0", " <= y", 10000, "", &error), HCR_OK);
    assert_int_equal(build_repeated("var y\ny <= sum([0", ", 1", 100000, "])", &error), HCR_OK);
    assert_int_equal(build_repeated("var y\n", "y <= 1\n", 20000, "", &error), HCR_OK);
    assert_int_equal(build_repeated("var y\ny <= 1 for i in [1]", " for i in [1]", 10000, "", &error),
                     HCR_ERROR_SYNTAX);
    assert_int_equal(build_repeated("var y[2]\ny", " + y", 990, " <= 1", &error), HCR_OK);
}

/* What would take all the memory is refused before it does. */
static void test_large(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var y\ny <= sum(zeros(1e9))",
        "var y\ny <= sum(ones(16384, 16385))",
        "var y\ny <= 1 for i in range(1e12)",
        "var y\ny <= sum(eye(1e5))",
        "var y[1e5]\nsum(cumsum(y)) <= 1",
        "var y[1e6]\nones(1e4, 1) * y <= 1",
        "var y[1e6]\nquad_form(y[:2], [[2, 1], [1, 2]]) + square(y[0] + y[1]) <= 1",
        "var y[2e9]",
        "var y[2]\nreshape(y, 1e200, 1e200) <= 1",
        "var y\ny <= range(-9e15, 9e15)[0]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hcr_error error = {0};
        const hcr_status status = build(texts[i], strlen(texts[i]), NULL, &error);
        if (status != HCR_ERROR_SHAPE)
            fail_msg("%s\n%s: %s", texts[i], hcr_status_name(status), error.text);
    }
}

typedef struct meter {
    size_t taken, fails_at, held;
} meter;

static void *metered_allocate(void *context, size_t bytes) {
    meter *m = context;
    if (++m->taken == m->fails_at)
        return NULL;
    void *memory = malloc(bytes);
    m->held += memory != NULL;
    return memory;
}

static void metered_release(void *context, void *memory) {
    ((meter *)context)->held -= memory != NULL;
    free(memory);
}

/* The k-th allocation fails, for every k: the call says so and everything is given back. */
static void test_no_memory(void **state) {
    (void)state;
    meter m = {0};
    const hcr_allocator allocator = {metered_allocate, metered_release, &m};
    hcr_error error = {0};
    for (size_t e = 0; e < 2; e++) {
        const size_t length = strlen(examples[e]);
        m = (meter){0};
        assert_int_equal(build(examples[e], length, &allocator, &error), HCR_OK);
        assert_int_equal(m.held, 0);
        const size_t all = m.taken;
        assert_true(all > 20);
        for (size_t k = 1; k <= all; k++) {
            m = (meter){.fails_at = k};
            assert_int_equal(build(examples[e], length, &allocator, &error), HCR_ERROR_MEMORY);
            assert_int_equal(m.held, 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c39_cut),  cmocka_unit_test(test_damaged), cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_c39_deep), cmocka_unit_test(test_large),   cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
