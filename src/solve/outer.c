#include "solve/outer.h"

#include <math.h>
#include <string.h>

#include "constraints/block.h"
#include "solve/bounds.h"
#include "solve/conflict.h"
#include "solve/local.h"
#include "solve/lp.h"
#include "solve/open.h"
#include "solve/reduction.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

int hcri_outer_is_needed(const hcri_set *set) {
    for (size_t b = 2; b < set->blocks; b++)
        if (set->block[b]->kind->id != HCRI_QUADRATIC)
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

double hcri_outer_radius(const hcri_set *set, const double *y, double most) {
    double least = most;
    for (size_t i = 0; i < set->n + set->linear->rows.count; i++) {
        const int bound = i < set->n;
        const hcri_constraint *block = bound ? &set->box->base : &set->linear->base;
        const size_t first = 2 * (bound ? i : i - set->n);
        for (size_t side = first; side < first + 2; side++)
            if (block->kind->exists(block, side))
                least = fmin(least, -block->kind->value(block, side, y, NULL) / hcri_side_length(set, i));
    }
    hcri_cuts cuts;
    if (!(least > 0) || hcri_cuts_create(set, &cuts, NULL) != HCR_OK)
        return least;
    double room = least;
    if (hcri_cuts_room(&cuts, y, least, &room, NULL) == HCR_OK)
        least = room;
    hcri_cuts_release(&cuts);
    return least;
}

/* ---------------------------------------------------------------------------------------------------------- search */

typedef struct search {
    hcri_outer *outer;
    double *low, *high;     /* the cube (solve/open.h) */
    double *base, *y, *row; /* variables are y = base + scale z, r; a row being made */
    uint32_t *columns;
    double scale, r;
    hcri_lp *lp;
    size_t sides, caps, placed; /* rows: sides, caps of the cube, cuts */
    double best;                /* the largest room found, around outer->cuts.interior; 0: none yet */
} search;

static void release(search *at) {
    hcri_lp_free(at->lp);
    hcri_release(memory, at->low);
    hcri_release(memory, at->columns);
}

static hcr_status start(search *at, hcri_outer *outer, double size, hcr_error *error) {
    const size_t n = outer->set->n;
    *at = (search){.outer = outer, .sides = hcri_local_sides(outer->set)};
    at->low = hcri_allocate(memory, 5 * n + 1, sizeof(double));
    at->columns = hcri_allocate(memory, n + 1, sizeof(uint32_t));
    if (at->low == NULL || at->columns == NULL) {
        release(at);
        return hcri_fail_memory(error);
    }
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
    return HCR_OK;
}

/* What rounding alone makes of a distance around y. */
static double rounding_at(const search *at) {
    double size = 0;
    for (size_t j = 0; j < at->outer->set->n; j++)
        size = fmax(size, fabs(at->y[j]));
    return 64 * 0x1p-53 * size + 0x1p-1000;
}

/* normal·z + r <= slack for a cut around the base. */
static size_t cut_row(const search *at, size_t cut, double *slack) {
    const hcri_cuts *cuts = &at->outer->cuts;
    const size_t begin = cuts->rows.start[cut], terms = cuts->rows.start[cut + 1] - begin;
    memcpy(at->columns, cuts->rows.columns + begin, terms * sizeof *at->columns);
    memcpy(at->row, cuts->rows.values + begin, terms * sizeof *at->row);
    at->columns[terms] = (uint32_t)at->outer->set->n;
    at->row[terms] = 1;
    *slack = -hcri_rows_dot_minus(&cuts->rows, cut, at->base, cuts->right[cut]) / at->scale;
    return terms + 1;
}

static hcr_status place_cuts(search *at, hcr_error *error) {
    for (; at->placed < at->outer->cuts.count; at->placed++) {
        double slack;
        const size_t terms = cut_row(at, at->placed, &slack);
        HCRI_TRY(hcri_lp_add_row(at->lp, terms, at->columns, at->row, -INFINITY, slack, error));
    }
    return HCR_OK;
}

/* The sides of the cube where the set may be open: balls end there too. */
static hcr_status add_caps(search *at, hcri_program *program, hcr_error *error) {
    const hcri_set *set = at->outer->set;
    at->caps = 0;
    for (uint32_t j = 0; j < set->n; j++) {
        const double length = hcri_side_length(set, j);
        const uint32_t columns[2] = {j, (uint32_t)set->n};
        for (int side = 0; side < 2; side++) {
            const double bound = side == 0 ? at->high[j] : at->low[j], sign = side == 0 ? 1 : -1;
            const double slack = sign * (bound - at->base[j]) / at->scale;
            if (!isinf(side == 0 ? at->outer->upper[j] : at->outer->lower[j])) {
                (side == 0 ? program->upper : program->lower)[j] = sign * slack;
                continue;
            }
            const double values[2] = {sign / length, 1};
            HCRI_TRY(hcri_program_add_row(program, 2, columns, values, -INFINITY, slack / length, error));
            at->caps++;
        }
    }
    return HCR_OK;
}

static hcr_status build(search *at, hcr_error *error) {
    const hcri_local local = {at->outer->set, at->base, at->scale};
    hcri_program program;
    hcri_lp_free(at->lp);
    at->lp = NULL;
    at->placed = 0;
    HCRI_TRY(hcri_local_margin(&local, NULL, &program, error));
    hcr_status status = add_caps(at, &program, error);
    for (; at->placed < at->outer->cuts.count && status == HCR_OK; at->placed++) {
        double slack;
        const size_t terms = cut_row(at, at->placed, &slack);
        status = hcri_program_add_row(&program, terms, at->columns, at->row, -INFINITY, slack, error);
    }
    if (status == HCR_OK)
        status = hcri_lp_create(&program, &at->lp, error);
    hcri_program_release(&program);
    return status;
}

/* max r: y and r. */
static hcr_status solve(search *at, hcr_error *error) {
    const size_t n = at->outer->set->n;
    hcri_lp_outcome outcome;
    memset(at->row, 0, n * sizeof *at->row);
    at->row[n] = 1;
    HCRI_TRY(hcri_lp_maximise(at->lp, at->row, &outcome, error));
    if (outcome == HCRI_LP_UNBOUNDED)
        return hcri_fail(error, HCR_ERROR_SOLVER, "CLP gave up on the interior of the region");
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

/* EMPTY with those that hold r down; *capped = 1, and no error, when the cube is among them. */
static hcr_status refuse(search *at, int flat, int *capped, hcr_error *error) {
    const hcri_cuts *cuts = &at->outer->cuts;
    const size_t most = at->sides + at->placed;
    uint32_t *number = hcri_allocate(memory, most, sizeof *number);
    double *weight = hcri_allocate(memory, most, sizeof *weight);
    hcr_status status = number == NULL || weight == NULL ? hcri_fail_memory(error) : HCR_OK;
    double largest = 0, of_caps = 0;
    if (status == HCR_OK) {
        const double *multiplier = hcri_lp_multipliers(at->lp);
        hcri_local_side_numbers(at->outer->set, number);
        memcpy(weight, multiplier, at->sides * sizeof *weight);
        for (size_t k = 0; k < at->placed; k++) {
            number[at->sides + k] = cuts->number[k];
            weight[at->sides + k] = multiplier[at->sides + at->caps + k];
        }
        for (size_t k = 0; k < at->sides + at->caps + at->placed; k++) {
            largest = fmax(largest, multiplier[k]);
            if (k >= at->sides && k < at->sides + at->caps)
                of_caps = fmax(of_caps, multiplier[k]);
        }
        *capped = of_caps > 1e-6 * largest;
        if (!*capped)
            status = hcri_conflict_refuse(at->outer->set, most, number, weight, flat, error);
    }
    hcri_release(memory, number);
    hcri_release(memory, weight);
    return status;
}

/* A cut without coefficients: one inequality that nothing satisfies. */
static hcr_status refuse_constant(const search *at, int *found, hcr_error *error) {
    static const double one = 1;
    const hcri_cuts *cuts = &at->outer->cuts;
    *found = 0;
    for (size_t k = at->placed; k < cuts->count; k++)
        if (cuts->rows.start[k] == cuts->rows.start[k + 1]) {
            *found = 1;
            return hcri_conflict_refuse(at->outer->set, 1, &cuts->number[k], &one, 0, error);
        }
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

/* Looks at y: cuts where it is outside or the ball around it sticks out; *done when the ball fits. */
static hcr_status look(search *at, int *done, hcr_error *error) {
    static const double close = 0.99;
    const double radius = at->r * at->scale;
    size_t violated;
    *done = 0;
    HCRI_TRY(hcri_cuts_separate(&at->outer->cuts, at->y, &violated, error));
    if (violated != 0)
        return HCR_OK;
    double room;
    HCRI_TRY(hcri_cuts_room(&at->outer->cuts, at->y, radius, &room, error));
    if (room > at->best) {
        at->best = room;
        hcri_cuts_set_interior(&at->outer->cuts, at->y);
    }
    *done = room >= close * radius;
    return HCR_OK;
}

/* The largest ball in the cube; at->best = 0 when the search ended without a point inside and *capped tells that the
 * cube is to blame. */
static hcr_status search_cube(search *at, int *capped, hcr_error *error) {
    static const double small = 1e-3, nothing = 1e-6, cut_off = 1.9;
    const size_t n = at->outer->set->n, most = 300 + 30 * n, enough = 100 + 5 * n;
    const double initial = at->scale;
    *capped = 0;
    HCRI_TRY(build(at, error));
    for (size_t step = 0; step < most && !(at->best > 0 && step > enough); step++) {
        HCRI_TRY(solve(at, error));
        if (at->r <= -nothing)
            return at->best > 0 ? HCR_OK : refuse(at, 0, capped, error);
        if (at->r < small) {
            const double finer = 10 * fmax(at->r, nothing) * at->scale;
            if (finer <= rounding_at(at))
                return at->best > 0 ? HCR_OK : refuse(at, 1, capped, error);
            HCRI_TRY(rescale(at, finer, error));
            continue;
        }
        if (at->r > cut_off) {
            HCRI_TRY(rescale(at, 100 * at->scale, error));
            continue;
        }
        int done, constant;
        HCRI_TRY(look(at, &done, error));
        if (done)
            return HCR_OK;
        HCRI_TRY(refuse_constant(at, &constant, error));
        if (!gains(at))
            break;
        HCRI_TRY(place_cuts(at, error));
    }
    if (at->best > 0)
        return HCR_OK;
    if (at->r * at->scale < 1e-9 * initial)
        return refuse(at, 1, capped, error);
    return hcri_fail(error, HCR_ERROR_SOLVER,
                     "no point inside the region was found, and no proof that there is none: give an origin that is "
                     "inside, or bounds that keep expressions within their domains");
}

hcr_status hcri_outer_centre(hcri_outer *outer, double *y, double *radius, hcr_error *error) {
    static const double larger = 100, largest = 1e15;
    for (double size = 2 * hcri_open_size(outer->set);; size *= larger) {
        search at;
        int capped;
        HCRI_TRY(start(&at, outer, size, error));
        const hcr_status status = search_cube(&at, &capped, error);
        *radius = at.best;
        release(&at);
        HCRI_TRY(status);
        if (*radius > 0)
            break;
        if (size > largest)
            return hcri_fail(error, HCR_ERROR_SOLVER,
                             "no point inside the region was found within %g of 0: give an origin that is inside", size);
    }
    memcpy(y, outer->cuts.interior, outer->set->n * sizeof *y);
    return HCR_OK;
}
