#include "numeric/rational_program.h"

#include <gmp.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* b − A z >= 0 with z >= 0, as a dictionary: row i has b_i, then A_i. What of slacks and z is basic, and so a row,
 * changes with each pivot. Output j is z_j from its lower bound on, or, where it has none, z_j less z_(outputs + j). */
typedef struct program {
    size_t rows, columns; /* columns of A */
    mpq_t *entry;         /* rows × (1 + columns) */
    size_t *basic, *other;
} program;

static mpq_t *at(const program *p, size_t i, size_t k) { return &p->entry[i * (1 + p->columns) + k]; }

static double base_of(const hcri_set *set, size_t j) { return isinf(set->box->lower[j]) ? 0 : set->box->lower[j]; }

/* sign · (a·y + b·x) <= sign · limit. */
static void add_side(program *p, const hcri_set *set, hcri_row row, int sign, double limit, const double *x) {
    if (isinf(limit))
        return;
    mpq_t value, product;
    mpq_inits(value, product, NULL);
    const size_t i = p->rows++;
    mpq_set_d(*at(p, i, 0), limit);
    for (size_t k = 0; k < row.count; k++) {
        const size_t j = row.columns[k];
        mpq_set_d(value, row.values[k]);
        if (j < set->outputs)
            mpq_set(*at(p, i, 1 + j), value);
        if (j < set->outputs && isinf(set->box->lower[j]))
            mpq_neg(*at(p, i, 1 + set->outputs + j), value);
        mpq_set_d(product, j < set->outputs ? base_of(set, j) : x[j - set->outputs]);
        mpq_mul(product, product, value);
        mpq_sub(*at(p, i, 0), *at(p, i, 0), product);
    }
    for (size_t k = 0; sign < 0 && k <= p->columns; k++)
        mpq_neg(*at(p, i, k), *at(p, i, k));
    p->basic[i] = p->columns + i;
    mpq_clears(value, product, NULL);
}

static program program_of(const hcri_set *set, const double *x) {
    const size_t most = set->outputs + 2 * (set->linear->rows.count + set->equalities.rows.count);
    program p = {.columns = 2 * set->outputs};
    p.entry = calloc(most * (1 + p.columns), sizeof *p.entry);
    p.basic = calloc(most, sizeof *p.basic);
    p.other = calloc(p.columns, sizeof *p.other);
    assert_true(p.entry && p.basic && p.other);
    for (size_t k = 0; k < most * (1 + p.columns); k++)
        mpq_init(p.entry[k]);
    for (uint32_t j = 0; j < set->outputs; j++) {
        static const double one = 1;
        p.other[j] = j;
        p.other[set->outputs + j] = set->outputs + j;
        add_side(&p, set, (hcri_row){.count = 1, .columns = &j, .values = &one}, 1, set->box->upper[j], x);
    }
    for (size_t i = 0; i < set->linear->rows.count; i++) {
        add_side(&p, set, hcri_rows_row(&set->linear->rows, i), -1, set->linear->lower[i], x);
        add_side(&p, set, hcri_rows_row(&set->linear->rows, i), 1, set->linear->upper[i], x);
    }
    for (size_t e = 0; e < set->equalities.rows.count; e++)
        for (int sign = -1; sign <= 1; sign += 2)
            add_side(&p, set, hcri_rows_row(&set->equalities.rows, e), sign, set->equalities.right[e], x);
    for (size_t k = p.rows * (1 + p.columns); k < most * (1 + p.columns); k++)
        mpq_clear(p.entry[k]);
    return p;
}

static void release(program *p) {
    for (size_t k = 0; k < p->rows * (1 + p->columns); k++)
        mpq_clear(p->entry[k]);
    free(p->entry);
    free(p->basic);
    free(p->other);
}

/* Row i's variable changes places with column k's. */
static void pivot(program *p, size_t i, size_t k) {
    mpq_t by, product;
    mpq_inits(by, product, NULL);
    mpq_set(by, *at(p, i, 1 + k));
    mpq_set_ui(*at(p, i, 1 + k), 1, 1);
    for (size_t t = 0; t <= p->columns; t++)
        mpq_div(*at(p, i, t), *at(p, i, t), by);
    for (size_t r = 0; r < p->rows; r++) {
        if (r == i || mpq_sgn(*at(p, r, 1 + k)) == 0)
            continue;
        mpq_set(by, *at(p, r, 1 + k));
        mpq_set_ui(*at(p, r, 1 + k), 0, 1);
        for (size_t t = 0; t <= p->columns; t++) {
            mpq_mul(product, by, *at(p, i, t));
            mpq_sub(*at(p, r, t), *at(p, r, t), product);
        }
    }
    const size_t left = p->basic[i];
    p->basic[i] = p->other[k];
    p->other[k] = left;
    mpq_clears(by, product, NULL);
}

/* Of the variables below 0 the first one, and the first that can raise it: no basis comes twice (R. G. Bland, New
 * finite pivoting rules for the simplex method, 1977). */
int rational_program_has_point(const hcri_set *set, const double *x) {
    program p = program_of(set, x);
    for (;;) {
        size_t row = SIZE_MAX, column = SIZE_MAX;
        for (size_t i = 0; i < p.rows; i++)
            if (mpq_sgn(*at(&p, i, 0)) < 0 && (row == SIZE_MAX || p.basic[i] < p.basic[row]))
                row = i;
        for (size_t k = 0; row != SIZE_MAX && k < p.columns; k++)
            if (mpq_sgn(*at(&p, row, 1 + k)) < 0 && (column == SIZE_MAX || p.other[k] < p.other[column]))
                column = k;
        if (row == SIZE_MAX || column == SIZE_MAX) {
            release(&p);
            return row == SIZE_MAX;
        }
        pivot(&p, row, column);
    }
}
