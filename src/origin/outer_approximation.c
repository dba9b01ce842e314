#include "origin/outer_approximation.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "kinds/block.h"
#include "origin/conflict.h"
#include "origin/equalities/reduction.h"
#include "origin/local_program.h"
#include "origin/origin_tolerances.h"
#include "origin/reach_bounds.h"
#include "origin/unbounded_origin.h"
#include "region/barrier.h"
#include "solvers/linear_program.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

int hcri_outer_is_needed(const hcri_set *set) {
    for (size_t b = 2; b < set->blocks; b++)
        if (hcri_block_quadratic(set->block[b]) == NULL)
            return 1;
    return 0;
}

hcr_status hcri_outer_create(const hcri_set *set, const double *lower, const double *upper, hcri_outer *outer,
                             hcr_error *error) {
    *outer = (hcri_outer){.set = set, .bounded = hcri_bounds_closed(set->n, lower, upper)};
    HCRI_TRY(hcri_cuts_create(set, &outer->cuts, error));
    outer->lower = hcri_copy(memory, lower, set->n, sizeof *lower);
    outer->upper = hcri_copy(memory, upper, set->n, sizeof *upper);
    if (outer->lower != NULL && outer->upper != NULL)
        return HCR_OK;
    hcri_outer_release(outer);
    return hcri_fail_memory(error);
}

void hcri_outer_release(hcri_outer *outer) {
    hcri_cuts_release(&outer->cuts);
    hcri_release(memory, outer->lower);
    hcri_release(memory, outer->upper);
    *outer = (hcri_outer){0};
}

void hcri_outer_start_at(hcri_outer *outer, const double *y) { hcri_cuts_set_interior(&outer->cuts, y); }

hcr_status hcri_outer_radius(const hcri_set *set, const double *y, double *radius, hcr_error *error) {
    static const double largest = 1e15;
    const double least = hcri_flat_radius(set, y);
    HCRI_SCOPED_BY(hcri_cuts_release) hcri_cuts cuts = {0};
    *radius = least;
    if (!(least > 0))
        return HCR_OK;
    HCRI_TRY(hcri_cuts_create(set, &cuts, error));
    double tried = fmin(least, 1); /* what is asked for at a finite distance is answered */
    HCRI_TRY(hcri_cuts_room(&cuts, y, tried, radius, error));
    while (*radius >= tried && tried < least && tried < largest) {
        tried = fmin(least, 8 * tried);
        HCRI_TRY(hcri_cuts_room(&cuts, y, tried, radius, error));
    }
    return HCR_OK;
}

/* ---------------------------------------------------------------------------------------------------------- search */

typedef struct search {
    hcri_outer *outer;
    double *low, *high;     /* the cube (origin/unbounded_origin.h) */
    double *base, *y, *row; /* variables are y = base + scale z, r; a row being made */
    uint32_t *columns;
    double scale, r, initial; /* the scale at first */
    hcri_lp *lp;
    size_t sides, implied, caps, placed; /* rows: sides, those of the box that is known, caps of the cube, cuts */
    int boxed;                           /* … the second ones are there */
    double close;                        /* share of the largest room that ends the search */
    double best;                         /* the largest room found, around outer->cuts.interior; 0: none yet */
} search;

static void release(search *at) {
    hcri_lp_free(at->lp);
    hcri_release(memory, at->low);
    hcri_release(memory, at->columns);
}

static hcr_status start(search *at, hcri_outer *outer, double size, hcr_error *error) {
    const size_t n = outer->set->n;
    *at = (search){.outer = outer, .sides = hcri_local_sides(outer->set), .boxed = 1};
    at->low = hcri_allocate(memory, 5 * n + 1, sizeof(double));
    at->columns = hcri_allocate(memory, n + 1, sizeof(uint32_t));
    HCRI_ALLOCATED(at->low && at->columns);
    at->high = at->low + n;
    at->base = at->high + n;
    at->y = at->base + n;
    at->row = at->y + n;
    hcri_open_cube(outer->set, outer->lower, outer->upper, size, at->low, at->high);
    for (size_t j = 0; j < n; j++) {
        at->base[j] = at->low[j] + 0.5 * (at->high[j] - at->low[j]);
        at->scale = fmax(at->scale, 0.5 * (at->high[j] - at->low[j]));
    }
    if (!(at->scale > 0) || isinf(at->scale))
        at->scale = size;
    at->initial = at->scale;
    return HCR_OK;
}

/* What rounding alone makes of a distance around y. */
static double rounding_at(const search *at) {
    const double size = hcri_max_norm(at->outer->set->n, at->y);
    return 64 * 0x1p-53 * size + 1e-30 * at->initial;
}

/* normal·z + r <= slack for a cut around the base. */
static hcri_row cut_row(const search *at, size_t cut, double *slack) {
    const hcri_cuts *cuts = &at->outer->cuts;
    const hcri_row row = hcri_rows_row(&cuts->rows, cut);
    memcpy(at->columns, row.columns, row.count * sizeof *at->columns);
    memcpy(at->row, row.values, row.count * sizeof *at->row);
    at->columns[row.count] = (uint32_t)at->outer->set->n;
    at->row[row.count] = 1;
    *slack = -hcri_rows_dot_minus(&cuts->rows, cut, at->base, cuts->right[cut]) / at->scale;
    return (hcri_row){row.count + 1, at->columns, at->row};
}

static hcr_status place_cuts(search *at, hcr_error *error) {
    for (; at->placed < at->outer->cuts.count; at->placed++) {
        double slack;
        const hcri_row row = cut_row(at, at->placed, &slack);
        HCRI_TRY(hcri_lp_add_row(at->lp, row, -INFINITY, slack, error));
    }
    return HCR_OK;
}

/* sign z_j + r <= the way to the bound, for the outputs whose bound is known from elsewhere (implied), or isn't known:
 * the cube's then. Balls end there too. */
static hcr_status add_box(search *at, int implied, hcri_program *program, size_t *count, hcr_error *error) {
    const hcri_outer *outer = at->outer;
    const hcri_set *set = outer->set;
    *count = 0;
    for (uint32_t j = 0; j < set->n; j++)
        for (int side = 0; side < 2; side++) {
            const double known = side == 0 ? outer->upper[j] : outer->lower[j], sign = side == 0 ? 1 : -1;
            const double own = side == 0 ? set->box->upper[j] : set->box->lower[j];
            if (implied ? isinf(known) || known == own : !isinf(known))
                continue;
            const double length = hcri_side_length(set, j), bound = side == 0 ? at->high[j] : at->low[j];
            const uint32_t columns[2] = {j, (uint32_t)set->n};
            const double values[2] = {sign / length, 1};
            const double slack = sign * (bound - at->base[j]) / at->scale / length;
            HCRI_TRY(hcri_program_add_row(program, (hcri_row){2, columns, values}, -INFINITY, slack, error));
            ++*count;
        }
    return HCR_OK;
}

/* The box that is known follows from inequalities that may not be there as cuts yet, so a proof that the set is empty
 * mustn't use it: then it only keeps the variables, at some multiple of itself. */
static hcr_status add_boxes(search *at, hcri_program *program, hcr_error *error) {
    static const double beyond = 1e3;
    at->implied = 0;
    if (at->boxed)
        HCRI_TRY(add_box(at, 1, program, &at->implied, error));
    for (size_t j = 0; j < at->outer->set->n && !at->boxed; j++) {
        if (!isinf(at->outer->lower[j]))
            program->lower[j] = (at->low[j] - at->base[j]) / at->scale - beyond;
        if (!isinf(at->outer->upper[j]))
            program->upper[j] = (at->high[j] - at->base[j]) / at->scale + beyond;
    }
    return add_box(at, 0, program, &at->caps, error);
}

static hcr_status build(search *at, hcr_error *error) {
    const hcri_local local = {at->outer->set, at->base, at->scale, NULL};
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    hcri_lp_free(at->lp);
    at->lp = NULL;
    at->placed = 0;
    HCRI_TRY(hcri_local_margin(&local, &program, error));
    HCRI_TRY(add_boxes(at, &program, error));
    HCRI_TRY(hcri_lp_create(&program, &at->lp, error));
    return place_cuts(at, error);
}

/* max r: y and r. */
static hcr_status solve(search *at, hcr_error *error) {
    const size_t n = at->outer->set->n;
    hcri_lp_outcome outcome;
    memset(at->row, 0, n * sizeof *at->row);
    at->row[n] = 1;
    HCRI_TRY(hcri_lp_maximise(at->lp, at->row, &outcome, error));
    HCRI_FAIL_IF(outcome == HCRI_LP_UNBOUNDED, HCR_ERROR_SOLVER,
                 "the search for the interior of the region gave up: rescale the constraints so that their "
                 "coefficients have similar sizes");
    at->r = -INFINITY; /* infeasible: the box that was known, or a constant that is above 0, excludes all */
    if (outcome == HCRI_LP_OPTIMAL) {
        const double *z = hcri_lp_solution(at->lp);
        at->r = z[n];
        for (size_t j = 0; j < n; j++)
            at->y[j] = at->base[j] + at->scale * z[j];
    }
    return HCR_OK;
}

static hcr_status rescale(search *at, double scale, hcr_error *error) {
    memcpy(at->base, at->y, at->outer->set->n * sizeof *at->base);
    at->scale = scale;
    return build(at, error);
}

static double largest_of(size_t count, const double *numbers) {
    double largest = 0;
    for (size_t k = 0; k < count; k++)
        largest = fmax(largest, numbers[k]);
    return largest;
}

typedef enum blame { SET, BOX, CUBE } blame;

/* EMPTY with those that hold r down; no error when the box that is known, or the cube, is among them: *whose then. The
 * cube's part may be small: what a cost in the billions needs, as an output, is in a cube a million times larger. */
static hcr_status refuse(search *at, int flat, blame *whose, hcr_error *error) {
    const hcri_cuts *cuts = &at->outer->cuts;
    const double *multiplier = hcri_lp_multipliers(at->lp);
    const size_t others = at->sides + at->implied + at->caps, most = at->sides + at->placed;
    const double largest = largest_of(others + at->placed, multiplier);
    *whose = SET;
    if (largest_of(at->implied, multiplier + at->sides) > hcri_box_share * largest)
        *whose = BOX;
    else if (largest_of(at->caps, multiplier + at->sides + at->implied) > hcri_supporting * largest)
        *whose = CUBE;
    if (*whose != SET)
        return HCR_OK;
    HCRI_SCOPED uint32_t *number = hcri_allocate(memory, most, sizeof *number);
    HCRI_SCOPED double *weight = hcri_allocate(memory, most, sizeof *weight);
    HCRI_ALLOCATED(number && weight);
    hcri_local_side_numbers(at->outer->set, number);
    memcpy(weight, multiplier, at->sides * sizeof *weight);
    for (size_t k = 0; k < at->placed; k++) { /* without cuts there are no numbers of them */
        number[at->sides + k] = cuts->number[k];
        weight[at->sides + k] = multiplier[others + k];
    }
    return hcri_conflict_refuse(at->outer->set, most, number, weight, flat, error);
}

/* A cut without coefficients: one inequality that nothing satisfies. */
static hcr_status refuse_constant(const search *at, hcr_error *error) {
    static const double one = 1;
    const hcri_cuts *cuts = &at->outer->cuts;
    for (size_t k = at->placed; k < cuts->count; k++)
        if (cuts->rows.start[k] == cuts->rows.start[k + 1])
            return hcri_conflict_refuse(at->outer->set, 1, &cuts->number[k], &one, 0, error);
    return HCR_OK;
}

/* Does one of the new cuts take y away? */
static int gains(const search *at) {
    const hcri_cuts *cuts = &at->outer->cuts;
    for (size_t k = at->placed; k < cuts->count; k++)
        if (hcri_rows_dot_minus(&cuts->rows, k, at->y, cuts->right[k]) > -(1 - 1e-6) * at->r * at->scale)
            return 1;
    return 0;
}

/* Looks at y: cuts where it is outside or the ball around it sticks out; *done when the ball fits and no other can be
 * larger. */
static hcr_status look(search *at, int *done, hcr_error *error) {
    const double radius = at->r * at->scale;
    double room = -INFINITY;
    size_t violated;
    HCRI_TRY(hcri_cuts_separate(&at->outer->cuts, at->y, &violated, error));
    if (violated == 0)
        HCRI_TRY(hcri_cuts_room(&at->outer->cuts, at->y, radius, &room, error));
    if (room > fmax(rounding_at(at), at->best)) { /* at the tip of a cone there is no room but for rounding */
        at->best = room;
        hcri_cuts_set_interior(&at->outer->cuts, at->y);
    }
    *done = at->best > 0 && at->best >= at->close * radius;
    return HCR_OK;
}

/* Looks elsewhere in the ball, as on an edge of a matrix inequality, whose cuts at y are those that are there. */
static hcr_status look_beside(search *at, hcri_random *random, int *done, hcr_error *error) {
    const size_t n = at->outer->set->n;
    const double most = 0.5 * at->r * at->scale / sqrt((double)n);
    for (size_t j = 0; j < n; j++)
        at->y[j] += most * (2 * hcri_random_uniform(random) - 1);
    return look(at, done, error);
}

/* y: a point of the polytope that has this much room, near the interior point; *found 0: none was found. */
static hcr_status approach(search *at, double room, int *found, hcr_error *error) {
    static const double pull = 100;
    const hcri_set *set = at->outer->set;
    const hcri_linear *linear = set->linear;
    const hcri_cuts *cuts = &at->outer->cuts;
    const size_t n = set->n, count = linear->rows.count + cuts->count;
    HCRI_SCRATCH(scratch, memory);
    hcri_rows rows = {0};
    hcri_barrier barrier = {0};
    double *lower = hcri_allocate(scratch, hcri_size_sum(n, count), sizeof *lower),
           *upper = hcri_allocate(scratch, hcri_size_sum(n, count), sizeof *upper);
    unsigned char *bounded = hcri_allocate(scratch, n, sizeof *bounded);
    HCRI_ALLOCATED(lower && upper && bounded);
    HCRI_TRY(hcri_rows_append_all(&rows, scratch, &linear->rows, error));
    HCRI_TRY(hcri_rows_append_all(&rows, scratch, &cuts->rows, error));
    for (size_t i = 0; i < n + count; i++) {
        const size_t row = i - n, cut = row - linear->rows.count;
        const int is_cut = i >= n + linear->rows.count;
        const double keep = room * (is_cut ? 1 : hcri_side_length(set, i));
        lower[i] = (i < n ? at->low[i] : is_cut ? -INFINITY : linear->lower[row]) + keep;
        upper[i] = (i < n ? at->high[i] : is_cut ? cuts->right[cut] : linear->upper[row]) - keep;
    }
    memset(bounded, 1, n);
    HCRI_TRY(hcri_barrier_make(n, count, rows.start, rows.columns, NULL, bounded, scratch, &barrier, error));
    double *numbers = hcri_allocate(scratch, hcri_barrier_scratch(&barrier), sizeof *numbers);
    HCRI_ALLOCATED(numbers);
    const hcri_barrier_problem problem = {.values = rows.values,
                                          .lower = lower,
                                          .upper = upper,
                                          .scale = room,
                                          .pull = pull / (room * room),
                                          .towards = cuts->interior};
    memcpy(at->y, cuts->interior, n * sizeof *at->y);
    *found = hcri_barrier_centre(&barrier, &problem, at->y, numbers);
    return HCR_OK;
}

/* From the interior point to more room, which is concave, by a level method (Lemaréchal, Nemirovskii and Nesterov, New
 * variants of bundle methods, Mathematical Programming 69, 1995): a linear program ends at a vertex, which in many
 * outputs is far outside until there are as many cuts. `most`: what no ball exceeds. */
static hcr_status climb(search *at, double most, hcr_error *error) {
    enum { PATIENCE = 6 };
    static const double close = 0.97, worthwhile = 1.003;
    for (int waited = 0; waited < PATIENCE && at->best < close * most; waited++) {
        const double before = at->best;
        int done, found = 0;
        at->r = (at->best + 0.5 * (most - at->best)) / at->scale;
        HCRI_TRY(approach(at, at->r * at->scale, &found, error));
        if (!found)
            break;
        HCRI_TRY(look(at, &done, error));
        waited = at->best > worthwhile * before ? -1 : waited;
    }
    return HCR_OK;
}

/* The polytope has no ball. *over: that is how the search ends; else it goes on without the box. */
static hcr_status end_empty(search *at, int flat, int *over, hcr_error *error) {
    blame whose = CUBE;
    if (!(at->best > 0))
        HCRI_TRY(refuse(at, flat, &whose, error));
    *over = whose != BOX;
    if (*over)
        return HCR_OK;
    at->boxed = 0;
    return build(at, error);
}

/* The largest ball in the cube; at->best = 0 when there is none, but may be in a larger one. Ends early when the room
 * found no longer grows: the polytope's ball, which bounds it, comes down slowly in many outputs. */
static hcr_status search_cube(search *at, hcr_error *error) {
    enum { PATIENCE = 30, PLAIN = 10, TRIES = 10 };
    static const double cut_off = 1.9, growth = 1.003;
    const size_t most = 300 + 30 * at->outer->set->n;
    double reached = 0;
    size_t waited = 0;
    hcri_random random;
    hcri_random_seed(&random, 1);
    HCRI_TRY(build(at, error));
    for (size_t step = 0; step < most && waited < PATIENCE; step++) {
        int done, over;
        HCRI_TRY(solve(at, error));
        const double finer = 10 * fmax(at->r, hcri_no_radius) * at->scale;
        if (at->r <= -hcri_no_radius || (at->r < hcri_small_radius && finer <= rounding_at(at))) {
            HCRI_TRY(end_empty(
                at, fabs(at->r * at->scale) <= fmax(hcri_no_radius * at->scale, hcri_flat_share * at->initial), &over,
                error));
            if (over)
                return HCR_OK;
            continue;
        }
        if (at->r < hcri_small_radius || at->r > cut_off) {
            HCRI_TRY(rescale(at, at->r < hcri_small_radius ? finer : 100 * at->scale, error));
            continue;
        }
        HCRI_TRY(look(at, &done, error));
        if (!done && at->boxed && at->best > 0 && waited == PLAIN) {
            HCRI_TRY(climb(at, at->r * at->scale, error));
            HCRI_TRY(place_cuts(at, error));
        }
        if (done)
            return HCR_OK;
        HCRI_TRY(refuse_constant(at, error));
        for (int tries = 0; tries < TRIES && !done && !gains(at) && !(at->best > 0); tries++)
            HCRI_TRY(look_beside(at, &random, &done, error));
        if (done)
            return HCR_OK;
        if (!gains(at) && !(at->best > 0))
            break;
        HCRI_TRY(place_cuts(at, error));
        waited = at->best > 0 && at->best < growth * reached ? waited + 1 : 0;
        if (waited == 0)
            reached = at->best;
    }
    if (at->best > 0)
        return HCR_OK;
    int over = 0;
    if (at->r * at->scale < hcri_empty_share * at->initial)
        return end_empty(at, 1, &over, error);
    return hcri_fail(error, HCR_ERROR_SOLVER,
                     "no point inside the region was found, and no proof that there is none: give an origin that is "
                     "inside, or bounds that keep expressions within their domains");
}

hcr_status hcri_outer_centre(hcri_outer *outer, int roughly, double *y, double *radius, hcr_error *error) {
    static const double larger = 100, largest = 1e15, nearly_all = 0.99, some = 0.1;
    for (double size = 2 * hcri_open_size(outer->set);; size *= larger) {
        HCRI_SCOPED_BY(release) search at = {.lp = NULL};
        HCRI_TRY(start(&at, outer, size, error));
        at.close = roughly ? some : nearly_all;
        HCRI_TRY(search_cube(&at, error));
        *radius = at.best;
        if (*radius > 0)
            break;
        HCRI_FAIL_IF(size > largest, HCR_ERROR_SOLVER,
                     "no point inside the region was found within %g of 0: give an origin that is inside", size);
    }
    memcpy(y, outer->cuts.interior, outer->set->n * sizeof *y);
    return HCR_OK;
}
