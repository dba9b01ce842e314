/* How the centres of samples that hold nothing change with their parameters, by a centre_plan.h: where F = Σ a_i φ_i' +
 * pull (f − O) = 0, H df = −∂F/∂x dx. A limit b_k of node i adds −φ_k'' a_i db_k to the change of F, above as below. */
#include <math.h>
#include <string.h>

#include "region/centre_plan.h"
#include "region/sample_problem.h"

/* Eight samples, as in sample_centres.c; what stands in the place of H w = turned is w afterwards, of nodes in value.
 */
typedef struct planned {
    const hcri_centre_plan *plan;
    const hcri_centre_kernels *kernels;
    double *x, *moved, *limit, *f, *turned, *value, *moves, *scratch;
    hcri_eight_centres at;
    int is_near[8];
} planned;

/* Lanes without a sample repeat the last one. */
static planned begin(const hcr_region *region, size_t count, const double *const *point, double *scratch) {
    static const double least = 0x1p-5; /* of the largest ball: nearer by, a·w would lose digits */
    const hcri_centres *centres = region->centres;
    const hcri_centre_system *system = &centres->plan->system;
    const size_t outputs = region->set.outputs, parameters = region->set.n - outputs,
                 limits = system->limit[2 * system->nodes];
    planned s = {.plan = centres->plan, .kernels = hcri_centre_kernels_for(count), .x = scratch};
    s.moved = s.x + 8 * parameters;
    s.limit = s.moved + 8 * centres->shift.count;
    s.f = s.limit + 8 * limits;
    s.turned = s.f + 8 * system->ldl.size;
    s.value = s.turned + 8 * system->ldl.size;
    s.moves = s.value + 8 * system->nodes;
    s.scratch = s.moves + 8 * system->columns;
    for (size_t l = 0; l < s.kernels->lanes; l++) {
        const double *own = point[l < count ? l : count - 1];
        for (size_t k = 0; k < parameters; k++)
            s.x[8 * k + l] = own[outputs + k];
        for (size_t j = 0; j < system->columns; j++)
            s.f[8 * (size_t)system->place[j] + l] = own[centres->output[j]];
    }
    for (size_t i = 0; i < 8 * system->columns; i++)
        s.moves[i] = 1;
    memset(s.turned, 0, 8 * system->ldl.size * sizeof *s.turned);
    s.kernels->limits(limits, &s.plan->limits, s.x, s.moved, s.limit);
    s.at = (hcri_eight_centres){s.limit, s.moves, s.f, s.f, s.value, s.scratch, NULL, NULL, NULL};
    double spare[8], room[8];
    s.kernels->bend(system, &s.at);
    s.kernels->measure(system, s.plan->safe, &s.at, spare, room);
    for (size_t l = 0; l < count; l++)
        s.is_near[l] = !(room[l] > least * system->scale);
    return s;
}

void hcri_centre_plan_vjp(const hcr_region *region, const hcri_centre_changes *samples, int done[8], double *scratch) {
    const planned s = begin(region, samples->count, samples->point, scratch);
    const hcri_centre_system *system = &s.plan->system;
    const size_t parameters = region->set.n - region->set.outputs;
    const uint32_t *output = region->centres->output;
    for (size_t l = 0; l < samples->count; l++)
        for (size_t j = 0; j < system->columns; j++)
            s.turned[8 * (size_t)system->place[j] + l] = samples->of_origin[l][output[j]];
    s.kernels->turn(system, &s.at, s.turned);
    memset(s.x, 0, 8 * parameters * sizeof *s.x);
    s.kernels->pull_limits(system, &s.plan->limits, &s.at, s.moved, s.x);
    for (size_t l = 0; l < samples->count; l++) {
        done[l] = !s.is_near[l];
        for (size_t k = 0; k < parameters && done[l]; k++)
            samples->of_x[l][k] += s.x[8 * k + l];
        for (size_t j = 0; j < system->columns && done[l] && system->pull != 0; j++)
            hcri_rows_add(&region->origin_map.map, output[j], system->pull * s.turned[8 * (size_t)system->place[j] + l],
                          samples->of_x[l]);
    }
}

void hcri_centre_plan_jvp(const hcr_region *region, const hcri_centre_changes *samples, int done[8], double *scratch) {
    const planned s = begin(region, samples->count, samples->point, scratch);
    const hcri_centre_system *system = &s.plan->system;
    const hcri_rows *map = &region->origin_map.map;
    const uint32_t *output = region->centres->output;
    memset(s.x, 0, 8 * (region->set.n - region->set.outputs) * sizeof *s.x);
    for (size_t l = 0; l < samples->count; l++)
        for (size_t k = 0; k < region->set.n - region->set.outputs; k++)
            s.x[8 * k + l] = samples->of_x[l][k];
    s.kernels->push_limits(system, &s.plan->limits, &s.at, s.moved, s.x, s.turned);
    for (size_t l = 0; l < samples->count; l++)
        for (size_t j = 0; j < system->columns && system->pull != 0; j++)
            s.turned[8 * (size_t)system->place[j] + l] +=
                system->pull * hcri_rows_dot(map, output[j], samples->of_x[l], NULL);
    s.kernels->turn(system, &s.at, s.turned);
    for (size_t l = 0; l < samples->count; l++) {
        done[l] = !s.is_near[l];
        for (size_t j = 0; j < system->columns && done[l]; j++)
            samples->of_origin[l][output[j]] = s.turned[8 * (size_t)system->place[j] + l];
    }
}
