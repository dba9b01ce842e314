#include "origin/local_program.h"

#include <math.h>

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

static hcr_status make_row_room(size_t n, const hcr_allocator *scratch, row_room *room, hcr_error *error) {
    room->columns = hcri_allocate(scratch, n + 1, sizeof *room->columns);
    room->values = hcri_allocate(scratch, n + 1, sizeof *room->values);
    return room->columns == NULL || room->values == NULL ? hcri_fail_memory(error) : HCR_OK;
}

hcr_status hcri_local_plain(const hcri_local *local, hcri_program *program, hcr_error *error) {
    const hcri_set *set = local->set;
    HCRI_SCRATCH(scratch, &hcri_default_allocator);
    row_room room;
    HCRI_TRY(make_row_room(set->n, scratch, &room, error));
    HCRI_TRY(hcri_program_create(program, set->n, error));
    for (size_t j = 0; j < set->n; j++) {
        program->lower[j] = (set->box->lower[j] - local->centre[j]) / local->scale;
        program->upper[j] = (set->box->upper[j] - local->centre[j]) / local->scale;
    }
    for (size_t i = 0; i < set->linear->rows.count; i++) {
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
        HCRI_TRY(hcri_program_add_row(program, terms, room.columns, room.values, low, high, error));
    }
    return HCR_OK;
}

hcr_status hcri_local_margin(const hcri_local *local, const double *level, hcri_program *program, hcr_error *error) {
    const hcri_set *set = local->set;
    HCRI_SCRATCH(scratch, &hcri_default_allocator);
    row_room room;
    HCRI_TRY(make_row_room(set->n, scratch, &room, error));
    HCRI_TRY(hcri_program_create(program, set->n + 1, error));
    program->upper[set->n] = 2;
    size_t row = 0;
    for (side at = before_first; next_side(set, &at); row++) {
        double slack;
        size_t terms = side_row(local, &at, room.columns, room.values, &slack);
        if (level != NULL && level[row] >= 0) {
            slack -= level[row];
        } else {
            room.columns[terms] = (uint32_t)set->n;
            room.values[terms++] = 1;
        }
        HCRI_TRY(hcri_program_add_row(program, terms, room.columns, room.values, -INFINITY, slack, error));
    }
    return HCR_OK;
}

hcr_status hcri_local_slacks(const hcri_local *local, hcri_program *program, hcr_error *error) {
    const hcri_set *set = local->set;
    const size_t sides = hcri_local_sides(set);
    HCRI_SCRATCH(scratch, &hcri_default_allocator);
    row_room room;
    HCRI_TRY(make_row_room(set->n, scratch, &room, error));
    HCRI_TRY(hcri_program_create(program, set->n + sides + set->blocks - 2, error));
    for (size_t j = set->n; j < program->columns; j++)
        program->lower[j] = 0;
    size_t row = 0;
    for (side at = before_first; next_side(set, &at); row++) {
        double slack;
        size_t terms = side_row(local, &at, room.columns, room.values, &slack);
        room.columns[terms] = (uint32_t)(set->n + row);
        room.values[terms++] = 1;
        HCRI_TRY(hcri_program_add_row(program, terms, room.columns, room.values, slack, slack, error));
    }
    return HCR_OK;
}
