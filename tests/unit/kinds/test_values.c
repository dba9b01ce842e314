/* Values, the bounds of their errors and gradients of the kinds whose formulas have few terms, against sums from full
 * matrices in extended precision; the bounds against what the operations of such a sum can lose, term by term. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "kinds/box/box.h"
#include "kinds/cone/cone.h"
#include "kinds/linear/linear.h"
#include "kinds/lmi/lmi.h"
#include "kinds/quadratic/quadratic.h"
#include "kinds/quadratic/quadratic_value.h"
#include "kinds/varying/varying.h"
#include "scratch.h"

enum { MOST = 20 };

static const hcr_allocator *const allocator = &hcri_default_allocator;
static const double u = 0x1p-53;

/* Both sides add the same terms, all positive. */
static void assert_near(double a, double b) { assert_true(fabs(a - b) <= 1e-12 * fabs(b)); }

static void draw(hcri_random *random, size_t count, double *x) {
    for (size_t k = 0; k < count; k++)
        x[k] = hcri_random_normal(random);
}

/* Rows of `n` numbers, every fourth of which is 0 in every other row. */
static hcri_rows draw_rows(hcri_random *random, size_t count, size_t n, double (*full)[MOST]) {
    hcri_rows rows = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t columns[MOST];
        double values[MOST];
        size_t kept = 0;
        for (size_t j = 0; j < n; j++) {
            full[i][j] = i % 2 == 1 && j % 4 == 1 ? 0 : hcri_random_normal(random);
            if (full[i][j] != 0) {
                columns[kept] = (uint32_t)j;
                values[kept++] = full[i][j];
            }
        }
        assert_int_equal(hcri_rows_append(&rows, allocator, kept, columns, values, NULL), HCR_OK);
    }
    return rows;
}

/* Σ a_j y_j, the sum of its terms' sizes and how many there are. */
static long double sum_of(size_t n, const double *a, const double *y, double *sizes, double *terms) {
    long double sum = 0;
    *sizes = *terms = 0;
    for (size_t j = 0; j < n; j++) {
        sum += (long double)a[j] * (long double)y[j];
        *sizes += fabs(a[j] * y[j]);
        *terms += a[j] != 0;
    }
    return sum;
}

/* c(y) and its bound, the gradient added with a weight, and the same sign where the block says that it holds. */
static void check(const hcri_constraint *block, size_t i, const double *y, long double value, double bound,
                  const double *gradient) {
    double error, found[MOST], before[MOST];
    assert_true(fabsl((long double)block->kind->value(block, i, y, &error, scratch_for(block)) - value) <=
                (long double)error);
    assert_true(block->kind->value(block, i, y, NULL, scratch_for(block)) ==
                block->kind->value(block, i, y, &error, scratch_for(block)));
    assert_near(error, bound);
    for (size_t j = 0; j < block->n; j++)
        found[j] = before[j] = (double)j - 2;
    block->kind->add_gradient(block, i, y, -0.75, found, scratch_for(block));
    for (size_t j = 0; j < block->n; j++)
        assert_true(fabs(found[j] - (before[j] - 0.75 * gradient[j])) <= 1e-12 * (1 + fabs(gradient[j])));
}

static void test_rows(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 71);
    for (size_t number = 0; number < 20; number++) {
        const size_t n = 1 + number % 9;
        double full[MOST][MOST], y[MOST], lower[MOST], upper[MOST];
        hcri_rows rows = draw_rows(&random, 5, n, full);
        hcri_constraint *block = NULL;
        assert_int_equal(hcri_linear_create(n, allocator, &block, NULL), HCR_OK);
        for (size_t i = 0; i < rows.count; i++) {
            const size_t start = rows.start[i];
            lower[i] = -hcri_random_uniform(&random);
            upper[i] = i == 3 ? INFINITY : hcri_random_uniform(&random);
            assert_int_equal(
                hcri_linear_append((hcri_linear *)block,
                                   (hcri_row){rows.start[i + 1] - start, rows.columns + start, rows.values + start},
                                   lower[i], upper[i], (hcri_source_row){0, 0}, NULL),
                HCR_OK);
        }
        draw(&random, n, y);
        for (size_t i = 0; i < 2 * rows.count; i++) {
            double sizes, terms, gradient[MOST];
            const double bound = (i % 2 == 0 ? upper : lower)[i / 2], sign = i % 2 == 0 ? 1 : -1;
            assert_int_equal(block->kind->exists(block, i), isfinite(bound));
            if (isinf(bound))
                continue;
            const long double sum = sum_of(n, full[i / 2], y, &sizes, &terms);
            for (size_t j = 0; j < n; j++)
                gradient[j] = sign * full[i / 2][j];
            check(block, i, y, (long double)sign * (sum - (long double)bound),
                  1.01 * (terms + 3) * u * (sizes + fabs(bound)), gradient);
        }
        hcri_block_release(block);
        hcri_rows_release(&rows, allocator);
    }
}

/* A difference of two floats has the right sign. */
static void test_boxes(void **state) {
    (void)state;
    hcri_constraint *block = NULL;
    assert_int_equal(hcri_box_create(2, allocator, &block, NULL), HCR_OK);
    hcri_box_narrow_upper((hcri_box *)block, 0, 2, 0, 0);
    hcri_box_narrow_lower((hcri_box *)block, 0, -3, 0, 0);
    const double y[2] = {1.5, 7}, up[2] = {1, 0}, down[2] = {-1, 0};
    check(block, 0, y, -0.5L, 0, up);
    check(block, 1, y, -4.5L, 0, down);
    assert_true(block->kind->exists(block, 0) && block->kind->exists(block, 1));
    assert_false(block->kind->exists(block, 2) || block->kind->exists(block, 3));
    hcri_block_release(block);
}

typedef struct quadric {
    hcri_form form;
    size_t n, count;
    double matrix[MOST][MOST]; /* P, or F */
    double shift[MOST], linear[MOST], constant, radius;
} quadric;

static hcri_constraint *make_quadric(quadric *q, hcri_form form, size_t n, hcri_random *random) {
    double flat[MOST * MOST];
    q->form = form;
    q->n = n;
    q->count = form == HCRI_FACTOR ? 1 + n / 2 : n;
    hcri_rows rows = draw_rows(random, q->count, n, q->matrix);
    draw(random, MOST, q->shift);
    draw(random, n, q->linear);
    q->constant = hcri_random_normal(random);
    q->radius = 1 + hcri_random_uniform(random);
    for (size_t i = 0; i < n && form != HCRI_FACTOR; i++)
        for (size_t j = 0; j <= i; j++) {
            q->matrix[i][j] = q->matrix[j][i] = i == j               ? 5 + hcri_random_uniform(random)
                                                : form == HCRI_DENSE ? 0.2 * hcri_random_normal(random)
                                                                     : 0;
            flat[form == HCRI_DENSE ? i * n + j : i] = flat[form == HCRI_DENSE ? j * n + i : i] = q->matrix[i][j];
        }
    const hcri_quadratic_parts parts = {.form = form,
                                        .matrix = flat,
                                        .factor = &rows,
                                        .shift = q->shift,
                                        .linear = q->linear,
                                        .constant = q->constant,
                                        .radius = q->radius};
    hcri_constraint *block = NULL;
    assert_int_equal(hcri_quadratic_create(n, allocator, &parts, &block, NULL), HCR_OK);
    hcri_rows_release(&rows, allocator);
    return block;
}

/* ½Q(y); 2·(what rounding does to it) and the sizes that the accurate sum counts; gradient += P(y − shift). */
static long double half_square(const quadric *q, const double *y, double *lost, double *sizes, double *gradient) {
    const double n = (double)q->n, count = (double)q->count, residue = 0x1p-40;
    long double total = 0;
    double absolute = 0;
    *lost = *sizes = 0;
    for (size_t i = 0; i < q->count; i++) {
        long double row = q->form == HCRI_FACTOR ? -(long double)q->shift[i] : 0;
        double row_size = q->form == HCRI_FACTOR ? fabs(q->shift[i]) : 0, terms = 0;
        for (size_t j = 0; j < q->n; j++) {
            const double x = q->form == HCRI_FACTOR ? y[j] : y[j] - q->shift[j];
            row += (long double)q->matrix[i][j] * (long double)x;
            row_size += fabs(q->matrix[i][j] * x);
            terms += q->matrix[i][j] != 0;
        }
        if (q->form == HCRI_FACTOR) {
            const double t = fabs((double)row), off = (terms + 3) * u * row_size;
            total += row * row;
            *lost += (2 * t + off) * off;
            *sizes += 0.5 * t * t + residue * row_size * (t + residue * row_size);
            for (size_t j = 0; j < q->n; j++)
                gradient[j] += (double)row * q->matrix[i][j];
        } else {
            total += row * ((long double)y[i] - (long double)q->shift[i]);
            absolute += row_size * fabs(y[i] - q->shift[i]);
            gradient[i] += (double)row;
        }
    }
    if (q->form == HCRI_FACTOR)
        *lost += (count + 4) * u * (double)total;
    else
        *sizes = 0.5 * absolute;
    if (q->form == HCRI_DIAGONAL)
        *lost = (n + 6) * u * absolute;
    if (q->form == HCRI_DENSE)
        *lost = (2 * n + 8) * u * absolute;
    return 0.5L * total;
}

static void test_quadratics(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 72);
    for (size_t number = 0; number < 60; number++) {
        static quadric q;
        const size_t n = 1 + number % 12;
        hcri_constraint *block = make_quadric(&q, (hcri_form)(number % 3), n, &random);
        const hcri_quadratic *quadratic = (const hcri_quadratic *)block;
        double y[MOST], gradient[MOST] = {0}, lost, sizes, linear_sizes, terms, absolute, accurate[MOST] = {0};
        draw(&random, n, y);
        const long double half = half_square(&q, y, &lost, &sizes, gradient);
        const long double linear = sum_of(n, q.linear, y, &linear_sizes, &terms);
        for (size_t j = 0; j < n; j++)
            gradient[j] += q.linear[j];
        const double ball = 0.5 * q.radius * q.radius, rest = fabs(q.constant) + ball;
        const double bound = 1.01 * (0.5 * lost + u * (((double)n + 4) * linear_sizes + 4 * ((double)half + rest)));
        const long double value =
            half + linear + (long double)q.constant - 0.5L * (long double)q.radius * (long double)q.radius;
        check(block, 0, y, value, bound, gradient);

        const double found = hcri_quadratic_accurate_value(quadratic, y, &absolute);
        assert_near(absolute, sizes + 0x1p-40 * (linear_sizes + fabs(q.constant) + 2 * ball));
        assert_true(fabsl((long double)found - value) <= 4 * (long double)(u * (absolute + fabs(found))));
        hcri_quadratic_accurate_gradient(quadratic, y, accurate);
        double full[MOST * MOST] = {0};
        hcri_quadratic_add_matrix(quadratic, 2, full);
        for (size_t i = 0; i < n; i++) {
            assert_true(fabs(accurate[i] - gradient[i]) <= 1e-12 * (1 + fabs(gradient[i])));
            for (size_t j = 0; j < n; j++) {
                double entry = q.form == HCRI_FACTOR ? 0 : 2 * q.matrix[i][j];
                for (size_t k = 0; k < q.count && q.form == HCRI_FACTOR; k++)
                    entry += 2 * q.matrix[k][i] * q.matrix[k][j];
                assert_true(fabs(full[i * n + j] - entry) <= 1e-13 * (1 + fabs(entry)));
            }
        }
        hcri_block_release(block);
    }
}

/* −λ_min of a symmetric matrix of two rows, and its gradient x'F_j x. */
static void test_matrices(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 73);
    for (size_t number = 0; number < 30; number++) {
        const size_t n = 1 + number % 6;
        double full[MOST][MOST], y[MOST], constant[3], entry[3], off = 0, gradient[MOST];
        hcri_rows terms = draw_rows(&random, 3, n, full);
        draw(&random, 3, constant);
        draw(&random, n, y);
        for (size_t e = 0; e < 3; e++) {
            double sizes, count;
            entry[e] = (double)(sum_of(n, full[e], y, &sizes, &count) + (long double)constant[e]);
            const double each = 1.01 * u * (count + 2) * (sizes + fabs(constant[e]));
            off += 2 * each * each;
        }
        hcri_constraint *block = NULL;
        assert_int_equal(hcri_lmi_create(n, allocator, 2, constant, &terms, &block, NULL), HCR_OK);
        const double middle = 0.5 * (entry[0] + entry[2]), half = 0.5 * (entry[0] - entry[2]);
        const double least = middle - hypot(half, entry[1]);
        const double norm = sqrt(entry[0] * entry[0] + 2 * entry[1] * entry[1] + entry[2] * entry[2]);
        /* (F − λ_max) times any vector is along the eigenvector to λ_min */
        const double most = middle + hypot(half, entry[1]);
        double x0 = entry[0] - most, x1 = entry[1];
        if (fabs(x0) + fabs(x1) < fabs(entry[1]) + fabs(entry[2] - most)) {
            x0 = entry[1];
            x1 = entry[2] - most;
        }
        const double length = hypot(x0, x1);
        x0 /= length;
        x1 /= length;
        for (size_t j = 0; j < n; j++)
            gradient[j] = -(x0 * x0 * full[0][j] + 2 * x0 * x1 * full[1][j] + x1 * x1 * full[2][j]);
        check(block, 0, y, -(long double)least, 1.01 * (u * (8 * 4 + 90 * 2 + 32) * norm + sqrt(off)), gradient);
        assert_int_equal(block->kind->holds(block, y, scratch_for(block)), least > 0);
        hcri_block_release(block);
        hcri_rows_release(&terms, allocator);
    }
}

static void test_cones(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 74);
    for (size_t number = 0; number < 40; number++) {
        const size_t n = 1 + number % 7, count = 1 + number % 5;
        double full[MOST][MOST], shift[MOST], linear[MOST] = {0}, y[MOST], gradient[MOST] = {0}, w[MOST];
        hcri_rows rows = draw_rows(&random, count, n, full);
        draw(&random, count, shift);
        draw(&random, number % 4 == 0 ? 0 : n, linear);
        draw(&random, n, y);
        hcri_constraint *block = NULL;
        assert_int_equal(hcri_cone_create(n, allocator, &rows, shift, linear, 0.5, &block, NULL), HCR_OK);
        long double squares = 0, right = 0.5L;
        double sizes, terms, off = 0;
        for (size_t i = 0; i < count; i++) {
            const long double x = sum_of(n, full[i], y, &sizes, &terms) + (long double)shift[i];
            const double each = (terms + 2) * u * (sizes + fabs(shift[i]));
            off += each * each;
            squares += x * x;
            w[i] = (double)x;
        }
        right += sum_of(n, linear, y, &sizes, &terms);
        const double norm = (double)sqrtl(squares);
        for (size_t j = 0; j < n; j++) {
            gradient[j] = -linear[j];
            for (size_t i = 0; i < count; i++)
                gradient[j] += w[i] / norm * full[i][j];
        }
        const double bound = 1.01 * (sqrt(off) + (0.5 * (double)count + 4) * u * norm) +
                             1.01 * (terms + 2) * u * (sizes + 0.5) + 2 * u * (norm + fabs((double)right));
        check(block, 0, y, sqrtl(squares) - right, bound, gradient);
        hcri_block_release(block);
        hcri_rows_release(&rows, allocator);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_boxes),
                                       cmocka_unit_test(test_quadratics), cmocka_unit_test(test_matrices),
                                       cmocka_unit_test(test_cones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
