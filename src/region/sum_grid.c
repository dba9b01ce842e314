#include "region/sum_grid.h"

#include <limits.h>
#include <math.h>

#include "base/double_double.h"

void hcri_sum_grid_release(hcri_sum_grid *grid, const hcr_allocator *allocator) {
    hcri_release(allocator, grid->step);
    *grid = (hcri_sum_grid){0};
}

/* Outputs that equalities connect form a group, which has one grid. */
typedef struct finding {
    const hcri_set *set;
    const hcri_affine *affine;
    const double *lower, *upper;
    uint32_t *parent; /* of each output: a forest whose roots stand for the groups */
    double *most;     /* of each root: the largest partial sum, infinity where the group has no grid */
    double *step;     /* of each root */
    double *rest;     /* set.n zeros between uses */
} finding;

/* The largest coefficient beside the least: products and sums of so few bits are exact wherever they are taken here. */
static const double most_whole = 0x1p16;

static uint32_t root_of(const finding *at, uint32_t j) {
    while (at->parent[j] != j) {
        at->parent[j] = at->parent[at->parent[j]];
        j = at->parent[j];
    }
    return j;
}

/* The outputs of row i, and one more, belong together. */
static void connect(const finding *at, const hcri_rows *rows, size_t i, uint32_t with) {
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        if (rows->columns[k] >= at->set->outputs)
            continue;
        if (with == UINT32_MAX)
            with = rows->columns[k];
        const uint32_t a = root_of(at, with), b = root_of(at, rows->columns[k]);
        at->parent[a > b ? a : b] = a > b ? b : a;
    }
}

/* The group of row i, UINT32_MAX where it has no output. */
static uint32_t group_of(const finding *at, const hcri_rows *rows, size_t i) {
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        if (rows->columns[k] < at->set->outputs)
            return root_of(at, rows->columns[k]);
    return UINT32_MAX;
}

/* The exponent of a number's last bit. */
static int last_bit(double x) {
    int exponent, zeros = 0;
    for (uint64_t bits = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53); bits % 2 == 0; bits /= 2)
        zeros++;
    return exponent - 53 + zeros;
}

/* The least exponent of a row's last bits: divided by that power of two its coefficients are whole numbers. */
static int unit_of(const hcri_rows *rows, size_t i) {
    int least = INT_MAX;
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        if (rows->values[k] != 0) {
            const int bit = last_bit(rows->values[k]);
            least = bit < least ? bit : least;
        }
    return least;
}

/* A sum of terms that is 0: no partial sum is larger than all positive terms, nor than all negative ones. */
typedef struct partial_sums {
    hcri_dd positive, negative;
} partial_sums;

static void add_term(partial_sums *sums, double a, double lower, double upper) {
    const double most = a > 0 ? upper : lower, least = a > 0 ? lower : upper;
    if (a * most > 0)
        sums->positive = isinf(most) ? (hcri_dd){INFINITY, 0} : hcri_dd_add_product(sums->positive, a, most);
    if (a * least < 0)
        sums->negative = isinf(least) ? (hcri_dd){INFINITY, 0} : hcri_dd_add_product(sums->negative, -a, least);
}

/* Bounds hold exactly. Where there is none the box that holds the set does, but for what other equalities are off. */
static void add_output(const finding *at, partial_sums *sums, double a, uint32_t j) {
    const double beyond = 0x1p-20 * (at->upper[j] - at->lower[j]);
    const double lower = at->set->box->lower[j], upper = at->set->box->upper[j];
    add_term(sums, a, isinf(lower) ? at->lower[j] - beyond : lower, isinf(upper) ? at->upper[j] + beyond : upper);
}

/* Σ a_k (y, x)_k + constant, 0 with −y_of added where there is one: in whole numbers, how large a partial sum can be.
 */
static void bound_row(const finding *at, const hcri_rows *rows, size_t i, double constant, uint32_t of) {
    const uint32_t group = of == UINT32_MAX ? group_of(at, rows, i) : root_of(at, of);
    if (group == UINT32_MAX)
        return;
    int unit = unit_of(rows, i);
    unit = of != UINT32_MAX && unit > 0 ? 0 : unit;
    int is_whole = unit != INT_MAX && unit > -900 && unit < 900 && (of == UINT32_MAX || unit == 0);
    partial_sums sums = {{0, 0}, {0, 0}};
    for (size_t k = rows->start[i]; is_whole && k < rows->start[i + 1]; k++) {
        const double a = ldexp(rows->values[k], -unit);
        is_whole = fabs(a) <= most_whole;
        if (a != 0)
            add_output(at, &sums, a, rows->columns[k]);
    }
    if (of != UINT32_MAX)
        add_output(at, &sums, -1, of);
    if (is_whole)
        add_term(&sums, 1, ldexp(constant, -unit), ldexp(constant, -unit));
    const double most = fmin(hcri_dd_value(sums.positive), hcri_dd_value(sums.negative));
    at->most[group] = is_whole && most < INFINITY ? fmax(at->most[group], most) : INFINITY;
}

static int is_multiple(double x, double of) { return fmod(x, of) == 0; }

/* Is equality i, with the dependent outputs put in, 0 = 0 without any rounding? Their constants are multiples of the
 * grid and no larger than 2^53 of it, so that the sums here are exact. */
static int is_solved_exactly(const finding *at, size_t i) {
    const hcri_affine *affine = at->affine;
    const hcri_rows *rows = &at->set->equalities.rows, *map = &affine->map;
    hcri_dd constant = {-at->set->equalities.right[i], 0};
    int is_zero = 1;
    for (int pass = 0; pass < 2; pass++) /* adds, then looks and clears */
        for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
            const double a = rows->values[k];
            const size_t d = hcri_affine_find(affine, rows->columns[k]);
            const size_t from = d == SIZE_MAX ? 0 : map->start[d], to = d == SIZE_MAX ? 1 : map->start[d + 1];
            for (size_t t = from; t < to; t++) {
                double *rest = &at->rest[d == SIZE_MAX ? rows->columns[k] : map->columns[t]];
                is_zero &= pass == 0 || *rest == 0;
                *rest = pass == 0 ? *rest + a * (d == SIZE_MAX ? 1 : map->values[t]) : 0;
            }
            if (pass == 0 && d != SIZE_MAX)
                constant = hcri_dd_add_product(constant, a, affine->constant[d]);
        }
    return is_zero && hcri_dd_value(constant) == 0;
}

static void choose_steps(const finding *at, hcr_precision precision) {
    static const double least = 0x1p-100, largest = 0x1p100;
    const size_t outputs = at->set->outputs;
    for (uint32_t j = 0; j < outputs; j++) {
        int exponent;
        if (!(at->most[j] >= least && at->most[j] <= largest)) /* none, or no root */
            at->most[j] = INFINITY;
        frexp(at->most[j], &exponent);
        at->step[j] = isinf(at->most[j]) ? 0 : ldexp(1, exponent - (precision == HCR_SINGLE ? 24 : 53));
    }
    for (size_t d = 0; d < at->affine->count; d++) {
        const uint32_t group = root_of(at, at->affine->dependent[d]);
        if (at->step[group] != 0 && !is_multiple(at->affine->constant[d], at->step[group]))
            at->step[group] = 0;
    }
    for (uint32_t j = 0; j < outputs; j++) {
        const uint32_t group = root_of(at, j);
        const double width = at->upper[j] - at->lower[j];
        const size_t d = hcri_affine_find(at->affine, j);
        const int is_fixed = d != SIZE_MAX && at->affine->map.start[d] == at->affine->map.start[d + 1];
        if (!is_fixed && !(at->step[group] <= hcri_sum_grid_share(precision) * width))
            at->step[group] = 0;
    }
    for (size_t i = 0; i < at->set->equalities.rows.count; i++) {
        const uint32_t group = group_of(at, &at->set->equalities.rows, i);
        if (group != UINT32_MAX && at->step[group] != 0 && !is_solved_exactly(at, i))
            at->step[group] = 0;
    }
}

static hcr_status put(const finding *at, hcr_precision precision, const hcr_allocator *allocator, hcri_sum_grid *grid,
                      hcr_error *error) {
    const double bits = precision == HCR_SINGLE ? 0x1p24 : 0x1p53;
    const size_t n = at->set->outputs;
    int any = 0;
    for (uint32_t j = 0; j < n; j++)
        any |= at->step[root_of(at, j)] != 0;
    if (!any)
        return HCR_OK;
    grid->step = hcri_allocate(allocator, 4 * n, sizeof *grid->step);
    HCRI_ALLOCATED(grid->step);
    grid->shift = grid->step + n;
    grid->lower = grid->shift + n;
    grid->upper = grid->lower + n;
    for (uint32_t j = 0; j < n; j++) {
        const double step = at->step[root_of(at, j)], lower = at->set->box->lower[j], upper = at->set->box->upper[j];
        const double most = step == 0 ? INFINITY : bits * step; /* no result of the group is larger */
        grid->step[j] = step;
        grid->shift[j] = 0x1p52 * step;
        grid->lower[j] = step == 0 || lower < -most ? -most : step * ceil(lower / step);
        grid->upper[j] = step == 0 || upper > most ? most : step * floor(upper / step);
    }
    return HCR_OK;
}

static void choose(finding *at, hcr_precision precision) {
    const hcri_equalities *equalities = &at->set->equalities;
    const hcri_affine *affine = at->affine;
    for (uint32_t j = 0; j < at->set->outputs; j++)
        at->parent[j] = j;
    for (size_t i = 0; i < equalities->rows.count; i++)
        connect(at, &equalities->rows, i, UINT32_MAX);
    for (size_t d = 0; d < affine->count; d++)
        connect(at, &affine->map, d, affine->dependent[d]);
    for (size_t i = 0; i < equalities->rows.count; i++)
        bound_row(at, &equalities->rows, i, -equalities->right[i], UINT32_MAX);
    for (size_t d = 0; d < affine->count; d++)
        bound_row(at, &affine->map, d, affine->constant[d], affine->dependent[d]);
    choose_steps(at, precision);
}

hcr_status hcri_sum_grid_find(const hcri_set *set, const hcri_affine *affine, const double *lower, const double *upper,
                              hcr_precision precision, const hcr_allocator *allocator, hcri_sum_grid *grid,
                              hcr_error *error) {
    *grid = (hcri_sum_grid){0};
    if (affine->count == 0)
        return HCR_OK;
    HCRI_SCRATCH(scratch, &set->allocator);
    const size_t n = set->outputs;
    finding at = {.set = set,
                  .affine = affine,
                  .lower = lower,
                  .upper = upper,
                  .parent = hcri_allocate(scratch, n, sizeof *at.parent),
                  .most = hcri_allocate(scratch, 2 * n + set->n, sizeof *at.most)};
    HCRI_ALLOCATED(at.parent && at.most);
    at.step = at.most + n;
    at.rest = at.step + n;
    choose(&at, precision);
    return put(&at, precision, allocator, grid, error);
}

int hcri_sum_grid_has(const hcri_sum_grid *grid, const hcri_set *set, const hcri_affine *affine, size_t i,
                      const double *x) {
    const hcri_rows *rows = &set->equalities.rows, *map = &affine->map;
    double step = 0;
    for (size_t k = rows->start[i]; grid->step != NULL && k < rows->start[i + 1]; k++)
        if (rows->columns[k] < set->outputs)
            step = grid->step[rows->columns[k]];
    for (size_t k = rows->start[i]; step != 0 && x != NULL && k < rows->start[i + 1]; k++) {
        const size_t d = hcri_affine_find(affine, rows->columns[k]);
        for (size_t t = d == SIZE_MAX ? 0 : map->start[d]; d != SIZE_MAX && t < map->start[d + 1]; t++)
            if (map->columns[t] >= set->outputs && !is_multiple(x[map->columns[t] - set->outputs], step))
                return 0;
    }
    return step != 0;
}
