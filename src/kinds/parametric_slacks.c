#include "kinds/parametric_slacks.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kinds/block.h"

/* Samples that go through together: enough for the kernels, and so few that their d stay in a near cache. */
enum { AT_ONCE = 8 };

/* ------------------------------------------------------------------------------------------------- preparation */

static size_t count_of(const hcri_rows *rows, size_t i) { return rows->start[i + 1] - rows->start[i]; }

/* Takes each row apart into what v multiplies, products included, and what x does. */
static hcr_status split(hcri_moving *moving, const hcri_rows *rows, const hcr_allocator *allocator, hcr_error *error) {
    const size_t outputs = moving->origin_map->outputs;
    const hcri_rows *products = moving->products.values;
    HCRI_SCRATCH(scratch, allocator);
    uint32_t *columns = hcri_allocate(scratch, moving->width + moving->origin_map->parameters, sizeof *columns);
    double *values = hcri_allocate(scratch, moving->width, sizeof *values);
    HCRI_ALLOCATED(columns && values);
    for (size_t i = 0; i < rows->count; i++) {
        const size_t start = rows->start[i], terms = count_of(rows, i);
        size_t kept = 0;
        while (kept < terms && rows->columns[start + kept] < outputs) {
            columns[kept] = rows->columns[start + kept];
            values[kept] = rows->values[start + kept];
            kept++;
        }
        const size_t direct = kept;
        for (size_t k = 0; products != NULL && k < count_of(products, i); k++) {
            columns[kept] = (uint32_t)outputs + products->columns[products->start[i] + k];
            values[kept++] = products->values[products->start[i] + k];
        }
        HCRI_TRY(hcri_rows_append(&moving->slope, allocator, kept, columns, values, error));
        for (size_t k = direct; k < terms; k++)
            columns[k - direct] = rows->columns[start + k] - (uint32_t)outputs;
        HCRI_TRY(
            hcri_rows_append(&moving->shift, allocator, terms - direct, columns, rows->values + start + direct, error));
    }
    return HCR_OK;
}

/* Numbers of a line of the cache: registers of that size are read faster when they don't lie across two. */
enum { LINE = 8 };

static hcr_status append_mapped(hcri_moving *moving, const hcri_rows *rows, const hcr_allocator *allocator,
                                hcr_error *error) {
    HCRI_SCRATCH(scratch, allocator);
    hcri_composed row;
    HCRI_TRY(hcri_composed_start(&row, moving->origin_map, scratch, error));
    for (size_t i = 0; i < rows->count; i++) {
        hcri_origin_map_compose(moving->origin_map, rows, i, NULL, 0, &row, &moving->constant[i]);
        moving->lower_rest[i] = moving->lower[i] - moving->constant[i];
        moving->upper_rest[i] = moving->upper[i] - moving->constant[i];
        HCRI_TRY(hcri_rows_append(&moving->map, allocator, row.count, row.columns, row.values, error));
    }
    return HCR_OK;
}

static hcr_status make_map(hcri_moving *moving, const hcri_rows *rows, const hcr_allocator *allocator,
                           hcr_error *error) {
    const size_t lines = (moving->slope.count + LINE - 1) / LINE;
    moving->constant = hcri_allocate(allocator, moving->slope.count, sizeof *moving->constant);
    moving->rest = hcri_allocate(allocator, 2 * lines + 1, LINE * sizeof *moving->rest);
    HCRI_ALLOCATED(moving->constant && moving->rest);
    moving->lower_rest = moving->rest + (LINE - (uintptr_t)moving->rest / sizeof(double) % LINE) % LINE;
    moving->upper_rest = moving->lower_rest + LINE * lines;
    HCRI_TRY(append_mapped(moving, rows, allocator, error));
    return hcri_layout_make(&moving->map, moving->origin_map->parameters, allocator, &moving->map_layout, error);
}

/* A column as an affine function of the parameters at O(x). */
typedef struct affine {
    double constant;
    size_t terms;
    const uint32_t *columns;
    const double *values;
} affine;

static affine affine_of(const hcri_origin_map *origin_map, size_t column, uint32_t *itself) {
    static const double one = 1;
    if (column >= origin_map->outputs) {
        *itself = (uint32_t)(column - origin_map->outputs);
        return (affine){0, 1, itself, &one};
    }
    const size_t start = origin_map->map.start[column];
    return (affine){origin_map->constant[column], count_of(&origin_map->map, column), origin_map->map.columns + start,
                    origin_map->map.values + start};
}

/* Σ|terms| over the range. */
static double size_of(const hcri_origin_map *origin_map, affine form) {
    double size = fabs(form.constant);
    for (size_t k = 0; k < form.terms; k++)
        size += fabs(form.values[k]) * hcri_origin_map_largest(origin_map, form.columns[k]);
    return size;
}

/* The middle m of the range of each parameter, and a distance r that no x is farther from it than. */
typedef struct centre {
    double *middle, *distance, *rate; /* a parameter each; the rate of d_i at the middle */
} centre;

static void add_form(const centre *at, affine form, double weight, double *value) {
    *value += weight * form.constant;
    for (size_t k = 0; k < form.terms; k++) {
        *value += weight * form.values[k] * at->middle[form.columns[k]];
        at->rate[form.columns[k]] += weight * form.values[k];
    }
}

/* |Σ (l(x) − l(m)) (x_r − m_r)| for a product l(x) x_r */
static double curved_term_of(const centre *at, affine left, size_t right) {
    double moved = 0;
    for (size_t k = 0; k < left.terms; k++)
        moved += fabs(left.values[k]) * at->distance[left.columns[k]];
    return moved * at->distance[right];
}

/* d_i(x) = d_i(m) + rate·(x − m) + the products of both factors' differences. What floating point adds is bounded by
 * the number of operations on the way and the sizes of the terms. */
static void bound_row(hcri_moving *moving, size_t i, const centre *at) {
    const hcri_origin_map *origin_map = moving->origin_map;
    const hcri_rows *slope = &moving->slope, *shift = &moving->shift;
    double value = 0, size = 0, reach = 0;
    size_t longest = 0;
    memset(at->rate, 0, origin_map->parameters * sizeof *at->rate);
    for (size_t k = shift->start[i]; k < shift->start[i + 1]; k++) {
        const size_t p = shift->columns[k];
        value += shift->values[k] * at->middle[p];
        at->rate[p] += shift->values[k];
        size += fabs(shift->values[k]) * hcri_origin_map_largest(origin_map, p);
    }
    for (size_t k = slope->start[i]; k < slope->start[i + 1]; k++) {
        const double a = slope->values[k];
        const size_t q = slope->columns[k];
        const int is_product = q >= origin_map->outputs;
        const size_t pair = is_product ? q - origin_map->outputs : 0;
        uint32_t itself;
        const affine form = affine_of(origin_map, is_product ? moving->products.left[pair] : q, &itself);
        longest = form.terms > longest ? form.terms : longest;
        if (!is_product) {
            add_form(at, form, a, &value);
            size += fabs(a) * size_of(origin_map, form);
            continue;
        }
        const size_t right = moving->products.right[pair] - origin_map->outputs;
        double left_at_middle = form.constant;
        for (size_t l = 0; l < form.terms; l++)
            left_at_middle += form.values[l] * at->middle[form.columns[l]];
        add_form(at, form, a * at->middle[right], &value);
        at->rate[right] += a * left_at_middle;
        reach += fabs(a) * curved_term_of(at, form, right);
        size += fabs(a) * size_of(origin_map, form) * hcri_origin_map_largest(origin_map, right);
    }
    for (size_t k = 0; k < origin_map->parameters; k++)
        reach += fabs(at->rate[k]) * at->distance[k];
    const double operations =
        (double)(count_of(shift, i) + 2 * count_of(slope, i) + longest + origin_map->parameters + 16);
    const double rounding = 4 * 0x1p-53 * operations * size + 0x1p-1000;
    moving->noise[i] = 4 * rounding;
    moving->least[i] = value - reach - rounding;
    moving->most[i] = value + reach + rounding;
}

static hcr_status bound_rows(hcri_moving *moving, const hcr_allocator *allocator, hcr_error *error) {
    const hcri_origin_map *origin_map = moving->origin_map;
    const size_t count = moving->slope.count, parameters = origin_map->parameters;
    moving->least = hcri_allocate(allocator, count, sizeof *moving->least);
    moving->most = hcri_allocate(allocator, count, sizeof *moving->most);
    moving->noise = hcri_allocate(allocator, count, sizeof *moving->noise);
    moving->rounding = hcri_allocate(allocator, origin_map->outputs, sizeof *moving->rounding);
    HCRI_SCRATCH(scratch, allocator);
    double *middle = hcri_allocate(scratch, parameters, 3 * sizeof *middle);
    const int enough = moving->least != NULL && moving->most != NULL && moving->noise != NULL &&
                       moving->rounding != NULL && middle != NULL;
    const centre at = {middle, middle + parameters, middle + 2 * parameters};
    for (size_t k = 0; enough && k < parameters; k++) {
        middle[k] = hcri_origin_map_middle(origin_map, k);
        at.distance[k] = hcri_origin_map_distance(origin_map, k);
    }
    for (size_t i = 0; enough && i < count; i++)
        bound_row(moving, i, &at);
    for (size_t j = 0; enough && j < origin_map->outputs; j++)
        moving->rounding[j] = hcri_origin_map_rounding(origin_map, j);
    return enough ? HCR_OK : hcri_fail_memory(error);
}

static int has_no_upper(const hcri_moving *moving, const hcri_run *run) {
    for (size_t i = run->first; i < run->first + run->count; i++)
        if (!isinf(moving->upper[i]))
            return 0;
    return 1;
}

static int has_no_lower(const hcri_moving *moving, const hcri_run *run) {
    for (size_t i = run->first; i < run->first + run->count; i++)
        if (!isinf(moving->lower[i]))
            return 0;
    return 1;
}

/* Bounds that move on their own, l(x) <= a·y and a·y <= u(x), come as two runs: one pair does for both. */
static int join(const hcri_moving *moving, hcri_run_pair *to, const hcri_run_pair *from) {
    const hcri_run *a = to->slope, *b = from->slope;
    if (to->above != NULL || a->count != b->count || a->terms != b->terms || to->below->terms != from->below->terms ||
        memcmp(a->columns, b->columns, a->terms * sizeof *a->columns) != 0 ||
        memcmp(a->values, b->values, a->terms * sizeof *a->values) != 0)
        return 0;
    if (has_no_upper(moving, a) && has_no_lower(moving, b))
        *to = (hcri_run_pair){a, to->below, from->below};
    else if (has_no_lower(moving, a) && has_no_upper(moving, b))
        *to = (hcri_run_pair){a, from->below, to->below};
    else
        return 0;
    return 1;
}

static void add_pair(hcri_moving *moving, hcri_run_pair pair) {
    for (size_t k = 0; k < moving->pairs; k++)
        if (join(moving, &moving->pair[k], &pair))
            return;
    moving->pair[moving->pairs++] = pair;
}

/* Stencils of both layouts over the same rows need no d in memory. */
static hcr_status pair_runs(hcri_moving *moving, const hcr_allocator *allocator, hcr_error *error) {
    const hcri_layout *slope = &moving->slope_layout, *map = &moving->map_layout;
    moving->pair = hcri_allocate(allocator, slope->runs, sizeof *moving->pair);
    moving->is_paired = hcri_allocate(allocator, slope->runs, sizeof *moving->is_paired);
    HCRI_ALLOCATED(moving->pair && moving->is_paired);
    moving->all_paired = 1;
    for (size_t r = 0, m = 0; r < slope->runs && m < map->runs; r++) {
        const hcri_run *run = &slope->run[r];
        while (m + 1 < map->runs && map->run[m].first < run->first)
            m++;
        moving->is_paired[r] = map->run[m].first == run->first && map->run[m].count == run->count &&
                               run->form == HCRI_RUN_STENCIL && map->run[m].form == HCRI_RUN_STENCIL;
        if (moving->is_paired[r])
            add_pair(moving, (hcri_run_pair){run, &map->run[m], NULL});
        moving->all_paired &= moving->is_paired[r];
    }
    return HCR_OK;
}

static hcr_status prepare(hcri_moving *moving, const hcri_rows *rows, const hcr_allocator *allocator,
                          hcr_error *error) {
    HCRI_TRY(split(moving, rows, allocator, error));
    HCRI_TRY(hcri_layout_make(&moving->slope, moving->width, allocator, &moving->slope_layout, error));
    HCRI_TRY(hcri_layout_make(&moving->shift, moving->origin_map->parameters, allocator, &moving->shift_layout, error));
    HCRI_TRY(bound_rows(moving, allocator, error));
    if (moving->products.pairs == 0) {
        HCRI_TRY(make_map(moving, rows, allocator, error));
        HCRI_TRY(pair_runs(moving, allocator, error));
        moving->map_is_cheaper =
            hcri_layout_cost(&moving->map_layout, &moving->map, moving->origin_map->parameters) <
            hcri_layout_cost(&moving->slope_layout, &moving->slope, moving->width) +
                hcri_layout_cost(&moving->shift_layout, &moving->shift, moving->origin_map->parameters);
    }
    moving->at_stride = moving->slope.count + HCRI_PANEL;
    return HCR_OK;
}

hcr_status hcri_moving_create(const hcri_rows *rows, const hcri_products *products, const double *lower,
                              const double *upper, const hcri_origin_map *origin_map, const hcr_allocator *allocator,
                              hcri_moving **moving, hcr_error *error) {
    hcri_moving *made = hcri_allocate(allocator, 1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->origin_map = origin_map;
    made->lower = lower;
    made->upper = upper;
    if (products != NULL)
        made->products = *products;
    made->width = origin_map->outputs + made->products.pairs;
    HCRI_TRY(prepare(made, rows, allocator, error));
    *moving = made;
    return HCR_OK;
}

/* ---------------------------------------------------------------------------------------------------------- rays */

static void add_products(const hcri_rows *rows, const hcri_layout *layout, size_t n, size_t samples, hcri_samples v,
                         double *out, size_t out_stride) {
    enum { ROWS = 128 };
    double some[AT_ONCE * ROWS];
    for (size_t r = 0; r < layout->runs && hcri_rows_entries(rows) != 0; r++) {
        const hcri_run *run = &layout->run[r];
        for (size_t from = 0; from < run->count; from += ROWS) {
            const size_t count = run->count - from < ROWS ? run->count - from : ROWS;
            hcri_kernels_best()->run_products(rows, run, n, from, count, samples, v.first, v.stride, some, ROWS);
            for (size_t s = 0; s < samples; s++)
                for (size_t i = 0; i < count; i++)
                    out[s * out_stride + run->first + from + i] += some[s * ROWS + i];
        }
    }
}

/* What a ray meets: the samples' directions and origins as z, their parameters, the bounds, and d of each row. By the
 * map, d and the bounds are less the constant. */
typedef struct ray_set {
    int by_map;
    hcri_samples z, origin, x;
    const hcri_constraint *constraint; /* … and the origins as they are, for rows with products */
    const double *origins;
    const double *lower, *upper;
    double *at;
} ray_set;

/* Coefficients that cancel at a sample leave 0 <= 0, of which rounding makes a frontier anywhere: such a row gets a d
 * that is far from its bounds. */
static void skip_idle(const hcri_moving *moving, size_t samples, const ray_set *rays) {
    static const double far = 0x1p300;
    const hcri_constraint *constraint = rays->constraint;
    for (size_t s = 0; s < samples; s++) {
        double *d = rays->at + s * moving->at_stride;
        for (size_t i = 0; i < moving->slope.count; i++) {
            const double lower = rays->lower[i], upper = rays->upper[i], noise = moving->noise[i];
            if (upper - d[i] > noise && d[i] - lower > noise)
                continue;
            const double *origin = rays->origins + s * constraint->n;
            if ((isinf(upper) || constraint->kind->is_idle(constraint, 2 * i, origin)) &&
                (isinf(lower) || constraint->kind->is_idle(constraint, 2 * i + 1, origin)))
                d[i] = isinf(lower)   ? fmin(upper, 0) - far
                       : isinf(upper) ? fmax(lower, 0) + far
                                      : 0.5 * lower + 0.5 * upper;
        }
    }
}

static void put_values(const hcri_moving *moving, size_t samples, const ray_set *rays) {
    const size_t parameters = moving->origin_map->parameters, stride = moving->at_stride;
    if (rays->by_map) {
        hcri_layout_products(&moving->map_layout, &moving->map, parameters, samples, rays->x, rays->at, stride);
        return;
    }
    hcri_layout_products(&moving->slope_layout, &moving->slope, moving->width, samples, rays->origin, rays->at, stride);
    add_products(&moving->shift, &moving->shift_layout, parameters, samples, rays->x, rays->at, stride);
    if (moving->products.pairs != 0)
        skip_idle(moving, samples, rays);
}

static void raise_best(const hcri_moving *moving, size_t samples, const ray_set *rays, double *best) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const hcri_layout *layout = &moving->slope_layout;
    hcri_moving_rays of = {samples,        rays->z.first, rays->z.stride, rays->x.first,
                           rays->x.stride, rays->lower,   rays->upper};
    if (rays->by_map)
        kernels->moving->stencils_max(moving->pairs, moving->pair, &of, best);
    if (rays->by_map && moving->all_paired)
        return;
    put_values(moving, samples, rays);
    of.at = rays->at;
    of.at_stride = moving->at_stride;
    for (size_t r = 0; r < layout->runs; r++)
        if (!rays->by_map || !moving->is_paired[r])
            kernels->moving->run_max(&moving->slope, &layout->run[r], moving->width, &of, best);
}

/* The first inequality of sample s that has the gauge `target`. */
static size_t find(const hcri_moving *moving, size_t s, const ray_set *rays, double target) {
    ray_set one = *rays;
    one.z.first += s * rays->z.stride;
    one.origin.first += s * rays->origin.stride;
    one.x.first += s * rays->x.stride;
    one.origins += s * rays->constraint->n;
    put_values(moving, 1, &one);
    const hcri_moving_rays of = {1, one.z.first, one.z.stride, one.at, moving->at_stride, one.lower, one.upper};
    size_t i = SIZE_MAX;
    for (size_t r = 0; r < moving->slope_layout.runs && i == SIZE_MAX; r++)
        i = hcri_kernels_best()->moving->run_find(&moving->slope, &moving->slope_layout.run[r], moving->width, &of,
                                                  target);
    return i;
}

size_t hcri_moving_scratch(const hcri_moving *moving) {
    if (moving == NULL)
        return 0;
    return AT_ONCE * (moving->at_stride + (moving->products.pairs == 0 ? 0 : 2 * moving->width));
}

/* z of vectors w, which with products are expanded into the scratch. */
static hcri_samples expand(const hcri_moving *moving, size_t samples, int is_direction, hcri_samples w, hcri_samples x,
                           double *scratch) {
    const hcri_products *products = &moving->products;
    const size_t outputs = moving->origin_map->outputs;
    if (products->pairs == 0)
        return w;
    for (size_t s = 0; s < samples; s++) {
        const double *from = w.first + s * w.stride, *factor = x.first + s * x.stride;
        double *z = scratch + s * moving->width;
        memcpy(z, from, outputs * sizeof *z);
        for (size_t q = 0; q < products->pairs; q++) {
            const size_t left = products->left[q]; /* a direction may have no numbers for parameters */
            z[outputs + q] = is_direction && left >= outputs ? 0 : from[left] * factor[products->right[q] - outputs];
        }
    }
    return (hcri_samples){scratch, moving->width};
}

void hcri_moving_gauge(const hcri_moving *moving, const hcri_constraint *constraint, const hcri_batch *batch,
                       double *scratch) {
    const size_t n = constraint->n;
    const int by_map = moving->map_is_cheaper && moving->origin_map->proved;
    double before[AT_ONCE], *expanded = scratch + AT_ONCE * moving->at_stride;
    for (size_t done = 0; done < batch->rows; done += AT_ONCE) {
        const hcri_batch now = hcri_batch_part(batch, n, done, AT_ONCE);
        const hcri_samples origin = {now.origins, n}, x = {origin.first + moving->origin_map->outputs, n};
        const ray_set some = {by_map,
                              expand(moving, now.rows, 1, (hcri_samples){now.v, now.stride}, x, expanded),
                              expand(moving, now.rows, 0, origin, x, expanded + now.rows * moving->width),
                              x,
                              constraint,
                              now.origins,
                              by_map ? moving->lower_rest : moving->lower,
                              by_map ? moving->upper_rest : moving->upper,
                              scratch};
        memcpy(before, now.best, now.rows * sizeof *before);
        raise_best(moving, now.rows, &some, now.best);
        for (size_t s = 0; now.active != NULL && s < now.rows; s++)
            if (now.best[s] > before[s])
                now.active[s] = constraint->first + (uint32_t)find(moving, s, &some, now.best[s]);
    }
}

/* -------------------------------------------------------------------------------------------------------- margin */

/* What the analysis of rounding knows of a number of z: bounds of its size at the origin, of how far it reaches, of
 * what the origin's own rounding and equalities add to it. */
typedef struct bounds {
    double size, reach, rounding, extra;
} bounds;

static bounds bounds_of(const hcri_moving *moving, const hcri_extent *extent, size_t q) {
    const hcri_origin_map *origin_map = moving->origin_map;
    const int is_product = q >= origin_map->outputs;
    const size_t pair = is_product ? q - origin_map->outputs : 0, j = is_product ? moving->products.left[pair] : q;
    const double factor =
        is_product ? hcri_origin_map_largest(origin_map, moving->products.right[pair] - origin_map->outputs) : 1;
    return (bounds){factor * hcri_size_at_origin(extent, j), factor * extent->reach[j],
                    j < origin_map->outputs ? factor * moving->rounding[j] : 0,
                    extent->extra == NULL ? 0 : factor * extent->extra[j]};
}

/* The largest distance over the range between a side that exists and d_i. */
static double largest_side(const hcri_moving *moving, size_t i) {
    const double above = moving->upper[i] - moving->least[i], below = moving->most[i] - moving->lower[i];
    return fmax(isinf(above) ? 0 : above, isinf(below) ? 0 : below);
}

/* What one row needs: E_i, and by how much its slack may be less than from least and most. */
static void measure(const hcri_moving *moving, size_t i, double unit, const hcri_extent *extent, double *needed,
                    double *moved) {
    const double u = hcri_arithmetic(extent);
    const hcri_rows *slope = &moving->slope, *shift = &moving->shift, *map = &moving->map;
    double at_origin = 0, reached = 0, squares = 0, extra = 0, shifted = 0, mapped = 0;
    *moved = 0;
    for (size_t k = slope->start[i]; k < slope->start[i + 1]; k++) {
        const double a = fabs(slope->values[k]);
        const bounds z = bounds_of(moving, extent, slope->columns[k]);
        at_origin += a * z.size;
        reached += a * z.reach;
        squares += a * a;
        extra += a * z.extra;
        *moved += a * (z.rounding + z.extra);
    }
    if (moving->products.pairs == 0)
        reached = fmin(reached, sqrt(squares) * extent->radius);
    for (size_t k = shift->start[i]; k < shift->start[i + 1]; k++)
        shifted += fabs(shift->values[k]) * hcri_origin_map_largest(moving->origin_map, shift->columns[k]);
    const size_t first = map->count == 0 ? 0 : map->start[i], end = map->count == 0 ? 0 : map->start[i + 1];
    for (size_t k = first; k < end; k++)
        mapped += fabs(map->values[k]) * hcri_origin_map_largest(moving->origin_map, map->columns[k]);
    const double terms = (double)count_of(slope, i), shifts = (double)count_of(shift, i);
    double slack = u * ((terms + 4) * at_origin + (shifts + 4) * shifted);
    if (extent->arithmetic > 0) { /* the slack at the middle, less S (x − middle), and the origin likewise */
        const double parameters = (double)moving->origin_map->parameters;
        slack = u * (parameters + 8) * (largest_side(moving, i) + mapped);
        *moved += slack;
        *needed = ((terms + parameters + 16) * u + 4 * unit) * (at_origin + reached) + slack + extra;
        return;
    }
    if (moving->map_is_cheaper)
        slack = fmax(slack, u * (double)(count_of(map, i) + 4) * (fabs(moving->constant[i]) + mapped) + *moved);
    *needed = ((terms + 12) * u + 4 * unit) * (at_origin + reached) + slack + extra;
}

double hcri_moving_margin(const hcri_moving *moving, double unit, const hcri_extent *extent) {
    double most = 0;
    for (size_t i = 0; i < moving->slope.count; i++) {
        double needed, moved;
        measure(moving, i, unit, extent, &needed, &moved);
        const double slack =
            (1 - 0x1p-50) * fmin(moving->upper[i] - moving->most[i], moving->least[i] - moving->lower[i]) - moved;
        most = slack > 0 ? fmax(most, 1.01 * needed / slack) : INFINITY;
        if (isinf(most))
            return most;
    }
    return most;
}

void hcri_work_add_moving(const hcri_moving *moving, hcri_work *sum) {
    const size_t parameters = moving->origin_map->parameters;
    if (moving->map_is_cheaper) {
        hcri_work_add_layout(&moving->map, &moving->map_layout, parameters, sum);
        return;
    }
    hcri_work_add_layout(&moving->slope, &moving->slope_layout, moving->width, sum);
    hcri_work_add_layout(&moving->shift, &moving->shift_layout, parameters, sum);
}
