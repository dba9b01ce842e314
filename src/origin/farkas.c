#include "origin/farkas.h"

#include <math.h>

#include "origin/equalities/transpose.h"
#include "origin/origin_tolerances.h"
#include "origin/set_sides.h"
#include "solvers/linear_program.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* max −Σ λ_i u_i − Σ μ_e right_e over Σ λ_i a_i + Σ μ_e A_e = 0, Σ λ_i = 1, λ >= 0: above 0 it proves that no point
 * satisfies a_i·y <= u_i and A_e·y == right_e (Farkas). The λ that aren't 0 at a vertex are of rows of which none can
 * be left out (Gleeson and Ryan, Identifying minimally infeasible subsystems of inequalities, 1990). */
static hcr_status write_program(const hcri_set *set, size_t sides, const uint32_t *number, hcri_program *program,
                                double *objective, hcr_error *error) {
    const size_t columns = sides + set->equalities.rows.count;
    HCRI_SCRATCH(scratch, memory);
    HCRI_SCOPED_BY(hcri_rows_scoped) hcri_rows members = {0}, turned = {0};
    hcri_wide_row row;
    HCRI_TRY(hcri_wide_row_create(set->n > columns ? set->n : columns, scratch, &row, error));
    HCRI_TRY(hcri_program_create(program, columns, error));
    for (size_t k = 0; k < columns; k++) {
        const double right =
            k < sides ? hcri_wide_row_side(&row, set, number[k]) : hcri_wide_row_equality(&row, set, k - sides);
        objective[k] = isinf(right) ? 0 : -right;
        if (k < sides)
            program->lower[k] = 0;
        if (isinf(right)) /* it doesn't exist */
            program->upper[k] = 0;
        HCRI_TRY(hcri_rows_append(&members, memory, row.count, row.columns, row.values, error));
    }
    HCRI_TRY(hcri_rows_transpose(&members, set->n, &turned, error));
    for (size_t j = 0; j < set->n; j++)
        HCRI_TRY(hcri_program_add_row(program, hcri_rows_row(&turned, j), 0, 0, error));
    row.count = 0;
    for (size_t k = 0; k < sides; k++)
        hcri_wide_row_put(&row, k, 1);
    return hcri_program_add_row(program, hcri_wide_row_made(&row), 1, 1, error);
}

hcr_status hcri_farkas_support(const hcri_set *set, size_t sides, const uint32_t *number, unsigned char *needed,
                               hcr_error *error) {
    const size_t columns = sides + set->equalities.rows.count;
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *lp = NULL;
    HCRI_SCOPED double *objective = hcri_allocate(memory, columns, sizeof *objective);
    HCRI_ALLOCATED(objective);
    HCRI_TRY(write_program(set, sides, number, &program, objective, error));
    hcri_lp_outcome outcome;
    HCRI_TRY(hcri_lp_create(&program, &lp, error));
    HCRI_TRY(hcri_lp_maximise(lp, objective, &outcome, error));
    const int found = outcome == HCRI_LP_OPTIMAL && hcri_lp_value(lp) > 0;
    const double *solution = hcri_lp_solution(lp);
    double largest = 0;
    for (size_t k = 0; found && k < columns; k++)
        largest = fmax(largest, fabs(solution[k]));
    for (size_t k = 0; k < columns; k++)
        needed[k] = found && fabs(solution[k]) > hcri_supporting * largest;
    return HCR_OK;
}
