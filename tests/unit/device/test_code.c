/* The text of exported code: marks, literals that give exactly the number, tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "device/c_code.h"

static hcri_code code_of(int single) {
    return (hcri_code){
        .bytes = {.allocator = &hcri_default_allocator}, .prefix = "arm", .upper = "ARM_", .single = single};
}

/* What the code has so far is this, and it is empty then. */
static void expect(hcri_code *code, const char *wanted) {
    assert_false(code->bytes.failed);
    assert_int_equal(code->bytes.size, strlen(wanted));
    assert_memory_equal(code->bytes.data, wanted, strlen(wanted));
    hcri_release(&hcri_default_allocator, code->bytes.data);
    code->bytes = (hcri_bytes){.allocator = &hcri_default_allocator};
}

static void marks(void **state) {
    (void)state;
    hcri_code code = code_of(0);
    hcri_code_put(&code, "static @ $_f(@ x) { return ~0.5~ * |sqrt|(x) + ^N + %d; }", 3);
    expect(&code, "static double arm_f(double x) { return 0.5 * sqrt(x) + ARM_N + 3; }");
    hcri_code_put(&code, "a || b, x | y, 100%%, %s", "@ $ ~1~");
    expect(&code, "a || b, x | y, 100%, @ $ ~1~");
    hcri_code_template(&code, "x %% ~2~");
    expect(&code, "x %% 2.0");
    code = code_of(1);
    hcri_code_put(&code, "@ x = |exp|(~-0x1p-60~);");
    expect(&code, "float x = expf(-0x1p-60f);");
}

/* Whatever the number, the compiler reads it as the nearest one of the precision: strtod stands for it. */
static void literals(void **state) {
    (void)state;
    static const double numbers[] = {0,      -0.0,        1, -1, 0.1, 1e-310, 1e38, 123456789, 0x1.fffffffffffffp1023,
                                     5e-324, 0.0009765625};
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (int single = 0; single < 2; single++) {
        hcri_code code = code_of(single);
        for (size_t i = 0; i < 3000; i++) {
            const size_t listed = sizeof numbers / sizeof *numbers;
            const double x = i < listed
                                 ? numbers[i]
                                 : ldexp(hcri_random_normal(&random), (int)hcri_random_below(&random, 200) - 100);
            if (single && fabs(x) > 3e38)
                continue;
            const hcri_literal literal = hcri_code_literal(&code, x);
            char *end;
            const double read = strtod(literal.text, &end);
            assert_string_equal(end, single ? "f" : "");
            const double wanted = hcri_code_round(&code, x);
            assert_memory_equal(&read, &wanted, sizeof read);
            assert_true(strpbrk(literal.text, ".p") != NULL); /* not an integer */
        }
    }
}

static void tables(void **state) {
    (void)state;
    static const double values[] = {0.5, -2};
    static const size_t small[] = {0, 255}, large[] = {1, 256, 70000};
    hcri_code code = code_of(1);
    hcri_code_numbers(&code, "a", 2, values);
    expect(&code, "static const float a[2] = {\n    0.5f, -2.0f\n};\n");
    hcri_code_numbers(&code, "none", 0, NULL);
    expect(&code, "static const float none[1] = {\n    0.0f\n};\n");
    assert_int_equal(code.constants, 3);
    hcri_code_indices(&code, "i", 2, small);
    expect(&code, "static const uint8_t i[2] = {\n    0u, 255u\n};\n");
    hcri_code_indices(&code, "i", 2, large);
    expect(&code, "static const uint16_t i[2] = {\n    1u, 256u\n};\n");
    hcri_code_indices(&code, "i", 3, large);
    expect(&code, "static const uint32_t i[3] = {\n    1u, 256u, 70000u\n};\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(marks), cmocka_unit_test(literals), cmocka_unit_test(tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
