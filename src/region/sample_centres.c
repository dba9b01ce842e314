/* The centres of eight samples at a time, by a centre_plan.h. */
#include <math.h>
#include <string.h>

#include "region/centre_plan.h"
#include "region/sample_problem.h"

typedef struct eight {
    const hcr_region *region;
    const hcri_centre_plan *plan;
    const hcri_centre_samples *samples;
    const hcri_centre_kernels *kernels;
    double *x, *moved, *limit, *f, *value, *moves, *towards, *met, *low;
    double *equal, *goal, *multiplier; /* of rows */
    double *scratch;
    int any_met;
} eight;

size_t hcri_centre_plan_scratch(const hcr_region *region) {
    const hcri_centres *centres = region->centres;
    const hcri_centre_plan *plan = centres == NULL ? NULL : centres->plan;
    if (plan == NULL)
        return 0;
    const hcri_centre_system *system = &plan->system;
    return 8 * (region->set.n - region->set.outputs + centres->shift.count + system->limit[2 * system->nodes] +
                system->columns + 2 * system->ldl.size + 3 * system->nodes + 3 * (system->nodes - system->columns)) +
           hcri_centre_numbers(system);
}

static eight begin(const hcr_region *region, size_t count, const hcri_centre_samples *samples, double *scratch) {
    const hcri_centres *centres = region->centres;
    const hcri_centre_system *system = &centres->plan->system;
    eight e = {.region = region, .plan = centres->plan, .samples = samples, .kernels = hcri_centre_kernels_for(count)};
    const struct {
        double **numbers;
        size_t count;
    } part[] = {{&e.x, region->set.n - region->set.outputs},
                {&e.moved, centres->shift.count},
                {&e.limit, system->limit[2 * system->nodes]},
                {&e.moves, system->columns},
                {&e.f, system->ldl.size},
                {&e.towards, system->ldl.size},
                {&e.value, system->nodes},
                {&e.met, system->nodes},
                {&e.low, system->nodes},
                {&e.equal, system->nodes - system->columns},
                {&e.goal, system->nodes - system->columns},
                {&e.multiplier, system->nodes - system->columns}};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        *part[k].numbers = scratch;
        scratch += 8 * part[k].count;
    }
    e.scratch = scratch;
    return e;
}

/* Lanes without a sample repeat the last one. */
static double *point_of(const eight *e, size_t lane) {
    return e->samples->point[lane < e->samples->count ? lane : e->samples->count - 1];
}

static void take_samples(eight *e) {
    const hcr_region *region = e->region;
    const hcri_centres *centres = region->centres;
    const hcri_centre_system *system = &e->plan->system;
    const size_t outputs = region->set.outputs, parameters = region->set.n - outputs;
    for (size_t l = 0; l < e->kernels->lanes; l++) {
        double *point = point_of(e, l);
        if (l < e->samples->count)
            hcri_origin_map_origin(&region->origin_map, point + outputs, point);
        for (size_t k = 0; k < parameters; k++)
            e->x[8 * k + l] = point[outputs + k];
        for (size_t j = 0; j < system->columns; j++)
            e->f[8 * (size_t)system->place[j] + l] = point[centres->output[j]];
    }
    for (size_t i = 0; i < 8 * system->columns; i++)
        e->moves[i] = 1;
    memcpy(e->towards, e->f, 8 * system->ldl.size * sizeof *e->f);
    e->kernels->limits(system->limit[2 * system->nodes], &e->plan->limits, e->x, e->moved, e->limit);
}

static void drop_limits(const eight *e, size_t node, size_t lane) {
    const size_t *limit = e->plan->system.limit + 2 * node;
    for (size_t k = limit[0]; k < limit[2]; k++)
        e->limit[8 * k + lane] = k < limit[1] ? -INFINITY : INFINITY;
}

/* Holds columns whose limits meet, as sample_centre.c does; 0 where that isn't all. */
static hcri_centre_search hold(const eight *e, size_t lane) {
    const hcri_centre_system *system = &e->plan->system;
    const hcri_centres *centres = e->region->centres;
    for (size_t i = 0; i < system->nodes; i++)
        if (e->met[8 * i + lane] < 0)
            return HCRI_CENTRE_EMPTY;
    for (size_t i = system->columns; i < system->nodes; i++)
        if (e->met[8 * i + lane] > 0)
            return HCRI_CENTRE_NOT_SO;
    for (size_t j = 0; j < system->columns; j++)
        if (e->met[8 * j + lane] > 0) {
            e->moves[8 * j + lane] = 0;
            e->f[8 * (size_t)system->place[j] + lane] =
                fmin(fmax(e->low[8 * j + lane], centres->lower[j]), centres->upper[j]);
            drop_limits(e, j, lane);
        }
    for (size_t i = 0; i < system->nodes - system->columns; i++) {
        double moves = 0;
        for (size_t k = system->start[i]; k < system->start[i + 1]; k++)
            moves += e->moves[8 * (size_t)e->plan->column[k] + lane];
        if (moves == 0)
            drop_limits(e, system->columns + i, lane);
    }
    return HCRI_CENTRE_FOUND;
}

/* 1 where nothing is so near that it may take more care. */
static int is_roomy(const hcr_region *region, double spare, double room) {
    static const double least = 0x1p-10; /* of the largest ball */
    return spare > 0 && room > least * region->inradius;
}

/* What is found of one sample. */
static hcri_centre_found put(const eight *e, size_t lane, double spare, double room) {
    const hcr_region *region = e->region;
    const hcri_centres *centres = region->centres;
    double *point = e->samples->point[lane], *is_free = e->samples->is_free[lane];
    const hcri_centre_system *system = &e->plan->system;
    int any_held = 0;
    if (!is_roomy(region, spare, room))
        return HCRI_CENTRE_IS_HARD;
    const size_t flags = hcri_centres_flags(region);
    for (size_t k = 0; k < flags; k++)
        is_free[k] = 1;
    for (size_t j = 0; j < system->columns; j++) {
        point[centres->output[j]] = e->f[8 * (size_t)system->place[j] + lane];
        if (e->any_met && e->moves[8 * j + lane] == 0) {
            is_free[centres->output[j]] = 0;
            any_held = 1;
        }
    }
    if (any_held)
        hcri_centres_hold_dependent(&region->affine, region->set.outputs, is_free);
    hcri_affine_complete(&region->affine, point);
    return any_held || !e->plan->proves          ? HCRI_CENTRE_IS_THERE
           : room >= hcr_region_nearness(region) ? HCRI_CENTRE_IS_WIDE
                                                 : HCRI_CENTRE_IS_INSIDE;
}

void hcri_centres_find_some(const hcr_region *region, const hcri_centre_samples *samples, hcri_centre_found *found,
                            double *scratch) {
    static const double share = 0x1p-50;
    if (region->centres->plan == NULL) {
        for (size_t l = 0; l < samples->count; l++)
            found[l] = HCRI_CENTRE_IS_HARD;
        return;
    }
    eight e = begin(region, samples->count, samples, scratch);
    const hcri_centre_kernels *kernels = e.kernels;
    const hcri_centre_system *system = &e.plan->system;
    hcri_centre_search begun[8], ended[8];
    double spare[8], room[8];
    take_samples(&e);
    e.any_met = kernels->meet(system, share, e.limit, e.met, e.low);
    int any = 0;
    for (size_t l = 0; l < kernels->lanes; l++) {
        begun[l] = e.any_met ? hold(&e, l) : HCRI_CENTRE_FOUND;
        any |= begun[l] == HCRI_CENTRE_FOUND;
    }
    const hcri_eight_centres at = {e.limit, e.moves, e.towards, e.f, e.value, e.scratch, NULL, NULL, NULL};
    if (any) {
        kernels->search(system, &at, ended);
        kernels->measure(system, e.plan->safe, &at, spare, room);
    }
    for (size_t l = 0; l < samples->count; l++) {
        const hcri_centre_search how = begun[l] == HCRI_CENTRE_FOUND ? ended[l] : begun[l];
        found[l] = how == HCRI_CENTRE_FOUND   ? put(&e, l, spare[l], room[l])
                   : how == HCRI_CENTRE_EMPTY ? HCRI_CENTRE_IS_NONE
                                              : HCRI_CENTRE_IS_HARD;
    }
}

/* Of one problem, with entries and rows that are held. */
static void take_problem(const eight *e, const hcri_barrier_problem *problem, const double *f, size_t lane) {
    const hcri_centre_plan *plan = e->plan;
    const hcri_centre_system *system = &plan->system;
    const hcri_barrier *barrier = &e->region->centres->barrier;
    const size_t columns = system->columns, limits = system->limit[2 * system->nodes];
    const double *lower = problem->lower, *upper = problem->upper;
    for (size_t k = 0; k < limits; k++) {
        const size_t i = plan->source[k] / 2, is_upper = plan->source[k] % 2;
        const double limit = lower[i] == upper[i] ? (is_upper ? INFINITY : -INFINITY) : (is_upper ? upper : lower)[i];
        e->limit[8 * k + lane] = plan->limits.factor[k] * limit;
    }
    for (size_t j = 0; j < columns; j++) {
        const size_t place = 8 * (size_t)system->place[j] + lane;
        e->moves[8 * j + lane] = lower[j] != upper[j];
        e->f[place] = lower[j] == upper[j] ? lower[j] : f[j];
        e->towards[place] = problem->towards == NULL ? 0 : problem->towards[j];
    }
    for (size_t node = columns; node < barrier->ldl.size; node++) {
        const size_t i = columns + barrier->leader[node - columns], row = plan->node[node] - columns;
        e->equal[8 * row + lane] = lower[i] == upper[i];
        e->goal[8 * row + lane] = lower[i] == upper[i] ? lower[i] : 0;
        e->multiplier[8 * row + lane] = 0;
    }
}

void hcri_centres_search(const hcr_region *region, size_t count, const hcri_barrier_problem *problem, double *const *f,
                         int *found, double *scratch) {
    const eight e = begin(region, count, NULL, scratch);
    const hcri_centre_kernels *kernels = e.kernels;
    const hcri_centre_system *system = &e.plan->system;
    hcri_centre_search how[8];
    double spare[8], room[8];
    for (size_t l = 0; l < kernels->lanes; l++)
        take_problem(&e, &problem[l < count ? l : count - 1], f[l < count ? l : count - 1], l);
    const hcri_eight_centres at = {e.limit, e.moves, e.towards, e.f, e.value, e.scratch, e.equal, e.goal, e.multiplier};
    kernels->search(system, &at, how);
    kernels->measure(system, e.plan->safe, &at, spare, room);
    for (size_t l = 0; l < count; l++) {
        found[l] = how[l] == HCRI_CENTRE_FOUND && is_roomy(region, spare[l], room[l]);
        for (size_t j = 0; found[l] && j < system->columns; j++)
            f[l][j] = e.f[8 * (size_t)system->place[j] + l];
    }
}
