#include "origin/analytic_centre.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "origin/conflict.h"
#include "origin/equalities/reduction.h"
#include "origin/largest_ball.h"
#include "origin/local_program.h"
#include "origin/newton_centre.h"
#include "origin/origin_tolerances.h"
#include "origin/point_check.h"
#include "origin/polytope_centre.h"
#include "origin/single_quadratic.h"
#include "solvers/linear_program.h"
#include "solvers/stop_request.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* --------------------------------------------------------------------------------------------- room around a point */

/* Within equalities a quadratic curves no more than without. */
static double curvature_bound(const hcri_set *set, size_t b) {
    const hcri_reduction *reduction = set->reduction;
    return hcri_quadratic_curvature_bound(
        hcri_block_quadratic(reduction == NULL ? set->block[b] : reduction->original->block[reduction->block_of[b]]));
}

/* c(y), and the w with −c(y)/w = the root t of c(y) + |∇c(y)| t + ½ λ t² = 0, which is the mean of the slopes at its
 * two ends, |∇c| and √(|∇c|² − 2λ c(y)). Outside, where there may be no root, a slope of the same size. */
static double measure(const hcri_set *set, size_t b, const double *y, double *gradient, double *value) {
    const hcri_constraint *block = set->block[b];
    *value = block->kind->value(block, 0, y, NULL, block->scratch);
    memset(gradient, 0, set->n * sizeof *gradient);
    block->kind->add_gradient(block, 0, y, 1, gradient, block->scratch);
    const double slope = hcri_gradient_length(set, gradient);
    const double beyond = sqrt(slope * slope + 2 * curvature_bound(set, b) * fabs(*value));
    return *value < 0 ? 0.5 * (slope + beyond) : beyond;
}

static double radius_at(const hcri_set *set, const double *y, double *gradient) {
    double least = hcri_flat_radius(set, y);
    for (size_t b = 2; b < set->blocks; b++) {
        double value;
        const double weight = measure(set, b, y, gradient, &value);
        least = fmin(least, value == 0 ? 0 : -value / weight);
    }
    return least;
}

hcr_status hcri_central_radius(const hcri_set *set, const double *y, double *radius, hcr_error *error) {
    HCRI_SCOPED double *gradient = hcri_allocate(memory, set->n, sizeof *gradient);
    HCRI_ALLOCATED(gradient);
    *radius = radius_at(set, y, gradient);
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------- without solvers */

/* The largest ball that fits between two sides of the same row or bound. */
static double widest_between_sides(const hcri_set *set) {
    double least = INFINITY;
    for (size_t j = 0; j < set->n; j++)
        least = fmin(least, 0.5 * (set->box->upper[j] - set->box->lower[j]) / hcri_side_length(set, j));
    for (size_t i = 0; i < set->linear->rows.count; i++)
        least = fmin(least, 0.5 * (set->linear->upper[i] - set->linear->lower[i]) / hcri_side_length(set, set->n + i));
    return least;
}

/* A guess with the radius that no point can exceed is a centre; y and *radius keep the best guess so far. */
static void take_guess(const hcri_set *set, const double *guess, double *gradient, double *y, double *radius) {
    const double found = radius_at(set, guess, gradient);
    if (found > *radius) {
        *radius = found;
        memcpy(y, guess, set->n * sizeof *y);
    }
}

/* 1 when y is a centre, known without a solver. */
static hcr_status guess_centre(const hcri_set *set, const double *lower, const double *upper, double *y, double *radius,
                               int *known, hcr_error *error) {
    static const double rounding = 1 - 1e-12;
    const size_t n = set->n;
    double most = widest_between_sides(set);
    HCRI_SCOPED double *guess = hcri_allocate(memory, 2 * n, sizeof *guess);
    HCRI_ALLOCATED(guess);
    double *gradient = guess + n;
    *radius = -INFINITY;
    const double *boxes[2][2] = {{set->box->lower, set->box->upper}, {lower, upper}};
    for (size_t k = 0; k < 2; k++) {
        int finite = 1;
        for (size_t j = 0; j < n; j++) {
            guess[j] = boxes[k][0][j] + 0.5 * (boxes[k][1][j] - boxes[k][0][j]);
            finite &= isfinite(guess[j]) != 0;
        }
        if (finite)
            take_guess(set, guess, gradient, y, radius);
    }
    hcr_status status = HCR_OK;
    for (size_t b = 2; b < set->blocks && status == HCR_OK && *radius < rounding * most; b++) {
        hcri_ellipsoid ellipsoid;
        status = hcri_ellipsoid_find(hcri_block_quadratic(set->block[b]), &ellipsoid, error);
        if (status != HCR_OK || !ellipsoid.definite)
            continue;
        double value;
        const double weight = measure(set, b, ellipsoid.centre, gradient, &value);
        if (value < 0) /* the shortest semi-axis, at least where the curvature's bound is sharp */
            most = fmin(most, -value / weight);
        take_guess(set, ellipsoid.centre, gradient, y, radius);
        hcri_ellipsoid_release(&ellipsoid);
    }
    *known = status == HCR_OK && *radius > 0 && *radius >= rounding * most;
    return status;
}

/* ------------------------------------------------------------------------------------------------------ by solvers */

typedef struct search {
    hcri_pool memory;
    const hcri_set *set;
    int flat_only;            /* leave the quadratics out */
    double *y, *z, *gradient; /* the point; the solver's variables and r */
    double scale;             /* of the variables around y */
    double reached;           /* r · scale */
    size_t sides, quadratics; /* with quadratics a barrier method's, else a simplex method's */
    uint32_t *number;         /* of the sides, then of the quadratics … */
    double *multiplier;       /* … and their multipliers in max r */
    double *weight;           /* w_q scale */
} search;

static void search_release(search *at) { hcri_pool_release(&at->memory); }

/* What rounding alone makes of a distance around y. */
static double rounding_at(const search *at) {
    const double size = hcri_max_norm(at->set->n, at->y);
    return 64 * 0x1p-53 * size + 0x1p-1000;
}

/* Starts in the middle of the box, or beside the one side there is (a derived one may be anywhere when the set is
 * empty). */
static hcr_status search_start(search *at, const hcri_set *set, const double *lower, const double *upper, double *y,
                               int flat_only, hcr_error *error) {
    const size_t n = set->n;
    *at = (search){.memory = {.from = memory}, .set = set, .flat_only = flat_only, .y = y};
    const hcr_allocator *own = hcri_pool_allocator(&at->memory);
    at->sides = hcri_local_sides(set);
    at->quadratics = flat_only ? 0 : set->blocks - 2;
    const size_t count = at->sides + at->quadratics;
    at->z = hcri_allocate(own, n + count + set->blocks + 1, sizeof *at->z);
    at->gradient = hcri_allocate(own, n, sizeof *at->gradient);
    at->number = hcri_allocate(own, count, sizeof *at->number);
    at->multiplier = hcri_allocate(own, count, sizeof *at->multiplier);
    at->weight = hcri_allocate(own, set->blocks, sizeof *at->weight);
    HCRI_TRY(hcri_pool_check(&at->memory, error));
    hcri_local_side_numbers(set, at->number);
    for (size_t q = 0; q < at->quadratics; q++)
        at->number[at->sides + q] = set->block[q + 2]->first;
    for (size_t j = 0; j < n; j++) {
        const double half = 0.5 * (upper[j] - lower[j]), low = set->box->lower[j], high = set->box->upper[j];
        if (isinf(half)) {
            y[j] = !isinf(low) ? low + 1 : !isinf(high) ? high - 1 : 0;
        } else {
            y[j] = lower[j] + half;
            at->scale = fmax(at->scale, half);
        }
    }
    if (!(at->scale > 0))
        at->scale = 1;
    at->scale = fmax(at->scale, 1e6 * rounding_at(at));
    return HCR_OK;
}

/* The weights at y; returns the largest r there, in units of the scale. */
static double weigh(search *at) {
    const hcri_set *set = at->set;
    double lowest = hcri_flat_radius(set, at->y) / at->scale;
    for (size_t q = 0; q < at->quadratics; q++) {
        double value;
        at->weight[q] = measure(set, q + 2, at->y, at->gradient, &value);
        if (!(at->weight[q] > 0)) /* the centre of a single point */
            at->weight[q] = curvature_bound(set, q + 2) * at->scale;
        at->weight[q] *= at->scale;
        lowest = fmin(lowest, -value / at->weight[q]);
    }
    return lowest;
}

/* One convex program around y, at a scale at which y isn't far outside. */
static hcr_status solve_convex(search *at, hcr_error *error) {
    static const double far = -10, close_enough = 1e-6;
    const hcri_set *set = at->set;
    const size_t n = set->n;
    double lowest = weigh(at);
    if (lowest < far) {
        at->scale *= lowest / far;
        lowest = weigh(at);
    }
    const hcri_local local = {set, at->y, at->scale, NULL};
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    HCRI_TRY(hcri_local_margin(&local, &program, error));
    const hcri_barrier_set around = {
        .set = set, .program = &program, .centre = at->y, .scale = at->scale, .weight = at->weight};
    double gap;
    HCRI_TRY(hcri_newton_deepest(&around, hcri_solver_tolerance, at->z, at->multiplier, &gap, error));
    /* A point that isn't optimal still serves when it is inside, which is checked in the end. */
    HCRI_FAIL_IF(!(gap <= close_enough) && !(at->z[n] > 0), HCR_ERROR_SOLVER,
                 "no point inside the region was found: rescale the constraints so that their coefficients have "
                 "similar sizes, or give an origin");
    return HCR_OK;
}

/* One linear program around y. */
static hcr_status solve_flat(search *at, hcr_error *error) {
    const hcri_local local = {at->set, at->y, at->scale, NULL};
    const hcr_status status = hcri_ball_find(&local, at->z, at->multiplier, error);
    return status == HCR_ERROR_SOLVER && !at->flat_only ? solve_convex(at, error) : status;
}

/* The largest r, at a scale at which it isn't small. */
static hcr_status search_at_scale(search *at, hcr_error *error) {
    enum { MOST_ROUNDS = 12, MANY = 2000 };
    const double least = at->sides > MANY ? hcri_empty_share * at->scale : 0; /* a round takes seconds there */
    for (int round = 0; round < MOST_ROUNDS; round++) {
        HCRI_TRY((at->quadratics != 0 ? solve_convex : solve_flat)(at, error));
        for (size_t j = 0; j < at->set->n; j++)
            at->y[j] += at->scale * at->z[j];
        const double r = at->z[at->set->n];
        at->reached = r * at->scale;
        if (r >= 1.9) { /* cut off: r <= 2 */
            if (at->flat_only)
                break;
            at->scale *= 1e3;
        } else if (fabs(r) >= hcri_small_radius) {
            break;
        } else {
            const double finer = fmax(fabs(r), hcri_no_radius) * at->scale * 10;
            if (finer <= fmax(rounding_at(at), least) || round + 1 == MOST_ROUNDS)
                break;
            at->scale = finer;
        }
    }
    return HCR_OK;
}

/* The same; with quadratics again from where the weights are those of the point found, as long as that gives more room.
 */
static hcr_status search_largest(search *at, hcr_error *error) {
    enum { MOST_ROUNDS = 4 };
    static const double worthwhile = 1.05;
    HCRI_TRY(search_at_scale(at, error));
    if (at->quadratics == 0 || !(at->reached > 0))
        return HCR_OK;
    const size_t n = at->set->n;
    HCRI_SCOPED double *best = hcri_copy(memory, at->y, n, sizeof *best);
    HCRI_ALLOCATED(best);
    const double reached = at->reached;
    double most = radius_at(at->set, at->y, at->gradient);
    for (int round = 1; round < MOST_ROUNDS; round++) {
        const double before = most;
        at->scale = fmax(at->scale, most);
        const hcr_status status = search_at_scale(at, error);
        if (hcri_is_final(status))
            return status;
        const double found = status == HCR_OK ? radius_at(at->set, at->y, at->gradient) : -INFINITY;
        if (found > most) {
            most = found;
            memcpy(best, at->y, n * sizeof *best);
        }
        if (!(found > worthwhile * before))
            break;
    }
    at->reached = reached;
    memcpy(at->y, best, n * sizeof *best);
    return HCR_OK;
}

static void draw_in(size_t count, double room, double *lower, double *upper) {
    for (size_t i = 0; i < count; i++) {
        lower[i] += room;
        upper[i] -= room;
    }
}

/* Do bounds and rows alone have a point with about so much room, to within CLP's tolerance? A margin far below 0 can be
 * what a few rows make of rounding that the equalities leave next to nothing of. */
static hcr_status find_flat_point(const hcri_set *set, double room, int *found, hcr_error *error) {
    hcri_local local = {set, NULL, 1, hcri_local_lift(set)};
    HCRI_SCOPED double *zeros = hcri_allocate(memory, hcri_local_columns(&local), sizeof *zeros);
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    HCRI_SCOPED_BY(hcri_lp_scoped) hcri_lp *lp = NULL;
    hcri_lp_outcome outcome = HCRI_LP_INFEASIBLE;
    HCRI_ALLOCATED(zeros);
    local.centre = zeros;
    HCRI_TRY(hcri_local_plain(&local, &program, error));
    draw_in(program.columns, room, program.lower, program.upper);
    draw_in(program.rows.count - (local.lift == NULL ? 0 : local.lift->original->equalities.rows.count), room,
            program.row_lower, program.row_upper);
    hcr_status status = hcri_lp_create(&program, &lp, error);
    if (status == HCR_OK)
        status = hcri_lp_maximise(lp, zeros, &outcome, error);
    *found = status == HCR_OK && outcome != HCRI_LP_INFEASIBLE;
    return hcri_is_final(status) ? status : HCR_OK;
}

/* EMPTY unless y is strictly inside, rounding included. */
static hcr_status search_judge(const search *at, hcr_error *error) {
    static const double beyond = 10; /* no point of the box misses a side by so much, unless rounding does */
    int flat = fabs(at->reached) <= fmax(rounding_at(at), hcri_no_radius * at->scale);
    if (at->reached < -beyond * at->scale && at->set->blocks == 2)
        HCRI_TRY(find_flat_point(at->set, 0, &flat, error));
    /* Where a set is open y may be so far out that rounding hides its interior. */
    if (at->flat_only ? at->reached > 0 || flat : at->reached > 0 && hcri_strictly_inside(at->set, at->y, NULL, NULL))
        return HCR_OK;
    return hcri_conflict_refuse(at->set, at->sides + at->quadratics, at->number, at->multiplier, flat, error);
}

/* ------------------------------------------------------------------------------------------------ analytic centres */

/* argmax Σ log(slack − room) around y; a side with held[side] (NULL: none) keeps the slack that it has. */
static hcr_status analytic(const hcri_set *set, double scale, double room, const int *held, double *y,
                           hcr_error *error) {
    const size_t n = set->n, quadratics = set->blocks - 2;
    const hcri_local local = {set, y, scale, NULL};
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    HCRI_TRY(hcri_local_margin(&local, &program, error));
    HCRI_SCOPED double *weight = hcri_allocate(memory, quadratics, sizeof *weight);
    HCRI_SCOPED double *z = hcri_allocate(memory, n, sizeof *z);
    HCRI_ALLOCATED(weight && z);
    for (size_t q = 0; q < quadratics; q++)
        weight[q] = -set->block[q + 2]->kind->value(set->block[q + 2], 0, y, NULL, set->block[q + 2]->scratch);
    const hcri_barrier_set around = {.set = set, .program = &program, .centre = y, .scale = scale, .weight = weight};
    int found;
    HCRI_TRY(hcri_newton_centre(&around, room, held, z, &found, error));
    HCRI_FAIL_IF(!found, HCR_ERROR_SOLVER, "no analytic centre was found: choose another origin, such as chebyshev");
    for (size_t j = 0; j < n; j++)
        y[j] += scale * z[j];
    return HCR_OK;
}

hcr_status hcri_central_analytic(const hcri_set *set, double radius, double *y, hcr_error *error) {
    int found = 0;
    if (set->blocks == 2)
        HCRI_TRY(hcri_polytope_centre(set, radius, NULL, y, &found, error));
    return found ? HCR_OK : analytic(set, radius, 0, NULL, y, error);
}

/* By Newton's method on the sparse system. Its equalities converge slowly beside bounds that are far away; those of
 * dense matrices don't, and take minutes of large sets. */
static hcr_status spread_sparse(const search *at, const int *held, double kept, double *moved, int *found,
                                hcr_error *error) {
    const hcri_set *set = at->set;
    HCRI_SCOPED unsigned char *rows = hcri_allocate(memory, set->n + set->linear->rows.count, sizeof *rows);
    HCRI_ALLOCATED(rows);
    for (size_t i = 0; i < at->sides; i++) {
        const uint32_t number = at->number[i], first = set->linear->base.first;
        if (held[i])
            rows[number < first ? (number - set->box->base.first) / 2 : set->n + (number - first) / 2] = 1;
    }
    const hcri_face face = {rows, kept * at->reached};
    return hcri_polytope_centre(set, at->reached, &face, moved, found, error);
}

/* The centres of a largest ball make a face: sides with a multiplier keep their distance there, and y is free in the
 * rest. With as many multipliers as a basis has there is one centre. A failure leaves y where it was. */
static hcr_status search_spread(search *at, hcr_error *error) {
    enum { MOST_FOR_DENSE = 100 };
    static const double kept = 0.99;
    const size_t n = at->set->n;
    size_t supporting = 0, largest = 0;
    for (size_t i = 0; i < at->sides; i++) {
        supporting += at->multiplier[i] > hcri_supporting;
        if (at->multiplier[i] > at->multiplier[largest])
            largest = i;
    }
    if (supporting > n)
        return HCR_OK;
    HCRI_SCOPED int *held = hcri_allocate(memory, at->sides, sizeof *held);
    HCRI_SCOPED double *moved = hcri_copy(memory, at->y, n, sizeof *moved);
    HCRI_ALLOCATED(held && moved);
    /* Σ λ_i a_i = 0: one of the supporting sides follows from the others. */
    for (size_t i = 0; i < at->sides; i++)
        held[i] = at->multiplier[i] > hcri_supporting && i != largest;
    int found = 1;
    const hcr_status status = n > MOST_FOR_DENSE ? spread_sparse(at, held, kept, moved, &found, error)
                                                 : analytic(at->set, at->reached, kept, held, moved, error);
    if (hcri_is_final(status))
        return status;
    if (status == HCR_OK && found && hcri_flat_radius(at->set, moved) >= kept * at->reached)
        memcpy(at->y, moved, n * sizeof *moved);
    return HCR_OK;
}

/* ---------------------------------------------------------------------------------------------------------- public */

hcr_status hcri_central_largest_ball(const hcri_set *set, const double *lower, const double *upper, double *y,
                                     double *radius, hcr_error *error) {
    enum { MOST_FOR_SIMPLEX = 1000 };
    int known = 0;
    HCRI_TRY(guess_centre(set, lower, upper, y, radius, &known, error));
    if (known && hcri_strictly_inside(set, y, NULL, NULL))
        return HCR_OK;
    HCRI_SCOPED_BY(search_release) search at = {0};
    HCRI_TRY(search_start(&at, set, lower, upper, y, 0, error));
    if (set->n > MOST_FOR_SIMPLEX && set->blocks == 2) {
        int found;
        HCRI_TRY(hcri_polytope_centre(set, at.scale, NULL, y, &found, error));
        if (found && hcri_strictly_inside(set, y, NULL, NULL))
            return hcri_central_radius(set, y, radius, error);
    }
    HCRI_TRY(search_largest(&at, error));
    HCRI_TRY(search_judge(&at, error));
    if (at.quadratics == 0)
        HCRI_TRY(search_spread(&at, error));
    return hcri_central_radius(set, y, radius, error);
}

hcr_status hcri_central_check_rows(const hcri_set *set, const double *lower, const double *upper, int needs_room,
                                   hcr_error *error) {
    int found;
    HCRI_TRY(find_flat_point(set, needs_room ? hcri_small_radius : 0, &found, error));
    if (found)
        return HCR_OK;
    HCRI_SCOPED double *y = hcri_allocate(memory, set->n, sizeof *y);
    HCRI_ALLOCATED(y);
    HCRI_SCOPED_BY(search_release) search at = {0};
    HCRI_TRY(search_start(&at, set, lower, upper, y, 1, error));
    HCRI_TRY(search_largest(&at, error));
    at.flat_only = !needs_room;
    return at.reached > rounding_at(&at) ? HCR_OK : search_judge(&at, error);
}
