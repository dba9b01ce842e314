#include "origin/largest_ball.h"

#include <math.h>
#include <string.h>

#include "origin/ball_tableau.h"
#include "origin/equalities/transpose.h"
#include "solvers/linear_program.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

static hcr_status solve(hcri_lp *lp, const double *objective, hcr_error *error) {
    hcri_lp_outcome outcome;
    HCRI_TRY(hcri_lp_maximise(lp, objective, &outcome, error));
    return outcome == HCRI_LP_OPTIMAL ? HCR_OK
                                      : hcri_fail(error, HCR_ERROR_SOLVER,
                                                  "the search for the interior of the region gave up: rescale the "
                                                  "constraints so that their coefficients have similar sizes");
}

/* `sides`: of the program's rows; equalities come behind. */
static hcr_status find_directly(const hcri_local *local, const hcri_program *program, size_t sides, double *z,
                                double *multiplier, hcr_error *error) {
    enum { MANY = 5000 };
    const size_t columns = program->columns;
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *lp = NULL;
    HCRI_SCOPED double *objective = hcri_allocate(memory, columns, sizeof *objective);
    HCRI_ALLOCATED(objective);
    objective[columns - 1] = 1;
    HCRI_TRY(hcri_lp_create(program, &lp, error));
    if (local->lift != NULL || program->rows.count > MANY)
        hcri_lp_leave_out_presolve(lp);
    HCRI_TRY(solve(lp, objective, error));
    for (size_t j = 0; j < local->set->n; j++)
        z[j] = hcri_lp_solution(lp)[hcri_local_place(local, j)];
    z[local->set->n] = hcri_lp_solution(lp)[columns - 1];
    memcpy(multiplier, hcri_lp_multipliers(lp), sides * sizeof *multiplier);
    return HCR_OK;
}

/* The dual of max r, A (z, r) <= u, r <= 2, with ν for r <= 2:
 *
 *     max −u·μ − 2ν,    A'μ + ν e_r = e_r,    μ, ν >= 0
 *
 * `length`: what each row was divided by. */
static hcr_status write_dual(const hcri_program *program, hcri_program *dual, double *length, hcr_error *error) {
    const size_t columns = program->columns, sides = program->rows.count;
    HCRI_SCOPED_BY(hcri_rows_scoped) hcri_rows turned = {0};
    HCRI_TRY(hcri_rows_transpose(&program->rows, columns, &turned, error));
    HCRI_SCOPED uint32_t *column = hcri_allocate(memory, sides + 1, sizeof *column);
    HCRI_SCOPED double *value = hcri_allocate(memory, sides + 1, sizeof *value);
    HCRI_ALLOCATED(column && value);
    HCRI_TRY(hcri_program_create(dual, sides + 1, error));
    for (size_t i = 0; i <= sides; i++)
        dual->lower[i] = 0;
    for (size_t j = 0; j < columns; j++) {
        hcri_row row = hcri_rows_row(&turned, j);
        const double right = j == columns - 1 ? 1 : 0;
        length[j] = right;
        for (size_t k = 0; k < row.count; k++)
            length[j] = fmax(length[j], fabs(row.values[k]));
        if (j == columns - 1) {
            memcpy(column, row.columns, row.count * sizeof *column);
            memcpy(value, row.values, row.count * sizeof *value);
            column[row.count] = (uint32_t)sides;
            value[row.count] = 1;
            row = (hcri_row){row.count + 1, column, value};
        }
        HCRI_TRY(hcri_program_add_row(dual, row, right, right, error));
    }
    return HCR_OK;
}

static hcr_status find_by_dual(const hcri_program *program, double *z, double *multiplier, hcr_error *error) {
    const size_t columns = program->columns, sides = program->rows.count;
    HCRI_SCOPED_BY(hcri_program_release) hcri_program dual = {0};
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *lp = NULL;
    HCRI_SCOPED double *cost = hcri_allocate(memory, sides + 1, sizeof *cost);
    HCRI_SCOPED double *length = hcri_allocate(memory, columns, sizeof *length);
    HCRI_ALLOCATED(cost && length);
    HCRI_TRY(write_dual(program, &dual, length, error));
    int inside = 1; /* the centre */
    for (size_t i = 0; i < sides; i++) {
        cost[i] = -program->row_upper[i];
        inside &= cost[i] <= 0;
    }
    cost[sides] = -program->upper[columns - 1];
    HCRI_TRY(hcri_lp_create(&dual, &lp, error));
    if (inside)
        hcri_lp_start_dual_feasible(lp);
    HCRI_TRY(solve(lp, cost, error));
    const double *solution = hcri_lp_multipliers(lp);
    for (size_t j = 0; j < columns; j++)
        z[j] = length[j] == 0 ? 0 : -solution[j] / length[j];
    memcpy(multiplier, hcri_lp_solution(lp), sides * sizeof *multiplier);
    return HCR_OK;
}

/* A basis has a row for each side, in the dual one for each output: a quarter of the time for 1,000 rows over 100. */
hcr_status hcri_ball_find(const hcri_local *local, double *z, double *multiplier, hcr_error *error) {
    enum { MANY = 200, FOR_EACH_OUTPUT = 4 };
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    const hcri_local lifted = {local->set, local->centre, local->scale, hcri_local_lift(local->set)};
    HCRI_TRY(hcri_local_margin(&lifted, &program, error));
    const size_t sides = hcri_local_sides(local->set);
    const int many_sides = lifted.lift == NULL && sides > MANY && sides / FOR_EACH_OUTPUT > program.columns;
    int found = 0;
    if (many_sides)
        HCRI_TRY(hcri_ball_by_tableau(&program, z, multiplier, &found, error));
    if (found)
        return HCR_OK;
    hcr_status status = HCR_ERROR_SOLVER;
    if (many_sides)
        status = find_by_dual(&program, z, multiplier, error);
    if (status == HCR_ERROR_SOLVER)
        status = find_directly(&lifted, &program, sides, z, multiplier, error);
    return status;
}
