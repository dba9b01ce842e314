/* The accurate dot product against integer arithmetic, on sums of which next to nothing is left. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "kernels/kernels.h"

enum { MOST = 40, FACTOR_BITS = 45 };

/* 128 bits in two halves: integers of up to 2^100. */
typedef struct wide {
    int64_t high; /* … · 2^50 */
    int64_t low;
} wide;

/* a b of integers below 2^45, in parts of 25 bits. */
static void add_product(wide *sum, int64_t a, int64_t b) {
    const int64_t a1 = a / (1 << 25), a0 = a % (1 << 25), b1 = b / (1 << 25), b0 = b % (1 << 25);
    const int64_t middle = a1 * b0 + a0 * b1;
    sum->high += a1 * b1 + middle / (1 << 25);
    sum->low += a0 * b0 + middle % (1 << 25) * (1 << 25);
    sum->high += sum->low / (INT64_C(1) << 50);
    sum->low %= INT64_C(1) << 50;
}

static int64_t draw(hcri_random *random) {
    const double size = ldexp(1, FACTOR_BITS);
    return (int64_t)((2 * hcri_random_uniform(random) - 1) * size);
}

/* A sum of products, each exact in 90 bits, less what it is in working precision: what is left are the sums' low parts,
 * and the result is right to 2^-100 of the terms. */
static void test_dot(void **state) {
    (void)state;
    const hcri_kernels *kernels[4];
    const size_t variants = hcri_kernels_all(kernels, 4);
    hcri_random random;
    hcri_random_seed(&random, 61);
    for (size_t terms = 0; terms <= 33; terms++)
        for (size_t k = 0; k < 40; k++) {
            double values[MOST], y[MOST];
            uint32_t columns[MOST];
            wide sum = {0, 0};
            for (size_t j = 0; j < MOST; j++)
                y[j] = (double)draw(&random);
            for (size_t i = 0; i < terms; i++) {
                columns[i] = (uint32_t)hcri_random_below(&random, MOST);
                /* of sizes that differ, too */
                const int64_t a = draw(&random) / (INT64_C(1) << (k % 4 * i % 40));
                values[i] = (double)a;
                add_product(&sum, a, (int64_t)y[columns[i]]);
            }
            const double rounded = ldexp((double)sum.high, 50) + (double)sum.low;
            const double starts[3] = {0, -rounded, 3 - rounded};
            for (size_t s = 0; s < 3; s++) {
                wide rest = sum;
                const double from = -starts[s], high = trunc(ldexp(from, -50));
                rest.high -= (int64_t)high;
                rest.low -= (int64_t)(from - ldexp(high, 50));
                const long double exact = ldexpl((long double)rest.high, 50) + (long double)rest.low;
                for (size_t l = 0; l < variants; l++) {
                    const double found = kernels[l]->accurate->dot(terms, columns, values, y, starts[s]);
                    const long double off = fabsl((long double)found - exact);
                    assert_true(off <= 0x1.1p-53L * fabsl(exact) + 0x1p-100L * 0x1p90L * (long double)terms);
                }
            }
        }
}

/* Numbers of any size: the error is that of the result's own rounding, and 2^-100 of the terms. */
static void test_start(void **state) {
    (void)state;
    const hcri_kernels *kernels[4];
    const size_t variants = hcri_kernels_all(kernels, 4);
    const uint32_t columns[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t place = 0; place < 9; place++)
        for (size_t other = 0; other < 9; other++)
            for (size_t third = 0; third < 9; third++) {
                double values[9] = {0}, y[9];
                if (place == other || other == third || place == third)
                    continue;
                for (size_t j = 0; j < 9; j++)
                    y[j] = 1;
                values[place] = 0x1p60;
                values[other] = 1 + 0x1p-20;
                values[third] = 0x1p-30;
                for (size_t l = 0; l < variants; l++) {
                    const double found = kernels[l]->accurate->dot(9, columns, values, y, -0x1p60);
                    assert_true(found == 1 + 0x1p-20 + 0x1p-30);
                    assert_true(kernels[l]->accurate->dot(9, columns, values, y, 0.5) == 0x1p60);
                    assert_true(kernels[l]->accurate->dot(0, columns, values, y, 0.5) == 0.5);
                }
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dot), cmocka_unit_test(test_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
