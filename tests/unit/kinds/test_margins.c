/* Margins of rounding against docs/exactness.md, worked out anew from full matrices, and the balls that a block allows
 * or fills. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "unit/kinds/margins.h"

#include "kinds/box/box.h"
#include "kinds/cone/cone.h"
#include "kinds/linear/linear.h"
#include "kinds/lmi/lmi.h"
#include "kinds/quadratic/quadratic.h"
#include "scratch.h"

/* `kept` numbers of a dense row that aren't 0, all where kept is n. */
static size_t draw_row(hcri_random *random, size_t n, size_t kept, double *row, uint32_t *columns, double *values) {
    size_t count = 0;
    memset(row, 0, n * sizeof *row);
    for (size_t j = 0; j < n; j++)
        if (kept == n || j % (n / kept) == 0) {
            row[j] = values[count] = hcri_random_normal(random);
            columns[count++] = (uint32_t)j;
        }
    return count;
}

static double margin_of(const hcri_constraint *block, const surroundings *at) {
    return block->kind->margin(block, at->unit, &at->extent, scratch_for(block));
}

static void place(hcri_constraint *block, const surroundings *at) {
    assert_int_equal(block->kind->place(block, at->origin, NULL), HCR_OK);
}

static void test_rows(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 81);
    for (size_t number = 0; number < 64; number++) {
        const size_t n = 1 + number % 9;
        surroundings at;
        draw_surroundings(&at, n, number, &random);
        hcri_constraint *block = NULL;
        assert_int_equal(hcri_linear_create(n, allocator, &block, NULL), HCR_OK);
        double expected = 0, inside = INFINITY;
        for (size_t i = 0; i < 5; i++) {
            double row[MOST], values[MOST], at_origin, reach, extra;
            uint32_t columns[MOST];
            const size_t count = draw_row(&random, n, i % 2 == 0 || n < 4 ? n : 2, row, columns, values);
            const double d = dot(n, row, at.origin), below = 0.1 + hcri_random_uniform(&random);
            const double above = 0.1 + hcri_random_uniform(&random);
            const double lower = i == 1 ? -INFINITY : d - below, upper = i == 2 ? INFINITY : d + above;
            assert_int_equal(hcri_linear_append((hcri_linear *)block, (hcri_row){count, columns, values}, lower, upper,
                                                (hcri_source_row){0, 0}, NULL),
                             HCR_OK);
            const double slack = fmin(d - lower, upper - d);
            sizes_of(&at, row, &at_origin, &reach, &extra);
            const double error = (((double)count + 8) * u + 4 * at.unit) * (at_origin + reach) + extra;
            expected = fmax(expected, 1.01 * error / slack);
            inside = fmin(inside, slack / norm(n, row));
        }
        place(block, &at);
        assert_near(margin_of(block, &at), expected);
        assert_near(block->kind->inradius(block, scratch_for(block)), inside);
        assert_true(isinf(block->kind->radius(block)));
        hcri_block_release(block);
    }
}

/* Only outputs that equalities determine and that have a bound need any. */
static void test_boxes(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 82);
    for (size_t number = 0; number < 64; number++) {
        const size_t n = 1 + number % 7;
        surroundings at;
        draw_surroundings(&at, n, number, &random);
        hcri_constraint *block = NULL;
        assert_int_equal(hcri_box_create(n, allocator, &block, NULL), HCR_OK);
        double expected = 0, inside = INFINITY;
        for (size_t j = 0; j < n; j++) {
            const double below = 0.1 + hcri_random_uniform(&random), above = 0.1 + hcri_random_uniform(&random);
            if (j % 4 != 1)
                hcri_box_narrow_lower((hcri_box *)block, j, at.origin[j] - below, 0, 0);
            if (j % 4 != 2 && j % 4 != 1)
                hcri_box_narrow_upper((hcri_box *)block, j, at.origin[j] + above, 0, 0);
            const double slack = j % 4 == 1 ? INFINITY : j % 4 == 2 ? below : fmin(below, above);
            inside = fmin(inside, slack);
            if (at.extent.extra != NULL && at.extra[j] > 0)
                expected = fmax(expected, 1.01 * (4 * at.unit * (size_at(&at, j) + at.reach[j]) + at.extra[j]) / slack);
        }
        place(block, &at);
        assert_near(margin_of(block, &at), expected);
        assert_near(block->kind->inradius(block, scratch_for(block)), inside);
        hcri_block_release(block);
    }
}

/* P of all three forms in full, |P| (FACTOR: |F|) as docs/exactness.md means it, and c. */
typedef struct quadric {
    size_t n, rank;
    hcri_form form;
    double matrix[MOST * MOST], factor[MOST * MOST], shift[MOST], linear[MOST], constant, radius;
} quadric;

static void draw_quadric(quadric *q, hcri_form form, size_t n, size_t rank, hcri_random *random) {
    memset(q, 0, sizeof *q);
    q->n = n;
    q->rank = rank;
    q->form = form;
    for (size_t i = 0; i < rank; i++)
        for (size_t j = 0; j < n; j++)
            q->factor[i * n + j] = form == HCRI_FACTOR && (i + j) % 3 == 0 ? 0 : hcri_random_normal(random);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < rank; k++)
                q->matrix[i * n + j] += q->factor[k * n + i] * q->factor[k * n + j];
    for (size_t i = 0; i < n && form == HCRI_DIAGONAL; i++)
        for (size_t j = 0; j < n; j++)
            q->matrix[i * n + j] = i == j ? 0.2 + hcri_random_uniform(random) : 0;
    for (size_t i = 0; i < (form == HCRI_FACTOR ? rank : n); i++)
        q->shift[i] = hcri_random_normal(random);
    for (size_t j = 0; j < n; j++)
        q->linear[j] = hcri_random_normal(random);
    q->constant = hcri_random_normal(random);
}

static hcri_constraint *make_quadric(const quadric *q, double least) {
    hcri_rows factor = {0};
    double diagonal[MOST], values[MOST];
    uint32_t columns[MOST];
    for (size_t i = 0; i < q->rank; i++) {
        size_t count = 0;
        for (size_t j = 0; j < q->n; j++)
            if (q->factor[i * q->n + j] != 0) {
                values[count] = q->factor[i * q->n + j];
                columns[count++] = (uint32_t)j;
            }
        assert_int_equal(hcri_rows_append(&factor, allocator, count, columns, values, NULL), HCR_OK);
    }
    for (size_t j = 0; j < q->n; j++)
        diagonal[j] = q->matrix[j * q->n + j];
    const hcri_quadratic_parts parts = {.form = q->form,
                                        .matrix = q->form == HCRI_DIAGONAL ? diagonal : q->matrix,
                                        .factor = &factor,
                                        .shift = q->shift,
                                        .linear = q->linear,
                                        .constant = q->constant,
                                        .radius = q->radius,
                                        .least_eigenvalue = least};
    hcri_constraint *block = NULL;
    assert_int_equal(hcri_quadratic_create(q->n, allocator, &parts, &block, NULL), HCR_OK);
    hcri_rows_release(&factor, allocator);
    return block;
}

/* c(O) but for −½R², and the gradient there. */
static double quadric_at(const quadric *q, const double *y, double *gradient) {
    double t[MOST], squares = 0;
    memcpy(gradient, q->linear, q->n * sizeof *gradient);
    if (q->form == HCRI_FACTOR) {
        for (size_t i = 0; i < q->rank; i++) {
            t[i] = dot(q->n, q->factor + i * q->n, y) - q->shift[i];
            squares += t[i] * t[i];
            for (size_t j = 0; j < q->n; j++)
                gradient[j] += t[i] * q->factor[i * q->n + j];
        }
    } else {
        for (size_t j = 0; j < q->n; j++)
            t[j] = y[j] - q->shift[j];
        for (size_t i = 0; i < q->n; i++) {
            const double row = dot(q->n, q->matrix + i * q->n, t);
            squares += t[i] * row;
            gradient[i] += row;
        }
    }
    return 0.5 * squares + dot(q->n, q->linear, y) + q->constant;
}

/* A bound of the norm of |P|, or of |F|; (|O|'|P||O|)^½ with |F|'|F| for |P|; the norm of |P||O − shift| + |q|. */
static void absolute_sizes(const quadric *q, const surroundings *at, double *largest, double *origin, double *terms) {
    const size_t n = q->n;
    double energy = 0, squares = 0, rows = 0, summed = 0;
    for (size_t i = 0; i < (q->form == HCRI_FACTOR ? q->rank : n); i++) {
        double row = 0, row_squares = 0, at_origin = 0, shifted = fabs(q->linear[i]);
        const double *p = (q->form == HCRI_FACTOR ? q->factor : q->matrix) + i * n;
        for (size_t j = 0; j < n; j++) {
            row += fabs(p[j]);
            row_squares += p[j] * p[j];
            at_origin += fabs(p[j]) * size_at(at, j);
            shifted += q->form == HCRI_FACTOR ? 0 : fabs(p[j]) * fabs(at->origin[j] - q->shift[j]);
        }
        rows = fmax(rows, row);
        squares += row_squares;
        energy += at_origin * (q->form == HCRI_FACTOR ? at_origin : size_at(at, i));
        summed +=
            q->form == HCRI_FACTOR ? fabs(dot(n, p, at->origin) - q->shift[i]) * sqrt(row_squares) : shifted * shifted;
    }
    *largest = q->form == HCRI_FACTOR ? sqrt(squares) : rows;
    *origin = sqrt(energy);
    *terms = q->form == HCRI_FACTOR ? summed + norm(n, q->linear) : sqrt(summed);
}

static double quadric_margin(const quadric *q, const surroundings *at, double error_at_origin) {
    const double n = (double)q->n, rank = (double)q->rank, rho = at->extent.radius, w = at->unit;
    double gradient[MOST], largest, origin, terms, extra = 0, on_gradient = 0;
    const double c = 0.5 * q->radius * q->radius - quadric_at(q, at->origin, gradient);
    const double slope = norm(q->n, gradient) * rho, energy = sqrt(2 * (c + slope));
    absolute_sizes(q, at, &largest, &origin, &terms);
    const double first = (n / 32 + 8) * u * slope + (n + 8) * u * terms * rho;
    const double second = q->form == HCRI_DIAGONAL ? (n / 32 + 8) * u * energy * energy
                          : q->form == HCRI_DENSE
                              ? (1.125 * n + 8) * u * largest * rho * rho
                              : (rank / 8 + 8) * u * energy * energy + 2 * n * u * energy * largest * rho;
    const double h = q->form == HCRI_DIAGONAL ? energy : q->form == HCRI_DENSE ? sqrt(largest) * rho : largest * rho;
    for (size_t j = 0; j < q->n; j++)
        on_gradient += fabs(gradient[j]) * size_at(at, j);
    const double change = 4 * w * (origin + h);
    if (at->extent.extra != NULL) {
        double squares = 0; /* bounds x'Px for |x_j| <= extra_j */
        for (size_t i = 0; i < (q->form == HCRI_FACTOR ? q->rank : q->n); i++) {
            double row = 0;
            for (size_t j = 0; j < q->n; j++)
                row += fabs((q->form == HCRI_FACTOR ? q->factor : q->matrix)[i * q->n + j]) * at->extra[j];
            squares += row * (q->form == HCRI_FACTOR ? row : at->extra[i]);
        }
        for (size_t j = 0; j < q->n; j++)
            extra += fabs(gradient[j]) * at->extra[j];
        extra += energy * sqrt(squares) + squares;
    }
    return 1.01 *
           (error_at_origin + first + second + 8 * u * (energy * energy + slope + c) + 4 * w * (on_gradient + slope) +
            energy * change + change * change + extra) /
           c;
}

static void test_quadratics(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 83);
    for (size_t number = 0; number < 96; number++) {
        const size_t n = 1 + number % 11;
        const hcri_form form = (hcri_form)(number / 8 % 3);
        surroundings at;
        quadric q;
        draw_surroundings(&at, n, number, &random);
        draw_quadric(&q, form, n, form == HCRI_FACTOR ? 1 + number % 7 : n, &random);
        double gradient[MOST];
        const double rest = quadric_at(&q, at.origin, gradient);
        const double c = 0.3 + hcri_random_uniform(&random);
        q.radius = sqrt(2 * fmax(rest, 0) + 2);
        q.constant += 0.5 * q.radius * q.radius - c - rest;
        const double least = form == HCRI_DENSE && number % 2 == 0 ? 1e-3 : 0;
        hcri_constraint *block = make_quadric(&q, least);
        place(block, &at);
        const double error = ((const hcri_quadratic *)block)->at_origin_error;
        assert_true(error >= 0 && error <= 1e-14 * (fabs(rest) + 10 * (double)(n * n)));
        assert_near(margin_of(block, &at), quadric_margin(&q, &at, error));

        double weakest = least, strongest = 0;
        for (size_t i = 0; i < n && form == HCRI_DIAGONAL; i++)
            weakest = i == 0 ? q.matrix[0] : fmin(weakest, q.matrix[i * n + i]);
        for (size_t i = 0; i < n && form != HCRI_FACTOR; i++) {
            double row = 0;
            for (size_t j = 0; j < n; j++)
                row += fabs(q.matrix[i * n + j]);
            strongest = fmax(strongest, row);
        }
        if (form == HCRI_FACTOR)
            strongest = dot(q.rank * n, q.factor, q.factor);
        const double slope = norm(n, gradient), radius = block->kind->radius(block);
        if (weakest > 0)
            assert_near(radius, (slope + sqrt(slope * slope + 2 * weakest * c)) / weakest);
        else
            assert_true(isinf(radius));
        const double inside = block->kind->inradius(block, scratch_for(block));
        assert_near(inside, 2 * c / (slope + sqrt(slope * slope + 2 * strongest * c)));
        hcri_block_release(block);
    }
}

static void test_cones(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 84);
    for (size_t number = 0; number < 96; number++) {
        const size_t n = 1 + number % 11, m = 1 + number / 3 % 13;
        surroundings at;
        draw_surroundings(&at, n, number, &random);
        hcri_rows rows = {0};
        double row[MOST], values[MOST], shift[MOST], linear[MOST] = {0};
        double at_origin = 0, reach = 0, extra = 0, squares = 0, most_terms = 0;
        double row_sum = 0, column_sums[MOST] = {0}, column_squares[MOST] = {0}, total = 0;
        uint32_t columns[MOST];
        int one_each = 1;
        for (size_t i = 0; i < m; i++) {
            /* a sixth of the matrices has one entry a row, for which the singular values are those of the columns */
            const size_t kept = number % 6 == 5 ? 1 : i % 2 == 0 || n < 4 ? n : 2;
            size_t count = draw_row(&random, n, kept, row, columns, values);
            if (number % 6 == 5) {
                memset(row, 0, sizeof row);
                columns[0] = (uint32_t)(i % n);
                row[i % n] = values[0];
                count = 1;
            }
            one_each &= count <= 1;
            double sum = 0;
            for (size_t j = 0; j < n; j++) {
                sum += fabs(row[j]);
                column_sums[j] += fabs(row[j]);
                column_squares[j] += row[j] * row[j];
                total += row[j] * row[j];
            }
            row_sum = fmax(row_sum, sum);
            assert_int_equal(hcri_rows_append(&rows, allocator, count, columns, values, NULL), HCR_OK);
            shift[i] = hcri_random_normal(&random);
            const double w0 = dot(n, row, at.origin) + shift[i];
            double sizes[3];
            sizes_of(&at, row, sizes, sizes + 1, sizes + 2);
            at_origin += sizes[0] * sizes[0];
            reach += sizes[1] * sizes[1];
            extra += sizes[2] * sizes[2];
            squares += w0 * w0;
            most_terms = fmax(most_terms, (double)count);
        }
        for (size_t j = 0; j < n; j++)
            linear[j] = number % 3 == 0 ? 0 : hcri_random_normal(&random);
        const double w0 = sqrt(squares), slack = 0.2 + hcri_random_uniform(&random), e0 = w0 + slack;
        hcri_constraint *block = NULL;
        assert_int_equal(
            hcri_cone_create(n, allocator, &rows, shift, linear, e0 - dot(n, linear, at.origin), &block, NULL), HCR_OK);
        hcri_rows_release(&rows, allocator);
        place(block, &at);
        const hcri_cone *cone = (const hcri_cone *)block;
        double right[3], column_sum = 0, least = INFINITY;
        for (size_t j = 0; j < n; j++) {
            column_sum = fmax(column_sum, column_sums[j]);
            least = fmin(least, column_squares[j]);
        }
        const double rounding = 1 + 0x1p-50 * (double)(n + m + 2);
        assert_true(fabs(cone->norm - rounding * sqrt(fmin(row_sum * column_sum, total))) <= 4 * u * cone->norm);
        assert_true(fabs(cone->least_norm - (one_each ? sqrt(least) / rounding : 0)) <= 4 * u * cone->least_norm);
        sizes_of(&at, linear, right, right + 1, right + 2);
        const double w = fmin(sqrt(reach), cone->norm * at.extent.radius), f = right[1];
        const double x = fmin(w, 2 * e0 + f), k = (double)n;
        const double error = 4 * u * e0 + u * (most_terms * w + (k / 32 + 8) * f) +
                             u * (((double)m / 8 + 64) * (x + f) + 16 * e0) +
                             4 * at.unit * (sqrt(at_origin) + w + right[0] + f) + sqrt(extra) + right[2];
        assert_near(cone->origin_error, 4 * u * e0);
        assert_near(margin_of(block, &at), 1.01 * error / slack);
        assert_near(block->kind->inradius(block, scratch_for(block)), slack / (cone->norm + norm(n, linear)));
        const double growth = cone->least_norm - norm(n, linear);
        if (growth > 1e-6)
            assert_near(block->kind->radius(block), 2 * e0 / growth);
        else if (growth < -1e-6)
            assert_true(isinf(block->kind->radius(block)));
        hcri_block_release(block);
    }
}

static void test_matrices(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 85);
    size_t kept = 0;
    for (size_t number = 0; number < 64; number++) {
        const size_t m = 1 + number % 5, n = number % 3 == 0 ? 20 : 1 + number % 4, entries = m * (m + 1) / 2;
        surroundings at;
        draw_surroundings(&at, n, number, &random);
        static double matrices[MOST * MOST * MOST];
        memset(matrices, 0, sizeof matrices);
        hcri_rows terms = {0};
        double constant[MOST * MOST], values[MOST], lower[MOST * MOST], inverse[MOST * MOST], f[MOST * MOST];
        uint32_t columns[MOST];
        for (size_t i = 0; i < m * m; i++)
            lower[i] = hcri_random_normal(&random);
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b <= a; b++) {
                double product = a == b ? 1 : 0;
                for (size_t k = 0; k < m; k++)
                    product += lower[a * m + k] * lower[b * m + k];
                f[a * m + b] = f[b * m + a] = constant[HCRI_PACKED(a, b)] = product;
                size_t count = 0;
                for (size_t j = 0; j < n; j++)
                    if (n < 20 || (a * 3 + b + j) % 10 == 0) {
                        columns[count] = (uint32_t)j;
                        values[count] = hcri_random_normal(&random);
                        matrices[(j * m + a) * m + b] = matrices[(j * m + b) * m + a] = values[count];
                        constant[HCRI_PACKED(a, b)] -= values[count++] * at.origin[j];
                    }
                assert_int_equal(hcri_rows_append(&terms, allocator, count, columns, values, NULL), HCR_OK);
            }
        assert_int_equal(terms.count, entries);
        hcri_constraint *block = NULL;
        assert_int_equal(hcri_lmi_create(n, allocator, m, constant, &terms, &block, NULL), HCR_OK);
        hcri_rows_release(&terms, allocator);
        place(block, &at);
        const hcri_lmi *lmi = (const hcri_lmi *)block;
        kept += lmi->panels != NULL;
        invert(m, f, lower, inverse);
        double norms[3];
        weigh(&at, m, matrices, inverse, lmi->panels != NULL, norms);
        double rows = 0, column[MOST] = {0}, column_sum = 0;
        for (size_t a = 0; a < m; a++) {
            double row = 0;
            for (size_t b = 0; b < m; b++)
                for (size_t j = 0; j < m; j++) {
                    row += fabs(inverse[a * m + j] * lower[j * m + b]);
                    column[b] += fabs(inverse[a * m + j] * lower[j * m + b]);
                }
            rows = fmax(rows, row);
        }
        for (size_t b = 0; b < m; b++)
            column_sum = fmax(column_sum, column[b]);
        assert_true(fabs(lmi->condition - 1.01 * sqrt(rows * column_sum)) <= 1e-10 * lmi->condition);
        const double k = (double)m, kappa = lmi->condition * lmi->condition, h = norms[1];
        const double error =
            u * ((k + 6) * kappa + (6 * k + 24) * kappa * h + ((double)n + 8) * h + (8 * k * k + 90 * k + 32) * h) +
            4 * at.unit * (norms[0] + h) + (at.extent.extra == NULL ? 0 : norms[2]);
        /* the factor comes from F(O), which is rounded: its inverse is off by that times the condition */
        const double found = margin_of(block, &at);
        assert_true(fabs(found - 1.01 * error) <= 1e-9 * found);
        hcri_block_release(block);
    }
    assert_true(kept > 8 && kept < 56);
}

/* An unbounded reach leaves a constraint without a margin unless a radius is known. */
static void test_endless(void **state) {
    (void)state;
    const double origin[1] = {0}, reach[1] = {INFINITY}, value = 1;
    const uint32_t column = 0;
    hcri_constraint *block = NULL;
    assert_int_equal(hcri_linear_create(1, allocator, &block, NULL), HCR_OK);
    assert_int_equal(hcri_linear_append((hcri_linear *)block, (hcri_row){1, &column, &value}, -INFINITY, 2,
                                        (hcri_source_row){0, 0}, NULL),
                     HCR_OK);
    assert_int_equal(block->kind->place(block, origin, NULL), HCR_OK);
    hcri_extent extent = {origin, reach, NULL, INFINITY, NULL, 0};
    assert_true(isinf(block->kind->margin(block, u, &extent, scratch_for(block))));
    extent.radius = 8;
    assert_near(block->kind->margin(block, u, &extent, scratch_for(block)), 1.01 * 13 * u * (8 + 0x1p-100) / 2);
    hcri_block_release(block);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),       cmocka_unit_test(test_boxes),
                                       cmocka_unit_test(test_quadratics), cmocka_unit_test(test_cones),
                                       cmocka_unit_test(test_matrices),   cmocka_unit_test(test_endless)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
