/* Exact decisions against fractions, on points that are on the frontier, an ulp off it, tiny and huge. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <gmp.h>

#include "base/random.h"
#include "exact/exact_sign.h"
#include "hcr/hcr_build.h"
#include "region/region.h"
#include "scratch.h"

enum { N = 5 };

/* ------------------------------------------------------------------------------------- the reference, in fractions */

static void add(mpq_t total, double x, const mpq_t y) {
    mpq_t product;
    mpq_init(product);
    mpq_set_d(product, x);
    mpq_mul(product, product, y);
    mpq_add(total, total, product);
    mpq_clear(product);
}

static int row_sign(const hcri_linear *linear, size_t i, mpq_t *y) {
    const hcri_rows *rows = &linear->rows;
    mpq_t total, one;
    mpq_inits(total, one, NULL);
    mpq_set_ui(one, 1, 1);
    for (size_t k = rows->start[i / 2]; k < rows->start[i / 2 + 1]; k++)
        add(total, rows->values[k], y[rows->columns[k]]);
    add(total, i % 2 == 0 ? -linear->upper[i / 2] : -linear->lower[i / 2], one);
    const int sign = mpq_sgn(total);
    mpq_clears(total, one, NULL);
    return i % 2 == 0 ? sign : -sign;
}

/* Expands Q entry by entry, P_ij = Σ_k F_ki F_kj for factors: (F y − s)'(F y − s) = y'Py − 2 (F's)·y + s·s. */
static int quadratic_sign(const hcri_quadratic *quadratic, mpq_t *y) {
    mpq_t total, x[N], term, one;
    mpq_inits(total, term, one, NULL);
    mpq_set_ui(one, 1, 1);
    for (size_t j = 0; j < N; j++) {
        mpq_init(x[j]);
        mpq_set(x[j], y[j]);
        if (quadratic->form != HCRI_FACTOR)
            add(x[j], -quadratic->shift[j], one);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            mpq_set_ui(term, 0, 1);
            if (quadratic->form == HCRI_FACTOR) {
                for (size_t k = 0; k < quadratic->factor.count; k++) { /* full rows */
                    mpq_t f;
                    mpq_init(f);
                    mpq_set_d(f, quadratic->factor.values[quadratic->factor.start[k] + i]);
                    add(term, quadratic->factor.values[quadratic->factor.start[k] + j], f);
                    mpq_clear(f);
                }
            } else if (quadratic->form == HCRI_DENSE || i == j) {
                mpq_set_d(term, quadratic->matrix[quadratic->form == HCRI_DENSE ? i * N + j : i]);
            }
            mpq_mul(term, term, x[i]);
            mpq_mul(term, term, x[j]);
            mpq_add(total, total, term);
        }
    for (size_t k = 0; quadratic->form == HCRI_FACTOR && k < quadratic->factor.count; k++) {
        mpq_set_d(term, quadratic->shift[k]);
        add(total, quadratic->shift[k], term);
        for (size_t j = 0; j < N; j++) {
            mpq_set_d(term, quadratic->shift[k]);
            mpq_mul(term, term, x[j]);
            add(total, -2 * quadratic->factor.values[quadratic->factor.start[k] + j], term);
        }
    }
    for (size_t j = 0; j < N; j++)
        add(total, 2 * quadratic->linear[j], y[j]);
    add(total, 2 * quadratic->constant, one);
    mpq_set_d(term, quadratic->radius);
    add(total, -quadratic->radius, term);
    const int sign = mpq_sgn(total);
    for (size_t j = 0; j < N; j++)
        mpq_clear(x[j]);
    mpq_clears(total, term, one, NULL);
    return sign;
}

static int reference_sign(const hcri_constraint *constraint, size_t i, const double *point) {
    mpq_t y[N];
    int sign;
    for (size_t j = 0; j < N; j++) {
        mpq_init(y[j]);
        mpq_set_d(y[j], point[j]);
    }
    if (constraint->kind->id == HCRI_KIND_BOX) {
        const hcri_box *box = (const hcri_box *)constraint;
        const double c = point[i / 2], upper = box->upper[i / 2], lower = box->lower[i / 2];
        sign = i % 2 == 0 ? (c > upper) - (c < upper) : (c < lower) - (c > lower);
    } else if (constraint->kind->id == HCRI_KIND_LINEAR) {
        sign = row_sign((const hcri_linear *)constraint, i, y);
    } else {
        sign = quadratic_sign((const hcri_quadratic *)constraint, y);
    }
    for (size_t j = 0; j < N; j++)
        mpq_clear(y[j]);
    return sign;
}

/* ------------------------------------------------------------------------------------------------------ the points */

/* Points where little or nothing is left of c: small integers often lie on the frontier exactly. */
static void make_point(hcri_random *random, size_t kind, double *y) {
    for (size_t j = 0; j < N; j++) {
        const double integer = (double)hcri_random_below(random, 9) - 4, noise = hcri_random_normal(random);
        switch (kind) {
        case 0: y[j] = integer; break;
        case 1: y[j] = integer * (1 + (double)hcri_random_below(random, 3) * DBL_EPSILON); break;
        case 2: y[j] = noise; break;
        case 3: y[j] = integer * 0x1p-1074; break;
        case 4: y[j] = noise * 1e300; break;
        case 5: y[j] = integer + noise * 0x1p-1060; break;
        default: y[j] = integer / 4 + (double)hcri_random_below(random, 2) * 0x1p-52;
        }
    }
}
enum { POINT_KINDS = 7 };

/* The decision and the sign at many points; returns how many were exactly on the frontier. */
static size_t compare(const hcri_constraint *constraint, uint64_t seed) {
    hcri_random random;
    hcri_random_seed(&random, seed);
    size_t on_frontier = 0;
    for (size_t k = 0; k < 700; k++) {
        double y[N];
        make_point(&random, k % POINT_KINDS, y);
        for (size_t i = 0; i < constraint->count; i++) {
            if (!constraint->kind->exists(constraint, i))
                continue;
            const int sign = reference_sign(constraint, i, y);
            assert_int_equal(hcri_exact_kind_of(constraint)->sign(constraint, i, y), sign);
            assert_int_equal(hcri_exact_holds(constraint, i, y, scratch_for(constraint)), sign <= 0);
            on_frontier += sign == 0;
        }
    }
    return on_frontier;
}

static void test_box(void **state) {
    (void)state;
    hcri_constraint *box = NULL;
    assert_int_equal(hcri_box_create(N, &hcri_default_allocator, &box, NULL), HCR_OK);
    for (size_t j = 0; j < N; j++) {
        hcri_box_narrow_upper((hcri_box *)box, j, (double)j - 1, 0, 0);
        if (j != 2)
            hcri_box_narrow_lower((hcri_box *)box, j, -3, 0, 0);
    }
    assert_true(compare(box, 1) > 0);
    hcri_block_release(box);
}

static void test_rows(void **state) {
    (void)state;
    hcri_constraint *made = NULL;
    assert_int_equal(hcri_linear_create(N, &hcri_default_allocator, &made, NULL), HCR_OK);
    hcri_linear *linear = (hcri_linear *)made;
    const uint32_t columns[N] = {0, 1, 2, 3, 4};
    const double rows[][N] = {
        {1, -1, 0, 0, 0}, {1, 2, 3, -2, 1}, {0.1, 0.2, -0.3, 0.1, 0.1}, {1e50, -1e50, 1, 1, 1}, {1, 0x1p-60, 0, 0, -1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t used = 0;
        uint32_t kept[N];
        double values[N];
        for (size_t j = 0; j < N; j++)
            if (rows[i][j] != 0) {
                kept[used] = columns[j];
                values[used++] = rows[i][j];
            }
        assert_int_equal(hcri_linear_append(linear, (hcri_row){used, kept, values}, i == 1 ? -INFINITY : -2,
                                            i == 2 ? 0.1 : 1, (hcri_source_row){0, 0}, NULL),
                         HCR_OK);
    }
    assert_true(compare(made, 2) > 0);
    hcri_block_release(made);
}

static const double linear_term[N] = {1, -2, 0, 0.5, 0}, shift[N] = {1, 0, -1, 0.5, 0x1p-40};

static void test_diagonal(void **state) {
    (void)state;
    const double weights[N] = {1, 2, 0, 0.5, 1}, ones[N] = {1, 1, 1, 1, 1};
    const hcri_quadratic_parts parts[] = {
        {.form = HCRI_DIAGONAL, .matrix = ones, .radius = 5}, /* 3² + 4² = 5² */
        {.form = HCRI_DIAGONAL, .matrix = weights, .shift = shift, .linear = linear_term, .constant = -2, .radius = 1},
        {.form = HCRI_DIAGONAL, .matrix = ones, .shift = shift, .constant = -0x1p-1000}};
    size_t on_frontier = 0;
    for (size_t k = 0; k < 3; k++) {
        hcri_constraint *quadratic = NULL;
        assert_int_equal(hcri_quadratic_create(N, &hcri_default_allocator, &parts[k], &quadratic, NULL), HCR_OK);
        on_frontier += compare(quadratic, 3 + k);
        hcri_block_release(quadratic);
    }
    assert_true(on_frontier > 0);
}

static void test_dense_and_factor(void **state) {
    (void)state;
    const double factor[2][N] = {{1, -1, 0.5, 2, 1}, {0.1, 3, -1, 0.25, 1}};
    double matrix[N * N];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            matrix[i * N + j] = factor[0][i] * factor[0][j] + (i == j ? 0.25 : 0);
    hcri_rows rows = {0};
    const uint32_t columns[N] = {0, 1, 2, 3, 4};
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(hcri_rows_append(&rows, &hcri_default_allocator, N, columns, factor[k], NULL), HCR_OK);
    const double factor_shift[2] = {1, -0.3};
    const hcri_quadratic_parts parts[] = {
        {.form = HCRI_DENSE, .matrix = matrix, .constant = -8},
        {.form = HCRI_DENSE, .matrix = matrix, .shift = shift, .linear = linear_term, .radius = 2},
        {.form = HCRI_FACTOR, .factor = &rows, .constant = -1, .radius = 3},
        {.form = HCRI_FACTOR, .factor = &rows, .shift = factor_shift, .linear = linear_term, .constant = -4}};
    for (size_t k = 0; k < 4; k++) {
        hcri_constraint *quadratic = NULL;
        assert_int_equal(hcri_quadratic_create(N, &hcri_default_allocator, &parts[k], &quadratic, NULL), HCR_OK);
        compare(quadratic, 6 + k);
        hcri_block_release(quadratic);
    }
    hcri_rows_release(&rows, &hcri_default_allocator);
}

/* ----------------------------------------------------------------------------------------------------- whole points */

/* −1 <= y0 <= 1, y0 + y1 <= 1.5, |y| <= 1.25 around 0 */
static hcr_region *small_region(hcri_set *set) {
    *set = (hcri_set){.allocator = hcri_default_allocator};
    hcri_constraint *box = NULL, *linear = NULL, *ball = NULL;
    const hcri_quadratic_parts parts = {.form = HCRI_DIAGONAL, .matrix = (const double[]){1, 1}, .radius = 1.25};
    assert_int_equal(hcri_set_add_place(set, "", 0, 0, "", NULL), HCR_OK);
    assert_int_equal(hcri_set_add_variable(set, "y", 2, 0, 0, NULL), HCR_OK);
    assert_int_equal(hcri_box_create(2, &set->allocator, &box, NULL), HCR_OK);
    hcri_box_narrow_upper((hcri_box *)box, 0, 1, 0, 0);
    hcri_box_narrow_lower((hcri_box *)box, 0, -1, 0, 1);
    assert_int_equal(hcri_linear_create(2, &set->allocator, &linear, NULL), HCR_OK);
    assert_int_equal(hcri_linear_append((hcri_linear *)linear,
                                        (hcri_row){2, (const uint32_t[]){0, 1}, (const double[]){1, 1}}, -INFINITY, 1.5,
                                        (hcri_source_row){0, 2}, NULL),
                     HCR_OK);
    assert_int_equal(hcri_quadratic_create(2, &set->allocator, &parts, &ball, NULL), HCR_OK);
    assert_int_equal(hcri_set_add_block(set, box, NULL), HCR_OK);
    assert_int_equal(hcri_set_add_block(set, linear, NULL), HCR_OK);
    assert_int_equal(hcri_set_add_block(set, ball, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(set, NULL), HCR_OK);
    hcr_region *region = NULL;
    assert_int_equal(hcri_region_create(set,
                                        &(hcri_analysis){.origin = (const double[]){0, 0},
                                                         .lower = (const double[]){-1.25, -1.25},
                                                         .upper = (const double[]){1.25, 1.25},
                                                         .radius = INFINITY},
                                        NULL, &region, NULL),
                     HCR_OK);
    return region;
}

static void test_points(void **state) {
    (void)state;
    hcri_set set;
    hcr_region *region = small_region(&set);
    const double y[][2] = {
        {0, 0},
        {1, 0.5},                 /* a corner of the box and the row, on both */
        {1, 0.5 + DBL_EPSILON},   /* … and just off it */
        {0.75, -1},               /* 3-4-5: on the ball */
        {0.75, -1 - DBL_EPSILON}, /* off the ball */
        {-1 - DBL_EPSILON, 0},    /* off the box */
        {NAN, 0},
        {0, INFINITY},
        {0, -DBL_MAX},
    };
    enum { ROWS = sizeof y / sizeof y[0] };
    const uint8_t expected[ROWS] = {1, 1, 0, 1, 0, 0, 0, 0, 0};
    const uint32_t constraints[ROWS] = {UINT32_MAX, UINT32_MAX, 4, UINT32_MAX, 6, 1, UINT32_MAX, UINT32_MAX, 6};
    uint8_t inside[ROWS];
    uint32_t which[ROWS];
    assert_int_equal(hcr_check(region, ROWS, NULL, &y[0][0], inside, which, NULL), HCR_OK);
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(inside[i], expected[i]);
        assert_int_equal(which[i], constraints[i]);
    }
    /* Many rows, so that they go in several portions; single precision decides on the doubles that floats are. */
    enum { MANY = 50 };
    float points[MANY][2];
    double doubles[MANY][2];
    uint8_t inside_f32[MANY], inside_f64[MANY];
    for (size_t i = 0; i < MANY; i++) {
        points[i][0] = 0.75f;
        points[i][1] = i % 3 == 0 ? -1.0f : i % 3 == 1 ? nextafterf(-1, -2) : 0.7f;
        for (size_t j = 0; j < 2; j++)
            doubles[i][j] = (double)points[i][j];
    }
    assert_int_equal(hcr_check_f32(region, MANY, NULL, &points[0][0], inside_f32, NULL, NULL), HCR_OK);
    assert_int_equal(hcr_check(region, MANY, NULL, &doubles[0][0], inside_f64, NULL, NULL), HCR_OK);
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(inside_f32[i], i % 3 != 1);
        assert_int_equal(inside_f64[i], i % 3 != 1);
    }
    assert_int_equal(hcr_check(region, 0, NULL, NULL, NULL, NULL, NULL), HCR_OK);
    assert_int_equal(hcr_check(NULL, 1, NULL, &y[0][0], inside, NULL, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_check(region, 1, NULL, NULL, inside, NULL, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_check_f32(region, 1, NULL, &points[0][0], NULL, NULL, NULL), HCR_ERROR_ARGUMENT);
    hcr_region_free(region);
    hcri_set_release(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),      cmocka_unit_test(test_rows),
        cmocka_unit_test(test_diagonal), cmocka_unit_test(test_dense_and_factor),
        cmocka_unit_test(test_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
