#include "origin/implied_equalities.h"

#include <math.h>

#include "origin/local_program.h"
#include "origin/set_sides.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

static void hold(hcri_set_side side) {
    if (side.is_upper)
        *side.lower = *side.upper;
    else
        *side.upper = *side.lower;
    side.source[side.is_upper] = side.source[!side.is_upper];
}

/* max Σ s over a·y + s <= u t for each side, e·y = right t, 0 <= s <= 1 <= t. Columns y, t, s. With t the room of y/t
 * grows, so that s is 1 for each side that has room somewhere, and 0 for the others. (R. M. Freund, R. Roundy,
 * M. J. Todd, Identifying the set of always-active constraints in a system of linear inequalities by a single linear
 * program, 1985.) t <= most. */
static hcr_status write_program(const hcri_set *set, size_t sides, const uint32_t *number, double most,
                                hcri_program *program, hcr_error *error) {
    const size_t t = set->n;
    HCRI_SCRATCH(scratch, memory);
    hcri_wide_row row;
    HCRI_TRY(hcri_wide_row_create(set->n, scratch, &row, error));
    HCRI_TRY(hcri_program_create(program, set->n + 1 + sides, error));
    program->lower[t] = 1;
    program->upper[t] = most;
    for (size_t k = 0; k < sides; k++) {
        const double right = hcri_wide_row_side(&row, set, number[k]);
        hcri_wide_row_put(&row, t, -right);
        hcri_wide_row_put(&row, t + 1 + k, 1);
        program->lower[t + 1 + k] = 0;
        program->upper[t + 1 + k] = 1;
        HCRI_TRY(hcri_program_add_row(program, hcri_wide_row_made(&row), -INFINITY, 0, error));
    }
    for (size_t e = 0; e < set->equalities.rows.count; e++) {
        const double right = hcri_wide_row_equality(&row, set, e);
        hcri_wide_row_put(&row, t, -right);
        HCRI_TRY(hcri_program_add_row(program, hcri_wide_row_made(&row), 0, 0, error));
    }
    return HCR_OK;
}

/* has_room, a byte a side; *found 0: the set is empty, or the solver gave up. */
static hcr_status find_room(const hcri_set *set, size_t sides, const uint32_t *number, double most,
                            unsigned char *has_room, int *found, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *lp = NULL;
    HCRI_TRY(write_program(set, sides, number, most, &program, error));
    HCRI_SCOPED double *objective = hcri_allocate(memory, program.columns, sizeof *objective);
    HCRI_ALLOCATED(objective);
    for (size_t k = 0; k < sides; k++)
        objective[set->n + 1 + k] = 1;
    hcri_lp_outcome outcome;
    HCRI_TRY(hcri_lp_create(&program, &lp, error));
    const hcr_status status = hcri_lp_maximise(lp, objective, &outcome, error);
    if (status != HCR_OK && status != HCR_ERROR_SOLVER)
        return status;
    *found = status == HCR_OK && outcome == HCRI_LP_OPTIMAL;
    for (size_t k = 0; *found && k < sides; k++)
        has_room[k] = hcri_lp_solution(lp)[set->n + 1 + k] > 0.5;
    return HCR_OK;
}

hcr_status hcri_hold_implied_equalities(const hcri_set *set, hcri_set *copy, size_t *held, hcr_error *error) {
    /* A solver that goes far out along t may end where its tolerance finds no point any more, or give up. */
    static const double most[] = {INFINITY, 1e6, 1e3};
    const size_t sides = hcri_local_sides(set);
    *held = 0;
    HCRI_SCRATCH(scratch, memory);
    uint32_t *number = hcri_allocate(scratch, sides, sizeof *number);
    unsigned char *has_room = hcri_allocate(scratch, sides, 1);
    HCRI_ALLOCATED(number && has_room);
    hcri_local_side_numbers(set, number);
    int is_found = 0;
    for (size_t k = 0; !is_found && k < sizeof most / sizeof *most; k++)
        HCRI_TRY(find_room(set, sides, number, most[k], has_room, &is_found, error));
    size_t count = 0;
    for (size_t k = 0; is_found && k < sides; k++) {
        const hcri_set_side side = hcri_set_side_of(set, number[k]);
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
        hold(hcri_set_side_of(copy, number[k]));
    *held = count;
    return HCR_OK;
}
