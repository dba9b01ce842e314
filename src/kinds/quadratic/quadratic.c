#include "kinds/quadratic/quadratic.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "kernels/float_filter.h"
#include "kernels/kernels.h"
#include "kinds/block.h"
#include "kinds/quadratic/quadratic_parametric.h"
#include "kinds/quadratic/quadratic_substitute.h"
#include "kinds/quadratic/quadratic_value.h"
#include "kinds/ray_interval.h"

/* Shorter directions aren't worth their conversion to single precision. */
static const size_t shortest_single = 32;

static size_t matrix_size(const hcri_quadratic *quadratic) {
    const size_t n = quadratic->base.n;
    return quadratic->form == HCRI_DIAGONAL ? n : quadratic->form == HCRI_DENSE ? n * n : 0;
}

static size_t shift_size(const hcri_quadratic *quadratic) {
    return quadratic->form == HCRI_FACTOR ? quadratic->factor.count : quadratic->base.n;
}

hcr_status hcri_quadratic_create(size_t n, const hcr_allocator *allocator, const hcri_quadratic_parts *parts,
                                 hcri_constraint **constraint, hcr_error *error) {
    hcri_quadratic *quadratic = hcri_block_create(&hcri_kind_quadratic, n, 1, allocator);
    HCRI_ALLOCATED(quadratic);
    const hcr_allocator *memory = hcri_block_memory(&quadratic->base);
    quadratic->form = parts->form;
    quadratic->least_eigenvalue = parts->least_eigenvalue;
    quadratic->constant = parts->constant;
    quadratic->radius = parts->radius;
    if (parts->form == HCRI_FACTOR)
        (void)hcri_rows_append_all(&quadratic->factor, memory, parts->factor, NULL);
    quadratic->matrix = hcri_copy_or_zeros(memory, parts->matrix, matrix_size(quadratic), sizeof(double));
    quadratic->shift = hcri_copy_or_zeros(memory, parts->shift, shift_size(quadratic), sizeof(double));
    quadratic->linear = hcri_copy_or_zeros(memory, parts->linear, n, sizeof(double));
    return hcri_block_finish(&quadratic->base, hcri_block_has_memory(&quadratic->base, error), constraint);
}

static void fields(hcri_constraint *constraint, hcri_walk *walk) {
    hcri_quadratic *quadratic = (hcri_quadratic *)constraint;
    uint32_t form = quadratic->form;
    hcri_walk_u32(walk, &form);
    hcri_walk_f64(walk, &quadratic->least_eigenvalue);
    hcri_walk_f64(walk, &quadratic->constant);
    hcri_walk_f64(walk, &quadratic->radius);
    hcri_walk_rows(walk, constraint->n, &quadratic->factor);
    if (hcri_walk_got(walk) && form > HCRI_FACTOR)
        walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "a quadratic is damaged");
    if (hcri_walk_got(walk))
        quadratic->form = (hcri_form)form;
    hcri_walk_f64s(walk, matrix_size(quadratic), &quadratic->matrix);
    hcri_walk_f64s(walk, shift_size(quadratic), &quadratic->shift);
    hcri_walk_f64s(walk, constraint->n, &quadratic->linear);
    const double numbers[] = {quadratic->least_eigenvalue, quadratic->constant, quadratic->radius};
    if (hcri_walk_got(walk) &&
        !(hcri_all_finite(3, numbers) && hcri_all_finite(matrix_size(quadratic), quadratic->matrix) &&
          hcri_all_finite(shift_size(quadratic), quadratic->shift) &&
          hcri_all_finite(constraint->n, quadratic->linear)))
        walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "a quadratic has a number that isn't finite");
}

/* ---------------------------------------------------------------------------------------------------------- rays */

double *hcri_quadratic_panels(hcri_quadratic *quadratic, size_t n) {
    size_t numbers = 0;
    for (size_t i = 0; i < n; i += HCRI_PANEL)
        numbers += HCRI_PANEL * (n - i);
    double *panels = hcri_allocate(hcri_block_memory(&quadratic->base), numbers, sizeof *panels), *panel = panels;
    for (size_t i = 0; i < n && panels != NULL; i += HCRI_PANEL) {
        for (size_t r = i; r < i + HCRI_PANEL && r < n; r++)
            for (size_t k = r; k < n; k++)
                panel[HCRI_PANEL * (k - i) + r - i] = (k == r ? 0.5 : 1) * quadratic->matrix[r * quadratic->base.n + k];
        panel += HCRI_PANEL * (n - i);
    }
    return panels;
}

/* For |v| = 1 the form in single precision is off by (n + 4) 2^-24 |v|'|U||v| for the roundings of v, U and the
 * products, and by as much again for those of the sum over the rows, with |v|'|U||v| at most half of |P|'s largest row
 * sum. */
static hcr_status fill_single_panels(hcri_quadratic *quadratic, hcr_error *error) {
    const size_t n = quadratic->base.n;
    double largest = 0, sums = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) {
            sum += fabs(quadratic->matrix[i * n + j]);
            largest = fmax(largest, fabs(quadratic->matrix[i * n + j]));
        }
        sums = fmax(sums, sum);
    }
    if (n < shortest_single || n > HCRI_FLOAT_FILTER_WIDTH || largest == 0)
        return HCR_OK;
    size_t numbers = 0;
    for (size_t i = 0; i < n; i += HCRI_SINGLE_PANEL)
        numbers += HCRI_SINGLE_PANEL * (n - i);
    quadratic->single_panels =
        hcri_allocate(hcri_block_memory(&quadratic->base), numbers, sizeof *quadratic->single_panels);
    HCRI_TRY(hcri_block_has_memory(&quadratic->base, error));
    quadratic->single_exponent = ilogb(largest);
    quadratic->single_error_bound = 1.01 * ((double)n + 8) * 0x1p-24 * sums;
    float *panel = quadratic->single_panels;
    for (size_t i = 0; i < n; i += HCRI_SINGLE_PANEL) {
        for (size_t r = i; r < i + HCRI_SINGLE_PANEL && r < n; r++)
            for (size_t k = r; k < n; k++)
                panel[HCRI_SINGLE_PANEL * (k - i) + r - i] =
                    (float)((k == r ? 0.5 : 1) * ldexp(quadratic->matrix[r * n + k], -quadratic->single_exponent));
        panel += HCRI_SINGLE_PANEL * (n - i);
    }
    return HCR_OK;
}

static hcr_status place(hcri_constraint *constraint, const double *origin, hcr_error *error) {
    hcri_quadratic *quadratic = (hcri_quadratic *)constraint;
    const hcr_allocator *allocator = hcri_block_memory(constraint);
    const size_t n = constraint->n;
    double sizes;
    quadratic->at_origin = hcri_quadratic_accurate_value(quadratic, origin, &sizes);
    /* Two roundings in y − shift, two products, one in a row's value: 8 units of the terms cover them. */
    quadratic->at_origin_error = 0x1p-53 * (8 * sizes + 2 * fabs(quadratic->at_origin)) + 0x1p-1000;
    quadratic->centre = hcri_copy(allocator, origin, n, sizeof *origin);
    quadratic->gradient = hcri_allocate(allocator, n, sizeof *quadratic->gradient);
    HCRI_TRY(hcri_block_has_memory(constraint, error));
    hcri_quadratic_accurate_gradient(quadratic, origin, quadratic->gradient);
    quadratic->gradient_is_zero = 1;
    for (size_t j = 0; j < n; j++)
        quadratic->gradient_is_zero &= quadratic->gradient[j] == 0;
    constraint->has_gauge_gradient = quadratic->form == HCRI_DIAGONAL && quadratic->gradient_is_zero;
    quadratic->unit = quadratic->form == HCRI_DIAGONAL;
    for (size_t j = 0; quadratic->unit && j < n; j++)
        quadratic->unit = quadratic->matrix[j] == 1;
    if (quadratic->form == HCRI_DENSE) {
        quadratic->panels = hcri_quadratic_panels(quadratic, n);
        HCRI_ALLOCATED(quadratic->panels);
        HCRI_TRY(fill_single_panels(quadratic, error));
    }
    if (quadratic->form == HCRI_FACTOR)
        HCRI_TRY(hcri_layout_make(&quadratic->factor, n, allocator, &quadratic->layout, error));
    return quadratic->at_origin + quadratic->at_origin_error < 0
               ? HCR_OK /* last: rays from outside go by what was found, too */
               : hcri_block_refuse_origin(0, quadratic->at_origin, error);
}

static double factor_squares(const hcri_quadratic *quadratic, const hcri_kernels *kernels, const double *v) {
    double total = 0;
    for (size_t r = 0; r < quadratic->layout.runs; r++)
        total += kernels->run_squares(&quadratic->factor, &quadratic->layout.run[r], quadratic->base.n, v);
    return total;
}

/* g2 = ½ Q(O + v) without the terms of first and no order, for each of `samples` directions. */
static void curvatures(const hcri_quadratic *quadratic, const hcri_kernels *kernels, size_t samples, const double *v,
                       size_t stride, double *g2) {
    const size_t n = quadratic->base.n;
    if (quadratic->form == HCRI_DENSE) {
        kernels->triangle_form(n, quadratic->panels, samples, v, stride, g2);
        return;
    }
    for (size_t s = 0; s < samples; s++) {
        const double *x = v + s * stride;
        g2[s] = 0.5 * (quadratic->form == HCRI_FACTOR ? factor_squares(quadratic, kernels, x)
                       : quadratic->unit              ? kernels->squares(n, x)
                                                      : kernels->weighted_squares(n, quadratic->matrix, x));
    }
}

static double slope_along(const hcri_quadratic *quadratic, const hcri_kernels *kernels, const double *v) {
    return quadratic->gradient_is_zero ? 0 : kernels->dot(quadratic->base.n, quadratic->gradient, v);
}

enum { AT_ONCE = 32 };

/* The directions, at most AT_ONCE, along which the form in single precision doesn't exclude that the gauge is above
 * best: which[k] is the number of the k-th. `numbers`: HCRI_FLOAT_FILTER_NUMBERS. */
static size_t float_filter(const hcri_quadratic *quadratic, const hcri_kernels *kernels, const hcri_batch *batch,
                           size_t *which, float *numbers) {
    const size_t samples = batch->rows, stride = batch->stride;
    const double *v = batch->v, *best = batch->best;
    const size_t n = quadratic->base.n, at_once = hcri_float_filter_samples(n);
    float form[AT_ONCE];
    const float *direction[AT_ONCE];
    double size[AT_ONCE];
    for (size_t s = 0; s < samples; s++) {
        size[s] = sqrt(kernels->squares(n, v + s * stride));
        direction[s] = numbers + s % at_once * n;
    }
    for (size_t s = 0; s < samples; s += at_once) {
        const size_t now = samples - s < at_once ? samples - s : at_once;
        kernels->single->directions(n, now, v + s * stride, stride, size + s, numbers);
        kernels->single->triangle_form(n, quadratic->single_panels, now, direction + s, form + s);
    }
    const double unit = ldexp(1, quadratic->single_exponent);
    size_t count = 0;
    for (size_t s = 0; s < samples; s++) {
        /* best² (c(O) + g1/best + g2/best²), and the sizes of what it is summed from */
        const double g2 = fmax((double)form[s] * unit + quadratic->single_error_bound, 0) * size[s] * size[s];
        const double g1 = slope_along(quadratic, kernels, v + s * stride) * best[s];
        const double at_origin = quadratic->at_origin * best[s] * best[s];
        which[count] = s;
        count += (size_t) !(at_origin + g1 + g2 <= -0x1p-40 * (g2 + fabs(g1) - at_origin));
    }
    return count;
}

/* At most AT_ONCE directions; which: their numbers in the batch of the best, NULL: as they come. */
static void raise(const hcri_quadratic *quadratic, const hcri_kernels *kernels, size_t samples, const double *v,
                  const size_t *which, const hcri_batch *batch) {
    double g2[AT_ONCE];
    curvatures(quadratic, kernels, samples, v, batch->stride, g2);
    for (size_t k = 0; k < samples; k++) {
        const double g1 = slope_along(quadratic, kernels, v + k * batch->stride);
        const double found = hcri_quadratic_root(g1, g2[k] > 0 ? g2[k] : 0, quadratic->at_origin);
        hcri_batch_raise(batch, which == NULL ? k : which[k], found, &quadratic->base, 0);
    }
}

static void gauge(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    const hcri_kernels *kernels = hcri_kernels_best();
    for (size_t done = 0; done < batch->rows; done += AT_ONCE) {
        const hcri_batch now = hcri_batch_part(batch, constraint->n, done, AT_ONCE);
        size_t which[AT_ONCE], count = now.rows;
        int any = 0; /* where nothing was found yet nothing can be excluded */
        for (size_t s = 0; s < now.rows; s++)
            any |= now.best[s] > 0;
        if (quadratic->single_panels != NULL && any)
            count = float_filter(quadratic, kernels, &now, which, (float *)(void *)scratch);
        if (2 * count > now.rows)
            raise(quadratic, kernels, now.rows, now.v, NULL, &now);
        for (size_t k = 0; 2 * count <= now.rows && k < count; k++)
            raise(quadratic, kernels, 1, now.v + which[k] * now.stride, which + k, &now);
    }
}

/* From the origin of `place` by what it found. */
static hcri_interval interval(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                              double *scratch) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = constraint->n;
    if (quadratic->centre == NULL || memcmp(quadratic->centre, origin, n * sizeof *origin) != 0)
        return hcri_quadratic_interval(constraint, i, origin, v, scratch);
    double g2;
    curvatures(quadratic, kernels, 1, v, n, &g2);
    return hcri_between_roots(quadratic->at_origin, slope_along(quadratic, kernels, v), g2 > 0 ? g2 : 0);
}

static int goes_alone(const hcri_constraint *constraint) {
    return ((const hcri_quadratic *)constraint)->form == HCRI_DIAGONAL;
}

static double along(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    const hcri_kernels *kernels = hcri_kernels_best();
    double g2;
    curvatures(quadratic, kernels, 1, v, constraint->n, &g2);
    const double g1 = quadratic->gradient_is_zero ? 0 : kernels->dot(constraint->n, quadratic->gradient, v);
    return t * (g1 + t * g2) / -quadratic->at_origin - 1;
}

/* -------------------------------------------------------------------------------------------------------- margin */

/* ½ λ |z|² <= |c(O)| + |g| |z| on the region, with z = y − O, g the gradient at O and λ the least eigenvalue of P. */
static double radius(const hcri_constraint *constraint) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    const size_t n = constraint->n;
    double least = quadratic->least_eigenvalue;
    if (quadratic->form == HCRI_DIAGONAL) {
        least = INFINITY;
        for (size_t j = 0; j < n; j++)
            least = fmin(least, quadratic->matrix[j]);
    }
    const double slope = hcri_norm(n, quadratic->gradient);
    return least > 0 ? (slope + sqrt(slope * slope - 2 * least * quadratic->at_origin)) / least : INFINITY;
}

/* What the rounding analysis needs of P, with |P| its entries' sizes. */
typedef struct hcri_sizes {
    double largest;         /* bounds |P|'s (FACTOR: |F|'s) norm */
    double origin_energy;   /* (|O|' |P| |O|)^½ */
    double gradient_terms;  /* norm of |P| |O − shift| + |q|: what the gradient at O is summed from */
    double gradient_change; /* Σ |g_j| |O_j| */
} hcri_sizes;

static hcri_sizes measure(const hcri_quadratic *quadratic, const hcri_extent *extent) {
    const size_t n = quadratic->base.n;
    hcri_sizes sizes = {0};
    double energy = 0, terms = 0;
    for (size_t j = 0; j < n; j++)
        sizes.gradient_change += fabs(quadratic->gradient[j]) * hcri_size_at_origin(extent, j);
    if (quadratic->form == HCRI_FACTOR) {
        double squares = 0;
        for (size_t i = 0; i < quadratic->factor.count; i++) {
            double at_origin = 0, row = 0;
            for (size_t k = quadratic->factor.start[i]; k < quadratic->factor.start[i + 1]; k++) {
                const double f = fabs(quadratic->factor.values[k]);
                at_origin += f * hcri_size_at_origin(extent, quadratic->factor.columns[k]);
                row += f * f;
            }
            const double x = hcri_rows_dot_minus(&quadratic->factor, i, extent->origin, quadratic->shift[i]);
            energy += at_origin * at_origin;
            terms += fabs(x) * sqrt(row);
            squares += row;
        }
        sizes.largest = sqrt(squares);
        sizes.gradient_terms = terms + hcri_norm(n, quadratic->linear);
    } else {
        for (size_t i = 0; i < n; i++) {
            double row = 0, shifted = fabs(quadratic->linear[i]), at_origin = 0;
            const int diagonal = quadratic->form == HCRI_DIAGONAL;
            for (size_t j = diagonal ? i : 0; j < (diagonal ? i + 1 : n); j++) {
                const double p = fabs(quadratic->matrix[diagonal ? i : i * n + j]);
                row += p;
                shifted += p * fabs(extent->origin[j] - quadratic->shift[j]);
                at_origin += p * hcri_size_at_origin(extent, j);
            }
            sizes.largest = fmax(sizes.largest, row); /* a symmetric matrix's norm is at most its largest row sum */
            energy += at_origin * hcri_size_at_origin(extent, i);
            terms += shifted * shifted;
        }
        sizes.gradient_terms = sqrt(terms);
    }
    sizes.origin_energy = sqrt(energy);
    return sizes;
}

/* (x'Px)^½ is at most this for |x_j| <= most_j. */
static double longest(const hcri_quadratic *quadratic, const double *most) {
    const size_t n = quadratic->base.n;
    double squares = 0;
    for (size_t i = 0; i < (quadratic->form == HCRI_FACTOR ? quadratic->factor.count : n); i++) {
        double row = 0;
        if (quadratic->form == HCRI_FACTOR) {
            for (size_t k = quadratic->factor.start[i]; k < quadratic->factor.start[i + 1]; k++)
                row += fabs(quadratic->factor.values[k]) * most[quadratic->factor.columns[k]];
            squares += row * row;
            continue;
        }
        const int diagonal = quadratic->form == HCRI_DIAGONAL;
        for (size_t j = diagonal ? i : 0; j < (diagonal ? i + 1 : n); j++)
            row += fabs(quadratic->matrix[diagonal ? i : i * n + j]) * most[j];
        squares += row * most[i];
    }
    return sqrt(squares);
}

/* |∇c(y)·x| + x'Px over the region for |x_j| <= extra_j: ∇c(y) = g + P z, and |z'Px| <= energy (x'Px)^½. */
static double moved_by(const hcri_quadratic *quadratic, const double *extra, double energy) {
    double slope = 0;
    for (size_t j = 0; j < quadratic->base.n; j++)
        slope += fabs(quadratic->gradient[j]) * extra[j];
    const double length = longest(quadratic, extra);
    return slope + energy * length + length * length;
}

static double margin(const hcri_constraint *constraint, double unit, const hcri_extent *extent, double *scratch) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    if (extent->origin_map != NULL)
        return hcri_quadratic_moving_margin(quadratic, unit, extent);
    const int elsewhere = extent->arithmetic > 0;
    const double u = hcri_arithmetic(extent), n = (double)constraint->n, rank = (double)quadratic->factor.count;
    const hcri_sizes sizes = measure(quadratic, extent);
    const double slope = hcri_norm(constraint->n, quadratic->gradient) * extent->radius;
    /* (z'Pz)^½ over the region */
    const double energy = sqrt(2 * (slope - quadratic->at_origin));
    const double sum = hcri_sum_roundings(extent, n, 32);
    const double first = sum * u * slope + (n + 8) * u * sizes.gradient_terms * extent->radius;
    double second = 0, change = 0; /* the error of g2, and (Δy' P Δy)^½ for |Δy_j| = |O_j| + |z_j| */
    switch (quadratic->form) {
    case HCRI_DIAGONAL:
        second = sum * u * energy * energy;
        change = sizes.origin_energy + energy;
        break;
    case HCRI_DENSE:
        second = (elsewhere ? 2 * n + 12 : 1.125 * n + 8) * u * sizes.largest * extent->radius * extent->radius;
        change = sizes.origin_energy + sqrt(sizes.largest) * extent->radius;
        break;
    case HCRI_FACTOR:
        second = hcri_sum_roundings(extent, rank, 8) * u * energy * energy +
                 2 * (elsewhere ? n + 2 : n) * u * energy * sizes.largest * extent->radius;
        change = sizes.origin_energy + sizes.largest * extent->radius;
        break;
    }
    const double root_error = (elsewhere ? 16 : 8) * u * (energy * energy + slope - quadratic->at_origin);
    const double step = 4 * unit;
    const double moved =
        step * (sizes.gradient_change + slope) + energy * step * change + step * step * change * change;
    const double error = quadratic->at_origin_error + first + second + root_error + moved +
                         (extent->extra == NULL ? 0 : moved_by(quadratic, extent->extra, energy));
    return 1.01 * error / -quadratic->at_origin;
}

static int describe(const hcri_constraint *constraint, hcr_block *block) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    if (quadratic->form == HCRI_FACTOR)
        block->rows = hcri_rows_view(&quadratic->factor);
    block->diagonal = quadratic->form == HCRI_DIAGONAL ? quadratic->matrix : NULL;
    block->dense = quadratic->form == HCRI_DENSE ? quadratic->matrix : NULL;
    block->gradient = quadratic->gradient;
    block->slack = -quadratic->at_origin;
    return quadratic->moving == NULL;
}

/* The t at which c(O) + |g| t + ½ λ t² reaches 0, λ a bound of the largest eigenvalue: a ball that is inside. */
static double inradius(const hcri_constraint *constraint, double *scratch) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    const size_t n = constraint->n;
    const double slope = hcri_norm(n, quadratic->gradient), eigenvalue = hcri_quadratic_curvature_bound(quadratic);
    const double found = hcri_quadratic_root(slope, 0.5 * eigenvalue, quadratic->at_origin);
    return found > 0 ? 1 / found : INFINITY;
}

static const hcri_quadratic *itself(const hcri_constraint *constraint) { return (const hcri_quadratic *)constraint; }

static void add_work(const hcri_constraint *constraint, hcri_work *sum) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    const double n = (double)constraint->n;
    if (quadratic->form == HCRI_FACTOR)
        hcri_work_add_layout(&quadratic->factor, &quadratic->layout, constraint->n, sum);
    const double own = quadratic->form == HCRI_DENSE      ? n * (n + 1) / 2
                       : quadratic->form == HCRI_DIAGONAL ? n
                                                          : (double)quadratic->factor.count;
    const double gradient = quadratic->gradient_is_zero ? 0 : n;
    hcri_work_add(sum, own + gradient, (quadratic->form == HCRI_FACTOR || quadratic->unit ? 0 : own) + gradient);
}

const hcri_kind hcri_kind_quadratic = {
    .id = HCRI_KIND_QUADRATIC,
    .name = "quadratic",
    .words = "a quadratic",
    .size = sizeof(hcri_quadratic),
    .fields = fields,
    .verify = hcri_quadratic_verify,
    .quadratic = itself,
    .place = place,
    .scratch = hcri_quadratic_scratch,
    .gauge = gauge,
    .goes_alone = goes_alone,
    .gauge_one = hcri_block_gauge_alone,
    .along = along,
    .value = hcri_quadratic_value,
    .add_gradient = hcri_quadratic_add_gradient,
    .smooth = hcri_quadratic_smooth,
    .add_gauge_gradient = hcri_quadratic_add_gauge_gradient,
    .holds = hcri_block_holds,
    .interval = interval,
    .substitute = hcri_quadratic_substitute,
    .follow = hcri_quadratic_follow,
    .gauge_from = hcri_quadratic_gauge_from,
    .exists = hcri_block_exists,
    .radius = radius,
    .margin = margin,
    .describe = describe,
    .inradius = inradius,
    .add_work = add_work,
};
