/* What blocks are written as: read back they are written the same, and bytes that are cut off, numbers that aren't
 * finite and indices and bounds that contradict each other are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kinds/block.h"
#include "kinds/box/box.h"
#include "kinds/cone/cone.h"
#include "kinds/linear/linear.h"
#include "kinds/lmi/lmi.h"
#include "kinds/quadratic/quadratic.h"
#include "kinds/varying/varying.h"

static const hcr_allocator *const allocator = &hcri_default_allocator;

typedef enum block_kind { BOX, LINEAR, VARYING, DIAGONAL, DENSE, FACTOR, CONE, LMI, KINDS } block_kind;

enum { N = 5, MOST_BYTES = 4096 };

static const double numbers[16] = {1.25, 2.5, 3.75, 5.125, 7.5, 9.25, 10.5, 11.75, 12.5, 13.25, 14.5, 15.75};

static hcri_rows make_rows(size_t count) {
    hcri_rows rows = {0};
    const uint32_t columns[2] = {1, 4};
    for (size_t i = 0; i < count; i++)
        assert_int_equal(hcri_rows_append(&rows, allocator, 2, columns, numbers + i, NULL), HCR_OK);
    return rows;
}

static hcri_constraint *make(block_kind kind) {
    hcri_constraint *block = NULL;
    hcri_rows rows = make_rows(3);
    double matrix[N * N], shift[N] = {1.5, 2.25, 3.5, 4.25, 5.5};
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            matrix[kind == DENSE ? i * N + j : i] = kind == DENSE ? (i == j ? 8 : 0.25) : 2.25;
    const hcri_quadratic_parts parts = {.form = kind == DIAGONAL ? HCRI_DIAGONAL
                                                : kind == DENSE  ? HCRI_DENSE
                                                                 : HCRI_FACTOR,
                                        .matrix = matrix,
                                        .factor = &rows,
                                        .shift = shift,
                                        .linear = numbers + 2,
                                        .constant = -6.25,
                                        .radius = 3.25,
                                        .least_eigenvalue = 0.125};
    const size_t start[4] = {0, 2, 2, 3};
    const uint32_t left[3] = {0, 1, 2}, right[3] = {3, 4, 3};
    const hcri_bilinear products = {start, left, right, numbers + 3};
    const double lower[3] = {-2.5, -3.5, -INFINITY}, upper[3] = {4.5, INFINITY, 6.5};
    switch (kind) {
    case BOX:
        assert_int_equal(hcri_box_create(N, allocator, &block, NULL), HCR_OK);
        for (size_t j = 0; j < N; j++) {
            hcri_box_narrow_lower((hcri_box *)block, j, -1 - (double)j, 1, 2);
            hcri_box_narrow_upper((hcri_box *)block, j, 1 + (double)j, 3, 4);
        }
        break;
    case LINEAR:
        assert_int_equal(hcri_linear_create(N, allocator, &block, NULL), HCR_OK);
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(hcri_linear_append((hcri_linear *)block, (hcri_row){2, rows.columns, rows.values},
                                                lower[i], upper[i], (hcri_source_row){(uint32_t)i, 7}, NULL),
                             HCR_OK);
        break;
    case VARYING:
        assert_int_equal(hcri_varying_create(N, allocator, &rows, &products, lower, upper, &block, NULL), HCR_OK);
        break;
    case CONE:
        assert_int_equal(hcri_cone_create(N, allocator, &rows, shift, numbers + 4, 21.5, &block, NULL), HCR_OK);
        break;
    case LMI: assert_int_equal(hcri_lmi_create(N, allocator, 2, shift, &rows, &block, NULL), HCR_OK); break;
    default: assert_int_equal(hcri_quadratic_create(N, allocator, &parts, &block, NULL), HCR_OK); break;
    }
    hcri_rows_release(&rows, allocator);
    for (size_t i = 0; i < block->count; i++) {
        block->source[i] = (uint32_t)(40 + i);
        block->source_row[i] = (uint32_t)(60 + i);
    }
    return block;
}

static size_t write(const hcri_constraint *block, unsigned char *data) {
    hcri_bytes bytes = {.allocator = allocator};
    assert_int_equal(hcri_block_write(block, &bytes), HCR_OK);
    assert_true(bytes.size <= MOST_BYTES);
    memcpy(data, bytes.data, bytes.size);
    hcri_release(allocator, bytes.data);
    return bytes.size;
}

/* What reading says; a block that comes of it is written again, to the same bytes. */
static hcr_status read_again(const hcri_kind *kind, const unsigned char *data, size_t size) {
    hcri_source in = {.data = data, .size = size};
    hcri_constraint *read = NULL;
    unsigned char again[MOST_BYTES];
    const hcr_status status = hcri_block_read(kind, &in, N, allocator, &read, NULL);
    if (status != HCR_OK)
        return status;
    assert_int_equal(in.used, size);
    assert_int_equal(write(read, again), size);
    assert_memory_equal(again, data, size);
    hcri_block_release(read);
    return HCR_OK;
}

static void test_cut(void **state) {
    (void)state;
    for (block_kind kind = BOX; kind < KINDS; kind++) {
        unsigned char data[MOST_BYTES];
        hcri_constraint *block = make(kind);
        const size_t size = write(block, data);
        assert_int_equal(read_again(block->kind, data, size), HCR_OK);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(read_again(block->kind, data, k), HCR_ERROR_FORMAT);
        hcri_block_release(block);
    }
}

/* A NaN, and but for bounds an infinity, in the place of every number. */
static void test_numbers(void **state) {
    (void)state;
    static const double damage[3] = {NAN, INFINITY, -INFINITY};
    for (block_kind kind = BOX; kind < KINDS; kind++) {
        unsigned char data[MOST_BYTES];
        hcri_constraint *block = make(kind);
        const size_t size = write(block, data);
        size_t found = 0;
        for (size_t k = 0; k + 8 <= size; k += 4) {
            double x;
            memcpy(&x, data + k, sizeof x);
            /* the numbers above; no counts and indices */
            if (!(fabs(x) >= 0.125 && fabs(x) <= 100) && !isinf(x))
                continue;
            const int is_bound = kind == BOX || (isinf(x) || x == -2.5 || x == -3.5 || x == 4.5 || x == 6.5);
            for (size_t d = 0; d < (is_bound ? 1 : 3); d++) {
                memcpy(data + k, &damage[d], sizeof x);
                assert_int_equal(read_again(block->kind, data, size), HCR_ERROR_FORMAT);
            }
            memcpy(data + k, &x, sizeof x);
            found++;
        }
        assert_true(found >= 9);
        assert_int_equal(read_again(block->kind, data, size), HCR_OK);
        hcri_block_release(block);
    }
}

/* Replaces the `which`-th appearance of `from`. */
static void refuse(block_kind kind, size_t which, const void *from, const void *to, size_t width) {
    unsigned char data[MOST_BYTES];
    hcri_constraint *block = make(kind);
    const size_t size = write(block, data);
    size_t seen = 0, at = SIZE_MAX;
    for (size_t k = 0; k + width <= size; k += 4)
        if (memcmp(data + k, from, width) == 0 && seen++ == which)
            at = k;
    assert_true(at != SIZE_MAX);
    memcpy(data + at, to, width);
    assert_int_equal(read_again(block->kind, data, size), HCR_ERROR_FORMAT);
    hcri_block_release(block);
}

static void test_contradictions(void **state) {
    (void)state;
    const double above = 99;
    refuse(BOX, 0, &(double){-1}, &above, sizeof above);
    refuse(BOX, 0, &(double){-5}, &above, sizeof above);
    refuse(LINEAR, 0, &(double){-2.5}, &above, sizeof above);
    refuse(VARYING, 0, &(double){-2.5}, &above, sizeof above);
    /* columns out of range, twice, in the wrong order */
    const uint32_t pair[2] = {1, 4}, out[2] = {1, 5}, twice[2] = {4, 4}, back[2] = {4, 1};
    static const block_kind with_rows[] = {LINEAR, VARYING, FACTOR, CONE, LMI};
    for (size_t k = 0; k < sizeof with_rows / sizeof with_rows[0]; k++) {
        refuse(with_rows[k], 0, pair, out, sizeof pair);
        refuse(with_rows[k], 0, pair, twice, sizeof pair);
        refuse(with_rows[k], 2, pair, back, sizeof pair);
    }
    /* pairs of products: those on the left are 0, 1, 2, on the right 3, 4, 3 */
    const uint32_t left[3] = {0, 1, 2}, right[3] = {3, 4, 3};
    const uint32_t left_out[3] = {0, 1, N}, right_out[3] = {3, N, 3}, last_out[3] = {3, 4, N};
    const uint32_t left_back[3] = {0, 2, 1}, left_twice[3] = {0, 0, 2}, right_twice[3] = {4, 4, 3};
    refuse(VARYING, 0, left, left_out, sizeof left);
    refuse(VARYING, 0, left, left_back, sizeof left);
    refuse(VARYING, 0, right, right_out, sizeof right);
    refuse(VARYING, 0, right, last_out, sizeof right);
    uint32_t both[6], same[6];
    memcpy(both, left, sizeof left);
    memcpy(both + 3, right, sizeof right);
    memcpy(same, left_twice, sizeof left);
    memcpy(same + 3, right_twice, sizeof right);
    refuse(VARYING, 0, both, same, sizeof both);
    /* forms and sizes that don't exist */
    refuse(DIAGONAL, 0, &(uint32_t){HCRI_DIAGONAL}, &(uint32_t){3}, sizeof(uint32_t));
    refuse(DENSE, 0, &(uint32_t){HCRI_DENSE}, &(uint32_t){3}, sizeof(uint32_t));
    refuse(LMI, 0, &(uint64_t){2}, &(uint64_t){0}, sizeof(uint64_t));
    refuse(LMI, 0, &(uint64_t){2}, &(uint64_t){3}, sizeof(uint64_t));
    refuse(LMI, 0, &(uint64_t){2}, &(uint64_t){UINT64_MAX}, sizeof(uint64_t));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut), cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_contradictions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
