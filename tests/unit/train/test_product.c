/* Products with strips, against sums in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "train/row_products.h"

#define ROWS 7
#define INPUTS 19
#define OUTPUTS 70 /* not whole strips */
#define IN_ROW 23

static float in[ROWS * IN_ROW], W[OUTPUTS * INPUTS + HCRI_STRIP], bias[96], packed[96 * INPUTS],
    out[ROWS * OUTPUTS + 1];

static void fill(size_t count, float *values, uint64_t seed) {
    hcri_random random;
    hcri_random_seed(&random, seed);
    for (size_t k = 0; k < count; k++)
        values[k] = (float)hcri_random_uniform(&random);
}

/* Of row i, input k, output o: in[i · row + k] W[o · output_step + k · input_step]. Terms are below 1, sums
 * below INPUTS + 70: INPUTS roundings of that. Nothing is written beyond the result. */
static void check(const hcri_product *product, size_t output_step, size_t input_step) {
    out[ROWS * OUTPUTS] = 42;
    hcri_multiply_by(product);
    assert_true(out[ROWS * OUTPUTS] == 42);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t o = 0; o < OUTPUTS; o++) {
            double sum = product->bias == NULL ? 0 : (double)bias[o];
            for (size_t k = 0; k < INPUTS; k++)
                sum += (double)in[i * product->row + k] * (double)W[o * output_step + k * input_step];
            assert_true(fabs((double)out[i * OUTPUTS + o] - sum) < INPUTS * 0x1p-24 * (INPUTS + 70));
        }
}

static void test_layouts(void **state) {
    (void)state;
    fill(ROWS * IN_ROW, in, 1);
    fill(OUTPUTS * INPUTS, W, 2);
    for (size_t o = 0; o < OUTPUTS; o++)
        bias[o] = (float)o;
    hcri_product product = {.rows = ROWS,
                            .inputs = INPUTS,
                            .outputs = OUTPUTS,
                            .in = in,
                            .row = IN_ROW,
                            .matrix = packed,
                            .step = HCRI_STRIP,
                            .strip = INPUTS * HCRI_STRIP,
                            .bias = bias,
                            .out = out};
    assert_int_equal(hcri_strips(OUTPUTS), 96);
    hcri_pack(OUTPUTS, INPUTS, W, packed);
    check(&product, INPUTS, 1);
    /* as it lies, inputs × outputs */
    product.matrix = W;
    product.step = OUTPUTS;
    product.strip = HCRI_STRIP;
    product.bias = NULL;
    check(&product, 1, OUTPUTS);
}

/* Whole blocks and what is beside them; nothing else is written. */
static void test_transpose(void **state) {
    (void)state;
    static float to[INPUTS * IN_ROW];
    fill(ROWS * IN_ROW, in, 5);
    for (size_t rows = 1; rows <= ROWS; rows++)
        for (size_t columns = 1; columns <= INPUTS; columns++) {
            for (size_t k = 0; k < INPUTS * IN_ROW; k++)
                to[k] = 42;
            hcri_transpose_floats(rows, columns, in, IN_ROW, to, IN_ROW);
            for (size_t k = 0; k < INPUTS; k++)
                for (size_t i = 0; i < IN_ROW; i++)
                    assert_true(to[k * IN_ROW + i] == (k < columns && i < rows ? in[i * IN_ROW + k] : 42));
        }
}

/* A row of a group has the same bits wherever it is in it, whatever is beside it. */
static void test_bits_are_independent_of_the_group(void **state) {
    (void)state;
    static float group[HCRI_GROUP * INPUTS], result[HCRI_GROUP * OUTPUTS], first[OUTPUTS], row[INPUTS];
    fill(OUTPUTS * INPUTS, W, 3);
    fill(INPUTS, row, 4);
    hcri_pack(OUTPUTS, INPUTS, W, packed);
    const hcri_product product = {.rows = HCRI_GROUP,
                                  .inputs = INPUTS,
                                  .outputs = OUTPUTS,
                                  .in = group,
                                  .row = INPUTS,
                                  .matrix = packed,
                                  .step = HCRI_STRIP,
                                  .strip = INPUTS * HCRI_STRIP,
                                  .out = result};
    for (size_t place = 0; place < HCRI_GROUP; place++) {
        fill(HCRI_GROUP * INPUTS, group, 5 + place);
        memcpy(group + place * INPUTS, row, sizeof row);
        hcri_multiply_by(&product);
        if (place == 0)
            memcpy(first, result, sizeof first);
        assert_memory_equal(result + place * OUTPUTS, first, sizeof first);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_bits_are_independent_of_the_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
