/* Linear programs without CLP: a primal simplex method for bounds on columns and rows, with a dense inverse.
 *
 * Row i has a slack s_i = a_i·x with the row's bounds, so that a variable is a column or a slack. Those that are
 * nonbasic stand at one of their bounds (free ones at 0); the rows whose slack is nonbasic determine the basic columns.
 * Phase 1 takes the sum of what basic variables violate down, piecewise linearly, so that a step may go beyond
 * breakpoints (Maros, Computational Techniques of the Simplex Method, 2003, chapters 9 and 10). */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "solvers/simplex_ratio.h"
#include "solvers/solver_tolerances.h"
#include "solvers/stop_request.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

enum { MOST_BASIC = 4000, UPDATES = 64, STALLS = 40 };

/* ---------------------------------------------------------------------------------------------------------- memory */

static void *resized(void *old, size_t count, size_t more, size_t size) {
    void *made = hcri_allocate(memory, more, size);
    if (made != NULL && count != 0)
        memcpy(made, old, count * size);
    if (made != NULL)
        hcri_release(memory, old);
    return made;
}

static hcr_status reserve_rows(hcri_lp *lp, size_t rows, hcr_error *error) {
    if (rows <= lp->capacity)
        return HCR_OK;
    const size_t capacity = rows + rows / 2 + 8, before = lp->columns + lp->rows, after = lp->columns + capacity;
    double **numbers[] = {&lp->lower, &lp->upper, &lp->x, &lp->change};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        double *made = resized(*numbers[k], lp->capacity == 0 ? 0 : before, after, sizeof *made);
        HCRI_ALLOCATED(made);
        *numbers[k] = made;
    }
    size_t *place = resized(lp->place, lp->capacity == 0 ? 0 : before, after, sizeof *place);
    HCRI_ALLOCATED(place);
    lp->place = place;
    double *multiplier = resized(lp->multiplier, lp->capacity == 0 ? 0 : lp->rows, capacity, sizeof *multiplier);
    HCRI_ALLOCATED(multiplier);
    lp->multiplier = multiplier;
    lp->capacity = capacity;
    return HCR_OK;
}

static hcr_status reserve_lists(hcri_lp *lp, hcr_error *error) {
    const size_t wanted = lp->kernel.size + 1;
    HCRI_FAIL_IF(wanted > MOST_BASIC, HCR_ERROR_UNSUPPORTED,
                 "this build of hcr has no CLP, and a linear program of the region has a basis of more than %d rows: "
                 "build with HCR_WITH_CLP, or give bounds and an origin",
                 (int)MOST_BASIC);
    HCRI_TRY(hcri_kernel_grow(&lp->kernel, error));
    if (wanted <= lp->list_capacity)
        return HCR_OK;
    const size_t count = lp->kernel.size, capacity = wanted + wanted / 2 + 8;
    size_t **lists[] = {&lp->basic, &lp->active};
    for (size_t k = 0; k < 2; k++) {
        size_t *made = resized(*lists[k], count, capacity, sizeof *made);
        HCRI_ALLOCATED(made);
        *lists[k] = made;
    }
    for (size_t k = 0; k < 3; k++) {
        double *made = resized(lp->small[k], count, capacity, sizeof *made);
        HCRI_ALLOCATED(made);
        lp->small[k] = made;
    }
    lp->list_capacity = capacity;
    return HCR_OK;
}

void hcri_lp_free(hcri_lp *lp) {
    if (lp == NULL)
        return;
    hcri_rows_release(&lp->matrix, memory);
    hcri_kernel_release(&lp->kernel);
    void *owned[] = {lp->lower,     lp->upper,   lp->x,          lp->place,   lp->basic,    lp->active,
                     lp->objective, lp->reduced, lp->multiplier, lp->change,  lp->small[0], lp->small[1],
                     lp->small[2],  lp->cost,    lp->unit,       lp->solution};
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++)
        hcri_release(memory, owned[k]);
    hcri_release(memory, lp);
}

static void append(hcri_lp *lp, double lower, double upper) {
    const size_t v = lp->columns + lp->rows++;
    lp->lower[v] = lower;
    lp->upper[v] = upper;
    lp->place[v] = HCRI_NOWHERE;
}

hcr_status hcri_lp_create(const hcri_program *program, hcri_lp **lp, hcr_error *error) {
    const size_t n = program->columns, m = program->rows.count;
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *made = hcri_allocate(memory, 1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->columns = n;
    HCRI_TRY(reserve_rows(made, m + 1, error));
    made->objective = hcri_allocate(memory, n, sizeof(double));
    made->cost = hcri_allocate(memory, n, sizeof(double));
    made->reduced = hcri_allocate(memory, n, sizeof(double));
    made->unit = hcri_allocate(memory, n, sizeof(double));
    made->solution = hcri_allocate(memory, n, sizeof(double));
    HCRI_ALLOCATED(made->objective && made->cost && made->reduced && made->unit && made->solution);
    HCRI_TRY(hcri_rows_append_all(&made->matrix, memory, &program->rows, error));
    memcpy(made->lower, program->lower, n * sizeof(double));
    memcpy(made->upper, program->upper, n * sizeof(double));
    for (size_t j = 0; j < n; j++) {
        made->place[j] = HCRI_NOWHERE;
        made->unit[j] = 1;
    }
    for (size_t i = 0; i < m; i++)
        append(made, program->row_lower[i], program->row_upper[i]);
    HCRI_TRY(reserve_lists(made, error));
    *lp = made;
    made = NULL;
    return HCR_OK;
}

void hcri_lp_leave_out_presolve(hcri_lp *lp) { (void)lp; }

void hcri_lp_start_dual_feasible(hcri_lp *lp) { (void)lp; }

hcr_status hcri_lp_add_row(hcri_lp *lp, hcri_row row, double lower, double upper, hcr_error *error) {
    const double scale = hcri_row_scale(row);
    HCRI_TRY(reserve_rows(lp, lp->rows + 1, error));
    HCRI_TRY(hcri_rows_append(&lp->matrix, memory, row.count, row.columns, row.values, error));
    for (size_t k = lp->matrix.start[lp->rows]; k < lp->matrix.start[lp->rows + 1]; k++)
        lp->matrix.values[k] *= lp->unit[lp->matrix.columns[k]] / scale;
    append(lp, lower / scale, upper / scale);
    return HCR_OK;
}

/* ----------------------------------------------------------------------------------------------------------- basis */

static void enter_column(hcri_lp *lp, size_t r, size_t j) {
    lp->basic[r] = j;
    lp->place[j] = r;
}

static void enter_active(hcri_lp *lp, size_t c, size_t i) {
    lp->active[c] = i;
    lp->place[lp->columns + i] = c;
}

/* After hcri_kernel_remove. */
static void forget(hcri_lp *lp, size_t r, size_t c) {
    const size_t last = lp->kernel.size;
    lp->place[lp->basic[r]] = HCRI_NOWHERE;
    lp->place[lp->columns + lp->active[c]] = HCRI_NOWHERE;
    if (r != last)
        enter_column(lp, r, lp->basic[last]);
    if (c != last)
        enter_active(lp, c, lp->active[last]);
}

static void leave_all(hcri_lp *lp) {
    for (size_t k = 0; k < lp->kernel.size; k++) {
        lp->place[lp->basic[k]] = HCRI_NOWHERE;
        lp->place[lp->columns + lp->active[k]] = HCRI_NOWHERE;
    }
    lp->kernel.size = 0;
}

static double entry(const hcri_lp *lp, size_t i, size_t j) {
    const hcri_row row = hcri_rows_row(&lp->matrix, i);
    size_t low = 0, high = row.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (row.columns[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row.count && row.columns[low] == j ? row.values[low] : 0;
}

/* Nonbasic variables go to the nearer of their bounds, and the others follow. */
static void place_all(hcri_lp *lp) {
    const size_t size = lp->kernel.size;
    for (size_t v = 0; v < lp->columns + lp->rows; v++) {
        if (hcri_lp_is_basic(lp, v))
            continue;
        const int low = !isinf(lp->lower[v]), high = !isinf(lp->upper[v]);
        const double middle = low && high ? lp->lower[v] + 0.5 * (lp->upper[v] - lp->lower[v]) : 0;
        lp->x[v] = low && (!high || lp->x[v] <= middle) ? lp->lower[v] : high ? lp->upper[v] : 0;
    }
    for (size_t r = 0; r < size; r++)
        lp->x[lp->basic[r]] = 0;
    for (size_t c = 0; c < size; c++)
        lp->small[0][c] = -hcri_rows_dot_minus(&lp->matrix, lp->active[c], lp->x, lp->x[lp->columns + lp->active[c]]);
    hcri_kernel_solve(&lp->kernel, lp->small[0], lp->small[1]);
    for (size_t r = 0; r < size; r++)
        lp->x[lp->basic[r]] = lp->small[1][r];
    for (size_t c = 0; c < size; c++) /* once more, of what that leaves */
        lp->small[0][c] = -hcri_rows_dot_minus(&lp->matrix, lp->active[c], lp->x, lp->x[lp->columns + lp->active[c]]);
    hcri_kernel_solve(&lp->kernel, lp->small[0], lp->small[1]);
    for (size_t r = 0; r < size; r++)
        lp->x[lp->basic[r]] += lp->small[1][r];
    for (size_t i = 0; i < lp->rows; i++)
        if (hcri_lp_is_basic(lp, lp->columns + i))
            lp->x[lp->columns + i] = hcri_rows_dot(&lp->matrix, i, lp->x, NULL);
}

/* Anew from the matrix; from the slacks alone where the basis has become singular. */
static hcr_status factor(hcri_lp *lp, hcr_error *error) {
    const size_t size = lp->kernel.size;
    HCRI_SCOPED double *M = hcri_allocate(memory, size, size * sizeof *M);
    HCRI_ALLOCATED(M);
    for (size_t c = 0; c < size; c++) {
        const hcri_row row = hcri_rows_row(&lp->matrix, lp->active[c]);
        for (size_t k = 0; k < row.count; k++)
            if (lp->place[row.columns[k]] != HCRI_NOWHERE)
                M[lp->place[row.columns[k]] * size + c] = row.values[k];
    }
    if (size != 0 && !hcri_kernel_invert(&lp->kernel, size, M))
        leave_all(lp);
    lp->updates = 0;
    place_all(lp);
    return HCR_OK;
}

hcr_status hcri_lp_remove_rows(hcri_lp *lp, size_t count, hcr_error *error) {
    (void)error;
    for (size_t k = 0; k < count; k++) {
        const size_t i = --lp->rows, c = lp->place[lp->columns + i];
        if (c != HCRI_NOWHERE) { /* its slack goes, and with it the column that it holds best */
            size_t best = 0;
            for (size_t r = 1; r < lp->kernel.size; r++)
                if (fabs(lp->kernel.inverse[r * lp->kernel.capacity + c]) >
                    fabs(lp->kernel.inverse[best * lp->kernel.capacity + c]))
                    best = r;
            hcri_kernel_remove(&lp->kernel, best, c);
            forget(lp, best, c);
        }
        lp->matrix.count = i;
    }
    return HCR_OK;
}

void hcri_lp_bound_columns(hcri_lp *lp, double *lower, double *upper) {
    for (size_t j = 0; j < lp->columns; j++) {
        lp->lower[j] = lower[j] / lp->unit[j];
        lp->upper[j] = upper[j] / lp->unit[j];
    }
}

/* --------------------------------------------------------------------------------------------------------- pricing */

/* The cost of the phase: what is maximised. Returns whether it is the first. */
static int set_cost(hcri_lp *lp) {
    int first = 0;
    memset(lp->cost, 0, lp->columns * sizeof *lp->cost);
    for (size_t r = 0; r < lp->kernel.size; r++) {
        const double over = hcri_lp_violation(lp, lp->basic[r]);
        if (over != 0)
            lp->cost[lp->basic[r]] -= over > 0 ? 1 : -1;
        first |= over != 0;
    }
    for (size_t i = 0; i < lp->rows; i++) {
        const double over = hcri_lp_is_basic(lp, lp->columns + i) ? hcri_lp_violation(lp, lp->columns + i) : 0;
        if (over == 0)
            continue;
        first = 1;
        hcri_rows_add(&lp->matrix, i, over > 0 ? -1 : 1, lp->cost);
    }
    if (!first)
        memcpy(lp->cost, lp->objective, lp->columns * sizeof *lp->cost);
    return first;
}

/* The multipliers y of the active rows, which the basic columns determine, and the reduced costs c − A'y. */
static void price(hcri_lp *lp) {
    for (size_t r = 0; r < lp->kernel.size; r++)
        lp->small[0][r] = lp->cost[lp->basic[r]];
    hcri_kernel_solve_transposed(&lp->kernel, lp->small[0], lp->small[1]);
    memset(lp->multiplier, 0, lp->rows * sizeof *lp->multiplier);
    memcpy(lp->reduced, lp->cost, lp->columns * sizeof *lp->reduced);
    for (size_t c = 0; c < lp->kernel.size; c++) {
        lp->multiplier[lp->active[c]] = lp->small[1][c];
        hcri_rows_add(&lp->matrix, lp->active[c], -lp->small[1][c], lp->reduced);
    }
}

/* What a nonbasic variable gains the objective a unit, in the direction that it may go; 0 where it may not. */
static double gain(const hcri_lp *lp, size_t v, double cost_size) {
    const double d = hcri_lp_is_slack(lp, v) ? lp->multiplier[v - lp->columns] : lp->reduced[v];
    if (fabs(d) <= hcri_lp_tolerance * cost_size || lp->lower[v] == lp->upper[v])
        return 0;
    return (d > 0 ? lp->x[v] < lp->upper[v] : lp->x[v] > lp->lower[v]) ? d : 0;
}

/* The one with the largest gain; the first while steps have no length (Bland, 1977). HCRI_NOWHERE: none. */
static size_t choose_entering(hcri_lp *lp, double *gained) {
    double most = 0, size = 0;
    size_t chosen = HCRI_NOWHERE;
    for (size_t j = 0; j < lp->columns; j++)
        size = fmax(size, fabs(lp->cost[j]));
    for (size_t k = 0; k < lp->columns + lp->kernel.size; k++) {
        const size_t v = k < lp->columns ? k : lp->columns + lp->active[k - lp->columns];
        if (k < lp->columns && lp->place[v] != HCRI_NOWHERE)
            continue;
        const double d = gain(lp, v, size);
        const int bland = lp->stalls > STALLS;
        if (d != 0 && (bland ? v < chosen : fabs(d) > most)) {
            most = fabs(d);
            chosen = v;
            *gained = d;
        }
    }
    return chosen;
}

/* ------------------------------------------------------------------------------------------------------------ step */

/* How the variables change a unit of the entering one, and with a column, M⁻¹ times its numbers in small[1]. */
static void find_change(hcri_lp *lp, size_t entering, double direction) {
    const size_t size = lp->kernel.size;
    memset(lp->change, 0, (lp->columns + lp->rows) * sizeof *lp->change);
    if (hcri_lp_is_slack(lp, entering)) {
        const size_t c = lp->place[entering];
        for (size_t r = 0; r < size; r++)
            lp->change[lp->basic[r]] = direction * lp->kernel.inverse[r * lp->kernel.capacity + c];
    } else {
        for (size_t c = 0; c < size; c++)
            lp->small[0][c] = entry(lp, lp->active[c], entering);
        hcri_kernel_solve(&lp->kernel, lp->small[0], lp->small[1]);
        for (size_t r = 0; r < size; r++)
            lp->change[lp->basic[r]] = -direction * lp->small[1][r];
        lp->change[entering] = direction;
    }
    for (size_t i = 0; i < lp->rows; i++)
        if (lp->place[lp->columns + i] == HCRI_NOWHERE)
            lp->change[lp->columns + i] = hcri_rows_dot(&lp->matrix, i, lp->change, NULL);
    lp->change[entering] = direction;
}

/* The basis without `out` and with `in`. 0: its pivot is too small after all. */
static hcr_status exchange(hcri_lp *lp, size_t in, size_t out, double direction, hcr_error *error) {
    const size_t size = lp->kernel.size;
    double *row = lp->small[2];
    if (hcri_lp_is_slack(lp, out)) { /* its numbers at the basic columns times M⁻¹ */
        for (size_t r = 0; r < size; r++)
            lp->small[0][r] = entry(lp, out - lp->columns, lp->basic[r]);
        hcri_kernel_solve_transposed(&lp->kernel, lp->small[0], row);
    }
    if (!hcri_lp_is_slack(lp, in) && !hcri_lp_is_slack(lp, out)) {
        const size_t r = lp->place[out];
        hcri_kernel_exchange_column(&lp->kernel, r, lp->small[1]);
        lp->place[out] = HCRI_NOWHERE;
        enter_column(lp, r, in);
    } else if (hcri_lp_is_slack(lp, in) && hcri_lp_is_slack(lp, out)) {
        const size_t c = lp->place[in];
        hcri_kernel_exchange_row(&lp->kernel, c, row);
        lp->place[in] = HCRI_NOWHERE;
        enter_active(lp, c, out - lp->columns);
    } else if (hcri_lp_is_slack(lp, out)) {
        hcri_kernel_add(&lp->kernel, lp->small[1], row, direction * lp->change[out]);
        enter_column(lp, size, in);
        enter_active(lp, size, out - lp->columns);
        HCRI_TRY(reserve_lists(lp, error));
    } else {
        const size_t r = lp->place[out], c = lp->place[in];
        hcri_kernel_remove(&lp->kernel, r, c);
        forget(lp, r, c);
    }
    return ++lp->updates >= UPDATES ? factor(lp, error) : HCR_OK;
}

static hcr_status take_step(hcri_lp *lp, size_t entering, double direction, hcri_leaving at, hcr_error *error) {
    const double range = lp->upper[entering] - lp->lower[entering];
    const int flips = range <= at.length;
    const double length = flips ? range : at.length;
    for (size_t v = 0; v < lp->columns + lp->rows; v++)
        lp->x[v] += length * lp->change[v];
    lp->stalls = length > 1e-12 ? 0 : lp->stalls + 1;
    if (flips) {
        lp->x[entering] = direction > 0 ? lp->upper[entering] : lp->lower[entering];
        return HCR_OK;
    }
    lp->x[at.variable] = at.bound;
    return exchange(lp, entering, at.variable, direction, error);
}

/* -------------------------------------------------------------------------------------------------------- solution */

/* As clp.c has it. */
static double most_of(double multiplier, double lower, double upper) {
    const double limit = multiplier > 0 ? upper : lower;
    return multiplier == 0 ? 0 : isinf(limit) ? INFINITY : multiplier * limit;
}

/* c·x = y·Ax + (c − A'y)·x is at most this, whatever y is: weak duality. Where a column has no bound, what rounding
 * leaves of its reduced cost counts as at the solution. */
static double dual_bound(hcri_lp *lp) {
    double bound = 0;
    const double largest = hcri_max_norm(lp->columns, lp->objective);
    double *added = lp->change;
    for (size_t j = 0; j < lp->columns; j++)
        added[j] = largest;
    memcpy(lp->reduced, lp->objective, lp->columns * sizeof *lp->reduced);
    for (size_t i = 0; i < lp->rows; i++) {
        const hcri_row row = hcri_rows_row(&lp->matrix, i);
        const size_t v = lp->columns + i;
        if (isinf(lp->multiplier[i] > 0 ? lp->upper[v] : lp->lower[v])) /* rounding gave it that sign */
            lp->multiplier[i] = 0;
        bound += most_of(lp->multiplier[i], lp->lower[v], lp->upper[v]);
        for (size_t k = 0; k < row.count && lp->multiplier[i] != 0; k++) {
            const double term = row.values[k] * lp->multiplier[i];
            lp->reduced[row.columns[k]] -= term;
            added[row.columns[k]] += fabs(term);
        }
    }
    for (size_t j = 0; j < lp->columns; j++) {
        const double most = most_of(lp->reduced[j], lp->lower[j], lp->upper[j]);
        bound += isinf(most) && fabs(lp->reduced[j]) <= hcri_reduced_cost_rounding * added[j]
                     ? fabs(lp->reduced[j] * lp->x[j])
                     : most;
    }
    return bound;
}

/* What ends it is looked at again with a fresh inverse. */
static hcr_status solve(hcri_lp *lp, hcri_lp_outcome *outcome, hcr_error *error) {
    const size_t most = 10000 + 50 * (lp->columns + lp->rows);
    HCRI_TRY(factor(lp, error));
    for (size_t steps = 0; steps < most; steps++) {
        double gained = 0;
        const int first = set_cost(lp);
        price(lp);
        const size_t entering = choose_entering(lp, &gained);
        hcri_leaving at = {HCRI_NOWHERE, INFINITY, 0};
        if (entering != HCRI_NOWHERE) {
            find_change(lp, entering, gained > 0 ? 1 : -1);
            at = first ? hcri_lp_break(lp, entering, gained) : hcri_lp_leaving(lp, entering);
        }
        const int ends =
            entering == HCRI_NOWHERE || (isinf(at.length) && isinf(lp->upper[entering] - lp->lower[entering]));
        if (ends && lp->updates == 0) {
            *outcome = first ? HCRI_LP_INFEASIBLE : entering == HCRI_NOWHERE ? HCRI_LP_OPTIMAL : HCRI_LP_UNBOUNDED;
            return HCR_OK;
        }
        if (ends)
            HCRI_TRY(factor(lp, error));
        else
            HCRI_TRY(take_step(lp, entering, gained > 0 ? 1 : -1, at, error));
        if (steps % 100 == 0)
            HCRI_TRY(hcri_stop_check(error));
    }
    return hcri_fail(error, HCR_ERROR_SOLVER,
                     "the simplex method gave up on a linear program: rescale the constraints so that their "
                     "coefficients have similar sizes");
}

/* The largest coefficient of each column becomes about 1, and the basis that of the slacks. */
static void change_units(hcri_lp *lp) {
    double *unit = lp->cost;
    hcri_program scaled = {.columns = lp->columns, .rows = lp->matrix};
    hcri_program_scale_columns(&scaled, unit);
    for (size_t j = 0; j < lp->columns; j++) {
        lp->unit[j] *= unit[j];
        lp->objective[j] *= unit[j];
        lp->lower[j] /= unit[j];
        lp->upper[j] /= unit[j];
        lp->x[j] /= unit[j];
    }
    leave_all(lp);
    lp->stalls = 0;
}

hcr_status hcri_lp_maximise(hcri_lp *lp, const double *objective, hcri_lp_outcome *outcome, hcr_error *error) {
    HCRI_TRY(hcri_stop_check(error));
    for (size_t j = 0; j < lp->columns; j++)
        lp->objective[j] = objective[j] * lp->unit[j];
    lp->stalls = 0;
    for (size_t v = 0; v < lp->columns + lp->rows; v++)
        if (lp->lower[v] > lp->upper[v] + hcri_lp_tolerance_at(lp->upper[v])) {
            *outcome = HCRI_LP_INFEASIBLE;
            return HCR_OK;
        }
    hcr_status status = solve(lp, outcome, error);
    if (status == HCR_ERROR_SOLVER) { /* columns of unlike sizes led it in circles */
        change_units(lp);
        status = solve(lp, outcome, error);
    }
    HCRI_TRY(status);
    for (size_t j = 0; j < lp->columns; j++)
        lp->solution[j] = lp->x[j] * lp->unit[j];
    if (*outcome == HCRI_LP_OPTIMAL)
        lp->bound = dual_bound(lp);
    return HCR_OK;
}

hcr_status hcri_lp_maximise_inside(hcri_lp *lp, const double *objective, hcri_lp_outcome *outcome, hcr_error *error) {
    return hcri_lp_maximise(lp, objective, outcome, error);
}

const double *hcri_lp_solution(const hcri_lp *lp) { return lp->solution; }
const double *hcri_lp_multipliers(const hcri_lp *lp) { return lp->multiplier; }
double hcri_lp_bound(const hcri_lp *lp) { return fmax(lp->bound, hcri_lp_value(lp)); }

double hcri_lp_value(const hcri_lp *lp) {
    const double sum = hcri_dot(lp->columns, lp->objective, lp->x);
    return sum;
}
