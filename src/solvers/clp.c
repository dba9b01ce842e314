#include "solvers/linear_program.h"
#include "solvers/solver_tolerances.h"
#include "solvers/stop_request.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* The header calls for strict prototypes that it doesn't have itself. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <Clp_C_Interface.h>
#pragma GCC diagnostic pop

static const hcr_allocator *const memory = &hcri_default_allocator;

struct hcri_lp {
    Clp_Simplex *model;
    int plain;  /* no presolve */
    int dual;   /* the basis of the rows alone is dual feasible */
    int solved; /* there is a basis to start from … */
    int grown;  /* … which rows and bounds that came later may violate */
    double bound;
};

/* CLP takes anything from 1e30 on as infinite. */
static double clp_bound(double bound) { return isinf(bound) ? copysign(DBL_MAX, bound) : bound; }

static int too_large(const hcri_program *program) {
    const size_t most = INT_MAX / 4;
    return program->columns > most || program->rows.count > most || hcri_rows_entries(&program->rows) > most;
}

hcr_status hcri_lp_create(const hcri_program *program, hcri_lp **lp, hcr_error *error) {
    HCRI_FAIL_IF(too_large(program), HCR_ERROR_UNSUPPORTED, "a linear program with more than 2^29 coefficients");
    const size_t columns = program->columns, rows = program->rows.count;
    const size_t numbers = hcri_rows_entries(&program->rows);
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *made = hcri_allocate(memory, 1, sizeof *made);
    HCRI_SCOPED int *start = hcri_allocate(memory, rows + 1, sizeof *start),
                    *index = hcri_allocate(memory, numbers, sizeof *index);
    HCRI_SCOPED double *bounds = hcri_allocate(memory, 2 * columns + 2 * rows, sizeof *bounds);
    HCRI_ALLOCATED(made && start && index && bounds && (made->model = Clp_newModel()));
    double *lower = bounds, *upper = lower + columns, *row_lower = upper + columns, *row_upper = row_lower + rows;
    for (size_t j = 0; j < columns; j++) {
        lower[j] = clp_bound(program->lower[j]);
        upper[j] = clp_bound(program->upper[j]);
    }
    for (size_t i = 0; i < rows; i++) {
        start[i + 1] = (int)program->rows.start[i + 1];
        row_lower[i] = clp_bound(program->row_lower[i]);
        row_upper[i] = clp_bound(program->row_upper[i]);
    }
    for (size_t k = 0; k < numbers; k++)
        index[k] = (int)program->rows.columns[k];
    Clp_setLogLevel(made->model, 0);
    Clp_resize(made->model, 0, (int)columns);
    Clp_chgColumnLower(made->model, lower);
    Clp_chgColumnUpper(made->model, upper);
    static const double none[2] = {-DBL_MAX, DBL_MAX};
    static const int empty[2] = {0, 0};
    if (rows != 0)
        Clp_addRows(made->model, (int)rows, row_lower, row_upper, start, index, program->rows.values);
    else /* CLP doesn't solve a program without rows */
        Clp_addRows(made->model, 1, &none[0], &none[1], empty, empty, none);
    Clp_setPrimalTolerance(made->model, hcri_lp_tolerance);
    Clp_setDualTolerance(made->model, hcri_lp_tolerance);
    Clp_setOptimizationDirection(made->model, -1);
    *lp = made;
    made = NULL;
    return HCR_OK;
}

void hcri_lp_leave_out_presolve(hcri_lp *lp) { lp->plain = 1; }

void hcri_lp_start_dual_feasible(hcri_lp *lp) { lp->dual = 1; }

void hcri_lp_free(hcri_lp *lp) {
    if (lp == NULL)
        return;
    if (lp->model != NULL)
        Clp_deleteModel(lp->model);
    hcri_release(memory, lp);
}

hcr_status hcri_lp_add_row(hcri_lp *lp, hcri_row row, double lower, double upper, hcr_error *error) {
    HCRI_SCOPED int *index = hcri_allocate(memory, row.count, sizeof *index);
    HCRI_SCOPED double *scaled = hcri_allocate(memory, row.count, sizeof *scaled);
    HCRI_ALLOCATED(index && scaled);
    const double scale = hcri_row_scale(row);
    for (size_t k = 0; k < row.count; k++) {
        index[k] = (int)row.columns[k];
        scaled[k] = row.values[k] / scale;
    }
    const double sides[2] = {clp_bound(lower / scale), clp_bound(upper / scale)};
    const int start[2] = {0, (int)row.count};
    Clp_addRows(lp->model, 1, &sides[0], &sides[1], start, index, scaled);
    lp->grown = 1;
    return HCR_OK;
}

hcr_status hcri_lp_remove_rows(hcri_lp *lp, size_t count, hcr_error *error) {
    HCRI_SCOPED int *which = hcri_allocate(memory, count, sizeof *which);
    HCRI_ALLOCATED(which);
    const int rows = Clp_numberRows(lp->model);
    for (int k = 0; k < (int)count; k++)
        which[k] = rows - (int)count + k;
    Clp_deleteRows(lp->model, (int)count, which);
    return HCR_OK;
}

void hcri_lp_bound_columns(hcri_lp *lp, double *lower, double *upper) {
    for (int j = 0; j < Clp_numberColumns(lp->model); j++) {
        lower[j] = clp_bound(lower[j]);
        upper[j] = clp_bound(upper[j]);
    }
    Clp_chgColumnLower(lp->model, lower);
    Clp_chgColumnUpper(lp->model, upper);
    lp->grown = 1;
}

/* CLP's end; −1 when it isn't one: its secondary status 2 to 5 says that an optimum holds only for the scaled program,
 * 7 that undoing the presolve spoilt it. */
static int end_of(const hcri_lp *lp) {
    const int status = Clp_status(lp->model), second = Clp_secondaryStatus(lp->model);
    return status > 2 || (status == 0 && ((second >= 2 && second <= 5) || second == 7)) ? -1 : status;
}

/* How much multiplier · (what it is the multiplier of) can be at most; *size: of what is added up. */
static double most_of(double multiplier, double lower, double upper, double *size) {
    const double limit = multiplier > 0 ? upper : lower;
    if (multiplier == 0 || fabs(limit) >= 1e30)
        return multiplier == 0 ? 0 : INFINITY;
    *size += fabs(multiplier * limit);
    return multiplier * limit;
}

/* The multiplier of a row; 0 where rounding gave it the sign of a side that the row hasn't. */
static double multiplier_of(Clp_Simplex *model, int i) {
    const double y = Clp_dualRowSolution(model)[i];
    return fabs(y > 0 ? Clp_rowUpper(model)[i] : Clp_rowLower(model)[i]) >= 1e30 ? 0 : y;
}

/* c·x = y·Ax + (c − A'y)·x is at most this, whatever y is: weak duality, with the multipliers of the rows for y. Where
 * a column has no bound, what rounding leaves of its reduced cost counts as at the solution. */
static double dual_bound(const hcri_lp *lp, double *size) {
    Clp_Simplex *model = lp->model;
    const double *c = Clp_objective(model), *a = Clp_getElements(model);
    const double *row_lower = Clp_rowLower(model), *row_upper = Clp_rowUpper(model);
    const double *lower = Clp_columnLower(model), *upper = Clp_columnUpper(model);
    const CoinBigIndex *start = Clp_getVectorStarts(model);
    const int *length = Clp_getVectorLengths(model), *row = Clp_getIndices(model);
    double bound = *size = 0, largest = 0;
    for (int j = 0; j < Clp_numberColumns(model); j++)
        largest = fmax(largest, fabs(c[j]));
    for (int i = 0; i < Clp_numberRows(model); i++)
        bound += most_of(multiplier_of(model, i), row_lower[i], row_upper[i], size);
    for (int j = 0; j < Clp_numberColumns(model); j++) {
        double reduced = c[j], added = largest;
        for (CoinBigIndex k = start[j]; k < start[j] + length[j]; k++) {
            const double term = a[k] * multiplier_of(model, row[k]);
            reduced -= term;
            added += fabs(term);
        }
        const double most = most_of(reduced, lower[j], upper[j], size);
        bound += isinf(most) && fabs(reduced) <= hcri_reduced_cost_rounding * added
                     ? fabs(reduced * Clp_primalColumnSolution(lp->model)[j])
                     : most;
    }
    return bound;
}

/* CLP calls a basis optimal whose reduced costs are below its tolerance after scaling, which can be far from the
 * optimum where the columns' sizes differ much. */
static int is_optimal(hcri_lp *lp) {
    double size;
    lp->bound = dual_bound(lp, &size);
    return lp->bound - Clp_objectiveValue(lp->model) <= hcri_duality_gap * (size + 1e-3);
}

static hcr_status conclude(int end, hcri_lp_outcome *outcome, hcr_error *error) {
    switch (end) {
    case 0: *outcome = HCRI_LP_OPTIMAL; break;
    case 1: *outcome = HCRI_LP_INFEASIBLE; break;
    case 2: *outcome = HCRI_LP_UNBOUNDED; break;
    default:
        return hcri_fail(error, HCR_ERROR_SOLVER,
                         "CLP gave up on a linear program: rescale the constraints so that their coefficients have "
                         "similar sizes");
    }
    return HCR_OK;
}

/* The basis of the rows alone. A presolve begins with it too, but copies the weights of the pivots before, and throws
 * an exception where they are spoilt. */
static void start_anew(Clp_Simplex *model) {
    enum { FREE = 0, BASIC = 1, AT_UPPER = 2, AT_LOWER = 3 };
    for (int j = 0; j < Clp_numberColumns(model); j++)
        Clp_setColumnStatus(model, j,
                            Clp_columnLower(model)[j] > -1e30  ? AT_LOWER
                            : Clp_columnUpper(model)[j] < 1e30 ? AT_UPPER
                                                               : FREE);
    for (int i = 0; i < Clp_numberRows(model); i++)
        Clp_setRowStatus(model, i, BASIC);
}

/* CLP ends the process where a coefficient of the objective is 1e25 or more. */
static hcr_status set_objective(hcri_lp *lp, const double *objective, hcri_lp_outcome *outcome, hcr_error *error) {
    static const double too_large_for_clp = 1e25;
    for (int j = 0; j < Clp_numberColumns(lp->model); j++)
        if (!(fabs(objective[j]) < too_large_for_clp))
            return conclude(-1, outcome, error);
    Clp_chgObjCoefficients(lp->model, objective);
    return HCR_OK;
}

/* From a last basis CLP can go round in circles; where it ends so, it begins anew. */
static void limit_iterations(Clp_Simplex *model) {
    Clp_setMaximumIterations(model, 1000 + 10 * (Clp_numberRows(model) + Clp_numberColumns(model)));
}

hcr_status hcri_lp_maximise(hcri_lp *lp, const double *objective, hcri_lp_outcome *outcome, hcr_error *error) {
    HCRI_TRY(hcri_stop_check(error));
    /* The last basis is dual feasible for the same objective alone. */
    const int same =
        memcmp(Clp_objective(lp->model), objective, (size_t)Clp_numberColumns(lp->model) * sizeof(double)) == 0;
    HCRI_TRY(set_objective(lp, objective, outcome, error));
    limit_iterations(lp->model);
    if (lp->solved ? lp->grown && same : lp->dual)
        Clp_dual(lp->model, 0);
    else if (lp->solved || lp->plain) /* the last basis is still feasible, or nearly so */
        Clp_primal(lp->model, 0);
    else
        Clp_initialSolve(lp->model);
    lp->solved = 1;
    lp->grown = 0;
    int end = end_of(lp);
    if (end != 0) { /* a presolve calls feasible programs infeasible; an ill-conditioned basis leads nowhere */
        Clp_primal(lp->model, 0);
        end = end_of(lp);
    }
    if (end < 0 || (end == 0 && !is_optimal(lp))) {
        const int is_near = Clp_status(lp->model) == 0; /* the optimum of the scaled program */
        Clp_scaling(lp->model, 0);
        if (is_near)
            Clp_primal(lp->model, 0);
        if (!is_near || end_of(lp) < 0) {
            start_anew(lp->model);
            Clp_primal(lp->model, 0);
        }
        end = end_of(lp);
        if (end == 0)
            (void)is_optimal(lp); /* the bound stands, wherever CLP ended */
    }
    return conclude(end, outcome, error);
}

hcr_status hcri_lp_maximise_inside(hcri_lp *lp, const double *objective, hcri_lp_outcome *outcome, hcr_error *error) {
    HCRI_TRY(hcri_stop_check(error));
    HCRI_TRY(set_objective(lp, objective, outcome, error));
    Clp_initialBarrierNoCrossSolve(lp->model);
    lp->solved = 0; /* no basis comes of it */
    return conclude(end_of(lp), outcome, error);
}

const double *hcri_lp_solution(const hcri_lp *lp) { return Clp_primalColumnSolution(lp->model); }

const double *hcri_lp_multipliers(const hcri_lp *lp) { return Clp_dualRowSolution(lp->model); }

double hcri_lp_bound(const hcri_lp *lp) { return fmax(lp->bound, Clp_objectiveValue(lp->model)); }

double hcri_lp_value(const hcri_lp *lp) { return Clp_objectiveValue(lp->model); }
