#include "origin/parametric/robust_origin.h"

#include <math.h>
#include <string.h>

#include "origin/equalities/reduction.h"
#include "solvers/linear_program.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* Coefficients up to which the simplex method takes a tenth of a second, and an interior-point method three seconds, on
 * one core: measured with dense rows, which are the slowest. */
static const double few_entries = 3e3, most_entries = 2e4;

/* The columns are z, the free outputs around the point; the moves, in the order of the pattern; δ; and pairs p, q >= 0,
 * a row's p − q being what it moves by with one parameter. All are lengths in units of the radius. */
struct hcri_robust {
    const hcri_set *free;
    const hcri_reduction *reduction;
    const hcri_sweep *sweep;
    const hcri_rows *pattern;
    size_t columns, outputs, parameters; /* of the set; of `free` */
    size_t moves, room;                  /* the first move's column and δ's */
    double radius, entries;
    double *z;              /* the point's free columns */
    double *row, *gradient; /* scratch: a number a column of `free`, of the set */
    uint32_t *column;       /* a row being made */
    double *value;
    size_t terms;
    hcri_program program;
    hcri_lp *lp;
    double *objective;
};

void hcri_robust_free(hcri_robust *robust) {
    if (robust == NULL)
        return;
    hcri_lp_free(robust->lp);
    hcri_program_release(&robust->program);
    void *owned[] = {robust->z,         robust->row, robust->gradient, robust->column, robust->value,
                     robust->objective, robust};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        hcri_release(memory, owned[i]);
}

static void put(hcri_robust *at, size_t column, double value) {
    at->column[at->terms] = (uint32_t)column;
    at->value[at->terms++] = value;
}

/* ------------------------------------------------------------------------------------------------- bounds and rows */

static size_t rows_of(const hcri_robust *at) { return at->outputs + at->free->linear->rows.count; }

/* Bound or row i of the free set in at->row; *lower and *upper: how far its sides are from the point. */
static void take_row(hcri_robust *at, size_t i, double *lower, double *upper) {
    const hcri_set *free = at->free;
    memset(at->row, 0, free->n * sizeof *at->row);
    if (i < at->outputs) {
        at->row[i] = 1;
        *lower = free->box->lower[i] - at->z[i];
        *upper = free->box->upper[i] - at->z[i];
        return;
    }
    const hcri_linear *linear = free->linear;
    const size_t r = i - at->outputs;
    for (size_t k = linear->rows.start[r]; k < linear->rows.start[r + 1]; k++)
        at->row[linear->rows.columns[k]] = linear->rows.values[k];
    *lower = isinf(linear->lower[r]) ? -INFINITY : -hcri_rows_dot_minus(&linear->rows, r, at->z, linear->lower[r]);
    *upper = isinf(linear->upper[r]) ? INFINITY : -hcri_rows_dot_minus(&linear->rows, r, at->z, linear->upper[r]);
}

/* The length within the equalities of the outputs' part of at->row. */
static double length_of_row(hcri_robust *at) {
    memcpy(at->value, at->row, at->outputs * sizeof *at->value);
    memset(at->value + at->outputs, 0, at->parameters * sizeof *at->value);
    return hcri_gradient_length(at->free, at->value);
}

/* The moves that at->row knows of with parameter l, divided by `length`, as the row being made. */
static void put_moves(hcri_robust *at, size_t l, double length) {
    for (size_t k = at->pattern->start[l]; k < at->pattern->start[l + 1]; k++)
        if (at->row[at->pattern->columns[k]] != 0)
            put(at, at->moves + k, at->row[at->pattern->columns[k]] / length);
}

/* How many pairs the program has, and about how many coefficients. */
static double measure(hcri_robust *at, size_t *pairs) {
    double entries = 0, lower, upper;
    *pairs = 0;
    for (size_t i = 0; i < rows_of(at) && entries <= most_entries; i++) {
        take_row(at, i, &lower, &upper);
        for (size_t l = 0; l < at->parameters && !(isinf(lower) && isinf(upper)); l++) {
            at->terms = 0;
            put_moves(at, l, 1);
            *pairs += at->terms != 0;
            entries += at->terms == 0 ? 0 : (double)at->terms + 6;
        }
        for (size_t j = 0; j < at->outputs; j++)
            entries += at->row[j] != 0;
    }
    return entries;
}

/* ±a·z + Σ (p + q) + δ <= slack for the sides of at->row. */
static hcr_status add_side(hcri_robust *at, double sign, double slack, double length, size_t first, size_t end,
                           hcr_error *error) {
    at->terms = 0;
    if (isinf(slack))
        return HCR_OK;
    for (size_t j = 0; j < at->outputs; j++)
        if (at->row[j] != 0)
            put(at, j, sign * at->row[j] / length);
    put(at, at->room, 1);
    for (size_t c = first; c < end; c++)
        put(at, c, 1);
    return hcri_program_add_row(&at->program, at->terms, at->column, at->value, -INFINITY, slack, error);
}

static hcr_status add_row(hcri_robust *at, size_t i, size_t *next, hcr_error *error) {
    double lower, upper, unmoved = 0; /* what no move has a say in */
    take_row(at, i, &lower, &upper);
    const double length = length_of_row(at), unit = length * at->radius;
    const size_t first = *next;
    if ((isinf(lower) && isinf(upper)) || !(length > 0))
        return HCR_OK;
    for (size_t l = 0; l < at->parameters; l++) {
        const double fixed = at->row[at->outputs + l] * at->sweep->half[l] / unit;
        at->terms = 0;
        put_moves(at, l, length);
        if (at->terms == 0) {
            unmoved += fabs(fixed);
            continue;
        }
        for (int side = 0; side < 2; side++) {
            at->program.lower[*next] = 0;
            put(at, (*next)++, side == 0 ? -1 : 1);
        }
        HCRI_TRY(hcri_program_add_row(&at->program, at->terms, at->column, at->value, -fixed, -fixed, error));
    }
    HCRI_TRY(add_side(at, 1, upper / unit - unmoved, length, first, *next, error));
    return add_side(at, -1, -lower / unit - unmoved, length, first, *next, error);
}

/* ---------------------------------------------------------------------------------------------------------- public */

static hcr_status prepare(hcri_robust *at, const double *point, hcr_error *error) {
    const size_t n = at->free->n, moves = at->pattern->start[at->parameters];
    const size_t longest = at->outputs + moves + 2 * at->parameters + 3;
    at->moves = at->outputs;
    at->room = at->moves + moves;
    at->z = hcri_allocate(memory, n, sizeof(double));
    at->row = hcri_allocate(memory, n, sizeof(double));
    at->gradient = hcri_allocate(memory, at->columns, sizeof(double));
    at->column = hcri_allocate(memory, longest, sizeof(uint32_t));
    at->value = hcri_allocate(memory, longest, sizeof(double));
    if (at->z == NULL || at->row == NULL || at->gradient == NULL || at->column == NULL || at->value == NULL)
        return hcri_fail_memory(error);
    for (size_t j = 0; j < n; j++)
        at->z[j] = point[at->reduction == NULL ? j : at->reduction->free[j]];
    return HCR_OK;
}

static hcr_status build(hcri_robust *at, size_t pairs, hcr_error *error) {
    const size_t columns = at->room + 1 + 2 * pairs;
    at->objective = hcri_allocate(memory, columns, sizeof(double));
    if (at->objective == NULL)
        return hcri_fail_memory(error);
    HCRI_TRY(hcri_program_create(&at->program, columns, error));
    at->program.upper[at->room] = 1; /* no ball at the middle of the range is larger */
    at->objective[at->room] = 1;
    size_t next = at->room + 1;
    for (size_t i = 0; i < rows_of(at); i++)
        HCRI_TRY(add_row(at, i, &next, error));
    return hcri_lp_create(&at->program, &at->lp, error);
}

hcr_status hcri_robust_create(const hcri_lifted *lifted, const hcri_sweep *sweep, const hcri_rows *pattern,
                              const double *point, double radius, hcri_robust **robust, hcr_error *error) {
    const hcri_set *free = lifted->free;
    *robust = NULL;
    hcri_robust *made = hcri_allocate(memory, 1, sizeof *made);
    if (made == NULL)
        return hcri_fail_memory(error);
    *made = (hcri_robust){.free = free,
                          .reduction = free->reduction,
                          .sweep = sweep,
                          .pattern = pattern,
                          .columns = lifted->set->n,
                          .outputs = free->outputs,
                          .parameters = free->n - free->outputs,
                          .radius = radius};
    size_t pairs = 0;
    int fits = 0;
    hcr_status status = prepare(made, point, error);
    if (status == HCR_OK) {
        made->entries = measure(made, &pairs);
        fits = made->entries <= most_entries;
        status = fits ? build(made, pairs, error) : HCR_OK;
    }
    if (status != HCR_OK || !fits)
        hcri_robust_free(made);
    else
        *robust = made;
    return status;
}

hcr_status hcri_robust_add(hcri_robust *robust, const hcri_constraint *block, size_t i, const double *point,
                           const double *at, hcr_error *error) {
    const hcri_reduction *reduction = robust->reduction;
    const double c = block->kind->value(block, i, point, NULL, block->scratch);
    memset(robust->gradient, 0, robust->columns * sizeof *robust->gradient);
    block->kind->add_gradient(block, i, point, 1, robust->gradient, block->scratch);
    if (reduction == NULL)
        memcpy(robust->row, robust->gradient, robust->free->n * sizeof *robust->row);
    else
        hcri_reduction_pull(reduction, robust->gradient, robust->row);
    const double length = length_of_row(robust);
    if (!isfinite(c) || !(length > 0) || isinf(length))
        return HCR_OK;
    double slack = -c;
    robust->terms = 0;
    for (size_t j = 0; j < robust->outputs; j++) {
        const double g = robust->row[j];
        if (g == 0)
            continue;
        slack -= g * (robust->z[j] - point[reduction == NULL ? j : reduction->free[j]]);
        put(robust, j, g / length);
    }
    for (size_t l = 0; l < robust->parameters; l++)
        if (at[l] != 0)
            put_moves(robust, l, length / at[l]);
    put(robust, robust->room, 1);
    return hcri_lp_add_row(robust->lp, robust->terms, robust->column, robust->value, -INFINITY,
                           slack / length / robust->radius, error);
}

int hcri_robust_solve(hcri_robust *robust, double *moves, double *y, double *room) {
    hcri_lp_outcome outcome;
    const hcr_status status = (robust->entries <= few_entries ? hcri_lp_maximise : hcri_lp_maximise_inside)(
        robust->lp, robust->objective, &outcome, NULL);
    if (status != HCR_OK || outcome != HCRI_LP_OPTIMAL)
        return 0;
    const double *found = hcri_lp_solution(robust->lp);
    for (size_t k = robust->moves; k < robust->room; k++)
        moves[k - robust->moves] = found[k] * robust->radius;
    for (size_t j = 0; j < robust->outputs; j++)
        y[j] = robust->z[j] + found[j] * robust->radius;
    *room = found[robust->room] * robust->radius;
    return 1;
}
