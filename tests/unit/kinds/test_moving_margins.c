/* Margins of rows and bounds where origins move with parameters, against docs/exactness.md worked out anew from full
 * matrices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "unit/kinds/moving_margins.h"

#include "kinds/box/box.h"
#include "scratch.h"

static void dense_row(const hcri_rows *rows, size_t i, double *row) {
    memset(row, 0, MOST * sizeof *row);
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        row[rows->columns[k]] = rows->values[k];
}

/* E of a row without products; *moved is what its slack loses. */
static double row_error(const moving_surroundings *at, const double *row, int by_map, double *moved) {
    double origin, reach, extra;
    sizes_of(&at->base, row, &origin, &reach, &extra);
    const range r = range_of(at, row, NULL, 0);
    const double k = (double)count_of(at->n, row), q = (double)count_of(at->p, row + at->n);
    double slack = u * ((k + 4) * origin + (q + 4) * weight_sum(at->p, row + at->n, at->most));
    if (by_map)
        slack = fmax(slack, u * (r.terms + 4) * r.size + r.moved);
    *moved = r.moved;
    return ((k + 12) * u + 4 * at->base.unit) * (origin + reach) + slack + extra;
}

/* E of a row with products, whose pairs are numbers of their own. */
static double product_error(const moving_surroundings *at, size_t i, const hcri_varying *varying, const double *row,
                            double *moved) {
    const size_t n = at->n;
    double origin = weight_sum(n, row, at->base.origin), reach = weight_sum(n, row, at->base.reach), extra = 0;
    double terms = (double)count_of(n, row);
    *moved = 0;
    for (size_t j = 0; j < n; j++) {
        extra += at->base.extent.extra == NULL ? 0 : fabs(row[j]) * at->base.extra[j];
        *moved += fabs(row[j]) * off(at, j);
    }
    for (size_t k = varying->products.start[i]; k < varying->products.start[i + 1]; k++) {
        const size_t pair = varying->products.columns[k], left = varying->left[pair];
        const double w = fabs(varying->products.values[k]) * at->most[varying->right[pair] - n];
        origin += w * at->base.origin[left];
        reach += w * at->base.reach[left];
        extra += at->base.extent.extra == NULL || left >= n ? 0 : w * at->base.extra[left];
        *moved += left >= n ? 0 : w * off(at, left);
        terms++;
    }
    const double shift = weight_sum(at->p, row + n, at->most), q = (double)count_of(at->p, row + n);
    return ((terms + 12) * u + 4 * at->base.unit) * (origin + reach) + u * ((terms + 4) * origin + (q + 4) * shift) +
           extra;
}

/* 1 when there is a margin. */
static int check_rows(moving_case *c, const moving_surroundings *at, int products) {
    hcri_constraint *block = make_moving_block(c, products);
    const hcri_varying *varying = products ? (const hcri_varying *)block : NULL;
    const hcri_moving *moving = products ? varying->moving : ((const hcri_linear *)block)->moving;
    double expected = 0;
    for (size_t i = 0; i < c->rows.count; i++) {
        double row[MOST], moved;
        dense_row(products ? &varying->rows : &c->rows, i, row);
        const double error =
            products ? product_error(at, i, varying, row, &moved) : row_error(at, row, moving->map_is_cheaper, &moved);
        const range r = range_of(at, row, NULL, 0);
        const double moving_origin = r.spread - 2 * r.error;
        const double least = products ? moving->least[i] : r.middle - moving_origin;
        const double most = products ? moving->most[i] : r.middle + moving_origin;
        const double slack = fmin(c->upper[i] - most, least - c->lower[i]) - moved;
        expected = slack > 0 ? fmax(expected, 1.01 * error / slack) : INFINITY;
        if (isinf(expected))
            break;
    }
    const double found = block->kind->margin(block, at->base.unit, &at->base.extent, scratch_for(block));
    assert_true(isinf(expected) ? isinf(found) : fabs(found - expected) <= 1e-10 * expected);
    hcri_block_release(block);
    return isfinite(expected);
}

static void test_rows(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 91);
    size_t finite = 0;
    for (size_t number = 0; number < 48; number++) {
        static moving_case c;
        moving_surroundings at;
        const int products = number / 8 % 2 == 1;
        draw_case(&c, &random, 3 + number % 7, 1 + number % 4, number % 3 == 0 ? 0.4 : 1, products, 2);
        boundedness(&at, &c, number, &random);
        finite += (size_t)check_rows(&c, &at, products);
        release_case(&c);
    }
    assert_true(finite > 24);
}

static void test_boxes(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 92);
    for (size_t number = 0; number < 48; number++) {
        static moving_case c;
        moving_surroundings at;
        const size_t n = 3 + number % 5, p = 1 + number % 3;
        draw_case(&c, &random, n, p, 1, 0, 2);
        boundedness(&at, &c, number, &random);
        hcri_constraint *block = NULL;
        assert_int_equal(hcri_box_create(n + p, memory, &block, NULL), HCR_OK);
        double expected = 0, middle[MOST] = {0};
        const size_t outside = number % 6 == 5 ? n - 1 : n;
        for (size_t j = 0; j < n; j++) {
            double unit[MOST] = {0};
            unit[j] = 1;
            const range r = range_of(&at, unit, NULL, 0);
            const double moving_origin = r.spread - 2 * r.error, below = 0.1 + hcri_random_uniform(&random);
            /* one bound is within the range */
            const double above = j == outside ? -0.5 * moving_origin : 0.2 + hcri_random_uniform(&random);
            if (j % 3 != 1)
                hcri_box_narrow_lower((hcri_box *)block, j, r.middle - moving_origin - below, 0, 0);
            hcri_box_narrow_upper((hcri_box *)block, j, r.middle + moving_origin + above, 0, 0);
            const double extra = at.base.extent.extra == NULL ? 0 : at.base.extra[j];
            const double slack = (j % 3 == 1 ? above : fmin(below, above)) - 2 * at.omega[j] - extra;
            if (extra > 0)
                expected = fmax(expected,
                                1.01 * (4 * at.base.unit * (size_at(&at.base, j) + at.base.reach[j]) + extra) / slack);
            middle[j] = r.middle;
        }
        for (size_t q = 0; q < p; q++) {
            hcri_box_narrow_lower((hcri_box *)block, n + q, c.range[0][q], 0, 0);
            hcri_box_narrow_upper((hcri_box *)block, n + q, c.range[1][q], 0, 0);
            middle[n + q] = at.middle[q];
        }
        assert_int_equal(block->kind->place(block, middle, NULL), HCR_OK);
        assert_int_equal(block->kind->follow(block, &c.origin_map, NULL), HCR_OK);
        const double found = block->kind->margin(block, at.base.unit, &at.base.extent, scratch_for(block));
        if (outside < n)
            assert_true(isinf(found));
        else
            assert_true(fabs(found - expected) <= 1e-10 * expected);
        hcri_block_release(block);
        release_case(&c);
    }
}

static void test_row_ranges(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 93);
    for (size_t number = 0; number < 32; number++) {
        static moving_case c;
        moving_surroundings at;
        moving_matrix m;
        const size_t n = 3 + number % 5, p = 1 + number % 4;
        double centre[MOST], add[MOST];
        draw_case(&c, &random, n, p, number % 2 == 0 ? 1 : 0.5, 0, 2);
        boundedness(&at, &c, number, &random);
        draw_matrix(&m, 6, n + p, &random);
        append_matrix(&m);
        for (size_t j = 0; j < MOST; j++) {
            centre[j] = hcri_random_normal(&random);
            add[j] = hcri_random_normal(&random);
        }
        HCRI_SCRATCH(scratch, memory);
        hcri_moving_rows made;
        assert_int_equal(hcri_moving_rows_make(&m.rows, number % 3 == 0 ? NULL : centre, add, -1, &c.origin_map,
                                               scratch, &made, NULL),
                         HCR_OK);
        for (size_t i = 0; i < m.count; i++) {
            const range expected = range_of(&at, m.value[i], number % 3 == 0 ? NULL : centre, -add[i]);
            const hcri_row_range found = hcri_moving_row_range(&made, i, &at.base.extent);
            assert_true(fabs(found.middle - expected.middle) <= 1e-13 * expected.size);
            assert_near(found.error, expected.error);
            assert_near(found.spread, expected.spread);
        }
        hcri_rows_release(&m.rows, memory);
        release_case(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_boxes),
                                       cmocka_unit_test(test_row_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
