#include "origin/parametric/robust_origin.h"

#include <math.h>
#include <string.h>

#include "origin/equalities/reduction.h"
#include "solvers/linear_program.h"
#include "solvers/stop_request.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* Coefficients up to which the simplex method takes a tenth of a second, and an interior-point method three seconds, on
 * one core: measured with dense rows, which are the slowest. */
static const double few_entries = 3e3, most_entries = 2e4;

/* The columns are z, the free outputs around the point; the moves, in the order of the pattern; δ; and pairs p, q >= 0,
 * a row's p − q being what it moves by with one parameter. All are lengths in units of the radius. */
typedef struct robust {
    const hcri_set *free;
    const hcri_sweep *sweep;
    const hcri_rows *pattern;
    size_t outputs, parameters; /* of `free` */
    size_t moves, room;         /* the first move's column and δ's */
    double radius;
    double *z;        /* the point's free columns */
    double *row;      /* scratch, a number a column of `free` */
    uint32_t *column; /* a row being made */
    double *value;
    size_t terms;
    hcri_program program;
} robust;

static void release(robust *at) { hcri_program_release(&at->program); }

static hcri_row row_made(const robust *at) { return (hcri_row){at->terms, at->column, at->value}; }

static void put(robust *at, size_t column, double value) {
    at->column[at->terms] = (uint32_t)column;
    at->value[at->terms++] = value;
}

/* ------------------------------------------------------------------------------------------------- bounds and rows */

static size_t rows_of(const robust *at) { return at->outputs + at->free->linear->rows.count; }

/* Bound or row i of the free set in at->row; *below and *above: how far its sides are from the point. */
static void take_row(robust *at, size_t i, double *below, double *above) {
    const hcri_set *free = at->free;
    memset(at->row, 0, free->n * sizeof *at->row);
    if (i < at->outputs) {
        at->row[i] = 1;
    } else {
        const hcri_row row = hcri_rows_row(&free->linear->rows, i - at->outputs);
        for (size_t k = 0; k < row.count; k++)
            at->row[row.columns[k]] = row.values[k];
    }
    hcri_side_distances(free, i < at->outputs ? i : i - at->outputs + free->n, at->z, below, above);
}

/* The length within the equalities of the outputs' part of at->row. */
static double length_of_row(robust *at) {
    memcpy(at->value, at->row, at->outputs * sizeof *at->value);
    memset(at->value + at->outputs, 0, at->parameters * sizeof *at->value);
    return hcri_gradient_length(at->free, at->value);
}

/* The moves that at->row knows of with parameter l, divided by `length`, as the row being made. */
static void put_moves(robust *at, size_t l, double length) {
    for (size_t k = at->pattern->start[l]; k < at->pattern->start[l + 1]; k++)
        if (at->row[at->pattern->columns[k]] != 0)
            put(at, at->moves + k, at->row[at->pattern->columns[k]] / length);
}

/* How many pairs the program has, and about how many coefficients. */
static double measure(robust *at, size_t *pairs) {
    double entries = 0, below, above;
    *pairs = 0;
    for (size_t i = 0; i < rows_of(at) && entries <= most_entries; i++) {
        take_row(at, i, &below, &above);
        for (size_t l = 0; l < at->parameters && !(isinf(below) && isinf(above)); l++) {
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
static hcr_status add_side(robust *at, double sign, double slack, double length, size_t first, size_t end,
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
    return hcri_program_add_row(&at->program, row_made(at), -INFINITY, slack, error);
}

static hcr_status add_row(robust *at, size_t i, size_t *next, hcr_error *error) {
    double below, above, unmoved = 0; /* what no move has a say in */
    take_row(at, i, &below, &above);
    const double length = length_of_row(at), unit = length * at->radius;
    const size_t first = *next;
    if ((isinf(below) && isinf(above)) || !(length > 0))
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
        HCRI_TRY(hcri_program_add_row(&at->program, row_made(at), -fixed, -fixed, error));
    }
    HCRI_TRY(add_side(at, 1, above / unit - unmoved, length, first, *next, error));
    return add_side(at, -1, below / unit - unmoved, length, first, *next, error);
}

/* --------------------------------------------------------------------------------------------------- the program */

static hcr_status prepare(robust *at, const double *point, const hcr_allocator *scratch, hcr_error *error) {
    const hcri_reduction *reduction = at->free->reduction;
    const size_t n = at->free->n, moves = at->pattern->start[at->parameters];
    const size_t longest = at->outputs + moves + 2 * at->parameters + 3;
    at->moves = at->outputs;
    at->room = at->moves + moves;
    at->z = hcri_allocate(scratch, n, sizeof(double));
    at->row = hcri_allocate(scratch, n, sizeof(double));
    at->column = hcri_allocate(scratch, longest, sizeof(uint32_t));
    at->value = hcri_allocate(scratch, longest, sizeof(double));
    HCRI_ALLOCATED(at->z && at->row && at->column && at->value);
    for (size_t j = 0; j < n; j++)
        at->z[j] = point[reduction == NULL ? j : reduction->free[j]];
    return HCR_OK;
}

static hcr_status solve(robust *at, size_t pairs, int is_small, double *moves, double *room, hcr_error *error) {
    const size_t columns = at->room + 1 + 2 * pairs;
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *lp = NULL;
    HCRI_SCOPED double *objective = hcri_allocate(memory, columns, sizeof *objective);
    HCRI_ALLOCATED(objective);
    HCRI_TRY(hcri_program_create(&at->program, columns, error));
    at->program.upper[at->room] = 1; /* no ball at the middle of the range is larger */
    objective[at->room] = 1;
    size_t next = at->room + 1;
    for (size_t i = 0; i < rows_of(at); i++)
        HCRI_TRY(add_row(at, i, &next, error));
    HCRI_TRY(hcri_lp_create(&at->program, &lp, error));
    hcri_lp_outcome outcome;
    const hcr_status status = (is_small ? hcri_lp_maximise : hcri_lp_maximise_inside)(lp, objective, &outcome, error);
    if (hcri_is_final(status))
        return status;
    if (status != HCR_OK || outcome != HCRI_LP_OPTIMAL)
        return HCR_OK;
    const double *found = hcri_lp_solution(lp);
    for (size_t k = at->moves; k < at->room; k++)
        moves[k - at->moves] = found[k] * at->radius;
    *room = found[at->room] * at->radius;
    return HCR_OK;
}

hcr_status hcri_robust_find(const hcri_lifted *lifted, const hcri_sweep *sweep, const double *point, double radius,
                            hcri_rows *moves, double *room, hcr_error *error) {
    const hcri_set *free = lifted->free;
    HCRI_SCRATCH(scratch, memory);
    HCRI_SCOPED_BY(release)
    robust at = {.free = free,
                 .sweep = sweep,
                 .pattern = moves,
                 .outputs = free->outputs,
                 .parameters = free->n - free->outputs,
                 .radius = radius};
    size_t pairs;
    *room = -INFINITY;
    HCRI_TRY(prepare(&at, point, scratch, error));
    const double entries = measure(&at, &pairs);
    return entries > most_entries ? HCR_OK : solve(&at, pairs, entries <= few_entries, moves->values, room, error);
}
