#include "origin/parametric/robust_counterpart.h"

#include <math.h>
#include <string.h>

#include "base/double_double.h"
#include "kinds/block.h"
#include "kinds/callback/callback.h"
#include "origin/equalities/reduction.h"
#include "origin/origin_problem.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

void hcri_counterpart_release(hcri_counterpart *counterpart) {
    for (size_t k = 0; k < counterpart->worsts; k++)
        hcri_worst_free(counterpart->worst[k]);
    hcri_release(memory, counterpart->worst);
    hcri_set_release(&counterpart->set);
    hcri_sweep_release(&counterpart->sweep);
    *counterpart = (hcri_counterpart){0};
}

/* What is being made. */
typedef struct maker {
    hcri_counterpart *to;
    const hcri_set *from;
    const hcri_rows *map; /* NULL: one slice */
    double *change;       /* a parameter each: scratch, zeros */
} maker;

/* A row of the set at the middle of the range, and what it moves by over the range. */
typedef struct swept {
    size_t count;  /* entries that are outputs': they come first */
    hcri_dd fixed; /* what the middle adds to a·y */
    double moves;
} swept;

static swept sweep_row(const maker *at, hcri_row from) {
    const hcri_sweep *sweep = &at->to->sweep;
    const size_t outputs = sweep->outputs, parameters = sweep->n - outputs;
    swept row = {0};
    for (size_t k = 0; k < from.count; k++) {
        const size_t j = from.columns[k];
        if (j >= outputs) {
            row.fixed = hcri_dd_add_product(row.fixed, from.values[k], sweep->middle[j - outputs]);
            at->change[j - outputs] += from.values[k];
            continue;
        }
        row.count++;
        if (at->map != NULL)
            hcri_rows_add(at->map, j, from.values[k], at->change);
    }
    for (size_t l = 0; l < parameters; l++) {
        row.moves += at->map == NULL ? 0 : fabs(at->change[l]) * sweep->half[l];
        at->change[l] = 0;
    }
    return row;
}

/* The sides of the row in the counterpart. EMPTY when they cross or meet, which those of the set don't. */
static hcr_status take_sides(const swept *row, double *lower, double *upper, hcr_error *error) {
    const double fixed = hcri_dd_value(row->fixed);
    *upper = *upper - fixed - row->moves;
    *lower = *lower - fixed + row->moves;
    return *lower < *upper ? HCR_OK
                           : hcri_fail(error, HCR_ERROR_EMPTY, "no origin stays inside between the sides of a row");
}

/* ------------------------------------------------------------------------------------------------- bounds and rows */

/* marked[number/2] = 1 for bounds and rows that the equalities leave without free outputs. */
static void mark_idle(const hcri_set *free, unsigned char *marked) {
    for (size_t i = 0; free->reduction != NULL && i < free->linear->rows.count; i++)
        if (free->linear->rows.columns[free->linear->rows.start[i]] >= free->outputs)
            marked[free->reduction->row_of[i] / 2] = 1;
}

static hcr_status add_bounds(const maker *at, const unsigned char *idle, hcr_error *error) {
    static const double one = 1;
    const hcri_box *from = at->from->box;
    const hcri_constraint *base = &from->base;
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_box_create(at->from->outputs, memory, &made, error));
    hcri_box *box = (hcri_box *)made;
    HCRI_TRY(hcri_set_add_block(&at->to->set, made, error));
    for (uint32_t j = 0; j < at->from->outputs; j++) {
        double lower = from->lower[j], upper = from->upper[j];
        if (idle[(base->first + 2 * (size_t)j) / 2] || (isinf(lower) && isinf(upper)))
            continue;
        const swept row = sweep_row(at, (hcri_row){1, &j, &one});
        HCRI_TRY(take_sides(&row, &lower, &upper, error));
        hcri_box_narrow_upper(box, j, upper, base->source[2 * j], base->source_row[2 * j]);
        hcri_box_narrow_lower(box, j, lower, base->source[2 * j + 1], base->source_row[2 * j + 1]);
    }
    return HCR_OK;
}

static hcr_status add_rows(const maker *at, const unsigned char *idle, hcr_error *error) {
    const hcri_linear *from = at->from->linear;
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_linear_create(at->from->outputs, memory, &made, error));
    HCRI_TRY(hcri_set_add_block(&at->to->set, made, error));
    hcri_linear *to = at->to->set.linear;
    for (size_t i = 0; i < from->rows.count; i++) {
        hcri_row made_of = hcri_rows_row(&from->rows, i);
        double lower = from->lower[i], upper = from->upper[i];
        const swept row = sweep_row(at, made_of);
        if (row.count == 0 || idle[(from->base.first + 2 * i) / 2] || (isinf(lower) && isinf(upper)))
            continue;
        HCRI_TRY(take_sides(&row, &lower, &upper, error));
        made_of.count = row.count;
        HCRI_TRY(hcri_linear_append(to, made_of, lower, upper, hcri_block_source(&from->base, 2 * i), error));
        hcri_block_set_source(&to->base, to->base.count - 1, hcri_block_source(&from->base, 2 * i + 1));
    }
    return HCR_OK;
}

static hcr_status add_equalities(const maker *at, hcr_error *error) {
    const hcri_equalities *from = &at->from->equalities;
    for (size_t e = 0; e < from->rows.count; e++) {
        const hcri_row made_of = hcri_rows_row(&from->rows, e);
        const swept row = sweep_row(at, made_of);
        const double right = hcri_dd_value(hcri_dd_add(row.fixed, -from->right[e]));
        HCRI_TRY(hcri_set_add_equality(&at->to->set, (hcri_row){row.count, made_of.columns, made_of.values}, -right,
                                       hcri_equality_source(from, e), error));
    }
    return HCR_OK;
}

/* --------------------------------------------------------------------------------------------------- other kinds */

static double worst_value(void *context, size_t n, const double *y, double *rounding) {
    (void)n;
    if (rounding != NULL)
        *rounding = 0;
    return hcri_worst_value(context, y);
}

static void worst_gradient(void *context, size_t n, const double *y, double *gradient) {
    (void)n;
    hcri_worst_gradient(context, y, gradient);
}

static hcr_status add_worst(const maker *at, const hcri_constraint *block, size_t i, hcr_error *error) {
    hcri_counterpart *to = at->to;
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_worst_create(&to->sweep, block, i, &to->worst[to->worsts], error));
    const hcr_callback function = {.name = block->kind->name,
                                   .context = to->worst[to->worsts++],
                                   .convex = 1,
                                   .value = worst_value,
                                   .gradient = worst_gradient};
    HCRI_TRY(hcri_callback_create(at->from->outputs, memory, &function, HCRI_NEWTON, &made, error));
    made->source[0] = block->source[i];
    made->source_row[0] = block->source_row[i];
    return hcri_set_add_block(&to->set, made, error);
}

/* A varying row in a slice is a row: c(0) + ∇c·y <= 0. */
static hcr_status add_varying(const maker *at, const hcri_constraint *block, size_t i, hcr_error *error) {
    const size_t n = at->from->n, outputs = at->from->outputs;
    HCRI_SCOPED double *point = hcri_allocate(memory, 2 * n + outputs, sizeof *point);
    HCRI_SCOPED uint32_t *columns = hcri_allocate(memory, outputs, sizeof *columns);
    HCRI_ALLOCATED(point && columns);
    double *gradient = point + n, *values = gradient + n;
    memcpy(point + outputs, at->to->sweep.middle, (n - outputs) * sizeof *point);
    block->kind->add_gradient(block, i, point, 1, gradient, block->scratch);
    size_t count = 0;
    for (uint32_t j = 0; j < outputs; j++)
        if (gradient[j] != 0) {
            columns[count] = j;
            values[count++] = gradient[j];
        }
    const double constant = block->kind->value(block, i, point, NULL, block->scratch);
    if (count != 0)
        HCRI_TRY(hcri_linear_append(at->to->set.linear, (hcri_row){count, columns, values}, -INFINITY, -constant,
                                    hcri_block_source(block, i), error));
    return HCR_OK;
}

/* (y, x) = constant + T y with x in the middle. */
static hcr_status fix_parameters(const maker *at, const hcr_allocator *scratch, hcri_substitution *fixed,
                                 hcr_error *error) {
    static const double one = 1;
    const size_t n = at->from->n, outputs = at->from->outputs;
    double *constant = hcri_allocate(scratch, n, sizeof *constant);
    HCRI_ALLOCATED(constant);
    *fixed = (hcri_substitution){.coordinates = outputs, .constant = constant};
    memcpy(constant + outputs, at->to->sweep.middle, (n - outputs) * sizeof *constant);
    for (uint32_t j = 0; j < n; j++)
        HCRI_TRY(hcri_rows_append(&fixed->map, scratch, j < outputs, &j, &one, error));
    return HCR_OK;
}

static hcr_status add_at_middle(const maker *at, const hcri_constraint *block, const hcri_substitution *fixed,
                                hcr_error *error) {
    hcri_constraint *made = NULL;
    HCRI_TRY(block->kind->substitute(block, fixed, &made, error));
    return made == NULL ? HCR_OK : hcri_set_add_block(&at->to->set, made, error);
}

static hcr_status add_others(const maker *at, hcr_error *error) {
    HCRI_SCRATCH(scratch, memory);
    hcri_substitution fixed;
    size_t inequalities = 0;
    for (size_t b = 2; b < at->from->blocks; b++)
        inequalities += at->from->block[b]->count;
    at->to->worst = hcri_allocate(memory, inequalities, sizeof(hcri_worst *));
    HCRI_ALLOCATED(at->to->worst);
    HCRI_TRY(fix_parameters(at, scratch, &fixed, error));
    for (size_t b = 2; b < at->from->blocks; b++) {
        const hcri_constraint *block = at->from->block[b];
        if (at->map == NULL && block->kind->row_at == NULL) {
            HCRI_TRY(add_at_middle(at, block, &fixed, error));
            continue;
        }
        for (size_t i = 0; i < block->count; i++)
            if (block->kind->exists(block, i))
                HCRI_TRY((at->map == NULL ? add_varying : add_worst)(at, block, i, error));
    }
    return HCR_OK;
}

/* ---------------------------------------------------------------------------------------------------------- public */

static hcr_status make(maker *at, const hcri_set *free, hcr_error *error) {
    hcri_set *set = &at->to->set;
    HCRI_SCOPED unsigned char *idle = hcri_allocate(memory, at->from->n + at->from->linear->rows.count, 1);
    HCRI_SCOPED double *change = hcri_allocate(memory, at->from->n - at->from->outputs, sizeof *change);
    HCRI_ALLOCATED(idle && change);
    at->change = change;
    mark_idle(free, idle);
    HCRI_TRY(hcri_set_add_outputs_of(set, at->from, error));
    HCRI_TRY(hcri_set_add_places_of(set, at->from, error));
    HCRI_TRY(add_bounds(at, idle, error));
    HCRI_TRY(add_rows(at, idle, error));
    HCRI_TRY(add_equalities(at, error));
    HCRI_TRY(add_others(at, error));
    return hcri_set_number(set, error);
}

hcr_status hcri_counterpart_make(const hcri_lifted *lifted, const hcri_rows *map, const double *x,
                                 hcri_counterpart *counterpart, hcr_error *error) {
    *counterpart = (hcri_counterpart){.lifted = lifted, .set.allocator = *memory};
    maker at = {.to = counterpart, .from = lifted->set, .map = map};
    hcr_status status = hcri_sweep_create(lifted->set, map, &counterpart->sweep, error);
    for (size_t l = 0; status == HCR_OK && x != NULL && l < at.from->n - at.from->outputs; l++)
        counterpart->sweep.middle[l] = x[l];
    if (status == HCR_OK)
        status = make(&at, lifted->free, error);
    if (status != HCR_OK)
        hcri_counterpart_release(counterpart);
    return status;
}

hcr_status hcri_counterpart_centre(const hcri_counterpart *counterpart, double *centre, double *radius,
                                   hcr_error *error) {
    const hcri_lifted *lifted = counterpart->lifted;
    return hcri_analysis_centre(&counterpart->set, lifted->unbounded_allowed, lifted->lower, lifted->upper, centre,
                                radius, error);
}
