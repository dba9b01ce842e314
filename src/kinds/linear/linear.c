#include "kinds/linear/linear.h"

#include <math.h>

#include "base/vector.h"
#include "kernels/kernels.h"
#include "kinds/block.h"
#include "kinds/ray_interval.h"

hcr_status hcri_linear_create(size_t n, const hcr_allocator *allocator, hcri_constraint **constraint,
                              hcr_error *error) {
    hcri_linear *linear = hcri_block_create(&hcri_kind_linear, n, 0, allocator);
    HCRI_ALLOCATED(linear);
    *constraint = &linear->base;
    return HCR_OK;
}

/* Room for one more row, in the arrays of rows and of sides. */
static hcr_status make_room(hcri_linear *linear, hcr_error *error) {
    hcri_constraint *base = &linear->base;
    const hcr_allocator *memory = hcri_block_memory(base);
    const size_t larger = 2 * linear->rows.count + 8;
    size_t sides[2] = {linear->capacity, linear->capacity}, sources[2] = {2 * linear->capacity, 2 * linear->capacity};
    (void)(HCRI_GROW(memory, linear->lower, &sides[0], larger) && HCRI_GROW(memory, linear->upper, &sides[1], larger) &&
           HCRI_GROW(memory, base->source, &sources[0], 2 * larger) &&
           HCRI_GROW(memory, base->source_row, &sources[1], 2 * larger));
    HCRI_TRY(hcri_block_has_memory(base, error));
    linear->capacity = larger;
    return HCR_OK;
}

hcr_status hcri_linear_append(hcri_linear *linear, hcri_row row, double lower, double upper, hcri_source_row source,
                              hcr_error *error) {
    hcri_constraint *base = &linear->base;
    const size_t i = linear->rows.count;
    if (i >= linear->capacity)
        HCRI_TRY(make_room(linear, error));
    (void)hcri_rows_append(&linear->rows, hcri_block_memory(base), row.count, row.columns, row.values, NULL);
    HCRI_TRY(hcri_block_has_memory(base, error));
    linear->lower[i] = lower;
    linear->upper[i] = upper;
    for (size_t side = 0; side < 2; side++)
        hcri_block_set_source(base, 2 * i + side, source);
    base->count = 2 * linear->rows.count;
    return HCR_OK;
}

static void fields(hcri_constraint *constraint, hcri_walk *walk) {
    hcri_linear *linear = (hcri_linear *)constraint;
    hcri_walk_rows(walk, constraint->n, &linear->rows);
    const size_t count = linear->rows.count;
    if (walk->in != NULL) {
        constraint->count = 2 * count;
        linear->capacity = count;
    }
    hcri_walk_f64s(walk, count, &linear->lower);
    hcri_walk_f64s(walk, count, &linear->upper);
    for (size_t i = 0; i < count && hcri_walk_got(walk); i++)
        if (!walk->in->in_memory && !(linear->lower[i] <= linear->upper[i]))
            walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "the sides of row %zu cross", i);
}

static hcri_scaled_rows scaled_rows(const hcri_linear *linear) {
    return (hcri_scaled_rows){&linear->rows, linear->base.n, linear->inverse_lower, linear->inverse_upper};
}

static hcr_status place(hcri_constraint *constraint, const double *origin, hcr_error *error) {
    hcri_linear *linear = (hcri_linear *)constraint;
    const hcr_allocator *allocator = hcri_block_memory(constraint);
    const size_t count = linear->rows.count;
    linear->inverse_lower = hcri_allocate(allocator, count, sizeof *linear->inverse_lower);
    linear->inverse_upper = hcri_allocate(allocator, count, sizeof *linear->inverse_upper);
    linear->at_origin = hcri_allocate(allocator, count, sizeof *linear->at_origin);
    HCRI_TRY(hcri_block_has_memory(constraint, error));
    for (size_t i = 0; i < count; i++) {
        double at[3];
        hcri_rows_dot_minus_each(&linear->rows, i, origin, (double[]){0, linear->upper[i], linear->lower[i]}, at);
        linear->at_origin[i] = at[0];
        if (!isinf(linear->upper[i])) {
            const double c = at[1];
            if (!(c < 0))
                return hcri_block_refuse_origin(2 * i, c, error);
            linear->inverse_upper[i] = hcri_inverse_slack(-c);
        }
        if (!isinf(linear->lower[i])) {
            const double c = -at[2];
            if (!(c < 0))
                return hcri_block_refuse_origin(2 * i + 1, c, error);
            linear->inverse_lower[i] = -hcri_inverse_slack(-c);
        }
    }
    constraint->has_gauge_gradient = 1;
    HCRI_TRY(hcri_layout_make(&linear->rows, constraint->n, allocator, &linear->layout, error));
    linear->float_filter = hcri_allocate(allocator, linear->layout.runs, sizeof *linear->float_filter);
    linear->inverse = hcri_allocate(allocator, linear->layout.runs, sizeof *linear->inverse);
    HCRI_TRY(hcri_block_has_memory(constraint, error));
    const hcri_scaled_rows scaled = scaled_rows(linear);
    for (size_t r = 0; r < linear->layout.runs; r++) {
        const hcri_run *run = &linear->layout.run[r];
        linear->inverse[r] =
            hcri_bounds_of(run->count, linear->inverse_lower + run->first, linear->inverse_upper + run->first);
        HCRI_TRY(hcri_float_filter_make(&scaled, run, allocator, &linear->float_filter[r], error));
    }
    return HCR_OK;
}

static void gauge(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    enum { AT_ONCE = 32 };
    const hcri_linear *linear = (const hcri_linear *)constraint;
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = constraint->n;
    const hcri_scaled_rows scaled = scaled_rows(linear);
    for (size_t done = 0; done < batch->rows; done += AT_ONCE) {
        const hcri_batch now = hcri_batch_part(batch, n, done, AT_ONCE);
        for (size_t r = 0; r < linear->layout.runs; r++) {
            const hcri_run *run = &linear->layout.run[r];
            if (linear->float_filter[r].count != 0)
                hcri_float_filter_max(&linear->float_filter[r], &scaled, now.rows, now.v, now.stride, now.best,
                                      constraint->first, now.active, scratch);
            else if (now.active == NULL)
                kernels->run_max(&linear->rows, run, n, now.rows, now.v, now.stride, &linear->inverse[r], now.best);
            else
                kernels->run_active_constraints(&linear->rows, run, n, now.rows, now.v, now.stride, &linear->inverse[r],
                                                now.best, constraint->first, now.active);
        }
    }
}

static int goes_alone(const hcri_constraint *constraint) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    int alone = 1;
    for (size_t r = 0; r < linear->layout.runs; r++)
        alone &= linear->layout.run[r].form != HCRI_RUN_DENSE;
    return alone;
}

static hcr_status follow(hcri_constraint *constraint, const hcri_origin_map *origin_map, hcr_error *error) {
    hcri_linear *linear = (hcri_linear *)constraint;
    return hcri_moving_create(&linear->rows, NULL, linear->lower, linear->upper, origin_map,
                              hcri_block_memory(constraint), &linear->moving, error);
}

static size_t scratch_of(const hcri_constraint *constraint) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    size_t most = hcri_moving_scratch(linear->moving);
    for (size_t r = 0; linear->float_filter != NULL && r < linear->layout.runs; r++)
        if (linear->float_filter[r].count != 0 && most < HCRI_FLOAT_FILTER_SCRATCH)
            most = HCRI_FLOAT_FILTER_SCRATCH;
    return most;
}

static void gauge_from(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    hcri_moving_gauge(((const hcri_linear *)constraint)->moving, constraint, batch, scratch);
}

/* The gauge of inequality i before it is cut off at 0. */
static double signed_gauge(const hcri_linear *linear, size_t i, const double *v) {
    const size_t row = i / 2, start = linear->rows.start[row];
    const double dot = hcri_kernels_best()->row_dot(linear->rows.start[row + 1] - start, linear->rows.columns + start,
                                                    linear->rows.values + start, v);
    return dot * (i % 2 == 0 ? linear->inverse_upper : linear->inverse_lower)[row];
}

static double gauge_one(const hcri_constraint *constraint, size_t i, const double *v, double *scratch) {
    const double gauge = signed_gauge((const hcri_linear *)constraint, i, v);
    return gauge > 0 ? gauge : 0;
}

static double along(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch) {
    return t * signed_gauge((const hcri_linear *)constraint, i, v) - 1;
}

/* What rounding may have made of a row's value beside a bound. */
static double rounding_of(const hcri_linear *linear, size_t row, double absolute, double bound) {
    const double terms = (double)(linear->rows.start[row + 1] - linear->rows.start[row]);
    return (terms + 3) * 0x1p-53 * 1.01 * (absolute + fabs(bound)) + 0x1p-1000;
}

static double value(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    const size_t row = i / 2;
    double absolute;
    const double dot = hcri_rows_dot(&linear->rows, row, y, &absolute);
    const double bound = (i % 2 == 0 ? linear->upper : linear->lower)[row];
    if (error != NULL)
        *error = rounding_of(linear, row, absolute, bound);
    return i % 2 == 0 ? dot - bound : bound - dot;
}

int hcri_linear_holds_exactly(const hcri_linear *linear, size_t i, const double *y) {
    const int upper = i % 2 == 0;
    double rounding;
    int exact;
    (void)value(&linear->base, i, y, &rounding, NULL);
    const double off =
        hcri_rows_dot_minus_exactly(&linear->rows, i / 2, y, (upper ? linear->upper : linear->lower)[i / 2], &exact);
    const double c = upper ? off : -off;
    return (exact && c <= 0) || c + 0x1p-52 * fabs(c) + 0x1p-48 * rounding + 0x1p-1000 <= 0;
}

/* Both sides of a row from one sum. */
static int holds(const hcri_constraint *constraint, const double *y, double *scratch) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    for (size_t row = 0; row < linear->rows.count; row++) {
        const double lower = linear->lower[row], upper = linear->upper[row];
        double absolute;
        const double dot = hcri_rows_dot(&linear->rows, row, y, &absolute);
        if (!isinf(upper) && !(dot - upper + rounding_of(linear, row, absolute, upper) <= 0) &&
            !hcri_linear_holds_exactly(linear, 2 * row, y))
            return 0;
        if (!isinf(lower) && !(lower - dot + rounding_of(linear, row, absolute, lower) <= 0) &&
            !hcri_linear_holds_exactly(linear, 2 * row + 1, y))
            return 0;
    }
    return 1;
}

static void add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight, double *gradient,
                         double *scratch) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    hcri_rows_add(&linear->rows, i / 2, i % 2 == 0 ? weight : -weight, gradient);
}

static void add_gauge_gradient(const hcri_constraint *constraint, size_t i, double t, const double *v, double weight,
                               double *gradient) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    const double share = weight * (i % 2 == 0 ? linear->inverse_upper : linear->inverse_lower)[i / 2];
    hcri_rows_add(&linear->rows, i / 2, share, gradient);
}

static int exists(const hcri_constraint *constraint, size_t i) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    return !isinf((i % 2 == 0 ? linear->upper : linear->lower)[i / 2]);
}

/* The tighter side's slack at the origin, from its inverse. */
static double least_slack(const hcri_linear *linear, size_t i) {
    return 1 / fmax(linear->inverse_upper[i], -linear->inverse_lower[i]);
}

/* E_i = ((terms + 8) u + 4 unit) Σ|a_ij| (|O_j| + |z_j|) + Σ|a_ij| extra_j for y = O + z: the dot product, the
 * slack, the division, the step, its rounding and the clamp, and what equalities add; in other arithmetic two roundings
 * of a coefficient and a slack besides. */
static double margin(const hcri_constraint *constraint, double unit, const hcri_extent *extent, double *scratch) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    if (extent->origin_map != NULL)
        return hcri_moving_margin(linear->moving, unit, extent);
    const int elsewhere = extent->arithmetic > 0;
    double most = 0;
    for (size_t i = 0; i < linear->rows.count; i++) {
        double at_origin = 0, reached = 0, squares = 0, extra = 0;
        for (size_t k = linear->rows.start[i]; k < linear->rows.start[i + 1]; k++) {
            const double a = fabs(linear->rows.values[k]);
            at_origin += a * hcri_size_at_origin(extent, linear->rows.columns[k]);
            reached += a * extent->reach[linear->rows.columns[k]];
            squares += a * a;
            if (extent->extra != NULL)
                extra += a * extent->extra[linear->rows.columns[k]];
        }
        const double terms = (double)(linear->rows.start[i + 1] - linear->rows.start[i]) + (elsewhere ? 10 : 8);
        const double size = at_origin + fmin(reached, sqrt(squares) * extent->radius);
        most =
            fmax(most, 1.01 * ((terms * hcri_arithmetic(extent) + 4 * unit) * size + extra) / least_slack(linear, i));
    }
    return most;
}

static int describe(const hcri_constraint *constraint, hcr_block *block) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    block->rows = hcri_rows_view(&linear->rows);
    block->lower = linear->lower;
    block->upper = linear->upper;
    block->inverse_lower = linear->inverse_lower;
    block->inverse_upper = linear->inverse_upper;
    if (linear->moving != NULL)
        block->moving = hcri_rows_view(&linear->moving->map);
    return 1;
}

static double inradius(const hcri_constraint *constraint, double *scratch) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    double least = INFINITY;
    for (size_t i = 0; i < linear->rows.count; i++) {
        const size_t start = linear->rows.start[i];
        const double norm = hcri_norm(linear->rows.start[i + 1] - start, linear->rows.values + start);
        least = fmin(least, least_slack(linear, i) / norm);
    }
    return least;
}

static hcr_status verify(hcri_constraint *constraint, hcr_error *error) {
    return hcri_block_verify_rows(&((const hcri_linear *)constraint)->rows, error);
}

static void add_work(const hcri_constraint *constraint, hcri_work *sum) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    hcri_work_add_layout(&linear->rows, &linear->layout, constraint->n, sum);
    hcri_work_add(sum, 2 * (double)linear->rows.count, 2 * (double)linear->rows.count);
    if (linear->moving != NULL)
        hcri_work_add_moving(linear->moving, sum);
}

const hcri_kind hcri_kind_linear = {
    .id = HCRI_KIND_LINEAR,
    .name = "linear",
    .words = "a row",
    .is_affine = 1,
    .size = sizeof(hcri_linear),
    .fields = fields,
    .verify = verify,
    .place = place,
    .scratch = scratch_of,
    .gauge = gauge,
    .goes_alone = goes_alone,
    .gauge_one = gauge_one,
    .along = along,
    .value = value,
    .add_gradient = add_gradient,
    .add_gauge_gradient = add_gauge_gradient,
    .holds = holds,
    .interval = hcri_linear_interval,
    .follow = follow,
    .gauge_from = gauge_from,
    .exists = exists,
    .radius = hcri_block_radius,
    .margin = margin,
    .describe = describe,
    .inradius = inradius,
    .add_work = add_work,
};
