#include "kinds/cone/cone.h"

#include <math.h>
#include <string.h>

#include "base/double_double.h"
#include "base/vector.h"
#include "kernels/kernels.h"
#include "kinds/block.h"
#include "kinds/cone/cone_parametric.h"
#include "kinds/cone/cone_value.h"

hcr_status hcri_cone_create(size_t n, const hcr_allocator *allocator, const hcri_rows *rows, const double *shift,
                            const double *linear, double constant, hcri_constraint **constraint, hcr_error *error) {
    hcri_cone *cone = hcri_block_create(&hcri_kind_cone, n, 1, allocator);
    HCRI_ALLOCATED(cone);
    const hcr_allocator *memory = hcri_block_memory(&cone->base);
    cone->constant = constant;
    (void)hcri_rows_append_all(&cone->rows, memory, rows, NULL);
    cone->shift = hcri_copy_or_zeros(memory, shift, rows->count, sizeof *cone->shift);
    cone->linear = hcri_copy_or_zeros(memory, linear, n, sizeof *cone->linear);
    return hcri_block_finish(&cone->base, hcri_block_has_memory(&cone->base, error), constraint);
}

static void fields(hcri_constraint *constraint, hcri_walk *walk) {
    hcri_cone *cone = (hcri_cone *)constraint;
    hcri_walk_rows(walk, constraint->n, &cone->rows);
    hcri_walk_f64s(walk, cone->rows.count, &cone->shift);
    hcri_walk_f64s(walk, constraint->n, &cone->linear);
    hcri_walk_f64(walk, &cone->constant);
    if (hcri_walk_got(walk) && !(hcri_all_finite(cone->rows.count, cone->shift) &&
                                 hcri_all_finite(constraint->n, cone->linear) && isfinite(cone->constant)))
        walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "a cone has a number that isn't finite");
}

/* --------------------------------------------------------------------------------------------------------- place */

/* Bounds of M's singular values: the norm of a matrix of sizes is at most the root of its largest row sum times its
 * largest column sum, and at most that of the sum of its squares. Where no row has two entries M'M is diagonal. */
static hcr_status bound_norms(hcri_cone *cone, hcr_error *error) {
    const size_t n = cone->base.n;
    HCRI_SCRATCH(scratch, cone->base.allocator);
    double *sums = hcri_allocate(scratch, 2 * n, sizeof *sums), *squares = sums + n;
    HCRI_ALLOCATED(sums);
    double largest_row = 0, largest_column = 0, total = 0, least = INFINITY;
    int one_a_row = 1;
    for (size_t i = 0; i < cone->rows.count; i++) {
        double row = 0;
        one_a_row &= cone->rows.start[i + 1] - cone->rows.start[i] <= 1;
        for (size_t k = cone->rows.start[i]; k < cone->rows.start[i + 1]; k++) {
            const double size = fabs(cone->rows.values[k]);
            row += size;
            sums[cone->rows.columns[k]] += size;
            squares[cone->rows.columns[k]] += size * size;
        }
        largest_row = fmax(largest_row, row);
    }
    for (size_t j = 0; j < n; j++) {
        largest_column = fmax(largest_column, sums[j]);
        total += squares[j];
        least = fmin(least, squares[j]);
    }
    const double rounding = 1 + 0x1p-50 * (double)(n + cone->rows.count + 2);
    cone->norm = rounding * sqrt(fmin(largest_row * largest_column, total));
    cone->least_norm = one_a_row ? sqrt(least) / rounding : 0;
    return HCR_OK;
}

/* e0 and w0/e0, each to about twice the working precision and rounded; *residue gets a bound of what that leaves. */
static void evaluate_at(hcri_cone *cone, const double *origin, double *residue) {
    hcri_dd right = {cone->constant, 0};
    double sizes = fabs(cone->constant);
    for (size_t j = 0; j < cone->base.n; j++) {
        right = hcri_dd_add_product(right, cone->linear[j], origin[j]);
        sizes += fabs(cone->linear[j] * origin[j]);
    }
    cone->right = hcri_dd_value(right);
    for (size_t i = 0; i < cone->rows.count; i++) {
        double terms;
        cone->at_origin[i] = hcri_rows_dot_minus(&cone->rows, i, origin, -cone->shift[i]) / cone->right;
        hcri_rows_dot(&cone->rows, i, origin, &terms);
        sizes += terms + fabs(cone->shift[i]);
    }
    *residue = 0x1p-100 * (double)(cone->base.n + 8) * sizes + 0x1p-1000;
}

static hcr_status place(hcri_constraint *constraint, const double *origin, hcr_error *error) {
    hcri_cone *cone = (hcri_cone *)constraint;
    const hcr_allocator *allocator = hcri_block_memory(constraint);
    const size_t count = cone->rows.count;
    cone->at_origin = hcri_allocate(allocator, count, sizeof *cone->at_origin);
    HCRI_ALLOCATED(cone->at_origin);
    double residue;
    evaluate_at(cone, origin, &residue);
    hcri_dd one_less = {1, 0};
    cone->on_axis = 1;
    for (size_t i = 0; i < count; i++) {
        one_less = hcri_dd_add_product(one_less, -cone->at_origin[i], cone->at_origin[i]);
        cone->on_axis &= cone->at_origin[i] == 0;
    }
    cone->one_less = hcri_dd_value(one_less);
    /* w0/e0 has two roundings and e0 one. */
    cone->slack = cone->right * cone->one_less / (1 + hcri_norm(count, cone->at_origin));
    cone->origin_error = 4 * 0x1p-53 * cone->right + residue;
    if (!(cone->right > 0 && cone->slack > 4 * cone->origin_error))
        return hcri_block_refuse_origin(0, hcri_cone_value(constraint, 0, origin, NULL, NULL), error);
    cone->linear_is_zero = 1;
    for (size_t j = 0; j < constraint->n; j++)
        cone->linear_is_zero &= cone->linear[j] == 0;
    HCRI_TRY(bound_norms(cone, error));
    return hcri_layout_make(&cone->rows, constraint->n, allocator, &cone->layout, error);
}

/* ---------------------------------------------------------------------------------------------------------- rays */

enum { AT_ONCE = 32, ROWS_AT_ONCE = 128 };

/* What a ray needs of x = scale M v + add w0/e0: |x|² and x·w0/e0. */
typedef struct hcri_sums {
    double scale, add;
    double squares, cross;
} hcri_sums;

/* The products of some rows with some directions, or what origins that move take. */
static size_t scratch_of(const hcri_constraint *constraint) {
    const size_t products = AT_ONCE * ROWS_AT_ONCE, moving = hcri_cone_scratch(constraint);
    return moving > products ? moving : products;
}

static void add_rows(const hcri_cone *cone, const hcri_kernels *kernels, size_t first, size_t count, double *x,
                     hcri_sums *sums) {
    const double *w0 = cone->at_origin + first;
    for (size_t i = 0; i < count && (sums->scale != 1 || sums->add != 0); i++)
        x[i] = sums->scale * x[i] + sums->add * w0[i];
    sums->squares += kernels->squares(count, x);
    if (!cone->on_axis)
        sums->cross += kernels->dot(count, w0, x);
}

static void sum_rows(const hcri_cone *cone, size_t samples, const double *v, size_t stride, hcri_sums *sums,
                     double *products) {
    const hcri_kernels *kernels = hcri_kernels_best();
    for (size_t r = 0; r < cone->layout.runs; r++) {
        const hcri_run *run = &cone->layout.run[r];
        for (size_t from = 0; from < run->count; from += ROWS_AT_ONCE) {
            const size_t count = run->count - from < ROWS_AT_ONCE ? run->count - from : ROWS_AT_ONCE;
            kernels->run_products(&cone->rows, run, cone->base.n, from, count, samples, v, stride, products,
                                  ROWS_AT_ONCE);
            for (size_t s = 0; s < samples; s++)
                add_rows(cone, kernels, run->first + from, count, products + s * ROWS_AT_ONCE, &sums[s]);
        }
    }
}

/* |x| where its square over- or underflows: x is divided by its largest entry first. */
static double scaled_norm(const hcri_cone *cone, const double *v, const hcri_sums *sums) {
    double largest = 0, squares = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < cone->rows.count; i++) {
            const double x = sums->scale * hcri_rows_dot(&cone->rows, i, v, NULL) + sums->add * cone->at_origin[i];
            if (pass == 0)
                largest = fmax(largest, fabs(x));
            else if (largest > 0)
                squares += x / largest * (x / largest);
        }
    return largest * sqrt(squares);
}

static double norm_of(const hcri_cone *cone, const double *v, const hcri_sums *sums) {
    return sums->squares > 1e-250 && sums->squares < 1e300 ? sqrt(sums->squares) : scaled_norm(cone, v, sums);
}

static double slope(const hcri_cone *cone, const double *v) {
    return cone->linear_is_zero ? 0 : hcri_kernels_best()->dot(cone->base.n, cone->linear, v);
}

static void gauge(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    for (size_t done = 0; done < batch->rows; done += AT_ONCE) {
        const hcri_batch now = hcri_batch_part(batch, constraint->n, done, AT_ONCE);
        double f[AT_ONCE];
        hcri_sums sums[AT_ONCE];
        for (size_t s = 0; s < now.rows; s++) {
            f[s] = slope(cone, now.v + s * now.stride);
            sums[s] = (hcri_sums){.scale = 1, .add = f[s] < 0 ? -f[s] : 0};
        }
        sum_rows(cone, now.rows, now.v, now.stride, sums, scratch);
        for (size_t s = 0; s < now.rows; s++) {
            const double norm = norm_of(cone, now.v + s * now.stride, &sums[s]);
            hcri_batch_raise(&now, s, hcri_cone_root(norm, sums[s].cross, f[s], cone->one_less) / cone->right,
                             constraint, 0);
        }
    }
}

static double along(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    hcri_sums sums = {.scale = t, .add = cone->right};
    sum_rows(cone, 1, v, constraint->n, &sums, scratch);
    return (norm_of(cone, v, &sums) - (cone->right + t * slope(cone, v))) / cone->slack;
}

/* -------------------------------------------------------------------------------------------------------- margin */

/* σ|z| − |w0| <= |M z + w0| <= e0 + |c||z| with σ the least singular value of M. */
static double radius(const hcri_constraint *constraint) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    const double growth = cone->least_norm - (1 + 0x1p-40) * hcri_norm(constraint->n, cone->linear);
    return growth > 0 ? (1 + 0x1p-40) * 2 * cone->right / growth : INFINITY;
}

/* What the rounding analysis needs of one row of M, or of c: Σ|a_j| x_j for x the origin, the region's reach and what
 * equalities add. */
typedef struct hcri_terms {
    double at_origin, reach, extra;
} hcri_terms;

static hcri_terms measure(size_t count, const uint32_t *columns, const double *values, const hcri_extent *extent) {
    hcri_terms terms = {0, 0, 0};
    double squares = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t j = columns == NULL ? k : columns[k];
        const double size = fabs(values[k]);
        if (size == 0 || (extent->origin_map != NULL && j >= extent->origin_map->outputs))
            continue; /* parameters don't move */
        squares += size * size;
        terms.at_origin += size * hcri_size_at_origin(extent, j);
        terms.reach += size * extent->reach[j];
        if (extent->extra != NULL)
            terms.extra += size * extent->extra[j];
    }
    if (squares > 0)
        terms.reach = fmin(terms.reach, sqrt(squares) * extent->radius);
    return terms;
}

static double margin(const hcri_constraint *constraint, double unit, const hcri_extent *extent, double *scratch) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    const int elsewhere = extent->arithmetic > 0;
    const double u = hcri_arithmetic(extent), n = (double)constraint->n, count = (double)cone->rows.count;
    const hcri_cone_origin origin = hcri_cone_origin_range(cone, extent);
    const hcri_terms right = measure(constraint->n, NULL, cone->linear, extent);
    hcri_terms left = {0, 0, 0};
    size_t most_terms = 0;
    for (size_t i = 0; i < cone->rows.count; i++) {
        const size_t start = cone->rows.start[i], terms = cone->rows.start[i + 1] - start;
        const hcri_terms row = measure(terms, cone->rows.columns + start, cone->rows.values + start, extent);
        left.at_origin = hypot(left.at_origin, row.at_origin);
        left.reach = hypot(left.reach, row.reach);
        left.extra = hypot(left.extra, row.extra);
        most_terms = terms > most_terms ? terms : most_terms;
    }
    left.reach = fmin(left.reach, cone->norm * extent->radius); /* fmin passes over 0 · infinity */
    /* |M z| <= |w0| + |w0 + M z| on the region */
    const double moved = fmin(left.reach, 2 * origin.right + right.reach);
    const double row_roundings = (double)most_terms + (elsewhere ? 10 : 0);
    const double products = u * (row_roundings * left.reach + hcri_sum_roundings(extent, n, 32) * right.reach);
    const double root =
        u * ((elsewhere ? count + 72 : count / 8 + 64) * (moved + right.reach) + (elsewhere ? 28 : 16) * origin.right);
    const double step = 4 * unit * (left.at_origin + left.reach + right.at_origin + right.reach);
    const double error = origin.error + products + root + step + left.extra + right.extra;
    return origin.slack > 0 ? 1.01 * error / origin.slack : INFINITY;
}

static int describe(const hcri_constraint *constraint, hcr_block *block) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    block->rows = hcri_rows_view(&cone->rows);
    block->gradient = cone->linear;
    block->slack = cone->right;
    block->at_origin = cone->at_origin;
    block->one_less = cone->one_less;
    return cone->moving == NULL;
}

/* c(O + z) <= −slack + (|M| + |c|) |z| */
static double inradius(const hcri_constraint *constraint, double *scratch) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    const double growth = cone->norm + hcri_norm(constraint->n, cone->linear);
    return growth > 0 ? cone->slack / growth : INFINITY;
}

static hcr_status verify(hcri_constraint *constraint, hcr_error *error) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    HCRI_TRY(hcri_block_verify_rows(&cone->rows, error));
    HCRI_TRY(hcri_block_verify_numbers(cone->rows.count, cone->shift, error));
    HCRI_TRY(hcri_block_verify_numbers(constraint->n, cone->linear, error));
    return hcri_block_verify_numbers(1, &cone->constant, error);
}

static void add_work(const hcri_constraint *constraint, hcri_work *sum) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    const double rows = (double)cone->rows.count, n = (double)constraint->n;
    hcri_work_add_layout(&cone->rows, &cone->layout, constraint->n, sum);
    hcri_work_add(sum, 2 * rows + n, rows + n);
}

const hcri_kind hcri_kind_cone = {
    .id = HCRI_KIND_CONE,
    .name = "cone",
    .words = "a second-order cone",
    .size = sizeof(hcri_cone),
    .fields = fields,
    .verify = verify,
    .place = place,
    .scratch = scratch_of,
    .gauge = gauge,
    .gauge_one = hcri_block_gauge_alone,
    .along = along,
    .value = hcri_cone_value,
    .add_gradient = hcri_cone_add_gradient,
    .add_curvature = hcri_cone_add_curvature,
    .smooth = hcri_cone_smooth,
    .edge = hcri_cone_edge,
    .holds = hcri_cone_holds,
    .interval = hcri_cone_interval,
    .substitute = hcri_cone_substitute,
    .follow = hcri_cone_follow,
    .gauge_from = hcri_cone_gauge_from,
    .exists = hcri_block_exists,
    .radius = radius,
    .margin = margin,
    .describe = describe,
    .inradius = inradius,
    .add_work = add_work,
};
