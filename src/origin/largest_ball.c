#include "origin/largest_ball.h"

#include <math.h>
#include <string.h>

#include "origin/equalities/transpose.h"
#include "solvers/linear_program.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

static hcr_status solve(const hcri_program *program, const double *objective, hcri_lp **lp, hcr_error *error) {
    hcri_lp_outcome outcome;
    HCRI_TRY(hcri_lp_create(program, lp, error));
    HCRI_TRY(hcri_lp_maximise(*lp, objective, &outcome, error));
    return outcome == HCRI_LP_OPTIMAL ? HCR_OK
                                      : hcri_fail(error, HCR_ERROR_SOLVER, "CLP gave up on the interior of the region");
}

static hcr_status find_directly(const hcri_program *program, double *z, double *multiplier, hcr_error *error) {
    const size_t columns = program->columns;
    hcri_lp *lp = NULL;
    double *objective = hcri_allocate(memory, columns, sizeof *objective);
    hcr_status status = objective == NULL ? hcri_fail_memory(error) : HCR_OK;
    if (status == HCR_OK) {
        objective[columns - 1] = 1;
        status = solve(program, objective, &lp, error);
    }
    if (status == HCR_OK) {
        memcpy(z, hcri_lp_solution(lp), columns * sizeof *z);
        memcpy(multiplier, hcri_lp_multipliers(lp), program->rows.count * sizeof *multiplier);
    }
    hcri_lp_free(lp);
    hcri_release(memory, objective);
    return status;
}

/* The dual of max r, A (z, r) <= u, r <= 2, with ν for r <= 2:
 *
 *     max −u·μ − 2ν,    A'μ + ν e_r = e_r,    μ, ν >= 0
 *
 * `length`: what each row was divided by. */
static hcr_status write_dual(const hcri_program *program, hcri_program *dual, double *length, hcr_error *error) {
    const size_t columns = program->columns, sides = program->rows.count;
    hcri_rows turned;
    HCRI_TRY(hcri_rows_transpose(&program->rows, columns, &turned, error));
    uint32_t *column = hcri_allocate(memory, sides + 1, sizeof *column);
    double *value = hcri_allocate(memory, sides + 1, sizeof *value);
    hcr_status status = column == NULL || value == NULL ? hcri_fail_memory(error) : HCR_OK;
    if (status == HCR_OK)
        status = hcri_program_create(dual, sides + 1, error);
    for (size_t i = 0; i <= sides && status == HCR_OK; i++)
        dual->lower[i] = 0;
    for (size_t j = 0; j < columns && status == HCR_OK; j++) {
        size_t terms = turned.start[j + 1] - turned.start[j];
        length[j] = 0;
        for (size_t k = 0; k < terms; k++) {
            column[k] = turned.columns[turned.start[j] + k];
            value[k] = turned.values[turned.start[j] + k];
        }
        if (j == columns - 1) {
            column[terms] = (uint32_t)sides;
            value[terms++] = 1;
        }
        for (size_t k = 0; k < terms; k++)
            length[j] = fmax(length[j], fabs(value[k]));
        const double right = j == columns - 1 ? 1 : 0;
        status = hcri_program_add_row(dual, terms, column, value, right, right, error);
    }
    hcri_release(memory, column);
    hcri_release(memory, value);
    hcri_rows_release(&turned, memory);
    return status;
}

static hcr_status find_by_dual(const hcri_program *program, double *z, double *multiplier, hcr_error *error) {
    const size_t columns = program->columns, sides = program->rows.count;
    hcri_program dual = {0};
    hcri_lp *lp = NULL;
    double *cost = hcri_allocate(memory, sides + 1, sizeof *cost);
    double *length = hcri_allocate(memory, columns, sizeof *length);
    hcr_status status = cost == NULL || length == NULL ? hcri_fail_memory(error) : HCR_OK;
    if (status == HCR_OK)
        status = write_dual(program, &dual, length, error);
    if (status == HCR_OK) {
        for (size_t i = 0; i < sides; i++)
            cost[i] = -program->row_upper[i];
        cost[sides] = -program->upper[columns - 1];
        status = solve(&dual, cost, &lp, error);
    }
    if (status == HCR_OK) {
        const double *solution = hcri_lp_multipliers(lp);
        for (size_t j = 0; j < columns; j++)
            z[j] = length[j] == 0 ? 0 : -solution[j] / length[j];
        memcpy(multiplier, hcri_lp_solution(lp), sides * sizeof *multiplier);
    }
    hcri_lp_free(lp);
    hcri_program_release(&dual);
    hcri_release(memory, cost);
    hcri_release(memory, length);
    return status;
}

/* A basis has a row for each side, in the dual one for each output: a quarter of the time for 1,000 rows over 100. */
hcr_status hcri_ball_find(const hcri_local *local, double *z, double *multiplier, hcr_error *error) {
    enum { MANY = 200, FOR_EACH_OUTPUT = 4 };
    hcri_program program;
    HCRI_TRY(hcri_local_margin(local, NULL, &program, error));
    const size_t sides = program.rows.count;
    hcr_status status = HCR_ERROR_SOLVER;
    if (sides > MANY && sides / FOR_EACH_OUTPUT > program.columns)
        status = find_by_dual(&program, z, multiplier, error);
    if (status == HCR_ERROR_SOLVER)
        status = find_directly(&program, z, multiplier, error);
    hcri_program_release(&program);
    return status;
}
