#include "origin/local_program.h"

#include <math.h>
#include <string.h>

const hcri_reduction *hcri_local_lift(const hcri_set *set) {
    enum { FEWER = 4 };
    static const size_t small = 20000; /* coefficients with which all is quick */
    const hcri_reduction *reduction = set->reduction;
    const size_t reduced = hcri_rows_entries(&set->linear->rows);
    if (reduction == NULL || reduced < small)
        return NULL;
    const hcri_set *original = reduction->original;
    return FEWER * (hcri_rows_entries(&original->equalities.rows) + hcri_rows_entries(&original->linear->rows)) <
                   reduced
               ? reduction
               : NULL;
}

size_t hcri_local_columns(const hcri_local *local) {
    return local->lift == NULL ? local->set->n : local->lift->original->n;
}

size_t hcri_local_place(const hcri_local *local, size_t j) { return local->lift == NULL ? j : local->lift->free[j]; }

int hcri_local_is_bound(const hcri_local *local, size_t i) {
    return local->lift != NULL && local->lift->row_of[i] < local->lift->original->linear->base.first;
}

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

/* The coefficients of the set's row i: as they are, or as the original has them. Returns how many there are. */
static size_t coefficients(const hcri_local *local, size_t i, uint32_t *columns, double *values) {
    const hcri_rows *rows = &local->set->linear->rows;
    if (local->lift != NULL) {
        const hcri_set *original = local->lift->original;
        const uint32_t number = local->lift->row_of[i];
        if (hcri_local_is_bound(local, i)) {
            columns[0] = (number - original->box->base.first) / 2;
            values[0] = 1;
            return 1;
        }
        rows = &original->linear->rows;
        i = (number - original->linear->base.first) / 2;
    }
    const hcri_row row = hcri_rows_row(rows, i);
    memcpy(columns, row.columns, row.count * sizeof *columns);
    memcpy(values, row.values, row.count * sizeof *values);
    return row.count;
}

/* The coefficients of a side's row as a unit vector in the form a·z <= slack, with room for one column more; returns
 * how many there are. */
static size_t side_row(const hcri_local *local, const side *at, uint32_t *columns, double *values, double *slack) {
    const hcri_set *set = local->set;
    const double length = hcri_side_length(set, at->row), sign = at->upper ? 1 : -1;
    if (at->row < set->n) {
        const double bound = at->upper ? set->box->upper[at->row] : set->box->lower[at->row];
        columns[0] = (uint32_t)hcri_local_place(local, at->row);
        values[0] = sign / length;
        *slack = sign * (bound - local->centre[at->row]) / length / local->scale;
        return 1;
    }
    const size_t i = at->row - set->n, terms = coefficients(local, i, columns, values);
    const double bound = at->upper ? set->linear->upper[i] : set->linear->lower[i];
    for (size_t k = 0; k < terms; k++)
        values[k] = sign * values[k] / length;
    *slack = -sign * hcri_rows_dot_minus(&set->linear->rows, i, local->centre, bound) / length / local->scale;
    return terms;
}

/* z stays on the equalities, where the centre is. */
static hcr_status add_equalities(const hcri_local *local, hcri_program *program, hcr_error *error) {
    const hcri_rows *rows = local->lift == NULL ? NULL : &local->lift->original->equalities.rows;
    for (size_t e = 0; rows != NULL && e < rows->count; e++)
        HCRI_TRY(hcri_program_add_row(program, hcri_rows_row(rows, e), 0, 0, error));
    return HCR_OK;
}

/* Room for a row with one column more than there are. */
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
    HCRI_TRY(make_row_room(hcri_local_columns(local), scratch, &room, error));
    HCRI_TRY(hcri_program_create(program, hcri_local_columns(local), error));
    for (size_t j = 0; j < set->n; j++) {
        program->lower[hcri_local_place(local, j)] = (set->box->lower[j] - local->centre[j]) / local->scale;
        program->upper[hcri_local_place(local, j)] = (set->box->upper[j] - local->centre[j]) / local->scale;
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
        if (terms != 0 && hcri_local_is_bound(local, i)) { /* ±1/length y */
            const double length = hcri_side_length(set, set->n + i);
            program->lower[room.columns[0]] = low * length;
            program->upper[room.columns[0]] = high * length;
            continue;
        }
        HCRI_TRY(hcri_program_add_row(program, (hcri_row){terms, room.columns, room.values}, low, high, error));
    }
    return add_equalities(local, program, error);
}

hcr_status hcri_local_margin(const hcri_local *local, hcri_program *program, hcr_error *error) {
    const size_t r = hcri_local_columns(local);
    HCRI_SCRATCH(scratch, &hcri_default_allocator);
    row_room room;
    HCRI_TRY(make_row_room(r, scratch, &room, error));
    HCRI_TRY(hcri_program_create(program, r + 1, error));
    program->upper[r] = 2;
    for (side at = before_first; next_side(local->set, &at);) {
        double slack;
        size_t terms = side_row(local, &at, room.columns, room.values, &slack);
        room.columns[terms] = (uint32_t)r;
        room.values[terms++] = 1;
        HCRI_TRY(hcri_program_add_row(program, (hcri_row){terms, room.columns, room.values}, -INFINITY, slack, error));
    }
    return add_equalities(local, program, error);
}
