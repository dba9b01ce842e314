#include "region/centre_plan.h"

#include <math.h>

#include "region/sample_problem.h"

/* Of eight samples: more would leave a processor's nearer caches. */
enum { MOST_NUMBERS = 1 << 18 };

typedef struct planning {
    const hcr_region *region;
    const hcri_centres *centres;
    hcri_centre_plan *plan;
    const hcr_allocator *memory;
    uint32_t *node; /* of each of the barrier's nodes the system's */
    size_t *limit;  /* the system's, and of each side the next place */
    uint32_t *row, *source;
    double *constant, *factor, *safe;
} planning;

void hcri_centre_plan_release(hcri_centre_plan *plan, const hcr_allocator *allocator) {
    if (plan == NULL)
        return;
    hcri_pool_release(&plan->memory);
    hcri_release(allocator, plan);
}

/* What output or parameter j is at most, in size: of a dependent output what its terms add up to. */
static double most_of(const hcr_region *region, uint32_t j) {
    const hcri_affine *affine = &region->affine;
    const size_t outputs = region->set.outputs, d = j < outputs ? hcri_affine_find(affine, j) : SIZE_MAX;
    const double *lower = j < outputs ? region->lower : region->set.box->lower,
                 *upper = j < outputs ? region->upper : region->set.box->upper;
    double most = fmax(fabs(lower[j]), fabs(upper[j]));
    if (d != SIZE_MAX)
        most += fabs(affine->constant[d]);
    for (size_t k = d == SIZE_MAX ? 0 : affine->map.start[d]; d != SIZE_MAX && k < affine->map.start[d + 1]; k++) {
        const uint32_t i = affine->map.columns[k];
        const double *low = i < outputs ? region->lower : region->set.box->lower,
                     *high = i < outputs ? region->upper : region->set.box->upper;
        most += fabs(affine->map.values[k]) * fmax(fabs(low[i]), fabs(high[i]));
    }
    return most;
}

/* Bounds the rounding of row r, folded or not, and of its limit: all of its terms, and as often as there are any. */
static double rounding_of(const planning *at, size_t r) {
    const hcri_linear *linear = at->region->set.linear;
    const uint32_t number = at->centres->number[r];
    const double often = 4 * (double)(at->region->set.n + at->region->affine.count + 16);
    double size = 0;
    if (number >= linear->base.first) {
        const size_t i = (number - linear->base.first) / 2;
        for (size_t k = linear->rows.start[i]; k < linear->rows.start[i + 1]; k++)
            size += fabs(linear->rows.values[k]) * most_of(at->region, linear->rows.columns[k]);
    } else {
        size = most_of(at->region, at->centres->own[r]);
    }
    return often * 0x1p-53 * size;
}

static int is_row(const hcri_barrier *barrier, size_t r) { return !hcri_barrier_is_single(barrier, r); }

/* The node that row r is a limit of, and what it is times its value. */
static size_t node_of(const planning *at, size_t r, double *times) {
    const hcri_barrier *barrier = &at->centres->barrier;
    const double *values = at->centres->values;
    const size_t first = barrier->start[r], twin = barrier->start[barrier->twin[r]];
    *times = !is_row(barrier, r) ? values[first] : (values[first] < 0) == (values[twin] < 0) ? 1 : -1;
    return at->node[is_row(barrier, r) ? barrier->node[r] : barrier->column[first]];
}

/* One limit of column or row i: it is counted, or, once there is room, put in its place. */
static void take(const planning *at, size_t i, int is_upper, int counts) {
    static const double far = 0x1p-44; /* of the limit's size */
    const size_t columns = at->centres->barrier.columns;
    const double limit = (is_upper ? at->centres->upper : at->centres->lower)[i];
    double times = 1;
    const size_t node = i < columns ? i : node_of(at, i - columns, &times);
    size_t *place = &at->limit[2 * node + (size_t)((times > 0) == is_upper)];
    if (isinf(limit))
        return;
    if (counts) {
        place[1]++;
        return;
    }
    const size_t k = (*place)++;
    double size = fabs(limit);
    at->row[k] = HCRI_OF_COLUMN;
    at->source[k] = (uint32_t)(2 * i) + (uint32_t)is_upper;
    at->constant[k] = limit;
    at->factor[k] = 1 / times;
    if (i >= columns) {
        const hcri_rows *shift = &at->centres->shift;
        const size_t r = i - columns, outputs = at->region->set.outputs;
        if (shift->start[r] < shift->start[r + 1])
            at->row[k] = (uint32_t)r;
        for (size_t t = shift->start[r]; t < shift->start[r + 1]; t++)
            size += fabs(shift->values[t]) * most_of(at->region, (uint32_t)outputs + shift->columns[t]);
    }
    at->safe[k] = fmax(far * size, i < columns ? 0 : rounding_of(at, i - columns)) / fabs(times);
}

static void take_all(const planning *at, int counts) {
    const size_t count = at->centres->barrier.columns + at->centres->barrier.rows;
    for (size_t i = 0; i < count; i++)
        for (int is_upper = 0; is_upper < 2; is_upper++)
            take(at, i, is_upper, counts);
}

static hcr_status take_limits(planning *at, hcr_error *error) {
    hcri_centre_plan *plan = at->plan;
    const size_t sides = 2 * plan->system.nodes;
    at->limit = hcri_allocate(at->memory, sides + 2, sizeof *at->limit);
    HCRI_ALLOCATED(at->limit);
    take_all(at, 1); /* into the place behind each side's */
    for (size_t k = 0; k < sides; k++)
        at->limit[k + 1] += at->limit[k];
    const size_t limits = at->limit[sides];
    at->row = hcri_allocate(at->memory, limits, sizeof *at->row);
    at->source = hcri_allocate(at->memory, limits, sizeof *at->source);
    at->constant = hcri_allocate(at->memory, limits, sizeof *at->constant);
    at->factor = hcri_allocate(at->memory, limits, sizeof *at->factor);
    at->safe = hcri_allocate(at->memory, limits, sizeof *at->safe);
    HCRI_TRY(hcri_pool_check(&plan->memory, error));
    take_all(at, 0); /* each place is then that of the next side */
    for (size_t k = sides; k > 0; k--)
        at->limit[k] = at->limit[k - 1];
    at->limit[0] = 0;
    plan->limits = (hcri_centre_limits){at->row, at->constant, at->factor, &at->centres->shift};
    plan->source = at->source;
    plan->node = at->node;
    plan->safe = at->safe;
    plan->system.limit = at->limit;
    return HCR_OK;
}

/* Where eliminating rows one by one would fill the columns' system: the rows' values by column. */
static hcr_status take_dense(const planning *at, hcr_error *error) {
    hcri_centre_system *system = &at->plan->system;
    const size_t columns = system->columns, rows = system->nodes - columns;
    if (columns < 16 || rows < columns || 2 * system->start[rows] < rows * columns)
        return HCR_OK;
    double *dense = hcri_allocate(at->memory, (columns + HCRI_DENSE_COLUMNS - 1) * rows, sizeof *dense);
    HCRI_ALLOCATED(dense);
    for (size_t r = 0; r < rows; r++)
        for (size_t k = system->start[r]; k < system->start[r + 1]; k++)
            dense[at->plan->column[k] * rows + r] = system->value[k];
    system->dense = dense;
    system->pairs = rows;
    return HCR_OK;
}

/* The rows that have a node: those of two columns first. */
static hcr_status take_rows(planning *at, hcr_error *error) {
    const hcri_barrier *barrier = &at->centres->barrier;
    const size_t columns = barrier->columns, rows = barrier->ldl.size - columns,
                 entries = barrier->start[barrier->rows];
    size_t *start = hcri_allocate(at->memory, rows + 1, sizeof *start), next = 0, pairs = 0;
    uint32_t *column = hcri_allocate(at->memory, entries, sizeof *column);
    double *value = hcri_allocate(at->memory, entries, sizeof *value);
    double *length = hcri_allocate(at->memory, barrier->ldl.size, sizeof *length);
    at->node = hcri_allocate(at->memory, barrier->ldl.size, sizeof *at->node);
    HCRI_TRY(hcri_pool_check(&at->plan->memory, error));
    for (size_t j = 0; j < columns; j++) {
        length[j] = 1;
        at->node[j] = (uint32_t)j;
    }
    for (int more = 0; more < 2; more++)
        for (size_t i = 0; i < rows; i++) {
            const size_t r = barrier->leader[i], terms = barrier->start[r + 1] - barrier->start[r];
            if ((terms > 2) != more)
                continue;
            pairs += !more;
            start[next + 1] = start[next];
            for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++) {
                column[start[next + 1]] = barrier->column[k];
                value[start[next + 1]++] = at->centres->values[k];
            }
            at->node[columns + i] = (uint32_t)(columns + next);
            length[columns + next++] = hcri_barrier_row_length(barrier, at->centres->values, r);
        }
    at->plan->column = column;
    at->plan->system = (hcri_centre_system){
        .columns = columns, .pairs = pairs, .nodes = columns + rows, .start = start, .value = value, .length = length};
    return take_dense(at, error);
}

/* The system's entries and how it is factorised. Rows of the same two columns have one entry together. */
static hcr_status take_system(const planning *at, hcr_error *error) {
    hcri_centre_system *system = &at->plan->system;
    const uint32_t *column = at->plan->column;
    const size_t rows = system->nodes - system->columns, all = system->start[rows],
                 places = system->columns + rows - system->pairs;
    uint32_t *entry = hcri_allocate(at->memory, system->pairs, sizeof *entry);
    uint32_t *place = hcri_allocate(at->memory, all, sizeof *place);
    HCRI_SCRATCH(scratch, &at->region->set.allocator);
    uint32_t *first = hcri_allocate(scratch, all, sizeof *first), *second = hcri_allocate(scratch, all, sizeof *second);
    uint32_t *last = hcri_allocate(scratch, system->columns, sizeof *last); /* entry of a first column, and before it */
    uint32_t *before = hcri_allocate(scratch, all, sizeof *before);
    unsigned char *late = hcri_allocate(scratch, places, sizeof *late);
    HCRI_ALLOCATED(entry && place && first && second && last && before && late);
    for (size_t j = 0; j < system->columns; j++) {
        last[j] = UINT32_MAX;
        late[j] = system->limit[2 * j] == system->limit[2 * j + 2];
    }
    uint32_t count = 0;
    for (uint32_t j = 0; j < system->columns && system->dense != NULL; j++)
        for (uint32_t i = 0; i < j; i++) {
            first[count] = i;
            second[count++] = j;
        }
    for (size_t r = 0; r < system->pairs && system->dense == NULL; r++) {
        const uint32_t one = column[system->start[r]], other = column[system->start[r] + 1];
        uint32_t e = last[one];
        late[one] = late[other] = 0;
        while (e != UINT32_MAX && second[e] != other)
            e = before[e];
        if (e == UINT32_MAX) {
            before[count] = last[one];
            last[one] = e = count++;
            first[e] = one;
            second[e] = other;
        }
        entry[r] = e;
    }
    system->shared = count;
    for (size_t r = system->pairs; r < rows; r++)
        for (size_t k = system->start[r]; k < system->start[r + 1]; k++) {
            first[count] = (uint32_t)(system->columns + r - system->pairs);
            second[count++] = column[k];
        }
    HCRI_TRY(hcri_ldl_make(places, count, first, second, late, at->memory, &system->ldl, error));
    for (size_t k = 0; k < all; k++)
        place[k] = system->ldl.place[column[k]];
    system->place = system->ldl.place;
    system->entry = entry;
    system->at = place;
    return HCR_OK;
}

/* Whether every inequality of the region is a bound or one of the plan's limits. */
static int is_all(const planning *at) {
    const hcri_linear *linear = at->region->set.linear;
    size_t rows = 0, taken = 0;
    for (size_t i = 0; i < linear->rows.count; i++)
        rows += !isinf(linear->lower[i]) || !isinf(linear->upper[i]);
    for (size_t r = 0; r < at->centres->barrier.rows; r++)
        taken += at->centres->number[r] >= linear->base.first;
    return rows <= taken;
}

hcr_status hcri_centre_plan_make(const hcr_region *region, hcri_centres *centres, hcr_error *error) {
    if (centres->varying != centres->barrier.rows || region->origins != 1 || region->origin_map.brought)
        return HCR_OK;
    hcri_centre_plan *plan = hcri_allocate(&region->set.allocator, 1, sizeof *plan);
    HCRI_ALLOCATED(plan);
    plan->memory.from = &region->set.allocator;
    planning at = {.region = region, .centres = centres, .plan = plan, .memory = hcri_pool_allocator(&plan->memory)};
    hcr_status status = take_rows(&at, error);
    if (status == HCR_OK)
        status = take_limits(&at, error);
    if (status == HCR_OK)
        status = take_system(&at, error);
    int serves = status == HCR_OK && hcri_centre_numbers(&plan->system) <= MOST_NUMBERS;
    for (size_t k = 0; serves && k < plan->system.limit[2 * plan->system.nodes]; k++)
        serves = isfinite(plan->safe[k]);
    if (!serves) {
        hcri_centre_plan_release(plan, &region->set.allocator);
        return status;
    }
    plan->proves = is_all(&at);
    if (!region->bounded) /* as hcri_sample_problem has it */
        plan->system.pull = 1e-4 / (region->inradius * region->inradius);
    plan->system.scale = region->inradius;
    centres->plan = plan;
    return HCR_OK;
}
