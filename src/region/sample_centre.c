#include "region/sample_centre.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

#define NO_COLUMN UINT32_MAX

/* ------------------------------------------------------------------------------------ what the parameters don't move
 */

void hcri_centres_release(hcri_centres *centres, const hcr_allocator *allocator) {
    if (centres == NULL)
        return;
    hcri_release(allocator, centres->output);
    hcri_release(allocator, centres->column);
    hcri_barrier_release(&centres->barrier, allocator);
    hcri_release(allocator, centres->values);
    hcri_release(allocator, centres->lower);
    hcri_release(allocator, centres->upper);
    hcri_rows_release(&centres->shift, allocator);
    hcri_release(allocator, centres->block);
    hcri_release(allocator, centres->row);
    hcri_release(allocator, centres);
}

/* A row over outputs and parameters, as one over the free outputs and the parameters. */
typedef struct hcri_folded {
    double *of_columns, *of_parameters; /* dense */
    double constant;
} hcri_folded;

static void fold(const hcr_region *region, const hcri_centres *centres, size_t count, const uint32_t *columns,
                 const double *values, hcri_folded *out) {
    const hcri_affine *affine = &region->affine;
    const size_t outputs = region->set.outputs;
    for (size_t k = 0; k < count; k++) {
        const uint32_t j = columns[k];
        if (j >= outputs) {
            out->of_parameters[j - outputs] += values[k];
        } else if (centres->column[j] != NO_COLUMN) {
            out->of_columns[centres->column[j]] += values[k];
        } else {
            const size_t d = hcri_affine_find(affine, j);
            const size_t first = affine->map.start[d], last = affine->map.start[d + 1];
            out->constant += values[k] * affine->constant[d];
            for (size_t t = first; t < last; t++) {
                const uint32_t to = affine->map.columns[t];
                *(to < outputs ? &out->of_columns[centres->column[to]] : &out->of_parameters[to - outputs]) +=
                    values[k] * affine->map.values[t];
            }
        }
    }
}

/* What the rows are made from, as they are collected. */
typedef struct hcri_collection {
    const hcr_region *region;
    hcri_centres *centres;
    hcri_rows rows; /* over the columns */
    hcri_folded folded;
    size_t count; /* of rows with limits, in … */
    double *lower, *upper;
    double *generic; /* parameters at which no coefficient vanishes by chance, and a row there */
    double *values;
    uint32_t *columns;
} hcri_collection;

static void clear(const hcri_collection *at) {
    memset(at->folded.of_columns, 0, at->region->set.outputs * sizeof(double));
    memset(at->folded.of_parameters, 0, (at->region->set.n - at->region->set.outputs) * sizeof(double));
}

/* Rows without free outputs limit the parameters alone: they are left out. */
static hcr_status add_row(hcri_collection *at, double lower, double upper, hcr_error *error) {
    const hcr_allocator *allocator = &at->region->set.allocator;
    hcri_centres *centres = at->centres;
    const size_t before = hcri_rows_entries(&at->rows);
    HCRI_TRY(hcri_rows_append_dense(&at->rows, allocator, centres->barrier.columns, at->folded.of_columns, error));
    if (hcri_rows_entries(&at->rows) == before) {
        at->rows.count--;
        return HCR_OK;
    }
    at->lower[at->count] = lower - at->folded.constant;
    at->upper[at->count++] = upper - at->folded.constant;
    return hcri_rows_append_dense(&centres->shift, allocator, at->region->set.n - at->region->set.outputs,
                                  at->folded.of_parameters, error);
}

/* Bounds of the outputs that equalities determine, rows, and the pattern of rows with moving coefficients. */
static hcr_status collect(hcri_collection *at, hcr_error *error) {
    const hcr_region *region = at->region;
    const hcri_set *set = &region->set;
    const hcri_affine *affine = &region->affine;
    for (size_t d = 0; d < affine->count; d++) {
        const uint32_t j = affine->dependent[d];
        static const double one = 1;
        if (isinf(set->box->lower[j]) && isinf(set->box->upper[j]))
            continue;
        clear(at);
        at->folded.constant = 0;
        fold(region, at->centres, 1, &j, &one, &at->folded);
        HCRI_TRY(add_row(at, set->box->lower[j], set->box->upper[j], error));
    }
    for (size_t i = 0; i < set->linear->rows.count; i++) {
        const hcri_rows *rows = &set->linear->rows;
        clear(at);
        at->folded.constant = 0;
        fold(region, at->centres, rows->start[i + 1] - rows->start[i], rows->columns + rows->start[i],
             rows->values + rows->start[i], &at->folded);
        HCRI_TRY(add_row(at, set->linear->lower[i], set->linear->upper[i], error));
    }
    at->centres->varying = at->count;
    for (size_t b = 2; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count / 2; i++) {
            double lower, upper;
            const size_t count =
                block->kind->row_at(block, i, set->outputs, at->generic, at->columns, at->values, &lower, &upper);
            clear(at);
            for (size_t k = 0; k < count; k++)
                fold(region, at->centres, 1, at->columns + k, at->values + k, &at->folded);
            memset(at->folded.of_parameters, 0, (set->n - set->outputs) * sizeof(double));
            at->centres->block[at->count - at->centres->varying] = block;
            at->centres->row[at->count - at->centres->varying] = (uint32_t)i;
            HCRI_TRY(add_row(at, 0, 0, error));
        }
    }
    return HCR_OK;
}

static int is_affine(const hcri_set *set) {
    for (size_t b = 2; b < set->blocks; b++)
        if (set->block[b]->kind->row_at == NULL)
            return 0;
    return 1;
}

static size_t most_rows(const hcr_region *region, size_t *varying) {
    size_t count = region->affine.count + region->set.linear->rows.count;
    *varying = 0;
    for (size_t b = 2; b < region->set.blocks; b++)
        *varying += region->set.block[b]->count / 2;
    return count + *varying;
}

/* The columns, the limits and the barrier, from what was collected. */
static hcr_status finish(hcri_collection *at, hcr_error *error) {
    const hcri_set *set = &at->region->set;
    const hcr_allocator *allocator = &set->allocator;
    hcri_centres *centres = at->centres;
    const size_t columns = centres->barrier.columns, rows = at->count;
    unsigned char *bounded = hcri_allocate(allocator, columns, sizeof *bounded);
    size_t *start = hcri_allocate(allocator, rows + 1, sizeof *start);
    centres->values = hcri_copy_or_zeros(allocator, at->rows.values, hcri_rows_entries(&at->rows), sizeof(double));
    centres->lower = hcri_allocate(allocator, columns + rows, sizeof(double));
    centres->upper = hcri_allocate(allocator, columns + rows, sizeof(double));
    hcr_status status = HCR_OK;
    if (bounded == NULL || start == NULL || centres->values == NULL || centres->lower == NULL || centres->upper == NULL)
        status = hcri_fail_memory(error);
    if (status == HCR_OK) {
        for (size_t j = 0; j < columns; j++) {
            centres->lower[j] = set->box->lower[centres->output[j]];
            centres->upper[j] = set->box->upper[centres->output[j]];
            bounded[j] = !isinf(centres->lower[j]) || !isinf(centres->upper[j]);
        }
        memcpy(centres->lower + columns, at->lower, rows * sizeof(double));
        memcpy(centres->upper + columns, at->upper, rows * sizeof(double));
        if (rows != 0)
            memcpy(start, at->rows.start, (rows + 1) * sizeof *start);
        status =
            hcri_barrier_make(columns, rows, start, at->rows.columns, bounded, allocator, &centres->barrier, error);
    }
    hcri_release(allocator, bounded);
    hcri_release(allocator, start);
    return status;
}

hcr_status hcri_centres_make(const hcr_region *region, hcri_centres **made, hcr_error *error) {
    const hcri_set *set = &region->set;
    const hcr_allocator *allocator = &set->allocator;
    *made = NULL;
    if (!is_affine(set))
        return HCR_OK;
    size_t varying;
    const size_t rows = most_rows(region, &varying), outputs = set->outputs;
    hcri_centres *centres = hcri_allocate(allocator, 1, sizeof *centres);
    if (centres == NULL)
        return hcri_fail_memory(error);
    hcri_collection at = {.region = region, .centres = centres};
    centres->output = hcri_allocate(allocator, outputs, sizeof *centres->output);
    centres->column = hcri_allocate(allocator, outputs, sizeof *centres->column);
    centres->block = hcri_allocate(allocator, varying, sizeof(void *));
    centres->row = hcri_allocate(allocator, varying, sizeof *centres->row);
    at.lower = hcri_allocate(allocator, rows, sizeof(double));
    at.upper = hcri_allocate(allocator, rows, sizeof(double));
    at.generic = hcri_allocate(allocator, set->n - outputs, sizeof(double));
    at.values = hcri_allocate(allocator, outputs, sizeof(double));
    at.columns = hcri_allocate(allocator, outputs, sizeof *at.columns);
    at.folded.of_columns = hcri_allocate(allocator, outputs, sizeof(double));
    at.folded.of_parameters = hcri_allocate(allocator, set->n - outputs, sizeof(double));
    hcr_status status = HCR_OK;
    if (centres->output == NULL || centres->column == NULL || centres->block == NULL || centres->row == NULL ||
        at.lower == NULL || at.upper == NULL || at.generic == NULL || at.values == NULL || at.columns == NULL ||
        at.folded.of_columns == NULL || at.folded.of_parameters == NULL)
        status = hcri_fail_memory(error);
    for (uint32_t j = 0; status == HCR_OK && j < outputs; j++) {
        const int is_free = hcri_affine_find(&region->affine, j) == SIZE_MAX;
        centres->column[j] = is_free ? (uint32_t)centres->barrier.columns : NO_COLUMN;
        if (is_free)
            centres->output[centres->barrier.columns++] = j;
    }
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t k = 0; status == HCR_OK && k < set->n - outputs; k++)
        at.generic[k] = hcri_random_normal(&random);
    if (status == HCR_OK)
        status = collect(&at, error);
    if (status == HCR_OK)
        status = finish(&at, error);
    hcri_rows_release(&at.rows, allocator);
    hcri_release(allocator, at.generic);
    hcri_release(allocator, at.values);
    hcri_release(allocator, at.columns);
    hcri_release(allocator, at.lower);
    hcri_release(allocator, at.upper);
    hcri_release(allocator, at.folded.of_columns);
    hcri_release(allocator, at.folded.of_parameters);
    if (status == HCR_OK)
        *made = centres;
    else
        hcri_centres_release(centres, allocator);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- one sample
 */

typedef struct hcri_sample {
    const hcr_region *region;
    const hcri_centres *centres;
    const double *x;
    double *values, *lower, *upper; /* of the barrier's problem */
    double *f, *towards;
    double *low, *high; /* between which each column is, by its own limits or by all */
    hcri_folded folded;
    double *of_row;  /* a row with moving coefficients: values and columns */
    double *scratch; /* the barrier's */
} hcri_sample;

size_t hcri_centres_scratch(const hcr_region *region) {
    const hcri_centres *centres = region->centres;
    if (centres == NULL)
        return 0;
    const hcri_barrier *barrier = &centres->barrier;
    const size_t columns = barrier->columns, outputs = region->set.outputs;
    return barrier->start[barrier->rows] + 2 * (columns + barrier->rows) + 4 * columns + outputs +
           (region->set.n - outputs) + 2 * outputs + 3 * region->set.n + hcri_barrier_scratch(barrier);
}

/* The rows with moving coefficients, at x. */
static void take_varying(hcri_sample *s) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const size_t outputs = s->region->set.outputs, parameters = s->region->set.n - outputs;
    uint32_t *columns = (uint32_t *)(void *)(s->of_row + outputs);
    for (size_t r = s->centres->varying; r < barrier->rows; r++) {
        double lower, upper;
        const size_t at = r - s->centres->varying;
        const hcri_constraint *block = s->centres->block[at];
        const size_t count =
            block->kind->row_at(block, s->centres->row[at], outputs, s->x, columns, s->of_row, &lower, &upper);
        memset(s->folded.of_parameters, 0, parameters * sizeof(double));
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
            s->folded.of_columns[barrier->column[k]] = 0;
        s->folded.constant = 0;
        fold(s->region, s->centres, count, columns, s->of_row, &s->folded);
        for (size_t k = 0; k < parameters; k++)
            s->folded.constant += s->folded.of_parameters[k] * s->x[k];
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
            s->values[k] = s->folded.of_columns[barrier->column[k]];
        s->lower[barrier->columns + r] = lower - s->folded.constant;
        s->upper[barrier->columns + r] = upper - s->folded.constant;
    }
}

static hcri_sample begin(const hcr_region *region, const double *point, double *scratch) {
    const hcri_centres *centres = region->centres;
    const hcri_barrier *barrier = &centres->barrier;
    const size_t columns = barrier->columns, count = columns + barrier->rows, outputs = region->set.outputs;
    hcri_sample s = {.region = region, .centres = centres, .x = point + outputs, .values = scratch};
    s.lower = s.values + barrier->start[barrier->rows];
    s.upper = s.lower + count;
    s.f = s.upper + count;
    s.towards = s.f + columns;
    s.low = s.towards + columns;
    s.high = s.low + columns;
    s.folded.of_columns = s.high + columns;
    s.folded.of_parameters = s.folded.of_columns + outputs;
    s.of_row = s.folded.of_parameters + (region->set.n - outputs);
    s.scratch = s.of_row + 2 * outputs;
    memcpy(s.values, centres->values, barrier->start[barrier->rows] * sizeof(double));
    memcpy(s.lower, centres->lower, count * sizeof(double));
    memcpy(s.upper, centres->upper, count * sizeof(double));
    for (size_t r = 0; r < centres->varying; r++)
        for (size_t k = centres->shift.start[r]; k < centres->shift.start[r + 1]; k++) {
            const double moved = centres->shift.values[k] * s.x[centres->shift.columns[k]];
            s.lower[columns + r] -= moved;
            s.upper[columns + r] -= moved;
        }
    if (centres->varying < barrier->rows)
        take_varying(&s);
    for (size_t j = 0; j < columns; j++)
        s.f[j] = point[centres->output[j]];
    return s;
}

static hcri_barrier_problem problem_of(const hcri_sample *s, const double *origin) {
    hcri_barrier_problem problem = {
        .values = s->values, .lower = s->lower, .upper = s->upper, .scale = s->region->inradius};
    if (!s->region->bounded) { /* where nothing bounds the region the barrier may have no minimum */
        problem.pull = 1e-4 / (s->region->inradius * s->region->inradius);
        problem.towards = s->towards;
        for (size_t j = 0; j < s->centres->barrier.columns; j++)
            s->towards[j] = origin[s->centres->output[j]];
    }
    return problem;
}

/* Σ of what entries have at least, of which some may be −infinity (or at most, ∞). */
typedef struct hcri_reach {
    double finite;
    size_t infinite;
} hcri_reach;

static void reach_add(hcri_reach *reach, double part, int sign) {
    if (isinf(part))
        reach->infinite += (size_t)sign; /* −1 wraps around, and back */
    else
        reach->finite += sign * part;
}

static double reach_without(hcri_reach reach, double part, double otherwise) {
    reach_add(&reach, part, -1);
    return reach.infinite == 0 ? reach.finite : otherwise;
}

/* What row r, with its other columns between low and high, leaves each of its columns. */
static void narrow(hcri_sample *s, size_t r) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const size_t first = barrier->start[r], last = barrier->start[r + 1];
    const double lower = s->lower[barrier->columns + r], upper = s->upper[barrier->columns + r];
    hcri_reach least = {0}, most = {0};
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = first; k < last; k++) {
            const double a = s->values[k];
            double *low = &s->low[barrier->column[k]], *high = &s->high[barrier->column[k]];
            const double own_least = a > 0 ? a * *low : a * *high, own_most = a > 0 ? a * *high : a * *low;
            if (a == 0)
                continue;
            if (pass == 0) {
                reach_add(&least, own_least, 1);
                reach_add(&most, own_most, 1);
                continue;
            }
            const double at_most = (upper - reach_without(least, own_least, -INFINITY)) / a;
            const double at_least = (lower - reach_without(most, own_most, INFINITY)) / a;
            *low = fmax(*low, a > 0 ? at_least : at_most);
            *high = fmin(*high, a > 0 ? at_most : at_least);
        }
}

/* low and high: what the limits of each column leave it, its rows of one entry included. */
static void take_bounds(hcri_sample *s) {
    const hcri_barrier *barrier = &s->centres->barrier;
    memcpy(s->low, s->lower, barrier->columns * sizeof(double));
    memcpy(s->high, s->upper, barrier->columns * sizeof(double));
    for (size_t r = 0; r < barrier->rows; r++)
        if (barrier->start[r + 1] - barrier->start[r] == 1)
            narrow(s, r);
}

/* … and what rows leave beside what they leave others: a few passes, forth and back. */
static void propagate(hcri_sample *s) {
    enum { PASSES = 3 };
    const size_t rows = s->centres->barrier.rows;
    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t r = 0; r < rows; r++)
            narrow(s, r);
        for (size_t r = rows; r-- > 0;)
            narrow(s, r);
    }
}

/* Rows all of whose columns are held say nothing more. */
static void drop_rows_of_held(hcri_sample *s) {
    const hcri_barrier *barrier = &s->centres->barrier;
    for (size_t r = 0; r < barrier->rows; r++) {
        int held = 1;
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1] && held; k++)
            held = s->values[k] == 0 || s->lower[barrier->column[k]] == s->upper[barrier->column[k]];
        if (held) {
            s->lower[barrier->columns + r] = -INFINITY;
            s->upper[barrier->columns + r] = INFINITY;
        }
    }
}

/* Columns between low and high that are closer than `share` of their size are held at one value. 0: some have none. */
static int hold(hcri_sample *s, double share) {
    const hcri_barrier *barrier = &s->centres->barrier;
    for (size_t j = 0; j < barrier->columns; j++) {
        const double size = fmax(fabs(s->low[j]), fabs(s->high[j])), gap = s->high[j] - s->low[j];
        if (gap < -share * size)
            return 0;
        if (isinf(size) || !(gap <= share * size))
            continue;
        const double middle = s->low[j] + 0.5 * gap;
        s->lower[j] = s->upper[j] = fmin(fmax(middle, s->centres->lower[j]), s->centres->upper[j]);
    }
    drop_rows_of_held(s);
    return 1;
}

static int try_centre(hcri_sample *s, const double *origin, double share, double *point, double *is_free) {
    const hcri_centres *centres = s->centres;
    if (!hold(s, share))
        return 0;
    const hcri_barrier_problem problem = problem_of(s, origin);
    if (!hcri_barrier_centre(&centres->barrier, &problem, s->f, s->scratch))
        return 0;
    for (size_t j = 0; j < s->region->set.outputs; j++)
        is_free[j] = 1;
    for (size_t j = 0; j < centres->barrier.columns; j++) {
        point[centres->output[j]] = s->f[j];
        is_free[centres->output[j]] = s->lower[j] != s->upper[j];
    }
    hcri_affine_complete(&s->region->affine, point);
    return 1;
}

int hcri_centres_find(const hcr_region *region, double *point, double *is_free, double *scratch) {
    /* Between limits that are closer than the second share of their size double precision finds no centre. */
    static const double shares[] = {0x1p-50, 0x1p-50, 1e-12, 1e-9};
    for (size_t attempt = 0; attempt < sizeof shares / sizeof *shares; attempt++) {
        hcri_sample s = begin(region, point, scratch);
        take_bounds(&s);
        if (attempt > 0)
            propagate(&s);
        if (try_centre(&s, point, shares[attempt], point, is_free))
            return 1;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------------ derivatives */

/* The sample at a centre; low and high are what the limits leave each column. */
static hcri_sample begin_at(const hcr_region *region, const double *point, const double *is_free, double *scratch) {
    hcri_sample s = begin(region, point, scratch);
    take_bounds(&s);
    for (size_t j = 0; j < s.centres->barrier.columns; j++)
        if (is_free != NULL && is_free[s.centres->output[j]] == 0)
            s.lower[j] = s.upper[j] = s.f[j];
    drop_rows_of_held(&s);
    return s;
}

static int is_held(const hcri_sample *s, size_t j) { return s->lower[j] == s->upper[j]; }

static double row_dot(const hcri_sample *s, size_t r, const double *f) {
    const hcri_barrier *barrier = &s->centres->barrier;
    double sum = 0;
    for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
        sum += s->values[k] * f[barrier->column[k]];
    return sum;
}

/* Σ of the inverse squared distances of row r's sides, and of their inverses, above less below. */
static double weight_of(const hcri_sample *s, size_t r, double *load) {
    const size_t i = s->centres->barrier.columns + r;
    const double at = row_dot(s, r, s->f), below = 1 / (at - s->lower[i]), above = 1 / (s->upper[i] - at);
    *load = above - below;
    return below * below + above * above;
}

/* How the value of a held column follows row r of one entry: half of it each of the two limits that meet. */
static double share_of_row(const hcri_sample *s, size_t r) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const size_t k = barrier->start[r], j = barrier->column[k], i = barrier->columns + r;
    const double a = s->values[k];
    if (barrier->start[r + 1] - k != 1 || !is_held(s, j) || a == 0 || r >= s->centres->varying)
        return 0;
    double shift = 0;
    for (size_t t = s->centres->shift.start[r]; t < s->centres->shift.start[r + 1]; t++)
        shift += s->centres->shift.values[t] * s->x[s->centres->shift.columns[t]];
    const double one = (s->centres->lower[i] - shift) / a, other = (s->centres->upper[i] - shift) / a;
    const double low = a > 0 ? one : other, high = a > 0 ? other : one;
    return -0.5 * ((low == s->low[j]) + (high == s->high[j])) / a;
}

/* The gradient by the parameters of a row with moving coefficients at a point, dependent outputs following. */
static void row_by_parameters(const hcri_sample *s, size_t r, const double *point, double *whole) {
    const hcri_affine *affine = &s->region->affine;
    const size_t at = r - s->centres->varying, outputs = s->region->set.outputs;
    const hcri_constraint *block = s->centres->block[at];
    memset(whole, 0, s->region->set.n * sizeof *whole);
    block->kind->add_gradient(block, 2 * s->centres->row[at], point, 1, whole, NULL);
    for (size_t d = 0; d < affine->count; d++)
        for (size_t t = affine->map.start[d]; t < affine->map.start[d + 1]; t++)
            if (affine->map.columns[t] >= outputs)
                whole[affine->map.columns[t]] += whole[affine->dependent[d]] * affine->map.values[t];
}

/* The centre is where F = Σ g_i/s_i + pull (f − O) = 0, so that H df = −∂F/∂x dx with its Hessian H. With H w = bar
 *     x_bar = −w'∂F/∂x = −Σ (w·g_i/s_i² ∂c_i/∂x + ∂(w·g_i)/∂x / s_i) + pull (dO/dx)'w,
 * of which the second term is there for products of outputs and parameters alone: since c_i is bilinear it is the
 * difference of ∂c_i/∂x between f + w and f. A held column is one more parameter. */
void hcri_centres_vjp(const hcr_region *region, const double *point, const double *is_free, double *bar, double *x_bar,
                      double *scratch) {
    const size_t n = region->set.n, outputs = region->set.outputs;
    double *here = scratch, *shifted = scratch + n, *there = scratch + 2 * n;
    hcri_sample s = begin_at(region, point, is_free, scratch + 3 * n);
    const hcri_barrier *barrier = &s.centres->barrier;
    const hcri_barrier_problem problem = problem_of(&s, point);
    double *w = s.folded.of_columns;
    for (size_t j = 0; j < barrier->columns; j++)
        w[j] = bar[s.centres->output[j]];
    if (!hcri_barrier_solve(barrier, &problem, s.f, w, s.scratch))
        return;
    memcpy(shifted, point, n * sizeof *shifted);
    for (size_t j = 0; j < barrier->columns; j++)
        shifted[s.centres->output[j]] += w[j];
    hcri_affine_complete(&region->affine, shifted);
    for (size_t r = 0; r < barrier->rows; r++) {
        double load;
        const double weight = weight_of(&s, r, &load), along = row_dot(&s, r, w);
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
            if (is_held(&s, barrier->column[k]))
                bar[s.centres->output[barrier->column[k]]] -= weight * along * s.values[k];
        if (r >= s.centres->varying) {
            row_by_parameters(&s, r, point, here);
            row_by_parameters(&s, r, shifted, there);
            for (size_t k = outputs; k < n; k++)
                x_bar[k - outputs] -= along * weight * here[k] + load * (there[k] - here[k]);
            continue;
        }
        for (size_t t = s.centres->shift.start[r]; t < s.centres->shift.start[r + 1]; t++)
            x_bar[s.centres->shift.columns[t]] -= along * weight * s.centres->shift.values[t];
    }
    for (size_t r = 0; r < s.centres->varying; r++) {
        const double share = share_of_row(&s, r);
        const double held = share == 0 ? 0 : share * bar[s.centres->output[barrier->column[barrier->start[r]]]];
        for (size_t t = s.centres->shift.start[r]; t < s.centres->shift.start[r + 1] && held != 0; t++)
            x_bar[s.centres->shift.columns[t]] += held * s.centres->shift.values[t];
    }
    const hcri_rows *map = &region->origin_map.map;
    for (size_t j = 0; j < barrier->columns && problem.pull != 0; j++) {
        const uint32_t output = s.centres->output[j];
        for (size_t k = map->start[output]; k < map->start[output + 1]; k++)
            x_bar[map->columns[k]] += problem.pull * w[j] * map->values[k];
    }
}

/* H df = −∂F/∂x x_dot = −Σ (g_i (∂c_i/∂x·x_dot)/s_i² + (∂g_i/∂x x_dot)/s_i) + pull dO. */
void hcri_centres_jvp(const hcr_region *region, const double *point, const double *is_free, const double *x_dot,
                      double *dot, double *scratch) {
    const size_t n = region->set.n, outputs = region->set.outputs;
    double *here = scratch;
    hcri_sample s = begin_at(region, point, is_free, scratch + 3 * n);
    const hcri_barrier *barrier = &s.centres->barrier;
    const hcri_barrier_problem problem = problem_of(&s, point);
    double *right = s.folded.of_columns, *held = s.low;
    const hcri_rows *shift = &s.centres->shift, *map = &region->origin_map.map;
    for (size_t j = 0; j < barrier->columns; j++) {
        const uint32_t output = s.centres->output[j];
        right[j] = 0;
        for (size_t k = map->start[output]; k < map->start[output + 1] && problem.pull != 0; k++)
            right[j] += problem.pull * map->values[k] * x_dot[map->columns[k]];
        dot[output] = 0;
    }
    for (size_t r = 0; r < s.centres->varying; r++)
        for (size_t t = shift->start[r]; t < shift->start[r + 1]; t++)
            dot[s.centres->output[barrier->column[barrier->start[r]]]] +=
                share_of_row(&s, r) * shift->values[t] * x_dot[shift->columns[t]];
    for (size_t j = 0; j < barrier->columns; j++)
        held[j] = is_held(&s, j) ? dot[s.centres->output[j]] : 0;
    for (size_t r = 0; r < barrier->rows; r++) {
        double load, along = row_dot(&s, r, held);
        const double weight = weight_of(&s, r, &load);
        if (r < s.centres->varying) {
            for (size_t t = shift->start[r]; t < shift->start[r + 1]; t++)
                along += shift->values[t] * x_dot[shift->columns[t]];
        } else {
            row_by_parameters(&s, r, point, here);
            for (size_t k = outputs; k < n; k++)
                along += here[k] * x_dot[k - outputs];
        }
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
            right[barrier->column[k]] -= weight * along * s.values[k];
        if (r < s.centres->varying)
            continue;
        const size_t at = r - s.centres->varying;
        const hcri_constraint *block = s.centres->block[at];
        hcri_folded turned = {.of_columns = right, .of_parameters = scratch + n};
        memset(here, 0, n * sizeof *here);
        block->kind->add_mixed(block, 2 * s.centres->row[at], outputs, x_dot, -load, here);
        for (uint32_t j = 0; j < outputs; j++)
            if (here[j] != 0)
                fold(region, s.centres, 1, &j, &here[j], &turned);
    }
    if (!hcri_barrier_solve(barrier, &problem, s.f, right, s.scratch))
        return;
    for (size_t j = 0; j < barrier->columns; j++)
        dot[s.centres->output[j]] = is_held(&s, j) ? held[j] : right[j];
}
