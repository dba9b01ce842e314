#include "origin/local_program.h"

#include <math.h>
#include <stdlib.h>

#include "origin/equalities/reduction.h"

/* Walks over the sides; row j < n is the bound of y_j. */
typedef struct side {
    size_t row;
    int upper;
    uint32_t number;
} side;

static int next_side(const hcri_set *set, side *at) {
    for (;;) {
        if (at->upper) {
            at->upper = 0;
        } else {
            at->row++;
            at->upper = 1;
        }
        if (at->row >= set->n + set->linear->rows.count)
            return 0;
        const hcri_constraint *block = at->row < set->n ? &set->box->base : &set->linear->base;
        const size_t i = 2 * (at->row < set->n ? at->row : at->row - set->n) + (at->upper ? 0 : 1);
        at->number = block->first + (uint32_t)i;
        if (block->kind->exists(block, i))
            return 1;
    }
}

static const side before_first = {SIZE_MAX, 0, 0};

size_t hcri_local_sides(const hcri_set *set) {
    size_t count = 0;
    for (side at = before_first; next_side(set, &at);)
        count++;
    return count;
}

void hcri_local_side_numbers(const hcri_set *set, uint32_t *number) {
    for (side at = before_first; next_side(set, &at);)
        *number++ = at.number;
}

/* The coefficients of a side's row as a unit vector in the form a·z <= slack, with room for one column more; returns
 * how many there are. */
static size_t side_row(const hcri_local *local, const side *at, uint32_t *columns, double *values, double *slack) {
    const hcri_set *set = local->set;
    const double sign = at->upper ? 1 : -1;
    if (at->row < set->n) {
        const double bound = at->upper ? set->box->upper[at->row] : set->box->lower[at->row];
        const double length = hcri_side_length(set, at->row);
        columns[0] = (uint32_t)at->row;
        values[0] = sign / length;
        *slack = sign * (bound - local->centre[at->row]) / length / local->scale;
        return 1;
    }
    const size_t i = at->row - set->n;
    const hcri_rows *rows = &set->linear->rows;
    const double bound = at->upper ? set->linear->upper[i] : set->linear->lower[i];
    const double length = hcri_side_length(set, at->row);
    size_t terms = 0;
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        columns[terms] = rows->columns[k];
        values[terms++] = sign * rows->values[k] / length;
    }
    *slack = -sign * hcri_rows_dot_minus(rows, i, local->centre, bound) / length / local->scale;
    return terms;
}

/* Room for a row with one column more than there are outputs. */
typedef struct row_room {
    uint32_t *columns;
    double *values;
} row_room;

static hcr_status make_row_room(size_t n, row_room *room, hcr_error *error) {
    room->columns = malloc((n + 1) * sizeof *room->columns);
    room->values = malloc((n + 1) * sizeof *room->values);
    return room->columns == NULL || room->values == NULL ? hcri_fail_memory(error) : HCR_OK;
}

static hcr_status finish(hcr_status status, row_room *room, hcri_program *program) {
    free(room->columns);
    free(room->values);
    if (status != HCR_OK)
        hcri_program_release(program);
    return status;
}

hcr_status hcri_local_plain(const hcri_local *local, hcri_program *program, hcr_error *error) {
    const hcri_set *set = local->set;
    row_room room;
    *program = (hcri_program){0};
    hcr_status status = make_row_room(set->n, &room, error);
    if (status == HCR_OK)
        status = hcri_program_create(program, set->n, error);
    for (size_t j = 0; j < set->n && status == HCR_OK; j++) {
        program->lower[j] = (set->box->lower[j] - local->centre[j]) / local->scale;
        program->upper[j] = (set->box->upper[j] - local->centre[j]) / local->scale;
    }
    for (size_t i = 0; i < set->linear->rows.count && status == HCR_OK; i++) {
        double low = -INFINITY, high = INFINITY;
        size_t terms = 0;
        side at = {set->n + i, 0, 0};
        if (!isinf(set->linear->lower[i])) {
            terms = side_row(local, &at, room.columns, room.values, &low);
            for (size_t k = 0; k < terms; k++)
                room.values[k] = -room.values[k];
            low = -low;
        }
        at.upper = 1;
        if (!isinf(set->linear->upper[i]))
            terms = side_row(local, &at, room.columns, room.values, &high);
        status = hcri_program_add_row(program, terms, room.columns, room.values, low, high, error);
    }
    return finish(status, &room, program);
}

hcr_status hcri_local_margin(const hcri_local *local, const double *level, hcri_program *program, hcr_error *error) {
    const hcri_set *set = local->set;
    row_room room;
    *program = (hcri_program){0};
    hcr_status status = make_row_room(set->n, &room, error);
    if (status == HCR_OK)
        status = hcri_program_create(program, set->n + 1, error);
    if (status == HCR_OK)
        program->upper[set->n] = 2;
    size_t row = 0;
    for (side at = before_first; status == HCR_OK && next_side(set, &at); row++) {
        double slack;
        size_t terms = side_row(local, &at, room.columns, room.values, &slack);
        if (level != NULL && level[row] >= 0) {
            slack -= level[row];
        } else {
            room.columns[terms] = (uint32_t)set->n;
            room.values[terms++] = 1;
        }
        status = hcri_program_add_row(program, terms, room.columns, room.values, -INFINITY, slack, error);
    }
    return finish(status, &room, program);
}

hcr_status hcri_local_slacks(const hcri_local *local, hcri_program *program, hcr_error *error) {
    const hcri_set *set = local->set;
    const size_t sides = hcri_local_sides(set);
    row_room room;
    *program = (hcri_program){0};
    hcr_status status = make_row_room(set->n, &room, error);
    if (status == HCR_OK)
        status = hcri_program_create(program, set->n + sides + set->blocks - 2, error);
    for (size_t j = set->n; status == HCR_OK && j < program->columns; j++)
        program->lower[j] = 0;
    size_t row = 0;
    for (side at = before_first; status == HCR_OK && next_side(set, &at); row++) {
        double slack;
        size_t terms = side_row(local, &at, room.columns, room.values, &slack);
        room.columns[terms] = (uint32_t)(set->n + row);
        room.values[terms++] = 1;
        status = hcri_program_add_row(program, terms, room.columns, room.values, slack, slack, error);
    }
    return finish(status, &room, program);
}
