/* How far a set reaches: its directions of recession, and its extremes. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/vector.h"
#include "dense/dense.h"
#include "origin/boundedness_certificate.h"
#include "origin/local_program.h"
#include "origin/origin_tolerances.h"
#include "origin/outer_approximation.h"
#include "origin/polytope_reach.h"
#include "origin/reach_bounds.h"
#include "solvers/linear_program.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* ------------------------------------------------------------------------------------------------------ recession */

/* {(d, r) : |d_j| <= 1, 0 <= r, a·d + |a| r <= 0 for every side and cut}; d_j = 0 where y_j has a bound. */
typedef struct recession {
    hcri_outer *outer;
    hcri_lp *lp;
    double *lower, *upper, *direction; /* of the columns; of the outputs */
    double *values;                    /* a row being made, n + 1 */
    uint32_t *columns;
    size_t placed; /* cuts */
} recession;

static void recession_release(recession *at) { hcri_lp_free(at->lp); }

/* The row with r, which has the length of what is open of it. */
static hcri_row recession_row(const recession *at, hcri_row row, double sign) {
    double squares = 0;
    for (size_t k = 0; k < row.count; k++) {
        at->columns[k] = row.columns[k];
        at->values[k] = row.values[k];
        squares += at->lower[row.columns[k]] < at->upper[row.columns[k]] ? row.values[k] * row.values[k] : 0;
    }
    at->columns[row.count] = (uint32_t)at->outer->set->n;
    at->values[row.count] = sign * sqrt(squares);
    return (hcri_row){row.count + 1, at->columns, at->values};
}

static hcr_status place(recession *at, hcr_error *error) {
    const hcri_rows *cuts = &at->outer->cuts.rows;
    for (; at->placed < cuts->count; ++at->placed)
        HCRI_TRY(hcri_lp_add_row(at->lp, recession_row(at, hcri_rows_row(cuts, at->placed), 1), -INFINITY, 0, error));
    return HCR_OK;
}

static hcr_status recession_lp(recession *at, hcr_error *error) {
    const hcri_set *set = at->outer->set;
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    HCRI_TRY(hcri_program_create(&program, set->n + 1, error));
    for (size_t j = 0; j < set->n; j++) {
        program.lower[j] = at->lower[j] = isinf(at->outer->lower[j]) ? -1 : 0;
        program.upper[j] = at->upper[j] = isinf(at->outer->upper[j]) ? 1 : 0;
    }
    program.lower[set->n] = at->lower[set->n] = 0;
    program.upper[set->n] = at->upper[set->n] = 2 * sqrt((double)set->n); /* more than there is */
    for (uint32_t j = 0; j < set->n; j++) {
        const double sign = at->lower[j] + at->upper[j]; /* of d_j where one side is open */
        const uint32_t columns[2] = {j, (uint32_t)set->n};
        const double values[2] = {sign, -1};
        if (sign != 0)
            HCRI_TRY(hcri_program_add_row(&program, (hcri_row){2, columns, values}, 0, INFINITY, error));
    }
    for (size_t i = 0; i < set->linear->rows.count; i++) {
        const int below = !isinf(set->linear->lower[i]), above = !isinf(set->linear->upper[i]);
        const hcri_row row = recession_row(at, hcri_rows_row(&set->linear->rows, i), above - below);
        HCRI_TRY(hcri_program_add_row(&program, row, below ? 0 : -INFINITY, above ? 0 : INFINITY, error));
    }
    HCRI_TRY(hcri_lp_create(&program, &at->lp, error));
    return place(at, error);
}

/* Follows the ray until an inequality stops it, and cuts it off there; *stopped = 0 when none does up to where the
 * polytope's bounds stop it or mean none, or when its cut leaves the direction but for rounding. */
static hcr_status follow(hcri_outer *outer, const double *direction, int *stopped, hcr_error *error) {
    const hcri_set *set = outer->set;
    hcri_cuts *cuts = &outer->cuts;
    double size = 1, end = HCRI_NO_BOUND;
    HCRI_SCOPED double *far = hcri_allocate(memory, set->n, sizeof *far);
    HCRI_ALLOCATED(far);
    for (size_t j = 0; j < set->n; j++) {
        const double bound = direction[j] > 0 ? outer->upper[j] : outer->lower[j];
        size = fmax(size, fabs(cuts->interior[j]));
        if (direction[j] != 0)
            end = fmin(end, fmax((bound - cuts->interior[j]) / direction[j], 0));
    }
    size_t violated = 0;
    const size_t before = cuts->count;
    for (double t = size; t < 4 * end && t < HCRI_NO_BOUND && violated == 0; t *= 4) {
        for (size_t j = 0; j < set->n; j++)
            far[j] = cuts->interior[j] + fmin(t, end) * direction[j];
        HCRI_TRY(hcri_cuts_separate(cuts, far, &violated, error));
    }
    *stopped = 0;
    for (size_t k = before; k < cuts->count; k++)
        *stopped |= hcri_rows_dot(&cuts->rows, k, direction, NULL) > 1e-9;
    return HCR_OK;
}

/* Maximises the objective until its best direction is followed for ever, or has too little room or too small a value
 * (*found = 0). */
static hcr_status recede(recession *at, const double *objective, double least_room, int *found, hcr_error *error) {
    const size_t n = at->outer->set->n, most = 200 + 20 * n;
    for (size_t round = 0;; round++) {
        hcri_lp_outcome outcome;
        int stopped = 0;
        HCRI_TRY(hcri_lp_maximise(at->lp, objective, &outcome, error));
        *found = outcome == HCRI_LP_OPTIMAL && hcri_lp_value(at->lp) > hcri_unbounded_value &&
                 hcri_lp_solution(at->lp)[n] >= least_room;
        if (!*found)
            return HCR_OK;
        memcpy(at->direction, hcri_lp_solution(at->lp), n * sizeof *at->direction);
        if (round < most)
            HCRI_TRY(follow(at->outer, at->direction, &stopped, error));
        if (!stopped)
            return HCR_OK;
        HCRI_TRY(place(at, error));
    }
}

/* Any cone other than {0} has a direction of positive product with a generic vector or its opposite. One with an inside
 * is tried for first: the middle of what the cuts leave comes inside soon, where a tip of it may never do. */
static hcr_status find_direction(recession *at, double *objective, int *found, hcr_error *error) {
    static const double room = 1e-4;
    const size_t n = at->outer->set->n;
    hcri_random random;
    HCRI_TRY(recession_lp(at, error));
    hcri_random_seed(&random, 1);
    for (size_t j = 0; j < n; j++)
        objective[j] = (hcri_random_bits(&random) % 2 == 0 ? 1 : -1) * (1 + hcri_random_uniform(&random));
    objective[n] = 1e3 * (double)n;
    HCRI_TRY(recede(at, objective, room, found, error));
    objective[n] = at->upper[n] = 0;
    hcri_lp_bound_columns(at->lp, at->lower, at->upper);
    for (int side = 0; side < 2 && !*found; side++) {
        HCRI_TRY(recede(at, objective, 0, found, error));
        for (size_t j = 0; j < n; j++)
            objective[j] = -objective[j];
    }
    return HCR_OK;
}

hcr_status hcri_outer_prove(hcri_outer *outer, int *bounded, double *direction, hcr_error *error) {
    const size_t n = outer->set->n;
    *bounded = 1;
    if (outer->bounded)
        return HCR_OK;
    HCRI_TRY(hcri_boundedness_prove(outer->set, outer->lower, outer->upper, &outer->rows_bound, error));
    if (outer->rows_bound) {
        outer->bounded = 1;
        return HCR_OK;
    }
    HCRI_SCOPED double *numbers = hcri_allocate(memory, 4 * (n + 1), sizeof *numbers);
    HCRI_SCOPED uint32_t *columns = hcri_allocate(memory, n + 1, sizeof *columns);
    HCRI_ALLOCATED(numbers && columns);
    HCRI_SCOPED_BY(recession_release)
    recession at = {.outer = outer,
                    .lower = numbers + n + 1,
                    .upper = numbers + 2 * (n + 1),
                    .values = numbers + 3 * (n + 1),
                    .direction = direction,
                    .columns = columns};
    int found = 0;
    HCRI_TRY(find_direction(&at, numbers, &found, error));
    outer->bounded = *bounded = !found;
    return HCR_OK;
}

/* -------------------------------------------------------------------------------------------------------- extremes */

/* Are outputs so few that each extreme has linear programs of its own? The other way wants a bounded set. */
static int are_few(const hcri_outer *outer) { return outer->set->n <= (outer->bounded ? 12 : 30); }

typedef struct extremes {
    hcri_outer *outer;
    hcri_local local;
    hcri_lp *lp;
    size_t placed, kept; /* cuts that are rows, and those that stay */
    double *objective, *y;
} extremes;

static hcr_status place_cuts(extremes *at, hcr_error *error) {
    const hcri_cuts *cuts = &at->outer->cuts;
    for (; at->placed < cuts->count; at->placed++) {
        const double slack = -hcri_rows_dot_minus(&cuts->rows, at->placed, at->local.centre, cuts->right[at->placed]);
        HCRI_TRY(
            hcri_lp_add_row(at->lp, hcri_rows_row(&cuts->rows, at->placed), -INFINITY, slack / at->local.scale, error));
    }
    return HCR_OK;
}

/* How far sign a·y reaches from the centre, a being row i, in units of the scale; infinite where the polytope is open.
 */
static hcr_status one_extreme(extremes *at, const hcri_rows *a, size_t i, double sign, size_t rounds, double *reach,
                              hcr_error *error) {
    static const double close = 1.1;
    hcri_outer *outer = at->outer;
    const size_t n = outer->set->n;
    hcr_status status = HCR_OK;
    *reach = INFINITY;
    for (size_t k = a->start[i]; k < a->start[i + 1]; k++)
        at->objective[a->columns[k]] = sign * a->values[k];
    for (size_t round = 0; round < rounds && status == HCR_OK; round++) {
        hcri_lp_outcome outcome;
        status = hcri_lp_maximise(at->lp, at->objective, &outcome, error);
        if (status != HCR_OK || outcome != HCRI_LP_OPTIMAL)
            break;
        *reach = fmin(*reach, hcri_lp_bound(at->lp));
        const double *z = hcri_lp_solution(at->lp);
        for (size_t k = 0; k < n; k++)
            at->y[k] = at->local.centre[k] + at->local.scale * z[k];
        if (close * hcri_cuts_reach(&outer->cuts, at->y) >= 1)
            break;
        size_t violated;
        status = hcri_cuts_separate(&outer->cuts, at->y, &violated, error);
        if (status == HCR_OK)
            status = place_cuts(at, error);
    }
    for (size_t k = a->start[i]; k < a->start[i + 1]; k++)
        at->objective[a->columns[k]] = 0;
    /* Cuts for one extreme say little about the others, and many make the programs slow. */
    if (status == HCR_OK && at->placed > at->kept)
        status = hcri_lp_remove_rows(at->lp, at->placed - at->kept, error);
    at->placed = at->kept;
    hcri_cuts_keep(&outer->cuts, at->kept);
    return status;
}

/* Cuts across every output, or those that are open. */
static hcr_status cut_axes(hcri_outer *outer, int many, hcr_error *error) {
    const size_t n = outer->set->n;
    HCRI_SCOPED double *direction = hcri_allocate(memory, n, sizeof *direction);
    HCRI_ALLOCATED(direction);
    for (size_t j = 0; j < outer->set->outputs; j++)
        for (int side = 0; side < 2; side++) {
            int stopped;
            if (many && !isinf(side == 0 ? outer->upper[j] : outer->lower[j]))
                continue;
            direction[j] = side == 0 ? 1 : -1;
            HCRI_TRY(follow(outer, direction, &stopped, error));
            direction[j] = 0;
        }
    return HCR_OK;
}

/* The extremes of the rows, or in many outputs of those that are open. */
static hcr_status extremes_of(extremes *at, const hcri_rows *a, double *lower, double *upper, hcr_error *error) {
    enum { LEAST_ROUNDS = 2, ROUNDS_TIMES_OUTPUTS = 160 };
    const size_t n = at->outer->set->n, share = ROUNDS_TIMES_OUTPUTS / n;
    const size_t rounds = share > LEAST_ROUNDS ? share : LEAST_ROUNDS;
    const int many = !are_few(at->outer);
    for (size_t i = 0; i < a->count; i++)
        for (int side = 0; side < 2; side++) {
            if (many && !isinf(side == 0 ? upper[i] : lower[i]))
                continue;
            double reach, sizes;
            HCRI_TRY(one_extreme(at, a, i, side == 0 ? 1 : -1, rounds, &reach, error));
            const double at_centre = hcri_rows_dot(a, i, at->local.centre, &sizes);
            if (!isinf(reach))
                hcri_bounds_take(at_centre, at->local.scale, reach * at->local.scale + 0x1p-45 * sizes, side, &lower[i],
                                 &upper[i]);
        }
    return HCR_OK;
}

/* gram += a a'/slack² */
static void add_side(size_t n, hcri_row a, double slack, double *gram) {
    for (size_t k = 0; k < a.count && slack > 0; k++)
        for (size_t l = 0; l <= k; l++)
            gram[a.columns[k] * n + a.columns[l]] += a.values[k] / slack * (a.values[l] / slack);
}

/* Σ a a'/slack² over the sides and cuts, a lower half: about the shape of the set around y. */
static void shape_around(const hcri_outer *outer, const double *y, double *gram) {
    static const double one = 1;
    const hcri_set *set = outer->set;
    const hcri_linear *linear = set->linear;
    for (uint32_t j = 0; j < set->n; j++) {
        add_side(set->n, (hcri_row){1, &j, &one}, outer->upper[j] - y[j], gram);
        add_side(set->n, (hcri_row){1, &j, &one}, y[j] - outer->lower[j], gram);
    }
    for (size_t i = 0; i < linear->rows.count; i++) {
        add_side(set->n, hcri_rows_row(&linear->rows, i), -hcri_rows_dot_minus(&linear->rows, i, y, linear->upper[i]),
                 gram);
        add_side(set->n, hcri_rows_row(&linear->rows, i), hcri_rows_dot_minus(&linear->rows, i, y, linear->lower[i]),
                 gram);
    }
    for (size_t i = 0; i < outer->cuts.count; i++)
        add_side(set->n, hcri_rows_row(&outer->cuts.rows, i),
                 -hcri_rows_dot_minus(&outer->cuts.rows, i, y, outer->cuts.right[i]), gram);
}

/* Cuts about where each output is largest and least: where it is so in an ellipsoid of the same shape. */
static hcr_status cut_ends(hcri_outer *outer, const double *y, hcr_error *error) {
    const size_t n = outer->set->n;
    HCRI_SCOPED double *gram = hcri_allocate(memory, n * n + n, sizeof *gram);
    HCRI_ALLOCATED(gram);
    double *direction = gram + n * n;
    shape_around(outer, y, gram);
    const lapack_int size = (lapack_int)n;
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', size, gram, size) != 0)
        return HCR_OK;
    for (size_t j = 0; j < outer->set->outputs; j++)
        for (int side = 0; side < 2; side++) {
            int stopped;
            memset(direction, 0, n * sizeof *direction);
            direction[j] = side == 0 ? 1 : -1;
            if (LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'U', size, 1, gram, size, direction, size) != 0)
                return HCR_OK;
            const double length = hcri_max_norm(n, direction);
            for (size_t k = 0; k < n; k++)
                direction[k] /= length;
            HCRI_TRY(follow(outer, direction, &stopped, error));
        }
    return HCR_OK;
}

/* The bounds, the rows and the cuts. */
static hcr_status polytope_of(const hcri_outer *outer, hcri_set *polytope, hcr_error *error) {
    const hcri_set *set = outer->set;
    const hcri_cuts *cuts = &outer->cuts;
    HCRI_TRY(hcri_set_copy(set, &set->allocator, polytope, error));
    hcri_set_drop_functions(polytope);
    for (size_t i = 0; i < cuts->count; i++)
        HCRI_TRY(hcri_linear_append(polytope->linear, hcri_rows_row(&cuts->rows, i), -INFINITY, cuts->right[i],
                                    (hcri_source_row){0, 0}, error));
    return hcri_set_number(polytope, error);
}

/* All at once: cuts for one extreme say little about the others, and each is a linear program of all cuts. */
static hcr_status narrow_together(hcri_outer *outer, const double *y, double radius, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_set_release) hcri_set polytope = {0};
    HCRI_TRY(polytope_of(outer, &polytope, error));
    const hcri_local local = {&polytope, y, radius, NULL};
    int found;
    return hcri_extent_narrow(&local, outer->lower, outer->upper, &found, error);
}

hcr_status hcri_outer_extremes(hcri_outer *outer, const double *y, double radius, const hcri_rows *a, double *lower,
                               double *upper, hcr_error *error) {
    const size_t n = outer->set->n;
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    HCRI_SCOPED_BY(hcri_rows_scoped) hcri_rows outputs = {0};
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *lp = NULL;
    HCRI_SCOPED double *objective = hcri_allocate(memory, 2 * n, sizeof *objective);
    HCRI_ALLOCATED(objective);
    extremes at = {.outer = outer, .local = {outer->set, y, radius, NULL}, .objective = objective, .y = objective + n};
    hcri_cuts_set_interior(&outer->cuts, y);
    const int few = are_few(outer);
    if (!outer->bounded && !few) /* most ends are open, which linear programs are slow to find */
        return HCR_OK;
    HCRI_TRY(hcri_local_plain(&at.local, &program, error));
    HCRI_TRY(hcri_lp_create(&program, &lp, error));
    at.lp = lp;
    for (uint32_t j = 0; j < outer->set->outputs; j++) {
        static const double one = 1;
        HCRI_TRY(hcri_rows_append(&outputs, memory, 1, &j, &one, error));
    }
    HCRI_TRY(cut_axes(outer, !few, error));
    for (int k = 0; k < 2 && !few; k++)
        HCRI_TRY(cut_ends(outer, y, error));
    if (!few)
        HCRI_TRY(narrow_together(outer, y, radius, error));
    HCRI_TRY(place_cuts(&at, error));
    at.kept = at.placed;
    HCRI_TRY(extremes_of(&at, &outputs, outer->lower, outer->upper, error));
    return a == NULL ? HCR_OK : extremes_of(&at, a, lower, upper, error);
}
