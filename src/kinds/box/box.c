#include "kinds/box/box.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kinds/block.h"
#include "kinds/parametric_slacks.h"
#include "kinds/ray_interval.h"

hcr_status hcri_box_create(size_t n, const hcr_allocator *allocator, hcri_constraint **constraint, hcr_error *error) {
    hcri_box *box = hcri_block_create(&hcri_kind_box, n, 2 * n, allocator);
    HCRI_ALLOCATED(box);
    const hcr_allocator *memory = hcri_block_memory(&box->base);
    box->lower = hcri_allocate(memory, n, sizeof *box->lower);
    box->upper = hcri_allocate(memory, n, sizeof *box->upper);
    const hcr_status status = hcri_block_has_memory(&box->base, error);
    for (size_t j = 0; j < n && status == HCR_OK; j++) {
        box->lower[j] = -INFINITY;
        box->upper[j] = INFINITY;
    }
    return hcri_block_finish(&box->base, status, constraint);
}

static void set_source(hcri_box *box, size_t i, uint32_t source, uint32_t source_row) {
    box->base.source[i] = source;
    box->base.source_row[i] = source_row;
}

void hcri_box_narrow_upper(hcri_box *box, size_t j, double upper, uint32_t source, uint32_t source_row) {
    if (upper < box->upper[j]) {
        box->upper[j] = upper;
        set_source(box, 2 * j, source, source_row);
    }
}

void hcri_box_narrow_lower(hcri_box *box, size_t j, double lower, uint32_t source, uint32_t source_row) {
    if (lower > box->lower[j]) {
        box->lower[j] = lower;
        set_source(box, 2 * j + 1, source, source_row);
    }
}

static void fields(hcri_constraint *constraint, hcri_walk *walk) {
    hcri_box *box = (hcri_box *)constraint;
    const size_t n = constraint->n;
    if (walk->in != NULL)
        constraint->count = 2 * n;
    hcri_walk_f64s(walk, n, &box->lower);
    hcri_walk_f64s(walk, n, &box->upper);
    for (size_t j = 0; j < n && hcri_walk_got(walk); j++)
        if (!walk->in->in_memory && !(box->lower[j] <= box->upper[j]))
            walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "the bounds of output %zu cross", j);
}

static hcr_status place(hcri_constraint *constraint, const double *origin, hcr_error *error) {
    hcri_box *box = (hcri_box *)constraint;
    const size_t n = constraint->n;
    const hcr_allocator *memory = hcri_block_memory(constraint);
    box->centre = hcri_copy(memory, origin, n, sizeof *origin);
    box->inverse_lower = hcri_allocate(memory, n, sizeof *box->inverse_lower);
    box->inverse_upper = hcri_allocate(memory, n, sizeof *box->inverse_upper);
    HCRI_TRY(hcri_block_has_memory(constraint, error));
    for (size_t j = 0; j < n; j++) {
        if (!(origin[j] < box->upper[j]))
            return hcri_block_refuse_origin(2 * j, origin[j] - box->upper[j], error);
        if (!(origin[j] > box->lower[j]))
            return hcri_block_refuse_origin(2 * j + 1, box->lower[j] - origin[j], error);
        box->inverse_upper[j] = hcri_inverse_slack(box->upper[j] - origin[j]);
        box->inverse_lower[j] = -hcri_inverse_slack(origin[j] - box->lower[j]);
        box->any |= box->inverse_upper[j] != 0 || box->inverse_lower[j] != 0;
    }
    constraint->has_gauge_gradient = 1;
    box->inverse = hcri_bounds_of(n, box->inverse_lower, box->inverse_upper);
    return HCR_OK;
}

static double gauge_one(const hcri_constraint *constraint, size_t i, const double *v, double *scratch) {
    const hcri_box *box = (const hcri_box *)constraint;
    const double gauge = v[i / 2] * (i % 2 == 0 ? box->inverse_upper : box->inverse_lower)[i / 2];
    return gauge > 0 ? gauge : 0;
}

static double along(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch) {
    const hcri_box *box = (const hcri_box *)constraint;
    return t * (v[i / 2] * (i % 2 == 0 ? box->inverse_upper : box->inverse_lower)[i / 2]) - 1;
}

static void gauge(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    const hcri_box *box = (const hcri_box *)constraint;
    const hcri_kernels *kernels = hcri_kernels_best();
    if (!box->any)
        return;
    if (batch->active == NULL)
        kernels->box_max(batch->rows, constraint->n, batch->v, batch->stride, &box->inverse, batch->best);
    else
        kernels->box_active_constraints(batch->rows, constraint->n, batch->v, batch->stride, &box->inverse, batch->best,
                                        constraint->first, batch->active);
}

static int goes_alone(const hcri_constraint *constraint) { return 1; }

static hcr_status follow(hcri_constraint *constraint, const hcri_origin_map *origin_map, hcr_error *error) {
    ((hcri_box *)constraint)->origin_map = origin_map;
    return HCR_OK;
}

/* The bounds of the parameters are their range, which a ray never leaves. */
static void gauge_from(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    const hcri_box *box = (const hcri_box *)constraint;
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = constraint->n, outputs = box->origin_map->outputs;
    if (batch->active == NULL) {
        const hcri_moving_rays rays = {batch->rows, batch->v, batch->stride, batch->origins, n, box->lower, box->upper};
        kernels->moving->box_max(outputs, &rays, batch->best);
        return;
    }
    for (size_t s = 0; s < batch->rows; s++) {
        const double *x = batch->v + s * batch->stride, *origin = batch->origins + s * n;
        double found = batch->best[s];
        const hcri_moving_rays ray = {1, x, batch->stride, origin, n, box->lower, box->upper};
        kernels->moving->box_max(outputs, &ray, &found);
        if (found > batch->best[s])
            hcri_batch_raise(batch, s, found, constraint,
                             kernels->moving->box_find(outputs, x, origin, box->lower, box->upper, found));
    }
}

static double value(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch) {
    const hcri_box *box = (const hcri_box *)constraint;
    const size_t j = i / 2;
    const double c = i % 2 == 0 ? y[j] - box->upper[j] : box->lower[j] - y[j];
    if (error != NULL) /* a difference of floats has the right sign */
        *error = 0;
    return c;
}

/* A NaN isn't between bounds, but where there is none. */
static int holds(const hcri_constraint *constraint, const double *y, double *scratch) {
    const hcri_box *box = (const hcri_box *)constraint;
    for (size_t j = 0; j < constraint->count / 2; j++)
        if (!((box->lower[j] <= y[j] || isinf(box->lower[j])) && (y[j] <= box->upper[j] || isinf(box->upper[j]))))
            return 0;
    return 1;
}

static void add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight, double *gradient,
                         double *scratch) {
    gradient[i / 2] += i % 2 == 0 ? weight : -weight;
}

static void add_gauge_gradient(const hcri_constraint *constraint, size_t i, double t, const double *v, double weight,
                               double *gradient) {
    const hcri_box *box = (const hcri_box *)constraint;
    gradient[i / 2] += weight * (i % 2 == 0 ? box->inverse_upper : box->inverse_lower)[i / 2];
}

static int exists(const hcri_constraint *constraint, size_t i) {
    const hcri_box *box = (const hcri_box *)constraint;
    return !isinf((i % 2 == 0 ? box->upper : box->lower)[i / 2]);
}

/* As `margin` below, over the range of the parameters, for which every O(x) has to be inside. */
static double moving_margin(const hcri_box *box, double unit, const hcri_extent *extent) {
    double most = 0;
    for (size_t j = 0; j < box->origin_map->outputs; j++) {
        double least_at, most_at;
        hcri_origin_map_extremes(box->origin_map, j, &least_at, &most_at);
        const double extra = extent->extra == NULL ? 0 : extent->extra[j];
        const double rounding = hcri_origin_map_rounding(box->origin_map, j) * (hcri_arithmetic(extent) / 0x1p-53);
        const double slack = fmin(box->upper[j] - most_at, least_at - box->lower[j]) - (2 * rounding + extra);
        if (!(slack > 0))
            return INFINITY;
        if (extra > 0 && !isinf(slack))
            most = fmax(most, 1.01 * (4 * unit * (hcri_size_at_origin(extent, j) + extent->reach[j]) + extra) / slack);
    }
    return most;
}

/* Results are clamped to the box: it needs no margin, but for outputs that equalities determine. One that is part of a
 * body needs a row's of one term. */
static double margin(const hcri_constraint *constraint, double unit, const hcri_extent *extent, double *scratch) {
    const hcri_box *box = (const hcri_box *)constraint;
    if (extent->origin_map != NULL)
        return moving_margin(box, unit, extent);
    const double step = 4 * unit + (box->is_part ? 9 * hcri_arithmetic(extent) : 0);
    double most = 0;
    for (size_t j = 0; (box->is_part || extent->extra != NULL) && j < constraint->n; j++) {
        const double slack = fmin(box->upper[j] - box->centre[j], box->centre[j] - box->lower[j]);
        const double extra = extent->extra == NULL ? 0 : extent->extra[j];
        if ((box->is_part || extra > 0) && !isinf(slack))
            most = fmax(most, 1.01 * (step * (hcri_size_at_origin(extent, j) + extent->reach[j]) + extra) / slack);
    }
    return most;
}

static int describe(const hcri_constraint *constraint, hcr_block *block) {
    const hcri_box *box = (const hcri_box *)constraint;
    block->lower = box->lower;
    block->upper = box->upper;
    block->inverse_lower = box->inverse_lower;
    block->inverse_upper = box->inverse_upper;
    return 1;
}

static double inradius(const hcri_constraint *constraint, double *scratch) {
    const hcri_box *box = (const hcri_box *)constraint;
    double least = INFINITY;
    for (size_t j = 0; j < constraint->n; j++)
        least = fmin(least, fmin(box->upper[j] - box->centre[j], box->centre[j] - box->lower[j]));
    return least;
}

static void add_work(const hcri_constraint *constraint, hcri_work *sum) {
    const double n = (double)constraint->n;
    hcri_work_add(sum, 2 * n, 2 * n);
}

const hcri_kind hcri_kind_box = {
    .id = HCRI_KIND_BOX,
    .name = "box",
    .words = "a bound",
    .is_affine = 1,
    .size = sizeof(hcri_box),
    .fields = fields,
    .place = place,
    .gauge = gauge,
    .goes_alone = goes_alone,
    .gauge_one = gauge_one,
    .along = along,
    .value = value,
    .add_gradient = add_gradient,
    .add_gauge_gradient = add_gauge_gradient,
    .holds = holds,
    .interval = hcri_box_interval,
    .follow = follow,
    .gauge_from = gauge_from,
    .exists = exists,
    .radius = hcri_block_radius,
    .margin = margin,
    .describe = describe,
    .inradius = inradius,
    .add_work = add_work,
};
