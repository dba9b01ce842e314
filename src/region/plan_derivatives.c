/* How the centre of a sample that holds nothing changes with its parameters, by a centre_plan.h: where F = Σ a_i φ_i' +
 * pull (f − O) = 0, H df = −∂F/∂x dx. A limit b_k of node i adds −φ_k'' a_i db_k to the change of F, above as below. */
#include <math.h>
#include <string.h>

#include "region/centre_plan.h"
#include "region/sample_problem.h"

typedef struct planned {
    const hcri_centre_plan *plan;
    double *moved, *curve, *diagonal, *entry, *factor; /* by row, limit, place in the system, entry */
    double *step;
} planned;

size_t hcri_centre_plan_derivative_scratch(const hcr_region *region) {
    const hcri_centre_plan *plan = region->centres == NULL ? NULL : region->centres->plan;
    if (plan == NULL)
        return 0;
    const hcri_centre_system *system = &plan->system;
    return region->centres->shift.count + system->limit[2 * system->nodes] + 2 * system->ldl.size +
           hcri_centre_entries(system) + hcri_ldl_numbers(&system->ldl);
}

static double value_of(const hcri_centre_plan *plan, size_t node, const double *f) {
    const hcri_centre_system *system = &plan->system;
    const size_t r = node - system->columns;
    double sum = node < system->columns ? f[node] : 0;
    for (size_t k = node < system->columns ? 0 : system->start[r]; node >= system->columns && k < system->start[r + 1];
         k++)
        sum += system->value[k] * f[plan->column[k]];
    return sum;
}

/* φ'' of each limit, by node their sum into the system; 0 where something is near. */
static int take(const planned *at, const hcr_region *region, const double *point, const double *f) {
    static const double least = 0x1p-5; /* of the largest ball: nearer by, a·w would lose digits */
    const hcri_centre_plan *plan = at->plan;
    const hcri_centre_system *system = &plan->system;
    const hcri_rows *shift = &region->centres->shift;
    const size_t columns = system->columns;
    for (size_t r = 0; r < shift->count; r++)
        at->moved[r] = hcri_rows_dot(shift, r, point + region->set.outputs, NULL);
    memset(at->entry, 0, system->shared * sizeof *at->entry);
    for (size_t i = 0; i < system->nodes; i++) {
        const double value = value_of(plan, i, f), room = least * system->scale * system->length[i];
        double curve = 0;
        for (size_t k = system->limit[2 * i]; k < system->limit[2 * i + 2]; k++) {
            const double moved = plan->row[k] == HCRI_OF_COLUMN ? 0 : at->moved[plan->row[k]];
            const double distance = fabs(plan->factor[k] * (plan->constant[k] - moved) - value);
            if (!(distance > room))
                return 0;
            at->curve[k] = 1 / (distance * distance);
            curve += at->curve[k];
        }
        if (i < columns) {
            at->diagonal[i] = curve + system->pull;
            continue;
        }
        const size_t r = i - columns, first = system->start[r];
        if (r >= system->pairs) {
            at->diagonal[i - system->pairs] = -1 / fmax(curve, 1e-300);
            continue;
        }
        for (size_t k = first; k < system->start[r + 1]; k++) {
            const double weighed = curve * system->value[k];
            at->diagonal[plan->column[k]] += weighed * system->value[k];
            for (size_t t = first; t < k; t++)
                at->entry[system->dense == NULL ? system->entry[r]
                                                : hcri_centre_pair(plan->column[t], plan->column[k])] +=
                    weighed * system->value[t];
        }
    }
    const size_t first = system->start[system->pairs], last = system->start[system->nodes - columns];
    memcpy(at->entry + system->shared, system->value + first, (last - first) * sizeof *at->entry);
    return hcri_ldl_factorise(&system->ldl, at->diagonal, at->entry, at->factor);
}

static planned begin(const hcr_region *region, double *scratch) {
    const hcri_centre_plan *plan = region->centres->plan;
    const hcri_centre_system *system = &plan->system;
    planned at = {.plan = plan, .moved = scratch};
    at.curve = at.moved + region->centres->shift.count;
    at.diagonal = at.curve + system->limit[2 * system->nodes];
    at.step = at.diagonal + system->ldl.size;
    at.entry = at.step + system->ldl.size;
    at.factor = at.entry + hcri_centre_entries(system);
    return at;
}

int hcri_centre_plan_vjp(const hcr_region *region, const double *point, const double *bar, double *x_bar, double *f,
                         double *scratch) {
    const planned at = begin(region, scratch);
    const hcri_centre_plan *plan = at.plan;
    const hcri_centre_system *system = &plan->system;
    const hcri_rows *shift = &region->centres->shift, *map = &region->origin_map.map;
    const uint32_t *output = region->centres->output;
    for (size_t j = 0; j < system->columns; j++)
        f[j] = point[output[j]];
    if (!take(&at, region, point, f))
        return 0;
    memset(at.step, 0, system->ldl.size * sizeof *at.step);
    for (size_t j = 0; j < system->columns; j++)
        at.step[j] = bar[output[j]];
    hcri_ldl_solve(&system->ldl, at.factor, at.step);
    memset(at.moved, 0, shift->count * sizeof *at.moved); /* becomes the gradient by what is added to a row */
    for (size_t i = 0; i < system->nodes; i++) {
        const double along = value_of(plan, i, at.step);
        for (size_t k = system->limit[2 * i]; k < system->limit[2 * i + 2]; k++)
            if (plan->row[k] != HCRI_OF_COLUMN)
                at.moved[plan->row[k]] -= plan->factor[k] * at.curve[k] * along;
    }
    for (size_t r = 0; r < shift->count; r++)
        hcri_rows_add(shift, r, at.moved[r], x_bar);
    for (size_t j = 0; j < system->columns && system->pull != 0; j++)
        hcri_rows_add(map, output[j], system->pull * at.step[j], x_bar);
    return 1;
}

int hcri_centre_plan_jvp(const hcr_region *region, const double *point, const double *x_dot, double *dot, double *f,
                         double *scratch) {
    const planned at = begin(region, scratch);
    const hcri_centre_plan *plan = at.plan;
    const hcri_centre_system *system = &plan->system;
    const hcri_rows *shift = &region->centres->shift, *map = &region->origin_map.map;
    const uint32_t *output = region->centres->output;
    for (size_t j = 0; j < system->columns; j++)
        f[j] = point[output[j]];
    if (!take(&at, region, point, f))
        return 0;
    for (size_t r = 0; r < shift->count; r++) /* becomes the change of what is added to a row */
        at.moved[r] = hcri_rows_dot(shift, r, x_dot, NULL);
    memset(at.step, 0, system->ldl.size * sizeof *at.step);
    for (size_t i = 0; i < system->nodes; i++) {
        double right = 0;
        for (size_t k = system->limit[2 * i]; k < system->limit[2 * i + 2]; k++)
            if (plan->row[k] != HCRI_OF_COLUMN)
                right -= plan->factor[k] * at.curve[k] * at.moved[plan->row[k]];
        if (i < system->columns)
            at.step[i] = right;
        for (size_t r = i - system->columns, k = i < system->columns ? 0 : system->start[r];
             i >= system->columns && k < system->start[r + 1]; k++)
            at.step[plan->column[k]] += right * system->value[k];
    }
    for (size_t j = 0; j < system->columns && system->pull != 0; j++)
        for (size_t k = map->start[output[j]]; k < map->start[output[j] + 1]; k++)
            at.step[j] += system->pull * map->values[k] * x_dot[map->columns[k]];
    hcri_ldl_solve(&system->ldl, at.factor, at.step);
    for (size_t j = 0; j < system->columns; j++)
        dot[output[j]] = at.step[j];
    return 1;
}
