#include "origin/implied_equalities.h"

#include <math.h>

#include "origin/local_program.h"
#include "origin/origin_tolerances.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* The output or row of inequality `number`, with its sides. */
typedef struct two_sides {
    size_t column, row; /* one of them is SIZE_MAX */
    double *lower, *upper;
    uint32_t *source; /* the upper side's and the lower's */
    int is_upper;     /* the inequality is that side */
} two_sides;

static two_sides sides_of(const hcri_set *set, uint32_t number) {
    size_t local;
    const hcri_constraint *block = hcri_set_block_of(set, number, &local);
    const size_t i = local / 2;
    two_sides side = {.column = SIZE_MAX, .row = SIZE_MAX, .source = block->source + 2 * i, .is_upper = local % 2 == 0};
    if (block == set->block[0]) {
        side.column = i;
        side.lower = set->box->lower + i;
        side.upper = set->box->upper + i;
    } else {
        side.row = i;
        side.lower = set->linear->lower + i;
        side.upper = set->linear->upper + i;
    }
    return side;
}

static void hold(two_sides side) {
    if (side.is_upper)
        *side.lower = *side.upper;
    else
        *side.upper = *side.lower;
    side.source[side.is_upper] = side.source[!side.is_upper];
}

/* The coefficients of a row, of length 1, with room for two more. */
typedef struct wide_row {
    size_t count;
    uint32_t *columns;
    double *values;
} wide_row;

static void put(wide_row *row, size_t column, double value) {
    row->columns[row->count] = (uint32_t)column;
    row->values[row->count++] = value;
}

static double put_scaled(wide_row *row, hcri_row from, double sign) {
    double square = 0;
    for (size_t k = 0; k < from.count; k++)
        square += from.values[k] * from.values[k];
    const double length = square > 0 ? sqrt(square) : 1;
    for (size_t k = 0; k < from.count; k++)
        put(row, from.columns[k], sign * from.values[k] / length);
    return length;
}

/* max Σ s over a·y + s <= u t for each side, e·y = right t, 0 <= s <= 1 <= t. Columns y, t, s. With t the room of y/t
 * grows, so that s is 1 for each side that has room somewhere, and 0 for the others. (R. M. Freund, R. Roundy,
 * M. J. Todd, Identifying the set of always-active constraints in a system of linear inequalities by a single linear
 * program, 1985.) */
static hcr_status write_program(const hcri_set *set, size_t sides, const uint32_t *number, hcri_program *program,
                                hcr_error *error) {
    const size_t t = set->n;
    HCRI_SCRATCH(scratch, memory);
    wide_row row = {0, hcri_allocate(scratch, set->n + 2, sizeof *row.columns),
                    hcri_allocate(scratch, set->n + 2, sizeof *row.values)};
    if (row.columns == NULL || row.values == NULL)
        return hcri_fail_memory(error);
    HCRI_TRY(hcri_program_create(program, set->n + 1 + sides, error));
    program->lower[t] = 1;
    for (size_t k = 0; k < sides; k++) {
        static const double one = 1;
        const two_sides side = sides_of(set, number[k]);
        const uint32_t column = (uint32_t)side.column;
        const double sign = side.is_upper ? 1 : -1;
        row.count = 0;
        const double length = put_scaled(
            &row, side.row == SIZE_MAX ? (hcri_row){1, &column, &one} : hcri_rows_row(&set->linear->rows, side.row),
            sign);
        put(&row, t, -sign * (side.is_upper ? *side.upper : *side.lower) / length);
        put(&row, t + 1 + k, 1);
        program->lower[t + 1 + k] = 0;
        program->upper[t + 1 + k] = 1;
        HCRI_TRY(hcri_program_add_row(program, (hcri_row){row.count, row.columns, row.values}, -INFINITY, 0, error));
    }
    for (size_t e = 0; e < set->equalities.rows.count; e++) {
        row.count = 0;
        const double length = put_scaled(&row, hcri_rows_row(&set->equalities.rows, e), 1);
        put(&row, t, -set->equalities.right[e] / length);
        HCRI_TRY(hcri_program_add_row(program, (hcri_row){row.count, row.columns, row.values}, 0, 0, error));
    }
    return HCR_OK;
}

/* has_room, a byte a side; *found 0: the set is empty. */
static hcr_status find_room(const hcri_set *set, size_t sides, const uint32_t *number, unsigned char *has_room,
                            int *found, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *lp = NULL;
    HCRI_TRY(write_program(set, sides, number, &program, error));
    HCRI_SCOPED double *objective = hcri_allocate(memory, program.columns, sizeof *objective);
    if (objective == NULL)
        return hcri_fail_memory(error);
    for (size_t k = 0; k < sides; k++)
        objective[set->n + 1 + k] = 1;
    hcri_lp_outcome outcome;
    HCRI_TRY(hcri_lp_create(&program, &lp, error));
    HCRI_TRY(hcri_lp_maximise(lp, objective, &outcome, error));
    *found = outcome == HCRI_LP_OPTIMAL;
    for (size_t k = 0; *found && k < sides; k++)
        has_room[k] = hcri_lp_solution(lp)[set->n + 1 + k] > 0.5;
    return HCR_OK;
}

hcr_status hcri_hold_implied_equalities(const hcri_set *set, hcri_set *copy, size_t *held, hcr_error *error) {
    const size_t sides = hcri_local_sides(set);
    *held = 0;
    HCRI_SCRATCH(scratch, memory);
    uint32_t *number = hcri_allocate(scratch, sides, sizeof *number);
    unsigned char *has_room = hcri_allocate(scratch, sides, 1);
    if (number == NULL || has_room == NULL)
        return hcri_fail_memory(error);
    hcri_local_side_numbers(set, number);
    int is_found = 0;
    HCRI_TRY(find_room(set, sides, number, has_room, &is_found, error));
    size_t count = 0;
    for (size_t k = 0; is_found && k < sides; k++) {
        const two_sides side = sides_of(set, number[k]);
        if (has_room[k] || *side.lower == *side.upper)
            continue;
        if (side.column != SIZE_MAX && side.column >= set->outputs)
            return HCR_OK;
        number[count++] = number[k];
    }
    if (count == 0)
        return HCR_OK;
    HCRI_TRY(hcri_set_copy(set, memory, copy, error));
    HCRI_TRY(hcri_set_number(copy, error));
    for (size_t k = 0; k < count; k++)
        hold(sides_of(copy, number[k]));
    *held = count;
    return HCR_OK;
}
