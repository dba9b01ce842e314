#include "origin/reach_bounds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "dense/dense.h"
#include "origin/bound_propagation.h"
#include "origin/boundedness_certificate.h"
#include "origin/constraint_words.h"
#include "origin/local_program.h"
#include "origin/origin_tolerances.h"
#include "origin/outer_approximation.h"
#include "origin/polytope_reach.h"
#include "origin/single_quadratic.h"
#include "solvers/linear_program.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

int hcri_bounds_closed(size_t n, const double *lower, const double *upper) {
    for (size_t j = 0; j < n; j++)
        if (isinf(lower[j]) || isinf(upper[j]))
            return 0;
    return 1;
}

/* Quadratics with a positive definite matrix: the box around an ellipsoid; diagonal ones are for propagation. */
static hcr_status ellipsoid_boxes(const hcri_set *set, double *lower, double *upper, hcr_error *error) {
    enum { ALWAYS = 500 };                  /* outputs above which a factorisation has to be needed */
    static const double widened = 1 + 1e-6; /* for the condition of the matrix */
    for (size_t b = 2; b < set->blocks; b++) {
        const hcri_quadratic *quadratic = hcri_block_quadratic(set->block[b]);
        if (quadratic == NULL || quadratic->form == HCRI_DIAGONAL ||
            (set->n > ALWAYS && hcri_bounds_closed(set->n, lower, upper)))
            continue;
        hcri_ellipsoid ellipsoid;
        HCRI_TRY(hcri_ellipsoid_find(quadratic, &ellipsoid, error));
        for (size_t j = 0; ellipsoid.definite && j < set->n; j++) {
            const double reach = widened * ellipsoid.half[j] + 0x1p-40 * fabs(ellipsoid.centre[j]);
            lower[j] = fmax(lower[j], ellipsoid.centre[j] - reach);
            upper[j] = fmin(upper[j], ellipsoid.centre[j] + reach);
        }
        hcri_ellipsoid_release(&ellipsoid);
    }
    return HCR_OK;
}

hcr_status hcri_bounds_derive(const hcri_set *set, double *lower, double *upper, hcr_error *error) {
    memcpy(lower, set->box->lower, set->n * sizeof *lower);
    memcpy(upper, set->box->upper, set->n * sizeof *upper);
    hcri_propagate(set, lower, upper);
    HCRI_TRY(ellipsoid_boxes(set, lower, upper, error));
    hcri_propagate(set, lower, upper);
    for (size_t j = 0; j < set->n; j++)
        if (!(lower[j] < upper[j])) { /* empty, which is for the search for an interior to show */
            memcpy(lower, set->box->lower, set->n * sizeof *lower);
            memcpy(upper, set->box->upper, set->n * sizeof *upper);
            break;
        }
    return HCR_OK;
}

/* -------------------------------------------------------------------------------------------------- recession cone */

/* P with its rows and columns divided by size_j = √P_jj: as well conditioned as scaling makes it. */
static void scaled_matrix(const hcri_quadratic *quadratic, double *matrix, double *size) {
    const size_t n = quadratic->base.n;
    for (size_t j = 0; j < n; j++)
        size[j] = sqrt(fmax(0, quadratic->matrix[j * n + j]));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            matrix[i * n + j] = size[i] > 0 && size[j] > 0 ? quadratic->matrix[i * n + j] / size[i] / size[j] : 0;
}

/* Rows v·d = 0 for the range of a dense P: eigenvectors of the scaled matrix whose eigenvalues aren't 0 in floating
 * point. */
static hcr_status add_range(const hcri_quadratic *quadratic, hcri_program *program, hcr_error *error) {
    const size_t n = quadratic->base.n;
    const lapack_int size = (lapack_int)n;
    if (n > HCRI_LARGEST_DENSE)
        return hcri_fail(error, HCR_ERROR_UNSUPPORTED,
                         "a dense quadratic in more than %d outputs needs bounds on all of them", HCRI_LARGEST_DENSE);
    HCRI_SCOPED uint32_t *columns = hcri_allocate(memory, n, sizeof *columns);
    HCRI_SCOPED double *numbers = hcri_allocate(memory, n * n + 3 * n, sizeof *numbers);
    HCRI_ALLOCATED(columns && numbers);
    double *matrix = numbers, *sizes = numbers + n * n, *eigenvalue = sizes + n, *row = eigenvalue + n;
    scaled_matrix(quadratic, matrix, sizes);
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', size, matrix, size, eigenvalue) != 0)
        return hcri_fail(error, HCR_ERROR_SOLVER, "the eigenvalues of a quadratic's matrix can't be computed");
    for (size_t k = 0; k < n; k++) {
        if (eigenvalue[k] <= 1e-12 * eigenvalue[n - 1])
            continue;
        size_t terms = 0;
        for (size_t j = 0; j < n; j++)
            if (sizes[j] > 0) {
                columns[terms] = (uint32_t)j;
                row[terms++] = matrix[k * n + j] * sizes[j];
            }
        HCRI_TRY(hcri_program_add_row(program, (hcri_row){terms, columns, row}, 0, 0, error));
    }
    return HCR_OK;
}

/* P d = 0 and q·d <= 0. */
static hcr_status add_recession(const hcri_quadratic *quadratic, hcri_program *program, hcr_error *error) {
    const size_t n = quadratic->base.n;
    const hcri_rows *factor = &quadratic->factor;
    if (quadratic->form == HCRI_DENSE)
        HCRI_TRY(add_range(quadratic, program, error));
    for (size_t k = 0; k < factor->count; k++)
        HCRI_TRY(hcri_program_add_row(program, hcri_rows_row(factor, k), 0, 0, error));
    HCRI_SCOPED uint32_t *columns = hcri_allocate(memory, n, sizeof *columns);
    HCRI_SCOPED double *values = hcri_allocate(memory, n, sizeof *values);
    HCRI_ALLOCATED(columns && values);
    size_t terms = 0;
    for (size_t j = 0; j < n; j++) {
        if (quadratic->form == HCRI_DIAGONAL && quadratic->matrix[j] > 0) {
            program->lower[j] = program->upper[j] = 0;
        } else if (quadratic->linear[j] != 0) {
            columns[terms] = (uint32_t)j;
            values[terms++] = quadratic->linear[j];
        }
    }
    if (terms != 0)
        HCRI_TRY(hcri_program_add_row(program, (hcri_row){terms, columns, values}, -INFINITY, 0, error));
    return HCR_OK;
}

static void open_sides(double *lower, double *upper) {
    *lower = isinf(*lower) ? -INFINITY : 0;
    *upper = isinf(*upper) ? INFINITY : 0;
}

/* {d : |d_j| <= 1, c(y + t d) stays bounded above for t → ∞, for every constraint}: a cone cut off at a cube, around
 * 0 in units of 1. */
static hcr_status recession_program(const hcri_local *local, const double *lower, const double *upper,
                                    hcri_program *program, hcr_error *error) {
    const hcri_set *set = local->set;
    HCRI_TRY(hcri_local_plain(local, program, error));
    for (size_t j = 0; j < program->columns; j++)
        open_sides(&program->lower[j], &program->upper[j]);
    for (size_t i = 0; i < program->rows.count; i++)
        open_sides(&program->row_lower[i], &program->row_upper[i]);
    for (size_t j = 0; j < set->n; j++) {
        program->lower[hcri_local_place(local, j)] = isinf(lower[j]) ? -1 : 0;
        program->upper[hcri_local_place(local, j)] = isinf(upper[j]) ? 1 : 0;
    }
    for (size_t b = 2; b < set->blocks; b++)
        HCRI_TRY(add_recession(hcri_block_quadratic(set->block[b]), program, error));
    return HCR_OK;
}

/* A column as region text has it: load[north,3] is load["north", 3] there. */
static void name_in_text(const hcri_set *set, size_t column, char *text, size_t capacity) {
    char name[128];
    hcri_set_column_name(set, column, name, sizeof name);
    const size_t base = strcspn(name, "[");
    const char *row = name + base + (name[base] == '['), *rest = row + strcspn(row, ",]");
    const char *quote = row[strspn(row, "0123456789")] == *rest ? "" : "\"";
    snprintf(text, capacity, "%.*s%s%s%.*s%s%s%s", (int)base, name, name[base] == '[' ? "[" : "", quote,
             (int)(rest - row), row, quote, *rest == ',' ? ", " : "", rest + (*rest == ','));
}

hcr_status hcri_bounds_refuse(const hcri_set *set, const double *direction, hcr_error *error) {
    char words[512], name[160];
    size_t largest = 0;
    for (size_t j = 1; j < set->n; j++)
        if (fabs(direction[j]) > fabs(direction[largest]))
            largest = j;
    hcri_describe_direction(set, direction, words, sizeof words);
    name_in_text(set, largest, name, sizeof name);
    return hcri_fail(error, HCR_ERROR_UNBOUNDED,
                     "the region is unbounded: nothing stops the direction %s\n"
                     "Add bounds on these outputs, such as %s %s if that is beyond all that can occur, or the line "
                     "`unbounded` to the region: contract and soften then work, decode where something stops it.",
                     words, name, direction[largest] > 0 ? "<= 1e6" : ">= -1e6");
}

/* A cone other than {0} has a direction of positive product with a generic vector or its opposite: two programs decide.
 */
hcr_status hcri_bounds_prove(const hcri_set *set, const double *lower, const double *upper, hcr_error *error) {
    const size_t n = set->n;
    int is_bounded;
    HCRI_TRY(hcri_boundedness_prove(set, lower, upper, &is_bounded, error));
    if (is_bounded)
        return HCR_OK;
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *lp = NULL;
    HCRI_SCOPED double *zeros = hcri_allocate(memory, n, sizeof *zeros);
    const hcri_local local = {set, zeros, 1, set->blocks == 2 ? hcri_local_lift(set) : NULL};
    const size_t columns = hcri_local_columns(&local);
    HCRI_SCOPED double *objective = hcri_allocate(memory, columns, sizeof *objective);
    HCRI_SCOPED double *scale = hcri_allocate(memory, columns, sizeof *scale);
    HCRI_ALLOCATED(zeros && objective && scale);
    HCRI_TRY(recession_program(&local, lower, upper, &program, error));
    hcri_program_scale_columns(&program, scale); /* the cube is as good a cut in other units */
    HCRI_TRY(hcri_lp_create(&program, &lp, error));
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t j = 0; j < n; j++)
        objective[hcri_local_place(&local, j)] =
            (hcri_random_bits(&random) % 2 == 0 ? 1 : -1) * (1 + hcri_random_uniform(&random));
    for (int side = 0; side < 2; side++) {
        hcri_lp_outcome outcome;
        HCRI_TRY(hcri_lp_maximise(lp, objective, &outcome, error));
        for (size_t j = 0; j < n; j++) /* a direction of the free outputs, where there is one */
            zeros[j] = hcri_lp_solution(lp)[hcri_local_place(&local, j)] * scale[hcri_local_place(&local, j)];
        if (outcome == HCRI_LP_OPTIMAL && hcri_lp_value(lp) > hcri_unbounded_value)
            HCRI_TRY(hcri_bounds_refuse(set, zeros, error));
        for (size_t j = 0; j < columns; j++)
            objective[j] = -objective[j];
    }
    return HCR_OK;
}

/* ---------------------------------------------------------------------------------------------------- the extremes */

/* Outputs in one sweep of linear programs up to this many coefficients times outputs; above, only those without a
 * bound. */
static const double cheap_sweep = 2e5;

static double widen(double centre, double inradius, double reach) {
    return reach + hcri_reach_share * fabs(reach) + hcri_reach_floor * inradius + 0x1p-50 * fabs(centre);
}

void hcri_bounds_take(double centre, double inradius, double reach, int side, double *lower, double *upper) {
    const double widened = widen(centre, inradius, reach);
    if (side == 0)
        *upper = fmin(*upper, centre + widened);
    else
        *lower = fmax(*lower, centre - widened);
}

/* Are so many linear programs little work? */
static int is_cheap(const hcri_set *set, size_t programs) {
    const size_t rows = set->linear->rows.count;
    const double numbers = rows == 0 ? 0 : (double)set->linear->rows.start[rows];
    return (double)programs * (numbers + (double)set->n) <= cheap_sweep;
}

typedef struct sweep {
    const hcri_local *local;
    double *lower, *upper;
    hcri_lp *lp;
    double *objective;
    int *reached;       /* 2n: the bounds that a point is known at, so that they can't be narrowed */
    double *low, *high; /* of the program's columns: what bounds imply for the others */
} sweep;

static hcr_status sweep_solve(sweep *at, double *value, hcr_error *error) {
    const hcri_local *local = at->local;
    hcri_lp_outcome outcome;
    *value = INFINITY;
    HCRI_TRY(hcri_lp_maximise(at->lp, at->objective, &outcome, error));
    if (outcome != HCRI_LP_OPTIMAL)
        return HCR_OK;
    *value = hcri_lp_bound(at->lp) * local->scale;
    const double *z = hcri_lp_solution(at->lp);
    for (size_t j = 0; j < local->set->n; j++) {
        const double centre = local->centre[j], reach = z[hcri_local_place(local, j)] * local->scale;
        at->reached[2 * j] |= centre + widen(centre, local->scale, reach) >= at->upper[j];
        at->reached[2 * j + 1] |= centre - widen(centre, local->scale, -reach) <= at->lower[j];
    }
    return HCR_OK;
}

/* What the bounds known so far imply: where one is found by a program, many follow, wider ones. */
static void sweep_propagate(sweep *at) {
    const hcri_local *local = at->local;
    const size_t n = local->set->n;
    for (size_t j = 0; j < n; j++) {
        at->low[hcri_local_place(local, j)] = at->lower[j];
        at->high[hcri_local_place(local, j)] = at->upper[j];
    }
    hcri_propagate(local->lift == NULL ? local->set : local->lift->original, at->low, at->high);
    for (size_t j = 0; j < n; j++) {
        at->lower[j] = fmax(at->lower[j], at->low[hcri_local_place(local, j)]);
        at->upper[j] = fmin(at->upper[j], at->high[hcri_local_place(local, j)]);
    }
}

/* Two corners first, where many bounds are often reached (filtering: Gleixner et al., Three enhancements for
 * optimization-based bound tightening, 2017), when all outputs are asked for. */
static hcr_status sweep_run(sweep *at, int all, hcr_error *error) {
    const hcri_local *local = at->local;
    const size_t outputs = local->set->outputs;
    enum { MANY = 150 }; /* programs, after which bounds that others imply do */
    size_t programs = 0;
    double value;
    for (int side = 0; all && side < 2; side++) {
        for (size_t j = 0; j < outputs; j++)
            at->objective[hcri_local_place(local, j)] = side == 0 ? 1 : -1;
        HCRI_TRY(sweep_solve(at, &value, error));
    }
    memset(at->objective, 0, hcri_local_columns(local) * sizeof *at->objective);
    for (size_t j = 0; j < outputs; j++)
        for (int side = 0; side < 2; side++) {
            if (at->reached[2 * j + (size_t)side] || (!all && !isinf((side == 0 ? at->upper : at->lower)[j])))
                continue;
            double *own = &at->objective[hcri_local_place(local, j)];
            *own = side == 0 ? 1 : -1;
            HCRI_TRY(sweep_solve(at, &value, error));
            if (!isinf(value))
                hcri_bounds_take(local->centre[j], local->scale, value, side, &at->lower[j], &at->upper[j]);
            if (!all && programs++ >= MANY)
                sweep_propagate(at);
            *own = 0;
        }
    return HCR_OK;
}

static hcr_status extremes_by_programs(const hcri_local *local, int all, double *lower, double *upper,
                                       hcr_error *error) {
    const size_t n = local->set->n;
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    HCRI_TRY(hcri_local_plain(local, &program, error));
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *lp = NULL;
    const size_t columns = hcri_local_columns(local);
    HCRI_SCOPED double *objective = hcri_allocate(memory, 3 * columns, sizeof *objective);
    HCRI_SCOPED int *reached = hcri_allocate(memory, 2 * n, sizeof *reached);
    HCRI_ALLOCATED(objective && reached);
    HCRI_TRY(hcri_lp_create(&program, &lp, error));
    double *low = objective + columns, *high = low + columns;
    const hcri_set *original = local->lift == NULL ? local->set : local->lift->original;
    memcpy(low, original->box->lower, columns * sizeof *low);
    memcpy(high, original->box->upper, columns * sizeof *high);
    return sweep_run(&(sweep){local, lower, upper, lp, objective, reached, low, high}, all, error);
}

/* In units of a tiny radius the numbers of outputs that reach far are 1e14 and more, at which CLP goes astray: the unit
 * is a millionth of the largest output, or more, which its tolerance makes a rounding of. */
static double unit_of_reach(const hcri_local *local) {
    static const double share = 1e-6;
    double largest = 0;
    for (size_t j = 0; j < local->set->n; j++)
        largest = fmax(largest, fabs(local->centre[j]));
    return fmax(local->scale, share * largest);
}

static hcr_status linear_extremes(const hcri_local *local, int unbounded, double *lower, double *upper,
                                  hcr_error *error) {
    const hcri_set *set = local->set;
    const size_t n = set->n;
    const int all = is_cheap(set, set->outputs);
    if (set->linear->rows.count == 0 || (!all && (unbounded || hcri_bounds_closed(n, lower, upper))))
        return HCR_OK;
    const hcri_local far = {set, local->centre, all ? local->scale : unit_of_reach(local), NULL};
    const hcri_local lifted = {set, far.centre, far.scale, all ? NULL : hcri_local_lift(set)};
    int found = 0;
    if (lifted.lift != NULL) /* what rounding of the equalities' multipliers leaves open is for the other ways */
        HCRI_TRY(extremes_by_programs(&lifted, all, lower, upper, error));
    if (lifted.lift != NULL && hcri_bounds_closed(n, lower, upper))
        return HCR_OK;
    if (!all)
        HCRI_TRY(hcri_extent_narrow(local, lower, upper, &found, error));
    return found || lifted.lift != NULL ? HCR_OK : extremes_by_programs(&far, all, lower, upper, error);
}

static hcr_status refuse_reach(const hcri_set *set, size_t j, hcr_error *error) {
    char name[128];
    hcri_set_column_name(set, j, name, sizeof name);
    return hcri_fail(error, HCR_ERROR_SOLVER,
                     "the solver can't find how far %s reaches: add a bound on it that it can't exceed", name);
}

/* Outputs that only the quadratics bound, and none of them alone. */
static hcr_status curved_extremes(const hcri_local *local, double *lower, double *upper, hcr_error *error) {
    const hcri_set *set = local->set;
    const size_t n = set->n;
    for (size_t j = 0; j < n && set->blocks == 2; j++)
        if (isinf(lower[j]) || isinf(upper[j]))
            return refuse_reach(set, j, error);
    int bounded;
    HCRI_SCOPED_BY(hcri_outer_release) hcri_outer outer = {.set = NULL};
    HCRI_SCOPED double *direction = hcri_allocate(memory, n, sizeof *direction);
    HCRI_ALLOCATED(direction);
    HCRI_TRY(hcri_outer_create(set, lower, upper, &outer, error));
    hcri_outer_start_at(&outer, local->centre);
    HCRI_TRY(hcri_outer_prove(&outer, &bounded, direction, error));
    HCRI_TRY(hcri_outer_extremes(&outer, local->centre, local->scale, NULL, NULL, NULL, error));
    memcpy(lower, outer.lower, n * sizeof *lower);
    memcpy(upper, outer.upper, n * sizeof *upper);
    return HCR_OK;
}

hcr_status hcri_bounds_narrow(const hcri_set *set, const double *centre, double inradius, int unbounded, double *lower,
                              double *upper, hcr_error *error) {
    const hcri_local local = {set, centre, inradius, NULL};
    HCRI_TRY(linear_extremes(&local, unbounded, lower, upper, error));
    hcri_propagate(set, lower, upper);
    return unbounded || hcri_bounds_closed(set->n, lower, upper) ? HCR_OK
                                                                 : curved_extremes(&local, lower, upper, error);
}

hcr_status hcri_bounds_of_rows(const hcri_set *set, const double *centre, double inradius, const hcri_rows *a,
                               double *lower, double *upper, hcr_error *error) {
    if (!is_cheap(set, a->count))
        return HCR_OK;
    const hcri_local local = {set, centre, inradius, NULL};
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *lp = NULL;
    HCRI_TRY(hcri_local_plain(&local, &program, error));
    HCRI_SCOPED double *objective = hcri_allocate(memory, set->n, sizeof *objective);
    HCRI_ALLOCATED(objective);
    HCRI_TRY(hcri_lp_create(&program, &lp, error));
    for (size_t i = 0; i < a->count; i++)
        for (int side = 0; side < 2; side++) {
            hcri_lp_outcome outcome;
            for (size_t k = a->start[i]; k < a->start[i + 1]; k++)
                objective[a->columns[k]] = side == 0 ? a->values[k] : -a->values[k];
            HCRI_TRY(hcri_lp_maximise(lp, objective, &outcome, error));
            double sizes;
            const double at_centre = hcri_rows_dot(a, i, centre, &sizes);
            if (outcome == HCRI_LP_OPTIMAL && !isinf(hcri_lp_bound(lp)))
                hcri_bounds_take(at_centre, inradius, hcri_lp_bound(lp) * inradius + 0x1p-45 * sizes, side, &lower[i],
                                 &upper[i]);
            for (size_t k = a->start[i]; k < a->start[i + 1]; k++)
                objective[a->columns[k]] = 0;
        }
    return HCR_OK;
}
