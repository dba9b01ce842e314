/* Callbacks as constraints: rays by every method, gradients, copies in memory, and files that are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "kinds/callback/callback.h"
#include "scratch.h"

static void release(hcri_constraint *block) { hcri_block_release(block); }

static hcr_status read_block(const unsigned char *data, size_t size, size_t n, int in_memory, hcri_constraint **block,
                             hcr_error *error) {
    hcri_source source = {.data = data, .size = size, .in_memory = in_memory};
    return hcri_block_read(&hcri_kind_callback, &source, n, &hcri_default_allocator, block, error);
}

/* e^y0 + e^y1 − 4 */
static double value(void *context, size_t n, const double *y, double *rounding) {
    assert_int_equal(n, 2);
    if (context != NULL)
        ++*(size_t *)context;
    if (rounding != NULL)
        *rounding = 1e-14;
    return exp(y[0]) + exp(y[1]) - 4;
}
static void gradient(void *context, size_t n, const double *y, double *result) {
    (void)context;
    (void)n;
    result[0] = exp(y[0]);
    result[1] = exp(y[1]);
}
static void along(void *context, size_t n, const double *origin, const double *v, double t, double jet[3]) {
    (void)context;
    (void)n;
    jet[0] = -4;
    jet[1] = jet[2] = 0;
    for (int j = 0; j < 2; j++) {
        const double e = exp(origin[j] + t * v[j]);
        jet[0] += e;
        jet[1] += v[j] * e;
        jet[2] += v[j] * v[j] * e;
    }
}
/* inside a flower: star-shaped around 0, not convex */
static double flower(void *context, size_t n, const double *y, double *rounding) {
    (void)context;
    (void)n;
    if (rounding != NULL)
        *rounding = 0;
    return hypot(y[0], y[1]) - 1 - 0.5 * cos(5 * atan2(y[1], y[0]));
}
static double undefined(void *context, size_t n, const double *y, double *rounding) {
    (void)context;
    (void)n;
    (void)rounding;
    return sqrt(1 - y[0]) - 2 - y[0]; /* NaN from 1 on */
}

static hcri_constraint *callback(const hcr_callback *function, hcri_root_method method, const double *origin) {
    hcri_constraint *block = NULL;
    hcr_error error;
    assert_int_equal(hcri_callback_create(2, &hcri_default_allocator, function, method, &block, &error), HCR_OK);
    assert_int_equal(block->kind->place(block, origin, &error), HCR_OK);
    return block;
}

static void test_callbacks(void **state) {
    (void)state;
    const double origin[2] = {0.1, -0.2};
    hcri_random random;
    hcri_random_seed(&random, 5);
    size_t calls = 0;
    const hcr_callback variants[3] = {{"sum", &calls, 1, value, NULL, NULL},
                                      {"sum", NULL, 1, value, gradient, NULL},
                                      {"sum", NULL, 1, value, gradient, along}};
    for (int k = 0; k < 3; k++)
        for (int method = HCRI_NEWTON; method <= HCRI_BRENT; method++) {
            hcri_constraint *block = callback(&variants[k], (hcri_root_method)method, origin);
            for (int ray = 0; ray < 50; ray++) {
                const double v[2] = {hcri_random_normal(&random), hcri_random_normal(&random)};
                const double gauge = block->kind->gauge_one(block, 0, v, scratch_for(block));
                double batch = 0;
                batch_gauge(block, 1, v, 2, &batch, NULL, scratch_for(block));
                assert_true(batch == gauge);
                if (v[0] < 0 && v[1] < 0) {
                    assert_true(gauge == 0);
                    continue;
                }
                const double y[2] = {origin[0] + v[0] / gauge, origin[1] + v[1] / gauge};
                assert_true(fabs(value(NULL, 2, y, NULL)) <= 1e-13);
                double found[2] = {0, 0}, expected[2];
                gradient(NULL, 2, y, expected);
                block->kind->add_gradient(block, 0, y, 2, found, scratch_for(block));
                /* differences: the cube root of the rounding, squared */
                assert_true(fabs(found[0] - 2 * expected[0]) <= 1e-8 && fabs(found[1] - 2 * expected[1]) <= 1e-8);
            }
            const double close[2] = {log(4) + 1e-15, -60}, inside[2] = {1, 0};
            assert_false(block->kind->holds(block, close,
                                            scratch_for(block))); /* within the rounding that the function claims */
            assert_true(block->kind->holds(block, inside, scratch_for(block)));
            assert_true(block->kind->inradius(block, scratch_for(block)) > 0.1 &&
                        isinf(block->kind->margin(block, 0x1p-53, NULL, scratch_for(block))));
            release(block);
        }
    assert_true(calls > 0);
}

static void test_star_shaped_callback(void **state) {
    (void)state;
    const double origin[2] = {0, 0};
    const hcr_callback function = {"flower", NULL, 0, flower, NULL, NULL};
    hcri_constraint *block = callback(&function, HCRI_NEWTON, origin);
    for (int k = 0; k < 100; k++) {
        const double angle = 0.0628 * k, v[2] = {3 * cos(angle), 3 * sin(angle)};
        const double expected = (1 + 0.5 * cos(5 * angle)) / 3;
        assert_true(fabs(1 / block->kind->gauge_one(block, 0, v, scratch_for(block)) - expected) <= 1e-13);
    }
    assert_true(block->convex == 0);
    release(block);
    const hcr_callback partial = {"partial", NULL, 1, undefined, NULL, NULL};
    block = callback(&partial, HCRI_NEWTON, origin);
    const double v[2] = {2, 0}, outside[2] = {3, 0};
    const double t = 1 / block->kind->gauge_one(block, 0, v, scratch_for(block));
    assert_true(fabs(t - 0.5) <= 1e-15 && t <= 0.5);
    assert_false(block->kind->holds(block, outside, scratch_for(block)));
    assert_true(isinf(block->kind->along(block, 0, v, 1, scratch_for(block))));
    release(block);
}

static void test_callback_copies(void **state) {
    (void)state;
    const double origin[2] = {0, 0}, v[2] = {1, 2}, up = 1, zero = 0;
    hcr_error error;
    const hcr_callback function = {"sum", NULL, 1, value, gradient, NULL}, none = {"none", NULL, 1, NULL, NULL, NULL};
    hcri_constraint *block = NULL, *copy = NULL, *substituted = NULL;
    assert_int_equal(hcri_callback_create(2, &hcri_default_allocator, &none, HCRI_NEWTON, &block, &error),
                     HCR_ERROR_ARGUMENT);
    block = callback(&function, HCRI_HALLEY, origin);
    hcri_bytes file = {.allocator = &hcri_default_allocator},
               memory = {.allocator = &hcri_default_allocator, .in_memory = 1};
    assert_int_equal(hcri_block_write(block, &file), HCR_ERROR_UNSUPPORTED);
    assert_int_equal(file.size, 0);
    assert_int_equal(hcri_block_write(block, &memory), HCR_OK);
    assert_int_equal(read_block(memory.data, memory.size, 2, 0, &copy, &error),
                     HCR_ERROR_FORMAT); /* pointers from a file are never followed */
    assert_int_equal(read_block(memory.data, memory.size, 2, 1, &copy, &error), HCR_OK);
    assert_int_equal(copy->kind->place(copy, origin, &error), HCR_OK);
    assert_string_equal(((hcri_callback *)copy)->function.name, "sum");
    assert_true(copy->kind->gauge_one(copy, 0, v, scratch_for(copy)) ==
                block->kind->gauge_one(block, 0, v, scratch_for(block)));
    release(copy);

    /* y = (z, 2 z): the ray (1, 2) of the function; and once more, z = 3 x */
    hcri_rows map = {0}, thrice = {0}, nothing = {0};
    const uint32_t column = 0;
    const double shares[2] = {1, 2}, three = 3, at[2] = {0, 0}, far[2] = {5, 0};
    for (int j = 0; j < 2; j++) {
        assert_int_equal(hcri_rows_append(&map, &hcri_default_allocator, 1, &column, &shares[j], NULL), HCR_OK);
        assert_int_equal(hcri_rows_append(&nothing, &hcri_default_allocator, 0, NULL, NULL, NULL), HCR_OK);
    }
    assert_int_equal(hcri_rows_append(&thrice, &hcri_default_allocator, 1, &column, &three, NULL), HCR_OK);
    const hcri_substitution line = {1, map, at}, again = {1, thrice, &zero}, point = {0, nothing, at},
                            wrong = {0, nothing, far};
    assert_int_equal(block->kind->substitute(block, &line, &substituted, &error), HCR_OK);
    assert_int_equal(substituted->kind->place(substituted, &zero, &error), HCR_OK);
    const double gauge = block->kind->gauge_one(block, 0, v, scratch_for(block));
    assert_true(fabs(substituted->kind->gauge_one(substituted, 0, &up, scratch_for(substituted)) - gauge) <=
                1e-14 * gauge);
    double slope = 0, both[2] = {0, 0};
    substituted->kind->add_gradient(substituted, 0, &up, 1, &slope, scratch_for(substituted));
    block->kind->add_gradient(block, 0, shares, 1, both, scratch_for(block));
    assert_true(fabs(slope - (both[0] + 2 * both[1])) <= 1e-13 * slope);
    hcri_constraint *twice = NULL;
    assert_int_equal(substituted->kind->substitute(substituted, &again, &twice, &error), HCR_OK);
    assert_int_equal(twice->kind->place(twice, &zero, &error), HCR_OK);
    assert_true(fabs(twice->kind->gauge_one(twice, 0, &up, scratch_for(twice)) - 3 * gauge) <= 1e-13 * gauge);
    hcri_bytes mapped = {.allocator = &hcri_default_allocator, .in_memory = 1};
    assert_int_equal(hcri_block_write(twice, &mapped), HCR_OK);
    assert_int_equal(read_block(mapped.data, mapped.size, 1, 1, &copy, &error), HCR_OK);
    assert_int_equal(copy->kind->place(copy, &zero, &error), HCR_OK);
    assert_true(copy->kind->gauge_one(copy, 0, &up, scratch_for(copy)) ==
                twice->kind->gauge_one(twice, 0, &up, scratch_for(twice)));
    release(copy);
    release(twice);
    release(substituted);
    assert_int_equal(block->kind->substitute(block, &point, &substituted, &error), HCR_OK);
    assert_null(substituted);
    assert_int_equal(block->kind->substitute(block, &wrong, &substituted, &error), HCR_ERROR_EMPTY);
    release(block);
    hcri_release(&hcri_default_allocator, file.data);
    hcri_release(&hcri_default_allocator, memory.data);
    hcri_release(&hcri_default_allocator, mapped.data);
    hcri_rows_release(&map, &hcri_default_allocator);
    hcri_rows_release(&thrice, &hcri_default_allocator);
    hcri_rows_release(&nothing, &hcri_default_allocator);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_star_shaped_callback),
        cmocka_unit_test(test_callback_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
