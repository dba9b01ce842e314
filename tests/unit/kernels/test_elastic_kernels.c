/* The kernels of the search for the point that violates rows least, against plain loops. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_variants.h"

enum { MOST = 40, PADDED = 40, COLUMNS = 11 };

/* Sums of up to 40 terms, each of them not much larger than 10. */
static void assert_near(double a, double b) { assert_true(fabs(a - b) <= 1e-12 * (1 + fabs(b))); }

static void test_columns(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (size_t n = 1; n <= MOST; n++) {
        const size_t stride = (n + 7) / 8 * 8;
        double columns[COLUMNS * PADDED] = {0}, v[PADDED] = {0}, share[COLUMNS], sine[COLUMNS], cosine[COLUMNS];
        for (size_t c = 0; c < COLUMNS; c++) {
            fill(&random, columns + c * stride, n);
            share[c] = c % 3 == 1 ? 0 : hcri_random_normal(&random);
            cosine[c] = cos((double)c);
            sine[c] = sin((double)c);
        }
        fill(&random, v, n);
        for (size_t k = 0; k < kernel_count; k++) {
            const hcri_elastic_kernels *own = kernels[k]->elastic;
            double out[PADDED], turned[COLUMNS * PADDED];
            own->products(stride, COLUMNS, columns, v, out);
            for (size_t c = 0; c < COLUMNS; c++) {
                double sum = 0;
                for (size_t i = 0; i < n; i++)
                    sum += columns[c * stride + i] * v[i];
                assert_near(out[c], sum);
            }
            own->sum(stride, COLUMNS, columns, share, out);
            for (size_t i = 0; i < stride; i++) {
                double sum = 0;
                for (size_t c = 0; c < COLUMNS; c++)
                    sum += share[c] * columns[c * stride + i];
                assert_near(out[i], sum);
            }
            memcpy(turned, columns, sizeof turned);
            own->add(stride, COLUMNS, -1.5, share, v, turned);
            for (size_t i = 0; i < COLUMNS * stride; i++)
                assert_near(turned[i], columns[i] - 1.5 * share[i / stride] * v[i % stride]);
            memcpy(turned, columns, sizeof turned);
            own->rotate(stride, COLUMNS - 1, cosine, sine, turned);
            for (size_t i = 0; i < n; i++) {
                double first = columns[i];
                for (size_t c = 0; c + 1 < COLUMNS; c++) {
                    const double second = columns[(c + 1) * stride + i];
                    assert_near(turned[c * stride + i], cosine[c] * first + sine[c] * second);
                    first = cosine[c] * second - sine[c] * first;
                }
                assert_near(turned[(COLUMNS - 1) * stride + i], first);
            }
        }
    }
}

static void test_values_and_furthest(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (size_t round = 0; round < 300; round++) {
        double value[2][PADDED], low[PADDED], high[PADDED], y[MOST], work[PADDED], most = 0, found, at[PADDED];
        uint32_t column[2][PADDED];
        size_t furthest = PADDED;
        fill(&random, y, MOST);
        for (size_t i = 0; i < PADDED; i++) {
            for (size_t k = 0; k < 2; k++) {
                column[k][i] = (uint32_t)hcri_random_below(&random, MOST);
                value[k][i] = (double)hcri_random_below(&random, 3) - 1; /* so that there is no rounding */
            }
            low[i] = i % 4 == 0 ? -INFINITY : -hcri_random_uniform(&random) - (round % 3 == 0 ? 20 : 0);
            high[i] = i % 5 == 0 ? INFINITY : hcri_random_uniform(&random) + (round % 3 == 0 ? 20 : 0);
            at[i] = value[0][i] * y[column[0][i]] + value[1][i] * y[column[1][i]];
            const double off = fmax(at[i] - high[i], low[i] - at[i]);
            if (off > most) {
                most = off;
                furthest = i;
            }
        }
        const hcri_short_rows rows = {PADDED, {column[0], column[1]}, {value[0], value[1]}, low, high};
        for (size_t k = 0; k < kernel_count; k++) {
            assert_int_equal(kernels[k]->elastic->furthest(&rows, y, work, &found), furthest);
            assert_true(found == most);
            kernels[k]->elastic->values(&rows, y, work);
            for (size_t i = 0; i < PADDED; i++)
                assert_true(work[i] == at[i]);
        }
    }
}

/* Numbers are small integers, so that ways of one length are just that. */
static void test_first_end(void **state) {
    (void)state;
    enum { MOST_PARTS = 3 };
    hcri_random random;
    hcri_random_seed(&random, 7);
    for (size_t round = 0; round < 2000; round++) {
        double multiplier[MOST_PARTS * PADDED], price[MOST_PARTS * PADDED], floor[PADDED], step[PADDED] = {0};
        double work[2 * PADDED], length[MOST_PARTS], best[MOST_PARTS];
        const size_t parts = 1 + round % MOST_PARTS, count = 1 + hcri_random_below(&random, MOST);
        const double way = round % 2 == 0 ? 1 : -1;
        size_t first = SIZE_MAX;
        for (size_t i = 0; i < PADDED; i++) {
            floor[i] = hcri_random_below(&random, 5) == 0 ? -INFINITY : 0;
            for (size_t k = 0; k < parts; k++) {
                multiplier[k * PADDED + i] = (double)hcri_random_below(&random, 3);
                price[k * PADDED + i] = i % 3 == 0 ? INFINITY : 2 + (double)hcri_random_below(&random, 2);
            }
        }
        for (size_t i = 0; i < count; i++) {
            step[i] = (double)hcri_random_below(&random, 5) - 2;
            const double rate = -way * step[i];
            if (rate == 0 || (rate < 0 ? isinf(floor[i]) : isinf(price[i])))
                continue;
            int shorter = first == SIZE_MAX ? -1 : 0;
            double own[MOST_PARTS];
            for (size_t k = 0; k < parts; k++) {
                own[k] = ((rate < 0 ? 0 : price[k * PADDED + i]) - multiplier[k * PADDED + i]) / rate;
                shorter = shorter != 0 ? shorter : own[k] < best[k] ? -1 : own[k] > best[k];
            }
            if (shorter < 0) {
                memcpy(best, own, sizeof own);
                first = i;
            }
        }
        const hcri_elastic_ends ends = {PADDED, count, parts, multiplier, price, floor, step, way, 1e-12, 1e-12};
        for (size_t k = 0; k < kernel_count; k++) {
            assert_int_equal(kernels[k]->elastic->first_end(&ends, work, length), first);
            for (size_t part = 0; part < parts && first != SIZE_MAX; part++)
                assert_near(length[part], best[part]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns), cmocka_unit_test(test_values_and_furthest),
                                       cmocka_unit_test(test_first_end)};
    return cmocka_run_group_tests(tests, find_kernels, NULL);
}
