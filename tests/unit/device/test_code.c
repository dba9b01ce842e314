/* The text of exported code: marks, literals that give exactly the number, tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "device/template_text.h"

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
    hcri_code_put(&code, "static @ $_f(@ x) { return x + ^N + %d + %s; }", 3, "@ $");
    expect(&code, "static double arm_f(double x) { return x + ARM_N + 3 + @ $; }");
    hcri_code_define(&code, "HALF", 0.5);
    hcri_code_define_count(&code, "N", 7);
    expect(&code, "#define ARM_HALF 0.5\n#define ARM_N 7u\n");
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
    static const size_t starts[] = {1, 256, 70000};
    static const uint32_t columns[] = {0, 255};
    hcri_code code = code_of(1);
    hcri_code_numbers(&code, "a", 2, values);
    expect(&code, "static const float a[2] = {\n    0.5f, -2.0f\n};\n\n");
    hcri_code_numbers(&code, "none", 0, NULL);
    expect(&code, "static const float none[1] = {\n    0.0f\n};\n\n");
    assert_int_equal(code.constants, 3);
    hcri_code_starts(&code, "i", 3, starts);
    expect(&code, "static const row_start i[3] = {\n    1u, 256u, 70000u\n};\n\n");
    hcri_code_columns(&code, "j", 2, columns);
    expect(&code, "static const row_column j[2] = {\n    0u, 255u\n};\n\n");
    hcri_code_columns(&code, "k", 0, NULL);
    expect(&code, "static const row_column k[1] = {\n    0u\n};\n\n");
    assert_string_equal(hcri_code_unsigned(code.most_start), "uint32_t");
    assert_string_equal(hcri_code_unsigned(code.most_column), "uint8_t");
    assert_string_equal(hcri_code_unsigned(256), "uint16_t");
}

/* What a file of the template becomes: words, conditions, and what nobody names. */
static void templates(void **state) {
    (void)state;
    static const char text[] = "/* For readers. */\n\n"
                               "/* Stays: HCR_A. */\n"
                               "FN real unused(real x) { return x; }\n\n"
                               "TABLE real half[1] = {R(0.5)};\n\n"
                               "#define TWICE(x) (R(2.0) * (x))\n\n"
                               "typedef struct pair {\n    real a;\n} pair;\n\n"
                               "#if HCR_ON\nINLINE real root(real x) {\n#if !HCR_ON\n    off;\n#else\n"
                               "    return MATH(sqrt)(TWICE(x)) + half[0];\n#endif\n}\n#else\nnever;\n#endif\n\n"
                               "#if defined(__x)\n#error \"x\"\n#endif\n\n"
                               "API int hcr_f(HCR_X const hcr_real *y) { return root(*y) < LARGEST; }\n";
    hcri_code code = code_of(1);
    hcri_code_mean_flag(&code, "HCR_ON", 1);
    hcri_code_mean_text(&code, "HCR_PARAMETERS", "0");
    hcri_template_copy(&code, text);
    hcri_template_finish(&code, 0);
    expect(&code, "typedef uint8_t row_start;\ntypedef uint8_t row_column;\n\n"
                  "static const float half[1] = {0.5f};\n\n"
                  "#define TWICE(x) (2.0f * (x))\n\n"
                  "static inline float root(float x) {\n    return sqrtf(TWICE(x)) + half[0];\n}\n\n"
                  "#if defined(__x)\n#error \"x\"\n#endif\n\n"
                  "int arm_f(const arm_real *y) { return root(*y) < FLT_MAX; }\n\n");
    hcri_code_mean_text(&code, "HCR_PARAMETERS", "ARM_PARAMETERS");
    hcri_template_copy(&code, "API int hcr_f(HCR_X real *y);\n");
    expect(&code, "int arm_f(const arm_real *x, float *y);\n\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(marks), cmocka_unit_test(literals), cmocka_unit_test(tables),
                                       cmocka_unit_test(templates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
