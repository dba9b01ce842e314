/* Margins of curved kinds where origins move with parameters, against docs/exactness.md worked out anew from full
 * matrices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "unit/kinds/moving_margins.h"

#include "kinds/cone/cone.h"
#include "kinds/lmi/lmi.h"
#include "kinds/quadratic/quadratic.h"
#include "scratch.h"

static void test_cones(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 94);
    for (size_t number = 0; number < 48; number++) {
        static moving_case c;
        moving_surroundings at;
        moving_matrix m;
        const size_t n = 3 + number % 5, p = 1 + number % 4, count = 1 + number % 9;
        double shift[MOST], linear[MOST], middle[MOST], at_origin = 0, reach = 0, extra = 0, terms = 0;
        double w0 = 0, spread = 0, error = 0;
        draw_case(&c, &random, n, p, number % 2 == 0 ? 1 : 0.5, 0, 2);
        boundedness(&at, &c, number, &random);
        draw_matrix(&m, count, n + p, &random);
        append_matrix(&m);
        for (size_t i = 0; i < count; i++) {
            double sizes[3];
            shift[i] = hcri_random_normal(&random);
            const range r = range_of(&at, m.value[i], NULL, shift[i]);
            sizes_of(&at.base, m.value[i], sizes, sizes + 1, sizes + 2);
            at_origin = hypot(at_origin, sizes[0]);
            reach = hypot(reach, sizes[1]);
            extra = hypot(extra, sizes[2]);
            w0 = hypot(w0, r.middle);
            spread = hypot(spread, r.spread);
            error = hypot(error, r.error);
            terms = fmax(terms, (double)count_of(n + p, m.value[i]));
        }
        for (size_t j = 0; j < n + p; j++)
            linear[j] = 0.1 * hcri_random_normal(&random);
        const range rest = range_of(&at, linear, NULL, 0);
        const double constant = w0 + spread + rest.spread - rest.middle + 0.1 + hcri_random_uniform(&random);
        const range right = range_of(&at, linear, NULL, constant);
        hcri_constraint *block = NULL;
        assert_int_equal(hcri_cone_create(n + p, memory, &m.rows, shift, linear, constant, &block, NULL), HCR_OK);
        middle_of(&at, middle);
        assert_int_equal(block->kind->place(block, middle, NULL), HCR_OK);
        assert_int_equal(block->kind->follow(block, &c.origin_map, NULL), HCR_OK);
        double f[3];
        sizes_of(&at.base, linear, f, f + 1, f + 2);
        const double e0 = right.middle + right.spread, k = (double)count, width = (double)(n + p);
        const double w = fmin(reach, ((const hcri_cone *)block)->norm * at.base.extent.radius);
        const double x = fmin(w, 2 * e0 + f[1]), slack = right.middle - right.spread - w0 - spread;
        const double origin = right.error + error + (k / 16 + 24) * u * e0;
        const double needed = origin + u * (terms * w + (width / 32 + 8) * f[1]) +
                              u * ((k / 8 + 64) * (x + f[1]) + 16 * e0) +
                              4 * at.base.unit * (at_origin + w + f[0] + f[1]) + extra + f[2];
        const double found = block->kind->margin(block, at.base.unit, &at.base.extent, scratch_for(block));
        assert_true(fabs(found - 1.01 * needed / slack) <= 1e-9 * found);
        hcri_block_release(block);
        hcri_rows_release(&m.rows, memory);
        release_case(&c);
    }
}

typedef struct moving_quadric {
    hcri_form form;
    moving_matrix m; /* P, or F */
    double shift[MOST], linear[MOST], constant;
} moving_quadric;

/* Q^½ at the middle and how much it changes, with the errors of ½Q and of the slope. */
typedef struct energy {
    double middle, spread, error, by_length, by_energy;
} energy;

static energy energy_of(const moving_surroundings *at, const moving_quadric *q) {
    const size_t n = at->n, count = q->m.count;
    const double rows = (double)count;
    double middle = 0, spread = 0, error = 0, gradient = 0, gradient_error = 0, slip = 0, point[MOST];
    middle_of(at, point);
    for (size_t i = 0; i < count; i++) {
        const range h = q->form == HCRI_FACTOR ? range_of(at, q->m.value[i], NULL, -q->shift[i])
                                               : range_of(at, q->m.value[i], q->shift, 0);
        const double most = fabs(h.middle) + h.spread;
        if (q->form == HCRI_FACTOR) {
            middle += h.middle * h.middle;
            spread += h.spread * h.spread;
            error += h.error * h.error;
            continue;
        }
        const double t = point[i] - q->shift[i];
        const double change = i < n ? weight_sum(at->p, at->k[i], at->distance) : at->distance[i - n];
        const double largest = fabs(t) + change;
        middle += t * h.middle + largest * h.error + (rows + 10) * u * largest * most;
        spread += change * h.spread;
        slip += i < n ? off(at, i) * h.error : 0;
        error += largest * (h.error + (rows / 32 + 10) * u * most);
        gradient += i < n ? most * most : 0;
        gradient_error += i < n ? h.error * h.error : 0;
    }
    middle = sqrt(middle);
    spread = sqrt(spread) + sqrt(slip);
    const double most = middle + spread;
    if (q->form == HCRI_FACTOR) {
        const double each = sqrt(error) + (rows / 32 + 8) * u * most;
        return (energy){middle, spread, most * each, 0, each};
    }
    return (energy){middle, spread, error + most * sqrt(slip),
                    sqrt(gradient_error) + ((double)n / 32 + 8) * u * sqrt(gradient), 0};
}

/* … of the quadratic with the level l; *slack is what is left at the worst origin. */
static double moving_quadric_error(const moving_surroundings *at, const moving_quadric *q, double *slack) {
    const size_t count = q->form == HCRI_FACTOR ? q->m.count : at->n;
    const double n = (double)at->n, rank = (double)q->m.count, rho = at->base.extent.radius, step = 4 * at->base.unit;
    const energy half = energy_of(at, q);
    const range level = range_of(at, q->linear, NULL, q->constant);
    double rows = 0, squares = 0, origin = 0;
    for (size_t i = 0; i < count; i++) {
        double row = 0;
        for (size_t j = 0; j < at->n; j++) {
            row += fabs(q->m.value[i][j]);
            squares += q->m.value[i][j] * q->m.value[i][j];
        }
        rows = fmax(rows, row);
        const double there = weight_sum(at->n, q->m.value[i], at->base.origin);
        origin += there * (q->form == HCRI_FACTOR ? there : at->base.origin[i]);
    }
    const double largest = q->form == HCRI_FACTOR ? sqrt(squares) : rows, t = half.middle + half.spread;
    const double longest = q->form == HCRI_FACTOR ? largest : sqrt(largest), b = level.spread - level.middle;
    *slack = -(0.5 * t * t + level.middle + level.spread);
    const double linear = norm(at->n, q->linear) * rho, z = t + sqrt(t * t + 2 * (b + linear)), slope = t * z + linear;
    double error = half.error + level.error + (n / 32 + 8) * u * linear + half.by_length * rho + half.by_energy * z;
    if (q->form == HCRI_DIAGONAL)
        error += (n / 32 + 8) * u * z * z;
    if (q->form == HCRI_DENSE)
        error += (1.125 * n + 8) * u * largest * rho * rho;
    if (q->form == HCRI_FACTOR)
        error += 2 * n * u * (t + z) * largest * rho + (rank / 8 + 8) * u * z * z;
    error += 8 * u * (z * z + slope + b + t * t);
    const double change = step * (sqrt(origin) + (q->form == HCRI_DIAGONAL ? z : longest * rho));
    error += step * (t * sqrt(origin) + weight_sum(at->n, q->linear, at->base.origin) + slope) + z * change +
             change * change;
    if (at->base.extent.extra != NULL) {
        const double extra = longest * norm(at->n, at->base.extra);
        error += weight_sum(at->n, q->linear, at->base.extra) + (t + z) * extra + 0.5 * extra * extra;
    }
    return error;
}

static hcri_constraint *make_quadric(moving_quadric *q, const double *middle, const hcri_origin_map *origin_map) {
    double flat[MOST_ENTRIES];
    const size_t width = q->m.width;
    for (size_t i = 0; i < width && q->form != HCRI_FACTOR; i++)
        for (size_t j = 0; j < width; j++)
            flat[q->form == HCRI_DIAGONAL ? i : i * width + j] = q->m.value[i][q->form == HCRI_DIAGONAL ? i : j];
    const hcri_quadratic_parts parts = {.form = q->form,
                                        .matrix = flat,
                                        .factor = &q->m.rows,
                                        .shift = q->shift,
                                        .linear = q->linear,
                                        .constant = q->constant,
                                        .radius = 0};
    hcri_constraint *block = NULL;
    assert_int_equal(hcri_quadratic_create(width, memory, &parts, &block, NULL), HCR_OK);
    assert_int_equal(block->kind->place(block, middle, NULL), HCR_OK);
    assert_int_equal(block->kind->follow(block, origin_map, NULL), HCR_OK);
    return block;
}

static void test_quadratics(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 95);
    for (size_t number = 0; number < 72; number++) {
        static moving_case c;
        static moving_quadric q;
        moving_surroundings at;
        moving_matrix f;
        const size_t n = 3 + number % 5, p = 1 + number % 4, width = n + p;
        double middle[MOST], slack;
        draw_case(&c, &random, n, p, number % 2 == 0 ? 1 : 0.5, 0, 2);
        boundedness(&at, &c, number, &random);
        memset(&q, 0, sizeof q);
        q.form = (hcri_form)(number / 8 % 3);
        draw_matrix(&f, q.form == HCRI_FACTOR ? 2 + number % 6 : width, width, &random);
        q.m = f;
        for (size_t i = 0; i < width; i++) {
            q.shift[i] = hcri_random_normal(&random);
            q.linear[i] = hcri_random_normal(&random);
            for (size_t j = 0; j < width && q.form != HCRI_FACTOR; j++) {
                q.m.value[i][j] = q.form == HCRI_DIAGONAL ? (i == j ? 0.2 + hcri_random_uniform(&random) : 0) : 0;
                for (size_t k = 0; k < width && q.form == HCRI_DENSE; k++)
                    q.m.value[i][j] += f.value[k][i] * f.value[k][j];
            }
        }
        append_matrix(&q.m);
        moving_quadric_error(&at, &q, &slack);
        q.constant = slack - 0.5 - hcri_random_uniform(&random);
        const double needed = moving_quadric_error(&at, &q, &slack);
        middle_of(&at, middle);
        hcri_constraint *block = make_quadric(&q, middle, &c.origin_map);
        const double found = block->kind->margin(block, at.base.unit, &at.base.extent, scratch_for(block));
        assert_true(fabs(found - 1.01 * needed / slack) <= 1e-8 * found);
        hcri_block_release(block);
        hcri_rows_release(&q.m.rows, memory);
        release_case(&c);
    }
}

/* The bound of |F⁻¹| for F = L L'. */
static double inverse_norm(size_t m, const double *inverse) {
    double rows = 0, columns = 0;
    for (size_t a = 0; a < m; a++) {
        double row = 0, column = 0;
        for (size_t b = 0; b < m; b++) {
            row += fabs(inverse[a * m + b]);
            column += fabs(inverse[b * m + a]);
        }
        rows = fmax(rows, row);
        columns = fmax(columns, column);
    }
    return 1.01 * fmin(dot(m * m, inverse, inverse), rows * columns);
}

static void test_matrices(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 96);
    for (size_t number = 0; number < 48; number++) {
        static moving_case c;
        moving_surroundings at;
        moving_matrix f;
        const size_t n = 3 + number % 5, p = 1 + number % 4, m = 1 + number % 4, entries = m * (m + 1) / 2;
        double constant[MOST], middle[MOST], centre[MOST_ENTRIES], lower[MOST_ENTRIES], inverse[MOST_ENTRIES];
        double spread[MOST_ENTRIES], sizes[MOST_ENTRIES], reduced[MOST_ENTRIES], error = 0, trace = 0;
        static double matrices[MOST * MOST_ENTRIES];
        draw_case(&c, &random, n, p, number % 2 == 0 ? 1 : 0.5, 0, 2);
        boundedness(&at, &c, number, &random);
        draw_matrix(&f, entries, n + p, &random);
        append_matrix(&f);
        memset(matrices, 0, sizeof matrices);
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b <= a; b++) {
                const size_t e = HCRI_PACKED(a, b);
                range r = range_of(&at, f.value[e], NULL, 0);
                const double target = a == b ? 200 + 20 * hcri_random_normal(&random) : hcri_random_normal(&random);
                constant[e] = target - r.middle;
                r = range_of(&at, f.value[e], NULL, constant[e]);
                centre[a * m + b] = centre[b * m + a] = r.middle;
                spread[a * m + b] = spread[b * m + a] = r.spread;
                error += (a == b ? 1 : 2) * r.error * r.error;
                trace += a == b ? r.middle + r.spread : 0;
                for (size_t j = 0; j < n + p; j++)
                    matrices[(j * m + a) * m + b] = matrices[(j * m + b) * m + a] = f.value[e][j];
            }
        hcri_constraint *block = NULL;
        assert_int_equal(hcri_lmi_create(n + p, memory, m, constant, &f.rows, &block, NULL), HCR_OK);
        middle_of(&at, middle);
        assert_int_equal(block->kind->place(block, middle, NULL), HCR_OK);
        assert_int_equal(block->kind->follow(block, &c.origin_map, NULL), HCR_OK);
        invert(m, centre, lower, inverse);
        for (size_t e = 0; e < m * m; e++)
            sizes[e] = fabs(inverse[e]);
        reduce(m, sizes, spread, reduced);
        double largest = 0, norms[3], summed[3];
        for (size_t a = 0; a < m; a++) {
            double row = 0;
            for (size_t b = 0; b < m; b++)
                row += reduced[a * m + b];
            largest = fmax(largest, row);
        }
        const double share = 1 - fmin(largest, norm(m * m, reduced)), of_inverse = inverse_norm(m, inverse) / share;
        const double condition = 1.01 * trace * of_inverse, k = (double)m;
        /* the norm of an entry's coefficients is that of all of them, though the parameters reach nowhere */
        surroundings all = at.base;
        all.n = n + p;
        memset(all.origin + n, 0, p * sizeof *all.origin);
        weigh(&all, m, matrices, inverse, ((const hcri_lmi *)block)->panels != NULL, norms);
        weigh(&all, m, matrices, inverse, 0, summed);
        const double moved = u * ((6 * k + 24) * condition * norms[1] + ((double)(n + p) + 8) * summed[1] +
                                  (8 * k * k + 90 * k + 32) * norms[1]) +
                             4 * at.base.unit * (norms[0] + norms[1]) + (at.base.extent.extra == NULL ? 0 : norms[2]);
        const double needed = u * (k + 6) * condition + 1.01 * sqrt(error) * of_inverse + moved / share;
        const double found = block->kind->margin(block, at.base.unit, &at.base.extent, scratch_for(block));
        assert_true(share > 0.1 && fabs(found - 1.01 * needed) <= 1e-9 * found);
        hcri_block_release(block);
        hcri_rows_release(&f.rows, memory);
        release_case(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cones), cmocka_unit_test(test_quadratics),
                                       cmocka_unit_test(test_matrices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
