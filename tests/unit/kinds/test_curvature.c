/* Second derivatives that kinds have in closed form, against central differences of their gradients. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "kinds/cone/cone.h"
#include "kinds/lmi/lmi.h"
#include "scratch.h"

enum { N = 5, ROWS = 7, SIZE = 6, ENTRIES = SIZE * (SIZE + 1) / 2 };

static const hcr_allocator *const allocator = &hcri_default_allocator;

static hcri_constraint *make(int is_lmi, hcri_random *random) {
    hcri_constraint *block = NULL;
    hcri_rows rows = {0};
    const size_t count = is_lmi ? ENTRIES : ROWS;
    double values[N], constant[ENTRIES], linear[N];
    for (size_t e = 0; e < count; e++) {
        for (size_t j = 0; j < N; j++)
            values[j] = (e + j) % 3 == 0 ? 0 : hcri_random_normal(random); /* some entries aren't there */
        assert_int_equal(hcri_rows_append_dense(&rows, allocator, N, values, NULL), HCR_OK);
        constant[e] = 0.3 * hcri_random_normal(random);
    }
    for (size_t a = 0; a < SIZE && is_lmi; a++)
        constant[HCRI_PACKED(a, a)] += 4;
    for (size_t j = 0; j < N; j++)
        linear[j] = 0.2 * hcri_random_normal(random);
    assert_int_equal(is_lmi ? hcri_lmi_create(N, allocator, SIZE, constant, &rows, &block, NULL)
                            : hcri_cone_create(N, allocator, &rows, constant, linear, 9, &block, NULL),
                     HCR_OK);
    hcri_rows_release(&rows, allocator);
    return block;
}

static void add_change(const hcri_constraint *block, const double *y, const double *direction, double *change) {
    const double h = 1e-5;
    double up[N] = {0}, down[N] = {0}, at[N];
    for (int side = 1; side >= -1; side -= 2) {
        for (size_t j = 0; j < N; j++)
            at[j] = y[j] + side * h * direction[j];
        block->kind->add_gradient(block, 0, at, 1, side > 0 ? up : down, scratch_for(block));
    }
    for (size_t j = 0; j < N; j++)
        change[j] = (up[j] - down[j]) / (2 * h);
}

static void test_curvature(void **state) {
    (void)state;
    const double origin[N] = {0};
    hcri_random random;
    hcri_random_seed(&random, 21);
    for (int k = 0; k < 20; k++) {
        hcri_constraint *block = make(k % 2, &random);
        assert_int_equal(block->kind->place(block, origin, NULL), HCR_OK);
        double y[N], directions[2 * N], unit[N] = {0}, change[N], found[2 * N], whole[N * N];
        for (size_t j = 0; j < N; j++)
            y[j] = hcri_random_normal(&random);
        for (size_t j = 0; j < 2 * N; j++)
            directions[j] = hcri_random_normal(&random);
        for (size_t j = 0; j < 2 * N; j++)
            found[j] = 1;
        assert_true(block->kind->add_curvature(block, 0, y, -3, 2, directions, found));
        for (size_t d = 0; d < 2; d++) {
            add_change(block, y, directions + d * N, change);
            for (size_t j = 0; j < N; j++)
                assert_true(fabs(found[d * N + j] - 1 + 3 * change[j]) <= 1e-6 * (1 + fabs(change[j])));
        }
        memset(whole, 0, sizeof whole);
        assert_true(block->kind->add_curvature(block, 0, y, 2, N, NULL, whole));
        for (size_t d = 0; d < N; d++) {
            unit[d] = 1;
            add_change(block, y, unit, change);
            unit[d] = 0;
            for (size_t j = 0; j < N; j++) {
                assert_true(fabs(whole[d * N + j] - 2 * change[j]) <= 1e-6 * (1 + fabs(change[j])));
                assert_true(fabs(whole[d * N + j] - whole[j * N + d]) <= 1e-12 * (1 + fabs(whole[d * N + j])));
            }
        }
        hcri_block_release(block);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_curvature)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
