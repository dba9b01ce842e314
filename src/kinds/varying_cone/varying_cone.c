#include "kinds/varying_cone/varying_cone.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "kinds/block.h"
#include "kinds/cone/cone.h"
#include "kinds/cone/cone_value.h"

static const hcri_varying_cone *as_cone(const hcri_constraint *constraint) {
    return (const hcri_varying_cone *)constraint;
}

/* The numbers of w: the number of the row that is e. */
static size_t length_of(const hcri_varying_cone *cone) { return cone->rows->rows.count - 1; }

/* ------------------------------------------------------------------------------------------------------- creation */

/* Of rows that are the block's from here on, also after a failure. */
static hcr_status create(hcri_constraint *rows, hcri_constraint **constraint, hcr_error *error) {
    hcri_varying_cone *cone = hcri_block_create(&hcri_kind_varying_cone, rows->n, 1, rows->allocator);
    if (cone == NULL) {
        hcri_block_release(rows);
        return hcri_fail_memory(error);
    }
    cone->rows = (hcri_varying *)rows;
    *constraint = &cone->base;
    return HCR_OK;
}

hcr_status hcri_varying_cone_create(size_t n, const hcr_allocator *allocator, const hcri_rows *rows,
                                    const hcri_bilinear *products, const double *constants,
                                    hcri_constraint **constraint, hcr_error *error) {
    HCRI_SCRATCH(scratch, allocator);
    double *upper = hcri_allocate(scratch, rows->count, sizeof *upper);
    double *lower = hcri_allocate(scratch, rows->count, sizeof *lower);
    HCRI_ALLOCATED(upper && lower);
    for (size_t i = 0; i < rows->count; i++) {
        upper[i] = -constants[i];
        lower[i] = -INFINITY;
    }
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_varying_create(n, allocator, rows, products, lower, upper, &made, error));
    return create(made, constraint, error);
}

static void release(hcri_constraint *constraint) {
    if (as_cone(constraint)->rows != NULL)
        hcri_block_release(&((hcri_varying_cone *)constraint)->rows->base);
}

static void fields(hcri_constraint *constraint, hcri_walk *walk) {
    hcri_varying_cone *cone = (hcri_varying_cone *)constraint;
    if (walk->in == NULL) {
        walk->status = hcri_block_write(&cone->rows->base, walk->out);
        return;
    }
    hcri_constraint *rows = NULL;
    walk->status =
        hcri_block_read(&hcri_kind_varying, walk->in, constraint->n, constraint->allocator, &rows, walk->error);
    cone->rows = (hcri_varying *)rows;
    if (walk->status == HCR_OK &&
        (cone->rows->rows.count < 2 || !hcri_all_finite(cone->rows->rows.count, cone->rows->upper)))
        walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "a cone that varies with the parameters is damaged");
}

static hcr_status verify(hcri_constraint *constraint, hcr_error *error) {
    const hcri_varying *rows = as_cone(constraint)->rows;
    HCRI_TRY(hcri_kind_varying.verify(&((hcri_varying_cone *)constraint)->rows->base, error));
    return hcri_block_verify_numbers(rows->rows.count, rows->upper, error);
}

/* --------------------------------------------------------------------------------------------------------- points */

/* Row i to about twice the working precision, rounded. */
static double row_at(const hcri_varying_cone *cone, size_t i, const double *y) {
    return hcri_varying_dot_minus(cone->rows, i, y, cone->rows->upper[i], NULL);
}

static void add_row_gradient(const hcri_varying_cone *cone, size_t i, const double *y, double weight,
                             double *gradient) {
    hcri_kind_varying.add_gradient(&cone->rows->base, 2 * i, y, weight, gradient, NULL);
}

/* w, and its length. */
static double left_side(const hcri_varying_cone *cone, const double *y, double *w) {
    for (size_t i = 0; i < length_of(cone); i++)
        w[i] = row_at(cone, i, y);
    return hcri_norm(length_of(cone), w);
}

static double value(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch) {
    const hcri_varying_cone *cone = as_cone(constraint);
    const size_t count = length_of(cone);
    double *w = scratch, *errors = w + count, right_error;
    for (size_t k = 0; k < count; k++)
        w[k] = hcri_kind_varying.value(&cone->rows->base, 2 * k, y, &errors[k], NULL);
    const double left = hcri_norm(count, w);
    const double right = hcri_kind_varying.value(&cone->rows->base, 2 * count, y, &right_error, NULL);
    if (error != NULL)
        *error = 1.01 * (hcri_norm(count, errors) + right_error + ((double)count + 8) * 0x1p-53 * left) +
                 0x1p-52 * (left + fabs(right)) + 0x1p-1000;
    return left - right;
}

/* Where w = 0 the norm's part is 0, which is one of its subgradients. */
static void add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight, double *gradient,
                         double *scratch) {
    const hcri_varying_cone *cone = as_cone(constraint);
    const double norm = left_side(cone, y, scratch);
    for (size_t k = 0; k < length_of(cone) && norm > 0; k++)
        add_row_gradient(cone, k, y, weight * (scratch[k] / norm), gradient);
    add_row_gradient(cone, length_of(cone), y, -weight, gradient);
}

/* |w|² − (e + t)² */
static double smooth(const hcri_constraint *constraint, size_t i, const double *y, double t, double *gradient,
                     double *side, double *scratch) {
    const hcri_varying_cone *cone = as_cone(constraint);
    const double norm = left_side(cone, y, scratch);
    *side = row_at(cone, length_of(cone), y) + t;
    for (size_t k = 0; k < length_of(cone); k++)
        add_row_gradient(cone, k, y, 2 * scratch[k], gradient);
    add_row_gradient(cone, length_of(cone), y, -2 * *side, gradient);
    gradient[constraint->n] = -2 * *side;
    return (norm - *side) * (norm + *side);
}

/* ----------------------------------------------------------------------------------------------------------- rays */

/* What a ray is to the cone, and its w0 and w. */
static hcri_crossing cross(const hcri_varying_cone *cone, const double *origin, const double *v, double *w0,
                           double *w) {
    const size_t count = length_of(cone);
    hcri_crossing ray = {.e0 = row_at(cone, count, origin),
                         .f = hcri_varying_slope(cone->rows, count, origin, v),
                         .w0_norm = left_side(cone, origin, w0)};
    for (size_t k = 0; k < count; k++) {
        w[k] = hcri_varying_slope(cone->rows, k, origin, v);
        ray.dot += w0[k] * w[k];
    }
    ray.w_norm = hcri_norm(count, w);
    return ray;
}

/* A gradient, w0 and w. */
static size_t scratch_of(const hcri_constraint *constraint) {
    return constraint->n + 2 * length_of(as_cone(constraint));
}

static double gauge_at(const hcri_varying_cone *cone, const double *origin, const double *v, double *scratch) {
    double *w0 = scratch, *w = w0 + length_of(cone);
    const hcri_crossing ray = cross(cone, origin, v, w0, w);
    return hcri_cone_gauge(length_of(cone), w, ray.w0_norm == 0 ? NULL : w0, ray.e0, ray.f);
}

static hcri_interval interval(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                              double *scratch) {
    const hcri_varying_cone *cone = as_cone(constraint);
    double *w0 = scratch, *w = w0 + length_of(cone);
    const hcri_crossing ray = cross(cone, origin, v, w0, w);
    return ray.w0_norm < ray.e0 ? (hcri_interval){0, 1 / gauge_at(cone, origin, v, scratch)} : hcri_cone_cross(&ray);
}

static void gauge(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    const hcri_varying_cone *cone = as_cone(constraint);
    for (size_t s = 0; s < batch->rows; s++) {
        const double *origin = batch->origins == NULL ? cone->origin : batch->origins + s * constraint->n;
        hcri_batch_raise(batch, s, gauge_at(cone, origin, batch->v + s * batch->stride, scratch), constraint, 0);
    }
}

static double along(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch) {
    const hcri_varying_cone *cone = as_cone(constraint);
    double *w0 = scratch, *w = w0 + length_of(cone);
    const hcri_crossing ray = cross(cone, cone->origin, v, w0, w);
    for (size_t k = 0; k < length_of(cone); k++)
        w[k] = w0[k] + t * w[k];
    return (hcri_norm(length_of(cone), w) - (ray.e0 + t * ray.f)) / cone->slack;
}

static hcr_status place(hcri_constraint *constraint, const double *origin, hcr_error *error) {
    hcri_varying_cone *cone = (hcri_varying_cone *)constraint;
    HCRI_SCRATCH(memory, constraint->allocator);
    double *scratch = hcri_allocate(memory, hcri_block_scratch(constraint), sizeof *scratch), rounding;
    cone->origin = hcri_copy(hcri_block_memory(constraint), origin, constraint->n, sizeof *origin);
    HCRI_TRY(scratch == NULL ? hcri_fail_memory(error) : hcri_block_has_memory(constraint, error));
    const double c = value(constraint, 0, origin, &rounding, scratch);
    cone->slack = -c;
    return c + rounding < 0 ? HCR_OK : hcri_block_refuse_origin(0, c, error);
}

/* To first order, in outputs and parameters: the length of M as that of all its numbers. */
static double inradius(const hcri_constraint *constraint, double *scratch) {
    const hcri_varying_cone *cone = as_cone(constraint);
    double growth = 0;
    for (size_t k = 0; k <= length_of(cone); k++) {
        memset(scratch, 0, constraint->n * sizeof *scratch);
        add_row_gradient(cone, k, cone->origin, 1, scratch);
        const double length = hcri_norm(constraint->n, scratch);
        growth = k < length_of(cone) ? hypot(growth, length) : growth + length;
    }
    return growth > 0 ? cone->slack / growth : INFINITY;
}

static void add_work(const hcri_constraint *constraint, hcri_work *sum) {
    const hcri_varying *rows = as_cone(constraint)->rows;
    const double entries = (double)(hcri_rows_entries(&rows->rows) + 2 * hcri_rows_entries(&rows->products));
    hcri_work_add(sum, 2 * entries + 3 * (double)rows->rows.count, 2 * entries);
}

/* -------------------------------------------------------------------------------------------------- substitution */

/* A cone of cone.h where no product is left. */
static hcr_status without_products(const hcri_constraint *constraint, const hcri_varying *rows, hcri_constraint **block,
                                   hcr_error *error) {
    const size_t n = rows->base.n, count = rows->rows.count - 1;
    HCRI_SCRATCH(scratch, constraint->allocator);
    double *linear = hcri_allocate(scratch, n, sizeof *linear);
    double *shift = hcri_allocate(scratch, count, sizeof *shift);
    HCRI_ALLOCATED(linear && shift);
    hcri_rows left = {0};
    for (size_t k = 0; k < count; k++) {
        const hcri_row row = hcri_rows_row(&rows->rows, k);
        HCRI_TRY(hcri_rows_append(&left, scratch, row.count, row.columns, row.values, error));
        shift[k] = -rows->upper[k];
    }
    const hcri_row right = hcri_rows_row(&rows->rows, count);
    for (size_t k = 0; k < right.count; k++)
        linear[right.columns[k]] = right.values[k];
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_cone_create(n, constraint->allocator, &left, shift, linear, -rows->upper[count], &made, error));
    return hcri_cone_keep(made, constraint, block, error);
}

static hcr_status substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                             hcri_constraint **block, hcr_error *error) {
    hcri_constraint *rows = NULL;
    HCRI_TRY(hcri_varying_substitute_all(&as_cone(constraint)->rows->base, substitution, &rows, error));
    if (((const hcri_varying *)rows)->pairs == 0) {
        const hcr_status status = without_products(constraint, (const hcri_varying *)rows, block, error);
        hcri_block_release(rows);
        return status;
    }
    HCRI_TRY(create(rows, block, error));
    hcri_block_copy_sources(*block, constraint);
    return HCR_OK;
}

const hcri_kind hcri_kind_varying_cone = {
    .id = HCRI_KIND_VARYING_CONE,
    .name = "varying_cone",
    .words = "a second-order cone whose coefficients depend on parameters",
    .is_bilinear = 1,
    .size = sizeof(hcri_varying_cone),
    .release = release,
    .fields = fields,
    .verify = verify,
    .place = place,
    .scratch = scratch_of,
    .gauge = gauge,
    .gauge_one = hcri_block_gauge_alone,
    .along = along,
    .value = value,
    .add_gradient = add_gradient,
    .smooth = smooth,
    .holds = hcri_block_holds,
    .interval = interval,
    .substitute = substitute,
    .gauge_from = gauge,
    .exists = hcri_block_exists,
    .radius = hcri_block_radius,
    .margin = hcri_block_margin,
    .inradius = inradius,
    .add_work = add_work,
};
